"""SQL with the deciding rule, probabilities and labels as columns returns what Python returns."""

from __future__ import annotations

import random
import sqlite3

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import strategies
from irenic import (
    Categorical,
    ConditionError,
    Continuous,
    DecisionTable,
    Rule,
    RuleList,
    RuleSet,
    Space,
    to_sql,
)
from learn.fitting import quick

pytest.importorskip("sqlglot")

# "a", "A" and "a " must stay apart in all engines; learners warn of them
pytestmark = pytest.mark.filterwarnings("ignore:column 'c'. 'A' and 'a'")

SPACE = Space(
    [Continuous("f", missing=True), Categorical("c", ["a", "A", "b c"], missing=True, other=True)]
)


def in_duckdb(sql, table):
    """Return the rows of a query of the table cases, as dictionaries, in the order of the table."""
    duckdb = pytest.importorskip("duckdb")
    pa = pytest.importorskip("pyarrow")
    kinds = {"f": pa.float64(), "c": pa.string()}
    data = {n: pa.array(v, kinds.get(n), from_pandas=False) for n, v in table.items()}
    with duckdb.connect() as con:
        con.register("given", pa.table({**data, "place": range(len(table["f"]))}))
        con.execute("CREATE TABLE cases AS SELECT * FROM given")
        made = con.execute(f"SELECT * FROM ({sql}) ORDER BY place")
        names = [column[0] for column in made.description]
        return [dict(zip(names, row, strict=True)) for row in made.fetchall()]


def in_sqlite(sql, table):
    con = sqlite3.connect(":memory:")
    con.row_factory = sqlite3.Row
    names = [*table, "place"]
    con.execute(f"CREATE TABLE cases ({', '.join(names)})")
    rows = zip(*table.values(), range(len(table["f"])), strict=True)
    con.executemany(f"INSERT INTO cases VALUES ({', '.join('?' * len(names))})", rows)
    made = [dict(row) for row in con.execute(f"SELECT * FROM ({sql}) ORDER BY place")]
    con.close()
    return made


RUN = {"duckdb": in_duckdb, "sqlite": in_sqlite}


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


@pytest.mark.parametrize("dialect", RUN)
@given(rules=sets_and_lists(), resolve=st.sampled_from(["first", "best"]), seed=st.integers(0, 99))
def test_the_deciding_rule_is_a_column(dialect, rules, resolve, seed):
    table = some_rows(random.Random(seed), 60)
    resolve = "first" if isinstance(rules, RuleList) else resolve
    rows = RUN[dialect](
        to_sql(rules, "cases", dialect=dialect, rule="rule", resolve=resolve), table
    )
    how = {} if isinstance(rules, RuleList) else {"resolve": resolve}
    assert column(rows, "rule") == numbers_of(rules.decide(table, **how))
    assert column(rows, "prediction") == rules.predict(table, **how).tolist()
    assert column(rows, "f") == table["f"]


def test_the_rule_of_a_decision_table_is_its_row():
    rules = RuleSet([Rule({"f": (0, 1)}, then="x"), Rule({"f": (2, 3)}, then="x"),
                     Rule({"f": (1, 2)}, then="y")])  # fmt: skip
    table = DecisionTable(rules, rows=(0, 0, 1), n_rows=2)
    rows = in_duckdb(to_sql(table, "cases", rule="row"), {"f": [0.5, 1.5, 2.5, 9.0]})
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
@pytest.mark.parametrize("dialect", RUN)
@given(data=st.data(), seed=st.integers(0, 99))
def test_labels_are_columns(dialect, heads, data, seed):
    rules = data.draw(rules_of_labels(heads))
    table = some_rows(random.Random(seed), 60)
    for resolve in ["first", "best"] + [None] * rules.is_consistent:
        sql = to_sql(rules, "cases", dialect=dialect, resolve=resolve)
        got = labels_in(RUN[dialect](sql, table), ["x", "y", "z"])
        assert got == rules.predict(table, resolve=resolve).tolist()


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


def check_classifier(clf, table, dialect, form=None):
    """Check predictions, rules and probabilities of a classifier, row by row."""
    sql = to_sql(clf, "cases", dialect=dialect, probabilities=True, form=form)
    rows = RUN[dialect](sql, table)
    labels = clf.classes_.tolist()
    got = [[row[f"probability of {label}"] for label in labels] for row in rows]
    assert np.array_equal(np.array(got), clf.predict_proba(table))
    expected = clf.predict(table)
    if clf._answers.many:
        sets = [frozenset(label for label in labels if row[str(label)]) for row in rows]
        assert sets == expected.tolist()
    else:
        assert column(rows, "prediction") == expected.tolist()
    # the first rule that decides, which need not be the shortest, the reason of `explain`
    first = clf.rules_.decide(table, resolve="first").tolist()
    assert column(rows, "rule") == [r + 1 if r >= 0 else None for r in first]


@pytest.mark.parametrize("dialect", RUN)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"default": "abstain"},
        {"scoring": "balanced_accuracy"},
        {"cost": {"high": {"low": 3.0}}},
    ],
)
def test_a_classifier_scores_in_sql_as_in_python(dialect, options):
    X, y = data()
    clf = quick(**options).fit(X, y)
    assert clf.chosen_.probabilities is not None
    check_classifier(clf, some_rows(random.Random(1)), dialect)
    if dialect == "duckdb":
        check_classifier(clf, some_rows(random.Random(1)), dialect, form="arrays")


@pytest.mark.parametrize("dialect", RUN)
@pytest.mark.parametrize("consequents", ["labels", "probabilities"])
@pytest.mark.parametrize("default", ["majority", "abstain"])
def test_a_classifier_of_several_labels_scores_in_sql(dialect, consequents, default):
    X, y = data()
    sets = [{label, "second"} if i % 3 else {label} for i, label in enumerate(y.tolist())]
    clf = quick(consequents=consequents, default=default).fit(X, sets)
    if clf.rules_.is_partial:
        pytest.skip("several rules decide together")
    assert clf.chosen_.probabilities is None
    check_classifier(clf, some_rows(random.Random(2)), dialect)
