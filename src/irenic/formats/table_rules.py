"""Decision tables as spreadsheets: CSV and workbooks of Excel.

The first row names the columns: a feature each, and the outcome, which is the last column unless
another is named. A cell holds a unary test (:mod:`irenic.formats.unary_tests`); what is empty or
``-`` asks for nothing. A column called ``WEIGHT`` holds the weights of rules, and a row that begins
with ``DEFAULT`` says what holds where no other row does.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import math
import re
import warnings
import zipfile
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from irenic.decision_table import DecisionTable, HitPolicy
from irenic.errors import FormatError, did_you_mean
from irenic.formats.columns import check_header
from irenic.formats.csv_table import delimiter_of
from irenic.formats.files import MOST_BYTES, too_large
from irenic.formats.held import ReadTables
from irenic.formats.table_drafts import (
    MOST_CELLS,
    MOST_COLUMNS,
    Cell,
    Draft,
    Input,
    Row,
    TableError,
    assemble,
)
from irenic.formats.table_lines import as_table, lines_of, split_thens
from irenic.formats.unary_sets import cell_text, literal_text
from irenic.formats.unary_tests import Compare, parse_value
from irenic.formats.xlsx_table import openpyxl_module
from irenic.literals import Expression, format_literal
from irenic.notation import ParsedDefault, parse_line
from irenic.rule import as_consequent
from irenic.rulelist import RuleList
from irenic.ruleset import RuleSet
from irenic.space import Space

WEIGHT: Final = "WEIGHT"
DEFAULT: Final = "DEFAULT"
_MOST_UNPACKED: Final = 512 * 2**20


class Line(NamedTuple):
    """A row of a sheet: where it stands, and its cells; None is an empty one."""

    number: int
    cells: list[Any]


# --- reading


def loads_csv(
    raw: bytes,
    *,
    target: str | Sequence[str] | None = None,
    space: Space | None = None,
    hit_policy: HitPolicy | None = None,
    name: str = "",
) -> ReadTables:
    """Return the decision table that a CSV file holds, or all that is wrong with its cells.

    >>> raw = b'age,job,fare\\n"< 18, >= 60",-,reduced\\n[18..60),"not(nurse, clerk)",full\\n'
    >>> print(loads_csv(raw).tables[0].rules)
    <RuleSet: 3 rules, 2 features>
      1. IF age < 18 THEN reduced
      2. IF age >= 60 THEN reduced
      3. IF 18 <= age < 60 AND job not in {nurse, clerk} THEN full
    """
    text = _text(raw)
    lines = list(_csv_lines(text))
    if not lines:
        raise FormatError("the table is empty; its first line names the columns")
    draft = _draft(name, lines, _targets(target), hit_policy)
    table = assemble(draft, space)
    return ReadTables([] if table is None else [table], draft.errors)


def _text(raw: bytes) -> str:
    if len(raw) > MOST_BYTES:
        raise too_large(len(raw))
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
        raise FormatError("a null character: this is no text file", line=line)
    return text


def _csv_lines(text: str) -> Iterator[Line]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter_of(text))
    before = n_cells = 0
    try:
        for row in reader:
            number, before = before + 1, reader.line_num
            n_cells += len(row)
            if n_cells > MOST_CELLS:
                raise FormatError(f"more than {MOST_CELLS:,} cells; divide the table", line=number)
            if any(cell.strip() for cell in row):
                yield Line(number, [cell if cell.strip() else None for cell in row])
    except csv.Error as error:
        raise FormatError(f"not CSV: {error}", line=reader.line_num) from None


def _targets(target: str | Sequence[str] | None) -> list[str]:
    if target is None:
        return []
    return [target] if isinstance(target, str) else list(target)


def _draft(name: str, lines: list[Line], targets: list[str], policy: HitPolicy | None) -> Draft:
    header = lines[0]
    names = ["" if cell is None else _plain(cell) for cell in header.cells]
    while names and not names[-1]:
        names.pop()
    if len(names) > MOST_COLUMNS:
        raise FormatError(
            f"{len(names):,} columns; a decision table has at most {MOST_COLUMNS:,}",
            line=header.number,
        )
    check_header(names, header.number)
    columns = [n for n in names if n != WEIGHT]
    for wanted in targets:
        if wanted not in columns:
            raise FormatError(f"no column is called {wanted!r}{did_you_mean(wanted, columns)}")
    outputs = targets or columns[-1:]
    inputs = [n for n in columns if n not in outputs]
    if not inputs:
        raise FormatError(
            f"only the outcome {', '.join(map(repr, outputs))}: a decision table has a column for"
            " each feature too (cells are divided by commas, semicolons or tabs)",
            line=header.number,
        )
    draft = Draft(
        name, inputs=[Input(n) for n in inputs], outputs=tuple(outputs), hit_policy=policy
    )
    reader = _Rows(draft, names, inputs, outputs)
    for line in lines[1:]:
        reader.read(line)
    draft.n_rows = len(draft.rows)
    return draft


def _plain(value: Any) -> str:
    return value.strip() if isinstance(value, str) else str(value)


class _Rows:
    """Rows of a sheet put into a draft."""

    def __init__(
        self, draft: Draft, names: list[str], inputs: list[str], outputs: Sequence[str]
    ) -> None:
        self.draft, self.names = draft, names
        self.inputs = [names.index(n) for n in inputs]
        self.outputs = [names.index(n) for n in outputs]
        self.weight = names.index(WEIGHT) if WEIGHT in names else None

    def read(self, line: Line) -> None:
        draft, cells = self.draft, line.cells
        number = len(draft.rows) + 1
        if len(cells) > len(self.names) and any(c is not None for c in cells[len(self.names) :]):
            draft.fail(
                f"{len(cells)} cells, but the table has {len(self.names)} columns",
                rule=number,
                line=line.number,
            )
        cells = [*cells[: len(self.names)], *[None] * (len(self.names) - len(cells))]
        thens = [self.outcome(cells[i], number, self.names[i], line) for i in self.outputs]
        then = thens[0] if len(thens) == 1 else tuple(thens)
        if self.is_default(cells):
            if draft.default is not None:
                draft.fail("a second default", line=line.number)
            draft.default = then
            return
        asked = [self.cell(cells[i], number, self.names[i], line) for i in self.inputs]
        draft.rows.append(Row(number, line.number, asked, then, self.weigh(cells, number, line)))

    def is_default(self, cells: list[Any]) -> bool:
        first, *others = [cells[i] for i in self.inputs]
        return first == DEFAULT and all(other is None for other in others)

    def cell(self, value: Any, number: int, header: str, line: Line) -> Cell:
        if isinstance(value, str) and _FORMULA.match(value):
            value = _Unreadable(value, _LIKE_A_FORMULA)
        if value is None or isinstance(value, str):
            return self.draft.read_cell(value or "", number, header, line.number, words=True)
        if isinstance(value, _Unreadable):
            self.fail(value.reason, number, header, line, value.text)
            return self.draft.read_cell("", number, header, line.number)
        value = _as_literal(value)
        try:
            return Cell(literal_text(value, words=True), Compare("=", value))
        except FormatError as error:
            self.fail(error.message, number, header, line)
            return self.draft.read_cell("", number, header, line.number)

    def fail(self, reason: str, number: int, header: str, line: Line, text: str = "") -> None:
        self.draft.fail(reason, rule=number, header=header, text=text, line=line.number)

    def outcome(self, value: Any, number: int, header: str, line: Line) -> Hashable:
        try:
            if value is None:
                raise FormatError("no outcome; every rule says something")
            if isinstance(value, _Unreadable):
                raise FormatError(value.reason)
            return as_consequent(_outcome(value) if isinstance(value, str) else _as_literal(value))
        except ValueError as error:
            reason = error.message if isinstance(error, FormatError) else str(error)
            text = value if isinstance(value, str) else getattr(value, "text", "")
            self.fail(reason, number, header, line, text)
            return ""

    def weigh(self, cells: list[Any], number: int, line: Line) -> float:
        value = None if self.weight is None else cells[self.weight]
        try:
            weight = 1.0 if value is None else float(str(value))
        except ValueError:
            weight = math.nan
        if math.isnan(weight):
            self.fail("a weight is a number", number, WEIGHT, line, str(value))
            return 1.0
        return weight


# "= 18" is a test, and so is "=nurse"; this is what spreadsheets compute.
_FORMULA: Final = re.compile(
    r"\s*=(?:[A-Za-z][\w.]*\(|\$?[A-Za-z]{1,3}\$?\d+\s*(?:$|[-+*/^&:,)])|[-+\w.]+\s*[+*/^&]\s*\w)"
)
_LIKE_A_FORMULA: Final = (
    "this looks like a formula, which is not computed here; put its result there, or text in quotes"
)
_EXPRESSION: Final = re.compile(r"expression\((?P<text>.*)\)", re.DOTALL)


def _outcome(text: str) -> Hashable:
    """Return what an outcome cell says: a literal, a tuple or set of literals, or text as it is."""
    text = text.strip()
    if _FORMULA.match(text):
        raise FormatError(_LIKE_A_FORMULA)
    if match := _EXPRESSION.fullmatch(text):
        inner = parse_value(match["text"])
        if not isinstance(inner, str):
            raise FormatError('expression("…") takes a text in quotes')
        return Expression(inner)
    try:
        if text[0] in "({":
            parsed = parse_line(f"DEFAULT {text}")
            return parsed.then if isinstance(parsed, ParsedDefault) else text
        value = parse_value(text, words=True)
    except FormatError:
        if text.startswith('"'):
            raise
        return text
    return Expression("null") if value is None else value


def _as_literal(value: Any) -> Any:
    """Return a typed cell as a literal; a date is a date-time at midnight in a workbook."""
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return value.date()
    return value


# --- workbooks


class _Unreadable(NamedTuple):
    """A cell that counts for nothing that can be known here."""

    text: str
    reason: str


def loads_xlsx(
    raw: bytes,
    *,
    target: str | Sequence[str] | None = None,
    space: Space | None = None,
    hit_policy: HitPolicy | None = None,
) -> ReadTables:
    """Return the decision tables of a workbook: every sheet that is not empty, by its name."""
    tables: list[DecisionTable] = []
    errors: list[FormatError] = []
    for title, lines in _sheets(raw):
        try:
            draft = _draft(title, lines, _targets(target), hit_policy)
        except FormatError as error:
            errors.append(TableError(error.message, table=title, line=error.line))
            continue
        table = assemble(draft, space)
        errors += draft.errors
        tables += [] if table is None else [table]
    if not tables and not errors:
        raise FormatError("no sheet holds a table; its first row names the columns")
    return ReadTables(tables, errors)


def _sheets(raw: bytes) -> list[tuple[str, list[Line]]]:
    load = openpyxl_module().load_workbook
    if len(raw) > MOST_BYTES:
        raise too_large(len(raw))
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as parts:
            unpacked = sum(part.file_size for part in parts.infolist())
        if unpacked > _MOST_UNPACKED:
            raise FormatError(f"the workbook unpacks to {unpacked / 2**20:,.0f} MB; divide it")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and other things that are not read
            book = load(io.BytesIO(raw), read_only=True, data_only=False)
            found = [(str(sheet.title), _sheet_lines(sheet)) for sheet in book.worksheets]
            book.close()
    except FormatError:
        raise
    except Exception:  # openpyxl raises whatever a part of a damaged file leads to
        raise FormatError("not an .xlsx workbook that can be read") from None
    return [(title, lines) for title, lines in found if lines]


def _sheet_lines(sheet: Any) -> list[Line]:
    sheet.reset_dimensions()  # what other programs say of them may be wrong
    found: list[Line] = []
    n_cells = 0
    for number, row in enumerate(sheet.iter_rows(), 1):
        cells = [_sheet_cell(cell, number, place) for place, cell in enumerate(row, 1)]
        while cells and cells[-1] is None:
            cells.pop()
        n_cells += len(cells)
        if n_cells > MOST_CELLS:
            raise FormatError(f"sheet {sheet.title!r}: more than {MOST_CELLS:,} cells")
        if cells:
            found.append(Line(number, cells))
        if len(cells) > MOST_COLUMNS:
            break  # too wide for a table, which is told where its header is looked at
    return found


def _sheet_cell(cell: Any, row: int, column: int) -> Any:
    value, kind = cell.value, getattr(cell, "data_type", "")
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if kind in ("f", "e"):
        from openpyxl.utils import get_column_letter

        place = f"{get_column_letter(column)}{row}"
        text = str(getattr(value, "text", None) or value)
        if kind == "e":
            return _Unreadable(text, f"cell {place} holds an error; put a value there")
        return _Unreadable(
            text,
            f"cell {place} holds a formula, which is not computed here; put its result there (to"
            " ask for a value, leave out the =, or set the cell to text)",
        )
    return value


# --- writing


def dumps_csv(rules: RuleSet | RuleList | DecisionTable) -> bytes:
    """Return rules as CSV: a line a row; read back with the same space, they are the same.

    >>> from irenic import Rule
    >>> dumps_csv(RuleSet(None, [Rule({"age": (0, 10)}, then="child")])).decode()
    'age,then\\n[0..10),child\\n'
    """
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    header, *lines = _written(as_table(rules))
    # in quotes no sign of a name can be taken for what divides cells
    odd = any(sign in name for name in header for sign in ";\t\r")
    quoted = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
    (quoted if odd else writer).writerow(header)
    writer.writerows([[_text_of(cell) for cell in line] for line in lines])
    return file.getvalue().encode("utf-8")


def _text_of(cell: Any) -> str:
    return cell if isinstance(cell, str) else literal_text(cell, words=True)


def dumps_xlsx(rules: RuleSet | RuleList | DecisionTable) -> bytes:
    """Return rules as a workbook of one sheet, a line a row; numbers and booleans are typed."""
    openpyxl = openpyxl_module()
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.utils.exceptions import IllegalCharacterError

    table = as_table(rules)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet(re.sub(r"[\[\]:*?/\\']|[^ -\uffff]", "_", table.name)[:31] or "rules")
    file = io.BytesIO()
    try:
        for line in _written(table):
            cells = []
            for value in line:
                made = WriteOnlyCell(sheet, value=value)
                if isinstance(value, str):
                    made.data_type = "s"  # text, and neither a formula nor an error
                cells.append(made)
            sheet.append(cells)
        book.save(file)
    except IllegalCharacterError:
        raise FormatError(
            "a cell holds a control character, which a workbook cannot hold; write .csv"
        ) from None
    return file.getvalue()


def _written(table: DecisionTable) -> Iterator[list[Any]]:
    """Return the cells of a sheet, line by line: texts, and outcomes that are numbers."""
    names = list(table.space.names)
    spread = split_thens(table)
    outputs = list(table.outputs) if spread > 1 else [table.outputs[0] if table.outputs else "then"]
    for place, output in enumerate(outputs):
        while outputs[place] in (*names, WEIGHT, *outputs[:place]):
            outputs[place] = f"{outputs[place]} (outcome)" if output else "then"
    lines = lines_of(table)
    weighed = any(line.weight != 1.0 for line in lines)
    for name in names:
        if name.strip() != name or name == WEIGHT or "\0" in name:
            raise FormatError(f"feature {name!r} cannot head a column; rename it, or write .json")
    yield [*names, *([WEIGHT] if weighed else []), *outputs]
    for number, line in enumerate(lines, 1):
        try:
            cells: list[Any] = [cell_text(c, words=True) for c in line.cells]
            cells += [literal_text(line.weight, words=True)] if weighed else []
            yield [*cells, *_outcomes(line.then, spread)]
        except FormatError as error:
            raise FormatError(f"rule {number}: {error.message}") from None
    if table.rules.default is not None:
        blank = [""] * (len(names) - 1 + weighed)
        yield [DEFAULT, *blank, *_outcomes(table.rules.default, spread)]


def _outcomes(then: Hashable, spread: int) -> list[Any]:
    thens = then if spread > 1 and isinstance(then, tuple) else (then,)
    return [_outcome_cell(value) for value in thens]


def _outcome_cell(value: Any) -> Any:
    if isinstance(value, Expression):
        return "null" if value.text == "null" else f"expression({literal_text(value.text)})"
    if isinstance(value, tuple | frozenset):
        return format_literal(value)
    if isinstance(value, str):
        return value if _reads_bare(value) else literal_text(value)
    text = literal_text(value, words=True)
    typed = type(value) in (bool, int, float) and (type(value) is bool or abs(value) <= 2**53)
    return value if typed else text


def _reads_bare(text: str) -> bool:
    """Return whether a text as it is, without quotes, is read as that text."""
    if not text.isprintable() or text[:1] in ("", "=", "+", "-", "@"):
        return False  # with such a sign spreadsheets would take it for a formula
    try:
        return _outcome(text) == text
    except ValueError:
        return False
