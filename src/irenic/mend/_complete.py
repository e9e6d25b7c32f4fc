"""Rules for the gaps: proposals, each with the reason for its outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from irenic.boxes import Boxes
from irenic.boxes.arrays import Bools, Floats
from irenic.budget import Budget, Meter, StoppedBy
from irenic.errors import ConditionError, ConflictError, DataError
from irenic.mend._measure import Share
from irenic.model.decision_table import DecisionTable, unordered
from irenic.model.literals import counted, display, show_point
from irenic.model.region import Region, whole_or
from irenic.model.rule import Rule, as_consequent
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances, Space, to_list


@dataclass(frozen=True)
class Proposal:
    """A rule for a gap, or a gap that is left open, with the reason.

    >>> from irenic import Rule, RuleSet
    >>> from irenic.mend import complete
    >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
    >>> print(complete(rules).proposals[0])
    IF age < 0 THEN low, like rule 1, which reaches it if its condition on age is widened
    """

    region: Region
    rule: Rule | None
    """None: no outcome could be told, and the gap stays open."""
    why: str
    share: float
    """The share of what was looked at that the gap takes; what is far out counts less."""
    instances: int
    """How many instances lie in the gap."""

    def __str__(self) -> str:
        return f"{self.rule or self.region}, {self.why}"


@dataclass(frozen=True, eq=False)
class Completion:
    """Rules with proposals for their gaps added, and the list of these proposals.

    ``rules, proposals = complete(…)`` takes it apart.

    >>> from irenic import Rule, RuleSet
    >>> from irenic.mend import complete
    >>> rules, proposals = complete(RuleSet([Rule({"age": (0, 30)}, then="low")]))
    >>> len(rules), len(proposals), rules.is_complete
    (3, 2, True)
    """

    rules: RuleSet
    proposals: list[Proposal]
    is_complete: bool
    """Whether no gap is left."""
    stopped_by: StoppedBy | None
    """What ended the search for gaps early, if anything did."""

    @property
    def finished(self) -> bool:
        """Whether the search for gaps ran to its end."""
        return self.stopped_by is None

    @property
    def added(self) -> list[Rule]:
        """The rules that were added."""
        return [proposal.rule for proposal in self.proposals if proposal.rule is not None]

    def __iter__(self) -> Iterator[Any]:
        return iter((self.rules, self.proposals))

    def __repr__(self) -> str:
        n = len(self.added)
        left = "no gap is left" if self.is_complete else "gaps are left"
        if self.stopped_by:
            left += f" (stopped by {self.stopped_by})"
        shown = "".join(f"\n  {proposal}" for proposal in self.proposals[:20])
        more = f"\n  … and {len(self.proposals) - 20} more" if len(self.proposals) > 20 else ""
        return f"<Completion: {n} rule{'' if n == 1 else 's'} added, {left}{shown}{more}>"


def complete(
    rules: RuleSet | DecisionTable,
    *,
    X: Any = None,
    y: Any = None,
    within: Region | None = None,
    max_rules: int | None = None,
    budget: Budget | float | None = None,
) -> Completion:
    """Return the rules with a rule for every gap, and a list of what was added and why.

    The outcome of a gap is what most instances in it have, else that of the nearest instance.
    Without data it is the default, which decides there already; else that of the neighbour that
    reaches the gap when one of its conditions is widened, the one with the largest common side
    first; else that of the neighbour with the largest common side; else of the rule that is
    apart from it on the fewest features.

    Parameters
    ----------
    rules : RuleSet or DecisionTable
        Without contradictions; what is added contradicts nothing. What a table says cannot occur
        is no gap.
    X, y : table and labels, optional
        Gaps with the most instances come first, then the largest.
    within : Region, optional
        Close only the gaps in this region.
    max_rules : int, optional
        Close no more than so many gaps.
    budget : Budget or float (seconds), optional
        For the search for gaps; those found by then are closed.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, complete
    >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low"),
    ...                  Rule({"age": (40, None)}, then="high")])
    >>> complete(rules)
    <Completion: 2 rules added, no gap is left
      IF age < 0 THEN low, like rule 1, which reaches it if its condition on age is widened
      IF 30 <= age < 40 THEN low, like rule 1, which reaches it if its condition on age is widened>
    >>> complete(rules, X={"age": [38, 39]}, y=["high", "high"], max_rules=1).added
    [IF 30 <= age < 40 THEN high]
    """
    given = _held(rules)
    held = given.rules
    if max_rules is not None and (type(max_rules) is not int or max_rules < 0):
        raise ConditionError(f"max_rules is a number of rules, at least 0, not {max_rules!r}")
    data = _Data.of(held.space, X, y)
    box = whole_or(within, held.space)
    meter = Meter(budget)
    found: list[Proposal] = []
    if not box.is_empty:
        found = _proposals(given, box.box.simplified(), data, meter)
    chosen = found if max_rules is None else found[:max_rules]
    done = RuleSet([*held, *(p.rule for p in chosen if p.rule)], held.space, default=held.default)
    # Of itself: it cannot fail unless there is a mistake in the library.
    if held.is_consistent and not done.is_consistent:  # pragma: no cover
        raise AssertionError("what was added contradicts the rules; please report this")
    closed = meter.stopped_by is None and len(chosen) == len(found) and all(p.rule for p in found)
    return Completion(done, chosen, closed, meter.stopped_by)


def _held(rules: RuleSet | DecisionTable) -> _Held:
    """Return the rules that are to be completed."""
    table = unordered(rules)
    held = table.rules.copy()
    outside = table.outside_boxes
    # where all rules that hold count, overlaps are intended, and a gap is a gap all the same
    conflict = None if table.collects else table.first_conflict()
    if conflict is not None:
        raise ConflictError(
            f"the rules contradict each other: {conflict}; repair them before gaps are closed",
            [conflict],
        )
    return _Held(held, outside, table.rows)


class _Held(NamedTuple):
    rules: RuleSet
    outside: Boxes
    """What cannot occur."""
    rows: tuple[int, ...]
    """The index of the row of each rule."""


def _proposals(given: _Held, box: Boxes, data: _Data | None, meter: Meter) -> list[Proposal]:
    rules, outside, rows = given
    boxes = rules.boxes
    gaps = box.subtract(boxes.concat(outside), meter)
    shares = Share(box, boxes.concat(gaps)).of(gaps)
    neighbours = _Neighbours(rules, boxes, rows)
    found = []
    for gap, share in zip(gaps, shares.tolist(), strict=True):
        region = Region.from_box(gap)
        inside = 0 if data is None else int(region.contains(data.instances).sum())
        then, why = _outcome(rules, gap, region, data, neighbours)
        rule = None if then is None else Rule(region, then=then)
        found.append(Proposal(region, rule, why, share, inside))
    return sorted(found, key=lambda p: (-p.instances, -p.share))


def _outcome(
    rules: RuleSet, gap: Boxes, region: Region, data: _Data | None, neighbours: _Neighbours
) -> tuple[Hashable | None, str]:
    """Return what to predict in a gap, and why; None if nothing tells."""
    if data is not None and len(data.labels):
        return data.outcome(gap, region)
    if rules.default is not None:
        return rules.default, "as the default says"
    return neighbours.outcome(gap)


# --- from data


class _Data(NamedTuple):
    """Labelled instances."""

    instances: Instances
    labels: list[Hashable]
    scale: Floats
    """A quarter of the range of each continuous feature, which counts as a distance of 1."""

    @classmethod
    def of(cls, space: Space, X: Any, y: Any) -> _Data | None:
        if X is None and y is None:
            return None
        if X is None or y is None:
            raise DataError("X and y go together: instances and their labels")
        instances = space.encode(X)
        labels = [as_consequent(label) for label in to_list(y)]
        if len(labels) != len(instances):
            raise DataError(f"{len(instances)} instances, but {len(labels)} labels")
        scale = np.ones(len(space.continuous))
        for row, values in enumerate(instances.values):
            known = values[np.isfinite(values)]
            if len(known):
                # quarters, here and below: twice the greatest number is no number
                scale[row] = known.max() / 4 - known.min() / 4 or 1.0
        return cls(instances, labels, scale)

    def outcome(self, gap: Boxes, region: Region) -> tuple[Hashable, str]:
        """Return the label of most instances in a gap, else of the nearest, and why."""
        inside = np.flatnonzero(region.contains(self.instances))
        if len(inside):
            counts = Counter(self.labels[i] for i in inside)
            then, most = counts.most_common(1)[0]
            return then, f"as {most} of the {counted(len(inside), 'instance')} in it"
        distances = self._distances(gap)
        nearest = np.flatnonzero(distances == distances.min())
        then = Counter(self.labels[i] for i in nearest).most_common(1)[0][0]
        first = next(int(i) for i in nearest if self.labels[i] == then)
        return then, f"as the nearest instance ({show_point(self.instances[first])})"

    def _distances(self, gap: Boxes) -> Floats:
        """Return how far each instance is from a box: ranges of features, and 1 a category."""
        total = np.zeros(len(self.labels))
        for axis, values in enumerate(self.instances.values):
            low, high = gap.lower[0, axis], gap.upper[0, axis]
            apart = np.ones(len(values))  # a missing value is 1 from any other
            known = np.isfinite(values)
            if high > np.finfo(np.float64).min:
                quarters = values[known] / 4
                far = np.maximum(np.maximum(low / 4 - quarters, quarters - high / 4), 0.0)
                with np.errstate(over="ignore"):  # beyond 1e100 all are equally far
                    far = far / self.scale[axis]
                # a value on an exclusive bound is outside all the same
                far = np.where(values[known] == high, 1e-12, far)
                apart[known] = np.minimum(far, 1e100)
            apart[(low <= values) & (values < high)] = 0.0
            total += np.square(apart)
        for codes, part in zip(self.instances.codes, gap.space.sets, strict=True):
            words = gap.masks[0, part][codes >> 6]
            total += (words >> (codes & 63).astype(np.uint64) & np.uint64(1)) == 0
        return total


# --- from neighbours


class _Neighbours:
    """Rules that lie beside a gap."""

    def __init__(self, rules: RuleSet, boxes: Boxes, rows: tuple[int, ...]) -> None:
        self.boxes, self.thens, self.rows = boxes, rules.thens, rows

    def outcome(self, gap: Boxes) -> tuple[Hashable | None, str]:
        """Return the consequent of the neighbour to stretch, and why; None if there is none."""
        if not self.thens:
            return None, "left open: there is no rule, no default and no data"
        beside, on, axis = self._beside(gap)
        if not beside.any():  # it may end where ``within`` does
            place = int(on.sum(axis=1).argmin())
            number = self.rows[place] + 1
            text = f"like rule {number}, which is apart from it on the fewest features"
            return self.thens[place], text
        sides = self._common_sides(gap, on)
        reaches = beside & (sides.keys() == gap.keys()).all(axis=1)
        if reaches.any():
            place = int(reaches.argmax())
            name = self._name(int(axis[place]))
            number = self.rows[place] + 1
            text = f"like rule {number}, which reaches it if its condition on {name} is widened"
            return self.thens[place], text
        share = Share(gap, self.boxes.concat(gap)).of(sides)
        place = int(np.where(beside, share, -1.0).argmax())
        text = f"like rule {self.rows[place] + 1}, the neighbour with the largest common side"
        return self.thens[place], text

    def _name(self, axis: int) -> str:
        space = self.boxes.space
        return display(space.names[space.axes.tolist().index(axis)])

    def _beside(self, gap: Boxes) -> tuple[Bools, Bools, npt.NDArray[np.intp]]:
        """Return which rules touch a gap, which axes they are apart on, and the first of these."""
        boxes = self.boxes
        apart = ~boxes.meeting_by_axis(gap)
        touch = apart.copy()  # sets without a common value lie side by side
        d = gap.lower.shape[1]
        touch[:, :d] = (boxes.upper == gap.lower) | (boxes.lower == gap.upper)
        found = (apart.sum(axis=1) == 1) & (touch & apart).any(axis=1)
        first = apart.argmax(axis=1) if apart.shape[1] else np.zeros(len(apart), dtype=np.intp)
        return found, apart, first

    def _common_sides(self, gap: Boxes, apart: Bools) -> Boxes:
        """Return what each rule would cover of a gap if it were not apart from it."""
        boxes, d = self.boxes, gap.lower.shape[1]
        on = apart[:, :d]
        lower = np.where(on, gap.lower, np.maximum(boxes.lower, gap.lower))
        upper = np.where(on, gap.upper, np.minimum(boxes.upper, gap.upper))
        masks = boxes.masks & gap.masks
        for j, words in enumerate(gap.space.sets):
            on = apart[:, d + j, None]
            masks[:, words] = np.where(on, gap.masks[:, words], masks[:, words])
        return boxes.like(lower, upper, masks)
