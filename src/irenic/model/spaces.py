"""Adapt spaces, rules and tables to each other."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np

from irenic.arrays import Words
from irenic.boxes import Boxes
from irenic.errors import ConditionError, IrenicError, SpaceError
from irenic.model.columns import Columns, infer_feature, take_apart
from irenic.model.condition import infer_features
from irenic.model.features import (
    FIRST_CODE,
    LOWEST,
    MISSING_CODE,
    OTHER_CODE,
    Categorical,
    Continuous,
    Feature,
)
from irenic.model.notation import Alternatives
from irenic.model.region import Region
from irenic.model.ruleset import RuleSet
from irenic.model.space import Space, from_words, to_words


def opened(space: Space, conditions: Alternatives | None) -> Space:
    """Return a space with the values that conditions name, where it is open to others."""
    if not conditions:
        return space
    named = [c for one in conditions for c in one if c.name in space.names]
    try:
        inferred = Space(infer_features([(c.name, c.operators) for c in named]))
    except (SpaceError, ConditionError):
        return space  # the conditions are invalid; binding them says where
    return space.opened_to(inferred)


def common_space(a: RuleSet, b: RuleSet) -> Space:
    """Return a space with the features of both, those of the first space first.

    Features with the same name have the hull of both bounds, or the categories of both, and may be
    missing if they may in either space. Kinds and units must match, unless one of the sets does
    not test the feature: its kind was then only guessed. Cases are impossible if they are in both.
    """
    if a.space == b.space:
        return a.space
    features = []
    for feature in a.space:
        if feature.name not in b.space:
            features.append(feature)
            continue
        other = b.space[feature.name]
        if _is_unknown(a, feature) or _is_unknown(b, other):
            features.append(other if _is_unknown(a, feature) else feature)
            continue
        try:
            features.append(_common(*_of_one_kind(a, feature, b, other)))
        except SpaceError:
            if not _tests(a, feature):
                features.append(other)
            elif not _tests(b, other):
                features.append(feature)
            else:
                raise
    space = Space([*features, *(f for f in b.space if f.name not in a.space)])
    mine, theirs = (
        Boxes.none(space).concat(*(r.cast(space).box.simplified() for r in each.impossible))
        for each in (a.space, b.space)
    )
    both = Boxes.none(space).concat(*(theirs & box for box in mine))
    return Space(space, Region.from_boxes(both)) if len(both) else space


def check_outcomes(a: Any, b: Any) -> None:
    """Raise an error if outcomes of two tables have different units, as far as their files say.

    >>> import irenic
    >>> texts = "age,f\\n< 18,5 €\\n", "age,f\\n< 18,5 $\\n"
    >>> euros, dollars = (irenic.parse(text, format="csv").bind().table() for text in texts)
    >>> check_outcomes(euros, dollars)
    Traceback (most recent call last):
    irenic.errors.SpaceError: outcome 'f' is in € in one table and in $ in the other; use one unit
    """
    files = [getattr(rules, "provenance", None) for rules in (a, b)]
    units = [getattr(getattr(file, "reading", None), "units", {}) for file in files]
    for name, unit in units[0].items():
        if units[1].get(name, unit) != unit:
            raise SpaceError(
                f"outcome {name!r} is in {unit} in one table and in {units[1][name]} in the other;"
                " use one unit"
            )


def _of_one_kind(
    a: RuleSet, feature: Feature, b: RuleSet, other: Feature
) -> tuple[Feature, Feature]:
    """Return two features as integers, if one is and the rules on the other have whole bounds.

    Whether numbers are integers is often only inferred from rules. Fractional bounds show that they
    are not.
    """
    kinds = getattr(feature, "kind", ""), getattr(other, "kind", "")
    if set(kinds) != {"integer", "number"}:
        return feature, other
    rules, numbers = (a, feature) if kinds[0] == "number" else (b, other)
    kind = "integer" if _has_whole_bounds(rules, numbers) else "number"
    return replace(feature, kind=kind), replace(other, kind=kind)  # type: ignore[arg-type]


def _has_whole_bounds(rules: RuleSet, feature: Feature) -> bool:
    row = rules.space.row(feature.name)
    boxes = rules.packed.boxes
    bounds = np.concatenate([boxes.lower[:, row], boxes.upper[:, row], _declared(feature)])
    bounds = bounds[(bounds > LOWEST) & (bounds < math.inf)]
    before = np.nextafter(bounds, -math.inf)  # a closed upper bound is stored as the next number
    return bool(np.all((bounds == np.round(bounds)) | (before == np.round(before))))


def _declared(feature: Feature) -> list[float]:
    return [float(bound) for bound in getattr(feature, "bounds", ()) if bound is not None]


def _is_unknown(rules: RuleSet, feature: Feature) -> bool:
    """Return whether nothing is known about a feature, such as an empty column of a table."""
    has_no_values = isinstance(feature, Categorical) and not feature.values
    return has_no_values and not _tests(rules, feature)


def _tests(rules: RuleSet, feature: Feature) -> bool:
    """Return whether any rule has a condition on a feature."""
    axis = rules.space.axes[rules.space.index(feature.name)]
    return bool(rules.packed.boxes.tests()[:, axis].any())


def _common(a: Feature, b: Feature) -> Feature:
    if isinstance(a, Continuous) and isinstance(b, Continuous):
        if a.kind != b.kind:
            raise SpaceError(
                f"feature {a.name!r} is of kind {a.kind!r} in one set and {b.kind!r} in the other;"
                " declare it the same way in both"
            )
        if a.unit != b.unit and ((a.unit and b.unit) or "UTC" in (a.unit, b.unit)):
            raise SpaceError(
                f"feature {a.name!r} has the unit {a.unit!r} in one set and {b.unit!r} in the"
                " other; convert one of them"
            )
        low = None if None in (a.bounds[0], b.bounds[0]) else min(a.bounds[0], b.bounds[0])
        high = None if None in (a.bounds[1], b.bounds[1]) else max(a.bounds[1], b.bounds[1])
        missing = a.missing or b.missing
        unit = a.unit or b.unit
        return Continuous(a.name, bounds=(low, high), unit=unit, missing=missing, kind=a.kind)
    if isinstance(a, Categorical) and isinstance(b, Categorical):
        values = dict.fromkeys([*a.values, *b.values])
        missing, other = a.missing or b.missing, a.other or b.other
        declared = any(feature.other and feature.declared for feature in (a, b))
        return Categorical(a.name, values, missing=missing, other=other, declared=declared)
    raise SpaceError(
        f"feature {a.name!r} is continuous in one set and categorical in the other;"
        " declare it the same way in both"
    )


def in_space(rules: RuleSet, space: Space) -> RuleSet:
    """Return the rules in a space that contains their own.

    A rule does not test more features than before. It covers a category that its own space does
    not list only if it covers "other" values.
    """
    if rules.space == space:
        return rules
    own, boxes, simple, n = rules.space, rules.packed.boxes, rules.boxes, len(rules)
    lower = np.full((n, len(space.continuous)), -math.inf)
    upper = np.full((n, len(space.continuous)), math.inf)
    written = np.zeros((n, len(space.continuous)), dtype=np.uint8)
    masks = np.repeat(space.everything[None, :], n, axis=0)
    for feature in own:
        new, row, new_row = space[feature.name], own.row(feature.name), space.row(feature.name)
        if isinstance(feature, Continuous) and isinstance(new, Continuous):
            low, high = boxes.lower[:, row], boxes.upper[:, row]
            tested = (simple.lower[:, row] > -math.inf) | (simple.upper[:, row] < math.inf)
            tested |= np.full(n, feature == new)
            # if the feature is never missing, an open lower side must not cover missing values
            low = low if feature.missing or feature == new else np.maximum(low, LOWEST)
            if new.kind != feature.kind:
                low, high = (np.array([*map(new.snap, ends.tolist())]) for ends in (low, high))
            lower[tested, new_row], upper[tested, new_row] = low[tested], high[tested]
            written[tested, new_row] = rules.packed.written[row, :n][tested]
        elif isinstance(feature, Categorical) and isinstance(new, Categorical):
            words = boxes.masks[:, own.sets[row]]
            same = feature == new
            masks[:, space.sets[new_row]] = words if same else _moved_words(feature, words, new)
        # else no rule tests it
    return RuleSet.from_boxes(
        Boxes(space, lower, upper, masks),
        written=written,
        then=rules.thens,
        weights=rules.weights,
        default=rules.default,
    )


def _moved_words(own: Categorical, words: Words, new: Categorical) -> Words:
    """Return sets of values, packed in words, as sets of the values of another category."""
    distinct, places = np.unique(words, axis=0, return_inverse=True)
    sets = [to_words(_moved_bits(own, from_words(each), new), new.n_words) for each in distinct]
    return np.array(sets, dtype=np.uint64).reshape(-1, new.n_words)[places.ravel()]


def _moved_bits(own: Categorical, bits: int, new: Categorical) -> int:
    bits &= own.everything
    if bits == own.everything:
        return new.everything
    other = bits >> OTHER_CODE & 1
    new_bits = (bits >> MISSING_CODE & 1) << MISSING_CODE | other << OTHER_CODE
    for code, value in enumerate(new.values, FIRST_CODE):
        own_code = own.codes.get(value)
        new_bits |= (bits >> (own.class_of(value) if own_code is None else own_code) & 1) << code
    return new_bits & new.everything


# --- what rules and tables do not need


def names_tested(*sets: RuleSet) -> set[str]:
    """Return the names of the features that a rule of any set tests; the sets share a space.

    >>> from irenic import Rule, RuleSet
    >>> sorted(names_tested(RuleSet([Rule({"age": (0, 9), "job": {"cook"}}, then="A")])))
    ['age', 'job']
    """
    space = sets[0].space
    return set[str]().union(*(_names_on(space, rules.packed.boxes) for rules in sets))


def _names_on(space: Space, boxes: Boxes) -> set[str]:
    axes = np.asarray(boxes.tests().any(axis=0))
    return {name for name, axis in zip(space.names, space.axes.tolist(), strict=True) if axes[axis]}


def without_untested_values(sets: Sequence[RuleSet]) -> list[RuleSet]:
    """Return rule sets of a space over one without values of open categories that none tests.

    Customer numbers and the like would otherwise be part of a model that never looks at them.
    Decisions stay the same: a value that is not listed counts as any other value.

    >>> from irenic import Rule
    >>> space = Space.infer({"age": [20, 30], "name": ["Ann", "Bob"]})
    >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")], space)
    >>> without_untested_values([rules])[0].space["name"].values
    ()
    """
    space = sets[0].space
    tested = names_tested(*sets)
    tested |= _names_on(space, space.impossible_boxes)
    features = [
        replace(feature, values=())
        if isinstance(feature, Categorical) and feature.other and feature.name not in tested
        else feature
        for feature in space
    ]
    lean = Space(features, space.impossible)
    return [in_space(rules, lean) for rules in sets]


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
