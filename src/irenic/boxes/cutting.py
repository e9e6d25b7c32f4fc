"""Recursive cutting: find the parts of a box that no other box covers, or prove that none exist.

A box that overlaps no other box is a gap. A box inside another one is covered. Any other box is cut
in two at a bound of one of the others, and both halves are searched. The cut is the one that leaves
the fewest boxes on the fuller side and cuts through the fewest. Memory is bounded by the depth of
the cuts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from irenic.budget import Meter, Progress
from irenic.kernels import gaps, structs

if TYPE_CHECKING:
    from irenic.boxes.boxes import Boxes

# Nodes between two checks of the budget: well under a tenth of a second.
_BURST = 2_000
# Initial depth of the stack, and room for gaps unless only the first is needed.
_DEPTH = 64
_PARTS = 1_024


class Cutter:
    """Recursive cutting of a box by boxes that all overlap it; it can be interrupted and resumed.

    With ``first``, a step returns as soon as it finds a gap.
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
        self.out = structs.BoxRows(
            np.empty((room, d)),
            np.empty((room, d)),
            np.empty((room, words), dtype=np.uint64),
            box.space.starts,
        )
        self.found: list[Boxes] = []  # the gaps

    def step(self, max_nodes: int) -> tuple[int, int]:
        """Search up to ``max_nodes`` nodes; return the number of nodes and of gaps found."""
        self.depth, n_gaps, nodes = gaps.find_gaps(
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
        out = self.out
        return self.box.like(out.lower[:n].copy(), out.upper[:n].copy(), out.masks[:n].copy())


def _struct(boxes: Boxes) -> structs.BoxRows:
    lower, upper = (np.ascontiguousarray(a, np.float64) for a in (boxes.lower, boxes.upper))
    masks = np.ascontiguousarray(boxes.masks, np.uint64)
    return structs.BoxRows(lower, upper, masks, boxes.space.starts)
