"""Recursive cutting: the parts of a box that no other box covers, or the proof of none.

Take a box, and the others that meet it. No other: the box is a gap. One that covers it: nothing
is missing there. Otherwise cut the box in two at a bound of one of the others, the one that leaves
the fewest of them on the fuller side and cuts through the fewest, and look at both halves. Memory
is bounded by the depth of the cuts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from irenic.budget import Meter, Progress
from irenic.kernels import gaps, structs

if TYPE_CHECKING:
    from irenic.boxes.boxes import Boxes

# Nodes between two looks at the clock: well under a tenth of a second.
_BURST = 2_000
# Room on the stack at first, and for parts where all are asked for.
_DEPTH = 64
_PARTS = 1_024


class Cutter:
    """Recursive cutting as a state that can be left and taken up again.

    Parameters
    ----------
    boxes : Boxes
        All of them meet the box.
    box : Boxes
        The one box to cut.
    first : bool
        Come back as soon as something was found.
    """

    def __init__(self, boxes: Boxes, box: Boxes, *, first: bool = False) -> None:
        self.box = box
        self.by = _struct(boxes)
        n, d = self.by.lower.shape
        words = box.space.n_words
        self.stack = structs.Stack(
            np.empty(4 * n + 64, dtype=np.int32),
            np.empty(_DEPTH, dtype=np.int64),
            np.empty(_DEPTH, dtype=np.int64),
            np.empty((_DEPTH, d)),
            np.empty((_DEPTH, d)),
            np.empty((_DEPTH, words), dtype=np.uint64),
        )
        # the box itself, which all the others meet
        self.stack.items[:n] = np.arange(n)
        self.stack.begin[0], self.stack.end[0] = 0, n
        self.stack.lower[0], self.stack.upper[0] = box.lower[0], box.upper[0]
        self.stack.masks[0] = box.masks[0]
        self.depth = 1
        room = 2 * d + len(box.space.categorical) + (1 if first else _PARTS)
        self.out = structs.Boxes(
            np.empty((room, d)),
            np.empty((room, d)),
            np.empty((room, words), dtype=np.uint64),
            box.space.starts,
        )
        self.found: list[Boxes] = []

    def step(self, max_nodes: int) -> tuple[int, int]:
        """Look at up to so many nodes; return how many, and how many gaps they gave."""
        self.depth, found, nodes = gaps.find_gaps(
            self.by, self.stack, self.depth, max_nodes, self.out
        )
        if found:
            self.found.append(self._written(found))
        elif not nodes and self.depth:
            # the kernel stopped for lack of room on the stack
            self.stack = structs.Stack(*(np.concatenate([a, np.empty_like(a)]) for a in self.stack))
        return nodes, found

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
        """Return the gaps found so far."""
        return self._written(0).concat(*self.found)

    def _written(self, n: int) -> Boxes:
        """Return a copy of the boxes that the kernel has written."""
        out = self.out
        return self.box.like(out.lower[:n].copy(), out.upper[:n].copy(), out.masks[:n].copy())


def _struct(boxes: Boxes) -> structs.Boxes:
    lower, upper = (np.ascontiguousarray(a, np.float64) for a in (boxes.lower, boxes.upper))
    masks = np.ascontiguousarray(boxes.masks, np.uint64)
    return structs.Boxes(lower, upper, masks, boxes.space.starts)
