"""Find the cheapest rules to drop so that no two remaining rules contradict each other.

Rules are the nodes of a graph and contradictions its edges, so this is a minimum-weight vertex
cover. Each component is solved by integer programming (HiGHS, which comes with SciPy). HiGHS
proved the optimum of 500 rules with 2,000 contradictions between overlapping boxes in less than a
second; OR-Tools' CP-SAT needed eight workers for it and did not finish within 30 s with two.
Neither can prove the optimum of random graphs; the bound then limits how far from it a result is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irenic.arrays import Bools, Floats, Indices
from irenic.budget import Meter

# Steps per rule of the local search, which runs if the optimum was not proved.
_STEPS_PER_RULE: Final = 200
_STEP_LIMIT: Final = 500_000
# With more edges, just building the integer program would take too long.
_EDGE_LIMIT: Final = 200_000
# HiGHS treats a number this close to an integer as an integer.
_TOLERANCE: Final = 1e-6


@dataclass(frozen=True)
class Cover:
    """The nodes to drop, their cost, and a lower bound on the cost of any choice."""

    places: tuple[int, ...]
    cost: float
    bound: float
    optimal: bool


def cheapest_cover(pairs: npt.NDArray[Any], costs: Floats, meter: Meter) -> Cover:
    """Return the cheapest set of places that contains one place of every pair.

    When the seconds of the meter are used up, the best cover so far is returned with its bound.
    """
    parts = [_solve(*part, meter) for part in _components(pairs, costs)]
    places = sorted(place for part in parts for place in part.places)
    cost = math.fsum(costs[places])
    optimal = all(part.optimal for part in parts)
    bound = cost if optimal else min(cost, math.fsum(part.bound for part in parts))
    return Cover(tuple(places), cost, bound, optimal)


Part = tuple[Indices, Indices, Floats]


def _components(pairs: npt.NDArray[Any], costs: Floats) -> list[Part]:
    """Return each component with an edge: its places, its edges between them, and its costs."""
    if not len(pairs):
        return []
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(costs)
    edges = np.asarray(pairs, dtype=np.intp)
    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    _, labels = connected_components(graph, directed=False)
    of_edge = labels[edges[:, 0]]
    parts = []
    for label in dict.fromkeys(of_edge.tolist()):
        own = edges[of_edge == label]
        places = np.unique(own)
        parts.append((places, np.searchsorted(places, own), costs[places]))
    return parts


def _solve(
    places: Indices,
    edges: Indices,
    costs: Floats,
    meter: Meter,
) -> Cover:
    if len(places) == 2:
        cheap = int(costs[0] < costs[1]) ^ 1  # of equal costs, drop the later one
        return Cover((int(places[cheap]),), float(costs[cheap]), float(costs[cheap]), True)
    chosen, bound, optimal = _by_integer_program(edges, costs, meter)
    if not optimal:
        starts = [_greedy(edges, costs), *([] if chosen is None else [chosen])]
        searched = [_by_local_search(edges, costs, start, meter) for start in starts]
        chosen = min(searched, key=lambda cover: math.fsum(costs[cover]))
        bound = max(bound, _matching_bound(edges, costs))
        if (costs == np.round(costs)).all():
            bound = float(math.ceil(bound - _TOLERANCE))
    assert chosen is not None
    chosen = _later_first(edges, costs, chosen)
    cost = math.fsum(costs[chosen])
    bound = min(bound, cost)
    optimal = optimal or bound == cost
    picked = tuple(int(place) for place in places[chosen])
    return Cover(picked, cost, cost if optimal else bound, optimal)


def _by_integer_program(
    edges: Indices, costs: Floats, meter: Meter
) -> tuple[Bools | None, float, bool]:
    """Return the best cover found by HiGHS (or None), a lower bound, and whether it is optimal."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    if len(edges) > _EDGE_LIMIT:
        return None, 0.0, False
    options: dict[str, Any] = {"mip_rel_gap": 0.0}
    if meter.budget.seconds is not None:
        seconds = meter.budget.seconds - meter.seconds
        if seconds <= 0:
            return None, 0.0, False
        options["time_limit"] = 0.9 * seconds  # leaves time for the local search
    cliques, n = _cliques(edges, len(costs)), len(costs)
    sizes = [len(clique) for clique in cliques]
    rows, columns = np.repeat(np.arange(len(cliques)), sizes), np.concatenate(cliques)
    shape = (len(cliques), n)
    matrix = coo_array((np.ones(len(columns)), (rows, columns)), shape=shape).tocsr()
    scale = float(costs.max())
    result = milp(
        costs / scale,
        constraints=LinearConstraint(matrix, lb=np.array(sizes) - 1.0),
        integrality=np.ones(n),
        bounds=Bounds(0.0, 1.0),
        options=options,
    )
    chosen = None if result.x is None else result.x > 0.5
    if chosen is not None and not (chosen[edges[:, 0]] | chosen[edges[:, 1]]).all():
        chosen = None
    bound = result.mip_dual_bound
    lower = 0.0 if bound is None or not math.isfinite(bound) else max(0.0, float(bound) * scale)
    return chosen, lower, result.status == 0 and chosen is not None


def _cliques(edges: Indices, n: int) -> list[list[int]]:
    """Return cliques that together contain every edge.

    All nodes of a clique but one must be dropped, which is a stronger constraint than one per edge.
    It halves the time of the integer program (boxes in 4 features with 5,000 edges).
    """
    near = [set(others.tolist()) for others in _near(edges, n)]
    covered: set[tuple[int, int]] = set()
    cliques = []
    for a, b in edges.tolist():
        if (min(a, b), max(a, b)) in covered:
            continue
        clique, others = [a, b], near[a] & near[b]
        while others:
            best = max(others, key=lambda i: (len(near[i] & others), -i))
            clique.append(best)
            others = others & near[best]
        clique.sort()
        covered.update(combinations(clique, 2))
        cliques.append(clique)
    return cliques


def _matching_bound(edges: Indices, costs: Floats) -> float:
    """Return a lower bound on the cost of any cover, by charging each edge to both its ends."""
    unpaid, total = costs.copy(), 0.0
    for a, b in edges.tolist():
        charge = min(unpaid[a], unpaid[b])
        unpaid[a] -= charge
        unpaid[b] -= charge
        total += charge
    return float(total * (1 - 1e-12))  # rounding must not push it above the true bound


def _near(edges: Indices, n: int) -> list[Indices]:
    """Return the neighbors of each node."""
    both = np.vstack((edges, edges[:, ::-1]))
    both = both[np.argsort(both[:, 0], kind="stable")]
    starts = np.searchsorted(both[:, 0], np.arange(1, n))
    return np.split(both[:, 1], starts)


def _greedy(edges: Indices, costs: Floats) -> Bools:
    """Return a cover, choosing the node with the most edges per cost first."""
    near = _near(edges, len(costs))
    degree = np.array([len(others) for others in near])
    chosen = np.zeros(len(costs), dtype=np.bool_)
    while degree.any():
        first = int((degree / costs).argmax())
        chosen[first], degree[first] = True, 0
        degree[near[first][~chosen[near[first]]]] -= 1
    return _pruned(near, costs, chosen)


def _pruned(
    near: list[Indices],
    costs: Floats,
    chosen: Bools,
) -> Bools:
    """Return a cover without redundant nodes, removing the most expensive first."""
    chosen = chosen.copy()
    for place in np.argsort(-costs, kind="stable"):
        if chosen[place] and chosen[near[place]].all():
            chosen[place] = False
    return chosen


def _later_first(
    edges: Indices,
    costs: Floats,
    chosen: Bools,
) -> Bools:
    """Return a cover of the same cost that prefers to drop the later of interchangeable nodes."""
    near = _near(edges, len(costs))
    chosen = chosen.copy()
    for _ in range(len(costs)):
        changed = False
        for i in np.flatnonzero(chosen).tolist():
            kept = near[i][~chosen[near[i]]]
            if len(kept) == 1 and kept[0] > i and costs[kept[0]] == costs[i]:
                chosen[i], chosen[kept[0]] = False, True
                changed = True
        if not changed:
            break
    return _pruned(near, costs, chosen)


def _by_local_search(
    edges: Indices,
    costs: Floats,
    chosen: Bools,
    meter: Meter,
) -> Bools:
    """Return a cover that costs at most as much, by exchanging nodes.

    Each step keeps a dropped node, drops its kept neighbors, and then keeps all nodes without kept
    neighbors, the most expensive first. A step that increases the cost is reverted. The steps are
    the same in every run.
    """
    near = [others.tolist() for others in _near(edges, len(costs))]
    cost = costs.tolist()
    kept = (~chosen).tolist()
    n_kept = [sum(kept[j] for j in others) for others in near]
    rng = np.random.default_rng(0)

    def flip(i: int, done: list[int]) -> float:
        kept[i] = not kept[i]
        for j in near[i]:
            n_kept[j] += 1 if kept[i] else -1
        done.append(i)
        return float(cost[i] if kept[i] else -cost[i])

    n_steps = min(_STEPS_PER_RULE * len(cost), _STEP_LIMIT)
    for start in rng.integers(len(cost), size=n_steps).tolist():
        if meter.spent():
            break
        if kept[start]:
            continue
        done: list[int] = []
        gain = 0.0
        dropped = [j for j in near[start] if kept[j]]
        for j in dropped:
            gain += flip(j, done)
        gain += flip(start, done)
        free = {k for j in dropped for k in near[j] if not kept[k] and not n_kept[k]}
        for k in sorted(free, key=lambda k: (-cost[k], len(near[k]), k)):
            if not n_kept[k]:
                gain += flip(k, done)
        if gain < 0:
            for i in reversed(done):
                flip(i, [])
    return ~np.array(kept, dtype=np.bool_)
