"""The rows of a table as boxes: what the searches for findings share."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from irenic.boxes.arrays import Bools, Codes, Ints, Words
from irenic.budget import Meter
from irenic.model.decision_table import DecisionTable

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
        self.boxes = rules.boxes
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
    def agreeing(self) -> Codes:
        """The pairs of boxes of different rows that overlap and say the same."""
        return self._pairs(same=True)

    @cached_property
    def differing(self) -> Codes:
        """The pairs of boxes that overlap and say different things."""
        return self._pairs(same=False)

    def _pairs(self, *, same: bool) -> Codes:
        pairs = self.table.rules.packed.overlapping_pairs(same=same, limit=MOST_PAIRS)
        rows = self.row_of[pairs]
        apart: Codes = pairs[rows[:, 0] != rows[:, 1]]
        return apart

    @cached_property
    def contained(self) -> Bools:
        """Of each pair in ``agreeing``, whether the first lies in the second, and vice versa."""
        boxes, (first, second) = self.boxes, self.agreeing.T
        return np.column_stack((boxes.inside(first, second), boxes.inside(second, first)))

    def neighbours(self, pairs: Codes) -> Neighbours:
        """Return the other boxes of each box's pairs."""
        both = np.vstack((pairs, pairs[:, ::-1]))
        both = both[np.lexsort((both[:, 1], both[:, 0]))]
        starts = np.searchsorted(both[:, 0], np.arange(len(self.row_of) + 1))
        return Neighbours(starts.astype(np.int64), both[:, 1].astype(np.int64))

    def covered(self, box: int, by: Ints | list[int], meter: Meter) -> bool | None:
        """Return whether some boxes cover another; None if the budget ended the search."""
        others = self.boxes.take(np.asarray(by, dtype=np.int64))
        return self.boxes.take([box]).is_covered(others, meter)

    @cached_property
    def keys(self) -> Words:
        """The boxes as rows of 64-bit words, equal where the boxes are."""
        return self.boxes.keys()
