"""Edit the rows of a decision table in a CSV file or a workbook, and keep everything else.

Changed, dropped and added rows are explained in a column named :data:`NOTE` at the right of the
table, which is never read. A dropped row is emptied, so that nothing else moves.
"""

from __future__ import annotations

import codecs
import datetime as dt
import io
import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple

from irenic.errors import FormatError
from irenic.formats.feel.doubtful_cells import beyond_doubt
from irenic.formats.feel.sets import cell_text, literal_text
from irenic.formats.sheets._grid import Line, _text, csv_delimiter, seen, sheets
from irenic.formats.sheets._layout import NOTE, letters, place_of
from irenic.formats.sheets._outcomes import outcome_text
from irenic.formats.sheets._spellings import _MONEY
from irenic.formats.sheets.rules import WEIGHT
from irenic.formats.spans import Element, Patch, elements, encoded, escaped, patched
from irenic.formats.tables.drafts import POLICIES, Draft
from irenic.formats.tables.edits import Edits, NewLine
from irenic.frames.xlsx import openpyxl_module
from irenic.model.condition import Operators
from irenic.model.decision_table import DecisionTable
from irenic.model.features import Continuous, Feature

_BREAK: Final = re.compile(r"\r\n|\r|\n")


class _Column(NamedTuple):
    """A column of conditions."""

    name: str
    place: int
    """Counted from 0."""
    order: str
    """Operator of all its cells, if the column contains bounds of ranges, such as ``>=``."""
    before: str
    after: str
    """What numbers have before and after them: a currency or percent sign, and a blank."""


class _Sheet(NamedTuple):
    """Where the parts of a table are in a sheet; columns are counted from 0."""

    header: int
    """The line of the header."""
    columns: dict[str, list[_Column]]
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
    signs: dict[int, tuple[str, str]]
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
        is_number = type(old) in (int, float) or (not signed and not isinstance(old, dt.date))
        return value if self.cells and type(value) in (int, float) and is_number else None


def _located(
    table: DecisionTable, draft: Draft, lines: dict[int, list[str]], cells: dict[int, list[Any]]
) -> _Sheet:
    """Return where the columns of a table are in the sheet from which it was read."""
    if not table.lines:
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
    return _Sheet(
        draft.header,
        columns,
        [places[c.name] for c in draft.inputs if c.skipped == "identifier"],
        outputs,
        weight,
        _note_place(draft, names, end, lines),
        first if is_letter and first not in outputs else None,
        first,
        end,
        draft.decimal,
        lines,
        cells,
        {places[name]: _signs(draft, name) for name in wanted},
    )


def _note_place(draft: Draft, names: list[str], end: int, lines: dict[int, list[str]]) -> int:
    """Return the column of notes, which is at the right of the table."""
    if NOTE in names:
        return names.index(NOTE)
    if draft.part:  # the cells around the range stay
        return max(map(len, lines.values()))
    for number, texts in lines.items():
        if number > draft.header and "".join(texts[end:]).strip():
            raise FormatError(f"line {number} has cells at the right of the table")
    return end


def _columns(draft: Draft, name: str, table: DecisionTable) -> list[_Column]:
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
        columns.append(_Column(column.name, place, order, *signs))
    return columns


_AMOUNT: Final = re.compile(
    rf"(?P<before>{_MONEY}\s?)?\d(?:[\d.,'’]*\d)?(?P<after>\s?(?:%|{_MONEY}))?"
)


def _signs(draft: Draft, name: str) -> tuple[str, str]:
    """Return what numbers in the cells of a column have before and after them.

    >>> _signs(Draft("", respelled={("price", "over € 10"): "> 10"}), "price")
    ('€ ', '')
    """
    for header, text in draft.respelled:
        match = _AMOUNT.search(text) if header == name else None
        if match and (match["before"] or match["after"]):
            return match["before"] or "", match["after"] or ""
    return "", ""


class _Written(NamedTuple):
    """The cells of a line to write, by column; None empties a cell."""

    cells: dict[int, Any]
    like: int
    """The line whose other cells and styles it takes over."""
    at: int | None
    """The line to replace, None for a new one."""


def _written(
    table: DecisionTable, draft: Draft, edits: Edits, sheet: _Sheet, command: str
) -> tuple[list[_Written], list[_Written]]:
    """Return the lines to change, and those to add."""
    changed: list[_Written] = []
    added: list[_Written] = []
    table_columns = range(sheet.first, sheet.end)
    for row, new in sorted(edits.changed.items()):
        at = table.lines[row]
        if not new:
            note = _noted(sheet, at, f"{command}: {edits.notes[row] or 'dropped'}")
            changed.append(_Written(dict.fromkeys(table_columns) | {sheet.note: note}, at, at))
            continue
        for place, line in enumerate(new):
            cells = _conditions(table, sheet, line, at)
            old = _old_bounds(table, sheet, row)
            cells = {p: value for p, value in cells.items() if p not in old or value != old[p]}
            if place:  # no two rows have the same name or number
                cells |= dict.fromkeys(sheet.identifiers)
            cells[sheet.note] = _noted(sheet, at, f"{command}: {line.note or 'changed'}")
            (added if place else changed).append(_Written(cells, at, None if place else at))
    last = max(table.lines)
    for line in edits.added:
        cells = dict.fromkeys(table_columns) | _conditions(table, sheet, line, last)
        cells |= _outcome(sheet, line, last)
        cells[sheet.note] = f"{command}: {line.note or 'added'}"
        added.append(_Written(cells, last, None))
    if added and draft.part:
        raise FormatError(f"new rows would be outside the range {draft.part}")
    if sheet.numbers is not None:
        _number(table, edits, sheet, changed, added)
    return changed, added


def _noted(sheet: _Sheet, at: int, note: str) -> str:
    """Return a note, after the one that a line has already."""
    texts = sheet.lines[at]
    old = texts[sheet.note].strip() if sheet.note < len(texts) else ""
    return f"{old}; {note}" if old else note


def _conditions(table: DecisionTable, sheet: _Sheet, line: NewLine, like: int) -> dict[int, Any]:
    """Return the cells of conditions, in the way of the line that they replace or follow."""
    cells: dict[int, Any] = {}
    for name, conditions in line.cells.items():
        columns = sheet.columns[name]
        if any(column.order for column in columns):
            cells |= _bounds(table.space[name], sheet, columns, conditions, like)
        elif columns:
            column = columns[0]
            single = conditions[0].get("=") if len(conditions) == 1 else None
            signed = bool(column.before or column.after)
            value = sheet.as_cell(single, column.place, like, signed=signed)
            if value is None:
                text = beyond_doubt(cell_text(conditions, words=True))
                value = _spelled(text, sheet, column.before, column.after)
            cells[column.place] = value
        elif any(conditions):
            raise FormatError(f"the table has no column for {name!r}")
    return cells


def _old_bounds(table: DecisionTable, sheet: _Sheet, row: int) -> dict[int, Any]:
    """Return the cells of bounds in a row, as they would be written."""
    (place, *others) = table.places(row)
    conditions = dict(table.rules[place].region.conditions())
    cells: dict[int, Any] = {}
    for name, columns in sheet.columns.items() if not others else ():
        if any(column.order for column in columns):
            old = [conditions.get(name, {})]
            cells |= _bounds(table.space[name], sheet, columns, old, table.lines[row])
    return cells


def _bounds(
    feature: Feature,
    sheet: _Sheet,
    columns: list[_Column],
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
        signed = bool(column.before or column.after)
        value = sheet.as_cell(bound, column.place, like, signed=signed)
        if value is None and bound is not None:
            text = beyond_doubt(literal_text(bound, words=True))
            value = _spelled(text, sheet, column.before, column.after)
        cells[column.place] = value
    if operators:
        raise refusal
    return cells


_OTHER: Final = {">=": (">", 1), ">": (">=", -1), "<=": ("<", -1), "<": ("<=", 1)}
"""The operator that differs from another at its bound, and the way from one bound to the other."""
_STEPS: Final = {"integer": 1, "date": dt.timedelta(days=1)}
"""The distance between neighboring values, by the kind of feature."""
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")


def _spelled(text: str, sheet: _Sheet, before: str, after: str) -> str:
    """Return a cell with numbers as the other cells of its column have them."""
    if '"' in text:
        return text

    def signed(match: re.Match[str]) -> str:
        number = match.group()
        if after.strip() == "%":
            number = f"{Decimal(number).scaleb(2).normalize():f}"
        return f"{before}{number}{after}"

    if before or after:
        text = _NUMBER.sub(signed, text)
    if sheet.decimal == "," and re.search(r"\d\.\d", text):
        text = re.sub(r"(?<=\d)\.(?=\d)", ",", text.replace(", ", "; "))
    return text


def _outcome(sheet: _Sheet, line: NewLine, like: int) -> dict[int, Any]:
    parts: Sequence[Any] = [line.then]
    if len(sheet.outputs) > 1:
        assert isinstance(line.then, tuple)
        parts = line.then
    cells: dict[int, Any] = {}
    for place, part in zip(sheet.outputs, parts, strict=True):
        before, after = signs = sheet.signs[place]
        cell = sheet.as_cell(part, place, like, signed=any(signs))
        if cell is None:
            cell = outcome_text(part)
            if type(cell) in (int, float) and (any(signs) or not sheet.cells):
                cell = _spelled(literal_text(cell), sheet, before, after)
        cells[place] = cell
    if sheet.weight is not None and line.weight != 1.0:
        cells[sheet.weight] = literal_text(line.weight, words=True)
    return cells


def _number(
    table: DecisionTable,
    edits: Edits,
    sheet: _Sheet,
    changed: list[_Written],
    added: list[_Written],
) -> None:
    """Number the remaining rows again, because numbers with holes are not read as such."""
    assert sheet.numbers is not None
    written = {line.at: line for line in changed}
    number = 0
    for row, at in sorted(enumerate(table.lines), key=lambda pair: pair[1]):
        if not edits.changed.get(row, [True]):
            continue
        number += 1
        texts = sheet.lines[at]
        if texts[sheet.numbers].strip() in (str(number), f"{number}.0"):
            continue
        if at not in written:
            written[at] = _Written({}, at, at)
            changed.append(written[at])
        written[at].cells[sheet.numbers] = number
    for line in added:
        number += 1
        line.cells[sheet.numbers] = number


# --- CSV


def edit_csv(
    raw: bytes,
    table: DecisionTable,
    draft: Draft,
    edits: Edits,
    command: str,
    *,
    delimiter: str = "",
) -> bytes:
    """Return a CSV file with some rows of its table changed, and all other bytes as they were.

    >>> from irenic.formats.sheets.rules import parse_csv
    >>> from irenic.formats.tables.edits import edits_between
    >>> raw = b'age , fare\\r\\n"< 20", free\\r\\n>= 10, full\\r\\n'
    >>> parsed = parse_csv(raw)
    >>> old = parsed.bind().table()
    >>> new = old.with_rules(old.rules[:1])
    >>> edit_csv(raw, old, parsed.drafts[0], edits_between(old, new), "irenic repair")
    b'age , fare,IRENIC NOTE\\r\\n"< 20", free\\r\\n,,irenic repair: dropped\\r\\n'
    """
    text = _text(raw)
    mark = next(mark for mark in _MARKS if raw.startswith(mark))
    delimiter = delimiter or csv_delimiter(seen(text))
    records = dict(_records(text, delimiter))
    lines = {n: [_plain(text[a:b]) for a, b in fields] for n, fields in records.items()}
    filled = {n: texts for n, texts in lines.items() if "".join(texts).strip()}
    sheet = _located(table, draft, filled, {})
    changed, added = _written(table, draft, edits, sheet, command)
    patches = []
    header = records[sheet.header]
    if not sheet.has_note:
        patches.append(_record_patch(text, header, {sheet.note: NOTE}, delimiter))
    for line in changed:
        assert line.at is not None
        patches.append(_record_patch(text, records[line.at], line.cells, delimiter))
    end = "\r\n" if "\r\n" in text else "\n"
    for line in added:
        fields = records[line.like]
        new = _patched_record(text, fields, line.cells, delimiter)
        last = records[max(records)][-1][1]
        following = _BREAK.match(text, last)
        at = last if following is None else following.end()
        new = f"{end}{new}" if following is None else f"{new}{following.group()}"
        patches.append((at, at, new))
    pieces, at = [], 0
    for start, stop, new in sorted(patches, key=lambda patch: patch[:2]):
        pieces += [text[at:start], new]
        at = stop
    return mark + "".join([*pieces, text[at:]]).encode(_MARKS[mark])


_MARKS: Final = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
    b"": "utf-8",
}


def _records(text: str, delimiter: str) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Yield the places of the fields of each record, with its first line."""
    sign = re.escape(delimiter)
    field = re.compile(rf'(?:"(?:[^"]|"")*"[^{sign}\r\n]*|[^{sign}\r\n"][^{sign}\r\n]*)?')
    at, line, fields = 0, 1, []
    begin = line
    while True:
        match = field.match(text, at)
        assert match is not None
        fields.append(match.span())
        line += len(_BREAK.findall(match.group()))
        at = match.end()
        if text.startswith(delimiter, at):
            at += len(delimiter)
            continue
        yield begin, fields
        following = _BREAK.match(text, at)
        if following is None or following.end() == len(text):
            return
        at, line, fields = following.end(), line + 1, []
        begin = line


def _plain(field: str) -> str:
    """Return the text of a field without its quotes."""
    if field.startswith('"') and field.endswith('"') and len(field) > 1:
        return field[1:-1].replace('""', '"')
    return field


def _record_patch(
    text: str, fields: list[tuple[int, int]], cells: Mapping[int, Any], delimiter: str
) -> tuple[int, int, str]:
    return fields[0][0], fields[-1][1], _patched_record(text, fields, cells, delimiter)


def _patched_record(
    text: str, fields: list[tuple[int, int]], cells: Mapping[int, Any], delimiter: str
) -> str:
    parts = [text[a:b] for a, b in fields]
    parts += [""] * (max(cells, default=0) + 1 - len(parts))
    for place, value in cells.items():
        parts[place] = _quoted(value, parts[place], delimiter)
    return delimiter.join(parts)


def _quoted(value: Any, old: str, delimiter: str) -> str:
    new = "" if value is None else value if isinstance(value, str) else literal_text(value)
    needs_quotes = any(sign in new for sign in (delimiter, '"', "\r", "\n", ",", ";", "\t"))
    if needs_quotes or (new and old.startswith('"')):
        return '"' + new.replace('"', '""') + '"'
    return new


# --- workbooks


def edit_xlsx(raw: bytes, table: DecisionTable, draft: Draft, edits: Edits, command: str) -> bytes:
    """Return a workbook with some rows of a sheet changed; all other parts keep their bytes.

    If rows are added, what ends at the last row grows with them: tables of Excel, filters, data
    validations, conditional formats and the print area.
    """
    lines = next((lines for title, lines in sheets(raw) if title == table.name), None)
    if lines is None:
        raise FormatError(f"the workbook has no sheet {table.name!r}")
    texts = {line.number: _texts(line) for line in lines}
    sheet = _located(table, draft, texts, {line.number: line.cells for line in lines})
    changed, added = _written(table, draft, edits, sheet, command)
    book = openpyxl_module().load_workbook(io.BytesIO(raw), read_only=True)
    path, index, epoch = (
        book[table.name]._worksheet_path,
        book.sheetnames.index(table.name),
        book.epoch,
    )
    book.close()
    grown = _Grown(max(texts), len(added), range(sheet.first, sheet.end), len(table.lines))
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(file, "w") as new:
        new.comment = old.comment
        tables = _table_parts(old, path)
        for part in old.infolist():
            data = old.read(part)
            if part.filename == path:
                data = _Part(data, sheet, changed + added, epoch).edited(changed, added, grown)
            elif added and part.filename in tables:
                data = patched(data, grown.table_patches(data))
            elif added and part.filename.endswith("workbook.xml"):
                data = patched(data, grown.name_patches(data, index))
            new.writestr(part, data, compress_type=part.compress_type)
    return file.getvalue()


def _texts(line: Line) -> list[str]:
    return ["" if cell is None else str(getattr(cell, "text", cell)) for cell in line.cells]


def _table_parts(book: zipfile.ZipFile, path: str) -> set[str]:
    """Return the paths of the tables of Excel in a sheet."""
    folder, _, name = path.rpartition("/")
    relations = f"{folder}/_rels/{name}.rels"
    if relations not in book.namelist():
        return set()
    found = elements(book.read(relations), lambda tag, _: tag == "Relationship")
    targets = [e.attributes["Target"] for e in found if e.attributes["Type"].endswith("/table")]
    return {posixpath.normpath(posixpath.join("/", folder, t)).lstrip("/") for t in targets}


class _Grown(NamedTuple):
    """Grows ranges that end at the last row, because rows are added below it."""

    last: int
    n_added: int
    columns: range
    n_rows: int

    def reference(self, reference: str) -> str:
        """Return a range that ends at the last row with the new rows, others as they are.

        >>> grown = _Grown(5, 2, range(3), 4)
        >>> [*map(grown.reference, ["A1:C5", "$B$2:$B$5", "A1:C4", "E1:E5", "B5"])]
        ['A1:C7', '$B$2:$B$7', 'A1:C4', 'E1:E5', 'B5']
        """
        corners = _range(reference)
        if corners is None:
            return reference
        top, left, bottom, right = corners
        # one cell of several in a column is special in itself
        special = top == bottom and self.n_rows > 1
        if bottom != self.last or special or right < self.columns[0] or left > self.columns[-1]:
            return reference
        first, _, corner = reference.rpartition(":")
        return f"{first or corner}:{corner.removesuffix(str(bottom))}{bottom + self.n_added}"

    def references(self, references: str) -> str:
        """Return ranges that are separated by blanks."""
        return " ".join(map(self.reference, references.split(" ")))

    def sheet_patches(self, raw: bytes, found: list[Element]) -> Iterator[Patch]:
        """Yield patches of the filter, the validations and the conditional formats of a sheet."""
        for element in found:
            for name in ("ref", "sqref"):
                yield from self._attribute(raw, element, name)
            for child in element.children:  # of newer versions of Excel
                if child.tag == "sqref":
                    text = raw[child.opened : child.closing].decode("utf-8")
                    yield Patch(child.opened, child.closing, self.references(text).encode("utf-8"))

    def table_patches(self, raw: bytes) -> Iterator[Patch]:
        """Yield patches of a table of Excel, unless its last row contains totals."""
        (table,) = elements(raw, lambda tag, _: tag == "table")
        if table.attributes.get("totalsRowCount", "0") == "0":
            for element in (table, *table.all("autoFilter")):
                yield from self._attribute(raw, element, "ref")

    def name_patches(self, raw: bytes, sheet: int) -> Iterator[Patch]:
        """Yield patches of the names of the filter and the print area of a sheet."""
        for name in elements(raw, lambda tag, _: tag == "definedName"):
            is_of_sheet = name.attributes.get("localSheetId") == str(sheet)
            if is_of_sheet and name.attributes["name"] in _NAMED_RANGES:
                title, sign, reference = (
                    raw[name.opened : name.closing].decode("utf-8").rpartition("!")
                )
                new = f"{title}{sign}{self.reference(reference)}"
                yield Patch(name.opened, name.closing, new.encode("utf-8"))

    def _attribute(self, raw: bytes, element: Element, name: str) -> Iterator[Patch]:
        """Yield the patch of an attribute that contains ranges."""
        old = element.attributes.get(name, "")
        new = self.references(old)
        if new != old:
            tag = raw[element.start : element.opened]
            pattern = rf"""(\s{name}\s*=\s*["']){re.escape(old)}(?=["'])""".encode()
            value = re.sub(pattern, lambda match: match.group(1) + new.encode(), tag, count=1)
            yield Patch(element.start, element.opened, value)


_NAMED_RANGES: Final = ("_xlnm._FilterDatabase", "_xlnm.Print_Area")
_GROWING: Final = ("autoFilter", "dataValidation", "conditionalFormatting")


class _Part:
    """The XML of a sheet."""

    def __init__(
        self, raw: bytes, sheet: _Sheet, lines: list[_Written], epoch: dt.datetime
    ) -> None:
        self.raw, self.sheet, self.epoch = raw, sheet, epoch
        needed = {0, sheet.header, *(line.like for line in lines)}
        bottom = max(sheet.lines)  # the last row is at or below it

        def wanted(tag: str, attributes: dict[str, str]) -> bool:
            if tag == "row":
                number = int(attributes.get("r", 0))
                return number in needed or number >= bottom
            return tag in ("mergeCell", "dimension", *_GROWING)

        found = elements(raw, wanted)
        self.merges = [_range(e.attributes.get("ref", "")) for e in found if e.tag == "mergeCell"]
        self.rows = {int(e.attributes.get("r", 0)): e for e in found if e.tag == "row"}
        self.dimension = next((e for e in found if e.tag == "dimension"), None)
        self.growing = [e for e in found if e.tag in _GROWING]
        if 0 in self.rows:
            raise FormatError("the rows of the sheet are not numbered")

    def edited(self, changed: list[_Written], added: list[_Written], grown: _Grown) -> bytes:
        sheet = self.sheet
        patches: list[Patch] = []
        if not sheet.has_note:
            header = _Written({sheet.note: NOTE}, sheet.header, sheet.header)
            changed = [header, *changed]
        for line in changed:
            assert line.at is not None
            patches += self.cells(line.at, line.cells)
        for number, line in enumerate(added, grown.last + 1):
            if number in self.rows:  # an empty row that has a format
                row = self.rows[number]
                patches.append(Patch(row.start, row.end, self.row(number, line)))
            else:
                at = self.rows[max(n for n in self.rows if n < number)].end
                patches.append(Patch(at, at, self.row(number, line)))
        if added:
            patches += grown.sheet_patches(self.raw, self.growing)
        if self.dimension is not None and (found := _range(self.dimension.attributes["ref"])):
            top, left, bottom, right = found
            bottom = max(bottom, grown.last + len(added))
            corner = f"{letters(max(right, sheet.note))}{bottom}"
            new = f'<{self.dimension.name("dimension")} ref="{letters(left)}{top}:{corner}"/>'
            patches.append(Patch(self.dimension.start, self.dimension.end, new.encode()))
        return patched(self.raw, patches)

    def cells(self, number: int, values: Mapping[int, Any]) -> Iterator[Patch]:
        """Yield the patches that set cells of a row."""
        row = self.rows[number]
        old = {_place(c.attributes.get("r", "")): c for c in row.all("c")}
        if -1 in old:
            raise FormatError("the cells of the sheet are not numbered")
        if "spans" in row.attributes:  # optional, and would no longer be true
            tag = _SPANS.sub(b"", self.raw[row.start : row.opened])
            yield Patch(row.start, row.opened, tag)
        for place, value in sorted(values.items()):
            name = f"{letters(place)}{number}"
            cell = old.get(place)
            if cell is None and value is None:
                continue
            self.check(cell, name, number, place)
            new = encoded(self.cell(row, name, cell, value), self.raw)
            if cell is not None:
                yield Patch(cell.start, cell.end, new)
                continue
            after = [c.end for p, c in old.items() if p < place]
            at = max(after, default=row.opened)
            if row.is_empty_tag:
                raise FormatError(f"row {number} of the sheet is empty")
            yield Patch(at, at, new)

    def check(self, cell: Element | None, name: str, number: int, place: int) -> None:
        if cell is not None and cell.all("f"):
            raise FormatError(f"cell {name} is a formula, which would be lost")
        for top, left, bottom, right in filter(None, self.merges):
            if top <= number <= bottom and left <= place <= right:
                raise FormatError(f"cell {name} is part of merged cells")

    def cell(self, row: Element, name: str, old: Element | None, value: Any) -> str:
        style = "" if old is None else old.attributes.get("s", "")
        tag = row.name("c")
        head = f'<{tag} r="{name}"' + (f' s="{style}"' if style else "")
        if value is None:
            return f"{head}/>"
        if isinstance(value, bool):
            return f'{head} t="b"><{row.name("v")}>{value:d}</{row.name("v")}></{tag}>'
        if isinstance(value, dt.date):
            from openpyxl.utils.datetime import to_excel

            value = to_excel(value, self.epoch)
        if isinstance(value, int | float):
            return f"{head}><{row.name('v')}>{value!r}</{row.name('v')}></{tag}>"
        text = f'<{row.name("t")} xml:space="preserve">{escaped(value)}</{row.name("t")}>'
        return f'{head} t="inlineStr"><{row.name("is")}>{text}</{row.name("is")}></{tag}>'

    def row(self, number: int, line: _Written) -> bytes:
        """Return a new row; cells that the line does not set are copied from the one it is like."""
        like, within = self.rows[line.like], range(self.sheet.first, self.sheet.end)
        old = {_place(c.attributes.get("r", "")): c for c in like.all("c")}
        empty = self.rows.get(number)
        beside = [] if empty is None else empty.all("c")
        parts = {_place(c.attributes["r"]): self.raw[c.start : c.end] for c in beside}
        for place in sorted({*line.cells, *(p for p in old if p in within)}):
            name, cell = f"{letters(place)}{number}", old.get(place)
            self.check(None, name, number, place)
            if place not in line.cells and cell is not None:
                if cell.all("f"):
                    raise FormatError(f"a copy of row {line.like} would need a formula")
                raw = self.raw[cell.start : cell.end]
                pattern = rf"\br=([\"']){re.escape(cell.attributes['r'])}\1".encode()
                parts[place] = re.sub(pattern, f'r="{name}"'.encode(), raw, count=1)
            elif place in line.cells and (cell is not None or line.cells[place] is not None):
                style = cell if place != self.sheet.note else None
                text = self.cell(like, name, style, line.cells[place])
                parts[place] = encoded(text, self.raw)
        cells = b"".join(parts[place] for place in sorted(parts))
        return self.opening(like, number) + cells + f"</{like.name('row')}>".encode()

    def opening(self, like: Element, number: int) -> bytes:
        """Return the opening tag of a row with the height and style of another."""
        tag = _ROW_ATTRIBUTES.sub(b"", self.raw[like.start : like.opened])
        name = like.name("row").encode()
        return tag.replace(b"<" + name, b'<%s r="%d"' % (name, number), 1)


_ROW_ATTRIBUTES: Final = re.compile(rb"""\s(?:r|spans|hidden|collapsed)=(?:"[^"]*"|'[^']*')""")
_SPANS: Final = re.compile(rb"""\sspans=(?:"[^"]*"|'[^']*')""")
_CELL_NAME: Final = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")


def _place(name: str) -> int:
    """Return the column of a cell such as ``B5``, counted from 0; -1 if it has no name."""
    match = _CELL_NAME.fullmatch(name)
    return -1 if match is None else place_of(match.group(1))


def _range(reference: str) -> tuple[int, int, int, int] | None:
    """Return the top, left, bottom and right of a range; None if it is not one."""
    corners = [_CELL_NAME.fullmatch(part) for part in reference.split(":")]
    if not 1 <= len(corners) <= 2 or None in corners:
        return None
    first, last = corners[0], corners[-1]
    assert first is not None
    assert last is not None
    return int(first[2]), _place(first[0]), int(last[2]), _place(last[0])
