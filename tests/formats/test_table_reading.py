"""How tables were read: in Python, on the terminal and as JSON."""

from __future__ import annotations

import json
import re

import pytest

import irenic
from bound import loads_csv, loads_xlsx, rules_of, run, workbook
from irenic import Categorical, Continuous, FormatError, Space
from irenic.formats.tables.reading import describe

TABLE = """Tariffs 2026

No;Age;vip;income;Zone;Age to;fare;Comment
1;18-25;yes;>1.000;x;;10%;new
2;26-30;no;€ 2,50;y;;20%;
3;65+;-;-;z;;5%;
4;65+;-;-;z;;5%;
"""


def test_a_reading_has_one_line_per_column():
    [reading] = loads_csv(TABLE.encode(), ignore="Zone").readings
    assert str(reading).splitlines() == [
        "No: note, skipped",
        "Age: condition: whole numbers; '18-25' is read as [18..25] (2 cells like this, first at"
        " line 4); '65+' is read as >= 65 (2 cells like this, first at line 6)",
        "vip: condition: only yes, no",
        "income: condition: numbers (€); '>1.000' is read as > 1000; '€ 2,50' is read as 2.5",
        "Zone: note, skipped",
        "Age to: condition: any value (no cell tests it)",
        "fare: outcome: 0.1, 0.2, 0.05; '10%' is read as 0.1 (4 cells like this, first at line 4)",
        "Comment: note, skipped",
        "line 1 is a title and is skipped",
        "numbers are written with a decimal comma",
    ]


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
    roles = [column.role for column in found.readings[0].columns]
    assert roles == ["note, skipped", "condition", "outcome"]
    assert irenic.parse("IF age < 5 THEN a\n", format="rules").bind().readings == []


def test_features_in_words():
    for feature, text in (
        (Categorical("a", [True, False], missing=True), "only true, false, or missing"),
        (Categorical("a", list("abcdefgh")), "only a, b, c, d, e, f and 2 more"),
        (Continuous("a", kind="date"), "dates"),
        (Continuous("a", unit="kg", bounds=(None, 5)), "numbers (kg), at most 5"),
    ):
        assert describe(feature) == text


IGNORE = [f"--ignore={name}" for name in ("Zone", "No", "Comment")]


def test_check_shows_the_reading_first(tmp_path):
    path = tmp_path / "fares.csv"
    path.write_text(TABLE, encoding="utf-8")
    shown = run("check", path, *IGNORE)
    lines = shown.stdout.splitlines()
    assert lines[0] == f"How {path} was read:"
    assert lines[1].split() == ["No", "note,", "skipped"]
    assert "  (line 1 is a title and is skipped)" in lines
    assert "line 4, Age: '18-25' is [18..25]" not in shown.stdout
    explained = run(
        "check",
        path,
        "--ignore",
        "Zone",
        "--ignore",
        "No",
        "--ignore",
        "Comment",
        "--explain-reading",
    ).stdout
    assert "  line 4, Age: '18-25' is [18..25]\n" in explained
    assert "  line 6, vip: '-' is any value\n" in explained
    assert "  line 4, vip: 'yes' is \"yes\"\n" in explained
    path.write_text("age,fare\n< 18,low\n1.01.-3.02.,high\nsome 18,x\n> 5,y\n,z\n")
    explained = run("check", path, "--explain-reading").stdout
    assert "line 3, age: '1.01.-3.02.' is refused\n" in explained
    assert "line 4, age: 'some 18' is refused\n" in explained
    assert "line 5, age: '> 5' is > 5\n" in explained
    assert "line 6, age: '(empty)' is any value\n" in explained


def test_the_reading_is_part_of_the_json(tmp_path):
    path = tmp_path / "fares.xlsx"
    rows = [["age", "fare"], ["18-25", "low"], ["26-30", "high"], ["until 9", "x"]]
    path.write_bytes(workbook(Tariff=rows))
    [file] = json.loads(run("check", path, "--json").stdout)["files"]
    [reading] = file["readings"]
    assert reading["table"] == "Tariff"
    assert reading["cells"] == []
    assert reading["columns"][0]["interpreted"] == [
        {"text": "18-25", "meaning": "[18..25]", "count": 1, "place": "A2"},
        {"text": "26-30", "meaning": "[26..30]", "count": 1, "place": "A3"},
    ]
    assert [error["cell"] for error in file["errors"]] == ["A4"]
    found = run("check", path, "--json", "--explain-reading")
    [reading] = json.loads(found.stdout)["files"][0]["readings"]
    cell = {"place": "A2", "header": "age", "text": "18-25", "meaning": "[18..25]"}
    assert reading["cells"][0] == cell


def test_errors_of_one_cause_are_grouped(tmp_path):
    path = tmp_path / "fares.csv"
    rows = "".join(f"until {n},-,{n % 7}\n" for n in range(300))
    path.write_text(f"age,job,fare\n{rows}5,not a or b,x\n")
    lines = run("check", path).stderr.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith(
        f"irenic: {path}: 300 cells like 'until 0' in column 'age', first at line 2: 'until 0' is"
    )
    raw = workbook(Sheet=[["age", "fare"], *([f"until {n}", n] for n in range(4))])
    assert len(loads_xlsx(raw).errors) == 4
    (tmp_path / "fares.xlsx").write_bytes(raw)
    [line] = run("check", tmp_path / "fares.xlsx").stderr.splitlines()
    assert "4 cells like 'until 0' in column 'age', first at Sheet!A2: " in line


# --- advice that works when it is followed


@pytest.mark.parametrize("cell", ["01.01.-31.03.", "[01.01...31.03.]", "1.1. bis 31.3."])
def test_dates_without_a_year(cell):
    [error] = loads_csv(f"day,f\n{cell},a\n").errors
    advice = re.search(r"write them with it, as (\S+)$", str(error))[1]
    found = loads_csv(f"day,f\n{advice},a\n")
    assert rules_of(found) == ["IF 2026-01-01 <= day <= 2026-03-31 THEN a"]


@pytest.mark.parametrize("words", ["all other cases", "all others", "all other ages"])
def test_all_other_cases_are_decided_by_the_default(words):
    rows = "age,f\n< 18,a\n{},b\n18-20,c\n"
    [error] = loads_csv(rows.format(words)).errors
    assert "write DEFAULT in the first column of a row without conditions" in str(error)
    assert "write -" not in str(error)
    found = loads_csv(rows.format("DEFAULT"))
    assert (found.errors, found.tables[0].rules.default) == ([], "b")
    assert irenic.check(found.tables[0]).count("overlaps") == 0


def test_all_other_cases_in_the_last_row_are_the_default():
    found = loads_csv("a,b,f\n< 5,x,1\nAll other cases,,2\n")
    assert (found.errors, found.tables[0].rules.default) == ([], 2)


def test_until_under_is_less_than_and_of_two_kinds_the_text_is_the_mistake():
    assert rules_of(loads_csv("age,f\nbis unter 18,a\nab 18,b\n"))[0] == "IF age < 18 THEN a"
    [error] = loads_csv("age,f\nsome 18,a\n18+,b\n").errors
    assert "rule 1, column 'age', 'some 18'" in str(error)


@pytest.mark.parametrize("table", [
    "age,f\n< 18,a\n>= 18,b\n{}\n\nage,fee\n< 10,c\n>= 10,d\n",
    "age,f,,age,fee\n< 18,a,,< 10,c\n>= 18,b,,>= 10,d\n{}\n",
    "age,f,,age,fee\n< 18,a,,< 10,c\n>= 18,b,,>= 10,d\n,,,{}\n",
])  # fmt: skip
def test_ranges_of_two_tables_end_above_their_footnotes(table):
    for footnote in ("* without tax", "1) without tax", "Source: the board"):
        text = table.format(footnote)
        with pytest.raises(FormatError) as caught:
            loads_csv(text)
        one, other = re.search(r"two tables, in (\S+) and (\S+);", str(caught.value)).groups()
        assert one == "A1:B3"
        for cells, thens in ((one, ["a", "b"]), (other, ["c", "d"])):
            found = loads_csv(text, cells=cells)
            assert found.errors == []
            assert found.tables[0].rules.thens == thens
