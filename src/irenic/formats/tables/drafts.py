"""Drafts of decision tables: what is read of a file before the features are known.

A draft is what a spreadsheet and a DMN file have in common: input columns, of which more or less is
known, and rows of tests. What is wrong with one cell does not hide what is wrong with the next: all
of it is collected.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from irenic.errors import FormatError
from irenic.formats.feel.unary_tests import ANYTHING, Test, parse
from irenic.model.condition import Operators
from irenic.model.decision_table import HitPolicy
from irenic.model.features import Feature

_LONG: Final = 80
MOST_COLUMNS: Final = 1_000
MOST_CELLS: Final = 1_000_000
POLICIES: Final[dict[str, tuple[HitPolicy, str]]] = {
    "U": ("UNIQUE", ""),
    "A": ("ANY", ""),
    "F": ("FIRST", ""),
    "P": ("PRIORITY", ""),
    "R": ("RULE ORDER", ""),
    "O": ("OUTPUT ORDER", ""),
    "C": ("COLLECT", ""),
    "C+": ("COLLECT", "SUM"),
    "C<": ("COLLECT", "MIN"),
    "C>": ("COLLECT", "MAX"),
    "C#": ("COLLECT", "COUNT"),
}
"""Hit policies by their letters in DMN, each with what it makes of what it collects."""


def short(text: str) -> str:
    """Return a text cut to what a message has room for."""
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"


class TableError(FormatError):
    """What is wrong with a decision table: in which table, rule and column, and what stands there.

    ``rule`` is the number of the row, counted from 1; ``header`` names the column; ``text`` is the
    cell. ``doubtful``: a space that has the column as a feature settles it.
    """

    def __init__(
        self,
        message: str,
        *,
        table: str = "",
        rule: int | None = None,
        header: str = "",
        text: str = "",
        path: str = "",
        line: int | None = None,
        doubtful: bool = False,
    ) -> None:
        self.table, self.rule, self.header, self.text = table, rule, header, text
        self.doubtful = doubtful
        self.reason = message
        where = [f"table {table!r}"] if table else []
        where += [f"rule {rule}"] if rule is not None else []
        where += [f"column {header!r}"] if header else []
        where += [repr(short(text))] if text else []
        full = f"{', '.join(where)}: {message}" if where else message
        super().__init__(full, path=path, line=line)

    def at(
        self, *, path: str = "", line: int | None = None, column: int | None = None
    ) -> TableError:
        """Return the same error with what the caller knows of the place filled in."""
        return TableError(
            self.reason,
            table=self.table,
            rule=self.rule,
            header=self.header,
            text=self.text,
            path=self.path or path,
            line=self.line if self.line is not None else line,
            doubtful=self.doubtful,
        )


class Cell(NamedTuple):
    """A cell as it stands in the file, and what it asks: a test, or operators said outright."""

    text: str
    test: Test | Operators


@dataclass
class Input:
    """An input column: what its file says of it beside the cells."""

    name: str
    kind: str | None = None
    """A kind of continuous feature, "boolean" or "text"; None: the cells tell."""
    domain: Test | None = None
    feature: Feature | None = None
    """The feature outright; nothing is then told by cells."""
    source: str = ""
    """Where the kind comes from, for messages."""


@dataclass
class Row:
    """A row: what it asks, a cell an input column, and what follows."""

    number: int
    line: int | None
    cells: list[Cell]
    then: Hashable
    weight: float = 1.0


@dataclass
class Draft:
    """A table before its features are known."""

    name: str
    id: str = ""
    line: int | None = None
    """Where the table begins; for errors without a line of their own."""
    inputs: list[Input] = field(default_factory=list)
    outputs: tuple[str, ...] = ("then",)
    rows: list[Row] = field(default_factory=list)
    n_rows: int = 0
    hit_policy: HitPolicy | None = None
    default: Hashable | None = None
    ranking: tuple[Hashable, ...] = ()
    letter: str = ""
    """The letter of a hit policy that heads the first column of a sheet."""
    unnumbered: Callable[[], Draft] | None = None
    """Reads the sheet again for a space in which that letter is a feature."""
    outside: Any = None
    """Regions said outright, as a function of the space; None: what the domains leave out."""
    aggregation: str = ""
    left_out: tuple[str, ...] = ()
    """What else the file says of the table, which is not read."""
    errors: list[TableError] = field(default_factory=list)
    warnings: list[TableError] = field(default_factory=list)
    parsed: dict[tuple[str, bool], Test | FormatError] = field(default_factory=dict)

    def fail(self, message: str, **place: Any) -> None:
        """Note what is wrong; ``place`` is what :class:`TableError` takes, as far as known."""
        self.errors.append(self._note(message, **place))

    def warn(self, message: str, **place: Any) -> None:
        """Note what is read, but may mean something else."""
        self.warnings.append(self._note(message, **place))

    def _note(self, message: str, *, line: int | None = None, **place: Any) -> TableError:
        line = self.line if line is None else line
        return TableError(message, table=self.name, line=line, **place)

    def read_cell(
        self, text: str, rule: int, header: str, line: int | None, *, words: bool = False
    ) -> Cell:
        """Return a cell, parsed; what cannot be parsed is noted and counts as anything."""
        key = (text, words)
        if key not in self.parsed:
            try:
                self.parsed[key] = parse(text, words=words)
            except FormatError as error:
                self.parsed[key] = error
        found = self.parsed[key]
        if isinstance(found, FormatError):
            self.fail(found.message, rule=rule, header=header, text=text, line=line)
            return Cell(text, ANYTHING)
        return Cell(text, found)
