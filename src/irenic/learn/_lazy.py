"""Predictions for rows that are not in memory, made when their reader asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from irenic.errors import DataError
from irenic.frames.sources import Source, open_source
from irenic.learn._tables import predict_table
from irenic.learn.inputs import located
from irenic.model.literals import say
from irenic.model.spaces import names_tested

if TYPE_CHECKING:
    from irenic.learn._base import RuleClassifier

_COLUMN = "prediction"


@dataclass(frozen=True, eq=False)
class _Predictor:
    """Columns to add to a block: the prediction, or the probability of each label."""

    model: RuleClassifier
    names: list[str]
    """Columns to read."""
    probabilities: bool = False

    @classmethod
    def of(cls, model: RuleClassifier, source: Source, *, probabilities: bool) -> _Predictor:
        """Return what predicts the rows of a source, which must have the columns tested."""
        names, tested = list(source.schema.names), names_tested(model.rules_)
        if probabilities and model.chosen_.probabilities is not None:
            tested = tested | names_tested(model.chosen_.probabilities.regions)
        lacking = sorted(tested - set(names))
        if lacking:
            raise DataError(
                f"the data must have all columns that the rules test, got no {', '.join(lacking)}"
            )
        # rules without conditions need a column for the number of rows
        used = [name for name in names if name in tested] or names[:1]
        return cls(model, used, probabilities)

    def __call__(self, frame: Any) -> dict[str, npt.NDArray[Any]]:
        """Return the columns to add to a frame with the columns to read."""
        if self.probabilities:
            return dict(zip(self.empty, self.model.predict_proba(frame).T, strict=True))
        if self.model._answers.many:  # sets of labels as text
            return {_COLUMN: predict_table(self.model, frame)[_COLUMN]}
        return {_COLUMN: self.model.predict(frame)}

    @property
    def empty(self) -> dict[str, Any]:
        """The columns as arrays of pyarrow without rows."""
        import pyarrow as pa

        labels = self.model.classes_.tolist()
        if self.probabilities:
            return {f"probability of {say(label)}": pa.array([], "float64") for label in labels}
        if self.model._answers.many:
            return {_COLUMN: pa.array([], pa.large_string())}
        return {_COLUMN: pa.array(labels).slice(0, 0)}


def lazy_predictions(model: RuleClassifier, data: Any, *, probabilities: bool = False) -> Any:
    """Return predictions for rows that are not in memory; None if ``data`` is another table.

    A lazy frame, a relation, a Spark DataFrame or a dataset gets a column ``prediction``, or one
    per label with its probability; of a dataset or a path, the result is a reader of batches. For
    Dask, it has the new columns alone.
    """
    source = open_source(data)
    if source is None:
        return None
    predictor = _Predictor.of(model, source, probabilities=probabilities)
    kind = type(data).__name__
    if type(data).__module__.startswith("dask"):
        frame = _of_dask(data, predictor)
        return frame if probabilities else frame[_COLUMN]
    for name in predictor.empty:
        if name in source.schema.names:
            raise DataError(
                f"the table must not have a column {name!r}, because predictions add one; rename it"
            )
    if type(data).__module__.startswith("pyspark"):
        return _of_spark(data, source, predictor)
    if kind == "LazyFrame":
        return _of_polars(data, predictor)
    if kind == "DuckDBPyRelation":
        return _of_duckdb(data, predictor)
    return _reader(source, predictor)


def lazy_score(
    model: RuleClassifier, X: Any, y: Any, sample_weight: Any, target: str | None
) -> float | None:
    """Return the accuracy on rows that are not in memory; None if ``X`` is another table."""
    found = located(X, y, sample_weight, target)
    if found is None:
        return None
    source, label, weight = found
    if model._answers.many:
        raise DataError("score needs rows in memory if they have several labels")
    predictor = _Predictor.of(model, source, probabilities=False)
    names = dict.fromkeys([*predictor.names, label, *([] if weight is None else [weight])])
    work = partial(_right, predictor=predictor, label=label, weight=weight)
    right, total = np.sum(list(source.run(work, list(names))), axis=0)
    return float(right / total)


def _right(
    table: Any, first: int, *, predictor: _Predictor, label: str, weight: str | None
) -> npt.NDArray[np.float64]:
    """Return the weight of the rows of a block that are predicted right, and that of all."""
    predicted = predictor(table.select(predictor.names))[_COLUMN].tolist()
    labels = table.column(label).to_pylist()
    weights = np.ones(table.num_rows)
    if weight is not None:
        weights = table.column(weight).cast("float64").to_numpy()
    right = np.array([a == b for a, b in zip(predicted, labels, strict=True)], dtype=bool)
    return np.array([weights[right].sum(), weights.sum()])


def _of_polars(data: Any, predictor: _Predictor) -> Any:
    import polars as pl

    dtypes = {name: pl.from_arrow(column).dtype for name, column in predictor.empty.items()}

    def of_struct(column: Any) -> Any:
        found = predictor(column.struct.unnest())
        listed = {name: values.tolist() for name, values in found.items()}
        return pl.DataFrame(listed, schema=dtypes).to_struct(joined)

    names = data.collect_schema().names()
    joined = "".join(names) + "*"  # the name of no column
    struct = pl.struct(predictor.names)
    made = struct.map_batches(of_struct, return_dtype=pl.Struct(dtypes), is_elementwise=True)
    return data.with_columns(made.alias(joined)).unnest(joined)


def _of_dask(data: Any, predictor: _Predictor) -> Any:
    import pandas as pd

    def of_frame(frame: Any) -> Any:
        if not len(frame):
            return meta.set_axis(frame.index)
        found = predictor(frame)
        listed = {name: values.tolist() for name, values in found.items()}
        return pd.DataFrame(listed, index=frame.index).astype(meta.dtypes.to_dict())

    labels = predictor.model.classes_.tolist()
    empty = {name: [0.5] if predictor.probabilities else labels for name in predictor.empty}
    meta = pd.DataFrame(empty).iloc[:0]
    return data[predictor.names].map_partitions(of_frame, meta=meta)


def _of_duckdb(data: Any, predictor: _Predictor) -> Any:
    import pandas as pd
    import pyarrow as pa

    def of_frame(frame: Any) -> Any:
        # DuckDB fills missing text with None, and numbers with NaN
        found = predictor(frame[predictor.names])
        # of objects, DuckDB would choose the smallest type
        return frame.assign(
            **{
                name: pd.Series(values.tolist(), index=frame.index, dtype=dtypes[name])
                for name, values in found.items()
            }
        )

    tests = (
        (pa.types.is_boolean, bool, "boolean"),
        (pa.types.is_integer, int, "Int64"),
        (pa.types.is_floating, float, "Float64"),
    )
    enums = {n: str(k) for n, k in zip(data.columns, data.types, strict=True) if k.id == "enum"}
    data = _cast(data, dict.fromkeys(enums, "VARCHAR"))  # pandas has no type for them
    kinds: dict[str, Any] = dict(zip(data.columns, data.types, strict=True))
    dtypes = {}
    for name, column in predictor.empty.items():
        fitting = (each[1:] for each in tests if each[0](column.type))
        kinds[name], dtypes[name] = next(fitting, (str, "object"))
    return _cast(data.map(of_frame, schema=kinds), enums)


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


def _of_spark(data: Any, source: Source, predictor: _Predictor) -> Any:
    import pyarrow as pa

    types: Any = import_module("pyspark.sql.types")
    of_arrow: Any = import_module("pyspark.sql.pandas.types").from_arrow_type
    # add() would change the schema of the frame itself
    added = [types.StructField(n, of_arrow(c.type)) for n, c in predictor.empty.items()]
    schema = types.StructType([*data.schema.fields, *added])
    arrow = _with_added(source.schema, predictor)

    def of_batches(batches: Any) -> Iterator[Any]:
        for batch in batches:
            table = _with_predictions(pa.Table.from_batches([batch]), 0, predictor=predictor)
            yield from table.cast(arrow).to_batches()

    return data.mapInArrow(of_batches, schema)


def _reader(source: Source, predictor: _Predictor) -> Any:
    import pyarrow as pa

    from irenic.frames.sources import plain_table

    names = list(source.schema.names)
    schema = _with_added(plain_table(source.schema.empty_table()).schema, predictor)

    def batches() -> Iterator[Any]:
        for table in source.run(partial(_with_predictions, predictor=predictor), names):
            yield from table.cast(schema).to_batches()

    return pa.RecordBatchReader.from_batches(schema, batches())


def _with_added(schema: Any, predictor: _Predictor) -> Any:
    import pyarrow as pa

    for name, column in predictor.empty.items():
        schema = schema.append(pa.field(name, column.type))
    return schema


def _with_predictions(table: Any, first: int, *, predictor: _Predictor) -> Any:
    import pyarrow as pa

    found, empty = predictor(table.select(predictor.names)), predictor.empty
    for name, values in found.items():
        table = table.append_column(name, pa.array(values.tolist(), empty[name].type))
    return table
