"""Tables that stay where they are: read in blocks, so that only one block is in memory.

A source yields blocks as tables of pyarrow, each with the number of its first row. The work on a
block returns something small, which engines can compute where their rows are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

import numpy as np

from irenic.errors import DataError, FileError, FormatError
from irenic.frames import csv
from irenic.frames._parquet import check_characters, columns_of
from irenic.frames.columns import Table, check_header
from irenic.frames.files import check_readable, check_target, replacing

T = TypeVar("T")

BLOCK_ROWS: Final = 1 << 17
"""Rows of a block, as far as the source allows it."""


class Source(Protocol):
    """A table that is read in blocks."""

    @property
    def schema(self) -> Any:
        """The names and types of the columns, as pyarrow has them."""

    def run(self, work: Callable[[Any, int], T], names: Sequence[str]) -> Iterator[T]:
        """Yield ``work(table, first)`` for each block of the named columns, in order.

        ``first`` is the number of the first row of the block.
        """

    def __len__(self) -> int:
        """Return the number of rows."""


def open_source(data: Any) -> Source | None:
    """Return a table that is not in memory as a source, None for any other value.

    Sources are the path of a Parquet file, or of a folder of them; a dataset of pyarrow, a lazy
    frame of polars, a relation of DuckDB, a Dask DataFrame or a Spark DataFrame.
    """
    if isinstance(data, str | Path):
        return _open_parquet(Path(data))
    module, kind = type(data).__module__.partition(".")[0], type(data).__name__
    if module == "pyarrow" and "Dataset" in kind:
        return _from_dataset(data)
    if module == "polars" and kind == "LazyFrame":
        return _from_polars(data)
    if module in ("duckdb", "_duckdb") and kind == "DuckDBPyRelation":
        return _from_duckdb(data)
    if module.startswith("dask") and kind == "DataFrame":
        return DaskSource(data)
    if module == "pyspark" and kind == "DataFrame":
        return SparkSource(data)
    return None


@dataclass(frozen=True, eq=False)
class BatchSource:
    """A table that the library of its own reads in batches on this machine."""

    schema: Any
    batches: Callable[[Sequence[str]], Iterable[Any]]
    """Start to read columns; yields batches or tables of pyarrow."""
    count: Callable[[], int]
    check: Callable[[Any], None] | None = None
    """Raise an error if a block would fill the memory, before its texts are unpacked."""

    def __len__(self) -> int:
        return self._length

    @cached_property
    def _length(self) -> int:
        return int(self.count())

    def run(self, work: Callable[[Any, int], T], names: Sequence[str]) -> Iterator[T]:
        """Yield ``work(table, first)`` for each block of the named columns, in order."""
        first = 0
        for table in _blocks(self.batches(names), names, self.check):
            yield work(table, first)
            first += table.num_rows


@dataclass(frozen=True, eq=False)
class DaskSource:
    """A Dask DataFrame; work is done where its partitions are."""

    frame: Any

    @cached_property
    def schema(self) -> Any:
        """The names and types of the columns, as pyarrow has them."""
        pyarrow = _pyarrow()
        schema = pyarrow.Schema.from_pandas(self.frame._meta_nonempty, preserve_index=False)
        return _checked(schema.remove_metadata())

    @cached_property
    def _lengths(self) -> list[int]:
        return [int(n) for n in self.frame.map_partitions(len).compute()]

    def __len__(self) -> int:
        return sum(self._lengths)

    def run(self, work: Callable[[Any, int], T], names: Sequence[str]) -> Iterator[T]:
        """Yield ``work(table, first)`` for each block of the named columns, in order."""
        dask: Any = import_module("dask")
        schema = _pyarrow().schema([self.schema.field(name) for name in names])
        on_partition = partial(_on_partition, work=work, schema=schema)
        tasks, first = [], 0
        parts = self.frame[list(names)].to_delayed()
        for part, length in zip(parts, self._lengths, strict=True):
            tasks.append(dask.delayed(on_partition)(part, first))
            first += length
        for results in dask.compute(*tasks):
            yield from results


def _on_partition(frame: Any, first: int, *, work: Callable[[Any, int], T], schema: Any) -> list[T]:
    """Return the results of work on the blocks of a partition of Dask."""
    table = _pyarrow().Table.from_pandas(frame, schema=schema, preserve_index=False)
    starts = range(0, table.num_rows, BLOCK_ROWS)
    return [work(plain_table(table.slice(a, BLOCK_ROWS)), first + a) for a in starts]


@dataclass(frozen=True, eq=False)
class SparkSource:
    """A Spark DataFrame; work is done where its partitions are, and its results are pickled."""

    frame: Any

    @cached_property
    def schema(self) -> Any:
        """The names and types of the columns, as pyarrow has them."""
        types: Any = import_module("pyspark.sql.pandas.types")
        return _checked(types.to_arrow_schema(self.frame.schema))

    @cached_property
    def _lengths(self) -> dict[int, int]:
        """Number of rows by partition."""
        counted = self.frame.select(self.frame.columns[0]).mapInArrow(_count, "part int, n long")
        lengths: dict[int, int] = {}
        for row in counted.collect():
            lengths[row["part"]] = lengths.get(row["part"], 0) + row["n"]
        return lengths

    def __len__(self) -> int:
        return sum(self._lengths.values())

    def run(self, work: Callable[[Any, int], T], names: Sequence[str]) -> Iterator[T]:
        """Yield ``work(table, first)`` for each block of the named columns, in order."""
        import pickle

        starts, first = {}, 0
        for part, length in sorted(self._lengths.items()):
            starts[part] = first
            first += length
        task = partial(_on_batches, work=work, names=list(names), starts=starts)
        quoted = ["`" + name.replace("`", "``") + "`" for name in names]
        found = self.frame.select(*quoted).mapInArrow(task, "first long, result binary").collect()
        for row in sorted(found, key=lambda row: row["first"]):
            yield pickle.loads(row["result"])


def _count(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the number of rows of a partition of Spark."""
    context: Any = import_module("pyspark").TaskContext.get()
    n_rows = sum(batch.num_rows for batch in batches)
    pa = _pyarrow()
    columns = {"part": pa.array([context.partitionId()], "int32"), "n": pa.array([n_rows], "int64")}
    yield pa.RecordBatch.from_pydict(columns)


def _on_batches(
    batches: Iterable[Any],
    *,
    work: Callable[[Any, int], Any],
    names: Sequence[str],
    starts: dict[int, int],
) -> Iterator[Any]:
    """Yield the pickled results of work on the blocks of a partition of Spark."""
    pickling: Any = import_module("pyspark.cloudpickle")
    pa = _pyarrow()
    first = starts.get(import_module("pyspark").TaskContext.get().partitionId(), 0)
    for table in _blocks(batches, names):
        result = pickling.dumps(work(table, first))
        columns = {"first": pa.array([first], "int64"), "result": pa.array([result], "binary")}
        yield pa.RecordBatch.from_pydict(columns)
        first += table.num_rows


def _blocks(
    batches: Iterable[Any], names: Sequence[str], check: Callable[[Any], None] | None = None
) -> Iterator[Any]:
    """Yield tables of about as many rows as a block should have."""
    pa = _pyarrow()

    def joined() -> Any:
        table = pa.concat_tables(gathered).select(names)
        if check is not None:
            check(table)
        return plain_table(table)

    gathered: list[Any] = []
    n_rows = 0
    for batch in batches:
        table = batch if isinstance(batch, pa.Table) else pa.Table.from_batches([batch])
        for start in range(0, table.num_rows, BLOCK_ROWS):
            part = table.slice(start, BLOCK_ROWS)
            if n_rows + part.num_rows > BLOCK_ROWS and gathered:
                yield joined()
                gathered, n_rows = [], 0
            gathered.append(part)
            n_rows += part.num_rows
    if gathered:
        yield joined()


def plain_table(table: Any) -> Any:
    """Return a table with dictionaries and other forms of text as plain columns."""
    pa = _pyarrow()
    for i, field in enumerate(table.schema):
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if pa.types.is_string(kind) or pa.types.is_string_view(kind):
            kind = pa.large_string()
        if kind != field.type:
            table = table.set_column(i, field.name, table.column(i).cast(kind))
    return table


def read_source(source: Source, names: Sequence[str] | None = None) -> Any:
    """Return all rows of a source as one table of pyarrow."""
    wanted = list(source.schema.names) if names is None else list(names)
    tables = list(source.run(lambda table, _: table, wanted))
    return _pyarrow().concat_tables(tables) if tables else source.schema.empty_table()


def from_arrow(table: Any) -> Table:
    """Return a table of pyarrow as columns of numpy."""
    return Table(columns_of(table))


def sample_table(source: Source, n_rows: int) -> Table:
    """Return at most a number of rows of a source, evenly spaced."""
    step = max(1, -(-len(source) // n_rows))
    tables = source.run(partial(_every, step=step), list(source.schema.names))
    return from_arrow(_pyarrow().concat_tables(tables))


def distinct_table(source: Source) -> Table:
    """Return a small table with the values that matter for the features of a source.

    It has all texts, and of numbers and dates the lowest and the highest one, a fraction if there
    is one, and whether one is missing.
    """
    pa = _pyarrow()
    names = list(source.schema.names)
    values: dict[str, dict[Any, None]] = {name: {} for name in names}
    schema = plain_table(source.schema.empty_table()).schema
    for found in source.run(_distinct, names):
        for name, distinct in found.items():
            values[name].update(distinct)
    n_rows = max(map(len, values.values()), default=0)
    arrays = []
    for field in schema:
        kept = sorted(values[field.name], key=lambda value: (value is not None, str(value)))
        if not _is_text(field.type):
            kept = list(_extremes(values[field.name]))
        kept += kept[:1] * (n_rows - len(kept))
        arrays.append(pa.array(kept, field.type))
    return from_arrow(pa.Table.from_arrays(arrays, names=names))


def _distinct(table: Any, first: int) -> dict[str, dict[Any, None]]:
    """Return the values of each column that may matter."""
    found = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        if _is_text(column.type):
            found[name] = dict.fromkeys(column.unique().to_pylist())
        else:
            found[name] = _extremes(dict.fromkeys(_bounds(column)))
    return found


def _bounds(column: Any) -> list[Any]:
    from pyarrow import compute

    types = _pyarrow().types
    values = list(compute.min_max(column).as_py().values())
    missing = column.null_count > 0
    if types.is_floating(column.type):
        numbers = column.to_numpy()
        missing |= bool(np.isnan(numbers).any())
        fractions = numbers[np.isfinite(numbers) & (numbers != np.floor(numbers))]
        values += fractions[:1].tolist()
    return [*values, *([None] if missing else [])]


def _extremes(values: Iterable[Any]) -> dict[Any, None]:
    """Return the lowest and highest value, a fraction, and None, as far as they are there."""
    present = sorted({value for value in values if value is not None and value == value})
    fraction = [value for value in present if isinstance(value, float) and value % 1][:1]
    return dict.fromkeys([*present[:1], *present[-1:], *fraction, *([None] * (None in values))])


def _is_text(kind: Any) -> bool:
    types = _pyarrow().types
    return bool(types.is_large_string(kind) or types.is_boolean(kind) or types.is_null(kind))


def open_csv(path: Path) -> BatchSource:
    """Return a CSV file separated by commas; a first pass finds the types of its columns."""
    import datetime as dt

    pa = _pyarrow()
    kinds: dict[str, type | None] = {}
    filled: set[str] = set()
    n_rows = 0
    try:
        for block in csv.read_blocks(path, BLOCK_ROWS):
            n_rows += len(next(iter(block.values())))
            for name, cells in block.items():
                kinds[name] = csv.common_kind([kinds.get(name), csv.kind_of(cells)])
                if any(cells):
                    filled.add(name)
    except FormatError as error:
        raise error.at(path=str(path)) from None
    # a column of nothing but "NA" is text
    kinds = {n: str if kind is None and n in filled else kind for n, kind in kinds.items()}
    types: dict[type | None, Any] = {
        None: pa.float64(),
        int: pa.int64(),
        float: pa.float64(),
        bool: pa.bool_(),
        dt.date: pa.date32(),
        dt.datetime: pa.timestamp("us"),
        csv.Aware: pa.timestamp("us", tz="UTC"),
        dt.time: pa.time64("us"),
        str: pa.large_string(),
    }
    schema = pa.schema({n: types[kind] for n, kind in kinds.items()})

    def batches(names: Sequence[str]) -> Iterator[Any]:
        for block in csv.read_blocks(path, BLOCK_ROWS):
            try:
                yield pa.table(
                    {n: csv.values_of(block[n], kinds[n]) for n in names},
                    schema=pa.schema([schema.field(n) for n in names]),
                )
            except (pa.ArrowException, OverflowError) as error:
                raise FormatError(f"cells of different types: {error}", path=str(path)) from None

    return BatchSource(_checked(schema), batches, lambda: n_rows)


def _every(table: Any, first: int, *, step: int) -> Any:
    return table.take(np.arange(-first % step, table.num_rows, step))


def write_blocks(tables: Iterable[Any], path: Path) -> int:
    """Write tables of pyarrow as one Parquet file, whole or not at all; return how many rows."""
    from pyarrow import ArrowException, parquet

    check_target(path)
    blocks = iter(tables)
    table, n_rows = next(blocks, None), 0
    if table is None:
        return 0
    try:
        with replacing(path.resolve()) as file, parquet.ParquetWriter(file, table.schema) as writer:
            while table is not None:
                writer.write_table(table.cast(writer.schema))
                n_rows += table.num_rows
                table = next(blocks, None)
    except (ArrowException, OSError) as error:
        raise FileError(f"cannot write {path}: {error}") from None
    return n_rows


# --- the kinds of sources


def _open_parquet(path: Path) -> BatchSource | None:
    if path.suffix.lower() not in (".parquet", ".pq") and not _is_folder(path):
        return None
    for each in [path, *(path.rglob("*") if _is_folder(path) else ())]:  # links may lead outside
        check_readable(each)
    pa = _pyarrow()
    from pyarrow import ArrowException, dataset

    if not path.exists():
        raise FileError(f"cannot read {path}: No such file or directory")
    try:
        data = dataset.dataset(path, format="parquet")
        # as dictionaries, in which equal texts are stored once
        texts = [f.name for f in data.schema if f.type in (pa.string(), pa.large_string())]
        form = dataset.ParquetFileFormat(dictionary_columns=texts)
        n_bytes = sum(Path(file).stat().st_size for file in data.files)
        check = partial(_check_texts, path=path, n_bytes=n_bytes)
        data = dataset.dataset(path, format=form)
        return replace(_from_dataset(data), batches=_row_groups(data), check=check)
    except (ArrowException, OSError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise FormatError(f"not a Parquet file: {reason}", path=str(path)) from None


def _check_texts(table: Any, *, path: Path, n_bytes: int) -> None:
    """Raise an error if a block of a small file has so much text that it would fill the memory."""
    from pyarrow import compute

    n_characters = 0
    for column in table.columns:
        if _pyarrow().types.is_dictionary(column.type):
            for chunk in column.chunks:
                lengths = compute.binary_length(chunk.dictionary)
                n_characters += compute.sum(lengths.take(chunk.indices)).as_py() or 0
    try:
        check_characters(n_characters, n_bytes)
    except FormatError as error:
        raise error.at(path=str(path)) from None


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # a text that is too long for a path
        return False


def _from_dataset(data: Any) -> BatchSource:
    def batches(names: Sequence[str]) -> Iterable[Any]:
        # read ahead little: a row group of many columns is large
        return data.to_batches(  # type: ignore[no-any-return]
            columns=list(names), batch_size=BLOCK_ROWS, batch_readahead=2, fragment_readahead=1
        )

    return BatchSource(_checked(data.schema), batches, data.count_rows)


def _row_groups(data: Any) -> Callable[[Sequence[str]], Iterable[Any]]:
    """Return what reads the files of a dataset one row group after another.

    A scan of the whole dataset would fill a gigabyte with rows to come.
    """
    from pyarrow import dataset

    options = dataset.ParquetFragmentScanOptions(pre_buffer=False)

    def batches(names: Sequence[str]) -> Iterator[Any]:
        for fragment in data.get_fragments():
            for group in fragment.split_by_row_group():
                yield from group.to_batches(
                    schema=data.schema,
                    columns=list(names),
                    batch_size=BLOCK_ROWS,
                    fragment_scan_options=options,
                )

    return batches


def _from_polars(data: Any) -> BatchSource:
    import polars as pl

    def batches(names: Sequence[str]) -> Iterator[Any]:
        for frame in data.select(names).collect_batches(maintain_order=True, chunk_size=BLOCK_ROWS):
            yield frame.to_arrow()

    def count() -> int:
        return int(data.select(pl.len()).collect().item())

    return BatchSource(_checked(data.head(0).collect().to_arrow().schema), batches, count)


def _from_duckdb(data: Any) -> BatchSource:
    def quoted(name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    def batches(names: Sequence[str]) -> Iterator[Any]:
        reader = data.project(", ".join(map(quoted, names))).to_arrow_reader(BLOCK_ROWS)
        with closing(reader):
            yield from reader

    def count() -> int:
        return int(data.aggregate("count(*)").fetchall()[0][0])

    schema = data.limit(0).to_arrow_table().schema
    return BatchSource(_checked(schema), batches, count)


def _checked(schema: Any) -> Any:
    """Return a schema, after checking that its columns have names and types that can be used."""
    pa = _pyarrow()
    check_header(schema.names)
    for field in schema:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            raise DataError(
                f"column {field.name!r} must contain numbers, text, dates or booleans, got type"
                f" {kind}; remove the column"
            )
    return schema


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise DataError(
            "data that are not in memory need pyarrow: pip install 'irenic[parquet]'"
        ) from None
    return pyarrow
