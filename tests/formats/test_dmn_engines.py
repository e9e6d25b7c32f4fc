"""DMN models as process engines accept them: other languages, variables, types that do not fit."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys

import pytest
from dmn_models import data, item, model

import irenic
from bound import loads_dmn
from irenic import FormatError
from irenic.formats import edited
from irenic.formats.dmn._languages import as_feel, language_of


def read(*columns, rows, declared="", **options):
    """Return the tables of a model whose cells are as wide as its columns."""
    text = model([*columns], rows, **options)
    if declared:
        text = text.replace("<definitions ", f'<definitions expressionLanguage="{declared}" ')
    return loads_dmn(text.encode())


def one(*columns, rows, **options):
    found = read(*columns, rows=rows, **options)
    assert found.errors == []
    return found.tables[0]


def told(found):
    return [str(warning) for warning in found.warnings]


FIRST = {"attributes": 'hitPolicy="FIRST"'}
A, B = ("a", "number"), ("b", "number")


# --- names that the model does not define


def test_unknown_names_are_conditions_on_other_data():
    rows = [("> limit", "1"), ("<= limit", "2")]
    found = read(A, rows=rows)
    table = found.tables[0]
    assert table.space.names == ("a compared with limit",)
    findings = irenic.check(table)
    assert (findings.is_consistent, findings.is_complete) == (True, True)
    assert told(found) == [
        "line 1: table 'D': cells use 'limit', which the model does not define, and are conditions"
        ' on such data; put text in quotes, as in "text"'
    ]
    assert table.predict([{"a": 3, "limit": 2}, {"a": 1, "limit": 2}]).tolist() == [1, 2]
    with pytest.raises(FormatError, match="'limit' needs a column 'limit'"):
        table.predict([{"a": 3}])
    # the way out
    assert told(read(("a", ""), rows=[('"limit"', "1")])) == []


def test_a_model_that_declares_its_data_may_use_no_other_names():
    rows = [("> limit", "1")]
    declared = data("a")
    assert "'limit' is a name" in str(read(A, rows=rows, before=declared).errors[0])
    assert len(one(A, rows=rows, before=declared + data("limit")).rules) == 1
    # other columns than the declared data: the model leaves names to its engine
    assert len(one(A, B, rows=[("> limit", "-", "1")], before=declared).rules) == 1


def test_columns_of_a_table_are_compared_exactly():
    table = one(A, B, rows=[("> b", "-", "1"), ("<= b", "< 5", "2"), ("-", ">= 5", "3")])
    [conflict] = irenic.check(table).of("conflicts")
    assert conflict.rules == (0, 2)
    assert irenic.check(table).is_complete
    assert '"a" > "b"' in irenic.dumps(one(A, B, rows=[("> b", "-", "1")]), format="sql")


def test_data_of_an_unknown_type_may_be_any_number():
    table = one(("a", "integer"), rows=[("< limit", "1"), ("= limit", "2"), ("> limit", "3")])
    assert irenic.check(table).is_consistent
    assert table.predict([{"a": 1, "limit": 1.5}, {"a": 2, "limit": 1.5}]).tolist() == [1, 3]
    both = one(("a", "integer"), ("b", "integer"), rows=[("limit", "limit", "1"), ("-", "-", "1")])
    assert irenic.check(both).is_complete
    assert both.predict([{"a": 1, "b": 1, "limit": 1}]).tolist() == [1]


def test_equal_expressions_are_compared_exactly():
    rows = [("> limit * 2", "1"), ("<= limit * 2", "2"), ("< f(limit)", "3")]
    table = one(A, rows=rows)
    assert table.space.names == ("a compared with limit * 2", "a < f(limit)")
    assert {f.rules for f in irenic.check(table).of("conflicts")} == {(0, 2), (1, 2)}
    table = one(A, rows=rows[:2])
    assert table.predict([{"a": 3, "limit": 1}, {"a": 2, "limit": 1}]).tolist() == [1, 2]
    with pytest.raises(FormatError, match="computed from other columns"):
        irenic.dumps(table, format="sql")


def test_what_may_be_text_is_refused():
    for cell in ("n/a", "late-night", "very good", "a1-b2"):
        assert "rule 1, column 'a'" in str(read(("a", "string"), rows=[(cell, "1")]).errors[0])
        assert len(one(("a", "string"), rows=[(f'"{cell}"', "1")]).rules) == 1


def test_an_input_without_an_expression_may_have_open_cells():
    for column in (("", "number"), ("${f.g}", "number")):
        table = one(column, rows=[("for x in 1..3 return x", "1"), ("> y", "2")], **FIRST)
        assert len(table.rules) == 2
        name = table.space.names[0].split(" in ")[0]
        with pytest.raises(FormatError, match="needs a column"):
            table.predict([{"z": 1}])
        assert table.predict([{name: 1, "y": 5}]).tolist() == [1]


# --- other languages


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("${a >= 10}", "? >= 10"),
        ("#{ a >= 0.4 && a < 0.75 }", "? >= 0.4 and ? < 0.75"),
        ("${cellInput eq 'gold' and a ne \"x\"}", '? = "gold" and ? != "x"'),
        ("${a == true}", "? = true"),
        ("${a > b}", None),
        ("${a > 3 || a < 1}", None),
        ("${a.b() > 3}", None),
        ("${b > 3}", None),
        ('${a == "${x}"}', None),
        ("${f(a)}", None),
    ],
)
def test_comparisons_in_other_languages_are_read_as_feel(text, same):
    assert language_of(text, "") == "JUEL"
    assert as_feel(text, "JUEL", ("a", "cellInput")) == same
    assert as_feel(text, "javascript", ("a", "cellInput")) is None


def test_languages_are_recognized():
    for text in (".startsWith('a')", "date:toDate('2015-01-01')", "#{x}", '== "a" ${x}'):
        assert language_of(text, "") == language_of(text, "FEEL") == "JUEL"
    for text in ('"${x}"', "{a: f(1)}", "a.b(1)", '"a:b(c)"', "[1..2]", "-"):
        assert language_of(text, "") == ""
    assert language_of("1", "http://www.omg.org/spec/juel") == "http://www.omg.org/spec/juel"


def test_tables_of_comparisons_in_other_languages_are_exact():
    rows = [('cellInput == "low"', "cellInput < 5", "1"), ('cellInput == "high"', "", "2")]
    table = one(("a", "string"), B, rows=rows, declared="juel")
    assert [str(rule) for rule in table.rules] == [
        "IF a in {low} AND b < 5 THEN 1",
        "IF a in {high} THEN 2",
    ]
    text = model([("a", "string"), B], rows).replace("<definitions ", "<definitions "
        'expressionLanguage="groovy" ')  # fmt: skip
    parsed = irenic.parse(text.encode(), format="dmn")
    assert parsed.decisions.decide("D", {"a": "low", "b": 3}) == 1


def test_a_column_can_be_named_in_its_cells():
    table = one(A, B, rows=[("a > 3 and a <= 7", "-", "1"), ("cellInput > 7", "b < 2", "2")])
    assert [str(rule) for rule in table.rules] == [
        "IF 3 < a <= 7 THEN 1",
        "IF a > 7 AND b < 2 THEN 2",
    ]


def test_other_conditions_in_other_languages_hold_or_not():
    rows = [("${f(a)}", "< 5", "1"), (".isEmpty()", "< 5", "2"), ("-", ">= 5", "3")]
    found = read(A, B, rows=rows, **FIRST)
    table = found.tables[0]
    assert table.space.names == ("b", "a: ${f(a)}", "a: .isEmpty()")
    assert told(found) == [
        "line 1: table 'D', rule 1, column 'a', '${f(a)}': 2 conditions in JUEL cannot be"
        " evaluated, and can hold or not in every case; write conditions in FEEL, as in >= 18"
    ]
    case = {"a": 1, "b": 2}
    with pytest.raises(FormatError, match="is in JUEL, which cannot be evaluated; add a column of"):
        table.predict([case])
    given = {"a: ${f(a)}": False, "a: .isEmpty()": True}
    assert table.predict([case | given]).tolist() == [2]
    with pytest.raises(FormatError, match="branches cannot represent"):
        irenic.dumps(table, format="py")
    again = loads_dmn(irenic.dumps(table, format="dmn").encode()).tables[0]
    assert again.rules == table.rules
    parsed = irenic.parse(model([A, B], rows, **FIRST).encode(), format="dmn")
    with pytest.raises(FormatError, match="must be in FEEL, got JUEL"):
        parsed.decisions.decide("D", case)


def test_a_table_in_another_language_has_one_error_and_others_are_read():
    bad = model([A, B], [("${x}", "-", "1"), ("${y}", "#{z}", "2")])
    bad = bad[bad.index("<decision ") : bad.index("</definitions")]
    text = model([A], [("1", "2")]).replace("</definitions>", f"{bad}</definitions>")
    found = loads_dmn(text.encode())
    assert [len(table.rules) for table in found.tables] == [1]
    assert [str(error) for error in found.errors] == [
        "line 1: table 'D', rule 1, column 'a', '${x}': conditions must be written in FEEL, as in"
        " >= 18, got JUEL"
    ]


# --- types


@pytest.mark.parametrize(("cell", "plural"), [("< 5", "numbers"), ("true", "booleans")])
def test_cells_say_the_kind_of_columns_of_text(cell, plural):
    found = read(("a", "string"), rows=[(cell, "1"), ("-", "1")])
    assert told(found) == [
        f"line 1: table 'D', column 'a': the cells are {plural}, although the column is text"
        f" according to typeRef string, and are read as {plural}; correct the typeRef"
    ]
    kind = plural.removesuffix("s")  # the way out
    assert told(read(("a", kind), rows=[(cell, "1"), ("-", "1")])) == []
    assert one(("a", kind), rows=[(cell, "1")]).space == found.tables[0].space


@pytest.mark.parametrize(
    ("kind", "text", "literal"),
    [
        ("date", "2026-01-31", "date"),
        ("time", "12:30:00", "time"),
        ("dateTime", "2026-01-31T12:30:00", "date and time"),
        ("dayTimeDuration", "P1DT12H", "duration"),
        ("yearMonthDuration", "P1Y2M", "duration"),
    ],
)
def test_literals_of_text_in_columns_of_dates_and_durations(kind, text, literal):
    [error] = read(("a", kind), rows=[(f'"{text}"', "1")]).errors
    assert str(error).endswith(f'; write {literal}("{text}"), or correct the type')
    assert len(one(("a", kind), rows=[(f'{literal}("{text}")', "1")]).rules) == 1


def test_constants_are_in_lower_case():
    for cell in ("TRUE", "False", "Null"):
        assert "is a name" in str(read(("a", "boolean"), rows=[(cell, "1")]).errors[0])
        assert len(one(("a", "boolean"), rows=[(cell.lower(), "1")]).rules) == 1


def test_mixed_columns_of_text_are_refused():
    for rows in ([("5", "1"), ('"a"', "2")], [("5", "1"), ("true", "2")]):
        [*_, error] = read(("a", "string"), rows=rows).errors
        assert "; quote it, or correct the type" in str(error)
    assert len(one(("a", "string"), rows=[('"5"', "1"), ('"a"', "2")]).rules) == 2


@pytest.mark.parametrize("kind", ["collection", "list", "list&lt;number&gt;"])
def test_collections_need_no_definition(kind):
    rows = [('list contains(?, "x")', "1"), ("${f(a)}", "2")]
    assert len(one(("a", kind), rows=rows).rules) == 2
    [warning] = told(read(("a", kind), rows=[('"x"', "1")]))
    assert "must be a single value, got a collection" in warning
    defined = item("collection", "number")
    assert one(("a", "collection"), rows=[("5", "1")], before=defined).space.names == ("a",)


def test_time_zones_need_no_colon():
    cells = ['time("19:00:00-0500")', 'date and time("2026-01-31T10:00:00.5+0100")']
    table = one(("t", "time"), ("d", ""), rows=[(*cells, "1")])
    assert str(table.space["d"].unit) == "UTC"
    zone = dt.timezone(dt.timedelta(hours=-5))
    moment = dt.datetime(2026, 1, 31, 9, 0, 0, 500_000, tzinfo=dt.UTC)
    assert table.predict([{"t": dt.time(19, tzinfo=zone), "d": moment}]).tolist() == [1]
    assert read(("t", "time"), rows=[('time("19:00:00-05")', "1")]).tables == []


# --- the interpreter

PLAIN = """
import sys, irenic
for text, form in ((%r, "dmn"), ("a,b\\n< 3,x\\n>= 3,y\\n", "csv")):
    assert irenic.parse(text.encode(), format=form).bind().tables
print([name for name in sys.modules if "interpreter" in name or "dmn._logic" in name])
"""


def test_tables_of_literals_do_not_need_the_interpreter():
    rows = [("> 3", '"x", not("y")', "1"), ("[1..3]", "-", '"z"')]
    program = PLAIN % model([A, ("b", "string", '"x", "y"')], rows)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("[]\n", "")


# --- editing


def test_rows_with_open_cells_are_edited_in_place(tmp_path):
    path = tmp_path / "m.dmn"
    note = "<annotationEntry><text>n</text></annotationEntry></rule>"
    rows = [("even(?)", "< 10", "1"), ("even(?)", "[10..15]", "1"), ("3", "> 15", "2")]
    text = model([A, B], rows).replace("</rule>", note)
    path.write_text(text)
    parsed = irenic.parse(path)
    table = parsed.bind().tables[0]
    text = edited(parsed, table, irenic.merge(table).table, command="c").decode()
    assert "<text>even(?)</text></inputEntry><inputEntry><text>&lt;= 15</text>" in text
    assert text.count("<annotationEntry><text>n</text>") == 2
