"""Compiled moves between rule sets, where the learner spends its time.

Nothing here calls a compiled function of another file, because numba's cache would not notice a
change there.

Rows are reduced to cells, at most 64 per feature, so that a condition is one word,
``masks[p, f]``, for every kind of feature. On an ordered feature its bits are an interval, on
others any set. Two rules overlap unless their words share no bit on some feature. ``Rows.maps``
has one bitmap of rows per cut of an ordered feature (the rows below it) and per cell of others.

A rule set under change is a ``Draft``. ``slot[0]`` to ``slot[size - 1]`` are the places of its
rules in the arrays. A step keeps the rule that it replaces at ``slot[RULE_LIMIT]`` or beyond, so
that swapping two places back undoes it.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from llvmlite.ir import IntType
from numba import types
from numba.extending import intrinsic, overload

from irenic.kernels._jit import jit

_inner = partial(jit, inner=True)


class Rows(NamedTuple):
    """Labeled rows as cells and bitmaps; never modified."""

    cells: Any
    """Cell of feature f in row i, ``uint8[d, n]``."""
    n_cells: Any
    """Number of cells per feature, ``int64[d]``."""
    ordered: Any
    """Whether the cells of a feature are ordered, ``bool[d]``."""
    begin: Any
    """Index of the first bitmap of a feature in ``maps``, ``int64[d]``."""
    maps: Any
    """Bitmaps over rows, ``uint64[:, words]``."""
    everything: Any
    """Word for "no condition" on each feature, ``uint64[d]``."""
    full: Any
    """Bitmap of all rows, ``uint64[words]``."""
    gains: Any
    """Gain from predicting consequent k for row i, ``float32[n, k]``."""
    best: Any
    """Consequent with the highest gain for each row, ``int16[n]``."""
    pick: Any
    """Cumulative probabilities of trying each feature, ``float64[d]``; the last is 1."""


class Rules(NamedTuple):
    """Rules as words."""

    masks: Any
    """``uint64[rules, d]``."""
    then: Any
    """``int16[rules]``."""


class Schedule(NamedTuple):
    """How to anneal."""

    moves: Any
    """Number of moves to try."""
    hot: Any
    """First temperature, in units of the score."""
    cold: Any
    """Last temperature."""
    penalty: Any
    """Score that each rule and each condition costs."""


class Draft(NamedTuple):
    """A rule set under change."""

    masks: Any
    """``uint64[places, d]``."""
    tests: Any
    """Features that a rule tests, ``int64[places, limit]``."""
    n_tests: Any
    """``int32[places]``."""
    then: Any
    """``int16[places]``."""
    cost: Any
    """Number of bounds and sets in a rule, ``int32[places]``."""
    worth: Any
    """Quality of a rule where the best one decides, ``float64[places]``."""
    cover: Any
    """``uint64[places + 1, words]``."""
    slot: Any
    """``int64[places]``."""
    count: Any
    """Number of rules that cover a row, ``uint16[n]``."""
    predicted: Any
    """Predicted consequent of a row, ``int16[n]``."""
    ints: Any
    """Counters and options, indexed by the names below, ``int64[12]``."""
    floats: Any
    """The score, ``float64[4]``."""
    log: Any
    """Kind and place of each step, ``int64[steps, 2]``."""
    rng: Any
    """State of the random number generator, ``uint64[1]``."""


SIZE, DEFAULT, COST, LOGGED, RULE_LIMIT, RESOLVE, DROP, SHORTEN, FIXED = range(9)
# How moves treat rivals, the number of moves evaluated, and the number to stop at (-1: never).
GUARD, EVALUATED, EVALUATION_LIMIT = range(9, 12)
SCORE = 0
AVOID, VOTE, BEST = 0, 1, 2
# Rivals are ignored, make way in one of several ways, or limit the new rule as in CFSBE.
IGNORE, MAKE_WAY, GROW = 0, 1, 2
_CHANGED, _ADDED, _REMOVED = 0, 1, 2
# Typed, because numba would compile a function once per literal argument.
_NONE = np.int64(-1)
_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
NEW, NOTHING = np.int64(-1), np.int64(-2)
# Moves that would touch more rules than this are rejected.
STEPS = 24
# Rows of a rule to try as seeds before giving up.
_SEEDS = 8


# --- random numbers: xorshift, because none of its operations overflows


@_inner
def _random(rng):
    x = rng[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    rng[0] = x
    return x


@_inner
def _uniform(rng):
    """Return a number in [0, 1)."""
    return float(_random(rng) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@jit
def _below(rng, n):
    """Return a whole number in [0, n)."""
    return min(int(_uniform(rng) * n), n - 1)


@_inner
def _pick_feature(rows, rng):
    u = _uniform(rng)
    low = 0
    high = rows.pick.size - 1
    while low < high:
        middle = (low + high) // 2
        if rows.pick[middle] <= u:
            low = middle + 1
        else:
            high = middle
    return low


# --- words


# One instruction each, which numba does not expose; the plain functions run with the JIT off.


def _first(word):
    """Return the index of the lowest bit of a nonzero word."""
    return (int(word) & -int(word)).bit_length() - 1


def _last(word):
    """Return the index of the highest bit of a nonzero word."""
    return int(word).bit_length() - 1


def _count(word):
    """Return the number of bits set in a word."""
    return int(word).bit_count()


@intrinsic
def _instruction_first(_context, word):
    def generate(_, builder, __, args):
        return builder.cttz(args[0], IntType(1)(1))

    return types.int64(types.uint64), generate


@intrinsic
def _instruction_leading(_context, word):
    def generate(_, builder, __, args):
        return builder.ctlz(args[0], IntType(1)(1))

    return types.int64(types.uint64), generate


@intrinsic
def _instruction_count(_context, word):
    def generate(_, builder, __, args):
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


@overload(_first)
def _compiled_first(word):
    return lambda word: _instruction_first(word)


@overload(_last)
def _compiled_last(word):
    return lambda word: 63 - _instruction_leading(word)


@overload(_count)
def _compiled_count(word):
    return lambda word: _instruction_count(word)


@jit
def _between(low, high):
    """Return the word with the bits in [low, high); 0 if there are none."""
    if low >= high:
        return np.uint64(0)
    return (_ALL >> np.uint64(64 - (high - low))) << np.uint64(low)


@_inner
def _bit(cell):
    return _ONE << np.uint64(cell)


@_inner
def _random_bit(word, rng):
    """Return the index of a random bit of a nonzero word."""
    for _ in range(_below(rng, _count(word))):
        word &= word - _ONE
    return _first(word)


# --- rules at a place


@_inner
def _set_test(rows, draft, p, f, word):
    """Set a condition of the rule at place ``p``; return False if it has no room."""
    old = draft.masks[p, f]
    all_cells = rows.everything[f]
    if old == word:
        return True
    n = draft.n_tests[p]
    if old == all_cells:
        if n == draft.tests.shape[1]:
            return False
        draft.tests[p, n] = f
        draft.n_tests[p] = n + 1
    else:
        draft.cost[p] -= _price(rows, f, old)
        if word == all_cells:
            k = 0
            while draft.tests[p, k] != f:
                k += 1
            draft.tests[p, k] = draft.tests[p, n - 1]
            draft.n_tests[p] = n - 1
    draft.masks[p, f] = word
    if word != all_cells:
        draft.cost[p] += _price(rows, f, word)
    return True


@_inner
def _price(rows, f, word):
    """Return the cost of reading a condition: 1 per bound, 1 for a set."""
    if rows.ordered[f] and word & _ONE == 0 and not word >> np.uint64(rows.n_cells[f] - 1):
        return 2
    return 1


@_inner
def _copy_rule(draft, source, target):
    for f in range(draft.masks.shape[1]):
        draft.masks[target, f] = draft.masks[source, f]
    for k in range(draft.n_tests[source]):
        draft.tests[target, k] = draft.tests[source, k]
    draft.n_tests[target] = draft.n_tests[source]
    draft.then[target] = draft.then[source]
    draft.cost[target] = draft.cost[source]


@_inner
def _clear_rule(rows, draft, p, then):
    for f in range(draft.masks.shape[1]):
        draft.masks[p, f] = rows.everything[f]
    draft.n_tests[p] = 0
    draft.cost[p] = 0
    draft.then[p] = then


@_inner
def _find_cover(rows, draft, p):
    """Compute the bitmap of the rows that the rule at place ``p`` covers."""
    cover = draft.cover[p]
    words = cover.size
    for w in range(words):
        cover[w] = rows.full[w]
    for k in range(draft.n_tests[p]):
        f = draft.tests[p, k]
        word = draft.masks[p, f]
        start = rows.begin[f]
        if rows.ordered[f]:
            low = _first(word)
            high = _last(word) + 1
            if low > 0:
                below = rows.maps[start + low]
                for w in range(words):
                    cover[w] &= ~below[w]
            if high < rows.n_cells[f]:
                below = rows.maps[start + high]
                for w in range(words):
                    cover[w] &= below[w]
        else:
            # the last bitmap belongs to no rule and serves as scratch space
            scratch = draft.cover[draft.cover.shape[0] - 1]
            _and_set(rows.maps, start, word, rows.everything[f], cover, scratch)


@_inner
def _and_set(maps, start, word, all_cells, cover, scratch):
    """Remove from ``cover`` the rows whose cell is not in a set, by the smaller of both sides."""
    out = all_cells & ~word
    words = cover.size
    if _count(out) <= _count(word):
        while out:
            other = maps[start + _first(out)]
            for w in range(words):
                cover[w] &= ~other[w]
            out &= out - _ONE
        return
    for w in range(words):
        scratch[w] = np.uint64(0)
    while word:
        other = maps[start + _first(word)]
        for w in range(words):
            scratch[w] |= other[w]
        word &= word - _ONE
    for w in range(words):
        cover[w] &= scratch[w]


@_inner
def _meet(masks, tests, n_tests, p, q):
    """Return whether the rules at two places overlap."""
    if n_tests[q] < n_tests[p]:
        p, q = q, p
    for k in range(n_tests[p]):
        f = tests[p, k]
        if not masks[p, f] & masks[q, f]:
            return False
    return True


@_inner
def _next_rival(draft, p, own, r):
    """Return the last rule before ``r`` that is a rival of the one at place ``p``; -1 if none."""
    masks, tests, n_tests, then, slot = (
        draft.masks,
        draft.tests,
        draft.n_tests,
        draft.then,
        draft.slot,
    )
    while r > 0:
        r -= 1
        q = slot[r]
        if q != own and then[q] != then[p] and _meet(masks, tests, n_tests, p, q):
            return r
    return -1


# --- predictions and the score


# Loops over rows and rules use plain arrays: at every call with a tuple, numba counts references
# to each of its arrays, which here would take most of the time.


@_inner
def _uncover(rows, draft, p, but):
    """Uncover the rows of the rule at place ``p``, except those of the rule at ``but``."""
    default = draft.ints[DEFAULT]
    cover, gains, count, predicted = draft.cover, rows.gains, draft.count, draft.predicted
    gained = 0.0
    for w in range(cover.shape[1]):
        word = cover[p, w]
        if but >= 0:
            word &= ~cover[but, w]
        while word:
            i = w * 64 + _first(word)
            count[i] -= 1
            if count[i] == 0:
                gained += gains[i, default] - gains[i, predicted[i]]
                predicted[i] = default
            word &= word - _ONE
    draft.floats[SCORE] += gained


@_inner
def _add_cover(rows, draft, p, but):
    """Cover the rows of the rule at place ``p``, except those of the rule at ``but``."""
    then = draft.then[p]
    cover, gains, count, predicted = draft.cover, rows.gains, draft.count, draft.predicted
    gained = 0.0
    for w in range(cover.shape[1]):
        word = cover[p, w]
        if but >= 0:
            word &= ~cover[but, w]
        while word:
            i = w * 64 + _first(word)
            if count[i] == 0:
                gained += gains[i, then] - gains[i, predicted[i]]
                predicted[i] = then
            count[i] += 1
            word &= word - _ONE
    draft.floats[SCORE] += gained


@_inner
def _exchange(rows, draft, old, new):
    """Uncover the rows of place ``old`` (-1: none) and cover those of ``new`` (-1: none).

    The caller has already updated ``slot`` and the size.
    """
    if draft.ints[RESOLVE] != AVOID:
        _exchange_resolving(rows, draft, old, new)
    elif old >= 0 and new >= 0 and draft.then[old] == draft.then[new]:
        _uncover(rows, draft, old, new)
        _add_cover(rows, draft, new, old)
    else:
        if old >= 0:
            _uncover(rows, draft, old, _NONE)
        if new >= 0:
            _add_cover(rows, draft, new, _NONE)
    if old >= 0:
        draft.ints[COST] -= draft.cost[old]
    if new >= 0:
        draft.ints[COST] += draft.cost[new]


@_inner
def _exchange_resolving(rows, draft, old, new):
    """Predict again every row that either rule covers, among rules that may conflict."""
    if new >= 0:
        draft.worth[new] = _worth(rows, draft, new)
    votes = np.zeros(rows.gains.shape[1])
    for w in range(draft.cover.shape[1]):
        word = np.uint64(0)
        if old >= 0:
            word |= draft.cover[old, w]
        if new >= 0:
            word |= draft.cover[new, w]
        while word:
            i = w * 64 + _first(word)
            code = _resolved(draft, i, votes)
            draft.floats[SCORE] += rows.gains[i, code] - rows.gains[i, draft.predicted[i]]
            draft.predicted[i] = code
            word &= word - _ONE


@_inner
def _resolved(draft, i, votes):
    """Return the prediction for row ``i`` where rules may conflict; ties go to the lowest code.

    It must not depend on the order of rules, because undoing a step may change that.
    """
    code = draft.ints[DEFAULT]
    top = 0.0
    count = 0
    for r in range(draft.ints[SIZE]):
        p = draft.slot[r]
        if (draft.cover[p, i >> 6] >> np.uint64(i & 63)) & _ONE:
            then = draft.then[p]
            if draft.ints[RESOLVE] == BEST:
                votes[then] = max(votes[then], draft.worth[p])
            else:
                votes[then] += 1.0
            if count == 0 or votes[then] > top or (votes[then] == top and then < code):
                top = votes[then]
                code = then
            count += 1
    draft.count[i] = count
    for r in range(draft.ints[SIZE]):
        votes[draft.then[draft.slot[r]]] = 0.0
    return code


@_inner
def _worth(rows, draft, p):
    """Return the smoothed share that a rule gains of the highest gains of its rows."""
    right = 0.0
    possible = 0.0
    then = draft.then[p]
    for w in range(draft.cover.shape[1]):
        word = draft.cover[p, w]
        while word:
            i = w * 64 + _first(word)
            right += rows.gains[i, then]
            possible += rows.gains[i, rows.best[i]]
            word &= word - _ONE
    return (right + 1.0) / (possible + 2.0)


@_inner
def _best_default(rows, draft):
    """Return the consequent with the highest gain on the rows that no rule covers."""
    n_codes = rows.gains.shape[1]
    sums = np.zeros(n_codes)
    for i in range(draft.count.size):
        if draft.count[i] == 0:
            for k in range(n_codes):
                sums[k] += rows.gains[i, k]
    best = draft.ints[DEFAULT]
    for k in range(n_codes):
        if sums[k] > sums[best]:
            best = k
    return best


@_inner
def _set_default(rows, draft, code):
    draft.ints[DEFAULT] = code
    for i in range(draft.count.size):
        if draft.count[i] == 0:
            draft.floats[SCORE] += rows.gains[i, code] - rows.gains[i, draft.predicted[i]]
            draft.predicted[i] = code


@_inner
def _best_then(rows, draft, p, alone, sums):
    """Return the best consequent for a rule's rows (``alone``: for those only it covers)."""
    n_codes = rows.gains.shape[1]
    for k in range(n_codes):
        sums[k] = 0.0
    for w in range(draft.cover.shape[1]):
        word = draft.cover[p, w]
        while word:
            i = w * 64 + _first(word)
            if not alone or draft.count[i] <= 1:
                for k in range(n_codes):
                    sums[k] += rows.gains[i, k]
            word &= word - _ONE
    best = 0
    for k in range(n_codes):
        if sums[k] > sums[best]:
            best = k
    return best


# --- steps and how to undo them


@_inner
def _spare(draft):
    """Return the place where the next step may prepare a rule."""
    return draft.slot[draft.ints[RULE_LIMIT] + draft.ints[LOGGED]]


@_inner
def _note(draft, kind, r):
    draft.log[draft.ints[LOGGED], 0] = kind
    draft.log[draft.ints[LOGGED], 1] = r
    draft.ints[LOGGED] += 1


@_inner
def _swap(draft, a, b):
    draft.slot[a], draft.slot[b] = draft.slot[b], draft.slot[a]


@_inner
def _change(rows, draft, r):
    """Replace rule ``r`` with the rule at the spare place."""
    new = _spare(draft)
    old = draft.slot[r]
    _find_cover(rows, draft, new)
    _swap(draft, r, draft.ints[RULE_LIMIT] + draft.ints[LOGGED])
    _note(draft, _CHANGED, r)
    _exchange(rows, draft, old, new)


@_inner
def _add(rows, draft):
    """Add the rule at the spare place."""
    new = _spare(draft)
    _find_cover(rows, draft, new)
    r = draft.ints[SIZE]
    _swap(draft, r, draft.ints[RULE_LIMIT] + draft.ints[LOGGED])
    _note(draft, _ADDED, r)
    draft.ints[SIZE] += 1
    _exchange(rows, draft, _NONE, new)


@_inner
def _remove(rows, draft, r):
    """Remove rule ``r``; the last rule takes its index."""
    old = draft.slot[r]
    draft.ints[SIZE] -= 1
    _swap(draft, r, draft.ints[SIZE])
    # so that a rule that this move may add does not overwrite it
    _swap(draft, draft.ints[SIZE], draft.ints[RULE_LIMIT] + draft.ints[LOGGED])
    _note(draft, _REMOVED, r)
    _exchange(rows, draft, old, _NONE)


@jit
def _undo(rows, draft):
    """Undo all steps of a move."""
    while draft.ints[LOGGED] > 0:
        draft.ints[LOGGED] -= 1
        kind = draft.log[draft.ints[LOGGED], 0]
        r = draft.log[draft.ints[LOGGED], 1]
        kept = draft.ints[RULE_LIMIT] + draft.ints[LOGGED]
        if kind == _CHANGED:
            new = draft.slot[r]
            _swap(draft, r, kept)
            _exchange(rows, draft, new, draft.slot[r])
        elif kind == _ADDED:
            draft.ints[SIZE] -= 1
            new = draft.slot[r]
            _swap(draft, r, kept)
            _exchange(rows, draft, new, _NONE)
        else:
            _swap(draft, draft.ints[SIZE], kept)
            _swap(draft, r, draft.ints[SIZE])
            draft.ints[SIZE] += 1
            _exchange(rows, draft, _NONE, draft.slot[r])


# --- keeping a rule set consistent


@_inner
def _trim(rows, draft, p, q):
    """Make the rule at place ``p`` disjoint from the one at ``q`` on one feature, if possible.

    The way is drawn with a probability proportional to the share of cells that it keeps. Return
    False if there is none.
    """
    total = 0.0
    feature = _NONE
    kept = np.uint64(0)
    for k in range(draft.n_tests[q]):
        f = draft.tests[q, k]
        mine = draft.masks[p, f]
        rest = mine & ~draft.masks[q, f]
        if not rest:
            continue
        if rows.ordered[f]:
            low = _first(draft.masks[q, f])
            high = _last(draft.masks[q, f]) + 1
            parts = (rest & _between(0, low), rest & _between(high, 64))
        else:
            parts = (rest, np.uint64(0))
        for part in parts:
            if part:
                weight = (_count(part) + 0.0) / _count(mine)
                total += weight
                if _uniform(draft.rng) * total < weight:
                    feature = f
                    kept = part
    return feature >= 0 and _set_test(rows, draft, p, feature, kept)


@_inner
def _desk(draft):
    """Return the place where a move prepares a rule, which no step overwrites."""
    return draft.slot[draft.ints[RULE_LIMIT] + STEPS]


@_inner
def _grow_free(rows, draft, i, own):
    """Narrow the rule on the desk around row ``i`` until no rival except ``own`` overlaps it.

    Return False if a rival covers the row.
    """
    desk = _desk(draft)
    r = _next_rival(draft, desk, own, draft.ints[SIZE])
    while r >= 0:
        if not _avoid(rows, draft, desk, draft.slot[r], i):
            return False
        r = _next_rival(draft, desk, own, r)
    return True


@_inner
def _grow_within(rows, draft, own):
    """Narrow the rule on the desk to a free region around one of its rows, as CFSBE does.

    Return False if rivals cover all rows that are tried.
    """
    p = _desk(draft)
    if _next_rival(draft, p, own, draft.ints[SIZE]) < 0:
        return True
    _find_cover(rows, draft, p)
    cover = draft.cover
    n = 0
    for w in range(cover.shape[1]):
        n += _count(cover[p, w])
    if n == 0:
        return False
    for _ in range(_SEEDS):
        i = _nth_row(cover, p, _below(draft.rng, n))
        free = True
        for r in range(draft.ints[SIZE]):
            q = draft.slot[r]
            if q != own and draft.then[q] != draft.then[p]:
                free = free and not (cover[q, i >> 6] >> np.uint64(i & 63)) & _ONE
        if free:
            return _grow_free(rows, draft, i, own)
    return False


@_inner
def _nth_row(cover, p, n):
    """Return the ``n``-th row that the rule at place ``p`` covers, counted from 0."""
    w = 0
    while _count(cover[p, w]) <= n:
        n -= _count(cover[p, w])
        w += 1
    word = cover[p, w]
    for _ in range(n):
        word &= word - _ONE
    return w * 64 + _first(word)


@_inner
def _avoid(rows, draft, p, q, i):
    """Narrow the rule at place ``p``, which covers row ``i``, until it is disjoint from ``q``.

    The feature is drawn among those on which ``q`` excludes the row.
    """
    n = 0
    feature = _NONE
    for k in range(draft.n_tests[q]):
        f = draft.tests[q, k]
        if not draft.masks[q, f] & _bit(rows.cells[f, i]):
            n += 1
            if _below(draft.rng, n) == 0:
                feature = f
    if feature < 0:
        return False
    cell = int(rows.cells[feature, i])
    theirs = draft.masks[q, feature]
    word = draft.masks[p, feature] & ~theirs
    if rows.ordered[feature]:
        if cell < _first(theirs):
            word &= _between(0, _first(theirs))
        else:
            word &= _between(_last(theirs) + 1, 64)
    return _set_test(rows, draft, p, feature, word)


@_inner
def _make_way(rows, draft, own, how):
    """Make the rule on the desk free, which is to replace the one at place ``own``.

    ``how``: 0 give up, 1 remove rivals, 2 trim rivals, 3 trim the new rule. Return whether it is
    free.
    """
    if draft.ints[GUARD] == IGNORE:
        return True
    if draft.ints[GUARD] == GROW:
        return _grow_within(rows, draft, own)
    p = _desk(draft)
    r = _next_rival(draft, p, own, draft.ints[SIZE])
    while r >= 0:
        q = draft.slot[r]
        if how == 0 or draft.ints[LOGGED] >= STEPS - 2:
            return False
        if how == 3:
            if not _trim(rows, draft, p, q):
                return False
        else:
            trimmed = False
            if how == 2:
                _copy_rule(draft, q, _spare(draft))
                trimmed = _trim(rows, draft, _spare(draft), p)
            if trimmed:
                _change(rows, draft, r)
            else:
                _remove(rows, draft, r)
        r = _next_rival(draft, p, own, r)
    return True


@_inner
def _place_desk(rows, draft, own, how):
    """Replace the rule at ``own`` (-1: none) with the one on the desk, if that is possible."""
    if not _make_way(rows, draft, own, how):
        return False
    if own < 0 and draft.ints[SIZE] >= draft.ints[RULE_LIMIT]:
        return False
    _copy_rule(draft, _desk(draft), _spare(draft))
    if own < 0:
        _add(rows, draft)
        return True
    r = 0
    while draft.slot[r] != own:
        r += 1
    _change(rows, draft, r)
    return True


@_inner
def _how(rng):
    """Draw how rivals are treated."""
    u = _uniform(rng)
    if u < 0.35:
        return 0
    if u < 0.5:
        return 1
    return 2 if u < 0.85 else 3


# --- moves
#
# Each prepares a rule on the desk and returns the place of the rule that it is to replace, or NEW,
# or NOTHING if it has none to offer. The caller places the rule: compiling that code into every
# move would take a minute.


@_inner
def _wrong_row(rows, draft):
    """Return a random row whose prediction is not the best; -1 if several draws find none."""
    n = draft.predicted.size
    for _ in range(24):
        i = _below(draft.rng, n)
        if rows.best[i] != draft.predicted[i]:
            return i
    return -1


@_inner
def _random_rule(draft):
    return draft.slot[_below(draft.rng, draft.ints[SIZE])]


@_inner
def _move_bound(rows, draft):
    """Move a bound of a rule, or add or remove a value of a set."""
    own = _random_rule(draft)
    if draft.n_tests[own] == 0:
        return NOTHING
    f = draft.tests[own, _below(draft.rng, draft.n_tests[own])]
    word = draft.masks[own, f]
    n_cells = rows.n_cells[f]
    if rows.ordered[f]:
        low = _first(word)
        high = _last(word) + 1
        far = 1 + _below(draft.rng, 3 if _uniform(draft.rng) < 0.6 else n_cells)
        if _uniform(draft.rng) < 0.5:
            far = -far
        if low > 0 and (high == n_cells or _uniform(draft.rng) < 0.5):
            low = max(0, low + far)
        else:
            high = min(n_cells, high + far)
        new = _between(low, high)
    else:
        new = word ^ _bit(_random_bit(rows.everything[f], draft.rng))
    if not new or new == word:
        return NOTHING
    desk = _desk(draft)
    _copy_rule(draft, own, desk)
    _set_test(rows, draft, desk, f, new)
    return own


@_inner
def _drop_bound(rows, draft):
    """Drop a condition of a rule, or one of its two bounds."""
    own = _random_rule(draft)
    if draft.n_tests[own] == 0:
        return NOTHING
    f = draft.tests[own, _below(draft.rng, draft.n_tests[own])]
    word = draft.masks[own, f]
    new = rows.everything[f]
    if _price(rows, f, word) == 2:
        u = _uniform(draft.rng)
        if u < 0.4:
            new = _between(_first(word), rows.n_cells[f])
        elif u < 0.8:
            new = _between(0, _last(word) + 1)
    desk = _desk(draft)
    _copy_rule(draft, own, desk)
    _set_test(rows, draft, desk, f, new)
    return own


@_inner
def _without(rows, draft, word, f, cell):
    """Return a part of a condition that excludes a cell; 0 if it is empty."""
    if not rows.ordered[f]:
        if _uniform(draft.rng) < 0.5:
            return word & ~_bit(cell)
        return word & _random(draft.rng) & ~_bit(cell)
    near = _uniform(draft.rng) < 0.7
    if _uniform(draft.rng) < 0.5:
        room = max(1, (cell - _first(word)) // 2)
        return word & _between(0, cell if near else cell - _below(draft.rng, room))
    room = max(1, (_last(word) + 1 - cell) // 2)
    return word & _between(cell + 1 if near else cell + 1 + _below(draft.rng, room), 64)


@_inner
def _shrink(rows, draft):
    """Add or narrow a condition, to exclude a wrongly predicted row or at random."""
    i = _wrong_row(rows, draft)
    own = _NONE
    if i >= 0 and draft.count[i] > 0:
        for r in range(draft.ints[SIZE]):
            if (draft.cover[draft.slot[r], i >> 6] >> np.uint64(i & 63)) & _ONE:
                own = draft.slot[r]
                break
    if own < 0:
        own = _random_rule(draft)
        i = _below(draft.rng, draft.predicted.size)
    f = _pick_feature(rows, draft.rng)
    word = draft.masks[own, f]
    new = _without(rows, draft, word, f, int(rows.cells[f, i]))
    if not new or new == word:
        return NOTHING
    desk = _desk(draft)
    _copy_rule(draft, own, desk)
    if not _set_test(rows, draft, desk, f, new):
        return NOTHING
    return own


@_inner
def _other_feature(rows, draft):
    """Replace a condition with one on another feature."""
    own = _random_rule(draft)
    if draft.n_tests[own] == 0:
        return NOTHING
    f = draft.tests[own, _below(draft.rng, draft.n_tests[own])]
    g = _pick_feature(rows, draft.rng)
    word = draft.masks[own, g]
    new = _without(
        rows, draft, word, g, int(rows.cells[g, _below(draft.rng, draft.predicted.size)])
    )
    if f == g or not new:
        return NOTHING
    desk = _desk(draft)
    _copy_rule(draft, own, desk)
    _set_test(rows, draft, desk, f, rows.everything[f])
    _set_test(rows, draft, desk, g, new)
    return own


@_inner
def _around(rows, draft, f, cell):
    """Return a random condition that contains a cell: an interval or a set."""
    n_cells = rows.n_cells[f]
    if rows.ordered[f]:
        low = _below(draft.rng, cell + 1)
        high = cell + 1 + _below(draft.rng, n_cells - cell)
        u = _uniform(draft.rng)
        if u < 0.4:
            low = 0
        elif u < 0.8:
            high = n_cells
        return _between(low, high)
    if _uniform(draft.rng) < 0.6:
        return _bit(cell)
    return (_random(draft.rng) & rows.everything[f]) | _bit(cell)


@_inner
def _box_around(rows, draft, i):
    """Prepare a rule of one to four random conditions around a row."""
    desk = _desk(draft)
    _clear_rule(rows, draft, desk, rows.best[i])
    for _ in range(1 + _below(draft.rng, 4)):
        f = _pick_feature(rows, draft.rng)
        word = draft.masks[desk, f] & _around(rows, draft, f, int(rows.cells[f, i]))
        if not _set_test(rows, draft, desk, f, word):
            break


@_inner
def _add_at_seed(rows, draft):
    """Prepare a rule for a wrongly predicted row, by CFSBE or with random conditions."""
    i = _wrong_row(rows, draft)
    if i < 0:
        return NOTHING
    if draft.ints[GUARD] != IGNORE and draft.count[i] == 0 and _uniform(draft.rng) < 0.2:
        return _enlarge_at_seed(rows, draft, i)
    _box_around(rows, draft, i)
    return NEW


@_inner
def _enlarge_at_seed(rows, draft, i):
    """Prepare a rule as CFSBE does: grow it around an uncovered row until rivals stop it."""
    desk = _desk(draft)
    _clear_rule(rows, draft, desk, rows.best[i])
    return NEW if _grow_free(rows, draft, i, NEW) else NOTHING


@_inner
def _reach(rows, draft):
    """Enlarge a rule just enough to cover a wrongly predicted row."""
    i = _wrong_row(rows, draft)
    if i < 0:
        return NOTHING
    own = _NONE
    n = 0
    for r in range(draft.ints[SIZE]):
        p = draft.slot[r]
        if draft.then[p] == rows.best[i]:
            n += 1
            if _below(draft.rng, n) == 0:
                own = p
    if own < 0:
        return NOTHING
    desk = _desk(draft)
    _copy_rule(draft, own, desk)
    for k in range(draft.n_tests[own]):
        f = draft.tests[own, k]
        word = draft.masks[own, f]
        cell = int(rows.cells[f, i])
        if rows.ordered[f]:
            word = _between(min(_first(word), cell), max(_last(word), cell) + 1)
        else:
            word |= _bit(cell)
        _set_test(rows, draft, desk, f, word)
    return own


@_inner
def _merge(rows, draft):
    """Replace two rules of one consequent with the smallest rule that contains both."""
    size = draft.ints[SIZE]
    a = _below(draft.rng, size)
    b = _below(draft.rng, size)
    own = draft.slot[a]
    other = draft.slot[b]
    if a == b or draft.then[own] != draft.then[other]:
        return NOTHING
    desk = _desk(draft)
    _clear_rule(rows, draft, desk, draft.then[own])
    for k in range(draft.n_tests[own]):
        f = draft.tests[own, k]
        word = draft.masks[own, f] | draft.masks[other, f]
        if rows.ordered[f]:
            word = _between(_first(word), _last(word) + 1)
        _set_test(rows, draft, desk, f, word)
    draft.ints[DROP] = b
    return own


@_inner
def _relabel(rows, draft, sums):
    """Give a rule the best consequent for the rows that only it covers."""
    own = _random_rule(draft)
    then = _best_then(rows, draft, own, True, sums)
    if then == draft.then[own]:
        return NOTHING
    desk = _desk(draft)
    _copy_rule(draft, own, desk)
    draft.then[desk] = then
    return own


@_inner
def _split(rows, draft, sums):
    """Split a rule in two; the new part predicts the best consequent for its rows."""
    if draft.ints[SIZE] >= draft.ints[RULE_LIMIT]:
        return NOTHING
    r = _below(draft.rng, draft.ints[SIZE])
    own = draft.slot[r]
    f = _pick_feature(rows, draft.rng)
    word = draft.masks[own, f]
    cell = int(rows.cells[f, _below(draft.rng, draft.predicted.size)])
    if rows.ordered[f]:
        # at one end of the condition, so that the rest is an interval too
        part = word & (_between(0, cell) if _uniform(draft.rng) < 0.5 else _between(cell, 64))
    else:
        part = word & _around(rows, draft, f, cell)
    rest = word & ~part
    if not part or not rest:
        return NOTHING
    _copy_rule(draft, own, _spare(draft))
    if not _set_test(rows, draft, _spare(draft), f, rest):
        return NOTHING
    draft.ints[SHORTEN] = r
    desk = _desk(draft)
    _copy_rule(draft, own, desk)
    _set_test(rows, draft, desk, f, part)
    _find_cover(rows, draft, desk)
    draft.then[desk] = _best_then(rows, draft, desk, False, sums)
    return NEW


@_inner
def _graft(rows, draft, donors):
    """Take a rule from another rule set."""
    if donors.then.size == 0:
        return NOTHING
    k = _below(draft.rng, donors.then.size)
    desk = _desk(draft)
    _clear_rule(rows, draft, desk, donors.then[k])
    for f in range(rows.n_cells.size):
        if not _set_test(rows, draft, desk, f, donors.masks[k, f]):
            return NOTHING
    own = _NONE
    if draft.ints[SIZE] >= draft.ints[RULE_LIMIT] or _uniform(draft.rng) < 0.5:
        own = _random_rule(draft)
    return own


@_inner
def _prepare(rows, draft, donors, sums):
    """Draw a move and prepare it; see above."""
    if draft.ints[SIZE] == 0:
        return _add_at_seed(rows, draft)
    u = _uniform(draft.rng)
    if u < 0.28:
        return _move_bound(rows, draft)
    if u < 0.40:
        return _drop_bound(rows, draft)
    if u < 0.57:
        return _shrink(rows, draft)
    if u < 0.65:
        return _other_feature(rows, draft)
    if u < 0.76:
        return _add_at_seed(rows, draft)
    if u < 0.85:
        return _reach(rows, draft)
    if u < 0.88:
        return _merge(rows, draft)
    if u < 0.90:
        return _relabel(rows, draft, sums)
    if u < 0.94:
        return _split(rows, draft, sums)
    if u < 0.97:
        return _graft(rows, draft, donors)
    draft.ints[DROP] = _below(draft.rng, draft.ints[SIZE])
    return NOTHING


@jit
def _move(rows, draft, donors, sums):
    """Try one move; return whether it was completed."""
    draft.ints[LOGGED] = 0
    draft.ints[DROP] = -1
    draft.ints[SHORTEN] = -1
    own = _prepare(rows, draft, donors, sums)
    if draft.ints[DROP] >= 0:
        _remove(rows, draft, draft.ints[DROP])
    elif own == NOTHING:
        return False
    elif draft.ints[SHORTEN] >= 0:
        _change(rows, draft, draft.ints[SHORTEN])
    return own == NOTHING or _place_desk(rows, draft, own, _how(draft.rng))


# --- annealing


@jit
def load(rows, draft, rules, default):
    """Start a draft from rules.

    Rules beyond the limit, rules that test too many features and, where conflicts are avoided,
    rules that conflict with an earlier one are dropped.
    """
    draft.ints[SIZE] = 0
    draft.ints[COST] = 0
    draft.ints[LOGGED] = 0
    draft.ints[DEFAULT] = default
    draft.floats[SCORE] = 0.0
    for p in range(draft.slot.size):
        draft.slot[p] = p
    for i in range(draft.count.size):
        draft.count[i] = 0
        draft.predicted[i] = default
        draft.floats[SCORE] += rows.gains[i, default]
    for r in range(rules.then.size):
        spare = _spare(draft)
        _clear_rule(rows, draft, spare, rules.then[r])
        fits = draft.ints[SIZE] < draft.ints[RULE_LIMIT]
        for f in range(rows.n_cells.size):
            fits = fits and _set_test(rows, draft, spare, f, rules.masks[r, f])
        if draft.ints[RESOLVE] == AVOID:
            fits = fits and _next_rival(draft, spare, NEW, draft.ints[SIZE]) < 0
        if fits:
            _add(rows, draft)
        draft.ints[LOGGED] = 0


@jit
def sow(rows, draft, tries):
    """Add rules around uncovered rows, each free of rivals: the paper's first population.

    Where rivals are ignored, rules stay as drawn.
    """
    for _ in range(tries):
        i = _below(draft.rng, draft.count.size)
        if draft.count[i] == 0 and draft.ints[SIZE] < draft.ints[RULE_LIMIT]:
            _box_around(rows, draft, i)
            draft.ints[LOGGED] = 0
            if draft.ints[GUARD] == IGNORE or _grow_free(rows, draft, i, NEW):
                _place_desk(rows, draft, NEW, 0)
    draft.ints[LOGGED] = 0


@jit
def unload(draft, rules):
    """Copy the rules of a draft into ``rules``; return their number."""
    for r in range(draft.ints[SIZE]):
        p = draft.slot[r]
        rules.then[r] = draft.then[p]
        for f in range(rules.masks.shape[1]):
            rules.masks[r, f] = draft.masks[p, f]
    return draft.ints[SIZE]


@jit
def anneal(rows, draft, donors, schedule, best, totals):
    """Try moves on a draft, accept better and sometimes worse ones, and keep the best set met.

    ``best`` receives the rules of that set, and ``totals`` its size, default, cost and score. Only
    completed moves are evaluated; annealing ends early at ``EVALUATION_LIMIT``.
    """
    penalty = schedule.penalty
    sums = np.zeros(rows.gains.shape[1])
    value = draft.floats[SCORE] - penalty * (draft.ints[SIZE] + draft.ints[COST])
    top = totals[3] - penalty * (totals[0] + totals[2])
    cooling = (schedule.cold / schedule.hot) ** (1.0 / max(1, schedule.moves - 1))
    heat = schedule.hot
    for m in range(schedule.moves):
        if draft.ints[EVALUATED] == draft.ints[EVALUATION_LIMIT]:
            break
        heat *= cooling
        if m & 255 == 255 and not draft.ints[FIXED]:
            default = _best_default(rows, draft)
            if default != draft.ints[DEFAULT]:
                _set_default(rows, draft, default)
                value = draft.floats[SCORE] - penalty * (draft.ints[SIZE] + draft.ints[COST])
        changed = _move(rows, draft, donors, sums)
        draft.ints[EVALUATED] += changed
        new = draft.floats[SCORE] - penalty * (draft.ints[SIZE] + draft.ints[COST])
        if changed and (new >= value or _uniform(draft.rng) < np.exp((new - value) / heat)):
            value = new
            if value > top + 1e-6:
                top = value
                totals[0] = unload(draft, best)
                totals[1] = draft.ints[DEFAULT]
                totals[2] = draft.ints[COST]
                totals[3] = draft.floats[SCORE]
        else:
            _undo(rows, draft)
    draft.ints[LOGGED] = 0
