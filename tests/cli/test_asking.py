"""Questions about columns are asked in a terminal, and answered in irenic.toml."""

from __future__ import annotations

import io
import sys
import tomllib
from pathlib import Path

import pytest

from irenic.cli import asking
from irenic.cli.serving import options_of
from irenic.serving.opened import OpenedFile

TRIAGE = """Pain score,Conscious,Triage level,Target minutes
0-3,yes,green,120
4-6,yes,yellow,60
7-10,yes,orange,10
7-10,no,red,0
4-6,yes,orange,30
"""
AGES = "Age low,Age high,fee\n0,17,5\n18,64,10\n65,,7\n"
CONFLICT = 'lines 3 and 6: "Pain score" = 6, Conscious = yes: rule 2 says (yellow, 60), rule 5 says'


@pytest.fixture
def typed(run, monkeypatch):
    """Run a command in a terminal in which somebody types lines."""

    def call(line, *lines):
        monkeypatch.setattr(asking, "is_asked", lambda: True)
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{each}\n" for each in lines)))
        return run(line)

    return call


def answers(name="irenic.toml"):
    return tomllib.loads(Path(name).read_text("utf-8"))


def test_the_lines_of_a_refusal_answer_all_questions(file, run):
    file(TRIAGE, "triage.csv")
    status, _, err = run("check triage.csv")
    title, *lines = err.splitlines()
    assert (status, title) == (
        2,
        "irenic: triage.csv: to answer, add these lines to irenic.toml, or others of the same"
        " form:",
    )
    assert lines[:4] == [
        '[tables."triage.csv"]',
        '"Conscious" = "condition"  # or outcome, note',
        '"Triage level" = "outcome"  # or condition, note',
        '"Target minutes" = "outcome"  # or condition, note',
    ]
    assert [line[:8] for line in lines[4:]] == ["irenic: "] * 3
    file("\n".join(lines[:4]), "irenic.toml")
    status, out, err = run("check triage.csv")
    assert (status, CONFLICT in out, err) == (1, True, "")


def test_answers_are_asked_for_once_and_kept(file, run, typed):
    file(TRIAGE, "triage.csv")
    status, out, err = typed("check triage.csv", "", "o", "x", "n", "")
    assert (status, "rule 2 says yellow, rule 5 says orange" in out) == (1, True)
    assert err.startswith("triage.csv has 3 questions that its cells do not settle.\n")
    assert "   o  outcome: the rows decide it (suggested) [1 conflict, 2 gaps]\n" in err
    assert "   c  condition: a row applies only to cases with its value [6 gaps]\n" in err
    roles = {"Conscious": "condition", "Triage level": "outcome", "Target minutes": "note"}
    assert answers() == {"tables": {"triage.csv": roles}}
    assert run("check triage.csv") == (1, out, "")
    # editors, too
    path = Path("triage.csv").absolute()
    [opened] = OpenedFile(TRIAGE, path, reading=options_of(path)).tables
    assert opened.table.outputs == ("Triage level",)


def test_one_answer_is_for_all_columns_of_a_question(file, run, typed):
    file(AGES, "ages.csv")
    status, out, err = typed("check ages.csv", "b", "no")
    assert (status, Path("irenic.toml").exists()) == (0, False)
    assert "   a  Age low = Age >=, Age high = Age <= (suggested) [no conflict, no gap]\n" in err
    assert "Age high  condition: Age < the value" in out
    assert "the questions were not answered" in typed("check ages.csv")[2]


def test_answers_are_added_to_what_a_file_of_options_has(file, run, typed):
    Path("tables").mkdir()
    file(AGES, "tables/ages.csv")
    text = '# options\n[tool.other]\nx = 1\n\n[tool.irenic]\nlocale = "en"\n'
    file(text, "pyproject.toml")
    typed("check tables/ages.csv", "a", "y")
    assert answers("pyproject.toml")["tool"] == {
        "other": {"x": 1},
        "irenic": {
            "locale": "en",
            "tables": {"tables/ages.csv": {"Age low": "Age >=", "Age high": "Age <="}},
        },
    }
    assert Path("pyproject.toml").read_text().startswith(text)
    # a new column of the same table
    file(AGES.replace("fee", "fee,Valid").replace("\n0,17,5", "\n0,17,5,x"), "tables/ages.csv")
    typed("check tables/ages.csv", "n", "y")
    kept = answers("pyproject.toml")["tool"]["irenic"]["tables"]["tables/ages.csv"]
    assert kept == {"Age low": "Age >=", "Age high": "Age <=", "Valid": "note"}


def test_answers_that_cannot_be_added_are_shown(file, typed):
    file(TRIAGE, "triage.csv")
    file('tables = {"triage.csv" = {Conscious = "condition"}}\n', "irenic.toml")
    status, _, err = typed("check triage.csv", "", "", "y")
    assert status == 2
    assert err.endswith(
        "the answers cannot be added to irenic.toml without changing other lines; write them under"
        ' [tables."triage.csv"]: "Triage level" = "outcome"; "Target minutes" = "outcome"\n'
    )
    assert answers() == {"tables": {"triage.csv": {"Conscious": "condition"}}}


def test_each_file_has_roles_of_its_own(file, run):
    file(AGES, "old.csv")
    file(AGES.replace("Age ", ""), "new.csv")
    roles = [
        f"--role 'old.csv::Age {word}=age {sign}'" for word, sign in (("low", ">="), ("high", "<="))
    ]
    roles += [
        f"--role 'new.csv::{word}=age {sign}'" for word, sign in (("low", ">="), ("high", "<="))
    ]
    status, out, err = run(f"diff old.csv new.csv {' '.join(roles)}")
    assert (status, err) == (0, ""), out
    # the command line adds to what a file says
    file('[tables."old.csv"]\n"Age low" = "age >="\n"Age high" = "age <="\n', "irenic.toml")
    assert run(f"diff old.csv new.csv {' '.join(roles[2:])}")[0] == 0
    assert run("check old.csv --role 'Age high=age <'")[1].count("age < the value") == 1


def test_wrong_roles_are_refused(file, refused):
    file(AGES, "ages.csv")
    for text, message in {
        "tables = 3": "tables must be a table, got 3",
        "[tables]\n'ages.csv' = 3": 'tables."ages.csv" must be a table of columns and roles, got 3',
        "[tables.'ages.csv']\nfee = 'outcom'": "tables.\"ages.csv\": unknown role 'outcom' of the"
        " column 'fee'; did you mean 'outcome'?",
        "[tables.'ages.csv']\nfee = 3": 'tables."ages.csv": unknown role 3 of the column',
    }.items():
        file(text, "irenic.toml")
        assert refused("check ages.csv").startswith(f"irenic.toml: {message}"), text
    file("", "irenic.toml")
    assert refused("check ages.csv --role fee") == (
        "--role must be NAME=ROLE, such as 'Fee=outcome', got 'fee'"
    )


def test_init_declares_the_answers_in_the_table(file, run):
    file(TRIAGE, "triage.csv")
    roles = "--role Conscious=condition --outcome 'Triage level' --ignore 'Target minutes'"
    assert run(f"init triage.csv -o declared.csv {roles}")[0] == 0
    assert Path("declared.csv").read_text("utf-8").splitlines()[1] == (
        'condition: integer >= 0,"condition: one of yes, no",'
        '"outcome: one of green, yellow, orange, red",note'
    )
    status, out, err = run("check declared.csv")
    assert (status, "rule 2 says yellow, rule 5 says orange" in out, err) == (1, True, "")
    file(AGES, "ages.csv")
    run("init ages.csv -o declared.csv --role 'Age low=Age >=' --role 'Age high=Age <='")
    assert "Age >=: integer >= 0,Age <=: integer >= 0," in Path("declared.csv").read_text("utf-8")
    assert run("check declared.csv")[0] == 0
