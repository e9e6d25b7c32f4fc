"""Where two rule sets decide differently: what a change of a policy really changes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from irenic.boxes import Boxes
from irenic.budget import Budget, Meter, StoppedBy
from irenic.errors import ConditionError, ConflictError
from irenic.mend._spaces import common_space, moved
from irenic.model.decision_table import DecisionTable
from irenic.model.literals import counted, display, show_point
from irenic.model.region import Region, whole_or
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet
from irenic.model.space import Space

Rules: TypeAlias = RuleSet | RuleList | DecisionTable


@dataclass(frozen=True)
class Difference:
    """A region in which two rule sets decide differently.

    >>> from irenic import Rule, RuleSet
    >>> from irenic.mend import diff
    >>> old = RuleSet([Rule({"age": (None, 18)}, then="free")], default="pays")
    >>> new = RuleSet([Rule({"age": (None, 16)}, then="free")], default="pays")
    >>> print(diff(old, new)[0])
    where 16 <= age < 18: free (rule 1) becomes pays (by default), for example at age = 17
    """

    region: Region
    before: Hashable | None
    """What the first decides; None for nothing."""
    after: Hashable | None
    rules_before: tuple[int, ...]
    """The indices of the rules that decide so; none where it is the default, or nothing."""
    rules_after: tuple[int, ...]

    @cached_property
    def witness(self) -> dict[str, Any]:
        """A readable point of the region."""
        return self.region.witness()

    @property
    def text(self) -> str:
        """The difference in words."""
        asked = self.region.conditions()
        point = {name: value for name, value in self.witness.items() if name in asked}
        example = f", for example at {show_point(point)}" if point else ""
        before, after = _said(self.before, self.rules_before), _said(self.after, self.rules_after)
        return f"where {self.region}: {before} becomes {after}{example}"

    def __str__(self) -> str:
        return self.text


def _said(then: Hashable | None, rules: tuple[int, ...]) -> str:
    if then is None:
        return "nothing"
    if not rules:
        return f"{display(then)} (by default)"
    some = ", ".join(str(rule + 1) for rule in rules[:5]) + (", …" if len(rules) > 5 else "")
    return f"{display(then)} (rule{'s' if len(rules) > 1 else ''} {some})"


class Differences(Sequence[Difference]):
    """The disjoint regions in which two rule sets decide differently, and whether these are all.

    >>> from irenic import Rule, RuleSet
    >>> from irenic.mend import diff
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="free")])
    >>> found = diff(rules, rules)
    >>> len(found), found.finished, found.same
    (0, True, True)
    """

    def __init__(
        self, found: list[Difference], finished: bool, stopped_by: StoppedBy | None
    ) -> None:
        self._found = found
        self.finished = finished
        """Whether the regions hold everything that is decided differently."""
        self.stopped_by = stopped_by
        """What ended the search early, if anything did."""

    @property
    def same(self) -> bool | None:
        """Whether both decide the same everywhere; None if the search ended before that."""
        if self._found:
            return False
        return True if self.finished else None

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, i: int) -> Difference: ...
    @overload
    def __getitem__(self, i: slice) -> list[Difference]: ...
    def __getitem__(self, i: int | slice) -> Difference | list[Difference]:
        return self._found[i]

    def __repr__(self) -> str:
        known = "" if self.finished else f", and perhaps more (stopped by {self.stopped_by})"
        n = counted(len(self), "region")
        verdict = "no difference" if self.same else f"{n} decided differently{known}"
        shown = "".join(f"\n  {difference}" for difference in self[:20])
        more = f"\n  … and {len(self) - 20} more" if len(self) > 20 else ""
        return f"<Differences: {verdict}{shown}{more}>"


def diff(
    a: Rules,
    b: Rules,
    *,
    within: Region | None = None,
    budget: Budget | float | None = None,
) -> Differences:
    """Return the regions in which two rule sets decide differently, with a witness for each.

    Parameters
    ----------
    a, b : RuleSet, RuleList or DecisionTable
        Before and after. Sets must not contradict themselves. Their spaces may differ: features
        are matched by name, each as wide as either space has it; rules do not ask about a
        feature that their own space does not know.
    within : Region, optional
        Look only in this region.
    budget : Budget or float (seconds), optional
        When it is used up, what was found is returned, with ``finished=False``.

    Returns
    -------
    Differences
        Disjoint regions which together are exactly where the decisions differ. Defaults count as
        decisions, and so does deciding nothing.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, diff
    >>> old = RuleSet([Rule({"age": (0, 30)}, then="low"),
    ...                Rule({"age": (30, 60)}, then="high")])
    >>> new = RuleSet([Rule({"age": (0, 35)}, then="low"),
    ...                Rule({"age": (35, 65)}, then="high")])
    >>> diff(old, new)
    <Differences: 2 regions decided differently
      where 30 <= age < 35: high (rule 2) becomes low (rule 1), for example at age = 30
      where 60 <= age < 65: nothing becomes high (rule 2), for example at age = 60>
    """
    first, second = _ruled(a, "first"), _ruled(b, "second")
    space = common_space(first.rules, second.rules)
    box = whole_or(within, space)
    meter = Meter(budget)
    if box.is_empty:
        return Differences([], True, None)
    sides = [_Side(ruled, box.box.simplified(), meter) for ruled in (first, second)]
    found = _differences(sides[0], sides[1], _never(a, b, space))
    stopped = next((side.stopped_by for side in sides if side.stopped_by), None)
    return Differences(found, stopped is None, stopped)


class _Ruled(NamedTuple):
    rules: RuleSet
    """In the order in which they decide."""
    rows: list[int]
    """How people call the rules: counted from 1 in what was given."""
    is_ordered: bool


def _ruled(given: Rules, which: str) -> _Ruled:
    table = DecisionTable.of(given)
    if table.collects:
        raise ConditionError(
            f"the {which} is under {table.hit_policy}: all rules that hold count, and diff"
            " compares what one of them decides"
        )
    if not table.is_ordered and (conflict := table.first_conflict()) is not None:
        raise ConflictError(
            f"the rules of the {which} contradict each other: {conflict}; repair them, or say"
            " that the first wins: RuleList.of(rules), --hit-policy FIRST",
            [conflict],
        )
    places = table.winning
    rows = [table.rows[place] for place in places]
    return _Ruled(table.rules[places], rows, table.is_ordered)


class _Decision(NamedTuple):
    then: Hashable | None
    by_default: bool


class _Side:
    """What one rule set decides, as disjoint boxes with the rule that decides there."""

    def __init__(self, ruled: _Ruled, box: Boxes, meter: Meter) -> None:
        rules = moved(ruled.rules, box.space)
        self.default = rules.default
        self.rows, self.is_ordered = ruled.rows, ruled.is_ordered
        self.stopped_by: StoppedBy | None = None
        self.regions, self.thens = rules.boxes, rules.thens
        self.parts: list[Boxes] = []
        self.rest = Boxes.none(box.space)
        for i in range(len(rules)):
            own = self.regions.take([i]) & box
            if not len(own):
                self.parts.append(own)
                continue
            self.parts.append(self._left(own, self.regions.take(slice(i)), meter))
            if self.stopped_by is not None:
                return
        self.rest = self._left(box, self.regions, meter)

    def _left(self, box: Boxes, by: Boxes, meter: Meter) -> Boxes:
        found = box.subtract(by, meter)
        self.stopped_by = meter.stopped_by
        return found

    def decisions(self) -> dict[_Decision, Boxes]:
        """Return disjoint boxes by what is decided there."""
        parts: dict[_Decision, list[Boxes]] = {}
        for then, part in zip(self.thens, self.parts, strict=False):
            parts.setdefault(_Decision(then, False), []).append(part)
        parts[_Decision(self.default, True)] = [self.rest]
        return {decision: some[0].concat(*some[1:]) for decision, some in parts.items()}

    def deciding(self, box: Boxes, decision: _Decision) -> tuple[int, ...]:
        """Return the indices of the rules that decide so somewhere in a box."""
        if decision.by_default:
            return ()
        where, owners = self._places
        met = owners[where.meeting(box)].tolist()
        return tuple(sorted({self.rows[i] for i in met if self.thens[i] == decision.then}))

    @cached_property
    def _places(self) -> tuple[Boxes, npt.NDArray[np.intp]]:
        """Return where rules decide, and which rule each box is of; in sets, several may."""
        if not self.is_ordered:
            return self.regions, np.arange(len(self.thens))
        sizes = [len(part) for part in self.parts]
        return self.regions.take(slice(0)).concat(*self.parts), np.repeat(
            np.arange(len(sizes)), sizes
        )


def _without(boxes: Boxes, never: Boxes) -> Boxes:
    """Return what of some boxes lies outside of others."""
    if not len(never):
        return boxes
    return Boxes.none(boxes.space).concat(*(box.subtract(never) for box in boxes))


def _never(a: Rules, b: Rules, space: Space) -> Boxes:
    """Return what cannot occur by both of two tables over one space."""
    if not (isinstance(a, DecisionTable) and isinstance(b, DecisionTable)):
        return Boxes.none(space)
    if a.space != space or b.space != space:
        return Boxes.none(space)
    mine, theirs = a.outside_boxes, b.outside_boxes
    return Boxes.none(space).concat(*(theirs & box for box in mine))


def _differences(a: _Side, b: _Side, never: Boxes) -> list[Difference]:
    pieces: dict[tuple[_Decision, _Decision], list[Boxes]] = {}
    theirs = b.decisions()
    for before, mine in a.decisions().items():
        for after, others in theirs.items():
            if before.then == after.then:
                continue
            for box in mine:
                shared = others & box
                if len(shared):
                    pieces.setdefault((before, after), []).append(shared)
    found = []
    for (before, after), parts in pieces.items():
        for box in _without(parts[0].concat(*parts[1:]), never).merged():
            rules = (a.deciding(box, before), b.deciding(box, after))
            found.append(Difference(Region.from_box(box), before.then, after.then, *rules))
    return found
