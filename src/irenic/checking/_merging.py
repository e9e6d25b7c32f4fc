"""Rows that can be merged: they differ on one feature only, and together form a box."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from irenic.arrays import Ints, as_scalars
from irenic.checking._rows import Rows
from irenic.model.region import Region
from irenic.model.space import from_words


def mergeable(rows: Rows) -> list[tuple[tuple[int, ...], Region]]:
    """Return groups of rows with one outcome whose regions together are a box, and that box.

    Only rows with a single box are considered; of rows inside each other, only the largest. In an
    ordered table and under RULE ORDER, only neighboring rows are merged, because rows between them
    would matter. If all rows that apply count, overlapping rows are not merged.
    """
    groups = []
    for own in rows.boxes.key_columns():
        for members in _equal_elsewhere(rows, own):
            groups += [_rows_and_box(rows, run) for run in _runs(rows, members, own)]
    return sorted(groups, key=lambda group: group[0])


def _equal_elsewhere(rows: Rows, own: list[int]) -> Iterator[Ints]:
    """Yield groups of boxes with one outcome that are equal on all axes but one.

    ``own`` are the columns of that axis in ``rows.keys``.
    """
    hashed = rows.hashed
    if rows.table.is_ordered or rows.table.hit_policy == "RULE ORDER":
        order = np.array(rows.table.winning, dtype=np.int64)
        pairs = np.column_stack((order[:-1], order[1:]))
        pairs = pairs[rows.lone[pairs].all(axis=1)]
        equal = hashed.bits[pairs[:, 0]] == hashed.bits[pairs[:, 1]]
        equal[:, own] = True
        yield from pairs[equal.all(axis=1)]
        return
    places = np.flatnonzero(rows.lone)
    key = hashed.without(own)[places]
    ascending = np.sort(key)
    repeated = ascending[1:][ascending[1:] == ascending[:-1]]
    places = places[np.isin(key, repeated)]
    if not len(places):
        return
    rest = np.delete(hashed.bits[places], own, axis=1)  # rows with equal hashes can differ
    _, group, counts = np.unique(as_scalars(rest), return_inverse=True, return_counts=True)
    order, ends = np.argsort(group, kind="stable"), np.cumsum(counts)
    several = counts > 1
    for start, end in zip((ends - counts)[several], ends[several], strict=True):
        yield places[order[start:end]]


def _runs(rows: Rows, members: Ints, own: list[int]) -> Iterator[list[int]]:
    """Yield sets of two or more boxes of a group that together form one box."""
    apart = rows.table.collects
    d = rows.boxes.lower.shape[1]
    if own[0] >= d:
        sets = [(tuple(rows.keys[m, own].tolist()), int(m)) for m in members]
        yield from _joined_sets(sets, apart)
        return
    low, high = rows.boxes.lower[members, own[0]], rows.boxes.upper[members, own[0]]
    order = np.lexsort((members, -high, low))
    sides = [(float(low[i]), float(high[i]), int(members[i])) for i in order]
    yield from _touching(sides) if apart else _chains(sides)


Sides = list[tuple[float, float, int]]


def _chains(sides: Sides) -> Iterator[list[int]]:
    """Yield minimal chains of intervals that together form one interval."""
    chain: list[int] = []
    end = reach = -np.inf
    farthest = -1
    for low, high, member in sides:
        if farthest >= 0 and low > end:  # no later interval starts inside the chain
            chain.append(farthest)
            end, farthest = reach, -1
        if not chain or low > end:
            if len(chain) > 1:
                yield chain
            chain, end, reach, farthest = [member], high, high, -1
        elif high > reach:
            reach, farthest = high, member
    chain += [farthest] if farthest >= 0 else []
    if len(chain) > 1:
        yield chain


def _touching(sides: Sides) -> Iterator[list[int]]:
    """Yield pairs of intervals, the second of which begins where the first ends."""
    first: dict[float, int] = {}
    for low, _, member in sides:
        first.setdefault(low, member)
    for _, end, member in sides:
        if end in first:
            yield [member, first[end]]


def _joined_sets(sets: list[tuple[tuple[int, ...], int]], apart: bool) -> Iterator[list[int]]:
    bits = [from_words(words) for words, _ in sets]
    kept: list[int] = []
    union = 0
    # Largest first, so that sets inside others are skipped.
    for i in sorted(range(len(bits)), key=lambda i: (-bits[i].bit_count(), i)):
        if (apart and union & bits[i]) or union | bits[i] == union:
            continue
        kept.append(sets[i][1])
        union |= bits[i]
    if len(kept) > 1:
        yield kept


def _rows_and_box(rows: Rows, run: list[int]) -> tuple[tuple[int, ...], Region]:
    """Return the indices of the rows, and the box that they form."""
    region = Region.from_box(rows.boxes.take(run).hull())
    return tuple(sorted(int(rows.row_of[place]) for place in run)), region
