"""The cells of spreadsheets, line by line: text in CSV files, typed cells in workbooks."""

from __future__ import annotations

import csv
import datetime as dt
import html
import io
import math
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
from irenic.formats.feel.sets import literal_text
from irenic.formats.spans import elements
from irenic.formats.tables.drafts import MOST_COLUMNS
from irenic.frames.csv import delimiter_of, lines_of
from irenic.frames.files import MOST_BYTES, too_large
from irenic.frames.number_formats import shown, shown_date
from irenic.frames.xlsx import check_length, check_workbook, open_workbook, openpyxl_module
from irenic.model.characters import cleaned
from irenic.model.patterns import lazy

_MOST_CELLS: Final = 5_000_000
_MOST_ROWS: Final = 1_048_576  # the limit of Excel
_MOST_MERGES: Final = 100_000
_MOST_MERGED: Final = 500_000


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


# --- CSV


def csv_lines(raw: bytes) -> tuple[list[SheetLine], str]:
    """Return the nonempty lines of a CSV file, and its delimiter."""
    text, before = cleaned(_text(raw)), 0
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
            book = open_workbook(raw, rich_text=_may_be_struck(parts))
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


class ShownText(str):
    """The text that a cell shows for a number or date, because of its number format."""

    __slots__ = ("is_code", "value")
    value: Any
    is_code: bool
    """Whether it has leading zeros, or signs between its digits."""

    def __new__(cls, text: str, value: Any, *, is_code: bool = False) -> ShownText:
        """Return a text with the value below it."""
        self = super().__new__(cls, text)
        self.value, self.is_code = value, is_code
        return self

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ShownText) and str(self) == str(other) and self.value == other.value
        )

    def __hash__(self) -> int:
        return hash((str(self), self.value))

    def doubt(self, place: str = "the cell") -> str:
        """Return an error that names what is shown and what is stored."""
        value = self.value
        if isinstance(value, dt.date | dt.time):
            code = "h:mm:ss" if isinstance(value, dt.time) else "yyyy-mm-dd h:mm:ss"
            if isinstance(value, dt.datetime) and value.time() == dt.time():
                code, value = "yyyy-mm-dd", value.date()
        else:
            code = "General"
        text = literal_text(value, words=True)
        if self.endswith("%"):
            text = str(Percentage(value))
            code = f"0.{'0' * len(text.partition('.')[2].rstrip('%'))}%"
        return (
            f"{place} shows {repr(str(self)) if self else 'nothing'}, but its value is"
            f" {text}; choose the number format {code} if this is meant,"
            " or type what is meant into a cell of the format Text"
        )


def as_shown(value: Any, code: str, place: str = "the cell") -> Any:
    """Return a number or date of a workbook as its number format shows it.

    It is the value itself, a :class:`Percentage`, a :class:`ShownText`, or :class:`Unreadable` if
    what is shown could also mean something else.
    """
    if isinstance(value, dt.date | dt.time):
        found = shown_date(value, code)
        if found is None:
            return value
        text = ShownText(found.text, value)
        return text if found.is_plain else Unreadable(found.text, text.doubt(place))
    if code in _GENERAL or not math.isfinite(value):
        return value
    found = shown(value, code)
    text = ShownText(found.text, value, is_code=found.is_code)
    if found.number is None:
        has_words = any(map(str.isalnum, found.text))
        return text if has_words else Unreadable(found.text, text.doubt(place))
    if f"{float(found.number):.15g}" != f"{value:.15g}":
        return Unreadable(found.text, text.doubt(place))
    if found.is_code or not found.is_plain:
        return text
    number = value if float(found.number) == value else float(found.number)
    return Percentage(number) if "%" in found.text else number


_GENERAL: Final = ("General", "@", "")


def _sheet_lines(sheet: Any, parts: zipfile.ZipFile) -> list[SheetLine]:
    sheet.reset_dimensions()  # other programs may store wrong ones
    lines: list[SheetLine] = []
    n_cells = 0
    raw = parts.read(sheet._worksheet_path)
    inline = _inline_struck(raw) if b"strike" in raw else {}
    del raw
    for number, row in enumerate(sheet.iter_rows(), 1):
        if number > _MOST_ROWS:
            raise FormatError(f"sheet {sheet.title!r} must have at most {_MOST_ROWS:,} rows")
        cells = [
            inline.get((number, place)) or _sheet_cell(cell, number, place)
            for place, cell in enumerate(row, 1)
        ]
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
    if isinstance(value, list):  # of texts in several fonts
        value = _without_struck(value, f"cell {letters_of(column)}{row}")
    if isinstance(value, str):
        value = cleaned(value)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, str):
        check_length(value)
    if kind in ("f", "e"):
        place = f"{letters_of(column)}{row}"
        text = str(getattr(value, "text", None) or value)
        if kind == "e":
            return Unreadable(text, f"cell {place} is an error; replace it with a value")
        return Unreadable(
            text,
            f"cell {place} is a formula, and formulas are not evaluated; replace it with its result"
            " (for a condition, omit the = or format the cell as text)",
        )
    if type(value) in (int, float) or isinstance(value, dt.date | dt.time):
        code = str(getattr(cell, "number_format", "General"))
        if code != "General":
            return as_shown(value, code, f"cell {letters_of(column)}{row}")
    return value


_TEXTS: Final = "xl/sharedStrings.xml"


def _may_be_struck(parts: zipfile.ZipFile) -> bool:
    """Return whether a part of a cell may be struck out."""
    return _TEXTS in parts.namelist() and b"strike" in parts.read(_TEXTS)


def _without_struck(runs: list[Any], place: str) -> str | Unreadable:
    """Return the text of a cell; it is unclear whether parts that are struck out belong to it."""
    fonts = [getattr(run, "font", None) for run in runs]
    return _kept(
        [(str(run), bool(getattr(f, "strike", 0))) for run, f in zip(runs, fonts, strict=True)],
        place,
    )


def _inline_struck(raw: bytes) -> dict[tuple[int, int], Unreadable]:
    """Return the cells with parts that are struck out whose text is in the sheet itself."""
    cells = elements(raw, lambda tag, more: tag == "c" and more.get("t") == "inlineStr")
    found = {}
    for cell in cells:
        place = re.fullmatch(r"([A-Z]{1,3})(\d{1,7})", cell.attributes.get("r", ""))
        runs = [
            (
                html.unescape("".join(raw[t.opened : t.closing].decode() for t in run.all("t"))),
                any(
                    s.attributes.get("val") != "0" for r in run.all("rPr") for s in r.all("strike")
                ),
            )
            for text in cell.all("is")
            for run in text.all("r")
        ]
        value = _kept(runs, f"cell {cell.attributes.get('r')}")
        if place and isinstance(value, Unreadable):
            found[int(place[2]), _place(place[1].encode())] = value
    return found


def _kept(runs: list[tuple[str, bool]], place: str) -> str | Unreadable:
    """Return a text of which no part is struck out, else why it is unclear."""
    text = "".join(run for run, _ in runs)
    kept = "".join(run for run, is_struck in runs if not is_struck)
    if kept == text:
        return text
    without = repr(kept.strip()) if kept.strip() else "nothing"
    return Unreadable(
        text,
        f"{place} is {without} without the part that is struck out, and {text!r} with it;"
        " delete that part, or remove the strikethrough",
    )


def letters_of(column: int) -> str:
    """Return the letters of a column, counted from 1."""
    from openpyxl.utils import get_column_letter

    return str(get_column_letter(column))


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
