"""What words of a cell may mean: any value, all other cases, a missing value, a sum, days."""

from __future__ import annotations

import re
from typing import Final

from irenic.formats.cells._doubts import CellError
from irenic.formats.cells._language import language, plain
from irenic.formats.cells.locales import LONGEST_BARE, STRING
from irenic.frames.csv import may_be_thousands
from irenic.frames.xlsx import ERRORS
from irenic.model.patterns import lazy


def means_any(text: str) -> bool:
    """Return whether a text without quotes accepts any value: ``any``, ``*``."""
    return text.strip() == "*" or language().means(_without_parentheses(text), "any")


def means_else(text: str) -> bool:
    """Return whether a text without quotes means all other cases: ``else``, ``otherwise``."""
    return language().means(_without_parentheses(text), "else")


def means_other(text: str) -> bool:
    """Return whether a text may be a value or mean all other cases: ``other``, ``Default``."""
    text = _without_parentheses(text)
    return language().means(text, "other", "other_of") or language().begins(text, "other_of")


def means_days(text: str) -> bool:
    """Return whether a text may be a value or mean several days: ``weekend``."""
    return language().means(_without_parentheses(text), "weekdays", "weekend", "workdays")


def means_total(text: str) -> bool:
    """Return whether a text may be a value or the beginning of a row of totals."""
    return language().means(_without_parentheses(text), "total")


def means_missing(text: str) -> bool:
    """Return whether a text may be a value or mean a missing one: ``n/a``, ``unknown``."""
    return language().means(text, "missing", "unknown")


def _without_parentheses(text: str) -> str:
    text = plain(text)
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def spreadsheet_error(text: str) -> str:
    """Return the error for a result such as ``#N/A``, "" for other texts."""
    return CellError("spreadsheet", None, text).message if text in ERRORS else ""


def negation_doubt(text: str, value: str) -> str:
    """Return the doubt about the negation of a value in words, "" for ``not(…)``."""
    if "(" in text or not language().begins(text, "not"):
        return ""
    return CellError("negation", None, text, value).message


def answers() -> list[tuple[str, str]]:
    """Return yes and no in each language."""
    return [(yes, no) for yes, no in language().lists["yes"]]


def warning(text: str) -> str | None:
    """Return what else an unquoted text that is read as text may mean, None for nothing."""
    words = language()
    if words.means(text, "missing"):
        return f"{text!r} is read as text; write null for a missing value"
    if words.means(text, "other", "other_of") or words.begins(text, "other_of"):
        return f"{text!r} is read as text; write not(a, b) for every value except a and b"
    if means_total(text):
        return f"{text!r} is read as text; delete the row if it is a total"
    if words.begins(text, "every"):
        return f"{text!r} is read as text; write - for any value"
    if words.means(text, "both"):
        return f"{text!r} is read as text; write the values one by one, or - for any value"
    parts = [part.strip() for part in text.split("/")]
    if len(parts) > 1 and all(parts):
        return f"{text!r} is read as one text; write {', '.join(parts)} for several values"
    if _SPAN.fullmatch(text):
        return f"{text!r} is read as one text; list the values one by one for a range"
    return None


_SPAN: Final = lazy(r"\w[\w.+-]*(?:\s+(?:to|through|bis|-|–|—)\s+|[–—])\w[\w.+-]*")

# --- numbers

MIXED_PERCENTAGES: Final = (
    "the column mixes percentages, where 10% is 0.1, and other numbers; write all of them with % or"
    " none"
)
_DECIMAL: Final = lazy(r"(?:(?<=\.\.)|(?<![\w.:]))-?\d*\.\d+(?!\w|[.,]\d)")
_LIKE_A_NUMBER: Final = lazy(r"[-+]?(?:\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3})+(?:[.,]\d+)?|\d*,\d+)")


def decimals(text: str) -> list[str]:
    """Return the numbers with a decimal point that a text contains outside quotes."""
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
