"""Values of cells as FEEL writes them: numbers with a decimal point, dates and times."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final, NamedTuple

from irenic.errors import FormatError
from irenic.formats.cells._doubts import CellError
from irenic.formats.cells._language import language
from irenic.formats.cells._tokens import CellToken, tokens_of
from irenic.formats.cells.locales import LONGEST_BARE, Locale
from irenic.formats.feel.unary_tests import parse_value
from irenic.frames.csv import may_be_thousands


class Literal(NamedTuple):
    """A value as text, and its kind."""

    kind: str
    """number, date, time, datetime, duration, text, boolean or null."""
    text: str
    at: int = 0

    def value(self) -> Any:
        """Return the value."""
        if self.kind == "text":
            return self.text
        if self.kind == "null":
            return None
        if self.kind == "boolean":
            return self.text == "true"
        try:
            if self.kind == "number":
                return _number(self.text)
            return parse_value(f'@"{self.text}"')
        except FormatError as error:
            raise FormatError(error.message, column=self.at + 1) from None


def _number(text: str) -> int | float:
    try:
        number = int(text) if text.lstrip("-").isdecimal() else float(text)
    except ValueError:
        raise FormatError(f"a number of {len(text):,} digits is too long; round it") from None
    if number in (float("inf"), float("-inf")):
        raise FormatError(f"{text} is too large for float64")
    return number


def literal_of(token: CellToken, locale: Locale) -> Literal:
    """Return the value of a token, as numbers and dates are written in a locale."""
    kind, text = _READERS[token.kind](token, locale)
    return Literal(kind, text, token.start)


def _iso(token: CellToken, locale: Locale) -> tuple[str, str]:
    return ("datetime" if "T" in token.raw else "date"), token.raw


def _duration(token: CellToken, locale: Locale) -> tuple[str, str]:
    return "duration", token.raw


def _written(token: CellToken, locale: Locale) -> tuple[str, str]:
    first, sign, second, other, year = map(str, token.groups)
    if sign != other:
        raise CellError("not_number", token.start, token.raw)
    day_first = True if sign == "." else locale.day_first
    if day_first is None and max(int(first), int(second)) > 12:
        day_first = int(first) > 12
    if day_first is None:
        ways = (f"{year}-{int(a):02}-{int(b):02}" for a, b in ((second, first), (first, second)))
        raise CellError("date_order", token.start, token.raw, *ways)
    day, month = (first, second) if day_first else (second, first)
    text = _day(int(year), int(month), int(day))
    if not text:
        order = ("day", "month") if day_first else ("month", "day")
        raise CellError("no_date_read", token.start, token.raw, *order)
    return "date", text


def _day(year: int, month: int, day: int) -> str:
    """Return a date in ISO 8601, "" if there is no such day."""
    try:
        return dt.date(year, month, day).isoformat()
    except ValueError:
        return ""


def _short(token: CellToken, locale: Locale) -> tuple[str, str]:
    raise CellError("short_year", token.start, token.raw)


def _named(token: CellToken, locale: Locale) -> tuple[str, str]:
    day, month, year = map(str, token.groups)
    text = _day(int(year), int(month), int(day))
    if not text:
        raise CellError("no_date", token.start, token.raw)
    return "date", text


def _clock(token: CellToken, locale: Locale) -> tuple[str, str]:
    """Return a time such as 6am, 6:30 p.m. or 18.30 Uhr."""
    hour, minute, half = int(token.groups[0] or 0), int(token.groups[1] or 0), token.groups[2]
    is_time = hour < 24 and minute < 60 and (half is None or 1 <= hour <= 12)
    if not is_time:
        raise CellError("no_clock", token.start, token.raw)
    hour = hour % 12 + (12 if half == "p" else 0) if half else hour
    return "time", f"{hour:02}:{minute:02}"


def _time(token: CellToken, locale: Locale) -> tuple[str, str]:
    hour = token.groups[0]
    if hour == "24":
        raise CellError("no_time", token.start, token.raw)
    return "time", f"{token.raw:0>{len(token.raw) + 2 - len(hour or '')}}"


def _amount(token: CellToken, locale: Locale) -> tuple[str, str]:
    sign, _, after, digits, exponent = token.groups
    assert digits is not None
    has_money = token.unit and token.unit[0] in "€$£¥EUGC" and token.unit.upper() == token.unit
    if has_money and not locale.decimal and may_be_thousands(digits):
        raise CellError("money", token.start, digits, digits.replace(".", ""), f"{digits}0")
    number = _plain_number(digits, locale, token.start)
    if token.unit == "%":
        number = _scaled(number, -2)
    if token.scale:
        if token.unit == "m":
            ways = _scaled(_plain_number(digits, Locale("."), token.start), 6), digits
            raise CellError("meters", token.start, token.raw, *ways)
        number = _scaled(number, token.scale)
    is_negative = bool(sign) != bool(after)
    return "number", f"{'-' if is_negative else ''}{number}{exponent or ''}"


_READERS: Final = {
    "iso": _iso, "duration": _duration, "written": _written, "short": _short, "named": _named,
    "clock": _clock, "time": _time, "amount": _amount,
}  # fmt: skip


def _scaled(number: str, power: int) -> str:
    number = format(Decimal(number).scaleb(power), "f")
    return number.rstrip("0").rstrip(".") if "." in number else number


def _plain_number(written: str, locale: Locale, at: int) -> str:
    """Return digits with a decimal point and without groups."""
    digits = re.sub(r"[ \u00a0\u202f'’]", "", written)
    if "," not in digits and "." not in digits:
        return _checked(digits, written, at)
    decimal = locale.decimal or ("," if digits != written and digits.count(",") == 1 else "")
    if not decimal:
        if "," not in digits and digits.count(".") == 1:
            return _checked(digits, written, at)  # points that may separate are checked later
        decimal = _own_decimal(digits, at)
    thousands = "," if decimal == "." else "."
    whole, *fraction = digits.split(decimal)
    is_grouped = re.fullmatch(rf"\d{{1,3}}(?:\{thousands}\d{{3}})+", whole) is not None
    if digits.count(thousands) > 1 and (not is_grouped or len(fraction) > 1):
        raise CellError("lists", at, digits)
    if len(fraction) > 1 or (fraction and thousands in fraction[0]):
        raise CellError("no_number", at, digits, decimal)
    if thousands in whole and not is_grouped:
        raise CellError("no_number_here", at, digits, decimal, digits.replace(thousands, decimal))
    whole = whole.replace(thousands, "")
    return _checked(".".join([whole or "0", *fraction]), written, at)


def _own_decimal(digits: str, at: int) -> str:
    """Return the decimal separator that a number alone shows."""
    if "," in digits and "." in digits:
        return "," if digits.rindex(",") > digits.rindex(".") else "."
    sign = "," if "," in digits else "."
    if digits.count(sign) > 1:
        return "." if sign == "," else ","
    whole, part = digits.split(",")
    either = f"{whole}{part} or {whole}.{part}0" if len(part) == 3 else f"{whole}.{part}"
    if len(part) == len(whole) > 1:
        either += f", or {whole}, {part} with a space for two values"
    raise CellError("comma", at, digits, either)


def _checked(number: str, written: str, at: int) -> str:
    if re.match(r"0\d", number):
        raise CellError("zero", at, written)
    return number


# --- values in texts


def value_text(text: str, locale: Locale) -> str:
    """Return a number, date or time as FEEL writes it, without quotes."""
    tokens = tokens_of(text.strip(), locale, (), language())
    kinds = ["V" if "V" in token.roles else token.raw for token in tokens[:-1]]
    if kinds == ["V"]:
        return literal_of(tokens[0], locale).text
    if kinds == ["(", "V", ")"]:
        return f"-{literal_of(tokens[1], locale).text}"
    raise CellError("not_number", None, text)


def is_amount(text: str) -> bool:
    """Return whether an outcome is a number, with separators, a currency or a percent sign."""
    amount = _amount_in(text)
    return amount is not None and not amount.scale and amount.unit not in language().units


def _amount_in(text: str) -> CellToken | None:
    """Return the amount that is all of a text, also in parentheses."""
    if len(text) > LONGEST_BARE or not _HAS_DIGIT.search(text):
        return None
    try:
        tokens = tokens_of(text, Locale(), (), language())[:-1]
    except FormatError:
        return None
    if [token.raw for token in tokens[::2]] == ["(", ")"]:
        tokens = tokens[1:2] if not tokens[1].groups[:1] or not tokens[1].groups[0] else []
    is_whole = len(tokens) == 1 and tokens[0].kind == "amount" and len(text.strip()) == len(text)
    return tokens[0] if is_whole and not tokens[0].groups[4] else None


_HAS_DIGIT: Final = re.compile("[0-9０-９]")


def units_of(text: str) -> set[str]:
    """Return the units, currencies and percent signs after or before the numbers of a cell."""
    if text.isdecimal():
        return set()
    try:
        tokens = tokens_of(text, Locale(), (), language())
    except FormatError:
        return set()
    units = {token.unit for token in tokens if token.unit}
    units |= {token.raw.upper() for token in tokens if token.raw.upper() in _MARKS}
    for before, token in pairwise(tokens):
        if "unit" in token.roles and not {"more", "less", "plus"}.isdisjoint(before.roles):
            units.add(token.roles["unit"])
    return units


_MARKS: Final = frozenset({"€", "$", "£", "¥", "%", "EUR", "USD", "GBP", "CHF"})


def same_money(units: Iterable[str]) -> set[str]:
    """Return units with one spelling per currency."""
    money = language().grammar["money"]
    return {money.get(unit, unit) for unit in units}


def amounts(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield what each number of a cell has before it, its digits, and what it has after it."""
    tokens = tokens_of(text, Locale(), (), language())
    for place, token in enumerate(tokens):
        if token.kind == "amount":
            digits = token.groups[3] or ""
            after = token.raw[token.raw.rindex(digits) + len(digits) :]
            unit = next((t for t in tokens[place + 1 : place + 3] if "unit" in t.roles), None)
            if not after and unit and "plus" in tokens[place + 1].roles:
                after = text[tokens[place + 1].end : unit.end]
            yield (
                token.groups[1] or "",
                digits,
                after if (token.unit and not token.scale) or unit else "",
            )
