"""The paths of CFSGS (Section III-A): one negated test of each rule, all satisfied together.

A depth-first search over the levels of the paper's graph, which is never built. It differs from
the paper in what it leaves out, not in what it finds:

- A rule that the region already misses is passed without branching: some constraint of it holds,
  and the others would only shrink the region.
- A branch is entered only if something in it is uncovered, which recursive cutting decides, so
  that the search never fails after having gone deep.
- A branch whose region lies within an earlier constraint of the same rule is left out: all that
  is free in it is found in that earlier branch.
- Where only maximal regions are asked for, a box is first shrunk to the hull of what is free in
  it: no region is lost, and the rules outside the hull need no constraint.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from irenic.boxes import Boxes
from irenic.boxes.arrays import Ints, Words
from irenic.boxes.cutting import Cutter
from irenic.budget import Budget, Meter, Progress
from irenic.model.region import Region
from irenic.model.space import Instances


class Negation(NamedTuple):
    """One negated test: on which axis, and what is left there."""

    axis: int
    """The axis, continuous features first."""
    below: bool
    """On a continuous axis: ``f < value``, else ``f >= value``."""
    value: float
    words: Words
    """On a categorical axis: the values that are left, among those of all features."""

    def cut(self, box: Boxes) -> Boxes | None:
        """Return the part of a box in which the test fails, None if there is none."""
        box = box.copy()
        axis, d = self.axis, box.lower.shape[1]
        if axis >= d:
            words = box.masks[0, box.space.sets[axis - d]]
            words &= self.words
            return box if words.any() else None
        if self.below:
            box.upper[0, axis] = min(box.upper[0, axis], self.value)
        else:
            box.lower[0, axis] = max(box.lower[0, axis], self.value)
        return box if box.lower[0, axis] < box.upper[0, axis] else None

    def holds(self, box: Boxes) -> bool:
        """Return whether the test fails everywhere in a box."""
        axis, d = self.axis, box.lower.shape[1]
        if axis >= d:
            return not (box.masks[0, box.space.sets[axis - d]] & ~self.words).any()
        if self.below:
            return bool(box.upper[0, axis] <= self.value)
        return bool(box.lower[0, axis] >= self.value)


def negations(boxes: Boxes, row: int) -> list[tuple[int, Negation]]:
    """Return the negated tests of a rule, in the order of the features, with their indices.

    A continuous feature has two, its lower bound's and its upper bound's, a categorical one has
    one. Those that nothing satisfies (``f < -inf``) are left out; the indices count them.
    """
    space, d = boxes.space, boxes.lower.shape[1]
    found: list[tuple[int, Negation]] = []
    index = 0
    for axis in space.axes.tolist():
        if axis < d:
            low, high = float(boxes.lower[row, axis]), float(boxes.upper[row, axis])
            if low > -np.inf:
                found.append((index, Negation(axis, True, low, _NO_WORDS)))
            if high < np.inf:
                found.append((index + 1, Negation(axis, False, high, _NO_WORDS)))
            index += 2
        else:
            part = space.sets[axis - d]
            words = space.everything[part] & ~boxes.masks[row, part]
            if words.any():
                found.append((index, Negation(axis, True, 0.0, words)))
            index += 1
    return found


_NO_WORDS = np.empty(0, dtype=np.uint64)


# More free boxes are not listed: looking through them would cost more than they save.
_LISTING = 64


def count_negations(boxes: Boxes) -> Ints:
    """Return how many negated tests each rule has: the length of what negations() returns."""
    d = boxes.lower.shape[1]
    bounds = (boxes.lower > -np.inf).sum(axis=1) + (boxes.upper < np.inf).sum(axis=1)
    return np.asarray(bounds + boxes.tests()[:, d:].sum(axis=1), dtype=np.int64)


class _Node(NamedTuple):
    box: Boxes
    rules: npt.NDArray[np.intp]
    """The rules that meet the box, in the order of the levels."""
    excluded: tuple[Negation, ...]
    """Earlier constraints: what lies within one of them was found there."""
    rows: npt.NDArray[np.intp]
    """The instances in the box."""
    gap: Boxes | None
    """Boxes in it that are known to be free."""
    all_free: bool
    """Whether these are all that is free."""


class Options(NamedTuple):
    """How to search, and for which regions."""

    rng: np.random.Generator | None = None
    """Explore the levels, and the constraints of each, in random order. Both orders are drawn
    once for the whole search."""
    maximal: bool = False
    """Only regions that cannot be enlarged, each once."""
    instances: Instances | None = None
    least: int = 0
    """Only regions that hold at least so many of the instances."""
    progress: Progress | None = None
    """Called with the nodes and regions so far, after each region and in a long search for one."""


class Paths:
    """The regions of all consistent paths, one after the other.

    Parameters
    ----------
    rivals : Boxes
        The rules that count, simplified.
    box : Boxes
        The one box in which to search, simplified.
    meter : Meter
    options : Options
    """

    def __init__(self, rivals: Boxes, box: Boxes, meter: Meter, options: Options) -> None:
        self.rules, self.root, self.meter = rivals, box, meter
        self.rng, self.maximal, self.instances, self.least, self.progress = options
        self.shuffled: dict[int, list[Negation]] = {}

    def __iter__(self) -> Iterator[Region]:
        rows = np.arange(0 if self.instances is None else len(self.instances))
        root = _Node(self.root, self._levels(), (), rows, None, False)
        opened = self._opened(root._replace(rules=self._meeting(root), rows=self._inside(root)))
        if opened is not None and not len(opened.rules):
            yield from self._hand_on(opened.box)
            return
        stack = [self._children(opened)] if opened is not None else []
        while stack:
            node = next(stack[-1], None)
            if node is None:
                stack.pop()
            elif self.meter.stopped_by is not None:
                return
            elif len(node.rules):
                stack.append(self._children(node))
            elif not self.maximal or self._is_maximal(node.box):
                yield from self._hand_on(node.box)
            if self.meter.stopped_by is not None:
                return

    def _hand_on(self, box: Boxes) -> Iterator[Region]:
        """Yield a region; what the caller does with it is not charged to the budget."""
        self.meter.spent(regions=1)
        self._tell()
        self.meter.pause()
        yield Region.from_box(box)
        self.meter.resume()

    def _tell(self, nodes: int = 0) -> None:
        """Report progress, with nodes that the meter has not counted yet."""
        try:
            asked = self.progress and self.progress(self.meter.nodes + nodes, self.meter.regions)
        except KeyboardInterrupt:  # what has just been found is still to be handed on
            asked = True
        if asked:
            self.meter.stopped_by = "interrupt"

    # --- going down

    def _levels(self) -> npt.NDArray[np.intp]:
        """Return the rules in the order of the levels.

        A random order starts from sorted rules, so that what is drawn depends on the rules alone
        and not on the order in which they are given.
        """
        if self.rng is None:
            return np.arange(len(self.rules))
        keys = self.rules.keys()
        ordered = sorted(range(len(keys)), key=lambda row: keys[row].tobytes())
        return np.array(ordered, dtype=np.intp)[self.rng.permutation(len(keys))]

    def _constraints(self, row: int) -> list[Negation]:
        """Return the constraints of a level, in the order in which they are explored."""
        if row in self.shuffled:
            return self.shuffled[row]
        found = [c for _, c in negations(self.rules, row)]
        if self.rng is not None:
            found = [found[i] for i in self.rng.permutation(len(found))]
            self.shuffled[row] = found
        return found

    def _children(self, node: _Node) -> Iterator[_Node]:
        """Yield the nodes below: the first rule's constraints that leave something free."""
        excluded = node.excluded
        for constraint in self._constraints(int(node.rules[0])):
            box = constraint.cut(node.box)
            if box is None:
                continue
            child = node._replace(box=box, rules=node.rules[1:], excluded=excluded)
            child = child._replace(rules=self._meeting(child), rows=self._inside(child))
            excluded = (*excluded, constraint)
            if any(other.holds(box) for other in child.excluded):
                continue
            opened = self._opened(child)
            if self.meter.stopped_by is not None:
                return
            if opened is not None:
                yield opened

    def _opened(self, node: _Node) -> _Node | None:
        """Return the node with what is known to be free in it, None if there is nothing."""
        if self.least and len(node.rows) < self.least:
            return None
        if self.meter.spent():
            return None
        self.meter.nodes += 1
        if not len(node.rules):
            return node
        gap, all_free = node.gap, node.all_free
        if gap is not None:
            gap = gap & node.box
            gap = gap if len(gap) else None
        if gap is None and not all_free:
            gap, all_free = self._gaps(node)
        if gap is None:
            return None
        node = node._replace(gap=gap, all_free=all_free)
        return self._shrunk(node) if self.maximal and all_free else node

    def _shrunk(self, node: _Node) -> _Node | None:
        """Return the node with its box shrunk to the hull of all that is free in it."""
        gap = node.gap
        assert gap is not None
        hull = gap.hull()
        if (hull.keys() == node.box.keys()).all():
            return node
        node = node._replace(box=hull)
        node = node._replace(rules=self._meeting(node), rows=self._inside(node))
        if self.least and len(node.rows) < self.least:
            return None
        return None if any(other.holds(hull) for other in node.excluded) else node

    def _gaps(self, node: _Node) -> tuple[Boxes | None, bool]:
        """Return boxes that are free in a node, None if there are none, and if they are all."""
        if self.meter.spent():
            return None, False
        seconds, nodes = self.meter.budget.seconds, self.meter.budget.nodes
        meter = Meter(
            Budget(
                seconds=None if seconds is None else max(0.0, seconds - self.meter.seconds),
                nodes=None if nodes is None else nodes - self.meter.nodes,
            )
        )
        cutter = Cutter(self.rules.take(node.rules), node.box, first=not self.maximal)
        for found in cutter.bursts(meter):
            if found:
                break
            if cutter.depth:
                self._tell(meter.nodes)
                if self.meter.stopped_by is not None:
                    break
        self.meter.nodes += meter.nodes
        if cutter.found and not cutter.depth and meter.regions <= _LISTING:
            return cutter.boxes(), True
        if cutter.found:
            return cutter.found[0].take(slice(0, 1)), False
        if meter.stopped_by is not None:
            self.meter.stopped_by = meter.stopped_by
        return None, False

    # --- boxes

    def _meeting(self, node: _Node) -> npt.NDArray[np.intp]:
        """Return which of the node's rules meet its box."""
        return node.rules[self.rules.take(node.rules).meeting(node.box)]

    def _inside(self, node: _Node) -> npt.NDArray[np.intp]:
        if self.instances is None:
            return node.rows
        region = Region.from_box(node.box)
        return node.rows[region.contains(self.instances.take(node.rows))]

    def _is_maximal(self, box: Boxes) -> bool:
        """Return whether no side of a free box can be moved outwards.

        A side stands still if a rule begins there that the box meets on all other axes, or if it
        is a side of the root.
        """
        meets = self.rules.meeting_by_axis(box)
        apart = meets.shape[1] - meets.sum(axis=1)
        d = box.lower.shape[1]
        for axis in range(d):
            stops = (apart == 1) & ~meets[:, axis]
            low, high = box.lower[0, axis], box.upper[0, axis]
            if low > self.root.lower[0, axis] and not (self.rules.upper[stops, axis] == low).any():
                return False
            if (
                high < self.root.upper[0, axis]
                and not (self.rules.lower[stops, axis] == high).any()
            ):
                return False
        for j, words in enumerate(box.space.sets):
            stops = (apart == 1) & ~meets[:, d + j]
            stopped = np.bitwise_or.reduce(self.rules.masks[stops][:, words], axis=0)
            if (self.root.masks[0, words] & ~box.masks[0, words] & ~stopped).any():
                return False
        return True
