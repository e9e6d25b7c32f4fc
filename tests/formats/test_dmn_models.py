"""Whole DMN models: decisions that require others, loose ends, and missing values."""

from __future__ import annotations

import pickle
from contextlib import suppress
from dataclasses import replace

import hypothesis.strategies as st
import numpy as np
import pytest
from dmn_models import (
    boxed,
    context,
    data,
    decision,
    document,
    item,
    knowledge,
    literal,
    parsed,
    table,
)
from hypothesis import assume, given
from test_python_source import made
from test_sql import in_duckdb, in_sqlite

import irenic
from irenic import Categorical, DataError, FormatError
from irenic.errors import IrenicError
from irenic.formats.dmn.deciding import Decisions
from irenic.formats.python.source import to_python
from irenic.formats.sql.source import to_sql

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
    for name in ("Risk", "DRisk"):
        assert model.predict(cases, table=name).tolist() == ["high", "low", None]
    assert model.predict([{"Age": 20, "Base Price": 100}]).tolist() == [200]
    assert model.predict([]).tolist() == []


def test_a_hit_policy_replaces_those_of_a_whole_model():
    risk = decision("Risk", table(["Age"], [("< 25", "3"), ("< 30", "1")], policy="COLLECT"), "Age")
    twice = decision("Twice", literal("Risk"), "DRisk")
    for policy, outcome in (("FIRST", 3), ("RULE ORDER", [3, 1]), ("UNIQUE", None)):
        model = parsed(data("Age"), risk, twice, hit_policy=policy)
        assert model.predict([{"Age": 20}], table="Twice").tolist() == [outcome]
        assert pickle.loads(pickle.dumps(model.decisions)).hit_policy == policy


TWO_TOPS = parsed(*INSURANCE, decision("Other", literal("1")))
BROKEN = parsed(data("Age"), decision("A", literal("Age +"), "Age"))
CIRCULAR = parsed(decision("A", literal("B + 1"), "DB"), decision("B", literal("A + 1"), "DA"))


@pytest.mark.parametrize(
    ("model", "cases", "name", "error", "message"),
    [
        (TWO_TOPS, {"Age": [1], "Base Price": [1]}, None, FormatError,
         r"m.dmn: the model has 2 decisions that no other one requires \('Premium', 'Other'\);"
         r" choose one with table=… \(--table …\)$"),
        (TWO_TOPS, {"Age": [1]}, "Prem", FormatError,
         "m.dmn: unknown decision 'Prem'; did you mean 'Premium'"),
        (TWO_TOPS, {"Age": [1]}, "Premium", DataError,
         "the table must have a column 'Base Price', which decision 'Premium' requires"),
        (TWO_TOPS, np.array([[1, 2]]), "Premium", DataError, "the columns of the table must have"),
        (BROKEN, {"Age": [1]}, None, FormatError,
         r"m.dmn, line 1: the expression 'Age \+': expected a value"),
        (CIRCULAR, [{"x": 1}], "A", FormatError, "m.dmn: decision 'A' must not require itself"),
        (parsed(data("Age")), {"Age": [1]}, None, FormatError, ".*no decision table"),
    ],
)  # fmt: skip
def test_errors_of_models_say_what_to_do(model, cases, name, error, message):
    with pytest.raises(error, match=f"^{message}"):
        model.predict(cases, table=name)


def test_decisions_that_require_themselves_are_warned_of():
    assert [str(note) for note in CIRCULAR.warnings] == [
        "m.dmn, line 1: decision 'A' requires itself",
        "m.dmn, line 1: decision 'B' requires itself",
    ]


def ages(policy, first="1", second="2", **options):
    return table(["Age"], [("> 18", first), ("> 20", second)], policy=policy, **options)


RANKED = {"extra": '<outputValues><text>"a", "b"</text></outputValues>'}
DEFAULT = {"extra": "<defaultOutputEntry><text>Age</text></defaultOutputEntry>"}
INVOCATION = (
    f"<invocation>{literal('twice of')}<binding><parameter name='n'/>{literal('Age')}</binding>"
    "</invocation>"
)
RELATION = (
    "<relation><column name='x'/><column name='y'/>"
    f"<row>{literal('1')}{literal('Age')}</row></relation>"
)


@pytest.mark.parametrize(
    ("logic", "expected"),
    [
        (literal('if Age > 18 then "adult" else "minor"'), "adult"),
        (context(("twice", literal("Age * 2")), result=literal("twice + 1")), 61),
        (context(("a b", literal("Age")), ("c", literal("a b + 1"))), {"a b": 30, "c": 31}),
        (f"<list>{literal('1')}{literal('Age')}</list>", [1, 30]),
        (RELATION, [{"x": 1, "y": 30}]),
        (INVOCATION, 60),
        (literal("twice of(Age)"), 60),
        (literal("twice of(n: Age)"), 60),
        (literal("twice of(Age, 1)"), None),
        (boxed("conditional", if_="Age > 40", then="1", else_="2"), 2),
        (boxed("for", "i", in_="[1, 2]", return_="i * Age"), [30, 60]),
        (boxed("filter", in_="[20, 40]", match="item > Age"), [40]),
        (boxed("some", "i", in_="[1, 2]", satisfies="i > 1"), True),
        (boxed("every", "i", in_="[1, 2]", satisfies="i > 1"), False),
        (table(["Age"], [("> 18", '"a"', "Age + 1")], outputs=("x", "y")), {"x": "a", "y": 31}),
        (ages("UNIQUE"), None),
        (ages("ANY", "1", "1"), 1),
        (ages("ANY"), None),
        (ages("FIRST"), 1),
        (ages("RULE ORDER"), [1, 2]),
        (ages("C+", "0.1", "0.2"), 0.3),
        (ages("C#", "1", "1"), 2),
        (table(["Age"], [("> 40", "1")], policy="COLLECT"), []),
        (table(["Age"], [("> 40", "1")], policy="RULE ORDER"), None),
        (ages("PRIORITY", '"b"', '"a"', **RANKED), "a"),
        (ages("OUTPUT ORDER", '"b"', '"a"', **RANKED), ["a", "b"]),
        (table(["Age"], [("> 40", "1")], **DEFAULT), 30),
        ("", None),
    ],
)
def test_every_kind_of_logic_is_evaluated(logic, expected):
    twice = knowledge("twice of", ["n"], literal("n * 2"))
    model = parsed(data("Age"), twice, decision("Top", logic, "Age"), decision("Z", ""))
    assert model.predict([{"Age": 30}], table="Top").tolist() == [expected]


def test_results_and_columns_have_the_form_of_their_types():
    items = item("tOne", "number"), item("tMany", "number", many=True)
    one = decision("One", literal("[5]"), kind="tOne")
    model = parsed(*items, one, decision("Many", literal("5"), kind="tMany"))
    assert model.predict([{"x": 1}], table="One").tolist() == [5]
    assert model.predict([{"x": 1}], table="Many").tolist() == [[5]]
    # columns with dots are components
    person = item("tPerson", parts=[("born", "date"), ("years", "number")])
    later = decision("A", literal('P.born + duration("P1Y") * P.years'), "P")
    model = parsed(person, data("P", "tPerson"), later, decision("B", ""))
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


def test_imported_knowledge_and_inputs_are_evaluated(tmp_path):
    plus = knowledge("add one", ["n"], literal("n + 1"))
    twice = decision("Twice", literal("Age * 2"), "Age")
    (tmp_path / "other.dmn").write_text(document(plus, data("Age"), twice, namespace="urn:o"))
    link = '<import name="lib" namespace="urn:o" locationURI="other.dmn" importType="dmn"/>'
    top = decision("Top", literal("lib.add one(Age)"), "Age")
    model = parsed(link, data("Age"), top, path=tmp_path / "m.dmn")
    assert model.predict([{"Age": 5}]).tolist() == [6]
    logic = decision("Top", literal("lib.Twice + lib.Age"))
    model = parsed(link, logic, path=tmp_path / "m.dmn")
    for case in ({"lib.Age": 5}, {"lib": {"Age": 5}}):
        assert model.predict([case]).tolist() == [15]


def test_models_that_import_each_other_are_read(tmp_path):
    for name, other in (("a", "b"), ("b", "a")):
        link = f'<import name="x" namespace="urn:{other}" locationURI="{other}.dmn"/>'
        text = document(link, decision("Top", literal("1 + 1")), namespace=f"urn:{name}")
        (tmp_path / f"{name}.dmn").write_text(text)
    assert irenic.parse(tmp_path / "a.dmn").predict([{"x": 1}]).tolist() == [2]


def test_decisions_see_only_what_they_require():
    hidden = decision("A", literal("[Age, Sex]"), "Age")
    model = parsed(data("Age"), data("Sex"), hidden, decision("B", literal("Sex"), "Sex"))
    assert model.predict([{"Age": 1, "Sex": 2}], table="A").tolist() == [[1, None]]
    # unless nothing says what it requires
    model = parsed(data("Age"), decision("A", literal("Age")), decision("B", literal("1")))
    assert model.predict([{"Age": 1}], table="A").tolist() == [1]


def test_priorities_come_from_the_type_of_the_output():
    logic = table(["Age"], [("> 1", '"a"'), ("> 2", '"b"')], policy="PRIORITY")
    grade = item("tGrade", "string", allowed='"b", "a"')
    top = decision("A", logic, "Age", kind="tGrade")
    model = parsed(grade, data("Age"), top, decision("B", ""))
    cases = [{"Age": 5}, {"Age": 2}]
    assert model.predict(cases, table="A").tolist() == ["b", "a"]
    assert model.open_to_missing("A").predict(cases).tolist() == ["b", "a"]


def test_outcomes_of_a_single_table_are_evaluated():
    rows = [("> 1", "Age * 2"), ("<= 0", ""), ("(0..1]", "null")]
    model = parsed(data("Age"), decision("A", table(["Age"], rows), "Age"))
    assert model.predict([{"Age": 3}, {"Age": 0}, {"Age": 1}]).tolist() == [6, None, None]


def test_tables_of_knowledge_models_are_decided_by_name():
    of_number = knowledge("k", [("n", "number")], table(["n"], [("> 1", '"a"')]))
    model = parsed(of_number, *INSURANCE)
    assert model.predict({"n": [2, 0]}, table="k").tolist() == ["a", None]
    # parameters hide decisions of the same name
    of_risk = knowledge("k", [("Risk", "string")], table(["Risk"], [('"other"', "1")]))
    model = parsed(data("Age"), RISK, of_risk)
    assert model.bound(None).table("k").space["Risk"].values == ("other",)


def test_columns_of_lists_are_tested_by_functions():
    numbers = item("tL", "number", many=True), data("L", "tL")
    rows = [("list contains(?, 5)", '"a"'), ("not(list contains(?, 5))", '"b"'), ("-", '"c"')]
    model = parsed(*numbers, decision("A", table(["L"], rows, policy="FIRST"), "L"))
    found = model.bound(None).table()
    assert found.space.names == ("list contains(L, 5)",)
    assert found.predict([{"L": [1, 5]}, {"L": [1]}]).tolist() == ["a", "b"]
    assert irenic.check(found).of("never_fire")  # the last row: one of the first two holds
    # and literals are doubtful
    logic = table(["L"], [("[1, 2]", '"a"'), ("> 5", '"b"')], policy="FIRST")
    model = parsed(*numbers, decision("A", logic, "L"))
    assert [str(w).partition(": ")[2] for w in model.bound(None).warnings] == [
        f"table 'A', rule {n}, column 'L', {cell!r}: type 'tL' must be a single value, got a"
        " collection"
        for n, cell in enumerate(("[1, 2]", "> 5"), 1)
    ]
    assert model.decisions.decide("A", {"L": [1, 2]}) == "a"
    assert irenic.check(model.bound(None).table()).is_complete is False


# --- what tables pass to each other, and loose ends

NARROW = decision("Premium", table(["Risk"], [('"high"', "1"), ('"medium"', "2")]), "DRisk")


def test_the_outcomes_of_a_table_are_the_domain_of_the_next():
    _, premium = parsed(*INSURANCE).bind().tables
    assert premium.space["Risk"] == Categorical("Risk", ["high", "low"])
    assert irenic.check(premium).is_complete
    _, second = parsed(data("Age"), RISK, NARROW).bind().tables
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
    model = parsed(data("Age"), decision("Risk", logic, "Age"), NARROW)
    assert model.bound(None).tables[-1].space["Risk"].other


AGE_AND_SEX = (data("Age"), data("Sex"))
LOOSE_ENDS = {
    "decision 'A' requires 'lost', which the model lacks": (decision("A", literal("1"), "lost"),),
    "input data 'Color' is not used": (*INSURANCE, data("Color")),
    "decision 'A' has no logic, so that its outcome is null": (*INSURANCE, decision("A", "")),
    "decision 'A' requires input data 'Sex', but does not use it": (
        *AGE_AND_SEX, decision("A", literal("Age"), "Age", "Sex"),
    ),
    "decision 'A' uses input data 'Sex', but does not require it": (
        *AGE_AND_SEX, decision("A", literal("Age + Sex"), "Age"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("message", LOOSE_ENDS)
def test_loose_ends_are_findings(message):
    elements = LOOSE_ENDS[message]
    alone = decision("Alone", table(["n"], [("< 5", '"a"'), (">= 5", '"b"')]))
    tables = parsed(*elements, alone).bound(None)
    assert tables.warnings == []
    found = [f for t in tables.tables for f in irenic.check(t).of("model")]
    assert [(f.text, f.level, f.line, f.rules) for f in found] == [(message, "warning", 1, ())]
    # a model without a table has no findings
    if not any("decisionTable" in element for element in elements):
        assert [str(note) for note in parsed(*elements).warnings] == [f"m.dmn, line 1: {message}"]


def test_loose_ends_belong_to_the_table_of_their_decision():
    fee = decision("Fee", PREMIUM_TABLE, "Sex", "DRisk")
    tables = parsed(*INSURANCE, data("Sex"), data("Lost"), fee).bound(None)
    assert {t.name: [text for _, text in t.provenance.loose_ends] for t in tables.tables} == {
        "Risk": ["input data 'Lost' is not used"],
        "Premium": [],
        "Fee": ["decision 'Fee' requires input data 'Sex', but does not use it"],
    }
    # connected models have none
    tables = parsed(*INSURANCE).bound(None)
    assert (tables.warnings, [t.provenance.loose_ends for t in tables.tables]) == ([], [(), ()])
    # names in texts, components and longer names are not uses
    quoted = decision("A", literal('"Sex" + string(Age Group.Sex)'), "Age_Group")
    own = decision("B", literal("Sex"), "Sex")
    assert parsed(data("Age Group"), data("Sex"), quoted, own).warnings == []


def test_models_without_decisions_are_still_read():
    model = parsed(data("Age"))
    assert isinstance(model.decisions, Decisions)
    assert replace(model, name="x").decisions is model.decisions


# --- missing values: predict, SQL, Python source and FEEL agree

NUMBERS = ["-", "< 5", ">= 5", "[2..7]", "not(5)", "not(< 5)", "null", "not(null)", "5, null"]
TEXTS = ["-", '"DE", "AT"', 'not("DE", "AT")', '"DE"', 'not("DE")', "null", 'not("DE", null)']
FLAGS = ["-", "true", "false", "not(true)", "null"]
VALUES = {"n": [None, 2, 5, 8], "c": [None, "DE", "AT", "FR"], "f": [None, True, False]}
KINDS = {"n": "number", "c": "string", "f": "boolean"}


@st.composite
def tables_with_missing_values(draw):
    """Draw a table in which null is tested or not, under a policy by which one row decides."""
    row = st.tuples(*map(st.sampled_from, (NUMBERS, TEXTS, FLAGS, ['"x"', '"y"'])))
    rows = draw(st.lists(row, min_size=1, max_size=4))
    return table(list(VALUES), rows, policy=draw(st.sampled_from(["FIRST", "ANY"])))


@given(tables_with_missing_values())
def test_missing_values_are_decided_alike_everywhere(logic):
    pa = pytest.importorskip("pyarrow")
    model = parsed(*(data(name, KINDS[name]) for name in VALUES), decision("D", logic, *VALUES))
    opened = model.open_to_missing()
    cases = [
        {"n": n, "c": c, "f": f} for n in VALUES["n"] for c in VALUES["c"] for f in VALUES["f"]
    ]
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
    expected = ["foreign desk", "home desk", "foreign desk"]
    cases = {"country": [None, "DE", "FR"]}
    assert model.predict(cases).tolist() == expected
    assert [made(to_python(opened))({"country": c}) for c in cases["country"]] == expected
    assert in_sqlite(to_sql(opened, "cases", dialect="sqlite"), cases) == expected


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
