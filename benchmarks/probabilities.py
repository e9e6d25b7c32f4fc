"""How good probabilities are: of the classifier, of trees of several sizes, and of LightGBM.

``python -m benchmarks.probabilities --data FOLDER`` fits each learner to four fifths of each data
set, five times, and prints the means of the log-loss, the area under the ROC curve, the Brier score
and the calibration error on the fifth left out. ``--split development`` uses only the sets that
decisions were made on, and ``--split final`` only the others. LightGBM is left out if it is not
installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from benchmarks import datasets
from benchmarks.harness import Table
from irenic import RuleSetClassifier

# The sets that nothing was chosen on; the same as those of the estimates.
FINAL = ("car", "heart-c", "hypothyroid", "kr-vs-kp", "pima", "splice", "zoo")
LEAVES = (4, 8, 16, 32)
MEASURES = ("log-loss", "ROC area", "Brier score", "calibration error", "accuracy")
_LEAST = 1e-6
_BINS = 10

Floats = np.ndarray


def measures(truth: Floats, likely: Floats) -> list[float]:
    """Return all measures of probabilities; ``truth`` are codes of labels."""
    likely = np.clip(likely, _LEAST, None)
    likely /= likely.sum(axis=1, keepdims=True)
    present = np.eye(likely.shape[1])[truth]
    areas = [
        roc_auc_score(own, scores)
        for own, scores in zip(present.T, likely.T, strict=True)
        if 0 < own.sum() < len(own)
    ]
    return [
        float(-np.log(likely[np.arange(len(truth)), truth]).mean()),
        float(np.mean(areas)),
        float(((likely - present) ** 2).sum(axis=1).mean() / 2.0),
        calibration_error(truth, likely),
        float((likely.argmax(axis=1) == truth).mean()),
    ]


def calibration_error(truth: Floats, likely: Floats) -> float:
    """Return the expected calibration error of the most likely label, in ten bins.

    It is the mean distance between the highest probability and the share of rows for which that
    label is right.
    """
    top, right = likely.max(axis=1), likely.argmax(axis=1) == truth
    bins = np.minimum((top * _BINS).astype(int), _BINS - 1)
    gaps = [
        abs(top[bins == b].mean() - right[bins == b].mean()) * (bins == b).sum()
        for b in np.unique(bins)
    ]
    return float(sum(gaps) / len(truth))


def numeric(X: pd.DataFrame) -> pd.DataFrame:
    """Return a table of numbers for trees, with one column per category value."""
    names = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    table = pd.get_dummies(X, columns=names, dtype=float)
    table.columns = [f"f{i}" for i in range(table.shape[1])]
    return table


def trees(X: pd.DataFrame, y: Floats) -> dict[str, Any]:
    """Return fitted trees of several sizes, and one pruned by inner cross-validation."""
    fitted: dict[str, Any] = {
        f"tree of {n}": DecisionTreeClassifier(max_leaf_nodes=n, random_state=0).fit(X, y)
        for n in LEAVES
    }
    grown = DecisionTreeClassifier(random_state=0)
    alphas = np.clip(grown.cost_complexity_pruning_path(X, y).ccp_alphas, 0.0, None)
    degrees = np.unique(np.quantile(alphas, np.linspace(0, 1, 12)))
    fitted["pruned tree"] = GridSearchCV(grown, {"ccp_alpha": degrees}, cv=3).fit(X, y)
    return fitted


def boosted(X: pd.DataFrame, y: Floats) -> dict[str, Any]:
    """Return a fitted LightGBM, if it is installed."""
    if importlib.util.find_spec("lightgbm") is None:
        return {}
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(
        n_estimators=100, learning_rate=0.05, num_leaves=15, n_jobs=1, verbose=-1, random_state=0
    )
    return {"LightGBM": model.fit(X, y)}


def scores(data: datasets.Single, max_rows: int, **options: Any) -> dict[str, list[float]]:
    """Return the mean measures of each learner over five folds, then the rules and seconds."""
    X, y = data.X, data.y
    if len(X) > max_rows:
        kept = np.random.default_rng(0).permutation(len(X))[:max_rows]
        X, y = X.iloc[kept].reset_index(drop=True), y[kept]
    table = numeric(X)
    found: dict[str, list[list[float]]] = {}
    folds = StratifiedKFold(5, shuffle=True, random_state=1).split(X, y)
    for fold, (learn, test) in enumerate(folds):
        filled = table.fillna(table.iloc[learn].median())
        started = time.perf_counter()
        clf = RuleSetClassifier(random_state=fold, **options).fit(X.iloc[learn], y[learn])
        size = [len(clf.rules_) + 1.0, time.perf_counter() - started]
        truth = np.searchsorted(clf.classes_, y[test])
        fitted = [("irenic", clf, X, size)]
        fitted += [(*one, filled, []) for one in trees(filled.iloc[learn], y[learn]).items()]
        fitted += [(*one, table, []) for one in boosted(table.iloc[learn], y[learn]).items()]
        for name, model, cases, more in fitted:
            likely = model.predict_proba(cases.iloc[test])
            found.setdefault(name, []).append([*measures(truth, likely), *more])
    return {name: np.mean(rows, axis=0).tolist() for name, rows in found.items()}


def compared(sets: list[datasets.Single], max_rows: int, **options: Any) -> list[Table]:
    """Return one table per measure, with one row per data set."""
    results = {}
    for data in sets:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results[data.name] = scores(data, max_rows, **options)
        print(f"{data.name}: done", file=sys.stderr, flush=True)
    learners = list(next(iter(results.values())))
    tables = []
    for place, measure in enumerate(MEASURES):
        table = Table(measure, "set", "rules", *learners)
        values = []
        for name, found in results.items():
            values.append([found[learner][place] for learner in learners])
            rules = found["irenic"][len(MEASURES)]
            table.add(name, f"{rules:.1f}", *(f"{value:.3f}" for value in values[-1]))
        table.add("mean", "", *(f"{value:.3f}" for value in np.mean(values, axis=0)))
        tables.append(table)
    return tables


def main(arguments: list[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.probabilities", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of data sets (default: scikit-learn's)")
    parser.add_argument("--sets", nargs="*", default=(), help="names of the data sets")
    parser.add_argument("--split", choices=("all", "development", "final"), default="all")
    parser.add_argument("--max-rows", type=int, default=3_000, help="larger sets are sampled")
    parser.add_argument("--scoring", default="accuracy", help="what rule sets are chosen by")
    options = parser.parse_args(arguments)
    sets = [
        data
        for data in datasets.single(options.data, options.sets)
        if options.split == "all" or (data.name in FINAL) == (options.split == "final")
    ]
    compared(sets, options.max_rows, scoring=options.scoring)


if __name__ == "__main__":
    main()
