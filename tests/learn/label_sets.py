"""Rows with several labels each: as sets, as a matrix, and in a tree and a graph of labels."""

from __future__ import annotations

import numpy as np
from fitting import people

X, _ = people(150, noise=0.0)
LABELS = ["old", "rich", "wed"]
MATRIX = np.stack([X["age"] > 50, X["income"] > 30, X["married"]], axis=1).astype(int)
SETS = [{label for label, held in zip(LABELS, row, strict=True) if held} for row in MATRIX]
PATHS = ["1/1", "1/2", "2/1", "2/2"]
LEAVES = [
    {("1/1" if old else "1/2") if rich else ("2/1" if wed else "2")} for old, rich, wed in MATRIX
]
EDGES = [("root", "a"), ("root", "b"), ("a", "c"), ("b", "c"), ("c", "d"), ("a", "e")]
IN_GRAPH = [
    ({"d"} if old else {"c"}) if rich else ({"e"} if wed else set()) for old, rich, wed in MATRIX
]
