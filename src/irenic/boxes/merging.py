"""Merging of neighbors: disjoint boxes that together make a box become one.

Axis after axis, boxes that are equal on all others are put side by side and joined where they
touch, until a round joins none.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from irenic.boxes.arrays import Words
from irenic.budget import Meter


def merged_rows(keys: Words, axes: list[list[int]], d: int, meter: Meter | None) -> Words:
    """Return the keys of disjoint boxes with neighbors merged.

    Parameters
    ----------
    keys, axes
        As ``Boxes.keys()`` and ``Boxes.key_columns()`` return them.
    d : int
        How many of the axes are continuous.
    meter : Meter or None
        When its seconds are used up, boxes that could be one stay two.
    """
    table = _Table(keys, d)
    before = -1
    while before != len(table.bits):
        before = len(table.bits)
        for columns in axes:
            if meter is None or not meter.late:
                table.join(columns)
    return table.bits


class _Table:
    """Boxes as rows of 64-bit numbers, with a hash of each so that equal parts are found fast.

    A row's hash is the sum of those of its columns: what two rows have beside some columns is
    compared by taking these columns' share away.
    """

    def __init__(self, bits: Words, d: int) -> None:
        self.bits, self.d = bits, d
        self.hashes = _mixed(bits, range(bits.shape[1]))

    def join(self, own: list[int]) -> None:
        """Join rows that are equal beside the columns of one axis and touch on it."""
        if len(self.bits) < 2:
            return
        key = self.hashes.sum(axis=1, dtype=np.uint64) - self.hashes[:, own].sum(
            axis=1, dtype=np.uint64
        )
        is_interval = own[0] < self.d
        lows = self.bits[:, own[0]].view("f8") if is_interval else key
        order = np.lexsort((lows, key))
        left, right = order[:-1], order[1:]
        same = key[left] == key[right]
        if is_interval:
            same &= self.bits[left, own[1]] == self.bits[right, own[0]]
        rest = np.setdiff1d(np.arange(self.bits.shape[1]), own)
        likely = np.flatnonzero(same)  # equal hashes are not yet equal rows
        a, b = self.bits[left[likely]], self.bits[right[likely]]
        same[likely] = (a[:, rest] == b[:, rest]).all(axis=1)
        if not same.any():
            return
        first = np.flatnonzero(np.append(True, ~same))
        last = np.append(first[1:], len(order)) - 1
        kept = order[first]
        joined = self.bits[kept]
        if is_interval:
            joined[:, own[1]] = self.bits[order[last], own[1]]
        else:
            joined[:, own] = np.bitwise_or.reduceat(self.bits[order][:, own], first, axis=0)
        self.bits, self.hashes = joined, self.hashes[kept]
        self.hashes[:, own] = _mixed(joined[:, own], own)


def _mixed(bits: Words, columns: Iterable[int]) -> Words:
    """Return a hash of each number (splitmix64), another one in each column."""
    step = np.array([(c + 1) * 0x9E3779B97F4A7C15 % 2**64 for c in columns], dtype=np.uint64)
    mixed = bits + step
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
