"""Training rows that stay where they are: in files, databases and clusters.

Three passes read them in blocks: one over the labels, one over all columns for figures and a
sample, and one over the columns that rules test, to count the rule sets of the front.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from irenic.arrays import Floats, Indices
from irenic.errors import DataError
from irenic.frames.sources import Source
from irenic.learn._rows import MANY_ROWS, encoded_columns, rows_per_label, total
from irenic.learn._tables import as_labels
from irenic.learn.sample import Sample, priorities
from irenic.learn.tally import ColumnSums, Tally
from irenic.learn.target import Target, label_sums
from irenic.model.columns import infer_feature
from irenic.model.features import FIRST_CODE, MISSING_CODE, OTHER_CODE, Categorical, Feature
from irenic.model.space import Instances, Space

T = TypeVar("T")

# With more distinct values than this, a category has only those of the sample.
_VALUE_LIMIT: Final = 50_000
# So many standard deviations more rows than needed are drawn, so that there are never too few.
_SPARE: Final = 8.0


@dataclass(frozen=True, eq=False)
class Stored:
    """A source with its columns of labels and weights, and the labels."""

    source: Source
    target: str
    weight: str | None
    labels: Mapping[Any, int]
    """Code of each value in the column of labels."""
    classes: npt.NDArray[Any]
    n_rows: Floats
    """Number of rows of positive weight per label."""
    weights: Floats
    """Weight per label."""

    @classmethod
    def of(cls, source: Source, target: str, weight: str | None) -> Stored:
        """Read the labels and weights of a source."""
        if len(source.schema.names) <= 1 + (weight is not None):
            raise DataError(f"the table must have a column besides the target {target!r}, got none")
        wanted = [target] if weight is None else [target, weight]
        counts = total(source.run(partial(_label_counts, target=target, weight=weight), wanted))
        if not counts.rows:
            raise DataError("the table must have at least one row, got none")
        values = list(counts.rows)
        order = np.argsort([str(value) for value in values])  # whatever block has them first
        values = [values[i] for i in order.tolist()]
        labels = as_labels(values, target, n_rows=sum(counts.rows.values()))
        classes, codes = np.unique(labels, return_inverse=True)
        if labels.dtype != object:
            classes = np.array(classes.tolist())
        sums = [
            label_sums(codes, np.array([part[v] for v in values], dtype=float), len(classes))
            for part in (counts.rows, counts.weights)
        ]
        known = dict(zip(values, codes.tolist(), strict=True))
        return cls(source, target, weight, known, classes, sums[0], sums[1])

    @property
    def features(self) -> list[str]:
        """Names of the other columns."""
        return [name for name in self.source.schema.names if name not in (self.target, self.weight)]

    def apart(self) -> Stored:
        """Return the labels without the source, for work where its rows are."""
        return replace(self, source=None)  # type: ignore[arg-type]

    def codes(self, table: Any) -> Indices:
        """Return the code of the label of each row."""
        column = table.column(self.target).combine_chunks().dictionary_encode()
        codes = np.array([self.labels[value] for value in column.dictionary.to_pylist()], np.intp)
        return np.asarray(codes[column.indices.to_numpy(zero_copy_only=False)])

    def row_weights(self, table: Any) -> Floats:
        """Return the weight of each row."""
        return _weights(table, self.weight)


class _LabelCounts:
    """Number and weight of the rows of each label; those of two parts can be added."""

    def __init__(self, rows: Counter[Any], weights: Counter[Any]) -> None:
        self.rows, self.weights = rows, weights

    def __add__(self, other: _LabelCounts) -> _LabelCounts:
        rows, weights = Counter(self.rows), Counter(self.weights)
        rows.update(other.rows)
        weights.update(other.weights)
        return _LabelCounts(rows, weights)


def _label_counts(table: Any, first: int, *, target: str, weight: str | None) -> _LabelCounts:
    column = table.column(target).combine_chunks()
    if column.null_count:
        row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
        raise DataError(
            f"column {target!r}, row {first + row + 1}: the label is missing; drop such rows or"
            " choose another target"
        )
    column = column.dictionary_encode()
    values = column.dictionary.to_pylist()
    places = column.indices.to_numpy(zero_copy_only=False)
    weights = _weights(table, weight)
    rows = np.bincount(places[weights > 0], minlength=len(values))
    sums = label_sums(places, weights, len(values))
    used = np.flatnonzero(rows).tolist()
    return _LabelCounts(
        Counter({values[i]: int(rows[i]) for i in used}),
        Counter({values[i]: float(sums[i]) for i in used}),
    )


def _weights(table: Any, name: str | None) -> Floats:
    if name is None:
        return np.ones(table.num_rows)
    weight = table.column(name).combine_chunks().cast("float64").to_numpy(zero_copy_only=False)
    if not (np.isfinite(weight) & (weight >= 0)).all():
        raise DataError(f"sample_weight: column {name!r} must hold finite non-negative numbers")
    return np.asarray(weight, dtype=float)


# --- the sample, and what is in the columns


@dataclass(frozen=True, eq=False)
class Survey:
    """What one pass over all columns finds; that of two parts can be added."""

    columns: ColumnSums
    """Those of the continuous features."""
    values: dict[str, Counter[Any] | None]
    """Rows per value of each category; None if there are too many."""
    rows: list[Any] = field(default_factory=list)
    """Tables of the rows drawn."""
    numbers: list[Indices] = field(default_factory=list)

    def __add__(self, other: Survey) -> Survey:
        values = {name: _added(own, other.values[name]) for name, own in self.values.items()}
        return Survey(
            self.columns + other.columns,
            values,
            [*self.rows, *other.rows],
            [*self.numbers, *other.numbers],
        )


def _added(first: Counter[Any] | None, second: Counter[Any] | None) -> Counter[Any] | None:
    if first is None or second is None:
        return None
    both = Counter(first)
    both.update(second)
    return both if len(both) <= _VALUE_LIMIT else None


@dataclass(frozen=True, eq=False)
class Surveyor:
    """The work of a survey on each block."""

    stored: Stored
    features: Mapping[str, Feature | None]
    """The feature of each column; None for text, whose values are not known yet."""
    bounds: npt.NDArray[np.uint64]
    """Rows with a lower priority than the bound of their label are drawn."""
    state: int

    def __call__(self, table: Any, first: int) -> Survey:
        stored = self.stored
        codes, weight = stored.codes(table), stored.row_weights(table)
        numbers = np.arange(first, first + table.num_rows)
        drawn = (priorities(numbers, self.state) <= self.bounds[codes]) & (weight > 0)
        rows = np.flatnonzero(drawn)
        table_rows = table.take(rows)
        used = table if (weight > 0).all() else table.filter(weight > 0)
        values: dict[str, Counter[Any] | None] = {}
        for name, feature in self.features.items():
            if feature is None or isinstance(feature, Categorical):
                counts = used.column(name).value_counts()
                pairs = zip(counts.field(0).to_pylist(), counts.field(1).to_pylist(), strict=True)
                values[name] = _added(Counter(dict(pairs)), Counter())
        known = Space([f for f in self.features.values() if f is not None and f.name not in values])
        columns = ColumnSums.of(encode_block(known, used, first))
        return Survey(columns, values, [table_rows], [numbers[rows]])


def encode_block(
    space: Space, table: Any, first: int, names: Sequence[str] | None = None
) -> Instances:
    """Return a block as numbers; errors say where it is."""
    import narwhals.stable.v2 as nw

    frame = nw.from_native(table, eager_only=True)
    wanted = space.names if names is None else [n for n in space.names if n in names]
    try:
        columns = {name: frame.get_column(name) for name in wanted}
        return encoded_columns(space, columns, table.num_rows)
    except DataError as error:
        raise DataError(f"rows {first + 1} to {first + table.num_rows}: {error}") from None


def schema_features(source: Source, names: Sequence[str]) -> dict[str, Feature | None]:
    """Return the features of columns that their types say; None for text."""
    import narwhals.stable.v2 as nw
    import pyarrow as pa

    from irenic.frames.sources import plain_table

    frame = nw.from_native(plain_table(source.schema.empty_table()), eager_only=True)
    features: dict[str, Feature | None] = {}
    for name in names:
        kind = source.schema.field(name).type
        if pa.types.is_null(kind) or frame.get_column(name).dtype == nw.String:
            features[name] = None
        else:
            features[name] = replace(infer_feature(name, frame.get_column(name)), missing=True)
    return features


def bounds_of(n_rows: Floats) -> npt.NDArray[np.uint64]:
    """Return the priorities below which rows of each label are drawn: enough for a sample."""
    n, least = n_rows.sum(), np.minimum(n_rows, rows_per_label(len(n_rows)))
    shares = [
        np.minimum(1.0, (wanted + _SPARE * np.sqrt(wanted) + 1.0) / np.maximum(of, 1.0))
        for wanted, of in ((np.full(len(n_rows), float(MANY_ROWS)), n), (least, n_rows))
    ]
    share = np.maximum(*shares)
    top = np.uint64(2**64 - 1)
    return np.where(share < 1.0, (np.minimum(share, 0.99999) * 2.0**64).astype(np.uint64), top)


def draw_rows(
    numbers: Indices, codes: Indices, n_labels: int, state: int
) -> tuple[Indices, Indices]:
    """Return the places of the rows to keep, and of those that are rare in addition."""
    order = np.argsort(priorities(numbers, state), kind="stable")
    typical, rest = order[:MANY_ROWS], order[MANY_ROWS:]
    kept = np.bincount(codes[typical], minlength=n_labels)
    least = np.minimum(np.bincount(codes, minlength=n_labels), rows_per_label(n_labels))
    rare = [
        rest[codes[rest] == label][: least[label] - kept[label]]
        for label in np.flatnonzero(kept < least).tolist()
    ]
    return np.sort(typical), np.sort(np.concatenate([*rare, np.zeros(0, dtype=np.intp)]))


# --- all rows


@dataclass(frozen=True, eq=False)
class StoredRows:
    """All rows of a source, encoded block by block."""

    stored: Stored
    space: Space
    factors: Floats
    """Factor of each label in the weights."""
    columns: ColumnSums

    def run(self, task: Callable[[Sample], T], names: Sequence[str] | None = None) -> Iterator[T]:
        """Yield the result of a task for each block of rows."""
        stored = self.stored
        wanted = [n for n in self.space.names if names is None or n in names]
        read = [*wanted, stored.target, *([] if stored.weight is None else [stored.weight])]
        work = _Work(stored.apart(), self.space, self.factors, tuple(wanted), task)
        yield from stored.source.run(work, read)

    def weighted(self, factor: float) -> StoredRows:
        """Return the rows with all weights multiplied by a factor."""
        return replace(self, factors=self.factors * factor)

    @property
    def n_weighted(self) -> float:
        """Number of rows of positive weight, all of which can occur."""
        return self.tally.rows

    @cached_property
    def tally(self) -> Tally:
        """Counts of the labels and columns of all rows."""
        stored = self.stored
        n_rows = stored.n_rows * (self.factors > 0)
        weights = stored.weights * self.factors
        return Tally(float(n_rows.sum()), float(weights.sum()), weights, n_rows, self.columns)


@dataclass(frozen=True, eq=False)
class _Work:
    """A task on a block of a source, where the source has it."""

    stored: Stored
    space: Space
    factors: Floats
    names: tuple[str, ...]
    task: Callable[[Sample], Any]

    def __call__(self, table: Any, first: int) -> Any:
        block = self.block(table, first)
        used = block.weight > 0
        return self.task(block if used.all() else block.take(np.flatnonzero(used)))

    def block(self, table: Any, first: int) -> Sample:
        codes = self.stored.codes(table)
        weight = self.stored.row_weights(table) * self.factors[codes]
        instances = encode_block(self.space, table, first, self.names)
        return Sample.of(instances, Target.single(self.stored.classes, codes), weight)


def survey(stored: Stored, state: int, opened: Callable[[Space], Space], factors: Floats) -> Sample:
    """Return a sample of all rows.

    ``opened`` completes the space; ``factors`` are those of labels in the weights.
    """
    import pyarrow as pa

    source, names = stored.source, stored.features
    features = schema_features(source, names)
    surveyor = Surveyor(stored.apart(), features, bounds_of(stored.n_rows), state)
    found = total(source.run(surveyor, list(source.schema.names)))
    table, numbers = pa.concat_tables(found.rows), np.concatenate(found.numbers)
    typical, rare = draw_rows(numbers, stored.codes(table), len(stored.classes), state)
    places = np.union1d(typical, rare)
    table, numbers, is_rare = table.take(places), numbers[places], np.isin(places, rare)
    space = opened(Space([_with_values(n, f, found, table) for n, f in features.items()]))
    if space.impossible:
        raise DataError(
            "space must allow all cases if the rows are not in memory; filter the rows instead"
        )
    columns = _whole_columns(space, found, float(stored.n_rows.sum()), table)
    rows = StoredRows(stored, space, factors, columns)
    sample = _Work(stored, space, factors, space.names, lambda block: block).block(table, 0)
    sample = replace(sample, number=numbers, whole=rows, rare=is_rare)
    return sample.take(np.flatnonzero(sample.weight > 0))


def _with_values(name: str, feature: Feature | None, found: Survey, table: Any) -> Feature:
    if feature is not None:
        return feature
    counts = found.values[name]
    values = table.column(name).unique().to_pylist() if counts is None else list(counts)
    return Categorical(name, sorted(v for v in values if v is not None), missing=True, other=True)


def _whole_columns(space: Space, found: Survey, n_rows: float, table: Any) -> ColumnSums:
    """Return what is in all columns, in the order of the features of a space."""
    continuous = [name for name in space.names if name not in found.values]
    rows = [continuous.index(feature.name) for feature in space.continuous]
    counts = []
    for feature in space.categorical:
        codes = np.zeros(FIRST_CODE + len(feature.values))
        values = found.values[feature.name]
        scale = 1.0
        if values is None:  # too many to count: as in the sample
            listed = table.column(feature.name).to_pylist()
            values, scale = Counter(listed), n_rows / max(1, len(listed))
        for value, n in values.items():
            code = MISSING_CODE if value is None else feature.codes.get(value, OTHER_CODE)
            codes[code] += n * scale
        counts.append(codes)
    sums = found.columns
    return ColumnSums(
        sums.low[rows], sums.high[rows], sums.missing[rows], sums.fractions[rows], tuple(counts)
    )
