"""Ambiguous cells, in the order in which they are read; some checks need all cells of the table."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from irenic.formats.cells.locales import SETTLE
from irenic.formats.cells.values import units_of
from irenic.formats.cells.words import MIXED_PERCENTAGES, decimals, like_a_number, warning
from irenic.formats.feel.sets import literal_text
from irenic.formats.feel.unary_tests import DASHES, AnyOf, Compare, kind_of
from irenic.formats.sheets._doubtful_words import compared, quoted
from irenic.formats.tables.drafts import Cell, TableDraft
from irenic.frames.csv import may_be_thousands, thousands_or_not
from irenic.model.literals import format_literal, quote
from irenic.model.patterns import lazy

_PAIR: Final = lazy(r"\s*\[[^\[\]().]*,[^\[\]().]*\]\s*")


def _doubtful_list(cell: Cell) -> str:
    """Return why a list of conditions may be meant differently, "" if it is clear."""
    if bounds := _overlapping(cell):
        return (
            f"the cell accepts every value, because a comma means 'or'; write {bounds} for a range,"
            " or - for any value"
        )
    tests = cell.test.tests if isinstance(cell.test, AnyOf) else ()
    values = [test.value for test in tests if isinstance(test, Compare)]
    if len(values) == 2 and _PAIR.fullmatch(cell.text) and kind_of(values[0]) != "text":
        a, b = (literal_text(value, words=True) for value in values)
        return f"read as two values; write [{a}..{b}] for a range, or {a}, {b} for the two values"
    if len(tests) > 1 and any(isinstance(t, Compare) and t.order == "!=" for t in tests):
        return (
            "the cell accepts nearly every value, because a comma means 'or'; write not(a, b) for"
            " every value except a and b"
        )
    return ""


def _overlapping(cell: Cell) -> str:
    """Return the range between a lower and an upper bound, one of which every value meets."""
    tests = cell.test.tests if isinstance(cell.test, AnyOf) else ()
    compared_tests = [test for test in tests if isinstance(test, Compare)]
    above = [test for test in compared_tests if test.order in (">", ">=")]
    below = [test for test in compared_tests if test.order in ("<", "<=")]
    if not above or not below or len({kind_of(test.value) for test in above + below}) > 1:
        return ""
    low, high = min(above, key=_bound), max(below, key=_bound)
    if not low.value < high.value:
        return ""
    a, b = (literal_text(test.value, words=True) for test in (low, high))
    return f"{'[' if '=' in low.order else '('}{a}..{b}{']' if '=' in high.order else ')'}"


def _bound(test: Compare) -> Any:
    return test.value


def _like_an_amount(text: str) -> str:
    """Return why a text that ends with a number and its unit may be a condition, "" if not."""
    number = re.fullmatch(r"\D+?(\d+)\D*", text)
    if number is None or not units_of(text):
        return ""
    n = number[1]
    return f"{text!r} is read as text; write < {n}, >= {n} or a range such as [10..20] for numbers"


class _Place(NamedTuple):
    rule: int
    header: str
    line: int


class CellDoubts:
    """Checks for ambiguous cells; some checks need all cells of the table."""

    def __init__(self, draft: TableDraft, *, settled: bool) -> None:
        self.draft, self.settled = draft, settled
        self.has_commas = False
        """Whether commas separate cells, so that a point is likely decimal."""
        self.warned: set[tuple[str, str]] = set()
        self.points: list[tuple[_Place, str, str]] = []
        self.thens: dict[tuple[str, str], _Place] = {}
        """The outcomes that are texts without quotes, by column, with their first places."""
        self.percentages: set[str] = set()
        """The columns of outcomes with percentages."""
        self.amounts: dict[str, tuple[_Place, str]] = {}
        """The first number without a percent sign in each column of outcomes."""

    def cell(self, cell: Cell, numbers: Sequence[str], rule: int, header: str, line: int) -> None:
        """Check the numbers of a cell, and warn about ambiguous words, once per column."""
        found = compared(cell)
        for c in found:
            if type(c.value) is not int:
                break
        else:
            if not isinstance(cell.test, AnyOf):
                return  # a range of integers is never ambiguous
        values = [c.value for c in found]
        self.numbers(numbers, rule, header, line, cell.text)
        if doubt := _doubtful_list(cell):
            self.draft.warn(doubt, rule=rule, header=header, text=cell.text, line=line)
        in_quotes = quoted([cell])
        for value in values:
            if not isinstance(value, str) or (header, value) in self.warned or value in in_quotes:
                continue
            if reason := warning(value) or _like_an_amount(value):
                self.warned.add((header, value))
                message = f"{reason}, or {quote(value)} in quotes to avoid this warning"
                place = _Place(rule, header, line)
                self.draft.warn(message, **place._asdict(), text=value, doubtful=True)

    def outcome(self, text: str, then: Hashable, rule: int, header: str, line: int) -> None:
        """Check an outcome: a number, or text that looks like one."""
        if type(then) is float:
            alike = [number for number in decimals(text) if abs(float(number)) == abs(then)]
            self.numbers(alike, rule, header, line, text)
        if isinstance(then, str) and '"' not in text:
            self.thens.setdefault((header, then), _Place(rule, header, line))
        if text.strip() in DASHES:
            self.draft.warn(
                f"read as the text {quote(str(then))}; write the outcome, or {quote(str(then))} in"
                " quotes to avoid this warning",
                rule=rule, header=header, text=text.strip(), line=line,
            )  # fmt: skip
        if isinstance(then, str) and like_a_number(text):
            reason = (
                "read as text; write numbers with a decimal point and no thousands separators, or"
                f" {quote(then)} in quotes to avoid this warning"
            )
            self.draft.warn(reason, rule=rule, header=header, text=then, line=line)

    def amount(self, text: str, then: Hashable, rule: int, header: str, line: int) -> None:
        """Keep whether an outcome is a percentage or another number; 0 is the same as 0%."""
        if type(then) not in (int, float) or then == 0:
            return
        if text.rstrip(" )").endswith("%"):
            self.percentages.add(header)
        else:
            self.amounts.setdefault(header, (_Place(rule, header, line), text))

    def numbers(self, numbers: Iterable[str], rule: int, header: str, line: int, text: str) -> None:
        """Collect numbers whose point may separate thousands; others show what points mean."""
        for number in numbers:
            if may_be_thousands(number):
                self.points.append((_Place(rule, header, line), text, number))
            elif "." in number:
                self.settled = True

    def end(self) -> None:
        """Warn about lists of outcomes; add errors for numbers whose point may separate thousands.

        If commas separate cells, a point is likely decimal, unless numbers end with 0.
        """
        self.several_outcomes()
        for header in self.percentages & self.amounts.keys():
            place, text = self.amounts[header]
            self.draft.fail(MIXED_PERCENTAGES, **place._asdict(), text=text)
        if self.has_commas and not any(number.endswith("0") for _, _, number in self.points):
            return
        for place, text, number in () if self.settled else self.points:
            reason = f"{thousands_or_not(number)}, or {SETTLE}"
            self.draft.fail(reason, **place._asdict(), text=text)

    def several_outcomes(self) -> None:
        """Warn about an outcome that lists several, one of which is an outcome by itself."""
        known = {(header, _plain(then)) for header, then in self.thens}
        for (header, then), place in self.thens.items():
            parts = [part.strip() for part in _LISTED.split(then)]
            if len(parts) < 2 or not all(parts):
                continue
            if single := [part for part in parts if (header, _plain(part)) in known]:
                labels = ", ".join(format_literal(part) for part in parts)
                self.draft.warn(
                    f"read as one text, although {single[0]!r} is an outcome by itself;"
                    f" write {{{labels}}} for several outcomes, or {quote(then)} in quotes to avoid"
                    " this warning",
                    **place._asdict(), text=then,
                )  # fmt: skip


_LISTED: Final = lazy(r"[,;+&|\n]|\s/\s|\s(?:and|und|et|y|en)\s", re.IGNORECASE)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
