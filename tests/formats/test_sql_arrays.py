"""Rules as arrays decide as the rules do, row by row, in and outside of the space."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from hypothesis import given
from test_dmn_comparisons import opened
from test_sql import (
    cells_as_table,
    columns,
    in_duckdb,
    random_list,
    uniform_lists,
    wide_space,
)

from irenic import ConditionError, Continuous, Rule, RuleList, RuleSet, Space, to_sql
from irenic.formats._branches import as_branches
from irenic.formats.sql import _walk
from irenic.learn import from_rules

pytest.importorskip("sqlglot")


@pytest.mark.parametrize("block", [1, 7, 32])
@pytest.mark.parametrize("seed", range(2))
def test_arrays_of_every_kind_of_feature(seed, block, monkeypatch):
    monkeypatch.setattr(_walk, "_BLOCK", block)
    rng = random.Random(seed)
    table = columns(500, rng)
    rules = random_list(wide_space(), 30, rng, conditions=(1, 3))
    expected = rules.predict(table).tolist()
    assert in_duckdb(to_sql(rules, "cases", form="arrays"), table) == expected


@given(uniform_lists())
def test_cells_of_the_grid_in_arrays(rules):
    pa = pytest.importorskip("pyarrow")
    table, expected = cells_as_table(rules)
    types = {"f": pa.float64(), "c": pa.string(), "n": pa.int64(), "b": pa.bool_()}
    types |= {"d": pa.date32(), "v": pa.float64()}
    assert in_duckdb(to_sql(rules, "cases", form="arrays"), table, types) == expected


def overlapping(n, seed=0):
    """Return an ordered list of boxes in six dimensions, of which many overlap."""
    rng = np.random.default_rng(seed)
    space = Space([Continuous(f"f{i}", missing=True) for i in range(6)])
    rules = []
    for _ in range(n):
        tested = rng.choice(6, 3, replace=False)
        starts = rng.random(3).round(3).tolist()
        region = {f"f{f}": (s, s + 0.3) for f, s in zip(tested, starts, strict=True)}
        rules.append(Rule(region, then=int(rng.integers(4))).cast(space))
    return RuleList(rules, space)


def walked(walk, rows):
    """Return the end of the walk of each row, step by step."""
    ends = []
    for row in rows:
        node, steps = walk.root, 0
        while node > 0:
            above = row[walk.tested[node - 1]] >= walk.limits[node - 1]
            node = (walk.above if above else walk.below)[node - 1]
            steps += 1
        assert steps <= walk.steps
        ends.append(node)
    return ends


@pytest.mark.parametrize("n", [1, 40, 400])
def test_a_row_walks_to_the_rule_that_decides(n):
    rules = overlapping(n)
    rows = np.random.default_rng(1).random((300, 6))
    rows[::7, 2] = np.nan
    walk = _walk.walk_of(
        as_branches(rules, default=None, resolve=None), range(n), range(-1, -n - 1, -1), 0
    )
    places = [int(axis.feature.name[1:]) for axis in walk.axes]
    as_walked = np.where(np.isnan(rows), -np.inf, rows)[:, places]
    assert [-end - 1 for end in walked(walk, as_walked)] == rules.decide(rows).tolist()


def test_the_query_does_not_grow_with_the_rules_but_for_its_arrays():
    few, many = (
        re.sub(r"'[^']*'", "''", to_sql(overlapping(n), "cases", form="arrays")) for n in (60, 600)
    )
    assert len(few) == pytest.approx(len(many), abs=10)


@pytest.mark.parametrize("dialect", ["postgres", "spark"])
def test_many_rules_are_arrays_where_queries_are_compiled(dialect):
    assert "Arrays of nodes: each row walks" in to_sql(overlapping(60), "cases", dialect=dialect)
    assert "Arrays of nodes" not in to_sql(overlapping(30), "cases", dialect=dialect)
    assert "Arrays of nodes" not in to_sql(overlapping(60), "cases")
    space = overlapping(1).space
    long = [Rule({f"f{i}": (k, k + 9) for i in range(6)}, then=k).cast(space) for k in range(20)]
    assert "Arrays of nodes" in to_sql(RuleList(long, space), "cases", dialect=dialect)
    tree = to_sql(overlapping(60), "cases", dialect=dialect, form="tree")
    assert "A tree that cuts the space" in tree


def test_the_deciding_rule_of_arrays():
    duckdb = pytest.importorskip("duckdb")
    rules = overlapping(60)
    rows = np.random.default_rng(1).random((300, 6))
    with duckdb.connect() as con:
        columns = ", ".join(f"f{i} DOUBLE" for i in range(6))
        con.execute(f"CREATE TABLE cases (place INT, {columns})")
        con.executemany(
            "INSERT INTO cases VALUES (?, ?, ?, ?, ?, ?, ?)",
            [[place, *row] for place, row in enumerate(rows.tolist())],
        )
        sql = to_sql(rules, "cases", rule="rule", form="arrays")
        found = con.execute(f"SELECT rule, prediction FROM ({sql}) ORDER BY place").fetchall()
    numbers = [None if i < 0 else i + 1 for i in rules.decide(rows).tolist()]
    assert [number for number, _ in found] == numbers
    assert [said for _, said in found] == rules.predict(rows).tolist()


@pytest.mark.parametrize("n", [60, 3])
def test_probabilities_are_looked_up_in_arrays(n):
    duckdb = pytest.importorskip("duckdb")
    rng = np.random.default_rng(0)
    x = rng.random(2_000)
    rules = RuleSet(
        [Rule({"x": (i / 90, (i + 1) / 90)}, then="abc"[i % 3]) for i in range(n)], default="a"
    )
    y = np.where(rng.random(2_000) < 0.2, "b", rules.predict({"x": x}))
    clf = from_rules(rules, {"x": x}, y)
    sql = to_sql(clf, "cases", probabilities=True, form="arrays")
    with duckdb.connect() as con:
        con.execute("CREATE TABLE cases (x DOUBLE)")
        con.executemany("INSERT INTO cases VALUES (?)", [[v] for v in x[:200].tolist()])
        labels = ", ".join(f'"probability of {label}"' for label in "abc")
        found = con.execute(f"SELECT x, prediction, {labels} FROM ({sql})").fetchall()
    given = {"x": [row[0] for row in found]}
    assert [row[1] for row in found] == clf.predict(given).tolist()
    assert np.array_equal([row[2:] for row in found], clf.predict_proba(given))


def test_a_set_without_conditions_as_arrays():
    rules = RuleSet([Rule({}, then="all")], Space([Continuous("f")]))
    assert in_duckdb(to_sql(rules, "cases", form="arrays"), {"f": [1.0, 2.0]}) == ["all", "all"]


def test_what_arrays_cannot_represent_is_an_error():
    with pytest.raises(ConditionError, match="needs one of the dialects duckdb, postgres, spark,"):
        to_sql(overlapping(3), "cases", dialect="sqlite", form="arrays")
    compared = opened([("a", "number"), ("b", "number")], [((">", "b"), None, "x")])
    with pytest.raises(ConditionError, match="cannot represent comparisons of two columns; use"):
        to_sql(compared, "cases", form="arrays")
