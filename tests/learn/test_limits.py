"""Limits on each rule: its conditions, and the rows that it covers."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from tests.learn.fitting import check_consistent, people, quick

X, Y = people(300, noise=0.2)
WDBC = load_breast_cancer(return_X_y=True)


@pytest.mark.parametrize("init", ["trees", "seeds"])
@pytest.mark.parametrize("most", [1, 2, 3])
def test_rules_have_at_most_so_many_conditions(most, init):
    clf = quick(moves=2000, max_conditions_per_rule=most, init=init).fit(*WDBC)
    check_consistent(clf)
    sizes = [point.rule_set.conditions_per_rule().max(initial=0) for point in clf.pareto_front_]
    assert max(sizes) == most
    assert clf.score(*WDBC) > 0.85
    free = quick(moves=2000, init=init).fit(*WDBC)
    assert max(p.rule_set.conditions_per_rule().max(initial=0) for p in free.pareto_front_) > most


@pytest.mark.parametrize("least", [5, 30])
def test_rules_cover_at_least_so_many_rows(least):
    clf = quick(moves=2000, min_support=least).fit(X, Y)
    check_consistent(clf)
    for point in clf.pareto_front_:
        covered = point.rule_set.covering(X).sum(axis=0)
        assert (covered >= least).all()
        assert np.mean(point.rule_set.predict(X) == Y) == pytest.approx(point.training_score)
    free = quick(moves=2000).fit(X, Y)
    smallest = min(p.rule_set.covering(X).sum(axis=0).min(initial=999) for p in free.pareto_front_)
    assert smallest < least


@pytest.mark.parametrize(
    ("least", "why"),
    [
        (1_000_000, "a rule can cover at most 300 rows"),
        (295, "no rule that covers 295 rows predicts better than the default"),
    ],
)
@pytest.mark.parametrize("options", [{}, {"complete": True}, {"rules": "IF age < 20 THEN low"}])
def test_a_support_that_leaves_no_rule_is_warned_of(least, why, options):
    with pytest.warns(UserWarning, match="no rules were learned") as caught:
        clf = quick(min_support=least, **options).fit(X, Y)
    assert [str(each.message) for each in caught] == [
        f"no rules were learned with min_support={least:,}, because {why}; use a smaller"
        " min_support"
    ]
    assert caught[0].filename == __file__
    assert len(clf.rules_) <= 1


def test_repeated_rows_count_towards_the_support():
    clf = quick(moves=1000, min_support=20).fit(X, Y, sample_weight=np.full(len(Y), 2))
    once = quick(moves=1000, min_support=10).fit(X, Y)
    for model in (clf, once):
        assert (model.rules_.covering(X).sum(axis=0) >= 10).all()


def test_validation_scales_the_support():
    options = {"selection": "validation", "moves": 300, "min_support": 25}
    clf = quick(**options).fit(X, Y)
    assert clf.pareto_front_[-1].n_rules
    for point in clf.pareto_front_:
        assert (point.rule_set.covering(X).sum(axis=0) >= 25).all()
    assert not np.isnan(clf.chosen_.validated_score)
