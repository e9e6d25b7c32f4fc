"""CFSBE, the paper's box enlargement (Section III-B): free regions grown round a seed.

The seed is a point that no rival covers. The box begins as that point and is enlarged feature by
feature, each time as far as the rivals allow that it is not yet apart from on another feature.
The order of the features decides which region comes out.

Where the paper's pseudo-code tests ``B.upper > r.lower`` strictly, a seed that lies exactly on an
inclusive lower bound counts as outside the rule, and the box grows through it. Here a feature
that is not yet enlarged is the closed point that it is.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from irenic.boxes.arrays import Floats, Ints
from irenic.errors import ConditionError, SeedError
from irenic.model.literals import display, show_point
from irenic.model.region import Region
from irenic.model.ruleset import RuleSet, check_rules
from irenic.model.sampling import RandomState, as_generator
from irenic.model.space import Space

# The kernels count in 16 bits on how many features a rule leaves the seed out.
_MOST_CONDITIONS: Final = 2**14 - 1

Order: TypeAlias = Sequence[str] | Literal["random", "importance"] | None
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
    """Return a region that holds the seed, overlaps no rival and cannot be enlarged on any side.

    Any rule made inside it is consistent with the set: with every rule of it, or, where the
    consequent of the new rule is known, with those that have another one.

    Parameters
    ----------
    rules : RuleSet
    seed : mapping, sequence or Instances of length 1
        A point that no rival covers: ``{"f1": 5.5, "f2": 6}``, or the values in the order of the
        space's features.
    order : sequence of str, "random" or "importance", optional
        In which order the features are enlarged; the first ones come out widest. Features that
        are not named follow in the space's order, which None takes for all. "random" draws one
        with ``random_state``; "importance" takes the greatest of ``weights`` first.
    consequent : hashable, optional
        What the new rule will predict. Rules with an equal consequent are no rivals; with None,
        every rule is one.
    weights : mapping or sequence of float, optional
        The importance of each feature, by name or in the space's order (left out: 0).
    random_state : int, numpy generator, optional

    Raises
    ------
    SeedError
        A rival covers the seed; the message names it.

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
    """
    check_growable(rules)
    space = rules.space
    point = space.encode_point(seed)
    axes = _axes(space, order, weights, random_state)
    covered, region = rules.packed.enlarge(point, axes, rules.code_of(consequent))
    if covered >= 0:
        raise seed_error(rules, covered, seed, consequent)
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
    """Return what :func:`enlarge` returns for each of many seeds, on all cores.

    Parameters
    ----------
    seeds : table
        One seed a row.
    consequents : sequence of hashable, optional
        One consequent a seed (None: every rule is a rival), instead of one for all.

    Other parameters are those of :func:`enlarge`. With ``order="random"`` each seed gets an order
    of its own, the same as from successive calls with one numpy generator.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, enlarge_many
    >>> rules = RuleSet([Rule({"f1": (2, 5)}, then="A")])
    >>> enlarge_many(rules, {"f1": [0, 7]})
    [f1 < 2, f1 >= 5]
    """
    check_growable(rules)
    space = rules.space
    points = space.encode(seeds)
    n = len(points)
    if consequents is None:
        codes = np.full(n, rules.code_of(consequent))
    elif consequent is not None:
        raise ConditionError("give consequent or consequents, not both")
    elif isinstance(consequents, str) or len(consequents) != n:
        raise ConditionError(
            f"consequents is a list with one a seed, of {n}, not {consequents!r}"
            if isinstance(consequents, str)
            else f"{n} seeds, but {len(consequents)} consequents"
        )
    else:
        codes = np.array([rules.code_of(c) for c in consequents], dtype=np.int64)
    if isinstance(order, str) and order == "random":
        _check_weights(order, weights)
        rng = as_generator(random_state)
        orders = np.array([rng.permutation(space.axes) for _ in range(n)], dtype=np.int64)
        orders = orders.reshape(n, len(space))
    else:
        orders = np.tile(_axes(space, order, weights, random_state), (n, 1))
    covered, regions = rules.packed.enlarge_many(points, orders, codes)
    if (covered >= 0).any():
        row = int((covered >= 0).argmax())
        given = consequent if consequents is None else consequents[row]
        error = seed_error(rules, int(covered[row]), points.take([row]), given)
        raise SeedError(f"row {row + 1}: {error}")
    return regions


def _axes(space: Space, order: Order, weights: Weights, random_state: RandomState) -> Ints:
    """Return the order as numbers of axes: continuous features first, then categorical ones."""
    _check_weights(order, weights)
    if order is None:
        return space.axes
    if isinstance(order, str):
        if order == "random":
            return as_generator(random_state).permutation(space.axes)
        if order == "importance":
            return space.axes[np.argsort(-_importance(space, weights), kind="stable")]
    if isinstance(order, str) or not isinstance(order, Iterable):
        raise ConditionError(
            f'order is a list of feature names, "random" or "importance", not {order!r}'
        )
    named: dict[int, None] = {}
    for name in order:
        place = space.index(name)
        if place in named:
            raise ConditionError(f"order names {str(name)!r} twice")
        named[place] = None
    return space.axes[[*named, *(i for i in range(len(space)) if i not in named)]]


def _check_weights(order: Order, weights: Weights) -> None:
    if weights is not None and not (isinstance(order, str) and order == "importance"):
        raise ConditionError('weights go with order="importance"')


def _importance(space: Space, weights: Weights) -> Floats:
    if weights is None:
        raise ConditionError('order="importance" needs weights, one a feature')
    given: Any = weights
    if isinstance(weights, Mapping):
        given = [0.0] * len(space)
        for name, weight in weights.items():
            given[space.index(name)] = weight
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (len(space),) or np.isnan(values).any():
        raise ConditionError(f"weights are {len(space)} numbers, one a feature, not {weights!r}")
    return values


def check_growable(rules: RuleSet) -> None:
    """Refuse what is no rule set, and rules with more conditions than the kernels can count."""
    check_rules(rules)
    if len(rules.space) <= _MOST_CONDITIONS:
        return
    conditions = rules.conditions_per_rule()
    if conditions.max(initial=0) > _MOST_CONDITIONS:
        raise ConditionError(
            f"rule {int(conditions.argmax()) + 1} has {conditions.max()} conditions;"
            f" regions can be grown among rules of up to {_MOST_CONDITIONS}"
        )


def seed_error(rules: RuleSet, covered: int, seed: Any, consequent: Hashable | None) -> SeedError:
    """Return the error that says which rival covers a seed (as it was given, or encoded)."""
    rule = rules[covered]
    encoded = rules.space.encode_point(seed)[0]
    if isinstance(seed, Mapping):  # as it was given: a value that is not listed by its own name
        seed = {name: seed.get(name) for name in encoded}
    else:
        seed = encoded
    why = "" if consequent is None else f", a rival of {display(consequent)}"
    return SeedError(
        f"the seed ({show_point(seed)}) is covered by rule {covered + 1} ({rule}){why};"
        " take a point that no rival covers (CoverageMap.pick finds one among instances)"
    )
