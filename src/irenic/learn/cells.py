"""Rows as cells: at most 64 per feature, so that a condition is one word.

Evolution works on cells; :meth:`Cells.rule_set` turns its results into rules over the space. The
cells of a continuous feature are separated by cuts with few digits between data values, with
missing values in a cell of their own below the others. The cells of a categorical feature are its
values; if there are more than 64, the frequent ones, and one cell for all others. If the values of
a category have an order, so do its cells.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irenic.arrays import Floats, Words, as_scalars, has_codes, packed
from irenic.boxes import Boxes
from irenic.kernels.evolve import CellRows
from irenic.learn.target import label_sums
from irenic.model.features import FIRST_CODE, LOWEST, MISSING_CODE, Categorical, Continuous
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


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of each feature of a space; continuous features come first."""

    space: Space
    cuts: tuple[Floats, ...]
    """For each continuous feature, the values at which a new cell starts, ascending."""
    groups: tuple[npt.NDArray[np.uint8], ...]
    """For each categorical feature, the cell of each code."""
    ranked: tuple[bool, ...] = ()
    """For each categorical feature, whether its cells are ordered; empty if none is."""
    complete: tuple[bool, ...] = ()
    """For each continuous feature, whether no training value is missing."""

    @classmethod
    def from_instances(
        cls,
        instances: Instances,
        y: Floats,
        weight: Floats,
        limit: int = CELL_LIMIT,
        *,
        around: Boxes | None = None,
    ) -> Cells:
        """Return at most ``limit`` cells per feature; cuts are placed where ``y`` changes.

        The bounds of the regions ``around`` are bounds of cells, as far as there is room.
        """
        around = Boxes.none(instances.space) if around is None else around
        space, n = instances.space, len(instances)
        limit = fair_limit(instances, limit)
        sample = slice(None) if n <= _ROWS_FOR_CUTS else slice(None, None, -(-n // _ROWS_FOR_CUTS))
        tree_cuts = _tree_cuts(instances.take(sample), y[sample], weight[sample], limit)
        cuts = []
        for row, feature in enumerate(space.continuous):
            given = _bounds(around, row, limit // 2)
            values, room = instances.values[row, sample], limit - len(given)
            found = _cuts(feature, values, weight[sample], room, tree_cuts[row])
            cuts.append(np.union1d(found, given) if len(given) else found)
        complete = tuple(bool((column >= LOWEST).all()) for column in instances.values)
        cells = cls(space, tuple(cuts), (), complete=complete)
        return cells.grouped(rows_per_code(instances, weight), {}, limit, around)

    def grouped(
        self,
        counts: Sequence[Floats],
        orders: Mapping[str, Sequence[Hashable]],
        limit: int,
        around: Boxes,
    ) -> Cells:
        """Return the cells with the values of categories grouped by their numbers of rows.

        ``orders`` are the values of ordered categories, lowest first. Counts that depend on labels
        would leak the labels of validation rows.
        """
        groups = []
        for row, category in enumerate(self.space.categorical):
            order, named = orders.get(category.name), _memberships(around, row)
            if order is None:
                groups.append(_groups(counts[row], limit, named))
            else:
                missing = bool(counts[row][MISSING_CODE] > 0)
                groups.append(_ordered_groups(category, missing, order, limit, named))
        ranked = tuple(category.name in orders for category in self.space.categorical)
        return replace(self, groups=tuple(groups), ranked=ranked)

    def without(self, untested: Iterable[str]) -> Cells:
        """Return the cells with a single one for each feature that conditions must not test."""
        cuts, groups = list(self.cuts), list(self.groups)
        for name in untested:
            row = self.space.row(name)
            if isinstance(self.space[name], Categorical):
                groups[row] = np.zeros(len(groups[row]), dtype=np.uint8)
            else:
                cuts[row] = np.empty(0)
        return replace(self, cuts=tuple(cuts), groups=tuple(groups))

    def finer(self, masks: Words, instances: Instances, limit: int = CELL_LIMIT) -> Cells:
        """Return cells that are smaller around the bounds of rules over these cells.

        The cuts that rules use stay. Half of the room for others is next to them, at even numbers
        of rows; the other half has cuts of these cells, evenly spaced.
        """
        cuts = []
        for f, old in enumerate(self.cuts):
            places = np.arange(len(old), dtype=np.uint64)
            pairs = masks[:, f, None] >> places
            differs = (pairs ^ (pairs >> np.uint64(1))) & np.uint64(1)
            used = np.flatnonzero(differs.any(axis=0) | (old == LOWEST))
            values = np.sort(instances.values[f][instances.values[f] >= LOWEST])
            room = limit - 1 - len(used)
            near = _cuts_near(self.space.continuous[f], values, old, used, room // 2)
            unused = np.delete(old, used)
            kept = np.linspace(0, len(unused) - 1, min(len(unused), room - len(near))).astype(int)
            cuts.append(np.unique(np.concatenate([old[used], near, unused[np.unique(kept)]])))
        return replace(self, cuts=tuple(cuts))

    def translated(self, masks: Words, other: Cells) -> Words:
        """Return the words of rules over other cells, whose used cuts these cells have."""
        words = masks.copy()
        for f, (own, old) in enumerate(zip(self.cuts, other.cuts, strict=True)):
            parent = np.searchsorted(old, np.concatenate([[-np.inf], own]), side="right")
            inside = (masks[:, f, None] >> parent.astype(np.uint64)) & np.uint64(1)
            words[:, f] = packed(inside.astype(bool))[:, 0]
        return words

    @property
    def n_cells(self) -> npt.NDArray[np.int64]:
        """Number of cells of each feature."""
        sizes = [len(c) + 1 for c in self.cuts] + [_n_groups(g) for g in self.groups]
        return np.array(sizes, dtype=np.int64)

    @property
    def ordered(self) -> npt.NDArray[np.bool_]:
        """Whether the cells of each feature are ordered."""
        ranked = self.ranked or (False,) * len(self.groups)
        return np.array([True] * len(self.cuts) + list(ranked), dtype=bool)

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
                    if cuts[0] > LOWEST or (last > 1 and self.complete and self.complete[f]):
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

        Unseen values belong to a set of more than half of the cells; if cells are ordered, to that
        of all cells. Two disjoint sets are never both that large, so this cannot cause a conflict.
        """
        feature, group = self.space.categorical[j], self.groups[j]
        n_cells = _n_groups(group)
        large = 2 * word.bit_count() > n_cells
        if self.ranked and self.ranked[j]:
            large = word.bit_count() == n_cells
            if n_cells > 1 and word != 1 << n_cells - 1:
                # a range of other cells does not hold values without a place in the order
                group = np.where(_outside(feature) & (group == n_cells - 1), _UNSEEN, group)
        return [
            code
            for code, cell in enumerate(group.tolist())
            if feature.admits(code) and (large if cell == _UNSEEN else word >> cell & 1)
        ]

    def words(self, boxes: Boxes, *, inside: bool = False) -> Words:
        """Return the cells that each box meets, or those that lie inside it: ``[box, feature]``."""
        words = np.zeros((len(boxes), len(self.space)), dtype=np.uint64)
        for f, cuts in enumerate(self.cuts):
            low, high = np.append(-np.inf, cuts), np.append(cuts, np.inf)
            lower, upper = boxes.lower[:, f, None], boxes.upper[:, f, None]
            within = (low >= lower) & (high <= upper)
            words[:, f] = packed(within if inside else (high > lower) & (low < upper))[:, 0]
        for j, group in enumerate(self.groups):
            member, feature = _members(boxes, j), self.space.categorical[j]
            able = np.array([feature.admits(code) for code in range(len(group))])
            cells = np.arange(_n_groups(group))[:, None] == np.where(able, group, _UNSEEN)
            n = member.astype(float) @ cells.T
            enough = n == cells.sum(axis=1) if inside else n > 0
            words[:, len(self.cuts) + j] = packed(enough)[:, 0]
        return words

    @property
    def known(self) -> npt.NDArray[np.int64]:
        """Index of the first cell of each feature whose values are not missing."""
        first = [int(len(cuts) > 0 and cuts[0] == LOWEST) for cuts in self.cuts]
        ranked = self.ranked or (False,) * len(self.groups)
        # missing values of an ordered category have the first cell, if there are any
        first += [
            int(is_ranked and len(group) > 0 and group[MISSING_CODE] == 0 and _n_groups(group) > 1)
            for is_ranked, group in zip(ranked, self.groups, strict=True)
        ]
        return np.array(first, dtype=np.int64)

    def most_values(self, limit: int) -> npt.NDArray[np.int64]:
        """Return the limit of values in a set per feature, as kernels take it."""
        shared = [len(group) > 0 and _shares_cell(group) for group in self.groups]
        limits = [limit] * len(self.cuts) + [-limit if each else limit for each in shared]
        return np.array(limits, dtype=np.int64)

    # --- for evolution

    def rows(
        self,
        cells: npt.NDArray[np.uint8],
        gains: npt.NDArray[np.float32],
        importance: Floats | None = None,
    ) -> CellRows:
        """Return labeled rows in the form that evolution uses."""
        d, n = cells.shape
        words = (n + 63) // 64
        n_cells = self.n_cells
        begin = np.concatenate([[0], np.cumsum(n_cells)])
        maps = np.zeros((int(begin[-1]), words), dtype=np.uint64)
        for f in range(d):
            cell = np.arange(n_cells[f], dtype=np.uint8)[:, None]
            inside = cells[f] < cell if self.ordered[f] else cells[f] == cell
            maps[begin[f] : begin[f + 1]] = packed(inside)
        everything = np.array([(1 << int(c)) - 1 for c in n_cells], dtype=np.uint64)
        share = np.full(d, 1.0 / d) if importance is None else importance
        pick = np.cumsum(share)
        pick /= pick[-1]
        pick[-1] = 1.0
        return CellRows(
            cells=np.ascontiguousarray(cells),
            n_cells=n_cells,
            ordered=self.ordered,
            begin=begin[:-1].astype(np.int64),
            maps=maps,
            everything=everything,
            full=packed(np.ones((1, n), dtype=bool))[0],
            gains=np.ascontiguousarray(gains, dtype=np.float32),
            best=gains.argmax(axis=1).astype(np.int16),
            pick=pick,
        )


def fair_limit(instances: Instances, limit: int = CELL_LIMIT) -> int:
    """Return how many cells a feature may have, so that bits per row and cell fit into memory."""
    words = min(len(instances), ROW_LIMIT) // 64 + 1
    fair = _BYTE_LIMIT // (8 * words * max(1, len(instances.space)))
    return int(max(4, min(limit, fair)))


def rows_per_code(instances: Instances, count: Floats) -> list[Floats]:
    """Return the number of rows per code of each categorical feature."""
    return [
        label_sums(codes, count, len(category.values) + 2)
        for category, codes in zip(instances.space.categorical, instances.codes, strict=True)
    ]


def _n_groups(group: npt.NDArray[np.uint8]) -> int:
    return int(group[group != _UNSEEN].max(initial=0)) + 1


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
    table = np.stack([rank for _, rank in ranked], axis=1)
    gains = [np.zeros(len(distinct) + 1) for distinct, _ in ranked]
    if len(table) <= _ROWS_FOR_TREES:
        # sums of weights such as 1/3 must not depend on the order of rows or on repeated ones;
        # big-endian bytes sort like the ranks
        labels = np.unique(y, return_inverse=True)[1].reshape(y.shape)
        both = np.concatenate([table, labels], axis=1).astype(">u4")
        _, first, group = np.unique(as_scalars(both), return_index=True, return_inverse=True)
        order = np.argsort(weight, kind="stable")
        weight = np.bincount(group[order], weights=weight[order]).astype(np.float64)
        # sums of 2/3 and of 1/3 twice as often may still differ in their last bits
        part, exponent = np.frexp(weight)
        weight = np.ldexp(np.round(part, 12), exponent)
        table, y = table[first], y[first]
    table = table.astype(np.float32)
    for seed in range(_CUTTING_TREES):
        rows = np.random.default_rng(seed).permutation(len(table))[:_ROWS_FOR_TREES]
        tree = DecisionTreeRegressor(max_features=0.5, max_leaf_nodes=64, random_state=seed)
        inner = tree.fit(table[rows], y[rows], weight[rows], check_input=False).tree_
        left, right, feature = inner.children_left, inner.children_right, inner.feature
        size = inner.weighted_n_node_samples * inner.impurity
        gained = size - size[left] - size[right]
        cut = np.floor(inner.threshold).astype(np.intp) + 1
        for node in np.flatnonzero(left >= 0).tolist():
            gains[feature[node]][cut[node]] += gained[node]
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


def _cuts_near(
    feature: Continuous, values: Floats, cuts: Floats, used: npt.NDArray[np.intp], most: int
) -> Floats:
    """Return new cuts in the cells next to those that are used, at most a number of them."""
    if not len(used) or most < 1:
        return np.empty(0)
    cells = np.unique(np.concatenate([used, used + 1]))
    ends = np.searchsorted(values, np.concatenate([[LOWEST], cuts, [np.inf]]))
    each = max(1, most // len(cells))
    found = []
    for cell in cells.tolist():
        inside = values[ends[cell] : ends[cell + 1]]
        at = np.unique(len(inside) * np.arange(1, each + 1) // (each + 1))
        pairs = [(float(inside[i - 1]), float(inside[i])) for i in at.tolist() if i > 0]
        found += [_cut_between(feature, low, high) for low, high in pairs if low < high]
    return np.array(found[:most])


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


def _bounds(boxes: Boxes, row: int, most: int) -> Floats:
    """Return the bounds of boxes on a continuous feature, at most a number of them."""
    bounds = np.unique(np.concatenate([boxes.lower[:, row], boxes.upper[:, row]]))
    bounds = bounds[np.isfinite(bounds)]
    some = np.linspace(0, len(bounds) - 1, min(len(bounds), most)).astype(int)
    return np.asarray(bounds[np.unique(some)])


def _members(boxes: Boxes, row: int) -> npt.NDArray[np.bool_]:
    """Return which code (column) of a categorical feature belongs to each box (row)."""
    codes = np.arange(len(boxes.space.categorical[row].values) + 2)
    return has_codes(boxes.masks[:, boxes.space.sets[row]], codes)


def _memberships(boxes: Boxes, row: int) -> npt.NDArray[np.bool_]:
    """Return which code belongs to each of the boxes that test a categorical feature."""
    tests = boxes.tests()[:, len(boxes.space.continuous) + row]
    return _members(boxes.take(tests), row)


def _shares_cell(group: npt.NDArray[np.uint8]) -> bool:
    """Return whether the last cell is that of several values."""
    return bool((group == _n_groups(group) - 1).sum() > 1)


def _ordered_groups(
    feature: Categorical,
    missing: bool,
    order: Sequence[Hashable],
    limit: int,
    named: npt.NDArray[np.bool_],
) -> npt.NDArray[np.uint8]:
    """Return the cell of each code of an ordered category; missing values come first.

    Codes without rows and without a place in the order share the last cell if one of the sets
    ``named`` holds them: rules for all values must then be able to leave them out.
    """
    cells = np.full(len(feature.values) + 2, _UNSEEN, dtype=np.uint8)
    unseen = _outside(feature)
    unseen[MISSING_CODE] &= not missing
    unseen &= bool((named & unseen).any())
    room = min(len(order), limit - missing - bool(unseen.any()))
    cells[unseen] = missing + room
    if missing:
        cells[0] = 0
    for place, value in enumerate(order):
        cells[feature.codes[value]] = missing + place * room // len(order)
    return cells


def _outside(feature: Categorical) -> npt.NDArray[np.bool_]:
    """Return which codes have no place in an order: missing and unlisted values."""
    return np.asarray(np.arange(len(feature.values) + FIRST_CODE) < FIRST_CODE)


def _groups(counts: Floats, limit: int, named: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    """Return the cell of each code: one per value, or if there are many, per frequent value.

    The other values share the last cell, and so do unseen values. Labels are not used: grouping a
    column of names by label would leak the labels of validation rows. ``named`` says which codes
    belong to the sets of given regions; unseen codes of the same sets share a cell.
    """
    seen = np.flatnonzero(counts)
    if len(named):
        unseen = np.flatnonzero(counts == 0)
        kinds, kind = np.unique(named[:, unseen].T, axis=0, return_inverse=True)
        if len(seen) + len(kinds) <= limit:
            cells = np.full(len(counts), _UNSEEN, dtype=np.uint8)
            cells[seen] = np.arange(len(seen))
            cells[unseen] = len(seen) + kind.ravel()
            return cells
        few = named ^ (2 * named.sum(axis=1, keepdims=True) > named.shape[1])
        counts = counts + few.any(axis=0) * (counts.sum() + _FREQUENT)
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
