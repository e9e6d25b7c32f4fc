"""From a candidate, which is words over cells, to a rule set over the space with its statistics."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irenic.budget import Budget
from irenic.cfsbe import enlarge
from irenic.gaps import gaps
from irenic.learn.cells import Cells
from irenic.learn.evolution import Candidate, covering, predict, worths
from irenic.learn.front import FrontPoint, RuleCounts
from irenic.learn.target import Consequents, Target
from irenic.rule import Rule
from irenic.ruleset import RuleSet
from irenic.space import Instances

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
        covers = covering(candidate.masks, self.encoded)
        held = covers @ self.weight
        gains = self.consequents.gains(self.target.truth)
        right = worths(candidate, covers, gains * self.weight[:, None])
        # rules of one consequent together, the widest first; in "best" the best rule decides
        order = np.lexsort((-held, candidate.then))
        if self.conflicts == "best":
            order = np.lexsort((candidate.then, -right))
        candidate = Candidate(
            candidate.masks[order], candidate.then[order], candidate.default, candidate.cost
        )
        values = self.consequents.values()
        rules = self.cells.rule_set(
            candidate.masks,
            [values[code] for code in candidate.then],
            weights=right[order] if self.conflicts == "best" else None,
            default=values[candidate.default],
        )
        if self.conflicts == "avoid":
            rules = rules.simplified()
        if self.complete:
            rules = completed(rules, self._filling(gains, values[candidate.default]))
        said = predict(candidate, self.encoded, self.conflicts)
        score = np.average(gains[np.arange(len(said)), said], weights=self.weight)
        return FrontPoint(
            rule_set=rules,
            training_score=float(score),
            validated_score=validated,
            rules=len(rules),
            conditions=rules.n_conditions,
            explanation_size=rules.explanation_size(self.instances),
            penalty=penalty,
            counts=self._counts(rules, values[candidate.default]),
            candidate=candidate,
        )

    def _filling(self, gains: Floats, default: Hashable | None) -> Hashable:
        """Return what rules that fill gaps predict: the default, or what is worth most at all."""
        if default is not None:
            return default
        worth = (gains * self.weight[:, None]).sum(axis=0)[: len(self.consequents)]
        return self.consequents.values()[int(worth.argmax())]

    def _counts(self, rules: RuleSet, default: Hashable) -> RuleCounts:
        """Return what each rule, and at the end the default, is on the training rows."""
        covers = rules.covering(self.instances)
        left = ~covers.any(axis=1, keepdims=True)
        covers = np.concatenate([covers, left], axis=1)
        thens = [*(rules.consequents[code] for code in rules.then_codes), default]
        places = {value: k for k, value in enumerate(self.consequents.values())}
        agreement = self.consequents.agreement(self.target.truth)
        mix = np.zeros((len(thens), len(self.target.labels)))
        support, right = np.zeros(len(thens)), np.zeros(len(thens))
        for r, then in enumerate(thens):
            held = covers[:, r]
            weight = self.weight[held]
            mix[r] = weight @ self.target.truth[held]
            support[r] = weight.sum()
            right[r] = weight @ agreement[held, places[then]]
        confidence = np.divide(right, support, out=np.full(len(right), np.nan), where=support > 0)
        overall = np.average(self.target.truth, axis=0, weights=self.weight)
        return RuleCounts(mix, support, confidence, overall)


def completed(rules: RuleSet, then: Hashable) -> RuleSet:
    """Return the rules with others of one consequent added, until no gap is left.

    None of them contradicts another, whether or not the given rules do among themselves.

    >>> from irenic import Rule
    >>> print(*completed(RuleSet(None, [Rule({"age": (0, 18)}, then="free")]), "paid"), sep="; ")
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
