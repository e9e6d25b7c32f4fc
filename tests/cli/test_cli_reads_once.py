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
LINES = [f"check {name}" for name in FILES]
# all commands read a format alike, so each reads some of them
LINES += [
    command.replace("RULES", FILES[(place + offset) % len(FILES)])
    for place, command in enumerate(COMMANDS)
    for offset in (0, 2 + place // len(FILES))
]
LINES += [f"check {' '.join(FILES)} {more}" for more in ("--data cases.csv", "--space space.json")]

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

    def call(line):
        global opened
        monkeypatch.chdir(folder)
        before = set(folder.iterdir())
        inputs = {os.path.realpath(path): path.name for path in before}
        opened = []
        try:
            status, _, err = run(line)
            counts = Counter(inputs[path] for path in opened if path in inputs)
        finally:
            opened = None
            for path in set(folder.iterdir()) - before:
                path.unlink()
        assert status in (0, 1), err
        return counts

    return call


@pytest.mark.parametrize("line", LINES)
def test_every_file_is_opened_once(opens, line):
    counts = opens(line)
    assert counts == {word: 1 for word in line.split() if Path(word).is_file()}
    assert set(counts) & set(FILES)


def test_a_model_and_its_data_are_opened_once(opens, folder, quick):
    quick(generations=1, moves=20)
    assert opens("learn labeled.csv --cv 0 --jobs 1 -o model.json") == {"labeled.csv": 1}
    model = irenic.RuleSetClassifier(random_state=0)
    table = read_table(folder / "labeled.csv")
    model.fit(table.select(["age", "job"]), table["pays"])
    irenic.write(model, folder / "model.json")
    for line in ("predict model.json labeled.csv", "report model.json labeled.csv --json"):
        assert opens(line) == {"labeled.csv": 1, "model.json": 1}
    assert opens("check model.json") == {"model.json": 1}
