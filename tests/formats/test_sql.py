"""SQL returns what predict returns, in every engine that is installed."""

from __future__ import annotations

import datetime as dt
import enum
import getpass
import math
import os
import random
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import naive
import strategies
from irenic import (
    OTHER,
    Categorical,
    ConditionError,
    ConflictError,
    Continuous,
    DecisionTable,
    FormatError,
    Region,
    Rule,
    RuleList,
    RuleSet,
    Space,
)
from irenic.formats.python.source import to_python
from irenic.formats.sql._dialects import DIALECTS, double
from irenic.formats.sql.source import dumps, to_sql
from irenic.model.literals import Expression, Months

sqlglot = pytest.importorskip("sqlglot")
from sqlglot import exp  # noqa: E402

ROWS = 100_000
TEXTS = ["a", "A", "", "o'brien", 'say "hi"', "back\\slash", "50%", "two\nlines", "größe", "a "]
TEXTS += ["--x", "/* x */", "NULL", "%s", "?", ":a", "\\'", "tab\there", "😀"]
NAMES = {
    "number": 'a"b',
    "bounded": "x.y",
    "whole": "select",
    "day": "low risk",
    "moment": "größe",
    "clock": "Time",
    "text": "o'clock",
    "flag": "`flag`",
    "code": "[code]",
    "exact": "a\\b",
    "holiday": "100%",
    "months": "; DROP TABLE cases; --",
}
BOUNDS = {
    "number": [0.1, 1 / 3, -2.5, 0.1 + 0.2, 7, 1e300, -1e-300, 5e-324, 16777217.0, 2.0**60],
    "bounded": [0, 0.25, 0.7, 1],
    "whole": [-3, 0, 2**40 + 1, 2**53],
    "day": [dt.date(1, 1, 1), dt.date(1999, 12, 31), dt.date(2020, 2, 29)],
    "moment": [dt.datetime(1969, 12, 31, 23, 59, 59, 999_999), dt.datetime(2020, 1, 1)],
    "clock": [dt.time(0), dt.time(12, 30), dt.time(12, 30, 0, 1)],
    "months": [Months(-5), Months(0), Months(14)],
}
VALUES = {
    "text": TEXTS,
    "flag": [False, True],
    "code": [5, 2.5, 0.1, -7, 2**53],
    "exact": [2**60, 2**60 + 1, -5],
    "holiday": [dt.date(2020, 1, 1), dt.date(2020, 12, 25)],
}


def wide_space():
    kinds = {"whole": "integer", "day": "date", "moment": "datetime", "clock": "time"}
    kinds |= {"months": "months"}
    found: list = [
        Continuous(
            NAMES[key],
            kind=kinds.get(key, "number"),
            missing=key != "bounded",
            bounds=(0, 1) if key == "bounded" else (None, None),
        )
        for key in BOUNDS
    ]
    found += [
        Categorical(NAMES[key], values, missing=True, other=key != "flag")
        for key, values in VALUES.items()
    ]
    return Space(found)


def around(value):
    """Return a bound and the values next to it."""
    if isinstance(value, dt.time):
        stamp = dt.datetime.combine(dt.date(2020, 1, 2), value)
        near = [stamp + dt.timedelta(microseconds=n) for n in (-1, 0, 1)]
        return [s.time() for s in near]
    if isinstance(value, Months):
        return [Months(value.count + n) for n in (-1, 0, 1)]
    if isinstance(value, dt.datetime):
        return [value + dt.timedelta(microseconds=n) for n in (-1, 0, 1)]
    if isinstance(value, dt.date):
        return [value, value + dt.timedelta(days=1)]
    if isinstance(value, float):
        return [math.nextafter(value, -math.inf), value, math.nextafter(value, math.inf)]
    return [value - 1, value, min(value + 1, 2**53)]


def columns(n, rng):
    """Return a table of n rows with every edge value, missing values and values not listed."""
    most = sys.float_info.max
    pools = {key: [v for b in bounds for v in around(b)] for key, bounds in BOUNDS.items()}
    pools["number"] += [math.nan, most, -most, -0.0, 0.0, 12.5, float(np.float32(0.1))]
    pools["bounded"] = [
        0.0,
        5e-324,
        0.25,
        math.nextafter(0.25, 1),
        0.7,
        math.nextafter(0.7, 0),
        1.0,
    ]
    pools["text"] = [*TEXTS, "other", "a  ", " a", "Größe", "b", "\\", "'"]
    pools["flag"] = [False, True]
    pools["code"] = [5.0, 2.5, 0.1, -7.0, 0.1 + 1e-17, math.nextafter(0.1, 1), math.nan, 2.0**53]
    pools["exact"] = [2**60, 2**60 + 1, 2**60 + 2, -5, 5]
    pools["holiday"] = [dt.date(2020, 1, 1), dt.date(2020, 12, 25), dt.date(2021, 1, 1)]
    found = {}
    for key, pool in pools.items():
        choices = pool if key == "bounded" else [*pool, None]
        found[NAMES[key]] = rng.choices(choices, k=n)
    return found


def random_condition(key, rng):
    bounds = BOUNDS.get(key)
    if key != "bounded" and rng.random() < 0.15:
        return {"missing": rng.random() < 0.5}
    if bounds is None:
        listed = rng.sample(VALUES[key], rng.randint(1, min(4, len(VALUES[key]))))
        return {
            rng.choice(["in", "not in"]): listed,
            **({"missing": rng.random() < 0.5} if rng.random() < 0.6 else {}),
        }
    low, high = sorted(rng.choices(bounds, k=2))
    return rng.choice(
        [
            {rng.choice(["<", "<="]): high, "missing": key != "bounded"},
            {rng.choice(["<", "<="]): high},
            {rng.choice([">", ">="]): low},
            {">=": low, "<=": high},
            {"=": high},
        ]
    )


def random_list(space, n, rng, *, conditions=(1, 3)):
    made: list[Rule] = []
    while len(made) < n:
        keys = rng.sample(sorted(NAMES), rng.randint(*conditions))
        try:
            region = Region(space, {NAMES[key]: random_condition(key, rng) for key in keys})
        except ConditionError:
            continue  # nothing satisfies it
        made.append(Rule(region, then=rng.choice(["x", "it's", "größe", "\\"])))
    return RuleList(made, space, default="-")


# --- DuckDB


def in_duckdb(sql, table, types=None):
    """Return the column that a query adds to a table named cases."""
    duckdb = pytest.importorskip("duckdb")
    pa = pytest.importorskip("pyarrow")
    kinds = types or {}
    data = pa.table(
        {
            name: pa.array(_storable(values), kinds.get(name), from_pandas=False)
            for name, values in table.items()
        }
    )
    with duckdb.connect() as con:
        con.register("given", data)
        con.execute("CREATE TABLE cases AS SELECT *, row_number() OVER () AS place FROM given")
        made = con.execute(f"SELECT prediction FROM ({sql}) ORDER BY place").fetchall()
    return [row[0] for row in made]


def _storable(values):
    return [v.count if isinstance(v, Months) else v for v in values]


def test_100_000_rows_in_duckdb():
    rng = random.Random(1)
    table = columns(ROWS, rng)
    rules = random_list(wide_space(), 80, rng, conditions=(3, 5))
    expected = rules.predict(table).tolist()
    assert min(map(expected.count, ["x", "it's", "größe", "\\", "-"])) > ROWS / 1_000
    assert in_duckdb(to_sql(rules, "cases"), table) == expected


@pytest.mark.parametrize("seed", range(12))
def test_many_lists_of_few_conditions_in_duckdb(seed):
    rng = random.Random(seed)
    table = columns(2_000, rng)
    rules = random_list(wide_space(), 6, rng, conditions=(1, 1))
    assert in_duckdb(to_sql(rules, "cases"), table) == rules.predict(table).tolist()


UNIFORM = [
    Space(
        [Continuous("f", missing=True), Categorical("c", ["a", "b c"], missing=True, other=True)]
    ),
    Space([Continuous("n", kind="integer", missing=True), Categorical("b", [True, False])]),
    Space([Continuous("d", kind="date"), Categorical("v", [5, 2.5], missing=True, other=True)]),
]


@st.composite
def uniform_lists(draw):
    space = draw(st.sampled_from(UNIFORM))
    return RuleList(draw(st.lists(strategies.rules(space), max_size=5)), space, default="else")


def cells_as_table(rules, limit=300):
    space = rules.space
    axes = naive.grid(space, [r.region for r in rules])
    axes = [
        [
            v
            for v in axis
            if naive.shows(f, v) and (f.name != "n" or v == -math.inf or abs(v) <= 2**53)
        ]
        for f, axis in zip(space, axes, strict=True)
    ]
    cells = naive.cells_of(axes)
    cells = cells[:: max(1, len(cells) // limit)]
    table: dict = {name: [] for name in space.names}
    for cell in cells:
        for feature, value in zip(space, cell, strict=True):
            decoded = naive.decode(feature, value)
            unlisted = 99 if feature.name == "v" else "other"
            table[feature.name].append(unlisted if decoded is OTHER else decoded)
    return table, rules.predict(naive.instances(space, cells)).tolist()


@given(uniform_lists())
def test_cells_of_the_grid_in_duckdb(rules):
    pa = pytest.importorskip("pyarrow")
    table, expected = cells_as_table(rules)
    types = {"f": pa.float64(), "c": pa.string(), "n": pa.int64(), "b": pa.bool_()}
    types |= {"d": pa.date32(), "v": pa.float64()}
    assert in_duckdb(to_sql(rules, "cases"), table, types) == expected


@pytest.mark.parametrize("kind", ["float32", "int64", "decimal"])
def test_a_number_in_a_column_of_another_type(kind):
    pa = pytest.importorskip("pyarrow")
    bounds = [0.1, float(np.float32(0.1)), 0.3, 7, 16777217, 16777216, 1234567.89, -0.25]
    values: list = [v for b in bounds for v in around(b)] + [None]
    if kind == "float32":
        values = [None if v is None else float(np.float32(v)) for v in values]
        made = pa.float32()
    elif kind == "int64":
        values, made = [None if v is None else round(v) for v in values], pa.int64()
    else:
        import decimal

        cent = decimal.Decimal("0.01")
        values = [None if v is None else decimal.Decimal(v).quantize(cent) for v in values]
        made = pa.decimal128(12, 2)
    space = Space([Continuous("f", missing=True)])
    for bound in bounds:
        for operator in ("<", "<=", ">", ">=", "="):
            rules = RuleSet([Rule(Region(space, {"f": {operator: bound}}), then="yes")], space)
            got = in_duckdb(to_sql(rules, "cases"), {"f": values}, {"f": made})
            assert got == rules.predict({"f": values}).tolist()


def test_durations_in_duckdb():
    pa = pytest.importorskip("pyarrow")
    space = Space([Continuous("w", kind="duration", missing=True)])
    bounds = [
        dt.timedelta(0),
        dt.timedelta(days=-2, microseconds=1),
        dt.timedelta(days=40, hours=1),
    ]
    bounds += [dt.timedelta(hours=-1), dt.timedelta(days=3)]
    step = dt.timedelta(microseconds=1)
    table = {"w": [b + n * step for b in bounds for n in (-1, 0, 1)] + [None]}
    for bound in bounds:
        for operator in ("<", "<=", ">", ">=", "="):
            rules = RuleSet([Rule(Region(space, {"w": {operator: bound}}), then="yes")], space)
            got = in_duckdb(to_sql(rules, "cases"), table, {"w": pa.duration("us")})
            assert got == rules.predict(table).tolist()


def test_datetimes_with_a_time_zone_in_duckdb():
    duckdb = pytest.importorskip("duckdb")
    space = Space([Continuous("u", kind="datetime", unit="UTC")])
    rules = RuleSet([Rule({"u": {"<": dt.datetime(2020, 1, 1, tzinfo=dt.UTC)}}, then="old")], space)
    sql = to_sql(rules, "cases")
    assert "\"u\" < CAST('2020-01-01 00:00:00+00:00' AS TIMESTAMPTZ)" in sql
    with duckdb.connect() as con:
        stamps = "'2020-01-01 01:00:00+02:00'::TIMESTAMPTZ), ('2020-01-01 00:00:00+00:00'"
        con.execute("SET TimeZone = 'Asia/Tokyo'")
        con.execute(f"CREATE TABLE cases AS SELECT * FROM (VALUES ({stamps})) AS t(u)")
        got = con.execute(f"SELECT prediction FROM ({sql}) ORDER BY u").fetchall()
    assert got == [("old",), (None,)]


# --- SQLite


def in_sqlite(sql, table):
    con = sqlite3.connect(":memory:")
    names = ", ".join(exp.to_identifier(name, quoted=True).sql("sqlite") for name in table)
    con.execute(f"CREATE TABLE cases ({names})")
    rows = zip(*([*map(_in_sqlite, values)] for values in table.values()), strict=True)
    con.executemany(f"INSERT INTO cases VALUES ({', '.join('?' * len(table))})", rows)
    made = con.execute(sql).fetchall()
    con.close()
    return [row[-1] for row in made]


def _in_sqlite(value):
    if isinstance(value, dt.datetime):
        return value.isoformat(" ")
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return value.count if isinstance(value, Months) else value


def test_100_000_rows_in_sqlite():
    rng = random.Random(2)
    table = columns(ROWS, rng)
    rules = random_list(wide_space(), 80, rng, conditions=(3, 5))
    expected = rules.predict(table).tolist()
    assert min(map(expected.count, ["x", "it's", "größe", "\\", "-"])) > ROWS / 1_000
    assert in_sqlite(to_sql(rules, "cases", dialect="sqlite"), table) == expected


@pytest.mark.parametrize("seed", range(12))
def test_many_lists_of_few_conditions_in_sqlite(seed):
    rng = random.Random(100 + seed)
    table = columns(2_000, rng)
    rules = random_list(wide_space(), 6, rng, conditions=(1, 1))
    expected = rules.predict(table).tolist()
    assert in_sqlite(to_sql(rules, "cases", dialect="sqlite"), table) == expected


@given(uniform_lists())
def test_cells_of_the_grid_in_sqlite(rules):
    table, expected = cells_as_table(rules)
    assert in_sqlite(to_sql(rules, "cases", dialect="sqlite"), table) == expected


def test_sqlite_reads_every_float64_as_it_is():
    rng = random.Random(0)
    numbers = [struct.unpack("d", rng.randbytes(8))[0] for _ in range(2_000)]
    numbers += [rng.random() * 10**k for k in range(-10, 10) for _ in range(20)]
    numbers += [round(rng.random() * 1000, k) for k in range(12) for _ in range(20)]
    numbers += [sys.float_info.max, -sys.float_info.max, 5e-324, 2.0**63, 1e22, 1e23, 2.0**53 + 2]
    con = sqlite3.connect(":memory:")
    for value in filter(math.isfinite, numbers):
        sql = double(DIALECTS["sqlite"], value).sql("sqlite")
        (got,) = con.execute(f"SELECT {sql}").fetchone()
        assert (got, type(got)) == (value, float), sql
    con.close()


def test_sqlite_does_not_read_a_missing_column_as_text():
    rules = RuleSet([Rule({"age": {"<": 18}}, then="minor")])
    with pytest.raises(sqlite3.OperationalError, match=r"no such column: cases\.age"):
        in_sqlite(to_sql(rules, "cases", dialect="sqlite"), {"other": [1]})


# --- Spark


@pytest.fixture(scope="module")
def in_spark():
    """Return a function that runs a query of the table cases, with columns of the given types."""
    leave = pytest.fail if os.environ.get("IRENIC_NEED_SPARK") else pytest.skip
    if shutil.which("java") is None:
        leave("Java is not installed: SQL not run in Spark")
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        leave("pyspark is not installed: SQL not run in Spark")
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )

    def run(sql, table, types):
        quoted = [f"`{name.replace('`', '``')}` {types[name]}" for name in table]
        columns = [_as_spark(values, types[name]) for name, values in table.items()]
        rows = list(zip(*columns, range(len(columns[0])), strict=True))
        frame = spark.createDataFrame(rows, ", ".join([*quoted, "place int"]))
        frame.createOrReplaceTempView("cases")
        made = spark.sql(sql).select("place", "prediction").collect()
        return [row.prediction for row in sorted(made)]

    yield run
    spark.stop()


def _as_spark(values, kind):
    """Return values as Spark requires them: no int for a double, no datetime without a zone."""
    if kind == "double":
        return [None if v is None else float(v) for v in values]
    if kind == "timestamp":  # without a time zone, Spark uses that of the machine
        return [None if v is None else v.replace(tzinfo=dt.UTC) for v in values]
    return _storable(values)


@pytest.mark.filterwarnings("default")
def test_rows_in_spark(in_spark):
    rng = random.Random(3)
    table = {n: v for n, v in columns(500, rng).items() if n != NAMES["clock"]}
    kept = [f for f in wide_space() if f.name != NAMES["clock"]]
    space = Space(kept)
    listed = random_list(wide_space(), 40, rng, conditions=(3, 5))
    rules = RuleList(
        [r.cast(space) for r in listed if NAMES["clock"] not in r.region.conditions()],
        space,
        default="-",
    )
    types = dict.fromkeys(table, "string")
    for key, kind in {
        "number": "double", "bounded": "double", "whole": "bigint", "day": "date",
        "moment": "timestamp", "flag": "boolean", "code": "double", "exact": "bigint",
        "holiday": "date", "months": "int",
    }.items():  # fmt: skip
        types[NAMES[key]] = kind
    expected = rules.predict(table).tolist()
    assert len({*expected}) == 5
    for form in ("rules", "tree", "arrays"):
        sql = to_sql(rules, "cases", dialect="spark", form=form)
        assert in_spark(sql, table, types) == expected


@pytest.mark.filterwarnings("default")
def test_many_rules_in_spark_print_no_stack_trace(in_spark, capfd):
    space = Space([Continuous("f", missing=True)])
    listed = [Rule({"f": (i, i + 1.5)}, then=i % 7).cast(space) for i in range(300)]
    rules = RuleList(listed, space)
    table = {"f": [None, -1.0, *(i / 2 for i in range(620))]}
    sql = to_sql(rules, "cases", dialect="spark")
    assert in_spark(sql, table, {"f": "double"}) == rules.predict(table).tolist()
    assert "64 KB" not in "".join(capfd.readouterr())


@pytest.mark.filterwarnings("default")
def test_durations_in_spark(in_spark):
    space = Space([Continuous("w", kind="duration", missing=True)])
    step = dt.timedelta(microseconds=1)
    bounds = [dt.timedelta(days=-2, microseconds=1), dt.timedelta(days=40, hours=1)]
    table = {"w": [b + n * step for b in bounds for n in (-1, 0, 1)] + [None]}
    conditions = [{">": bounds[1]}, {">=": bounds[1]}, {"<": bounds[0]}, {"missing": True}]
    rules = RuleList(
        [Rule(Region(space, {"w": c}), then=n) for n, c in enumerate(conditions)], space, default=9
    )
    sql = to_sql(rules, "cases", dialect="spark")
    got = in_spark(sql, table, {"w": "interval day to second"})
    assert got == rules.predict(table).tolist()


# --- PostgreSQL


@pytest.fixture(scope="module")
def in_postgres():
    """Return a function that runs statements in a server of its own."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    path = os.pathsep.join([os.environ.get("PATH", ""), *map(str, folders)])
    programs = ["initdb", "postgres", "psql"]
    install, server, client = (shutil.which(program, path=path) for program in programs)
    if not (install and server and client):
        pytest.skip("no PostgreSQL server is installed: SQL not run in PostgreSQL")
    folder = tempfile.mkdtemp(prefix="irenic")
    who = {}
    if os.geteuid() == 0:  # the server refuses to run as root
        who = {"user": "postgres"}
        shutil.chown(folder, "postgres")
    data = f"{folder}/data"
    making = [install, "-D", data, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-U", "irenic"]
    subprocess.run(making, check=True, capture_output=True, cwd=folder, **who)
    options = ["-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"]
    running = subprocess.Popen(
        [server, "-D", data, *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        **who,
    )

    def ask(sql):
        made = subprocess.run(
            [client, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", folder, "-U", "irenic",
             "-d", "postgres"],
            input=sql.encode(),
            capture_output=True,
            check=False,
        )  # fmt: skip
        assert made.returncode == 0, made.stderr.decode()
        return made.stdout.decode().splitlines()

    try:
        deadline = time.monotonic() + 60
        while not Path(folder, ".s.PGSQL.5432").exists():
            assert running.poll() is None, "the PostgreSQL server did not start"
            assert time.monotonic() < deadline, "the PostgreSQL server took more than a minute"
            time.sleep(0.1)
        yield ask
    finally:
        running.terminate()
        running.wait(60)
        shutil.rmtree(folder)


def _in_postgres(value):
    if value is None or isinstance(value, bool | int | Months):
        return "NULL" if value is None else str(_storable([value])[0])
    if isinstance(value, float):
        return f"'{value!r}'::float8"
    if isinstance(value, str):
        return exp.Literal.string(value).sql("postgres")
    return f"'{_in_sqlite(value)}'"


@pytest.mark.parametrize("form", ["rules", "tree", "arrays"])
def test_rows_in_postgres(in_postgres, form):
    rng = random.Random(4)
    table = columns(2_000, rng)
    rules = random_list(wide_space(), 80, rng, conditions=(3, 5))
    types = {
        "number": "FLOAT8", "bounded": "FLOAT8", "whole": "BIGINT", "day": "DATE",
        "moment": "TIMESTAMP", "clock": "TIME", "text": "TEXT", "flag": "BOOLEAN",
        "code": "FLOAT8", "exact": "BIGINT", "holiday": "DATE", "months": "INT",
    }  # fmt: skip
    kinds = {NAMES[key]: kind for key, kind in types.items()}
    quoted = [exp.to_identifier(name, quoted=True).sql("postgres") for name in table]
    listed = ", ".join(f"{q} {kinds[name]}" for q, name in zip(quoted, table, strict=True))
    rows = zip(*(map(_in_postgres, values) for values in table.values()), strict=True)
    values = ",\n".join(f"({place}, {', '.join(row)})" for place, row in enumerate(rows))
    made = (
        f"CREATE TEMPORARY TABLE cases (place INT, {listed});\nINSERT INTO cases VALUES {values};\n"
    )
    sql = to_sql(rules, "cases", dialect="postgres", form=form)
    got = in_postgres(f"{made}SELECT prediction FROM ({sql}) AS said ORDER BY place;")
    assert got == rules.predict(table).tolist()
    assert len({*got}) == 5


# --- MariaDB


@pytest.fixture(scope="module")
def in_mariadb():
    """Return a function that runs a query of the table cases in a server of its own."""
    programs = ["mariadbd", "mariadb-install-db", "mariadb"]
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
    server, install, client = (shutil.which(program, path=path) for program in programs)
    if not (server and install and client):
        pytest.skip("no MariaDB server is installed: SQL not run in MariaDB")
    folder = tempfile.mkdtemp(prefix="irenic")  # short, because socket paths are limited in length
    data, socket = f"{folder}/data", f"{folder}/socket"
    user = f"--user={getpass.getuser()}"
    normal = "--auth-root-authentication-method=normal"
    subprocess.run(
        [install, "--no-defaults", f"--datadir={data}", user, normal, "--skip-test-db"],
        check=True,
        capture_output=True,
    )
    running = subprocess.Popen(
        [server, "--no-defaults", f"--datadir={data}", user, f"--socket={socket}",
         "--skip-networking", f"--pid-file={folder}/pid"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip

    def ask(sql, encoding="utf8"):
        charset = {"utf8": "utf8mb4", "latin1": "latin1"}[encoding]
        made = subprocess.run(
            [client, "--no-defaults", f"--socket={socket}", "--user=root", "--batch", "--raw",
             "--skip-column-names", f"--default-character-set={charset}"],
            input=sql.encode(encoding),
            capture_output=True,
            check=False,
        )  # fmt: skip
        assert made.returncode == 0, made.stderr.decode()
        return made.stdout.decode(encoding).splitlines()

    try:
        deadline = time.monotonic() + 60
        while not Path(socket).exists():
            assert running.poll() is None, "the MariaDB server did not start"
            assert time.monotonic() < deadline, "the MariaDB server took more than a minute"
            time.sleep(0.1)
        yield ask
    finally:
        running.terminate()
        running.wait(60)
        shutil.rmtree(folder)


def mysql_table(table, types, charset="utf8mb4"):
    """Return statements that make the table cases in a new database."""
    quoted = [exp.to_identifier(name, quoted=True).sql("mysql") for name in table]
    columns = ", ".join(f"{q} {types[n]}" for q, n in zip(quoted, table, strict=True))
    rows = zip(*(map(_in_mysql, _storable(values)) for values in table.values()), strict=True)
    values = ",\n".join(f"({place}, {', '.join(row)})" for place, row in enumerate(rows))
    return (
        f"CREATE OR REPLACE DATABASE t CHARACTER SET {charset}; USE t;\n"
        f"CREATE TABLE cases (place INT, {columns});\nINSERT INTO cases VALUES {values};\n"
    )


def _in_mysql(value):
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "NULL"
    if isinstance(value, str):
        return exp.Literal.string(value).sql("mysql")
    if isinstance(value, dt.date | dt.time):
        return f"'{_in_sqlite(value)}'"
    return repr(value)


@pytest.mark.parametrize("form", ["rules", "tree"])
@pytest.mark.parametrize("dialect", ["mariadb", "mysql"])
def test_rows_in_mariadb(in_mariadb, dialect, form):
    rng = random.Random(4)
    table = columns(2_000, rng)
    rules = random_list(wide_space(), 80, rng, conditions=(3, 5))
    types = {
        "number": "DOUBLE", "bounded": "DOUBLE", "whole": "BIGINT", "day": "DATE",
        "moment": "DATETIME(6)", "clock": "TIME(6)", "text": "VARCHAR(40)", "flag": "BOOLEAN",
        "code": "DOUBLE", "exact": "BIGINT", "holiday": "DATE", "months": "INT",
    }  # fmt: skip
    made = mysql_table(table, {NAMES[key]: kind for key, kind in types.items()})
    sql = to_sql(rules, "cases", dialect=dialect, form=form)
    got = in_mariadb(f"{made}SELECT prediction FROM ({sql}) AS said ORDER BY place;")
    assert got == rules.predict(table).tolist()
    assert len({*got}) == 5


@pytest.mark.parametrize("encoding", ["utf8", "latin1"])
@pytest.mark.parametrize("charset", ["utf8mb4", "latin1"])
@pytest.mark.parametrize("dialect", ["mariadb", "mysql"])
def test_mariadb_compares_text_exactly(in_mariadb, dialect, charset, encoding):
    texts = ["é", "e", "É", "é ", "a", "A", "a ", "", " ", None]
    space = Space([Categorical("c", [t for t in texts if t is not None], missing=True)])
    rules = RuleSet(
        [Rule({"c": {t}}, then=n) for n, t in enumerate(texts) if t is not None], space, default=-1
    )
    made = mysql_table({"c": texts}, {"c": "VARCHAR(9)"}, charset)
    sql = to_sql(rules, "cases", dialect=dialect)
    got = in_mariadb(f"{made}SELECT prediction FROM ({sql}) AS said ORDER BY place;", encoding)
    assert got == [*map(str, range(9)), "-1"]


# --- all dialects


def small():
    space = Space(
        [
            Continuous("age", missing=True),
            Categorical("job", ["nurse", "cook", "é"], missing=True, other=True),
            Continuous("since", kind="date"),
            Categorical("member", [False, True]),
        ]
    )
    return RuleList(
        [
            Rule(Region(space, {"age": {"<": 0.1, "missing": True}, "member": True}), then="a"),
            Rule(Region(space, {"age": {">=": 18}, "job": {"nurse", "é"}}), then="b"),
            Rule(Region(space, {"job": {"not in": ["cook"]}}), then="c"),
            Rule(Region(space, {"since": {"<": dt.date(2020, 1, 1)}}), then="é"),
        ],
        space,
    )


SNAPSHOTS = {
    "duckdb": """\
WHEN ("age" < 0.1e0 OR "age" IS NULL OR ISNAN("age")) AND "member" = TRUE THEN 'a'
WHEN "age" >= 18 AND NOT ISNAN("age") AND "job" IN ('nurse', 'é') THEN 'b'
WHEN "job" <> 'cook' OR "job" IS NULL THEN 'c'
WHEN "since" < CAST('2020-01-01' AS DATE) THEN 'é'
ELSE NULL END AS "prediction" FROM "cases\"""",
    "postgres": """\
WHEN ("age" < CAST('0.1' AS DOUBLE PRECISION) OR "age" IS NULL\
 OR CAST("age" AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION)) AND "member" = TRUE THEN 'a'
WHEN "age" >= 18 AND NOT CAST("age" AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION)\
 AND "job" IN ('nurse', 'é') THEN 'b'
WHEN "job" <> 'cook' OR "job" IS NULL THEN 'c'
WHEN "since" < CAST('2020-01-01' AS DATE) THEN 'é'
ELSE NULL END AS "prediction" FROM "cases\"""",
    "spark": """\
WHEN (`age` < 0.1e0 OR `age` IS NULL OR ISNAN(`age`)) AND `member` = TRUE THEN 'a'
WHEN `age` >= 18 AND NOT ISNAN(`age`) AND `job` IN ('nurse', 'é') THEN 'b'
WHEN `job` <> 'cook' OR `job` IS NULL THEN 'c'
WHEN `since` < CAST('2020-01-01' AS DATE) THEN 'é'
ELSE NULL END AS `prediction` FROM `cases`""",
    "bigquery": """\
WHEN (`age` < 0.1e0 OR `age` IS NULL OR IS_NAN(`age`)) AND `member` = TRUE THEN 'a'
WHEN `age` >= 18 AND `job` IN ('nurse', 'é') THEN 'b'
WHEN `job` <> 'cook' OR `job` IS NULL THEN 'c'
WHEN `since` < CAST('2020-01-01' AS DATE) THEN 'é'
ELSE NULL END AS `prediction` FROM `cases`""",
    "snowflake": """\
WHEN ("age" < CAST('0.1' AS DOUBLE) OR "age" IS NULL\
 OR CAST("age" AS DOUBLE) = CAST('NaN' AS DOUBLE)) AND "member" = TRUE THEN 'a'
WHEN "age" >= 18 AND NOT CAST("age" AS DOUBLE) = CAST('NaN' AS DOUBLE)\
 AND "job" IN ('nurse', 'é') THEN 'b'
WHEN "job" <> 'cook' OR "job" IS NULL THEN 'c'
WHEN "since" < CAST('2020-01-01' AS DATE) THEN 'é'
ELSE NULL END AS "prediction" FROM "cases\"""",
    "mariadb": """\
WHEN (`age` < 0.1e0 OR `age` IS NULL) AND `member` = TRUE THEN 'a'
WHEN `age` >= 18 AND CAST(`job` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin\
 IN ('nurse', 'é') THEN 'b'
WHEN CAST(`job` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin <> 'cook' OR `job` IS NULL\
 THEN 'c'
WHEN `since` < CAST('2020-01-01' AS DATE) THEN 'é'
ELSE NULL END AS `prediction` FROM `cases`""",
    "mysql": """\
WHEN (`age` < 0.1e0 OR `age` IS NULL) AND `member` = TRUE THEN 'a'
WHEN `age` >= 18 AND CAST(CAST(`job` AS CHAR CHARACTER SET utf8mb4) AS BINARY)\
 IN ('nurse', CAST('é' AS CHAR CHARACTER SET utf8mb4)) THEN 'b'
WHEN CAST(CAST(`job` AS CHAR CHARACTER SET utf8mb4) AS BINARY) <> 'cook' OR `job` IS NULL THEN 'c'
WHEN `since` < CAST('2020-01-01' AS DATE) THEN 'é'
ELSE NULL END AS `prediction` FROM `cases`""",
    "sqlite": """\
WHEN ("cases"."age" < 0.1 OR "cases"."age" IS NULL) AND "cases"."member" = TRUE THEN 'a'
WHEN "cases"."age" >= 18 AND "cases"."job" IN ('nurse', 'é') THEN 'b'
WHEN "cases"."job" <> 'cook' OR "cases"."job" IS NULL THEN 'c'
WHEN "cases"."since" < '2020-01-01' THEN 'é'
ELSE NULL END AS "prediction" FROM "cases\"""",
    "tsql": """\
WHEN ([age] < 0.1e0 OR [age] IS NULL) AND [member] = 1 THEN 'a'
WHEN [age] >= 18 AND [job] COLLATE Latin1_General_100_BIN2 IN ('nurse', N'é') THEN 'b'
WHEN [job] COLLATE Latin1_General_100_BIN2 <> 'cook' OR [job] IS NULL THEN 'c'
WHEN [since] < CAST('2020-01-01' AS DATE) THEN N'é'
ELSE NULL END AS [prediction] FROM [cases]""",
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_layout_in_each_dialect(dialect):
    start = "/* The first rule that holds decides: the order matters. */ SELECT *, CASE "
    lines = " ".join(to_sql(small(), "cases", dialect=dialect).split())
    lines = lines.replace("( ", "(").replace(" )", ")")
    assert lines == start + SNAPSHOTS[dialect].replace("\n", " ")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_parses_back(dialect):
    rng = random.Random(5)
    left_out = {"spark": "clock", "bigquery": "bounded"}  # no such type; no names with a point
    keys = [key for key in NAMES if key != left_out.get(dialect)]
    names = [NAMES[key] for key in keys]
    space = Space([f for f in wide_space() if f.name in names])
    if dialect == "tsql":  # where 'a' equals 'a '
        texts = Categorical(NAMES["text"], [t for t in TEXTS if t != "a "], missing=True)
        space = Space([texts if f.name == NAMES["text"] else f for f in space])
    rules = [Rule(Region(space), then="first\\'\n%")]
    while len(rules) < 60:
        key = rng.choice(keys)
        try:
            region = Region(space, {NAMES[key]: random_condition(key, rng)})
        except ConditionError:
            continue
        rules.append(Rule(region, then="it's"))
    table = ("my schema", "o'table\"`]")
    sql = to_sql(RuleList(rules, space), table, dialect=dialect, form="rules")
    tree = sqlglot.parse_one(sql, dialect=DIALECTS[dialect].syntax)
    (case,) = tree.find_all(exp.Case)
    assert len(case.args["ifs"]) == 60
    assert {c.name for c in tree.find_all(exp.Column)} <= set(names)
    assert tree.find(exp.Table).name == "o'table\"`]"
    assert tree.find(exp.Table).db == "my schema"
    assert case.args["ifs"][0].args["true"].this == "first\\'\n%"
    tests = {i: list(branch.this.find_all(exp.In)) for i, branch in enumerate(case.args["ifs"])}
    for place, found in tests.items():
        asked = rules[place].region.conditions().get(NAMES["text"], {})
        for inside in found if asked else []:
            listed = [_without_cast(value).this for value in inside.expressions]
            assert listed == asked.get("in", asked.get("not in"))
    again = tree.sql(dialect=DIALECTS[dialect].syntax, pretty=True)
    assert "".join(again.split()) == "".join(sql.split())


@pytest.mark.parametrize("form", ["rules", "tree"])
@pytest.mark.parametrize("dialect", ["bigquery", "snowflake", "tsql"])
@pytest.mark.parametrize("seed", range(3))
def test_dialects_without_an_engine_run_translated_to_duckdb(dialect, form, seed):
    """Each text is parsed strictly as its dialect, and translated by sqlglot."""
    rng = random.Random(seed)
    table = columns(1_000, rng)
    space = wide_space()
    if dialect == "tsql":  # where 'a' equals 'a '
        texts = [t for t in TEXTS if t != "a "]
        listed = Categorical(NAMES["text"], texts, missing=True, other=True)
        space = Space([listed if f.name == NAMES["text"] else f for f in space])
        table = {
            n: [None if v != v else v for v in values] for n, values in table.items()
        }  # no NaN
    if dialect == "bigquery":  # no names with a point
        space = Space([f for f in space if f.name != NAMES["bounded"]])
    rules = []
    while len(rules) < 20:
        (rule,) = random_list(wide_space(), 1, rng, conditions=(1, 2))
        try:
            rules.append(rule.cast(space))
        except ConditionError:
            continue
    decides = RuleList(rules, space, default="-")
    sql = to_sql(decides, "cases", dialect=dialect, form=form)
    strict = sqlglot.ErrorLevel.RAISE
    (text,) = sqlglot.transpile(
        sql, read=dialect, write="duckdb", error_level=strict, unsupported_level=strict
    )
    assert in_duckdb(_in_characters(text), table) == decides.predict(table).tolist()


def _in_characters(sql):
    """Return a query without the collation of SQL Server, which DuckDB does not need."""
    return sql.replace(" COLLATE Latin1_General_100_BIN2", "")


def _without_cast(value):
    return _without_cast(value.this) if isinstance(value, exp.Cast) else value


OTHERS = [pytest.param(dialect, marks=pytest.mark.slow) for dialect in ("sqlite", "tsql")]


@pytest.mark.parametrize("dialect", ["duckdb", *OTHERS])
def test_many_rules_and_many_conditions(dialect):
    space = Space([Continuous(f"f{i}", missing=True) for i in range(600)])
    wide = Rule(Region(space, {f"f{i}": {"<": 0.5, "missing": True} for i in range(600)}), then=0)
    rules = [Rule(Region(space, {"f0": {">=": i, "<": i + 1}}), then=i) for i in range(1_500)]
    sql = to_sql(RuleList([wide, *rules], space), "cases", dialect=dialect, form="rules")
    assert sql.count("WHEN ") == 1_501
    assert (
        len(sqlglot.parse_one(sql, dialect=DIALECTS[dialect].syntax).find(exp.Case).args["ifs"])
        == 1_501
    )


# --- what is selected


def ages(**options):
    rules = [Rule({"age": {"<": 18}}, then="minor"), Rule({"age": {">=": 18}}, then="adult")]
    return RuleSet(rules, **options)


def test_a_consistent_set_says_that_its_order_does_not_matter():
    note = "/* The rules do not contradict each other: their order does not matter. */\nSELECT"
    assert to_sql(ages(), "people").startswith(note)


def test_the_expression_alone():
    sql = to_sql(ages(default="?"))
    assert in_duckdb(f"SELECT place, {sql} AS prediction FROM cases", {"age": [5, 50, None]}) == [
        "minor",
        "adult",
        "?",
    ]


def test_the_columns_to_keep_and_the_name_of_the_new_one():
    sql = to_sql(ages(), ("shop", "people"), column='it"s', keep=["name", "age"])
    tree = sqlglot.parse_one(sql, dialect="duckdb")
    assert tree.named_selects == ["name", "age", 'it"s']
    assert sql.endswith('AS "it""s"\nFROM "shop"."people"')
    assert sqlglot.parse_one(to_sql(ages(), "p", keep=[])).named_selects == ["prediction"]


def test_a_set_without_rules():
    empty = RuleSet(space=Space([Continuous("age")]))
    assert in_duckdb(to_sql(empty, "cases"), {"age": [1]}) == [None]
    assert in_duckdb(to_sql(empty, "cases", default=5), {"age": [1]}) == [5]


def test_a_file_contains_one_statement():
    text = dumps(ages())
    assert text.endswith('FROM "cases";\n')
    assert len([s for s in sqlglot.parse(text, dialect="duckdb") if s]) == 1


# --- what is predicted


@pytest.mark.parametrize(
    ("thens", "expected"),
    [
        ((True, False), [True, False]),
        ((1, -2), [1, -2]),
        ((2**62, 3), [2**62, 3]),
        ((1, 0.1), [1.0, 0.1]),
        ((math.inf, 0.5), [math.inf, 0.5]),
        (("a", 5), ["a", "5"]),
        ((True, 2), ["true", "2"]),
        ((("a", 1), dt.date(2020, 1, 1)), ["(a, 1)", "2020-01-01"]),
        ((Months(14), dt.timedelta(1)), ["P1Y2M", "P1D"]),
        ((2**60, 0.5), [str(2**60), "0.5"]),
    ],
)
def test_types_of_consequents(thens, expected):
    rules = RuleSet([Rule({"f": {"<": 0}}, then=thens[0])], default=thens[1])
    sql = to_sql(rules, "cases")
    got = in_duckdb(sql, {"f": [-1, 1]})
    assert (got, [*map(type, got)]) == (expected, [*map(type, expected)])
    as_text = all(isinstance(e, str) for e in expected)
    assert ("The column contains predictions as text" in sql) is as_text


def test_members_of_enumerations_are_written_as_what_they_equal():
    class Level(str, enum.Enum):  # noqa: UP042  (str() of which is "Level.LOW")
        LOW = "low"

    class Grade(enum.IntEnum):
        ONE = 1

    space = Space([Categorical("c", [Level.LOW], other=True), Categorical("g", [Grade.ONE, 2])])
    rules = RuleSet([Rule(Region(space, {"c": Level.LOW, "g": Grade.ONE}), then=Level.LOW)], space)
    table = {"c": ["low", "low", "x"], "g": [1, 2, 1]}
    assert in_duckdb(to_sql(rules, "cases"), table) == ["low", None, None]
    assert rules.predict(table).tolist() == ["low", None, None]


def test_consequents_without_an_sql_form_are_rejected():
    def of(*thens):
        rules = [Rule({"f": (i, i + 1)}, then=then) for i, then in enumerate(thens)]
        return RuleSet(rules)

    with pytest.raises(
        FormatError, match="the consequents '5' and 5 have the same text in SQL, '5'"
    ):
        to_sql(of("5", 5))
    with pytest.raises(FormatError, match="has no text form; use text, numbers"):
        to_sql(of("x", Expression("a * 2")))
    with pytest.raises(
        FormatError, match=r"^rule 2: the text must not contain a null character, got 'a\\x00b'"
    ):
        to_sql(of("x", "a\0b"))
    with pytest.raises(FormatError, match=r"^rule 1: mysql has no infinity; use a finite"):
        to_sql(of(math.inf, 0.5), dialect="mysql")


def test_true_and_false_are_values_in_tsql():
    rules = RuleSet([Rule({"f": {"<": 0}}, then=True)], default=False)
    sql = to_sql(rules, "cases", dialect="tsql")
    assert "THEN CAST(1 AS BIT)" in sql
    assert "ELSE CAST(0 AS BIT)" in sql


def test_fractions_of_seconds_are_kept_in_mysql():
    space = Space([Continuous("t", kind="time"), Continuous("s", kind="datetime", unit="UTC")])
    stamp = dt.datetime(2020, 1, 1, 0, 0, 0, 5)
    rules = RuleSet([Rule({"t": {"<": dt.time(1, 0, 0, 5)}, "s": {"<": stamp}}, then="x")], space)
    sql = to_sql(rules, "cases", dialect="mysql")
    assert "CAST('01:00:00.000005' AS TIME(6))" in sql
    assert "CAST('2020-01-01 00:00:00.000005' AS DATETIME(6))" in sql


def test_rows_outside_the_space_are_evaluated_literally():
    space = Space([Continuous("f", bounds=(0, 9)), Categorical("c", ["a", "b"])])
    rules = RuleList(
        [Rule(Region(space, {"f": {">=": 5}}), then="x"), Rule({"c": {"a"}}, then="y")], space
    )
    table = {"f": [math.inf, -3.0, None, None], "c": ["a", "a", "z", "a"]}
    assert in_duckdb(to_sql(rules, "cases"), table) == ["x", "y", None, "y"]


# --- errors


def test_an_unknown_dialect_is_rejected():
    with pytest.raises(
        ConditionError, match="unknown dialect 'postgresql'; did you mean 'postgres'"
    ):
        to_sql(ages(), "people", dialect="postgresql")
    with pytest.raises(
        ConditionError, match=r"unknown dialect None \(known: 'duckdb', 'postgres', "
    ):
        to_sql(ages(), "people", dialect=None)


def test_conflicts_raise_the_error_of_predict():
    rules = RuleSet([Rule({"a": (0, 2)}, then="x"), Rule({"a": (1, 3)}, then="y", weight=2)])
    with pytest.raises(ConflictError) as refused:
        to_sql(rules, "cases")
    with pytest.raises(ConflictError) as predicted:
        rules.predict({"a": [1]})
    assert str(refused.value) == str(predicted.value)
    for resolve in ("first", "best"):
        sql = to_sql(rules, "cases", resolve=resolve)
        table = {"a": [0.0, 1.0, 2.0, 3.0]}
        assert in_duckdb(sql, table) == rules.predict(table, resolve=resolve).tolist()
        assert "the order matters" in sql
    with pytest.raises(
        FormatError,
        match="branches cannot represent resolve='vote', because only one of them decides",
    ):
        to_sql(rules, "cases", resolve="vote")


@pytest.mark.parametrize(
    "table", ["", 5, [], ["a", "b", "c", "d"], ["a", ""], "a\0", b"t"], ids=repr
)
def test_an_invalid_table_name_is_rejected(table):
    with pytest.raises((ConditionError, FormatError), match=r"(a table|^table) must "):
        to_sql(ages(), table)


def test_invalid_columns_are_rejected():
    with pytest.raises(
        ConditionError, match="the table already has a column 'AGE'; choose another"
    ):
        to_sql(ages(), "people", column="AGE")
    to_sql(ages(), "people", column="AGE", dialect="postgres")
    with pytest.raises(ConditionError, match="the name of a column must be a nonempty str, got 5"):
        to_sql(ages(), "people", column=5)
    with pytest.raises(ConditionError, match="keep must be a list of columns or None, got 'age'"):
        to_sql(ages(), "people", keep="age")
    with pytest.raises(
        ConditionError, match="the name of a column must be a nonempty str, got None"
    ):
        to_sql(ages(), "people", keep=[None])


def test_features_that_map_to_one_column_are_rejected():
    rules = RuleSet([Rule({"age": (0, 2), "Age": (0, 2)}, then="x")])
    with pytest.raises(
        FormatError, match="'age' and 'Age' are the same column in duckdb, where names are"
    ):
        to_sql(rules, "cases")
    assert '"age" >= 0 AND "age" < 2 AND "Age" >= 0' in " ".join(
        to_sql(rules, "cases", dialect="postgres").split()
    )


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            ["a", 5],
            "feature 'c' must have values of one type to be a column, got 'a' and 5",
        ),
        ([True, 5], "feature 'c' must have values of one type to be a column, got True and 5"),
        ([("a", 1)], "feature 'c': the value ('a', 1) of type tuple cannot be written as SQL"),
        ([2**60, 0.5], f"feature 'c': {2**60} is beyond 2**53 and would be rounded"),
        (["a\0"], "rule 1: the text must not contain a null character, got 'a\\x00'"),
    ],
    ids=repr,
)
def test_values_that_cannot_form_a_column_are_rejected(values, message):
    space = Space([Categorical("c", values, other=True)])
    with pytest.raises(FormatError, match=re.escape(message)):
        to_sql(RuleSet([Rule(Region(space, {"c": {"in": values[:1]}}), then="x")], space))


def test_values_that_a_dialect_does_not_distinguish_are_rejected():
    space = Space([Categorical("c", ["a", "a "])])
    rules = RuleSet([Rule(Region(space, {"c": "a"}), then="x")], space)
    with pytest.raises(
        FormatError, match="'a' and 'a ' are equal in tsql, which ignores trailing spaces"
    ):
        to_sql(rules, dialect="tsql")


@pytest.mark.parametrize("dialect", [d for d in DIALECTS if not DIALECTS[d].durations])
def test_durations_are_rejected_in_dialects_without_a_type_for_them(dialect):
    rules = RuleSet([Rule({"w": {"<": dt.timedelta(1)}}, then="x")])
    message = f"rule 1: feature 'w' is a duration, for which {dialect} has no type; use a number"
    with pytest.raises(FormatError, match=message):
        to_sql(rules, dialect=dialect)


def test_times_of_day_are_rejected_in_spark():
    rules = RuleSet([Rule({"t": {"<": dt.time(1)}}, then="x")])
    with pytest.raises(FormatError, match="'t' is a time of day, for which spark has no type; use"):
        to_sql(rules, dialect="spark")


def test_sql_needs_sqlglot(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(
        FormatError, match=re.escape("SQL needs sqlglot: pip install 'irenic[sql]'")
    ):
        to_sql(ages(), "people")


# --- several outcomes


def two_outputs(default=None, outputs=("rate", "note")):
    rules = RuleSet(
        [
            Rule({"age": {"<": 18}}, then=(0.5, "child")),
            Rule({"age": {">=": 65}}, then=(0.25, Expression("null"))),
        ],
        Space([Continuous("age", missing=True)]),
        default=default,
    )
    return DecisionTable(rules, (0, 1), 2, hit_policy="UNIQUE", outputs=outputs)


@pytest.mark.parametrize("default", [None, (1.0, "full")])
def test_several_outcomes_are_several_columns(default):
    duckdb = pytest.importorskip("duckdb")
    table = two_outputs(default)
    ages = [5, 70, 30, None]
    expected = [
        tuple(None if part == Expression("null") else part for part in then or (None, None))
        for then in table.predict({"age": ages}).tolist()
    ]
    with sqlite3.connect(":memory:") as con:
        con.execute("CREATE TABLE cases (age)")
        con.executemany("INSERT INTO cases VALUES (?)", [(age,) for age in ages])
        found = con.execute(to_sql(table, "cases", dialect="sqlite"))
        assert [column[0] for column in found.description] == ["age", "rate", "note"]
        assert [row[1:] for row in found] == expected
    with duckdb.connect() as con:
        con.execute("CREATE TABLE cases (age INTEGER)")
        con.executemany("INSERT INTO cases VALUES (?)", [(age,) for age in ages])
        found = con.execute(to_sql(table, "cases", keep=["age"], column=["a", "b"]))
        assert [column[0] for column in found.description] == ["age", "a", "b"]
        assert [row[1:] for row in found.fetchall()] == expected
        # without a table, the columns are part of a query of your own
        found = con.execute(f"SELECT {to_sql(table)} FROM cases")
        assert found.fetchall() == expected


def test_names_of_several_outcomes_are_distinct():
    table = two_outputs(outputs=("age", "age"))
    sql = to_sql(table, "cases")
    assert 'AS "age (outcome)"' in sql
    assert 'AS "age (outcome) (outcome)"' in sql
    with pytest.raises(ConditionError, match=r"column must be 2 names, one per output, got 'x'"):
        to_sql(table, "cases", column="x")
    with pytest.raises(ConditionError, match="the table already has a column 'x'; choose another"):
        to_sql(table, "cases", column=["x", "x"])


def test_notes_name_the_outcome_that_is_text():
    rules = RuleSet([Rule({"a": (0, 1)}, then=(1, 1)), Rule({"a": (1, 2)}, then=(1, "x"))])
    table = DecisionTable(rules, (0, 1), 2, outputs=("p", "q"))
    assert "/* q: The column contains predictions as text" in to_sql(table, "cases")
    assert "/* p:" not in to_sql(table, "cases")


def test_an_empty_outcome_is_null():
    rules = RuleSet([Rule({"a": (0, 1)}, then=Expression("null")), Rule({"a": (1, 2)}, then=5)])
    table = DecisionTable.from_rules(rules)
    assert in_sqlite(to_sql(table, "cases", dialect="sqlite"), {"a": [0.5, 1.5]}) == [None, 5]
    assert "        return None\n" in to_python(table)
