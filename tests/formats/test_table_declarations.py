"""Declarations of columns inside spreadsheets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import irenic
from bound import loads_csv, loads_xlsx, quoted, run, workbook
from irenic import Categorical, Continuous, FormatError, Space
from irenic.formats.sheets._domains import declaration, declaration_of
from irenic.formats.sheets.declaring import with_declarations
from irenic.formats.sheets.rules import parse_csv, parse_xlsx

DECLARED = """age;income;vip;job;since;fare
integer [0..120];number >= 0;yes/no;one of nurse, clerk;date;one of low, high
< 18;-;-;-;-;low
18+;< 5;yes;nurse;-;high
"""


def test_a_row_under_the_header_declares_the_columns():
    found = loads_csv(DECLARED.encode())
    assert found.errors == []
    assert found.tables[0].space == Space(
        [
            Continuous("age", kind="integer", bounds=(0, 120)),
            Continuous("income", bounds=(0, None)),
            Categorical("vip", ["yes", "no"]),
            Categorical("job", ["nurse", "clerk"]),
            Continuous("since", kind="date"),
        ]
    )
    assert found.readings[0].remarks == ("line 2 declares the columns",)
    assert (found.tables[0].n_rows, found.tables[0].provenance.lines) == (2, (3, 4))
    # a row of conditions does not
    assert loads_csv(b"kind,age,fare\ntext,5,low\nnumber,6,high\n").tables[0].n_rows == 2


def test_cells_that_are_not_as_declared_are_errors():
    [error] = loads_csv(DECLARED.replace(";-;high", ";-;medium").encode()).errors
    assert error.reason == "'medium' is not a declared outcome (low, high)"
    assert (error.place.rule, error.line) == (2, 4)
    [error] = loads_csv(DECLARED.replace("< 18", "young").encode()).errors
    assert error.reason == (
        '"young" is not a whole number (the column contains whole numbers according to its'
        " declaration)"
    )


FARES = [["age", "vip", "fare"], ["< 18", "x", "low"], [">= 18", "-", "high"]]


def test_a_sheet_declares_the_columns():
    columns = [["Column", "Kind", "Values"], ["age", "integer", "0-120"], ["vip", "one of x, y"]]
    [table] = loads_xlsx(workbook(Fares=FARES, Columns=columns)).tables
    assert list(table.space) == [
        Continuous("age", kind="integer", bounds=(0, 120)),
        Categorical("vip", ["x", "y"]),
    ]
    with pytest.raises(FormatError, match="'old' does not declare the column 'age'; write a kind"):
        loads_xlsx(workbook(Fares=FARES, Columns=[["Column", "Kind"], ["age", "old"]]))
    assert len(loads_xlsx(workbook(Columns=FARES)).tables) == 1  # it is the only sheet


def test_inferred_declarations_change_nothing():
    raw = b"No;age;vip;job;fare\n1;18-25;yes;nurse;low\n2;26+;-;not(nurse);high\n"
    parsed = parse_csv(raw, ignore="No")
    declared = with_declarations(raw, parsed)
    assert declared.decode().splitlines()[1] == (
        "note;condition: integer;condition: one of yes, no;condition: one of nurse or others;"
        "outcome: one of low, high"
    )
    assert parse_csv(declared).bind().table().rules == parsed.bind().table().rules
    raw = workbook(Fares=FARES)
    declared = with_declarations(raw, parse_xlsx(raw))
    before, after = parse_xlsx(raw).bind().table(), parse_xlsx(declared).bind().table()
    assert (after.rules, after.space) == (before.rules, before.space)
    with pytest.raises(FormatError, match="the table declares its columns already"):
        with_declarations(declared, parse_xlsx(declared))


def test_declarations_keep_line_ends_and_the_byte_order_mark():
    for end in ("\n", "\r\n", "\r"):
        for mark in ("", "\ufeff"):
            raw = (mark + end.join(["age,fare", "< 18,low", ">= 18,high", ""])).encode()
            lines = ["age,fare", 'integer,"one of low, high"', "< 18,low", ">= 18,high", ""]
            declared = with_declarations(raw, parse_csv(raw)).decode()
            assert declared == mark + end.join(lines)


features = st.one_of(
    st.builds(
        lambda kind, low, size: Continuous("a", kind=kind, bounds=(low, low + size)),
        st.sampled_from(["number", "integer"]), st.integers(-99, 99), st.integers(1, 99),
    ),
    st.builds(lambda kind: Continuous("a", kind=kind), st.sampled_from(["date", "time"])),
    st.builds(
        lambda values, other: Categorical("a", values, other=other),
        st.lists(st.sampled_from(["x", "or", "a, b", "one of c", "5"]), min_size=1, unique=True),
        st.just(False),
    ),
)  # fmt: skip


@given(features)
def test_declarations_are_read_back(feature):
    text = declaration_of(feature)
    assert declaration(text) is not None
    rows = [f"{quoted(text)},condition,", "-,5,A", "-,6,B"]
    table = irenic.parse("a,b,then\n" + "\n".join(rows) + "\n", format="csv").bind().table()
    assert table.space["a"] == feature


def test_init_writes_declarations(tmp_path):
    path, out = tmp_path / "fares.csv", tmp_path / "declared.csv"
    path.write_text("age,fare\n< 18,low\n18+,high\n")
    found = run("init", path, "-o", out)
    assert (found.exit_code, found.stdout) == (
        0,
        f"Declarations written to {out} (see the row under the header); edit them, and check the"
        " file\n",
    )
    assert out.read_text() == 'age,fare\ninteger,"one of low, high"\n< 18,low\n18+,high\n'
    assert run("init", path, "-o", "-").stdout == out.read_text()
    assert run("check", out).exit_code == 0
    assert "same file" in str(run("init", path, "-o", path).exception)
    assert "must be a .csv file" in str(run("init", path, "-o", tmp_path / "x.xlsx").exception)
    assert "already" in str(run("init", out, "-o", tmp_path / "x.csv").exception)


def test_units_are_declared_and_kept():
    text = "price,weight,fare\nnumber (€) >= 0,integer (kg) [0..50],\n< 5,< 5,x\n>= 5,-,y\n"
    table = irenic.parse(text, format="csv").bind().table()
    assert (table.space["price"].unit, table.space["weight"].unit) == ("€", "kg")
    back = irenic.parse(irenic.dumps(table, format="json").encode(), format="json").bind().table()
    assert back.space == table.space
    raw = b"Weight (kg),fare\n< 5,x\n>= 5,y\n"
    declared = with_declarations(raw, parse_csv(raw)).decode()
    assert declared.splitlines()[1] == 'number (kg),"one of x, y"'
    with pytest.raises(irenic.errors.SpaceError, match="'kg' in one set and 'g' in the other"):
        irenic.diff(table, irenic.parse(text.replace("kg", "g"), format="csv").bind().table())
    # only numbers have units
    assert loads_csv("day,fare\ndate (kg),\n< 2026-01-01,x\n> 2026-02-01,y\n").errors
