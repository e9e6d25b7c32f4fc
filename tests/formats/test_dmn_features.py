"""Cells, boxed expressions and types of DMN, each in a small model, as the standard decides it."""

from __future__ import annotations

import datetime as dt

import pytest
from dmn_models import boxed, context, data, decision, item, knowledge, literal, parsed, table

from irenic.model.literals import Months

UTC = dt.UTC


def decided(elements, case):
    """Return the outcome of a decision; all tables of the model must be readable."""
    model = parsed(*elements)
    assert [str(error) for error in model.bound(None).errors] == []
    return model.decisions.decide("D", case)


# --- cells

CELLS = [
    # a cell, the type of its column, a value that passes, and one that does not
    ('["a".."m"]', "string", "k", "z"),
    ('>= "k"', "string", "z", "a"),
    ("]1..2[", "number", 1.5, 2),
    ("]1..2[, [7..9[", "number", 7, 9),
    ("(>=5)", "number", 5, 4),
    ("[1..5], 7, > 10", "number", 7, 6),
    ("? > 5 and ? < 10", "number", 7, 10),
    ("? in [1..3]", "number", 2, 4),
    ("? between 1 and 9", "number", 9, 10),
    ("not(1, 2)", "number", 5, 2),
    ("not(< 5, > 10)", "number", 7, 11),
    ("< 10 / 3", "number", 3, 4),
    ("2 ** 3", "number", 8, 9),
    ("even(?)", "number", 4, 5),
    ("[1,2,3]", "number", 2, 4),
    ("some x in [1,2] satisfies x = ?", "number", 2, 3),
    ("if ? > 5 then true else false", "number", 7, 3),
    ("null", "number", None, 3),
    ("not(null)", "number", 3, None),
    ("5 // five", "number", 5, 6),
    ('"a",\n"b"', "string", "b", "c"),
    ('"say \\"hi\\""', "string", 'say "hi"', "say hi"),
    ('"日本", "ß"', "string", "日本", "ss"),
    ('starts with(?, "ab")', "string", "abc", "xab"),
    ('not(matches(?, "^a.*"))', "string", "xbc", "abc"),
    ('contains(?, "x") or contains(?, "y")', "string", "ay", "az"),
    ('substring(?, 1, 1) = "A"', "string", "ABC", "xA"),
    ("?", "boolean", True, False),
    ("not(?)", "boolean", False, True),
    ('[@"2020-01-01"..@"2020-12-31"]', "date", dt.date(2020, 5, 5), dt.date(2021, 5, 5)),
    ('date("2020-01-01") + duration("P1D")', "date", dt.date(2020, 1, 2), dt.date(2020, 1, 1)),
    ("> today()", "date", dt.date(9999, 1, 1), dt.date(2000, 1, 1)),
    ("?.year = 2020", "date", dt.date(2020, 1, 1), dt.date(2021, 1, 1)),
    ('day of week(?) = "Monday"', "date", dt.date(2020, 1, 6), dt.date(2020, 1, 7)),
    ('< time("10:00:00Z")', "time", dt.time(9, tzinfo=UTC), dt.time(11, tzinfo=UTC)),
    ('>= @"2020-01-01T00:00:00@Europe/Paris"', "date and time",
     dt.datetime(2019, 12, 31, 23, tzinfo=UTC), dt.datetime(2019, 12, 31, 22, tzinfo=UTC)),
    ('> @"P1D"', "days and time duration", dt.timedelta(2), dt.timedelta(1)),
    ('[duration("P1Y")..duration("P2Y")]', "years and months duration", Months(14), Months(25)),
    ('"a", null', "Any", None, "b"),
    ('list contains(?, "x")', "Any", ["x"], ["a"]),
    ("count(?) > 1", "Any", [1, 2], [1]),
    ("every i in ? satisfies i > 0", "Any", [1, 2], [0]),
    ("?.a > 0", "Any", {"a": 1}, {"a": 0}),
    ("? instance of string", "Any", "a", 5),
]  # fmt: skip


@pytest.mark.parametrize(("cell", "kind", "passing", "failing"), CELLS)
def test_cells(cell, kind, passing, failing):
    rows = [(cell, "true"), ("-", "false")]
    elements = (data("v", kind), decision("D", table(["v"], rows, policy="FIRST"), "v"))
    assert decided(elements, {"v": passing}) is True
    assert decided(elements, {"v": failing}) is False


@pytest.mark.parametrize(
    ("cell", "others", "passing", "failing"),
    [
        ("limits", {"limits": [1, 3]}, 3, 4),
        ("> low + 1", {"low": 3}, 5, 4),
        ("not(low, high)", {"low": 1, "high": 7}, 5, 7),
        ("(low..high), 99", {"low": 1, "high": 7}, 99, 7),
        ("[P.Min..P.Max]", {"P": {"Min": 1, "Max": 7}}, 7, 8),
        ("-low", {"low": 1}, -1, 1),
        ("if low > 0 then 5 else 6", {"low": 1}, 5, 6),
        ("is ok(?)", {}, 7, 3),
        ("not(is ok(?))", {}, 3, 7),
    ],
)
def test_cells_that_name_other_data(cell, others, passing, failing):
    rows = [(cell, "true"), ("-", "false")]
    elements = [data("v"), knowledge("is ok", ["x"], literal("x > 5"))]
    elements += [data(name, "Any") for name in others]
    logic = table(["v"], rows, policy="FIRST")
    elements.append(decision("D", logic, "v", *others, "Kis_ok"))
    assert decided(elements, {"v": passing, **others}) is True
    assert decided(elements, {"v": failing, **others}) is False


def test_an_open_range_that_ends_a_list_is_no_filter():
    assert decided([decision("D", literal("[1, 2, 3][item in ]1..3[]"))], {}) == [2]
    assert decided([decision("D", literal("5 in ]1..9[ and true"))], {}) is True


def test_an_unknown_time_zone_is_rejected():
    rows = [('> date and time("2020-01-01T00:00:00@Mars/City")', "true")]
    elements = (data("v", "date and time"), decision("D", table(["v"], rows), "v"))
    (error,) = parsed(*elements).bound(None).errors
    assert str(error).endswith(
        "unknown time zone 'Mars/City'; write it as an offset such as +02:00"
    )


# --- tables inside other logic

GRADE = knowledge(
    "Risk Grade",
    ["The Age", "Job"],
    table(["The Age", "Job"], [("< 25", '"pilot"', '"high"'), ("-", "-", '"low"')], policy="FIRST"),
)
BY_SIZE = table(["n"], [("> 8", '"big"'), ("-", '"small"')], policy="FIRST")
MODELS = [
    (literal("Risk Grade(n, job)"), "high"),
    (literal("Risk Grade(Job: job, The Age: n)"), "high"),
    (literal("for x in [20, 30] return Risk Grade(x, job)"), ["high", "low"]),
    (context(("a", BY_SIZE), ("b", literal("a"))), {"a": "big", "b": "big"}),
    (context(("k", literal("n + 1")), ("s", table(["k"], [("> 9", '"x"')])), result=literal("s")),
     "x"),
    (f"<list>{literal('n')}{BY_SIZE}</list>", [20, "big"]),
    (boxed("conditional", if_="n > 5", then=BY_SIZE, else_="1"), "big"),
    (boxed("for", "n", in_="[1, n]", return_=BY_SIZE), ["small", "big"]),
    (table(["string length(job)"], [("> 3", '"long"'), ("<= 3", '"short"')]), "long"),
    (table(["n > 5"], [("true", '"y"'), ("false", '"n"')]), "y"),
    (table(["n"], [("-", "{a: n, b: [n]}")]), {"a": 20, "b": [20]}),
    (table(["n"], [("-", "1", '"a"'), ("> 0", "2", '"b"')], outputs=("x y", "z"), policy="COLLECT"),
     [{"x y": 1, "z": "a"}, {"x y": 2, "z": "b"}]),
    (table(["n"], [("> 0", "1", "2"), ("> 1", "1", "3")], outputs=("a", "b"), policy="ANY"), None),
]  # fmt: skip


@pytest.mark.parametrize(("logic", "expected"), MODELS)
def test_tables_within_other_logic(logic, expected):
    top = decision("D", logic, "n", "job", "KRisk_Grade")
    elements = (data("n"), data("job", "string"), GRADE, top)
    assert decided(elements, {"n": 20, "job": "pilot"}) == expected


@pytest.mark.parametrize("name", ["🐎", "Debt-to-Income", "Größe in m/s", "Boss's Age"])
def test_names_with_other_characters(name):
    rows = [("> 5", f"{name} + 1"), ("-", "0")]
    quoted = name.replace("'", "&apos;")
    logic = table([name], rows, policy="FIRST")
    elements = (data(quoted), decision("D", logic, quoted.replace(" ", "_")))
    assert decided(elements, {name: 9}) == 10


# --- types


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ('"a"', "number", None),
        ("5", "string", None),
        ("[5]", "number", 5),
        ("5", "tNumbers", [5]),
        ("5", "Any", 5),
        ("true", "number", None),
        ('date("2020-01-01")', "date and time", dt.datetime(2020, 1, 1, tzinfo=UTC)),
        ('duration("P1Y")', "years and months duration", Months(12)),
        ("null", "number", None),
    ],
)
def test_results_are_converted_to_their_types(text, kind, expected):
    numbers = item("tNumbers", "number", many=True)
    assert decided([numbers, decision("D", literal(text), kind=kind)], {}) == expected
    top = decision("D", table(["n"], [("-", text)]), "n", kind=kind)
    assert decided([numbers, data("n"), top], {"n": 1}) == expected
    typed = knowledge("f", [("x", kind)], literal("x"))
    assert decided([numbers, typed, decision("D", literal(f"f({text})"), "Kf")], {}) == expected
