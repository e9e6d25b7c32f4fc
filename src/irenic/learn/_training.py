"""From a candidate, which is words over cells, to a rule set over the space with its statistics."""

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
from irenic.learn.front import FrontPoint, RuleCounts
from irenic.learn.target import Consequents, Target
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances
from irenic.searching import enlarge, gaps

Floats = npt.NDArray[np.float64]

# Rounds in which gaps are filled by regions grown as far as they go; then gap by gap.
_ROUNDS = 64


@dataclass(frozen=True, eq=False)
class Training:
    """The rows that a model is counted on: all of them, also those that did not evolve it."""

    cells: Cells
    instances: Instances
    encoded: npt.NDArray[np.uint8]
    target: Target
    weight: Floats
    consequents: Consequents
    conflicts: str
    complete: bool

    def point(self, penalty: float, validated: float, candidate: Candidate) -> FrontPoint:
        """Return a candidate as a rule set, with all that is known of it."""
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
            validated_score=validated,
            rules=len(rules),
            conditions=rules.n_conditions,
            explanation_size=float((covers @ rules.conditions_per_rule()).mean()),
            penalty=penalty,
            counts=self._counts(covers, codes),
            candidate=candidate,
        )

    @cached_property
    def gains(self) -> Floats:
        """What each consequent is worth for each row."""
        return self.consequents.gains(self.target.truth)

    def _weights(self, candidate: Candidate) -> Floats | None:
        """Return the weights of rules where the best decides: how good they are."""
        if self.conflicts != "best":
            return None
        covers = covering(candidate.masks, self.encoded)
        return worths(candidate, covers, self.gains * self.weight[:, None])

    def _order(self, rules: RuleSet, covers: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
        """Return the order to read rules in: one consequent after the other, the widest first.

        Where the best rule decides, it is the best first.
        """
        if self.conflicts == "best":
            return np.lexsort((rules.then_codes, -rules.weights))
        places = {value: place for place, value in enumerate(self.consequents.values())}
        then = np.array([places[then] for then in rules.thens])
        return np.lexsort((-(self.weight @ covers), then))

    def _decided(self, rules: RuleSet) -> npt.NDArray[np.int64]:
        resolve: Any = None if self.conflicts == "avoid" else self.conflicts
        return rules.decide(self.instances, resolve=resolve)

    def _codes(self, rules: RuleSet, default: Hashable | None) -> npt.NDArray[np.intp]:
        """Return the code of what each rule, and at the end the default, predicts."""
        places = {value: place for place, value in enumerate(self.consequents.values())}
        thens = [*rules.thens, default]
        return np.array([places[then] for then in thens], dtype=np.intp)

    def _filling(self, default: Hashable | None) -> Hashable:
        """Return what rules that fill gaps predict: the default, or what is worth most at all."""
        if default is not None:
            return default
        worth = (self.weight @ self.gains)[: len(self.consequents)]
        return self.consequents.values()[int(worth.argmax())]

    def _counts(self, covers: npt.NDArray[np.bool_], codes: npt.NDArray[np.intp]) -> RuleCounts:
        """Return what each rule, and at the end the default, is on the training rows."""
        left = ~covers.any(axis=1)
        agreement = self.consequents.agreement(self.target.truth)
        overall = np.average(self.target.truth, axis=0, weights=self.weight)
        mix, frequencies = np.zeros((2, len(codes), len(self.target.labels)))
        support, right = np.zeros(len(codes)), np.zeros(len(codes))
        for r, code in enumerate(codes):
            held = left if r == covers.shape[1] else covers[:, r]
            truth, weight = self.target.truth[held], self.weight[held]
            mix[r] = truth.sum(axis=0)
            frequencies[r] = (weight @ truth + overall) / (weight.sum() + 1.0)
            support[r] = len(truth)
            right[r] = agreement[held, code].sum()
        confidence = np.divide(right, support, out=np.full(len(right), np.nan), where=support > 0)
        return RuleCounts(mix, support, confidence, overall, frequencies)


def completed(rules: RuleSet, then: Hashable) -> RuleSet:
    """Return the rules with others of one consequent added, until no gap is left.

    None of them contradicts another, whether or not the given rules do among themselves.

    >>> from irenic import Rule
    >>> print(*completed(RuleSet([Rule({"age": (0, 18)}, then="free")]), "paid"), sep="; ")
    IF 0 <= age < 18 THEN free; IF age < 0 THEN paid; IF age >= 18 THEN paid
    """
    rules = rules.copy()
    for _ in range(_ROUNDS):
        found = gaps(rules, budget=Budget(regions=1))
        if not len(found):
            return rules
        region = enlarge(rules, found[0].witness(), consequent=then)
        rules.add(Rule(region, then=then), force=True)
    for gap in gaps(rules):
        rules.add(Rule(gap, then=then), force=True)
    return rules
