"""Recursive cutting, and how it is interrupted and resumed."""

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


def gaps_of(cutter):
    return [Region.from_box(box) for box in cutter.boxes()]


def run(cutter, nodes=10**6):
    total = 0
    while cutter.depth:
        total += cutter.step(nodes)[0]
    return total


def chain(n, axes=1):
    """Return rules with gaps between their intervals on the first axis."""
    space = Space([Continuous(f"f{i}") for i in range(axes)])
    low, high = np.full((axes, n), -np.inf), np.full((axes, n), np.inf)
    low[0], high[0] = 2.0 * np.arange(n), 2.0 * np.arange(n) + 1
    return RuleSet.from_arrays(space, lower=low, upper=high, then=["A"] * n)


# --- cutting


@given(oracle.sets_of_rules(), st.sampled_from([1, 2, 7]))
def test_interrupted_and_resumed_cutting_finds_the_same_gaps(rules, nodes):
    uninterrupted, resumed = cutter_of(rules), cutter_of(rules)
    assert run(uninterrupted) == run(resumed, nodes)
    gaps = gaps_of(uninterrupted)
    assert gaps == gaps_of(resumed)
    # they are disjoint and contain all that no rule covers
    covered = [rule.region for rule in rules]
    grid = oracle.Grid(rules.space, [*covered, *gaps])
    assert (grid.count(gaps) == ~grid.union(covered)).all()


def test_stacks_and_outputs_grow_as_needed():
    rules = oracle.dense_set(3, size=12, width=4)
    expected, cutter = cutter_of(rules), cutter_of(rules)
    run(expected)
    items, *nodes = cutter.stack
    cutter.stack = structs.Stack(items[: len(rules)].copy(), *(array[:2].copy() for array in nodes))
    run(cutter)
    assert gaps_of(cutter) == gaps_of(expected)
    assert len(cutter.stack.begin) > 2
    assert len(cutter.stack.items) > len(rules)
    n = 3000
    cutter = cutter_of(chain(n))
    *arrays, starts = cutter.out
    cutter.out = structs.BoxRows(*(array[:8] for array in arrays), starts)
    run(cutter)
    assert len(gaps_of(cutter)) == n + 1
    n = 20_000
    cutter = cutter_of(chain(n))
    run(cutter)
    assert len(cutter.stack.begin) == 64
    assert len(cutter.stack.items) <= 8 * n + 128


def test_a_step_stops_at_the_first_gap_if_asked_to():
    n = 2000
    cutter = cutter_of(chain(n), first=True)
    nodes, n_gaps = cutter.step(10**6)
    assert n_gaps in (1, 2)
    assert nodes < 50
    assert cutter.depth
    run(cutter)
    assert len(gaps_of(cutter)) == n + 1


def test_bursts_respect_the_budget_and_report_what_stopped_them(monkeypatch):
    monkeypatch.setattr(cutting, "_BURST", 4)
    for budget, reason in (
        (Budget(nodes=10), "nodes"),
        (Budget(regions=3), "regions"),
        (Budget(seconds=0), "seconds"),
        (None, None),
    ):
        cutter, meter = cutter_of(chain(50)), Meter(budget)
        counts = list(cutter.bursts(meter))
        assert sum(counts) == meter.regions == len(gaps_of(cutter))
        assert meter.stopped_by == reason
        assert bool(cutter.depth) is (reason is not None)
    assert meter.regions == 51
    needed = Meter(None)
    list(cutter_of(chain(5)).bursts(needed))
    meter = Meter(Budget(nodes=needed.nodes))
    list(cutter_of(chain(5)).bursts(meter))
    assert meter.stopped_by is None
    assert meter.nodes == needed.nodes
    monkeypatch.setattr(cutting, "_BURST", 4)
    cutter, meter = cutter_of(chain(50)), Meter(None)
    list(cutter.bursts(meter, lambda nodes, regions: nodes >= 8))
    assert (meter.nodes, meter.stopped_by) == (8, "interrupt")


@given(sts.rule_sets(max_size=5), st.data())
def test_subtract_leaves_what_no_other_box_covers(rules, data):
    box = data.draw(sts.regions(rules.space))
    simple = box.box.simplified()
    regions = [Region.from_box(part) for part in simple.subtract(rules.boxes)]
    axes = naive.grid(rules.space, [box, *(r.region for r in rules)])
    for cell in naive.cells_of(axes):
        expected = naive.holds(box, cell) and not any(naive.holds(r.region, cell) for r in rules)
        assert sum(naive.holds(region, cell) for region in regions) == expected
    assert simple.is_covered(rules.boxes) is (not regions)


def test_is_covered_returns_none_if_the_budget_is_used_up():
    space = Space([Continuous("f0")])
    rules = RuleSet([Rule({"f0": (i, i + 1)}, then="A") for i in range(50)], space)
    box = Region(space, {"f0": (0, 50)}).box
    assert box.is_covered(rules.boxes, Meter(Budget(nodes=1))) is None
    assert box.is_covered(rules.boxes) is True
    part = box.subtract(rules.boxes.take(slice(25)), Meter(Budget(nodes=1)))
    assert len(part) <= 1
