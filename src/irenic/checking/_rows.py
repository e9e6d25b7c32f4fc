"""The rows of a table as boxes, shared by all searches for findings."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from irenic.arrays import Bools, Codes, Ints, Words, distinct
from irenic.boxes.merging import HashedRows
from irenic.budget import Meter
from irenic.model.decision_table import DecisionTable

# More pairs are not even counted: a hundred thousand rules can have five billion.
_PAIR_LIMIT = 10_000_000


class Neighbors(NamedTuple):
    """The boxes that belong to each box or row, such as those that overlap it."""

    starts: Ints
    others: Ints

    def of(self, box: int) -> Ints:
        """Return the neighbors of one box."""
        return self.others[self.starts[box] : self.starts[box + 1]]


class Rows:
    """A table with cached values: its boxes, the row of each box, and overlapping pairs."""

    def __init__(self, table: DecisionTable) -> None:
        self.table = table
        self.space = table.space
        rules = table.rules
        self.boxes = rules.boxes
        self.row_of: Ints = np.array(table.rows, dtype=np.int64)
        """The index of the row of each box."""
        self.then = rules.then_codes.astype(np.int64)

    @cached_property
    def _boxes_of(self) -> Neighbors:
        order = np.argsort(self.row_of, kind="stable")
        starts = np.searchsorted(self.row_of[order], np.arange(self.table.n_rows + 1))
        return Neighbors(starts.astype(np.int64), order)

    def places(self, row: int) -> Ints:
        """Return the indices of the boxes of a row; a row that can never apply has none."""
        return self._boxes_of.of(row)

    def among(self, boxes: Ints | Codes) -> list[int]:
        """Return the rows of the given boxes, ascending."""
        return list(distinct(self.row_of[boxes]).tolist())

    @cached_property
    def lone(self) -> Bools:
        """Which boxes are the only ones of their rows."""
        alone: Bools = np.bincount(self.row_of, minlength=1)[self.row_of] == 1
        return alone

    @cached_property
    def agreeing(self) -> Codes:
        """The pairs of boxes of different rows that overlap and agree."""
        return self._pairs(same=True)

    @cached_property
    def differing(self) -> Codes:
        """The pairs of boxes that overlap and contradict each other."""
        return self._pairs(same=False)

    def _pairs(self, *, same: bool) -> Codes:
        return self._of_two_rows(self.table.rules.overlapping_pairs(same=same, limit=_PAIR_LIMIT))

    def _of_two_rows(self, pairs: Codes) -> Codes:
        rows = self.row_of[pairs]
        pairs_of_two_rows: Codes = pairs[rows[:, 0] != rows[:, 1]]
        return pairs_of_two_rows

    @cached_property
    def equal(self) -> Codes:
        """The pairs in ``agreeing`` whose outcomes are equal: heads can agree without that."""
        if not self.table.rules.is_partial:
            return self.agreeing
        return self._of_two_rows(
            self.table.rules.packed.overlapping_pairs(same=True, limit=_PAIR_LIMIT)
        )

    @cached_property
    def contained(self) -> Bools:
        """For each pair in ``equal``, whether the first is inside the second, and vice versa."""
        boxes, (first, second) = self.boxes, self.equal.T
        return np.column_stack((boxes.inside(first, second), boxes.inside(second, first)))

    def neighbors(self, pairs: Codes) -> Neighbors:
        """Return the boxes that each box is paired with."""
        both = np.vstack((pairs, pairs[:, ::-1]))
        both = both[np.lexsort((both[:, 1], both[:, 0]))]
        starts = np.searchsorted(both[:, 0], np.arange(len(self.row_of) + 1))
        return Neighbors(starts.astype(np.int64), both[:, 1].astype(np.int64))

    def covered(self, box: int, by: Ints | list[int], meter: Meter) -> bool | None:
        """Return whether boxes cover another one where cases can occur.

        None if the budget is used up.
        """
        others = self.boxes.take(np.asarray(by, dtype=np.int64))
        excluded = self.space.impossible_boxes
        return self.boxes.take([box]).is_covered(others.concat(excluded), meter)

    @cached_property
    def keys(self) -> Words:
        """The boxes as rows of 64-bit words; equal rows are equal boxes."""
        return self.boxes.keys()

    @cached_property
    def hashed(self) -> HashedRows:
        """The keys and the outcome of each box, to find boxes that differ on one axis only."""
        return HashedRows(np.hstack([self.keys, self.then[:, None].view("u8")]))
