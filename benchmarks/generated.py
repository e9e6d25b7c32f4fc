"""Generated rules, as in the literature on decision tables: the leaves of a tree."""

from __future__ import annotations

import numpy as np


def tree_leaves(n: int, d: int, seed: int = 0):
    """Return bounds ``lower, upper`` of shape (d, n): a tree of n leaves grown on random data.

    The largest node is split next, on a random feature, at the median of its points; the
    outermost bounds are open.
    """
    import heapq

    rng = np.random.default_rng(seed)
    points = rng.random((max(4 * n, 64), d)).round(6)
    heap = [(-len(points), 0, np.arange(len(points)), np.full(d, -np.inf), np.full(d, np.inf))]
    n_nodes = 1
    while len(heap) < n:
        _, _, rows, low, high = heapq.heappop(heap)
        feature = int(rng.integers(d))
        cut = np.median(points[rows[:101], feature])
        left = points[rows, feature] < cut
        high_left, low_right = high.copy(), low.copy()
        high_left[feature] = low_right[feature] = cut
        for part, lo, hi in ((rows[left], low, high_left), (rows[~left], low_right, high)):
            heapq.heappush(heap, (-len(part), n_nodes, part, lo, hi))
            n_nodes += 1
    lower = np.array([node[3] for node in heap]).T
    upper = np.array([node[4] for node in heap]).T
    return np.ascontiguousarray(lower), np.ascontiguousarray(upper)


def widen(lower, upper, share: float = 0.1, seed: int = 0) -> None:
    """Widen a share of the rules in place, each at the upper bound of a random feature."""
    _disturb(lower, upper, share, seed, +0.05)


def narrow(lower, upper, share: float = 0.1, seed: int = 0) -> None:
    """Narrow a share of the rules in place, each at the upper bound of a random feature."""
    _disturb(lower, upper, share, seed, -0.5)


def _disturb(lower, upper, share: float, seed: int, by: float) -> None:
    rng = np.random.default_rng(seed)
    for r in np.flatnonzero(rng.random(upper.shape[1]) < share):
        bounded = np.flatnonzero(np.isfinite(upper[:, r]))
        if not len(bounded):
            continue
        i = rng.choice(bounded)
        if by > 0:
            upper[i, r] += by
        else:
            bottom = lower[i, r] if np.isfinite(lower[i, r]) else 0.0
            if bottom < upper[i, r]:
                upper[i, r] += by * (upper[i, r] - bottom)


def random_boxes(n: int, d: int, width: float, seed: int = 0):
    """Return the bounds of n boxes in the unit cube with the given mean width."""
    rng = np.random.default_rng(seed)
    middle = rng.random((d, n))
    half = width * rng.random((d, n))
    return middle - half, middle + half
