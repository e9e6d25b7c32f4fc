"""Compiled CFSBE: boxes grown around a seed, among rules that are rivals or not.

The axes are the features, continuous ones first.
"""

from __future__ import annotations

import numpy as np

from irenic.kernels._jit import inline, jit
from irenic.kernels.structs import Apart, Box, Rules, Seed

# A count of axes that stays above 1 however many are taken off: the rule is no rival.
_NO_RIVAL = 1 << 14
# The lowest float64: where values that are not missing begin.
_LOWEST = -np.finfo(np.float64).max


@inline
def _stand_apart(rules, seed, apart):
    """Note on which axes each rule leaves the seed out, and on how many.

    Rules of the seed's consequent are no rivals: their count is so high that they never matter.
    Return the first rival that covers the seed, -1 for none.
    """
    lower, upper, masks, then = rules.lower, rules.upper, rules.masks, rules.then
    outside, count = apart.outside, apart.count
    d = lower.shape[0]
    n = rules.n
    own = seed.then
    for r in range(n):
        count[r] = _NO_RIVAL if then[r] == own else 0
    for i in range(d):
        value = seed.values[i]
        for r in range(n):
            # & and not `and`: without branches the loop runs on vectors
            out = np.uint8(1) ^ (np.uint8(lower[i, r] <= value) & np.uint8(value < upper[i, r]))
            outside[i, r] = out
            count[r] += out
    for j in range(rules.starts.size - 1):
        word = rules.starts[j] + (seed.codes[j] >> 6)
        shift = np.uint64(seed.codes[j] & 63)
        for r in range(n):
            out = np.uint8(1) ^ np.uint8((masks[word, r] >> shift) & np.uint64(1))
            outside[d + j, r] = out
            count[r] += out
    for r in range(n):
        if count[r] == 0:
            return r
    return -1


@inline
def _any_stops(n, axis, apart):
    """Return whether the box is apart from some rule on this axis alone."""
    outside, count = apart.outside, apart.count
    found = np.uint8(0)
    for r in range(n):
        found |= outside[axis, r] & np.uint8(count[r] == 1)
    return found != 0


@inline
def _limit_interval(rules, axis, value, apart):
    """Return how far the box can grow on a continuous axis.

    What stops it are the rules that it is apart from on this axis alone.
    """
    low = -np.inf
    high = np.inf
    if not _any_stops(rules.n, axis, apart):
        return low, high
    lower, upper, outside, count = rules.lower, rules.upper, apart.outside, apart.count
    for r in range(rules.n):
        if count[r] == 1 and outside[axis, r]:
            if value < lower[axis, r]:
                high = min(high, lower[axis, r])
            else:
                low = max(low, upper[axis, r])
    if value == -np.inf and high <= rules.lowest[axis]:
        high = _LOWEST  # nothing lies between "missing" and the lowest value
    return low, high


@inline
def _limit_values(rules, axis, words, apart):
    """Fill ``words`` with the values that the box can take on a categorical axis."""
    j = axis - rules.lower.shape[0]
    start = rules.starts[j]
    stop = rules.starts[j + 1]
    for w in range(start, stop):
        words[w] = rules.everything[w]
    masks, outside, count = rules.masks, apart.outside, apart.count
    for r in range(rules.n):
        if count[r] == 1 and outside[axis, r]:
            for w in range(start, stop):
                words[w] &= ~masks[w, r]


@inline
def _grow_interval(rules, axis, low, high, apart):
    """Take into account that the box now spans ``[low, high)`` on a continuous axis."""
    lower, upper, outside, count = rules.lower, rules.upper, apart.outside, apart.count
    if low == -np.inf and high == np.inf:
        for r in range(rules.n):
            count[r] -= outside[axis, r]
    else:
        for r in range(rules.n):
            meets = np.uint8(lower[axis, r] < high) & np.uint8(low < upper[axis, r])
            count[r] -= outside[axis, r] & meets


@inline
def _grow_values(rules, axis, words, apart):
    """Take into account that the box now holds the values ``words`` of a categorical axis."""
    j = axis - rules.lower.shape[0]
    masks, outside, count = rules.masks, apart.outside, apart.count
    start = rules.starts[j]
    stop = rules.starts[j + 1]
    for r in range(rules.n):
        if outside[axis, r]:
            for w in range(start, stop):
                if masks[w, r] & words[w]:
                    count[r] -= 1
                    break


@inline
def _limit(rules, seed, axis, box, apart):
    """Set one side of a box to how far it can grow there."""
    if axis < rules.lower.shape[0]:
        low, high = _limit_interval(rules, axis, seed.values[axis], apart)
        box.lower[axis] = low
        box.upper[axis] = high
    else:
        _limit_values(rules, axis, box.masks, apart)


@inline
def _grow(rules, axis, box, apart):
    """Take into account how far a box has grown on an axis."""
    if axis < rules.lower.shape[0]:
        _grow_interval(rules, axis, box.lower[axis], box.upper[axis], apart)
    else:
        _grow_values(rules, axis, box.masks, apart)


@jit
def _enlarge(rules, seed, box, apart):
    covered = _stand_apart(rules, seed, apart)
    if covered >= 0:
        return covered
    for axis in seed.order:
        _limit(rules, seed, axis, box, apart)
        _grow(rules, axis, box, apart)
    return -1


@jit
def enlarge(rules, seed, boxes):
    """Grow the first of the boxes around a seed, axis by axis; return a covering rival or -1.

    Algorithm 2 of the paper in O(features x rules): instead of testing every other axis again for
    each rule, count on how many the box is still apart from it.
    """
    rules = Rules(*rules)
    seed = Seed(*seed)
    outside = np.empty((seed.order.size, rules.n), dtype=np.uint8)
    apart = Apart(outside, np.empty(rules.n, dtype=np.int16))
    lower, upper, masks = boxes
    return _enlarge(rules, seed, Box(lower[0], upper[0], masks[0]), apart)


@jit
def enlarge_many(rules, seeds, boxes, covered, first, last):
    """Do :func:`enlarge` for a range of seeds: a row of the outputs each."""
    outside = np.empty((seeds.order.shape[1], rules.n), dtype=np.uint8)
    apart = Apart(outside, np.empty(rules.n, dtype=np.int16))
    for s in range(first, last):
        seed = Seed(seeds.values[s], seeds.codes[s], seeds.order[s], seeds.then[s])
        box = Box(boxes.lower[s], boxes.upper[s], boxes.masks[s])
        covered[s] = _enlarge(rules, seed, box, apart)


# --- one step at a time: for a search over the orders


@jit
def stand_apart(rules, seed, apart):
    """Note where each rule stands apart from the seed; return a covering rival or -1."""
    return _stand_apart(Rules(*rules), Seed(*seed), Apart(*apart))


@jit
def limit(rules, seed, box, apart):
    """Set each side of a box that the seed's order names to how far it could grow next."""
    rules = Rules(*rules)
    seed = Seed(*seed)
    for axis in seed.order:
        _limit(rules, seed, axis, Box(*box), Apart(*apart))


@jit
def grow(rules, axis, box, apart):
    """Take into account how far a box has grown on an axis."""
    _grow(Rules(*rules), axis, Box(*box), Apart(*apart))
