"""Samples: labeled, weighted rows, as numbers or in cells; in blocks, drawn, or in folds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from irenic.arrays import (
    GOLDEN,
    Bools,
    Bytes,
    Floats,
    Indices,
    Shorts,
    Words,
    as_scalars,
    scrambled,
)
from irenic.learn.cells import Cells
from irenic.learn.tally import Tally
from irenic.learn.target import Target, label_sums
from irenic.model.space import Instances

T = TypeVar("T")

# Cases recur if three of four occur this often; with more cases than the second number, a common
# factor of their counts is ignored.
_SEVERAL_TIMES: Final = 3
_MANY_CASES: Final = 16
# Maximum number of parts of a row: enough for folds and bags.
_PART_LIMIT: Final = 20
MIN_ROWS_PER_LABEL: Final = 100
# Rows that were not sampled and validate rule sets, as a multiple of the sample: more rows change
# scores by less than their standard error, but take time.
_REST: Final = 4
# Up to this share of a second sample comes from where the first one was thin.
_FAVORED: Final = 0.5


class InCells(NamedTuple):
    """The features of rows in the cells of a search."""

    cells: Cells
    encoded: Bytes
    """Cell of each row, by feature."""

    def take(self, rows: Indices) -> InCells:
        """Return the given rows."""
        return InCells(self.cells, self.encoded.take(rows, axis=1))


class Whole(Protocol):
    """All rows of a sample, wherever they are, which are read in blocks."""

    @property
    def tally(self) -> Tally:
        """Counts of labels and columns."""

    @property
    def n_weighted(self) -> float:
        """Number of rows of positive weight, with those that cannot occur."""

    def run(self, task: Callable[[Sample], T], names: Sequence[str] | None = None) -> Iterator[T]:
        """Yield the result of a task for each block of rows.

        Only the columns ``names`` have their values; all of them if it is None.
        """

    def weighted(self, factor: float) -> Whole:
        """Return the rows with all weights multiplied by a factor."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Labeled, weighted rows."""

    features: Instances | InCells
    """Their features: as numbers, or in the cells of a search."""
    target: Target
    weight: Floats
    """Weight of each row."""
    count: Floats
    """Number of rows that each row represents; see :func:`row_counts`."""
    divided: bool = False
    """Whether rows with the same cells may be left out separately."""
    factors: Floats | None = None
    """Factor of each label in a search, by which labels are balanced; None if they are not.

    In cells, weights have it already."""
    fixed: Shorts | None = None
    """Code that fixed rules predict for each row, -1 where none holds; None if there are none."""
    rest: Sample | None = None
    """Rows that were not sampled, for validation."""
    pool: Sample | None = None
    """Further rows that were not sampled, to sample from where the first sample was thin."""
    number: Indices | None = None
    """Number of each row in the training data, for samples; None if they have all of them."""
    totals: Floats | None = None
    """Number of rows per label in the training data; None if they are those of the sample."""
    whole: Whole | None = None
    """All rows, if only a sample of them is in memory."""
    rare: Bools | None = None
    """Whether each row was drawn only because its label is rare."""

    @classmethod
    def of(cls, instances: Instances, target: Target, weight: Floats) -> Sample:
        """Return rows that represent themselves."""
        return cls(instances, target, weight, np.ones(len(weight)))

    def __len__(self) -> int:
        return len(self.weight)

    @property
    def instances(self) -> Instances:
        """The features as numbers."""
        assert isinstance(self.features, Instances)
        return self.features

    @property
    def cells(self) -> Cells:
        """The cells that the features are in."""
        assert isinstance(self.features, InCells)
        return self.features.cells

    @property
    def encoded(self) -> Bytes:
        """Cell of each row, by feature."""
        assert isinstance(self.features, InCells)
        return self.features.encoded

    def take(self, rows: Any) -> Sample:
        """Return the given rows: indices, a mask or a slice."""
        return replace(
            self,
            features=self.features.take(rows),
            target=self.target.take(rows),
            weight=self.weight[rows],
            count=self.count[rows],
            fixed=None if self.fixed is None else self.fixed[rows],
            number=None if self.number is None else self.number[rows],
            rare=None if self.rare is None else self.rare[rows],
        )

    # --- all rows

    @cached_property
    def tally(self) -> Tally:
        """Counts of the labels and columns of all rows."""
        return Tally.of(self) if self.whole is None else self.whole.tally

    @property
    def n_rows(self) -> float:
        """Number of all rows."""
        return float(self.count.sum()) if self.whole is None else self.whole.tally.rows

    @property
    def label_rows(self) -> Floats:
        """Number of all rows of each label."""
        whole = self.whole
        return self.target.truth.sum(axis=0) if whole is None else whole.tally.label_rows

    @property
    def label_weights(self) -> Floats:
        """Weight of all rows of each label; of several labels per row, that of all rows."""
        if self.target.many:
            weight = self.weight.sum() if self.whole is None else self.whole.tally.row_weight
            return np.array([weight])
        if self.whole is not None:
            return self.whole.tally.labels
        return label_sums(self.target.codes, self.weight, len(self.target.labels))

    def run(self, task: Callable[[Sample], T], names: Sequence[str] | None = None) -> Iterator[T]:
        """Yield the result of a task for each block of all rows."""
        if self.whole is None:
            yield task(self)
        else:
            yield from self.whole.run(task, names)

    def parts(self, n_rows: int) -> Iterator[Sample]:
        """Yield parts of at most so many rows; one of them, if there are no rows."""
        if len(self) <= n_rows:
            yield self
            return
        for first in range(0, len(self), n_rows):
            yield self.take(slice(first, first + n_rows))

    def weighted(self, factor: float) -> Sample:
        """Return the rows with all weights multiplied by a factor."""
        whole = None if self.whole is None else self.whole.weighted(factor)
        return replace(self, weight=self.weight * factor, whole=whole)

    def typical(self) -> Sample:
        """Return the rows without those that are here because their label is rare."""
        return self if self.rare is None else self.take(np.flatnonzero(~self.rare))

    def in_order(self) -> Sample:
        """Return rows whose order does not depend on that in the table, if it could matter.

        Sums of weights such as 0.1 depend on the order of rows in their last bits, and weights that
        balance labels are made of such sums. Sums of whole numbers do not. Which rows are in a
        sample depends on their order in any case.
        """
        if self.whole is not None or (self.weight == np.floor(self.weight)).all():
            return self
        part, exponent = np.frexp(self.weight)
        weight = np.ldexp(np.round(part, 12), exponent)
        instances = self.instances
        keys = [weight, *self.target.truth.T, *instances.codes, *instances.values]
        return replace(self, weight=weight).take(np.lexsort(keys))

    @property
    def searched(self) -> Floats:
        """Weight of each row in a search, by label balanced or by cost."""
        if self.factors is None:
            return self.weight
        return np.asarray(self.weight * self.factors[self.target.codes])

    def in_cells(self, cells: Cells) -> Sample:
        """Return the rows in cells, to search with."""
        return Sample(
            InCells(cells, cells.encode(self.instances)),
            self.target,
            self.searched,
            self.count,
            factors=self.factors,
            number=self.number,
            totals=None if self.whole is None or self.target.many else self.label_rows,
        )

    # --- rows in cells

    def free(self) -> Sample:
        """Return the rows that no fixed rule decides."""
        return self if self.fixed is None else self.take(np.flatnonzero(self.fixed < 0))

    def decided(self, codes: npt.NDArray[np.integer]) -> Indices:
        """Return the code that fixed rules predict for each row, or else the given one."""
        if self.fixed is not None:
            codes = np.where(self.fixed < 0, codes, self.fixed)
        return codes.astype(np.intp)

    def merged(self) -> Sample:
        """Return the sample with equal rows merged and sorted.

        The result depends neither on the order of rows nor on whether a row is repeated or has a
        weight of 2. Rows with the same cells are left out together, so that none is validated on
        its own copy; where cases recur, they are left out separately.
        """
        labels = np.packbits(self.target.truth > 0, axis=1)
        table = [self.encoded.T, labels]
        if self.fixed is not None:
            table.append(self.fixed.view(np.uint8).reshape(len(self), 2))
        keys = as_scalars(np.concatenate(table, axis=1))
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        group = group.ravel()
        weight, count = _sums(group, self.weight), _sums(group, self.count)
        merged = replace(self.take(first), weight=weight, count=count)
        # many cases that all occur ten times are rows of weight 10, or a table repeated ten times
        times = count.astype(np.intp)
        if merged.n_groups > _MANY_CASES:
            times //= np.gcd.reduce(times)
        cases = np.bincount(merged.groups, weights=times)
        recur = np.quantile(cases, 0.25) >= _SEVERAL_TIMES
        return merged._divided(times) if recur else merged

    def _divided(self, times: Indices) -> Sample:
        """Return each row divided into equal parts, one per occurrence up to a limit.

        Where most cases recur, new rows will repeat them, so leaving out whole cases would not
        measure how well new rows are predicted.
        """
        n_parts = np.minimum(times, _PART_LIMIT)
        rows = np.repeat(np.arange(len(self)), n_parts)
        weight, count = (self.weight / n_parts)[rows], (self.count / n_parts)[rows]
        return replace(self.take(rows), weight=weight, count=count, divided=True)

    @cached_property
    def groups(self) -> Indices:
        """Group of each row; rows of one group are left out together."""
        if self.divided:
            return np.arange(len(self))
        return np.unique(as_scalars(self.encoded.T), return_inverse=True)[1].ravel()

    @property
    def unbalanced(self) -> Floats:
        """Weight of each row without the factor of its label."""
        if self.factors is None:
            return self.weight
        return np.asarray(self.weight / self.factors[self.target.truth.argmax(axis=1)])

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.groups.max(initial=-1)) + 1

    def sampled(self, limit: int, random_state: int) -> Sample:
        """Return about ``limit`` of the rows, and enough of each label to learn it."""
        if len(self) <= limit:
            return self
        number = np.arange(len(self)) if self.number is None else self.number
        order = np.argsort(priorities(number, random_state), kind="stable")
        if self.target.many:
            rows, rest = np.sort(order[:limit]), np.sort(order[limit : (1 + _REST) * limit])
            return replace(self.take(rows), rest=self.take(rest))
        codes = self.target.codes
        counts = self.totals
        if counts is None:
            counts = np.bincount(codes, minlength=len(self.target.labels)).astype(float)
        n_rows = counts.sum()
        chosen = []
        weight = self.weight.copy()
        for code, quota in enumerate(_quotas(counts, limit)):
            kept = order[codes[order] == code][:quota]
            # rows of a rare label are more frequent in the sample, but they do not weigh more
            weight[kept] *= limit * counts[code] / n_rows / max(1, len(kept))
            chosen.append(kept)
        rows = np.sort(np.concatenate(chosen))
        others = order[~np.isin(order, rows)]
        rest, more = np.sort(others[: _REST * limit]), np.sort(others[_REST * limit :])
        pool = self.take(more) if len(more) else None
        return replace(replace(self, weight=weight).take(rows), rest=self.take(rest), pool=pool)

    def with_pool(self) -> Sample:
        """Return the rows together with the pool; each label keeps the share that it has here."""
        pooled = replace(self, rest=self.pool, pool=None, number=None)
        return replace(pooled.left_out(np.arange(len(self))), rest=self.rest)

    def drawn_like(self, first: Sample, favored: Bools, seed: int) -> Sample:
        """Return a random sample of the size of another one, up to half of it from favored rows.

        These rows weigh less in return, so that on average, all sums stay what they are.
        """
        rng, n_rows = np.random.default_rng(seed), len(first)
        n_favored = min(int(favored.sum()), round(_FAVORED * n_rows))
        drawn, scale = [], np.ones(len(self))
        for part, n_wanted in ((favored, n_favored), (~favored, n_rows - n_favored)):
            among = np.flatnonzero(part)
            drawn.append(rng.permutation(among)[:n_wanted])
            scale[drawn[-1]] = len(among) / max(1, len(drawn[-1]))
        rows = np.sort(np.concatenate(drawn))
        sample, scale = self.take(rows), scale[rows]
        count = sample.count * scale * (first.count.sum() / self.count.sum())
        return replace(sample, weight=sample.weight * scale, count=count)

    def left_out(self, rows: Indices) -> Sample:
        """Return the given rows together with those that were not sampled.

        Each label keeps the share that it has in the sample, whichever rows it comes from.
        """
        left, rest = self.take(rows), self.rest
        if rest is None:
            return left
        labels = 1 if self.target.many else len(self.target.labels)
        codes = [
            np.zeros(len(part), dtype=int) if labels == 1 else part.target.truth.argmax(axis=1)
            for part in (self, left, rest)
        ]
        totals = np.bincount(codes[0], weights=self.weight, minlength=labels)
        counts = np.stack([np.bincount(code, minlength=labels) for code in codes[1:]])
        weights = []
        for part, code, count in zip((left, rest), codes[1:], counts, strict=True):
            sums = np.bincount(code, weights=part.weight, minlength=labels)
            share = totals * count / np.maximum(counts.sum(axis=0), 1)
            weights.append(part.weight * (share / np.maximum(sums, 1e-300))[code])
        fixed = left.fixed
        if fixed is not None and rest.fixed is not None:
            fixed = np.concatenate([fixed, rest.fixed])
        encoded = np.concatenate([left.encoded, rest.encoded], axis=1)
        return replace(
            left,
            features=InCells(self.cells, np.ascontiguousarray(encoded)),
            target=replace(
                left.target, truth=np.concatenate([left.target.truth, rest.target.truth])
            ),
            weight=np.concatenate(weights),
            count=np.concatenate([left.count, rest.count]),
            fixed=fixed,
        )

    def folds(self, n_folds: int, random_state: int) -> Iterator[Indices]:
        """Yield the rows that each validation task leaves out, stratified by label.

        A single fold is a quarter of the rows.
        """
        rng = np.random.default_rng(random_state)
        groups, weight = self.groups, self.weight
        by_group = np.lexsort((-weight, groups))
        heaviest = by_group[np.unique(groups[by_group], return_index=True)[1]]
        labels = self.target.truth[heaviest].T > 0
        weights = np.bincount(groups, weights=weight)
        # groups with the same labels next to each other, the heaviest first, so that folds have
        # about the same weight; ties in random order
        order = np.lexsort([rng.random(len(heaviest)), -weights, *labels])
        parts = 4 if n_folds == 1 else n_folds
        # the first of each four groups is the heaviest
        begin = 1 if n_folds == 1 and len(order) > 1 else 0
        for fold in range(begin, begin + n_folds):
            yield np.flatnonzero(np.isin(groups, order[fold::parts]))


def priorities(numbers: Indices, random_state: int) -> Words:
    """Return a random number per row, which depends on the number of the row alone.

    So the rows with the lowest ones are the same sample, whoever draws it, in whatever parts. The
    numbers are those of the generator SplitMix64.

    >>> priorities(np.array([5, 7]), 0)[1] == priorities(np.array([7]), 0)[0]
    np.True_
    """
    states = np.asarray(numbers, dtype=np.uint64) + np.uint64(1)
    states += np.uint64(random_state) << np.uint64(32)
    return scrambled(states * GOLDEN)


def _quotas(counts: Floats, limit: int) -> list[int]:
    """Return how many rows of each label to sample: a fair share, but at least a minimum.

    Rare labels have all rows, or as many as half of the sample allows each label.
    """
    fair = limit * counts / counts.sum()
    least = np.minimum(counts, max(MIN_ROWS_PER_LABEL, limit // (2 * len(counts))))
    rare = fair < least
    rest = max(limit - int(least[rare].sum()), limit // 2)
    common = fair * rest / max(fair[~rare].sum(), 1.0)
    return [round(quota) for quota in np.where(rare, least, common).tolist()]


def _sums(groups: Indices, values: Floats) -> Floats:
    """Return the sum of the values of each group, independent of their order."""
    order = np.lexsort((values, groups))
    return np.asarray(np.bincount(groups[order], weights=values[order]), dtype=float)
