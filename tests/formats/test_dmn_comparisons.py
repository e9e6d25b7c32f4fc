"""Cells that name other data or call functions, compared with FEEL on every point of a grid."""

from __future__ import annotations

import pickle
from itertools import combinations, product

import hypothesis.strategies as st
import pytest
from dmn_models import data as input_data
from dmn_models import decision, item, parsed
from dmn_models import table as decision_table
from hypothesis import given
from test_python_source import made
from test_sql import in_duckdb, in_sqlite

import irenic
from irenic import DataError, FormatError
from irenic.formats.feel.interpreter import parse_tests, to_feel
from strategies import examples

# Three values at least between literals, and numbers between and beyond the integers.
NUMBERS = [-4.5, -3.5, -2.5, -1.5, -1, -0.5, 0, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3.5, 4.5, 5.5]
INTEGERS = [-3, -2, -1, 0, 1, 2, 3, 4]
TEXTS = ["", "f", "g", "k", "ka", "kb", "kc", "m", "n", "o"]
GRIDS = {"number": NUMBERS, "integer": INTEGERS, "string": TEXTS, "boolean": [False, True]}
ORDERS = ["<", "<=", "", "!=", ">=", ">"]


def model(columns, rows, *, data=None, domains=(), policy="COLLECT"):
    """Return a model; a column is (name, type), a row its cells and its outcome."""
    domains = dict(domains)
    parts = [item("tList", "number", many=True)]
    for name, kind in columns if data is None else data:
        parts += [
            item(f"t{name}", kind, allowed=domains.get(name, "")),
            input_data(name, f"t{name}"),
        ]
    known = [name for name, _ in data or columns]
    named = [(name, f"t{name}" if name in known else kind) for name, kind in columns]
    return parsed(*parts, decision("D", decision_table(named, rows, policy=policy)))


def table_of(*arguments, **options):
    return model(*arguments, **options).bound(None).table()


def holding(columns, rows, cases):
    """Return for each case the rows that hold according to FEEL, cell by cell."""
    asked = [
        [(name, parse_tests(cell, cases[0])) for (name, _), cell in zip(columns, row, strict=False)
         if cell != "-"]
        for row in rows
    ]  # fmt: skip
    scopes = map(to_feel, cases)
    return [
        tuple(
            place
            for place, tests in enumerate(asked)
            if all(test.holds(scope[name], scope) for name, test in tests)
        )
        for scope in scopes
    ]


def cases_of(columns, grids):
    names = [name for name, _ in columns]
    return [dict(zip(names, values, strict=True)) for values in product(*grids)]


def assert_exact(columns, rows, grids, domains=(), data=None):
    """Check the findings of a table against the rows that hold at each point of a grid."""
    table = table_of(columns, rows, domains=domains, data=data, policy="ANY")
    held = holding(columns, rows, cases_of(data or columns, grids))
    disagree = {
        pair for here in held for pair in combinations(here, 2)
        if rows[pair[0]][-1] != rows[pair[1]][-1]
    }  # fmt: skip
    findings = irenic.check(table)
    assert findings.is_complete == all(held)
    assert {f.rules for f in findings.of("conflicts")} == disagree
    never = {finding.rules for finding in findings.of("never_fire")}
    assert never == {(i,) for i in range(len(rows)) if not any(i in h for h in held)}
    return table


def cells(kind, others, literals):
    plain = ["", "!="]
    with_others = plain if kind == "boolean" else ORDERS
    with_literals = ORDERS if kind in ("number", "integer") else plain
    texts = [f"{order} {name}".strip() for order in with_others for name in others]
    texts += [f"{order} {literal}".strip() for order in with_literals for literal in literals]
    return st.sampled_from(["-", *texts])


def tables(columns, literals, *more):
    """Draw rows of a table; more are further cells of its columns."""
    names = [name for name, _ in columns]
    drawn = [cells(kind, [n for n in names if n != name], literals) for name, kind in columns]
    for place, texts in enumerate(more):
        drawn[place] |= st.sampled_from(texts)
    return st.lists(st.tuples(*drawn, st.sampled_from(['"x"', '"y"'])), min_size=1, max_size=4)


# --- two numbers

XY = [("x", "number"), ("y", "number")]
WHOLE = [("x", "integer"), ("y", "integer")]
MIXED = [("x", "integer"), ("y", "number")]
LITERALS = ["[1..3]", "2", "not(2)", "(0..2), 3"]
ON_X = [*LITERALS, "not(y)", "[y..3]", "(0..y]", "< y, y"]
ON_Y = [*LITERALS, "[0..x)"]
OPAQUE = ["< y * 2", "even(?)", "not(even(?))", "y, 3", "? + y > 2", "not(< y * 2)", "[y..y + 1]"]
# Two values at least between the literals, and values below and above all integers.
FINE = [-4, -1, -0.5, 0, 0.25, 0.5, 1, 1.25, 1.5, 2, 2.25, 2.5, 3, 3.5, 4, 5]


@pytest.mark.parametrize(("columns", "grid"), [(XY, FINE), (WHOLE, INTEGERS)])
@given(drawn=st.data())
def test_rows_hold_where_feel_says_so(columns, grid, drawn):
    rows = drawn.draw(tables(columns, [1, 2], [*ON_X, *OPAQUE, *OPAQUE], ON_Y))
    if columns is XY and any("even" in cell for row in rows for cell in row):
        grid = INTEGERS  # even() of other numbers is undefined
    cases = cases_of(columns, [grid, grid])
    held = holding(columns, rows, cases)
    assert table_of(columns, rows).decide(cases) == held
    if columns is WHOLE:  # opaque conditions may be true or false
        findings = irenic.check(table_of(columns, rows, policy="ANY"))
        assert all(held) or not findings.is_complete
        outcomes = [{rows[place][-1] for place in here} for here in held]
        assert max(map(len, outcomes)) <= 1 or not findings.is_consistent


@pytest.mark.parametrize("columns", [XY, WHOLE, MIXED])
@given(drawn=st.data())
def test_comparisons_are_checked_exactly_and_read_back(columns, drawn):
    rows = drawn.draw(tables(columns, [0, 1], ON_X, ON_Y))
    grids = [FINE if kind == "number" else INTEGERS for _, kind in columns]
    assert_exact(columns, rows, grids)
    alone = table_of(columns[:1], [(row[0], row[-1]) for row in rows], data=columns)
    back = irenic.parse(irenic.dumps(alone, format="dmn"), format="dmn").bound(None).table()
    assert back.rules == alone.rules
    cases = cases_of(columns, grids)
    assert back.predict(cases).tolist() == alone.predict(cases).tolist()


# --- chains, other types, domains and missing values


@given(st.lists(st.sampled_from(["number", "integer"]), min_size=3, max_size=3), st.data())
def test_chains_of_comparisons_are_checked_exactly(kinds, drawn):
    columns = [*zip("abc", kinds, strict=True)]
    assert_exact(columns, drawn.draw(tables(columns, [0, 1])), [GRIDS[kind] for kind in kinds])


@pytest.mark.parametrize(
    ("kind", "names", "literals"),
    [("string", "ab", ['"k"', '"m"']), ("boolean", "abc", ["true", "false"])],
)
@given(drawn=st.data())
def test_comparisons_of_text_and_booleans_are_checked_exactly(kind, names, literals, drawn):
    columns = [(name, kind) for name in names]
    assert_exact(columns, drawn.draw(tables(columns, literals)), [GRIDS[kind]] * len(columns))


DOMAINS = [("", lambda v: True), ("[0..1]", lambda v: 0 <= v <= 1), ("> 0", lambda v: v > 0),
           ("< 1", lambda v: v < 1), ("0, 1, 3", lambda v: v in (0, 1, 3))]  # fmt: skip


@examples(2)
@given(
    st.tuples(*[st.sampled_from(["number", "integer"])] * 2),
    st.tuples(*[st.sampled_from(DOMAINS)] * 2),
    st.booleans(),
    st.data(),
)
def test_domains_of_compared_values_count(kinds, domains, only_data, drawn):
    columns = [*zip("ab", kinds, strict=True)]
    rows = drawn.draw(tables(columns, [0, 1]))
    grids = [
        [value for value in sorted({*GRIDS[kind], 0, 1, 3}) if allowed(value)]
        for kind, (_, allowed) in zip(kinds, domains, strict=True)
    ]
    texts = [*zip("ab", (text for text, _ in domains), strict=True)]
    if only_data:  # b is compared with, but is no column
        assert_exact(columns[:1], [(row[0], row[-1]) for row in rows], grids, texts, columns)
    else:
        assert_exact(columns, rows, grids, texts)


@examples(2)
@given(st.data(), st.booleans())
def test_values_that_may_be_missing_are_checked_exactly(drawn, also_b):
    # both columns are tested, and cells say which values may be missing
    columns = [("a", "number"), ("b", "number")]
    rows = drawn.draw(tables(columns, [0], ["null", "not(null)"], ["null", "not(null)"]))
    rows += [("null", "< 0", '"x"'), ("-", "null" if also_b else "> 5", '"x"')]
    nullable = [any("null" in row[place] for row in rows) for place in (0, 1)]
    grids = [[*NUMBERS, 6, 7, 8, *([None] if null else [])] for null in nullable]
    assert_exact(columns, rows, grids)


def test_a_chain_leaves_one_relation():
    columns = [(name, "number") for name in "abc"]
    chain = ("< b", "< c", "-", '"x"')
    assert_exact(columns, [chain, ("< b", "< c", ">= a", '"y"')], [NUMBERS] * 3)
    assert_exact(columns, [("< b", "< c", "< a", '"x"')], [NUMBERS] * 3)


def test_long_chains_and_many_bounds_are_still_sound():
    columns = [(name, "number") for name in "abcdefgh"]
    row = (*(f"< {later}" for later in "bcdefgha"), '"x"')
    table = table_of(columns, [row], policy="ANY")
    assert len(table.space) == 8
    assert irenic.check(table).is_complete is False
    for n in (100, 700):
        rows = [(f"< {place}", "-", '"x"') for place in range(n)] + [("> b", "> 5", '"x"')]
        table = table_of(columns[:2], rows, policy="ANY")
        assert bool(table.space.impossible) == (n == 100)
        assert not irenic.check(table).of("outside")


# --- names of features, and what cannot be compared

DATA = [("x", "number"), ("limit", "number"), ("other", "number"), ("listed", "tList")]
DATA.append(("word", "string"))


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


def test_opaque_conditions_are_named_after_their_expressions():
    for cell, name in {
        "> limit * 2": "x > limit * 2",
        "listed": "x in (listed)",
        "not(listed)": "x in (listed)",
        'contains(string(?), "?")': 'contains(string(x), "?")',
        "limit, 3": "x in (limit, 3)",
        "< limit, > other": "x in (< limit, > other)",
        "word": "x in (word)",  # a value of another type
    }.items():
        table = table_of(DATA[:1], [(cell, '"a"'), ("< 0", '"b"')], data=DATA)
        assert table.space.names == ("x", name)
        assert set(table.computed) == {name}
    for cell in ("> unknown", "foo(?)", "> limit +", "limit limit"):
        with pytest.raises(FormatError, match=r"rule 1, column 'x'"):
            table_of(DATA[:1], [(cell, '"a"')], data=DATA)


def test_booleans_are_equal_or_different():
    data = [("x", "boolean"), ("y", "boolean")]
    table = table_of([data[0]], [("y", '"a"'), ("not(y)", '"b"')], data=data, policy="UNIQUE")
    assert table.predict([{"x": True, "y": False}]).tolist() == ["b"]
    assert irenic.check(table).is_complete


def test_a_missing_value_cannot_be_compared():
    table = table_of(XY[:1], [("> y", '"a"')], data=XY)
    with pytest.raises(DataError, match=r"column 'x compared with y', row 1: the value is missing"):
        table.predict([{"x": 1, "y": None}])


def test_tables_with_computed_features_are_pickled():
    table = table_of(XY[:1], [("> y", '"a"'), ("even(?)", '"b"'), ("-", '"c"')], data=XY)
    copy = pickle.loads(pickle.dumps(table))
    cases = cases_of(XY, [INTEGERS, INTEGERS])
    assert copy.predict(cases).tolist() == table.predict(cases).tolist()


def test_input_expressions_are_computed():
    table = table_of([("x + y", "number")], [("> 5", '"a"'), ("<= 5", '"b"')], data=XY)
    assert table.predict([{"x": 3, "y": 3}, {"x": 1, "y": 1}]).tolist() == [["a"], ["b"]]
    # or given, as a column of that name
    assert table.predict([{"x + y": 9}]).tolist() == [["a"]]


# --- SQL and Python source


def opened(columns, rows, data=None):
    return model(columns, rows, data=data, policy="FIRST").open_to_missing()


@pytest.mark.parametrize("kind", GRIDS)
@pytest.mark.parametrize("n", [1, 2, 3])
@examples(0.2)
@given(st.booleans(), st.data())
def test_exported_comparisons_decide_as_predict_does(kind, n, mixed, drawn):
    pa = pytest.importorskip("pyarrow")
    literals = {"string": ['"k"', '"m"'], "boolean": ["true", "false"]}.get(kind, [0, 1])
    columns = [("a", kind), ("b", "integer" if mixed and kind == "number" else kind), ("c", kind)]
    # only the first columns are inputs
    rows = [(*row[:n], row[-1]) for row in drawn.draw(tables(columns, literals))]
    table = opened(columns[:n], rows, columns)
    cases = cases_of(columns, [[*GRIDS[kind][1:-1:2], None] for _, kind in columns])
    expected = table.predict(cases).tolist()
    thens = [row[-1].strip('"') for row in rows]
    held = holding(columns[:n], rows, cases)
    assert expected == [thens[here[0]] if here else None for here in held]
    function = made(irenic.to_python(table))
    assert [function(case) for case in cases] == expected
    values = {name: [case[name] for case in cases] for name in "abc"}
    kinds = {"number": pa.float64(), "integer": pa.int64(), "string": pa.string()}
    types = {name: kinds.get(kind, pa.bool_()) for name, kind in columns}
    assert in_duckdb(irenic.to_sql(table, "cases"), values, types) == expected
    assert in_sqlite(irenic.to_sql(table, "cases", dialect="sqlite"), values) == expected


def test_nan_cannot_be_compared_in_duckdb():
    pa = pytest.importorskip("pyarrow")
    table = opened(XY[:1], [("> y", '"x"')], XY)
    nan = float("nan")
    values = {"x": [1.0, nan, 1.0, nan, 2.0], "y": [nan, 1.0, None, nan, 1.0]}
    expected = [None, None, None, None, "x"]
    types = dict.fromkeys("xy", pa.float64())
    assert in_duckdb(irenic.to_sql(table, "cases"), values, types) == expected
    function = made(irenic.to_python(table))
    pairs = zip(*values.values(), strict=True)
    assert [function({"x": x, "y": y}) for x, y in pairs] == expected


def test_bounds_are_shown_as_written():
    table = opened(XY, [("> y", "-", '"x"'), ("<= 500", "> 1000", '"y"')])
    texts = [str(rule) for rule in table.rules]
    assert any("x <= 500" in text for text in texts)
    assert not any("500.0" in text for text in texts)
    source = irenic.to_python(table)
    line = "    if x is not None and x <= 500 and y is not None and y > 1000:\n"
    assert line in source
    for branch in source.split("    # ")[1:]:
        assert branch.count("x is not None") <= 1


SOURCE = """\
def predict(case):
    x = _number(case, 'x')
    y = _number(case, 'y')
    # 1. IF "x compared with y" in {greater} THEN x
    if x > y:
        return 'x'
    # 2. IF "x compared with y" in {equal} THEN y
    if x == y:
        return 'y'
    return None
"""


def test_comparisons_are_written_as_comparisons_and_functions_rejected():
    table = table_of(XY, [("> y", "-", '"x"'), ("y", "-", '"y"')], policy="ANY")
    source = irenic.to_python(table)
    assert source[source.index("def predict") :] == SOURCE
    assert 'WHEN "x" > "y"' in irenic.to_sql(table)
    with pytest.raises(irenic.ConditionError, match="the table already has a column 'Y'"):
        irenic.to_sql(table, "cases", column="Y")
    table = table_of(XY, [("even(?)", "-", '"a"'), ("< y * 2", "-", '"a"')], policy="ANY")
    message = (
        r"branches cannot represent the condition 'even\(x\)', which is computed from other"
        " columns; write .dmn, or decide with irenic predict"
    )
    for export in (irenic.to_sql, irenic.to_python):
        with pytest.raises(FormatError, match=message):
            export(table)
