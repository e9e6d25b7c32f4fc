"""Models for refusals that have reasons: how good they are, and how long the reasons.

``python -m benchmarks.reasons --data FOLDER`` fits classifiers to four fifths of a data set, five
times, and prints what they refuse in the fifth left out: accuracy and area under the curve, how
many rows are refused, how many of these rightly, and the share of refusals whose reason has at most
four conditions. A decision tree with as many leaves as there are rules is beside them.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from benchmarks import datasets
from benchmarks.harness import Table
from irenic import RuleSetClassifier
from irenic.learn.cross_validation import as_matrix, tree_size

_CONDITIONS: Final = 4
_COLUMNS: Final = (
    *("accuracy", "AUC", "refused", "of these right", "found", "rules"),
    f"reasons of at most {_CONDITIONS} conditions",
)


def arms(label: Any) -> dict[str, dict[str, Any]]:
    """Return the parameters of each model of refusals."""
    short = {"max_conditions_per_rule": _CONDITIONS}
    described = {"knowledge": {"describe": label}, **short, "min_support": 20}
    return {
        "described": described,
        "described, balanced": {**described, "scoring": "balanced_accuracy"},
        "described, by AUC": {**described, "scoring": "roc_auc"},
        "complete": {**short, "default": "abstain", "complete": True},
        "no limits": {},
    }


def refusals(data: datasets.Single, label: Any, parameters: dict[str, Any]) -> np.ndarray:
    """Return the mean figures of a model over five folds; see the columns of the table."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(data.X, data.y)
    return np.mean([_fold(data, label, parameters, *fold) for fold in folds], axis=0)


def _fold(
    data: datasets.Single, label: Any, parameters: dict[str, Any], learn: Any, test: Any
) -> list[float]:
    clf = RuleSetClassifier(random_state=0, **parameters).fit(data.X.iloc[learn], data.y[learn])
    X, bad = data.X.iloc[test], data.y[test] == label
    decisions = clf.explain(X)
    refused = np.array([decision.then == label for decision in decisions])
    lengths = [d.region.n_conditions for d in decisions if d.then == label and d.region is not None]
    place = clf.classes_.tolist().index(label)
    return [
        clf.score(X, data.y[test]),
        roc_auc_score(bad, clf.predict_proba(X)[:, place]),
        refused.mean(),
        bad[refused].mean() if refused.any() else np.nan,
        refused[bad].mean(),
        len(clf.rules_),
        np.mean(np.array(lengths) <= _CONDITIONS) if lengths else np.nan,
    ]


def tree(data: datasets.Single, label: Any, leaves: int) -> np.ndarray:
    """Return the same figures of a decision tree, whose paths are the reasons."""
    matrix, sources = as_matrix(data.X)
    rows = []
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(data.X, data.y)
    for learn, test in folds:
        grown = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
        grown.fit(matrix[learn], data.y[learn])
        bad, place = data.y[test] == label, grown.classes_.tolist().index(label)
        refused = grown.predict(matrix[test]) == label
        tests = grown.decision_path(matrix[test]).indptr
        paths = np.diff(tests)[refused] - 1
        rows.append(
            [
                grown.score(matrix[test], data.y[test]),
                roc_auc_score(bad, grown.predict_proba(matrix[test])[:, place]),
                refused.mean(),
                bad[refused].mean() if refused.any() else np.nan,
                refused[bad].mean(),
                tree_size(grown, sources)[0],
                np.mean(paths <= _CONDITIONS) if len(paths) else np.nan,
            ]
        )
    return np.mean(rows, axis=0)


def compared(data: datasets.Single, label: Any) -> Table:
    """Print the figures of each model of a data set."""
    title = f"Refusals with reasons: {data.name}, predicting {label}"
    table = Table(title, "model", *_COLUMNS)
    for arm, parameters in arms(label).items():
        table.add(arm, *_cells(refusals(data, label, parameters)))
    for leaves in (4, 16):
        table.add(f"tree of {leaves} leaves", *_cells(tree(data, label, leaves)))
    return table


def _cells(means: np.ndarray) -> list[str]:
    accuracy, auc, refused, right, found, rules, short = means.tolist()
    shares = (f"{share:.0%}" for share in (refused, right, found))
    return [f"{accuracy:.3f}", f"{auc:.3f}", *shares, f"{rules:.1f}", f"{short:.0%}"]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reasons", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of data sets (default: scikit-learn's)")
    parser.add_argument("--set", default="credit-g", help="name of the data set")
    parser.add_argument("--label", default="bad", help="label of refusals")
    options = parser.parse_args(arguments)
    (data,) = datasets.single(options.data, [options.set], 10_000)
    compared(data, options.label)


if __name__ == "__main__":
    main()
