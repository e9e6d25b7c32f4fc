"""Tests of the measures of the study: of predictions, of reading rules, and of the space."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from benchmarks.fitted import objects
from study import measures

COVERS = np.array(
    [
        [True, False, True],
        [True, True, False],
        [False, False, False],
        [True, True, True],
    ]
)


def test_rows_in_conflict_by_hand():
    # the first two rules state the same, so only the third can contradict
    assert measures.in_conflict(COVERS, objects("ppq")).tolist() == [True, False, False, True]
    assert measures.in_conflict(COVERS, objects("ppp")).tolist() == [False] * 4
    assert measures.in_conflict(COVERS, objects("pqr")).tolist() == [True, True, False, True]
    same, other = frozenset([1, 2]), frozenset([1])
    found = measures.in_conflict(COVERS, objects([same, same, other]))
    assert found.tolist() == [True, False, False, True]


@given(st.data())
def test_rows_in_conflict_against_pairs_of_rules(data):
    n, k = data.draw(st.integers(0, 6)), data.draw(st.integers(0, 5))
    covers = data.draw(arrays.arrays(bool, (n, k)))
    then = data.draw(st.lists(st.sampled_from(["p", "q", 1]), min_size=k, max_size=k))
    expected = [
        any(row[a] and row[b] and then[a] != then[b] for a in range(k) for b in range(a))
        for row in covers
    ]
    found = measures.in_conflict(covers, objects(then))
    assert found.dtype == bool
    assert found.tolist() == expected


def test_reading_by_hand():
    assert measures.reading(COVERS, objects("ppq")) == {
        "rules_per_prediction": 7 / 4,
        "conflict_points": 2 / 4,
        "coverage": 3 / 4,
    }
    found = measures.reading(COVERS, objects("ppq"), np.array([1, 10, 100]))
    assert found["explanation_size"] == (101 + 11 + 0 + 111) / 4
    nothing = np.zeros((3, 0), dtype=bool)
    names = ("rules_per_prediction", "conflict_points", "coverage", "explanation_size")
    found = measures.reading(nothing, objects([]), np.array([], dtype=int))
    assert found == dict.fromkeys(names, 0)


def test_scores_by_hand():
    truth = objects(["p", "p", "p", "p", "q", "q", "r", "r"])
    found = objects(["p", "p", "p", "q", "q", "q", "p", "p"])
    # recalls 3/4, 1, 0; precisions 3/5, 2/3 and none
    f1 = [2 * 0.75 * 0.6 / 1.35, 2 * 1 * (2 / 3) / (5 / 3), 0]
    assert measures.scores(truth, found, "train_") == pytest.approx(
        {
            "train_accuracy": 5 / 8,
            "train_balanced_accuracy": 1.75 / 3,
            "train_macro_f1": sum(f1) / 3,
        }
    )
    # peers return numbers, or texts of another width, for the labels that they were given
    truth = objects(["1", "10", "2", "2"])
    assert measures.scores(truth, np.array([1, 10, 2, 2]))["accuracy"] == 1
    assert measures.scores(truth, ["1", "1", "2", "2"])["accuracy"] == 0.75


def test_scores_of_sets_by_hand():
    truth = objects(map(frozenset, [{1, 2}, {1}, set(), set(), {3}]))
    found = objects(map(frozenset, [{1, 3}, {1}, set(), {2}, set()]))
    # of three labels each: two wrong, none, none, one, one
    assert measures.scores(truth, found, "train_") == pytest.approx(
        {
            "train_example_f1": (0.5 + 1 + 1 + 0 + 0) / 5,
            "train_subset_accuracy": 2 / 5,
            "train_label_accuracy": 1 - 4 / 15,
        }
    )


@given(st.data())
def test_scores_of_sets_against_labels_one_by_one(data):
    some = st.frozensets(st.sampled_from(["p", "q", "r", 1]))
    n = data.draw(st.integers(1, 8))
    truth, found = (data.draw(st.lists(some, min_size=n, max_size=n)) for _ in range(2))
    labels = {label for labels in (*truth, *found) for label in labels}
    f1, whole, right = 0.0, 0, 0
    for a, b in zip(truth, found, strict=True):
        hits = sum(label in a and label in b for label in labels)
        wrong = sum((label in a) != (label in b) for label in labels)
        f1 += 2 * hits / (2 * hits + wrong) if hits + wrong else 1.0
        whole += not wrong
        right += len(labels) - wrong
    assert measures.scores(objects(truth), objects(found)) == pytest.approx(
        {
            "example_f1": f1 / n,
            "subset_accuracy": whole / n,
            "label_accuracy": right / (n * len(labels)) if labels else 1.0,
        }
    )


def test_overfitting_is_training_less_test():
    test = {"accuracy": 0.5, "balanced_accuracy": 0.75, "macro_f1": 0.5}
    train = {"train_accuracy": 0.75, "train_balanced_accuracy": 0.5, "train_macro_f1": 0.5}
    gaps = {"gap_accuracy": 0.25, "gap_balanced_accuracy": -0.25, "gap_macro_f1": 0.0}
    assert measures.overfitting({**test, **train, "rules": 3}) == gaps
    # of whatever scores there are
    assert measures.overfitting({"example_f1": 0.5, "train_example_f1": 0.75}) == {
        "gap_example_f1": 0.25
    }


# --- points of the space


@pytest.fixture(scope="module")
def columns():
    """Return columns of all kinds, to be read only."""
    return pd.DataFrame(
        {
            "number": [0.5, np.nan, -1.5, 2.0],
            "whole": [7, 3, 4, 3],
            "maybe whole": pd.array([1, None, 3, 2], dtype="Int64"),
            "one value": [4.5] * 4,
            "category": pd.Categorical(["y", "x", None, "y"], categories=["z", "y", "x"]),
            "no number": [np.nan] * 4,
            "no whole": pd.array([None] * 4, dtype="Int64"),
            "no category": pd.Categorical([None] * 4, categories=["u", "v"]),
            ("odd", 1): [0.0, 1.0, 0.0, 1.0],
        }
    )


@pytest.fixture(scope="module")
def points(columns):
    return measures.space_points(columns, 0)


def test_points_are_in_the_box_and_reach_its_ends(columns, points):
    assert len(points) == measures.SPACE_POINTS
    assert list(points) == list(columns)
    assert points["number"].between(-1.5, 2.0).all()
    assert points["number"].min() < -1.49
    assert points["number"].max() > 1.99
    # evenly: a quarter of the points in a quarter of the range
    assert (points["number"] < -0.625).mean() == pytest.approx(0.25, abs=0.02)
    assert (points["one value"] == 4.5).all()


def test_whole_numbers_stay_whole(points):
    for name, expected in (("whole", {3, 4, 5, 6, 7}), ("maybe whole", {1, 2, 3})):
        assert pd.api.types.is_integer_dtype(points[name])
        assert set(points[name]) == expected
        assert points[name].value_counts(normalize=True).min() > 0.9 / len(expected)


def test_only_categories_that_were_seen_each_as_likely(columns, points):
    assert points["category"].dtype == columns["category"].dtype
    counts = points["category"].value_counts()
    assert counts["z"] == 0
    assert counts["x"] + counts["y"] == len(points)
    assert counts["x"] == pytest.approx(len(points) / 2, rel=0.05)


def test_columns_without_any_value_stay_without(columns, points):
    empty = ["no number", "no whole", "no category"]
    assert points[empty].isna().all(axis=None)
    assert points["no category"].dtype == columns["no category"].dtype
    # missing values are not drawn where there are others
    assert points.drop(columns=empty).notna().all(axis=None)


def test_points_depend_on_the_random_state_and_not_on_the_order_of_rows(columns):
    one, two, other = (measures.space_points(columns, seed, 50) for seed in (3, 3, 4))
    assert len(one) == 50
    pd.testing.assert_frame_equal(one, two)
    assert not one.equals(other)
    pd.testing.assert_frame_equal(one, measures.space_points(columns.iloc[::-1], 3, 50))
