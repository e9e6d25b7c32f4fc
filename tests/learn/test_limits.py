"""Limits on each rule: its conditions, and the rows that it covers."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from tests.learn.fitting import check_consistent, people, quick

X, Y = people(300, noise=0.2)
WDBC = load_breast_cancer(return_X_y=True)


@pytest.mark.parametrize(("init", "most"), [("trees", 1), ("seeds", 2), ("trees", 3)])
def test_rules_have_at_most_so_many_conditions(most, init):
    clf = quick(max_conditions_per_rule=most, init=init).fit(*WDBC)
    check_consistent(clf)
    sizes = [point.rule_set.conditions_per_rule().max(initial=0) for point in clf.pareto_front_]
    assert max(sizes) == most
    assert clf.score(*WDBC) > 0.85
    if init == "trees":
        free = quick(init=init).fit(*WDBC).pareto_front_
        assert max(p.rule_set.conditions_per_rule().max(initial=0) for p in free) > most


def covered(clf):
    """Return how many rows each rule of a front covers."""
    return np.concatenate([point.rule_set.covering(X).sum(axis=0) for point in clf.pareto_front_])


@pytest.mark.parametrize("least", [5, 30])
def test_rules_cover_at_least_so_many_rows(least):
    clf = quick(moves=1000, min_support=least).fit(X, Y)
    check_consistent(clf)
    assert (covered(clf) >= least).all()
    for point in clf.pareto_front_:
        assert np.mean(point.rule_set.predict(X) == Y) == pytest.approx(point.training_score)
    assert covered(quick(moves=1000).fit(X, Y)).min() < least


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


def test_repeated_rows_and_validation_scale_the_support():
    clf = quick(min_support=20).fit(X, Y, sample_weight=np.full(len(Y), 2))
    assert (covered(clf) >= 10).all()
    clf = quick(selection="validation", min_support=25).fit(X, Y)
    assert clf.pareto_front_[-1].n_rules
    assert (covered(clf) >= 25).all()
    assert not np.isnan(clf.chosen_.validated_score)
