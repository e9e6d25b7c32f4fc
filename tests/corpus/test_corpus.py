"""Tables as people write them decide what a person expects, or are rejected with a way out."""

from __future__ import annotations

import csv
import io

import openpyxl
import pytest

import irenic
from corpus import tables as corpus
from irenic.errors import FormatError


def rows_of(text):
    return [
        [cell.strip().replace("\\n", "\n").replace("¦", " | ") for cell in line.split("|")]
        for line in text.split("\n")
    ]


def file_of(text, form):
    rows = rows_of(text)
    if form != "xlsx":
        file = io.StringIO()
        csv.writer(file, delimiter="," if form == "comma" else ";").writerows(rows)
        return file.getvalue().encode(), "csv"
    book = openpyxl.Workbook()
    for place, row in enumerate(rows, 1):
        for column, cell in enumerate(row, 1):
            if cell:
                # plain numbers are typed, as a person would enter them
                book.active.cell(place, column, int(cell) if cell.isdecimal() else cell)
                if cell.startswith("=") and not cell.startswith("=S"):
                    book.active.cell(place, column).data_type = "s"
    content = io.BytesIO()
    book.save(content)
    return content.getvalue(), "xlsx"


def read(table, form):
    content, kind = file_of(table.text, form)
    return irenic.parse(content, format=kind, **table.options).bound(None)


def cases_of(table):
    """Return twenty cases as columns, and their decisions."""
    if table.meaning == "member":
        yes, no = (
            {"TRUE": True, "FALSE": False}.get(word, word)
            for word in corpus.MEMBER[table.name.removeprefix("member: ")]
        )
        ages, members = zip(*corpus.MEMBERS, strict=True)
        columns = {"age": ages, "member": [yes if member else no for member in members]}
        return columns, [corpus.by_member(*case) for case in corpus.MEMBERS]
    values, decide = corpus.MEANINGS[table.meaning]
    return {table.meaning: values}, [decide(value) for value in values]


def test_there_are_a_hundred_tables():
    assert len({table.name for table in corpus.TABLES}) == len(corpus.TABLES) >= 100


# The golden outputs keep what is read from each table in each of its formats, word by word.


READ = [t for t in corpus.TABLES if not t.name.startswith("refused")]
REFUSED = [t for t in corpus.TABLES if t.name.startswith("refused")]


@pytest.mark.parametrize("table", READ, ids=lambda table: table.name)
def test_a_table_decides_what_a_person_expects(table):
    columns, expected = cases_of(table)
    assert len(expected) == 20
    found = read(table, table.formats[0])
    assert [str(error) for error in found.errors] == []
    names = {name.lower(): name for name in found.tables[0].space.names}
    data = {names[name]: values for name, values in columns.items()}
    data |= {name: ["cook"] * 20 for name in names.values() if name not in data}
    decided = found.tables[0].as_rules().predict(data)
    assert [str(then) for then in decided] == expected


@pytest.mark.parametrize("table", REFUSED, ids=lambda table: table.name)
def test_a_table_with_two_meanings_is_rejected(table):
    try:
        errors = [str(error) for error in read(table, table.formats[0]).errors]
    except FormatError as error:
        errors = [str(error)]
    assert any(table.meaning in error for error in errors), errors
