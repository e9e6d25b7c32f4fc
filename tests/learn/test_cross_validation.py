from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from irenic import RuleSetClassifier
from irenic.learn import cross_validation as comparison

X, Y = load_iris(return_X_y=True)


def test_a_column_of_many_values_is_one_of_codes_for_trees():
    few = {"job": ["a", "b", None, "a"]}
    matrix, sources = comparison.as_matrix(few)
    assert matrix.tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0]]
    assert sources == [0, 0, 0]
    many = {"age": [1.5, None] * 20, "job": [f"job{i}" for i in range(40)]}
    matrix, sources = comparison.as_matrix(many)
    assert matrix.shape == (40, 2)
    assert np.isnan(matrix[1::2, 0]).all()
    assert (matrix[::2, 0] == 1.5).all()
    assert sources == [0, 1]


def test_the_size_of_a_tree_counts_features_not_cuts():
    x = np.array([[0.0], [1.0], [2.0], [3.0]])
    tree = DecisionTreeClassifier().fit(x, [0, 1, 0, 1])
    assert comparison.tree_size(tree, [0]) == (4, 4)
    assert comparison.tree_size(DecisionTreeClassifier().fit(x, [0] * 4), [0]) == (1, 0)


def test_learners_are_compared_on_rows_left_out():
    table = {f"f{i}": X[:, i] for i in range(4)}
    told = []
    found = comparison.cross_validate(
        {
            "tree": comparison.pruned_tree(table, Y, random_state=0),
            "majority": comparison.majority(Y),
        },
        Y,
        folds=3,
        random_state=0,
        tell=told.append,
    )
    assert told == [1, 2, 3]
    assert found["folds"] == 3
    tree, majority = found["learners"]
    assert tree["name"] == "tree"
    assert tree["accuracy"] > 0.9
    assert 3 <= tree["rules"] <= 12
    assert majority == {
        "name": "majority",
        "accuracy": pytest.approx(0.32),  # what is most frequent is so less in the rows left out
        "accuracy_sd": pytest.approx(0),
        "balanced_accuracy": pytest.approx(0.32),
        "rules": 0.0,
        "conditions": 0.0,
    }


def test_rule_sets_learn_from_the_training_rows_alone():
    seen = []

    class Spy(RuleSetClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append(sample_weight)
            return super().fit(X, y, sample_weight)

    def make():
        return Spy(generations=1, moves=100, random_state=0)

    train, test = np.arange(0, 150, 2), np.arange(1, 150, 2)
    labels = np.array(["a", "b", "c"])[Y]
    model = comparison.rule_sets(make, X, labels)(train, test)
    assert (model.said == Y[test]).mean() > 0.9
    assert model.conditions >= model.rules > 0
    assert seen[0].nonzero()[0].tolist() == train.tolist()


@pytest.mark.parametrize("rows", [4, 40])
def test_rare_classes_do_not_stop_the_pruning(rows):
    y = np.arange(rows) % 2
    y[0] = 2
    learner = comparison.pruned_tree({"x": np.arange(float(rows))}, y, random_state=0)
    assert len(learner(np.arange(rows), np.arange(2)).said) == 2


def test_there_are_no_more_folds_than_rows_of_a_class():
    assert comparison.folds_for({"a": 9, "b": 3}, 5) == 3
    assert comparison.folds_for({"a": 9, "b": 7}, 5) == 5
