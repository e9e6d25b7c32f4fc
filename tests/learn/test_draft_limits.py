"""Rule sets under change respect walls, impossible regions, short sets and orders, cell by cell."""

from __future__ import annotations

from itertools import combinations

import naive_evolution as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irenic.kernels import evolve as kernels
from irenic.kernels.evolve import Rules, Schedule
from irenic.learn._evolution import Candidate, Limits, new_draft, without_redundant

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


def evolved(rows, limits, seed, starts=None, moves=300):
    """Return the rules of a draft after some moves, and its default."""
    draft = new_draft(
        rows, 6, "avoid", np.random.default_rng(seed), fixed_default=True, limits=limits
    )
    best = Rules(np.zeros((6, len(rows.n_cells)), dtype=np.uint64), np.zeros(6, dtype=np.int16))
    totals = np.zeros(4)
    start = starts or Rules(best.masks[:0], best.then[:0])
    kernels.load(rows, draft, start, 0)
    kernels.sow(rows, draft, 10)
    kernels.anneal(rows, draft, start, Schedule(moves, 1.0, 0.1, 0.01), best, totals)
    size = kernels.unload(draft, best)
    return Candidate(best.masks[:size].copy(), best.then[:size].copy(), 0)


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


@given(limited_rows(), SEEDS)
def test_drafts_respect_their_limits(both, seed):
    rows, limits = both
    check(evolved(rows, limits, seed), rows, limits)


@given(limited_rows(), SEEDS, st.data())
def test_rules_that_break_limits_are_dropped_at_the_start(both, seed, data):
    rows, limits = both
    masks = [words(data.draw, rows) for _ in range(4)]
    then = [data.draw(st.integers(0, rows.gains.shape[1] - 1)) for _ in masks]
    start = Rules(np.array(masks, dtype=np.uint64), np.array(then, dtype=np.int16))
    check(evolved(rows, limits, seed, start, moves=0), rows, limits)
    check(evolved(rows, limits, seed, start), rows, limits)


@given(limited_rows(), SEEDS)
def test_undoing_a_move_keeps_the_limits(both, seed):
    rows, limits = both
    draft = new_draft(
        rows, 6, "avoid", np.random.default_rng(seed), fixed_default=True, limits=limits
    )
    none = Rules(np.zeros((0, len(rows.n_cells)), dtype=np.uint64), np.zeros(0, dtype=np.int16))
    kernels.load(rows, draft, none, 0)
    for turn in range(60):
        if kernels._move(rows, draft, none) and turn % 3:
            kernels._take(rows, draft)
        else:
            kernels._undo(rows, draft)
        out = Rules(np.zeros((6, len(rows.n_cells)), dtype=np.uint64), np.zeros(6, dtype=np.int16))
        size = kernels.unload(draft, out)
        check(Candidate(out.masks[:size], out.then[:size], 0), rows, limits)


def test_ordered_predictions_are_found():
    """Three ordered labels along one feature need rules that follow each other."""
    cells = [[c] for c in range(6) for _ in range(20)]
    gains = [np.eye(3)[c // 2] for c in range(6) for _ in range(20)]
    rows = naive.make_rows(cells, [6], [True], gains)
    none = Limits.none(1, 3)
    ones, zeros = np.ones(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    limits = Limits(
        none.walls, none.banned, none.impossible, none.most_values, ones, zeros, np.arange(3)
    )
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
    rows = naive.make_rows(cells_of_grid(4, 4), [4, 4], [True, True], np.eye(3)[[0] * 16])
    none = Limits.none(2, 3)
    signs, zeros = np.array([1, 0]), np.zeros(2, dtype=np.int64)
    limits = Limits(
        none.walls, none.banned, none.impossible, none.most_values, signs, zeros, np.arange(3)
    )
    masks = [[0b0110, 0b1111], [0b1000, 0b0011], [0b1000, 0b1100]]
    start = Rules(np.array(masks, dtype=np.uint64), np.array([1, 2, 1], dtype=np.int16))
    draft = new_draft(rows, 6, "avoid", np.random.default_rng(0), fixed_default=True, limits=limits)
    out = Rules(np.zeros((6, 2), dtype=np.uint64), np.zeros(6, dtype=np.int16))
    kernels.load(rows, draft, start, 0)
    assert kernels.unload(draft, out) == 3
    assert out.masks[:3].tolist() == masks
    check(Candidate(out.masks[:3], out.then[:3], 0), rows, limits)
    # without the last rule, something above the first one is left to the default
    kernels.load(rows, draft, Rules(start.masks[:2], start.then[:2]), 0)
    size = kernels.unload(draft, out)
    assert out.masks[:size].tolist() != masks[:2]
    check(Candidate(out.masks[:size], out.then[:size], 0), rows, limits)


def cells_of_grid(*sizes):
    grid = np.meshgrid(*(np.arange(n) for n in sizes), indexing="ij")
    return np.stack([each.ravel() for each in grid], axis=1).tolist()


def test_a_wall_keeps_out_what_it_bans_and_lets_the_rest_in():
    gains = [[0.0, 1.0, 0.5], [0.0, 0.4, 0.5], [0.0, 1.0, 0.5]]
    rows = naive.make_rows([[0], [1], [2]], [3], [True], gains)
    none = Limits.none(1, 3)
    wall = np.array([[0b010]], dtype=np.uint64)
    limits = Limits(
        wall,
        np.array([[0, 1, 0]], dtype=np.uint8),
        none.impossible,
        none.most_values,
        none.signs,
        none.known,
        none.ranks,
    )
    candidate = evolved(rows, limits, 0, moves=2_000)
    codes = {int(m): int(t) for m, t in zip(candidate.masks[:, 0], candidate.then, strict=True)}
    assert codes == {0b001: 1, 0b100: 1, 0b010: 2}
