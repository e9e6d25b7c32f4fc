"""Columns of codes: text that looks like numbers, such as ``007``, ``1E1`` and ``2.10.1``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from irenic.errors import FormatError
from irenic.formats.cells.words import means_any, means_else
from irenic.formats.feel.unary_tests import DASHES
from irenic.model.literals import quote
from irenic.model.patterns import lazy

_NOT: Final = lazy(r"not\s*\((.*)\)")
_SEPARATOR: Final = lazy(r"[;\n]|,(?!\d)")
_CODE: Final = lazy(r'\w[\w./-]*\*?|"[^"]*"\*?')
_PAIR: Final = lazy(r"\d[\d.]*-\d[\d.]*")
# What only codes have: a first 0, three parts, letters inside digits, a prefix; 1.000.000 and dates
# have three parts, too, and 1E1 is a number if no other letter stands there.
_SHOWS: Final = lazy(
    r"0\d+|(?!\d{1,3}(?:\.\d{3})+$|\d{1,2}\.\d{1,2}\.(?:\d\d)?\d\d$)\d+(?:\.\d+){2,}"
    r"|\d+[A-DF-Z]\d+|[\w./-]+\*"
)
_NUMBER: Final = lazy(r'(?<![\w."*/-])\d[\w.-]*(?![\w."*/-])')
_DECIMAL: Final = lazy(r"\d+\.\d+")


def code_in(cells: Iterable[Any]) -> str:
    """Return a cell that shows that all cells of a column are codes, "" if none does.

    >>> code_in(["1E1", "2A3", "10"]), code_in(["1E1", "2E3"]), code_in(["007", "> 5"])
    ('2A3', '', '')
    """
    shows, decimals = "", dict[str, str]()
    for text in dict.fromkeys(cell.strip() for cell in cells if isinstance(cell, str)):
        if not text or text in DASHES or means_any(text) or means_else(text):
            continue
        negated = _NOT.fullmatch(text)
        for code in map(str.strip, _SEPARATOR.split(negated[1] if negated else text)):
            if not _CODE.fullmatch(code) or _PAIR.fullmatch(code):
                return ""
            shows = shows or (code if _SHOWS.fullmatch(code) else "")
            if _DECIMAL.fullmatch(code):
                decimals.setdefault(code, code.rstrip("0"))
    return shows or _same_number(decimals)


def _same_number(decimals: dict[str, str]) -> str:
    """Refuse one number that is written in two ways, as versions are: 2.1 and 2.10."""
    first: dict[str, str] = {}
    for code, plain in decimals.items():
        other = first.setdefault(plain, code)
        if other != code:
            raise FormatError(
                f"{other!r} and {code!r} are one number; write it in one way, or all cells in"
                " quotes if they are codes"
            )
    return ""


def as_codes(text: str) -> str:
    """Return a cell of a column of codes, with those in quotes that would be read as numbers.

    >>> as_codes("not(007, I21, 80*)")
    'not("007", I21, 80*)'
    """
    return _NUMBER.sub(lambda match: quote(match.group()), text)


def refuse_number(value: Any, code: str) -> str:
    """Return why a number in a column of codes is refused.

    >>> refuse_number(7, "007")
    "7 is a number, and '007' in this column is a code; format the cell as text, or remove the 0s"
    """
    way = "remove the 0s" if code[:1] == "0" else f"write {code!r} as a number"
    return (
        f"{value:g} is a number, and {code!r} in this column is a code; format the cell as text, or"
        f" {way}"
    )
