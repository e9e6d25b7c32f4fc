"""Kernels on rules and instances: which rules cover which instances, and what follows from it.

``c/cover.c`` describes what each computes.
"""

from __future__ import annotations

from irenic.kernels._library import function

covering = function("covering(struct, struct, int, int, Bools*)")
covering_one = function("covering_one(struct, pointer, pointer, Bools*)")
deciding = function("deciding(struct, struct, Ints, int, int, Ints*)")
voting = function("voting(struct, struct, int, int, int, Ints*) -> int", allocates=True)
counting = function("counting(struct, struct, Ints, Ints*, Ints, Ints*)")
update_pool = function("update_pool(Bools*, int, struct, int) -> int")
