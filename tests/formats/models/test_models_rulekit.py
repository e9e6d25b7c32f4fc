from __future__ import annotations

import numpy as np
import pytest

from irenic import Categorical, Continuous, FormatError
from irenic.formats.models._rulekit import from_rulekit

# Warnings of the library itself.
pytestmark = pytest.mark.filterwarnings("ignore")


def rulekit():
    pytest.importorskip("rulekit", exc_type=ImportError)
    from rulekit import classification

    return classification


def made(seed: int, labels: list, n: int = 250, noise: float = 0.1):
    import pandas as pd

    rng = np.random.default_rng(seed)
    a, b, c = rng.random(n) * 10, rng.normal(size=n), rng.choice(["x", "y", "z"], n)
    c[:3] = ["x", "y", "z"]
    X = pd.DataFrame({"a": a, "b": b, "c": c})
    codes = (a > 4).astype(int) + ((c == "x") & (b > 0))
    codes = np.where(rng.random(n) < noise, rng.integers(0, 3, n), codes)
    X.loc[rng.random(n) < 0.05, "a"] = np.nan
    return X, pd.Series(np.array(labels)[np.minimum(codes, len(labels) - 1)], name="label")


def around(rules, n: int, seed: int):
    """Return rows with values at the bounds of the rules, next to them, far away and missing."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    columns = {}
    for name in "ab":
        row = rules.space.row(name)
        at = np.unique(np.concatenate([rules.lower[row], rules.upper[row]]))
        at = at[np.isfinite(at) & (np.abs(at) < 1e300)]
        near = [np.nextafter(at, np.inf), np.nextafter(at, -np.inf), rng.normal(size=30) * 8]
        columns[name] = rng.choice(np.concatenate([at, *near, [1e200, -1e200, np.nan]]), n)
    # the library fails if rows lack a category of the training data
    c = np.array([*"xyz", *rng.choice(["x", "y", "z"], n - 3)], dtype=object)
    return pd.DataFrame({**columns, "c": c})


LABELS = [["zz", "q"], ["q", "zz"], ["zz", "q", "r"], ["b", "Ä", "a"], [1, 0], [2, 10, 1], [0.5, 3]]


@pytest.mark.parametrize("labels", LABELS, ids=str)
@pytest.mark.parametrize("options", [{}, {"minsupp_new": 25}, {"complementary_conditions": True}])
def test_rules_vote_as_the_model_does(labels, options):
    classification = rulekit()
    X, y = made(len(options), labels)
    model = classification.RuleClassifier(**options).fit(X, y)
    rules = from_rulekit(model)
    points = around(rules, 3000, 0)
    found = model.predict(points)
    assert rules.predict(points, resolve="vote").tolist() == found.tolist()
    theirs = sorted(np.asarray(model.get_coverage_matrix(points), dtype=bool).sum(axis=0))
    assert sorted(rules.covering(points).sum(axis=0)) == theirs
    assert len(rules) == len(model.model.rules)


def test_the_default_is_the_first_label_not_the_most_frequent():
    classification = rulekit()
    X, y = made(0, ["zz", "zy", "b"])
    model = classification.RuleClassifier(minsupp_new=60).fit(X, y)
    rules = from_rulekit(model)
    assert rules.default == "b"
    points = around(rules, 2000, 1)
    bare = ~rules.covering(points).any(axis=1)
    assert bare.any()
    assert set(model.predict(points)[bare]) == {"b"}
    assert y.value_counts().index[0] != "b"


def test_features_are_those_of_the_table():
    classification = rulekit()
    X, y = made(0, ["p", "q"])
    rules = from_rulekit(classification.RuleClassifier().fit(X, y))
    assert list(rules.space) == [
        Continuous("a", missing=True),
        Continuous("b", missing=True),
        Categorical("c", X["c"].unique(), missing=True),
    ]


def test_conflicts_are_what_voting_hides():
    from sklearn.datasets import load_wine

    classification = rulekit()
    wine = load_wine(as_frame=True)
    names = {0: "one", 1: "two", 2: "three"}
    model = classification.RuleClassifier().fit(wine.data, wine.target.map(names))
    rules = from_rulekit(model)
    assert len(rules.conflicts()) > 0
    assert (rules.predict(wine.data, resolve="vote") == model.predict(wine.data)).all()


def test_weights_that_are_not_positive():
    classification = rulekit()
    X, y = made(0, ["p", "q"])
    model = classification.RuleClassifier().fit(X, y)
    n = len(from_rulekit(model))
    model.model.rules[0]._java_object.setWeight(0.0)
    rules = from_rulekit(model)
    assert len(rules) == n - 1
    points = around(rules, 2000, 0)
    assert (rules.predict(points, resolve="vote") == model.predict(points)).all()
    model.model.rules[0]._java_object.setWeight(-0.5)
    with pytest.raises(FormatError, match=r"rule 1: the weight must be non-negative, got -0\.5"):
        from_rulekit(model)


def test_the_first_label_wins_a_tie():
    classification = rulekit()
    X, y = made(0, ["zz", "q", "r"])
    model = classification.RuleClassifier(minsupp_new=10).fit(X, y)
    for rule in model.model.rules:
        rule._java_object.setWeight(1.0)
    rules = from_rulekit(model)
    points = around(rules, 2000, 0)
    votes = rules.covering(points).astype(int) @ (rules.then_codes[:, None] == [0, 1, 2])
    assert ((votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1).any()
    assert (rules.predict(points, resolve="vote") == model.predict(points)).all()


@pytest.mark.parametrize("complementary", [False, True])
def test_a_missing_category_satisfies_only_negated_conditions(complementary):
    classification = rulekit()
    X, y = made(0, ["p", "q", "r"])
    y = y.where(X["c"] == "x", "q")
    model = classification.RuleClassifier(complementary_conditions=complementary).fit(X, y)
    rules = from_rulekit(model)
    assert ("!{" in " ".join(map(str, model.model.rules))) == complementary
    points = around(rules, 1000, 0)
    points.loc[points.index[3::4], "c"] = None
    assert (rules.predict(points, resolve="vote") == model.predict(points)).all()
    theirs = sorted(np.asarray(model.get_coverage_matrix(points), dtype=bool).sum(axis=0))
    assert sorted(rules.covering(points).sum(axis=0)) == theirs


def test_rules_of_an_expert():
    classification = rulekit()
    X, y = made(0, ["p", "q"])
    model = classification.ExpertRuleClassifier(
        minsupp_new=8, max_growing=0, extend_using_preferred=False
    )
    wanted = [
        ("rule-1", "IF [[a = (2, 6.5>]] AND [[c = {x}]] THEN label = {q}"),
        ("rule-2", "IF [[a = (-inf, 7)]] AND [[a = <1, inf)]] THEN label = {p}"),
    ]
    model.fit(X, y, expert_rules=wanted)
    rules = from_rulekit(model)
    texts = [str(rule.region) for rule in rules]
    assert any("2 < a <= 6.5" in text and "c in {x}" in text for text in texts)
    assert any("1 <= a < 7" in text for text in texts)
    points = around(rules, 2000, 0)
    assert (rules.predict(points, resolve="vote") == model.predict(points)).all()


def test_an_unfitted_classifier_or_another_model_is_rejected():
    classification = rulekit()
    from rulekit.regression import RuleRegressor

    with pytest.raises(FormatError, match="the RuleClassifier is not fitted; call its fit"):
        from_rulekit(classification.RuleClassifier())
    with pytest.raises(FormatError, match="got a RuleRegressor, whose rules predict no class"):
        from_rulekit(RuleRegressor())
