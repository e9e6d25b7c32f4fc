"""Synthetic data with known rules, with which learned rules can be compared.

The truth has a default: the first class has no rules and applies where no rule holds. A rule for it
would leave no trace in the labels next to the default, so it could not be found, and a set that
covers everything would need many more rules, most of them slivers. The default is the largest
class, which learners choose as well. All true rules are disjoint, so that each row has a single
explanation, and each is as large as its class allows, so that no larger rule would be correct.
With exceptions, each of these rules contains a smaller one of another class that overrides it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from irenic import Categorical, Continuous, Region, Rule, RuleSet, Space, enlarge

MOST_CONDITIONS = 4
FEWEST_ROWS = 10
FEWEST_SHARE = 0.03
# Approximate maximum share that all rules cover; the default has the rest.
COVERED = 0.65
# No cut is closer than this to the edge of the space: such slivers cannot be learned.
EDGE = 0.08
# The share of a rule that an exception covers.
EXCEPTION = (0.2, 0.5)
REDRAWS = 100
TRIES = 300
FRESH_POINTS = 10_000
SAME_RULE = 0.8
# The group of these data sets.
GROUP = "made"


@dataclass
class Known:
    """A table, its labels, and the rules that determine them."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    clean: np.ndarray
    """The labels without noise: the predictions of ``truth`` for ``X``."""
    truth: RuleSet
    """Its default is the class that has no rules other than exceptions. Consistent, unless there
    are exceptions: each lies inside a general rule of another class, and has a higher weight."""
    space: Space
    relevant: tuple[str, ...]
    """The features that rules of ``truth`` test."""
    group: str = GROUP


class Configuration(NamedTuple):
    """The parameters of a data set of the study: ``make(*configuration)``."""

    features: int
    classes: int
    noise: float
    exceptions: bool = False

    @property
    def name(self) -> str:
        """The name of the data set in tables."""
        kind = "exceptions" if self.exceptions else "boxes"
        return f"made {kind} {self.features}x{self.classes}, noise {self.noise:g}"


def grid() -> list[Configuration]:
    """Return the configurations of the study, smallest first."""
    sizes = ((2, 2), (5, 3), (10, 5), (20, 10))
    return [
        Configuration(*size, noise, exceptions)
        for size in sizes
        for exceptions in (False, True)
        for noise in (0.0, 0.1, 0.2, 0.3)
    ]


def make(
    features: int,
    classes: int,
    noise: float,
    exceptions: bool = False,
    rows: int = 1000,
    rules: int | None = None,
    random_state: int = 0,
) -> Known:
    """Return data labeled by known rules, with a share of the labels replaced.

    Data sets that differ only in ``noise`` have the same truth, rows and clean labels.

    Parameters
    ----------
    features : int
        From 2 to 20; if 5 or more, every fifth is categorical and some are irrelevant.
    classes : int
        From 2 to 10; the first, "c0", is the default and has no rules.
    noise : float
        Share of labels that are replaced by another class, from 0 to 0.3.
    exceptions : bool, default False
        Whether a smaller rule of another class inside each rule takes precedence over it.
    rules : int, optional
        Number of true rules without exceptions (default: two per class other than the default
        class).
    """
    _check(features, classes, noise, rows, random_state)
    wanted = 2 * (classes - 1) if rules is None else rules
    if wanted < classes - 1:
        raise ValueError(f"rules must be at least {classes - 1} for {classes} classes, got {rules}")
    for number in range(REDRAWS):
        rng = np.random.default_rng([random_state, features, classes, wanted, number])
        space = _space(features, rng)
        truth = _truth(space, classes, wanted, rng)
        if truth is not None and exceptions:
            truth = _with_exceptions(truth, classes, rng)
        if truth is None:
            continue
        X = _points(space, rows, rng)
        clean = _labels(truth, X)
        counts = np.unique(clean, return_counts=True)[1]
        least = max(FEWEST_ROWS, FEWEST_SHARE * rows)
        fits = len(counts) == classes and counts.min() >= least and counts[0] == counts.max()
        if fits and not X.T.duplicated().any():
            y = _disturbed(clean, classes, noise, [random_state, features, classes, number])
            relevant = tuple(name for name in space.names if name in _tested(truth))
            name = Configuration(features, classes, noise, exceptions).name
            return Known(name, X, y, clean, truth, space, relevant)
    raise ValueError(
        f"{REDRAWS} draws gave no {wanted} rules for {classes} classes on {features} features and"
        f" {rows} rows; use fewer rules or more rows"
    )


def recovery(
    learned: RuleSet,
    predict: Callable[[pd.DataFrame], Any],
    known: Known,
    random_state: int = 0,
) -> dict[str, float]:
    """Measure how much of the truth was recovered, on random points of the whole space.

    Parameters
    ----------
    learned : RuleSet
        Learned rules, with the feature names of ``known.X``.
    predict : callable
        Returns labels for a frame; separate from the rules, because learners may add votes or a
        default.

    Returns
    -------
    dict
        "truth_agreement": the share of points for which ``predict`` agrees with the truth.
        "true_rules": the number of true rules.
        "rules_found": the share of true rules that a learned rule of the same consequent matches:
        both cover at least 80% of the points that either of them covers.
        "irrelevant_conditions": the share of learned conditions on features that the truth does
        not test; NaN without conditions.
    """
    rng = np.random.default_rng([random_state, FRESH_POINTS])
    points = _points(known.space, FRESH_POINTS, rng)
    predicted = np.asarray(predict(points), dtype=object)
    if predicted.shape != (FRESH_POINTS,):
        raise ValueError(
            f"predict must return one label per row, got shape {predicted.shape} for"
            f" {FRESH_POINTS} rows"
        )
    names = [name for rule in learned for name in rule.region.conditions()]
    irrelevant = [name not in known.relevant for name in names]
    return {
        "truth_agreement": float(np.mean(predicted == _labels(known.truth, points))),
        "true_rules": len(known.truth),
        "rules_found": _found(known.truth, learned, points),
        "irrelevant_conditions": float(np.mean(irrelevant)) if names else float("nan"),
    }


def _check(features: int, classes: int, noise: float, rows: int, random_state: int) -> None:
    if not 2 <= features <= 20:
        raise ValueError(f"features must be from 2 to 20, got {features}")
    if not 2 <= classes <= 10:
        raise ValueError(f"classes must be from 2 to 10, got {classes}")
    if not 0 <= noise <= 0.3:
        raise ValueError(f"noise must be from 0 to 0.3, got {noise}")
    if rows < FEWEST_ROWS * classes:
        raise ValueError(
            f"rows must be at least {FEWEST_ROWS * classes}, {FEWEST_ROWS} per class, got {rows}"
        )
    if random_state < 0:
        raise ValueError(f"random_state must be non-negative, got {random_state}")


def _space(features: int, rng: np.random.Generator) -> Space:
    generated: list[Continuous | Categorical] = []
    for i in range(features):
        if i % 5 == 4:
            generated.append(Categorical(f"f{i}", list("abcde")[: rng.integers(3, 6)]))
        else:
            generated.append(Continuous(f"f{i}", bounds=(0, 1)))
    return Space(generated)


def _points(space: Space, n: int, rng: np.random.Generator) -> pd.DataFrame:
    columns: dict[str, Any] = {}
    for feature in space:
        if isinstance(feature, Continuous):
            columns[feature.name] = rng.random(n)
        else:
            values = np.array(feature.values, dtype=object)
            columns[feature.name] = pd.Categorical(
                rng.choice(values, n), categories=pd.Index(values, dtype=object)
            )
    return pd.DataFrame(columns)


def _truth(space: Space, classes: int, wanted: int, rng: np.random.Generator) -> RuleSet | None:
    """Return rules for all classes but the first, or None if the draw fails."""
    names = space.names
    # With few tested features, boxes can be disjoint without many conditions.
    testable = len(names) if len(names) < 5 else max(3, round(0.4 * len(names)))
    tests = [str(name) for name in rng.choice(names, testable, replace=False)]
    truth = RuleSet(space=space, default="c0")
    # The default must be the largest class, so it gets clearly more than an equal share.
    share = min(COVERED, (classes - 1) / (classes + 0.6)) / wanted
    for i in range(wanted):
        then = f"c{1 + i % (classes - 1)}"
        for _ in range(TRIES):
            region = _region(truth, tests, share, rng)
            if region is None:
                continue
            if not any(r.then == then and _share_face(r.region, region) for r in truth):
                truth.add(Rule(region, then=then))
                break
        else:
            return None
    return truth


def _with_exceptions(truth: RuleSet, classes: int, rng: np.random.Generator) -> RuleSet | None:
    """Return the rules with an exception inside each of them, or None if the draw fails."""
    space = truth.space
    both = RuleSet(space=space, default=truth.default)
    for rule in truth:
        both.add(Rule(rule.region, then=rule.then, weight=1.0), force=True)
    for i, rule in enumerate(truth):
        for _ in range(TRIES):
            name = str(rng.choice(sorted(_tested(truth))))
            inner = rule.region & Region(space, _inner(space, rule.region, name, rng))
            share = inner.volume() / rule.region.volume()
            if EXCEPTION[0] <= share <= EXCEPTION[1]:
                # every other class has its turn, the default class as well
                step = 1 + i // classes % (classes - 1)
                then = f"c{(int(str(rule.then)[1:]) + step) % classes}"
                both.add(Rule(inner.simplified(), then=then, weight=2.0), force=True)
                break
        else:
            return None
    return both


def _inner(space: Space, region: Region, name: str, rng: np.random.Generator) -> dict[str, Any]:
    """Return a condition that keeps a part of a region on one feature."""
    feature = space[name]
    if isinstance(feature, Categorical):
        bits = region.bits(name)
        values = [v for v in feature.values if bits >> feature.encode_value(v) & 1]
        return {name: {"in": [values[rng.integers(len(values))]]}}
    low, high = (max(0.0, region.interval(name).lower), min(1.0, region.interval(name).upper))
    side = rng.uniform(*EXCEPTION) * (high - low)
    start = rng.uniform(low, high - side)
    return {name: (round(start, 2), round(start + side, 2))}


def _labels(truth: RuleSet, X: pd.DataFrame) -> np.ndarray:
    return np.asarray(truth.predict(X, resolve="best"), dtype=object)


def _region(
    truth: RuleSet, tests: list[str], share: float, rng: np.random.Generator
) -> Region | None:
    """Return a free box with about ``share`` of the space, or None."""
    space = truth.space
    seed = {f.name: _value(f, rng) for f in space}
    if truth.covering([seed]).any():
        return None
    n = int(rng.integers(1, min(3, len(tests)) + 1))
    own = [str(name) for name in rng.choice(tests, n, replace=False)]
    # The bounds of the box depend on the features that are enlarged last.
    others = [name for name in space.names if name not in own]
    first = [str(name) for name in rng.permutation(others)]
    room = enlarge(truth, seed, order=[*first, *own])
    # The free region is often smaller than the space already: cut only what remains.
    whole = Region(space).volume()
    width = min(1.0, (rng.uniform(0.8, 1.3) * share * whole / room.volume()) ** (1 / n))
    cut = {name: _cut(space, room, name, seed[name], width, rng) for name in own}
    region = (room & Region(space, {k: v for k, v in cut.items() if v is not None})).simplified()
    if not 1 <= region.n_conditions <= MOST_CONDITIONS:
        return None
    return region if 0.6 * share <= region.volume() / whole <= 1.5 * share else None


def _value(feature: Continuous | Categorical, rng: np.random.Generator) -> Hashable:
    if isinstance(feature, Continuous):
        return float(rng.random())
    return feature.values[rng.integers(len(feature.values))]


def _cut(
    space: Space, room: Region, name: str, value: Any, width: float, rng: np.random.Generator
) -> dict[str, Any] | None:
    """Return a condition around the value that keeps the share ``width`` of a side."""
    feature = space[name]
    if isinstance(feature, Categorical):
        bits = room.bits(name)
        others = [v for v in feature.values if v != value and bits >> feature.encode_value(v) & 1]
        n = min(len(others), max(0, round(width * (len(others) + 1)) - 1))
        chosen = [str(v) for v in rng.choice(np.array(others, dtype=object), n, replace=False)]
        return {"in": [value, *chosen]}
    low, high = (max(0.0, room.interval(name).lower), min(1.0, room.interval(name).upper))
    # Wide enough that rounding leaves something.
    side = max(width * (high - low), 0.02)
    start = float(np.clip(value - rng.random() * side, low, max(low, high - side)))
    # Two decimals are readable; an edge may move past the seed, which does no harm.
    bounds = {">=": round(start, 2), "<": round(start + side, 2)}
    if bounds[">="] < EDGE:
        del bounds[">="]
    if bounds["<"] > 1 - EDGE:
        del bounds["<"]
    return bounds or None


def _share_face(a: Region, b: Region) -> bool:
    """Return whether one of two disjoint boxes could be enlarged into the other.

    This requires that they touch on one feature and overlap on all others. If no two rules of a
    class do, each true rule is as large as its class allows.
    """
    apart = 0
    for feature in a.space:
        if isinstance(feature, Categorical):
            apart += not a.bits(feature.name) & b.bits(feature.name)
            continue
        one, two = a.interval(feature.name), b.interval(feature.name)
        gap = max(one.lower, two.lower) - min(one.upper, two.upper)
        if gap >= EDGE:
            return False
        apart += gap >= 0
    return apart < 2


def _disturbed(clean: np.ndarray, classes: int, noise: float, key: list[int]) -> np.ndarray:
    # A separate generator, so that the rows do not depend on the noise.
    rng = np.random.default_rng([*key, 1])
    y = clean.copy()
    wrong = rng.choice(len(y), round(noise * len(y)), replace=False)
    steps = rng.integers(1, classes, len(wrong))
    for row, step in zip(wrong, steps, strict=True):
        y[row] = f"c{(int(clean[row][1:]) + step) % classes}"
    return y


def _tested(rules: RuleSet) -> set[str]:
    return {name for rule in rules for name in rule.region.conditions()}


def _thens(rules: RuleSet) -> list[Hashable]:
    return [rules.consequents[code] for code in rules.then_codes]


def _found(truth: RuleSet, learned: RuleSet, points: pd.DataFrame) -> float:
    if not len(learned):
        return 0.0
    # float32 counts exactly up to 2**24, and its products are fast.
    true, own = (rules.covering(points).astype(np.float32) for rules in (truth, learned))
    both = true.T @ own
    either = true.sum(axis=0)[:, None] + own.sum(axis=0) - both
    same = np.array([[a == b for b in _thens(learned)] for a in _thens(truth)])
    return float((same & (both >= SAME_RULE * either) & (either > 0)).any(axis=1).mean())
