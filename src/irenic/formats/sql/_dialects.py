"""Literals, and tests for missing values, in nine dialects of SQL.

sqlglot knows the syntax of dialects. This module knows what they mean: the type of a number with a
decimal point, how NaN compares with numbers, whether 'a' equals 'A'.
"""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal

from irenic.errors import ConditionError, FormatError, did_you_mean
from irenic.model.features import EXACT

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True)
class Dialect:
    """The properties in which dialects differ."""

    name: str
    double: Literal["exponent", "cast", "binary"] = "exponent"
    """How a float64 is written: 0.1e0, CAST('0.1' AS DOUBLE), or a product that is exact."""
    nan: Literal["", "isnan", "is_nan", "equals"] = ""
    """How NaN is tested; "" if columns cannot contain it."""
    nan_is_greatest: bool = False
    infinity: bool = True
    one_case: bool = True
    """Whether the columns "Age" and "age" are the same, even in quotes."""
    collation: str = ""
    """The collation that compares text by characters; "" if that is the default."""
    utf8: Literal["", "bytes", "collated"] = ""
    """Whether text is converted to UTF-8, and then compared as bytes or with the collation."""
    times: bool = True
    durations: bool = False
    nesting: int = 64
    """The most CASE expressions inside each other."""

    @property
    def syntax(self) -> str:
        """The name of the dialect in sqlglot."""
        return "mysql" if self.name == "mariadb" else self.name


DIALECTS: Final = {
    dialect.name: dialect
    for dialect in (
        Dialect("duckdb", nan="isnan", nan_is_greatest=True, durations=True),
        Dialect(
            "postgres",
            double="cast",  # 0.1e0 is a decimal
            nan="equals",
            nan_is_greatest=True,
            one_case=False,
            durations=True,
        ),
        Dialect("spark", nan="isnan", nan_is_greatest=True, times=False, durations=True),
        Dialect("bigquery", nan="is_nan"),
        Dialect("snowflake", double="cast", nan="equals", nan_is_greatest=True, one_case=False),
        Dialect("mysql", infinity=False, utf8="bytes"),  # its exact collation needs 8.0.17
        Dialect("mariadb", infinity=False, utf8="collated", collation="utf8mb4_nopad_bin"),
        Dialect("sqlite", double="binary", infinity=False),
        Dialect("tsql", infinity=False, collation="Latin1_General_100_BIN2", nesting=8),
    )
}
# Integers up to this are exact even if the comparison is in float32.
_EXACT_SINGLE: Final = 2**24


def dialect_of(name: object) -> Dialect:
    """Return the properties of a dialect."""
    if not isinstance(name, str) or name not in DIALECTS:
        raise ConditionError(f"unknown dialect {name!r}{did_you_mean(name, DIALECTS)}")
    return DIALECTS[name]


def check_text(text: str, what: str) -> None:
    """Raise if a text cannot be part of a SQL statement."""
    if "\0" in text:
        raise FormatError(f"{what} must not contain a null character, got {text!r}")


# --- literals


def _cast(value: exp.Expr, kind: str) -> exp.Expr:
    from sqlglot import exp

    return exp.Cast(this=value, to=_type(kind).copy())


@cache
def _type(kind: str) -> exp.DataType:
    from sqlglot import exp

    return exp.DataType.build(kind)  # slow, because it parses


def whole(value: int) -> exp.Expr:
    """Return an integer."""
    from sqlglot import exp

    number = exp.Literal.number(str(abs(value)))
    return exp.Neg(this=number) if value < 0 else number


def number(dialect: Dialect, value: float, *, of_integers: bool = False) -> exp.Expr:
    """Return a number to compare with a column, as an integer if that is exact."""
    limit = EXACT if of_integers else _EXACT_SINGLE
    if float(value).is_integer() and abs(value) <= limit:
        return whole(int(value))
    return double(dialect, float(value))


def double(dialect: Dialect, value: float) -> exp.Expr:
    """Return a number that the database reads as exactly this float64."""
    from sqlglot import exp

    if math.isinf(value):
        if not dialect.infinity:
            raise FormatError(f"{dialect.name} has no infinity; use a finite number")
        text = "Infinity" if value > 0 else "-Infinity"
        return _cast(exp.Literal.string(text), "double")
    if dialect.double == "cast":
        return _cast(exp.Literal.string(repr(value)), "double")
    if value < 0:
        positive = double(dialect, -value)
        product = isinstance(positive, exp.Binary)
        return exp.Neg(this=exp.paren(positive, copy=False) if product else positive)
    written = repr(value)
    if dialect.double == "exponent":
        return exp.Literal.number(written if "e" in written else written + "e0")
    return exp.Literal.number(written) if _is_read_exactly(value) else _binary(value)


def _is_read_exactly(value: float) -> bool:
    """Return whether every SQLite reads the shortest decimal of ``value`` as ``value``.

    SQLite divides the digits by a power of ten, in a precision that depends on version and
    machine. That is exact if both are exact numbers and the decimal is not close to the midpoint
    of two float64, where rounding twice could go wrong.
    """
    parts = Decimal(repr(value)).normalize().as_tuple()
    exponent = int(parts.exponent)
    digits = int("".join(map(str, parts.digits)))
    if exponent > 0:
        digits, exponent = digits * 10 ** min(exponent, 30), 0
    if digits > EXACT or exponent < -22:
        return False
    decimal = Fraction(repr(value))
    around = (math.nextafter(value, math.inf), math.nextafter(value, -math.inf))
    middles = [(Fraction(value) + Fraction(n)) / 2 for n in around]
    return all(abs(decimal - middle) * 2**60 > decimal for middle in middles)


def _binary(value: float) -> exp.Expr:
    """Return a float64 as an integer times or divided by powers of two, which never rounds."""
    from sqlglot import exp

    fraction, exponent = math.frexp(value)
    digits, exponent = int(math.ldexp(fraction, 53)), exponent - 53
    # the product with 1.0 is an exact float64
    expression: exp.Expr = exp.Mul(this=exp.Literal.number("1.0"), expression=whole(digits))
    while exponent:
        step = min(abs(exponent), 62)
        power = exp.Literal.number(str(2**step))
        if exponent > 0:
            expression = exp.Mul(this=expression, expression=power)
        else:
            expression = exp.Div(this=expression, expression=power, typed=True, safe=True)
        exponent -= int(math.copysign(step, exponent))
    return expression


def text(dialect: Dialect, value: str) -> exp.Expr:
    """Return a text literal."""
    from sqlglot import exp

    check_text(value, "the text")
    if dialect.name == "tsql" and not value.isascii():
        return exp.National(this=value)
    return exp.Literal.string(value)


def text_column(dialect: Dialect, column: exp.Expr) -> exp.Expr:
    """Return a column of text that is compared character by character."""
    from sqlglot import exp

    if dialect.utf8:
        column = _as_utf8(column)
    if dialect.utf8 == "bytes":
        return _cast(column, "binary")
    if dialect.collation:
        return exp.Collate(this=column, expression=exp.var(dialect.collation))
    return column


def compared_text(dialect: Dialect, value: str) -> exp.Expr:
    """Return a text to compare with a :func:`text_column`."""
    literal = text(dialect, value)
    # ASCII has the same bytes in UTF-8 and in the encoding of the connection
    return _as_utf8(literal) if dialect.utf8 == "bytes" and not value.isascii() else literal


def _as_utf8(value: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    utf8 = exp.DataType(this=exp.DataType.Type.CHARACTER_SET, kind=exp.var("utf8mb4"))
    return exp.Cast(this=value, to=utf8)


def boolean(dialect: Dialect, value: bool) -> exp.Expr:
    """Return a boolean as a value of a column."""
    from sqlglot import exp

    if dialect.name == "tsql":  # it has no boolean values
        return _cast(whole(int(value)), "bit")
    return exp.Boolean(this=value)


def temporal(dialect: Dialect, value: Any, what: str, *, utc: bool = False) -> exp.Expr:
    """Return a date, a date and time, a time of day, or a duration; ``what`` is for errors."""
    from sqlglot import exp

    if isinstance(value, dt.timedelta):
        return _duration(dialect, value, what)
    if getattr(value, "tzinfo", None) is not None:
        raise FormatError(f"{what}: {value!r} has a time zone; drop it")
    if isinstance(value, dt.time) and not dialect.times:
        raise FormatError(
            f"{what} is a time of day, for which {dialect.name} has no type;"
            " use a number of seconds instead"
        )
    written = value.isoformat(" ") if isinstance(value, dt.datetime) else value.isoformat()
    if dialect.name == "sqlite":
        return exp.Literal.string(written)
    kind = _TYPES[type(value)]
    if isinstance(value, dt.datetime) and utc and dialect.syntax != "mysql":
        return _cast(exp.Literal.string(written + "+00:00"), "timestamptz")
    if dialect.syntax == "mysql" and kind != "date":
        kind = "datetime(6)" if kind == "timestampntz" else "time(6)"  # else it would round
    if dialect.name == "spark" and kind == "timestampntz":
        kind = "timestamp"
    return _cast(exp.Literal.string(written), kind)


_TYPES: Final = {dt.date: "date", dt.datetime: "timestampntz", dt.time: "time"}


def _duration(dialect: Dialect, value: dt.timedelta, what: str) -> exp.Expr:
    from sqlglot import exp

    if not dialect.durations:
        raise FormatError(
            f"{what} is a duration, for which {dialect.name} has no type;"
            " use a number of seconds instead"
        )
    micros = value.seconds * 1_000_000 + value.microseconds
    # two parts, because databases limit the size of a number of microseconds
    parts = [(value.days, "DAY"), (micros, "MICROSECOND")]
    intervals = [
        exp.Interval(this=exp.Literal.string(str(amount)), unit=exp.var(unit))
        for amount, unit in parts
        if amount or (unit == "DAY" and not micros)
    ]
    return (
        intervals[0] if len(intervals) == 1 else exp.Add(this=intervals[0], expression=intervals[1])
    )


# --- tests of a column


def is_nan(dialect: Dialect, column: exp.Expr) -> exp.Expr:
    """Return a test of a column of numbers for NaN, in a dialect that has NaN."""
    from sqlglot import exp

    if dialect.nan == "equals":
        nan = _cast(exp.Literal.string("NaN"), "double")
        return exp.EQ(this=_cast(column, "double"), expression=nan)
    return exp.Anonymous(this=dialect.nan.upper(), expressions=[column])
