"""The size of boxes as a share of another, with open sides, missing values and categories."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from irenic.arrays import Floats
from irenic.boxes import Boxes
from irenic.model.features import LOWEST

# The share of a continuous feature that "missing" takes.
_MISSING: Final = 0.05


class Extent:
    """The share of an outer box that boxes inside it take.

    It is the product of the shares per feature: of the length, or of the number of categories. If
    a side of the outer box is open, the axis is first mapped to a finite interval, on the scale of
    the bounds of the boxes, so that distant values count less.
    """

    def __init__(self, outer: Boxes, boxes: Boxes) -> None:
        self.outer = outer
        space, d = outer.space, outer.lower.shape[1]
        self._middle, self._scale = np.zeros(d), np.ones(d)
        for axis in range(d):
            ends = (space.lowest[axis], space.end[axis])
            cuts = np.unique(np.concatenate([boxes.lower[:, axis], boxes.upper[:, axis], ends]))
            cuts = cuts[np.abs(cuts) < -LOWEST / 4]
            if len(cuts):
                self._middle[axis] = np.median(cuts)
                spread = cuts[-1] - cuts[0] or max(1.0, abs(float(cuts[0])))
                self._scale[axis] = max(spread, 1e-300)

    def of(self, boxes: Boxes) -> Floats:
        """Return the share of each box."""
        total = np.ones(len(boxes))
        for axis in range(boxes.lower.shape[1]):
            part = self._length(axis, boxes.lower[:, axis], boxes.upper[:, axis])
            total *= part / self._length(axis, self.outer.lower[:, axis], self.outer.upper[:, axis])
        for words in boxes.space.sets:
            count = np.bitwise_count(boxes.masks[:, words]).sum(axis=1)
            total *= count / np.bitwise_count(self.outer.masks[:, words]).sum(axis=1)
        return total

    def _length(self, axis: int, low: Floats, high: Floats) -> Floats:
        """Return the lengths of intervals, which are positive because no box is empty."""
        space = self.outer.space
        missing = space.may_be_missing[axis] & (low == -math.inf)
        bottom, top = max(self.outer.lower[0, axis], LOWEST), self.outer.upper[0, axis]
        feature = space.continuous[axis]
        lower, upper = feature.reach(float(bottom), float(top))
        start, end = np.clip(low, lower, upper), np.clip(high, lower, upper)
        if lower <= LOWEST or upper == math.inf:
            start, end = self._mapped(axis, start), self._mapped(axis, end)
            length = np.maximum(end - start, 0.0)
        else:
            # Halved where the total length would exceed the largest float64.
            scale = 1.0 if math.isfinite(upper - lower) else 0.5
            total = upper * scale - lower * scale
            length = np.maximum(end * scale - start * scale, 0.0) / (total or 1.0)
        # Rounding can reduce the length between two close bounds to 0.
        length = np.where((start < end) | (high > low), np.maximum(length, 1e-300), length)
        share: Floats = length * (1.0 - _MISSING) + _MISSING * missing
        return share

    def _mapped(self, axis: int, values: Floats) -> Floats:
        """Return values of an axis mapped to the interval from 0 to 1."""
        with np.errstate(over="ignore"):  # infinity is mapped to 0 or 1
            scaled = (values / 4 - self._middle[axis] / 4) / (self._scale[axis] / 4)
        mapped: Floats = np.arctan(scaled) / math.pi + 0.5
        return mapped
