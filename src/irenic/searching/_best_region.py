"""Branch and bound over feature orders, to find the one that gives CFSBE its best region.

A node is a box in which some features have been enlarged and the others still equal the seed. The
more features are enlarged, the more rivals block the others. How far a feature can grow *now* is
therefore an upper bound on how far it can grow *later*, and the box of all these limits contains
every region below the node. If that box is free, every order below the node leads to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, get_args

import numpy as np

from irenic.arrays import Floats, Shorts
from irenic.boxes import Boxes
from irenic.budget import Budget, Meter, StoppedBy
from irenic.errors import ConditionError, DataError
from irenic.model.features import EXACT, LOWEST
from irenic.model.head import agreements
from irenic.model.region import Region
from irenic.model.rule import as_consequent
from irenic.model.ruleset import RuleSet, for_growth
from irenic.model.space import Instances, first_text
from irenic.searching._cfsbe import growable, seed_error

Objective = Literal["instances", "class", "volume"]
# Nodes instead of seconds, so that the result does not depend on the load of the machine.
_BUDGET: Final = Budget(nodes=2_000)


@dataclass(frozen=True)
class BestRegion:
    """The best region found, and whether it is proved to be the best.

    Parameters
    ----------
    region : Region
        The region.
    score : float
        Its value of the objective.
    order : tuple of str
        The order of the features that leads to it. Among equally good orders, the order of the
        space is preferred.
    finished : bool
        Whether no other order leads to a better region.
    bound : float
        Upper bound on the score of any order; equal to ``score`` if ``finished``.
    nodes : int
        Number of search steps.
    stopped_by : str or None
        The limit that stopped the search; None if it finished.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, best_region
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
    """Return the best region that :func:`enlarge` can reach with any order of the features.

    Parameters
    ----------
    rules : RuleSet
        The rules to avoid.
    seed : mapping, sequence or Instances of length 1
        A point that no rival covers, as for :func:`enlarge`.
    X : table, optional
        The instances to score by; required unless the objective is "volume".
    y : sequence of hashable, optional
        Their labels; required if the objective is "class".
    consequent : hashable, optional
        What the new rule will predict; rules that agree with it are not rivals (default: every
        rule is a rival).
    objective : {"instances", "class", "volume"}, default "instances"
        What to maximize: the weight of the instances in the region; the weight of those labeled
        with the consequent minus that of the others; or the share of the bounding box of X (or of
        the space) that the region covers.
    sample_weight : sequence of float, optional
        Non-negative weight of each instance (default: 1).
    budget : Budget or float (seconds), default 2,000 nodes
        When it is used up, the best region so far is returned, with ``finished=False``. None is
        unlimited, which can take very long with more than a dozen features.

    Returns
    -------
    BestRegion

    Raises
    ------
    SeedError
        If a rival covers the seed.
    DataError
        If the objective needs data that is missing or does not fit.

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
    rules = growable(rules)
    point = rules.space.encode_point(seed)
    if consequent is not None:
        consequent = as_consequent(consequent)
    score = _score(rules, X, y, consequent, objective, sample_weight)
    return _BestGrowth(rules, point, consequent, score).run(Budget.from_value(budget))


# --- objectives


class _Score(NamedTuple):
    """The score of a region, and an upper bound on that of all regions between two others."""

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
        raise ConditionError(f"objective must be one of {known}, got {objective!r}")
    instances = None if X is None else rules.space.encode(X)
    if objective == "volume":
        return _volume_score(rules, instances)
    if instances is None:
        raise DataError(f'objective="{objective}" needs X, the instances to score by')
    weight = np.ones(len(instances))
    if sample_weight is not None:
        try:
            is_text = first_text(sample_weight) is not None
            weight = np.empty(0) if is_text else np.asarray(sample_weight, dtype=np.float64)
        except (TypeError, ValueError):
            weight = np.empty(0)
        valid = np.isfinite(weight) & (weight >= 0)
        if weight.shape != (len(instances),) or not valid.all():
            raise DataError(f"sample_weight must be {len(instances)} non-negative numbers")
    total = _monotonic_sum(weight)
    if objective == "instances":
        return _Score(
            lambda region: total(weight[region.contains(instances)]),
            lambda outer, _: total(weight[outer.contains(instances)]),
        )
    if y is None or consequent is None:
        raise DataError('objective="class" needs y and consequent')
    labels = [as_consequent(label) for label in y]
    if len(labels) != len(instances):
        raise DataError(f"y must have {len(instances)} labels, one per row of X, got {len(labels)}")
    own = agreements([consequent], labels)[0]
    signed = np.where(own, weight, -weight)

    def bound(outer: Region, inner: Region) -> float:
        gained = own & outer.contains(instances)
        return total(signed[gained | ~own & inner.contains(instances)])

    return _Score(lambda region: total(signed[region.contains(instances)]), bound)


def _monotonic_sum(weight: Floats) -> Callable[[Floats], float]:
    """Return a function whose sum of a subset never exceeds that of a superset by rounding."""
    if (weight == np.floor(weight)).all() and weight.sum() < EXACT:
        return lambda subset: float(subset.sum())
    return math.fsum


def _volume_score(rules: RuleSet, instances: Instances | None) -> _Score:
    space = rules.space
    reach = [f.reach(-math.inf, math.inf) for f in space.continuous]
    low, high = np.array(reach, dtype=np.float64).reshape(-1, 2).T
    if instances is not None and len(instances):
        present = np.isfinite(instances.values)
        smallest = np.where(present, instances.values, np.inf).min(axis=1)
        largest = np.where(present, instances.values, -np.inf).max(axis=1)
        # A feature that is missing in every row has length 0, so it does not affect the volume.
        low = np.maximum(low, np.where(present.any(axis=1), smallest, 0.0))
        high = np.minimum(high, np.where(present.any(axis=1), largest, 0.0))
    unbounded = (low <= LOWEST) | np.isinf(high)
    if unbounded.any():
        name = space.continuous[int(unbounded.argmax())].name
        raise DataError(
            f'objective="volume" needs X, or bounds for every feature; {name!r} has none'
        )
    sizes = [f.everything.bit_count() for f in space.categorical]
    # Halved where the length would exceed the largest float64.
    scale = np.where(high / 2 - low / 2 > -LOWEST / 2, 0.5, 1.0)
    lengths = high * scale - low * scale

    def volume(region: Region) -> float:
        bottom, top = np.clip(region.lower, low, high), np.clip(region.upper, low, high)
        sides = top * scale - bottom * scale
        shares = np.where(lengths > 0, sides / np.where(lengths > 0, lengths, 1), 1.0)
        set_shares = [
            (region.bits(f.name) & f.everything).bit_count() / size
            for f, size in zip(space.categorical, sizes, strict=True)
        ]
        return float(np.prod(shares) * np.prod(set_shares))

    return _Score(volume, lambda outer, _: volume(outer))


# --- the search


class _Grown(NamedTuple):
    """A box in which some axes are enlarged, and a bound on the scores below it."""

    bound: float
    axes: tuple[int, ...]
    """The enlarged axes, in order."""
    inner: Region
    """The box."""
    outer: Region
    """The box with each remaining axis at its limit."""
    before: Shorts
    """Number of axes that separated each rule before the last axis grew; shared by siblings."""


class _BestGrowth:
    def __init__(
        self,
        rules: RuleSet,
        point: Instances,
        consequent: Hashable | None,
        score: _Score,
    ) -> None:
        self.rules, self.space = rules, rules.space
        self.point, self.consequent, self.score = point, consequent, score
        self.packed, self.code, self.indices = for_growth(rules, consequent)
        self.growth = self.packed.growth(point, self.code)
        self.seen: set[tuple[frozenset[int], Region]] = set()

    def run(self, budget: Budget) -> BestRegion:
        space = self.space
        covering, apart = self.growth.start()
        if covering >= 0:
            covering = covering if self.indices is None else int(self.indices[covering])
            raise seed_error(self.rules, covering, self.point, self.consequent)
        _, region = self.packed.enlarge(self.point, space.axes, self.code)
        self.best = self.score.of(region), region, tuple(space.axes.tolist())
        root = self._node((), self._point_box(), apart, apart)
        self.meter = Meter(budget)
        bound = self._explore([root])
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

    def _explore(self, stack: list[_Grown]) -> float:
        """Search below the nodes, and return an upper bound on the scores not searched."""
        try:
            while stack and not self.meter.spent():
                children = self._children(stack[-1])
                if children is None:
                    break
                stack[-1:] = children
        except KeyboardInterrupt:
            self.meter.stopped_by = "interrupt"
        return max((node.bound for node in stack), default=-np.inf)

    def _children(self, node: _Grown) -> list[_Grown] | None:
        """Return the nodes to search below a node, best last; None if the budget is used up."""
        if node.bound <= self.best[0]:
            return []
        children: list[_Grown] = []
        remaining = [a for a in range(len(self.space)) if a not in node.axes]
        if not remaining or not len(self.rules.rivals_of(node.outer, self.consequent)):
            score = self.score.of(node.outer)
            if score > self.best[0]:
                self.best = score, node.outer, node.axes
            remaining = []
        apart = self._apart(node)
        for axis in remaining:
            child = self._child(node, axis, apart)
            state = frozenset(child.axes), child.inner
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
        """Return the box that contains only the seed."""
        space, values = self.space, self.point.values[:, 0]
        upper = [f.after(v) for f, v in zip(space.continuous, values.tolist(), strict=True)]
        high = np.array(upper, dtype=np.float64)
        high[values == -np.inf] = LOWEST
        masks = space.words_of(self.point.codes)
        return Region.from_box(Boxes(space, values[None].copy(), high[None], masks[None]))

    def _node(self, axes: tuple[int, ...], inner: Region, before: Shorts, apart: Shorts) -> _Grown:
        """Return the node of a box, with the limits of the remaining axes."""
        remaining = np.array([a for a in range(len(self.space)) if a not in axes], dtype=np.int64)
        outer = Region.from_box(self.growth.limit(inner.box, remaining, apart))
        return _Grown(self.score.bound(outer, inner), axes, inner, outer, before)

    def _child(self, node: _Grown, axis: int, apart: Shorts) -> _Grown:
        """Return the node in which one more axis is enlarged."""
        d = len(self.space.continuous)
        box, outer = node.inner.box.copy(), node.outer.box
        if axis < d:
            box.lower[:, axis], box.upper[:, axis] = outer.lower[:, axis], outer.upper[:, axis]
        else:
            words = self.space.sets[axis - d]
            box.masks[:, words] = outer.masks[:, words]
        inner = Region.from_box(box)
        return self._node((*node.axes, axis), inner, apart, self.growth.grow(box, axis, apart))

    def _apart(self, node: _Grown) -> Shorts:
        """Return the number of axes that separate each rule from the box of a node."""
        if not node.axes:
            return node.before
        return self.growth.grow(node.inner.box, node.axes[-1], node.before)
