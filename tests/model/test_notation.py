from __future__ import annotations

import datetime as dt
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from irenic import MISSING, OTHER, Categorical, Continuous, FormatError, Region, Rule, Space
from irenic.model.literals import Months, format_word
from irenic.model.notation import ParsedRule, parse_conditions, parse_line, parse_rule
from refusals import refuses, rejects

SPACE = Space(
    [
        Continuous("f1"),
        Continuous("born", kind="date"),
        Continuous("gap", missing=True),
        Categorical("color", ["yellow", "blue", "low risk"], missing=True, other=True),
    ]
)


def only(text):
    """Return the operators of the only condition in the text."""
    (condition,) = parse_conditions(text)
    return condition.operators


# --- every accepted form


@pytest.mark.parametrize(
    ("text", "operators"),
    [
        ("f < 5", {"<": 5}),
        ("f <= 5", {"<=": 5}),
        ("f > 5", {">": 5}),
        ("f >= 5", {">=": 5}),
        ("f = 5", {"=": 5}),
        ("f == 5", {"=": 5}),
        ("f != 5", {"not in": [5]}),
        ("5 > f", {"<": 5}),
        ("5 >= f", {"<=": 5}),
        ("5 < f", {">": 5}),
        ("5 <= f", {">=": 5}),
        ("5 = f", {"=": 5}),
        ("5 == f", {"=": 5}),
        ("5 != f", {"not in": [5]}),
        ("2 <= f < 5", {">=": 2, "<": 5}),
        ("2 < f <= 5", {">": 2, "<=": 5}),
        ("5 > f >= 2", {"<": 5, ">=": 2}),
        ("(f < 5)", {"<": 5}),
        ("((f < 5))", {"<": 5}),
        ("f < 5 or missing", {"<": 5, "missing": True}),
        ("(f < 5 or missing)", {"<": 5, "missing": True}),
        ("(f < 5) or missing", {"<": 5, "missing": True}),
        ("f is missing", {"missing": True}),
        ("f is not missing", {"missing": False}),
        ("f in {a, b}", {"in": ["a", "b"]}),
        ("f in {}", {"in": []}),
        ("f not in {a}", {"not in": ["a"]}),
        ("f in {a, missing, other}", {"in": ["a", MISSING, OTHER]}),
        ("f = a", {"=": "a"}),
        ("f != a", {"not in": ["a"]}),
        ("f = missing", {"=": MISSING}),
        ('f in {"missing"}', {"in": ["missing"]}),
        ("f in {(1, a), {b}}", {"in": [(1, "a"), frozenset({"b"})]}),
        ("f = true", {"=": True}),
        ("f IN {False}", {"in": [False]}),
        ("f < -1.5e-3", {"<": -0.0015}),
        ("f < +.5", {"<": 0.5}),
        ("f < 5.", {"<": 5.0}),
        ("f < inf", {"<": math.inf}),
        ("f > -inf", {">": -math.inf}),
        ("f < 2026-01-31", {"<": dt.date(2026, 1, 31)}),
        ("f < 2026-01-31T12:30", {"<": dt.datetime(2026, 1, 31, 12, 30)}),
        ("f < 12:30:01.5", {"<": dt.time(12, 30, 1, 500_000)}),
        ("f < P1DT2H", {"<": dt.timedelta(days=1, hours=2)}),
        ("-PT1S <= f", {">=": -dt.timedelta(seconds=1)}),
        ("f < P1Y2M", {"<": Months(14)}),
        ("-P1M <= f", {">=": Months(-1)}),
        ("f<5", {"<": 5}),
        ("\tf   <\u00a05 # a comment", {"<": 5}),
        ("f = '5'", {"=": "5"}),
        ("f = 'it\\'s \"so\"'", {"=": 'it\'s "so"'}),
        (r'f = "a\"\\\u00e9\n"', {"=": 'a"\\é\n'}),
    ],
)
def test_every_form_of_a_condition_is_parsed(text, operators):
    assert only(text) == operators


def test_keywords_and_comments():
    for text in (
        "IF f < 5 AND g IS MISSING THEN A WEIGHT 2",
        "if f < 5 and g is missing then A weight 2",
    ):
        rule = parse_rule(text)
        assert [c.name for c in rule.conditions] == ["f", "g"]
        assert (rule.then, rule.weight) == ("A", 2.0)
    (rule,) = parse_line("IF f < 5 THEN A")
    assert isinstance(rule, ParsedRule)
    refuses(FormatError, "expected IF", parse_line, '"default" < 5')
    assert only('f = "#1"  # first') == {"=": "#1"}
    assert parse_line("ELSE A").then == "A"
    rules = parse_line("IF a < 5 THEN A WEIGHT 2 ELSE B WEIGHT 3")
    assert [(rule.then, rule.weight) for rule in rules] == [("A", 2.0), ("B", 3.0)]
    assert parse_conditions("'a b' < 5")[0].name == "a b"


def test_every_form_of_a_consequent_is_parsed():
    for text, then in {
        "A": "A",
        '"low risk"': "low risk",
        "5": 5,
        "5.0": 5.0,
        "false": False,
        "{a, b}": frozenset({"a", "b"}),
        "{}": frozenset(),
        "()": (),
        "(a, (1, 2026-01-31))": ("a", (1, dt.date(2026, 1, 31))),
        '"then"': "then",
    }.items():
        found = parse_rule(f"IF anything THEN {text}").then
        assert found == then
        assert type(found) is type(then)
        assert parse_line(f"DEFAULT {text}").then == then


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
@example("a\nb")
@example('say "hi"')
@example("it's")
@example("back\\slash")
@example("été")
@example("1st")
@example("in")
@example("AND")
@example("P1D")
@example("inf")
@example("inf.x")
@example("-1")
@example("2026-01-31")
@example("#")
@example("a b")
@example("\u2028")
@example("日本語")
def test_a_feature_may_have_any_name(name):
    space = Space([Continuous(name)])
    region = Region(space, {name: {">": 2, "<=": 5}})
    assert len(str(region).splitlines()) == 1
    assert Region.parse(str(region), space) == region
    assert Region.parse(str(region)).space.names == (name,)
    assert Region.parse(f"{format_word(name)} > 2 and 5 >= {format_word(name)}", space) == region


def test_texts_of_regions_and_rules_are_the_parsed_texts():
    for text in (
        "f1 <= 5",
        "f1 < 5",
        "2 < f1 <= 5",
        "2 <= f1 < 5",
        "f1 = 5",
        "f1 < 5.000000000000001",
        "born <= 2026-01-31",
        "(gap < 5 or missing)",
        "gap is missing",
        "gap is not missing",
        "color in {yellow, missing}",
        'color in {"low risk"}',
        "color not in {yellow}",
        "color not in {yellow, missing}",
        "color is missing",
        "f1 <= 5 and born > 2026-01-31 and (gap < 1e+300 or missing) and color in {blue}",
        "anything",
    ):
        assert str(Region.parse(text, SPACE)) == text
    for text in (
        "IF f1 <= 5 THEN A",
        "IF 2 <= f1 < 5 AND color in {yellow} THEN A",
        'IF anything THEN "low risk" WEIGHT 2.5',
        "IF color in {yellow} THEN {a, b}",
    ):
        assert str(Rule.parse(text, SPACE)) == text
    for text, same in {
        "f1 > 2 and f1 <= 5 and f1 < 9": "2 < f1 <= 5",
        "color != yellow": "color not in {yellow}",
        "gap != missing": "gap is not missing",
        "gap = missing": "gap is missing",
    }.items():
        assert str(Region.parse(text, SPACE)) == same


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "column 1: expected IF, DEFAULT, IMPOSSIBLE, or a comment that starts with #,"
         " found the end of the line"),
        ("f1 < 5 THEN A", "column 1: expected IF, DEFAULT, IMPOSSIBLE, or a comment that starts"
         " with #, found 'f1'"),
        ("IF f1 < 5", "column 10: expected AND or THEN, found the end of the line"),
        ("IF f1 < 5 OR f1 > 7 THEN A", "a rule must be one region, got 2, because of OR, NOT or"),
        ("IF f1 < 5 OR THEN A", "column 14: expected a feature name, found the keyword 'THEN'"),
        ("IF f1 between 5 THEN A", "column 17: expected AND and the upper bound, found 'THEN'"),
        ("IF NOT anything THEN A", "column 4: NOT or ELSE of anything never holds"),
        ("IF (f1 < 5 AND color = blue) or missing THEN A",
         "column 33: 'or missing' must follow a single condition"),
        ("IF (f1 < 5 AND f1 > 2) or missing THEN A",
         "'or missing' must follow a single condition"),
        ("IF " + " AND ".join(f"(f1 < {i} OR f1 > 7{i})" for i in range(11)) + " THEN A",
         "a line must make at most 1,000 rules"),
        ("IF f1 < 5 THEN", "column 15: expected a value, found the end of the line"),
        ("IF f1 < 5 THEN A B",
         "column 18: unexpected 'B'; put text of more than one word in quotes"),
        ("IF f1 < 5 THEN A 5", "column 18: unexpected '5'"),
        ("IF f1 THEN A",
         "column 7: expected <, <=, >, >=, =, 'in' or 'is' after 'f1', found 'THEN'"),
        ("IF f1 < THEN A", "column 9: expected a value, found the keyword 'THEN'; put it"),
        ("IF f1 < x THEN A", "column 9: a bound must be a number, a date or a time, got 'x'"),
        ("IF f1 < true THEN A", "column 9: a bound must be a number, a date or a time, got True"),
        ("IF f1 < nan THEN A", "column 9: NaN is neither a value nor a bound; use 'missing'"),
        ("IF f1 < 1e999 THEN A", "column 9: 1e999 is too large for float64"),
        ("IF f1 < " + "9" * 5000 + " THEN A", "column 9: the number has too many digits"),
        ("IF in < 5 THEN A", "column 4: expected a feature name, found the keyword 'in'; put it"),
        ("IF 1st < 5 THEN A",
         "column 4: '1st' is neither a number nor a date; put text in quotes"),
        ("IF 5 f1 THEN A", "column 6: expected a comparison (put feature names that"),
        ("IF 5 < 6 THEN A", "column 8: expected a feature name, found '6'"),
        ("IF 2 < f1 > 5 THEN A", "column 13: both comparisons bound 'f1' from the same side"),
        ("IF 5 = f1 < 7 THEN A", "column 13: both comparisons bound 'f1' from the same side"),
        ("IF color in yellow THEN A", "column 13: expected '{', found 'yellow'"),
        ("IF color in {yellow THEN A", "column 21: expected ',' or '}', found 'THEN'"),
        ("IF color in {yellow,} THEN A", "column 21: expected a value, found '}'"),
        ("IF color not yellow THEN A", "column 14: expected 'in', found 'yellow'"),
        ("IF gap is 5 THEN A", "column 11: expected 'missing', found '5'"),
        ("IF (f1 < 5 THEN A", "column 12: expected ')', found 'THEN'"),
        ("IF " + "(" * 60 + "f1 < 5", "brackets are nested too deeply"),
        ('IF color = "yellow THEN A', "column 12: quoted text without a closing quote"),
        (r'IF color = "\q" THEN A', 'column 12: "\\q" contains an invalid escape'),
        (r'IF color = "\ud800" THEN A', "column 12: a lone surrogate is not valid Unicode"),
        ("IF f1 @ 5 THEN A",
         "column 7: unexpected character '@'; put names and text that contain it"),
        ("IF born < 2026-02-30 THEN A",
         "column 11: '2026-02-30' is not a date or time: day is out"),
        ("IF f1 < P9999999999D THEN A", "column 9: the duration P9999999999D is too long"),
        ("IF anything THEN A WEIGHT x", "column 27: WEIGHT must be a number, got 'x'"),
        ("IF anything THEN A WEIGHT " + "9" * 400, "column 27: WEIGHT is too large for float64"),
        ("IF (gap is not missing or missing) THEN A",
         "column 5: 'is not missing or missing' is always"),
    ],
)  # fmt: skip
def test_an_error_in_the_notation_is_reported_with_its_column(text, message):
    with pytest.raises(FormatError) as caught:
        parse_rule(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("IF f1 < 5 AND f1 >= 5 THEN A", "column 15: the conditions on 'f1' exclude each other"),
        ("IF 5 <= f1 < 2 THEN A",
         "column 4: feature 'f1': the lower bound is above the upper bound in f1 >= 5 and f1 < 2"),
        ("IF born > 2026-01-31 AND 5 <= f1 < 5 THEN A",
         "column 26: feature 'f1': no value satisfies f1 >= 5 and f1 < 5"),
        ("IF colour = blue THEN A", "column 4: unknown feature 'colour'; did you mean 'color'?"),
        ("IF color in {bleu} THEN A",
         "column 4: feature 'color': unknown value 'bleu'; did you mean 'blue'?"),
        ("IF born < 5 THEN A", "column 4: feature 'born': 5 is not a date such as 2026-01-31"),
    ],
)  # fmt: skip
def test_a_condition_that_does_not_fit_the_space_is_reported_with_its_column(text, message):
    rejects(FormatError, message, Rule.parse, text, SPACE)


# --- several regions

GRID = Space([Continuous("a"), Categorical("c", ["x", "y"])])
CASES = [{"a": a, "c": c} for a in range(-1, 6) for c in "xy"]
TESTS = {
    "a < 2": lambda p: p["a"] < 2,
    "a >= 1": lambda p: p["a"] >= 1,
    "a = 3": lambda p: p["a"] == 3,
    "1 < a <= 4": lambda p: 1 < p["a"] <= 4,
    "a between 1 and 3": lambda p: 1 <= p["a"] <= 3,
    "a not between 2 and 4": lambda p: not 2 <= p["a"] <= 4,
    "c = x": lambda p: p["c"] == "x",
    "c != x": lambda p: p["c"] != "x",
    "c not in {y}": lambda p: p["c"] != "y",
}


def join(word, combine):
    """Return a function that makes an expression of two, a text and a predicate each."""

    def joined(pair):
        (one, first), (two, second) = pair
        return f"({one} {word} {two})", lambda p: combine((first(p), second(p)))

    return joined


EXPRESSIONS = st.recursive(
    st.sampled_from([*TESTS.items()]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(join("OR", any)),
        st.tuples(inner, inner).map(join("and", all)),
        inner.map(lambda one: (f"not ({one[0]})", lambda p: not one[1](p))),
    ),
    max_leaves=5,
)


@given(EXPRESSIONS, EXPRESSIONS)
def test_or_not_and_else_mean_what_they_say(first, second):
    def expected(case):
        return "A" if first[1](case) else "B" if second[1](case) else "C"

    line = f"IF {first[0]} THEN A ELSE IF {second[0]} THEN B ELSE C"
    parsed = parse_line(line)
    assert isinstance(parsed, list)
    rules = [
        ([Region.from_parsed([condition], GRID) for condition in rule.conditions], rule.then)
        for rule in parsed
    ]
    for case in CASES:
        holding = {then for regions, then in rules if all(case in region for region in regions)}
        assert holding == {expected(case)}


def test_not_of_conditions_on_missing_values():
    for text, operators in {
        "gap is missing": {"missing": False},
        "gap < 5 or missing": {">=": 5},
        "color in {blue} or missing": {"not in": ["blue", MISSING]},
        "color not in {blue}": {"in": ["blue"]},
    }.items():
        (rule,) = parse_line(f"IF not ({text}) THEN A")
        assert [condition.operators for condition in rule.conditions] == [operators]
