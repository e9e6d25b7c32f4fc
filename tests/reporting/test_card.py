"""Model cards."""

import datetime as dt
import hashlib
import json

import numpy as np
import pandas as pd
import pytest

import irenic
from documents import validated
from irenic.errors import ConditionError
from irenic.reporting import card_markdown, model_card
from tests.learn.fitting import people, quick

X, Y = people()


@pytest.fixture(scope="module")
def fitted():
    return quick(max_rules=4).fit(X, Y)


def test_a_card_has_the_model_its_data_and_its_limits(fitted, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("made up")
    card = model_card(fitted, X, Y, target="risk", source=path)
    assert validated(json.dumps(card)) == card
    assert card["title"] == "RuleSetClassifier for risk"
    assert card["created"] == dt.date.today().isoformat()
    assert card["versions"]["irenic"] == irenic.__version__
    assert card["parameters"]["max_rules"] == 4
    assert "min_support" not in card["parameters"]
    assert card["data"]["name"] == "people.csv"
    assert card["data"]["sha256"] == hashlib.sha256(b"made up").hexdigest()
    assert card["data"]["rows"] == len(Y)
    assert {c["text"]: c["rows"] for c in card["data"]["classes"]} == dict(
        zip(*np.unique(Y, return_counts=True), strict=True)
    )
    assert [rule["text"] for rule in card["rules"]] == [str(rule) for rule in fitted.rules_]
    assert {c["name"] for c in card["columns"]} | set(card["untested"]) == set(X.columns)
    shares = [column["importance"] for column in card["columns"]]
    assert shares == sorted(shares, reverse=True)
    assert card["decided_by_rule"] == np.mean(fitted.rules_.covering(X).any(axis=1))
    assert "No rows were left out, so that the score on new rows is unknown." in card["notes"]


def test_markdown_shows_all_of_it(fitted):
    by = ("married", X["married"])
    card = model_card(fitted, X, Y, by=by)
    text = card_markdown({**card, "title": "Risk | 1", "created": "2026-03-01"})
    assert text.startswith("# Risk | 1\n\n- **Created:** 2026-03-01 with irenic ")
    for number, rule in enumerate(card["rules"], 1):
        assert f"| {number} | {rule['text']} | {rule['support']:g} |" in text
    assert "| married | rows |" in text
    assert "## Before you use it" in text
    n_true = int(X["married"].sum())
    assert f"| true | {n_true} |" in text


def test_proved_properties_are_listed_and_text_that_is_no_html_is_escaped():
    claim = "high WHERE income < 20"
    table = X.rename(columns={"age": "<b>age"})
    card = model_card(quick(never=claim).fit(table, Y), table, Y)
    assert card["proved"] == [f"NEVER {claim}"]
    text = card_markdown(card)
    assert f"- Proved for all cases: NEVER {claim}\n" in text
    assert "&lt;" not in text
    assert "\\<b>age" in text
    assert "<b>age" not in text.replace("\\<b>age", "")


def test_scores_have_intervals_if_rows_were_left_out():
    clf = quick(selection="validation").fit(X, Y)
    card = model_card(clf, X, Y)
    assert card["score"] == list(clf.estimate_)
    score, low, _ = clf.estimate_
    expected = f"The accuracy to expect is {score:.3f} on new rows (95 % interval {low:.3f} to"
    assert expected in card_markdown(card)
    assert not any("left out" in note for note in card["notes"])


def test_a_copy_of_the_target_is_noted():
    table = X.assign(outcome=np.char.upper(Y))
    clf = quick().fit(table, Y)
    (note,) = [n for n in model_card(clf, table, Y)["notes"] if "outcome" in n and "known" in n]
    assert note.startswith("Column outcome is another name for the target; make sure that it is")
    only = "Predictions depend almost only on column outcome (importance 1.00)."
    assert only in model_card(clf, table, Y)["notes"]


def test_only_models_with_one_label_have_cards(fitted):
    with pytest.raises(ConditionError, match=r"model must be a fitted classifier .* got RuleSet"):
        model_card(fitted.rules_, X, Y)
    many = quick().fit({"a": range(40)}, [{"x"} if i < 20 else {"x", "y"} for i in range(40)])
    with pytest.raises(ConditionError, match="a model card needs a model with one label per row"):
        model_card(many, {"a": range(40)}, [])


def test_dates_are_written_as_dates():
    days = pd.date_range("2024-01-01", periods=60).date
    clf = quick().fit(pd.DataFrame({"day": days}), ["a"] * 30 + ["b"] * 30)
    card = model_card(clf, {"day": days}, ["a"] * 30 + ["b"] * 30)
    assert card["columns"][0]["values"] == "2024-01-01 to 2024-02-29"
