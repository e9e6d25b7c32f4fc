"""Edits of tables as people write them: titles, bounds in two columns, row numbers, local numbers.

An edited file is read with the same meaning, and its other cells are unchanged; or it is refused.
"""

from __future__ import annotations

import csv
import io

import openpyxl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import irenic
from bound import answers, book_of, mended, saved
from irenic.errors import FormatError
from irenic.formats import editing
from irenic.formats.editing import edited

HOWS = ["drop", "trim", "split"]
NOTE = "IRENIC NOTE"


def meaning(table):
    """Return what the rules of a table mean, however their bounds are written."""
    return {(rule.region, rule.then) for rule in table.rules}


def cells_of(content, form):
    """Return the cells of a file as texts, line by line."""
    if form == "csv":
        return [*csv.reader(io.StringIO(content.decode()), delimiter=";")]
    sheet = openpyxl.load_workbook(io.BytesIO(content)).active
    return [["" if value is None else str(value) for value in line] for line in sheet.values]


def assert_other_lines_stay(old, new):
    """Assert that all lines without a note are the same."""
    header = next((line for line in new if NOTE in line), [NOTE])
    place = header.index(NOTE)
    for before, after in zip(old, new, strict=False):
        if after is header or not "".join(after[place:]):
            assert after[: len(before)] == before
    assert len(new) >= len(old)


def content_of(text, form):
    """Return a table as CSV, or as a workbook, in which whole numbers are numbers."""
    if form == "csv":
        return text.encode()
    lines = cells_of(text.encode(), "csv")
    return saved(book_of(*([int(c) if c.isdigit() else c or None for c in line] for line in lines)))


FORMS = pytest.mark.parametrize("form", ["csv", "xlsx"])

# a table, its options, and what trimming makes of its lines, without the notes
# a table, its options, and the lines that trimming changes, without the notes
TRIMMED = {
    "title": ("Fares 2026\n\nage;fare\n< 20;free\n10-30;full\n", {}, {4: "< 10;free"}),
    "header row": (
        "Fares;2026\nage;fare\n< 20;free\n10-30;full\n", {"header_row": 2}, {3: "< 10;free"}
    ),
    "from and to": ("Age from;Age to;fare\n5;20;free\n10;30;full\n31;;x\n",
        {"roles": {"Age from": "Age >=", "Age to": "Age <="}}, {3: "21;30;full"}),
    "bounds in the header": ("Age >=;Age <;fare\n5;20;free\n10;30;full\n", {}, {3: "20;30;full"}),
    "bounds that are dates": (
        "day from;day to;fare\n2026-01-01;2026-02-01;free\n2026-01-15;2026-03-01;full\n",
        {"roles": {"day from": "day >=", "day to": "day <="}},
        {3: "2026-02-02;2026-03-01;full"},
    ),
    "identifiers": ("Rule;age;fare\nR1;< 20;free\nR2;[10..30];full\n", {"ignore": "Rule"}, {2: "R1;< 10;free"}),  # noqa: E501
    "row numbers": (
        "No;age;fare\n7;[12..20];free\n9;10 to 30;full\n", {"ignore": "No"}, {3: "9;[21..31);full"}
    ),
    "words": (
        "age;member;fare\nunder 20;yes;free\nunder 20;no;x\nbetween 10 and 30;any;full\n", {},
        {2: "< 10;yes;free", 3: "< 10;no;x"},
    ),
    "declarations": (
        "age;job;fare\ninteger [0..99];one of a, b;one of free, full\n< 20;-;free\n> 9;a;full\n",
        {}, {4: ">= 20;a;full"},
    ),
    "thousands": (
        "sales;fare\n< 1.000;free\n[500..2.000];full\n", {"locale": "de"}, {2: "< 500;free"}
    ),
    "decimal comma": (
        "sales;fare\n< 1,5;free\n[0,5..2,5];full\n", {"locale": "de"}, {2: "< 0,5;free"}
    ),
    "percent": ("rate;fare\n< 10%;free\n5%-20%;full\n", {}, {2: "< 5%;free"}),
    "money": (
        "price;fare\n< € 1.200,50;free\n>= € 1.000,50;full\n", {}, {3: ">= € 1200,5;full"}
    ),
    "dates": ("day;fare\n< 31/12/2026;free\n> 01/12/2026;full\n", {}, {3: ">= 2026-12-31;full"}),
    "repeated header": ("age;fare\n< 20;free\nage;fare\n> 9;full\n", {}, {4: ">= 20;full"}),
    "otherwise": ("age;fare\n< 20;free\n10-30;full\notherwise;x\n", {}, {2: "< 10;free"}),
    "range": (
        "a;age;fare;b\na;< 20;free;b\na;> 9;full;b\na;< 20;z;b\n", {"cells": "B1:C3"},
        {3: "a;>= 20;full;b"},
    ),
}  # fmt: skip


# cells that are numbers in a workbook, or rows that are not cells of conditions
TYPED = [
    "header row", "from and to", "bounds in the header", "identifiers", "row numbers",
    "declarations", "repeated header", "otherwise", "range",
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "form"),
    [*((name, "csv") for name in TRIMMED), *((name, "xlsx") for name in TYPED)],
)
def test_only_the_rows_concerned_change(name, form):
    text, options, changes = TRIMMED[name]
    raw = content_of(text, form)
    old = cells_of(raw, form)
    # workbooks take longer, and their rows are dropped and split in the law below
    for how in HOWS if form == "csv" else ["trim"]:
        _, table, content = mended(raw, form, how, **options)
        back = irenic.parse(content, format=form, **options).bind(table.space).table()
        assert meaning(back) == meaning(table)
        new = cells_of(content, form)
        assert_other_lines_stay(old, new)
        assert len(new) == len(old)
        if "cells" in options:
            assert [[line[0], line[3]] for line in new] == [["a", "b"]] * 4
        if how == "drop":
            (dropped,) = (line for line in new if line[-1:] == ["mend: dropped"])
            assert "".join(dropped[1:3] if "cells" in options else dropped[:-1]) == ""
        if how == "trim":
            lines = [line.split(";") for line in text.splitlines()]
            for number, line in changes.items():
                lines[number - 1] = line.split(";")
            width = max(map(len, lines))
            padded = [[[*line, *[""] * width][:width] for line in each] for each in (new, lines)]
            assert padded[0] == padded[1]


@FORMS
def test_identifiers_are_not_repeated(form):
    text = "Rule;age;job;fare\nR1;[12..15];a;free\nR2;[10..30];-;full\n"
    *_, content = mended(content_of(text, form), form, "split", ignore="Rule")
    assert [line[0] for line in cells_of(content, form)] == ["Rule", "R1", "R2", "", ""]


@FORMS
@pytest.mark.parametrize(("text", "added"), [
    ("No;age;fare\n1;< 20;free\n2;[30..40];full\n", ["", ">= 41", "full"]),
    ("Age from;Age to;fare\n;20;free\n30;40;full\n", ["41", "", "full"]),
    ("rate;fare\n< 10%;free\n20%-30%;full\n", ["> 30%", "full"]),
])  # fmt: skip
def test_rows_are_added_in_the_way_of_the_table(text, added, form):
    roles = answers(irenic.parse(content_of(text, form), format=form))
    parsed = irenic.parse(content_of(text, form), format=form, roles=roles)
    table = parsed.bind().table()
    content = edited(parsed, table, irenic.complete(table).table, command="fill")
    old, new = (
        [line[: len(added)] for line in cells_of(raw, form)] for raw in (parsed.content, content)
    )
    assert new[:3] == old
    assert added in new[3:]
    assert irenic.parse(content, format=form, roles=roles).bind().table().rules.is_complete


@FORMS
def test_what_cannot_be_written_is_refused(form):
    cannot = r"columns '{0} from' and '{0} to' cannot contain the condition '"
    for message, text, options, how in (
        ("the rows of a cross table cannot be changed one by one",
         "age;n;s\n< 18;5;6\n>= 17;7;8\n", {"cross": "region"}, "trim"),
        ("new rows would be outside the range A1:C3",
         "age;job;fare\n[12..15];a;free\n[10..30];-;full\n", {"cells": "A1:C3"}, "split"),
        (cannot.format("Age") + r"\[10\.\.12\), \[21\.\.",
         "Age from;Age to;fare\n12;20;free\n10;30;full\n", {"roles": {"Age from": "Age >=", "Age to": "Age <="}}, "split"),  # noqa: E501
        (cannot.format("Rate") + r"\(2\.5\.\.3\.5\]",
         "Rate from;Rate to;fare\n0.5;2.5;free\n1.5;3.5;full\n",
         {"roles": {"Rate from": "Rate >=", "Rate to": "Rate <="}}, "trim"),
    ):  # fmt: skip
        with pytest.raises(FormatError, match=message):
            mended(content_of(text, form), form, how, **options)


def test_a_title_does_not_hide_the_delimiter_and_bounds_keep_their_bytes():
    raw = b"Fares\nage;job\t;fare\n< 20;a;1,5\n> 9;a;2,5\n"
    roles = {"job": "condition", "fare": "outcome"}
    *_, content = mended(raw, "csv", roles=roles)
    assert content.startswith(b"Fares\nage;job\t;fare;IRENIC NOTE\n< 20;a;1,5\n>= 20;a;2,5;")
    for raw, line in (
        (b"Size >=;Size <;fare\n1,5;2,5;a\n2,25;3,75;b\n", b'"2,5";3,75;b;mend: changed'),
        (b"Size from;Size to;fare\n0;1.000;a\n900;2.000;b\n", b"1001;2.000;b;mend: changed"),
    ):
        roles = {"Size from": "Size >=", "Size to": "Size <="} if b"from" in raw else {}
        *_, content = mended(raw, "csv", locale="de", roles=roles)
        assert content.splitlines()[2] == line


def test_a_column_that_changes_its_role_is_refused():
    raw = b"low,age,fare\n5,< 20,free\n,> 9,full\n"
    draft = irenic.parse(raw, format="csv", roles={"low": "size >="}).drafts[0]
    conditions = irenic.parse(raw, format="csv", roles={"low": "condition"}).drafts[0]
    with pytest.raises(FormatError, match="column 'low' would no longer be read as it was"):
        editing._check_roles(draft, conditions)
    declared = raw.replace(b"fare\n", b"fare\nsize >=,integer,\n")
    declared = irenic.parse(declared, format="csv").drafts[0]
    with pytest.raises(FormatError, match="its outcomes or declarations would no longer be read"):
        editing._check_roles(draft, declared)


# --- all combinations

SPANS = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted)
JOBS = st.sampled_from(["a", "b", "-"])
ROWS = st.lists(st.tuples(SPANS, JOBS, st.sampled_from("xyz")), min_size=1, max_size=5)
SPELLINGS = {
    "words": lambda low, high: [f"{low}-{high}"],
    "bounds": lambda low, high: [str(low), str(high)],
    "comma": lambda low, high: [f"[{low},5..{high},75]"],
    "percent": lambda low, high: [f"{low}%-{high}%"],
    "days": lambda low, high: [f"{low}-{high} days"],
}
FOOTNOTE = "\n* valid from 2026\n"
HEADS = {"bounds": ["level from", "level to"]}


@given(
    rows=ROWS,
    style=st.sampled_from(sorted(SPELLINGS)),
    layout=st.sets(st.sampled_from(["title", "numbered", "declared", "footnote"])),
    how=st.sampled_from(HOWS),
    form=st.sampled_from(["csv", "xlsx"]),
)
@example(  # without 0%-2%, the others are no longer steps
    rows=[([0, 0], "a", "x"), ([0, 2], "a", "y"), ([3, 3], "a", "x")],
    style="percent",
    layout=set(),
    how="drop",
    form="csv",
)
def test_edits_mean_what_they_should_or_are_refused(rows, style, layout, how, form):
    head = HEADS.get(style, ["level"])
    lines = [[*head, "job", "fare"]]
    if "declared" in layout:
        lines.append([*[""] * len(head), "one of a, b, c", "one of x, y, z"])
    lines += [[*SPELLINGS[style](*span), job, then] for span, job, then in rows]
    if "numbered" in layout:
        numbers = ["No", *[""] * ("declared" in layout), *range(11, 11 + len(rows))]
        lines = [[str(n), *line] for n, line in zip(numbers, lines, strict=True)]
    text = "".join(";".join(line) + "\n" for line in lines)
    text += FOOTNOTE if "footnote" in layout else ""
    raw = content_of(("Title\n\n" if "title" in layout else "") + text, form)
    locale = "de" if style == "comma" else None
    roles = {"job": "condition", "fare": "outcome"}
    roles |= {"level from": "level >=", "level to": "level <="} if style == "bounds" else {}
    roles |= {"No": "note"} if "numbered" in layout else {}
    parsed = irenic.parse(raw, format=form, locale=locale, roles=roles)
    tables = parsed.bound(None)
    if tables.errors:  # the reader refuses it
        return
    table = tables.table()
    new = irenic.repair(table, how).table
    try:
        content = edited(parsed, table, new)
    except FormatError:
        assert style in ("bounds", "comma")
        return
    back = irenic.parse(content, format=form, locale=locale, roles=roles).bound(new.space).table()
    assert meaning(back) == meaning(new)
    old, now = cells_of(raw, form), cells_of(content, form)
    if "footnote" in layout:  # below new rows, and otherwise the same
        notes = [[cell for cell in line if cell] for line in (old[-1], now[-1])]
        assert notes == [["* valid from 2026"]] * 2
        old, now = old[:-1], now[:-1]
    assert_other_lines_stay(old, now)
