"""Kernels that decide one point by an index of rules.

``c/decide.c`` describes the index and what each function computes.
"""

from __future__ import annotations

import ctypes
import weakref
from dataclasses import dataclass
from typing import Final

import numpy as np

from irenic.arrays import Bytes, Floats, Ints
from irenic.kernels._library import Struct, function
from irenic.kernels.structs import RuleColumns

UNUSUAL: Final = -3
"""What ``decide_point`` returns for a point that it does not take unchecked."""
NO_MEMORY: Final = -2

decide_point = function("decide_point(pointer, pointer, int) -> int", keeps_lock=True)
_index_rules = function("index_rules(struct, Ints, struct, int) -> pointer")
_free_index = function("free_index(pointer)")
_index_sizes = function("index_sizes(pointer, Ints*)")


@dataclass(eq=False)
class Domain(Struct):
    """The values that continuous features can have."""

    end: Floats
    """The cut just above the greatest value, ``[features]``."""
    exact: Floats
    """Numbers must be less than this in magnitude to be taken unchecked, ``[features]``."""
    missing: Bytes
    """Whether the value may be missing, ``[features]``."""
    whole: Bytes
    """Whether values are whole numbers, ``[features]``."""


class Index:
    """An index of rules, in memory of the library that is freed with this object.

    Rules are copied, in the order of their priority. If they vote, ``n_thens`` is the number of
    their consequents, otherwise 0.
    """

    def __init__(self, rules: RuleColumns, order: Ints, domain: Domain, n_thens: int) -> None:
        address = _index_rules(rules, order, domain, n_thens)
        if address is None:
            raise MemoryError(f"not enough memory for an index of {rules.n} rules")
        self.pointer = ctypes.c_void_p(address)
        weakref.finalize(self, _free_index, self.pointer).atexit = False

    def sizes(self) -> tuple[int, int, int, int]:
        """Return the numbers of nodes, leaves, rules in leaves, and rules in the longest leaf."""
        sizes = np.empty(4, dtype=np.int64)
        _index_sizes(self.pointer, sizes)
        nodes, leaves, entries, longest = sizes.tolist()
        return nodes, leaves, entries, longest
