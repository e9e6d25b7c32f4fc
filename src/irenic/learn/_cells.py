"""Rows as cells: at most 64 per feature, so that a condition is one word.

Evolution works on cells; :meth:`Cells.rule_set` turns its results into rules over the space. The
cells of a continuous feature are separated by cuts with few digits between data values, with
missing values in a cell of their own below the others. The cells of a categorical feature are its
values; if there are more than 64, the frequent ones, and one cell for all others.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irenic.kernels.evolve import Rows
from irenic.model.features import LOWEST, Categorical, Continuous
from irenic.model.ruleset import RuleSet
from irenic.model.sampling import readable
from irenic.model.space import Instances, Space

CELL_LIMIT: Final = 64
# With more rows than this, evolution uses a sample; statistics use all rows.
ROW_LIMIT: Final = 20_000
# Memory for the bitmaps of all cuts; with many features, there are fewer cells.
_BYTE_LIMIT: Final = 1 << 28
_ROWS_FOR_CUTS: Final = 200_000
_CUTTING_TREES: Final = 8
_ROWS_FOR_TREES: Final = 10_000
# With many values, the fewest rows of a value that has a cell of its own.
_FREQUENT: Final = 5
# Days, hours, minutes and seconds, in microseconds.
_UNITS: Final = (86_400e6, 3_600e6, 60e6, 1e6)
# The cell of codes that do not occur in the data.
_UNSEEN: Final = 255

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of each feature of a space; continuous features come first."""

    space: Space
    cuts: tuple[Floats, ...]
    """For each continuous feature, the values at which a new cell starts, ascending."""
    groups: tuple[npt.NDArray[np.uint8], ...]
    """For each categorical feature, the cell of each code."""

    @classmethod
    def from_instances(
        cls, instances: Instances, y: Floats, weight: Floats, limit: int = CELL_LIMIT
    ) -> Cells:
        """Return cells that suit the instances.

        Parameters
        ----------
        instances : Instances
        y : array of shape (n, k)
            Numbers to distinguish; cuts are placed where they change.
        weight : array of shape (n,)
            Weight of each row.
        limit : int, default 64
            Maximum number of cells per feature.
        """
        space, n = instances.space, len(instances)
        words = min(n, ROW_LIMIT) // 64 + 1
        fair = _BYTE_LIMIT // (8 * words * max(1, len(space)))
        limit = int(max(4, min(limit, fair)))
        sample = slice(None) if n <= _ROWS_FOR_CUTS else slice(None, None, -(-n // _ROWS_FOR_CUTS))
        tree_cuts = _tree_cuts(instances.take(sample), y[sample], weight[sample], limit)
        cuts = tuple(
            _cuts(feature, instances.values[row, sample], weight[sample], limit, tree_cuts[row])
            for row, feature in enumerate(space.continuous)
        )
        groups = tuple(
            _groups(feature, instances.codes[row], weight, limit)
            for row, feature in enumerate(space.categorical)
        )
        return cls(space, cuts, groups)

    @property
    def n_cells(self) -> npt.NDArray[np.int64]:
        """Number of cells of each feature."""
        sizes = [len(c) + 1 for c in self.cuts] + [_n_groups(g) for g in self.groups]
        return np.array(sizes, dtype=np.int64)

    @property
    def ordered(self) -> npt.NDArray[np.bool_]:
        """Whether the cells of each feature are ordered."""
        return np.arange(len(self.space)) < len(self.cuts)

    def encode(self, instances: Instances) -> npt.NDArray[np.uint8]:
        """Return the cell of each feature (row) and instance (column)."""
        cells = np.empty((len(self.space), len(instances)), dtype=np.uint8)
        for row, cuts in enumerate(self.cuts):
            cells[row] = np.searchsorted(cuts, instances.values[row], side="right")
        for row, group in enumerate(self.groups):
            cells[len(self.cuts) + row] = group[instances.codes[row]]
        return cells

    def hold(self, instances: Instances) -> bool:
        """Return whether every value of the instances has a cell."""
        return not any(
            (group[instances.codes[row]] == _UNSEEN).any() for row, group in enumerate(self.groups)
        )

    # --- rules as words, and back

    def rule_set(
        self,
        masks: Words,
        then: Sequence[Hashable],
        *,
        weights: Floats | None = None,
        default: Hashable | None = None,
    ) -> RuleSet:
        """Return the rules whose conditions are the words ``masks[rule, feature]``."""
        n, d = len(then), len(self.cuts)
        lower = np.full((d, n), -np.inf)
        upper = np.full((d, n), np.inf)
        for f, cuts in enumerate(self.cuts):
            for r in range(n):
                word = int(masks[r, f])
                first, last = (word & -word).bit_length() - 1, word.bit_length()
                if last <= len(cuts):
                    upper[f, r] = cuts[last - 1]
                    if cuts[0] > LOWEST:
                        # no training value is missing, so conditions exclude missing values
                        lower[f, r] = LOWEST
                if first > 0:
                    lower[f, r] = cuts[first - 1]
        sets = np.zeros((self.space.n_words, n), dtype=np.uint64)
        for j in range(len(self.groups)):
            start = int(self.space.starts[j])
            for r in range(n):
                for code in self._codes(j, int(masks[r, d + j])):
                    sets[start + code // 64, r] |= np.uint64(1) << np.uint64(code % 64)
        return RuleSet.from_arrays(
            self.space,
            lower=lower,
            upper=upper,
            masks=sets,
            then=then,
            weights=weights,
            default=default,
        )

    def _codes(self, j: int, word: int) -> list[int]:
        """Return the codes of a set of cells.

        Unseen values belong to a set of more than half of the cells. Two disjoint sets are never
        both that large, so this cannot cause a conflict.
        """
        feature, group = self.space.categorical[j], self.groups[j]
        large = 2 * word.bit_count() > _n_groups(group)
        return [
            code
            for code, cell in enumerate(group.tolist())
            if feature.admits(code) and (large if cell == _UNSEEN else word >> cell & 1)
        ]

    # --- for evolution

    def rows(
        self,
        cells: npt.NDArray[np.uint8],
        gains: npt.NDArray[np.float32],
        importance: Floats | None = None,
    ) -> Rows:
        """Return labeled rows in the form that evolution uses."""
        d, n = cells.shape
        words = (n + 63) // 64
        n_cells = self.n_cells
        begin = np.concatenate([[0], np.cumsum(n_cells)])
        maps = np.zeros((int(begin[-1]), words), dtype=np.uint64)
        for f in range(d):
            inside = cells[f][None, :] == np.arange(n_cells[f], dtype=np.uint8)[:, None]
            if f < len(self.cuts):
                below = np.zeros_like(inside)
                below[1:] = np.logical_or.accumulate(inside[:-1], axis=0)
                inside = below
            maps[begin[f] : begin[f + 1]] = _bitmaps(inside, words)
        everything = np.array([(1 << int(c)) - 1 for c in n_cells], dtype=np.uint64)
        share = np.full(d, 1.0 / d) if importance is None else importance
        pick = np.cumsum(share)
        pick /= pick[-1]
        pick[-1] = 1.0
        return Rows(
            cells=np.ascontiguousarray(cells),
            n_cells=n_cells,
            ordered=self.ordered,
            begin=begin[:-1].astype(np.int64),
            maps=maps,
            everything=everything,
            full=_bitmaps(np.ones((1, n), dtype=bool), words)[0],
            gains=np.ascontiguousarray(gains, dtype=np.float32),
            best=gains.argmax(axis=1).astype(np.int16),
            pick=pick,
        )


def _n_groups(group: npt.NDArray[np.uint8]) -> int:
    return int(group[group != _UNSEEN].max(initial=0)) + 1


def _bitmaps(rows: npt.NDArray[np.bool_], words: int) -> Words:
    packed = np.packbits(rows, axis=1, bitorder="little")
    out = np.zeros((len(rows), words * 8), dtype=np.uint8)
    out[:, : packed.shape[1]] = packed
    return out.view(np.uint64)


def _tree_cuts(
    instances: Instances, y: Floats, weight: Floats, limit: int
) -> list[npt.NDArray[np.float64]]:
    """Return the cuts that trees make on each continuous feature, the most useful first.

    Cells with equal numbers of rows alone would miss a cut that a rare label depends on.
    """
    values = np.maximum(instances.values, LOWEST)
    cuts: list[npt.NDArray[np.float64]] = [np.empty(0) for _ in values]
    many = [row for row, v in enumerate(values) if len(np.unique(v)) > limit]
    if not many:
        return cuts
    from sklearn.tree import DecisionTreeRegressor

    # ranks, because trees of scikit-learn would round values to float32
    ranked = [np.unique(values[row], return_inverse=True) for row in many]
    table = np.stack([rank for _, rank in ranked], axis=1).astype(np.float32)
    gains = [np.zeros(len(distinct) + 1) for distinct, _ in ranked]
    if len(table) <= _ROWS_FOR_TREES:
        # sums of weights such as 1/3 must not depend on the order of rows or on repeated ones
        both = np.concatenate([table, y], axis=1)
        both, group = np.unique(both, axis=0, return_inverse=True)
        order = np.argsort(weight, kind="stable")
        weight = np.bincount(group.ravel()[order], weights=weight[order]).astype(np.float64)
        table, y = both[:, : len(many)].astype(np.float32), both[:, len(many) :]
    for seed in range(_CUTTING_TREES):
        rows = np.random.default_rng(seed).permutation(len(table))[:_ROWS_FOR_TREES]
        tree = DecisionTreeRegressor(max_features=0.5, max_leaf_nodes=64, random_state=seed).fit(
            table[rows], y[rows], weight[rows]
        )
        inner = tree.tree_
        size = inner.weighted_n_node_samples * inner.impurity
        for node in np.flatnonzero(inner.children_left >= 0):
            left, right = inner.children_left[node], inner.children_right[node]
            cut = int(np.floor(inner.threshold[node])) + 1
            gains[inner.feature[node]][cut] += size[node] - size[left] - size[right]
    for row, (distinct, _), gained in zip(many, ranked, gains, strict=True):
        order = np.argsort(-gained, kind="stable")
        cuts[row] = distinct[order[gained[order] > 0]]
    return cuts


def _cuts(
    feature: Continuous, values: Floats, weight: Floats, limit: int, tree_cuts: Floats
) -> Floats:
    """Return cuts between data values: all, or those of trees and others for even cells."""
    known = values >= LOWEST
    distinct, rank = np.unique(values[known], return_inverse=True)
    cuts = [LOWEST] if not known.all() and known.any() else []
    room = limit - 1 - len(cuts)
    if len(distinct) - 1 <= room:
        at = np.arange(1, len(distinct))
    else:
        useful = np.searchsorted(distinct, tree_cuts[: room // 2])
        # a cell ends where the running count passes the next multiple of an even share
        running = np.cumsum(np.bincount(rank, weights=weight[known]))
        rest = room - len(useful)
        # slightly less, so that rounding of sums decides no tie
        wanted = running[-1] * np.arange(1, rest + 1) / (rest + 1) * (1.0 - 1e-9)
        at = np.union1d(useful, np.searchsorted(running, wanted) + 1)
        at = at[(at > 0) & (at < len(distinct))]
    cuts += [_cut_between(feature, float(distinct[i - 1]), float(distinct[i])) for i in at]
    return np.array(cuts, dtype=np.float64)


def _cut_between(feature: Continuous, below: float, above: float) -> float:
    """Return a cut in (below, above] that is near the middle and short to read."""
    if feature.kind in ("datetime", "time", "duration"):
        middle = below / 2 + above / 2
        for unit in _UNITS:
            for cut in (np.round(middle / unit) * unit, np.ceil(middle / unit) * unit):
                if below < cut <= above:
                    return float(cut)
    if below.is_integer() and above == below + 1.0:
        return above  # "children >= 1", not 0.5
    return readable(feature, feature.after(below), feature.after(above))


def _groups(
    feature: Categorical, codes: npt.NDArray[np.int32], weight: Floats, limit: int
) -> npt.NDArray[np.uint8]:
    """Return the cell of each code: one per value, or if there are many, per frequent value.

    The other values share the last cell, and so do unseen values. Labels are not used: grouping a
    column of names by label would leak the labels of validation rows.
    """
    counts = np.bincount(codes, weights=weight, minlength=len(feature.values) + 2)
    seen = np.flatnonzero(counts)
    if len(seen) <= limit:
        cells = np.full(len(counts), _UNSEEN, dtype=np.uint8)
        cells[seen] = np.arange(len(seen))
        return cells
    frequent = seen[np.argsort(-counts[seen], kind="stable")][: limit - 1]
    frequent = np.sort(frequent[counts[frequent] >= _FREQUENT])
    cells = np.full(len(counts), len(frequent), dtype=np.uint8)
    cells[frequent] = np.arange(len(frequent))
    return cells


def ranks(codes: npt.NDArray[Any], y: Floats, weight: Floats, n_codes: int) -> Floats:
    """Return a number per code, similar for codes with similar means of ``y``.

    It is the first principal component of the means. For two classes, one of the cuts in that order
    is the best of all subsets.
    """
    counts = np.bincount(codes, weights=weight, minlength=n_codes)
    means = np.stack(
        [np.bincount(codes, weights=weight * column, minlength=n_codes) for column in y.T], axis=1
    )
    overall = np.average(y, axis=0, weights=weight)
    # slightly towards the overall mean, so that values seen once are not at the ends
    means = (means + overall) / (counts + 1.0)[:, None]
    centered = (means - overall) * np.sqrt(counts)[:, None]
    direction = np.linalg.svd(centered, full_matrices=False)[2][0]
    return np.asarray((means - overall) @ direction)
