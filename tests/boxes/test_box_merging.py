"""Merging of adjacent boxes whose union is a box."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irenic import Categorical, Continuous, Region, Rule, RuleSet, Space
from irenic.boxes import Boxes
from irenic.budget import Meter

pytestmark = pytest.mark.kernels

CELLS = Space([Continuous("x"), Continuous("y"), Categorical("c", ["a", "b"])])


def grid_boxes(cells):
    """Return unit cells ``(x, y, bits)`` as boxes."""
    lower = np.array([[x, y] for x, y, _ in cells], dtype=float)
    masks = np.array([[bits] for _, _, bits in cells], dtype=np.uint64)
    return Boxes(CELLS, lower, lower + 1, masks)


def texts(boxes):
    return [repr(Region.from_box(box)) for box in boxes]


def test_only_cells_whose_union_is_a_box_are_merged():
    block = [(x, y, bits) for x in range(3) for y in range(2) for bits in (4, 8)]
    assert texts(grid_boxes(block).merged()) == ["0 <= x < 3 and 0 <= y < 2"]
    corners = ["0 <= x < 1 and 0 <= y < 1 and c in {a}", "1 <= x < 2 and 1 <= y < 2 and c in {a}"]
    assert texts(grid_boxes([(1, 1, 4), (0, 0, 4)]).merged()) == corners
    assert len(grid_boxes([(0, 0, 4), (2, 0, 4)]).merged()) == 2  # with a gap between them
    assert len(Boxes.none(CELLS).merged()) == 0
    boxes = grid_boxes([(0, 0, 4), (1, 0, 4)])
    boxes.lower[1, 1] = -0.0
    assert texts(boxes.merged()) == ["0 <= x < 2 and 0 <= y < 1 and c in {a}"]


def test_merging_stops_when_the_seconds_are_used_up():
    boxes = RuleSet([Rule({"f0": (i, i + 1)}, then="A") for i in range(11)]).boxes
    assert len(boxes.merged()) == 1
    assert len(boxes.merged(Meter(60.0))) == 1
    assert len(boxes.merged(Meter(0.0))) == 11


@given(
    st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([4, 8])), min_size=1),
    st.randoms(use_true_random=False),
)
def test_merged_boxes_contain_the_same_cells_in_any_order(cells, random):
    shuffled = sorted(cells)
    random.shuffle(shuffled)
    result = grid_boxes(shuffled).merged()
    contained = [
        (x, y, bits)
        for low, high, (mask,) in zip(result.lower, result.upper, result.masks, strict=True)
        for x in range(int(low[0]), int(high[0]))
        for y in range(int(low[1]), int(high[1]))
        for bits in (4, 8)
        if int(mask) & bits
    ]
    assert sorted(contained) == sorted(cells)
    assert texts(result) == texts(grid_boxes(sorted(cells)).merged())
    assert len(result.merged()) == len(result)
