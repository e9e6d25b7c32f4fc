"""Trees that support evolution: a forest that smooths labels, and leaves to start from.

Trees see cells, not values, so their leaves are exact conditions. The cells of a categorical
feature are ordered by the labels of their rows, and an interval of a leaf becomes a set of values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from irenic.arrays import Bytes, Floats, Shorts, Words, as_scalars, packed
from irenic.kernels.evolve import CellRows, Limits
from irenic.kernels.forest import Bags, grow_forest
from irenic.learn.cells import Cells, ranks
from irenic.learn.evolution import Candidate, predict
from irenic.learn.sample import Sample
from irenic.learn.target import Consequents, Target

_TREES: Final = 100
_BAG_LIMIT: Final = 20_000
# With one label per row, trees are grown until leaves are pure and nodes try the square root of the
# number of features; with sets of labels, nodes try this share of them, and leaves have more rows.
_SHARE: Final = 0.33
_MIN_ROWS: Final = 3
# Error rate of a forest from which labels count as pure noise.
_NOISY: Final = 0.1
# Labels are smoothed less if the forest's part falls below this share of what it was.
_SHARPER: Final = 0.5


@dataclass(frozen=True, eq=False)
class Ladder:
    """The order in which trees see the cells of each feature."""

    cells: Cells
    positions: tuple[Bytes | None, ...]
    """Position of each cell in the order; None where the cells are already ordered."""

    @classmethod
    def from_labels(cls, cells: Cells, encoded: Bytes, y: Floats, weight: Floats) -> Ladder:
        """Return the order of cells by the means of ``y``."""
        positions: list[Bytes | None] = []
        for f, (n, ordered) in enumerate(zip(cells.n_cells, cells.ordered, strict=True)):
            if ordered:
                positions.append(None)
                continue
            order = np.argsort(ranks(encoded[f], y, weight, int(n)), kind="stable")
            position = np.empty(int(n), dtype=np.uint8)
            position[order] = np.arange(int(n))
            positions.append(position)
        return cls(cells, tuple(positions))

    def table(self, encoded: Bytes) -> Bytes:
        """Return the positions of cells, one row per feature, as trees see them."""
        columns = [
            column if position is None else position[column]
            for column, position in zip(encoded, self.positions, strict=True)
        ]
        return np.stack(columns)

    def floats(self, encoded: Bytes) -> npt.NDArray[np.float32]:
        """Return the positions of cells, one row per row, as scikit-learn takes them."""
        return np.ascontiguousarray(self.table(encoded).T, dtype=np.float32)

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
                words[:, f] = packed(inside)[:, 0]
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
        table: Bytes,
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


@dataclass(frozen=True, eq=False)
class Teacher:
    """The labels of a sample, smoothed by what a forest thinks of rows that it has not seen."""

    sample: Sample
    forest: Forest | None = None
    share: float = 0.0
    """The forest's part in the labels."""
    errors: float = 1.0
    """Share of rows for which the forest is wrong."""

    @classmethod
    def of(cls, sample: Sample, table: Bytes, smoothing: float, random_state: int) -> Teacher:
        """Return a teacher with a forest; where it is hardly ever wrong, it smooths less."""
        if smoothing <= 0 or len(sample) < 2:
            return cls(sample)
        target = sample.target
        forest = Forest(table, target, sample.weight, sample.groups, random_state)
        if not target.is_single:
            return cls(sample, forest, smoothing)
        errors = _errors(sample, forest.unseen.argmax(axis=1))
        return cls(sample, forest, smoothing * noise(errors), errors)

    @cached_property
    def labels(self) -> Floats:
        """The labels of rows, smoothed."""
        truth = self.sample.target.truth
        if self.forest is None:
            return truth
        return np.asarray((1.0 - self.share) * truth + self.share * self.forest.unseen)

    def opinion(self, whole: Sample) -> Floats:
        """Return what the forest thinks of each row of the sample that this one was taken from.

        It is the label where there is no opinion.
        """
        if self.forest is None:
            return whole.target.truth
        if self.sample is whole or whole.fixed is None:
            return self.forest.unseen
        opinion = whole.target.truth.copy()
        opinion[whole.fixed < 0] = self.forest.unseen
        return opinion

    def gains(self, consequents: Consequents) -> Floats:
        """Return the weighted gain of each consequent per row."""
        return np.asarray(consequents.gains(self.labels) * self.sample.weight[:, None])

    def rows(self, gains: Floats) -> CellRows:
        """Return the rows for evolution: those with the same cells as one, with their gains."""
        encoded = self.sample.encoded
        keys = as_scalars(encoded.T)
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        sums = np.zeros((len(first), gains.shape[1]))
        np.add.at(sums, group.ravel(), gains)
        cells = np.ascontiguousarray(encoded[:, first])
        return self.sample.cells.rows(cells, sums.astype(np.float32), self._shares())

    def _shares(self) -> Floats:
        """Return how often each feature is tried: half evenly, half by importance."""
        n_features = len(self.sample.encoded)
        even = np.full(n_features, 1.0 / n_features)
        if self.forest is None or not self.forest.importance.sum() > 0:
            return even
        importance = self.forest.importance
        return np.asarray((even + importance / importance.sum()) / 2.0)

    def sharper(self, candidates: Sequence[Candidate], conflicts: str) -> Teacher | None:
        """Return a teacher that smooths labels less, None if there is no reason to.

        Where rules are right and the forest is wrong, labels are not noise, and rules that make
        half of its errors have nothing to learn from it. Each rule and each condition counts as an
        error, because rules were chosen for their training rows.
        """
        sample = self.sample
        if self.forest is None or not self.share or not sample.target.is_single:
            return None
        errors = min(
            _errors(sample, predict(one, sample.encoded, conflicts))
            + (len(one) + one.cost) / sample.count.sum()
            for one in candidates
        )
        share = self.share * min(1.0, max(0.0, 2.0 * errors / self.errors - 1.0))
        return replace(self, share=share) if share <= _SHARPER * self.share else None


def noise(errors: float) -> float:
    """Return the noise of labels, from 0 to 1, by the share of errors that a forest makes.

    Where the forest is hardly ever wrong, its errors are exceptions to be learned.
    """
    return min(1.0, errors / _NOISY)


def _errors(sample: Sample, codes: Any) -> float:
    """Return the share of rows whose label is not the predicted one."""
    wrong = sample.target.truth.argmax(axis=1) != codes
    return float(np.average(wrong, weights=sample.weight))


class Leaves(NamedTuple):
    """Leaves of a tree: their conditions as words, and the mean labels of their rows."""

    masks: Words
    means: Floats


class LabelTree:
    """A tree that predicts labels, whose leaves are rules to start from."""

    def __init__(self, ladder: Ladder, teacher: Teacher, size: int, random_state: int) -> None:
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        sample, target = teacher.sample, teacher.sample.target
        self._ladder, self.sizes = ladder, tree_sizes(size)
        table = ladder.floats(sample.encoded)
        options = {"max_leaf_nodes": self.sizes[-1], "random_state": random_state}
        if target.many:
            self._tree: Any = DecisionTreeRegressor(**options)
            y = teacher.labels * np.sqrt(target.label_weights)
        else:
            self._tree = DecisionTreeClassifier(**options)
            y = target.truth.argmax(axis=1)
        self._tree.fit(table, y, sample.weight)
        self._means = node_means(self._tree, table, teacher.labels, sample.weight)

    def leaves(self, size: int) -> Leaves:
        """Return the leaves of the tree when it had a number of them."""
        masks, nodes = self._ladder.leaves(self._tree, size)
        return Leaves(masks, self._means[nodes])

    @cached_property
    def stages(self) -> list[Leaves]:
        """The leaves of the tree as it grew."""
        stages = []
        for size in self.sizes:
            stages.append(self.leaves(size))
            if len(stages[-1].masks) < size:
                break
        return stages


def tree_sizes(max_rules: int) -> list[int]:
    """Return the numbers of leaves at which a tree is a rule set to start from."""
    sizes = [size for size in (4, 8, 16, 32, 64, 128, 256, 512, 1024) if size <= max_rules]
    return sizes or [max(2, max_rules)]


def leaf_rules(
    tree: LabelTree,
    consequents: Consequents,
    rows: CellRows,
    defaults: list[int],
    limits: Limits | None,
) -> Iterator[Candidate]:
    """Yield leaves as rules: single ones, and all leaves of the tree as it grew.

    Where several defaults are tried, leaves are left out that predict the default. The shortest
    rule set is the best one, and its default need not be the most frequent consequent.
    """
    pair = tree.leaves(2)  # for members of one rule
    then = _best(consequents, pair)
    for default in defaults:
        yield from (Candidate(pair.masks[[r]], then[[r]], default) for r in range(len(then)))
    for leaves in tree.stages:
        masks, then = leaves.masks, _best(consequents, leaves)
        if limits is not None and len(limits.signs):
            # rules that lose a bound may overlap others: those that say more come first
            order = np.argsort(then == defaults[0], kind="stable")
            masks, then = masks[order], then[order]
        if len(defaults) == 1:
            yield Candidate(masks, then, defaults[0])
            continue
        for default in dict.fromkeys([*defaults, _longest(masks, then, rows)]):
            kept = then != default
            # single rules would be others than those of two leaves, which every fit has
            if kept.sum() > 1:
                yield Candidate(masks[kept], then[kept], default)


def _best(consequents: Consequents, leaves: Leaves) -> Shorts:
    """Return the best consequent of each leaf."""
    return np.asarray(consequents.gains(leaves.means).argmax(axis=1), dtype=np.int16)


def _longest(masks: Words, then: Shorts, rows: CellRows) -> int:
    """Return the consequent whose rules have the most tests, which a default would save."""
    return int(np.bincount(then, weights=(masks != rows.everything).sum(axis=1)).argmax())


def monotone_leaves(
    ladder: Ladder, teacher: Teacher, sizes: list[int], limits: Limits, default: int
) -> Iterator[Candidate]:
    """Yield the leaves of a tree whose predictions increase and decrease as they should.

    It predicts the places of labels in their order; leaves of the default are not rules.
    """
    from sklearn.tree import DecisionTreeRegressor

    labels = teacher.labels
    order = np.argsort(limits.ranks[: labels.shape[1]])
    places = np.argsort(order).astype(float)
    tree = DecisionTreeRegressor(
        max_leaf_nodes=sizes[-1], monotonic_cst=limits.signs, random_state=0
    )
    table = ladder.floats(teacher.sample.encoded)
    tree.fit(table, labels @ places, teacher.sample.weight)
    for size in sizes:
        masks, nodes = ladder.leaves(tree, size)
        place = np.rint(tree.tree_.value[nodes].ravel()).astype(np.intp)
        then = order[np.clip(place, 0, len(order) - 1)].astype(np.int16)
        yield Candidate(masks[then != default], then[then != default], default)
        if len(nodes) < size:
            break


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
