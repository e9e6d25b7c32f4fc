"""Every decision by default has a reason: a region in which no rule predicts anything else."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as sts
from irenic import Rule, RuleList, RuleSet, enlarge, from_rules
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


@given(sts.consistent_rule_sets(max_features=3, default="A"), st.integers(0, 2**31))
def test_the_reason_is_the_shortest_rule_that_covers_the_case(rules, seed):
    cases = sample(rules.space, seed)
    confidence = np.random.default_rng(seed).choice([0.25, 0.5, np.nan], len(rules))
    covering, sizes = rules.covering(cases), rules.conditions_per_rule()
    for known in (None, confidence):
        reasons = rules.reasons(cases, confidence=known)
        for row, reason in enumerate(reasons.tolist()):
            ranked = [
                (sizes[i], 0.0 if known is None else -np.nan_to_num(known[i], nan=-1), i)
                for i in np.flatnonzero(covering[row])
            ]
            assert reason == (min(ranked)[2] if ranked else -1)
    explained = rules.explain(cases)
    assert [one.rules[0] if one.rules else -1 for one in explained] == rules.reasons(cases).tolist()
    assert [one.then for one in explained] == rules.predict(cases).tolist()
    for one, covers in zip(explained, covering, strict=True):
        assert sorted(one.rules) == np.flatnonzero(covers).tolist()


LONG = Rule({"age": (None, 50), "income": (None, 40)}, then="low")
SHORT = Rule({"age": (None, 40)}, then="low")
SURE = Rule({"income": (None, 20)}, then="low")


def test_models_and_tables_name_the_shortest_rule_and_then_the_surest():
    table = {"age": [30, 30, 45, 60], "income": [30, 10, 30, 90]}
    rows = {"age": [30] * 4 + [60] * 2 + [45], "income": [30] * 4 + [10] * 2 + [30]}
    labels = ["low", "high", "low", "high", "low", "low", "low"]
    clf = from_rules(RuleSet([LONG, SHORT, SURE], default="high"), rows, labels)
    assert clf.chosen_.counts.confidence[:3].tolist() == [0.6, 0.5, 1.0]
    said = clf.explain(table)
    assert [decision.rules for decision in said] == [(1, 0), (2, 0, 1), (0,), ()]
    assert [decision.confidence[0] for decision in said[:3]] == [0.5, 1.0, 0.6]
    shown = [str(decision.region) for decision in said[:3]]
    assert shown == [str(rule.region) for rule in (SHORT, SURE, LONG)]
    assert said[0].text.startswith("low, by rule 2: IF age < 40 THEN low (and by rule 1)")
    columns = predict_table(clf, table, explain=True)
    assert columns["rule"].tolist()[:3] == [str(rule) for rule in (SHORT, SURE, LONG)]
    assert columns["confidence"].tolist()[:3] == [0.5, 1.0, 0.6]
    own = predict_table(clf.rules_, table, explain=True)  # without confidence, the first is named
    assert own["rule"].tolist()[:3] == [str(rule) for rule in (SHORT, SHORT, LONG)]
    # predictions and probabilities are still those of the first rule
    likely = clf.predict_proba(table)
    assert likely[0].tolist() == likely[1].tolist() == likely[2].tolist()


@pytest.mark.parametrize("resolve", ["first", "best", "vote"])
def test_where_order_or_weights_decide_the_reason_does_too(resolve):
    rules = RuleSet([LONG, SHORT, SURE], default="high")
    table = {"age": [30], "income": [30]}
    decided = rules.decide(table, resolve=resolve)
    assert rules.reasons(table, resolve=resolve).tolist() == decided.tolist()
    assert rules.explain(table, resolve=resolve)[0].rules[0] == decided[0]
    assert RuleList.from_rules(rules).explain(table)[0].rules[0] == 0


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
