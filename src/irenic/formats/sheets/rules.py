"""Decision tables as spreadsheets: CSV files and Excel workbooks.

The first row names the columns: one per feature, and the outcome, which is the last column by
default. A cell contains a unary test (:mod:`irenic.formats.feel.unary_tests`); an empty cell or
``-`` accepts any value. A column named ``RULE WEIGHT`` contains the weights of rules, and a row
that begins with ``DEFAULT`` the outcome if no other row applies. As in DMN, the letter of a hit
policy at the top left is the name of a column of rule numbers.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from irenic.errors import FormatError, did_you_mean
from irenic.formats.feel.doubtful_cells import (
    beyond_doubt,
    means_any,
    means_else,
    means_total,
)
from irenic.formats.feel.sets import cell_text, literal_text
from irenic.formats.feel.unary_tests import ANYTHING, DASHES, Compare, parse, parse_value
from irenic.formats.parsed import Parsed
from irenic.formats.sheets._domains import (
    SHEETS,
    allowed,
    declaration,
    declaration_of,
    declared_row,
    declared_sheet,
)
from irenic.formats.sheets._doubtful_columns import (
    NOTHING_ASKED,
    CellDoubts,
    bare_value,
    check_columns,
    check_outcome,
    is_label,
    is_note,
    is_outcome,
    is_words,
    refused_columns,
)
from irenic.formats.sheets._doubtful_words import has_values, is_cross_table, second_outcomes
from irenic.formats.sheets._grid import (
    Line,
    Percentage,
    Unreadable,
    csv_lines,
    hidden_parts,
    seen,
    sheets,
)
from irenic.formats.sheets._layout import (
    NOTE,
    Layout,
    arranged,
    end_of,
    has_two_headers,
    letters,
)
from irenic.formats.sheets._outcomes import (
    FORMULA,
    LIKE_A_FORMULA,
    ZEROS,
    outcome_text,
    read_outcome,
)
from irenic.formats.sheets._spellings import (
    Locale,
    is_amount,
    locale_of,
    needs_locale,
    reread,
    respelled,
    settled_by,
    value_text,
)
from irenic.formats.tables.assembly import assemble
from irenic.formats.tables.drafts import MOST_COLUMNS, POLICIES, Cell, Draft, Input, Row, TableError
from irenic.formats.tables.lines import Line as TableLine
from irenic.formats.tables.lines import lines_of
from irenic.frames.columns import check_header
from irenic.frames.xlsx import check_cells, openpyxl_module
from irenic.model.condition import Operators
from irenic.model.decision_table import DecisionTable
from irenic.model.head import Head
from irenic.model.literals import quote
from irenic.model.rule import as_consequent
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet

WEIGHT: Final = "RULE WEIGHT"
DEFAULT: Final = "DEFAULT"


class _NoTableError(FormatError):
    """An error in a sheet that does not look like a table at all."""


# --- reading


def parse_csv(
    raw: bytes,
    *,
    target: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] = (),
    locale: str | None = None,
    cells: str = "",
    header_row: int | None = None,
    cross: str = "",
    name: str = "",
) -> Parsed:
    """Return the decision table in a CSV file, and all errors in its cells.

    >>> raw = b'age,job,fare\\n"< 18, >= 60",-,reduced\\n[18..60),"not(nurse, clerk)",full\\n'
    >>> print(parse_csv(raw).bind().table().rules)
    <RuleSet: 3 rules, 2 features>
      1. IF age < 18 THEN reduced
      2. IF age >= 60 THEN reduced
      3. IF 18 <= age < 60 AND job not in {nurse, clerk} THEN full
    """
    lines, delimiter = csv_lines(raw)
    if not lines:
        raise FormatError("the table is empty; its first line must name the columns")
    options = _Options(
        _names(target),
        _names(ignore),
        Layout(cells, header_row, cross),
        locale=locale_of(locale) if locale else None,
        has_commas=delimiter == ",",
    )
    return Parsed("csv", [_draft(name, lines, options)], assemble)


class _Options(NamedTuple):
    """How to read the sheets of a file."""

    targets: list[str]
    ignored: list[str]
    layout: Layout = Layout()
    declared: Mapping[str, Any] = MappingProxyType({})
    """The declarations of columns in another sheet, by name."""
    locale: Locale | None = None
    """How numbers and dates are written; None if the cells have to show it."""
    has_commas: bool = False
    """Whether commas separate cells."""
    typed: bool = False
    numbered: bool = True
    """Whether the letter of a hit policy may be the name of a column of rule numbers."""


def _names(names: str | Sequence[str] | None) -> list[str]:
    return [names] if isinstance(names, str) else list(names or ())


def _draft(name: str, lines: list[Line], options: _Options) -> Draft:
    all_lines = lines
    lines, first, remarks = arranged(lines, options.layout)
    if not lines:
        raise FormatError("the table is empty; its first line must name the columns")
    names = _header(lines[0])
    places = {n: first + place for place, n in enumerate(names) if n}
    declared = dict(options.declared)
    if row := declared_row(lines):
        declared |= {n: cell for n, cell in zip(names, row, strict=False) if cell is not None}
        remarks.append(f"line {lines[1].number} declares the columns")
        lines = [lines[0], *lines[2:]]
    lines = _without(lines, options.ignored)
    targets = options.targets
    header = lines[0]
    names = _header(header)
    letter = _letter(names, lines[1:], targets) if options.numbered else ""
    # a column of rule numbers may have the name of a feature
    try:
        _check_names(["\0", *names[1:]] if letter else names, header.number)
    except FormatError as error:
        if not names[0] and has_values(names[1:]):
            raise FormatError(
                f"{error.message}; in a cross table, the first cell names the condition of the rows"
                " and cross=… (--cross) that of the header",
                line=error.line,
            ) from None
        if not has_two_headers(lines):
            raise
        raise FormatError(
            f"{error.message}; if lines {header.number} and {lines[1].number} are both headers,"
            " write one line of names, such as 'Age from' and 'Age to'",
            line=error.line,
        ) from None
    if letter:
        names = names[1:]
        lines = [Line(line.number, line.cells[1:]) for line in lines]
    columns = [n for n in names if n != WEIGHT]
    _check_known(targets, columns)
    outputs = targets or _outcomes(columns, names, lines)
    inputs = [n for n in columns if n not in outputs]
    if not inputs:
        raise _NoTableError(
            "a decision table must have columns other than the outcome"
            f" {', '.join(map(repr, outputs))}; add one per feature, and separate cells by commas,"
            " semicolons or tabs",
            line=header.number,
        )
    draft = Draft(name, inputs=[Input(n) for n in inputs], outputs=tuple(outputs))
    draft.remarks, draft.places, draft.ignored = remarks, places, tuple(options.ignored)
    draft.header, draft.declared = header.number, declared
    draft.crossed, draft.part = bool(options.layout.cross), options.layout.cells
    if options.typed and not options.layout.cross:
        draft.letters = {n: letters(place) for n, place in places.items()}
    if letter:
        draft.hit_policy, draft.aggregation = POLICIES[letter]
        if letter not in names:
            draft.letter = letter
            draft.unnumbered = lambda: _draft(name, all_lines, options._replace(numbered=False))
    if options.locale is None:
        options = _with_locale(draft, names, lines[1:], options)
    draft.decimal, draft.day_first = options.locale or Locale()
    reader = _Rows(draft, names, options)
    for line in lines[1:]:
        reader.read(line, is_last=line is lines[-1])
    reader.doubts.end()
    _declare(draft, declared)
    if not targets:
        check_outcome(draft)
    draft.n_rows = len(draft.rows)
    draft.outputs = _outputs(draft)
    check_columns(draft, chosen=bool(targets or options.layout.cross))
    return draft


def _outcomes(columns: list[str], names: list[str], lines: list[Line]) -> list[str]:
    """Return the outcome columns: those named so, else the last one that is not a note."""
    named = []
    for name in columns:
        if is_outcome(name):
            place = names.index(name)
            cells = [line.cells[place] if place < len(line.cells) else None for line in lines[1:]]
            named += [name] if is_outcome(name, cells) else []
    others = [name for name in columns if not is_note(name)]
    last = others[-1:] if len(others) > 1 else columns[-1:]
    if not named or named == last or len(named) == len(columns):
        return last
    trailing = others[-len(named) :]
    if named == trailing:
        return named
    choices = ", ".join(map(repr, [*named, *(name for name in last if name not in named)]))
    raise FormatError(
        f"it is unclear which column is the outcome: {choices}; choose with target=… (--outcome)",
        line=lines[0].number,
    )


def _declare(draft: Draft, declared: Mapping[str, Any]) -> None:
    """Set what the sheet declares about its columns, and check the outcomes."""
    for column in draft.inputs:
        if found := declaration(declared.get(column.name)):
            column.kind, column.domain = found
            column.source = "its declaration"
    for place, name in enumerate(draft.outputs):
        values = allowed(declared, name)
        for row in draft.rows if values else ():
            several = isinstance(row.then, tuple) and len(draft.outputs) > 1
            then = row.then[place] if several else row.then  # type: ignore[index]
            if then not in values:
                listed = ", ".join(literal_text(value, words=True) for value in values)
                draft.fail(
                    f"{then!r} is not a declared outcome ({listed})",
                    rule=row.number,
                    header=name,
                    line=row.line,
                )


def _with_locale(draft: Draft, names: list[str], lines: list[Line], options: _Options) -> _Options:
    """Return options with what the cells settle about numbers and dates."""
    texts: dict[bool, dict[str, None]] = {False: {}, True: {}}
    for place, name in enumerate(names):
        if not is_note(name):
            cells = (line.cells[place] for line in lines if place < len(line.cells))
            texts[name in draft.outputs] |= dict.fromkeys(c for c in cells if isinstance(c, str))
    locale, contradiction = settled_by(texts[False], texts[True])
    if contradiction:
        draft.fail(f"{contradiction}; write them in one way, or choose with locale=… (--locale)")
    if locale.decimal == ",":
        draft.remarks.append("numbers are written with a decimal comma")
    if locale.day_first is not None:
        draft.remarks.append(f"dates begin with the {'day' if locale.day_first else 'month'}")
    return options._replace(locale=locale)


def _without(lines: list[Line], ignored: list[str]) -> list[Line]:
    """Return lines without the ignored columns."""
    names = _header(lines[0])
    if not ignored and NOTE not in names:
        return lines
    _check_known(ignored, names)
    dropped = {place for place, name in enumerate(names) if name in ignored or name == NOTE}
    kept = [Line(line.number, _kept(line.cells, dropped)) for line in lines]
    if NOTE in names:  # what is left of a dropped row
        kept = [line for line in kept if any(cell is not None for cell in line.cells)]
    return kept


def _kept(cells: list[Any], dropped: set[int]) -> list[Any]:
    kept = [cell for place, cell in enumerate(cells) if place not in dropped]
    if 0 in dropped and cells[:1] == [DEFAULT] and kept and kept[0] is None:
        kept[0] = DEFAULT  # it must stay in the first column
    return kept


def _check_known(names: Iterable[str], columns: list[str]) -> None:
    for name in names:
        if name not in columns:
            raise _NoTableError(f"unknown column {name!r}{did_you_mean(name, columns)}")


def _header(line: Line) -> list[str]:
    names = ["" if cell is None else _plain(cell) for cell in line.cells]
    names = [WEIGHT if name.upper() == WEIGHT else name for name in names]
    while names and not names[-1]:
        names.pop()
    if len(names) > MOST_COLUMNS:
        raise FormatError(
            f"a decision table must have at most {MOST_COLUMNS:,} columns, got {len(names):,}",
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
    """Return the hit policy letter that names a first column of rule numbers, "" if none does."""
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
    """Return the names of the outputs; a column of tuples has all of them in its header."""
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
    """Adds the rows of a sheet to a draft."""

    def __init__(self, draft: Draft, names: list[str], options: _Options) -> None:
        self.draft, self.names, self.typed = draft, names, options.typed
        self.locale = options.locale or Locale()
        self.doubts = CellDoubts(
            draft, settled=self.locale.decimal != "", has_commas=options.has_commas
        )
        self.inputs = [names.index(column.name) for column in draft.inputs]
        self.outputs = [names.index(n) for n in draft.outputs]
        self.weight = names.index(WEIGHT) if WEIGHT in names else None
        self.known: list[dict[Any, Any]] = [{} for _ in names]
        """By column, what the cells mean that cause neither errors nor warnings."""
        self.n_notes = 0
        """Errors, warnings and doubts, when a cell was last read."""

    def read(self, line: Line, *, is_last: bool = False) -> None:
        draft, cells = self.draft, line.cells
        number = len(draft.rows) + 1
        if len(cells) > len(self.names) and any(c is not None for c in cells[len(self.names) :]):
            draft.fail(
                f"a row must have at most {len(self.names)} cells, got {len(cells)}",
                rule=number,
                line=line.number,
            )
        if len(cells) != len(self.names):
            cells = [*cells[: len(self.names)], *[None] * (len(self.names) - len(cells))]
        known = self.known
        thens = [
            known[i].get(cells[i]) or self.once(self.outcome, cells[i], i, number, line)
            for i in self.outputs
        ]
        then = thens[0] if len(thens) == 1 else tuple(thens)
        if len(thens) > 1 and any(isinstance(part, Head) for part in thens):
            reason = "labels can only be decided one by one in the only outcome column"
            draft.fail(reason, rule=number, line=line.number)
        if is_last and self.is_like_default(cells):
            self.fail(_LIKE_DEFAULT, number, self.names[self.inputs[0]], line)
            return
        if is_last and self.is_total(cells):
            self.fail(_TOTALS, number, self.names[self.inputs[0]], line, cells[self.inputs[0]])
            return
        if self.is_default(cells) or (is_last and self.is_else(cells)):
            if not self.is_default(cells):
                draft.remarks.append(f"line {line.number} decides all other cases")
            if draft.default is not None:
                draft.fail("a second DEFAULT row; keep only one", line=line.number)
            if isinstance(then, Head):
                draft.fail("the DEFAULT row must decide all labels", line=line.number)
                return
            draft.default = then
            return
        tests = [
            known[i].get(cells[i]) or self.once(self.cell, cells[i], i, number, line)
            for i in self.inputs
        ]
        draft.rows.append(Row(number, line.number, tests, then, self.weigh(cells, number, line)))

    def once(
        self, read: Callable[..., Any], value: Any, place: int, number: int, line: Line
    ) -> Any:
        """Return what a cell means; equal cells of a column are read once, unless doubtful."""
        known = self.known[place]
        # 1, 1.0 and true are equal in Python
        key = value if value is None or type(value) is str else (type(value), repr(value))
        meaning = known.get(key)
        if meaning is None:
            meaning = read(value, number, self.names[place], line)
            draft, notes = self.draft, self.n_notes
            self.n_notes = len(draft.errors) + len(draft.warnings) + len(self.doubts.points)
            if self.n_notes == notes:
                known[key] = meaning
        return meaning

    def is_default(self, cells: list[Any]) -> bool:
        if cells[self.inputs[0]] != DEFAULT:
            return False
        others = [cells[i] for i in self.inputs[1:]]
        return all(o in (None, DEFAULT) or _is_dash(o) for o in others)

    def is_like_default(self, cells: list[Any]) -> bool:
        """Return whether a row begins with DEFAULT in lower case, and has no conditions."""
        first, *others = (cells[i] for i in self.inputs)
        plain = first.strip() if isinstance(first, str) else ""
        is_word = plain.upper() == DEFAULT != plain
        return is_word and all(other is None or _is_dash(other) for other in others)

    def is_total(self, cells: list[Any]) -> bool:
        """Return whether a row sums up the rows above it."""
        first, *others = (cells[i] for i in self.inputs)
        is_word = isinstance(first, str) and means_total(first)
        return is_word and not any(others)

    def is_else(self, cells: list[Any]) -> bool:
        """Return whether a row is for all other cases, in words: ``else``, ``otherwise``."""
        texts = [
            cells[i] for i in self.inputs if cells[i] is not None and not is_label(self.names[i])
        ]
        if not all(isinstance(text, str) for text in texts) or not any(map(means_else, texts)):
            return False
        return all(means_else(t) or means_any(t) or _is_dash(t) for t in texts)

    def cell(self, value: Any, number: int, header: str, line: Line) -> Cell:
        if isinstance(value, Percentage):
            return self.text(str(value), number, header, line)
        if isinstance(value, str) and FORMULA.match(value):
            value = Unreadable(value, LIKE_A_FORMULA)
        elif self.typed and isinstance(value, str) and ZEROS.fullmatch(value.strip()):
            # text, because a number would have lost its zeros
            return Cell(literal_text(value.strip()), Compare("=", value.strip()))
        if value is None or isinstance(value, str):
            return self.text(value or "", number, header, line)
        if isinstance(value, Unreadable):
            self.fail(value.reason, number, header, line, value.text)
            return self.draft.read_cell("", number, header, line.number)
        value = _as_literal(value)
        try:
            return Cell(literal_text(value, words=True), Compare("=", value))
        except FormatError as error:
            self.fail(error.message, number, header, line)
            return self.draft.read_cell("", number, header, line.number)

    def text(self, text: str, number: int, header: str, line: Line) -> Cell:
        """Return a cell of text; one that is not a unary test may be respelled as one."""
        try:
            plain = None if needs_locale(text, self.locale) else self.draft.parsed_cell(text)
            spelling = text
            if not isinstance(plain, Cell):
                spelling = respelled(text, header, self.locale) or text
                plain = self.draft.parsed_cell(spelling)
            elif is_words(plain) and (other := reread(text, self.locale)) is not None:
                read = self.draft.parsed_cell(other)
                if isinstance(read, Cell) and read.test != plain.test:
                    spelling, plain = other, read
            if isinstance(plain, FormatError):
                raise plain if spelling == text else FormatError(plain.message)
        except FormatError as error:
            self.fail(error.message, number, header, line, text)
            return Cell(text, ANYTHING)
        if spelling == text:
            self.doubts.cell(plain, number, header, line.number)
            return plain
        self.doubts.cell(Cell(spelling, plain.test), number, header, line.number, text)
        self.draft.respelled[header, text] = spelling
        return Cell(text, plain.test)

    def fail(self, reason: str, number: int, header: str, line: Line, text: str = "") -> None:
        self.draft.fail(reason, rule=number, header=header, text=text, line=line.number)

    def outcome(self, value: Any, number: int, header: str, line: Line) -> Hashable:
        try:
            if value is None:
                raise FormatError("the outcome is empty; every rule must have one")
            if isinstance(value, Unreadable):
                raise FormatError(value.reason)
            if isinstance(value, Percentage):
                self.draft.respelled[header, str(value)] = repr(float(value))
                return as_consequent(float(value))
            if not isinstance(value, str):
                return as_consequent(_as_literal(value))
            number_read = self.number(value, header)
            then = read_outcome(value) if number_read is None else number_read
            self.doubts.outcome(value, then, number, header, line.number)
            return as_consequent(then)
        except ValueError as error:
            reason = error.message if isinstance(error, FormatError) else str(error)
            text = value if isinstance(value, str) else getattr(value, "text", "")
            self.fail(reason, number, header, line, text)
            return ""

    def number(self, text: str, header: str) -> Any:
        """Return an outcome that is a number as people write it, None for other outcomes."""
        text = text.strip()
        if not is_amount(text):
            return None
        try:
            spelling = value_text(text, self.locale)
        except FormatError as error:
            if "," in text or "." in text:
                way_out = f"{error.message}, or write {quote(text)} in quotes for the text"
                raise FormatError(way_out) from None
            return None  # a code such as 007
        if spelling == text:
            return None
        self.draft.respelled[header, text] = spelling
        return parse_value(spelling)

    def weigh(self, cells: list[Any], number: int, line: Line) -> float:
        value = None if self.weight is None else cells[self.weight]
        try:
            weight = 1.0 if value is None else float(str(value))
        except ValueError:
            weight = math.nan
        if math.isnan(weight):
            self.fail("a weight must be a number", number, WEIGHT, line, str(value))
            return 1.0
        if isinstance(value, str):
            self.doubts.numbers(value, [weight], number, WEIGHT, line.number)
        return weight


_LIKE_DEFAULT: Final = (
    "write DEFAULT in capitals for all other cases, or the word in quotes for the text"
)
_TOTALS: Final = (
    "the last row looks like a total; delete it or leave it out with cells=… (--range), or quote"
    " the cell if it is a condition"
)


def _is_dash(value: Any) -> bool:
    return isinstance(value, str) and value.strip() in DASHES


def _as_literal(value: Any) -> Any:
    """Return a typed cell as a literal; workbooks store dates as midnight of the day."""
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return value.date()
    return value


# --- workbooks


def parse_xlsx(
    raw: bytes,
    *,
    target: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] = (),
    locale: str | None = None,
    cells: str = "",
    header_row: int | None = None,
    cross: str = "",
    sheet: str | None = None,
) -> Parsed:
    """Return the decision tables of a workbook, one per sheet that is not empty."""
    drafts: list[Draft] = []
    notes: list[FormatError] = []
    known = locale_of(locale) if locale else None
    options = _Options(
        _names(target), _names(ignore), Layout(cells, header_row, cross), locale=known, typed=True
    )
    tables = sheets(raw)
    declaring = [(t, lines) for t, lines in tables if t.strip().lower() in SHEETS]
    if len(declaring) < len(tables):
        tables = [(t, lines) for t, lines in tables if t.strip().lower() not in SHEETS]
        declared = {n: text for _, lines in declaring for n, text in declared_sheet(lines).items()}
        options = options._replace(declared=declared)
    if sheet is not None:
        titles = [title for title, _ in tables]
        if sheet not in titles:
            raise FormatError(f"unknown sheet {sheet!r}{did_you_mean(sheet, titles)}")
        tables = [(title, lines) for title, lines in tables if title == sheet]
    hidden = hidden_parts(raw)
    for title, lines in tables:
        try:
            drafts.append(_draft(title, lines, options))
            if text := _unseen(hidden.get(title, ([], [])), lines):
                drafts[-1].warn(
                    f"{text} hidden, but read like the others; delete what is not meant"
                )
        except _NoTableError as error:
            reason = f"the sheet contains no decision table: {error.message}"
            notes.append(TableError(reason, table=title, line=error.line))
        except FormatError as error:
            drafts.append(Draft(title))
            drafts[-1].fail(error.message, line=error.line)
    if not drafts and not notes:
        raise FormatError(
            "the workbook is empty; the first row of a sheet must name the columns of a table"
        )
    if not drafts:
        return Parsed("xlsx", [], assemble, failures=notes)
    # only warnings, because workbooks with tables may contain other sheets, too
    return Parsed("xlsx", drafts, assemble, notes)


def _unseen(hidden: tuple[list[int], list[int]], lines: list[Line]) -> str:
    """Return which rows and columns with cells are hidden, "" for none."""
    numbers = {line.number for line in lines}
    width = max(len(line.cells) for line in lines)
    rows = [str(row) for row in hidden[0] if row in numbers]
    columns = [letters(place) for place in hidden[1] if place < width]
    parts = [
        f"{noun}{'s' if len(names) > 1 else ''} {', '.join(names[:5])}{', …' if names[5:] else ''}"
        for noun, names in (("row", rows), ("column", columns))
        if names
    ]
    plural = len(rows) + len(columns) > 1
    return f"{' and '.join(parts)} {'are' if plural else 'is'}" if parts else ""


# --- declarations


def with_declarations(raw: bytes, parsed: Parsed) -> bytes:
    """Return a spreadsheet with declarations of its columns, as they were inferred.

    A CSV file gets a row under its header, a workbook a sheet named Columns.

    >>> raw = b"age,job,fare\\n< 18,-,low\\n>= 18,nurse,high\\n"
    >>> print(with_declarations(raw, parse_csv(raw)).decode().splitlines()[1])
    integer,one of nurse or others,"one of low, high"
    """
    tables = parsed.bound(None)
    if tables.errors:
        raise tables.errors[0]
    declared: dict[str, str] = {}
    for table, draft in zip(tables.tables, parsed.drafts, strict=True):
        if draft.declared:
            raise FormatError("the table declares its columns already; edit the declarations")
        declared |= _declarations(table, draft)
    return (
        _declared_csv(raw, parsed, declared)
        if parsed.format == "csv"
        else _declared_xlsx(raw, declared)
    )


def _declarations(table: DecisionTable, draft: Draft) -> dict[str, str]:
    declared = {}
    for name in draft.places:
        if name in table.space:
            declared[name] = declaration_of(table.space[name])
        elif name in draft.outputs:
            place = draft.outputs.index(name)
            thens = [row.then for row in draft.rows]
            if len(draft.outputs) > 1:
                thens = [then[place] for then in thens if isinstance(then, tuple)]
            values = dict.fromkeys(thens)
            if all(type(value) in (str, int, float, bool) for value in values):
                texts = [literal_text(value, words=True) for value in values]
                declared[name] = f"one of {', '.join(texts)}"
    return declared


def _declared_csv(raw: bytes, parsed: Parsed, declared: dict[str, str]) -> bytes:
    draft: Draft = parsed.drafts[0]
    if draft.crossed:
        raise FormatError(
            "a cross table in a .csv file has no place for declarations; declare them in a workbook"
        )
    is_utf16 = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    encoding = parsed.encoding or ("utf-16" if is_utf16 else "utf-8-sig")
    text = raw.decode(encoding)
    records, delimiter = csv_lines(text.encode("utf-8"))
    header = next(record for record in records if record.number == draft.header)
    by_place = {place: declared.get(name, "") for name, place in draft.places.items()}
    row = [by_place.get(place, "") for place in range(max(by_place) + 1)]
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, lineterminator="\n").writerow(row)
    lines = io.StringIO(text).readlines()
    lines.insert(end_of(header), file.getvalue())
    return "".join(lines).encode(encoding if parsed.encoding or is_utf16 else "utf-8")


def _declared_xlsx(raw: bytes, declared: dict[str, str]) -> bytes:
    book = openpyxl_module().load_workbook(io.BytesIO(raw))
    sheet = book.create_sheet("Columns")
    for row in (("Column", "Declaration"), *declared.items()):
        sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


# --- writing


def dumps_csv(rules: RuleSet | RuleList | DecisionTable) -> str:
    """Return rules as CSV, one line per row; read back with the same space, they are equal.

    >>> from irenic import Rule
    >>> dumps_csv(RuleSet([Rule({"age": (0, 10)}, then="child")]))
    'age,then\\n[0..10),child\\n'
    """
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    header, *lines = _written(DecisionTable.from_rules(rules))
    # without quotes, these characters in a name would be detected as the delimiter
    needs_quotes = any(sign in name for name in header for sign in ";\t\r")
    quoting = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
    (quoting if needs_quotes else writer).writerow(header)
    writer.writerows([[_text_of(cell) for cell in line] for line in lines])
    return file.getvalue()


def _text_of(cell: Any) -> str:
    return cell if isinstance(cell, str) else literal_text(cell, words=True)


def dumps_xlsx(rules: RuleSet | RuleList | DecisionTable) -> bytes:
    """Return rules as a workbook of one sheet, one line per row; numbers and booleans are typed."""
    openpyxl = openpyxl_module()
    from openpyxl.cell import WriteOnlyCell

    table = DecisionTable.from_rules(rules)
    lines = list(_written(table, spell=beyond_doubt))
    for line in lines:
        check_cells(line)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet(re.sub(r"[\[\]:*?/\\']|[^ -\uffff]", "_", table.name)[:31] or "rules")
    file = io.BytesIO()
    for line in lines:
        cells = []
        for value in line:
            cell = WriteOnlyCell(sheet, value=value)
            if isinstance(value, str):
                cell.data_type = "s"  # text, even if it looks like a formula or an error
            cells.append(cell)
        sheet.append(cells)
    book.save(file)
    return file.getvalue()


def _written(
    table: DecisionTable, spell: Callable[[str], str] = lambda text: text
) -> Iterator[list[Any]]:
    """Yield the cells of a sheet, line by line: text, except for outcomes that are numbers."""
    letter, table = _under_letter(table)
    names = list(table.space.names)
    _check_heads(names)
    lines = lines_of(table)
    weighted = any(line.weight != 1.0 for line in lines)
    signs = _signs([*names, _outcome_name(table)], lines, letter)
    yield [
        *([letter] if letter else []),
        *names,
        *([WEIGHT] if weighted else []),
        _outcome_name(table),
    ]
    for number, line in enumerate(lines, 1):
        try:
            texts = line.texts or [cell_text(c, words=True) for c in line.cells]
            cells: list[Any] = [spell(text) for text in texts]
            cells += [spell(literal_text(line.weight, words=True))] if weighted else []
            cells.append(outcome_text(line.then))
        except FormatError as error:
            raise FormatError(f"rule {number}: {error.message}") from None
        for place in signs.get(number, ()):
            cells[place] = f"= {cells[place]}"
        yield [*([number] if letter else []), *cells]
    if table.rules.default is not None:
        blank = [""] * (len(names) - 1 + weighted)
        first = ["", DEFAULT] if letter else [DEFAULT]
        yield [*first, *blank, outcome_text(table.rules.default)]


def _signs(header: list[str], lines: list[TableLine], letter: str) -> dict[int, list[int]]:
    """Return, by line, the cells that need an operator so that their column is not ambiguous.

    ``header`` ends with the name of the outcome.
    """
    names = header[:-1]
    columns = [[_bare(line, place) for line in lines] for place in range(len(names))]
    places = {names.index(name) for name in refused_columns(names, columns)}
    for place, (name, values) in enumerate(zip(names, columns, strict=True)):
        if is_outcome(name) and values and not {None, NOTHING_ASKED} & set(values):
            places.add(place)
    places |= {names.index(name) for name in second_outcomes(names, columns)}
    if is_cross_table(header, [*columns, [line.then for line in lines]]):
        places.add(1)
    if names[0] in POLICIES and not letter and columns[0][:1] == [1]:
        places.add(0)  # it would be read as the number of a rule
    cells: dict[int, list[int]] = {}
    for place in sorted(places):
        number = next(n for n, v in enumerate(columns[place], 1) if v is not NOTHING_ASKED)
        cells.setdefault(number, []).append(place)
    return cells


def _bare(line: TableLine, place: int) -> Any:
    """Return the value of a cell that is written as a single value, else None."""
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
    """Return the letter of a table's hit policy, "" if it has none, and the table to write."""
    if table.hit_policy is None:
        if not len(table.rules) and table.space.names[:1] and table.space.names[0] in POLICIES:
            raise FormatError(
                f"feature {table.space.names[0]!r} of a table without rules would be read as a hit"
                " policy; rename the feature, or write .json"
            )
        return "", table
    if table.hit_policy == "OUTPUT ORDER":
        raise FormatError(
            "a sheet cannot represent the ranking of outcomes that OUTPUT ORDER needs; write .dmn,"
            " or use the hit policy RULE ORDER"
        )
    if table.hit_policy == "PRIORITY":
        order = table.winning
        rows = tuple(table.rows[place] for place in order)
        table = replace(table, rules=table.rules[order], rows=rows, hit_policy="FIRST", lines=())
    aggregation = table.aggregation if table.hit_policy == "COLLECT" else ""
    policy = (table.hit_policy, aggregation)
    letter = next((letter for letter, value in POLICIES.items() if value == policy), "")
    if not letter:
        raise FormatError(f"unknown aggregation {aggregation!r}; use SUM, MIN, MAX or COUNT")
    return letter, table


def _check_heads(names: list[str]) -> None:
    if not names:
        raise FormatError("a sheet must have at least one feature; write .dmn or .json")
    for name in names:
        if seen(name).strip() != name or name == WEIGHT or "\0" in name:
            raise FormatError(
                f"feature {name!r} cannot be the name of a column; rename it, or write .json"
            )


def _outcome_name(table: DecisionTable) -> str:
    name = ", ".join(table.outputs) or "then"
    while name in (*table.space.names, WEIGHT):
        name = f"{name} (outcome)"
    return name
