from __future__ import annotations

import copy
import itertools
import pickle
import types

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irenic import DataError, RuleSetClassifier
from irenic.learn.hierarchy import Hierarchy

TREE = Hierarchy(["1/1", "1/2/3", "2"])
DIAMOND = Hierarchy([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("a", "d")])
FORMS = "paths such as '1/2/3', (parent, child) pairs or a directed graph"


def refused(text, call, *args):
    with pytest.raises(DataError) as caught:
        call(*args)
    assert str(caught.value) == text


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


def labels_of(hierarchy):
    return st.sets(st.sampled_from(hierarchy.labels))


def rows_of(draw, hierarchy, cells):
    rows = st.lists(cells, min_size=len(hierarchy), max_size=len(hierarchy))
    return np.array(draw(st.lists(rows, min_size=1, max_size=4)))


# --- what it is made of


def test_paths_bring_their_ancestors():
    assert TREE.labels == ("1", "1/1", "1/2", "1/2/3", "2")
    assert TREE.parents("1/2/3") == ("1/2",)
    assert TREE.parents("1") == ()
    assert Hierarchy(iter(np.array(["1/1", "1/2/3", "2"]))) == TREE


def test_a_path_may_have_any_name_for_its_parts():
    assert Hierarchy(["root/a/b"]).labels == ("root", "root/a", "root/a/b")
    assert Hierarchy(["root"]).labels == ("root",)


def test_edges_may_make_a_graph():
    assert DIAMOND.labels == ("a", "b", "c", "d")
    assert DIAMOND.parents("d") == ("a", "b", "c")
    assert Hierarchy(np.array([["a", "b"]])).labels == ("a", "b")
    assert Hierarchy([(1, 2), [2, (3, "x")]]).labels == (1, 2, (3, "x"))


def test_the_order_is_parents_first_and_then_that_of_appearance():
    assert Hierarchy([("z", "c"), ("y", "z"), ("y", "a"), ("b", "a")]).labels == (
        *("y", "z", "c", "b", "a"),
    )


def test_a_set_is_read_sorted():
    edges = {("b", "d"), ("a", "c"), ("root", "e")}
    assert Hierarchy(edges) == Hierarchy(sorted(edges))


def test_root_is_the_top_and_no_label():
    assert Hierarchy([("root", "a"), ("a", "b")]) == Hierarchy([("a", "b")])
    assert Hierarchy([("root", "a")]).labels == ("a",)


def test_root_is_a_label_if_it_has_a_parent():
    assert Hierarchy([("tree", "root"), ("root", "a")]).labels == ("tree", "root", "a")


def test_repeated_edges_count_once():
    assert Hierarchy([("a", "b"), ("a", "b")]) == Hierarchy([("a", "b")])


def test_graphs_of_networkx():
    graph = nx.DiGraph([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("a", "d")])
    assert Hierarchy(graph) == DIAMOND
    assert Hierarchy(nx.MultiDiGraph([("a", "b"), ("a", "b")])).labels == ("a", "b")
    graph = nx.DiGraph([("root", 1)])
    graph.add_node(2)
    assert Hierarchy(graph).labels == (1, 2)


def test_any_object_with_nodes_and_edges_is_a_graph():
    graph = types.SimpleNamespace(nodes=["x"], edges=[("a", "b")])
    assert Hierarchy(graph).labels == ("x", "a", "b")


def test_a_hierarchy_is_taken_as_it_is():
    assert Hierarchy(TREE) == TREE
    assert Hierarchy(TREE) == TREE


# --- what it is not made of


@pytest.mark.parametrize("spec", ["1/2/3", 5, None, {"1": "2"}])
def test_what_is_no_hierarchy_is_refused(spec):
    refused(f"a hierarchy must consist of {FORMS}, got {spec!r}", Hierarchy, spec)


def test_an_empty_hierarchy_is_refused():
    text = f"the hierarchy must have labels, got none; pass {FORMS}"
    refused(text, Hierarchy, [])
    refused(text, Hierarchy, nx.DiGraph())


def test_a_mix_of_paths_and_edges_is_refused():
    text = (
        "the hierarchy must have only paths or only edges, got both:"
        " item 1 is the path '1/2', item 3 the edge ('1', '3')"
    )
    refused(text, Hierarchy, ["1/2", "1", ("1", "3")])


@pytest.mark.parametrize("item", [5, ("a", "b", "c"), b"ab", {"a", "b"}])
def test_an_item_that_is_neither_path_nor_edge_is_refused(item):
    text = (
        "item 2 of the hierarchy must be a path such as '1/2/3' or a (parent, child) pair,"
        f" got {item!r}"
    )
    refused(text, Hierarchy, [("a", "b"), item])


@pytest.mark.parametrize("path", ["", "/1", "1/", "1//2"])
def test_a_path_with_an_empty_name_is_refused(path):
    text = (
        f"item 2 of the hierarchy must be a path such as '1/2/3' without empty names, got {path!r}"
    )
    refused(text, Hierarchy, ["1", path])


def test_edges_of_clus_are_not_mistaken_for_paths():
    text = (
        "'GO1/GO2' looks like an edge in the notation of Clus rather than a path;"
        " pass pairs: [tuple(edge.split('/')) for edge in edges]"
    )
    edges = ["GO1/GO2", "root/GO1"]
    refused(text, Hierarchy, edges)
    assert Hierarchy([tuple(edge.split("/")) for edge in edges]).labels == ("GO1", "GO2")


def test_a_frame_is_refused_and_its_rows_are_not():
    frame = pd.DataFrame({"parent": ["a"], "child": ["b"]})
    text = "a hierarchy must not be a frame; pass its rows as pairs: frame.to_numpy().tolist()"
    refused(text, Hierarchy, frame)
    assert Hierarchy(frame.to_numpy().tolist()).labels == ("a", "b")


def test_an_undirected_graph_is_refused():
    text = (
        "the graph of the hierarchy must be directed; use a DiGraph with edges from parent to child"
    )
    refused(text, Hierarchy, nx.Graph([("a", "b")]))


def test_labels_that_cannot_be_are_refused():
    text = "item 2 of the hierarchy: the label must not be missing, got None"
    refused(text, Hierarchy, [("a", "b"), ("a", None)])
    text = "item 1 of the hierarchy: the label must be hashable, got ['b']; use a tuple"
    refused(text, Hierarchy, [("a", ["b"])])
    text = "node 1 of the hierarchy: the label must not be missing, got nan"
    refused(text, Hierarchy, types.SimpleNamespace(nodes=[float("nan")], edges=[]))


@pytest.mark.parametrize(
    ("edges", "cycle"),
    [
        ([("a", "a")], "'a' -> 'a'"),
        ([("root", "root")], "'root' -> 'root'"),
        ([("x", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], "'a' -> 'b' -> 'c' -> 'a'"),
        ([("d", "e"), ("a", "b"), ("b", "a"), ("b", "d")], "'b' -> 'a' -> 'b'"),
    ],
)
def test_a_cycle_is_refused_by_name(edges, cycle):
    text = f"the hierarchy must not have a cycle, got {cycle}; drop one of these edges"
    refused(text, Hierarchy, edges)


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


# --- as a value


def test_equality_and_hash():
    same = Hierarchy(["1/1", "1/2/3", "2"])
    assert same == TREE
    assert hash(same) == hash(TREE)
    assert Hierarchy(["2", "1/1", "1/2/3"]) != TREE
    assert Hierarchy([("a", "b"), ("a", "c")]) != Hierarchy([("a", "b"), ("b", "c")])
    assert TREE.labels != TREE


def test_repr():
    assert repr(TREE) == "<Hierarchy: a tree of 5 labels, 3 deep>"
    assert repr(DIAMOND) == "<Hierarchy: a graph of 4 labels, 3 deep>"
    assert repr(Hierarchy(["1"])) == "<Hierarchy: a tree of 1 label, 1 deep>"


def test_a_hierarchy_is_immutable():
    with pytest.raises(AttributeError, match="a Hierarchy is immutable; create a new one"):
        TREE.labels = ()
    with pytest.raises(TypeError):
        TREE.index["1"] = 5


@given(hierarchies())
def test_pickles_and_copies_are_equal(hierarchy):
    assert pickle.loads(pickle.dumps(hierarchy)) == hierarchy
    again = copy.deepcopy(hierarchy)
    assert again == hierarchy
    assert again.index == hierarchy.index


def test_as_a_collection():
    assert len(TREE) == 5
    assert "1/2" in TREE
    assert "1/3" not in TREE
    assert ["1"] not in TREE
    assert TREE.index == {"1": 0, "1/1": 1, "1/2": 2, "1/2/3": 3, "2": 4}


# --- single labels


def test_depth_is_that_of_the_longest_way():
    assert [TREE.depth(label) for label in TREE.labels] == [1, 2, 2, 3, 1]
    assert [DIAMOND.depth(label) for label in DIAMOND.labels] == [1, 2, 2, 3]


def test_weights_of_a_tree_are_powers():
    assert TREE.weights().tolist() == [0.75, 0.75**2, 0.75**2, 0.75**3, 0.75]
    assert TREE.weights(1).tolist() == [1.0] * 5


def test_a_weight_in_a_graph_comes_from_the_mean_of_the_parents():
    assert DIAMOND.weights(0.5).tolist() == [0.5, 0.25, 0.25, 0.5 * (0.5 + 0.25 + 0.25) / 3]


@pytest.mark.parametrize("w0", [0, -1, 1.5, float("nan"), "0.5", True, None])
def test_weights_from_what_is_no_share_are_refused(w0):
    text = f"w0 must be a number above 0 and at most 1, got {w0!r}"
    refused(text, TREE.weights, w0)


def test_an_unknown_label_gets_a_suggestion():
    tree = Hierarchy(["animal/dog", "plant"])
    text = "unknown label 'animal/dogs'; did you mean 'animal/dog'?"
    for call in (tree.parents, tree.ancestors, tree.depth):
        refused(text, call, "animal/dogs")
    for call in (tree.close, tree.is_closed):
        refused(text, call, {"plant", "animal/dogs"})
    text = "unknown label ['x'] (known: 'animal', 'animal/dog', 'plant')"
    refused(text, tree.close, [["x"]])


@given(hierarchies())
def test_ancestors_are_those_of_networkx(hierarchy):
    graph = nx.DiGraph()
    graph.add_nodes_from(hierarchy.labels)
    graph.add_edges_from((p, c) for c in hierarchy.labels for p in hierarchy.parents(c))
    for place, label in enumerate(hierarchy.labels):
        ancestors = hierarchy.ancestors(label)
        assert ancestors == nx.ancestors(graph, label)
        assert all(hierarchy.index[a] < place for a in ancestors)
        assert all(hierarchy.depth(a) < hierarchy.depth(label) for a in ancestors)


# --- sets of labels


def test_closing_adds_the_ancestors():
    assert TREE.close(["1/2/3", "2"]) == {"1", "1/2", "1/2/3", "2"}
    assert TREE.close([]) == frozenset()
    assert isinstance(TREE.close({"2"}), frozenset)


def test_text_is_not_taken_for_a_set_of_labels():
    text = "labels must be a set such as {'1/2'}, got '1/2'"
    refused(text, TREE.close, "1/2")
    refused(text, TREE.is_closed, "1/2")
    refused("labels must be a set such as {5}, got 5", TREE.close, 5)


@given(st.data())
def test_closing_is_a_closure(data):
    hierarchy = data.draw(hierarchies())
    some, more = data.draw(labels_of(hierarchy)), data.draw(labels_of(hierarchy))
    closed = hierarchy.close(some)
    assert closed >= some
    assert hierarchy.close(closed) == closed
    assert hierarchy.close(some | more) == closed | hierarchy.close(more)
    assert closed == some.union(*map(hierarchy.ancestors, some))
    assert hierarchy.is_closed(closed)
    assert hierarchy.is_closed(some) == (closed == some)


# --- arrays


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


@given(st.data())
def test_closed_indicators_are_capped_already(data):
    hierarchy = data.draw(hierarchies())
    closed = hierarchy.close_indicator(rows_of(data.draw, hierarchy, st.booleans()))
    assert (hierarchy.cap(closed.astype(float)) == closed).all()


def test_arrays_without_rows_pass():
    assert TREE.close_indicator(np.zeros((0, 5), dtype=bool)).shape == (0, 5)
    assert TREE.cap(np.zeros((0, 5), dtype=np.float32)).dtype == np.float64


def test_arrays_of_another_shape_are_refused():
    text = "the indicator must have one column for each of the 5 labels, in order, got 3"
    refused(text, TREE.close_indicator, np.zeros((2, 3), dtype=bool))
    text = "the indicator must be a numpy array of 2 dimensions, got shape (5,)"
    refused(text, TREE.close_indicator, np.zeros(5, dtype=bool))
    text = "the array of probabilities must be a numpy array of 2 dimensions, got [[1, 0]]"
    refused(text, TREE.cap, [[1, 0]])


def test_arrays_of_another_type_are_refused():
    text = "the indicator must hold booleans, got int64; use indicator.astype(bool)"
    refused(text, TREE.close_indicator, np.zeros((2, 5), dtype=np.int64))
    text = "the array of probabilities must hold numbers, got object"
    refused(text, TREE.cap, np.zeros((2, 5), dtype=object))


def test_a_probability_that_is_nan_is_refused():
    probabilities = np.zeros((2, 5))
    probabilities[1, 2] = np.nan
    text = "column '1/2', row 2: the probability must be a number, got NaN; use 0 if it is unknown"
    refused(text, TREE.cap, probabilities)


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
