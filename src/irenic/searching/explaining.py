"""Why cases are decided as they are: the one place that every explanation comes from.

A reason is a region around a case in which the decision is always the same, with the fewest
conditions. Rules that decide limit it: one of them, or the part in which all of them hold. Rivals
must stay outside: the rules that would change the decision, as far as cases can occur there. Which
rules these are depends only on the rules that hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from irenic.arrays import Bools, Floats, Ints
from irenic.boxes import Boxes
from irenic.model.deciding import DecidingRules, Resolve
from irenic.model.decision_table import DecisionTable
from irenic.model.explanation import Explanation
from irenic.model.features import LOWEST
from irenic.model.head import labels_of, signs
from irenic.model.literals import display
from irenic.model.packed import PackedRules
from irenic.model.region import Region
from irenic.model.ruleset import RuleSet, possible_parts
from irenic.model.space import Instances
from irenic.searching._cfsbe import check_growable
from irenic.searching._fewest import fewest_orders

How: TypeAlias = Literal["agree", "first", "vote", "all"]
"""Which of several rules that hold decide: any (they agree), the first one, those of the
consequent with the most weight, or all of them together."""

# Cases that are compared with all rules at a time: the matrix may be huge.
_AT_ONCE: Final = 4_096


@dataclass(frozen=True, eq=False)
class Deciding:
    """Rules, and how they decide."""

    rules: DecidingRules
    how: How
    order: Ints
    """The rules, the first to win, or to be named, first."""
    outcomes: Callable[[Instances], Any] | None = None
    """Predicts where all rules count."""
    rows: tuple[int, ...] | None = None
    """Number of the row of each rule; None if each rule has its own."""
    counted: RuleSet | None = None
    """Regions of the default that training rows were counted in, the shortest first."""
    narrowed: Bools | None = None
    """Numbers on which a rule holds for missing values only so that it decides such cases, too,
    ``[rule, number]``: they are no part of the reason of a case that has the number."""

    @classmethod
    def of(
        cls, rules: DecidingRules, resolve: Resolve | None = None, confidence: Floats | None = None
    ) -> Deciding:
        """Return how a rule set decides; ``resolve`` chooses where its rules disagree."""
        if rules.is_partial:
            order = np.arange(len(rules))
            return cls(rules, "all", order, lambda cases: rules.predict(cases, resolve=resolve))
        if resolve == "vote":
            return cls(rules, "vote", np.arange(len(rules)))
        if resolve == "best":
            return cls(rules, "first", np.argsort(-rules.weights, kind="stable"))
        if resolve == "first":
            return cls(rules, "first", np.arange(len(rules)))
        known = np.zeros(len(rules)) if confidence is None else np.nan_to_num(confidence, nan=-1.0)
        return cls(rules, "agree", np.lexsort((-known, rules.conditions_per_rule())))

    @classmethod
    def of_table(cls, table: DecisionTable) -> Deciding:
        """Return how the rows of a decision table decide."""
        rules, rows = table.rules, tuple(table.rows)
        order = np.array(table.winning, dtype=np.int64)
        if table.is_ordered:
            return cls(rules, "first", order, rows=rows)
        if table.collects or rules.is_partial:
            return cls(rules, "all", order, table.predict, rows)
        return replace(cls.of(rules), rows=rows)

    def decided(self, cases: Instances) -> Ints:
        """Return the rule that decides each case, or is named; -1 if none holds."""
        if self.how == "vote":
            return self.rules.decide(cases, resolve="vote")
        return self.rules.packed.deciding(cases, self.order)


class Explained(NamedTuple):
    """Explanations, each for all cases that have it."""

    distinct: list[Explanation]
    group: Ints
    """The explanation of each case."""

    def each(self) -> list[Explanation]:
        """Return the explanation of each case."""
        return [self.distinct[place] for place in self.group.tolist()]


def explained(deciding: Deciding, cases: Instances) -> Explained:
    """Return why each case is decided as it is.

    Rules that must agree may contradict each other, but not for these cases.

    >>> from irenic import Rule
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="free"),
    ...                  Rule({"pass": {True}}, then="half")], default="full")
    >>> cases = rules.space.encode({"age": [40, 70], "pass": [True, False]})
    >>> for each in explained(Deciding.of(rules, "first"), cases).each():
    ...     print(each)
    half, by rule 2, because age >= 18 and pass in {true}
    full, by default, because age >= 18 and pass in {false}
    """
    check_growable(deciding.rules)
    holding, pattern = _patterns(deciding.rules, cases)
    decided = deciding.decided(cases)
    places, regions = _reasons(deciding, cases, decided, holding, pattern)
    excluded = _excluded(cases)
    key = (pattern * max(1, len(regions)) + places) * (len(cases.space.impossible) + 1) + excluded
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    thens = _thens(deciding, cases.take(first), decided[first])
    impossible = [None, *cases.space.impossible]
    distinct = [
        _explanation(
            deciding,
            np.flatnonzero(holding[pattern[row]]),
            int(decided[row]),
            then,
            regions[places[row]],
            impossible[excluded[row]],
        )
        for row, then in zip(first.tolist(), thens, strict=True)
    ]
    return Explained(distinct, group)


def _patterns(rules: DecidingRules, cases: Instances) -> tuple[Bools, Ints]:
    """Return the distinct sets of rules that hold together, and which one each case has."""
    if not len(rules) or len(cases) == 1:
        return rules.covering(cases)[:1], np.zeros(len(cases), dtype=np.int64)
    bits = [
        np.packbits(rules.covering(cases.take(slice(start, start + _AT_ONCE))), axis=1)
        for start in range(0, max(1, len(cases)), _AT_ONCE)
    ]
    few, group = np.unique(np.concatenate(bits), axis=0, return_inverse=True)
    return np.unpackbits(few, axis=1, count=len(rules)).astype(np.bool_), group.ravel()


def _excluded(cases: Instances) -> Ints:
    """Return the number of the first impossible region that each case is part of, 0 for none."""
    out = np.zeros(len(cases), dtype=np.int64)
    for number, region in reversed([*enumerate(cases.space.impossible, 1)]):
        out[region.contains(cases)] = number
    return out


def _thens(deciding: Deciding, cases: Instances, decided: Ints) -> list[Any]:
    if deciding.outcomes is not None:
        return list(deciding.outcomes(cases).tolist()) if len(cases) else []
    thens = [*deciding.rules.thens, deciding.rules.default]
    return [thens[rule] for rule in decided.tolist()]


# --- regions


class _Scope(NamedTuple):
    """Cases with the same limit and the same rivals."""

    rows: Ints
    limit: Region | None
    rivals: Boxes
    narrowed: Bools | None = None
    counted: RuleSet | None = None


def _reasons(
    deciding: Deciding, cases: Instances, decided: Ints, holding: Bools, pattern: Ints
) -> tuple[Ints, list[tuple[Region, bool]]]:
    """Return the regions of reasons, whether they are proved, and which one each case has."""
    places = np.empty(len(cases), dtype=np.int64)
    regions: dict[tuple[Region, bool], int] = {}
    for scope in _scopes(deciding, decided, holding, pattern):
        group, each = _regions_around(scope, cases.take(scope.rows))
        numbers = [regions.setdefault(region, len(regions)) for region in each]
        places[scope.rows] = np.array(numbers)[group]
    return places, list(regions)


def _scopes(deciding: Deciding, decided: Ints, holding: Bools, pattern: Ints) -> Iterator[_Scope]:
    """Yield the cases that have the same limit and rivals."""
    rules, how = deciding.rules, deciding.how
    rest = np.flatnonzero(decided < 0)
    if len(rest):
        rivals = possible_parts(rules, None if how == "all" else rules.default)[0]
        yield _Scope(rest, None, rivals, counted=deciding.counted)
    ruled = np.flatnonzero(decided >= 0)
    if how == "all" or (how == "vote" and not rules.is_consistent):
        parts, owners = possible_parts(rules, None)
        for of, rows in _grouped(pattern, ruled):
            together = rules.boxes.take(np.flatnonzero(holding[of]))
            limit = Region.from_box(_common_part(together))
            yield _Scope(rows, limit, parts.take(~holding[of][owners]))
        return
    rank = np.empty(len(rules), dtype=np.int64)
    rank[deciding.order] = np.arange(len(rules))
    known: dict[int, tuple[Boxes, Ints]] = {}
    for rule, rows in _grouped(decided, ruled):
        rivals = Boxes.none(rules.space)
        if not rules.is_consistent:
            code = int(rules.then_codes[rule])
            if code not in known:
                known[code] = possible_parts(rules, rules.thens[rule])
            rivals, owners = known[code]
            if how == "first":
                rivals = rivals.take(rank[owners] < rank[rule])
        narrowed = None if deciding.narrowed is None else deciding.narrowed[rule]
        yield _Scope(rows, rules[rule].region, rivals, narrowed)


def _grouped(keys: Ints, rows: Ints) -> Iterator[tuple[int, Ints]]:
    """Yield each key and the given rows that have it."""
    order = rows[np.argsort(keys[rows], kind="stable")]
    few, starts = np.unique(keys[order], return_index=True)
    if len(few):
        yield from zip(few.tolist(), np.split(order, starts[1:]), strict=True)


def _common_part(boxes: Boxes) -> Boxes:
    """Return the box in which all boxes overlap."""
    part = boxes.take([0])
    for place in range(1, len(boxes)):
        part = part & boxes.take([place])
    return part


def _regions_around(scope: _Scope, cases: Instances) -> tuple[Ints, list[tuple[Region, bool]]]:
    """Return the regions of a few cases, whether they are proved, and which one each case has."""
    limit, rivals, counted = scope.limit, scope.rivals, scope.counted
    if limit is not None:
        rivals = rivals & limit.box
        if not len(rivals) and (scope.narrowed is None or not scope.narrowed.any()):
            return np.zeros(len(cases), dtype=np.int64), [(limit.simplified(), True)]
    bounds = [rivals] if counted is None else [rivals, counted.boxes]
    first, group = cells_of(cases, bounds if limit is None else [*bounds, limit.box])
    few = cases.take(first)
    regions, proved = _grown(limit, rivals, few, scope.narrowed)
    if counted is not None:
        known = counted.decide(few, resolve="first").tolist()
        for row, place in enumerate(known):
            own = None if place < 0 else counted[place].region
            if own is not None and own.n_conditions <= regions[row].n_conditions:
                regions[row] = own.simplified()
    return group, list(zip(regions, proved.tolist(), strict=True))


def _grown(
    limit: Region | None, rivals: Boxes, cases: Instances, narrowed: Bools | None
) -> tuple[list[Region], Bools]:
    """Return the region with the fewest conditions around each case, and whether it is proved."""
    space = cases.space
    given = None if limit is None else limit.box.simplified().tests()[0]
    orders, proved = fewest_orders(rivals, cases, given)
    every = np.full(len(cases), -1, dtype=np.int64)
    packed = PackedRules.from_boxes(rivals, np.zeros(len(rivals), dtype=np.int32))
    boxes = packed.enlarge_many(cases, orders, every)[1]
    own = np.ones(len(space.continuous), dtype=np.bool_)
    if limit is not None and given is not None:
        boxes = boxes & limit.box
        own = ~given[: len(own)] | (False if narrowed is None else narrowed)
    # that a number of the case could also be missing is no part of the reason
    boxes = boxes.simplified()
    lower = boxes.lower.copy()
    lower[(lower == -np.inf) & (boxes.upper < np.inf) & (-np.inf < cases.values.T) & own] = LOWEST
    return Region.from_boxes(boxes.like(lower, boxes.upper, boxes.masks)), proved


def regions_by_default(rules: RuleSet, cases: Instances) -> list[Region]:
    """Return the region of the reason of each case that no rule covers.

    >>> from irenic import Rule
    >>> rule = Rule({"age": (None, 18), "income": (None, 9)}, then="free")
    >>> rules = RuleSet([rule], default="full")
    >>> regions_by_default(rules, rules.space.encode({"age": [40, 3], "income": [5, 12]}))
    [age >= 18, income >= 9]
    """
    rivals = possible_parts(rules, rules.default)[0]
    group, regions = _regions_around(_Scope(np.arange(len(cases)), None, rivals), cases)
    return [regions[place][0] for place in group.tolist()]


def cells_of(cases: Instances, boxes: Iterable[Boxes]) -> tuple[Ints, Ints]:
    """Return the first case of each cell, and the cell of each case.

    No bound of a box lies between two cases of one cell.
    """
    space, cell = cases.space, np.zeros(len(cases), dtype=np.int64)
    if len(cases) < 2:
        return cell, cell
    n_continuous, every = len(space.continuous), Boxes.none(space).concat(*boxes)
    lower, upper, masks = every.lower, every.upper, every.masks
    for axis in np.flatnonzero(every.tests().any(axis=0)).tolist():
        if axis < n_continuous:
            values = cases.values[axis]
            bounds = np.unique([lower[:, axis], upper[:, axis]])
            places = np.where(values == -np.inf, 0, np.searchsorted(bounds, values, "right") + 1)
        else:
            words = np.ascontiguousarray(masks[:, space.sets[axis - n_continuous]])
            bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
            alike = np.unique(bits, axis=1, return_inverse=True)[1]
            places = alike.ravel()[cases.codes[axis - n_continuous]]
        cell = np.unique(cell * (int(places.max()) + 1) + places, return_inverse=True)[1]
    _, first = np.unique(cell, return_index=True)
    return first, cell


# --- in words


def _explanation(
    deciding: Deciding,
    holding: Ints,
    rule: int,
    then: Any,
    reason: tuple[Region, bool],
    impossible: Region | None,
) -> Explanation:
    """Return the explanation of the cases for which the given rules hold."""
    region, is_proved = reason
    by, against, more = _sides(deciding, holding, rule, then)
    rules = _numbered(deciding, by)
    if impossible is not None:
        what = "nothing is decided" if then is None else _shown(then)
        text = f"{what}, but the case cannot occur: the rules exclude {impossible}"
    elif not len(holding):
        text = default_text(then, region)
    else:
        others = [number for number in _numbered(deciding, against) if number not in rules]
        text = _rule_text(then, rules, region)
        text += f" (against {_named(others)})" if others else ""
        text += more
    if not is_proved:
        text += "; perhaps fewer conditions are enough"
    return Explanation(then, rules, text, region, impossible, is_proved)


def _sides(
    deciding: Deciding, holding: Ints, rule: int, then: Any
) -> tuple[list[int], list[int], str]:
    """Return which of the rules that hold decide, which contradict them, and a remark."""
    rules, held = deciding.rules, holding.tolist()
    if not held:
        return [], [], ""
    if deciding.how == "all" and rules.is_partial:
        labels = labels_of((*rules.thens, then))
        own, final = signs([rules.thens[i] for i in held], labels), signs([then], labels)
        by = [i for i, each in zip(held, own, strict=True) if (each == final).any()]
        against = [i for i, each in zip(held, own, strict=True) if (each == -final).any()]
        more = "" if own.any(axis=0).all() else "; other labels by default"
        return by, against, more
    if deciding.how == "all":
        return [i for i in deciding.order.tolist() if i in held], [], ""
    codes = rules.then_codes
    same = [i for i in held if codes[i] == codes[rule] and i != rule]
    against = [i for i in held if codes[i] != codes[rule]]
    return [rule, *(same if deciding.how != "first" else ())], against, ""


def _numbered(deciding: Deciding, rules: list[int]) -> tuple[int, ...]:
    """Return the rows of rules, each once."""
    rows = deciding.rows
    return tuple(rules) if rows is None else tuple(dict.fromkeys(rows[rule] for rule in rules))


def _named(rules: Iterable[int]) -> str:
    numbers = [str(rule + 1) for rule in rules]
    return f"rule{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"


def _shown(then: Any) -> str:
    return display(tuple(then) if isinstance(then, list) else then)


def _rule_text(then: Any, rules: tuple[int, ...], region: Region) -> str:
    by = f"{_shown(then)}, by {_named(rules)}"
    if region.n_conditions:
        return f"{by}, because {region}"
    return f"{by}, which hold{'s' if len(rules) == 1 else ''} for every case"


def default_text(then: Any, region: Region) -> str:
    """Return a decision by default, or by no rule, and its reason in words.

    >>> default_text("full", Region.parse("age >= 18"))
    'full, by default, because age >= 18'
    >>> default_text(None, Region.parse("age >= 18"))
    'nothing is decided, because age >= 18: no rule covers these cases'
    """
    because = f", because {region}" if region.n_conditions else ""
    if then is None or then == []:
        what = "these cases" if because else "this case"
        return f"nothing is decided{because}: no rule covers {what}"
    return f"{_shown(then)}, by default{because or ': no rule predicts anything else'}"
