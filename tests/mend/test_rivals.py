"""The searches inside repairs: the cheapest cover of all conflicts, and the largest free box."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irenic import Categorical, Continuous, Region, Space
from irenic.boxes import Boxes
from irenic.budget import Meter
from irenic.mend import _drop as dropping
from irenic.mend import _trim as trimming
from irenic.mend._drop import cheapest_cover
from irenic.mend._measure import Extent
from irenic.mend._trim import largest_free

# --- covers, compared with all subsets


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
def test_no_cover_is_cheaper_and_without_time_there_is_a_cover_and_a_bound(graph):
    edges, costs = graph
    best = least(edges, costs)
    cover = cheapest_cover(edges, costs, Meter(None))
    assert is_cover(edges, cover.places)
    assert cover.optimal
    assert cover.cost == cover.bound == pytest.approx(best)
    assert cover.cost == pytest.approx(costs[list(cover.places)].sum())
    cover = cheapest_cover(edges, costs, Meter(0))
    assert is_cover(edges, cover.places)
    assert cover.bound <= best + 1e-9
    assert cover.cost >= best - 1e-9
    assert cover.optimal is (cover.cost == cover.bound)
    assert not cover.optimal or cover.cost == pytest.approx(best)
    # local search never increases the cost, and cliques contain every edge and nothing else
    if len(edges):
        start = dropping._greedy(edges, costs)
        chosen = dropping._by_local_search(edges, costs, start, Meter(None))
        assert is_cover(edges, np.flatnonzero(chosen))
        assert costs[chosen].sum() <= costs[start].sum() + 1e-9
    cliques = dropping._cliques(edges, len(costs))
    pairs = {pair for clique in cliques for pair in combinations(clique, 2)}
    assert pairs == {tuple(edge) for edge in edges.tolist()}


def test_local_search_leaves_a_bad_cover():
    # a star: its center is the best cover, and all leaves are a bad start
    edges = np.array([(0, i) for i in range(1, 8)])
    chosen = dropping._by_local_search(edges, np.ones(8), np.arange(8) > 0, Meter(None))
    assert np.flatnonzero(chosen).tolist() == [0]


def test_of_equal_costs_the_later_node_is_dropped():
    for edges, costs, places in [
        ([(0, 1), (0, 2), (1, 2)], [1, 1, 1], (1, 2)),
        ([(0, 1)], [1, 1], (1,)),
        ([(0, 1)], [1, 2], (0,)),
    ]:
        cover = cheapest_cover(np.array(edges), np.array(costs, float), Meter(None))
        assert cover.places == places
    nothing = cheapest_cover(np.empty((0, 2), dtype=int), np.ones(3), Meter(None))
    assert nothing == dropping.Cover((), 0.0, 0.0, True)


def test_a_path_of_1000_nodes_is_solved():
    edges = np.column_stack([np.arange(1000), np.arange(1, 1001)])
    cover = cheapest_cover(edges, np.ones(1001), Meter(None))
    assert (cover.cost, cover.optimal) == (500, True)


def test_integer_costs_give_an_integer_bound():
    rng = np.random.default_rng(0)
    edges = np.unique(np.sort(rng.integers(40, size=(160, 2)), axis=1), axis=0)
    edges = edges[edges[:, 0] != edges[:, 1]]
    cover = cheapest_cover(edges, np.ones(40), Meter(0))
    assert cover.bound == int(cover.bound)
    exact = cheapest_cover(edges, np.ones(40), Meter(None))
    assert cover.bound <= exact.cost <= cover.cost


# --- free boxes inside another, compared with all boxes of the grid

SPACE = Space([Continuous("x", missing=True), Continuous("n", kind="integer"),
               Categorical("c", ["u", "v", "w"])])  # fmt: skip


@st.composite
def regions(draw):
    cuts = [None, 0, 2, 3, 5]
    conditions = {}
    for name in ("x", "n"):
        low, high = draw(st.sampled_from(cuts)), draw(st.sampled_from(cuts))
        if low is None or high is None or low < high:
            test = {} if low is None else {">=": low}
            test |= {} if high is None else {"<": high}
            if name == "x" and low is None and draw(st.booleans()):
                test["missing"] = True
            if test:
                conditions[name] = test
    values = draw(st.sets(st.sampled_from("uvw"), min_size=1))
    return Region(SPACE, conditions | {"c": values})


def every_box(box, rivals):
    """Return all boxes with bounds of the grid inside a box."""
    axes = []
    for axis in range(2):
        cuts = {box.lower[0, axis], box.upper[0, axis]}
        inner = np.concatenate([rivals.lower[:, axis], rivals.upper[:, axis]])
        cuts |= {c for c in inner if box.lower[0, axis] < c < box.upper[0, axis]}
        axes.append(list(combinations(sorted(cuts), 2)))
    bits = [m for m in range(1, 32) if m & int(box.masks[0, 0]) == m]
    result = list(product(axes[0], axes[1], bits))
    low = np.array([[a[0], b[0]] for a, b, _ in result])
    high = np.array([[a[1], b[1]] for a, b, _ in result])
    return Boxes(SPACE, low, high, np.array([[m] for *_, m in result], dtype=np.uint64))


def sizes(share):
    return lambda boxes: [(size,) for size in share.of(boxes).tolist()]


@given(regions(), st.lists(regions(), min_size=1, max_size=4))
def test_no_free_box_is_larger_and_without_time_one_is_still_found(region, rivals):
    box = region.box.simplified()
    against = Boxes.none(SPACE).concat(*(r.box.simplified() for r in rivals))
    share = Extent(box, box.concat(against))
    result = largest_free(box, against, sizes(share), Meter(None))
    assert result.proved
    every = every_box(box, against)
    free = [row for row in range(len(every)) if not against.meeting(every.take([row])).any()]
    assert bool(free) is bool(len(result.box))
    if free:
        assert not against.meeting(result.box).any()
        assert share.of(result.box)[0] >= share.of(every.take(free)).max() - 1e-12
    meter = Meter(0)
    result = largest_free(box, against, sizes(share), meter)
    assert meter.stopped_by is None
    if len(result.box):
        assert Region.from_box(result.box) <= region
        assert not against.meeting(result.box).any()
        assert result.proved is not against.meeting(box).any()
    # shares of a box are between 0 and 1
    share = Extent(box, box)
    assert share.of(box).tolist() == [1.0]
    parts = trimming.beside(box, Region(SPACE, {"x": (2, 3), "c": "u"}).box.simplified())
    for row in range(len(parts)):
        assert 0 < share.of(parts.take([row]))[0] <= 1


def test_a_node_limit_gives_a_free_box_without_a_proof(monkeypatch):
    monkeypatch.setattr(trimming, "_NODE_LIMIT", 1)
    space = Space([Continuous("x"), Continuous("y")])
    box = Region(space, {"x": (0, 10), "y": (0, 10)}).box.simplified()
    rivals = Region(space, {"x": (2, 3), "y": (2, 3)}).box
    rivals = rivals.concat(Region(space, {"x": (7, 8), "y": (7, 8)}).box)
    result = largest_free(box, rivals, sizes(Extent(box, rivals)), Meter(None))
    assert not result.proved
    assert not rivals.meeting(result.box).any()


def test_a_share_with_bounded_sides_is_a_share_of_the_volume():
    space = Space([Continuous("x", bounds=(0, 10)), Categorical("c", ["a", "b", "c", "d"])])
    part = Region(space, {"x": (2, 5), "c": {"a"}})
    outer = Region(space).box.simplified()
    size = Extent(outer, outer).of(part.box.simplified())[0]
    assert abs(size - 0.3 / 4) < 1e-9
