"""Move rules of two spaces to a common one, in which features have the values of both."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from irenic.boxes import Boxes
from irenic.errors import SpaceError
from irenic.model.features import (
    FIRST_CODE,
    LOWEST,
    MISSING_CODE,
    OTHER_CODE,
    Categorical,
    Continuous,
    Feature,
)
from irenic.model.region import Region
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet
from irenic.model.space import Space, to_words


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


def moved(rules: RuleSet, space: Space) -> RuleSet:
    """Return the rules in a space that contains their own.

    A rule does not test more features than before. It covers a category that its own space does
    not list only if it covers "other" values.
    """
    if rules.space == space:
        return rules
    copies = [Rule(moved_region(r.region, space), then=r.then, weight=r.weight) for r in rules]
    return RuleSet(copies, space, default=rules.default)


def moved_region(region: Region, space: Space) -> Region:
    """Return a region in a space that contains its own, as in :func:`moved`."""
    own = region.space
    lower, upper = (
        np.full(len(space.continuous), -math.inf),
        np.full(len(space.continuous), math.inf),
    )
    written = np.zeros(len(space.continuous), dtype=np.uint8)
    masks = space.everything.copy()
    simple = region.simplified()
    for feature in own:
        row, new_row = own.row(feature.name), space.row(feature.name)
        if isinstance(feature, Continuous) != isinstance(space[feature.name], Continuous):
            continue  # possible only if no rule tests it
        if isinstance(feature, Continuous):
            if simple.lower[row] == -math.inf and simple.upper[row] == math.inf:
                continue
            low = region.lower[row]
            # If the feature is never missing, an open lower side must not cover missing values.
            lower[new_row] = low if feature.missing else max(low, LOWEST)
            upper[new_row], written[new_row] = region.upper[row], region.written[row]
            if space[feature.name].kind != feature.kind:  # type: ignore[union-attr]
                new = space.continuous[new_row]
                lower[new_row], upper[new_row] = map(new.snap, (lower[new_row], upper[new_row]))
        else:
            category = space.categorical[new_row]
            bits = _moved_bits(feature, region.bits(feature.name), category)
            masks[space.sets[new_row]] = to_words(bits, category.n_words)
    return Region.from_packed(space, lower, upper, masks, written)


def _moved_bits(own: Categorical, bits: int, new: Categorical) -> int:
    bits &= own.everything
    if bits == own.everything:
        return new.everything
    other = bits >> OTHER_CODE & 1
    new_bits = (bits >> MISSING_CODE & 1) << MISSING_CODE | other << OTHER_CODE
    for code, value in enumerate(new.values, FIRST_CODE):
        own_code = own.codes.get(value)
        new_bits |= (other if own_code is None else bits >> own_code & 1) << code
    return new_bits & new.everything
