"""What people type on the command line, and messages that name options."""

from __future__ import annotations

import csv
import json
import os
import re

import pytest

import irenic
from irenic import Rule, RuleSet

TABLE = """Weight (kg),Valid until,Rate,Price
<5,<=31.12.2026,<40%,low
>=5,<=31.12.2026,<40%,high
-,>31.12.2026,<40%,old
-,-,>=40%,none
"""
IMPOSSIBLE = "Age,Drives,Fare\n<18,no,half\n>=18,-,full\n<18,yes,cannot occur\n"


# --- typed names and values


@pytest.mark.parametrize(
    ("case", "outcome"),
    [
        ("Weight (kg) = 3, Valid until = 31.12.2026, Rate = 40%", "none, by rule 4"),
        ("Weight = 5, Valid until = 31.12.2026, Rate = 39.5%", "high, by rule 2"),
        ('"Weight (kg)" = 3, "Valid until" = 2027-01-01, Rate = 0.1', "old, by rule 3"),
    ],
)
def test_why_takes_names_and_values_as_the_table_has_them(run, file, case, outcome):
    status, out, err = run("why", file(TABLE, "t.csv"), case)
    assert (status, err) == (0, "")
    assert out.startswith(outcome)


def test_prove_takes_names_and_values_as_the_table_has_them(run, file, tmp_path):
    path = file(TABLE, "t.csv")
    status, out, _ = run("prove", path, "NEVER low WHERE Weight (kg) >= 5")
    assert (status, out) == (0, 'proved: NEVER low WHERE "Weight (kg)" >= 5\n')
    file("# at 40% nothing\nNEVER low WHERE Rate >= 40%\n", "t.properties")
    assert run("prove", path)[:2] == (0, "proved: NEVER low WHERE Rate >= 0.4\n")


def test_add_takes_names_and_values_as_the_table_has_them(run, file):
    path = file(TABLE, "t.csv")
    status, out, _ = run("add", path, "IF Weight (kg) < 3 AND Rate = 40% THEN low")
    assert status == 1
    assert 'rule 5 says low where "Weight (kg)" < 3 and Rate = 0.4' in out


def test_percentages_beside_other_numbers_are_refused(run, file):
    status, _, err = run("why", file("age,f\n<5,a\n>=5,b\n", "t.csv"), "age = 40%")
    assert status == 2
    assert err == (
        "irenic: CASE: '40%' has a percent sign, but the numbers of the rules have none; write 40"
        " or its hundredth\n"
    )


def test_numbers_in_text_follow_the_notation_of_the_table(run, file):
    path = file("Alter;Beitrag\n< 18;1.249,90 €\n18-25;899,50 €\n", "t.csv")
    for command, text in (
        ("prove", "ALWAYS Beitrag >= 1.000 WHERE Alter < 26"),
        ("add", "IF Alter > 30 THEN 1.099"),
        ("why", "Alter = 1.000"),
    ):
        status, _, err = run(command, path, text)
        assert status == 2
        assert "is ambiguous; write 1" in err


def test_a_text_among_numbers_is_added_with_a_warning(run, file):
    path = file("Alter;Beitrag\n< 18;1.249,90 €\n18-25;899,50 €\n", "t.csv")
    status, _, err = run("add", path, 'IF Alter > 30 THEN "1.099,00 €"')
    assert status == 0
    assert err.startswith(
        'irenic: warning: the outcome "1.099,00 €" is text, but all other outcomes are numbers;'
        " write a number such as 1249.9 if that is meant\n"
    )


# --- cases


def test_a_missing_value_names_what_to_do_with_files(run, file):
    rules = file("age,f\n<5,a\n>=5,b\n", "t.csv")
    err = run("test", rules, file("age,f\n3,a\n,b\n", "cases.csv"))[2]
    assert err.endswith(
        "; fill in the value, or allow missing values in the rules (null in a cell of the column)\n"
    )
    out = run("test", rules, file("age,f\n3,a\n", "cases.csv"))[1]
    assert "\n1 of 1 case passes; it exercises 1 of 2 rules, " in out


def test_predict_does_not_list_values_that_no_case_has(run, file):
    rules = file('Month,f\n"Jan,Feb,Mar",a\n"not(Jan,Feb,Mar)",b\n', "t.csv")
    status, out, err = run("predict", rules, file("Month\nFeb\nJul\n", "c.csv"))
    assert (status, out, err) == (0, "Month,prediction\nFeb,a\nJul,b\n", "")


def test_ones_and_zeros_are_answers_and_the_rules_are_not_blamed(run, file):
    rules = file("VIP,f\nyes,a\nno,b\n", "t.csv")
    cases = file("VIP\n1\n0\n", "c.csv")
    status, out, err = run("predict", rules, cases)
    assert (status, out) == (0, "VIP,prediction\n1,a\n0,b\n")
    assert err == f"irenic: warning: {cases}: column 'VIP': 1 and 0 are read as yes and no\n"


def test_thousands_in_cases_are_refused_as_in_tables(run, file):
    rules = file("w,f\n<5,a\n>=5,b\n", "t.csv")
    cases = file("w\n6.000\n", "c.csv")
    status, _, err = run("predict", rules, cases)
    assert status == 2
    assert "'6.000' is ambiguous" in err
    assert err.endswith("or settle the decimal separator of rules and cases with --locale\n")
    assert run("predict", rules, cases, "--locale", "en")[1] == "w,prediction\n6.000,b\n"


def test_cases_that_cannot_occur_are_named(run, file):
    rules = file(IMPOSSIBLE, "t.csv")
    status, out, _ = run("why", rules, "Age = 5, Drives = yes")
    assert status == 0
    assert out.startswith(
        "nothing is decided, but the case cannot occur: the rules exclude Age < 18 and Drives in"
        " {yes}\n"
    )
    err = run("predict", rules, file("Age,Drives\n5,yes\n", "c.csv"))[2]
    assert (
        err == "irenic: 1 of 1 case is undecided: row 1 (according to the rules, it cannot occur)\n"
    )
    kids = file("Kids,f\n0,a\n1+,b\n", "k.csv")
    err = run("predict", kids, file("Kids\n-5\n2\n", "c.csv"))[2]
    assert err == "irenic: 1 of 2 cases is undecided: row 1 (Kids is -5, which the rules exclude)\n"


# --- messages


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("No,age,f\n1,<5,a\n2,<9,b\n1,>9,c\n", ""),
        ("Zone,age,f\n1,<5,a\n2,<9,b\n", "skip it with --ignore Zone, or write = 1"),
        ("My zone,age,f\n1,<5,a\n2,<9,b\n", "skip it with --ignore 'My zone', or write = 1"),
        ("age,f\n<1.000,a\n>=1.000,b\n", "decimal separator with --locale de or en\n"),
        ("Age,Price,Desk\n<18,5,A\n18+,10,B\n", "outcomes with --outcome Price --outcome Desk, or"),
        ("age,f\n<5,a\n\nx,g\n<5,4\n>=5,6\n", "choose one with --range A1:B2\n"),
    ],
)
def test_messages_name_options_and_no_arguments_of_python(run, file, table, message):
    err = run("check", file(table, "t.csv"))[2]
    assert message in err
    for argument in ("ignore=", "target=", "locale=", "cells="):
        assert argument not in err


def test_an_empty_header_row_names_the_option(run, file):
    err = run("check", file("age,f\n<5,a\n", "t.csv"), "--header-row", "9")[2]
    assert err.endswith("row 9 (--header-row) is empty\n")


def test_markdown_is_not_changed_in_place(run, file):
    path = file("| age | f |\n|---|---|\n| <5 | a |\n", "t.md")
    status, _, err = run("complete", path, "--in-place")
    assert status == 2
    assert err == (
        f"irenic: --in-place cannot change Markdown files ({path}); write the rules to another file"
        " (--output), or convert the table to .csv\n"
    )


def test_the_column_of_notes_is_read_as_such(run, file):
    out = run("check", file("age,f,IRENIC NOTE\n<5,a,\n>=5,b,added\n", "t.csv"))[1]
    assert "IRENIC NOTE  note, skipped" in out


def test_a_merged_rule_alone_in_its_group_is_not_called_rules(run, file, tmp_path):
    out = tmp_path / "merged.csv"
    path = file("a,b,f\n<5,-,x\n>=5,<3,x\n>=5,>=3,x\n<0,<0,x\n", "t.csv")
    run("merge", path, "-o", str(out))
    assert "rules 4 are" not in out.read_text()


def test_messages_of_the_library_are_put_in_the_words_of_the_command(run, file):
    rules = file("VIP,Kids,f\nyes,0,a\nyes,1+,b\nno,-,c\n", "t.csv")
    err = run("why", rules, "VIP = maybe, Kids = 1")[2]
    assert err.endswith(
        "'maybe' is not among its values (yes, no); declare the others to allow them\n"
    )
    err = run("why", rules, "VIP = yes, Kids = -3")[2]
    assert err.endswith("feature 'Kids': -3 is outside its bounds (at least 0)\n")
    err = run("why", file("IF a < 5 THEN x\nIF a < 6 THEN y\n"), "a = 1")[2]
    assert err.endswith("repair them, or let the first rule win with --hit-policy FIRST\n")


def test_fractions_of_whole_numbers_are_declared_in_the_table(run, file):
    text = "Kids,f\n0-2,a\n3+,b\n"
    rules, cases = file(text, "t.csv"), file("Kids\n1\n2.5\n", "cases.csv")
    way_out = (
        "; to allow fractions, declare the column as number in a row under the header of the rules"
        " (irenic init writes one)"
    )
    for arguments in (("impact", rules, rules, cases), ("why", rules, "Kids = 2.5")):
        status, _, err = run(*arguments)
        assert (status, err.count("\n")) == (2, 1)
        assert err.endswith(f"2.5 is not a whole number{way_out}\n")
    assert run("predict", rules, cases)[2] == (
        "irenic: 1 of 2 cases is undecided: row 2 (Kids is 2.5, but the rules contain only whole"
        f" numbers{way_out})\n"
    )
    declared = file("Kids,f\nnumber >= 0,\n0-2,a\n> 2,b\n", "declared.csv")
    status, out, err = run("predict", declared, cases)
    assert (status, out, err) == (0, "Kids,prediction\n1,a\n2.5,b\n", "")
    assert run("impact", declared, declared, cases)[0] == 0


# --- text that others wrote

HOSTILE = "a\x1b[2K\x9b1A\u202e\r\nproved: COMPLETE [/red] [bold]"
"""Erases a line, moves the cursor, turns the text around, adds a line, and looks like markup."""


@pytest.fixture
def hostile(tmp_path):
    """Return rules and cases whose names and values are hostile, in files with such names."""
    path = tmp_path / "f\x1b[2K\nproved: COMPLETE.json"
    rules = [Rule({HOSTILE: (None, 5)}, then="low " + HOSTILE), Rule({HOSTILE: (5, None)}, then=1)]
    irenic.write(RuleSet(rules), path)
    cases = tmp_path / "cases\x9b\n.csv"
    with cases.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([[HOSTILE, "by"], [3, HOSTILE], [7, HOSTILE]])
    return path, cases


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such file names")
@pytest.mark.parametrize(
    "command",
    [
        "check RULES --verbose",
        "check RULES --json",
        "check RULES.missing --format github",
        "check RULES.missing",
        "gaps RULES",
        "repair RULES -o OUT",
        "convert RULES OUT",
        "why RULES CASE",
        "prove RULES PROPERTY",
        "predict RULES CASES -o OUT --by by",
        "report RULES CASES -o PAGE",
    ],
)
def test_text_from_files_cannot_control_the_terminal(run, hostile, tmp_path, command):
    name = json.dumps(HOSTILE)
    words = {
        "RULES": hostile[0],
        "RULES.missing": f"{hostile[0]}.missing",
        "CASES": hostile[1],
        "OUT": tmp_path / "out\x1b\n.csv",
        "PAGE": tmp_path / "page\x1b\n.html",
        "CASE": f"{name} = 7",
        "PROPERTY": f"NEVER 1 WHERE {name} < 5  # \x1b[2K\nproved: COMPLETE",
    }
    _, out, err = run(*(words.get(word, word) for word in command.split()))
    printed = (out + err).replace("\n", "")
    assert (out + err).strip()
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202e]", printed)
    assert not re.search("^proved: COMPLETE", out + err, re.MULTILINE)
