"""The estimates of a classifier compared with nested cross-validation.

``python -m benchmarks.estimates --data FOLDER`` fits a classifier to four fifths of each data set,
five times, and prints the means of the best validation score (which chose the rule set), of the
corrected estimate, and of the accuracy on the fifth left out. A second table compares the
confidence of rules with the share of the rows of that fifth that they are right for, and a third
one says how many of their intervals contain this share. ``--made`` uses made data instead, whose
shares are known from 200,000 new rows.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from benchmarks import datasets
from benchmarks.harness import Table
from irenic import RuleSetClassifier

COLUMNS = ("best validation score", "estimate", "accuracy")
SHARES = ("on training rows", "confidence", "on new rows")
INTERVALS = ("rules", "intervals that hold", "claims too much", "claims too little")
# Rules that fewer new rows test say little.
TESTED = 10
MADE_ROWS = (150, 600, 2_500, 10_000)
NEW_ROWS = 200_000

Split = tuple[Any, np.ndarray, Any, np.ndarray]


def splits(data: datasets.Single) -> Iterator[Split]:
    """Yield training rows and labels, and new ones, for each of five folds."""
    folds = StratifiedKFold(5, shuffle=True, random_state=1).split(data.X, data.y)
    for learn, test in folds:
        yield data.X.iloc[learn], data.y[learn], data.X.iloc[test], data.y[test]


def made(kind: str, rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of eight numbers whose labels depend on some of them by chance."""
    rng = np.random.default_rng(seed)
    X = rng.random((rows, 8))
    if kind == "noise":
        chance = np.full(rows, 0.3)
    elif kind == "one step":
        chance = np.where(X[:, 0] > 0.6, 0.7, 0.35)
    elif kind == "smooth":
        chance = 1.0 / (1.0 + np.exp(-3.0 * (X[:, 0] + X[:, 1] - X[:, 2] - 0.5)))
    else:
        first, second = (X[:, 0] > 0.6) & (X[:, 1] < 0.5), (X[:, 2] > 0.5) & (X[:, 3] > 0.5)
        noisy = np.where(first, 0.95, np.where(second, 0.8, 0.1))
        chance = noisy if kind == "noisy rules" else (first | second).astype(float)
    return X, np.where(rng.random(rows) < chance, "yes", "no").astype(object)


def made_splits(kind: str) -> Iterator[Split]:
    """Yield training rows and labels of several sizes, and new ones."""
    new = made(kind, NEW_ROWS, 99)
    for rows in MADE_ROWS:
        for seed in range(3 if rows < 5_000 else 1):
            yield *made(kind, rows, seed), *new


def scores(parts: Iterator[Split]) -> tuple[list[float], list[float], list[int]]:
    """Return the mean of each column of the first two tables, and the counts of the third."""
    rows, shares, intervals = [], [], []
    for fold, (X, y, new, truth) in enumerate(parts):
        clf = RuleSetClassifier(random_state=fold).fit(X, y)
        rows.append((clf.chosen_.validated_score, clf.estimate_.score, clf.score(new, truth)))
        shares.append(confidences(clf, new, truth))
        intervals.append(held(clf, new, truth))
    sums = np.sum(shares, axis=0)
    means = np.mean(rows, axis=0).tolist(), (sums[:3] / max(sums[3], 1)).tolist()
    return *means, np.sum(intervals, axis=0).tolist()


def confidences(clf: RuleSetClassifier, X: object, y: np.ndarray) -> tuple[float, ...]:
    """Return the columns of the second table, times the rows that rules cover, and their number."""
    right, n = tested(clf, X, y)
    counts = clf.chosen_.counts
    claims = (n @ counts.training_confidence[:-1], n @ counts.confidence[:-1])
    return (*claims, right.sum(), n.sum())


def held(clf: RuleSetClassifier, X: object, y: np.ndarray) -> tuple[int, ...]:
    """Return the columns of the third table.

    The share of a few new rows scatters too, so each end of an interval is moved by what the
    scatter of both adds up to.
    """
    right, n = tested(clf, X, y)
    rules = np.flatnonzero(n >= TESTED)
    right, n = right[rules], n[rules]
    claim, ends = clf.chosen_.counts.confidence[rules], clf.chosen_.counts.intervals[rules]
    share = (right + 1.0) / (n + 2.0)
    scatter = 1.96**2 * share * (1.0 - share) / n
    low = claim - np.sqrt((claim - ends[:, 0]) ** 2 + scatter)
    high = claim + np.sqrt((ends[:, 1] - claim) ** 2 + scatter)
    much, little = (right / n < low).sum(), (right / n > high).sum()
    return len(n), len(n) - much - little, much, little


def tested(clf: RuleSetClassifier, X: object, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how many rows each rule is right for, and how many it covers."""
    covers = clf.rules_.covering(X)
    right = covers & (y[:, None] == np.array(clf.rules_.thens, dtype=object))
    return right.sum(axis=0), covers.sum(axis=0)


def compared(sets: dict[str, Iterator[Split]]) -> list[Table]:
    results = []
    for name, parts in sets.items():
        results.append(scores(parts))
        print(f"{name}: done", file=sys.stderr, flush=True)
    tables = []
    *values, intervals = zip(*results, strict=True)
    titles = ("Estimates and nested cross-validation", "Confidence of rules, weighted by rows")
    for title, columns, figures in zip(titles, (COLUMNS, SHARES), values, strict=True):
        table = Table(title, "set", *columns)
        for name, row in zip(sets, figures, strict=True):
            table.add(name, *(f"{value:.3f}" for value in row))
        table.add("mean", *(f"{value:.3f}" for value in np.mean(figures, axis=0)))
        first, second, truth = np.array(figures).T
        errors = [f"{np.abs(column - truth).mean():.3f}" for column in (first, second)]
        table.add(f"mean distance from {columns[-1]}", *errors, "")
        tables.append(table)
    table = Table("95 % intervals of the confidence of rules", "set", *INTERVALS)
    for name, row in [*zip(sets, intervals, strict=True), ("all", np.sum(intervals, axis=0))]:
        table.add(name, row[0], *(f"{value / max(row[0], 1):.1%}" for value in row[1:]))
    return [*tables, table]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.estimates", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of data sets (default: scikit-learn's)")
    parser.add_argument("--sets", nargs="*", default=(), help="names of the data sets")
    parser.add_argument("--max-rows", type=int, default=2_000, help="larger sets are left out")
    parser.add_argument("--made", action="store_true", help="use made data instead")
    options = parser.parse_args(arguments)
    if options.made:
        kinds = ("noise", "one step", "smooth", "noisy rules", "rules")
        compared({kind: made_splits(kind) for kind in kinds})
        return
    sets = datasets.single(options.data, options.sets, options.max_rows)
    compared({data.name: splits(data) for data in sets})


if __name__ == "__main__":
    main()
