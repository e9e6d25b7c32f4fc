"""Outcomes that do not fit the others, and hit policies that would fit better."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from irenic.checking._rows import Rows
from irenic.model.decision_table import DecisionTable
from irenic.model.literals import Expression, Months, say

_KINDS: Final[tuple[tuple[Any, str], ...]] = (
    (bool, "true or false"),
    ((int, float), "a number"),
    (str, "text"),
    (dt.datetime, "a date and time"),
    (dt.date, "a date"),
    (dt.time, "a time"),
    ((dt.timedelta, Months), "a duration"),
)
_SHOWN: Final = 8


class Misfit(NamedTuple):
    """A row whose outcome does not fit, with the output column and the reason."""

    row: int
    column: str
    why: str


def misfits(table: DecisionTable) -> Iterator[Misfit]:
    """Yield rows whose outcomes are not allowed, or of another kind than most of their column."""
    decided = dict(zip(table.rows, table.rules.thens, strict=True))
    thens = {row: decided[row] for row in sorted(decided)}
    unfit = {row for row, _, _ in table.provenance.unfit}
    yield from (Misfit(*place) for place in table.provenance.unfit)
    thens = {row: then for row, then in thens.items() if row not in unfit}
    allowed = table.ranking
    several = len(table.outputs) > 1
    if allowed:
        listed = ", ".join(map(say, allowed[:_SHOWN])) + ", …" * (len(allowed) > _SHOWN)
        for row, then in thens.items():
            if then not in allowed and not _is_expression(then):
                yield Misfit(row, "", f"the outcome {say(then)} is not among the allowed {listed}")
    parts = [
        tuple(then) if isinstance(then, tuple) and several else (then,) for then in thens.values()
    ]
    if not parts or len({len(part) for part in parts}) > 1:
        return
    names = table.outputs if several and len(parts[0]) == len(table.outputs) else ("",)
    for name, values in zip(names, zip(*parts, strict=True), strict=False):
        kind_of = {cls: _kind(cls) for cls in {*map(type, values)}}
        kinds = [kind_of[type(value)] for value in values]
        counts = Counter(filter(None, kinds)).most_common()
        if len(counts) < 2 or counts[0][1] == counts[1][1]:
            continue
        usual, n = counts[0]
        for row, value, kind in zip(thens, values, kinds, strict=True):
            if kind not in ("", usual):
                why = f"the outcome {say(value)} is {kind}, but {n} of {len(values)} are {usual}"
                yield Misfit(row, name, why)


def _is_expression(then: object) -> bool:
    parts = then if isinstance(then, tuple) else (then,)
    return any(isinstance(part, Expression) for part in parts)


def _kind(cls: type) -> str:
    """Return the kind of outcomes of a type in words, ``""`` if they may be of any kind."""
    return next((name for types, name in _KINDS if issubclass(cls, types)), "")


def better_policy(rows: Rows) -> tuple[tuple[int, ...], str] | None:
    """Return why another hit policy would fit a table better, with the rows concerned."""
    table = rows.table
    if table.n_rows < 2:
        return None
    if table.is_ordered and table.provenance.lines and not len(rows.differing):
        policy = "ANY" if len(rows.agreeing) else "UNIQUE"
        return (), (
            f"no two rules contradict each other, so {table.hit_policy} is not needed: under"
            f" {policy} the order of the rules would not matter"
        )
    if table.hit_policy == "ANY" and not len(rows.differing) and not len(rows.agreeing):
        return (), "no two rules overlap, so UNIQUE would say more than ANY"
    last = table.n_rows - 1
    if table.hit_policy not in (None, "UNIQUE", "ANY") or not len(rows.differing):
        return None
    places = rows.places(last)
    is_whole = len(places) == 1 and not table.rules[int(places[0])].region.conditions()
    if not is_whole or not (rows.row_of[rows.differing] == last).any():
        return _exceptions_first(rows)
    return (last,), (
        f"rule {last + 1}, the last one, applies to every case and contradicts others; if it is"
        " meant for all other cases, use the hit policy FIRST (--hit-policy FIRST) or a DEFAULT"
    )


_FEWEST_EXCEPTIONS: Final = 2
"""A single contradiction is more likely a mistake."""


def _exceptions_first(rows: Rows) -> tuple[tuple[int, ...], str] | None:
    """Return the hint for rules that only contradict later ones that contain them."""
    of_rows = rows.row_of[rows.differing]
    if len(of_rows) < _FEWEST_EXCEPTIONS:
        return None
    swapped = of_rows[:, 0] > of_rows[:, 1]
    earlier, later = np.where(swapped[:, None], rows.differing[:, ::-1], rows.differing).T
    boxes = rows.boxes
    if not boxes.inside(earlier, later).all() or boxes.inside(later, earlier).any():
        return None
    return tuple(rows.among(rows.differing)), (
        "every rule contradicts only later ones that include all of its cases; if the first rule"
        " that applies is meant to decide, use the hit policy FIRST (--hit-policy FIRST)"
    )
