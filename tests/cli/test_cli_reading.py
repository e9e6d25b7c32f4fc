"""The options that say how a table of rules is read, in every command."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import openpyxl
import pytest

import irenic
from irenic.cli import COMMANDS, load
from irenic.cli.reading import _READING
from irenic.proving import certify

OPTIONS = {"--outcome", "--target", "--ignore", "--locale", "--sheet", "--range", "--header-row"}
OPTIONS |= {"--cross", "--encoding", "--hit-policy"}

ROWS = [
    ("Umsatz", "Nr. im Ordner", "Stufe", "Bemerkung", "Rabatt"),
    ("< 1.000", "a7", "klein", "", "2"),
    (">= 1.000", "b9", "groß", "", "3"),
]
"""The outcome is the third column, and 1.000 is one thousand in German only."""
READ = ["--sheet", "Preise", "--header-row", "3", "--locale", "de", "--outcome", "Stufe"]
IGNORED = ["Nr. im Ordner", "Bemerkung", "Rabatt"]
READ += [argument for name in IGNORED for argument in ("--ignore", name)]


@pytest.fixture
def book(tmp_path, monkeypatch):
    """Write a German table below a title, on the second sheet of a workbook; return its path."""
    monkeypatch.chdir(tmp_path)
    workbook = openpyxl.Workbook()
    workbook.active.title = "Alt"
    for row in ROWS:
        workbook.active.append(row)
    sheet = workbook.create_sheet("Preise")
    sheet.append(["Preise 2026", "vorläufig"])
    sheet.append([])
    for row in ROWS:
        sheet.append(row)
    workbook.save("preise.xlsx")
    Path("cases.csv").write_text("Umsatz\n1\n999\n1000\n", encoding="utf-8")
    Path("expected.csv").write_text("Umsatz,Stufe\n1,klein\n1000,groß\n", encoding="utf-8")
    rules = irenic.read("preise.xlsx", sheet="Alt", locale="de", target="Stufe", ignore=IGNORED)
    Path("proof.json").write_text(json.dumps(certify(rules, ["COMPLETE"])))
    return "preise.xlsx"


# what each command is called with besides the options, its status, and what it prints
CALLS = {
    "check": (["BOOK", "--verbose"], 0, "1  Umsatz < 1000   klein"),
    "init": (["BOOK", "-o", "out.xlsx"], 0, "Declarations written to out.xlsx"),
    "gaps": (["BOOK"], 0, "every case is covered"),
    "search": (["BOOK", "--consequent", "klein"], 0, "Umsatz < 1000"),
    "enlarge": (["BOOK", "--seed", "Umsatz=5", "--consequent", "klein"], 0, "Umsatz < 1000"),
    "repair": (["BOOK"], 0, "IF Umsatz < 1000 THEN klein\nIF Umsatz >= 1000 THEN groß\n"),
    "complete": (["BOOK"], 0, "IF Umsatz < 1000 THEN klein\nIF Umsatz >= 1000 THEN groß\n"),
    "merge": (["BOOK"], 0, "IF Umsatz < 1000 THEN klein\nIF Umsatz >= 1000 THEN groß\n"),
    "convert": (["BOOK", "-", "--to", "csv"], 0, "Umsatz,Stufe\n< 1000,klein\n>= 1000,groß\n"),
    "diff": (["BOOK", "BOOK"], 0, "same"),
    "predict": (["BOOK", "cases.csv"], 0, "1,klein\n999,klein\n1000,groß\n"),
    "report": (["BOOK", "-o", "out.html"], 0, "2 rules"),
    "prove": (["BOOK", "ALWAYS klein WHERE Umsatz < 5"], 0, "proved: ALWAYS klein"),
    "verify": (["proof.json", "BOOK"], 0, "proved: COMPLETE"),
    "test": (["BOOK", "expected.csv"], 0, "2 of 2 cases pass"),
    "cases": (["BOOK"], 0, "999,klein"),
    "why": (["BOOK", "Umsatz = 5"], 0, "klein"),
    "impact": (["BOOK", "BOOK", "cases.csv"], 0, "3 cases"),
    "add": (["BOOK", "IF Umsatz < 5 THEN klein"], 0, "IF Umsatz < 5 THEN klein"),
}


@pytest.mark.parametrize("command", CALLS)
def test_every_command_reads_a_table_as_told(command, book, run):
    arguments, expected, text = CALLS[command]
    call = [command, *[book if argument == "BOOK" else argument for argument in arguments]]
    status, out, err = run(*call, *READ)
    assert (status, err.startswith("irenic: preise")) == (expected, False), err
    assert text in out or text in err
    for left_out in (READ[2:], READ[:4] + READ[6:]):  # without a sheet, and without a language
        assert run(*call, *left_out)[0] == 2


@pytest.mark.parametrize("command", CALLS)
def test_every_command_rejects_an_unknown_hit_policy(command, book, run):
    arguments = [book if argument == "BOOK" else argument for argument in CALLS[command][0]]
    assert run(command, *arguments, *READ, "--hit-policy", "FIRTS") == (
        2, "", "irenic: --hit-policy: unknown hit policy 'FIRTS'; did you mean 'FIRST'?\n"
    )  # fmt: skip


@pytest.mark.parametrize("policy", ["FIRST", "f"])
def test_a_hit_policy_decides_between_rows(policy, run, file, tmp_path):
    path = file("age,fare\n< 20,a\n> 9,b\n", "fares.csv")
    cases = tmp_path / "cases.csv"
    cases.write_text("age\n15\n30\n")
    assert "contradict" in run("predict", path, str(cases))[2]
    assert run("predict", path, str(cases), "--hit-policy", policy)[:2] == (
        0, "age,prediction\n15,a\n30,b\n"
    )  # fmt: skip
    assert run("gaps", path, "--hit-policy", policy)[0] == 0


def test_every_command_for_rules_reads_them():
    """Tables are what learn reads, and models what monitor reads; servers do not end."""
    assert set(CALLS) == set(COMMANDS) - {"learn", "monitor", "edit", "lsp", "mcp"}


@pytest.mark.parametrize("command", [*CALLS, "edit"])
def test_every_command_has_all_options(command):
    names = {name for option in load(command).params for name in option.opts}
    assert names >= OPTIONS
    assert ("--locale" in {n for o in load("learn").params for n in o.opts}) is False


def test_the_options_are_the_arguments_of_parse():
    others = {"source", "format", "name"}
    assert set(inspect.signature(irenic.parse).parameters) == {*_READING, *others}


@pytest.mark.parametrize("function", [irenic.read, irenic.loads])
def test_read_and_loads_take_what_parse_takes(function):
    taken = dict(inspect.signature(function).parameters)
    for name, parameter in list(inspect.signature(irenic.parse).parameters.items())[2:]:
        assert taken[name] == parameter


def test_read_and_loads_read_as_told(book):
    options = {"sheet": "Preise", "header_row": 3, "locale": "de", "target": "Stufe"}
    options["ignore"] = ["Nr. im Ordner", "Bemerkung", "Rabatt"]
    rules = irenic.read(book, **options)
    assert [str(rule) for rule in rules] == [
        "IF Umsatz < 1000 THEN klein",
        "IF Umsatz >= 1000 THEN groß",
    ]
    assert irenic.loads(Path(book).read_bytes(), format="xlsx", **options) == rules
    raw = "a;Größe;Preis\n;< 5;x\n;>= 5;y\n".encode("cp1252")
    part = {"encoding": "cp1252", "cells": "B1:C3", "name": "part.csv"}
    assert irenic.loads(raw, format="csv", **part).space.names == ("Größe",)
    crossed = irenic.loads("age,north,south\n< 18,5,6\n>= 18,7,8\n", format="csv", cross="region")
    assert str(crossed[1]) == "IF age < 18 AND region in {south} THEN 6"


@pytest.mark.parametrize("command", ["repair", "merge", "convert", "gaps", "diff", "predict"])
def test_several_outcomes_a_range_and_an_encoding(command, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["x;Größe;Preis;Zone", "x;< 5;1;süd", "x;>= 5;2;nord", "", "x;y;z;1"]
    Path("a.csv").write_bytes("\n".join([*lines, ""]).encode("cp1252"))
    Path("cases.csv").write_text("Größe\n4\n", encoding="utf-8")
    more = {"convert": ["-", "--to", "rules"], "diff": ["a.csv"], "predict": ["cases.csv"]}
    call = [command, "a.csv", *more.get(command, [])]
    how = ["--encoding", "cp1252", "--range", "B1:D3", "--outcome", "Preis", "--outcome", "Zone"]
    status, out, err = run(*call, *how)
    assert status == 0, err
    if command in ("repair", "merge", "convert"):
        assert "IF Größe < 5 THEN (1, süd)" in out
    assert run(*call, *how[2:])[0] == 2
    assert run(*call, *how[:2], *how[4:])[0] == 2


# --- irenic init


def test_init_keeps_the_encoding_of_a_file(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    raw = "Titel\nGröße;Zone\n< 5;süd\n>= 5;nord\n".encode("cp1252")
    Path("a.csv").write_bytes(raw)
    assert run("init", "a.csv", "-o", "b.csv", "--encoding", "cp1252")[0] == 0
    lines = Path("b.csv").read_bytes().splitlines()
    assert [lines[0], lines[1], *lines[3:]] == raw.splitlines()
    assert lines[2].decode("cp1252") == "integer;one of süd, nord"
    back = irenic.parse("b.csv", encoding="cp1252")
    assert (
        back.bind().table().rules == irenic.parse("a.csv", encoding="cp1252").bind().table().rules
    )


def test_init_has_no_place_for_the_declarations_of_a_cross_table(run, file, tmp_path):
    path = file("age,north,south\n< 18,5,6\n>= 18,7,8\n", "a.csv")
    status, _, err = run("init", path, "-o", str(tmp_path / "b.csv"), "--cross", "region")
    assert status == 2
    assert "a cross table in a .csv file has no place for declarations" in err


def test_commands_say_how_many_more_errors_there_are(run, file):
    path = file("age,fare\n12 apples of 3,x\n13 apples of 3,y\n14 apples of 3,y\n", "bad.csv")
    status, _, err = run("merge", path)
    first, others = err.splitlines()
    assert (status, "'12 apples of 3' is not a condition" in first) == (2, True)
    assert others == ("irenic: 2 more errors; irenic check lists all")
