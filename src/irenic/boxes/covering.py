"""Few boxes for many: boxes grown among rivals, and a few chosen that hold all of some."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from irenic.boxes.arrays import Bools
from irenic.boxes.boxes import Boxes
from irenic.budget import Budget, Meter

# How many boxes are grown and chosen from at a time, and cells of a matrix of boxes and rivals.
_MOST_PIECES: Final = 512
_MOST_CELLS: Final = 2_000_000
# Below so many pieces more orders of the features are tried: it costs little and saves boxes.
_FEW_PIECES: Final = 500
# Looking for boxes that others cover: nodes for one box, and how many boxes are looked at.
_COVER_NODES: Final = 2_000
_MOST_CHECKED: Final = 1_500


def covering(pieces: Boxes, limit: Boxes, rivals: Boxes, meter: Meter) -> Boxes:
    """Return few boxes that hold all pieces, lie inside the limit and meet no rival.

    Each piece is grown; of the results, the boxes that hold the most pieces are taken first.
    Where the budget ends, the rest of the pieces is returned as it is.
    """
    chosen: list[Boxes] = []
    while len(pieces):
        if meter.spent():
            meter.stopped_by = None
            chosen.append(pieces)
            break
        some = pieces.take(slice(_MOST_PIECES))
        n_orders = 6 if len(pieces) <= _FEW_PIECES else 2
        candidates = grown_many(some, limit, rivals, n_orders)
        best = candidates.take(greedy_cover(candidates.contains(some)))
        chosen.append(best)
        pieces = pieces.take(slice(_MOST_PIECES, None))
        pieces = pieces.take(~pieces.held_by_one(best))
    return Boxes.none(limit.space).concat(*chosen)


def grown_many(boxes: Boxes, limit: Boxes, rivals: Boxes, n_orders: int) -> Boxes:
    """Return boxes grown in several orders of the axes, without repetitions."""
    natural = np.arange(len(boxes.space))
    rng = np.random.default_rng(0)  # always the same orders: the same call, the same rules
    orders = [natural, natural[::-1], *(rng.permutation(natural) for _ in range(n_orders - 2))]
    rivals = rivals.take(rivals.meeting(limit))
    step = max(1, _MOST_CELLS // max(1, len(rivals)))
    grown_boxes = [
        grown(boxes.take(slice(start, start + step)), limit, rivals, order.tolist())
        for order in orders[:n_orders]
        for start in range(0, len(boxes), step)
    ]
    return Boxes.none(limit.space).concat(*grown_boxes).distinct()


def grown(boxes: Boxes, limit: Boxes, rivals: Boxes, order: Iterable[int]) -> Boxes:
    """Return boxes grown, one axis after another, as far as the limit and the rivals allow.

    The boxes lie inside the limit (a single box) and meet no rival; so do the results, which
    cannot be enlarged on any side.
    """
    boxes = boxes.copy()
    lower, upper, masks = boxes.lower, boxes.upper, boxes.masks
    d, sets = lower.shape[1], boxes.space.sets
    apart = [~boxes.meets_on(axis, rivals) for axis in range(d + len(sets))]
    count = np.zeros((len(boxes), len(rivals)), dtype=np.int32)
    for each in apart:
        count += each
    for axis in order:
        stops = apart[axis] & (count == 1)  # nothing else keeps these rivals away
        if axis < d:
            below = stops & (rivals.upper[:, axis] <= lower[:, axis, None])
            above = stops & ~below
            least = np.where(below, rivals.upper[:, axis], -np.inf).max(axis=1, initial=-np.inf)
            most = np.where(above, rivals.lower[:, axis], np.inf).min(axis=1, initial=np.inf)
            lower[:, axis] = np.maximum(least, limit.lower[0, axis])
            upper[:, axis] = np.minimum(most, limit.upper[0, axis])
        else:
            for word in range(sets[axis - d].start, sets[axis - d].stop):
                taken = np.where(stops, rivals.masks[:, word], np.uint64(0))
                masks[:, word] = limit.masks[0, word] & ~np.bitwise_or.reduce(taken, axis=1)
        count -= apart[axis]
        apart[axis] = ~boxes.meets_on(axis, rivals)
        count += apart[axis]
    return boxes


def greedy_cover(holds: Bools) -> list[int]:
    """Return rows that together have a true cell in every column that has one."""
    gain = holds.sum(axis=1)
    left = np.ones(holds.shape[1], dtype=np.bool_)
    chosen: list[int] = []
    while len(gain) and gain.max() > 0:
        best = int(gain.argmax())
        chosen.append(best)
        fresh = holds[best] & left
        gain -= holds[:, fresh].sum(axis=1)
        left &= ~fresh
    return chosen


def without_covered(boxes: Boxes, meter: Meter) -> Boxes:
    """Return the boxes without those that the others cover, the narrowest looked at first.

    Each look is short: a box that cannot be decided soon stays.
    """
    if not 1 < len(boxes) <= _MOST_CHECKED:
        return boxes
    near = boxes.meets(boxes)
    kept = np.ones(len(boxes), dtype=np.bool_)
    for row in _narrowest_first(boxes):
        if meter.spent():
            break
        kept[row] = False
        look = Meter(Budget(nodes=_COVER_NODES))
        kept[row] = not boxes.take([row]).is_covered(boxes.take(near[row] & kept), look)
    meter.stopped_by = None  # the proof that follows says whether the budget is used up
    return boxes.take(kept)


def _narrowest_first(boxes: Boxes) -> list[int]:
    """Return the rows of boxes, those with the most bounds and the fewest values first."""
    bounds = np.isfinite(boxes.lower).sum(axis=1) + np.isfinite(boxes.upper).sum(axis=1)
    absent = np.bitwise_count(boxes.space.everything & ~boxes.masks).sum(axis=1, dtype=np.int64)
    return [int(row) for row in np.argsort(-(bounds + absent), kind="stable")]
