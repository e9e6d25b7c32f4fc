"""Rule sets measured on training rows: scores, sizes, and statistics of each rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from irenic.learn._columns import ColumnSums, column_figures
from irenic.learn._counting import Block, Counting, Sums, by_own_frequencies, codes_of
from irenic.learn._evolution import Candidate
from irenic.learn._left_out import Priors, likely, smoothed
from irenic.learn.front import FrontPoint, RuleCounts
from irenic.learn.target import Consequents, Target
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
    """Factor of each label in the training score; None if all count alike."""

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
        sums: Sums | None = None,
    ) -> FrontPoint:
        """Return a rule set with its scores and statistics, in the order in which to show it.

        The order of the rules stays as it is unless ``ordered``; the first ``n_kept`` rules are
        those of the user, and stay the first ones. Without ``columns``, the figures of columns are
        left to :meth:`with_columns`. Without ``sums``, the rows are counted.

        ``priors`` are the numbers of average rows that rows left out advise to add to those of each
        rule.
        """
        sums = self.count([rules])[0] if sums is None else sums
        if ordered:
            order = self._order(rules, sums)
            order = np.append(np.arange(n_kept), order[order >= n_kept])
            rules, sums = rules[order], sums.take(order)
            if self.conflicts != "avoid" or by_own_frequencies(self.target):
                # the order decides which rule does where several apply
                sums = self.count([rules])[0]
        counts = self._counts(rules, sums, priors, n_kept)
        point = FrontPoint(
            rule_set=rules,
            training_score=self.consequents.as_share(self._score(sums, counts.frequencies)),
            validated_score=validated,
            n_rules=len(rules),
            n_conditions=rules.n_conditions,
            explanation_size=float(sums.support[:-1] @ rules.conditions_per_rule() / sums.rows),
            penalty=penalty,
            counts=counts,
            candidate=candidate,
            member=member,
            n_kept=n_kept,
            n_rows=round(sums.rows),
            coverage=sums.covered / sums.rows,
        )
        return self.with_columns(point) if columns else point

    def with_columns(self, point: FrontPoint) -> FrontPoint:
        """Return a rule set with the figures of the columns that it tests."""
        resolve = resolve_by(self.conflicts)
        figures = column_figures(
            point.rule_set, self.instances, self.weight, resolve, self._column_sums
        )
        return replace(point, columns=figures)

    @cached_property
    def _column_sums(self) -> ColumnSums:
        """What is in the columns of all rows."""
        return ColumnSums.of(self.instances)

    def count(self, rule_sets: Sequence[RuleSet], regions: RuleSet | None = None) -> list[Sums]:
        """Return the sums of rule sets over all rows, in one pass."""
        consequents = [self.consequents] * len(rule_sets)
        return self._totals(self._counting(rule_sets, consequents, regions))

    def _counting(
        self,
        rule_sets: Sequence[RuleSet],
        consequents: Sequence[Consequents],
        regions: RuleSet | None = None,
    ) -> Counting:
        how = resolve_by(self.conflicts)
        return Counting(rule_sets, consequents, how, self.balance, regions)

    def _totals(self, counting: Counting) -> list[Sums]:
        """Return what is counted on all rows."""
        return counting(Block(self.instances, self.target, self.weight))

    def _score(self, sums: Sums, frequencies: Floats) -> float:
        """Return the mean gain of the predictions, given the frequencies of each rule."""
        gain = sums.gain
        if by_own_frequencies(self.target):
            gain += self.consequents.gain_of(sums.decided, frequencies)
        return gain / sums.weight

    @cached_property
    def gains(self) -> Floats:
        """Gain of each consequent for each row."""
        return self.consequents.gains(self.target.truth)

    def _order(self, rules: RuleSet, sums: Sums) -> npt.NDArray[np.intp]:
        """Return the order in which to show rules: by consequent, then by weight of covered rows.

        If the best rule decides, the best rule comes first.
        """
        if self.conflicts == "best":
            return np.lexsort((rules.then_codes, -rules.weights))
        then = codes_of(rules, self.consequents)[:-1]
        return np.lexsort((-sums.own_weight[:-1], then))

    def _decided(self, rules: RuleSet) -> npt.NDArray[np.int64]:
        return rules.decide(self.instances, resolve=resolve_by(self.conflicts))

    def _counts(self, rules: RuleSet, sums: Sums, priors: Priors | None, n_kept: int) -> RuleCounts:
        """Return statistics of each rule, followed by those of the rows that no rule covers.

        If rules decide only some labels, the last frequencies are those of the rows in which no
        rule decides the label.
        """
        overall = sums.labels / sums.row_weight
        added = (priors or Priors(1.0, 1.0)).each(len(rules))
        added[:n_kept] = 1.0  # they were not chosen for these rows
        pairs = zip(sums.weighted, added, strict=True)
        frequencies = np.array([smoothed(labels, prior, overall) for labels, prior in pairs])
        if self.target.probabilities:
            codes = codes_of(rules, self.consequents)
            known = codes < len(self.consequents)
            frequencies[known] = self.consequents.frequencies[codes[known]]
        if self.consequents.heads:
            frequencies[-1] = (sums.undecided[0] + overall) / (sums.undecided[1] + 1.0)
        right, support = sums.right, sums.support
        trained = np.divide(right, support, out=np.full(len(right), np.nan), where=support > 0)
        confidence, intervals = trained, np.full((len(right), 2), np.nan)
        if priors is not None:
            mean = sums.agreement / sums.rows
            confidence, intervals = likely(right, support, added * mean, added)
        return RuleCounts(sums.mix, support, confidence, intervals, trained, overall, frequencies)
