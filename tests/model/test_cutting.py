"""Recursive cutting: left and taken up again, and the merging of what it finds."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import naive_cfsgs as oracle
import strategies as sts
from irenic import Budget, Categorical, Continuous, Region, Rule, RuleSet, Space
from irenic.budget import Meter
from irenic.model import cutting
from irenic.model.cutting import Boxes, Cutter, is_covered, merged, uncovered

pytestmark = pytest.mark.kernels

INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT") == "1"


def cutter_of(rules, **options):
    boxes = Boxes.of_rules(rules.packed, np.ones(len(rules), dtype=np.bool_))
    return Cutter(rules.space, boxes, Boxes.of_region(Region(rules.space)), **options)


def found_by(cutter):
    boxes = cutter.boxes()
    return [boxes.region(cutter.space, row) for row in range(len(boxes.low))]


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


def boxes_of(rules):
    return Boxes.of_rules(rules.packed, np.ones(len(rules), dtype=np.bool_))


# --- boxes


def test_boxes_leave_open_what_the_space_implies():
    space = Space([Continuous("age", bounds=(0, 120)), Continuous("n", missing=True)])
    rules = RuleSet([Rule({"age": {">=": 0, "<=": 120}, "n": {"<": 5}}, then="A")], space)
    boxes = Boxes.of_rules(rules.packed, np.array([True]))
    assert boxes.low.tolist() == [[-np.inf, -np.finfo(float).max]]
    assert boxes.high.tolist() == [[np.inf, 5.0]]


def test_boxes_can_be_taken_and_changed_on_their_own():
    rules = chain(4)
    boxes = Boxes.of_rules(rules.packed, np.array([True, False, True, True]))
    assert boxes.low[:, 0].tolist() == [0, 4, 6]
    some = boxes.take(slice(1, 3)).copy()
    some.low[:] = -1
    assert boxes.low[:, 0].tolist() == [0, 4, 6]
    assert repr(boxes.region(rules.space, 1)) == "4 <= f0 < 5"


@given(sts.spaces(3).flatmap(sts.regions))
def test_a_region_is_the_same_as_a_box(region):
    assert Boxes.of_region(region).region(region.space) == region


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
    for name in ("begin", "end", "box_low", "box_high", "box_masks"):
        setattr(cutter, name, getattr(cutter, name)[:2].copy())
    cutter.items = cutter.items[: len(rules)].copy()
    run(cutter)
    assert found_by(cutter) == found_by(expected)
    assert len(cutter.begin) > 2
    assert len(cutter.items) > len(rules)


def test_more_gaps_than_there_is_room_for_are_all_found():
    n = 300 if INTERPRETED else 3000
    cutter = cutter_of(chain(n))
    cutter.out_low, cutter.out_high = cutter.out_low[:8], cutter.out_high[:8]
    cutter.out_masks = cutter.out_masks[:8]
    run(cutter)
    assert len(found_by(cutter)) == n + 1


def test_the_stack_stays_as_small_as_the_cuts_are_deep():
    n = 300 if INTERPRETED else 20_000
    cutter = cutter_of(chain(n))
    run(cutter)
    assert len(cutter.begin) == 64
    assert len(cutter.items) <= 8 * n + 128


def test_the_first_gap_is_enough_where_only_one_is_asked_for():
    n = 200 if INTERPRETED else 2000
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


# --- merging


def grid_boxes(space, cells):
    """Return boxes of unit cells ``(x, y, bits)``."""
    low = np.array([[x, y] for x, y, _ in cells], dtype=float)
    masks = np.array([[bits] for _, _, bits in cells], dtype=np.uint64)
    return Boxes(low, low + 1, masks)


CELLS = Space([Continuous("x"), Continuous("y"), Categorical("c", ["a", "b"])])


def shown(boxes):
    return [repr(boxes.region(CELLS, row)) for row in range(len(boxes.low))]


def test_cells_of_a_block_become_one_box():
    block = [(x, y, bits) for x in range(3) for y in range(2) for bits in (4, 8)]
    assert shown(merged(CELLS, grid_boxes(CELLS, block))) == ["0 <= x < 3 and 0 <= y < 2"]


def test_cells_that_touch_at_a_corner_stay_apart():
    assert shown(merged(CELLS, grid_boxes(CELLS, [(1, 1, 4), (0, 0, 4)]))) == [
        "0 <= x < 1 and 0 <= y < 1 and c in {a}",
        "1 <= x < 2 and 1 <= y < 2 and c in {a}",
    ]


def test_cells_with_a_hole_between_them_stay_apart():
    assert len(merged(CELLS, grid_boxes(CELLS, [(0, 0, 4), (2, 0, 4)])).low) == 2


def test_merging_ends_when_the_seconds_are_used_up():
    rules = chain(6)
    between = [Rule({"f0": (2 * i + 1, 2 * i + 2)}, then="A") for i in range(5)]
    rules = RuleSet([*rules, *between], rules.space)
    boxes = boxes_of(rules)
    assert len(merged(rules.space, boxes).low) == 1
    assert len(merged(rules.space, boxes, Meter(60.0)).low) == 1
    assert len(merged(rules.space, boxes, Meter(0.0)).low) == 11


def test_merging_nothing_gives_nothing():
    nothing = Boxes(np.empty((0, 2)), np.empty((0, 2)), np.empty((0, 1), dtype=np.uint64))
    assert len(merged(CELLS, nothing).low) == 0


@given(
    st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([4, 8])), min_size=1),
    st.randoms(use_true_random=False),
)
def test_merged_boxes_hold_the_same_cells_whatever_their_order(cells, random):
    listed = sorted(cells)
    random.shuffle(listed)
    result = merged(CELLS, grid_boxes(CELLS, listed))
    held = [
        (x, y, bits)
        for low, high, (mask,) in zip(*result, strict=True)
        for x in range(int(low[0]), int(high[0]))
        for y in range(int(low[1]), int(high[1]))
        for bits in (4, 8)
        if int(mask) & bits
    ]
    assert sorted(held) == sorted(cells)
    assert shown(result) == shown(merged(CELLS, grid_boxes(CELLS, sorted(cells))))
    assert len(merged(CELLS, result).low) == len(result.low)


# --- what some boxes leave of another


@given(sts.rule_sets(max_size=5), st.data())
def test_what_is_left_of_a_box_is_what_no_other_covers(rules, data):
    box = data.draw(sts.regions(rules.space))
    left = uncovered(rules.space, Boxes.of_region(box), boxes_of(rules))
    regions = [left.region(rules.space, row) for row in range(len(left.low))]
    axes = naive.grid(rules.space, [box, *(r.region for r in rules)])
    for cell in naive.cells_of(axes):
        wanted = naive.holds(box, cell) and not any(naive.holds(r.region, cell) for r in rules)
        assert sum(naive.holds(region, cell) for region in regions) == wanted
    assert is_covered(rules.space, Boxes.of_region(box), boxes_of(rules)) is (not regions)


@given(sts.rule_sets(max_size=5), st.data())
def test_boxes_meet_where_their_regions_overlap(rules, data):
    box = data.draw(sts.regions(rules.space))
    found = boxes_of(rules).meeting(rules.space, Boxes.of_region(box))
    assert found.tolist() == [rule.region.overlaps(box) for rule in rules]


def test_whether_a_box_is_covered_may_stay_open():
    space = Space([Continuous("f0")])
    rules = RuleSet([Rule({"f0": (i, i + 1)}, then="A") for i in range(50)], space)
    box = Boxes.of_region(Region(space, {"f0": (0, 50)}))
    assert is_covered(space, box, boxes_of(rules), Meter(Budget(nodes=1))) is None
    assert is_covered(space, box, boxes_of(rules)) is True
