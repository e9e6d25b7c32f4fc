"""From candidates over cells to rule sets over the space, with their statistics."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from irenic.budget import Budget
from irenic.learn._cells import Cells
from irenic.learn._evolution import Candidate, covering, worths
from irenic.learn._running import Evolved
from irenic.learn.front import FrontPoint, RuleCounts
from irenic.learn.target import Consequents, Target
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances
from irenic.searching import enlarge, gaps

Floats = npt.NDArray[np.float64]

# Rounds in which gaps are filled by regions grown as far as possible; then gap by gap.
_ROUNDS = 64


@dataclass(frozen=True, eq=False)
class Training:
    """All training rows, including those that evolution did not use, for statistics."""

    cells: Cells
    instances: Instances
    encoded: npt.NDArray[np.uint8]
    target: Target
    weight: Floats
    consequents: Consequents
    conflicts: str
    complete: bool

    def point(self, evolved: Evolved) -> FrontPoint:
        """Return a candidate as a rule set with its scores and statistics."""
        candidate = evolved.candidate
        values = self.consequents.values()
        default = values[candidate.default]
        rules = self.cells.rule_set(
            candidate.masks,
            [values[code] for code in candidate.then],
            weights=self._weights(candidate),
            default=default,
        )
        if self.conflicts == "avoid":
            rules = rules.simplified()
        if self.complete:
            rules = completed(rules, self._filling(default))
        covers = rules.covering(self.instances)
        order = self._order(rules, covers)
        rules, covers = rules[order], covers[:, order]
        decided = self._decided(rules)
        codes = self._codes(rules, default)
        right = self.gains[np.arange(len(decided)), codes[decided]]
        return FrontPoint(
            rule_set=rules,
            training_score=self.consequents.as_share(float(np.average(right, weights=self.weight))),
            validated_score=evolved.validated,
            n_rules=len(rules),
            n_conditions=rules.n_conditions,
            explanation_size=float((covers @ rules.conditions_per_rule()).mean()),
            penalty=evolved.penalty,
            counts=self._counts(covers, codes),
            candidate=candidate,
            member=evolved.member,
        )

    @cached_property
    def gains(self) -> Floats:
        """Gain of each consequent for each row."""
        return self.consequents.gains(self.target.truth)

    def _weights(self, candidate: Candidate) -> Floats | None:
        """Return the quality of each rule as its weight, if the best rule decides."""
        if self.conflicts != "best":
            return None
        covers = covering(candidate.masks, self.encoded)
        return worths(candidate, covers, self.gains * self.weight[:, None])

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
        resolve: Any = None if self.conflicts == "avoid" else self.conflicts
        return rules.decide(self.instances, resolve=resolve)

    def _codes(self, rules: RuleSet, default: Hashable | None) -> npt.NDArray[np.intp]:
        """Return the code of the consequent of each rule, followed by that of the default."""
        code_of = {value: code for code, value in enumerate(self.consequents.values())}
        return np.array([code_of[then] for then in [*rules.thens, default]], dtype=np.intp)

    def _filling(self, default: Hashable | None) -> Hashable:
        """Return the consequent of rules that fill gaps: the default, or the best one overall."""
        if default is not None:
            return default
        gains = (self.weight @ self.gains)[: len(self.consequents)]
        return self.consequents.values()[int(gains.argmax())]

    def _counts(self, covers: npt.NDArray[np.bool_], codes: npt.NDArray[np.intp]) -> RuleCounts:
        """Return statistics of each rule, followed by those of the rows that no rule covers."""
        left = ~covers.any(axis=1)
        agreement = self.consequents.agreement(self.target.truth)
        overall = np.average(self.target.truth, axis=0, weights=self.weight)
        mix, frequencies = np.zeros((2, len(codes), len(self.target.labels)))
        support, right = np.zeros(len(codes)), np.zeros(len(codes))
        for r, code in enumerate(codes):
            covered = left if r == covers.shape[1] else covers[:, r]
            truth, weight = self.target.truth[covered], self.weight[covered]
            mix[r] = truth.sum(axis=0)
            frequencies[r] = (weight @ truth + overall) / (weight.sum() + 1.0)
            support[r] = len(truth)
            right[r] = agreement[covered, code].sum()
        confidence = np.divide(right, support, out=np.full(len(right), np.nan), where=support > 0)
        return RuleCounts(mix, support, confidence, overall, frequencies)


def completed(rules: RuleSet, then: Hashable) -> RuleSet:
    """Return the rules plus rules of one consequent that fill all gaps.

    The added rules contradict no rule, even if the given rules contradict each other.

    >>> from irenic import Rule
    >>> print(*completed(RuleSet([Rule({"age": (0, 18)}, then="free")]), "paid"), sep="; ")
    IF 0 <= age < 18 THEN free; IF age < 0 THEN paid; IF age >= 18 THEN paid
    """
    rules = rules.copy()
    for _ in range(_ROUNDS):
        first = gaps(rules, budget=Budget(regions=1))
        if not len(first):
            return rules
        region = enlarge(rules, first[0].witness(), consequent=then)
        rules.add(Rule(region, then=then), force=True)
    for gap in gaps(rules):
        rules.add(Rule(gap, then=then), force=True)
    return rules
