"""The confidence of rules is what new rows will show, not what the training rows show."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

import irenic
from irenic import RuleSetClassifier
from irenic.learn.tally import Priors, likely, smoothed
from irenic.learn.validation import _ADDED, Holdout
from tests.learn.fitting import quick

COUNTS = st.lists(
    st.tuples(*[st.integers(0, 9)] * 4), min_size=1, max_size=5
)  # seen a, seen b, left out a, left out b


def slow_prior(rows, overall):
    def loss(prior):
        total = 0.0
        for seen_a, seen_b, left_a, left_b in rows:
            n = seen_a + seen_b + prior
            total -= left_a * math.log((seen_a + prior * overall[0]) / n)
            total -= left_b * math.log((seen_b + prior * overall[1]) / n)
        return total

    return min(loss(prior) for prior in _ADDED), loss


@given(COUNTS, st.sampled_from([0.1, 0.5, 0.8]))
def test_the_prior_makes_rows_left_out_most_likely(rows, share):
    table = np.array(rows, dtype=float)
    overall = np.array([share, 1 - share])
    prior = Holdout(table[:, :2], table[:, 2:]).prior(overall)
    least, loss = slow_prior(rows, overall)
    assert loss(prior) == pytest.approx(least)


def test_rows_left_out_that_agree_need_few_added_rows_and_others_many():
    overall = np.array([0.5, 0.5])
    seen = np.array([[20.0, 0.0], [0.0, 20.0]])
    assert Holdout(seen, seen).prior(overall) == _ADDED[0]
    assert Holdout(seen, np.full((2, 2), 10.0)).prior(overall) == _ADDED[-1]
    # a label without rows is not impossible
    assert (smoothed(np.array([[5.0, 0.0]]), 1.0, np.array([1.0, 0.0])) > 0).all()
    assert Priors(2.0, 3.0).each(2).tolist() == [2.0, 2.0, 3.0]


def test_a_share_lies_in_its_interval():
    right, n = np.array([0.0, 5.0, 20.0]), np.array([0.0, 10.0, 20.0])
    share, ends = likely(right, n, np.full(3, 1.5), np.full(3, 3.0))
    assert share.tolist() == pytest.approx([0.5, 0.5, 21.5 / 23])
    assert (ends[:, 0] < share).all()
    assert (share < ends[:, 1]).all()
    assert np.diff(ends[:2])[0] > np.diff(ends[:2])[1]  # more rows, a shorter interval
    # few added rows make a share hardly less certain
    added = np.array([2.0])
    _, ends = likely(np.array([9_000.0]), np.array([10_000.0]), added / 2, added)
    assert ends[0] == pytest.approx(beta.ppf([0.025, 0.975], 9_000, 1_000), abs=2e-4)


def noisy(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 6))
    return X, rng.random(n) < np.where(X[:, 0] > 0.6, 0.7, 0.35)


@pytest.fixture(scope="module")
def fits():
    fitted = []
    for seed in range(4):
        clf = RuleSetClassifier(random_state=seed, generations=2, moves=800)
        fitted.append(clf.fit(*noisy(300, seed)))
    return fitted


def test_confidence_is_that_of_new_rows(fits):
    X, y = noisy(20_000, 99)
    found = []
    for clf in fits:
        for point in clf.pareto_front_:
            counts, covers = point.counts, point.rule_set.covering(X)
            assert (counts.support[:-1] > 0).all()  # rules without training rows are left out
            for r, rule in enumerate(point.rule_set):
                share, (low, high) = np.mean(y[covers[:, r]] == rule.then), counts.intervals[r]
                claim = counts.confidence[r], counts.training_confidence[r]
                found.append((*claim, share, low <= share <= high))
    claims, trained, truth, inside = np.array(found).T
    assert len(claims) > 50
    assert np.mean(trained - truth) > 0.15  # what a reader would be misled by
    assert abs(np.mean(claims - truth)) < 0.06
    assert np.mean(np.abs(claims - truth)) < np.mean(np.abs(trained - truth)) / 2
    assert np.mean(inside) > 0.9


def overlapping(n, seed):
    """Return rows with a label that each of two features makes likely, and both even more so."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 4))
    high = (X[:, 0] > 0.4).astype(int) + (X[:, 1] > 0.4)
    return X, rng.random(n) < np.array([0.05, 0.75, 0.98])[high]


def test_rules_that_overlap_each_other_are_not_claimed_to_be_worse():
    """Where two rules agree, the rows count for both; a rule is more than what is left of it."""
    clf = RuleSetClassifier(random_state=0, generations=2, moves=1000, knowledge={"describe": True})
    clf = clf.fit(*overlapping(3_000, 0)).select(max_rules=3)
    X, y = overlapping(50_000, 1)
    covers = clf.rules_.covering(X)
    assert (covers.sum(axis=1) > 1).mean() > 0.1
    for r in range(len(clf.rules_)):
        share = np.mean(y[covers[:, r]])
        assert clf.chosen_.counts.confidence[r] == pytest.approx(share, abs=0.015)
        low, high = clf.chosen_.counts.intervals[r]
        assert low <= share <= high
        assert high - low < 0.06


def test_probabilities_are_those_of_new_rows(fits):
    X, y = noisy(5_000, 98)
    losses = []
    for clf in fits:
        likely_true = clf.predict_proba(X)[:, 1]
        worst = np.clip(likely_true, 1e-9, 1 - 1e-9)
        losses.append(-np.mean(np.where(y, np.log(worst), np.log(1 - worst))))
    # always predicting the shares of labels gives 0.69
    assert max(losses) < 0.69
    assert np.mean(losses) < 0.675


def test_explanations_and_files_have_the_interval(fits):
    clf = fits[0]
    X, _ = noisy(20, 5)
    again = irenic.read_model(irenic.dumps(clf, format="json"))
    for model in (clf, again):
        for decision in model.explain(X):
            (low, high), *_ = decision.intervals
            assert low < decision.confidence[0] < high
            assert (
                f"confidence {decision.confidence[0]:.2f}, 95 % interval {low:.2f} to {high:.2f})"
                in (decision.text)
            )
    assert again.chosen_.counts.intervals.tolist() == clf.chosen_.counts.intervals.tolist()
    counts = irenic.summarize(clf)["models"][0]["default"]
    assert counts["interval"][0] < counts["confidence"] < counts["interval"][1]


def test_without_validation_the_confidence_is_that_of_the_training_rows():
    X, y = noisy(200, 0)
    clf = quick(moves=1000).fit(X, y)
    counts = clf.chosen_.counts
    assert counts.confidence.tolist() == counts.training_confidence.tolist()
    assert np.isnan(counts.intervals).all()
    assert all(decision.intervals == () for decision in clf.explain(X))
    assert irenic.summarize(clf)["models"][0]["default"]["interval"] is None


def test_with_instances_the_estimate_of_learning_is_shown_too(fits):
    X, y = noisy(300, 0)
    chosen = irenic.summarize(fits[0])["chosen"]
    learned = irenic.summarize(fits[0])["models"][chosen]
    counted = irenic.summarize(fits[0], X, y)["models"][chosen]
    pairs = zip(
        [*learned["rules"], learned["default"]],
        [*counted["rules"], counted["default"]],
        strict=True,
    )
    for own, new in pairs:
        assert own["expected"] is None
        assert new["expected"] == [own["confidence"], *own["interval"]]
        assert new["interval"] is None
