"""The options of report and edit that name properties and test cases."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def loans(file):
    file("IF age < 18 THEN refuse\nIF age >= 18 THEN grant\n", "loans.txt")
    file("# minors\nNEVER grant WHERE age < 18\nNEVER refuse\n", "loans.properties")
    file("age,then\n9,refuse\n20,refuse\n30,grant\n", "cases.csv")


def test_a_report_reads_the_properties_beside_the_rules(run, document):
    status, out, err = run("report loans.txt --cases cases.csv")
    assert status == 0
    assert "1 of 2 properties proved." in out + err
    assert "2 of 3 test cases pass." in out + err
    summary = document("report loans.txt --cases cases.csv")
    assert [each["verdict"] for each in summary["properties"]] == ["proved", "refuted"]
    assert [each["passed"] for each in summary["cases"]] == [True, False, True]
    assert summary["cases"][1]["case"] == {"age": 20}


def test_another_file_of_properties_is_read_instead(run, file):
    file("ALWAYS refuse WHERE age < 18\n", "policy.txt")
    shown = "".join(run("report loans.txt --properties policy.txt")[1:])
    assert "1 of 1 property proved." in shown
    Path("loans.properties").unlink()
    assert "proved" not in "".join(run("report loans.txt")[1:])


def test_errors_name_the_file(run, file):
    for name, text in (
        ("bad.txt", "NEVER grant\nNEVER grant WHERE\n"),
        ("kit.xml", "<testCases/>"),
    ):
        file(text, name)
    file("{}", "k.json")
    for line, message in {
        "report loans.txt --properties bad.txt": (
            "bad.txt, line 2, column 18: expected a feature name"
        ),
        "report loans.txt --cases kit.xml": ("cases of the DMN kit are read by irenic test only"),
        "learn cases.csv --rules loans.txt --knowledge k.json": (
            "--rules and --knowledge both name rules to keep; use one of them"
        ),
    }.items():
        status, _, err = run(line)
        assert status == 2
        assert message in " ".join(err.split())
