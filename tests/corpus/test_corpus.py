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
        found = read(table, form)
        assert [str(error) for error in found.errors] == []
        decided = found.tables[0]
        names = {name.lower(): name for name in decided.space.names}
        data = {names[name]: values for name, values in columns.items()}
        data |= {name: ["cook"] * 20 for name in decided.space.names if name not in data}
        assert [str(then) for then in decided.as_rules().predict(data)] == expected, form


@pytest.mark.parametrize("table", REFUSED, ids=lambda table: table.name)
def test_a_table_with_two_meanings_is_rejected(table):
    for form in table.formats:
        try:
            messages = [str(error) for error in read(table, form).errors]
        except FormatError as error:
            messages = [str(error)]
        assert any(table.meaning in message for message in messages), (form, messages)
