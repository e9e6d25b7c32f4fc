"""The built-in functions of FEEL, by name; invalid arguments give None, FEEL's null."""

from __future__ import annotations

import datetime as dt
import decimal
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cmp_to_key, reduce
from typing import Any, Final

from irenic.errors import FormatError
from irenic.formats.feel._literals import construct, read_duration
from irenic.formats.feel.interpreter._values import (
    DECIMALS,
    Range,
    add_months,
    compare,
    decided,
    equal,
    from_feel,
    kind_of,
)
from irenic.model.literals import Months, format_duration
from irenic.model.notation import Token

_NOWHERE: Final = Token("", "", 1)


def call(function: Callable[..., Any], arguments: Sequence[Any], named: dict[str, Any]) -> Any:
    """Return the result of a built-in function, None if the arguments do not fit it."""
    try:
        return function(*arguments, **{name.replace(" ", "_"): v for name, v in named.items()})
    except (ArithmeticError, AttributeError, FormatError, IndexError, LookupError):
        return None
    except (TypeError, ValueError, re.error):
        return None


# --- text and conversions


def text_of(value: Any) -> str | None:
    """Return a value as text."""
    if value is None or isinstance(value, str):
        return value
    return _written(value)


def _written(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, Decimal):
        text = format(value, "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    if isinstance(value, dt.date | dt.time):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, dt.timedelta | Months):
        return format_duration(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {_written(v)}" for name, v in value.items()) + "}"
    if isinstance(value, Range):
        opening, closing = "[" if value.low_in else "(", "]" if value.high_in else ")"
        return f"{opening}{_written(value.low)}..{_written(value.high)}{closing}"
    raise TypeError


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: Any) -> Decimal:
    if not isinstance(value, Decimal):
        raise TypeError
    return value


def _whole(value: Any) -> int:
    if _number(value) != value.to_integral_value():
        raise ValueError
    return int(value)


def _finite(value: Decimal) -> Decimal | None:
    return value if value.is_finite() else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _context(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError
    return value


def number(from_: Any, grouping_separator: Any = None, decimal_separator: Any = None) -> Any:
    """Return the number that a text contains."""
    text = _text(from_)
    if grouping_separator not in (None, " ", ",", ".") or decimal_separator not in (None, ",", "."):
        return None
    if grouping_separator is not None and grouping_separator == decimal_separator:
        return None
    if grouping_separator is not None:
        text = text.replace(grouping_separator, "")
    if decimal_separator is not None:
        text = text.replace(decimal_separator, ".")
    if re.fullmatch(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", text) is None:
        return None
    return _finite(DECIMALS.create_decimal(text))


def substring(string: Any, start_position: Any, length: Any = None) -> Any:
    """Return a part of a text; positions count from 1, or from the end if negative."""
    start = _whole(start_position)
    if start == 0 or abs(start) > len(_text(string)):
        return None
    start = start - 1 if start > 0 else len(string) + start
    return string[start:] if length is None else string[start : start + _whole(length)]


def _split_at(string: Any, match: Any) -> tuple[str, str]:
    if not _text(match):
        return "", _text(string)
    before, found, after = _text(string).partition(match)
    return (before, after) if found else ("", "")


def _flags(flags: Any) -> int:
    letters = {"s": re.DOTALL, "m": re.MULTILINE, "i": re.IGNORECASE, "x": re.VERBOSE}
    return sum(letters[letter] for letter in set(flags or ""))


def matches(input: Any, pattern: Any, flags: Any = None) -> bool:
    """Return whether a pattern occurs in a text."""
    return re.search(_text(pattern), _text(input), _flags(flags)) is not None


def replace(input: Any, pattern: Any, replacement: Any, flags: Any = None) -> str:
    """Return a text with all occurrences of a pattern replaced; $1 is the first group."""
    template = re.sub(r"\$(\d)", r"\\g<\1>", _text(replacement).replace("\\", "\\\\"))
    return re.sub(_text(pattern), template, _text(input), flags=_flags(flags))


def _join(list: Any, delimiter: Any = None) -> str:
    texts = [part for part in _list(list) if part is not None]
    return ("" if delimiter is None else _text(delimiter)).join(map(_text, texts))


# --- dates and times


def _construct(name: str, arguments: list[Any]) -> Any:
    values = [from_feel(argument) for argument in arguments]
    value = values[0]
    if name == "date" and isinstance(value, dt.datetime) and len(values) == 1:
        return value.date()
    if name == "time" and isinstance(value, dt.datetime) and len(values) == 1:
        return value.timetz()
    if name == "date and time" and isinstance(value, dt.date) and len(values) == 2:
        day = value.date() if isinstance(value, dt.datetime) else value
        return dt.datetime.combine(day, values[1])
    if isinstance(value, dt.date | dt.time) and len(values) == 1:
        same = {"date": dt.date, "time": dt.time, "date and time": dt.datetime}[name]
        return value if type(value) is same else None
    if name == "time" and len(values) == 4 and isinstance(values[3], dt.timedelta):
        hour, minute, second, offset = values
        return dt.time(hour, minute, second, tzinfo=dt.timezone(offset))
    return construct(name, values, _NOWHERE)


def _date(from_: Any = None, month: Any = None, day: Any = None, year: Any = None) -> Any:
    parts = [from_ if year is None else year, month, day]
    return _construct("date", [part for part in parts if part is not None])


def _time(
    from_: Any = None, minute: Any = None, second: Any = None, offset: Any = None, hour: Any = None
) -> Any:
    parts = [from_ if hour is None else hour, minute, second, offset]
    return _construct("time", [part for part in parts if part is not None])


def _date_and_time(from_: Any = None, time: Any = None, date: Any = None) -> Any:
    parts = [from_ if date is None else date, time]
    return _construct("date and time", [part for part in parts if part is not None])


def _duration(from_: Any) -> Any:
    return read_duration(_text(from_), _NOWHERE)


def _months_between(from_: Any, to: Any) -> Months:
    start, end = (v.date() if isinstance(v, dt.datetime) else v for v in (from_, to))
    count = (end.year - start.year) * 12 + end.month - start.month
    if count > 0 and add_months(start, Months(count)) > end:
        count -= 1
    elif count < 0 and add_months(start, Months(count)) < end:
        count += 1
    return Months(count)


# --- lists


def _items(function: Callable[[list[Any]], Any]) -> Callable[..., Any]:
    """Return a function of a list that also takes the items as its arguments."""

    def run(*items: Any, list: Any = None) -> Any:
        values = list if list is not None else items[0] if len(items) == 1 else [*items]
        return function(_list(values))

    return run


def _least(order: str) -> Callable[[list[Any]], Any]:
    def run(values: list[Any]) -> Any:
        if not values:
            return None
        best = values[0]
        for value in values:
            holds = compare(order, value, best)
            if holds is None:
                return None
            best = value if holds else best
        return best

    return run


def _sum(values: list[Any]) -> Any:
    if not values:
        return None
    total = Decimal(0) if isinstance(values[0], Decimal) else values[0] - values[0]
    for value in values:
        if isinstance(value, Decimal):
            total = DECIMALS.add(total, value)
        else:
            total += value
    return total


def _median(values: list[Any]) -> Any:
    import statistics  # slow to import

    return statistics.median(map(_number, values))


def _stddev(values: list[Any]) -> Any:
    mean = DECIMALS.divide(_sum(values), Decimal(len(values)))
    squares = [DECIMALS.power(_number(v) - mean, Decimal(2)) for v in values]
    return DECIMALS.sqrt(_sum(squares) / (len(values) - 1))


def _mode(values: list[Any]) -> Any:
    counts = {value: values.count(value) for value in map(_number, values)}
    return sorted(v for v, count in counts.items() if count == max(counts.values()))


def _place(values: list[Any], position: Any) -> int:
    index = _whole(position)
    if index == 0 or abs(index) > len(values):
        raise IndexError
    return index - 1 if index > 0 else len(values) + index


def _sublist(list: Any, start_position: Any, length: Any = None) -> list[Any]:
    start = _place(_list(list), start_position)
    return _list(list)[start:] if length is None else _list(list)[start : start + _whole(length)]


def _insert(list: Any, position: Any, new_item: Any) -> list[Any]:
    values = [*_list(list)]
    values.insert(_place(values, position), new_item)
    return values


def _remove(list: Any, position: Any) -> list[Any]:
    values = [*_list(list)]
    del values[_place(values, position)]
    return values


def _replace_item(list: Any, position: Any, new_item: Any) -> list[Any]:
    values = [*_list(list)]
    if callable(position):
        return [new_item if position(value, new_item) is True else value for value in values]
    values[_place(values, position)] = new_item
    return values


def contains(values: list[Any], element: Any) -> bool:
    """Return whether a list contains a value."""
    return any(equal(value, element) is True for value in values)


def _distinct(values: list[Any]) -> list[Any]:
    different: list[Any] = []
    for value in values:
        if not contains(different, value):
            different.append(value)
    return different


def _flatten(values: Any) -> list[Any]:
    flat: list[Any] = []
    for value in _list(values):
        flat += _flatten(value) if isinstance(value, list) else [value]
    return flat


def _sort(list: Any, precedes: Any = None) -> list[Any]:
    def order(a: Any, b: Any) -> int:
        first = precedes or (lambda x, y: compare("<", x, y))
        return -1 if first(a, b) is True else int(first(b, a) is True)

    return sorted(_list(list), key=cmp_to_key(order))


# --- numbers


def _rounded(rounding: str) -> Callable[..., Any]:
    def run(n: Any, scale: Any = Decimal(0)) -> Decimal:
        digits = Decimal(1).scaleb(-_whole(scale))
        with decimal.localcontext(prec=200):
            return _number(n).quantize(digits, rounding=rounding)

    return run


def _modulo(dividend: Any, divisor: Any) -> Decimal:
    quotient = (_number(dividend) / _number(divisor)).to_integral_value(decimal.ROUND_FLOOR)
    return DECIMALS.subtract(dividend, divisor * quotient)


def _absolute(n: Any) -> Any:
    return Months(abs(n.count)) if isinstance(n, Months) else abs(n)


# --- contexts and ranges


def _span(value: Any) -> Range:
    """Return a value as a range, a single value as one that contains only that."""
    span = value if isinstance(value, Range) else Range(value, value)
    if span.low is None or span.high is None or compare("<=", span.low, span.high) is None:
        raise TypeError
    return span


def _ranged(relation: Callable[[Range, Range], Any]) -> Callable[..., Any]:
    """Return a function of two ranges or values."""

    def run(range1: Any, range2: Any) -> bool | None:
        a, b = _span(range1), _span(range2)
        return None if compare("<=", a.low, b.low) is None else bool(relation(a, b))

    return run


def _both(
    name: str, inverse: str, relation: Callable[[Range, Range], Any]
) -> dict[str, Callable[..., Any]]:
    """Return a function of two ranges or values, and the one of them in the other order."""
    return {name: _ranged(relation), inverse: _ranged(lambda a, b: relation(b, a))}


def _is_before(a: Range, b: Range) -> bool:
    return bool(a.high < b.low or (a.high == b.low and not (a.high_in and b.low_in)))


def _starts_later(a: Range, b: Range) -> bool:
    """Return whether everything of a range is above the lower bound of another."""
    return bool(a.low > b.low or (a.low == b.low and (b.low_in or not a.low_in)))


def _ends_earlier(a: Range, b: Range) -> bool:
    return bool(a.high < b.high or (a.high == b.high and (b.high_in or not a.high_in)))


def _overlaps(a: Range, b: Range) -> bool:
    return not _is_before(a, b) and not _is_before(b, a)


_WEEKDAYS: Final = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
)  # fmt: skip
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "number": number,
    "string": lambda from_: text_of(from_),
    "not": lambda negand: not negand if isinstance(negand, bool) else None,
    "substring": substring,
    "string length": lambda string: Decimal(len(_text(string))),
    "upper case": lambda string: _text(string).upper(),
    "lower case": lambda string: _text(string).lower(),
    "trim": lambda string: _text(string).strip(),
    "substring before": lambda string, match: _split_at(string, match)[0],
    "substring after": lambda string, match: _split_at(string, match)[1],
    "contains": lambda string, match: _text(match) in _text(string),
    "starts with": lambda string, match: _text(string).startswith(_text(match)),
    "ends with": lambda string, match: _text(string).endswith(_text(match)),
    "matches": matches,
    "replace": replace,
    "split": lambda string, delimiter: re.split(_text(delimiter), _text(string)),
    "string join": _join,
    "date": _date,
    "time": _time,
    "date and time": _date_and_time,
    "duration": _duration,
    "years and months duration": _months_between,
    "day of week": lambda date: _WEEKDAYS[date.weekday()],
    "day of year": lambda date: Decimal(date.timetuple().tm_yday),
    "week of year": lambda date: Decimal(date.isocalendar().week),
    "month of year": lambda date: _MONTHS[date.month - 1],
    "today": lambda: dt.datetime.now().astimezone().date(),
    "now": lambda: dt.datetime.now().astimezone(),
    "list contains": lambda list, element: contains(_list(list), element),
    "count": lambda list: Decimal(len(_list(list))),
    "min": _items(_least("<")),
    "max": _items(_least(">")),
    "sum": _items(_sum),
    "mean": _items(lambda values: DECIMALS.divide(_sum(values), Decimal(len(values)))),
    "median": _items(_median),
    "mode": _items(_mode),
    "stddev": _items(_stddev),
    "product": _items(lambda values: reduce(DECIMALS.multiply, map(_number, values))),
    **dict.fromkeys(("all", "and"), _items(lambda values: decided(values, some=False))),
    **dict.fromkeys(("any", "or"), _items(lambda values: decided(values, some=True))),
    "sublist": _sublist,
    "append": lambda list, *items: [*_list(list), *items],
    "concatenate": lambda *lists: [value for part in lists for value in _list(part)],
    "insert before": _insert,
    "remove": _remove,
    "list replace": _replace_item,
    "reverse": lambda list: _list(list)[::-1],
    "index of": lambda list, match: [
        Decimal(i) for i, value in enumerate(_list(list), 1) if equal(value, match) is True
    ],
    "union": lambda *lists: _distinct([value for part in lists for value in _list(part)]),
    "distinct values": lambda list: _distinct(_list(list)),
    "flatten": lambda list: _flatten(list),
    "sort": _sort,
    "decimal": _rounded(decimal.ROUND_HALF_EVEN),
    "floor": _rounded(decimal.ROUND_FLOOR),
    "ceiling": _rounded(decimal.ROUND_CEILING),
    "round up": _rounded(decimal.ROUND_UP),
    "round down": _rounded(decimal.ROUND_DOWN),
    "round half up": _rounded(decimal.ROUND_HALF_UP),
    "round half down": _rounded(decimal.ROUND_HALF_DOWN),
    "abs": _absolute,
    "modulo": _modulo,
    "sqrt": lambda number: _finite(DECIMALS.sqrt(_number(number))),
    "log": lambda number: _finite(DECIMALS.ln(_number(number))),
    "exp": lambda number: _finite(DECIMALS.exp(_number(number))),
    "odd": lambda number: abs(_whole(number)) % 2 == 1,
    "even": lambda number: _whole(number) % 2 == 0,
    "is": lambda value1, value2: kind_of(value1) == kind_of(value2) and value1 == value2,
    **_both("before", "after", _is_before),
    **_both("meets", "met by", lambda a, b: a.high == b.low and a.high_in and b.low_in),
    "overlaps": _ranged(_overlaps),
    **_both(
        "overlaps before",
        "overlaps after",
        lambda a, b: _overlaps(a, b) and not _starts_later(a, b) and _ends_earlier(a, b),
    ),
    **_both(
        "finishes",
        "finished by",
        lambda a, b: a[1::2] == b[1::2] and _starts_later(a, b),
    ),
    **_both("during", "includes", lambda a, b: _starts_later(a, b) and _ends_earlier(a, b)),
    **_both("starts", "started by", lambda a, b: a[::2] == b[::2] and _ends_earlier(a, b)),
    "coincides": _ranged(lambda a, b: a == b),
    "get value": lambda m, key: _context(m).get(_text(key)),
    "get entries": lambda m: [{"key": key, "value": value} for key, value in m.items()],
    "context": lambda entries: {_text(e["key"]): e["value"] for e in _list(entries)},
    "context put": lambda context, key, value: {**_context(context), _text(key): value},
    "context merge": lambda contexts: {
        name: value for part in _list(contexts) for name, value in part.items()
    },
}
"""The built-in functions."""

NOT_CONSTANT: Final = frozenset({"today", "now", "matches", "replace", "split"})
"""Functions whose results depend on the day, or that can take long on hostile patterns."""
