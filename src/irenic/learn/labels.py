"""Targets with several labels per row, in any form, as one boolean column per label.

The container decides the form: two-dimensional arrays, sparse matrices and frames are indicators,
with 1 where a row has the label of the column; sequences of sets, lists or tuples hold the labels
of each row. Errors count rows from 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from numbers import Number
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from irenic.arrays import Bools
from irenic.errors import DataError, did_you_mean
from irenic.model.literals import is_missing, plain

Label: TypeAlias = Hashable

_FORMS: Final = "a 0/1 array, sparse matrix or frame, or a list of sets of labels"


def is_multilabel(y: Any) -> bool:
    """Return whether rows of ``y`` may have several labels or none.

    They do if there are two or more columns, or a set, list or tuple per row. Values in one
    dimension, or in a single column, are one label per row.

    >>> is_multilabel(["a", "b"]), is_multilabel([{"a"}, {"a", "b"}])
    (False, True)
    >>> is_multilabel(np.array([[1], [0]])), is_multilabel(np.array([[1, 0], [0, 1]]))
    (False, True)
    """
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype != object:
        return False  # without a look at each row
    target = _take_apart(y)
    if isinstance(target, _Matrix):
        return target.width != 1
    kinds = set(map(type, target))  # one look per type is faster than one per row
    if not any(issubclass(kind, AbstractSet | list | tuple | np.ndarray) for kind in kinds):
        return False
    return any(_is_container(row) for row in target)


def as_indicator(y: Any, labels: Iterable[Label] | None = None) -> tuple[Bools, tuple[Label, ...]]:
    """Return which row has which label, with one column per label, and the labels.

    The labels of a frame are its column names. For arrays and sparse matrices, the default labels
    are 0, 1, …; for sets, all that occur, sorted if possible, otherwise by first appearance. With
    ``labels``, columns are in that order, and other labels are errors. Text is never split.

    >>> as_indicator([{"b"}, {"a", "b"}, set()])
    (array([[False,  True],
            [ True,  True],
            [False, False]]), ('a', 'b'))
    >>> as_indicator(np.array([[1, 0, 1]]), labels=["x", "y", "z"])
    (array([[ True, False,  True]]), ('x', 'y', 'z'))
    """
    wanted = None if labels is None else _check_labels(labels)
    target = _take_apart(y)
    if isinstance(target, _Matrix):
        indicator, names = _from_matrix(target, wanted)
    else:
        indicator, names = _from_sets(_label_sets(target), wanted)
    if not names:
        raise DataError("y must have at least one label, got none")
    return indicator, names


def label_set(row: npt.NDArray[Any], labels: Sequence[Label]) -> frozenset[Label]:
    """Return the labels of one row of an indicator as a consequent.

    >>> sorted(label_set(np.array([True, False, True]), ("a", "b", "c")))
    ['a', 'c']
    """
    array = np.asarray(row)
    if array.shape != (len(labels),):
        raise DataError(
            f"the row must have one cell for each of the {len(labels)} labels, got shape"
            f" {array.shape}"
        )
    if array.dtype != np.bool_:
        array = _as_booleans(array.reshape(1, -1), tuple(labels))[0]
    return frozenset(labels[index] for index in np.flatnonzero(array).tolist())


# --- taking y apart


class _Matrix(NamedTuple):
    """A target of two dimensions: column names (None if there are none), cells and shape.

    ``cells`` is a 2-D array, a sparse matrix or a list of 1-D columns.
    """

    names: list[Any] | None
    cells: Any
    length: int
    width: int


def _take_apart(y: Any) -> _Matrix | list[Any]:
    """Return ``y`` as a matrix of cells, or as a list with one entry per row."""
    if isinstance(y, np.ndarray):
        return _from_array(y)
    if hasattr(y, "tocsr") and hasattr(y, "shape"):
        if len(y.shape) != 2:
            raise DataError(f"a sparse y must have 2 dimensions, got {len(y.shape)}")
        return _Matrix(None, y, *y.shape)
    if isinstance(y, Mapping):
        return _one_column(list(y), [_as_column(name, column) for name, column in y.items()])
    if isinstance(y, Sequence) and not isinstance(y, str | bytes):
        return list(y)
    return _from_native(y)


def _from_array(y: npt.NDArray[Any]) -> _Matrix | list[Any]:
    if isinstance(y, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(y)
        y = np.array(y.data, dtype=object)
        y[masked] = None
    y = np.asarray(y)  # a np.matrix has no 1-D columns
    if y.ndim == 1:
        return list(y)
    if y.ndim != 2:
        raise DataError(f"y must have 1 or 2 dimensions, got {y.ndim}; use {_FORMS}")
    if y.shape[1] == 1 and y.dtype == object and any(map(_is_container, y[:, 0])):
        return list(y[:, 0])
    return _Matrix(None, y, *y.shape)


def _as_column(name: object, column: Any) -> npt.NDArray[Any]:
    if isinstance(column, str | bytes | Mapping) or not hasattr(column, "__len__"):
        raise DataError(f"column {name!r} of y must be a list of values, got {column!r}")
    if isinstance(column, np.ndarray) and column.ndim == 1:
        return column
    # unlike np.array, fromiter accepts tuples as values
    return np.fromiter(column, dtype=object, count=len(column))


def _one_column(names: list[Any], columns: list[npt.NDArray[Any]]) -> _Matrix | list[Any]:
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise DataError(f"the columns of y must have the same length, got {sorted(lengths)}")
    if len(columns) == 1 and columns[0].dtype == object and any(map(_is_container, columns[0])):
        return list(columns[0])
    return _Matrix(names, columns, lengths.pop() if lengths else 0, len(columns))


def _from_native(y: Any) -> _Matrix | list[Any]:
    import narwhals.stable.v2 as nw

    try:
        native = nw.from_native(y, eager_only=True, allow_series=True)
    except nw.exceptions.DuplicateError:
        _refuse_twice(list(y.columns), "the columns of y", "; rename one")
        raise
    except TypeError:
        if hasattr(y, "__array__"):
            return _from_array(np.asarray(y))
        raise DataError(f"y must be {_FORMS}, got {type(y).__name__}") from None
    if isinstance(native, nw.Series):
        return list(native.to_list())
    names = list(native.columns)
    return _one_column(names, [_series_to_array(native.get_column(name)) for name in names])


def _series_to_array(series: Any) -> npt.NDArray[Any]:
    import narwhals.stable.v2 as nw

    dtype = series.dtype
    if (dtype == nw.Boolean or dtype.is_numeric()) and not series.is_null().any():
        return np.asarray(series.to_numpy())
    return np.fromiter(series.to_list(), dtype=object, count=len(series))


def _is_container(value: object) -> bool:
    return isinstance(value, AbstractSet | list | tuple) or (
        isinstance(value, np.ndarray) and value.ndim > 0
    )


# --- the labels


def _check_labels(labels: Iterable[Label]) -> tuple[Label, ...]:
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
        raise DataError(f"labels must be a list of labels, got {labels!r}")
    if isinstance(labels, set | frozenset):
        raise DataError("labels must be a list, got a set, which has no order; use sorted(labels)")
    wanted = tuple(_as_label(label, "labels") for label in labels)
    _refuse_twice(wanted, "labels")
    return wanted


def _as_label(value: object, where: str) -> Label:
    label = plain(value)
    if is_missing(label):
        raise DataError(f"{where}: the label must not be missing, got {label!r}; drop it")
    try:
        hash(label)
    except TypeError:
        raise DataError(
            f"{where}: the label must be hashable, got {label!r}; use text, a number or a tuple"
        ) from None
    return label


def _refuse_twice(labels: Sequence[Label], what: str, hint: str = "") -> None:
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise DataError(f"{what} must not repeat a label, got {twice!r} twice{hint}")


def _in_order(labels: Iterable[Label]) -> tuple[Label, ...]:
    unsorted = tuple(labels)
    if any(isinstance(label, AbstractSet) for label in unsorted):
        return unsorted  # < means "subset" for sets, which is not a total order
    try:
        return tuple(sorted(unsorted))  # type: ignore[type-var]
    except TypeError:
        return unsorted


# --- sets of labels


def _label_sets(rows: list[Any]) -> list[list[Label]]:
    if not rows:
        raise DataError("y must have at least one row, got none")
    if not any(map(_is_container, rows)):
        sample = plain(rows[0])
        joined = isinstance(sample, str) and "@" in sample
        way_out = "[text.split('@') for text in y]" if joined else "[{label} for label in y]"
        raise DataError(
            f"y must hold sets of labels, got single labels such as {sample!r}; use {way_out}"
        )
    _refuse_nested_indicator(rows)
    return [_labels_of(row, f"row {number} of y") for number, row in enumerate(rows, start=1)]


def _refuse_nested_indicator(rows: list[Any]) -> None:
    """Reject ``[[0, 1], [1, 0]]``, which may be an indicator or sets of labels."""
    if not all(_is_container(row) and not isinstance(row, AbstractSet) for row in rows):
        return
    if len({len(row) for row in rows}) != 1 or not len(rows[0]):
        return
    if all(_is_zero_or_one(cell) for row in rows for cell in row):
        raise DataError(
            "y may be an indicator or sets of the labels 0 and 1; use np.array(y) for an"
            " indicator, [set(row) for row in y] for sets"
        )


def _labels_of(row: Any, where: str) -> list[Label]:
    if is_missing(plain(row)):
        raise DataError(f"{where} must not be missing, got {row!r}; use an empty set for no label")
    if not _is_container(row):
        raise DataError(
            f"{where} must be a set of labels, got {row!r}; use a set for one label, too"
        )
    labels = [_as_label(label, where) for label in row]
    if isinstance(row, AbstractSet):
        # the order of a set differs between runs
        return sorted(labels, key=lambda label: (type(label).__name__, repr(label)))
    _refuse_twice(labels, where, "; pass an indicator as an array: np.array(y)")
    return labels


def _from_sets(
    rows: list[list[Label]], wanted: tuple[Label, ...] | None
) -> tuple[Bools, tuple[Label, ...]]:
    labels = wanted
    if labels is None:
        labels = _in_order(dict.fromkeys(label for row in rows for label in row))
    index = {label: i for i, label in enumerate(labels)}
    indicator = np.zeros((len(rows), len(labels)), dtype=np.bool_)
    for i, row in enumerate(rows):
        for label in row:
            if label not in index:
                hint = did_you_mean(label, labels)
                raise DataError(f"row {i + 1} of y: unknown label {label!r}{hint}")
            indicator[i, index[label]] = True
    return indicator, labels


# --- matrices


def _from_matrix(
    matrix: _Matrix, wanted: tuple[Label, ...] | None
) -> tuple[Bools, tuple[Label, ...]]:
    if not matrix.length:
        raise DataError("y must have at least one row, got none")
    if matrix.names is None:
        labels = tuple(range(matrix.width)) if wanted is None else wanted
        if len(labels) != matrix.width:
            raise DataError(
                f"labels must have one entry per column of y: {matrix.width}, got {len(labels)}"
            )
        if isinstance(matrix.cells, np.ndarray):
            return _as_booleans(matrix.cells, labels), labels
        return _from_sparse(matrix.cells, labels), labels
    names = tuple(_as_label(name, "the columns of y") for name in matrix.names)
    _refuse_twice(names, "the columns of y", "; rename one")
    labels = names if wanted is None else wanted
    columns = dict(zip(names, matrix.cells, strict=True))
    known = set(labels)
    for name in names:
        if name not in known:
            raise DataError(f"column {name!r} of y: unknown label{did_you_mean(name, labels)}")
    indicator = np.empty((matrix.length, len(labels)), dtype=np.bool_)
    for i, label in enumerate(labels):
        if label not in columns:
            hint = did_you_mean(label, names)
            raise DataError(f"y must have a column for the label {label!r}{hint}")
        indicator[:, i] = _as_booleans(columns[label].reshape(-1, 1), (label,))[:, 0]
    return indicator, labels


def _from_sparse(matrix: Any, labels: tuple[Label, ...]) -> Bools:
    rows = matrix.tocsr(copy=True)
    rows.sum_duplicates()
    cells = rows.tocoo()
    values = cells.data
    wrong = ~((values == 0) | (values == 1))
    if wrong.any():
        first = int(wrong.argmax())
        raise _cell_error(values[first], int(cells.row[first]), labels[int(cells.col[first])])
    indicator = np.zeros(matrix.shape, dtype=np.bool_)
    indicator[cells.row, cells.col] = values == 1
    return indicator


def _as_booleans(cells: npt.NDArray[Any], labels: tuple[Label, ...]) -> Bools:
    """Return a matrix of 0 and 1 as booleans; any other cell is an error."""
    if cells.dtype == np.bool_:
        return cells.copy()
    if cells.dtype.kind in "iuf":
        right = (cells == 0) | (cells == 1)
    else:
        right = np.fromiter(map(_is_zero_or_one, cells.flat), np.bool_, cells.size)
        right = right.reshape(cells.shape)
    if not right.all():
        row, column = np.unravel_index(int(right.argmin()), right.shape)
        raise _cell_error(cells[row, column], int(row), labels[int(column)])
    return cells.astype(np.bool_)


def _is_zero_or_one(cell: object) -> bool:
    return isinstance(cell, Number | np.bool_) and not is_missing(cell) and cell in (0, 1)


def _cell_error(cell: object, row: int, label: Label) -> DataError:
    where, value = f"column {label!r} of y, row {row + 1}", plain(cell)
    if is_missing(value):
        return DataError(
            f"{where}: the value must not be missing; use 0 if the row does not have the label"
        )
    return DataError(
        f"{where}: the value must be 0 or 1, got {value!r}; use 1 if the row has the label"
    )
