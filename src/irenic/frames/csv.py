"""Tables as CSV, with the types told by the cells.

A column is of numbers, dates, times, booleans or text, whichever all of its non-empty cells are;
an empty cell is missing, and so is ``NA``, ``null`` or ``?`` in a column that is not of text. Cells
are divided by commas, semicolons or tabs, whichever the first line has most of.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from irenic.errors import FormatError
from irenic.frames.columns import NOTHING, Table, check_header
from irenic.frames.files import as_text
from irenic.model.literals import is_missing, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_BOOLEANS: Final = {"true": True, "false": False}
# Narrower than what fromisoformat takes: "T10" and "2026-W05" in a table are text.
_TEMPORAL: Final = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?"
    r"|\d\d:\d\d(?::\d\d(?:\.\d+)?)?"
)


_THOUSANDS: Final = re.compile(r"-?[1-9]\d{0,2}\.\d{3}")
# Numbers that are text here: with a decimal comma, or with something between thousands.
_COMMA: Final = re.compile(r"[-+]?\d+(?:[.'’ \u00a0\u202f]\d{3})*,\d+")

_POINT: Final = re.compile(r"[-+]?\d+(?:\.\d+)+")
_MISSING: Final = NOTHING | {""}

_QUOTED: Final = re.compile(r'"[^"]*"')
_FIRST: Final = re.compile(r'(?:"[^"]*"|[^"\n])*')


def loads(raw: bytes) -> Table:
    """Return the columns of a table; ``cells`` keeps them as they were written.

    >>> loads(b"age,job\\n31,nurse\\n,clerk\\n")["age"]
    array([31, None], dtype=object)
    """
    return _columns(as_text(raw))


def dumps(table: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Return a table as CSV; cells that were read from CSV as they were.

    >>> dumps({"age": np.array([31, None], dtype=object), "job": np.array(["a, b", "c"])})
    b'age,job\\n31,"a, b"\\n,c\\n'
    """
    written = getattr(table, "cells", {})
    columns = [written.get(name) or [_cell(v) for v in table[name].tolist()] for name in table]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue().encode("utf-8")


def _cell(value: Any) -> str:
    value = plain(value)
    if is_missing(value):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)


def delimiter_of(text: str) -> str:
    """Return which of comma, semicolon and tab stands most often in the first line, unquoted."""
    first = _FIRST.match(text)
    unquoted = "" if first is None else _QUOTED.sub("", first.group())
    return max(",;\t", key=unquoted.count)


def _columns(text: str) -> Table:
    delimiter = delimiter_of(text)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
    header: list[str] = []
    rows: list[list[str]] = []
    try:
        for row in reader:
            if not row:
                continue
            if not header:
                header = row
                check_header(header, reader.line_num)
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
    written = dict(zip(header, cells, strict=True))
    if delimiter != ",":
        _check_points(written)
    return Table({name: _typed(column) for name, column in written.items()}, cells=written)


def _check_points(written: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse numbers with a decimal comma, and points that may divide thousands.

    Where commas divide cells, decimals have a point; elsewhere numbers may be written as in many
    countries of Europe, ``1.250,50``.
    """
    doubtful: list[tuple[str, str]] = []
    settled = False
    for name, cells in written.items():
        numbers = [c.strip() for c in dict.fromkeys(cells) if c.strip().lower() not in _MISSING]
        commas = [number for number in numbers if _COMMA.fullmatch(number)]
        pointed = [number for number in numbers if _POINT.fullmatch(number)]
        if commas and all(n in commas or n in pointed or _is_integer(n) for n in numbers):
            raise FormatError(
                f"column {name!r}: {commas[0]!r} has a decimal comma; write numbers with a decimal"
                " point and nothing between thousands"
            )
        settled = settled or not all(map(may_be_thousands, pointed))
        if pointed and all(n in pointed or _is_integer(n) for n in numbers):
            doubtful += [(name, n) for n in pointed if may_be_thousands(n)][:1]
    for name, number in [] if settled else doubtful:
        raise FormatError(f"column {name!r}: {thousands_or_not(number)}")


def may_be_thousands(number: str) -> bool:
    """Return whether the point of a number may divide thousands, as in ``1.000``."""
    return _THOUSANDS.fullmatch(number) is not None


def thousands_or_not(number: str) -> str:
    """Return what to say of a number that may be in thousands."""
    digits = number.lstrip("-")
    return (
        f"{digits!r} may be {digits.replace('.', '')} or {float(digits):g}: write"
        f" {digits.replace('.', '')} if the point divides thousands, {digits}0 if it begins the"
        " decimals"
    )


def _typed(cells: tuple[str, ...]) -> npt.NDArray[Any]:
    """Return a column by what its cells are."""
    # each cell that differs once: most columns repeat a few values many times
    places = {cell: place for place, cell in enumerate(dict.fromkeys(cells))}
    column = _typed_once(tuple(places))
    return column[np.array([places[cell] for cell in cells], dtype=np.intp)]


def _typed_once(cells: tuple[str, ...]) -> npt.NDArray[Any]:
    """Return cells as values; "NA" and the like are missing, unless the column is of text."""
    known = tuple("" if cell.strip().lower() in NOTHING else cell for cell in cells)
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
