"""What columns are: shown by cells, or asked; never guessed from names."""

from __future__ import annotations

import ast
import datetime as dt
import re

import pytest

import irenic
from corpus import roles, tables
from corpus.test_corpus import file_of, rows_of
from irenic.errors import FormatError
from irenic.formats.sheets.roles import BOUND, is_value
from irenic.formats.tables.drafts import POLICIES

# A message names its ways out as values of an argument; the first one is suggested.
WAY = re.compile(r"roles=(\{.*?\})")


def read(table, answer=None, text=None):
    content, form = file_of(table.text if text is None else text, "comma")
    options = dict(getattr(table, "options", {}))
    if answer is not None:
        options["roles"] = {**options.get("roles", {}), **answer}
    return irenic.parse(content, format=form, **options).bound(None)


def ways_out(errors):
    """Return the ways out that each message names, in its order."""
    return [[ast.literal_eval(way) for way in WAY.findall(str(error))] for error in errors]


def suggested(errors):
    """Return what follows from taking the first way out of each message."""
    return {name: role for ways in ways_out(errors) for name, role in ways[0].items()}


def answered(table):
    """Return a table after its author answered once, and whether that was needed."""
    found = read(table)
    if not found.errors:
        assert table.answer is None, found.readings[0]
        return found, False
    errors = [str(error) for error in found.errors]
    assert table.answer is not None, errors
    assert all(ways_out(found.errors)), errors
    answer = suggested(found.errors)
    if table.answer != roles.S:
        answer |= table.answer
    return read(table, answer), True


def value_of(text):
    for kind in (int, float, dt.date.fromisoformat, dt.time.fromisoformat):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def shown(then):
    return " ".join(map(str, then)) if isinstance(then, tuple) else str(then)


@pytest.mark.parametrize("table", roles.TABLES, ids=lambda table: table.name)
def test_a_table_decides_what_is_meant_after_at_most_one_answer(table):
    found, _ = answered(table)
    assert [str(error) for error in found.errors] == []
    [read_as] = found.tables
    names = [name.strip() for name in table.names.split(", ")]
    assert sorted(read_as.space.names) == sorted(names), found.readings[0]
    for case in table.cases.split("; "):
        values, expected = case.split(" -> ")
        record = dict(zip(names, map(value_of, values.split(", ")), strict=True))
        record = {
            name: str(value) if hasattr(read_as.space[name], "codes") else value
            for name, value in record.items()
        }
        record = {
            name: next(
                (v for v in getattr(read_as.space[name], "values", ()) if str(v) == value), value
            )
            for name, value in record.items()
        }
        decided = read_as.as_rules().predict(
            {name: [value] for name, value in record.items()}, resolve="first"
        )
        assert shown(decided[0]) == expected, (case, found.readings[0])


@pytest.mark.parametrize("table", roles.TABLES, ids=lambda table: table.name)
def test_every_way_out_of_a_message_works(table):
    found = read(table)
    for place, (error, ways) in enumerate(zip(found.errors, ways_out(found.errors), strict=True)):
        others = [e for i, e in enumerate(found.errors) if i != place]
        for way in ways:
            again = read(table, suggested(others) | way)
            assert str(error) not in [str(e) for e in again.errors]


def test_there_are_sixty_tables():
    assert len({table.name for table in roles.TABLES}) == len(roles.TABLES) >= 60


# --- names do not matter

NEUTRAL = ["Alpha", "Bravo", "Charlie", "Delta", "Echo", "Foxtrot", "Golf", "Hotel", "India"]
TELLING = ["Comment", "Outcome", "No", "Age from", "Priority", "Max price", "Valid until", "Notes",
           "Result"]  # fmt: skip


def renamed(table, words):
    """Return the text of a table with other names, and the names by their new ones; or None."""
    rows = rows_of(table.text)
    options = getattr(table, "options", {})
    try:
        content, form = file_of(table.text, "comma")
        places = irenic.parse(content, format=form, **options).drafts[0].places
    except (FormatError, IndexError):
        return None
    header = next((i for i, row in enumerate(rows) if set(places) & set(row)), None)
    if header is None or options or not set(places) <= set(rows[header]):
        return None
    new = {}
    for name, word in zip(places, words, strict=False):
        cells = " ".join(cell for row in rows[header + 1 :] for cell in row)
        if name.casefold() in cells.casefold():  # a cell compares its column
            return None
        if is_value(name) or name.upper() == "RULE WEIGHT" or name in POLICIES:
            new[name] = name
        elif match := BOUND.fullmatch(name):
            new[name] = f"{words[-1]} {match[2]}"
        else:
            unit = re.search(r"\s*[(\[].*[)\]]$", name)
            new[name] = word + (unit.group() if unit else "")
    lines = [[new.get(cell, cell) if i == header else cell for cell in row]
             for i, row in enumerate(rows)]  # fmt: skip
    text = "\n".join(" | ".join(cell.replace("\n", "\\n") for cell in line) for line in lines)
    return text, {b: a for a, b in new.items()}


def as_said(found, names):
    """Return what is said of a table, without any of the names."""
    any_name = re.compile(
        rf"(?<!\w)(?:{'|'.join(re.escape(n) for n in sorted(names, key=len, reverse=True))})(?!\w)",
        re.IGNORECASE,
    )

    def plain(text):
        return any_name.sub("•", re.sub(r'"([\w >=<]+)"', r"\1", str(text)))

    asked = {str(doubt) for draft in found.drafts for doubt in draft.doubts}
    places = {name: place for draft in found.drafts for name, place in draft.places.items()}
    questions = [
        ([places.get(name, name) for name in doubt.columns], sorted(map(len, doubt.ways)))
        for draft in found.drafts
        for doubt in draft.doubts
    ]
    bound = found.bound(None)
    said = [plain(e.reason) for e in bound.errors if e.reason not in asked]
    said += [plain(w.reason) for w in bound.warnings]
    read_as = [plain(reading) for reading in bound.readings]
    rules = [plain(rule) for table in bound.tables for rule in table.rules]
    checked = [plain(found) for table in bound.tables for found in irenic.check(table)]
    return questions, said, read_as, rules, checked


ALL = [*roles.TABLES, *tables.TABLES]


@pytest.mark.parametrize(
    "words", [NEUTRAL, TELLING, TELLING[::-1]], ids=["neutral", "telling", "other"]
)
@pytest.mark.parametrize("table", ALL, ids=lambda table: table.name)
def test_renaming_columns_changes_no_reading_and_no_finding(table, words):
    other = renamed(table, words)
    if other is None:
        pytest.skip("cells or options name the columns")
    text, names = other
    parsed = []
    for each in (table.text, text):
        content, form = file_of(each, "comma")
        try:
            parsed.append(irenic.parse(content, format=form))
        except FormatError as error:
            parsed.append(error)
    assert [type(p) for p in parsed[:1]] == [type(p) for p in parsed[1:]]
    before, after = parsed
    if isinstance(before, FormatError):
        return
    every = {*names, *names.values()}
    assert as_said(before, every) == as_said(after, every)
