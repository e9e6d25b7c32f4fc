"""Declarations of columns written into a spreadsheet, as they were inferred."""

from __future__ import annotations

import csv
import io

from irenic.errors import FormatError
from irenic.formats._reading import parse
from irenic.formats.feel.sets import literal_text
from irenic.formats.parsed import Parsed
from irenic.formats.sheets._domains import (
    declaration_of,
)
from irenic.formats.sheets._grid import (
    check_merges,
    csv_lines,
)
from irenic.formats.sheets._layout import (
    end_of,
)
from irenic.formats.tables.drafts import TableDraft
from irenic.frames.xlsx import open_workbook
from irenic.model.decision_table import DecisionTable


def with_declarations(raw: bytes, parsed: Parsed) -> bytes:
    """Return a spreadsheet with declarations of its columns, as they were inferred.

    A CSV file gets a row under its header, a workbook a sheet named Columns.
    """
    tables = parsed.bound(None)
    if tables.errors:
        raise tables.errors[0]
    for draft in parsed.drafts:
        if draft.declared:
            raise FormatError("the table declares its columns already; edit the declarations")
    write = _declared_csv if parsed.format == "csv" else _declared_xlsx
    declared: dict[str, str] = {}
    for table, draft in zip(tables.tables, parsed.drafts, strict=True):
        declared |= _declarations(table, draft)
    written = write(raw, parsed, declared)
    if any(draft.doubts for draft in parse(written, format=parsed.format).drafts):
        # what the caller answered
        for draft in parsed.drafts:
            for name, role in draft.roles.items():
                declared[name] = f"{role}: {declared[name]}" if name in declared else role
        written = write(raw, parsed, declared)
    return written


def _declarations(table: DecisionTable, draft: TableDraft) -> dict[str, str]:
    """Return the kind and values of each column."""
    features = {column.name: column.bound[0] for column in draft.inputs if column.bound}
    declared = {}
    for name in draft.places:
        feature = features.get(name, name)
        text = ""
        if feature in table.space:
            text = declaration_of(table.space[feature])
        elif name in draft.outputs:
            text = _outcomes(draft, draft.outputs.index(name))
        if text:
            declared[name] = text
    return declared


def _outcomes(draft: TableDraft, place: int) -> str:
    """Return the declaration of an outcome column, "" if its values are not plain."""
    thens = [row.then for row in draft.rows]
    if len(draft.outputs) > 1:
        thens = [then[place] for then in thens if isinstance(then, tuple)]
    values = dict.fromkeys(thens)
    if not all(type(value) in (str, int, float, bool) for value in values):
        return ""
    return f"one of {', '.join(literal_text(value, words=True) for value in values)}"


def _declared_csv(raw: bytes, parsed: Parsed, declared: dict[str, str]) -> bytes:
    draft: TableDraft = parsed.drafts[0]
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
    lines = io.StringIO(text, newline="").readlines()
    place = end_of(header)
    end = next((end for end in ("\r\n", "\r") if lines[place - 1].endswith(end)), "\n")
    csv.writer(file, delimiter=delimiter, lineterminator=end).writerow(row)
    lines.insert(place, file.getvalue())
    if not parsed.encoding and not is_utf16:
        encoding = "utf-8-sig" if raw.startswith(b"\xef\xbb\xbf") else "utf-8"
    return "".join(lines).encode(encoding)


def _declared_xlsx(raw: bytes, _: Parsed, declared: dict[str, str]) -> bytes:
    check_merges(raw)
    book = open_workbook(raw, read_only=False)
    sheet = book.create_sheet("Columns")
    for row in (("Column", "Declaration"), *declared.items()):
        sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()
