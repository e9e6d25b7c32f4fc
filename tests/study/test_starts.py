"""Tests of the first populations of the arms, by the naive evolution of tests/learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irenic import Region, Rule, RuleSet, enlarge
from irenic.kernels import evolve as kernels
from learn import naive_evolution as naive
from study import starts

STARTS = ("CFSBE", "CFSGS", "drawn")


@st.composite
def rows_and_words(draw):
    """Draw rows and one word a feature that a rule may have: a run of cells, or any of them."""
    rows = draw(naive.labelled_rows())
    words = []
    for n, ordered in zip(rows.n_cells.tolist(), rows.ordered, strict=True):
        if ordered:
            first = draw(st.integers(0, n - 1))
            words.append((1 << draw(st.integers(first + 1, n))) - (1 << first))
        else:
            words.append(draw(st.integers(1, (1 << n) - 1)))
    return rows, words


def rules_of(candidate):
    return list(zip(candidate.masks.tolist(), candidate.then.tolist(), strict=True))


def labelled_at_random(n=60, seed=5):
    """Return rows whose labels have nothing to do with their cells."""
    rng = np.random.default_rng(seed)
    n_cells, ordered = [6, 4, 3], [True, False, True]
    cells = np.stack([rng.integers(0, c, n) for c in n_cells], axis=1)
    return naive.make_rows(cells.tolist(), n_cells, ordered, np.eye(3)[rng.integers(0, 3, n)])


# --- cells as a space


@given(rows_and_words(), st.data())
def test_words_are_regions_that_hold_the_rows_of_the_oracle(drawn, data):
    rows, words = drawn
    cells = starts.CellSpace(rows)
    region = cells.region(dict(enumerate(words)))
    assert cells.words(region) == words
    assert set(np.flatnonzero(region.contains(cells.instances))) == naive.covered(rows, words)
    # no condition is all cells
    assert cells.words(Region(cells.space)) == rows.everything.tolist()
    assert cells.region({}).contains(cells.instances).all()
    # regions meet as words do
    row = data.draw(st.integers(0, rows.cells.shape[1] - 1))
    point = {f: 1 << int(cell) for f, cell in enumerate(rows.cells[:, row])}
    both = [word & point[f] for f, word in enumerate(words)]
    if all(both):
        assert cells.words(region & cells.region(point)) == both


def test_cells_of_both_kinds_keep_their_places():
    rows = naive.make_rows([[1, 2, 0], [0, 1, 4]], [2, 3, 5], [False, True, False], np.eye(2))
    cells = starts.CellSpace(rows)
    assert cells.words(cells.region({0: 0b10, 1: 0b110, 2: 0b00101})) == [0b10, 0b110, 0b00101]
    assert cells.region({2: 0b10000}).contains(cells.instances).tolist() == [False, True]
    assert cells.region({0: 0b10, 1: 0b100}).contains(cells.instances).tolist() == [True, False]


# --- populations


@pytest.mark.parametrize("start", STARTS)
@given(rows=naive.labelled_rows(max_features=3), n_rules=st.integers(1, 8), seed=st.integers(0, 99))
def test_each_rule_is_made_for_a_row_that_none_covered(start, rows, n_rules, seed):
    found = starts.population(rows, 2, n_rules, start, 1, seed)
    assert [c.default for c in found] == [1, 1]
    everything = set(range(rows.cells.shape[1]))
    for candidate in found:
        assert candidate.masks.shape == (len(candidate), len(rows.n_cells))
        assert len(candidate) <= n_rules
        covered = set()
        for words, then in rules_of(candidate):
            own = naive.covered(rows, words)
            assert any(rows.best[i] == then for i in own - covered)
            covered |= own
        # each draw gives a rule, unless a random search ends without a region
        assert start == "CFSGS" or len(candidate) == n_rules or covered == everything
        # rules of the algorithms share no point
        assert start == "drawn" or not naive.disagreeing(rules_of(candidate))


@pytest.mark.parametrize("start", STARTS)
def test_populations_of_rows_with_random_labels(start):
    rows = labelled_at_random()
    found = starts.population(rows, 4, 12, start, 0, 0)
    pairs = [len(naive.disagreeing(rules_of(candidate))) for candidate in found]
    assert (sum(pairs) > 0) == (start == "drawn")
    # not for want of rules that could contradict each other
    assert max(len(set(candidate.then.tolist())) for candidate in found) >= 2
    # conditions are one to four, where nothing cuts the rules
    drawn = [words for candidate in found for words, _ in rules_of(candidate)]
    tested = {len(naive.tested(rows, np.array(words, dtype=np.uint64))) for words in drawn}
    assert tested <= {0, 1, 2, 3}
    assert len(tested) > 1
    # the same random state gives the same population, whose members differ
    again, other = (starts.population(rows, 4, 12, start, 0, seed) for seed in (0, 8))
    assert [rules_of(c) for c in again] == [rules_of(c) for c in found]
    assert [rules_of(c) for c in other] != [rules_of(c) for c in found]
    assert rules_of(found[0]) != rules_of(found[1])


def test_a_random_search_that_finds_nothing_is_given_up(monkeypatch):
    monkeypatch.setattr("study.starts.search", lambda *_, **__: iter(()))
    found = starts.population(labelled_at_random(), 2, 5, "CFSGS", 2, 0)
    assert [(len(c), c.masks.shape, c.default) for c in found] == [(0, (0, 3), 2)] * 2


# --- CFSBE over words


@given(naive.labelled_rows(), st.integers(0, 2**20), st.data())
def test_a_room_of_words_is_the_region_that_enlarge_grows(rows, seed, data):
    draft = naive.begun(rows, 8, "avoid", seed)
    kernels.sow(rows, draft, 40)
    cells = starts.CellSpace(rows)
    own = [(words.tolist(), then) for words, then in naive.rules_of(draft)]
    rules = RuleSet(
        [Rule(cells.region(dict(enumerate(words))), then=then) for words, then in own], cells.space
    )
    i = data.draw(st.integers(-len(own), rows.cells.shape[1] - 1))
    if i < 0:  # from a rule
        words, then = own[i]
        begin = rules[i]
    else:  # from a row
        words, then = [1 << int(cell) for cell in rows.cells[:, i]], int(rows.best[i])
        begin = cells.instances.take([i])
        if len(rules.rivals_of(cells.region(dict(enumerate(words))), then)):
            return
    order = data.draw(st.permutations(range(len(words))))
    draft.room[:], draft.order[:] = words, order
    kernels._enlarge(rows, draft, then, -1)
    names = [cells.space.names[f] for f in order]
    assert draft.room.tolist() == cells.words(enlarge(rules, begin, consequent=then, order=names))
