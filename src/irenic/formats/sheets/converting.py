"""Other formats of spreadsheets as CSV files and .xlsx workbooks, with every cell in its place.

Rows keep their numbers, so that messages name the lines of the original.
"""

from __future__ import annotations

import csv
import datetime as dt
import html
import io
import re
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from irenic.errors import FormatError
from irenic.formats.tables.drafts import MOST_COLUMNS
from irenic.frames.csv import lines_of
from irenic.frames.unpacking import check_archive
from irenic.frames.xlsx import openpyxl_module
from irenic.model.literals import parse_duration
from irenic.model.notation import lines_in
from irenic.model.patterns import lazy

if TYPE_CHECKING:
    from xml.etree import ElementTree

_MOST_CELLS: Final = 5_000_000
_MOST_REPEATED: Final = 100_000  # cells that are stored once and count for several
_MOST_LINES: Final = 10_000_000  # of Markdown, counted for each table below them


def _as_csv(lines: list[list[str]]) -> bytes:
    """Return lines of cells as CSV; semicolons do not settle what the commas in cells mean."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=";", quoting=csv.QUOTE_ALL, lineterminator="\n")
    for cells in lines:
        if cells:
            writer.writerow(cells)
        else:
            file.write(";\n")  # so that the first line has the delimiter
    return file.getvalue().encode("utf-8")


# --- tabs


def tsv_as_csv(raw: bytes) -> bytes:
    """Return a file of cells separated by tabs as CSV."""
    utf16 = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = raw.decode("utf-16" if utf16 else "utf-8-sig")
    reader = csv.reader(lines_of(text, "\t"), delimiter="\t", strict=True)
    try:
        lines = [cells if any(cells) else [] for cells in reader]
    except csv.Error as error:
        raise FormatError(f"not TSV: {error}", line=reader.line_num) from None
    return _as_csv(lines)


# --- Markdown

_RULER: Final = lazy(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_HEADING: Final = lazy(r" {0,3}#{1,6}\s+(.*?)\s*#*\s*")
_FENCE: Final = lazy(r" {0,3}(```|~~~)")
_PIPE: Final = lazy(r"(?<!\\)\|")
_MARKUP: Final = lazy(r"(`+|\*\*|__)(.*)\1", re.DOTALL)


def markdown_as_csv(text: str) -> list[tuple[str, bytes]]:
    """Return the tables of a Markdown text as CSV, each with the heading above it."""
    lines = lines_in(text)
    tables: list[tuple[str, bytes]] = []
    heading, fence, at, n_lines = "", "", 0, 0
    while at < len(lines):
        line = lines[at]
        if match := _FENCE.match(line):
            fence = "" if fence == match.group(1) else fence or match.group(1)
        elif not fence and (match := _HEADING.fullmatch(line)):
            heading = _inline(match.group(1))
        elif not fence and _begins_table(lines, at):
            end = at + 2
            while end < len(lines) and lines[end].strip() and _PIPE.search(lines[end]):
                end += 1
            n_lines += end
            if n_lines > _MOST_LINES:
                raise FormatError("the text has too many tables; split it", line=at + 1)
            body = [_row(line) for line in lines[at + 2 : end]]
            tables.append((heading, _as_csv([[]] * at + [_row(line), []] + body)))
            at = end
            continue
        at += 1
    return tables


def _begins_table(lines: list[str], at: int) -> bool:
    if at + 1 == len(lines) or not _PIPE.search(lines[at]):
        return False
    ruler = lines[at + 1]
    if max(lines[at].count("|"), ruler.count("|")) > 2 * MOST_COLUMNS:
        return False
    return bool(_RULER.fullmatch(ruler)) and len(_row(ruler)) == len(_row(lines[at]))


def _row(line: str) -> list[str]:
    text = line.strip().removeprefix("|")
    if text.endswith("|") and not text.endswith("\\|"):
        text = text[:-1]
    return [_inline(cell) for cell in _PIPE.split(text)]


def _inline(cell: str) -> str:
    """Return the text of a cell without the marks of code and bold."""
    text = cell.strip()
    is_code = False
    while match := _MARKUP.fullmatch(text):
        is_code = is_code or match.group(1).startswith("`")
        text = match.group(2).strip()
    text = text.replace("\\|", "|")
    if is_code:
        return text
    text = re.sub(r"<br\s*/?>", " ", text)
    return html.unescape(re.sub(r"\\([\\`*_{}\[\]()#+.!<>~-])", r"\1", text))


# --- OpenDocument

_OFFICE: Final = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TABLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT: Final = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_STYLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_VALUE_TYPE: Final = "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"
_DAMAGED: Final = (
    "the file must be an .ods spreadsheet, but it is damaged or in another format; save it again"
    " as .ods or .xlsx"
)


class Converted(NamedTuple):
    """A workbook, and how many formulas were replaced by the values that they had last."""

    raw: bytes
    formulas: int


def ods_as_xlsx(raw: bytes) -> Converted:
    """Return an OpenDocument spreadsheet as an .xlsx workbook with the same cells."""
    root = _content(raw)
    hidden = {
        style.get(f"{_STYLE}name")
        for style in root.iter(f"{_STYLE}style")
        for part in style.iter(f"{_STYLE}table-properties")
        if part.get(f"{_TABLE}display") == "false"
    }
    book = openpyxl_module().Workbook()
    book.remove(book.active)
    formulas = 0
    for table in root.iter(f"{_TABLE}table"):
        sheet = book.create_sheet(str(table.get(f"{_TABLE}name", ""))[:31] or None)
        if table.get(f"{_TABLE}style-name") in hidden:
            sheet.sheet_state = "hidden"
        formulas += _fill(sheet, table)
    if not book.worksheets:
        raise FormatError("the spreadsheet contains no sheet")
    if all(sheet.sheet_state == "hidden" for sheet in book.worksheets):
        book.create_sheet()
    file = io.BytesIO()
    book.save(file)
    return Converted(file.getvalue(), formulas)


def _content(raw: bytes) -> ElementTree.Element:
    try:
        check_archive(raw, "a spreadsheet")
        with zipfile.ZipFile(io.BytesIO(raw)) as parts:
            content = parts.read("content.xml")
    except FormatError:
        raise
    except Exception:  # zipfile raises many types of error for damaged files
        raise FormatError(_DAMAGED) from None
    from xml.etree import ElementTree

    try:
        return ElementTree.fromstring(content)
    except (ElementTree.ParseError, LookupError, ValueError):  # or an encoding that it cannot read
        raise FormatError(_DAMAGED) from None


def _fill(sheet: Any, table: ElementTree.Element) -> int:
    """Fill a sheet with the cells of a table; return the number of formulas."""
    row_number, n_cells, n_stored, formulas = 0, 0, 0, 0
    _hide_columns(sheet, table)
    for row in _rows(table):
        repeated = _count(row, "number-rows-repeated")
        cells = list(_cells(row))
        n_stored += len(row)
        for number in range(row_number + 1, row_number + repeated + 1) if cells else ():
            n_cells += len(cells)
            if n_cells > min(_MOST_CELLS, n_stored + _MOST_REPEATED):
                raise FormatError(
                    f"sheet {sheet.title!r} must have at most {_MOST_CELLS:,} cells, and"
                    f" {_MOST_REPEATED:,} that repeat others; split it"
                )
            sheet.row_dimensions[number].hidden = _is_hidden(row)
            for place, cell in cells:
                formulas += _write(sheet, number, place, cell)
        row_number += repeated
    return formulas


def _hide_columns(sheet: Any, table: ElementTree.Element) -> None:
    from openpyxl.utils import get_column_letter

    place = 1
    for column in table.iter(f"{_TABLE}table-column"):
        repeated = _count(column, "number-columns-repeated")
        for number in (
            range(place, min(place + repeated, MOST_COLUMNS)) if _is_hidden(column) else ()
        ):
            sheet.column_dimensions[get_column_letter(number)].hidden = True
        place += repeated


def _is_hidden(element: ElementTree.Element) -> bool:
    return element.get(f"{_TABLE}visibility") in ("collapse", "filter")


def _rows(element: ElementTree.Element) -> Iterator[ElementTree.Element]:
    """Yield the rows of a table, including those of headers and groups."""
    for child in element:
        if child.tag == f"{_TABLE}table-row":
            yield child
        elif child.tag in (
            f"{_TABLE}table-rows",
            f"{_TABLE}table-header-rows",
            f"{_TABLE}table-row-group",
        ):
            yield from _rows(child)


def _cells(row: ElementTree.Element) -> Iterator[tuple[int, ElementTree.Element]]:
    """Yield the nonempty cells of a row with their columns, counted from 1."""
    place = 1
    for cell in row:
        if cell.tag not in (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
            continue
        repeated = _count(cell, "number-columns-repeated")
        if cell.tag == f"{_TABLE}table-cell" and _value(cell) is not None:
            yield from ((p, cell) for p in range(place, place + min(repeated, 20_000)))
        place += repeated


def _count(element: ElementTree.Element, name: str) -> int:
    text = element.get(f"{_TABLE}{name}", "1")
    return max(int(text), 1) if text.isdecimal() and len(text) < 8 else 1


def _write(sheet: Any, row: int, column: int, source: ElementTree.Element) -> int:
    from openpyxl.utils import get_column_letter

    cell = sheet.cell(row, column)
    value = _value(source)
    if source.get(f"{{{_VALUE_TYPE}}}value-type") == "error":
        cell.value, cell.data_type = str(value), "e"
    else:
        cell.value = value
        if isinstance(value, str):
            cell.data_type = "s"  # text, even if it looks like a formula
        shown = _shown_text(source)
        if not isinstance(value, str | bool) and (code := _code_of(value, shown)):
            cell.number_format = code
            cell.value = shown if code == _PART_OF_DATE else value
        elif source.get(f"{_OFFICE}value-type") == "percentage":
            cell.number_format = _PERCENT_CODE
    if (note := source.find(f"{_OFFICE}annotation")) is not None:
        text = "\n".join(_paragraph(p) for p in note.iter(f"{_TEXT}p"))
        cell.comment = openpyxl_module().comments.Comment(text, "")
    down, right = _count(source, "number-rows-spanned"), _count(source, "number-columns-spanned")
    if down > 1 or right > 1:
        # not merge_cells, which makes every cell of a range, however large
        last_row, last_column = row + down - 1, column + right - 1
        sheet.merged_cells.add(
            f"{cell.coordinate}:{get_column_letter(min(last_column, 16_384))}"
            f"{min(last_row, 1_048_576)}"
        )
    return int(source.get(f"{_TABLE}formula") is not None)


_NUMBER: Final = lazy(r"\d(?:[\d.,'’ \u00a0\u202f]*\d)?")
_PERCENT_CODE: Final = "0.##############%"
_PART_OF_DATE: Final = "mmm yyyy"  # the text itself is kept instead of the date


def _code_of(value: Any, text: str) -> str:
    """Return a number format of Excel in which a cell shows the same text; "" for the usual one."""
    text = text.strip()
    if isinstance(value, dt.date):
        return _code_of_date(value, text)
    if not isinstance(value, int | float) or not text:
        return _PERCENT_CODE if "%" in text else ""
    match = _NUMBER.search(text)
    amount = abs(value) * 100 if "%" in text else abs(value)
    if match is None or not any(
        f"{float(number):.15g}" == f"{amount:.15g}" for number in _numbers(match[0])
    ):
        return _quoted_code(text)
    before, after = text[: match.start()].strip(), text[match.end() :].replace("%", "", 1)
    if value < 0 and before[-1:] not in ("-", "−", "("):
        return _quoted_code(text)
    if value < 0:
        before, after = before[:-1], after.removeprefix(")")
    elif before:
        before = text[: match.start()]
    number = _PERCENT_CODE if "%" in text else "General"
    if re.fullmatch(r"0\d+", match[0]):
        number = "0" * len(match[0])
    return f"{_quoted_code(before)}{number}{_quoted_code(after)}"


def _numbers(digits: str) -> Iterator[str]:
    """Yield what a number may mean, with a decimal point or a decimal comma."""
    for decimal in ".,":
        plain = re.sub(rf"[^\d{decimal}]", "", digits)
        if plain.count(decimal) <= 1:
            yield plain.replace(",", ".")


def _quoted_code(text: str) -> str:
    escaped = text.replace('"', '"\\""')
    return f'"{escaped}"' if text else ""


def _code_of_date(value: dt.date, text: str) -> str:
    """Return a number format that shows as much of a date as a text; "" if it shows all of it."""
    numbers = [int(number) for number in re.findall(r"\d{1,4}", text)]
    years = {value.year, value.year % 100}
    if not text or (len(numbers) > 1 and value.day in numbers and not years.isdisjoint(numbers)):
        return ""
    return _PART_OF_DATE if years.issuperset(numbers) else "d-mmm"


def _shown_text(cell: ElementTree.Element) -> str:
    return "\n".join(_paragraph(p) for p in cell.findall(f"{_TEXT}p"))


def _value(cell: ElementTree.Element) -> Any:
    """Return the value of a cell, None if it is empty."""
    kind = cell.get(f"{_OFFICE}value-type", "")
    text = _shown_text(cell)
    try:
        if kind in ("float", "percentage", "currency"):
            number = float(cell.get(f"{_OFFICE}value", ""))
            return int(number) if number.is_integer() and abs(number) <= 2**53 else number
        if kind == "boolean":
            return cell.get(f"{_OFFICE}boolean-value") == "true"
        if kind == "date":
            return dt.datetime.fromisoformat(cell.get(f"{_OFFICE}date-value", ""))
        if kind == "time":
            duration = parse_duration(cell.get(f"{_OFFICE}time-value", ""))
            if isinstance(duration, dt.timedelta) and dt.timedelta(0) <= duration < _DAY:
                return (dt.datetime.min + duration).time()
            return duration
    except (ValueError, OverflowError):
        return text or None
    text = cell.get(f"{_OFFICE}string-value", text)
    return text if text.strip() else None


_DAY: Final = dt.timedelta(days=1)


def _paragraph(element: ElementTree.Element) -> str:
    """Return the text of a paragraph; several blanks are an element of their own."""
    pieces = [element.text or ""]
    for child in element:
        if child.tag == f"{_TEXT}s":
            pieces.append(" " * min(int(child.get(f"{_TEXT}c", "1")), 1_000))
        elif child.tag == f"{_TEXT}line-break":
            pieces.append("\n")
        elif child.tag != f"{_OFFICE}annotation":
            pieces.append(_paragraph(child))
        pieces.append(child.tail or "")
    return "".join(pieces)


# --- formulas of workbooks

# A formula that is followed by the value that it had when the workbook was saved.
_FORMULA: Final = lazy(
    rb"<((?:[\w.-]+:)?)f(?:\s[^<>]*)?(?:/>|>[^<]*</\1f\s*>)\s*(?=<\1v(?:\s[^<>]*)?>[^<])"
)


def with_cached_values(raw: bytes) -> Converted:
    """Return a workbook in which formulas are replaced by the values that they had last."""
    try:
        check_archive(raw, "a workbook")
        with zipfile.ZipFile(io.BytesIO(raw)) as old:
            parts = old.infolist()
            changed, formulas = {}, 0
            for part in parts:
                if "/worksheets/" in part.filename and part.filename.endswith(".xml"):
                    data, count = _FORMULA.subn(b"", old.read(part))
                    if count:
                        changed[part.filename], formulas = data, formulas + count
            if not changed:
                return Converted(raw, 0)
            file = io.BytesIO()
            with zipfile.ZipFile(file, "w") as new:
                for part in parts:
                    new.writestr(part, changed.get(part.filename) or old.read(part))
            return Converted(file.getvalue(), formulas)
    except Exception:  # the reader of workbooks reports damaged files
        return Converted(raw, 0)
