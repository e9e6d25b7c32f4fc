"""Covers of few boxes: grow boxes among rivals, then choose a few that contain all pieces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from irenic.arrays import Bools, Ints
from irenic.boxes.boxes import Boxes
from irenic.budget import Budget, Meter

# Pieces that are grown at a time, and the maximum size of a matrix of boxes and rivals.
_MOST_PIECES: Final = 512
_MOST_CELLS: Final = 2_000_000
# Up to this many pieces, more orders of the features are tried: it costs little and saves boxes.
_FEW_PIECES: Final = 500
# The search for covered boxes: nodes per box, and the most boxes for which it is tried.
_COVER_NODES: Final = 2_000
_MOST_CHECKED: Final = 1_500


def small_cover(pieces: Boxes, limit: Boxes, rivals: Boxes, meter: Meter) -> Boxes:
    """Return few boxes that contain all pieces, lie inside the limit and overlap no rival.

    Each piece is grown; of the results, the boxes that contain the most pieces are chosen first.
    When the budget is used up, the remaining pieces are returned unchanged.
    """
    chosen: list[Boxes] = []
    while len(pieces):
        if meter.spent():
            meter.stopped_by = None
            chosen.append(pieces)
            break
        block = pieces.take(slice(_MOST_PIECES))
        n_orders = 6 if len(pieces) <= _FEW_PIECES else 2
        candidates = grown_many(block, limit, rivals, n_orders)
        best = candidates.take(greedy_cover(candidates.contains(block)))
        chosen.append(best)
        pieces = pieces.take(slice(_MOST_PIECES, None))
        pieces = pieces.take(~pieces.held_by_one(best))
    return Boxes.none(limit.space).concat(*chosen)


def grown_many(boxes: Boxes, limit: Boxes, rivals: Boxes, n_orders: int) -> Boxes:
    """Return the boxes grown in several orders of the axes, without duplicates."""
    natural = np.arange(len(boxes.space))
    rng = np.random.default_rng(0)  # fixed, so that equal calls return equal rules
    orders = [natural, natural[::-1], *(rng.permutation(natural) for _ in range(n_orders - 2))]
    rivals = rivals.near(limit)
    step = max(1, _MOST_CELLS // max(1, len(rivals)))
    grown_boxes = [
        grown(boxes.take(slice(start, start + step)), limit, rivals, order.tolist())
        for order in orders[:n_orders]
        for start in range(0, len(boxes), step)
    ]
    return Boxes.none(limit.space).concat(*grown_boxes).distinct()


def grown(boxes: Boxes, limit: Boxes, rivals: Boxes, order: Iterable[int]) -> Boxes:
    """Grow boxes, one axis after another, as far as the limit and the rivals allow.

    The boxes must lie inside the limit (a single box) and overlap no rival. So do the results,
    which cannot be enlarged on any side.
    """
    boxes = boxes.copy()
    lower, upper, masks = boxes.lower, boxes.upper, boxes.masks
    d, sets = lower.shape[1], boxes.space.sets
    apart = [~boxes.meets_on(axis, rivals) for axis in range(d + len(sets))]
    count = np.zeros((len(boxes), len(rivals)), dtype=np.int32)
    for apart_on_axis in apart:
        count += apart_on_axis
    for axis in order:
        stops = apart[axis] & (count == 1)  # no other axis separates these rivals
        if axis < d:
            below = stops & (rivals.upper[:, axis] <= lower[:, axis, None])
            above = stops & ~below
            start = np.where(below, rivals.upper[:, axis], -np.inf).max(axis=1, initial=-np.inf)
            stop = np.where(above, rivals.lower[:, axis], np.inf).min(axis=1, initial=np.inf)
            lower[:, axis] = np.maximum(start, limit.lower[0, axis])
            upper[:, axis] = np.minimum(stop, limit.upper[0, axis])
        else:
            for word in range(sets[axis - d].start, sets[axis - d].stop):
                taken = np.where(stops, rivals.masks[:, word], np.uint64(0))
                masks[:, word] = limit.masks[0, word] & ~np.bitwise_or.reduce(taken, axis=1)
        count -= apart[axis]
        apart[axis] = ~boxes.meets_on(axis, rivals)
        count += apart[axis]
    return boxes


def greedy_cover(
    contains: Bools, weights: Ints | None = None, most: int | None = None
) -> list[int]:
    """Return rows that together are True in every column in which any row is.

    Each is the one with the most columns that are left, by weight; there are at most ``most``.
    """

    def sizes(columns: Any) -> Any:
        part = contains[:, columns]
        return part.sum(axis=1) if weights is None else part @ weights[columns]

    gain = sizes(slice(None))
    left = np.ones(contains.shape[1], dtype=np.bool_)
    chosen: list[int] = []
    while len(gain) and gain.max() > 0 and len(chosen) != most:
        chosen.append(int(gain.argmax()))
        new = contains[chosen[-1]] & left
        gain -= sizes(new)
        left &= ~new
    return chosen


def without_covered(boxes: Boxes, meter: Meter) -> Boxes:
    """Return the boxes without those that the others cover, trying the narrowest ones first.

    The search for each box is short; a box is kept if it stays undecided.
    """
    if not 1 < len(boxes) <= _MOST_CHECKED:
        return boxes
    near = boxes.meets(boxes)
    kept = np.ones(len(boxes), dtype=np.bool_)
    for row in _narrowest_first(boxes):
        if meter.spent():
            break
        kept[row] = False
        short = Meter(Budget(nodes=_COVER_NODES))
        kept[row] = not boxes.take([row]).is_covered(boxes.take(near[row] & kept), short)
    meter.stopped_by = None  # the proof that follows reports whether the budget was used up
    return boxes.take(kept)


def _narrowest_first(boxes: Boxes) -> list[int]:
    """Return the rows of the boxes, those with the most bounds and fewest values first."""
    bounds = np.isfinite(boxes.lower).sum(axis=1) + np.isfinite(boxes.upper).sum(axis=1)
    absent = np.bitwise_count(boxes.space.everything & ~boxes.masks).sum(axis=1, dtype=np.int64)
    return [int(row) for row in np.argsort(-(bounds + absent), kind="stable")]
