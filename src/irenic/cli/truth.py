"""Which column of a table says what is true of its rows, held against what rules say."""

from __future__ import annotations

import re
import sys
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from irenic.errors import DataError, did_you_mean
from irenic.frames.columns import Table, as_values
from irenic.model.literals import counted, display, say


@dataclass(frozen=True)
class Said:
    """What rules say: outcomes, or where these are sets, the labels in them."""

    values: tuple[Hashable, ...]
    many: bool = False

    @cached_property
    def texts(self) -> dict[str, Hashable]:
        """The outcomes by how they read."""
        return {say(value): value for value in self.values}

    def read(self, cell: Any) -> Hashable | None:
        """Return a cell as one of the outcomes, if it reads like one; None if it is empty.

        A table of text carries no types, so "1" in it may be the number that rules say. A set of
        labels is read as ``irenic predict`` writes it, ``a; b``, or as ``{a, b}``.
        """
        if self.many:
            parts = re.split(r"\s*[;,]\s*", str(cell or "").strip().strip("{}").strip())
            return frozenset(self.texts.get(part, part) for part in parts if part)
        if cell is None or cell in self.values:
            return cell  # type: ignore[no-any-return]
        return self.texts.get(say(cell), cell)  # type: ignore[no-any-return]


def truth_of(
    table: Table, data: Path, said: Said, features: Iterable[str], label: str | None
) -> tuple[Table, Any]:
    """Return the rows of which it is said what is true, and what that is; None if nothing is.

    Without a label it is the last column, if it holds something that rules say, else the only one
    that holds nothing else; what was found is said on standard error.
    """
    if label is not None and label not in table:
        raise DataError(f"{data}: there is no column {label!r}{did_you_mean(label, table)}")
    others = [name for name in table if name not in set(features)]
    names = [str(value) for value in said.values]
    if label is None and said.many and said.values and all(name in others for name in names):
        return table, {name: table[name] for name in names}
    column = label if label is not None else _guessed(table, said, others)
    if column is None:
        if others:
            _note("no column holds what the rules say, so nothing is compared (--label names one)")
        return table, None
    values = [said.read(cell) for cell in as_values(table[column])]
    if not _fits(said, values, least=True):
        shown = ", ".join(display(value) for value in dict.fromkeys(values[:5]))
        told = ", ".join(display(value) for value in said.values[:5])
        raise DataError(
            f"{data}: the column {column!r} holds {shown}, but the rules say {told}; is it the"
            " column of outcomes?"
        )
    if label is None:
        _note(f"the column {display(column)} says what is true (--label names another)")
    return _known(table, values, column)


def _guessed(table: Table, said: Said, others: Sequence[str]) -> str | None:
    """Return the column that probably says what is true, None if none does."""
    read = {name: [said.read(cell) for cell in as_values(table[name])] for name in others}
    last = list(table)[-1]
    if last in read and _fits(said, read[last], least=True):
        return last
    whole = [name for name in others if _fits(said, read[name], least=False)]
    return whole[0] if len(whole) == 1 else None


def _fits(said: Said, values: Sequence[Hashable | None], *, least: bool) -> bool:
    """Return whether at least one of the values, or all of them, are what rules say."""
    known = set(said.values)
    given = {value for value in values if value is not None}
    if said.many:
        given = {label for value in given if isinstance(value, frozenset) for label in value}
    return bool(given & known if least else given and given <= known)


def _known(table: Table, values: list[Hashable | None], column: str) -> tuple[Table, Any]:
    """Return the rows that have an outcome, and the outcomes."""
    rows = [row for row, value in enumerate(values) if value is not None]
    left = len(values) - len(rows)
    if not left:
        return table, values
    verb = "has" if left == 1 else "have"
    _note(f"{counted(left, 'row')} left out, which {verb} nothing in the column {display(column)}")
    kept = Table({name: np.asarray(cells)[rows] for name, cells in table.items()})
    return kept, [values[row] for row in rows]


def _note(text: str) -> None:
    print(f"irenic: {text}", file=sys.stderr)
