"""The cells of spreadsheets, line by line: text in CSV files, typed cells in workbooks."""

from __future__ import annotations

import csv
import io
import posixpath
import re
import warnings
import zipfile
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from typing import Any, Final, NamedTuple

from irenic.errors import FormatError
from irenic.formats.tables.drafts import MOST_COLUMNS
from irenic.frames.csv import delimiter_of, lines_of
from irenic.frames.files import MOST_BYTES, too_large
from irenic.frames.xlsx import check_length, check_workbook, open_workbook, openpyxl_module
from irenic.model.patterns import lazy

_MOST_CELLS: Final = 5_000_000
_MOST_ROWS: Final = 1_048_576  # the limit of Excel
_MOST_MERGES: Final = 100_000
_MOST_MERGED: Final = 500_000
# Zero-width spaces and byte order marks, which are pasted along with text and invisible.
_UNSEEN: Final = dict.fromkeys(map(ord, "\u200b\u2060\ufeff"))


class SheetLine(NamedTuple):
    """A row of a sheet: its line number, and its cells; None is an empty cell."""

    number: int
    cells: list[Any]


class Unreadable(NamedTuple):
    """A cell whose value is not known, such as a formula."""

    text: str
    reason: str


class Percentage(float):
    """A number in a cell that shows a percent sign."""

    def __str__(self) -> str:
        text = format(Decimal(repr(float(self))).scaleb(2), "f")
        return f"{text.rstrip('0').rstrip('.') if '.' in text else text}%"


def seen(text: str) -> str:
    """Return a text without zero-width characters."""
    return text.translate(_UNSEEN)


# --- CSV


def csv_lines(raw: bytes) -> tuple[list[SheetLine], str]:
    """Return the nonempty lines of a CSV file, and its delimiter."""
    text, before = seen(_text(raw)), 0
    delimiter = csv_delimiter(text)
    if declared := _DELIMITER.match(text):
        text, before = text[declared.end() :], 1
    return list(_csv_lines(text, delimiter, before)), delimiter


def csv_delimiter(text: str) -> str:
    """Return the delimiter of a CSV file, which its first line may declare."""
    declared = _DELIMITER.match(text)
    return declared["sign"] if declared else delimiter_of(_below_titles(text))


def _below_titles(text: str) -> str:
    """Return a text from the first line that contains a delimiter on.

    Comments are titles, too, if the line below them has another delimiter instead.
    """
    found = re.search(r"[,;\t]", text)
    text = text if found is None else text[text.rfind("\n", 0, found.start()) + 1 :]
    table = re.sub(r"\A(?:#.*\n)++", "", text)
    header = table.partition("\n")[0]
    is_other = delimiter_of(text) not in header and re.search(r"[,;\t]", header) is not None
    return table if is_other else text


def _text(raw: bytes) -> str:
    if len(raw) > MOST_BYTES:
        raise too_large(f"{len(raw) / 2**20:.0f} MB")
    utf16 = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = raw.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        encoding = "UTF-16" if utf16 else "UTF-8"
        raise FormatError(
            f"not {encoding} text (byte {error.start}); save it as UTF-8", line=line
        ) from None
    if (at := text.find("\0")) >= 0:
        line = text.count("\n", 0, at) + 1
        raise FormatError(
            "a CSV file must be text, got a null character; save it as UTF-8", line=line
        )
    return text


# The line in which Excel declares the delimiter.
_DELIMITER: Final = lazy(r'"?sep=(?P<sign>[^\w\s"]|\t)"?[,;\t ]*(?:\r\n|\r|\n)', re.IGNORECASE)


def _csv_lines(text: str, delimiter: str, before: int) -> Iterator[SheetLine]:
    reader = csv.reader(lines_of(text, delimiter), strict=True, delimiter=delimiter)
    skipped, n_cells = before, 0
    try:
        for row in reader:
            number, before = before + 1, skipped + reader.line_num
            n_cells += len(row)
            if n_cells > _MOST_CELLS:
                raise FormatError(
                    f"a table must have at most {_MOST_CELLS:,} cells; split it", line=number
                )
            cells = [cell if cell.strip() else None for cell in row]
            if cells.count(None) < len(cells):
                yield SheetLine(number, cells)
    except csv.Error as error:
        raise FormatError(f"not CSV: {error}", line=skipped + reader.line_num) from None


# --- workbooks


def sheets(raw: bytes) -> list[tuple[str, list[SheetLine]]]:
    """Return the titles and lines of the visible sheets of a workbook that are not empty."""
    openpyxl_module()
    if len(raw) > MOST_BYTES:
        raise too_large(f"{len(raw) / 2**20:.0f} MB")
    try:
        check_workbook(raw)
        with zipfile.ZipFile(io.BytesIO(raw)) as parts, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about extensions, which are found in reading
            book = open_workbook(raw)
            tables = [
                (str(sheet.title), _sheet_lines(sheet, parts))
                for sheet in book.worksheets
                if sheet.sheet_state == "visible"
            ]
            book.close()
    except FormatError:
        raise
    except Exception:  # openpyxl raises any type of error for damaged files
        raise FormatError(
            "the file must be an .xlsx workbook, but it is damaged or in another format; save it"
            " again as .xlsx"
        ) from None
    return [(title, lines) for title, lines in tables if lines]


def _sheet_lines(sheet: Any, parts: zipfile.ZipFile) -> list[SheetLine]:
    sheet.reset_dimensions()  # other programs may store wrong ones
    lines: list[SheetLine] = []
    n_cells = 0
    for number, row in enumerate(sheet.iter_rows(), 1):
        if number > _MOST_ROWS:
            raise FormatError(f"sheet {sheet.title!r} must have at most {_MOST_ROWS:,} rows")
        cells = [_sheet_cell(cell, number, place) for place, cell in enumerate(row, 1)]
        while cells and cells[-1] is None:
            cells.pop()
        n_cells += len(cells)
        if n_cells > _MOST_CELLS:
            raise FormatError(
                f"sheet {sheet.title!r} must have at most {_MOST_CELLS:,} cells; split it"
            )
        if cells:
            lines.append(SheetLine(number, cells))
        if len(cells) > 2 * MOST_COLUMNS:
            break  # too wide for a table; the check of the header reports it
    with parts.open(sheet._worksheet_path) as part:
        _spread(lines, _merges(part, sheet.title), sheet.title)
    return lines


def _sheet_cell(cell: Any, row: int, column: int) -> Any:
    value, kind = cell.value, getattr(cell, "data_type", "")
    if isinstance(value, str):
        value = seen(value)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, str):
        check_length(value)
    if kind in ("f", "e"):
        from openpyxl.utils import get_column_letter

        place = f"{get_column_letter(column)}{row}"
        text = str(getattr(value, "text", None) or value)
        if kind == "e":
            return Unreadable(text, f"cell {place} is an error; replace it with a value")
        return Unreadable(
            text,
            f"cell {place} is a formula, and formulas are not evaluated; replace it with its result"
            " (for a condition, omit the = or format the cell as text)",
        )
    if type(value) in (int, float) and str(getattr(cell, "number_format", "")).endswith("%"):
        return Percentage(value)
    return value


# --- hidden rows and columns

_HIDDEN: Final = lazy(
    rb"""<(?:[\w.-]+:)?(row|col)\s((?:[^<>]*\s)?hidden=["'](?:1|true)["'][^<>]*)"""
)
_PLACE: Final = lazy(rb"""(?:^|\s)(r|min|max)=["'](\d{1,7})["']""")


def hidden_parts(raw: bytes) -> dict[str, tuple[list[int], list[int]]]:
    """Return the hidden rows (from 1) and columns (from 0) of a workbook's sheets, by title."""
    book = open_workbook(raw)
    hidden = {}
    with zipfile.ZipFile(io.BytesIO(raw)) as parts:
        for sheet in book.worksheets:
            rows: list[int] = []
            columns: list[int] = []
            for match in _HIDDEN.finditer(parts.read(sheet._worksheet_path)):
                places = {name: int(number) for name, number in _PLACE.findall(match[2])}
                if match[1] == b"row":
                    rows += [places[b"r"]] if b"r" in places else []
                else:
                    low, high = places.get(b"min", 1), places.get(b"max", 0)
                    columns += range(low - 1, min(high, low + MOST_COLUMNS))
            hidden[str(sheet.title)] = (rows, columns)
    book.close()
    return hidden


_STYLES: Final = "xl/styles.xml"


def struck_rows(raw: bytes) -> dict[str, list[int]]:
    """Return the rows with cells that are struck out, by title of the sheet."""
    with zipfile.ZipFile(io.BytesIO(raw)) as parts:
        if _STYLES not in parts.namelist() or b"strike" not in parts.read(_STYLES):
            return {}  # without opening the workbook once more
    book = open_workbook(raw)
    struck = {i for i, style in enumerate(book._cell_styles) if book._fonts[style.fontId].strike}
    rows = {}
    for sheet in book.worksheets if struck else ():
        sheet.reset_dimensions()
        rows[str(sheet.title)] = [
            number
            for number, row in enumerate(islice(sheet.iter_rows(), _MOST_ROWS), 1)
            if any(getattr(cell, "_style_id", 0) in struck and cell.value for cell in row)
        ]
    book.close()
    return rows


# --- comments on cells

_RELATED: Final = lazy(rb"<(?:[\w.-]+:)?Relationship\s([^<>]*)")
_OF_COMMENTS: Final = lazy(rb"""\sType=["'][^"']*/comments["']""")
_TARGET: Final = lazy(rb"""\sTarget=["']([^"']+)["']""")


def comments_in(raw: bytes) -> dict[str, list[tuple[int, str]]]:
    """Return the comments on cells of a workbook, by title of the sheet, with their rows."""
    book = open_workbook(raw)
    comments = {}
    with zipfile.ZipFile(io.BytesIO(raw)) as parts:
        names = set(parts.namelist())
        for sheet in book.worksheets:
            folder, _, name = sheet._worksheet_path.rpartition("/")
            related = f"{folder}/_rels/{name}.rels"
            found = _RELATED.findall(parts.read(related)) if related in names else ()
            for text in found:
                target = _TARGET.search(b" " + text)
                if target is None or _OF_COMMENTS.search(b" " + text) is None:
                    continue
                path = target[1].decode()
                path = path[1:] if path[0] == "/" else posixpath.normpath(f"{folder}/{path}")
                if path in names:
                    comments[str(sheet.title)] = _comments(parts.read(path))
    book.close()
    return comments


def _comments(raw: bytes) -> list[tuple[int, str]]:
    if b"<!DOCTYPE" in raw or b"<!ENTITY" in raw:
        raise FormatError("document types and entities are not allowed; save the file again")
    from xml.etree import ElementTree

    try:
        root = ElementTree.fromstring(raw)
    except (ElementTree.ParseError, LookupError, ValueError):  # or an encoding that it cannot read
        raise FormatError("the comments are damaged; save the file again") from None
    comments = []
    for element in root.iter():
        place = re.fullmatch(r"\$?[A-Z]{1,3}\$?(\d{1,7})", element.get("ref", ""))
        if element.tag.endswith("}comment") and place:
            pieces = (part.text or "" for part in element.iter() if part.tag.endswith("}t"))
            comments.append((int(place[1]), "".join(pieces)))
    return comments


# --- merged cells

# openpyxl reports merged cells only if it loads all cells into memory, and creates every cell of a
# range, however large.
_MERGE: Final = lazy(
    rb"""<(?:[\w.-]+:)?mergeCell\s[^<>]*?ref=["']\$?([A-Z]{1,3})\$?(\d{1,7})"""
    rb""":\$?([A-Z]{1,3})\$?(\d{1,7})["']"""
)
_CHUNK: Final = 2**20
_LONGEST: Final = 400


class _Merge(NamedTuple):
    top: int
    left: int
    bottom: int
    right: int


def _merges(part: Any, title: str) -> list[_Merge]:
    merges: list[_Merge] = []
    tail = b""
    while chunk := part.read(_CHUNK):
        text, end = tail + chunk, 0
        for match in _MERGE.finditer(text):
            left, top, right, bottom = match.groups()
            merges.append(_Merge(int(top), _place(left), int(bottom), _place(right)))
            end = match.end()
        if len(merges) > _MOST_MERGES:
            raise FormatError(f"sheet {title!r} must have at most {_MOST_MERGES:,} merged ranges")
        tail = text[max(end, len(text) - _LONGEST) :]
    return merges


def check_merges(raw: bytes) -> None:
    """Reject a workbook whose merged cells would fill the memory if each was made."""
    book = open_workbook(raw)
    with zipfile.ZipFile(io.BytesIO(raw)) as parts:
        for sheet in book.worksheets:
            with parts.open(sheet._worksheet_path) as part:
                merges = _merges(part, sheet.title)
            if sum((m.bottom - m.top + 1) * (m.right - m.left + 1) for m in merges) > _MOST_MERGED:
                raise FormatError(
                    f"sheet {sheet.title!r} must have at most {_MOST_MERGED:,} merged cells;"
                    " unmerge whole rows and columns"
                )
    book.close()


def _place(letters: bytes) -> int:
    place = 0
    for letter in letters:
        place = 26 * place + letter - ord("A") + 1
    return place


def _spread(lines: list[SheetLine], merges: list[_Merge], title: str) -> None:
    """Copy the value of each merged range below the header into all cells of the range.

    Rows without values of their own stay empty: they only make the row above them taller.
    """
    if not merges or not lines:
        return
    numbers = [line.number for line in lines]
    width = len(lines[0].cells)
    filled = 0
    for top, left, bottom, right in merges:
        at = bisect_left(numbers, top)
        if not 0 < at < len(lines) or numbers[at] != top or left > len(lines[at].cells):
            continue
        value = lines[at].cells[left - 1]
        columns = range(left - 1, min(right, width))
        filled += len(columns) * (bisect_right(numbers, bottom) - at)
        if filled > _MOST_CELLS:
            raise FormatError(
                f"sheet {title!r} must have at most {_MOST_CELLS:,} merged cells; split it"
            )
        for line in lines[at : bisect_right(numbers, bottom)]:
            line.cells.extend([None] * (columns.stop - len(line.cells)))
            for place in columns:
                if line.cells[place] is None:
                    line.cells[place] = value
