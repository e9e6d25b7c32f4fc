"""Ranges that end one minute or 0.01 before the next begins: ``08:00-17:59``, ``18:00-23:59``.

Times written to the minute and numbers written with two decimals have no value between the end of
one range and the beginning of the next. Such ranges are read as if they ended where the next
begins, whatever the name of the column.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final

from irenic.formats.feel.unary_tests import ANYTHING, AllOf, AnyOf, Compare, Not, Test
from irenic.formats.sheets._doubtful_words import compared
from irenic.formats.tables.drafts import Cell, TableDraft, distinct

_LAST: Final = dt.time(23, 59)


def settle_steps(draft: TableDraft, place: int) -> None:
    """Extend the ranges of a column to the next ones, if some end one step before others begin.

    Unary tests are exact, because other programs write them; only cells as people write them are
    extended.
    """
    column = draft.inputs[place]
    rows = [*draft.rows, *draft.impossible_rows]
    cells = distinct([row.cells[place] for row in rows])
    spoken = {key for key, cell in cells.items() if (column.name, cell.text) in draft.respelled}
    values = (c.value for cell in cells.values() for c in compared(cell))
    first = next((value for value in values if value is not None), None)
    if type(first) not in (dt.time, int, float):
        return
    tests = [
        # the end of a unary test touches nothing
        c._replace(order="<") if c.order == "<=" and key not in spoken else c
        for key, cell in cells.items()
        for c in compared(cell)
    ]
    if not touching(tests):
        return
    changed = {
        key: Cell(cell.text, extended(cell.test))
        for key, cell in cells.items()
        if key in spoken and not isinstance(cell.test, dict)
    }
    for row in rows:
        row.cells[place] = changed.get(id(row.cells[place]), row.cells[place])
    draft.remarks.append(remark(column.name, tests))


def read_steps(draft: TableDraft, place: int, kind: str) -> None:
    """Read numbers as bounds of steps: where other conditions are equal, rows bound each other.

    ``kind`` is "from" or "up to".
    """
    name = draft.inputs[place].name
    groups: dict[tuple[str, ...], list[Any]] = {}
    for row in draft.rows:
        cell = row.cells[place]
        if (
            isinstance(cell.test, Compare)
            and cell.test.order == "="
            and cell.test.value is not None
        ):
            key = tuple(c.text for i, c in enumerate(row.cells) if i != place)
            groups.setdefault(key, []).append(row)
    for rows in groups.values():
        values = [row.cells[place].test.value for row in rows]
        try:
            rises = all(a < b for a, b in pairwise(values))
            falls = all(a > b for a, b in pairwise(values))
        except TypeError:
            rises = falls = False
        if not (rises or falls):
            row = next(r for r, (a, b) in zip(rows[1:], pairwise(values), strict=True) if not a < b)
            draft.fail(
                "steps must rise or fall from row to row where the other conditions are equal; sort"
                f" the rows, or declare the column with roles={{{name!r}: 'condition'}}",
                rule=row.number, header=name, text=row.cells[place].text, line=row.line,
            )  # fmt: skip
            return
        in_order = rows if rises else rows[::-1]
        bounds = [None, *sorted(values), None]
        for number, row in enumerate(in_order, 1):
            before, own, after = bounds[number - 1 : number + 2]
            tests = [Compare("<=", own), Compare(">", before)]
            if kind == "from":
                tests = [Compare(">=", own), Compare("<", after)]
            kept = tuple(test for test in tests if test.value is not None)
            row.cells[place] = Cell(
                row.cells[place].text, kept[0] if len(kept) == 1 else AllOf(kept)
            )
    verb = "begins at" if kind == "from" else "ends with"
    draft.remarks.append(f"each row of {name} {verb} its value, and the other rows bound it")


def settle_pair(draft: TableDraft, name: str, low: int, high: int) -> None:
    """Extend ranges from one column to another, if they end one step before others begin."""
    columns = [[row.cells[place] for row in draft.rows] for place in (low, high)]
    starts, ends = ([c.value for cell in column for c in compared(cell)] for column in columns)
    tests = [*(Compare(">=", v) for v in starts), *(Compare("<=", v) for v in ends)]
    if not touching(tests):
        return
    for row in draft.rows:
        cell = row.cells[high]
        if isinstance(cell.test, Compare):
            row.cells[high] = Cell(cell.text, extended(Compare("<=", cell.test.value)))
    draft.remarks.append(remark(name, tests))


def remark(name: str, tests: Iterable[Compare]) -> str:
    """Return what to say about a column whose ranges are extended."""
    if any(isinstance(test.value, dt.time) for test in tests):
        return f"{name} is written to the minute, so that ranges include all of their last minute"
    return (
        f"{name} is written with two decimals, so that there is nothing between ranges 0.01 apart"
    )


def touching(tests: Sequence[Compare]) -> bool:
    """Return whether ranges end one minute, or 0.01, before others begin."""
    values = [test.value for test in tests if test.value is not None]
    ends = [test.value for test in tests if test.order == "<="]
    starts = {test.value for test in tests if test.order == ">="}
    if not values or not ends:
        return False
    if all(type(v) is dt.time and not (v.second or v.microsecond or v.tzinfo) for v in values):
        return any(end == _LAST or after(end) in starts for end in ends)
    if not all(type(v) in (int, float) and _in_cents(v) for v in values):
        return False
    return any(type(end) is float and after(end) in starts for end in ends)


def _in_cents(value: Any) -> bool:
    exponent = Decimal(repr(value)).as_tuple().exponent
    return isinstance(exponent, int) and exponent >= -2


def after(value: Any) -> Any:
    """Return the next minute or cent, None after the last minute of the day."""
    if isinstance(value, dt.time):
        minutes = value.hour * 60 + value.minute + 1
        return None if value == _LAST else dt.time(*divmod(minutes, 60))
    return float(Decimal(repr(value)) + Decimal("0.01"))


def extended(test: Test) -> Test:
    """Return a test whose ranges go on to the next minute or cent."""
    if isinstance(test, Not):
        return Not(extended(test.test))
    if isinstance(test, AllOf | AnyOf):
        return type(test)(tuple(map(extended, test.tests)))
    if test.order not in ("<=", ">") or test.value is None:
        return test
    bound = after(test.value)
    if bound is None:
        return ANYTHING if test.order == "<=" else Not(ANYTHING)
    return Compare("<" if test.order == "<=" else ">=", bound)
