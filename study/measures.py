"""What is measured of one fit: how well it predicts, what there is to read, what is in conflict.

Rules come as a matrix of which rule covers which row, and what each rule states, so that those of
peers are measured as ours are. A default rule covers nothing here: it is what is left.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import balanced_accuracy_score, f1_score

# Points of the space on which shares of it are measured: a share of 1 % is known to 0.1 %.
SPACE_POINTS = 10_000


def scores(truth: np.ndarray, found: np.ndarray, prefix: str = "") -> dict[str, float]:
    """Return accuracy, balanced accuracy and macro-F1."""
    truth, found = truth.astype(str), np.asarray(found, dtype=object).astype(str)
    return {
        f"{prefix}accuracy": float((truth == found).mean()),
        f"{prefix}balanced_accuracy": float(balanced_accuracy_score(truth, found)),
        f"{prefix}macro_f1": float(f1_score(truth, found, average="macro", zero_division=0)),
    }


def overfitting(measured: dict[str, float]) -> dict[str, float]:
    """Return by how much each score is better on the rows that were learned from."""
    return {
        f"gap_{name}": measured[f"train_{name}"] - measured[name]
        for name in ("accuracy", "balanced_accuracy", "macro_f1")
    }


def in_conflict(covers: np.ndarray, then: np.ndarray) -> np.ndarray:
    """Return which rows are covered by rules that state different classes."""
    stated = [covers[:, then == value].any(axis=1) for value in dict.fromkeys(then.tolist())]
    return np.sum(stated, axis=0) > 1 if stated else np.zeros(len(covers), dtype=bool)


def reading(
    covers: np.ndarray, then: np.ndarray, conditions: np.ndarray | None = None
) -> dict[str, float]:
    """Return what a person reads for a prediction, and how many rows are covered or in conflict.

    ``conditions`` are those of each rule; without them, how long explanations are is not known.
    """
    found = {
        "rules_per_prediction": float(covers.sum(axis=1).mean()),
        "conflict_points": float(in_conflict(covers, then).mean()),
        "coverage": float(covers.any(axis=1).mean()),
    }
    if conditions is not None:
        found["explanation_size"] = float((covers @ conditions).mean())
    return found


def space_points(X: pd.DataFrame, random_state: int, n: int = SPACE_POINTS) -> pd.DataFrame:
    """Return points drawn uniformly from the box that the rows span, categories as likely each."""
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
