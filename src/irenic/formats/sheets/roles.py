"""What the columns of a sheet are: conditions, outcomes, notes, bounds or steps.

Cells and structure are evidence, names only suggest, and what evidence does not settle is asked:
each question is a :class:`~irenic.formats.tables.drafts.Doubt`, and its answer a role that the
caller, the row under the header or the sheet Columns declares.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from irenic.errors import FormatError, did_you_mean
from irenic.formats.sheets._evidence import (
    CellReader,
    ColumnCells,
    are_alike,
    are_apart,
    are_bounds,
    form_product,
    is_evident,
    is_step,
    share_bounds,
)
from irenic.formats.sheets._names import stem_of, stem_of_values, suggested, suggested_step
from irenic.formats.tables.drafts import Doubt
from irenic.model.patterns import lazy

PLAIN: Final = ("condition", "outcome", "note", "from", "up to", "names", "heading")
"""The roles that are one word or two."""
BOUND: Final = lazy(r"(.*[^\s<>=≤≥])\s*(<=|>=|<|>|≤|≥)", re.DOTALL)
"""The role, and the header, of a column of bounds: the name of a feature and an operator."""
_VALUE_OF: Final = lazy(r"value of\s+(\S.*)", re.IGNORECASE | re.DOTALL)


class Role(NamedTuple):
    """What a column is."""

    kind: str
    """One of PLAIN, "bound" or "value"."""
    of: str = ""
    """The feature that a column bounds, or of which its header is a value."""
    order: str = ""
    """How a column bounds a feature: >=, >, <= or <."""

    def __str__(self) -> str:
        if self.kind == "bound":
            return f"{self.of} {self.order}"
        return f"value of {self.of}" if self.kind == "value" else self.kind


_CONDITION: Final = Role("condition")
_OUTCOME: Final = Role("outcome")
_FEWEST_ROWS: Final = 3
"""The number of rows from which a different value in each is suspicious."""
_HEAD: Final = lazy(r"[-\d][\d.,\s%€$-]*\+?(?:\s*\w{1,3})?")
"""A name of a column that is a number."""


def role_of(text: str) -> Role | None:
    """Return the role that a text declares, None for another text."""
    plain = " ".join(text.split())
    if plain.casefold() in PLAIN:
        return Role(plain.casefold())
    if match := _VALUE_OF.fullmatch(plain):
        return Role("value", match[1])
    if match := BOUND.fullmatch(plain):
        return Role("bound", match[1].strip(), {"≤": "<=", "≥": ">="}.get(match[2], match[2]))
    return None


def as_roles(
    target: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] = (),
    roles: Mapping[str, str] | None = None,
) -> dict[str, Role]:
    """Return declared roles by column; ``target`` and ``ignore`` are short forms.

    >>> {name: str(role) for name, role in as_roles("Fee", "No", {"Age low": "Age >="}).items()}
    {'Age low': 'Age >=', 'Fee': 'outcome', 'No': 'note'}
    """
    declared: dict[str, Role] = {}
    for name, text in (roles or {}).items():
        role = role_of(text) if isinstance(text, str) else None
        if role is None:
            hint = did_you_mean(text, PLAIN) if isinstance(text, str) else ""
            raise FormatError(
                f"unknown role {text!r} of the column {name!r}{hint}; a role is condition, outcome,"
                " note, a bound such as 'Age >=', from, up to, 'value of Zone', names or heading"
            )
        declared[name] = role
    for names, kind in ((target, "outcome"), (ignore, "note")):
        for name in [names] if isinstance(names, str) else names or ():
            before = declared.setdefault(name, Role(kind))
            if before.kind != kind:
                raise FormatError(f"the column {name!r} is declared as {before} and as {kind}")
    return declared


def is_value(name: str) -> bool:
    """Return whether a name in a header is a number or a range, as in a cross table."""
    return _HEAD.fullmatch(name) is not None or is_evident(name)


# --- settling


class Settled(NamedTuple):
    """The roles of columns, and what is unclear about them."""

    roles: dict[str, Role]
    doubts: list[Doubt]


def settle(
    names: Sequence[str],
    rows: Sequence[Sequence[Any]],
    declared: Mapping[str, Role],
    reader: CellReader,
) -> Settled:
    """Return the role of each column of a table, and all doubts.

    ``rows`` has the cells of the rows that decide, without a row for all other cases.
    """
    cells = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    columns = [
        ColumnCells(name, place, of_column, reader)
        for place, (name, of_column) in enumerate(zip(names, cells, strict=True))
    ]
    # conditions show how numbers are written
    reader.texts = (
        cell
        for column in [c for c in columns if c.is_evident] or columns
        for cell in column.distinct
        if isinstance(cell, str)
    )
    return _Settling(columns, declared).run()


class _Settling:
    """Settles the roles of the columns of one table."""

    def __init__(self, columns: list[ColumnCells], declared: Mapping[str, Role]) -> None:
        self.columns = columns
        self.roles = {c.name: declared[c.name] for c in columns if c.name in declared}
        self.declared = set(self.roles)
        self.doubts: list[Doubt] = []
        self.asked: set[str] = set()
        """The columns that a doubt is about."""
        last = [c for c in columns if self.roles.get(c.name, _OUTCOME).kind != "note"][-1:]
        self.has_outcome = any(role.kind == "outcome" for role in self.roles.values())
        self.last = last[0] if last and not self.has_outcome else None
        """The outcome, if evidence does not show another."""
        for column in columns:
            if (role := role_of(column.name)) and role.kind == "bound" and column is not self.last:
                self.roles.setdefault(column.name, role)

    def run(self) -> Settled:
        if self.last is not None and self.last.name in self.declared:
            self.last = None  # it is a condition
        if not self.turned():
            self.crossed()
            self.bounds()
            self.rest()
            self.steps()
            self.numbers()
        for column in self.columns:
            self.roles.setdefault(column.name, _CONDITION)
        return Settled(self.roles, self.doubts)

    def free(self) -> list[ColumnCells]:
        """Return the columns whose roles are open."""
        return [c for c in self.columns if c.name not in self.roles]

    def conditions(self) -> list[ColumnCells]:
        kinds = ("condition", "bound", "from", "up to")
        return [c for c in self.columns if c.name in self.roles and self.role(c).kind in kinds]

    def role(self, column: ColumnCells) -> Role:
        return self.roles[column.name]

    def end(self) -> int:
        """Return the place after the last condition that is evident or declared."""
        conditions = self.conditions()
        evident = [c for c in self.free() if c is not self.last and c.is_evident]
        return max((c.place + 1 for c in (*conditions, *evident)), default=0)

    def ask(
        self,
        columns: Sequence[ColumnCells],
        reason: str,
        ways: Iterable[Sequence[str]],
        advice: str = "",
    ) -> None:
        names = tuple(column.name for column in columns)
        several = tuple(dict.fromkeys(tuple(way) for way in ways))
        self.doubts.append(Doubt(names, reason, several, advice))
        self.asked.update(names)

    # --- structure

    def turned(self) -> bool:
        """Ask about a table whose last column alone has the form of conditions."""
        last = self.last
        if last is None or not last.is_all_evident:
            return False
        plain = [c for c in self.free() if c is not last and not c.is_evident and not c.has_blanks]
        if not plain:
            return False
        columns = [*plain, last]
        likely = max(plain, key=lambda c: (suggested(c.name) == "outcome", -c.place))
        ways = [
            [*("outcome" if c is other else "condition" for c in plain), "condition"]
            for other in (likely, *(c for c in plain if c is not likely))
        ]
        own = [*("condition" for _ in plain), "outcome"]
        ways = [own, *ways] if suggested(last.name) == "outcome" else [*ways, own]
        reason = "all cells of the last column have the form of conditions, so that another column"
        self.ask(columns, f"{reason} may be the outcome", ways)
        for column in self.free():
            self.roles[column.name] = _OUTCOME if column is last else _CONDITION
        return True

    def crossed(self) -> None:
        """Ask about columns that look like values of one condition in a cross table."""
        free, end = self.free(), self.end()
        right = [c for c in free if c.place >= max(end, 1)]
        if self.last is None or len(right) < 2 or any(c.is_evident for c in right):
            return
        heads = [c for c in right if is_value(c.name)]
        if end and len(right) > 1 and all(c.is_marked for c in right):
            group, marked = right, True
        elif len(heads) == len(right) and not any(c.has_blanks for c in right):
            group, marked = right, False
        else:
            sizes = [len(right), *range(len(right) - 1, 2, -1)] if end else [len(right)]
            group = next((right[-n:] for n in sizes if are_alike(right[-n:])), [])
            marked = False
            if not end and (len(group) < 2 or form_product(self.columns[:-1])):
                return
        if not group:
            return
        names = [c.name for c in group]
        cross = [f"value of {stem_of_values(names)}"] * len(group)
        outcomes = ["outcome"] * len(group)
        if marked:
            reason = "the columns contain marks, and may be outcomes, of which a mark chooses some"
            self.ask(group, reason, [outcomes, ["condition"] * (len(group) - 1) + ["outcome"]])
        else:
            reason = (
                "the columns look alike, and may be values of one condition in a cross table, or"
                " several outcomes"
            )
            first = (
                [outcomes, cross] if {c.kind for c in group} == {"boolean"} else [cross, outcomes]
            )
            self.ask(group, reason, [*first, ["condition"] * (len(group) - 1) + ["outcome"]])
        for column in group:
            self.roles[column.name] = _OUTCOME
        self.last = None

    def bounds(self) -> None:
        """Ask about neighboring columns that may be the bounds of one range."""
        free = [c for c in self.free() if c is not self.last]
        while len(free) > 1:
            low, high, *_ = free
            is_pair = (
                high.place == low.place + 1
                and not (low.is_evident or high.is_evident)
                and are_bounds(low, high)
            )
            if not is_pair:
                free = free[1:]
                continue
            free = free[2:]
            name = stem_of(low.name, high.name)
            closed, half = (f"{name} >=", f"{name} <="), (f"{name} >=", f"{name} <")
            ways = [half, closed] if share_bounds(low, high) else [closed, half]
            ways.append(("condition", "condition"))
            if self.last is None or low.place >= self.end() > 0:
                ways.append(("outcome", "outcome"))
            reason = (
                f"no {low.name!r} is above its {high.name!r}, so that they may be the bounds of one"
                " range"
            )
            self.ask([low, high], reason, ways)
            self.roles[low.name] = self.roles[high.name] = _CONDITION

    # --- conditions and outcomes

    def rest(self) -> None:
        """Settle the other columns: left of the last condition, or right of it."""
        end = self.end()
        for column in self.free():
            if column.place < end and column is not self.last:
                self.roles[column.name] = _CONDITION
        right = self.free()
        if not right:
            return
        if self.has_outcome or self.last is None:
            self.beside(right)
        elif len(right) == 1:
            self.roles[right[0].name] = _OUTCOME
        elif not end:
            self.without_evidence(right)
        else:
            self.beyond(right)

    def beside(self, right: list[ColumnCells]) -> None:
        """Settle columns right of the conditions of a table with declared outcomes."""
        first = min(
            (c.place for c in self.columns if self.roles.get(c.name) == _OUTCOME), default=0
        )
        for column in right:
            before = [*self.conditions(), column]
            if column.place < first and form_product(before):
                self.roles[column.name] = _CONDITION
                continue
            if not self.conditions() and column is right[0]:
                self.roles[column.name] = _CONDITION  # a table needs one
                continue
            self.ask_role(column, "condition" if column.place < first else "outcome")

    def without_evidence(self, right: list[ColumnCells]) -> None:
        """Settle the columns of a table in which no cell has the form of a condition."""
        *others, last = right
        if len(right) == 2 or form_product(others):
            for column in others:
                self.roles[column.name] = _CONDITION
            self.roles[last.name] = _OUTCOME
            return
        for column in right:
            is_first = column is right[0]
            if is_first and not (column.is_permutation or column.is_labels):
                self.roles[column.name] = _CONDITION
                continue
            self.ask_role(column, "outcome" if column is last else "condition")

    def beyond(self, right: list[ColumnCells]) -> None:
        """Settle several columns right of the last evident condition."""
        before = self.conditions()
        for number in range(len(right) - 1, 0, -1):
            if form_product([*before, *right[:number]]) and not self.is_constant(right[0]):
                for column in right[:number]:
                    self.roles[column.name] = _CONDITION
                self.further(right[number:], first=True)
                return
        column, *others = right
        several = len(column.cells) > 1
        if column.is_permutation and len(column.cells) >= _FEWEST_ROWS and len(others) > 1:
            self.ask_role(column, "note")
            self.beyond(others)
        elif several and not self.is_constant(column) and are_apart(before):
            self.further(right, first=True)
        else:
            for each in right:
                self.ask_role(each, "outcome" if each is right[-1] else "condition")

    @staticmethod
    def is_constant(column: ColumnCells) -> bool:
        """Return whether several rows have one value, as likely a condition as an outcome."""
        return len(column.cells) > 1 and len(column.distinct) < 2

    def further(self, columns: list[ColumnCells], *, first: bool = False) -> None:
        """Settle the columns from an outcome on that the other columns determine.

        ``first`` says that the first of them is the outcome, if nothing speaks against that.
        """
        for column in columns:
            is_first = first and column is columns[0]
            alone = is_first and len(columns) == 1
            counts = column.is_permutation and len(column.cells) >= _FEWEST_ROWS
            odd = column.has_blanks or counts or (column.is_free_text and not is_first)
            if alone or not odd:
                self.roles[column.name] = _OUTCOME
            else:
                self.ask_role(column, "note")

    def ask_role(self, column: ColumnCells, default: str) -> None:
        """Ask whether a column is a condition, an outcome or a note."""
        likely = self.likely(column, default)
        order = [likely, *(kind for kind in ("condition", "outcome", "note") if kind != likely)]
        if column.has_blanks and default != "outcome":
            order.remove("outcome")
        if is_step(column, self.conditions()):
            step = suggested_step(column.name)
            steps = ["up to", "from"] if step != "from" else ["from", "up to"]
            order = [*steps, *order] if step else [*order, *steps]
        self.ask(
            [column],
            "its cells do not show whether the column is a condition, an outcome or a note",
            [[kind] for kind in order],
        )
        self.roles[column.name] = _OUTCOME if column is self.last else _CONDITION

    def likely(self, column: ColumnCells, default: str) -> str:
        """Return what the cells and the name of a column suggest."""
        kind = suggested(column.name)
        if column.is_free_text or column.is_labels or kind == "note":
            return "note"
        if default != "outcome" and (column.is_permutation or column.kind == "mixed"):
            return "note"
        if column.has_blanks and default != "outcome":
            return default if default == "note" else "condition"
        return "outcome" if kind == "outcome" else default

    # --- numbers

    def plain_conditions(self) -> list[ColumnCells]:
        """Return the conditions that nobody declared or asked about, without operators."""
        return [
            c
            for c in self.conditions()
            if c.name not in self.declared | self.asked
            and self.role(c) == _CONDITION
            and not c.is_evident
        ]

    def steps(self) -> None:
        """Ask about the only numbers of conditions, which rise from row to row."""
        conditions = self.conditions()
        ordered = [c for c in conditions if c.is_ordered or any(map(is_evident, c.distinct))]
        numbers = [c for c in ordered if c.is_ordered]
        plain = [c for c in self.plain_conditions() if c.is_ordered]
        if len(numbers) != 1 or plain != numbers:
            return
        (column,) = plain
        others = [c for c in conditions if c is not column]
        if (column.is_permutation and others) or not is_step(column, others):
            return
        rising = column.values[0] <= column.values[-1]
        first = suggested_step(column.name) or "condition"
        ways = [first, *(way for way in ("up to", "from", "condition") if way != first)]
        verb = "rise" if rising else "fall"
        self.ask(
            [column],
            f"its numbers {verb} from row to row, so that they may be the bounds of steps",
            [[way] for way in ways],
        )

    def numbers(self) -> None:
        """Ask about conditions that differ in every row: names or numbers of rows."""
        conditions = self.conditions()
        has_evidence = any(c.is_evident or c.name in self.declared for c in conditions)
        for column in self.plain_conditions():
            if len(conditions) < 2 or column.kind not in ("number", "text", "date", "mixed"):
                continue
            few = len(column.cells) < _FEWEST_ROWS
            differs = column.filled_differ and (not few or column.is_labels)
            if not column.is_permutation and not (has_evidence and differs):
                continue
            ways = [["note"], ["condition"]]
            if self.likely(column, "condition") != "note":
                ways.reverse()
            advice = ""
            if column.is_permutation:
                advice = (
                    "if it is the order in which rows apply, sort the rows by it and set the hit"
                    " policy FIRST"
                )
            reason = (
                "the column looks like notes, or like a condition that each row has for itself"
                if column.has_blanks
                else "every row has a different value here, so that no two rows could overlap"
            )
            self.ask([column], reason, ways, advice)
