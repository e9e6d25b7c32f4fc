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
from irenic.frames.files import read_bytes, write_bytes


class TableFormat(Protocol):
    """The functions that a module for a table format provides."""

    def loads(self, raw: bytes) -> Table:
        """Parse the bytes of a file."""

    def dumps(self, table: Mapping[str, npt.NDArray[Any]]) -> bytes:
        """Return a table as the bytes of a file."""


_FORMATS: Final[dict[str, TableFormat]] = {
    ".csv": csv_table,
    ".csv.gz": csv_table,
    ".parquet": parquet_table,
    ".xlsx": xlsx_table,
}
SUFFIXES: Final = ".csv, .csv.gz, .parquet and .xlsx"


def read_table(path: str | Path) -> Table:
    """Read a table from a file.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("age,job\\n31,nurse\\n,clerk\\n")
    >>> read_table(path)["age"]
    array([31, None], dtype=object)
    """
    path = Path(path)
    suffix = _suffix(path, f"tables are read from {SUFFIXES} files")
    raw = read_bytes(path)
    try:
        if suffix.endswith(".gz"):
            raw = gzip.decompress(raw)
        return _FORMATS[suffix].loads(raw)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise FormatError("not a gzip file", path=str(path)) from None
    except FormatError as error:
        raise error.at(path=str(path)) from None


def write_table(table: Mapping[str, npt.NDArray[Any]], path: str | Path) -> None:
    """Write a table to a file atomically.

    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "people.csv"
    >>> write_table({"age": np.array([31, 40])}, path)
    >>> path.read_text()
    'age\\n31\\n40\\n'
    """
    path = Path(path)
    suffix = check_suffix(path)
    try:
        raw = _FORMATS[suffix].dumps(table)
    except FormatError as error:
        raise error.at(path=str(path)) from None
    # without a time stamp, so that equal tables give equal files
    write_bytes(path, gzip.compress(raw, mtime=0) if suffix.endswith(".gz") else raw)


def check_suffix(path: Path) -> str:
    """Return the suffix of a file to write, or raise an error if its format is unknown."""
    return _suffix(path, f"tables are written to {SUFFIXES} files")


def _suffix(path: Path, message: str) -> str:
    name = path.name.lower()
    for suffix in _FORMATS:
        if name.endswith(suffix):
            return suffix
    raise FormatError(message, path=str(path))
