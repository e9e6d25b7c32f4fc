"""Every decision by default has a reason: a region in which no rule predicts anything else."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as sts
from irenic import Rule, RuleSet, enlarge
from irenic.learn import predict_table
from irenic.learn.reasons import default_regions
from tests.learn.fitting import people, quick

X, Y = people(200)


@given(sts.consistent_rule_sets(max_features=3, default="A"), st.integers(0, 2**31))
def test_a_reason_holds_for_the_case_and_is_as_short_as_possible(rules, seed):
    cases = sample(rules.space, seed)
    cases = cases.take(~rules.covering(cases).any(axis=1))
    for row, region in enumerate(default_regions(rules, cases)):
        case = cases.take([row])
        assert region.contains(case).all()
        assert not len(rules.rivals_of(region, "A"))
        assert set(rules.predict(region.sample(20, random_state=seed)).tolist()) == {"A"}
        shortest = min(
            enlarge(rules, case, consequent="A", order=order).n_conditions
            for order in permutations(rules.space.names)
        )
        assert region.n_conditions == shortest


def sample(space, seed):
    from irenic import Region

    return Region(space).sample(10, random_state=seed)


@pytest.mark.parametrize("conflicts", ["avoid", "vote", "best"])
def test_every_decision_of_a_model_has_a_reason(conflicts):
    clf = quick(moves=1000, conflicts=conflicts).fit(X, Y)
    said = clf.predict(X)
    by_default = 0
    for row, decision in enumerate(clf.explain(X)):
        assert decision.region.contains(X.iloc[[row]]).all()
        if not decision.rules:
            by_default += 1
            alike = clf.predict(X[decision.region.contains(X)])
            assert set(alike) == {said[row]} == {clf.rules_.default}
    assert by_default > 0


def test_a_reason_does_not_say_that_a_known_number_may_be_missing():
    space = quick().fit(X, Y).space_
    rules = RuleSet([Rule({"age": (18, None), "job": {"cook"}}, then="x")], space, default="y")
    cases = space.encode(X.iloc[:1].assign(age=[7.0], job="cook"))
    assert str(default_regions(rules, cases)[0]) == "age < 18"
    missing = space.encode(X.iloc[:1].assign(age=[np.nan], job="cook"))
    assert str(default_regions(rules, missing)[0]) == "(age < 18 or missing)"


def test_a_set_without_rules_needs_no_condition():
    clf = quick().fit(X, Y).select(max_rules=0)
    decision = clf.explain(X.iloc[:1])[0]
    assert decision.text.startswith("middle, by default: no rule predicts anything else (support")
    assert decision.region.n_conditions == 0


def test_predictions_as_columns_have_the_reason():
    rules = RuleSet([Rule({"age": (None, 18), "job": {"cook"}}, then="free")], default="full")
    table = {"age": [3, 40, 3], "job": ["cook", "cook", "poet"]}
    assert predict_table(rules, table, explain=True)["rule"].tolist() == [
        "IF age < 18 AND job in {cook} THEN free",
        "default: IF age >= 18 THEN full",
        "default: IF job not in {cook} THEN full",
    ]
    silent = RuleSet(list(rules))
    assert predict_table(silent, table, explain=True)["rule"].tolist()[1] == "no rule"
