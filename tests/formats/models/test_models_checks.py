"""What readers of models share: conditions, names, labels, and errors without their libraries."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from irenic import Categorical, Continuous, FormatError, Space
from irenic.formats import models
from irenic.formats.models._checks import described, kinds_of, labels_of, named, rule_of

SPACE = Space([Continuous("a", missing=True), Categorical("c", ["x", "y", "z"], missing=True)])
A, C = "a", "c"
NOT_X = (C, {"not in": ["x"], "missing": True})


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        ([], "anything"),
        ([(A, {">": 1}), (A, {">=": 1})], "a > 1"),
        ([(A, {">=": 1}), (A, {">": 1}), (A, {">": 0})], "a > 1"),
        ([(A, {"<": 1}), (A, {"<=": 1}), (A, {"<=": 3})], "a < 1"),
        ([(A, {"<=": 1}), (A, {"<": 1})], "a < 1"),
        ([(A, {">=": 1, "<": 5}), (A, {">": 2, "<=": 4})], "2 < a <= 4"),
        ([(A, {">=": 1}), (A, {"<=": 1})], "a = 1"),
        ([(A, {"<": 1, "missing": True})], "(a < 1 or missing)"),
        ([(C, {"in": ["x", "y"]}), (C, {"in": ["y", "z"]})], "c in {y}"),
        ([(C, {"in": ["x", "y"]}), (C, {"not in": ["x"]})], "c in {y}"),
        ([(C, {"in": [], "missing": True})], "c is missing"),
        ([(C, {"not in": ["x"], "missing": False})], "c in {y, z}"),
        ([NOT_X], "c in {y, z, missing}"),
        ([NOT_X, (C, {"in": ["x", "y"]})], "c in {y}"),
        ([NOT_X, (C, {"not in": ["z"]})], "c in {y}"),
        # conditions that exclude each other make no rule
        ([(A, {">": 1, "<=": 1})], None),
        ([(A, {">=": 1, "<": 1})], None),
        ([(A, {">": 1, "<": 1})], None),
        ([(A, {">=": 2}), (A, {"<=": 1})], None),
        ([(C, {"in": []})], None),
        ([(C, {"in": ["x"]}), (C, {"in": ["y"]})], None),
        ([(C, {"in": ["x"]}), (C, {"not in": ["x"]})], None),
    ],
)
def test_conditions_on_one_feature_are_intersected(tests, said):
    rule = rule_of(SPACE, tests, "A", 2.0)
    assert (rule and (str(rule.region), rule.then, rule.weight)) == (said and (said, "A", 2.0))
    if said is None:
        assert rule_of(SPACE, [*tests, (A, {"<": 9})], "A") is None


READERS = {
    "sklearn": "{} has no rules that predict a class; pass a fitted DecisionTreeClassif",
    "wittgenstein": "model must be a fitted RIPPER or IREP of wittgenstein, got {}",
    "imodels": "model must be a fitted rule list or rule set of imodels, .*, got {}",
    "rulekit": "model must be a fitted RuleClassifier of RuleKit, got {}",
    "orange": "model must be a CN2 model of Orange, such as .*, got {}",
}


@pytest.mark.parametrize("library", READERS)
def test_other_objects_are_rejected_without_the_library(library):
    for model in ("rules", SPACE, Space, None):
        with pytest.raises(FormatError, match=READERS[library].format(described(model))):
            getattr(models, f"from_{library}")(model)


def test_objects_names_and_labels_become_plain():
    assert kinds_of(SPACE, "irenic") == {"Space"}
    assert kinds_of(SPACE, "iren") == set()
    assert described(SPACE) == "a Space"
    assert described(3) == "an int"
    assert described(Space) == "the class Space, not a fitted model of it"
    assert named(None, 2) == ["x0", "x1"]
    assert named(np.array(["a", "b"]), 2) == ["a", "b"]
    assert named(None, 2, [0, 1]) == ["0", "1"]
    assert [type(label) for label in labels_of(np.array([1, 2]))] == [int, int]
    assert labels_of(np.array([0, 1]), np.array(["no", "yes"])) == ["no", "yes"]


def test_readers_import_no_other_library():
    code = (
        "import sys, irenic.formats.models\n"
        "others = {'sklearn', 'wittgenstein', 'Orange', 'rulekit', 'imodels', 'pandas', 'numba'}\n"
        "print(sorted(others & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
