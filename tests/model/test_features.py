from __future__ import annotations

import datetime as dt
import decimal
import fractions
import math
import pickle
import zoneinfo
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irenic import MISSING, OTHER, Categorical, Continuous, DataError, SpaceError
from irenic.model.features import LOWEST
from refusals import refuses, rejects

# --- continuous


@pytest.mark.parametrize(
    ("feature", "text"),
    [
        (Continuous("f1"), "Continuous('f1')"),
        (Continuous("age", bounds=(0, 120.5), unit="years", missing=True, kind="number"),
         "Continuous('age', bounds=(0, 120.5), unit='years', missing=True)"),
        (Continuous("n", bounds=(None, 5), kind="integer"), "bounds=(None, 5), kind='integer')"),
        (Continuous("born", bounds=("1900-01-01", None), kind="date"),
         "Continuous('born', bounds=(datetime.date(1900, 1, 1), None), kind='date')"),
    ],
)  # fmt: skip
def test_the_repr_of_a_continuous_feature_shows_its_arguments(feature, text):
    assert repr(feature).endswith(text)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"bounds": (5, 2)}, "feature 'a': the lower bound 5 is above the upper bound 2"),
        ({"bounds": (math.nan, 2)}, "feature 'a': nan cannot be a bound"),
        ({"bounds": (0, pd.NaT)}, "feature 'a': NaT cannot be a bound"),
        ({"bounds": 5}, "feature 'a': bounds must be a pair (low, high), got 5"),
        ({"bounds": (1, 2, 3)}, "feature 'a': bounds must be a pair (low, high), got (1, 2, 3)"),
        ({"bounds": ("x", 2)}, "feature 'a': 'x' is not a number (as a bound)"),
        ({"bounds": (math.inf, None)}, "feature 'a': inf is infinite; use a finite number, or"
         " None if it is missing (as a bound)"),
        ({"bounds": (0, 2.5), "kind": "integer"}, "feature 'a': 2.5 is not a whole number;"
         " declare the feature with kind='number' to allow fractions (as a bound)"),
        ({"kind": "integr"}, "feature 'a': unknown kind 'integr'; did you mean 'integer'?"),
        ({"kind": []}, "feature 'a': unknown kind [] (known: 'number', 'integer', 'date',"
         " 'datetime', 'time', 'duration', 'months')"),
        ({"unit": 5}, "feature 'a': unit must be a string, got 5"),
        ({"unit": "\ud800"}, r"feature 'a': unit must be a string, got '\ud800'"),
    ],
)  # fmt: skip
def test_an_invalid_continuous_feature_is_rejected(options, text):
    rejects(SpaceError, text, Continuous, "a", **options)


@pytest.mark.parametrize("make", [Continuous, lambda name: Categorical(name, ["a"])])
def test_a_name_must_be_valid_unicode(make):
    rejects(SpaceError, "the name of a feature must be a non-empty string, got ''", make, "")
    rejects(SpaceError, "the name of a feature must be a non-empty string, got 3", make, 3)
    text = r"feature 'a\udc00': the name is not valid Unicode (a lone surrogate)"
    rejects(SpaceError, text, make, "a\udc00")


def test_a_feature_is_a_value():
    a, b = (Continuous("a", bounds=(0, 5)) for _ in range(2))
    assert a == b
    assert hash(a) == hash(b)
    assert a != Continuous("a")
    assert pickle.loads(pickle.dumps(a)) == a
    with pytest.raises(AttributeError):
        a.name = "b"
    assert Continuous("a", bounds=(-math.inf, math.inf)) == Continuous("a")


def test_numbers_are_encoded_as_exact_floats():
    for value, number in (
        (5, 5.0),
        (np.int8(5), 5.0),
        (np.float32(0.1), float(np.float32(0.1))),
        (decimal.Decimal("0.1"), 0.1),
        (fractions.Fraction(1, 4), 0.25),
        (2**53, 2.0**53),
        (1e300, 1e300),
    ):
        assert Continuous("a").encode_value(value) == number
    for value in (None, math.nan, pd.NA, decimal.Decimal("NaN")):
        assert Continuous("a").encode_value(value) == -math.inf


_BEYOND = (
    "is beyond 2**53, where float64 cannot represent every integer; use a categorical feature, or"
    " subtract an offset"
)


def test_integers_above_2_53_are_rejected():
    big = [2**53 + 1, -(2**53) - 1, 10**400, np.uint64(2**60), decimal.Decimal(2**53 + 1)]
    for kind, value in [*product(["number", "integer"], big), ("integer", 1e17)]:
        shown = value.item() if isinstance(value, np.generic) else value
        text = f"feature 'a': {shown!r} {_BEYOND}"
        rejects(DataError, text, Continuous("a", kind=kind).encode_value, value)
    assert Continuous("a").encode_value(1e17) == 1e17


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("number", "5", "'5' is not a number"),
        ("number", True, "True is not a number"),
        ("number", 1j, "1j is not a number"),
        ("number", math.inf, "inf is infinite; use a finite number, or None if it is missing"),
        ("integer", "x", "'x' is not a whole number"),
        ("integer", 2.5,
         "2.5 is not a whole number; declare the feature with kind='number' to allow fractions"),
        ("date", "31.1.2026", "'31.1.2026' is not a date such as 2026-01-31"),
        ("date", dt.datetime(2026, 1, 31, 12),
         "datetime.datetime(2026, 1, 31, 12, 0) is not a date such as 2026-01-31"),
        ("datetime", 5, "5 is not a date and time such as 2026-01-31T12:30:00"),
        ("time", dt.date(2026, 1, 31),
         "datetime.date(2026, 1, 31) is not a time of day such as 12:30:00"),
        ("duration", "P9999999999D", "'P9999999999D' is not a duration such as P1DT2H30M"),
        ("duration", "P1Y", "'P1Y' is not a duration such as P1DT2H30M"),
        ("months", "P1D", "'P1D' is not a duration of years and months such as P1Y2M"),
        ("months", "P9007199254740993M", "P750599937895082Y9M is beyond 2**53 months"),
        ("time", dt.time(12, tzinfo=dt.UTC),
         "datetime.time(12, 0, tzinfo=datetime.timezone.utc) has a time zone; remove it"),
        ("date", dt.datetime(2026, 1, 31, tzinfo=dt.UTC), "datetime.datetime(2026, 1, 31, 0, 0,"
         " tzinfo=datetime.timezone.utc) has a time zone; remove it"),
        ("datetime", dt.datetime(2026, 1, 31, tzinfo=dt.UTC), "datetime.datetime(2026, 1, 31,"
         " 0, 0, tzinfo=datetime.timezone.utc) has a time zone; declare the feature with"
         " unit='UTC', or remove the time zone"),
        ("datetime", dt.datetime(9000, 1, 1, 0, 0, 0, 1), "datetime.datetime(9000, 1, 1, 0, 0,"
         " 0, 1) is too far from 1970 to be exact to the microsecond; round it to whole seconds"),
    ],
)  # fmt: skip
def test_a_value_of_the_wrong_kind_is_rejected(kind, value, text):
    rejects(DataError, f"feature 'a': {text}", Continuous("a", kind=kind).encode_value, value)


def test_date_times_with_a_time_zone_are_converted_to_utc():
    feature = Continuous("t", kind="datetime", unit="UTC")
    vienna = dt.datetime(2026, 7, 1, 12, tzinfo=zoneinfo.ZoneInfo("Europe/Vienna"))
    assert feature.decode_value(feature.encode_value(vienna)) == dt.datetime(2026, 7, 1, 10)
    edge = dt.datetime(1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=5)))
    refuses(DataError, "is beyond the calendar in UTC", feature.encode_value, edge)


_KINDS = {
    "date": st.dates(),
    "datetime": st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)),
    "time": st.times(),
    "duration": st.timedeltas(dt.timedelta(-100_000), dt.timedelta(100_000)),
    "integer": st.integers(-(2**53), 2**53),
    "number": st.floats(allow_nan=False, allow_infinity=False),
}


@given(st.data(), st.sampled_from(sorted(_KINDS)))
def test_encoding_keeps_values_and_their_order(data, kind):
    feature = Continuous("a", kind=kind)
    a, b = data.draw(_KINDS[kind]), data.draw(_KINDS[kind])
    number = feature.encode_value(a)
    assert feature.decode_value(number) == a
    assert (a < b) == (number < feature.encode_value(b))
    assert number < feature.after(number)
    if feature.after(number) < math.inf:
        assert feature.before(feature.after(number)) == number


def test_the_domain_of_a_feature_ends_with_its_bounds_and_the_calendar():
    number = Continuous("a", bounds=(0, 5))
    assert (number.lowest, number.end) == (0.0, math.nextafter(5.0, math.inf))
    integer = Continuous("a", bounds=(0, 5), kind="integer")
    assert (integer.lowest, integer.end) == (0.0, 6.0)
    assert (Continuous("a").lowest, Continuous("a").end) == (LOWEST, math.inf)
    assert Continuous("a", kind="time").end == 24 * 60 * 60 * 1_000_000
    feature = Continuous("t", kind="date")
    refuses(DataError, "is beyond the calendar", feature.decode_value, 1e30)
    assert not Continuous("t", kind="duration").shows(1e21)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([], "feature 'c': a categorical feature needs at least one value, or other=True"),
        (["a", "b", "a"], "feature 'c': the value 'a' is listed twice"),
        ([1, True], "feature 'c': the value True is listed twice (1 equals True)"),
        ("abc", "feature 'c': values must be a list, got 'abc'"),
        (5, "feature 'c': values must be a list, got 5"),
        ([None], "feature 'c': None is not a value; use missing=True instead"),
        ([math.nan], "feature 'c': nan is not a value; use missing=True instead"),
        ([MISSING], "feature 'c': MISSING is not a value; use missing=True instead"),
        ([OTHER], "feature 'c': OTHER is not a value; use other=True instead"),
        ([["a"]], "feature 'c': the value ['a'] of type list is not hashable"),
        (["\ud800"], r"feature 'c': the value '\ud800' is not valid Unicode (a lone surrogate)"),
    ],
)  # fmt: skip
def test_an_invalid_categorical_feature_is_rejected(values, text):
    rejects(SpaceError, text, Categorical, "c", values)


def test_bits_are_missing_then_other_then_the_values():
    values = Categorical("c", np.array([3, 1])).values
    assert values == (3, 1)
    assert {type(v) for v in values} == {int}
    feature = Categorical("c", ["a", "b"], missing=True, other=True)
    assert feature.everything == 0b1111
    assert Categorical("c", ["a", "b"]).everything == 0b1100
    assert [feature.encode_value(v) for v in (None, "new", "a", "b")] == [0, 1, 2, 3]
    assert [feature.decode_value(i) for i in range(4)] == [None, OTHER, "a", "b"]
    assert feature.encode_value(MISSING) == 0
    assert feature.encode_value(OTHER) == 1
    assert Categorical("c", range(62)).n_words == 1
    assert Categorical("c", range(63)).n_words == 2
    assert Categorical("c", ["a"], other=True).example(1) == "other"
    assert Categorical("c", ["other", "other 2"], other=True).example(1) == "other 3"
    text = "feature 'c': [1] of type list is not hashable"
    rejects(DataError, text, Categorical("c", ["a"]).encode_value, [1])
    assert (
        repr(Categorical("c", ("a", 1), missing=True)) == "Categorical('c', ['a', 1], missing=True)"
    )
    assert repr(Categorical("c", [], other=True)) == "Categorical('c', [], other=True)"
