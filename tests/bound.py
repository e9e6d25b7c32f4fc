"""Sources parsed and bound in one step; what is wrong with a whole source is raised.

And workbooks to parse.
"""

from __future__ import annotations

import io
from dataclasses import replace

import openpyxl

from irenic.formats.dmn.reading import parse_dmn
from irenic.formats.sheets.rules import parse_csv, parse_xlsx
from irenic.frames.files import as_bytes


def loads_csv(raw, *, space=None, hit_policy=None, **options):
    return replace(parse_csv(as_bytes(raw), **options), hit_policy=hit_policy).bound(space)


def loads_xlsx(raw, *, space=None, **options):
    return parse_xlsx(raw, **options).bound(space)


def loads_dmn(raw, *, space=None, **options):
    return parse_dmn(raw, **options).bound(space)


def workbook(**sheets):
    """Return a workbook with rows of cells, by the titles of its sheets."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()
