"""The paper's paths against its text transcribed line by line, and their relation to ``search``."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

import literal_cfsgs as literal
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
from irenic.searching import constraints, paths
from naive_cfsgs import Dealt
from refusals import refuses

pytestmark = pytest.mark.kernels

PLANE = [None, None]
EXAMPLE = [[(2, 5), (5, 9)], [(6.5, 8.5), (5, 7)], [(1, 9), (1, 3)]]
SHUFFLES = list(permutations(range(4)))


def rule_set(rules, domains=PLANE):
    """Return a rule set from rules in the form of the transcription."""
    space = Space(
        [
            Continuous(f"f{i}") if domain is None else Categorical(f"f{i}", sorted(domain))
            for i, domain in enumerate(domains, start=1)
        ]
    )
    regions = [
        Region(space, {f.name: _condition(test) for f, test in zip(space, rule, strict=True)})
        for rule in rules
    ]
    return RuleSet([Rule(region, then="A") for region in regions], space)


def _condition(test):
    if not isinstance(test, tuple):
        return set(test)
    return tuple(None if abs(bound) == inf else bound for bound in test)


def sides(region):
    """Return a region in the form of the transcription."""
    return tuple(_side(region, feature) for feature in region.space)


def _side(region, feature):
    space, name = region.space, feature.name
    if isinstance(feature, Continuous):
        return float(region.lower[space.row(name)]), float(region.upper[space.row(name)])
    return frozenset(v for v in feature.values if region.overlaps(Region(space, {name: {v}})))


def nodes(path):
    """Return the constraints of a path as the paper's indices."""
    return tuple((c.rule + 1, c.index + 1) for c in path.constraints)


RULES = rule_set(EXAMPLE)


@st.composite
def literal_rules(draw):
    """Draw rules of the transcription: continuous tests, open or not, and sets of values."""
    domains = draw(st.lists(st.sampled_from([None, None, "abc"]), min_size=1, max_size=3))
    ends = st.sampled_from([-inf, 0, 1, 2, 3, inf])
    interval = st.tuples(ends, ends).filter(lambda pair: pair[0] < pair[1])
    values = st.sets(st.sampled_from("abc"), min_size=1)
    rule = st.tuples(*(interval if domain is None else values for domain in domains)).map(list)
    return draw(st.lists(rule, max_size=4)), domains


@pytest.mark.parametrize(
    "places", [(2, 0), pytest.param((0, 1, 2), marks=pytest.mark.slow)], ids=str
)
def test_the_exact_probabilities_match_all_shuffles_of_the_transcription(places):
    everything = literal.chances([EXAMPLE[i] for i in places], PLANE)
    chances = oracle.chances(RULES, places, passing=False)
    assert {sides(region): chance for region, chance in chances.items()} == everything


# --- all paths


def test_the_example_has_35_paths():
    result = paths(RULES)
    found = list(result)
    assert [nodes(path) for path in found] == list(literal.paths(EXAMPLE, PLANE))
    assert len(found) == 35
    assert result.finished
    assert repr(result).startswith("<Search: 35 regions, ")
    assert repr(found[0]) == "{C[1,1], C[2,1], C[3,1]}: f1 < 1"
    assert [repr(c) for c in found[0].constraints] == [
        "C[1,1]: f1 < 2",
        "C[2,1]: f1 < 6.5",
        "C[3,1]: f1 < 1",
    ]


@given(literal_rules())
def test_paths_are_those_of_the_transcription_in_its_order(drawn):
    rules, domains = drawn
    C = literal.collection(rules)
    expected = [
        (path, literal.region([C[node] for node in path], domains))
        for path in literal.paths(rules, domains)
    ]
    found = list(paths(rule_set(rules, domains)))
    assert [(nodes(path), sides(path.region)) for path in found] == expected


@given(oracle.sets_of_rules(max_size=4, max_features=2))
def test_paths_are_those_of_the_graph_for_features_of_all_kinds(rules):
    expected = list(oracle.consistent_paths(rules))
    found = list(paths(rules))
    assert [(p.region, [(c.rule, c.index) for c in p.constraints]) for p in found] == [
        (region, list(path)) for path, region in expected
    ]
    known = constraints(rules)
    for some in (found, list(paths(rules, order="random", random_state=0))):
        for path in some:
            both = Region(rules.space)
            for constraint in path.constraints:
                assert constraint in known
                both &= constraint.region
            assert both == path.region
            assert not any(path.region.overlaps(rule.region) for rule in rules)
        assert len(set(map(nodes, some))) == len(some) == len(expected)


def test_paths_avoid_only_rivals_and_stay_within_a_region():
    rules = RuleSet([Rule(rule.region, then=f"r{i}") for i, rule in enumerate(RULES)], RULES.space)
    found = list(paths(rules, consequent="r1"))
    assert {tuple(c.rule for c in path.constraints) for path in found} == {(0, 2)}
    assert [path.region for path in found] == [p.region for p in paths(rule_set(EXAMPLE[::2]))]
    within = Region(RULES.space, {"f1": (2, 5)})
    found = list(paths(RULES, within=within))
    assert {path.region for path in found} == {
        path.region & within for path in paths(RULES) if path.region.overlaps(within)
    }
    assert list(paths(RULES, within=Region.nothing(RULES.space))) == []
    for order in ("lexicographic", "random"):
        (path,) = paths(RuleSet(space=RULES.space), order=order)
        assert (path.constraints, path.region) == ((), Region(RULES.space))
    assert repr(path) == "{}: anything"
    result = paths(rule_set([[(-inf, 5), (-inf, inf)], [(5, inf), (-inf, inf)]]))
    assert list(result) == []
    assert result.finished


def test_the_first_path_is_found_where_backtracking_without_a_look_ahead_takes_forever():
    # The last two rules leave nothing but f3 < 0, which backtracking finds out at the last level.
    n, whole = 30, (-inf, inf)
    rules = [[(i, i + 1), (i, i + 1), whole] for i in range(n)]
    rules += [[whole, whole, (0, 5)], [whole, whole, (5, inf)]]
    found = paths(rule_set(rules, [None] * 3))
    assert sides(next(found).region) == ((-inf, 0), (-inf, inf), (-inf, 0))
    covered = paths(rule_set([*rules, [whole, whole, (-inf, 0)]], [None] * 3))
    assert list(covered) == []
    assert covered.finished


# --- random order


@pytest.mark.parametrize("places", [(2, 0), pytest.param((0, 2), marks=pytest.mark.slow)])
def test_all_shuffles_give_the_probabilities_of_the_transcription(places):
    rules = rule_set([EXAMPLE[i] for i in places])
    dealt = product(permutations(range(2)), SHUFFLES, SHUFFLES)
    drawn = Counter(
        sides(next(paths(rules, order="random", random_state=Dealt(d))).region) for d in dealt
    )
    total = 2 * len(SHUFFLES) ** 2
    expected = literal.chances_in_any_order([EXAMPLE[0], EXAMPLE[2]], PLANE)
    assert {first: Fraction(count, total) for first, count in drawn.items()} == expected


@given(st.permutations(range(3)), st.lists(st.permutations(range(4)), min_size=3, max_size=3))
def test_every_shuffle_gives_the_paths_of_the_transcription_in_its_order(levels, shuffles):
    found = list(paths(RULES, order="random", random_state=Dealt([levels, *shuffles])))
    regions = [sides(path.region) for path in found]
    order = {i: [j + 1 for j in shuffle] for i, shuffle in enumerate(shuffles, start=1)}
    expected = []
    for rules in permutations(EXAMPLE):  # the search sorts the rules before it shuffles them
        C = literal.collection(rules)
        found = literal.paths(rules, PLANE, order)
        expected.append([literal.region([C[node] for node in path], PLANE) for path in found])
    assert regions in expected


@pytest.mark.parametrize("places", [(0, 1, 2), (2, 1, 0)])
def test_first_regions_are_drawn_as_by_the_paper_whatever_the_order_of_the_rules(places):
    rules = rule_set([EXAMPLE[i] for i in places])
    chances = oracle.chances_over_levels(RULES, passing=False)
    n = 600
    rng = np.random.default_rng(sum(places[:2]))
    drawn = Counter(next(paths(rules, order="random", random_state=rng)).region for _ in range(n))
    assert set(drawn) <= set(chances)
    likely = [region for region, chance in chances.items() if n * chance >= 5]
    expected = [float(n * chances[region]) for region in likely]
    observed = [drawn[region] for region in likely]
    expected, observed = [*expected, n - sum(expected)], [*observed, n - sum(observed)]
    if expected[-1] < 1e-9:
        expected, observed = expected[:-1], observed[:-1]
    assert chisquare(observed, expected).pvalue > 0.001


@given(literal_rules(), st.randoms(use_true_random=False), st.integers(0, 9))
def test_random_order_does_not_depend_on_the_order_of_the_rules(drawn, rnd, seed):
    rules, domains = drawn
    shuffled = list(rules)
    rnd.shuffle(shuffled)
    regions = [
        [p.region for p in paths(rule_set(r, domains), order="random", random_state=seed)]
        for r in (rules, shuffled)
    ]
    assert regions[0] == regions[1]


def test_a_region_of_the_example_is_drawn_as_often_as_the_documentation_says():
    top = Region(RULES.space, {"f2": (9, None)})
    assert oracle.chances_over_levels(RULES, passing=False)[top] == Fraction(11, 432)
    assert oracle.chances_over_levels(RULES, passing=True)[top] == Fraction(1, 8)


# --- the first region of ``search``


def relation(rules, **how):
    """Return how the first region of ``search`` lies to that of the first path; None without."""
    path = next(paths(rules, **how), None)
    region = next(search(rules, **how), None)
    assert (path is None) == (region is None)
    if path is None:
        return None
    if path.region <= region:
        return "contains"
    return "overlaps" if region.overlaps(path.region) else "disjoint"


@pytest.mark.parametrize("seed", sts.seeds(3, of=60))
def test_the_first_region_of_open_rules_contains_the_papers_or_is_disjoint_from_it(seed):
    rng = np.random.default_rng(seed)
    space = Space([Continuous(f"f{i + 1}") for i in range(12)])
    relations = Counter()
    for _ in range(20):
        lower, upper = np.sort(rng.random((2, 12, 10)), axis=0)
        lower = np.where(rng.random(lower.shape) < 0.5, lower, -np.inf)
        upper = np.where(rng.random(upper.shape) < 0.5, upper, np.inf)
        rules = RuleSet.from_arrays(space, lower=lower, upper=upper, then=["A"] * 10)
        relations[relation(rules)] += 1
    assert set(relations) <= {"contains", "disjoint", None}
    assert relations["contains"] > relations["disjoint"]


@given(oracle.sets_of_rules(max_size=5))
def test_the_first_region_contains_the_papers_or_satisfies_an_earlier_constraint(rules):
    lies = relation(rules)
    assert lies in {"contains", "disjoint", None}
    if lies != "disjoint":
        return
    region = next(search(rules))
    chosen = next(paths(rules)).constraints
    box = Region(rules.space)
    for rule, own in zip(rules, chosen, strict=True):
        if not box.overlaps(rule.region):  # skipped by search
            continue
        if region <= own.region:
            box &= own.region
            continue
        earlier = [c for c in constraints(rules) if c.rule == own.rule and c.index < own.index]
        assert any(region <= c.region for c in earlier)
        return
    pytest.fail("the choices never differ")


def test_a_first_region_that_is_disjoint_from_the_papers():
    whole = (-inf, inf)
    rules = rule_set([[whole, (2, inf)], [(-inf, 2), (3, inf)], [(1, 4), whole]])
    assert repr(next(search(rules))) == "f1 < 1 and f2 < 2"
    assert repr(next(paths(rules))) == "{C[1,3], C[2,2], C[3,2]}: f1 >= 4 and f2 < 2"


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=5))
def test_both_first_regions_lie_below_the_lower_bounds_of_the_first_feature(corners):
    rules = rule_set([[(a, a + 2), (b, inf)] for a, b in corners])
    below = Region(rules.space, {"f1": (None, min(a for a, _ in corners))})
    assert next(search(rules)) == next(paths(rules)).region == below


def test_paths_have_the_options_of_search():
    for budget, stopped_by in ((Budget(regions=3), "regions"), (Budget(nodes=5), "nodes")):
        result = paths(RULES, budget=budget)
        found = list(result)
        assert found == list(paths(RULES))[: len(found)]
        assert (result.finished, result.stopped_by) == (False, stopped_by)
    assert list(paths(RULES, budget=0)) == []
    result = paths(RULES, progress=lambda nodes, regions: regions == 4)
    assert list(result) == list(paths(RULES))[:4]
    assert result.stopped_by == "interrupt"
    text = r"^order must be lexicographic or random, got 'best'$"
    refuses(ConditionError, text, paths, RULES, order="best")
    with pytest.raises(DataError, match="random_state must be None"):
        paths(RULES, order="random", random_state="now")
