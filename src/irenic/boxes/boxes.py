"""Arrays of boxes and their operations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from irenic.arrays import LOWEST, Bools, Floats, Ints, Words, has_codes
from irenic.boxes.cutting import Cutter
from irenic.boxes.merging import merged_rows
from irenic.budget import Meter

if TYPE_CHECKING:
    from irenic.model.space import Instances, Space

# Pairs of boxes that are compared at a time: millions of pairs of wide boxes would fill the memory.
_AT_ONCE: Final = 100_000
# Large boxes that are compared at a time: later blocks skip the small boxes already contained.
_BLOCK: Final = 128
# Matrices of at most this many pairs are compared in full: reducing them to pairs costs more.
_SMALL: Final = 10_000


class Boxes:
    """Boxes in a space, one per row.

    Box ``b`` contains the points with ``lower[b, i] <= f < upper[b, i]`` for every continuous
    feature ``i`` and a value among the bits ``masks[b, space.sets[j]]`` for every categorical
    feature ``j``. The axes of a box are its features, continuous ones first.

    No box is empty, and masks only have bits of values that can occur. Some methods expect
    :meth:`simplified` boxes; their descriptions say so.

    Parameters
    ----------
    space : Space
        The space of the boxes.
    lower, upper : array of shape (boxes, continuous features)
        Inclusive lower and exclusive upper bounds. Arrays are used without a copy and may have
        any memory layout.
    masks : array of uint64 of shape (boxes, ``space.n_words``)
        Bits of the values: 0 is missing, 1 is any other value, then come the listed ones.

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
        """Return an empty array of boxes."""
        bounds = np.empty((0, len(space.continuous)))
        return cls(space, bounds, bounds, np.empty((0, space.n_words), dtype=np.uint64))

    @classmethod
    def whole(cls, space: Space) -> Boxes:
        """Return the box that contains the whole space."""
        bounds = np.full((1, len(space.continuous)), np.inf)
        return cls(space, -bounds, bounds, space.everything[None].copy())

    # --- as a collection

    def __len__(self) -> int:
        return len(self.masks)

    def __iter__(self) -> Iterator[Boxes]:
        """Yield copies of the boxes, each as an array of length 1."""
        return (self.take([row]) for row in range(len(self)))

    def __repr__(self) -> str:
        features = len(self.space)
        return f"<Boxes: {len(self)} in {features} feature{'' if features == 1 else 's'}>"

    def __reduce__(self) -> Any:
        return Boxes, (self.space, self.lower, self.upper, self.masks)

    def like(self, lower: Floats, upper: Floats, masks: Words) -> Boxes:
        """Return boxes in the same space with the given arrays."""
        return Boxes(self.space, lower, upper, masks)

    def take(self, rows: Any) -> Boxes:
        """Return the boxes at the given rows: a slice, indices or an array of bool."""
        return Boxes(self.space, self.lower[rows], self.upper[rows], self.masks[rows])

    def copy(self) -> Boxes:
        """Return a copy with its own arrays."""
        return self.like(self.lower.copy(), self.upper.copy(), self.masks.copy())

    def locked(self) -> Boxes:
        """Make the arrays read-only, so that they can be shared, and return the boxes."""
        for array in (self.lower, self.upper, self.masks):
            array.flags.writeable = False
        return self

    def near(self, box: Boxes) -> Boxes:
        """Return the boxes that overlap one box, without a copy if all do."""
        meeting = self.meeting(box)
        return self if meeting.all() else self.take(meeting)

    def concat(self, *others: Boxes) -> Boxes:
        """Return these boxes followed by others of the same space."""
        parts = [part for part in (self, *others) if len(part)]
        if len(parts) < 2:
            return parts[0] if parts else self
        return self.like(
            np.concatenate([part.lower for part in parts]),
            np.concatenate([part.upper for part in parts]),
            np.concatenate([part.masks for part in parts]),
        )

    def keys(self) -> Words:
        """Return the boxes as rows of 64-bit words, which are equal if the bounds are.

        Simplified boxes have equal keys if and only if they contain the same points.
        """
        d = self.lower.shape[1]
        keys = np.empty((len(self), 2 * d + self.masks.shape[1]), dtype=np.uint64)
        bounds = keys[:, : 2 * d].view(np.float64)
        # adding 0 turns -0.0 into 0.0: they compare equal, but have different bits
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
        """Return the boxes without duplicates, in order of first occurrence."""
        if len(self) < 2:
            return self
        if not len(self.space):  # a space without features has one box
            return self.take(slice(1))
        _, first = np.unique(self.keys(), axis=0, return_index=True)
        return self.take(np.sort(first))

    # --- single boxes

    def simplified(self) -> Boxes:
        """Return the boxes without the bounds that the space implies.

        The remaining bounds are cuts between values that can occur, so that there is a point
        between any two different ones.
        """
        space = self.space
        implied = (self.lower <= space.lowest) & (self.lower > -np.inf)
        lower = np.where(implied, space.bottom, self.lower)
        upper = np.where(self.upper >= space.end, np.inf, self.upper)
        # copied even if nothing changes: the result never shares arrays with these boxes
        masks = np.array(self.masks, order="C")
        return self.like(np.ascontiguousarray(lower), np.ascontiguousarray(upper), masks)

    def settled(self) -> Boxes:
        """Return the boxes with upper bounds that admit only missing values in one form."""
        gap = (self.upper > LOWEST) & (self.upper <= self.space.lowest)
        if not gap.any():
            return self
        return self.like(self.lower, np.where(gap, LOWEST, self.upper), self.masks)

    def are_empty(self) -> Bools:
        """Return which rows of unchecked bounds contain no point of the space."""
        space = self.space
        possible = np.maximum(self.lower, space.lowest) < np.minimum(self.upper, space.end)
        if not possible.all():  # they may still contain a missing value
            possible |= space.may_be_missing & (self.lower == -np.inf) & (self.upper > -np.inf)
        return np.logical_not(self._with_values(possible.all(axis=1), self.masks))

    def tests(self) -> Bools:
        """Return which boxes have a condition on which axis: ``[box, axis]``."""
        bounded = (self.lower > -np.inf) | (self.upper < np.inf)
        return np.hstack([bounded, self._any(self.masks != self.space.everything)])

    def _any(self, words: Bools) -> Bools:
        """Reduce words to features: return whether any word of each feature is True."""
        if words.shape[1] == len(self.space.sets):
            return words
        return np.logical_or.reduceat(words, self.space.starts[:-1], axis=1)

    def _with_values(self, rows: Any, masks: Words) -> Bools:
        """Return which of the given rows also have a value of every categorical feature."""
        selected: Bools = rows & self._any(masks != 0).all(axis=1) if self.space.sets else rows
        return selected

    def n_conditions(self) -> Ints:
        """Return the number of conditions of each box."""
        return np.asarray(self.tests().sum(axis=1, dtype=np.int64))

    def freed(self, axis: int) -> Boxes:
        """Return the boxes without their conditions on an axis."""
        freed = self.copy()
        d = self.lower.shape[1]
        if axis < d:
            freed.lower[:, axis], freed.upper[:, axis] = -np.inf, np.inf
        else:
            words = self.space.sets[axis - d]
            freed.masks[:, words] = self.space.everything[words]
        return freed

    def hull(self) -> Boxes:
        """Return the smallest box that contains all boxes."""
        return self.like(
            self.lower.min(axis=0, keepdims=True),
            self.upper.max(axis=0, keepdims=True),
            np.bitwise_or.reduce(self.masks, axis=0, keepdims=True),
        )

    def outside(self, points: Instances, axes: Ints | None = None) -> Bools:
        """Return on which axes each point is outside of each box: ``[point, box, axis]``."""
        axes = np.arange(len(self.space)) if axes is None else axes
        d, out = self.lower.shape[1], np.empty((len(points), len(self), len(axes)), dtype=np.bool_)
        for place, axis in enumerate(axes.tolist()):
            if axis < d:
                values = points.values[axis][:, None]
                out[:, :, place] = (values < self.lower[:, axis]) | (values >= self.upper[:, axis])
                continue
            words = self.masks[:, self.space.sets[axis - d]]
            out[:, :, place] = ~has_codes(words, points.codes[axis - d]).T
        return out

    # --- compared with one box

    def __and__(self, box: Boxes) -> Boxes:
        """Return the intersections with one box, without empty ones."""
        lower, upper = np.maximum(self.lower, box.lower), np.minimum(self.upper, box.upper)
        masks = self.masks & box.masks
        non_empty = self._with_values((lower < upper).all(axis=1), masks)
        shared = self.like(lower, upper, masks)
        return shared if non_empty.all() else shared.take(non_empty)

    def meeting_by_axis(self, box: Boxes) -> Bools:
        """Return on which axes each box overlaps one box: ``[box, axis]``."""
        meets = (self.lower < box.upper) & (box.lower < self.upper)
        return np.hstack([meets, self._any((self.masks & box.masks) != 0)])

    def meeting(self, box: Boxes) -> Bools:
        """Return which boxes overlap one box."""
        meets = (self.lower < box.upper) & (box.lower < self.upper)
        return self._with_values(meets.all(axis=1), self.masks & box.masks)

    def within(self, box: Boxes) -> Bools:
        """Return which simplified boxes lie inside one box, or inside the box at the same row."""
        fits = ((self.lower >= box.lower) & (self.upper <= box.upper)).all(axis=1)
        return np.asarray(fits & ((self.masks & ~box.masks) == 0).all(axis=1))

    def is_covered(self, by: Boxes, meter: Meter | None = None) -> bool | None:
        """Return whether others cover this single box, all simplified; None if out of budget."""
        meter = meter or Meter(None)
        cutter = Cutter(by.near(self), self, first=True)
        if any(cutter.bursts(meter)):
            return False
        return True if meter.stopped_by is None else None

    def subtract(self, others: Boxes, meter: Meter | None = None) -> Boxes:
        """Return the part of this single box that no other box covers, as disjoint boxes.

        All boxes must be simplified. Adjacent ones are merged. If the budget is used up, only a
        part is returned, unmerged, and ``meter.stopped_by`` is set.
        """
        meter = meter or Meter(None)
        cutter = Cutter(others.near(self), self)
        for _ in cutter.bursts(meter):
            pass
        uncovered = cutter.boxes()
        return uncovered if meter.stopped_by is not None else uncovered.merged(meter)

    # --- compared with each other or with several boxes

    def merged(self, meter: Meter | None = None) -> Boxes:
        """Merge disjoint adjacent boxes whose union is a box, and return the result sorted.

        When the seconds of the meter are used up, the remaining boxes are not merged.
        """
        if not len(self.space):
            return self
        d = self.lower.shape[1]
        keys = merged_rows(self.keys(), self.key_columns(), d, meter)
        lower, upper = (keys[:, part].view("f8") for part in (slice(d), slice(d, 2 * d)))
        boxes = self.like(lower.copy(), upper.copy(), keys[:, 2 * d :].copy())
        return boxes.take(np.lexsort((*boxes.masks.T[::-1], *boxes.lower.T[::-1])))

    def inside(self, small: Any, large: Any) -> Bools:
        """Return for each pair of simplified boxes whether the first lies inside the second."""
        inside = np.ones(len(small), dtype=np.bool_)
        for start in range(0, len(small), _AT_ONCE):
            block = slice(start, start + _AT_ONCE)
            inside[block] = self.take(small[block]).within(self.take(large[block]))
        return inside

    def contains(self, others: Boxes) -> Bools:
        """Return which boxes contain which other boxes, all simplified: ``[box, other]``."""
        contained = np.ones((len(self), len(others)), dtype=np.bool_)
        pairs: tuple[Any, Any] | None = None
        d = self.lower.shape[1]
        for axis in range(d + self.masks.shape[1]):
            # once few pairs are left, the other axes are compared only for these
            if pairs is None and contained.size > _SMALL and contained.sum() * 8 < contained.size:
                rows, columns = np.nonzero(contained)
                pairs = rows, columns
            large, small = (np.s_[:, None], np.s_[:]) if pairs is None else pairs
            if axis < d:
                fits = self.lower[:, axis][large] <= others.lower[:, axis][small]
                fits &= others.upper[:, axis][small] <= self.upper[:, axis][large]
            else:
                word = axis - d
                fits = (others.masks[:, word][small] & ~self.masks[:, word][large]) == 0
            if pairs is None:
                contained &= fits
            else:
                pairs = pairs[0][fits], pairs[1][fits]
        if pairs is not None:
            contained[:] = False
            contained[pairs] = True
        return contained

    def meets(self, others: Boxes) -> Bools:
        """Return which boxes overlap which other boxes: ``[box, other]``."""
        meets = np.ones((len(self), len(others)), dtype=np.bool_)
        for axis in range(self.lower.shape[1] + len(self.space.sets)):
            meets &= self.meets_on(axis, others)
        return meets

    def meet_any(self, others: Boxes) -> Bools:
        """Return which boxes overlap at least one of the other boxes."""
        if len(others) == 1:
            return self.meeting(others)
        meet = np.zeros(len(self), dtype=np.bool_)
        for start in range(0, len(others), _BLOCK):
            left = np.flatnonzero(~meet)
            block = others.take(slice(start, start + _BLOCK))
            meet[left] = self.take(left).meets(block).any(axis=1)
        return meet

    def meets_on(self, axis: int, others: Boxes) -> Bools:
        """Return which boxes overlap which other boxes on one axis: ``[box, other]``."""
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
        """Return which boxes lie inside at least one of the other boxes, all simplified."""
        inside = np.zeros(len(self), dtype=np.bool_)
        for start in range(0, len(others), _BLOCK):
            left = np.flatnonzero(~inside)
            if not len(left):
                break
            block = others.take(slice(start, start + _BLOCK))
            inside[left] = block.contains(self.take(left)).any(axis=0)
        return inside
