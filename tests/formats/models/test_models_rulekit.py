"""Rules of RuleKit vote as the model does."""

from __future__ import annotations

import numpy as np
import pytest
from points import around
from sklearn.datasets import load_wine

from irenic import Categorical, Continuous, FormatError
from irenic.formats.models._rulekit import from_rulekit

pd = pytest.importorskip("pandas")
pytest.importorskip("rulekit", exc_type=ImportError)
from rulekit import classification  # noqa: E402
from rulekit.regression import RuleRegressor  # noqa: E402

# Warnings of the library itself.
pytestmark = pytest.mark.filterwarnings("ignore")


def made(seed: int, labels: list, n: int = 250, noise: float = 0.1):
    rng = np.random.default_rng(seed)
    a, b, c = rng.random(n) * 10, rng.normal(size=n), rng.choice(["x", "y", "z"], n)
    c[:3] = ["x", "y", "z"]
    X = pd.DataFrame({"a": a, "b": b, "c": c})
    codes = (a > 4).astype(int) + ((c == "x") & (b > 0))
    codes = np.where(rng.random(n) < noise, rng.integers(0, 3, n), codes)
    X.loc[rng.random(n) < 0.05, "a"] = np.nan
    return X, pd.Series(np.array(labels)[np.minimum(codes, len(labels) - 1)], name="label")


def fitted(labels=("p", "q"), seed=0, **options):
    return classification.RuleClassifier(**options).fit(*made(seed, [*labels]))


def check(model, n=1500, seed=0, missing=()):
    """Check votes and coverage at rows around the bounds; return the rules and the rows."""
    rules = from_rulekit(model)
    points = pd.DataFrame(around(rules, n, seed, far=1e200))
    for name in "ab":
        points[name] = points[name].astype(float)
        points.loc[points.index[5::11], name] = np.nan
    points.loc[:2, "c"] = ["x", "y", "z"]  # the library fails if rows lack a known category
    for row in missing:
        points.loc[row, "c"] = None
    assert rules.predict(points, resolve="vote").tolist() == model.predict(points).tolist()
    theirs = sorted(np.asarray(model.get_coverage_matrix(points), dtype=bool).sum(axis=0))
    assert sorted(rules.covering(points).sum(axis=0)) == theirs
    return rules, points


LABELS = [["zz", "q"], ["q", "zz"], ["zz", "q", "r"], ["b", "Ä", "a"], [1, 0], [2, 10, 1], [0.5, 3]]
OPTIONS = [{}, {"minsupp_new": 25}, {"complementary_conditions": True}]


@pytest.mark.parametrize("labels", LABELS, ids=str)
def test_rules_vote_as_the_model_does(labels):
    options = OPTIONS if labels == LABELS[2] else [OPTIONS[LABELS.index(labels) % 3]]
    for each in options:
        model = fitted(labels, len(each), **each)
        rules, _ = check(model)
        assert len(rules) == len(model.model.rules)


def test_the_default_is_the_first_label_not_the_most_frequent():
    labels = ["zz", "zy", "b"]
    model = fitted(labels, minsupp_new=60)
    rules, points = check(model, seed=1)
    assert rules.default == "b"
    bare = ~rules.covering(points).any(axis=1)
    assert bare.any()
    assert set(model.predict(points)[bare]) == {"b"}
    assert made(0, labels)[1].value_counts().index[0] != "b"


def test_features_are_those_of_the_table():
    assert list(from_rulekit(fitted()).space) == [
        Continuous("a", missing=True),
        Continuous("b", missing=True),
        Categorical("c", made(0, ["p", "q"])[0]["c"].unique(), missing=True),
    ]


def test_conflicts_are_what_voting_hides():
    wine = load_wine(as_frame=True)
    names = {0: "one", 1: "two", 2: "three"}
    model = classification.RuleClassifier().fit(wine.data, wine.target.map(names))
    rules = from_rulekit(model)
    assert len(rules.conflicts()) > 0
    assert (rules.predict(wine.data, resolve="vote") == model.predict(wine.data)).all()


def test_weights_that_are_not_positive():
    model = fitted()
    n = len(from_rulekit(model))
    model.model.rules[0]._java_object.setWeight(0.0)
    rules = from_rulekit(model)
    assert len(rules) == n - 1
    points = pd.DataFrame(around(rules, 1500, 0, far=1e200)).astype({"a": float, "b": float})
    assert (rules.predict(points, resolve="vote") == model.predict(points)).all()
    model.model.rules[0]._java_object.setWeight(-0.5)
    with pytest.raises(FormatError, match=r"rule 1: the weight must be non-negative, got -0\.5"):
        from_rulekit(model)


def test_the_first_label_wins_a_tie():
    model = fitted(["zz", "q", "r"], minsupp_new=10)
    for rule in model.model.rules:
        rule._java_object.setWeight(1.0)
    rules, points = check(model)
    votes = rules.covering(points).astype(int) @ (rules.then_codes[:, None] == [0, 1, 2])
    assert ((votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1).any()


@pytest.mark.parametrize("complementary", [False, True])
def test_a_missing_category_satisfies_only_negated_conditions(complementary):
    X, y = made(0, ["p", "q", "r"])
    model = classification.RuleClassifier(complementary_conditions=complementary)
    model.fit(X, y.where(X["c"] == "x", "q"))
    assert ("!{" in " ".join(map(str, model.model.rules))) == complementary
    check(model, missing=range(3, 1500, 4))


def test_rules_of_an_expert():
    model = classification.ExpertRuleClassifier(
        minsupp_new=8, max_growing=0, extend_using_preferred=False
    )
    wanted = [
        ("rule-1", "IF [[a = (2, 6.5>]] AND [[c = {x}]] THEN label = {q}"),
        ("rule-2", "IF [[a = (-inf, 7)]] AND [[a = <1, inf)]] THEN label = {p}"),
    ]
    model.fit(*made(0, ["p", "q"]), expert_rules=wanted)
    rules, _ = check(model)
    texts = [str(rule.region) for rule in rules]
    assert any("2 < a <= 6.5" in text and "c in {x}" in text for text in texts)
    assert any("1 <= a < 7" in text for text in texts)


def test_an_unfitted_classifier_or_another_model_is_rejected():
    with pytest.raises(FormatError, match="the RuleClassifier is not fitted; call its fit"):
        from_rulekit(classification.RuleClassifier())
    with pytest.raises(FormatError, match="got a RuleRegressor, whose rules predict no class"):
        from_rulekit(RuleRegressor())
