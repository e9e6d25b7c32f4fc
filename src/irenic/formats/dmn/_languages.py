"""Cells in other languages than FEEL, as engines of processes accept them.

A comparison of the value of the column with a literal, such as ``${amount >= 100 && amount < 500}``
or ``cellInput == "gold"``, is the same in FEEL. Nothing else is translated.
"""

from __future__ import annotations

import re
from typing import Final

from irenic.formats.dmn._xml import Node

_STRINGS: Final = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'', re.DOTALL)
# What is no FEEL at all: ${…}, .startsWith(…), date:toDate(…).
_FOREIGN: Final = re.compile(r"[$#]\{|^\s*\.\s*[^\W\d]\w*\s*\(|[^\W\d]\w*:[^\W\d]\w*\s*\(")
_JUEL: Final = "JUEL"
_TRANSLATED: Final = ("juel", "groovy")
_WHOLE: Final = re.compile(r"\s*[$#]\{([^{}]*)\}\s*", re.DOTALL)
_SIGNS: Final = {"eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "==": "="}
_LITERAL: Final = r'-?\d+(?:\.\d+)?|true|false|"[^"\\$]*"|\'[^\'\\$"]*\''
_COMPARISON: Final = re.compile(
    rf"\s*(?P<name>[^\W\d][\w.]*)\s*(?P<sign>[=!]=|[<>]=?|\b(?:eq|ne|lt|le|gt|ge)\b)\s*"
    rf"(?P<value>{_LITERAL})\s*"
)
_AND: Final = re.compile(r"&&|\band\b")


def language_of(text: str, declared: str) -> str:
    """Return the language of a cell, "" for FEEL."""
    if declared and "feel" not in declared.lower():
        return declared
    return _JUEL if _FOREIGN.search(_STRINGS.sub('""', text)) else ""


def as_feel(text: str, language: str, names: tuple[str, ...]) -> str | None:
    """Return comparisons of the value of a column, which has several names, as tests in FEEL.

    In FEEL itself, they are an expression about the value by its name instead of ``?``.
    """
    if language and language.rpartition("/")[2].lower() not in _TRANSLATED:
        return None
    if whole := _WHOLE.fullmatch(text):
        text = whole[1]
    tests = []
    for part in _AND.split(text):
        match = _COMPARISON.fullmatch(part)
        if match is None or match["name"] not in names:
            return None
        sign, value = match["sign"], match["value"]
        # in a column of booleans, FEEL compares the value with the result
        if not language and (value in ("true", "false") or sign.isalpha() or "&&" in text):
            return None
        if value[0] == "'":
            value = f'"{value[1:-1]}"'
        tests.append(f"? {_SIGNS.get(sign, sign)} {value}")
    return " and ".join(tests)


def names_of(node: Node, known: frozenset[str]) -> tuple[str, ...]:
    """Return the names by which cells of an input can use its value, beside other known names."""
    given = variable_of(node) or "cellInput"
    names = (expression_of(node), *(() if given in known else (given,)))
    return tuple(name for name in names if name)


def expression_of(node: Node) -> str:
    """Return the expression of an input."""
    return " ".join((node.first("inputExpression") or node).child_text().split())


def variable_of(node: Node) -> str:
    """Return the name that Camunda gives to the value of an input."""
    names = (v for k, v in node.attributes.items() if k.rpartition(" ")[2] == "inputVariable")
    return next(names, "").strip()
