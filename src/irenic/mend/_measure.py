"""How large a box is as a share of another, with open sides, missing values and categories."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from irenic.model.cutting import Boxes
from irenic.model.features import LOWEST
from irenic.model.space import Space

# What "missing" counts for, beside all other values of a continuous feature.
_MISSING: Final = 0.05


class Share:
    """The share of one box (the whole) that others inside it take.

    It is the product over the features. Between two bounds it is a share of the length; where a
    side is open, lengths are measured after squeezing the axis into a finite one, on the scale of
    the bounds that occur, so that what is further out counts less. Categories are counted.
    """

    def __init__(self, space: Space, outer: Boxes, boxes: Boxes) -> None:
        self.space, self.outer = space, outer
        d = outer.low.shape[1]
        self._middle, self._scale = np.zeros(d), np.ones(d)
        for axis in range(d):
            ends = (space.lowest[axis], space.end[axis])
            cuts = np.unique(np.concatenate([boxes.low[:, axis], boxes.high[:, axis], ends]))
            cuts = cuts[np.abs(cuts) < -LOWEST / 4]
            if len(cuts):
                self._middle[axis] = np.median(cuts)
                spread = cuts[-1] - cuts[0] or max(1.0, abs(float(cuts[0])))
                self._scale[axis] = max(spread, 1e-300)

    def of(self, boxes: Boxes) -> npt.NDArray[np.float64]:
        """Return the share of each of some boxes."""
        total = np.ones(len(boxes.low))
        for axis in range(boxes.low.shape[1]):
            part = self._length(axis, boxes.low[:, axis], boxes.high[:, axis])
            total *= part / self._length(axis, self.outer.low[:, axis], self.outer.high[:, axis])
        for a, b in pairwise(self.space.starts.tolist()):
            count = np.bitwise_count(boxes.masks[:, a:b]).sum(axis=1)
            total *= count / np.bitwise_count(self.outer.masks[:, a:b]).sum(axis=1)
        return total

    def _length(
        self, axis: int, low: npt.NDArray[np.float64], high: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Return lengths of intervals; they are never 0, since no box is empty."""
        space = self.space
        missing = space.may_be_missing[axis] & (low == -math.inf)
        bottom, top = max(self.outer.low[0, axis], LOWEST), self.outer.high[0, axis]
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
        share: npt.NDArray[np.float64] = length * (1.0 - _MISSING) + _MISSING * missing
        return share

    def _squeezed(self, axis: int, cut: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        with np.errstate(over="ignore"):  # infinitely far out is 0 or 1
            where = (cut / 4 - self._middle[axis] / 4) / (self._scale[axis] / 4)
        squeezed: npt.NDArray[np.float64] = np.arctan(where) / math.pi + 0.5
        return squeezed
