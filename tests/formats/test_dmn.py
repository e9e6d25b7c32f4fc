from __future__ import annotations

import datetime as dt
import re
from itertools import combinations, product
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

import irenic
import naive_cells
import strategies as sts
import test_formats
from bound import loads_dmn
from irenic import Categorical, Continuous, DecisionTable, Rule, RuleList, RuleSet, Space
from irenic.formats.dmn import writing as dmn_writing
from irenic.model.literals import Expression, Months

# The namespaces of models, version by version.
VERSIONS = {
    "1.1": "http://www.omg.org/spec/DMN/20151101/dmn.xsd",
    "1.2": "http://www.omg.org/spec/DMN/20180521/MODEL/",
    "1.3": "https://www.omg.org/spec/DMN/20191111/MODEL/",
    "1.4": "https://www.omg.org/spec/DMN/20211108/MODEL/",
    "1.5": "https://www.omg.org/spec/DMN/20230324/MODEL/",
}


def read(text, **options):
    return loads_dmn(text.encode(), **options)


def one(text, **options):
    found = read(text, **options)
    assert [str(error) for error in found.errors] == []
    assert len(found.tables) == 1
    return found.tables[0]


def errors(text, **options):
    return [str(error) for error in read(text, **options).errors]


def model(inputs, rows, *, before="", attributes="", outputs=("then",), version="1.3"):
    """Return a model of one table; an input is (expression, type, values), a row its cells."""
    columns = []
    for expression, kind, values in inputs:
        reference = f' typeRef="{kind}"' if kind else ""
        said = f"<inputValues><text>{escape(values)}</text></inputValues>" if values else ""
        columns.append(
            f"<input><inputExpression{reference}><text>{escape(expression)}</text>"
            f"</inputExpression>{said}</input>"
        )
    columns += [name if "<" in name else f'<output name="{name}"/>' for name in outputs]
    for row in rows:
        tests, thens = row[: len(inputs)], row[len(inputs) :]
        cells = [f"<inputEntry><text>{escape(t)}</text></inputEntry>" for t in tests]
        cells += [f"<outputEntry><text>{escape(t)}</text></outputEntry>" for t in thens]
        columns.append(f"<rule>{''.join(cells)}</rule>")
    return (
        f'<definitions xmlns="{VERSIONS[version]}" namespace="urn:test" name="m">{before}'
        f'<decision name="D" id="d"><decisionTable id="t" {attributes}>{"".join(columns)}'
        "</decisionTable></decision></definitions>"
    )


# --- models as tools write them

LOAN = """<?xml version="1.0" encoding="UTF-8"?>
<dmn:definitions xmlns:dmn="http://www.omg.org/spec/DMN/20151101/dmn.xsd"
    xmlns:feel="http://www.omg.org/FEEL/20140401" xmlns:loan="urn:loans"
    id="loans" name="Loans" namespace="urn:loans">
  <dmn:itemDefinition name="tCategory">
    <dmn:typeRef>feel:string</dmn:typeRef>
    <dmn:allowedValues><dmn:text>"Standard", "Gold", "Platinum"</dmn:text></dmn:allowedValues>
  </dmn:itemDefinition>
  <dmn:itemDefinition name="tScore">
    <dmn:typeRef>feel:number</dmn:typeRef>
    <dmn:allowedValues><dmn:text>[300..850]</dmn:text></dmn:allowedValues>
  </dmn:itemDefinition>
  <dmn:itemDefinition name="tApplicant">
    <dmn:itemComponent name="Credit Score" typeRef="loan:tScore"/>
    <dmn:itemComponent name="Member"><dmn:typeRef>feel:boolean</dmn:typeRef></dmn:itemComponent>
  </dmn:itemDefinition>
  <dmn:inputData id="i1" name="Applicant">
    <dmn:variable name="Applicant" typeRef="loan:tApplicant"/>
  </dmn:inputData>
  <dmn:decision id="d1" name="Approval">
    <dmn:variable name="Approval" typeRef="feel:string"/>
    <dmn:decisionTable id="dt1" preferredOrientation="Rule-as-Row">
      <dmn:input id="c1" label="score">
        <dmn:inputExpression><dmn:text>Applicant.Credit Score</dmn:text></dmn:inputExpression>
      </dmn:input>
      <dmn:input id="c2">
        <dmn:inputExpression typeRef="loan:tCategory">
          <dmn:text>Category</dmn:text></dmn:inputExpression>
      </dmn:input>
      <dmn:input id="c3">
        <dmn:inputExpression><dmn:text>Applicant.Member</dmn:text></dmn:inputExpression>
      </dmn:input>
      <dmn:output id="o1"/>
      <dmn:rule id="r1">
        <dmn:description>too risky</dmn:description>
        <dmn:inputEntry id="e1"><dmn:text>&lt; 600</dmn:text></dmn:inputEntry>
        <dmn:inputEntry id="e2"><dmn:text>-</dmn:text></dmn:inputEntry>
        <dmn:inputEntry id="e3"><dmn:text></dmn:text></dmn:inputEntry>
        <dmn:outputEntry id="e4"><dmn:text>"Declined"</dmn:text></dmn:outputEntry>
      </dmn:rule>
      <dmn:rule id="r2">
        <dmn:inputEntry id="f1"><dmn:text>[600..900]</dmn:text></dmn:inputEntry>
        <dmn:inputEntry id="f2"><dmn:text>"Gold", "Platinum"</dmn:text></dmn:inputEntry>
        <dmn:inputEntry id="f3"><dmn:text>true</dmn:text></dmn:inputEntry>
        <dmn:outputEntry id="f4"><dmn:text>"Approved"</dmn:text></dmn:outputEntry>
      </dmn:rule>
    </dmn:decisionTable>
  </dmn:decision>
</dmn:definitions>
"""


def test_a_loan_approval_of_dmn_1_1():
    table = one(LOAN)
    assert table.space == Space(
        [
            Continuous("Applicant.Credit Score", bounds=(300, 850)),
            Categorical("Category", ["Standard", "Gold", "Platinum"]),
            Categorical("Applicant.Member", [False, True]),
        ]
    )
    assert [str(rule) for rule in table.rules] == [
        'IF "Applicant.Credit Score" < 600 THEN Declined',
        'IF 600 <= "Applicant.Credit Score" <= 900 AND Category in {Gold, Platinum} AND'
        " Applicant.Member in {true} THEN Approved",
    ]
    assert (table.name, table.id, table.hit_policy) == ("Approval", "dt1", "UNIQUE")
    assert (table.outputs, table.rows, table.lines) == (("Approval",), (0, 1), (34, 41))
    found = irenic.gaps(table.rules)
    assert [str(region) for region in found] == [
        '"Applicant.Credit Score" >= 600 and Category in {Standard}',
        '"Applicant.Credit Score" >= 600 and Category in {Gold, Platinum} and'
        " Applicant.Member in {false}",
    ]


TIMES = """<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" namespace="urn:t">
  <itemDefinition name="tStay">
    <typeRef>days and time duration</typeRef>
    <typeConstraint><text>&gt;= duration("PT0S")</text></typeConstraint>
  </itemDefinition>
  <itemDefinition name="tLongStay"><typeRef>tStay</typeRef></itemDefinition>
  <decision name="Fee">
    <context>
      <contextEntry><variable name="base"/>
        <decisionTable hitPolicy="FIRST">
          <input><inputExpression typeRef="tLongStay"><text>stay</text></inputExpression></input>
          <input><inputExpression typeRef="years and months duration"><text>term</text>
            </inputExpression></input>
          <input><inputExpression typeRef="date"><text>start</text></inputExpression></input>
          <input><inputExpression typeRef="time"><text>hour</text></inputExpression></input>
          <input><inputExpression typeRef="date and time"><text>at</text></inputExpression></input>
          <output name="fee" typeRef="number"><defaultOutputEntry><text>9</text>
            </defaultOutputEntry></output>
          <rule>
            <inputEntry><text>&lt;= duration("P1D")</text></inputEntry>
            <inputEntry><text>[duration("P1M")..duration("P1Y"))</text></inputEntry>
            <inputEntry><text>[date("2026-01-01")..@"2026-12-31"]</text></inputEntry>
            <inputEntry><text>&gt;= time("12:00:00")</text></inputEntry>
            <inputEntry><text>&lt; date and time("2026-06-01T00:00:00")</text></inputEntry>
            <outputEntry><text>stay.hours * 2</text></outputEntry>
          </rule>
        </decisionTable>
      </contextEntry>
    </context>
  </decision>
</definitions>
"""


def test_times_and_durations_of_dmn_1_5():
    table = one(TIMES)
    assert table.space == Space(
        [
            Continuous("stay", kind="duration", bounds=(dt.timedelta(0), None)),
            Continuous("term", kind="months"),
            Continuous("start", kind="date"),
            Continuous("hour", kind="time"),
            Continuous("at", kind="datetime"),
        ]
    )
    assert str(table.rules[0]) == (
        "IF stay <= P1D AND P1M <= term < P1Y AND 2026-01-01 <= start <= 2026-12-31"
        " AND hour >= 12:00:00 AND at < 2026-06-01T00:00:00 THEN stay.hours * 2"
    )
    assert table.rules[0].then == Expression("stay.hours * 2")
    assert (table.name, table.rules.default, table.hit_policy) == ("Fee.base", 9, "FIRST")


CAMUNDA = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="dish"
    xmlns:camunda="http://camunda.org/schema/1.0/dmn" name="Dish" namespace="urn:c">
  <decision id="dish-decision" name="Dish Decision">
    <decisionTable id="decisionTable">
      <input id="input1" label="Season" camunda:inputVariable="s">
        <inputExpression id="x1" typeRef="string"><text>season</text></inputExpression>
        <inputValues id="v1"><text>"Winter","Summer"</text></inputValues>
      </input>
      <input id="input2" label="How many guests">
        <inputExpression id="x2" typeRef="integer"><text>guestCount</text></inputExpression>
      </input>
      <input id="input3"><inputExpression id="x3" typeRef="date"><text>when</text>
        </inputExpression></input>
      <output id="output1" label="Dish" name="desiredDish" typeRef="string"/>
      <rule id="r1">
        <inputEntry id="a1"><text>not("Winter")</text></inputEntry>
        <inputEntry id="a2"><text>&lt;= 8</text></inputEntry>
        <inputEntry id="a3"><text>&gt; date and time("2026-01-01T00:00:00")</text></inputEntry>
        <outputEntry id="a4"><text>"Roast"</text></outputEntry>
      </rule>
    </decisionTable>
  </decision>
  <DMNDI><decisionTable>a picture</decisionTable></DMNDI>
</definitions>
"""


def test_a_dish_of_dmn_1_3():
    table = one(CAMUNDA)
    assert list(table.space) == [
        Categorical("season", ["Winter", "Summer"]),
        Continuous("guestCount", kind="integer"),
        Continuous("when", kind="datetime"),
    ]
    assert str(table.rules[0]) == (
        "IF season in {Summer} AND guestCount <= 8 AND when > 2026-01-01T00:00:00 THEN Roast"
    )
    assert table.outputs == ("desiredDish",)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_is_read(version):
    table = one(model([("age", "number", "")], [(">= 18", '"adult"')], version=version))
    assert str(table.rules[0]) == "IF age >= 18 THEN adult"


def test_tables_at_any_depth():
    table = (
        "<decisionTable><input><inputExpression><text>a</text></inputExpression></input>"
        "<output/><rule><inputEntry><text>1</text></inputEntry><outputEntry><text>2</text>"
        "</outputEntry></rule></decisionTable>"
    )
    found = read(
        '<definitions xmlns="urn:any">'
        f'<decision name="One">{table}</decision>'
        f'<businessKnowledgeModel name="Two"><encapsulatedLogic><formalParameter name="a"'
        f' typeRef="boolean"/>{table.replace("1", "true")}</encapsulatedLogic>'
        "</businessKnowledgeModel>"
        '<decision name="Three"><context><contextEntry><variable name="x"/><context><contextEntry>'
        f'<variable name="y"/>{table}</contextEntry></context></contextEntry></context></decision>'
        "</definitions>"
    )
    assert found.errors == []
    assert [t.name for t in found.tables] == ["One", "Two", "Three.x.y"]
    assert found.tables[1].space["a"] == Categorical("a", [False, True])


# --- domains and kinds


@pytest.mark.parametrize(
    ("kind", "values", "cells", "feature"),
    [
        ("number", "", ["1"], Continuous("f")),
        ("number", "[0..10]", ["1"], Continuous("f", bounds=(0, 10))),
        ("number", ">= 0", ["1"], Continuous("f", bounds=(0, None))),
        ("number", "1, 2, 3", ["> 1"], Categorical("f", [1, 2, 3])),
        ("number", "1, null", ["> 1"], Categorical("f", [1], missing=True)),
        ("number", "-", ["null"], Continuous("f", missing=True)),
        ("integer", "(0..10)", ["1"], Continuous("f", kind="integer", bounds=(1, 9))),
        ("string", "", ['"a"', '"b"'], Categorical("f", ["a", "b"], other=True)),
        ("string", "", ["-"], Categorical("f", [], other=True)),
        ("string", '"x", "y"', ['"y"', '"z"'], Categorical("f", ["x", "y"])),
        ("boolean", "", ["-"], Categorical("f", [False, True])),
        ("boolean", "", ["null"], Categorical("f", [False, True], missing=True)),
        ("boolean", "true", ["-"], Categorical("f", [True])),
        ("date", '[date("2020-01-01")..date("2020-12-31"))', ["-"],
         Continuous("f", kind="date", bounds=(dt.date(2020, 1, 1), dt.date(2020, 12, 30)))),
        ("years and months duration", '>= duration("P0M")', ["-"],
         Continuous("f", kind="months", bounds=(Months(0), None))),
        ("Any", "", ["5"], Continuous("f")),
        ("", "", ["true"], Categorical("f", [False, True])),
        ("feel:string", "", ['"a"'], Categorical("f", ["a"], other=True)),
        ("xsd:double", "", ["5"], Continuous("f")),
    ],
)  # fmt: skip
def test_the_feature_of_a_column(kind, values, cells, feature):
    table = one(model([("f", kind, values)], [(cell, '"A"') for cell in cells]))
    assert table.space["f"] == feature


def test_an_open_bound_ends_at_the_neighboring_number():
    import math

    table = one(model([("f", "number", "(0..10)")], [("-", "1")]))
    low, high = table.space["f"].bounds
    assert (low, high) == (math.nextafter(0, 1), math.nextafter(10, 0))
    assert irenic.gaps(table.rules).is_complete


def test_a_domain_of_several_intervals_has_gaps():
    inputs = [("f", "number", "[0..10], (20..30]"), ("g", "string", 'not("x")')]
    rows = [("> 5", '"a"', "1"), ("[12..18]", "-", "2"), ("-", '"x"', "3")]
    table = one(model(inputs, rows))
    assert table.space["f"] == Continuous("f", bounds=(0, 30))
    assert table.space["g"] == Categorical("g", ["x", "a"], other=True)
    assert table.space["g"].declared
    assert [str(rule) for rule in table.rules] == [
        "IF 5 < f <= 10 AND g in {a} THEN 1",
        "IF f > 20 AND g in {a} THEN 1",
    ]
    assert table.never_hold == (1, 2)
    assert sorted(map(str, table.space.impossible)) == [
        "10 < f <= 20",
        "f <= 10 and g in {x}",
        "f > 20 and g in {x}",
    ]


def test_two_columns_of_one_expression_are_one_feature():
    table = one(model([("f", "number", ""), ("f", "number", "")], [("> 1", "< 5", '"A"')]))
    assert [str(rule) for rule in table.rules] == ["IF 1 < f < 5 THEN A"]


def test_a_label_names_a_column_that_has_no_expression():
    text = model([("f", "", "")], [("1", "2")]).replace(
        "<input><inputExpression><text>f</text></inputExpression>", '<input label="Age">'
    )
    assert one(text).space.names == ("Age",)


def test_columns_without_expressions_get_distinct_names():
    inputs = [("f", "", ""), ("f", "", ""), ("f", "", ""), ("Age 2", "", ""), ("f", "", "")]
    text = model(inputs, [("1", "2", "3", "4", "5", "6")])
    bare, label = "<input><inputExpression><text>f</text></inputExpression>", '<input label="Age">'
    assert one(text.replace(bare, label)).space.names == (
        "Age", "Age 3", "Age 4", "Age 2", "Age 5"
    )  # fmt: skip
    named = '<input label="Age" xmlns:c="http://camunda.org/schema/1.0/dmn" c:inputVariable="{}">'
    text = text.replace(bare, named.format("a"), 1).replace(bare, named.format("b"), 1)
    assert one(text.replace(bare, "<input>")).space.names == (
        "a", "b", "input 3", "Age 2", "input 5"
    )  # fmt: skip
    many = model([("f", "", "")] * 900, []).replace(bare, label)
    assert len(one(many).space) == 900


ITEMS = """
<itemDefinition name="tBase"><typeRef>string</typeRef>
  <allowedValues><text>"a", "b", "c"</text></allowedValues></itemDefinition>
<itemDefinition name="tNear"><typeRef>tBase</typeRef></itemDefinition>
<itemDefinition name="tOwn" typeRef="tBase">
  <allowedValues><text>"a"</text></allowedValues></itemDefinition>
<itemDefinition name="tDeep"><itemComponent name="in ner"><itemComponent name="leaf">
  <typeRef>tNear</typeRef></itemComponent></itemComponent></itemDefinition>
<inputData name="Data"><variable typeRef="tDeep"/></inputData>
<inputData name="Flag"><variable name="Flag" typeRef="boolean"/></inputData>
<decision name="Rating"><variable name="Rating" typeRef="tOwn"/></decision>
"""


def test_types_are_followed():
    inputs = [
        ("p", "tNear", ""),
        ("q", "tOwn", ""),
        ("Data.in ner.leaf", "", ""),
        ("Flag", "", ""),
        ("Rating", "Any", ""),
        ("Unknown", "", ""),
    ]
    table = one(model(inputs, [("-", "-", "-", "-", "-", "5", "1")], before=ITEMS))
    assert list(table.space) == [
        Categorical("p", ["a", "b", "c"]),
        Categorical("q", ["a"]),
        Categorical("Data.in ner.leaf", ["a", "b", "c"]),
        Categorical("Flag", [False, True]),
        Categorical("Rating", ["a"]),
        Continuous("Unknown"),
    ]


@pytest.mark.parametrize(
    ("reference", "feature"),
    [
        ("gone:tBase", Categorical("f", ["a", "b", "c"])),
        ("gone.tBase", Categorical("f", ["a", "b", "c"])),
        ("bound:tBase", Categorical("f", ["a", "b", "c"])),
        ("{urn:gone}tBase", Categorical("f", ["a", "b", "c"])),
        ("gone:number", Continuous("f")),
        ("feel.number", Continuous("f")),
        ("NUMBER", Continuous("f")),
        ("TBASE", Categorical("f", ["a", "b", "c"])),
        ("Date And Time", Continuous("f", kind="datetime")),
    ],
)
def test_a_type_is_found_by_its_local_name(reference, feature):
    text = model([("f", reference, "")], [("-", "1")], before=ITEMS)
    text = text.replace("<definitions ", '<definitions xmlns:bound="urn:bound" ')
    assert one(text).space["f"] == feature


# --- imports

TYPES = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" namespace="urn:types">
<itemDefinition name="tGrade"><typeRef>string</typeRef>
  <allowedValues><text>"a", "b"</text></allowedValues></itemDefinition>
<inputData name="Pupil"><variable typeRef="tPupil"/></inputData>
<itemDefinition name="tPupil"><itemComponent name="grade"><typeRef>tGrade</typeRef></itemComponent>
</itemDefinition></definitions>"""


@pytest.mark.parametrize(
    "location", ['locationURI="sub/types.dmn"', 'locationURI="./types.dmn"', ""]
)
@pytest.mark.parametrize(
    ("expression", "reference"),
    [("g", "lib.tGrade"), ("g", "lib:tGrade"), ("g", "t:tGrade"), ("lib.Pupil.grade", "")],
)
def test_imports_are_followed(tmp_path, location, expression, reference):
    (tmp_path / "sub").mkdir()
    (tmp_path / "types.dmn").write_text(TYPES)
    (tmp_path / "sub" / "types.dmn").write_text(TYPES)
    (tmp_path / "broken.dmn").write_text("<a>")
    before = f'<import name="lib" namespace="urn:types" {location}/>'
    text = model([(expression, reference, "")], [('"a"', "1")], before=before).replace(
        "<definitions ", '<definitions xmlns:t="urn:types" '
    )
    table = one(text, path=tmp_path / "main.dmn")
    assert table.space[expression] == Categorical(expression, ["a", "b"])


def test_circular_imports_end(tmp_path):
    text = '<definitions xmlns="urn:x" namespace="urn:{0}"><import name="o" namespace="urn:{1}"/>'
    text += '<itemDefinition name="t"><typeRef>o.t</typeRef></itemDefinition></definitions>'
    (tmp_path / "a.dmn").write_text(text.format("a", "b"))
    (tmp_path / "b.dmn").write_text(text.format("b", "a"))
    before = '<import name="a" namespace="urn:a"/>'
    [error] = errors(
        model([("f", "a.t", "")], [("-", "1")], before=before), path=tmp_path / "m.dmn"
    )
    assert error == "line 1: table 'D', column 'f': type 't' must not be defined by itself"


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ('locationURI="../types.dmn"', "the import 'lib' must be a file in the folder of the"
                                       " model, got '../types.dmn'; move it there"),
        ('locationURI="https://example.org/types.dmn"', "the import 'lib' must be a file in the"
                                                        " folder of the model, got"
                                                        " 'https://example.org/types.dmn'"),
        ('locationURI="/etc/passwd"', "the import 'lib' must be a file in the folder of the"
                                      " model, got '/etc/passwd'"),
        ('locationURI="file:///etc/passwd"', "the import 'lib' must be a file in the folder of"
                                             " the model, got 'file:///etc/passwd'"),
        ('locationURI="%2e%2e/types.dmn"', "the import 'lib' must be a file in the folder of"
                                           " the model, got '%2e%2e/types.dmn'; move it there"),
        ('locationURI="none.dmn"', "the import 'lib': cannot read none.dmn"),
        ('locationURI="sub"', "the import 'lib': cannot read sub"),
        ('locationURI="link.dmn"', "the import 'lib' must be a file in the folder of the model,"
                                   " got 'link.dmn'; move it there"),
        ('locationURI="bad.dmn"', "the import 'lib': bad.dmn: line 1, column 4: not XML: no element"
         " found"),
        ('locationURI="other.dmn"', "the import 'lib': the namespace of other.dmn must be"
                                    " 'urn:types', got 'urn:other'"),
        ('locationURI="http://[x"', "the import 'lib' must be a file in the folder of the"
                                    " model, got 'http://[x'"),
        ('locationURI="loop.dmn"', "the import 'lib': cannot read loop.dmn"),
        ('locationURI="a%00b.dmn"', "the import 'lib': cannot read 'a\\x00b.dmn'"),
        ("", "the import 'lib': no .dmn file in the folder of the model has the namespace"
             " 'urn:types'"),
    ],
)  # fmt: skip
def test_an_import_that_cannot_be_read_is_an_error(tmp_path, attributes, message):
    folder = tmp_path / "models"
    folder.mkdir()
    (tmp_path / "types.dmn").write_text(TYPES)
    (folder / "sub").mkdir()
    (folder / "link.dmn").symlink_to(tmp_path / "types.dmn")
    (folder / "loop.dmn").symlink_to("loop.dmn")
    (folder / "bad.dmn").write_text("<a>")
    (folder / "other.dmn").write_text(TYPES.replace("urn:types", "urn:other"))
    before = f'<import name="lib" namespace="urn:types" {attributes}/>'
    text = model([("g", "lib.tGrade", "")], [("-", "1")], before=before)
    assert errors(text, path=folder / "main.dmn") == [f"line 1: table 'D', column 'g': {message}"]
    unneeded = model([("g", "string", "")], [("-", "1")], before=before)
    assert errors(unneeded, path=folder / "main.dmn") == []


# --- outputs and policies


def test_outputs_are_literals_or_expressions():
    outputs = ('<output name="a"/>', '<output label="b"/>', "<output/>")
    table = one(
        model(
            [("f", "number", "")],
            [("1", '"x"', "30", "0.5"), ("2", "true", 'date("2020-01-01")', "f + 1"),
             ("3", "", "-", "[1, 2]")],
            outputs=outputs,
        )
    )  # fmt: skip
    assert table.outputs == ("a", "b", "D")
    assert [rule.then for rule in table.rules] == [
        ("x", 30, 0.5),
        (True, dt.date(2020, 1, 1), Expression("f + 1")),
        (Expression("null"), Expression("-"), Expression("[1, 2]")),
    ]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("", "UNIQUE"),
        ("U", "UNIQUE"),
        ("ANY", "ANY"),
        ("F", "FIRST"),
        ("First", "FIRST"),
        ("RULE ORDER", "RULE ORDER"),
        ("Rule_Order", "RULE ORDER"),
    ],
)
def test_hit_policies(policy, expected):
    text = model([("f", "number", "")], [("1", "2")], attributes=f'hitPolicy="{policy}"')
    assert one(text).hit_policy == expected


def test_priorities_are_the_order_of_output_values():
    values = "<outputValues><text>{}</text></outputValues>"
    single = (f'<output name="a">{values.format(chr(34) + "hi" + chr(34) + ", 5")}</output>',)
    rows = [("> 1", "5"), ("> 0", '"hi"'), ("-", '"unlisted"')]
    table = one(model([("f", "number", "")], rows, attributes='hitPolicy="P"', outputs=single))
    assert table.ranking == ("hi", 5)
    assert [rule.then for rule in table.as_rules()] == ["hi", 5, "unlisted"]
    both = tuple(f'<output name="{n}">{values.format("1, 2")}</output>' for n in "ab")
    rows = [("1", "2", "1"), ("2", "1", "2"), ("3", "1", "1"), ("4", "2", "1")]
    table = one(
        model([("f", "number", "")], rows, attributes='hitPolicy="OUTPUT ORDER"', outputs=both)
    )
    assert table.ranking == ((1, 1), (1, 2), (2, 1))
    typed = ('<output name="a" typeRef="tBase"/>',)
    table = one(model([("f", "", "")], [("1", '"b"')], attributes='hitPolicy="PRIORITY"',
                      outputs=typed, before=ITEMS))  # fmt: skip
    assert table.ranking == ("a", "b", "c")


@pytest.mark.parametrize(
    ("attributes", "aggregation"),
    [
        ('hitPolicy="C+"', "SUM"),
        ('hitPolicy="C&lt;"', "MIN"),
        ('hitPolicy="C>"', "MAX"),
        ('hitPolicy="C#"', "COUNT"),
        ('hitPolicy="Collect" aggregation="sum"', "SUM"),
        ('hitPolicy="Collect"', ""),
    ],
)
def test_aggregations(attributes, aggregation):
    table = one(model([("f", "number", "")], [("1", "2")], attributes=attributes))
    assert (table.hit_policy, table.aggregation) == ("COLLECT", aggregation)


def test_an_aggregation_is_kept():
    text = model([("f", "number", "")], [("1", "2")], attributes='hitPolicy="C" aggregation="SUM"')
    table = one(text)
    assert table.under("ANY").aggregation == table.aggregation == "SUM"
    assert one(dmn_writing.dumps(table)).aggregation == "SUM"


def test_a_given_space_takes_precedence():
    space = Space([Continuous("f", kind="integer", bounds=(0, 9)), Continuous("g")])
    table = one(model([("f", "string", "")], [("!= 5", "1")]), space=space)
    assert table.space == space
    assert [str(r) for r in table.rules] == ["IF f < 5 THEN 1", "IF f > 5 THEN 1"]


def test_a_default_of_one_output_leaves_the_others_null():
    default = "<defaultOutputEntry><text>1</text></defaultOutputEntry>"
    outputs = ('<output name="a"/>', f'<output name="b">{default}</output>')
    table = one(model([("f", "", "")], [("1", "2", "3")], outputs=outputs))
    assert table.rules.default == (Expression("null"), 1)
    assert one(dmn_writing.dumps(table)).rules.default == (Expression("null"), 1)


def test_a_table_without_inputs():
    table = one(model([], [("1",), ("2",)], attributes='hitPolicy="COLLECT"'))
    assert (len(table.space), [rule.then for rule in table.rules]) == (0, [1, 2])
    assert irenic.gaps(table.rules).is_complete
    assert one(dmn_writing.dumps(table)).rules == table.rules
    assert errors(model([], [])) == [
        "line 1: table 'D': the table has neither input columns nor rules"
    ]


def test_single_quotes_are_quotes():
    table = one(model([("f", "string", "'a', 'b'")], [("not('a')", "'x'"), ('"b"', "'it' + 's'")]))
    assert table.space["f"] == Categorical("f", ["a", "b"])
    assert [rule.then for rule in table.rules] == ["x", Expression("'it' + 's'")]
    quoted = RuleSet([Rule({"f": {"a"}}, then=Expression("'a'"))], table.space)
    assert one(dmn_writing.dumps(quoted)).rules == quoted


def test_why_a_row_can_never_hold():
    inputs = [("g", "string", '"a", "b"'), ("f", "number", "[0..10], (20..30]")]
    inputs += [("h", "string", 'not("x")'), ("n", "number", ""), ("n", "number", "")]
    asked = [('"B"', 0), ("[12..18]", 1), ('"x"', 2), ("(5..5)", 3)]
    rows = [tuple(text if i == place else "-" for i in range(5)) for text, place in asked]
    rows += [("-", "-", "-", "> 5", "< 3"), ("-",) * 5]
    table = one(model(inputs, [(*row, "1") for row in rows]))
    assert table.never_hold == (0, 1, 2, 3, 4)
    assert table.reasons == (
        (0, 'column \'g\' requires "B", which cannot occur (possible: "a", "b")'),
        (1, "column 'f' requires [12..18], which cannot occur (possible: <= 10, > 20)"),
        (2, 'column \'h\' requires "x", which cannot occur (possible: not("x"))'),
        (3, "column 'n' requires (5..5), which no value satisfies"),
        (4, "columns 'n' require > 5 and < 3, which cannot hold together"),
    )


def test_an_empty_table_is_a_table():
    table = one(model([("f", "number", "")], []))
    assert (len(table.rules), table.n_rows, table.lines) == (0, 0, ())


# --- errors


@pytest.mark.parametrize(
    ("inputs", "row", "options", "message"),
    [
        ([("f", "number", "")], ("> limit", "1"), {},
         "table 'D', rule 1, column 'f', '> limit': 'limit' is a name, and names are not"
         ' supported; compare with a value such as 18, "text" in quotes, true or'
         ' date("2026-01-31")'),
        ([("f", "number", "")], ('"a"', "1"), {},
         'table \'D\', rule 1, column \'f\', \'"a"\': "a" is not a number (the column contains'
         " numbers according to typeRef number)"),
        ([("f", "string", "")], ("true", "1"), {},
         "table 'D', rule 1, column 'f', 'true': true is not a text (the column contains text"
         " according to typeRef string)"),
        ([("Flag", "", "")], ("5", "1"), {"before": ITEMS},
         "table 'D', rule 1, column 'Flag', '5': 5 is not true or false (the column contains"
         " booleans according to the typeRef of its data)"),
        ([("f", "boolean", "")], ("5", "1"), {},
         "table 'D', rule 1, column 'f', '5': 5 is not true or false (the column contains"
         " booleans according to typeRef boolean)"),
        ([("f", "date", "")], ('"2020-01-01"', "1"), {},
         'table \'D\', rule 1, column \'f\', \'"2020-01-01"\': "2020-01-01" is not a date such'
         " as 2026-01-31 (the column contains dates according to typeRef date)"),
        ([("f", "number", "")], ("1", "2", "3"), {},
         "table 'D', rule 1: a rule must have one output entry per column, 1 in all, got 2"),
        ([("f", "tNone", "")], ("-", "1"), {"before": ITEMS},
         "table 'D', column 'f': unknown type 'tNone'; did you mean 'tNear'?"),
        ([("f", "x:tNone", "")], ("-", "1"), {},
         "table 'D', column 'f': unknown prefix 'x' of type 'x:tNone'; declare its namespace or"
         " import its model"),
        ([("f", "tDeep", "")], ("x", "1"), {"before": ITEMS},
         "table 'D', rule 1, column 'f', 'x': type 'tDeep' must be a single value, got components;"
         " test one of them instead"),
        ([("f", "tMany", "")], ("> x", "1"),
         {"before": '<itemDefinition name="tMany" isCollection="true" typeRef="number"/>'},
         "table 'D', rule 1, column 'f', '> x': type 'tMany' must be a single value, got a"
         " collection"),
        ([("f", "tLoop", "")], ("-", "1"), {"before": '<itemDefinition name="tLoop"'
                                                      ' typeRef="tLoop"/>'},
         "table 'D', column 'f': type 'tLoop' must not be defined by itself"),
        ([("f", "tBad", "")], ("-", "1"), {"before": '<itemDefinition name="tBad" typeRef="number">'
         "<allowedValues><text>max</text></allowedValues></itemDefinition>"},
         "table 'D', column 'f': type 'tBad', allowed values 'max': 'max' is a name, and names"
         ' are not supported; compare with a value such as 18, "text" in quotes, true or'
         ' date("2026-01-31")'),
        ([("f", "number", "x")], ("-", "1"), {},
         "table 'D', column 'f': inputValues 'x': 'x' is a name, and names are not supported;"
         ' compare with a value such as 18, "text" in quotes, true or date("2026-01-31")'),
        ([("f", "number", '"a"')], ("-", "1"), {},
         "table 'D', column 'f': \"a\" is not a number"),
        ([("f", "number", "[5..1]")], ("-", "1"), {},
         "table 'D', column 'f': the allowed values exclude every value"),
        ([("f", "number", "")], ("1", "2"), {"attributes": 'hitPolicy="UNIQ"'},
         "table 'D': unknown hit policy 'UNIQ'; did you mean 'UNIQUE'?"),
        ([("f", "number", "")], ("1", "2"), {"attributes": 'aggregation="MEAN"'},
         "table 'D': unknown aggregation 'MEAN' (known: 'SUM', 'COUNT', 'MIN', 'MAX')"),
        ([("f", "number", "")], ("1",), {"outputs": ()},
         "table 'D': a table must have an output column"),
    ],
)  # fmt: skip
def test_an_error_names_table_rule_column_and_cell(inputs, row, options, message):
    found = read(model(inputs, [row], **options))
    assert found.tables == []
    [error] = found.errors
    assert error.message == message
    assert error.line == 1 + options.get("before", "").count("\n")


def test_a_cell_in_another_language_is_rejected():
    text = model([("f", "", "")], [("1", "2")]).replace(
        "<inputEntry>", '<inputEntry expressionLanguage="http://www.omg.org/spec/juel">'
    )
    assert errors(text) == [
        "line 1: table 'D', rule 1, column 'f', '1': the expression language must be FEEL, got"
        " http://www.omg.org/spec/juel"
    ]
    feel = text.replace("http://www.omg.org/spec/juel", "https://www.omg.org/spec/DMN/FEEL/")
    assert len(one(feel).rules) == 1
    whole = model([("f", "", ""), ("g", "", "")], [("1", "-", "2")]).replace(
        "<definitions ", '<definitions expressionLanguage="groovy" '
    )
    assert errors(whole) == [
        "line 1: table 'D', rule 1, column 'f', '1': the expression language must be FEEL, got"
        " groovy"
    ]
    assert len(one(whole.replace("<inputEntry>", '<inputEntry expressionLanguage="feel">')).rules)


def test_errors_in_one_table_do_not_affect_others_and_are_all_reported():
    good = model([("f", "number", "")], [("1", "2")])
    bad = model([("f", "number", ""), ("g", "number", "")], [("x", "y", "2"), ("1", '"z"', "2")])
    decision = bad[bad.index("<decision") : bad.index("</definitions")]
    found = read(good.replace("</definitions>", decision + "</definitions>"))
    assert [table.name for table in found.tables] == ["D"]
    assert [(e.rule, e.header, e.text) for e in found.errors] == [
        (1, "f", "x"),
        (1, "g", "y"),
        (2, "g", '"z"'),
    ]


# --- against the meaning of the cells

TYPE_REFS = {
    "number": "number",
    "date": "date",
    "datetime": "date and time",
    "time": "time",
    "duration": "days and time duration",
    "months": "years and months duration",
    "text": "string",
    "boolean": "boolean",
}


@st.composite
def drawn_tables(draw):
    kinds = draw(st.lists(st.sampled_from(list(TYPE_REFS)), min_size=1, max_size=2))
    columns = [(kind, draw(naive_cells.domains(kind))) for kind in kinds]
    rows = draw(st.lists(st.tuples(*(naive_cells.cells(kind) for kind in kinds)), max_size=4))
    return columns, rows


@given(drawn_tables())
def test_rows_gaps_and_overlaps_are_those_of_the_grid(drawn):
    columns, rows = drawn
    inputs = [
        (f"f{i}", TYPE_REFS[kind], domain.text if domain else "")
        for i, (kind, domain) in enumerate(columns)
    ]
    table = one(model(inputs, [(*(cell.text for cell in row), "1") for row in rows]))
    axes = []
    for (kind, domain), feature in zip(columns, table.space, strict=True):
        asked = any("null" in cell.text for row in rows for cell in row)
        points = [*naive_cells.grid(kind), *[None] * (asked and feature.missing)]
        allowed = [v for v in points if domain is None or domain.holds(v)]
        for value in points:
            code = feature.encode_value(value)
            assert feature.admits(code) or value not in allowed, (feature, value)
        axes.append([(v, v in allowed) for v in points if feature.admits(feature.encode_value(v))])
    cells = list(product(*axes))
    points = [{f"f{i}": value for i, (value, _) in enumerate(cell)} for cell in cells]
    possible = [all(allowed for _, allowed in cell) for cell in cells]
    expected = [
        {n for n, row in enumerate(rows)
         if all(c.holds(v) is True for c, (v, _) in zip(row, cell, strict=True))}
        for cell in cells
    ]  # fmt: skip
    columns_of = {name: [p[name] for p in points] for name in table.space.names}
    covering = table.rules.covering(columns_of)
    for held, wanted, can_be in zip(covering, expected, possible, strict=True):
        found = [table.rows[i] for i in held.nonzero()[0]]
        assert len(found) == len(set(found))  # the rules of one row never overlap
        if can_be:
            assert set(found) == wanted
    outside = [region.contains(columns_of) for region in table.space.impossible]
    assert [sum(o[i] for o in outside) for i in range(len(cells))] == [not p for p in possible]
    in_gap = [0] * len(cells)
    for region in irenic.gaps(table.rules):
        in_gap = [a + b for a, b in zip(in_gap, region.contains(columns_of), strict=True)]
    found = [bool(g) and can_be for g, can_be in zip(in_gap, possible, strict=True)]
    assert found == [
        can_be and not wanted for wanted, can_be in zip(expected, possible, strict=True)
    ]
    overlapping = {
        pair
        for wanted, can_be in zip(expected, possible, strict=True)
        if can_be
        for pair in combinations(sorted(wanted), 2)
    }
    pairs = [*table.rules.conflicts().pairs, *table.rules.overlaps().pairs]
    assert {tuple(sorted((table.rows[a], table.rows[b]))) for a, b in pairs} == overlapping


# --- written and read back


@given(sts.rule_sets(default="D"))
def test_a_rule_set_reads_back_the_same(rules):
    table = one(dmn_writing.dumps(rules))
    assert table.rules == rules
    assert list(table.rules) == list(rules)
    assert table.rows == tuple(range(len(rules)))
    apart = not len(rules.conflicts()) and not len(rules.overlaps())
    assert table.hit_policy == ("UNIQUE" if apart else "ANY")


@given(test_formats.rule_sets().filter(lambda rules: len(rules.space)))
def test_all_rules_read_back_the_same(rules):
    text = dmn_writing.dumps(rules)
    back = one(text).rules
    assert back == rules
    assert [type(r.then) for r in back] == [type(r.then) for r in rules]
    for feature, read_back in zip(rules.space, back.space, strict=True):
        if isinstance(feature, Categorical):
            assert [*map(type, feature.values)] == [*map(type, read_back.values)]
    assert dmn_writing.dumps(one(text)).count("<rule ") == len(rules)


@given(sts.rule_sets())
def test_a_list_reads_back_the_same(rules):
    ordered = RuleList.from_rules(rules)
    table = one(dmn_writing.dumps(ordered, name="L"))
    assert (table.hit_policy, table.name) == ("FIRST", "L")
    assert table.as_rules() == ordered


@given(drawn_tables())
def test_a_table_reads_back_the_same(drawn):
    columns, rows = drawn
    inputs = [
        (f"f{i}", TYPE_REFS[kind], domain.text if domain else "")
        for i, (kind, domain) in enumerate(columns)
    ]
    table = one(model(inputs, [(*(cell.text for cell in row), "1") for row in rows]))
    back = one(dmn_writing.dumps(table))
    assert back.rules == table.rules
    assert list(back.rules) == list(table.rules)
    for name in ("rows", "n_rows", "hit_policy", "outputs", "name", "id", "ranking"):
        assert getattr(back, name) == getattr(table, name)


@given(sts.rule_sets(max_size=5), st.data())
def test_rows_of_any_rules_read_back_the_same(rules, data):
    alike = RuleSet([Rule(r.region, then="A") for r in rules], rules.space)
    rows = tuple(data.draw(st.integers(0, 2)) for _ in alike)
    table = DecisionTable(alike, rows, 3, hit_policy="RULE ORDER")
    back = one(dmn_writing.dumps(table))
    assert list(back.rules) == list(alike)
    assert (back.rows, back.n_rows) == (rows, 3)


def test_intervals_that_touch_stay_apart():
    rules = RuleSet([Rule({"a": (0, 1)}, then="A"), Rule({"a": (1, 2)}, then="A")])
    table = DecisionTable(rules, (0, 0), 1, hit_policy="ANY")
    back = one(dmn_writing.dumps(table))
    assert (list(back.rules), back.rows) == (list(rules), (0, 0))


def test_rules_of_a_row_that_are_not_a_product_are_unchanged():
    space = Space([Continuous("a"), Continuous("b")])
    corners = [(0, 0), (0, 9), (9, 0)]
    rules = RuleSet([Rule({"a": (a, a + 1), "b": (b, b + 1)}, then=1) for a, b in corners], space)
    table = DecisionTable(rules, (0, 0, 0), 1, hit_policy="UNIQUE")
    back = one(dmn_writing.dumps(table))
    assert (list(back.rules), back.rows, back.n_rows) == (list(rules), (0, 0, 0), 1)


@pytest.mark.parametrize("policy", [None, "PRIORITY", "OUTPUT ORDER", "COLLECT"])
def test_rankings_outputs_and_rows_read_back_the_same(policy):
    space = Space([Continuous("a"), Continuous("b", unit="kg", kind="integer")])
    rules = RuleSet(
        [
            Rule({"a": (0, 1)}, then=("x", 1), weight=0.5),
            Rule({"b": (2, 3)}, then=("x", 1)),
            Rule({"a": (5, 6)}, then=("y", Expression("a + 1"))),
        ],
        space,
        default=("z", 0),
    )
    table = DecisionTable(
        rules, (0, 0, 3), 5, hit_policy=policy, outputs=("p", "q"), name='T <&> "t"', id="t 1",
        ranking=(("y", 2), ("x", 1)),
    )  # fmt: skip
    back = one(dmn_writing.dumps(table))
    assert list(back.rules) == list(rules)
    assert back.rules == rules
    for name in ("rows", "n_rows", "outputs", "name", "id", "ranking"):
        assert getattr(back, name) == getattr(table, name)
    assert back.hit_policy == (policy or "ANY")


FEEL_NAME = re.compile(r"[^\W\d][\w ./'’+*-]*")
NAMES = ["Age > 18", "Age _ 18", "if", "3rd (new)", "a-b", "größe", 'x "y"', "1,5", " a  b", "ab\0"]


@given(st.lists(st.sampled_from(NAMES), min_size=3, max_size=3, unique=True))
def test_names_that_feel_cannot_hold_are_replaced_and_read_back(names):
    first, second, output = names
    space = Space([Continuous(first), Continuous(second)])
    rules = RuleSet([Rule({first: (0, 1), second: (2, 3)}, then=("x", 1))], space)
    table = DecisionTable(rules, (0,), 1, hit_policy="UNIQUE", outputs=(output, "b"), name=first)
    text = dmn_writing.dumps(table)
    written = re.findall(r'<(?:inputData|decision|output)\b[^>]* name="([^"]*)"', text)
    written += re.findall(r"<inputExpression[^>]*><text>([^<]*)<", text)
    assert len(written) == 7  # the data, the decision, the outputs and the expressions
    assert all(FEEL_NAME.fullmatch(name) for name in written)
    assert not {"then", "if"} & {*written} - {output}
    assert len({*re.findall(r'<inputData id="\w+" name="([^"]*)"', text)}) == 2
    parsed = irenic.parse(text, format="dmn")
    assert parsed.warnings == []
    back = parsed.bound(None).table()
    assert (back.rules, back.outputs, back.name) == (rules, (output, "b"), first)
    cases = {first: [0.5, 1], second: [2, 2]}
    assert parsed.predict(cases).tolist() == [("x", 1), None]


def test_no_irenic_attributes_are_written_if_dmn_suffices():
    space = Space(
        [
            Continuous("age", bounds=(0, 120)),
            Categorical("job", ["nurse", "clerk"]),
            Categorical("member", [False, True]),
            Continuous("term", kind="months"),
        ]
    )
    rules = RuleSet([Rule({"age": (0, 18), "member": {True}}, then="A")], space, default="B")
    text = dmn_writing.dumps(rules, name="fares")
    assert " irenic:" not in text
    assert "<inputValues><text>[0..120]</text></inputValues>" in text
    assert "<text>[0..18)</text>" in text


def test_a_row_of_several_rules_is_one_rule():
    table = one(model([("f", "number", "")], [("< 18, >= 60", "1")]))
    text = dmn_writing.dumps(table)
    assert "<text>&lt; 18, &gt;= 60</text>" in text
    assert text.count("<rule ") == 1
