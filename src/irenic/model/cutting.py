"""Recursive cutting: the boxes that no rule covers, or the proof that there is none.

Take a box, at first the whole space, and the rules that meet it. No rule: the box is a gap. One
rule that covers it: nothing is missing there. Otherwise cut the box in two at a bound of one of
its rules, the one that leaves the fewest rules on the fuller side and is cut through by the
fewest, and look at both halves. Memory is bounded by the depth of the cuts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from irenic.budget import Meter, Progress
from irenic.model.packed import PackedRules
from irenic.model.region import Region
from irenic.model.space import Space

Floats: TypeAlias = npt.NDArray[np.float64]
Words: TypeAlias = npt.NDArray[np.uint64]
Bools: TypeAlias = npt.NDArray[np.bool_]

# Nodes between two looks at the clock: well under a tenth of a second.
_BURST = 2_000


@cache
def warm_up() -> None:
    """Have the kernel compiled, so that no budget pays for it."""
    from irenic.kernels import packed as kernels

    low, words, ints = np.empty((0, 0)), np.empty((0, 0), np.uint64), np.empty(0, np.int64)
    starts, items = np.zeros(1, np.int64), np.empty(0, np.int32)
    kernels.find_gaps(
        *(low, low, words, starts, items, ints, ints, low, low, words),
        *(0, 0, low, low, words),
    )


class Boxes(NamedTuple):
    """Boxes with a row each; bounds that the space implies are open."""

    low: Floats
    high: Floats
    masks: Words

    @classmethod
    def of_rules(cls, packed: PackedRules, chosen: Bools) -> Boxes:
        """Return the regions of the chosen rules."""
        space, n = packed.space, packed.n
        lower, upper = space.drop_implied(
            packed.lower[:, :n][:, chosen], packed.upper[:, :n][:, chosen]
        )
        masks = packed.masks[:, :n][:, chosen] & space.everything[:, None]
        return cls(lower.T.copy(), upper.T.copy(), masks.T.copy())

    @classmethod
    def of_region(cls, region: Region) -> Boxes:
        """Return a region as a single box."""
        simple = region.simplified()
        masks = simple.masks & simple.space.everything
        return cls(simple.lower[None].copy(), simple.upper[None].copy(), masks[None])

    def copy(self) -> Boxes:
        """Return boxes that can be changed on their own."""
        return Boxes(self.low.copy(), self.high.copy(), self.masks.copy())

    def take(self, rows: Any) -> Boxes:
        """Return the boxes at the given places (a slice, indices or a boolean mask)."""
        return Boxes(self.low[rows], self.high[rows], self.masks[rows])

    def meeting(self, space: Space, box: Boxes) -> Bools:
        """Return which of the boxes have a point in common with a single one."""
        meets = (self.low < box.high) & (box.low < self.high)
        found = np.asarray(meets.all(axis=1))
        common = self.masks & box.masks
        for a, b in pairwise(space.starts):
            found &= common[:, a:b].any(axis=1)
        return found

    def region(self, space: Space, row: int = 0) -> Region:
        """Return one box as a region."""
        return Region.from_kernel(
            space, self.low[row].copy(), self.high[row].copy(), self.masks[row].copy()
        )


class Cutter:
    """Recursive cutting as a state that can be left and taken up again.

    Parameters
    ----------
    space : Space
    rules : Boxes
        All of them meet the box.
    box : Boxes
        The one box to cut.
    first : bool
        Come back as soon as something was found.
    """

    def __init__(self, space: Space, rules: Boxes, box: Boxes, *, first: bool = False) -> None:
        self.space = space
        self.low, self.high = np.ascontiguousarray(rules.low), np.ascontiguousarray(rules.high)
        self.masks = np.ascontiguousarray(rules.masks)
        (n, d), words = self.low.shape, space.n_words
        self.items = np.empty(4 * n + 64, dtype=np.int32)
        self.items[:n] = np.arange(n)
        depth = 64
        self.begin = np.zeros(depth, dtype=np.int64)
        self.end = np.full(depth, n, dtype=np.int64)
        self.box_low = np.tile(box.low, (depth, 1))
        self.box_high = np.tile(box.high, (depth, 1))
        self.box_masks = np.tile(box.masks, (depth, 1))
        self.depth = 1
        room = 2 * d + len(space.categorical) + (1 if first else 1024)
        self.out_low, self.out_high = np.empty((room, d)), np.empty((room, d))
        self.out_masks = np.empty((room, words), dtype=np.uint64)
        self.found: list[Boxes] = []

    def step(self, max_nodes: int) -> tuple[int, int]:
        """Look at up to so many nodes; return how many, and how many gaps they gave."""
        from irenic.kernels import packed as kernels

        self.depth, found, nodes = kernels.find_gaps(
            *(self.low, self.high, self.masks, self.space.starts, self.items),
            *(self.begin, self.end, self.box_low, self.box_high, self.box_masks),
            *(self.depth, max_nodes, self.out_low, self.out_high, self.out_masks),
        )
        if found:
            outs = Boxes(self.out_low, self.out_high, self.out_masks)
            self.found.append(outs.take(slice(found)).copy())
        elif not nodes and self.depth:
            self._grow()
        return nodes, found

    def _grow(self) -> None:
        """Make room on the stack; the kernel stopped for lack of it."""
        for name in ("items", "begin", "end", "box_low", "box_high", "box_masks"):
            array = getattr(self, name)
            setattr(self, name, np.concatenate([array, np.empty_like(array)]))

    def bursts(self, meter: Meter, progress: Progress | None = None) -> Iterator[int]:
        """Work until done or the budget is used up; yield the number of new gaps now and then."""
        most = meter.budget.nodes
        while self.depth:
            left = _BURST if most is None else max(1, min(_BURST, most - meter.nodes))
            nodes, found = self.step(left)
            spent = meter.spent(nodes=nodes, regions=found)
            if progress is not None and progress(meter.nodes, meter.regions):
                meter.stopped_by = "interrupt"
                spent = True
            yield found
            if spent and self.depth:
                return
        meter.stopped_by = None

    def boxes(self) -> Boxes:
        """Return what was found so far."""
        if not self.found:
            return Boxes(self.out_low[:0], self.out_high[:0], self.out_masks[:0])
        low, high, masks = zip(*self.found, strict=True)
        return Boxes(np.concatenate(low), np.concatenate(high), np.concatenate(masks))


def uncovered(space: Space, box: Boxes, by: Boxes, meter: Meter | None = None) -> Boxes:
    """Return what of a box none of some others covers: disjoint boxes, neighbours merged.

    If the meter's budget ends the search, it says so and only a part is returned, unmerged.
    """
    warm_up()
    meter = meter or Meter(None)
    cutter = Cutter(space, by.take(by.meeting(space, box)), box)
    for _ in cutter.bursts(meter):
        pass
    found = cutter.boxes()
    return found if meter.stopped_by is not None else merged(space, found, meter)


def is_covered(space: Space, box: Boxes, by: Boxes, meter: Meter | None = None) -> bool | None:
    """Return whether some boxes together cover a box; None if the budget ended the search."""
    warm_up()
    meter = meter or Meter(None)
    cutter = Cutter(space, by.take(by.meeting(space, box)), box, first=True)
    if any(found for found in cutter.bursts(meter)):
        return False
    return True if meter.stopped_by is None else None


def merged(space: Space, boxes: Boxes, meter: Meter | None = None) -> Boxes:
    """Return disjoint boxes with neighbours that together make a box merged, sorted.

    Axis after axis, boxes that are equal on all others are put side by side and joined where they
    touch, until a round joins none, or the meter's seconds are used up: boxes that could be one
    are as right as two.
    """
    if not len(space):
        return boxes
    d = boxes.low.shape[1]
    # adding 0 turns -0.0 into 0.0, which compares equal and has other bits
    bits = np.hstack([(boxes.low + 0.0).view("u8"), (boxes.high + 0.0).view("u8"), boxes.masks])
    table = _Table(bits, d)
    sets = [list(range(2 * d + a, 2 * d + b)) for a, b in pairwise(space.starts.tolist())]
    before = -1
    while before != len(table.bits):
        before = len(table.bits)
        for columns in [[axis, d + axis] for axis in range(d)] + sets:
            if meter is None or not meter.late:
                table.join(columns)
    low, high = (table.bits[:, part].view("f8") for part in (slice(d), slice(d, 2 * d)))
    result = Boxes(low.copy(), high.copy(), table.bits[:, 2 * d :].copy())
    return result.take(np.lexsort((*result.masks.T[::-1], *result.low.T[::-1])))


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
