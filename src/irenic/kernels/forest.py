"""A kernel that grows random forests over cells.

``c/forest.c`` describes what it computes.
"""

from __future__ import annotations

from dataclasses import dataclass

from irenic.arrays import Bytes, Codes, Floats, Ints, Words
from irenic.kernels._library import Struct, function


@dataclass(eq=False)
class Bags(Struct):
    """Labeled rows as cells, and the bags that trees are grown on."""

    cells: Bytes
    """Cell of feature f in row i, in the order of cuts, ``[d, n]``."""
    first: Ints
    """Where the labels of a row begin in ``labels``, ``[n + 1]``."""
    labels: Codes
    """The labels of all rows."""
    weight: Floats
    """``[n]``."""
    groups: Codes
    """Group of each row; a tree has seen all rows of a group or none, ``[n]``."""
    drawn: Codes
    """Groups in the bag of each tree, with repetition, ``[trees, size]``."""
    seeds: Words
    """State of the random number generator of each tree, not 0, ``[trees]``."""
    n_groups: int
    """Number of groups."""
    max_features: int
    """Features that a node tries; more while all of them are constant."""
    min_rows: int
    """Rows that each side of a cut must have."""


grow_forest = function("grow_forest(struct, Floats, Floats*, Floats*) -> int", allocates=True)
