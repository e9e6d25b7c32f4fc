"""CFSBE: a region grown around a seed contains it, is free, and cannot be enlarged."""

from __future__ import annotations

import datetime as dt
import math
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import naive
import naive_cfsbe as slow
import strategies as sts
from irenic import (
    MISSING,
    OTHER,
    Categorical,
    ConditionError,
    Continuous,
    DataError,
    Region,
    Rule,
    RuleSet,
    SeedError,
    Space,
    enlarge,
    enlarge_many,
    search,
)
from irenic.model import CoverageMap

pytestmark = pytest.mark.kernels

PLANE = Space([Continuous("f1"), Continuous("f2")])
PAPER = RuleSet(
    [
        Rule(Region(PLANE, {"f1": (2, 5), "f2": (5, 9)}), then="r1"),
        Rule(Region(PLANE, {"f1": (6.5, 8.5), "f2": (5, 7)}), then="r2"),
        Rule(Region(PLANE, {"f1": (1, 9), "f2": (1, 3)}), then="r3"),
    ],
    PLANE,
)
P1 = {"f1": 5.5, "f2": 8}


def sides(rules):
    """Return the rules of a continuous space as the literal pseudo-code takes them."""
    return [list(zip(r.region.lower.tolist(), r.region.upper.tolist(), strict=True)) for r in rules]


def literal(rules, x, order):
    """Return the box of the literal pseudo-code as bounds."""
    numbers = [rules.space.index(name) for name in order]
    return slow.literal(sides(rules), x, numbers)


def rivals(rules, consequent):
    return [r.region for r in rules if consequent is None or r.then != consequent]


def check(rules, cell, order, consequent=None):
    """Compare a region with its invariants and with the corrected transcription."""
    space = rules.space
    seed = naive.instances(space, [cell])
    region = enlarge(rules, seed, order=order, consequent=consequent)
    in_the_way = rivals(rules, consequent)
    assert naive.holds(region, cell)
    assert not (region.masks & ~space.everything).any()
    assert slow.is_free(region, in_the_way)
    assert slow.ways_out(region, in_the_way) == []
    assert region == slow.as_region(space, slow.enlarge(space, rules, cell, order, consequent))
    return region


def a_cell(data, space, regions):
    """Draw a cell; bounds of the rules and their neighbors are among them."""
    axes = naive.grid(space, regions)
    shown = [[v for v in axis if naive.shows(f, v)] for f, axis in zip(space, axes, strict=True)]
    return tuple(data.draw(st.sampled_from(axis)) for axis in shown)


# --- the paper's figures


def test_each_order_gives_another_region_of_the_worked_figure():
    first = enlarge(PAPER, P1, order=["f1", "f2"])
    second = enlarge(PAPER, P1, order=["f2", "f1"])
    assert first == Region(PLANE, {"f1": (5, None), "f2": (7, None)})
    assert second == Region(PLANE, {"f1": (5, 6.5), "f2": (3, None)})
    assert first != second


def test_the_point_of_the_worked_figure_passes_one_test_of_the_first_rule():
    assert not PAPER.covering([P1]).any()
    assert P1 not in PAPER[0].region
    assert {"f1": 4, "f2": P1["f2"]} in PAPER[0].region


@pytest.mark.parametrize("order", [("f1", "f2"), ("f2", "f1")])
def test_the_literal_algorithm_agrees_on_the_worked_figure(order):
    region = enlarge(PAPER, P1, order=order)
    box = literal(PAPER, [5.5, 8.0], order)
    assert box == np.column_stack([region.lower, region.upper]).tolist()


# --- the literal pseudo-code


def test_the_literal_algorithm_fails_for_a_seed_on_an_inclusive_lower_bound():
    rules = RuleSet([Rule(Region(PLANE, {"f1": (2, 5), "f2": (1, 3)}), then="A")], PLANE)
    seed = [6.0, 1.0]  # on the rule's lower bound of f2, beyond it on f1
    (low1, high1), (low2, high2) = literal(rules, seed, ["f1", "f2"])
    # f1 grows through the rule, and f2 is then cut off below the seed
    assert (low1, high1) == (-math.inf, math.inf)
    assert (low2, high2) == (-math.inf, 1.0)
    assert not low2 <= seed[1] < high2
    region = enlarge(rules, seed, order=["f1", "f2"])
    assert region == Region(PLANE, {"f1": (5, None)})
    assert region.contains([seed]).all()


def test_the_literal_algorithm_can_grow_beyond_a_rule_and_then_lose_its_seed():
    space = Space([Continuous(f"f{i}") for i in range(3)])
    block = Rule(Region(space, {"f0": (0, 1), "f1": (0, 1), "f2": (0, 1)}), then="A")
    rules, seed = RuleSet([block], space), [0.0, 0.0, 5.0]
    box = literal(rules, seed, ["f2", "f0", "f1"])
    assert box[2] == [-math.inf, math.inf]
    assert not all(low <= x < high for (low, high), x in zip(box, seed, strict=True))
    assert not overlaps(box, block.region)
    region = enlarge(rules, seed, order=["f2", "f0", "f1"])
    assert region == Region(space, {"f2": (1, None)})


def overlaps(box, region):
    """Return whether a box of the literal algorithm shares a point with a region."""
    bounds = zip(box, region.lower.tolist(), region.upper.tolist(), strict=True)
    return all(max(low, a) < min(high, b) for (low, high), a, b in bounds)


@given(st.data())
def test_the_literal_algorithm_never_returns_a_box_that_overlaps_a_rule(data):
    n = data.draw(st.integers(1, 3))
    space = Space([Continuous(f"f{i}") for i in range(n)])
    bound = st.integers(0, 4)  # so few values that seeds are often on bounds
    condition = st.tuples(bound, bound).filter(lambda c: c[0] < c[1])
    box = st.fixed_dictionaries({}, optional={f.name: condition for f in space})
    regions = [Region(space, c) for c in data.draw(st.lists(box, max_size=5))]
    rules = RuleSet([Rule(r, then="A") for r in regions], space)
    seed = [data.draw(bound) for _ in range(n)]
    if rules.covering([seed]).any():
        return
    for order in permutations(space.names):
        result = literal(rules, seed, order)
        assert not any(overlaps(result, region) for region in regions)


@given(st.data())
def test_the_literal_algorithm_agrees_where_no_seed_value_is_a_bound(data):
    n = data.draw(st.integers(1, 3))
    space = Space([Continuous(f"f{i}") for i in range(n)])
    bound = st.integers(0, 6)
    condition = st.tuples(bound, bound).filter(lambda c: c[0] < c[1])
    box = st.fixed_dictionaries({}, optional={f.name: condition for f in space})
    regions = [Region(space, c) for c in data.draw(st.lists(box, max_size=5))]
    rules = RuleSet([Rule(r, then="A") for r in regions], space)
    seed = [data.draw(bound) + 0.5 for _ in range(n)]
    if rules.covering([seed]).any():
        return
    for order in permutations(space.names):
        region = enlarge(rules, seed, order=order)
        expected = literal(rules, seed, order)
        assert expected == np.column_stack([region.lower, region.upper]).tolist()


# --- maximal regions that no order finds


def test_no_seed_and_order_grows_the_region_inside_a_pinwheel():
    rules = RuleSet(
        [
            Rule(Region(PLANE, {"f1": (-5, 0), "f2": (0, 4)}), then="A"),
            Rule(Region(PLANE, {"f1": (10, 15), "f2": (6, 10)}), then="A"),
            Rule(Region(PLANE, {"f1": (0, 4), "f2": (10, 15)}), then="A"),
            Rule(Region(PLANE, {"f1": (6, 10), "f2": (-5, 0)}), then="A"),
        ],
        PLANE,
    )
    inside = Region(PLANE, {"f1": (0, 10), "f2": (0, 10)})
    bounds = [-6, -5, 0, 4, 6, 10, 15]  # a point of each cell of the grid
    seeds = [p for p in product(bounds, bounds) if not rules.covering([p]).any()]
    grown = {enlarge(rules, p, order=o) for p in seeds for o in permutations(PLANE.names)}
    assert set(search(rules, maximal=True)) - grown == {inside}
    assert grown <= set(search(rules, maximal=True))


# --- invariants


@given(st.data())
def test_regions_contain_their_seed_and_are_free_and_maximal(data):
    rules = data.draw(sts.rule_sets(max_features=4, max_size=8))
    consequent = data.draw(st.sampled_from([None, "A", "B", "new"]))
    cell = a_cell(data, rules.space, [r.region for r in rules])
    if slow.covered_by(rules, cell, consequent) is not None:
        with pytest.raises(SeedError, match="is covered by rule"):
            enlarge(rules, naive.instances(rules.space, [cell]), consequent=consequent)
        return
    for order in permutations(rules.space.names):
        check(rules, cell, order, consequent)


@given(st.data())
def test_touching_and_duplicate_rules_leave_nothing_between_them(data):
    space = data.draw(sts.spaces(3))
    result = data.draw(st.lists(sts.rules(space), min_size=1, max_size=3))
    whole = Region(space)
    touching = [Rule(piece, then="B") for piece in (whole - result[0].region)[:2]]
    rules = RuleSet([*result, *result, *touching], space)
    cells = naive.cells_of(naive.grid(space, [r.region for r in rules]))
    open_cells = [c for c in cells[:: max(1, len(cells) // 200)] if not naive.covering(rules, c)]
    for cell in open_cells[:3]:
        for order in permutations(space.names):
            check(rules, cell, order)


def test_a_duplicate_rule_changes_nothing():
    twice = RuleSet([*PAPER, *PAPER], PLANE)
    for order in permutations(PLANE.names):
        assert enlarge(twice, P1, order=order) == enlarge(PAPER, P1, order=order)


def test_a_region_ends_where_a_touching_rule_begins():
    rules = RuleSet(
        [
            Rule(Region(PLANE, {"f1": (0, 1)}), then="A"),
            Rule(Region(PLANE, {"f1": (2, 3)}), then="B"),
        ],
        PLANE,
    )
    assert enlarge(rules, [1.0, 0.0]) == Region(PLANE, {"f1": (1, 2)})
    last = math.nextafter(2.0, 0.0)
    assert enlarge(rules, [last, 0.0]) == Region(PLANE, {"f1": (1, 2)})


def test_unbounded_rules_stop_only_on_their_bounded_side():
    rules = RuleSet(
        [
            Rule(Region(PLANE, {"f1": (None, 0), "f2": (5, None)}), then="A"),
            Rule(Region(PLANE, {"f2": (None, -5)}), then="B"),
        ],
        PLANE,
    )
    assert enlarge(rules, [1.0, 6.0]) == Region(PLANE, {"f1": (0, None), "f2": (-5, None)})
    assert enlarge(rules, [1.0, 0.0]) == Region(PLANE, {"f2": (-5, 5)})


def random_rules(space, n, rng, share=0.3):
    """Return many rules with conditions on a share of the features, and a set of uncovered cells.

    Bounds are whole numbers, so that seeds often lie on them.
    """
    rules = []
    for _ in range(n):
        conditions = {}
        asked = rng.random(len(space)) < share
        asked[rng.integers(len(space))] = True
        for feature in np.array(space.features)[asked]:
            if isinstance(feature, Continuous):
                low, high = sorted(rng.choice(10, 2, replace=False).tolist())
                conditions[feature.name] = {">=": low, "<": high}
            else:
                size = int(rng.integers(1, max(2, len(feature.values) // 2)))
                chosen = rng.choice(len(feature.values), size, replace=False)
                conditions[feature.name] = {"in": [feature.values[i] for i in chosen]}
        rules.append(Rule(Region(space, conditions), then="ABC"[int(rng.integers(3))]))
    return RuleSet(rules, space)


def random_cells(rules, n, rng, consequent=None):
    result = []
    for _ in range(50 * n):
        cell = tuple(
            float(rng.integers(0, 11))
            if isinstance(f, Continuous)
            else int(rng.choice(naive.axis(f)))
            for f in rules.space
        )
        if slow.covered_by(rules, cell, consequent) is None:
            result.append(cell)
        if len(result) == n:
            break
    assert result, "the rules cover everything that was drawn"
    return result


@pytest.mark.parametrize("size", [70, 300])
@pytest.mark.parametrize("flags", [{}, {"missing": True, "other": True}])
def test_regions_exclude_exactly_the_values_of_blocking_rules(size, flags):
    rng = np.random.default_rng(size)
    values = [f"v{i}" for i in range(size)]
    space = Space(
        [Categorical("c", values, **flags), Continuous("f"), Categorical("e", values[:3])]
    )
    rules = random_rules(space, 12, rng, share=0.7)
    for consequent in (None, "A"):
        for cell in random_cells(rules, 3, rng, consequent):
            for order in permutations(space.names):
                check(rules, cell, order, consequent)


def test_a_region_keeps_the_last_of_300_values():
    values = [f"v{i}" for i in range(300)]
    space = Space([Categorical("c", values), Continuous("f")])
    taken = Region(space, {"c": {"in": values[:299]}, "f": (0, 1)})
    rules = RuleSet([Rule(taken, then="A")], space)
    region = enlarge(rules, {"c": "v299", "f": 0.5})
    assert region == Region(space, {"c": "v299"})
    assert enlarge(rules, {"c": "v299", "f": 0.5}, order=["f"]) == region
    assert enlarge(rules, {"c": "v0", "f": 1}) == Region(space, {"f": (1, None)})


@pytest.mark.parametrize("value", ["v0", "v61", "v62", "v63", "v200", "v299"])
def test_a_rule_with_one_of_300_values_blocks_the_region(value):
    values = [f"v{i}" for i in range(300)]
    space = Space([Categorical("c", values), Continuous("f")])
    rules = RuleSet([Rule(Region(space, {"c": value, "f": (0, 1)}), then="A")], space)
    seed = {"c": "v100", "f": 5}
    assert enlarge(rules, seed, order=["c", "f"]) == Region(space, {"f": (1, None)})
    assert enlarge(rules, seed, order=["f", "c"]) == Region(space, {"c": {"not in": [value]}})


def test_a_single_value_as_in_the_paper_is_excluded():
    space = Space([Continuous("f1"), Categorical("f2", ["yellow", "blue", "red"])])
    rules = RuleSet([Rule(Region(space, {"f1": (2, 5), "f2": "yellow"}), then="A")], space)
    seed = {"f1": 3, "f2": "red"}
    assert enlarge(rules, seed) == Region(space, {"f2": {"blue", "red"}})
    assert enlarge(rules, seed, order=["f2"]) == Region(space, {"f2": {"blue", "red"}})
    outside = {"f1": 7, "f2": "red"}
    assert enlarge(rules, outside) == Region(space, {"f2": {"blue", "red"}})
    assert enlarge(rules, outside, order=["f2"]) == Region(space, {"f1": (5, None)})


def test_missing_and_other_values_are_treated_like_any_value():
    space = Space(
        [Continuous("f", missing=True), Categorical("c", ["a", "b"], missing=True, other=True)]
    )
    low = Rule(Region(space, {"f": {"<": 5}}), then="A")
    gone = Rule(Region(space, {"f": {"missing": True}, "c": {"in": ["a", MISSING]}}), then="B")
    rules = RuleSet([low, gone], space)
    seed = {"f": None, "c": "zebra"}
    assert enlarge(rules, seed) == Region(
        space, {"f": {"missing": True}, "c": {"in": ["b", OTHER]}}
    )
    assert enlarge(rules, {"f": 6, "c": None}) == Region(space, {"f": {">=": 5}})
    only_gone = RuleSet([gone], space)
    assert enlarge(only_gone, {"f": 6, "c": None}) == Region(space, {"f": {"missing": False}})
    assert enlarge(only_gone, {"f": 6, "c": None}, order=["c"]) == Region(
        space, {"f": {"missing": False}}
    )
    assert enlarge(only_gone, {"f": 6, "c": "b"}) == Region(space, {"c": {"in": ["b", OTHER]}})


def test_a_missing_seed_stays_missing_if_rules_cover_all_numbers():
    space = Space([Continuous("f", bounds=(0, 10), missing=True)])
    rules = RuleSet([Rule(Region(space, {"f": {">=": 0, "<": 3}}), then="A")], space)
    region = enlarge(rules, {"f": None})
    assert region == Region(space, {"f": {"missing": True}})
    assert repr(region) == "f is missing"
    later = RuleSet([Rule(Region(space, {"f": {">": 0}}), then="A")], space)
    assert enlarge(later, {"f": None}) == Region(space, {"f": {"<=": 0, "missing": True}})


def test_integers_and_dates_stop_at_the_neighboring_value():
    space = Space([Continuous("n", kind="integer"), Continuous("day", kind="date")])
    rules = RuleSet(
        [
            Rule(Region(space, {"n": {">": 2, "<=": 5}}), then="A"),
            Rule(Region(space, {"day": {">": dt.date(2020, 1, 15)}}), then="B"),
        ],
        space,
    )
    region = enlarge(rules, {"n": 6, "day": dt.date(2020, 1, 15)})
    assert region == Region(space, {"n": {">=": 6}, "day": {"<=": dt.date(2020, 1, 15)}})
    assert {"n": 6, "day": dt.date(2020, 1, 15)} in region
    assert {"n": 5, "day": dt.date(2020, 1, 15)} not in region
    assert {"n": 6, "day": dt.date(2020, 1, 16)} not in region


def test_regions_do_not_repeat_the_bounds_of_the_space():
    space = Space([Continuous("age", bounds=(0, 120)), Continuous("pay", bounds=(0, None))])
    rules = RuleSet([Rule(Region(space, {"age": (0, 30), "pay": (0, 100)}), then="A")], space)
    assert enlarge(rules, {"age": 120, "pay": 50}) == Region(space, {"age": (30, None)})
    assert repr(enlarge(rules, {"age": 0, "pay": 100})) == "pay >= 100"


def test_rules_with_the_consequent_may_be_overlapped():
    assert enlarge(PAPER, P1, consequent="r1") == Region(PLANE, {"f2": (7, None)})
    assert enlarge(PAPER, P1, consequent="new") == enlarge(PAPER, P1)
    inside = {"f1": 3, "f2": 6}
    region = enlarge(PAPER, inside, consequent="r1")
    assert region == Region(PLANE, {"f1": (None, 6.5), "f2": (3, None)})
    assert PAPER.rivals_of(region, "r1").size == 0


def test_consequents_are_normalized_as_in_rules():
    rules = RuleSet([Rule(Region(PLANE, {"f1": (2, 5)}), then={"a", "b"})], PLANE)
    assert enlarge(rules, P1, consequent={"b", "a"}) == Region(PLANE)
    assert enlarge_many(rules, [P1], consequent={"a", "b"}) == [Region(PLANE)]
    with pytest.raises(
        ConditionError, match=r"a consequent must be hashable, got \['a'\] of type list"
    ):
        enlarge(rules, P1, consequent=["a"])


def test_a_removed_rule_no_longer_blocks():
    rules = PAPER.copy()
    rules.remove(0)
    assert enlarge(rules, P1) == Region(PLANE, {"f2": (7, None)})
    rules.add(Rule(Region(PLANE, {"f1": (2, 5), "f2": (5, 9)}), then="r1"))
    assert enlarge(rules, P1) == enlarge(PAPER, P1)


# --- sizes


def test_without_rules_the_region_is_the_whole_space():
    assert enlarge(RuleSet(space=PLANE), P1) == Region(PLANE)
    assert enlarge(RuleSet(), {}) == Region(Space([]))
    assert enlarge_many(RuleSet(space=PLANE), [P1, P1]) == [Region(PLANE)] * 2


def test_one_rule_blocks_only_the_last_feature_that_can_avoid_it():
    rules = PAPER[:1]
    assert enlarge(rules, P1) == Region(PLANE, {"f1": (5, None)})
    corner = {"f1": 6, "f2": 10}  # apart on both features: the first grows without limit
    assert enlarge(rules, corner) == Region(PLANE, {"f2": (9, None)})
    assert enlarge(rules, corner, order=["f2"]) == Region(PLANE, {"f1": (5, None)})


def test_with_one_feature_the_region_is_the_gap_around_the_seed():
    space = Space([Continuous("f")])
    rules = RuleSet(
        [Rule(Region(space, {"f": c}), then="A") for c in [(0, 1), (2, 3), (5, None)]], space
    )
    expected = {-1: (None, 0), 1: (1, 2), 3: (3, 5), 4.9: (3, 5)}
    for seed, condition in expected.items():
        assert enlarge(rules, [float(seed)]) == Region(space, {"f": condition})


def test_two_hundred_features_of_both_kinds():
    rng = np.random.default_rng(200)
    features = [
        Categorical(f"c{i}", list("abcd"), missing=i % 2 == 0)
        if i % 4 == 0
        else Continuous(f"x{i}", missing=i % 3 == 0)
        for i in range(200)
    ]
    space = Space(features)
    rules = random_rules(space, 12, rng, share=0.04)
    for consequent in (None, "B"):
        cell = random_cells(rules, 1, rng, consequent)[0]
        for order in slow.orders(space, rng, limit=3):
            check(rules, cell, order, consequent)


def test_six_features_in_random_orders():
    rng = np.random.default_rng(6)
    space = Space(
        [
            Continuous("a"),
            Categorical("b", list("xyz"), other=True),
            Continuous("c", kind="integer", bounds=(0, 10)),
            Continuous("d", missing=True),
            Categorical("e", list("pqrst")),
            Continuous("f"),
        ]
    )
    rules = random_rules(space, 25, rng, share=0.5)
    assert (
        len(
            {
                check(rules, cell, order)
                for cell in random_cells(rules, 2, rng)
                for order in slow.orders(space, rng, limit=8)
            }
        )
        > 2
    )


def test_rules_with_too_many_conditions_are_rejected():
    d = 2**14
    space = Space([Continuous(f"x{i}") for i in range(d)])
    lower = np.zeros((d, 2))
    lower[5:, 0] = -np.inf
    rules = RuleSet.from_arrays(space, lower=lower, upper=np.full((d, 2), np.inf), then=["A", "B"])
    seed = space.encode(np.full((1, d), -1.0))
    message = "rules must have at most 16383 conditions .*, but rule 2 has 16384"
    with pytest.raises(ConditionError, match=message):
        enlarge(rules, seed)
    with pytest.raises(ConditionError, match=message):
        enlarge_many(rules, seed)
    narrow = rules[:1]
    assert enlarge(narrow, seed) == Region(space, {"x4": (None, 0)})


# --- the order


def test_unlisted_features_follow_in_the_order_of_the_space():
    rng = np.random.default_rng(3)
    space = Space([Continuous(name) for name in "abcd"])
    rules = random_rules(space, 20, rng, share=0.6)
    result = set()
    for cell in random_cells(rules, 5, rng):
        partial = enlarge(rules, list(cell), order=["c"])
        assert partial == enlarge(rules, list(cell), order=["c", "a", "b", "d"])
        assert enlarge(rules, list(cell), order=["d", "b"]) == enlarge(
            rules, list(cell), order=["d", "b", "a", "c"]
        )
        assert enlarge(rules, list(cell), order=[]) == enlarge(rules, list(cell))
        result.add(partial == enlarge(rules, list(cell)))
    assert False in result, "the order never mattered"


@pytest.mark.parametrize("kind", [list, tuple, np.array, lambda names: dict.fromkeys(names)])
def test_the_order_may_be_any_collection_of_names(kind):
    order = kind(["f2", "f1"])
    expected = Region(PLANE, {"f1": (5, 6.5), "f2": (3, None)})
    assert enlarge(PAPER, P1, order=order) == expected
    assert enlarge_many(PAPER, [P1], order=order) == [expected]


def test_random_orders_differ_and_can_be_reproduced():
    draws = [enlarge(PAPER, P1, order="random", random_state=i) for i in range(20)]
    assert draws == [enlarge(PAPER, P1, order="random", random_state=i) for i in range(20)]
    assert set(draws) == {enlarge(PAPER, P1), enlarge(PAPER, P1, order=["f2"])}
    rng = np.random.default_rng(0)
    assert len({enlarge(PAPER, P1, order="random", random_state=rng) for _ in range(20)}) == 2


@pytest.mark.parametrize(
    ("weights", "order"),
    [
        ({"f1": 2, "f2": 1}, ["f1", "f2"]),
        ({"f1": 1, "f2": 2.5}, ["f2", "f1"]),
        ({"f2": 0.1}, ["f2", "f1"]),
        ({"f2": -1}, ["f1", "f2"]),
        ([0.2, 0.8], ["f2", "f1"]),
        (np.array([3, 1]), ["f1", "f2"]),
        ([1, 1], ["f1", "f2"]),
        ((0, math.inf), ["f2", "f1"]),
    ],
)
def test_the_most_important_feature_is_enlarged_first(weights, order):
    expected = enlarge(PAPER, P1, order=order)
    assert enlarge(PAPER, P1, order="importance", weights=weights) == expected
    assert enlarge_many(PAPER, [P1], order="importance", weights=weights) == [expected]


@pytest.mark.parametrize(
    "call", [enlarge, lambda rules, seed, **k: enlarge_many(rules, [seed], **k)]
)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": ["f1", "f22"]}, "unknown feature 'f22'; did you mean 'f2'?"),
        ({"order": ["age"]}, "unknown feature 'age' (known: 'f1', 'f2')"),
        ({"order": ["f1", "f2", "f1"]}, "order lists 'f1' twice"),
        ({"order": np.array(["f2", "f2"])}, "order lists 'f2' twice"),
        (
            {"order": "f1"},
            'order must be a list of feature names, "random", "importance" or "fewest", got \'f1\'',
        ),
        (
            {"order": 1},
            'order must be a list of feature names, "random", "importance" or "fewest", got 1',
        ),
        ({"weights": [1, 2]}, 'weights can only be used with order="importance"'),
        (
            {"order": "random", "weights": [1, 2]},
            'weights can only be used with order="importance"',
        ),
        ({"order": ["f1"], "weights": [1, 2]}, 'weights can only be used with order="importance"'),
        ({"order": "importance"}, 'order="importance" needs weights, one per feature'),
        (
            {"order": "importance", "weights": {"f22": 1}},
            "unknown feature 'f22'; did you mean 'f2'?",
        ),
        (
            {"order": "importance", "weights": [1]},
            "weights must be 2 numbers, one per feature, got [1]",
        ),
        (
            {"order": "importance", "weights": [1, math.nan]},
            "weights must be 2 numbers, one per feature, got [1, nan]",
        ),
        (
            {"order": "importance", "weights": ["much", "little"]},
            "weights must be 2 numbers, one per feature, got ['much', 'little']",
        ),
        (
            {"order": "importance", "weights": {"f1": "much"}},
            "weights must be 2 numbers, one per feature, got {'f1': 'much'}",
        ),
    ],
)  # fmt: skip
def test_invalid_orders_and_weights_are_rejected(call, options, message):
    with pytest.raises(ConditionError) as error:
        call(PAPER, P1, **options)
    assert str(error.value) == message


def test_an_invalid_random_state_is_rejected():
    with pytest.raises(
        DataError, match="random_state must be None, a non-negative integer or a numpy generator"
    ):
        enlarge(PAPER, P1, order="random", random_state="x")


# --- the seed


def test_a_covered_seed_is_rejected_and_the_rule_named():
    with pytest.raises(SeedError) as error:
        enlarge(PAPER, {"f1": 7, "f2": 6})
    assert str(error.value) == (
        "the seed (f1 = 7, f2 = 6) is covered by rule 2"
        " (IF 6.5 <= f1 < 8.5 AND 5 <= f2 < 7 THEN r2);"
        " choose a point that no rival covers (CoverageMap.pick finds one among instances)"
    )
    with pytest.raises(SeedError, match=r"THEN r2\), a rival of r1; choose a point"):
        enlarge(PAPER, {"f1": 7, "f2": 6}, consequent="r1")
    assert {"f1": 7, "f2": 6} in enlarge(PAPER, {"f1": 7, "f2": 6}, consequent="r2")


def test_a_rejected_seed_is_shown_in_the_message():
    space = Space(
        [
            Continuous("born", kind="date", missing=True),
            Categorical("job", ["nurse"], missing=True, other=True),
        ]
    )
    rules = RuleSet([Rule(Region(space), then="A")], space)
    with pytest.raises(SeedError, match=r"the seed \(born = missing, job = nurse\)"):
        enlarge(rules, {"job": "nurse"})
    with pytest.raises(SeedError, match=r"the seed \(born = 2020-02-03, job = missing\)"):
        enlarge(rules, {"born": dt.date(2020, 2, 3)})


@given(st.data())
def test_the_named_rule_is_the_first_rival_that_covers_the_seed(data):
    rules = data.draw(sts.rule_sets(max_size=6).filter(len))
    consequent = data.draw(st.sampled_from([None, "A"]))
    cell = a_cell(data, rules.space, [r.region for r in rules])
    seed = naive.instances(rules.space, [cell])
    covered = slow.covered_by(rules, cell, consequent)
    if covered is None:
        assert naive.holds(enlarge(rules, seed, consequent=consequent), cell)
        return
    with pytest.raises(SeedError) as error:
        enlarge(rules, seed, consequent=consequent)
    assert f"is covered by rule {covered + 1} ({rules[covered]})" in str(error.value)


@pytest.mark.parametrize(
    "seed",
    [
        P1,
        {"f2": 8, "f1": 5.5},
        [5.5, 8],
        (5.5, 8),
        np.array([5.5, 8.0]),
        np.array([5.5, 8.0], dtype=np.float32),
        PLANE.encode([P1]),
        PLANE.encode([[0, 0], [5.5, 8]]).take([1]),
    ],
    ids=lambda seed: type(seed).__name__,
)
def test_a_seed_can_have_any_form_of_a_point(seed):
    assert enlarge(PAPER, seed) == Region(PLANE, {"f1": (5, None), "f2": (7, None)})


def test_a_seed_can_be_a_view_of_a_larger_table():
    table = PLANE.encode([[0, 0], [5.5, 8], [9, 9]])
    strided = type(table)(PLANE, table.values[:, 1:2], table.codes[:, 1:2])
    assert enlarge(PAPER, strided) == enlarge(PAPER, P1)


@pytest.mark.parametrize(
    ("seed", "error", "message"),
    [
        ({"f1": 5}, DataError, "the point has no value for 'f2', which is never missing"),
        ([1], DataError, "a point must have 2 values, got 1"),
        ("f1", DataError, "a point must be a mapping {feature: value}, got 'f1'"),
        ({"f1": 5, "f22": 1}, ConditionError, "unknown feature 'f22'; did you mean 'f2'?"),
        (PLANE.encode([P1, P1]), DataError, "expected one point, got 2"),
    ],
)
def test_seeds_outside_the_space_are_rejected(seed, error, message):
    with pytest.raises(error) as raised:
        enlarge(PAPER, seed)
    assert str(raised.value) == message


@given(st.data())
def test_seeds_picked_from_the_coverage_map_always_work(data):
    rules = data.draw(sts.rule_sets(max_size=5))
    space = rules.space
    cells = naive.cells_of(naive.grid(space, [r.region for r in rules]))
    cells = cells[:: max(1, len(cells) // 50)]
    coverage = CoverageMap(rules, naive.instances(space, cells))
    for consequent in (None, "A", "new"):
        open_cells = [c for c in cells if slow.covered_by(rules, c, consequent) is None]
        if not open_cells:
            with pytest.raises(DataError, match="there is none to pick"):
                coverage.pick(0, consequent=consequent)
            continue
        for random_state in range(3):
            picked = coverage.pick(random_state, consequent=consequent)
            seed = coverage.instances.take([picked])
            region = enlarge(rules, seed, order="random", random_state=0, consequent=consequent)
            assert naive.holds(region, cells[picked])
            assert slow.is_free(region, rivals(rules, consequent))


def test_rules_grown_from_picked_seeds_never_contradict_each_other():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 8, (60, 2)).astype(float)
    rules = RuleSet(space=PLANE)
    coverage = CoverageMap(rules, X)
    while len(coverage.uncovered):
        then = "AB"[int(rng.integers(2))]
        seed = coverage.pick(rng)
        region = enlarge(rules, X[seed], order="random", random_state=rng, consequent=then)
        near = {name: (v - 1, v + 2) for name, v in zip(PLANE.names, X[seed], strict=True)}
        rules.add(Rule((region & Region(PLANE, near)).tighten(X), then=then))
    assert rules.is_consistent
    assert len(rules) > 3


# --- regions and rules as seeds


@given(st.data())
@sts.examples(2)
def test_a_region_grown_from_a_region_contains_it_and_is_free_and_maximal(data):
    rules = data.draw(sts.rule_sets(max_size=6, max_features=3))
    space = rules.space
    seed = data.draw(sts.regions(space))
    consequent = data.draw(st.sampled_from([None, "A", "new"]))
    order = data.draw(st.permutations(space.names))
    rival = slow.overlapped_by(rules, seed, consequent)
    if rival is not None:
        with pytest.raises(SeedError) as error:
            enlarge(rules, seed, order=order, consequent=consequent)
        why = "" if consequent is None else f", a rival of {consequent}"
        assert str(error.value) == (
            f"the seed ({seed}) overlaps rule {rival + 1} ({rules[rival]}){why};"
            " choose a region that no rival overlaps"
        )
        return
    region = enlarge(rules, seed, order=order, consequent=consequent)
    in_the_way = rivals(rules, consequent)
    assert seed <= region
    assert not (region.masks & ~space.everything).any()
    assert slow.is_free(region, in_the_way)
    assert slow.ways_out(region, in_the_way) == []
    grown = slow.enlarge_box(space, rules, seed, order, consequent)
    assert region == slow.as_region(space, grown)


@pytest.mark.parametrize("seed", sts.seeds(4, of=40))
def test_rules_grown_from_their_own_region_match_the_transcription(seed):
    rng = np.random.default_rng(seed)
    space = Space([Continuous("a"), Categorical("b", list("xyz"), missing=True), Continuous("c")])
    rules = random_rules(space, 10, rng, share=0.6)
    for rule in rules:
        others = RuleSet([other for other in rules if other != rule], space)
        if slow.overlapped_by(others, rule.region, rule.then) is not None:
            continue
        for order in slow.orders(space, rng, limit=4):
            region = enlarge(rules, rule, order=order)
            assert region == enlarge(others, rule.region, order=order, consequent=rule.then)
            grown = slow.enlarge_box(space, rules, rule.region, order, rule.then)
            assert region == slow.as_region(space, grown)
            assert rule.region <= region
            assert rule.region.widen_bounds(region, share="random", random_state=rng) <= region


@given(st.data())
def test_the_box_of_a_point_gives_the_region_of_the_point(data):
    rules = data.draw(sts.rule_sets(max_size=6, max_features=3))
    space = rules.space
    consequent = data.draw(st.sampled_from([None, "A"]))
    cell = a_cell(data, space, [r.region for r in rules])
    point = naive.instances(space, [cell])
    box = Region(space).tighten(point)
    assume(not box.is_empty)  # near the lowest float no cut lies between two whole numbers
    order = data.draw(st.permutations(space.names))
    if slow.covered_by(rules, cell, consequent) is not None:
        with pytest.raises(SeedError):
            enlarge(rules, box, order=order, consequent=consequent)
        return
    region = enlarge(rules, point, order=order, consequent=consequent)
    assert enlarge(rules, box, order=order, consequent=consequent) == region


@given(st.data())
def test_an_enlarged_region_cannot_be_enlarged_further(data):
    rules = data.draw(sts.rule_sets(max_size=6, max_features=3))
    seed = data.draw(sts.regions(rules.space))
    if slow.overlapped_by(rules, seed) is not None:
        return
    region = enlarge(rules, seed)
    assert enlarge(rules, region, order=rules.space.names[::-1]) == region


def test_a_rule_as_seed_brings_its_consequent():
    assert enlarge(PAPER, PAPER[0]) == Region(PLANE, {"f1": (None, 6.5), "f2": (3, None)})
    with pytest.raises(SeedError, match=r"overlaps rule 1 \(IF .* THEN r1\); choose a region"):
        enlarge(PAPER, PAPER[0].region)
    with pytest.raises(SeedError, match=r"overlaps rule 1 .*, a rival of r2; choose a region"):
        enlarge(PAPER, PAPER[0], consequent="r2")


def test_a_seed_of_another_space_is_matched_by_name():
    seed = Rule({"f2": (8, 9), "f1": (5, 6)}, then="new")
    assert enlarge(PAPER, seed) == enlarge(PAPER, P1)


def test_the_empty_region_is_rejected_as_a_seed():
    with pytest.raises(ConditionError) as error:
        enlarge(PAPER, Region.nothing(PLANE))
    assert str(error.value) == "the seed must not be the empty region"
    with pytest.raises(ConditionError, match="row 2: the seed must not be the empty region"):
        enlarge_many(PAPER, [Region(PLANE, {"f1": 0}), Region.nothing(PLANE)])


def test_many_regions_give_the_same_as_single_ones():
    seeds = [Region(PLANE, {"f1": (5, 6), "f2": (8, 9)}), PAPER[1], PAPER[2]]
    first, second = np.random.default_rng(4), np.random.default_rng(4)
    assert enlarge_many(PAPER, seeds, order="random", random_state=first) == [
        enlarge(PAPER, seed, order="random", random_state=second) for seed in seeds
    ]
    assert enlarge_many(PAPER, PAPER) == [enlarge(PAPER, rule) for rule in PAPER]
    assert enlarge_many(PAPER, RuleSet(space=PLANE)) == []
    thens = ["r1", None, "r3"]
    assert enlarge_many(PAPER, seeds, consequents=thens) == [
        enlarge(PAPER, seed, consequent=then) for seed, then in zip(seeds, thens, strict=True)
    ]
    with pytest.raises(SeedError, match=r"row 2: .* overlaps rule 2 .* rival of r1; choose"):
        enlarge_many(PAPER, seeds, consequent="r1")
    with pytest.raises(ConditionError, match="seeds must be points or regions, got both"):
        enlarge_many(PAPER, [seeds[0], P1])


# --- many seeds


@given(st.data())
def test_many_seeds_give_the_same_as_single_seeds(data):
    rules = data.draw(sts.rule_sets(max_features=3))
    space = rules.space
    cells = naive.cells_of(naive.grid(space, [r.region for r in rules]))
    open_cells = [c for c in cells[:: max(1, len(cells) // 60)] if not naive.covering(rules, c)]
    seeds = naive.instances(space, open_cells)
    one_by_one = [enlarge(rules, seeds.take([i])) for i in range(len(seeds))]
    assert enlarge_many(rules, seeds) == one_by_one
    first, second = np.random.default_rng(4), np.random.default_rng(4)
    assert enlarge_many(rules, seeds, order="random", random_state=first) == [
        enlarge(rules, seeds.take([i]), order="random", random_state=second)
        for i in range(len(seeds))
    ]
    assert first.random() == second.random()
    thens = data.draw(
        st.lists(st.sampled_from([None, "A", "B", "new"]), min_size=len(seeds), max_size=len(seeds))
    )
    backwards = space.names[::-1]
    assert enlarge_many(rules, seeds, order=backwards, consequents=thens) == [
        enlarge(rules, seeds.take([i]), order=backwards, consequent=then)
        for i, then in enumerate(thens)
    ]


def test_seeds_shared_by_threads_give_the_same_as_single_seeds():
    rng = np.random.default_rng(1)
    space = Space([Continuous("a"), Categorical("b", list("xyz")), Continuous("c")])
    rules = random_rules(space, 15, rng, share=0.8)
    seeds = naive.instances(space, random_cells(rules, 100, rng))
    assert len(seeds) == 100
    regions = enlarge_many(rules, seeds, order="random", random_state=5)
    again = np.random.default_rng(5)
    assert regions == [
        enlarge(rules, seeds.take([i]), order="random", random_state=again)
        for i in range(len(seeds))
    ]


@pytest.mark.parametrize(
    "seeds",
    [
        [P1, {"f1": 0, "f2": 0}],
        {"f1": [5.5, 0], "f2": [8, 0]},
        [[5.5, 8], [0, 0]],
        np.array([[5.5, 8], [0, 0]]),
        PLANE.encode([[5.5, 8], [0, 0]]),
    ],
    ids=["points", "columns", "rows", "array", "instances"],
)
def test_seeds_can_be_any_table(seeds):
    expected = [enlarge(PAPER, P1), enlarge(PAPER, [0, 0])]
    assert enlarge_many(PAPER, seeds) == expected


def test_no_seeds_give_no_regions():
    assert enlarge_many(PAPER, []) == []
    assert enlarge_many(PAPER, [], order="random", consequents=[]) == []


def test_a_covered_seed_among_many_is_named_with_its_row():
    seeds = [P1, {"f1": 3, "f2": 6}, {"f1": 7, "f2": 6}]
    with pytest.raises(SeedError) as error:
        enlarge_many(PAPER, seeds)
    assert str(error.value).startswith(
        "row 2: the seed (f1 = 3, f2 = 6) is covered by rule 1"
        " (IF 2 <= f1 < 5 AND 5 <= f2 < 9 THEN r1); choose a point"
    )
    with pytest.raises(SeedError, match=r"row 3: .* by rule 2 .*, a rival of r1; choose"):
        enlarge_many(PAPER, seeds, consequents=[None, "r1", "r1"])
    assert len(enlarge_many(PAPER, seeds, consequents=["r1", "r1", "r2"])) == 3


def test_consequents_must_fit_the_seeds():
    with pytest.raises(ConditionError) as error:
        enlarge_many(PAPER, [P1], consequent="r1", consequents=["r1"])
    assert str(error.value) == "consequent and consequents cannot be combined; pass one of them"
    with pytest.raises(ConditionError) as error:
        enlarge_many(PAPER, [P1, P1], consequents=["r1"])
    assert str(error.value) == "consequents must be a list of 2, one per seed, got 1"
