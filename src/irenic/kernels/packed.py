"""Compiled code on packed rules: arrays and scalars in, arrays out, nothing checked.

Functions that call each other stand in one file because numba's cache does not notice a change in
a function of another one. Rules come packed in columns: ``lower[i, r]`` and ``upper[i, r]`` for
continuous feature ``i``, and ``masks[w, r]`` for the words of the categorical features, those of
feature ``j`` from ``starts[j]`` to ``starts[j + 1]``. The arrays may have room for more rules than
there are: only the first ``n`` count. Instances come as ``values[i, k]`` and ``codes[j, k]``.
"""

from __future__ import annotations

import numpy as np

from irenic.kernels._jit import jit as _jit

# Rows that are tested together: 20 features of 512 float64 fit the second-level cache.
_BLOCK = 512
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
# A count of axes that stays above 1 however many are taken off: the rule is no rival.
_NO_RIVAL = 1 << 14
# The lowest float64: where values that are not missing begin.
_LOWEST = -np.finfo(np.float64).max


# Copies and unions as loops: numba takes seconds to compile numpy's for each pair of array types.


@_jit
def _copy(target, source):
    """Copy a vector into another one of at least its size."""
    for i in range(source.size):
        target[i] = source[i]


@_jit
def _join(target, source):
    """Add the bits of a vector of words to another one."""
    for i in range(source.size):
        target[i] |= source[i]


@_jit
def _cover_block(values, codes, lower, upper, masks, starts, everything, r, first, last, inside):
    """Set ``inside[k]`` to 1 where rule ``r`` covers instance ``first + k``; return how many."""
    size = last - first
    tested = 0
    for k in range(size):
        inside[k] = 1
    for i in range(lower.shape[0]):
        low = lower[i, r]
        high = upper[i, r]
        if low == -np.inf and high == np.inf:
            continue
        row = values[i, first:last]
        for k in range(size):
            inside[k] &= np.uint8(row[k] >= low) & np.uint8(row[k] < high)
        tested += 1
        if tested & 3 == 0:  # looking after every feature costs more than it saves
            left = np.uint8(0)
            for k in range(size):
                left |= inside[k]
            if not left:
                return 0
    one = np.uint64(1)
    for j in range(starts.size - 1):
        restricted = False
        for w in range(starts[j], starts[j + 1]):
            if masks[w, r] & everything[w] != everything[w]:
                restricted = True
        if restricted:
            start = starts[j]
            for k in range(size):
                code = codes[j, first + k]
                word = masks[start + (code >> 6), r]
                inside[k] &= np.uint8((word >> np.uint64(code & 63)) & one)
    count = np.int64(0)
    for k in range(size):
        count += np.int64(inside[k])  # without the JIT, uint8 would stay uint8
    return count


@_jit
def covering(values, codes, lower, upper, masks, starts, everything, first, last, out):
    """Fill ``out[r, k]`` with whether rule ``r`` covers instance ``k``, for a range of rows."""
    n = out.shape[0]
    for begin in range(first, last, _BLOCK):
        end = min(begin + _BLOCK, last)
        for r in range(n):
            _cover_block(
                values,
                codes,
                lower,
                upper,
                masks,
                starts,
                everything,
                r,
                begin,
                end,
                out[r, begin:end],
            )


@_jit
def deciding(values, codes, lower, upper, masks, starts, everything, order, first, last, out):
    """Fill ``out[k]`` with the first rule of ``order`` that covers instance ``k``, -1 for none."""
    inside = np.empty(_BLOCK, dtype=np.uint8)
    for begin in range(first, last, _BLOCK):
        end = min(begin + _BLOCK, last)
        left = end - begin
        for k in range(begin, end):
            out[k] = -1
        for r in order:
            count = _cover_block(
                values, codes, lower, upper, masks, starts, everything, r, begin, end, inside
            )
            if count == 0:
                continue
            for k in range(end - begin):
                if inside[k] and out[begin + k] < 0:
                    out[begin + k] = r
                    left -= 1
            if left == 0:
                break


@_jit
def voting(
    values,
    codes,
    lower,
    upper,
    masks,
    starts,
    everything,
    then,
    weight,
    n,
    n_thens,
    first,
    last,
    out,
):
    """Fill ``out[k]`` with the first rule of the consequent of most weight, -1 for none.

    Of several consequents with the same weight the one whose rule comes first is taken.
    """
    inside = np.empty(_BLOCK, dtype=np.uint8)
    tally = np.empty((_BLOCK, n_thens))
    rank = np.empty((_BLOCK, n_thens), dtype=np.int64)
    for begin in range(first, last, _BLOCK):
        end = min(begin + _BLOCK, last)
        tally[:] = 0.0
        rank[:] = n
        for r in range(n):
            if (
                _cover_block(
                    values, codes, lower, upper, masks, starts, everything, r, begin, end, inside
                )
                == 0
            ):
                continue
            for k in range(end - begin):
                if inside[k]:
                    tally[k, then[r]] += weight[r]
                    rank[k, then[r]] = min(rank[k, then[r]], r)
        for k in range(end - begin):
            best = -1
            for c in range(n_thens):
                if rank[k, c] == n:
                    continue
                if (
                    best < 0
                    or tally[k, c] > tally[k, best]
                    or (tally[k, c] == tally[k, best] and rank[k, c] < rank[k, best])
                ):
                    best = c
            out[begin + k] = rank[k, best] if best >= 0 else -1


@_jit
def counting(
    values, codes, lower, upper, masks, starts, everything, labels, conditions, n, mix, size
):
    """Fill ``mix[r, label]`` with how many instances of each label rule ``r`` covers.

    ``size[k]`` becomes the summed number of conditions of all rules that cover instance ``k``.
    """
    inside = np.empty(_BLOCK, dtype=np.uint8)
    total = size.size
    for begin in range(0, total, _BLOCK):
        end = min(begin + _BLOCK, total)
        for r in range(n):
            if (
                _cover_block(
                    values, codes, lower, upper, masks, starts, everything, r, begin, end, inside
                )
                == 0
            ):
                continue
            for k in range(end - begin):
                if inside[k]:
                    mix[r, labels[begin + k]] += 1
                    size[begin + k] += conditions[r]


@_jit
def _sets_meet(masks, starts, a, b):
    """Return whether rules ``a`` and ``b`` share a value of every categorical feature."""
    for j in range(starts.size - 1):
        shared = False
        for w in range(starts[j], starts[j + 1]):
            if masks[w, a] & masks[w, b]:
                shared = True
                break
        if not shared:
            return False
    return True


@_jit
def meeting(lower, upper, masks, starts, n, box_lower, box_upper, box_masks, out):
    """Fill ``out[r]`` with whether rule ``r`` and a box have a point in common."""
    for r in range(n):
        out[r] = True
    for i in range(lower.shape[0]):
        low = box_lower[i]
        high = box_upper[i]
        if low == -np.inf and high == np.inf:
            continue
        for r in range(n):
            out[r] &= (lower[i, r] < high) & (low < upper[i, r])
    for j in range(starts.size - 1):
        for r in range(n):
            if out[r]:
                shared = False
                for w in range(starts[j], starts[j + 1]):
                    if masks[w, r] & box_masks[w]:
                        shared = True
                out[r] = shared


# --- overlapping pairs


@_jit
def _lowest_bit(word):
    """Return the place of the lowest bit that is set in a word that is not 0."""
    bit = 0
    for step in (32, 16, 8, 4, 2, 1):
        if not word & ((np.uint64(1) << np.uint64(step)) - np.uint64(1)):
            word >>= np.uint64(step)
            bit += step
    return bit


@_jit
def _extents(lower, upper, masks, starts, n):
    """Return the rules as boxes with a row each: intervals, and the span of codes of each set."""
    d = lower.shape[0]
    axes = d + starts.size - 1
    low = np.empty((n, axes))
    high = np.empty((n, axes))
    for r in range(n):
        for i in range(d):
            low[r, i] = lower[i, r]
            high[r, i] = upper[i, r]
        for j in range(starts.size - 1):
            least = -1
            most = -1
            for w in range(starts[j], starts[j + 1]):
                word = masks[w, r]
                if word:
                    if least < 0:
                        least = (w - starts[j]) * 64 + _lowest_bit(word)
                    bit = 63
                    while not (word >> np.uint64(bit)) & np.uint64(1):
                        bit -= 1
                    most = (w - starts[j]) * 64 + bit
            low[r, d + j] = least
            high[r, d + j] = most + 1
    return low, high


@_jit
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


@_jit
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


@_jit
def _choose_cut(low, high, items, begin, end, box_low, box_high, axis_order):
    """Return the axis and value that divide the items best, -1 for no cut; rank the axes too.

    A cut at ``v`` sends to the left the items that begin below it, to the right those that end
    above it; its score is the sum of the squares of both counts, the pairs left to test.
    """
    count = end - begin
    stride = max(1, count // _SAMPLE)
    seen = (count + stride - 1) // stride
    axes = low.shape[1]
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
            item = items[begin + s * stride]
            value = low[item, a]
            if not (box_low[a] < value < box_high[a]):
                value = high[item, a]
            if box_low[a] < value < box_high[a]:
                cuts[found] = value
                found += 1
        if found == 0:
            continue
        _sort(cuts, found)
        starts_below[:] = 0
        ends_below[:] = 0
        for s in range(seen):
            item = items[begin + s * stride]
            # item begins below cuts[c] for c > position of low; ends at or below from that of high
            starts_below[_count_below(cuts, found, low[item, a], True)] += 1
            ends_below[_count_below(cuts, found, high[item, a], False)] += 1
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
        while place and scores[axis_order[place - 1]] > scores[a]:
            axis_order[place] = axis_order[place - 1]
            place -= 1
        axis_order[place] = a
    if best_score > _WORTH * float(seen) * seen:
        best_axis = -1
    return best_axis, best_value


@_jit
def _grow(array):
    bigger = np.empty(array.size * 2, dtype=array.dtype)
    _copy(bigger, array)
    return bigger


@_jit
def _reference_inside(low, masks, starts, d, a, b, box_low, box_high):
    """Return whether the lowest corner of what two rules share lies in the node's box.

    The boxes of the leaves divide the space, so each pair is reported by exactly one of them.
    """
    for i in range(d):
        corner = max(low[a, i], low[b, i])
        if not (box_low[i] <= corner < box_high[i]):
            return False
    for j in range(starts.size - 1):
        for w in range(starts[j], starts[j + 1]):
            shared = masks[w, a] & masks[w, b]
            if shared:
                corner = (w - starts[j]) * 64 + _lowest_bit(shared)
                if not (box_low[d + j] <= corner < box_high[d + j]):
                    return False
                break
    return True


@_jit
def _is_pair(low, high, masks, starts, d, a, b, axis_order, box_low, box_high):
    """Return whether two rules overlap, and this node is the one to say so."""
    for o in range(axis_order.size):
        x = axis_order[o]
        if low[a, x] >= high[b, x] or low[b, x] >= high[a, x]:
            return False
    return _sets_meet(masks, starts, a, b) and _reference_inside(
        low, masks, starts, d, a, b, box_low, box_high
    )


@_jit
def _edges_of(bounds, rules, axis, edges):
    """Fill ``edges`` with quantiles of the rules' bounds on one axis, from a sample of them."""
    n = rules.size
    size = min(n, 16 * edges.size)
    sample = np.empty(size)
    for s in range(size):
        sample[s] = bounds[rules[s * n // size], axis]
    _sort(sample, size)
    for k in range(edges.size):
        edges[k] = sample[k * size // edges.size]


@_jit
def _candidates(low, high, rules, axis_order):
    """Return bitmaps that tell, with a few ANDs, which rules may overlap a rule.

    ``start_maps[o, k]`` holds the rules that begin below the edge ``k`` of axis ``o``,
    ``end_maps[o, k]`` those that end above it, the last row of each all rules. A rule's own
    bounds are rounded outwards to edges (``start_row``, ``end_row``), so that no pair is lost.
    """
    n = rules.size
    axes = axis_order.size
    start_maps = np.zeros((axes, _BINS + 1, (n + 63) // 64), dtype=np.uint64)
    end_maps = np.zeros((axes, _BINS + 1, (n + 63) // 64), dtype=np.uint64)
    start_row = np.empty((n, axes), dtype=np.int64)
    end_row = np.empty((n, axes), dtype=np.int64)
    start_edges = np.empty(_BINS)
    end_edges = np.empty(_BINS)
    for o in range(axes):
        x = axis_order[o]
        _edges_of(low, rules, x, start_edges)
        _edges_of(high, rules, x, end_edges)
        for s in range(n):
            begin = low[rules[s], x]
            end = high[rules[s], x]
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


@_jit
def _note(left, right, found, a, b):
    """Write down a pair; return the lists, larger ones if they were full."""
    if found == left.size:
        left = _grow(left)
        right = _grow(right)
    left[found] = min(a, b)
    right[found] = max(a, b)
    return left, right


@_jit
def _pairs_by_bitmaps(
    low, high, masks, starts, then, d, rules, same, axis_order, box_low, box_high, left, right,
    found, limit,
):  # fmt: skip
    """Add the pairs among ``rules`` to ``left`` and ``right``, many candidates at a time."""
    start_maps, end_maps, start_row, end_row = _candidates(low, high, rules, axis_order)
    n = rules.size
    words = (n + 63) // 64
    one = np.uint64(1)
    chunk = np.empty(_CHUNK, dtype=np.uint64)
    for s in range(n):
        a = rules[s]
        for begin in range(s >> 6, words, _CHUNK):
            size = min(_CHUNK, words - begin)
            for w in range(size):
                chunk[w] = ~np.uint64(0)
            for o in range(axis_order.size):
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
                        b = rules[t]
                        if t <= s or (then[a] == then[b]) != same:
                            continue
                        if _is_pair(
                            low, high, masks, starts, d, a, b, axis_order, box_low, box_high
                        ):
                            left, right = _note(left, right, found, a, b)
                            found += 1
                            if found >= limit:
                                return left, right, found
    return left, right, found


@_jit
def _pairs_one_by_one(
    low, high, masks, starts, then, d, rules, same, axis_order, box_low, box_high, left, right,
    found, limit,
):  # fmt: skip
    """Add the pairs among a few ``rules`` to ``left`` and ``right``."""
    for s in range(rules.size):
        a = rules[s]
        for t in range(s + 1, rules.size):
            b = rules[t]
            if (then[a] == then[b]) != same:
                continue
            if _is_pair(low, high, masks, starts, d, a, b, axis_order, box_low, box_high):
                left, right = _note(left, right, found, a, b)
                found += 1
                if found >= limit:
                    return left, right, found
    return left, right, found


@_jit
def _is_uniform(then, items):
    """Return whether all items have one consequent."""
    for s in range(1, items.size):
        if then[items[s]] != then[items[0]]:
            return False
    return True


@_jit
def overlapping_pairs(lower, upper, masks, starts, then, n, same, limit):
    """Return the pairs of rules that overlap and whose consequents are the same (or differ).

    The space is cut in two again and again, where it divides the rules best; a rule that a cut
    goes through stays on both sides. Where no cut helps, or few rules are left, all pairs are
    tested. At most ``limit`` pairs are returned.
    """
    d = lower.shape[0]
    low, high = _extents(lower, upper, masks, starts, n)
    axes = low.shape[1]
    left = np.empty(1024, dtype=np.int32)
    right = np.empty(1024, dtype=np.int32)
    found = 0
    # A stack of nodes; the items of the top one lie at the end of those in use.
    items = np.empty(max(3 * n, 16), dtype=np.int32)
    for r in range(n):
        items[r] = r
    node_begin = np.zeros(_DEPTH, dtype=np.int64)
    node_end = np.full(_DEPTH, n, dtype=np.int64)
    box_low = np.full((_DEPTH, axes), -np.inf)
    box_high = np.full((_DEPTH, axes), np.inf)
    here_low = np.empty(axes)
    here_high = np.empty(axes)
    axis_order = np.arange(axes)
    depth = 1
    while depth:
        depth -= 1
        begin = node_begin[depth]
        end = node_end[depth]
        count = end - begin
        _copy(here_low, box_low[depth])
        _copy(here_high, box_high[depth])
        if count < 2 or (not same and _is_uniform(then, items[begin:end])):
            continue
        axis = -1
        value = 0.0
        if count > _DIRECT and depth + 2 < _DEPTH:
            axis, value = _choose_cut(low, high, items, begin, end, here_low, here_high, axis_order)
        if axis >= 0:
            while items.size < end + 2 * count:
                items = _grow(items)
            top = end
            for s in range(begin, end):
                items[top] = items[s]
                top += low[items[s], axis] < value
            middle = top
            for s in range(begin, end):
                items[top] = items[s]
                top += high[items[s], axis] > value
            # The children take their parent's place, the left one below the right one.
            size = top - end
            for s in range(size):
                items[begin + s] = items[end + s]
            middle -= end - begin
            for child in range(2):
                node_begin[depth] = begin if child == 0 else middle
                node_end[depth] = middle if child == 0 else begin + size
                _copy(box_low[depth], here_low)
                _copy(box_high[depth], here_high)
                if child == 0:
                    box_high[depth, axis] = value
                else:
                    box_low[depth, axis] = value
                depth += 1
            continue
        given = (low, high, masks, starts, then, d, items[begin:end].copy(), same, axis_order)
        if count > _SMALL and axes:
            left, right, found = _pairs_by_bitmaps(
                *given, here_low, here_high, left, right, found, limit
            )
        else:
            left, right, found = _pairs_one_by_one(
                *given, here_low, here_high, left, right, found, limit
            )
        if found >= limit:
            break
    return left[:found], right[:found]


# --- coverage map


@_jit
def update_pool(inside, change, counts, members, place, size):
    """Add ``change`` to the counts where ``inside``; keep the pool of instances with count 0.

    ``members[:size]`` are the pool, ``place[k]`` is where instance ``k`` stands in it (-1: not in
    it); the new size is returned.
    """
    for k in range(inside.size):
        if not inside[k]:
            continue
        before = counts[k]
        counts[k] = before + change
        if before == 0 and change > 0:
            size -= 1
            last = members[size]
            members[place[k]] = last
            place[last] = place[k]
            place[k] = -1
        elif before > 0 and counts[k] == 0:
            members[size] = k
            place[k] = size
            size += 1
    return size


# --- CFSBE: boxes grown round a seed


@_jit
def stand_apart(lower, upper, masks, starts, then, n, code, values, codes, outside, apart):
    """Note on which axes each rule leaves the seed out, and on how many.

    ``outside[a, r]`` is 1 if rule ``r`` does not hold for the seed on axis ``a`` (continuous
    features first); ``apart[r]`` is their number. Rules of the consequent ``code`` are no rivals:
    their count is so high that they never matter. Return the first rival that covers the seed, -1
    for none.
    """
    d = lower.shape[0]
    for r in range(n):
        apart[r] = _NO_RIVAL if then[r] == code else 0
    for i in range(d):
        value = values[i]
        for r in range(n):
            # & and not `and`: without branches the loop runs on vectors
            out = np.uint8(1) ^ (np.uint8(lower[i, r] <= value) & np.uint8(value < upper[i, r]))
            outside[i, r] = out
            apart[r] += out
    for j in range(starts.size - 1):
        word = starts[j] + (codes[j] >> 6)
        shift = np.uint64(codes[j] & 63)
        for r in range(n):
            out = np.uint8(1) ^ np.uint8((masks[word, r] >> shift) & np.uint64(1))
            outside[d + j, r] = out
            apart[r] += out
    for r in range(n):
        if apart[r] == 0:
            return r
    return -1


@_jit
def _any_stops(n, axis, outside, apart):
    """Return whether the box is apart from some rule on this axis alone."""
    found = np.uint8(0)
    for r in range(n):
        found |= outside[axis, r] & np.uint8(apart[r] == 1)
    return found != 0


@_jit
def limit_interval(lower, upper, lowest, n, axis, value, outside, apart):
    """Return how far the box can grow on a continuous axis.

    What stops it are the rules that it is apart from on this axis alone.
    """
    low = -np.inf
    high = np.inf
    if not _any_stops(n, axis, outside, apart):
        return low, high
    for r in range(n):
        if apart[r] == 1 and outside[axis, r]:
            if value < lower[axis, r]:
                high = min(high, lower[axis, r])
            else:
                low = max(low, upper[axis, r])
    if value == -np.inf and high <= lowest[axis]:
        high = _LOWEST  # nothing lies between "missing" and the lowest value
    return low, high


@_jit
def limit_values(masks, starts, everything, n, d, axis, outside, apart, words):
    """Fill ``words`` with the values that the box can take on a categorical axis."""
    start = starts[axis - d]
    stop = starts[axis - d + 1]
    for w in range(start, stop):
        words[w] = everything[w]
    for r in range(n):
        if apart[r] == 1 and outside[axis, r]:
            for w in range(start, stop):
                words[w] &= ~masks[w, r]


@_jit
def grow_interval(lower, upper, n, axis, low, high, outside, apart):
    """Take into account that the box now spans ``[low, high)`` on a continuous axis."""
    if low == -np.inf and high == np.inf:
        for r in range(n):
            apart[r] -= outside[axis, r]
    else:
        for r in range(n):
            meets = np.uint8(lower[axis, r] < high) & np.uint8(low < upper[axis, r])
            apart[r] -= outside[axis, r] & meets


@_jit
def grow_values(masks, starts, n, d, axis, words, outside, apart):
    """Take into account that the box now holds the values ``words`` of a categorical axis."""
    for r in range(n):
        if outside[axis, r]:
            for w in range(starts[axis - d], starts[axis - d + 1]):
                if masks[w, r] & words[w]:
                    apart[r] -= 1
                    break


@_jit
def _enlarge(
    lower, upper, masks, starts, everything, lowest, then, n, code, values, codes, order,
    low, high, words, outside, apart,
):  # fmt: skip
    covered = stand_apart(lower, upper, masks, starts, then, n, code, values, codes, outside, apart)
    if covered >= 0:
        return covered
    d = lower.shape[0]
    for axis in order:
        if axis < d:
            low[axis], high[axis] = limit_interval(
                lower, upper, lowest, n, axis, values[axis], outside, apart
            )
            grow_interval(lower, upper, n, axis, low[axis], high[axis], outside, apart)
        else:
            limit_values(masks, starts, everything, n, d, axis, outside, apart, words)
            grow_values(masks, starts, n, d, axis, words, outside, apart)
    return -1


@_jit
def enlarge(
    lower, upper, masks, starts, everything, lowest, then, n, code, values, codes, order,
    low, high, words,
):  # fmt: skip
    """Grow the box ``low, high, words`` round a seed, axis by axis; return a covering rival or -1.

    Algorithm 2 of the paper in O(features x rules): instead of testing every other axis again for
    each rule, count on how many the box is still apart from it.
    """
    outside = np.empty((order.size, n), dtype=np.uint8)
    apart = np.empty(n, dtype=np.int16)
    return _enlarge(
        lower, upper, masks, starts, everything, lowest, then, n, code, values, codes, order,
        low, high, words, outside, apart,
    )  # fmt: skip


@_jit
def enlarge_many(
    lower, upper, masks, starts, everything, lowest, then, n, code_of, values, codes, orders,
    low, high, words, covered, first, last,
):  # fmt: skip
    """Do :func:`enlarge` for a range of seeds: a row of the outputs each."""
    outside = np.empty((orders.shape[1], n), dtype=np.uint8)
    apart = np.empty(n, dtype=np.int16)
    for s in range(first, last):
        covered[s] = _enlarge(
            lower, upper, masks, starts, everything, lowest, then, n, code_of[s],
            values[s], codes[s], orders[s], low[s], high[s], words[s], outside, apart,
        )  # fmt: skip


# --- gaps: what no rule covers


@_jit
def _covers(low, high, masks, r, box_low, box_high, box_masks):
    """Return whether rule ``r`` holds everywhere in a box."""
    for i in range(box_low.size):
        if low[r, i] > box_low[i] or high[r, i] < box_high[i]:
            return False
    for w in range(box_masks.size):
        if box_masks[w] & ~masks[r, w]:
            return False
    return True


@_jit
def _best_interval_cut(low, high, items, begin, end, axis, box_low, box_high, cuts):
    """Return the score and value of the best cut of a box on a continuous axis."""
    count = end - begin
    stride = max(1, count // _SAMPLE)
    seen = (count + stride - 1) // stride
    found = 0
    for s in range(0, seen, max(1, seen // _CUTS)):
        if found + 2 > cuts.size:
            break
        item = items[begin + s * stride]
        for side in range(2):
            value = low[item, axis] if side == 0 else high[item, axis]
            if box_low[axis] < value < box_high[axis]:
                cuts[found] = value
                found += 1
    best_score = np.inf
    best_value = 0.0
    for c in range(found):
        value = cuts[c]
        left = 0
        right = 0
        for s in range(seen):
            item = items[begin + s * stride]
            left += low[item, axis] < value
            right += high[item, axis] > value
        score = float(max(left, right) + left + right - seen) / seen
        if score < best_score:
            best_score = score
            best_value = value
    return best_score, best_value


@_jit
def _best_set_cut(masks, items, begin, end, start, stop, box_masks):
    """Return the score of the best cut of a box by a rule's set of values, and that rule."""
    count = end - begin
    stride = max(1, count // _SAMPLE)
    seen = (count + stride - 1) // stride
    best_score = np.inf
    best_item = -1
    for c in range(0, seen, max(1, seen // _CUTS)):
        cutter = items[begin + c * stride]
        inside = False
        beyond = False
        for w in range(start, stop):
            inside |= (box_masks[w] & masks[cutter, w]) != 0
            beyond |= (box_masks[w] & ~masks[cutter, w]) != 0
        if not (inside and beyond):
            continue
        left = 0
        right = 0
        for s in range(seen):
            item = items[begin + s * stride]
            meets_left = False
            meets_right = False
            for w in range(start, stop):
                shared = masks[item, w] & box_masks[w]
                meets_left |= (shared & masks[cutter, w]) != 0
                meets_right |= (shared & ~masks[cutter, w]) != 0
            left += meets_left
            right += meets_right
        score = float(max(left, right) + left + right - seen) / seen
        if score < best_score:
            best_score = score
            best_item = cutter
    return best_score, best_item


@_jit
def _carve(low, high, masks, starts, r, box_low, box_high, box_masks, out_low, out_high, out_masks):
    """Write the parts of a box that a single rule leaves; return how many. The box is used up."""
    found = 0
    for i in range(box_low.size):
        if low[r, i] > box_low[i]:
            _copy(out_low[found], box_low)
            _copy(out_high[found], box_high)
            _copy(out_masks[found], box_masks)
            out_high[found, i] = low[r, i]
            found += 1
            box_low[i] = low[r, i]
        if high[r, i] < box_high[i]:
            _copy(out_low[found], box_low)
            _copy(out_high[found], box_high)
            _copy(out_masks[found], box_masks)
            out_low[found, i] = high[r, i]
            found += 1
            box_high[i] = high[r, i]
    for j in range(starts.size - 1):
        beyond = False
        for w in range(starts[j], starts[j + 1]):
            beyond |= (box_masks[w] & ~masks[r, w]) != 0
        if beyond:
            _copy(out_low[found], box_low)
            _copy(out_high[found], box_high)
            _copy(out_masks[found], box_masks)
            for w in range(starts[j], starts[j + 1]):
                out_masks[found, w] &= ~masks[r, w]
                box_masks[w] &= masks[r, w]
            found += 1
    return found


@_jit
def find_gaps(
    low, high, masks, starts, items, node_begin, node_end, box_low, box_high, box_masks,
    depth, max_nodes, out_low, out_high, out_masks,
):  # fmt: skip
    """Go on cutting the boxes on the stack; write those that no rule meets.

    Rules have a row each here: ``low[r, i]``, ``high[r, i]``, ``masks[r, w]``. Node ``k`` of the
    stack is a box with the rules ``items[node_begin[k]:node_end[k]]`` that meet it. Return the
    depth that is left, the boxes found and the nodes looked at. It stops when the stack is empty,
    after ``max_nodes``, or when there might not be room: for more boxes, nodes or items.
    """
    d = low.shape[1]
    sets = starts.size - 1
    cuts = np.empty(2 * _CUTS + 2)
    here_low = np.empty(d)
    here_high = np.empty(d)
    here_masks = np.empty(box_masks.shape[1], dtype=np.uint64)
    found = 0
    nodes = 0
    while depth and nodes < max_nodes:
        top = depth - 1
        begin = node_begin[top]
        end = node_end[top]
        count = end - begin
        if (
            found + 2 * d + sets + 1 > out_low.shape[0]
            or depth + 1 > node_begin.size
            or end + 2 * count > items.size
        ):
            break
        depth -= 1
        nodes += 1
        _copy(here_low, box_low[top])
        _copy(here_high, box_high[top])
        _copy(here_masks, box_masks[top])
        if count == 0:
            _copy(out_low[found], here_low)
            _copy(out_high[found], here_high)
            _copy(out_masks[found], here_masks)
            found += 1
            continue
        covered = False
        for s in range(begin, end):
            if _covers(low, high, masks, items[s], here_low, here_high, here_masks):
                covered = True
                break
        if covered:
            continue
        if count == 1:
            found += _carve(
                low, high, masks, starts, items[begin], here_low, here_high, here_masks,
                out_low[found:], out_high[found:], out_masks[found:],
            )  # fmt: skip
            continue
        best_score = np.inf
        best_axis = -1
        best_value = 0.0
        cutter = -1
        for i in range(d):
            score, value = _best_interval_cut(
                low, high, items, begin, end, i, here_low, here_high, cuts
            )
            if score < best_score:
                best_score = score
                best_axis = i
                best_value = value
        for j in range(sets):
            score, item = _best_set_cut(
                masks, items, begin, end, starts[j], starts[j + 1], here_masks
            )
            if score < best_score:
                best_score = score
                best_axis = d + j
                cutter = item
        # Both children are written behind the parent and then moved over it.
        middle = end
        for s in range(begin, end):
            items[middle] = items[s]
            if best_axis < d:
                middle += low[items[s], best_axis] < best_value
            else:
                middle += _shares(masks, items[s], cutter, starts, best_axis - d, here_masks, True)
        last = middle
        for s in range(begin, end):
            items[last] = items[s]
            if best_axis < d:
                last += high[items[s], best_axis] > best_value
            else:
                last += _shares(masks, items[s], cutter, starts, best_axis - d, here_masks, False)
        size = last - end
        middle -= end - begin
        for s in range(size):
            items[begin + s] = items[end + s]
        for child in range(2):
            node_begin[depth] = begin if child == 0 else middle
            node_end[depth] = middle if child == 0 else begin + size
            _copy(box_low[depth], here_low)
            _copy(box_high[depth], here_high)
            _copy(box_masks[depth], here_masks)
            if best_axis < d:
                if child == 0:
                    box_high[depth, best_axis] = best_value
                else:
                    box_low[depth, best_axis] = best_value
            else:
                for w in range(starts[best_axis - d], starts[best_axis - d + 1]):
                    if child == 0:
                        box_masks[depth, w] &= masks[cutter, w]
                    else:
                        box_masks[depth, w] &= ~masks[cutter, w]
            depth += 1
    return depth, found, nodes


@_jit
def _shares(masks, item, cutter, starts, j, box_masks, inside):
    """Return whether a rule has a value of the box inside (or outside) the cutter's set."""
    for w in range(starts[j], starts[j + 1]):
        side = masks[cutter, w] if inside else ~masks[cutter, w]
        if masks[item, w] & box_masks[w] & side:
            return True
    return False
