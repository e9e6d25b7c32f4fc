"""Rule sets measured on training rows: scores, sizes, and statistics of each rule."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from irenic.learn._columns import column_figures
from irenic.learn._evolution import Candidate
from irenic.learn._left_out import Priors, likely, smoothed
from irenic.learn.front import FrontPoint, RuleCounts
from irenic.learn.target import Consequents, Target, row_f1
from irenic.model.head import open_labels, signs
from irenic.model.ruleset import Resolve, RuleSet
from irenic.model.space import Instances

Floats = npt.NDArray[np.float64]


def resolve_by(conflicts: str) -> Resolve | None:
    """Return how a rule set decides conflicts, for the ``conflicts`` of a classifier."""
    return None if conflicts == "avoid" else "vote" if conflicts == "vote" else "best"


@dataclass(frozen=True, eq=False)
class Measure:
    """Training rows on which rule sets are measured."""

    instances: Instances
    target: Target
    weight: Floats
    consequents: Consequents
    conflicts: str
    balance: Floats | None = None
    """Factor of each row in the training score; None if all count alike."""

    def point(
        self,
        rules: RuleSet,
        *,
        validated: float = math.nan,
        penalty: float = math.nan,
        candidate: Candidate | None = None,
        member: int | None = None,
        priors: Priors | None = None,
        ordered: bool = True,
        n_kept: int = 0,
        columns: bool = True,
    ) -> FrontPoint:
        """Return a rule set with its scores and statistics, in the order in which to show it.

        The order of the rules stays as it is unless ``ordered``; the first ``n_kept`` rules are
        those of the user, and stay the first ones. Without ``columns``, the figures of columns are
        left to :meth:`with_columns`.

        ``priors`` are the numbers of average rows that rows left out advise to add to those of each
        rule.
        """
        covers = rules.covering(self.instances)
        if ordered:
            order = self._order(rules, covers)
            order = np.append(np.arange(n_kept), order[order >= n_kept])
            rules, covers = rules[order], covers[:, order]
        counts = self._counts(rules, covers, priors, n_kept)
        right = self._right(rules, counts.frequencies)
        scored = self.weight if self.balance is None else self.weight * self.balance
        point = FrontPoint(
            rule_set=rules,
            training_score=self.consequents.as_share(float(np.average(right, weights=scored))),
            validated_score=validated,
            n_rules=len(rules),
            n_conditions=rules.n_conditions,
            explanation_size=float((covers @ rules.conditions_per_rule()).mean()),
            penalty=penalty,
            counts=counts,
            candidate=candidate,
            member=member,
            n_kept=n_kept,
            n_rows=len(self.target),
            coverage=float(covers.any(axis=1).mean()),
        )
        return self.with_columns(point) if columns else point

    def with_columns(self, point: FrontPoint) -> FrontPoint:
        """Return a rule set with the figures of the columns that it tests."""
        resolve = resolve_by(self.conflicts)
        figures = column_figures(point.rule_set, self.instances, self.weight, resolve)
        return replace(point, columns=figures)

    def _right(self, rules: RuleSet, frequencies: Floats) -> Floats:
        """Return the gain of the prediction for each row, given the frequencies of each rule."""
        if not self.consequents.heads:
            decided = self._decided(rules)
            if self.target.by_distance and not self.target.probabilities:
                # rules of equal sets may have different frequencies
                gains = self.consequents.gains_of(self.target.truth, frequencies[decided])
                if rules.default is not None:
                    return gains
                return np.where(decided < 0, self.gains[:, -1], gains)
            codes = self._codes(rules, rules.default)
            return np.asarray(self.gains[np.arange(len(decided)), codes[decided]])
        labels = self.target.labels.tolist()
        states, _ = rules.decide_labels(self.instances, labels, resolve=resolve_by(self.conflicts))
        usual = np.isin(np.arange(len(labels)), self._places(rules.default))
        return row_f1(self.target.truth, np.where(states == 0, usual, states > 0))

    def _places(self, default: Hashable | None) -> list[int]:
        """Return the indices of the labels of a default."""
        return [i for i, v in enumerate(self.target.labels.tolist()) if v in open_labels(default)]

    @cached_property
    def gains(self) -> Floats:
        """Gain of each consequent for each row."""
        return self.consequents.gains(self.target.truth)

    def _order(self, rules: RuleSet, covers: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
        """Return the order in which to show rules: by consequent, then by weight of covered rows.

        If the best rule decides, the best rule comes first.
        """
        if self.conflicts == "best":
            return np.lexsort((rules.then_codes, -rules.weights))
        code_of = {value: code for code, value in enumerate(self.consequents.values())}
        then = np.array([code_of[then] for then in rules.thens])
        return np.lexsort((-(self.weight @ covers), then))

    def _decided(self, rules: RuleSet) -> npt.NDArray[np.int64]:
        return rules.decide(self.instances, resolve=resolve_by(self.conflicts))

    def _codes(self, rules: RuleSet, default: Hashable | None) -> npt.NDArray[np.intp]:
        """Return the code of the consequent of each rule, followed by that of the default."""
        code_of = {value: code for code, value in enumerate(self.consequents.values())}
        return np.array([code_of[then] for then in [*rules.thens, default]], dtype=np.intp)

    def _agreement(self, rules: RuleSet) -> Floats:
        """Return the agreement of each row with each rule and the default: ``[row, rule]``."""
        agreement = self.consequents.agreement(self.target.truth)
        if not self.consequents.heads:
            return np.asarray(agreement[:, self._codes(rules, rules.default)])
        code_of = {value: code for code, value in enumerate(self.consequents.values())}
        usual = np.isin(np.arange(len(self.target.labels)), self._places(rules.default))
        by_default = row_f1(self.target.truth, np.tile(usual, (len(self.target), 1)))
        return np.column_stack((agreement[:, [code_of[then] for then in rules.thens]], by_default))

    def _counts(
        self, rules: RuleSet, covers: npt.NDArray[np.bool_], priors: Priors | None, n_kept: int
    ) -> RuleCounts:
        """Return statistics of each rule, followed by those of the rows that no rule covers.

        If rules decide only some labels, the last frequencies are those of the rows in which no
        rule decides the label.
        """
        left = ~covers.any(axis=1)
        agreement = self._agreement(rules)
        overall = np.average(self.target.truth, axis=0, weights=self.weight)
        mix, frequencies = np.zeros((2, len(rules) + 1, len(self.target.labels)))
        support, right = np.zeros(len(rules) + 1), np.zeros(len(rules) + 1)
        codes = self._codes(rules, rules.default) if self.target.probabilities else None
        added = (priors or Priors(1.0, 1.0)).each(len(rules))
        added[:n_kept] = 1.0  # they were not chosen for these rows
        for r in range(len(rules) + 1):
            covered = left if r == covers.shape[1] else covers[:, r]
            truth, weight = self.target.truth[covered], self.weight[covered]
            mix[r] = truth.sum(axis=0)
            frequencies[r] = smoothed(weight @ truth, added[r], overall)
            if codes is not None and codes[r] < len(self.consequents):
                frequencies[r] = self.consequents.frequencies[codes[r]]
            support[r] = len(truth)
            right[r] = agreement[covered, r].sum()
        if self.consequents.heads:
            labels = self.target.labels.tolist()
            undecided = (covers @ (signs(rules.thens, labels) != 0)) == 0
            weight = undecided * self.weight[:, None]
            total = (weight * self.target.truth).sum(axis=0) + overall
            frequencies[-1] = total / (weight.sum(axis=0) + 1.0)
        trained = np.divide(right, support, out=np.full(len(right), np.nan), where=support > 0)
        confidence, intervals = trained, np.full((len(right), 2), np.nan)
        if priors is not None:
            confidence, intervals = likely(right, support, added * agreement.mean(axis=0), added)
        return RuleCounts(mix, support, confidence, intervals, trained, overall, frequencies)
