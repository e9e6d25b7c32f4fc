"""From candidates over cells to rule sets over the space, with their statistics."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from irenic.budget import Budget
from irenic.learn._cells import Cells
from irenic.learn._evolution import Candidate, covering, worths
from irenic.learn._measure import Measure
from irenic.learn._probabilities import settle
from irenic.learn._running import Evolved
from irenic.learn.front import FrontPoint
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet
from irenic.searching import enlarge, gaps

Floats = npt.NDArray[np.float64]

# Rounds in which gaps are filled by regions grown as far as possible; then gap by gap.
_ROUNDS = 64


@dataclass(frozen=True, eq=False)
class Training(Measure):
    """All training rows, including those that evolution did not use, for statistics."""

    cells: Cells
    encoded: npt.NDArray[np.uint8]
    complete: bool

    def evolved_point(self, evolved: Evolved) -> FrontPoint:
        """Return a candidate as a rule set with its scores and statistics."""
        if not self.target.probabilities:
            return self._point(evolved, evolved.candidate)
        candidate, consequents, threshold = settle(
            evolved.candidate,
            self.consequents,
            self.encoded,
            self.target,
            self.weight,
            self.conflicts,
        )
        settled = replace(self, consequents=consequents)
        return replace(settled._point(evolved, candidate), threshold=threshold)

    def _point(self, evolved: Evolved, candidate: Candidate) -> FrontPoint:
        used = covering(candidate.masks, self.encoded).any(axis=1)
        candidate = replace(candidate, masks=candidate.masks[used], then=candidate.then[used])
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
        return self.point(
            rules,
            validated=evolved.validated,
            penalty=evolved.penalty,
            candidate=evolved.candidate,
            member=evolved.member,
            priors=evolved.priors,
        )

    def _weights(self, candidate: Candidate) -> Floats | None:
        """Return the quality of each rule as its weight, if the best rule decides."""
        if self.conflicts != "best":
            return None
        covers = covering(candidate.masks, self.encoded)
        return worths(candidate, covers, self.gains * self.weight[:, None])

    def _filling(self, default: Hashable | None) -> Hashable:
        """Return the consequent of rules that fill gaps: the default, or the best one overall."""
        if default is not None:
            return default
        gains = (self.weight @ self.gains)[: len(self.consequents)]
        return self.consequents.values()[int(gains.argmax())]


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
