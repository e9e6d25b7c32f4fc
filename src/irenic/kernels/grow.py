"""Kernels of CFSBE: boxes grown around a seed, among rules that are rivals or not.

``c/grow.c`` describes what each computes.
"""

from __future__ import annotations

from irenic.kernels._library import function

enlarge = function(
    "enlarge(struct, pointer, pointer, pointer, int, pointer) -> int", allocates=True
)
enlarge_box = function("enlarge_box(struct, pointer, pointer, int, pointer) -> int", allocates=True)
enlarge_many = function(
    "enlarge_many(struct, struct, struct, Ints*, int, int) -> int", allocates=True
)
stand_apart = function("stand_apart(struct, struct, Shorts*) -> int")
limit = function("limit(struct, struct, pointer, int, Shorts*, pointer)")
grow = function("grow(struct, struct, int, pointer, Shorts*)")
