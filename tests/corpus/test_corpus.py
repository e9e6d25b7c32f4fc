"""Tables as people write them decide what a person expects, or are rejected with a way out."""

from __future__ import annotations

import csv
import io
from functools import cache

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


def csv_of(text, form):
    file = io.StringIO()
    csv.writer(file, delimiter="," if form == "comma" else ";").writerows(rows_of(text))
    return file.getvalue().encode()


def read(table, form):
    """Return the errors of a table as texts, and the table."""
    if form == "xlsx":
        return workbook(frozenset(table.options.items()))[table.name]
    try:
        found = irenic.parse(csv_of(table.text, form), format="csv", **table.options).bound(None)
    except FormatError as error:
        return [str(error)], None
    return [str(error) for error in found.errors], found.tables[0] if found.tables else None


@cache
def workbook(options):
    """Return all tables with some options, read from the sheets of one workbook."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    tables = [
        table
        for table in corpus.TABLES
        if "xlsx" in table.formats and options == frozenset(table.options.items())
    ]
    for number, table in enumerate(tables):
        sheet = book.create_sheet(f"Table {number}")
        for place, row in enumerate(rows_of(table.text), 1):
            for column, text in enumerate(row, 1):
                if text:
                    # plain numbers are typed, as a person would enter them
                    cell = sheet.cell(place, column, int(text) if text.isdecimal() else text)
                    if text.startswith("=") and not text.startswith("=S"):
                        cell.data_type = "s"
    content = io.BytesIO()
    book.save(content)
    found = irenic.parse(content.getvalue(), format="xlsx", **dict(options)).bound(None)
    by_name = {table.name: table for table in found.tables}
    sheets = {}
    for number, table in enumerate(tables):
        title = f"Table {number}"
        notes = [str(e) for e in found.errors if title == e.table]
        sheets[table.name] = notes, by_name.get(title)
    return sheets


def cases_of(table):
    """Return twenty cases as columns, and their decisions."""
    if table.meaning == "member":
        words = corpus.MEMBER[table.name.removeprefix("member: ")]
        words = {"TRUE": True, "FALSE": False}.get(words[0], words[0]), words[1]
        yes, no = (True, False) if words[0] is True else words
        columns = {
            "age": [age for age, _ in corpus.MEMBERS],
            "member": [yes if member else no for _, member in corpus.MEMBERS],
        }
        return columns, [corpus.by_member(*case) for case in corpus.MEMBERS]
    values, decide = {
        "age": (corpus.AGES, corpus.by_age),
        "amount": (corpus.AMOUNTS, corpus.by_amount),
        "country": (corpus.COUNTRIES, corpus.by_country),
        "day": (corpus.DAYS, corpus.by_day),
        "rate": (corpus.RATES, corpus.by_rate),
        "time": (corpus.CLOCK, corpus.by_clock),
        "week": (corpus.WEEK[:20], corpus.by_week),
    }[table.meaning]
    return {table.meaning: values}, [decide(value) for value in values]


def test_there_are_a_hundred_tables():
    assert len({table.name for table in corpus.TABLES}) == len(corpus.TABLES) >= 100


READ = [t for t in corpus.TABLES if not t.name.startswith("refused")]
REFUSED = [t for t in corpus.TABLES if t.name.startswith("refused")]


@pytest.mark.parametrize("table", READ, ids=lambda table: table.name)
def test_a_table_decides_what_a_person_expects(table):
    columns, expected = cases_of(table)
    assert len(expected) == 20
    for form in table.formats:
        errors, decided = read(table, form)
        assert errors == []
        names = {name.lower(): name for name in decided.space.names}
        data = {names[name]: values for name, values in columns.items()}
        data |= {name: ["cook"] * 20 for name in decided.space.names if name not in data}
        assert [str(then) for then in decided.as_rules().predict(data)] == expected, form


@pytest.mark.parametrize("table", REFUSED, ids=lambda table: table.name)
def test_a_table_with_two_meanings_is_rejected(table):
    for form in table.formats:
        errors, _ = read(table, form)
        assert any(table.meaning in error for error in errors), (form, errors)
