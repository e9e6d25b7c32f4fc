"""What kernels take: arrays that belong together, as a C header would declare them.

Boxes come in two layouts. A set of rules has a column per box, so that a kernel reads the bounds
of one feature one after another; boxes that are cut and copied have a row each. The words of the
categorical feature ``j`` are ``starts[j]`` to ``starts[j + 1]`` in both.

Kernels put the fields that their inner loops use into variables first: numba would count
references to an array at every access through the tuple, and run no loop on vectors. Its cache
does not notice when a field here changes: delete ``__pycache__`` then.

numba takes several times as long to recognize a named tuple as a plain one, so kernels that
Python calls in inner loops accept plain tuples and name their fields themselves.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Rules(NamedTuple):
    """A set of rules, with a column each. There may be room for more: only ``n`` of them count."""

    lower: Any
    """Inclusive lower bounds, ``float64[features, room]``."""
    upper: Any
    """Exclusive upper bounds, ``float64[features, room]``."""
    masks: Any
    """Bits of the sets of values, ``uint64[words, room]``."""
    then: Any
    """Codes of the consequents, ``int32[room]``."""
    weight: Any
    """``float64[room]``."""
    n: Any
    """How many rules there are."""
    starts: Any
    """Where the words of each categorical feature start, ``int64[sets + 1]``."""
    everything: Any
    """The bits of all values that can occur, ``uint64[words]``."""
    lowest: Any
    """The lowest value of each continuous feature, ``float64[features]``."""


class Points(NamedTuple):
    """Instances, with a column each."""

    values: Any
    """``float64[features, n]``."""
    codes: Any
    """``int32[sets, n]``."""


class Boxes(NamedTuple):
    """Boxes, with a row each."""

    lower: Any
    """``float64[n, features]``."""
    upper: Any
    """``float64[n, features]``."""
    masks: Any
    """``uint64[n, words]``."""
    starts: Any
    """``int64[sets + 1]``."""


class Box(NamedTuple):
    """A single box."""

    lower: Any
    """``float64[features]``."""
    upper: Any
    """``float64[features]``."""
    masks: Any
    """``uint64[words]``."""


class Seed(NamedTuple):
    """The point that a box is grown around, and how; or many of them, with a row each."""

    values: Any
    """``float64[features]``."""
    codes: Any
    """``int32[sets]``."""
    order: Any
    """The axes in the order in which they are enlarged, ``int64[axes]``."""
    then: Any
    """Code of the consequent whose rules are no rivals, -1 for none."""


class Apart(NamedTuple):
    """Where rules stand apart from a box that is being grown."""

    outside: Any
    """Whether a rule does not hold for the seed on an axis, ``uint8[axes, n]``."""
    count: Any
    """On how many axes each rule is apart from the box, ``int16[n]``."""


class Stack(NamedTuple):
    """Boxes that are still to be cut, the last one first, and the rules that meet each."""

    items: Any
    """Indices of rules, ``int32[:]``."""
    begin: Any
    """Where the rules of a box begin in ``items``, ``int64[room]``."""
    end: Any
    """Where they end, ``int64[room]``."""
    lower: Any
    """``float64[room, features]``."""
    upper: Any
    """``float64[room, features]``."""
    masks: Any
    """``uint64[room, words]``."""
