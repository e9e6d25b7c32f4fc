"""Tables in CSV files, with types inferred from the cells.

A column contains numbers, dates, times, booleans or text, whichever fits all of its non-empty
cells. Numbers are text if one of them is rather a code, such as 007 or +49301. An empty cell is a
missing value; so are ``NA``, ``null`` and ``?`` unless the column is text. Cells are separated by
commas, semicolons or tabs, whichever is most frequent in the first line.
"""

from __future__ import annotations

import codecs
import csv
import datetime as dt
import io
import json
import re
import warnings
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt

from irenic.errors import FormatError, FormatWarning
from irenic.frames.columns import NOTHING, CsvLayout, Table, as_column, as_values, check_header
from irenic.frames.files import as_text
from irenic.model.literals import counted, is_missing, plain, quote
from irenic.model.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

_BOOLEANS: Final = {"true": True, "false": False}
# Stricter than fromisoformat: "T10" and "2026-W05" in a table are text.
_TEMPORAL: Final = lazy(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?"
    r"|\d\d:\d\d(?::\d\d(?:\.\d+)?)?"
)


_THOUSANDS: Final = lazy(r"-?[1-9]\d{0,2}\.\d{3}")
# Numbers with a decimal comma, with or without thousands separators.
_COMMA: Final = lazy(r"[-+]?\d+(?:[.'’ \u00a0\u202f]\d{3})*,\d+")

_POINT: Final = lazy(r"[-+]?\d+(?:\.\d+)+")
# As numbers, 007 and 7 would be equal.
_LEADING_ZERO: Final = lazy(r"\s*[-+]?0\d")
_MISSING: Final = NOTHING | {""}

_QUOTED: Final = lazy(r'"[^"]*"')
_FIRST: Final = lazy(r'(?:"[^"]*"|[^"\n]++)*+')  # possessive: no memory for other matches
_MOST_COLUMNS: Final = 100_000


def loads(raw: bytes, *, as_written: bool = False) -> Table:
    """Return the columns of a table; its ``cells`` keep the original texts.

    ``as_written`` leaves columns as text whose numbers have decimal commas or points that may
    separate thousands; otherwise, they are errors.
    """
    table = _columns(as_text(raw), as_written)
    if raw.startswith(codecs.BOM_UTF8):
        table.layout = table.layout._replace(mark="\ufeff")
    return table


def dumps(table: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Return a table as CSV; cells that were read from CSV are written back unchanged.

    The layout is that of the file that it was read from. Texts that spreadsheets would run are
    quoted, and :func:`loads` reads them as they were.
    """
    written, layout = getattr(table, "cells", {}), getattr(table, "layout", CsvLayout())
    columns = [
        written.get(name) or [_cell(v, layout.decimal) for v in table[name].tolist()]
        for name in table
    ]
    columns = [_guarded(name, column) for name, column in zip(table, columns, strict=True)]
    header = [text for name in table for text in _guarded(name, [name])]
    # without quotes, these would be read as delimiters and ends of lines
    is_ambiguous = any(sign in name for name in table for sign in {*",;\t\r"} - {layout.delimiter})
    head = _lines([header], layout, csv.QUOTE_ALL if is_ambiguous else csv.QUOTE_MINIMAL)
    body = _lines(zip(*columns, strict=True), layout, csv.QUOTE_MINIMAL)
    if "\r" in body and layout.newline != "\r\n":
        body = _lines(zip(*columns, strict=True), layout, csv.QUOTE_ALL)
    return (layout.mark + head + body).encode("utf-8")


def _lines(rows: Iterable[Sequence[str]], layout: CsvLayout, quoting: Literal[0, 1]) -> str:
    text = io.StringIO(newline="")
    csv.writer(
        text, delimiter=layout.delimiter, lineterminator=layout.newline, quoting=quoting
    ).writerows(rows)
    return text.getvalue()


_NUMBER: Final = lazy(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|-?inf", re.IGNORECASE)


def is_formula(text: str) -> bool:
    """Return whether spreadsheets take a cell of a CSV file for a formula."""
    visible = text.lstrip()
    return visible.startswith(("=", "+", "-", "@")) and _NUMBER.fullmatch(visible) is None


_NAMED: Final = lazy(r"[^\W\d_]|[(|!]")


def _may_run(text: str) -> bool:
    """Return whether a formula may name something: ``+49 301-5`` and ``-`` cannot."""
    is_sum = text.lstrip().startswith(("+", "-"))
    return is_formula(text) and (not is_sum or _NAMED.search(text) is not None)


def _guarded(name: str, cells: Sequence[str]) -> Sequence[str]:
    """Return cells with texts that spreadsheets would run in quotes, as the notation has them."""
    formulas = {
        cell: quote(cell)
        for cell in set(cells)
        if cell.lstrip()[:1] in _SIGNS and (_may_run(cell) or _unguarded(cell) != cell)
    }
    if not formulas:
        return cells
    first = next(cell for cell in cells if cell in formulas)
    warnings.warn(
        f"column {name!r}: a spreadsheet takes {first[:40]!r} for a formula, so it is written in"
        " quotes; .xlsx keeps it as text",
        FormatWarning,
        stacklevel=3,
    )
    return [formulas.get(cell, cell) for cell in cells]


_SIGNS: Final = frozenset('=+-@"')


def _unguarded(text: str) -> str:
    """Return the text of a cell that :func:`_guarded` has quoted, any other text unchanged."""
    if not (text.startswith('"') and text.endswith('"')):
        return text
    try:
        inner = json.loads(text)
    except ValueError:
        return text
    is_quoted = isinstance(inner, str) and quote(inner) == text
    return inner if is_quoted and (_may_run(inner) or _unguarded(inner) != inner) else text


def _as_read(cells: tuple[str, ...]) -> tuple[str, ...]:
    """Return the cells of a column without the quotes of formulas."""
    if '"' not in "".join(cells):  # much faster than a look at each cell
        return cells
    return tuple(_unguarded(cell) for cell in cells)


def _cell(value: Any, decimal: str) -> str:
    value = plain(value)
    if is_missing(value):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value).replace(".", decimal)
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)


def delimiter_of(text: str) -> str:
    """Return the most frequent unquoted delimiter of the first line: comma, semicolon or tab."""
    first = _FIRST.match(text, 0, 2**20)  # longer lines are no tables
    unquoted = "" if first is None else _QUOTED.sub("", first.group())
    return max(",;\t", key=unquoted.count)


def lines_of(text: str, delimiter: str) -> Iterator[str]:
    """Yield the lines of a text; reject one of so many cells that they would fill the memory."""
    return _checked(io.StringIO(text, newline=""), delimiter)


def _checked(lines: Iterable[str], delimiter: str) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if line.count(delimiter) >= _MOST_COLUMNS:
            raise FormatError(
                f"a row must have at most {_MOST_COLUMNS:,} cells, got"
                f" {line.count(delimiter) + 1:,}",
                line=number,
            )
        yield line


def _rows(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """Yield the header and the rows of a table, each with one cell per column."""
    reader = csv.reader(_checked(lines, delimiter), strict=True, delimiter=delimiter)
    header: list[str] = []
    try:
        for row in reader:
            if not row:
                continue
            if not header:
                header = row = list(_as_read(tuple(row)))
                check_header(header, reader.line_num)
            elif len(row) != len(header):
                raise FormatError(
                    f"a row must have {counted(len(header), 'cell')}, got {len(row)}",
                    line=reader.line_num,
                )
            yield row
    except csv.Error as error:
        raise FormatError(f"not CSV: {error}", line=reader.line_num) from None
    if not header:
        raise FormatError("the table is empty; its first line must name the columns")


def read_blocks(path: Path, n_rows: int) -> Iterator[dict[str, tuple[str, ...]]]:
    """Yield the cells of a file separated by commas, so many rows at a time; at least once."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = _rows(file, ",")
            header = next(rows)
            block = list(islice(rows, n_rows))
            while True:
                cells = list(map(_as_read, zip(*block, strict=True))) or [() for _ in header]
                yield dict(zip(header, cells, strict=True))
                block = list(islice(rows, n_rows))
                if not block:
                    return
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8 text (byte {error.start}); save it as UTF-8") from None


class Aware(dt.datetime):
    """A datetime with a time zone."""


def kind_of(cells: Iterable[str]) -> type | None:
    """Return the type that fits all cells; None if all of them are missing."""
    distinct = tuple(dict.fromkeys(cells))
    if all(cell.strip().lower() in _MISSING for cell in distinct):
        return None
    column = _typed_once(distinct)
    if column.dtype != object:
        return float
    value = next(value for value in column.tolist() if value is not None)
    return Aware if isinstance(value, dt.datetime) and value.tzinfo is not None else type(value)


def common_kind(kinds: Iterable[type | None]) -> type | None:
    """Return the type that fits the cells of all parts of a column, given that of each part."""
    present = set(kinds) - {None}
    if len(present) <= 1:
        return next(iter(present), None)
    for both in ({int, float}, {dt.date, dt.datetime}):
        if present == both:
            return float if float in both else dt.datetime
    return str


def values_of(cells: Sequence[str], kind: type | None) -> list[Any]:
    """Return cells as values of a type that fits them, None where they are missing."""
    read: Callable[[str], Any] = str
    if kind is bool:
        read = lambda cell: _BOOLEANS[cell.lower()]  # noqa: E731
    elif kind is not None and issubclass(kind, dt.date | dt.time):
        read = kind.fromisoformat
    elif kind in (int, float):
        read = kind
    is_text = kind is str
    # convert each distinct cell once
    known = {
        cell: read(cell) if cell and (is_text or cell.strip().lower() not in NOTHING) else None
        for cell in dict.fromkeys(cells)
    }
    return [known[cell] for cell in cells]


def _columns(text: str, as_written: bool) -> Table:
    delimiter = delimiter_of(text)
    header, *rows = _rows(io.StringIO(text, newline=""), delimiter)
    cells = list(map(_as_read, zip(*rows, strict=True))) or [() for _ in header]
    written = dict(zip(header, cells, strict=True))
    if delimiter != "," and not as_written:
        _check_points(written)
    columns = {name: _typed(column) for name, column in written.items()}
    codes = {}
    for name, texts in written.items():
        if _is_numeric(columns[name]) and (code := _code_in(texts)):
            codes[name] = code
            values = zip(as_values(columns[name]), texts, strict=True)
            columns[name] = as_column([None if v is None else text.strip() for v, text in values])
    for name, texts in written.items() if delimiter != "," and as_written else ():
        if any(may_be_thousands(text.strip()) for text in texts):
            columns[name] = as_column([text or None for text in texts])
    return Table(columns, cells=written, codes=codes, layout=_layout_of(text, written, delimiter))


def _layout_of(text: str, written: Mapping[str, tuple[str, ...]], delimiter: str) -> CsvLayout:
    """Return how a file is laid out, which separates its cells by a delimiter."""
    marked = map(_marked, written.values() if delimiter != "," else ())
    has_commas = any(commas and only_numbers for commas, _, only_numbers in marked)
    first = text.partition("\n")[0]
    newline = "\r\n" if first.endswith("\r") else "\n"
    return CsvLayout(delimiter, "," if has_commas else ".", newline)


def _marked(cells: Iterable[str]) -> tuple[list[str], list[str], bool]:
    """Return the numbers with a decimal comma, those with points, and whether all are numbers."""
    distinct = (cell.strip() for cell in dict.fromkeys(cells))
    numbers = [cell for cell in distinct if cell.lower() not in _MISSING]
    commas = [number for number in numbers if _COMMA.fullmatch(number)]
    pointed = [number for number in numbers if _POINT.fullmatch(number)]
    n_marked = len(commas) + len(pointed)  # no number is both
    return commas, pointed, n_marked + sum(map(_is_integer, numbers)) == len(numbers)


def _code_in(texts: Sequence[str]) -> str:
    """Return the first number that is rather a code, such as 007 or +49301; "" if there is none."""
    zero = next(filter(_LEADING_ZERO.match, texts), "")
    plus = next((text for text in texts if text.lstrip().startswith("+")), "")
    if plus and any(text.lstrip().startswith("-") and len(text) > 1 for text in texts):
        plus = ""  # signs of numbers
    return (zero or plus).strip()


def _is_numeric(column: npt.NDArray[Any]) -> bool:
    first = next((value for value in column if value is not None), None)
    return isinstance(first, float | int) and not isinstance(first, bool)


def _check_points(written: Mapping[str, tuple[str, ...]]) -> None:
    """Raise an error for decimal commas, and for points that may be thousands separators.

    If cells are separated by commas, decimals have a point; otherwise, numbers may be written as
    in much of Europe: ``1.250,50``.
    """
    ambiguous: list[tuple[str, str]] = []
    has_decimal_point = False
    for name, cells in written.items():
        commas, pointed, only_numbers = _marked(cells)
        if commas and only_numbers:
            raise FormatError(
                f"column {name!r}: {commas[0]!r} has a decimal comma; use a decimal point and no"
                " thousands separators"
            )
        has_decimal_point |= not all(map(may_be_thousands, pointed))
        if only_numbers:
            ambiguous += [(name, n) for n in pointed if may_be_thousands(n)][:1]
    for name, number in [] if has_decimal_point else ambiguous:
        raise FormatError(f"column {name!r}: {thousands_or_not(number)}")


def may_be_thousands(number: str) -> bool:
    """Return whether the point in a number may separate thousands, as in ``1.000``."""
    return _THOUSANDS.fullmatch(number) is not None


def thousands_or_not(number: str) -> str:
    """Return the error message for a number whose point may separate thousands."""
    digits = number.lstrip("-")
    return (
        f"{digits!r} is ambiguous; write {digits.replace('.', '')} if the point separates"
        f" thousands, or {digits}0 if it is a decimal point"
    )


def _typed(cells: tuple[str, ...]) -> npt.NDArray[Any]:
    """Return cells as a column of the type that fits all of them."""
    # convert each distinct cell once: most columns repeat a few values many times
    codes = {cell: code for code, cell in enumerate(dict.fromkeys(cells))}
    column = _typed_once(tuple(codes))
    return column[np.array([codes[cell] for cell in cells], dtype=np.intp)]


def _typed_once(cells: tuple[str, ...]) -> npt.NDArray[Any]:
    """Return distinct cells as values; "NA" and the like are missing unless they are text."""
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
            # objects are not rounded; integers beyond 2**53 are rejected on encoding
            column[:] = [int(cell) if cell else None for cell in cells]
            return column
        # float() accepts "nan", "inf" and underscores, which are text in a table
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
