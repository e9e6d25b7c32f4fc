"""Rules in the plane of two features: what each looks like there, and where two contradict.

Every other feature is either fixed to a value, and rules that do not hold there vanish, or it is
projected: a rule then stands for all points at which it holds for some value of that feature. Two
rules whose projections overlap need not, so contradictions are found before anything is projected.
"""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from irenic.arrays import Bools, Floats
from irenic.errors import ConditionError, DataError, did_you_mean
from irenic.model.features import LOWEST, MISSING_CODE, Categorical, Continuous, Feature
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet
from irenic.model.space import Space
from irenic.reporting.document import Value
from irenic.reporting.encoding import encode_box
from irenic.reporting.instances import value_texts
from irenic.reporting.summarize import Subject

MOST_CONFLICTS: Final = 5_000
"""More pairs than this cannot be distinguished in a picture."""
_WORD: Final = 64


@dataclass(frozen=True, eq=False)
class Plane:
    """The rules that hold in a plane, and what has to be said of the features beside it."""

    names: tuple[str, ...]
    """The two features, or the one."""
    rules: RuleSet
    """The rules in the plane."""
    places: list[int]
    """Which rule of the model each is."""
    conflicts: RuleSet
    """Where two rules contradict each other for some values of what is not drawn."""
    all_conflicts: bool
    """Whether these are all conflicts there are."""
    fixed: dict[str, float]
    """Features with a value, in numbers and codes."""
    fixed_texts: dict[str, str]
    """The same values in words."""
    projected: list[str]
    """The features that rules test and that are neither drawn nor fixed."""
    outside: RuleSet
    """What cannot occur, whatever the features beside the plane are."""

    @property
    def settled(self) -> RuleSet:
        """The rules, and what cannot occur and needs none: what is left are gaps."""
        return RuleSet([*self.rules, *self.outside], self.rules.space)


def plane(
    source: Subject,
    x: str | None = None,
    y: str | None = None,
    at: Mapping[str, Any] | None = None,
) -> Plane:
    """Return the rules in use as they are in the plane of features ``x`` and ``y``."""
    table = source.table
    space = table.space
    fixed = _fixed(space, at)
    names = _drawn(table.rules, x, y, fixed)
    places = _holding(table.rules, fixed)
    rules = table.rules[places]
    # a part that tests what is not drawn leaves some values of it that can occur
    known = {*names, *fixed}
    never = [
        Rule(region, then="cannot occur")
        for region in space.impossible
        if set(encode_box(region)) <= known
    ]
    outside = RuleSet(never, space)
    drawn = Space([space[name] for name in names])
    free = Space([feature for feature in space if feature.name not in fixed])
    conflicts, all_conflicts = RuleSet(space=drawn), True
    if source.how not in ("first", "all"):
        conflicts, all_conflicts = _conflicts(_projected(rules, free), drawn)
    tested = {name for rule in rules for name in encode_box(rule.region)}
    return Plane(
        names,
        _projected(rules, drawn),
        places,
        conflicts,
        all_conflicts,
        fixed,
        {name: value_text(space[name], value) for name, value in fixed.items()},
        [name for name in free.names if name in tested and name not in names],
        _projected(outside[_holding(outside, fixed)], drawn),
    )


# --- which features


def _drawn(
    rules: RuleSet, x: str | None, y: str | None, fixed: Mapping[str, Any]
) -> tuple[str, ...]:
    names = rules.space.names
    for axis, name in (("x", x), ("y", y)):
        if name is not None and (not isinstance(name, str) or name not in names):
            raise ConditionError(f"{axis}: unknown feature {name!r}{did_you_mean(name, names)}")
        if name in fixed:
            raise ConditionError(f"at fixes {name!r}, which is drawn along {axis}; leave out one")
    if x is not None and x == y:
        raise ConditionError(f"x and y are both {x!r}; a plane has two features")
    counts = Counter(name for rule in rules for name in encode_box(rule.region))
    rest = [name for name in names if name not in (x, y, *fixed)]
    rest.sort(key=lambda name: -counts[name])  # stable: of equal ones, the first of the space
    if x is None and rest:
        x = rest.pop(0)
    if y is None and rest:
        y = rest.pop(0)
    drawn = tuple(name for name in (x, y) if name is not None)
    if not drawn:
        raise ConditionError("there is no feature to draw the rules along")
    return drawn


def _fixed(space: Space, at: Any) -> dict[str, float]:
    if at is None:
        return {}
    if not isinstance(at, Mapping):
        raise ConditionError(f"at is a mapping {{feature: value}}, not {at!r}")
    fixed = {}
    for name, value in at.items():
        if not isinstance(name, str) or name not in space:
            raise ConditionError(f"at: unknown feature {name!r}{did_you_mean(name, space.names)}")
        fixed[name] = _encode(space[name], value)
    return fixed


def _encode(feature: Feature, value: Any) -> float:
    """Return a value of a feature in numbers; one that cannot occur is rejected."""
    if isinstance(feature, Continuous):
        number = feature.encode_value(value)
        if feature.admits(number):
            return number
        why = "never missing" if number == -math.inf else "outside its bounds"
        raise DataError(f"at: feature {feature.name!r}: {value!r} is {why}")
    code = feature.encode_value(value)
    if feature.admits(code):
        return code
    if code == MISSING_CODE:
        raise DataError(f"at: feature {feature.name!r} is never missing")
    hint = did_you_mean(value, map(str, feature.values))
    raise DataError(f"at: feature {feature.name!r} has no value {value!r}{hint}")


def value_text(feature: Feature, value: float) -> str:
    """Return a value of a feature, given in numbers, in words."""
    if isinstance(feature, Categorical):
        return value_texts(feature)[int(value)]
    if value == -math.inf or not feature.shows(value):
        return "missing" if value == -math.inf else ""
    if feature.kind == "number":
        if value.is_integer() and abs(value) < 1e7:
            return str(int(value))
        return f"{float(f'{value:.4g}'):.7g}"  # 20500, not 2.05e+04
    shown = feature.snap(value)
    day = dt.timedelta(days=1) // dt.timedelta(microseconds=1)
    text = feature.format_value(shown)
    return text[:10] if feature.kind == "datetime" and shown % day == 0 else text


# --- which rules


def _holding(rules: RuleSet, fixed: Mapping[str, float]) -> list[int]:
    """Return the places of rules that hold where some features are fixed."""
    held = np.ones(len(rules), dtype=np.bool_)
    for name, value in fixed.items():
        held &= holds(rules, name, np.array([value]))[:, 0]
    return [int(place) for place in np.flatnonzero(held)]


def holds(rules: RuleSet, name: str, values: Floats) -> Bools:
    """Return whether each rule's condition on a feature holds for each value, in numbers."""
    space = rules.space
    row = space.row(name)
    if isinstance(space[name], Continuous):
        lower, upper = rules.lower[row][:, None], rules.upper[row][:, None]
        return np.asarray((lower <= values) & (values < upper))
    codes = values.astype(np.int64)
    words = rules.masks[space.starts[row] + codes // _WORD]
    return np.asarray((words >> (codes % _WORD).astype(np.uint64)[:, None] & np.uint64(1)).T == 1)


def _projected(rules: RuleSet, space: Space) -> RuleSet:
    """Return rules over some of their features; conditions on others are left out."""
    lower, upper, masks = _rows(rules, space)
    then = rules.thens
    return RuleSet.from_arrays(space, lower=lower, upper=upper, masks=masks, then=then)


def _rows(rules: RuleSet, space: Space) -> tuple[Any, Any, Any]:
    """Return the packed bounds and sets of rules on the features of another space."""
    own = rules.space
    rows = [own.row(feature.name) for feature in space.continuous]
    sets = [own.row(feature.name) for feature in space.categorical]
    words = [word for row in sets for word in range(own.starts[row], own.starts[row + 1])]
    return rules.lower[rows], rules.upper[rows], rules.masks[words]


def _conflicts(rules: RuleSet, drawn: Space) -> tuple[RuleSet, bool]:
    """Return the projections of all conflicts, none inside another; and whether these are all."""
    pairs = rules.conflicts(limit=MOST_CONFLICTS).pairs
    lower, upper, masks = _rows(rules, drawn)
    first, second = pairs[:, 0], pairs[:, 1]
    shadows = RuleSet.from_arrays(
        drawn,
        lower=np.maximum(lower[:, first], lower[:, second]),
        upper=np.minimum(upper[:, first], upper[:, second]),
        masks=masks[:, first] & masks[:, second],
        then=["contradicted"] * len(pairs),
    )
    return shadows.simplified(), len(pairs) < MOST_CONFLICTS


# --- conditions in numbers


def ends(condition: Sequence[Any]) -> tuple[float, float]:
    """Return the ends of a condition on a continuous feature, infinite where they are open."""
    lower, upper = condition
    return (-math.inf if lower is None else lower, math.inf if upper is None else upper)


# --- instances


def beside(source: Subject, summary: Mapping[str, Any], found: Plane) -> Bools:
    """Return which instances no condition distinguishes from the values that are fixed.

    An instance for which the same conditions hold is treated by all rules as if it had those
    values.
    """
    instances = summary["instances"]
    rules = source.table.rules
    same = np.ones(instances["shown"], dtype=np.bool_)
    for name, value in found.fixed.items():
        column = as_floats(instances["columns"][name])
        same &= (holds(rules, name, column) == holds(rules, name, np.array([value]))).all(axis=0)
    return same


def as_floats(column: Sequence[Value]) -> Floats:
    """Return a column of the document as numbers, missing ones below all others."""
    return np.array([-math.inf if value is None else value for value in column], dtype=np.float64)


def mentions_missing(condition: Sequence[Any]) -> bool:
    """Return whether a condition on a continuous feature says something of missing values."""
    lower, upper = condition
    return (lower is None and upper is not None) or (lower == LOWEST and upper is None)
