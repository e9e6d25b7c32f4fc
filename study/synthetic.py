"""Made data with known rules behind it: what a learner finds can be compared with what is true.

The truth has a default: the first class has no rules and is what the rules leave. A rule for it
would leave no trace in the labels where it borders on the default, and nobody could find it; and a
set that covers everything would need many more rules, most of them slivers. It is the largest
class, which learners take for their default too. All true rules are disjoint, so that each row has
one reason, and each is as large as its class allows, so that there is no larger rule that a
learner would be right to prefer.
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
# What all rules together cover at most, roughly; the default keeps the rest.
COVERED = 0.65
# A cut nearer than this to the edge of the space is no cut: nobody could learn such a sliver.
EDGE = 0.08
REDRAWS = 100
TRIES = 300
FRESH_POINTS = 10_000
SAME_RULE = 0.8


@dataclass
class Known:
    """A table, its labels, and the rules that they come from."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    clean: np.ndarray
    """The labels before noise: what ``truth`` predicts for ``X``."""
    truth: RuleSet
    """Consistent; its default is the class that has no rules."""
    space: Space
    relevant: tuple[str, ...]
    """The features that a rule of ``truth`` tests."""
    group: str = "made"


class Configuration(NamedTuple):
    """What a set of the study is made with: ``make(*configuration)``."""

    features: int
    classes: int
    noise: float

    @property
    def name(self) -> str:
        """How tables call the set."""
        return f"made {self.features}x{self.classes}, noise {self.noise:g}"


def grid() -> list[Configuration]:
    """Return the configurations of the study, small ones first."""
    sizes = ((2, 2), (5, 3), (10, 5), (20, 10))
    return [Configuration(*size, noise) for size in sizes for noise in (0.0, 0.1, 0.2, 0.3)]


def make(
    features: int,
    classes: int,
    noise: float,
    rows: int = 1000,
    rules: int | None = None,
    random_state: int = 0,
) -> Known:
    """Return data that a consistent rule set labeled, some labels then replaced.

    Sets that differ only in ``noise`` have the same truth, rows and clean labels.

    Parameters
    ----------
    features : int
        2 to 20; from 5 on, every fifth is categorical and some are irrelevant.
    classes : int
        2 to 10; the first, "c0", is the default and has no rules.
    noise : float
        The share of labels that are replaced by another class, 0 to 0.3.
    rules : int, optional
        How many true rules; None: two for each class but the default.
    """
    _check(features, classes, noise, rows, random_state)
    wanted = 2 * (classes - 1) if rules is None else rules
    if wanted < classes - 1:
        raise ValueError(f"rules is at least {classes - 1}, one a class but one, not {rules}")
    for number in range(REDRAWS):
        rng = np.random.default_rng([random_state, features, classes, wanted, number])
        space = _space(features, rng)
        truth = _truth(space, classes, wanted, rng)
        if truth is None:
            continue
        X = _points(space, rows, rng)
        clean = truth.predict(X)
        counts = np.unique(clean, return_counts=True)[1]
        least = max(FEWEST_ROWS, FEWEST_SHARE * rows)
        fits = len(counts) == classes and counts.min() >= least and counts[0] == counts.max()
        if fits and not X.T.duplicated().any():
            y = _disturbed(clean, classes, noise, [random_state, features, classes, number])
            relevant = tuple(name for name in space.names if name in _tested(truth))
            name = Configuration(features, classes, noise).name
            return Known(name, X, y, clean, truth, space, relevant)
    raise ValueError(
        f"no {wanted} rules for {classes} classes on {features} features and {rows} rows were"
        f" found in {REDRAWS} draws; ask for fewer rules or more rows"
    )


def recovery(
    learned: RuleSet,
    predict: Callable[[pd.DataFrame], Any],
    known: Known,
    random_state: int = 0,
) -> dict[str, float]:
    """Return how much of the truth was found, measured on fresh points of the whole space.

    Parameters
    ----------
    learned : RuleSet
        Its features have the names of ``known.X``.
    predict : callable
        From a frame to labels; apart from the rules, as some learners add votes or a default.

    Returns
    -------
    dict
        "truth_agreement": the share of points at which ``predict`` says what the truth says.
        "true_rules": how many there are.
        "rules_found": the share of them that some learned rule of the same consequent matches, in
        that the points that both cover are 80 % of those that one of them covers.
        "irrelevant_conditions": the share of learned conditions that test a feature which the
        truth does not test; NaN without conditions.
    """
    rng = np.random.default_rng([random_state, FRESH_POINTS])
    points = _points(known.space, FRESH_POINTS, rng)
    said = np.asarray(predict(points), dtype=object)
    if said.shape != (FRESH_POINTS,):
        raise ValueError(f"predict gave {said.shape} for {FRESH_POINTS} rows, not a label a row")
    names = [name for rule in learned for name in rule.region.conditions()]
    irrelevant = [name not in known.relevant for name in names]
    return {
        "truth_agreement": float(np.mean(said == known.truth.predict(points))),
        "true_rules": len(known.truth),
        "rules_found": _found(known.truth, learned, points),
        "irrelevant_conditions": float(np.mean(irrelevant)) if names else float("nan"),
    }


def _check(features: int, classes: int, noise: float, rows: int, random_state: int) -> None:
    if not 2 <= features <= 20:
        raise ValueError(f"features is 2 to 20, not {features}")
    if not 2 <= classes <= 10:
        raise ValueError(f"classes is 2 to 10, not {classes}")
    if not 0 <= noise <= 0.3:
        raise ValueError(f"noise is 0 to 0.3, not {noise}")
    if rows < FEWEST_ROWS * classes:
        raise ValueError(
            f"rows is at least {FEWEST_ROWS * classes}, {FEWEST_ROWS} a class, not {rows}"
        )
    if random_state < 0:
        raise ValueError(f"random_state is 0 or more, not {random_state}")


def _space(features: int, rng: np.random.Generator) -> Space:
    found: list[Continuous | Categorical] = []
    for i in range(features):
        if i % 5 == 4:
            found.append(Categorical(f"f{i}", list("abcde")[: rng.integers(3, 6)]))
        else:
            found.append(Continuous(f"f{i}", bounds=(0, 1)))
    return Space(found)


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
    """Return rules for all classes but the first, or None if the draw leads nowhere."""
    names = space.names
    # With so few features that rules test, boxes can be apart without many conditions.
    testable = len(names) if len(names) < 5 else max(3, round(0.4 * len(names)))
    tests = [str(name) for name in rng.choice(names, testable, replace=False)]
    truth = RuleSet(space=space, default="c0")
    # The default is to be the largest class: clearly more than an equal part is left to it.
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


def _region(
    truth: RuleSet, tests: list[str], share: float, rng: np.random.Generator
) -> Region | None:
    """Return a box of about ``share`` of the space that no rule overlaps, or None."""
    space = truth.space
    seed = {f.name: _value(f, rng) for f in space}
    if truth.covering([seed]).any():
        return None
    n = int(rng.integers(1, min(3, len(tests)) + 1))
    own = [str(name) for name in rng.choice(tests, n, replace=False)]
    # Where the box must end is settled on the features that are enlarged last.
    others = [name for name in space.names if name not in own]
    first = [str(name) for name in rng.permutation(others)]
    room = enlarge(truth, seed, order=[*first, *own])
    # The room has often taken a part of the share: cut no more than is left to cut.
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
    """Return a condition that keeps the share ``width`` of the room's side, round the value."""
    feature = space[name]
    if isinstance(feature, Categorical):
        bits = room.bits(name)
        others = [v for v in feature.values if v != value and bits >> feature.encode_value(v) & 1]
        n = min(len(others), max(0, round(width * (len(others) + 1)) - 1))
        chosen = [str(v) for v in rng.choice(np.array(others, dtype=object), n, replace=False)]
        return {"in": [value, *chosen]}
    low, high = (max(0.0, room.interval(name).lower), min(1.0, room.interval(name).upper))
    # Not so narrow that rounding leaves nothing.
    side = max(width * (high - low), 0.02)
    start = float(np.clip(value - rng.random() * side, low, max(low, high - side)))
    # Two decimals can be read; they may move an edge past the seed, which no one misses.
    bounds = {">=": round(start, 2), "<": round(start + side, 2)}
    if bounds[">="] < EDGE:
        del bounds[">="]
    if bounds["<"] > 1 - EDGE:
        del bounds["<"]
    return bounds or None


def _share_face(a: Region, b: Region) -> bool:
    """Return whether one of two disjoint boxes might be enlarged into the other.

    That takes a feature on which they touch while they meet on all others. If no two rules of a
    class are so, each true rule is as large as its class allows.
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
    # A generator of its own: the rows do not depend on the noise.
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
    # float32 counts exactly to 2**24, and such products are fast.
    true, own = (rules.covering(points).astype(np.float32) for rules in (truth, learned))
    both = true.T @ own
    either = true.sum(axis=0)[:, None] + own.sum(axis=0) - both
    same = np.array([[a == b for b in _thens(learned)] for a in _thens(truth)])
    return float((same & (both >= SAME_RULE * either) & (either > 0)).any(axis=1).mean())
