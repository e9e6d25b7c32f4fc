from __future__ import annotations

import inspect
import pickle
import time

import pytest

import irenic
from irenic import errors
from irenic.errors import FormatError, did_you_mean


def _public_errors():
    return [getattr(errors, name) for name in errors.__all__]


def test_every_error_is_an_irenic_error():
    assert all(issubclass(e, irenic.IrenicError) for e in _public_errors())


@pytest.mark.parametrize("error", [e for e in _public_errors() if e is not irenic.IrenicError])
def test_every_error_is_also_a_builtin_one(error):
    odd = {irenic.FileError: OSError, irenic.BudgetError: RuntimeError}
    builtin = odd.get(error, ValueError)
    assert issubclass(error, builtin)


def test_the_tree_in_the_docstring_names_every_error():
    drawn = inspect.getdoc(errors)
    assert all(name in drawn for name in errors.__all__)


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ({}, "wrong"),
        ({"line": 3}, "line 3: wrong"),
        ({"column": 7}, "column 7: wrong"),
        ({"line": 3, "column": 7}, "line 3, column 7: wrong"),
        ({"path": "a.rules", "line": 3, "column": 7}, "a.rules, line 3, column 7: wrong"),
        ({"path": "a.json"}, "a.json: wrong"),
    ],
)
def test_a_format_error_names_its_known_location(place, text):
    assert str(FormatError("wrong", **place)) == text


def test_filling_in_a_location_keeps_its_known_parts():
    error = FormatError("wrong", column=7).at(path="a.rules", line=3, column=99)
    assert str(error) == "a.rules, line 3, column 7: wrong"
    assert error.message == "wrong"


def test_a_conflict_error_has_the_conflicts():
    rules = irenic.RuleSet([irenic.Rule({"age": (0, 10)}, then="child")])
    with pytest.raises(irenic.ConflictError) as caught:
        rules.add(irenic.Rule({"age": (5, 20)}, then="adult"))
    assert [str(c.region) for c in caught.value.conflicts] == ["5 <= age < 10"]


def test_a_similar_name_is_suggested_or_else_the_known_names_are_listed():
    assert did_you_mean("agee", ["age", "job"]) == "; did you mean 'age'?"
    assert did_you_mean("zzz", ["age", "job"]) == " (known: 'age', 'job')"
    assert did_you_mean("zzz", []) == " (there are none)"
    assert did_you_mean("zzz", [f"f{i}" for i in range(20)]).endswith("'f7', …)")


def test_an_error_survives_pickling():
    error = irenic.DataError("column 'a', row 1: wrong")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_format_error_survives_pickling_with_its_location():
    error = FormatError("wrong", path="a.rules", line=3, column=7)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_hints_quote_a_word_once():
    assert did_you_mean('"defalt"', ['"default"', "paid"]) == '; did you mean "default"?'
    assert did_you_mean("x", ['"default"', "paid"]) == " (known: \"default\", 'paid')"


@pytest.mark.parametrize("piece", ["1e", "a=", "a='", "a=[", "a=1 (--", " (in Python: ", "(a, "])
def test_messages_with_long_texts_are_written_soon(piece):
    text = (piece * 400_000)[:400_000]
    start = time.process_time()
    assert errors.with_options(text) == text
    # two seconds at most; trying every end for every start takes minutes
    assert time.process_time() - start < 30
