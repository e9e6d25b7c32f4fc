"""Tables as columns, and conversions between columns and lists of values."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from irenic.errors import FormatError
from irenic.model.characters import cleaned
from irenic.model.literals import is_missing
from irenic.model.space import Space

NOTHING: Final = {"na", "n/a", "nan", "null", "none", "?", "-"}
"""Texts that mean a missing value, in columns that are not text."""


class CsvLayout(NamedTuple):
    """How the file of a table is laid out, to write another one like it."""

    delimiter: str = ","
    decimal: str = "."
    newline: str = "\n"
    mark: str = ""
    """The byte-order mark, as text."""


class Table(dict[str, npt.NDArray[Any]]):
    """Columns of equal length, by name."""

    def __init__(
        self,
        columns: Mapping[str, npt.NDArray[Any]],
        *,
        cells: Mapping[str, Sequence[str]] | None = None,
        codes: Mapping[str, str] | None = None,
        percentages: Collection[str] = (),
        layout: CsvLayout | None = None,
    ) -> None:
        super().__init__(columns)
        self.cells = dict(cells or {})
        """The texts of columns that were read from text, to write them back unchanged."""
        self.codes = dict(codes or {})
        """A cell such as 007 of each column of numbers that is text because of it."""
        self.percentages = frozenset(percentages)
        """The columns of a workbook whose numbers are all shown with a percent sign."""
        self.layout = CsvLayout() if layout is None else layout

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and the number of columns."""
        return max((len(column) for column in self.values()), default=0), len(self)

    def select(self, names: Sequence[str]) -> Table:
        """Return a table of the named columns."""
        cells = {name: self.cells[name] for name in names if name in self.cells}
        codes = {name: self.codes[name] for name in names if name in self.codes}
        return self.replaced({name: self[name] for name in names}, cells, codes)

    def replaced(
        self,
        columns: Mapping[str, npt.NDArray[Any]],
        cells: Mapping[str, Sequence[str]],
        codes: Mapping[str, str],
    ) -> Table:
        """Return a table of other columns from the same file."""
        return Table(
            columns, cells=cells, codes=codes, percentages=self.percentages, layout=self.layout
        )

    def in_characters_of(self, space: Space) -> Table:
        """Return the table with names and texts as a space has them.

        They may differ in characters that nobody sees, and in how accents are stored.
        """
        names = {name: _text_as_in(space.names, name) for name in self}
        columns = {names[name]: column for name, column in self.items()}
        if len(columns) < len(self):
            return self  # names that differ in such characters alone
        for feature in space.categorical:
            values = feature.codes if feature.name in columns else ()
            texts = as_values(columns[feature.name]) if values else []
            new = [_text_as_in(values, text) for text in texts]
            if new != texts:
                columns[feature.name] = as_column(new)
        return Table(
            columns,
            cells={names[name]: cells for name, cells in self.cells.items()},
            codes={names[name]: code for name, code in self.codes.items()},
            percentages={names[name] for name in self.percentages},
            layout=self.layout,
        )

    def in_terms_of(self, space: Space) -> Table:
        """Return the table with texts and numbers where the features of a space have them.

        The cells of a file have no types: codes are read as numbers unless one begins with 0.
        """
        table = self.in_characters_of(space)
        columns = dict(table)
        numeric = [f.name for f in space.continuous if f.kind in ("number", "integer")]
        codes = {name: code for name, code in table.codes.items() if name not in numeric}
        for name in table.codes.keys() - codes.keys():
            columns[name] = as_column([None if v is None else _number(v) for v in table[name]])
        for feature in space.categorical:
            name = feature.name
            texts = feature.values and feature.is_text
            if name not in table or not texts:
                continue
            values = as_values(table[name])
            if any(not isinstance(value, str | None) for value in values):
                cells = table.cells.get(name) or [str(value) for value in values]
                pairs = zip(values, cells, strict=True)
                columns[name] = as_column([None if v is None else c.strip() for v, c in pairs])
        return table.replaced(columns, table.cells, codes)


def _text_as_in(values: Collection[Any], text: Any) -> Any:
    """Return a text without characters that nobody sees, if only then it is a known value."""
    if not isinstance(text, str) or text.isascii() or text in values:
        return text
    plain = cleaned(text)
    return plain if plain in values else text


def _number(text: str) -> int | float:
    return int(text) if text.lstrip("+-").isdecimal() else float(text)


def check_header(header: Sequence[str], line: int | None = None) -> None:
    """Raise an error unless all columns have names and the names are unique."""
    if len(set(header)) == len(header) and all(header):
        return
    for number, name in enumerate(header, 1):
        if not name:
            raise FormatError(f"column {number} has no name", line=line)
        if header.count(name) > 1:
            raise FormatError(f"two columns are named {name!r}", line=line)


def as_column(values: Sequence[Any]) -> npt.NDArray[Any]:
    """Return Python values as a column of floats or objects; None is a missing value."""
    kinds = {type(value) for value in values} - {type(None)}
    if not kinds:
        return np.full(len(values), np.nan)
    if float in kinds and kinds <= {float, int}:
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def as_values(column: npt.NDArray[Any]) -> list[Any]:
    """Return a column as Python values, with None for missing ones: inverts ``as_column``."""
    if column.dtype.kind in "mM":
        column = column.astype(f"{column.dtype.kind}8[us]")
    return [None if is_missing(value) else value for value in column.tolist()]


def as_written(values: list[Any]) -> list[Any]:
    """Return values of mixed types as text, and values of a single type unchanged."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) <= 1 or kinds <= {int, float} or kinds <= {dt.date, dt.datetime}:
        return values
    return [None if value is None else str(value) for value in values]
