"""Fill gaps with rules, each with the reason for its consequent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from irenic.arrays import Bools, Floats, Indices
from irenic.boxes import Boxes
from irenic.budget import Budget, Meter, StoppedBy
from irenic.errors import ConditionError, ConflictError
from irenic.mend._cases import LabeledCases
from irenic.mend._measure import Extent
from irenic.model.decision_table import DecisionTable, unordered
from irenic.model.literals import counted, display, show_point
from irenic.model.region import Region, whole_or
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet


@dataclass(frozen=True)
class Proposal:
    """A rule that fills a gap, or a gap that is left open, with the reason.

    Parameters
    ----------
    region : Region
        The gap.
    rule : Rule or None
        The rule that fills it; None if nothing suggests a consequent.
    why : str
        The reason for the consequent, or for leaving the gap open.
    share : float
        The share of the searched space that the gap takes; unbounded sides are weighted so that
        distant values count less.
    instances : int
        Number of instances in the gap.
    is_guess : bool
        Whether the consequent is a guess: that of a neighbor, or of the nearest instance, because
        no instance is in the gap and no default decides there.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, complete
    >>> print(complete(RuleSet([Rule({"age": (0, 30)}, then="low")])).proposals[0])
    IF age < 0 THEN low, like rule 1, which covers it if its condition on age is widened
    """

    region: Region
    rule: Rule | None
    why: str
    share: float
    instances: int
    is_guess: bool = False

    def __str__(self) -> str:
        return f"{self.rule or self.region}, {self.why}"


@dataclass(frozen=True, eq=False)
class Completion:
    """The result of :func:`complete`: rules without gaps, and the proposals that fill them.

    It can be unpacked: ``rules, proposals = complete(…)``.

    Parameters
    ----------
    rules : RuleSet
        The rules, with the new ones at the end.
    proposals : list of Proposal
        The gaps and the rules that fill them.
    is_complete : bool
        Whether no gaps remain.
    stopped_by : str or None
        The limit that stopped the search for gaps; None if it finished.
    table : DecisionTable, optional
        The rules as a table with the new rows at the end, if a table was given.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, complete
    >>> rules, proposals = complete(RuleSet([Rule({"age": (0, 30)}, then="low")]))
    >>> len(rules), len(proposals), rules.is_complete
    (3, 2, True)
    """

    rules: RuleSet
    proposals: list[Proposal]
    is_complete: bool
    stopped_by: StoppedBy | None
    table: DecisionTable | None = None

    @property
    def finished(self) -> bool:
        """Whether the search for gaps finished."""
        return self.stopped_by is None

    @property
    def added(self) -> list[Rule]:
        """The rules that were added."""
        return [proposal.rule for proposal in self.proposals if proposal.rule is not None]

    def __iter__(self) -> Iterator[Any]:
        return iter((self.rules, self.proposals))

    def __repr__(self) -> str:
        verdict = "no gaps remain" if self.is_complete else "gaps remain"
        if self.stopped_by:
            verdict += f" (stopped by {self.stopped_by})"
        shown = "".join(f"\n  {proposal}" for proposal in self.proposals[:20])
        more = f"\n  … and {len(self.proposals) - 20} more" if len(self.proposals) > 20 else ""
        return f"<Completion: {counted(len(self.added), 'rule')} added, {verdict}{shown}{more}>"


def complete(
    rules: RuleSet | DecisionTable,
    *,
    X: Any = None,
    y: Any = None,
    within: Region | None = None,
    limit: int | None = None,
    budget: Budget | float | None = None,
) -> Completion:
    """Fill the gaps between rules with new rules, each with the reason for its consequent.

    With data, a gap gets the most frequent label of the instances in it, or the label of the
    nearest instance. Without data, it gets the default, which decides there already. Without a
    default, it gets the consequent of the first of these rules that exists: a neighbor that covers
    the gap if one of its conditions is widened, the neighbor with the largest shared side, or the
    rule that is separated from the gap on the fewest features.

    Parameters
    ----------
    rules : RuleSet or DecisionTable
        Rules without contradictions; the new rules contradict none of them. Cases that a table
        declares impossible are not gaps.
    X : table, optional
        Instances; gaps with the most instances are filled first, then the largest gaps.
    y : sequence of hashable, optional
        The labels of the instances; required with ``X``.
    within : Region, optional
        Fill only gaps in this region (default: the whole space).
    limit : int, optional
        Maximum number of gaps to fill (default: unlimited).
    budget : Budget or float (seconds), optional
        Limits of the search for gaps (default: unlimited); the gaps found so far are filled.

    Returns
    -------
    Completion

    Raises
    ------
    ConflictError
        If the rules contradict each other.
    ConditionError
        If ``limit`` is not a non-negative integer.
    DataError
        If only one of ``X`` and ``y`` is given, or their lengths differ.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, complete
    >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low"),
    ...                  Rule({"age": (40, None)}, then="high")])
    >>> complete(rules)
    <Completion: 2 rules added, no gaps remain
      IF age < 0 THEN low, like rule 1, which covers it if its condition on age is widened
      IF 30 <= age < 40 THEN low, like rule 1, which covers it if its condition on age is widened>
    >>> complete(rules, X={"age": [38, 39]}, y=["high", "high"], limit=1).added
    [IF 30 <= age < 40 THEN high]
    """
    table = _consistent(rules)
    old = table.rules
    if limit is not None and (type(limit) is not int or limit < 0):
        raise ConditionError(f"limit must be a non-negative integer or None, got {limit!r}")
    data = _Examples.from_table(old.space, X, y)
    box = whole_or(within, old.space)
    meter = Meter(budget)
    proposals = [] if box.is_empty else _proposals(table, box.box.simplified(), data, meter)
    chosen = proposals if limit is None else proposals[:limit]
    new = RuleSet([*old, *(p.rule for p in chosen if p.rule)], old.space, default=old.default)
    # Only a bug in the library could make this fail.
    if old.is_consistent and not new.is_consistent:  # pragma: no cover
        raise AssertionError("the new rules contradict the old ones; please report this")
    all_filled = len(chosen) == len(proposals) and all(p.rule for p in proposals)
    result = Completion(new, chosen, meter.stopped_by is None and all_filled, meter.stopped_by)
    return replace(result, table=_extended(table, new)) if table is rules else result


def _extended(table: DecisionTable, rules: RuleSet) -> DecisionTable:
    """Return a table with further rules, one per row, at the end."""
    added = range(table.n_rows, table.n_rows + len(rules) - len(table.rules))
    rows = (*table.rows, *added)
    provenance = replace(table.provenance, lines=())
    n_rows = table.n_rows + len(added)
    return replace(table, rules=rules, rows=rows, n_rows=n_rows, provenance=provenance)


def _consistent(rules: RuleSet | DecisionTable) -> DecisionTable:
    """Return the rules as a table without contradictions."""
    table = unordered(rules)
    # If all rules that apply count, overlaps are intended.
    conflict = None if table.collects else table.first_conflict()
    if conflict is not None:
        raise ConflictError(
            f"the rules contradict each other: {table.say_conflict(conflict)}; repair them before"
            " filling gaps",
            [conflict],
        )
    return table


def _proposals(
    table: DecisionTable, box: Boxes, data: _Examples | None, meter: Meter
) -> list[Proposal]:
    boxes = table.rules.boxes
    gaps = box.subtract(boxes.concat(table.space.impossible_boxes), meter)
    shares = Extent(box, boxes.concat(gaps)).of(gaps)
    neighbors = _NearbyRules(table)
    has_labels = data is not None and bool(data.labels)
    proposals = []
    for gap, share in zip(gaps, shares.tolist(), strict=True):
        region = Region.from_box(gap)
        n_inside = 0 if data is None else int(region.contains(data.instances).sum())
        then, why = _consequent(table.rules, gap, region, data, neighbors)
        rule = None if then is None else Rule(region, then=then)
        known = bool(n_inside) or (table.rules.default is not None and not has_labels)
        proposals.append(
            Proposal(region, rule, why, share, n_inside, rule is not None and not known)
        )
    return sorted(proposals, key=lambda p: (-p.instances, -p.share))


def _consequent(
    rules: RuleSet, gap: Boxes, region: Region, data: _Examples | None, neighbors: _NearbyRules
) -> tuple[Hashable | None, str]:
    """Return the consequent for a gap, or None, and the reason."""
    if data is not None and len(data.labels):
        return data.consequent(gap, region)
    if rules.default is not None:
        return rules.default, "like the default"
    return neighbors.consequent(gap)


# --- from data


class _Examples(LabeledCases):
    """Labeled instances as reasons for consequents."""

    def consequent(self, gap: Boxes, region: Region) -> tuple[Hashable, str]:
        """Return the most frequent label in a gap, or the nearest one, and the reason."""
        inside = np.flatnonzero(region.contains(self.instances))
        if len(inside):
            counts = Counter(self.labels[i] for i in inside)
            then, count = counts.most_common(1)[0]
            return then, f"like {count} of the {counted(len(inside), 'instance')} in it"
        distances = self._distances(gap)
        nearest = np.flatnonzero(distances == distances.min())
        then = Counter(self.labels[i] for i in nearest).most_common(1)[0][0]
        first = next(int(i) for i in nearest if self.labels[i] == then)
        return then, f"like the nearest instance ({show_point(self.instances[first])})"

    def _distances(self, gap: Boxes) -> Floats:
        """Return the squared distance of each instance from a box.

        Continuous features are scaled, and a different category is at distance 1.
        """
        total = np.zeros(len(self.labels))
        for axis, values in enumerate(self.instances.values):
            low, high = gap.lower[0, axis], gap.upper[0, axis]
            distance = np.ones(len(values))  # a missing value is at distance 1 from any other
            known = np.isfinite(values)
            if high > np.finfo(np.float64).min:
                quarters = values[known] / 4
                beyond = np.maximum(np.maximum(low / 4 - quarters, quarters - high / 4), 0.0)
                with np.errstate(over="ignore"):  # distances are limited to 1e100 below
                    beyond = beyond / self.scale[axis]
                # A value on the exclusive upper bound is outside.
                beyond = np.where(values[known] == high, 1e-12, beyond)
                distance[known] = np.minimum(beyond, 1e100)
            distance[(low <= values) & (values < high)] = 0.0
            total += np.square(distance)
        for codes, part in zip(self.instances.codes, gap.space.sets, strict=True):
            words = gap.masks[0, part][codes >> 6]
            total += (words >> (codes & 63).astype(np.uint64) & np.uint64(1)) == 0
        return total


# --- from neighbors


class _NearbyRules:
    """The rules next to gaps."""

    def __init__(self, table: DecisionTable) -> None:
        self.boxes, self.thens, self.rows = table.rules.boxes, table.rules.thens, table.rows

    def consequent(self, gap: Boxes) -> tuple[Hashable | None, str]:
        """Return the consequent of the best neighbor (None without rules), and the reason."""
        if not self.thens:
            return None, "left open: there are no rules, no default and no data"
        touches, apart, axis = self._touching(gap)
        if not touches.any():  # possible if ``within`` cuts the gap off
            index = int(apart.sum(axis=1).argmin())
            why = "which is separated from it on the fewest features"
            return self.thens[index], f"like rule {self.rows[index] + 1}, {why}"
        sides = self._shared_sides(gap, apart)
        covers = touches & (sides.keys() == gap.keys()).all(axis=1)
        if covers.any():
            index = int(covers.argmax())
            why = f"which covers it if its condition on {self._name(int(axis[index]))} is widened"
        else:
            shares = Extent(gap, self.boxes.concat(gap)).of(sides)
            index = int(np.where(touches, shares, -1.0).argmax())
            why = "the neighbor with the largest shared side"
        return self.thens[index], f"like rule {self.rows[index] + 1}, {why}"

    def _name(self, axis: int) -> str:
        space = self.boxes.space
        return display(space.names[space.axes.tolist().index(axis)])

    def _touching(self, gap: Boxes) -> tuple[Bools, Bools, Indices]:
        """Return which rules touch a gap, which axes separate each from it, and the first axis."""
        boxes = self.boxes
        apart = ~boxes.meeting_by_axis(gap)
        adjacent = apart.copy()  # disjoint sets of categories count as adjacent
        d = gap.lower.shape[1]
        adjacent[:, :d] = (boxes.upper == gap.lower) | (boxes.lower == gap.upper)
        touches = (apart.sum(axis=1) == 1) & (adjacent & apart).any(axis=1)
        first = apart.argmax(axis=1) if apart.shape[1] else np.zeros(len(apart), dtype=np.intp)
        return touches, apart, first

    def _shared_sides(self, gap: Boxes, apart: Bools) -> Boxes:
        """Return the part of a gap that each rule would cover without the separating conditions."""
        boxes, d = self.boxes, gap.lower.shape[1]
        separated = apart[:, :d]
        lower = np.where(separated, gap.lower, np.maximum(boxes.lower, gap.lower))
        upper = np.where(separated, gap.upper, np.minimum(boxes.upper, gap.upper))
        masks = boxes.masks & gap.masks
        for j, words in enumerate(gap.space.sets):
            separated = apart[:, d + j, None]
            masks[:, words] = np.where(separated, gap.masks[:, words], masks[:, words])
        return boxes.like(lower, upper, masks)
