"""Drafts of decision tables: what is read from a file before the features are known.

A draft is what spreadsheets and DMN models have in common: input columns, rows of tests, and all
errors and warnings found so far.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from irenic.errors import FormatError
from irenic.formats.feel.unary_tests import ANYTHING, Test, parse
from irenic.model.condition import Operators
from irenic.model.decision_table import HitPolicy
from irenic.model.features import Feature
from irenic.model.notation import ParsedCondition, lines_in
from irenic.model.patterns import lazy

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
"""Hit policies and their aggregations, by their letters in DMN."""


def short(text: str) -> str:
    """Return a text, truncated for a message."""
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"


class Place(NamedTuple):
    """What part of a table an error is about."""

    rule: int | None = None
    """The number of the row, counted from 1."""
    header: str = ""
    """The name of the column."""
    text: str = ""
    """What the cell contains."""
    cell: str = ""
    """The address of the cell in a workbook."""


_NOWHERE: Final = Place()


class TableError(FormatError):
    """An error in a decision table.

    A ``doubtful`` error is settled by a space that has the column as a feature.
    """

    def __init__(
        self,
        message: str,
        table: str = "",
        place: Place = _NOWHERE,
        *,
        path: str = "",
        line: int | None = None,
        doubtful: bool = False,
    ) -> None:
        self.table, self.place, self.doubtful = table, place, doubtful
        self.reason = message
        rule, header, text, cell = place
        where = [f"table {table!r}"] if table and not cell else []
        where += [f"{table}!{cell}" if table else cell] if cell else []
        where += [f"rule {rule}"] if rule is not None else []
        where += [f"column {header!r}"] if header else []
        where += [repr(short(text))] if text else []
        full = f"{', '.join(where)}: {message}" if where else message
        super().__init__(full, path=path, line=line)

    def at(
        self, *, path: str = "", line: int | None = None, column: int | None = None
    ) -> TableError:
        """Return the error with the unknown parts of its location filled in."""
        return TableError(
            self.reason,
            self.table,
            self.place,
            path=self.path or path,
            line=self.line if self.line is not None else line,
            doubtful=self.doubtful,
        )


@dataclass(frozen=True)
class Doubt:
    """A question about columns that only the author of a table can answer."""

    columns: tuple[str, ...]
    """The columns, in the order of the sheet; or a name for rows that are headings."""
    reason: str
    """What is unclear, as a clause."""
    ways: tuple[tuple[str, ...], ...]
    """The answers, each as one role per column; the first one is suggested."""
    advice: str = ""
    """What else may be done, in the sheet itself."""

    @property
    def column(self) -> str:
        """The first column."""
        return self.columns[0]

    @property
    def roles(self) -> tuple[str, ...]:
        """The possible roles of the first column."""
        return tuple(way[0] for way in self.ways)

    def answers(self) -> list[dict[str, str]]:
        """Return the answers as values of the argument ``roles``, the suggested one first."""
        return [dict(zip(self.columns, way, strict=True)) for way in self.ways]

    def __str__(self) -> str:
        first, *others = self.answers()
        options = " ".join(
            f"--role {shlex.quote(f'{name}={role}')}" for name, role in first.items()
        )
        text = f"{self.reason}; declare it with roles={first!r} ({options})"
        text += "".join(f", or as roles={other!r}" for other in others)
        return f"{text}; {self.advice}" if self.advice else text


_ACCEPT: Final = lazy(r"\s*accept\s*:\s*(.*)", re.IGNORECASE | re.DOTALL)
_LOOSELY: Final = lazy(
    r"\s*accept(?:ed)?\s+(?:(?:the|this|these)\s+)?(conflicts?|overlaps?|gaps?|duplicates?|inside"
    r"|mergeable|misleading|never fires)\b[\s:;,–—-]*(.*)",
    re.IGNORECASE | re.DOTALL,
)


def accepted_in(comment: str) -> list[str]:
    """Return what a comment accepts: one finding and its reason per line."""
    texts = []
    for line in lines_in(comment):
        if match := _ACCEPT.fullmatch(line):
            texts.append(match[1].rstrip())
        elif loose := _LOOSELY.fullmatch(line):
            texts.append(f"{loose[1]}: {loose[2].rstrip()}")
    return texts


class Cell(NamedTuple):
    """A cell: its text in the file, and its condition as a test or as operators."""

    text: str
    test: Test | Operators


def distinct(cells: Sequence[Cell]) -> dict[int, Cell]:
    """Return the different cells by their ids, in order of appearance.

    Most cells of a long table occur several times, as the same object: see
    :meth:`TableDraft.read_cell`.
    """
    return dict(zip(map(id, cells), cells, strict=True))


@dataclass
class Input:
    """An input column, and what the file declares about it."""

    name: str
    kind: str | None = None
    """A kind of continuous feature, "boolean" or "text"; None infers it from the cells."""
    domain: Test | None = None
    feature: Feature | None = None
    """The feature, if the file declares it completely."""
    source: str = ""
    """Where the kind is declared, for messages."""
    whole: bool = False
    """Whether numbers are integers if all numbers in the cells are."""
    unit: str = ""
    """The unit of numbers: a currency or percent sign in the cells, or in the header ("kg")."""
    aliases: Mapping[Any, Any] = field(default_factory=dict)
    """Values that mean others, such as YES and yes, or a tuple of several; unless the space has
    them as values."""
    bound: tuple[str, str] | None = None
    """The feature that the column bounds, and how: ("age", ">="); unless the space has the column
    as a feature."""


@dataclass(slots=True)
class Row:
    """A row: one cell per input column, and the outcome."""

    number: int
    line: int | None
    cells: list[Cell]
    then: Hashable
    weight: float = 1.0
    is_impossible: bool = False
    """Whether the row is one of :attr:`TableDraft.impossible`."""


CANNOT_OCCUR: Final = "cannot occur"
"""The outcome, in a spreadsheet, of rows whose cases are impossible."""


@dataclass
class TableDraft:
    """A table before its features are known."""

    name: str
    id: str = ""
    line: int | None = None
    """Where the table begins, for errors without a line."""
    inputs: list[Input] = field(default_factory=list)
    outputs: tuple[str, ...] = ("then",)
    rows: list[Row] = field(default_factory=list)
    impossible: list[Row | tuple[int | None, list[ParsedCondition]]] = field(default_factory=list)
    """Combinations that cannot occur, besides values outside domains: rows that say so instead of
    deciding them, and declared conditions with their lines."""
    n_rows: int = 0
    hit_policy: HitPolicy | None = None
    default: Hashable | None = None
    ranking: tuple[Hashable, ...] = ()
    letter: str = ""
    """The letter of a hit policy that is the name of the first column of a sheet."""
    unnumbered: Callable[[], TableDraft] | None = None
    """Reads the sheet again, for a space in which that letter is a feature."""
    aggregation: str = ""
    thens: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    """How often each outcome is written, and its first line, by column and text of the cell."""
    units: dict[str, str] = field(default_factory=dict)
    """The units of outcomes, by name."""
    left_out: tuple[str, ...] = ()
    """Parts of the table in the file that are not read, such as annotations."""
    unfit: list[tuple[int, str, str]] = field(default_factory=list)
    """Rows with an outcome that is not allowed, counted from 0: the output column and why."""
    loose_ends: list[tuple[int, str]] = field(default_factory=list)
    """Parts of the model that are not connected: the line and what is wrong."""
    computed: dict[str, Callable[[Any], Any]] = field(default_factory=dict)
    """Inputs that are computed from a case instead of read from it."""
    compared: tuple[Any, ...] = ()
    """The computed inputs that compare two others."""
    errors: list[TableError] = field(default_factory=list)
    warnings: list[TableError] = field(default_factory=list)
    roles: Mapping[str, str] = field(default_factory=dict)
    """The roles of columns that the caller or the sheet declares, by name."""
    doubts: list[Doubt] = field(default_factory=list)
    """What the cells do not settle about columns; each is also a doubtful error."""
    parsed: dict[tuple[str, bool], Cell | FormatError] = field(default_factory=dict)
    """The cells that were read; equal ones are the same object, so that each is bound once."""

    accepts: list[tuple[tuple[int, ...], str]] = field(default_factory=list)
    """Findings that the file accepts, as texts, and the indices of the rows beside each."""
    letters: dict[str, str] = field(default_factory=dict)
    """The letters of the columns of a workbook, by name."""
    places: dict[str, int] = field(default_factory=dict)
    """The columns of a sheet, counted from 0, by name."""
    remarks: list[str] = field(default_factory=list)
    """What was left out or interpreted, apart from cells."""
    header: int = 0
    """The first line of the header of a sheet."""
    last: int = 0
    """The last line of the table; footnotes are below it."""
    declared: Mapping[str, Any] = field(default_factory=dict)
    """The declarations of columns in the file, by name."""
    ignored: tuple[str, ...] = ()
    """The columns that the caller ignores."""
    crossed: bool = False
    """Whether the rows are the cells of a cross table."""
    part: str = ""
    """The range of cells to which the caller restricts the table."""
    decimal: str = ""
    """The decimal separator of numbers in cells of text, "" if it is not known."""
    day_first: bool | None = None
    """Whether dates such as 01/02/2026 begin with the day, None if it is not known."""
    advice: dict[tuple[str, str], str] = field(default_factory=dict)
    """What may be meant by cells that may not fit their columns, by column and text."""
    respelled: dict[tuple[str, str], str] = field(default_factory=dict)
    """Unary tests and numbers for cells as people write them, by column and text of the cell."""

    @property
    def impossible_rows(self) -> list[Row]:
        """Rows that say which cases cannot occur."""
        return [each for each in self.impossible if isinstance(each, Row)]

    def columns(self) -> list[tuple[Cell, ...]]:
        """Return the cells of each input column."""
        if not self.rows:
            return [()] * len(self.inputs)
        return list(zip(*(row.cells for row in self.rows), strict=True))

    def fail(self, message: str, **place: Any) -> None:
        """Add an error; ``place`` has what is known: ``line``, ``doubtful``, parts of a Place."""
        self.errors.append(self._note(message, **place))

    def warn(self, message: str, **place: Any) -> None:
        """Add a warning about input that may have been meant differently."""
        self.warnings.append(self._note(message, **place))

    def ask(self, doubt: Doubt, *, line: int | None = None) -> None:
        """Add a question about columns, which is an error until it is answered."""
        self.doubts.append(doubt)
        self.fail(str(doubt), header=doubt.column, line=line, doubtful=True)

    def _note(
        self, message: str, *, line: int | None = None, doubtful: bool = False, **place: Any
    ) -> TableError:
        line = self.line if line is None else line
        if line is not None and (letter := self.letters.get(place.get("header", ""))):
            place["cell"] = f"{letter}{line}"
        return TableError(message, self.name, Place(**place), line=line, doubtful=doubtful)

    def read_cell(
        self, text: str, rule: int, header: str, line: int | None, *, words: bool = False
    ) -> Cell:
        """Return a parsed cell; one with an error, which is added, accepts any value."""
        cell = self.parsed_cell(text, words=words)
        if isinstance(cell, FormatError):
            self.fail(cell.message, rule=rule, header=header, text=text, line=line)
            return Cell(text, ANYTHING)
        return cell

    def parsed_cell(self, text: str, *, words: bool = True) -> Cell | FormatError:
        """Return a parsed cell, or the error in it; equal cells are parsed once."""
        key = (text, words)
        cell = self.parsed.get(key)
        if cell is None:
            try:
                cell = Cell(text, parse(text, words=words))
            except FormatError as error:
                cell = error
            self.parsed[key] = cell
        return cell
