"""The estimates of a classifier compared with nested cross-validation.

``python -m benchmarks.estimates --data FOLDER`` fits a classifier to four fifths of each data set,
five times, and prints the means of the best validation score (which chose the rule set), of the
corrected estimate, and of the accuracy on the fifth left out. A second table compares the
confidence of rules with the share of the rows of that fifth that they are right for.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedKFold

from benchmarks import datasets
from benchmarks.harness import Table
from irenic import RuleSetClassifier

COLUMNS = ("best validation score", "estimate", "accuracy")
SHARES = ("on training rows", "confidence", "on new rows")


def scores(data: datasets.Single) -> tuple[list[float], list[float]]:
    """Return the mean of each column of both tables over five folds."""
    rows, shares = [], []
    folds = StratifiedKFold(5, shuffle=True, random_state=1).split(data.X, data.y)
    for fold, (learn, test) in enumerate(folds):
        clf = RuleSetClassifier(random_state=fold).fit(data.X.iloc[learn], data.y[learn])
        accuracy = clf.score(data.X.iloc[test], data.y[test])
        rows.append((clf.chosen_.validated_score, clf.estimate_.score, accuracy))
        shares.append(confidences(clf, data.X.iloc[test], data.y[test]))
    sums = np.sum(shares, axis=0)
    return np.mean(rows, axis=0).tolist(), (sums[:3] / max(sums[3], 1)).tolist()


def confidences(clf: RuleSetClassifier, X: object, y: np.ndarray) -> tuple[float, ...]:
    """Return the columns of the second table, times the rows that rules cover, and their number."""
    covers, counts = clf.rules_.covering(X), clf.chosen_.counts
    right = covers & (y[:, None] == np.array(clf.rules_.thens, dtype=object))
    n = covers.sum(axis=0)
    claims = (n @ counts.training_confidence[:-1], n @ counts.confidence[:-1])
    return (*claims, right.sum(), n.sum())


def compared(sets: list[datasets.Single]) -> list[Table]:
    results = []
    for data in sets:
        results.append(scores(data))
        print(f"{data.name}: done", file=sys.stderr, flush=True)
    tables = []
    titles = ("Estimates and nested cross-validation", "Confidence of rules, weighted by rows")
    for title, columns, values in zip(
        titles, (COLUMNS, SHARES), zip(*results, strict=True), strict=True
    ):
        table = Table(title, "set", *columns)
        for data, row in zip(sets, values, strict=True):
            table.add(data.name, *(f"{value:.3f}" for value in row))
        table.add("mean", *(f"{value:.3f}" for value in np.mean(values, axis=0)))
        first, second, truth = np.array(values).T
        errors = [f"{np.abs(column - truth).mean():.3f}" for column in (first, second)]
        table.add(f"mean distance from {columns[-1]}", *errors, "")
        tables.append(table)
    return tables


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.estimates", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of data sets (default: scikit-learn's)")
    parser.add_argument("--sets", nargs="*", default=(), help="names of the data sets")
    parser.add_argument("--max-rows", type=int, default=2_000, help="larger sets are left out")
    options = parser.parse_args(arguments)
    compared(list(datasets.single(options.data, options.sets, options.max_rows)))


if __name__ == "__main__":
    main()
