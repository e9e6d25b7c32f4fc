"""Rule sets under change respect walls, impossible regions, short sets and orders, cell by cell."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import naive_evolution as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irenic.kernels import evolve as kernels
from irenic.kernels.evolve import Limits, WordRules
from irenic.learn.evolution import Settings, new_draft, without_redundant

pytestmark = pytest.mark.kernels

SEEDS = st.integers(0, 2**32 - 1)


def words(draw, rows):
    """Draw a region as words: an interval or a set per feature."""
    region = []
    for n, ordered in zip(rows.n_cells.tolist(), rows.ordered.tolist(), strict=True):
        if not draw(st.booleans()):
            region.append(2**n - 1)
        elif ordered:
            low = draw(st.integers(0, n - 1))
            region.append(2 ** draw(st.integers(low + 1, n)) - 2**low)
        else:
            region.append(draw(st.integers(1, 2**n - 1)))
    return region


@st.composite
def limited_rows(draw):
    """Draw rows, and limits of all kinds."""
    rows = draw(
        naive.labelled_rows(max_features=3, max_cells=5).filter(lambda r: max(r.n_cells) < 9)
    )
    d, k = len(rows.n_cells), rows.gains.shape[1]
    walls = [words(draw, rows) for _ in range(draw(st.integers(0, 2)))]
    banned = [draw(st.lists(st.integers(0, 1), min_size=k, max_size=k)) for _ in walls]
    impossible = [words(draw, rows) for _ in range(draw(st.integers(0, 2)))]
    signs = [draw(st.sampled_from([-1, 0, 1])) if o else 0 for o in rows.ordered.tolist()]
    known = [draw(st.integers(0, 1)) if n > 1 else 0 for n in rows.n_cells.tolist()]
    most = draw(st.sampled_from([[], [1] * d, [-1] * d, [2] * d]))
    monotone = draw(st.booleans())
    limits = Limits(
        np.array(walls, dtype=np.uint64).reshape(len(walls), d),
        np.array(banned, dtype=np.uint8).reshape(len(walls), k),
        np.array(impossible, dtype=np.uint64).reshape(len(impossible), d),
        np.array(most, dtype=np.int64),
        np.array(signs if monotone else [], dtype=np.int64),
        np.array(known if monotone else [], dtype=np.int64),
        np.array(draw(st.permutations(range(k))), dtype=np.int64),
    )
    return rows, limits


def draft_of(rows, limits, seed=0):
    rng = np.random.default_rng(seed)
    settings = Settings(members=(), fixed_default=True, limits=limits)
    return new_draft(rows, 6, settings, rng)


def rules_of(masks, then, d):
    words = np.array(masks, dtype=np.uint64).reshape(-1, d)
    return WordRules(words, np.array(then, dtype=np.int16))


def unloaded(rows, draft):
    """Return the rules of a draft."""
    return replace(naive.candidate_of(naive.best_of(rows, draft)), default=0)


def evolved(rows, limits, seed, starts=None, moves=300):
    """Return the rules of a draft after some moves, and its default."""
    d = len(rows.n_cells)
    draft = draft_of(rows, limits, seed)
    start = starts or rules_of([], [], d)
    kernels.load(rows, draft, start, 0)
    kernels.sow(rows, draft, 10)
    naive.anneal(rows, draft, moves, donors=start, penalty=0.01, hot=1.0, cold=0.1)
    return unloaded(rows, draft)


def with_limits(d, **changes):
    """Return limits for three labels."""
    arrays = {name: np.array(value) for name, value in changes.items()}
    return replace(Limits.none(d, 3), **arrays)


def cells_of(rows):
    """Return all combinations of cells, one per column."""
    grid = np.meshgrid(*(np.arange(n) for n in rows.n_cells), indexing="ij")
    return np.stack([each.ravel() for each in grid]).astype(np.uint8)


def inside(region, cells):
    """Return which cells a region holds, bit by bit."""
    held = [[int(word) >> int(c) & 1 for c in row] for word, row in zip(region, cells, strict=True)]
    return np.array(held, dtype=bool).all(axis=0)


def check(candidate, rows, limits):
    cells = cells_of(rows)
    covers = [inside(mask, cells) for mask in candidate.masks]
    possible = ~np.any([inside(r, cells) for r in limits.impossible] or [cells[0] < 0], axis=0)
    for (a, one), (b, other) in combinations(enumerate(covers), 2):
        if candidate.then[a] != candidate.then[b]:
            assert not (one & other & possible).any()
    for wall, banned in zip(limits.walls, limits.banned, strict=True):
        for cover, then in zip(covers, candidate.then, strict=True):
            assert not banned[then] or not (cover & inside(wall, cells)).any()
    for mask in candidate.masks.tolist():
        for f, limit in enumerate(limits.most_values.tolist()):
            n, word = int(rows.n_cells[f]), int(mask[f])
            if rows.ordered[f] or word == 2**n - 1:
                continue
            listed, left = word.bit_count(), n - word.bit_count()
            listed = min(listed, left) if limit > 0 else (left if word >> n - 1 & 1 else listed)
            assert listed <= abs(limit)
    if len(limits.signs) and not len(limits.impossible):
        check_order(candidate, rows, limits, cells, covers)


def check_order(candidate, rows, limits, cells, covers):
    """Assert that no step to the next cell changes predictions in the wrong direction."""
    codes = np.full(cells.shape[1], candidate.default)
    for cover, then in zip(covers, candidate.then, strict=True):
        codes[cover] = then
    ranks = limits.ranks[codes].reshape(rows.n_cells)
    for f, (sign, known) in enumerate(zip(limits.signs, limits.known, strict=True)):
        along = np.moveaxis(ranks, f, 0)[known:]
        assert (np.diff(along, axis=0) * sign >= 0).all()


@given(limited_rows(), SEEDS, st.data())
def test_drafts_respect_their_limits(both, seed, data):
    rows, limits = both
    check(evolved(rows, limits, seed), rows, limits)
    # rules that break limits are dropped at the start
    masks = [words(data.draw, rows) for _ in range(4)]
    then = [data.draw(st.integers(0, rows.gains.shape[1] - 1)) for _ in masks]
    start = rules_of(masks, then, len(rows.n_cells))
    check(evolved(rows, limits, seed, start, moves=0), rows, limits)
    check(evolved(rows, limits, seed, start), rows, limits)


@given(limited_rows(), SEEDS)
def test_undoing_a_move_keeps_the_limits(both, seed):
    rows, limits = both
    d = len(rows.n_cells)
    draft, none = draft_of(rows, limits, seed), rules_of([], [], d)
    kernels.load(rows, draft, none, 0)
    for turn in range(40):
        if kernels._move(rows, draft, none) and turn % 3:
            kernels._take(rows, draft)
        else:
            kernels._undo(rows, draft)
        check(unloaded(rows, draft), rows, limits)


def test_ordered_predictions_are_found():
    """Three ordered labels along one feature need rules that follow each other."""
    cells = [[c] for c in range(6) for _ in range(20)]
    gains = [np.eye(3)[c // 2] for c in range(6) for _ in range(20)]
    rows = naive.make_rows(cells, [6], [True], gains)
    limits = with_limits(1, signs=[1], known=[0])
    candidate = evolved(rows, limits, 0, moves=3_000)
    check(candidate, rows, limits)
    candidate = without_redundant(candidate, rows.cells, everywhere=True)
    check(candidate, rows, limits)
    assert dict(zip(candidate.masks[:, 0].tolist(), candidate.then.tolist(), strict=True)) == {
        0b001100: 1,
        0b110000: 2,
    }


def test_rules_that_follow_together_are_loaded_as_they_are():
    """Above rule 1 are rules 2 and 3, neither of which covers all that lies above it."""
    cells = [[a, b] for b in range(4) for a in range(4)]
    rows = naive.make_rows(cells, [4, 4], [True, True], np.eye(3)[[0] * 16])
    limits = with_limits(2, signs=[1, 0], known=[0, 0])
    masks = [[0b0110, 0b1111], [0b1000, 0b0011], [0b1000, 0b1100]]
    # without the last rule, something above the first one is left to the default
    for n, is_kept in ((3, True), (2, False)):
        draft = draft_of(rows, limits)
        kernels.load(rows, draft, rules_of(masks[:n], [1, 2, 1][:n], 2), 0)
        loaded = unloaded(rows, draft)
        assert (loaded.masks.tolist() == masks[:n]) == is_kept
        check(loaded, rows, limits)


def test_a_wall_keeps_out_what_it_bans_and_lets_the_rest_in():
    gains = [[0.0, 1.0, 0.5], [0.0, 0.4, 0.5], [0.0, 1.0, 0.5]]
    rows = naive.make_rows([[0], [1], [2]], [3], [True], gains)
    banned = np.array([[0, 1, 0]], dtype=np.uint8)
    limits = with_limits(1, walls=np.array([[0b010]], dtype=np.uint64), banned=banned)
    candidate = evolved(rows, limits, 0, moves=2_000)
    codes = {int(m): int(t) for m, t in zip(candidate.masks[:, 0], candidate.then, strict=True)}
    assert codes == {0b001: 1, 0b100: 1, 0b010: 2}
