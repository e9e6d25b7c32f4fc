"""Words in an order: weekdays, months, quarters, sizes, letters and numbered names.

``Mon-Fri`` can only mean five days, and is read so; so can ``weekdays`` beside days. ``A-C`` may be
a range or a name, and is refused with both spellings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from irenic.errors import FormatError
from irenic.formats.feel.doubtful_cells import DAY_SETS, UNCLEAR_DAYS
from irenic.model.literals import quote
from irenic.model.patterns import lazy

_DAYS: Final = (
    "mon tue wed thu fri sat sun",
    "monday tuesday wednesday thursday friday saturday sunday",
    "mo di mi do fr sa so",
    "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "lun mar mer jeu ven sam dim",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lun mar mié jue vie sáb dom",
    "lunes martes miércoles jueves viernes sábado domingo",
    "ma di wo do vr za zo",
    "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "lun mar mer gio ven sab dom",
    "lunedì martedì mercoledì giovedì venerdì sabato domenica",
)
MONTHS: Final = (
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "january february march april may june july august september october november december",
    "jan feb mär apr mai jun jul aug sep okt nov dez",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "janv févr mars avr mai juin juil août sept oct nov déc",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "ene feb mar abr may jun jul ago sep oct nov dic",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "jan feb mrt apr mei jun jul aug sep okt nov dec",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "gen feb mar apr mag giu lug ago set ott nov dic",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
)
"""The names of months in several languages, short and long."""
_FAMILIES: Final = tuple(tuple(tuple(w.split()) for w in family) for family in (_DAYS, MONTHS))
_QUARTERS: Final = ("q1", "q2", "q3", "q4")
_SIZES: Final = ("xxs", "xs", "s", "m", "l", "xl", "xxl", "xxxl")
_ROMAN: Final = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_SPAN: Final = lazy(
    r"(?:(?:from|von|de|du|van)\s+)?([^\W\d_]+\d?)\.?"
    r"(?:\s*[-–—]\s*|\s+(?:to|through|thru|bis|à|au?|al|t/m|tot en met)\s+)([^\W\d_]+\d?)\.?",
    re.IGNORECASE,
)
_BOTH: Final = lazy(r"\s*(?:[&+/]|(?<=\s)(?:and|und|et|y)(?=\s))\s*", re.IGNORECASE)
_ON: Final = lazy(r"(q[1-4])(?:\s*\+|\s+(?:and|or)\s+(?:later|after))", re.IGNORECASE)
_NUMBERED: Final = lazy(
    r"([^\W\d_][\w ]*?[^\W\d]\s*|[^\W\d_]\s*)(\d{1,3})\s*[-–—]\s*(.*?)(\d{1,3})"
)
_MOST: Final = 50
LONGEST_WORDS: Final = 80
"""Longer texts are never ranges of words."""
_SHOWN: Final = 6


def listed_words(text: str) -> str | None:
    """Return days, months or quarters one by one, None for other texts.

    Raise an error for a text that may be a range of words, or a name.
    """
    if len(text) > LONGEST_WORDS:
        return None
    if later := _ON.fullmatch(text):
        quarter = later[1].lower()
        return _like(later[1], _QUARTERS[_QUARTERS.index(quarter) :])
    if (span := _SPAN.fullmatch(text)) and (words := _between(text, span[1], span[2])):
        return words
    parts = _BOTH.split(text)
    if len(parts) > 1 and _same_family(parts):
        return ", ".join(parts)
    if numbered := _NUMBERED.fullmatch(text):
        prefix, low, again, high = numbered.groups()
        if again in ("", prefix) and int(low) < int(high) <= int(low) + _MOST:
            width = len(low)
            values = [f"{prefix}{n:0{width}}" for n in range(int(low), int(high) + 1)]
            raise _ambiguous(text, values)
    return None


# --- sets of days, and lists of all days, months or quarters


def days_meant(texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the days that words such as ``weekdays`` mean, in the language of days beside them.

    Raise an error for words that mean five or six days.
    """
    texts = list(texts)
    plain = [text.strip().casefold() for text in texts]
    names, example = next(
        (
            (names, text)
            for names in _FAMILIES[0]
            if (known := [t for t, word in zip(texts, plain, strict=True) if word in names])
            for text in known[:1]
            if all(word in names or not is_day(word) for word in plain)
        ),
        ((), ""),
    )
    meant: dict[str, tuple[str, ...]] = {}
    for text, word in zip(texts, plain, strict=True) if names else ():
        if UNCLEAR_DAYS.fullmatch(word):
            days = [_like(example, names[:n]).replace(", ", ",") for n in (5, 6)]
            raise FormatError(
                f"{text!r} is ambiguous beside days; write {' or '.join(days)}, or"
                f" {quote(text)} in quotes for the text"
            )
        if places := _day_set(word):
            meant[text] = tuple(_like(example, tuple(names[i] for i in places)).split(", "))
    return meant


def is_day(text: str) -> bool:
    """Return whether a text is a day of the week, in any language."""
    return any(text.strip().casefold() in names for names in _FAMILIES[0])


def whole_list(texts: Iterable[str]) -> str:
    """Return what texts list all of, such as ``days of the week``; "" if they do not."""
    plain = {text.strip().rstrip(".").casefold() for text in texts}
    for noun, families in zip(("days of the week", "months"), _FAMILIES, strict=True):
        if any(plain.issuperset(names) for names in families):
            return noun
    if plain.issuperset(_QUARTERS):
        return "four quarters"
    return "days of the week" if set(map(_day_set, plain)) == set(DAY_SETS) else ""


def _day_set(word: str) -> range | None:
    return next((d for d, words in DAY_SETS.items() if re.fullmatch(words, word)), None)


def is_ordered(text: str) -> bool:
    """Return whether a text is a day, a month, a quarter or a size, or a range of them."""
    words = [part.strip().rstrip(".") for part in re.split("[-–—]", text)]
    return _same_family(words) or all(word.casefold() in _SIZES for word in words)


def _between(text: str, first: str, last: str) -> str | None:
    a, b = first.casefold(), last.casefold()
    for family in _FAMILIES:
        if not all(any(word in words for words in family) for word in (a, b)):
            continue
        for words in family:
            if a in words and b in words and a != b:
                start, end = words.index(a), words.index(b)
                # a range may go on after the end of the week or year
                places = range(start, end + 1 + (len(words) if end < start else 0))
                return _like(first, tuple(words[i % len(words)] for i in places))
        if a != b:
            raise FormatError(
                f"{text!r} mixes short and long names, or two languages; write the values one by"
                " one, separated by commas"
            )
    for words in (_QUARTERS, _SIZES, _ROMAN, tuple("abcdefghijklmnopqrstuvwxyz")):
        same_case = first.isupper() == last.isupper()
        if a in words and b in words and same_case and words.index(a) < words.index(b):
            values = _like(first, words[words.index(a) : words.index(b) + 1])
            if words is _QUARTERS:
                return values
            raise _ambiguous(text, values.split(", "))
    return None


def _same_family(parts: list[str]) -> bool:
    words = [part.strip().rstrip(".").casefold() for part in parts]
    if all(word in _QUARTERS for word in words):
        return True
    return any(all(word in names for word in words) for family in _FAMILIES for names in family)


def _like(example: str, words: tuple[str, ...]) -> str:
    """Return words as a list, in upper or lower case like an example."""
    style = str.upper if example.isupper() else str.lower if example.islower() else str.capitalize
    return ", ".join(map(style, words))


def _ambiguous(text: str, values: list[str]) -> FormatError:
    more = [*values[: _SHOWN - 2], "…", values[-1]] if len(values) > _SHOWN else values
    return FormatError(
        f"{text!r} is ambiguous; write {', '.join(more)} for all values from {values[0]} to"
        f" {values[-1]}, or {quote(text)} in quotes for the text"
    )


# --- months

_MONTH: Final = {w: n for names in MONTHS for n, w in enumerate(names.split(), 1)}
MONTH: Final = rf"(?:{'|'.join(sorted(_MONTH, key=len, reverse=True))}|sept|mrz)\.?"
"""Matches the name of a month, in any language."""


def month_number(name: str) -> int:
    """Return the number of a month."""
    return (_MONTH | {"sept": 9, "mrz": 3})[name.rstrip(".").casefold()]
