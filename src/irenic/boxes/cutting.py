"""Recursive cutting: find the parts of a box that no other box covers, or prove that none exist.

A box that overlaps no other box is a gap. A box inside another one is covered. Any other box is cut
in two at a bound of one of the others, and both halves are searched. The cut is the one that leaves
the fewest boxes on the fuller side and cuts through the fewest. Memory is bounded by the depth of
the cuts.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from irenic.budget import Meter, Progress
from irenic.kernels import structs

if TYPE_CHECKING:
    from irenic.boxes.boxes import Boxes

# Nodes between two checks of the budget: well under a tenth of a second.
_BURST = 2_000
# Initial depth of the stack, and room for gaps unless only the first is needed.
_DEPTH = 64
_PARTS = 1_024


@cache
def warm_up() -> None:
    """Compile the kernel, so that no budget is spent on it."""
    from irenic.kernels import gaps as kernels

    bounds, masks, ints = np.empty((0, 0)), np.empty((0, 0), np.uint64), np.empty(0, np.int64)
    boxes = structs.Boxes(bounds, bounds, masks, np.zeros(1, np.int64))
    stack = structs.Stack(np.empty(0, np.int32), ints, ints, bounds, bounds, masks)
    kernels.find_gaps(boxes, stack, 0, 0, boxes)


class Cutter:
    """Recursive cutting that can be interrupted and resumed.

    Parameters
    ----------
    boxes : Boxes
        The boxes to subtract, all of which overlap the box.
    box : Boxes of length 1
        The box to cut.
    first : bool
        Return from a step as soon as it finds a gap.
    """

    def __init__(self, boxes: Boxes, box: Boxes, *, first: bool = False) -> None:
        self.box = box
        self.by = _struct(boxes)
        n, d = self.by.lower.shape
        items = np.empty(4 * n + 64, dtype=np.int32)
        items[:n] = np.arange(n)
        self.stack = structs.Stack(
            items,
            np.zeros(_DEPTH, dtype=np.int64),
            np.full(_DEPTH, n, dtype=np.int64),
            *(np.repeat(array, _DEPTH, axis=0) for array in (box.lower, box.upper, box.masks)),
        )
        self.depth = 1
        room = 2 * d + len(box.space.categorical) + (1 if first else _PARTS)
        self.out = structs.Boxes(
            np.empty((room, d)),
            np.empty((room, d)),
            np.empty((room, box.space.n_words), dtype=np.uint64),
            box.space.starts,
        )
        self.found: list[Boxes] = []  # the gaps

    def step(self, max_nodes: int) -> tuple[int, int]:
        """Search up to ``max_nodes`` nodes; return the number of nodes and of gaps found."""
        from irenic.kernels import gaps as kernels

        self.depth, n_gaps, nodes = kernels.find_gaps(
            self.by, self.stack, self.depth, max_nodes, self.out
        )
        if n_gaps:
            self.found.append(self._written(n_gaps))
        elif not nodes and self.depth:
            # the kernel stopped because the stack is full
            self.stack = structs.Stack(*(np.concatenate([a, np.empty_like(a)]) for a in self.stack))
        return nodes, n_gaps

    def bursts(self, meter: Meter, progress: Progress | None = None) -> Iterator[int]:
        """Search until done or the budget is used up, and yield the new gaps of each burst."""
        limit = meter.budget.nodes
        while self.depth:
            burst = _BURST if limit is None else max(1, min(_BURST, limit - meter.nodes))
            nodes, n_gaps = self.step(burst)
            spent = meter.spent(nodes=nodes, regions=n_gaps)
            if progress is not None and progress(meter.nodes, meter.regions):
                meter.stopped_by = "interrupt"
                spent = True
            yield n_gaps
            if spent and self.depth:
                return
        meter.stopped_by = None

    def boxes(self) -> Boxes:
        """Return the gaps found so far."""
        return self._written(0).concat(*self.found)

    def _written(self, n: int) -> Boxes:
        """Return a copy of the first ``n`` boxes that the kernel wrote."""
        lower, upper, masks, _ = self.out
        return self.box.like(lower[:n].copy(), upper[:n].copy(), masks[:n].copy())


def _struct(boxes: Boxes) -> structs.Boxes:
    lower, upper, masks = map(np.ascontiguousarray, (boxes.lower, boxes.upper, boxes.masks))
    return structs.Boxes(lower, upper, masks, boxes.space.starts)
