"""From candidates over cells to rule sets over the space, with their statistics."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from irenic.learn._cells import Cells
from irenic.learn._completing import completed
from irenic.learn._evolution import Candidate, covering, worths
from irenic.learn._knowledge import Knowledge
from irenic.learn._left_out import Judge, Priors, Seen, leading, led
from irenic.learn._measure import Measure
from irenic.learn._probabilities import Division, region_sums, settle
from irenic.learn._running import Evolved
from irenic.learn.front import Front, FrontPoint, ProbabilityTable, front_of
from irenic.model.ruleset import RuleSet

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Training(Measure):
    """All training rows, including those that evolution did not use, for statistics."""

    _: KW_ONLY
    cells: Cells
    encoded: npt.NDArray[np.uint8]
    knowledge: Knowledge | None = None
    division: Division | None = None
    """Regions of probability."""

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
        covers = covering(candidate.masks, self.encoded)
        if self.knowledge is not None:
            covers &= self._free | bool(self.knowledge.signs)
        candidate = candidate.take(np.flatnonzero(covers.any(axis=1)))
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
        n_kept = 0
        if self.knowledge is not None:
            rules, n_kept = self.knowledge.joined(rules), self.knowledge.n_kept
        if complete:
            whole = completed(rules, self._filling(default), self.instances, self.weight)
            if whole is None:
                return []
            rules = whole
        if self.knowledge is not None and self.knowledge.objection(rules):
            return []
        point = self.point(
            rules,
            validated=evolved.validated,
            penalty=evolved.penalty,
            candidate=evolved.candidate,
            member=evolved.member,
            priors=evolved.priors,
            n_kept=n_kept,
            columns=False,  # most points are not on the front
        )
        filled = self._filling(default) if complete and default is None else None
        return [replace(point, probabilities=self._probabilities(evolved, rules, filled))]

    def judged(self, front: Front, scoring: Any) -> Front:
        """Return a front whose training scores are by a ``scoring`` with probabilities."""
        truth = self.target.truth.argmax(axis=1)
        judge = Judge.of(scoring, self.target.labels, truth, self.weight)
        points = []
        for point in front:
            rules, table = point.rule_set, point.probabilities
            codes = self._codes(rules, rules.default)[self._decided(rules)]
            if table is None:
                likely = point.counts.frequencies
                if self.balance is None and self.target.cost is None:
                    likely = leading(likely, self._codes(rules, rules.default))
                likely = likely[self._decided(rules)]
            else:
                likely = table.probabilities[codes, self._row_regions]
            if judge is None:
                logs = np.log(likely[np.arange(len(truth)), truth])
                score = float(np.average(logs, weights=self.weight))
            else:
                score = judge.score(likely, codes, np.ones(len(codes), dtype=np.intp))
            points.append(replace(point, training_score=score))
        return Front(points)

    @cached_property
    def _regions(self) -> RuleSet | None:
        """The regions of probability as rules, None if there is only one."""
        if self.division is None or len(self.division.masks) < 2:
            return None
        return self.cells.rule_set(self.division.masks, range(len(self.division.masks)))

    @cached_property
    def _row_regions(self) -> npt.NDArray[np.intp]:
        """Region of each row."""
        assert self.division is not None
        return self.division.places(self.encoded)

    def _probabilities(
        self, evolved: Evolved, rules: RuleSet, filled: Hashable | None = None
    ) -> ProbabilityTable | None:
        """Return how likely each label is, given the prediction of a rule set and the region.

        ``filled`` is what added rules predict where those of the candidate predict nothing.
        """
        if self.division is None or self._regions is None:
            return None
        codes = self._codes(rules, rules.default)[self._decided(rules)]
        shape = len(self.consequents.values()), len(self._regions)
        labels = region_sums(codes, self._row_regions, self.target.truth, self.weight, shape)
        opinions = self.division.seen(evolved.candidate, self.conflicts, shape[0]).opinions
        if filled is not None:
            opinions[self.consequents.values().index(filled)] += opinions[-1]
            opinions[-1] = 0.0
        overall = np.average(self.target.truth, axis=0, weights=self.weight)
        rows = (evolved.priors or Priors(1.0, 1.0)).opinion
        likely = Seen(labels, opinions).probabilities(rows, overall)
        # otherwise, a predicted label need not be the most likely one
        if self.balance is None and self.target.cost is None:
            likely = led(likely)
        ones = np.ones((len(codes), 1))
        counts = region_sums(codes, self._row_regions, ones, ones[:, 0], shape)[..., 0]
        counts[:, -1] = counts.sum(axis=1)
        return ProbabilityTable(tuple(self.target.labels.tolist()), self._regions, counts, likely)

    @cached_property
    def _free(self) -> npt.NDArray[np.bool_]:
        """Whether no fixed rule decides each row."""
        assert self.knowledge is not None
        return np.asarray(self.knowledge.fixed_codes(self.instances) < 0)

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
