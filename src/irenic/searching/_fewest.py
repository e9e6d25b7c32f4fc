"""The order of features for which CFSBE leaves the fewest conditions.

A region is free if each rival is separated from it on at least one feature that it tests. The
fewest conditions are therefore a smallest set of features that contains, for each rival, one on
which the seed is outside of that rival. If all other features are enlarged first, nothing blocks
them, and only the features of the set get conditions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import numpy as np

from irenic.arrays import Bools, Ints
from irenic.boxes import Boxes
from irenic.model.space import Instances, Space

# Steps of the exact search for one seed; beyond it, a greedy choice is used.
_STEPS: Final = 20_000
# Rows, rivals and axes compared at a time.
_AT_ONCE: Final = 1 << 24


def fewest_order(space: Space, apart: Bools) -> Ints:
    """Return the axes in the order in which to enlarge them.

    ``apart[rival, axis]`` is whether the seed is outside of the rival on the axis.

    >>> from irenic import Continuous, Space
    >>> space = Space([Continuous("a"), Continuous("b"), Continuous("c")])
    >>> fewest_order(space, np.array([[True, True, False], [False, True, True]]))
    array([0, 2, 1])
    """
    tested = np.flatnonzero(apart.any(axis=0))
    return _order(space, tested[smallest_hitting_set(set(_bits(apart[:, tested])) - {0})[0]])


def _order(space: Space, last: Ints) -> Ints:
    """Return the axes, with the given ones last."""
    is_last = np.zeros(len(space), dtype=bool)
    is_last[last] = True
    return np.concatenate([space.axes[~is_last[space.axes]], space.axes[is_last[space.axes]]])


def _bits(rows: Bools) -> list[int]:
    """Return the set that each row marks, as the bits of a number."""
    width = max(1, -(-rows.shape[1] // 8))
    data = np.packbits(rows, axis=1, bitorder="little").tobytes()
    return [int.from_bytes(data[i : i + width], "little") for i in range(0, len(data), width)]


def fewest_orders(
    rivals: Boxes, points: Instances, given: Bools | None = None
) -> tuple[Ints, Bools]:
    """Return the axes of :func:`fewest_order` for each point, and whether they are proved.

    ``given`` marks axes that get a condition anyway, so that rivals that one of them separates from
    a point need no other.
    """
    space = rivals.space
    orders, proved = np.tile(space.axes, (len(points), 1)), np.ones(len(points), dtype=np.bool_)
    tested = np.flatnonzero(rivals.tests().any(axis=0))
    if not len(tested):
        return orders, proved
    is_given = np.zeros(len(space), dtype=np.bool_) if given is None else given
    free, anyway = tested[~is_given[tested]], np.flatnonzero(is_given)
    step = max(1, _AT_ONCE // (len(rivals) * len(tested)))
    known: dict[bytes, tuple[Ints, bool]] = {}
    of_sets: dict[frozenset[int], tuple[Ints, bool]] = {}
    for start in range(0, len(points), step):
        block = points.take(slice(start, start + step))
        apart = rivals.outside(block, free)
        apart[rivals.outside(block, tested[is_given[tested]]).any(axis=2)] = False
        keys = np.packbits(apart.reshape(len(block), -1), axis=1)
        _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        each = []
        for row in first.tolist():
            key = keys[row].tobytes()
            if key not in known:
                sets = frozenset(_bits(apart[row])) - {0}
                if sets not in of_sets:
                    numbers, is_proved = smallest_hitting_set(sets)
                    of_sets[sets] = _order(space, np.append(free[numbers], anyway)), is_proved
                known[key] = of_sets[sets]
            each.append(known[key])
        rows = slice(start, start + len(block))
        orders[rows] = np.array([order for order, _ in each])[group.ravel()]
        proved[rows] = np.array([is_proved for _, is_proved in each])[group.ravel()]
    return orders, proved


def smallest_hitting_set(sets: Iterable[int]) -> tuple[list[int], bool]:
    """Return as few numbers as possible such that each set contains one, and whether it is proved.

    Sets of numbers are given as bits. After many steps, the greedy choice is returned.

    >>> smallest_hitting_set([0b011, 0b110])
    ([1], True)
    """
    distinct = sorted(set(sets), key=lambda s: (s.bit_count(), s))
    smallest: list[int] = []
    for one in distinct:  # a set that contains another one needs no number of its own
        if not any(other & one == other for other in smallest):
            smallest.append(one)
    numbers, is_proved = _hitting(tuple(smallest))
    return list(numbers), is_proved


# Points of different cells often have the same sets in the end.
@lru_cache(maxsize=4_096)
def _hitting(sets: tuple[int, ...]) -> tuple[tuple[int, ...], bool]:
    search = _HittingSearch(list(sets))
    best = search.greedy()
    for size in range(1, len(best)):
        found = search.within(size)
        if found is not None:
            return tuple(sorted(found)), True
        if search.steps > _STEPS:
            return tuple(sorted(best)), False
    return tuple(sorted(best)), True


class _HittingSearch:
    def __init__(self, sets: list[int]) -> None:
        self.sets = sets
        self.steps = 0
        # numbers that many sets contain are tried first
        often = Counter(n for one in sets for n in _numbers(one))
        self.often = {n: often[n] for n in sorted(often)}

    def _numbers(self, one: int) -> list[int]:
        return sorted(_numbers(one), key=lambda n: -self.often[n])

    def greedy(self) -> list[int]:
        left, chosen = self.sets, []
        while left:
            counts = Counter(n for one in left for n in _numbers(one))
            best = min(counts, key=lambda n: (-counts[n], n))
            chosen.append(best)
            left = [s for s in left if not s >> best & 1]
        return chosen

    def within(self, size: int) -> list[int] | None:
        """Return a hitting set of at most so many numbers; None if there is none, or too late."""
        return self._within(self.sets, size)

    def _within(self, left: list[int], size: int) -> list[int] | None:
        if not left:
            return []
        self.steps += 1
        if size == 0 or self.steps > _STEPS or _disjoint(left) > size:
            return None
        for number in self._numbers(min(left, key=int.bit_count)):
            rest = self._within([s for s in left if not s >> number & 1], size - 1)
            if rest is not None:
                return [number, *rest]
        return None


def _numbers(one: int) -> list[int]:
    """Return the numbers of a set, ascending."""
    return [n for n in range(one.bit_length()) if one >> n & 1]


def _disjoint(sets: list[int]) -> int:
    """Return a number of disjoint sets, each of which needs a number of its own."""
    seen = n = 0
    for one in sets:
        if not one & seen:
            seen |= one
            n += 1
    return n
