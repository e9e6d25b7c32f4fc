"""Kernels that keep the rules of each instance current as rules come and go.

``c/follow.c`` describes what each computes.
"""

from __future__ import annotations

from dataclasses import dataclass

from irenic.arrays import Ints
from irenic.kernels._library import Struct, function

list_rule = function("list_rule(Bools*, int, struct, int) -> int")
unlist_rule = function("unlist_rule(Bools*, int, struct)")


@dataclass(eq=False)
class Lists(Struct):
    """Ids of the rules that cover each instance, in ascending order, with room for more."""

    ids: Ints
    """``[any]``."""
    begin: Ints
    """Where the list of an instance begins in ``ids``, ``[n]``."""
    count: Ints
    """Ids in the list, ``[n]``."""
    room: Ints
    """Ids that the list can have where it is, ``[n]``."""
