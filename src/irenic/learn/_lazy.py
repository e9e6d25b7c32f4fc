"""Predictions for rows that are not in memory, made when their reader asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from irenic.errors import DataError
from irenic.frames.sources import open_source
from irenic.learn._tables import predict_table
from irenic.learn.spaces import names_tested

if TYPE_CHECKING:
    from irenic.learn._base import RuleClassifier

_COLUMN = "prediction"


@dataclass(frozen=True, eq=False)
class _Predictor:
    """Predictions for a block, as one column."""

    model: RuleClassifier
    names: list[str]

    def __call__(self, frame: Any) -> Any:
        """Return the predictions for a frame with the columns that the rules test."""
        if self.model._answers.many:  # sets of labels as text
            return predict_table(self.model, frame)[_COLUMN]
        return self.model.predict(frame)

    @property
    def empty(self) -> Any:
        """An array of pyarrow without rows, of the type of the predictions."""
        import pyarrow as pa

        if self.model._answers.many:
            return pa.array([], pa.large_string())
        return pa.array(self.model.classes_.tolist()).slice(0, 0)


def lazy_predictions(model: RuleClassifier, data: Any) -> Any:
    """Return predictions for rows that are not in memory; None if ``data`` is another table.

    A lazy frame, a relation, a Spark DataFrame or a dataset gets a column ``prediction``; of a
    dataset or a path, the result is a reader of batches. For Dask, it is a series.
    """
    source = open_source(data)
    if source is None:
        return None
    names, tested = list(source.schema.names), names_tested(model.rules_)
    lacking = sorted(tested - set(names))
    if lacking:
        raise DataError(
            f"the data must have all columns that the rules test, got no {', '.join(lacking)}"
        )
    # rules without conditions need a column for the number of rows
    used = [name for name in names if name in tested] or names[:1]
    predictor = _Predictor(model, used)
    kind = type(data).__name__
    if type(data).__module__.startswith("dask"):
        return _of_dask(data, predictor)
    if _COLUMN in names:
        raise DataError(
            f"the table must not have a column {_COLUMN!r}, because predictions add one; rename it"
        )
    if type(data).__module__.startswith("pyspark"):
        return _of_spark(data, source, predictor)
    if kind == "LazyFrame":
        return _of_polars(data, predictor)
    if kind == "DuckDBPyRelation":
        return _of_duckdb(data, predictor)
    return _reader(source, predictor)


def _of_polars(data: Any, predictor: _Predictor) -> Any:
    import polars as pl

    dtype = pl.from_arrow(predictor.empty).dtype

    def of_struct(column: Any) -> Any:
        return pl.Series(_COLUMN, predictor(column.struct.unnest()).tolist(), dtype=dtype)

    struct = pl.struct(predictor.names)
    made = struct.map_batches(of_struct, return_dtype=dtype, is_elementwise=True)
    return data.with_columns(made.alias(_COLUMN))


def _of_dask(data: Any, predictor: _Predictor) -> Any:
    import pandas as pd

    def of_frame(frame: Any) -> Any:
        found = predictor(frame) if len(frame) else np.array([], dtype=object)
        series = pd.Series(found.tolist(), index=frame.index, name=_COLUMN)
        return series.astype(meta.dtype)

    meta = pd.Series(predictor.model.classes_.tolist(), name=_COLUMN).iloc[:0]
    return data[predictor.names].map_partitions(of_frame, meta=meta)


def _of_duckdb(data: Any, predictor: _Predictor) -> Any:
    import pyarrow as pa

    def of_frame(frame: Any) -> Any:
        # DuckDB fills missing text with None, and numbers with NaN
        return frame.assign(**{_COLUMN: predictor(frame[predictor.names])})

    enums = {n: str(k) for n, k in zip(data.columns, data.types, strict=True) if k.id == "enum"}
    data = _cast(data, dict.fromkeys(enums, "VARCHAR"))  # pandas has no type for them
    kinds = dict(zip(data.columns, data.types, strict=True))
    tests = ((pa.types.is_boolean, bool), (pa.types.is_integer, int), (pa.types.is_floating, float))
    kind = next((kind for test, kind in tests if test(predictor.empty.type)), str)
    return _cast(data.map(of_frame, schema={**kinds, _COLUMN: kind}), enums)


def _cast(data: Any, kinds: Mapping[str, str]) -> Any:
    """Return a relation of DuckDB with other types of columns."""
    if not kinds:
        return data
    names = {name: '"' + name.replace('"', '""') + '"' for name in data.columns}
    columns = [
        f"CAST({quoted} AS {kinds[name]}) AS {quoted}" if name in kinds else quoted
        for name, quoted in names.items()
    ]
    return data.project(", ".join(columns))


def _of_spark(data: Any, source: Any, predictor: _Predictor) -> Any:
    import pyarrow as pa

    types: Any = import_module("pyspark.sql.types")
    kind = import_module("pyspark.sql.pandas.types").from_arrow_type(predictor.empty.type)
    # add() would change the schema of the frame itself
    schema = types.StructType([*data.schema.fields, types.StructField(_COLUMN, kind)])
    arrow = source.schema.append(pa.field(_COLUMN, predictor.empty.type))

    def of_batches(batches: Any) -> Iterator[Any]:
        for batch in batches:
            table = _with_predictions(pa.Table.from_batches([batch]), 0, predictor=predictor)
            yield from table.cast(arrow).to_batches()

    return data.mapInArrow(of_batches, schema)


def _reader(source: Any, predictor: _Predictor) -> Any:
    import pyarrow as pa

    from irenic.frames.sources import plain_table

    names = list(source.schema.names)
    schema = plain_table(source.schema.empty_table()).schema
    schema = schema.append(pa.field(_COLUMN, predictor.empty.type))

    def batches() -> Iterator[Any]:
        for table in source.run(partial(_with_predictions, predictor=predictor), names):
            yield from table.cast(schema).to_batches()

    return pa.RecordBatchReader.from_batches(schema, batches())


def _with_predictions(table: Any, first: int, *, predictor: _Predictor) -> Any:
    import pyarrow as pa

    found = predictor(table.select(predictor.names)).tolist()
    return table.append_column(_COLUMN, pa.array(found, predictor.empty.type))
