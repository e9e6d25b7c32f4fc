"""Targets with several labels a row, in any form, as one boolean column a label.

What decides the form is the container: arrays, sparse matrices and frames of two dimensions are
indicators, 1 where a row has the label of the column; sequences of sets, lists or tuples hold the
labels of each row. In all errors rows are counted from 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from numbers import Number
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from irenic.errors import DataError, did_you_mean
from irenic.model.literals import is_missing, plain

Label: TypeAlias = Hashable
Indicator: TypeAlias = npt.NDArray[np.bool_]

_FORMS: Final = "a 0/1 array, sparse matrix or frame, or a list of sets of labels"


def is_multilabel(y: Any) -> bool:
    """Return whether ``y`` may give a row more or fewer labels than one.

    Values in one dimension, or in a single column of an array or frame, are one label a row; two
    columns or more, and sets, lists or tuples for rows, are several.

    >>> is_multilabel(["a", "b"]), is_multilabel([{"a"}, {"a", "b"}])
    (False, True)
    >>> is_multilabel(np.array([[1], [0]])), is_multilabel(np.array([[1, 0], [0, 1]]))
    (False, True)
    """
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype != object:
        return False  # with no look at each row
    target = _take_apart(y)
    if isinstance(target, _Matrix):
        return target.width != 1
    return any(_is_container(row) for row in target)


def as_indicator(
    y: Any, labels: Iterable[Label] | None = None
) -> tuple[Indicator, tuple[Label, ...]]:
    """Return which row has which label, one column a label, and the labels.

    The labels of a frame are the names of its columns; of an array or a sparse matrix, ``labels``
    or else 0, 1, …; of sets, ``labels`` or else all that occur, sorted, or in the order of their
    first appearance if they cannot be. With ``labels``, the columns have that order, and labels
    that are not among them are refused. Text is a label as it is, and never split.

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
        indicator, found = _from_matrix(target, wanted)
    else:
        indicator, found = _from_sets(_label_sets(target), wanted)
    if not found:
        raise DataError("y has no labels at all; give those that there are with labels=[...]")
    return indicator, found


def label_set(row: npt.NDArray[Any], labels: Sequence[Label]) -> frozenset[Label]:
    """Return the labels of one row of an indicator: a consequent.

    >>> sorted(label_set(np.array([True, False, True]), ("a", "b", "c")))
    ['a', 'c']
    """
    array = np.asarray(row)
    if array.shape != (len(labels),):
        raise DataError(
            f"a row has one cell for each of the {len(labels)} labels, but this one has the shape"
            f" {array.shape}"
        )
    if array.dtype != np.bool_:
        array = _as_booleans(array.reshape(1, -1), tuple(labels))[0]
    return frozenset(labels[place] for place in np.flatnonzero(array).tolist())


# --- taking y apart


class _Matrix(NamedTuple):
    """A target of two dimensions: its names (None where it has none), its cells, its shape.

    ``cells`` is a 2-D array, a sparse matrix or a list of 1-D columns.
    """

    names: list[Any] | None
    cells: Any
    length: int
    width: int


def _take_apart(y: Any) -> _Matrix | list[Any]:
    """Return ``y`` as a matrix of cells, or as a list of what it holds for each row."""
    if isinstance(y, np.ndarray):
        return _from_array(y)
    if hasattr(y, "tocsr") and hasattr(y, "shape"):
        if len(y.shape) != 2:
            raise DataError(f"y has two dimensions if it is sparse, not {len(y.shape)}")
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
        raise DataError(f"y has one or two dimensions, this array has {y.ndim}; use {_FORMS}")
    if y.shape[1] == 1 and y.dtype == object and any(map(_is_container, y[:, 0])):
        return list(y[:, 0])
    return _Matrix(None, y, *y.shape)


def _as_column(name: object, column: Any) -> npt.NDArray[Any]:
    if isinstance(column, str | bytes | Mapping) or not hasattr(column, "__len__"):
        raise DataError(f"column {name!r} of y is a list of values, not {column!r}")
    if isinstance(column, np.ndarray) and column.ndim == 1:
        return column
    # unlike np.array, fromiter takes tuples for values
    return np.fromiter(column, dtype=object, count=len(column))


def _one_column(names: list[Any], columns: list[npt.NDArray[Any]]) -> _Matrix | list[Any]:
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise DataError(f"the columns of y differ in length: {sorted(lengths)}")
    if len(columns) == 1 and columns[0].dtype == object and any(map(_is_container, columns[0])):
        return list(columns[0])
    return _Matrix(names, columns, lengths.pop() if lengths else 0, len(columns))


def _from_native(y: Any) -> _Matrix | list[Any]:
    import narwhals.stable.v2 as nw

    try:
        native = nw.from_native(y, eager_only=True, allow_series=True)
    except nw.exceptions.DuplicateError:
        _refuse_twice(list(y.columns), "the columns of y have", "; rename one")
        raise
    except TypeError:
        if hasattr(y, "__array__"):
            return _from_array(np.asarray(y))
        raise DataError(f"y is of type {type(y).__name__}; use {_FORMS}") from None
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
        raise DataError(f"labels is a list of labels, not {labels!r}")
    if isinstance(labels, set | frozenset):
        raise DataError("labels is a set, which has no order; give a list: sorted(labels)")
    wanted = tuple(_as_label(label, "labels") for label in labels)
    _refuse_twice(wanted, "labels holds", "; name it once")
    return wanted


def _as_label(value: object, where: str) -> Label:
    label = plain(value)
    if is_missing(label):
        raise DataError(f"{where}: the label {label!r} is a missing value; leave it out")
    try:
        hash(label)
    except TypeError:
        raise DataError(
            f"{where}: the label {label!r} is not hashable; use text, a number or a tuple"
        ) from None
    return label


def _refuse_twice(labels: Sequence[Label], whole: str, hint: str) -> None:
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise DataError(f"{whole} the label {twice!r} twice{hint}")


def _in_order(labels: Iterable[Label]) -> tuple[Label, ...]:
    found = list(labels)
    if any(isinstance(label, AbstractSet) for label in found):
        return tuple(found)  # < is "part of" for sets, which is no order of all
    try:
        return tuple(sorted(found))  # type: ignore[type-var]
    except TypeError:
        return tuple(found)


# --- sets of labels


def _label_sets(rows: list[Any]) -> list[list[Label]]:
    if not rows:
        raise DataError("y has no rows; there must be one at least")
    if not any(map(_is_container, rows)):
        sample = plain(rows[0])
        joined = isinstance(sample, str) and "@" in sample
        way_out = "[text.split('@') for text in y]" if joined else "[{label} for label in y]"
        raise DataError(
            f"y holds one label a row, such as {sample!r}; for several give sets of labels:"
            f" {way_out}"
        )
    _refuse_nested_indicator(rows)
    return [_labels_of(row, f"row {place} of y") for place, row in enumerate(rows, start=1)]


def _refuse_nested_indicator(rows: list[Any]) -> None:
    """Refuse ``[[0, 1], [1, 0]]``, which is an indicator to most and label sets to some."""
    if not all(_is_container(row) and not isinstance(row, AbstractSet) for row in rows):
        return
    if len({len(row) for row in rows}) != 1 or not len(rows[0]):
        return
    if all(_is_zero_or_one(cell) for row in rows for cell in row):
        raise DataError(
            "y may be an indicator or a list of labels 0 and 1; give np.array(y) if it is an"
            " indicator, [set(row) for row in y] if not"
        )


def _labels_of(row: Any, where: str) -> list[Label]:
    if is_missing(plain(row)):
        raise DataError(f"{where} is missing ({row!r}); use an empty set for no label")
    if not _is_container(row):
        raise DataError(f"{where} is {row!r}, not a set of labels; use a set for one label as well")
    labels = [_as_label(label, where) for label in row]
    if isinstance(row, AbstractSet):
        # the order of a set differs from run to run
        return sorted(labels, key=lambda label: (type(label).__name__, repr(label)))
    _refuse_twice(labels, f"{where} holds", "; an indicator is given as an array: np.array(y)")
    return labels


def _from_sets(
    rows: list[list[Label]], wanted: tuple[Label, ...] | None
) -> tuple[Indicator, tuple[Label, ...]]:
    labels = wanted
    if labels is None:
        labels = _in_order(dict.fromkeys(label for row in rows for label in row))
    place = {label: i for i, label in enumerate(labels)}
    indicator = np.zeros((len(rows), len(labels)), dtype=np.bool_)
    for i, row in enumerate(rows):
        for label in row:
            if label not in place:
                hint = did_you_mean(label, labels)
                raise DataError(f"row {i + 1} of y: unknown label {label!r}{hint}")
            indicator[i, place[label]] = True
    return indicator, labels


# --- matrices


def _from_matrix(
    matrix: _Matrix, wanted: tuple[Label, ...] | None
) -> tuple[Indicator, tuple[Label, ...]]:
    if not matrix.length:
        raise DataError("y has no rows; there must be one at least")
    if matrix.names is None:
        labels = tuple(range(matrix.width)) if wanted is None else wanted
        if len(labels) != matrix.width:
            raise DataError(
                f"y has {matrix.width} columns, but labels holds {len(labels)}; give one label for"
                " each column"
            )
        if isinstance(matrix.cells, np.ndarray):
            return _as_booleans(matrix.cells, labels), labels
        return _from_sparse(matrix.cells, labels), labels
    names = tuple(_as_label(name, "the columns of y") for name in matrix.names)
    _refuse_twice(names, "the columns of y have", "; rename one")
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
            raise DataError(f"y has no column for the label {label!r}{hint}")
        indicator[:, i] = _as_booleans(columns[label].reshape(-1, 1), (label,))[:, 0]
    return indicator, labels


def _from_sparse(matrix: Any, labels: tuple[Label, ...]) -> Indicator:
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


def _as_booleans(cells: npt.NDArray[Any], labels: tuple[Label, ...]) -> Indicator:
    """Return a matrix of 0 and 1 as booleans; the first cell that is neither is an error."""
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
            f"{where}: the value is missing; use 0 where a row does not have the label"
        )
    return DataError(
        f"{where}: {value!r} is neither 0 nor 1; use 1 where a row has the label, else 0"
    )
