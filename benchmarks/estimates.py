"""The estimates of a classifier compared with nested cross-validation.

``python -m benchmarks.estimates --data FOLDER`` fits a classifier to four fifths of each data set,
five times, and prints the means of the best validation score (which chose the rule set), of the
corrected estimate, and of the accuracy on the fifth left out.
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


def scores(data: datasets.Single) -> list[float]:
    """Return the mean of each column over five folds."""
    rows = []
    folds = StratifiedKFold(5, shuffle=True, random_state=1).split(data.X, data.y)
    for fold, (learn, test) in enumerate(folds):
        clf = RuleSetClassifier(random_state=fold).fit(data.X.iloc[learn], data.y[learn])
        accuracy = clf.score(data.X.iloc[test], data.y[test])
        rows.append((clf.chosen_.validated_score, clf.estimate_.score, accuracy))
    return np.mean(rows, axis=0).tolist()


def compared(sets: list[datasets.Single]) -> Table:
    table = Table("Estimates and nested cross-validation", "set", *COLUMNS)
    results = []
    for data in sets:
        results.append(scores(data))
        print(f"{data.name}: done", file=sys.stderr, flush=True)
        table.add(data.name, *(f"{value:.3f}" for value in results[-1]))
    table.add("mean", *(f"{value:.3f}" for value in np.mean(results, axis=0)))
    best, estimate, accuracy = np.array(results).T
    errors = [f"{np.abs(column - accuracy).mean():.3f}" for column in (best, estimate)]
    table.add("mean distance from the accuracy", *errors, "")
    return table


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.estimates", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of data sets (default: scikit-learn's)")
    parser.add_argument("--sets", nargs="*", default=(), help="names of the data sets")
    parser.add_argument("--max-rows", type=int, default=2_000, help="larger sets are left out")
    options = parser.parse_args(arguments)
    compared(list(datasets.single(options.data, options.sets, options.max_rows)))


if __name__ == "__main__":
    main()
