"""Edit the rows of a decision table in a CSV file or a workbook, and keep everything else.

Changed, dropped and added rows are explained in a column named :data:`NOTE` at the right of the
table, which is never read. A dropped row is emptied, so that nothing else moves.
"""

from __future__ import annotations

import codecs
import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from irenic.errors import FormatError
from irenic.formats.feel.doubtful_cells import beyond_doubt
from irenic.formats.feel.sets import cell_text, literal_text
from irenic.formats.sheets._grid import _DELIMITER, Line, _text, seen, sheets
from irenic.formats.sheets._outcomes import outcome_text
from irenic.formats.sheets.rules import NOTE, WEIGHT
from irenic.formats.spans import Element, Patch, elements, encoded, escaped, patched
from irenic.formats.tables.drafts import POLICIES
from irenic.formats.tables.edits import Edits, NewLine
from irenic.frames.csv import delimiter_of
from irenic.frames.xlsx import openpyxl_module
from irenic.model.decision_table import DecisionTable

_BREAK: Final = re.compile(r"\r\n|\r|\n")


class _Sheet(NamedTuple):
    """Where the parts of a table are in a sheet; columns are counted from 0."""

    header: int
    """The line of the header."""
    columns: dict[str, int]
    """The columns of the features."""
    outputs: list[int]
    weight: int | None
    note: int
    numbers: int | None
    """The column of rule numbers, under the letter of a hit policy."""
    first: int
    end: int
    """The columns of the table, without that of the notes."""
    lines: dict[int, list[str]]
    """The texts of the nonempty lines."""


def _located(table: DecisionTable, lines: dict[int, list[str]]) -> _Sheet:
    """Find the header of a table above its rows."""
    if not table.lines:
        raise FormatError("the lines of the rows are not known")
    top = min(table.lines)
    outputs = [*table.outputs] if len(table.outputs) > 1 else [table.outputs[0]]
    for number in sorted((n for n in lines if n < top), reverse=True):
        names = [seen(text).strip() for text in lines[number]]
        places = {name: place for place, name in reversed(list(enumerate(names))) if name}
        # the outcome is at the right of a feature with the same name
        last = {name: place for place, name in enumerate(names) if name}
        wanted = outputs
        if not all(name in places for name in outputs) and ", ".join(outputs) in places:
            wanted = [", ".join(outputs)]
        if not all(name in places for name in (*table.space.names, *wanted)):
            continue
        return _sheet(table, number, names, places, [last[name] for name in wanted], lines)
    raise FormatError("no line above the rows names all features and outcomes")


def _sheet(
    table: DecisionTable,
    header: int,
    names: list[str],
    places: dict[str, int],
    outputs: list[int],
    lines: dict[int, list[str]],
) -> _Sheet:
    columns = {name: places[name] for name in table.space.names}
    weight = next((place for name, place in places.items() if name.upper() == WEIGHT), None)
    first = min(places.values())
    end = max(place for name, place in places.items() if name != NOTE) + 1
    is_letter = names[first] in POLICIES and first not in columns.values()
    note = places.get(NOTE, end)
    if NOTE not in places:
        taken = [n for n, texts in lines.items() if n > header and "".join(texts[note:]).strip()]
        if taken:
            raise FormatError(f"line {taken[0]} has cells at the right of the table")
    numbers = first if is_letter and first not in outputs else None
    return _Sheet(header, columns, outputs, weight, note, numbers, first, end, lines)


class _Written(NamedTuple):
    """The cells of a line to write, by column; None empties a cell."""

    cells: dict[int, Any]
    like: int
    """The line whose other cells and styles it takes over."""
    at: int | None
    """The line to replace, None for a new one."""


def _written(
    table: DecisionTable, edits: Edits, sheet: _Sheet, command: str
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
            cells = _conditions(sheet, line)
            cells[sheet.note] = _noted(sheet, at, f"{command}: {line.note or 'changed'}")
            (added if place else changed).append(_Written(cells, at, None if place else at))
    last = max(table.lines)
    for line in edits.added:
        cells = dict.fromkeys(table_columns) | _conditions(sheet, line)
        cells |= _outcome(table, sheet, line)
        cells[sheet.note] = f"{command}: {line.note or 'added'}"
        added.append(_Written(cells, last, None))
    if sheet.numbers is not None:
        _number(table, edits, sheet, changed, added)
    return changed, added


def _noted(sheet: _Sheet, at: int, note: str) -> str:
    """Return a note, after the one that a line has already."""
    texts = sheet.lines[at]
    old = texts[sheet.note].strip() if sheet.note < len(texts) else ""
    return f"{old}; {note}" if old else note


def _conditions(sheet: _Sheet, line: NewLine) -> dict[int, Any]:
    return {
        sheet.columns[name]: beyond_doubt(cell_text(conditions, words=True))
        for name, conditions in line.cells.items()
    }


def _outcome(table: DecisionTable, sheet: _Sheet, line: NewLine) -> dict[int, Any]:
    parts: Sequence[Any] = [line.then]
    if len(sheet.outputs) > 1:
        assert isinstance(line.then, tuple)
        parts = line.then
    cells = {place: outcome_text(part) for place, part in zip(sheet.outputs, parts, strict=True)}
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
    raw: bytes, table: DecisionTable, edits: Edits, command: str, *, delimiter: str = ""
) -> bytes:
    """Return a CSV file with some rows of its table changed, and all other bytes as they were.

    >>> from irenic.formats.sheets.rules import parse_csv
    >>> from irenic.formats.tables.edits import edits_between
    >>> raw = b'age , fare\\r\\n"< 20", free\\r\\n>= 10, full\\r\\n'
    >>> old = parse_csv(raw).bind().table()
    >>> new = old.with_rules(old.rules[:1])
    >>> edit_csv(raw, old, edits_between(old, new), "irenic repair")
    b'age , fare,IRENIC NOTE\\r\\n"< 20", free\\r\\n,,irenic repair: dropped\\r\\n'
    """
    text = _text(raw)
    mark = next(mark for mark in _MARKS if raw.startswith(mark))
    declared = _DELIMITER.match(text)
    delimiter = declared["sign"] if declared else delimiter or delimiter_of(seen(text))
    records = dict(_records(text, delimiter))
    lines = {n: [_plain(text[a:b]) for a, b in fields] for n, fields in records.items()}
    sheet = _located(table, {n: texts for n, texts in lines.items() if "".join(texts).strip()})
    changed, added = _written(table, edits, sheet, command)
    patches = []
    header = records[sheet.header]
    if sheet.note == sheet.end:
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


def edit_xlsx(raw: bytes, table: DecisionTable, edits: Edits, command: str) -> bytes:
    """Return a workbook with some rows of a sheet changed; all other parts keep their bytes."""
    lines = next((lines for title, lines in sheets(raw) if title == table.name), None)
    if lines is None:
        raise FormatError(f"the workbook has no sheet {table.name!r}")
    texts = {line.number: _texts(line) for line in lines}
    sheet = _located(table, texts)
    changed, added = _written(table, edits, sheet, command)
    book = openpyxl_module().load_workbook(io.BytesIO(raw), read_only=True)
    path = book[table.name]._worksheet_path
    book.close()
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(file, "w") as new:
        new.comment = old.comment
        for part in old.infolist():
            data = old.read(part)
            if part.filename == path:
                data = _Part(data, sheet, changed + added).edited(changed, added)
            new.writestr(part, data, compress_type=part.compress_type)
    return file.getvalue()


def _texts(line: Line) -> list[str]:
    return ["" if cell is None else str(getattr(cell, "text", cell)) for cell in line.cells]


class _Part:
    """The XML of a sheet."""

    def __init__(self, raw: bytes, sheet: _Sheet, lines: list[_Written]) -> None:
        self.raw, self.sheet = raw, sheet
        needed = {0, sheet.header, *(line.like for line in lines)}
        bottom = max(sheet.lines)  # the last row is at or below it

        def wanted(tag: str, attributes: dict[str, str]) -> bool:
            if tag == "row":
                number = int(attributes.get("r", 0))
                return number in needed or number >= bottom
            return tag in ("mergeCell", "dimension")

        found = elements(raw, wanted)
        self.merges = [_range(e.attributes.get("ref", "")) for e in found if e.tag == "mergeCell"]
        self.rows = {int(e.attributes.get("r", 0)): e for e in found if e.tag == "row"}
        self.dimension = next((e for e in found if e.tag == "dimension"), None)
        if 0 in self.rows:
            raise FormatError("the rows of the sheet are not numbered")

    def edited(self, changed: list[_Written], added: list[_Written]) -> bytes:
        sheet = self.sheet
        patches: list[Patch] = []
        width = sheet.note
        if sheet.note == sheet.end:
            header = _Written({sheet.note: NOTE}, sheet.header, sheet.header)
            changed = [header, *changed]
        for line in changed:
            assert line.at is not None
            patches += self.cells(line.at, line.cells)
        last = max(self.rows)
        at = self.rows[last].end
        for number, line in enumerate(added, last + 1):
            patches.append(Patch(at, at, self.row(number, line)))
        if self.dimension is not None and (found := _range(self.dimension.attributes["ref"])):
            top, left, bottom, right = found
            corner = f"{_letters(max(right, width))}{max(bottom, last + len(added))}"
            new = f'<{self.dimension.name("dimension")} ref="{_letters(left)}{top}:{corner}"/>'
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
            name = f"{_letters(place)}{number}"
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
        if isinstance(value, int | float):
            return f"{head}><{row.name('v')}>{value!r}</{row.name('v')}></{tag}>"
        text = f'<{row.name("t")} xml:space="preserve">{escaped(value)}</{row.name("t")}>'
        return f'{head} t="inlineStr"><{row.name("is")}>{text}</{row.name("is")}></{tag}>'

    def row(self, number: int, line: _Written) -> bytes:
        """Return a new row; cells that the line does not set are copied from the one it is like."""
        like = self.rows[line.like]
        old = {_place(c.attributes.get("r", "")): c for c in like.all("c")}
        within = range(self.sheet.first, self.sheet.end)
        parts = [f'<{like.name("row")} r="{number}">'.encode()]
        for place in sorted({*line.cells, *(p for p in old if p in within)}):
            name, cell = f"{_letters(place)}{number}", old.get(place)
            if place not in line.cells and cell is not None:
                if cell.all("f"):
                    raise FormatError(f"a copy of row {line.like} would need a formula")
                raw = self.raw[cell.start : cell.end]
                pattern = rf"\br=([\"']){re.escape(cell.attributes['r'])}\1".encode()
                parts.append(re.sub(pattern, f'r="{name}"'.encode(), raw, count=1))
            elif place in line.cells and (cell is not None or line.cells[place] is not None):
                style = cell if place != self.sheet.note else None
                parts.append(encoded(self.cell(like, name, style, line.cells[place]), self.raw))
        return b"".join([*parts, f"</{like.name('row')}>".encode()])


_SPANS: Final = re.compile(rb"""\sspans=(?:"[^"]*"|'[^']*')""")
_CELL_NAME: Final = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")


def _place(name: str) -> int:
    """Return the column of a cell such as ``B5``, counted from 0; -1 if it has no name."""
    match = _CELL_NAME.fullmatch(name)
    if match is None:
        return -1
    place = 0
    for letter in match.group(1):
        place = 26 * place + ord(letter) - ord("A") + 1
    return place - 1


def _letters(place: int) -> str:
    """Return the letters of a column.

    >>> _letters(0), _letters(25), _letters(26), _letters(701), _letters(702)
    ('A', 'Z', 'AA', 'ZZ', 'AAA')
    """
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _range(reference: str) -> tuple[int, int, int, int] | None:
    """Return the top, left, bottom and right of a range; None if it is not one."""
    corners = [_CELL_NAME.fullmatch(part) for part in reference.split(":")]
    if not 1 <= len(corners) <= 2 or None in corners:
        return None
    first, last = corners[0], corners[-1]
    assert first is not None
    assert last is not None
    return int(first[2]), _place(first[0]), int(last[2]), _place(last[0])
