from __future__ import annotations

import datetime as dt
import math
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from irenic import (
    MISSING,
    OTHER,
    Categorical,
    ConditionError,
    Continuous,
    Region,
    Rule,
    RuleSet,
    Space,
)
from irenic.model.condition import (
    as_operators,
    bits_operators,
    encode_bits,
    encode_interval,
    infer_features,
    interval_operators,
    interval_text,
)
from irenic.model.features import LOWEST
from irenic.model.literals import Months
from refusals import rejects

NUMBER = Continuous("f", missing=True)
INTEGER = Continuous("n", kind="integer", missing=True)
DATE = Continuous("d", kind="date")
OPEN = Categorical("c", ["red", "blue"], missing=True, other=True)
CLOSED = Categorical("c", ["red", "blue"])
SPACE = Space([Continuous("f1"), Categorical("color", ["yellow", "blue", "red"])])


def test_every_accepted_form_becomes_operators():
    assert as_operators((2, 5), "f") == {">=": 2, "<": 5}
    assert as_operators((2, None), "f") == {">=": 2}
    assert as_operators((None, 5), "f") == {"<": 5}
    assert as_operators((None, None), "f") == {"missing": False}
    assert as_operators(3, "f") == {"=": 3}
    assert as_operators("red", "f") == {"=": "red"}
    assert as_operators({"red"}, "f") == as_operators(frozenset({"red"}), "f") == {"in": ["red"]}
    assert as_operators(["red", "blue"], "f") == {"in": ["red", "blue"]}
    assert as_operators({">": 2, "<=": 5}, "f") == {">": 2, "<=": 5}
    assert as_operators({}, "f") == {}


@pytest.mark.parametrize(
    ("operators", "interval"),
    [
        ({"<": 5}, (LOWEST, 5.0)),
        ({"<=": 5}, (LOWEST, math.nextafter(5, 6))),
        ({">": 5}, (math.nextafter(5, 6), math.inf)),
        ({">=": 5}, (5.0, math.inf)),
        ({"=": 5}, (5.0, math.nextafter(5, 6))),
        ({"in": [5]}, (5.0, math.nextafter(5, 6))),
        ({"<": 5, "missing": True}, (-math.inf, 5.0)),
        ({">=": -math.inf, "<": 5}, (-math.inf, 5.0)),
        ({">": -math.inf}, (LOWEST, math.inf)),
        ({"<": math.inf}, (LOWEST, math.inf)),
        ({"missing": True}, (-math.inf, LOWEST)),
        ({"missing": False}, (LOWEST, math.inf)),
        ({"=": MISSING}, (-math.inf, LOWEST)),
        ({"=": None}, (-math.inf, LOWEST)),
        ({"in": [MISSING]}, (-math.inf, LOWEST)),
        ({"in": [math.nan]}, (-math.inf, LOWEST)),
        ({"not in": [MISSING]}, (LOWEST, math.inf)),
        ({"not in": []}, (-math.inf, math.inf)),
        ({"<=": sys.float_info.max}, (LOWEST, math.inf)),
        ({"<": np.float64(5)}, (LOWEST, 5.0)),
    ],
)
def test_a_condition_on_a_number_is_a_half_open_interval(operators, interval):
    assert encode_interval(NUMBER, operators)[:2] == interval


@pytest.mark.parametrize(
    ("operators", "codes"),
    [
        ({"=": "red"}, {2}),
        ({"in": ["red", "blue"]}, {2, 3}),
        ({"in": ["red", MISSING]}, {0, 2}),
        ({"in": ["red", None]}, {0, 2}),
        ({"in": ["red", OTHER]}, {1, 2}),
        ({"not in": ["red"]}, {0, 1, 3}),
        ({"not in": ["red", MISSING]}, {1, 3}),
        ({"not in": ["red"], "missing": False}, {1, 3}),
        ({"missing": True}, {0}),
        ({"missing": False}, {1, 2, 3}),
        ({"other": True}, {1}),
        ({"other": False}, {0, 2, 3}),
        ({"other": True, "missing": True}, {0, 1}),
        ({"other": False, "missing": False}, {2, 3}),
        ({"in": ["red"], "missing": True, "other": True}, {0, 1, 2}),
        ({"in": ["red", "blue"], "not in": ["red"]}, {3}),
    ],
)
def test_a_condition_on_a_category_is_a_set_of_bits(operators, codes):
    assert encode_bits(OPEN, operators) == sum(1 << code for code in codes)


# --- bounds as they were written


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ({"<=": 5}, "f1 <= 5"),
        ({"<": 5}, "f1 < 5"),
        ({">": 5}, "f1 > 5"),
        ({">=": 5.0}, "f1 >= 5"),
        ({">": 2, "<=": 5}, "2 < f1 <= 5"),
        ({">=": 2, "<": 5}, "2 <= f1 < 5"),
        (5, "f1 = 5"),
        ({"<=": 0.1}, "f1 <= 0.1"),
        ({"<": math.nextafter(5, 6)}, "f1 < 5.000000000000001"),
        ({"<": math.nextafter(0.1, 1)}, "f1 < 0.10000000000000002"),
        ({"<=": math.nextafter(0.1, 0)}, "f1 <= 0.09999999999999999"),
        ({"<=": 5e-324}, "f1 <= 5e-324"),
        ({">": 2.5}, "f1 > 2.5"),
        ({"<": -0.0}, "f1 < 0"),
        ({"<": 2.0**53 + 2}, "f1 < 9007199254740994.0"),
        ({"<": 1e300}, "f1 < 1e+300"),
    ],
)
def test_a_bound_is_shown_as_it_was_written(condition, text):
    assert str(Region(SPACE, {"f1": condition})) == text


def test_two_ways_to_write_a_bound_give_the_same_region():
    up = math.nextafter(5.0, 6.0)
    assert Region(SPACE, {"f1": {"<=": 5}}) == Region(SPACE, {"f1": {"<": up}})
    assert Region(SPACE, {"f1": {">": 5}}) == Region(SPACE, {"f1": {">=": up}})
    assert Region(SPACE, {"f1": {"<": 0.0}}) == Region(SPACE, {"f1": {"<": -0.0}})
    bounds = [(up, math.inf, "f1 > 5"), (-math.inf, up, "f1 <= 5"), (-math.inf, 5.0, "f1 < 5")]
    for low, high, text in bounds:
        packed = np.array([low]), np.array([high]), SPACE.everything.copy()
        assert str(Region.from_packed(SPACE, *packed)) == text


@pytest.mark.parametrize(
    ("feature", "a", "b"),
    [
        (INTEGER, {"<=": 5}, {"<": 6}),
        (INTEGER, {">": 5}, {">=": 6}),
        (INTEGER, {"<": 5.5}, {"<=": 5}),
        (INTEGER, {">": 5.5}, {">=": 6}),
        (INTEGER, {"=": 5}, {">=": 5, "<": 6}),
        (DATE, {"<=": "2026-01-31"}, {"<": "2026-02-01"}),
        (DATE, {">": dt.date(2026, 1, 31)}, {">=": "2026-02-01"}),
        (Continuous("t", kind="time"), {"<=": "12:00"}, {"<": "12:00:00.000001"}),
        (Continuous("t", kind="duration"), {"<=": "PT1S"}, {"<": "PT1.000001S"}),
        (Continuous("t", kind="months"), {"<=": "P1Y"}, {"<": "P13M"}),
        (Continuous("t", kind="months"), {">": Months(-1)}, {">=": "P0M"}),
        (Continuous("t", kind="datetime"), {"<=": "2026-01-31"}, {"<":
         "2026-01-31T00:00:00.000001"}),
    ],
)  # fmt: skip
def test_neighboring_values_give_equal_conditions(feature, a, b):
    assert encode_interval(feature, a)[:2] == encode_interval(feature, b)[:2]
    space = Space([feature])
    assert Region(space, {feature.name: a}) == Region(space, {feature.name: b})


@pytest.mark.parametrize(
    ("kind", "operators", "text"),
    [
        ("integer", {"<=": 5}, "f <= 5"),
        ("integer", {"<": 6}, "f < 6"),
        ("integer", {"<": 5.5}, "f < 6"),
        ("date", {"<=": dt.date(9999, 12, 31)}, "f <= 9999-12-31"),
        ("date", {">=": dt.date(1, 1, 1)}, "f >= 0001-01-01"),
        ("time", {"<=": dt.time(23, 59, 59, 999_999)}, "f <= 23:59:59.999999"),
        ("datetime", {"<": "2026-01-31T12:00"}, "f < 2026-01-31T12:00:00"),
        ("duration", {">": "-P1D"}, "f > -P1D"),
        ("months", {">": "-P1Y1M"}, "f > -P1Y1M"),
        ("months", {"<=": Months(2**53)}, "f <= P750599937895082Y8M"),
    ],
)
def test_bounds_of_other_kinds_are_shown_as_they_were_written(kind, operators, text):
    feature = Continuous("f", kind=kind)
    assert interval_text(feature, encode_interval(feature, operators)) == text


@pytest.mark.parametrize(
    ("feature", "condition", "text"),
    [
        (NUMBER, {"<": 5, "missing": True}, "(f < 5 or missing)"),
        (NUMBER, {"missing": True}, "f is missing"),
        (NUMBER, {"missing": False}, "f is not missing"),
        (NUMBER, {"not in": [MISSING]}, "f is not missing"),
        (OPEN, {"missing": True}, "c is missing"),
        (OPEN, {"missing": False}, "c is not missing"),
        (OPEN, {"not in": ["red"]}, "c not in {red}"),
        (OPEN, {"not in": ["red", MISSING]}, "c not in {red, missing}"),
        (OPEN, {"other": True}, "c not in {red, blue, missing}"),
        (OPEN, {"other": True, "missing": True}, "c not in {red, blue}"),
        (OPEN, {"in": ["blue", MISSING]}, "c in {blue, missing}"),
        (OPEN, {"in": ["red", "blue"]}, "c in {red, blue}"),
        (CLOSED, {"not in": ["red"]}, "c in {blue}"),
        (CLOSED, {"in": ["red", "blue"]}, "anything"),
        (Categorical("a b", ["x y", 1, True is None]), {"in": ["x y", 1]}, '"a b" in {"x y", 1}'),
    ],
)
def test_missing_and_other_have_a_text(feature, condition, text):
    assert str(Region(Space([feature]), {feature.name: condition})) == text


# --- laws

bounds = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-10, 10)


@st.composite
def intervals(draw):
    lower, upper = draw(bounds), draw(bounds)
    operators = {}
    if draw(st.booleans()):
        operators[draw(st.sampled_from([">", ">="]))] = lower
    if draw(st.booleans()):
        operators[draw(st.sampled_from(["<", "<="]))] = upper
    return operators | ({"missing": True} if not set(operators) & {">", ">="} else {})


@given(intervals(), st.sampled_from([NUMBER, INTEGER]))
@example({"<": 1e17, "missing": True}, INTEGER)
@example({"<=": 2.0**53 + 2, "missing": True}, NUMBER)
@example({">": -sys.float_info.max}, NUMBER)
@example({">=": -sys.float_info.max}, NUMBER)
def test_the_operators_of_an_interval_give_the_same_interval(operators, feature):
    try:
        interval = encode_interval(feature, operators)
    except ConditionError:
        assume(False)
    again = interval_operators(feature, interval)
    if again:
        assert encode_interval(feature, again)[:2] == interval[:2]
    else:
        assert interval[:2] == (-math.inf, math.inf)


@given(st.sets(st.integers(0, 3), min_size=1), st.booleans(), st.booleans())
def test_the_operators_of_a_set_give_the_same_set(codes, missing, other):
    feature = Categorical("c", ["red", "blue"], missing=missing, other=other)
    bits = sum(1 << c for c in codes) & feature.everything
    if not bits:
        return
    operators = bits_operators(feature, bits)
    assert (encode_bits(feature, operators) if operators else feature.everything) == bits


F = Continuous("f")
COLOR = Categorical("f", ["yellow", "blue", "red"])
AGE = Continuous("f", bounds=(0, 120))
DAY = Continuous("f", kind="date")
NEVER = "can never be true, because 'f' is"


@pytest.mark.parametrize(
    ("feature", "condition", "text"),
    [
        (F, (5, 5), ": no value satisfies f >= 5 and f < 5"),
        (F, {">": 5, "<=": 5}, ": no value satisfies f > 5 and f <= 5"),
        (F, set(), ": no value satisfies f in {}"),
        (F, {">": math.inf}, ": no value satisfies f > inf"),
        (F, {"<=": -math.inf}, ": no value satisfies f <= -inf"),
        (F, {"=": 5, "in": [6]}, ": no value satisfies f = 5 and f in {6}"),
        (F, (5, 2), ": the lower bound is above the upper bound in f >= 5 and f < 2"),
        (F, (math.nan, 5), ": NaN cannot be a bound"),
        (F, {"<": math.nan}, ": NaN cannot be a bound"),
        (F, {"<": None}, ": None cannot be a bound"),
        (F, {"<": "x"}, ": 'x' is not a number"),
        (F, {"<": True}, ": True is not a number"),
        (F, {"<": 2**53 + 1}, ": 9007199254740993 is beyond 2**53, where float64 cannot"
         " represent every integer; use a categorical feature, or subtract an offset"),
        (F, (1, 2, 3), ": an interval must be a pair (lower, upper), got (1, 2, 3); use {…} for"
         " a set of values"),
        (F, {1, 2},
         " is continuous: a set of 2 values is not an interval; write one rule per value"),
        (F, {"not in": [5]},
         " is continuous: all values except 5 form two intervals; write one rule for each"),
        (F, {"other": True}, " is continuous: test it with <, <=, >, >= or =, not with a set"),
        (F, {"in": "abc"}, ": values must be a list or set, got 'abc'"),
        (F, {"missing": True}, f": f is missing {NEVER} never missing"),
        (F, {"between": 5}, ": unknown operator 'between' (known: '<', '<=', '>', '>=', '=',"
         " 'in', 'not in', 'missing', …)"),
        (F, {"not_in": [5]}, ": unknown operator 'not_in'; did you mean 'not in'?"),
        (F, {"missing": 1}, ": 'missing' must be True or False, got 1"),
        (COLOR, set(), ": no value satisfies f in {}"),
        (COLOR, {"in": ["blue"], "not in": ["blue"]},
         ": no value satisfies f in {blue} and f not in {blue}"),
        (COLOR, {"missing": True}, ": no value satisfies missing=True"),
        (COLOR, "bleu", ": unknown value 'bleu'; did you mean 'blue'?"),
        (COLOR, {"pink"}, ": unknown value 'pink' (known: 'yellow', 'blue', 'red')"),
        (COLOR, (2, 5), " is categorical and cannot be tested with '>='; use in {…}"),
        (COLOR, {"in": "blue"}, ": values must be a list or set, got 'blue'"),
        (COLOR, {"in": 5}, ": values must be a list or set, got 5"),
        (COLOR, [["blue"]], ": ['blue'] is not hashable"),
        (AGE, {">": 120}, f": f > 120 {NEVER} at least 0 and is at most 120 and is never missing"),
        (Continuous("f", bounds=(0, None), missing=True), {"<": 0}, f": f < 0 {NEVER} at least 0"),
        (NUMBER, {">": 5, "missing": True}, ": f > 5 and missing=True is not one interval,"
         " because a missing value is below all others; write two rules"),
        (Continuous("f", kind="integer", missing=True), {">": 2.2, "<": 2.8},
         ": no value satisfies f > 2.2 and f < 2.8"),
        (Continuous("f", kind="integer"), {"=": 2.5}, ": no value satisfies f = 2.5"),
        (Continuous("f", kind="time"), {">": "23:59:59.999999"},
         f": f > 23:59:59.999999 {NEVER} never missing and is a time of day such as 12:30:00"),
        (DAY, {">": dt.date(9999, 12, 31)},
         f": f > 9999-12-31 {NEVER} never missing and is a date such as 2026-01-31"),
        (DAY, {"<": dt.date(1, 1, 1)},
         f": f < 0001-01-01 {NEVER} never missing and is a date such as 2026-01-31"),
        (DAY, {"<": 5}, ": 5 is not a date such as 2026-01-31"),
        (DAY, {"<": pd.NaT}, ": NaT cannot be a bound"),
    ],
)  # fmt: skip
def test_an_invalid_condition_is_rejected(feature, condition, text):
    rejects(ConditionError, f"feature 'f'{text}", Region, Space([feature]), {"f": condition})


def test_an_unknown_feature_is_rejected_with_a_suggestion():
    rejects(
        ConditionError,
        "unknown feature 'colour'; did you mean 'color'?",
        Region,
        SPACE,
        {"colour": "red"},
    )


# --- features from conditions


@pytest.mark.parametrize(
    ("tests", "feature"),
    [
        ([{"<": 5}], Continuous("f")),
        ([{"=": 5}], Continuous("f")),
        ([{"=": 5}, {"=": MISSING}], Continuous("f", missing=True)),
        ([{"<": 5, "missing": True}], Continuous("f", missing=True)),
        ([{">=": -math.inf, "<": 5}], Continuous("f", missing=True)),
        ([{"<": dt.date(2026, 1, 1)}], Continuous("f", kind="date")),
        ([{"<": dt.date(2026, 1, 1)}, {">": dt.datetime(2026, 1, 1)}], Continuous("f", kind=
         "datetime")),
        ([{"<": dt.datetime(2026, 1, 1, tzinfo=dt.UTC)}], Continuous("f", kind="datetime", unit=
         "UTC")),
        ([{"<": dt.time(1)}], Continuous("f", kind="time")),
        ([{"<": dt.timedelta(1)}], Continuous("f", kind="duration")),
        ([{"<": Months(14)}, {"=": Months(3)}], Continuous("f", kind="months")),
        ([{"in": ["b", "a"]}, {"=": "c"}], Categorical("f", ["c", "b", "a"], other=True)),
        ([{"in": [1, 2]}], Categorical("f", [1, 2], other=True)),
        ([{"not in": ["a", MISSING]}], Categorical("f", ["a"], missing=True, other=True)),
        ([{"=": True}], Categorical("f", [False, True])),
        ([{"other": True}], Categorical("f", [], other=True)),
        ([{"missing": True}], Categorical("f", [], missing=True, other=True)),
        ([{"missing": False}, {"<": 5}], Continuous("f", missing=True)),
    ],
)  # fmt: skip
def test_a_feature_is_inferred_from_its_tests(tests, feature):
    assert infer_features([("f", test) for test in tests]) == [feature]


def test_features_are_inferred_in_order_of_appearance():
    found = infer_features([("b", {"<": 5}), ("a", {"<": 5}), ("b", {">": 7})])
    assert [f.name for f in found] == ["b", "a"]


@pytest.mark.parametrize(
    ("tests", "text"),
    [
        ([{"<": 5}, {"=": "x"}],
         "feature 'f' is compared with bounds, but 'x' is not a number, date or time"),
        ([{"<": 5}, {"<": dt.date(2026, 1, 1)}],
         "feature 'f' is compared with values of different kinds: ['date', 'number']"),
        ([{"in": [["a"]]}], "feature 'f': a value is not hashable"),
    ],
)  # fmt: skip
def test_tests_that_no_feature_fits_are_rejected(tests, text):
    rejects(ConditionError, text, infer_features, [("f", test) for test in tests])


def test_a_rule_that_only_tests_for_missing_values_fits_any_feature():
    known = Rule({"f": {"missing": False}}, then="A")
    for feature, text in (
        (NUMBER, "IF f is not missing THEN A"),
        (Categorical("f", ["x"], missing=True, other=True), "IF f is not missing THEN A"),
        (Categorical("f", ["x"], missing=True), "IF f in {x} THEN A"),
    ):
        assert str(RuleSet([known], Space([feature]))[0]) == text
    assert str(RuleSet([known, Rule({"f": (None, 5)}, then="A")])[0]) == str(known)
