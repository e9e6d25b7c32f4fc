"""What kernels take: arrays that belong together, as ``c/irenic.h`` declares them."""

from __future__ import annotations

from dataclasses import dataclass

from irenic.kernels._library import Struct
from irenic.kernels.arrays import Codes, Floats, Ints, Words


@dataclass(eq=False)
class Rules(Struct):
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


@dataclass(eq=False)
class Points(Struct):
    """Instances with one column each."""

    values: Floats
    """``[features, n]``."""
    codes: Codes
    """``[sets, n]``."""


@dataclass(eq=False)
class Boxes(Struct):
    """Boxes with one row each; a single box has one row."""

    lower: Floats
    """``[n, features]``."""
    upper: Floats
    """``[n, features]``."""
    masks: Words
    """``[n, words]``."""
    starts: Ints
    """``[sets + 1]``."""
