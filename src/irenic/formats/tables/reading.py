"""How a spreadsheet was read: what each column is, and how cells were interpreted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from irenic.checking import numbered
from irenic.errors import FormatError
from irenic.formats.feel.sets import feel_text, literal_text, shown
from irenic.formats.feel.unary_tests import ANYTHING
from irenic.formats.tables.drafts import Cell, Input, TableDraft, distinct, short
from irenic.model.features import Categorical, Feature
from irenic.model.literals import counted
from irenic.model.space import Space

_MOST_VALUES: Final = 6


class ReadCells(NamedTuple):
    """Cells of a column with one text: what they mean, how many there are, where the first is."""

    text: str
    meaning: str
    times: int
    place: str


class ReadColumn(NamedTuple):
    """What a column is, and its cells that are not written as unary tests."""

    name: str
    role: str
    """"condition", "outcome", "note, skipped", "weight" or "rule number"."""
    description: str
    """The kind, unit and domain of a condition, or the values of outcomes."""
    interpreted: tuple[ReadCells, ...] = ()

    def __str__(self) -> str:
        text = f"{self.role}: {self.description}" if self.description else self.role
        return "; ".join([text, *_groups(self.interpreted)])


@dataclass(frozen=True)
class Reading:
    """How the table of a sheet was read.

    Parameters
    ----------
    table : str
        The name of the table.
    columns : tuple
        What each column is, in the order of the sheet: its ``name``, its ``role`` ("condition",
        "outcome", …), a ``description`` (kind and domain, or values), and ``interpreted``, the
        cells that are not written as unary tests.
    remarks : tuple of str
        What was skipped, and how numbers and dates are written.
    letters : mapping of str to str
        The letters of the columns in a workbook, by name.
    header : int
        The line of the header.
    units : mapping of str to str
        The units of outcomes, by name.
    draft : optional
        The table before its features were known.
    decimal : {"", ".", ","}
        The decimal separator of numbers in text; empty if the table does not settle it.
    day_first : bool, optional
        Whether 01/02/2026 is in February; None if the table does not settle it.

    Examples
    --------
    >>> import irenic
    >>> parsed = irenic.parse("No,age,fare\\n1,under 18,low\\n2,18+,high\\n", format="csv")
    >>> print(parsed.bind().readings[0])
    No: identifier, skipped
    age: condition: whole numbers; 'under 18' is read as < 18; '18+' is read as >= 18
    fare: outcome: low, high
    """

    table: str
    columns: tuple[ReadColumn, ...]
    remarks: tuple[str, ...] = ()
    letters: Mapping[str, str] = field(default_factory=dict)
    header: int = 0
    units: Mapping[str, str] = field(default_factory=dict)
    draft: TableDraft | None = field(default=None, repr=False, compare=False)
    decimal: str = ""
    day_first: bool | None = None

    def __str__(self) -> str:
        return "\n".join([*(f"{c.name}: {c}" for c in self.columns), *self.remarks])

    def cells(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield the conditions as place, name of the column, text and meaning.

        The meaning is ``refused`` for cells with errors.
        """
        draft = self.draft or TableDraft("")
        places = [(error.place, error.line) for error in draft.errors if error.place.text]
        refused: set[tuple[str, str | int | None]] = {(p.header, p.text) for p, _ in places}
        # the text of an unreadable cell is not kept
        refused |= {(p.header, line) for p, line in places if p.rule is not None}
        for row in draft.rows:
            for column, cell in zip(draft.inputs, row.cells, strict=True):
                place = place_of(draft, column.name, row.line)
                is_refused = not refused.isdisjoint(
                    {(column.name, cell.text), (column.name, row.line)}
                )
                meaning = "refused" if is_refused else _meaning(draft, column, cell)
                yield place, column.name, cell.text, meaning

    def place(self, lines: Sequence[int], column: str = "") -> str:
        """Return where rows, or a cell, are in the file, in words; no lines mean the header.

        The text is empty if it is not known.
        """
        if column in self.letters and len(lines) < 2 and (lines or self.header):
            return f"{self.table}!{self.letters[column]}{lines[0] if lines else self.header}"
        if not lines:
            return ""
        if self.letters:
            return f"{self.table}, {numbered('row', lines)}"
        return numbered("line", lines)


def reading_of(draft: TableDraft, space: Space | None) -> Reading:
    """Return how the table of a draft was read; None for a space that could not be inferred."""
    inputs = {column.name: column for column in draft.inputs}
    counts = _counts(draft)
    columns = []
    for name in draft.places:
        role, description = _role(draft, name, inputs.get(name), space)
        interpreted = tuple(
            ReadCells(text, spelling, *counts.get((name, text), (1, "")))
            for (header, text), spelling in draft.respelled.items()
            if header == name and role in ("condition", "outcome")
        )
        if role == "condition" and counts.get((name, ""), (len(draft.rows),))[0] < len(draft.rows):
            interpreted = (*interpreted, ReadCells("", "any value", *counts[name, ""]))
        columns.append(ReadColumn(name, role, description, interpreted))
    return Reading(
        draft.name,
        tuple(columns),
        tuple(draft.remarks),
        draft.letters,
        draft.header,
        draft.units,
        draft,
        draft.decimal,
        draft.day_first,
    )


def place_of(draft: TableDraft, name: str, line: int | None) -> str:
    """Return where a cell is: B5 in a workbook, line 5 in a CSV file."""
    if line is None:
        return ""
    return f"{draft.letters[name]}{line}" if name in draft.letters else f"line {line}"


def _counts(draft: TableDraft) -> dict[tuple[str, str], tuple[int, str]]:
    """Return how often each interpreted cell occurs, and where first."""
    counts: dict[tuple[str, str], tuple[int, str]] = {}
    lines = [row.line for row in draft.rows]
    for column, cells in zip(draft.inputs, draft.columns(), strict=True):
        interpreted = {
            key: (column.name, cell.text)
            for key, cell in distinct(cells).items()
            if not cell.text or (column.name, cell.text) in draft.respelled
        }
        ids = list(map(id, cells)) if interpreted else []
        first = dict(zip(reversed(ids), reversed(lines), strict=True)) if ids else {}
        for key, times in Counter(ids).items():
            if name := interpreted.get(key):
                so_far, place = counts.get(name, (0, place_of(draft, column.name, first[key])))
                counts[name] = (so_far + times, place)
    for (header, text), (n, line) in draft.thens.items():
        if (header, text) in draft.respelled:
            counts[header, text] = (n, place_of(draft, header, line))
    return counts


def _role(
    draft: TableDraft, name: str, column: Input | None, space: Space | None
) -> tuple[str, str]:
    """Return the role of a column, and what it contains."""
    if name in draft.ignored:
        return "note, skipped", ""
    if column is not None:
        bound = column.bound if space is None or name not in space else None
        feature = bound[0] if bound else name
        kind = describe(space[feature]) if space is not None and feature in space else ""
        unit = " (%)" if column.unit == "%" and kind else ""
        parts = [f"{bound[0]} {bound[1]} the value"] if bound else []
        return "condition", ", ".join([*parts, *([f"{kind}{unit}"] if kind else [])])
    if name in draft.outputs or name == ", ".join(draft.outputs):
        return "outcome", _outcomes(draft, name)
    if name == draft.letter:
        return "rule number", f"hit policy {draft.hit_policy}"
    if name == "IRENIC NOTE":
        return "note, skipped", ""
    return ("weight", "of the rule") if name.upper() == "RULE WEIGHT" else ("rule number", "")


def _outcomes(draft: TableDraft, name: str) -> str:
    place = draft.outputs.index(name) if len(draft.outputs) > 1 and name in draft.outputs else None
    thens = [row.then for row in draft.rows]
    thens += [] if draft.default is None else [draft.default]
    values = dict.fromkeys(
        then[place] if place is not None and isinstance(then, tuple) else then for then in thens
    )
    return _listed([str(value) for value in values if value != ""])  # "" has an error


_KINDS: Final[Mapping[str, str]] = {
    "number": "numbers",
    "integer": "whole numbers",
    "date": "dates",
    "datetime": "dates and times",
    "time": "times of day",
    "duration": "durations",
    "months": "durations of years and months",
}


def describe(feature: Feature) -> str:
    """Return the kind and the domain of a feature, in words."""
    missing = ", or missing" if feature.missing else ""
    if isinstance(feature, Categorical):
        if not feature.values:
            return "any value (no cell tests it)"
        values = _listed([v if isinstance(v, str) else shown(v) for v in feature.values])
        return (f"{values} or other values" if feature.other else f"only {values}") + missing
    low, high = feature.bounds
    bounds = [f"at least {literal_text(low, words=True)}"] if low is not None else []
    bounds += [f"at most {literal_text(high, words=True)}"] if high is not None else []
    unit = f" ({feature.unit})" if feature.unit else ""
    return ", ".join([_KINDS[feature.kind] + unit, *bounds]) + missing


def _listed(texts: list[str]) -> str:
    more = len(texts) - _MOST_VALUES
    shown_texts = [short(text) for text in texts[:_MOST_VALUES]]
    return ", ".join(shown_texts) + (f" and {more} more" if more > 0 else "")


def _groups(cells: tuple[ReadCells, ...]) -> Iterator[str]:
    """Yield one text per pattern of cells, such as two numbers with a dash."""
    groups: dict[str, list[ReadCells]] = {}
    for cell in cells:
        key = f"{cell.text.casefold()}\0{cell.meaning}"
        groups.setdefault(re.sub(r"\d+", "0", key), []).append(cell)
    for first, *others in groups.values():
        count = first.times + sum(cell.times for cell in others)
        place = f", first at {first.place}" if first.place else ""
        if not first.text:
            cells_text = "1 empty cell accepts" if count == 1 else f"{count:,} empty cells accept"
            yield f"{cells_text} any value{place}"
            continue
        several = f" ({counted(count, 'cell')} like this{place})" if count > 1 else ""
        text = " ".join(short(first.text).split("\u00a0"))
        yield f"{text!r} is read as {first.meaning}{several}"


def _meaning(draft: TableDraft, column: Input, cell: Cell) -> str:
    if (spelling := draft.respelled.get((column.name, cell.text))) is not None:
        return spelling
    if cell.test == ANYTHING:
        return "any value"
    try:
        return feel_text(cell.test)
    except FormatError:  # FEEL has no literal for a value
        return cell.text
