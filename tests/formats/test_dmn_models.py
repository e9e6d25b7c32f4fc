"""Whole DMN models: decisions that require others, loose ends, and missing values."""

from __future__ import annotations

import pickle
from contextlib import suppress
from dataclasses import replace
from xml.sax.saxutils import escape

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given
from test_python_source import made
from test_sql import in_duckdb, in_sqlite

import irenic
from irenic import Categorical, DataError, FormatError
from irenic.errors import IrenicError
from irenic.formats.dmn.deciding import Decisions
from irenic.formats.python.source import to_python
from irenic.formats.sql.source import to_sql

HEAD = (
    '<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" namespace="urn:m" name="m">'
)


def parsed(*elements, path=None):
    text = f"{HEAD}{''.join(elements)}</definitions>"
    if path is not None:
        path.write_text(text)
        return irenic.parse(path)
    return irenic.parse(text.encode(), format="dmn", name="m.dmn")


def data(name, kind="number"):
    place = name.replace(" ", "_")
    variable = f'<variable name="{name}" typeRef="{kind}"/>'
    return f'<inputData id="{place}" name="{name}">{variable}</inputData>'


def decision(name, logic, *needs, kind=""):
    """Return a decision; what it needs are ids, those of decisions with a D before them."""
    requirements = ""
    for need in needs:
        tag = "requiredDecision" if need.startswith("D") else "requiredInput"
        requirements += f'<informationRequirement><{tag} href="#{need}"/></informationRequirement>'
    reference = f' typeRef="{kind}"' if kind else ""
    return (
        f'<decision id="D{name.replace(" ", "_")}" name="{name}">'
        f'<variable name="{name}"{reference}/>{requirements}{logic}</decision>'
    )


def literal(text):
    return f"<literalExpression><text>{escape(text)}</text></literalExpression>"


def table(inputs, rows, *, policy="UNIQUE", outputs=("then",), extra=""):
    columns = "".join(
        f"<input><inputExpression><text>{escape(name)}</text></inputExpression></input>"
        for name in inputs
    )
    columns += "".join(f'<output name="{name}">{extra}</output>' for name in outputs)
    for row in rows:
        tests = "".join(
            f"<inputEntry><text>{escape(cell)}</text></inputEntry>" for cell in row[: len(inputs)]
        )
        thens = "".join(
            f"<outputEntry><text>{escape(cell)}</text></outputEntry>" for cell in row[len(inputs) :]
        )
        columns += f"<rule>{tests}{thens}</rule>"
    return f'<decisionTable hitPolicy="{escape(policy)}">{columns}</decisionTable>'


RISK = decision(
    "Risk", table(["Age"], [("< 25", '"high"'), (">= 25", '"low"')]), "Age", kind="string"
)
PREMIUM_TABLE = table(["Risk"], [('"high"', "2"), ('"low"', "1")])
PREMIUM = decision(
    "Premium",
    table(["Risk"], [('"high"', "Base Price * 2"), ('"low"', "Base Price * 1.1")]),
    "DRisk",
    "Base_Price",
    kind="number",
)
INSURANCE = (data("Age"), data("Base Price"), RISK, PREMIUM)


# --- deciding


def test_a_whole_model_is_decided():
    model = parsed(*INSURANCE)
    cases = {"Age": [20, 40, None], "Base Price": [100, 0.1, 5]}
    assert model.predict(cases).tolist() == [200, 0.11, None]
    assert model.predict(cases, table="Risk").tolist() == ["high", "low", None]
    assert model.predict(cases, table="DRisk").tolist() == ["high", "low", None]
    assert model.predict([{"Age": 20, "Base Price": 100}]).tolist() == [200]
    assert model.predict([]).tolist() == []


def test_a_hit_policy_replaces_those_of_a_whole_model():
    risk = decision("Risk", table(["Age"], [("< 25", "3"), ("< 30", "1")], policy="COLLECT"), "Age")
    text = f"{HEAD}{data('Age')}{risk}{decision('Twice', literal('Risk'), 'DRisk')}</definitions>"
    for policy, outcome in (("FIRST", 3), ("RULE ORDER", [3, 1]), ("UNIQUE", None)):
        model = irenic.parse(text.encode(), format="dmn", hit_policy=policy)
        assert model.predict([{"Age": 20}], table="Twice").tolist() == [outcome]
        assert pickle.loads(pickle.dumps(model.decisions)).hit_policy == policy


def test_errors_of_models_say_what_to_do():
    model = parsed(*INSURANCE, decision("Other", literal("1")))
    with pytest.raises(FormatError) as caught:
        model.predict({"Age": [1], "Base Price": [1]})
    assert str(caught.value) == (
        "m.dmn: the model has 2 decisions that no other one requires ('Premium', 'Other'); choose"
        " one with table=… (--table …)"
    )
    with pytest.raises(
        FormatError, match=r"m.dmn: unknown decision 'Prem'; did you mean 'Premium'"
    ):
        model.predict({"Age": [1]}, table="Prem")
    with pytest.raises(
        DataError,
        match=r"^the table must have a column 'Base Price', which decision 'Premium' requires",
    ):
        model.predict({"Age": [1]}, table="Premium")
    with pytest.raises(DataError, match="columns of the table must have names"):
        model.predict(np.array([[1, 2]]), table="Premium")
    broken = parsed(data("Age"), decision("A", literal("Age +"), "Age"))
    with pytest.raises(
        FormatError, match=r"m.dmn, line 1: the expression 'Age \+': expected a value"
    ):
        broken.predict({"Age": [1]})


def test_decisions_that_require_themselves_are_rejected():
    circular = parsed(decision("A", literal("B + 1"), "DB"), decision("B", literal("A + 1"), "DA"))
    assert [str(note) for note in circular.warnings] == [
        "m.dmn, line 1: decision 'A' requires itself",
        "m.dmn, line 1: decision 'B' requires itself",
    ]
    with pytest.raises(FormatError, match="decision 'A' must not require itself"):
        circular.predict([{"x": 1}], table="A")


@pytest.mark.parametrize(
    ("logic", "expected"),
    [
        (literal('if Age > 18 then "adult" else "minor"'), "adult"),
        (
            "<context><contextEntry><variable name='twice'/>" + literal("Age * 2") +
            "</contextEntry><contextEntry>" + literal("twice + 1") + "</contextEntry></context>",
            61,
        ),
        (
            "<context><contextEntry><variable name='a b'/>" + literal("Age") + "</contextEntry>"
            "<contextEntry><variable name='c'/>" + literal("a b + 1") + "</contextEntry></context>",
            {"a b": 30, "c": 31},
        ),
        ("<list>" + literal("1") + literal("Age") + "</list>", [1, 30]),
        (
            "<relation><column name='x'/><column name='y'/><row>" + literal("1") + literal("Age") +
            "</row></relation>",
            [{"x": 1, "y": 30}],
        ),
        (
            "<invocation>" + literal("twice of") + "<binding><parameter name='n'/>" +
            literal("Age") + "</binding></invocation>",
            60,
        ),
        (literal("twice of(Age)"), 60),
        (literal("twice of(n: Age)"), 60),
        (literal("twice of(Age, 1)"), None),
        ("<conditional><if>" + literal("Age > 40") + "</if><then>" + literal("1") +
         "</then><else>" + literal("2") + "</else></conditional>", 2),
        ("<for iteratorVariable='i'><in>" + literal("[1, 2]") + "</in><return>" +
         literal("i * Age") + "</return></for>", [30, 60]),
        ("<filter><in>" + literal("[20, 40]") + "</in><match>" + literal("item > Age") +
         "</match></filter>", [40]),
        ("<some iteratorVariable='i'><in>" + literal("[1, 2]") + "</in><satisfies>" +
         literal("i > 1") + "</satisfies></some>", True),
        ("<every iteratorVariable='i'><in>" + literal("[1, 2]") + "</in><satisfies>" +
         literal("i > 1") + "</satisfies></every>", False),
        (table(["Age"], [("> 18", '"a"', "Age + 1")], outputs=("x", "y")), {"x": "a", "y": 31}),
        (table(["Age"], [("> 18", "1"), ("> 20", "2")]), None),
        (table(["Age"], [("> 18", "1"), ("> 20", "1")], policy="ANY"), 1),
        (table(["Age"], [("> 18", "1"), ("> 20", "2")], policy="ANY"), None),
        (table(["Age"], [("> 18", "1"), ("> 20", "2")], policy="FIRST"), 1),
        (table(["Age"], [("> 18", "1"), ("> 20", "2")], policy="RULE ORDER"), [1, 2]),
        (table(["Age"], [("> 18", "0.1"), ("> 20", "0.2")], policy="C+"), 0.3),
        (table(["Age"], [("> 18", "1"), ("> 20", "1")], policy="C#"), 2),
        (table(["Age"], [("> 40", "1")], policy="COLLECT"), []),
        (table(["Age"], [("> 40", "1")], policy="RULE ORDER"), None),
        (table(["Age"], [("> 18", '"b"'), ("> 20", '"a"')], policy="PRIORITY",
               extra='<outputValues><text>"a", "b"</text></outputValues>'), "a"),
        (table(["Age"], [("> 18", '"b"'), ("> 20", '"a"')], policy="OUTPUT ORDER",
               extra='<outputValues><text>"a", "b"</text></outputValues>'), ["a", "b"]),
        (table(["Age"], [("> 40", "1")], extra="<defaultOutputEntry><text>Age</text>"
               "</defaultOutputEntry>"), 30),
        ("", None),
    ],
)  # fmt: skip
def test_every_kind_of_logic_is_evaluated(logic, expected):
    knowledge = (
        "<businessKnowledgeModel id='k' name='twice of'><encapsulatedLogic>"
        f"<formalParameter name='n'/>{literal('n * 2')}</encapsulatedLogic>"
        "</businessKnowledgeModel>"
    )
    model = parsed(data("Age"), knowledge, decision("Top", logic, "Age"), decision("Z", ""))
    assert model.predict([{"Age": 30}], table="Top").tolist() == [expected]


def test_results_have_the_form_of_their_types():
    items = (
        '<itemDefinition name="tOne"><typeRef>number</typeRef></itemDefinition>'
        '<itemDefinition name="tMany" isCollection="true"><typeRef>number</typeRef>'
        "</itemDefinition>"
    )
    one = decision("One", literal("[5]"), kind="tOne")
    many = decision("Many", literal("5"), kind="tMany")
    model = parsed(items, one, many)
    assert model.predict([{"x": 1}], table="One").tolist() == [5]
    assert model.predict([{"x": 1}], table="Many").tolist() == [[5]]


def test_columns_with_dots_are_components_and_text_has_the_declared_type():
    items = (
        '<itemDefinition name="tPerson"><itemComponent name="born"><typeRef>date</typeRef>'
        '</itemComponent><itemComponent name="years"><typeRef>number</typeRef></itemComponent>'
        "</itemDefinition>"
    )
    logic = literal('P.born + duration("P1Y") * P.years')
    model = parsed(items, data("P", "tPerson"), decision("A", logic, "P"), decision("B", ""))
    columns = {"P.born": ["2020-02-29"], "P.years": ["2"]}
    assert [str(v) for v in model.predict(columns, table="A")] == ["2022-02-28"]


def test_decision_services_are_functions():
    service = (
        '<decisionService name="Rate"><outputDecision href="#DPremium"/>'
        '<encapsulatedDecision href="#DRisk"/><inputData href="#Age"/>'
        '<inputData href="#Base_Price"/></decisionService>'
    )
    model = parsed(*INSURANCE, service, decision("Top", literal("Rate(20, 50)")))
    assert model.predict([{"Age": 99, "Base Price": 1}], table="Top").tolist() == [100]
    assert model.decisions.call("Rate", {"Age": 30, "Base Price": 10}) == 11


def test_imported_knowledge_is_evaluated(tmp_path):
    (tmp_path / "other.dmn").write_text(
        '<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" namespace="urn:o">'
        "<businessKnowledgeModel name='add one'><encapsulatedLogic><formalParameter name='n'/>"
        f"{literal('n + 1')}</encapsulatedLogic></businessKnowledgeModel></definitions>"
    )
    link = '<import name="lib" namespace="urn:o" locationURI="other.dmn" importType="dmn"/>'
    top = decision("Top", literal("lib.add one(Age)"), "Age")
    model = parsed(link, data("Age"), top, path=tmp_path / "m.dmn")
    assert model.predict([{"Age": 5}]).tolist() == [6]


def test_models_that_import_each_other_are_read(tmp_path):
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / f"{name}.dmn").write_text(
            '<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/"'
            f' namespace="urn:{name}"><import name="x" namespace="urn:{other}"'
            f' locationURI="{other}.dmn"/>{decision("Top", literal("1 + 1"))}</definitions>'
        )
    assert irenic.parse(tmp_path / "a.dmn").predict([{"x": 1}]).tolist() == [2]


def test_decisions_see_only_what_they_require():
    hidden = decision("A", literal("[Age, Sex]"), "Age")
    model = parsed(data("Age"), data("Sex"), hidden, decision("B", literal("Sex"), "Sex"))
    assert model.predict([{"Age": 1, "Sex": 2}], table="A").tolist() == [[1, None]]
    # unless nothing says what it requires
    model = parsed(data("Age"), decision("A", literal("Age")), decision("B", literal("1")))
    assert model.predict([{"Age": 1}], table="A").tolist() == [1]


def test_priorities_come_from_the_type_of_the_output():
    items = (
        '<itemDefinition name="tGrade"><typeRef>string</typeRef><allowedValues>'
        '<text>"b", "a"</text></allowedValues></itemDefinition>'
    )
    rows = [("> 1", '"a"'), ("> 2", '"b"')]
    logic = table(["Age"], rows, policy="PRIORITY")
    model = parsed(
        items, data("Age"), decision("A", logic, "Age", kind="tGrade"), decision("B", "")
    )
    assert model.predict([{"Age": 5}, {"Age": 2}], table="A").tolist() == ["b", "a"]
    assert model.open_to_missing("A").predict([{"Age": 5}, {"Age": 2}]).tolist() == ["b", "a"]


def test_outcomes_of_a_single_table_are_evaluated():
    rows = [("> 1", "Age * 2"), ("<= 0", ""), ("(0..1]", "null")]
    model = parsed(data("Age"), decision("A", table(["Age"], rows), "Age"))
    assert model.predict([{"Age": 3}, {"Age": 0}, {"Age": 1}]).tolist() == [6, None, None]


def test_tables_of_knowledge_models_are_decided_by_name():
    logic = table(["n"], [("> 1", '"a"')])
    knowledge = (
        "<businessKnowledgeModel name='k'><encapsulatedLogic><formalParameter name='n'"
        f" typeRef='number'/>{logic}</encapsulatedLogic></businessKnowledgeModel>"
    )
    model = parsed(knowledge, *INSURANCE)
    assert model.predict({"n": [2, 0]}, table="k").tolist() == ["a", None]


def test_inputs_of_imported_models_are_components(tmp_path):
    top = decision("Twice", literal("Age * 2"), "Age")
    (tmp_path / "other.dmn").write_text(
        '<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" namespace="urn:o">'
        f"{data('Age')}{top}</definitions>"
    )
    link = '<import name="lib" namespace="urn:o" locationURI="other.dmn" importType="dmn"/>'
    logic = decision("Top", literal("lib.Twice + lib.Age"))
    model = parsed(link, logic, path=tmp_path / "m.dmn")
    assert model.predict([{"lib.Age": 5}]).tolist() == [15]
    assert model.predict([{"lib": {"Age": 5}}]).tolist() == [15]


def test_columns_of_lists_are_tested_by_functions():
    items = (
        '<itemDefinition name="tL" isCollection="true"><typeRef>number</typeRef></itemDefinition>'
    )
    rows = [("list contains(?, 5)", '"a"'), ("not(list contains(?, 5))", '"b"'), ("-", '"c"')]
    logic = table(["L"], rows, policy="FIRST")
    model = parsed(items, data("L", "tL"), decision("A", logic, "L"))
    found = model.bound(None).table()
    assert found.space.names == ("list contains(L, 5)",)
    assert found.predict([{"L": [1, 5]}, {"L": [1]}]).tolist() == ["a", "b"]
    assert irenic.check(found).of("never_fire")  # the last row: one of the first two holds


def test_a_literal_for_a_list_is_doubtful():
    items = (
        '<itemDefinition name="tL" isCollection="true"><typeRef>number</typeRef></itemDefinition>'
    )
    logic = table(["L"], [("[1, 2]", '"a"'), ("> 5", '"b"')], policy="FIRST")
    model = parsed(items, data("L", "tL"), decision("A", logic, "L"))
    assert [str(w).partition(": ")[2] for w in model.bound(None).warnings] == [
        f"table 'A', rule {n}, column 'L', {cell!r}: type 'tL' must be a single value, got a"
        " collection"
        for n, cell in enumerate(("[1, 2]", "> 5"), 1)
    ]
    assert model.decisions.decide("A", {"L": [1, 2]}) == "a"
    assert irenic.check(model.bound(None).table()).is_complete is False


# --- what tables pass to each other, and loose ends


def test_the_outcomes_of_a_table_are_the_domain_of_the_next():
    _, premium = parsed(*INSURANCE).bind().tables
    assert premium.space["Risk"] == Categorical("Risk", ["high", "low"])
    assert irenic.check(premium).is_complete
    rows = [('"high"', "1"), ('"medium"', "2")]
    narrow = decision("Premium", table(["Risk"], rows), "DRisk")
    _, second = parsed(data("Age"), RISK, narrow).bind().tables
    assert second.say_never(1) == (
        "rule 2 can never hold and is left out: column 'Risk' requires \"medium\", which cannot"
        ' occur (possible: "high", "low")'
    )
    assert not irenic.check(second).is_complete  # low


@pytest.mark.parametrize(
    "logic",
    [
        table(["Age"], [("< 25", '"high"'), (">= 25", "other name")]),
        table(["Age"], [("< 25", '"high"'), (">= 25", "5")]),
        table(["Age"], [("< 25", '"high"')], policy="COLLECT"),
        literal('"high"'),
    ],
)
def test_other_outcomes_leave_the_next_table_open(logic):
    rows = [('"high"', "1"), ('"medium"', "2")]
    model = parsed(
        data("Age"),
        decision("Risk", logic, "Age"),
        decision("Premium", table(["Risk"], rows), "DRisk"),
    )
    assert model.bound(None).tables[-1].space["Risk"].other


def test_parameters_hide_decisions_of_the_same_name():
    logic = table(["Risk"], [('"other"', "1")])
    knowledge = (
        "<businessKnowledgeModel name='k'><encapsulatedLogic><formalParameter name='Risk'"
        f" typeRef='string'/>{logic}</encapsulatedLogic></businessKnowledgeModel>"
    )
    model = parsed(data("Age"), RISK, knowledge)
    assert model.bound(None).table("k").space["Risk"].values == ("other",)


@pytest.mark.parametrize(
    ("elements", "message"),
    [
        (
            (decision("A", literal("1"), "lost"),),
            "decision 'A' requires 'lost', which the model lacks",
        ),
        ((*INSURANCE, data("Color")), "input data 'Color' is not used"),
        ((*INSURANCE, decision("A", "")), "decision 'A' has no logic, so that its outcome is null"),
        (
            (data("Age"), data("Sex"), decision("A", literal("Age"), "Age", "Sex")),
            "decision 'A' requires input data 'Sex', but does not use it",
        ),
        (
            (data("Age"), data("Sex"), decision("A", literal("Age + Sex"), "Age")),
            "decision 'A' uses input data 'Sex', but does not require it",
        ),
    ],
)
def test_loose_ends_are_findings(elements, message):
    alone = decision("Alone", table(["n"], [("< 5", '"a"'), (">= 5", '"b"')]))
    tables = parsed(*elements, alone).bound(None)
    assert tables.warnings == []
    found = [f for t in tables.tables for f in irenic.check(t).of("model")]
    assert [(f.text, f.level, f.line, f.rules) for f in found] == [(message, "warning", 1, ())]
    # a model without a table has no findings
    if not any("decisionTable" in element for element in elements):
        assert [str(note) for note in parsed(*elements).warnings] == [f"m.dmn, line 1: {message}"]


def test_loose_ends_belong_to_the_table_of_their_decision():
    sex, lost = data("Sex"), data("Lost")
    tables = parsed(*INSURANCE, sex, lost, decision("Fee", PREMIUM_TABLE, "Sex", "DRisk")).bound(
        None
    )
    assert {t.name: [text for _, text in t.loose_ends] for t in tables.tables} == {
        "Risk": ["input data 'Lost' is not used"],
        "Premium": [],
        "Fee": ["decision 'Fee' requires input data 'Sex', but does not use it"],
    }


def test_connected_models_have_no_warnings():
    tables = parsed(*INSURANCE).bound(None)
    assert (tables.warnings, [t.loose_ends for t in tables.tables]) == ([], [(), ()])
    # names in texts, components and longer names are not uses
    quoted = decision("A", literal('"Sex" + string(Age Group.Sex)'), "Age_Group")
    assert (
        parsed(
            data("Age Group"), data("Sex"), quoted, decision("B", literal("Sex"), "Sex")
        ).warnings
        == []
    )


# --- missing values: predict, SQL, Python source and FEEL agree


NUMBERS = ["-", "< 5", ">= 5", "[2..7]", "not(5)", "not(< 5)", "null", "not(null)", "5, null"]
TEXTS = ["-", '"DE", "AT"', 'not("DE", "AT")', '"DE"', 'not("DE")', "null", 'not("DE", null)']
FLAGS = ["-", "true", "false", "not(true)", "null"]
VALUES = {"n": [None, 2, 5, 8], "c": [None, "DE", "AT", "FR"], "f": [None, True, False]}
KINDS = {"n": "number", "c": "string", "f": "boolean"}


@st.composite
def tables_with_missing_values(draw):
    """Draw a table in which null is tested or not, under a policy by which one row decides."""
    row = st.tuples(
        st.sampled_from(NUMBERS), st.sampled_from(TEXTS), st.sampled_from(FLAGS),
        st.sampled_from(['"x"', '"y"']),
    )  # fmt: skip
    rows = draw(st.lists(row, min_size=1, max_size=4))
    return table(list(VALUES), rows, policy=draw(st.sampled_from(["FIRST", "ANY"])))


def cases_with_missing_values():
    return [{"n": n, "c": c, "f": f} for n in VALUES["n"] for c in VALUES["c"] for f in VALUES["f"]]


@given(tables_with_missing_values())
def test_missing_values_are_decided_alike_everywhere(logic):
    pa = pytest.importorskip("pyarrow")
    model = parsed(*(data(name, KINDS[name]) for name in VALUES), decision("D", logic, *VALUES))
    opened = model.open_to_missing()
    cases = cases_with_missing_values()
    columns = {name: [case[name] for case in cases] for name in VALUES}
    # rows that contradict each other decide nothing, some of them only for missing values
    assume(opened.is_ordered or not opened.first_conflict())
    assume(all(feature.missing for feature in opened.space))
    expected = opened.predict(cases).tolist()
    assert model.predict(cases).tolist() == expected
    function = made(to_python(opened))
    assert [function(case) for case in cases] == expected
    kinds = {"n": pa.float64(), "c": pa.string(), "f": pa.bool_()}
    assert in_duckdb(to_sql(opened, "cases"), columns, kinds) == expected
    assert in_sqlite(to_sql(opened, "cases", dialect="sqlite"), columns) == expected
    # FEEL, cell by cell
    assert [model.decisions.decide("D", case) for case in cases] == expected


def test_missing_values_of_an_empty_cell():
    rows = [('not("DE", "AT")', '"foreign desk"'), ('"DE", "AT"', '"home desk"')]
    model = parsed(data("country", "string"), decision("Desk", table(["country"], rows), "country"))
    opened = model.open_to_missing()
    assert model.predict({"country": [None, "DE", "FR"]}).tolist() == [
        "foreign desk", "home desk", "foreign desk"
    ]  # fmt: skip
    assert made(to_python(opened))({"country": None}) == "foreign desk"
    assert in_sqlite(to_sql(opened, "cases", dialect="sqlite"), {"country": [None]}) == [
        "foreign desk"
    ]


def test_models_without_decisions_are_still_read():
    model = parsed(data("Age"))
    assert isinstance(model.decisions, Decisions)
    with pytest.raises(FormatError, match="no decision table"):
        model.predict({"Age": [1]})
    assert replace(model, name="x").decisions is model.decisions


@given(
    st.lists(
        st.tuples(st.sampled_from(NUMBERS), st.sampled_from(TEXTS), st.integers(1, 3).map(str))
    ),
    st.sampled_from(["C", "C+", "C<", "C>", "C#", "RULE ORDER", "OUTPUT ORDER", "PRIORITY"]),
)
def test_tables_decide_as_feel_does_under_every_hit_policy(rows, policy):
    extra = "<outputValues><text>2, 3, 1</text></outputValues>"
    logic = table(["n", "c"], rows, policy=policy, extra=extra)
    model = parsed(data("n"), data("c", "string"), decision("D", logic, "n", "c"))
    cases = [{"n": n, "c": c} for n in VALUES["n"] for c in VALUES["c"]]
    expected = [model.decisions.decide("D", case) for case in cases]
    assert model.open_to_missing().predict(cases).tolist() == expected


PIECES = ["Age", "Base Price", "?", "5", '"a"', "(", ")", "[", "]", "..", ",", "<", ">=", "not(",
          "for i in ", " return ", "if ", " then ", " else ", "+", "-", "**", "{a: ", "}", ".",
          "sum(", "string(", "date(", '"2026-01-31"', " in ", " and ", "null", "@"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_any_expression_is_read_or_rejected(text):
    logic = table(["Age"], [(text, "1"), ("-", text)])
    model = parsed(data("Age"), data("Base Price"), decision("A", logic, "Age", "Base_Price"))
    case = {"Age": 1, "Base Price": 2}
    model.bound(None)
    with suppress(IrenicError):
        model.predict([case])
    with suppress(IrenicError):
        model.decisions.decide("A", case)
