from __future__ import annotations

import numpy as np
import pytest

from irenic import Categorical, Continuous, FormatError, RuleList, RuleSet
from irenic.formats.models._orange import from_orange

# Warnings of the library itself.
pytestmark = pytest.mark.filterwarnings("ignore")

SETS = ["CN2UnorderedLearner", "CN2SDLearner", "CN2SDUnorderedLearner"]


def orange():
    pytest.importorskip("Orange", exc_type=ImportError)
    from Orange import data
    from Orange.classification import rules

    return data, rules


def made(seed: int, classes: int, n: int = 250, missing: float = 0.0):
    """Return a table with some noisy labels."""
    data, _ = orange()
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [rng.random(n) * 10, np.round(rng.normal(size=n), 1), rng.integers(0, 3, n)]
    )
    y = (X[:, 0] > 4).astype(int) + ((X[:, 2] == 0) & (X[:, 1] > 0))
    y = np.where(rng.random(n) < 0.15, rng.integers(0, 3, n), y)
    X[rng.random(X.shape) < missing] = np.nan
    domain = data.Domain(
        [
            data.ContinuousVariable("a"),
            data.ContinuousVariable("b [odd]"),
            data.DiscreteVariable("c", ["x", "y", "z"]),
        ],
        data.DiscreteVariable("the class", ["p", "q", "r"][:classes]),
    )
    return data.Table.from_numpy(domain, X, np.minimum(y, classes - 1))


def around(model, n: int, seed: int, missing: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    selectors = [s for rule in model.rule_list for s in rule.selectors]
    columns = []
    for column in range(2):
        at = np.array([0.0, *(s.value for s in selectors if s.column == column)])
        pool = [at, np.nextafter(at, np.inf), np.nextafter(at, -np.inf), rng.normal(size=50) * 5]
        columns.append(rng.choice(np.concatenate([*pool, [1e300, -1e300]]), n))
    X = np.column_stack([*columns, rng.integers(0, 3, n).astype(float)])
    X[rng.random(X.shape) < missing] = np.nan
    return X


def said(model, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the predictions of the model, and the margins of its best class."""
    data, _ = orange()
    table = data.Table.from_numpy(model.original_domain, X, np.full(len(X), np.nan))
    codes, probabilities = model(table, model.ValueProbs)
    first, second = np.sort(probabilities, axis=1)[:, -2:].T[::-1]
    return np.array(model.domain.class_var.values)[codes.astype(int)], first - second


def as_table(X: np.ndarray) -> dict[str, list]:
    c = [None if np.isnan(v) else "xyz"[int(v)] for v in X[:, 2]]
    return {"a": X[:, 0], "b [odd]": X[:, 1], "c": c}


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_a_list_decides_as_the_model_does(seed, classes, missing):
    _, rules = orange()
    model = rules.CN2Learner()(made(seed, classes, missing=0.1 * missing))
    found = from_orange(model, missing=missing)
    assert isinstance(found, RuleList)
    X = around(model, 3000, seed, missing=0.2 * missing)
    assert (found.predict(as_table(X)) == said(model, X)[0]).all()
    if not missing:
        assert len(found) == len(model.rule_list) - 1


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("learner", SETS)
@pytest.mark.parametrize("seed", range(2))
def test_voting_with_shares_equals_the_sums_of_the_model(seed, learner, classes, missing):
    _, rules = orange()
    model = getattr(rules, learner)()(made(seed, classes, missing=0.1 * missing))
    found = from_orange(model, missing=missing, shares=True)
    X = around(model, 3000, seed, missing=0.2 * missing)
    assert (found.predict(as_table(X), resolve="vote") == said(model, X)[0]).all()


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("learner", SETS)
@pytest.mark.parametrize("seed", range(4))
def test_with_two_classes_voting_equals_the_sums_of_the_model(seed, learner, missing):
    _, rules = orange()
    model = getattr(rules, learner)()(made(seed, 2, missing=0.1 * missing))
    found = from_orange(model, missing=missing)
    assert isinstance(found, RuleSet)
    X = around(model, 3000, seed, missing=0.2 * missing)
    predicted, ahead = said(model, X)
    # sums that differ only by rounding may favor either class
    sure = ahead > 1e-12
    assert sure.mean() > 0.8
    assert (found.predict(as_table(X), resolve="vote") == predicted)[sure].all()


@pytest.mark.parametrize("seed", range(3))
def test_with_more_classes_single_rules_decide_and_sums_rarely_differ(seed):
    _, rules = orange()
    model = rules.CN2UnorderedLearner()(made(seed, 3))
    found = from_orange(model)
    own = [rule for rule in model.rule_list[:-1] if rule.length]
    assert len(found) == len(own)
    X = around(model, 3000, seed)
    predicted, _ = said(model, X)
    holds = found.covering(as_table(X))
    voted = found.predict(as_table(X), resolve="vote")
    assert (holds.sum(axis=1) == sum(rule.evaluate_data(X) for rule in own)).all()
    alone = holds.sum(axis=1) <= 1
    assert alone.any()
    assert (voted == predicted)[alone].all()
    assert np.mean(voted != predicted) < 0.05


def test_with_pure_classes_voting_equals_the_sums_of_the_model():
    data, rules = orange()
    model = rules.CN2UnorderedLearner()(data.Table("iris"))
    found = from_orange(model)
    assert found.space == from_orange(model).space
    assert set(found.consequents) == {"Iris-setosa", "Iris-versicolor", "Iris-virginica"}
    rng = np.random.default_rng(0)
    X = np.round(rng.uniform([4, 2, 1, 0], [8, 5, 7, 3], (5000, 4)), 1)
    table = dict(zip(found.space.names, X.T, strict=True))
    predicted, ahead = said(model, X)
    sure = ahead > 1e-12
    assert (found.predict(table, resolve="vote") == predicted)[sure].all()
    assert len(found.conflicts()) > 0


def test_features_are_those_of_the_domain():
    _, rules = orange()
    model = rules.CN2UnorderedLearner()(made(0, 3))
    assert list(from_orange(model).space) == [
        Continuous("a"),
        Continuous("b [odd]"),
        Categorical("c", ["x", "y", "z"]),
    ]
    assert all(feature.missing for feature in from_orange(model, missing=True).space)


def test_the_first_class_wins_a_tie():
    _, rules = orange()
    model = rules.CN2UnorderedLearner()(made(0, 2))
    first, second, *_, last = model.rule_list
    for rule, counts in ((first, [1, 3]), (second, [3, 1])):
        rule.selectors = [rules.Selector(0, ">=", -1.0)]
        rule.curr_class_dist = np.array(counts)
        rule.probabilities = (rule.curr_class_dist + 1) / 6
    model.rule_list = [first, second, last]
    X = np.zeros((1, 3))
    assert said(model, X)[0].tolist() == ["p"]
    for shares in (False, True):
        found = from_orange(model, shares=shares)
        assert found.predict(as_table(X), resolve="vote").tolist() == ["p"]


def test_odd_selectors_and_lists():
    _, rules = orange()
    model = rules.CN2Learner()(made(0, 2))
    first = model.rule_list[0]
    first.selectors = [rules.Selector(0, "==", 3.0), rules.Selector(2, "!=", 1.0)]
    assert str(from_orange(model)[0].region) == "a = 3 and c in {x, z}"
    # without an imputed value NaN differs from every category and equals no number
    for variable in first.domain.attributes:
        variable._compute_value = None
    first.selectors = [rules.Selector(2, "!=", 1.0)]
    assert str(from_orange(model, missing=True)[0].region) == "c in {x, z, missing}"
    first.selectors = [rules.Selector(0, "!=", 3.0)]
    with pytest.raises(
        FormatError, match="feature 'a': a test of a number must be <=, >= or ==, got '!='"
    ):
        from_orange(model)
    first.selectors = [rules.Selector(2, "==", 1.0), rules.Selector(2, "==", 2.0)]
    assert len(from_orange(model)) == len(model.rule_list) - 2
    model.rule_list = model.rule_list[1:-1]
    assert from_orange(model).default == "p"
    assert len(from_orange(model)) == len(model.rule_list)


def test_other_objects_are_rejected():
    _, rules = orange()
    with pytest.raises(
        FormatError, match=r"model must be a CN2 model of Orange, .*, got a CN2Learner"
    ):
        from_orange(rules.CN2Learner())
    model = rules.CN2Learner()(made(0, 2))
    with pytest.raises(FormatError, match="shares must be False for a rule list"):
        from_orange(model, shares=True)
