"""Hierarchies of labels: what they are made of, what they refuse, and what they do with sets."""

from __future__ import annotations

import copy
import itertools
import pickle
import types

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from fitting import refused
from hypothesis import given
from hypothesis import strategies as st

from irenic import DataError, RuleSetClassifier
from irenic.learn.hierarchy import Hierarchy

TREE = Hierarchy(["1/1", "1/2/3", "2"])
DIAMOND_EDGES = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("a", "d")]
DIAMOND = Hierarchy(DIAMOND_EDGES)
FORMS = "paths such as '1/2/3', (parent, child) pairs or a directed graph"


@st.composite
def hierarchies(draw):
    """Random graphs: edges go from lower to higher numbers, so that there is no cycle."""
    n = draw(st.integers(1, 8))
    pairs = [(a, b) for b in range(n) for a in range(b)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    names = draw(st.permutations([f"n{i}" for i in range(n)]))
    edges = [("root", name) for name in names]
    edges += [(names[a], names[b]) for a, b in chosen]
    return Hierarchy(draw(st.permutations(edges)))


def rows_of(draw, hierarchy, cells):
    rows = st.lists(cells, min_size=len(hierarchy), max_size=len(hierarchy))
    return np.array(draw(st.lists(rows, min_size=1, max_size=4)))


# --- what it is made of


def graph_of(*edges, kind=nx.DiGraph, nodes=()):
    graph = kind(edges)
    graph.add_nodes_from(nodes)
    return graph


@pytest.mark.parametrize(
    ("spec", "labels"),
    [
        (["1/1", "1/2/3", "2"], ("1", "1/1", "1/2", "1/2/3", "2")),
        (["root/a/b"], ("root", "root/a", "root/a/b")),
        (["root"], ("root",)),
        (DIAMOND_EDGES, ("a", "b", "c", "d")),
        (np.array([["a", "b"]]), ("a", "b")),
        ([(1, 2), [2, (3, "x")]], (1, 2, (3, "x"))),
        # parents first, and then in the order of appearance
        ([("z", "c"), ("y", "z"), ("y", "a"), ("b", "a")], ("y", "z", "c", "b", "a")),
        ([("root", "a")], ("a",)),
        ([("tree", "root"), ("root", "a")], ("tree", "root", "a")),
        (graph_of(("a", "b"), ("a", "b"), kind=nx.MultiDiGraph), ("a", "b")),
        (graph_of(("root", 1), nodes=[2]), (1, 2)),
        (types.SimpleNamespace(nodes=["x"], edges=[("a", "b")]), ("x", "a", "b")),
    ],
)
def test_labels_come_from_paths_edges_and_graphs(spec, labels):
    assert Hierarchy(spec).labels == labels


@pytest.mark.parametrize(
    ("spec", "same"),
    [
        (iter(np.array(["1/1", "1/2/3", "2"])), TREE),
        (TREE, TREE),
        (graph_of(*DIAMOND_EDGES), DIAMOND),
        # a set is read sorted
        ({("b", "d"), ("a", "c"), ("root", "e")}, [("a", "c"), ("b", "d"), ("root", "e")]),
        ([("root", "a"), ("a", "b")], [("a", "b")]),
        ([("a", "b"), ("a", "b")], [("a", "b")]),
    ],
)
def test_equal_specifications(spec, same):
    assert Hierarchy(spec) == Hierarchy(same)


def test_paths_and_edges_have_parents():
    assert TREE.parents("1/2/3") == ("1/2",)
    assert TREE.parents("1") == ()
    assert DIAMOND.parents("d") == ("a", "b", "c")


# --- what is refused

CYCLES = {
    "'a' -> 'a'": [("a", "a")],
    "'root' -> 'root'": [("root", "root")],
    "'a' -> 'b' -> 'c' -> 'a'": [("x", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")],
    "'b' -> 'a' -> 'b'": [("d", "e"), ("a", "b"), ("b", "a"), ("b", "d")],
}
FRAME = pd.DataFrame({"parent": ["a"], "child": ["b"]})
CLUS = ["GO1/GO2", "root/GO1"]
REFUSED = [
    *((f"a hierarchy must consist of {FORMS}, got {x!r}", x) for x in ("1/2/3", 5, None, {"1": 2})),
    *((f"the hierarchy must have labels, got none; pass {FORMS}", x) for x in ([], nx.DiGraph())),
    (
        "the hierarchy must have only paths or only edges, got both:"
        " item 1 is the path '1/2', item 3 the edge ('1', '3')",
        ["1/2", "1", ("1", "3")],
    ),
    *(
        (
            "item 2 of the hierarchy must be a path such as '1/2/3' or a (parent, child) pair,"
            f" got {item!r}",
            [("a", "b"), item],
        )
        for item in (5, ("a", "b", "c"), b"ab", {"a", "b"})
    ),
    *(
        (
            "item 2 of the hierarchy must be a path such as '1/2/3' without empty names,"
            f" got {path!r}",
            ["1", path],
        )
        for path in ("", "/1", "1/", "1//2")
    ),
    (
        "'GO1/GO2' looks like an edge in the notation of Clus rather than a path;"
        " pass pairs: [tuple(edge.split('/')) for edge in edges]",
        CLUS,
    ),
    ("a hierarchy must not be a frame; pass its rows as pairs: frame.to_numpy().tolist()", FRAME),
    (
        "the graph of the hierarchy must be directed; use a DiGraph with edges from parent to"
        " child",
        nx.Graph([("a", "b")]),
    ),
    ("item 2 of the hierarchy: the label must not be missing, got None", [("a", "b"), ("a", None)]),
    (
        "item 1 of the hierarchy: the label must be hashable, got ['b']; use a tuple",
        [("a", ["b"])],
    ),
    (
        "node 1 of the hierarchy: the label must not be missing, got nan",
        types.SimpleNamespace(nodes=[float("nan")], edges=[]),
    ),
    *(
        (f"the hierarchy must not have a cycle, got {cycle}; drop one of these edges", edges)
        for cycle, edges in CYCLES.items()
    ),
]


@pytest.mark.parametrize(("text", "spec"), REFUSED, ids=range(len(REFUSED)))  # sets vary
def test_what_is_no_hierarchy_is_refused(text, spec):
    refused(text, Hierarchy, spec)


def test_what_an_error_suggests_works():
    assert Hierarchy([tuple(edge.split("/")) for edge in CLUS]).labels == ("GO1", "GO2")
    assert Hierarchy(FRAME.to_numpy().tolist()).labels == ("a", "b")


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1))
def test_a_hierarchy_is_made_of_exactly_the_edges_without_a_cycle(edges):
    if nx.is_directed_acyclic_graph(nx.DiGraph(edges)):
        hierarchy = Hierarchy(edges)
        assert {(p, c) for c in hierarchy.labels for p in hierarchy.parents(c)} == set(edges)
    else:
        with pytest.raises(DataError, match="must not have a cycle, got ") as caught:
            Hierarchy(edges)
        named = str(caught.value).split(", got ")[1].split(";")[0].split(" -> ")
        steps = list(map(int, named))
        assert steps[0] == steps[-1]
        assert set(itertools.pairwise(steps)) <= set(edges)


def test_wrong_arguments_of_methods_are_refused():
    for w0 in (0, -1, 1.5, float("nan"), "0.5", True, None):
        refused(f"w0 must be a number above 0 and at most 1, got {w0!r}", TREE.weights, w0)
    tree = Hierarchy(["animal/dog", "plant"])
    text = "unknown label 'animal/dogs'; did you mean 'animal/dog'?"
    for call in (tree.parents, tree.ancestors, tree.depth):
        refused(text, call, "animal/dogs")
    for call in (tree.close, tree.is_closed):
        refused(text, call, {"plant", "animal/dogs"})
        refused("labels must be a set such as {'1/2'}, got '1/2'", call, "1/2")
    text = "unknown label ['x'] (known: 'animal', 'animal/dog', 'plant')"
    refused(text, tree.close, [["x"]])
    refused("labels must be a set such as {5}, got 5", TREE.close, 5)


def test_arrays_of_another_shape_or_type_are_refused():
    text = "the indicator must have one column for each of the 5 labels, in order, got 3"
    refused(text, TREE.close_indicator, np.zeros((2, 3), dtype=bool))
    text = "the indicator must be a numpy array of 2 dimensions, got shape (5,)"
    refused(text, TREE.close_indicator, np.zeros(5, dtype=bool))
    text = "the array of probabilities must be a numpy array of 2 dimensions, got [[1, 0]]"
    refused(text, TREE.cap, [[1, 0]])
    text = "the indicator must hold booleans, got int64; use indicator.astype(bool)"
    refused(text, TREE.close_indicator, np.zeros((2, 5), dtype=np.int64))
    text = "the array of probabilities must hold numbers, got object"
    refused(text, TREE.cap, np.zeros((2, 5), dtype=object))
    probabilities = np.zeros((2, 5))
    probabilities[1, 2] = np.nan
    text = "column '1/2', row 2: the probability must be a number, got NaN; use 0 if it is unknown"
    refused(text, TREE.cap, probabilities)


# --- as a value and a collection


def test_equality_hash_and_text():
    same = Hierarchy(["1/1", "1/2/3", "2"])
    assert same == TREE
    assert hash(same) == hash(TREE)
    assert Hierarchy(["2", "1/1", "1/2/3"]) != TREE
    assert Hierarchy([("a", "b"), ("a", "c")]) != Hierarchy([("a", "b"), ("b", "c")])
    assert TREE.labels != TREE
    assert repr(TREE) == "<Hierarchy: a tree of 5 labels, 3 deep>"
    assert repr(DIAMOND) == "<Hierarchy: a graph of 4 labels, 3 deep>"
    assert repr(Hierarchy(["1"])) == "<Hierarchy: a tree of 1 label, 1 deep>"


def test_a_hierarchy_is_an_immutable_collection():
    with pytest.raises(AttributeError, match="a Hierarchy is immutable; create a new one"):
        TREE.labels = ()
    with pytest.raises(TypeError):
        TREE.index["1"] = 5
    assert len(TREE) == 5
    assert "1/2" in TREE
    assert "1/3" not in TREE
    assert ["1"] not in TREE
    assert TREE.index == {"1": 0, "1/1": 1, "1/2": 2, "1/2/3": 3, "2": 4}


def test_depths_and_weights():
    assert [TREE.depth(label) for label in TREE.labels] == [1, 2, 2, 3, 1]
    assert [DIAMOND.depth(label) for label in DIAMOND.labels] == [1, 2, 2, 3]
    assert TREE.weights().tolist() == [0.75, 0.75**2, 0.75**2, 0.75**3, 0.75]
    assert TREE.weights(1).tolist() == [1.0] * 5
    # a weight in a graph comes from the mean of the parents
    assert DIAMOND.weights(0.5).tolist() == [0.5, 0.25, 0.25, 0.5 * (0.5 + 0.25 + 0.25) / 3]


@given(hierarchies())
def test_ancestors_are_those_of_networkx_and_copies_are_equal(hierarchy):
    graph = nx.DiGraph()
    graph.add_nodes_from(hierarchy.labels)
    graph.add_edges_from((p, c) for c in hierarchy.labels for p in hierarchy.parents(c))
    for place, label in enumerate(hierarchy.labels):
        ancestors = hierarchy.ancestors(label)
        assert ancestors == nx.ancestors(graph, label)
        assert all(hierarchy.index[a] < place for a in ancestors)
        assert all(hierarchy.depth(a) < hierarchy.depth(label) for a in ancestors)
    for again in (pickle.loads(pickle.dumps(hierarchy)), copy.deepcopy(hierarchy)):
        assert again == hierarchy
        assert again.index == hierarchy.index


# --- sets of labels, and arrays


def test_closing_adds_the_ancestors():
    assert TREE.close(["1/2/3", "2"]) == {"1", "1/2", "1/2/3", "2"}
    assert TREE.close([]) == frozenset()
    assert isinstance(TREE.close({"2"}), frozenset)
    assert TREE.close_indicator(np.zeros((0, 5), dtype=bool)).shape == (0, 5)
    assert TREE.cap(np.zeros((0, 5), dtype=np.float32)).dtype == np.float64


@given(st.data())
def test_closing_is_a_closure(data):
    hierarchy = data.draw(hierarchies())
    labels = st.sets(st.sampled_from(hierarchy.labels))
    some, more = data.draw(labels), data.draw(labels)
    closed = hierarchy.close(some)
    assert closed >= some
    assert hierarchy.close(closed) == closed
    assert hierarchy.close(some | more) == closed | hierarchy.close(more)
    assert closed == some.union(*map(hierarchy.ancestors, some))
    assert hierarchy.is_closed(closed)
    assert hierarchy.is_closed(some) == (closed == some)


@given(st.data())
def test_closing_an_indicator_closes_each_row(data):
    hierarchy = data.draw(hierarchies())
    indicator = rows_of(data.draw, hierarchy, st.booleans())
    before = indicator.copy()
    closed = hierarchy.close_indicator(indicator)
    assert closed.dtype == np.bool_
    assert closed.flags.c_contiguous
    for row, whole in zip(indicator, closed, strict=True):
        labels = {hierarchy.labels[i] for i in np.flatnonzero(row)}
        assert {hierarchy.labels[i] for i in np.flatnonzero(whole)} == hierarchy.close(labels)
    assert (hierarchy.close_indicator(closed) == closed).all()
    assert (hierarchy.cap(closed.astype(float)) == closed).all()
    assert (indicator == before).all()


@given(st.data())
def test_capping_lowers_to_the_least_of_the_ancestors(data):
    hierarchy = data.draw(hierarchies())
    probabilities = rows_of(data.draw, hierarchy, st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]))
    before = probabilities.copy()
    capped = hierarchy.cap(probabilities)
    assert (capped <= probabilities).all()
    assert (hierarchy.cap(capped) == capped).all()
    for i, label in enumerate(hierarchy.labels):
        places = [i, *(hierarchy.index[a] for a in hierarchy.ancestors(label))]
        assert (capped[:, i] == probabilities[:, places].min(axis=1)).all()
    assert (probabilities == before).all()
    for threshold in (0.1, 0.5, 0.9):  # predictions from them are closed
        above = capped >= threshold
        assert (hierarchy.close_indicator(above) == above).all()


def test_the_training_score_is_the_share_of_variance_that_predicted_probabilities_explain():
    rng = np.random.default_rng(4)
    X = {"a": rng.uniform(0, 9, 300), "b": rng.uniform(0, 9, 300)}
    names = np.where(X["a"] > 4, np.where(X["b"] > 5, "1/2", "1/3"), "4")
    y = [name if rng.random() < 0.6 else "1" for name in names.tolist()]
    clf = RuleSetClassifier(
        hierarchy=["1/2", "1/3", "4"], random_state=0, generations=2, moves=200
    ).fit(X, [[name] for name in y])
    labels = clf.classes_.tolist()
    truth = np.array([[f"{name}/".startswith(f"{label}/") for label in labels] for name in y])
    weights = np.array([0.75 ** label.count("/") for label in labels])
    spread = (truth - truth.mean(axis=0)) ** 2 @ weights
    assert len(clf.pareto_front_) > 2
    for index, point in enumerate(clf.pareto_front_):
        far = (truth - clf.select(index=index).predict_proba(X)) ** 2 @ weights
        assert point.training_score == pytest.approx(1 - far.mean() / spread.mean(), abs=1e-6)
