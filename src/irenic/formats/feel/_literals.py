"""FEEL literals: numbers, quoted text, dates, times, durations, and their constructors."""

from __future__ import annotations

import datetime as dt
import math
import re
from typing import Any, Final

from irenic.errors import FormatError
from irenic.model.features import is_unicode
from irenic.model.literals import Months, parse_duration
from irenic.model.notation import Token
from irenic.model.patterns import lazy

TEMPORAL: Final = (
    r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?"
    r"|\d\d:\d\d(?::\d\d(?:\.\d+)?)?"
)

_LOCAL: Final = r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?"
# Time zones without a colon, as some tools write them.
_OFFSET: Final = lazy(r"(?<=:\d\d)(?P<hours>(?:\.\d+)?[+-]\d\d)(\d\d)$")


def read_number(token: Token) -> int | float:
    """Return a number: an int if it has neither a decimal point nor an exponent."""
    try:
        number = number_of(token.text)
    except ValueError:
        digits = f"{len(token.text):,} digits"
        raise FormatError(
            f"a number of {digits} is too long; round it", column=token.column
        ) from None
    if isinstance(number, float) and math.isinf(number):
        raise FormatError(f"{token.text} is too large for float64", column=token.column)
    return number


def number_of(text: str) -> int | float:
    """Return a text of digits as a number; ValueError if there are too many digits."""
    return int(text) if text.lstrip("-").isdecimal() else float(text)


_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_ESCAPE: Final = lazy(
    r"\\(?:u(?P<pair>[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u(?P<four>[0-9a-fA-F]{4})|U(?P<six>[0-9a-fA-F]{6})|(?P<one>.))",
    re.DOTALL,
)


def read_text(token: Token) -> str:
    """Return the text in quotes, with escapes replaced."""

    def replaced(match: re.Match[str]) -> str:
        if match["pair"]:
            high, low = match["pair"].split("\\u")
            return bytes.fromhex(high + low).decode("utf-16-be")
        if match["four"] or match["six"]:
            return chr(int(match["four"] or match["six"], 16))
        if match["one"] in _ESCAPES:
            return _ESCAPES[match["one"]]
        if match["one"] in "\"'\\/":
            return match["one"]
        raise ValueError(match.group())

    try:
        text = _ESCAPE.sub(replaced, token.text[1:-1])
    except ValueError:
        raise FormatError(
            f"{token.text} contains an unknown escape; write \\\\ for a backslash",
            column=token.column,
        ) from None
    if not is_unicode(text):
        raise FormatError("text must be valid Unicode, got a lone surrogate", column=token.column)
    return text


# --- dates and times


def _fail(token: Token, message: str) -> FormatError:
    return FormatError(message, column=token.column)


def read_temporal(text: str, token: Token) -> dt.date | dt.datetime | dt.time:
    """Return the date, time or both of an ISO 8601 text, exact to the microsecond.

    A date and time may end with the name of a time zone: ``2026-01-31T12:30:00@Europe/Paris``.
    """
    local, _, zone = text.partition("@")
    if zone and re.fullmatch(_LOCAL, local):
        return _in_zone(read_temporal(local, token), zone, token)
    if re.fullmatch(rf"(?:{TEMPORAL})(?:Z|[+-]\d\d:?\d\d)?", text) is None:
        named_zone = re.search(r"[@/]", text)
        hint = "; write the time zone as an offset such as +02:00" if named_zone else ""
        raise _fail(token, f"{text!r} is not a date or time such as 2026-01-31T12:30:00{hint}")
    # trailing zeros beyond microseconds are harmless
    text = re.sub(r"(\.\d{6})0+", r"\1", _OFFSET.sub(r"\1:\2", text))
    if re.search(r"\.\d{7}", text):
        raise _fail(token, f"{text!r} is more precise than a microsecond; round it")
    if fraction := re.search(r"\.(\d+)", text):
        text = text.replace(fraction.group(), f".{fraction.group(1):0<6}")
    try:
        if "T" in text:
            return dt.datetime.fromisoformat(text)
        return dt.time.fromisoformat(text) if ":" in text else dt.date.fromisoformat(text)
    except ValueError as error:
        raise _fail(token, f"{text!r} is not a date or time: {error}") from None


def _in_zone(value: Any, name: str, token: Token) -> dt.datetime:
    """Return a local date and time with the offset that a time zone has then."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # slow to import, and rarely used

    try:
        offset = value.replace(tzinfo=ZoneInfo(name)).utcoffset()
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise _fail(
            token,
            f"unknown time zone {name!r}; write it as an offset such as +02:00",
        ) from None
    return value.replace(tzinfo=dt.timezone(offset))  # type: ignore[no-any-return]


def read_duration(text: str, token: Token) -> dt.timedelta | Months:
    """Return the duration of an ISO 8601 text."""
    try:
        return parse_duration(text)
    except FormatError as error:
        raise error.at(column=token.column) from None


def read_at(token: Token) -> Any:
    """Return the value of ``@"2026-01-31"``, given the quoted text."""
    text = read_text(token)
    read = read_duration if text.lstrip("-").startswith("P") else read_temporal
    return read(text, token)


_USAGE: Final = {
    "date": 'date("2026-01-31") or date(2026, 1, 31)',
    "time": 'time("12:30:00") or time(12, 30, 0)',
    "date and time": 'date and time("2026-01-31T12:30:00")',
    "duration": 'duration("P1DT12H") or duration("P1Y2M")',
}


def construct(name: str, arguments: list[Any], token: Token) -> Any:
    """Return the value of a constructor such as ``date("…")``."""
    if name == "duration" and len(arguments) == 1 and isinstance(arguments[0], str):
        return read_duration(arguments[0], token)
    kind = {"date": dt.date, "time": dt.time, "date and time": dt.datetime}.get(name)
    if kind is not None:
        try:
            value = _construct(name, arguments, token)
        except (ValueError, OverflowError, TypeError) as error:
            if isinstance(error, FormatError):
                raise
            raise _fail(token, f"invalid {name}: {error}") from None
        if type(value) is kind:
            return value
    values = ", ".join(map(in_message, arguments))
    raise _fail(token, f"{name}(…) does not accept {values}; write {_USAGE[name]}")


def in_message(value: Any) -> str:
    """Return a literal for a message, with dates and times in ISO 8601."""
    return str(value.isoformat()) if isinstance(value, dt.date | dt.time) else repr(value)


def _construct(name: str, arguments: list[Any], token: Token) -> Any:
    integers = all(type(argument) is int for argument in arguments)
    if len(arguments) == 1 and isinstance(arguments[0], str):
        value = read_temporal(arguments[0], token)
        if name == "date and time" and type(value) is dt.date:
            return dt.datetime.combine(value, dt.time())
        return value
    if name == "date" and integers and len(arguments) == 3:
        return dt.date(*arguments)
    if name == "time" and integers and len(arguments) == 3:
        return dt.time(*arguments)
    if name == "date and time" and len(arguments) == 2 and type(arguments[0]) is dt.date:
        return dt.datetime.combine(*arguments)
    return None
