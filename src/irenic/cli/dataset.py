"""Tables to learn from: features and a target, checked for what a learner cannot use."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from irenic.cli.reading import read_data
from irenic.errors import DataError, did_you_mean
from irenic.frames.columns import Table
from irenic.model.literals import display, is_missing


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table of features, and the class of each row."""

    name: str
    features: Table
    target: str
    labels: npt.NDArray[Any]

    @property
    def counts(self) -> dict[Any, int]:
        """How many rows each class has, in the order of the classes."""
        found = Counter(self.labels.tolist())
        return {label: found[label] for label in sorted(found)}

    def useless(self) -> list[str]:
        """Return in words which columns can hardly help to predict anything.

        >>> table = Table({"id": np.array(["a", "b", "c"]), "unit": np.array([1, 1, 1])})
        >>> Dataset("", table, "y", np.array(["u", "v", "u"])).useless()
        ['id (text, different in every row)', 'unit (always the same)']
        """
        found = []
        for name, column in self.features.items():
            values = [None if is_missing(value) else value for value in column.tolist()]
            different = set(values)
            if len(different) == 1:
                found.append(f"{display(name)} (always the same)")
            elif len(different) == len(values) and all(isinstance(v, str) for v in different):
                found.append(f"{display(name)} (text, different in every row)")
        return found


def read(path: Path, target: str | None, form: str | None = None) -> Dataset:
    """Return the table of a file, split into features and target: the last column, if not told."""
    table = read_data(path, form)
    try:
        return split(table, target, str(path))
    except DataError as error:
        raise DataError(f"{path}: {error}") from None


def embedded() -> Dataset:
    """Return a table that comes with scikit-learn: chemical analyses of three wines."""
    from sklearn.datasets import load_wine

    bunch = load_wine()
    columns = {str(name): bunch.data[:, i] for i, name in enumerate(bunch.feature_names)}
    # scikit-learn calls them class_0 to class_2; in the analyses they have names
    names = np.array(["Barolo", "Grignolino", "Barbera"], dtype=object)
    return Dataset("wine", Table(columns), "wine", names[bunch.target])


def split(table: Table, target: str | None, name: str) -> Dataset:
    """Return a table split into features and target."""
    if target is None:
        target = list(table)[-1]
    elif target not in table:
        raise DataError(f"no column {target!r}{did_you_mean(target, table)}")
    features = table.select([column for column in table if column != target])
    if not features:
        raise DataError(f"there is no column but the target {target!r}; rules need others to test")
    if not len(table[target]):
        raise DataError("the table has no rows")
    return Dataset(name, features, target, _labels(table[target], target))


def _labels(column: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """Return a column as labels that scikit-learn takes: text, whole numbers or booleans."""
    values = column.tolist()
    for row, value in enumerate(values, 1):
        if is_missing(value):
            raise DataError(
                f"column {name!r}, row {row}: the class is missing; leave such rows out, or say"
                " which column to predict: --target"
            )
    kinds = {type(value) for value in values}
    n_classes = len(set(values))
    if n_classes == 1:
        raise DataError(f"column {name!r} has one class only, {display(values[0])}; two are needed")
    fraction = next((v for v in values if isinstance(v, float) and not v.is_integer()), None)
    if fraction is not None:
        raise DataError(
            f"column {name!r} holds numbers such as {fraction!r}, not classes; say which column"
            " to predict: --target"
        )
    if n_classes > 2 and n_classes > len(values) / 2:
        raise DataError(
            f"column {name!r} has {n_classes} different values in {len(values)} rows, so these"
            " are no classes; say which column to predict: --target"
        )
    if kinds == {bool}:
        return np.array(values, dtype=bool)
    if kinds <= {int, float} and all(abs(value) < 2**53 for value in values):
        return np.array([int(value) for value in values], dtype=np.int64)
    labels = np.empty(len(values), dtype=object)
    labels[:] = [value if isinstance(value, str) else str(value) for value in values]
    return labels
