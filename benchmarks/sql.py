"""Scoring in databases: rules as branches and as a tree, compared with ``predict``.

``python -m benchmarks.sql`` runs DuckDB and SQLite, Spark if pyspark is installed, and PostgreSQL
and MariaDB if their servers and clients (psycopg, pymysql) are. Times are those of the processors,
which other programs disturb less than the time that passes. Every row must have the prediction of
``predict``.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import irenic
from benchmarks import servers
from benchmarks.core import rule_set
from benchmarks.generated import tree_leaves
from benchmarks.harness import Table

ROWS = 100_000
FEATURES = 10
SIZES = (20, 60, 300, 1_000, 5_000)

Run = Callable[[str], list[Any]]
Engine = tuple[Run, Callable[[], float]]
"""Runs a query, and returns the time of the processors that the engine has used so far."""

# The dialects with a form="arrays".
ENGINES = ("duckdb", "postgres", "spark")


def leaves(n: int) -> irenic.RuleSet:
    """Return rules that divide the space, such as those of a tree."""
    return rule_set(*tree_leaves(n, FEATURES))


def boxes(n: int) -> irenic.RuleList:
    """Return a list of overlapping rules with three conditions each."""
    rng = np.random.default_rng(0)
    rules = []
    for _ in range(n):
        tested = rng.choice(FEATURES, 3, replace=False)
        starts = (0.75 * rng.random(3)).round(6).tolist()
        region = {f"f{f + 1}": (s, s + 0.25) for f, s in zip(tested, starts, strict=True)}
        rules.append(irenic.Rule(region, then=int(rng.integers(5))))
    return irenic.RuleList(rules, leaves(2).space)


KINDS = {"leaves of a tree": leaves, "overlapping, in order": boxes}


def instances() -> pd.DataFrame:
    names = [f"f{i + 1}" for i in range(FEATURES)]
    table = pd.DataFrame(np.random.default_rng(1).random((ROWS, FEATURES)), columns=names)
    table.insert(0, "id", range(ROWS))
    return table


def of_process(pid: int) -> float:
    """Return the seconds of the processors that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# --- the engines, each with the table cases


def duckdb(table: pd.DataFrame) -> Engine:
    import duckdb

    con = duckdb.connect()
    con.register("given", table)
    con.execute("CREATE TABLE cases AS SELECT * FROM given")
    return lambda sql: con.execute(sql).fetchall(), time.process_time


def sqlite(table: pd.DataFrame) -> Engine:
    con = sqlite3.connect(":memory:")
    con.execute(f"CREATE TABLE cases ({', '.join(table)})")
    places = ", ".join("?" * table.shape[1])
    con.executemany(f"INSERT INTO cases VALUES ({places})", table.to_numpy().tolist())
    return lambda sql: con.execute(sql).fetchall(), time.process_time


def postgres(table: pd.DataFrame, address: str) -> Engine:
    import psycopg

    con = psycopg.connect(address, autocommit=True)
    columns = ", ".join(f"{name} float8" for name in table)
    con.execute(f"CREATE TEMPORARY TABLE cases ({columns})")
    with con.cursor().copy("COPY cases FROM STDIN") as copy:
        for row in table.to_numpy().tolist():
            copy.write_row(row)
    con.execute("ANALYZE cases")
    pid = con.info.backend_pid

    def run(sql: str) -> list[Any]:
        # compiling branches and trees takes longer than anything else
        con.execute(f"SET jit = {'on' if 'Arrays of nodes' in sql else 'off'}")
        return con.execute(sql).fetchall()

    return run, lambda: of_process(pid)


def mariadb(table: pd.DataFrame, address: str) -> Engine:
    import pymysql

    con = pymysql.connect(unix_socket=address, user="root", autocommit=True)
    cursor = con.cursor()
    cursor.execute("CREATE DATABASE IF NOT EXISTS irenic_benchmark")
    cursor.execute("USE irenic_benchmark")
    columns = ", ".join(f"{name} DOUBLE" for name in table)
    cursor.execute(f"CREATE TEMPORARY TABLE cases ({columns})")
    places = ", ".join(["%s"] * table.shape[1])
    rows = table.to_numpy().tolist()
    for start in range(0, len(rows), 10_000):
        cursor.executemany(f"INSERT INTO cases VALUES ({places})", rows[start : start + 10_000])
    cursor.execute("SELECT @@pid_file")
    pid = int(Path(cursor.fetchone()[0]).read_text())

    def run(sql: str) -> list[Any]:
        cursor.execute(sql)
        return list(cursor.fetchall())

    return run, lambda: of_process(pid)


def spark(table: pd.DataFrame) -> Engine:
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    with tempfile.TemporaryDirectory() as folder:
        table.to_parquet(f"{folder}/cases.parquet", index=False)
        rows = session.read.parquet(f"{folder}/cases.parquet").repartition(1).cache()
        rows.createOrReplaceTempView("cases")
        rows.count()
    pid = session.sparkContext._jvm.java.lang.ProcessHandle.current().pid()
    return lambda sql: session.sql(sql).collect(), lambda: of_process(pid)


def measured(rules: Any, form: str, dialect: str, engine: Engine) -> tuple[int, float, float]:
    """Return the length of the text, and the seconds to write it and to run it."""
    run, used = engine
    start = time.process_time()
    sql = irenic.to_sql(rules, "cases", dialect=dialect, form=form, keep=["id"])
    written = time.process_time() - start
    before = used()
    got = run(sql)
    seconds = used() - before
    predictions = dict(got)
    expected = rules.predict(instances()[list(rules.space.names)]).tolist()
    assert [predictions[i] for i in range(ROWS)] == expected, (dialect, form, len(rules))
    return len(sql), written, seconds


def scoring(engines: dict[str, Engine], limit: float) -> Table:
    """Measure all engines; larger rule sets are left out after one takes more than the limit."""
    table = Table(
        f"Scoring {ROWS:,} rows in databases",
        "kind", "rules", "engine", "form", "size of the text", "write", "run", "predict",
    )  # fmt: skip
    for kind, make in KINDS.items():
        slow: set[tuple[str, str]] = set()
        for n in SIZES:
            rules = make(n)
            X = instances()[list(rules.space.names)]
            start = time.process_time()
            rules.predict(X)
            predicted = time.process_time() - start
            for name, engine in engines.items():
                for form in ("rules", "tree", "arrays"):
                    if (name, form) in slow or (form == "arrays" and name not in ENGINES):
                        continue
                    size, written, run = measured(rules, form, name, engine)
                    table.add(kind, n, name, form, f"{size / 1e3:,.0f} kB", written, run, predicted)
                    if run > limit:
                        slow.add((name, form))
    return table


def started(makers: dict[str, Callable[[], Engine]], only: list[str] | None) -> dict[str, Engine]:
    """Start engines, and say which ones are not installed."""
    engines = {}
    for name, make in makers.items():
        if only and name not in only:
            continue
        try:
            engines[name] = make()
        except ImportError as error:
            print(f"{name} is left out: {error}")
    return engines


def main(arguments: list[str] | None = None) -> list[Table]:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sql", description=__doc__)
    parser.add_argument("--limit", type=float, default=20.0, help="seconds for one query")
    parser.add_argument("--only", nargs="*", help="engines to measure (default: all)")
    options = parser.parse_args(arguments)
    table = instances()
    with ExitStack() as stack:
        makers: dict[str, Callable[[], Engine]] = {
            "duckdb": lambda: duckdb(table),
            "sqlite": lambda: sqlite(table),
            "postgres": lambda: postgres(table, stack.enter_context(servers.postgres())),
            "mariadb": lambda: mariadb(table, stack.enter_context(servers.mariadb())),
            "spark": lambda: spark(table),
        }
        return [scoring(started(makers, options.only), options.limit)]


if __name__ == "__main__":
    main()
