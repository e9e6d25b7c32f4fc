"""Boxes by the hundred: which lie in which, grown among rivals, and a few chosen to cover many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from irenic.budget import Budget, Meter
from irenic.model.cutting import Boxes, is_covered
from irenic.model.region import Region
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet
from irenic.model.space import Space

Bools: TypeAlias = npt.NDArray[np.bool_]
Ints: TypeAlias = npt.NDArray[np.intp]

# How many boxes are grown and chosen from at a time, and cells of a matrix of boxes and rivals.
_MOST_PIECES: Final = 512
_MOST_CELLS: Final = 2_000_000
# Large boxes that are compared with small ones at a time: what one of them holds is done with.
_BLOCK: Final = 128
# Matrices up to this size are not worth thinning out.
_SMALL: Final = 10_000
# Below so many pieces more orders of the features are tried: it costs little and saves boxes.
_FEW_PIECES: Final = 500
# Looking for boxes that others cover: nodes for one box, and how many boxes are looked at.
_COVER_NODES: Final = 2_000
_MOST_CHECKED: Final = 1_500


# --- making and joining


def boxes_of(rules: RuleSet) -> Boxes:
    """Return the regions of all rules of a set."""
    return Boxes.of_rules(rules.packed, np.ones(len(rules), dtype=np.bool_))


def whole(space: Space) -> Boxes:
    """Return the box that holds everything."""
    return Boxes.of_region(Region(space))


def no_boxes(space: Space) -> Boxes:
    """Return no box at all, in arrays of the right shape."""
    return whole(space).take(slice(0))


def joined(space: Space, parts: Iterable[Boxes]) -> Boxes:
    """Return the boxes of all parts, one after another."""
    found = [part for part in parts if len(part.low)]
    if not found:
        return no_boxes(space)
    return Boxes(*(np.concatenate(columns) for columns in zip(*found, strict=True)))


def bits_of(boxes: Boxes) -> npt.NDArray[np.uint64]:
    """Return boxes as rows of 64-bit numbers that are equal where the boxes are."""
    # adding 0 turns -0.0 into 0.0, which compares equal and has other bits
    low, high = (boxes.low + 0.0).view(np.uint64), (boxes.high + 0.0).view(np.uint64)
    return np.hstack([low, high, boxes.masks])


def distinct(boxes: Boxes) -> Boxes:
    """Return the boxes without repetitions, in the order of their first occurrence."""
    if len(boxes.low) < 2:
        return boxes
    if not boxes.low.shape[1] + boxes.masks.shape[1]:  # a space without features has one box
        return boxes.take(slice(1))
    _, first = np.unique(bits_of(boxes), axis=0, return_index=True)
    return boxes.take(np.sort(first))


def common(space: Space, boxes: Boxes, box: Boxes) -> tuple[Boxes, Ints]:
    """Return what each of the boxes has in common with a single one, and which of them do."""
    met = np.flatnonzero(boxes.meeting(space, box))
    near = boxes.take(met)
    low, high = np.maximum(near.low, box.low), np.minimum(near.high, box.high)
    return Boxes(low, high, near.masks & box.masks), met


def rules_of(
    space: Space, boxes: Boxes, thens: Sequence[Any], known: Iterable[Rule] = ()
) -> list[Rule]:
    """Return boxes as rules; one that equals a known rule is that rule, as it was written."""
    as_written = {(rule.region, rule.then): rule for rule in reversed(list(known))}
    made = []
    for row, then in enumerate(thens):
        region = boxes.region(space, row)
        made.append(as_written.get((region, then)) or Rule(region, then=then))
    return made


# --- comparing


def containing(large: Boxes, small: Boxes) -> Bools:
    """Return which of the large boxes hold which of the small ones: ``[large, small]``."""
    held = np.ones((len(large.low), len(small.low)), dtype=np.bool_)
    pairs: tuple[Ints, Ints] | None = None
    d, words = large.low.shape[1], large.masks.shape[1]
    for axis in range(d + words):
        # few pairs are left after some axes: the rest of the matrix need not be looked at
        if pairs is None and held.size > _SMALL and held.sum() * 8 < held.size:
            rows, columns = np.nonzero(held)
            pairs = rows, columns
        big, tiny = (np.s_[:, None], np.s_[:]) if pairs is None else pairs
        if axis < d:
            fits = large.low[:, axis][big] <= small.low[:, axis][tiny]
            fits &= small.high[:, axis][tiny] <= large.high[:, axis][big]
        else:
            fits = (small.masks[:, axis - d][tiny] & ~large.masks[:, axis - d][big]) == 0
        if pairs is None:
            held &= fits
        else:
            pairs = pairs[0][fits], pairs[1][fits]
    if pairs is not None:
        held[:] = False
        held[pairs] = True
    return held


def meeting(space: Space, boxes: Boxes, others: Boxes) -> Bools:
    """Return which boxes have a point in common with which others: ``[box, other]``."""
    found = np.ones((len(boxes.low), len(others.low)), dtype=np.bool_)
    for axis in range(boxes.low.shape[1]):
        found &= boxes.low[:, axis, None] < others.high[:, axis]
        found &= others.low[:, axis] < boxes.high[:, axis, None]
    for a, b in pairwise(space.starts.tolist()):
        shared = np.zeros_like(found)
        for word in range(a, b):
            shared |= (boxes.masks[:, word, None] & others.masks[:, word]) != 0
        found &= shared
    return found


def without_covered(space: Space, boxes: Boxes, meter: Meter) -> Boxes:
    """Return the boxes without those that the others cover, the narrowest looked at first.

    Each look is short: a box of which it cannot be told soon stays.
    """
    if not 1 < len(boxes.low) <= _MOST_CHECKED:
        return boxes
    near = meeting(space, boxes, boxes)
    kept = np.ones(len(boxes.low), dtype=np.bool_)
    for row in _narrowest_first(space, boxes):
        if meter.spent():
            break
        kept[row] = False
        look = Meter(Budget(nodes=_COVER_NODES))
        others = boxes.take(near[row] & kept)
        kept[row] = not is_covered(space, boxes.take([row]), others, look)
    meter.stopped_by = None  # the proof that follows says whether the budget is used up
    return boxes.take(kept)


def _narrowest_first(space: Space, boxes: Boxes) -> list[int]:
    """Return the places of boxes, those with the most bounds and the fewest values first."""
    bounds = np.isfinite(boxes.low).sum(axis=1) + np.isfinite(boxes.high).sum(axis=1)
    absent = np.bitwise_count(space.everything & ~boxes.masks).sum(axis=1, dtype=np.int64)
    return [int(row) for row in np.argsort(-(bounds + absent), kind="stable")]


# --- growing


def grown(space: Space, boxes: Boxes, limit: Boxes, rivals: Boxes, order: Iterable[int]) -> Boxes:
    """Return boxes grown, one axis after another, as far as the limit and the rivals allow.

    The boxes lie inside the limit (a single box) and meet no rival; so do the results, which
    cannot be enlarged on any side.
    """
    low, high, masks = boxes.copy()
    d, sets = low.shape[1], list(pairwise(space.starts.tolist()))

    def apart_on(axis: int) -> Bools:
        if axis < d:
            left: Bools = rivals.high[:, axis] <= low[:, axis, None]
            return left | (rivals.low[:, axis] >= high[:, axis, None])
        a, b = sets[axis - d]
        shared = np.zeros((len(low), len(rivals.low)), dtype=np.bool_)
        for word in range(a, b):
            shared |= (rivals.masks[:, word] & masks[:, word, None]) != 0
        return ~shared

    apart = [apart_on(axis) for axis in range(d + len(sets))]
    count = np.zeros((len(low), len(rivals.low)), dtype=np.int32)
    for each in apart:
        count += each
    for axis in order:
        stops = apart[axis] & (count == 1)  # nothing else keeps these rivals away
        if axis < d:
            below = stops & (rivals.high[:, axis] <= low[:, axis, None])
            above = stops & ~below
            least = np.where(below, rivals.high[:, axis], -np.inf).max(axis=1, initial=-np.inf)
            most = np.where(above, rivals.low[:, axis], np.inf).min(axis=1, initial=np.inf)
            low[:, axis] = np.maximum(least, limit.low[0, axis])
            high[:, axis] = np.minimum(most, limit.high[0, axis])
        else:
            for word in range(*sets[axis - d]):
                taken = np.where(stops, rivals.masks[:, word], np.uint64(0))
                masks[:, word] = limit.masks[0, word] & ~np.bitwise_or.reduce(taken, axis=1)
        count -= apart[axis]
        apart[axis] = apart_on(axis)
        count += apart[axis]
    return Boxes(low, high, masks)


def grown_many(space: Space, boxes: Boxes, limit: Boxes, rivals: Boxes, n_orders: int) -> Boxes:
    """Return boxes grown in several orders of the axes, without repetitions."""
    n_axes = boxes.low.shape[1] + len(space.starts) - 1
    natural = np.arange(n_axes)
    rng = np.random.default_rng(0)  # always the same orders: the same call, the same rules
    orders = [natural, natural[::-1], *(rng.permutation(n_axes) for _ in range(n_orders - 2))]
    rivals = rivals.take(rivals.meeting(space, limit))
    step = max(1, _MOST_CELLS // max(1, len(rivals.low)))
    found = [
        grown(space, boxes.take(slice(start, start + step)), limit, rivals, order.tolist())
        for order in orders[:n_orders]
        for start in range(0, len(boxes.low), step)
    ]
    return distinct(joined(space, found))


def covering(space: Space, pieces: Boxes, limit: Boxes, rivals: Boxes, meter: Meter) -> Boxes:
    """Return few boxes that hold all pieces, lie inside the limit and meet no rival.

    Each piece is grown; of what comes out, the boxes that hold the most pieces are taken first.
    Where the budget ends, the rest of the pieces is returned as it is.
    """
    chosen: list[Boxes] = []
    while len(pieces.low):
        if meter.spent():
            meter.stopped_by = None
            chosen.append(pieces)
            break
        some = pieces.take(slice(_MOST_PIECES))
        n_orders = 6 if len(pieces.low) <= _FEW_PIECES else 2
        candidates = grown_many(space, some, limit, rivals, n_orders)
        best = candidates.take(greedy_cover(containing(candidates, some)))
        chosen.append(best)
        pieces = pieces.take(slice(_MOST_PIECES, None))
        pieces = pieces.take(~held_by_one(best, pieces))
    return joined(space, chosen)


def held_by_one(large: Boxes, small: Boxes) -> Bools:
    """Return which of the small boxes lie inside a single one of the large ones."""
    found = np.zeros(len(small.low), dtype=np.bool_)
    for start in range(0, len(large.low), _BLOCK):
        left = np.flatnonzero(~found)
        if not len(left):
            break
        some = large.take(slice(start, start + _BLOCK))
        found[left] = containing(some, small.take(left)).any(axis=0)
    return found


def greedy_cover(holds: Bools) -> list[int]:
    """Return places of rows that together have a true cell in every column that has one."""
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
