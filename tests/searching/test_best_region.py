"""The best region over all orders: found, and proved if the budget suffices."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import naive_cfsbe as slow
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
    SeedError,
    Space,
    best_region,
    enlarge,
)
from irenic.searching import BestRegion
from irenic.searching import _best_region as best_order
from refusals import rejects
from strategies import PAPER, PLANE

pytestmark = pytest.mark.kernels

P1 = {"f1": 5.5, "f2": 8}
WIDE_FIRST = Region(PLANE, {"f1": (5, None), "f2": (7, None)})
TALL_FIRST = Region(PLANE, {"f1": (5, 6.5), "f2": (3, None)})


# --- by brute force


def weighted(region, cells, weights):
    covered = [w for c, w in zip(cells, weights, strict=True) if naive.holds(region, c)]
    return math.fsum(covered)


def volume(region, low, high):
    """Return the product of a region's shares of a box and of each category's values."""
    space, product = region.space, 1.0
    for row, feature in enumerate(space.continuous):
        a, b = low[feature.name], high[feature.name]
        if a < b:
            inside = min(float(region.upper[row]), b) - max(float(region.lower[row]), a)
            product *= max(inside, 0.0) / (b - a)
    for feature in space.categorical:
        codes = naive.axis(feature)
        product *= sum(naive.allows(region, feature, c) for c in codes) / len(codes)
    return product


def of_all_orders(rules, cell, consequent=None):
    """Return the regions of all orders, by the slow transcription."""
    space = rules.space
    boxes = (
        slow.enlarge(space, rules, cell, order, consequent) for order in permutations(space.names)
    )
    return {slow.as_region(space, box) for box in boxes}


def check(best, rules, seed, score, consequent=None):
    """Assert that a result is consistent with itself."""
    assert sorted(best.order) == sorted(rules.space.names)
    assert enlarge(rules, seed, order=best.order, consequent=consequent) == best.region
    assert best.score == pytest.approx(score(best.region), rel=1e-12)
    assert best.finished is (best.stopped_by is None)
    assert best.bound >= best.score
    assert best.finished is (best.bound == best.score)


@st.composite
def problems(draw, max_features=4):
    rules = draw(sts.rule_sets(max_size=8, max_features=max_features))
    space = rules.space
    axes = naive.grid(space, [r.region for r in rules])
    axes = [[v for v in a if naive.shows(f, v)] for f, a in zip(space, axes, strict=True)]
    a_cell = st.tuples(*map(st.sampled_from, axes))
    consequent = draw(st.sampled_from([None, "A", "new"]))
    cells = draw(st.lists(a_cell, min_size=1, max_size=12))
    return rules, consequent, draw(a_cell), cells


@given(problems(), st.data())
def test_the_region_is_the_best_of_all_orders_by_every_objective(problem, data):
    rules, consequent, cell, cells = problem
    if slow.covered_by(rules, cell, consequent) is not None:
        return
    space, n = rules.space, len(cells)
    seed, X = naive.instances(space, [cell]), naive.instances(space, cells)
    regions = of_all_orders(rules, cell, consequent)
    weights = st.sampled_from([0, 0.1, 0.3, 0.7, 1, 2])
    weights = data.draw(st.none() | st.lists(weights, min_size=n, max_size=n))
    y = data.draw(st.lists(st.sampled_from(["A", "B", "new"]), min_size=n, max_size=n))
    sign = [1 if label == consequent else -1 for label in y]
    counted = weights or [1.0] * n
    options = {"consequent": consequent, "budget": None}

    best = best_region(rules, seed, X, sample_weight=weights, **options)
    assert best.finished
    assert best.score == max(weighted(region, cells, counted) for region in regions)
    check(best, rules, seed, lambda region: weighted(region, cells, counted), consequent)

    if consequent is not None:
        own = [s * w for s, w in zip(sign, counted, strict=True)]
        best = best_region(
            *(rules, seed, X, y), objective="class", sample_weight=weights, **options
        )
        assert best.finished
        assert best.score == max(weighted(region, cells, own) for region in regions)
        check(best, rules, seed, lambda region: weighted(region, cells, own), consequent)

    cells = [c for c in cells if all(abs(v) < 1e300 or v == -math.inf for v in c)]
    if not cells:
        return
    low, high = {}, {}
    for i, name in enumerate(space.names):
        present = [c[i] for c in cells if c[i] > -math.inf]
        low[name], high[name] = (min(present), max(present)) if present else (0, 0)
    X = naive.instances(space, cells)
    best = best_region(rules, seed, X, objective="volume", **options)
    most = max(volume(region, low, high) for region in regions)
    assert best.finished
    assert best.score == pytest.approx(most, rel=1e-12)
    check(best, rules, seed, lambda region: volume(region, low, high), consequent)


@pytest.mark.parametrize("consequent", [None, "A"])
def test_five_features_against_all_120_orders(consequent):
    rng = np.random.default_rng(5)
    space = Space(
        [
            Continuous("a"),
            Categorical("b", list("wxyz")),
            Continuous("c", missing=True),
            Continuous("d"),
            Categorical("e", list("pqr"), other=True),
        ]
    )
    rules = RuleSet([Rule(made_region(space, rng), then="AB"[i % 2]) for i in range(16)], space)
    cells = made_cells(space, rng, 60)
    X, y = naive.instances(space, cells), rng.choice(["A", "B", "new"], len(cells)).tolist()
    weights = rng.choice([0.1, 0.7, 2.0], len(cells))
    own = consequent or "new"
    better = 0
    for cell in [c for c in cells if slow.covered_by(rules, c, own) is None][:3]:
        seed = naive.instances(space, [cell])
        regions = of_all_orders(rules, cell, own)
        for objective in ("instances", "class"):
            sign = [1 if label == own or objective == "instances" else -1 for label in y]
            signed = (sign * weights).tolist()

            def score(region, signed=signed):
                return weighted(region, cells, signed)

            options = {"objective": objective, "sample_weight": weights, "budget": None}
            best = best_region(rules, seed, X, y, consequent=own, **options)
            assert best.score == max(map(score, regions))
            check(best, rules, seed, score, own)
            better += best.score > score(enlarge(rules, seed, consequent=own))
    assert better > 1, "the space's own order was nearly always the best: little was tested"


def made_region(space, rng):
    conditions = {}
    asked = rng.random(len(space)) < 0.5
    asked[rng.integers(len(space))] = True
    for feature in np.array(space.features)[asked]:
        if isinstance(feature, Continuous):
            low, high = sorted(rng.choice(10, 2, replace=False).tolist())
            conditions[feature.name] = (low, high)
        else:
            conditions[feature.name] = {str(rng.choice(feature.values))}
    return Region(space, conditions)


def made_cells(space, rng, n):
    return [
        tuple(
            float(rng.integers(0, 11))
            if isinstance(f, Continuous)
            else int(rng.choice(naive.axis(f)))
            for f in space
        )
        for _ in range(n)
    ]


# --- the worked figure


def test_the_order_that_covers_more_wins():
    tall = [[5.5, 8], [6, 4], [6, 6], [9, 8]]
    best = best_region(PAPER, P1, tall)
    assert (best.region, best.score, best.order) == (TALL_FIRST, 3.0, ("f2", "f1"))
    assert (best.finished, best.bound, best.stopped_by) == (True, 3.0, None)
    best = best_region(PAPER, P1, tall, sample_weight=[1, 1, 1, 3])
    assert (best.region, best.score, best.order) == (WIDE_FIRST, 4.0, ("f1", "f2"))
    best = best_region(PAPER, P1, [[5.5, 8]])
    assert (best.region, best.order, best.score) == (WIDE_FIRST, PLANE.names, 1.0)
    assert best_region(PAPER, P1, []).region == WIDE_FIRST
    best = best_region(PAPER, P1, [[5.5, 8], [6, 8], [6, 9]], sample_weight=[0.1, 0.2, 0.3])
    assert best.score == 0.6 != 0.1 + 0.2 + 0.3


def test_instances_of_other_classes_count_against_the_region():
    X, y = [[5.5, 8], [9, 8], [9, 9], [6, 4]], ["new", "other", "other", "new"]
    best = best_region(PAPER, P1, X, y, consequent="new", objective="class")
    assert (best.region, best.score) == (TALL_FIRST, 2.0)
    everything_against = best_region(PAPER, P1, X, ["x"] * 4, consequent="new", objective="class")
    assert everything_against.score == -2.0
    assert everything_against.finished


def test_rules_with_the_consequent_are_not_rivals():
    best = best_region(PAPER, P1, [[3, 8], [5.5, 8]], consequent="r1")
    assert (best.region, best.score) == (Region(PLANE, {"f2": (7, None)}), 2.0)
    inside = best_region(PAPER, {"f1": 3, "f2": 6}, [[3, 6]], consequent="r1")
    assert inside.region == Region(PLANE, {"f1": (None, 6.5), "f2": (3, None)})
    rules = RuleSet([Rule(Region(PLANE, {"f1": (2, 5)}), then={"a", "b"})], PLANE)
    best = best_region(rules, P1, [[3, 0]], [{"b", "a"}], consequent={"a", "b"}, objective="class")
    assert (best.region, best.score) == (Region(PLANE), 1.0)


def test_volume_is_relative_to_the_bounds_of_the_space_or_of_the_instances():
    space = Space([Continuous("f1", bounds=(0, 10)), Continuous("f2", bounds=(0, 10))])
    rules = RuleSet(PAPER, space)
    best = best_region(rules, P1, objective="volume")
    tall, wide = 1.5 / 10 * 7 / 10, 5 / 10 * 3 / 10
    assert best.score == pytest.approx(max(tall, wide))
    assert best.order == ("f1", "f2")
    # the bounding box of X is [5, 6.5] x [0, 10]
    best = best_region(rules, P1, [[5, 0], [6.5, 10]], objective="volume")
    assert best.score == pytest.approx(0.7)
    assert best.order == ("f2", "f1")
    # the widest range has a share, and a feature that is always missing is ignored
    space = Space([Continuous("f1"), Continuous("gone", missing=True)])
    rules = RuleSet([Rule(Region(space, {"f1": (0, 1)}), then="A")], space)
    X = {"f1": [0, 4], "gone": [None, None]}
    assert best_region(rules, {"f1": 2}, X, objective="volume").score == 0.75
    space = Space([Continuous("f")])
    rules = RuleSet([Rule(Region(space, {"f": (None, 0)}), then="A")], space)
    assert best_region(rules, [1.0], [[-1.7e308], [1.7e308]], objective="volume").score == 0.5


def test_spaces_with_one_feature_and_with_none():
    space = Space([Continuous("f")])
    rules = RuleSet([Rule(Region(space, {"f": (0, 1)}), then="A")], space)
    best = best_region(rules, [2.0], [[0.5], [1], [3]])
    assert (best.region, best.score, best.order) == (Region(space, {"f": (1, None)}), 2.0, ("f",))
    nothing = best_region(RuleSet(), {}, objective="volume")
    assert (nothing.region, nothing.score, nothing.order) == (Region(Space([])), 1.0, ())
    best = best_region(RuleSet(space=PLANE), P1, [[0, 0], [1, 1]])
    assert (best.region, best.score, best.finished) == (Region(PLANE), 2.0, True)


# --- budgets and interrupts


def hard(d=7, n=40, seed=0):
    """Return rules, a seed and instances for which the search takes many nodes."""
    rng = np.random.default_rng(seed)
    space = Space([Continuous(f"x{i}") for i in range(d)])
    rules = RuleSet([Rule(made_region(space, rng), then="A") for _ in range(n)], space)
    cells = made_cells(space, rng, 400)
    cell = next(c for c in cells if not naive.covering(rules, c))
    rng_near = np.random.default_rng(seed + 1)
    near = np.array(cell) + rng_near.integers(-3, 4, (300, d)) * (rng_near.random((300, d)) < 0.3)
    return rules, list(cell), near


def test_a_node_limit_gives_the_best_so_far_and_a_bound():
    rules, seed, X = hard()
    whole = best_region(rules, seed, X, budget=None)
    assert whole.finished
    assert isinstance(whole, BestRegion)
    assert whole.nodes > 20, "too easy a problem for this test"
    assert whole.nodes < math.factorial(7) / 10  # not every order is tried
    cells = [tuple(row) for row in X.tolist()]
    unfinished, scores = 0, []
    for nodes in (0, 1, 2, 5, 10, whole.nodes - 1, whole.nodes, whole.nodes + 1):
        best = best_region(rules, seed, X, budget=Budget(nodes=nodes))
        check(best, rules, seed, lambda region: weighted(region, cells, [1.0] * len(cells)))
        assert best.score <= whole.score <= best.bound
        assert best.nodes <= nodes
        if not best.finished:
            assert best.stopped_by == "nodes"
            assert best.nodes == nodes
            unfinished += 1
        scores.append(best.score)
    assert unfinished >= 5
    assert best == whole
    assert scores == sorted(scores)
    assert scores[0] == enlarge(rules, seed).contains(X).sum()


def test_a_budget_of_zero_seconds_still_gives_a_region():
    rules, seed, X = hard()
    best = best_region(rules, seed, X, budget=0)
    assert (best.finished, best.stopped_by, best.nodes) == (False, "seconds", 0)
    assert best.region == enlarge(rules, seed)
    assert best.bound >= best_region(rules, seed, X, budget=None).score
    rules, seed, X = hard(d=60, n=100)
    best = best_region(rules, seed, X, budget=0.05)
    assert (best.finished, best.stopped_by) == (False, "seconds")
    check(best, rules, seed, lambda region: float(region.contains(X).sum()))
    best = best_region(PAPER, P1, [[5.5, 8]], budget=0)
    assert (best.finished, best.stopped_by, best.nodes) == (True, None, 0)


def test_an_interrupt_gives_the_best_so_far(monkeypatch):
    rules, seed, X = hard()
    whole = best_region(rules, seed, X, budget=None)

    class Interrupted(best_order.Meter):
        calls = 0

        def spent(self, **counts):
            self.calls += 1
            if self.calls > 30:
                raise KeyboardInterrupt
            return super().spent(**counts)

    monkeypatch.setattr(best_order, "Meter", Interrupted)
    best = best_region(rules, seed, X, budget=None)
    assert (best.finished, best.stopped_by) == (False, "interrupt")
    assert best.score <= whole.score <= best.bound
    assert enlarge(rules, seed, order=best.order) == best.region


# --- errors


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"objective": "size"},
            ConditionError,
            "objective must be one of instances, class, volume, got 'size'",
        ),
        ({}, DataError, 'objective="instances" needs X, the instances to score by'),
        ({"objective": "class"}, DataError, 'objective="class" needs X, the instances to score by'),
        ({"X": [[1, 1]], "objective": "class", "y": ["A"]}, DataError,
         'objective="class" needs y and consequent'),
        ({"X": [[1, 1]], "objective": "class", "consequent": "A"}, DataError,
         'objective="class" needs y and consequent'),
        ({"X": [[1, 1]], "objective": "class", "consequent": "A", "y": ["A", "B"]}, DataError,
         "y must have 1 labels, one per row of X, got 2"),
        ({"objective": "volume"}, DataError,
         "objective=\"volume\" needs X, or bounds for every feature; 'f1' has none"),
        ({"X": [], "objective": "volume"}, DataError,
         "objective=\"volume\" needs X, or bounds for every feature; 'f1' has none"),
        ({"X": [[1, 1]], "budget": -1}, ConditionError,
         "budget.seconds must be a non-negative number or None, got -1"),
        ({"X": [[1, 1]], "consequent": ["A"]}, ConditionError,
         "a consequent must be hashable, got ['A'] of type list; use a frozenset or a tuple"),
    ],
)  # fmt: skip
def test_invalid_arguments_are_rejected(options, error, message):
    rejects(error, message, best_region, PAPER, P1, **options)


def test_sample_weights_must_be_non_negative_numbers():
    for weights in ([1], [1, -1], [1, math.nan], [1, math.inf], ["a", "b"], [1, "2"]):
        with pytest.raises(DataError) as error:
            best_region(PAPER, P1, [[1, 1], [2, 2]], sample_weight=weights)
        assert str(error.value) == "sample_weight must be 2 non-negative numbers"


def test_a_covered_seed_is_rejected_and_the_rule_named():
    with pytest.raises(SeedError, match=r"the seed \(f1 = 7, f2 = 6\) is covered by rule 2 "):
        best_region(PAPER, {"f1": 7, "f2": 6}, [[1, 1]])
    with pytest.raises(SeedError, match="a rival of r1; choose a point that no rival covers"):
        best_region(PAPER, {"f1": 7, "f2": 6}, [[1, 1]], consequent="r1")
