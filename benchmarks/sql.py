"""Scoring in databases: rules as branches and as a tree, compared with ``predict``.

``python -m benchmarks.sql`` runs DuckDB and SQLite, and Spark if pyspark is installed.
``--postgres`` and ``--mariadb`` are addresses of servers, such as ``host=127.0.0.1 port=5432`` and
``127.0.0.1:3306``. Times are those of the processors, which other programs disturb less than the
time that passes. Every row must have the prediction of ``predict``.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import irenic
from benchmarks.core import rule_set
from benchmarks.generated import tree_leaves
from benchmarks.harness import Table

ROWS = 100_000
FEATURES = 10
SIZES = (20, 60, 300, 1_000, 5_000)

Run = Callable[[str], list[Any]]
Engine = tuple[Run, Callable[[], float]]
"""Runs a query, and returns the time of the processors that the engine has used so far."""


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
    con.execute("SET jit = off")  # it takes longer than anything else
    pid = con.info.backend_pid
    return lambda sql: con.execute(sql).fetchall(), lambda: of_process(pid)


def mariadb(table: pd.DataFrame, address: str) -> Engine:
    import pymysql

    host, _, port = address.partition(":")
    con = pymysql.connect(host=host, port=int(port or 3306), user="root", autocommit=True)
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
    session.createDataFrame(table).repartition(1).cache().createOrReplaceTempView("cases")
    session.sql("SELECT count(*) FROM cases").collect()
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
                for form in ("rules", "tree"):
                    if (name, form) in slow:
                        continue
                    size, written, run = measured(rules, form, name, engine)
                    table.add(kind, n, name, form, f"{size / 1e3:,.0f} kB", written, run, predicted)
                    if run > limit:
                        slow.add((name, form))
    return table


def main(arguments: list[str] | None = None) -> list[Table]:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sql", description=__doc__)
    parser.add_argument("--postgres", help="address of a PostgreSQL server")
    parser.add_argument("--mariadb", help="address of a MariaDB server")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds for one query")
    parser.add_argument("--only", nargs="*", help="engines to measure (default: all)")
    options = parser.parse_args(arguments)
    table = instances()
    makers: dict[str, Callable[[], Engine]] = {
        "duckdb": lambda: duckdb(table),
        "sqlite": lambda: sqlite(table),
        "spark": lambda: spark(table),
    }
    if options.postgres:
        makers["postgres"] = lambda: postgres(table, options.postgres)
    if options.mariadb:
        makers["mariadb"] = lambda: mariadb(table, options.mariadb)
    engines = {}
    for name, make in makers.items():
        if options.only and name not in options.only:
            continue
        try:
            engines[name] = make()
        except ImportError as error:
            print(f"{name} is left out: {error}")
    return [scoring(engines, options.limit)]


if __name__ == "__main__":
    main()
