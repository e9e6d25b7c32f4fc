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

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import naive
import strategies
from irenic import (
    OTHER,
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
    return made(
        to_python(RuleSet([Rule(Region(space, {feature.name: condition}), then=then)], space))
    )


def cells(rules, limit=400):
    """Return cells of the grid of the rules' bounds, except those that contain no value."""
    axes = [
        [
            v
            for v in axis
            if naive.shows(f, v)
            and (getattr(f, "kind", "") != "integer" or abs(v) <= 2**53 or v == -math.inf)
        ]
        for f, axis in zip(
            rules.space, naive.grid(rules.space, [r.region for r in rules]), strict=True
        )
    ]
    found = naive.cells_of(axes)
    return found[:: max(1, len(found) // limit)]


def as_case(space, cell):
    case = {}
    for feature, value in zip(space, cell, strict=True):
        decoded = naive.decode(feature, value)
        case[feature.name] = feature.unlisted() if decoded is OTHER else decoded
    return case


# --- predictions


@given(strategies.consistent_rule_sets(default="else"))
def test_a_set_returns_what_predict_returns(rules):
    function = made(to_python(rules))
    some = cells(rules)
    expected = rules.predict(naive.instances(rules.space, some)).tolist()
    assert [function(as_case(rules.space, cell)) for cell in some] == expected


@given(strategies.rule_sets(), st.sampled_from(["first", "best"]))
def test_a_set_with_conflicts_is_resolved_as_predict_does(rules, resolve):
    function = made(to_python(rules, resolve=resolve))
    some = cells(rules)
    expected = rules.predict(naive.instances(rules.space, some), resolve=resolve).tolist()
    assert [function(as_case(rules.space, cell)) for cell in some] == expected


@given(strategies.rule_sets(default="else"))
def test_a_list_returns_what_predict_returns(rules):
    listed = RuleList.from_rules(rules)
    function = made(to_python(listed))
    some = cells(rules)
    expected = listed.predict(naive.instances(rules.space, some)).tolist()
    assert [function(as_case(rules.space, cell)) for cell in some] == expected


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
    rows = [{"x": x, "n": n, "c": c} for x in numbers for n in wholes for c in values]
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
    rules = RuleList(
        [
            Rule(Region(space, {"d": {"<": dt.date(2020, 1, 2)}}), then="d"),
            Rule(Region(space, {"s": {">=": dt.datetime(2020, 1, 1, 12)}}), then="s"),
            Rule(Region(space, {"t": {"<=": dt.time(12, 0, 0, 5)}}), then="t"),
            Rule(Region(space, {"w": {">": dt.timedelta(days=-1, microseconds=3)}}), then="w"),
            Rule(Region(space, {"u": {"<": dt.datetime(2020, 1, 1)}}), then="u"),
        ],
        space,
    )
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
    rows = [
        dict(zip("dstwu", values, strict=True))
        for values in (
            (d, s, t, w, u)
            for d in days
            for s in stamps
            for t in times
            for w in spans
            for u in zoned
        )
    ]
    got = [function(row) for row in rows]
    assert got == rules.predict(rows).tolist()
    assert {*got} == {"d", "s", "t", "w", "u", None}
    naive = {**rows[0], "u": dt.datetime(2019, 12, 31)}
    with pytest.raises(ValueError, match="'u' must have a time zone"):
        function(naive)
    with pytest.raises(DataError, match="column 'u', row 1, has no time zone"):
        rules.predict([naive])


def test_durations_of_months_are_counted():
    function = one(Continuous("m", kind="months", missing=True), {"<": "P1Y2M"})
    assert [function({"m": m}) for m in (13, 14, Months(13), Months(14), None)] == [
        *["yes", None] * 2,
        None,
    ]
    with pytest.raises(ValueError, match="'m' must be a number, got 'P1Y'"):
        function({"m": "P1Y"})


def test_frames_hold_values_of_pandas():
    pd = pytest.importorskip("pandas")
    stamp = one(Continuous("s", kind="datetime", missing=True), {"<": dt.datetime(2020, 1, 2)})
    assert stamp({"s": pd.Timestamp("2020-01-01 00:00:00.000000001")}) == "yes"
    assert stamp({"s": pd.Timestamp("2020-01-02")}) is None
    assert stamp({"s": pd.NaT}) is None
    span = one(Continuous("w", kind="duration", missing=True), {"missing": True})
    assert span({"w": pd.NaT}) == span({"w": pd.NA}) == "yes"
    assert span({"w": pd.Timedelta(1, "s")}) is None


@pytest.mark.parametrize(
    "then",
    [
        "a\n'\"\\#",
        True,
        -3,
        0.1,
        math.inf,
        -math.inf,
        dt.date(2020, 1, 1),
        dt.datetime(2020, 1, 1, tzinfo=dt.UTC),
        dt.timedelta(days=-1),
        decimal.Decimal("0.10"),
        b"\xff",
        (),
        (1,),
        ("a", (2.5, None)),
        frozenset(),
        frozenset({"a", "b"}),
        "größe\u2028\x00\x85",
    ],
)
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


@pytest.mark.parametrize(
    ("feature", "case", "message"),
    [
        (Continuous("f"), {}, "'f' must not be missing"),
        (Continuous("f"), {"f": math.nan}, "'f' must not be missing"),
        (Continuous("f"), {"f": math.inf}, "'f' must be finite, got inf"),
        (Continuous("f"), {"f": "5"}, "'f' must be a number, got '5'"),
        (Continuous("f"), {"f": True}, "'f' must be a number, got True"),
        (
            Continuous("f"),
            {"f": 2**53 + 1},
            "'f' must be at most 2**53 in absolute value, got 9007199254740993",
        ),
        (Continuous("f"), {"f": 10**400}, "'f' must be at most 2**53 in absolute value, got 1000"),
        (
            Continuous("f", bounds=(0, 9)),
            {"f": 9.5},
            "'f' must be within the bounds (0.0, 9.0), got 9.5",
        ),
        (
            Continuous("f", bounds=(0, None)),
            {"f": -1},
            "'f' must be within the bounds (0.0, None), got -1.0",
        ),
        (Continuous("f", kind="integer"), {"f": 1.5}, "'f' must be an integer, got 1.5"),
        (
            Continuous("f", kind="integer"),
            {"f": math.inf},
            "'f' must be at most 2**53 in absolute value, got inf",
        ),
    ],
    ids=str,
)
def test_an_invalid_number_is_an_error(feature, case, message):
    function = one(feature, {">": 1})
    with pytest.raises(ValueError, match=re.escape(message)):
        function(case)


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (
            "date",
            dt.datetime(2020, 1, 1, 1),
            "'f' must be a datetime.date, got datetime.datetime(2020, 1, 1, 1, 0)",
        ),
        ("date", 5, "'f' must be a datetime.date, got 5"),
        ("datetime", dt.time(1), "'f' must be a datetime.datetime, got datetime.time(1, 0)"),
        ("datetime", dt.datetime(2020, 1, 1, tzinfo=dt.UTC), "'f' must not have a time zone, got"),
        (
            "time",
            dt.datetime(2020, 1, 1),
            "'f' must be a datetime.time, got datetime.datetime(2020, 1, 1, 0, 0)",
        ),
        ("time", "noon", "Invalid isoformat string: 'noon'"),
        ("duration", 5, "'f' must be a datetime.timedelta, got 5"),
        ("duration", "P1D", "'f' must be a datetime.timedelta, got 'P1D'"),
    ],
)
def test_an_invalid_time_is_an_error(kind, value, message):
    function = one(Continuous("f", kind=kind, missing=True), {"missing": False})
    assert function({"f": None}) is None
    with pytest.raises(ValueError, match=re.escape(message)):
        function({"f": value})


def test_an_invalid_category_is_an_error():
    closed = one(Categorical("c", ["a", "b"]), {"a"})
    assert [closed({"c": c}) for c in "ab"] == ["yes", None]
    with pytest.raises(ValueError, match="'c' must be one of its listed values, got 'x'"):
        closed({"c": "x"})
    with pytest.raises(ValueError, match=re.escape("'c' must be hashable, got ['a']")):
        one(Categorical("c", ["a", "b"], other=True), {"a"})({"c": ["a"]})


def test_features_that_no_rule_tests_are_not_read():
    space = Space([Continuous("a"), Continuous("b")])
    function = made(to_python(RuleSet([Rule({"a": {"<": 1}}, then="yes")], space)))
    assert function({"a": 0}) == "yes"


# --- the source


def test_layout_of_the_source():
    space = Space(
        [
            Continuous("age", bounds=(0, 120), kind="integer", missing=True),
            Categorical("job", ["nurse", "cook", "clerk"]),
            Categorical("low risk", ["a"], missing=True, other=True),
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
    assert (
        source[source.index("def decide") :]
        == """\
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
    )


def test_a_consistent_set_says_that_its_order_does_not_matter():
    rules = RuleSet([Rule({"a": {"<": 1}}, then="x")])
    assert "The rules do not contradict each other: their order does not matter." in to_python(
        rules
    )


def test_without_rules_there_is_no_prelude():
    source = to_python(RuleSet(space=Space([Continuous("a")]), default="x"))
    assert "import" not in source
    assert made(source)({}) == "x"


def test_long_tests_are_broken_into_lines():
    conditions = {f"a_rather_long_name_{i}": {">=": i, "<": i + 1} for i in range(6)}
    rules = RuleSet([Rule(conditions, then="x")])
    source = to_python(rules)
    body = source[source.index("def predict") :].splitlines()
    assert max(len(line) for line in body if "#" not in line) <= 100
    assert made(source)({f"a_rather_long_name_{i}": i for i in range(6)}) == "x"


NASTY = [
    "\n    return 1 #",
    "a\r\nb",
    "'",
    '"""',
    "\\",
    "# -*- coding: latin-1 -*-",
    "\x0c\x1c\x85\u2028",
    "{}",
]


def test_no_value_can_end_its_quotes_or_its_comment():
    space = Space([Categorical(name, NASTY, other=True) for name in NASTY])
    rules = RuleList(
        [
            Rule(Region(space, {name: value}), then=name + value)
            for name in NASTY
            for value in NASTY
        ],
        space,
        default="\n",
    )
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
    rows = [
        {name: -1.0 if n == place else 50.0 for n, name in enumerate(names)} for place in range(13)
    ]
    assert [function(row) for row in rows] == list(range(13))


def test_the_source_runs_without_libraries_and_is_deterministic(tmp_path):
    rules = RuleSet(
        [Rule({"a": {"<": 0.1}, "b": {"x"}}, then=frozenset({"p", "q", "r", "s"}))],
        default=dt.date(2020, 1, 1),
    )
    path = tmp_path / "rules_as_source.py"
    path.write_text(dumps(rules), encoding="utf-8")
    ask = "import rules_as_source as r, sys; print(r.predict({'a': 0.0, 'b': 'x'}) == {*'pqrs'},"
    ask += " r.predict({'a': 0.1, 'b': 'x'}), 'numpy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", ask], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "True 2020-01-01 False\n"
    again = (
        "from irenic import *; import datetime as dt\n"
        "from irenic.formats.python.source import dumps\n"
        "print(dumps(RuleSet([Rule({'a': {'<': 0.1}, 'b': {'x'}}, then=frozenset('pqrs'))],"
        " default=dt.date(2020, 1, 1))), end='')"
    )
    for seed in "12":
        done = subprocess.run(
            [sys.executable, "-c", again],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == dumps(rules)


# --- errors


@pytest.mark.parametrize("name", ["", "a b", "class", "1a", "a\n", None, "x;y"], ids=repr)
def test_a_name_that_is_not_an_identifier_is_rejected(name):
    with pytest.raises(
        ConditionError, match="the name of the function must be an identifier, got "
    ):
        to_python(RuleSet(space=Space([])), name=name)


@pytest.mark.parametrize("name", ["case", "float", "_value", "datetime", "ｍath"])
def test_a_name_that_the_source_uses_is_rejected(name):
    with pytest.raises(
        ConditionError, match=r"the name '.*' is used elsewhere in the source; choose"
    ):
        to_python(RuleSet(space=Space([])), name=name)


def test_conflicts_raise_the_error_of_predict():
    rules = RuleSet([Rule({"a": (0, 2)}, then="x"), Rule({"a": (1, 3)}, then="y", weight=2)])
    with pytest.raises(ConflictError, match="the rules contradict each other: ") as refused:
        to_python(rules)
    with pytest.raises(ConflictError) as predicted:
        rules.predict({"a": [1]})
    assert str(refused.value) == str(predicted.value)
    assert made(to_python(rules, resolve="first"))({"a": 1}) == "x"
    assert made(to_python(rules, resolve="best"))({"a": 1}) == "y"
    with pytest.raises(FormatError, match="branches cannot represent resolve='vote'"):
        to_python(rules, resolve="vote")
    with pytest.raises(
        ConditionError, match="resolve must be one of first, best, vote, got 'last'"
    ):
        to_python(rules, resolve="last")
    with pytest.raises(
        ConditionError, match="resolve must be 'first' or None for a rule list, got 'best'"
    ):
        to_python(RuleList.from_rules(rules), resolve="best")


def test_the_default_can_be_given():
    rules = RuleSet([Rule({"a": (0, 2)}, then="x")], default="y")
    assert made(to_python(rules, default="z"))({"a": 5}) == "z"


def test_other_objects_are_rejected():
    wanted = "rules must be a RuleSet, a RuleList or a DecisionTable, got list"
    with pytest.raises(ConditionError, match=wanted):
        to_python([])


def test_values_without_a_form_in_source_are_rejected():
    rules = RuleSet([Rule({"a": (0, 2)}, then="x"), Rule({"a": (3, 4)}, then=object)])
    with pytest.raises(
        FormatError, match=r"^rule 2: <class 'object'> of type type cannot be written as"
    ):
        to_python(rules)
    with pytest.raises(FormatError, match=r"^the default: 1j of type complex cannot be written as"):
        to_python(rules[:1], default=1j)
