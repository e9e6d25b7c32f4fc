"""Merging of adjacent boxes: disjoint boxes whose union is a box become one.

For each axis, boxes that are equal on all other axes are sorted and joined where they touch. This
is repeated until no boxes are joined.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from irenic.arrays import GOLDEN, Words, scrambled
from irenic.budget import Meter


def merged_rows(keys: Words, axes: list[list[int]], d: int, meter: Meter | None) -> Words:
    """Return the keys of disjoint boxes after merging adjacent ones, while there is time.

    ``keys`` and ``axes`` are what ``Boxes.keys`` and ``Boxes.key_columns`` return; ``d`` is the
    number of continuous axes.
    """
    table = _Joining(keys, d)
    before = -1
    while before != len(table.rows):
        before = len(table.rows)
        for columns in axes:
            if meter is None or not meter.late:
                table.join(columns)
    return table.bits[table.rows]


class HashedRows:
    """Rows of 64-bit words, with hashes to find rows that are equal in all but some columns.

    The hash of a row is the sum of the hashes of its words, so subtracting those of some columns
    leaves a hash of the other columns.
    """

    def __init__(self, bits: Words) -> None:
        self.bits = bits
        self.rows = np.arange(len(bits))
        """The rows of ``bits`` that are left."""
        self.hashes = _mixed(bits, range(bits.shape[1]))
        self.totals = self.hashes.sum(axis=1, dtype=np.uint64)

    def without(self, own: list[int]) -> Words:
        """Return the hash of each row that is left without some columns."""
        key: Words = self.totals[self.rows]
        for column in own:
            key -= self.hashes[self.rows, column]
        return key


class _Joining(HashedRows):
    """Boxes as rows, which are joined in place, because most axes join few."""

    def __init__(self, bits: Words, d: int) -> None:
        super().__init__(bits.copy())
        self.d = d

    def join(self, own: list[int]) -> None:
        """Join rows that touch on one axis and are equal in all columns except its own."""
        if len(self.rows) < 2:
            return
        key = self.without(own)
        ascending = np.sort(key)
        if (ascending[:-1] != ascending[1:]).all():  # as on most axes: sorting rows takes longer
            return
        is_interval = own[0] < self.d
        lows = self.bits[self.rows, own[0]].view("f8") if is_interval else key
        order = np.lexsort((lows, key))
        key, order = key[order], self.rows[order]
        left, right = order[:-1], order[1:]
        same = key[:-1] == key[1:]
        if is_interval:
            same &= self.bits[left, own[1]] == self.bits[right, own[0]]
        likely = np.flatnonzero(same)  # rows with equal hashes can differ
        if not len(likely):
            return
        equal = self.bits[left[likely]] == self.bits[right[likely]]
        equal[:, own] = True
        same[likely] = equal.all(axis=1)
        if not same.any():
            return
        first = np.flatnonzero(np.append(True, ~same))
        last = np.append(first[1:], len(order)) - 1
        kept, several = order[first], first < last
        joined = kept[several]
        if is_interval:
            self.bits[joined, own[1]] = self.bits[order[last[several]], own[1]]
        else:
            unions = np.bitwise_or.reduceat(self.bits[order[:, None], own], first, axis=0)
            self.bits[joined[:, None], own] = unions[several]
        places = joined[:, None], own
        self.totals[joined] -= self.hashes[places].sum(axis=1, dtype=np.uint64)
        self.hashes[places] = _mixed(self.bits[places], own)
        self.totals[joined] += self.hashes[places].sum(axis=1, dtype=np.uint64)
        self.rows = kept


def _mixed(bits: Words, columns: Iterable[int]) -> Words:
    """Return a hash (splitmix64) of each word, with a different function per column."""
    step = (np.array([*columns], dtype=np.uint64) + np.uint64(1)) * GOLDEN
    return scrambled(bits + step)
