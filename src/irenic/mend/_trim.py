"""The largest box inside another that some boxes leave free, by branch and bound.

A node is a box. Where a rival still meets it, every free box inside lies beside that rival on one
of its sides: each side makes a smaller box, which bounds what can be found in it. The largest box
is looked at first, so the first that is free is the largest of all.
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
# Boxes that are looked at before the best so far has to do.
_MOST_NODES: Final = 2_000


class Free(NamedTuple):
    """A free box (none: no row), and whether it is proved that none scores higher."""

    box: Boxes
    proved: bool


def largest_free(box: Boxes, rivals: Boxes, scores: Scores, meter: Meter) -> Free:
    """Return the box inside another that meets no rival and scores highest.

    Parameters
    ----------
    scores : callable
        Gives each of some boxes a tuple of numbers; no box may score more than one that holds it.
    """
    rivals = rivals.take(rivals.meeting(box))
    queue = [(_negative(scores(box)[0]), 0, box)]
    seen: set[bytes] = set()
    pushed, nodes = 1, 0
    while queue:
        _, _, top = heapq.heappop(queue)
        near = rivals.take(rivals.meeting(top))
        if not len(near):
            return Free(top, True)
        nodes += 1
        if nodes > _MOST_NODES or meter.spent():
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
    """Return the largest boxes inside a box that lie beside a rival, one a side that has room."""
    found = []
    for axis in range(box.lower.shape[1]):
        for cut, side in ((rival.lower[0, axis], "upper"), (rival.upper[0, axis], "lower")):
            if box.lower[0, axis] < cut < box.upper[0, axis]:
                child = box.copy()
                getattr(child, side)[0, axis] = cut
                found.append(child)
    for words in box.space.sets:
        child = box.copy()
        child.masks[0, words] &= ~rival.masks[0, words]
        if child.masks[0, words].any():
            found.append(child)
    return Boxes.none(box.space).concat(*found)


def _widest(rivals: Boxes, box: Boxes, scores: Scores) -> Boxes:
    """Return the rival that takes the most of a box: its sides bound the rest best."""
    taken = scores(rivals & box)
    return rivals.take([max(range(len(taken)), key=lambda row: (taken[row], -row))])


def _dive(box: Boxes, rivals: Boxes, scores: Scores) -> Boxes:
    """Return a free box, taking the best side of each rival without looking back."""
    while len(rivals):
        children = beside(box, _widest(rivals, box, scores))
        if not len(children):
            return Boxes.none(box.space)
        each = scores(children)
        box = children.take([max(range(len(each)), key=lambda row: (each[row], -row))])
        rivals = rivals.take(rivals.meeting(box))
    return box


def _negative(score: Score) -> Score:
    return tuple(-part for part in np.asarray(score, dtype=float).tolist())
