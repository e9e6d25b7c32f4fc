"""Questions about decisions: which cases are concerned, and what must hold for their outcomes.

Every property becomes one question. One or two sides decide each case: the rules themselves, the
rules of another file, or the same rules for a case that differs in one feature only. That feature
then has a second axis. A claim says which outcomes, or pairs of outcomes, are allowed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Final, Literal, Protocol, TypeAlias

import numpy as np

from irenic.arrays import Bools, Codes, Floats
from irenic.boxes import Boxes
from irenic.budget import Meter
from irenic.errors import ConditionError, ConflictError
from irenic.model.decision_table import DecisionTable, combined
from irenic.model.features import Feature
from irenic.model.head import contradicts, labels_of, open_labels, signs
from irenic.model.literals import display
from irenic.model.overlap import Conflict
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances, Space, from_words
from irenic.model.spaces import in_space


class HasRules(Protocol):
    """A fitted classifier, as far as questions need it."""

    rules_: RuleSet


Rules: TypeAlias = RuleSet | RuleList | DecisionTable | HasRules
Decides: TypeAlias = Literal["first", "any", "all"]
"""Which of several rules that hold decides: the first, any (they agree), or all together."""
NOTHING: Final = 0
"""The code of having no outcome."""


def as_table(rules: Rules) -> DecisionTable:
    """Return rules, or those of a fitted classifier, as a table, which ranks its labels."""
    rule_set = getattr(rules, "rules_", None)
    if not isinstance(rule_set, RuleSet):
        return DecisionTable.from_rules(rules)  # type: ignore[arg-type]  # or an error names them
    labels = tuple(getattr(rules, "classes_", np.empty(0)).tolist())
    if getattr(rules, "conflicts", "") == "best" and not rule_set.is_consistent:
        order = np.argsort(-rule_set.weights, kind="stable").tolist()
        return DecisionTable(rule_set[order], tuple(order), len(rule_set), "FIRST", ranking=labels)
    if getattr(rules, "conflicts", "") == "vote" and not rule_set.is_consistent:
        n = len(rule_set)
        return _Vote(rule_set, tuple(range(n)), n, hit_policy="COLLECT")
    return replace(DecisionTable.from_rules(rule_set), ranking=labels)


class _Vote(DecisionTable):
    """Rules of a classifier that vote: the outcome with the greatest sum of weights wins."""

    def predict(self, X: Any, *, default: Hashable | None = None) -> Any:
        return self.rules.predict(X, default=default, resolve="vote")

    def elected(self, places: tuple[int, ...]) -> Hashable:
        """Return the outcome of some rules; of several that win, that of the first rule."""
        thens, weights = self.rules.thens, self.rules.weights
        sums: dict[Hashable, float] = {}
        for place in places:
            sums[thens[place]] = sums.get(thens[place], 0.0) + float(weights[place])
        return max(sums, key=lambda then: sums[then])


class Outcomes:
    """The distinct outcomes of a question, with a code for each; code 0 is having none.

    Of several outputs, only one column may be in question.
    """

    def __init__(self, column: int | None = None) -> None:
        self.column = column
        self.values: list[Any] = [None]
        self._codes: dict[Hashable, int] = {None: NOTHING}

    def code(self, outcome: Any) -> int:
        """Return the code of an outcome, which is new if no other one equals it."""
        if self.column is not None and isinstance(outcome, list):
            outcome = [each[self.column] for each in outcome]
        elif self.column is not None and isinstance(outcome, tuple):
            outcome = outcome[self.column]
        key = ("listed", tuple(outcome)) if isinstance(outcome, list) else outcome
        code = self._codes.setdefault(key, len(self.values))
        if code == len(self.values):
            self.values.append(outcome)
        return code


@dataclass(frozen=True, eq=False)
class Side:
    """Rules as boxes in the order in which they win, and the codes of their outcomes."""

    boxes: Boxes
    codes: Codes
    default: int
    decides: Decides
    rows: tuple[int, ...]
    together: Callable[[tuple[int, ...]], int] | None = None
    """The code of the outcome of rules that decide together, given their places."""
    disputed: Callable[[tuple[int, ...]], bool] = lambda _: False
    """Whether rules that decide together contradict each other, given their places."""

    def on(self, boxes: Boxes) -> Side:
        """Return the side with its boxes in another space."""
        return replace(self, boxes=boxes)

    def decide(self, point: Instances) -> tuple[int, tuple[int, ...]]:
        """Return the code of the outcome of a single case, and the rows that decide it."""
        places = np.flatnonzero(~self.boxes.outside(point)[0].any(axis=1)).tolist()
        if not places:
            return self.default, ()
        rows = dict.fromkeys(self.rows[place] for place in places)
        if self.together is not None:
            return self.together(tuple(places)), tuple(sorted(rows))
        code = int(self.codes[places[0]])
        return code, tuple(rows)[:1] if self.decides == "first" else tuple(sorted(rows))


ClaimKind: TypeAlias = Literal["only", "same", "implies", "rising", "falling", "consistent"]


@dataclass(frozen=True, eq=False)
class Claim:
    """What must hold for the outcomes of a case.

    ``only``: the outcome is allowed. ``same``: both outcomes are equal, or the first is allowed.
    ``implies``: if the first outcome is allowed, so is the second. ``rising`` and ``falling``: the
    first outcome is not above, or not below, the second. ``consistent``: rules that hold together
    agree.
    """

    kind: ClaimKind
    allows: Callable[[Any], bool] = lambda _: False
    order: tuple[Any, ...] = ()
    """For ``rising`` and ``falling``, the outcomes from the lowest to the highest, if given."""


@dataclass(frozen=True, eq=False)
class Question:
    """Does a claim hold for the outcomes of all cases of some regions?"""

    space: Space
    roots: Boxes
    excused: Boxes
    """Cases that need not meet the claim: those that cannot occur, and those a property excepts."""
    sides: tuple[Side, ...]
    claim: Claim
    outcomes: Outcomes
    note: str = ""
    """A remark for the reader of the answer."""
    pair: tuple[int, int] | None = None
    """The axes of a feature in the first and in the second of two cases; the others are equal."""
    is_below: bool = False
    """Whether the value on the first axis of the pair is less than that on the second."""

    @cached_property
    def boxes(self) -> Boxes:
        """The boxes of everything: the excused cases, then the rules of each side."""
        return self.excused.concat(*(side.boxes for side in self.sides))

    def plain(self) -> dict[str, Any]:
        """Return the question as ``checker`` reads it, without arrays."""
        values, starts = self.outcomes.values, self.starts
        return {
            "continuous": len(self.space.continuous),
            "roots": plain_boxes(self.roots),
            "boxes": plain_boxes(self.boxes),
            "excused": starts[0],
            "sides": [
                {
                    "start": start,
                    "stop": stop,
                    "codes": side.codes.tolist(),
                    "default": side.default,
                    "decides": side.decides,
                    "together": side.together,
                }
                for side, start, stop in zip(self.sides, starts, starts[1:], strict=False)
            ],
            "claim": self.claim.kind,
            "allows": lambda code: self.claim.allows(values[code]),
            "rank": lambda code: _rank(values[code], self.claim.order),
            "contradicts": lambda a, b: contradicts(values[a], values[b]),
            "below": self.pair if self.is_below else None,
        }

    @property
    def starts(self) -> list[int]:
        """Where the boxes of each side start, and the end."""
        sizes = [len(self.excused), *(len(side.boxes) for side in self.sides)]
        starts: list[int] = np.cumsum(sizes).tolist()
        return starts

    def allowed(self) -> Bools:
        """Return which of the outcomes so far are allowed; others may be added later."""
        known = self._allowed
        known += [self.claim.allows(value) for value in self.outcomes.values[len(known) :]]
        return np.array(known, dtype=np.bool_)

    @cached_property
    def _allowed(self) -> list[bool]:
        return []

    def differ(self, first: Any, second: Any) -> Any:
        """Return whether outcomes of two versions must not meet, given their codes."""
        allowed = self.allowed()
        if self.claim.kind == "implies":
            return allowed[first] & ~allowed[second]
        return ~allowed[first] & (first != second)

    def ranks(self) -> Floats:
        """Return the ranks of the outcomes so far, lower ones first; NaN for having none."""
        keys = [_rank(value, self.claim.order) for value in self.outcomes.values[1:]]
        try:
            places = {key: place for place, key in enumerate(sorted(set(keys)))}
        except TypeError:
            raise ConditionError("outcomes must be of one kind to increase or decrease") from None
        ranks = np.array([math.nan, *(places[key] for key in keys)])
        return -ranks if self.claim.kind == "falling" else ranks

    def contradictions(self) -> Bools:
        """Return which of the outcomes so far contradict which; having none contradicts none."""
        values = self.outcomes.values
        return np.array(
            [[None not in (a, b) and contradicts(a, b) for b in values] for a in values]
        )

    def cases(self, point: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the case that a point of the space stands for, or two that differ in a feature."""
        if self.pair is None:
            return [point]
        features: list[Feature] = [*self.space.continuous, *self.space.categorical]
        first, second = (features[axis].name for axis in self.pair)
        other = point[second]
        case = {name: value for name, value in point.items() if name != second}
        return [case, {**case, first: other}]


def _rank(outcome: Any, order: Sequence[Any]) -> Any:
    """Return a value by which an outcome is compared with others.

    >>> _rank("medium", ["low", "medium", "high"]), _rank(2.5, [])
    (1, 2.5)
    """
    if order:
        if outcome not in order:
            listed, rest = ", ".join(map(display, order)), display(outcome)
            raise ConditionError(f"ORDER must list every outcome, got {listed} without {rest}")
        return order.index(outcome)
    if isinstance(outcome, bool | str | tuple | frozenset | list):
        raise ConditionError(
            f"outcomes must be numbers or dates to increase or decrease, got {display(outcome)};"
            " list others from the lowest to the highest: ORDER low, medium, high"
        )
    return outcome


def combinations_of(side: Side, root: Boxes, meter: Meter) -> dict[tuple[int, ...], Boxes]:
    """Return which rules hold together in a box, by their places, and where, as disjoint boxes.

    If the budget is used up, ``meter.stopped_by`` is set, and the result is not complete.
    """
    holding: list[tuple[int, ...]] = [()]
    pieces, held = root, np.zeros(len(root), dtype=np.int64)
    for place in np.flatnonzero(side.boxes.meeting(root)).tolist():
        rule = side.boxes.take([place])
        meets = pieces.meeting(rule)
        near, far = np.flatnonzero(meets), np.flatnonzero(~meets)
        outside = [box.subtract(rule, meter) for box in pieces.take(near)]
        from_near = np.repeat(near, [len(part) for part in outside])
        before, inverse = np.unique(held[near], return_inverse=True)
        held = np.concatenate([len(holding) + inverse, held[far], held[from_near]])
        holding += [(*holding[each], place) for each in before.tolist()]
        pieces = (pieces.take(near) & rule).concat(pieces.take(far), *outside)
        # what becomes of each piece stays at its place
        order = np.argsort(np.concatenate([near, far, from_near]), kind="stable")
        pieces, held = pieces.take(order), held[order]
        if meter.spent(nodes=len(near)):
            break
    groups, first = np.unique(held, return_index=True)
    order = np.argsort(held, kind="stable")
    rows = np.split(order, np.searchsorted(held[order], groups[1:]))
    in_order = np.argsort(first, kind="stable").tolist()
    return {holding[groups[each]]: pieces.take(rows[each]) for each in in_order}


def plain_boxes(boxes: Boxes) -> list[tuple[list[float], list[float], list[int]]]:
    """Return boxes as lists of lower bounds, upper bounds and sets of values as bits."""
    sets = [
        [from_words(row) for row in words]
        for words in (boxes.masks[:, part] for part in boxes.space.sets)
    ]
    masks = [list(row) for row in zip(*sets, strict=True)] if sets else [[] for _ in boxes.lower]
    return list(zip(boxes.lower.tolist(), boxes.upper.tolist(), masks, strict=True))


# --- sides


def decided_by(
    table: DecisionTable, point: Instances, outcomes: Outcomes
) -> tuple[Side, int, tuple[int, ...]]:
    """Return a table as a side, the code of the outcome of a case, and the rows that decide it.

    Rules that are not ordered may contradict each other, but not for this case.
    """
    check_undisputed(table, point)
    side = side_of(table, table.space, outcomes, checked=False)
    return side, *side.decide(point)


def check_undisputed(table: DecisionTable, point: Instances) -> None:
    """Raise an error if rules that must agree contradict each other for a case."""
    rules = table.rules
    if table.is_ordered or table.collects or rules.is_consistent:
        return
    places = np.flatnonzero(rules.covering(point)[0]).tolist()
    pairs = [
        Conflict(table.rows[a], table.rows[b], (rules[a], rules[b]))
        for a, b in combinations(places, 2)
        if contradicts(rules.thens[a], rules.thens[b])
    ]
    if pairs:
        rows = sorted({row for pair in pairs for row in (pair.first, pair.second)})
        thens = dict(zip(table.rows, rules.thens, strict=True))
        says = ", ".join(f"rule {row + 1} says {display(thens[row])}" for row in rows)
        where = f"{place}: " if (place := table.place(rows)) else ""
        raise ConflictError(
            f"the rules contradict each other for this case: {where}{says}; {_OR_FIRST}", pairs
        )


_OR_FIRST: Final = (
    "repair them, or let the first rule win with RuleList.from_rules(rules) or --hit-policy FIRST"
)


def side_of(
    table: DecisionTable,
    space: Space,
    outcomes: Outcomes,
    which: str = "",
    *,
    checked: bool = True,
) -> Side:
    """Return a table as a side in a space that contains its own.

    Rules that are not ordered must not contradict each other, unless ``checked`` is False.
    """
    rules = in_space(table.rules, space)
    default = NOTHING if rules.default is None else outcomes.code(rules.default)
    if table.collects or rules.is_partial:
        return _together(table, rules, outcomes, default, checked=checked)
    order = np.array(table.winning, dtype=np.intp)
    codes = np.array([outcomes.code(then) for then in rules.consequents], dtype=np.int32)
    codes = codes[rules.then_codes[order]] if len(order) else np.empty(0, dtype=np.int32)
    rows = tuple(table.rows[i] for i in order.tolist())
    if checked and not (table.is_ordered or table.rules.is_consistent):
        conflict = table.first_conflict()
        assert conflict is not None
        raise ConflictError(
            f"the {which}rules contradict each other: {table.say_conflict(conflict)}; {_OR_FIRST}",
            [conflict],
        )
    boxes = rules.boxes.take(order)
    return Side(boxes, codes, default, "first" if table.is_ordered else "any", rows)


def _together(
    table: DecisionTable, rules: RuleSet, outcomes: Outcomes, default: int, *, checked: bool
) -> Side:
    """Return a table in which all rules that hold count."""
    ranks = {then: rank for rank, then in enumerate(table.ranking)}
    thens = rules.thens
    labels = labels_of((*thens, rules.default)) if rules.is_partial else []
    decided = signs(thens, labels) if rules.is_partial else None
    if checked and rules.is_partial and not rules.is_consistent:
        conflict = table.first_conflict()
        raise ConflictError(f"the rules contradict each other: {conflict}; repair them", [conflict])
    memo: dict[tuple[int, ...], int] = {}

    def together(places: tuple[int, ...]) -> int:
        if places not in memo:
            memo[places] = outcomes.code(outcome(places)) if places else empty
        return memo[places]

    def outcome(places: tuple[int, ...]) -> Any:
        if decided is not None:
            state = decided[list(places)].sum(axis=0)
            usual = open_labels(rules.default)
            return frozenset(
                label
                for label, sign in zip(labels, state.tolist(), strict=True)
                if sign > 0 or (sign == 0 and label in usual)
            )
        if isinstance(table, _Vote):
            return table.elected(places)
        rows = sorted({table.rows[place]: thens[place] for place in places}.items())
        if table.hit_policy == "OUTPUT ORDER":
            rows.sort(key=lambda row: ranks.get(row[1], len(ranks)))
        return combined([then for _, then in rows], table.hit_policy, table.aggregation)

    empty = default
    if default == NOTHING and not rules.is_partial and not isinstance(table, _Vote):
        empty = outcomes.code(combined([], table.hit_policy, table.aggregation))

    def disputed(places: tuple[int, ...]) -> bool:
        return rules.is_partial and any(
            contradicts(thens[a], thens[b]) for a, b in combinations(places, 2)
        )

    codes = np.zeros(len(rules), dtype=np.int32)
    boxes = rules.boxes
    return Side(boxes, codes, empty, "all", tuple(table.rows), together, disputed)
