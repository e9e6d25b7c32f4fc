"""The paths of CFSGS (Section III-A): one negated test per rule, all satisfied together.

This is a depth-first search over the levels of the paper's graph, without building the graph.
``Paths.literal`` yields the paper's paths. It leaves out only branches that lead nowhere: before a
branch is entered, recursive cutting decides whether anything in it is uncovered.

Iterating over ``Paths`` finds the same free space, but skips more work:

- A rule that does not overlap the region is skipped: one of its constraints is satisfied already,
  and any other would only shrink the region.
- A branch inside an earlier constraint of the same rule is skipped: everything free in it is found
  in that earlier branch.
- When searching for maximal regions, a box is first shrunk to the hull of its free part. No region
  is lost, and rules outside the hull need no constraint.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from irenic.arrays import Indices, Ints, Words
from irenic.boxes import Boxes
from irenic.boxes.cutting import Cutter
from irenic.budget import Budget, Meter, Progress
from irenic.model.region import Region
from irenic.model.space import Instances

_NO_WORDS = np.empty(0, dtype=np.uint64)
# Passing on more free boxes than this would cost more time than it saves.
_FREE_LIMIT = 64


class Negation(NamedTuple):
    """One negated test: an axis, and the values on it for which the test fails."""

    axis: int
    """The axis; continuous features come first."""
    below: bool
    """On a continuous axis, whether it is ``f < value`` rather than ``f >= value``."""
    value: float
    words: Words
    """On a categorical axis, the remaining values as bits."""

    def cut(self, box: Boxes) -> Boxes | None:
        """Return the part of a box in which the test fails; None if it is empty."""
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
    """Return the negated tests of a rule with their indices, in the order of the features.

    A continuous feature has two, for its lower and its upper bound; a categorical one has one.
    Unsatisfiable ones (``f < -inf``) are left out, but their indices are reserved.
    """
    space, d = boxes.space, boxes.lower.shape[1]
    tests: list[tuple[int, Negation]] = []
    index = 0
    for axis in space.axes.tolist():
        if axis < d:
            low, high = float(boxes.lower[row, axis]), float(boxes.upper[row, axis])
            if low > -np.inf:
                tests.append((index, Negation(axis, True, low, _NO_WORDS)))
            if high < np.inf:
                tests.append((index + 1, Negation(axis, False, high, _NO_WORDS)))
            index += 2
        else:
            part = space.sets[axis - d]
            words = space.everything[part] & ~boxes.masks[row, part]
            if words.any():
                tests.append((index, Negation(axis, True, 0.0, words)))
            index += 1
    return tests


def count_negations(boxes: Boxes) -> Ints:
    """Return the number of negated tests of each rule."""
    d = boxes.lower.shape[1]
    bounds = (boxes.lower > -np.inf).sum(axis=1) + (boxes.upper < np.inf).sum(axis=1)
    return np.asarray(bounds + boxes.tests()[:, d:].sum(axis=1), dtype=np.int64)


class Step(NamedTuple):
    """The constraint that a path chooses on one level."""

    row: int
    """Row of the rule."""
    test: int
    """Index of its test."""
    negation: Negation


class _Node(NamedTuple):
    box: Boxes
    rules: Indices
    """The rules of the levels below that overlap the box, in the order of the levels."""
    excluded: tuple[Negation, ...]
    """Earlier constraints; boxes inside one of them were found there."""
    rows: Indices
    """The instances in the box."""
    free: Boxes | None
    """Free boxes inside the box, if known."""
    all_free: bool
    """Whether ``free`` contains everything that is free."""


class Options(NamedTuple):
    """Options of the search."""

    rng: np.random.Generator | None = None
    """Shuffles the levels, and the constraints of each level, once for the whole search."""
    maximal: bool = False
    """Yield only regions that cannot be enlarged, each once."""
    instances: Instances | None = None
    min_instances: int = 0
    """Yield only regions that contain at least this many instances."""
    progress: Progress | None = None
    """Called after each region, and regularly during a long search for one."""


class Paths:
    """The satisfiable paths, as their regions, skipping rules that are missed anyway."""

    def __init__(self, rivals: Boxes, box: Boxes, meter: Meter, options: Options) -> None:
        self.rules, self.root, self.meter = rivals, box, meter
        self.rng, self.maximal, self.instances, self.min_instances, self.progress = options
        self.shuffled: dict[int, list[tuple[int, Negation]]] = {}

    def __iter__(self) -> Iterator[Region]:
        opened = self._opened_root()
        if opened is not None and not len(opened.rules):
            yield from self._result(opened.box)
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
                yield from self._result(node.box)
            if self.meter.stopped_by is not None:
                return

    def literal(self) -> Iterator[tuple[tuple[Step, ...], Region]]:
        """Yield the paper's paths, with one constraint of every rule, and their regions."""
        levels = self._levels.tolist()
        node = self._opened_root()
        path: list[Step] = []
        stack: list[Iterator[tuple[Step, _Node]]] = []
        while node is not None and self.meter.stopped_by is None:
            if len(path) < len(levels):
                stack.append(self._steps(node, levels[len(path)]))
            else:
                yield from ((tuple(path), region) for region in self._result(node.box))
            node = None
            while stack and node is None:
                del path[len(stack) - 1 :]
                step, node = next(stack[-1], (None, None))
                if step is None:
                    stack.pop()
                else:
                    path.append(step)

    def _result(self, box: Boxes) -> Iterator[Region]:
        """Yield a region, and stop the clock while the caller processes it."""
        self.meter.spent(regions=1)
        self._report()
        self.meter.pause()
        yield Region.from_box(box)
        self.meter.resume()

    def _report(self, nodes: int = 0) -> None:
        """Report progress, including nodes that the meter has not counted yet."""
        try:
            stop = self.progress and self.progress(self.meter.nodes + nodes, self.meter.regions)
        except KeyboardInterrupt:  # the region just found must still be yielded
            stop = True
        if stop:
            self.meter.stopped_by = "interrupt"

    # --- descending

    def _opened_root(self) -> _Node | None:
        rows = np.arange(0 if self.instances is None else len(self.instances))
        root = _Node(self.root, self._levels, (), rows, None, False)
        return self._opened(root._replace(rules=self._meeting(root), rows=self._inside(root)))

    @cached_property
    def _levels(self) -> Indices:
        """The rules in the order of the levels.

        Rules are sorted before they are shuffled, so that the result does not depend on the order
        in which they are given.
        """
        if self.rng is None:
            return np.arange(len(self.rules))
        keys = self.rules.keys()
        ordered = sorted(range(len(keys)), key=lambda row: keys[row].tobytes())
        return np.array(ordered, dtype=np.intp)[self.rng.permutation(len(keys))]

    def _constraints(self, row: int) -> list[tuple[int, Negation]]:
        """Return the constraints of a level in the order in which to explore them."""
        if row in self.shuffled:
            return self.shuffled[row]
        constraints = negations(self.rules, row)
        if self.rng is not None:
            constraints = [constraints[i] for i in self.rng.permutation(len(constraints))]
            self.shuffled[row] = constraints
        return constraints

    def _children(self, node: _Node) -> Iterator[_Node]:
        """Yield a node per constraint of the first rule that leaves something free."""
        excluded = node.excluded
        for _, constraint in self._constraints(int(node.rules[0])):
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

    def _steps(self, node: _Node, row: int) -> Iterator[tuple[Step, _Node]]:
        """Yield each constraint of a rule that leaves something free, with the node below."""
        rules = node.rules[node.rules != row]
        for index, constraint in self._constraints(row):
            box = constraint.cut(node.box)
            if box is None:
                continue
            child = node._replace(box=box, rules=rules)
            opened = self._opened(child._replace(rules=self._meeting(child)))
            if self.meter.stopped_by is not None:
                return
            if opened is not None:
                yield Step(row, index, constraint), opened

    def _opened(self, node: _Node) -> _Node | None:
        """Return the node with its free boxes; None if there are none, or too few instances."""
        if self._has_too_few(node):
            return None
        if self.meter.spent():
            return None
        self.meter.nodes += 1
        if not len(node.rules):
            return node
        free, all_free = node.free, node.all_free
        if free is not None:
            free = free & node.box
            free = free if len(free) else None
        if free is None and not all_free:
            free, all_free = self._free(node)
        if free is None:
            return None
        node = node._replace(free=free, all_free=all_free)
        return self._shrunk(node, free.hull()) if self.maximal and all_free else node

    def _has_too_few(self, node: _Node) -> bool:
        return bool(self.min_instances) and len(node.rows) < self.min_instances

    def _shrunk(self, node: _Node, hull: Boxes) -> _Node | None:
        """Return the node with its box shrunk to the hull of its free part."""
        if (hull.keys() == node.box.keys()).all():
            return node
        node = node._replace(box=hull)
        node = node._replace(rules=self._meeting(node), rows=self._inside(node))
        if self._has_too_few(node):
            return None
        return None if any(other.holds(hull) for other in node.excluded) else node

    def _free(self, node: _Node) -> tuple[Boxes | None, bool]:
        """Return free boxes of a node (None if there are none), and whether they are all."""
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
        for n_new in cutter.bursts(meter):
            if n_new:
                break
            if cutter.depth:
                self._report(meter.nodes)
                if self.meter.stopped_by is not None:
                    break
        self.meter.nodes += meter.nodes
        if cutter.found and not cutter.depth and meter.regions <= _FREE_LIMIT:
            return cutter.boxes(), True
        if cutter.found:
            return cutter.found[0].take(slice(0, 1)), False
        if meter.stopped_by is not None:
            self.meter.stopped_by = meter.stopped_by
        return None, False

    # --- boxes

    def _meeting(self, node: _Node) -> Indices:
        """Return the rules of a node that overlap its box."""
        return node.rules[self.rules.take(node.rules).meeting(node.box)]

    def _inside(self, node: _Node) -> Indices:
        if self.instances is None:
            return node.rows
        region = Region.from_box(node.box)
        return node.rows[region.contains(self.instances.take(node.rows))]

    def _is_maximal(self, box: Boxes) -> bool:
        """Return whether no side of a free box can be moved outwards.

        A side is blocked by a rule that starts there and overlaps the box on all other axes, and
        by the side of the root.
        """
        meets = self.rules.meeting_by_axis(box)
        apart = meets.shape[1] - meets.sum(axis=1)
        d = box.lower.shape[1]
        for axis in range(d):
            blocks = (apart == 1) & ~meets[:, axis]
            low, high = box.lower[0, axis], box.upper[0, axis]
            starts, ends = self.rules.lower[blocks, axis], self.rules.upper[blocks, axis]
            if low > self.root.lower[0, axis] and not (ends == low).any():
                return False
            if high < self.root.upper[0, axis] and not (starts == high).any():
                return False
        for j, words in enumerate(box.space.sets):
            blocks = (apart == 1) & ~meets[:, d + j]
            blocked = np.bitwise_or.reduce(self.rules.masks[blocks][:, words], axis=0)
            if (self.root.masks[0, words] & ~box.masks[0, words] & ~blocked).any():
                return False
        return True
