"""What a cell of a workbook shows: a number or date in its number format.

``"up to "0" kg"`` shows 5 as ``up to 5 kg``. Numbers are shown with a decimal point and without
separators of thousands, whatever the language of the program.
"""

from __future__ import annotations

import datetime as dt
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, NamedTuple

from irenic.model.patterns import lazy

_TOKEN: Final = lazy(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|(?P<pad>[_*].)|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<general>General)|(?P<ampm>AM/PM|A/P)|(?P<power>E[+-])|(?P<date>y+|m+|d+|h+|s+|e+|b+)"
    r"|(?P<over>/\s*[1-9]\d*)|(?P<sign>[0#?.,%/@])|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION: Final = lazy(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)")
_HOLDS: Final = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
}
_DIGITS: Final = "0#?"
_LONGEST: Final = 255
_CONTEXT: Final = Context(prec=1_000)
_PRECISION: Final = 15  # of Excel, in digits
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


class ShownNumber(NamedTuple):
    """What a cell shows."""

    text: str
    number: Decimal | None
    """The number that the digits of the text mean, None if it has none."""
    is_plain: bool
    """Whether the text is a number alone, or with a currency or percent sign."""
    is_code: bool = False
    """Whether the number has leading zeros, or letters and signs between its digits."""


class _Token(NamedTuple):
    kind: str
    text: str


class _Section(NamedTuple):
    """A part of a format, for some of the numbers."""

    tokens: tuple[_Token, ...]
    condition: tuple[str, Decimal] | None


@lru_cache(maxsize=1_000)
def _sections(code: str) -> tuple[_Section, ...]:
    """Return the parts of a number format: for positive, negative and other numbers, and text."""
    parts: list[list[_Token]] = [[]]
    conditions: list[tuple[str, Decimal] | None] = [None]
    for match in _TOKEN.finditer(code[:_LONGEST]):
        kind, text = match.lastgroup or "", match[match.lastgroup or 0]
        if kind == "other" and text == ";":
            parts.append([])
            conditions.append(None)
        elif kind == "bracket":
            if condition := _CONDITION.fullmatch(text):
                conditions[-1] = condition[1], Decimal(condition[2])
            elif text.startswith("$"):
                parts[-1].append(_Token("literal", text[1:].partition("-")[0]))
            elif re.fullmatch("h+|m+|s+", text, re.IGNORECASE):
                parts[-1].append(_Token("elapsed", text))
        elif kind == "pad":
            parts[-1].append(_Token("literal", " "))
        elif kind in ("quoted", "escaped", "other"):
            parts[-1].append(_Token("literal", text))
        else:
            parts[-1].append(_Token(kind, text))
    return tuple(
        _Section(tuple(p for p in part if p.text), condition)
        for part, condition in zip(parts, conditions, strict=True)
    )


def _chosen(sections: tuple[_Section, ...], value: Decimal) -> tuple[_Section, bool]:
    """Return the part for a number, and whether it shows negative numbers without a sign."""
    sections = sections[:3]
    if any(section.condition for section in sections):
        for section in sections:
            order, bound = section.condition or ("", Decimal(0))
            if not order or _HOLDS[order](value, bound):
                return section, False
        return sections[-1], False
    if value < 0 and len(sections) > 1:
        return sections[1], True
    return (sections[2] if value == 0 and len(sections) > 2 else sections[0]), False


_MONEY: Final = lazy(r"[\s$€£¥₹]|[A-Z]{3}(?![a-z])|Fr\.|kr|zł|Kč")


@lru_cache(maxsize=10_000)
def shown(value: float, code: str) -> ShownNumber:
    """Return what a cell with a number and a number format shows.

    >>> shown(5, '"up to "0" kg"').text, shown(17.6, "0").text, shown(0.5, "# ?/?").text
    ('up to 5 kg', '18', '1/2')
    >>> shown(65, '[>=65]0"+";0').text, shown(-5, "0;(0)").number
    ('65+', Decimal('-5'))
    """
    exact = Decimal(f"{value:.{_PRECISION}g}")
    section, is_unsigned = _chosen(_sections(code), exact)
    tokens = section.tokens
    kinds = {token.kind for token in tokens}
    if not tokens and code in ("", "General"):
        return ShownNumber(_plain(exact), exact, is_plain=True)
    if "general" in kinds or "@" in {t.text for t in tokens if t.kind == "sign"}:
        digits, number = _plain(abs(exact)), abs(exact)
        text = "".join(
            digits if t.kind in ("general", "sign") else t.text if t.kind == "literal" else ""
            for t in tokens
        )
        return _signed(text, number, exact, tokens, is_unsigned)
    places = [i for i, t in enumerate(tokens) if t.kind == "over" or _is_digit(t)]
    if not places:
        text = "".join(t.text for t in tokens if t.kind == "literal")
        return ShownNumber(" ".join(text.split()), None, is_plain=False)
    return _in_digits(tokens, places, exact, is_unsigned)


def _is_digit(token: _Token) -> bool:
    return token.kind == "sign" and token.text in _DIGITS


def _in_digits(
    tokens: tuple[_Token, ...], places: list[int], exact: Decimal, is_unsigned: bool
) -> ShownNumber:
    """Return a number in the digits of a format, with what is around and between them."""
    first, last = places[0], places[-1]
    inner = tokens[first : last + 1]
    before = "".join(t.text for t in tokens[:first] if t.kind == "literal" or t.text == ".")
    percents = sum(t.text == "%" for t in tokens if t.kind == "sign")
    rest = tokens[last + 1 :]
    scaled = 0
    while scaled < len(rest) and rest[scaled] == _Token("sign", ","):
        scaled += 1
    after = "".join(
        t.text for t in rest if t.kind == "literal" or (t.kind == "sign" and t.text == "%")
    )
    value = abs(exact).scaleb(2 * percents - 3 * scaled)
    literals = any(t.kind == "literal" and t.text.strip() for t in inner)
    signs = "".join(t.text for t in inner if t.kind in ("sign", "over"))
    if "/" in signs:
        body, number = _fraction(value, inner)
    elif any(t.kind == "power" for t in inner):
        decimals = sum(c in _DIGITS for c in signs.partition(".")[2]) - 2
        body = f"{value:.{max(decimals, 0)}E}"
        number = Decimal(body)
    else:
        whole, _, fraction = signs.partition(".")
        decimals = sum(c in _DIGITS for c in fraction)
        number = value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, _CONTEXT)
        body = _filled(inner, number) if literals else _digits(number, whole, fraction)
        if not number and "0" not in signs:  # shown as a blank
            text = f"{before}{after}"
            return ShownNumber(" ".join(text.split()), None, is_plain=False)
    zeros = len(body) > 1 and body[0] == "0" and body[1].isdigit()
    text = before + body + after
    shown_number = number.scaleb(-2 * percents)
    found = _signed(text, shown_number, exact, tokens, is_unsigned)
    is_padded = re.fullmatch(r"[#?]*0[0#?]*0", signs) is not None  # 00000, not 0 or 0,000
    is_code = literals or zeros or is_padded
    return found._replace(is_code=is_code, is_plain=found.is_plain and not scaled)


def _signed(
    text: str, number: Decimal, exact: Decimal, tokens: tuple[_Token, ...], is_unsigned: bool
) -> ShownNumber:
    """Return a text with its sign, which the format may show as a minus or in parentheses."""
    literal = "".join(t.text for t in tokens if t.kind == "literal")
    bare = _MONEY.sub("", literal)
    has_sign = bool(is_unsigned) and bare in ("-", "()", "−")
    text = " ".join(text.split())
    if exact < 0 and not is_unsigned:
        text = f"-{text}"
    if exact < 0 and (not is_unsigned or has_sign):
        number = -number
    return ShownNumber(text, number, is_plain=not bare or has_sign)


def _plain(number: Decimal) -> str:
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _digits(number: Decimal, whole: str, fraction: str) -> str:
    """Return a number with as many digits as a format requires."""
    integer, _, decimals = format(number, "f").partition(".")
    integer = "" if integer == "0" else integer
    least = sum(c == "0" for c in whole)
    while decimals and fraction.replace(",", "")[len(decimals) - 1 : len(decimals)] != "0":
        if decimals[-1] != "0":
            break
        decimals = decimals[:-1]
    integer = integer.zfill(least) if least else integer
    return f"{integer or '0'}.{decimals}" if decimals else integer or "0"


def _filled(inner: tuple[_Token, ...], number: Decimal) -> str:
    """Return the digits of a number in the places between letters and signs: 123-45."""
    digits = format(number, "f").replace(".", "")
    signs = [t for t in inner if t.kind == "literal" or t.text in _DIGITS + "."]
    n_places = sum(map(_is_digit, signs))
    digits, extra = digits.zfill(n_places), max(len(digits) - n_places, 0)
    text, at = "", 0
    for token in signs:
        if _is_digit(token):
            end = at + 1 + (extra if at == 0 else 0)
            text += digits[at:end]
            at = end
        else:
            text += token.text
    return text


def _fraction(value: Decimal, inner: tuple[_Token, ...]) -> tuple[str, Decimal]:
    """Return a number as a fraction: ``1 1/2``."""
    text = "".join(t.text for t in inner)
    numerator, _, denominator = text.rpartition("/")
    whole = " " in numerator.strip()
    part, base = Fraction(value), 0
    if whole:
        base = int(part)
        part -= base
    digits = re.sub(r"[^0-9#?]", "", denominator)
    if digits.isdecimal() and int(digits):
        part = Fraction(round(part * int(digits)), int(digits))
        bottom = int(digits)
    else:
        part = part.limit_denominator(10 ** min(len(digits) or 1, 6) - 1)
        bottom = part.denominator
    top = part * bottom
    total = base + part
    number = Decimal(total.numerator) / Decimal(total.denominator)
    if not part:
        return str(base), number
    return f"{base} {top}/{bottom}" if base else f"{top}/{bottom}", number


# --- dates


def shown_date(value: Any, code: str) -> ShownNumber | None:
    """Return what a cell with a date or time shows, None if it shows all of the value.

    >>> day = dt.datetime(2026, 1, 5)
    >>> [found and found.text for code in ("mmm yyyy", "dddd", "d-mmm", "dd.mm.yyyy")
    ...  for found in [shown_date(day, code)]]
    ['Jan 2026', 'Monday', '5-Jan', None]
    """
    tokens = [t for t in _sections(code)[0].tokens if t.kind != "ampm"]
    if isinstance(value, dt.timedelta) or any(t.kind == "elapsed" for t in tokens):
        return None
    parts = _date_parts(tokens)
    clock = value if isinstance(value, dt.time) else value.time() if _has_time(value) else dt.time()
    is_day = isinstance(value, dt.date)
    needed = {"y", "M", "d"} if is_day else set()
    needed |= {"h"} if clock != dt.time() or not is_day else set()
    needed |= {"m"} if clock.minute else set()
    needed |= {"s"} if clock.second or clock.microsecond else set()
    if needed <= set(parts.values()):
        return None
    text = "".join(
        _date_text(value, clock, parts[i], t.text) if i in parts else t.text
        for i, t in enumerate(tokens)
        if i in parts or t.kind in ("literal", "sign")
    )
    return ShownNumber(" ".join(text.split()), None, is_plain=set(parts.values()) in _MEANT)


_MEANT: Final = ({"y", "M"}, {"y"}, {"w"}, {"M"})
"""The parts of dates that mean something alone: months of a year, years, days of the week."""
_WEEKDAY: Final = 3  # letters: d and dd are days


def _has_time(value: Any) -> bool:
    return isinstance(value, dt.datetime)


def _date_parts(tokens: list[_Token]) -> dict[int, str]:
    """Return the parts of a date that tokens show: y, M, d, w (of the week), h, m, s."""
    places = [i for i, t in enumerate(tokens) if t.kind == "date"]
    parts: dict[int, str] = {}
    for at, i in enumerate(places):
        letter, length = tokens[i].text[0].lower(), len(tokens[i].text)
        if letter == "m":
            previous = tokens[places[at - 1]].text[0].lower() if at else ""
            following = tokens[places[at + 1]].text[0].lower() if at + 1 < len(places) else ""
            is_minute = length < _WEEKDAY and (previous == "h" or following == "s")
            letter = "m" if is_minute else "M"
        elif letter == "d" and length >= _WEEKDAY:
            letter = "w"
        parts[i] = "y" if letter in "eb" else letter
    return parts


def _date_text(value: Any, clock: dt.time, part: str, letters: str) -> str:
    """Return a part of a date as letters of a format show it."""
    if part in "hms":
        number = {"h": clock.hour, "m": clock.minute, "s": clock.second}[part]
        return str(number).zfill(len(letters))
    if not isinstance(value, dt.date):
        return ""
    if part == "y":
        return str(value.year) if len(letters) > 2 else f"{value.year % 100:02d}"
    if part == "d":
        return str(value.day).zfill(len(letters))
    if part == "M" and len(letters) < _WEEKDAY:
        return str(value.month).zfill(len(letters))
    name = _DAYS[value.weekday()] if part == "w" else _MONTHS[value.month - 1]
    return name if len(letters) > _WEEKDAY else name[:_WEEKDAY]
