"""Tables of DMN models: features, rules, policies, imports, errors, and the way back to a file."""

from __future__ import annotations

import datetime as dt
import math
import re
from itertools import combinations, product

import pytest
from dmn_models import VERSIONS, data, decision, document, item, knowledge, model, table
from hypothesis import given
from hypothesis import strategies as st

import irenic
import naive_cells
import strategies as sts
import test_formats
from bound import loads_dmn
from irenic import Categorical, Continuous, DecisionTable, Rule, RuleList, RuleSet, Space
from irenic.formats.dmn import writing as dmn_writing
from irenic.model import Provenance
from irenic.model.literals import Expression, Months


def read(text, **options):
    return loads_dmn(text.encode(), **options)


def one(text, **options):
    found = read(text, **options)
    assert [str(error) for error in found.errors] == []
    assert len(found.tables) == 1
    return found.tables[0]


def only(*arguments, **options):
    """Return the table of a model that is described."""
    return one(model(*arguments, **options))


def errors(text, **options):
    return [str(error) for error in read(text, **options).errors]


def texts(rules):
    return [str(rule) for rule in rules]


# --- models as tools write them

LOAN = """<?xml version="1.0" encoding="UTF-8"?>
<dmn:definitions xmlns:dmn="http://www.omg.org/spec/DMN/20151101/dmn.xsd" id="loans" name="Loans"
    xmlns:feel="http://www.omg.org/FEEL/20140401" xmlns:loan="urn:loans" namespace="urn:loans">
  <dmn:itemDefinition name="tCategory"><dmn:typeRef>feel:string</dmn:typeRef>
    <dmn:allowedValues><dmn:text>"Standard", "Gold", "Platinum"</dmn:text></dmn:allowedValues>
  </dmn:itemDefinition>
  <dmn:itemDefinition name="tScore"><dmn:typeRef>feel:number</dmn:typeRef>
    <dmn:allowedValues><dmn:text>[300..850]</dmn:text></dmn:allowedValues></dmn:itemDefinition>
  <dmn:itemDefinition name="tApplicant">
    <dmn:itemComponent name="Credit Score" typeRef="loan:tScore"/>
    <dmn:itemComponent name="Member"><dmn:typeRef>feel:boolean</dmn:typeRef></dmn:itemComponent>
  </dmn:itemDefinition>
  <dmn:inputData id="i1" name="Applicant">
    <dmn:variable name="Applicant" typeRef="loan:tApplicant"/></dmn:inputData>
  <dmn:decision id="d1" name="Approval"><dmn:variable name="Approval" typeRef="feel:string"/>
    <dmn:decisionTable id="dt1" preferredOrientation="Rule-as-Row">
      <dmn:input id="c1" label="score"><dmn:inputExpression>
        <dmn:text>Applicant.Credit Score</dmn:text></dmn:inputExpression></dmn:input>
      <dmn:input id="c2"><dmn:inputExpression typeRef="loan:tCategory">
        <dmn:text>Category</dmn:text></dmn:inputExpression></dmn:input>
      <dmn:input id="c3"><dmn:inputExpression>
        <dmn:text>Applicant.Member</dmn:text></dmn:inputExpression></dmn:input>
      <dmn:output id="o1"/>
      <dmn:rule id="r1"><dmn:description>too risky</dmn:description>
        <dmn:inputEntry id="e1"><dmn:text>&lt; 600</dmn:text></dmn:inputEntry>
        <dmn:inputEntry id="e2"><dmn:text>-</dmn:text></dmn:inputEntry>
        <dmn:inputEntry id="e3"><dmn:text></dmn:text></dmn:inputEntry>
        <dmn:outputEntry id="e4"><dmn:text>"Declined"</dmn:text></dmn:outputEntry></dmn:rule>
      <dmn:rule id="r2"><dmn:inputEntry id="f1"><dmn:text>[600..900]</dmn:text></dmn:inputEntry>
        <dmn:inputEntry id="f2"><dmn:text>"Gold", "Platinum"</dmn:text></dmn:inputEntry>
        <dmn:inputEntry id="f3"><dmn:text>true</dmn:text></dmn:inputEntry>
        <dmn:outputEntry id="f4"><dmn:text>"Approved"</dmn:text></dmn:outputEntry></dmn:rule>
    </dmn:decisionTable></dmn:decision></dmn:definitions>
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
    assert texts(table.rules) == [
        'IF "Applicant.Credit Score" < 600 THEN Declined',
        'IF 600 <= "Applicant.Credit Score" <= 900 AND Category in {Gold, Platinum} AND'
        " Applicant.Member in {true} THEN Approved",
    ]
    assert (table.name, table.provenance.id, table.hit_policy) == ("Approval", "dt1", "UNIQUE")
    assert (table.outputs, table.rows, table.provenance.lines) == (("Approval",), (0, 1), (24, 29))
    assert texts(irenic.gaps(table.rules)) == [
        '"Applicant.Credit Score" >= 600 and Category in {Standard}',
        '"Applicant.Credit Score" >= 600 and Category in {Gold, Platinum} and'
        " Applicant.Member in {false}",
    ]


TIMES = """<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" namespace="urn:t">
  <itemDefinition name="tStay"><typeRef>days and time duration</typeRef>
    <typeConstraint><text>&gt;= duration("PT0S")</text></typeConstraint></itemDefinition>
  <itemDefinition name="tLongStay"><typeRef>tStay</typeRef></itemDefinition>
  <decision name="Fee"><context><contextEntry><variable name="base"/>
    <decisionTable hitPolicy="FIRST">
      <input><inputExpression typeRef="tLongStay"><text>stay</text></inputExpression></input>
      <input><inputExpression typeRef="years and months duration"><text>term</text>
        </inputExpression></input>
      <input><inputExpression typeRef="date"><text>start</text></inputExpression></input>
      <input><inputExpression typeRef="time"><text>hour</text></inputExpression></input>
      <input><inputExpression typeRef="date and time"><text>at</text></inputExpression></input>
      <output name="fee" typeRef="number"><defaultOutputEntry><text>9</text>
        </defaultOutputEntry></output>
      <rule><inputEntry><text>&lt;= duration("P1D")</text></inputEntry>
        <inputEntry><text>[duration("P1M")..duration("P1Y"))</text></inputEntry>
        <inputEntry><text>[date("2026-01-01")..@"2026-12-31"]</text></inputEntry>
        <inputEntry><text>&gt;= time("12:00:00")</text></inputEntry>
        <inputEntry><text>&lt; date and time("2026-06-01T00:00:00")</text></inputEntry>
        <outputEntry><text>stay.hours * 2</text></outputEntry></rule>
    </decisionTable></contextEntry></context></decision></definitions>
"""


def test_times_and_durations_of_dmn_1_5():
    table = one(TIMES)
    kinds = {"term": "months", "start": "date", "hour": "time", "at": "datetime"}
    stay = Continuous("stay", kind="duration", bounds=(dt.timedelta(0), None))
    assert table.space == Space([stay, *(Continuous(n, kind=kind) for n, kind in kinds.items())])
    assert texts(table.rules) == [
        "IF stay <= P1D AND P1M <= term < P1Y AND 2026-01-01 <= start <= 2026-12-31"
        " AND hour >= 12:00:00 AND at < 2026-06-01T00:00:00 THEN stay.hours * 2"
    ]
    assert table.rules[0].then == Expression("stay.hours * 2")
    assert (table.name, table.rules.default, table.hit_policy) == ("Fee.base", 9, "FIRST")


CAMUNDA = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="dish"
    xmlns:camunda="http://camunda.org/schema/1.0/dmn" name="Dish" namespace="urn:c">
  <decision id="dish-decision" name="Dish Decision"><decisionTable id="decisionTable">
    <input id="input1" label="Season" camunda:inputVariable="s">
      <inputExpression id="x1" typeRef="string"><text>season</text></inputExpression>
      <inputValues id="v1"><text>"Winter","Summer"</text></inputValues></input>
    <input id="input2" label="How many guests">
      <inputExpression id="x2" typeRef="integer"><text>guestCount</text></inputExpression></input>
    <input id="input3"><inputExpression id="x3" typeRef="date"><text>when</text>
      </inputExpression></input>
    <output id="output1" label="Dish" name="desiredDish" typeRef="string"/>
    <rule id="r1"><inputEntry id="a1"><text>not("Winter")</text></inputEntry>
      <inputEntry id="a2"><text>&lt;= 8</text></inputEntry>
      <inputEntry id="a3"><text>&gt; date and time("2026-01-01T00:00:00")</text></inputEntry>
      <outputEntry id="a4"><text>"Roast"</text></outputEntry></rule></decisionTable></decision>
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
    assert texts(table.rules) == [
        "IF season in {Summer} AND guestCount <= 8 AND when > 2026-01-01T00:00:00 THEN Roast"
    ]
    assert table.outputs == ("desiredDish",)


def test_every_version_is_read():
    for version in VERSIONS:
        table = only([("age", "number")], [(">= 18", '"adult"')], version=version)
        assert texts(table.rules) == ["IF age >= 18 THEN adult"]


def test_tables_at_any_depth():
    number, flag = (table(["a"], [(cell, "2")]) for cell in ("1", "true"))
    nested = "<context><contextEntry><variable name='{}'/>{}</contextEntry></context>"
    inner = nested.format("x", nested.format("y", number))
    found = read(
        document(
            decision("One", number),
            knowledge("Two", [("a", "boolean")], flag),
            decision("Three", inner),
        )
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
        ("number", "(0..10)", ["1"],
         Continuous("f", bounds=(math.nextafter(0, 1), math.nextafter(10, 0)))),
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
        # a type is found by its local name
        *((f"{name}tBase", "", ["-"], Categorical("f", ["a", "b", "c"]))
          for name in ("gone:", "gone.", "bound:", "{urn:gone}")),
        ("TBASE", "", ["-"], Categorical("f", ["a", "b", "c"])),
        *((name, "", ["-"], Continuous("f")) for name in ("gone:number", "feel.number", "NUMBER")),
        ("Date And Time", "", ["-"], Continuous("f", kind="datetime")),
    ],
)  # fmt: skip
def test_the_feature_of_a_column(kind, values, cells, feature):
    text = model([("f", kind, values)], [(cell, '"A"') for cell in cells], before=ITEMS)
    table = one(text.replace("<definitions ", '<definitions xmlns:bound="urn:bound" '))
    assert table.space["f"] == feature


def test_a_domain_of_several_intervals_has_gaps():
    inputs = [("f", "number", "[0..10], (20..30]"), ("g", "string", 'not("x")')]
    rows = [("> 5", '"a"', "1"), ("[12..18]", "-", "2"), ("-", '"x"', "3")]
    table = only(inputs, rows)
    assert table.space["f"] == Continuous("f", bounds=(0, 30))
    assert table.space["g"] == Categorical("g", ["x", "a"], other=True)
    assert table.space["g"].declared
    assert texts(table.rules) == [
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
    table = only([("f", "number"), ("f", "number")], [("> 1", "< 5", '"A"')])
    assert texts(table.rules) == ["IF 1 < f < 5 THEN A"]


def test_columns_without_expressions_get_distinct_names():
    text = model(["f", "f", "f", "Age 2", "f"], [("1", "2", "3", "4", "5", "6")])
    bare, label = "<input><inputExpression><text>f</text></inputExpression>", '<input label="Age">'
    names = ("Age", "Age 3", "Age 4", "Age 2", "Age 5")
    assert one(text.replace(bare, label)).space.names == names
    named = '<input label="Age" xmlns:c="http://camunda.org/schema/1.0/dmn" c:inputVariable="{}">'
    text = text.replace(bare, named.format("a"), 1).replace(bare, named.format("b"), 1)
    names = ("a", "b", "input 3", "Age 2", "input 5")
    assert one(text.replace(bare, "<input>")).space.names == names
    many = model(["f"] * 900, []).replace(bare, label)
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
    inputs = [("p", "tNear"), ("q", "tOwn"), "Data.in ner.leaf", "Flag", ("Rating", "Any"), "Other"]
    table = only(inputs, [("-", "-", "-", "-", "-", "5", "1")], before=ITEMS)
    assert list(table.space) == [
        Categorical("p", ["a", "b", "c"]),
        Categorical("q", ["a"]),
        Categorical("Data.in ner.leaf", ["a", "b", "c"]),
        Categorical("Flag", [False, True]),
        Categorical("Rating", ["a"]),
        Continuous("Other"),
    ]


# --- imports

TYPES = document(
    item("tGrade", "string", allowed='"a", "b"'),
    '<inputData name="Pupil"><variable typeRef="tPupil"/></inputData>',
    item("tPupil", parts=[("grade", "tGrade")]),
    namespace="urn:types",
)


@pytest.mark.parametrize(
    "location", ['locationURI="sub/types.dmn"', 'locationURI="./types.dmn"', ""]
)
def test_imports_are_followed(tmp_path, location):
    (tmp_path / "sub").mkdir()
    for name, text in (("types.dmn", TYPES), ("sub/types.dmn", TYPES), ("broken.dmn", "<a>")):
        (tmp_path / name).write_text(text)
    before = f'<import name="lib" namespace="urn:types" {location}/>'
    for column in (("g", "lib.tGrade"), ("g", "lib:tGrade"), ("g", "t:tGrade"), "lib.Pupil.grade"):
        text = model([column], [('"a"', "1")], before=before)
        text = text.replace("<definitions ", '<definitions xmlns:t="urn:types" ')
        (feature,) = one(text, path=tmp_path / "main.dmn").space
        assert feature == Categorical(feature.name, ["a", "b"])


def test_circular_imports_end(tmp_path):
    for name, other in ("ab", "ba"):
        link = f'<import name="o" namespace="urn:{other}"/>'
        text = document(link, item("t", "o.t"), namespace=f"urn:{name}")
        (tmp_path / f"{name}.dmn").write_text(text)
    before = '<import name="a" namespace="urn:a"/>'
    [error] = errors(model([("f", "a.t")], [("-", "1")], before=before), path=tmp_path / "m.dmn")
    assert error == "line 1: table 'D', column 'f': type 't' must not be defined by itself"


OUTSIDE = "the import 'lib' must be a file in the folder of the model, got {!r}"
NEAR = ["../types.dmn", "%2e%2e/types.dmn", "link.dmn"]
FAR = ["https://example.org/types.dmn", "/etc/passwd", "file:///etc/passwd", "http://[x"]
BAD_IMPORTS = {place: f"{OUTSIDE.format(place)}; move it there" for place in NEAR}
BAD_IMPORTS |= {place: OUTSIDE.format(place) for place in FAR}
BAD_IMPORTS |= {
    "none.dmn": "the import 'lib': cannot read none.dmn",
    "sub": "the import 'lib': cannot read sub",
    "loop.dmn": "the import 'lib': cannot read loop.dmn",
    "a%00b.dmn": "the import 'lib': cannot read 'a\\x00b.dmn'",
    "bad.dmn": "the import 'lib': bad.dmn: line 1, column 4: not XML: no element found",
    "other.dmn": "the import 'lib': the namespace of other.dmn must be 'urn:types', got"
    " 'urn:other'",
    None: "the import 'lib': no .dmn file in the folder of the model has the namespace 'urn:types'",
}


def test_an_import_that_cannot_be_read_is_an_error(tmp_path):
    folder = tmp_path / "models"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "types.dmn").write_text(TYPES)
    (folder / "link.dmn").symlink_to(tmp_path / "types.dmn")
    (folder / "loop.dmn").symlink_to("loop.dmn")
    (folder / "bad.dmn").write_text("<a>")
    (folder / "other.dmn").write_text(TYPES.replace("urn:types", "urn:other"))
    for place, message in BAD_IMPORTS.items():
        location = "" if place is None else f'locationURI="{place}"'
        before = f'<import name="lib" namespace="urn:types" {location}/>'
        text = model([("g", "lib.tGrade")], [("-", "1")], before=before)
        [error] = errors(text, path=folder / "main.dmn")
        assert error == f"line 1: table 'D', column 'g': {message}"
        unneeded = model([("g", "string")], [("-", "1")], before=before)
        assert errors(unneeded, path=folder / "main.dmn") == []


# --- outputs and policies


def test_outputs_are_literals_or_expressions():
    outputs = ('<output name="a"/>', '<output label="b"/>', "<output/>")
    rows = [("1", '"x"', "30", "0.5"), ("2", "true", 'date("2020-01-01")', "f + 1"),
            ("3", "", "-", "[1, 2]")]  # fmt: skip
    table = only([("f", "number")], rows, outputs=outputs)
    assert table.outputs == ("a", "b", "D")
    assert [rule.then for rule in table.rules] == [
        ("x", 30, 0.5),
        (True, dt.date(2020, 1, 1), Expression("f + 1")),
        (Expression("null"), Expression("-"), Expression("[1, 2]")),
    ]


POLICIES = {
    'hitPolicy=""': ("UNIQUE", ""),
    'hitPolicy="U"': ("UNIQUE", ""),
    'hitPolicy="ANY"': ("ANY", ""),
    'hitPolicy="F"': ("FIRST", ""),
    'hitPolicy="First"': ("FIRST", ""),
    'hitPolicy="RULE ORDER"': ("RULE ORDER", ""),
    'hitPolicy="Rule_Order"': ("RULE ORDER", ""),
    'hitPolicy="C+"': ("COLLECT", "SUM"),
    'hitPolicy="C&lt;"': ("COLLECT", "MIN"),
    'hitPolicy="C>"': ("COLLECT", "MAX"),
    'hitPolicy="C#"': ("COLLECT", "COUNT"),
    'hitPolicy="Collect" aggregation="sum"': ("COLLECT", "SUM"),
    'hitPolicy="Collect"': ("COLLECT", ""),
}


def test_hit_policies_and_aggregations():
    for attributes, expected in POLICIES.items():
        table = only([("f", "number")], [("1", "2")], attributes=attributes)
        assert (table.hit_policy, table.aggregation) == expected
        assert table.under("ANY").aggregation == table.aggregation
        assert one(dmn_writing.dumps(table)).aggregation == table.aggregation


def test_priorities_are_the_order_of_output_values():
    values = "<outputValues><text>{}</text></outputValues>"
    single = (f'<output name="a">{values.format(chr(34) + "hi" + chr(34) + ", 5")}</output>',)
    rows = [("> 1", "5"), ("> 0", '"hi"'), ("-", '"unlisted"')]
    table = only([("f", "number")], rows, attributes='hitPolicy="P"', outputs=single)
    assert table.ranking == ("hi", 5)
    assert [rule.then for rule in table.as_rules()] == ["hi", 5, "unlisted"]
    both = tuple(f'<output name="{n}">{values.format("1, 2")}</output>' for n in "ab")
    rows = [("1", "2", "1"), ("2", "1", "2"), ("3", "1", "1"), ("4", "2", "1")]
    table = only([("f", "number")], rows, attributes='hitPolicy="OUTPUT ORDER"', outputs=both)
    assert table.ranking == ((1, 1), (1, 2), (2, 1))
    typed = {"outputs": ('<output name="a" typeRef="tBase"/>',), "before": ITEMS}
    table = only(["f"], [("1", '"b"')], attributes='hitPolicy="PRIORITY"', **typed)
    assert table.ranking == ("a", "b", "c")


def test_a_given_space_takes_precedence():
    space = Space([Continuous("f", kind="integer", bounds=(0, 9)), Continuous("g")])
    table = one(model([("f", "string")], [("!= 5", "1")]), space=space)
    assert table.space == space
    assert texts(table.rules) == ["IF f < 5 THEN 1", "IF f > 5 THEN 1"]


def test_a_default_of_one_output_leaves_the_others_null():
    default = "<defaultOutputEntry><text>1</text></defaultOutputEntry>"
    outputs = ('<output name="a"/>', f'<output name="b">{default}</output>')
    table = only(["f"], [("1", "2", "3")], outputs=outputs)
    assert table.rules.default == (Expression("null"), 1)
    assert one(dmn_writing.dumps(table)).rules.default == (Expression("null"), 1)


def test_tables_without_inputs_or_rules():
    table = only([], [("1",), ("2",)], attributes='hitPolicy="COLLECT"')
    assert (len(table.space), [rule.then for rule in table.rules]) == (0, [1, 2])
    assert irenic.gaps(table.rules).is_complete
    assert one(dmn_writing.dumps(table)).rules == table.rules
    table = only([("f", "number")], [])
    assert (len(table.rules), table.n_rows, table.provenance.lines) == (0, 0, ())
    table = only([], [])
    assert (len(table.space), table.n_rows, len(irenic.gaps(table.rules))) == (0, 0, 1)


def test_single_quotes_are_quotes():
    table = only([("f", "string", "'a', 'b'")], [("not('a')", "'x'"), ('"b"', "'it' + 's'")])
    assert table.space["f"] == Categorical("f", ["a", "b"])
    assert [rule.then for rule in table.rules] == ["x", Expression("'it' + 's'")]
    quoted = RuleSet([Rule({"f": {"a"}}, then=Expression("'a'"))], table.space)
    assert one(dmn_writing.dumps(quoted)).rules == quoted


def test_why_a_row_can_never_hold():
    inputs = [("g", "string", '"a", "b"'), ("f", "number", "[0..10], (20..30]")]
    inputs += [("h", "string", 'not("x")'), ("n", "number"), ("n", "number")]
    asked = [('"B"', 0), ("[12..18]", 1), ('"x"', 2), ("(5..5)", 3)]
    rows = [tuple(text if i == place else "-" for i in range(5)) for text, place in asked]
    rows += [("-", "-", "-", "> 5", "< 3"), ("-",) * 5]
    table = only(inputs, [(*row, "1") for row in rows])
    assert table.never_hold == (0, 1, 2, 3, 4)
    assert table.provenance.reasons == (
        (0, 'column \'g\' requires "B", which cannot occur (possible: "a", "b")'),
        (1, "column 'f' requires [12..18], which cannot occur (possible: <= 10, > 20)"),
        (2, 'column \'h\' requires "x", which cannot occur (possible: not("x"))'),
        (3, "column 'n' requires (5..5), which no value satisfies"),
        (4, "columns 'n' require > 5 and < 3, which cannot hold together"),
    )


# --- errors

NUMBER = ("f", "number")
NO_NAMES = ("is a name, and names are not supported; compare with a value such as 18, \"text\" in"
            ' quotes, true or date("2026-01-31")')  # fmt: skip
MANY = item("tMany", "number", many=True)
DATA = data("f")
BAD = item("tBad", "number", allowed="max")


@pytest.mark.parametrize(
    ("column", "row", "options", "message"),
    [
        (NUMBER, ("> limit", "1"), {"before": DATA},
         f", rule 1, column 'f', '> limit': 'limit' {NO_NAMES}"),
        (NUMBER, ('"a"', "1"), {}, ', rule 1, column \'f\', \'"a"\': "a" is not a number (the'
                                   " column contains numbers according to typeRef number)"),
        (("f", "string", '"a", "b"'), ("true", "1"), {},
         ", rule 1, column 'f', 'true': true is not a text (the column contains text according to"
         " typeRef string); quote it, or correct the type"),
        ("Flag", ("5", "1"), {"before": ITEMS},
         ", rule 1, column 'Flag', '5': 5 is not true or false (the column contains booleans"
         " according to the typeRef of its data)"),
        (("f", "boolean"), ("5", "1"), {},
         ", rule 1, column 'f', '5': 5 is not true or false (the column contains booleans according"
         " to typeRef boolean)"),
        (("f", "date"), ('"2020-01-01"', "1"), {},
         ', rule 1, column \'f\', \'"2020-01-01"\': "2020-01-01" is not a date such as 2026-01-31'
         ' (the column contains dates according to typeRef date); write date("2026-01-31"), or'
         " correct the type"),
        (NUMBER, ("1", "2", "3"), {},
         ", rule 1: a rule must have one output entry per column, 1 in all, got 2"),
        (("f", "tNone"), ("-", "1"), {"before": ITEMS},
         ", column 'f': unknown type 'tNone'; did you mean 'tNear'?"),
        (("f", "x:tNone"), ("-", "1"), {}, ", column 'f': unknown prefix 'x' of type 'x:tNone';"
                                           " declare its namespace or import its model"),
        (("f", "tDeep"), ("x", "1"), {"before": ITEMS + DATA},
         ", rule 1, column 'f', 'x': type 'tDeep' must be a single value, got components; test one"
         " of them instead"),
        (("f", "tMany"), ("> x", "1"), {"before": MANY + DATA},
         ", rule 1, column 'f', '> x': type 'tMany' must be a single value, got a collection"),
        (("f", "tLoop"), ("-", "1"), {"before": item("tLoop", "tLoop")},
         ", column 'f': type 'tLoop' must not be defined by itself"),
        (("f", "tBad"), ("-", "1"), {"before": BAD},
         f", column 'f': type 'tBad', allowed values 'max': 'max' {NO_NAMES}"),
        ((*NUMBER, "x"), ("-", "1"), {}, f", column 'f': inputValues 'x': 'x' {NO_NAMES}"),
        ((*NUMBER, '"a"'), ("-", "1"), {}, ", column 'f': \"a\" is not a number"),
        ((*NUMBER, "[5..1]"), ("-", "1"), {},
         ", column 'f': the allowed values exclude every value"),
        (NUMBER, ("1", "2"), {"attributes": 'hitPolicy="UNIQ"'},
         ": unknown hit policy 'UNIQ'; did you mean 'UNIQUE'?"),
        (NUMBER, ("1", "2"), {"attributes": 'aggregation="MEAN"'},
         ": unknown aggregation 'MEAN' (known: 'SUM', 'COUNT', 'MIN', 'MAX')"),
        (NUMBER, ("1",), {"outputs": ()}, ": a table must have an output column"),
    ],
)  # fmt: skip
def test_an_error_names_table_rule_column_and_cell(column, row, options, message):
    found = read(model([column], [row], **options))
    assert found.tables == []
    [error] = found.errors
    assert error.message == f"table 'D'{message}"
    assert error.line == 1 + options.get("before", "").count("\n")


def test_a_table_in_another_language_is_rejected():
    message = (
        "line 1: table 'D', rule 1, column 'f', '1': conditions must be written in FEEL, as in"
        " >= 18, got"
    )
    juel = "http://www.omg.org/spec/juel"
    cell = f'<inputEntry expressionLanguage="{juel}">'
    text = model(["f"], [("1", "2")]).replace("<inputEntry>", cell)
    assert errors(text) == [f"{message} {juel}"]
    assert len(one(text.replace(juel, "https://www.omg.org/spec/DMN/FEEL/")).rules) == 1
    whole = model(["f", "g"], [("1", "-", "2")])
    whole = whole.replace("<definitions ", '<definitions expressionLanguage="groovy" ')
    assert errors(whole) == [f"{message} groovy"]
    assert len(one(whole.replace("<inputEntry>", '<inputEntry expressionLanguage="feel">')).rules)


def test_errors_in_one_table_do_not_affect_others_and_are_all_reported():
    good = model([NUMBER], [("1", "2")])
    bad = model([NUMBER, ("g", "number")], [("1 x", "1 y", "2"), ("1", '"z"', "2")])
    decision = bad[bad.index("<decision") : bad.index("</definitions")]
    found = read(good.replace("</definitions>", decision + "</definitions>"))
    assert [table.name for table in found.tables] == ["D"]
    assert [e.place[:3] for e in found.errors] == [
        (1, "f", "1 x"),
        (1, "g", "1 y"),
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
    """Draw the kinds and domains of columns, cells, and the table that is read from them."""
    kinds = draw(st.lists(st.sampled_from(list(TYPE_REFS)), min_size=1, max_size=2))
    columns = [(kind, draw(naive_cells.domains(kind))) for kind in kinds]
    rows = draw(st.lists(st.tuples(*(naive_cells.cells(kind) for kind in kinds)), max_size=4))
    inputs = [
        (f"f{i}", TYPE_REFS[kind], domain.text if domain else "")
        for i, (kind, domain) in enumerate(columns)
    ]
    return columns, rows, only(inputs, [(*(cell.text for cell in row), "1") for row in rows])


ATTRIBUTES = ("rows", "n_rows", "hit_policy", "outputs", "name", "ranking")


def check_read_back(table, **changed):
    """Check that a table that is written and read has the same rules and attributes."""
    back = one(dmn_writing.dumps(table))
    assert back.rules == table.rules
    assert list(back.rules) == list(table.rules)
    assert back.provenance.id == table.provenance.id
    for name in ATTRIBUTES:
        assert getattr(back, name) == changed.get(name, getattr(table, name))


@given(drawn_tables())
def test_rows_gaps_and_overlaps_are_those_of_the_grid(drawn):
    columns, rows, table = drawn
    check_read_back(table)
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


@given(sts.rule_sets(max_size=5, default="D"), st.data())
def test_sets_lists_and_tables_read_back_the_same(rules, data):
    table = one(dmn_writing.dumps(rules))
    assert table.rules == rules
    assert list(table.rules) == list(rules)
    assert table.rows == tuple(range(len(rules)))
    apart = not len(rules.conflicts()) and not len(rules.overlaps())
    assert table.hit_policy == ("UNIQUE" if apart else "ANY")
    ordered = RuleList.from_rules(rules)
    table = one(dmn_writing.dumps(ordered, name="L"))
    assert (table.hit_policy, table.name) == ("FIRST", "L")
    assert table.as_rules() == ordered
    alike = RuleSet([Rule(r.region, then="A") for r in rules], rules.space)
    rows = tuple(data.draw(st.integers(0, 2)) for _ in alike)
    back = one(dmn_writing.dumps(DecisionTable(alike, rows, 3, hit_policy="RULE ORDER")))
    assert list(back.rules) == list(alike)
    assert (back.rows, back.n_rows) == (rows, 3)


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


def test_rules_of_one_row_stay_apart():
    touching = RuleSet([Rule({"a": (0, 1)}, then="A"), Rule({"a": (1, 2)}, then="A")])
    corners = [(0, 0), (0, 9), (9, 0)]  # are not a product
    space = Space([Continuous("a"), Continuous("b")])
    apart = RuleSet([Rule({"a": (a, a + 1), "b": (b, b + 1)}, then=1) for a, b in corners], space)
    for rules, policy in ((touching, "ANY"), (apart, "UNIQUE")):
        back = one(dmn_writing.dumps(DecisionTable(rules, (0,) * len(rules), 1, hit_policy=policy)))
        assert (list(back.rules), set(back.rows), back.n_rows) == (list(rules), {0}, 1)
    text = dmn_writing.dumps(only([NUMBER], [("< 18, >= 60", "1")]))
    assert "<text>&lt; 18, &gt;= 60</text>" in text
    assert text.count("<rule ") == 1


@pytest.mark.parametrize("policy", [None, "PRIORITY", "OUTPUT ORDER", "COLLECT"])
def test_rankings_outputs_and_rows_read_back_the_same(policy):
    rules = RuleSet(
        [
            Rule({"a": (0, 1)}, then=("x", 1), weight=0.5),
            Rule({"b": (2, 3)}, then=("x", 1)),
            Rule({"a": (5, 6)}, then=("y", Expression("a + 1"))),
        ],
        Space([Continuous("a"), Continuous("b", unit="kg", kind="integer")]),
        default=("z", 0),
    )
    table = DecisionTable(
        rules, (0, 0, 3), 5, hit_policy=policy, outputs=("p", "q"), name='T <&> "t"',
        ranking=(("y", 2), ("x", 1)), provenance=Provenance(id="t 1"),
    )  # fmt: skip
    check_read_back(table, hit_policy=policy or "ANY")


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
    features = [Continuous("age", bounds=(0, 120)), Categorical("job", ["nurse", "clerk"])]
    features += [Categorical("member", [False, True]), Continuous("term", kind="months")]
    rules = [Rule({"age": (0, 18), "member": {True}}, then="A")]
    text = dmn_writing.dumps(RuleSet(rules, Space(features), default="B"), name="fares")
    assert " irenic:" not in text
    assert "<inputValues><text>[0..120]</text></inputValues>" in text
    assert "<text>[0..18)</text>" in text
