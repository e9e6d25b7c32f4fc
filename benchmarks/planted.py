"""How much of a rule set that made the data learners find again.

``python -m benchmarks.planted`` makes tables whose labels follow a consistent rule set of three
conditions per rule, some of them for a rare label, and compares irenic's learner with a pruned tree
and LightGBM on new rows. A rule is found if a learned rule with its label covers the same new rows:
at least nine tenths of the rows that either of them covers.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.metrics import balanced_accuracy_score

from benchmarks import peers
from benchmarks.fitted import Fitted
from benchmarks.harness import Table

CONDITIONS = 3
# Every fifth feature is a category with this many values.
VALUES = 6
# Shares of the rows that rules cover: those of the common labels, usually, and of the rare one.
COVERED, RARE = 0.45, 0.005
DEFAULT, COMMON, RARELY = "none", ("a", "b"), "rare"
# No condition admits less than this share of its feature.
NARROWEST = 0.05
# Separates rare rules from others where these are spread.
BOUND = 0.7
TRIES = 100_000
TEST_ROWS = 50_000
FOUND = 0.9
NEW_ROWS = 7

Condition = tuple[float, float] | frozenset[int]


class Setting(NamedTuple):
    """A made data set; rare rules come in addition to the common ones."""

    rules: int
    rare: int
    features: int
    rows: int
    noise: float = 0.0
    spread: bool = False
    """Whether there is one common label, whose rules overlap each other and test all features.

    Otherwise, there are two, and each rule excludes its rivals by whatever features do, so most
    rules test the same few.
    """
    covered: float = COVERED
    """Sum of the shares of the rows that common rules cover."""

    def __str__(self) -> str:
        rules = f"{self.rules} + {self.rare} rules" if self.rare else f"{self.rules} rules"
        more = ", spread" if self.spread else ""
        more += f", covering {self.covered:.0%}" if self.covered != COVERED else ""
        more += f", noise {self.noise:.0%}" if self.noise else ""
        return f"{rules}, {self.features} features, {self.rows:,} rows{more}"


SETTINGS = (
    Setting(5, 0, 5, 20_000),
    Setting(10, 5, 10, 20_000, 0.05),
    Setting(20, 10, 20, 20_000),
    Setting(20, 10, 20, 400_000),
    Setting(20, 10, 20, 20_000, spread=True),
    Setting(20, 10, 20, 400_000, spread=True),
    Setting(20, 10, 20, 100_000, 0.1, spread=True),
    # most rows are in a rule, so the default is not the most frequent label
    Setting(20, 0, 20, 20_000, spread=True, covered=1.3),
    Setting(50, 0, 30, 100_000, 0.05),
    Setting(100, 0, 50, 100_000),
)


@dataclass(frozen=True)
class Planted:
    """A rule of the truth."""

    conditions: dict[int, Condition]
    label: str

    def covers(self, columns: np.ndarray) -> np.ndarray:
        """Return which columns of a table [feature, row] it covers."""
        covered = np.ones(columns.shape[1], dtype=bool)
        for feature, condition in self.conditions.items():
            column = columns[feature]
            if isinstance(condition, frozenset):
                covered &= np.isin(column, list(condition))
            else:
                covered &= (condition[0] <= column) & (column < condition[1])
        return covered


def holds(condition: Condition, value: float) -> bool:
    """Return whether a condition admits a value."""
    if isinstance(condition, frozenset):
        return int(value) in condition
    return condition[0] <= value < condition[1]


def is_category(feature: int) -> bool:
    return feature % 5 == 4


def draw(features: int, rows: int, rng: np.random.Generator) -> np.ndarray:
    """Return columns [feature, row]: numbers from 0 to 1, and codes of categories."""
    columns = rng.random((features, rows))
    for feature in filter(is_category, range(features)):
        columns[feature] = np.floor(columns[feature] * VALUES)
    return columns


def table(columns: np.ndarray) -> pd.DataFrame:
    """Return columns as a frame of numbers and categories."""
    frame = {}
    for feature, column in enumerate(columns):
        if is_category(feature):
            names = pd.Index([f"v{code}" for code in range(VALUES)])
            frame[f"x{feature}"] = pd.Categorical.from_codes(column.astype(int), names)
        else:
            frame[f"x{feature}"] = column
    return pd.DataFrame(frame)


def plant(setting: Setting, rng: np.random.Generator) -> list[Planted]:
    """Return consistent rules that each cover about the same share, except for rare ones."""
    common = COMMON[:1] if setting.spread else COMMON
    labels = [common[i % len(common)] for i in range(setting.rules)] + [RARELY] * setting.rare
    rules: list[Planted] = []
    for label in labels:
        share = RARE / setting.rare if label == RARELY else setting.covered / setting.rules
        for _ in range(TRIES):
            rule = _draw_rule(setting, label, share, rules, rng)
            if rule is not None:
                rules.append(rule)
                break
        else:
            raise RuntimeError(f"no room for rule {len(rules) + 1} of {setting}")
    return rules


def _draw_rule(
    setting: Setting, label: str, share: float, rules: list[Planted], rng: np.random.Generator
) -> Planted | None:
    """Return a rule around a random point, or None if its rivals leave no room there."""
    features = setting.features
    point = draw(features, 1, rng)[:, 0]
    rivals = [rule.conditions for rule in rules if rule.label != label]
    room: dict[int, Condition] = {}
    if setting.spread:
        # common rules test one of three features below a bound, and rare ones all three above it
        rivals, tested = [], rng.choice(CONDITIONS, 1) if label != RARELY else range(CONDITIONS)
        for f in map(int, tested):
            room[f] = (0.0, BOUND) if label != RARELY else (BOUND, 1.0)
            point[f] = rng.uniform(*room[f])
    if any(rule.covers(point[:, None])[0] for rule in rules):
        return None
    while rivals:
        # the feature that separates the point from most rivals, among a few drawn ones
        parts = {
            f: [r for r in rivals if f in r and not holds(r[f], point[f])]
            for f in rng.permutation(features)[: max(3, features // 2)].tolist()
        }
        f = max(parts, key=lambda f: len(parts[f]))
        if not parts[f] or len(room) == CONDITIONS or f in room:
            return None
        room[f] = _free(f, float(point[f]), [rival[f] for rival in parts[f]])
        rivals = [rival for rival in rivals if rival not in parts[f]]
    for f in rng.permutation(features).tolist():
        if len(room) < CONDITIONS and f not in room:
            room[f] = frozenset(range(VALUES)) if is_category(f) else (0.0, 1.0)
    return _shrunk(room, point, label, share, rng)


def _free(feature: int, value: float, rivals: list[Condition]) -> Condition:
    """Return the largest condition around a value that excludes those of rivals."""
    if is_category(feature):
        return frozenset(range(VALUES)) - frozenset().union(*rivals)
    low = max([high for _, high in rivals if high <= value], default=0.0)
    high = min([low for low, _ in rivals if low > value], default=1.0)
    return (low, high)


def _shrunk(
    room: dict[int, Condition],
    point: np.ndarray,
    label: str,
    share: float,
    rng: np.random.Generator,
) -> Planted | None:
    """Return a rule inside a room that covers a share of the space, None if it is too small."""
    conditions: dict[int, Condition] = {}
    left = share
    # the narrowest rooms first: what they lack, the others make up for
    order = sorted(room, key=lambda f: _width(room[f]) + (10.0 if not is_category(f) else 0.0))
    for n_left, f in zip(range(len(room), 0, -1), order, strict=True):
        wanted = min(0.85, left ** (1.0 / n_left))
        condition = room[f]
        if isinstance(condition, frozenset):
            others = rng.permutation(sorted(condition - {int(point[f])})).tolist()
            n = max(1, min(len(condition), round(wanted * VALUES)))
            conditions[f] = frozenset([int(point[f]), *others[: n - 1]])
        else:
            low, high = condition
            width = min(wanted, high - low)
            first = max(low, min(float(point[f]) - width * rng.random(), high - width))
            conditions[f] = (round(first, 4), round(first + width, 4))
        left = min(1.0, left / _width(conditions[f]))
    widths = [_width(condition) for condition in conditions.values()]
    if min(widths) < NARROWEST or not 0.5 < np.prod(widths) / share < 2.0:
        return None
    return Planted(conditions, label)


def _width(condition: Condition) -> float:
    if isinstance(condition, frozenset):
        return len(condition) / VALUES
    return condition[1] - condition[0]


def labels_of(rules: list[Planted], columns: np.ndarray) -> np.ndarray:
    """Return the label of each row."""
    labels = np.full(columns.shape[1], DEFAULT, dtype=object)
    for rule in rules:
        labels[rule.covers(columns)] = rule.label
    return labels


def make(setting: Setting, seed: int = 0) -> tuple[list[Planted], np.ndarray, np.ndarray]:
    """Return rules, columns and labels; noise replaces labels by one that is not rare."""
    # the same rules whatever the rows and the noise
    rules = plant(setting, np.random.default_rng([seed, *setting[:3]]))
    rng = np.random.default_rng([seed, *setting[:4]])
    columns = draw(setting.features, setting.rows, rng)
    labels = labels_of(rules, columns)
    noisy = rng.random(setting.rows) < setting.noise
    labels[noisy] = rng.choice([DEFAULT, *COMMON[: 1 if setting.spread else 2]], noisy.sum())
    return rules, columns, labels


def share_found(rules: list[Planted], columns: np.ndarray, fitted: Fitted) -> float:
    """Return the share of the rules that a learned rule with the same label equals."""
    assert fitted.covering is not None
    covering, thens = fitted.covering(table(columns))
    size = covering.sum(axis=0)
    found = 0
    for rule in rules:
        own = rule.covers(columns)
        both = own.astype(np.float32) @ covering
        alike = both >= FOUND * np.maximum(own.sum() + size - both, 1)
        found += bool((alike & (thens == rule.label)).any())
    return found / len(rules)


def measured(
    setting: Setting, fit: Callable[[Any, Any], Fitted], seed: int = 0
) -> dict[str, float | None]:
    """Return accuracy, size and time of a learner on one data set."""
    rules, columns, labels = make(setting, seed)
    X = table(columns)
    start = time.perf_counter()
    fitted = fit(X, labels)
    taken = time.perf_counter() - start
    fresh = draw(setting.features, TEST_ROWS, np.random.default_rng([seed, NEW_ROWS]))
    truth, predicted = labels_of(rules, fresh), fitted.predict(table(fresh))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # labels that are predicted but do not occur
        balanced = balanced_accuracy_score(truth, predicted)
    rare = truth == RARELY
    return {
        "accuracy": float(np.mean(truth == predicted)),
        "balanced": float(balanced),
        "rare recall": float(np.mean(predicted[rare] == RARELY)) if rare.any() else None,
        "rules": fitted.size().get("rules"),
        "found": share_found(rules, fresh, fitted) if fitted.covering else None,
        "seconds": taken,
    }


def learners(n_jobs: int) -> dict[str, Callable[[Any, Any], Fitted]]:
    """Return the learners that are installed."""
    found: dict[str, Callable[[Any, Any], Fitted]] = {
        "irenic": partial(peers.ours, n_jobs=n_jobs),
        "pruned tree": peers.pruned,
    }
    if importlib.util.find_spec("lightgbm"):
        found["lightgbm"] = partial(peers.lightgbm, n_jobs=n_jobs)
    return found


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planted", description=__doc__)
    parser.add_argument("--settings", nargs="*", type=int, help="indices of data sets (from 0)")
    parser.add_argument("--learners", nargs="*", help="names of learners")
    parser.add_argument("--jobs", type=int, default=1, help="threads per fit (default: 1)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the data (default: 0)")
    options = parser.parse_args(arguments)
    chosen = range(len(SETTINGS)) if options.settings is None else options.settings
    columns = ("accuracy", "balanced", "rare recall", "rules", "found", "seconds")
    shown = Table("Planted rules", "data", "learner", *columns)
    for index in chosen:
        for name, fit in learners(options.jobs).items():
            if options.learners and name not in options.learners:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                figures = measured(SETTINGS[index], fit, options.seed)
            shown.add(str(SETTINGS[index]), name, *(_cell(c, figures[c]) for c in columns))


def _cell(column: str, value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.0f}" if column == "rules" else f"{value:.{1 if column == 'seconds' else 3}f}"


if __name__ == "__main__":
    main()
