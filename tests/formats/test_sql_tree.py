"""A tree of nested CASEs decides as the rules do, row by row, in and outside of the space."""

from __future__ import annotations

import random

import hypothesis.strategies as st
import pytest
from hypothesis import given
from test_sql import (
    cells_as_table,
    columns,
    in_duckdb,
    in_sqlite,
    random_list,
    uniform_lists,
    wide_space,
)

from irenic import (
    Categorical,
    ConditionError,
    Continuous,
    Rule,
    RuleList,
    RuleSet,
    Space,
    to_sql,
)
from irenic.formats.sql import _tree

sqlglot = pytest.importorskip("sqlglot")
from sqlglot import exp  # noqa: E402


@pytest.fixture(autouse=True)
def deep(monkeypatch):
    """Make trees cut as long as any cut is possible."""
    monkeypatch.setattr(_tree, "_LEAF", 1)
    monkeypatch.setattr(_tree, "_COPIES", 50)


def run(rules, table, *, form, dialect="duckdb", **options):
    sql = to_sql(rules, "cases", dialect=dialect, form=form, **options)
    assert form != "tree" or "A tree that cuts the space" in sql
    return in_sqlite(sql, table) if dialect == "sqlite" else in_duckdb(sql, table)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
@pytest.mark.parametrize("seed", range(4))
def test_a_tree_of_every_kind_of_feature(dialect, seed):
    rng = random.Random(seed)
    table = columns(2_000, rng)
    rules = random_list(wide_space(), 30, rng, conditions=(1, 3))
    expected = rules.predict(table).tolist()
    assert run(rules, table, form="tree", dialect=dialect) == expected


@given(uniform_lists())
def test_cells_of_the_grid_in_a_tree(rules):
    pa = pytest.importorskip("pyarrow")
    table, expected = cells_as_table(rules)
    types = {"f": pa.float64(), "c": pa.string(), "n": pa.int64(), "b": pa.bool_()}
    types |= {"d": pa.date32(), "v": pa.float64()}
    assert in_duckdb(to_sql(rules, "cases", form="tree"), table, types) == expected
    assert in_sqlite(to_sql(rules, "cases", dialect="sqlite", form="tree"), table) == expected


def closed_space():
    """Return a space that admits neither missing nor other values, with bounds."""
    return Space([Continuous("x", bounds=(0, 10)), Categorical("c", ["a", "b", "c", "d"])])


@given(st.data())
def test_rows_outside_of_the_space_are_decided_as_by_the_branches(data):
    space = closed_space()
    number = st.integers(0, 10)
    rules = []
    for _ in range(data.draw(st.integers(1, 8))):
        low, high = sorted([data.draw(number), data.draw(number)])
        listed = data.draw(st.sets(st.sampled_from("abcd"), min_size=1, max_size=3))
        x = data.draw(st.sampled_from([{">=": low}, {"<": high + 0.5}, {">=": low, "<=": high}]))
        c = data.draw(st.sampled_from([{"in": [*listed]}, {"not in": [*listed]}]))
        chosen = data.draw(st.sampled_from([{"x": x}, {"c": c}, {"x": x, "c": c}]))
        rules.append(Rule(chosen, then=len(rules)))
    ordered = RuleList([rule.cast(space) for rule in rules], space)
    values = [None, -5.0, 0.0, 3.0, 3.5, 7.0, 10.0, 10.5, 99.0]
    pairs = [(x, c) for x in values for c in (None, "a", "b", "c", "d", "other")]
    table = {"x": [x for x, _ in pairs], "c": [c for _, c in pairs]}
    for dialect in ("duckdb", "sqlite"):
        by_branches = run(ordered, table, form="rules", dialect=dialect)
        assert run(ordered, table, form="tree", dialect=dialect) == by_branches


def many(n, **options):
    """Return rules that divide a line, some of which also test a category."""
    space = Space([Continuous("f", missing=True), Categorical("c", ["a", "b"], other=True)])
    rules = [Rule({"f": {"<": 0, "missing": True}}, then="first").cast(space)]
    for i in range(n):
        c = {"c": {"a"}} if i % 3 else {}
        rules.append(Rule({"f": (i, i + 1), **c}, then=f"it's {i % 7}").cast(space))
    return RuleSet(rules, space, **options)


def test_many_rules_are_a_tree_unless_told_otherwise():
    rules, table = (
        many(300, default="-"),
        {"f": [None, -1.0, 0.5, 1.0, 299.5, 300.0], "c": ["a"] * 6},
    )
    expected = rules.predict(table).tolist()
    sql = to_sql(rules, "cases")
    assert sql.startswith("/* A tree that cuts the space; each leaf tests a few rules. */")
    assert in_duckdb(sql, table) == expected
    assert run(rules, table, form="rules") == expected
    assert "order does not matter" in to_sql(rules, "cases", form="rules")
    few = to_sql(many(40), "cases")
    assert "order does not matter" in few
    assert len(few.splitlines()) > 80  # for people to read
    assert len(sql.splitlines()) == 1
    with pytest.raises(ConditionError, match=r"form must be 'rules', .* or None, got 'join'"):
        to_sql(rules, "cases", form="join")


def test_rules_that_overlap_much_stay_branches():
    space = Space([Continuous(f"f{i}") for i in range(12)])
    wide = [Rule({f"f{i % 12}": (i, i + 500)}, then=i % 5).cast(space) for i in range(100)]
    rules = RuleList(wide, space)
    assert "The first rule that holds decides" in to_sql(rules, "cases")
    assert "A tree that cuts the space" in to_sql(rules, "cases", form="tree")


def test_a_row_meets_few_tests_in_a_tree():
    case = sqlglot.parse_one(to_sql(many(1_000), "cases"), dialect="duckdb").find(exp.Case)

    def depth(node):
        inner = [c for c in node.find_all(exp.Case) if c is not node and c.parent_select]
        nearest = [c for c in inner if c.find_ancestor(exp.Case) is node]
        tests = len(node.args["ifs"])
        return tests + max(map(depth, nearest), default=0)

    assert depth(case) <= 20


def test_the_deciding_rule_and_outputs_of_a_tree():
    rules, table = many(120), {"f": [None, 0.5, 1.5, 119.5, 500.0], "c": ["a", "b", "z", "b", "a"]}
    sql = to_sql(rules, "cases", rule="rule", column="said", keep=["place"])
    import duckdb
    import pandas as pd

    cases = pd.DataFrame(table | {"place": range(5)})
    with duckdb.connect() as con:
        con.register("cases", cases)
        got = con.execute(f"SELECT rule, said FROM ({sql}) ORDER BY place").fetchall()
    numbers = [None if i < 0 else i + 1 for i in rules.decide(table).tolist()]
    assert [number for number, _ in got] == numbers
    assert [said for _, said in got] == rules.predict(table).tolist()


def test_nested_cases_of_sql_server_are_limited():
    sql = to_sql(many(2_000), "cases", dialect="tsql")
    tree = sqlglot.parse_one(sql, dialect="tsql")

    def level(node):
        return 0 if node is None else isinstance(node, exp.Case) + level(node.parent)

    assert 5 < max(level(node) for node in tree.find_all(exp.Case)) <= 10
