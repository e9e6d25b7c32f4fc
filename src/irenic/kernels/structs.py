"""What kernels take: arrays that belong together, as ``c/irenic.h`` declares them."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np

from irenic.arrays import Bytes, Codes, Floats, Ints, Words
from irenic.kernels._library import Struct


@dataclass(eq=False)
class RuleColumns(Struct):
    """A set of rules with one column each. There may be room for more: only ``n`` of them count."""

    lower: Floats
    """Inclusive lower bounds, ``[features, room]``."""
    upper: Floats
    """Exclusive upper bounds, ``[features, room]``."""
    masks: Words
    """Bits of the sets of values, ``[words, room]``."""
    then: Codes
    """Codes of the consequents, ``[room]``."""
    weight: Floats
    """``[room]``."""
    n: int
    """Number of rules."""
    starts: Ints
    """Where the words of each categorical feature start, ``[sets + 1]``."""
    everything: Words
    """Bits of all values that can occur, ``[words]``."""
    lowest: Floats
    """Lowest value of each continuous feature, ``[features]``."""

    first = 0  # column of the first rule: rules before it were removed

    def part(self, first: int, n: int) -> RuleColumns:
        """Return ``n`` rules from a column on; what runs on this struct keeps its own.

        In C, arrays then begin at the first rule, and their rows are as far apart as before.
        """
        _ = self._as_parameter_  # takes the addresses
        part = self.changed(n=n)
        part.first = first
        struct = part.__dict__["_struct"]
        for name in ("lower", "upper", "masks", "then", "weight") if first != self.first else ():
            moved = (first - self.first) * getattr(self, name).itemsize
            setattr(struct, name, getattr(struct, name) + moved)
        return part


@dataclass(eq=False)
class Points(Struct):
    """Instances with one column each."""

    values: Floats
    """``[features, n]``."""
    codes: Codes
    """``[sets, n]``."""


@dataclass(eq=False)
class BoxRows(Struct):
    """Boxes with one row each; a single box has one row."""

    lower: Floats
    """``[n, features]``."""
    upper: Floats
    """``[n, features]``."""
    masks: Words
    """``[n, words]``."""
    starts: Ints
    """``[sets + 1]``."""


@dataclass(eq=False)
class Pool(Struct):
    """How many rules cover each instance, and the pool of instances that none covers."""

    counts: Ints
    """``[n]``."""
    members: Ints
    """The instances in the pool, as many as there are, ``[n]``."""
    place: Ints
    """Where each instance is among the members, -1 if it is not in the pool, ``[n]``."""


@dataclass(eq=False)
class Seed(Struct):
    """A point that a box is grown around, and where rules leave it out."""

    values: Floats
    """``[features]``."""
    codes: Codes
    """``[sets]``."""
    then: int
    """Code of the consequent whose rules are no rivals, -1 for none."""
    outside: Bytes
    """Whether a rule does not hold for the point on an axis, ``[axes, rules]``."""


@dataclass(eq=False)
class Seeds(Struct):
    """Points that boxes are grown around, with one row each."""

    values: Floats
    """``[n, features]``."""
    codes: Codes
    """``[n, sets]``."""
    order: Ints
    """The axes in the order in which they are enlarged, ``[n, axes]``."""
    then: Ints
    """Codes of the consequents whose rules are no rivals, -1 for none, ``[n]``."""


@dataclass(eq=False)
class Stack(Struct):
    """Boxes that are still to be cut, the last one first, and the boxes that meet each."""

    items: Codes
    """Rows of boxes."""
    begin: Ints
    """Where the rows of a box begin in ``items``, ``[room]``."""
    end: Ints
    """Where they end, ``[room]``."""
    lower: Floats
    """``[room, features]``."""
    upper: Floats
    """``[room, features]``."""
    masks: Words
    """``[room, words]``."""


class Box:
    """A single box as kernels write it: lower bounds, upper bounds and words in one piece.

    ``given`` is the box at first, as :meth:`pack` returns it.
    """

    __slots__ = ("_as_parameter_", "lower", "masks", "upper")

    def __init__(self, features: int, words: int, given: bytes | None = None) -> None:
        kind = _numbers(2 * features + words)
        self._as_parameter_ = memory = kind() if given is None else kind.from_buffer_copy(given)
        self.lower: Floats = np.ndarray((1, features), _FLOAT, memory)
        self.upper: Floats = np.ndarray((1, features), _FLOAT, memory, 8 * features)
        self.masks: Words = np.ndarray((1, words), _WORD, memory, 16 * features)

    @staticmethod
    def pack(lower: Floats, upper: Floats, masks: Words) -> bytes:
        """Return a single box as kernels read it."""
        if lower.dtype != _FLOAT or upper.dtype != _FLOAT or masks.dtype != _WORD:
            lower, upper = lower.astype(_FLOAT), upper.astype(_FLOAT)
            masks = masks.astype(_WORD)
        return lower.tobytes() + upper.tobytes() + masks.tobytes()


_FLOAT: Final = np.dtype(np.float64)
_WORD: Final = np.dtype(np.uint64)


@cache
def _numbers(n: int) -> Any:
    return ctypes.c_double * n
