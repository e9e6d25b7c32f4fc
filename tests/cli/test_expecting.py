"""The options of report and edit that name properties and test cases."""

from __future__ import annotations

import json
import sys

import pytest

from irenic import cli

RULES = """IF age < 18 THEN refuse
IF age >= 18 THEN grant
"""


@pytest.fixture
def loans(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loans.txt").write_text(RULES)
    (tmp_path / "loans.properties").write_text(
        "# minors\nNEVER grant WHERE age < 18\nNEVER refuse\n"
    )
    (tmp_path / "cases.csv").write_text("age,then\n9,refuse\n20,refuse\n30,grant\n")
    return tmp_path


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command as a shell would: exit status and output."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["irenic", *arguments])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        shown = capsys.readouterr()
        return caught.value.code or 0, shown.out + " ".join(shown.err.split())

    return call


def test_a_report_reads_the_properties_beside_the_rules(loans, run):
    code, text = run("report", "loans.txt", "--cases", "cases.csv")
    assert code == 0
    assert "1 of 2 properties proved." in text
    assert "2 of 3 test cases pass." in text
    _, text = run("report", "loans.txt", "--json", "--cases", "cases.csv")
    summary = json.loads(text)
    assert [each["verdict"] for each in summary["properties"]] == ["proved", "refuted"]
    assert [each["passed"] for each in summary["cases"]] == [True, False, True]
    assert summary["cases"][1]["case"] == {"age": 20}


def test_another_file_of_properties_is_read_instead(loans, run):
    (loans / "policy.txt").write_text("ALWAYS refuse WHERE age < 18\n")
    assert "1 of 1 property proved." in run("report", "loans.txt", "--properties", "policy.txt")[1]
    (loans / "loans.properties").unlink()
    assert "proved" not in run("report", "loans.txt")[1]


def test_errors_name_the_file(loans, run):
    (loans / "bad.txt").write_text("NEVER grant\nNEVER grant WHERE\n")
    code, text = run("report", "loans.txt", "--properties", "bad.txt")
    assert code == 2
    assert "bad.txt, line 2, column 18: expected a feature name" in text
    (loans / "kit.xml").write_text("<testCases/>")
    code, text = run("report", "loans.txt", "--cases", "kit.xml")
    assert code == 2
    assert "cases of the DMN kit are read by irenic test only" in text


def test_knowledge_and_rules_are_not_combined(loans, run):
    (loans / "k.json").write_text("{}")
    options = ["cases.csv", "--rules", "loans.txt", "--knowledge", "k.json"]
    code, text = run("learn", *options)
    assert code == 2
    assert "--rules and --knowledge both name rules to keep; use one of them" in text
