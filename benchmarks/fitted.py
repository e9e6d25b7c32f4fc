"""The common interface of fitted learners, and the tables that their libraries accept."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.preprocessing import OneHotEncoder

MISSING = "(missing)"

Covering = Callable[[Any], tuple[np.ndarray, np.ndarray]]


@dataclass
class Fitted:
    """A fitted learner; ``size()`` counts rules, conditions and other measures of size.

    Counting is not part of learning, so it is done on demand, after the clock has stopped.
    """

    predict: Callable[[Any], np.ndarray]
    size: Callable[[], dict[str, Any]] = dict
    selected: Callable[[int], Fitted] | None = None
    """Another model of the same fit, with at most the given number of rules."""
    covering: Covering | None = None
    """Which rules hold, as ``[row, rule]``, and their classes, without the default rule.

    None if the parts of the model do not predict classes.
    """
    likely: Callable[[Any], np.ndarray] | None = None
    """Probabilities, as ``[row, class]``, of the sorted classes of the training rows."""


Learner = Callable[[pd.DataFrame, np.ndarray], Fitted]


class Columns:
    """Encodes tables as numbers: categories are one-hot, and a missing category is a value.

    With ``fill``, missing numbers become the median of the training rows, for libraries that do
    not support NaN.
    """

    def __init__(self, X: pd.DataFrame | np.ndarray, fill: bool = False) -> None:
        if isinstance(X, np.ndarray):
            X = pd.DataFrame(X)
        kinds = X.dtypes
        self.categorical = [c for c in X if isinstance(kinds[c], pd.CategoricalDtype)]
        self.numeric = [c for c in X if c not in set(self.categorical)]
        # A column without any number has no median.
        self.medians = X[self.numeric].astype(float).median().fillna(0.0) if fill else None
        self.onehot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        self.owner = list(self.numeric)
        if self.categorical:
            self.onehot.fit(self._values(X))
            for name, values in zip(self.categorical, self.onehot.categories_, strict=True):
                self.owner += [name] * len(values)

    def _values(self, X: pd.DataFrame) -> np.ndarray:
        return X[self.categorical].astype(object).fillna(MISSING).to_numpy(dtype=object)

    def __call__(self, X: pd.DataFrame | np.ndarray) -> np.ndarray:
        if isinstance(X, np.ndarray):
            if self.medians is None:
                return X
            X = pd.DataFrame(X)
        numbers = X[self.numeric].to_numpy(dtype=float)
        if self.medians is not None:
            numbers = np.where(np.isnan(numbers), self.medians.to_numpy(), numbers)
        if not self.categorical:
            return numbers
        return np.hstack([numbers, self.onehot.transform(self._values(X))])

    def count(self, bodies: Iterable[frozenset[tuple[int, str]]]) -> dict[str, int]:
        """Return the number of rules and conditions.

        ``conditions`` counts each bounded side of a column of the one-hot table; ``merged`` counts
        all tests of a rule on one categorical feature as a single set of values.
        """
        merges, owner = set(self.categorical), self.owner
        rules = conditions = merged = 0
        for tests in bodies:
            rules += 1
            conditions += len(tests)
            merged += len(
                {owner[c] if owner[c] in merges else (owner[c], side) for c, side in tests}
            )
        return {"rules": rules, "conditions": conditions, "merged": merged}


def positives(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes, and those that a one-class-at-a-time learner learns, rarest first.

    Of two classes, only the rarer one is learned.
    """
    classes, counts = np.unique(y, return_counts=True)
    positive = classes[np.argsort(counts, kind="stable")]
    return classes, positive[:1] if len(classes) == 2 else positive


def most_frequent(y: np.ndarray, otherwise: np.ndarray) -> Any:
    labels, n = np.unique(y if len(y) else otherwise, return_counts=True)
    return labels[n.argmax()]


def objects(values: Iterable[Any]) -> np.ndarray:
    """Return a one-dimensional array of objects, even if they are sequences."""
    values = list(values)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def stacked(columns: list[np.ndarray], n: int) -> np.ndarray:
    """Return Boolean columns as a matrix, even if there are none."""
    return np.column_stack(columns).astype(bool) if columns else np.zeros((n, 0), dtype=bool)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Suppress the output and the warnings of a library."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield
