"""All training rows, when there are too many to encode at once: they are read in blocks.

Of many rows, a sample is in memory: rows with the lowest priorities, which are random numbers that
depend on nothing but the number of a row and the random state, and further rows of rare labels.
Evolution learns from the sample; statistics come from all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from irenic.arrays import Floats, Indices
from irenic.errors import DataError
from irenic.learn.cells import ROW_LIMIT
from irenic.learn.sample import MIN_ROWS_PER_LABEL, Sample, priorities
from irenic.learn.tally import BLOCK, Tally
from irenic.learn.target import Target
from irenic.model.columns import encode_codes, encode_floats
from irenic.model.features import Categorical, Continuous
from irenic.model.space import Instances, Space

T = TypeVar("T")

# With more rows than this, only a sample of so many is encoded at once.
MANY_ROWS: Final = 200_000


def total(results: Iterator[T]) -> T:
    """Return the sum of the results of blocks."""
    return reduce(add, results)


@dataclass(frozen=True, eq=False)
class TableRows:
    """Rows of a table in memory, encoded block by block."""

    space: Space
    columns: Mapping[str, Any]
    """The column of each feature: a 1-D array or a series of narwhals."""
    target: Target
    """The labels; with one label per row, no row, and ``codes`` has them."""
    codes: Indices | None
    weight: Floats | None
    """Weight of each row; None if each has 1."""
    factors: Floats
    """Factor of each label in the weights, or one for all."""

    def __len__(self) -> int:
        return len(self.target) if self.codes is None else len(self.codes)

    def run(self, task: Callable[[Sample], T], names: Sequence[str] | None = None) -> Iterator[T]:
        """Yield the result of a task for each block of rows."""
        for first in range(0, len(self), BLOCK):
            block = self.block(slice(first, first + BLOCK), names)
            if len(block):
                yield task(block)

    def weighted(self, factor: float) -> TableRows:
        """Return the rows with all weights multiplied by a factor."""
        rows = replace(self, factors=self.factors * factor)
        rows.__dict__["tally"] = self.tally.scaled(factor)  # without another pass
        return rows

    @cached_property
    def tally(self) -> Tally:
        """Counts of the labels and columns of all rows."""
        return total(self.run(Tally.of))

    @property
    def n_weighted(self) -> float:
        """Number of rows of positive weight, with those that cannot occur."""
        used = np.ones(len(self), dtype=bool) if self.weight is None else self.weight > 0
        if self.codes is not None:
            used &= (np.broadcast_to(self.factors, len(self.target.labels)) > 0)[self.codes]
        return float(np.count_nonzero(used))

    def block(self, rows: slice, names: Sequence[str] | None = None) -> Sample:
        """Return the given rows, without those of weight 0 and those that cannot occur."""
        block, kept = self._block(rows, names)
        return block if kept.all() else block.take(np.flatnonzero(kept))

    def sample(self, rows: Indices) -> tuple[Sample, Indices]:
        """Return those of the given rows that count, and their places among these."""
        block, kept = self._block(rows)
        places = np.flatnonzero(kept)
        return block.take(places), places

    def _block(
        self, rows: slice | Indices, names: Sequence[str] | None = None
    ) -> tuple[Sample, npt.NDArray[np.bool_]]:
        """Return the given rows, and which of them count."""
        impossible = self.space.impossible
        names = (
            None if names is None else [*names, *(n for r in impossible for n in r.conditions())]
        )
        instances = self._encoded(rows, names)
        if self.codes is None:
            target = self.target.take(rows)
            weight = np.full(len(target), float(self.factors[0]))
        else:
            target = Target.single(self.target.labels, self.codes[rows])
            weight = np.broadcast_to(self.factors, len(target.labels))[target.codes]
        if self.weight is not None:
            weight = weight * self.weight[rows]
        kept = weight > 0
        for region in impossible:
            kept &= ~region.contains(instances)
        return Sample.of(instances, target, np.asarray(weight)), kept

    def _encoded(self, rows: slice | Indices, names: Sequence[str] | None) -> Instances:
        columns = self.columns
        if names is not None:
            columns = {name: columns[name] for name in names}
        n = len(range(*rows.indices(len(self)))) if isinstance(rows, slice) else len(rows)
        try:
            parts = {name: column[rows] for name, column in columns.items()}
            return encoded_columns(self.space, parts, n)
        except DataError:  # the error names the row of the block
            encoded_columns(self.space, columns, len(self))
            raise


def encoded_columns(space: Space, columns: Mapping[str, Any], n: int) -> Instances:
    """Return columns by name as numbers; the values of other features are missing."""
    values = np.full((len(space.continuous), n), -np.inf)
    codes = np.zeros((len(space.categorical), n), dtype=np.int32)
    for name, column in columns.items():
        feature = space[name]
        if isinstance(feature, Continuous):
            values[space.row(name)] = encode_floats(column, feature)
        elif isinstance(feature, Categorical):
            codes[space.row(name)] = encode_codes(column, feature)
    return Instances(space, values, codes)


# --- the sample


def sample_rows(
    codes: Indices | None, n: int, n_labels: int, state: int
) -> tuple[Indices, Indices]:
    """Return the numbers of the rows to keep in memory, and of those that are rare in addition.

    Both are sorted. The first are the rows with the lowest priorities.
    """
    order = priorities(np.arange(n), state)
    bound = np.partition(order, MANY_ROWS - 1)[MANY_ROWS - 1]
    among = order <= bound
    rare: list[Indices] = []
    if codes is not None:
        sizes = np.bincount(codes, minlength=n_labels)
        kept = np.bincount(codes[among], minlength=n_labels)
        least = np.minimum(sizes, rows_per_label(n_labels))
        for label in np.flatnonzero(kept < least).tolist():
            rows = np.flatnonzero(codes == label)
            best = rows[np.argsort(order[rows], kind="stable")[: least[label]]]
            rare.append(best[~among[best]])
    return np.flatnonzero(among), np.sort(np.concatenate([*rare, np.zeros(0, dtype=np.intp)]))


def rows_per_label(n_labels: int) -> int:
    """Return how many rows of each label are kept, however rare it is."""
    return max(MIN_ROWS_PER_LABEL, ROW_LIMIT // (2 * n_labels))


def sampled(rows: TableRows, state: int) -> Sample:
    """Return a sample of many rows."""
    typical, rare = sample_rows(rows.codes, len(rows), len(rows.target.labels), state)
    number = np.sort(np.concatenate([typical, rare]))
    sample, kept = rows.sample(number)
    number = number[kept]
    return replace(sample, number=number, whole=rows, rare=np.isin(number, rare))
