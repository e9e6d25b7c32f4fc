"""The measures of a fit: predictive power, the size of explanations, and conflicts.

Rules are given as a matrix of which rule covers which row, and the class that each rule predicts,
so that the rules of all learners are measured in the same way. A default rule covers nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import balanced_accuracy_score, f1_score

# Sample points to estimate shares of the space: a share of 1% is known to within 0.1%.
SPACE_POINTS = 10_000


def scores(truth: np.ndarray, predicted: np.ndarray, prefix: str = "") -> dict[str, float]:
    """Return accuracy, balanced accuracy and macro-F1.

    For sets of labels: the mean F1 of rows, and the shares of sets and of labels that are right.
    """
    if isinstance(truth[0], frozenset):
        return {f"{prefix}{name}": value for name, value in _set_scores(truth, predicted).items()}
    truth, predicted = truth.astype(str), np.asarray(predicted, dtype=object).astype(str)
    return {
        f"{prefix}accuracy": float((truth == predicted).mean()),
        f"{prefix}balanced_accuracy": float(balanced_accuracy_score(truth, predicted)),
        f"{prefix}macro_f1": float(f1_score(truth, predicted, average="macro", zero_division=0)),
    }


def _set_scores(truth: np.ndarray, predicted: np.ndarray) -> dict[str, float]:
    labels = sorted(frozenset().union(*truth, *predicted), key=str)
    both = np.array([len(a & b) for a, b in zip(truth, predicted, strict=True)])
    sizes = np.array([len(a) + len(b) for a, b in zip(truth, predicted, strict=True)])
    f1 = np.divide(2.0 * both, sizes, out=np.ones(len(both)), where=sizes > 0)
    wrong = sizes - 2 * both
    return {
        "example_f1": float(f1.mean()),
        "subset_accuracy": float((wrong == 0).mean()),
        "label_accuracy": 1.0 - float(wrong.mean()) / max(1, len(labels)),
    }


def overfitting(measured: dict[str, float]) -> dict[str, float]:
    """Return how much better each score is on the training rows."""
    return {
        f"gap_{name}": measured[f"train_{name}"] - measured[name]
        for name in [*measured]
        if f"train_{name}" in measured
    }


def in_conflict(covers: np.ndarray, then: np.ndarray) -> np.ndarray:
    """Return which rows are covered by rules of different classes."""
    stated = [covers[:, then == value].any(axis=1) for value in dict.fromkeys(then.tolist())]
    return np.sum(stated, axis=0) > 1 if stated else np.zeros(len(covers), dtype=bool)


def reading(
    covers: np.ndarray, then: np.ndarray, conditions: np.ndarray | None = None
) -> dict[str, float]:
    """Return the size of explanations, and the shares of rows that are covered or in conflict.

    ``conditions`` is the number of conditions per rule; without it, sizes are unknown.
    """
    record = {
        "rules_per_prediction": float(covers.sum(axis=1).mean()),
        "conflict_points": float(in_conflict(covers, then).mean()),
        "coverage": float(covers.any(axis=1).mean()),
    }
    if conditions is not None:
        record["explanation_size"] = float((covers @ conditions).mean())
    return record


def space_points(X: pd.DataFrame, random_state: int, n: int = SPACE_POINTS) -> pd.DataFrame:
    """Draw points uniformly from the bounding box of the rows and from the categories."""
    rng = np.random.default_rng(random_state)
    columns: dict[Any, Any] = {}
    for name, column in X.items():
        known = column.dropna()
        if isinstance(column.dtype, pd.CategoricalDtype):
            values = np.array(sorted(known.unique()), dtype=object)
            drawn = rng.choice(values, n) if len(values) else np.full(n, None)
            columns[name] = pd.Categorical(drawn, categories=column.cat.categories)
        elif not len(known):
            columns[name] = np.full(n, np.nan)
        elif pd.api.types.is_integer_dtype(column.dtype):
            columns[name] = rng.integers(int(known.min()), int(known.max()) + 1, n)
        else:
            columns[name] = rng.uniform(float(known.min()), float(known.max()), n)
    return pd.DataFrame(columns)
