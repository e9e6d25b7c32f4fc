"""Cells as people write them: ``18-25``, ``65+``, ``€ 1.200,50``, ``31/12/2026``, ``a or b``.

A cell with only one possible meaning is respelled as a unary test, and the reading of the table
reports how. The meaning of separators in numbers, and the order of day and month, depend on the
country; other cells of the table or the ``locale`` option settle them. What remains ambiguous is an
error.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final, NamedTuple

from irenic.errors import FormatError
from irenic.formats.feel.doubtful_cells import LONGEST_BARE, STRING, means_any
from irenic.formats.sheets._sequences import LONGEST_WORDS, MONTH, listed_words, month_number
from irenic.frames.csv import may_be_thousands, thousands_or_not
from irenic.model.literals import quote
from irenic.model.patterns import lazy


class Locale(NamedTuple):
    """How a table writes numbers and dates, as far as that is known."""

    decimal: str = ""
    """The decimal separator, "." or ","; "" if no cell settles it."""
    day_first: bool | None = None
    """Whether 01/02/2026 is in February; None if no cell settles it."""


# --- the locale

_COMMA: Final = frozenset(
    {"bg", "bs", "ca", "cs", "da", "de", "el", "es", "et", "fi", "fr", "hr", "hu", "id", "is", "it"}
    | {"lt", "lv", "nb", "nl", "nn", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "tr"}
    | {"uk", "vi"}
)
_POINT: Final = frozenset({"cy", "en", "ga", "he", "hi", "ja", "ko", "ms", "mt", "th", "zh"})
_OTHERWISE: Final = {"de-ch": ".", "de-li": ".", "it-ch": ".", "es-mx": ".", "en-za": ","}
_YEAR_FIRST: Final = frozenset({"hu", "ja", "ko", "lt", "sv", "zh"})
_MONTH_FIRST: Final = frozenset({"en-us", "en-ph"})


def locale_of(name: str) -> Locale:
    """Return how numbers and dates are written in a locale such as ``de`` or ``en-US``."""
    tag = name.split(".")[0].replace("_", "-").lower()
    language = tag.split("-")[0]
    if language not in _COMMA | _POINT:
        raise FormatError(f"unknown locale {name!r}; write a language such as de, en-US or en-GB")
    decimal = _OTHERWISE.get(tag, "," if language in _COMMA else ".")
    unknown = language in _YEAR_FIRST or tag == "en"
    return Locale(decimal, None if unknown else tag not in _MONTH_FIRST)


_SETTLING: Final = {
    ",": lazy(
        r"(?<![\w.,:/])\d{1,3}(?:\.\d{3})+,\d+(?![\d.,])"  # 1.200,50
        r"|(?<![\w.,:/])\d{1,3}(?:\.\d{3}){2,}(?![\d.,]*\d)"  # 1.000.000
        r"|\d,[-–—](?!\d)|[€$£¥]\s*\d+,\d{1,2}(?!\d)|(?<![\w.,:/])\d+,\d{1,2}\s*[€%]"
    ),
    ".": lazy(
        r"(?<![\w.,:/])\d{1,3}(?:,\d{3})+\.\d+(?![\d.,]*\d)"  # 1,200.50
        r"|[$£]\s?\d{1,3},\d{3}(?![\d.,]*\d)"  # $1,200
        r"|(?<![\w.,:/])\d{1,3}(?:,\d{3}){2,}(?![\d.,]*\d)"  # 1,000,000
        r"|(?:(?<=\.\.)|(?<![\w.,:/]))(?:0?|\d{1,3}|\d{4,})\.(?:\d{1,2}|\d{4,})(?!\d|[.,]\d)"  # 2.5
        r"|(?:(?<=\.\.)|(?<![\w.,:/]))(?:0|\d{4,})\.\d+(?!\d|[.,]\d)"  # 0.125
    ),
}
# Numbers that separate thousands, by their decimal separator, and numbers that then have no meaning
# that a person would write so: 1.000 beside 1,200.50.
_GROUPED: Final = {
    sign: lazy(
        rf"(?<![\w.,:/])\d{{1,3}}(?:{other}\d{{3}})+{own}\d+(?![\d.,]*\d)"
        rf"|(?<![\w.,:/])\d{{1,3}}(?:{other}\d{{3}}){{2,}}(?![\d.,]*\d)"
    )
    for sign, own, other in ((",", ",", r"\."), (".", r"\.", ","))
}
_ROUND: Final = {
    sign: lazy(rf"(?<![\w.,:/])[1-9]\d{{0,2}}{re.escape(sign)}\d\d0(?!\w|[.,]\d)")
    for sign in (",", ".")
}
# Two points are those of a range, not of a number.
_MAY_SETTLE: Final = lazy(r"[,/-]|(?<!\.)(?:\.|\.{3,})(?!\.)")
_SLASHED: Final = lazy(r"(?<![\d/-])(\d{1,2})([/-])(\d{1,2})\2\d{4}(?![\d/-])")
_COMMA_ONLY: Final = lazy(r"[-−]?\d+,\d{1,2}")
_BOUND: Final = lazy(
    r"(?:[<>≤≥=]|[^\W\d]{2}\S*\s)\s*\d+,\d{1,2}(?![\d.,])|^\d+,\d{1,2}\s*(?:[-–—+]|[^\W\d]{2})"
    r"|\d\s*[-–—]\s*\d+,\d{1,2}(?![\d.,])"
)
"""A number with a comma after or before words or signs, so that it is not a list."""


def settled_by(
    texts: Iterable[str], outcomes: Iterable[str] = (), *, semicolons: bool = False
) -> tuple[Locale, str]:
    """Return what the cells of a table settle, and a contradiction between cells, "" for none.

    An outcome cannot be a list, so that ``4,99`` is a number. So is the end of a range, as in
    ``up to 1,5``, if cells are separated by semicolons and no number has a decimal point.
    """
    first: dict[Any, str] = {}
    doubtful: dict[tuple[str, str], str] = {}
    texts = [text for text in texts if len(text) <= LONGEST_BARE]
    outcomes = [text for text in outcomes if len(text) <= LONGEST_BARE]
    commas = [text.strip() for text in outcomes if _COMMA_ONLY.fullmatch(text.strip())]
    if commas:
        first[","] = commas[0]
    for text in (*texts, *outcomes):
        if not _MAY_SETTLE.search(text):
            continue
        if '"' in text:
            text = STRING.sub('""', text)
        for sign, pattern in _SETTLING.items():
            if sign not in first and (match := pattern.search(text)):
                first[sign] = match.group()
            for noun, each in (("grouped", _GROUPED[sign]), ("round", _ROUND[sign])):
                if (sign, noun) not in doubtful and (match := each.search(text)):
                    doubtful[sign, noun] = match.group()
        for match in _SLASHED.finditer(text):
            if int(match[1]) > 12:
                first.setdefault(True, match.group())
            elif int(match[3]) > 12:
                first.setdefault(False, match.group())
    bounds = [text for text in texts if semicolons and _BOUND.search(text.strip())]
    if bounds and not {",", "."} & first.keys():
        first[","] = bounds[0]
    for a, b, noun in ((",", ".", "numbers"), (True, False, "dates")):
        if a in first and b in first:
            return Locale(), f"{noun} are written in two ways, {first[a]!r} and {first[b]!r}"
    decimal = next((sign for sign in _SETTLING if sign in first), "")
    pair = doubtful.get((decimal, "grouped")), doubtful.get((decimal, "round"))
    if all(pair):
        return Locale(), f"numbers are written in two ways, {pair[0]!r} and {pair[1]!r}"
    return Locale(decimal, next((order for order in (True, False) if order in first), None)), ""


# --- values

_MONEY: Final = r"(?:[$€£¥]|(?:EUR|USD|GBP|CHF|Euro)(?![A-Za-z]))"
_DIGITS: Final = r"(?:\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)*|[.,]\d+)"
_SCALES: Final = {"k": 3, "tsd": 3, "m": 6, "mn": 6, "mio": 6, "million": 6, "bn": 9, "mrd": 9}
_SCALE: Final = r"(?:k|tsd\.?|mio\.?|mn|million(?:s|en|es)?|bn|mrd\.?|(?<!\s)m)(?![\w²])"
_UNITS: Final = {
    "years": r"years?(?:\s+old)?|yrs?\.?|jahren?|jahr|j\.|ans?|años?|jaar|jaren",
    "months": "months?|monaten?|monat|mois|mes(?:es)?|maand(?:en)?",
    "weeks": "weeks?|wks?|wochen?|semaines?|semanas?|week|weken",
    "days": "days?|tagen?|tag|jours?|días?|dag|dagen",
    "hours": r"hours?|hrs?\.?|h|stunden?|std\.?|heures?|horas?|uur|uren|o'clock",
    "times": "times?|mal|fois|veces",
    "minutes": r"minutes?|mins?\.?|minuten?|minutos?",
    "km/h": "km/h|kmh|kph", "mph": "mph", "kg": "kg|kilos?", "g": "g|grams?|gr",
    "t": "t(?!/m)|tons?|tonnen?", "lb": "lbs?|pounds?", "oz": "oz", "km": "km",
    "m": r"(?<=\s)m|meters?|metres?", "cm": "cm", "mm": "mm", "miles": "mi|miles?",
    "m²": "m²|m2|qm|sqm", "l": "l|liters?|litres?|liter", "ml": "ml", "°C": r"°\s?c",
    "°F": r"°\s?f", "kWh": "kwh", "kW": "kw",
    "pieces": r"pieces?|pcs?\.?|items?|units?|stück|stk\.?|pièces?|piezas?|stuks?",
    "persons": "persons?|people|personen?|personnes?|personas?|employees?|mitarbeiter",
    "points": r"points?|pts?\.?|punkten?|punkt|puntos?",
}  # fmt: skip
_UNIT: Final = rf"(?:{'|'.join(_UNITS.values())})(?![\w²])"
_AFTER: Final = rf"(?:\s?%|\s?{_MONEY}|\s?{_SCALE}(?:\s?{_MONEY})?|\s?{_UNIT})"
_AMOUNT: Final = rf"(?:[-−]\s?)?(?:{_MONEY}\s?)?(?:[-−])?{_DIGITS}{_AFTER}?"
_WRITTEN_DATE: Final = lazy(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})")
_NAMED_DATE: Final = lazy(rf"(\d{{1,2}})\.?[\s-]?({MONTH})[\s-](\d{{4}})", re.IGNORECASE)
_SHORT_YEAR: Final = lazy(r"\d{1,2}([./-])\d{1,2}\1\d\d")
_TIME: Final = lazy(r"(\d{1,2})(:\d\d(?::\d\d)?)")
_CLOCK: Final = r"\d{1,2}(?:[:.]\d\d)?\s?(?:[ap]\.?m\b\.?|uhr\b)"
_ON_CLOCK: Final = lazy(r"(\d{1,2})(?:[:.](\d\d))?\s?(?:([ap])\.?m\.?|uhr)", re.IGNORECASE)
_ISO: Final = lazy(r"\d{4}-\d\d-\d\d")
# A value: a date, a time or an amount. Groups have no names, because a pattern has several values.
_VALUE: Final = (
    r"(\d{4}-\d\d-\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{4}|\d{1,2}(?:\.\d{1,2}\.|/\d{1,2}/)\d\d"
    rf"|{_CLOCK}"
    rf"|\d{{1,2}}:\d\d(?::\d\d)?|\d{{1,2}}\.?[\s-]?{MONTH}[\s-]\d{{4}}|{_AMOUNT})"
)
_PLAIN: Final = lazy(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
_PARTS: Final = lazy(
    rf"(?P<sign>[-−])?\s?(?P<money>{_MONEY}\s?)?(?P<after>[-−])?(?P<digits>{_DIGITS})"
    rf"(?:\s?(?P<unit>%|{_MONEY})|\s?(?P<scale>{_SCALE})\s?(?P<coin>{_MONEY})?"
    rf"|\s?(?P<word>{_UNIT}))?",
    re.IGNORECASE,
)


_HALF_WIDTH: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
"""Full-width digits and signs, which people type with some keyboards."""
SETTLE: Final = "settle the decimal separator with locale=… (--locale de or en)"
"""How to settle whether a point or a comma is a decimal separator."""


def value_text(text: str, locale: Locale) -> str:
    """Return a number, date or time as FEEL writes it without quotes."""
    text = text.translate(_HALF_WIDTH)
    if _ISO.fullmatch(text):
        return text
    if written := _WRITTEN_DATE.fullmatch(text):
        return _date(written, locale)
    if _SHORT_YEAR.fullmatch(text):
        raise FormatError(f"{text!r} has a year of two digits; write dates as 2026-01-31")
    if named := _NAMED_DATE.fullmatch(text):
        return _iso(text, int(named[3]), month_number(named[2]), int(named[1]))
    if clock := _ON_CLOCK.fullmatch(text):
        return _time(clock)
    if clock := _TIME.fullmatch(text):
        if clock[1] == "24":
            raise FormatError(
                f"{text!r} is not a time of day; write 23:59, or leave the end of a range open"
            )
        return f"{clock[1]:0>2}{clock[2]}"
    if negative := _NEGATIVE.fullmatch(text):
        return f"-{value_text(negative[1], locale)}"
    parts = _PARTS.fullmatch(text)
    if parts is None:
        raise FormatError(f"{text!r} is not a number")
    has_money = parts["money"] or parts["coin"] or parts["unit"] not in (None, "%")
    if has_money and not locale.decimal and may_be_thousands(parts["digits"]):
        raise FormatError(f"{thousands_or_not(parts['digits'])}, or {SETTLE}")
    number = _plain_number(parts["digits"], locale)
    if parts["unit"] == "%":
        number = _scaled(number, -2)
    if parts["scale"] or (parts["money"] and parts["word"] == "m"):
        number = _scaled(number, _power(text, parts))
    return f"-{number}" if bool(parts["sign"]) != bool(parts["after"]) else number


def _scaled(number: str, power: int) -> str:
    number = format(Decimal(number).scaleb(power), "f")
    return number.rstrip("0").rstrip(".") if "." in number else number


def _power(text: str, parts: re.Match[str]) -> int:
    """Return the power of ten that a word or letter after a number means."""
    scale = (parts["scale"] or "m").lower().rstrip(".")
    if scale == "m" and not parts["money"] and not parts["coin"]:
        millions = _scaled(_plain_number(parts["digits"], Locale(".")), 6)
        raise FormatError(
            f"{text!r} is ambiguous; write {millions} for millions, or {parts['digits']} for meters"
        )
    return next(power for word, power in _SCALES.items() if re.fullmatch(rf"{word}\w*", scale))


def _time(clock: re.Match[str]) -> str:
    """Return a time such as 6am, 6:30 p.m. or 18.30 Uhr."""
    hour, minute = int(clock[1]), int(clock[2] or 0)
    if clock[3] is not None:
        if not 1 <= hour <= 12:
            raise FormatError(f"{clock.group()!r} is not a time; write times as 18:30")
        hour = hour % 12 + (12 if clock[3].lower() == "p" else 0)
    if minute > 59 or hour > 23:
        raise FormatError(f"{clock.group()!r} is not a time; write times as 18:30")
    return f"{hour:02}:{minute:02}"


def _iso(text: str, year: int, month: int, day: int) -> str:
    try:
        return dt.date(year, month, day).isoformat()
    except ValueError:
        raise FormatError(f"{text!r} is not a date") from None


def _date(written: re.Match[str], locale: Locale) -> str:
    first, sign, second, year = written.groups()
    day_first = True if sign == "." else locale.day_first
    if day_first is None and max(int(first), int(second)) > 12:
        day_first = int(first) > 12
    if day_first is None:
        raise FormatError(
            f"{written.group()!r} is ambiguous; write it as {year}-{int(second):02}-{int(first):02}"
            f" or {year}-{int(first):02}-{int(second):02}, or settle the order of day and month"
            " with locale=… (--locale en-GB or en-US)"
        )
    day, month = (first, second) if day_first else (second, first)
    try:
        return dt.date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        order = "day and month" if day_first else "month and day"
        raise FormatError(f"{written.group()!r} is not a date, read as {order}") from None


def _plain_number(digits: str, locale: Locale) -> str:
    digits = re.sub(r"[ \u00a0\u202f'’]", "", grouped := digits)
    if "," not in digits and "." not in digits:
        return _checked(digits, grouped)
    decimal = locale.decimal or ("," if digits != grouped and digits.count(",") == 1 else "")
    if not decimal:
        if "," not in digits and digits.count(".") == 1:
            return _checked(digits, grouped)  # the reader of cells checks points that may separate
        decimal = _own_decimal(digits)
    thousands = "," if decimal == "." else "."
    if digits.count(thousands) > 1 and not re.fullmatch(
        rf"\d{{1,3}}(?:\{thousands}\d{{3}})+(?:\{decimal}\d+)?", digits
    ):
        raise FormatError(
            f"{digits!r} is not a number; write lists with a space after each comma, as 5, 6, 7,"
            " and dates as 2026-01-31"
        )
    whole, *fraction = digits.split(decimal)
    if len(fraction) > 1 or (fraction and (thousands in fraction[0])):
        raise FormatError(f"{digits!r} is not a number with the decimal separator {decimal!r}")
    if thousands in whole and not re.fullmatch(rf"\d{{1,3}}(?:\{thousands}\d{{3}})+", whole):
        example = digits.replace(thousands, decimal)
        raise FormatError(
            f"{digits!r} is not a number with the decimal separator {decimal!r}, which other cells"
            f" or the locale settle; write {example}"
        )
    whole = whole.replace(thousands, "")
    return _checked(".".join([whole or "0", *fraction]), grouped)


def _own_decimal(digits: str) -> str:
    """Return the decimal separator that a number alone shows."""
    if "," in digits and "." in digits:
        return "," if digits.rindex(",") > digits.rindex(".") else "."
    sign = "," if "," in digits else "."
    if digits.count(sign) > 1:
        return "." if sign == "," else ","
    points = digits.replace(",", ".")
    whole, part = digits.split(",")
    either = f"{whole}{part} or {points}0" if len(part) == 3 else points
    if len(part) == len(whole) > 1:
        either += f", or {whole}, {part} with a space for two values"
    raise FormatError(f"{digits!r} is ambiguous; write {either}, or {SETTLE}")


def _checked(number: str, written: str) -> str:
    if re.match(r"0\d", number):
        raise FormatError(
            f"{written!r} begins with 0; quote it if it is text, or omit the leading 0"
        )
    return number


# --- conditions

_SIGNS: Final = {
    "<": "<", ">": ">", "<=": "<=", "=<": "<=", "≤": "<=", ">=": ">=", "=>": ">=", "≥": ">=",
    "!=": "!=", "<>": "!=", "≠": "!=", "=": "=", "==": "=",
}  # fmt: skip
_WORDS: Final = {
    "<": "(?:(?:up to|bis) )?(?:under|unter|below)|before|prior to"
    "|(?:less|fewer|lower|smaller|younger|earlier) than"
    "|vor(?: dem)?|(?:weniger|kleiner|jünger|niedriger|früher) als|moins de|avant(?: le)?"
    "|inférieure? à|(?:en|au)[- ]dessous de|unterhalb(?: von)?"
    "|por debajo de|menos de|menor(?:es)? (?:de|que)|antes del?|inferior a|onder|minder dan"
    "|jonger dan|kleiner dan|lager dan",
    ">": "over|above|after|(?:more|greater|higher|larger|bigger|older|later) than"
    "|über|nach(?: dem)?|(?:mehr|größer|älter|höher|später) als|plus de|après(?: le)?"
    "|supérieure? à|au[- ]dessus de|au[- ]delà de|oberhalb(?: von)?"
    "|por encima de|más de|mayor(?:es)? (?:de|que)|después del?|superior a|boven|meer dan"
    "|ouder dan|groter dan|hoger dan",
    ">=": "at least|from|since|starting (?:at|from)|min(?:imum|\\.)?|(?:not|no) less than"
    "|(?:on or after|on/after|after or on)|ab(?: dem)?|seit(?: dem)?|mindestens|à partir d[eu]"
    "|depuis(?: le)?|dès|au moins|(?:a partir|desde) (?:del?|el)|desde|al menos|como mínimo"
    "|mínimo|vanaf|minstens|minimaal|ten minste",
    "<=": "at most|(?:the )?first|up to(?: and including)?|max(?:imum|\\.)?|(?:not|no) more than"
    "|(?:on or before|on/before|before or on)|höchstens|maximal"
    "|bis(?: zum?| zur| einschließlich| einschl\\.?| inkl\\.?)?"
    "|jusqu['’](?:à|au)|au plus|hasta(?: el)?|como máximo|máximo"
    "|tot en met|t/m|hoogstens|maximaal|ten hoogste",
}
_ORDER: Final = rf"(<=|>=|=<|=>|<>|!=|==|[<>=≤≥≠]|(?:{'|'.join(_WORDS.values())})(?=\s))"
_SIGN: Final = r"(<=|>=|=<|=>|[<>≤≥])"
_FLIPPED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_MORE: Final = (
    "(?:more|over|above|older|up|upwards?|higher|greater|later|after|mehr|älter|darüber|höher|plus"
    "|más|mayores|superior|meer|ouder|hoger)"
)
_LESS: Final = (
    "(?:less|under|below|younger|lower|fewer|earlier|before|weniger|jünger|darunter|moins|menos"
    "|menores|inferior|minder|jonger|lager)"
)
_FLAGS: Final = re.IGNORECASE | re.DOTALL


def _pattern(text: str) -> re.Pattern[str]:
    return lazy(text.replace(" ", r"\s*").replace("V", _VALUE), _FLAGS)


_NEGATIVE: Final = lazy(rf"\(\s*((?:{_MONEY}\s?)?{_DIGITS}(?:\s?%|\s?{_MONEY})?)\s*\)", _FLAGS)
# A negative amount in parentheses, alone or in a part of a cell; those of not(…) are its own.
_PART_NEGATIVE: Final = lazy(rf"(?:^|(?<=[<>=≤≥\s(\[,;|.–—-]))(?<!in\s){_NEGATIVE.pattern}", _FLAGS)
_RANGE: Final = _pattern(
    r"V (?:-|–|—|~|\bto\b|\bbis\b|\bà\b|\ba\b|\bt/m\b|\btot en met\b|\.\.\.?) V"
)
_BELOW: Final = _pattern(
    r"(?:von\s+|from\s+)?V (?:-|–|—|\.\.|\bto\b|\bbis\b) (?:\bunder\b|\bunter\b|\bbelow\b|<) V"
)
_OPEN: Final = _pattern(r"V \.\.\.?|\.\.\.? V")
_BRACKETS: Final = _pattern(r"([\[(\]]) V (?:-|–|—|;|\bto\b|\.\.\.?) V ([\])\[])")
_BETWEEN: Final = _pattern(
    r"(?:between\s+V\s+and|from\s+V\s+(?:to|-|–)|zwischen\s+V\s+und|von\s+V\s+bis|entre\s+V\s+(?:et|y)"
    r"|d[eu]l?\s+V\s+(?:à|a|au|al)|del\s+V\s+al|van\s+V\s+(?:t/m|tot en met)|tussen\s+V\s+en)\s+V"
)
_OR_AND: Final = "(?:&|or|and|oder|und|ou|et|o|y|of|en)"
_UP: Final = _pattern(rf"V (?:(?:{_OR_AND} )?\+|{_OR_AND}\s+{_MORE})(?: {_UNIT})?")
_DOWN: Final = _pattern(rf"V {_OR_AND}\s+{_LESS}(?: {_UNIT})?")
_COMPARED: Final = _pattern(rf"{_ORDER} V")
_TWICE: Final = _pattern(rf"({_ORDER} V) (,?) ({_ORDER} V)")
_OR_WORD: Final = lazy(r"\s(?:or|oder|ou|o)\s", re.IGNORECASE)
_CHAIN: Final = _pattern(rf"V {_SIGN} (\S.*?) {_SIGN} V")
_NAME_FIRST: Final = _pattern(rf"([^\W\d].*?) {_ORDER} V")
_NAME_LAST: Final = _pattern(rf"V {_SIGN} ([^\W\d].*?)")
_AND: Final = lazy(
    r"\s*(?:\band\b|\bbut\b|\bund\b|\bet\b|\by\b|&&?)\s*(?=[<>=≤≥!]|[^\W\d])"
    r"|(?<=\d)\s*(?=[<>≤≥])",
    _FLAGS,
)
_NOT: Final = lazy(
    r"(?:not|except|excluding|other than|(?:all|any|anything|everything) (?:but|except)|nicht"
    r"|(?:(?:alle|alles|tous|toutes|tout|todos|todas|todo) )?"
    r"(?:außer|ausser|sauf|excepté|excepto|salvo|menos))\s+(.+)",
    _FLAGS,
)
_NOT_CALL: Final = lazy(r"not\s*\((.*)\)", _FLAGS)
_OR: Final = lazy(
    r"(?:,\s*)?(?:(?<=\s)|(?<=,))(?:or|OR|oder|ODER|ou|OU)\s+|[;|\n\r]+|,\s+|,(?!\d)|,(?=\d{4}-)"
)
_OR_MORE: Final = lazy(rf"{_MORE}|{_LESS}|better|worse|besser|schlechter|mejor|peor", _FLAGS)
_EITHER: Final = lazy(r"(?:either|one of)\s+", re.IGNORECASE)
_CURLY: Final = lazy(r"[“”„«»‘’‚']([^“”„«»‘’‚']*)[“”«»‘’']")
_VALUE_ONLY: Final = lazy(_VALUE, re.IGNORECASE)
_UNEQUAL: Final = lazy(r"(?:!|<>|!=|≠)\s*([^\s\d<>=!(][^<>=!(),;|]*)")
_SELF: Final = frozenset({"x", "value", "it", "?"})
_WHOLE_PRICE: Final = lazy(r"(?<=\d)[.,][-–—](?!\d)")  # 500,- €
_SEPARATOR: Final = lazy(r"[;|]|(?<!\d),|,(?!\d)")  # a comma in 2,5 separates no values
_SEPARATED: Final = lazy(r"\d[.,]\d|\d[,;]\d|(?<!\d)[.,]\d")


def _check_scales(low: str, high: str) -> None:
    """Raise an error if only the end of a range has a scale, as in ``10-20k``."""
    parts = _PARTS.fullmatch(low.strip()), _PARTS.fullmatch(high.strip())
    scales = [(match["scale"] or "").strip() if match else "" for match in parts]
    if scales[1] and not scales[0]:
        text = f"{low.strip()}-{high.strip()}"
        raise FormatError(
            f"{text!r} is ambiguous; write {low.strip()}{scales[1]}-{high.strip()}, or the numbers"
            " in full"
        )


def _are_times(*values: str) -> bool:
    return all(map(_TIME.fullmatch, values))


_SPANS: Final = {
    "minutes": ("minutes", 1), "hours": ("minutes", 60), "days": ("days", 1), "weeks": ("days", 7),
    "months": ("months", 1), "years": ("months", 12), "g": ("g", 1), "kg": ("g", 1000),
    "mm": ("mm", 1), "cm": ("mm", 10), "m": ("mm", 1000),
}  # fmt: skip


def _check_units(low: str, high: str) -> None:
    """Raise an error for a range between two units, and for one between 6 and 10pm."""
    text = f"{low} - {high}"
    if low.isdecimal() and high.lower().replace(".", "").endswith(("am", "pm")):
        raise FormatError(f"{text!r} is ambiguous; write {low}am-{high} or {low}pm-{high}")
    units = [min(same_money(units_of(value)), default="") for value in (low, high)]
    if "" in units or units[0] == units[1]:
        return
    (base, one), (other, many) = (_SPANS.get(unit, (unit, 1)) for unit in units)
    numbers = [re.match(r"\d+(?=\D|$)(?![.,]\d)", value) for value in (low, high)]
    way_out = "write both in one unit"
    if base == other and all(numbers):
        first, last = (int(n.group()) for n in numbers if n)
        smaller = units[0] if one <= many else units[1]
        scale = min(one, many)
        way_out = f"write {first * one // scale}-{last * many // scale} {smaller}"
    raise FormatError(f"{text!r} is in {units[0]} and {units[1]}; {way_out}")


def is_amount(text: str) -> bool:
    """Return whether an outcome is a number, with separators, a currency or a percent sign."""
    if len(text) > LONGEST_BARE:
        return False
    if parts := _PARTS.fullmatch(text):
        return not parts["scale"] and not parts["word"]
    return _NEGATIVE.fullmatch(text) is not None


def units_of(text: str) -> set[str]:
    """Return the units, currencies and percent signs after or before the numbers of a cell."""
    units = {mark.upper() for mark in _MARKS.findall(text)}
    for match in _WITH_UNIT.finditer(text):
        word = match[1] or match[2]
        units |= {name for name, pattern in _UNIT_NAMES.items() if pattern.fullmatch(word)}
    return units


def same_money(units: Iterable[str]) -> set[str]:
    """Return units with one spelling per currency."""
    return {_SAME_MONEY.get(unit, unit) for unit in units}


_SAME_MONEY: Final = {"EUR": "€", "EURO": "€", "USD": "$", "GBP": "£"}
_MARKS: Final = lazy(r"[$€£¥%]|EUR|USD|GBP|CHF")
_WITH_UNIT: Final = lazy(rf"\d\+?\s?({_UNIT})|(?:{_MORE}|{_LESS})\s+({_UNIT})", re.IGNORECASE)
_UNIT_NAMES: Final = {
    name: lazy(words.replace(r"(?<=\s)", ""), re.IGNORECASE) for name, words in _UNITS.items()
}


def is_condition(text: str) -> bool:
    """Return whether a text is a comparison or a range of numbers or dates."""
    if not _has_digit(text):
        return False  # every comparison and range has a number
    for locale in (Locale("."), Locale(",")):
        try:
            spelling = respelled(text, "", locale)
        except FormatError:
            continue
        return spelling is not None and spelling[:1] in "<>[("
    return False


def needs_locale(text: str, locale: Locale) -> bool:
    """Return whether a cell that can be parsed has another meaning in a locale."""
    if _WHOLE_PRICE.search(text) or (not text.isascii() and text.translate(_HALF_WIDTH) != text):
        return True
    if "(" in text and _PART_NEGATIVE.search(_with_call(text)):
        return True
    return locale.decimal == "," and _SEPARATED.search(text) is not None


def respelled(text: str, header: str, locale: Locale) -> str | None:
    """Return a cell as a unary test, None if it has no other meaning than its text.

    >>> respelled("18-25", "age", Locale()), respelled("over 1,000", "age", Locale("."))
    ('[18..25]', '> 1000')
    >>> respelled("10 <= Age < 20", "age", Locale()), respelled("nurse; clerk", "job", Locale())
    ('[10..20)', 'nurse, clerk')
    >>> respelled("< (500)", "balance", Locale()), respelled("over (100)", "balance", Locale())
    ('< -500', '> -100')
    >>> respelled("not((500))", "balance", Locale()), respelled("< 18, > −5", "age", Locale())
    ('not(-500)', '< 18, > -5')
    """
    if re.search(r"\s{50}", text):
        return None  # nobody writes that, and patterns would try all ways to split the blanks
    plain = _with_call(text.translate(_HALF_WIDTH).strip())
    # with a sign that joins no range, unlike a hyphen: 3 (5) is not 3-5
    negated = _PART_NEGATIVE.sub(lambda match: f"−{match[1]}", plain)
    found = _as_test(negated, header, locale)
    if negated == plain:
        is_loud = plain.startswith("not(") and not text.lstrip().startswith("not")
        return plain if found is None and is_loud else found
    return (negated if found is None else found).replace("−", "-")


def _as_test(text: str, header: str, locale: Locale) -> str | None:
    """Return a cell without negative amounts in parentheses as a unary test, None as above."""
    text = re.sub(r"([<>])\s+(?==)", r"\1", text)
    text = _WHOLE_PRICE.sub("", text)
    spell = _Speller(header, locale)
    if means_any(text):
        return "-"
    if inner := _NOT_CALL.fullmatch(text):
        listed = spell.listed(inner[1])
        return None if listed is None else f"not({listed})"
    if len(text) > LONGEST_BARE:
        return spell.listed(text)
    if (excluded := _NOT.fullmatch(text)) and not _is_order(text):
        return spell.excluded(excluded[1])
    unequal = _UNEQUAL.fullmatch(text)
    if unequal and not _VALUE_ONLY.fullmatch(unequal[1]):  # != -1.200 is a comparison
        return f"not({unequal[1].strip()})"
    return spell.listed(text)


def _with_call(text: str) -> str:
    """Return ``not (5)`` as ``not(5)``, whose parentheses do not make a number negative."""
    call = _NOT_CALL.fullmatch(text.strip())
    return text if call is None else f"not({call[1]})"


def reread(text: str, locale: Locale) -> str | None:
    """Return words that are more than a text as a unary test, None for a text."""
    text = text.strip()
    if len(text) > LONGEST_WORDS:
        return None
    if (part := _PART_OF.fullmatch(text)) and not means_any(part[1]):
        raise FormatError(
            f"{text!r} is ambiguous; write the values that it includes one by one, or"
            f" {quote(text)} in quotes for the text"
        )
    spell = _Speller("", locale, names=False)
    if inner := _NOT_CALL.fullmatch(text):
        listed = spell.listed(inner[1])
        return None if listed is None else f"not({listed})"
    return spell.listed(text)


def _is_order(text: str) -> bool:
    return _has_digit(text) and _COMPARED.fullmatch(text) is not None


def _has_digit(text: str) -> bool:
    """Return whether a text may contain a number, date or time; patterns for them take long."""
    return any(map(str.isdecimal, text))


def _uncurled(text: str) -> str | None:
    """Return a text in typographic quotes with straight ones."""
    curly = _CURLY.fullmatch(text)
    return None if curly is None else quote(curly[1])


class _Speller:
    """Respells the parts of one cell."""

    def __init__(self, header: str, locale: Locale, *, names: bool = True) -> None:
        plain = " ".join(header.casefold().split())
        self.may_name = names
        """Whether a cell may name its column, as in ``age < 18``."""
        self.names = _SELF | {plain, re.sub(r"\s*[(\[].*", "", plain)}  # without a unit
        self.locale = locale

    def value(self, text: str) -> str:
        return value_text(text.strip(), self.locale)

    def excluded(self, text: str) -> str | None:
        """Return the negation of one value or condition."""
        if re.search(r",|;|\n|\||\b(?:or|oder|nor|and|und)\b", STRING.sub("", text)):
            raise FormatError(
                "it is unclear which values are excluded; write not(a, b) for every value except a"
                " and b"
            )
        item = self.item(text.strip())
        return f"not({text.strip() if item is None else item})"

    def listed(self, text: str) -> str | None:
        """Return a list of items; None if nothing has to be respelled."""
        if len(text) <= LONGEST_BARE:
            sides = [side.strip() for side in _OR_WORD.split(text, maxsplit=1)]
            if len(sides) == 2 and all(map(_is_order, sides)):  # < 5 or > 9
                return ", ".join(self.comparison(side) or side for side in sides)
            whole = self.item(text)
            if whole is not None:
                return whole
        parts = _split(_EITHER.sub("", text))
        if len(parts) < 2 or any(len(part) > LONGEST_BARE for part in parts):
            return None
        if _OR_MORE.fullmatch(parts[-1]):
            raise FormatError(
                f"{text.strip()!r} is ambiguous; write the values that it includes one by one, or"
                f" {quote(text.strip())} in quotes for the text"
            )
        items = []
        for part in parts:
            if means_any(part) or _NOT.fullmatch(part):
                return None  # the parser reports it
            items.append(self.item(part) or part)
        return ", ".join(items)

    def item(self, text: str) -> str | None:
        text = text.strip()
        if _has_digit(text):
            if reason := _unclear(text):
                raise FormatError(reason)
            if _NEGATIVE.fullmatch(text) or _VALUE_ONLY.fullmatch(text):
                return self.value(text)
        if words := listed_words(text):
            return words
        if not _has_digit(text):
            return _uncurled(text)
        if bounds := _BETWEEN.fullmatch(text):
            low, high = (value for value in bounds.groups() if value)
            return self.range("[", low, high, "]")
        if bounds := _RANGE.fullmatch(text):
            _check_scales(bounds[1], bounds[2])
            return self.range("[", bounds[1], bounds[2], "]")
        if bounds := _BELOW.fullmatch(text):
            return self.range("[", bounds[1], bounds[2], ")")
        if bounds := _OPEN.fullmatch(text):
            return f">= {self.value(bounds[1])}" if bounds[1] else f"<= {self.value(bounds[2])}"
        if bounds := _BRACKETS.fullmatch(text):
            return self.range(bounds[1], bounds[2], bounds[3], bounds[4])
        if self.may_name and (chain := _CHAIN.fullmatch(text)) and self.is_column(chain[3]):
            return self.both(_FLIPPED[_sign(chain[2])], chain[1], _sign(chain[4]), chain[5])
        if joined := self.joined(text):
            return joined
        return _uncurled(text) or self.comparison(text)

    def comparison(self, text: str) -> str | None:
        order, value = self.compared(text)
        return f"{order} {self.value(value)}" if order else None

    def compared(self, text: str) -> tuple[str, str]:
        """Return the operator and the value of a comparison; "" if it is none."""
        if match := _COMPARED.fullmatch(text):
            return _sign(match[1]), match[2]
        if match := _UP.fullmatch(text):
            return ">=", match[1]
        if match := _DOWN.fullmatch(text):
            return "<=", match[1]
        if not self.may_name:
            return "", ""
        if (match := _NAME_FIRST.fullmatch(text)) and self.is_column(match[1]):
            return _sign(match[2]), match[3]
        if (match := _NAME_LAST.fullmatch(text)) and self.is_column(match[3]):
            return _FLIPPED[_sign(match[2])], match[1]
        return "", ""

    def joined(self, text: str) -> str | None:
        """Return two comparisons that are joined by "and" as a range."""
        twice = _TWICE.fullmatch(text)  # über 2 bis 10
        if twice and twice[4] and twice[2] in _SIGNS and twice[6] in _SIGNS:
            return None  # a comma between signs means "or", however their values are written
        parts = [twice[1], twice[5]] if twice else _AND.split(text)
        if len(parts) != 2:
            return None
        (low, a), (high, b) = map(self.compared, parts)
        if low in ("<", "<="):
            low, a, high, b = high, b, low, a
        if low not in (">", ">=") or high not in ("<", "<="):
            return None
        return self.both(low, a, high, b)

    def both(self, low: str, a: str, high: str, b: str) -> str | None:
        if low[0] != ">" or high[0] != "<":
            if low[0] == high[0]:
                return None
            low, a, high, b = high, b, low, a
        return self.range("[" if low == ">=" else "(", a, b, "]" if high == "<=" else ")")

    def range(self, opening: str, low: str, high: str, closing: str) -> str:
        _check_units(low.strip(), high.strip())
        if re.fullmatch(r"24:00|24(?:[:.]00)?\s?uhr", high.strip(), re.IGNORECASE):
            is_time = ":" in low or _ON_CLOCK.fullmatch(low.strip())
            start = self.value(low if is_time else f"{low.strip()} Uhr")
            return f"{'>=' if opening == '[' else '>'} {start}"  # until the end of the day
        a, b = self.value(low), self.value(high)
        if "%" in high and "%" not in low:
            a = self.value(f"{low.strip()}%")  # 10-20%
        if high.strip().lower().endswith("uhr") and re.fullmatch(r"\d{1,2}(?:\.\d\d)?", a):
            a = self.value(f"{low.strip()} Uhr")  # 8-17 Uhr
        if _are_times(a, b) and a > b:  # over midnight
            return f"{'>=' if opening == '[' else '>'} {a}, {'<=' if closing == ']' else '<'} {b}"
        if _key(a) > _key(b):
            whole = b.replace(".", "")
            way_out = "write the smaller value first"
            if may_be_thousands(b) and _key(a) <= _key(whole):
                way_out = f"write {whole} if its point separates thousands"
            raise FormatError(f"the range ends before it begins: {a} to {b}; {way_out}")
        return f"{opening}{a}..{b}{closing}"

    def is_column(self, name: str) -> bool:
        """Return whether a name in a condition is that of its column."""
        plain = " ".join(name.casefold().split())
        if plain not in self.names:
            if re.fullmatch(r"[\w ]+", plain) and not plain[0].isdigit():
                raise FormatError(
                    f"the cell compares {name!r}, but it is in another column; move the condition"
                    " to a column of that name"
                )
            return False
        return True


_MONTH_TEXT: Final = rf"(?:({MONTH})[\s-]+(\d{{4}})|(\d{{4}})-(0[1-9]|1[0-2]))"
_COMPARED_MONTH: Final = lazy(rf"{_ORDER}\s*{_MONTH_TEXT}", _FLAGS)
_MONTHS: Final = lazy(rf"{_MONTH_TEXT}\s*(?:-|–|—|to|bis)\s*{_MONTH_TEXT}", _FLAGS)
_ISO_MONTH: Final = lazy(r"()()(\d{4})-(0[1-9]|1[0-2])")
_DAYS: Final = lazy(
    r"[\[(\]]?\s*(\d{1,2})\.(\d{1,2})\.?\s*(?:-|–|—|to|bis|\.\.\.?)\s*(\d{1,2})\.(\d{1,2})\.\s*[\])\[]?",
    _FLAGS,
)
_FRACTION: Final = lazy(r"(\d{1,3})/([1-9]\d?)")
_TOT: Final = _pattern(r"(?:van\s+)?(?:V\s)? tot\s+V")
_TRAILING: Final = _pattern(r"V [-–—−]")
_PART_OF: Final = lazy(
    r"(\S.*?)\s+(?:except|excluding|but not|außer|ausser|sauf|excepto|salvo)(?:\s+for)?\s+\S.*",
    _FLAGS,
)


def _unclear(text: str) -> str:
    """Return why a text that contains a number or month has no single meaning, "" if it may."""
    if compared := _COMPARED_MONTH.fullmatch(text):
        order, (first, after) = _sign(compared[1]), _days(compared.groups()[1:])
        bound = {"<": f"< {first}", "<=": f"< {after}", ">": f">= {after}", ">=": f">= {first}"}
        if order in bound:
            return f"{text!r} compares with a month; write dates, as {bound[order]}"
    if span := _MONTHS.fullmatch(text):
        (first, _), (_, after) = _days(span.groups()[:4]), _days(span.groups()[4:])
        return f"{text!r} is a range of months; write dates, as [{first}..{after})"
    if month := _ISO_MONTH.fullmatch(text):
        first, after = _days(month.groups())
        return (
            f"{text!r} may be a month; write [{first}..{after}) for its days, or {quote(text)} in"
            " quotes for the text"
        )
    if days := _DAYS.fullmatch(text):
        a, b, c, d = map(int, days.groups())
        dates = f"[2026-{b:02}-{a:02}..2026-{d:02}-{c:02}]"
        return f"{text!r} has dates without a year; write them with it, as {dates}"
    if fraction := _FRACTION.fullmatch(text):
        number = int(fraction[1]) / int(fraction[2])
        return (
            f"{text!r} is ambiguous; write {number:.6g} for the number, dates as 2026-01-31, or"
            f" {quote(text)} in quotes for the text"
        )
    if dutch := _TOT.fullmatch(text):
        low, high = dutch.groups()
        start = f">= {low} and " if low else ""
        return f"{text!r} is ambiguous; write {start}< {high} or {start}<= {high}"
    if trailing := _TRAILING.fullmatch(text):
        value = trailing[1]
        return f"{text!r} is ambiguous; write >= {value} for at least {value}, or -{value}"
    return ""


def _days(month: tuple[str | None, ...]) -> tuple[dt.date, dt.date]:
    """Return the first day of a month and the one after its last."""
    name, year, iso_year, number = month
    place = month_number(name) if name else int(number or 1)
    first = dt.date(int(year or iso_year or 1), place, 1)
    return first, (first + dt.timedelta(days=31)).replace(day=1)


def _sign(written: str) -> str:
    if sign := _SIGNS.get(written):
        return sign
    plain = " ".join(written.split())
    return next(s for s, words in _WORDS.items() if re.fullmatch(words, plain, re.IGNORECASE))


def _key(value: str) -> tuple[int, Any]:
    return (0, Decimal(value)) if _PLAIN.fullmatch(value) else (1, value)


def _split(text: str) -> list[str]:
    """Return the parts of a list; separators in quotes and brackets do not count."""
    strings = STRING.findall(text)
    masked = STRING.sub("\0", text)
    masked = re.sub(r"[\[(][^\[\]()]*[\])\[]", lambda m: _SEPARATOR.sub("\1", m.group()), masked)
    if "\1" in masked:
        return []
    parts = [part.strip() for part in _OR.split(masked)]
    rest = iter(strings)
    return [re.sub("\0", lambda _: next(rest), part) for part in parts if part]
