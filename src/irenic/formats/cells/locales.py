"""How numbers and dates are written: given as a locale, or settled by the cells of a table."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from irenic.errors import FormatError
from irenic.model.patterns import lazy

LONGEST_BARE: Final = 1_000
"""Maximum length of a value without quotes."""
STRING: Final = lazy(r'(?<!\\)"(?:[^"\\]|\\.)*"', re.DOTALL)
"""A text in quotes; one that has no end is looked for only once, not from every quote in it."""
SETTLE: Final = "settle the decimal separator with locale=… (--locale de or en)"
"""How to settle whether a point or a comma is a decimal separator."""


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
