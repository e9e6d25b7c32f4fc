"""Which rows of a table have to change, so that a file can be edited and not rewritten."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from irenic.formats.tables.lines import Line, lines_of
from irenic.model.condition import Operators, encode_bits, encode_interval
from irenic.model.decision_table import DecisionTable
from irenic.model.features import Continuous, Feature


class NewLine(NamedTuple):
    """A line to write: the conditions that differ from those of the row it replaces."""

    cells: dict[str, list[Operators]]
    """By feature, the alternative conditions; for an added line, those of all features."""
    then: Hashable
    weight: float
    note: str


class Edits(NamedTuple):
    """The changes that turn one table into another; rows that are not named stay as they are."""

    changed: dict[int, list[NewLine]]
    """By the index of a row, the lines that replace it; none if it is dropped."""
    notes: dict[int, str]
    """Why rows are dropped, by their indices."""
    added: list[NewLine]

    def __bool__(self) -> bool:
        return bool(self.changed or self.added)


def edits_between(
    before: DecisionTable, after: DecisionTable, notes: Mapping[int | Hashable, str] | None = None
) -> Edits:
    """Return the edits from one table to another in the same space.

    ``notes`` maps the indices of old rows, and the regions of added rules, to the reasons for their
    changes. A new row replaces the first old row that it overlaps and that decides the same;
    otherwise it is added at the end. Rows that can never hold stay.

    >>> from irenic import Rule, RuleSet
    >>> rules = [Rule({"age": (0, 10)}, then="A"), Rule({"age": (5, 20)}, then="B")]
    >>> old = DecisionTable.from_rules(RuleSet(rules))
    >>> new = old.with_rules(RuleSet([rules[0], Rule({"age": (10, 20)}, then="B")], old.space))
    >>> edits = edits_between(old, new)
    >>> {row: [line.cells for line in lines] for row, lines in edits.changed.items()}
    {1: [{'age': [{'>=': 10, '<': 20}]}]}
    """
    notes = notes or {}
    contents = _contents(before)
    waiting: dict[Any, list[int]] = {}
    for row, content in contents.items():
        waiting.setdefault(content, []).append(row)
    new_rows: list[int] = []
    for row, content in _contents(after).items():
        if waiting.get(content):
            waiting[content].pop(0)
        else:
            new_rows.append(row)
    changed: dict[int, list[NewLine]] = {row: [] for rows in waiting.values() for row in rows}
    lines: dict[int, list[Line]] = {}
    for line in lines_of(after):
        lines.setdefault(line.row, []).append(line)
    old_lines: dict[int, list[Line]] = {}
    for line in lines_of(before):
        old_lines.setdefault(line.row, []).append(line)
    added: list[NewLine] = []
    origins = _Origins(before, changed)
    for row in new_rows:
        origin = origins.of(after, row)
        if origin is None:
            region = after.rules[after.places(row)[0]].region
            added += [_new_line(after, line, None, notes.get(region, "")) for line in lines[row]]
        else:
            old = old_lines[origin][0] if len(old_lines[origin]) == 1 else None
            changed[origin] += [
                _new_line(after, line, old, notes.get(origin, "")) for line in lines[row]
            ]
    gone = {row: notes.get(row, "") for row, new in changed.items() if not new}
    return Edits(changed, gone, added)


def _contents(table: DecisionTable) -> dict[int, Any]:
    """Return what each row that makes rules means: its regions, outcome and weight."""
    contents: dict[int, list[Any]] = {}
    for row, rule in zip(table.rows, table.rules, strict=True):
        contents.setdefault(row, []).append((rule.region, rule.then, rule.weight))
    return {row: frozenset(content) for row, content in sorted(contents.items())}


class _Origins:
    """Finds the old rows that new rows replace."""

    def __init__(self, before: DecisionTable, rows: Iterable[int]) -> None:
        self.table = before
        self.places = [place for row in sorted(rows) for place in before.places(row)]
        self.boxes = before.rules.boxes.take(np.array(self.places, dtype=np.int64))

    def of(self, after: DecisionTable, new: int) -> int | None:
        """Return the first old row that overlaps a new row and decides the same."""
        rules = self.table.rules
        for rule in (after.rules[place] for place in after.places(new)):
            meeting = self.boxes.meeting(rule.region.box.simplified())
            for place in np.array(self.places, dtype=np.int64)[meeting].tolist():
                if (rules[place].then, rules[place].weight) == (rule.then, rule.weight):
                    return int(self.table.rows[place])
        return None


def _new_line(table: DecisionTable, line: Line, old: Line | None, note: str) -> NewLine:
    cells = {}
    for place, feature in enumerate(table.space):
        conditions = line.cells[place]
        if old is None or _meaning(feature, conditions) != _meaning(feature, old.cells[place]):
            cells[feature.name] = conditions
    return NewLine(cells, line.then, line.weight, note)


def _meaning(feature: Feature, conditions: list[Operators]) -> list[Any]:
    if isinstance(feature, Continuous):
        return [encode_interval(feature, operators)[:2] for operators in conditions]
    return [encode_bits(feature, operators) for operators in conditions]
