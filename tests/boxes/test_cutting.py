"""Recursive cutting: left and taken up again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import naive_cfsgs as oracle
import strategies as sts
from irenic import Budget, Continuous, Region, Rule, RuleSet, Space
from irenic.boxes import Boxes, cutting
from irenic.boxes.cutting import Cutter
from irenic.budget import Meter
from irenic.kernels import structs

pytestmark = pytest.mark.kernels


def cutter_of(rules, **options):
    return Cutter(rules.boxes, Boxes.whole(rules.space), **options)


def found_by(cutter):
    return [Region.from_box(box) for box in cutter.boxes()]


def run(cutter, nodes=10**6):
    total = 0
    while cutter.depth:
        total += cutter.step(nodes)[0]
    return total


def chain(n, axes=1):
    """Return intervals with gaps between them, on the first of some axes."""
    space = Space([Continuous(f"f{i}") for i in range(axes)])
    low, high = np.full((axes, n), -np.inf), np.full((axes, n), np.inf)
    low[0], high[0] = 2.0 * np.arange(n), 2.0 * np.arange(n) + 1
    return RuleSet.from_arrays(space, lower=low, upper=high, then=["A"] * n)


# --- cutting


@pytest.mark.parametrize("nodes", [1, 2, 7])
@given(rules=oracle.sets_of_rules())
def test_work_that_is_left_and_taken_up_again_finds_the_same(nodes, rules):
    whole, parts = cutter_of(rules), cutter_of(rules)
    assert run(whole) == run(parts, nodes)
    assert found_by(whole) == found_by(parts)


@given(oracle.sets_of_rules())
def test_what_is_found_is_disjoint_and_all_that_no_rule_covers(rules):
    cutter = cutter_of(rules)
    run(cutter)
    found = found_by(cutter)
    covered = [rule.region for rule in rules]
    grid = oracle.Grid(rules.space, [*covered, *found])
    assert (grid.count(found) == ~grid.union(covered)).all()


def test_the_stack_grows_when_it_is_too_small():
    rules = oracle.dense_set(3, size=12, width=4)
    expected, cutter = cutter_of(rules), cutter_of(rules)
    run(expected)
    items, *nodes = cutter.stack
    cutter.stack = structs.Stack(items[: len(rules)].copy(), *(array[:2].copy() for array in nodes))
    run(cutter)
    assert found_by(cutter) == found_by(expected)
    assert len(cutter.stack.begin) > 2
    assert len(cutter.stack.items) > len(rules)


def test_more_gaps_than_there_is_room_for_are_all_found():
    n = 3000
    cutter = cutter_of(chain(n))
    *arrays, starts = cutter.out
    cutter.out = structs.Boxes(*(array[:8] for array in arrays), starts)
    run(cutter)
    assert len(found_by(cutter)) == n + 1


def test_the_stack_stays_as_small_as_the_cuts_are_deep():
    n = 20_000
    cutter = cutter_of(chain(n))
    run(cutter)
    assert len(cutter.stack.begin) == 64
    assert len(cutter.stack.items) <= 8 * n + 128


def test_the_first_gap_is_enough_where_only_one_is_asked_for():
    n = 2000
    cutter = cutter_of(chain(n), first=True)
    nodes, found = cutter.step(10**6)
    assert found in (1, 2)
    assert nodes < 50
    assert cutter.depth
    run(cutter)
    assert len(found_by(cutter)) == n + 1


def test_bursts_keep_to_the_budget_and_say_what_ended_them(monkeypatch):
    monkeypatch.setattr(cutting, "_BURST", 4)
    for budget, reason in (
        (Budget(nodes=10), "nodes"),
        (Budget(regions=3), "regions"),
        (Budget(seconds=0), "seconds"),
        (None, None),
    ):
        cutter, meter = cutter_of(chain(50)), Meter(budget)
        counts = list(cutter.bursts(meter))
        assert sum(counts) == meter.regions == len(found_by(cutter))
        assert meter.stopped_by == reason
        assert bool(cutter.depth) is (reason is not None)
    assert meter.regions == 51


def test_a_budget_used_up_by_the_last_node_stopped_nothing():
    needed = Meter(None)
    list(cutter_of(chain(5)).bursts(needed))
    meter = Meter(Budget(nodes=needed.nodes))
    list(cutter_of(chain(5)).bursts(meter))
    assert meter.stopped_by is None
    assert meter.nodes == needed.nodes


def test_progress_can_end_the_bursts(monkeypatch):
    monkeypatch.setattr(cutting, "_BURST", 4)
    cutter, meter = cutter_of(chain(50)), Meter(None)
    list(cutter.bursts(meter, lambda nodes, regions: nodes >= 8))
    assert (meter.nodes, meter.stopped_by) == (8, "interrupt")


# --- what some boxes leave of another


@given(sts.rule_sets(max_size=5), st.data())
def test_what_is_left_of_a_box_is_what_no_other_covers(rules, data):
    box = data.draw(sts.regions(rules.space))
    simple = box.box.simplified()
    regions = [Region.from_box(part) for part in simple.subtract(rules.boxes)]
    axes = naive.grid(rules.space, [box, *(r.region for r in rules)])
    for cell in naive.cells_of(axes):
        wanted = naive.holds(box, cell) and not any(naive.holds(r.region, cell) for r in rules)
        assert sum(naive.holds(region, cell) for region in regions) == wanted
    assert simple.is_covered(rules.boxes) is (not regions)


def test_whether_a_box_is_covered_may_stay_open():
    space = Space([Continuous("f0")])
    rules = RuleSet([Rule({"f0": (i, i + 1)}, then="A") for i in range(50)], space)
    box = Region(space, {"f0": (0, 50)}).box
    assert box.is_covered(rules.boxes, Meter(Budget(nodes=1))) is None
    assert box.is_covered(rules.boxes) is True
    part = box.subtract(rules.boxes.take(slice(25)), Meter(Budget(nodes=1)))
    assert len(part) <= 1
