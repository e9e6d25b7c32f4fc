"""Cells that name other data or call functions, compared with FEEL on every point of a grid."""

from __future__ import annotations

import pickle
from itertools import product

import hypothesis.strategies as st
import pytest
from dmn_models import data as input_data
from dmn_models import decision, item, parsed
from dmn_models import table as decision_table
from hypothesis import given

import irenic
from irenic import DataError, FormatError
from irenic.formats.feel.expressions import parse_tests
from irenic.formats.feel.values import to_feel


def table_of(columns, rows, *, data=None, policy="COLLECT"):
    """Return one table; a column is (name, type), a row its cells and its outcome."""
    inputs = [input_data(name, kind) for name, kind in (columns if data is None else data)]
    logic = decision("D", decision_table(columns, rows, policy=policy))
    return parsed(item("tList", "number", many=True), *inputs, logic).bound(None).table()


def holding(columns, rows, case):
    """Return the rows that hold for a case according to FEEL, cell by cell."""
    names = [name for name, _ in columns]
    scope = to_feel(case)
    return tuple(
        place
        for place, row in enumerate(rows)
        if all(
            parse_tests(cell, case).holds(scope[name], scope)
            for name, cell in zip(names, row, strict=False)
        )
    )


XY = [("x", "number"), ("y", "number")]
WHOLE = [("x", "integer"), ("y", "integer")]
MIXED = [("x", "integer"), ("y", "number")]
LITERALS = ["-", "< 1", ">= 2", "[1..3]", "2", "not(2)", "(0..2), 3", "> 0"]
ON_X = [
    *LITERALS,
    "< y",
    "<= y",
    "y",
    "not(y)",
    ">= y",
    "> y",
    "[y..3]",
    "(0..y]",
    "!= y",
    "< y, y",
]
ON_Y = [*LITERALS, "< x", "x", ">= x", "[0..x)"]
OPAQUE = ["< y * 2", "even(?)", "not(even(?))", "y, 3", "? + y > 2", "not(< y * 2)", "[y..y + 1]"]
# Two values at least between the literals, and below and above them.
GRID = [-1, -0.5, 0, 0.25, 0.5, 1, 1.25, 1.5, 2, 2.25, 2.5, 3, 3.5, 4]
INTEGERS = [-2, -1, 0, 1, 2, 3, 4, 5]


def tables(on_x, on_y=tuple(ON_Y)):
    row = st.tuples(st.sampled_from(on_x), st.sampled_from(on_y), st.sampled_from(['"a"', '"b"']))
    return st.lists(row, min_size=1, max_size=4)


@pytest.mark.parametrize(("columns", "grid"), [(XY, GRID), (WHOLE, INTEGERS)])
@given(rows=tables([*ON_X, *OPAQUE]))
def test_rows_hold_where_feel_says_so(columns, grid, rows):
    if columns is XY and any("even" in cell for row in rows for cell in row):
        grid = INTEGERS  # even() of other numbers is undefined
    cases = [{"x": x, "y": y} for x, y in product(grid, grid)]
    held = [holding(columns, rows, case) for case in cases]
    assert table_of(columns, rows).decide(cases) == held
    if columns is WHOLE:  # opaque conditions may be true or false
        findings = irenic.check(table_of(columns, rows, policy="ANY"))
        assert all(held) or not findings.is_complete
        outcomes = [{rows[place][-1] for place in here} for here in held]
        assert max(map(len, outcomes)) <= 1 or not findings.is_consistent


@pytest.mark.parametrize(
    ("columns", "grid", "other"),
    [(XY, GRID, GRID), (WHOLE, INTEGERS, INTEGERS), (MIXED, INTEGERS, GRID)],
)
@given(rows=tables(ON_X))
def test_comparisons_are_checked_exactly_and_read_back(columns, grid, other, rows):
    table = table_of(columns, rows, policy="ANY")
    findings = irenic.check(table)
    cases = [{"x": x, "y": y} for x, y in product(grid, other)]
    held = [holding(columns, rows, case) for case in cases]
    outcomes = [{rows[place][-1] for place in here} for here in held]
    assert findings.is_complete == all(held)
    assert findings.is_consistent == all(len(here) <= 1 for here in outcomes)
    never = {place for place in range(len(rows)) if not any(place in h for h in held)}
    assert set(table.never_hold) <= never
    alone = table_of(columns[:1], [(r[0], r[2]) for r in rows], data=columns)
    back = irenic.parse(irenic.dumps(alone, format="dmn"), format="dmn").bound(None).table()
    assert back.rules == alone.rules
    assert back.predict(cases).tolist() == alone.predict(cases).tolist()


def test_a_comparison_is_one_feature_whichever_side_it_is_written_on():
    rows = [("> y", "-", '"a"'), ("-", "> x", '"b"'), ("y", "-", '"c"')]
    table = table_of(XY, rows, policy="UNIQUE")
    assert table.space.names == ("x compared with y",)
    assert [str(rule) for rule in table.rules] == [
        'IF "x compared with y" in {greater} THEN a',
        'IF "x compared with y" in {less} THEN b',
        'IF "x compared with y" in {equal} THEN c',
    ]
    findings = irenic.check(table)
    assert (findings.is_complete, findings.is_consistent) == (True, True)


def test_literals_rule_out_comparisons():
    rows = [("< 5", ">= 5", '"a"'), ("> y", "-", '"b"'), ("<= y", "< 5", '"c"'),
            ("[5..9], > 9", ">= 5", '"d"')]  # fmt: skip
    table = table_of(XY, rows, policy="ANY")
    findings = irenic.check(table)
    assert [f.rules for f in findings.of("conflicts")] == [(1, 3)]
    assert findings.is_complete
    assert table.space.impossible  # x < 5 and y >= 5 and x >= y


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("> limit * 2", "x > limit * 2"),
        ("listed", "x in (listed)"),
        ("not(listed)", "x in (listed)"),
        ('contains(string(?), "?")', 'contains(string(x), "?")'),
        ("limit, 3", "x in (limit, 3)"),
        ("< limit, > other", "x in (< limit, > other)"),
        ("word", "x in (word)"),  # a value of another type
    ],
)
def test_opaque_conditions_are_named_after_their_expressions(cell, name):
    data = [("x", "number"), ("limit", "number"), ("other", "number"), ("listed", "tList")]
    data.append(("word", "string"))
    table = table_of([("x", "number")], [(cell, '"a"'), ("< 0", '"b"')], data=data)
    assert table.space.names == ("x", name)
    assert set(table.computed) == {name}


@pytest.mark.parametrize("cell", ["> unknown", "foo(?)", "> limit +", "limit limit"])
def test_unknown_names_are_still_errors(cell):
    data = [("x", "number"), ("limit", "number")]
    with pytest.raises(FormatError, match=r"rule 1, column 'x'"):
        table_of([("x", "number")], [(cell, '"a"')], data=data)


def test_booleans_are_equal_or_different():
    data = [("x", "boolean"), ("y", "boolean")]
    table = table_of([data[0]], [("y", '"a"'), ("not(y)", '"b"')], data=data, policy="UNIQUE")
    assert table.predict([{"x": True, "y": False}]).tolist() == ["b"]
    assert irenic.check(table).is_complete


def test_a_missing_value_cannot_be_compared():
    table = table_of([("x", "number")], [("> y", '"a"')], data=XY)
    with pytest.raises(DataError, match=r"column 'x compared with y', row 1: the value is missing"):
        table.predict([{"x": 1, "y": None}])


def test_branches_cannot_represent_functions():
    table = table_of(XY, [("even(?)", "-", '"a"'), ("< y * 2", "-", '"a"')], policy="ANY")
    message = (
        r"branches cannot represent the condition 'even\(x\)', which is computed from other"
        " columns; write .dmn, or decide with irenic predict"
    )
    for export in (irenic.to_sql, irenic.to_python):
        with pytest.raises(FormatError, match=message):
            export(table)


def test_tables_with_computed_features_are_pickled():
    rows = [("> y", '"a"'), ("even(?)", '"b"'), ("-", '"c"')]
    table = table_of([("x", "number")], rows, data=XY)
    copy = pickle.loads(pickle.dumps(table))
    cases = [{"x": x, "y": y} for x, y in product(INTEGERS, INTEGERS)]
    assert copy.predict(cases).tolist() == table.predict(cases).tolist()


def test_input_expressions_are_computed():
    data = [("x", "number"), ("y", "number")]
    table = table_of([("x + y", "number")], [("> 5", '"a"'), ("<= 5", '"b"')], data=data)
    assert table.predict([{"x": 3, "y": 3}, {"x": 1, "y": 1}]).tolist() == [["a"], ["b"]]
    # or given, as a column of that name
    assert table.predict([{"x + y": 9}]).tolist() == [["a"]]
