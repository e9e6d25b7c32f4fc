"""Rules in the plane of two features: what each looks like there, and where two contradict.

Every other feature is either fixed to a value, and rules that do not hold there vanish, or it is
projected: a rule then stands for all points at which it holds for some value of that feature. Two
rules whose shadows overlap need not, so contradictions are found before anything is projected.

All is done in the numbers of the summary, whatever the features are: dates are microseconds, and
values of categories are codes.
"""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irenic.errors import ConditionError, DataError, did_you_mean
from irenic.formats.json.rules import decode_value
from irenic.model.features import (
    FIRST_CODE,
    LOWEST,
    MISSING,
    OTHER,
    Categorical,
    Continuous,
    Feature,
)
from irenic.model.literals import is_missing
from irenic.model.ruleset import RuleSet
from irenic.model.space import Space, to_words
from irenic.plot._source import chosen
from irenic.reporting.boxes import encode_box

Box = Mapping[str, Sequence[Any]]
"""Conditions as the summary has them."""

MOST_CONFLICTS: Final = 5_000
"""More pairs than this cannot be told apart in a picture."""


@dataclass(frozen=True, eq=False)
class Plane:
    """The rules that hold in a plane, and what has to be said of the features beside it."""

    names: tuple[str, ...]
    """The two features, or the one."""
    rules: RuleSet
    """The rules in the plane; they say the places of outcomes."""
    places: list[int]
    """Which rule of the model each is."""
    conflicts: list[Box]
    """Where two rules contradict each other for some values of what is not drawn."""
    all_conflicts: bool
    """Whether these are all conflicts there are."""
    fixed: dict[str, float | int]
    """Features with a value, in numbers and codes."""
    projected: list[str]
    """The features that rules ask for and that are neither drawn nor fixed."""
    outside: RuleSet
    """What cannot occur, whatever the features beside the plane are."""

    @property
    def settled(self) -> RuleSet:
        """The rules, and what cannot occur and needs none: what is left are gaps."""
        return RuleSet([*self.rules, *self.outside], self.rules.space)


def plane(
    summary: Mapping[str, Any],
    x: str | None = None,
    y: str | None = None,
    at: Mapping[str, Any] | None = None,
) -> Plane:
    """Return the rules of a summary as they are in the plane of features ``x`` and ``y``.

    >>> from irenic import Rule, RuleSet
    >>> from irenic.plot._source import summary_of
    >>> rules = RuleSet([Rule({"a": (0, 5), "b": (0, 5), "c": (0, 1)}, then="low"),
    ...                  Rule({"a": (4, 9), "b": (4, 9), "c": (1, 2)}, then="high")])
    >>> found = plane(summary_of(rules), "a", "b")
    >>> len(found.rules), found.rules.is_consistent, found.conflicts, found.projected
    (2, False, [], ['c'])
    >>> plane(summary_of(rules), "a", "b", at={"c": 1.5}).rules
    <RuleSet: 1 rule, 2 features>
      1. IF 4 <= a < 9 AND 4 <= b < 9 THEN 1
    """
    features = {feature["name"]: feature for feature in summary["features"]}
    model = chosen(summary)
    fixed = _fixed(features, at)
    names = _drawn(features, model, x, y, fixed)
    rules = model["rules"]

    def meets(box: Box) -> bool:
        return all(
            holds(features[name], box.get(name), np.array([value]))[0]
            for name, value in fixed.items()
        )

    places = [place for place, rule in enumerate(rules) if meets(rule["box"])]
    never = [entry["box"] for entry in summary["outside"]]
    # a part that asks for what is not drawn leaves some values of it that can occur
    outside = [box for box in never if meets(box) and set(box) <= {*names, *fixed}]
    boxes = [rules[place]["box"] for place in places]
    outcomes = [rules[place]["outcome"] for place in places]
    free = [feature for name, feature in features.items() if name not in fixed]
    asked = {name for box in boxes for name in box}
    drawn = Space([in_numbers(features[name]) for name in names])
    conflicts: list[Box] = []
    complete = True
    if summary["decides"]["how"] not in ("first", "all"):
        whole = in_space(Space(map(in_numbers, free)), boxes, outcomes)
        conflicts, complete = _conflicts(whole, drawn)
    return Plane(
        names,
        in_space(drawn, boxes, outcomes),
        places,
        conflicts,
        complete,
        fixed,
        [f["name"] for f in free if f["name"] in asked and f["name"] not in names],
        in_space(drawn, outside, [-1] * len(outside)),
    )


# --- which features


def _drawn(
    features: Mapping[str, Any],
    model: Mapping[str, Any],
    x: str | None,
    y: str | None,
    fixed: Mapping[str, Any],
) -> tuple[str, ...]:
    for axis, name in (("x", x), ("y", y)):
        if name is not None and (not isinstance(name, str) or name not in features):
            hint = did_you_mean(name, features)
            raise ConditionError(f"{axis}: unknown feature {name!r}{hint}")
        if name in fixed:
            raise ConditionError(f"at fixes {name!r}, which is drawn along {axis}; leave out one")
    if x is not None and x == y:
        raise ConditionError(f"x and y are both {x!r}; a plane has two features")
    counts = Counter(name for rule in model["rules"] for name in rule["box"])
    rest = [name for name in features if name not in (x, y, *fixed)]
    rest.sort(key=lambda name: -counts[name])  # stable: of equal ones, the first of the space
    if x is None and rest:
        x = rest.pop(0)
    if y is None and rest:
        y = rest.pop(0)
    names = tuple(name for name in (x, y) if name is not None)
    if not names:
        raise ConditionError("there is no feature to draw the rules along")
    return names


def _fixed(features: Mapping[str, Any], at: Any) -> dict[str, float | int]:
    if at is None:
        return {}
    if not isinstance(at, Mapping):
        raise ConditionError(f"at is a mapping {{feature: value}}, not {at!r}")
    fixed = {}
    for name, value in at.items():
        if not isinstance(name, str) or name not in features:
            raise ConditionError(f"at: unknown feature {name!r}{did_you_mean(name, features)}")
        fixed[name] = _encode(features[name], value)
    return fixed


def _encode(feature: Mapping[str, Any], value: Any) -> float | int:
    """Return a value of a feature in numbers; one that cannot occur is refused."""
    name = feature["name"]
    if feature["kind"] == "category":
        return _encode_category(feature, value)
    like = Continuous(name, kind=feature["kind"], unit=feature["unit"])
    number = like.encode_value(value)
    numbers: Any = in_numbers(feature)
    if not numbers.admits(number):
        why = "never missing" if number == -math.inf else "outside its bounds"
        raise DataError(f"at: feature {name!r}: {value!r} is {why}")
    return number


def _encode_category(feature: Mapping[str, Any], value: Any) -> int:
    name, texts = feature["name"], feature["values"]
    if value is MISSING or is_missing(value):
        code = 0
    elif value is OTHER:
        code = 1
    else:
        listed = [decode_value(entry) for entry in feature["listed"]]
        code = Categorical(name, listed, other=True).encode_value(value)
    if code in feature["admitted"]:
        return int(code)
    if code == 0:
        raise DataError(f"at: feature {name!r} is never missing")
    hint = did_you_mean(value, texts[FIRST_CODE:])
    raise DataError(f"at: feature {name!r} has no value {value!r}{hint}")


def value_text(feature: Mapping[str, Any], value: float) -> str:
    """Return a value of a feature, given in numbers, in words."""
    if feature["kind"] == "category":
        return str(feature["values"][int(value)])
    like = Continuous(feature["name"], kind=feature["kind"])
    if value == -math.inf or not like.shows(value):
        return "missing" if value == -math.inf else ""
    if feature["kind"] == "number":
        return f"{float(f'{value:.4g}'):.7g}"  # 20500, not 2.05e+04
    text = like.format_value(like.snap(value))
    short = feature["kind"] == "datetime" and dt.datetime.fromisoformat(text).time() == dt.time()
    return text[:10] if short else text


def holds(
    feature: Mapping[str, Any], condition: Sequence[Any] | None, values: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    """Return for which values, in numbers, a condition on a feature holds; None asks nothing."""
    if condition is None:
        return np.ones(len(values), dtype=np.bool_)
    if feature["kind"] == "category":
        return np.isin(values, list(condition))
    lower, upper = ends(condition)
    return np.asarray((lower <= values) & (values < upper))


def ends(condition: Sequence[float | None]) -> tuple[float, float]:
    """Return the ends of a condition on a continuous feature, infinite where they are open."""
    lower, upper = condition
    return (-math.inf if lower is None else lower, math.inf if upper is None else upper)


# --- numbers only


def in_numbers(feature: Mapping[str, Any]) -> Feature:
    """Return a feature of the same cuts that is a number, or a category of codes."""
    name, missing = feature["name"], feature["missing"]
    if feature["kind"] == "category":
        codes = range(FIRST_CODE, len(feature["values"]))
        return Categorical(name, codes, missing=missing, other=1 in feature["admitted"])
    end = feature["end"]
    greatest = None if end is None else math.nextafter(end, -math.inf)
    return Continuous(name, bounds=(feature["lowest"], greatest), missing=missing)


def in_space(space: Space, boxes: Sequence[Box], thens: Sequence[Any]) -> RuleSet:
    """Return boxes as rules over some of their features; conditions on others are left out."""
    lower = np.full((len(space.continuous), len(boxes)), -math.inf)
    upper = np.full((len(space.continuous), len(boxes)), math.inf)
    masks = np.repeat(space.everything[:, None], len(boxes), axis=1)
    for column, box in enumerate(boxes):
        for name, condition in box.items():
            if name not in space:
                continue
            feature, row = space[name], space.row(name)
            if isinstance(feature, Continuous):
                lower[row, column], upper[row, column] = ends(condition)
            else:
                bits = sum(1 << code for code in condition)
                masks[space.sets[row], column] = to_words(bits, feature.n_words)
    return RuleSet.from_arrays(space, lower=lower, upper=upper, masks=masks, then=list(thens))


def _conflicts(whole: RuleSet, drawn: Space) -> tuple[list[Box], bool]:
    """Return the shadows in which rules contradict each other, none inside another."""
    pairs = whole.conflicts(limit=MOST_CONFLICTS).pairs
    if not len(pairs):
        return [], True
    boxes: dict[tuple[Any, ...], Box] = {}
    for first, second in pairs:
        overlap = whole[int(first)].region & whole[int(second)].region
        shadow = {n: c for n, c in encode_box(overlap).items() if n in drawn}
        boxes.setdefault(tuple((n, *c) for n, c in shadow.items()), shadow)
    kept = in_space(drawn, list(boxes.values()), [0] * len(boxes)).simplified()
    return [encode_box(rule.region) for rule in kept], len(pairs) < MOST_CONFLICTS


# --- instances


def beside(summary: Mapping[str, Any], found: Plane) -> npt.NDArray[np.bool_]:
    """Return which instances no condition tells from the values that are fixed.

    An instance that lies in the same cell as the fixed values, between the same cuts, is treated
    by all rules as if it had those values.
    """
    columns = summary["instances"]["columns"]
    same = np.ones(summary["instances"]["shown"], dtype=np.bool_)
    features = {feature["name"]: feature for feature in summary["features"]}
    for name, value in found.fixed.items():
        feature, column = features[name], as_floats(columns[name])
        for rule in chosen(summary)["rules"]:
            condition = rule["box"].get(name)
            here = holds(feature, condition, np.array([value]))[0]
            same &= holds(feature, condition, column) == here
    return same


def as_floats(column: Sequence[float | None]) -> npt.NDArray[np.float64]:
    """Return a column of the summary as numbers, missing ones below all others."""
    return np.array([-math.inf if value is None else value for value in column], dtype=np.float64)


def mentions_missing(condition: Sequence[Any]) -> bool:
    """Return whether a condition on a continuous feature says something of missing values.

    >>> mentions_missing([None, 5.0]), mentions_missing([LOWEST, 5.0])
    (True, False)
    """
    lower, upper = condition
    return (lower is None and upper is not None) or (lower == LOWEST and upper is None)
