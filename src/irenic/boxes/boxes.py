"""The array of boxes, and what is asked of boxes alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from irenic.boxes.arrays import LOWEST, Bools, Floats, Ints, Words
from irenic.boxes.cutting import Cutter
from irenic.boxes.merging import merged_rows
from irenic.budget import Meter

if TYPE_CHECKING:
    from irenic.model.space import Space

# Pairs of boxes that are compared together: millions of pairs of wide boxes fill the memory.
_AT_ONCE: Final = 100_000
# Large boxes that are compared with small ones at a time: what one of them holds is done with.
_BLOCK: Final = 128
# Matrices of up to this many pairs are not worth thinning out.
_SMALL: Final = 10_000


class Boxes:
    """Boxes in a space, with a row each.

    Box ``b`` holds the points with ``lower[b, i] <= f < upper[b, i]`` for every continuous feature
    ``i`` and a value among the bits ``masks[b, space.sets[j]]`` of every categorical feature ``j``.
    The axes of a box are its features, continuous ones first. None of the boxes is empty, and
    masks have bits of values that can occur only; methods that say so expect boxes that are
    :meth:`simplified`.

    Parameters
    ----------
    space : Space
    lower, upper : array of shape (boxes, continuous features)
    masks : array of uint64 of shape (boxes, ``space.n_words``)
        The arrays are taken over as they are, in any memory layout.

    Examples
    --------
    >>> from irenic import Continuous, Region, Space
    >>> space = Space([Continuous("f1")])
    >>> boxes = Region(space, {"f1": (0, 3)}).box.concat(Region(space, {"f1": (5, 9)}).box)
    >>> boxes
    <Boxes: 2 in 1 feature>
    >>> [Region.from_box(box) for box in boxes & Region(space, {"f1": (2, 7)}).box]
    [2 <= f1 < 3, 5 <= f1 < 7]
    """

    __slots__ = ("lower", "masks", "space", "upper")

    def __init__(self, space: Space, lower: Floats, upper: Floats, masks: Words) -> None:
        self.space, self.lower, self.upper, self.masks = space, lower, upper, masks

    @classmethod
    def none(cls, space: Space) -> Boxes:
        """Return no boxes at all."""
        bounds = np.empty((0, len(space.continuous)))
        return cls(space, bounds, bounds, np.empty((0, space.n_words), dtype=np.uint64))

    @classmethod
    def whole(cls, space: Space) -> Boxes:
        """Return the one box that holds everything."""
        bounds = np.full((1, len(space.continuous)), np.inf)
        return cls(space, -bounds, bounds, space.everything[None].copy())

    # --- as a collection

    def __len__(self) -> int:
        return len(self.masks)

    def __iter__(self) -> Iterator[Boxes]:
        """Yield each box as boxes of length 1 with arrays of their own."""
        return (self.take([row]) for row in range(len(self)))

    def __repr__(self) -> str:
        features = len(self.space)
        return f"<Boxes: {len(self)} in {features} feature{'' if features == 1 else 's'}>"

    def __reduce__(self) -> Any:
        return Boxes, (self.space, self.lower, self.upper, self.masks)

    def like(self, lower: Floats, upper: Floats, masks: Words) -> Boxes:
        """Return other boxes in the same space."""
        return Boxes(self.space, lower, upper, masks)

    def take(self, rows: Any) -> Boxes:
        """Return the boxes at the given rows (a slice, indices or a boolean mask)."""
        return Boxes(self.space, self.lower[rows], self.upper[rows], self.masks[rows])

    def copy(self) -> Boxes:
        """Return boxes that can be changed on their own."""
        return self.like(self.lower.copy(), self.upper.copy(), self.masks.copy())

    def concat(self, *others: Boxes) -> Boxes:
        """Return these boxes and others of the same space, one after another."""
        parts = [part for part in (self, *others) if len(part)]
        if len(parts) < 2:
            return parts[0] if parts else self
        return self.like(
            np.concatenate([part.lower for part in parts]),
            np.concatenate([part.upper for part in parts]),
            np.concatenate([part.masks for part in parts]),
        )

    def keys(self) -> Words:
        """Return the boxes as rows of 64-bit words, equal where the boxes have equal bounds.

        Boxes that hold the same points have equal keys if they are simplified.
        """
        d = self.lower.shape[1]
        keys = np.empty((len(self), 2 * d + self.masks.shape[1]), dtype=np.uint64)
        bounds = keys[:, : 2 * d].view(np.float64)
        # adding 0 turns -0.0 into 0.0, which compares equal and has other bits
        np.add(self.lower, 0.0, out=bounds[:, :d])
        np.add(self.upper, 0.0, out=bounds[:, d:])
        keys[:, 2 * d :] = self.masks
        return keys

    def key_columns(self) -> list[list[int]]:
        """Return the columns of :meth:`keys` that belong to each axis."""
        d = self.lower.shape[1]
        intervals = [[axis, d + axis] for axis in range(d)]
        return intervals + [list(range(2 * d + s.start, 2 * d + s.stop)) for s in self.space.sets]

    def distinct(self) -> Boxes:
        """Return the boxes without repetitions, in the order of their first occurrence."""
        if len(self) < 2:
            return self
        if not len(self.space):  # a space without features has one box
            return self.take(slice(1))
        _, first = np.unique(self.keys(), axis=0, return_index=True)
        return self.take(np.sort(first))

    # --- each box

    def simplified(self) -> Boxes:
        """Return the boxes with bounds left open that always hold in the space.

        What is left are cuts between values that can occur, so any two of them that differ hold
        a point between them.
        """
        space = self.space
        implied = (self.lower <= space.lowest) & (self.lower > -np.inf)
        lower = np.where(implied, space.bottom, self.lower)
        upper = np.where(self.upper >= space.end, np.inf, self.upper)
        # arrays of their own, even where nothing changes
        masks = np.array(self.masks, order="C")
        return self.like(np.ascontiguousarray(lower), np.ascontiguousarray(upper), masks)

    def settled(self) -> Boxes:
        """Return the boxes with every upper bound that admits only missing values in one form."""
        gap = (self.upper > LOWEST) & (self.upper <= self.space.lowest)
        if not gap.any():
            return self
        return self.like(self.lower, np.where(gap, LOWEST, self.upper), self.masks)

    def are_empty(self) -> Bools:
        """Return which rows, of bounds that were given, hold no point of the space."""
        space = self.space
        possible = np.maximum(self.lower, space.lowest) < np.minimum(self.upper, space.end)
        if not possible.all():  # only a missing value may be left
            possible |= space.may_be_missing & (self.lower == -np.inf) & (self.upper > -np.inf)
        return np.logical_not(self._with_values(possible.all(axis=1), self.masks))

    def tests(self) -> Bools:
        """Return which boxes have a condition on which axis: ``[box, axis]``."""
        bounded = (self.lower > -np.inf) | (self.upper < np.inf)
        return np.hstack([bounded, self._any(self.masks != self.space.everything)])

    def _any(self, words: Bools) -> Bools:
        """Return for each box and categorical feature whether one of its words is marked."""
        if words.shape[1] == len(self.space.sets):
            return words
        return np.logical_or.reduceat(words, self.space.starts[:-1], axis=1)

    def _with_values(self, rows: Any, masks: Words) -> Bools:
        """Return which of some rows have a value of every categorical feature, too."""
        found: Bools = rows & self._any(masks != 0).all(axis=1) if self.space.sets else rows
        return found

    def n_conditions(self) -> Ints:
        """Return on how many axes each box has a condition."""
        return np.asarray(self.tests().sum(axis=1, dtype=np.int64))

    def freed(self, axis: int) -> Boxes:
        """Return the boxes without their condition on an axis."""
        freed = self.copy()
        d = self.lower.shape[1]
        if axis < d:
            freed.lower[:, axis], freed.upper[:, axis] = -np.inf, np.inf
        else:
            words = self.space.sets[axis - d]
            freed.masks[:, words] = self.space.everything[words]
        return freed

    def hull(self) -> Boxes:
        """Return the smallest box that holds all of the boxes."""
        return self.like(
            self.lower.min(axis=0, keepdims=True),
            self.upper.max(axis=0, keepdims=True),
            np.bitwise_or.reduce(self.masks, axis=0, keepdims=True),
        )

    # --- boxes and a single one

    def __and__(self, box: Boxes) -> Boxes:
        """Return what boxes have in common with a single one, of those that meet it."""
        lower, upper = np.maximum(self.lower, box.lower), np.minimum(self.upper, box.upper)
        masks = self.masks & box.masks
        found = self._with_values((lower < upper).all(axis=1), masks)
        shared = self.like(lower, upper, masks)
        return shared if found.all() else shared.take(found)

    def meeting_by_axis(self, box: Boxes) -> Bools:
        """Return which boxes have something in common with a single one on which axis."""
        meets = (self.lower < box.upper) & (box.lower < self.upper)
        return np.hstack([meets, self._any((self.masks & box.masks) != 0)])

    def meeting(self, box: Boxes) -> Bools:
        """Return which boxes have a point in common with a single one."""
        meets = (self.lower < box.upper) & (box.lower < self.upper)
        return self._with_values(meets.all(axis=1), self.masks & box.masks)

    def within(self, box: Boxes) -> Bools:
        """Return which boxes lie in a single one, or in those at the same rows; all simplified."""
        fits = ((self.lower >= box.lower) & (self.upper <= box.upper)).all(axis=1)
        return np.asarray(fits & ((self.masks & ~box.masks) == 0).all(axis=1))

    def is_covered(self, by: Boxes, meter: Meter | None = None) -> bool | None:
        """Return whether others together cover this single box; both are simplified.

        Returns
        -------
        bool or None
            None if the meter's budget ended the search.
        """
        meter = meter or Meter(None)
        cutter = Cutter(by.take(by.meeting(self)), self, first=True)
        if any(found for found in cutter.bursts(meter)):
            return False
        return True if meter.stopped_by is None else None

    def subtract(self, others: Boxes, meter: Meter | None = None) -> Boxes:
        """Return what of this single box no other covers, as disjoint boxes; all simplified.

        Neighbors are merged. If the meter's budget ends the search, it says so and only a part is
        returned, unmerged.
        """
        meter = meter or Meter(None)
        cutter = Cutter(others.take(others.meeting(self)), self)
        for _ in cutter.bursts(meter):
            pass
        left = cutter.boxes()
        return left if meter.stopped_by is not None else left.merged(meter)

    # --- boxes among each other

    def merged(self, meter: Meter | None = None) -> Boxes:
        """Return disjoint boxes with neighbors that together make a box merged, sorted.

        When the meter's seconds are used up, boxes that could be one stay two.
        """
        if not len(self.space):
            return self
        d = self.lower.shape[1]
        keys = merged_rows(self.keys(), self.key_columns(), d, meter)
        lower, upper = (keys[:, part].view("f8") for part in (slice(d), slice(d, 2 * d)))
        boxes = self.like(lower.copy(), upper.copy(), keys[:, 2 * d :].copy())
        return boxes.take(np.lexsort((*boxes.masks.T[::-1], *boxes.lower.T[::-1])))

    def inside(self, small: Any, large: Any) -> Bools:
        """Return which boxes at the rows ``small`` lie in those at the rows ``large``, in turn."""
        found = np.ones(len(small), dtype=np.bool_)
        for start in range(0, len(small), _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            found[some] = self.take(small[some]).within(self.take(large[some]))
        return found

    def contains(self, others: Boxes) -> Bools:
        """Return which boxes hold which others: ``[box, other]``; both are simplified."""
        held = np.ones((len(self), len(others)), dtype=np.bool_)
        pairs: tuple[Any, Any] | None = None
        d = self.lower.shape[1]
        for axis in range(d + self.masks.shape[1]):
            # few pairs are left after some axes: the rest of the matrix need not be looked at
            if pairs is None and held.size > _SMALL and held.sum() * 8 < held.size:
                rows, columns = np.nonzero(held)
                pairs = rows, columns
            large, small = (np.s_[:, None], np.s_[:]) if pairs is None else pairs
            if axis < d:
                fits = self.lower[:, axis][large] <= others.lower[:, axis][small]
                fits &= others.upper[:, axis][small] <= self.upper[:, axis][large]
            else:
                word = axis - d
                fits = (others.masks[:, word][small] & ~self.masks[:, word][large]) == 0
            if pairs is None:
                held &= fits
            else:
                pairs = pairs[0][fits], pairs[1][fits]
        if pairs is not None:
            held[:] = False
            held[pairs] = True
        return held

    def meets(self, others: Boxes) -> Bools:
        """Return which boxes have a point in common with which others: ``[box, other]``."""
        found = np.ones((len(self), len(others)), dtype=np.bool_)
        for axis in range(self.lower.shape[1] + len(self.space.sets)):
            found &= self.meets_on(axis, others)
        return found

    def meets_on(self, axis: int, others: Boxes) -> Bools:
        """Return which boxes have something in common with which others on one axis."""
        d = self.lower.shape[1]
        if axis < d:
            before: Bools = self.lower[:, axis, None] < others.upper[:, axis]
            return before & (others.lower[:, axis] < self.upper[:, axis, None])
        shared = np.zeros((len(self), len(others)), dtype=np.bool_)
        words = self.space.sets[axis - d]
        for word in range(words.start, words.stop):
            shared |= (self.masks[:, word, None] & others.masks[:, word]) != 0
        return shared

    def held_by_one(self, others: Boxes) -> Bools:
        """Return which of the boxes lie inside a single one of others; all simplified."""
        found = np.zeros(len(self), dtype=np.bool_)
        for start in range(0, len(others), _BLOCK):
            left = np.flatnonzero(~found)
            if not len(left):
                break
            some = others.take(slice(start, start + _BLOCK))
            found[left] = some.contains(self.take(left)).any(axis=0)
        return found
