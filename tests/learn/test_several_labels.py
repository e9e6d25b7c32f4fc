"""The classifier on rows with several labels, and with labels in a hierarchy."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from fitting import check_consistent, quick, refused, texts
from label_sets import EDGES, IN_GRAPH, LABELS, LEAVES, MATRIX, PATHS, SETS, X

from irenic import DataError
from irenic.learn import Hierarchy

TREE = Hierarchy(PATHS)
NUMBERS = MATRIX.tolist()


@pytest.fixture(scope="module")
def by_sets():
    return quick().fit(X, SETS)


@pytest.fixture(scope="module")
def by_matrix():
    return quick().fit(X, MATRIX)


@pytest.fixture(scope="module")
def by_paths():
    return quick(hierarchy=PATHS).fit(X, LEAVES)


def all_sets(clf):
    return all(isinstance(labels, frozenset) for labels in clf.predict(X))


def test_sets_of_labels(by_sets):
    check_consistent(by_sets)
    assert by_sets.classes_.tolist() == LABELS
    for rule in by_sets.rules_:
        assert isinstance(rule.then, frozenset)
        assert rule.then <= set(LABELS)
    predicted = by_sets.predict(X)
    assert predicted.shape == (len(X),)
    assert all_sets(by_sets)
    right = [labels == truth for labels, truth in zip(predicted, SETS, strict=True)]
    assert by_sets.score(X, SETS) == pytest.approx(np.mean(right))
    assert by_sets.score(X, SETS) > 0.4
    assert [decision.then for decision in by_sets.explain(X)] == predicted.tolist()


def test_a_matrix_of_labels(by_matrix):
    check_consistent(by_matrix)
    predicted = by_matrix.predict(X)
    assert predicted.shape == MATRIX.shape
    assert set(np.unique(predicted)) <= {0, 1}
    assert by_matrix.classes_.tolist() == [0, 1, 2]
    right = (predicted == MATRIX).all(axis=1)
    assert by_matrix.score(X, MATRIX) == pytest.approx(right.mean())
    for index in range(len(by_matrix.pareto_front_)):
        other = by_matrix.select(index=index)
        likely = other.predict_proba(X)
        assert other.predict(X).shape == likely.shape == MATRIX.shape
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
        sp.csr_array(MATRIX),
        NUMBERS,
    ],
)
def test_all_forms_give_the_same_rules(y, by_sets, by_matrix):
    unnamed = sp.issparse(y) or y is NUMBERS
    same, truth = (by_matrix, MATRIX) if unnamed else (by_sets, SETS)
    clf = quick().fit(X, y)
    assert texts(clf) == texts(same)
    assert clf.score(X, truth if y is NUMBERS else y) == pytest.approx(same.score(X, truth))
    if isinstance(y, pd.DataFrame) or unnamed:
        assert clf.predict(X).shape == MATRIX.shape
    else:
        assert clf.predict(X).tolist() == same.predict(X).tolist()


@pytest.mark.parametrize(
    "options",
    [{"init": "seeds"}, {"complete": True}, {"smoothing": 0.5, "selection": "validation"}],
    ids=str,
)
def test_options(options):
    clf = quick(**options).fit(X, SETS)
    check_consistent(clf)
    assert all_sets(clf)
    if "selection" in options:
        assert all(0 <= point.validated_score <= 1 for point in clf.pareto_front_)
    check_hierarchy(quick(hierarchy=PATHS, **options).fit(X, LEAVES), TREE)


@pytest.mark.parametrize("conflicts", ["vote", "best"])
def test_rules_may_disagree_if_they_are_let(conflicts):
    assert all_sets(quick(conflicts=conflicts).fit(X, SETS))


def test_abstaining_is_no_label():
    for y in (SETS, MATRIX):
        clf = quick(default="abstain", max_rules=2).fit(X, y).select(max_rules=0)
        silent = ~clf.rules_.covering(X).any(axis=1)
        assert silent.any()
        predicted = clf.predict(X)[silent]
        assert not any(map(bool, predicted)) if y is SETS else not predicted.any()


def test_labels_that_no_row_has_or_all_rows_have():
    y = np.column_stack([MATRIX, np.zeros(len(X)), np.ones(len(X))]).astype(int)
    predicted = quick().fit(X, y).predict(X)
    assert (predicted[:, 3] == 0).all()
    assert (predicted[:, 4] == 1).mean() > 0.5
    empty = quick().fit(X, np.zeros((len(X), 2), dtype=int))
    assert not empty.predict(X).any()


def test_weights_of_rows_with_sets():
    weight = np.arange(len(X)) % 3
    rows = np.repeat(np.arange(len(X)), weight)
    one = quick().fit(X, SETS, sample_weight=weight)
    assert texts(one) == texts(quick().fit(X.iloc[rows], [SETS[i] for i in rows]))


def test_the_empty_set_is_predicted():
    rng = np.random.default_rng(0)
    table = {"age": rng.uniform(0, 90, 300), "income": rng.uniform(0, 9, 300)}
    sets = [
        {label for label, held in (("young", a < 30), ("rich", i > 5)) if held}
        for a, i in zip(*table.values(), strict=True)
    ]
    clf = quick(moves=2000).fit(table, sets)
    assert clf.score(table, sets) > 0.95
    assert frozenset() in set(clf.predict(table))


def check_hierarchy(clf, hierarchy):
    check_consistent(clf)
    assert clf.hierarchy_ == hierarchy
    assert clf.classes_.tolist() == list(hierarchy.labels)
    for point in clf.pareto_front_:
        for rule in point.rule_set:
            assert isinstance(rule.then, frozenset)
            assert hierarchy.is_closed(rule.then)
    assert all(hierarchy.is_closed(labels) for labels in clf.predict(X))
    likely = clf.predict_proba(X)
    assert likely.shape == (len(X), len(hierarchy.labels))
    assert ((likely >= 0) & (likely <= 1)).all()
    assert (hierarchy.cap(likely) == likely).all()


def test_paths(by_paths):
    check_hierarchy(by_paths, TREE)
    closed = [TREE.close(row) for row in LEAVES]
    right = [a == b for a, b in zip(by_paths.predict(X), closed, strict=True)]
    assert by_paths.score(X, LEAVES) == pytest.approx(np.mean(right))
    assert by_paths.score(X, LEAVES) > 0.4
    # labels that are closed already are the same
    again = quick(hierarchy=TREE).fit(X, closed)
    assert texts(again) == texts(by_paths)
    assert again.score(X, closed) == by_paths.score(X, LEAVES)


def test_an_indicator_in_a_hierarchy(by_paths):
    y = np.array([[label in row for label in TREE.labels] for row in LEAVES]).astype(int)
    clf = quick(hierarchy=PATHS).fit(X, y)
    predicted = clf.predict(X).astype(bool)
    assert predicted.shape == y.shape
    assert (TREE.close_indicator(predicted) == predicted).all()
    assert texts(clf) == texts(by_paths)


def test_a_graph_and_the_points_of_a_front():
    graph = nx.DiGraph(EDGES)
    check_hierarchy(quick(hierarchy=graph).fit(X, IN_GRAPH), Hierarchy(graph))
    clf = quick(hierarchy=EDGES, selection="validation").fit(X, IN_GRAPH)
    for index in range(len(clf.pareto_front_)):
        check_hierarchy(clf.select(index=index), Hierarchy(EDGES))


def test_what_is_refused():
    with pytest.raises(DataError, match=f"row {len(X)} of y: unknown label '1/3'"):
        quick(hierarchy=PATHS).fit(X, [*LEAVES[:-1], {"1/3"}])
    single = [next(iter(row)) for row in LEAVES]
    text = (
        f"y must hold sets of labels, got single labels such as {single[0]!r};"
        " use [{label} for label in y]"
    )
    refused(text, quick(hierarchy=PATHS).fit, X, single)
    text = "row 2 of y must not be missing, got None; use an empty set for no label"
    refused(text, quick().fit, X, [SETS[0], None, *SETS[2:]])
    text = f"X and y must have the same number of rows, got {len(X)} and {len(X) - 1}"
    refused(text, quick().fit, X, SETS[:-1])
    text = "class_weight must be None for targets with several labels per row; use sample_weight"
    refused(text, quick(class_weight="balanced").fit, X, SETS)
