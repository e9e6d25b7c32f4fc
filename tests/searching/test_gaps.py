"""Gaps against the grid of bounds, brute force and z3."""

from __future__ import annotations

import datetime as dt
import math
import sys
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irenic
import naive
import naive_cfsgs as oracle
import strategies as sts
from irenic import (
    Budget,
    Categorical,
    ConditionError,
    Continuous,
    Region,
    Rule,
    RuleSet,
    Space,
    gaps,
    search,
)
from irenic.boxes import cutting
from refusals import refuses, rejects
from strategies import PAPER, PLANE

pytestmark = pytest.mark.kernels

AGE = Space([Continuous("age")])
COVERED = RuleSet([Rule({"age": (None, 5)}, then="A"), Rule({"age": (5, None)}, then="B")], AGE)


def regions_of(rules):
    return [rule.region for rule in rules]


def texts(result):
    return [repr(region) for region in result]


def check_partition(rules, result, within=None):
    """Assert that the regions are disjoint and contain exactly what no rule covers."""
    whole = Region(rules.space) if within is None else within
    grid = oracle.Grid(rules.space, [*regions_of(rules), whole, *result])
    uncovered = grid.cells(whole) & ~grid.union(regions_of(rules))
    assert (grid.count(result) == uncovered).all()
    assert not any(region.is_empty for region in result)
    assert result.is_complete is (not uncovered.any())
    return result.is_complete


def is_mergeable(grid, a, b):
    """Return whether two boxes together make a box."""
    differing = [i for i, (s, t) in enumerate(zip(a, b, strict=True)) if s != t]
    if len(differing) != 1:
        return False
    (i,) = differing
    feature, axis = grid.space.features[i], grid.axes[i]
    if not isinstance(feature, Continuous):
        return True
    places = sorted(axis.index(v) for v in a[i] | b[i])
    return places == list(range(places[0], places[-1] + 1))


def check_merged(rules, result):
    grid = oracle.Grid(rules.space, [*regions_of(rules), *result])
    boxes = [grid.sides(region) for region in result]
    assert not any(is_mergeable(grid, a, b) for a, b in combinations(boxes, 2))


# --- a partition of what no rule covers


@given(oracle.sets_of_rules(max_size=4), st.data())
def test_gaps_are_disjoint_and_contain_everything_uncovered(rules, data):
    result = gaps(rules)
    complete = check_partition(rules, result)
    check_merged(rules, result)
    assert result.finished
    assert result.stopped_by is None
    assert rules.is_complete is complete
    for region, rule in ((a, b) for a in result for b in rules):
        assert not region.overlaps(rule.region)
    conditions = [region.conditions() for region in regions_of(rules)]
    assert complete is (not oracle.gap_by_z3(rules.space, conditions))
    cells = naive.cells_of(naive.grid(rules.space, regions_of(rules)))[:100]
    uncovered = [not naive.covering(rules, cell) for cell in cells]
    X = naive.instances(rules.space, cells)
    assert result.fraction(X) == pytest.approx(np.mean(uncovered))
    within = data.draw(sts.regions(rules.space))
    check_partition(rules, gaps(rules, within=within), within)


@pytest.mark.parametrize("seed", sts.seeds(8, of=120))
def test_gaps_of_dense_mixed_sets_are_a_partition(seed):
    rules = oracle.dense_set(seed, size=3 + seed % 8, width=1 + seed % 4)
    check_partition(rules, gaps(rules))
    rules = oracle.dense_set(seed, size=6, width=2 + seed % 2)
    check_merged(rules, gaps(rules))


@pytest.mark.parametrize("seed", sts.seeds(2, of=40))
def test_more_than_64_values_are_cut_exactly(seed):
    rules = oracle.dense_set(seed, size=8, width=3, features=[6, 0, 5])
    check_partition(rules, gaps(rules))
    check_merged(rules, gaps(rules))


def test_gaps_are_a_sequence_sorted_by_lower_bounds_as_written_in_the_rules():
    result = gaps(PAPER)
    keys = [tuple(region.lower) for region in result]
    assert keys == sorted(keys)
    assert texts(result)[0] == "f1 < 1 and f2 < 5"
    rules = RuleSet([Rule({"age": {"<=": 10}}, then="A"), Rule({"age": {">": 12}}, then="A")], AGE)
    assert texts(gaps(rules)) == ["10 < age <= 12"]
    assert len(result) == len(list(result)) == len(result.regions)
    assert result[0] == result.regions[0]
    assert result[-1] == list(result)[-1]


@pytest.mark.parametrize("seed", sts.seeds(8, of=150))
def test_z3_gives_the_same_answer_for_dense_sets(seed):
    rules = oracle.dense_set(seed, size=6 + seed % 20, width=2 + seed % 5)
    given_ = [rule.region.conditions() for rule in rules]
    expected = oracle.gap_by_z3(rules.space, given_)
    assert rules.is_complete is (not expected)
    assert gaps(rules, budget=Budget(nodes=20_000)).is_complete is (not expected)
    assert (next(search(rules), None) is not None) is expected


@given(oracle.tight_sets(), st.data())
def test_z3_gives_the_same_answer_within_a_region(rules, data):
    within = data.draw(sts.conditions(rules.space))
    given_ = [rule.region.conditions() for rule in rules]
    expected = oracle.gap_by_z3(rules.space, given_, within)
    result = gaps(rules, within=Region(rules.space, within))
    assert result.is_complete is (not expected)


@given(oracle.sets_of_rules(max_size=3), st.data())
def test_not_disjoint_gives_the_maximal_regions(rules, data):
    result = gaps(rules, disjoint=False)
    assert result.finished
    assert result.regions == list(search(rules, maximal=True))
    expected = oracle.maximal_free(rules, limit=20_000)
    if expected is not None:
        grid = oracle.Grid(rules.space, regions_of(rules))
        assert sorted(map(repr, map(grid.sides, result))) == sorted(map(repr, expected))
    within = data.draw(sts.regions(rules.space))
    result = gaps(rules, disjoint=False, within=within)
    assert all(region <= within for region in result)
    assert set(result) == set(search(rules, maximal=True, within=within))


# --- the space


def test_values_beyond_the_bounds_of_a_feature_are_not_a_gap():
    space = Space([Continuous("age", bounds=(0, 120)), Continuous("n", kind="integer")])
    rules = RuleSet([Rule({"age": {">=": 0, "<=": 120}}, then="A")], space)
    assert gaps(rules).is_complete
    rules = RuleSet([Rule({"age": {">=": 0, "<": 120}}, then="A")], space)
    assert texts(gaps(rules)) == ["age >= 120"]
    space = Space([Continuous("n", kind="integer"), Continuous("day", kind="date")])
    rules = RuleSet(
        [
            Rule({"n": {"<=": 4}}, then="A"),
            Rule({"n": {">=": 5}, "day": {"<=": dt.date(2020, 2, 28)}}, then="A"),
            Rule({"n": {">": 4.5}, "day": {">=": dt.date(2020, 3, 1)}}, then="A"),
        ],
        space,
    )
    assert texts(gaps(rules)) == ["n >= 5 and day = 2020-02-29"]


def test_sets_without_rules_or_features():
    result = gaps(RuleSet(space=PLANE))
    assert texts(result) == ["anything"]
    assert result.finished
    assert texts(gaps(RuleSet(space=PLANE), disjoint=False)) == ["anything"]
    space = Space([])
    assert texts(gaps(RuleSet(space=space))) == ["anything"]
    assert gaps(RuleSet([Rule(Region(space), then="A")], space)).is_complete
    result = gaps(PAPER, within=Region.nothing(PLANE))
    assert (result.regions, result.finished, result.is_complete) == ([], True, True)
    rules = RuleSet([Rule({"age": (0, 5)}, then="A")], AGE, default="B")
    assert len(gaps(rules)) == 2


def test_within_can_be_a_region_of_another_space():
    within = Region(Space([Continuous("f1")]), {"f1": (2, 5)})
    assert texts(gaps(PAPER, within=within)) == [
        "2 <= f1 < 5 and f2 < 1",
        "2 <= f1 < 5 and 3 <= f2 < 5",
        "2 <= f1 < 5 and f2 >= 9",
    ]


# --- measures


def test_fraction_counts_instances_of_the_rules_as_they_were():
    X = {"f1": [0, 3, 3, 8], "f2": [0, 6, 0, 2]}
    assert gaps(PAPER).fraction(X) == gaps(PAPER, budget=Budget(nodes=1)).fraction(X) == 0.5
    assert gaps(RuleSet(space=PLANE)).fraction(X) == 1.0
    assert gaps(PAPER).fraction([]) == 0.0
    rules = RuleSet([Rule({"n": (0, 5)}, then="A")])
    result = gaps(rules)
    rules.remove(0)
    assert result.fraction({"n": [1, 9]}) == 0.5
    rules = RuleSet([Rule({"n": (0, 5)}, then="A")])
    inside = gaps(rules, within=Region(rules.space, {"n": (0, 5)}))
    assert inside.fraction({"n": [1, 9]}) == 0.0
    assert gaps(rules).fraction({"n": [1, 9]}) == 0.5


BOUNDED = [
    Continuous("x", bounds=(0, 6)),
    Continuous("n", kind="integer", bounds=(0, 6)),
    Categorical("c", ["a", "b", "c"]),
]


def random_bounded(seed, size):
    rng = np.random.default_rng(seed)
    listed = []
    for _ in range(size):
        a, b = sorted(rng.choice(7, size=2, replace=False).tolist())
        c, d = sorted(rng.choice(7, size=2, replace=False).tolist())
        chosen = ["a", *(v for v in "bc" if rng.random() < 0.5)]
        listed.append(Rule({"x": (a, b), "n": {">=": c, "<=": d}, "c": set(chosen)}, then="A"))
    return RuleSet(listed, Space(BOUNDED))


@pytest.mark.parametrize("seed", sts.seeds(4, of=40))
def test_the_volume_is_that_of_the_space_without_the_rules(seed):
    rules = random_bounded(seed, 1 + seed % 8)
    covered = 0
    for x in range(6):  # bounds of x are integers: unit cells are covered entirely or not
        for n in range(7):
            cells = [(x + 0.5, float(n), code) for code in (2, 3, 4)]
            covered += sum(bool(naive.covering(rules, cell)) for cell in cells)
    assert gaps(rules).volume() == pytest.approx(6 * 7 * 3 - covered, rel=1e-12)


def test_volumes_of_gaps_are_summed_unless_they_overlap():
    rules = RuleSet([Rule({"f1": (2, 5), "f2": (5, 9)}, then="A")], PLANE)
    result = gaps(rules)
    assert result.volume() == math.inf
    assert result.volume(Region(PLANE, {"f1": (0, 10), "f2": (0, 10)})) == 100 - 12
    assert gaps(COVERED).volume() == 0.0
    text = "regions must not overlap to have a volume; search with disjoint=True"
    rejects(ConditionError, text, gaps(PAPER, disjoint=False).volume)
    space = Space([Continuous("x", bounds=(0, 10))])
    rules = RuleSet([Rule({"x": (2, 5)}, then="A")], space)
    assert gaps(rules, disjoint=False).volume() == pytest.approx(7)
    n = 2000
    rules = RuleSet.from_arrays(
        AGE, lower=[np.arange(n) * 2.0], upper=[np.arange(n) * 2.0 + 1], then=["A"] * n
    )
    result = gaps(rules)
    assert result.volume(Region(AGE, {"age": (0, 2 * n)})) == n


# --- budgets, progress and interrupts


def board(k, d=2, but=()):
    """Return the cells of a board of k ** d cells without some of them."""
    space = Space([Continuous(f"f{i + 1}") for i in range(d)])
    edges = np.array([-np.inf, *range(1, k), np.inf])
    places = np.array(np.unravel_index(np.arange(k**d), (k,) * d))
    kept = np.setdiff1d(np.arange(k**d), but)
    lower, upper = edges[places[:, kept]], edges[places[:, kept] + 1]
    return RuleSet.from_arrays(space, lower=lower, upper=upper, then=["A"] * len(kept))


def test_a_node_limit_gives_a_correct_partial_result():
    rules = board(10, but=range(0, 100, 3))
    for nodes in (1, 2, 5, 20, 60):
        result = gaps(rules, budget=Budget(nodes=nodes))
        assert (result.finished, result.stopped_by, result.nodes) == (False, "nodes", nodes)
        every = oracle.Grid(rules.space, [*regions_of(rules), *result])
        assert (every.count(result) <= ~every.union(regions_of(rules))).all()
        assert result.is_complete is (False if result.regions else None)
        assert len(gaps(rules)) > len(result)
    for but, complete in (((), True), ((0,), False)):
        assert gaps(board(8, but=but), budget=Budget(nodes=2)).is_complete is None
        assert board(8, but=but).is_complete is complete
    rules = board(5, but=[7])
    needed = gaps(rules).nodes
    for nodes, complete in ((needed - 1, False), (needed, True), (needed + 1, True)):
        result = gaps(rules, budget=Budget(nodes=nodes))
        assert result.finished is complete
        assert result.stopped_by == (None if complete else "nodes")


def test_a_region_limit_is_kept_and_reported():
    rules = board(10, but=range(0, 100, 3))
    for limit, disjoint in product([0, 1, 3, 20], [True, False]):
        result = gaps(rules, disjoint=disjoint, budget=Budget(regions=limit))
        assert len(result) <= limit
        assert len(result) > 0 or limit == 0
        assert (result.finished, result.stopped_by) == (False, "regions")
        grid = oracle.Grid(rules.space, [*regions_of(rules), *result])
        assert not (grid.union(result) & grid.union(regions_of(rules))).any()
    result = gaps(PAPER, budget=Budget(regions=len(gaps(PAPER))))  # just enough
    assert result.finished
    assert result.regions == gaps(PAPER).regions
    result = gaps(hard(60, 7), budget=Budget(regions=50))  # of a long list
    assert 0 < len(result) <= 50
    assert result.stopped_by == "regions"


def hard(n=200, d=9):
    """Return wide boxes in many dimensions: with far too many gaps to list."""
    rng = np.random.default_rng(0)
    lower = rng.random((d, n)) * 0.5
    space = Space([Continuous(f"f{i + 1}", bounds=(0, 1)) for i in range(d)])
    return RuleSet.from_arrays(space, lower=lower, upper=lower + 0.4, then=["A"] * n)


@pytest.mark.parametrize("disjoint", [True, False])
def test_a_time_limit_ends_a_long_search(disjoint):
    rules = hard()
    result = gaps(rules, budget=0.1, disjoint=disjoint)
    assert (result.finished, result.stopped_by) == (False, "seconds")
    assert result.is_complete is False


@pytest.mark.parametrize("disjoint", [True, False])
def test_progress_is_called_and_can_stop_the_search(disjoint, monkeypatch):
    monkeypatch.setattr(cutting, "_BURST", 10)
    rules = board(10, but=range(0, 100, 3))
    every = gaps(rules, disjoint=disjoint)
    reports = []
    assert gaps(rules, disjoint=disjoint, progress=lambda *now: reports.append(now)) == every
    assert len(reports) > 5
    assert [n for n, _ in reports] == sorted(n for n, _ in reports)
    assert [r for _, r in reports] == sorted(r for _, r in reports)
    result = gaps(rules, disjoint=disjoint, progress=lambda nodes, regions: regions > 3)
    assert (result.finished, result.stopped_by) == (False, "interrupt")
    assert 0 < len(result) < len(every)


@pytest.mark.parametrize("disjoint", [True, False])
def test_an_interrupt_keeps_the_gaps_so_far(disjoint, monkeypatch):
    monkeypatch.setattr(cutting, "_BURST", 10)
    rules = board(10, but=range(0, 100, 3))
    every = gaps(rules, disjoint=disjoint)
    whole_step = cutting.Cutter.step
    calls = iter(range(10**6))

    def step(self, max_nodes):
        if next(calls) == 8:
            raise KeyboardInterrupt
        return whole_step(self, max_nodes)

    monkeypatch.setattr(cutting.Cutter, "step", step)
    result = gaps(rules, disjoint=disjoint)
    assert (result.finished, result.stopped_by) == (False, "interrupt")
    assert 0 < len(result) < len(every)
    assert result.is_complete is False
    monkeypatch.setattr(cutting.Cutter, "step", whole_step)

    def progress(nodes, regions):
        if regions > 3:
            raise KeyboardInterrupt

    result = gaps(rules, disjoint=disjoint, progress=progress)
    assert (result.finished, result.stopped_by) == (False, "interrupt")
    assert len(result) > 0


def test_the_text_lists_gaps_and_says_whether_there_may_be_more():
    ages = RuleSet([Rule({"age": (0, 10)}, then="A"), Rule({"age": (12, None)}, then="B")], AGE)
    within = Region(AGE, {"age": (5, 20)})
    uncovered = "that no rule covers"
    for result, text in (
        (gaps(COVERED), "the rules cover everything"),
        (
            gaps(board(8), budget=Budget(nodes=2)),
            "no gaps found, but the search was stopped by nodes",
        ),
        (gaps(ages), f"2 regions {uncovered}\n  age < 0\n  10 <= age < 12"),
        (gaps(ages, within=within), f"1 region {uncovered}\n  10 <= age < 12"),
        (
            gaps(PAPER, budget=Budget(regions=1)),
            f"1 region {uncovered}, and possibly more (stopped by regions)\n  f1 < 1 and f2 < 5",
        ),
    ):
        assert repr(result) == f"<Gaps: {text}>"
    steps = np.arange(30) * 2.0
    rules = RuleSet.from_arrays(AGE, lower=[steps], upper=[steps + 1], then=["A"] * 30)
    lines = repr(gaps(rules)).splitlines()
    assert lines[0] == "<Gaps: 31 regions that no rule covers"
    assert lines[-1] == "  … and 11 more>"
    assert len(lines) == 22


# --- larger sets, by sampling


def leaves(n, d, seed):
    """Return the leaves of a tree with random cuts of the unit cube, open at its faces."""
    rng = np.random.default_rng(seed)
    low, high = np.zeros((1, d)), np.ones((1, d))
    while len(low) < n:
        i, axis = rng.integers(len(low)), rng.integers(d)
        cut = rng.uniform(low[i, axis], high[i, axis])
        low, high = np.vstack([low, low[i]]), np.vstack([high, high[i]])
        high[i, axis] = low[-1, axis] = cut
    return low.T, high.T


def opened(low, high):
    return np.where(low == 0, -np.inf, low), np.where(high == 1, np.inf, high)


def rule_set(low, high):
    space = Space([Continuous(f"f{i + 1}") for i in range(len(low))])
    return RuleSet.from_arrays(space, lower=low, upper=high, then=["A"] * low.shape[1])


def check_by_sampling(rules, result, n=2000, seed=0):
    """Assert that exactly one gap contains each uncovered random point, and none a covered one."""
    rng = np.random.default_rng(seed)
    values = rng.uniform(-0.2, 1.2, (len(rules.space), n))
    at = rng.integers(0, n, n // 4)  # some exactly on bounds
    axis = rng.integers(0, len(values), n // 4)
    bounds = rules.lower[axis, rng.integers(0, len(rules), n // 4)]
    values[axis, at] = np.where(np.isfinite(bounds), bounds, 0.5)
    points = dict(zip(rules.space.names, values, strict=True))
    counts = sum((region.contains(points).astype(int) for region in result), np.zeros(n, dtype=int))
    covered = rules.covering(points).any(axis=1)
    assert (counts == ~covered).all()
    return covered.mean()


@pytest.mark.parametrize(("n", "d"), [(300, 5), pytest.param(1000, 10, marks=pytest.mark.slow)])
def test_gaps_of_narrowed_leaves_are_exactly_the_parts_cut_off(n, d):
    rng = np.random.default_rng(d)
    low, high = leaves(n, d, seed=n)
    rules = rule_set(*opened(low, high))
    assert rules.is_complete is True
    assert gaps(rules).is_complete is True
    assert list(search(rules)) == []
    cube = np.prod(high - low, axis=0).sum()
    for i in range(0, n, 10):
        axis = rng.integers(d)
        high[axis, i] = (low[axis, i] + high[axis, i]) / 2
    left = cube - np.prod(high - low, axis=0).sum()
    rules = rule_set(*opened(low, high))
    result = gaps(rules)
    assert result.finished
    check_by_sampling(rules, result)
    whole = Region(rules.space, dict.fromkeys(rules.space.names, (0, 1)))
    assert result.volume(whole) == pytest.approx(left)
    assert len(result) <= 3 * (n // 10)  # about one per narrowed rule, not many splinters
    assert rules.is_complete is False


@pytest.mark.parametrize(
    ("n", "d"), [(100, 3), (50, 4), pytest.param(100, 5, marks=pytest.mark.slow)]
)
def test_gaps_between_random_boxes_by_sampling(n, d):
    rng = np.random.default_rng(n)
    low = rng.random((d, n)) * 0.8
    rules = rule_set(low, low + rng.random((d, n)) * 0.5 + 0.01)
    result = gaps(rules)
    assert result.finished
    share = check_by_sampling(rules, result, n=500)
    assert 0.01 < share < 0.95
    assert not any(region.overlaps(rule.region) for region in result[:20] for rule in rules)


def test_one_leaf_missing_among_many_is_the_gap():
    low, high = opened(*leaves(300, 6, seed=1))
    rest = [i for i in range(low.shape[1]) if i != 17]
    rules = rule_set(low[:, rest], high[:, rest])
    missing = Region.from_packed(
        rules.space, low[:, 17].copy(), high[:, 17].copy(), np.empty(0, dtype=np.uint64)
    )
    assert gaps(rules).regions == [missing]
    assert next(search(rules)) <= missing
    assert gaps(rules, disjoint=False).regions == [missing]


def test_there_is_no_gap_beyond_the_calendar_and_the_clock():
    for low, high in (
        (dt.date.min, dt.date.max),
        (dt.datetime.min, dt.datetime(9999, 12, 31, 23, 59, 59)),
        (dt.time.min, dt.time.max),
    ):
        space = Space([Continuous("d", kind=type(low).__name__)])
        whole = RuleSet([Rule({"d": {">=": low, "<=": high}}, then="A")], space)
        assert whole.is_complete is True
        part = RuleSet([Rule({"d": {">": low, "<=": high}}, then="A")], space)
        [gap] = gaps(part)
        assert gap.witness() == {"d": low}
    # integers end where float64 can no longer distinguish them
    space = Space([Continuous("n", kind="integer")])
    whole = RuleSet([Rule({"n": {">=": -(2**53), "<=": 2**53}}, then="A")], space)
    assert whole.is_complete is True


def test_arguments_must_be_rules_and_regions():
    for call in (gaps, irenic.search, irenic.searching.constraints):
        refuses(ConditionError, "rules must be a RuleSet, got list; create one", call, [])
    rules = RuleSet([Rule({"n": (0, 5)}, then="A")])
    refuses(ConditionError, "within must be a Region, got", gaps, rules, within={"n": (0, 1)})


def test_a_stopped_search_does_not_merge_many_gaps(monkeypatch):
    monkeypatch.setattr(sys.modules["irenic.searching._gaps"], "_MERGE_LIMIT", 3)
    pairs = [{f"a{i}": (None, 1), f"b{i}": (None, 1)} for i in range(8)]
    rules = RuleSet([Rule(pair, then="A") for pair in pairs])
    result = gaps(rules, budget=Budget(nodes=100))
    assert not result.finished
    assert len(result) > 3
    for one, two in combinations(result, 2):
        assert not one.overlaps(two)
