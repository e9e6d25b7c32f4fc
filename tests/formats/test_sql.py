"""SQL returns what predict returns, in every engine that is installed."""

from __future__ import annotations

import datetime as dt
import decimal
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
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from irenic import (
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
from irenic.formats.sql import _tree, _walk
from irenic.formats.sql._dialects import DIALECTS, double
from irenic.formats.sql.source import dumps, to_sql
from irenic.model.literals import Expression, Months

sqlglot = pytest.importorskip("sqlglot")
from sqlglot import exp  # noqa: E402

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
KINDS = {"whole": "integer", "day": "date", "moment": "datetime", "clock": "time"}
KINDS["months"] = "months"
VALUES = {
    "text": TEXTS,
    "flag": [False, True],
    "code": [5, 2.5, 0.1, -7, 2**53],
    "exact": [2**60, 2**60 + 1, -5],
    "holiday": [dt.date(2020, 1, 1), dt.date(2020, 12, 25)],
}
LACKS = {"spark": "clock", "bigquery": "bounded"}  # no such type; no names with a point


def wide_space(dialect="duckdb"):
    """Return a space with every kind of feature that a dialect has."""
    found: list = [
        Continuous(
            NAMES[key],
            kind=KINDS.get(key, "number"),
            missing=key != "bounded",
            bounds=(0, 1) if key == "bounded" else (None, None),
        )
        for key in BOUNDS
        if key != LACKS.get(dialect)
    ]
    for key, values in VALUES.items():
        listed = [v for v in values if v != "a " or dialect != "tsql"]  # where 'a' equals 'a '
        found.append(Categorical(NAMES[key], listed, missing=True, other=key != "flag"))
    return Space(found)


def around(value):
    """Return a bound and the values next to it."""
    step = dt.timedelta(microseconds=1)
    if isinstance(value, dt.time):
        stamp = dt.datetime.combine(dt.date(2020, 1, 2), value)
        return [(stamp + n * step).time() for n in (-1, 0, 1)]
    if isinstance(value, Months):
        return [Months(value.count + n) for n in (-1, 0, 1)]
    if isinstance(value, dt.datetime | dt.timedelta):
        return [value + n * step for n in (-1, 0, 1)]
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
    near = [math.nextafter(0.25, 1), math.nextafter(0.7, 0)]
    pools["bounded"] = [0.0, 5e-324, 0.25, 0.7, 1.0, *near]
    pools["text"] = [*TEXTS, "other", "a  ", " a", "Größe", "b", "\\", "'"]
    pools["flag"] = [False, True]
    pools["code"] = [5.0, 2.5, 0.1, -7.0, 0.1 + 1e-17, math.nextafter(0.1, 1), math.nan, 2.0**53]
    pools["exact"] = [2**60, 2**60 + 1, 2**60 + 2, -5, 5]
    pools["holiday"] = [dt.date(2020, 1, 1), dt.date(2020, 12, 25), dt.date(2021, 1, 1)]
    return {
        NAMES[key]: rng.choices(pool if key == "bounded" else [*pool, None], k=n)
        for key, pool in pools.items()
    }


def random_condition(key, rng):
    bounds = BOUNDS.get(key)
    if key != "bounded" and rng.random() < 0.15:
        return {"missing": rng.random() < 0.5}
    if bounds is None:
        listed = rng.sample(VALUES[key], rng.randint(1, min(4, len(VALUES[key]))))
        missing = {"missing": rng.random() < 0.5} if rng.random() < 0.6 else {}
        return {rng.choice(["in", "not in"]): listed, **missing}
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
    keys = [key for key in sorted(NAMES) if NAMES[key] in space.names]
    made: list[Rule] = []
    while len(made) < n:
        tested = rng.sample(keys, rng.randint(*conditions))
        try:
            region = Region(space, {NAMES[key]: random_condition(key, rng) for key in tested})
        except ConditionError:
            continue  # nothing satisfies it
        made.append(Rule(region, then=rng.choice(["x", "it's", "größe", "\\"])))
    return RuleList(made, space, default="-")


# --- DuckDB and SQLite


@contextmanager
def duckdb_with(table, types=None):
    """Yield a function that returns the column that a query adds to a table named cases."""
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

        def ask(sql):
            query = f"SELECT prediction FROM ({sql}) ORDER BY place"
            return [row[0] for row in con.execute(query).fetchall()]

        yield ask


def in_duckdb(sql, table, types=None):
    with duckdb_with(table, types) as ask:
        return ask(sql)


def _storable(values):
    return [v.count if isinstance(v, Months) else v for v in values]


def in_sqlite(sql, table, _=None):
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


RUN = {"duckdb": in_duckdb, "sqlite": in_sqlite}
FORMS = [("duckdb", "rules"), ("duckdb", "tree"), ("duckdb", "arrays")]
FORMS += [("sqlite", "rules"), ("sqlite", "tree")]


@contextmanager
def deep(block=7):
    """Make trees cut as long as any cut is possible, and arrays have several blocks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_tree, "_LEAF", 1)
        patch.setattr(_tree, "_COPIES", 50)
        patch.setattr(_walk, "_BLOCK", block)
        yield


def check(rules, table, dialect, form, expected=None):
    """Check that a query returns what predict does."""
    sql = to_sql(rules, "cases", dialect=dialect, form=form)
    wanted = rules.predict(table).tolist() if expected is None else expected
    assert RUN[dialect](sql, table) == wanted, (dialect, form)
    assert form != "tree" or len(rules) < 30 or "A tree that cuts the space" in sql


@pytest.mark.parametrize("dialect", RUN)
def test_rules_of_many_conditions_and_every_kind_of_feature(dialect):
    rng = random.Random(1)
    table = columns(10_000, rng)
    rules = random_list(wide_space(), 80, rng, conditions=(3, 5))
    expected = rules.predict(table).tolist()
    assert min(map(expected.count, ["x", "it's", "größe", "\\", "-"])) > 10
    check(rules, table, dialect, "rules", expected=expected)


@pytest.mark.parametrize(("dialect", "form"), FORMS)
@pytest.mark.parametrize("seed", range(3))
def test_lists_of_few_conditions_in_every_form(seed, dialect, form):
    rng = random.Random(seed)
    table = columns(700, rng)
    short = [random_list(wide_space(), 6, rng, conditions=(1, 1)) for _ in range(3)]
    with deep(block=(1, 7, 32)[seed]):
        for rules in (*short, random_list(wide_space(), 30, rng)):
            check(rules, table, dialect, form)


def check_each_comparison(feature, bounds, values, kind):
    space = Space([feature])
    with duckdb_with({"f": values}, {"f": kind}) as ask:
        for bound, operator in product(bounds, ("<", "<=", ">", ">=", "=")):
            rules = RuleSet([Rule(Region(space, {"f": {operator: bound}}), then="yes")], space)
            assert ask(to_sql(rules, "cases")) == rules.predict({"f": values}).tolist()


@pytest.mark.parametrize("kind", ["float32", "int64", "decimal"])
def test_a_number_in_a_column_of_another_type(kind):
    pa = pytest.importorskip("pyarrow")
    bounds = [0.1, float(np.float32(0.1)), 0.3, 7, 16777217, 16777216, 1234567.89, -0.25]
    cent = decimal.Decimal("0.01")
    convert, column = {
        "float32": (lambda v: float(np.float32(v)), pa.float32()),
        "int64": (round, pa.int64()),
        "decimal": (lambda v: decimal.Decimal(v).quantize(cent), pa.decimal128(12, 2)),
    }[kind]
    values = [*(convert(v) for b in bounds for v in around(b)), None]
    check_each_comparison(Continuous("f", missing=True), bounds, values, column)


def test_durations_in_duckdb():
    pa = pytest.importorskip("pyarrow")
    bounds = [dt.timedelta(0), dt.timedelta(days=-2, microseconds=1), dt.timedelta(hours=-1)]
    bounds += [dt.timedelta(days=40, hours=1), dt.timedelta(days=3)]
    values = [*(v for b in bounds for v in around(b)), None]
    feature = Continuous("f", kind="duration", missing=True)
    check_each_comparison(feature, bounds, values, pa.duration("us"))


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


def test_sqlite_reads_every_float64_as_it_is():
    rng = random.Random(0)
    numbers = [struct.unpack("d", rng.randbytes(8))[0] for _ in range(500)]
    numbers += [rng.random() * 10**k for k in range(-10, 10) for _ in range(5)]
    numbers += [round(rng.random() * 1000, k) for k in range(12) for _ in range(5)]
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


@pytest.fixture
def in_spark(spark):
    """Return a function that runs queries of the table cases, with columns of the given types."""

    def run(queries, table, types):
        quoted = [f"`{name.replace('`', '``')}` {types[name]}" for name in table]
        columns = [_as_spark(values, types[name]) for name, values in table.items()]
        rows = list(zip(*columns, range(len(columns[0])), strict=True))
        frame = spark.createDataFrame(rows, ", ".join([*quoted, "place int"]))
        frame.createOrReplaceTempView("cases")
        for sql in queries:
            made = spark.sql(sql).select("place", "prediction").collect()
            yield [row.prediction for row in sorted(made)]

    return run


def _as_spark(values, kind):
    """Return values as Spark requires them: no int for a double, no datetime without a zone."""
    if kind == "double":
        return [None if v is None else float(v) for v in values]
    if kind == "timestamp":  # without a time zone, Spark uses that of the machine
        return [None if v is None else v.replace(tzinfo=dt.UTC) for v in values]
    return _storable(values)


TYPES = {  # of columns, in Spark, PostgreSQL and MySQL
    "number": "double float8 DOUBLE", "bounded": "double float8 DOUBLE",
    "whole": "bigint bigint BIGINT", "day": "date date DATE",
    "moment": "timestamp timestamp DATETIME(6)", "clock": "- time TIME(6)",
    "text": "string text VARCHAR(40)", "flag": "boolean boolean BOOLEAN",
    "code": "double float8 DOUBLE", "exact": "bigint bigint BIGINT",
    "holiday": "date date DATE", "months": "int int INT",
}  # fmt: skip


def types_in(place):
    return {NAMES[key]: types.split()[place] for key, types in TYPES.items()}


@pytest.mark.filterwarnings("default")
def test_rows_in_spark(in_spark):
    rng = random.Random(3)
    table = {n: v for n, v in columns(300, rng).items() if n != NAMES["clock"]}
    rules = random_list(wide_space("spark"), 30, rng, conditions=(2, 4))
    expected = rules.predict(table).tolist()
    assert len({*expected}) == 5
    queries = [
        to_sql(rules, "cases", dialect="spark", form=form) for form in ("rules", "tree", "arrays")
    ]
    for got in in_spark(queries, table, types_in(0)):
        assert got == expected


@pytest.mark.filterwarnings("default")
def test_many_rules_are_compiled_by_spark(spark, in_spark):
    space = Space([Continuous("f", missing=True)])
    listed = [Rule({"f": (i, i + 1.5)}, then=i % 7).cast(space) for i in range(1500)]
    rules = RuleList(listed, space)
    table = {"f": [None, -1.0, *(i / 2 for i in range(0, 3020, 5))]}
    spark.conf.set("spark.sql.codegen.fallback", "false")  # raises what it would only print
    (got,) = in_spark([to_sql(rules, "cases", dialect="spark")], table, {"f": "double"})
    spark.conf.unset("spark.sql.codegen.fallback")
    assert got == rules.predict(table).tolist()


@pytest.mark.filterwarnings("default")
def test_durations_in_spark(in_spark):
    space = Space([Continuous("w", kind="duration", missing=True)])
    bounds = [dt.timedelta(days=-2, microseconds=1), dt.timedelta(days=40, hours=1)]
    table = {"w": [*(v for b in bounds for v in around(b)), None]}
    conditions = [{">": bounds[1]}, {">=": bounds[1]}, {"<": bounds[0]}, {"missing": True}]
    rules = RuleList(
        [Rule(Region(space, {"w": c}), then=n) for n, c in enumerate(conditions)], space, default=9
    )
    query = to_sql(rules, "cases", dialect="spark")
    (got,) = in_spark([query], table, {"w": "interval day to second"})
    assert got == rules.predict(table).tolist()


# --- PostgreSQL and MariaDB


def programs(engine, names, folders):
    path = os.pathsep.join([os.environ.get("PATH", ""), *map(str, folders)])
    found = [shutil.which(name, path=path) for name in names]
    if not all(found):
        pytest.skip(f"no {engine} server is installed: SQL not run in {engine}")
    return found


@contextmanager
def serving(command, socket, **options):
    """Run a server until the end of the block, which begins when its socket is there."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen(command, **quiet, **options)
    try:
        deadline = time.monotonic() + 60
        while not Path(socket).exists():
            assert server.poll() is None, f"{command[0]} did not start"
            assert time.monotonic() < deadline, f"{command[0]} took more than a minute"
            time.sleep(0.1)
        yield
    finally:
        server.terminate()
        server.wait(60)


def answer(client, sql, encoding="utf8"):
    made = subprocess.run(client, input=sql.encode(encoding), capture_output=True, check=False)
    assert made.returncode == 0, made.stderr.decode()
    return made.stdout.decode(encoding).splitlines()


@pytest.fixture
def folder():
    path = tempfile.mkdtemp(prefix="irenic")  # short, because socket paths are limited in length
    yield path
    shutil.rmtree(path)


def statements(table, types, dialect):
    """Return statements that make the table cases."""
    quoted = [exp.to_identifier(name, quoted=True).sql(dialect) for name in table]
    listed = ", ".join(f"{q} {types[name]}" for q, name in zip(quoted, table, strict=True))
    rows = enumerate(zip(*map(_storable, table.values()), strict=True))
    written = ((place, *(_literal(value, dialect) for value in row)) for place, row in rows)
    values = ",\n".join(f"({', '.join(map(str, row))})" for row in written)
    return f"CREATE TABLE cases (place INT, {listed});\nINSERT INTO cases VALUES {values};\n"


def asked(rules, dialects, forms):
    """Return a statement for each dialect and form, which selects predictions in order."""
    return "".join(
        f"SELECT prediction FROM ({to_sql(rules, 'cases', dialect=dialect, form=form)}) AS said"
        " ORDER BY place;\n"
        for dialect in dialects
        for form in forms
    )


def _literal(value, dialect):
    if value is None or (value != value and dialect == "mysql"):
        return "NULL"
    if isinstance(value, float) and dialect == "postgres":
        return f"'{value!r}'::float8"
    if isinstance(value, str):
        return exp.Literal.string(value).sql(dialect)
    if isinstance(value, dt.date | dt.time):
        return f"'{_in_sqlite(value)}'"
    return repr(value)


def wide_rules():
    rng = random.Random(4)
    table = columns(500, rng)
    rules = random_list(wide_space(), 80, rng, conditions=(3, 5))
    assert len({*rules.predict(table)}) == 5
    return rules, table, rules.predict(table).tolist()


def test_rows_in_postgres(folder):
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    install, server, client = programs("PostgreSQL", ["initdb", "postgres", "psql"], places)
    as_other = {}
    if os.geteuid() == 0:  # the server refuses to run as root
        as_other = {"user": "postgres"}
        shutil.chown(folder, "postgres")
    making = [install, "-D", f"{folder}/data", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
              "-U", "irenic", "--no-sync"]  # fmt: skip
    subprocess.run(making, check=True, capture_output=True, cwd=folder, **as_other)
    command = [server, "-D", f"{folder}/data", "-k", folder, "-c", "listen_addresses=",
               "-c", "fsync=off"]  # fmt: skip
    ask = [client, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", folder, "-U", "irenic",
           "-d", "postgres"]  # fmt: skip
    rules, table, expected = wide_rules()
    made = statements(table, types_in(1), "postgres")
    with serving(command, f"{folder}/.s.PGSQL.5432", cwd=folder, **as_other):
        forms = ("rules", "tree", "arrays")
        assert answer(ask, made + asked(rules, ["postgres"], forms)) == expected * 3


def test_rows_in_mariadb(folder):
    install, server, client = programs(
        "MariaDB", ["mariadb-install-db", "mariadbd", "mariadb"], ["/usr/sbin", "/usr/local/sbin"]
    )
    data, socket = f"--datadir={folder}/data", f"{folder}/socket"
    making = [install, "--no-defaults", data, f"--user={getpass.getuser()}", "--skip-test-db",
              "--auth-root-authentication-method=normal"]  # fmt: skip
    subprocess.run(making, check=True, capture_output=True)
    command = [server, "--no-defaults", data, f"--user={getpass.getuser()}", f"--socket={socket}",
               "--skip-networking", f"--pid-file={folder}/pid"]  # fmt: skip
    ask = [client, "--no-defaults", f"--socket={socket}", "--user=root", "--batch", "--raw",
           "--skip-column-names"]  # fmt: skip
    dialects = ("mariadb", "mysql")
    rules, table, expected = wide_rules()
    base = "CREATE OR REPLACE DATABASE t CHARACTER SET {}; USE t;\n"
    made = base.format("utf8mb4") + statements(table, types_in(2), "mysql")
    with serving(command, socket):
        utf8 = [*ask, "--default-character-set=utf8mb4"]
        assert answer(utf8, made + asked(rules, dialects, ("rules", "tree"))) == expected * 4
        # texts are compared exactly, whatever the character sets of table and client
        texts = ["é", "e", "É", "é ", "a", "A", "a ", "", " ", None]
        space = Space([Categorical("c", texts[:-1], missing=True)])
        listed = [Rule({"c": {t}}, then=n) for n, t in enumerate(texts[:-1])]
        rules = RuleSet(listed, space, default=-1)
        for charset in ("utf8mb4", "latin1"):
            made = base.format(charset)
            made += statements({"c": texts}, {"c": "VARCHAR(9)"}, "mysql")
            for name, encoding in (("utf8mb4", "utf8"), ("latin1", "latin1")):
                client = [*ask, f"--default-character-set={name}"]
                got = answer(client, made + asked(rules, dialects, ("rules",)), encoding)
                assert got == [*map(str, range(9)), "-1"] * 2, (charset, encoding)


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


LAYOUT = (
    "/* The first rule that holds decides: the order matters. */ SELECT *, CASE"
    " WHEN ([age] < {tenth} OR [age] IS NULL{or_nan}) AND [member] = {true} THEN 'a'"
    " WHEN [age] >= 18{not_nan} AND {job} IN ('nurse', {listed}) THEN 'b'"
    " WHEN {job} <> 'cook' OR [job] IS NULL THEN 'c'"
    " WHEN [since] < {day} THEN {then}"
    " ELSE NULL END AS [prediction] FROM [cases]"
)
WRITTEN = {"tenth": "0.1e0", "nan": "", "true": "TRUE", "job": "[job]", "listed": "'é'",
           "then": "'é'", "day": "CAST('2020-01-01' AS DATE)", "quotes": '""'}  # fmt: skip
_UTF8 = "CAST([job] AS CHAR CHARACTER SET utf8mb4)"
SNAPSHOTS = {  # how dialects write what differs
    "duckdb": {"nan": "ISNAN([age])"},
    "postgres": {
        "tenth": "CAST('0.1' AS DOUBLE PRECISION)",
        "nan": "CAST([age] AS DOUBLE PRECISION) = CAST('NaN' AS DOUBLE PRECISION)",
    },
    "spark": {"nan": "ISNAN([age])", "quotes": "``"},
    "bigquery": {"nan": "IS_NAN([age])", "not_nan": "", "quotes": "``"},
    "snowflake": {
        "tenth": "CAST('0.1' AS DOUBLE)",
        "nan": "CAST([age] AS DOUBLE) = CAST('NaN' AS DOUBLE)",
    },
    "mariadb": {"job": f"{_UTF8} COLLATE utf8mb4_nopad_bin", "quotes": "``"},
    "mysql": {
        "job": f"CAST({_UTF8} AS BINARY)",
        "listed": "CAST('é' AS CHAR CHARACTER SET utf8mb4)",
        "quotes": "``",
    },
    "sqlite": {"tenth": "0.1", "day": "'2020-01-01'"},
    "tsql": {"true": "1", "job": "[job] COLLATE Latin1_General_100_BIN2", "listed": "N'é'",
             "then": "N'é'", "quotes": "[]"},
}  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
def test_layout_in_each_dialect(dialect):
    parts = WRITTEN | SNAPSHOTS[dialect]
    nan = parts["nan"]
    parts = {"or_nan": nan and f" OR {nan}", "not_nan": nan and f" AND NOT {nan}"} | parts
    table = '"cases".' if dialect == "sqlite" else ""  # where "x" can be a text
    begin, end = parts["quotes"]
    expected = re.sub(r"\[(age|member|job|since)\]", rf"{table}[\1]", LAYOUT.format(**parts))
    expected = re.sub(r"\[(\w+)\]", rf"{begin}\1{end}", expected)
    lines = " ".join(to_sql(small(), "cases", dialect=dialect).split())
    assert lines.replace("( ", "(").replace(" )", ")") == expected


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_parses_back(dialect):
    space = wide_space(dialect)
    rules = random_list(space, 60, random.Random(5), conditions=(1, 1))
    first = Rule(Region(space), then="first\\'\n%")
    table = ("my schema", "o'table\"`]")
    sql = to_sql(RuleList([first, *rules], space), table, dialect=dialect, form="rules")
    tree = sqlglot.parse_one(sql, dialect=DIALECTS[dialect].syntax)
    (case,) = tree.find_all(exp.Case)
    assert len(case.args["ifs"]) == 61
    assert {c.name for c in tree.find_all(exp.Column)} <= set(space.names)
    assert (tree.find(exp.Table).name, tree.find(exp.Table).db) == table[::-1]
    assert case.args["ifs"][0].args["true"].this == "first\\'\n%"
    for rule, branch in zip(rules, case.args["ifs"][1:], strict=True):
        asked = rule.region.conditions().get(NAMES["text"], {})
        for inside in branch.this.find_all(exp.In) if asked else []:
            listed = [_without_cast(value).this for value in inside.expressions]
            assert listed == asked.get("in", asked.get("not in"))
    again = tree.sql(dialect=DIALECTS[dialect].syntax, pretty=True)
    assert "".join(again.split()) == "".join(sql.split())


def _without_cast(value):
    return _without_cast(value.this) if isinstance(value, exp.Cast) else value


@pytest.mark.parametrize("form", ["rules", "tree"])
@pytest.mark.parametrize("dialect", ["bigquery", "snowflake", "tsql"])
def test_dialects_without_an_engine_run_translated_to_duckdb(dialect, form):
    """Each text is parsed strictly as its dialect, and translated by sqlglot."""
    rng = random.Random(0)
    table = columns(400, rng)
    if dialect == "tsql":  # which has no NaN
        table = {n: [None if v != v else v for v in values] for n, values in table.items()}
    rules = random_list(wide_space(dialect), 40, rng, conditions=(1, 2))
    sql = to_sql(rules, "cases", dialect=dialect, form=form)
    strict = sqlglot.ErrorLevel.RAISE
    (text,) = sqlglot.transpile(
        sql, read=dialect, write="duckdb", error_level=strict, unsupported_level=strict
    )
    text = text.replace(" COLLATE Latin1_General_100_BIN2", "")  # which DuckDB does not need
    assert in_duckdb(text, table) == rules.predict(table).tolist()


OTHERS = [pytest.param(dialect, marks=pytest.mark.slow) for dialect in ("sqlite", "tsql")]


@pytest.mark.parametrize("dialect", ["duckdb", *OTHERS])
def test_many_rules_and_many_conditions(dialect):
    space = Space([Continuous(f"f{i}", missing=True) for i in range(600)])
    wide = Rule(Region(space, {f"f{i}": {"<": 0.5, "missing": True} for i in range(600)}), then=0)
    rules = [Rule(Region(space, {"f0": {">=": i, "<": i + 1}}), then=i) for i in range(1_500)]
    sql = to_sql(RuleList([wide, *rules], space), "cases", dialect=dialect, form="rules")
    assert sql.count("WHEN ") == 1_501
    case = sqlglot.parse_one(sql, dialect=DIALECTS[dialect].syntax).find(exp.Case)
    assert len(case.args["ifs"]) == 1_501


# --- what is selected


def ages(**options):
    rules = [Rule({"age": {"<": 18}}, then="minor"), Rule({"age": {">=": 18}}, then="adult")]
    return RuleSet(rules, **options)


def test_what_is_selected():
    note = "/* The rules do not contradict each other: their order does not matter. */\nSELECT"
    assert to_sql(ages(), "people").startswith(note)
    sql = to_sql(ages(), ("shop", "people"), column='it"s', keep=["name", "age"])
    tree = sqlglot.parse_one(sql, dialect="duckdb")
    assert tree.named_selects == ["name", "age", 'it"s']
    assert sql.endswith('AS "it""s"\nFROM "shop"."people"')
    assert sqlglot.parse_one(to_sql(ages(), "p", keep=[])).named_selects == ["prediction"]
    text = dumps(ages())  # a file contains one statement
    assert text.endswith('FROM "cases";\n')
    assert len([s for s in sqlglot.parse(text, dialect="duckdb") if s]) == 1
    alone = f"SELECT place, {to_sql(ages(default='?'))} AS prediction FROM cases"
    assert in_duckdb(alone, {"age": [5, 50, None]}) == ["minor", "adult", "?"]
    empty = RuleSet(space=Space([Continuous("age")]))
    assert in_duckdb(to_sql(empty, "cases"), {"age": [1]}) == [None]
    assert in_duckdb(to_sql(empty, "cases", default=5), {"age": [1]}) == [5]


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
    assert rules.predict(table).tolist() == ["low", None, None]
    check(rules, table, "duckdb", "rules")


def test_literals_of_some_dialects():
    flags = RuleSet([Rule({"f": {"<": 0}}, then=True)], default=False)
    sql = to_sql(flags, "cases", dialect="tsql")
    assert "THEN CAST(1 AS BIT)" in sql
    assert "ELSE CAST(0 AS BIT)" in sql
    space = Space([Continuous("t", kind="time"), Continuous("s", kind="datetime", unit="UTC")])
    stamp = dt.datetime(2020, 1, 1, 0, 0, 0, 5)
    rules = RuleSet([Rule({"t": {"<": dt.time(1, 0, 0, 5)}, "s": {"<": stamp}}, then="x")], space)
    sql = to_sql(rules, "cases", dialect="mysql")  # keeps fractions of seconds
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


LETTERS = Space([Categorical("c", ["a", "a "])])
OVERLAPPING = RuleSet([Rule({"a": (0, 2)}, then="x"), Rule({"a": (1, 3)}, then="y")])
TWINS = RuleSet([Rule({"age": (0, 2), "Age": (0, 2)}, then="x")])
TABLE_NAME = r"(a table|^table) must "
COLUMN_NAME = "the name of a column must be a nonempty str, got "


def of(*thens):
    return RuleSet([Rule({"f": (i, i + 1)}, then=then) for i, then in enumerate(thens)])


def listing(*values):
    space = Space([Categorical("c", values, other=True)])
    return RuleSet([Rule(Region(space, {"c": {"in": values[:1]}}), then="x")], space)


@pytest.mark.parametrize(
    ("rules", "options", "message"),
    [
        # options
        (ages(), {"dialect": "postgresql"}, "unknown dialect 'postgresql'; did you mean 'postgr"),
        (ages(), {"dialect": None}, r"unknown dialect None \(known: 'duckdb', 'postgres', "),
        *((ages(), {"table": name}, TABLE_NAME)
          for name in ("", 5, [], ["a", "b", "c", "d"], ["a", ""], "a\0", b"t")),
        (ages(), {"column": "AGE"}, "the table already has a column 'AGE'; choose another"),
        (ages(), {"column": 5}, f"{COLUMN_NAME}5"),
        (ages(), {"keep": "age"}, "keep must be a list of columns or None, got 'age'"),
        (ages(), {"keep": [None]}, f"{COLUMN_NAME}None"),
        (OVERLAPPING, {"resolve": "vote"},
         "branches cannot represent resolve='vote', because only one of them decides"),
        # features that map to one column, and values that cannot form one
        (TWINS, {}, "'age' and 'Age' are the same column in duckdb, where names are"),
        (listing("a", 5), {},
         "feature 'c' must have values of one type to be a column, got 'a' and 5"),
        (listing(True, 5), {},
         "feature 'c' must have values of one type to be a column, got True and 5"),
        (listing(("a", 1)), {},
         r"feature 'c': the value \('a', 1\) of type tuple cannot be written as SQL"),
        (listing(2**60, 0.5), {}, rf"feature 'c': {2**60} is beyond 2\*\*53 and would be rounded"),
        (listing("a\0"), {}, r"rule 1: the text must not contain a null character, got 'a\\x00'"),
        (RuleSet([Rule(Region(LETTERS, {"c": "a"}), then="x")], LETTERS), {"dialect": "tsql"},
         "'a' and 'a ' are equal in tsql, which ignores trailing spaces"),
        # consequents without an SQL form
        (of("5", 5), {}, "the consequents '5' and 5 have the same text in SQL, '5'"),
        (of("x", Expression("a * 2")), {}, "has no text form; use text, numbers"),
        (of("x", "a\0b"), {}, r"^rule 2: the text must not contain a null"),
        (of(math.inf, 0.5), {"dialect": "mysql"}, r"^rule 1: mysql has no infinity; use a finite"),
        # types that dialects lack
        *((RuleSet([Rule({"w": {"<": dt.timedelta(1)}}, then="x")]), {"dialect": dialect},
           f"rule 1: feature 'w' is a duration, for which {dialect} has no type; use a number")
          for dialect in DIALECTS if not DIALECTS[dialect].durations),
        (RuleSet([Rule({"t": {"<": dt.time(1)}}, then="x")]), {"dialect": "spark"},
         "'t' is a time of day, for which spark has no type; use"),
    ],
    ids=str,
)  # fmt: skip
def test_what_sql_cannot_represent_is_an_error(rules, options, message):
    with pytest.raises((ConditionError, FormatError), match=message):
        to_sql(rules, **{"table": "cases", **options})


def test_names_of_postgres_have_cases():
    to_sql(ages(), "people", column="AGE", dialect="postgres")
    sql = " ".join(to_sql(TWINS, "cases", dialect="postgres").split())
    assert '"age" >= 0 AND "age" < 2 AND "Age" >= 0' in sql


def test_sql_needs_sqlglot(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(FormatError, match=r"SQL needs sqlglot: pip install 'irenic\[sql\]'"):
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
    for connect, options, names in (
        (lambda: sqlite3.connect(":memory:"), {"dialect": "sqlite"}, ["age", "rate", "note"]),
        (duckdb.connect, {"keep": ["age"], "column": ["a", "b"]}, ["age", "a", "b"]),
    ):
        with connect() as con:
            con.execute("CREATE TABLE cases (age INTEGER)")
            con.executemany("INSERT INTO cases VALUES (?)", [(age,) for age in ages])
            found = con.execute(to_sql(table, "cases", **options))
            assert [column[0] for column in found.description] == names
            assert [row[1:] for row in found.fetchall()] == expected
            # without a table, the columns are part of a query of your own
            parts = to_sql(table, dialect=options.get("dialect", "duckdb"))
            assert con.execute(f"SELECT {parts} FROM cases").fetchall() == expected


def test_names_of_several_outcomes_are_distinct():
    table = two_outputs(outputs=("age", "age"))
    sql = to_sql(table, "cases")
    assert 'AS "age (outcome)"' in sql
    assert 'AS "age (outcome) (outcome)"' in sql
    with pytest.raises(ConditionError, match=r"column must be 2 names, one per output, got 'x'"):
        to_sql(table, "cases", column="x")
    with pytest.raises(ConditionError, match="the table already has a column 'x'; choose another"):
        to_sql(table, "cases", column=["x", "x"])
    rules = RuleSet([Rule({"a": (0, 1)}, then=(1, 1)), Rule({"a": (1, 2)}, then=(1, "x"))])
    table = DecisionTable(rules, (0, 1), 2, outputs=("p", "q"))
    assert "/* q: The column contains predictions as text" in to_sql(table, "cases")
    assert "/* p:" not in to_sql(table, "cases")


def test_an_empty_outcome_is_null():
    rules = RuleSet([Rule({"a": (0, 1)}, then=Expression("null")), Rule({"a": (1, 2)}, then=5)])
    table = DecisionTable.from_rules(rules)
    assert in_sqlite(to_sql(table, "cases", dialect="sqlite"), {"a": [0.5, 1.5]}) == [None, 5]
    assert "        return None\n" in to_python(table)
