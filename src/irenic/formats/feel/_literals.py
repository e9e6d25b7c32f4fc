"""Literals of FEEL: numbers, text in quotes, dates, times and durations, and their constructors."""

from __future__ import annotations

import datetime as dt
import math
import re
from typing import Any, Final, NamedTuple

from irenic.errors import FormatError
from irenic.model.features import is_unicode
from irenic.model.literals import Months, parse_duration

TEMPORAL: Final = (
    r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?"
    r"|\d\d:\d\d(?::\d\d(?:\.\d+)?)?"
)


class Token(NamedTuple):
    """A piece of a cell: its kind, itself, and the column where it begins (counted from 1)."""

    kind: str
    text: str
    column: int


def read_number(token: Token) -> int | float:
    """Return a number: an integer where it has neither point nor exponent."""
    try:
        if token.text.lstrip("-").isdecimal():
            return int(token.text)
        number = float(token.text)
    except ValueError:
        raise FormatError("a number with too many digits", column=token.column) from None
    if math.isinf(number):
        raise FormatError(f"{token.text} is too large for float64", column=token.column)
    return number


_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_ESCAPE: Final = re.compile(
    r"\\(?:u(?P<pair>[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u(?P<four>[0-9a-fA-F]{4})|U(?P<six>[0-9a-fA-F]{6})|(?P<one>.))",
    re.DOTALL,
)


def read_text(token: Token) -> str:
    """Return a text without its quotes and escapes."""

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
            f"{token.text} holds an escape that is not understood; write \\\\ for a backslash",
            column=token.column,
        ) from None
    if not is_unicode(text):
        raise FormatError("a lone surrogate is not valid Unicode", column=token.column)
    return text


# --- dates and times


def _fail(token: Token, message: str) -> FormatError:
    return FormatError(message, column=token.column)


def read_temporal(text: str, token: Token) -> dt.date | dt.datetime | dt.time:
    """Return what ISO 8601 text says, exact to the microsecond."""
    if re.fullmatch(TEMPORAL + r"(?:Z|[+-]\d\d:\d\d)?", text) is None:
        named = re.search(r"[@/]", text)
        hint = "; a zone is written as an offset, such as +02:00" if named else ""
        raise _fail(token, f"{text!r} is not a date or time such as 2026-01-31T12:30:00{hint}")
    # finer than a microsecond only where that says nothing
    text = re.sub(r"(\.\d{6})0+", r"\1", text)
    if re.search(r"\.\d{7}", text):
        raise _fail(token, f"{text!r} is finer than a microsecond; round it")
    if fraction := re.search(r"\.(\d+)", text):
        text = text.replace(fraction.group(), f".{fraction.group(1):0<6}")
    try:
        if "T" in text:
            return dt.datetime.fromisoformat(text)
        return dt.time.fromisoformat(text) if ":" in text else dt.date.fromisoformat(text)
    except ValueError as error:
        raise _fail(token, f"{text!r} is not a date or time: {error}") from None


def read_duration(text: str, token: Token) -> dt.timedelta | Months:
    """Return what ISO 8601 text says of a duration."""
    try:
        return parse_duration(text)
    except FormatError as error:
        raise error.at(column=token.column) from None


def read_at(token: Token) -> Any:
    """Return what ``@"2026-01-31"`` stands for, from the text in quotes."""
    text = read_text(token)
    read = read_duration if text.lstrip("-").startswith("P") else read_temporal
    return read(text, token)


def construct(name: str, given: list[Any], token: Token) -> Any:
    """Return what ``date("…")`` and its like make of what they are given."""
    if name == "duration" and len(given) == 1 and isinstance(given[0], str):
        return read_duration(given[0], token)
    wanted = {"date": dt.date, "time": dt.time, "date and time": dt.datetime}.get(name)
    if wanted is not None:
        try:
            made = _made(name, given, token)
        except (ValueError, OverflowError, TypeError) as error:
            if isinstance(error, FormatError):
                raise
            raise _fail(token, f"not a {name}: {error}") from None
        if type(made) is wanted:
            return made
    raise _fail(token, f"{name}(…) does not take {', '.join(map(said, given))}")


def said(value: Any) -> str:
    """Return a literal for a message, dates and times as they are written."""
    return str(value.isoformat()) if isinstance(value, dt.date | dt.time) else repr(value)


def _made(name: str, given: list[Any], token: Token) -> Any:
    numbers = all(type(part) is int for part in given)
    if len(given) == 1 and isinstance(given[0], str):
        made = read_temporal(given[0], token)
        if name == "date and time" and type(made) is dt.date:
            return dt.datetime.combine(made, dt.time())
        return made
    if name == "date" and numbers and len(given) == 3:
        return dt.date(*given)
    if name == "time" and numbers and len(given) == 3:
        return dt.time(*given)
    if name == "date and time" and len(given) == 2 and type(given[0]) is dt.date:
        return dt.datetime.combine(*given)
    return None
