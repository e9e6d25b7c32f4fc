"""Slow oracles for CFSBE: the paper's Algorithm 2 literally, and its intended result."""

from __future__ import annotations

import math
import sys
from itertools import permutations

import numpy as np

import naive
from irenic import Continuous, Region

# --- Algorithm 2 as printed: continuous features only, every rule is a rival


def literal(rules, x, order):
    """Return the box ``[[lower, upper], ...]`` of the paper's pseudo-code, line by line.

    ``rules[r][i]`` is the pair ``(lower, upper)`` of rule ``r`` on feature ``i``; ``order``
    contains the indices of features.
    """
    box = [[None, None] for _ in order]
    for i in order:
        box[i][0] = x[i]
        box[i][1] = x[i]
    for d in order:
        box[d][0] = -math.inf
        box[d][1] = +math.inf
        for r in rules:
            if literal_intersects(box, r, d):
                lower, upper = r[d]
                if x[d] >= upper:
                    box[d][0] = max(box[d][0], upper)
                else:
                    box[d][1] = min(box[d][1], lower)
    return box


def literal_intersects(box, r, d):
    for i in range(len(r)):
        if i == d:
            continue
        u = box[i][1] > r[i][0]
        l = box[i][0] < r[i][1]  # noqa: E741 (the paper's name)
        if not (u and l):
            return False
    return True


# --- the intended result


def covered_by(rules, cell, consequent=None):
    """Return the index of the first rival that covers a cell, or None."""
    rivals = [i for i in naive.covering(rules, cell) if rules[i].then != consequent]
    return rivals[0] if rivals else None


def enlarge(space, rules, cell, order, consequent=None):
    """Return the box that grows from a cell that no rival covers: one side per feature.

    A side is a half-open interval ``(lower, upper)`` or a set of codes. Until a feature is
    enlarged, the side is the seed's value, a closed point: it meets every rule that contains it.
    """
    seed = dict(zip(space.names, cell, strict=True))
    rivals = [
        {f.name: side_of(rule.region, f) for f in space}
        for rule in rules
        if consequent is None or rule.then != consequent
    ]
    box = {}
    for name in order:
        side = everything(space[name])
        for rival in rivals:
            others = (f for f in space if f.name != name)
            if all(
                meets(f, box[f.name], rival[f.name])
                if f.name in box
                else holds(rival[f.name], seed[f.name])
                for f in others
            ):
                side = keep_out(side, seed[name], rival[name])
        box[name] = side
    return box


def overlapped_by(rules, region, consequent=None):
    """Return the index of the first rival that shares a point with a region, or None."""
    rivals = (i for i, rule in enumerate(rules) if consequent is None or rule.then != consequent)
    return next((i for i in rivals if not is_free(region, [rules[i].region])), None)


def enlarge_box(space, rules, seed, order, consequent=None):
    """Return the box that grows from a region that no rival overlaps: one side per feature.

    Algorithm 2 with a box instead of the degenerate one: until a feature is enlarged, the side is
    that of the seed.
    """
    rivals = [
        {f.name: side_of(rule.region, f) for f in space}
        for rule in rules
        if consequent is None or rule.then != consequent
    ]
    box = {f.name: side_of(seed, f) for f in space}
    for name in order:
        inner, side = box[name], everything(space[name])
        for rival in rivals:
            if all(meets(f, box[f.name], rival[f.name]) for f in space if f.name != name):
                side = keep_side_out(side, inner, rival[name])
        box[name] = side
    return box


def keep_side_out(side, inner, other):
    """Return the part of a side that contains an inner side and is disjoint from another one."""
    if isinstance(side, frozenset):
        return side - other
    if inner[1] <= other[0]:
        return side[0], min(side[1], other[0])
    return max(side[0], other[1]), side[1]


def side_of(region, feature):
    row = region.space.row(feature.name)
    if isinstance(feature, Continuous):
        return float(region.lower[row]), float(region.upper[row])
    return frozenset(c for c in naive.axis(feature) if naive.allows(region, feature, c))


def everything(feature):
    if isinstance(feature, Continuous):
        return -math.inf, math.inf
    return frozenset(naive.axis(feature))


def holds(side, value):
    return value in side if isinstance(side, frozenset) else side[0] <= value < side[1]


def meets(feature, side, other):
    """Return whether both sides share a value that can occur."""
    if isinstance(side, frozenset):
        return bool(side & other)
    low, high = max(side[0], other[0]), min(side[1], other[1])
    if feature.missing and low == -math.inf < high:
        return True
    least, most = feature.bounds
    if least is not None:
        low = max(low, naive.number(feature, least))
    if most is not None:
        high = min(high, naive.neighbors(feature, naive.number(feature, most))[1])
    return max(low, -sys.float_info.max) < high


def keep_out(side, value, other):
    """Return the part of a side that contains ``value`` and is disjoint from another side."""
    if isinstance(side, frozenset):
        return side - other
    if value >= other[1]:
        return max(side[0], other[1]), side[1]
    return side[0], min(side[1], other[0])


def as_region(space, box):
    """Return a box of sides as a region."""
    lower = np.array([box[f.name][0] for f in space.continuous], dtype=np.float64)
    upper = np.array([box[f.name][1] for f in space.continuous], dtype=np.float64)
    masks = np.zeros(space.n_words, dtype=np.uint64)
    for row, feature in enumerate(space.categorical):
        for code in box[feature.name]:
            masks[space.starts[row] + code // 64] |= np.uint64(1 << code % 64)
    return Region.from_packed(space, lower, upper, masks)


def orders(space, rng, limit=24):
    """Return all orders of up to four features, or the default, its reverse and random ones."""
    if len(space) <= 4:
        return list(permutations(space.names))
    drawn = [tuple(rng.permutation(space.names).tolist()) for _ in range(limit)]
    return [space.names, space.names[::-1], *drawn][:limit]


# --- properties of results


def is_free(region, rivals):
    """Return whether no rival shares a value with the region on every feature."""
    axes = naive.grid(region.space, [region, *rivals])
    return not any(_share(region, rival, axes) for rival in rivals)


def ways_out(region, rivals):
    """Return the single values that could be added to a free region: none if it is maximal.

    Each is the nearest value beyond a side, or a category that the region does not contain.
    """
    space = region.space
    axes = naive.grid(space, [region, *rivals])
    additions = []
    for i, feature in enumerate(space):
        allowed = [naive.allows(region, feature, v) for v in axes[i]]
        if isinstance(feature, Continuous):
            inside = [k for k, yes in enumerate(allowed) if yes]
            steps = [k for k in (inside[0] - 1, inside[-1] + 1) if 0 <= k < len(allowed)]
        else:
            steps = [k for k, yes in enumerate(allowed) if not yes]
        for k in steps:
            value = axes[i][k]
            in_the_way = [r for r in rivals if naive.allows(r, feature, value)]
            if not any(_share(region, rival, axes, but=i) for rival in in_the_way):
                additions.append((feature.name, value))
    return additions


def _share(region, other, axes, but=-1):
    return all(
        any(naive.allows(region, f, v) and naive.allows(other, f, v) for v in axes[i])
        for i, f in enumerate(region.space)
        if i != but
    )
