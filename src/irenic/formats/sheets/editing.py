"""Edit the rows of a decision table in a CSV file or a workbook, and keep everything else."""

from __future__ import annotations

import codecs
import io
import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any, Final

from irenic.errors import FormatError
from irenic.formats.feel.sets import literal_text
from irenic.formats.sheets._grid import SheetLine, _text, csv_delimiter, sheets
from irenic.formats.sheets._layout import NOTE
from irenic.formats.sheets._new_cells import located, new_cells
from irenic.formats.sheets._sheet_xml import Grown, SheetXml
from irenic.formats.spans import elements, patched
from irenic.formats.tables.drafts import TableDraft
from irenic.formats.tables.edits import Edits
from irenic.frames.xlsx import number_formats, open_workbook
from irenic.model.characters import cleaned
from irenic.model.decision_table import DecisionTable
from irenic.model.patterns import lazy

_BREAK: Final = lazy(r"\r\n|\r|\n")


# --- CSV


def edit_csv(
    raw: bytes,
    table: DecisionTable,
    draft: TableDraft,
    edits: Edits,
    command: str,
    *,
    delimiter: str = "",
) -> bytes:
    """Return a CSV file with some rows of its table changed, and all other bytes as they were."""
    mark = next(mark for mark in _MARKS if raw.startswith(mark))
    text, delimiter, records = fields_of(raw, delimiter)
    lines = {n: [_plain(text[a:b]) for a, b in fields] for n, fields in records.items()}
    filled = {n: texts for n, texts in lines.items() if "".join(texts).strip()}
    sheet = located(table, draft, filled, {}, noted=bool(command))
    changed, added = new_cells(table, draft, edits, sheet, command)
    patches = []
    header = records[sheet.header]
    if command and not sheet.has_note:
        patches.append(_record_patch(text, header, {sheet.note: NOTE}, delimiter))
    dropped = {table.provenance.lines[row] for row, new in edits.changed.items() if not new}
    for line in changed:
        assert line.at is not None
        if not command and line.at in dropped:
            patches.append(_removed(text, records[line.at]))
            continue
        patches.append(_record_patch(text, records[line.at], line.cells, delimiter))
    end = "\r\n" if "\r\n" in text else "\n"
    for line in added:
        fields = records[line.like]
        new = _patched_record(text, fields, line.cells, delimiter)
        last = records[line.like if not command else sheet.last][-1][1]
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


def fields_of(raw: bytes, delimiter: str = "") -> tuple[str, str, dict[int, list[tuple[int, int]]]]:
    """Return the text of a CSV file, its delimiter, and the places of the fields by line."""
    text = _text(raw)
    delimiter = delimiter or csv_delimiter(cleaned(text))
    return text, delimiter, dict(_records(text, delimiter))


def _records(text: str, delimiter: str) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Yield the places of the fields of each record, with its first line."""
    sign = re.escape(delimiter)
    field = lazy(rf'(?:"(?:[^"]|"")*"[^{sign}\r\n]*|[^{sign}\r\n"][^{sign}\r\n]*)?')
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


def _removed(text: str, fields: list[tuple[int, int]]) -> tuple[int, int, str]:
    """Return the patch that removes a record with its line break."""
    following = _BREAK.match(text, fields[-1][1])
    return fields[0][0], fields[-1][1] if following is None else following.end(), ""


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


def edit_xlsx(
    raw: bytes, table: DecisionTable, draft: TableDraft, edits: Edits, command: str
) -> bytes:
    """Return a workbook with some rows of a sheet changed; all other parts keep their bytes.

    If rows are added, what ends at the last row grows with them: tables of Excel, filters, data
    validations, conditional formats and the print area.
    """
    lines = next((lines for title, lines in sheets(raw) if title == table.name), None)
    if lines is None:
        raise FormatError(f"the workbook has no sheet {table.name!r}")
    texts = {line.number: _texts(line) for line in lines}
    values = {line.number: line.cells for line in lines}
    sheet = located(table, draft, texts, values, noted=bool(command))
    changed, added = new_cells(table, draft, edits, sheet, command)
    book = open_workbook(raw)
    path, index, epoch = (
        book[table.name]._worksheet_path,
        book.sheetnames.index(table.name),
        book.epoch,
    )
    codes = number_formats(book)
    book.close()
    moves = bool(added) and max(texts) > sheet.last
    grown = Grown(
        sheet.last, len(added), range(sheet.first, sheet.end), len(table.provenance.lines), moves
    )
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(file, "w") as new:
        new.comment = old.comment
        if moves:
            _check_others(old, path, table.name, grown)
        tables = _parts(old, path, "table")
        for part in old.infolist():
            data = old.read(part)
            if part.filename == path:
                xml = SheetXml(data, sheet, changed + added, epoch, codes)
                data = xml.edited(changed, added, grown)
            elif added and part.filename in tables:
                data = patched(data, grown.table_patches(data))
            elif added and part.filename.endswith("workbook.xml"):
                data = patched(data, grown.name_patches(data, index))
            new.writestr(part, data, compress_type=part.compress_type)
    return file.getvalue()


def _texts(line: SheetLine) -> list[str]:
    return ["" if cell is None else str(getattr(cell, "text", cell)) for cell in line.cells]


def _check_others(book: zipfile.ZipFile, path: str, sheet: str, grown: Grown) -> None:
    """Raise an error if another part of the workbook refers to rows that would move."""
    for name in _parts(book, path, "comments") | _parts(book, path, "threadedComment"):
        raw = book.read(name)
        listed = elements(raw, lambda tag, _: tag in ("comment", "threadedComment"))
        places = [element.attributes.get("ref", "") for element in listed]
        if any(grown.reference(place) != place for place in places):
            raise FormatError("a row below the table has a comment, which would not move with it")
    for name in book.namelist():
        if name.endswith(".xml") and "/worksheets/" in name and name != path:
            raw = book.read(name)
            if grown.refers(raw, elements(raw, lambda tag, _: tag == "f"), sheet):
                raise FormatError("a formula refers to rows below the table, which would move")


def _parts(book: zipfile.ZipFile, path: str, kind: str) -> set[str]:
    """Return the paths of the tables of Excel in a sheet, or of other parts that belong to it."""
    folder, _, name = path.rpartition("/")
    relations = f"{folder}/_rels/{name}.rels"
    if relations not in book.namelist():
        return set()
    found = elements(book.read(relations), lambda tag, _: tag == "Relationship")
    targets = [e.attributes["Target"] for e in found if e.attributes["Type"].endswith(f"/{kind}")]
    return {posixpath.normpath(posixpath.join("/", folder, t)).lstrip("/") for t in targets}
