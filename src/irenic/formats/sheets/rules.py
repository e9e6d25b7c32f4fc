"""Decision tables as spreadsheets: CSV and workbooks of Excel.

The first row names the columns: a feature each, and the outcome, which is the last column unless
another is named. A cell holds a unary test (:mod:`irenic.formats.feel.unary_tests`); what is empty
or ``-`` asks for nothing. A column called ``RULE WEIGHT`` holds the weights of rules, and a row
that begins with ``DEFAULT`` says what holds where no other row does. As in DMN, the letter of a hit
policy at the top left heads the numbers of the rules.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from irenic.errors import FormatError, did_you_mean
from irenic.formats.feel.doubtful_cells import beyond_doubt
from irenic.formats.feel.sets import cell_text, literal_text
from irenic.formats.feel.unary_tests import DASHES, Compare, parse
from irenic.formats.parsed import Parsed
from irenic.formats.sheets._doubtful_columns import (
    NOTHING_ASKED,
    CellDoubts,
    bare_value,
    check_columns,
    check_outcome,
    refused_columns,
)
from irenic.formats.sheets._grid import Line, Unreadable, csv_lines, seen, sheets, within_margins
from irenic.formats.sheets._outcomes import (
    FORMULA,
    LIKE_A_FORMULA,
    ZEROS,
    outcome_text,
    read_outcome,
)
from irenic.formats.tables.assembly import assemble
from irenic.formats.tables.drafts import MOST_COLUMNS, POLICIES, Cell, Draft, Input, Row, TableError
from irenic.formats.tables.lines import Line as TableLine
from irenic.formats.tables.lines import lines_of
from irenic.frames.columns import check_header
from irenic.frames.xlsx import check_cells, openpyxl_module
from irenic.model.condition import Operators
from irenic.model.decision_table import DecisionTable
from irenic.model.rule import as_consequent
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet

WEIGHT: Final = "RULE WEIGHT"
DEFAULT: Final = "DEFAULT"


class _NoTableError(FormatError):
    """What is wrong with a sheet that does not even look like a table."""


# --- reading


def parse_csv(
    raw: bytes,
    *,
    target: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] = (),
    name: str = "",
) -> Parsed:
    """Return the decision table that a CSV file holds, and all that is wrong with its cells.

    >>> raw = b'age,job,fare\\n"< 18, >= 60",-,reduced\\n[18..60),"not(nurse, clerk)",full\\n'
    >>> print(parse_csv(raw).bind().table().rules)
    <RuleSet: 3 rules, 2 features>
      1. IF age < 18 THEN reduced
      2. IF age >= 60 THEN reduced
      3. IF 18 <= age < 60 AND job not in {nurse, clerk} THEN full
    """
    lines, delimiter = csv_lines(raw)
    if not lines:
        raise FormatError("the table is empty; its first line names the columns")
    # where commas divide cells, decimals have a point
    options = _Options(_names(target), _names(ignore), points_are_sure=delimiter == ",")
    return Parsed("csv", [_draft(name, lines, options)], assemble)


class _Options(NamedTuple):
    """How the sheets of a file are to be read."""

    targets: list[str]
    ignored: list[str]
    points_are_sure: bool = False
    typed: bool = False
    numbered: bool = True
    """Whether the letter of a hit policy may head the first column."""


def _names(given: str | Sequence[str] | None) -> list[str]:
    return [given] if isinstance(given, str) else list(given or ())


def _draft(name: str, lines: list[Line], options: _Options) -> Draft:
    whole, lines = lines, _without(within_margins(lines), options.ignored)
    targets = options.targets
    header = lines[0]
    names = _header(header)
    letter = _letter(names, lines[1:], targets) if options.numbered else ""
    # what heads the numbers of the rules is no name, and may be that of a feature too
    _check_names(["\0", *names[1:]] if letter else names, header.number)
    if letter:
        names = names[1:]
        lines = [Line(line.number, line.cells[1:]) for line in lines]
    columns = [n for n in names if n != WEIGHT]
    _check_known(targets, columns)
    outputs = targets or columns[-1:]
    inputs = [n for n in columns if n not in outputs]
    if not inputs:
        raise _NoTableError(
            f"only the outcome {', '.join(map(repr, outputs))}: a decision table has a column for"
            " each feature too (cells are divided by commas, semicolons or tabs)",
            line=header.number,
        )
    draft = Draft(name, inputs=[Input(n) for n in inputs], outputs=tuple(outputs))
    if letter:
        draft.hit_policy, draft.aggregation = POLICIES[letter]
        if letter not in names:
            draft.letter = letter
            draft.unnumbered = lambda: _draft(name, whole, options._replace(numbered=False))
    reader = _Rows(draft, names, options)
    for line in lines[1:]:
        reader.read(line)
    reader.doubts.end()
    if not targets:
        check_outcome(draft)
    draft.n_rows = len(draft.rows)
    draft.outputs = _outputs(draft)
    check_columns(draft)
    return draft


def _without(lines: list[Line], ignored: list[str]) -> list[Line]:
    """Return lines without some columns."""
    if not ignored:
        return lines
    names = _header(lines[0])
    _check_known(ignored, names)
    gone = {place for place, name in enumerate(names) if name in ignored}
    return [Line(line.number, _kept(line.cells, gone)) for line in lines]


def _kept(cells: list[Any], gone: set[int]) -> list[Any]:
    kept = [cell for place, cell in enumerate(cells) if place not in gone]
    if 0 in gone and cells[:1] == [DEFAULT] and kept and kept[0] is None:
        kept[0] = DEFAULT  # it begins a row, whatever column that is
    return kept


def _check_known(wanted: Iterable[str], columns: list[str]) -> None:
    for name in wanted:
        if name not in columns:
            raise _NoTableError(f"no column is called {name!r}{did_you_mean(name, columns)}")


def _header(line: Line) -> list[str]:
    names = ["" if cell is None else _plain(cell) for cell in line.cells]
    names = [WEIGHT if name.upper() == WEIGHT else name for name in names]
    while names and not names[-1]:
        names.pop()
    if len(names) > MOST_COLUMNS:
        raise FormatError(
            f"{len(names):,} columns; a decision table has at most {MOST_COLUMNS:,}",
            line=line.number,
        )
    return names


def _check_names(names: list[str], line: int) -> None:
    try:
        check_header(names, line)
    except FormatError as error:
        if sum(map(bool, names)) < 2:
            raise _NoTableError(error.message, line=line) from None
        raise


def _letter(names: list[str], lines: list[Line], targets: list[str]) -> str:
    """Return the letter of the hit policy that heads the numbers of the rules, "" if none does."""
    letter, rest = names[0], names[1:]
    columns = [n for n in rest if n != WEIGHT]
    if letter not in POLICIES or len(columns) < 2:
        return ""
    if letter not in rest and letter in targets:
        return ""
    rules = [line for line in lines if line.cells[:2] != [None, DEFAULT]]
    numbered = all(_counts(line.cells[0], number) for number, line in enumerate(rules, 1))
    return letter if numbered else ""


def _counts(cell: Any, number: int) -> bool:
    if isinstance(cell, str):
        return cell.strip() == str(number)
    return type(cell) in (int, float) and bool(cell == number)


def _outputs(draft: Draft) -> tuple[str, ...]:
    """Return the names of the outputs: those of a tuple stand in one header, "a, b"."""
    names = draft.outputs[0].split(", ")
    thens = [row.then for row in draft.rows]
    thens += [] if draft.default is None else [draft.default]
    if len(draft.outputs) > 1 or len(names) < 2 or not thens or not all(names):
        return draft.outputs
    spread = all(isinstance(then, tuple) and len(then) == len(names) for then in thens)
    return tuple(names) if spread else draft.outputs


def _plain(value: Any) -> str:
    return value.strip() if isinstance(value, str) else str(value)


class _Rows:
    """Rows of a sheet put into a draft."""

    def __init__(self, draft: Draft, names: list[str], options: _Options) -> None:
        self.draft, self.names, self.typed = draft, names, options.typed
        self.doubts = CellDoubts(draft, points_are_sure=options.points_are_sure)
        self.inputs = [names.index(column.name) for column in draft.inputs]
        self.outputs = [names.index(n) for n in draft.outputs]
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
        return first == DEFAULT and all(o in (None, DEFAULT) or _asks_nothing(o) for o in others)

    def cell(self, value: Any, number: int, header: str, line: Line) -> Cell:
        if isinstance(value, str) and FORMULA.match(value):
            value = Unreadable(value, LIKE_A_FORMULA)
        elif self.typed and isinstance(value, str) and ZEROS.fullmatch(value.strip()):
            # a number would have lost its zeros
            return Cell(literal_text(value.strip()), Compare("=", value.strip()))
        if value is None or isinstance(value, str):
            cell = self.draft.read_cell(value or "", number, header, line.number, words=True)
            self.doubts.cell(cell, number, header, line.number)
            return cell
        if isinstance(value, Unreadable):
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
            if isinstance(value, Unreadable):
                raise FormatError(value.reason)
            if not isinstance(value, str):
                return as_consequent(_as_literal(value))
            then = read_outcome(value)
            self.doubts.outcome(value, then, number, header, line.number)
            return as_consequent(then)
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
        if isinstance(value, str):
            self.doubts.numbers(value, [weight], number, WEIGHT, line.number)
        return weight


def _asks_nothing(value: Any) -> bool:
    return isinstance(value, str) and value.strip() in DASHES


def _as_literal(value: Any) -> Any:
    """Return a typed cell as a literal; a date is a date-time at midnight in a workbook."""
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return value.date()
    return value


# --- workbooks


def parse_xlsx(
    raw: bytes,
    *,
    target: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] = (),
) -> Parsed:
    """Return the decision tables of a workbook: every sheet that is not empty, by its name."""
    drafts: list[Draft] = []
    notes: list[FormatError] = []
    options = _Options(_names(target), _names(ignore), typed=True)
    for title, lines in sheets(raw):
        try:
            drafts.append(_draft(title, lines, options))
        except _NoTableError as error:
            reason = f"no table was found in this sheet: {error.message}"
            notes.append(TableError(reason, table=title, line=error.line))
        except FormatError as error:
            drafts.append(Draft(title))
            drafts[-1].fail(error.message, line=error.line)
    if not drafts and not notes:
        raise FormatError("no sheet holds a table; its first row names the columns")
    if not drafts:
        return Parsed("xlsx", [], assemble, failures=notes)
    # beside a table they are perhaps sheets of another sort
    return Parsed("xlsx", drafts, assemble, notes)


# --- writing


def dumps_csv(rules: RuleSet | RuleList | DecisionTable) -> str:
    """Return rules as CSV: a line a row; read back with the same space, they are the same.

    >>> from irenic import Rule
    >>> dumps_csv(RuleSet([Rule({"age": (0, 10)}, then="child")]))
    'age,then\\n[0..10),child\\n'
    """
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    header, *lines = _written(DecisionTable.of(rules))
    # in quotes no sign of a name can be taken for what divides cells
    odd = any(sign in name for name in header for sign in ";\t\r")
    quoted = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
    (quoted if odd else writer).writerow(header)
    writer.writerows([[_text_of(cell) for cell in line] for line in lines])
    return file.getvalue()


def _text_of(cell: Any) -> str:
    return cell if isinstance(cell, str) else literal_text(cell, words=True)


def dumps_xlsx(rules: RuleSet | RuleList | DecisionTable) -> bytes:
    """Return rules as a workbook of one sheet, a line a row; numbers and booleans are typed."""
    openpyxl = openpyxl_module()
    from openpyxl.cell import WriteOnlyCell

    table = DecisionTable.of(rules)
    lines = list(_written(table, spell=beyond_doubt))
    for line in lines:
        check_cells(line)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet(re.sub(r"[\[\]:*?/\\']|[^ -\uffff]", "_", table.name)[:31] or "rules")
    file = io.BytesIO()
    for line in lines:
        cells = []
        for value in line:
            made = WriteOnlyCell(sheet, value=value)
            if isinstance(value, str):
                made.data_type = "s"  # text, and neither a formula nor an error
            cells.append(made)
        sheet.append(cells)
    book.save(file)
    return file.getvalue()


def _written(
    table: DecisionTable, spell: Callable[[str], str] = lambda text: text
) -> Iterator[list[Any]]:
    """Return the cells of a sheet, line by line: texts, and outcomes that are numbers."""
    letter, table = _under_letter(table)
    names = list(table.space.names)
    _check_heads(names)
    lines = lines_of(table)
    weighed = any(line.weight != 1.0 for line in lines)
    signs = _signs(names, lines, letter)
    yield [
        *([letter] if letter else []),
        *names,
        *([WEIGHT] if weighed else []),
        _outcome_name(table),
    ]
    for number, line in enumerate(lines, 1):
        try:
            texts = line.texts or [cell_text(c, words=True) for c in line.cells]
            cells: list[Any] = [spell(text) for text in texts]
            cells += [spell(literal_text(line.weight, words=True))] if weighed else []
            cells.append(outcome_text(line.then))
        except FormatError as error:
            raise FormatError(f"rule {number}: {error.message}") from None
        for place in signs.get(number, ()):
            cells[place] = f"= {cells[place]}"
        yield [*([number] if letter else []), *cells]
    if table.rules.default is not None:
        blank = [""] * (len(names) - 1 + weighed)
        first = ["", DEFAULT] if letter else [DEFAULT]
        yield [*first, *blank, outcome_text(table.rules.default)]


def _signs(names: list[str], lines: list[TableLine], letter: str) -> dict[int, list[int]]:
    """Return the cells that need a sign, lest their column be taken for something else."""
    columns = [[_bare(line, place) for line in lines] for place in range(len(names))]
    places = {names.index(name) for name in refused_columns(names, columns)}
    if names[0] in POLICIES and not letter and columns[0][:1] == [1]:
        places.add(0)  # it would be the number of a rule
    found: dict[int, list[int]] = {}
    for place in sorted(places):
        number = next(n for n, v in enumerate(columns[place], 1) if v is not NOTHING_ASKED)
        found.setdefault(number, []).append(place)
    return found


def _bare(line: TableLine, place: int) -> Any:
    """Return the one value that a cell is written as, None for any other test."""
    if line.texts:
        return bare_value(Cell(line.texts[place], parse(line.texts[place])))
    conditions = line.cells[place]
    operators: Operators = conditions[0] if len(conditions) == 1 else {"": None}
    if not operators:
        return NOTHING_ASKED
    values = operators.get("in") or []
    if len(operators) != 1 or len(values) > 1:
        return None
    return operators.get("=", values[0] if values else None)


def _under_letter(table: DecisionTable) -> tuple[str, DecisionTable]:
    """Return the letter of the hit policy of a table, "" if it has none, and the table under it."""
    if table.hit_policy is None:
        if not len(table.rules) and table.space.names[:1] and table.space.names[0] in POLICIES:
            raise FormatError(
                f"feature {table.space.names[0]!r} of a table without rules would be read as a hit"
                " policy; rename it, or write .json"
            )
        return "", table
    if table.hit_policy == "OUTPUT ORDER":
        raise FormatError(
            "OUTPUT ORDER ranks the outcomes, and a sheet cannot hold the ranking; write .dmn, or"
            " the table under RULE ORDER"
        )
    if table.hit_policy == "PRIORITY":
        order = table.winning
        rows = tuple(table.rows[place] for place in order)
        table = replace(table, rules=table.rules[order], rows=rows, hit_policy="FIRST", lines=())
    aggregation = table.aggregation if table.hit_policy == "COLLECT" else ""
    wanted = (table.hit_policy, aggregation)
    letter = next((letter for letter, said in POLICIES.items() if said == wanted), "")
    if not letter:
        raise FormatError(f"unknown aggregation {aggregation!r}; use SUM, MIN, MAX or COUNT")
    return letter, table


def _check_heads(names: list[str]) -> None:
    if not names:
        raise FormatError("rules without features make no sheet; write .dmn or .json")
    for name in names:
        if seen(name).strip() != name or name == WEIGHT or "\0" in name:
            raise FormatError(f"feature {name!r} cannot head a column; rename it, or write .json")


def _outcome_name(table: DecisionTable) -> str:
    name = ", ".join(table.outputs) or "then"
    while name in (*table.space.names, WEIGHT):
        name = f"{name} (outcome)"
    return name
