"""Slow oracles for CFSGS and gaps: the paper's graph, the grid of bounds, brute force and z3."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations, product

import networkx
import numpy as np
import z3
from hypothesis import strategies as st

import naive
import strategies as sts
from irenic import Categorical, Continuous, Region, Rule, RuleSet, Space

# --- the literal search of the paper


def negated_tests(region):
    """Return the paper's constraints of one rule with their indices, as regions."""
    space = region.space
    found = []
    index = 0
    for feature in space:
        whole = Region(space)
        row = space.row(feature.name)
        if isinstance(feature, Continuous):
            below, above = whole.upper.copy(), whole.lower.copy()
            below[row], above[row] = region.lower[row], region.upper[row]
            pairs = [(whole.lower.copy(), below), (above, whole.upper.copy())]
            for low, high in pairs:
                index += 1
                made = Region.from_packed(space, low, high, whole.masks.copy())
                found.append((index, made))
        else:
            masks = whole.masks.copy()
            part = slice(space.starts[row], space.starts[row + 1])
            masks[part] &= ~region.masks[part]
            index += 1
            made = Region.from_packed(space, whole.lower.copy(), whole.upper.copy(), masks)
            found.append((index, made))
    return [(index, made) for index, made in found if not made.is_empty]


def graph(rules):
    """Build the paper's graph (Algorithm 1), the root connected to level 1."""
    made = networkx.DiGraph()
    made.add_node("root")
    previous = ["root"]
    for i, rule in enumerate(rules, 1):
        here = []
        for j, region in negated_tests(rule.region):
            made.add_node((i, j), region=region)
            here.append((i, j))
        made.add_edges_from(product(previous, here))
        previous = here
    return made


def consistent_paths(rules):
    """Yield all consistent paths from the root to the last level, in lexicographic order."""
    made = graph(rules)

    def below(node, path, region):
        if len(path) == len(rules):
            yield path, region
            return
        for child in sorted(made.successors(node)):
            both = region & made.nodes[child]["region"]
            if not both.is_empty:
                yield from below(child, (*path, child), both)

    yield from below("root", (), Region(rules.space))


def passing_paths(rules):
    """Yield the regions of the same search when it passes rules that the region misses already.

    Branches with nothing free at their end give nothing, as in the literal search.
    """
    regions = [rule.region for rule in rules]

    def below(level, region):
        while level < len(regions) and not region.overlaps(regions[level]):
            level += 1
        if level == len(regions):
            yield region
            return
        for _, constraint in negated_tests(regions[level]):
            both = region & constraint
            if not both.is_empty:
                yield from below(level + 1, both)

    yield from below(0, Region(rules.space))


def paths_in_order(rules, levels, orders, *, passing):
    """Yield the regions of all consistent paths, the nodes of each level in an order of its own.

    ``levels`` are the places of the rules, ``orders[place]`` those of a rule's constraints. With
    ``passing`` a rule that the region misses already adds no constraint; without it, this is the
    paper's search to the letter.
    """
    regions = [rule.region for rule in rules]
    nodes = [[made for _, made in negated_tests(region)] for region in regions]

    def below(depth, region):
        if depth == len(levels):
            yield region
            return
        place = levels[depth]
        if passing and not region.overlaps(regions[place]):
            yield from below(depth + 1, region)
            return
        for node in orders[place]:
            both = region & nodes[place][node]
            if not both.is_empty:
                yield from below(depth + 1, both)

    yield from below(0, Region(rules.space))


def chances(rules, levels, *, passing):
    """Return how likely each region is the first, exactly, if every level is shuffled once.

    On the way to the first region a level is met once, and each of its nodes from which a path
    goes on to the end is equally likely to come before the others.
    """
    regions = [rule.region for rule in rules]

    def below(depth, region):
        if depth == len(levels):
            return {region: Fraction(1)}
        here = regions[levels[depth]]
        if passing and not region.overlaps(here):
            return below(depth + 1, region)
        cuts = [region & made for _, made in negated_tests(here)]
        ends = [end for end in (below(depth + 1, c) for c in cuts if not c.is_empty) if end]
        found = Counter()
        for end in ends:
            for made, chance in end.items():
                found[made] += chance / len(ends)
        return found

    return dict(below(0, Region(rules.space)))


def chances_over_levels(rules, *, passing):
    """Return how likely each region is the first if the levels are in random order as well."""
    found = Counter()
    every = list(permutations(range(len(rules))))
    for levels in every:
        for made, chance in chances(rules, levels, passing=passing).items():
            found[made] += chance / len(every)
    return dict(found)


# --- the grid


class Grid:
    """Every cell of the grid that the bounds of some regions make, as arrays of truth values."""

    def __init__(self, space, regions):
        self.space = space
        self.axes = naive.grid(space, regions)
        self.shape = tuple(map(len, self.axes))

    def cells(self, region):
        """Return which cells a region holds."""
        held = np.ones((), dtype=bool)
        for feature, axis in zip(self.space, self.axes, strict=True):
            allowed = np.array([naive.allows(region, feature, v) for v in axis], dtype=bool)
            held = np.logical_and.outer(held, allowed)
        return held

    def union(self, regions):
        """Return which cells some of the regions hold."""
        held = np.zeros(self.shape, dtype=bool)
        for region in regions:
            held |= self.cells(region)
        return held

    def count(self, regions):
        """Return how many of the regions hold each cell."""
        held = np.zeros(self.shape, dtype=np.int64)
        for region in regions:
            held += self.cells(region)
        return held

    def sides(self, region):
        """Return a region as the values that it allows on each axis."""
        return tuple(
            frozenset(v for v in axis if naive.allows(region, feature, v))
            for feature, axis in zip(self.space, self.axes, strict=True)
        )


# --- maximal free boxes by brute force


@dataclass(frozen=True)
class _Side:
    """One way to bound a box on one axis."""

    values: frozenset
    missed: int
    """The bits of the rules that such a box misses on this axis."""
    wider: tuple[int, ...]
    """The bits of the rules missed after each of the smallest steps outwards."""


def maximal_free(rules, within=None, most=200_000):
    """Return the maximal boxes that no rule meets, as the values allowed on each axis.

    None if there would be too many boxes to look at.
    """
    space = rules.space
    whole = Region(space) if within is None else within
    regions = [rule.region for rule in rules]
    grid = Grid(space, [*regions, whole])
    every = (1 << len(regions)) - 1
    sides = []
    total = 1
    for feature, axis in zip(space, grid.axes, strict=True):
        axis = [v for v in axis if naive.allows(whole, feature, v)]
        missed = [
            sum(1 << i for i, r in enumerate(regions) if not naive.allows(r, feature, v))
            for v in axis
        ]
        options = _runs if isinstance(feature, Continuous) else _subsets
        sides.append(options(axis, missed, every, most))
        total *= len(sides[-1])
        if not sides[-1] or total > most:
            return None
    found = set()
    for box in product(*sides):
        missed = 0
        for side in box:
            missed |= side.missed
        if missed == every and not any(_grows(box, i, every) for i in range(len(box))):
            found.add(tuple(side.values for side in box))
    return found


def _grows(box, axis, every):
    rest = 0
    for i, side in enumerate(box):
        rest |= side.missed if i != axis else 0
    return any(rest | missed == every for missed in box[axis].wider)


def _runs(axis, missed, every, most):
    """Return all intervals of neighboring values, those that no rule tells apart as one."""
    groups, marks = [], []
    for value, mark in zip(axis, missed, strict=True):
        if marks and marks[-1] == mark:
            groups[-1].append(value)
        else:
            groups.append([value])
            marks.append(mark)
    found = []
    for a, b in combinations(range(len(groups) + 1), 2):
        inside = _all(marks[a:b], every)
        wider = [inside & marks[i] for i in (a - 1, b) if 0 <= i < len(groups)]
        values = frozenset(v for group in groups[a:b] for v in group)
        found.append(_Side(values, inside, tuple(wider)))
    return found


def _subsets(axis, missed, every, most):
    """Return all sets of values, those that no rule tells apart as one."""
    groups: dict[int, list] = {}
    for value, mark in zip(axis, missed, strict=True):
        groups.setdefault(mark, []).append(value)
    if 2 ** len(groups) > most:
        return []
    found = []
    for size in range(1, len(groups) + 1):
        for chosen in combinations(groups, size):
            inside = _all(chosen, every)
            wider = tuple(inside & mark for mark in groups if mark not in chosen)
            found.append(_Side(frozenset(v for m in chosen for v in groups[m]), inside, wider))
    return found


def _all(marks, every):
    for mark in marks:
        every &= mark
    return every


# --- z3


def gap_by_z3(space, conditions, within=None):
    """Return whether some point of the space passes none of the conditions, as z3 sees it.

    The conditions are mappings of operators as a person gives them; nothing of the encoding of
    the library is used.
    """
    solver = z3.Solver()
    variables = {}
    for i, feature in enumerate(space):
        if isinstance(feature, Continuous):
            make = z3.Real if feature.kind == "number" else z3.Int
            value, missing = make(f"x{i}"), z3.Bool(f"m{i}")
            variables[feature.name] = value, missing
            if not feature.missing:
                solver.add(z3.Not(missing))
            low, high = feature.bounds
            solver.add(*([] if low is None else [value >= _constant(feature, low)]))
            solver.add(*([] if high is None else [value <= _constant(feature, high)]))
        else:
            code = z3.Int(f"c{i}")
            variables[feature.name] = code, None
            solver.add(z3.Or([code == c for c in naive.axis(feature)]))
    solver.add(*[z3.Not(_holds(space, variables, given)) for given in conditions])
    if within is not None:
        solver.add(_holds(space, variables, within))
    answer = solver.check()
    assert answer in (z3.sat, z3.unsat)
    return answer == z3.sat


def _constant(feature, value):
    """Return a bound as z3 counts: days for dates, months, exact fractions for numbers."""
    if feature.kind == "date":
        return (value - naive.EPOCH).days
    if feature.kind == "months":
        value = value.count
    numerator, denominator = float(value).as_integer_ratio()
    return z3.Q(numerator, denominator)


def _holds(space, variables, given):
    return z3.And([_test(space[name], *variables[name], ops) for name, ops in given.items()])


def _test(feature, value, missing, operators):
    if not isinstance(feature, Continuous):
        passing = [
            code
            for code in naive.axis(feature)
            if naive.satisfies(operators, naive.decode(feature, code))
        ]
        return z3.Or([value == code for code in passing])
    if missing is not None and set(operators) == {"missing"}:
        return missing if operators["missing"] else z3.Not(missing)
    tests = {
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
        "=": lambda a, b: a == b,
    }
    passed = [
        tests[op](
            z3.ToReal(value) if z3.is_int(value) and feature.kind != "date" else value,
            _constant(feature, bound),
        )
        for op, bound in operators.items()
        if op != "missing"
    ]
    return z3.Or(
        z3.And(missing, z3.BoolVal(bool(operators.get("missing")))),
        z3.And(z3.Not(missing), *passed),
    )


# --- rule sets that leave gaps, or just leave none


@st.composite
def loose_sets(draw, max_size=5, max_features=3):
    """Draw rules that each ask something, so that they leave many gaps."""
    space = draw(sts.spaces(max_features))
    asked = sts.conditions(space).filter(bool)
    given = draw(st.lists(asked, min_size=1, max_size=max_size))
    thens = st.sampled_from("AB")
    return RuleSet([Rule(Region(space, c), then=draw(thens)) for c in given], space)


@st.composite
def tight_sets(draw, max_cuts=4, max_features=3):
    """Draw rules that cover everything between them, then take away one rule or none."""
    space = draw(sts.spaces(max_features))
    parts = [Region(space)]
    for _ in range(draw(st.integers(1, max_cuts))):
        cutter = Region(space, draw(sts.conditions(space).filter(bool)))
        whole = parts.pop(draw(st.integers(0, len(parts) - 1)))
        parts += [p for p in [whole & cutter, *(whole - cutter)] if not p.is_empty]
    if draw(st.booleans()):
        parts.pop(draw(st.integers(0, len(parts) - 1)))
    thens = st.sampled_from("AB")
    return RuleSet([Rule(part, then=draw(thens)) for part in parts], space)


def sets_of_rules(max_size=5, max_features=3):
    return st.one_of(
        loose_sets(max_size=max_size, max_features=max_features),
        tight_sets(max_cuts=max_size - 1, max_features=max_features),
    )


WIDE = tuple(f"v{i}" for i in range(70))
FEATURES = (
    Continuous("n"),
    Continuous("size", bounds=(0, 6), missing=True),
    Continuous("count", kind="integer", bounds=(0, 5)),
    Continuous("day", kind="date", missing=True),
    Categorical("color", ["red", "green", "blue"], missing=True, other=True),
    Categorical("flag", [False, True]),
    Categorical("code", WIDE, other=True),
)


def dense_set(seed, size, width, features=None):
    """Return rules with a test on nearly every feature of a random space."""
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(len(FEATURES))[:width] if features is None else features
    space = Space([FEATURES[i] for i in chosen])
    made = []
    for _ in range(size):
        asked = {f.name: _random_test(f, rng) for f in space if rng.random() < 0.85}
        made.append(Rule(Region(space, asked), then="AB"[rng.integers(2)]))
    return RuleSet(made, space)


def _random_test(feature, rng):
    if isinstance(feature, Categorical):
        values = list(feature.values)
        chosen = [v for v in values if rng.random() < 0.6] or values[:1]
        flags = {"missing": feature.missing, "other": feature.other}
        return {"in": chosen} | {k: bool(rng.integers(2)) for k, may in flags.items() if may}
    low, high = sorted(rng.choice(7, size=2, replace=False).tolist())
    if feature.kind == "integer" and high == low + 1:
        return {"=": low}
    if feature.kind == "date":
        low, high = (dt.date(2020, 1, 1 + 3 * v) for v in (low, high))
    kept = rng.choice(["both", "both", "both", "lower", "upper", "missing"])
    if kept == "missing" and feature.missing:
        return {"<": high, "missing": True}
    if kept == "lower":
        return {">=": low}
    if kept == "upper":
        return {"<=": high}
    return {str(rng.choice([">=", ">"])): low, str(rng.choice(["<", "<="])): high}
