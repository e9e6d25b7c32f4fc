"""Rows as cells: each feature in at most 64 cells, so that a condition is one word.

Cells are what evolution works on; :meth:`Cells.rule_set` turns what it finds into rules over the
space. The cells of a continuous feature are divided by cuts of few digits that lie between data
values, missing values in a cell of their own below the others. Those of a categorical feature are
its values; where there are more than 64, the frequent ones, and one cell for all others.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irenic.kernels.evolution import Rows
from irenic.model.features import LOWEST, Categorical, Continuous
from irenic.model.ruleset import RuleSet
from irenic.model.sampling import readable
from irenic.model.space import Instances, Space

MOST_CELLS: Final = 64
# Rows beyond this are not used to evolve rules, only to count what the rules say of them.
MOST_ROWS: Final = 20_000
# Bitmaps of all cuts together are kept below this; with more features, the cells are wider.
_MOST_BYTES: Final = 1 << 28
_ROWS_FOR_CUTS: Final = 200_000
_CUTTING_TREES: Final = 8
_ROWS_FOR_TREES: Final = 10_000
# Rows that a value must have for a cell of its own where there are many values.
_FREQUENT: Final = 5
# Days, hours, minutes and seconds, in microseconds.
_UNITS: Final = (86_400e6, 3_600e6, 60e6, 1e6)
# The cell of codes that the data did not hold.
_UNSEEN: Final = 255

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Cells:
    """How the features of a space are divided into cells; continuous features come first."""

    space: Space
    cuts: tuple[Floats, ...]
    """For each continuous feature the values at which a new cell begins, ascending."""
    groups: tuple[npt.NDArray[np.uint8], ...]
    """For each categorical feature the cell of each code."""

    @classmethod
    def divide(
        cls, instances: Instances, y: Floats, weight: Floats, most: int = MOST_CELLS
    ) -> Cells:
        """Return cells that suit the instances.

        Parameters
        ----------
        instances : Instances
        y : array of shape (n, k)
            Numbers to be told apart: cuts are made where they change.
        weight : array of shape (n,)
            How much each row counts.
        most : int
            How many cells a feature may have.
        """
        space, n = instances.space, len(instances)
        words = min(n, MOST_ROWS) // 64 + 1
        fair = _MOST_BYTES // (8 * words * max(1, len(space)))
        most = int(max(4, min(most, fair)))
        some = slice(None) if n <= _ROWS_FOR_CUTS else slice(None, None, -(-n // _ROWS_FOR_CUTS))
        telling = _telling_values(instances.take(some), y[some], weight[some], most)
        cuts = tuple(
            _cuts(feature, instances.values[row, some], weight[some], most, telling[row])
            for row, feature in enumerate(space.continuous)
        )
        groups = tuple(
            _groups(feature, instances.codes[row], weight, most)
            for row, feature in enumerate(space.categorical)
        )
        return cls(space, cuts, groups)

    @property
    def n_cells(self) -> npt.NDArray[np.int64]:
        """How many cells each feature has."""
        sizes = [len(c) + 1 for c in self.cuts] + [_n_groups(g) for g in self.groups]
        return np.array(sizes, dtype=np.int64)

    @property
    def ordered(self) -> npt.NDArray[np.bool_]:
        """Whether the cells of each feature have an order."""
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
                        # nothing is known of missing values: a condition does not hold for them
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

        Values that the data did not hold go with a set of more than half of the cells:
        two sets that are disjoint are never both so large, so this cannot make rules conflict.
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
        """Return labelled rows in the form that evolution works on."""
        d, n = cells.shape
        words = (n + 63) // 64
        n_cells = self.n_cells
        begin = np.concatenate([[0], np.cumsum(n_cells)])
        maps = np.zeros((int(begin[-1]), words), dtype=np.uint64)
        for f in range(d):
            held = cells[f][None, :] == np.arange(n_cells[f], dtype=np.uint8)[:, None]
            if f < len(self.cuts):
                below = np.zeros_like(held)
                below[1:] = np.logical_or.accumulate(held[:-1], axis=0)
                held = below
            maps[begin[f] : begin[f + 1]] = _bitmaps(held, words)
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


def _bitmaps(held: npt.NDArray[np.bool_], words: int) -> Words:
    packed = np.packbits(held, axis=1, bitorder="little")
    out = np.zeros((len(held), words * 8), dtype=np.uint8)
    out[:, : packed.shape[1]] = packed
    return out.view(np.uint64)


def _telling_values(
    instances: Instances, y: Floats, weight: Floats, most: int
) -> list[npt.NDArray[np.float64]]:
    """Return for each continuous feature where trees cut it, the cuts that tell most first.

    Cells of equally many rows alone would miss a cut that a rare label depends on.
    """
    values = np.maximum(instances.values, LOWEST)
    found: list[npt.NDArray[np.float64]] = [np.empty(0) for _ in values]
    many = [row for row, v in enumerate(values) if len(np.unique(v)) > most]
    if not many:
        return found
    from sklearn.tree import DecisionTreeRegressor

    # ranks, because scikit-learn's trees would round values to float32
    ranked = [np.unique(values[row], return_inverse=True) for row in many]
    table = np.stack([place for _, place in ranked], axis=1).astype(np.float32)
    worth = [np.zeros(len(distinct) + 1) for distinct, _ in ranked]
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
            worth[inner.feature[node]][cut] += size[node] - size[left] - size[right]
    for row, (distinct, _), gained in zip(many, ranked, worth, strict=True):
        order = np.argsort(-gained, kind="stable")
        found[row] = distinct[order[gained[order] > 0]]
    return found


def _cuts(
    feature: Continuous, values: Floats, weight: Floats, most: int, telling: Floats
) -> Floats:
    """Return cuts between data values: all, or the most telling and some for even cells."""
    known = values >= LOWEST
    distinct, place = np.unique(values[known], return_inverse=True)
    cuts = [LOWEST] if not known.all() and known.any() else []
    room = most - 1 - len(cuts)
    if len(distinct) - 1 <= room:
        at = np.arange(1, len(distinct))
    else:
        told = np.searchsorted(distinct, telling[: room // 2])
        # the end of each cell: where the running count passes the next multiple of its share
        running = np.cumsum(np.bincount(place, weights=weight[known]))
        rest = room - len(told)
        # a little less, so that how sums are rounded decides no tie
        wanted = running[-1] * np.arange(1, rest + 1) / (rest + 1) * (1.0 - 1e-9)
        at = np.union1d(told, np.searchsorted(running, wanted) + 1)
        at = at[(at > 0) & (at < len(distinct))]
    cuts += [_cut_between(feature, float(distinct[i - 1]), float(distinct[i])) for i in at]
    return np.array(cuts, dtype=np.float64)


def _cut_between(feature: Continuous, below: float, above: float) -> float:
    """Return a cut above one value and not above the next: short to read, near the middle."""
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
    feature: Categorical, codes: npt.NDArray[np.int32], weight: Floats, most: int
) -> npt.NDArray[np.uint8]:
    """Return the cell of each code: one a value, or where there are many, of the frequent ones.

    The others share the last cell, and so do values that were not seen. Labels have no say in it:
    grouped by those, a column of names would tell labels that validation rows should not know.
    """
    counts = np.bincount(codes, weights=weight, minlength=len(feature.values) + 2)
    seen = np.flatnonzero(counts)
    if len(seen) <= most:
        cells = np.full(len(counts), _UNSEEN, dtype=np.uint8)
        cells[seen] = np.arange(len(seen))
        return cells
    frequent = seen[np.argsort(-counts[seen], kind="stable")][: most - 1]
    frequent = np.sort(frequent[counts[frequent] >= _FREQUENT])
    cells = np.full(len(counts), len(frequent), dtype=np.uint8)
    cells[frequent] = np.arange(len(frequent))
    return cells


def ranks(codes: npt.NDArray[Any], y: Floats, weight: Floats, n_codes: int) -> Floats:
    """Return a number for each code, such that codes with like means of ``y`` are near each other.

    It is the first principal component of the means; for two classes that order is the one in which
    some cut between values is the best of all subsets.
    """
    counts = np.bincount(codes, weights=weight, minlength=n_codes)
    means = np.stack(
        [np.bincount(codes, weights=weight * column, minlength=n_codes) for column in y.T], axis=1
    )
    overall = np.average(y, axis=0, weights=weight)
    # a little towards the overall mean, so that values seen once do not stand at the ends
    means = (means + overall) / (counts + 1.0)[:, None]
    centred = (means - overall) * np.sqrt(counts)[:, None]
    direction = np.linalg.svd(centred, full_matrices=False)[2][0]
    return np.asarray((means - overall) @ direction)
