"""Recursive cutting: the boxes that no rule covers, or the proof that there is none.

Take a box, at first the whole space, and the rules that meet it. No rule: the box is a gap. One
rule that covers it: nothing is missing there. Otherwise cut the box in two at a bound of one of
its rules, the one that leaves the fewest rules on the fuller side and is cut through by the
fewest, and look at both halves. Memory is bounded by the depth of the cuts.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from irenic.budget import Meter, Progress
from irenic.packed import PackedRules
from irenic.region import Region
from irenic.space import Space

Floats: TypeAlias = npt.NDArray[np.float64]
Words: TypeAlias = npt.NDArray[np.uint64]
Bools: TypeAlias = npt.NDArray[np.bool_]

# Nodes between two looks at the clock: well under a tenth of a second.
_BURST = 2_000


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

    def region(self, space: Space, row: int = 0) -> Region:
        """Return one box as a region."""
        return Region.from_packed(
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
        from irenic import _kernels

        self.depth, found, nodes = _kernels.find_gaps(
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


def merged(space: Space, boxes: Boxes) -> Boxes:
    """Return disjoint boxes with neighbours that together make a box merged, sorted.

    Axis after axis, boxes that are equal on all others are put side by side and joined where they
    touch, until a round joins none.
    """
    if not len(space):
        return boxes
    before = -1
    while before != len(boxes.low):
        before = len(boxes.low)
        for i in range(boxes.low.shape[1]):
            boxes = _merge_axis(boxes, i)
        for start, stop in pairwise(space.starts.tolist()):
            boxes = _merge_sets(boxes, start, stop)
    return boxes.take(np.lexsort((*boxes.masks.T[::-1], *boxes.low.T[::-1])))


def _groups(columns: list[npt.NDArray[Any]], n: int) -> npt.NDArray[np.intp]:
    """Return for each row the number of the group of rows that are equal in all columns."""
    if not columns:
        return np.zeros(n, dtype=np.intp)
    # adding 0 turns -0.0 into 0.0, which compares equal and has other bits
    key = np.column_stack([np.add(column, 0, dtype=column.dtype).view("u8") for column in columns])
    rows = np.ascontiguousarray(key).view([("", key.dtype)] * key.shape[1]).ravel()
    return np.unique(rows, return_inverse=True)[1]


def _merge_axis(boxes: Boxes, axis: int) -> Boxes:
    others = [i for i in range(boxes.low.shape[1]) if i != axis]
    columns = [*boxes.low.T[others], *boxes.high.T[others], *boxes.masks.T]
    group = _groups(columns, len(boxes.low))
    order = np.lexsort((boxes.low[:, axis], group))
    boxes, group = boxes.take(order), group[order]
    if len(group) < 2:
        return boxes
    touch = boxes.high[:-1, axis] == boxes.low[1:, axis]
    first = np.flatnonzero(np.append(True, ~(touch & (group[1:] == group[:-1]))))
    last = np.append(first[1:], len(group)) - 1
    high = boxes.high[first]
    high[:, axis] = boxes.high[last, axis]
    return Boxes(boxes.low[first], high, boxes.masks[first])


def _merge_sets(boxes: Boxes, start: int, stop: int) -> Boxes:
    rest = [w for w in range(boxes.masks.shape[1]) if not start <= w < stop]
    columns = [*boxes.low.T, *boxes.high.T, *boxes.masks.T[rest]]
    group = _groups(columns, len(boxes.masks))
    if not len(group):
        return boxes
    order = np.argsort(group, kind="stable")
    boxes, group = boxes.take(order), group[order]
    first = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    masks = boxes.masks[first]
    masks[:, start:stop] = np.bitwise_or.reduceat(boxes.masks[:, start:stop], first, axis=0)
    return Boxes(boxes.low[first], boxes.high[first], masks)
