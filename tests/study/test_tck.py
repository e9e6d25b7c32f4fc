"""The runner of the DMN Technology Compatibility Kit, on a small kit of our own."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from benchmarks import tck
from irenic.formats.dmn import kit as kit_format

MODEL = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" namespace="urn:m">
  <inputData id="i" name="Years"><variable name="Years" typeRef="number"/></inputData>
  <decision id="d" name="Bonus"><variable name="Bonus" typeRef="number"/>
    <informationRequirement><requiredInput href="#i"/></informationRequirement>
    <decisionTable hitPolicy="COLLECT" aggregation="SUM">
      <input><inputExpression typeRef="number"><text>Years</text></inputExpression></input>
      <output name="bonus"/>
      <rule><inputEntry><text>&gt; 1</text></inputEntry>
        <outputEntry><text>0.1</text></outputEntry></rule>
      <rule><inputEntry><text>&gt; 2</text></inputEntry>
        <outputEntry><text>0.2</text></outputEntry></rule>
    </decisionTable>
  </decision>
  <decision id="e" name="All"><variable name="All"/>
    <informationRequirement><requiredDecision href="#d"/></informationRequirement>
    <literalExpression><text>{bonus: Bonus, days: [date("2026-01-31"), null]}</text>
    </literalExpression>
  </decision>
</definitions>"""
CASES = """<testCases xmlns="http://www.omg.org/spec/DMN/20160719/testcase"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xmlns:xsd="http://www.w3.org/2001/XMLSchema">
  <modelName>m.dmn</modelName>
  <testCase id="001">
    <inputNode name="Years"><value xsi:type="xsd:decimal">3</value></inputNode>
    <resultNode name="Bonus"><expected><value xsi:type="xsd:decimal">0.3</value></expected>
    </resultNode>
    <resultNode name="All"><expected>
      <component name="bonus"><value>0.3</value></component>
      <component name="days"><list>
        <item><value xsi:type="xsd:date">2026-01-31</value></item>
        <item><value xsi:nil="true"/></item>
      </list></component>
    </expected></resultNode>
  </testCase>
  <testCase id="002">
    <inputNode name="Years"><value xsi:type="xsd:decimal">2</value></inputNode>
    <resultNode name="Bonus"><expected><value xsi:type="xsd:decimal">{expected}</value></expected>
    </resultNode>
  </testCase>
</testCases>"""


@pytest.fixture
def kit(tmp_path):
    folder = tmp_path / "kit" / "compliance-level-2" / "0001-m"
    folder.mkdir(parents=True)
    (folder / "m.dmn").write_text(MODEL)
    (folder / "m-test-01.xml").write_text(CASES.replace("{expected}", "0.1"))
    return tmp_path / "kit"


def ran(kit, capsys):
    """Return the status, the results and the output of a run."""
    out = kit.parent / "tck_results.csv"
    status = tck.main(["--data", str(kit), "--out", str(out)])
    with out.open(newline="") as file:
        return status, list(csv.reader(file)), capsys.readouterr().out


def test_results_are_written_in_the_format_of_the_kit(kit, capsys):
    status, results, printed = ran(kit, capsys)
    assert status == 0
    assert results == [
        ["compliance-level-2/0001-m", "m-test-01", "001", "SUCCESS", ""],
        ["compliance-level-2/0001-m", "m-test-01", "002", "SUCCESS", ""],
    ]
    assert printed == "1 of 1 decision tables read\n2 of 2 test cases reproduced\n"


def test_what_is_not_reproduced_is_printed(kit, capsys):
    folder = kit / "compliance-level-2" / "0001-m"
    (folder / "m-test-01.xml").write_text(CASES.replace("{expected}", "0.7"))
    broken = MODEL.replace("&gt; 2", "&gt; nothing").replace("m.dmn", "n.dmn")
    (folder / "n.dmn").write_text(broken)
    status, results, printed = ran(kit, capsys)
    assert status == 1
    assert results[1][3:] == ["ERROR", "Bonus: expected 0.7, got 0.1"]
    assert "not read: n.dmn" in printed
    assert "'nothing' is a name" in printed
    assert "not reproduced: m-test-01 002: Bonus: expected 0.7, got 0.1\n" in printed
    assert "1 of 2 decision tables read\n1 of 2 test cases reproduced\n" in printed


def test_a_case_that_cannot_be_read_is_counted(kit, capsys):
    file = kit / "compliance-level-2" / "0001-m" / "m-test-01.xml"
    text = CASES.replace("{expected}", "0.1").replace(">2026-01-31<", ">-0001-01-31<")
    file.write_text(text.replace('"Years"><value xsi:type="xsd:decimal">2', '"Years"><value '
                                 'xsi:type="xsd:decimal">two'))  # fmt: skip
    status, (first, second), printed = ran(kit, capsys)
    assert status == 1
    assert first[3] == second[3] == "ERROR"
    assert "Bonus: column 1: '-0001-01-31' is not a date or time" in first[4]
    assert second[4] == "Bonus: a value of type decimal must be a number, got 'two'"
    assert "1 of 1 decision tables read\n0 of 2 test cases reproduced\n" in printed


def test_results_are_compared_as_values():
    for value, expected, same in (
        (1, 1.0, True),
        (1 / 3, 0.333333333, True),
        (0.34, 1 / 3, False),
        (True, 1, False),
        ([1, "a"], [1, "a"], True),
        ([1], [1, 2], False),
        ({"a": 1, "b": 2}, {"a": 1}, True),
        ({}, {"a": 1}, False),
        (None, None, True),
        (None, "a", False),
        (5, kit_format._Untyped("5"), True),
        (None, kit_format._Untyped(""), True),
    ):
        assert kit_format.same(value, expected) is same, (value, expected)


def test_the_public_kit_is_reproduced(tmp_path):
    folder = os.environ.get("IRENIC_TCK", "")
    if not folder:
        pytest.skip("IRENIC_TCK is not set: the DMN Technology Compatibility Kit is not run")
    assert tck.main(["--data", str(Path(folder)), "--out", str(tmp_path / "results.csv")]) == 0
