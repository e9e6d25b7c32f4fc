"""What the commands make of tables whose cells are ambiguous, and what they say about it."""

from __future__ import annotations

import functools
import json
import sys
from pathlib import Path

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


# --- exports


def test_a_model_is_converted_to_pmml_with_its_counts_and_the_fields_that_rules_test(run, write):
    data = write("data.csv", "age,name,y", [f"{i},N{i % 2},{'ab'[i > 18]}" for i in range(40)])
    assert run("learn", data, "--cv", 0, "--forbid", "name", "-o", "model.json")[0] == 0
    assert run("convert", "model.json", "model.pmml")[0] == 0
    text = Path("model.pmml").read_text()
    assert text == irenic.dumps(irenic.read_model("model.json"), format="pmml")
    assert "recordCount=" in text
    assert '<MiningField name="age"/>' in text
    assert '"name"' not in text


# --- forbidden columns


def test_the_comparison_and_the_card_leave_forbidden_columns_out(run, write):
    rows = [f"{i % 7},{'ab'[i % 3 == 0]},{'ab'[i % 3 == 0]}" for i in range(60)]
    data = write("data.csv", "x,later,y", rows)
    status, out, _ = run("learn", data, "--cv", 2, "--json")
    assert json.loads(out)["cross_validation"]["learners"][1]["accuracy"] == 1.0
    status, out, err = run(
        "learn", data, "--forbid", "later", "--cv", 2, "--json", "--card", "card.md"
    )
    assert (status, err) == (0, "")
    assert json.loads(out)["cross_validation"]["learners"][1]["accuracy"] < 0.9
    card = Path("card.md").read_text()
    assert "make sure that it is known" not in card
    assert "forbidden=['later']" in card
    assert "may know the answer" not in run("learn", data, "--forbid", "later", "--cv", 0)[1]
