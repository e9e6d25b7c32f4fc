"""Kernels on overlaps: the rules that have a point in common with a box, or with each other.

``c/pairs.c`` describes what each computes.
"""

from __future__ import annotations

import ctypes

import numpy as np

from irenic.arrays import Ints
from irenic.kernels._library import function
from irenic.kernels.structs import RuleColumns

meeting = function("meeting(struct, pointer, Bools*)")
_find = function("overlapping_pairs(struct, int, int, pointer) -> int", allocates=True)
_release = function("release(pointer)")


def overlapping_pairs(rules: RuleColumns, same: bool, limit: int) -> Ints:
    """Return the pairs of rules that overlap and whose consequents are the same (or differ).

    A pair is the smaller rule times 2 ** 32, plus the larger rule. There are at most ``limit``.
    """
    keys = ctypes.c_void_p()
    n = _find(rules, same, limit, ctypes.byref(keys))
    try:
        found = np.empty(n, dtype=np.int64)
        ctypes.memmove(found.ctypes.data, keys, found.nbytes)
    finally:
        _release(keys)
    return found
