"""Find the largest free box inside another by branch and bound.

A node is a box. If a rival overlaps it, every free box inside it is beside one of the sides of
that rival. Each side gives a smaller box, whose score bounds those of the free boxes inside it.
The node with the best score is explored first, so the first free one is optimal.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from irenic.boxes import Boxes
from irenic.budget import Meter

Score = tuple[float, ...]
Scores = Callable[[Boxes], list[Score]]
# After this many nodes, the search settles for a free box without a proof.
_NODE_LIMIT: Final = 2_000


class Free(NamedTuple):
    """A free box (no rows if there is none), and whether it is proved to be the best."""

    box: Boxes
    proved: bool


def largest_free(box: Boxes, rivals: Boxes, scores: Scores, meter: Meter) -> Free:
    """Return the box with the highest score inside another that overlaps no rival.

    ``scores`` returns the score of each box; no box may have a higher score than one around it.
    """
    rivals = rivals.near(box)
    queue = [(_negative(scores(box)[0]), 0, box)]
    seen: set[bytes] = set()
    pushed, nodes = 1, 0
    while queue:
        _, _, top = heapq.heappop(queue)
        near = rivals.near(top)
        if not len(near):
            return Free(top, True)
        nodes += 1
        if nodes > _NODE_LIMIT or meter.spent():
            meter.stopped_by = None
            return Free(_dive(top, near, scores), False)
        children = beside(top, _widest(near, top, scores))
        if len(children):
            for row, child_score in enumerate(scores(children)):
                child = children.take([row])
                key = child.keys().tobytes()
                if key not in seen:
                    seen.add(key)
                    heapq.heappush(queue, (_negative(child_score), pushed, child))
                    pushed += 1
    return Free(Boxes.none(box.space), True)


def beside(box: Boxes, rival: Boxes) -> Boxes:
    """Return the largest boxes inside a box beside a rival, at most one per side of the rival."""
    children = []
    for axis in range(box.lower.shape[1]):
        for cut, side in ((rival.lower[0, axis], "upper"), (rival.upper[0, axis], "lower")):
            if box.lower[0, axis] < cut < box.upper[0, axis]:
                child = box.copy()
                getattr(child, side)[0, axis] = cut
                children.append(child)
    for words in box.space.sets:
        child = box.copy()
        child.masks[0, words] &= ~rival.masks[0, words]
        if child.masks[0, words].any():
            children.append(child)
    return Boxes.none(box.space).concat(*children)


def _widest(rivals: Boxes, box: Boxes, scores: Scores) -> Boxes:
    """Return the rival that takes most of a box, because its sides give the tightest bounds."""
    overlaps = scores(rivals & box)
    return rivals.take([max(range(len(overlaps)), key=lambda row: (overlaps[row], -row))])


def _dive(box: Boxes, rivals: Boxes, scores: Scores) -> Boxes:
    """Return a free box greedily, by taking the best side of each rival."""
    while len(rivals):
        children = beside(box, _widest(rivals, box, scores))
        if not len(children):
            return Boxes.none(box.space)
        values = scores(children)
        box = children.take([max(range(len(values)), key=lambda row: (values[row], -row))])
        rivals = rivals.near(box)
    return box


def _negative(score: Score) -> Score:
    return tuple(-part for part in np.asarray(score, dtype=float).tolist())
