"""What the cells of changed and added rows contain, written as the other cells of their table.

Changed, dropped and added rows are explained in a column named :data:`NOTE` at the right of the
table, which is never read. A dropped row is emptied, so that nothing else moves.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple

from irenic.errors import FormatError
from irenic.formats.feel.doubtful_cells import beyond_doubt
from irenic.formats.feel.sets import cell_text, literal_text
from irenic.formats.sheets._grid import Percentage, seen
from irenic.formats.sheets._layout import NOTE
from irenic.formats.sheets._outcomes import outcome_text
from irenic.formats.sheets._spellings import _MONEY, _UNIT
from irenic.formats.sheets.rules import WEIGHT
from irenic.formats.tables.drafts import POLICIES, TableDraft
from irenic.formats.tables.edits import Edits, NewLine
from irenic.model.condition import Operators
from irenic.model.decision_table import DecisionTable
from irenic.model.features import Continuous, Feature
from irenic.model.patterns import lazy


class Signs(NamedTuple):
    """What numbers have before and after them: a currency, percent sign or unit, and a blank."""

    before: str = ""
    after: str = ""
    after_one: str = ""
    """What the number 1 has after it, as in ``1 day``."""
    joins: bool = False
    """Whether ranges are written as ``2-3 days``."""


class ConditionColumn(NamedTuple):
    """A column of conditions."""

    name: str
    place: int
    """Counted from 0."""
    order: str
    """Operator of all its cells, if the column contains bounds of ranges, such as ``>=``."""
    signs: Signs


class Sheet(NamedTuple):
    """Where the parts of a table are in a sheet; columns are counted from 0."""

    header: int
    """The line of the header."""
    last: int
    """The last line of the table; new rows follow it, above any footnotes."""
    columns: dict[str, list[ConditionColumn]]
    """The columns of each feature; several if they contain its bounds."""
    identifiers: list[int]
    outputs: list[int]
    weight: int | None
    note: int
    numbers: int | None
    """The column of rule numbers, under the letter of a hit policy."""
    first: int
    end: int
    """The columns of the table, without that of the notes."""
    decimal: str
    lines: dict[int, list[str]]
    """The texts of the nonempty lines."""
    cells: dict[int, list[Any]]
    """The values of these lines in a workbook, where numbers and dates are more than text."""
    signs: dict[int, Signs]
    """What the numbers of outcomes have before and after them, by column."""

    @property
    def has_note(self) -> bool:
        """Whether there is a column of notes already."""
        header = self.lines[self.header]
        return self.note < len(header) and seen(header[self.note]).strip() == NOTE

    def as_cell(self, value: Any, place: int, line: int, *, signed: bool) -> Any:
        """Return a number or date as a value of a workbook, None if it has to be text.

        The value takes the format of the cell that it replaces in a line. ``signed`` says whether
        other cells of the column are text with a currency or percent sign.
        """
        cells = self.cells.get(line, ())
        old = cells[place] if place < len(cells) else None
        if isinstance(value, dt.date):
            return value if isinstance(old, dt.date) else None
        is_number = type(old) in (int, float, Percentage) or (
            not signed and not isinstance(old, dt.date)
        )
        return value if self.cells and type(value) in (int, float) and is_number else None


def located(
    table: DecisionTable,
    draft: TableDraft,
    lines: dict[int, list[str]],
    cells: dict[int, list[Any]],
    *,
    noted: bool = True,
) -> Sheet:
    """Return where the columns of a table are in the sheet from which it was read.

    ``noted`` says whether notes will be written at the right of the table.
    """
    if not table.provenance.lines:
        raise FormatError("the lines of the rows are not known")
    if draft.crossed:
        raise FormatError("the rows of a cross table cannot be changed one by one")
    if draft.header not in lines:
        raise FormatError("its header was not found")
    names = [seen(text).strip() for text in lines[draft.header]]
    places = {name: place for name, place in draft.places.items() if name != NOTE}
    columns = {name: _columns(draft, name, table) for name in table.space.names}
    wanted = [name for name in table.outputs if name in places]
    if len(wanted) < len(table.outputs):
        wanted = [", ".join(table.outputs)]
    if wanted[0] not in places:
        raise FormatError(f"no column is named {wanted[0]!r}")
    weight = next((place for name, place in places.items() if name.upper() == WEIGHT), None)
    first, end = min(places.values()), max(places.values()) + 1
    if draft.hit_policy and not draft.letter and first and names[first - 1] in POLICIES:
        first -= 1  # a column of rule numbers that has the name of another column
    used = {column.place for several in columns.values() for column in several}
    is_letter = names[first] in POLICIES and first not in used
    outputs = [places[name] for name in wanted]
    return Sheet(
        draft.header,
        draft.last,
        columns,
        _identifiers(table, [places[name] for name in draft.ignored], lines),
        outputs,
        weight,
        _note_place(draft, names, end, lines if noted else {}),
        first if is_letter and first not in outputs else None,
        first,
        end,
        draft.decimal,
        lines,
        cells,
        {places[name]: _signs(draft, name) for name in wanted},
    )


def _identifiers(table: DecisionTable, places: list[int], lines: dict[int, list[str]]) -> list[int]:
    """Return the columns that are not read and differ in every row, such as numbers of rows."""
    rows = [lines.get(line, []) for line in table.provenance.lines]
    columns = {p: [row[p].strip() if p < len(row) else "" for row in rows] for p in places}
    return [p for p, texts in columns.items() if all(texts) and len(set(texts)) == len(texts)]


def _note_place(draft: TableDraft, names: list[str], end: int, lines: dict[int, list[str]]) -> int:
    """Return the column of notes, which is at the right of the table."""
    if NOTE in names:
        return names.index(NOTE)
    if draft.part:  # the cells around the range stay
        return max(map(len, lines.values()), default=end)
    for number, texts in lines.items():
        if number > draft.header and "".join(texts[end:]).strip():
            raise FormatError(f"line {number} has cells at the right of the table")
    return end


def _columns(draft: TableDraft, name: str, table: DecisionTable) -> list[ConditionColumn]:
    """Return the columns with the conditions on a feature."""
    columns = []
    for column in draft.inputs:
        if column.bound and column.bound[0] == name and column.name not in table.space:
            order = column.bound[1]
        elif column.name == name:
            order = ""
        else:
            continue
        place, signs = draft.places[column.name], _signs(draft, column.name)
        columns.append(ConditionColumn(column.name, place, order, signs))
    return columns


_AMOUNT: Final = lazy(
    rf"(?P<before>{_MONEY}\s?)?(?P<number>\d(?:[\d.,'’]*\d)?)\+?(?P<after>\s?(?:%|{_MONEY}|{_UNIT}))?",
    re.IGNORECASE,
)
_JOINED: Final = lazy(rf"\d+\s?[-–]\s?\d+\s?{_UNIT}", re.IGNORECASE)


def _signs(draft: TableDraft, name: str) -> Signs:
    """Return what numbers in the cells of a column have before and after them."""
    texts = [text for header, text in draft.respelled if header == name]
    amounts = [match for text in texts for match in _AMOUNT.finditer(text)]
    signed = [match for match in amounts if match["before"] or match["after"]]
    if not signed:
        return Signs()
    several = next((match for match in signed if match["number"] != "1"), signed[0])
    after = several["after"] or ""
    one = next((match["after"] or "" for match in signed if match["number"] == "1"), after)
    joins = any(_JOINED.fullmatch(text) for text in texts)
    return Signs(several["before"] or "", after, one, joins)


class NewCells(NamedTuple):
    """The cells of a line to write, by column; None empties a cell."""

    cells: dict[int, Any]
    like: int
    """The line whose other cells and styles it takes over."""
    at: int | None
    """The line to replace, None for a new one."""


def new_cells(
    table: DecisionTable, draft: TableDraft, edits: Edits, sheet: Sheet, command: str
) -> tuple[list[NewCells], list[NewCells]]:
    """Return the lines to change, and those to add."""
    changed: list[NewCells] = []
    added: list[NewCells] = []
    table_columns = range(sheet.first, sheet.end)
    for row, new in sorted(edits.changed.items()):
        at = table.provenance.lines[row]
        if not new:
            emptied: dict[int, Any] = dict.fromkeys(table_columns)
            if command:
                note = _noted(sheet, at, f"{command}: {edits.notes[row] or 'dropped'}")
                emptied[sheet.note] = note
            changed.append(NewCells(emptied, at, at))
            continue
        for place, line in enumerate(new):
            cells = _conditions(table, sheet, line, at)
            old = _old_bounds(table, sheet, row)
            cells = {p: value for p, value in cells.items() if p not in old or value != old[p]}
            rule = table.rules[table.places(row)[0]]
            if (line.then, line.weight) != (rule.then, rule.weight):
                cells |= _outcome(sheet, line, at)
            if place:  # no two rows have the same name or number
                cells |= dict.fromkeys(sheet.identifiers)
            if command:
                cells[sheet.note] = _noted(sheet, at, f"{command}: {line.note or 'changed'}")
            (added if place else changed).append(NewCells(cells, at, None if place else at))
    last = max(table.provenance.lines)
    for line in edits.added:
        cells = dict.fromkeys(table_columns) | _conditions(table, sheet, line, last)
        cells |= _outcome(sheet, line, last)
        if command:
            cells[sheet.note] = f"{command}: {line.note or 'added'}"
        added.append(NewCells(cells, last, None))
    if added and draft.part:
        raise FormatError(f"new rows would be outside the range {draft.part}")
    if sheet.numbers is not None:
        # new lines of a text file edited by hand follow those they are like; others come last
        _number(table, edits, sheet, changed, added, in_place=not command and not sheet.cells)
    return changed, added


def _noted(sheet: Sheet, at: int, note: str) -> str:
    """Return a note, after the one that a line has already."""
    texts = sheet.lines[at]
    old = texts[sheet.note].strip() if sheet.note < len(texts) else ""
    return f"{old}; {note}" if old else note


def _conditions(table: DecisionTable, sheet: Sheet, line: NewLine, like: int) -> dict[int, Any]:
    """Return the cells of conditions, in the way of the line that they replace or follow."""
    cells: dict[int, Any] = {}
    for name, conditions in line.cells.items():
        columns = sheet.columns[name]
        if any(column.order for column in columns):
            cells |= _bounds(table.space[name], sheet, columns, conditions, like)
        elif columns:
            column = columns[0]
            single = conditions[0].get("=") if len(conditions) == 1 else None
            value = sheet.as_cell(single, column.place, like, signed=any(column.signs))
            if value is None:
                text = cell_text(conditions, words=True)
                feature = table.space[name]
                if column.signs.joins and getattr(feature, "kind", "") == "integer":
                    text = _closed(text)
                value = _spelled(beyond_doubt(text), sheet, column.signs)
            cells[column.place] = value
        elif any(conditions):
            raise FormatError(f"the table has no column for {name!r}")
    return cells


def _old_bounds(table: DecisionTable, sheet: Sheet, row: int) -> dict[int, Any]:
    """Return the cells of bounds in a row, as they would be written."""
    (place, *others) = table.places(row)
    conditions = dict(table.rules[place].region.conditions())
    cells: dict[int, Any] = {}
    for name, columns in sheet.columns.items() if not others else ():
        if any(column.order for column in columns):
            old = [conditions.get(name, {})]
            cells |= _bounds(table.space[name], sheet, columns, old, table.provenance.lines[row])
    return cells


def _bounds(
    feature: Feature,
    sheet: Sheet,
    columns: list[ConditionColumn],
    conditions: list[Operators],
    like: int,
) -> dict[int, Any]:
    """Return the cells of the columns that contain the bounds of one range."""
    text = cell_text(conditions, words=True)
    names = " and ".join(repr(column.name) for column in columns)
    refusal = FormatError(f"columns {names} cannot contain the condition {text!r}")
    operators = dict(conditions[0])
    if "=" in operators:
        value = operators.pop("=")
        operators |= {">=": value, "<=": value}
    if len(conditions) > 1 or not set(operators) <= set(_OTHER):
        raise refusal
    step: Any = _STEPS.get(feature.kind) if isinstance(feature, Continuous) else None
    cells: dict[int, Any] = {}
    for column in columns:
        if not column.order:
            raise refusal
        bound = operators.pop(column.order, None)
        other, sign = _OTHER[column.order]
        if bound is None and other in operators:
            if step is None:
                raise refusal
            bound = operators.pop(other) + sign * step
        value = sheet.as_cell(bound, column.place, like, signed=any(column.signs))
        if value is None and bound is not None:
            text = beyond_doubt(literal_text(bound, words=True))
            value = _spelled(text, sheet, column.signs)
        cells[column.place] = value
    if operators:
        raise refusal
    return cells


_OTHER: Final = {">=": (">", 1), ">": (">=", -1), "<=": ("<", -1), "<": ("<=", 1)}
"""The operator that differs from another at its bound, and the way from one bound to the other."""
_STEPS: Final = {"integer": 1, "date": dt.timedelta(days=1)}
"""The distance between neighboring values, by the kind of feature."""
_NUMBER: Final = lazy(r"\d+(?:\.\d+)?")


def _closed(text: str) -> str:
    """Return a cell of whole numbers with ranges that include both ends."""
    if "." in text.replace("..", ""):
        return text

    def closed(match: re.Match[str]) -> str:
        low = int(match[2]) + (match[1] == "(")
        high = int(match[3]) - (match[4] == ")")
        return f"[{low}..{high}]"

    return _SPAN.sub(closed, text)


_SPAN: Final = lazy(r"([\[(])(\d+)\.\.(\d+)([\])])")


def _spelled(text: str, sheet: Sheet, signs: Signs) -> str:
    """Return a cell with numbers as the other cells of its column have them."""
    if '"' in text:
        return text

    def signed(match: re.Match[str]) -> str:
        number = match.group()
        if signs.after.strip() == "%":
            number = f"{Decimal(number).scaleb(2).normalize():f}"
        return f"{signs.before}{number}{signs.after_one if number == '1' else signs.after}"

    if signs.joins and (span := _SPAN.fullmatch(text)) and span[1] + span[4] == "[]":
        return f"{span[2]}-{span[3]}{signs.after}"
    if any(signs):
        text = _NUMBER.sub(signed, text)
    if sheet.decimal == "," and re.search(r"\d\.\d", text):
        text = re.sub(r"(?<=\d)\.(?=\d)", ",", text.replace(", ", "; "))
    return text


def _outcome(sheet: Sheet, line: NewLine, like: int) -> dict[int, Any]:
    parts: Sequence[Any] = [line.then]
    if len(sheet.outputs) > 1:
        assert isinstance(line.then, tuple)
        parts = line.then
    cells: dict[int, Any] = {}
    for place, part in zip(sheet.outputs, parts, strict=True):
        signs = sheet.signs[place]
        cell = sheet.as_cell(part, place, like, signed=any(signs))
        if cell is None:
            cell = outcome_text(part)
            if type(cell) in (int, float) and (any(signs) or not sheet.cells):
                cell = _spelled(literal_text(cell), sheet, signs)
        cells[place] = cell
    if sheet.weight is not None and line.weight != 1.0:
        cells[sheet.weight] = literal_text(line.weight, words=True)
    return cells


def _number(
    table: DecisionTable,
    edits: Edits,
    sheet: Sheet,
    changed: list[NewCells],
    added: list[NewCells],
    *,
    in_place: bool = False,
) -> None:
    """Number the remaining rows again, because numbers with holes are not read as such."""
    assert sheet.numbers is not None
    written = {line.at: line for line in changed}
    number = 0
    for row, at in sorted(enumerate(table.provenance.lines), key=lambda pair: pair[1]):
        following = [line for line in added if line.like == at] if in_place else []
        if edits.changed.get(row, [True]):
            number += 1
            texts = sheet.lines[at]
            if texts[sheet.numbers].strip() not in (str(number), f"{number}.0"):
                if at not in written:
                    written[at] = NewCells({}, at, at)
                    changed.append(written[at])
                written[at].cells[sheet.numbers] = number
        for line in following:
            number += 1
            line.cells[sheet.numbers] = number
    for line in added if not in_place else ():
        number += 1
        line.cells[sheet.numbers] = number
