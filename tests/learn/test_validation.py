"""Scores of rows left out, corrected for the choice of the best."""

from __future__ import annotations

import numpy as np
import pytest

from irenic.learn.validation import Estimate, Validation
from learn.fitting import quick

X = {"a": np.arange(60) % 20, "b": np.arange(60) // 3}
Y = np.where(X["a"] < 8, "low", "high")


def validation(scores, weight=None):
    ones, codes = np.ones(len(scores)), np.zeros(len(scores), dtype=int)
    weight = ones if weight is None else weight
    return Validation(np.asarray(scores, dtype=float), weight, ones, codes)


def slow_estimate(scores, weight, n_bootstraps, rng):
    """The same with a loop over bootstraps, as the paper gives it."""
    n, results = len(scores), []
    for _ in range(n_bootstraps):
        drawn = rng.integers(n, size=n)
        left = np.setdiff1d(np.arange(n), drawn)
        best = max(
            range(scores.shape[1]),
            key=lambda c: np.average(scores[drawn, c], weights=weight[drawn]),
        )
        results.append(np.average(scores[left, best], weights=weight[left]))
    return np.mean(results)


def test_the_choice_among_coins_is_corrected():
    flips = [validation(np.random.default_rng(s).random((100, 50)) < 0.5) for s in range(20)]
    assert np.mean([folds.means().max() for folds in flips]) > 0.6
    estimates = [folds.estimate(range(50)) for folds in flips]
    assert np.mean([estimate.score for estimate in estimates]) == pytest.approx(0.5, abs=0.04)
    assert np.mean([estimate.low < 0.5 < estimate.high for estimate in estimates]) >= 0.9


def test_a_single_member_needs_no_correction():
    right = np.random.default_rng(1).random((200, 3)) < [0.3, 0.8, 0.5]
    estimate, share = validation(right).estimate([1]), right[:, 1].mean()
    assert estimate.score == pytest.approx(share, abs=0.01)
    assert estimate.low < share < estimate.high


def test_the_estimate_is_that_of_a_plain_loop():
    rng = np.random.default_rng(0)
    scores = rng.random((40, 5)) < rng.random(5)
    weight = rng.random(40) + 0.5
    estimate = validation(scores, weight).estimate(range(5)).score
    assert estimate == pytest.approx(slow_estimate(scores, weight, 2000, rng), abs=0.015)


@pytest.mark.parametrize("n", [10, 40])
def test_ties_of_few_rows_do_not_favor_the_rows_left_out(n):
    flips = [validation(np.random.default_rng(s).random((n, 20)) < 0.5) for s in range(60)]
    scores = [folds.estimate(range(20)).score for folds in flips]
    assert np.mean(scores) == pytest.approx(0.5, abs=0.035)


def test_weights_count_in_the_choice_and_only_if_asked_for_in_the_score():
    # the first member is right for the first half of the rows, the second one for the other half
    scores = np.repeat([[1.0, 0.0], [0.0, 1.0]], 40, axis=0)
    folds = validation(scores, np.repeat([9.0, 1.0], 40))
    assert folds.estimate([0, 1]).score == pytest.approx(0.9, abs=0.01)
    assert folds.estimate([0, 1], weighted=False).score == pytest.approx(0.5, abs=0.02)


def test_labels_count_the_same_in_a_balanced_score():
    ones = np.ones(200)
    for rare in (2, 5, 10):
        codes = np.repeat([0, 1], [200 - rare, rare])
        folds = Validation(1.0 - codes[:, None], ones, ones, codes)
        assert folds.estimate([0]).score == pytest.approx(1 - rare / 200, abs=0.01)
        assert folds.balanced([0]) == 0.5


def test_one_row_gives_a_score_without_an_interval():
    estimate = validation([[1.0, 0.0]]).estimate([0, 1])
    assert estimate.score == 1.0
    assert np.isnan([estimate.low, estimate.high]).all()
    alone = Validation(np.ones((1, 1)), np.ones(1), np.ones(1), np.zeros(1, dtype=np.intp))
    assert np.isnan(alone.balanced([0]))


def test_a_classifier_estimates_its_score():
    assert not hasattr(quick(), "estimate_")
    assert quick(selection="description").fit(X, Y).estimate_ is None  # without validation
    clf = quick(selection="validation").fit(X, Y)
    assert "estimate_" not in vars(clf)  # the bootstrap waits until someone asks for it
    assert isinstance(clf.estimate_, Estimate)
    assert clf.estimate_.low <= clf.estimate_.score <= clf.estimate_.high
    assert clf.estimate_.score <= max(p.validated_score for p in clf.pareto_front_) + 0.02
    none = clf.select(index=0)
    assert none.estimate_.score == pytest.approx(none.chosen_.validated_score, abs=0.02)
    assert clf.estimate_ is not none.estimate_


def slow_one_se(scores, sizes, n_bootstraps, rng):
    n, results = len(scores), []
    for _ in range(n_bootstraps):
        drawn = rng.integers(n, size=n)
        left = np.setdiff1d(np.arange(n), drawn)
        means = scores[drawn].mean(axis=0)
        least = means.max() - np.sqrt(means.max() * (1 - means.max()) / n)
        chosen = min((c for c in range(len(sizes)) if means[c] >= least), key=lambda c: sizes[c])
        results.append(scores[left, chosen].mean())
    return np.mean(results)


def test_the_choice_of_a_smaller_set_is_repeated_too():
    rng = np.random.default_rng(3)
    scores = rng.random((60, 4)) < [0.6, 0.72, 0.8, 0.81]
    sizes = [(1, 1), (2, 3), (4, 9), (8, 20)]
    estimate = validation(scores).estimate(dict(enumerate(sizes))).score
    assert estimate == pytest.approx(slow_one_se(scores, sizes, 3000, rng), abs=0.01)
    assert estimate < validation(scores).estimate(range(4)).score


def test_a_smaller_set_can_be_chosen():
    rng = np.random.default_rng(0)
    table = rng.random((300, 4))
    labels = rng.random(300) < np.where(table[:, 0] > 0.5, 0.8, 0.3)
    small, large = (
        quick(selection=selection, smoothing=0.5).fit(table, labels)
        for selection in ("one_se", "validation")
    )
    assert small.chosen_.n_rules <= large.chosen_.n_rules
    best = max(point.validated_score for point in small.pareto_front_)
    assert small.chosen_.validated_score >= best - 0.03
    assert small.estimate_ is not None
