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

pytestmark = pytest.mark.kernels

PLANE = Space([Continuous("f1"), Continuous("f2")])
PAPER = RuleSet(
    [
        Rule({"f1": (2, 5), "f2": (5, 9)}, then="r1"),
        Rule({"f1": (6.5, 8.5), "f2": (5, 7)}, then="r2"),
        Rule({"f1": (1, 9), "f2": (1, 3)}, then="r3"),
    ],
    PLANE,
)
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


def chequered(k):
    """Return the k * k cells of a board, which cover everything."""
    ends = [None, *range(1, k), None]
    sides = list(pairwise(ends))
    return RuleSet([Rule({"f1": a, "f2": b}, then="A") for a in sides for b in sides], PLANE)


# --- the collection C


def test_the_constraints_of_the_example_are_those_of_table_1():
    found = {(c.rule, c.index): c.region for c in constraints(PAPER)}
    assert found == {
        (0, 0): region("f1 < 2"),
        (0, 1): region("f1 >= 5"),
        (0, 2): region("f2 < 5"),
        (0, 3): region("f2 >= 9"),
        (1, 0): region("f1 < 6.5"),
        (1, 1): region("f1 >= 8.5"),
        (1, 2): region("f2 < 5"),
        (1, 3): region("f2 >= 7"),
        (2, 0): region("f1 < 1"),
        (2, 1): region("f1 >= 9"),
        (2, 2): region("f2 < 1"),
        (2, 3): region("f2 >= 3"),
    }
    assert list(found) == sorted(found)


def test_a_constraint_shows_its_indices_and_its_region():
    assert repr(constraints(PAPER)[3]) == "C[1,4]: f2 >= 9"


def test_a_categorical_test_gives_one_constraint():
    rules = RuleSet([Rule({"f1": (2, 5), "f2": {"yellow"}}, then="A")])
    texts = [repr(c) for c in constraints(rules)]
    assert texts == ["C[1,1]: f1 < 2", "C[1,2]: f1 >= 5", "C[1,3]: f2 not in {yellow}"]


def test_indices_count_features_in_the_order_of_the_space():
    space = Space([Categorical("color", ["red", "blue"]), Continuous("f1")])
    rules = RuleSet([Rule({"f1": (2, 5), "color": "red"}, then="A")], space)
    assert [repr(c) for c in constraints(rules)] == [
        "C[1,1]: color in {blue}",
        "C[1,2]: f1 < 2",
        "C[1,3]: f1 >= 5",
    ]


def test_unbounded_sides_make_no_constraint_but_keep_their_index():
    rules = RuleSet([Rule({"f1": (None, 5)}, then="A"), Rule({"f2": (3, None)}, then="A")], PLANE)
    assert [repr(c) for c in constraints(rules)] == ["C[1,2]: f1 >= 5", "C[2,3]: f2 < 3"]


def test_a_bound_that_the_space_implies_makes_no_constraint():
    space = Space(
        [
            Continuous("age", bounds=(0, 120), kind="integer"),
            Categorical("sure", [True, False]),
        ]
    )
    rules = RuleSet([Rule({"age": {">=": 0, "<": 121}, "sure": {True, False}}, then="A")], space)
    assert constraints(rules) == []


def test_missing_is_what_a_test_with_an_open_lower_side_leaves():
    space = Space([Continuous("age", missing=True)])
    rules = RuleSet([Rule({"age": {"<": 5}}, then="A")], space)
    assert [repr(c) for c in constraints(rules)] == ["C[1,1]: age is missing", "C[1,2]: age >= 5"]


def test_constraints_of_rules_with_the_same_consequent_are_left_out():
    assert {c.rule for c in constraints(PAPER, consequent="r2")} == {0, 2}
    assert {c.rule for c in constraints(PAPER, consequent="unheard of")} == {0, 1, 2}


@given(oracle.sets_of_rules())
def test_constraints_are_the_negated_tests(rules):
    expected = [
        (i, j, negated)
        for i, rule in enumerate(rules)
        for j, negated in oracle.negated_tests(rule.region)
    ]
    assert [(c.rule, c.index, c.region) for c in constraints(rules)] == expected


# --- the graph


def test_the_graph_of_the_example_is_that_of_the_figure():
    graph = constraint_graph(PAPER)
    levels = [[(i, j) for j in range(4)] for i in range(3)]
    assert set(graph) == {"root", *levels[0], *levels[1], *levels[2]}
    edges = {("root", b) for b in levels[0]}
    edges |= {(a, b) for i in (0, 1) for a in levels[i] for b in levels[i + 1]}
    assert set(graph.edges) == edges
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (13, 4 + 2 * 16)
    assert graph.nodes[1, 0]["constraint"].region == region("f1 < 6.5")
    assert networkx.is_directed_acyclic_graph(graph)


@given(oracle.sets_of_rules())
def test_the_graph_is_the_one_of_algorithm_1(rules):
    graph = constraint_graph(rules)
    expected = oracle.graph(rules)
    assert set(graph.edges) == set(expected.edges)
    assert {n: c.region for n, c in graph.nodes(data="constraint") if c} == {
        n: r for n, r in expected.nodes(data="region") if r
    }


def test_a_rule_that_holds_everywhere_cuts_the_graph():
    rules = RuleSet(
        [Rule({"f1": (2, 5)}, then="A"), Rule({}, then="A"), Rule({"f1": (6, 9)}, then="A")],
        PLANE,
    )
    graph = constraint_graph(rules)
    assert graph.graph["rules"] == (0, 1, 2)
    assert not networkx.has_path(graph, "root", (2, 0))
    assert set(graph) == {"root", (0, 0), (0, 1), (2, 0), (2, 1)}


def test_the_graph_leaves_out_rules_of_the_consequent_asked_for():
    graph = constraint_graph(PAPER, consequent="r2")
    assert graph.graph["rules"] == (0, 2)
    assert set(graph.successors((0, 0))) == {(2, j) for j in range(4)}


def test_a_graph_beyond_what_memory_allows_is_refused():
    rules = random_boxes(300, 50)
    with pytest.raises(ConditionError) as caught:
        constraint_graph(rules)
    assert str(caught.value) == (
        "the graph of 300 rules would have 2,990,100 edges, more than 2,000,000;"
        " search(rules) finds the same regions without it"
    )


# --- the paper's order


def test_the_first_path_of_the_example_is_the_paper_s():
    path, found = next(oracle.consistent_paths(PAPER))
    assert path == ((0, 0), (1, 0), (2, 0))
    assert found == region("f1 < 1")
    assert next(search(PAPER)) == found
    assert repr(next(search(PAPER))) == "f1 < 1"


def test_the_constraints_of_the_first_path_together_are_its_region():
    graph = constraint_graph(PAPER)
    both = region("f1 < 1e9")
    for node in [(0, 0), (1, 0), (2, 0)]:
        both &= graph.nodes[node]["constraint"].region
    assert both == region("f1 < 1")


@given(oracle.sets_of_rules(max_size=4, max_features=2))
def test_every_region_is_that_of_a_consistent_path(rules):
    literal = {found for _, found in oracle.consistent_paths(rules)}
    assert set(search(rules)) <= literal


@given(oracle.sets_of_rules(max_size=4))
def test_regions_come_in_the_order_of_the_literal_search(rules):
    found = list(search(rules))
    expected = list(oracle.passing_paths(rules))
    assert found[:1] == expected[:1]
    left = iter(expected)
    assert all(any(f == e for e in left) for f in found)  # in the same order, some left out
    assert len(set(found)) == len(found)
    for dropped in set(expected) - set(found):
        earlier = expected[: expected.index(dropped)]
        grid = oracle.Grid(rules.space, expected)
        assert not (grid.cells(dropped) & ~grid.union(earlier)).any()


def test_regions_of_dense_sets_come_in_the_order_of_the_literal_search():
    for seed in range(40):
        rules = oracle.dense_set(seed, size=4, width=2)
        left = oracle.passing_paths(rules)
        found = list(search(rules))
        assert all(any(f == e for e in left) for f in found)
        assert found[:1] == list(oracle.passing_paths(rules))[:1]


# --- everything free, nothing else


@pytest.mark.parametrize("how", ORDERS)
@given(rules=oracle.sets_of_rules(max_size=4, max_features=2))
def test_the_union_is_that_of_the_literal_search_and_all_that_is_uncovered(how, rules):
    found = list(search(rules, **how))
    literal = [made for _, made in oracle.consistent_paths(rules)]
    grid = oracle.Grid(rules.space, [*regions_of(rules), *found])
    uncovered = ~grid.union(regions_of(rules))
    assert (grid.union(found) == uncovered).all()
    assert (grid.union(literal) == uncovered).all()


@pytest.mark.parametrize("seed", sts.seeds(8, of=40))
def test_the_union_of_dense_sets_is_all_that_is_uncovered(seed):
    rules = oracle.dense_set(seed, size=3 + seed % 5, width=1 + seed % 3)
    found = search(rules, order="random" if seed % 2 else "lexicographic", random_state=seed)
    held = list(found)
    grid = oracle.Grid(rules.space, [*regions_of(rules), *held])
    assert (grid.union(held) == ~grid.union(regions_of(rules))).all()
    assert found.finished
    assert found.stopped_by is None


@given(oracle.sets_of_rules(max_size=4, max_features=2), st.data())
def test_within_finds_what_is_uncovered_there(rules, data):
    within = data.draw(sts.regions(rules.space))
    for maximal in (False, True):
        found = list(search(rules, within=within, maximal=maximal))
        grid = oracle.Grid(rules.space, [*regions_of(rules), within, *found])
        uncovered = grid.cells(within) & ~grid.union(regions_of(rules))
        assert (grid.union(found) == uncovered).all()


@given(oracle.sets_of_rules(max_size=4, max_features=2))
def test_rules_of_the_same_consequent_may_be_overlapped(rules):
    found = list(search(rules, consequent="A"))
    rivals = [rule.region for rule in rules if rule.then != "A"]
    grid = oracle.Grid(rules.space, [*regions_of(rules), *found])
    assert (grid.union(found) == ~grid.union(rivals)).all()


def test_with_no_rival_everything_is_one_region():
    rules = RuleSet([Rule({"f1": (2, 5)}, then="A")], PLANE)
    for asked in ({"consequent": "A"}, {"consequent": "A", "maximal": True}):
        assert list(search(rules, **asked)) == [Region(PLANE)]
    assert list(search(RuleSet(space=PLANE))) == [Region(PLANE)]


def test_a_covered_space_has_no_region_and_the_search_says_that_it_is_complete():
    rules = RuleSet([Rule({"f1": (None, 5)}, then="A"), Rule({"f1": (5, None)}, then="B")], PLANE)
    found = search(rules)
    assert list(found) == []
    assert found.finished
    assert repr(found).endswith("finished>")


def test_nothing_lies_within_the_empty_region():
    found = search(PAPER, within=Region.nothing(PLANE))
    assert list(found) == []
    assert found.finished


def test_within_may_be_a_region_of_another_space():
    within = Region(Space([Continuous("f1")]), {"f1": (2, 5)})
    assert set(search(PAPER, within=within, maximal=True)) == {
        region("2 <= f1 < 5 and f2 < 1"),
        region("2 <= f1 < 5 and 3 <= f2 < 5"),
        region("2 <= f1 < 5 and f2 >= 9"),
    }


def test_a_space_without_features_has_one_point():
    space = Space([])
    assert len(list(search(RuleSet(space=space)))) == 1
    assert list(search(RuleSet([Rule(Region(space), then="A")], space))) == []


# --- maximal regions


def sides(rules, found, within=None):
    whole = Region(rules.space) if within is None else within
    grid = oracle.Grid(rules.space, [*regions_of(rules), whole])
    return Counter(grid.sides(made) for made in found)


def test_the_maximal_regions_of_the_example():
    assert set(search(PAPER, maximal=True)) == {
        region("f1 < 1"),
        region("f1 >= 9"),
        region("f2 < 1"),
        region("3 <= f2 < 5"),
        region("f2 >= 9"),
        region("f1 < 2 and f2 >= 3"),
        region("5 <= f1 < 6.5 and f2 >= 3"),
        region("f1 >= 5 and f2 >= 7"),
        region("f1 >= 8.5 and f2 >= 3"),
    }


@pytest.mark.parametrize("how", ORDERS)
@given(rules=oracle.sets_of_rules())
def test_maximal_gives_each_maximal_region_once_and_no_other(how, rules):
    expected = oracle.maximal_free(rules, most=20_000)
    if expected is not None:
        found = sides(rules, search(rules, maximal=True, **how))
        assert found == dict.fromkeys(expected, 1)


@pytest.mark.parametrize("seed", sts.seeds(12, of=80))
def test_the_maximal_regions_of_dense_sets_are_the_same_in_every_order(seed):
    rules = oracle.dense_set(seed, size=3 + seed % 4, width=2 + seed % 2)
    expected = oracle.maximal_free(rules, most=20_000)
    answers = [list(search(rules, maximal=True, **how)) for how in ORDERS]
    assert len({frozenset(found) for found in answers}) == 1
    if expected is not None:
        assert sides(rules, answers[0]) == dict.fromkeys(expected, 1)


@given(oracle.sets_of_rules(max_size=4), st.data())
def test_maximal_within_a_region_means_maximal_in_it(rules, data):
    within = data.draw(sts.regions(rules.space))
    expected = oracle.maximal_free(rules, within, most=20_000)
    if expected is not None:
        found = search(rules, maximal=True, within=within)
        assert sides(rules, found, within) == dict.fromkeys(expected, 1)


@given(oracle.sets_of_rules(max_size=4))
def test_maximal_for_a_consequent_looks_at_rivals_only(rules):
    rivals = RuleSet([rule for rule in rules if rule.then != "A"], rules.space)
    found = list(search(rules, maximal=True, consequent="A"))
    assert found == list(search(rivals, maximal=True))


def test_every_region_lies_in_a_maximal_one():
    rules = random_boxes(12, 3, width=0.8)
    largest = list(search(rules, maximal=True))
    assert all(any(made <= big for big in largest) for made in search(rules))


# --- orders


def is_low(made):
    """Return whether a region is bounded above and not below on the first feature."""
    return made.lower[0] == -np.inf and made.upper[0] < np.inf


def is_high(made):
    return made.lower[0] > -np.inf and made.upper[0] == np.inf


def mirrored(rules):
    lower, upper = -rules.upper, -rules.lower
    then = [rule.then for rule in rules]
    return RuleSet.from_arrays(rules.space, lower=lower, upper=upper, then=then)


def test_random_order_removes_the_bias_for_the_low_values_of_the_first_feature():
    many = [random_boxes(12, 2, seed=s) for s in range(20)]
    many += [mirrored(rules) for rules in many]  # so that low and high are alike
    rng = np.random.default_rng(0)
    first = [next(search(rules)) for rules in many]
    drawn = [next(search(r, order="random", random_state=rng)) for r in many for _ in range(20)]
    assert np.mean([is_low(made) for made in first]) == 1.0
    low = np.mean([is_low(made) for made in drawn])
    high = np.mean([is_high(made) for made in drawn])
    assert low < 0.5
    assert high > 0.2
    assert abs(low - high) < 0.1


def test_every_maximal_region_of_the_example_that_is_first_somewhere_can_be_drawn():
    firsts = Counter(
        next(search(PAPER, order="random", random_state=s, maximal=True)) for s in range(200)
    )
    assert set(firsts) == set(search(PAPER, maximal=True))
    assert max(firsts.values()) < 100


class Dealt(np.random.Generator):
    """A generator whose permutations are dealt, one after the other."""

    def __init__(self, permutations):
        super().__init__(np.random.PCG64(0))
        self.left = list(permutations)

    def permutation(self, x):
        made = np.array(self.left.pop(0))
        assert sorted(made) == list(range(x))
        return made


def reordered(rules, places):
    rules = list(rules)
    return RuleSet([rules[i] for i in places], PLANE)


PAIR = reordered(PAPER, [0, 2])
SHUFFLES = list(permutations(range(4)))


def test_the_literal_search_depends_on_the_order_of_the_rules_even_if_every_level_is_shuffled():
    top = region("f2 >= 9")
    literal = {
        levels: oracle.chances(PAPER, levels, passing=False)[top]
        for levels in permutations(range(3))
    }
    assert literal == {p: Fraction(1, 48 if p[0] == 2 else 36) for p in permutations(range(3))}
    passing = {oracle.chances(PAPER, p, passing=True)[top] for p in permutations(range(3))}
    assert passing == {Fraction(1, 4), Fraction(1, 12), Fraction(1, 16), Fraction(1, 48)}


@pytest.mark.parametrize("places", [(0, 1), (1, 0)])
def test_every_shuffle_of_two_levels_gives_the_chances_of_the_oracle(places):
    rules = reordered(PAIR, places)
    dealt = product(permutations(range(2)), SHUFFLES, SHUFFLES)
    drawn = Counter(next(search(rules, order="random", random_state=Dealt(d))) for d in dealt)
    total = 2 * len(SHUFFLES) ** 2
    expected = oracle.chances_over_levels(PAIR, passing=True)
    assert {made: Fraction(count, total) for made, count in drawn.items()} == expected


@given(st.lists(st.permutations(range(4)), min_size=3, max_size=3))
def test_each_level_is_shuffled_once_for_the_whole_search(shuffles):
    found = list(search(PAPER, order="random", random_state=Dealt([range(3), *shuffles])))
    assert len(set(found)) == len(found)
    assert any(
        _in_order(found, oracle.paths_in_order(PAPER, levels, orders, passing=True))
        for levels in permutations(range(3))  # they start from an order of the search's own
        for orders in permutations(shuffles)  # levels are shuffled as they are met
    )


def _in_order(found, expected):
    """Return whether regions come in the order of others, beginning with the first."""
    left = iter(expected)
    return found[0] == next(left) and all(any(f == e for e in left) for f in found[1:])


@pytest.mark.parametrize("maximal", [False, True])
def test_what_is_drawn_does_not_depend_on_the_order_of_the_rules(maximal):
    for seed in range(5):
        answers = {
            tuple(search(rules, order="random", random_state=seed, maximal=maximal))
            for rules in (reordered(PAPER, places) for places in permutations(range(3)))
        }
        assert len(answers) == 1


@given(oracle.sets_of_rules(max_size=4), st.randoms(use_true_random=False), st.integers(0, 9))
def test_what_is_drawn_does_not_depend_on_the_order_of_any_rules(rules, rnd, seed):
    shuffled = list(rules)
    rnd.shuffle(shuffled)
    others = RuleSet(shuffled, rules.space)
    assert list(search(rules, order="random", random_state=seed)) == list(
        search(others, order="random", random_state=seed)
    )


@pytest.mark.parametrize("places", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_first_regions_are_as_frequent_as_the_oracle_says_whatever_the_order(places):
    rules = reordered(PAPER, places)
    n = 4000
    rng = np.random.default_rng(sum(places[:2]))
    drawn = Counter(next(search(rules, order="random", random_state=rng)) for _ in range(n))
    expected = oracle.chances_over_levels(PAPER, passing=True)
    assert set(drawn) <= set(expected)
    for made, chance in expected.items():
        spread = float(chance * (1 - chance) / n) ** 0.5
        assert abs(drawn[made] / n - float(chance)) < 5 * spread


def test_random_order_is_reproducible():
    def drawn(state):
        return list(search(PAPER, order="random", random_state=state))

    assert drawn(1) == drawn(1) == drawn(np.random.default_rng(1))
    assert any(drawn(1) != drawn(s) for s in range(2, 6))


def test_lexicographic_order_does_not_depend_on_random_state():
    assert list(search(PAPER, random_state=1)) == list(search(PAPER, random_state=2))


# --- instances


def table(n=200, seed=0):
    rng = np.random.default_rng(seed)
    return {"f1": rng.uniform(0, 10, n), "f2": rng.uniform(0, 10, n)}


@pytest.mark.parametrize("least", [0, 1, 20, 40, 201])
@pytest.mark.parametrize("how", ORDERS[:2])
def test_min_instances_keeps_exactly_the_regions_that_hold_so_many(least, how):
    X = table()
    every = list(search(PAPER, maximal=True))
    wanted = {made for made in every if made.contains(X).sum() >= least}
    found = list(search(PAPER, maximal=True, X=X, min_instances=least, **how))
    assert len(found) == len(wanted)
    assert set(found) == wanted
    assert (least < 201) == bool(wanted)


def test_min_instances_holds_without_maximal_too():
    X = table()
    found = list(search(PAPER, X=X, min_instances=10))
    assert found == [m for m in search(PAPER) if m.contains(X).sum() >= 10]
    assert found


def test_min_instances_holds_where_there_is_no_rule():
    rules = RuleSet(space=PLANE)
    assert list(search(rules, X=table(5), min_instances=5)) == [Region(PLANE)]
    assert list(search(rules, X=table(5), min_instances=6)) == []


# --- how it ends


def test_a_search_is_not_complete_before_its_end():
    found = search(PAPER)
    next(found)
    assert not found.finished
    assert found.stopped_by is None
    assert "under way" in repr(found)
    assert len(list(found)) > 5
    assert found.finished
    assert next(found, None) is None


@pytest.mark.parametrize("maximal", [False, True])
def test_a_budget_of_regions_is_kept(maximal):
    found = search(PAPER, maximal=maximal, budget=Budget(regions=3))
    assert list(found) == list(search(PAPER, maximal=maximal))[:3]
    assert (found.finished, found.stopped_by) == (False, "regions")
    assert repr(found).startswith("<Search: 3 regions, ")
    assert repr(found).endswith("nodes, regions>")
    assert list(search(PAPER, budget=Budget(regions=0))) == []


@pytest.mark.parametrize("nodes", [0, 1, 2, 5, 10, 15, 20])
def test_a_budget_of_nodes_is_kept_and_what_was_found_is_the_beginning(nodes):
    found = search(PAPER, budget=Budget(nodes=nodes))
    held = list(found)
    assert found.nodes == nodes
    assert held == list(search(PAPER))[: len(held)]
    assert (found.finished, found.stopped_by) == (False, "nodes")


def test_a_budget_of_nodes_bounds_the_proof_that_nothing_is_free():
    found = search(chequered(8), budget=Budget(nodes=3))
    assert list(found) == []
    assert (found.nodes, found.stopped_by, found.finished) == (3, "nodes", False)


def test_a_budget_that_suffices_is_complete():
    found = search(PAPER, budget=Budget(nodes=10_000, regions=1000, seconds=60))
    assert list(found) == list(search(PAPER))
    assert found.finished


def test_a_budget_of_seconds_ends_a_long_search():
    rules = random_boxes(300, 4)
    found = search(rules, maximal=True, budget=0.3)
    held = list(found)
    assert held
    assert (found.finished, found.stopped_by) == (False, "seconds")


def test_no_seconds_give_nothing():
    found = search(PAPER, budget=0)
    assert list(found) == []
    assert found.stopped_by == "seconds"


def test_progress_hears_of_every_region_and_may_end_the_search():
    heard = []

    def progress(nodes, regions):
        heard.append((nodes, regions))
        return regions == 3

    found = search(PAPER, progress=progress)
    assert list(found) == list(search(PAPER))[:3]
    assert (found.finished, found.stopped_by) == (False, "interrupt")
    assert [regions for _, regions in heard] == [1, 2, 3]
    assert [nodes for nodes, _ in heard] == sorted(nodes for nodes, _ in heard)


def test_progress_is_heard_while_the_first_region_is_still_sought(monkeypatch):
    monkeypatch.setattr(cutting, "_BURST", 2)
    heard = []
    found = search(chequered(8), progress=lambda *now: heard.append(now))
    assert list(found) == []
    assert found.finished
    assert len(heard) > 5
    assert {regions for _, regions in heard} == {0}
    assert [nodes for nodes, _ in heard] == sorted({nodes for nodes, _ in heard})
    found = search(chequered(8), progress=lambda nodes, regions: nodes > 3)
    assert list(found) == []
    assert (found.finished, found.stopped_by) == (False, "interrupt")


def test_an_interrupt_in_the_callback_loses_nothing():
    def progress(nodes, regions):
        if regions == 2:
            raise KeyboardInterrupt

    found = search(PAPER, progress=progress)
    assert list(found) == list(search(PAPER))[:2]
    assert (found.finished, found.stopped_by) == (False, "interrupt")


def test_an_interrupt_inside_the_search_ends_it_with_what_was_found(monkeypatch):
    found = search(PAPER)
    held = [next(found), next(found)]

    def step(self, max_nodes):
        raise KeyboardInterrupt

    monkeypatch.setattr(cutting.Cutter, "step", step)
    held += list(found)
    monkeypatch.undo()
    assert held == list(search(PAPER))[: len(held)]
    assert len(held) < len(list(search(PAPER)))
    assert (found.finished, found.stopped_by) == (False, "interrupt")


# --- laziness


def test_the_first_region_of_a_large_set_needs_no_search_of_the_rest():
    rules = random_boxes(1000, 20)
    for how in ORDERS[:2]:
        found = search(rules, **how)
        made = next(found)
        assert not len(rules.rivals_of(made))
        assert not found.finished


def test_memory_does_not_grow_with_the_number_of_regions():
    rules = random_boxes(40, 5)
    found = search(rules)
    few, many = 100, 2000
    for _ in range(few):
        next(found)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(many):
            next(found)
        growth = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert growth < 100_000 + 100 * many  # a region alone takes several times that


# --- errors


def test_an_unknown_order_is_refused():
    with pytest.raises(ConditionError) as caught:
        search(PAPER, order="best")
    assert str(caught.value) == "order is lexicographic or random, not 'best'"


@pytest.mark.parametrize("given_", [{"X": {"f1": [1], "f2": [1]}}, {"min_instances": 1}])
def test_instances_and_their_number_go_together(given_):
    with pytest.raises(DataError, match=r"^X and min_instances go together$"):
        search(PAPER, **given_)


@pytest.mark.parametrize("least", [-1, 2.5, True, "3"])
def test_min_instances_is_a_count(least):
    with pytest.raises(DataError) as caught:
        search(PAPER, X=table(3), min_instances=least)
    assert str(caught.value) == f"min_instances is a number of instances, not {least!r}"


@pytest.mark.parametrize("side", ["seconds", "nodes", "regions"])
@pytest.mark.parametrize("value", [-1, "5", True, float("nan")])
def test_a_budget_is_a_number_that_is_not_negative(side, value):
    with pytest.raises(ConditionError) as caught:
        Budget(**{side: value})
    assert str(caught.value) == (
        f"budget.{side} must be a non-negative number or None, got {value!r}"
    )


def test_a_random_state_is_checked_before_the_search_begins():
    with pytest.raises(
        DataError, match="random_state is None, an integer from 0 on or a numpy generator"
    ):
        search(PAPER, order="random", random_state="now")


def test_the_graph_says_what_to_install_where_networkx_is_not(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ConditionError) as caught:
        constraint_graph(PAPER)
    assert str(caught.value) == "constraint_graph needs networkx: pip install 'irenic[graph]'"
