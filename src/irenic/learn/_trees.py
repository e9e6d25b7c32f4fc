"""Trees that support evolution: leaves to start from, and a forest that smooths labels.

Trees see cells, not values, so their leaves are exact conditions. The cells of a categorical
feature are ordered by the labels of their rows, and an interval of a leaf becomes a set of values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irenic.learn._cells import Cells, ranks
from irenic.learn.target import Target

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint64]

_TREES: Final = 100
_BAG_LIMIT: Final = 20_000


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

    def table(self, encoded: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """Return cells as the table that trees are fitted to, one row per instance."""
        columns = [
            column if position is None else position[column]
            for column, position in zip(encoded, self.positions, strict=True)
        ]
        return np.stack(columns, axis=1).astype(np.float32)

    def leaves(self, tree: Any) -> tuple[Words, npt.NDArray[np.int64]]:
        """Return the conditions of the leaves of a fitted tree as words, and their nodes."""
        n_cells = self.cells.n_cells
        inner = tree.tree_
        masks: list[Words] = []
        nodes: list[int] = []
        pending = [(0, np.zeros(len(n_cells), dtype=np.int64), n_cells.copy())]
        while pending:
            node, low, high = pending.pop()
            if inner.children_left[node] < 0:
                masks.append(self._words(low, high))
                nodes.append(node)
                continue
            feature = inner.feature[node]
            cut = int(np.floor(inner.threshold[node])) + 1
            above, below = low.copy(), high.copy()
            above[feature] = max(above[feature], cut)
            below[feature] = min(below[feature], cut)
            pending.append((inner.children_right[node], above, high))
            pending.append((inner.children_left[node], low, below))
        return np.array(masks, dtype=np.uint64), np.array(nodes, dtype=np.int64)

    def _words(self, low: npt.NDArray[np.int64], high: npt.NDArray[np.int64]) -> Words:
        words = []
        for first, end, position in zip(low.tolist(), high.tolist(), self.positions, strict=True):
            if position is None:
                words.append((1 << end) - (1 << first))
            else:
                cells = np.flatnonzero((position >= first) & (position < end)).tolist()
                words.append(sum(1 << cell for cell in cells))
        return np.array(words, dtype=np.uint64)


class Forest:
    """A random forest over cells, with its out-of-bag predictions.

    The label of a row is a single draw; trees grown on other rows estimate how likely each
    label is there. Small rule sets fitted to a mix of both are smaller and generalize better
    (``docs/explanation/learner.md``). Bags are drawn from the groups that validation leaves out
    together, so that a tree that has not seen a row has not seen a copy of it either.
    """

    def __init__(
        self,
        table: npt.NDArray[np.float32],
        target: Target,
        weight: Floats,
        groups: npt.NDArray[np.intp],
        random_state: int,
    ) -> None:
        truth, single = target.truth, not target.many
        rng = np.random.default_rng(random_state)
        n_groups, n_labels = int(groups.max()) + 1, truth.shape[1]
        sums, n_trees = np.zeros_like(truth), np.zeros(len(table))
        self.importance: Floats = np.zeros(table.shape[1])
        # trees for hundreds of labels are slow, and also average over labels
        for _ in range(_TREES if n_labels <= 50 else _TREES // 4):
            # larger bags take most of the time and make trees no better
            bag = rng.integers(n_groups, size=min(n_groups, _BAG_LIMIT))
            times = np.bincount(bag, minlength=n_groups)[groups]
            seen = times > 0
            seed = int(rng.integers(2**31))
            tree = _grown(table[seen], truth[seen], (weight * times)[seen], single, seed)
            self.importance += tree.feature_importances_
            if not seen.all():
                sums[~seen] += _probabilities(tree, table[~seen], single, n_labels)
                n_trees += ~seen
        # a row that all trees have seen keeps its own label
        self.unseen: Floats = np.where(
            n_trees[:, None] > 0, sums / np.maximum(n_trees, 1.0)[:, None], truth
        )


def _grown(
    table: npt.NDArray[np.float32], truth: Floats, weight: Floats, single: bool, seed: int
) -> Any:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    if single:
        tree = DecisionTreeClassifier(max_features="sqrt", random_state=seed)
        return tree.fit(table, truth.argmax(axis=1), weight)
    tree = DecisionTreeRegressor(max_features=0.33, min_samples_leaf=3, random_state=seed)
    return tree.fit(table, truth, weight)


def _probabilities(
    tree: Any, table: npt.NDArray[np.float32], single: bool, n_labels: int
) -> Floats:
    if not single:
        return np.asarray(tree.predict(table)).reshape(-1, n_labels)
    probabilities = np.zeros((len(table), n_labels))
    probabilities[:, tree.classes_] = tree.predict_proba(table)
    return probabilities
