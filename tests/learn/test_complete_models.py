"""Rule sets whose gaps are filled by few rules of one consequent."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as sts
from irenic import Region, Rule, RuleSet, gaps
from irenic.learn import Front, _completing, points, predict_table
from irenic.learn._completing import completed
from tests.learn.fitting import people, quick


@given(sts.consistent_rule_sets(max_features=3, default="A"), st.integers(0, 2**31))
def test_no_gap_remains_and_no_prediction_changes(rules, seed):
    cases = Region(rules.space).sample(30, random_state=seed)
    whole = completed(rules, "A", cases.take(slice(0, 10)), np.ones(10))
    assert gaps(whole).is_complete
    assert whole.is_consistent
    assert whole.predict(cases).tolist() == rules.predict(cases).tolist()
    assert list(whole)[: len(rules)] == list(rules)
    added = list(whole)[len(rules) :]
    assert {rule.then for rule in added} <= {"A"}
    for i, rule in enumerate(added):  # none is superfluous, or smaller than its rivals let it be
        others = RuleSet([*rules, *added[:i], *added[i + 1 :]], rules.space)
        assert not gaps(others).is_complete
        for name in rule.region.conditions():
            axis = int(rules.space.axes[rules.space.index(name)])
            wider = Region.from_box(rule.region.box.freed(axis))
            assert len(rules.rivals_of(wider, "A"))


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
    X, y = people(150)
    one = quick(complete=True).fit(X, y)
    monkeypatch.setattr(_completing, "_ROWS", 7)
    two = quick(complete=True).fit(X, y)
    assert one.certificate_.is_complete
    assert two.certificate_.is_complete
    assert one.predict(X).tolist() == two.predict(X).tolist()


@pytest.mark.parametrize("default", ["majority", "abstain"])
def test_complete_models_are_small(default):
    X, y = people(200)
    plain = quick(moves=1000, default=default).fit(X, y)
    clf = quick(moves=1000, default=default, complete=True).fit(X, y)
    assert all(gaps(point.rule_set).is_complete for point in clf.pareto_front_)
    assert len(clf.rules_) <= 4 * max(2, len(plain.rules_))
    assert all(decision.rules for decision in clf.explain(X))


def steps(n=400, seed=0):
    """Return rows whose label depends on three columns, so that gaps need several rules."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.random((n, 4)), columns=list("abcd"))
    return X, np.where((X["a"] > 0.4) & (X["b"] > 0.3) & (X["c"] < 0.7), "yes", "no")


STEPS = steps()


@pytest.fixture(scope="module")
def whole():
    return quick(complete=True, moves=500).fit(*STEPS)


@pytest.mark.parametrize("limit", [{"max_rules": 3}, {"max_rules": 4}, {"max_conditions": 4}])
def test_small_complete_models_are_not_trivial(limit):
    clf = quick(complete=True, moves=500, **limit).fit(*STEPS)
    assert clf.certificate_.is_complete
    assert clf.chosen_.n_rules <= limit.get("max_rules", 99)
    assert 0 < clf.chosen_.n_conditions <= limit.get("max_conditions", 99)
    assert clf.score(*STEPS) > 0.65


def test_a_maximum_that_leaves_only_a_trivial_model_is_warned_of(whole):
    with pytest.warns(UserWarning, match="for every case") as caught:
        clf = quick(complete=True, max_rules=1, moves=500).fit(*STEPS)
    least = clf.pareto_front_[1]
    assert [str(each.message) for each in caught] == [
        "the complete rule set with max_rules=1 predicts no for every case, because rules that fill"
        f" gaps count, and the smallest other one has {least.n_rules} rules and"
        f" {least.n_conditions} conditions; use a greater maximum, or complete=False"
    ]
    assert caught[0].filename == __file__
    assert clf.chosen_.n_conditions == 0
    least = min((p for p in whole.pareto_front_ if p.n_conditions), key=lambda p: p.n_rules)
    with pytest.warns(UserWarning, match=f"smallest other one has {least.n_rules} rules") as caught:
        assert whole.select(max_rules=1).chosen_.n_conditions == 0
    assert caught[0].filename == __file__
    whole.select(max_rules=least.n_rules)  # no warning


def test_a_trivial_model_that_validation_prefers_is_warned_of():
    clf = quick(complete=True, moves=2000).fit(*people(300, noise=0.2))
    scores = [0.1 if point.n_rules < 5 else 0.9 for point in clf.pareto_front_]
    scores[0] = 0.5
    pairs = zip(clf.pareto_front_, scores, strict=True)
    clf.pareto_front_ = Front(replace(point, validated_score=score) for point, score in pairs)
    clf.selection = "validation"
    least = min(p.n_rules for p in clf.pareto_front_ if p.n_rules >= 5)
    assert any(1 < p.n_rules < 5 for p in clf.pareto_front_)
    with pytest.warns(UserWarning, match=f"smallest better one has {least} rules"):
        assert clf.select(max_rules=4).chosen_.n_rules == 1
    worse = [replace(point, validated_score=0.4) for point in clf.pareto_front_[1:]]
    clf.pareto_front_ = Front([clf.pareto_front_[0], *worse])
    with pytest.warns(UserWarning, match="because no other one is better on rows left out"):
        clf.select(max_rules=4)
    clf.select()  # without a maximum, it is what the data say


@pytest.mark.parametrize("options", [{}, {"scoring": "log_loss", "selection": "validation"}])
def test_sets_with_too_many_gaps_are_warned_of(monkeypatch, options):
    fill = points.completed
    monkeypatch.setattr(
        points, "completed", lambda rules, *more: None if len(rules) else fill(rules, *more)
    )
    with pytest.warns(UserWarning, match="because the gaps of other rule sets need more than 100"):
        quick(complete=True, moves=500, **options).fit(*STEPS)


def test_a_rule_withoutpoints_rows_says_so():
    clf = quick(complete=True, moves=2000).fit(*people(300, seed=2, noise=0.2))
    able = [i for i, p in enumerate(clf.pareto_front_) if (p.counts.support[:-1] == 0).any()]
    clf = clf.select(index=able[0])
    empty = np.flatnonzero(clf.chosen_.counts.support[:-1] == 0).tolist()
    regions = [clf.rules_[rule].region for rule in empty]
    cases = [case for region in regions for case in region.sample(200, random_state=0)]
    decisions = clf.explain(cases)
    assert any(not decision.support[0] for decision in decisions)
    for decision in decisions:
        none = decision.support[0] == 0
        assert (" (support 0: no training row)" in decision.text) == none
        assert none or f"(support {decision.support[0]}, " in decision.text


def test_reasons_do_not_say_that_a_number_may_be_missing_that_nopoints_row_lacks(whole):
    X, _ = STEPS
    assert "or missing" in str(list(whole.rules_))  # some rule has to decide such cases
    rules, predicted = predict_table(whole, X, explain=True)["rule"].tolist(), whole.predict(X)
    for row, (decision, rule) in enumerate(zip(whole.explain(X), rules, strict=True)):
        assert "missing" not in decision.text
        assert f", because {decision.region} (" in decision.text
        inside = decision.region.contains(X)
        assert inside[row]
        assert str(decision.region) in rule.replace(" AND ", " and ")
        assert set(predicted[inside]) == {decision.then}
    lacking = whole.explain(X.assign(a=np.nan, b=np.nan, c=np.nan))
    assert any("missing" in decision.text for decision in lacking)
    assert whole.certificate_.is_complete


@pytest.mark.parametrize("known", [{"never": ["yes WHERE d < 0.01"]}, {"max_values": 3}])
def test_added_rules_decide_missing_numbers_with_what_users_know(known):
    clf = quick(complete=True, moves=500, **known).fit(*STEPS)
    learned = [rule for rule in clf.rules_ if rule.then == "yes"]
    assert learned
    assert not any("missing" in str(rule) for rule in learned)
    assert set(clf.predict(STEPS[0].assign(c=np.nan))) == {"no"}


def test_reasons_say_so_of_columns_with_missing_values():
    X, y = STEPS[0].assign(a=STEPS[0]["a"].where(np.arange(400) % 10 > 0)), STEPS[1]
    clf = quick(complete=True, moves=500).fit(X, y)
    texts = [decision.text.partition("; probability")[0] for decision in clf.explain(X)]
    for name in "abcd":
        said = any(f"{name} is missing" in text or f"({name} " in text for text in texts)
        assert said == (name == "a")


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
