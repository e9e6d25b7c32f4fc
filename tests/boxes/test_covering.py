"""Covers of few boxes, compared with loops over the cells of a grid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies as sts
from irenic import Region
from irenic.boxes import Boxes, covering
from irenic.budget import Meter

pytestmark = pytest.mark.kernels


def as_boxes(regions):
    return Boxes.none(regions[0].space).concat(*(region.box.simplified() for region in regions))


@given(sts.regions_of_one_space(6), st.data())
@sts.examples(0.6)
def test_a_grown_box_is_free_and_cannot_be_enlarged(regions, data):
    boxes, space = as_boxes(regions), regions[0].space
    box, rivals = boxes.take([0]), boxes.take(slice(1, None))
    rivals = rivals.take(~rivals.meeting(box))
    order = data.draw(st.permutations(range(len(space))))
    grown = Region.from_box(covering.grown(box, Boxes.whole(space), rivals, order))
    assert regions[0] <= grown
    rival_regions = Region.from_boxes(rivals)
    assert not any(grown.overlaps(rival) for rival in rival_regions)
    # enlarging it by one adjacent value of a feature would overlap a rival
    axes = naive.grid(space, [*regions, grown])
    inside = [
        [v for v in axis if naive.allows(grown, f, v)] for f, axis in zip(space, axes, strict=True)
    ]
    for place, feature in enumerate(space):
        for value in set(axes[place]) - set(inside[place]):
            if is_adjacent(feature, axes[place], grown, value):
                cells = naive.cells_of([*inside[:place], [value], *inside[place + 1 :]])
                assert any(naive.holds(r, cell) for r in rival_regions for cell in cells)


def is_adjacent(feature, axis, region, value):
    """Return whether a region stays a box with this value: a category, or next to a bound."""
    if not hasattr(feature, "kind"):
        return True
    place = axis.index(value)
    return any(
        0 <= i < len(axis) and naive.allows(region, feature, axis[i])
        for i in (place - 1, place + 1)
    )


@given(sts.regions_of_one_space(8))
@sts.examples(0.6)
def test_a_cover_contains_all_pieces_and_overlaps_no_rival(regions):
    boxes = as_boxes(regions)
    rivals, pieces = boxes.take(slice(5, None)), boxes.take(slice(5))
    pieces = pieces.take(~pieces.meets(rivals).any(axis=1))
    limit = Boxes.whole(boxes.space)
    cover = covering.small_cover(pieces, limit, rivals, Meter(None))
    assert len(cover) <= len(pieces)
    assert not cover.meets(rivals).any()
    assert pieces.held_by_one(cover).all()
    assert len(covering.small_cover(pieces, limit, rivals, Meter(0))) == len(pieces)


@given(sts.regions_of_one_space(5))
@sts.examples(0.6)
def test_boxes_that_others_cover_are_removed(regions):
    kept = covering.without_covered(as_boxes(regions), Meter(None))
    kept_regions = Region.from_boxes(kept)
    axes = naive.grid(kept.space, regions)
    cells = [naive.cells(region, axes) for region in kept_regions]
    assert set().union(*cells) == set().union(*(naive.cells(region, axes) for region in regions))
    for i, mine in enumerate(cells):
        assert mine - set().union(*cells[:i], *cells[i + 1 :])


@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), max_size=5))
def test_greedy_rows_cover_every_column_that_any_row_covers(cells):
    contains = np.array(cells, dtype=bool).reshape(-1, 4)
    chosen = covering.greedy_cover(contains)
    assert len(set(chosen)) == len(chosen)
    assert (contains[chosen].any(axis=0) == contains.any(axis=0)).all()
