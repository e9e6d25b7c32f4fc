"""Turn lists into sets: each rule is reduced to the cases that no earlier rule decides."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from irenic.boxes import Boxes
from irenic.boxes.covering import small_cover, without_covered
from irenic.budget import Budget, Meter, out_of_budget
from irenic.errors import ConditionError
from irenic.model.decision_table import DecisionTable
from irenic.model.rule import rules_of
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet
from irenic.proving.answering import answer
from irenic.proving.asking import ask_same

# Above these limits, boxes are grown only within the rule they come from.
_PAIR_LIMIT: Final = 4_000_000
_OUTSIDE_LIMIT: Final = 4_000
_WHAT: Final = "turning the list into a set"


def to_set(
    rules: RuleList | DecisionTable,
    *,
    explicit: bool = False,
    budget: Budget | float | None = 60.0,
) -> RuleSet:
    """Return a set without contradictions that predicts the same as a list, everywhere.

    Each rule is reduced to the cases that no earlier rule decides differently, and the result is
    written as few rules; rules with the same consequent may overlap. That the set predicts the
    same as the list is then proved from the regions of both.

    Parameters
    ----------
    rules : RuleList or DecisionTable
        Ordered rules: a list, or a table under FIRST or PRIORITY.
    explicit : bool, default False
        Whether to write every consequent as rules, so that the set has no default. Otherwise, the
        set keeps the default of the list, or that of a rule without conditions ("else"), and has
        no rules for it.
    budget : Budget or float (seconds), default 60 seconds
        Limits of the search and the proof. If many rules overlap, a set can need many more rules
        than a list.

    Returns
    -------
    RuleSet
        Unchanged rules keep their weight; new ones have weight 1.

    Raises
    ------
    BudgetError
        If the budget is used up before the set is proved to predict the same.
    ConditionError
        If the rules are not ordered.

    Examples
    --------
    >>> from irenic import Rule, RuleList, to_set
    >>> ages = RuleList([Rule({"age": (None, 10)}, then="child"),
    ...                  Rule({"age": (None, 18)}, then="youth")], default="adult")
    >>> to_set(ages)
    <RuleSet: 2 rules, 1 feature>
      1. IF age < 10 THEN child
      2. IF 10 <= age < 18 THEN youth
      DEFAULT adult
    >>> to_set(ages, explicit=True)
    <RuleSet: 3 rules, 1 feature>
      1. IF age < 10 THEN child
      2. IF 10 <= age < 18 THEN youth
      3. IF age >= 18 THEN adult
    """
    meter = Meter(budget)
    ordered = _as_list(rules)
    prefix = _Prefix.from_list(ordered, explicit)
    parts = [_part(prefix, i, meter) for i in range(len(prefix.thens))]
    outside = _outside(prefix, parts)
    boxes, thens = _as_boxes(prefix, parts, outside, meter)
    rule_set = RuleSet(rules_of(boxes, thens, ordered), boxes.space, default=prefix.default)
    # Only a bug in the library could make this fail.
    if not _is_same(ordered, rule_set, meter):  # pragma: no cover
        raise AssertionError("the set does not decide the same as the list; please report this")
    return rule_set


def _is_same(ordered: RuleList, rule_set: RuleSet, meter: Meter) -> bool:
    """Return whether a set without contradictions is proved to decide the same as a list."""
    if not rule_set.is_consistent:
        return False
    question = ask_same(DecisionTable.from_rules(ordered), DecisionTable.from_rules(rule_set))
    everywhere = replace(question, excused=Boxes.none(question.space))
    proof = answer(everywhere, meter)
    if proof.holds is None:
        raise out_of_budget(_WHAT, meter)
    return proof.holds


def _as_list(rules: RuleList | DecisionTable) -> RuleList:
    ordered = DecisionTable.from_rules(rules).as_rules()
    if not isinstance(ordered, RuleList):
        shown = repr(rules) if isinstance(rules, DecisionTable) else type(rules).__name__
        raise ConditionError(
            f"rules must be ordered, a RuleList or a table under FIRST or PRIORITY, got {shown};"
            " irenic.repair mends a set, and RuleList.from_rules(rules) or"
            ' table.under("FIRST") puts rules in order'
        )
    return ordered


@dataclass
class _Prefix:
    """The rules of a list before the first that covers everything, and the default."""

    boxes: Boxes
    thens: list[Hashable]
    default: Hashable | None
    """The consequent that needs no rules."""

    @classmethod
    def from_list(cls, rules: RuleList, explicit: bool) -> _Prefix:
        boxes, thens, default = rules.rules.boxes, rules.rules.thens, rules.default
        whole = Boxes.whole(boxes.space)
        unconditional = np.flatnonzero(boxes.contains(whole)[:, 0])
        if len(unconditional):  # later rules never fire
            first = int(unconditional[0])
            default = thens[first]
            boxes, thens = boxes.take(slice(first)), thens[:first]
        if explicit and default is not None:
            boxes, thens = boxes.concat(whole), [*thens, default]
            default = None
        return cls(boxes, thens, default)

    def rivals_before(self, i: int) -> Boxes:
        """Return the earlier rules with another consequent than rule ``i``."""
        return self.boxes.take([j for j in range(i) if self.thens[j] != self.thens[i]])


def _part(prefix: _Prefix, i: int, meter: Meter) -> Boxes:
    """Return the cases that rule ``i`` decides, as disjoint boxes."""
    if prefix.thens[i] == prefix.default:
        return Boxes.none(prefix.boxes.space)
    part = prefix.boxes.take([i]).subtract(prefix.boxes.take(slice(i)), meter)
    if meter.stopped_by is not None:
        raise out_of_budget(_WHAT, meter)
    return part


def _outside(prefix: _Prefix, parts: list[Boxes]) -> Boxes | None:
    """Return the cases that need no rules, as disjoint boxes; None if there are too many."""
    counts: dict[Hashable, int] = {}
    for then, part in zip(prefix.thens, parts, strict=True):
        counts[then] = counts.get(then, 0) + len(part)
    total, largest = sum(counts.values()), max(counts.values(), default=0)
    if largest * total > _PAIR_LIMIT:
        return None
    trial = Meter(Budget(regions=_OUTSIDE_LIMIT, nodes=50 * _OUTSIDE_LIMIT))
    whole, none = Boxes.whole(prefix.boxes.space), Boxes.none(prefix.boxes.space)
    outside = whole.subtract(none.concat(*parts), trial)
    if trial.stopped_by is not None or largest * (total + len(outside)) > _PAIR_LIMIT:
        return None
    return outside


def _as_boxes(
    prefix: _Prefix, parts: list[Boxes], outside: Boxes | None, meter: Meter
) -> tuple[Boxes, list[Hashable]]:
    """Return few boxes, with their consequents, that cover what every rule decides."""
    whole, none = Boxes.whole(prefix.boxes.space), Boxes.none(prefix.boxes.space)
    groups: list[Boxes] = []
    thens: list[Hashable] = []
    for then in dict.fromkeys(prefix.thens):
        if then == prefix.default:
            continue
        places = [i for i, t in enumerate(prefix.thens) if t == then]
        if outside is None:
            chosen = _within_rules(prefix, parts, places, meter)
        else:
            rivals = [part for i, part in enumerate(parts) if prefix.thens[i] != then]
            pieces = none.concat(*(parts[i] for i in places))
            chosen = small_cover(pieces, whole, outside.concat(*rivals), meter)
        chosen = without_covered(chosen, meter)
        groups.append(chosen)
        thens += [then] * len(chosen)
    boxes = none.concat(*groups)
    if not thens:
        return boxes, thens
    order = _order(prefix, boxes, thens)
    return boxes.take(order), [thens[row] for row in order]


def _within_rules(prefix: _Prefix, parts: list[Boxes], places: list[int], meter: Meter) -> Boxes:
    """Return boxes that cover what rules decide, each inside the region of its rule."""
    chosen = [
        small_cover(parts[i], prefix.boxes.take([i]), prefix.rivals_before(i), meter)
        for i in places
    ]
    return Boxes.none(prefix.boxes.space).concat(*chosen)


def _order(prefix: _Prefix, boxes: Boxes, thens: list[Hashable]) -> list[int]:
    """Return the indices of boxes in the order of the rules of the list."""
    codes = {then: code for code, then in enumerate(dict.fromkeys(prefix.thens))}
    rule_codes = np.array([codes[then] for then in prefix.thens])
    box_codes = np.array([codes[then] for then in thens])
    meets = boxes.meets(prefix.boxes) & (box_codes[:, None] == rule_codes)
    return [int(row) for row in np.argsort(meets.argmax(axis=1), kind="stable")]
