"""Read and write the outcome cells of spreadsheets."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Any, Final

from irenic.errors import FormatError
from irenic.formats.cells.reading import literal
from irenic.formats.cells.values import is_amount
from irenic.formats.cells.words import like_a_number, spreadsheet_error
from irenic.formats.feel.sets import literal_text, with_escapes
from irenic.formats.feel.unary_tests import parse_value
from irenic.formats.tables.drafts import CANNOT_OCCUR
from irenic.model.characters import is_plain
from irenic.model.head import Head
from irenic.model.literals import MAX_DEPTH, Expression, format_literal, quote
from irenic.model.notation import ParsedDefault, parse_line
from irenic.model.patterns import lazy

# "= 18" and "=nurse" are conditions; this matches what spreadsheets would evaluate.
FORMULA: Final = lazy(
    r"\s*=(?:[A-Za-z][\w.]*\(|\$?[A-Za-z]{1,3}\$?\d+\s*(?:$|[-+*/^&:,)])|[-+\w.]+\s*[+*/^&]\s*\w)"
)
ZEROS: Final = lazy(r"0\d+")
LIKE_A_FORMULA: Final = (
    "formulas are not evaluated; replace the formula with its result, or quote it if it is text"
)
_EXPRESSION: Final = lazy(r"expression\((?P<text>.*)\)", re.DOTALL)


def read_outcome(text: str) -> Hashable:
    """Return the value of an outcome cell: a literal, a tuple or set of literals, or the text."""
    text = text.strip()
    if FORMULA.match(text):
        raise FormatError(LIKE_A_FORMULA)
    if reason := spreadsheet_error(text):
        raise FormatError(reason)
    if match := _EXPRESSION.fullmatch(text):
        return _expression(match)
    if reason := _unfinished(text):
        raise FormatError(
            f"{text!r} {reason}; write the outcome, or {quote(text)} in quotes if it is one"
        )
    try:
        if text[0] in "({":
            return _part(text)
        value = literal(text)
    except FormatError:
        if text.startswith('"'):
            raise
        return text
    return Expression("null") if value is None else value


def _unfinished(text: str) -> str:
    """Return why a text is probably no outcome, "" if it may be one.

    >>> _unfinished("TBD"), _unfinished("300**"), _unfinished("refuse")
    ('says that the outcome is not known yet', 'has the mark of a footnote', '')
    """
    plain = " ".join(text.casefold().split())
    if _OPEN.fullmatch(plain):
        return "says that the outcome is not known yet"
    if _NOTED.fullmatch(plain):
        return "refers to a note"
    return "has the mark of a footnote" if _FOOTNOTE.fullmatch(text) else ""


_OPEN: Final = lazy(
    r"\?+|t\.?b\.?[acd]\.?|to ?do"
    r"|to be (?:advised|announced|confirmed|decided|defined|determined|done)"
    r"|n/?a yet|not (?:yet )?(?:available|decided|defined|determined|known) yet|not yet(?: \w+)?"
    r"|noch (?:offen|zu klären|nicht \w+|unklar)|wird noch \w+|zu klären|à définir|à déterminer"
    r"|por definir|nog te bepalen"
)
_NOTED: Final = lazy(
    r"(?:see|siehe|s\.|cf\.|voir|véase|zie) (?:also )?(?:the )?(?:(?:foot)?notes?|remarks?"
    r"|comments?|above|below"
    r"|annex|appendix|anm(?:\.|erkung)|fußnote|hinweis|unten|oben|anhang|remarque|nota)(?!\w).*"
)
_FOOTNOTE: Final = lazy(r"[^\"]*[^\"*†‡\s]\s?[*†‡]+|\d[\d.,]*[¹²³]", re.DOTALL)


def _expression(match: re.Match[str]) -> Expression:
    inner = parse_value(match["text"])
    if not isinstance(inner, str):
        raise FormatError('expression("…") must contain text in quotes')
    return Expression(inner)


def _part(text: str, depth: int = 0) -> Hashable:
    """Return a tuple, a set or an element of one, in the notation of rules."""
    if match := _EXPRESSION.fullmatch(text):
        return _expression(match)
    if "expression(" in text and depth <= MAX_DEPTH and (parts := _tuple_parts(text)):
        return tuple(_part(part, depth + 1) for part in parts)
    parsed = parse_line(f"DEFAULT {text}")
    return parsed.then if isinstance(parsed, ParsedDefault) else text


_PIECE: Final = lazy(r'"(?:[^"\\]|\\.)*"|[^"]', re.DOTALL)


def _tuple_parts(text: str) -> list[str]:
    """Return the texts between the outermost commas of ``(a, b)``; [] if it is not a tuple."""
    if not (text.startswith("(") and text.endswith(")")):
        return []
    parts, depth = [""], 0
    for piece in _PIECE.findall(text[1:-1]):
        depth += (piece in "({") - (piece in ")}")
        if piece == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += piece
    parts = [part.strip() for part in parts]
    return parts[:-1] if parts[-1] == "" else parts


def means_impossible(value: Any) -> bool:
    """Return whether the outcome of a row says that its cases cannot occur."""
    return isinstance(value, str) and " ".join(value.casefold().split()) == CANNOT_OCCUR


# --- as text


def outcome_text(value: Any) -> Any:
    """Return a consequent as a cell that reads back as equal: numbers and booleans as they are."""
    if isinstance(value, Expression):
        return "null" if value.text == "null" else _part_text(value)
    if isinstance(value, tuple | frozenset | Head):
        return _part_text(value)
    if isinstance(value, str):
        bare = _reads_bare(value) and not means_impossible(value)
        return value if bare else literal_text(value)
    text = literal_text(value, words=True)
    typed = type(value) in (bool, int, float) and (type(value) is bool or abs(value) <= 2**53)
    return value if typed else text


def _part_text(value: Any) -> str:
    if isinstance(value, Expression):
        return f"expression({literal_text(value.text)})"
    if isinstance(value, tuple) and any(isinstance(part, Expression) for part in _parts(value)):
        inner = ", ".join(map(_part_text, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    # characters that readers drop appear only in quotes, where they can be escaped
    return with_escapes(format_literal(value))


def _parts(value: tuple[Any, ...]) -> Iterator[Any]:
    for part in value:
        yield from _parts(part) if isinstance(part, tuple) else (part,)


def _reads_bare(text: str) -> bool:
    """Return whether a text without quotes reads back as the same text."""
    # spreadsheets evaluate text with these first characters as a formula
    if not text.isprintable() or not text.strip() or text[0] in "=+-@" or ZEROS.match(text):
        return False
    if like_a_number(text) or is_amount(text) or not is_plain(text):
        return False
    try:
        return read_outcome(text) == text
    except ValueError:
        return False
