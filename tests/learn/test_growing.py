"""Best conditions and rules that they grow, against an oracle that tries all of them."""

from __future__ import annotations

from itertools import chain, combinations

import naive_evolution as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irenic.kernels import evolve as kernels
from irenic.learn.evolution import Candidate, Settings, grow_rules

pytestmark = pytest.mark.kernels

SEEDS = st.integers(0, 2**32 - 1)
PENALTIES = st.sampled_from([0.0, 0.05, 0.5, 5.0])
MODES = st.sampled_from(naive.MODES)
# What rules add is kept as float32.
NEAR = 1e-4


def words_inside(rows, f, word):
    """Yield all conditions inside a word: intervals, or sets of at most seven cells."""
    cells = naive.bits(word)
    if rows.ordered[f]:
        yield from (cells[a:b] for a, b in combinations(range(len(cells) + 1), 2))
    else:
        yield from chain.from_iterable(combinations(cells, k + 1) for k in range(len(cells)))


def value_with(rows, added, words, f, cells, penalty):
    """Return what a rule adds with other cells on one feature, minus what these cost to read."""
    words = [int(word) for word in words]
    words[f] = sum(1 << cell for cell in cells)
    rows_inside = naive.covered(rows, words)
    return sum(added[i] for i in rows_inside) - penalty * naive.price(rows, words)


def added_by(rows, draft, then, own=None):
    """Return what predicting a code adds in each row that the rule ``own`` may not cover."""
    added = []
    for i in range(rows.cells.shape[1]):
        rules = [r for r, (words, _) in enumerate(naive.rules_of(draft)) if r != own]
        held = [r for r in rules if i in naive.covered(rows, naive.rules_of(draft)[r][0])]
        code = int(draft.predicted[i]) if held else draft.state.code_by_default
        added.append(float(rows.gains[i, then]) - float(rows.gains[i, code]))
    return added


def some_rules(rows, limit, mode, seed):
    draft = naive.begun(rows, limit, mode, seed)
    naive.anneal(rows, draft, 300, penalty=0.05)
    return draft


def few_cells(rows):
    return all(rows.ordered[f] or rows.n_cells[f] <= 7 for f in range(len(rows.n_cells)))


ROWS = naive.labelled_rows(max_features=3, max_cells=6).filter(few_cells)


@given(ROWS, SEEDS, PENALTIES, st.data())
def test_no_condition_is_better_than_the_best_one(rows, seed, penalty, data):
    draft = some_rules(rows, 5, "avoid", seed)
    rules = naive.rules_of(draft)
    if not rules:
        return
    draft.state.penalty = penalty
    r = data.draw(st.integers(0, len(rules) - 1))
    f = data.draw(st.integers(0, len(rows.n_cells) - 1))
    (words, then), everything = rules[r], int(rows.everything[f])
    room = everything
    if data.draw(st.booleans()):  # a part, as rivals leave it
        part = data.draw(st.sampled_from(list(words_inside(rows, f, everything))[:200]))
        room = sum(1 << cell for cell in part)
    out = np.zeros(1, dtype=np.uint64)
    kernels._fit(rows, draft, r, f, room, out)
    found = naive.bits(out[0])
    assert found
    assert not int(out[0]) & ~room
    if rows.ordered[f]:
        assert found == list(range(found[0], found[-1] + 1))
    added = added_by(rows, draft, then, own=r)

    def value(cells):
        return value_with(rows, added, words, f, cells, penalty)

    best = max(map(value, words_inside(rows, f, room)))
    assert value(found) == pytest.approx(best, abs=NEAR)
    naive.check(rows, draft, "avoid")


def test_a_bound_that_does_not_matter_is_in_the_middle():
    # rows in cells 0 and 10 only, and nothing between tells where the rule ends
    gains = [[0.0, 1.0]] * 5 + [[1.0, 0.0]] * 6
    rows = naive.make_rows([[0]] * 5 + [[10]] * 6, [11], [True], gains)
    draft = naive.begun(rows, 3, "avoid", 0)
    place = kernels._grow_around(rows, draft, 0)
    assert naive.bits(draft.masks[place, 0]) == list(range(5))


@given(ROWS, SEEDS, PENALTIES, st.data())
def test_a_grown_rule_cannot_be_better_on_any_one_feature(rows, seed, penalty, data):
    draft = some_rules(rows, 3, "avoid", seed)
    draft.state.penalty = penalty
    i = data.draw(st.integers(0, rows.cells.shape[1] - 1))
    then = int(rows.best[i])
    place = kernels._grow_around(rows, draft, i)
    words = draft.masks[place].copy()
    assert draft.then[place] == then
    assert i in naive.covered(rows, words)
    assert draft.cost[place] == naive.price(rows, words)
    added = added_by(rows, draft, then)
    for f in range(len(rows.n_cells)):
        cell = int(rows.cells[f, i])
        own = value_with(rows, added, words, f, naive.bits(words[f]), penalty)
        others = [
            value_with(rows, added, words, f, cells, penalty)
            for cells in words_inside(rows, f, int(rows.everything[f]))
            if cell in cells
        ]
        assert own >= max(others) - NEAR
    naive.check(rows, draft, "avoid")


@given(naive.labelled_rows(), MODES, st.sampled_from([1, 2, 5, 12]), SEEDS, PENALTIES)
def test_grown_rule_sets_know_what_is_true_of_themselves(rows, mode, limit, seed, penalty):
    draft = some_rules(rows, limit, mode, seed)
    before = value(draft, penalty)
    kernels.grow(rows, draft, 5, penalty)
    naive.check(rows, draft, mode)
    assert value(draft, penalty) >= before - NEAR


def value(draft, penalty):
    length = draft.state.size + draft.state.cost
    return draft.state.score - penalty * length


def test_rules_that_made_the_labels_are_grown_again():
    # three conditions each, no feature of which says much by itself
    rng = np.random.default_rng(0)
    cells = rng.integers(0, 16, (3000, 8))
    first = (cells[:, 0] < 6) & (cells[:, 1] >= 9) & (cells[:, 2] < 8)
    second = (cells[:, 0] >= 6) & (cells[:, 3] < 6) & (cells[:, 4] >= 8)
    gains = np.eye(3)[np.where(first, 1, np.where(second, 2, 0))]
    rows = naive.make_rows(cells.tolist(), [16] * 8, [True] * 8, gains)
    start = Candidate(np.zeros((0, 8), dtype=np.uint64), np.zeros(0, dtype=np.int16), 0)
    settings = Settings(members=((0.5, 10),))
    found = grow_rules(rows, start, settings, 0.5, random_state=0)
    assert found.worth == len(cells)
    assert sorted(found.then) == [1, 2]
    assert found.cost == 6
    again = grow_rules(rows, start, settings, 0.5, random_state=0)
    assert again.masks.tolist() == found.masks.tolist()


def test_rules_grow_on_the_last_of_more_than_32768_features():
    features = 33_000
    cells = np.zeros((6, features), dtype=int)
    cells[:, -1] = [0, 0, 0, 1, 1, 1]
    gains = [[0.0, 1.0]] * 3 + [[1.0, 0.0]] * 3
    rows = naive.make_rows(cells.tolist(), [2] * features, [True] * features, gains)
    draft = naive.begun(rows, 1, "avoid", 0)
    place = kernels._grow_around(rows, draft, 0)
    assert naive.bits(draft.masks[place, -1]) == [0]
    assert draft.bench.failing.dtype == np.int32  # sums of features, which a rule may test 24 of
