"""One space for rules of two: features matched by name, each as wide as either has it."""

from __future__ import annotations

import math

import numpy as np

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
    """Return a space of the features of both, those of the first in front.

    Bounds are the hull of both, categories have the values of both, and what may be missing in
    one may be missing. Kinds and units must match, except where one of the sets does not ask
    about a feature: what it is was guessed there, and the other knows better.
    """
    if a.space == b.space:
        return a.space
    features = []
    for mine in a.space:
        if mine.name not in b.space:
            features.append(mine)
            continue
        other = b.space[mine.name]
        if _is_unknown(a, mine) or _is_unknown(b, other):
            features.append(other if _is_unknown(a, mine) else mine)
            continue
        try:
            features.append(_common(mine, other))
        except SpaceError:
            if not _asks(a, mine):
                features.append(other)
            elif not _asks(b, other):
                features.append(mine)
            else:
                raise
    return Space([*features, *(f for f in b.space if f.name not in a.space)])


def _is_unknown(rules: RuleSet, feature: Feature) -> bool:
    """Return whether nothing is known of a feature, as of a column of a table that asks nothing."""
    bare = isinstance(feature, Categorical) and not feature.values
    return bare and not _asks(rules, feature)


def _asks(rules: RuleSet, feature: Feature) -> bool:
    """Return whether some rule has a condition on a feature."""
    axis = rules.space.axes[rules.space.index(feature.name)]
    return bool(rules.packed.boxes.tests()[:, axis].any())


def _common(a: Feature, b: Feature) -> Feature:
    if isinstance(a, Continuous) and isinstance(b, Continuous):
        if a.kind != b.kind:
            raise SpaceError(
                f"feature {a.name!r} is of kind {a.kind!r} in one set and {b.kind!r} in the other;"
                " declare it alike in both"
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
        return Categorical(a.name, values, missing=missing, other=other)
    raise SpaceError(
        f"feature {a.name!r} is continuous in one set and categorical in the other;"
        " declare it alike in both"
    )


def moved(rules: RuleSet, space: Space) -> RuleSet:
    """Return the rules in a space that is as wide as theirs or wider.

    A rule that does not ask about a feature does not ask about it there either. One that does
    holds for a value that its own space does not know only if it holds for "other" values.
    """
    if rules.space == space:
        return rules
    made = [Rule(_moved(r.region, space), then=r.then, weight=r.weight) for r in rules]
    return RuleSet(made, space, default=rules.default)


def _moved(region: Region, space: Space) -> Region:
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
            continue  # no rule asks about it
        if isinstance(feature, Continuous):
            if simple.lower[row] == -math.inf and simple.upper[row] == math.inf:
                continue
            low = region.lower[row]
            # where the feature is never missing, an open lower side does not speak of it
            lower[new_row] = low if feature.missing else max(low, LOWEST)
            upper[new_row], written[new_row] = region.upper[row], region.written[row]
        else:
            new = space.categorical[new_row]
            bits = _moved_bits(feature, region.bits(feature.name), new)
            masks[space.sets[new_row]] = to_words(bits, new.n_words)
    return Region.from_packed(space, lower, upper, masks, written)


def _moved_bits(own: Categorical, bits: int, new: Categorical) -> int:
    bits &= own.everything
    if bits == own.everything:
        return new.everything
    other = bits >> OTHER_CODE & 1
    found = (bits >> MISSING_CODE & 1) << MISSING_CODE | other << OTHER_CODE
    for code, value in enumerate(new.values, FIRST_CODE):
        mine = own.codes.get(value)
        found |= (other if mine is None else bits >> mine & 1) << code
    return found & new.everything
