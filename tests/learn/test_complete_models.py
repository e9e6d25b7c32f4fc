"""Rule sets whose gaps are filled by few rules of one consequent."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as sts
from irenic import Region, Rule, RuleSet, gaps
from irenic.learn import _completing
from irenic.learn._completing import completed
from tests.learn.fitting import people, quick


@given(sts.consistent_rule_sets(max_features=3, default="A"), st.integers(0, 2**31))
def test_no_gap_remains_and_no_prediction_changes(rules, seed):
    cases = Region(rules.space).sample(30, random_state=seed)
    rows = cases.take(slice(0, 10))
    whole = completed(rules, "A", rows, np.ones(10))
    assert gaps(whole).is_complete
    assert whole.is_consistent
    assert whole.predict(cases).tolist() == rules.predict(cases).tolist()
    assert list(whole)[: len(rules)] == list(rules)
    added = list(whole)[len(rules) :]
    assert {rule.then for rule in added} <= {"A"}
    for i in range(len(added)):  # none is superfluous
        others = RuleSet([*rules, *added[:i], *added[i + 1 :]], rules.space)
        assert not gaps(others).is_complete


@given(sts.consistent_rule_sets(max_features=3, default="A"))
def test_the_added_rules_are_as_large_as_their_rivals_let_them(rules):
    rows = Region(rules.space).sample(5, random_state=0)
    whole = completed(rules, "A", rows, np.ones(5))
    for rule in list(whole)[len(rules) :]:
        for name in rule.region.conditions():
            wider = Region.from_box(rule.region.box.freed(axis_of(rules.space, name)))
            assert len(rules.rivals_of(wider, "A"))


def axis_of(space, name):
    return int(space.axes[space.index(name)])


def test_regions_with_the_most_rows_come_first():
    rules = RuleSet([Rule({"a": (0, 1)}, then="x"), Rule({"a": (2, 3)}, then="x")])
    rows = rules.space.encode({"a": [-1, 1.5, 1.5, 5, 5, 5]})
    whole = completed(rules, "y", rows, np.ones(6))
    assert [str(rule) for rule in whole][2:] == [
        "IF a >= 3 THEN y",
        "IF 1 <= a < 2 THEN y",
        "IF a < 0 THEN y",
    ]
    heavy = completed(rules, "y", rows, np.array([9.0, 1, 1, 1, 1, 1]))
    assert str(heavy[2]) == "IF a < 0 THEN y"


def test_a_set_with_too_many_gaps_cannot_be_completed(monkeypatch):
    rules = RuleSet([Rule({"a": (i, i + 0.5)}, then="x") for i in range(4)])
    rows = rules.space.encode({"a": [0.7]})
    assert len(completed(rules, "y", rows, np.ones(1))) == 9
    monkeypatch.setattr(_completing, "_ADDED_LIMIT", 3)
    assert completed(rules, "y", rows, np.ones(1)) is None


def test_rows_are_taken_in_blocks(monkeypatch):
    X, y = people(200)
    one = quick(complete=True, moves=1000).fit(X, y)
    monkeypatch.setattr(_completing, "_ROWS", 7)
    two = quick(complete=True, moves=1000).fit(X, y)
    for clf in (one, two):
        assert clf.certificate_.is_complete
    assert one.predict(X).tolist() == two.predict(X).tolist()


@pytest.mark.parametrize("default", ["majority", "abstain"])
def test_complete_models_are_small(default):
    X, y = people(300)
    plain = quick(moves=2000, default=default).fit(X, y)
    clf = quick(moves=2000, default=default, complete=True).fit(X, y)
    assert all(gaps(point.rule_set).is_complete for point in clf.pareto_front_)
    assert len(clf.rules_) <= 4 * max(2, len(plain.rules_))
    assert all(decision.rules for decision in clf.explain(X))


def test_estimates_are_those_of_filled_gaps():
    # labels that nothing explains, so that few rules evolve and the added ones decide
    rng = np.random.default_rng(0)
    X, y = rng.random((200, 2)), rng.permutation(np.repeat(["no", "yes"], [170, 30]))
    options = {"default": "abstain", "selection": "validation", "smoothing": 0.5, "min_support": 20}
    with pytest.warns(UserWarning, match="no rules were learned with min_support=20"):
        clf = quick(complete=True, **options).fit(X, y)
    assert clf.certificate_.is_complete
    assert clf.score(X, y) == pytest.approx(0.85, abs=0.01)
    assert clf.estimate_.score == pytest.approx(0.85, abs=0.02)
    none = clf.pareto_front_[0]
    assert (none.n_rules, none.validated_score) == (1, 0.85)
