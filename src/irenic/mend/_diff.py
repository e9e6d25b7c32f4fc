"""Compare two rule sets: the regions in which they decide differently."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np

from irenic.arrays import Indices
from irenic.boxes import Boxes
from irenic.budget import Budget, Meter, StoppedBy
from irenic.errors import ConditionError, ConflictError
from irenic.model.decision_table import DecisionTable
from irenic.model.head import labels_of, open_labels, signs
from irenic.model.literals import counted, display, show_point
from irenic.model.region import Region, whole_or
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet
from irenic.model.spaces import check_outcomes, common_space, moved

Rules: TypeAlias = RuleSet | RuleList | DecisionTable


@dataclass(frozen=True)
class Difference:
    """A region in which two rule sets decide differently.

    Parameters
    ----------
    region : Region
        The region.
    before, after : hashable or None
        The decision of the first and of the second rule set; None if there is none.
    rules_before, rules_after : tuple of int
        Indices of the deciding rules; empty if the default decides, or nothing does.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, diff
    >>> old = RuleSet([Rule({"age": (None, 18)}, then="free")], default="pays")
    >>> new = RuleSet([Rule({"age": (None, 16)}, then="free")], default="pays")
    >>> print(diff(old, new)[0])
    where 16 <= age < 18: free (rule 1) becomes pays (by default), for example at age = 17
    """

    region: Region
    before: Hashable | None
    after: Hashable | None
    rules_before: tuple[int, ...]
    rules_after: tuple[int, ...]

    @cached_property
    def witness(self) -> dict[str, Any]:
        """A readable point of the region."""
        return self.region.witness()

    @property
    def text(self) -> str:
        """The difference in words, with rules numbered from 1."""
        tested = self.region.conditions()
        point = {name: value for name, value in self.witness.items() if name in tested}
        example = f", for example at {show_point(point)}" if point else ""
        before = _decision_text(self.before, self.rules_before)
        after = _decision_text(self.after, self.rules_after)
        return f"where {self.region}: {before} becomes {after}{example}"

    def __str__(self) -> str:
        return self.text


def _decision_text(then: Hashable | None, rules: tuple[int, ...]) -> str:
    if then is None:
        return "nothing"
    if not rules:
        return f"{display(then)} (by default)"
    numbers = ", ".join(str(rule + 1) for rule in rules[:5]) + (", …" if len(rules) > 5 else "")
    return f"{display(then)} (rule{'s' if len(rules) > 1 else ''} {numbers})"


class Differences(Sequence[Difference]):
    """The disjoint regions in which two rule sets decide differently, and whether these are all.

    Parameters
    ----------
    found : list of Difference
        The differences.
    finished : bool
        Whether these are all differences.
    stopped_by : str or None
        The limit that stopped the search; None if it finished.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, diff
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="free")])
    >>> differences = diff(rules, rules)
    >>> len(differences), differences.finished, differences.same
    (0, True, True)
    """

    def __init__(
        self, found: list[Difference], finished: bool, stopped_by: StoppedBy | None
    ) -> None:
        self._found = found
        self.finished = finished
        self.stopped_by = stopped_by

    @property
    def same(self) -> bool | None:
        """Whether both decide the same everywhere; None if the search was stopped too early."""
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
        known = "" if self.finished else f", and possibly more (stopped by {self.stopped_by})"
        regions = counted(len(self), "region")
        verdict = "no difference" if self.same else f"{regions} decided differently{known}"
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
        The rules before and after a change. Rule sets must not contradict themselves. The spaces
        may differ: features are matched by name and have the values of both spaces.
    within : Region, optional
        Compare only in this region (default: the whole space).
    budget : Budget or float (seconds), optional
        When it is used up, the differences so far are returned, with ``finished=False`` (default:
        unlimited).

    Returns
    -------
    Differences
        Disjoint regions that together contain exactly the cases decided differently. Decisions by
        default count, and so does having no decision.

    Raises
    ------
    ConflictError
        If a rule set contradicts itself.
    ConditionError
        If all rules that apply count under the hit policy of a table.
    SpaceError
        If a feature has different kinds or units in the two spaces, or an outcome different units.

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
    check_outcomes(a, b)
    first, second = _by_precedence(a, "first"), _by_precedence(b, "second")
    space = common_space(first.rules, second.rules)
    box = whole_or(within, space)
    meter = Meter(budget)
    if box.is_empty:
        return Differences([], True, None)
    sides = [
        (_LabelSide if ordered.rules.is_partial else _Side)(ordered, box.box.simplified(), meter)
        for ordered in (first, second)
    ]
    differences = _differences(sides[0], sides[1], space.impossible_boxes)
    stopped = next((side.stopped_by for side in sides if side.stopped_by), None)
    return Differences(differences, stopped is None, stopped)


class _Ordered(NamedTuple):
    rules: RuleSet
    """The rules by descending precedence."""
    rows: list[int]
    """The index of each rule, or of its row, as given."""
    is_ordered: bool


def _by_precedence(rules: Rules, which: str) -> _Ordered:
    table = DecisionTable.from_rules(rules)
    if table.collects:
        raise ConditionError(
            f"the {which} table must decide each case once, but under {table.hit_policy} all rules"
            " that apply count"
        )
    if not table.is_ordered and (conflict := table.first_conflict()) is not None:
        raise ConflictError(
            f"the {which} rule set contradicts itself: {table.say_conflict(conflict)}; repair it,"
            " or let the first rule win with RuleList.from_rules(rules) or --hit-policy FIRST",
            [conflict],
        )
    places = table.winning
    rows = [table.rows[place] for place in places]
    return _Ordered(table.rules[places], rows, table.is_ordered)


class _Decision(NamedTuple):
    then: Hashable | None
    by_default: bool


class _Side:
    """The decisions of one rule set, as disjoint boxes with the deciding rule."""

    def __init__(self, ordered: _Ordered, box: Boxes, meter: Meter) -> None:
        rules = moved(ordered.rules, box.space)
        self.default = rules.default
        self.rows, self.is_ordered = ordered.rows, ordered.is_ordered
        self.stopped_by: StoppedBy | None = None
        self.regions, self.thens = rules.boxes, rules.thens
        self.parts: list[Boxes] = []
        self.rest = Boxes.none(box.space)
        for i in range(len(rules)):
            own = self.regions.take([i]) & box
            if not len(own):
                self.parts.append(own)
                continue
            self.parts.append(self._subtract(own, self.regions.take(slice(i)), meter))
            if self.stopped_by is not None:
                return
        self.rest = self._subtract(box, self.regions, meter)

    def _subtract(self, box: Boxes, others: Boxes, meter: Meter) -> Boxes:
        rest = box.subtract(others, meter)
        self.stopped_by = meter.stopped_by
        return rest

    def decisions(self) -> dict[_Decision, Boxes]:
        """Return the disjoint boxes of each decision."""
        parts: dict[_Decision, list[Boxes]] = {}
        for then, part in zip(self.thens, self.parts, strict=False):
            parts.setdefault(_Decision(then, False), []).append(part)
        parts[_Decision(self.default, True)] = [self.rest]
        return {decision: boxes[0].concat(*boxes[1:]) for decision, boxes in parts.items()}

    def deciding(self, box: Boxes, decision: _Decision) -> tuple[int, ...]:
        """Return the indices of the rules that make a decision somewhere in a box."""
        if decision.by_default:
            return ()
        boxes, owners = self._owners
        rules = owners[boxes.meeting(box)].tolist()
        return tuple(sorted({self.rows[i] for i in rules if self.thens[i] == decision.then}))

    @cached_property
    def _owners(self) -> tuple[Boxes, Indices]:
        """The boxes in which rules decide, and the rule of each; in sets, boxes may overlap."""
        if not self.is_ordered:
            return self.regions, np.arange(len(self.thens))
        sizes = [len(part) for part in self.parts]
        boxes = self.regions.take(slice(0)).concat(*self.parts)
        return boxes, np.repeat(np.arange(len(sizes)), sizes)


class _LabelSide(_Side):
    """The decisions of rules that decide only some labels, as disjoint boxes with sets of labels.

    Every rule divides the boxes so far into those inside it and those outside.
    """

    def __init__(self, ordered: _Ordered, box: Boxes, meter: Meter) -> None:
        rules = moved(ordered.rules, box.space)
        self.default, self.rows = rules.default, ordered.rows
        self.stopped_by: StoppedBy | None = None
        self.regions = rules.boxes
        labels = labels_of((*rules.thens, rules.default))
        usual = open_labels(rules.default)
        pieces: dict[tuple[int, ...], Boxes] = {(): box}  # what is decided; () where no rule holds
        for i, decided in enumerate(signs(rules.thens, labels)):
            divided: dict[tuple[int, ...], list[Boxes]] = {}
            for known, boxes in pieces.items():
                near = boxes.meeting(self.regions.take([i]))
                state = np.where(decided == 0, known, decided) if known else decided
                inside = boxes.take(near) & self.regions.take([i])
                divided.setdefault(tuple(state.tolist()), []).append(inside)
                parts = [self._subtract(b, self.regions.take([i]), meter) for b in boxes.take(near)]
                divided.setdefault(known, []).extend([boxes.take(~near), *parts])
                if meter.spent(nodes=len(boxes)):
                    self.stopped_by = meter.stopped_by
                    break
            if self.stopped_by is not None:  # the other rules could still change every decision
                pieces = {}
                break
            joined = {state: boxes[0].concat(*boxes[1:]) for state, boxes in divided.items()}
            pieces = {state: boxes for state, boxes in joined.items() if len(boxes)}
        self._decisions: dict[_Decision, Boxes] = {}
        for state, boxes in pieces.items():
            then = frozenset(
                label
                for label, sign in zip(labels, state, strict=False)
                if sign > 0 or (sign == 0 and label in usual)
            )
            decision = _Decision(then if state else self.default, not state)
            known_boxes = self._decisions.get(decision, Boxes.none(box.space))
            self._decisions[decision] = known_boxes.concat(boxes)

    def decisions(self) -> dict[_Decision, Boxes]:
        """Return the disjoint boxes of each decision."""
        return self._decisions

    def deciding(self, box: Boxes, decision: _Decision) -> tuple[int, ...]:
        """Return the indices of the rules that hold somewhere in a box."""
        if decision.by_default:
            return ()
        rules = np.flatnonzero(self.regions.meeting(box)).tolist()
        return tuple(sorted({self.rows[i] for i in rules}))


def _without(boxes: Boxes, others: Boxes) -> Boxes:
    """Return the parts of disjoint boxes outside others."""
    if not len(others):
        return boxes
    return Boxes.none(boxes.space).concat(*(box.subtract(others) for box in boxes))


def _differences(a: _Side, b: _Side, impossible: Boxes) -> list[Difference]:
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
    differences = []
    for (before, after), parts in pieces.items():
        for box in _without(parts[0].concat(*parts[1:]), impossible).merged():
            rules = (a.deciding(box, before), b.deciding(box, after))
            differences.append(Difference(Region.from_box(box), before.then, after.then, *rules))
    return differences
