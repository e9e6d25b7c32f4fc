"""Rules registered as a function of a database return what ``predict`` returns."""

from __future__ import annotations

import random
import sqlite3

import pytest
from test_sql import _storable, columns, random_list, wide_space

from irenic import ConditionError, ConflictError, DecisionTable, Rule, RuleSet
from irenic.formats import register
from learn.fitting import people, quick

pytest.importorskip("sqlglot")
duckdb = pytest.importorskip("duckdb")


@pytest.mark.parametrize("n", [5, 60])
def test_a_macro_of_duckdb_predicts(n):
    pa = pytest.importorskip("pyarrow")
    rng = random.Random(n)
    table = columns(500, rng)
    rules = random_list(wide_space(), n, rng, conditions=(1, 2))
    tested = {name for rule in rules for name in rule.region.conditions()}
    arguments = [feature.name for feature in rules.space if feature.name in tested]
    given = pa.table({k: pa.array(_storable(v), from_pandas=False) for k, v in table.items()})  # noqa: F841
    with duckdb.connect() as con:
        register(con, rules, "my rules")
        listed = ", ".join('"' + name.replace('"', '""') + '"' for name in arguments)
        found = con.execute(f'SELECT "my rules"({listed}) FROM given').fetchall()
    assert [said for (said,) in found] == rules.predict(table).tolist()


def test_a_function_replaces_one_of_the_same_name_and_accepts_a_classifier():
    X, y = people(200)
    with duckdb.connect() as con:
        register(con, RuleSet([Rule({"age": {"<": 18}}, then="minor")]))
        clf = quick().fit(X, y)
        statement = register(con, clf)
        arguments = statement[statement.index("(") + 1 : statement.index(")")]
        con.register("people", X.assign(place=range(len(X))))
        found = con.execute(f"SELECT decide({arguments}) FROM people ORDER BY place").fetchall()
    assert [said for (said,) in found] == clf.predict(X).tolist()


def test_what_cannot_be_a_function_is_an_error():
    rules = RuleSet([Rule({"f": (0, 2)}, then="x"), Rule({"f": (1, 3)}, then="y")])
    with pytest.raises(ConditionError, match=r"DuckDB or a SparkSession, got Connection; for oth"):
        register(sqlite3.connect(":memory:"), rules)
    with duckdb.connect() as con:
        with pytest.raises(ConflictError):
            register(con, rules)
        register(con, rules, resolve="first")
        assert con.execute("SELECT decide(1.5)").fetchall() == [("x",)]
        two = RuleSet([Rule({"f": (0, 2)}, then=("x", 1))])
        table = DecisionTable(two, (0,), 1, outputs=("a", "b"))
        with pytest.raises(ConditionError, match="returns one outcome, but the rules have 2; use"):
            register(con, table)
        with pytest.raises(ConditionError, match="name of a function must be a nonempty str"):
            register(con, rules, "", resolve="first")
