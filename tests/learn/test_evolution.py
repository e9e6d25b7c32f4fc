"""The moves among rule sets, against an oracle that counts all anew."""

from __future__ import annotations

import pickle
from dataclasses import replace

import naive_evolution as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irenic.kernels import evolve as kernels
from irenic.kernels.evolve import WordRules
from irenic.learn.evolution import (
    Candidate,
    Settings,
    Turns,
    Watch,
    covering,
    evolve,
    predict,
    without_redundant,
)

pytestmark = pytest.mark.kernels

MOVES = 1500
MOVED = 10
SEEDS = st.integers(0, 2**32 - 1)
MODES = st.sampled_from(naive.MODES)
SIZES = st.sampled_from([1, 2, 5, 12, 24])
DRAFTS = given(naive.labelled_rows(), MODES, SIZES, SEEDS)
GUARDED = pytest.mark.parametrize("guard", [kernels.GROW, kernels.ENLARGE])
SEEDS = st.integers(0, 2**32 - 1)


def some_rules(rows, limit, mode, seed, moves=MOVES, penalty=0.05):
    """Return a draft with rules, as annealing leaves it."""
    draft = naive.begun(rows, limit, mode, seed)
    naive.anneal(rows, draft, moves, penalty=penalty)
    return draft


def rules_as_arrays(rows, draft):
    rules = naive.rules_of(draft)
    words = np.array([words for words, _ in rules], dtype=np.uint64)
    then = np.array([then for _, then in rules], dtype=np.int16)
    return WordRules(words.reshape(-1, rows.cells.shape[0]), then)


def as_pairs(rules):
    return [(words.tolist(), int(then)) for words, then in rules]


def start_of(rows, limit=12, mode="avoid"):
    return naive.candidate_of(naive.best_of(rows, naive.begun(rows, limit, mode, 0)))


def grid_rows(n, d, size, seed, is_true):
    """Return rows of random ordered cells, and labels that depend on them."""
    cells = np.random.default_rng(seed).integers(0, size, (n, d))
    gains = np.eye(2)[is_true(cells.T).astype(int)]
    return naive.make_rows(cells.tolist(), [size] * d, [True] * d, gains)


def state(draft):
    """Return all that a draft says of its rules, in their order."""
    at = naive.places(draft)
    return {
        "masks": draft.masks[at].tolist(),
        "tests": [sorted(draft.tests[p, : draft.n_tests[p]].tolist()) for p in at],
        "then": draft.then[at].tolist(),
        "cost": draft.cost[at].tolist(),
        "cover": draft.cover[at].tolist(),
        "count": draft.count.tolist(),
        "said": draft.predicted.tolist(),
        "totals": (draft.state.size, draft.state.code_by_default, draft.state.cost),
    }


def move(rows, draft, donors):
    """Try one move and take its last step; return whether there is one.

    A step that is only proposed must say what taking it changes.
    """
    found = kernels._move(rows, draft, donors)
    proposed = draft.state.score + draft.state.gain
    length = draft.state.size + draft.state.cost + draft.state.longer
    if found:
        kernels._take(rows, draft)
        assert draft.state.score == pytest.approx(proposed, abs=naive.NEAR)
        assert (draft.state.size + draft.state.cost) == length
    return found


# --- covers


@given(naive.labelled_rows(), SEEDS, st.integers(0, 5))
def test_rules_cover_the_rows_whose_cells_they_contain(rows, seed, n_rules):
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 2**64, (n_rules, len(rows.n_cells)), dtype=np.uint64)
    masks = np.where(rng.random(words.shape) < 0.5, rows.everything, words)
    cells = rows.cells.T.tolist()
    expected = [
        [all(mask >> cell & 1 for mask, cell in zip(rule, row, strict=True)) for row in cells]
        for rule in masks.tolist()
    ]
    assert covering(masks, rows.cells).tolist() == expected


@given(naive.labelled_rows(), SEEDS, st.sampled_from([0.05, 0.3]))
def test_no_rule_is_kept_without_which_predictions_are_the_same(rows, seed, penalty):
    draft = naive.begun(rows, 8, "avoid", seed)
    kernels.sow(rows, draft, 30)
    naive.anneal(rows, draft, 100, penalty=penalty)
    whole = naive.candidate_of(naive.best_of(rows, draft))
    needed = without_redundant(whole, rows.cells)
    assert {*map(tuple, needed.masks.tolist())} <= {*map(tuple, whole.masks.tolist())}
    before = predict(whole, rows.cells, "avoid").tolist()
    assert predict(needed, rows.cells, "avoid").tolist() == before
    for r in range(len(needed)):
        fewer = needed.take(np.delete(np.arange(len(needed)), r))
        assert predict(fewer, rows.cells, "avoid").tolist() != before
    # and what is true of all cases is true of rows
    anywhere = without_redundant(whole, rows.cells, everywhere=True)
    assert len(needed) <= len(anywhere)
    grid = np.meshgrid(*(np.arange(n, dtype=np.uint8) for n in rows.n_cells), indexing="ij")
    cases = np.stack([axis.ravel() for axis in grid])
    assert (predict(anywhere, cases, "avoid") == predict(whole, cases, "avoid")).all()


# --- words


@given(
    st.integers(1, 2**64 - 1), st.integers(0, 64), st.integers(0, 64), SEEDS, st.integers(1, 100)
)
def test_words_and_random_numbers(word, low, high, seed, n):
    held = naive.bits(word)
    assert kernels._bits(word) == (held[0], held[-1], len(held))
    assert naive.bits(kernels._between(low, high)) == list(range(low, high))
    rng = np.array([seed + 1], dtype=np.uint64)
    drawn = [int(kernels._below(rng, n)) for _ in range(30)]
    assert all(0 <= k < n for k in drawn)
    assert rng[0] != 0


# --- annealing


@given(naive.labelled_rows(), MODES, SIZES, SEEDS, st.sampled_from([0.0, 0.05, 0.5, 5.0]))
def test_a_draft_knows_what_is_true_of_itself(rows, mode, limit, seed, penalty):
    draft = naive.begun(rows, limit, mode, seed)
    naive.check(rows, draft, mode)
    best = None
    for _ in range(3):
        best = naive.anneal(rows, draft, MOVES // 3, penalty=penalty, best=best)
        naive.check(rows, draft, mode)


@DRAFTS
def test_every_move_leaves_it_in_order_and_undoing_restores_all(rows, mode, limit, seed):
    draft = some_rules(rows, limit, mode, seed)
    donors = rules_as_arrays(rows, some_rules(rows, limit, mode, seed + 1))
    before, score = state(draft), draft.state.score
    for _ in range(MOVED):
        move(rows, draft, donors)
        kernels._undo(rows, draft)
        assert state(draft) == before
        assert draft.state.score == pytest.approx(score, abs=naive.NEAR)
        naive.check(rows, draft, mode)
    for _ in range(MOVED):
        if not move(rows, draft, donors):
            kernels._undo(rows, draft)
        naive.check(rows, draft, mode)


@pytest.mark.parametrize("mode", naive.MODES)
def test_undoing_a_move_restores_what_ties_had_decided(mode):
    nothing = naive.no_rules(2)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        gains = np.eye(3)[rng.integers(0, 3, 30)]
        cells = rng.integers(0, 4, (30, 2)).tolist()
        rows = naive.make_rows(cells, [4, 4], [True, False], gains)
        draft = some_rules(rows, 24, mode, seed, moves=300, penalty=0.0)
        said, score = draft.predicted.copy(), draft.state.score
        for _ in range(30):
            move(rows, draft, nothing)
            kernels._undo(rows, draft)
            assert draft.predicted.tolist() == said.tolist()
            assert draft.state.score == pytest.approx(score, abs=naive.NEAR)


@given(naive.labelled_rows(), MODES, SIZES, SEEDS, st.sampled_from([0.0, 0.1, 1.0]))
def test_the_best_set_that_was_met_is_kept(rows, mode, limit, seed, penalty):
    draft = naive.begun(rows, limit, mode, seed)
    first = naive.candidate_of(naive.best_of(rows, draft))
    best = naive.candidate_of(naive.anneal(rows, draft, MOVES, penalty=penalty))
    assert best.value(penalty) >= first.value(penalty)
    assert best.cost == sum(naive.price(rows, words) for words in best.masks)
    rules = list(zip(best.masks, best.then.tolist(), strict=True))
    answers = naive.possible_answers(rows, rules, best.default, mode)
    low = sum(min(float(rows.gains[i, k]) for k in a) for i, a in enumerate(answers))
    high = sum(max(float(rows.gains[i, k]) for k in a) for i, a in enumerate(answers))
    near = naive.NEAR * max(1, len(answers))
    assert low - near <= best.worth <= high + near
    if mode == "avoid":
        assert not naive.disagreeing(rules)


@given(naive.labelled_rows(), SEEDS)
def test_rows_and_drafts_can_be_repeated_and_sent_to_other_processes(rows, seed):
    draft, again = (some_rules(rows, 10, "avoid", seed) for _ in range(2))
    assert state(draft) == state(again)
    # they hold pointers once a kernel has seen them
    other_rows, other = pickle.loads(pickle.dumps((rows, draft)))
    naive.anneal(other_rows, other, MOVES // 3)
    naive.check(other_rows, other, "avoid")
    naive.anneal(rows, draft, MOVES // 3)
    assert state(draft) == state(other)


def test_annealing_finds_a_rule_that_is_there():
    cells = [[a, b] for a in range(8) for b in range(8)]
    gains = [[0.0, 1.0] if 2 <= a < 5 and b >= 4 else [1.0, 0.0] for a, b in cells]
    rows = naive.make_rows(cells, [8, 8], [True, True], gains)
    draft = naive.begun(rows, 10, "avoid", 0)
    best = naive.candidate_of(naive.anneal(rows, draft, 4 * MOVES, penalty=0.2, cold=0.05))
    assert best.worth > 60
    assert len(best) <= 3


# --- in and out


@DRAFTS
def test_a_set_comes_out_as_it_went_in(rows, mode, limit, seed):
    draft = some_rules(rows, 24, mode, seed)
    whole = naive.candidate_of(naive.best_of(rows, draft))
    rules = rules_as_arrays(rows, draft)
    other = naive.begun(rows, 24, mode, seed + 1)
    kernels.load(rows, other, rules, whole.default)
    naive.check(rows, other, mode)
    again = naive.candidate_of(naive.best_of(rows, other))
    assert (again.default, again.cost) == (whole.default, whole.cost)
    assert again.masks.tolist() == rules.masks.tolist()
    assert again.then.tolist() == rules.then.tolist()
    if mode == "avoid":
        near = naive.NEAR * max(1, len(draft.predicted))
        assert again.worth == pytest.approx(whole.worth, abs=near)
    # rules that there is no room for are left out
    small = naive.begun(rows, limit, mode, seed)
    kernels.load(rows, small, rules, 0)
    naive.check(rows, small, mode)
    assert as_pairs(naive.rules_of(small)) == as_pairs(naive.rules_of(draft))[:limit]


def test_rules_that_test_too_many_features_are_left_out():
    d = 40
    rows = naive.make_rows([[0] * d, [1] * d], [2] * d, [True] * d, np.eye(2))
    draft = naive.begun(rows, 5, "avoid", 0)
    room = draft.tests.shape[1]
    assert room < d
    words = np.full((3, d), 3, dtype=np.uint64)
    words[0, : room + 1] = 1
    words[1, :room] = 1
    words[2, 0] = 2
    kernels.load(rows, draft, WordRules(words, np.array([0, 0, 1], dtype=np.int16)), 0)
    naive.check(rows, draft, "avoid")
    assert [w.tolist() for w, _ in naive.rules_of(draft)] == words[1:].tolist()


@DRAFTS
def test_sown_rules_agree(rows, mode, limit, seed):
    draft = naive.begun(rows, limit, mode, seed)
    kernels.sow(rows, draft, 4 * limit)
    naive.check(rows, draft, mode)
    rules = naive.rules_of(draft)
    assert rules
    if mode == "avoid":
        assert not naive.disagreeing(rules)
    # each was grown round a row of its own
    for words, then in rules:
        assert any(int(rows.best[i]) == then for i in naive.covered(rows, words))


@GUARDED
@DRAFTS
def test_rules_that_moves_grow_are_free_of_their_rivals(guard, rows, mode, limit, seed):
    # rivals are never changed: what is new has to keep out of them
    draft = naive.begun(rows, limit, mode, seed, guard=guard)
    nothing = naive.no_rules(rows.cells.shape[0])
    for _ in range(MOVED):
        naive.anneal(rows, draft, MOVES // MOVED, penalty=0.05)
        naive.check(rows, draft, mode)
        assert not naive.disagreeing(naive.rules_of(draft))
        before = as_pairs(naive.rules_of(draft))
        changed = move(rows, draft, nothing)
        # one rule is replaced, or two by one of which both are part, or a part is cut off
        assert sum(rule not in before for rule in as_pairs(naive.rules_of(draft))) <= 2
        if not changed:
            kernels._undo(rows, draft)
            naive.check(rows, draft, mode)


@GUARDED
@given(naive.labelled_rows(), SIZES, SEEDS)
def test_moves_that_grow_free_leave_old_conflicts_and_add_none(guard, rows, limit, seed):
    draft = naive.begun(rows, limit, "best", seed)
    kernels.sow(rows, draft, 4 * limit)
    draft.state.guard = guard

    before = len(naive.disagreeing(naive.rules_of(draft)))
    naive.anneal(rows, draft, MOVES // 3)
    naive.check(rows, draft, "best")
    # fewer, where a rule that takes part in one is replaced
    assert len(naive.disagreeing(naive.rules_of(draft))) <= before


@given(naive.labelled_rows(), MODES, SEEDS, st.integers(1, 200))
def test_evaluations_are_counted_and_limited(rows, mode, seed, limit):
    draft = naive.begun(rows, 5, mode, seed)
    draft.state.evaluation_limit = limit
    naive.anneal(rows, draft, MOVES)
    assert 0 <= draft.state.evaluated <= limit
    again = naive.begun(rows, 5, mode, seed)
    naive.anneal(rows, again, MOVES)
    # without a limit: one move, one evaluation, unless it leads nowhere
    assert draft.state.evaluated <= again.state.evaluated <= MOVES


def test_more_features_than_a_rule_may_test():
    rng = np.random.default_rng(0)
    cells = rng.integers(0, 3, (60, 40))
    gains = np.eye(2)[rng.integers(0, 2, 60)]
    ordered = [f % 2 == 0 for f in range(40)]
    rows = naive.make_rows(cells.tolist(), [3] * 40, ordered, gains)
    for mode in naive.MODES:
        draft = some_rules(rows, 30, mode, 1, moves=2 * MOVES, penalty=0.0)
        naive.check(rows, draft, mode)


# --- evolution


def settings(mode="avoid", **options):
    members = ((0.05, 12), (0.5, 12), (0.05, 3))
    return Settings(members, generations=2, moves=MOVES // 3, conflicts=mode, **options)


@given(naive.labelled_rows(), MODES, SEEDS, st.booleans())
def test_evolved_sets_predict_what_they_were_chosen_for(rows, mode, seed, sow):
    found = evolve(rows, [start_of(rows, mode=mode)], settings(mode, sow=sow), seed)
    assert len(found) == 3
    assert all(len(c) <= limit for c, (_, limit) in zip(found, settings().members, strict=True))
    for candidate in found:
        rules = list(zip(candidate.masks, candidate.then.tolist(), strict=True))
        if mode == "avoid":
            assert not naive.disagreeing(rules)
        covers = covering(candidate.masks, rows.cells)
        for row, (words, _) in zip(covers, rules, strict=True):
            assert set(np.flatnonzero(row)) == naive.covered(rows, words)
        answers = naive.possible_answers(rows, rules, candidate.default, mode)
        predicted = predict(candidate, rows.cells, mode)
        assert all(int(code) in answer for code, answer in zip(predicted, answers, strict=True))


def test_evolution_begins_at_the_best_start():
    gains = [[1.0, 0.0]] * 4 + [[0.0, 1.0]] * 4
    rows = naive.make_rows([[a] for a in range(8)] * 4, [8], [True], gains * 4)
    draft, nothing = naive.begun(rows, 12, "avoid", 0), start_of(rows)
    words = np.array([[0b1111]], dtype=np.uint64)
    kernels.load(rows, draft, WordRules(words, np.zeros(1, dtype=np.int16)), 1)
    perfect = naive.candidate_of(naive.best_of(rows, draft))
    assert perfect.worth == 32
    assert {c.worth for c in evolve(rows, [nothing, perfect], settings(), 0)} == {32}


def test_members_of_one_rule_evolve_alike_in_every_population():
    rows = grid_rows(150, 4, 8, 3, lambda cells: (cells[0] > 3) & (cells[1] > 2))
    ones = Settings(((0.1, 1), (0.5, 1)), generations=2, moves=100)
    more = replace(ones, members=(*ones.members, (0.1, 9), (0.1, 4)))
    alone, among = (evolve(rows, [start_of(rows)], some, 7) for some in (ones, more))
    for one, other in zip(alone, among, strict=False):
        assert one.masks.tolist() == other.masks.tolist()
        assert (one.then.tolist(), one.worth) == (other.then.tolist(), other.worth)
    # others start from them, and a limit that excludes nothing gives what no limit gives
    assert among[2].value(0.1) >= alone[0].value(0.1)
    assert len(among[2]) <= 4
    assert among[3].value(0.1) == among[2].value(0.1)


def test_evolution_stops_when_it_is_told_to():
    rows = naive.make_rows([[0], [1]], [2], [True], [[1.0, 0.0], [0.0, 1.0]])
    watch = Watch()
    watch.stopped.set()
    assert len(evolve(rows, [start_of(rows)], settings(), 0, watch, "here")) == 3
    assert len(watch.best["here"]) == 3


def test_a_run_ends_when_a_generation_improves_nothing():
    # one rule is right everywhere, so nothing can improve once it has been found
    gains = [[0.0, 1.0]] * 4 + [[1.0, 0.0]] * 4
    rows = naive.make_rows([[a] for a in range(8)], [8], [True], gains)
    settings = Settings(members=((0.1, 4),), generations=8, moves=500)
    starts = [Candidate(np.zeros((0, 1), dtype=np.uint64), np.zeros(0, dtype=np.int16), 0)]

    class Listed(Turns):
        def __init__(self, ends_early):
            self.ends_early, self.taken = ends_early, []

        def anneal(self, member, *rest):
            super().anneal(member, *rest)
            self.taken.append(member)

    for ends_early, n_generations in ((True, 4), (False, 8)):  # half of them are always run
        turns = Listed(ends_early)
        (found,) = evolve(rows, starts, replace(settings, turns=turns), 0)
        assert (len(found), found.worth) == (1, 8.0)
        assert len(turns.taken) == n_generations
