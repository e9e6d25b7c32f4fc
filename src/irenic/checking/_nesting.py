"""Redundant rows: duplicates, rows inside others, and rows that never fire."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from irenic.arrays import Ints, Words, as_scalars, distinct
from irenic.budget import Budget, Meter
from irenic.checking._rows import Rows

# With more covering rows than this, unneeded ones are not removed from the list.
_TRIAL_LIMIT = 12
# The effort to find out whether rows of several boxes are the same region.
_TWIN_NODES = 1_000_000


def duplicates(rows: Rows) -> list[tuple[int, ...]]:
    """Return the groups of identical rows."""
    groups: dict[tuple[bytes, int], list[int]] = {}
    for row in rows.among(_repeated(rows.keys)):
        places = rows.places(row)
        keys = sorted(rows.keys[place].tobytes() for place in places)
        groups.setdefault((b"".join(keys), int(rows.then[places[0]])), []).append(row)
    same = {row: group for group in groups.values() for row in group}
    for a, b in _covering_each_other(rows):
        if same.get(a) is not same.get(b, [b]):
            joined = sorted({*same.get(a, [a]), *same.get(b, [b])})
            same |= dict.fromkeys(joined, joined)
    distinct = {id(group): group for _, group in sorted(same.items())}
    return [tuple(group) for group in distinct.values() if len(group) > 1]


def _covering_each_other(rows: Rows) -> Iterator[tuple[int, int]]:
    """Yield pairs of rows that are the same region, cut into boxes in different ways."""
    several = ~rows.lone
    if not several.any():
        return
    pairs = rows.equal[several[rows.equal].any(axis=1)]
    meter = Meter(Budget(nodes=_TWIN_NODES))
    for a, b in np.unique(np.sort(rows.row_of[pairs], axis=1), axis=0).tolist():
        first, second = rows.places(a), rows.places(b)
        if _all_covered(rows, first, second, meter) and _all_covered(rows, second, first, meter):
            yield a, b


def _repeated(keys: Words) -> Ints:
    """Return the indices of the keys that occur more than once."""
    if not keys.shape[1]:  # a space without features has one box
        return np.arange(len(keys))
    _, inverse, counts = np.unique(as_scalars(keys), return_inverse=True, return_counts=True)
    return np.flatnonzero(counts[inverse] > 1)


def impossible(rows: Rows) -> list[int]:
    """Return the rows for which no case can occur, although values can meet their conditions."""
    excluded = rows.space.impossible_boxes
    if not len(excluded):
        return []
    met = np.flatnonzero(rows.boxes.meet_any(excluded))
    return [
        row
        for row in rows.among(met)
        if all(rows.covered(int(place), [], Meter(None)) for place in rows.places(row))
    ]


def inside(rows: Rows, groups: list[tuple[int, ...]], meter: Meter) -> Iterator[tuple[int, Ints]]:
    """Yield each row that others with its outcome cover, with those rows: a single one if possible.

    ``groups`` are the duplicates; only the first row of each group is considered.
    """
    first_of = {row: group[0] for group in groups for row in group}
    neighbors = rows.neighbors(rows.equal)
    containers = _containers(rows)
    for row in rows.among(rows.equal.reshape(-1)):  # others have no neighbors
        places = rows.places(row)
        if first_of.get(row, row) != row:
            continue
        if row in containers:
            yield row, np.array([containers[row]])
            continue
        others = distinct(np.concatenate([neighbors.of(place) for place in places]))
        others = others[[first_of.get(int(r), int(r)) != row for r in rows.row_of[others]]]
        if not len(others) or (len(others) == 1 and len(places) == 1):
            continue  # a single box inside another one would be in containers
        if _all_covered(rows, places, others, meter):
            yield row, _needed(rows, places, others, meter)
        if meter.stopped_by is not None:
            return


def _containers(rows: Rows) -> dict[int, int]:
    """Return the rows inside a single other row, with the first such row; duplicates are not."""
    lone = rows.lone
    containers: dict[int, int] = {}
    for side in (0, 1):
        inner, outer = rows.equal[:, side], rows.equal[:, 1 - side]
        within = rows.contained[:, side] & lone[inner]
        within &= ~(rows.contained[:, 1 - side] & lone[outer])
        for a, b in zip(
            rows.row_of[inner[within]].tolist(), rows.row_of[outer[within]].tolist(), strict=True
        ):
            containers[a] = min(b, containers.get(a, b))
    return containers


def _all_covered(rows: Rows, places: Ints, by: Ints, meter: Meter) -> bool:
    return all(rows.covered(int(place), by, meter) for place in places)


def _needed(rows: Rows, places: Ints, by: Ints, meter: Meter) -> Ints:
    """Return rows that together cover the boxes at some places, without unneeded ones."""
    owners = distinct(rows.row_of[by])
    if len(owners) > _TRIAL_LIMIT:
        return owners
    for owner in owners[::-1].tolist():  # prefers to keep earlier rows
        rest = by[rows.row_of[by] != owner]
        if _all_covered(rows, places, rest, meter):
            by = rest
    return distinct(rows.row_of[by])


def never_fire(rows: Rows, meter: Meter) -> Iterator[tuple[int, Ints]]:
    """Yield each row of an ordered table that earlier rows cover, with those rows."""
    order = rows.table.winning
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    pairs = np.vstack((rows.agreeing, rows.differing))
    neighbors = rows.neighbors(pairs)
    for row in rows.among(pairs.reshape(-1)):  # others have no neighbors
        places = rows.places(row)
        before = [neighbors.of(p)[rank[neighbors.of(p)] < rank[p]] for p in places]
        if not all(map(len, before)):
            continue  # nothing covers one of the boxes
        others = distinct(np.concatenate(before))
        # Boxes of one row do not overlap, so each is checked against its own earlier boxes.
        if all(
            rows.covered(int(p), earlier, meter) for p, earlier in zip(places, before, strict=True)
        ):
            yield row, _needed(rows, places, others, meter)
        if meter.stopped_by is not None:
            return
