"""The kernel of recursive cutting: the parts of a box that no other box meets."""

from __future__ import annotations

import ctypes

from irenic.kernels._library import function
from irenic.kernels.structs import BoxRows, Stack

_find_gaps = function("find_gaps(struct, struct, int, struct, pointer) -> int", allocates=True)
_Counts = ctypes.c_int64 * 3


def find_gaps(
    boxes: BoxRows, stack: Stack, depth: int, max_nodes: int, out: BoxRows
) -> tuple[int, int, int]:
    """Go on cutting what is on the stack, and write the parts that none of the boxes meets.

    Return the depth that is left, how many parts were found and how many nodes were examined; see
    ``c/gaps.c``.
    """
    counts = _Counts(depth)
    _find_gaps(boxes, stack, max_nodes, out, counts)
    left, found, nodes = counts
    return left, found, nodes
