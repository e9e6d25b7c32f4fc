"""Lists into sets: what a rule says once those before it have spoken, as rules of their own."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final

import numpy as np

from irenic.boxes import Boxes
from irenic.boxes.covering import covering, without_covered
from irenic.budget import Budget, Meter
from irenic.errors import ConditionError
from irenic.mend._prove import ListProof, out_of_budget
from irenic.model.decision_table import DecisionTable
from irenic.model.rule import rules_of
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet

# Up to here boxes are grown among all that stands against them; beyond, each within its own rule.
_MOST_PAIRS: Final = 4_000_000
_MOST_OUTSIDE: Final = 4_000


def to_set(
    rules: RuleList | DecisionTable,
    *,
    explicit: bool = False,
    budget: Budget | float | None = 60.0,
) -> RuleSet:
    """Return a set without contradictions that predicts what a list predicts, everywhere.

    Each rule is cut back to where no earlier rule says otherwise, and what is left is written as
    few boxes; those of one consequent may overlap. That the set says the same as the list is
    then proved from the regions of both, not from how it was made.

    Parameters
    ----------
    rules : RuleList or DecisionTable
        A table is taken by its policy: in order where it is FIRST or PRIORITY.
    explicit : bool
        False: the default of the list is that of the set, and a rule without conditions ("else")
        becomes the default; what equals the default is not written as rules. True: every
        consequent is written as rules and the set has no default.
    budget : Budget or float (seconds), optional
        A set can take very many more rules than a list: it grows with the number of rules that
        overlap. When the budget is used up before the proof, BudgetError is raised. A minute by
        default.

    Returns
    -------
    RuleSet
        Its length says how many rules it took. A rule that stays as it was keeps its weight, new
        ones have weight 1.

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
    given = _as_list(rules)
    said = _Said.of(given, explicit)
    parts = [_part(said, i, meter) for i in range(len(said.thens))]
    outside = _outside(said, parts)
    boxes, thens = _written(said, parts, outside, meter)
    proof = ListProof(said.boxes, said.thens, said.default, meter)
    made = RuleSet(rules_of(boxes, thens, given), boxes.space, default=said.default)
    # An assertion of the library about itself: it cannot fail unless there is a mistake in it.
    if not (proof.holds(boxes, thens) and made.is_consistent):  # pragma: no cover
        raise AssertionError("the set does not say what the list says; please report this")
    return made


def _as_list(rules: RuleList | DecisionTable) -> RuleList:
    ordered = DecisionTable.of(rules).as_rules()
    if not isinstance(ordered, RuleList):
        given = repr(rules) if isinstance(rules, DecisionTable) else type(rules).__name__
        raise ConditionError(
            f"rules must be ordered, a RuleList or a table under FIRST or PRIORITY, got {given};"
            ' irenic.repair mends a set, and RuleList.of(rules) or table.under("FIRST") puts rules'
            " in order"
        )
    return ordered


@dataclass
class _Said:
    """What a list says: its rules up to the first that always holds, and what is left to say."""

    boxes: Boxes
    thens: list[Hashable]
    default: Hashable | None
    """What need not be written as rules."""

    @classmethod
    def of(cls, rules: RuleList, explicit: bool) -> _Said:
        held = rules.rules
        boxes, thens, default = held.boxes, held.thens, rules.default
        whole = Boxes.whole(held.space)
        always = np.flatnonzero(boxes.contains(whole)[:, 0])
        if len(always):  # nothing behind it is ever asked
            first = int(always[0])
            default = thens[first]
            boxes, thens = boxes.take(slice(first)), thens[:first]
        if explicit and default is not None:
            boxes, thens = boxes.concat(whole), [*thens, default]
            default = None
        return cls(boxes, thens, default)

    def rivals_before(self, i: int) -> Boxes:
        """Return the earlier rules that say something else than rule ``i``."""
        return self.boxes.take([j for j in range(i) if self.thens[j] != self.thens[i]])


def _part(said: _Said, i: int, meter: Meter) -> Boxes:
    """Return what rule ``i`` decides, as disjoint boxes."""
    if said.thens[i] == said.default:
        return Boxes.none(said.boxes.space)
    part = said.boxes.take([i]).subtract(said.boxes.take(slice(i)), meter)
    if meter.stopped_by is not None:
        raise out_of_budget("turning the list into a set", meter)
    return part


def _outside(said: _Said, parts: list[Boxes]) -> Boxes | None:
    """Return where nothing needs to be said, as disjoint boxes; None if they are very many."""
    counts: dict[Hashable, int] = {}
    for then, part in zip(said.thens, parts, strict=True):
        counts[then] = counts.get(then, 0) + len(part)
    total, most = sum(counts.values()), max(counts.values(), default=0)
    if most * total > _MOST_PAIRS:
        return None
    look = Meter(Budget(regions=_MOST_OUTSIDE, nodes=50 * _MOST_OUTSIDE))
    whole, none = Boxes.whole(said.boxes.space), Boxes.none(said.boxes.space)
    found = whole.subtract(none.concat(*parts), look)
    if look.stopped_by is not None or most * (total + len(found)) > _MOST_PAIRS:
        return None
    return found


def _written(
    said: _Said, parts: list[Boxes], outside: Boxes | None, meter: Meter
) -> tuple[Boxes, list[Hashable]]:
    """Return few boxes, with their consequents, that hold what every rule decides."""
    whole, none = Boxes.whole(said.boxes.space), Boxes.none(said.boxes.space)
    found: list[Boxes] = []
    thens: list[Hashable] = []
    for then in dict.fromkeys(said.thens):
        if then == said.default:
            continue
        places = [i for i, t in enumerate(said.thens) if t == then]
        if outside is None:
            chosen = _each_in_its_rule(said, parts, places, meter)
        else:
            rivals = [part for i, part in enumerate(parts) if said.thens[i] != then]
            pieces = none.concat(*(parts[i] for i in places))
            chosen = covering(pieces, whole, outside.concat(*rivals), meter)
        chosen = without_covered(chosen, meter)
        found.append(chosen)
        thens += [then] * len(chosen)
    boxes = none.concat(*found)
    if not thens:
        return boxes, thens
    order = _order(said, boxes, thens)
    return boxes.take(order), [thens[row] for row in order]


def _each_in_its_rule(said: _Said, parts: list[Boxes], places: list[int], meter: Meter) -> Boxes:
    """Return boxes that hold what some rules decide, each inside the region of its rule."""
    chosen = [
        covering(parts[i], said.boxes.take([i]), said.rivals_before(i), meter) for i in places
    ]
    return Boxes.none(said.boxes.space).concat(*chosen)


def _order(said: _Said, boxes: Boxes, thens: list[Hashable]) -> list[int]:
    """Return the places of boxes in the order of the list's rules that they come from."""
    codes = {then: code for code, then in enumerate(dict.fromkeys(said.thens))}
    own, of = (np.array([codes[then] for then in given]) for given in (said.thens, thens))
    meets = boxes.meets(said.boxes) & (of[:, None] == own)
    return [int(row) for row in np.argsort(meets.argmax(axis=1), kind="stable")]
