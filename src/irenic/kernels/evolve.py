"""Moves between rule sets, where the learner spends its time.

``c/evolve.h`` describes how rows, rules and rule sets under change are represented; ``c/evolve.c``,
``c/moves.c``, ``c/fit.c`` and ``c/draft.c`` describe what kernels compute.
"""

from __future__ import annotations

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
from irenic.kernels._library import Struct, function


@dataclass(eq=False)
class Rows(Struct):
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
class Rules(Struct):
    """Rules as words; ``WordRules`` in C."""

    masks: Words
    """``[rules, d]``."""
    then: Shorts
    """``[rules]``."""


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
class Draft(Struct):
    """A rule set under change."""

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
    count: Tallies
    """Number of rules that cover a row, ``[n]``."""
    covered: Words
    """Bitmap of the rows that a rule covers, ``[words]``."""
    shared: Words
    """Bitmap of the rows that several rules cover, ``[words]``."""
    predicted: Shorts
    """Predicted consequent of a row, ``[n]``."""
    ints: Ints
    """Counters and options, indexed by the names below, ``[15]``; ``Counters`` in C."""
    floats: Floats
    """Indexed by the names below, ``[4]``."""
    log: Ints
    """Kind and place of each step, ``[STEPS, 2]``."""
    rng: Words
    """State of the random number generator, ``[1]``."""
    sums: Floats
    """Scratch, ``[k]``."""
    votes: Tallies
    """Votes for each consequent, where rules vote, ``[n, k]``."""
    rank: Ints
    """Places of the rules, best first, where the best one decides, ``[places]``."""
    room: Words
    """Region in which a rule may change, as words, ``[d]``."""
    order: Ints
    """Features in the order in which a room grows, ``[d]``."""
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
    added: Singles
    """What a rule that grows adds to the score at a row, ``[n]``."""
    failed: Bytes
    """Number of its conditions that a row fails, ``[n]``."""
    failing: Codes
    """Sum of the features of these conditions, ``[n]``."""
    inside: Codes
    """Rows that fail none, ``[n]``."""
    weights: Singles
    """What these add, where losses may count less, ``[n]``."""
    cell_sums: Floats
    """Sums of what rows add, by cell, ``[d, 64]``."""


SIZE, DEFAULT, COST, LOGGED, RULE_LIMIT, RESOLVE, DROP, SHORTEN, FIXED = range(9)
# How moves treat rivals, the number of moves evaluated, and the number to stop at (-1: never).
GUARD, EVALUATED, EVALUATION_LIMIT = range(9, 12)
# The step that a move ends with: its kind, its rule, and how much longer it makes the rule set.
PROPOSED, PROPOSED_RULE, LONGER = range(12, 15)
# The score, what the proposed step adds to it, and the score that each rule and condition costs.
SCORE, GAIN, PENALTY = range(3)
AVOID, VOTE, BEST = 0, 1, 2
# Rivals are ignored, make way in one of several ways, cut the new rule one after another, or limit
# the region that CFSBE enlarges from the rule that it replaces.
IGNORE, MAKE_WAY, GROW, ENLARGE = 0, 1, 2, 3
# Moves that would touch more rules than this are rejected.
STEPS: Final = 24

load = function("load_draft(struct, struct, struct, int)")
sow = function("sow_draft(struct, struct, int)")
grow = function("grow_draft(struct, struct, int, float)")
unload = function("unload_draft(struct, struct) -> int")
anneal = function("anneal(struct, struct, struct, struct, struct, Floats*)")
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
