"""Reading and writing tables of instances; the suffix determines the format."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Protocol

import numpy.typing as npt

from irenic.errors import FormatError
from irenic.frames import _parquet as parquet_table
from irenic.frames import csv as csv_table
from irenic.frames import xlsx as xlsx_table
from irenic.frames.columns import Table
from irenic.frames.files import File, format_of, name_of, read_bytes, write_file
from irenic.frames.unpacking import gunzip


class TableFormat(Protocol):
    """The functions that a module for a table format provides."""

    def loads(self, raw: bytes) -> Table:
        """Parse the bytes of a file."""

    def dumps(self, table: Mapping[str, npt.NDArray[Any]]) -> bytes:
        """Return a table as the bytes of a file."""


_FORMATS: Final[dict[str, TableFormat]] = {
    "csv": csv_table,
    "csv.gz": csv_table,
    "parquet": parquet_table,
    "xlsx": xlsx_table,
}
FORMATS: Final = tuple(_FORMATS)
"""The formats of tables, named after the suffixes of their files."""
SUFFIXES: Final = ".csv, .csv.gz, .parquet and .xlsx"


def read_table(
    file: File, *, format: str | None = None, name: str | None = None, as_written: bool = False
) -> Table:
    """Return the columns of a table, by name.

    ``format`` is needed for a file object without a name; ``name`` is what messages call the file.
    ``as_written`` leaves numbers in a notation that CSV files do not settle as text.
    """
    name = name_of(file) if name is None else name
    form = _format(name, format, "read from")
    raw = read_bytes(file)
    try:
        if form.endswith(".gz"):
            raw = gunzip(raw)
        if _FORMATS[form] is csv_table:
            return csv_table.loads(raw, as_written=as_written)
        return _FORMATS[form].loads(raw)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise FormatError("not a gzip file", path=name) from None
    except FormatError as error:
        raise error.at(path=name) from None


def write_table(
    table: Mapping[str, npt.NDArray[Any]], file: File, *, format: str | None = None
) -> None:
    """Write a table whole or not at all; ``format`` is needed for a file object without a name."""
    name = name_of(file)
    try:
        data = dumps_table(table, _format(name, format, "written to"))
    except FormatError as error:
        raise error.at(path=name) from None
    write_file(file, data)


def dumps_table(table: Mapping[str, npt.NDArray[Any]], format: str) -> str | bytes:
    """Return what a file of a table holds: text for csv, else bytes."""
    raw = _FORMATS[format].dumps(table)
    if format == "csv":
        return raw.decode("utf-8")
    # no time in it: the same table is the same file
    return gzip.compress(raw, mtime=0) if format.endswith(".gz") else raw


def check_suffix(path: Path) -> None:
    """Refuse a file whose suffix names no format that tables are written in."""
    _format(path.name, None, "written to")


def _format(name: str, format: str | None, how: str) -> str:
    if format is not None:
        return format_of(name, format, FORMATS)
    for known in FORMATS:
        if name.lower().endswith(f".{known}"):
            return known
    raise FormatError(f"tables are {how} {SUFFIXES} files", path=name)
