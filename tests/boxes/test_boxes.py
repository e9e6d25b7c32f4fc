"""Arrays of boxes, compared with loops over regions or over the cells of a grid."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies as sts
from irenic import Categorical, Continuous, Region, Rule, RuleSet, Space
from irenic.boxes import Boxes
from irenic.boxes import boxes as module

pytestmark = pytest.mark.kernels

SPACE = Space([Continuous("x", missing=True), Continuous("age", bounds=(0, 120)),
               Categorical("c", ["u", "v"])])  # fmt: skip
WIDE = Space([Categorical("w", [f"v{i}" for i in range(100)]), Categorical("c", ["u", "v"])])


def simplified(regions):
    return Boxes.none(regions[0].space).concat(*(region.box.simplified() for region in regions))


def regions_of(boxes):
    return [Region.from_box(box) for box in boxes]


def cells_in(region, regions):
    """Return the cells that a region contains, of the grid of all bounds of ``regions``."""
    axes = naive.grid(region.space, regions)
    return {tuple(cell) for cell in naive.cells_of(axes) if naive.holds(region, cell)}


# --- as a collection


@given(sts.regions_of_one_space(4))
def test_boxes_of_regions_convert_back_to_the_regions(regions):
    boxes = simplified(regions)
    assert len(boxes) == 4
    assert regions_of(boxes) == regions


@given(sts.rule_sets())
def test_the_boxes_of_rules_are_their_regions(rules):
    assert regions_of(rules.boxes) == [rule.region for rule in rules]
    assert regions_of(rules.packed.boxes) == [rule.region for rule in rules]


@given(sts.regions_of_one_space(5), st.data())
def test_take_and_concat_work_as_for_lists(regions, data):
    boxes = simplified(regions)
    rows = data.draw(st.lists(st.integers(0, 4), max_size=6))
    assert regions_of(boxes.take(rows)) == [regions[row] for row in rows]
    chosen = data.draw(st.lists(st.booleans(), min_size=5, max_size=5))
    kept = [region for region, keep in zip(regions, chosen, strict=True) if keep]
    assert regions_of(boxes.take(np.array(chosen))) == kept
    assert regions_of(boxes.take(slice(1, 3)).concat(boxes.take(slice(0)), boxes)) == [
        *regions[1:3],
        *regions,
    ]


def test_changing_a_copy_leaves_the_original_unchanged():
    boxes = RuleSet([Rule({"f": (i, i + 1)}, then="A") for i in range(3)]).boxes
    copied = boxes.take(slice(1, 3)).copy()
    copied.lower[:] = -1
    assert boxes.lower[:, 0].tolist() == [0, 1, 2]


def test_boxes_pickle_and_their_repr_counts_them():
    boxes = pickle.loads(pickle.dumps(Boxes.whole(SPACE)))
    assert regions_of(boxes) == [Region(SPACE)]
    assert repr(boxes) == "<Boxes: 1 in 3 features>"
    assert repr(Boxes.none(Space([Continuous("f")]))) == "<Boxes: 0 in 1 feature>"


def test_no_boxes_and_the_whole_space():
    assert len(Boxes.none(WIDE)) == 0
    assert list(Boxes.none(WIDE)) == []
    assert not Boxes.whole(WIDE).tests().any()


# --- keys


@given(sts.regions_of_one_space(5))
def test_keys_are_equal_if_and_only_if_regions_are(regions):
    keys = simplified(regions).keys()
    same = (keys[:, None] == keys).all(axis=2)
    assert same.tolist() == [[a == b for b in regions] for a in regions]


@given(sts.regions_of_one_space(3))
def test_distinct_keeps_the_first_of_equal_boxes(regions):
    boxes = simplified([*regions, *regions])
    assert regions_of(boxes.distinct()) == list(dict.fromkeys(regions))


def test_minus_zero_and_zero_have_equal_keys():
    space = Space([Continuous("f")])
    sets = np.empty((2, 0), dtype=np.uint64)
    boxes = Boxes(space, np.array([[0.0], [-0.0]]), np.array([[1.0], [1.0]]), sets)
    assert (boxes.keys()[0] == boxes.keys()[1]).all()
    assert len(boxes.distinct()) == 1
    boxes = Boxes(space, -1 - boxes.lower, boxes.lower, sets)
    assert len(boxes.distinct()) == 1


def test_a_space_without_features_has_one_box():
    boxes = Boxes.whole(Space([]))
    assert len(boxes.concat(boxes, boxes).distinct()) == 1


@given(sts.regions_of_one_space(2), st.data())
def test_key_columns_assign_every_column_to_one_axis(regions, data):
    boxes, space = simplified(regions), regions[0].space
    axis = data.draw(st.integers(0, len(space) - 1)) if len(space) else None
    columns = boxes.key_columns()
    assert sorted(column for own in columns for column in own) == list(range(boxes.keys().shape[1]))
    if axis is not None:
        freed = boxes.freed(axis).keys()
        changed = (freed != boxes.keys()).any(axis=0)
        assert set(np.flatnonzero(changed)) <= set(columns[axis])


# --- single boxes


def test_simplified_removes_bounds_that_the_space_implies():
    region = Region(SPACE, {"age": {">=": 0, "<=": 120}, "x": {"<": 5}})
    box = region.box.simplified()
    assert box.lower.tolist() == [[-np.finfo(float).max, -np.inf]]
    assert box.upper.tolist() == [[5.0, np.inf]]
    assert region.upper[1] == np.nextafter(120, 121)


@given(sts.spaces(3).flatmap(sts.regions))
def test_a_simplified_box_contains_the_same_cells(region):
    simple = Region.from_box(region.box.simplified())
    assert cells_in(simple, [region]) == cells_in(region, [region])


@given(sts.regions_of_one_space(2))
def test_rows_are_empty_if_they_contain_no_cell(regions):
    a, b = (region.box for region in regions)
    row = Boxes(a.space, np.maximum(a.lower, b.lower), np.minimum(a.upper, b.upper),
                a.masks & b.masks)  # fmt: skip
    empty = not (cells_in(regions[0], regions) & cells_in(regions[1], regions))
    assert row.are_empty().tolist() == [empty]


def test_upper_bounds_that_admit_only_missing_values_have_one_form():
    space = Space([Continuous("age", bounds=(0, 120), missing=True)])
    sets = np.empty((3, 0), dtype=np.uint64)
    boxes = Boxes(space, np.full((3, 1), -np.inf), np.array([[-7.0], [0.0], [1.0]]), sets)
    assert boxes.settled().upper[:, 0].tolist() == [-np.finfo(float).max] * 2 + [1.0]
    assert boxes.take([2]).settled().upper[0, 0] == 1.0


@given(sts.spaces(3).flatmap(sts.regions))
def test_tests_and_n_conditions_count_the_conditions(region):
    space, box = region.space, region.box.simplified()
    tests = box.tests()[0]
    named = {name for name, axis in zip(space.names, space.axes, strict=True) if tests[axis]}
    assert named == set(region.simplified().conditions())
    assert box.n_conditions().tolist() == [len(named)]
    for axis in range(len(space)):
        assert box.freed(axis).n_conditions()[0] == len(named) - tests[axis]
        assert region <= Region.from_box(box.freed(axis))


@given(sts.regions_of_one_space(3))
def test_the_hull_is_the_smallest_box_around_all_boxes(regions):
    hull = Region.from_box(simplified(regions).hull())
    assert all(region <= hull for region in regions)
    cells = set().union(*(cells_in(region, regions) for region in regions))
    for place in range(len(hull.space)):
        values = {cell[place] for cell in cells_in(hull, regions)}
        expected = {cell[place] for cell in cells}
        if isinstance(hull.space.features[place], Categorical):
            assert values == expected
        else:
            assert (min(values), max(values)) == (min(expected), max(expected))


# --- compared with one box, and with each other


@given(sts.regions_of_one_space(5))
def test_boxes_meet_and_intersect_one_box(regions):
    boxes, box = simplified(regions), regions[0].box.simplified()
    inside = cells_in(regions[0], regions)
    met = [region for region in regions if cells_in(region, regions) & inside]
    assert regions_of(boxes.take(boxes.meeting(box))) == met
    assert boxes.meeting_by_axis(box).all(axis=1).tolist() == boxes.meeting(box).tolist()
    shared = regions_of(boxes & box)
    assert [cells_in(r, regions) for r in shared] == [cells_in(r, regions) & inside for r in met]


@pytest.mark.parametrize("small", [0, 10_000])
@given(regions=sts.regions_of_one_space(7))
def test_boxes_contain_and_meet_each_other(small, regions):
    boxes = simplified(regions)
    first = boxes.take(slice(4))
    before, module._SMALL = module._SMALL, small
    try:
        contained = boxes.contains(first)
    finally:
        module._SMALL = before
    cells = [cells_in(region, regions) for region in regions]
    assert contained.tolist() == [[b <= a for b in cells[:4]] for a in cells]
    assert contained.tolist() == [[b <= a for b in regions[:4]] for a in regions]
    assert boxes.meets(first).tolist() == [[bool(a & b) for b in cells[:4]] for a in cells]
    assert first.held_by_one(boxes.take(slice(4, None))).tolist() == contained[4:].any(0).tolist()
    pairs = np.array([(a, b) for a in range(7) for b in range(7)])
    inside = boxes.inside(pairs[:, 0], pairs[:, 1])
    assert inside.tolist() == [cells[a] <= cells[b] for a, b in pairs]


def test_more_pairs_than_one_block_are_all_compared(monkeypatch):
    monkeypatch.setattr(module, "_AT_ONCE", 3)
    boxes = RuleSet([Rule({"f": (0, i + 1)}, then="A") for i in range(8)]).boxes
    rows = np.arange(7)
    assert boxes.inside(rows, rows + 1).all()
    assert not boxes.inside(rows + 1, rows).any()


def test_sets_of_more_than_64_values_are_compared_word_by_word():
    a, b = Region(WIDE, {"w": {"v1", "v99"}}), Region(WIDE, {"w": {"v99"}})
    boxes = simplified([a, b, Region(WIDE, {"w": {"v2"}})])
    assert boxes.meeting(b.box).tolist() == [True, True, False]
    assert boxes.contains(b.box.simplified())[:, 0].tolist() == [True, True, False]
    assert [str(r) for r in regions_of(a.box.subtract(boxes.take([1])))] == ["w in {v1}"]
