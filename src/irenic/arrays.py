"""Types of arrays, distinct values and rows, and the lowest value that is not missing."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Singles: TypeAlias = npt.NDArray[np.float32]
Ints: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.int32]
Shorts: TypeAlias = npt.NDArray[np.int16]
Signs: TypeAlias = npt.NDArray[np.int8]
Indices: TypeAlias = npt.NDArray[np.intp]
Words: TypeAlias = npt.NDArray[np.uint64]
Tallies: TypeAlias = npt.NDArray[np.uint16]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Bools: TypeAlias = npt.NDArray[np.bool_]

LOWEST: Final = -float(np.finfo(np.float64).max)
"""The lowest value that is not missing: the lower bound of ``f < 5``."""

GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
"""By how much the states of the generator SplitMix64 differ."""


def as_scalars(words: npt.NDArray[Any]) -> npt.NDArray[np.void]:
    """Return each row of words as one value; values are equal if the rows are."""
    rows = np.ascontiguousarray(words)
    return rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).reshape(-1)


def distinct(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return each value once, ascending, like ``np.unique``, which imports numpy.ma to do so."""
    ordered = np.sort(values, axis=None)
    is_first = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def packed(flags: Bools) -> Words:
    """Return flags as the bits of words, the first one as the lowest: ``[..., word]``.

    >>> packed(np.array([[True, False, True], [False, False, False]])).tolist()
    [[5], [0]]
    """
    octets = np.packbits(flags, axis=-1, bitorder="little")
    missing = -octets.shape[-1] % 8
    if missing:
        octets = np.pad(octets, [(0, 0)] * (flags.ndim - 1) + [(0, missing)])
    return octets.view(np.uint64)


def has_codes(words: Words, codes: npt.NDArray[np.integer]) -> Bools:
    """Return whether each set, a row of words, has each code: ``[set, code]``.

    >>> has_codes(np.array([[5]], dtype=np.uint64), np.arange(4)).tolist()
    [[True, False, True, False]]
    """
    shifts = (codes % 64).astype(np.uint64)
    return np.asarray(words[:, codes // 64] >> shifts & np.uint64(1), dtype=bool)


def scrambled(states: Words) -> Words:
    """Return the random number that SplitMix64 makes of each state."""
    mixed = (states ^ (states >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
