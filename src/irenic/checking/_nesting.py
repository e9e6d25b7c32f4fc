"""Rows that could go: the same twice, inside others, and those that never fire."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from irenic.boxes.arrays import Ints
from irenic.budget import Meter
from irenic.checking._rows import Rows

# Up to so many rules are named as those that another lies inside only where all are needed.
_MOST_TRIED = 12


def duplicates(rows: Rows) -> list[tuple[int, ...]]:
    """Return the rows that are the same, group by group."""
    groups: dict[tuple[bytes, int], list[int]] = {}
    for row, places in rows.places.items():
        keys = sorted(rows.keys[place].tobytes() for place in places)
        groups.setdefault((b"".join(keys), int(rows.then[places[0]])), []).append(row)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def inside(rows: Rows, same: list[tuple[int, ...]], meter: Meter) -> Iterator[tuple[int, Ints]]:
    """Yield each row that others of its outcome cover, with them; one of them if one will do.

    ``same`` are the groups of equal rows: the first of each stands for all.
    """
    twin = {row: group[0] for group in same for row in group}
    near = rows.neighbours(rows.agreeing)
    alone = _single(rows)
    for row, places in rows.places.items():
        if twin.get(row, row) != row:
            continue
        if row in alone:
            yield row, np.array([alone[row]])
            continue
        others = np.unique(np.concatenate([near.of(place) for place in places]))
        others = others[[twin.get(int(r), int(r)) != row for r in rows.row_of[others]]]
        if not len(others) or (len(others) == 1 and len(places) == 1):
            continue  # of a single box and a single other it is known by now
        if _all_covered(rows, places, others, meter):
            yield row, _needed(rows, places, others, meter)
        if meter.stopped_by is not None:
            return


def _single(rows: Rows) -> dict[int, int]:
    """Return the rows that lie inside one other row, with the first such; equal rows do not."""
    lone = np.array([len(rows.places[row]) == 1 for row in rows.row_of.tolist()], dtype=np.bool_)
    found: dict[int, int] = {}
    for side in (0, 1):
        inner, outer = rows.agreeing[:, side], rows.agreeing[:, 1 - side]
        within = rows.contained[:, side] & lone[inner]
        within &= ~(rows.contained[:, 1 - side] & lone[outer])
        for a, b in zip(
            rows.row_of[inner[within]].tolist(), rows.row_of[outer[within]].tolist(), strict=True
        ):
            found[a] = min(b, found.get(a, b))
    return found


def _all_covered(rows: Rows, places: Ints, by: Ints, meter: Meter) -> bool:
    return all(rows.covered(int(place), by, meter) for place in places)


def _needed(rows: Rows, places: Ints, by: Ints, meter: Meter) -> Ints:
    """Return the rows that together cover some boxes, without those that can be spared."""
    owners = np.unique(rows.row_of[by])
    if len(owners) > _MOST_TRIED:
        return owners
    for owner in owners[::-1].tolist():  # later rules are spared first
        rest = by[rows.row_of[by] != owner]
        if _all_covered(rows, places, rest, meter):
            by = rest
    return np.unique(rows.row_of[by])


def never_fire(rows: Rows, meter: Meter) -> Iterator[tuple[int, Ints]]:
    """Yield each row of an ordered table that others before it cover, with them."""
    order = rows.table.winning
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    near = rows.neighbours(np.vstack((rows.agreeing, rows.differing)))
    for row, places in rows.places.items():
        before = [near.of(p)[rank[near.of(p)] < rank[p]] for p in places]
        others = np.unique(np.concatenate(before))
        # rules of one row do not overlap, so what comes before one of them concerns it alone
        if all(
            rows.covered(int(p), earlier, meter) for p, earlier in zip(places, before, strict=True)
        ):
            yield row, _needed(rows, places, others, meter)
        if meter.stopped_by is not None:
            return
