"""Fewer rules that mean the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from irenic.boxes import Boxes
from irenic.boxes.covering import covering, without_covered
from irenic.budget import Budget, Meter, StoppedBy
from irenic.errors import ConditionError, ConflictError
from irenic.model.decision_table import DecisionTable, unordered
from irenic.model.literals import counted
from irenic.model.rule import Rule, rules_of
from irenic.model.ruleset import RuleSet

# Up to so many boxes of what some rules leave out, rules are grown among them.
_MOST_OUTSIDE: Final = 4_000
# Looking whether the box round two rules is theirs: nodes for one look, and up to how many rules.
_HULL_NODES: Final = 2_000
_MOST_HULLS: Final = 300


@dataclass(frozen=True, eq=False)
class Merged:
    """The result of :func:`merge`: the rules, and whether the search finished.

    >>> from irenic import Rule, RuleSet, merge
    >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low"),
    ...                  Rule({"age": (30, 60)}, then="low")])
    >>> merge(rules).finished, merge(rules, budget=0).finished
    (True, False)
    """

    rules: RuleSet
    stopped_by: StoppedBy | None = None
    """Which part of the budget ended the search early; None if it finished."""
    table: DecisionTable | None = None
    """The merged rules as rows, if a table was given."""

    @property
    def finished(self) -> bool:
        """Whether the search finished; if not, a larger budget may merge more rules."""
        return self.stopped_by is None

    def __repr__(self) -> str:
        end = "finished" if self.finished else f"stopped by {self.stopped_by}"
        _, *shown = repr(self.rules).split("\n")
        return "\n".join([f"<Merged: {counted(len(self.rules), 'rule')}, {end}", *shown]) + ">"


def merge(rules: RuleSet | DecisionTable, *, budget: Budget | float | None = None) -> Merged:
    """Return fewer rules, or as many, that mean the same.

    Rules of one consequent and one weight are widened as far as they together reach, joined with
    neighbours, and left out where the others cover them. Where such rules hold before, they hold
    after, and nowhere else: that is proved. The default and the gaps stay as they are.

    Parameters
    ----------
    rules : RuleSet or DecisionTable
        Without contradictions. Rows of a UNIQUE table that do not overlap are merged into rows
        that do not overlap either. Tables in which the order matters (FIRST, PRIORITY) or all
        rows count (COLLECT, RULE ORDER, OUTPUT ORDER) are refused.
    budget : Budget or float (seconds), optional
        Rules for which it does not suffice stay as they are, and ``finished`` is False.

    Returns
    -------
    Merged
        With the merged ``rules``, the ``table`` if one was given, and ``finished``.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, merge
    >>> rules = RuleSet([Rule({"age": (0, 30), "smokes": {False}}, then="low"),
    ...                  Rule({"age": (30, 60), "smokes": {False}}, then="low"),
    ...                  Rule({"age": (0, 60), "smokes": {True}}, then="low")])
    >>> merge(rules)
    <Merged: 1 rule, finished
      1. IF 0 <= age < 60 THEN low>
    >>> merge(rules).rules
    <RuleSet: 1 rule, 2 features>
      1. IF 0 <= age < 60 THEN low
    """
    table = _as_table(rules)
    meter = Meter(budget)
    unique = table.hit_policy == "UNIQUE" and not table.rules.overlaps(limit=1)
    result = _merged_rules(table.rules, meter, apart=unique)
    given = None
    if isinstance(rules, DecisionTable):
        given = table.without_unsatisfiable().with_rules(result)
    return Merged(result, meter.ran_out, given)


def _as_table(rules: RuleSet | DecisionTable) -> DecisionTable:
    """Return rules that can be merged as a table; refuse all others."""
    table = unordered(rules)
    if table.collects:
        raise ConditionError(
            f"under {table.hit_policy} all rules that hold count, so merging them would change the"
            " result"
        )
    if (conflict := table.first_conflict()) is not None:
        raise ConflictError(
            f"the rules contradict each other: {conflict}; repair them before they are merged",
            [conflict],
        )
    return table


def _merged_rules(rules: RuleSet, meter: Meter, *, apart: bool) -> RuleSet:
    groups: dict[tuple[int, float], list[int]] = {}
    for place, key in enumerate(
        zip(rules.then_codes.tolist(), rules.weights.tolist(), strict=True)
    ):
        groups.setdefault(key, []).append(place)
    made: list[tuple[int, Rule]] = []
    for places in groups.values():
        made += _merged(rules, places, meter, apart=apart)
    made.sort(key=lambda pair: pair[0])
    return RuleSet([rule for _, rule in made], rules.space, default=rules.default)


def _merged(
    rules: RuleSet, places: list[int], meter: Meter, *, apart: bool
) -> list[tuple[int, Rule]]:
    """Return rules that mean what those at some places mean, each with a place to be put."""
    given = [rules[i] for i in places]
    as_they_are = list(zip(places, given, strict=True))
    boxes = rules.boxes.take(places)
    if len(given) < 2 or meter.spent():
        return as_they_are
    few = (fewer_apart if apart else fewer)(boxes, meter)
    if len(few) > len(given) or not same_union(boxes, few, meter):
        return as_they_are
    then, weight = given[0].then, given[0].weight
    new = [
        Rule(rule.region, then=then, weight=weight)
        for rule in rules_of(few, [then] * len(few), given)
    ]
    first = few.meets(boxes).argmax(axis=1)
    order = np.argsort(first, kind="stable")
    return [(places[first[row]], new[row]) for row in order]


def same_union(boxes: Boxes, others: Boxes, meter: Meter) -> bool:
    """Return whether it is proved that some boxes hold the same points as others do."""
    return all(
        box.is_covered(theirs, meter)
        for mine, theirs in ((boxes, others), (others, boxes))
        for box in mine
    )


def fewer(boxes: Boxes, meter: Meter) -> Boxes:
    """Return boxes, no more than were given, that hold the same points."""
    look = Meter(Budget(regions=_MOST_OUTSIDE, nodes=50 * _MOST_OUTSIDE))
    whole = Boxes.whole(boxes.space)
    outside = whole.subtract(boxes, look)
    if look.stopped_by is None:
        boxes = covering(boxes, whole, outside, meter)
    elif len(boxes) <= _MOST_HULLS:
        boxes = _hulls_joined(boxes, meter)
    return without_covered(boxes, meter)


def fewer_apart(boxes: Boxes, meter: Meter) -> Boxes:
    """Return disjoint boxes, no more than the disjoint ones given, that hold the same points."""
    boxes = boxes.merged(meter)
    if not meter.spent() and 1 < len(boxes) <= _MOST_HULLS:
        boxes = _hulls_joined(boxes, meter, apart=True)
    return boxes


def _hulls_joined(boxes: Boxes, meter: Meter, *, apart: bool = False) -> Boxes:
    """Return boxes with two joined wherever all of the box around them is theirs and others'.

    ``apart``: only where no other box reaches out of it, so that disjoint boxes stay disjoint.
    """
    row = 0
    while row < len(boxes):
        hulls = _hulls(boxes, row)
        changed = False
        for other in range(len(boxes)):
            if other == row or meter.spent():
                continue
            hull = hulls.take([other])
            if apart and not boxes.take(boxes.meeting(hull)).held_by_one(hull).all():
                continue
            look = Meter(Budget(nodes=_HULL_NODES))
            if hull.is_covered(boxes, look):
                kept = ~boxes.held_by_one(hull)
                before, after = boxes.take(slice(row)), boxes.take(slice(row + 1, None))
                before, after = before.take(kept[:row]), after.take(kept[row + 1 :])
                boxes, row = before.concat(hull, after), len(before)
                changed = True
                break
        row += not changed
    meter.stopped_by = None  # the proof that follows says whether the budget is used up
    return boxes


def _hulls(boxes: Boxes, row: int) -> Boxes:
    """Return the smallest box round one of the boxes and each of them."""
    lower = np.minimum(boxes.lower, boxes.lower[row])
    upper = np.maximum(boxes.upper, boxes.upper[row])
    return boxes.like(lower, upper, boxes.masks | boxes.masks[row])
