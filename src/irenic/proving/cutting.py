"""Cutting: a cell is cut until a claim holds, or fails, in all of it.

Many cells are examined at a time, with one row per pair of a cell and a box that meets it. The
cuts and the reasons at the leaves are recorded if a certificate is wanted; ``checker`` checks them
with code of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from irenic.arrays import Bools, Floats, Ints, Words
from irenic.boxes import Boxes
from irenic.budget import Meter, StoppedBy
from irenic.model.space import from_words
from irenic.proving.question import NOTHING, Question, Side

# Pairs of cells and boxes that are examined at a time, and cells.
_AT_ONCE: Final = 100_000
_CELLS: Final = 8_192
# Boxes of a cell that are examined to choose its cut, by how many there are, and boxes whose bounds
# are tried.
_SAMPLES: Final = (2, 8, 64)
_CUTS: Final = 8
# Cells with at most this many rules are compared in pairs; others only if cutting them is in vain.
_FEW: Final = 4
_MANY: Final = 64
_UNKNOWN: Final = -1
"""The code of an outcome of rules that decide together, before it is known which of them hold."""


class OpenCells(NamedTuple):
    """OpenCells, and the boxes that meet each."""

    boxes: Boxes
    nodes: Ints
    """The number of the node of each cell in the tree."""
    cell: Ints
    """The cell of each pair, in ascending order."""
    item: Ints
    """The box of each pair, in ascending order within a cell."""

    def take(self, cells: Ints) -> OpenCells:
        """Return some of the cells, given in ascending order."""
        place = np.full(len(self.nodes), -1)
        place[cells] = np.arange(len(cells))
        kept = place[self.cell] >= 0
        boxes, nodes = self.boxes.take(cells), self.nodes[cells]
        return OpenCells(boxes, nodes, place[self.cell[kept]], self.item[kept])


class Cuts(NamedTuple):
    """A cut per cell: on a continuous axis at a value, on another one by a set of values."""

    axis: Ints
    value: Floats
    words: Words


@dataclass
class Tree:
    """The cuts and the leaves, by the numbers of nodes; see ``checker``."""

    cuts: dict[int, list[Any]] = field(default_factory=dict)
    leaves: dict[int, Any] = field(default_factory=dict)
    n_nodes: int = 0


class Answer(NamedTuple):
    """Whether a claim holds, and where not."""

    holds: bool | None
    nodes: int
    stopped_by: StoppedBy | None = None
    cell: Boxes | None = None
    """A cell in which it fails for every case."""
    tree: Tree | None = None


class Cutting:
    """The search for a case that refutes a claim."""

    def __init__(self, question: Question, meter: Meter, record: bool) -> None:
        self.question, self.meter = question, meter
        self.tree = Tree() if record else None
        self.boxes = question.boxes
        self.starts = question.starts
        self.d = self.boxes.lower.shape[1]

    def run(self) -> Answer:
        """Cut until the claim holds in every cell, or fails in one."""
        roots = self.question.roots
        self.n_nodes = len(roots)
        if self.tree is not None:
            self.tree.n_nodes = self.n_nodes
        stack = [self._roots(roots)] if len(roots) else []
        while stack:
            cells = stack.pop()
            part, rest = _split(cells)
            if rest is not None:
                stack.append(rest)
            failed, open_cells, flags = self._examine(part)
            if failed is not None:
                return failed
            if self.meter.spent(nodes=len(part.nodes)):
                return Answer(None, self.meter.nodes, self.meter.stopped_by)
            if len(open_cells.nodes):
                cut = self._cut(open_cells, flags)
                if isinstance(cut, Answer):
                    return cut
                stack.append(cut)
        return Answer(True, self.meter.nodes, tree=self.tree)

    def _roots(self, roots: Boxes) -> OpenCells:
        met = [np.flatnonzero(self.boxes.meeting(root)) for root in roots]
        cell = np.repeat(np.arange(len(roots)), [len(items) for items in met])
        item = np.concatenate(met) if met else np.empty(0, dtype=np.int64)
        return OpenCells(roots, np.arange(len(roots)), cell, item)

    # --- one look at some cells

    def _examine(self, cells: OpenCells) -> tuple[Answer | None, OpenCells, Bools]:
        """Return where the claim fails, or the cells that must be cut and which pairs matter."""
        n = len(cells.nodes)
        holds = self._holding(cells)
        excused = cells.item < self.starts[0]
        done = _any(cells.cell[holds & excused], n)
        touched = _any(cells.cell[excused], n)
        if self.question.is_below:
            assert self.question.pair is not None
            low, high = self.question.pair
            done |= cells.boxes.upper[:, high] <= cells.boxes.lower[:, low]
        if self.question.claim.kind == "consistent":
            return self._examine_pairs(cells, holds)
        matter = ~holds
        possible = []
        for k, side in enumerate(self.question.sides):
            own = (cells.item >= self.starts[k]) & (cells.item < self.starts[k + 1])
            live, codes_of = self._possible(side, self.starts[k], cells, own, holds)
            matter &= live | ~own
            possible.append(codes_of)
        met, failed = self._judge(possible, n)
        failed &= ~done & ~touched
        done |= met
        if failed.any():
            first = int(np.flatnonzero(failed)[0])
            cell = cells.boxes.take([first])
            return Answer(False, self.meter.nodes + n, cell=cell), cells, matter
        if self.tree is not None:
            self._record_leaves(cells, done, holds)
        left = np.flatnonzero(~done)
        kept = ~done[cells.cell]
        return None, cells.take(left), matter[kept]

    def _holding(self, cells: OpenCells) -> Bools:
        """Return for each pair whether the box contains the cell."""
        holds = np.ones(len(cells.cell), dtype=np.bool_)
        boxes, own = self.boxes, cells.boxes
        for axis in range(self.d):
            holds &= boxes.lower[cells.item, axis] <= own.lower[cells.cell, axis]
            holds &= boxes.upper[cells.item, axis] >= own.upper[cells.cell, axis]
        for word in range(own.masks.shape[1]):
            holds &= (own.masks[cells.cell, word] & ~boxes.masks[cells.item, word]) == 0
        return holds

    def _possible(
        self, side: Side, start: int, cells: OpenCells, own: Bools, holds: Bools
    ) -> tuple[Bools, tuple[Ints, Ints]]:
        """Return which pairs can decide, and the outcomes that a side can have, as pairs."""
        n = len(cells.nodes)
        covered = own & holds
        certain = np.full(n, np.iinfo(np.int64).max)
        holders, first = np.unique(cells.cell[covered], return_index=True)
        certain[holders] = cells.item[covered][first]
        uncovered = np.setdiff1d(np.arange(n), holders)
        live = own
        if side.together is not None:
            return live, self._decided_together(side, start, cells, own, holds)
        if side.decides == "first":
            live = own & (cells.item <= certain[cells.cell])
        codes = side.codes[cells.item[live] - start]
        every = np.concatenate([cells.cell[live], uncovered])
        return live, (every, np.concatenate([codes, np.full(len(uncovered), side.default)]))

    def _decided_together(
        self, side: Side, start: int, cells: OpenCells, own: Bools, holds: Bools
    ) -> tuple[Ints, Ints]:
        n = len(cells.nodes)
        unknown = _any(cells.cell[own & ~holds], n)
        codes = np.full(n, _UNKNOWN)
        bounds = np.searchsorted(cells.cell[own], np.arange(n + 1))
        items = (cells.item[own] - start).tolist()
        assert side.together is not None
        for cell in np.flatnonzero(~unknown).tolist():
            places = tuple(items[bounds[cell] : bounds[cell + 1]])
            codes[cell] = side.together(places) if places else side.default
        return np.arange(n), codes

    def _judge(self, possible: list[tuple[Ints, Ints]], n: int) -> tuple[Bools, Bools]:
        """Return where the claim holds for all possible outcomes, and where for none."""
        kind = self.question.claim.kind
        cell, codes = possible[0]
        known = codes != _UNKNOWN
        unsure = _any(cell[~known], n)
        for other, others in possible[1:]:
            unsure |= _any(other[others == _UNKNOWN], n)
        if kind in ("rising", "falling"):
            return self._judge_ranks(possible, n, unsure)
        allowed = self.question.allowed()
        good = _any(cell[known & allowed[codes]], n)
        bad = _any(cell[known & ~allowed[codes]], n)
        if kind == "only":
            return ~bad & ~unsure, ~good & ~unsure
        other, others = possible[1]
        if kind == "implies":
            sound = others != _UNKNOWN
            met = _any(other[sound & allowed[others]], n)
            unmet = _any(other[sound & ~allowed[others]], n)
            return (~good | ~unmet) & ~unsure, ~bad & ~met & ~unsure
        needed = known & ~allowed[codes]
        low, high = _range(cell[needed], codes[needed], n)
        other_low, other_high = _range(other, others, n)
        single = (low == high) & (other_low == other_high)
        return (~bad | (single & (low == other_low))) & ~unsure, (
            single & (low != other_low) & ~good & ~unsure
        )

    def _judge_ranks(
        self, possible: list[tuple[Ints, Ints]], n: int, unsure: Bools
    ) -> tuple[Bools, Bools]:
        ranks = self.question.ranks()
        ends = []
        some_none = unsure.copy()
        for cell, codes in possible:
            compared = (codes != NOTHING) & (codes != _UNKNOWN)
            some_none |= _any(cell[~compared], n)
            ends.append(_range(cell[compared], ranks[codes[compared]], n))
        (low, high), (other_low, other_high) = ends  # empty: inf and -inf
        return (high <= other_low) & ~unsure, (low > other_high) & ~some_none

    # --- contradictions

    def _examine_pairs(
        self, cells: OpenCells, holds: Bools
    ) -> tuple[Answer | None, OpenCells, Bools]:
        n = len(cells.nodes)
        codes = self.question.sides[0].codes[cells.item]
        low, high = _range(cells.cell, codes, n)
        count = np.bincount(cells.cell, minlength=n)
        done = (count == 0) | (low == high)
        few = np.flatnonzero(~done & (count <= _FEW))
        failed = self._compare(cells, few)
        if failed is not None:
            return failed, cells, holds
        done[few] = True
        if self.tree is not None:
            agreeing = cells.nodes[(count == 0) | (low == high)].tolist()
            self.tree.leaves.update((node, []) for node in agreeing)
        kept = ~done[cells.cell]
        return None, cells.take(np.flatnonzero(~done)), ~holds[kept]

    def _compare(self, cells: OpenCells, which: Ints) -> Answer | None:
        """Compare all rules of some cells in pairs; return an answer if two contradict."""
        part = cells.take(which)
        counts = np.bincount(part.cell, minlength=len(which))
        starts = np.cumsum(counts) - counts
        order = np.arange(len(part.cell)) - starts[part.cell]
        later = counts[part.cell] - order - 1  # each rule with all that follow it in the cell
        first = np.repeat(np.arange(len(part.cell)), later)
        step = np.arange(len(first)) - np.repeat(np.cumsum(later) - later, later) + 1
        a, b = part.item[first], part.item[first + step]
        codes = self.question.sides[0].codes
        differ = self._contradictions[codes[a], codes[b]]
        a, b, cell = a[differ], b[differ], part.cell[first][differ]
        axis = self._apart_on(a, b)
        if (axis < 0).any():
            pair = int(np.flatnonzero(axis < 0)[0])
            shared = self.boxes.take([a[pair]]) & self.boxes.take([b[pair]])
            return Answer(False, self.meter.nodes, cell=shared)
        if self.tree is not None:
            for node in part.nodes.tolist():
                self.tree.leaves[node] = []
            nodes = part.nodes[cell].tolist()
            for node, *pair_axis in zip(nodes, a.tolist(), b.tolist(), axis.tolist(), strict=True):
                self.tree.leaves[node].append(pair_axis)
        return None

    @property
    def _contradictions(self) -> Bools:
        if not hasattr(self, "_contradicts"):
            self._contradicts = self.question.contradictions()
        return self._contradicts

    def _apart_on(self, a: Ints, b: Ints) -> Ints:
        """Return an axis on which each pair of boxes is disjoint, -1 if there is none."""
        axis = np.full(len(a), -1)
        boxes = self.boxes
        for i in range(self.d):
            apart = boxes.upper[a, i] <= boxes.lower[b, i]
            apart |= boxes.upper[b, i] <= boxes.lower[a, i]
            axis[apart] = i
        for j, words in enumerate(boxes.space.sets):
            shared = (boxes.masks[a][:, words] & boxes.masks[b][:, words]).any(axis=1)
            axis[~shared] = self.d + j
        return axis

    # --- cuts

    def _cut(self, cells: OpenCells, matter: Bools) -> OpenCells | Answer:
        """Return both parts of every cell that is cut."""
        cuts, gain = self._choose(cells, matter)
        if self.question.claim.kind == "consistent":
            counts = np.bincount(cells.cell, minlength=len(cells.nodes))
            vain = np.flatnonzero((gain > 0.9) & ((counts <= _MANY) | (gain == np.inf)))
            if len(vain):
                failed = self._compare(cells, vain)
                if failed is not None:
                    return failed
                kept = np.setdiff1d(np.arange(len(cells.nodes)), vain)
                cuts = Cuts(cuts.axis[kept], cuts.value[kept], cuts.words[kept])
                cells = cells.take(kept)
        else:
            assert (gain < np.inf).all(), "a cell in which everything is known must not be open"
        n = len(cells.nodes)
        left, right = cells.boxes.copy(), cells.boxes.copy()
        rows = np.arange(n)
        is_value = cuts.axis < self.d
        r, a = rows[is_value], cuts.axis[is_value]
        left.upper[r, a] = right.lower[r, a] = cuts.value[is_value]
        left.masks[~is_value] &= cuts.words[~is_value]
        right.masks[~is_value] &= self._others(cuts)[~is_value]
        in_left, in_right = (self._meets(cells, half) for half in (left, right))
        nodes = self.n_nodes + np.arange(2 * n)
        self.n_nodes += 2 * n
        if self.tree is not None:
            self._record_cuts(cells, cuts, nodes)
        item = np.concatenate([cells.item[in_left], cells.item[in_right]])
        cell = np.concatenate([cells.cell[in_left], cells.cell[in_right] + n])
        return OpenCells(left.concat(right), nodes, cell, item)

    def _others(self, cuts: Cuts) -> Words:
        """Return the words of the right parts: on the axis of each cut, the values beyond it."""
        words = cuts.words.copy()
        space = self.boxes.space
        for j, part in enumerate(space.sets):
            on = cuts.axis == self.d + j
            words[np.ix_(on, range(part.start, part.stop))] ^= np.uint64(2**64 - 1)
        return words

    def _meets(self, cells: OpenCells, half: Boxes) -> Bools:
        """Return which pairs still meet after the cells were cut."""
        meets = np.ones(len(cells.cell), dtype=np.bool_)
        boxes = self.boxes
        for i in range(self.d):
            meets &= boxes.lower[cells.item, i] < half.upper[cells.cell, i]
            meets &= boxes.upper[cells.item, i] > half.lower[cells.cell, i]
        for part in boxes.space.sets:
            shared = np.zeros(len(meets), dtype=np.bool_)
            for word in range(part.start, part.stop):
                shared |= (boxes.masks[cells.item, word] & half.masks[cells.cell, word]) != 0
            meets &= shared
        return meets

    def _choose(self, cells: OpenCells, matter: Bools) -> tuple[Cuts, Floats]:
        """Return a cut per cell, and how large its fuller side is.

        A sample of the boxes with a bound inside a cell is examined, and the bounds of some of
        these are tried. The best cut leaves the fewest on its fuller side, and cuts through few.
        """
        n = len(cells.nodes)
        pairs = np.flatnonzero(matter)
        counts = np.bincount(cells.cell[pairs], minlength=n)
        starts = np.cumsum(counts) - counts
        every = self.boxes.space.everything
        cuts = Cuts(np.zeros(n, np.int64), np.zeros(n), np.repeat(every[None], n, axis=0))
        fuller = np.where(counts > 0, 1.0, np.inf)
        for size in _SAMPLES:
            smaller = [other for other in _SAMPLES if other < size]
            own = np.flatnonzero((counts > max(smaller, default=0)) & (counts <= size))
            if size == _SAMPLES[-1]:
                own = np.flatnonzero(counts > max(smaller))
            for at in range(0, len(own), _AT_ONCE // (size * _CUTS)):
                rows = own[at : at + _AT_ONCE // (size * _CUTS)]
                spread = np.arange(size)[None] * counts[rows, None] // size
                sample = cells.item[pairs[starts[rows, None] + spread]]
                fuller[rows] = self._best(cells.boxes.take(rows), sample, rows, cuts)
        return cuts, fuller

    def _best(self, boxes: Boxes, sample: Ints, rows: Ints, cuts: Cuts) -> Floats:
        """Set the best cut of each box that a sample of others gives; return its fuller side."""
        size = sample.shape[1]
        tried = sample[:, :: max(1, size // _CUTS)]
        best, fuller = np.full(len(rows), np.inf), np.ones(len(rows))

        def improve(left: Ints, right: Ints, valid: Bools) -> tuple[Ints, Ints]:
            """Return the boxes for which one of some cuts is better, and which one it is."""
            score = np.where(valid, np.maximum(left, right) + left + right, np.inf)
            which = score.argmin(axis=1)
            every = np.arange(len(rows))
            better = np.flatnonzero(score[every, which] < best)
            chosen = which[better]
            best[better] = score[better, chosen]
            fuller[better] = np.maximum(left, right)[better, chosen] / size
            return better, chosen

        for axis in range(self.d):
            lower, upper = self.boxes.lower[sample, axis], self.boxes.upper[sample, axis]
            values = np.hstack([self.boxes.lower[tried, axis], self.boxes.upper[tried, axis]])
            valid = (values > boxes.lower[:, axis, None]) & (values < boxes.upper[:, axis, None])
            if not valid.any():
                continue
            left = (lower[:, None] < values[:, :, None]).sum(axis=2)
            right = (upper[:, None] > values[:, :, None]).sum(axis=2)
            better, chosen = improve(left, right, valid)
            cuts.axis[rows[better]], cuts.value[rows[better]] = axis, values[better, chosen]
        for j, part in enumerate(boxes.space.sets):
            own = boxes.masks[:, None, part]
            words = self.boxes.masks[tried][:, :, part]
            shared = self.boxes.masks[sample][:, :, part]
            valid = np.logical_and((own & ~words).any(axis=2), (own & words).any(axis=2))
            if not valid.any():
                continue
            met = (shared & own)[:, None]
            left = (met & words[:, :, None]).any(axis=3).sum(axis=2)
            right = (met & ~words[:, :, None]).any(axis=3).sum(axis=2)
            better, chosen = improve(left, right, valid)
            cuts.axis[rows[better]] = self.d + j
            whole = np.repeat(boxes.space.everything[None], len(better), axis=0)
            whole[:, part] = words[better, chosen]
            cuts.words[rows[better]] = whole
        return fuller

    # --- the certificate

    def _record_leaves(self, cells: OpenCells, done: Bools, holds: Bools) -> None:
        """Record for each leaf the first box that contains it, -1 if none does."""
        assert self.tree is not None
        first = np.full(len(cells.nodes), -1)
        holders, at = np.unique(cells.cell[holds], return_index=True)
        first[holders] = cells.item[holds][at]
        leaves = zip(cells.nodes[done].tolist(), first[done].tolist(), strict=True)
        self.tree.leaves.update(leaves)

    def _record_cuts(self, cells: OpenCells, cuts: Cuts, nodes: Ints) -> None:
        assert self.tree is not None
        n = len(cells.nodes)
        space = self.boxes.space
        axes, values = cuts.axis.tolist(), cuts.value.tolist()
        for row, node in enumerate(cells.nodes.tolist()):
            where: Any = values[row]
            if axes[row] >= self.d:
                part = space.sets[axes[row] - self.d]
                where = from_words(cuts.words[row, part])
            self.tree.cuts[node] = [axes[row], where, int(nodes[row]), int(nodes[row + n])]
        self.tree.n_nodes = self.n_nodes


def _split(cells: OpenCells) -> tuple[OpenCells, OpenCells | None]:
    """Return as many of the last cells as are examined at a time, and the others."""
    n = len(cells.nodes)
    counts = np.bincount(cells.cell, minlength=n)
    behind = np.cumsum(counts[::-1])[::-1]
    first = max(int(np.searchsorted(-behind, -_AT_ONCE)), n - _CELLS, 0)
    first = min(first, n - 1)
    if first == 0:
        return cells, None
    return cells.take(np.arange(first, n)), cells.take(np.arange(first))


def _any(cells: Ints, n: int) -> Bools:
    """Return which of ``n`` cells are listed."""
    listed = np.zeros(n, dtype=np.bool_)
    listed[cells] = True
    return listed


def _range(cells: Ints, values: Any, n: int) -> tuple[Floats, Floats]:
    """Return the least and the greatest value of each cell; inf and -inf if there is none."""
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(low, cells, values)
    np.maximum.at(high, cells, values)
    return low, high
