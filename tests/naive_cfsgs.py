"""Slow oracles for CFSGS and gaps: the paper's graph, a grid of cells, brute force and z3."""

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
    constraints = []
    index = 0
    for feature in space:
        whole = Region(space)
        row = space.row(feature.name)
        if isinstance(feature, Continuous):
            below, above = whole.upper.copy(), whole.lower.copy()
            below[row], above[row] = region.lower[row], region.upper[row]
            pairs = [(whole.lower.copy(), below), (above, whole.upper.copy())]
            for low, high in pairs:
                constraint = Region.from_packed(space, low, high, whole.masks.copy())
                constraints.append((index, constraint))
                index += 1
        else:
            masks = whole.masks.copy()
            part = slice(space.starts[row], space.starts[row + 1])
            masks[part] &= ~region.masks[part]
            constraint = Region.from_packed(space, whole.lower.copy(), whole.upper.copy(), masks)
            constraints.append((index, constraint))
            index += 1
    return [(index, region) for index, region in constraints if not region.is_empty]


def graph(rules):
    """Build the paper's graph (Algorithm 1), the root connected to level 1."""
    levels = networkx.DiGraph()
    levels.add_node("root")
    previous = ["root"]
    for i, rule in enumerate(rules):
        here = []
        for j, region in negated_tests(rule.region):
            levels.add_node((i, j), region=region)
            here.append((i, j))
        levels.add_edges_from(product(previous, here))
        previous = here
    return levels


def consistent_paths(rules):
    """Yield all consistent paths from the root to the last level, in lexicographic order."""
    levels = graph(rules)

    def below(node, path, region):
        if len(path) == len(rules):
            yield path, region
            return
        for child in sorted(levels.successors(node)):
            both = region & levels.nodes[child]["region"]
            if not both.is_empty:
                yield from below(child, (*path, child), both)

    yield from below("root", (), Region(rules.space))


def passing_paths(rules):
    """Yield the regions of the same search, skipping rules that the region does not overlap.

    Branches that end without a free region yield nothing, as in the literal search.
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
    """Yield the regions of all consistent paths, with a separate order of nodes per level.

    ``levels`` are the indices of the rules, ``orders[index]`` those of a rule's constraints. With
    ``passing``, a rule that the region does not overlap adds no constraint; without it, this is
    the paper's search literally.
    """
    regions = [rule.region for rule in rules]
    nodes = [[node for _, node in negated_tests(region)] for region in regions]

    def below(depth, region):
        if depth == len(levels):
            yield region
            return
        index = levels[depth]
        if passing and not region.overlaps(regions[index]):
            yield from below(depth + 1, region)
            return
        for node in orders[index]:
            both = region & nodes[index][node]
            if not both.is_empty:
                yield from below(depth + 1, both)

    yield from below(0, Region(rules.space))


def chances(rules, levels, *, passing):
    """Return the exact probability that each region is the first if every level is shuffled.

    A path to the first region visits each level once, and all nodes of the level that lead to a
    region are equally likely to come first.
    """
    regions = [rule.region for rule in rules]

    def below(depth, region):
        if depth == len(levels):
            return {region: Fraction(1)}
        here = regions[levels[depth]]
        if passing and not region.overlaps(here):
            return below(depth + 1, region)
        cuts = [region & node for _, node in negated_tests(here)]
        ends = [end for end in (below(depth + 1, c) for c in cuts if not c.is_empty) if end]
        total = Counter()
        for end in ends:
            for first, chance in end.items():
                total[first] += chance / len(ends)
        return total

    return dict(below(0, Region(rules.space)))


def chances_over_levels(rules, *, passing):
    """Return the probability that each region is the first if the levels are shuffled too."""
    total = Counter()
    orders = list(permutations(range(len(rules))))
    for levels in orders:
        for region, chance in chances(rules, levels, passing=passing).items():
            total[region] += chance / len(orders)
    return dict(total)


# --- the grid


class Grid:
    """The cells of the grid that the bounds of regions define, as Boolean arrays."""

    def __init__(self, space, regions):
        self.space = space
        self.axes = naive.grid(space, regions)
        self.shape = tuple(map(len, self.axes))

    def cells(self, region):
        """Return which cells a region contains."""
        inside = np.ones((), dtype=bool)
        for feature, axis in zip(self.space, self.axes, strict=True):
            allowed = np.array([naive.allows(region, feature, v) for v in axis], dtype=bool)
            inside = np.logical_and.outer(inside, allowed)
        return inside

    def union(self, regions):
        """Return which cells at least one region contains."""
        inside = np.zeros(self.shape, dtype=bool)
        for region in regions:
            inside |= self.cells(region)
        return inside

    def count(self, regions):
        """Return how many regions contain each cell."""
        counts = np.zeros(self.shape, dtype=np.int64)
        for region in regions:
            counts += self.cells(region)
        return counts

    def sides(self, region):
        """Return a region as the values that it allows on each axis."""
        return tuple(
            frozenset(v for v in axis if naive.allows(region, feature, v))
            for feature, axis in zip(self.space, self.axes, strict=True)
        )


# --- maximal free boxes by brute force


@dataclass(frozen=True)
class _Side:
    """The values of a box on one axis."""

    values: frozenset
    missed: int
    """The bits of the rules that are disjoint from the box on this axis."""
    wider: tuple[int, ...]
    """The same bits after each possible smallest enlargement."""


def maximal_free(rules, within=None, limit=200_000):
    """Return the maximal boxes that overlap no rule, as the values allowed on each axis.

    Return None if there are too many boxes to try.
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
        sides.append(options(axis, missed, every, limit))
        total *= len(sides[-1])
        if not sides[-1] or total > limit:
            return None
    boxes = set()
    for box in product(*sides):
        missed = 0
        for side in box:
            missed |= side.missed
        if missed == every and not any(_grows(box, i, every) for i in range(len(box))):
            boxes.add(tuple(side.values for side in box))
    return boxes


def _grows(box, axis, every):
    rest = 0
    for i, side in enumerate(box):
        rest |= side.missed if i != axis else 0
    return any(rest | missed == every for missed in box[axis].wider)


def _runs(axis, missed, every, limit):
    """Return all intervals of values; values that no rule distinguishes are grouped."""
    groups, marks = [], []
    for value, mark in zip(axis, missed, strict=True):
        if marks and marks[-1] == mark:
            groups[-1].append(value)
        else:
            groups.append([value])
            marks.append(mark)
    runs = []
    for a, b in combinations(range(len(groups) + 1), 2):
        inside = _all(marks[a:b], every)
        wider = [inside & marks[i] for i in (a - 1, b) if 0 <= i < len(groups)]
        values = frozenset(v for group in groups[a:b] for v in group)
        runs.append(_Side(values, inside, tuple(wider)))
    return runs


def _subsets(axis, missed, every, limit):
    """Return all sets of values; values that no rule distinguishes are grouped."""
    groups: dict[int, list] = {}
    for value, mark in zip(axis, missed, strict=True):
        groups.setdefault(mark, []).append(value)
    if 2 ** len(groups) > limit:
        return []
    subsets = []
    for size in range(1, len(groups) + 1):
        for chosen in combinations(groups, size):
            inside = _all(chosen, every)
            wider = tuple(inside & mark for mark in groups if mark not in chosen)
            values = frozenset(v for m in chosen for v in groups[m])
            subsets.append(_Side(values, inside, wider))
    return subsets


def _all(marks, every):
    for mark in marks:
        every &= mark
    return every


# --- z3


def gap_by_z3(space, conditions, within=None):
    """Return whether z3 finds a point of the space that satisfies none of the conditions.

    The conditions are mappings of operators; the encodings of the library are not used.
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
    solver.add(*[z3.Not(_holds(space, variables, condition)) for condition in conditions])
    if within is not None:
        solver.add(_holds(space, variables, within))
    answer = solver.check()
    assert answer in (z3.sat, z3.unsat)
    return answer == z3.sat


def _constant(feature, value):
    """Return a bound for z3: days for dates, months, and exact fractions for numbers."""
    if feature.kind == "date":
        return (value - naive.EPOCH).days
    if feature.kind == "months":
        value = value.count
    numerator, denominator = float(value).as_integer_ratio()
    return z3.Q(numerator, denominator)


def _holds(space, variables, condition):
    return z3.And([_test(space[name], *variables[name], ops) for name, ops in condition.items()])


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


# --- rule sets with many gaps, or with at most one


@st.composite
def loose_sets(draw, max_size=5, max_features=3):
    """Draw rules that all have conditions, so that they leave many gaps."""
    space = draw(sts.spaces(max_features))
    conditions = sts.conditions(space).filter(bool)
    antecedents = draw(st.lists(conditions, min_size=1, max_size=max_size))
    thens = st.sampled_from("AB")
    return RuleSet([Rule(Region(space, c), then=draw(thens)) for c in antecedents], space)


@st.composite
def tight_sets(draw, max_cuts=4, max_features=3):
    """Draw rules that together cover everything, then remove at most one of them."""
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
    """Return rules with a condition on nearly every feature of a random space."""
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(len(FEATURES))[:width] if features is None else features
    space = Space([FEATURES[i] for i in chosen])
    rules = []
    for _ in range(size):
        conditions = {f.name: _random_test(f, rng) for f in space if rng.random() < 0.85}
        rules.append(Rule(Region(space, conditions), then="AB"[rng.integers(2)]))
    return RuleSet(rules, space)


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


# --- random numbers


class Dealt(np.random.Generator):
    """A generator that returns given permutations one after the other."""

    def __init__(self, permutations):
        super().__init__(np.random.PCG64(0))
        self.left = list(permutations)

    def permutation(self, x):
        box = np.array(self.left.pop(0))
        assert sorted(box) == list(range(x))
        return box
