"""How kernels are compiled: the one decorator of all compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def jit(function: Callable[..., Any]) -> Any:
    """Compile a kernel that releases the GIL, and keep it for the next process where possible."""
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:
        # no place to keep it is writable (a container, a service): compile in each process
        return njit(nogil=True)(function)
