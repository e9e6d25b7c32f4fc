"""Trees of nested CASEs and arrays decide as the rules do, in and outside of the space."""

from __future__ import annotations

import re

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from test_dmn_comparisons import opened
from test_sql import RUN, check, deep, in_duckdb

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
from irenic.formats._branches import as_branches
from irenic.formats.sql import _walk
from irenic.learn import from_rules
from strategies import examples

sqlglot = pytest.importorskip("sqlglot")
duckdb = pytest.importorskip("duckdb")
from sqlglot import exp  # noqa: E402

TREE = "A tree that cuts the space"
ARRAYS = "Arrays of nodes: each row walks"

CLOSED = Space([Continuous("x", bounds=(0, 10)), Categorical("c", ["a", "b", "c", "d"])])


@examples(0.6)
@given(st.data())
def test_rows_outside_of_the_space_are_decided_as_by_the_branches(data):
    number = st.integers(0, 10)
    rules = []
    for _ in range(data.draw(st.integers(1, 8))):
        low, high = sorted([data.draw(number), data.draw(number)])
        listed = data.draw(st.sets(st.sampled_from("abcd"), min_size=1, max_size=3))
        x = data.draw(st.sampled_from([{">=": low}, {"<": high + 0.5}, {">=": low, "<=": high}]))
        c = data.draw(st.sampled_from([{"in": [*listed]}, {"not in": [*listed]}]))
        chosen = data.draw(st.sampled_from([{"x": x}, {"c": c}, {"x": x, "c": c}]))
        rules.append(Rule(chosen, then=len(rules)))
    ordered = RuleList([rule.cast(CLOSED) for rule in rules], CLOSED)
    values = [None, -5.0, 0.0, 3.0, 3.5, 7.0, 10.0, 10.5, 99.0]
    pairs = [(x, c) for x in values for c in (None, "a", "b", "c", "d", "other")]
    table = {"x": [x for x, _ in pairs], "c": [c for _, c in pairs]}
    with deep():
        for dialect, run in RUN.items():
            by_branches = run(to_sql(ordered, "cases", dialect=dialect, form="rules"), table)
            check(ordered, table, dialect, "tree", expected=by_branches)


def many(n, **options):
    """Return rules that divide a line, some of which also test a category."""
    space = Space([Continuous("f", missing=True), Categorical("c", ["a", "b"], other=True)])
    rules = [Rule({"f": {"<": 0, "missing": True}}, then="first").cast(space)]
    for i in range(n):
        c = {"c": {"a"}} if i % 3 else {}
        rules.append(Rule({"f": (i, i + 1), **c}, then=f"it's {i % 7}").cast(space))
    return RuleSet(rules, space, **options)


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


def test_many_rules_are_a_tree_unless_told_otherwise():
    rules = many(300, default="-")
    table = {"f": [None, -1.0, 0.5, 1.0, 299.5, 300.0], "c": ["a"] * 6}
    with deep():
        sql = to_sql(rules, "cases")
        few = to_sql(many(40), "cases")
    assert sql.startswith(f"/* {TREE}; each leaf tests a few rules. */")
    assert in_duckdb(sql, table) == rules.predict(table).tolist()
    check(rules, table, "duckdb", "rules")
    assert "order does not matter" in to_sql(rules, "cases", form="rules")
    assert "order does not matter" in few
    assert len(few.splitlines()) > 80  # for people to read
    assert len(sql.splitlines()) == 1
    with pytest.raises(ConditionError, match=r"form must be 'rules', .* or None, got 'join'"):
        to_sql(rules, "cases", form="join")


def test_rules_that_overlap_much_stay_branches():
    space = Space([Continuous(f"f{i}") for i in range(12)])
    wide = [Rule({f"f{i % 12}": (i, i + 500)}, then=i % 5).cast(space) for i in range(100)]
    rules = RuleList(wide, space)
    with deep():
        assert "The first rule that holds decides" in to_sql(rules, "cases")
        assert TREE in to_sql(rules, "cases", form="tree")


@pytest.mark.parametrize("dialect", ["postgres", "spark"])
def test_many_rules_are_arrays_where_queries_are_compiled(dialect):
    assert ARRAYS in to_sql(overlapping(60), "cases", dialect=dialect)
    assert ARRAYS not in to_sql(overlapping(30), "cases", dialect=dialect)
    assert ARRAYS not in to_sql(overlapping(60), "cases")
    space = overlapping(1).space
    long = [Rule({f"f{i}": (k, k + 9) for i in range(6)}, then=k).cast(space) for k in range(20)]
    assert ARRAYS in to_sql(RuleList(long, space), "cases", dialect=dialect)
    assert TREE in to_sql(overlapping(60), "cases", dialect=dialect, form="tree")


def test_a_row_meets_few_tests_in_a_tree():
    with deep():
        sql = to_sql(many(500), "cases")
    case = sqlglot.parse_one(sql, dialect="duckdb").find(exp.Case)

    def depth(node):
        inner = [c for c in node.find_all(exp.Case) if c is not node and c.parent_select]
        nearest = [c for c in inner if c.find_ancestor(exp.Case) is node]
        return len(node.args["ifs"]) + max(map(depth, nearest), default=0)

    assert depth(case) <= 18


def test_nested_cases_of_sql_server_are_limited():
    with deep():
        tree = sqlglot.parse_one(to_sql(many(1_200), "cases", dialect="tsql"), dialect="tsql")

    def level(node):
        return 0 if node is None else isinstance(node, exp.Case) + level(node.parent)

    assert 5 < max(level(node) for node in tree.find_all(exp.Case)) <= 10


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


@pytest.mark.parametrize("form", ["tree", "arrays"])
def test_the_deciding_rule_is_a_column(form):
    pd = pytest.importorskip("pandas")
    if form == "tree":
        rules = many(120)
        table = {"f": [None, 0.5, 1.5, 119.5, 500.0], "c": ["a", "b", "z", "b", "a"]}
    else:
        rules = overlapping(60)
        table = dict(zip(rules.space.names, np.random.default_rng(1).random((6, 300)), strict=True))
    cases = pd.DataFrame(table).assign(place=range(len(table[rules.space.names[0]])))
    with deep():
        sql = to_sql(rules, "cases", rule="rule", column="said", keep=["place"], form=form)
    with duckdb.connect() as con:
        con.register("cases", cases)
        found = con.execute(f"SELECT rule, said FROM ({sql}) ORDER BY place").fetchall()
    numbers = [None if i < 0 else i + 1 for i in rules.decide(table).tolist()]
    assert found == [*zip(numbers, rules.predict(table).tolist(), strict=True)]


@pytest.mark.parametrize("n", [60, 3])
def test_probabilities_are_looked_up_in_arrays(n):
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


def test_what_arrays_cannot_represent_is_an_error():
    everything = RuleSet([Rule({}, then="all")], Space([Continuous("f")]))
    check(everything, {"f": [1.0, 2.0]}, "duckdb", "arrays")
    with pytest.raises(ConditionError, match="needs one of the dialects duckdb, postgres, spark,"):
        to_sql(overlapping(3), "cases", dialect="sqlite", form="arrays")
    compared = opened([("a", "number"), ("b", "number")], [("> b", "-", '"x"')])
    with pytest.raises(ConditionError, match="cannot represent comparisons of two columns; use"):
        to_sql(compared, "cases", form="arrays")
