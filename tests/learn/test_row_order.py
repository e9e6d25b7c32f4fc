"""The order of rows does not matter, whatever their weights."""

from __future__ import annotations

import numpy as np
import pytest
from fitting import people, quick
from hypothesis import given
from hypothesis import strategies as st

from irenic.learn.probabilities import Seen
from strategies import examples

OPTIONS = [
    {},
    {"class_weight": "balanced"},
    {"complete": True},
    {"complete": True, "default": "abstain"},
    {"scoring": "balanced_accuracy"},
    {"monotonic_cst": {"income": 1}},
    {"never": "low WHERE income > 40"},
]


@given(st.sampled_from(OPTIONS), st.integers(0, 99), st.booleans())
@examples(0.4)
def test_fractional_weights_and_permuted_rows(options, seed, validated):
    X, y = people(150, seed=seed % 7)
    if "monotonic_cst" in options:
        y = np.where(y == "high", "yes", "no")
    rng = np.random.default_rng(seed)
    weight = rng.choice([0.1, 1 / 3, 2 / 3, 0.7, 1.1], len(y))
    order = rng.permutation(len(y))
    how = {"selection": "validation" if validated else "description", "smoothing": 0.5}
    one = quick(**how, **options).fit(X, y, weight)
    other = quick(**how, **options).fit(X.iloc[order], y[order], weight[order])
    assert [list(p.rule_set) for p in one.pareto_front_] == [
        list(p.rule_set) for p in other.pareto_front_
    ]
    assert [p.training_score for p in one.pareto_front_] == [
        p.training_score for p in other.pareto_front_
    ]
    assert one.estimate_ == other.estimate_
    assert one.predict_proba(X).tobytes() == other.predict_proba(X).tobytes()


@pytest.mark.parametrize("default", ["majority", "abstain"])
def test_probabilities_of_added_rules_have_the_opinions_of_their_rows(default, monkeypatch):
    """Labels and opinions are of the same rows: both sum to the weights of these."""
    X, y = people(300)
    sums = []
    probabilities = Seen.probabilities

    def spied(self, opinion, overall):
        sums.append((self.labels.sum(axis=2), self.opinions.sum(axis=2)))
        return probabilities(self, opinion, overall)

    monkeypatch.setattr(Seen, "probabilities", spied)
    quick(complete=True, default=default, smoothing=0.5, max_rules=3).fit(X, y)
    assert sums
    for labels, opinions in sums:
        assert np.allclose(labels, opinions)
