"""The options that say how a table of rules is read, in every command."""

from __future__ import annotations

import inspect
import json
import shlex
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
IGNORED = ["Nr. im Ordner", "Bemerkung", "Rabatt"]
READ = ["--sheet", "Preise", "--header-row", "3", "--locale", "de", "--outcome", "Stufe"]
READ += [argument for name in IGNORED for argument in ("--ignore", name)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write a German table below a title, on the second sheet of a workbook, and other inputs."""
    folder = tmp_path_factory.mktemp("reading")
    workbook = openpyxl.Workbook()
    workbook.active.title = "Alt"
    for row in ROWS:
        workbook.active.append(row)
    sheet = workbook.create_sheet("Preise")
    for row in (["Preise 2026", "vorläufig"], [], *ROWS):
        sheet.append(row)
    book = folder / "BOOK.xlsx"
    workbook.save(book)
    (folder / "cases.csv").write_text("Umsatz\n1\n999\n1000\n", encoding="utf-8")
    (folder / "expected.csv").write_text("Umsatz,Stufe\n1,klein\n1000,groß\n", encoding="utf-8")
    rules = irenic.read(book, sheet="Alt", locale="de", target="Stufe", ignore=IGNORED)
    (folder / "proof.json").write_text(json.dumps(certify(rules, ["COMPLETE"])))
    return folder


@pytest.fixture
def run_there(run, folder, monkeypatch):
    monkeypatch.chdir(folder)
    return run


SAME = "IF Umsatz < 1000 THEN klein\nIF Umsatz >= 1000 THEN groß\n"
CALLS = {  # what each command is called with besides the options, and what it prints
    "check BOOK.xlsx --verbose": "1  Umsatz < 1000   klein",
    "init BOOK.xlsx -o out.xlsx": "Declarations written to out.xlsx",
    "gaps BOOK.xlsx": "every case is covered",
    "search BOOK.xlsx --consequent klein": "Umsatz < 1000",
    "enlarge BOOK.xlsx --seed Umsatz=5 --consequent klein": "Umsatz < 1000",
    "repair BOOK.xlsx": SAME,
    "complete BOOK.xlsx": SAME,
    "merge BOOK.xlsx": SAME,
    "convert BOOK.xlsx - --to csv": "Umsatz,Stufe\n< 1000,klein\n>= 1000,groß\n",
    "diff BOOK.xlsx BOOK.xlsx": "same",
    "predict BOOK.xlsx cases.csv": "1,klein\n999,klein\n1000,groß\n",
    "report BOOK.xlsx -o out.html": "2 rules",
    "prove BOOK.xlsx 'ALWAYS klein WHERE Umsatz < 5'": "proved: ALWAYS klein",
    "verify proof.json BOOK.xlsx": "proved: COMPLETE",
    "test BOOK.xlsx expected.csv": "2 of 2 cases pass",
    "cases BOOK.xlsx": "999,klein",
    "why BOOK.xlsx 'Umsatz = 5'": "klein",
    "impact BOOK.xlsx BOOK.xlsx cases.csv": "3 cases",
    "add BOOK.xlsx 'IF Umsatz < 5 THEN klein'": "IF Umsatz < 5 THEN klein",
}


@pytest.mark.parametrize("line", CALLS, ids=lambda line: line.split()[0])
def test_every_command_reads_a_table_as_told(line, run_there):
    words = shlex.split(line)
    status, out, err = run_there(words[0], *words[1:], *READ)
    assert (status, err.startswith("irenic: BOOK")) == (0, False), err
    assert CALLS[line] in out + err
    for left_out in (READ[2:], READ[:4] + READ[6:]):  # without a sheet, and without a language
        assert run_there(words[0], *words[1:], *left_out)[0] == 2
    assert run_there(words[0], *words[1:], *READ, "--hit-policy", "FIRTS") == (
        2, "", "irenic: --hit-policy: unknown hit policy 'FIRTS'; did you mean 'FIRST'?\n"
    )  # fmt: skip


def test_a_hit_policy_decides_between_rows(run, file):
    file("age,fare\n< 20,a\n> 9,b\n", "fares.csv")
    file("age\n15\n30\n", "cases.csv")
    assert "contradict" in run("predict fares.csv cases.csv")[2]
    for policy in ("FIRST", "f"):
        expected = (0, "age,prediction\n15,a\n30,b\n")
        assert run(f"predict fares.csv cases.csv --hit-policy {policy}")[:2] == expected
        assert run(f"gaps fares.csv --hit-policy {policy}")[0] == 0


def test_every_command_for_rules_has_all_options():
    """Tables are what learn reads, and models what monitor reads; servers do not end."""
    commands = {line.split()[0] for line in CALLS}
    assert commands == set(COMMANDS) - {"learn", "monitor", "edit", "lsp", "mcp"}
    for command in (*commands, "edit"):
        assert {name for option in load(command).params for name in option.opts} >= OPTIONS
    assert "--locale" not in {name for option in load("learn").params for name in option.opts}


def test_the_options_are_the_arguments_of_parse_and_so_are_those_of_read_and_loads():
    parameters = inspect.signature(irenic.parse).parameters
    assert set(parameters) == {*_READING, "source", "format", "name"}
    for function in (irenic.read, irenic.loads):
        taken = inspect.signature(function).parameters
        for name, parameter in list(parameters.items())[2:]:
            assert taken[name] == parameter


def test_read_and_loads_read_as_told(folder):
    options = {"sheet": "Preise", "header_row": 3, "locale": "de", "target": "Stufe"}
    rules = irenic.read(folder / "BOOK.xlsx", **options, ignore=IGNORED)
    assert "".join(f"{rule}\n" for rule in rules) == SAME
    raw = (folder / "BOOK.xlsx").read_bytes()
    assert irenic.loads(raw, format="xlsx", **options, ignore=IGNORED) == rules
    raw = "a;Größe;Preis\n;< 5;x\n;>= 5;y\n".encode("cp1252")
    part = {"encoding": "cp1252", "cells": "B1:C3", "name": "part.csv"}
    assert irenic.loads(raw, format="csv", **part).space.names == ("Größe",)
    crossed = irenic.loads("age,north,south\n< 18,5,6\n>= 18,7,8\n", format="csv", cross="region")
    assert str(crossed[1]) == "IF age < 18 AND region in {south} THEN 6"


@pytest.mark.parametrize(
    "line",
    [
        "repair a.csv",
        "merge a.csv",
        "convert a.csv - --to rules",
        "gaps a.csv",
        "diff a.csv a.csv",
        "predict a.csv cases.csv",
    ],
)
def test_several_outcomes_a_range_and_an_encoding(line, run, file):
    lines = ["x;Größe;Preis;Zone", "x;< 5;1;süd", "x;>= 5;2;nord", "", "x;y;z;1"]
    Path("a.csv").write_bytes("\n".join([*lines, ""]).encode("cp1252"))
    file("Größe\n4\n", "cases.csv")
    encoding, cells = "--encoding cp1252", "--range B1:D3"
    outcomes = "--outcome Preis --outcome Zone"
    status, out, err = run(f"{line} {encoding} {cells} {outcomes}")
    assert status == 0, err
    if line.split()[0] in ("repair", "merge", "convert"):
        assert "IF Größe < 5 THEN (1, süd)" in out
    assert run(f"{line} {cells} {outcomes}")[0] == 2
    assert run(f"{line} {encoding} {outcomes}")[0] == 2


# --- irenic init


def test_init_keeps_the_encoding_of_a_file(run):
    raw = "Titel\nGröße;Zone\n< 5;süd\n>= 5;nord\n".encode("cp1252")
    Path("a.csv").write_bytes(raw)
    assert run("init a.csv -o b.csv --encoding cp1252")[0] == 0
    lines = Path("b.csv").read_bytes().splitlines()
    assert [lines[0], lines[1], *lines[3:]] == raw.splitlines()
    assert lines[2].decode("cp1252") == "integer;one of süd, nord"
    old, new = (irenic.read(name, encoding="cp1252") for name in ("a.csv", "b.csv"))
    assert new == old


def test_init_has_no_place_for_the_declarations_of_a_cross_table(refused, file):
    file("age,north,south\n< 18,5,6\n>= 18,7,8\n", "a.csv")
    message = "a cross table in a .csv file has no place for declarations"
    assert message in refused("init a.csv -o b.csv --cross region")


def test_commands_say_how_many_more_errors_there_are(run, file):
    file("age,fare\n12 apples of 3,x\n13 apples of 3,y\n14 apples of 3,y\n", "bad.csv")
    status, _, err = run("merge bad.csv")
    first, others = err.splitlines()
    assert (status, "'12 apples of 3' is not a condition" in first) == (2, True)
    assert others == "irenic: 2 more errors; irenic check lists all"
