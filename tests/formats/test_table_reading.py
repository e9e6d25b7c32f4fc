"""How tables were read: in Python, on the terminal and as JSON."""

from __future__ import annotations

import io
import json
import re

import openpyxl
import pytest
from typer.testing import CliRunner

import irenic
from bound import loads_csv, loads_xlsx
from irenic import Categorical, Continuous, Space
from irenic.cli import app
from irenic.formats.tables.reading import describe

TABLE = """Tariffs 2026

No;Age;vip;income;Zone;Age to;fare;Comment
1;18-25;yes;>1.000;x;;10%;new
2;26-30;no;€ 2,50;y;;20%;
3;65+;-;-;z;;5%;
4;65+;-;-;z;;5%;
"""


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_reading_has_one_line_per_column():
    [reading] = loads_csv(TABLE.encode(), ignore="Zone").readings
    assert str(reading).splitlines() == [
        "No: identifier, skipped",
        "Age: condition: whole numbers; '18-25' is read as [18..25] (2 cells like this, first at"
        " line 4); '65+' is read as >= 65 (2 cells like this, first at line 6)",
        "vip: condition: only yes, no",
        "income: condition: numbers (€); '>1.000' is read as > 1000; '€ 2,50' is read as 2.50",
        "Zone: ignored",
        "Age to: condition: any value (no cell tests it)",
        "fare: outcome: 0.1, 0.2, 0.05; '10%' is read as 0.1 (4 cells like this, first at line 4)",
        "Comment: note, skipped",
        "line 1 is a title and is skipped",
        "numbers are written with a decimal comma",
    ]


@pytest.mark.parametrize(("cells", "role"), [
    (["letters", "heavy, by van", "overseas"], "note, skipped"),
    (["heavy, by van", "(big, red)", "up to 5 kg"], "note, skipped"),
    (["not by van", "not before 9, please", "5-6"], "note, skipped"),
    (["= letters", "heavy, by van", "overseas"], "condition"),
    (["letters", "not(letters)", "overseas"], "condition"),
    (["1-2", "3-4", "5+"], "condition"),
])  # fmt: skip
def test_a_comma_does_not_turn_notes_into_a_condition(cells, role):
    rows = "".join(f'A,"{cell}",{n}\n' for n, cell in enumerate(cells))
    found = loads_csv(f"Zone,Remarks,Fee\n{rows}".encode())
    assert found.errors == []
    assert found.readings[0].columns[1].role == role


def test_roles():
    text = "F,Age from,Age to,RULE WEIGHT,Outcome a,Outcome b\n1,0,17,2,x,1\n2,18,,1,y,2\n"
    [reading] = loads_csv(text.encode()).readings
    assert [(c.name, c.role, c.description) for c in reading.columns] == [
        ("F", "rule number", "hit policy FIRST"),
        ("Age from", "condition", "Age >= the value, whole numbers, at least 0"),
        ("Age to", "condition", "Age <= the value, whole numbers, at least 0"),
        ("RULE WEIGHT", "weight", "of the rule"),
        ("Outcome a", "outcome", "x, y"),
        ("Outcome b", "outcome", "1, 2"),
    ]


def test_a_space_decides_what_is_a_condition():
    text = b"No,Age from,Age to,fare\n1,0,17,x\n2,18,99,y\n"
    space = Space([Continuous("No"), Continuous("Age from", bounds=(0, 9)), Continuous("Age to")])
    [reading] = loads_csv(text, space=space).readings
    assert [(c.role, c.description) for c in reading.columns[:2]] == [
        ("condition", "numbers"),
        ("condition", "numbers, at least 0, at most 9"),
    ]


def test_a_table_with_errors_has_a_reading():
    found = loads_csv(b"No,age,fare\n1,until 5,low\n2,10+,high\n")
    assert len(found.errors) == 1
    assert [c.role for c in found.readings[0].columns] == [
        "identifier, skipped",
        "condition",
        "outcome",
    ]


def test_other_formats_have_no_reading():
    assert irenic.parse("IF age < 5 THEN a\n", format="rules").bind().readings == []


@pytest.mark.parametrize(("feature", "text"), [
    (Categorical("a", [True, False], missing=True), "only true, false, or missing"),
    (Categorical("a", list("abcdefgh")), "only a, b, c, d, e, f and 2 more"),
    (Continuous("a", kind="date"), "dates"),
    (Continuous("a", unit="kg", bounds=(None, 5)), "numbers (kg), at most 5"),
])  # fmt: skip
def test_features_in_words(feature, text):
    assert describe(feature) == text


def test_check_shows_the_reading_first(tmp_path):
    path = tmp_path / "fares.csv"
    path.write_text(TABLE, encoding="utf-8")
    shown = run("check", path, "--ignore", "Zone")
    lines = shown.stdout.splitlines()
    assert lines[0] == f"How {path} was read:"
    assert lines[1].split() == ["No", "identifier,", "skipped"]
    assert "  (line 1 is a title and is skipped)" in lines
    assert "line 4, Age: '18-25' is [18..25]" not in shown.stdout
    explained = run("check", path, "--ignore", "Zone", "--explain-reading").stdout
    assert "  line 4, Age: '18-25' is [18..25]\n" in explained
    assert "  line 6, vip: '-' is any value\n" in explained
    assert "  line 4, vip: 'yes' is \"yes\"\n" in explained


def test_the_reading_is_part_of_the_json(tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "Tariff"
    for row in (["age", "fare"], ["18-25", "low"], ["26-30", "high"], ["until 9", "x"]):
        book.active.append(row)
    book.save(tmp_path / "fares.xlsx")
    document = json.loads(run("check", tmp_path / "fares.xlsx", "--json").stdout)
    [file] = document["files"]
    [reading] = file["readings"]
    assert reading["table"] == "Tariff"
    assert reading["cells"] == []
    assert reading["columns"][0]["interpreted"] == [
        {"text": "18-25", "meaning": "[18..25]", "count": 1, "place": "A2"},
        {"text": "26-30", "meaning": "[26..30]", "count": 1, "place": "A3"},
    ]
    assert [error["cell"] for error in file["errors"]] == ["A4"]
    found = run("check", tmp_path / "fares.xlsx", "--json", "--explain-reading")
    [reading] = json.loads(found.stdout)["files"][0]["readings"]
    assert reading["cells"][0] == {
        "place": "A2", "header": "age", "text": "18-25", "meaning": "[18..25]",
    }  # fmt: skip


def test_errors_of_one_cause_are_grouped(tmp_path):
    path = tmp_path / "fares.csv"
    rows = "".join(f"until {n},cook,{n}\n" for n in range(300))
    path.write_text(f"age,job,fare\n{rows}5,not a or b,x\n")
    lines = run("check", path).stderr.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith(
        f"irenic: {path}: 300 cells like 'until 0' in column 'age', first at line 2: 'until 0' is"
    )
    book = openpyxl.Workbook()
    for row in (["age", "fare"], *([f"until {n}", n] for n in range(4))):
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    assert len(loads_xlsx(file.getvalue()).errors) == 4
    (tmp_path / "fares.xlsx").write_bytes(file.getvalue())
    [line] = run("check", tmp_path / "fares.xlsx").stderr.splitlines()
    assert "4 cells like 'until 0' in column 'age', first at Sheet!A2: " in line


def test_refused_cells_are_not_explained_as_any_value(tmp_path):
    path = tmp_path / "fares.csv"
    path.write_text("age,fare\n< 18,low\n1.01.-3.02.,high\nsome 18,x\n> 5,y\n,z\n")
    explained = run("check", path, "--explain-reading").stdout
    assert "line 3, age: '1.01.-3.02.' is refused\n" in explained
    assert "line 4, age: 'some 18' is refused\n" in explained
    assert "line 5, age: '> 5' is > 5\n" in explained
    assert "line 6, age: '(empty)' is any value\n" in explained


# --- advice that works when it is followed


def errors_of(text, **options):
    found = irenic.parse(text.encode(), format="csv", **options).bound(None)
    return [str(error) for error in found.errors], found


@pytest.mark.parametrize("cell", ["01.01.-31.03.", "[01.01...31.03.]", "1.1. bis 31.3."])
def test_dates_without_a_year(cell):
    [error], _ = errors_of(f"day,f\n{cell},a\n")
    advice = re.search(r"write them with it, as (\S+)$", error)[1]
    errors, found = errors_of(f"day,f\n{advice},a\n")
    assert errors == []
    assert str(found.tables[0].rules[0].region) == "2026-01-01 <= day <= 2026-03-31"


@pytest.mark.parametrize("words", ["all other cases", "all others", "all other ages"])
def test_all_other_cases_are_decided_by_the_default(words):
    rows = "age,f\n< 18,a\n{},b\n18-20,c\n"
    [error], _ = errors_of(rows.format(words))
    assert "write DEFAULT in the first column of a row without conditions" in error
    assert "write -" not in error
    errors, found = errors_of(rows.format("DEFAULT"))
    assert errors == []
    assert irenic.check(found.tables[0]).count("overlaps") == 0
    assert str(found.tables[0].rules).splitlines()[-1].strip() == "DEFAULT b"


def test_all_other_cases_in_the_last_row_are_the_default():
    errors, found = errors_of("a,b,f\n< 5,x,1\nAll other cases,,2\n")
    assert errors == []
    assert str(found.tables[0].rules).splitlines()[-1].strip() == "DEFAULT 2"


def test_until_under_is_less_than_and_of_two_kinds_the_text_is_the_mistake():
    errors, found = errors_of("age,f\nbis unter 18,a\nab 18,b\n")
    assert errors == []
    assert str(found.tables[0].rules[0].region) == "age < 18"
    errors, _ = errors_of("age,f\nsome 18,a\n18+,b\n")
    assert [error.split(": ")[1] for error in errors] == ["rule 1, column 'age', 'some 18'"]


@pytest.mark.parametrize("table", [
    "age,f\n< 18,a\n>= 18,b\n{}\n\nage,fee\n< 10,c\n>= 10,d\n",
    "age,f,,age,fee\n< 18,a,,< 10,c\n>= 18,b,,>= 10,d\n{}\n",
    "age,f,,age,fee\n< 18,a,,< 10,c\n>= 18,b,,>= 10,d\n,,,{}\n",
])  # fmt: skip
@pytest.mark.parametrize("footnote", ["* without tax", "1) without tax", "Source: the board"])
def test_ranges_of_two_tables_end_above_their_footnotes(table, footnote):
    text = table.format(footnote)
    [error], _ = errors_of(text)
    one, other = re.search(r"two tables, in (\S+) and (\S+);", error).groups()
    assert one == "A1:B3"
    for cells, thens in ((one, ["a", "b"]), (other, ["c", "d"])):
        errors, found = errors_of(text, cells=cells)
        assert errors == []
        assert found.tables[0].rules.thens == thens
