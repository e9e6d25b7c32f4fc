"""From candidates over cells to rule sets over the space, with their statistics."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import KW_ONLY, dataclass, replace

import numpy as np
import numpy.typing as npt

from irenic.learn._cells import Cells
from irenic.learn._completing import completed
from irenic.learn._evolution import Candidate, covering, worths
from irenic.learn._measure import Measure
from irenic.learn._probabilities import settle
from irenic.learn._running import Evolved
from irenic.learn.front import Front, FrontPoint, front_of

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Training(Measure):
    """All training rows, including those that evolution did not use, for statistics."""

    _: KW_ONLY
    cells: Cells
    encoded: npt.NDArray[np.uint8]

    def front(self, evolved: Sequence[Evolved], *, complete: bool) -> Front:
        """Return the front of candidates as rule sets with their scores and statistics.

        If ``complete``, rules are added that fill all gaps; rule sets with too many are left out.
        """
        points = {id(point): (point, one) for one in evolved for point in self._points(one)}
        front = front_of([point for point, _ in points.values()])
        if complete:
            kept = [points[id(point)][1] for point in front]
            front = front_of([p for one in kept for p in self._points(one, complete=True)])
        return Front(map(self.with_columns, front))

    def _points(self, evolved: Evolved, *, complete: bool = False) -> list[FrontPoint]:
        """Return a candidate as a rule set, in a list that is empty if it cannot be completed."""
        if not self.target.probabilities:
            return self._point(evolved, evolved.candidate, complete=complete)
        candidate, consequents, threshold = settle(
            evolved.candidate,
            self.consequents,
            self.encoded,
            self.target,
            self.weight,
            self.conflicts,
        )
        settled = replace(self, consequents=consequents)
        points = settled._point(evolved, candidate, complete=complete)
        return [replace(point, threshold=threshold) for point in points]

    def _point(self, evolved: Evolved, candidate: Candidate, *, complete: bool) -> list[FrontPoint]:
        used = np.flatnonzero(covering(candidate.masks, self.encoded).any(axis=1))
        candidate = candidate.take(used)
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
        if complete:
            whole = completed(rules, self._filling(default), self.instances, self.weight)
            if whole is None:
                return []
            rules = whole
        point = self.point(
            rules,
            validated=evolved.validated,
            penalty=evolved.penalty,
            candidate=evolved.candidate,
            member=evolved.member,
            priors=evolved.priors,
            columns=False,  # most points are not on the front
        )
        return [point]

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
