"""The rows of a sheet: cells become tests and outcomes, and what is ambiguous is reported."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Hashable
from typing import Any, Final

from irenic.errors import FormatError
from irenic.formats.feel.doubtful_cells import (
    means_any,
    means_else,
    means_total,
)
from irenic.formats.feel.sets import literal_text
from irenic.formats.feel.unary_tests import ANYTHING, DASHES, Compare, parse_value
from irenic.formats.sheets._doubtful_cells import CellDoubts
from irenic.formats.sheets._doubtful_columns import is_words
from irenic.formats.sheets._grid import (
    Percentage,
    SheetLine,
    Unreadable,
)
from irenic.formats.sheets._layout import (
    DEFAULT,
    WEIGHT,
)
from irenic.formats.sheets._outcomes import (
    FORMULA,
    LIKE_A_FORMULA,
    ZEROS,
    means_impossible,
    read_outcome,
)
from irenic.formats.sheets._spellings import (
    Locale,
    is_amount,
    needs_locale,
    reread,
    respelled,
    value_text,
)
from irenic.formats.tables.drafts import Cell, Row, TableDraft
from irenic.model.head import Head
from irenic.model.literals import counted, quote
from irenic.model.rule import as_consequent


class RowReader:
    """Adds the rows of a sheet to a draft."""

    def __init__(
        self, draft: TableDraft, names: list[str], locale: Locale, *, typed: bool, has_commas: bool
    ) -> None:
        self.draft, self.names, self.locale, self.typed = draft, names, locale, typed
        self.doubts = CellDoubts(draft, settled=locale.decimal != "", has_commas=has_commas)
        self.inputs = [names.index(column.name) for column in draft.inputs]
        self.outputs = [names.index(n) for n in draft.outputs]
        self.weight = names.index(WEIGHT) if WEIGHT in names else None
        self.known: list[dict[Any, Any]] = [{} for _ in names]
        """By column, what the cells mean that cause neither errors nor warnings."""
        self.n_notes = 0
        """Errors, warnings and doubts, when a cell was last read."""

    def read(self, line: SheetLine, *, is_last: bool = False) -> None:
        draft, cells = self.draft, line.cells
        number = len(draft.rows) + 1
        if len(cells) > len(self.names) and any(c is not None for c in cells[len(self.names) :]):
            draft.fail(
                f"a row must have at most {counted(len(self.names), 'cell')}, got {len(cells)}",
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
        for i in self.outputs:
            if isinstance(cells[i], str | Percentage):
                key = (self.names[i], str(cells[i]).strip())
                times, first = draft.thens.get(key, (0, line.number))
                draft.thens[key] = (times + 1, first)
        then = thens[0] if len(thens) == 1 else tuple(thens)
        if len(thens) > 1 and any(isinstance(part, Head) for part in thens):
            reason = "labels can only be decided one by one in the only outcome column"
            draft.fail(reason, rule=number, line=line.number)
        if is_last and (reason := self.like_no_rule(cells)):
            name = self.names[self.inputs[0]]
            self.fail(reason, number, name, line, cells[self.inputs[0]])
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
        if all(means_impossible(cells[i]) for i in self.outputs):
            draft.impossible.append(Row(number, line.number, tests, then, is_impossible=True))
            draft.remarks.append(f"line {line.number} says what cannot occur")
            return
        draft.rows.append(Row(number, line.number, tests, then, self.weigh(cells, number, line)))

    def once(
        self, read: Callable[..., Any], value: Any, place: int, number: int, line: SheetLine
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

    def like_no_rule(self, cells: list[Any]) -> str:
        """Return why a row without conditions, named default or total, is no rule; "" if it is."""
        first, *others = (cells[i] for i in self.inputs)
        plain = first.strip() if isinstance(first, str) else ""
        if plain.upper() == DEFAULT != plain and all(o is None or _is_dash(o) for o in others):
            return _LIKE_DEFAULT
        return _TOTALS if means_total(plain) and not any(others) else ""

    def is_else(self, cells: list[Any]) -> bool:
        """Return whether a row is for all other cases, in words: ``else``, ``otherwise``."""
        texts = [cells[i] for i in self.inputs if cells[i] is not None]
        if not all(isinstance(text, str) for text in texts) or not any(map(means_else, texts)):
            return False
        return all(means_else(t) or means_any(t) or _is_dash(t) for t in texts)

    def cell(self, value: Any, number: int, header: str, line: SheetLine) -> Cell:
        if isinstance(value, Percentage):
            return Cell(str(value), Compare("=", self.percentage(value, header)))
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

    def text(self, text: str, number: int, header: str, line: SheetLine) -> Cell:
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

    def fail(self, reason: str, number: int, header: str, line: SheetLine, text: str = "") -> None:
        self.draft.fail(reason, rule=number, header=header, text=text, line=line.number)

    def outcome(self, value: Any, number: int, header: str, line: SheetLine) -> Hashable:
        try:
            if value is None:
                raise FormatError("the outcome is empty; every rule must have one")
            if isinstance(value, Unreadable):
                raise FormatError(value.reason)
            if isinstance(value, Percentage):
                then = self.percentage(value, header)
                self.doubts.amount(str(value), then, number, header, line.number)
                return as_consequent(then)
            if not isinstance(value, str):
                self.doubts.amount(str(value), value, number, header, line.number)
                return as_consequent(_as_literal(value))
            number_read = self.number(value, header)
            then = read_outcome(value) if number_read is None else number_read
            self.doubts.outcome(value, then, number, header, line.number)
            self.doubts.amount(value, then, number, header, line.number)
            return as_consequent(then)
        except ValueError as error:
            reason = error.message if isinstance(error, FormatError) else str(error)
            text = value if isinstance(value, str) else getattr(value, "text", "")
            self.fail(reason, number, header, line, text)
            return ""

    def percentage(self, value: Percentage, header: str) -> Any:
        """Return the number of a cell that shows a percent sign, whatever the locale."""
        spelling = value_text(str(value), Locale("."))
        self.draft.respelled[header, str(value)] = spelling
        return parse_value(spelling)

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

    def weigh(self, cells: list[Any], number: int, line: SheetLine) -> float:
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
