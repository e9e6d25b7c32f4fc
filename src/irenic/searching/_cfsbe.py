"""CFSBE, the paper's box enlargement (Section III-B): grow free regions around a seed.

The seed is a point that no rival covers, or a region or rule that no rival overlaps. The box starts
as that seed and grows one feature at a time, until it meets a rival that no other feature separates
from it yet. The order of the features determines the resulting region.

The paper's pseudo-code tests ``B.upper > r.lower`` strictly. A seed exactly on an inclusive lower
bound then counts as outside the rule: a feature that grows first ignores the rule, and a later one
stops on the wrong side of it. The box overlaps no rule, but loses its seed. Here, a feature that
has not grown yet is treated as a closed point.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from irenic.arrays import Floats, Ints
from irenic.errors import ConditionError, SeedError
from irenic.model.deciding import DecidingRules
from irenic.model.head import Head
from irenic.model.literals import display, show_point
from irenic.model.region import Region
from irenic.model.rule import Rule, as_consequent
from irenic.model.ruleset import RuleSet, as_rule_set, for_growth, possible_parts
from irenic.model.sampling import RandomState, as_generator
from irenic.model.space import Instances, Space
from irenic.searching._fewest import fewest_order, fewest_orders

# The kernels count the features that separate a rule from the seed in 16 bits.
_CONDITION_LIMIT: Final = 2**14 - 1

Order: TypeAlias = Sequence[str] | Literal["random", "importance", "fewest"] | None
Weights: TypeAlias = Mapping[str, float] | Sequence[float] | None


def enlarge(
    rules: RuleSet,
    seed: Any,
    *,
    order: Order = None,
    consequent: Hashable | None = None,
    weights: Weights = None,
    random_state: RandomState = None,
) -> Region:
    """Return a maximal region that contains the seed and overlaps no rival.

    A new rule inside the region contradicts no rule of the set: if ``consequent`` is given, the
    region may overlap rules that agree with it; otherwise, it overlaps no rule at all.

    With a rule as the seed, the result is the largest region in which the rule can be changed: it
    contains the rule, and every rule inside it contradicts none.

    Parameters
    ----------
    rules : RuleSet
        The rules to avoid.
    seed : mapping, sequence, Instances of length 1, Region or Rule
        A point that no rival covers: ``{"f1": 5.5, "f2": 6}``, or the values in the order of the
        features; or a region or rule that no rival overlaps. The rule may belong to ``rules``.
    order : sequence of str, "random", "importance" or "fewest", optional
        Order in which features are enlarged (default: the order of the space). The first ones
        become widest. Features that are not listed follow in the order of the space. "random"
        shuffles them, "importance" sorts them by descending ``weights``, and "fewest" is an order
        for which the region has the fewest conditions (nearly the fewest, if hundreds of rules
        make the exact search too long).
    consequent : hashable, optional
        What the new rule will predict; rules that agree with it are not rivals (default: that of
        a rule given as seed; otherwise every rule is a rival).
    weights : mapping or sequence of float, optional
        Importance of each feature, by name (others: 0) or in the order of the space; only with
        ``order="importance"``.
    random_state : int or numpy generator, optional
        Seed of the random number generator for ``order="random"``.

    Returns
    -------
    Region

    Raises
    ------
    SeedError
        If a rival covers or overlaps the seed; the message names it.
    ConditionError
        If the seed is an empty region, or the order or the weights are invalid.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, enlarge
    >>> rules = RuleSet([Rule({"f1": (2, 5), "f2": (5, 9)}, then="A"),
    ...                  Rule({"f1": (6.5, 8.5), "f2": (5, 7)}, then="B")])
    >>> enlarge(rules, {"f1": 5.5, "f2": 8})
    f1 >= 5 and f2 >= 7
    >>> enlarge(rules, {"f1": 5.5, "f2": 8}, order=["f2", "f1"])
    5 <= f1 < 6.5
    >>> enlarge(rules, {"f1": 5.5, "f2": 8}, consequent="A")
    f2 >= 7
    >>> enlarge(rules, {"f1": 5.5, "f2": 8}, order="fewest")
    5 <= f1 < 6.5
    >>> enlarge(rules, rules[0])
    f1 < 6.5
    """
    rules = growable(rules)
    space = rules.space
    if isinstance(seed, Region | Rule):
        axes = _axes(space, order, weights, random_state)
        if _is_fewest(order):
            axes = _fewest_around(rules, seed, consequent)
        return _enlarge_region(rules, seed, axes, consequent)
    point = space.encode_point(seed)
    axes = _axes(space, order, weights, random_state)
    if _is_fewest(order):
        axes = _fewest_of_points(rules, point, [consequent])[0]
    packed, code, indices = for_growth(rules, consequent)
    covering, region = packed.enlarge(point, axes, code)
    if covering >= 0:
        covering = covering if indices is None else int(indices[covering])
        raise seed_error(rules, covering, seed, consequent)
    return region


def enlarge_many(
    rules: RuleSet,
    seeds: Any,
    *,
    order: Order = None,
    consequent: Hashable | None = None,
    consequents: Sequence[Hashable] | None = None,
    weights: Weights = None,
    random_state: RandomState = None,
) -> list[Region]:
    """Return the region of :func:`enlarge` for each of many seeds.

    Parameters
    ----------
    rules : RuleSet
        The rules to avoid.
    seeds : table, RuleSet, or list of regions and rules
        The seeds; rows of a table are points, which are grown on all cores.
    order : sequence of str, "random", "importance" or "fewest", optional
        As for :func:`enlarge`. "random" draws one order per seed, the same as successive calls
        with one numpy generator.
    consequent : hashable, optional
        What all new rules will predict (default: that of a rule given as seed; otherwise every
        rule is a rival).
    consequents : sequence of hashable, optional
        What the new rule of each seed will predict, instead of ``consequent``; None is the default
        of ``consequent``.
    weights : mapping or sequence of float, optional
        Importance of each feature, as for :func:`enlarge`.
    random_state : int or numpy generator, optional
        Seed of the random number generator for ``order="random"``.

    Returns
    -------
    list of Region
        One region per seed.

    Raises
    ------
    SeedError
        If a rival covers or overlaps a seed; the message names the row and the rule.
    ConditionError
        If ``consequents`` does not fit the seeds, or the order or the weights are invalid.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, enlarge_many
    >>> rules = RuleSet([Rule({"f1": (2, 5)}, then="A")])
    >>> enlarge_many(rules, {"f1": [0, 7]})
    [f1 < 2, f1 >= 5]
    >>> enlarge_many(rules, [Rule({"f1": (7, 8)}, then="B"), Rule({"f1": (7, 8)}, then="A")])
    [f1 >= 5, anything]
    """
    rules = growable(rules)
    space = rules.space
    boxes = _as_boxes(seeds)
    points = space.encode(seeds if boxes is None else [])
    n = len(points) if boxes is None else len(boxes)
    thens = _listed_consequents(consequent, consequents, n)
    if isinstance(order, str) and order == "random":
        _check_weights(order, weights)
        rng = as_generator(random_state)
        orders = np.array([rng.permutation(space.axes) for _ in range(n)], dtype=np.int64)
        orders = orders.reshape(n, len(space))
    else:
        orders = np.tile(_axes(space, order, weights, random_state), (n, 1))
    if _is_fewest(order):
        pairs = zip(boxes or (), thens, strict=False)
        orders = (
            _fewest_of_points(rules, points, thens)
            if boxes is None
            else np.array([_fewest_around(rules, box, then) for box, then in pairs])
        )
    if boxes is not None:
        return [
            _enlarge_region(rules, box, axes, then, row=row)
            for row, (box, axes, then) in enumerate(zip(boxes, orders, thens, strict=True))
        ]
    covering, regions = _enlarge_points(rules, points, orders, thens)
    if (covering >= 0).any():
        row = int((covering >= 0).argmax())
        error = seed_error(rules, int(covering[row]), points.take([row]), thens[row])
        raise SeedError(f"row {row + 1}: {error}")
    return regions


def _enlarge_points(
    rules: RuleSet, points: Instances, orders: Ints, thens: list[Hashable | None]
) -> tuple[Ints, list[Region]]:
    """Return a rival that covers each point or -1, and the region grown around the point."""
    consequents = [None if then is None else as_consequent(then) for then in thens]
    partial = rules.is_partial or any(isinstance(then, Head) for then in consequents)
    if not (partial or rules.space.impossible):
        codes = np.array([rules.code_of(then) for then in consequents], dtype=np.int64)
        covering, boxes = rules.packed.enlarge_many(points, orders, codes)
        return covering, Region.from_boxes(boxes)
    covering = np.full(len(points), -1, dtype=np.int64)
    regions = [Region(rules.space)] * len(points)
    for then in dict.fromkeys(consequents):  # each has its own rivals
        rows = [row for row, other in enumerate(consequents) if other == then]
        packed, code, indices = for_growth(rules, then)
        codes = np.full(len(rows), code, dtype=np.int64)
        covers, grown = packed.enlarge_many(points.take(rows), orders[rows], codes)
        each = zip(rows, covers.tolist(), Region.from_boxes(grown), strict=True)
        for row, rival, region in each:
            regions[row] = region
            covering[row] = rival if rival < 0 or indices is None else indices[rival]
    return covering, regions


def _enlarge_region(
    rules: RuleSet,
    seed: Region | Rule,
    axes: Ints,
    consequent: Hashable | None,
    *,
    row: int | None = None,
) -> Region:
    """Return the region grown from a region or rule; ``row`` is its index among several."""
    if isinstance(seed, Rule):
        consequent = seed.then if consequent is None else consequent
        seed = seed.region
    where = "" if row is None else f"row {row + 1}: "
    region = seed.cast(rules.space)
    if region.is_empty:
        raise ConditionError(f"{where}the seed must not be the empty region")
    packed, code, indices = for_growth(rules, consequent)
    rival, grown = packed.enlarge_region(region, axes, code)
    if rival >= 0:
        rival = rival if indices is None else int(indices[rival])
        raise SeedError(
            f"{where}the seed ({region}) overlaps rule {rival + 1} ({rules[rival]})"
            f"{_rival_of(consequent)}; choose a region that no rival overlaps"
        )
    return grown


def _as_boxes(seeds: Any) -> list[Region | Rule] | None:
    """Return seeds as a list if they are regions and rules, None if they are a table of points."""
    if not isinstance(seeds, RuleSet | list | tuple):
        return None
    listed = list(seeds)
    are_boxes = [isinstance(seed, Region | Rule) for seed in listed]
    if any(are_boxes) and not all(are_boxes):
        raise ConditionError("seeds must be points or regions, got both")
    return listed if isinstance(seeds, RuleSet) or any(are_boxes) else None


def _listed_consequents(
    consequent: Hashable | None, consequents: Sequence[Hashable] | None, n: int
) -> list[Hashable | None]:
    """Return the consequent for each of ``n`` seeds."""
    if consequents is None:
        return [consequent] * n
    if consequent is not None:
        raise ConditionError("consequent and consequents cannot be combined; pass one of them")
    if isinstance(consequents, str) or len(consequents) != n:
        shown = repr(consequents) if isinstance(consequents, str) else len(consequents)
        raise ConditionError(f"consequents must be a list of {n}, one per seed, got {shown}")
    return list(consequents)


def _is_fewest(order: Order) -> bool:
    return isinstance(order, str) and order == "fewest"


def _fewest_of_points(rules: RuleSet, points: Instances, thens: list[Hashable | None]) -> Ints:
    """Return the order that leaves the fewest conditions for each point."""
    orders = np.tile(rules.space.axes, (len(points), 1))
    for then in dict.fromkeys(thens):
        rows = np.array([row for row, other in enumerate(thens) if other == then])
        rivals, _ = possible_parts(rules, then)
        orders[rows] = fewest_orders(rivals, points.take(rows))[0]
    return orders


def _fewest_around(rules: RuleSet, seed: Region | Rule, consequent: Hashable | None) -> Ints:
    """Return the order that leaves the fewest conditions for a region or rule."""
    if isinstance(seed, Rule):
        consequent = seed.then if consequent is None else consequent
        seed = seed.region
    rivals, _ = possible_parts(rules, consequent)
    apart = ~rivals.meeting_by_axis(seed.cast(rules.space).box)
    return fewest_order(rules.space, apart)


def _axes(space: Space, order: Order, weights: Weights, random_state: RandomState) -> Ints:
    """Return the order as indices of axes."""
    _check_weights(order, weights)
    if order is None:
        return space.axes
    if isinstance(order, str):
        if order == "random":
            return as_generator(random_state).permutation(space.axes)
        if order == "fewest":
            return space.axes  # it depends on the seed
        if order == "importance":
            return space.axes[np.argsort(-_importance(space, weights), kind="stable")]
    if isinstance(order, str) or not isinstance(order, Iterable):
        raise ConditionError(
            'order must be a list of feature names, "random", "importance" or "fewest", got'
            f" {order!r}"
        )
    listed: dict[int, None] = {}
    for name in order:
        index = space.index(name)
        if index in listed:
            raise ConditionError(f"order lists {str(name)!r} twice")
        listed[index] = None
    return space.axes[[*listed, *(i for i in range(len(space)) if i not in listed)]]


def _check_weights(order: Order, weights: Weights) -> None:
    if weights is not None and not (isinstance(order, str) and order == "importance"):
        raise ConditionError('weights can only be used with order="importance"')


def _importance(space: Space, weights: Weights) -> Floats:
    if weights is None:
        raise ConditionError('order="importance" needs weights, one per feature')
    listed: Any = weights
    if isinstance(weights, Mapping):
        listed = [0.0] * len(space)
        for name, weight in weights.items():
            listed[space.index(name)] = weight
    try:
        values = np.asarray(listed, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (len(space),) or np.isnan(values).any():
        raise ConditionError(
            f"weights must be {len(space)} numbers, one per feature, got {weights!r}"
        )
    return values


def growable(rules: RuleSet) -> RuleSet:
    """Return a rule set; raise if it has too many conditions for the kernels to count."""
    rules = as_rule_set(rules)
    check_growable(rules)
    return rules


def check_growable(rules: DecidingRules) -> None:
    """Raise an error if rules have too many conditions for the kernels to count."""
    if len(rules.space) <= _CONDITION_LIMIT:
        return
    conditions = rules.conditions_per_rule()
    if conditions.max(initial=0) > _CONDITION_LIMIT:
        raise ConditionError(
            f"rules must have at most {_CONDITION_LIMIT} conditions to grow regions between them,"
            f" but rule {int(conditions.argmax()) + 1} has {conditions.max()}"
        )


def seed_error(rules: RuleSet, covering: int, seed: Any, consequent: Hashable | None) -> SeedError:
    """Return the error that names the rule that covers a seed."""
    rule = rules[covering]
    encoded = rules.space.encode_point(seed)[0]
    if isinstance(seed, Mapping):  # an unlisted category is shown by its own name, not as "other"
        seed = {name: seed.get(name) for name in encoded}
    else:
        seed = encoded
    return SeedError(
        f"the seed ({show_point(seed)}) is covered by rule {covering + 1} ({rule})"
        f"{_rival_of(consequent)}; choose a point that no rival covers"
        " (CoverageMap.pick finds one among instances)"
    )


def _rival_of(consequent: Hashable | None) -> str:
    return "" if consequent is None else f", a rival of {display(as_consequent(consequent))}"
