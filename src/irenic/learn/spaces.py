"""Spaces of models: columns that no rule tests keep their names, but none of their values."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np

from irenic.boxes import Boxes
from irenic.errors import IrenicError
from irenic.learn.front import FrontPoint
from irenic.model.columns import Columns, infer_feature, take_apart
from irenic.model.features import Categorical, Feature
from irenic.model.ruleset import RuleSet
from irenic.model.space import Space


def names_tested(*sets: RuleSet) -> set[str]:
    """Return the names of the features that a rule of any set tests; the sets share a space.

    >>> from irenic import Rule, RuleSet
    >>> sorted(names_tested(RuleSet([Rule({"age": (0, 9), "job": {"cook"}}, then="A")])))
    ['age', 'job']
    """
    space = sets[0].space
    axes = np.zeros(len(space), dtype=bool)
    for rules in sets:
        axes |= rules.packed.boxes.tests().any(axis=0)
    return {name for name, axis in zip(space.names, space.axes.tolist(), strict=True) if axes[axis]}


def forbidden_columns(forbidden: Any) -> tuple[Any, ...]:
    """Return the columns that learned rules must not test, by name or by index."""
    if forbidden is None:
        return ()
    return (forbidden,) if isinstance(forbidden, str) else tuple(forbidden)


def without_unreadable(table: Any, untested: Collection[Any], space: Space | None = None) -> Any:
    """Return a table with missing values in untested columns that a space cannot hold.

    They are given by name or index. ``space`` is that of earlier rows; without one, it is inferred.

    >>> table = without_unreadable({"id": [2**60, 7], "age": [3, 9]}, ["id", "age"])
    >>> print(table.columns[0], table.columns[1])
    [None None] [3 9]
    """
    if not untested:
        return table
    taken = take_apart(table)
    names = [f"x{index}" for index in range(len(taken.columns))]
    names = taken.names or (names if space is None else list(space.names))
    order = names if space is None else space.names
    chosen = {order[i] for i in untested if isinstance(i, Integral) and i in range(len(order))}
    chosen |= {name for name in untested if isinstance(name, str) and name in order}
    kept = list(taken.columns)
    for index, (name, column) in enumerate(zip(names, taken.columns, strict=True)):
        feature = None if space is None or name not in chosen else space[name]
        if name in chosen and not _is_readable(column, taken.length, feature):
            kept[index] = np.full(taken.length, None, dtype=object)
    if space is None and all(a is b for a, b in zip(kept, taken.columns, strict=True)):
        return table
    return Columns(taken.names, kept, taken.length)  # apart already, for those that encode it


def _is_readable(column: Any, length: int, feature: Feature | None) -> bool:
    try:
        feature = infer_feature("x", column) if feature is None else feature
        Space([feature]).encode(Columns([feature.name], [column], length))
    except (IrenicError, UnicodeError):
        return False
    return True


def without_untested_values(points: Sequence[FrontPoint]) -> list[FrontPoint]:
    """Return the points over a space that lists no values of categories that no rule tests.

    Customer numbers and the like would otherwise be part of a model that never looks at them.
    Predictions stay the same: a value that is not listed counts as any other value.
    """
    sets = [point.rule_set for point in points]
    impossible = sets[0].space.impossible
    # all rule sets share their regions
    regions = [t.regions for point in points[:1] if (t := point.probabilities) is not None]
    tested = names_tested(*sets, *regions).union(*(r.conditions() for r in impossible))
    space = Space(
        [
            replace(feature, values=())
            if isinstance(feature, Categorical) and feature.other and feature.name not in tested
            else feature
            for feature in sets[0].space
        ],
        impossible,
    )
    return [
        replace(
            point,
            rule_set=moved(point.rule_set, space),
            probabilities=(t := point.probabilities)
            and replace(t, regions=moved(t.regions, space)),
            default_regions=(known := point.default_regions)
            and replace(known, rules=moved(known.rules, space)),
        )
        for point in points
    ]


def moved(rules: RuleSet, space: Space) -> RuleSet:
    """Return rules in a space that differs only in the values of features that no rule tests."""
    if space == rules.space:
        return rules
    boxes = rules.packed.boxes
    masks = np.repeat(space.everything[None, :], len(rules), axis=0)
    pairs = zip(rules.space.categorical, space.categorical, strict=True)
    for j, (before, after) in enumerate(pairs):
        if before == after:
            masks[:, space.sets[j]] = boxes.masks[:, rules.space.sets[j]]
    return RuleSet.from_boxes(
        Boxes(space, boxes.lower, boxes.upper, masks),
        written=rules.packed.written[:, : len(rules)].T,
        then=rules.thens,
        weights=rules.weights,
        default=rules.default,
    )
