"""Values of FEEL expressions: their kinds, equality, order and arithmetic.

Numbers are decimals of 34 digits, lists are lists, contexts are dicts. Whatever is undefined, such
as ``"a" + 1`` or an order of values of different kinds, is None: FEEL's null.
"""

from __future__ import annotations

import datetime as dt
import decimal
import operator
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, Final, NamedTuple

from irenic.model.literals import Months

DECIMALS: Final = decimal.Context(prec=34, rounding=decimal.ROUND_HALF_EVEN)
_DAY: Final = dt.timedelta(days=1)


class Range(NamedTuple):
    """A range of values; None as a bound is unlimited."""

    low: Any
    high: Any
    low_in: bool = True
    high_in: bool = True

    def holds(self, value: Any) -> bool | None:
        """Return whether a value is in the range, None if it cannot be compared."""
        above = True
        if self.low is not None:
            above = compare(">=" if self.low_in else ">", value, self.low)  # type: ignore[assignment]
        below = True
        if self.high is not None:
            below = compare("<=" if self.high_in else "<", value, self.high)  # type: ignore[assignment]
        if above is None or below is None:
            return None
        return above and below


def to_feel(value: Any) -> Any:
    """Return a Python value as a value of FEEL."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, float):
        return Decimal(repr(value)) if value - value == 0 else None
    if isinstance(value, dict):
        return {name: to_feel(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [to_feel(part) for part in value]
    return value


def from_feel(value: Any) -> Any:
    """Return a value of FEEL as a Python value: numbers become int or float."""
    if isinstance(value, Decimal):
        whole = value.adjusted() <= 308 and value == value.to_integral_value()
        return int(value) if whole else float(value)
    if isinstance(value, list):
        return [from_feel(part) for part in value]
    if isinstance(value, dict):
        return {name: from_feel(part) for name, part in value.items()}
    return value


_KINDS: Final[list[tuple[Any, str]]] = [  # the first match counts: a bool is an int, too
    (bool, "boolean"),
    (Decimal, "number"),
    (str, "string"),
    (dt.datetime, "date and time"),
    (dt.date, "date"),
    (dt.time, "time"),
    (dt.timedelta, "days and time duration"),
    (Months, "years and months duration"),
    (list, "list"),
    (dict, "context"),
    (Range, "range"),
]
_ORDERED: Final = frozenset(kind for _, kind in _KINDS[1:8])


def kind_of(value: Any) -> str:
    """Return the name of the type of a value in FEEL."""
    if value is None:
        return "null"
    return next((name for kind, name in _KINDS if isinstance(value, kind)), "function")


def equal(a: Any, b: Any) -> bool | None:
    """Return whether two values are equal, None if their kinds differ."""
    if a is None or b is None:
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(equal(x, y) is True for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(equal(a[name], b[name]) is True for name in a)
    if kind_of(a) != kind_of(b):
        return None
    return bool(a == b)


_ORDERS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def compare(order: str, a: Any, b: Any) -> bool | None:
    """Return the comparison of two values, None if they cannot be compared."""
    if order in ("=", "!="):
        same = equal(a, b)
        return same if same is None or order == "=" else not same
    a, b = _single(a), _single(b)
    if kind_of(a) != kind_of(b) or kind_of(a) not in _ORDERED:
        return None
    try:
        return bool(_ORDERS[order](a, b))
    except TypeError:  # one of them has a time zone
        return None


def decided(values: Iterable[Any], some: bool) -> bool | None:
    """Return whether one value is true (``some``), or all are; None if that is not known."""
    unknown = False
    for value in values:
        if value is some:
            return bool(some)
        unknown |= not isinstance(value, bool)
    return None if unknown else not some


def _single(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def calculate(sign: str, a: Any, b: Any) -> Any:
    """Return the result of arithmetic, None if it is undefined."""
    a, b = _single(a), _single(b)
    rule = _ARITHMETIC.get((sign, kind_of(a), kind_of(b)))
    if rule is None:
        return None
    try:
        return rule(a, b)
    except (ArithmeticError, ValueError, TypeError):
        return None


def _checked(method: Callable[[Decimal, Decimal], Decimal]) -> Callable[[Any, Any], Any]:
    def run(a: Decimal, b: Decimal) -> Decimal | None:
        result = method(a, b)
        return result if result.is_finite() else None

    return run


def add_months(day: Any, months: Months) -> Any:
    """Return a date some months later, at most the last day of that month."""
    count = day.year * 12 + day.month - 1 + months.count
    year, month = divmod(count, 12)
    following = dt.date(year + (month == 11), (month + 1) % 12 + 1, 1)
    return day.replace(year=year, month=month + 1, day=min(day.day, (following - _DAY).day))


def _later(day: Any, duration: dt.timedelta) -> Any:
    if isinstance(day, dt.datetime):
        return day + duration
    if isinstance(day, dt.time):
        moment = dt.datetime.combine(dt.date(2000, 1, 2), day) + dt.timedelta(
            seconds=duration.total_seconds() % 86400
        )
        return moment.timetz()
    moment = dt.datetime.combine(day, dt.time()) + duration
    return moment.date()


def _between(a: Any, b: Any) -> dt.timedelta:
    if isinstance(a, dt.time):
        a, b = (dt.datetime.combine(dt.date(2000, 1, 1), value) for value in (a, b))
    elif isinstance(a, dt.datetime) != isinstance(b, dt.datetime):
        a, b = (
            v if isinstance(v, dt.datetime) else dt.datetime.combine(v, dt.time()) for v in (a, b)
        )
    duration: dt.timedelta = a - b
    return duration


def seconds(duration: dt.timedelta) -> Decimal:
    """Return the length of a duration in seconds, exactly."""
    return Decimal(duration // dt.timedelta(microseconds=1)) / 1_000_000


def _scaled(duration: dt.timedelta, factor: Decimal) -> dt.timedelta:
    micros = DECIMALS.multiply(seconds(duration) * 1_000_000, factor)
    return dt.timedelta(microseconds=int(micros.to_integral_value()))


def _months(count: Decimal) -> Months:
    return Months(int(count))


_D, _M, _N = "days and time duration", "years and months duration", "number"
_ARITHMETIC: Final[dict[tuple[str, str, str], Callable[[Any, Any], Any]]] = {
    ("+", _N, _N): _checked(DECIMALS.add),
    ("-", _N, _N): _checked(DECIMALS.subtract),
    ("*", _N, _N): _checked(DECIMALS.multiply),
    ("/", _N, _N): _checked(DECIMALS.divide),
    ("**", _N, _N): _checked(DECIMALS.power),
    ("+", "string", "string"): operator.add,
    ("+", _D, _D): operator.add,
    ("-", _D, _D): operator.sub,
    ("+", _M, _M): lambda a, b: Months(a.count + b.count),
    ("-", _M, _M): lambda a, b: Months(a.count - b.count),
    ("*", _D, _N): _scaled,
    ("*", _N, _D): lambda a, b: _scaled(b, a),
    ("/", _D, _N): lambda a, b: _scaled(a, DECIMALS.divide(Decimal(1), b)),
    ("/", _D, _D): lambda a, b: DECIMALS.divide(seconds(a), seconds(b)),
    ("*", _M, _N): lambda a, b: _months(a.count * b),
    ("*", _N, _M): lambda a, b: _months(a * b.count),
    ("/", _M, _N): lambda a, b: _months(a.count / b),
    ("/", _M, _M): lambda a, b: DECIMALS.divide(Decimal(a.count), Decimal(b.count)),
    **{("+", kind, _D): _later for kind in ("date", "time", "date and time")},
    **{("+", _D, kind): lambda a, b: _later(b, a) for kind in ("date", "time", "date and time")},
    **{("-", kind, _D): lambda a, b: _later(a, -b) for kind in ("date", "time", "date and time")},
    **{("+", kind, _M): add_months for kind in ("date", "date and time")},
    **{("+", _M, kind): lambda a, b: add_months(b, a) for kind in ("date", "date and time")},
    **{
        ("-", kind, _M): lambda a, b: add_months(a, Months(-b.count))
        for kind in ("date", "date and time")
    },
    ("-", "time", "time"): _between,
    **{("-", a, b): _between for a in ("date", "date and time") for b in ("date", "date and time")},
}
_PROPERTIES: Final[dict[str, Callable[[Any], Any]]] = {
    "weekday": lambda v: Decimal(v.isoweekday()),
    **{
        name: (lambda v, name=name: Decimal(getattr(v, name)))  # type: ignore[misc]
        for name in ("year", "month", "day", "hour", "minute", "second")
    },
    "time offset": lambda v: v.utcoffset(),
    "years": lambda v: Decimal(int(v.count / 12)),
    "months": lambda v: Decimal(v.count - 12 * int(v.count / 12)),
    "days": lambda v: Decimal(int(seconds(v) / 86400)),
    "hours": lambda v: Decimal(int(seconds(v) / 3600) - 24 * int(seconds(v) / 86400)),
    "minutes": lambda v: Decimal(int(seconds(v) / 60) - 60 * int(seconds(v) / 3600)),
    "seconds": lambda v: seconds(v) - 60 * int(seconds(v) / 60),
    "start": lambda v: v.low,
    "end": lambda v: v.high,
    "start included": lambda v: v.low_in,
    "end included": lambda v: v.high_in,
}


def property_of(name: str, value: Any) -> Any:
    """Return a property: of each item of a list, an entry of a context, a part of a date."""
    if isinstance(value, Mapping):
        return value.get(name)
    if isinstance(value, list):
        return [property_of(name, part) for part in value]
    try:
        return None if value is None else _PROPERTIES[name](value)
    except (KeyError, AttributeError, TypeError):
        return None
