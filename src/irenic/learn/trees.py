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

from irenic.learn.cells import Cells, ranks

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
    each label is there. Small rule sets that are fitted to a mix of both generalise better and are
    smaller (``docs/learning.md``).
    """

    def __init__(
        self,
        table: npt.NDArray[np.float32],
        truth: Floats,
        weight: Floats,
        *,
        single: bool,
        random_state: int,
    ) -> None:
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        self._single, self._n_labels = single, truth.shape[1]
        common = {
            # trees of hundreds of labels take long, and average over labels as well
            "n_estimators": _TREES if self._n_labels <= 50 else _TREES // 4,
            "random_state": random_state,
            # beyond this, trees are no better and take most of the time
            "max_samples": min(len(table), _MOST_SAMPLES),
        }
        self._forest: Any
        if single:
            self._forest = RandomForestClassifier(**common)
            self._forest.fit(table, truth.argmax(axis=1), weight)
        else:
            self._forest = RandomForestRegressor(max_features=0.33, min_samples_leaf=3, **common)
            self._forest.fit(table, truth if truth.shape[1] > 1 else truth[:, 0], weight)
        self.importance: Floats = np.asarray(self._forest.feature_importances_)
        self.unseen: Floats = self._out_of_bag(table, truth)

    def _out_of_bag(self, table: npt.NDArray[np.float32], truth: Floats) -> Floats:
        """Return what the trees say of each row that have not seen it."""
        said = np.zeros_like(truth)
        n_trees = np.zeros(len(table))
        for tree, seen in zip(
            self._forest.estimators_, self._forest.estimators_samples_, strict=True
        ):
            unseen = np.ones(len(table), dtype=bool)
            unseen[seen] = False
            if unseen.any():
                said[unseen] += self._say(tree, table[unseen])
                n_trees += unseen
        # a row that every tree has seen keeps its own label
        return np.where(n_trees[:, None] > 0, said / np.maximum(n_trees, 1.0)[:, None], truth)

    def _say(self, tree: Any, table: npt.NDArray[np.float32]) -> Floats:
        if not self._single:
            return np.asarray(tree.predict(table)).reshape(-1, self._n_labels)
        said = np.zeros((len(table), self._n_labels))
        said[:, self._forest.classes_] = tree.predict_proba(table)
        return said


_TREES = 100
_MOST_SAMPLES = 20_000
