"""The rows of a table as boxes: what the searches for findings share."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from irenic.budget import Meter
from irenic.model.cutting import Boxes, is_covered
from irenic.model.decision_table import DecisionTable

Ints: TypeAlias = npt.NDArray[np.int64]

# Pairs beyond this many are not even counted: a hundred thousand rules have five billion.
MOST_PAIRS = 10_000_000


class Neighbours(NamedTuple):
    """The other boxes that each box shares a point with."""

    starts: Ints
    others: Ints

    def of(self, box: int) -> Ints:
        """Return the neighbours of one box."""
        return self.others[self.starts[box] : self.starts[box + 1]]


class Rows:
    """A table with what is computed once: boxes, the row of each, pairs that overlap."""

    def __init__(self, table: DecisionTable) -> None:
        self.table = table
        self.space = table.space
        rules = table.rules
        self.boxes = Boxes.of_rules(rules.packed, np.ones(len(rules), dtype=np.bool_))
        self.row_of: Ints = np.array(table.rows, dtype=np.int64)
        """The index of the row of each box."""
        self.then = rules.then_codes.astype(np.int64)

    @cached_property
    def places(self) -> dict[int, Ints]:
        """The boxes of each row, of rows that can hold."""
        order = np.argsort(self.row_of, kind="stable")
        rows, starts = np.unique(self.row_of[order], return_index=True)
        parts = np.split(order, starts[1:]) if len(rows) else []
        return dict(zip(rows.tolist(), parts, strict=True))

    @cached_property
    def agreeing(self) -> npt.NDArray[np.int32]:
        """The pairs of boxes of different rows that overlap and say the same."""
        return self._pairs(same=True)

    @cached_property
    def differing(self) -> npt.NDArray[np.int32]:
        """The pairs of boxes that overlap and say different things."""
        return self._pairs(same=False)

    def _pairs(self, *, same: bool) -> npt.NDArray[np.int32]:
        pairs = self.table.rules.packed.overlapping_pairs(same=same, limit=MOST_PAIRS)
        rows = self.row_of[pairs]
        apart: npt.NDArray[np.int32] = pairs[rows[:, 0] != rows[:, 1]]
        return apart

    @cached_property
    def contained(self) -> npt.NDArray[np.bool_]:
        """Of each pair in ``agreeing``, whether the first lies in the second, and vice versa."""
        first, second = self.agreeing.T
        return np.column_stack((self.inside(first, second), self.inside(second, first)))

    def inside(self, a: npt.NDArray[np.int32], b: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Return which of some boxes lie inside which others, one by one."""
        low, high, masks = self.boxes
        found = np.ones(len(a), dtype=np.bool_)
        for part in range(0, len(a), _AT_ONCE):  # millions of pairs of wide boxes fill the memory
            x, y = a[part : part + _AT_ONCE], b[part : part + _AT_ONCE]
            found[part : part + _AT_ONCE] = (
                (low[x] >= low[y]).all(axis=1)
                & (high[x] <= high[y]).all(axis=1)
                & ((masks[x] & ~masks[y]) == 0).all(axis=1)
            )
        return found

    def neighbours(self, pairs: npt.NDArray[np.int32]) -> Neighbours:
        """Return the other boxes of each box's pairs."""
        both = np.vstack((pairs, pairs[:, ::-1]))
        both = both[np.lexsort((both[:, 1], both[:, 0]))]
        starts = np.searchsorted(both[:, 0], np.arange(len(self.row_of) + 1))
        return Neighbours(starts.astype(np.int64), both[:, 1].astype(np.int64))

    def covered(self, box: int, by: Ints | list[int], meter: Meter) -> bool | None:
        """Return whether some boxes cover another; None if the budget ended the search."""
        one = self.boxes.take(slice(box, box + 1))
        return is_covered(self.space, one, self.boxes.take(np.asarray(by, dtype=np.int64)), meter)

    def with_outside(self, boxes: Boxes) -> Boxes:
        """Return boxes and all that cannot occur, which needs no rule and contradicts none."""
        outside = [Boxes.of_region(region) for region in self.table.outside]
        low, high, masks = zip(boxes, *outside, strict=True)
        return Boxes(np.concatenate(low), np.concatenate(high), np.concatenate(masks))

    def columns(self) -> list[list[int]]:
        """Return the columns of ``words`` that belong to each axis."""
        d = self.boxes.low.shape[1]
        sets = pairwise(self.space.starts.tolist())
        return [[i, d + i] for i in range(d)] + [list(range(2 * d + a, 2 * d + b)) for a, b in sets]

    @cached_property
    def words(self) -> npt.NDArray[np.uint64]:
        """The boxes as rows of 64-bit words: equal boxes have equal words."""
        low, high, masks = self.boxes
        # adding 0 turns -0.0 into 0.0, which compares equal and has other bits
        return np.hstack([(low + 0.0).view("u8"), (high + 0.0).view("u8"), masks])


_AT_ONCE = 100_000
