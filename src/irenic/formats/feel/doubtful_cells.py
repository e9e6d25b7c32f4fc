"""Ambiguous cells of spreadsheets.

Text without quotes is an error if people also write conditions like this (``any``, ``not nurse``,
``under 18``), and is read with a warning if it is more likely a value (``n/a``, ``nurse/clerk``).
Quoted text is never ambiguous. Ambiguous columns are found in
:mod:`irenic.formats.sheets._doubtful_columns`.
"""

from __future__ import annotations

import re
from typing import Final

from irenic.frames.csv import may_be_thousands
from irenic.frames.xlsx import ERRORS
from irenic.model.literals import quote
from irenic.model.patterns import lazy

# --- text without quotes

LONGEST_BARE: Final = 1_000
"""Maximum length of a value without quotes: patterns take quadratic time for some longer ones."""
_ANY: Final = frozenset(
    {"any", "all", "anything", "everything", "whatever", "any value", "all values", "don't care"}
    | {"alle", "beliebig", "egal", "tous", "toutes", "quelconque", "todos", "todas", "cualquiera"}
)
_ELSE: Final = frozenset(
    {"else", "otherwise", "all other", "all others", "any other", "anything else"}
    | {"all other cases", "in all other cases", "any other case", "other cases", "all the rest"}
    | {"everything else", "sonst", "ansonsten", "alle anderen", "sinon", "tous les autres"}
    | {"alle anderen fälle", "in allen anderen fällen", "alle übrigen", "alle übrigen fälle"}
    | {"toutes les autres", "tous les autres cas", "dans tous les autres cas", "en otro caso"}
    | {"todos los demás", "todos los demás casos", "en los demás casos"}
)
_MISSING: Final = frozenset(
    {"na", "n/a", "n.a.", "nan", "none", "blank", "empty", "missing", "(blank)", "fehlt", "leer"}
    | {"k. a.", "k.a.", "keine angabe"}
    | {"manquant", "vide", "vacío"}
)
_UNKNOWN: Final = frozenset({"unknown", "not known", "unbekannt", "inconnu", "desconocido"})
_OTHER: Final = lazy(
    r"default|others?|(?:the )?rest|(?:all|any|every) (?:the )?(?:others?|rest)\b.*"
    r"|remaining|rest of(?: the)? .+|(?:all )?remaining .+"
    r"|andere|übrige|sonstiges?|restliche|rest der .+|autres?|le reste|reste d[ue] .+|otros?|otras?"
    r"|(?:el )?resto|resto del? .+|por defecto|par défaut"
)
DAY_SETS: Final = {
    range(5): r"weekdays?|work(?:ing )?days?|business days?|unter der woche|(?:en )?semaine"
    r"|jours? ouvrés?|entre semana|werkdag(?:en)?|weekdag(?:en)?|doordeweeks|feriali",
    range(5, 7): r"week-?ends?|wochenenden?|fin(?:es)? de semana|weekeinden?|fine settimana",
}
"""Words that mean several days, beside names of days; days are counted from Monday."""
UNCLEAR_DAYS: Final = lazy(
    r"werktags?|werktage|wochentags?|wochentage|jours? ouvrables?|(?:días )?laborables?", re.I
)
"""Words that mean five or six days."""
_TOTAL: Final = lazy(
    "(?:(?:grand|sub)[ -]?)?totals?|sum|summe|gesamt(?:summe)?|insgesamt|zwischensumme|totaux|suma"
)
_COMPARED: Final = {
    "<": "under|below|before|(?:less|fewer|lower|smaller|younger|earlier) than|unter",
    ">": "over|above|after|(?:more|greater|higher|larger|older|later) than|über",
    ">=": "at least|from|since|starting (?:at|from)|min(?:imum|\\.)?|(?:not|no) less than"
    "|ab|mindestens",
    "<=": "at most|up to|until|till|max(?:imum|\\.)?|(?:not|no) more than|bis|höchstens",
}
_VALUE: Final = r"(-?\d[\w.:-]*)"
_COMPARISONS: Final = {
    sign: lazy(rf"(?:{words})\s+{_VALUE}.*", re.IGNORECASE | re.DOTALL)
    for sign, words in _COMPARED.items()
}
_BETWEEN: Final = lazy(
    rf"(?:between|from|zwischen|von)\s+{_VALUE}\s+(?:and|to|until|und|bis|-|–)\s+{_VALUE}",
    re.IGNORECASE,
)
_EXCEPT: Final = lazy(
    r"(?:not|except|excluding|other than|(?:all|any|anything|everything) (?:but|except)"
    r"|nicht|(?:(?:alle|alles|tous|toutes|tout|todos|todas|todo) )?"
    r"(?:außer|ausser|sauf|excepté|excepto|salvo|menos))\s+(.+)",
    re.IGNORECASE | re.DOTALL,
)
_LISTED: Final = lazy(r"(?:^|(?<=\s))(?:or|oder)\s+|[;|\n]", re.IGNORECASE)
_EITHER: Final = lazy(r"^(?:either|one of)\s+", re.IGNORECASE)
_SPAN: Final = lazy(r"\w[\w.+-]*(?:\s+(?:to|through|bis|-|–|—)\s+|[–—])\w[\w.+-]*")
_IN_QUOTES: Final = lazy(r"['‘’‚“”„«»](.*)['‘’“”«»]", re.DOTALL)

# The first characters of what is neither a word nor a condition.
_NO_TEXT: Final = lazy(r"[\d+*/%^&|~{}–—−-]|[$€£¥]\s*\d")
# Names that begin with a number: 2-door, 1st class; but not 5-Jan.
_NUMBERED: Final = lazy(
    r"\d+-(?!jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[^\W\d_]{3,}(?:[\s-].*)?"
    r"|\d*(?:1st|2nd|3rd|\dth)\b\D*",
    re.IGNORECASE,
)
_N: Final = r"((?:0|[1-9]\d*)(?:\.\d+)?)"
_HINTS: Final = {
    rf"(-?{_N})\s*(?:-|–|—|to)\s*(-?{_N})": "write [{0}..{2}] for a range",
    rf"{_N}\s*\+": "write >= {0} for at least {0}",
    rf"{_N} (?:or|and) (?:more|over|above|older|up|higher|greater|later)": (
        "write >= {0} for at least {0}"
    ),
    rf"{_N} (?:or|and) (?:less|under|below|younger|lower|fewer|earlier)": (
        "write <= {0} for at most {0}"
    ),
    rf"{_N}\s*(?:or|and|und|et|&|\+)\s*{_N}": "write {0}, {1} for either value",
    r"\*": "write - for any value",
    r"\d{1,2}[./]\d{1,2}[./](?:\d{4})?": "write dates as 2026-01-31",
    rf"[$€£¥]\s*{_N}": "write amounts without a currency, as {0}",
}
_GROUPED: Final = lazy(r"\d{1,3}(?:[.'’ \u00a0\u202f]\d{3})+")


def means_any(text: str) -> bool:
    """Return whether a text without quotes accepts any value: ``any``, ``*``."""
    word = _word(text)
    return word in _ANY or word == "*"


def means_else(text: str) -> bool:
    """Return whether a text without quotes means all other cases: ``else``, ``otherwise``."""
    return _word(text) in _ELSE


def means_other(text: str) -> bool:
    """Return whether a text may be a value or mean all other cases: ``other``, ``Default``."""
    return _OTHER.fullmatch(_word(text)) is not None


def means_days(text: str) -> bool:
    """Return whether a text may be a value or mean several days: ``weekend``."""
    word = _word(text)
    sets = any(re.fullmatch(words, word) for words in DAY_SETS.values())
    return sets or UNCLEAR_DAYS.fullmatch(word) is not None


def means_total(text: str) -> bool:
    """Return whether a text may be a value or the beginning of a row of totals."""
    return _TOTAL.fullmatch(_word(text)) is not None


def means_missing(text: str) -> bool:
    """Return whether a text may be a value or mean a missing one: ``n/a``, ``unknown``."""
    return " ".join(text.casefold().split()) in _MISSING | _UNKNOWN


def _word(text: str) -> str:
    text = " ".join(text.casefold().replace("’", "'").split())
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def refusal(text: str) -> str | None:
    """Return why an unquoted text cannot be the value of a cell, None if it can."""
    if text in ERRORS:
        return f"{text!r} is a spreadsheet error; replace it with a value"
    if _NO_TEXT.match(text) and not _NUMBERED.fullmatch(text):
        return f"{text!r} is not a condition; {_hint(text)}quote it if it is text"
    if inner := _IN_QUOTES.fullmatch(text):
        return (
            f"quotes around text must be straight and double; write {quote(inner[1])}, or"
            f" {inner[1]} without quotes"
        )
    if text == "DEFAULT":
        return (
            "DEFAULT must begin a row without conditions, for all other cases; write"
            ' "DEFAULT" in quotes for the text'
        )
    meaning, spelling = _condition(text)
    if not meaning:
        return None
    return (
        f"{text!r} is ambiguous; write {spelling} for {meaning}, or {quote(text)} in quotes for"
        " the text"
    )


def _hint(text: str) -> str:
    for pattern, hint in _HINTS.items():
        if match := re.fullmatch(pattern, text):
            return f"{hint.format(*match.groups())}, or "
    if _GROUPED.fullmatch(text):
        return f"write {re.sub(r'[^0-9]', '', text)} without thousands separators, or "
    return "write a number, >= 18 or [18..25], or " if text[:1].isdigit() else ""


def _condition(text: str) -> tuple[str, str]:
    """Return the condition that a text may mean and how to write it, "" for none."""
    if means_any(text):
        return "any value", "-"
    if means_else(text):
        return "all other cases", "DEFAULT in the first column of a row without conditions"
    if bounds := _BETWEEN.fullmatch(text):
        return "a range", f"[{bounds[1]}..{bounds[2]}]"
    for sign, pattern in _COMPARISONS.items():
        if compared := pattern.fullmatch(text):
            return "a comparison", f"{sign} {compared[1]}"
    if excluded := _EXCEPT.fullmatch(text):
        return f"every value except {excluded[1]!r}", f"not({excluded[1]})"
    parts = [part.strip() for part in _LISTED.split(_EITHER.sub("", text))]
    if len(parts) > 1:
        return "several values", ", ".join(filter(None, parts))
    return ("a pattern", "the matching values one by one") if "*" in text else ("", "")


_BOTH: Final = frozenset(
    {"both", "either", "beide", "beides", "les deux", "ambos", "ambas", "allebei"}
)


def warning(text: str) -> str | None:
    """Return what else an unquoted text that is read as text may mean, None for nothing."""
    word = " ".join(text.casefold().split())
    if word in _MISSING:
        return f"{text!r} is read as text; write null for a missing value"
    if _OTHER.fullmatch(word):
        return f"{text!r} is read as text; write not(a, b) for every value except a and b"
    if means_total(text):
        return f"{text!r} is read as text; delete the row if it is a total"
    if re.match(r"(?:all|any|every)\s", word):
        return f"{text!r} is read as text; write - for any value"
    if word in _BOTH:
        return f"{text!r} is read as text; write the values one by one, or - for any value"
    parts = [part.strip() for part in text.split("/")]
    if len(parts) > 1 and all(parts):
        return f"{text!r} is read as one text; write {', '.join(parts)} for several values"
    if _SPAN.fullmatch(text):
        return f"{text!r} is read as one text; list the values one by one for a range"
    return None


# --- numbers

MIXED_PERCENTAGES: Final = (
    "the column mixes percentages, where 10% is 0.1, and other numbers; write all of them with % or"
    " none"
)

STRING: Final = lazy(r'(?<!\\)"(?:[^"\\]|\\.)*"', re.DOTALL)
"""A text in quotes; one that has no end is looked for only once, not from every quote in it."""
_DECIMAL: Final = lazy(r"(?:(?<=\.\.)|(?<![\w.:]))-?\d*\.\d+(?!\w|[.,]\d)")
_LIKE_A_NUMBER: Final = lazy(r"[-+]?(?:\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3})+(?:[.,]\d+)?|\d*,\d+)")


def decimals(text: str) -> list[str]:
    """Return the numbers with a decimal point that a cell contains outside quotes."""
    return _DECIMAL.findall(STRING.sub('""', text))


def beyond_doubt(text: str) -> str:
    """Return a cell with another 0 after decimals that could be read as thousands."""

    def longer(match: re.Match[str]) -> str:
        return f"{match.group()}0" if may_be_thousands(match.group()) else match.group()

    strings = STRING.findall(text)
    parts = [_DECIMAL.sub(longer, part) for part in STRING.split(text)]
    return "".join(a + b for a, b in zip(parts, [*strings, ""], strict=True))


def like_a_number(text: str) -> bool:
    """Return whether a text outcome looks like a number in another notation."""
    return len(text) <= LONGEST_BARE and _LIKE_A_NUMBER.fullmatch(text.strip()) is not None
