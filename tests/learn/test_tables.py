"""Targets, true labels and predictions of whole tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from fitting import quick, refused

from irenic import ConflictError, DataError, Rule, RuleList, RuleSet
from irenic.learn import predict_table, split_target, true_labels, unhelpful_columns

RULES = RuleSet([Rule({"age": (None, 18)}, then="free")], default="full")
SETS = RuleSet([Rule({"x": (None, 1)}, then=frozenset("ab"))], default=frozenset())
CLASH = [Rule({"age": (None, 18)}, then="a"), Rule({"age": (16, None)}, then="b")]
KINDS = pytest.mark.parametrize("kind", [dict, pd.DataFrame, pl.DataFrame])


def objects(values):
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


@KINDS
def test_a_table_is_split_into_features_and_labels(kind):
    table = kind({"age": [1, 2, 3], "pays": ["no", "yes", "yes"], "name": ["x", "y", "z"]})
    X, y = split_target(table, "pays")
    assert list(X if kind is dict else X.columns) == ["age", "name"]
    assert kind is dict or isinstance(X, kind)
    assert y.tolist() == ["no", "yes", "yes"]
    X, y = split_target([{"age": 1, "pays": "no"}, {"age": 2, "pays": "yes"}], "pays")
    assert (X["age"].tolist(), y.tolist()) == ([1, 2], ["no", "yes"])


def test_labels_have_a_type_that_learners_accept():
    for values, labels in [
        ([1, 2, 1, 2], np.array([1, 2, 1, 2])),
        ([1.0, 2.0, 1.0, 2.0], np.array([1, 2, 1, 2])),
        ([True, False, True, False], np.array([True, False, True, False])),
        (["a", "b", "a", "b"], objects(["a", "b", "a", "b"])),
        ([np.int64(1), np.int8(2), 1, 2], np.array([1, 2, 1, 2])),
        ([np.bool_(True), False, True, False], np.array([True, False, True, False])),
        ([2**60, 1, 1, 1], objects([str(2**60), "1", "1", "1"])),
    ]:
        _, y = split_target({"a": np.arange(4), "b": objects(values)}, "b")
        assert y.dtype == labels.dtype
        assert y.tolist() == labels.tolist()


def test_a_target_that_nothing_can_be_learned_from_is_refused():
    classes = "column 'b' must hold classes, got {}; choose another target"
    for columns, text in [
        ({"a": [1], "bb": ["x"]}, "unknown column 'b'; did you mean 'bb'?"),
        ({"a": [], "b": []}, "the table must have at least one row, got none"),
        ({"b": ["x"]}, "the table must have a column besides the target 'b', got none"),
        (
            {"a": [1, 2], "b": ["x", "x"]},
            "column 'b' must hold at least two classes, got one class: x",
        ),
        ({"a": [1, 2], "b": [1.5, 2]}, classes.format("numbers such as 1.5")),
        ({"a": [1, 2, 3], "b": ["x", "y", "z"]}, classes.format("3 different values in 3 rows")),
        (
            {"a": [1, 2], "b": ["x", None]},
            "column 'b', row 2: the label is missing; drop such rows or choose another target",
        ),
    ]:
        refused(text, split_target, columns, "b")
    with pytest.raises(DataError, match=r"^the columns of the table must have names, got an array"):
        split_target(np.zeros((2, 2)), "b")


def test_constant_columns_and_identifiers_are_unlikely_to_help():
    table = {
        "id": ["a", "b", "c"],
        "number": [1, 2, 3],
        "unit": ["m", "m", "m"],
        "empty": [None, float("nan"), None],
        "name": ["Ada", "Ben", None],
    }
    reasons = {"id": "a different text in every row", "unit": "constant", "empty": "constant"}
    assert unhelpful_columns(table) == reasons
    assert unhelpful_columns(pd.DataFrame(table)) == reasons


@KINDS
def test_rows_without_a_label_are_dropped(kind):
    table = kind({"age": [3, 40, 50], "name": list("xyz"), "pays": ["free", None, "full"]})
    X, y, column = true_labels(RULES, table)
    assert list(X if kind is dict else X.columns) == ["age"]
    assert list(X["age"]) == [3, 50]
    assert (y, column) == (["free", "full"], "pays")


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        # the last column wins if any value is a label
        ({"other": ["free", "full"], "pays": ["free", "half"]}, (["free", "half"], "pays")),
        # otherwise the only column of nothing but labels is taken
        ({"pays": ["free", "full"], "age": [3, 40]}, (["free", "full"], "pays")),
        (
            {"some": ["free", "half"], "pays": ["free", "full"], "age": [3, 40]},
            (["free", "full"], "pays"),
        ),
        ({"one": ["free", "full"], "two": ["free", "full"], "age": [3, 40]}, (None, None)),
        ({"note": ["tall", "kind"]}, (None, None)),
    ],
)
def test_the_column_of_labels_is_found(columns, expected):
    table = columns if "age" in columns else {"age": [3, 40]} | columns
    assert true_labels(RULES, table)[1:] == expected


@pytest.mark.parametrize("rules", [RULES, RuleList(RULES, default="full")])
def test_a_column_can_be_named(rules):
    table = {"pays": ["free", "full"], "age": [3, 40], "other": ["full", "full"]}
    assert true_labels(rules, table, label="pays")[1:] == (["free", "full"], "pays")


def test_text_is_read_as_the_rules_write_it():
    rules = RuleSet([Rule({"a": (None, 1)}, then=1)], default=2)
    assert true_labels(rules, {"a": [0, 5], "class": ["1", "2"]})[1] == [1, 2]
    for cells in (["a; b", ""], ["{a, b}", "{}"], ["a,b", None]):
        y = true_labels(SETS, {"x": [0, 5], "labels": cells})[1]
        assert y == [frozenset("ab"), frozenset()]
    X, y, column = true_labels(SETS, {"x": [0, 5], "a": [1, 0], "b": [1, 0]})
    assert (list(X), y, column) == (["x"], {"a": [1, 0], "b": [1, 0]}, None)


def test_columns_that_cannot_hold_labels_are_refused():
    for table, label, text in [
        ({"age": [3], "pays": ["free"]}, "pay", "unknown column 'pay'; did you mean 'pays'?"),
        (
            {"ages": [3], "pays": ["free"]},
            None,
            "the table must have a column 'age', which the rules test; did you mean 'ages'?",
        ),
        (
            {"age": [3], "job": ["cook"]},
            "job",
            "column 'job' must hold labels that the rules predict, such as free, full, got cook;"
            " choose another column",
        ),
    ]:
        refused(text, true_labels, RULES, table, label)


@KINDS
def test_predictions_are_columns(kind):
    columns = predict_table(RULES, kind({"name": ["x", "y"], "age": [3, 40]}))
    assert {name: column.tolist() for name, column in columns.items()} == {
        "prediction": ["free", "full"]
    }
    assert predict_table(SETS, {"x": [0, 5]})["prediction"].tolist() == ["a; b", ""]


def test_rules_explain_predictions():
    rules = RuleSet([Rule({"age": (None, 18)}, then="free")])
    columns = predict_table(rules, {"age": [3, 40]}, explain=True)
    assert columns["prediction"].tolist() == ["free", None]
    assert columns["rule"].tolist() == ["IF age < 18 THEN free", "no rule"]


def test_rules_that_contradict_each_other_need_a_way_to_decide():
    with pytest.raises(ConflictError):
        predict_table(RuleSet(CLASH), {"age": [17]})
    first = predict_table(RuleSet(CLASH), {"age": [17]}, resolve="first")
    ordered = predict_table(RuleList(CLASH), {"age": [17]})
    assert first["prediction"].tolist() == ordered["prediction"].tolist() == ["a"]


@pytest.mark.parametrize("conflicts", ["avoid", "vote", "best"])
def test_a_classifier_adds_support_and_confidence(conflicts):
    table = {"age": np.arange(60), "job": ["nurse", "clerk", "cook"] * 20}
    y = np.where(table["age"] < 18, "free", "full")
    clf = quick(conflicts=conflicts, max_rules=1).fit(table, y)
    columns = predict_table(clf, {"pays": y, **table}, explain=True)
    assert list(columns)[:4] == ["prediction", "rule", "support", "confidence"]
    assert columns["prediction"].tolist() == clf.predict(table).tolist()
    if conflicts == "avoid":
        assert set(columns["support"].tolist()) == {18, 42}
        assert set(columns["confidence"].tolist()) == {1.0}


def test_a_classifier_adds_probabilities_and_what_they_are_based_on():
    table = {"age": np.arange(60), "size": np.arange(60) % 7}
    clf = quick(max_rules=1).fit(table, np.where(table["age"] < 18, "free", "full"))
    columns = predict_table(clf, table, explain=True)
    assert columns["probability"].tolist() == clf.predict_proba(table).max(axis=1).tolist()
    bases = [decision.probability.basis for decision in clf.explain(table)]
    assert columns["based on"].tolist() == bases
    assert "training rows with this prediction where age" in bases[0]
    for decision, likely in zip(clf.explain(table), columns["probability"], strict=True):
        assert decision.text.endswith(
            f"; probability {likely:.2f}, from {decision.probability.basis}"
        )
    clf.chosen_ = replace(clf.chosen_, probabilities=None)  # the model of an older version
    assert list(predict_table(clf, table, explain=True))[-1] == "confidence"
    assert "probability" not in clf.explain(table)[0].text


def test_tables_that_cannot_be_predicted_are_refused():
    text = "the table must not have a column 'prediction', because predictions add one; rename it"
    refused(text, predict_table, RULES, {"age": [3], "prediction": ["x"]})
    text = "the table must have a column 'age', which the rules test (known: 'a', 'b')"
    refused(text, predict_table, RULES, {"a": [1], "b": [2]})
    rules = RuleSet([Rule({f"f{i}": (0, 1) for i in range(10)}, then="x")])
    names = ", ".join(f"'f{i}'" for i in range(8))
    text = f"the table must have all columns that the rules test; 10 are missing: {names}, …"
    refused(text, predict_table, rules, {"a": [1]})
