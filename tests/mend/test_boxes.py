"""Boxes by the hundred, each function against a loop over the cells or over the boxes."""

from __future__ import annotations

import numpy as np
import pytest
from grid_cells import cells_of
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies as sts
from irenic import Region, Rule
from irenic.budget import Meter
from irenic.mend import _boxes as mod
from irenic.model.cutting import Boxes

pytestmark = pytest.mark.kernels


def as_boxes(regions):
    space = regions[0].space
    return space, mod.joined(space, [Boxes.of_region(region) for region in regions])


@pytest.mark.parametrize("small", [0, 10_000])
@given(regions=sts.regions_of_one_space(7))
def test_boxes_are_compared_as_regions_are(small, regions):
    space, boxes = as_boxes(regions)
    before, mod._SMALL = mod._SMALL, small
    try:
        inside = mod.containing(boxes, boxes.take(slice(4)))
    finally:
        mod._SMALL = before
    assert inside.tolist() == [[b <= a for b in regions[:4]] for a in regions]
    meets = mod.meeting(space, boxes, boxes.take(slice(4)))
    assert meets.tolist() == [[a.overlaps(b) for b in regions[:4]] for a in regions]
    shared, met = mod.common(space, boxes, boxes.take([0]))
    assert met.tolist() == [i for i, region in enumerate(regions) if region.overlaps(regions[0])]
    for row, i in enumerate(met):
        assert shared.region(space, row) == regions[i] & regions[0]


@given(sts.regions_of_one_space(7), st.data())
def test_a_grown_box_is_free_and_cannot_be_enlarged(regions, data):
    space, boxes = as_boxes(regions)
    box, limit, rivals = boxes.take([0]), Boxes.of_region(Region(space)), boxes.take(slice(1, None))
    rivals = rivals.take(~rivals.meeting(space, box))
    n_axes = len(space)
    order = data.draw(st.permutations(range(n_axes)))
    grown = mod.grown(space, box, limit, rivals, order).region(space)
    assert regions[0] <= grown
    away = [rivals.region(space, row) for row in range(len(rivals.low))]
    assert not any(grown.overlaps(rival) for rival in away)
    # a cell beside it that differs on one feature only is taken, with all the box beside it
    axes = naive.grid(space, [*regions, grown])
    for place, feature in enumerate(space):
        for value in axes[place]:
            if not naive.allows(grown, feature, value):
                slab = [
                    [v for v in a if naive.allows(grown, f, v)] if i != place else [value]
                    for i, (f, a) in enumerate(zip(space, axes, strict=True))
                ]
                if neighbour(feature, axes[place], grown, value):
                    cells = naive.cells_of(slab)
                    assert any(naive.holds(r, cell) for r in away for cell in cells)


def neighbour(feature, axis, region, value):
    """Return whether a box can be enlarged by this one value: next to it, or any category."""
    if not hasattr(feature, "kind"):
        return True
    place = axis.index(value)
    return any(
        0 <= i < len(axis) and naive.allows(region, feature, axis[i])
        for i in (place - 1, place + 1)
    )


@given(sts.regions_of_one_space(8))
def test_a_covering_holds_all_pieces_and_meets_no_rival(regions):
    space, boxes = as_boxes(regions)
    rivals = boxes.take(slice(5, None))
    pieces = boxes.take(slice(5))
    pieces = pieces.take(~mod.meeting(space, pieces, rivals).any(axis=1))
    limit = Boxes.of_region(Region(space))
    found = mod.covering(space, pieces, limit, rivals, Meter(None))
    assert len(found.low) <= len(pieces.low)
    assert not mod.meeting(space, found, rivals).any()
    assert mod.held_by_one(found, pieces).all()
    as_it_is = mod.covering(space, pieces, limit, rivals, Meter(0))
    assert len(as_it_is.low) == len(pieces.low)


@given(sts.regions_of_one_space(6))
def test_boxes_that_others_cover_are_left_out(regions):
    space, boxes = as_boxes(regions)
    kept = mod.without_covered(space, boxes, Meter(None))
    left = [kept.region(space, row) for row in range(len(kept.low))]
    cells = cells_of(space, [Rule(region, then="A") for region in regions])
    for cell in cells:
        assert any(naive.holds(r, cell) for r in left) is any(naive.holds(r, cell) for r in regions)
    for i in range(len(left)):
        others = left[:i] + left[i + 1 :]
        mine = [cell for cell in cells if naive.holds(left[i], cell)]
        assert any(not any(naive.holds(r, cell) for r in others) for cell in mine)


@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), max_size=5))
def test_greedy_rows_cover_every_column_that_can_be(cells):
    holds = np.array(cells, dtype=bool).reshape(-1, 4)
    chosen = mod.greedy_cover(holds)
    assert len(set(chosen)) == len(chosen)
    assert (holds[chosen].any(axis=0) == holds.any(axis=0)).all()


@given(sts.regions_of_one_space(3))
def test_boxes_are_told_apart(regions):
    _, boxes = as_boxes([*regions, *regions])
    assert len(mod.distinct(boxes).low) == len(set(regions))
