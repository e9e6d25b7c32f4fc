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


def packet_rules(n: int, seed: int = 0):
    """Return bounds of n packet filters of shape (5, n), made in the manner of ClassBench.

    The dimensions are the source and destination address (prefixes of 32 bits), the source and
    destination port (ranges of 16 bits), and the protocol. As in filters of firewalls and access
    lists, prefixes share networks, most source ports are open, destination ports are mostly those
    of well-known services, and specific rules tend to come before general ones.
    """
    rng = np.random.default_rng(seed)
    lower, upper = np.empty((5, n)), np.empty((5, n))
    for axis, shares in enumerate(([0.15, 0.25, 0.3, 0.3], [0.1, 0.25, 0.35, 0.3])):
        lower[axis], upper[axis] = _prefixes(rng, n, shares)
    # open, 1024 and above, below 1024, a range, a service
    for axis, shares in ((2, [0.75, 0.05, 0.05, 0.05, 0.1]), (3, [0.25, 0.1, 0.05, 0.1, 0.5])):
        lower[axis], upper[axis] = _ports(rng, n, shares)
    protocol = rng.choice(4, n, p=[0.55, 0.25, 0.05, 0.15])  # TCP, UDP, ICMP, all
    lower[4], upper[4] = np.array([6, 17, 1, 0])[protocol], np.array([7, 18, 2, 256])[protocol]
    size = np.log2(upper - lower).sum(axis=0)
    order = np.argsort(size + rng.normal(0.0, 4.0, n), kind="stable")
    return np.ascontiguousarray(lower[:, order]), np.ascontiguousarray(upper[:, order])


def _prefixes(rng, n: int, shares):
    """Return ranges of addresses: open, networks of 8 to 24 bits, of 24 to 31 bits, and hosts."""
    networks = rng.integers(2**32, size=max(8, n // 40))[rng.integers(max(8, n // 40), size=n)]
    kind = rng.choice(4, n, p=shares)
    bits = np.choose(kind, [np.zeros(n, int), rng.integers(8, 25, n), rng.integers(24, 32, n), 32])
    hosts = networks // 256 * 256 + rng.integers(256, size=n)
    size = 2 ** (32 - bits)
    lower = np.where(bits > 16, hosts, networks) // size * size
    return lower, lower + size


def _ports(rng, n: int, shares):
    services = [20, 21, 22, 25, 53, 80, 110, 123, 143, 161, 443, 993, 1433, 1521, 3306, 3389, 8080]
    kind = rng.choice(5, n, p=shares)
    service = rng.choice(services, n)
    start = rng.integers(0, 65_000, n)
    end = start + rng.integers(1, 500, n)
    lower = np.choose(kind, [0, 1024, 0, start, service])
    return lower, np.choose(kind, [65_536, 65_536, 1024, end, service + 1])
