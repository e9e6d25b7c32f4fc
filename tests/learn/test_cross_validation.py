from __future__ import annotations

import numpy as np
import pytest
from fitting import quick
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from irenic import ConditionError, DataError, RuleSetClassifier
from irenic.learn import cross_validate, cross_validation

X, Y = load_iris(return_X_y=True)
LABELS = np.array(["a", "b", "c"], dtype=object)[Y]


def test_a_classifier_is_scored_next_to_baselines():
    scores = cross_validate(quick(), X, LABELS, cv=3, random_state=0)
    assert scores["folds"] == 3
    rules, tree, majority = scores["learners"]
    assert [rules["name"], tree["name"]] == ["irenic", "pruned tree"]
    assert rules["accuracy"] > 0.9
    assert rules["conditions"] >= rules["rules"] > 0
    assert tree["accuracy"] > 0.9
    assert 3 <= tree["rules"] <= 12
    assert all(s["low"] <= s["accuracy"] <= s["high"] for s in scores["learners"])
    assert majority == {
        "name": "majority class",
        "accuracy": pytest.approx(0.32),  # the majority of the other rows is rarer in a fold
        "low": pytest.approx(0.22, abs=0.05),
        "high": pytest.approx(0.42, abs=0.05),
        "balanced_accuracy": pytest.approx(0.32, abs=0.01),
        "rules": 0.0,
        "conditions": 0.0,
    }


def test_a_validated_classifier_is_scored_without_another_fit(monkeypatch):
    y = LABELS.copy()
    y[0] = "rare"  # a class of one row does not stop the baselines
    clf, rare = (quick(selection="validation").fit(X, labels) for labels in (LABELS, y))
    monkeypatch.setattr(RuleSetClassifier, "fit", None)
    scores = cross_validate(clf, X, LABELS, cv=None, random_state=0)
    assert scores["folds"] is None
    rules, tree, majority = scores["learners"]
    assert (rules["accuracy"], rules["low"], rules["high"]) == clf.estimate_
    assert rules["balanced_accuracy"] == pytest.approx(rules["accuracy"], abs=0.02)
    assert (rules["rules"], rules["conditions"]) == (clf.chosen_.n_rules, clf.chosen_.n_conditions)
    assert tree["accuracy"] > 0.9 > majority["accuracy"]
    assert len(cross_validate(rare, X, y, cv=None)["learners"]) == 3


def test_what_cannot_be_cross_validated_is_refused():
    y = LABELS.copy()
    y[0] = "rare"
    folds = r"^cv must be a whole number of at least 2, got "
    for error, text, clf, labels, cv in [
        (ConditionError, "must have been fitted with validation", quick(), LABELS, None),
        (ConditionError, "must have been fitted with vali", quick().fit(X, Y), LABELS, None),
        *((ConditionError, folds, quick(), Y, cv) for cv in (1, 0, -3, 2.5)),
        (DataError, "^y must have one label per row, got several; use", quick(), [{"a"}] * 150, 5),
        (DataError, "^class rare must have at least two rows, .*, got 1; drop", quick(), y, 5),
    ]:
        with pytest.raises(error, match=text):
            cross_validate(clf, X, labels, cv=cv)


def test_the_same_random_state_gives_the_same_scores():
    first, again = (cross_validate(quick(), X, Y, cv=2, random_state=1) for _ in range(2))
    assert first == again
    # a prediction that abstains is wrong
    scores = cross_validate(quick(default="abstain", max_rules=1), X, LABELS, cv=2, random_state=0)
    assert 0.2 < scores["learners"][0]["accuracy"] < 0.5


def test_fewer_rows_of_a_class_than_folds_are_warned_about():
    y = LABELS.copy()
    y[3:50] = "b"
    message = r"^using 3 folds instead of 5, because class a has 3 rows"
    with pytest.warns(UserWarning, match=message):
        assert cross_validate(quick(), X, y, random_state=0)["folds"] == 3
    assert cross_validation.n_folds(np.repeat(["a", "b"], [9, 3]), 5) == 3
    assert cross_validation.n_folds(np.repeat(["a", "b"], [9, 7]), 5) == 5


def test_an_interrupted_fit_ends_cross_validation():
    class Interrupted(RuleSetClassifier):
        def fit(self, X, y, sample_weight=None):
            self.stopped_by_ = "interrupt"
            return self

    with pytest.raises(KeyboardInterrupt):
        cross_validate(Interrupted(), X, Y, cv=2)


def test_rule_sets_learn_from_the_training_rows_alone():
    weights = []

    class Spy(RuleSetClassifier):
        def fit(self, X, y, sample_weight=None):
            weights.append(sample_weight)
            return super().fit(X, y, sample_weight)

    train, test = np.arange(0, 150, 2), np.arange(1, 150, 2)
    estimator = Spy(generations=1, moves=100, random_state=0)
    fitted = cross_validation.rule_sets(estimator, X, LABELS)(train, test)
    assert (fitted.codes == Y[test]).mean() > 0.9
    assert fitted.n_conditions >= fitted.n_rules > 0
    assert weights[0].nonzero()[0].tolist() == train.tolist()
    assert not hasattr(estimator, "rules_")


@pytest.mark.parametrize("rows", [4, 40])
def test_rare_classes_do_not_stop_the_pruning(rows):
    y = np.arange(rows) % 2
    y[0] = 2
    values, weight = np.arange(float(rows))[:, None], np.ones(rows)
    learner = cross_validation.pruned_tree(values, [0], y, weight=weight, random_state=0)
    assert len(learner(np.arange(rows), np.arange(2)).codes) == 2


@given(st.integers(0, 2**32 - 1), st.sampled_from([8, 40, 200]), st.integers(2, 4))
def test_one_tree_predicts_what_trees_fitted_with_each_alpha_do(seed, rows, classes):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 3)).round(rng.integers(0, 3))
    x[rng.random(x.shape) < 0.05] = np.nan
    y = rng.integers(0, classes, rows)
    tree = DecisionTreeClassifier(random_state=0)
    steps = np.unique(np.maximum(tree.cost_complexity_pruning_path(x, y).ccp_alphas, 0.0))
    apart = np.diff(steps) > 1e-9  # others are one step, rounded differently
    alphas = np.array([0.0, *((steps[:-1] + steps[1:]) / 2)[apart], 2 * steps[-1] + 1])
    predicted = cross_validation.predict_pruned(tree.fit(x, y), alphas, x)
    for column, alpha in enumerate(alphas):
        pruned = DecisionTreeClassifier(random_state=0, ccp_alpha=alpha).fit(x, y)
        assert predicted[:, column].tolist() == pruned.predict(x).tolist()


def test_baselines_of_long_tables_use_a_sample(monkeypatch):
    monkeypatch.setattr(cross_validation, "_ROW_LIMIT", 60)
    estimator = RuleSetClassifier(generations=1, moves=100, random_state=0).fit(X, LABELS)
    scores = cross_validate(estimator, X, LABELS, cv=None, random_state=0)
    assert scores["sampled"] == 60
    rules, tree, majority = scores["learners"]
    assert (rules["name"], majority["name"]) == ("irenic", "majority class")
    assert 0.8 < tree["accuracy"] <= 1


def test_tables_of_trees_and_their_sizes():
    matrix, sources = cross_validation.as_matrix({"job": ["a", "b", None, "a"]})
    assert matrix.tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0]]
    assert sources == [0, 0, 0]
    # a column of many values is one of codes
    many = {"age": [1.5, None] * 20, "job": [f"job{i}" for i in range(40)]}
    matrix, sources = cross_validation.as_matrix(many)
    assert matrix.shape == (40, 2)
    assert np.isnan(matrix[1::2, 0]).all()
    assert (matrix[::2, 0] == 1.5).all()
    assert sources == [0, 1]
    # sizes count features, not cuts
    x = np.arange(4.0)[:, None]
    tree = DecisionTreeClassifier().fit(x, [0, 1, 0, 1])
    assert cross_validation.tree_size(tree, [0]) == (4, 4)
    assert cross_validation.tree_size(DecisionTreeClassifier().fit(x, [0] * 4), [0]) == (1, 0)
