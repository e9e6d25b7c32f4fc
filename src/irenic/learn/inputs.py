"""What users pass: tables, labels and weights, in memory or where they are stored."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from numbers import Number
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from irenic.arrays import Indices
from irenic.errors import DataError, did_you_mean
from irenic.frames.sources import Source, open_source, read_source
from irenic.learn._rows import MANY_ROWS
from irenic.learn._stored import Stored
from irenic.learn._tables import select_columns, split_target
from irenic.learn.answers import Form
from irenic.learn.labels import is_multilabel
from irenic.learn.target import Target
from irenic.model.columns import Columns, take_apart
from irenic.model.features import Continuous, Feature
from irenic.model.literals import display, is_missing, plain

# Codes of labels are 16 bits wide.
_LABEL_LIMIT: Final = 32_000
_INDICATOR: Final = "multilabel-indicator"


def check_labels(labels: npt.NDArray[Any]) -> None:
    """Reject labels of which there are fewer than two."""
    if len(labels) < 2:
        shown = ", ".join(map(display, labels.tolist()))
        raise DataError(f"y must have at least two classes, got one class: {shown}")


def open_feature(feature: Feature) -> Feature:
    """Return a feature that accepts values of rows to predict.

    They may be missing even if no training value is, and numbers need not be whole.
    """
    if isinstance(feature, Continuous) and feature.kind == "integer":
        return replace(feature, missing=True, kind="number")
    return replace(feature, missing=True)


def read_labels(
    y: Any, name: str, hierarchy: Any = None, consequents: str = "labels"
) -> tuple[Target, Indices | None]:
    """Return the labels of rows; with one per row, a target without rows, and their codes.

    ``name`` is that of the estimator, for errors.
    """
    if y is None:
        raise ValueError(f"This {name} estimator requires y to be passed, but the target y is None")
    if hierarchy is None and _is_nested(y) and type_of_target(y) == _INDICATOR:
        y = np.asarray(y)  # scikit-learn reads lists of 0 and 1 as a matrix
    if hierarchy is not None or is_multilabel(y):
        target = Target.sets(y, hierarchy)
        return replace(target, probabilities=consequents == "probabilities"), None
    if consequents == "probabilities":
        raise DataError(
            "consequents must be 'labels' if each row has one label, got 'probabilities';"
            " predict_proba returns probabilities in both cases"
        )
    if isinstance(y, list | tuple) and len(set(map(type, y))) > 1:
        _check_alike(y)  # numpy would turn 1 next to "a" into text
    y = column_or_1d(y, warn=True)
    if y.dtype == object:
        _check_alike(y)
    elif y.dtype.kind == "f":
        assert_all_finite(y, input_name="y")
    try:
        classes, codes = classes_of(y)
    except TypeError:
        kind = type(y[0]).__name__
        raise DataError(
            f"labels in y must be sortable, got type {kind}; use text or numbers"
        ) from None
    # looking at all rows takes long, and three of each label say the same
    check_classification_targets(y if len(y) < 3 * len(classes) else np.repeat(classes, 3))
    if len(classes) > _LABEL_LIMIT:
        raise DataError(f"y must have at most {_LABEL_LIMIT:,} classes, got {len(classes):,}")
    return Target.single(classes, codes[:0]), codes


def form_of(y: Any, target: Target) -> Form:
    """Return the form of a target, which is also that of predictions."""
    if not target.many:
        return "labels"
    return "matrix" if _is_matrix(y) else "sets"


def by_columns(X: Any) -> Any:
    """Return a list of rows as an array of objects, or as columns if they name their values.

    Each column keeps its type; numpy would turn numbers next to text into text. Anything else is
    left to scikit-learn.
    """
    if not isinstance(X, Sequence | deque) or isinstance(X, str | bytes) or not X:
        return X
    if not all(isinstance(row, list | tuple | Mapping) or _is_vector(row) for row in X):
        return X
    X = list(X)
    if _is_plain(X):
        return np.asarray(X, dtype=float)
    names, columns, length = take_apart(X)
    if names is not None:
        return dict(zip(names, columns, strict=True))
    cells = np.empty((length, len(columns)), dtype=object)
    for index, column in enumerate(columns):
        cells[:, index] = column
    return cells


def _is_plain(rows: list[Any]) -> bool:
    """Return whether rows hold only floats, so that an array keeps their values."""
    if not all(type(row) in (list, tuple) and len(row) == len(rows[0]) for row in rows):
        return False
    return set(map(type, chain.from_iterable(rows))) == {float}


def _is_vector(row: Any) -> bool:
    return isinstance(row, np.ndarray) and row.ndim == 1


def own_names(X: Any) -> list[str] | None:
    """Return the column names of a mapping or a pyarrow table, which scikit-learn cannot read."""
    if isinstance(X, dict) and not hasattr(X, "tocsr"):  # a sparse matrix may also be a dict
        return [str(name) for name in X]
    return list(X.column_names) if hasattr(X, "column_names") else None


def column_names(X: Any) -> list[str]:
    """Return the column names of a table, an empty list if it has none."""
    return own_names(X) or [str(name) for name in getattr(X, "columns", ())]


def has_names(X: Any) -> bool:
    """Return whether the columns of a table have names."""
    return bool(column_names(by_columns(X)))


def _is_matrix(y: Any) -> bool:
    """Return whether a target with several labels per row is a 0/1 matrix rather than sets."""
    if _is_nested(y):
        return bool(type_of_target(y) == _INDICATOR)
    return getattr(y, "ndim", 1) == 2 or hasattr(y, "columns")


def _is_nested(y: Any) -> bool:
    """Return whether a target is a list of equally long lists of 0 and 1."""
    if not isinstance(y, list) or not all(isinstance(row, list | np.ndarray) for row in y):
        return False
    equally_long = bool(y) and {len(row) for row in y} == {len(y[0])}
    return equally_long and all(value in (0, 1) for row in y for value in row)


def length_of(table: Any) -> int:
    """Return the number of rows of a table."""
    if isinstance(table, Columns):
        return table.length
    if isinstance(table, dict):
        for name, column in table.items():
            if isinstance(column, str | bytes) or not hasattr(column, "__len__"):
                raise DataError(
                    f"column {name!r} must be a list with one value per row, got {column!r}; for a"
                    f" single row, pass {{{name!r}: [{column!r}]}}"
                )
        return max((len(column) for column in table.values()), default=0)
    return len(table) if not hasattr(table, "shape") else int(table.shape[0])


def classes_of(y: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp]]:
    """Return the sorted labels and the code of each row; texts are not sorted row by row."""
    if y.dtype != object:
        return np.unique(y, return_inverse=True)
    values = y.tolist()
    classes = np.empty(len(set(values)), dtype=object)
    classes[:] = sorted(set(values))
    code_of = {label: code for code, label in enumerate(classes.tolist())}
    return classes, np.fromiter(map(code_of.__getitem__, values), dtype=np.intp, count=len(values))


def _check_alike(labels: Iterable[Any]) -> None:
    """Reject missing labels and labels of several types, such as 1 and True."""
    if set(map(type, labels)) == {str}:
        return
    kinds: set[type] = set()
    for row, label in enumerate(labels, start=1):
        if is_missing(label):
            raise DataError(f"y, row {row}: the label is missing; drop such rows from X and y")
        kinds.add(type(plain(label)))
    numbers = {kind for kind in kinds - {bool} if issubclass(kind, Number)}
    if len(kinds - numbers) + bool(numbers) > 1:
        shown = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise DataError(f"labels in y must be of one type, got {shown}")


def given_rows(X: Any, y: Any, sample_weight: Any, target: str | None) -> tuple[Any, Any, Any]:
    """Return features, labels and weights; if the rows stay where they are, a ``Stored`` as X.

    Few rows are read into memory wherever they are.
    """
    found = located(X, y, sample_weight, target)
    if found is not None:
        source, target, sample_weight = found
        if len(source) > MANY_ROWS:
            return Stored.of(source, target, sample_weight), None, None
        return given_rows(read_source(source), None, sample_weight, target)
    if target is None:
        return X, y, sample_weight
    if y is not None:
        raise DataError(f"y must be None if target is given, got target={target!r} and y")
    if isinstance(sample_weight, str):
        X, sample_weight = _without_weights(X, sample_weight)
    return *split_target(X, target), sample_weight


def located(
    X: Any, y: Any, sample_weight: Any, target: str | None
) -> tuple[Source, str, str | None] | None:
    """Return a source, and the names of its columns of labels and weights; None if in memory."""
    if open_source(X) is None:
        return None
    if y is not None and target is not None:
        raise DataError(f"y must be None if target is given, got target={target!r} and y")
    if y is not None and (joined := _joined(X, y, "y")) is not None:
        X, target = joined
    if target is None:
        raise DataError(
            f"X is not in memory ({type(X).__name__}), so y must be one of its columns: use"
            " target='column', or a Dask Series or polars LazyFrame beside one of that kind"
        )
    if sample_weight is not None and (joined := _joined(X, sample_weight, "weight")) is not None:
        X, sample_weight = joined
    if sample_weight is not None and not isinstance(sample_weight, str):
        raise DataError(
            "sample_weight must be the name of a column if X is not in memory, or a Dask Series or"
            f" polars LazyFrame like X, got {type(sample_weight).__name__}"
        )
    source = open_source(X)
    assert source is not None
    for name, what in ((target, "target"), (sample_weight, "sample_weight")):
        if name is not None and name not in source.schema.names:
            hint = did_you_mean(name, source.schema.names)
            raise DataError(f"{what}: unknown column {name!r}{hint}")
    return source, target, sample_weight


def _joined(X: Any, column: Any, what: str) -> tuple[Any, str] | None:
    """Return data that are not in memory with another column, and its name there.

    None if the column is not of the same kind.
    """
    kinds = [(type(of).__module__.partition(".")[0], type(of).__name__) for of in (X, column)]
    if kinds[0][0].startswith("dask") and kinds[1] == (kinds[0][0], "Series"):
        name = _free_name(X.columns, column.name, what)
        if X.npartitions != column.npartitions:
            raise DataError(
                f"{what} must have the partitions of X, which has {X.npartitions}, got"
                f" {column.npartitions}"
            )
        return X.assign(**{name: column}), name
    if kinds == [("polars", "LazyFrame")] * 2:
        import polars as pl

        own = column.collect_schema().names()
        if len(own) != 1:
            raise DataError(f"{what} must have one column, got {len(own)}")
        name = _free_name(X.collect_schema().names(), own[0], what)
        # before version 2, missing rows would be filled without a word
        strict: Any = {"strict": True} if int(pl.__version__.partition(".")[0]) < 2 else {}
        return pl.concat([X, column.rename({own[0]: name})], how="horizontal", **strict), name
    return None


def _free_name(names: Sequence[str], wanted: Any, otherwise: str) -> str:
    """Return a name that no column has: the wanted one if possible."""
    name = wanted if isinstance(wanted, str) and wanted not in names else otherwise
    while name in names:
        name += "_"
    return name


def _without_weights(table: Any, name: str) -> tuple[Any, Any]:
    """Return a table without its column of weights, and that column."""
    names = take_apart(table).names or []
    if name not in names:
        raise DataError(f"sample_weight: unknown column {name!r}{did_you_mean(name, names)}")
    column = take_apart(table).select([name])[0]
    weights = column if isinstance(column, np.ndarray) else column.to_numpy()
    return select_columns(table, [other for other in names if other != name]), weights
