"""Tables of instances from files: CSV, plain or gzipped, with the types told by the cells.

A column is of numbers, dates, times, booleans or text, whichever all of its non-empty cells are;
an empty cell is missing, and so is ``NA``, ``null`` or ``?`` in a column that is not of text. Cells
are divided by commas, semicolons or tabs, whichever the first line has most of.
"""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import re
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from irenic.errors import FileError, FormatError

if TYPE_CHECKING:
    from collections.abc import Callable

_BOOLEANS: Final = {"true": True, "false": False}
_NOTHING: Final = {"na", "n/a", "nan", "null", "none", "?", "-"}
# Narrower than what fromisoformat takes: "T10" and "2026-W05" in a table are text.
_TEMPORAL: Final = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?"
    r"|\d\d:\d\d(?::\d\d(?:\.\d+)?)?"
)


def read_table(path: str | Path) -> dict[str, npt.NDArray[Any]]:
    """Return the columns of a CSV file, by name.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("age,job\\n31,nurse\\n,clerk\\n")
    >>> read_table(path)["age"]
    array([31, None], dtype=object)
    """
    path = Path(path)
    if path.suffixes[-1:] not in ([".csv"], [".gz"]):
        raise FormatError("tables are read from .csv and .csv.gz files", path=str(path))
    try:
        raw = path.read_bytes()
        if path.suffix == ".gz":
            raw = gzip.decompress(raw)
        text = raw.decode("utf-8-sig")
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise FormatError("not a gzip file", path=str(path)) from None
    except UnicodeDecodeError as error:
        raise FormatError(
            f"not UTF-8 text (byte {error.start}); save it as UTF-8", path=str(path)
        ) from None
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from None
    try:
        return _columns(text)
    except FormatError as error:
        raise error.at(path=str(path)) from None


def _delimiter(text: str) -> str:
    """Return which of comma, semicolon and tab stands most often in the first line."""
    first = text.split("\n", 1)[0]
    return max(",;\t", key=first.count)


def _columns(text: str) -> dict[str, npt.NDArray[Any]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=_delimiter(text))
    header: list[str] = []
    rows: list[list[str]] = []
    try:
        for row in reader:
            if not row:
                continue
            if not header:
                header = row
                _check_header(header, reader.line_num)
            elif len(row) != len(header):
                raise FormatError(
                    f"{len(row)} cells, but the table has {len(header)} columns",
                    line=reader.line_num,
                )
            else:
                rows.append(row)
    except csv.Error as error:
        raise FormatError(f"not CSV: {error}", line=reader.line_num) from None
    if not header:
        raise FormatError("the table is empty; its first line names the columns")
    cells = list(zip(*rows, strict=True)) or [() for _ in header]
    return {name: _typed(column) for name, column in zip(header, cells, strict=True)}


def _check_header(header: list[str], line: int) -> None:
    for place, name in enumerate(header, 1):
        if not name:
            raise FormatError(f"column {place} has no name", line=line)
        if header.count(name) > 1:
            raise FormatError(f"two columns are called {name!r}", line=line)


def _typed(cells: tuple[str, ...]) -> npt.NDArray[Any]:
    """Return a column by what its cells are; "NA" and the like are missing, unless it is text."""
    known = tuple("" if cell.strip().lower() in _NOTHING else cell for cell in cells)
    if not any(known):
        return _typed_exactly(cells)
    column = _typed_exactly(known)
    if column.dtype == object and any(isinstance(value, str) for value in column):
        return _typed_exactly(cells)
    return column


def _typed_exactly(cells: tuple[str, ...]) -> npt.NDArray[Any]:
    present = [cell for cell in cells if cell]
    if not present:
        return np.full(len(cells), np.nan)
    column = np.empty(len(cells), dtype=object)
    try:
        if all(_is_integer(cell) for cell in present):
            # as objects none is rounded: too great ones are refused when they are encoded
            column[:] = [int(cell) if cell else None for cell in cells]
            return column
        # float() takes "nan", "inf" and underscores, which in a table of ours are text
        if not any((c.isalpha() and c not in "eE") or c == "_" for c in set("".join(present))):
            return np.array([cell or "nan" for cell in cells], dtype=np.float64)
    except ValueError:
        pass
    if {cell.lower() for cell in present} <= set(_BOOLEANS):
        column[:] = [_BOOLEANS.get(cell.lower()) for cell in cells]
        return column
    if all(_TEMPORAL.fullmatch(cell) for cell in set(present)):
        readers: tuple[Callable[[str], Any], ...] = (
            dt.date.fromisoformat,
            dt.datetime.fromisoformat,
            dt.time.fromisoformat,
        )
        for read in readers:
            try:
                column[:] = [read(cell) if cell else None for cell in cells]
            except ValueError:
                continue
            return column
    column[:] = [cell or None for cell in cells]
    return column


def _is_integer(cell: str) -> bool:
    return cell.isdecimal() or (cell[0] in "+-" and cell[1:].isdecimal())
