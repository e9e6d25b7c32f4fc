"""Rows that can never hold, and everything else in a table, are kept or reported as left out."""

from __future__ import annotations

import json
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

import irenic
import naive_cells
from bound import loads_csv, loads_dmn, loads_xlsx, run
from irenic import Categorical, Continuous, DecisionTable, FormatWarning, Rule, RuleSet, Space
from irenic.formats.dmn import writing as dmn_writing
from irenic.formats.feel.sets import bits, feel_text, select
from irenic.formats.feel.unary_tests import parse
from irenic.formats.sheets.writing import dumps_csv, dumps_xlsx

AGES = 'age,job,then\n< 18,-,A\n[10..5],nurse,B\n">= 18 and < 30",-,C\n'
WHY = "column 'age' requires [10..5], which no value satisfies"
LEFT_OUT = f"rule 2 can never hold and is left out: {WHY}"
UNDECLARED = [
    "what is known about 'age', 'job' beyond the rules (such as whole numbers, units, bounds and"
    " allowed values) is left out; .json keeps it",
]


def facts(table):
    return (table.rules, table.rows, table.n_rows, table.never_hold, table.provenance.reasons)


def read_back(table):
    """Return a table written in each format of tables and read again with its space."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", FormatWarning)
        texts = dumps_csv(table), dumps_xlsx(table), dmn_writing.dumps(table).encode()
    found = [
        loads_csv(texts[0], space=table.space),
        loads_xlsx(texts[1], space=table.space),
        loads_dmn(texts[2]),
    ]
    assert [one.errors for one in found] == [[], [], []]
    return [one.tables[0] for one in found]


def assert_kept(table):
    for back in read_back(table):
        assert facts(back)[:4] == facts(table)[:4]
        assert [row for row, _ in back.provenance.reasons] == [
            row for row, _ in table.provenance.reasons
        ]
        for name in ("then", "weight"):
            kept = [getattr(row, name) for row in table.provenance.unsatisfiable]
            assert [getattr(row, name) for row in back.provenance.unsatisfiable] == kept


@pytest.mark.parametrize("cells", [
    ["[10..5]"], ["5", "[10..5]", "7"], ["< 5 and > 7"], ['"? > 5 and ? < 3"', "9"],
    ['"not(< 5, >= 5)"'], ['"1, [10..5]"', '"[9..8], [3..2]"'], ["? in (> 7 and < 3) and ? in (1)"],
    ["[2021-01-01..2020-01-01]", "> 2020-01-01"], ["[1.125..1.124]"],
])  # fmt: skip
def test_a_row_that_never_holds_is_written_back(cells):
    table = loads_csv(("a,b,then\n" + "".join(f"{c},x,A\n" for c in cells)).encode()).tables[0]
    assert table.never_hold
    assert_kept(table)


def test_rows_outside_the_space_are_written_back():
    space = Space([Continuous("age", bounds=(0, 120)), Categorical("job", ["nurse", "cook"])])
    text = "age,job,RULE WEIGHT,then\n>= 200,-,0.5,A\n5,clerk,,B\n7,-,,C\n"
    table = loads_csv(text.encode(), space=space).tables[0]
    assert table.never_hold == (0, 1)
    written = text.replace("5,clerk,,B", '5,"""clerk""",1,B').replace("7,-,,C", "7,-,1,C")
    assert dumps_csv(table) == written
    assert [kept.weight for kept in table.provenance.unsatisfiable] == [0.5, 1.0]
    assert_kept(table)


@given(st.data())
def test_the_text_of_a_test_selects_the_same_values(data):
    kind = data.draw(st.sampled_from(list(naive_cells.NAMED)))
    test = parse(data.draw(naive_cells.cells(kind)).text)
    back = parse(feel_text(test))
    if kind in naive_cells.ORDERED:
        feature = Continuous("f", kind=kind, missing=True)
        assert select(feature, back) == select(feature, test)
    else:
        feature = Categorical("f", naive_cells.NAMED[kind], missing=True, other=kind == "text")
        assert bits(feature, back) == bits(feature, test)


MODEL = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" name="m">
  <decision name="Fee"><decisionTable hitPolicy="{policy}">
    <input><inputExpression typeRef="number"><text>age</text></inputExpression>
      <inputValues><text>{values}</text></inputValues></input>
    <output name="fee"/><output name="why"/>{more}
    <rule><inputEntry><text>7</text></inputEntry><outputEntry><text>1</text></outputEntry>
      <outputEntry><text>"x"</text></outputEntry>{note}</rule>
    <rule><inputEntry><text>&lt; 5</text></inputEntry><outputEntry><text>2</text></outputEntry>
      <outputEntry><text></text></outputEntry></rule>
    <rule><inputEntry><text>&lt; 5</text></inputEntry><outputEntry><text>2</text></outputEntry>
      <outputEntry><text></text></outputEntry></rule>
  </decisionTable></decision></definitions>"""


def model(values="[0..6]", policy="ANY", note="", more=""):
    text = MODEL.format(values=values, policy=policy, note=note, more=more)
    return loads_dmn(text.encode()).tables[0]


@pytest.mark.parametrize("policy", ["ANY", "UNIQUE", "FIRST", "COLLECT", "RULE ORDER", "PRIORITY"])
def test_duplicates_and_empty_outcomes_are_kept_under_any_policy(policy):
    table = model(policy=policy)
    assert (table.n_rows, table.never_hold, len(table.rules)) == (3, (0,), 2)
    for back in read_back(table):
        assert (back.n_rows, len(back.never_hold)) == (3, 1)
        assert policy != "ANY" or facts(back)[:4] == facts(table)[:4]


def test_a_table_in_which_no_row_can_hold():
    assert model(values="&lt; 0").never_hold == (0,)
    assert model(values="[10..20]").never_hold == (0, 1, 2)
    table = loads_csv(b"a,b,c\n[5..3],1,2\n", target=["b", "c"]).tables[0]
    for back in read_back(table):
        assert (back.n_rows, back.never_hold) == (1, (0,))
        assert back.provenance.unsatisfiable[0].then == (1, 2)


def losses_of(call):
    """Return what warnings say is left out, each attributed to this file."""
    with pytest.warns(FormatWarning) as told:
        call()
    assert told[0].filename == __file__
    return [str(one.message) for one in told]


def test_rows_whose_cells_are_not_known_are_left_out_with_a_warning(tmp_path):
    table = model(values="[0..6], [8..9]")  # a row in a gap of the domain
    assert (table.never_hold, table.provenance.unsatisfiable) == ((0,), ())
    reason = "column 'age' requires 7, which cannot occur (possible: <= 6, >= 8)"
    for suffix in (".dmn", ".csv", ".xlsx", ".json"):
        path = tmp_path / f"x{suffix}"
        losses = losses_of(lambda path=path: irenic.write(table, path))
        assert losses == [f"{path}: rule 1 can never hold and is left out: {reason}"]
    path = tmp_path / "y.csv"
    table = DecisionTable(RuleSet([Rule({"age": (0, 5)}, then="A")]), rows=(1,), n_rows=3)
    assert losses_of(lambda: irenic.write(table, path)) == [
        f"{path}: rule {n} can never hold and is left out" for n in (1, 3)
    ]


# --- formats that cannot represent such rows


@pytest.fixture
def ages(tmp_path):
    path = tmp_path / "ages.csv"
    path.write_text(AGES)
    return path


@pytest.mark.parametrize("suffix", [".json", ".txt", ".rules", ".sql", ".py"])
def test_files_of_rules_leave_them_out_with_a_warning(suffix, ages, tmp_path):
    table = irenic.parse(ages).bind().tables[0]
    out = tmp_path / f"x{suffix}"
    losses = [LEFT_OUT, *(UNDECLARED if suffix in (".txt", ".rules") else [])]
    assert losses_of(lambda: irenic.write(table, out)) == [f"{out}: {loss}" for loss in losses]
    out.unlink()
    found = run("convert", ages, out)
    assert found.exit_code == 0
    assert found.stderr == "".join(f"irenic: warning: {out}: {loss}\n" for loss in losses)


def test_rules_alone_leave_them_out_with_a_warning(ages):
    rules = []
    assert losses_of(lambda: rules.extend(irenic.read(ages))) == [f"{ages}: {LEFT_OUT}"]
    assert len(rules) == 2


@pytest.mark.parametrize("command", ["convert", "complete", "repair"])
def test_commands_keep_rows_that_never_hold(command, ages, tmp_path):
    for suffix in (".csv", ".xlsx", ".dmn"):
        out = tmp_path / f"out{suffix}"
        found = run(command, ages, out) if command == "convert" else run(command, ages, "-o", out)
        assert found.stderr == ""
        table = irenic.parse(out).bind().tables[0]
        assert [words for _, words in table.provenance.reasons] == [WHY]
        assert len(table.never_hold) == 1
    if command != "convert":  # or warn about them
        shown, found = run(command, ages), run(command, ages, "--json")
        assert "never" not in shown.stdout
        for result in (shown, found):
            assert f"can never hold and is left out: {WHY}" in result.stderr
        json.loads(found.stdout)


def test_merge_warns_about_omitted_rows(ages, tmp_path):
    found = run("merge", ages, "-o", tmp_path / "out.csv")  # nothing shrinks
    assert (tmp_path / "out.csv").read_bytes() == ages.read_bytes()
    assert "left out" not in found.stdout
    text = "age,then\n< 5,A\n[10..5],B\n[5..9),A\n"
    ages.write_text(text)
    run("merge", ages, "-o", tmp_path / "out.csv")  # an edited file keeps the row
    assert irenic.parse(tmp_path / "out.csv").bind().tables[0].never_hold == (1,)
    found = run("merge", ages, "-o", tmp_path / "out.json")
    assert found.stdout.splitlines()[0] == LEFT_OUT


def test_a_repair_renumbers_rows():
    text = "n,then\n[0..9],A\n[5..9],B\n[9..5],C\n"
    table = loads_csv(text.encode()).tables[0]
    mended = irenic.repair(table).table
    assert (mended.n_rows, mended.never_hold) == (2, (1,))
    assert mended.provenance.reasons == (
        (1, "column 'n' requires [9..5], which no value satisfies"),
    )
    assert [kept.row for kept in mended.provenance.unsatisfiable] == [1]


# --- annotations

NOTE = "<annotationEntry><text>because</text></annotationEntry>"


def test_models_keep_annotations_and_other_files_warn(tmp_path):
    path = tmp_path / "m.dmn"
    more = '<annotation name="n"/><annotation name="a &lt; b"/>'
    note = f"<description>accept: gap&#10;first</description>{NOTE}"
    text = MODEL.format(values="[0..9]", policy="ANY", more=more, note=NOTE)
    text = text.replace("<rule>", f"<rule>{note.removesuffix(NOTE)}", 1)
    path.write_text(text)
    table = irenic.parse(path).bind().tables[0]
    notes = ((None, ((0, "first"),)), ("n", ((0, "because"),)), ("a < b", ()))
    assert table.provenance.annotations == notes
    out = tmp_path / "out.dmn"
    irenic.write(table, out)  # a warning would be an error
    written = irenic.parse(out).bind().tables[0]
    assert written.provenance.annotations == notes
    assert written.provenance.accepts == table.provenance.accepts
    out = tmp_path / "x.csv"
    shown = run("convert", path, out).stderr
    assert f"irenic: warning: {out}: 2 annotations are left out\n" in shown
    assert run("check", path).stderr == ""
    assert irenic.repair(table).table.provenance.annotations[1] == ("n", ((0, "because"),))


def test_a_text_file_leaves_out_names_of_outcomes():
    table = loads_csv("a,b,c\n< 5,1,2\n", target=["b", "c"]).tables[0]
    message = "the name of the outcome, 'b', 'c', is left out; .json keeps it"
    assert losses_of(lambda: irenic.dumps(table, format="txt"))[0] == message


EXPRESSION = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" namespace="urn:m">
  <inputData id="i" name="a"><variable name="a" typeRef="number"/></inputData>
  <decision id="d" name="Fare"><variable name="Fare" typeRef="string"/>
    <informationRequirement><requiredInput href="#i"/></informationRequirement>
    <decisionTable hitPolicy="UNIQUE">
      <input><inputExpression typeRef="number"><text>a * 2</text></inputExpression></input>
      <output name="then"><outputValues><text>"half", "full"</text></outputValues></output>
      <rule><inputEntry><text>&lt; 18</text></inputEntry>
        <outputEntry><text>"half"</text></outputEntry></rule>
    </decisionTable></decision></definitions>"""


def test_expressions_and_allowed_outcomes_are_not_lost_in_silence():
    table = irenic.parse(EXPRESSION, format="dmn").bind().table()
    for form in ("csv", "xlsx", "json", "sql", "py"):
        assert losses_of(lambda form=form: irenic.dumps(table, format=form)) == [
            "how 'a * 2' is computed from other inputs is left out; it is an input itself",
            "that full would be allowed, although no rule says so, is left out",
        ]
    assert irenic.dumps(table, format="dmn")  # without a warning
