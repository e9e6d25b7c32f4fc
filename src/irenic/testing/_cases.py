"""Test rules with cases, list what no case exercises, and generate cases that exercise all."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from irenic.arrays import Bools
from irenic.boxes import Boxes
from irenic.boxes.covering import greedy_cover
from irenic.budget import Budget, Meter
from irenic.errors import DataError
from irenic.model.condition import show_operators
from irenic.model.decision_table import DecisionTable
from irenic.model.features import Continuous
from irenic.model.literals import display, say
from irenic.model.region import Region
from irenic.model.space import Instances
from irenic.proving.answering import answer
from irenic.proving.question import Claim, Outcomes, Question, Rules, Side, as_table, side_of

Place: TypeAlias = Literal["below", "on", "above"]
_PLACES: Final[tuple[Place, ...]] = ("below", "on", "above")
# Most values of a category that are taken out of, or put into, a condition one by one.
_MOST_VALUES: Final = 64


@dataclass(frozen=True)
class Outcome:
    """A case that was decided, and whether as expected.

    Parameters
    ----------
    expected, actual : hashable or None
        The expected outcome and the actual one.
    rules : tuple of int
        Indices of the rules that decide; empty if the default does, or nothing.
    passed : bool
        Whether both are equal.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.testing import try_cases
    >>> trial = try_cases(RuleSet([Rule({"age": (None, 18)}, then="free")]), {"age": [9]}, ["full"])
    >>> trial.outcomes[0].actual, trial.outcomes[0].passed
    ('free', False)
    """

    expected: Hashable | None
    actual: Hashable | None
    rules: tuple[int, ...]
    passed: bool


@dataclass(frozen=True)
class Trial:
    """What cases show about rules: which of them fail, and what none of them exercises.

    A rule is exercised by a case that it decides; a condition by two cases for which all other
    conditions of its rule hold, one inside and one outside it; a bound by three of these: on the
    bound, just below and just above it. "Just" is within the unit of its last digit.

    Parameters
    ----------
    outcomes : tuple of Outcome
        One per case.
    covered, total : mapping of str to int
        How many ``rules``, ``conditions`` and ``bounds`` are exercised, and how many there are.
    missed : tuple of str
        What no case exercises, with rules numbered from 1.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.testing import try_cases
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="free")], default="full")
    >>> trial = try_cases(rules, {"age": [9, 18]}, ["free", "full"])
    >>> trial.passed, trial.covered["bounds"], trial.total["bounds"]
    (True, 1, 3)
    >>> trial.missed
    ('no case is just below 18 in age < 18 of rule 1',
     'no case is just above 18 in age < 18 of rule 1')
    """

    outcomes: tuple[Outcome, ...]
    covered: Mapping[str, int]
    total: Mapping[str, int]
    missed: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether all cases have the expected outcome."""
        return all(outcome.passed for outcome in self.outcomes)


def try_cases(rules: Rules, X: Any, expected: Sequence[Any], *, coverage: bool = True) -> Trial:
    """Decide cases, compare the outcomes, and say what no case exercises.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted classifier
        The rules.
    X : table
        The cases.
    expected : sequence of hashable
        The expected outcome of each case; None for none.
    coverage : bool, default True
        Whether to find out what no case exercises, which takes longest with many rules.

    Returns
    -------
    Trial

    Raises
    ------
    DataError
        If the cases do not fit the rules, or there is not one outcome per case.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.testing import try_cases
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="free")], default="full")
    >>> try_cases(rules, {"age": [17, 18, 19]}, ["free", "full", "full"]).passed
    True
    """
    table = as_table(rules)
    instances = table.encode(X)
    if len(instances) != len(expected):
        raise DataError(
            f"expected must have one outcome per case, got {len(expected)} for {len(instances)}"
        )
    decided = table.decide(instances)
    actual = table.predict(instances).tolist()
    outcomes = tuple(
        Outcome(wanted, got, rows, _same(wanted, got))
        for wanted, got, rows in zip(expected, actual, decided, strict=True)
    )
    goals = list(_goals(table)) if coverage else []
    met = np.array([goal.test(instances, decided).any() for goal in goals], dtype=np.bool_)
    kinds = {kind: [g.kind == kind for g in goals] for kind in ("rules", "conditions", "bounds")}
    return Trial(
        outcomes,
        {kind: int(met[of].sum()) for kind, of in kinds.items()},
        {kind: sum(of) for kind, of in kinds.items()},
        tuple(goal.missed for goal, is_met in zip(goals, met, strict=True) if not is_met),
    )


def _same(expected: Any, actual: Any) -> bool:
    """Return whether an outcome is the expected one, which may be read from text.

    >>> _same("5", 5), _same(5.0, 5), _same("a", "b"), _same(None, [])
    (True, True, False, True)
    """
    if expected is None:
        return actual is None or actual == []
    if actual is None:
        return False
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual or str(expected).lower() == str(actual).lower()
    return bool(expected == actual) or str(expected) in (str(actual), say(actual), display(actual))


# --- what cases have to exercise


class _Goal(NamedTuple):
    kind: str
    test: Callable[[Instances, Sequence[tuple[int, ...]]], Bools]
    """Returns which cases exercise it."""
    missed: str
    region: Boxes
    """Where cases can exercise it."""


def _goals(table: DecisionTable) -> Iterator[_Goal]:
    boxes = table.rules.boxes
    for row in sorted(set(table.rows)):
        regions = boxes.take(table.places(row))
        yield _Goal("rules", _decides(row), f"no case is decided by rule {row + 1}", regions)
    for place, rule in enumerate(table.rules):
        box = boxes.take([place])
        for name, operators in rule.region.conditions().items():
            axis = int(table.space.axes[table.space.index(name)])
            others = box.freed(axis)
            of = f"{show_operators(name, operators)} of rule {table.rows[place] + 1}"
            outside = Boxes.none(box.space).concat(*(others.subtract(box.simplified())))
            for inside in (True, False):
                how = "meets" if inside else "violates only"
                region = box if inside else outside
                if len(region):
                    test = _violates(others, box, inside=inside)
                    yield _Goal("conditions", test, f"no case {how} {of}", region)
            feature = table.space[name]
            if isinstance(feature, Continuous):
                yield from _bound_goals(feature, axis, others, operators, of)


def _bound_goals(
    feature: Continuous, axis: int, others: Boxes, operators: Mapping[str, Any], of: str
) -> Iterator[_Goal]:
    for operator, written in operators.items():
        if operator not in ("<", "<=", ">", ">=", "="):
            continue
        bound = feature.encode_value(written)
        unit = unit_of(feature, bound)
        at = feature.after(bound)
        parts = {"below": (bound - unit, bound), "on": (bound, at), "above": (at, bound + unit)}
        parts["above"] = (at, max(feature.after(bound + unit), feature.after(at)))
        for place in _PLACES:
            low, high = parts[place]
            low, high = max(low, feature.lowest), min(high, feature.end)
            if low >= high:
                continue
            region = others.copy()
            region.lower[0, axis], region.upper[0, axis] = low, high
            shown = feature.format_value(bound)
            where = f"on {shown}" if place == "on" else f"just {place} {shown}"
            yield _Goal("bounds", _inside(region), f"no case is {where} in {of}", region)


def unit_of(feature: Continuous, bound: float) -> float:
    """Return how far a case may be from a bound to be next to it.

    >>> unit_of(Continuous("f"), 18.0), unit_of(Continuous("f"), 2.5)
    (1.0, 0.1)
    """
    if feature.step:
        return float(feature.step)
    exponent = Decimal(repr(bound)).normalize().as_tuple().exponent
    unit = 10.0 ** min(int(exponent), 0)
    return unit if bound - unit < bound < bound + unit else abs(bound)


def _decides(row: int) -> Callable[..., Bools]:
    return lambda _, decided: np.array([row in rows for rows in decided], dtype=np.bool_)


def _inside(box: Boxes) -> Callable[..., Bools]:
    return lambda instances, _: Region.from_box(box).contains(instances)


def _violates(others: Boxes, box: Boxes, *, inside: bool) -> Callable[..., Bools]:
    def test(instances: Instances, _: Any) -> Bools:
        holds = Region.from_box(box).contains(instances)
        return holds if inside else Region.from_box(others).contains(instances) & ~holds

    return test


# --- mutants


class _Mutant(NamedTuple):
    """A table in which one bound of one rule, or one value of a condition, is another."""

    place: int
    box: Boxes | None
    """The rule instead; None if it never holds."""
    slab: Boxes
    """Where it holds and the original does not, or the other way round."""
    near: Boxes
    """The part of the slab next to the bound."""


def mutants(table: DecisionTable) -> Iterator[_Mutant]:
    """Yield all tables that differ from a table in one bound, or one value of a condition.

    A strict bound becomes inclusive and an inclusive one strict, and every bound moves up and down
    by the unit of its last digit.
    """
    boxes, space = table.rules.boxes, table.space
    for place, rule in enumerate(table.rules):
        box = boxes.take([place])
        for name, operators in rule.region.conditions().items():
            feature, row = space[name], space.row(name)
            if not isinstance(feature, Continuous):
                yield from _other_values(place, box, row)
                continue
            for is_lower in (True, False):
                cut = float((box.lower if is_lower else box.upper)[0, row])
                if not feature.lowest < cut < feature.end:
                    continue
                written = [v for op, v in operators.items() if (op[0] == ">") is is_lower]
                written = [*written, *(v for op, v in operators.items() if op == "=")]
                bound = feature.encode_value(written[0]) if written else cut
                unit = unit_of(feature, bound)
                flipped = bound if cut != bound else feature.after(bound)
                for moved in dict.fromkeys((flipped, cut - unit, cut + unit)):
                    new = feature.snap(moved)
                    if new != cut and feature.lowest < new < feature.end:
                        yield _moved(place, box, row, (cut, new), is_lower=is_lower)


def _moved(
    place: int, box: Boxes, row: int, cuts: tuple[float, float], *, is_lower: bool
) -> _Mutant:
    """Return the table in which a bound of a rule is the second of two cuts, not the first."""
    (cut, new), feature = cuts, box.space.continuous[row]
    changed = box.copy()
    (changed.lower if is_lower else changed.upper)[0, row] = new
    is_empty = not changed.lower[0, row] < changed.upper[0, row]
    slab, near = box.copy(), box.copy()
    if is_empty:
        return _Mutant(place, None, slab, near)
    low, high = min(cut, new), max(cut, new)
    slab.lower[0, row], slab.upper[0, row] = low, high
    value = cut if new > cut else just_below(feature, cut, low)
    near.lower[0, row], near.upper[0, row] = value, min(feature.after(value), high)
    return _Mutant(place, changed, slab, near)


def just_below(feature: Continuous, cut: float, low: float) -> float:
    """Return a value just below a cut that a person would try, such as 17.99 for 18."""
    if feature.step:
        return feature.before(cut)
    for digits in (2, 4, 8):
        value = float(Decimal(repr(cut)) - Decimal(repr(unit_of(feature, cut))).scaleb(-digits))
        if low <= value < cut:
            return value
    return feature.before(cut)


def _other_values(place: int, box: Boxes, j: int) -> Iterator[_Mutant]:
    part = box.space.sets[j]
    every, own = box.space.everything[part], box.masks[0, part]
    codes = [c for c in range(64 * len(every)) if int(every[c // 64]) >> (c % 64) & 1]
    for code in codes[:_MOST_VALUES]:
        bit = np.zeros_like(own)
        bit[code // 64] = np.uint64(1) << np.uint64(code % 64)
        changed, slab = box.copy(), box.copy()
        changed.masks[0, part] = own ^ bit
        slab.masks[0, part] = bit
        yield _Mutant(place, changed if changed.masks[0, part].any() else None, slab, slab)


class _Comparison:
    """Finds cases for which a mutant decides differently."""

    def __init__(self, table: DecisionTable) -> None:
        self.table, self.outcomes = table, Outcomes()
        self.side = side_of(table, table.space, self.outcomes)
        self.excused = table.space.impossible_boxes
        order = table.winning if self.side.together is None else range(len(table.rules))
        self.at = {place: at for at, place in enumerate(order)}

    def mutated(self, mutant: _Mutant) -> Side:
        """Return the decisions of a mutant; of contradicting rules, the changed one decides."""
        at, side = self.at[mutant.place], self.side
        boxes = side.boxes.copy()
        if mutant.box is not None:
            boxes.lower[at], boxes.upper[at] = mutant.box.lower[0], mutant.box.upper[0]
            boxes.masks[at] = mutant.box.masks[0]
        kept = np.arange(len(boxes))
        if mutant.box is None:
            kept = np.delete(kept, at)
        elif side.decides == "any":
            kept = np.concatenate([[at], np.delete(kept, at)])
        return self._part(side.on(boxes), kept)

    def _part(self, side: Side, kept: Any) -> Side:
        """Return some rules of a side, in another order."""
        together, places = side.together, kept.tolist()
        renamed: Any = None
        if together is not None:

            def renamed(own: tuple[int, ...]) -> int:
                return together(tuple(places[i] for i in own))

        decides = "first" if side.decides == "any" else side.decides
        rows = tuple(side.rows[i] for i in places)
        return Side(side.boxes.take(kept), side.codes[kept], side.default, decides, rows, renamed)

    def case(self, mutant: _Mutant, meter: Meter) -> dict[str, Any] | None:
        """Return a case that a mutant decides differently; None if there is none, or no time."""
        changed = self.mutated(mutant)
        for root in (mutant.near, mutant.slab):
            sides = tuple(
                self._part(side, np.flatnonzero(side.boxes.meeting(root)))
                for side in (self.side, changed)
            )
            question = Question(
                self.table.space,
                root,
                self.excused.take(self.excused.meeting(root)),
                sides,
                Claim("same"),
                self.outcomes,
            )
            result = answer(question, _left(meter))
            if result.cell is not None:
                return Region.from_box(result.cell).witness()
        return None

    def kills(self, mutant: _Mutant, case: Instances) -> bool:
        """Return whether a mutant decides a case differently."""
        return self.side.decide(case)[0] != self.mutated(mutant).decide(case)[0]


def _left(meter: Meter) -> Budget | None:
    if meter.budget.seconds is None:
        return None
    return Budget(seconds=max(0.0, meter.budget.seconds - meter.seconds))


# --- generated cases


def make_cases(
    rules: Rules, *, budget: Budget | float | None = None
) -> tuple[list[dict[str, Any]], list[Any]]:
    """Return a small set of cases that exercises rules completely, with their outcomes.

    The cases exercise every rule, condition and bound that :func:`try_cases` counts, wherever that
    is possible. They also distinguish the rules from every mutant that decides differently
    anywhere: one bound made strict or inclusive or moved by the unit of its last digit, or one
    value put into or taken out of a condition.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted classifier
        Unordered rules must not contradict each other.
    budget : Budget or float (seconds), optional
        When its seconds are used up, the cases so far are returned (default: unlimited).

    Returns
    -------
    cases : list of dict
        The values of each case.
    outcomes : list of hashable
        What the rules decide now, for a person to check.

    Raises
    ------
    ConflictError
        If unordered rules contradict each other.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.testing import make_cases
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="free")], default="full")
    >>> make_cases(rules)
    ([{'age': 18}, {'age': 17.99}, {'age': 19}], ['full', 'free', 'full'])
    """
    table = as_table(rules)
    space, meter = table.space, Meter(budget)
    comparison = _Comparison(table)
    cases: list[dict[str, Any]] = []
    encoded: list[Instances] = []

    def add(case: dict[str, Any]) -> None:
        if case not in cases:
            cases.append(case)
            encoded.append(space.encode_point(case))

    killed: list[_Mutant] = []
    for mutant in mutants(table):
        if meter.late:
            break
        region = Region.from_box(mutant.slab)
        near = [i for i, case in enumerate(encoded) if region.contains(case)[0]]
        if not any(comparison.kills(mutant, encoded[i]) for i in near):
            case = comparison.case(mutant, meter)
            if case is None:
                continue  # it decides the same everywhere
            add(case)
        killed.append(mutant)
    goals = list(_goals(table))
    for goal in goals:
        if meter.late:
            break
        known = _joined(space, encoded)
        if not goal.test(known, table.decide(known)).any():
            case = _meeting(table, goal)
            if case is not None:
                add(case)
    for region in _uncovered(table):
        add(region.witness())
    chosen = _few(table, comparison, encoded, killed, goals)
    kept = [cases[i] for i in chosen]
    return kept, table.predict(_joined(space, [encoded[i] for i in chosen])).tolist()


def _joined(space: Any, encoded: Sequence[Instances]) -> Instances:
    if not encoded:
        return space.encode([])  # type: ignore[no-any-return]
    return Instances(
        space,
        np.hstack([each.values for each in encoded]),
        np.hstack([each.codes for each in encoded]),
    )


def _meeting(table: DecisionTable, goal: _Goal) -> dict[str, Any] | None:
    """Return a case that exercises something; None if no case can."""
    for box in goal.region.simplified():
        others = table.space.impossible_boxes
        if goal.kind == "rules" and table.is_ordered:
            place = int(np.flatnonzero(table.rules.boxes.within(box))[0])
            first = table.winning[: table.winning.index(place)]
            others = others.concat(table.rules.boxes.take(first))
        for part in box.subtract(others):
            point = Region.from_box(part).witness()
            instances = table.space.encode_point(point)
            if goal.test(instances, table.decide(instances)).any():
                return point
    return None


def _uncovered(table: DecisionTable) -> list[Region]:
    """Return a region in which no rule holds, if there is one."""
    boxes = table.rules.boxes.concat(table.space.impossible_boxes)
    found = Boxes.whole(table.space).subtract(boxes, Meter(Budget(regions=1)))
    return Region.from_boxes(found.take(slice(1)))


def _few(
    table: DecisionTable,
    comparison: _Comparison,
    encoded: Sequence[Instances],
    killed: Sequence[_Mutant],
    goals: Sequence[_Goal],
) -> list[int]:
    """Return few of the cases that still do everything that all of them do."""
    instances = _joined(table.space, encoded)
    decided = table.decide(instances)
    does = [goal.test(instances, decided) for goal in goals]
    does.append(np.array([not rows for rows in decided], dtype=np.bool_))
    for mutant in killed:
        inside = np.flatnonzero(Region.from_box(mutant.slab).contains(instances))
        kills = np.zeros(len(encoded), dtype=np.bool_)
        kills[inside] = [comparison.kills(mutant, encoded[i]) for i in inside.tolist()]
        does.append(kills)
    return sorted(greedy_cover(np.array(does, dtype=np.bool_).T))
