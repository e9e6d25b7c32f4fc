"""The points of a front: rule sets over the space made from candidates, tallied, and measured."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from irenic.arrays import Bools, Floats, Indices
from irenic.learn._columns import column_figures
from irenic.learn._completing import completed, with_missing
from irenic.learn._knowledge import BoundKnowledge
from irenic.learn.cells import ROW_LIMIT
from irenic.learn.default_regions import reason_rules
from irenic.learn.evolution import Candidate, covering, worths
from irenic.learn.front import (
    DefaultRegions,
    Front,
    FrontPoint,
    ProbabilityTable,
    RuleCounts,
    front_of,
)
from irenic.learn.probabilities import Division, Seen, leading, led, raised_from, with_probabilities
from irenic.learn.run import best_consequent
from irenic.learn.sample import InCells, Sample
from irenic.learn.tally import (
    Counting,
    Priors,
    Tally,
    Uncounted,
    by_own_frequencies,
    consequent_codes,
    resolve_by,
)
from irenic.learn.target import Consequents
from irenic.learn.validation import Judge
from irenic.model.ruleset import RuleSet

# Rows that the probabilities of a model count for when other rows are counted.
_PRIOR = 1.0


def points_of(
    drafts: Sequence[Uncounted], sample: Sample, counting: Counting, *, ordered: bool = True
) -> list[FrontPoint]:
    """Return rule sets with their statistics, all of which are counted in one pass.

    The order of the rules stays as it is unless ``ordered``.
    """
    drafts, points = with_reasons(drafts, sample), []
    for draft, tally in zip(drafts, counting.on(sample, drafts), strict=True):
        if ordered:
            draft, tally = in_order(draft, tally, sample, counting)
        points.append(with_columns(point_of(draft, tally), sample, counting.conflicts))
    return points


def point_of(draft: Uncounted, tally: Tally) -> FrontPoint:
    """Return a rule set with its statistics, without the figures of columns."""
    rules, n_kept = draft.rules, draft.n_kept
    added = (draft.priors or Priors(1.0, 1.0)).each(len(rules))
    added[:n_kept] = 1.0  # they were not chosen for these rows
    frequencies = tally.frequencies(rules, draft.consequents, added)
    share, intervals, trained = tally.confidences(None if draft.priors is None else added)
    return FrontPoint(
        rule_set=rules,
        training_score=tally.score(draft.consequents, frequencies),
        validated_score=draft.validated,
        n_rules=len(rules),
        n_conditions=rules.n_conditions,
        explanation_size=float(tally.support[:-1] @ rules.conditions_per_rule() / tally.rows),
        penalty=draft.penalty,
        counts=RuleCounts(
            tally.mix, tally.support, share, intervals, trained, tally.overall, frequencies
        ),
        candidate=draft.candidate,
        member=draft.member,
        threshold=draft.threshold,
        n_kept=n_kept,
        n_rows=round(tally.rows),
        coverage=tally.covered / tally.rows,
        default_regions=_default_regions(draft, tally),
    )


def _default_regions(draft: Uncounted, tally: Tally) -> DefaultRegions | None:
    """Return the statistics of regions that only the default decides, the shortest first."""
    if draft.reasons is None:
        return None
    sizes, priors = draft.reasons.conditions_per_rule(), draft.priors
    order = np.lexsort((-tally.reasons[:, 0], sizes))
    added = None
    if priors is not None:
        added = np.where(sizes[order] > 0, priors.rule, priors.default)
    share, intervals, trained = tally.reason_confidences(order, added)
    return DefaultRegions(draft.reasons[order], tally.reasons[order, 0], share, intervals, trained)


def with_reasons(drafts: Sequence[Uncounted], sample: Sample) -> list[Uncounted]:
    """Return drafts with the regions that only their default decides; many are equal."""
    known: dict[Any, RuleSet | None] = {}
    for draft in drafts:
        if (key := _key(draft.rules)) not in known:
            is_partial = bool(draft.consequents.heads)
            known[key] = None if is_partial else reason_rules(draft.rules, sample.instances)
    return [replace(draft, reasons=known[_key(draft.rules)]) for draft in drafts]


def _key(rules: RuleSet) -> Any:
    boxes = rules.packed.boxes
    bounds = (part.tobytes() for part in (boxes.lower, boxes.upper, boxes.masks))
    return (rules.default, *rules.thens, *bounds)


def in_order(
    draft: Uncounted, tally: Tally, sample: Sample, counting: Counting
) -> tuple[Uncounted, Tally]:
    """Return a draft and its tally with the rules in the order in which to show them.

    By consequent, then by weight of covered rows; if the best rule decides, the best rule comes
    first. Rules of the user stay the first ones.
    """
    rules = draft.rules
    if counting.conflicts == "best":
        order = np.lexsort((rules.then_codes, -rules.weights))
    else:
        then = consequent_codes(rules, draft.consequents)[:-1]
        order = np.lexsort((-tally.own_weight[:-1], then))
    order = np.append(np.arange(draft.n_kept), order[order >= draft.n_kept])
    draft, tally = replace(draft, rules=rules[order]), tally.take(order)
    if counting.conflicts != "avoid" or by_own_frequencies(sample.target):
        # the order decides which rule does where several apply
        again = replace(counting, regions=None).on(sample, [draft])[0]
        tally = replace(again, regions=tally.regions, region_rows=tally.region_rows)
    return draft, tally


def with_columns(point: FrontPoint, sample: Sample, conflicts: str) -> FrontPoint:
    """Return a point with the figures of the columns that its rules test."""
    figures = column_figures(
        point.rule_set,
        sample.instances,
        sample.weight,
        resolve_by(conflicts),
        sample.tally.columns,
    )
    return replace(point, columns=figures)


# --- from candidates


@dataclass(frozen=True, eq=False)
class Drafter:
    """Makes rule sets over the space from candidates over cells."""

    sample: Sample
    encoded: InCells
    """The rows of the sample in the cells of the candidates."""
    consequents: Consequents
    conflicts: str
    knowledge: BoundKnowledge | None = None

    def drafts(self, evolved: Candidate, *, complete: bool = False) -> list[Uncounted]:
        """Return a candidate as a rule set, in a list that is empty if it cannot be completed."""
        candidate, consequents, threshold = evolved, self.consequents, None
        sample, cells = self.sample, self.encoded.cells
        if sample.target.probabilities:
            candidate, consequents, threshold = with_probabilities(
                candidate,
                consequents,
                self.encoded.encoded,
                sample.target,
                sample.weight,
                self.conflicts,
            )
        candidate = candidate.take(self._used(candidate))
        values = consequents.values()
        default = values[candidate.default]
        rules = cells.rule_set(
            candidate.masks,
            [values[code] for code in candidate.then],
            weights=self._weights(candidate, consequents),
            default=default,
        )
        if self.conflicts == "avoid":
            rules = rules.simplified()
        if self.knowledge is not None:
            rules = self.knowledge.joined(rules)
        elif complete:
            rules = with_missing(rules, cells.complete)
        filled = None
        if complete:
            filling = default
            if default is None:
                code = best_consequent(consequents, sample.target.truth, sample.weight)
                filling = filled = consequents.values()[code]
            whole = completed(rules, filling, sample.instances, sample.weight)
            if whole is None:
                return []
            rules = whole
        if self.knowledge is not None and self.knowledge.objection(rules):
            return []
        draft = Uncounted(
            rules,
            consequents,
            n_kept=0 if self.knowledge is None else self.knowledge.n_kept,
            candidate=evolved,
            member=evolved.member,
            penalty=evolved.penalty,
            validated=evolved.validated,
            priors=evolved.priors,
            threshold=threshold,
            filled=filled,
        )
        return [draft]

    def _used(self, candidate: Candidate) -> Indices:
        """Return the rules of a candidate that cover a row."""
        used = np.zeros(len(candidate), dtype=bool)
        # most rules cover one of the first rows
        for rows in (slice(0, ROW_LIMIT), slice(ROW_LIMIT, None)):
            left = np.flatnonzero(~used)
            covers = covering(candidate.masks[left], self.encoded.encoded[:, rows])
            if self.knowledge is not None:
                covers &= self._free[rows] | bool(self.knowledge.signs)
            used[left] = covers.any(axis=1)
        return np.flatnonzero(used)

    @cached_property
    def _free(self) -> Bools:
        """Whether no fixed rule decides each row."""
        assert self.knowledge is not None
        return np.asarray(self.knowledge.fixed_codes(self.sample.instances) < 0)

    def _weights(self, candidate: Candidate, consequents: Consequents) -> Floats | None:
        """Return the quality of each rule as its weight, if the best rule decides."""
        if self.conflicts != "best":
            return None
        covers = covering(candidate.masks, self.encoded.encoded)
        gains = consequents.gains(self.sample.target.truth)
        return worths(candidate, covers, gains * self.sample.weight[:, None])


@dataclass(frozen=True, eq=False)
class FrontMaker:
    """Makes the front of candidates."""

    drafter: Drafter
    balance: Floats | None = None
    """Factor of each label in the training score; None if all count alike."""
    division: Division | None = None
    """Regions of probability."""
    leads: bool = True
    """Whether the predicted label has the highest probability."""

    def front(self, candidates: Sequence[Candidate], *, complete: bool) -> tuple[Front, bool]:
        """Return the front of candidates as rule sets with their scores and statistics.

        If ``complete``, rules are added that fill all gaps, and rule sets with too many are left
        out. Also return whether only rule sets without conditions remain because of that.
        """
        drafter = self.drafter
        drafts = [draft for one in candidates for draft in drafter.drafts(one)]
        front, unfilled = self._front(drafts), False
        if complete:
            kept = [point.candidate for point in front if point.candidate is not None]
            learned = any(point.n_conditions for point in front)
            front = self._front([d for one in kept for d in drafter.drafts(one, complete=True)])
            unfilled = learned and not any(point.n_conditions for point in front)
        sample, conflicts = drafter.sample, drafter.conflicts
        return Front(with_columns(point, sample, conflicts) for point in front), unfilled

    def _front(self, drafts: Sequence[Uncounted]) -> Front:
        """Return the front of rule sets, all of which are counted in one pass."""
        sample = self.drafter.sample
        counting = Counting(self.drafter.conflicts, self.balance, self._regions)
        drafts = with_reasons(drafts, sample)
        tallies = counting.on(sample, drafts)
        points = []
        for draft, tally in zip(drafts, tallies, strict=True):
            draft, tally = in_order(draft, tally, sample, counting)
            point = point_of(draft, tally)
            points.append(replace(point, probabilities=self._probabilities(draft, tally)))
        return front_of(points, [tally.decided_share for tally in tallies])

    @cached_property
    def _regions(self) -> RuleSet | None:
        """The regions of probability as rules, None if there is only one."""
        if self.division is None or len(self.division.masks) < 2:
            return None
        n_regions = len(self.division.masks)
        return self.drafter.encoded.cells.rule_set(self.division.masks, range(n_regions))

    def _probabilities(self, draft: Uncounted, tally: Tally) -> ProbabilityTable | None:
        """Return how likely each label is, given the prediction of a rule set and the region."""
        if self.division is None or self._regions is None:
            return None
        assert draft.candidate is not None
        values = self.drafter.consequents.values()
        conflicts = self.drafter.conflicts
        opinions = self.division.seen(draft.candidate, conflicts, len(values)).opinions
        if draft.filled is not None:
            opinions[values.index(draft.filled)] += opinions[-1]
            opinions[-1] = 0.0
        rows = (draft.priors or Priors(1.0, 1.0)).opinion
        estimates = Seen(tally.regions, opinions).probabilities(rows, tally.overall)
        labels = tuple(self.drafter.sample.target.labels.tolist())
        return probability_table(labels, self._regions, tally, estimates, leads=self.leads)

    def judged(self, front: Front, scoring: Any) -> Front:
        """Return a front whose training scores are by a ``scoring`` with probabilities."""
        sample, consequents = self.drafter.sample, self.drafter.consequents
        truth = sample.target.truth.argmax(axis=1)
        judge = Judge.of(scoring, sample.target.labels, truth, sample.weight)
        points = []
        for point in front:
            rules, table = point.rule_set, point.probabilities
            own = consequent_codes(rules, consequents)
            by = rules.decide(sample.instances, resolve=resolve_by(self.drafter.conflicts))
            if table is None:
                likely = point.counts.frequencies
                likely = (leading(likely, own) if self.leads else likely)[by]
            else:
                likely = table.probabilities[own[by], table.places(sample.instances)]
            if judge is None:
                logs = np.log(likely[np.arange(len(truth)), truth])
                score = float(np.average(logs, weights=sample.weight))
            else:
                score = judge.score(likely, own[by], np.ones(len(by), dtype=np.intp))
            points.append(replace(point, training_score=score))
        return Front(points)


def probability_table(
    labels: Sequence[Hashable],
    regions: RuleSet,
    tally: Tally,
    estimates: Floats,
    *,
    leads: bool,
) -> ProbabilityTable:
    """Return a table of estimated probabilities; if ``leads``, predictions have the highest."""
    likely = led(estimates) if leads else estimates
    rows = tally.region_rows.copy()
    rows[:, -1] = rows.sum(axis=1)
    return ProbabilityTable(tuple(labels), regions, rows, likely, raised_from(estimates, likely))


# --- with the rows of others


def recounted_front(
    front: Front, sample: Sample, consequents: Consequents, counting: Counting, *, leads: bool
) -> Front:
    """Return a front with the statistics of other rows; its rules stay as they are."""
    drafts = [
        Uncounted(
            point.rule_set,
            consequents,
            reasons=None if point.default_regions is None else point.default_regions.rules,
            n_kept=point.n_kept,
            candidate=point.candidate,
            member=point.member,
            penalty=point.penalty,
            validated=point.validated_score,
            threshold=point.threshold,
        )
        for point in front
    ]
    points = []
    for old, draft, tally in zip(front, drafts, counting.on(sample, drafts), strict=True):
        table = old.probabilities
        if table is not None:
            # the probabilities of the model count for one row
            labels = tally.regions.copy()
            labels[:, -1] = labels.sum(axis=1)
            estimates = labels + _PRIOR * table.probabilities
            estimates /= estimates.sum(axis=2, keepdims=True)
            table = probability_table(table.labels, table.regions, tally, estimates, leads=leads)
        point = point_of(draft, tally)
        points.append(replace(point, columns=old.columns, probabilities=table))
    return Front(points, chosen=points[front.index(front.chosen)] if front.chosen else None)
