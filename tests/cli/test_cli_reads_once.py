"""Every command opens every input file exactly once."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path

import pytest

import irenic
from irenic.frames.table import read_table

RULES = """IF age < 18 AND job in {nurse} THEN low
IF age >= 18 THEN high
IF age < 18 AND job not in {nurse} THEN mid
"""
ROWS = ["10,nurse,low", "20,clerk,high", "12,cook,mid", "30,nurse,high", "13,nurse,low"]
FILES = ("rules.txt", "bare.json", "rules.json", "rules.csv", "rules.xlsx", "rules.dmn")
COMMANDS = [
    "check RULES",
    "check RULES --data cases.csv",
    "check RULES --space space.json",
    "gaps RULES",
    "gaps RULES --data cases.csv",
    "search RULES --space space.json",
    "search RULES --data cases.csv",
    "enlarge RULES --seed age=5,job=cook --consequent mid",
    "enlarge RULES --seed age=5,job=cook --consequent mid --data cases.csv",
    "repair RULES --data labeled.csv",
    "complete RULES --data labeled.csv -o out.json",
    "merge RULES --space space.json",
    "convert RULES out.json",
    "convert RULES out.sql",
    "convert RULES out.py",
    "diff RULES other.txt --space space.json",
    "report RULES --json",
    "report RULES labeled.csv --json",
    "predict RULES labeled.csv",
]

opened: list[str] | None = None


def _note(event, arguments):
    # a hook cannot be removed, so a global turns it on and off
    if opened is not None and event == "open" and isinstance(arguments[0], str | os.PathLike):
        opened.append(os.path.realpath(arguments[0]))


sys.addaudithook(_note)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    rules = irenic.loads(RULES, format="rules")
    for name in (*FILES, "space.json", "other.txt"):
        if name != "bare.json":
            irenic.write(rules, folder / name)
    document = json.loads((folder / "rules.json").read_text())
    del document["space"]
    (folder / "bare.json").write_text(json.dumps(document))
    (folder / "labeled.csv").write_text("\n".join(["age,job,pays", *ROWS * 4]))
    cases = [row.rpartition(",")[0] for row in ROWS]
    (folder / "cases.csv").write_text("\n".join(["age,job", *cases]))
    return folder


@pytest.fixture
def opens(run, folder, monkeypatch):
    """Run a command, and return how often it opened each of its files."""
    monkeypatch.chdir(folder)

    def call(*arguments):
        global opened
        inputs = {os.path.realpath(path): path.name for path in folder.iterdir()}
        before = set(folder.iterdir())
        opened = []
        try:
            status, _, err = run(*arguments)
            counts = Counter(inputs[path] for path in opened if path in inputs)
        finally:
            opened = None
            for path in set(folder.iterdir()) - before:
                path.unlink()
        assert status in (0, 1), err
        return counts

    return call


def named(arguments):
    return {name: 1 for name in arguments if Path(name).is_file()}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_file_is_opened_once(opens, command, name):
    arguments = command.replace("RULES", name).split()
    counts = opens(*arguments)
    assert counts == named(arguments)
    assert counts[name] == 1


@pytest.mark.parametrize("option", ["--data cases.csv", "--space space.json"])
def test_several_files_share_one_space_that_is_read_once(opens, option):
    arguments = ["check", *FILES, *option.split()]
    counts = opens(*arguments)
    assert counts == named(arguments)
    assert sum(counts.values()) == len(FILES) + 1


def test_a_model_and_its_data_are_opened_once(opens, folder):
    learned = opens("learn", "labeled.csv", "--cv", "0", "--budget", "0.2", "-o", "model.json")
    assert learned == {"labeled.csv": 1}
    model = irenic.RuleSetClassifier(generations=1, moves=20, random_state=0)
    table = read_table(folder / "labeled.csv")
    model.fit(table.select(["age", "job"]), table["pays"])
    irenic.write(model, folder / "model.json")
    for command in ("predict model.json labeled.csv", "report model.json labeled.csv --json"):
        assert opens(*command.split()) == {"labeled.csv": 1, "model.json": 1}
    assert opens("check", "model.json") == {"model.json": 1}
