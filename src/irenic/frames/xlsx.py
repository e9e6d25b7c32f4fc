"""Tables in Excel workbooks: the first sheet, whose first row names the columns."""

from __future__ import annotations

import datetime as dt
import io
import math
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy.typing as npt

from irenic.errors import FormatError
from irenic.frames.columns import NOTHING, Table, as_column, as_values, check_header
from irenic.frames.number_formats import shown, shown_date
from irenic.frames.unpacking import MOST_UNPACKED, check_archive

ERRORS: Final = {"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A"}
"""The results of formulas that failed."""
_MAX_ROWS: Final = 1_048_576  # per sheet
_MAX_CHARACTERS: Final = 32_767  # per cell
_EXACT: Final = 2**53  # cells contain float64
_MOST_BYTES: Final = 512 * 2**20  # when unpacked
_MOST_CELLS: Final = 10_000_000


def loads(raw: bytes) -> Table:
    """Return the columns of the first sheet; formulas are replaced by their cached results."""
    openpyxl_module()
    try:
        check_workbook(raw, _MOST_BYTES)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about extensions, which are found in reading
            book = open_workbook(raw, data_only=True)
            rows, places = _rows(book.worksheets[0])
            book.close()
    except FormatError:
        raise
    except Exception:  # openpyxl raises all kinds of errors for damaged files
        raise FormatError("not an .xlsx workbook, or damaged") from None
    if not rows:
        raise FormatError("the first sheet is empty; its first row must name the columns")
    width = max(len(row) for row in rows)
    rows = [row + [None] * (width - len(row)) for row in rows]
    header = ["" if name is None else str(name) for name in rows[0]]
    check_header(header, 1)
    cells = list(zip(*rows[1:], strict=True)) or [() for _ in header]
    columns = {name: _typed(list(column)) for name, column in zip(header, cells, strict=True)}
    return Table(columns, percentages=[header[place] for place in places])


def open_workbook(
    raw: bytes, *, read_only: bool = True, data_only: bool = False, rich_text: bool = False
) -> Any:
    """Return a workbook of openpyxl, without its warnings about parts that are not read."""
    load = openpyxl_module().load_workbook
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load(io.BytesIO(raw), read_only=read_only, data_only=data_only, rich_text=rich_text)


def number_formats(book: Any) -> list[str]:
    """Return the number formats of the styles of a workbook, in their order."""
    from openpyxl.styles.numbers import BUILTIN_FORMATS, BUILTIN_FORMATS_MAX_SIZE

    own = dict(enumerate(book._number_formats, BUILTIN_FORMATS_MAX_SIZE))
    codes = BUILTIN_FORMATS | own
    return [codes.get(style.numFmtId, "General") for style in book._cell_styles]


def check_workbook(raw: bytes, limit: int = MOST_UNPACKED) -> None:
    """Reject a workbook that is too large, or in which several sheets are the same cells."""
    from openpyxl.reader.excel import ExcelReader

    check_archive(raw, "a workbook", limit)
    reader = ExcelReader(io.BytesIO(raw), read_only=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reader.read_manifest()
        reader.read_workbook()
    targets = [related.target for _, related in reader.parser.find_sheets()]
    if len(set(targets)) < len(targets):
        raise FormatError("two sheets of the workbook have the same cells; save it again")


def _rows(sheet: Any) -> tuple[list[list[Any]], set[int]]:
    """Return the rows of a sheet without empty cells at their ends and without empty rows.

    Also return the columns whose numbers are all shown with a percent sign.
    """
    sheet.reset_dimensions()  # other programs may store wrong ones
    rows: list[list[Any]] = []
    n_cells = 0
    percentages: set[int] = set()
    plain: set[int] = set()
    for number, row in enumerate(sheet.iter_rows(), 1):
        cells = [None if isinstance(c.value, str) and c.value in ERRORS else c.value for c in row]
        for place, value in enumerate(cells):
            if isinstance(value, str):
                check_length(value)
            elif type(value) in (int, float):
                code = row[place].number_format
                (percentages if "%" in code else plain).add(place)
                if code != "General" and (found := shown(value, code)).is_code:
                    cells[place] = found.text
            elif isinstance(value, dt.date):
                part = shown_date(value, row[place].number_format)
                cells[place] = part.text if part is not None and part.is_plain else value
        while cells and cells[-1] is None:
            cells.pop()
        n_cells += len(cells)
        if number > _MAX_ROWS or n_cells > _MOST_CELLS:
            raise FormatError(
                f"a sheet must have at most {_MAX_ROWS:,} rows and {_MOST_CELLS:,} cells; save it"
                " as .csv"
            )
        if cells:
            rows.append(cells)
    return rows, percentages - plain


def _typed(values: list[Any]) -> npt.NDArray[Any]:
    """Return values as a column; "NA" and the like are missing unless the column is text."""
    known = [None if isinstance(v, str) and v.strip().lower() in NOTHING else v for v in values]
    kinds = {type(value) for value in known if value is not None}
    if str in kinds or not kinds:
        return as_column([None if value is None else _as_text(value) for value in values])
    if kinds == {dt.datetime} and all(v is None or v.time() == dt.time() for v in known):
        return as_column([None if value is None else value.date() for value in known])
    if len(kinds) > 1 and not kinds <= {int, float}:
        return as_column([None if value is None else _as_text(value) for value in known])
    return as_column(known)


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)


def dumps(table: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Return a table as the bytes of a workbook with one sheet."""
    openpyxl = openpyxl_module()
    from openpyxl.cell import WriteOnlyCell

    columns = [as_values(column) for column in table.values()]
    if columns and len(columns[0]) >= _MAX_ROWS:
        raise FormatError(
            f"a sheet must have at most {_MAX_ROWS:,} rows, got {len(columns[0]) + 1:,};"
            " write .csv instead"
        )
    check_names(table)
    for column in columns:
        check_cells(column)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("irenic")

    def cell(value: Any) -> Any:
        value = _storable(value)
        if not isinstance(value, str) or not value.startswith(("=", "#")):
            return value
        text = WriteOnlyCell(sheet, value=value)
        text.data_type = "s"  # neither a formula nor an error
        return text

    file = io.BytesIO()
    sheet.append([cell(name) for name in table])
    for row in zip(*columns, strict=True):
        sheet.append([cell(value) for value in row])
    book.save(file)
    return file.getvalue()


def check_names(names: Iterable[str]) -> None:
    """Raise an error for names of columns that a workbook does not keep."""
    check_cells(names)
    for name in names:
        if "\r" in name:  # XML replaces it with a line feed
            raise FormatError(
                f"column {name!r} contains a carriage return, which .xlsx does not keep; rename it,"
                " or write .csv"
            )


def check_cells(values: Iterable[Any]) -> None:
    """Raise an error for texts that a workbook does not support; openpyxl would truncate them."""
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    for value in values:
        if not isinstance(value, str):
            continue
        if ILLEGAL_CHARACTERS_RE.search(value):
            raise FormatError(
                "a cell contains a control character, which .xlsx does not support;"
                " write .csv instead"
            )
        check_length(value, "; write .csv instead")


def check_length(value: str, way_out: str = "") -> None:
    """Raise an error for a text that is too long for a cell."""
    if len(value) > _MAX_CHARACTERS:
        raise FormatError(
            f"a cell must have at most {_MAX_CHARACTERS:,} characters, got {len(value):,}{way_out}"
        )


def _storable(value: Any) -> Any:
    """Return a value that a cell can represent exactly, or else its text."""
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    if isinstance(value, int) and abs(value) > _EXACT:
        return str(value)
    if isinstance(value, dt.datetime) and (value.tzinfo is not None or value.year < 1900):
        return value.isoformat()
    return value


def openpyxl_module() -> Any:
    """Return openpyxl, or raise an error that says how to install it."""
    try:
        import openpyxl
    except ImportError:
        raise FormatError("workbooks need openpyxl: pip install 'irenic[xlsx]'") from None
    return openpyxl
