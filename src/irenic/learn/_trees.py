"""Trees as helpers of evolution: leaves to start from, and a forest that smooths labels.

Trees see cells, not values, so their leaves are conditions in words without any rounding. The cells
of a categorical feature are put in the order of what they predict, and a leaf's interval in that
order becomes a set of values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from irenic.learn._cells import Cells, ranks

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Ladder:
    """The order in which trees see the cells of each feature."""

    cells: Cells
    places: tuple[npt.NDArray[np.uint8] | None, ...]
    """The place of each cell in the order; None where cells are in order by themselves."""

    @classmethod
    def of(cls, cells: Cells, encoded: npt.NDArray[np.uint8], y: Floats, weight: Floats) -> Ladder:
        """Return the order of cells by the means of ``y``."""
        places: list[npt.NDArray[np.uint8] | None] = []
        for f, (n, ordered) in enumerate(zip(cells.n_cells, cells.ordered, strict=True)):
            if ordered:
                places.append(None)
                continue
            order = np.argsort(ranks(encoded[f], y, weight, int(n)), kind="stable")
            place = np.empty(int(n), dtype=np.uint8)
            place[order] = np.arange(int(n))
            places.append(place)
        return cls(cells, tuple(places))

    def table(self, encoded: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """Return cells as the table that trees are fitted to, one row an instance."""
        columns = [
            column if place is None else place[column]
            for column, place in zip(encoded, self.places, strict=True)
        ]
        return np.stack(columns, axis=1).astype(np.float32)

    def leaves(self, tree: Any) -> tuple[Words, npt.NDArray[np.int64]]:
        """Return the leaves of a fitted scikit-learn tree: conditions as words, and its nodes."""
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
        for first, end, place in zip(low.tolist(), high.tolist(), self.places, strict=True):
            if place is None:
                words.append((1 << end) - (1 << first))
            else:
                within = np.flatnonzero((place >= first) & (place < end)).tolist()
                words.append(sum(1 << cell for cell in within))
        return np.array(words, dtype=np.uint64)


class Forest:
    """A random forest over cells, and what it says of the rows it was grown on.

    A row's label is one draw; what trees say that were grown on other rows is nearer to how likely
    each label is there. Small rule sets that are fitted to a mix of both generalize better and are
    smaller (``docs/explanation/learner.md``). Bags are drawn from the groups that validation leaves
    out together, so that a tree that has not seen a row has seen no copy of it either.
    """

    def __init__(
        self,
        table: npt.NDArray[np.float32],
        truth: Floats,
        weight: Floats,
        groups: npt.NDArray[np.intp],
        *,
        single: bool,
        random_state: int,
    ) -> None:
        rng = np.random.default_rng(random_state)
        n_groups, n_labels = int(groups.max()) + 1, truth.shape[1]
        said, n_trees = np.zeros_like(truth), np.zeros(len(table))
        self.importance: Floats = np.zeros(table.shape[1])
        # trees of hundreds of labels take long, and average over labels as well
        for _ in range(_TREES if n_labels <= 50 else _TREES // 4):
            # beyond so many, trees are no better and take most of the time
            bag = rng.integers(n_groups, size=min(n_groups, _MOST_SAMPLES))
            times = np.bincount(bag, minlength=n_groups)[groups]
            seen = times > 0
            seed = int(rng.integers(2**31))
            tree = _grown(table[seen], truth[seen], (weight * times)[seen], single, seed)
            self.importance += tree.feature_importances_
            if not seen.all():
                said[~seen] += _say(tree, table[~seen], single, n_labels)
                n_trees += ~seen
        # a row that every tree has seen keeps its own label
        self.unseen: Floats = np.where(
            n_trees[:, None] > 0, said / np.maximum(n_trees, 1.0)[:, None], truth
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


def _say(tree: Any, table: npt.NDArray[np.float32], single: bool, n_labels: int) -> Floats:
    if not single:
        return np.asarray(tree.predict(table)).reshape(-1, n_labels)
    said = np.zeros((len(table), n_labels))
    said[:, tree.classes_] = tree.predict_proba(table)
    return said


_TREES = 100
_MOST_SAMPLES = 20_000
