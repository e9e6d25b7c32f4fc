"""Compiled code on overlaps: the pairs of rules that have a point in common."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irenic.kernels._jit import inline, jit
from irenic.kernels.structs import Box, Rules

# Below this many rules every pair is tested: finding a cut costs more than it saves.
_SMALL = 24
# Rules of a node that are looked at to choose its cut, and cuts that are tried on each axis.
_SAMPLE = 128
_CUTS = 8
# A cut must leave at most this share of the pairs, else all pairs of the node are tested.
_WORTH = 0.6
# Below this many rules bitmaps find the pairs faster than more cuts would.
_DIRECT = 1024
# Bins of a bitmap index on each axis, the words that are ANDed together, the depth of the stack.
_BINS = 32
_CHUNK = 8
_DEPTH = 256


class Extents(NamedTuple):
    """Rules as boxes of intervals, with a row each: a set of values is the span of its codes."""

    low: Any
    """``float64[n, axes]``."""
    high: Any
    """``float64[n, axes]``."""
    masks: Any
    """The sets themselves, ``uint64[words, room]``."""
    starts: Any
    """``int64[sets + 1]``."""
    then: Any
    """``int32[room]``."""


class Node(NamedTuple):
    """A part of the space."""

    low: Any
    """``float64[axes]``."""
    high: Any
    """``float64[axes]``."""
    order: Any
    """The axes, those that divide its rules best first, ``int64[axes]``."""


class Pairs(NamedTuple):
    """The pairs found so far: ``left[k] < right[k]`` for ``k`` below ``found``."""

    left: Any
    """``int32[room]``."""
    right: Any
    """``int32[room]``."""
    found: Any


@jit
def meeting(rules, box, out):
    """Fill ``out[r]`` with whether rule ``r`` and a box have a point in common."""
    rules = Rules(*rules)
    box = Box(*box)
    lower, upper, masks, starts = rules.lower, rules.upper, rules.masks, rules.starts
    for r in range(rules.n):
        out[r] = True
    for i in range(lower.shape[0]):
        low = box.lower[i]
        high = box.upper[i]
        if low == -np.inf and high == np.inf:
            continue
        for r in range(rules.n):
            out[r] &= (lower[i, r] < high) & (low < upper[i, r])
    words = box.masks
    for j in range(starts.size - 1):
        for r in range(rules.n):
            if out[r]:
                shared = False
                for w in range(starts[j], starts[j + 1]):
                    if masks[w, r] & words[w]:
                        shared = True
                out[r] = shared


# Copies and unions as loops: numba takes seconds to compile numpy's for each pair of array types.


@jit
def _copy(target, source):
    """Copy a vector into another one of at least its size."""
    for i in range(source.size):
        target[i] = source[i]


@jit
def _join(target, source):
    """Add the bits of a vector of words to another one."""
    for i in range(source.size):
        target[i] |= source[i]


@inline
def _sets_meet(rules, a, b):
    """Return whether rules ``a`` and ``b`` share a value of every categorical feature."""
    for j in range(rules.starts.size - 1):
        shared = False
        for w in range(rules.starts[j], rules.starts[j + 1]):
            if rules.masks[w, a] & rules.masks[w, b]:
                shared = True
                break
        if not shared:
            return False
    return True


@jit
def _lowest_bit(word):
    """Return the place of the lowest bit that is set in a word that is not 0."""
    bit = 0
    for step in (32, 16, 8, 4, 2, 1):
        if not word & ((np.uint64(1) << np.uint64(step)) - np.uint64(1)):
            word >>= np.uint64(step)
            bit += step
    return bit


@jit
def _extents(rules):
    """Return the rules as boxes of intervals."""
    d = rules.lower.shape[0]
    starts = rules.starts
    axes = d + starts.size - 1
    low = np.empty((rules.n, axes))
    high = np.empty((rules.n, axes))
    for r in range(rules.n):
        for i in range(d):
            low[r, i] = rules.lower[i, r]
            high[r, i] = rules.upper[i, r]
        for j in range(starts.size - 1):
            least = -1
            most = -1
            for w in range(starts[j], starts[j + 1]):
                word = rules.masks[w, r]
                if word:
                    if least < 0:
                        least = (w - starts[j]) * 64 + _lowest_bit(word)
                    bit = 63
                    while not (word >> np.uint64(bit)) & np.uint64(1):
                        bit -= 1
                    most = (w - starts[j]) * 64 + bit
            low[r, d + j] = least
            high[r, d + j] = most + 1
    return Extents(low, high, rules.masks, starts, rules.then)


@jit
def _sort(values, n):
    """Sort the first ``n`` values (comb sort): numba takes seconds to compile numpy's."""
    gap = n
    swapped = True
    while gap > 1 or swapped:
        gap = max(1, gap * 10 // 13)
        swapped = False
        for i in range(n - gap):
            if values[i] > values[i + gap]:
                values[i], values[i + gap] = values[i + gap], values[i]
                swapped = True


@jit
def _count_below(edges, n_edges, key, inclusive):
    """Return how many of the sorted edges are below ``key`` (or equal to it, if inclusive)."""
    first = 0
    last = n_edges
    while first < last:
        middle = (first + last) >> 1
        if edges[middle] < key or (inclusive and edges[middle] == key):
            first = middle + 1
        else:
            last = middle
    return first


@jit
def _choose_cut(rules, items, node):
    """Return the axis and value that divide the items best, -1 for no cut; rank the axes too.

    A cut at ``v`` sends to the left the items that begin below it, to the right those that end
    above it; its score is the sum of the squares of both counts, the pairs left to test.
    """
    count = items.size
    stride = max(1, count // _SAMPLE)
    seen = (count + stride - 1) // stride
    axes = rules.low.shape[1]
    cuts = np.empty(_CUTS)
    starts_below = np.empty(_CUTS + 1, dtype=np.int64)
    ends_below = np.empty(_CUTS + 1, dtype=np.int64)
    scores = np.empty(axes)
    best_axis = -1
    best_value = 0.0
    best_score = np.inf
    for a in range(axes):
        scores[a] = np.inf
        # candidates: bounds of items spread over the node, lower and upper in turn
        found = 0
        every = max(1, seen // _CUTS)
        for s in range(0, seen, every):
            if found == _CUTS:
                break
            item = items[s * stride]
            value = rules.low[item, a]
            if not (node.low[a] < value < node.high[a]):
                value = rules.high[item, a]
            if node.low[a] < value < node.high[a]:
                cuts[found] = value
                found += 1
        if found == 0:
            continue
        _sort(cuts, found)
        starts_below[:] = 0
        ends_below[:] = 0
        for s in range(seen):
            item = items[s * stride]
            # item begins below cuts[c] for c > position of low; ends at or below from that of high
            starts_below[_count_below(cuts, found, rules.low[item, a], True)] += 1
            ends_below[_count_below(cuts, found, rules.high[item, a], False)] += 1
        left = 0
        gone = 0
        for c in range(found):
            left += starts_below[c]
            gone += ends_below[c]
            right = seen - gone
            score = float(left) * left + float(right) * right
            if score < scores[a]:
                scores[a] = score
                if score < best_score:
                    best_score = score
                    best_axis = a
                    best_value = cuts[c]
    for a in range(axes):  # by insertion: there are few
        place = a
        while place and scores[node.order[place - 1]] > scores[a]:
            node.order[place] = node.order[place - 1]
            place -= 1
        node.order[place] = a
    if best_score > _WORTH * float(seen) * seen:
        best_axis = -1
    return best_axis, best_value


@jit
def _grow(array):
    bigger = np.empty(array.size * 2, dtype=array.dtype)
    _copy(bigger, array)
    return bigger


@inline
def _reference_inside(rules, a, b, node):
    """Return whether the lowest corner of what two rules share lies in a node.

    The leaves divide the space, so each pair is reported by exactly one of them.
    """
    starts = rules.starts
    d = rules.low.shape[1] - starts.size + 1
    for i in range(d):
        corner = max(rules.low[a, i], rules.low[b, i])
        if not (node.low[i] <= corner < node.high[i]):
            return False
    for j in range(starts.size - 1):
        for w in range(starts[j], starts[j + 1]):
            shared = rules.masks[w, a] & rules.masks[w, b]
            if shared:
                corner = (w - starts[j]) * 64 + _lowest_bit(shared)
                if not (node.low[d + j] <= corner < node.high[d + j]):
                    return False
                break
    return True


@inline
def _is_pair(rules, a, b, node):
    """Return whether two rules overlap, and this node is the one to say so."""
    low, high, order = rules.low, rules.high, node.order
    for o in range(order.size):
        x = order[o]
        if low[a, x] >= high[b, x] or low[b, x] >= high[a, x]:
            return False
    return _sets_meet(rules, a, b) and _reference_inside(rules, a, b, node)


@jit
def _edges_of(bounds, items, axis, edges):
    """Fill ``edges`` with quantiles of the rules' bounds on one axis, from a sample of them."""
    n = items.size
    size = min(n, 16 * edges.size)
    sample = np.empty(size)
    for s in range(size):
        sample[s] = bounds[items[s * n // size], axis]
    _sort(sample, size)
    for k in range(edges.size):
        edges[k] = sample[k * size // edges.size]


@jit
def _candidates(rules, items, order):
    """Return bitmaps that tell, with a few ANDs, which rules may overlap a rule.

    ``start_maps[o, k]`` holds the rules that begin below the edge ``k`` of axis ``o``,
    ``end_maps[o, k]`` those that end above it, the last row of each all rules. A rule's own
    bounds are rounded outwards to edges (``start_row``, ``end_row``), so that no pair is lost.
    """
    n = items.size
    axes = order.size
    start_maps = np.zeros((axes, _BINS + 1, (n + 63) // 64), dtype=np.uint64)
    end_maps = np.zeros((axes, _BINS + 1, (n + 63) // 64), dtype=np.uint64)
    start_row = np.empty((n, axes), dtype=np.int64)
    end_row = np.empty((n, axes), dtype=np.int64)
    start_edges = np.empty(_BINS)
    end_edges = np.empty(_BINS)
    for o in range(axes):
        x = order[o]
        _edges_of(rules.low, items, x, start_edges)
        _edges_of(rules.high, items, x, end_edges)
        for s in range(n):
            begin = rules.low[items[s], x]
            end = rules.high[items[s], x]
            word = s >> 6
            bit = np.uint64(1) << np.uint64(s & 63)
            # the first edge above the beginning; later edges follow below
            start_maps[o, _count_below(start_edges, _BINS, begin, True), word] |= bit
            # the last edge below the end (or, before all edges, the row of all rules)
            k = _count_below(end_edges, _BINS, end, False) - 1
            end_maps[o, k if k >= 0 else _BINS, word] |= bit
            start_row[s, o] = _count_below(start_edges, _BINS, end, False)
            k = _count_below(end_edges, _BINS, begin, True) - 1
            end_row[s, o] = k if k >= 0 else _BINS
        for k in range(_BINS):
            _join(start_maps[o, k + 1], start_maps[o, k])
        for k in range(_BINS - 2, -1, -1):
            _join(end_maps[o, k], end_maps[o, k + 1])
        _join(end_maps[o, _BINS], end_maps[o, 0])
    return start_maps, end_maps, start_row, end_row


@jit
def _note(pairs, a, b):
    """Return the pairs with one more."""
    left = pairs.left
    right = pairs.right
    if pairs.found == left.size:
        left = _grow(left)
        right = _grow(right)
    left[pairs.found] = min(a, b)
    right[pairs.found] = max(a, b)
    return Pairs(left, right, pairs.found + 1)


@jit
def _pairs_by_bitmaps(rules, items, node, same, pairs, limit):
    """Return the pairs with those among some rules, many candidates looked at together."""
    start_maps, end_maps, start_row, end_row = _candidates(rules, items, node.order)
    n = items.size
    words = (n + 63) // 64
    one = np.uint64(1)
    chunk = np.empty(_CHUNK, dtype=np.uint64)
    for s in range(n):
        a = items[s]
        for begin in range(s >> 6, words, _CHUNK):
            size = min(_CHUNK, words - begin)
            for w in range(size):
                chunk[w] = ~np.uint64(0)
            for o in range(node.order.size):
                starting = start_maps[o, start_row[s, o], begin : begin + size]
                ending = end_maps[o, end_row[s, o], begin : begin + size]
                left_over = np.uint64(0)
                for w in range(size):
                    chunk[w] &= starting[w] & ending[w]
                    left_over |= chunk[w]
                if not left_over:
                    break
            else:
                for w in range(size):
                    word = chunk[w]
                    while word:
                        lowest = word & (~word + one)
                        word ^= lowest
                        t = ((begin + w) << 6) + _lowest_bit(lowest)
                        b = items[t]
                        if t <= s or (rules.then[a] == rules.then[b]) != same:
                            continue
                        if _is_pair(rules, a, b, node):
                            pairs = _note(pairs, a, b)
                            if pairs.found >= limit:
                                return pairs
    return pairs


@jit
def _pairs_one_by_one(rules, items, node, same, pairs, limit):
    """Return the pairs with those among a few rules."""
    for s in range(items.size):
        a = items[s]
        for t in range(s + 1, items.size):
            b = items[t]
            if (rules.then[a] == rules.then[b]) != same:
                continue
            if _is_pair(rules, a, b, node):
                pairs = _note(pairs, a, b)
                if pairs.found >= limit:
                    return pairs
    return pairs


@jit
def _is_uniform(then, items):
    """Return whether all items have one consequent."""
    for s in range(1, items.size):
        if then[items[s]] != then[items[0]]:
            return False
    return True


@jit
def overlapping_pairs(rules, same, limit):
    """Return the pairs of rules that overlap and whose consequents are the same (or differ).

    The space is cut in two again and again, where it divides the rules best; a rule that a cut
    goes through stays on both sides. Where no cut helps, or few rules are left, all pairs are
    tested. At most ``limit`` pairs are returned.
    """
    rules = Rules(*rules)
    n = rules.n
    extents = _extents(rules)
    axes = extents.low.shape[1]
    pairs = Pairs(np.empty(1024, dtype=np.int32), np.empty(1024, dtype=np.int32), 0)
    # A stack of nodes; the items of the top one lie at the end of those in use.
    items = np.empty(max(3 * n, 16), dtype=np.int32)
    for r in range(n):
        items[r] = r
    node_begin = np.zeros(_DEPTH, dtype=np.int64)
    node_end = np.full(_DEPTH, n, dtype=np.int64)
    box_low = np.full((_DEPTH, axes), -np.inf)
    box_high = np.full((_DEPTH, axes), np.inf)
    node = Node(np.empty(axes), np.empty(axes), np.arange(axes))
    depth = 1
    while depth:
        depth -= 1
        begin = node_begin[depth]
        end = node_end[depth]
        count = end - begin
        _copy(node.low, box_low[depth])
        _copy(node.high, box_high[depth])
        if count < 2 or (not same and _is_uniform(rules.then, items[begin:end])):
            continue
        axis = -1
        value = 0.0
        if count > _DIRECT and depth + 2 < _DEPTH:
            axis, value = _choose_cut(extents, items[begin:end], node)
        if axis >= 0:
            while items.size < end + 2 * count:
                items = _grow(items)
            top = end
            for s in range(begin, end):
                items[top] = items[s]
                top += extents.low[items[s], axis] < value
            middle = top
            for s in range(begin, end):
                items[top] = items[s]
                top += extents.high[items[s], axis] > value
            # The children take their parent's place, the left one below the right one.
            size = top - end
            for s in range(size):
                items[begin + s] = items[end + s]
            middle -= end - begin
            for child in range(2):
                node_begin[depth] = begin if child == 0 else middle
                node_end[depth] = middle if child == 0 else begin + size
                _copy(box_low[depth], node.low)
                _copy(box_high[depth], node.high)
                if child == 0:
                    box_high[depth, axis] = value
                else:
                    box_low[depth, axis] = value
                depth += 1
            continue
        leaf = items[begin:end].copy()
        if count > _SMALL and axes:
            pairs = _pairs_by_bitmaps(extents, leaf, node, same, pairs, limit)
        else:
            pairs = _pairs_one_by_one(extents, leaf, node, same, pairs, limit)
        if pairs.found >= limit:
            break
    return pairs.left[: pairs.found], pairs.right[: pairs.found]
