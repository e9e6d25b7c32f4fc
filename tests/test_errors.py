"""Errors: what they are, what they say, and names that are suggested."""

from __future__ import annotations

import inspect
import pickle
import time

import pytest

import irenic
from irenic import errors
from irenic.errors import FormatError, did_you_mean


def test_every_error_is_public_documented_and_also_a_builtin_one():
    odd = {irenic.FileError: OSError, irenic.BudgetError: RuntimeError}
    for name in errors.__all__:
        error = getattr(errors, name)
        assert issubclass(error, irenic.IrenicError)
        assert error is irenic.IrenicError or issubclass(error, odd.get(error, ValueError))
        assert inspect.getdoc(error)
        assert name in inspect.getdoc(errors)  # which draws them as a tree
    assert set(errors.__all__) <= set(irenic.__all__)


def test_a_format_error_names_its_known_location_and_survives_pickling():
    for place, text in [
        ({}, "wrong"),
        ({"line": 3}, "line 3: wrong"),
        ({"column": 7}, "column 7: wrong"),
        ({"line": 3, "column": 7}, "line 3, column 7: wrong"),
        ({"path": "a.rules", "line": 3, "column": 7}, "a.rules, line 3, column 7: wrong"),
        ({"path": "a.json"}, "a.json: wrong"),
    ]:
        error = FormatError("wrong", **place)
        assert str(error) == str(pickle.loads(pickle.dumps(error))) == text
    error = FormatError("wrong", column=7).at(path="a.rules", line=3, column=99)
    assert str(error) == "a.rules, line 3, column 7: wrong"
    assert error.message == "wrong"
    error = irenic.DataError("column 'a', row 1: wrong")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_conflict_error_has_the_conflicts():
    rules = irenic.RuleSet([irenic.Rule({"age": (0, 10)}, then="child")])
    with pytest.raises(irenic.ConflictError) as caught:
        rules.add(irenic.Rule({"age": (5, 20)}, then="adult"))
    assert [str(c.region) for c in caught.value.conflicts] == ["5 <= age < 10"]


def test_a_similar_name_is_suggested_or_else_the_known_names_are_listed():
    for name, known, hint in [
        ("agee", ["age", "job"], "; did you mean 'age'?"),
        ("zzz", ["age", "job"], " (known: 'age', 'job')"),
        ("zzz", [], " (there are none)"),
        ('"defalt"', ['"default"', "paid"], '; did you mean "default"?'),  # quotes a word once
        ("x", ['"default"', "paid"], " (known: \"default\", 'paid')"),
    ]:
        assert did_you_mean(name, known) == hint
    assert did_you_mean("zzz", [f"f{i}" for i in range(20)]).endswith("'f7', …)")


@pytest.mark.parametrize("piece", ["1e", "a=", "a='", "a=[", "a=1 (--", " (in Python: ", "(a, "])
def test_messages_with_long_texts_are_written_soon(piece):
    text = (piece * 400_000)[:400_000]
    start = time.process_time()
    assert errors.with_options(text) == text
    # two seconds at most; trying every end for every start takes minutes
    assert time.process_time() - start < 30
