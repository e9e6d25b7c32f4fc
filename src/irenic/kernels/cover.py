"""Compiled code on rules and instances: which rules cover which, and what follows."""

from __future__ import annotations

import numpy as np

from irenic.kernels._jit import jit
from irenic.kernels.structs import Points, Rules

# Rows that are tested together: 20 features of 512 float64 fit the second-level cache.
_BLOCK = 512


@jit
def _cover_block(rules, points, r, first, last, inside):
    """Set ``inside[k]`` to 1 where rule ``r`` covers instance ``first + k``; return how many."""
    lower, upper, values = rules.lower, rules.upper, points.values
    masks, starts, everything, codes = rules.masks, rules.starts, rules.everything, points.codes
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
        start = starts[j]
        restricted = False
        for w in range(start, starts[j + 1]):
            if masks[w, r] != everything[w]:
                restricted = True
        if restricted:
            for k in range(size):
                code = codes[j, first + k]
                word = masks[start + (code >> 6), r]
                inside[k] &= np.uint8((word >> np.uint64(code & 63)) & one)
    count = np.int64(0)
    for k in range(size):
        count += np.int64(inside[k])  # without the JIT, uint8 would stay uint8
    return count


@jit
def covering(rules, points, first, last, out):
    """Fill ``out[r, k]`` with whether rule ``r`` covers instance ``k``, for a range of rows."""
    rules = Rules(*rules)
    points = Points(*points)
    for begin in range(first, last, _BLOCK):
        end = min(begin + _BLOCK, last)
        for r in range(rules.n):
            _cover_block(rules, points, r, begin, end, out[r, begin:end])


@jit
def deciding(rules, points, order, first, last, out):
    """Fill ``out[k]`` with the first rule of ``order`` that covers instance ``k``, -1 for none."""
    rules = Rules(*rules)
    points = Points(*points)
    inside = np.empty(_BLOCK, dtype=np.uint8)
    for begin in range(first, last, _BLOCK):
        end = min(begin + _BLOCK, last)
        left = end - begin
        for k in range(begin, end):
            out[k] = -1
        for r in order:
            if _cover_block(rules, points, r, begin, end, inside) == 0:
                continue
            for k in range(end - begin):
                if inside[k] and out[begin + k] < 0:
                    out[begin + k] = r
                    left -= 1
            if left == 0:
                break


@jit
def voting(rules, points, n_thens, first, last, out):
    """Fill ``out[k]`` with the first rule of the consequent of most weight, -1 for none.

    Of several consequents with the same weight the one whose rule comes first is taken.
    """
    rules = Rules(*rules)
    points = Points(*points)
    thens, weight, n = rules.then, rules.weight, rules.n
    inside = np.empty(_BLOCK, dtype=np.uint8)
    tally = np.empty((_BLOCK, n_thens))
    rank = np.empty((_BLOCK, n_thens), dtype=np.int64)
    for begin in range(first, last, _BLOCK):
        end = min(begin + _BLOCK, last)
        tally[:] = 0.0
        rank[:] = n
        for r in range(n):
            if _cover_block(rules, points, r, begin, end, inside) == 0:
                continue
            then = thens[r]
            for k in range(end - begin):
                if inside[k]:
                    tally[k, then] += weight[r]
                    rank[k, then] = min(rank[k, then], r)
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


@jit
def counting(rules, points, labels, each, mix, size):
    """Fill ``mix[r, label]`` with how many instances of each label rule ``r`` covers.

    ``size[k]`` becomes the sum of ``each[r]`` over all rules that cover instance ``k``.
    """
    rules = Rules(*rules)
    points = Points(*points)
    inside = np.empty(_BLOCK, dtype=np.uint8)
    total = size.size
    for begin in range(0, total, _BLOCK):
        end = min(begin + _BLOCK, total)
        for r in range(rules.n):
            if _cover_block(rules, points, r, begin, end, inside) == 0:
                continue
            for k in range(end - begin):
                if inside[k]:
                    mix[r, labels[begin + k]] += 1
                    size[begin + k] += each[r]


@jit
def update_pool(inside, change, counts, members, place, size):
    """Add ``change`` to the counts where ``inside``; keep the pool of instances with count 0.

    ``members[:size]`` are the pool, ``place[k]`` is the index of instance ``k`` in it (-1: not in
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
