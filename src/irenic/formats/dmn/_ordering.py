"""Combinations of values that comparisons of inputs rule out.

``a < 5`` and ``b >= 5`` leave only ``a < b``, and ``a < b`` and ``b < c`` leave only ``a < c``. All
such combinations follow from chains of comparisons between two values: the least value that the
first can have gives one for the last, which must not exceed what the last can have.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice, pairwise, product
from typing import Any, Final, NamedTuple, TypeAlias

from irenic.boxes import Boxes
from irenic.errors import IrenicError
from irenic.formats.tables.assembly import axis_of
from irenic.formats.tables.drafts import Input
from irenic.model.decision_table import DecisionTable
from irenic.model.features import (
    LOWEST,
    MISSING_CODE,
    OTHER_CODE,
    Categorical,
    Continuous,
    Feature,
)
from irenic.model.region import Region
from irenic.model.ruleset import RuleSet
from irenic.model.space import Space, to_words

LESS, EQUAL, GREATER, DIFFERENT = "less", "equal", "greater", "different"
BOTH: Final = "both missing"
"""The relation of two missing values, which are equal in FEEL; with one, it is missing itself."""
FLIPPED: Final = {LESS: GREATER, GREATER: LESS}

# With more bounds than this, combinations that cannot occur are not excluded.
_MOST_CUTS: Final = 500
# Longer chains of comparisons than this, and more chains, are not followed.
_MOST_STEPS: Final = 4
_MOST_CHAINS: Final = 200

Condition: TypeAlias = "tuple[float, float] | int | None"
"""An interval of a continuous feature, bits of a categorical one, or None for any value."""


class Compared(NamedTuple):
    """A feature that compares the values of two others, and what is known about these."""

    name: str
    left: str
    right: str
    ordered: bool
    inputs: tuple[Input, Input]
    kind: str | None
    """The kind of the values, None if it is not known."""

    def columns(self, space: Space) -> tuple[Feature, Feature]:
        """Return the features of both values; those that no rule tests can have any value."""
        units = {getattr(f, "unit", "") for f in space if f.name in (self.left, self.right)}
        missing = space[self.name].missing

        def feature(column: Input) -> Feature:
            if column.name in space:
                return space[column.name]
            if column.kind == "boolean":
                return Categorical(column.name, [False, True], missing=missing)
            if column.kind == "text":
                return Categorical(column.name, [], missing=missing, other=True)
            unit = next(iter(units), "")
            return Continuous(column.name, kind=column.kind, missing=missing, unit=unit)  # type: ignore[arg-type]

        first, second = self.inputs
        return feature(first), feature(second)


class Bound(NamedTuple):
    """A lower bound: values are at least this, or above it."""

    value: Any
    strict: bool = False


class _Slab(NamedTuple):
    """A condition on a side, and the least and the greatest value that meet it."""

    condition: Condition
    low: Any
    high: Any


class _Operand:
    """One of two compared values: its feature, and the cuts at which rules distinguish values."""

    def __init__(self, feature: Feature, cuts: Iterable[float] | None) -> None:
        self.feature = feature
        self.tested = cuts is not None
        """Whether rules test it, so that there are conditions on it."""
        self.cuts: list[float] = []
        if isinstance(feature, Continuous):
            inner = {cut for cut in cuts or () if feature.lowest < cut < feature.end}
            self.cuts = [feature.lowest, *sorted(inner), feature.end]

    @property
    def scale(self) -> str:
        """What its values can be ordered with, "" for nothing."""
        feature = self.feature
        if isinstance(feature, Continuous):
            numeric = feature.kind in ("number", "integer")
            return "number" if numeric else f"{feature.kind} {feature.unit}"
        kinds = {type(value) for value in feature.values}
        if kinds and kinds <= {int, float} and not feature.other:
            return "number"
        return "text" if kinds <= {str} else ""

    def slabs(self) -> Iterator[_Slab]:
        """Yield disjoint conditions that cover all values with a least one."""
        feature = self.feature
        if isinstance(feature, Continuous):
            for low, high in pairwise(self.cuts):
                condition = (low, high) if self.tested else None
                yield _Slab(condition, feature.snap(low), feature.before(high))
        elif self.tested:
            for value, code in feature.codes.items():
                yield _Slab(1 << code, value, value)
        elif not feature.other and feature.values:
            yield _Slab(None, min(feature.values), max(feature.values))  # type: ignore[type-var]

    def at_least(self, bound: Bound) -> Bound | None:
        """Return the bound for the values that this side can have, None if it has none."""
        feature, (value, strict) = self.feature, bound
        if isinstance(feature, Continuous):
            least = feature.snap(math.nextafter(value, math.inf) if strict else value)
            least = max(least, feature.lowest)
            return Bound(least) if least < feature.end else None
        if feature.other:
            return bound
        values: list[Any] = [v for v in feature.values if not _is_below(v, bound)]
        return Bound(min(values)) if values else None

    def below(self, bound: Bound) -> Condition:
        """Return the condition that holds only below a bound; 0 if there is none."""
        feature = self.feature
        if isinstance(feature, Categorical):
            bits = sum(1 << code for v, code in feature.codes.items() if _is_below(v, bound))
            if self.tested or not bits:
                return bits
            return None if bits == feature.everything else 0
        cuts = [cut for cut in self.cuts[1:] if _is_below(feature.before(cut), bound)]
        if not cuts:
            return 0
        return (-math.inf, cuts[-1]) if self.tested else None


def _is_below(value: Any, bound: Bound) -> bool:
    return bool(value < bound.value or (bound.strict and value == bound.value))


class _Step(NamedTuple):
    """A comparison on the way from one value to another."""

    pair: Compared
    begin: str
    end: str

    def relations(self, *relations: str) -> tuple[str, ...]:
        """Return relations of begin and end as values of the feature."""
        forward = self.pair.left == self.begin
        return relations if forward else tuple(FLIPPED.get(r, r) for r in relations)


_Chain: TypeAlias = tuple[_Step, ...]


def possible(table: DecisionTable, compared: Iterable[Compared]) -> DecisionTable:
    """Return a table whose space excludes the cases that comparisons rule out."""
    boxes = impossible(table, [pair for pair in compared if pair.name in table.space])
    if not len(boxes):
        return table
    space = Space(table.space, (*table.space.impossible, *Region.from_boxes(boxes)))
    return replace(table, rules=RuleSet(table.rules, space, default=table.rules.default))


def impossible(table: DecisionTable, compared: Sequence[Compared]) -> Boxes:
    """Return the combinations of values and comparisons that cannot occur."""
    sides = _sides(table, compared)
    chains = [*islice(_chains(compared), _MOST_CHAINS)]
    direct = {frozenset((pair.left, pair.right)): pair for pair in compared}
    boxes = Boxes.none(table.space)
    for chain in chains:
        ends = (chain[0].begin, chain[-1].end)
        closing = direct.get(frozenset(ends)) if len(chain) > 1 else None
        for conditions, relations in (
            *_by_values(chain, sides),
            *(() if closing is None else _by_relation(chain, _Step(closing, *ends))),
        ):
            boxes = boxes.concat(_box(table.space, conditions, relations))
    for pair in compared:
        for conditions in _of_missing(table.space, pair):
            boxes = boxes.concat(_box(table.space, conditions, {}))
    return boxes.take(~boxes.are_empty()).distinct()


def _sides(table: DecisionTable, compared: Iterable[Compared]) -> dict[str, _Operand]:
    sides = {}
    for pair in compared:
        for name, column in zip((pair.left, pair.right), pair.inputs, strict=True):
            if name in sides:
                continue
            if name not in table.space:
                try:
                    sides[name] = _Operand(axis_of([column], []).feature, None)
                except IrenicError:  # its type is not one of a single value
                    continue
                continue
            feature = table.space[name]
            cuts: set[float] = set()
            if isinstance(feature, Continuous):
                for rule in table.rules:
                    cuts |= {*rule.region.interval(name)[:2]}
            if len(cuts) <= _MOST_CUTS:
                sides[name] = _Operand(feature, cuts)
    return sides


def _chains(compared: Iterable[Compared]) -> Iterator[_Chain]:
    """Yield the ways from one compared value to another, short ones first."""
    steps: dict[str, list[_Step]] = {}
    for pair in compared:
        for begin, end in ((pair.left, pair.right), (pair.right, pair.left)):
            steps.setdefault(begin, []).append(_Step(pair, begin, end))
    chains: list[_Chain] = [(step,) for ways in steps.values() for step in ways]
    for _ in range(_MOST_STEPS):
        yield from chains
        chains = [
            (*chain, step)
            for chain in chains[:_MOST_CHAINS]
            for step in steps[chain[-1].end]
            if step.pair.ordered == chain[0].pair.ordered
            and step.end not in (chain[0].begin, *(known.end for known in chain))
        ]


_Found: TypeAlias = tuple[Mapping[str, Condition], Mapping[str, tuple[str, ...]]]


def _by_values(chain: _Chain, sides: dict[str, _Operand]) -> Iterator[_Found]:
    """Yield values at the ends of a chain, with comparisons along it that they rule out."""
    names = [chain[0].begin, *(step.end for step in chain)]
    if not all(name in sides for name in names):
        return
    along = [sides[name] for name in names]
    first, last = along[0], along[-1]
    if not chain[0].pair.ordered:
        yield from _of_booleans(chain, first, last)
        return
    if len({side.scale for side in along}) > 1 or not first.scale:
        return
    for slab in first.slabs():
        yielded: list[tuple[frozenset[int], Condition]] = []
        for strict in _subsets(len(chain)):
            low = _followed(Bound(slab.low), along[1:], strict)
            condition = None if low is None else last.below(low)
            weaker = any(part <= strict and same == condition for part, same in yielded)
            if (condition == 0 and low is not None) or weaker:
                continue
            yielded.append((strict, condition))
            relations = {
                step.pair.name: step.relations(*([LESS] if i in strict else [LESS, EQUAL]))
                for i, step in enumerate(chain)
            }
            yield {names[0]: slab.condition, names[-1]: condition}, relations
    equal = {step.pair.name: (EQUAL,) for step in chain}
    for conditions in _never_equal(names, first, last):
        yield conditions, equal


def _subsets(n: int) -> list[frozenset[int]]:
    return [frozenset(part) for size in range(n + 1) for part in combinations(range(n), size)]


def _followed(bound: Bound, sides: Sequence[_Operand], strict: frozenset[int]) -> Bound | None:
    """Return the bound at the end of a chain, None if the values along it cannot reach it."""
    for place, side in enumerate(sides):
        step = side.at_least(Bound(bound.value, bound.strict or place in strict))
        if step is None:
            return None
        bound = step
    return bound


def _never_equal(
    names: list[str], first: _Operand, last: _Operand
) -> Iterator[dict[str, Condition]]:
    """Yield values that are never equal although neither is below the other."""
    a, b = first.feature, last.feature
    if isinstance(a, Continuous):
        if isinstance(b, Continuous) and a.kind == b.kind:
            return
        for slab in first.slabs():  # such as one without a whole number
            low = last.at_least(Bound(slab.low))
            if low is None or low.value > slab.high:
                yield {names[0]: slab.condition}
    elif isinstance(b, Categorical) and a.other and first.tested and last.tested:
        listed = sum(1 << b.codes[value] for value in a.values if value in b.codes)
        if listed:
            yield {names[0]: 1 << OTHER_CODE, names[-1]: listed}


def _of_missing(space: Space, pair: Compared) -> Iterator[dict[str, Condition]]:
    """Yield missing values, with comparisons that they rule out."""
    relation = space[pair.name]
    assert isinstance(relation, Categorical)
    if not relation.missing or BOTH not in relation.codes:
        return
    both, one = 1 << relation.codes[BOTH], 1 << MISSING_CODE
    rest = relation.everything & ~(both | one)
    sides = [space[name] for name in (pair.left, pair.right) if name in space]
    present: dict[str, Condition] = {}
    missing: dict[str, Condition] = {}
    for side in sides:
        if not side.missing:
            yield {pair.name: both}
            continue
        is_category = isinstance(side, Categorical)
        lack: Condition = one if is_category else (-math.inf, LOWEST)
        have: Condition = side.everything & ~one if is_category else (LOWEST, math.inf)  # type: ignore[union-attr]
        present[side.name], missing[side.name] = have, lack
        yield {pair.name: both, side.name: have}
        yield {pair.name: rest, side.name: lack}
    if len(sides) == 2:
        yield {pair.name: one, **present}
        if len(missing) == 2:
            yield {pair.name: one, **missing}


def _of_booleans(chain: _Chain, first: _Operand, last: _Operand) -> Iterator[_Found]:
    a, b = first.feature, last.feature
    if not (isinstance(a, Categorical) and isinstance(b, Categorical)):
        return
    if not (first.tested and last.tested):
        return
    for labels in product((EQUAL, DIFFERENT), repeat=len(chain)):
        relations = {step.pair.name: (label,) for step, label in zip(chain, labels, strict=True)}
        same = labels.count(DIFFERENT) % 2 == 0
        for value, code in a.codes.items():
            wrong = sum(1 << b.codes[v] for v in b.values if (v == value) != same)
            if wrong:
                yield {chain[0].begin: 1 << code, chain[-1].end: wrong}, relations


def _by_relation(chain: _Chain, closing: _Step) -> Iterator[_Found]:
    """Yield comparisons along a chain that rule out a comparison of its ends."""
    if closing.pair.ordered:
        relations = {step.pair.name: step.relations(LESS, EQUAL) for step in chain}
        yield {}, {**relations, closing.pair.name: closing.relations(GREATER)}
        return
    for labels in product((EQUAL, DIFFERENT), repeat=len(chain)):
        relations = {step.pair.name: (label,) for step, label in zip(chain, labels, strict=True)}
        same = labels.count(DIFFERENT) % 2 == 0
        yield {}, {**relations, closing.pair.name: (DIFFERENT if same else EQUAL,)}


# --- boxes


def _box(
    space: Space, conditions: Mapping[str, Condition], relations: Mapping[str, tuple[str, ...]]
) -> Boxes:
    box = Region(space, {name: {"in": [*values]} for name, values in relations.items()}).box
    lower, upper, masks = box.lower.copy(), box.upper.copy(), box.masks.copy()
    for name, condition in conditions.items():
        if isinstance(condition, tuple):
            lower[0, space.row(name)], upper[0, space.row(name)] = condition
        elif condition is not None:
            words = space.sets[space.row(name)]
            masks[0, words] = to_words(condition, words.stop - words.start)
    return box.like(lower, upper, masks)
