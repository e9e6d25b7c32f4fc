"""The estimates of a classifier compared with nested cross-validation.

``python -m benchmarks.estimates --data FOLDER`` fits a classifier to four fifths of each data set,
five times, and prints the means of the best validation score (which chose the rule set), of the
corrected estimate, and of the accuracy on the fifth left out. A second table compares the
confidence of rules with the share of the rows of that fifth that they are right for, and a third
one says how many of their intervals contain this share. Two more tables say the same of the regions
that are reasons of the default. ``--made`` uses made data instead, whose shares are known from
200,000 new rows.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from benchmarks import datasets
from benchmarks.harness import Table
from irenic import RuleSet, RuleSetClassifier

COLUMNS = ("best validation score", "estimate", "accuracy")
SHARES = ("on training rows", "confidence", "on new rows")
INTERVALS = ("intervals that hold", "claims too much", "claims too little")
KINDS = (("rules", "rules"), ("reasons of the default", "regions"))
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


@dataclass
class Claims:
    """Rules, or regions of the default, and what a model says about them."""

    rules: RuleSet
    trained: np.ndarray
    confidence: np.ndarray
    intervals: np.ndarray


def claims_of(clf: RuleSetClassifier) -> tuple[Claims, Claims]:
    """Return the rules of a classifier, and the regions that only its default decides."""
    counts, known = clf.chosen_.counts, clf.chosen_.default_regions
    shares = counts.training_confidence[:-1], counts.confidence[:-1], counts.intervals[:-1]
    rules = Claims(clf.rules_, *shares)
    if known is None:
        return rules, Claims(clf.rules_[[]], *(share[:0] for share in shares))
    return rules, Claims(known.rules, known.training_confidence, known.confidence, known.intervals)


@dataclass
class Scores:
    """The rows of one data set in all tables; shares and intervals by kind of claim."""

    means: list[float]
    shares: list[list[float]]
    intervals: list[list[int]]


def scores(parts: Iterator[Split]) -> Scores:
    """Return the rows of one data set in all tables."""
    rows, shares, intervals = [], [], []
    for fold, (X, y, new, truth) in enumerate(parts):
        clf = RuleSetClassifier(random_state=fold).fit(X, y)
        rows.append((clf.chosen_.validated_score, clf.estimate_.score, clf.score(new, truth)))
        both = claims_of(clf)
        shares.append([confidences(claims, new, truth) for claims in both])
        intervals.append([held(claims, new, truth) for claims in both])
    means = [(sums[:3] / max(sums[3], 1)).tolist() for sums in np.sum(shares, axis=0)]
    return Scores(np.mean(rows, axis=0).tolist(), means, np.sum(intervals, axis=0).tolist())


def confidences(claims: Claims, X: object, y: np.ndarray) -> tuple[float, ...]:
    """Return the shares of a table, times the rows that rules cover, and their number."""
    right, n = tested(claims.rules, X, y)
    return n @ claims.trained, n @ claims.confidence, right.sum(), n.sum()


def held(claims: Claims, X: object, y: np.ndarray) -> tuple[int, ...]:
    """Return how many intervals there are, hold, claim too much and claim too little.

    The share of a few new rows scatters too, so each end of an interval is moved by what the
    scatter of both adds up to.
    """
    right, n = tested(claims.rules, X, y)
    rules = np.flatnonzero(n >= TESTED)
    right, n = right[rules], n[rules]
    claim, ends = claims.confidence[rules], claims.intervals[rules]
    share = (right + 1.0) / (n + 2.0)
    scatter = 1.96**2 * share * (1.0 - share) / n
    low = claim - np.sqrt((claim - ends[:, 0]) ** 2 + scatter)
    high = claim + np.sqrt((ends[:, 1] - claim) ** 2 + scatter)
    much, little = (right / n < low).sum(), (right / n > high).sum()
    return len(n), len(n) - much - little, much, little


def tested(rules: RuleSet, X: object, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how many rows each rule is right for, and how many it covers."""
    covers = rules.covering(X)
    right = covers & (y[:, None] == np.array(rules.thens, dtype=object))
    return right.sum(axis=0), covers.sum(axis=0)


def compared(sets: dict[str, Iterator[Split]]) -> list[Table]:
    results = []
    for name, parts in sets.items():
        results.append(scores(parts))
        print(f"{name}: done", file=sys.stderr, flush=True)
    means = [result.means for result in results]
    tables = [share_table("Estimates and nested cross-validation", COLUMNS, sets, means)]
    for kind, (title, noun) in enumerate(KINDS):
        shares = [result.shares[kind] for result in results]
        tables.append(share_table(f"Confidence of {title}, weighted by rows", SHARES, sets, shares))
        table = Table(f"95 % intervals of the confidence of {title}", "set", noun, *INTERVALS)
        counts = [result.intervals[kind] for result in results]
        for name, row in [*zip(sets, counts, strict=True), ("all", np.sum(counts, axis=0))]:
            table.add(name, row[0], *(f"{value / max(row[0], 1):.1%}" for value in row[1:]))
        tables.append(table)
    return tables


def share_table(
    title: str, columns: tuple[str, ...], names: Iterable[str], figures: list[list[float]]
) -> Table:
    """Return a table of shares, with their means and their mean distance from the last column."""
    table = Table(title, "set", *columns)
    for name, row in zip(names, figures, strict=True):
        table.add(name, *(f"{value:.3f}" for value in row))
    table.add("mean", *(f"{value:.3f}" for value in np.mean(figures, axis=0)))
    first, second, truth = np.array(figures).T
    errors = [f"{np.abs(column - truth).mean():.3f}" for column in (first, second)]
    table.add(f"mean distance from {columns[-1]}", *errors, "")
    return table


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
