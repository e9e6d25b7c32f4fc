"""Python source returns what predict returns, for values of all types, and runs without irenic."""

from __future__ import annotations

import ast
import datetime as dt
import decimal
import enum
import fractions
import math
import os
import re
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from hypothesis import given

import naive
import strategies
from irenic import (
    Categorical,
    ConditionError,
    ConflictError,
    Continuous,
    DataError,
    FormatError,
    Region,
    Rule,
    RuleList,
    RuleSet,
    Space,
)
from irenic.formats.python.source import dumps, to_python
from irenic.model.literals import Months


def made(source, name="predict"):
    """Return the function that a source defines, in its own namespace."""
    namespace: dict = {}
    exec(compile(source, "<rules>", "exec"), namespace)
    return namespace[name]


def one(feature, condition, then="yes"):
    """Return the function of one rule with one condition."""
    space = Space([feature])
    rules = RuleSet([Rule(Region(space, {feature.name: condition}), then=then)], space)
    return made(to_python(rules))


def cells(rules, limit=400):
    """Return cells of the grid of the rules' bounds, except those that contain no value."""

    def shows(feature, value):
        exact = getattr(feature, "kind", "") != "integer" or abs(value) <= 2**53
        return naive.shows(feature, value) and (exact or value == -math.inf)

    axes = naive.grid(rules.space, [r.region for r in rules])
    kept = [[v for v in axis if shows(f, v)] for f, axis in zip(rules.space, axes, strict=True)]
    found = naive.cells_of(kept)
    return found[:: max(1, len(found) // limit)]


def as_case(space, cell):
    case = {}
    for feature, value in zip(space, cell, strict=True):
        decoded = naive.decode(feature, value)
        case[feature.name] = (
            decoded if isinstance(feature, Continuous) else feature.example(int(value))
        )
    return case


# --- predictions


@given(strategies.consistent_rule_sets(default="else"), strategies.rule_sets(default="else"))
def test_the_source_returns_what_predict_returns(consistent, rules):
    ways = [(consistent, {}), (RuleList.from_rules(rules), {})]
    ways += [(rules, {"resolve": resolve}) for resolve in ("first", "best")]
    for decides, options in ways:
        function = made(to_python(decides, **options))
        space, some = decides.space, cells(decides)
        expected = decides.predict(naive.instances(space, some), **options).tolist()
        assert [function(as_case(space, cell)) for cell in some] == expected


def test_values_of_other_types_are_read_as_in_predict():
    space = Space(
        [
            Continuous("x", missing=True),
            Continuous("n", kind="integer", missing=True),
            Categorical("c", [True, 2.5, "a"], missing=True, other=True),
        ]
    )
    rules = RuleList(
        [
            Rule(Region(space, {"x": {"<": 0.1}, "c": True}), then=1),
            Rule(Region(space, {"n": {">": 3, "<": 5}}), then=2),
            Rule(Region(space, {"c": {"not in": ["a"], "missing": False}}), then=3),
            Rule(Region(space, {"x": {"missing": True}}), then=4),
        ],
        space,
    )
    function = made(to_python(rules))
    numbers = [None, math.nan, 0.1, 0, 1, decimal.Decimal("0.1"), fractions.Fraction(1, 10)]
    numbers += [np.float32(0.1), np.float64(0.1), np.int8(0), decimal.Decimal("NaN"), np.nan]
    wholes = [None, 4, 4.0, np.int64(4), np.float32(4), decimal.Decimal(4), 3, 5]
    values = [None, True, 1, 1.0, np.bool_(True), np.int16(1), 2.5, np.float32(2.5), "a"]
    values += [np.str_("a"), "1", "true", 0, False, math.nan, decimal.Decimal("2.5"), (1, 2)]
    rows = [dict(zip("xnc", row, strict=True)) for row in product(numbers, wholes, values)]
    assert [function(row) for row in rows] == rules.predict(rows).tolist()


def test_dates_times_and_durations():
    space = Space(
        [
            Continuous("d", kind="date"),
            Continuous("s", kind="datetime", missing=True),
            Continuous("t", kind="time"),
            Continuous("w", kind="duration"),
            Continuous("u", kind="datetime", unit="UTC"),
        ]
    )
    conditions = {
        "d": {"<": dt.date(2020, 1, 2)},
        "s": {">=": dt.datetime(2020, 1, 1, 12)},
        "t": {"<=": dt.time(12, 0, 0, 5)},
        "w": {">": dt.timedelta(days=-1, microseconds=3)},
        "u": {"<": dt.datetime(2020, 1, 1)},
    }
    rules = [Rule(Region(space, {name: asked}), then=name) for name, asked in conditions.items()]
    rules = RuleList(rules, space)
    function = made(to_python(rules))
    east = dt.timezone(dt.timedelta(hours=2))
    days = [dt.date(2020, 1, 1), dt.datetime(2020, 1, 2), "2020-01-01", "2020-01-02T00:00:00"]
    days += [np.datetime64("2020-01-01")]
    stamps = [None, dt.datetime(2020, 1, 1, 11), dt.date(2020, 1, 2), "2020-01-01T12:00"]
    stamps += [np.datetime64("NaT"), np.datetime64("2020-01-01T12:00:00", "ns")]
    times = [dt.time(12), dt.time(12, 0, 0, 6), "12:00:00.000005"]
    spans = [dt.timedelta(0), dt.timedelta(days=-1, microseconds=3), np.timedelta64(-1, "D")]
    zoned = [dt.datetime(2020, 1, 1, 1, tzinfo=east), dt.datetime(2020, 1, 1, tzinfo=dt.UTC)]
    zoned += ["2019-12-31T00:00:00"]
    drawn = product(days, stamps, times, spans, zoned)
    rows = [dict(zip("dstwu", values, strict=True)) for values in drawn]
    got = [function(row) for row in rows]
    assert got == rules.predict(rows).tolist()
    assert {*got} == {"d", "s", "t", "w", "u", None}
    naive = {**rows[0], "u": dt.datetime(2019, 12, 31)}
    with pytest.raises(ValueError, match="'u' must have a time zone"):
        function(naive)
    with pytest.raises(DataError, match="column 'u', row 1, has no time zone"):
        rules.predict([naive])


def test_months_and_values_of_pandas():
    pd = pytest.importorskip("pandas")
    months = one(Continuous("m", kind="months", missing=True), {"<": "P1Y2M"})
    got = [months({"m": m}) for m in (13, Months(13), 14, Months(14), None)]
    assert got == ["yes", "yes", None, None, None]
    with pytest.raises(ValueError, match="'m' must be a number, got 'P1Y'"):
        months({"m": "P1Y"})
    stamp = one(Continuous("s", kind="datetime", missing=True), {"<": dt.datetime(2020, 1, 2)})
    assert stamp({"s": pd.Timestamp("2020-01-01 00:00:00.000000001")}) == "yes"
    assert stamp({"s": pd.Timestamp("2020-01-02")}) is None
    assert stamp({"s": pd.NaT}) is None
    span = one(Continuous("w", kind="duration", missing=True), {"missing": True})
    assert span({"w": pd.NaT}) == span({"w": pd.NA}) == "yes"
    assert span({"w": pd.Timedelta(1, "s")}) is None


THENS = ["a\n'\"\\#", True, -3, 0.1, math.inf, -math.inf, dt.date(2020, 1, 1), dt.timedelta(-1),
         dt.datetime(2020, 1, 1, tzinfo=dt.UTC), decimal.Decimal("0.10"), b"\xff", (), (1,),
         ("a", (2.5, None)), frozenset(), frozenset({"a", "b"}), "größe\u2028\x00\x85"]  # fmt: skip


@pytest.mark.parametrize("then", THENS)
def test_consequents_come_back_as_they_are(then):
    rules = RuleSet([Rule({"f": {"<": 0.1}}, then=then)], Space([Continuous("f")]), default=then)
    function = made(to_python(rules))
    for case in ({"f": 0.0}, {"f": 1.0}):
        assert function(case) == then
        assert type(function(case)) is type(then)


def test_members_of_enumerations_are_written_as_what_they_equal():
    class Level(enum.StrEnum):
        LOW = "low'"

    class Grade(enum.IntEnum):
        ONE = 1

    feature = Categorical("c", [Level.LOW, Grade.ONE], other=True)
    function = one(feature, {"in": [Level.LOW, Grade.ONE]}, then=Level.LOW)
    assert [function({"c": c}) for c in ("low'", 1, "x")] == ["low'", "low'", None]


# --- invalid values

NUMBER, WHOLE = Continuous("f"), Continuous("f", kind="integer")
STAMP = dt.datetime(2020, 1, 1, 1)
FAR = "'f' must be at most 2**53 in absolute value, got"


@pytest.mark.parametrize(
    ("feature", "value", "message"),
    [
        (NUMBER, None, "'f' must not be missing"),
        (NUMBER, math.nan, "'f' must not be missing"),
        (NUMBER, math.inf, "'f' must be finite, got inf"),
        (NUMBER, "5", "'f' must be a number, got '5'"),
        (NUMBER, True, "'f' must be a number, got True"),
        (NUMBER, 2**53 + 1, f"{FAR} 9007199254740993"),
        (NUMBER, 10**400, f"{FAR} 1000"),
        (Continuous("f", bounds=(0, 9)), 9.5, "'f' must be within the bounds (0.0, 9.0), got 9.5"),
        (Continuous("f", bounds=(0, None)), -1,
         "'f' must be within the bounds (0.0, None), got -1.0"),
        (WHOLE, 1.5, "'f' must be an integer, got 1.5"),
        (WHOLE, math.inf, f"{FAR} inf"),
        ("date", STAMP, "'f' must be a datetime.date, got datetime.datetime(2020, 1, 1, 1, 0)"),
        ("date", 5, "'f' must be a datetime.date, got 5"),
        ("datetime", dt.time(1), "'f' must be a datetime.datetime, got datetime.time(1, 0)"),
        ("datetime", STAMP.replace(tzinfo=dt.UTC), "'f' must not have a time zone, got"),
        ("time", STAMP, "'f' must be a datetime.time, got datetime.datetime(2020, 1, 1, 1, 0)"),
        ("time", "noon", "Invalid isoformat string: 'noon'"),
        ("duration", 5, "'f' must be a datetime.timedelta, got 5"),
        ("duration", "P1D", "'f' must be a datetime.timedelta, got 'P1D'"),
    ],
    ids=str,
)  # fmt: skip
def test_an_invalid_value_is_an_error(feature, value, message):
    if isinstance(feature, str):
        feature = Continuous("f", kind=feature, missing=True)
        function = one(feature, {"missing": False})
        assert function({"f": None}) is None
    else:
        function = one(feature, {">": 1})
    for case in [{"f": value}] + [{}] * (value is None):
        with pytest.raises(ValueError, match=re.escape(message)):
            function(case)


def test_an_invalid_category_is_an_error():
    closed = one(Categorical("c", ["a", "b"]), {"a"})
    assert [closed({"c": c}) for c in "ab"] == ["yes", None]
    with pytest.raises(ValueError, match="'c' must be one of its listed values, got 'x'"):
        closed({"c": "x"})
    with pytest.raises(ValueError, match=re.escape("'c' must be hashable, got ['a']")):
        one(Categorical("c", ["a", "b"], other=True), {"a"})({"c": ["a"]})


# --- the source

LAYOUT = """\
def decide(case):
    age = _number(case, 'age', missing=True, low=0, high=120, whole=True)
    job = _category(case, 'job', values={'nurse', 'cook', 'clerk'})
    feature_3 = _category(case, 'low risk', missing=True)
    # 1. IF (age < 18 or missing) THEN ask
    if (age is None or age < 18):
        return 'ask'
    # 2. IF 18 <= age < 65 AND job in {nurse, cook} THEN "on call"
    if age is not None and 18 <= age < 65 and job in {'nurse', 'cook'}:
        return 'on call'
    # 3. IF "low risk" not in {a} THEN no
    if feature_3 != 'a':
        return 'no'
    # 4. IF anything THEN rest
    if True:
        return 'rest'
    return None
"""


def test_layout_of_the_source():
    space = Space(
        [
            Continuous("age", bounds=(0, 120), kind="integer", missing=True),
            Categorical("job", ["nurse", "cook", "clerk"]),
            Categorical("low risk", ["a"], missing=True, other=True),
            Continuous("unused"),
        ]
    )
    rules = RuleList(
        [
            Rule(Region(space, {"age": {"<": 18, "missing": True}}), then="ask"),
            Rule(Region(space, {"age": (18, 65), "job": {"nurse", "cook"}}), then="on call"),
            Rule(Region(space, {"low risk": {"not in": ["a"]}}), then="no"),
            Rule(Region(space), then="rest"),
        ],
        space,
    )
    source = to_python(rules, name="decide")
    assert source.startswith(
        '"""Rules as plain Python, written by irenic. The first rule that holds decides: the order'
        " matters.\n\nA case is a mapping"
    )
    assert source[source.index("def decide") :] == LAYOUT
    note = "The rules do not contradict each other: their order does not matter."
    assert note in to_python(RuleSet([Rule({"a": {"<": 1}}, then="x")]))
    without = to_python(RuleSet(space=Space([Continuous("a")]), default="x"))
    assert "import" not in without
    assert made(without)({}) == "x"


def test_long_tests_are_broken_into_lines():
    conditions = {f"a_rather_long_name_{i}": {">=": i, "<": i + 1} for i in range(6)}
    source = to_python(RuleSet([Rule(conditions, then="x")]))
    body = source[source.index("def predict") :].splitlines()
    assert max(len(line) for line in body if "#" not in line) <= 100
    assert made(source)({f"a_rather_long_name_{i}": i for i in range(6)}) == "x"


NASTY = ["\n    return 1 #", "a\r\nb", "'", '"""', "\\", "# -*- coding: latin-1 -*-", "{}",
         "\x0c\x1c\x85\u2028"]  # fmt: skip


def test_no_value_can_end_its_quotes_or_its_comment():
    space = Space([Categorical(name, NASTY, other=True) for name in NASTY])
    pairs = product(NASTY, NASTY)
    listed = [Rule(Region(space, {name: value}), then=name + value) for name, value in pairs]
    rules = RuleList(listed, space, default="\n")
    source = to_python(rules)
    function = made(source)
    (body,) = [n for n in ast.parse(source).body if getattr(n, "name", "") == "predict"]
    kinds = [type(node) for node in body.body]
    assert kinds == [ast.Assign] * len(NASTY) + [ast.If] * len(rules) + [ast.Return]
    rows = [dict.fromkeys(NASTY, "x") | {name: value} for name in NASTY for value in [*NASTY, "y"]]
    assert [function(row) for row in rows] == rules.predict(rows).tolist()


def test_a_repr_cannot_end_a_comment():
    class Sly(tuple):
        def __repr__(self):
            return "\n    return 'sly'\r    #"

    rules = RuleSet([Rule({"a": {"<": 1}}, then=Sly((None,)))])
    source = to_python(rules)
    assert "# 1. IF a < 1 THEN \\n    return 'sly'\\r    #\n" in source
    assert made(source)({"a": 5}) is None
    assert made(source)({"a": 0}) == (None,)


def test_feature_names_that_the_source_uses():
    names = ["case", "predict", "math", "None", "def", "float", "_number", "feature_1", "größe"]
    names += ["feature_3", "feature_3_", "x", "isinstance"]
    space = Space([Continuous(name) for name in names])
    rules = RuleList(
        [Rule(Region(space, {name: {"<": i}}), then=i) for i, name in enumerate(names)], space
    )
    function = made(to_python(rules))
    rows = [{n: -1.0 if n == name else 50.0 for n in names} for name in names]
    assert [function(row) for row in rows] == list(range(13))


def test_the_source_runs_without_libraries_and_is_deterministic(tmp_path):
    def python(*arguments, seed="0"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        return subprocess.run(
            [sys.executable, *arguments], env=environment, cwd=tmp_path, capture_output=True,
            text=True, check=True,
        ).stdout  # fmt: skip

    rules = RuleSet(
        [Rule({"a": {"<": 0.1}, "b": {"x"}}, then=frozenset("pqrstuvwxyz"))],
        default=dt.date(2020, 1, 1),
    )
    (tmp_path / "rules_as_source.py").write_text(dumps(rules), encoding="utf-8")
    ask = "import rules_as_source as r, sys; print({*'pqrstuvwxyz'} =="
    ask += " r.predict({'a': 0.0, 'b': 'x'}), r.predict({'a': 0.1, 'b': 'x'}),"
    ask += " 'numpy' in sys.modules)"
    assert python("-S", "-c", ask) == "True 2020-01-01 False\n"
    again = (
        "from irenic import *; import datetime as dt\n"
        "from irenic.formats.python.source import dumps\n"
        "print(dumps(RuleSet([Rule({'a': {'<': 0.1}, 'b': {'x'}}, "
        "then=frozenset('pqrstuvwxyz'))], default=dt.date(2020, 1, 1))), end='')"
    )
    assert python("-c", again, seed="1") == dumps(rules)


# --- errors

EMPTY = RuleSet(space=Space([]))
OVERLAPPING = RuleSet([Rule({"a": (0, 2)}, then="x"), Rule({"a": (1, 3)}, then="y", weight=2)])
STRANGE = RuleSet([Rule({"a": (0, 2)}, then="x"), Rule({"a": (3, 4)}, then=object)])


@pytest.mark.parametrize(
    ("rules", "options", "error", "message"),
    [
        *((EMPTY, {"name": name}, ConditionError,
           "the name of the function must be an identifier, got ")
          for name in ("", "a b", "class", "1a", "a\n", None, "x;y")),
        *((EMPTY, {"name": name}, ConditionError,
           r"the name '.*' is used elsewhere in the source; choose")
          for name in ("case", "float", "_value", "datetime", "ｍath")),
        (OVERLAPPING, {}, ConflictError, "the rules contradict each other: "),
        (OVERLAPPING, {"resolve": "vote"}, FormatError,
         "branches cannot represent resolve='vote'"),
        (OVERLAPPING, {"resolve": "last"}, ConditionError,
         "resolve must be one of first, best, vote, got 'last'"),
        (RuleList.from_rules(OVERLAPPING), {"resolve": "best"}, ConditionError,
         "resolve must be 'first' or None for a rule list, got 'best'"),
        ([], {}, ConditionError, "rules must be a RuleSet, a RuleList or a DecisionTable, got lis"),
        (STRANGE, {}, FormatError,
         r"^rule 2: <class 'object'> of type type cannot be written as"),
        (STRANGE[:1], {"default": 1j}, FormatError,
         r"^the default: 1j of type complex cannot be written as"),
    ],
    ids=repr,
)  # fmt: skip
def test_what_has_no_source_is_an_error(rules, options, error, message):
    with pytest.raises(error, match=message):
        to_python(rules, **options)


def test_conflicts_raise_the_error_of_predict_and_a_default_can_be_given():
    with pytest.raises(ConflictError) as refused:
        to_python(OVERLAPPING)
    with pytest.raises(ConflictError) as predicted:
        OVERLAPPING.predict({"a": [1]})
    assert str(refused.value) == str(predicted.value)
    rules = RuleSet([Rule({"a": (0, 2)}, then="x")], default="y")
    assert made(to_python(rules, default="z"))({"a": 5}) == "z"
