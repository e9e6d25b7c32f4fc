"""From candidates over cells to rule sets over the space, with their statistics."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from irenic.arrays import Floats
from irenic.learn._cells import ROW_LIMIT, Cells
from irenic.learn._columns import ColumnSums
from irenic.learn._completing import completed, with_missing
from irenic.learn._counting import Counting, Sums, codes_of, total_of_each
from irenic.learn._evolution import Candidate, covering, worths
from irenic.learn._knowledge import BoundKnowledge
from irenic.learn._left_out import Judge, Priors, Seen, leading, led, raised_from
from irenic.learn._measure import Measure
from irenic.learn._probabilities import Division, settle
from irenic.learn._rows import Rows
from irenic.learn._running import Evolved
from irenic.learn._tasks import best_consequent
from irenic.learn.front import Front, FrontPoint, ProbabilityTable, front_of
from irenic.learn.target import Consequents
from irenic.model.ruleset import RuleSet


class Draft(NamedTuple):
    """A candidate as a rule set that has not been counted yet."""

    evolved: Evolved
    rules: RuleSet
    consequents: Consequents
    threshold: float | None
    filled: Hashable | None
    """What added rules predict where the candidate predicts nothing, if rules were added."""


@dataclass(frozen=True, eq=False)
class Training(Measure):
    """All training rows, including those that evolution did not use, for statistics."""

    _: KW_ONLY
    cells: Cells
    encoded: npt.NDArray[np.uint8]
    knowledge: BoundKnowledge | None = None
    division: Division | None = None
    """Regions of probability."""
    whole: Rows | None = None
    """All rows, if only a sample of them is in memory."""
    leads: bool = True
    """Whether the predicted label has the highest probability."""

    def _totals(self, counting: Counting) -> list[Sums]:
        if self.whole is None:
            return super()._totals(counting)
        return total_of_each(self.whole.run(counting, counting.names))

    @cached_property
    def _column_sums(self) -> ColumnSums:
        if self.whole is None:
            return ColumnSums.of(self.instances)
        return self.whole.figures.columns

    def front(self, evolved: Sequence[Evolved], *, complete: bool) -> tuple[Front, bool]:
        """Return the front of candidates as rule sets with their scores and statistics.

        If ``complete``, rules are added that fill all gaps, and rule sets with too many are left
        out. Also return whether only rule sets without conditions remain because of that.
        """
        drafts = [draft for one in evolved for draft in self._drafts(one)]
        front, unfilled = self._front(drafts), False
        if complete:
            of = {id(draft.evolved.candidate): draft.evolved for draft in drafts}
            kept = [of[id(point.candidate)] for point in front]
            learned = any(point.n_conditions for point in front)
            front = self._front([d for one in kept for d in self._drafts(one, complete=True)])
            unfilled = learned and not any(point.n_conditions for point in front)
        return Front(map(self.with_columns, front)), unfilled

    def _front(self, drafts: Sequence[Draft]) -> Front:
        """Return the front of rule sets, all of which are counted in one pass."""
        rule_sets = [draft.rules for draft in drafts]
        reasons = self._reasons_of_each(rule_sets)
        counting = self._counting(
            rule_sets, [draft.consequents for draft in drafts], self._regions, reasons
        )
        totals = self._totals(counting)
        each = zip(drafts, totals, reasons, strict=True)
        points = [self._point(*one) for one in each]
        return front_of(points, [sums.decided_share for sums in totals])

    def _reasons_of_each(self, rule_sets: Sequence[RuleSet]) -> list[RuleSet | None]:
        """Return the regions that only the default of each rule set decides; many are equal."""
        known: dict[Any, RuleSet | None] = {}
        reasons = []
        for rules in rule_sets:
            boxes = rules.packed.boxes
            bounds = [part.tobytes() for part in (boxes.lower, boxes.upper, boxes.masks)]
            key = (rules.default, *rules.thens, *bounds)
            if key not in known:
                known[key] = self._reasons(rules)
            reasons.append(known[key])
        return reasons

    def _point(self, draft: Draft, sums: Sums, reasons: RuleSet | None) -> FrontPoint:
        evolved = draft.evolved
        point = replace(self, consequents=draft.consequents).point(
            draft.rules,
            validated=evolved.validated,
            penalty=evolved.penalty,
            candidate=evolved.candidate,
            member=evolved.member,
            priors=evolved.priors,
            n_kept=0 if self.knowledge is None else self.knowledge.n_kept,
            columns=False,  # most points are not on the front
            sums=sums,
            reasons=reasons,
        )
        probabilities = self._probabilities(evolved, sums, draft.filled)
        return replace(point, probabilities=probabilities, threshold=draft.threshold)

    def _drafts(self, evolved: Evolved, *, complete: bool = False) -> list[Draft]:
        """Return a candidate as a rule set, in a list that is empty if it cannot be completed."""
        candidate, consequents, threshold = evolved.candidate, self.consequents, None
        if self.target.probabilities:
            candidate, consequents, threshold = settle(
                candidate, consequents, self.encoded, self.target, self.weight, self.conflicts
            )
        settled = self if threshold is None else replace(self, consequents=consequents)
        candidate = candidate.take(self._used(candidate))
        values = consequents.values()
        default = values[candidate.default]
        rules = self.cells.rule_set(
            candidate.masks,
            [values[code] for code in candidate.then],
            weights=settled._weights(candidate),
            default=default,
        )
        if self.conflicts == "avoid":
            rules = rules.simplified()
        if self.knowledge is not None:
            rules = self.knowledge.joined(rules)
        elif complete:
            rules = with_missing(rules, self.cells.complete)
        if complete:
            whole = completed(rules, settled._filling(default), self.instances, self.weight)
            if whole is None:
                return []
            rules = whole
        if self.knowledge is not None and self.knowledge.objection(rules):
            return []
        filled = settled._filling(default) if complete and default is None else None
        return [Draft(evolved, rules, consequents, threshold, filled)]

    def _used(self, candidate: Candidate) -> npt.NDArray[np.intp]:
        """Return the rules of a candidate that cover a row."""
        used = np.zeros(len(candidate), dtype=bool)
        # most rules cover one of the first rows
        for rows in (slice(0, ROW_LIMIT), slice(ROW_LIMIT, None)):
            left = np.flatnonzero(~used)
            covers = covering(candidate.masks[left], self.encoded[:, rows])
            if self.knowledge is not None:
                covers &= self._free[rows] | bool(self.knowledge.signs)
            used[left] = covers.any(axis=1)
        return np.flatnonzero(used)

    def judged(self, front: Front, scoring: Any) -> Front:
        """Return a front whose training scores are by a ``scoring`` with probabilities."""
        truth = self.target.truth.argmax(axis=1)
        judge = Judge.of(scoring, self.target.labels, truth, self.weight)
        points = []
        for point in front:
            rules, table = point.rule_set, point.probabilities
            codes = codes_of(rules, self.consequents)[self._decided(rules)]
            if table is None:
                likely = point.counts.frequencies
                if self.leads:
                    likely = leading(likely, codes_of(rules, self.consequents))
                likely = likely[self._decided(rules)]
            else:
                likely = table.probabilities[codes, table.places(self.instances)]
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

    def _probabilities(
        self, evolved: Evolved, sums: Sums, filled: Hashable | None = None
    ) -> ProbabilityTable | None:
        """Return how likely each label is, given the prediction of a rule set and the region.

        ``filled`` is what added rules predict where those of the candidate predict nothing.
        """
        if self.division is None or self._regions is None:
            return None
        values = self.consequents.values()
        opinions = self.division.seen(evolved.candidate, self.conflicts, len(values)).opinions
        if filled is not None:
            opinions[values.index(filled)] += opinions[-1]
            opinions[-1] = 0.0
        overall = sums.labels / sums.row_weight
        rows = (evolved.priors or Priors(1.0, 1.0)).opinion
        estimates = Seen(sums.regions, opinions).probabilities(rows, overall)
        likely = led(estimates) if self.leads else estimates
        counts = sums.region_rows.copy()
        counts[:, -1] = counts.sum(axis=1)
        labels = tuple(self.target.labels.tolist())
        before = raised_from(estimates, likely)
        return ProbabilityTable(labels, self._regions, counts, likely, before)

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
        code = best_consequent(self.consequents, self.target.truth, self.weight)
        return self.consequents.values()[code]
