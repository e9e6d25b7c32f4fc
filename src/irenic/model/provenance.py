"""Where the rows of a decision table come from, and what its file says beyond the rules."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple


class UnsatisfiableRow(NamedTuple):
    """A row that can never hold: no rule is made of it, but it can be written back."""

    row: int
    cells: tuple[str, ...]
    """The condition on each feature, in FEEL."""
    then: Hashable
    weight: float = 1.0


@dataclass(frozen=True)
class Provenance:
    """Where the rows of a decision table come from, and what its file says beyond the rules.

    Parameters
    ----------
    id : str
        Id of the table in its file.
    lines : tuple of int
        Line (or row of the sheet) of each row; empty if unknown.
    reasons : tuple of (int, str)
        Rows that make no rule, each with the reason if the file gives one.
    unsatisfiable : tuple of UnsatisfiableRow
        The cells of rows that make no rule, so that they can be written back.
    annotations : tuple of (str or None, tuple of (int, str))
        Columns of notes, which do not affect rules: the name, None for descriptions of rules, and
        the notes, each with the index of its row. A DMN model keeps them.
    beyond : tuple of (int, str, str)
        Rows with a cell that names values outside the domain of its column: the index of the row,
        the column, and the reason.
    unfit : tuple of (int, str, str)
        Rows with an outcome that the file does not allow: the index of the row, the output column,
        and the reason.
    loose_ends : tuple of (int, str)
        Parts of the model of the table that are not connected, such as input data that nothing
        uses: the line and what is wrong.
    accepts : tuple of (tuple of int, str)
        Findings that the file accepts, as texts such as ``"overlap: both discounts apply"``, each
        with the indices of the rows beside which it is written; none for the whole table.
    reading : Reading, optional
        How the table of a spreadsheet was read, see :class:`irenic.formats.Reading`.

    Examples
    --------
    >>> import irenic
    >>> table = irenic.parse("age,fare\\n< 18,low\\n>= 18,high\\n", format="csv").bind().table()
    >>> table.provenance.lines
    (2, 3)
    """

    id: str = ""
    lines: tuple[int, ...] = ()
    reasons: tuple[tuple[int, str], ...] = ()
    unsatisfiable: tuple[UnsatisfiableRow, ...] = ()
    annotations: tuple[tuple[str | None, tuple[tuple[int, str], ...]], ...] = ()
    beyond: tuple[tuple[int, str, str], ...] = ()
    unfit: tuple[tuple[int, str, str], ...] = ()
    loose_ends: tuple[tuple[int, str], ...] = ()
    accepts: tuple[tuple[tuple[int, ...], str], ...] = ()
    reading: Any = None

    @cached_property
    def why_never(self) -> dict[int, str]:
        """Why rows can never hold, by index, as far as the file gives a reason."""
        return dict(self.reasons)

    @cached_property
    def first_line(self) -> int | None:
        """The line where the rows begin; None if it is unknown."""
        return min(self.lines, default=None)

    def place(self, rows: Iterable[int], column: str = "") -> str:
        """Return where rows or a cell are in a spreadsheet; empty if it is not known."""
        if self.reading is None or not self.lines:
            return ""
        return str(self.reading.place([self.lines[row] for row in rows], column))

    def of_other_rules(self) -> Provenance:
        """Return what stays true if rows have other rules, but keep their places."""
        return replace(self, beyond=(), unfit=(), accepts=())

    def renumbered(self, numbers: Mapping[int, int], n_rows: int) -> Provenance:
        """Return the provenance of a table whose rows have other indices.

        ``numbers`` maps old to new indices; what is known of all other rows is dropped. Lines are
        only kept if all of the ``n_rows`` rows of the new table are old ones.
        """
        kept = sorted(numbers, key=numbers.__getitem__) if len(numbers) == n_rows else []
        return replace(
            self.of_other_rules(),
            lines=tuple(self.lines[row] for row in kept) if self.lines else (),
            reasons=tuple((numbers[row], why) for row, why in self.reasons if row in numbers),
            annotations=tuple(
                (name, tuple((numbers[row], text) for row, text in notes if row in numbers))
                for name, notes in self.annotations
            ),
            unsatisfiable=tuple(
                u._replace(row=numbers[u.row]) for u in self.unsatisfiable if u.row in numbers
            ),
        )
