"""What constraints cost: accuracy on new rows with and without what a user might know.

``python -m benchmarks.knowledge --data FOLDER`` fits classifiers to four fifths of each data set
with two labels, five times, and prints their mean accuracy on the fifth left out, rules and
seconds. What is "known" comes from the training rows: signs of rank correlations, two rules of a
model of 200 rows, and a property of the number that is most correlated with the label.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import spearmanr
from sklearn.model_selection import StratifiedKFold

from benchmarks import datasets
from benchmarks.harness import Table
from irenic import RuleSetClassifier
from irenic.model.literals import format_literal

ARMS = ("plain", "monotone", "rules kept", "a property", "sets of two values")
# Numbers whose rank correlation with the label is weaker than this have no sign.
_WEAK = 0.1


def known(X: pd.DataFrame, y: np.ndarray) -> dict[str, dict[str, Any]]:
    """Return the parameters of each arm for training rows."""
    high = y == np.unique(y)[1]
    numbers = X.select_dtypes("number")
    signs = {name: spearmanr(X[name], high, nan_policy="omit")[0] for name in numbers}
    some = np.random.default_rng(0).permutation(len(y))[:200]
    few = RuleSetClassifier(max_rules=2, selection="description", random_state=0)
    rules = few.fit(X.iloc[some], y[some]).rules_
    name = max(signs, key=lambda n: abs(signs[n]))
    label, sign = (format_literal(v) for v in (np.unique(y)[1], name))
    end = X[name].quantile(0.25 if signs[name] > 0 else 0.75)
    rises = {n: int(np.sign(r)) for n, r in signs.items() if abs(r) >= _WEAK}
    arms = {
        "plain": {},
        "monotone": {"monotonic_cst": rises},
        "rules kept": {"rules": "\n".join(map(str, rules))},
        "a property": {"never": f"{label} WHERE {sign} {'<' if signs[name] > 0 else '>'} {end:g}"},
        "sets of two values": {"max_values": 2},
    }
    return {arm: {"knowledge": known} for arm, known in arms.items()}


def scores(data: datasets.Single) -> dict[str, np.ndarray]:
    """Return the mean accuracy, rules and seconds of each arm over five folds."""
    rows: dict[str, list[tuple[float, ...]]] = {arm: [] for arm in ARMS}
    folds = StratifiedKFold(5, shuffle=True, random_state=1).split(data.X, data.y)
    for fold, (learn, test) in enumerate(folds):
        X, y = data.X.iloc[learn], data.y[learn]
        for arm, parameters in known(X, y).items():
            started = time.process_time()
            clf = RuleSetClassifier(random_state=fold, **parameters).fit(X, y)
            seconds = time.process_time() - started
            score = clf.score(data.X.iloc[test], data.y[test])
            rows[arm].append((score, len(clf.rules_), seconds))
    return {arm: np.mean(values, axis=0) for arm, values in rows.items()}


def compared(sets: list[datasets.Single]) -> Table:
    """Print accuracy, rules and CPU seconds of each arm on each set, and their means."""
    table = Table("What constraints cost: accuracy, rules, CPU seconds", "set", *ARMS)
    results = []
    for data in sets:
        results.append(scores(data))
        table.add(data.name, *(_cell(results[-1][arm]) for arm in ARMS))
        print(f"{data.name}: done", file=sys.stderr, flush=True)
    table.add("mean", *(_cell(np.mean([each[arm] for each in results], axis=0)) for arm in ARMS))
    return table


def _cell(means: np.ndarray) -> str:
    return f"{means[0]:.3f}, {means[1]:.1f}, {means[2]:.1f}"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.knowledge", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of data sets (default: scikit-learn's)")
    parser.add_argument("--sets", nargs="*", default=(), help="names of the data sets")
    parser.add_argument("--max-rows", type=int, default=2_000, help="larger sets are left out")
    options = parser.parse_args(arguments)
    sets = datasets.single(options.data, options.sets, options.max_rows)
    compared(
        [
            data
            for data in sets
            if len(set(data.y)) == 2 and len(data.X.select_dtypes("number").columns)
        ]
    )


if __name__ == "__main__":
    main()
