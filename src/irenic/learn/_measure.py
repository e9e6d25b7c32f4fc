"""Rule sets measured on training rows: scores, sizes, and statistics of each rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from irenic.arrays import Floats
from irenic.learn._columns import ColumnSums, column_figures
from irenic.learn._counting import Block, Counting, Sums, by_own_frequencies, codes_of
from irenic.learn._evolution import Candidate
from irenic.learn._left_out import Priors, likely, smoothed
from irenic.learn.front import DefaultRegions, FrontPoint, RuleCounts
from irenic.learn.reasons import reason_rules
from irenic.learn.target import Consequents, Target
from irenic.model.ruleset import Resolve, RuleSet
from irenic.model.space import Instances


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
        reasons: RuleSet | None = None,
    ) -> FrontPoint:
        """Return a rule set with its scores and statistics, in the order in which to show it.

        The order of the rules stays as it is unless ``ordered``; the first ``n_kept`` rules are
        those of the user, and stay the first ones. Without ``columns``, the figures of columns are
        left to :meth:`with_columns`. Without ``sums``, the rows are counted, and ``reasons`` found:
        regions that only the default decides.

        ``priors`` are the numbers of average rows that rows left out advise to add to those of each
        rule.
        """
        if sums is None:
            reasons = self._reasons(rules)
            sums = self._sums(rules, reasons)
        if ordered:
            order = self._order(rules, sums)
            order = np.append(np.arange(n_kept), order[order >= n_kept])
            rules, sums = rules[order], sums.take(order)
            if self.conflicts != "avoid" or by_own_frequencies(self.target):
                # the order decides which rule does where several apply
                sums = self._sums(rules, reasons)
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
            default_regions=None
            if reasons is None
            else self._default_regions(reasons, sums, priors),
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

    def _sums(self, rules: RuleSet, reasons: RuleSet | None) -> Sums:
        return self._totals(self._counting([rules], [self.consequents], reasons=[reasons]))[0]

    def _counting(
        self,
        rule_sets: Sequence[RuleSet],
        consequents: Sequence[Consequents],
        regions: RuleSet | None = None,
        reasons: Sequence[RuleSet | None] = (),
    ) -> Counting:
        how = resolve_by(self.conflicts)
        return Counting(rule_sets, consequents, how, self.balance, regions, reasons)

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

    def _reasons(self, rules: RuleSet) -> RuleSet | None:
        """Return regions that only the default decides, as rules for it; None if there are none."""
        return None if self.consequents.heads else reason_rules(rules, self.instances)

    def _default_regions(
        self, reasons: RuleSet, sums: Sums, priors: Priors | None
    ) -> DefaultRegions:
        """Return the statistics of regions that only the default decides, the shortest first.

        Confidence is estimated as that of rules: rules were chosen for the labels of the rows that
        they cover, and so for those of the rows that they leave.
        """
        sizes = reasons.conditions_per_rule()
        order = np.lexsort((-sums.reasons[:, 0], sizes))
        support, right = sums.reasons[order].T
        trained = np.divide(right, support, out=np.full(len(right), np.nan), where=support > 0)
        confidence, intervals = trained, np.full((len(reasons), 2), np.nan)
        if priors is not None:
            added = np.where(sizes[order] > 0, priors.rule, priors.default)
            mean = sums.agreement[-1] / sums.rows
            confidence, intervals = likely(right, support, added * mean, added)
        return DefaultRegions(reasons[order], support, confidence, intervals, trained)
