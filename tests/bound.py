"""Sources parsed and bound in one step; what is wrong with a whole source is raised.

And workbooks to parse, what was said about a source, and the command.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import openpyxl
from typer.testing import CliRunner

import irenic
from irenic.cli import app
from irenic.formats.dmn.reading import parse_dmn
from irenic.formats.editing import edited
from irenic.formats.sheets.rules import parse_csv, parse_xlsx
from irenic.frames.files import as_bytes


def answers(parsed):
    """Return the suggested answers to all questions about a source."""
    doubts = [doubt for d in parsed.drafts for doubt in getattr(d, "doubts", ())]
    return {name: role for doubt in doubts for name, role in doubt.answers()[0].items()}


def loads_csv(raw, *, space=None, hit_policy=None, **options):
    """Return the table of a CSV file; questions get the suggested answer, unless a space does."""
    parsed = parse_csv(as_bytes(raw), **options)
    if space is None and (known := answers(parsed)):
        parsed = parse_csv(as_bytes(raw), **with_roles(options, known))
    return replace(parsed, hit_policy=hit_policy).bound(space)


def loads_xlsx(raw, *, space=None, **options):
    """Return the tables of a workbook; questions get the suggested answer, unless a space does."""
    parsed = parse_xlsx(raw, **options)
    if space is None and (known := answers(parsed)):
        parsed = parse_xlsx(raw, **with_roles(options, known))
    return parsed.bound(space)


def with_roles(options, known):
    """Return options of a reader with further roles."""
    return options | {"roles": known | options.get("roles", {})}


def loads_dmn(raw, *, space=None, **options):
    return parse_dmn(raw, **options).bound(space)


def saved(book):
    """Return the bytes of a workbook."""
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def book_of(*rows):
    """Return a workbook with one sheet of rows."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    return book


def workbook(**sheets):
    """Return the bytes of a workbook with rows of cells, by the titles of its sheets."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    return saved(book)


def repacked(raw, change):
    """Return a workbook with each part as a function of its name and content returns it."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return file.getvalue()


def column(*cells, name="a"):
    """Return a table of one column of cells, each with an outcome of its own.

    It is a CSV file if all cells are texts, and otherwise a workbook, which takes longer.
    """
    rows = [[name, "then"], *([cell, f"row {n}"] for n, cell in enumerate(cells))]
    if not all(isinstance(cell, str) for cell in cells):
        return loads_xlsx(workbook(Table=rows))
    return loads_csv("".join(",".join(map(quoted, row)) + "\n" for row in rows))


def quoted(text):
    """Return a text as a cell of CSV."""
    return '"' + text.replace('"', '""') + '"'


def reasons(notes):
    """Return what errors or warnings say, without their places."""
    return [note.reason for note in notes]


def messages(found):
    """Return the errors and the warnings of a source as texts."""
    return [str(error) for error in found.errors], [str(note) for note in found.warnings]


def rules_of(found):
    """Return the rules of the first table as texts; there must be no errors."""
    assert messages(found)[0] == []
    return [str(rule) for rule in found.tables[0].rules]


def table_of(content, **options):
    """Return the only table of a CSV file about which nothing is said."""
    found = loads_csv(content, **options)
    assert messages(found) == ([], [])
    [table] = found.tables
    return table


def error_of(content, **options):
    """Return the only error of a CSV file about which nothing else is said."""
    [error], warnings = messages(loads_csv(content, **options))
    assert warnings == []
    return error


def warning_of(content, **options):
    """Return the only warning about a CSV file that has no errors."""
    errors, [warning] = messages(loads_csv(content, **options))
    assert errors == []
    return warning


def mended(content, form, how="trim", *, name=None, noted=False, **options):
    """Return a table, the table after a repair, and the content edited as "mend" does it."""
    parsed = irenic.parse(content, format=form, **options)
    if known := answers(parsed):
        parsed = irenic.parse(content, format=form, **with_roles(options, known))
    table = parsed.bound(None).table(name)
    repair = irenic.repair(table, how)
    notes = {change.rule: change.text for change in repair.changes} if noted else None
    return table, repair.table, edited(parsed, table, repair.table, notes, command="mend")


def run(*arguments):
    """Run the command, and return its result."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])
