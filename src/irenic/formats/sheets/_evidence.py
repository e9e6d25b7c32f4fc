"""What the cells of a column show about its role, whatever its name is."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, Final

from irenic.errors import FormatError
from irenic.formats.cells.locales import Locale, settled_by
from irenic.formats.cells.reading import Meaning, is_prefix, read
from irenic.formats.cells.words import means_any
from irenic.formats.feel.unary_tests import (
    ANYTHING,
    DASHES,
    AllOf,
    AnyOf,
    Compare,
    Test,
    kind_of,
)
from irenic.formats.sheets._outcomes import FORMULA
from irenic.model.literals import Prefix
from irenic.model.patterns import lazy

# --- cells

_NUMBER: Final = lazy(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
_SIGNS: Final = lazy(r"[<>=≤≥≠!\[\](),;|…+*–—−-]|\.\.|\s")
"""Every condition with a number has one of these."""
_OPERATOR: Final = lazy(r"[<>≤≥=!≠]|not\s*\(", re.IGNORECASE)
OPERATORS: Final = frozenset(("<", "<=", ">", ">=", "=", "≤", "≥", "=<", "=>", "≠", "<>", "!="))
MARK: Final = lazy(r"[xX✓✔☑✗✘•●]")
NOT_PLAIN: Final = object()
"""Stands for the value of a cell that is a condition, or is not known."""


def is_evident(cell: Any) -> bool:
    """Return whether a cell has the form of a condition: an operator, a range, a lone dash, …

    >>> [is_evident(cell) for cell in ("< 18", "18-64", "65+", "not(DE)", "-", "1, 2", "I2*")]
    [True, True, True, True, True, True, True]
    >>> [is_evident(cell) for cell in ("18", "DE", "Zone 1", 5, None, "DE, AT", "€ 5")]
    [False, False, False, False, False, False, False]
    """
    if not isinstance(cell, str):
        return False
    text = cell.strip()
    if _is_any(text) or is_prefix(text):
        return True
    if not any(map(str.isdecimal, text)):
        has_sign = _OPERATOR.match(text) is not None or text.endswith("*")
        return has_sign and text not in OPERATORS
    if _NUMBER.fullmatch(text) or not _SIGNS.search(text):
        return False
    # cells that differ only in digits have one form
    return _has_form(text.translate(_ONES)) and not FORMULA.match(text)


_ONES: Final = dict.fromkeys(map(ord, "023456789"), "1")


@lru_cache(maxsize=4096)
def _has_form(text: str) -> bool:
    for sign in (".", ","):
        try:
            test = read(text, Locale(sign)).test
        except FormatError:
            continue
        parts = test.tests if isinstance(test, AnyOf) else (test,)
        if any(isinstance(p, Compare) and isinstance(p.value, Prefix) for p in parts):
            return True
        is_text = all(isinstance(p, Compare) and isinstance(p.value, str) for p in parts)
        return not is_text and (not _is_value(test) or text.startswith("="))
    # what cannot be text, either, looks like a condition, such as until 18 and 30-
    return text[:1].isalpha() or _UNCLEAR.fullmatch(text) is not None


_UNCLEAR: Final = lazy(
    r"\W*\d[\d.,]*\s*[-–—]\s*(?:\d[\d.,]*)?\D*|\d\S*\s*[<>≤≥]=?\s*[^\W\d]\w*(?:\s*[<>≤≥].*)?"
)


def _is_value(test: Test) -> bool:
    return isinstance(test, Compare) and test.order == "="


def _is_any(cell: Any) -> bool:
    return isinstance(cell, str) and (cell.strip() in DASHES or means_any(cell))


class CellReader:
    """Reads cells as tests, as far as the roles of columns depend on them."""

    def __init__(self) -> None:
        self.texts: Iterable[str] = ()
        self.known: dict[str, Test | None] = {}
        self.readings: dict[str, Meaning] = {}

    @cached_property
    def locale(self) -> Locale:
        """How numbers and dates are written, as all cells show it."""
        locale, _ = settled_by(self.texts)
        return locale if locale.decimal else Locale(".", locale.day_first)

    def test(self, cell: Any) -> Test | None:
        """Return the test in a cell, None for one that cannot be read."""
        if cell is None:
            return ANYTHING
        if not isinstance(cell, str):
            return Compare("=", cell) if isinstance(cell, _TYPED) else None
        if cell not in self.known:
            self.known[cell] = self._read(cell)
        return self.known[cell]

    def _read(self, text: str) -> Test | None:
        try:
            self.readings[text] = read(text, self.locale)
        except FormatError:
            return None
        return self.readings[text].test

    def value(self, cell: Any) -> Any:
        """Return the single value in a cell, None for an empty one."""
        if cell is None:
            return None
        if isinstance(cell, str):
            text = cell.strip()
            if _NUMBER.fullmatch(text):
                return float(text) if "." in text else int(text)
            if text[:1].isalpha() or not any(map(str.isdecimal, text)):
                return NOT_PLAIN if is_evident(text) else text
        test = self.test(cell)
        if not isinstance(test, Compare) or test.order != "=" or isinstance(test.value, Prefix):
            return NOT_PLAIN
        is_signed = isinstance(cell, str) and cell.lstrip().startswith("=")
        return NOT_PLAIN if is_signed else test.value


_TYPED: Final = (bool, int, float, dt.date, dt.time, dt.timedelta)


# --- columns


class ColumnCells:
    """What the cells of a column show."""

    def __init__(self, name: str, place: int, cells: Sequence[Any], reader: CellReader) -> None:
        self.name, self.place, self.cells, self.reader = name, place, cells, reader

    @cached_property
    def distinct(self) -> list[Any]:
        """The different cells that are not empty."""
        return [cell for cell in dict.fromkeys(self.cells) if cell is not None]

    @cached_property
    def has_blanks(self) -> bool:
        return None in self.cells

    @cached_property
    def is_evident(self) -> bool:
        """Whether a cell shows that the column contains conditions."""
        return any(map(is_evident, self.distinct)) or self._lists_others()

    @cached_property
    def is_all_evident(self) -> bool:
        """Whether all cells are conditions, not just dashes for any value."""
        forms = [cell for cell in self.distinct if not _is_any(cell)]
        return bool(forms) and all(map(is_evident, forms))

    def _lists_others(self) -> bool:
        """Return whether a cell lists words, one of which is a cell by itself."""
        texts = {cell.strip().casefold() for cell in self.distinct if isinstance(cell, str)}
        for text in texts:
            parts = [part.strip() for part in _LISTED.split(text)]
            if len(parts) > 1 and any(part in texts for part in parts):
                return True
        return False

    @cached_property
    def values(self) -> list[Any]:
        """The single values of the cells, None for empty ones."""
        known = {cell: self.reader.value(cell) for cell in self.distinct}
        return [None if cell is None else known[cell] for cell in self.cells]

    @cached_property
    def kind(self) -> str:
        """The kind of all values: number, date, time, boolean, text, mixed; "" for conditions."""
        kinds = {
            "" if value is NOT_PLAIN else _FAMILIES.get(kind_of(value), kind_of(value))
            for value in dict.fromkeys(self.values)
            if value is not None
        }
        if len(kinds) > 1 and "" not in kinds:
            return "mixed"
        return min(kinds) if len(kinds) == 1 else ""

    @property
    def is_ordered(self) -> bool:
        return self.kind in ("number", "date", "datetime", "time")

    @cached_property
    def is_marked(self) -> bool:
        """Whether cells are marks or empty."""
        texts = self.distinct
        return bool(texts) and all(isinstance(t, str) and MARK.fullmatch(t.strip()) for t in texts)

    @cached_property
    def all_differ(self) -> bool:
        return not self.has_blanks and len(self.distinct) == len(self.cells)

    @cached_property
    def filled_differ(self) -> bool:
        """Whether several cells are filled, all with different values."""
        n_blank = self.cells.count(None)
        return 1 < len(self.distinct) == len(self.cells) - n_blank

    @cached_property
    def is_permutation(self) -> bool:
        """Whether the cells are the numbers from 1 to n, for n above 1, in any order."""
        if self.kind != "number" or not self.all_differ or len(self.cells) < 2:
            return False
        return sorted(self.values) == list(range(1, len(self.cells) + 1))

    @cached_property
    def is_labels(self) -> bool:
        """Whether cells are numbered labels, such as R1 and R2."""
        texts = [cell.strip() for cell in self.distinct if isinstance(cell, str)]
        stems = {match[1] for text in texts if (match := _LABEL.fullmatch(text))}
        return self.all_differ and len(texts) == len(self.cells) and len(stems) == 1 < len(texts)

    @cached_property
    def is_free_text(self) -> bool:
        """Whether cells are several words each, and nearly all different."""
        texts = [cell for cell in self.cells if isinstance(cell, str)]
        if not texts or len(texts) < len(self.cells) - self.cells.count(None):
            return False
        wordy = sum(len(text.split()) > 2 for text in texts)
        return 2 * wordy > len(texts) and 5 * len(self.distinct) > 4 * len(texts)


_LISTED: Final = lazy(r"[,;|\n]|(?<=\s)(?:or|oder)(?=\s)")
_LABEL: Final = lazy(r"([^\W\d]{1,4}[ .#-]?)\d{1,4}")
_FAMILIES: Final = {"integer": "number"}


def is_step(column: ColumnCells, others: Sequence[ColumnCells]) -> bool:
    """Return whether numbers rise, or fall, where the cells of other columns are equal."""
    if not column.is_ordered or column.has_blanks:
        return False
    groups: dict[tuple[Any, ...], list[Any]] = {}
    keys = zip(*(other.cells for other in others), strict=True) if others else None
    for value in column.values:
        groups.setdefault(next(keys) if keys else (), []).append(value)
    if max(map(len, groups.values())) < 2:
        return False
    pairs = [pair for group in groups.values() for pair in pairwise(group)]
    return all(a < b for a, b in pairs) or all(a > b for a, b in pairs)


def are_bounds(low: ColumnCells, high: ColumnCells) -> bool:
    """Return whether one column is never above the other, except once over midnight."""
    if not low.is_ordered or low.kind != high.kind or len(low.cells) < 2:
        return False
    pairs = list(zip(low.values, high.values, strict=True))
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    if len(both) + 2 < len(pairs) or (None, None) in pairs or not both:
        return False
    turned = sum(a > b for a, b in both)
    return turned <= (low.kind == "time") and any(a < b for a, b in both)


def share_bounds(low: ColumnCells, high: ColumnCells) -> bool:
    """Return whether the end of a row is the beginning of another."""
    starts = {a for a, b in zip(low.values, high.values, strict=True) if a != b}
    return any(b is not None and b in starts for b in high.values)


def are_alike(columns: Sequence[ColumnCells]) -> bool:
    """Return whether columns have one kind and magnitude, or the same few words."""
    kinds = {column.kind for column in columns}
    if len(kinds) != 1 or any(c.has_blanks or c.is_evident for c in columns):
        return False
    if kinds == {"number"}:
        ratio = _RATIO if len(columns) > 2 else _CLOSE
        rows = list(zip(*(column.values for column in columns), strict=True))
        return all(min(row) > 0 and max(row) <= ratio * min(row) for row in rows)
    if not kinds <= {"text", "boolean"}:
        return False
    sets = [set(column.distinct) for column in columns]
    few = set().union(*sets)
    shared = all(any(a & b for b in sets if b is not a) for a in sets)
    return shared and len(few) <= _FEW and len(few) < sum(map(len, sets))


_RATIO: Final = 20
"""How much larger the largest number in a row of alike columns may be than the smallest."""
_CLOSE: Final = 1.6
"""The same, for two columns."""
_FEW: Final = 8


# --- rows


def form_product(columns: Sequence[ColumnCells]) -> bool:
    """Return whether the rows are all combinations of the values of columns, each once."""
    if not columns:
        return False
    n = len(columns[0].cells)
    size = 1
    for column in columns:
        if column.has_blanks:
            return False
        size *= len(column.distinct)
        if size > n:
            return False
    return size == n == len(set(zip(*(column.cells for column in columns), strict=True)))


_MOST_VISITS: Final = 32
"""How often each cell may be visited to show that no two rows overlap."""


def are_apart(columns: Sequence[ColumnCells]) -> bool:
    """Return whether cells show that no two rows overlap; False if that takes too long.

    Rows are split by one column after another into groups that do not overlap.
    """
    if not columns:
        return False
    n = len(columns[0].cells)
    atoms = [_atoms(column) for column in columns]
    groups, visits = [list(range(n))], 0
    while groups:
        rows = groups.pop()
        for of_column in atoms:
            visits += len(rows)
            if visits > _MOST_VISITS * n * len(columns):
                return False
            parts = _parts(rows, of_column)
            if len(parts) > 1:
                groups += [part for part in parts if len(part) > 1]
                break
        else:
            return False
    return True


def _atoms(column: ColumnCells) -> list[list[tuple[Any, ...]] | None]:
    """Return, by row, the values and intervals that a cell accepts; None for anything."""
    known = {cell: _ranges(column.reader.test(cell)) for cell in column.distinct}
    return [None if cell is None else known[cell] for cell in column.cells]


def _ranges(test: Test | None) -> list[tuple[Any, ...]] | None:
    """Return values and intervals, as a kind and two bounds, that contain all that a test accepts.

    Bounds are comparable: a value, and whether they are right after or right before it.
    """
    if test is None or test == ANYTHING:
        return None
    parts = test.tests if isinstance(test, AnyOf) else (test,)
    found = []
    for part in parts:
        tests = part.tests if isinstance(part, AllOf) else (part,)
        low: Any = None
        high: Any = None
        kind = ""
        for each in tests:
            if not isinstance(each, Compare) or each.value is None or each.order == "!=":
                return None
            if isinstance(each.value, Prefix):
                return None
            kind = "text" if isinstance(each.value, str | bool) else kind_of(each.value)
            kind = _FAMILIES.get(kind, kind)
            if each.order in (">", ">=", "="):
                bound = (each.value, 1 if each.order == ">" else 0)
                low = bound if low is None else max(low, bound)
            if each.order in ("<", "<=", "="):
                bound = (each.value, -1 if each.order == "<" else 0)
                high = bound if high is None else min(high, bound)
        if kind == "text" and low != high:
            return None
        found.append((kind, low, high))
    return found


def _parts(rows: list[int], atoms: Sequence[list[tuple[Any, ...]] | None]) -> list[list[int]]:
    """Return rows in groups such that rows of different groups do not overlap in a column."""
    if any(atoms[row] is None for row in rows):
        return [rows]
    leader = {row: row for row in rows}

    def top(row: int) -> int:
        while leader[row] != row:
            leader[row] = leader[leader[row]]
            row = leader[row]
        return row

    by_kind: dict[str, list[tuple[Any, Any, int]]] = {}
    first: dict[Any, int] = {}
    for row in rows:
        for kind, low, high in atoms[row] or ():
            if kind == "text":
                leader[top(row)] = top(first.setdefault((type(low[0]), low[0]), row))
            else:
                by_kind.setdefault(kind, []).append((low, high, row))
    try:
        for ranges in by_kind.values():
            _join(ranges, leader, top)
    except TypeError:  # times with and without a zone
        return [rows]
    groups: dict[int, list[int]] = {}
    for row in rows:
        groups.setdefault(top(row), []).append(row)
    return list(groups.values())


def _join(ranges: list[tuple[Any, Any, int]], leader: dict[int, int], top: Any) -> None:
    """Join the rows whose ranges overlap, in order of their lower bounds."""
    unbounded = [each for each in ranges if each[0] is None]
    bounded = sorted((each for each in ranges if each[0] is not None), key=lambda each: each[0])
    end: Any = None
    current = -1
    for low, high, row in (*unbounded, *bounded):
        if current >= 0 and (low is None or end is None or low <= end):
            leader[top(row)] = top(current)
            end = None if end is None or high is None else max(end, high)
        else:
            current, end = row, high
