"""Scores in which all labels count alike, and rare labels."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score

import irenic
from irenic.learn import Front
from tests.learn.fitting import check_consistent, people, quick, refused


def rare(n=2000, seed=0):
    """Return rows of which about one percent are frauds, most of them in one corner."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 4))
    corner = (X[:, 0] > 0.85) & (X[:, 1] > 0.8)
    return X, np.where(rng.random(n) < np.where(corner, 0.3, 0.002), "fraud", "fine")


X, Y = rare()
OPTIONS = {"moves": 800, "selection": "validation"}


@pytest.fixture(scope="module")
def balanced():
    return quick(scoring="balanced_accuracy", describe="fraud", **OPTIONS).fit(X, Y)


def test_a_label_that_no_rule_predicts_is_a_warning():
    with pytest.warns(UserWarning, match="no rule predicts") as caught:
        clf = quick(**OPTIONS | {"selection": "one_se"}).fit(X, Y)
    assert len(clf.rules_) == 0
    share = np.mean(Y == "fraud")
    able = [point for point in clf.pareto_front_ if "fraud" in point.rule_set.thens]
    best = max(able, key=lambda point: (point.validated_score, point.training_score))
    index = clf.pareto_front_.index(best)
    assert [str(warning.message) for warning in caught] == [
        f"no rule predicts fraud ({share:.1%} of the rows), because accuracy hardly depends on it;"
        f" use scoring='balanced_accuracy', or predict_proba, or select(index={index}), whose rules"
        f" predict it (validated {best.validated_score:.3f}, not"
        f" {clf.chosen_.validated_score:.3f})"
    ]
    assert best.validated_score != clf.chosen_.validated_score
    assert caught[0].filename == __file__
    assert "fraud" in clf.select(index=index).predict(X)


@pytest.mark.filterwarnings("ignore:no rule predicts fraud")
def test_scores_that_differ_a_little_have_enough_digits():
    clf = quick(**OPTIONS).fit(X, Y)
    front = clf.pareto_front_
    for validated, text in [
        (0.98894, "validated 0.98894, not 0.98891"),
        (0.98891, "validated 0.989, too"),
    ]:
        scores = [validated if "fraud" in point.rule_set.thens else 0.98891 for point in front]
        pairs = zip(front, scores, strict=True)
        clf.pareto_front_ = Front(replace(point, validated_score=score) for point, score in pairs)
        clf.chosen_ = clf.pareto_front_[0]
        assert clf._predicting("fraud").endswith(f"whose rules predict it ({text})")


def test_without_a_rule_for_a_rare_label_there_is_none_to_select():
    rng = np.random.default_rng(0)
    labels = np.where(np.arange(len(Y)) < 6, "fraud", "fine")
    with (
        pytest.warns(UserWarning, match="or predict_proba$"),
        pytest.warns(UserWarning, match="no rules were learned with min_support=1,000"),
    ):
        quick(max_rules=1, min_support=1000).fit(rng.random((len(Y), 1)), labels)


def test_labels_that_are_predicted_or_not_rare_are_no_warnings():
    quick(**OPTIONS).fit(*people())
    quick(**OPTIONS).fit(np.random.default_rng(0).random((100, 2)), np.arange(100) % 3 == 0)
    quick(class_weight="balanced", **OPTIONS).fit(X, Y)
    # nor is a label of a few rows, which cannot be learned
    labels = np.where(np.arange(len(Y)) < 4, "fraud", "fine")
    assert len(quick().fit(np.ones((len(Y), 1)), labels).rules_) == 0


def test_rare_labels_count_as_much_as_others(balanced):
    check_consistent(balanced)
    assert set(balanced.rules_.thens) == {"fraud"}
    assert balanced_accuracy_score(Y, balanced.predict(X)) > 0.8
    for point in balanced.pareto_front_:
        truth = balanced_accuracy_score(Y, point.rule_set.predict(X))
        assert point.training_score == pytest.approx(truth)
    test = rare(20_000, seed=9)
    score = balanced_accuracy_score(test[1], balanced.predict(test[0]))
    assert balanced.estimate_.low < score < balanced.estimate_.high


def test_confidence_and_probabilities_stay_those_of_the_rows(balanced):
    covers = balanced.rules_.covering(X)[:, 0]
    assert balanced.chosen_.counts.support[0] == covers.sum()
    share = np.mean(Y[covers] == "fraud")
    assert balanced.chosen_.counts.training_confidence[0] == pytest.approx(share)
    assert 0.1 < balanced.chosen_.counts.confidence[0] < 0.4
    likely = balanced.predict_proba(X)
    assert likely.sum(axis=1) == pytest.approx(1.0)
    assert likely[:, 1].mean() == pytest.approx(np.mean(Y == "fraud"), abs=0.01)
    again = irenic.read_model(irenic.dumps(balanced, format="json"))
    assert again.scoring == "balanced_accuracy"
    assert again.predict_proba(X).tolist() == likely.tolist()
    assert irenic.summarize(balanced)["score"] == "the balanced accuracy"


def test_sets_of_labels_have_no_balanced_accuracy():
    text = "scoring must be 'accuracy' if rows have several labels, got 'balanced_accuracy'"
    refused(text, quick(scoring="balanced_accuracy").fit, X, [{label} for label in Y])


@pytest.mark.parametrize(
    "options", [{"scoring": "balanced_accuracy"}, {"class_weight": {"fraud": 50, "fine": 1}}]
)
@pytest.mark.filterwarnings("ignore:no rule predicts fraud")
def test_values_of_rare_rows_do_not_leak_into_validation(options):
    """Weights by label must not decide which values of a column with many are told apart."""
    rng = np.random.default_rng(1)
    X = {"zip": np.char.add("DE-", rng.integers(0, 300, 2_000).astype(str))}
    y = np.where(rng.random(2_000) < 0.02, "fraud", "fine")
    plain, weighted = (quick(warm_start=True, **o).fit(X, y)._cells.groups for o in ({}, options))
    assert np.array_equal(plain, weighted)
