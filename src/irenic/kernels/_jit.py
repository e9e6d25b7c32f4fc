"""How kernels are compiled: the one decorator of all compiled code."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from numba import njit


def jit(function: Callable[..., Any], *, inner: bool = False, inlined: bool = False) -> Any:
    """Compile a kernel that releases the GIL, and keep it for the next process where possible.

    An ``inner`` one is called by compiled code only: what Python would need to call it is left out,
    which for arguments of many arrays takes longer to compile than the kernel. An ``inlined`` one
    becomes part of the kernels that call it: passing a struct of many arrays takes as long as a
    short loop.
    """
    options: dict[str, Any] = {"nogil": True}
    if inner:
        options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    if inlined:
        options["inline"] = "always"
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:
        # no place to keep it is writable (a container, a service): compile in each process
        return njit(**options)(function)


inline = partial(jit, inlined=True)
