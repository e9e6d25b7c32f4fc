"""Rule sets measured on training rows: scores, sizes, and statistics of each rule."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from irenic.learn._evolution import Candidate
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

    def point(
        self,
        rules: RuleSet,
        *,
        validated: float = math.nan,
        penalty: float = math.nan,
        candidate: Candidate | None = None,
        member: int | None = None,
    ) -> FrontPoint:
        """Return a rule set, in the order in which to show it, with its scores and statistics."""
        covers = rules.covering(self.instances)
        order = self._order(rules, covers)
        rules, covers = rules[order], covers[:, order]
        decided = self._decided(rules)
        codes = self._codes(rules, rules.default)
        right = self.gains[np.arange(len(decided)), codes[decided]]
        return FrontPoint(
            rule_set=rules,
            training_score=self.consequents.as_share(float(np.average(right, weights=self.weight))),
            validated_score=validated,
            n_rules=len(rules),
            n_conditions=rules.n_conditions,
            explanation_size=float((covers @ rules.conditions_per_rule()).mean()),
            penalty=penalty,
            counts=self._counts(covers, codes),
            candidate=candidate,
            member=member,
        )

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
            if self.target.probabilities and code < len(self.consequents):
                frequencies[r] = self.consequents.frequencies[code]
            support[r] = len(truth)
            right[r] = agreement[covered, code].sum()
        confidence = np.divide(right, support, out=np.full(len(right), np.nan), where=support > 0)
        return RuleCounts(mix, support, confidence, overall, frequencies)
