"""The document and its views: JSON, SARIF, annotations, text and page agree with the findings."""

from __future__ import annotations

import io
import json
import re
import runpy
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator
from rich.console import Console

import irenic
import strategies
from documents import of_kind, region_of, validated, validator
from irenic import Continuous, DecisionTable, FormatError, Region, Rule, RuleSet, Space, check
from irenic.checking import KINDS, NOUNS
from irenic.formats.tables.drafts import Place, TableError
from irenic.model import Provenance
from irenic.model.literals import say
from irenic.reporting import terminal
from irenic.reporting.document import Checked
from irenic.reporting.documents import CheckedFile, check_document
from irenic.reporting.encoding import encode_box
from irenic.reporting.github import to_annotations
from irenic.reporting.sarif import to_sarif

SCRIPT = Path(__file__).parents[2] / "scripts" / "document-types"


def table(name="fares", policy=None, lines=(3, 5, 8)):
    sides = [((0, 30), "low"), ((29, 60), "high"), ((10, 20), "low")]
    rules = RuleSet([Rule({"age": ends}, then=then) for ends, then in sides])
    return DecisionTable(
        rules, (0, 1, 2), 3, name=name, hit_policy=policy, provenance=Provenance(lines=lines)
    )


def checked(path="a b.dmn", errors=(), **options):
    return CheckedFile(path, [check(table(**options))], list(errors))


# --- SARIF


def test_sarif_has_a_result_with_a_location_for_each_finding():
    file = checked()
    run = to_sarif(check_document([file]), "1.2")["runs"][0]
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


def test_a_finding_keeps_its_fingerprint_when_lines_move():
    def marks(**options):
        run = to_sarif(check_document([checked(**options)]), "1")["runs"][0]
        return [r["partialFingerprints"]["irenic/v1"] for r in run["results"]]

    assert marks() == marks(lines=(4, 6, 9))
    assert len(set(marks())) == 5
    assert set(marks()).isdisjoint(marks(name="other"))


def test_an_unreadable_file_is_a_notification_and_not_a_result():
    error = FormatError("not XML", line=7)
    run = to_sarif(check_document([CheckedFile("x.dmn", [], [error])]), "1")["runs"][0]
    assert run["results"] == []
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    (note,) = invocation["toolExecutionNotifications"]
    assert (note["level"], note["message"]) == ("error", {"text": "not XML"})
    assert note["locations"][0]["physicalLocation"]["region"] == {"startLine": 7}
    fine = to_sarif(check_document([checked()]), "1")["runs"][0]
    assert fine["invocations"][0]["executionSuccessful"]


# --- annotations


def test_annotations_are_one_command_per_line():
    lines = list(to_annotations(check_document([checked(policy="UNIQUE")])))
    assert lines[0] == (
        "::error file=a b.dmn,line=5,title=irenic%3A conflict::fares: age = 29: rule 1 says low,"
        " rule 2 says high (wherever 29 <= age < 30)"
    )
    assert lines[1].startswith("::error file=a b.dmn,line=8,title=irenic%3A overlap::fares: ")
    assert lines[2].startswith("::warning file=a b.dmn,line=3,title=irenic%3A gap::fares: ")
    assert lines[-1].startswith("::notice file=a b.dmn,line=8,title=irenic%3A inside::")
    assert not any("\n" in line for line in lines)
    # delimiters are escaped
    error = FormatError("50 %\nof,it")
    (line,) = to_annotations(check_document([CheckedFile("a,b:c%.dmn", [], [error])]))
    assert line == ("::error file=a%2Cb%3Ac%25.dmn,title=irenic%3A cannot be read::50 %25%0Aof,it")
    # findings that are not listed are counted
    found = check(table(), limit=1)
    lines = list(to_annotations(check_document([CheckedFile("a.dmn", [found])])))
    assert [line for line in lines if "to list more" in line] == [
        f"::notice file=a.dmn,title=irenic%3A {noun}::fares: … and 1 more {noun}s"
        " (use --limit to list more)"
        for noun in ("overlap", "gap")
    ]


# --- JSON


def test_json_of_tables_has_names_counts_and_errors():
    error = FormatError("bad cell", line=9, column=2)
    cell = TableError("not a number", "fares", Place(2, "age", "old"), line=5)
    file = checked(errors=[error, cell])
    (data,) = validated(check_document([file]))["files"]
    (found,) = data["tables"]
    assert (found["name"], found["id"], found["hit_policy"]) == ("fares", "", None)
    assert found["size"] == {"features": 1, "rules": 3, "conditions": 3}
    counts = {kind: n for kind, n in found["counts"].items() if n}
    assert counts == {"conflicts": 1, "overlaps": 2, "gaps": 2, "inside": 1}
    kinds = ["conflicts", "overlaps", "gaps", "gaps", "inside"]
    assert [finding["kind"] for finding in found["findings"]] == kinds
    (inside,) = of_kind(found, "inside")
    assert (inside["rules"], inside["by"], inside["then"]) == ([3], [1], [])
    assert inside["region"]["text"] == "10 <= age < 20"
    assert inside["witness"]["values"] == {"age": 10}
    assert inside["text"] == "rule 3 is redundant: rule 1 says the same wherever rule 3 applies"
    place = dict.fromkeys(("table", "rule", "header", "text", "cell"))
    assert data["errors"][0] == {"message": "bad cell", "line": 9, "column": 2, **place}
    place = {"line": 5, "table": "fares", "rule": 2, "header": "age", "text": "old"}
    assert place.items() <= data["errors"][1].items()
    # a finding has the line of the last rule
    assert [finding["line"] for finding in found["findings"]] == [5, 8, 3, 3, 8]
    (data,) = check_document([checked(lines=())])["files"]
    assert [finding["line"] for finding in data["tables"][0]["findings"]] == [None] * 5


# --- the schema


def test_the_schema_and_the_types_of_the_page_are_up_to_date():
    command = [sys.executable, str(SCRIPT), "--check"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")


def test_the_schema_rejects_invalid_documents():
    Draft202012Validator.check_schema(validator().schema)
    summary = irenic.summarize(table())
    assert validator().is_valid(summary)
    assert not validator().is_valid(summary | {"version": 2})
    assert not validator().is_valid(summary | {"surprise": 1})
    assert not validator().is_valid({key: summary[key] for key in summary if key != "models"})


# --- agreement of all views

FILES = {
    "conflict.rules": "IF age < 30 AND job in {nurse} THEN low\nIF age >= 29 THEN high\n",
    "complete.rules": "IF age < 30 THEN low\nIF age >= 30 THEN high\n",
    "list.csv": "U,age,job,fare\n1,< 18,-,free\n2,< 30,nurse,half\n3,[10..40],-,full\n",
    "dates.rules": "IF born <= 2000-01-31 THEN A\nIF born > 1999-12-31 AND n = 3 THEN B\n",
    "missing.json": """{"version": 1, "space": [{"name": "n", "missing": true}, {"name": "c",
        "values": ["a b", "c"], "other": true}], "rules": [{"if": {"n": {"<=": 5, "missing": true}},
        "then": 1}, {"if": {"c": {"not in": ["a b"]}, "n": {">": 4}}, "then": 2}]}""",
}


def text_of(file):
    """Return the printed findings of a file by the noun of their kind."""
    out = io.StringIO()
    console = Console(file=out, width=100_000)
    terminal.print_check(check_document([file]), console, verbose=True)
    lines = out.getvalue().splitlines()
    nouns = sorted(NOUNS.values(), key=len, reverse=True)
    found = [re.match(f"({'|'.join(nouns)})  +(.*)", line) for line in lines]
    return [(match[1], match[2]) for match in found if match], lines


def embedded(document):
    """Return the data that the page of a summary embeds."""
    html = irenic.reporting.Report(document).html
    start = html.index('id="summary">') + len('id="summary">')
    return json.loads(html[start : html.index("</script>", start)])


@pytest.mark.parametrize("name", FILES)
def test_all_views_agree(name, tmp_path):
    path = tmp_path / name
    path.write_text(FILES[name])
    (rules,) = irenic.parse(path).bind().tables
    same_in_every_view(rules)


@given(strategies.rule_sets(max_size=4, max_features=3))
@strategies.examples(0.5)
def test_all_views_of_random_rules_agree(rules):
    same_in_every_view(DecisionTable.from_rules(rules))


def same_in_every_view(rules):
    found = check(rules, budget=irenic.Budget(nodes=10_000))
    file = CheckedFile("x", [found])
    document = validated(check_document([file]))
    (checked_table,) = document["files"][0]["tables"]
    findings = checked_table["findings"]
    assert [f["text"] for f in findings] == [finding.text for finding in found]
    for entry, finding in zip(findings, found, strict=True):
        if finding.region is not None:
            assert region_of(entry["region"], rules.space) == finding.region
            assert entry["region"]["text"] == str(finding.region)
    results = to_sarif(document, "1")["runs"][0]["results"]
    places = [f["place"] or rules.name for f in findings]
    assert [(r["ruleId"], r["message"]["text"]) for r in results] == [
        (f["kind"], f"{place}: {f['text']}" if place else f["text"])
        for f, place in zip(findings, places, strict=True)
    ]
    titles = [re.search("title=irenic%3A (.*?)::", line)[1] for line in to_annotations(document)]
    assert titles == [f["noun"] for f in findings]
    printed, lines = text_of(file)
    # text shows only the first findings of each kind
    assert [one for one in printed if "lists more" not in one[1]] == [
        (f["noun"], f"{f['place']}: {f['text']}" if f["place"] else f["text"])
        for kind in KINDS
        for f in of_kind(checked_table, kind)[: 50 if kind in ("conflicts", "overlaps") else 10]
    ]
    for verdict in checked_table["verdicts"].values():
        assert f"{verdict['head']}: {verdict['text']}" in lines
    summary = irenic.summarize(rules, budget=irenic.Budget(nodes=10_000), limit=1_000)
    (model,) = validated(summary)["models"]
    for key in Checked.__annotations__:
        assert model[key] == checked_table[key], key
    for key in ("text", "conditions", "box", "then", "number"):
        assert [r[key] for r in model["rules"]] == [r[key] for r in checked_table["rules"]]
    assert model["default"]["then"] == checked_table["default"]
    for row, rule in zip(rules.rows, rules.rules, strict=True):
        parts = (str(row + 1), rule.region.to_text(), say(rule.then))
        assert any(re.split("  +", line.strip()) == list(parts) for line in lines), parts
    page = embedded(summary)
    page_schema().validate(page)
    (shown,) = page["models"]
    assert (shown["counts"], shown["verdicts"]) == (model["counts"], model["verdicts"])
    assert [(f["kind"], f["region"] and f["region"]["box"]) for f in shown["findings"]] == [
        (f["kind"], f["region"] and f["region"]["box"]) for f in findings
    ]


@cache
def page_schema():
    return Draft202012Validator(runpy.run_path(str(SCRIPT))["page_schema"]())


@pytest.mark.parametrize("missing", [False, True])
def test_open_sides_are_null_unless_missing_values_have_to_be_excluded(missing):
    space = Space([Continuous("x", missing=missing)])
    boxes = [
        encode_box(Region(space, {"x": condition}))["x"]
        for condition in ({"<": 5}, {">=": 5}, {"<": 5, "missing": True})
    ]
    lowest = -1.7976931348623157e308 if missing else None
    assert boxes == [[lowest, 5.0], [5.0, None], [None, 5.0]]
