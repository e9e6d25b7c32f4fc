"""predict, SQL in DuckDB and SQLite, and Python source return the same for every record."""

from __future__ import annotations

import datetime as dt
import decimal
import math
import random
import sys
from contextlib import suppress

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from test_python_source import made
from test_sql import FORMS as SQL_FORMS
from test_sql import RUN, deep

from irenic import (
    Categorical,
    ConditionError,
    Continuous,
    DataError,
    DecisionTable,
    Region,
    Rule,
    RuleList,
    RuleSet,
    Space,
)
from irenic.formats.python.source import to_python
from irenic.formats.sql.source import to_sql
from irenic.model.literals import Months
from strategies import examples

pytest.importorskip("sqlglot")
pd = pytest.importorskip("pandas")

MOST = sys.float_info.max
# Bounds of conditions and features in ascending order; the first and the last are extremes.
GRID = {
    "number": [-MOST, -1, 0.1, 0.1 + 0.2, 7, 1e300],
    "integer": [-(2**53), -1, 0, 3, 2**53],
    "date": [dt.date(1, 1, 1), dt.date(1999, 12, 31), dt.date(2020, 2, 29), dt.date(9999, 12, 30)],
    "datetime": [
        dt.datetime(1, 1, 1),
        dt.datetime(1969, 12, 31, 23, 59, 59, 999_999),
        dt.datetime(2020, 1, 1),
        dt.datetime(9999, 12, 31),
    ],
    "time": [dt.time(0), dt.time(12, 30, 0, 1), dt.time(23, 59, 59, 999_999)],
    "duration": [dt.timedelta(days=-40), dt.timedelta(0), dt.timedelta(days=3, microseconds=1)],
    "months": [Months(-5), Months(0), Months(14)],
}
VALUES = {
    "text": ["a", "A", "", "größe", "a "],
    "boolean": [False, True],
    "number": [5, 2.5, 0.1],
    "date": [dt.date(2020, 1, 1), dt.date(2020, 12, 25)],
}
UNLISTED = {"text": "other", "number": 99, "date": dt.date(2021, 1, 1)}
MISSING = [None, math.nan, np.float32("nan"), np.float64("nan"), decimal.Decimal("NaN")]
MISSING += [np.datetime64("NaT"), np.timedelta64("NaT"), pd.NA, pd.NaT]
ABSENT = object()


# --- spaces, rules and records


@st.composite
def features(draw, name):
    missing = draw(st.booleans())
    if draw(st.booleans()):
        kind = draw(st.sampled_from(sorted(VALUES)))
        values = VALUES[kind][: draw(st.integers(1, len(VALUES[kind])))]
        other = kind != "boolean" and draw(st.booleans())
        return Categorical(name, values, missing=missing, other=other)
    kind = draw(st.sampled_from(sorted(GRID)))
    low = draw(st.sampled_from([None, *GRID[kind][:2]]))
    high = draw(st.sampled_from([None, *GRID[kind][-2:]]))
    return Continuous(name, kind=kind, bounds=(low, high), missing=missing)


@st.composite
def spaces(draw):
    return Space([draw(features(name)) for name in "abc"[: draw(st.integers(1, 3))]])


@st.composite
def conditions(draw, feature):
    flags = draw(st.sampled_from([{}, {}, {"missing": True}, {"missing": False}]))
    if isinstance(feature, Categorical):
        listed = draw(st.lists(st.sampled_from(feature.values), min_size=1, unique=True))
        return draw(st.sampled_from([{"in": listed}, {"not in": listed}, {}])) | flags
    low, high = sorted(draw(st.lists(st.sampled_from(GRID[feature.kind]), min_size=2, max_size=2)))
    tests = [{">": low}, {">=": low}, {"<": high}, {"<=": high}, {"=": low}]
    tests += [{">": low, "<=": high}, {">=": low, "<": high}, {}]
    return draw(st.sampled_from(tests)) | flags


@st.composite
def rules(draw, space):
    kept = {}
    for feature in space:
        asked = {feature.name: draw(conditions(feature))} if draw(st.booleans()) else {}
        with suppress(ConditionError):  # nothing satisfies it
            Region(space, asked)
            kept |= asked
    weight = draw(st.sampled_from([1.0, 2.0, 0.5]))
    return Rule(Region(space, kept), then=draw(st.sampled_from("xyz")), weight=weight)


FORMS = ["list", "set", "first", "best", "FIRST", "PRIORITY", "ANY", "UNIQUE", None]


def decisions(found, space, default, form):
    """Return rules with one prediction per record: lists, sets, and tables of several policies."""
    if form in ("first", "best"):  # ways to resolve conflicts of a set
        return RuleSet(found, space, default=default)
    if form in ("list", "FIRST", "PRIORITY"):
        listed = RuleList(found, space, default=default)
        if form == "list":
            return listed
        table = DecisionTable.from_rules(listed.rules).under(form)
        ranking = ("z", "x") if form == "PRIORITY" else ()
        return DecisionTable(table.rules, table.rows, table.n_rows, form, ranking=ranking)
    kept: list[Rule] = []
    for rule in found:
        rivals = [r for r in kept if form == "UNIQUE" or r.then != rule.then]
        if not any(rule.region.overlaps(other.region) for other in rivals):
            kept.append(rule)
    held = RuleSet(kept, space, default=default)
    return held if form == "set" else DecisionTable.from_rules(held).under(form)


NEAR = {  # further values of each kind, beside the bounds
    "number": [math.nextafter(0.1, 0), math.nextafter(7, 8), MOST, 5e-324, -0.0],
    "integer": [2, 4],
    "months": [Months(13), Months(15)],
    "date": [dt.date(2020, 2, 28), dt.date(2020, 3, 1)],
    "datetime": [dt.datetime(2020, 1, 1, 0, 0, 0, 1)],
    "time": [dt.time(12, 30), dt.time(12, 30, 0, 2)],
    "duration": [dt.timedelta(days=3), dt.timedelta(days=3, microseconds=2)],
}


def ordinary(feature):
    """Return values that can be stored in one column: bounds, their neighbors, others, missing."""
    if isinstance(feature, Continuous):
        return [*GRID[feature.kind], None, *NEAR[feature.kind]]
    kind = next(kind for kind, values in VALUES.items() if feature.values[0] in values)
    kind = "boolean" if isinstance(feature.values[0], bool) else kind
    return [*VALUES[kind], *([UNLISTED[kind]] if kind in UNLISTED else []), None]


def odd(feature):
    """Return values that only Python has: other missing values, infinity, absent keys."""
    numbers = [math.inf, -math.inf, np.float32("inf"), decimal.Decimal("-Infinity")]
    is_number = isinstance(feature, Continuous) and feature.kind in ("number", "integer")
    return [*MISSING, ABSENT, *(numbers if is_number else [])]


def predicted(decides, record, options):
    """Return what predict returns for one record, or the error that it raises."""
    rules = decides.as_rules() if isinstance(decides, DecisionTable) else decides
    try:
        said = rules.predict(rules.space.encode_point(record), **options)[0]
    except DataError as error:
        said = error
    if set(record) == set(rules.space.names):  # a table must have all columns
        if isinstance(said, DataError):
            with pytest.raises(DataError):
                rules.predict([record], **options)
        else:
            assert rules.predict([record], **options)[0] == said
    return said


def opened(decides, kind):
    """Return the same conditions in a space in which everything can occur."""
    rules = decides.as_rules() if isinstance(decides, DecisionTable) else decides
    space = Space(
        Categorical(feature.name, feature.values, missing=True, other=True)
        if isinstance(feature, Categorical)
        else Continuous(feature.name, kind=feature.kind, missing=True)
        for feature in rules.space
    )
    made = [rule.cast(space) for rule in rules]
    return kind(made, space, default=rules.default)


# --- the laws


def check_source(decides, record, function, expected):
    """Check that the source returns what predict does, or raises an error as it does."""
    held = decides.rules if isinstance(decides, DecisionTable | RuleList) else decides
    tested = {name for rule in held for name in rule.region.conditions()}
    # the source takes durations of years and months as numbers of months
    case = {n: v.count if isinstance(v, Months) else v for n, v in record.items()}
    if not isinstance(expected, DataError):
        assert function(case) == expected, record
    elif tested == set(decides.space.names):  # features that no rule tests are not read
        with pytest.raises(ValueError, match=r"^'\w+' must (be|not be|not have) "):
            function(case)


def types_of(space):
    pa = pytest.importorskip("pyarrow")
    types = {
        "number": pa.float64(), "integer": pa.int64(), "date": pa.date32(),
        "datetime": pa.timestamp("us"), "time": pa.time64("us"), "duration": pa.duration("us"),
        "months": pa.int64(), str: pa.string(), bool: pa.bool_(), int: pa.float64(),
        dt.date: pa.date32(),
    }  # fmt: skip
    return {
        f.name: types[f.kind if isinstance(f, Continuous) else type(f.values[0])] for f in space
    }


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data(), default=st.sampled_from([None, "else"]), seed=st.integers(0, 10**6))
@examples(0.4)
def test_source_and_sql_return_what_predict_returns(form, data, default, seed):
    rng = random.Random(seed)
    space = data.draw(spaces())
    found = data.draw(st.lists(rules(space), max_size=4))
    decides = decisions(found, space, default, form)
    options = {"resolve": form} if form in ("first", "best") else {}
    function = made(to_python(decides, **options))
    for _ in range(8):
        record = {f.name: rng.choice([*ordinary(f), *odd(f)]) for f in space}
        record = {name: value for name, value in record.items() if value is not ABSENT}
        check_source(decides, record, function, predicted(decides, record, options))
    # a table of values that a database can store
    rows = [{f.name: rng.choice(ordinary(f)) for f in space} for _ in range(20)]
    table = {name: [row[name] for row in rows] for name in space.names}
    # for records that predict rejects, SQL evaluates the conditions literally
    literal = opened(decides, RuleSet if options else RuleList).predict(table, **options).tolist()
    expected = []
    for row, otherwise in zip(rows, literal, strict=True):
        said = predicted(decides, row, options)
        check_source(decides, row, function, said)
        expected.append(otherwise if isinstance(said, DataError) else said)
    for dialect, how in SQL_FORMS:
        if dialect == "sqlite" and any(getattr(f, "kind", "") == "duration" for f in space):
            continue  # for which it has no type
        with deep():
            sql = to_sql(decides, "cases", dialect=dialect, form=how, **options)
        assert RUN[dialect](sql, table, types_of(space)) == expected, (dialect, how)


def test_nan_in_a_frame_is_a_missing_category():
    space = Space([Categorical("c", [5, 2.5], missing=True, other=True)])
    rules = RuleSet([Rule(Region(space, {"c": {"missing": True}}), then="m")], space, default="-")
    values = [5.0, math.nan, None, 7.0]
    pl, pa = map(pytest.importorskip, ("polars", "pyarrow"))
    frames = [
        pl.DataFrame({"c": values}),
        pl.DataFrame({"c": values}, schema={"c": pl.Object}),
        pa.table({"c": pa.array(values, from_pandas=False)}),
        pd.DataFrame({"c": values}),
        pd.DataFrame({"c": [5.0, np.float32("nan"), pd.NA, 7.0]}, dtype=object),
    ]
    for frame in frames:
        assert rules.predict(frame).tolist() == ["-", "m", "m", "-"]


def test_nan_of_every_kind_of_float_is_missing():
    space = Space([Continuous("f", missing=True)])
    rules = RuleSet([Rule(Region(space, {"f": {"missing": True}}), then="m")], space, default="-")
    function = made(to_python(rules))
    for kind in (np.float16, np.float32, np.float64, np.longdouble):
        for record, expected in (({"f": kind("nan")}, "m"), ({"f": kind(0.5)}, "-")):
            assert rules.predict([record]).tolist() == [expected]
            assert function(record) == expected


@pytest.mark.parametrize("dialect", ["duckdb", "mysql", "tsql"])
def test_null_satisfies_not_in_even_if_nothing_can_be_missing(dialect):
    space = Space([Categorical("country", ["DE", "AT"], other=True)])
    rules = RuleSet([Rule({"country": {"not in": ["DE", "AT"]}}, then="foreign")], space)
    assert " IS NULL" in to_sql(rules, "cases", dialect=dialect)
