"""The views of a check: JSON, SARIF and annotations say what the findings say."""

from __future__ import annotations

import json

from irenic import DecisionTable, FormatError, Rule, RuleSet, check
from irenic.checking import KINDS
from irenic.reporting import github as annotations
from irenic.reporting import sarif, summary
from irenic.reporting.checked import CheckedFile, line_of


def table(name="fares", policy=None, lines=(3, 5, 8)):
    rules = RuleSet(
        [
            Rule({"age": (0, 30)}, then="low"),
            Rule({"age": (29, 60)}, then="high"),
            Rule({"age": (10, 20)}, then="low"),
        ],
    )
    return DecisionTable(rules, (0, 1, 2), 3, name=name, hit_policy=policy, lines=lines)


def checked(path="a b.dmn", errors=(), **options):
    return CheckedFile(path, [check(table(**options))], list(errors), several=True)


# --- SARIF


def test_sarif_has_a_result_for_each_finding_with_its_place():
    file = checked()
    run = sarif.document([file], "1.2")["runs"][0]
    assert run["tool"]["driver"]["name"] == "irenic"
    assert run["tool"]["driver"]["version"] == "1.2"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == list(KINDS)
    findings = list(file.tables[0])
    assert len(run["results"]) == len(findings) == 5
    for result, finding in zip(run["results"], findings, strict=True):
        assert result["ruleId"] == finding.kind
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == finding.kind
        assert result["level"] == finding.level
        assert result["message"]["text"] == f"fares: {finding.text}"
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"] == "a%20b.dmn"
        assert location["logicalLocations"] == [{"name": "fares", "kind": "object"}]
    conflict, overlap, *gaps, inside = run["results"]
    assert conflict["locations"][0]["physicalLocation"]["region"] == {"startLine": 5}
    assert overlap["locations"][0]["physicalLocation"]["region"] == {"startLine": 8}
    assert {gap["locations"][0]["physicalLocation"]["region"]["startLine"] for gap in gaps} == {3}
    assert inside["ruleId"] == "inside"
    json.dumps(run)


def test_a_finding_keeps_its_mark_when_lines_move():
    def marks(**options):
        document = sarif.document([checked(**options)], "1")
        return [r["partialFingerprints"]["irenic/v1"] for r in document["runs"][0]["results"]]

    assert marks() == marks(lines=(4, 6, 9))
    assert len(set(marks())) == 5
    assert set(marks()).isdisjoint(marks(name="other"))


def test_a_file_that_cannot_be_read_is_a_notification_and_no_result():
    error = FormatError("not XML", line=7)
    run = sarif.document([CheckedFile("x.dmn", [], [error])], "1")["runs"][0]
    assert run["results"] == []
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    (note,) = invocation["toolExecutionNotifications"]
    assert (note["level"], note["message"]) == ("error", {"text": "not XML"})
    assert note["locations"][0]["physicalLocation"]["region"] == {"startLine": 7}
    assert sarif.document([checked()], "1")["runs"][0]["invocations"][0]["executionSuccessful"]


# --- annotations


def test_annotations_are_one_command_a_line():
    lines = list(annotations.lines([checked(policy="UNIQUE")]))
    assert lines[0] == (
        "::error file=a b.dmn,line=5,title=irenic%3A conflict::fares: age = 29: rule 1 says low,"
        " rule 2 says high (wherever 29 <= age < 30)"
    )
    assert lines[1].startswith("::error file=a b.dmn,line=8,title=irenic%3A overlap::fares: ")
    assert lines[2].startswith("::warning file=a b.dmn,line=3,title=irenic%3A gap::fares: ")
    assert lines[-1].startswith("::notice file=a b.dmn,line=8,title=irenic%3A inside::")
    assert not any("\n" in line for line in lines)


def test_annotations_escape_what_would_end_them():
    error = FormatError("50 %\nof,it")
    (line,) = annotations.lines([CheckedFile("a,b:c%.dmn", [], [error])])
    assert line == ("::error file=a%2Cb%3Ac%25.dmn,title=irenic%3A cannot be read::50 %25%0Aof,it")


# --- JSON


def test_json_of_tables_has_names_and_counts():
    data = summary.checked_file(checked(errors=[FormatError("bad cell", line=9, column=2)]))
    (found,) = data["tables"]
    assert (found["name"], found["id"], found["hit_policy"], found["rules"]) == (
        "fares",
        "",
        None,
        3,
    )
    assert (found["consistent"], found["complete"]) == (False, False)
    assert (len(found["conflicts"]), len(found["overlaps"]), len(found["gaps"])) == (1, 2, 2)
    assert found["inside"] == [
        {
            "rules": [3],
            "by": [1],
            "region": {"age": {">=": 10, "<": 20}},
            "witness": {"age": 10},
            "text": "rule 3 adds nothing: rule 1 says the same wherever it holds",
        }
    ]
    assert data["errors"] == [{"message": "bad cell", "line": 9, "column": 2}]
    several = summary.checked_files([checked(), checked("b.csv")])
    assert [file["path"] for file in several["files"]] == ["a b.dmn", "b.csv"]


def test_the_line_of_a_finding_is_that_of_the_later_rule():
    found = check(table())
    lines = [line_of(found, finding) for finding in found]
    assert lines == [5, 8, 3, 3, 8]
    unknown = check(table(lines=()))
    assert {line_of(unknown, finding) for finding in unknown} == {None}
