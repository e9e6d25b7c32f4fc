"""Moves between rule sets, where the learner spends its time.

``c/evolve.h`` describes how rows, rules and rule sets under change are represented; ``c/evolve.c``,
``c/moves.c``, ``c/fit.c`` and ``c/draft.c`` describe what kernels compute.
"""

from __future__ import annotations

from ctypes import c_double, c_int64, c_uint64
from dataclasses import dataclass
from typing import Final

import numpy as np

from irenic.arrays import (
    Bools,
    Bytes,
    Codes,
    Floats,
    Ints,
    Shorts,
    Singles,
    Tallies,
    Words,
)
from irenic.kernels._library import Scalars, Struct, function


@dataclass(eq=False)
class CellRows(Struct):
    """Labeled rows as cells and bitmaps; never modified."""

    cells: Bytes
    """Cell of feature f in row i, ``[d, n]``."""
    n_cells: Ints
    """Number of cells per feature, ``[d]``."""
    ordered: Bools
    """Whether the cells of a feature are ordered, ``[d]``."""
    begin: Ints
    """Index of the first bitmap of a feature in ``maps``, ``[d]``."""
    maps: Words
    """Bitmaps over rows: those below a cut (ordered) or in a cell, ``[all cells, words]``."""
    everything: Words
    """Word for "no condition" on each feature, ``[d]``."""
    full: Words
    """Bitmap of all rows, ``[words]``."""
    gains: Singles
    """Gain from predicting consequent k for row i, ``[n, k]``."""
    best: Shorts
    """Consequent with the highest gain for each row, ``[n]``."""
    pick: Floats
    """Cumulative probabilities of trying each feature, ``[d]``; the last is 1."""


@dataclass(eq=False)
class WordRules(Struct):
    """Rules as words."""

    masks: Words
    """``[rules, d]``."""
    then: Shorts
    """``[rules]``."""

    @classmethod
    def empty(cls, n: int, n_features: int) -> WordRules:
        """Return room for ``n`` rules."""
        return cls(np.zeros((n, n_features), dtype=np.uint64), np.zeros(n, dtype=np.int16))


@dataclass(eq=False)
class Schedule(Struct):
    """How to anneal."""

    moves: int
    """Number of moves to try."""
    hot: float
    """First temperature, in units of the score."""
    cold: float
    """Last temperature."""
    penalty: float
    """Score that each rule and each condition costs."""


@dataclass(eq=False)
class Limits(Struct):
    """What rules must respect besides each other; see ``c/limits.c``."""

    walls: Words
    """Regions that rules of some consequents must not enter, ``[walls, d]``."""
    banned: Bytes
    """Whether a consequent is one of them, ``[walls, k]``."""
    impossible: Words
    """Regions where no case can occur, so that rules may overlap, ``[regions, d]``."""
    most_values: Ints
    """Number of values that a set may list, or leave out, ``[d]``; ``[0]`` for no limit.

    It is negative if the last cell of the feature is that of all other values.
    """
    signs: Ints
    """1 or -1 where predictions increase or decrease, ``[d]``; ``[0]`` for nowhere."""
    known: Ints
    """First cell of values that are not missing, ``[d]``; ``[0]`` if there are no signs."""
    ranks: Ints
    """Place of each consequent in the order of predictions, ``[k]``."""

    @classmethod
    def none(cls, n_features: int, n_codes: int) -> Limits:
        """Return limits that exclude nothing."""
        words = np.zeros((0, n_features), dtype=np.uint64)
        empty = np.zeros(0, dtype=np.int64)
        banned = np.zeros((0, n_codes), dtype=np.uint8)
        return cls(words, banned, words, empty, empty, empty, np.arange(n_codes))


class State(Scalars):
    """The options of a draft and its numbers, which kernels change; ``c/evolve.h`` explains them.

    ``random`` is the state of the random number generator, which must not be 0.
    """

    _fields_ = (
        ("rule_limit", c_int64),
        ("resolve", c_int64),
        ("guard", c_int64),
        ("fixed_default", c_int64),
        ("evaluation_limit", c_int64),
        ("random", c_uint64),
        ("size", c_int64),
        ("code_by_default", c_int64),
        ("cost", c_int64),
        ("evaluated", c_int64),
        ("logged", c_int64),
        ("drop", c_int64),
        ("shorten", c_int64),
        ("proposed", c_int64),
        ("proposed_rule", c_int64),
        ("longer", c_int64),
        ("score", c_double),
        ("gain", c_double),
        ("penalty", c_double),
    )


class Totals(Scalars):
    """The numbers of the best version of a draft."""

    _fields_ = (
        ("size", c_int64),
        ("code_by_default", c_int64),
        ("cost", c_int64),
        ("score", c_double),
    )


@dataclass(eq=False)
class Bench(Struct):
    """What a rule that grows is computed with."""

    added: Singles
    """What it adds to the score at a row, ``[n]``."""
    failed: Bytes
    """Number of its conditions that a row fails, ``[n]``."""
    failing: Codes
    """Sum of the features of these conditions, ``[n]``."""
    inside: Codes
    """Rows that fail none, ``[n]``."""
    weights: Singles
    """What these add, where losses may count less, ``[n]``."""
    sums: Floats
    """Sums of what rows add, by cell, ``[d, 64]``."""

    @classmethod
    def empty(cls, n: int, n_features: int) -> Bench:
        """Return what growing rules takes for a number of rows."""
        return cls(
            added=np.zeros(n, dtype=np.float32),
            failed=np.zeros(n, dtype=np.uint8),
            failing=np.zeros(n, dtype=np.int32),
            inside=np.zeros(n, dtype=np.int32),
            weights=np.zeros(n, dtype=np.float32),
            sums=np.zeros((n_features, 64)),
        )


@dataclass(eq=False)
class Draft(Struct):
    """A rule set under change."""

    limits: Limits
    state: State
    bench: Bench
    masks: Words
    """``[places, d]``."""
    tests: Ints
    """Features that a rule tests, ``[places, limit]``."""
    n_tests: Codes
    """``[places]``."""
    then: Shorts
    """``[places]``."""
    cost: Codes
    """Number of bounds and sets in a rule, ``[places]``."""
    worth: Floats
    """Quality of a rule where the best one decides, ``[places]``."""
    cover: Words
    """``[places + 1, words]``; the last bitmap is for scratch."""
    slot: Ints
    """``[places]``."""
    rank: Ints
    """Places of the rules, best first, where the best one decides, ``[places]``."""
    count: Tallies
    """Number of rules that cover a row, ``[n]``."""
    covered: Words
    """Bitmap of the rows that a rule covers, ``[words]``."""
    shared: Words
    """Bitmap of the rows that several rules cover, ``[words]``."""
    predicted: Shorts
    """Predicted consequent of a row, ``[n]``."""
    votes: Tallies
    """Votes for each consequent, where rules vote, ``[n, k]``."""
    log: Ints
    """Kind and place of each step, ``[STEPS, 2]``."""
    room: Words
    """Region in which a rule may change, as words, ``[d]``."""
    order: Ints
    """Features in the order in which a room grows, ``[d]``."""
    sums: Floats
    """Scratch, ``[k]``."""

    @classmethod
    def empty(cls, rows: CellRows, state: State, max_tests: int, limits: Limits) -> Draft:
        """Return a draft without rules, with the options of a state."""
        (d, n), n_codes, n_words = rows.cells.shape, rows.gains.shape[1], len(rows.full)
        places = state.rule_limit + STEPS + 1
        return cls(
            limits=limits,
            state=state,
            bench=Bench.empty(n, d),
            masks=np.zeros((places, d), dtype=np.uint64),
            tests=np.zeros((places, min(d, max_tests)), dtype=np.int64),
            n_tests=np.zeros(places, dtype=np.int32),
            then=np.zeros(places, dtype=np.int16),
            cost=np.zeros(places, dtype=np.int32),
            worth=np.zeros(places),
            cover=np.zeros((places + 1, n_words), dtype=np.uint64),
            slot=np.arange(places, dtype=np.int64),
            rank=np.zeros(places, dtype=np.int64),
            count=np.zeros(n, dtype=np.uint16),
            covered=np.zeros(n_words, dtype=np.uint64),
            shared=np.zeros(n_words, dtype=np.uint64),
            predicted=np.zeros(n, dtype=np.int16),
            votes=np.zeros((n if state.resolve == VOTE else 0, n_codes), dtype=np.uint16),
            log=np.zeros((STEPS, 2), dtype=np.int64),
            room=np.zeros(d, dtype=np.uint64),
            order=np.arange(d, dtype=np.int64),
            sums=np.zeros(n_codes),
        )


# How several rules that cover a row decide.
AVOID, VOTE, BEST = 0, 1, 2
# Rivals are ignored, make way in one of several ways, cut the new rule one after another, or limit
# the region that CFSBE enlarges from the rule that it replaces.
IGNORE, MAKE_WAY, GROW, ENLARGE = 0, 1, 2, 3
# Moves that would touch more rules than this are rejected.
STEPS: Final = 24

load = function("load_draft(struct, struct, struct, int)")
sow = function("sow_draft(struct, struct, int)")
grow = function("grow_draft(struct, struct, int, float)")
keep = function("keep_draft(struct, struct, struct)")
anneal = function("anneal(struct, struct, struct, struct, struct, struct)")
cover = function("cover_cells(Bytes, Words, Bools*)")

# Parts of annealing that only tests call.
_move = function("move_draft(struct, struct, struct) -> int")
_take = function("take_draft(struct, struct)")
_enlarge = function("enlarge_draft(struct, struct, int, int)")
_fit = function("fit_draft(struct, struct, int, int, int, Words*)")
_grow_around = function("grow_around(struct, struct, int) -> int")
_undo = function("undo_draft(struct, struct)")
_below = function("random_below(Words*, int) -> int")
_describe_word = function("describe_word(int, Ints*)")
_word_between = function("word_between(int, int, Words*)")


def _bits(word: int) -> tuple[int, int, int]:
    """Return the first bit, the last bit and the number of bits of a nonzero word."""
    out = np.empty(3, dtype=np.int64)
    _describe_word(word, out)
    first, last, count = out.tolist()
    return first, last, count


def _between(low: int, high: int) -> int:
    """Return the word with the bits in [low, high)."""
    out = np.empty(1, dtype=np.uint64)
    _word_between(low, high, out)
    return int(out[0])
