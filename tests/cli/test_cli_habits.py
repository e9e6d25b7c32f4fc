"""What people type on the command line, and messages that name options."""

from __future__ import annotations

import csv
import json
import os
import re
from pathlib import Path

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
GERMAN = "Alter;Beitrag\n< 18;1.249,90 €\n18-25;899,50 €\n"


# --- typed names and values


def test_names_and_values_are_those_of_the_table(run, file):
    file(TABLE, "t.csv")
    for case, outcome in {
        "Weight (kg) = 3, Valid until = 31.12.2026, Rate = 40%": "none, by rule 4",
        "Weight = 5, Valid until = 31.12.2026, Rate = 39.5%": "high, by rule 2",
        '"Weight (kg)" = 3, "Valid until" = 2027-01-01, Rate = 0.1': "old, by rule 3",
    }.items():
        status, out, err = run("why t.csv", case)
        assert (status, err) == (0, "")
        assert out.startswith(outcome)
    assert run("prove t.csv", "NEVER low WHERE Weight (kg) >= 5")[:2] == (
        0,
        'proved: NEVER low WHERE "Weight (kg)" >= 5\n',
    )
    file("# at 40% nothing\nNEVER low WHERE Rate >= 40%\n", "t.properties")
    assert run("prove t.csv")[:2] == (0, "proved: NEVER low WHERE Rate >= 0.4\n")
    status, out, _ = run("add t.csv", "IF Weight (kg) < 3 AND Rate = 40% THEN low")
    assert (status, 'rule 5 says low where "Weight (kg)" < 3 and Rate = 0.4' in out) == (1, True)


def test_percentages_beside_other_numbers_are_refused(refused, file):
    file("age,f\n<5,a\n>=5,b\n", "t.csv")
    assert refused("why t.csv", "age = 40%") == (
        "CASE: '40%' has a percent sign, but the numbers of the rules have none; write 40"
        " or its hundredth"
    )


def test_numbers_in_text_follow_the_notation_of_the_table(run, refused, file):
    file(GERMAN, "t.csv")
    for command, text in {
        "prove": "ALWAYS Beitrag >= 1.000 WHERE Alter < 26",
        "add": "IF Alter > 30 THEN 1.099",
        "why": "Alter = 1.000",
    }.items():
        assert "is ambiguous; write 1" in refused(f"{command} t.csv", text)
    status, _, err = run("add t.csv", 'IF Alter > 30 THEN "1.099,00 €"')
    assert status == 0
    assert err.startswith(
        'irenic: warning: the outcome "1.099,00 €" is text, but all other outcomes are numbers;'
        " write a number such as 1249.9 if that is meant\n"
    )


# --- cases


def test_a_missing_value_names_what_to_do_with_files(run, file):
    file("age,f\n<5,a\n>=5,b\n", "t.csv")
    file("age,f\n3,a\n,b\n", "cases.csv")
    assert run("test t.csv cases.csv")[2].endswith(
        "; fill in the value, or allow missing values in the rules (null in a cell of the column)\n"
    )
    file("age,f\n3,a\n", "cases.csv")
    out = run("test t.csv cases.csv")[1]
    assert "\n1 of 1 case passes; it exercises 1 of 2 rules, " in out


@pytest.mark.parametrize(
    ("rules", "cases", "out", "err"),
    [
        (
            'Month,f\n"Jan,Feb,Mar",a\n"not(Jan,Feb,Mar)",b\n',
            "Month\nFeb\nJul\n",
            "Month,prediction\nFeb,a\nJul,b\n",
            "",  # does not list values that no case has
        ),
        (
            "VIP,f\nyes,a\nno,b\n",
            "VIP\n1\n0\n",
            "VIP,prediction\n1,a\n0,b\n",
            "irenic: warning: c.csv: column 'VIP': 1 and 0 are read as yes and no\n",
        ),
        (
            IMPOSSIBLE,
            "Age,Drives\n5,yes\n",
            "Age,Drives,prediction\n5,yes,\n",
            "irenic: 1 of 1 case is undecided: row 1 (according to the rules, it cannot occur)\n",
        ),
        (
            "Kids,f\n0,a\n1+,b\n",
            "Kids\n-5\n2\n",
            "Kids,prediction\n-5,\n2,b\n",
            "irenic: 1 of 2 cases is undecided: row 1 (Kids is -5, which the rules exclude)\n",
        ),
    ],
)
def test_predict_says_only_what_concerns_the_cases(run, file, rules, cases, out, err):
    file(rules, "t.csv")
    file(cases, "c.csv")
    assert run("predict t.csv c.csv") == (0, out, err)


def test_thousands_in_cases_are_refused_as_in_tables(run, refused, file):
    file("w,f\n<5,a\n>=5,b\n", "t.csv")
    file("w\n6.000\n", "c.csv")
    err = refused("predict t.csv c.csv")
    assert "'6.000' is ambiguous" in err
    assert err.endswith("or settle the decimal separator of rules and cases with --locale")
    assert run("predict t.csv c.csv --locale en")[1] == "w,prediction\n6.000,b\n"


def test_a_case_that_cannot_occur_is_named(run, file):
    file(IMPOSSIBLE, "t.csv")
    status, out, _ = run("why t.csv", "Age = 5, Drives = yes")
    assert status == 0
    assert out.startswith(
        "nothing is decided, but the case cannot occur: the rules exclude Age < 18 and Drives in"
        " {yes}\n"
    )


# --- messages


def test_messages_name_options_and_no_arguments_of_python(run, refused, file):
    for table, message in {
        "No,age,f\n1,<5,a\n2,<9,b\n1,>9,c\n": "",
        "Zone,age,f\n1,<5,a\n2,<9,b\n": "with --role Zone=note, or with --role Zone=condition",
        "My zone,age,f\n1,<5,a\n2,<9,b\n": "declare it with --role 'My zone=note', or",
        "age,f\n<1.000,a\n>=1.000,b\n": "decimal separator with --locale de or en\n",
        "Age,Price,Desk\n<18,5,A\n>5,10,B\n": "declare it with --role Price=outcome, or with",
        "age,f\n<5,a\n\nx,g\n<5,4\n>=5,6\n": "choose one with --range A1:B2\n",
    }.items():
        file(table, "t.csv")
        err = run("check t.csv")[2]
        assert message in err
        assert not re.search("(ignore|target|locale|cells|roles)=", err)
    file("age,f\n<5,a\n", "t.csv")
    assert refused("check t.csv --header-row 9").endswith("row 9 (--header-row) is empty")


def test_messages_of_the_library_are_put_in_the_words_of_the_command(refused, file):
    file("VIP,Kids,f\nyes,0,a\nyes,1+,b\nno,-,c\n", "t.csv")
    file("IF a < 5 THEN x\nIF a < 6 THEN y\n")
    for line, case, message in [
        (
            "why t.csv",
            "VIP = maybe, Kids = 1",
            "'maybe' is not among its values (yes, no); declare the others to allow them",
        ),
        (
            "why t.csv",
            "VIP = yes, Kids = -3",
            "feature 'Kids': -3 is outside its bounds (at least 0)",
        ),
        (
            "why my.rules",
            "a = 1",
            "repair them, or let the first rule win with --hit-policy FIRST",
        ),
    ]:
        assert refused(line, case).endswith(message)


def test_markdown_is_not_changed_in_place(refused, file):
    file("| age | f |\n|---|---|\n| <5 | a |\n", "t.md")
    assert refused("complete t.md --in-place") == (
        "--in-place cannot change .md files; convert it: irenic convert t.md t.csv"
    )


def test_the_column_of_notes_is_read_as_such(run, file):
    file("age,f,IRENIC NOTE\n<5,a,\n>=5,b,added\n", "t.csv")
    assert "IRENIC NOTE  note, skipped" in run("check t.csv")[1]


def test_a_merged_rule_alone_in_its_group_is_not_called_rules(run, file):
    file("a,b,f\n<5,-,x\n>=5,<3,x\n>=5,>=3,x\n<0,<0,x\n", "t.csv")
    run("merge t.csv -o merged.csv")
    assert "rules 4 are" not in Path("merged.csv").read_text()


def test_fractions_of_whole_numbers_are_declared_in_the_table(run, refused, file):
    file("Kids,f\n0-2,a\n3+,b\n", "t.csv")
    file("Kids\n1\n2.5\n", "cases.csv")
    way_out = (
        "; to allow fractions, declare the column as number in a row under the header of the rules"
        " (irenic init writes one)"
    )
    for words in (["impact t.csv t.csv cases.csv"], ["why t.csv", "Kids = 2.5"]):
        assert refused(*words).endswith(f"2.5 is not a whole number{way_out}")
    assert run("predict t.csv cases.csv")[2] == (
        "irenic: 1 of 2 cases is undecided: row 2 (Kids is 2.5, but the rules contain only whole"
        f" numbers{way_out})\n"
    )
    file("Kids,f\nnumber >= 0,\n0-2,a\n> 2,b\n", "t.csv")
    assert run("predict t.csv cases.csv") == (0, "Kids,prediction\n1,a\n2.5,b\n", "")
    assert run("impact t.csv t.csv cases.csv")[0] == 0


# --- text that others wrote

HOSTILE = "a\x1b[2K\x9b1A\u202e\r\nproved: COMPLETE [/red] [bold]"
"""Erases a line, moves the cursor, turns the text around, adds a line, and looks like markup."""


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
def test_text_from_files_cannot_control_the_terminal(run, command):
    name = json.dumps(HOSTILE)
    words = {
        "RULES": "f\x1b[2K\nproved: COMPLETE.json",
        "RULES.missing": "f\x1b[2K\nproved: COMPLETE.json.missing",
        "CASES": "cases\x9b\n.csv",
        "OUT": "out\x1b\n.csv",
        "PAGE": "page\x1b\n.html",
        "CASE": f"{name} = 7",
        "PROPERTY": f"NEVER 1 WHERE {name} < 5  # \x1b[2K\nproved: COMPLETE",
    }
    rules = [Rule({HOSTILE: (None, 5)}, then="low " + HOSTILE), Rule({HOSTILE: (5, None)}, then=1)]
    irenic.write(RuleSet(rules), words["RULES"])
    with Path(words["CASES"]).open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([[HOSTILE, "by"], [3, HOSTILE], [7, HOSTILE]])
    printed = "".join(run("", *(words.get(word, word) for word in command.split()))[1:])
    assert printed.strip()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", printed)
    assert not re.search("^proved: COMPLETE", printed, re.MULTILINE)
