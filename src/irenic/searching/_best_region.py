"""The order that gives CFSBE its best region, searched by branch and bound.

A node is a box in which some features have been enlarged and the others are still the seed's. The
more features are enlarged, the more rivals stand in the way of the rest, so how far each of them
could grow *now* bounds how far it can grow *ever*: the box of all these limits holds every region
below the node. Where that box is free, it is the region that every order below the node gives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np

from irenic.boxes import Boxes
from irenic.boxes.arrays import Floats
from irenic.budget import Budget, Meter, StoppedBy
from irenic.errors import ConditionError, DataError
from irenic.model.features import EXACT, LOWEST
from irenic.model.packed import Counts
from irenic.model.region import Region
from irenic.model.rule import as_consequent
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances, first_text
from irenic.searching._cfsbe import check_growable, seed_error

Objective = Literal["instances", "class", "volume"]
# Nodes, not seconds: the same call gives the same answer on a busy machine.
_BUDGET: Final = Budget(nodes=2_000)


@dataclass(frozen=True)
class BestRegion:
    """The best region that was found, and whether it is proved to be the best.

    ``bound`` is what no region of any order can exceed; where ``finished`` is true, it equals
    ``score``. Of orders that are equally good the space's own comes first.

    >>> from irenic import Rule, RuleSet
    >>> rules = RuleSet([Rule({"f1": (2, 5)}, then="A")])
    >>> best_region(rules, {"f1": 6}, {"f1": [1, 6, 7]})
    BestRegion(region=f1 >= 5, score=2.0, order=('f1',), finished=True, bound=2.0, nodes=0,
               stopped_by=None)
    """

    region: Region
    score: float
    order: tuple[str, ...]
    finished: bool
    bound: float
    nodes: int
    stopped_by: StoppedBy | None


def best_region(
    rules: RuleSet,
    seed: Any,
    X: Any = None,
    y: Sequence[Hashable] | None = None,
    *,
    consequent: Hashable | None = None,
    objective: Objective = "instances",
    sample_weight: Sequence[float] | None = None,
    budget: Budget | float | None = _BUDGET,
) -> BestRegion:
    """Return the best region that any order of the features gives :func:`enlarge`.

    Parameters
    ----------
    rules, seed, consequent
        As for :func:`enlarge`.
    X : table
        The instances that count; for "volume" it may be left out.
    y : sequence of hashable, optional
        Their labels, for "class".
    objective : {"instances", "class", "volume"}
        The most (weighted) instances, the most of the consequent less those of other labels, or
        the largest share of the volume of the box round X (or of the space's bounds).
    sample_weight : sequence of float, optional
        What each instance counts; not negative.
    budget : Budget or float (seconds), optional
        2,000 nodes by default. When it is used up, the best region so far is returned, with
        ``finished=False``. None searches to the end, which can take very long with more than a
        dozen features.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, best_region
    >>> rules = RuleSet([Rule({"f1": (2, 5), "f2": (5, 9)}, then="A"),
    ...                  Rule({"f1": (6.5, 8.5), "f2": (5, 7)}, then="B")])
    >>> X = {"f1": [5.5, 6, 6, 9], "f2": [8, 4, 6, 8]}
    >>> best = best_region(rules, {"f1": 5.5, "f2": 8}, X)
    >>> best.region, best.score, best.order, best.finished
    (5 <= f1 < 6.5, 3.0, ('f2', 'f1'), True)
    """
    check_growable(rules)
    point = rules.space.encode_point(seed)
    if consequent is not None:
        consequent = as_consequent(consequent)
    score = _score(rules, X, y, consequent, objective, sample_weight)
    return _Search(rules, point, consequent, score).run(Budget.of(budget))


# --- objectives


class _Score(NamedTuple):
    """An objective: the score of a region, and what no region between two boxes can exceed."""

    of: Callable[[Region], float]
    bound: Callable[[Region, Region], float]


def _score(
    rules: RuleSet,
    X: Any,
    y: Sequence[Hashable] | None,
    consequent: Hashable | None,
    objective: str,
    sample_weight: Sequence[float] | None,
) -> _Score:
    if objective not in get_args(Objective):
        known = ", ".join(get_args(Objective))
        raise ConditionError(f"objective is one of {known}, not {objective!r}")
    instances = None if X is None else rules.space.encode(X)
    if objective == "volume":
        return _volume_score(rules, instances)
    if instances is None:
        raise DataError(f'objective="{objective}" needs X, the instances that count')
    weight = np.ones(len(instances))
    if sample_weight is not None:
        try:
            is_text = first_text(sample_weight) is not None
            weight = np.empty(0) if is_text else np.asarray(sample_weight, dtype=np.float64)
        except (TypeError, ValueError):
            weight = np.empty(0)
        fine = np.isfinite(weight) & (weight >= 0)
        if weight.shape != (len(instances),) or not fine.all():
            raise DataError(f"sample_weight must be {len(instances)} numbers that are not negative")
    total = _total(weight)
    if objective == "instances":
        return _Score(
            lambda region: total(weight[region.contains(instances)]),
            lambda most, _: total(weight[most.contains(instances)]),
        )
    if y is None or consequent is None:
        raise DataError('objective="class" needs y and the consequent')
    labels = [as_consequent(label) for label in y]
    if len(labels) != len(instances):
        raise DataError(f"{len(instances)} instances, but {len(labels)} labels")
    own = np.array([label == consequent for label in labels], dtype=np.bool_)
    signed = np.where(own, weight, -weight)

    def bound(most: Region, least: Region) -> float:
        gained = own & most.contains(instances)
        return total(signed[gained | ~own & least.contains(instances)])

    return _Score(lambda region: total(signed[region.contains(instances)]), bound)


def _total(weight: Floats) -> Callable[[Floats], float]:
    """Return a sum that rounding cannot carry above the sum of more: bounds rest on that."""
    if (weight == np.floor(weight)).all() and weight.sum() < EXACT:
        return lambda some: float(some.sum())
    return math.fsum


def _volume_score(rules: RuleSet, instances: Instances | None) -> _Score:
    space = rules.space
    reach = [f.reach(-math.inf, math.inf) for f in space.continuous]
    low, high = np.array(reach, dtype=np.float64).reshape(-1, 2).T
    if instances is not None and len(instances):
        present = np.isfinite(instances.values)
        least = np.where(present, instances.values, np.inf).min(axis=1)
        most = np.where(present, instances.values, -np.inf).max(axis=1)
        # a feature that is missing in every row has no length, and counts for nothing
        low = np.maximum(low, np.where(present.any(axis=1), least, 0.0))
        high = np.minimum(high, np.where(present.any(axis=1), most, 0.0))
    open_ = (low <= LOWEST) | np.isinf(high)
    if open_.any():
        name = space.continuous[int(open_.argmax())].name
        raise DataError(
            f'objective="volume" needs X, or bounds for every feature; {name!r} has none'
        )
    sizes = [f.everything.bit_count() for f in space.categorical]
    # halves where the distance is beyond the greatest float64
    scale = np.where(high / 2 - low / 2 > -LOWEST / 2, 0.5, 1.0)
    whole = high * scale - low * scale

    def volume(region: Region) -> float:
        bottom, top = np.clip(region.lower, low, high), np.clip(region.upper, low, high)
        sides = top * scale - bottom * scale
        shares = np.where(whole > 0, sides / np.where(whole > 0, whole, 1), 1.0)
        sets = [
            (region.bits(f.name) & f.everything).bit_count() / size
            for f, size in zip(space.categorical, sizes, strict=True)
        ]
        return float(np.prod(shares) * np.prod(sets))

    return _Score(volume, lambda most, _: volume(most))


# --- the search


class _Node(NamedTuple):
    """A box with some axes enlarged, the limits of the rest, and what it can still reach."""

    bound: float
    axes: tuple[int, ...]
    least: Region
    most: Region
    before: Counts
    """On how many axes each rule was apart before the last one was enlarged: siblings share it."""


class _Search:
    def __init__(
        self,
        rules: RuleSet,
        point: Instances,
        consequent: Hashable | None,
        score: _Score,
    ) -> None:
        self.rules, self.space = rules, rules.space
        self.point, self.consequent, self.score = point, consequent, score
        self.code = rules.code_of(consequent)
        self.growth = rules.packed.growth(point, self.code)
        self.seen: set[tuple[frozenset[int], Region]] = set()

    def run(self, budget: Budget) -> BestRegion:
        space = self.space
        covered, apart = self.growth.start()
        if covered >= 0:
            raise seed_error(self.rules, covered, self.point, self.consequent)
        _, region = self.rules.packed.enlarge(self.point, space.axes, self.code)
        self.best = self.score.of(region), region, tuple(space.axes.tolist())
        root = self._node((), self._point_box(), apart, apart)
        self.meter = Meter(budget)
        bound = self._reach([root])
        score, region, axes = self.best
        finished = bound <= score
        return BestRegion(
            region,
            score,
            tuple(self._names(axes)),
            finished,
            score if finished else bound,
            self.meter.nodes,
            None if finished else self.meter.stopped_by,
        )

    def _reach(self, stack: list[_Node]) -> float:
        """Search below the nodes; return what was left unsearched there could still reach."""
        try:
            while stack and not self.meter.spent():
                children = self._children(stack[-1])
                if children is None:
                    break
                stack[-1:] = children
        except KeyboardInterrupt:
            self.meter.stopped_by = "interrupt"
        return max((node.bound for node in stack), default=-np.inf)

    def _children(self, node: _Node) -> list[_Node] | None:
        """Return what is left to search below a node, best last; None when time has run out."""
        if node.bound <= self.best[0]:
            return []
        children: list[_Node] = []
        left = [a for a in range(len(self.space)) if a not in node.axes]
        if not left or not len(self.rules.rivals_of(node.most, self.consequent)):
            score = self.score.of(node.most)
            if score > self.best[0]:
                self.best = score, node.most, node.axes
            left = []
        apart = self._apart(node)
        for axis in left:
            child = self._child(node, axis, apart)
            state = frozenset(child.axes), child.least
            if state not in self.seen and child.bound > self.best[0]:
                self.seen.add(state)
                children.append(child)
            if self.meter.spent():
                return None
        self.meter.spent(nodes=1)
        return sorted(children, key=lambda child: child.bound)

    def _names(self, axes: tuple[int, ...]) -> list[str]:
        by_axis = dict(zip(self.space.axes.tolist(), self.space.names, strict=True))
        named = [by_axis[a] for a in axes]
        return named + [n for n in self.space.names if n not in named]

    # --- boxes

    def _point_box(self) -> Region:
        """Return the box that holds the seed alone."""
        space, values = self.space, self.point.values[:, 0]
        upper = [f.after(v) for f, v in zip(space.continuous, values.tolist(), strict=True)]
        high = np.array(upper, dtype=np.float64)
        high[values == -np.inf] = LOWEST
        masks = space.words_of(self.point.codes)
        return Region.from_box(Boxes(space, values[None].copy(), high[None], masks[None]))

    def _node(self, axes: tuple[int, ...], least: Region, before: Counts, apart: Counts) -> _Node:
        """Return the node of a box: find how far each axis that is left could grow."""
        left = np.array([a for a in range(len(self.space)) if a not in axes], dtype=np.int64)
        most = Region.from_box(self.growth.limit(least.box, left, apart))
        return _Node(self.score.bound(most, least), axes, least, most, before)

    def _child(self, node: _Node, axis: int, apart: Counts) -> _Node:
        """Return the node in which one more axis is enlarged."""
        d = len(self.space.continuous)
        box, most = node.least.box.copy(), node.most.box
        if axis < d:
            box.lower[:, axis], box.upper[:, axis] = most.lower[:, axis], most.upper[:, axis]
        else:
            words = self.space.sets[axis - d]
            box.masks[:, words] = most.masks[:, words]
        least = Region.from_box(box)
        return self._node((*node.axes, axis), least, apart, self.growth.grow(box, axis, apart))

    def _apart(self, node: _Node) -> Counts:
        """Return on how many axes each rule is apart from the box of a node."""
        if not node.axes:
            return node.before
        return self.growth.grow(node.least.box, node.axes[-1], node.before)
