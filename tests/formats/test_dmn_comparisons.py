"""Comparisons of several inputs, compared with every point of a grid."""

from __future__ import annotations

import operator
from itertools import combinations, product

import hypothesis.strategies as st
import pytest
from dmn_models import data, decision, item, parsed, table
from hypothesis import given
from test_python_source import made
from test_sql import in_duckdb, in_sqlite

import irenic

ORDERS = {
    "<": operator.lt,
    "<=": operator.le,
    "": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}
# Three values at least between literals, and numbers between and beyond the integers.
NUMBERS = [-4.5, -3.5, -2.5, -1.5, -1, -0.5, 0, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3.5, 4.5, 5.5]
INTEGERS = [-3, -2, -1, 0, 1, 2, 3, 4]
TEXTS = ["", "f", "g", "k", "ka", "kb", "kc", "m", "n", "o"]
GRIDS = {"number": NUMBERS, "integer": INTEGERS, "string": TEXTS, "boolean": [False, True]}


def literal(value):
    if value is None:
        return "null"
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def model(columns, rows, domains=(), only_data=(), policy="ANY"):
    """Return a table; a row has an order and an operand per column, and an outcome."""
    domains = dict(domains)
    names = [name for name, _ in columns]
    parts = [item(f"t{name}", kind, allowed=domains.get(name, "-")) for name, kind in columns]
    parts += [data(name, f"t{name}") for name in names]
    shown = [place for place, name in enumerate(names) if name not in only_data]
    texts = [(*(_text(row[place], names) for place in shown), f'"{row[-1]}"') for row in rows]
    logic = table([(names[place], f"t{names[place]}") for place in shown], texts, policy=policy)
    return parsed(*parts, decision("D", logic))


def _text(cell, names):
    if cell is None:
        return "-"
    order, operand = cell
    return f"{order} {operand if operand in names else literal(operand)}".strip()


def holds(cell, value, case):
    """Return whether a cell holds; null is equal to null, and not less than anything."""
    if cell is None:
        return True
    order, operand = cell
    operand = case.get(operand, operand) if isinstance(operand, str) else operand
    if value is None or operand is None:
        return ORDERS[order](value, operand) if order in ("", "!=") else False
    return ORDERS[order](value, operand)


def assert_exact(columns, rows, grids, domains=(), only_data=()):
    table = model(columns, rows, domains, only_data).bound(None).table()
    names = [name for name, _ in columns]
    held = []
    for values in product(*grids):
        case = dict(zip(names, values, strict=True))
        held.append(
            [
                place
                for place, row in enumerate(rows)
                if all(holds(c, case[n], case) for c, n in zip(row, names, strict=False))
            ]
        )
    disagree = {
        pair for here in held for pair in combinations(here, 2)
        if rows[pair[0]][-1] != rows[pair[1]][-1]
    }  # fmt: skip
    findings = irenic.check(table)
    assert findings.is_complete == all(held)
    assert {f.rules for f in findings.of("conflicts")} == disagree
    never = {finding.rules for finding in findings.of("never_fire")}
    assert never == {(i,) for i in range(len(rows)) if not any(i in h for h in held)}


def cells(kind, others, literals):
    plain = ["", "!="]
    with_others = plain if kind == "boolean" else [*ORDERS]
    with_literals = [*ORDERS] if kind in ("number", "integer") else plain
    return (
        st.none()
        | st.tuples(st.sampled_from(with_others), st.sampled_from(others))
        | st.tuples(st.sampled_from(with_literals), st.sampled_from(literals))
    )


def tables(columns, literals):
    names = [name for name, _ in columns]
    row = st.tuples(
        *(cells(kind, [n for n in names if n != name], literals) for name, kind in columns),
        st.sampled_from("xy"),
    )
    return st.lists(row, min_size=1, max_size=4)


@st.composite
def of_three(draw):
    kinds = draw(st.lists(st.sampled_from(["number", "integer"]), min_size=3, max_size=3))
    columns = [*zip("abc", kinds, strict=True)]
    return columns, draw(tables(columns, [0, 1]))


@given(of_three())
def test_chains_of_comparisons_are_checked_exactly(drawn):
    columns, rows = drawn
    assert_exact(columns, rows, [GRIDS[kind] for _, kind in columns])


@pytest.mark.parametrize(
    ("kind", "names", "literals"), [("string", "ab", ["k", "m"]), ("boolean", "abc", [True, False])]
)
@given(drawn=st.data())
def test_comparisons_of_text_and_booleans_are_checked_exactly(kind, names, literals, drawn):
    columns = [(name, kind) for name in names]
    assert_exact(columns, drawn.draw(tables(columns, literals)), [GRIDS[kind]] * len(columns))


DOMAINS = [("-", lambda v: True), ("[0..1]", lambda v: 0 <= v <= 1), ("> 0", lambda v: v > 0),
           ("< 1", lambda v: v < 1), ("0, 1, 3", lambda v: v in (0, 1, 3))]  # fmt: skip


@st.composite
def with_domains(draw):
    kinds = draw(st.lists(st.sampled_from(["number", "integer"]), min_size=2, max_size=2))
    columns = [*zip("ab", kinds, strict=True)]
    domains = draw(st.lists(st.sampled_from(DOMAINS), min_size=2, max_size=2))
    only_data = draw(st.sampled_from([(), ("b",)]))
    rows = draw(tables(columns, [0, 1]))
    rows = [(a, None if only_data else b, then) for a, b, then in rows]
    return columns, rows, domains, only_data


@given(with_domains())
def test_domains_of_compared_values_count(drawn):
    columns, rows, domains, only_data = drawn
    grids = [
        [value for value in sorted({*GRIDS[kind], 0, 1, 3}) if allowed(value)]
        for (_, kind), (_, allowed) in zip(columns, domains, strict=True)
    ]
    texts = [(name, text) for (name, _), (text, _) in zip(columns, domains, strict=True)]
    assert_exact(columns, rows, grids, texts, only_data)


@given(tables([("a", "number"), ("b", "number")], [0, None]), st.booleans())
def test_values_that_may_be_missing_are_checked_exactly(rows, also_b):
    # both columns are tested, and cells say which values may be missing
    rows = [(_ordered(a), _ordered(b), then) for a, b, then in rows]
    rows += [(("", None), ("<", 0), "x"), (None, ("", None) if also_b else (">", 5), "x")]
    nullable = [any(row[place] in (("", None), ("!=", None)) for row in rows) for place in (0, 1)]
    grids = [[*NUMBERS, 6, 7, 8, *([None] if null else [])] for null in nullable]
    assert_exact([("a", "number"), ("b", "number")], rows, grids)


def _ordered(cell):
    """Return a cell that does not order null, which is no literal of a table."""
    return None if cell and cell[1] is None and cell[0] not in ("", "!=") else cell


def test_a_chain_leaves_one_relation():
    columns = [(name, "number") for name in "abc"]
    rows = [(("<", "b"), ("<", "c"), ("<", "c"), "x"), (("<", "b"), ("<", "c"), (">=", "a"), "y")]
    rows = [(a, b, None if then == "x" else c, then) for a, b, c, then in rows]
    assert_exact(columns, rows, [NUMBERS] * 3)
    never = [(("<", "b"), ("<", "c"), ("<", "a"), "x")]
    assert_exact(columns, never, [NUMBERS] * 3)


def test_long_chains_are_still_sound():
    names = "abcdefgh"
    columns = [(name, "number") for name in names]
    row = [("<", later) for later in names[1:]] + [("<", "a"), "x"]
    table = model(columns, [tuple(row)]).bound(None).table()
    assert len(table.space) == 8
    assert irenic.check(table).is_complete is False


@pytest.mark.parametrize("n", [100, 700])
def test_many_bounds_are_read(n):
    columns = [("a", "number"), ("b", "number")]
    rows = [(("<", place), None, "x") for place in range(n)] + [((">", "b"), (">", 5), "x")]
    table = model(columns, rows).bound(None).table()
    assert bool(table.space.impossible) == (n == 100)
    assert not irenic.check(table).of("outside")


# --- SQL and Python source


def opened(columns, rows, only_data=()):
    return model(columns, rows, only_data=only_data, policy="FIRST").open_to_missing()


@st.composite
def exported(draw):
    kind = draw(st.sampled_from([*GRIDS]))
    literals = {"string": ["k", "m"], "boolean": [True, False]}.get(kind, [0, 1])
    other = draw(st.sampled_from(["number", "integer"])) if kind == "number" else kind
    columns = [("a", kind), ("b", other), ("c", kind)]
    only_data = draw(st.sampled_from([(), ("c",), ("b", "c")]))
    rows = [
        (*(None if name in only_data else cell for cell, name in zip(cells, "abc", strict=True)), t)
        for *cells, t in draw(tables(columns, literals))
    ]
    return columns, rows, only_data


@given(exported())
def test_exported_comparisons_decide_as_predict_does(drawn):
    columns, rows, only_data = drawn
    pa = pytest.importorskip("pyarrow")
    table = opened(columns, rows, only_data)
    grids = [[*GRIDS[kind][1:-1:2], None] for _, kind in columns]
    cases = [dict(zip("abc", values, strict=True)) for values in product(*grids)]
    expected = table.predict(cases).tolist()
    assert expected == [
        next(
            (
                row[-1]
                for row in rows
                if all(holds(c, case[name], case) for c, name in zip(row, "abc", strict=False))
            ),
            None,
        )
        for case in cases
    ]
    function = made(irenic.to_python(table))
    assert [function(case) for case in cases] == expected
    data = {name: [case[name] for case in cases] for name in "abc"}
    kinds = {"number": pa.float64(), "integer": pa.int64(), "string": pa.string()}
    types = {name: kinds.get(kind, pa.bool_()) for name, kind in columns}
    assert in_duckdb(irenic.to_sql(table, "cases"), data, types) == expected
    assert in_sqlite(irenic.to_sql(table, "cases", dialect="sqlite"), data) == expected


def test_nan_cannot_be_compared_in_duckdb():
    pa = pytest.importorskip("pyarrow")
    table = opened([("a", "number"), ("b", "number")], [((">", "b"), None, "x")], ["b"])
    nan = float("nan")
    data = {"a": [1.0, nan, 1.0, nan, 2.0], "b": [nan, 1.0, None, nan, 1.0]}
    types = dict.fromkeys("ab", pa.float64())
    expected = [None, None, None, None, "x"]
    assert in_duckdb(irenic.to_sql(table, "cases"), data, types) == expected
    function = made(irenic.to_python(table))
    assert [function({"a": a, "b": b}) for a, b in zip(*data.values(), strict=True)] == expected


def test_bounds_are_shown_as_written():
    rows = [((">", "b"), None, "x"), (("<=", 500), (">", 1000), "y")]
    table = opened([("a", "number"), ("b", "number")], rows)
    texts = [str(rule) for rule in table.rules]
    assert any("a <= 500" in text for text in texts)
    assert not any("500.0" in text for text in texts)
    source = irenic.to_python(table)
    line = "    if a is not None and a <= 500 and b is not None and b > 1000:\n"
    assert line in source
    for branch in source.split("    # ")[1:]:
        assert branch.count("a is not None") <= 1


def test_comparisons_are_written_as_comparisons():
    rows = [((">", "b"), None, "x"), (("", "b"), None, "y")]
    table = model([("a", "number"), ("b", "number")], rows).bound(None).table()
    source = irenic.to_python(table)
    assert source[source.index("def predict") :] == (
        "def predict(case):\n"
        "    a = _number(case, 'a')\n"
        "    b = _number(case, 'b')\n"
        '    # 1. IF "a compared with b" in {greater} THEN x\n'
        "    if a > b:\n"
        "        return 'x'\n"
        '    # 2. IF "a compared with b" in {equal} THEN y\n'
        "    if a == b:\n"
        "        return 'y'\n"
        "    return None\n"
    )
    assert 'WHEN "a" > "b"' in irenic.to_sql(table)
    with pytest.raises(irenic.ConditionError, match="the table already has a column 'B'"):
        irenic.to_sql(table, "cases", column="B")
