"""FEEL expressions: values of expressions, names with spaces, and what is undefined."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal

import hypothesis.strategies as st
import pytest
from hypothesis import given

from irenic.errors import FormatError
from irenic.formats.feel.interpreter import from_feel, parse_expression, parse_tests, to_feel
from irenic.model.literals import Months

NAMES = {
    "age": 30,
    "Loan Amount": 1000,
    "Student's name": "Ada",
    "person": {"first name": "Ada", "age": 36},
    "people": [{"name": "Ada", "age": 36}, {"name": "Ben", "age": 9}],
    "nothing": None,
}


def value(text, **names):
    known = NAMES | names
    parts = {"first name", "name"}
    return from_feel(parse_expression(text, {*known, *parts}).run(to_feel(known)))


YES = """
    0.1 + 0.2 = 0.3 | true or nothing | 1 < 2 and 2 < 3 | nothing = null | 1 != null
    some p in people satisfies p.age < 18 | every p in [] satisfies p > 1
    5 in [1..5] | 5 in (1, 5) | 5 in (> 3, < 0) | 5 between 1 and 5
    matches("foobar", "^fo*b") | any([true, nothing]) | list contains([1, null], null)
    5 instance of number | before(1, 2) | before([1..5), 5) | after(6, [1..5])
    meets([1..5], [5..9]) | met by([5..9], [1..5]) | overlaps([1..5], [3..9])
    overlaps before([1..5], [3..9]) | overlaps after([3..9], [1..5]) | finishes(5, [1..5])
    finished by([1..5], [3..5]) | includes([1..5], 3) | during([2..3], [1..5])
    starts([1..3], [1..5]) | started by([1..5], [1..3]) | coincides([1..5], [1..5])
"""
NO = """
    false and nothing | 1 = null | every p in people satisfies p.age < 18 | 5 in [1..5) | 5 in > 7
    "a" instance of number | before([1..5], 5) | meets([1..5), [5..9]) | overlaps([1..5], [6..9])
    overlaps([1..5), [5..9]) | overlaps before([3..9], [1..5]) | includes([1..5), 5)
    coincides([1..5], [1..5))
"""
UNDEFINED = """
    1 / 0 | "a" + 1 | nothing + 1 | unknown | true and nothing | not(nothing) | 1 < "a" | 1 = "1"
    people[3] | (function(x) x)(1, 2) | max([3, "a"]) | sum([]) | all([true, nothing])
    number("x") | before(1, "a") | before(null, 1) | date("2026-13-01")
"""
VALUES = {
    # arithmetic, in decimals
    "1 + 2 * 3": 7, "(1 + 2) * 3": 9, "0.1 + 0.2": 0.3, "-2 ** 2": 4, "2 ** -1": 0.5, "7 / 2": 3.5,
    "1 - -1": 2, '"a" + "b"': "ab", r'"\u00df" + "\U01F40E" + "\ud83d\udc0e"': "ß🐎🐎",
    # names
    "Loan Amount / age": 1000 / 30, "Student's name": "Ada", "person.first name": "Ada",
    "people.age": [36, 9],
    # conditions and loops
    'if age > 18 then "adult" else "child"': "adult", 'if nothing then "a" else "b"': "b",
    "for i in 1..3 return i * i": [1, 4, 9], "for i in 3..1 return i": [3, 2, 1],
    "for i in [1, 2], j in [i, 10] return i * j": [1, 10, 4, 20],
    "for i in 1..4 return if i < 3 then 1 else partial[-1] + partial[-2]": [1, 1, 2, 3],
    # lists, filters and contexts
    "people[age > 18].name": ["Ada"], "people[1].name": "Ada", "people[-1].name": "Ben",
    "[1, 2, 3][item >= 2]": [2, 3], "{a: 1, b: a + 1}": {"a": 1, "b": 2}, '{"a b": 3}.a b': 3,
    # functions
    "(function(x, y) x - y)(5, 3)": 2, "(function(x, y) x - y)(y: 5, x: 3)": -2,
    "sort([3, 1, 2], function(x, y) x > y)": [3, 2, 1], 'substring("foobar", 3)': "obar",
    'substring("foobar", -2, 1)': "a",
    'substring(string: "foobar", start position: 3, length: 2)': "ob",
    'substring before("foobar", "bar")': "foo", 'replace("abc", "(b)", "[$1]")': "a[b]c",
    'split("a;b", ";")': ["a", "b"], 'string join(["a", "b"], "-")': "a-b", "string(1.50)": "1.5",
    'string(date("2026-01-31"))': "2026-01-31", "decimal(1 / 3, 2)": 0.33, "decimal(2.5, 0)": 2,
    "round half up(2.5, 0)": 3, "floor(-1.5)": -2, "ceiling(-1.5)": -1, "modulo(-12, 5)": 3,
    "abs(-3)": 3, "min(3, 1, 2)": 1, "max([3, 1, 2])": 3, "sum([0.1, 0.2])": 0.3,
    "mean([1, 2])": 1.5, "median([3, 1, 2])": 2, "count([1, 2])": 2, "append([1], 2)": [1, 2],
    "concatenate([1], [2, 3])": [1, 2, 3], "insert before([1, 3], 2, 2)": [1, 2, 3],
    "remove([1, 2], 1)": [2], "index of([1, 2, 1], 1)": [1, 3],
    "distinct values([1, 2, 1])": [1, 2],
    "flatten([1, [2, [3]]])": [1, 2, 3], "union([1], [1, 2])": [1, 2],
    'get value({a: 1}, "a")': 1, 'number("1 000,5", " ", ",")': 1000.5,
    # dates, times and durations
    'date("2026-01-31") + duration("P1M")': dt.date(2026, 2, 28),
    'date("2026-03-01") - date("2026-02-01")': dt.timedelta(days=28),
    'date(date and time("2026-01-31T10:00:00"))': dt.date(2026, 1, 31),
    'date and time(date("2026-01-31"), time("10:00:00"))': dt.datetime(2026, 1, 31, 10),
    'time("10:00:00") + duration("PT15H")': dt.time(1), '@"P1Y" / 2': Months(6),
    '@"P1D" * 1.5': dt.timedelta(days=1, hours=12), '@"P1D" / @"PT6H"': 4,
    'date("2026-01-31").month': 1, 'duration("P1Y2M").months': 2, 'duration("P1DT2H").hours': 2,
    'day of week(date("2026-01-31"))': "Saturday",
    'years and months duration(date("2020-01-31"), date("2021-01-30"))': Months(11),
}  # fmt: skip
for _texts, _value in ((YES, True), (NO, False), (UNDEFINED, None)):
    VALUES |= dict.fromkeys(re.split(r" \| |\n\s+", _texts.strip()), _value)


@pytest.mark.parametrize("text", VALUES)
def test_expressions_have_these_values(text):
    found, expected = value(text), VALUES[text]
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 +", "column 4: expected a value, got the end"),
        ("if 1 then 2", "column 12: expected 'else', got the end"),
        ("[1, 2", "column 6: expected ',', got the end"),
        ("[1..2", "column 6: expected ']', ')' or '[' at the end of a range, got the end"),
        ("1 2", "column 3: expected the end, got '2'"),
        ("1e9999999", "column 1: 1e9999999 is too large"),
        ("a.1", "column 3: expected a name after '.', got '1'"),
        ("{1: 2}", "column 2: expected a name, got '1: 2}'"),
        ("for i of [1] return i", "column 5: expected a name, got 'i of [1] return i'"),
        ("function(x) external {}", "column 22: external functions are not supported"),
        ("(" * 60 + "1", "column 51: expressions must be nested at most 50 deep"),
        ("1" * 100_001, "an expression must have at most 100,000 characters, got 100,001"),
    ],
)
def test_invalid_expressions_are_rejected(text, message):
    with pytest.raises(FormatError) as caught:
        parse_expression(text)
    assert str(caught.value) == message


def test_loops_are_limited():
    for loop in ("i in 1..99999999", "i in 1..1001, j in 1..1001"):
        with pytest.raises(FormatError, match="a loop must have at most 1,000,000 steps"):
            value(f"for {loop} return i")


@pytest.mark.parametrize(
    ("cell", "passing", "failing"),
    [
        ("-", [1, None, "a"], []),
        ("> limit", [6], [5, None, "a"]),
        ("limit", [5], [6, None]),
        ("not(limit)", [6, None], [5]),
        ("not(> limit)", [5], [6, None]),
        ("[limit..limit + 2)", [5, 6], [7]),
        ("listed", [1, 2], [3, None]),
        ("not(listed)", [3, None], [1]),
        ("< 2, limit", [1, 5], [3]),
        ("? * 2 > limit", [3], [2]),
        ("? > 1 and ? < limit", [2], [5, 1]),
        ("null", [None], [1]),
        ("even(?)", [2], [3, None]),
        ("limit > 1", [7, "a"], []),
        ("limit > 9", [], [7, "a"]),
    ],
)
def test_cells_with_names_hold_for_these_values(cell, passing, failing):
    tests = parse_tests(cell, ["limit", "listed"])
    scope = to_feel({"limit": 5, "listed": [1, 2]})
    assert [v for v in passing if not tests.holds(to_feel(v), scope)] == []
    assert [v for v in failing if tests.holds(to_feel(v), scope)] == []


NUMBERS = st.integers(-50, 50) | st.decimals(-9, 9, places=2).map(float)


@st.composite
def arithmetic(draw, depth=3):
    """Draw an expression, with its value in decimals, None if it divides by zero."""
    if depth == 0 or draw(st.booleans()):
        number = draw(NUMBERS)
        text = repr(number) if number >= 0 else f"({number!r})"
        return text, Decimal(repr(number))
    sign = draw(st.sampled_from("+-*"))
    (a, x), (b, y) = draw(arithmetic(depth - 1)), draw(arithmetic(depth - 1))
    results = {"+": x + y, "-": x - y, "*": x * y}
    return f"({a} {sign} {b})", results[sign]


@given(arithmetic())
def test_arithmetic_is_that_of_decimals(expression):
    text, expected = expression
    formula = parse_expression(text)
    assert formula.constant
    assert formula.run({}) == expected


@given(st.text(alphabet='0123456789abif ()[]{}<>=.,"+-*/?:', max_size=30))
def test_any_text_is_read_or_rejected(text):
    for parse in (parse_expression, parse_tests):
        try:
            parse(text, ["a", "a b"])
        except FormatError:
            continue
