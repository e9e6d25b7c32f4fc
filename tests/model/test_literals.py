from __future__ import annotations

import datetime as dt
import decimal
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from irenic import MISSING, OTHER, FormatError
from irenic.model.literals import (
    KEYWORDS,
    Expression,
    Months,
    display,
    format_duration,
    format_literal,
    format_number,
    format_word,
    is_missing,
    parse_duration,
    plain,
    quote,
)
from irenic.model.notation import parse_line, tokenize
from refusals import refuses

texts = st.text(st.characters(exclude_categories=["Cs"]))
scalars = (
    texts
    | st.integers()
    | st.booleans()
    | st.floats(allow_nan=False)
    | st.dates()
    | st.datetimes()
    | st.times()
    | st.timedeltas()
    | st.integers().map(Months)
)
values = st.recursive(
    scalars,
    lambda v: st.frozensets(v, max_size=3) | st.lists(v, max_size=3).map(tuple),
    max_leaves=6,
)


def same(a, b):
    """Return whether values are equal and of the same types, unlike 1, 1.0 and True."""
    if isinstance(a, tuple):
        return type(b) is tuple and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, frozenset):
        return a == b
    return type(a) is type(b) and a == b


@given(values)
@example("inf.x")
@example("inf-1")
@example("inf%")
@example("P1D")
@example("P1Y2M")
@example("-P1M")
@example(Months(-14))
@example("-P1D")
@example("NaN")
@example("İn")
@example("a-")
@example("2026-01-31")
@example("\x85\u2028\x7f")
@example(float("inf"))
@example(-0.0)
@example(dt.timedelta.min)
@example(dt.timedelta.max)
@example((("deep",), frozenset({()})))
def test_a_literal_reads_back_as_the_same_value(value):
    text = format_literal(value)
    assert len(text.splitlines()) == 1
    assert same(parse_line(f"DEFAULT {text}").then, value)


@given(texts)
@example("inf.x")
@example("if")
def test_a_word_is_one_token(text):
    assert len(tokenize(format_word(text))) == 2


def test_words_are_quoted_only_if_necessary():
    for word in KEYWORDS:
        assert format_word(word) == f'"{word}"'
        assert format_word(word.upper()) == f'"{word.upper()}"'
    for word in ("yellow", "low_risk", "a.b", "km/h", "A+", "été", "x1", "information"):
        assert format_word(word) == word
    assert quote("a\u202eb") == '"a\\u202eb"'  # it would turn the rest of the line around
    assert quote('a"b\\c\nd\u2028e') == '"a\\"b\\\\c\\nd\\u2028e"'
    assert display(b"x") == "b'x'"
    assert display("a b") == '"a b"'


@given(st.timedeltas(), st.floats(allow_nan=False))
@example(dt.timedelta.min, 0.1)
@example(dt.timedelta.max, 5e-324)
@example(dt.timedelta(days=-200_000, microseconds=1), 1e22)
def test_durations_and_numbers_read_back_exactly(value, number):
    assert parse_duration(format_duration(value)) == value
    assert float(format_number(number)) == number


def test_durations_are_iso_8601():
    for text, value in {
        "P1D": dt.timedelta(days=1),
        "PT2H30M": dt.timedelta(hours=2, minutes=30),
        "P1Y2M": Months(14),
        "-P3M": Months(-3),
        "P2Y": Months(24),
        "P0M": Months(0),
        "PT1.5S": dt.timedelta(seconds=1, microseconds=500_000),
        "-P1DT1S": -dt.timedelta(days=1, seconds=1),
        "PT0S": dt.timedelta(),
    }.items():
        assert parse_duration(text) == value
    for text in ("P", "PT", "-P", "P1Y2D", "P1W", "1D", "", "P1D2H"):
        refuses(FormatError, r"is not a duration such as P1DT2H30M or P1Y2M", parse_duration, text)
    for text in ("P9999999999D", "P" + "9" * 5000 + "D"):
        refuses(FormatError, r"^the duration P9+D? is too long$", parse_duration, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (b"x", "b'x' of type bytes has no text form; use text, numbers, booleans, dates"),
        (None, "None of type NoneType has no text form"),
        (math.nan, "NaN does not equal itself"),
        ((1, math.nan), "NaN does not equal itself"),
        ("\ud800", r"'\ud800' is not valid Unicode (a lone surrogate)"),
        (("\ud800",), r"'\ud800' is not valid Unicode (a lone surrogate)"),
        (dt.time(1, tzinfo=dt.UTC), "has a time zone, which the text form does not support"),
    ],
)
def test_a_value_without_a_text_form_is_rejected(value, text):
    with pytest.raises(FormatError) as caught:
        format_literal(value)
    assert text in str(caught.value)


def _nested(depth):
    value = ()
    for _ in range(depth):
        value = (value,)
    return value


def test_nesting_that_can_be_written_can_be_read():
    assert parse_line(f"DEFAULT {format_literal(_nested(50))}").then == _nested(50)
    refuses(FormatError, "nested at most 50 levels deep", format_literal, _nested(51))


def test_every_missing_value_is_recognized():
    of_numpy = [np.nan, np.float32("nan"), np.datetime64("NaT"), np.timedelta64("NaT")]
    decimals = [decimal.Decimal("NaN"), decimal.Decimal("sNaN")]
    for value in [None, math.nan, *of_numpy, pd.NA, pd.NaT, *decimals]:
        assert is_missing(plain(value)) or is_missing(value), value
    for value in [0, 0.0, "", "nan", False, (), math.inf, dt.date(1, 1, 1), OTHER]:
        assert not is_missing(value), value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int64(3), 3),
        (np.float32(0.1), float(np.float32(0.1))),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (np.datetime64("2026-01-31T12:00", "ns"), dt.datetime(2026, 1, 31, 12)),
        (np.timedelta64(90, "m"), dt.timedelta(minutes=90)),
        (pd.Timestamp("2026-01-31T12:00:00.000001002"), dt.datetime(2026, 1, 31, 12, 0, 0, 1)),
        (pd.Timedelta(days=1), dt.timedelta(days=1)),
    ],
)
def test_scalars_of_other_libraries_become_plain_values(value, expected):
    assert same(plain(value), expected)


def test_special_values_keep_their_identity_when_pickled():
    assert pickle.loads(pickle.dumps(MISSING)) is MISSING
    assert pickle.loads(pickle.dumps((OTHER,)))[0] is OTHER


def test_a_duration_of_months_differs_from_one_of_days():
    assert Months(0) != dt.timedelta(0)
    assert str(Months(0)) == "P0M"
    assert sorted([Months(13), Months(-1), Months(2)]) == [Months(-1), Months(2), Months(13)]
    refuses(FormatError, r"the count of months must be an integer, got 1\.5", Months, 1.5)


def test_an_expression_is_shown_as_its_text_and_has_no_notation():
    assert display(Expression("a + 1")) == "a + 1"
    assert display(("x", Expression("a + 1"))) == "(x, a + 1)"
    refuses(FormatError, r"has no text form", format_literal, Expression("a + 1"))
