"""Encoding of columns of any table library as numbers and codes, without Python loops over rows.

Frames of pandas, polars and pyarrow are read through narwhals; numpy arrays, mappings of columns
and sequences of points are read directly. Python objects are encoded one by one only if no array
type can represent them.
"""

from __future__ import annotations

import datetime as dt
import decimal
import math
import operator
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from irenic.arrays import Bools, Codes, Floats, Ints
from irenic.errors import ConditionError, DataError, SpaceError, did_you_mean, without_feature
from irenic.model.features import (
    EXACT,
    FIRST_CODE,
    MISSING,
    MISSING_CODE,
    OTHER,
    OTHER_CODE,
    Categorical,
    Continuous,
    Feature,
    Kind,
)
from irenic.model.literals import Months, counted, is_missing, plain


class Columns(NamedTuple):
    """The columns of a table (1-D arrays or narwhals series), their names if any, their length."""

    names: list[str] | None
    columns: list[Any]
    length: int

    def select(self, names: Sequence[str]) -> list[Any]:
        """Return the columns with the given names, in that order."""
        if self.names is None:
            if len(self.columns) != len(names):
                raise DataError(
                    f"the table has {counted(len(self.columns), 'column')} and no names,"
                    f" but the space has {counted(len(names), 'feature')}"
                )
            return self.columns
        columns = dict(zip(self.names, self.columns, strict=True))
        for name in names:
            if name not in columns:
                hint = did_you_mean(name, self.names)
                raise DataError(f"the table has no column {name!r}{hint}")
        return [columns[name] for name in names]


def take_apart(table: Any) -> Columns:
    """Return the columns of a frame, a 2-D array, a mapping of columns or a list of points."""
    if isinstance(table, Columns):
        return table
    if isinstance(table, np.ndarray):
        if table.ndim != 2:
            raise DataError(
                f"a table must have two dimensions, got an array with {table.ndim};"
                " use X.reshape(1, -1) for a single point"
            )
        table = _unmasked(table)
        return Columns(None, [table[:, i] for i in range(table.shape[1])], table.shape[0])
    if isinstance(table, Mapping):
        return _from_mapping(table)
    if isinstance(table, Sequence) and not isinstance(table, str | bytes):
        return _from_sequence(table)
    return _from_frame(table)


def as_records(table: Any) -> list[dict[str, Any]]:
    """Return the rows of a table with named columns as Python values, None if they are missing.

    >>> as_records({"age": [5, float("nan")]})
    [{'age': 5}, {'age': None}]
    """
    if isinstance(table, list | tuple) and not table:
        return []
    names, columns, length = take_apart(table)
    if names is None:
        raise DataError(
            "the columns of the table must have names, got an array or rows without names; use a"
            " frame, a mapping of columns or a list of mappings"
        )
    values = [[None if is_missing(v) else plain(v) for v in column] for column in columns]
    if not values:
        return [{} for _ in range(length)]
    return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]


def _from_mapping(table: Mapping[Any, Any]) -> Columns:
    columns = [_as_array(column) for column in table.values()]
    lengths = {len(c) for c in columns}
    if len(lengths) > 1:
        raise DataError(f"columns must have equal lengths, got {sorted(lengths)}")
    return Columns(as_names(table), columns, lengths.pop() if lengths else 0)


def as_names(keys: Iterable[Any]) -> list[str]:
    """Return the names of columns as text; raise an error if two are the same."""
    names = [str(key) for key in keys]
    if len(set(names)) != len(names):
        duplicate = next(name for name in names if names.count(name) > 1)
        raise DataError(f"the table has two columns named {duplicate!r}")
    return names


def _as_array(column: Any) -> npt.NDArray[Any]:
    if isinstance(column, str | bytes | Mapping) or not hasattr(column, "__len__"):
        raise DataError(f"a column must be a list of values, got {column!r}")
    if isinstance(column, np.ndarray):
        if column.ndim != 1:
            raise DataError(f"a column must have one dimension, got {column.ndim}")
        return _unmasked(column)
    return _objects(column, len(column))


def _objects(values: Iterable[Any], length: int) -> npt.NDArray[Any]:
    # Unlike np.array, np.fromiter treats tuples as values.
    return np.fromiter(values, dtype=object, count=length)


def _unmasked(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    # numpy.ma takes as long to import as numpy, so it is not touched for plain arrays
    if type(array) is not np.ndarray and isinstance(array, np.ma.MaskedArray):
        objects = np.asarray(array.data, dtype=object).copy()
        objects[np.ma.getmaskarray(array)] = None
        return objects
    return array


def _from_sequence(table: Sequence[Any]) -> Columns:
    if table and all(isinstance(row, Mapping) for row in table):
        keys = list(dict.fromkeys(name for row in table for name in row))
        columns = [_objects((row.get(key) for row in table), len(table)) for key in keys]
        return Columns(as_names(keys), columns, len(table))
    if not table or not all(map(_is_row, table)):
        raise DataError(
            "a list of points must contain mappings {name: value} or rows of equal length"
        )
    names = field_names(table[0])
    _check_alike(table, names)
    cells = zip(*table, strict=True)
    columns = [_objects(column, len(table)) for column in cells]
    return Columns(None if names is None else as_names(names), columns, len(table))


def _is_row(row: Any) -> bool:
    if isinstance(row, np.ndarray):
        return row.ndim == 1
    return (isinstance(row, Sequence) and not isinstance(row, str | bytes)) or is_pandas_row(row)


def field_names(row: Any) -> list[str] | None:
    """Return the field names of a named tuple, Spark row or series of pandas, None for other rows.

    >>> from typing import NamedTuple
    >>> field_names(NamedTuple("Point", [("x", float), ("y", float)])(1.0, 2.0))
    ['x', 'y']
    """
    if not isinstance(row, tuple):
        is_series = not isinstance(row, list | dict) and is_pandas_row(row)
        return [str(name) for name in row.index] if is_series else None
    if type(row) is tuple:
        return None
    # In this order, because a Spark row can have a column named "_fields".
    names = getattr(row, "__fields__", None) or getattr(row, "_fields", None)
    return list(names) if isinstance(names, tuple | list) and len(names) == len(row) else None


def is_pandas_row(row: Any) -> bool:
    """Return whether a row is a series of pandas, such as ``frame.iloc[0]``."""
    return hasattr(row, "iloc") and getattr(row, "ndim", None) == 1


def _check_alike(table: Sequence[Any], names: list[str] | None) -> None:
    """Raise an error if rows have different lengths or field names."""
    n = len(table[0])
    for number, row in enumerate(table, start=1):
        if len(row) != n:
            raise DataError(
                f"row {number} of the table must have {counted(n, 'value')} like row 1,"
                f" got {len(row)}: {reprlib.repr(row)}"
            )
        if (fields := field_names(row)) != names:
            expected = "no field names" if names is None else f"the fields {', '.join(names)}"
            raise DataError(
                f"row {number} of the table must have {expected} like row 1,"
                f" got {'none' if fields is None else ', '.join(fields)}"
            )


def _from_frame(table: Any) -> Columns:
    import narwhals.stable.v2 as nw

    try:
        frame = nw.from_native(table, eager_only=True)
    except nw.exceptions.DuplicateError as error:
        as_names(getattr(table, "column_names", None) or table.columns)  # raises
        raise DataError(f"the table has duplicate column names: {error}") from None
    except TypeError:
        hint = "; use frame.iloc[[0]] for one row" if is_pandas_row(table) else ""
        raise DataError(
            "a table must be a pandas, polars or pyarrow frame, a 2-D numpy array, a mapping of"
            f" columns or a list of points, got {type(table).__name__}{hint}"
        ) from None
    columns = [frame.get_column(name) for name in frame.columns]
    return Columns(as_names(frame.columns), columns, len(frame))


# --- continuous columns


def encode_floats(column: Any, feature: Continuous) -> Floats:
    """Return the column as float64, with ``-inf`` for missing values."""
    if isinstance(column, np.ndarray):
        values = _array_to_floats(column, feature)
    else:
        values = _series_to_floats(column, feature)
    _check_floats(values, feature)
    return values


_NOT_OPTIONAL = (
    "the value is missing, but the feature does not allow missing values;"
    " declare it with missing=True"
)


def _check_floats(values: Floats, feature: Continuous) -> None:
    if not values.size:
        return
    low, high = float(values.min()), float(values.max())
    if high == math.inf:
        raise _row_error(feature, values == math.inf, "is infinite; use a finite number", values)
    if low == -math.inf and not feature.missing:
        raise DataError(
            f"column {feature.name!r}, row {_first(values == -math.inf)}: {_NOT_OPTIONAL}"
        )
    outside = (values >= feature.end) | ((values < feature.lowest) & (values > -math.inf))
    if outside.any():
        bounds = [
            "none" if bound is None else feature.format_value(feature.encode_value(bound))
            for bound in feature.bounds
        ]
        problem = f"is outside the feature's bounds ({', '.join(bounds)})"
        raise _row_error(feature, outside, problem, values)


def _row_error(feature: Continuous, where: Bools, problem: str, values: Floats) -> DataError:
    row = _first(where)
    value = feature.format_value(float(values[row - 1]))
    return DataError(f"column {feature.name!r}, row {row}: {value} {problem}")


def _first(where: Bools) -> int:
    return int(where.argmax()) + 1


def is_naive(value: object) -> bool:
    """Return whether a value is a time without a time zone.

    >>> is_naive(dt.datetime(2026, 1, 31)), is_naive(dt.datetime(2026, 1, 31, tzinfo=dt.UTC))
    (True, False)
    """
    is_time = isinstance(value, dt.datetime | np.datetime64)
    return is_time and getattr(value, "tzinfo", None) is None and not is_missing(value)


def _no_zone(feature: Continuous, row: int | None = None) -> DataError:
    where = f"column {feature.name!r}" + (f", row {row}," if row else "")
    return DataError(
        f"{where} has no time zone, but times of the feature are in UTC; name the zone first, as"
        f" with X[{feature.name!r}].dt.tz_localize('Europe/Berlin')"
    )


def _array_to_floats(column: npt.NDArray[Any], feature: Continuous) -> Floats:
    kind = column.dtype.kind
    if kind == "M" and feature.in_utc and not np.isnat(column).all():
        raise _no_zone(feature)
    numeric = feature.kind in ("number", "integer")
    if kind == "f" and numeric:
        if column.dtype.itemsize > 8:
            _check_precision(column, feature)
        return _clean(column.astype(np.float64), feature, column)
    if kind in "iu" and numeric:
        _check_exact(column, feature)
        return column.astype(np.float64)
    if kind == "M" and feature.kind in ("date", "datetime"):
        return _temporal(column.astype("datetime64[us]"), feature)
    if kind == "m" and feature.kind == "duration":
        return _temporal(column.astype("timedelta64[us]"), feature)
    if kind in "OUT":
        return _objects_to_floats(column.tolist(), feature)
    raise DataError(
        f"column {feature.name!r} contains {column.dtype.name} values,"
        f" which do not fit a feature of kind {feature.kind!r}"
    )


def _check_precision(column: npt.NDArray[Any], feature: Continuous) -> None:
    rounded = (column != column.astype(np.float64)) & ~np.isnan(column)
    if rounded.any():
        raise DataError(
            f"column {feature.name!r}, row {_first(rounded)}: the value has more digits than"
            " float64 can represent; round the column first"
        )


def _clean(values: Floats, feature: Continuous, source: npt.NDArray[Any]) -> Floats:
    infinite = np.isinf(source)
    if infinite.any():
        row = _first(infinite)
        raise DataError(
            f"column {feature.name!r}, row {row}: {source[row - 1]} is infinite;"
            " use a finite number, or leave the cell empty if it is missing"
        )
    missing = np.isnan(values)
    if feature.kind == "integer":
        fractional = (values != np.floor(values)) & ~missing
        if fractional.any():
            row = _first(fractional)
            raise DataError(
                f"column {feature.name!r}, row {row}: {values[row - 1]} is not a whole number;"
                " declare the feature with kind='number' to allow fractions"
            )
        _check_exact(np.where(missing, 0.0, values), feature)
    values[missing] = -math.inf
    return values


def _check_exact(values: npt.NDArray[Any], feature: Continuous) -> None:
    if values.size and (values.max() > EXACT or values.min() < -EXACT):
        row = _first((values > EXACT) | (values < -EXACT))
        raise DataError(
            f"column {feature.name!r}, row {row}: {values[row - 1]} is beyond 2**53, where float64"
            " cannot represent every integer; use a categorical feature, or subtract an offset"
        )


def _temporal(column: npt.NDArray[Any], feature: Continuous) -> Floats:
    missing = np.isnat(column)
    micros = column.astype(np.int64)
    micros[missing] = 0
    return _micros(micros, missing, feature)


def _micros(micros: Ints, missing: Bools, feature: Continuous) -> Floats:
    values = micros.astype(np.float64)
    if values.size and (inexact := values.astype(np.int64) != micros).any():
        raise DataError(
            f"column {feature.name!r}, row {_first(inexact)}: the time is too far from 1970 to be"
            " exact to the microsecond; round it to whole seconds"
        )
    if feature.kind == "date" and (uneven := micros % feature.step != 0).any():
        raise DataError(
            f"column {feature.name!r}, row {_first(uneven)}: the value has a time of day;"
            " declare the feature with kind='datetime'"
        )
    values[missing] = -math.inf
    return values


_FLOATS = {float, np.float64, type(None)}
_NUMBERS = {int, np.int64, decimal.Decimal, *_FLOATS}


def _objects_to_floats(values: list[Any], feature: Continuous) -> Floats:
    types = set(map(type, values))
    if feature.kind in ("number", "integer") and types <= _NUMBERS:
        floats = _as_floats(values)
        # 2**53 itself may be a greater integer, rounded.
        if floats is not None and (types <= _FLOATS or not (np.abs(floats) >= EXACT).any()):
            return _clean(floats, feature, floats)
    encoded = np.empty(len(values), dtype=np.float64)
    for row, value in enumerate(values):
        if feature.in_utc and is_naive(value):
            raise _no_zone(feature, row + 1)
        try:
            encoded[row] = feature.encode_value(value)
        except DataError as error:
            message = without_feature(error, feature.name)
            raise DataError(f"column {feature.name!r}, row {row + 1}: {message}") from None
    return encoded


def _as_floats(values: list[Any]) -> Floats | None:
    try:
        return np.array(values, dtype=np.float64)
    except (OverflowError, ValueError):  # an integer beyond float64, a signaling NaN
        return None


def _series_to_floats(series: Any, feature: Continuous) -> Floats:
    import narwhals.stable.v2 as nw

    dtype = series.dtype
    numeric = feature.kind in ("number", "integer")
    if numeric and (dtype.is_float() or dtype.is_integer()):
        missing = series.is_null().to_numpy()
        if missing.any():
            values = series.fill_null(0).to_numpy()
            floats = _array_to_floats(np.ascontiguousarray(values), feature)
            floats[missing] = -math.inf
            return floats
        return _array_to_floats(np.ascontiguousarray(series.to_numpy()), feature)
    if feature.kind in ("date", "datetime") and dtype in (nw.Date, nw.Datetime):
        if dtype == nw.Datetime and dtype.time_zone is not None and feature.unit != "UTC":
            raise DataError(
                f"column {feature.name!r} has the time zone {dtype.time_zone};"
                " declare the feature with unit='UTC', or remove the time zone"
            )
        naive = dtype == nw.Datetime and dtype.time_zone is None
        if naive and feature.in_utc and not series.is_null().all():
            raise _no_zone(feature)
        return _series_micros(series.dt.timestamp("us"), feature)
    if feature.kind == "duration" and dtype == nw.Duration:
        return _series_micros(series.dt.total_microseconds(), feature)
    if feature.kind == "time" and dtype == nw.Time and series.implementation.is_polars():
        # In nanoseconds; other libraries have other units, which narwhals does not expose.
        return _series_micros(series.cast(nw.Int64) // 1000, feature)
    if dtype in (nw.Object, nw.String, nw.Time) or dtype.is_decimal() or series.is_null().all():
        return _objects_to_floats(series.to_list(), feature)
    raise DataError(
        f"column {feature.name!r} contains {dtype} values,"
        f" which do not fit a feature of kind {feature.kind!r}"
    )


def _series_micros(series: Any, feature: Continuous) -> Floats:
    missing = series.is_null().to_numpy()
    filled = series.fill_null(0) if missing.any() else series
    return _micros(filled.to_numpy().astype(np.int64), missing, feature)


# --- categorical columns


def encode_codes(column: Any, feature: Categorical) -> Codes:
    """Return the code of each value: 0 missing, 1 any other, then the declared values."""
    if isinstance(column, np.ndarray):
        if column.dtype.kind in "mM":  # tolist() returns integers for other units
            column = column.astype(f"{column.dtype.kind}8[us]")
        values = column.tolist()
        missing = _missing_in(column, values)
    elif len(column) > _MANY_TEXTS and (texts := _distinct_texts(column)) is not None:
        # each text is looked up once
        distinct, places = texts
        codes = encode_codes(_objects(distinct, len(distinct)), replace(feature, other=True))
        codes = np.append(codes, np.int32(MISSING_CODE))[places]
        if not feature.other or not feature.missing:
            _check_codes(codes, column.to_list(), feature)
        return codes
    else:
        values = column.to_list()
        # NaN is not null in polars and pyarrow.
        missing = column.is_null().to_numpy() | _missing_objects(values)
    lookup = {**feature.codes, **_SPECIAL_CODES}
    try:
        codes = np.fromiter(map(lookup.get, values, repeat(OTHER_CODE)), np.int32, len(values))
    except TypeError:
        row = next(i for i, v in enumerate(values) if not _is_hashable(v))
        raise DataError(
            f"column {feature.name!r}, row {row + 1}: {values[row]!r} is not hashable"
        ) from None
    codes[missing] = MISSING_CODE
    if feature.prefixes:
        for row in np.flatnonzero(codes == OTHER_CODE).tolist():
            codes[row] = OTHER_CODE if values[row] is OTHER else feature.class_of(values[row])
    _check_types(codes, values, feature)
    _check_codes(codes, values, feature)
    return codes


# Fewer texts than this are looked up one by one.
_MANY_TEXTS = 1_000


def _distinct_texts(column: Any) -> tuple[list[Any], Ints] | None:
    """Return the distinct values of a column of text, and the place of each row, -1 for missing.

    None if the column has other values, or pyarrow is not installed.
    """
    import narwhals.stable.v2 as nw

    if column.dtype not in (nw.String, nw.Categorical, nw.Enum):
        return None
    try:
        import pyarrow as pa
    except ImportError:
        return None
    array = column.to_arrow()
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    if pa.types.is_string_view(array.type):
        array = array.cast(pa.large_string())
    array = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    indices = array.indices.cast(pa.int64())  # those of polars have no sign
    return array.dictionary.to_pylist(), indices.fill_null(-1).to_numpy(zero_copy_only=False)


_SPECIAL_CODES: dict[Any, int] = {None: MISSING_CODE, MISSING: MISSING_CODE, OTHER: OTHER_CODE}


def _missing_in(column: npt.NDArray[Any], values: list[Any]) -> Bools:
    kind = column.dtype.kind
    missing: Bools
    if kind == "f":
        missing = np.isnan(column)
    elif kind in "mM":
        missing = np.isnat(column)
    elif kind == "O":
        missing = _missing_objects(values)
    else:
        missing = np.zeros(len(column), dtype=np.bool_)
    return missing


_NEVER_MISSING = {str, int, bool, type(None)}  # None has a code of its own


def _missing_objects(values: list[Any]) -> Bools:
    types = set(map(type, values)) - _NEVER_MISSING
    if not types:
        return np.zeros(len(values), dtype=np.bool_)
    if types == {float}:  # NaN differs from itself
        return np.fromiter(map(operator.ne, values, values), np.bool_, len(values))
    return np.fromiter(map(is_missing, values), np.bool_, len(values))


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _check_types(codes: Codes, values: list[Any], feature: Categorical) -> None:
    """Raise an error if no value is known, but would be if all were text, or none of them.

    It is text in one of the tables that was written as numbers in another one.
    """
    if not feature.values or (codes >= FIRST_CODE).any() or not (codes == OTHER_CODE).any():
        return
    known = {as_plain_text(value): value for value in feature.values}
    for other in dict.fromkeys(
        v for v, code in zip(values, codes, strict=True) if code == OTHER_CODE
    ):
        value, text = plain(other), as_plain_text(other)
        same = known.get(text)
        if same is None and (code := feature.class_of(text)) != OTHER_CODE:
            same = str(feature.decode_value(code))
        if same is not None and isinstance(value, str) != isinstance(same, str):
            raise DataError(
                f"column {feature.name!r}: no value is known, because {value!r} is"
                f" {_type_name(value)}, and {same!r} among the values of the feature is"
                f" {_type_name(same)}; convert the column first"
            )


def as_plain_text(value: Any) -> str:
    """Return what a value and its text have in common.

    >>> as_plain_text(1.0), as_plain_text(" 1"), as_plain_text(True)
    ('1', '1', 'true')
    """
    value = plain(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip().casefold()


def _type_name(value: object) -> str:
    names: dict[type, str] = {str: "text", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), f"a {type(value).__name__}")


def _check_codes(codes: Codes, values: list[Any], feature: Categorical) -> None:
    if not feature.missing and (missing := codes == MISSING_CODE).any():
        raise DataError(f"column {feature.name!r}, row {_first(missing)}: {_NOT_OPTIONAL}")
    if not feature.other and (other := codes == OTHER_CODE).any():
        row = _first(other)
        raise DataError(
            f"column {feature.name!r}, row {row}: {values[row - 1]!r} is not among the values of"
            f" the feature ({feature.show_values()}); declare it with other=True to allow others"
        )


# --- inference


def infer_feature(name: str, column: Any) -> Feature:
    """Return the feature that fits a column of data."""
    if isinstance(column, np.ndarray):
        return _infer_array(name, column)
    import narwhals.stable.v2 as nw

    dtype = column.dtype
    missing = bool(column.is_null().any())
    if dtype == nw.Boolean:
        return Categorical(name, [False, True], missing=missing)
    if dtype.is_float():
        return Continuous(name, missing=missing or bool(column.is_nan().any()))
    if dtype.is_decimal():
        return Continuous(name, missing=missing)
    if dtype.is_integer():
        return Continuous(name, kind="integer", missing=missing)
    if dtype == nw.Enum:
        return Categorical(name, column.cat.get_categories().to_list(), missing=missing)
    if dtype == nw.Categorical:
        values = [v for v in column.cat.get_categories().to_list() if v is not None]
        present = set(column.drop_nulls().unique().to_list())
        return Categorical(name, [v for v in values if v in present], missing=missing, other=True)
    if dtype == nw.Date:
        return Continuous(name, kind="date", missing=missing)
    if dtype == nw.Time:
        return Continuous(name, kind="time", missing=missing)
    if dtype == nw.Duration:
        return Continuous(name, kind="duration", missing=missing)
    if dtype == nw.Datetime:
        unit = "UTC" if dtype.time_zone is not None else ""
        return Continuous(name, kind="datetime", unit=unit, missing=missing)
    if dtype == nw.String:
        return _infer_objects(name, column.unique().to_list())
    if dtype == nw.Object or column.is_null().all():
        return _infer_objects(name, column.to_list())
    raise SpaceError(
        f"column {name!r}: cannot infer a feature from {dtype} values;"
        " convert the column to numbers, text, booleans, dates or times"
    )


def _infer_array(name: str, column: npt.NDArray[Any]) -> Feature:
    kind = column.dtype.kind
    if kind == "b":
        return Categorical(name, [False, True])
    if kind == "f":
        return Continuous(name, missing=bool(np.isnan(column).any()))
    if kind in "iu":
        return Continuous(name, kind="integer")
    if kind == "M":
        days = np.datetime_data(column.dtype)[0] in ("Y", "M", "W", "D")
        missing = bool(np.isnat(column).any())
        return Continuous(name, kind="date" if days else "datetime", missing=missing)
    if kind == "m":
        return Continuous(name, kind="duration", missing=bool(np.isnat(column).any()))
    if kind in "OUST":
        return _infer_objects(name, column.tolist())
    raise SpaceError(f"column {name!r}: cannot infer a feature from {column.dtype.name} values")


def _infer_objects(name: str, values: list[Any]) -> Feature:
    try:
        distinct = dict.fromkeys(values)
    except TypeError:
        raise SpaceError(f"column {name!r}: its values are not hashable") from None
    # One value per type, because ``distinct`` has only the first of 1, 1.0 and True.
    samples = dict(zip(map(type, values), values, strict=True)).values()
    missing = any(map(is_missing, distinct))
    present = list(dict.fromkeys(plain(v) for v in distinct if not is_missing(v)))
    types = {type(plain(v)) for v in (*present, *samples) if not is_missing(v)}
    if complex in types:
        raise SpaceError(f"column {name!r}: cannot infer a feature from complex values")
    if types == {int}:
        return Continuous(name, kind="integer", missing=missing)
    if types and types <= {int, float, decimal.Decimal}:
        return Continuous(name, missing=missing)
    if types == {bool}:
        return Categorical(name, [False, True], missing=missing)
    temporal: dict[type, Kind] = {
        dt.date: "date",
        dt.datetime: "datetime",
        dt.time: "time",
        dt.timedelta: "duration",
        Months: "months",
    }
    if types == {dt.date, dt.datetime}:
        types = {dt.datetime}
    if len(types) == 1 and (only := next(iter(types))) in temporal:
        zone = any(getattr(v, "tzinfo", None) is not None for v in present)
        return Continuous(name, kind=temporal[only], missing=missing, unit="UTC" if zone else "")
    with suppress(TypeError):  # values of several types keep their order of appearance
        present.sort()
    return Categorical(name, present, missing=missing, other=True)


# --- frames


def frame_backend(backend: str | None) -> Any:
    """Return the name of a library for data frames: ``backend``, or the first one installed."""
    from importlib.util import find_spec

    known = ("pandas", "polars", "pyarrow")
    if backend is not None and backend not in known:
        raise ConditionError(f"backend must be one of {', '.join(known)}, got {backend!r}")
    for name in known if backend is None else (backend,):
        if find_spec(name) is not None:
            return name
    raise ConditionError(
        f"to_frame needs {backend or 'pandas, polars or pyarrow'}; install it with"
        f" pip install {backend or 'pandas'}"
    )
