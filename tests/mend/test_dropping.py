"""The cheapest vertex cover, compared with all subsets, and its bound if time runs out."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irenic.budget import Meter
from irenic.mend import _drop as dropping
from irenic.mend._drop import cheapest_cover


@st.composite
def graphs(draw, max_nodes=8):
    n = draw(st.integers(1, max_nodes))
    possible = list(combinations(range(n), 2))
    edges = draw(st.lists(st.sampled_from(possible), unique=True)) if possible else []
    costs = draw(st.lists(st.sampled_from([1.0, 1.0, 2.0, 0.3, 7.5]), min_size=n, max_size=n))
    return np.array(edges, dtype=np.intp).reshape(-1, 2), np.array(costs)


def is_cover(edges, places):
    return all(a in places or b in places for a, b in edges.tolist())


def least(edges, costs):
    every = range(len(costs))
    subsets = (s for k in range(len(costs) + 1) for s in combinations(every, k))
    return min(sum(costs[i] for i in s) for s in subsets if is_cover(edges, s))


@given(graphs())
def test_no_cover_is_cheaper(graph):
    edges, costs = graph
    cover = cheapest_cover(edges, costs, Meter(None))
    assert is_cover(edges, cover.places)
    assert cover.optimal
    assert cover.cost == cover.bound == pytest.approx(least(edges, costs))
    assert cover.cost == pytest.approx(costs[list(cover.places)].sum())


@given(graphs())
def test_without_time_there_is_a_cover_and_a_bound(graph):
    edges, costs = graph
    cover = cheapest_cover(edges, costs, Meter(0))
    assert is_cover(edges, cover.places)
    best = least(edges, costs)
    assert cover.bound <= best + 1e-9
    assert cover.cost >= best - 1e-9
    assert cover.optimal is (cover.cost == cover.bound)
    if cover.optimal:
        assert cover.cost == pytest.approx(best)


@given(graphs())
def test_local_search_never_increases_the_cost(graph):
    edges, costs = graph
    if not len(edges):
        return
    start = dropping._greedy(edges, costs)
    chosen = dropping._by_local_search(edges, costs, start, Meter(None))
    assert is_cover(edges, np.flatnonzero(chosen))
    assert costs[chosen].sum() <= costs[start].sum() + 1e-9


@given(graphs())
def test_cliques_contain_every_edge_and_nothing_else(graph):
    edges, costs = graph
    cliques = dropping._cliques(edges, len(costs))
    pairs = {pair for clique in cliques for pair in combinations(clique, 2)}
    assert pairs == {tuple(edge) for edge in edges.tolist()}


def test_local_search_leaves_a_bad_cover():
    # a star: its center is the best cover, and all leaves are a bad start
    edges = np.array([(0, i) for i in range(1, 8)])
    chosen = dropping._by_local_search(edges, np.ones(8), np.arange(8) > 0, Meter(None))
    assert np.flatnonzero(chosen).tolist() == [0]


def test_of_equal_costs_the_later_node_is_dropped():
    triangle = np.array([(0, 1), (0, 2), (1, 2)])
    assert cheapest_cover(triangle, np.ones(3), Meter(None)).places == (1, 2)
    pair = np.array([(0, 1)])
    assert cheapest_cover(pair, np.ones(2), Meter(None)).places == (1,)
    assert cheapest_cover(pair, np.array([1.0, 2.0]), Meter(None)).places == (0,)


def test_without_edges_nothing_is_dropped():
    cover = cheapest_cover(np.empty((0, 2), dtype=int), np.ones(3), Meter(None))
    assert cover == dropping.Cover((), 0.0, 0.0, True)


def test_a_path_of_1000_nodes_is_solved():
    n = 1001
    edges = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    cover = cheapest_cover(edges, np.ones(n), Meter(None))
    assert (cover.cost, cover.optimal) == (500, True)


def test_integer_costs_give_an_integer_bound():
    rng = np.random.default_rng(0)
    edges = np.unique(np.sort(rng.integers(60, size=(240, 2)), axis=1), axis=0)
    edges = edges[edges[:, 0] != edges[:, 1]]
    cover = cheapest_cover(edges, np.ones(60), Meter(0))
    assert cover.bound == int(cover.bound)
    exact = cheapest_cover(edges, np.ones(60), Meter(None))
    assert cover.bound <= exact.cost <= cover.cost
