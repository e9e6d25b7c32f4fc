"""Tables in Parquet files, read and written with pyarrow or polars, whichever is installed."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, Final

import numpy.typing as npt

from irenic.errors import FormatError
from irenic.frames.columns import Table, as_column, as_values, as_written, check_header

_FEW_CELLS: Final = 5_000_000
_FEW_CHARACTERS: Final = 64 * 2**20


def loads(raw: bytes) -> Table:
    """Return the columns of a Parquet file."""
    module = _module()
    read = _read_by_pyarrow if module.__name__ == "pyarrow" else _read_by_polars
    try:
        columns = read(raw)
    except FormatError:
        raise
    except Exception as error:  # each library has its own exceptions
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise FormatError(f"not a Parquet file: {reason}") from None
    return Table(columns)


def dumps(table: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Return a table as the bytes of a Parquet file."""
    module = _module()
    columns = {name: as_written(as_values(column)) for name, column in table.items()}
    file = io.BytesIO()
    try:
        if module.__name__ == "pyarrow":
            from pyarrow import parquet

            parquet.write_table(module.table(columns), file)
        else:
            module.DataFrame(columns, strict=False).write_parquet(file)
    except (ValueError, TypeError, OverflowError) as error:
        raise FormatError(f"the table cannot be written as Parquet: {error}") from None
    return file.getvalue()


def _module() -> Any:
    try:
        import pyarrow

        return pyarrow
    except ImportError:
        pass
    try:
        import polars

        return polars
    except ImportError:
        raise FormatError(
            "Parquet needs pyarrow or polars: pip install 'irenic[parquet]'"
        ) from None


def _read_by_pyarrow(raw: bytes) -> dict[str, npt.NDArray[Any]]:
    import pyarrow as pa
    from pyarrow import parquet

    schema = parquet.ParquetFile(io.BytesIO(raw)).schema_arrow
    # as dictionaries, in which equal texts are stored once
    texts = [field.name for field in schema if field.type in (pa.string(), pa.large_string())]
    file = parquet.ParquetFile(io.BytesIO(raw), read_dictionary=texts)
    _check_cells(file.metadata.num_rows, len(schema), len(raw))
    return columns_of(file.read(), len(raw))


def columns_of(table: Any, n_bytes: int | None = None) -> dict[str, npt.NDArray[Any]]:
    """Return the columns of a table of pyarrow, limited by the size of the file it comes from."""
    import pyarrow as pa

    check_header(table.column_names)
    columns = {}
    n_characters = 0
    for name, column in zip(table.column_names, table.columns, strict=True):
        is_dictionary = pa.types.is_dictionary(column.type)
        if is_dictionary and column.type.value_type in (pa.string(), pa.large_string()):
            values = _of_dictionaries(column)
            n_characters += sum(len(value) for value in values if value is not None)
            if n_bytes is not None:
                check_characters(n_characters, n_bytes)
            columns[name] = as_column(values)
            continue
        if is_dictionary:
            column = column.cast(column.type.value_type)
        kind = column.type
        if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            raise _unsupported(name, kind)
        if pa.types.is_timestamp(kind):  # Python's datetimes have microseconds
            column = column.cast(pa.timestamp("us", tz=kind.tz), safe=False)
        elif pa.types.is_duration(kind):
            column = column.cast(pa.duration("us"), safe=False)
        elif pa.types.is_time64(kind):
            column = column.cast(pa.time64("us"), safe=False)
        elif pa.types.is_decimal(kind) or pa.types.is_floating(kind):
            column = column.cast(pa.float64())
        columns[name] = as_column(column.to_pylist())
    return columns


def _of_dictionaries(column: Any) -> list[Any]:
    values: list[Any] = []
    for chunk in column.chunks:
        texts = [*chunk.dictionary.to_pylist(), None]
        values += [texts[place] for place in chunk.indices.fill_null(len(texts) - 1).to_pylist()]
    return values


def _check_cells(n_rows: int, n_columns: int, n_bytes: int) -> None:
    """Reject a small file of so many equal cells that they would fill the memory."""
    _check_size(n_rows * n_columns, "cells", max(_FEW_CELLS, 10 * n_bytes), n_bytes)


def check_characters(n_characters: int, n_bytes: int) -> None:
    """Reject a small file with so much equal text that it would fill the memory."""
    _check_size(n_characters, "characters", max(_FEW_CHARACTERS, 100 * n_bytes), n_bytes)


def _check_size(size: int, what: str, most: int, n_bytes: int) -> None:
    if size > most:
        raise FormatError(
            f"a Parquet file of {n_bytes / 2**20:,.1f} MB must have at most {most:,} {what}, got"
            f" {size:,}; it is mostly repetition, so split it"
        )


def _read_by_polars(raw: bytes) -> dict[str, npt.NDArray[Any]]:
    import polars as pl

    n_rows = pl.scan_parquet(io.BytesIO(raw)).select(pl.len()).collect().item()
    _check_cells(n_rows, len(pl.read_parquet_schema(io.BytesIO(raw))), len(raw))
    frame = pl.read_parquet(io.BytesIO(raw))
    check_header(frame.columns)
    columns = {}
    for name in frame.columns:
        column = frame[name]
        if column.dtype.is_nested() or column.dtype == pl.Binary:
            raise _unsupported(name, column.dtype)
        if column.dtype.is_decimal():
            column = column.cast(pl.Float64)
        columns[name] = as_column(column.to_list())
    return columns


def _unsupported(name: str, kind: object) -> FormatError:
    return FormatError(
        f"column {name!r} must contain numbers, text, dates or booleans, got type {kind};"
        " remove the column"
    )
