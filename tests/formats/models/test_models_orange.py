"""Rules of CN2 decide, or vote, as the model of Orange does."""

from __future__ import annotations

import numpy as np
import pytest
from points import around

from irenic import Categorical, Continuous, FormatError, RuleList, RuleSet
from irenic.formats.models._orange import from_orange

pytest.importorskip("Orange", exc_type=ImportError)
from Orange import data
from Orange.classification import rules

# Warnings of the library itself.
pytestmark = pytest.mark.filterwarnings("ignore")

SETS = ["CN2UnorderedLearner", "CN2SDLearner", "CN2SDUnorderedLearner"]


def made(seed: int, classes: int, n: int = 250, missing: float = 0.0):
    """Return a table with some noisy labels."""
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


def fitted(learner, seed, classes, missing=False):
    return getattr(rules, learner)()(made(seed, classes, missing=0.1 * missing))


def said(model, table) -> tuple[np.ndarray, np.ndarray]:
    """Return the predictions of the model, and the margins of its best class."""
    columns = [*table.values()]
    c = [np.nan if v is None else "xyz".index(v) for v in columns[2]]
    X = np.column_stack([*columns[:2], c]).astype(float)
    rows = data.Table.from_numpy(model.original_domain, X, np.full(len(X), np.nan))
    codes, probabilities = model(rows, model.ValueProbs)
    first, second = np.sort(probabilities, axis=1)[:, -2:].T[::-1]
    return np.array(model.domain.class_var.values)[codes.astype(int)], first - second


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", range(2))
def test_a_list_decides_as_the_model_does(seed, classes, missing):
    model = fitted("CN2Learner", seed, classes, missing)
    found = from_orange(model, missing=missing)
    assert isinstance(found, RuleList)
    table = around(found, 2000, seed, missing=0.2 * missing)
    assert (found.predict(table) == said(model, table)[0]).all()
    assert missing or len(found) == len(model.rule_list) - 1


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("learner", SETS)
def test_voting_equals_the_sums_of_the_model(learner, classes, missing):
    for seed in range(2):
        model = fitted(learner, seed, classes, missing)
        found = from_orange(model, missing=missing, shares=True)
        table = around(found, 2000, seed, missing=0.2 * missing)
        predicted, ahead = said(model, table)
        assert (found.predict(table, resolve="vote") == predicted).all()
        if classes == 2:  # without shares, too
            whole = from_orange(model, missing=missing)
            assert isinstance(whole, RuleSet)
            # sums that differ only by rounding may favor either class
            sure = ahead > 1e-12
            assert sure.mean() > 0.8
            assert (whole.predict(table, resolve="vote") == predicted)[sure].all()


@pytest.mark.parametrize("seed", range(2))
def test_with_more_classes_single_rules_decide_and_sums_rarely_differ(seed):
    model = fitted("CN2UnorderedLearner", seed, 3)
    found = from_orange(model)
    own = [rule for rule in model.rule_list[:-1] if rule.length]
    assert len(found) == len(own)
    table = around(found, 3000, seed)
    predicted, _ = said(model, table)
    holds = found.covering(table)
    voted = found.predict(table, resolve="vote")
    X = np.column_stack([*[*table.values()][:2], ["xyz".index(v) for v in table["c"]]])
    theirs = sum(rule.evaluate_data(X.astype(float)) for rule in own)
    assert (holds.sum(axis=1) == theirs).all()
    alone = holds.sum(axis=1) <= 1
    assert alone.any()
    assert (voted == predicted)[alone].all()
    assert np.mean(voted != predicted) < 0.05


def test_with_pure_classes_voting_equals_the_sums_of_the_model():
    model = rules.CN2UnorderedLearner()(data.Table("iris"))
    found = from_orange(model)
    assert set(found.consequents) == {"Iris-setosa", "Iris-versicolor", "Iris-virginica"}
    rng = np.random.default_rng(0)
    X = np.round(rng.uniform([4, 2, 1, 0], [8, 5, 7, 3], (3000, 4)), 1)
    table = dict(zip(found.space.names, X.T, strict=True))
    rows = data.Table.from_numpy(model.original_domain, X, np.full(len(X), np.nan))
    codes, sums = model(rows, model.ValueProbs)
    sure = np.ptp(np.sort(sums, axis=1)[:, -2:], axis=1) > 1e-12
    predicted = np.array(model.domain.class_var.values)[codes.astype(int)]
    assert (found.predict(table, resolve="vote") == predicted)[sure].all()
    assert len(found.conflicts()) > 0


def test_features_are_those_of_the_domain():
    model = fitted("CN2UnorderedLearner", 0, 3)
    assert list(from_orange(model).space) == [
        Continuous("a"),
        Continuous("b [odd]"),
        Categorical("c", ["x", "y", "z"]),
    ]
    assert all(feature.missing for feature in from_orange(model, missing=True).space)


def test_the_first_class_wins_a_tie():
    model = fitted("CN2UnorderedLearner", 0, 2)
    first, second, *_, last = model.rule_list
    for rule, counts in ((first, [1, 3]), (second, [3, 1])):
        rule.selectors = [rules.Selector(0, ">=", -1.0)]
        rule.curr_class_dist = np.array(counts)
        rule.probabilities = (rule.curr_class_dist + 1) / 6
    model.rule_list = [first, second, last]
    table = {"a": [0.0], "b [odd]": [0.0], "c": ["x"]}
    assert said(model, table)[0].tolist() == ["p"]
    for shares in (False, True):
        found = from_orange(model, shares=shares)
        assert found.predict(table, resolve="vote").tolist() == ["p"]


def test_odd_selectors_and_lists():
    model = fitted("CN2Learner", 0, 2)
    first = model.rule_list[0]

    def testing(*selectors):
        first.selectors = [rules.Selector(*selector) for selector in selectors]
        return model

    found = from_orange(testing((0, "==", 3.0), (2, "!=", 1.0)))
    assert str(found[0].region) == "a = 3 and c in {x, z}"
    # without an imputed value NaN differs from every category and equals no number
    for variable in first.domain.attributes:
        variable._compute_value = None
    found = from_orange(testing((2, "!=", 1.0)), missing=True)
    assert str(found[0].region) == "c in {x, z, missing}"
    message = "feature 'a': a test of a number must be <=, >= or ==, got '!='"
    with pytest.raises(FormatError, match=message):
        from_orange(testing((0, "!=", 3.0)))
    assert len(from_orange(testing((2, "==", 1.0), (2, "==", 2.0)))) == len(model.rule_list) - 2
    model.rule_list = model.rule_list[1:-1]
    assert from_orange(model).default == "p"
    assert len(from_orange(model)) == len(model.rule_list)


def test_other_objects_are_rejected():
    message = r"model must be a CN2 model of Orange, .*, got a CN2Learner"
    with pytest.raises(FormatError, match=message):
        from_orange(rules.CN2Learner())
    with pytest.raises(FormatError, match="shares must be False for a rule list"):
        from_orange(fitted("CN2Learner", 0, 2), shares=True)
