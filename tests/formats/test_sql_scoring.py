"""SQL with the deciding rule, probabilities and labels as columns, and rules as SQL functions."""

from __future__ import annotations

import random
import sqlite3

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from test_sql import _storable, columns, random_list, wide_space

import strategies
from irenic import (
    Categorical,
    ConditionError,
    ConflictError,
    Continuous,
    DecisionTable,
    Rule,
    RuleList,
    RuleSet,
    Space,
    to_sql,
)
from irenic.formats import register
from learn.fitting import people, quick

pytest.importorskip("sqlglot")
duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")

# "a", "A" and "a " must stay apart in all engines; learners warn of them
pytestmark = pytest.mark.filterwarnings("ignore:column 'c'. 'A' and 'a'")

SPACE = Space(
    [Continuous("f", missing=True), Categorical("c", ["a", "A", "b c"], missing=True, other=True)]
)


def rows_of(sql, table, dialect):
    """Return the rows of a query of the table cases, as dictionaries, in the order of the table."""
    place = range(len(table["f"]))
    with duckdb.connect() if dialect == "duckdb" else sqlite3.connect(":memory:") as con:
        if dialect == "duckdb":
            kinds = {"f": pa.float64(), "c": pa.string()}
            data = {n: pa.array(v, kinds[n], from_pandas=False) for n, v in table.items()}
            con.register("cases", pa.table({**data, "place": place}))
        else:
            con.execute(f"CREATE TABLE cases ({', '.join(table)}, place)")
            marks = ", ".join("?" * (len(table) + 1))
            rows = zip(*table.values(), place, strict=True)
            con.executemany(f"INSERT INTO cases VALUES ({marks})", rows)
        made = con.execute(f"SELECT * FROM ({sql}) ORDER BY place")
        names = [column[0] for column in made.description]
        return [dict(zip(names, row, strict=True)) for row in made.fetchall()]


DIALECTS = ["duckdb", "sqlite"]


def some_rows(rng, n=300):
    return {
        "f": rng.choices([None, -1.5, 0.0, 0.1, 1 / 3, 2.0, 7.5, 1e300], k=n),
        "c": rng.choices([None, "a", "A", "b c", "a ", "z"], k=n),
    }


def column(rows, name):
    return [row[name] for row in rows]


# --- the deciding rule


def numbers_of(decided):
    return [None if index < 0 else index + 1 for index in decided.tolist()]


@st.composite
def sets_and_lists(draw):
    rules = draw(st.lists(strategies.rules(SPACE), max_size=6))
    if draw(st.booleans()):
        return RuleList(rules, SPACE, default=draw(st.sampled_from([None, "else"])))
    return RuleSet(rules, SPACE)


@strategies.examples(0.6)
@given(rules=sets_and_lists(), resolve=st.sampled_from(["first", "best"]), seed=st.integers(0, 99))
def test_the_deciding_rule_is_a_column(rules, resolve, seed):
    table = some_rows(random.Random(seed), 60)
    resolve = "first" if isinstance(rules, RuleList) else resolve
    how = {} if isinstance(rules, RuleList) else {"resolve": resolve}
    for dialect in DIALECTS:
        sql = to_sql(rules, "cases", dialect=dialect, rule="rule", resolve=resolve)
        rows = rows_of(sql, table, dialect)
        assert column(rows, "rule") == numbers_of(rules.decide(table, **how))
        assert column(rows, "prediction") == rules.predict(table, **how).tolist()
        assert column(rows, "f") == table["f"]


def test_the_rule_of_a_decision_table_is_its_row():
    rules = RuleSet([Rule({"f": (0, 1)}, then="x"), Rule({"f": (2, 3)}, then="x"),
                     Rule({"f": (1, 2)}, then="y")])  # fmt: skip
    table = DecisionTable(rules, rows=(0, 0, 1), n_rows=2)
    rows = rows_of(to_sql(table, "cases", rule="row"), {"f": [0.5, 1.5, 2.5, 9.0]}, "duckdb")
    assert column(rows, "row") == [1, 2, 1, None]
    assert column(rows, "prediction") == ["x", "y", "x", None]


def test_the_column_of_the_rule_needs_a_new_name_and_a_table():
    rules = RuleSet([Rule({"rule": {"<": 18}}, then="minor")])
    with pytest.raises(ConditionError, match=r"already has a column 'Rule'.*with rule=…"):
        to_sql(rules, "people", rule="Rule")
    with pytest.raises(ConditionError, match="rule and probabilities need a table, got None"):
        to_sql(rules, rule="number")
    with pytest.raises(ConditionError, match="probabilities need a fitted classifier, got RuleSet"):
        to_sql(rules, "people", probabilities=True)


# --- sets of labels, and rules that decide some labels


def labels_in(rows, labels):
    """Return the set of labels of each row, None where all columns are NULL."""
    return [
        None if row[labels[0]] is None else frozenset(n for n in labels if row[n]) for row in rows
    ]


@st.composite
def rules_of_labels(draw, heads):
    """Return rules that predict sets of labels, or decide some labels of three."""
    label = st.sampled_from("xyz")
    then = st.frozensets(label)
    if heads:
        then = then | st.dictionaries(label, st.booleans(), min_size=1)
    regions = draw(st.lists(strategies.regions(SPACE), min_size=1, max_size=5))
    default = draw(st.none() | st.frozensets(label))
    thens = [{"x": True, "y": False, "z": True} if heads else frozenset("xyz")]
    thens += [draw(then) for _ in regions[1:]]
    rules = [Rule(region, then=then) for region, then in zip(regions, thens, strict=True)]
    return RuleSet(rules, SPACE, default=default)


@pytest.mark.parametrize("heads", [False, True])
@strategies.examples(0.4)
@given(data=st.data(), seed=st.integers(0, 99))
def test_labels_are_columns(heads, data, seed):
    rules = data.draw(rules_of_labels(heads))
    table = some_rows(random.Random(seed), 60)
    for resolve in ["first", "best"] + [None] * rules.is_consistent:
        expected = rules.predict(table, resolve=resolve).tolist()
        for dialect in DIALECTS:
            sql = to_sql(rules, "cases", dialect=dialect, resolve=resolve)
            assert labels_in(rows_of(sql, table, dialect), ["x", "y", "z"]) == expected


def test_rules_that_decide_some_labels_have_no_single_rule():
    rules = RuleSet([Rule({"f": (0, 5)}, then={"x": True})], default={"y"})
    assert "Each label has branches of its own" in to_sql(rules, "cases")
    with pytest.raises(ConditionError, match="one decides each row, but several of these decide"):
        to_sql(rules, "cases", rule="rule")
    with pytest.raises(ConditionError, match="default must be a set of labels"):
        to_sql(rules, "cases", default="x")


# --- classifiers


def data(n=400, seed=0):
    rng = np.random.default_rng(seed)
    f = rng.normal(0, 2, n).round(1)
    c = rng.choice(["a", "A", "b c"], n)
    y = np.where((f < 0.5) & (c != "a"), "low", np.where(f > 2, "high", "it's"))
    y = np.where(rng.random(n) < 0.1, rng.permutation(y), y)
    table = {"f": [None if rng.random() < 0.1 else v for v in f.tolist()], "c": c.tolist()}
    return table, y


def check_classifier(clf, *queries):
    """Check predictions, rules and probabilities of a classifier, row by row."""
    table = some_rows(random.Random(1))
    labels = clf.classes_.tolist()
    expected, probabilities = clf.predict(table).tolist(), clf.predict_proba(table)
    # the first rule that decides, which need not be the shortest, the reason of `explain`
    first = numbers_of(clf.rules_.decide(table, resolve="first"))
    for dialect, form in queries:
        sql = to_sql(clf, "cases", dialect=dialect, probabilities=True, form=form)
        rows = rows_of(sql, table, dialect)
        got = [[row[f"probability of {label}"] for label in labels] for row in rows]
        assert np.array_equal(np.array(got), probabilities)
        if clf._answers.many:
            sets = [frozenset(label for label in labels if row[str(label)]) for row in rows]
            assert sets == expected
        else:
            assert column(rows, "prediction") == expected
        assert column(rows, "rule") == first


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"default": "abstain"},
        {"scoring": "balanced_accuracy"},
        {"cost": {"high": {"low": 3.0}}},
    ],
)
def test_a_classifier_scores_in_sql_as_in_python(options):
    clf = quick(**options).fit(*data())
    assert clf.chosen_.probabilities is not None
    check_classifier(clf, ("duckdb", None), ("duckdb", "arrays"), ("sqlite", None))


@pytest.mark.parametrize("consequents", ["labels", "probabilities"])
@pytest.mark.parametrize("default", ["majority", "abstain"])
def test_a_classifier_of_several_labels_scores_in_sql(consequents, default):
    X, y = data()
    sets = [{label, "second"} if i % 3 else {label} for i, label in enumerate(y.tolist())]
    clf = quick(consequents=consequents, default=default).fit(X, sets)
    if clf.rules_.is_partial:
        pytest.skip("several rules decide together")
    assert clf.chosen_.probabilities is None
    check_classifier(clf, ("duckdb", None), ("sqlite", None))


# --- functions of a database


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
