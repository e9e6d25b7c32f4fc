"""CFSGS against the paper's own graph, the grid of bounds and brute force."""

from __future__ import annotations

import sys
import tracemalloc
from collections import Counter
from fractions import Fraction
from itertools import pairwise, permutations, product

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_cfsgs as oracle
import strategies as sts
from irenic import (
    Budget,
    Categorical,
    ConditionError,
    Continuous,
    DataError,
    Region,
    Rule,
    RuleSet,
    Space,
    search,
)
from irenic.boxes import cutting
from irenic.searching import constraint_graph, constraints
from naive_cfsgs import Dealt
from refusals import rejects
from strategies import PAPER, PLANE

pytestmark = pytest.mark.kernels

ORDERS = [{}, *({"order": "random", "random_state": s} for s in range(3))]


def regions_of(rules):
    return [rule.region for rule in rules]


def region(text, space=PLANE):
    return Region.parse(text, space)


def random_boxes(n, d, seed=0, width=0.5):
    rng = np.random.default_rng(seed)
    lower = rng.random((d, n))
    upper = lower + 0.01 + width * rng.random((d, n))
    space = Space([Continuous(f"f{i + 1}") for i in range(d)])
    return RuleSet.from_arrays(space, lower=lower, upper=upper, then=["A", "B"] * (n // 2))


def checkered(k):
    """Return the k * k cells of a board, which cover everything."""
    ends = [None, *range(1, k), None]
    sides = list(pairwise(ends))
    return RuleSet([Rule({"f1": a, "f2": b}, then="A") for a in sides for b in sides], PLANE)


def test_the_constraints_of_the_example_match_table_1():
    table = [
        ["f1 < 2", "f1 >= 5", "f2 < 5", "f2 >= 9"],
        ["f1 < 6.5", "f1 >= 8.5", "f2 < 5", "f2 >= 7"],
        ["f1 < 1", "f1 >= 9", "f2 < 1", "f2 >= 3"],
    ]
    result = {(c.rule, c.index): c.region for c in constraints(PAPER)}
    assert list(result) == sorted(result)
    assert result == {(i, j): region(t) for i, row in enumerate(table) for j, t in enumerate(row)}
    assert repr(constraints(PAPER)[3]) == "C[1,4]: f2 >= 9"


def test_constraints_show_their_indices_and_regions():
    color = Categorical("color", ["red", "blue"])
    bounded = Continuous("age", bounds=(0, 120), kind="integer")
    whole = {"age": {">=": 0, "<": 121}, "sure": {True, False}}
    missing = Space([Continuous("age", missing=True)])
    open_sides = [Rule({"f1": (None, 5)}, then="A"), Rule({"f2": (3, None)}, then="A")]
    for rules, texts in (
        # a categorical test gives one constraint
        (
            RuleSet([Rule({"f1": (2, 5), "f2": {"yellow"}}, then="A")]),
            ["C[1,1]: f1 < 2", "C[1,2]: f1 >= 5", "C[1,3]: f2 not in {yellow}"],
        ),
        # indices count features in the order of the space
        (
            RuleSet([Rule({"f1": (2, 5), "color": "red"}, then="A")], Space([color, PLANE["f1"]])),
            ["C[1,1]: color in {blue}", "C[1,2]: f1 < 2", "C[1,3]: f1 >= 5"],
        ),
        # unbounded sides reserve an index
        (RuleSet(open_sides, PLANE), ["C[1,2]: f1 >= 5", "C[2,3]: f2 < 3"]),
        # a bound that the space implies has none
        (
            RuleSet([Rule(whole, then="A")], Space([bounded, Categorical("sure", [True, False])])),
            [],
        ),
        # the negation of a test with an open lower side is "missing"
        (
            RuleSet([Rule(Region(missing, {"age": {"<": 5}}), then="A")], missing),
            ["C[1,1]: age is missing", "C[1,2]: age >= 5"],
        ),
    ):
        assert [repr(c) for c in constraints(rules)] == texts


# --- the graph


def test_the_graph_of_the_example_matches_the_figure():
    graph = constraint_graph(PAPER)
    levels = [[(i, j) for j in range(4)] for i in range(3)]
    assert set(graph) == {"root", *levels[0], *levels[1], *levels[2]}
    edges = {("root", b) for b in levels[0]}
    edges |= {(a, b) for i in (0, 1) for a in levels[i] for b in levels[i + 1]}
    assert set(graph.edges) == edges
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (13, 4 + 2 * 16)
    assert graph.nodes[1, 0]["constraint"].region == region("f1 < 6.5")
    assert networkx.is_directed_acyclic_graph(graph)


@given(oracle.sets_of_rules(max_size=4))
def test_constraints_are_the_negated_tests_and_the_graph_that_of_algorithm_1(rules):
    negated = [
        (i, j, region)
        for i, rule in enumerate(rules)
        for j, region in oracle.negated_tests(rule.region)
    ]
    assert [(c.rule, c.index, c.region) for c in constraints(rules)] == negated
    graph = constraint_graph(rules)
    expected = oracle.graph(rules)
    assert set(graph.edges) == set(expected.edges)
    assert {n: c.region for n, c in graph.nodes(data="constraint") if c} == {
        n: r for n, r in expected.nodes(data="region") if r
    }


def test_whole_and_agreeing_rules_are_left_out_of_the_graph():
    rules = RuleSet(
        [Rule({"f1": (2, 5)}, then="A"), Rule({}, then="A"), Rule({"f1": (6, 9)}, then="A")], PLANE
    )
    graph = constraint_graph(rules)
    assert graph.graph["rules"] == (0, 1, 2)
    assert not networkx.has_path(graph, "root", (2, 0))
    assert set(graph) == {"root", (0, 0), (0, 1), (2, 0), (2, 1)}
    graph = constraint_graph(PAPER, consequent="r2")
    assert graph.graph["rules"] == (0, 2)
    assert {c.rule for c in constraints(PAPER, consequent="r2")} == {0, 2}
    assert {c.rule for c in constraints(PAPER, consequent="unheard of")} == {0, 1, 2}
    assert set(graph.successors((0, 0))) == {(2, j) for j in range(4)}


def test_a_graph_with_too_many_edges_is_rejected():
    rules = random_boxes(300, 50)
    text = (
        "the graph must have at most 2,000,000 edges, got 2,990,100 for 300 rules;"
        " search(rules) finds the same regions without it"
    )
    rejects(ConditionError, text, constraint_graph, rules)


# --- the paper's order


def test_the_first_path_of_the_example_matches_the_paper():
    path, result = next(oracle.consistent_paths(PAPER))
    assert path == ((0, 0), (1, 0), (2, 0))
    assert result == region("f1 < 1")
    assert next(search(PAPER)) == result
    assert repr(next(search(PAPER))) == "f1 < 1"
    graph = constraint_graph(PAPER)
    both = region("f1 < 1e9")
    for node in [(0, 0), (1, 0), (2, 0)]:
        both &= graph.nodes[node]["constraint"].region
    assert both == region("f1 < 1")


@given(oracle.sets_of_rules(max_size=4))
def test_regions_come_in_the_order_of_paths_that_skip_missed_rules(rules):
    result = list(search(rules))
    expected = list(oracle.passing_paths(rules))
    assert result[:1] == expected[:1]
    left = iter(expected)
    assert all(any(f == e for e in left) for f in result)  # in the same order, possibly fewer
    assert len(set(result)) == len(result)
    for dropped in set(expected) - set(result):
        earlier = expected[: expected.index(dropped)]
        grid = oracle.Grid(rules.space, expected)
        assert not (grid.cells(dropped) & ~grid.union(earlier)).any()


def test_regions_of_dense_sets_come_in_the_order_of_paths_that_skip_missed_rules():
    for seed in range(10):
        rules = oracle.dense_set(seed, size=4, width=2)
        left = oracle.passing_paths(rules)
        result = list(search(rules))
        assert all(any(f == e for e in left) for f in result)
        assert result[:1] == list(oracle.passing_paths(rules))[:1]


# --- exactly the free part


@given(st.sampled_from(ORDERS), oracle.sets_of_rules(max_size=4, max_features=2), st.data())
def test_regions_are_everything_uncovered_as_in_the_literal_search(how, rules, data):
    result = list(search(rules, **how))
    literal = [box for _, box in oracle.consistent_paths(rules)]
    if not how:
        assert set(result) <= set(literal)
    grid = oracle.Grid(rules.space, [*regions_of(rules), *result])
    uncovered = ~grid.union(regions_of(rules))
    assert (grid.union(result) == uncovered).all()
    assert (grid.union(literal) == uncovered).all()
    # rules with the consequent may be overlapped
    agreeing = list(search(rules, consequent="A"))
    rivals = [rule.region for rule in rules if rule.then != "A"]
    grid = oracle.Grid(rules.space, [*regions_of(rules), *agreeing])
    assert (grid.union(agreeing) == ~grid.union(rivals)).all()
    within = data.draw(sts.regions(rules.space))
    for maximal in (False, True):
        result = list(search(rules, within=within, maximal=maximal))
        grid = oracle.Grid(rules.space, [*regions_of(rules), within, *result])
        uncovered = grid.cells(within) & ~grid.union(regions_of(rules))
        assert (grid.union(result) == uncovered).all()


@pytest.mark.parametrize("seed", sts.seeds(4, of=40))
def test_the_union_of_dense_sets_is_everything_uncovered(seed):
    rules = oracle.dense_set(seed, size=3 + seed % 5, width=1 + seed % 3)
    result = search(rules, order="random" if seed % 2 else "lexicographic", random_state=seed)
    first_regions = list(result)
    grid = oracle.Grid(rules.space, [*regions_of(rules), *first_regions])
    assert (grid.union(first_regions) == ~grid.union(regions_of(rules))).all()
    assert result.finished
    assert result.stopped_by is None


def test_the_whole_space_is_free_or_nothing_is():
    rules = RuleSet([Rule({"f1": (2, 5)}, then="A")], PLANE)
    for asked in ({"consequent": "A"}, {"consequent": "A", "maximal": True}):
        assert list(search(rules, **asked)) == [Region(PLANE)]
    assert list(search(RuleSet(space=PLANE))) == [Region(PLANE)]
    rules = RuleSet([Rule({"f1": (None, 5)}, then="A"), Rule({"f1": (5, None)}, then="B")], PLANE)
    result = search(rules)
    assert list(result) == []
    assert result.finished
    assert repr(result).endswith("finished>")
    result = search(PAPER, within=Region.nothing(PLANE))
    assert list(result) == []
    assert result.finished
    space = Space([])
    assert len(list(search(RuleSet(space=space)))) == 1
    assert list(search(RuleSet([Rule(Region(space), then="A")], space))) == []


def test_within_can_be_a_region_of_another_space():
    within = Region(Space([Continuous("f1")]), {"f1": (2, 5)})
    assert set(search(PAPER, within=within, maximal=True)) == {
        region("2 <= f1 < 5 and f2 < 1"),
        region("2 <= f1 < 5 and 3 <= f2 < 5"),
        region("2 <= f1 < 5 and f2 >= 9"),
    }


# --- maximal regions


def sides(rules, result, within=None):
    whole = Region(rules.space) if within is None else within
    grid = oracle.Grid(rules.space, [*regions_of(rules), whole])
    return Counter(grid.sides(box) for box in result)


def test_the_maximal_regions_of_the_example():
    one = ["f1 < 1", "f1 >= 9", "f2 < 1", "3 <= f2 < 5", "f2 >= 9", "f1 < 2 and f2 >= 3"]
    more = ["5 <= f1 < 6.5 and f2 >= 3", "f1 >= 5 and f2 >= 7", "f1 >= 8.5 and f2 >= 3"]
    assert set(search(PAPER, maximal=True)) == set(map(region, [*one, *more]))


@given(st.sampled_from(ORDERS), oracle.sets_of_rules(max_size=4), st.data())
def test_maximal_yields_exactly_the_maximal_regions_once(how, rules, data):
    expected = oracle.maximal_free(rules, limit=20_000)
    if expected is not None:
        largest = list(search(rules, maximal=True, **how))
        assert sides(rules, largest) == dict.fromkeys(expected, 1)
        assert all(any(box <= big for big in largest) for box in search(rules))
    within = data.draw(sts.regions(rules.space))
    expected = oracle.maximal_free(rules, within, limit=20_000)
    if expected is not None:
        result = search(rules, maximal=True, within=within)
        assert sides(rules, result, within) == dict.fromkeys(expected, 1)
    rivals = RuleSet([rule for rule in rules if rule.then != "A"], rules.space)
    agreeing = list(search(rules, maximal=True, consequent="A"))
    assert agreeing == list(search(rivals, maximal=True))


@pytest.mark.parametrize("seed", sts.seeds(5, of=80))
def test_the_maximal_regions_of_dense_sets_are_the_same_in_every_order(seed):
    rules = oracle.dense_set(seed, size=3 + seed % 4, width=2 + seed % 2)
    expected = oracle.maximal_free(rules, limit=20_000)
    answers = [list(search(rules, maximal=True, **how)) for how in ORDERS]
    assert len({frozenset(result) for result in answers}) == 1
    if expected is not None:
        assert sides(rules, answers[0]) == dict.fromkeys(expected, 1)


# --- orders


def test_random_order_removes_the_bias_for_the_low_values_of_the_first_feature():
    def mirrored(rules):
        lower, upper = -rules.upper, -rules.lower
        return RuleSet.from_arrays(rules.space, lower=lower, upper=upper, then=rules.thens)

    def share_of_open_sides(boxes):
        """Return how many boxes are bounded only above and only below on the first feature."""
        low, high = (np.isinf([getattr(b, side)[0] for b in boxes]) for side in ("lower", "upper"))
        return (low & ~high).mean(), (high & ~low).mean()

    many = [random_boxes(12, 2, seed=s) for s in range(20)]
    many += [mirrored(rules) for rules in many]  # so that low and high are symmetric
    rng = np.random.default_rng(0)
    drawn = [next(search(r, order="random", random_state=rng)) for r in many for _ in range(12)]
    assert share_of_open_sides([next(search(rules)) for rules in many])[0] == 1.0
    low, high = share_of_open_sides(drawn)
    assert low < 0.5
    assert high > 0.2
    assert abs(low - high) < 0.1


def test_random_order_reaches_every_region_that_can_come_first():
    firsts = Counter(
        next(search(PAPER, order="random", random_state=s, maximal=True)) for s in range(200)
    )
    assert set(firsts) == set(search(PAPER, maximal=True))
    assert max(firsts.values()) < 100


def reordered(rules, places):
    rules = list(rules)
    return RuleSet([rules[i] for i in places], PLANE)


PAIR = reordered(PAPER, [0, 2])
SHUFFLES = list(permutations(range(4)))


@pytest.mark.parametrize("places", [(1, 0), pytest.param((0, 1), marks=pytest.mark.slow)])
def test_all_shuffles_of_two_levels_match_the_probabilities_of_the_oracle(places):
    rules = reordered(PAIR, places)
    dealt = list(product(permutations(range(2)), SHUFFLES, SHUFFLES))
    drawn = Counter(next(search(rules, order="random", random_state=Dealt(d))) for d in dealt)
    expected = oracle.chances_over_levels(PAIR, passing=True)
    assert {box: Fraction(count, len(dealt)) for box, count in drawn.items()} == expected


@given(st.lists(st.permutations(range(4)), min_size=3, max_size=3))
def test_each_level_is_shuffled_once_for_the_whole_search(shuffles):
    result = list(search(PAPER, order="random", random_state=Dealt([range(3), *shuffles])))
    assert len(set(result)) == len(result)
    assert any(
        _in_order(result, oracle.paths_in_order(PAPER, levels, orders, passing=True))
        for levels in permutations(range(3))  # the search sorts the rules first
        for orders in permutations(shuffles)  # levels are shuffled when they are reached
    )


def _in_order(result, expected):
    """Return whether regions are in the order of others and start with the same one."""
    left = iter(expected)
    return result[0] == next(left) and all(any(f == e for e in left) for f in result[1:])


@given(oracle.sets_of_rules(max_size=4), st.randoms(use_true_random=False), st.integers(0, 9))
@sts.examples(0.6)
def test_random_order_does_not_depend_on_the_order_of_the_rules(rules, rnd, seed):
    shuffled = list(rules)
    rnd.shuffle(shuffled)
    others = RuleSet(shuffled, rules.space)
    for maximal in (False, True):
        how = {"order": "random", "random_state": seed, "maximal": maximal}
        assert list(search(rules, **how)) == list(search(others, **how))


def test_first_regions_are_as_frequent_as_in_the_oracle_for_any_order():
    expected = oracle.chances_over_levels(PAPER, passing=True)
    n = 1000
    for seed, places in enumerate([(0, 1, 2), (2, 1, 0)]):
        rules = reordered(PAPER, places)
        rng = np.random.default_rng(seed)
        drawn = Counter(next(search(rules, order="random", random_state=rng)) for _ in range(n))
        assert set(drawn) <= set(expected)
        for box, chance in expected.items():
            spread = float(chance * (1 - chance) / n) ** 0.5
            assert abs(drawn[box] / n - float(chance)) < 5 * spread


def test_random_order_is_reproducible():
    def drawn(state):
        return list(search(PAPER, order="random", random_state=state))

    assert drawn(1) == drawn(1) == drawn(np.random.default_rng(1))
    assert any(drawn(1) != drawn(s) for s in range(2, 6))
    assert list(search(PAPER, random_state=1)) == list(search(PAPER, random_state=2))


def table(n=200, seed=0):
    rng = np.random.default_rng(seed)
    return {"f1": rng.uniform(0, 10, n), "f2": rng.uniform(0, 10, n)}


def test_min_instances_keeps_exactly_the_regions_with_enough_instances():
    X = table()
    every = list(search(PAPER, maximal=True))
    for least, how in product([0, 1, 20, 40, 201], ORDERS[:2]):
        wanted = {box for box in every if box.contains(X).sum() >= least}
        result = list(search(PAPER, maximal=True, X=X, min_instances=least, **how))
        assert len(result) == len(wanted)
        assert set(result) == wanted
        assert (least < 201) == bool(wanted)
    result = list(search(PAPER, X=X, min_instances=10))
    assert result == [m for m in search(PAPER) if m.contains(X).sum() >= 10]
    assert result
    rules = RuleSet(space=PLANE)
    assert list(search(rules, X=table(5), min_instances=5)) == [Region(PLANE)]
    assert list(search(rules, X=table(5), min_instances=6)) == []


# --- budgets, progress and interrupts


def test_a_search_is_not_finished_before_its_end():
    result = search(PAPER)
    next(result)
    assert not result.finished
    assert result.stopped_by is None
    assert "running" in repr(result)
    assert len(list(result)) > 5
    assert result.finished
    assert next(result, None) is None
    result = search(PAPER, budget=Budget(nodes=10_000, regions=1000, seconds=60))
    assert list(result) == list(search(PAPER))
    assert result.finished


def test_region_and_node_limits_give_the_first_regions():
    for maximal in (False, True):
        result = search(PAPER, maximal=maximal, budget=Budget(regions=3))
        assert list(result) == list(search(PAPER, maximal=maximal))[:3]
        assert (result.finished, result.stopped_by) == (False, "regions")
        assert repr(result).startswith("<Search: 3 regions, ")
        assert repr(result).endswith("nodes, regions>")
    assert list(search(PAPER, budget=Budget(regions=0))) == []
    for nodes in (0, 1, 2, 5, 10, 15, 20):
        result = search(PAPER, budget=Budget(nodes=nodes))
        first_regions = list(result)
        assert first_regions == list(search(PAPER))[: len(first_regions)]
        assert (result.nodes, result.finished, result.stopped_by) == (nodes, False, "nodes")
    # also within the proof that nothing is free
    result = search(checkered(8), budget=Budget(nodes=3))
    assert list(result) == []
    assert (result.nodes, result.stopped_by, result.finished) == (3, "nodes", False)


def test_a_time_limit_ends_a_long_search():
    result = search(random_boxes(300, 4), maximal=True, budget=0.1)
    first_regions = list(result)
    assert first_regions
    assert (result.finished, result.stopped_by) == (False, "seconds")
    result = search(PAPER, budget=0)
    assert (list(result), result.stopped_by) == ([], "seconds")


def test_progress_is_called_for_every_region_and_can_stop_the_search(monkeypatch):
    calls = []

    def progress(nodes, regions):
        calls.append((nodes, regions))
        return regions == 3

    result = search(PAPER, progress=progress)
    assert list(result) == list(search(PAPER))[:3]
    assert (result.finished, result.stopped_by) == (False, "interrupt")
    assert [regions for _, regions in calls] == [1, 2, 3]
    assert [nodes for nodes, _ in calls] == sorted(nodes for nodes, _ in calls)
    monkeypatch.setattr(cutting, "_BURST", 2)
    calls = []
    result = search(checkered(8), progress=lambda *now: calls.append(now))
    assert list(result) == []
    assert result.finished
    assert len(calls) > 5
    assert {regions for _, regions in calls} == {0}
    assert [nodes for nodes, _ in calls] == sorted({nodes for nodes, _ in calls})
    result = search(checkered(8), progress=lambda nodes, regions: nodes > 3)
    assert list(result) == []
    assert (result.finished, result.stopped_by) == (False, "interrupt")


def test_an_interrupt_keeps_the_regions_so_far(monkeypatch):
    result = search(PAPER)
    first_regions = [next(result), next(result)]

    def step(self, max_nodes):
        raise KeyboardInterrupt

    monkeypatch.setattr(cutting.Cutter, "step", step)
    first_regions += list(result)
    monkeypatch.undo()
    assert first_regions == list(search(PAPER))[: len(first_regions)]
    assert len(first_regions) < len(list(search(PAPER)))
    assert (result.finished, result.stopped_by) == (False, "interrupt")

    def progress(nodes, regions):
        if regions == 2:
            raise KeyboardInterrupt

    result = search(PAPER, progress=progress)
    assert list(result) == list(search(PAPER))[:2]
    assert (result.finished, result.stopped_by) == (False, "interrupt")


def test_the_first_region_of_a_large_set_is_found_quickly():
    rules = random_boxes(1000, 20)
    for how in ORDERS[:2]:
        result = search(rules, **how)
        box = next(result)
        assert not len(rules.rivals_of(box))
        assert not result.finished


def test_memory_does_not_grow_with_the_number_of_regions():
    result, many = search(random_boxes(40, 5)), 1500
    for _ in range(100):
        next(result)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(many):
            next(result)
        growth = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert growth < 100_000 + 100 * many  # storing a region takes several times that


def test_invalid_options_are_rejected(monkeypatch):
    text = "order must be lexicographic or random, got 'best'"
    rejects(ConditionError, text, search, PAPER, order="best")
    for options in ({"X": {"f1": [1], "f2": [1]}}, {"min_instances": 1}):
        text = "X and min_instances must be given together"
        rejects(DataError, text, search, PAPER, **options)
    for value in (-1, 2.5, True, "3"):
        text = f"min_instances must be a non-negative integer, got {value!r}"
        rejects(DataError, text, search, PAPER, X=table(3), min_instances=value)
    text = "random_state must be None, a non-negative integer or a numpy generator"
    with pytest.raises(DataError, match=text):  # before the search starts
        search(PAPER, order="random", random_state="now")
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ConditionError) as caught:
        constraint_graph(PAPER)
    assert str(caught.value) == "constraint_graph needs networkx: pip install 'irenic[graph]'"
