"""What the commands make of tables whose cells are ambiguous, and what they say about it."""

from __future__ import annotations

import functools
import sys

import pytest

import irenic
from irenic import cli
from irenic.frames.table import read_table

SHORT = {"generations": 1, "moves": 100, "selection": "description"}


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Make fits fast."""
    classifier = functools.partial(irenic.RuleSetClassifier, **SHORT)
    monkeypatch.setattr(irenic, "RuleSetClassifier", classifier)


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run the command in an empty folder: exit status, output, errors."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["irenic", *map(str, arguments)])
        try:
            cli.main()
            status = 0
        except SystemExit as ended:
            status = ended.code or 0
        out, err = capsys.readouterr()
        return status, out, err

    return call


@pytest.fixture
def write(tmp_path):
    """Write a table of rows that repeat."""

    def save(name, header, rows, times=1):
        (tmp_path / name).write_text("\n".join([header, *rows * times]) + "\n")
        return name

    return save


# --- codes


def test_codes_are_learned_as_text_and_read_so_by_every_command(run, write):
    data = write("data.csv", "code,x,y", ["007,1,bad", "7,1,good", "12,1,good"], 20)
    status, out, err = run("learn", data, "--cv", 0, "-o", "model.json")
    assert (status, err) == (0, "irenic: code: read as text because of '007'\n")
    assert '"007"' in out
    # no code with a zero in these rows
    new = write("new.csv", "code,x,y", ["7,1,good", "12,2,bad"])
    assert run("predict", "model.json", new, "-o", "out.csv")[0] == 0
    assert read_table("out.csv")["prediction"].tolist() == ["good", "good"]
    assert read_table("out.csv").cells["code"] == ("7", "12")
    assert "good" in run("why", "model.json", new, "--row", 1)[1]
    assert run("monitor", "model.json", new)[0] in (0, 1)
    assert run("report", "model.json", new, "-o", "page.html")[0] == 0


def test_labels_that_differ_in_zeros_stay_apart(run, write):
    data = write("data.csv", "x,y", ["1,01", "2,1", "3,1"], 20)
    status, out, err = run("learn", data, "--cv", 0)
    assert (status, err) == (0, "irenic: y: read as text because of '01'\n")
    assert "2 classes: 01 20, 1 40" in out


def test_codes_are_numbers_where_rules_compare_numbers(run, write, tmp_path):
    (tmp_path / "rules.txt").write_text("IF month < 7 THEN a\nDEFAULT b\n")
    data = write("data.csv", "month", ["01", "12"])
    assert run("predict", "rules.txt", data) == (
        0,
        "month,prediction\n01,a\n12,b\n",
        "irenic: month: '01' is read as a number, because the rules compare numbers\n",
    )
