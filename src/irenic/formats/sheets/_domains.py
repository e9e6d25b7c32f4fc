"""Declarations of columns inside a spreadsheet: a row under the header, or a sheet of their own.

A declaration is a kind of value, and possibly the values that can occur: ``integer [0..120]``,
``number >= 0``, ``date``, ``text``, ``yes/no``, ``one of nurse, clerk``, ``one of nurse, clerk or
others``. A unit follows the kind: ``number (kg) >= 0``. A role such as ``outcome`` or ``Age >=``
stands alone or before a kind: ``outcome: one of low, high``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from irenic.errors import FormatError
from irenic.formats.feel.sets import cell_text, literal_text
from irenic.formats.feel.unary_tests import ANYTHING, Test, comparisons, parse
from irenic.formats.sheets._grid import SheetLine
from irenic.formats.sheets._spellings import Locale, respelled
from irenic.formats.sheets.roles import Role, role_of
from irenic.model.condition import Operators
from irenic.model.features import Categorical, Feature
from irenic.model.notation import ParsedCondition, ParsedImpossible, parse_line
from irenic.model.patterns import lazy

SHEETS: Final = ("columns", "domains", "declarations")
"""Titles of sheets that declare columns, in lower case."""
_KINDS: Final = {
    "integer": "integer", "integers": "integer", "whole number": "integer",
    "whole numbers": "integer", "number": "number", "numbers": "number", "decimal": "number",
    "date": "date", "dates": "date", "date and time": "datetime", "time": "time",
    "duration": "duration", "boolean": "boolean", "true/false": "boolean", "text": "text",
    "yes/no": "text",
}  # fmt: skip
_KIND: Final = lazy(
    rf"({'|'.join(sorted(_KINDS, key=len, reverse=True))})(?:\s*\(([^\d()\[\].,;]+)\))?"
    r"(?:\s+(?:in\s+)?(.+))?",
    re.IGNORECASE | re.DOTALL,
)
_ONE_OF: Final = lazy(r"one of:?\s+(.+)", re.IGNORECASE | re.DOTALL)


class Declaration(NamedTuple):
    """What a declaration says about a column."""

    kind: str | None
    domain: Test | None
    unit: str = ""
    role: Role | None = None
    """The role of the column."""


def declaration(text: Any) -> Declaration | None:
    """Return what a cell declares, None if it is no declaration."""
    if not isinstance(text, str):
        return None
    if (role := role_of(text)) is not None:
        return Declaration(None, None, "", role)
    head, colon, rest = text.partition(":")
    if colon and (role := role_of(head)) is not None:
        found = declaration(rest)
        return None if found is None or found.role else found._replace(role=role)
    if match := _ONE_OF.fullmatch(text.strip()):
        if " ".join(match[1].split()[-2:]).casefold() == "or others":
            return Declaration(None, ANYTHING)  # cells tell which other values there are
        values = _test(match[1])
        return None if values is None else Declaration(None, values)
    match = _KIND.fullmatch(text.strip())
    if match is None:
        return None
    word, unit = match[1].lower(), (match[2] or "").strip()
    if unit and _KINDS[word] not in ("integer", "number"):
        return None
    rest = "yes, no" if word == "yes/no" and not match[3] else match[3]
    if rest is None:
        return Declaration(_KINDS[word], None, unit)
    domain = _test(rest)
    return None if domain is None else Declaration(_KINDS[word], domain, unit)


def _test(text: str) -> Test | None:
    try:
        return parse(text, words=True)
    except FormatError:
        pass
    try:
        spelling = respelled(text, "", Locale("."))
        return None if spelling is None else parse(spelling, words=True)
    except FormatError:
        return None


def declared_row(lines: list[SheetLine]) -> list[Any] | None:
    """Return the cells of the row under the header if all of them are declarations, else None."""
    if len(lines) < 3:
        return None
    cells = [cell for cell in lines[1].cells if cell is not None]
    return lines[1].cells if all(declaration(cell) for cell in cells) else None


def declared_sheet(lines: list[SheetLine]) -> dict[str, str]:
    """Return the declarations of a sheet with columns for the name, the kind and the values."""
    declared = {}
    for line in lines[1:]:
        name, text = _entry(line)
        if not name or not text or _excludes(name, text):
            continue
        if declaration(text) is None:
            raise FormatError(
                f"{text!r} does not declare the column {name!r}; write a kind and the possible"
                " values, such as integer [0..120], text, yes/no, or one of nurse, clerk",
                line=line.number,
            )
        declared[name] = text
    return declared


def declared_impossible(lines: list[SheetLine]) -> list[tuple[int, list[ParsedCondition]]]:
    """Return what a sheet declares as impossible, in rows named Impossible, with their lines."""
    found = []
    for line in lines[1:]:
        name, text = _entry(line)
        if _excludes(name, text):
            try:
                parsed = parse_line(f"IMPOSSIBLE WHERE {text}")
            except FormatError as error:
                raise FormatError(f"{text!r}: {error.message}", line=line.number) from None
            assert isinstance(parsed, ParsedImpossible)
            found += [(line.number, conditions) for conditions in parsed.alternatives]
    return found


def _entry(line: SheetLine) -> tuple[str, str]:
    """Return the name in a line of a sheet of declarations, and what is said about it."""
    name, *rest = ["" if cell is None else str(cell).strip() for cell in line.cells]
    return name, " ".join(part for part in rest[:2] if part)


def _excludes(name: str, text: str) -> bool:
    return name.casefold() == "impossible" and declaration(text) is None


def declaration_of(feature: Feature) -> str:
    """Return the declaration of a feature."""
    if isinstance(feature, Categorical):
        if not feature.values:
            return "text"
        if set(feature.values) == {True, False}:
            return "boolean"
        values = [literal_text(value, words=True) for value in feature.values]
        values += ["null"] if feature.missing else []
        return f"one of {', '.join(values)}{' or others' if feature.other else ''}"
    low, high = feature.bounds
    bounds: Operators = {}
    bounds |= {} if low is None else {">=": low}
    bounds |= {} if high is None else {"<=": high}
    kind = {"datetime": "date and time", "months": "duration"}.get(feature.kind, feature.kind)
    kind += f" ({feature.unit})" if feature.unit and feature.kind in ("integer", "number") else ""
    domain = [bounds, *([{"missing": True}] if feature.missing else [])] if bounds else []
    return f"{kind} {cell_text(domain, words=True)}" if domain else kind


def unit_declaration(feature: Feature) -> str:
    """Return the declaration of a feature with a unit, "" for one without."""
    if isinstance(feature, Categorical) or not feature.unit:
        return ""
    text = declaration_of(feature)
    found = declaration(text)
    return text if found is not None and found.unit == feature.unit else ""


def allowed(texts: Mapping[str, Any], name: str) -> list[Any]:
    """Return the values that the declaration of an outcome lists, [] if it lists none."""
    found = declaration(texts.get(name))
    if found is None or found.domain in (None, ANYTHING):
        return []
    tests = comparisons(found.domain)
    return [test.value for test in tests] if all(test.order == "=" for test in tests) else []
