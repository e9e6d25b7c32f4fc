from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from irenic import Categorical, Continuous, FormatError, Space
from irenic.formats.models import (
    from_imodels,
    from_orange,
    from_rulekit,
    from_sklearn,
    from_wittgenstein,
)
from irenic.formats.models._checks import described, kinds_of, labels_of, named, rule_of

SPACE = Space([Continuous("a", missing=True), Categorical("c", ["x", "y", "z"], missing=True)])


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        ([], "anything"),
        ([("a", {">": 1}), ("a", {">=": 1})], "a > 1"),
        ([("a", {">=": 1}), ("a", {">": 1}), ("a", {">": 0})], "a > 1"),
        ([("a", {"<": 1}), ("a", {"<=": 1}), ("a", {"<=": 3})], "a < 1"),
        ([("a", {"<=": 1}), ("a", {"<": 1})], "a < 1"),
        ([("a", {">=": 1, "<": 5}), ("a", {">": 2, "<=": 4})], "2 < a <= 4"),
        ([("a", {">=": 1}), ("a", {"<=": 1})], "a = 1"),
        ([("a", {"<": 1, "missing": True})], "(a < 1 or missing)"),
        ([("c", {"in": ["x", "y"]}), ("c", {"in": ["y", "z"]})], "c in {y}"),
        ([("c", {"in": ["x", "y"]}), ("c", {"not in": ["x"]})], "c in {y}"),
        ([("c", {"in": [], "missing": True})], "c is missing"),
        ([("c", {"not in": ["x"], "missing": False})], "c in {y, z}"),
        ([("c", {"not in": ["x"], "missing": True})], "c in {y, z, missing}"),
        ([("c", {"not in": ["x"], "missing": True}), ("c", {"in": ["x", "y"]})], "c in {y}"),
        ([("c", {"not in": ["x"], "missing": True}), ("c", {"not in": ["z"]})], "c in {y}"),
    ],
)
def test_conditions_on_one_feature_are_intersected(tests, said):
    rule = rule_of(SPACE, tests, "A", 2.0)
    assert str(rule.region) == said
    assert (rule.then, rule.weight) == ("A", 2.0)


@pytest.mark.parametrize(
    "tests",
    [
        [("a", {">": 1, "<=": 1})],
        [("a", {">=": 1, "<": 1})],
        [("a", {">": 1, "<": 1})],
        [("a", {">=": 2}), ("a", {"<=": 1})],
        [("c", {"in": []})],
        [("c", {"in": ["x"]}), ("c", {"in": ["y"]})],
        [("c", {"in": ["x"]}), ("c", {"not in": ["x"]})],
    ],
)
def test_conditions_that_exclude_each_other_make_no_rule(tests):
    assert rule_of(SPACE, [*tests, ("a", {"<": 9})], "A") is None


@pytest.mark.parametrize("model", ["rules", SPACE, Space, None])
@pytest.mark.parametrize(
    ("reader", "message"),
    [
        (from_sklearn, "{} has no rules that predict a class; pass a fitted DecisionTreeClassif"),
        (from_wittgenstein, "model must be a fitted RIPPER or IREP of wittgenstein, got {}"),
        (from_imodels, "model must be a fitted rule list or rule set of imodels, .*, got {}"),
        (from_rulekit, "model must be a fitted RuleClassifier of RuleKit, got {}"),
        (from_orange, "model must be a CN2 model of Orange, such as .*, got {}"),
    ],
)
def test_other_objects_are_rejected_without_the_library(reader, message, model):
    with pytest.raises(FormatError, match=message.format(described(model))):
        reader(model)


def test_objects_are_known_by_the_names_of_their_classes():
    assert kinds_of(SPACE, "irenic") == {"Space"}
    assert kinds_of(SPACE, "iren") == set()
    assert described(SPACE) == "a Space"
    assert described(3) == "an int"
    assert described(Space) == "the class Space, not a fitted model of it"


def test_names_and_labels_become_plain():
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
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "[]\n"
