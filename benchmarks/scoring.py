"""Every way to apply rules, in rows per second of the processor.

``python -m benchmarks.scoring`` starts PostgreSQL and MariaDB by itself if they and their clients
(psycopg, pymysql) are installed, and runs Spark if pyspark is. Every row must have the prediction
of ``predict``. The time includes reading a file or a table of the database, and returning the
predictions to Python, unless they are written to a file. Spark discards them.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import irenic
from benchmarks import servers, sql
from benchmarks.harness import Table
from irenic.learn import from_rules

SIZES = (20, 300)
FEW = 10_000
"""Rows for ways that decide one row after the other."""

Way = tuple[str, int, Callable[[], Any], Callable[[], float]]
"""A name, the number of rows, the work that returns predictions, and the time used so far."""


def _own() -> float:
    """Return the seconds of the processors of this process and of those that it started."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def in_python(clf: Any, folder: Path, table: Any) -> Iterator[Way]:
    """Yield the ways that run in Python."""
    import duckdb
    import polars as pl
    import pyarrow.dataset as ds

    rules, names = clf.rules_, list(clf.rules_.space.names)
    X, path = table[names], folder / "cases.parquet"
    array, frame = X.to_numpy(), pl.from_pandas(X)
    n = len(X)
    yield "`predict`, numpy array", n, lambda: clf.predict(array).tolist(), _own
    yield "`predict`, pandas", n, lambda: clf.predict(X).tolist(), _own
    yield "`predict`, polars", n, lambda: clf.predict(frame).tolist(), _own
    lazy = pl.scan_parquet(path)
    yield (
        "lazy `predict`, polars `LazyFrame`", n,
        lambda: clf.predict(lazy).select("prediction").collect()["prediction"].to_list(), _own,
    )  # fmt: skip
    data = ds.dataset(path)
    yield (
        "lazy `predict`, pyarrow dataset", n,
        lambda: clf.predict(data).read_all()["prediction"].to_pylist(), _own,
    )  # fmt: skip
    relation = duckdb.sql(f"FROM '{path}'")
    yield (
        "lazy `predict`, DuckDB relation", n,
        lambda: [row[0] for row in clf.predict(relation).project("prediction").fetchall()], _own,
    )  # fmt: skip
    irenic.write(clf, folder / "model.json")

    def by_command() -> list[Any]:
        command = [sys.executable, "-m", "irenic", "predict", "model.json", "many.parquet"]
        subprocess.run([*command, "-o", "out.parquet"], cwd=folder, check=True, capture_output=True)
        return pl.read_parquet(folder / "out.parquet")["prediction"].to_list()

    # many rows, because the start of the command takes a second or two
    pl.concat([frame] * 10).write_parquet(folder / "many.parquet")
    yield "`irenic predict`, Parquet to Parquet (1,000,000 rows)", 10 * n, by_command, _own
    rows = X.head(FEW).to_dict("records")
    decider = rules.decider()
    yield "`decider`, one record at a time", FEW, lambda: [decider(r) for r in rows], _own
    names_of: dict[str, Any] = {}
    exec(irenic.to_python(rules, name="decide"), names_of)
    decide = names_of["decide"]
    yield "generated Python, one record at a time", FEW, lambda: [decide(r) for r in rows], _own


def in_databases(clf: Any, engines: dict[str, sql.Engine]) -> Iterator[Way]:
    """Yield SQL in each database, in the form that irenic chooses."""
    titles = {"duckdb": "DuckDB", "sqlite": "SQLite", "postgres": "PostgreSQL"}
    titles |= {"mariadb": "MariaDB", "spark": "Spark"}
    for name, (run, used) in engines.items():
        text = irenic.to_sql(clf.rules_, "cases", dialect=name, keep=["id"])

        yield f"SQL in {titles[name]}", sql.ROWS, partial(run, text), used


def discarded(text: str) -> None:
    """Run a query of Spark without returning its rows, which takes longer than anything else."""
    from pyspark.sql import SparkSession

    SparkSession.active().sql(text).write.format("noop").mode("overwrite").save()


def measure(n_rules: int, engines: dict[str, sql.Engine], table: Any) -> dict[str, float]:
    """Return the rows per second of every way for one rule set."""
    rates = {}
    rules = sql.leaves(n_rules)
    X = table[list(rules.space.names)]
    expected = rules.predict(X).tolist()
    clf = from_rules(rules, X, expected)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        X.to_parquet(folder / "cases.parquet", index=False)
        for ways in (in_python(clf, folder, table), in_databases(clf, engines)):
            for name, n, work, used in ways:
                found = work()  # and is warm
                if name.startswith("SQL"):
                    found = [prediction for _, prediction in sorted(map(tuple, found))]
                assert found == (expected * 10)[:n], name
                if name == "SQL in Spark":
                    work = partial(discarded, *work.args)
                start, before, calls = time.perf_counter(), used(), 0
                while used() - before < 0.5 and time.perf_counter() - start < 20:
                    work()
                    calls += 1
                rates[name] = n * calls / (used() - before)
    return rates


def main(arguments: list[str] | None = None) -> list[Table]:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scoring", description=__doc__)
    parser.add_argument("--only", nargs="*", help="databases to measure (default: all)")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")  # arrays have no names of features
    table = sql.instances()
    with ExitStack() as stack:
        makers = {
            "duckdb": lambda: sql.duckdb(table),
            "sqlite": lambda: sql.sqlite(table),
            "postgres": lambda: sql.postgres(table, stack.enter_context(servers.postgres())),
            "mariadb": lambda: sql.mariadb(table, stack.enter_context(servers.mariadb())),
            "spark": lambda: sql.spark(table),
        }
        engines = sql.started(makers, options.only)
        rates = [measure(n_rules, engines, table) for n_rules in SIZES]
    columns = [f"{n_rules} rules" for n_rules in SIZES]
    result = Table("Rows per second of the processor, for each way to apply rules", "way", *columns)
    for name in rates[0]:
        result.add(name, *(f"{round(each[name], -4):,.0f}" for each in rates))
    return [result]


if __name__ == "__main__":
    main()
