"""Which rows of a table have to change, so that a file can be edited and not rewritten."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from difflib import SequenceMatcher
from typing import Any, NamedTuple

import numpy as np

from irenic.formats.tables.lines import Line, lines_of
from irenic.model.condition import Operators, encode_bits, encode_interval
from irenic.model.decision_table import DecisionTable
from irenic.model.features import Continuous, Feature
from irenic.model.region import Region


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

    def restating(
        self, table: DecisionTable, rules: Collection[tuple[Region, Hashable, float]]
    ) -> Edits:
        """Return the edits with all cells of further rows written anew.

        These are the rows that would stay as they are and have some of the rules.
        """
        lines = _lines_by_row(table)
        restated = {
            row: [_new_line(table, line, None, "") for line in lines[row]]
            for row, rule in zip(table.rows, table.rules, strict=True)
            if row not in self.changed and (rule.region, rule.then, rule.weight) in rules
        }
        return self._replace(changed=self.changed | restated)


def edits_between(
    before: DecisionTable, after: DecisionTable, notes: Mapping[int | Hashable, str] | None = None
) -> Edits:
    """Return the edits from one table to another in the same space.

    ``notes`` maps the indices of old rows, and the regions of added rules, to the reasons for their
    changes. A new row replaces the first old row that it overlaps and that decides the same;
    otherwise it is added at the end. Rows that can never hold stay.
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
    lines, old_lines = _lines_by_row(after), _lines_by_row(before)
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


def edits_in_order(before: DecisionTable, after: DecisionTable) -> Edits:
    """Return the edits from one table to another whose rows are in the order of the file.

    Of the rows between two that stay, the first new one replaces the first old one, whatever it
    decides, and so on. What is left of the old ones is dropped, and what is left of the new ones
    follows the row before them. Under PRIORITY, the order is that in which rows win.
    """
    old, new = _contents(before), _contents(after)
    if before.hit_policy == "PRIORITY":
        old = {before.rows[place]: old[before.rows[place]] for place in before.winning}
        new = {after.rows[place]: new[after.rows[place]] for place in after.winning}
    old_rows, new_rows = list(old), list(new)
    old_lines, lines = _lines_by_row(before), _lines_by_row(after)

    def replacing(row: int, origin: int | None) -> list[NewLine]:
        own = [] if origin is None else old_lines[origin]
        return [
            _new_line(after, line, own[0] if len(own) == 1 else None, "") for line in lines[row]
        ]

    def unchanged(row: int) -> list[NewLine]:
        return [_new_line(before, line, line, "") for line in old_lines[row]]

    changed: dict[int, list[NewLine]] = {}
    added: list[NewLine] = []
    blocks = SequenceMatcher(None, [*old.values()], [*new.values()], autojunk=False)
    for tag, i, i_end, j, j_end in blocks.get_opcodes():
        if tag == "equal":
            continue
        rows, news = old_rows[i:i_end], new_rows[j:j_end]
        changed |= {row: replacing(n, row) for row, n in zip(rows, news, strict=False)}
        changed |= {row: [] for row in rows[len(news) :]}
        for n in news[len(rows) :]:
            if i_end == len(old_rows):
                added += replacing(n, None)
            elif i_end:
                row = old_rows[i_end - 1]
                changed.setdefault(row, unchanged(row)).extend(replacing(n, row))
            else:
                changed.setdefault(old_rows[0], unchanged(old_rows[0]))
                place = len(changed[old_rows[0]]) - len(old_lines[old_rows[0]])
                changed[old_rows[0]][place:place] = replacing(n, old_rows[0])
    return Edits(changed, {row: "" for row, new in changed.items() if not new}, added)


def _lines_by_row(table: DecisionTable) -> dict[int, list[Line]]:
    lines: dict[int, list[Line]] = {}
    for line in lines_of(table):
        lines.setdefault(line.row, []).append(line)
    return lines


def _contents(table: DecisionTable) -> dict[int, Any]:
    """Return what each row that makes rules says: its conditions, outcome and weight.

    Conditions are compared as written. Where ages are at least 0 because a row says so, ``-`` and
    ``>= 0`` mean the same only as long as that row stays.
    """
    contents: dict[int, list[Any]] = {}
    for row, rule in zip(table.rows, table.rules, strict=True):
        contents.setdefault(row, []).append((rule.region.to_text(), rule.then, rule.weight))
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
