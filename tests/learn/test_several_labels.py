"""The classifier on rows with several labels, and with labels in a hierarchy."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from fitting import check_consistent, people, quick, texts

from irenic import DataError
from irenic.learn import Hierarchy

X, _ = people(150, noise=0.0)
LABELS = ["old", "rich", "wed"]
MATRIX = np.stack(
    [(X["age"] > 50).to_numpy(), (X["income"] > 30).to_numpy(), X["married"].to_numpy()], axis=1
).astype(int)
SETS = [{label for label, held in zip(LABELS, row, strict=True) if held} for row in MATRIX]

PATHS = ["1/1", "1/2", "2/1", "2/2"]
LEAVES = [
    {("1/1" if old else "1/2") if rich else ("2/1" if wed else "2")} for old, rich, wed in MATRIX
]
EDGES = [("root", "a"), ("root", "b"), ("a", "c"), ("b", "c"), ("c", "d"), ("a", "e")]
IN_GRAPH = [
    ({"d"} if old else {"c"}) if rich else ({"e"} if wed else set()) for old, rich, wed in MATRIX
]


def closed(rows, hierarchy):
    return [hierarchy.close(row) for row in rows]


# --- sets of labels


def test_sets_of_labels():
    clf = quick().fit(X, SETS)
    check_consistent(clf)
    assert clf.classes_.tolist() == LABELS
    for rule in clf.rules_:
        assert isinstance(rule.then, frozenset)
        assert rule.then <= set(LABELS)
    said = clf.predict(X)
    assert said.shape == (len(X),)
    assert all(isinstance(labels, frozenset) for labels in said)
    right = [labels == truth for labels, truth in zip(said, SETS, strict=True)]
    assert clf.score(X, SETS) == pytest.approx(np.mean(right))
    assert clf.score(X, SETS) > 0.4
    for decision, labels in zip(clf.explain(X), said, strict=True):
        assert decision.then == labels


def test_a_matrix_of_labels():
    clf = quick().fit(X, MATRIX)
    check_consistent(clf)
    said = clf.predict(X)
    assert said.shape == MATRIX.shape
    assert set(np.unique(said)) <= {0, 1}
    assert clf.classes_.tolist() == [0, 1, 2]
    assert clf.score(X, MATRIX) == pytest.approx((said == MATRIX).all(axis=1).mean())
    likely = clf.predict_proba(X)
    assert likely.shape == MATRIX.shape
    assert ((likely >= 0) & (likely <= 1)).all()


@pytest.mark.parametrize(
    "y",
    [
        pd.DataFrame(MATRIX, columns=LABELS),
        pd.DataFrame(MATRIX.astype(bool), columns=LABELS),
        [sorted(row) for row in SETS],
        [tuple(sorted(row)) for row in SETS],
        [frozenset(row) for row in SETS],
        pd.Series(SETS),
    ],
)
def test_all_forms_give_the_same_rules(y):
    by_sets = quick().fit(X, SETS)
    clf = quick().fit(X, y)
    assert texts(clf) == texts(by_sets)
    assert clf.score(X, y) == pytest.approx(by_sets.score(X, SETS))
    said = clf.predict(X)
    if isinstance(y, pd.DataFrame):
        assert said.shape == MATRIX.shape
    else:
        assert said.tolist() == by_sets.predict(X).tolist()


def test_sparse_matrices_are_as_good_as_dense_ones():
    clf = quick().fit(X, sp.csr_array(MATRIX))
    assert texts(clf) == texts(quick().fit(X, MATRIX))
    assert clf.score(X, sp.csr_array(MATRIX)) == clf.score(X, MATRIX)


def test_nested_lists_of_0_and_1_are_a_matrix():
    clf = quick().fit(X, MATRIX.tolist())
    assert texts(clf) == texts(quick().fit(X, MATRIX))
    assert clf.predict(X).shape == MATRIX.shape


@pytest.mark.parametrize("options", [{"init": "seeds"}, {"complete": True}, {"smoothing": 0.5}])
def test_options(options):
    clf = quick(**options).fit(X, SETS)
    check_consistent(clf)
    assert all(isinstance(labels, frozenset) for labels in clf.predict(X))


@pytest.mark.parametrize("conflicts", ["vote", "best"])
def test_rules_may_disagree_if_they_are_let(conflicts):
    clf = quick(conflicts=conflicts).fit(X, SETS)
    assert all(isinstance(labels, frozenset) for labels in clf.predict(X))


def test_abstaining_is_no_label():
    for y in (SETS, MATRIX):
        clf = quick(default="abstain", max_rules=2).fit(X, y).select(max_rules=0)
        silent = ~clf.rules_.covering(X).any(axis=1)
        assert silent.any()
        said = clf.predict(X)[silent]
        assert not any(map(bool, said)) if y is SETS else not said.any()


def test_labels_that_no_row_has_or_all_rows_have():
    y = np.column_stack([MATRIX, np.zeros(len(X)), np.ones(len(X))]).astype(int)
    clf = quick().fit(X, y)
    assert (clf.predict(X)[:, 3] == 0).all()
    assert (clf.predict(X)[:, 4] == 1).mean() > 0.5
    empty = quick().fit(X, np.zeros((len(X), 2), dtype=int))
    assert not empty.predict(X).any()


def test_validation_of_sets():
    clf = quick(selection="validation").fit(X, SETS)
    assert all(0 <= point.validated_score <= 1 for point in clf.pareto_front_)


def test_weights_of_rows_with_sets():
    weight = np.arange(len(X)) % 3
    rows = np.repeat(np.arange(len(X)), weight)
    one = quick().fit(X, SETS, sample_weight=weight)
    two = quick().fit(X.iloc[rows], [SETS[i] for i in rows])
    assert texts(one) == texts(two)


def test_select_among_sets():
    clf = quick().fit(X, MATRIX)
    for point in clf.pareto_front_:
        other = clf.select(max_rules=point.n_rules, max_conditions=point.n_conditions)
        assert other.predict(X).shape == MATRIX.shape


# --- hierarchies


def check_hierarchy(clf, hierarchy):
    check_consistent(clf)
    assert clf.hierarchy_ == hierarchy
    assert clf.classes_.tolist() == list(hierarchy.labels)
    for point in clf.pareto_front_:
        for rule in point.rule_set:
            assert isinstance(rule.then, frozenset)
            assert hierarchy.is_closed(rule.then)
    said = clf.predict(X)
    assert all(hierarchy.is_closed(labels) for labels in said)
    likely = clf.predict_proba(X)
    assert likely.shape == (len(X), len(hierarchy.labels))
    assert ((likely >= 0) & (likely <= 1)).all()
    for label in hierarchy.labels:
        for parent in hierarchy.parents(label):
            places = hierarchy.index
            assert (likely[:, places[label]] <= likely[:, places[parent]]).all()
    return said


def test_paths():
    hierarchy = Hierarchy(PATHS)
    clf = quick(hierarchy=PATHS).fit(X, LEAVES)
    said = check_hierarchy(clf, hierarchy)
    truth = closed(LEAVES, hierarchy)
    assert clf.score(X, LEAVES) == pytest.approx(
        np.mean([a == b for a, b in zip(said, truth, strict=True)])
    )
    assert clf.score(X, LEAVES) > 0.4


def test_labels_that_are_closed_already_are_the_same():
    hierarchy = Hierarchy(PATHS)
    clf = quick(hierarchy=PATHS).fit(X, LEAVES)
    again = quick(hierarchy=hierarchy).fit(X, closed(LEAVES, hierarchy))
    assert texts(again) == texts(clf)
    assert again.score(X, closed(LEAVES, hierarchy)) == clf.score(X, LEAVES)


def test_edges_of_a_graph():
    clf = quick(hierarchy=EDGES).fit(X, IN_GRAPH)
    check_hierarchy(clf, Hierarchy(EDGES))


def test_a_graph_of_networkx():
    graph = nx.DiGraph(EDGES)
    clf = quick(hierarchy=graph).fit(X, IN_GRAPH)
    check_hierarchy(clf, Hierarchy(graph))


def test_an_indicator_in_a_hierarchy():
    hierarchy = Hierarchy(PATHS)
    y = np.array([[label in row for label in hierarchy.labels] for row in LEAVES]).astype(int)
    clf = quick(hierarchy=PATHS).fit(X, y)
    said = clf.predict(X)
    assert said.shape == y.shape
    assert (hierarchy.close_indicator(said.astype(bool)) == said.astype(bool)).all()
    assert texts(clf) == texts(quick(hierarchy=PATHS).fit(X, LEAVES))


@pytest.mark.parametrize("options", [{"init": "seeds"}, {"complete": True}, {"smoothing": 0.5}])
def test_options_in_a_hierarchy(options):
    clf = quick(hierarchy=PATHS, **options).fit(X, LEAVES)
    check_hierarchy(clf, Hierarchy(PATHS))


def test_probabilities_of_points_of_the_front():
    clf = quick(hierarchy=EDGES, selection="validation").fit(X, IN_GRAPH)
    for point in clf.pareto_front_:
        other = clf.select(max_rules=point.n_rules, max_conditions=point.n_conditions)
        check_hierarchy(other, Hierarchy(EDGES))


# --- what is refused


def refused(text, y, **options):
    with pytest.raises(DataError) as caught:
        quick(**options).fit(X, y)
    assert str(caught.value) == text


def test_labels_that_are_not_in_the_hierarchy():
    y = [*LEAVES[:-1], {"1/3"}]
    with pytest.raises(DataError, match=f"row {len(X)} of y: unknown label '1/3'"):
        quick(hierarchy=PATHS).fit(X, y)


def test_one_label_a_row_in_a_hierarchy():
    y = [next(iter(row)) for row in LEAVES]
    refused(
        f"y must hold sets of labels, got single labels such as {y[0]!r};"
        " use [{label} for label in y]",
        y,
        hierarchy=PATHS,
    )


def test_rows_of_no_set():
    refused(
        "row 2 of y must not be missing, got None; use an empty set for no label",
        [SETS[0], None, *SETS[2:]],
    )


def test_sets_of_another_length():
    text = f"X and y must have the same number of rows, got {len(X)} and {len(X) - 1}"
    refused(text, SETS[:-1])


def test_class_weights_of_sets():
    refused(
        "class_weight must be None for targets with several labels per row; use sample_weight",
        SETS,
        class_weight="balanced",
    )


def test_the_empty_set_is_predicted():
    rng = np.random.default_rng(0)
    age, income = rng.uniform(0, 90, 300), rng.uniform(0, 9, 300)
    sets = [
        ({"young"} if a < 30 else set()) | ({"rich"} if i > 5 else set())
        for a, i in zip(age, income, strict=True)
    ]
    clf = quick(moves=2000).fit({"age": age, "income": income}, sets)
    assert clf.score({"age": age, "income": income}, sets) > 0.95
    assert frozenset() in set(clf.predict({"age": age, "income": income}))
