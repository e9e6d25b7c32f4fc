"""Shares with intervals, groups of rows, and new rows compared with the training rows."""

from __future__ import annotations

import math
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, false_discovery_control

import irenic
from irenic import ConditionError, DataError, Rule, RuleList, RuleSet, RuleSetClassifier
from irenic.learn import from_rules
from irenic.monitoring import Share, compare_groups, drift
from irenic.monitoring._shares import adjusted, chance, difference

RULES = RuleSet([Rule({"debt": (500, None)}, then="bad")], default="good")


# --- shares


@given(st.data())
def test_intervals_are_those_of_wilson(data):
    n = data.draw(st.integers(1, 500))
    k = data.draw(st.integers(0, n))
    expected = binomtest(k, n).proportion_ci(method="wilson")
    assert Share(k, n).interval == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert Share(k, n).share == k / n


def test_without_rows_nothing_is_known():
    assert math.isnan(Share(0, 0).share)
    assert Share(0, 0).interval == (0.0, 1.0)
    assert str(Share(0, 0)) == "unknown (no rows)"
    assert chance(Share(0, 0), Share(1, 2)) == 1.0


def test_the_interval_of_a_difference_is_that_of_newcombe():
    """The example of Newcombe (1998), method 10: 56/70 - 48/80."""
    d, low, high = difference(Share(48, 80), Share(56, 70))
    assert (round(d, 4), round(low, 4), round(high, 4)) == (0.2, 0.0524, 0.3339)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_adjusted_chances_are_between_plain_ones_and_bonferroni(chances):
    result = adjusted(chances)
    for p, q in zip(chances, result, strict=True):
        assert p <= q <= min(1.0, p * len(chances)) or q == max(result)
    assert (np.array(result) >= false_discovery_control(chances) - 1e-9).all()
    order = np.argsort(chances, kind="stable")
    assert (np.diff(np.array(result)[order]) >= 0).all()


# --- groups


@given(st.data())
def test_groups_are_counted_one_by_one(data):
    label = st.sampled_from(["good", "bad", "ugly"])
    row = st.tuples(st.integers(0, 999), st.sampled_from(["f", "m", None]), label)
    drawn = data.draw(st.lists(row, min_size=1, max_size=30))
    n, (debts, by, y) = len(drawn), map(list, zip(*drawn, strict=True))
    predictions = ["bad" if debt >= 500 else "good" for debt in debts]
    groups = compare_groups(RULES, {"debt": debts}, by, y)
    assert sum(figures.rows for figures in groups) == n
    assert [figures.rows for figures in groups] == sorted((g.rows for g in groups), reverse=True)
    for figures in groups:
        rows = [i for i in range(n) if by[i] == figures.value]
        pairs = [(predictions[i], y[i]) for i in rows]
        assert figures.accuracy == Share(sum(p == t for p, t in pairs), len(rows))
        assert figures.by_default == figures.decided["good"]
        assert figures.is_small is (len(rows) < 30)
        for label in {"good", "bad", *y}:
            assert figures.decided[label] == Share(sum(p == label for p, _ in pairs), len(rows))
            others = [p for p, t in pairs if t != label]
            own = [p for p, t in pairs if t == label]
            wrong = Share(sum(p == label for p in others), len(others))
            missed = Share(sum(p != label for p in own), len(own))
            assert figures.false_positives[label] == wrong
            assert figures.false_negatives[label] == missed


def test_groups_need_no_labels_and_are_those_of_every_kind_of_rules():
    (figures,) = compare_groups(RULES, {"debt": [1, 900]}, ["x", "x"])
    assert (figures.accuracy, figures.false_positives) == (None, None)
    rows, by = {"debt": [1, 900, 30]}, [1, 2, 1]
    expected = compare_groups(RULES, rows, by)
    assert compare_groups(RuleList.from_rules(RULES), rows, by) == expected
    clf = from_rules(RULES, {"debt": [1, 900]}, ["good", "bad"])
    frame = pd.DataFrame({**rows, "name": ["a", "b", "c"]})
    assert compare_groups(clf, frame, pd.Series(by)) == expected


def test_bad_groups_are_rejected():
    text = "must be a column with one value per row, got the text 'abc'; pass the column itself"
    for debts, arguments, message in [
        ([1, 2], (["x"],), "by must have one value per row, got 1 for 2 rows"),
        ([1, 2], (["x", "x"], ["good"] * 3), "y must have one value per row, got 3 for 2"),
        ([1, 2, 3], ("abc",), text),
        ([1, 2, 3], (["x"] * 3, "abc"), text),
        (
            range(60),
            (range(60),),
            "by must have at most 50 different values, got 60; put them into classes first",
        ),
    ]:
        with pytest.raises(DataError, match=message):
            compare_groups(RULES, {"debt": debts}, *arguments)


# --- drift


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"debt": rng.integers(0, 1000, 400)})
    frame["job"] = rng.choice(["cook", "nurse", "smith"], 400)
    days = rng.integers(0, 900, 400).tolist()
    frame["since"] = [date(2020, 1, 1) + timedelta(days=day) for day in days]
    y = np.where((frame.debt >= 600) & (frame.job == "cook"), "bad", "good")
    y = np.where(frame.since < date(2020, 3, 1), "bad", y)
    clf = RuleSetClassifier(generations=2, moves=400, selection="description", random_state=0)
    return clf.fit(frame, y), frame, y


def test_the_training_rows_do_not_drift(model):
    clf, frame, y = model
    same = drift(clf, frame, y)
    assert (same.changed, same.rows, same.unseen, same.beyond) == (False, 400, {}, {})
    assert same.accuracy.share == pytest.approx(clf.score(frame, y))
    counts = clf.chosen_.counts.support.tolist()
    rules = [shift for shift in same.shifts if shift.kind in ("rule", "default")]
    assert [shift.now.count for shift in rules] == counts
    assert all(shift.now == shift.before for shift in rules)


def test_drift_is_found_and_said(model):
    clf, frame, y = model
    new = frame.copy()
    new["debt"] += 500
    new["job"] = new["job"].replace({"nurse": "pilot"})
    new.loc[:99, "since"] = None
    found = drift(clf, new)
    assert found.changed
    kinds = {shift.kind for shift in found.shifts if shift.changed}
    assert {"rule", "range", "unseen", "missing"} <= kinds
    assert found.unseen == {"job": {"pilot": int((frame.job == "nurse").sum())}}
    assert found.beyond["debt"][0] == f"{frame.debt.min()} to {frame.debt.max()}"
    low = new.debt[new.debt > frame.debt.max()].min()
    assert found.beyond["debt"][1] == f"{low} to {new.debt.max()}"
    texts = "\n".join(str(shift) for shift in found.shifts)
    assert "job has unlisted values in" in texts
    assert "debt is beyond the training range in" in texts
    assert "since is missing in 25.0 % of the rows, in training 0.0 %" in texts
    wrong = drift(clf, frame, np.where(y == "bad", "good", "bad"))
    assert {shift.kind for shift in wrong.shifts if shift.changed} == {"confidence"}
    assert any(str(shift).startswith("rule 1 is right for") for shift in wrong.shifts)
    assert any(str(shift).startswith("the default is right for") for shift in wrong.shifts)


def test_drift_survives_files_and_needs_only_tested_columns(model, tmp_path):
    clf, frame, _ = model
    irenic.write(clf, tmp_path / "model.json")
    again = irenic.read_model(tmp_path / "model.json")
    tested = list(clf.chosen_.columns)
    assert drift(again, frame[tested]) == drift(clf, frame)


def test_false_alarms_are_rare(model):
    """Rows of the same kind are said to differ in about one of twenty cases."""
    clf, frame, _ = model
    rng = np.random.default_rng(1)
    alarms = sum(
        drift(clf, frame.iloc[rng.integers(0, len(frame), 150)]).changed for _ in range(40)
    )
    assert alarms <= 6


def test_drift_needs_a_model_and_rows(model):
    clf, frame, _ = model
    with pytest.raises(ConditionError, match=r"got RuleSet; irenic.learn.from_rules\(rules, X, y"):
        drift(RULES, {"debt": [1]})
    with pytest.raises(DataError, match="X must have at least one row, got none"):
        drift(clf, frame[:0])
    with pytest.raises(DataError, match="y must have one label per row, got 1 for 2"):
        drift(clf, frame[:2], ["good"])


def test_probabilities_are_no_labels():
    rows = {"a": range(60)}
    y = [{"p"} if a < 30 else {"p", "q"} for a in range(60)]
    clf = RuleSetClassifier(
        generations=1, moves=50, consequents="probabilities", random_state=0
    ).fit(rows, y)
    assert not drift(clf, rows).changed
    with pytest.raises(ConditionError, match="y must be None, because the rules predict prob"):
        drift(clf, rows, y)
    with pytest.raises(ConditionError, match="rules must predict labels to compare groups"):
        compare_groups(clf, rows, ["x"] * 60)
