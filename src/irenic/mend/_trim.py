"""The largest box inside another that some boxes leave free, by branch and bound.

A node is a box. Where a rival still meets it, every free box inside lies beside that rival on one
of its sides: each side makes a smaller box, which bounds what can be found in it. The largest box
is looked at first, so the first that is free is the largest of all.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from irenic.budget import Meter
from irenic.mend._boxes import bits_of, common, joined, no_boxes
from irenic.model.cutting import Boxes
from irenic.model.space import Space

Score = tuple[float, ...]
Scores = Callable[[Boxes], list[Score]]
# Boxes that are looked at before the best so far has to do.
_MOST_NODES: Final = 2_000


class Free(NamedTuple):
    """A free box (none: no row), and whether it is proved that none scores higher."""

    box: Boxes
    proved: bool


def largest_free(space: Space, box: Boxes, rivals: Boxes, scores: Scores, meter: Meter) -> Free:
    """Return the box inside another that meets no rival and scores highest.

    Parameters
    ----------
    scores : callable
        Gives each of some boxes a tuple of numbers; no box may score more than one that holds it.
    """
    rivals = rivals.take(rivals.meeting(space, box))
    queue = [(_negative(scores(box)[0]), 0, box)]
    seen: set[bytes] = set()
    pushed, nodes = 1, 0
    while queue:
        _, _, top = heapq.heappop(queue)
        near = rivals.take(rivals.meeting(space, top))
        if not len(near.low):
            return Free(top, True)
        nodes += 1
        if nodes > _MOST_NODES or meter.spent():
            meter.stopped_by = None
            return Free(_dive(space, top, near, scores), False)
        children = beside(space, top, _widest(space, near, top, scores))
        if len(children.low):
            for row, child_score in enumerate(scores(children)):
                child = children.take([row])
                key = bits_of(child).tobytes()
                if key not in seen:
                    seen.add(key)
                    heapq.heappush(queue, (_negative(child_score), pushed, child))
                    pushed += 1
    return Free(no_boxes(space), True)


def beside(space: Space, box: Boxes, rival: Boxes) -> Boxes:
    """Return the largest boxes inside a box that lie beside a rival, one a side that has room."""
    found = []
    for axis in range(box.low.shape[1]):
        for cut, side in ((rival.low[0, axis], "high"), (rival.high[0, axis], "low")):
            if box.low[0, axis] < cut < box.high[0, axis]:
                child = box.copy()
                getattr(child, side)[0, axis] = cut
                found.append(child)
    for a, b in pairwise(space.starts.tolist()):
        child = box.copy()
        child.masks[0, a:b] &= ~rival.masks[0, a:b]
        if child.masks[0, a:b].any():
            found.append(child)
    return joined(space, found)


def _widest(space: Space, rivals: Boxes, box: Boxes, scores: Scores) -> Boxes:
    """Return the rival that takes the most of a box: its sides bound the rest best."""
    shared, _ = common(space, rivals, box)
    taken = scores(shared)
    return rivals.take([max(range(len(taken)), key=lambda row: (taken[row], -row))])


def _dive(space: Space, box: Boxes, rivals: Boxes, scores: Scores) -> Boxes:
    """Return a free box, taking the best side of each rival without looking back."""
    while len(rivals.low):
        children = beside(space, box, _widest(space, rivals, box, scores))
        if not len(children.low):
            return no_boxes(space)
        each = scores(children)
        box = children.take([max(range(len(each)), key=lambda row: (each[row], -row))])
        rivals = rivals.take(rivals.meeting(space, box))
    return box


def _negative(score: Score) -> Score:
    return tuple(-part for part in np.asarray(score, dtype=float).tolist())
