"""Rows that could be one: equal on all features but one, on which together they make a box."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from irenic.boxes.arrays import Ints
from irenic.checking._rows import Rows
from irenic.model.region import Region


def mergeable(rows: Rows) -> list[tuple[tuple[int, ...], Region]]:
    """Return groups of rows of one outcome whose regions together are one box, with that box.

    Only rows of a single box count, and of rows inside each other the largest. In an ordered
    table only neighbouring rows are named: others may have a rule between them, and so it is under
    RULE ORDER. Where all rows that hold count, rows that overlap are two on purpose.
    """
    lone = np.array([len(rows.places[row]) == 1 for row in rows.row_of.tolist()], dtype=np.bool_)
    found = []
    for own in rows.boxes.key_columns():
        for members in _alike(rows, np.flatnonzero(lone), own):
            found += [_as_finding(rows, run) for run in _runs(rows, members, own)]
    return sorted(found, key=lambda item: item[0])


def _alike(rows: Rows, places: Ints, own: list[int]) -> Iterator[Ints]:
    """Yield groups of boxes of one outcome that are equal beside the columns of one axis."""
    keys = np.hstack([rows.keys[places], rows.then[places, None].view("u8")])
    rest = np.ascontiguousarray(np.delete(keys, own, axis=1))
    key = rest.view(np.dtype((np.void, rest.dtype.itemsize * rest.shape[1]))).reshape(-1)
    if rows.table.is_ordered or rows.table.hit_policy == "RULE ORDER":
        order = np.array(rows.table.winning, dtype=np.int64)
        place = {int(p): i for i, p in enumerate(places)}
        for a, b in zip(order[:-1].tolist(), order[1:].tolist(), strict=True):
            if a in place and b in place and key[place[a]] == key[place[b]]:
                yield np.array([a, b])
        return
    _, group, counts = np.unique(key, return_inverse=True, return_counts=True)
    order = np.argsort(group, kind="stable")
    for start, count in zip(np.cumsum(counts) - counts, counts, strict=True):
        if count > 1:
            yield places[order[start : start + count]]


def _runs(rows: Rows, members: Ints, own: list[int]) -> Iterator[list[int]]:
    """Yield the boxes of a group that together make one box, at least two of them."""
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
    """Yield intervals that follow each other without a hole, as few as reach as far."""
    chain: list[int] = []
    end = reach = -np.inf
    farthest = -1
    for low, high, member in sides:
        if farthest >= 0 and low > end:  # all that could follow have been seen
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
    """Yield intervals that begin where another ends."""
    for n, (_, end, member) in enumerate(sides):
        follower = next((other for low, _, other in sides[n + 1 :] if low == end), None)
        if follower is not None:
            yield [member, follower]


def _joined_sets(sets: list[tuple[tuple[int, ...], int]], apart: bool) -> Iterator[list[int]]:
    bits = [sum(word << 64 * i for i, word in enumerate(words)) for words, _ in sets]
    kept: list[int] = []
    union = 0
    # the largest first, so that what adds nothing to them is known at once
    for i in sorted(range(len(bits)), key=lambda i: (-bits[i].bit_count(), i)):
        if (apart and union & bits[i]) or union | bits[i] == union:
            continue
        kept.append(sets[i][1])
        union |= bits[i]
    if len(kept) > 1:
        yield kept


def _as_finding(rows: Rows, run: list[int]) -> tuple[tuple[int, ...], Region]:
    """Return the numbers of the rows, and the box that they make."""
    region = Region.from_box(rows.boxes.take(run).hull())
    return tuple(sorted(int(rows.row_of[place]) for place in run)), region
