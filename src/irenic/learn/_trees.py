"""Trees that support evolution: leaves to start from, and a forest that smooths labels.

Trees see cells, not values, so their leaves are exact conditions. The cells of a categorical
feature are ordered by the labels of their rows, and an interval of a leaf becomes a set of values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irenic.arrays import Floats, Words
from irenic.kernels.forest import Bags, grow_forest
from irenic.learn._cells import Cells, as_words, ranks
from irenic.learn.target import Target

_TREES: Final = 100
_BAG_LIMIT: Final = 20_000
# With one label per row, trees are grown until leaves are pure and nodes try the square root of the
# number of features; with sets of labels, nodes try this share of them, and leaves have more rows.
_SHARE: Final = 0.33
_MIN_ROWS: Final = 3


@dataclass(frozen=True, eq=False)
class Ladder:
    """The order in which trees see the cells of each feature."""

    cells: Cells
    positions: tuple[npt.NDArray[np.uint8] | None, ...]
    """Position of each cell in the order; None where the cells are already ordered."""

    @classmethod
    def from_labels(
        cls, cells: Cells, encoded: npt.NDArray[np.uint8], y: Floats, weight: Floats
    ) -> Ladder:
        """Return the order of cells by the means of ``y``."""
        positions: list[npt.NDArray[np.uint8] | None] = []
        for f, (n, ordered) in enumerate(zip(cells.n_cells, cells.ordered, strict=True)):
            if ordered:
                positions.append(None)
                continue
            order = np.argsort(ranks(encoded[f], y, weight, int(n)), kind="stable")
            position = np.empty(int(n), dtype=np.uint8)
            position[order] = np.arange(int(n))
            positions.append(position)
        return cls(cells, tuple(positions))

    def table(self, encoded: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Return the positions of cells, one row per feature, as trees see them."""
        columns = [
            column if position is None else position[column]
            for column, position in zip(encoded, self.positions, strict=True)
        ]
        return np.stack(columns)

    def leaves(self, tree: Any, size: int) -> tuple[Words, npt.NDArray[np.int64]]:
        """Return the conditions of leaves as words, and their nodes.

        They are the leaves that the tree had when it had ``size``, or all if it has fewer. Trees
        with a maximum number of leaves are grown best first, so its first nodes are that tree.
        """
        inner, n_nodes = tree.tree_, 2 * size - 1
        left, right = inner.children_left.tolist(), inner.children_right.tolist()
        features = inner.feature.tolist()
        cuts = (np.floor(inner.threshold).astype(np.int64) + 1).tolist()
        n_cells = self.cells.n_cells.tolist()
        lows: list[list[int]] = []
        highs: list[list[int]] = []
        nodes: list[int] = []
        pending = [(0, [0] * len(n_cells), n_cells)]
        while pending:
            node, low, high = pending.pop()
            if not 0 <= left[node] < n_nodes:
                lows.append(low)
                highs.append(high)
                nodes.append(node)
                continue
            feature, cut = features[node], cuts[node]
            above, below = low.copy(), high.copy()
            above[feature] = max(above[feature], cut)
            below[feature] = min(below[feature], cut)
            pending.append((right[node], above, high))
            pending.append((left[node], low, below))
        return self._words(np.array(lows), np.array(highs)), np.array(nodes, dtype=np.int64)

    def _words(self, low: npt.NDArray[np.int64], high: npt.NDArray[np.int64]) -> Words:
        """Return the cells at the positions in [low, high), as words: ``[leaf, feature]``."""
        words = _first_bits(high) ^ _first_bits(low)
        for f, position in enumerate(self.positions):
            if position is not None:
                inside = (position >= low[:, f, None]) & (position < high[:, f, None])
                words[:, f] = as_words(inside)
        return words


def _first_bits(n: npt.NDArray[np.int64]) -> Words:
    """Return words whose first ``n`` bits are set.

    >>> _first_bits(np.array([0, 3, 64]))
    array([                   0,                    7, 18446744073709551615],
          dtype=uint64)
    """
    bits = ~np.uint64(0) >> (64 - np.maximum(n, 1)).astype(np.uint64)
    return np.where(n > 0, bits, np.uint64(0))


class Forest:
    """A random forest over cells, with its out-of-bag predictions.

    The label of a row is a single draw; trees grown on other rows estimate how likely each
    label is there. Small rule sets fitted to a mix of both are smaller and generalize better
    (``docs/explanation/learner.md``). Bags are drawn from the groups that validation leaves out
    together, so that a tree that has not seen a row has not seen a copy of it either.
    """

    def __init__(
        self,
        table: npt.NDArray[np.uint8],
        target: Target,
        weight: Floats,
        groups: npt.NDArray[np.intp],
        random_state: int,
    ) -> None:
        truth = target.truth
        (d, n), n_labels = table.shape, truth.shape[1]
        rng = np.random.default_rng(random_state)
        n_groups = int(groups.max()) + 1
        # trees for hundreds of labels are slow, and also average over labels
        n_trees = _TREES if n_labels <= 50 else _TREES // 4
        # larger bags take most of the time and make trees no better
        size = (n_trees, min(n_groups, _BAG_LIMIT))
        rows, labels = np.nonzero(truth)
        bags = Bags(
            cells=table,
            first=np.searchsorted(rows, np.arange(n + 1)),
            labels=labels.astype(np.int32),
            # the largest weight is about 1, so that squares are finite
            weight=np.ldexp(weight, -np.frexp(weight.max())[1]),
            groups=groups.astype(np.int32),
            drawn=rng.integers(n_groups, size=size, dtype=np.int32),
            # xorshift never leaves 0
            seeds=rng.integers(1, 2**63, size=n_trees).astype(np.uint64),
            n_groups=n_groups,
            max_features=max(1, int(d * _SHARE if target.many else np.sqrt(d))),
            min_rows=_MIN_ROWS if target.many else 1,
        )
        sums, n_unseen = np.zeros((n, n_labels)), np.zeros(n)
        self.importance: Floats = np.zeros(d)
        grow_forest(bags, sums, n_unseen, self.importance)
        # a row that all trees have seen keeps its own label
        self.unseen: Floats = np.where(
            n_unseen[:, None] > 0, sums / np.maximum(n_unseen, 1.0)[:, None], truth
        )


def node_means(tree: Any, table: npt.NDArray[np.float32], y: Floats, weight: Floats) -> Floats:
    """Return the mean of ``y`` in each node of a fitted tree."""
    inner = tree.tree_
    leaf = inner.apply(table)
    n_nodes = inner.node_count
    columns = [np.bincount(leaf, weights=weight * column, minlength=n_nodes) for column in y.T]
    sums = np.stack([np.bincount(leaf, weights=weight, minlength=n_nodes), *columns], axis=1)
    # children come after their parents
    for node in np.flatnonzero(inner.children_left >= 0)[::-1].tolist():
        sums[node] = sums[inner.children_left[node]] + sums[inner.children_right[node]]
    return np.asarray(sums[:, 1:] / np.maximum(sums[:, :1], 1e-300))
