"""All compiled code: arrays and scalars in, arrays out, nothing checked.

Everything stands in this one file because numba's cache does not notice a change in a function of
another file. Rules come packed in columns: ``lower[i, r]`` and ``upper[i, r]`` for continuous
feature ``i``, and ``masks[w, r]`` for the words of the categorical features, those of feature
``j`` from ``starts[j]`` to ``starts[j + 1]``. The arrays may have room for more rules than there
are: only the first ``n`` count. Instances come as ``values[i, k]`` and ``codes[j, k]``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_jit = njit(cache=True, nogil=True)

# Rows that are tested together: 20 features of 1,024 float64 fit the second-level cache.
_BLOCK = 1024
# Below this many rules every pair is tested: finding a cut costs more than it saves.
_SMALL = 24
# Rules of a node that are looked at to choose its cut, and cuts that are tried on each axis.
_SAMPLE = 256
_CUTS = 16
# A cut must save at least this share of the pairs, else every pair of the node is tested.
_WORTH = 0.9


@_jit
def _cover_block(values, codes, lower, upper, masks, starts, everything, r, first, last, inside):
    """Set ``inside[k]`` to 1 where rule ``r`` covers instance ``first + k``; return how many."""
    size = last - first
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
    count = 0
    for k in range(size):
        count += inside[k]
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
    """Fill ``out[k]`` with the consequent of most weight among covering rules, -1 for none.

    Of several with the same weight the one whose rule comes first is taken.
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
            out[begin + k] = best


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
    bit = 0
    while not (word >> np.uint64(bit)) & np.uint64(1):
        bit += 1
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
        cuts[:found].sort()
        starts_below[:] = 0
        ends_below[:] = 0
        for s in range(seen):
            item = items[begin + s * stride]
            # item begins below cuts[c] for c > position of low; ends at or below from that of high
            starts_below[np.searchsorted(cuts[:found], low[item, a], side="right")] += 1
            ends_below[np.searchsorted(cuts[:found], high[item, a], side="left")] += 1
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
    axis_order[:] = np.argsort(scores)
    if best_score > _WORTH * float(seen) * seen:
        best_axis = -1
    return best_axis, best_value


@_jit
def _grow(array):
    bigger = np.empty(array.size * 2, dtype=array.dtype)
    bigger[: array.size] = array
    return bigger


@_jit
def _reference_inside(low, high, masks, starts, d, a, b, box_low, box_high):
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
def overlapping_pairs(lower, upper, masks, starts, then, n, same, limit):
    """Return the pairs of rules that overlap and whose consequents are the same (or differ).

    The space is cut in two again and again, where it divides the rules best; a rule that a cut
    goes through stays on both sides. Where no cut helps, or few rules are left, every pair is
    tested. At most ``limit`` pairs are returned.
    """
    d = lower.shape[0]
    low, high = _extents(lower, upper, masks, starts, n)
    axes = low.shape[1]
    left = np.empty(1024, dtype=np.int32)
    right = np.empty(1024, dtype=np.int32)
    found = 0
    # A stack of nodes: the items of the top node lie at the end of `items`.
    items = np.empty(max(2 * n, 16), dtype=np.int32)
    for r in range(n):
        items[r] = r
    node_begin = np.empty(256, dtype=np.int64)
    node_end = np.empty(256, dtype=np.int64)
    box_low = np.full((256, axes), -np.inf)
    box_high = np.full((256, axes), np.inf)
    node_begin[0] = 0
    node_end[0] = n
    depth = 1
    here_low = np.empty(axes)
    here_high = np.empty(axes)
    axis_order = np.arange(axes)
    while depth:
        depth -= 1
        begin = node_begin[depth]
        end = node_end[depth]
        here_low[:] = box_low[depth]
        here_high[:] = box_high[depth]
        count = end - begin
        if not same:
            mixed = False
            for s in range(begin + 1, end):
                if then[items[s]] != then[items[begin]]:
                    mixed = True
                    break
            if not mixed:
                continue
        axis = -1
        value = 0.0
        if count > _SMALL:
            axis, value = _choose_cut(low, high, items, begin, end, here_low, here_high, axis_order)
        if axis >= 0 and depth + 2 < 256:
            # The children's items are written behind the parent's, then moved over it, the left
            # child first in the list and last on the stack.
            while items.size < end + 2 * count:
                items = _grow(items)
            top = end
            for s in range(begin, end):
                if low[items[s], axis] < value:
                    items[top] = items[s]
                    top += 1
            middle = top
            for s in range(begin, end):
                if high[items[s], axis] > value:
                    items[top] = items[s]
                    top += 1
            n_left = middle - end
            n_right = top - middle
            # what the sample promised must hold for all
            if float(n_left) * n_left + float(n_right) * n_right <= 0.98 * float(count) * count:
                items[begin : begin + top - end] = items[end:top].copy()
                node_begin[depth] = begin
                node_end[depth] = begin + n_left
                box_low[depth] = here_low
                box_high[depth] = here_high
                box_high[depth, axis] = value
                depth += 1
                node_begin[depth] = begin + n_left
                node_end[depth] = begin + n_left + n_right
                box_low[depth] = here_low
                box_high[depth] = here_high
                box_low[depth, axis] = value
                depth += 1
                continue
        # Test every pair, swept along the axis that separates best.
        ordered = items[begin:end].copy()
        if count > _SMALL:
            keys = np.empty(count)
            for s in range(count):
                keys[s] = low[ordered[s], axis_order[0]]
            ordered = ordered[np.argsort(keys)]
        sweep = axis_order[0]
        swept = count > _SMALL
        for s in range(count):
            a = ordered[s]
            stop = high[a, sweep]
            for t in range(s + 1, count):
                b = ordered[t]
                if swept and low[b, sweep] >= stop:
                    break
                if (then[a] == then[b]) != same:
                    continue
                apart = False
                for o in range(axes):
                    x = axis_order[o]
                    if low[a, x] >= high[b, x] or low[b, x] >= high[a, x]:
                        apart = True
                        break
                if apart or not _sets_meet(masks, starts, a, b):
                    continue
                if not _reference_inside(low, high, masks, starts, d, a, b, here_low, here_high):
                    continue
                if found == left.size:
                    left = _grow(left)
                    right = _grow(right)
                left[found] = min(a, b)
                right[found] = max(a, b)
                found += 1
                if found >= limit:
                    return left[:found], right[:found]
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
