"""Count the contradictions in the rules of well-known learners.

For each data set, a learner is fitted on two thirds of at most ``--rows`` rows, and its rules are
imported with ``irenic.from_…``. The tables count the pairs of rules that contradict each other
somewhere in the space, the test points on which rules of different classes hold, and the minimum
number of rules to drop (``irenic.repair``). Requires ``pip install '.[study]'`` and, for RuleKit,
Java.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

import irenic
from benchmarks import datasets
from benchmarks.fitted import MISSING, quiet
from benchmarks.harness import Table

Fit = Callable[[pd.DataFrame, np.ndarray], irenic.RuleSet]


def plain(X: pd.DataFrame) -> pd.DataFrame:
    """Return a table without missing values, with categories as text."""
    columns = {}
    for name in X:
        column = X[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            columns[str(name)] = column.astype(object).where(column.notna(), MISSING).astype(str)
        else:
            columns[str(name)] = column.astype(float).fillna(column.astype(float).median())
    return pd.DataFrame(columns).reset_index(drop=True)


def ripper(X: pd.DataFrame, y: np.ndarray) -> irenic.RuleSet:
    """Return the rules of one RIPPER model per class."""
    import wittgenstein

    rules = []
    for label in np.unique(y):
        model = wittgenstein.RIPPER(random_state=0)
        with quiet():
            model.fit(X, y=pd.Series(y == label, name="the class"), pos_class=True)
        imported = irenic.formats.from_wittgenstein(model)
        rules += [irenic.Rule(rule.region.conditions(), then=label) for rule in imported]
    return irenic.RuleSet(rules)


def cn2(X: pd.DataFrame, y: np.ndarray) -> irenic.RuleSet:
    from Orange.classification.rules import CN2UnorderedLearner
    from Orange.data import ContinuousVariable, DiscreteVariable, Domain
    from Orange.data import Table as Rows

    labels = np.unique(y).tolist()
    values = {name: sorted(X[name].unique()) for name in X if X[name].dtype == object}
    variables = [
        DiscreteVariable(name, values[name]) if name in values else ContinuousVariable(name)
        for name in X
    ]
    codes = [
        X[name].map(values[name].index).to_numpy(float) if name in values else X[name].to_numpy()
        for name in X
    ]
    domain = Domain(variables, DiscreteVariable("the class", labels))
    numbers = np.array([labels.index(label) for label in y], dtype=float)
    with quiet():
        model = CN2UnorderedLearner()(Rows.from_numpy(domain, np.column_stack(codes), numbers))
    rules = irenic.formats.from_orange(model)
    assert isinstance(rules, irenic.RuleSet)
    return rules


def rulekit(X: pd.DataFrame, y: np.ndarray) -> irenic.RuleSet:
    from rulekit.classification import RuleClassifier

    model = RuleClassifier()
    with quiet():
        model.fit(X, pd.Series([f"class {label}" for label in y], name="label"))
    return irenic.formats.from_rulekit(model)


LEARNERS: dict[str, Fit] = {
    "RIPPER, one class at a time": ripper,
    "CN2, unordered": cn2,
    "RuleKit": rulekit,
}


def measure(rules: irenic.RuleSet, X: pd.DataFrame) -> dict[str, Any]:
    """Return the number of rules and of their contradictions."""
    rules = rules[[i for i, rule in enumerate(rules) if rule.n_conditions]]  # no default rule
    pairs = rules.conflicts()
    covering = rules.covering(X[[name for name in X if name in rules.space.names]])
    then = rules.then_codes
    states = [len(np.unique(then[holds])) for holds in covering]
    mended = irenic.repair(rules, "drop", budget=20.0)
    return {
        "rules": len(rules),
        "pairs": len(pairs),
        "points": float(np.mean(np.array(states) > 1)) if states else 0.0,
        "gone": len(mended.changes),
        "proved": mended.optimal,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--data",
        type=Path,
        help="folder with single/*.csv.gz (default: the data sets of scikit-learn)",
    )
    parser.add_argument(
        "--rows", type=int, default=1_000, help="maximum number of rows per data set"
    )
    parser.add_argument("--sets", nargs="*", default=[], help="data sets to use (default: all)")
    arguments = parser.parse_args()
    results: dict[str, list[dict[str, Any]]] = {name: [] for name in LEARNERS}
    counted = ("rules", "conflicting pairs", "test points, %")
    each = Table(
        f"Contradictions in learned rules, at most {arguments.rows:,} rows",
        *("data set", "learner", *counted, "rules to drop"),
    )
    for data in datasets.single(arguments.data, arguments.sets):
        X, y = plain(data.X), np.asarray(data.y, dtype=object).astype(str).astype(object)
        if len(X) > arguments.rows:
            keep = np.random.default_rng(0).choice(len(X), arguments.rows, replace=False)
            X, y = X.iloc[keep].reset_index(drop=True), y[keep]
        labels, counts = np.unique(y, return_counts=True)
        common = np.isin(y, labels[counts > 2])
        X, y = X[common].reset_index(drop=True), y[common]
        rows = np.arange(len(X))
        train, test = train_test_split(rows, test_size=1 / 3, random_state=0, stratify=y)
        known, new = X.iloc[train].reset_index(drop=True), X.iloc[test].reset_index(drop=True)
        for column in known.select_dtypes(exclude="number"):  # drop unseen categories
            new = new[new[column].isin(known[column])]
        for name, fit in LEARNERS.items():
            try:
                row = measure(fit(known, y[train]), new)
            except Exception as error:  # one failure must not stop the run
                each.add(data.name, name, type(error).__name__, "", "", str(error)[:60])
                continue
            results[name].append(row)
            gone = f"{row['gone']}{'' if row['proved'] else ' or fewer'}"
            points = f"{100 * row['points']:.1f}"
            each.add(data.name, name, row["rules"], row["pairs"], points, gone)
    table = Table("Total", "learner", "sets", *counted, "rules to drop, %")
    for name, rows in results.items():
        if not rows:
            continue
        n = sum(row["rules"] for row in rows)
        gone = 100 * sum(row["gone"] for row in rows) / max(n, 1)
        points = 100 * float(np.mean([row["points"] for row in rows]))
        total = sum(row["pairs"] for row in rows)
        table.add(name, len(rows), n, total, f"{points:.1f}", f"{gone:.0f}")


if __name__ == "__main__":
    main()
