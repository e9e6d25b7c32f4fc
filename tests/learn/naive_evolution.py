"""A slow oracle for evolution: all that a draft keeps is counted again, row by row, bit by bit.

Of a draft only the words of its rules, what they predict and the default are believed.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from irenic.kernels import evolve as kernels
from irenic.kernels.evolve import CellRows, Schedule, Totals, WordRules
from irenic.learn.evolution import Candidate, Settings, new_draft

MODES = ("avoid", "vote", "best")
# Sums of float32 gains in another order differ by this much.
NEAR = 1e-6


# --- labelled rows


def bitmap(rows, n):
    """Return the set of row numbers as words."""
    words = [0] * ((n + 63) // 64)
    for i in rows:
        words[i // 64] |= 1 << i % 64
    return words


def make_rows(cells, n_cells, ordered, gains, pick=None):
    """Return rows in the form of the kernels; ``cells[row][feature]``, ``gains[row][code]``."""
    n, d = len(cells), len(n_cells)
    maps, begin = [], []
    for f in range(d):
        begin.append(len(maps))
        for c in range(n_cells[f]):
            held = [i for i in range(n) if (cells[i][f] < c if ordered[f] else cells[i][f] == c)]
            maps.append(bitmap(held, n))
    share = np.cumsum(np.full(d, 1.0 / d) if pick is None else pick)
    share[-1] = 1.0
    return CellRows(
        cells=np.ascontiguousarray(np.array(cells, dtype=np.uint8).T),
        n_cells=np.array(n_cells, dtype=np.int64),
        ordered=np.array(ordered, dtype=bool),
        begin=np.array(begin, dtype=np.int64),
        maps=np.array(maps, dtype=np.uint64),
        everything=np.array([2**c - 1 for c in n_cells], dtype=np.uint64),
        full=np.array(bitmap(range(n), n), dtype=np.uint64),
        gains=np.array(gains, dtype=np.float32),
        best=np.array(gains, dtype=np.float32).argmax(axis=1).astype(np.int16),
        pick=share,
    )


@st.composite
def labelled_rows(draw, max_features=4, max_cells=7):
    """Draw rows with cells of both kinds, one feature of 64 cells at times, and soft gains."""
    d = draw(st.integers(1, max_features))
    n_cells = draw(st.lists(st.integers(1, max_cells), min_size=d, max_size=d))
    if draw(st.integers(0, 4)) == 0:
        n_cells[0] = 64
    ordered = draw(st.lists(st.booleans(), min_size=d, max_size=d))
    n, n_codes = draw(st.sampled_from([1, 3, 10, 20, 64, 70])), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    cells = np.stack([rng.integers(0, c, n) for c in n_cells], axis=1)
    gains = rng.dirichlet(np.full(n_codes, draw(st.sampled_from([0.1, 1.0]))), n)
    if draw(st.booleans()):  # one label a row, hence many ties
        gains = np.eye(n_codes)[gains.argmax(axis=1)]
    gains = gains * draw(st.sampled_from([1.0, 2.5]))
    return make_rows(cells.tolist(), n_cells, ordered, gains)


def begun(rows, limit, mode, seed, guard=None):
    """Return a draft without rules."""
    draft = new_draft(rows, limit, Settings((), conflicts=mode), np.random.default_rng(seed))
    if guard is not None:
        draft.state.guard = guard
    kernels.load(rows, draft, no_rules(rows.cells.shape[0]), 0)
    return draft


def no_rules(d):
    return WordRules.empty(0, d)


def best_of(rows, draft):
    """Return what the kernel keeps of the best version: the draft as it is."""
    rules, totals = WordRules.empty(draft.state.rule_limit, rows.cells.shape[0]), Totals()
    kernels.keep(draft, rules, totals)
    return rules, totals


def anneal(rows, draft, moves, *, donors=None, penalty=0.3, hot=1.0, cold=0.2, best=None):
    donors = donors or no_rules(rows.cells.shape[0])
    best = best or best_of(rows, draft)
    kernels.anneal(rows, draft, donors, Schedule(moves, hot, cold, penalty), *best)
    return best


def candidate_of(best):
    rules, totals = best
    masks, then = rules.masks[: totals.size], rules.then[: totals.size]
    return Candidate(masks, then, totals.code_by_default, totals.cost, totals.score)


# --- the oracle


def places(draft):
    return [int(p) for p in draft.slot[: draft.state.size]]


def bits(word):
    return [b for b in range(64) if int(word) >> b & 1]


def covered(rows, words):
    """Return the numbers of the rows whose cells are all in the words."""
    held = range(rows.cells.shape[1])
    for f in tested(rows, words):
        word, column = int(words[f]), rows.cells[f].tolist()
        held = [i for i in held if word >> column[i] & 1]
    return set(held)


def tested(rows, words):
    return {f for f, word in enumerate(words) if word != rows.everything[f]}


def price(rows, words):
    """Return how many bounds and sets conditions state."""
    total = 0
    for f in tested(rows, words):
        held = bits(words[f])
        inner = rows.ordered[f] and 0 not in held and rows.n_cells[f] - 1 not in held
        total += 2 if inner else 1
    return total


def worth(rows, held, then):
    right = sum(float(rows.gains[i, then]) for i in held)
    return (right + 1.0) / (sum(float(rows.gains[i].max()) for i in held) + 2.0)


def possible_answers(rows, rules, default, mode):
    """Return for each row which codes may be predicted: more than one only where it is a tie."""
    return _answers(rows, rules, [covered(rows, words) for words, _ in rules], default, mode)


def _answers(rows, rules, held, default, mode):
    worths = [worth(rows, h, then) for h, (_, then) in zip(held, rules, strict=True)]
    answers = []
    for i in range(rows.cells.shape[1]):
        over = [r for r in range(len(rules)) if i in held[r]]
        if not over:
            answers.append({default})
        elif mode == "best":
            top = max(worths[r] for r in over)
            answers.append({rules[r][1] for r in over if worths[r] >= top - 1e-12})
        else:
            thens = [rules[r][1] for r in over]
            most = max(thens.count(then) for then in thens)
            answers.append({then for then in thens if thens.count(then) == most})
    return answers


def meet(a, b):
    return all(int(x) & int(y) for x, y in zip(a, b, strict=True))


def disagreeing(rules):
    """Return the pairs of rules that share a point and predict different codes."""
    return [(a, b) for a, b in combinations(rules, 2) if a[1] != b[1] and meet(a[0], b[0])]


def rules_of(draft):
    return [(draft.masks[p].copy(), int(draft.then[p])) for p in places(draft)]


def check(rows, draft, mode):
    """Assert that a draft is in order and knows what is true of itself."""
    n = rows.cells.shape[1]
    rules, at = rules_of(draft), places(draft)
    held_by = [covered(rows, words) for words, _ in rules]
    assert sorted(draft.slot) == list(range(len(draft.slot)))
    assert len(rules) <= draft.state.rule_limit
    for p, (words, then), inside in zip(at, rules, held_by, strict=True):
        assert 0 <= then < rows.gains.shape[1]
        for f, word in enumerate(words):
            held = bits(word)
            assert held
            assert not int(word) & ~int(rows.everything[f])
            if rows.ordered[f]:
                assert held == list(range(held[0], held[-1] + 1))
        assert len(set(draft.tests[p, : draft.n_tests[p]].tolist())) == draft.n_tests[p]
        assert set(draft.tests[p, : draft.n_tests[p]].tolist()) == tested(rows, words)
        assert draft.cost[p] == price(rows, words)
        assert draft.cover[p].tolist() == bitmap(inside, n)
        if mode == "best":
            assert abs(draft.worth[p] - worth(rows, inside, then)) < NEAR
    assert draft.state.cost == sum(price(rows, words) for words, _ in rules)
    counts = [sum(i in inside for inside in held_by) for i in range(n)]
    assert draft.count.tolist() == counts
    answers = _answers(rows, rules, held_by, draft.state.code_by_default, mode)
    assert all(int(draft.predicted[i]) in answers[i] for i in range(n))
    score = sum(float(rows.gains[i, draft.predicted[i]]) for i in range(n))
    assert abs(draft.state.score - score) < NEAR * max(1, n)
    if mode == "avoid":
        assert draft.covered.tolist() == bitmap({i for i in range(n) if counts[i] > 0}, n)
        assert draft.shared.tolist() == bitmap({i for i in range(n) if counts[i] > 1}, n)
        assert all(len(answer) == 1 for answer in answers)
        assert not disagreeing(rules)
