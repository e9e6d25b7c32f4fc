"""How large a box is as a share of another, with open sides, missing values and categories."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from irenic.boxes import Boxes
from irenic.boxes.arrays import Floats
from irenic.model.features import LOWEST

# What "missing" counts for, beside all other values of a continuous feature.
_MISSING: Final = 0.05


class Share:
    """The share of one box (the whole) that others inside it take.

    It is the product over the features. Between two bounds it is a share of the length; where a
    side is open, lengths are measured after squeezing the axis into a finite one, on the scale of
    the bounds that occur, so that what is further out counts less. Categories are counted.
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
        """Return the share of each of some boxes."""
        total = np.ones(len(boxes))
        for axis in range(boxes.lower.shape[1]):
            part = self._length(axis, boxes.lower[:, axis], boxes.upper[:, axis])
            total *= part / self._length(axis, self.outer.lower[:, axis], self.outer.upper[:, axis])
        for words in boxes.space.sets:
            count = np.bitwise_count(boxes.masks[:, words]).sum(axis=1)
            total *= count / np.bitwise_count(self.outer.masks[:, words]).sum(axis=1)
        return total

    def _length(self, axis: int, low: Floats, high: Floats) -> Floats:
        """Return lengths of intervals; they are never 0, since no box is empty."""
        space = self.outer.space
        missing = space.may_be_missing[axis] & (low == -math.inf)
        bottom, top = max(self.outer.lower[0, axis], LOWEST), self.outer.upper[0, axis]
        feature = space.continuous[axis]
        lower, upper = feature.reach(float(bottom), float(top))
        least, most = np.clip(low, lower, upper), np.clip(high, lower, upper)
        if lower <= LOWEST or upper == math.inf:
            least, most = self._squeezed(axis, least), self._squeezed(axis, most)
            length = np.maximum(most - least, 0.0)
        else:
            # halves where the whole length is beyond the greatest float64
            scale = 1.0 if math.isfinite(upper - lower) else 0.5
            whole = upper * scale - lower * scale
            length = np.maximum(most * scale - least * scale, 0.0) / (whole or 1.0)
        # two cuts can be so near that their lengths are lost in rounding
        length = np.where((least < most) | (high > low), np.maximum(length, 1e-300), length)
        share: Floats = length * (1.0 - _MISSING) + _MISSING * missing
        return share

    def _squeezed(self, axis: int, cut: Floats) -> Floats:
        with np.errstate(over="ignore"):  # infinitely far out is 0 or 1
            where = (cut / 4 - self._middle[axis] / 4) / (self._scale[axis] / 4)
        squeezed: Floats = np.arctan(where) / math.pi + 0.5
        return squeezed
