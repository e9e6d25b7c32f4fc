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


@given(sts.regions_of_one_space(5), st.data())
def test_boxes_of_regions_are_a_collection_with_keys(regions, data):
    boxes = simplified(regions)
    assert len(boxes) == 5
    assert regions_of(boxes) == regions
    rows = data.draw(st.lists(st.integers(0, 4), max_size=6))
    assert regions_of(boxes.take(rows)) == [regions[row] for row in rows]
    chosen = data.draw(st.lists(st.booleans(), min_size=5, max_size=5))
    kept = [region for region, keep in zip(regions, chosen, strict=True) if keep]
    assert regions_of(boxes.take(np.array(chosen))) == kept
    parts = boxes.take(slice(1, 3)).concat(boxes.take(slice(0)), boxes)
    assert regions_of(parts) == [*regions[1:3], *regions]
    keys = boxes.keys()
    same = (keys[:, None] == keys).all(axis=2)
    assert same.tolist() == [[a == b for b in regions] for a in regions]
    assert regions_of(boxes.concat(boxes).distinct()) == list(dict.fromkeys(regions))
    columns = boxes.key_columns()
    assert sorted(column for own in columns for column in own) == list(range(keys.shape[1]))
    for axis, own in enumerate(columns):
        changed = (boxes.freed(axis).keys() != keys).any(axis=0)
        assert set(np.flatnonzero(changed)) <= set(own)


@given(sts.rule_sets())
@sts.examples(0.4)
def test_the_boxes_of_rules_are_their_regions(rules):
    assert regions_of(rules.boxes) == [rule.region for rule in rules]
    assert regions_of(rules.packed.boxes) == [rule.region for rule in rules]


def test_boxes_are_copied_pickled_and_counted():
    boxes = RuleSet([Rule({"f": (i, i + 1)}, then="A") for i in range(3)]).boxes
    copied = boxes.take(slice(1, 3)).copy()
    copied.lower[:] = -1
    assert boxes.lower[:, 0].tolist() == [0, 1, 2]
    boxes = pickle.loads(pickle.dumps(Boxes.whole(SPACE)))
    assert regions_of(boxes) == [Region(SPACE)]
    assert repr(boxes) == "<Boxes: 1 in 3 features>"
    assert repr(Boxes.none(Space([Continuous("f")]))) == "<Boxes: 0 in 1 feature>"
    assert len(Boxes.none(WIDE)) == 0
    assert list(Boxes.none(WIDE)) == []
    assert not Boxes.whole(WIDE).tests().any()
    boxes = Boxes.whole(Space([]))
    assert len(boxes.concat(boxes, boxes).distinct()) == 1


def test_minus_zero_and_zero_have_equal_keys():
    space = Space([Continuous("f")])
    sets = np.empty((2, 0), dtype=np.uint64)
    boxes = Boxes(space, np.array([[0.0], [-0.0]]), np.array([[1.0], [1.0]]), sets)
    assert (boxes.keys()[0] == boxes.keys()[1]).all()
    assert len(boxes.distinct()) == 1
    boxes = Boxes(space, -1 - boxes.lower, boxes.lower, sets)
    assert len(boxes.distinct()) == 1


# --- single boxes


def test_simplified_removes_bounds_that_the_space_implies():
    region = Region(SPACE, {"age": {">=": 0, "<=": 120}, "x": {"<": 5}})
    box = region.box.simplified()
    assert box.lower.tolist() == [[-np.finfo(float).max, -np.inf]]
    assert box.upper.tolist() == [[5.0, np.inf]]
    assert region.upper[1] == np.nextafter(120, 121)


def test_upper_bounds_that_admit_only_missing_values_have_one_form():
    space = Space([Continuous("age", bounds=(0, 120), missing=True)])
    sets = np.empty((3, 0), dtype=np.uint64)
    boxes = Boxes(space, np.full((3, 1), -np.inf), np.array([[-7.0], [0.0], [1.0]]), sets)
    assert boxes.settled().upper[:, 0].tolist() == [-np.finfo(float).max] * 2 + [1.0]
    assert boxes.take([2]).settled().upper[0, 0] == 1.0


@given(sts.spaces(3).flatmap(sts.regions))
def test_a_simplified_box_contains_the_same_cells_and_counts_its_conditions(region):
    space, box = region.space, region.box.simplified()
    assert cells_in(Region.from_box(box), [region]) == cells_in(region, [region])
    tests = box.tests()[0]
    named = {name for name, axis in zip(space.names, space.axes, strict=True) if tests[axis]}
    assert named == set(region.simplified().conditions())
    assert box.n_conditions().tolist() == [len(named)]
    for axis in range(len(space)):
        assert box.freed(axis).n_conditions()[0] == len(named) - tests[axis]
        assert region <= Region.from_box(box.freed(axis))


@given(sts.regions_of_one_space(5), st.sampled_from([0, 10_000]))
def test_boxes_contain_and_meet_each_other_as_their_cells_do(regions, small):
    boxes = simplified(regions)
    cells = [cells_in(region, regions) for region in regions]
    box, inside = boxes.take([0]), cells[0]
    met = [i for i in range(5) if cells[i] & inside]
    assert np.flatnonzero(boxes.meeting(box)).tolist() == met
    assert boxes.meeting_by_axis(box).all(axis=1).tolist() == boxes.meeting(box).tolist()
    assert [cells_in(r, regions) for r in regions_of(boxes & box)] == [
        cells[i] & inside for i in met
    ]
    lower, upper = np.maximum(boxes.lower, box.lower), np.minimum(boxes.upper, box.upper)
    rows = Boxes(box.space, lower, upper, boxes.masks & box.masks)
    assert np.flatnonzero(~rows.are_empty()).tolist() == met

    first = boxes.take(slice(3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_SMALL", small)
        contained = boxes.contains(first)
    assert contained.tolist() == [[b <= a for b in cells[:3]] for a in cells]
    assert contained.tolist() == [[b <= a for b in regions[:3]] for a in regions]
    assert boxes.meets(first).tolist() == [[bool(a & b) for b in cells[:3]] for a in cells]
    assert first.held_by_one(boxes.take(slice(3, None))).tolist() == contained[3:].any(0).tolist()
    pairs = np.array([(a, b) for a in range(5) for b in range(5)])
    within = boxes.inside(pairs[:, 0], pairs[:, 1])
    assert within.tolist() == [cells[a] <= cells[b] for a, b in pairs]

    hull = Region.from_box(boxes.hull())
    assert all(region <= hull for region in regions)
    for place, feature in enumerate(hull.space):
        values = {cell[place] for cell in cells_in(hull, regions)}
        expected = {cell[place] for cell in set().union(*cells)}
        if isinstance(feature, Categorical):
            assert values == expected
        else:
            assert (min(values), max(values)) == (min(expected), max(expected))


def test_many_pairs_and_many_values_are_all_compared(monkeypatch):
    monkeypatch.setattr(module, "_AT_ONCE", 3)
    boxes = RuleSet([Rule({"f": (0, i + 1)}, then="A") for i in range(8)]).boxes
    rows = np.arange(7)
    assert boxes.inside(rows, rows + 1).all()
    assert not boxes.inside(rows + 1, rows).any()
    a, b = Region(WIDE, {"w": {"v1", "v99"}}), Region(WIDE, {"w": {"v99"}})
    boxes = simplified([a, b, Region(WIDE, {"w": {"v2"}})])
    assert boxes.meeting(b.box).tolist() == [True, True, False]
    assert boxes.contains(b.box.simplified())[:, 0].tolist() == [True, True, False]
    assert [str(r) for r in regions_of(a.box.subtract(boxes.take([1])))] == ["w in {v1}"]
