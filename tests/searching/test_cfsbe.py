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
from refusals import refuses, rejects
from strategies import PAPER, PLANE

pytestmark = pytest.mark.kernels

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


def test_each_order_gives_another_region_of_the_worked_figure():
    first = enlarge(PAPER, P1, order=["f1", "f2"])
    second = enlarge(PAPER, P1, order=["f2", "f1"])
    assert first == Region(PLANE, {"f1": (5, None), "f2": (7, None)})
    assert second == Region(PLANE, {"f1": (5, 6.5), "f2": (3, None)})
    for order, region in ((["f1", "f2"], first), (["f2", "f1"], second)):
        box = literal(PAPER, [5.5, 8.0], order)
        assert box == np.column_stack([region.lower, region.upper]).tolist()
    # the point passes one test of the first rule
    assert not PAPER.covering([P1]).any()
    assert P1 not in PAPER[0].region
    assert {"f1": 4, "f2": P1["f2"]} in PAPER[0].region


# --- the literal pseudo-code


def test_the_literal_algorithm_can_lose_its_seed():
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


@given(st.data(), st.booleans())
@sts.examples(2)
def test_the_literal_algorithm_is_free_and_agrees_where_no_seed_value_is_a_bound(data, between):
    n = data.draw(st.integers(1, 3))
    space = Space([Continuous(f"f{i}") for i in range(n)])
    bound = st.integers(0, 6 if between else 4)  # so few values that seeds are often on bounds
    condition = st.tuples(bound, bound).filter(lambda c: c[0] < c[1])
    box = st.fixed_dictionaries({}, optional={f.name: condition for f in space})
    regions = [Region(space, c) for c in data.draw(st.lists(box, max_size=5))]
    rules = RuleSet([Rule(r, then="A") for r in regions], space)
    seed = [data.draw(bound) + 0.5 * between for _ in range(n)]
    if rules.covering([seed]).any():
        return
    for order in permutations(space.names):
        result = literal(rules, seed, order)
        assert not any(overlaps(result, region) for region in regions)
        if between:
            region = enlarge(rules, seed, order=order)
            assert result == np.column_stack([region.lower, region.upper]).tolist()


def test_no_seed_and_order_grows_the_region_inside_a_pinwheel():
    arms = [((-5, 0), (0, 4)), ((10, 15), (6, 10)), ((0, 4), (10, 15)), ((6, 10), (-5, 0))]
    rules = RuleSet([Rule({"f1": a, "f2": b}, then="A") for a, b in arms], PLANE)
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
    covered = slow.covered_by(rules, cell, consequent)
    if covered is not None:
        with pytest.raises(SeedError) as error:
            enlarge(rules, naive.instances(rules.space, [cell]), consequent=consequent)
        assert f"is covered by rule {covered + 1} ({rules[covered]})" in str(error.value)
        return
    orders = list(permutations(rules.space.names))
    for order in orders[:: max(1, len(orders) // 8)]:
        check(rules, cell, order, consequent)


@given(st.data())
@sts.examples(0.6)
def test_touching_and_duplicate_rules_leave_nothing_between_them(data):
    space = data.draw(sts.spaces(3))
    result = data.draw(st.lists(sts.rules(space), min_size=1, max_size=3))
    whole = Region(space)
    touching = [Rule(piece, then="B") for piece in (whole - result[0].region)[:2]]
    rules = RuleSet([*result, *result, *touching], space)
    cells = naive.cells_of(naive.grid(space, [r.region for r in rules]))
    open_cells = [c for c in cells[:: max(1, len(cells) // 100)] if not naive.covering(rules, c)]
    for cell in open_cells[:2]:
        for order in list(permutations(space.names))[::-1][:4]:
            check(rules, cell, order)


def test_regions_end_at_touching_unbounded_and_duplicate_rules():
    def grown(seed, *regions):
        return enlarge(RuleSet([Rule(region, then="A") for region in regions], PLANE), seed)

    twice = RuleSet([*PAPER, *PAPER], PLANE)
    for order in permutations(PLANE.names):
        assert enlarge(twice, P1, order=order) == enlarge(PAPER, P1, order=order)
    for seed in (1.0, math.nextafter(2.0, 0.0)):
        between = grown([seed, 0.0], {"f1": (0, 1)}, {"f1": (2, 3)})
        assert between == Region(PLANE, {"f1": (1, 2)})
    corner, bottom = {"f1": (None, 0), "f2": (5, None)}, {"f2": (None, -5)}
    beside, below = {"f1": (0, None), "f2": (-5, None)}, {"f2": (-5, 5)}
    assert grown([1.0, 6.0], corner, bottom) == Region(PLANE, beside)
    assert grown([1.0, 0.0], corner, bottom) == Region(PLANE, below)


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


@pytest.mark.parametrize(
    ("size", "flags"), [(70, {}), (70, {"missing": True, "other": True}), (300, {"other": True})]
)
def test_regions_exclude_exactly_the_values_of_blocking_rules(size, flags):
    rng = np.random.default_rng(size)
    values = [f"v{i}" for i in range(size)]
    many = Categorical("c", values, **flags)
    space = Space([many, Continuous("f"), Categorical("e", values[:3])])
    rules = random_rules(space, 12, rng, share=0.7)
    for consequent in (None, "A"):
        for cell in random_cells(rules, 70 // size + 1, rng, consequent):
            for order in list(permutations(space.names))[:: 1 + size // 100]:
                check(rules, cell, order, consequent)


def test_a_rule_with_one_of_300_values_blocks_the_region():
    values = [f"v{i}" for i in range(300)]
    space = Space([Categorical("c", values), Continuous("f")])
    seed = {"c": "v100", "f": 5}
    for value in ("v0", "v61", "v62", "v63", "v200", "v299"):
        rules = RuleSet([Rule(Region(space, {"c": value, "f": (0, 1)}), then="A")], space)
        assert enlarge(rules, seed, order=["c", "f"]) == Region(space, {"f": (1, None)})
        assert enlarge(rules, seed, order=["f", "c"]) == Region(space, {"c": {"not in": [value]}})
    taken = Region(space, {"c": {"in": values[:299]}, "f": (0, 1)})
    rules = RuleSet([Rule(taken, then="A")], space)
    last, region = {"c": "v299", "f": 0.5}, Region(space, {"c": "v299"})
    assert enlarge(rules, last) == enlarge(rules, last, order=["f"]) == region
    assert enlarge(rules, {"c": "v0", "f": 1}) == Region(space, {"f": (1, None)})


def test_missing_and_other_values_are_treated_like_any_value():
    number = Continuous("f", missing=True)
    space = Space([number, Categorical("c", ["a", "b"], missing=True, other=True)])
    low = Rule(Region(space, {"f": {"<": 5}}), then="A")
    gone = Rule(Region(space, {"f": {"missing": True}, "c": {"in": ["a", MISSING]}}), then="B")
    rules, seed, rest = RuleSet([low, gone], space), {"f": None, "c": "zebra"}, ["b", OTHER]
    assert enlarge(rules, seed) == Region(space, {"f": {"missing": True}, "c": {"in": rest}})
    assert enlarge(rules, {"f": 6, "c": None}) == Region(space, {"f": {">=": 5}})
    only_gone, present = RuleSet([gone], space), Region(space, {"f": {"missing": False}})
    assert enlarge(only_gone, {"f": 6, "c": None}) == present
    assert enlarge(only_gone, {"f": 6, "c": None}, order=["c"]) == present
    assert enlarge(only_gone, {"f": 6, "c": "b"}) == Region(space, {"c": {"in": rest}})
    # a missing seed stays missing if rules cover all numbers next to it
    space = Space([Continuous("f", bounds=(0, 10), missing=True)])
    rules = RuleSet([Rule(Region(space, {"f": {">=": 0, "<": 3}}), then="A")], space)
    assert repr(enlarge(rules, {"f": None})) == "f is missing"
    later = RuleSet([Rule(Region(space, {"f": {">": 0}}), then="A")], space)
    assert enlarge(later, {"f": None}) == Region(space, {"f": {"<=": 0, "missing": True}})


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
    rules = RuleSet([Rule(Region(PLANE, {"f1": (2, 5)}), then={"a", "b"})], PLANE)
    assert enlarge(rules, P1, consequent={"b", "a"}) == Region(PLANE)
    assert enlarge_many(rules, [P1], consequent={"a", "b"}) == [Region(PLANE)]
    text = r"a consequent must be hashable, got \['a'\] of type list"
    refuses(ConditionError, text, enlarge, rules, P1, consequent=["a"])
    rules = PAPER.copy()
    rules.remove(0)
    assert enlarge(rules, P1) == Region(PLANE, {"f2": (7, None)})
    rules.add(Rule(Region(PLANE, {"f1": (2, 5), "f2": (5, 9)}), then="r1"))
    assert enlarge(rules, P1) == enlarge(PAPER, P1)


# --- sizes


def test_sets_without_rules_or_with_one_feature():
    assert enlarge(RuleSet(space=PLANE), P1) == Region(PLANE)
    assert enlarge(RuleSet(), {}) == Region(Space([]))
    assert enlarge_many(RuleSet(space=PLANE), [P1, P1]) == [Region(PLANE)] * 2
    rules = PAPER[:1]
    assert enlarge(rules, P1) == Region(PLANE, {"f1": (5, None)})
    corner = {"f1": 6, "f2": 10}  # apart on both features: the first grows without limit
    assert enlarge(rules, corner) == Region(PLANE, {"f2": (9, None)})
    assert enlarge(rules, corner, order=["f2"]) == Region(PLANE, {"f1": (5, None)})
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
    cell = random_cells(rules, 1, rng, "B")[0]
    for order in slow.orders(space, rng, limit=3):
        check(rules, cell, order, "B")


def test_rules_with_too_many_conditions_are_rejected():
    d = 2**14
    space = Space([Continuous(f"x{i}") for i in range(d)])
    lower = np.zeros((d, 2))
    lower[5:, 0] = -np.inf
    rules = RuleSet.from_arrays(space, lower=lower, upper=np.full((d, 2), np.inf), then=["A", "B"])
    seed = space.encode(np.full((1, d), -1.0))
    message = "rules must have at most 16383 conditions .*, but rule 2 has 16384"
    refuses(ConditionError, message, enlarge, rules, seed)
    refuses(ConditionError, message, enlarge_many, rules, seed)
    narrow = rules[:1]
    assert enlarge(narrow, seed) == Region(space, {"x4": (None, 0)})


# --- the order


def test_orders_may_be_partial_or_random():
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
    expected = Region(PLANE, {"f1": (5, 6.5), "f2": (3, None)})
    for kind in (list, tuple, np.array, dict.fromkeys):
        order = kind(["f2", "f1"])
        assert enlarge(PAPER, P1, order=order) == expected
        assert enlarge_many(PAPER, [P1], order=order) == [expected]
    draws = [enlarge(PAPER, P1, order="random", random_state=i) for i in range(20)]
    assert draws == [enlarge(PAPER, P1, order="random", random_state=i) for i in range(20)]
    assert set(draws) == {enlarge(PAPER, P1), enlarge(PAPER, P1, order=["f2"])}
    rng = np.random.default_rng(0)
    assert len({enlarge(PAPER, P1, order="random", random_state=rng) for _ in range(20)}) == 2


def test_the_most_important_feature_is_enlarged_first():
    first = [{"f1": 2, "f2": 1}, {"f2": -1}, np.array([3, 1]), [1, 1]]
    second = [{"f1": 1, "f2": 2.5}, {"f2": 0.1}, [0.2, 0.8], (0, math.inf)]
    for order, cases in ((["f1", "f2"], first), (["f2", "f1"], second)):
        expected = enlarge(PAPER, P1, order=order)
        for weights in cases:
            options = {"order": "importance", "weights": weights}
            assert enlarge(PAPER, P1, **options) == expected
            assert enlarge_many(PAPER, [P1], **options) == [expected]


def test_invalid_orders_and_weights_are_rejected():
    names = 'order must be a list of feature names, "random", "importance" or "fewest"'
    only = 'weights can only be used with order="importance"'
    needs = "weights must be 2 numbers, one per feature, got"
    important = {"order": "importance"}
    for options, message in (
        ({"order": ["f1", "f22"]}, "unknown feature 'f22'; did you mean 'f2'?"),
        ({"order": ["age"]}, "unknown feature 'age' (known: 'f1', 'f2')"),
        ({"order": ["f1", "f2", "f1"]}, "order lists 'f1' twice"),
        ({"order": np.array(["f2", "f2"])}, "order lists 'f2' twice"),
        ({"order": "f1"}, f"{names}, got 'f1'"),
        ({"order": 1}, f"{names}, got 1"),
        ({"weights": [1, 2]}, only),
        ({"order": "random", "weights": [1, 2]}, only),
        ({"order": ["f1"], "weights": [1, 2]}, only),
        (important, 'order="importance" needs weights, one per feature'),
        (important | {"weights": {"f22": 1}}, "unknown feature 'f22'; did you mean 'f2'?"),
        (important | {"weights": [1]}, f"{needs} [1]"),
        (important | {"weights": [1, math.nan]}, f"{needs} [1, nan]"),
        (important | {"weights": ["much", "little"]}, f"{needs} ['much', 'little']"),
        (important | {"weights": {"f1": "much"}}, f"{needs} {{'f1': 'much'}}"),
    ):
        for call, seed in ((enlarge, P1), (enlarge_many, [P1])):
            rejects(ConditionError, message, call, PAPER, seed, **options)
    message = "random_state must be None, a non-negative integer or a numpy generator"
    refuses(DataError, message, enlarge, PAPER, P1, order="random", random_state="x")


# --- the seed


def test_a_covered_seed_is_rejected_and_the_rule_named():
    text = (
        "the seed (f1 = 7, f2 = 6) is covered by rule 2"
        " (IF 6.5 <= f1 < 8.5 AND 5 <= f2 < 7 THEN r2);"
        " choose a point that no rival covers (CoverageMap.pick finds one among instances)"
    )
    rejects(SeedError, text, enlarge, PAPER, {"f1": 7, "f2": 6})
    with pytest.raises(SeedError, match=r"THEN r2\), a rival of r1; choose a point"):
        enlarge(PAPER, {"f1": 7, "f2": 6}, consequent="r1")
    assert {"f1": 7, "f2": 6} in enlarge(PAPER, {"f1": 7, "f2": 6}, consequent="r2")
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


def test_a_seed_can_have_any_form_of_a_point():
    table = PLANE.encode([[0, 0], [5.5, 8], [9, 9]])
    mappings = [P1, {"f2": 8, "f1": 5.5}, PLANE.encode([P1]), table.take([1])]
    rows = [[5.5, 8], (5.5, 8), np.array([5.5, 8.0]), np.array([5.5, 8.0], dtype=np.float32)]
    view = type(table)(PLANE, table.values[:, 1:2], table.codes[:, 1:2])
    for seed in [*mappings, *rows, view]:
        assert enlarge(PAPER, seed) == Region(PLANE, {"f1": (5, None), "f2": (7, None)})
    text = "the point has no value for 'f2', which is never missing"
    rejects(DataError, text, enlarge, PAPER, {"f1": 5})
    rejects(DataError, "a point must have 2 values, got 1", enlarge, PAPER, [1])
    text = "a point must be a mapping {feature: value}, got 'f1'"
    rejects(DataError, text, enlarge, PAPER, "f1")
    text = "unknown feature 'f22'; did you mean 'f2'?"
    rejects(ConditionError, text, enlarge, PAPER, {"f1": 5, "f22": 1})
    rejects(DataError, "expected one point, got 2", enlarge, PAPER, PLANE.encode([P1, P1]))


@given(st.data())
@sts.examples(0.6)
def test_seeds_picked_from_the_coverage_map_always_work(data):
    rules = data.draw(sts.rule_sets(max_size=5))
    space = rules.space
    cells = naive.cells_of(naive.grid(space, [r.region for r in rules]))
    cells = cells[:: max(1, len(cells) // 30)]
    coverage = CoverageMap(rules, naive.instances(space, cells))
    for consequent in (None, "A", "new"):
        open_cells = [c for c in cells if slow.covered_by(rules, c, consequent) is None]
        if not open_cells:
            refuses(DataError, "there is none to pick", coverage.pick, 0, consequent=consequent)
            continue
        for random_state in range(2):
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
@sts.examples(1.2)
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
    assert enlarge(rules, region, order=order[::-1], consequent=consequent) == region


@pytest.mark.parametrize("seed", sts.seeds(2, of=40))
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
@sts.examples(0.6)
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


def test_a_rule_as_seed_brings_its_consequent():
    assert enlarge(PAPER, PAPER[0]) == Region(PLANE, {"f1": (None, 6.5), "f2": (3, None)})
    with pytest.raises(SeedError, match=r"overlaps rule 1 \(IF .* THEN r1\); choose a region"):
        enlarge(PAPER, PAPER[0].region)
    with pytest.raises(SeedError, match=r"overlaps rule 1 .*, a rival of r2; choose a region"):
        enlarge(PAPER, PAPER[0], consequent="r2")
    seed = Rule({"f2": (8, 9), "f1": (5, 6)}, then="new")
    assert enlarge(PAPER, seed) == enlarge(PAPER, P1)
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
    with pytest.raises(ConditionError) as error:
        enlarge_many(PAPER, [P1], consequent="r1", consequents=["r1"])
    assert str(error.value) == "consequent and consequents cannot be combined; pass one of them"
    with pytest.raises(ConditionError) as error:
        enlarge_many(PAPER, [P1, P1], consequents=["r1"])
    assert str(error.value) == "consequents must be a list of 2, one per seed, got 1"


# --- many seeds


@given(st.data())
def test_many_seeds_give_the_same_as_single_seeds(data):
    rules = data.draw(sts.rule_sets(max_features=3))
    space = rules.space
    cells = naive.cells_of(naive.grid(space, [r.region for r in rules]))
    open_cells = [c for c in cells[:: max(1, len(cells) // 30)] if not naive.covering(rules, c)]
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


def test_seeds_can_be_any_table():
    expected = [enlarge(PAPER, P1), enlarge(PAPER, [0, 0])]
    rows = [[5.5, 8], [0, 0]]
    columns = {"f1": [5.5, 0], "f2": [8, 0]}
    for seeds in ([P1, {"f1": 0, "f2": 0}], columns, rows, np.array(rows), PLANE.encode(rows)):
        assert enlarge_many(PAPER, seeds) == expected
    assert enlarge_many(PAPER, []) == []
    assert enlarge_many(PAPER, [], order="random", consequents=[]) == []
