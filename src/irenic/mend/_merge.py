"""Replace rules by fewer rules that mean the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from irenic.boxes import Boxes
from irenic.boxes.covering import small_cover, without_covered
from irenic.budget import Budget, Meter, StoppedBy
from irenic.errors import ConditionError, ConflictError
from irenic.model.decision_table import DecisionTable, unordered
from irenic.model.literals import counted
from irenic.model.rule import Rule, rules_of
from irenic.model.ruleset import RuleSet
from irenic.proving.answering import answer
from irenic.proving.asking import ask_same_cases

# Rules are widened only if the space outside them consists of at most this many boxes.
_OUTSIDE_LIMIT: Final = 4_000
# Otherwise, pairs of at most this many rules are joined, with a node limit per pair.
_HULL_LIMIT: Final = 300
_NODES_PER_HULL: Final = 2_000
# Overlapping rows of a UNIQUE table are separated if they are not more than this.
_DISJOINT_LIMIT: Final = 2_000


@dataclass(frozen=True, eq=False)
class Merged:
    """The result of :func:`merge`: the rules, and whether the search finished.

    Parameters
    ----------
    rules : RuleSet
        The merged rules.
    stopped_by : str or None
        The limit that stopped the search; None if it finished.
    table : DecisionTable, optional
        The merged rules as a table, if a table was given.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, merge
    >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low"),
    ...                  Rule({"age": (30, 60)}, then="low")])
    >>> merge(rules).finished, merge(rules, budget=0).finished
    (True, False)
    """

    rules: RuleSet
    stopped_by: StoppedBy | None = None
    table: DecisionTable | None = None

    @property
    def finished(self) -> bool:
        """Whether the search finished; if not, a larger budget may merge more rules."""
        return self.stopped_by is None

    def __repr__(self) -> str:
        end = "finished" if self.finished else f"stopped by {self.stopped_by}"
        _, *shown = repr(self.rules).split("\n")
        return "\n".join([f"<Merged: {counted(len(self.rules), 'rule')}, {end}", *shown]) + ">"


def merge(rules: RuleSet | DecisionTable, *, budget: Budget | float | None = None) -> Merged:
    """Merge rules into fewer rules that mean the same.

    Rules with the same consequent and weight are widened within their union, joined with
    neighbors, and removed if the others cover them. The new rules are proved to cover the same
    cases as the old ones. The default and the gaps do not change. Rules of a consequent and weight
    that cannot become fewer stay as they are.

    Parameters
    ----------
    rules : RuleSet or DecisionTable
        Rules without contradictions. The rows of a UNIQUE table are merged into rows without
        overlaps; rows that agree and overlap are separated if that takes no more rows.
    budget : Budget or float (seconds), optional
        When it is used up, the remaining rules are not merged, and ``finished`` is False (default:
        unlimited).

    Returns
    -------
    Merged

    Raises
    ------
    ConflictError
        If the rules contradict each other.
    ConditionError
        If the order of the rows matters (FIRST, PRIORITY), or if all rows that apply count
        (COLLECT, RULE ORDER, OUTPUT ORDER).

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
    result, rows = _merged_rules(table, meter)
    merged_table = None
    if isinstance(rules, DecisionTable):
        n_rows = len(set(rows))
        provenance = table.provenance.renumbered({}, n_rows)
        merged_table = replace(table, rules=result, rows=rows, n_rows=n_rows, provenance=provenance)
    return Merged(result, meter.ran_out, merged_table)


def _as_table(rules: RuleSet | DecisionTable) -> DecisionTable:
    """Return the rules as a table; raise if they cannot be merged."""
    table = unordered(rules)
    if table.collects:
        raise ConditionError(
            f"under {table.hit_policy}, all rules that apply count, so merging them would change"
            " the result"
        )
    if (conflict := table.first_conflict()) is not None:
        raise ConflictError(
            f"the rules contradict each other: {table.say_conflict(conflict)}; repair them before"
            " merging",
            [conflict],
        )
    return table


def _merged_rules(table: DecisionTable, meter: Meter) -> tuple[RuleSet, tuple[int, ...]]:
    """Return the merged rules, and the row of each; rows that are not merged stay as they are."""
    rules = table.rules
    groups: dict[tuple[int, float], list[int]] = {}
    for place, key in enumerate(
        zip(rules.then_codes.tolist(), rules.weights.tolist(), strict=True)
    ):
        groups.setdefault(key, []).append(place)
    placed: list[tuple[int, Rule, object]] = []
    overlapping = bool(rules.overlaps(limit=1))
    for places in groups.values():
        merged = _merged(table, places, meter, overlapping=overlapping)
        if merged is None:
            placed += [(place, rules[place], table.rows[place]) for place in places]
        else:
            placed += [(place, rule, rule) for place, rule in merged]
    placed.sort(key=lambda item: item[0])
    numbers = {key: number for number, key in enumerate(dict.fromkeys(key for *_, key in placed))}
    new = RuleSet([rule for _, rule, _ in placed], rules.space, default=rules.default)
    return new, tuple(numbers[key] for *_, key in placed)


def _merged(
    table: DecisionTable, places: list[int], meter: Meter, *, overlapping: bool
) -> list[tuple[int, Rule]] | None:
    """Return fewer rules that mean the same, each with its new place; None if there are none.

    Under UNIQUE, as many rules are better, too, if they no longer overlap.
    """
    rules = table.rules
    n_rows = len({table.rows[place] for place in places})
    old = [rules[i] for i in places]
    boxes = rules.boxes.take(places)
    if n_rows < 2 or meter.spent():
        return None
    most = n_rows - 1
    if table.hit_policy == "UNIQUE":
        apart = _disjoint(boxes, meter) if overlapping else boxes
        if apart is None:
            return None
        most += apart is not boxes
        merged = fewer_disjoint(apart, meter)
    else:
        merged = fewer(boxes, meter)
    if len(merged) > most or not answer(ask_same_cases(boxes, merged), meter).holds:
        return None
    then, weight = old[0].then, old[0].weight
    new = [
        Rule(rule.region, then=then, weight=weight)
        for rule in rules_of(merged, [then] * len(merged), old)
    ]
    first = merged.meets(boxes).argmax(axis=1)
    order = np.argsort(first, kind="stable")
    return [(places[first[row]], new[row]) for row in order]


def fewer(boxes: Boxes, meter: Meter) -> Boxes:
    """Return at most as many boxes that contain the same points."""
    trial = Meter(Budget(regions=_OUTSIDE_LIMIT, nodes=50 * _OUTSIDE_LIMIT))
    whole = Boxes.whole(boxes.space)
    outside = whole.subtract(boxes, trial)
    if trial.stopped_by is None:
        boxes = small_cover(boxes, whole, outside, meter)
    elif len(boxes) <= _HULL_LIMIT:
        boxes = _hulls_joined(boxes, meter)
    return without_covered(boxes, meter)


def _disjoint(boxes: Boxes, meter: Meter) -> Boxes | None:
    """Return disjoint boxes that contain the same points; the boxes themselves if they are.

    None if there are too many, or if the budget is used up.
    """
    if len(boxes) > _DISJOINT_LIMIT:
        return None
    if boxes.meets(boxes).sum() == len(boxes):
        return boxes
    needed = without_covered(boxes, meter)
    apart = needed.take([])
    for row in range(len(needed)):
        apart = apart.concat(needed.take([row]).subtract(apart, meter))
        if meter.spent():
            return None
    return apart


def fewer_disjoint(boxes: Boxes, meter: Meter) -> Boxes:
    """Return at most as many disjoint boxes that contain the same points as disjoint ones."""
    boxes = boxes.merged(meter)
    if not meter.spent() and 1 < len(boxes) <= _HULL_LIMIT:
        boxes = _hulls_joined(boxes, meter, disjoint=True)
    return boxes


def _hulls_joined(boxes: Boxes, meter: Meter, *, disjoint: bool = False) -> Boxes:
    """Return boxes in which two are joined if the boxes together cover the hull of the two.

    ``disjoint`` joins them only if every box that overlaps the hull is inside it, so that disjoint
    boxes stay disjoint.
    """
    row = 0
    while row < len(boxes):
        hulls = _hulls(boxes, row)
        changed = False
        for other in range(len(boxes)):
            if other == row or meter.spent():
                continue
            hull = hulls.take([other])
            if disjoint and not boxes.near(hull).held_by_one(hull).all():
                continue
            if hull.is_covered(boxes, Meter(Budget(nodes=_NODES_PER_HULL))):
                kept = ~boxes.held_by_one(hull)
                before, after = boxes.take(slice(row)), boxes.take(slice(row + 1, None))
                before, after = before.take(kept[:row]), after.take(kept[row + 1 :])
                boxes, row = before.concat(hull, after), len(before)
                changed = True
                break
        row += not changed
    meter.stopped_by = None  # the proof that follows sets it if the budget is used up
    return boxes


def _hulls(boxes: Boxes, row: int) -> Boxes:
    """Return the hull of one box with each of the boxes."""
    lower = np.minimum(boxes.lower, boxes.lower[row])
    upper = np.maximum(boxes.upper, boxes.upper[row])
    return boxes.like(lower, upper, boxes.masks | boxes.masks[row])
