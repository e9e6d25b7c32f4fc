"""Tables of other shapes as one row per rule: cross tables, rules in columns, headings, operators.

Each shape is recognized by its cells. Where it has one meaning it is read, otherwise it is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from irenic.errors import FormatError
from irenic.formats.feel.doubtful_cells import means_else, means_total
from irenic.formats.feel.sets import literal_text
from irenic.formats.sheets._evidence import MARK, OPERATORS, is_evident
from irenic.formats.sheets._grid import SheetLine, Unreadable
from irenic.formats.sheets._layout import DEFAULT, letters
from irenic.formats.sheets._names import stem_of
from irenic.formats.sheets.roles import Role
from irenic.formats.tables.drafts import Doubt

SECTION: Final = "Section"
"""The name of a condition that only headings between the rows contain."""


@dataclass
class Shaped:
    """The lines of a table, header first, and what its shape shows about columns."""

    lines: list[SheetLine]
    names: list[str]
    roles: dict[str, Role]
    doubts: list[Doubt] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    joined: list[str] = field(default_factory=list)
    """The columns of operators, which are read with the next one."""
    moved: bool = False
    """Whether cells are at other places than in the sheet."""
    unread: bool = False
    """Whether the rows cannot be read before a doubt is answered."""

    @property
    def rows(self) -> list[SheetLine]:
        return self.lines[1:]


def shaped(lines: list[SheetLine], names: list[str], roles: Mapping[str, Role]) -> Shaped:
    """Return a table with one row per rule."""
    table = Shaped(lines, names, dict(roles))
    _turn(table)
    if not table.unread:
        _uncross(table)
        _join_operators(table)
        _read_headings(table)
    return table


def _has(line: SheetLine, place: int) -> bool:
    return place < len(line.cells) and line.cells[place] is not None


def _cell(line: SheetLine, place: int) -> Any:
    return line.cells[place] if place < len(line.cells) else None


# --- rules in columns


def _turn(table: Shaped) -> None:
    """Turn a table whose first column names the columns; ask if it looks so."""
    first = table.names[0] if table.names else ""
    if table.roles.get(first, Role("")).kind == "names":
        number = table.lines[0].number
        used = table.lines if any(map(is_evident, table.lines[0].cells[1:])) else table.rows
        width = max((len(line.cells) for line in table.lines), default=0)
        turned = [[_cell(line, place) for line in used] for place in range(width)]
        kept = [cells for cells in turned if any(cell is not None for cell in cells)]
        table.lines = [SheetLine(number, cells) for cells in kept]
        table.names = ["" if cell is None else str(cell).strip() for cell in kept[0]]
        table.roles.pop(first)
        table.remarks.append("each column is a rule, and the first one names the columns")
        table.moved = True
    elif first and first not in table.roles and _is_turned(table):
        ways = (("names",), ("condition",))
        reason = "the rules look like columns, which this column names"
        table.doubts.append(Doubt((first,), reason, ways))
        table.unread = True


def _is_turned(table: Shaped) -> bool:
    """Return whether rows have one kind of cells each, and columns several."""
    rows = [line for line in table.rows if _has(line, 0)]
    width = len(table.names)
    heads = [_cell(line, 0) for line in rows]
    if width < 3 or len(rows) < 2 or len(rows) < len(table.rows):
        return False
    if len(set(heads)) < len(heads) or not all(map(_is_name, heads)):
        return False
    kinds = [[_kind(_cell(line, place)) for place in range(1, width)] for line in rows]
    if any(len({kind for kind in row if kind}) != 1 for row in kinds):
        return False
    own = [next(kind for kind in row if kind) for row in kinds]
    evident = [kind == "range" or "range" in row for kind, row in zip(own, kinds, strict=True)]
    # a cross table has ranges in its first column or header, never in some rows alone
    return "range" in own and not all(evident) and own[-1] != "range"


def _kind(cell: Any) -> str:
    if cell is None or (isinstance(cell, str) and cell.strip() in ("-", "–", "*")):
        return ""
    if not isinstance(cell, str):
        return "range" if type(cell) in (int, float) else type(cell).__name__
    if is_evident(cell):
        return "range"
    return "number" if any(map(str.isdecimal, cell)) else "word"


def _is_name(cell: Any) -> bool:
    return isinstance(cell, str) and cell != DEFAULT and cell[:1].isalpha() and not is_evident(cell)


# --- cross tables


def _uncross(table: Shaped) -> None:
    """Read the values in the header of a cross table as conditions."""
    places = [i for i, name in enumerate(table.names) if _of_value(table, name)]
    if not places:
        return
    name = table.roles[table.names[places[0]]].of
    header, *rows = table.lines
    kept = [i for i in range(len(table.names)) if i not in places]
    if not kept or any(not table.names[i] for i in kept) or len(places) < 2:
        raise FormatError(
            "the first cell of a cross table must name the condition of its rows, and the others"
            " must be values of the condition that cross (--cross) names",
            line=header.number,
        )
    names = [*(table.names[i] for i in kept), name, "outcome"]
    flat = [SheetLine(header.number, [*names])]
    for row in rows:
        before = [_cell(row, i) for i in kept]
        if before[0] == DEFAULT and all(cell is None for cell in before[1:]):
            flat.append(SheetLine(row.number, [*before, None, _cell(row, places[0])]))
            continue
        for place in places:
            if _has(row, place):
                cells = [*before, _cell(header, place), row.cells[place]]
                flat.append(SheetLine(row.number, cells))
            elif not isinstance(_cell(header, place), Unreadable):
                raise FormatError(
                    f"the cell {letters(place)}{row.number} of the cross table is empty; every"
                    " combination must have an outcome",
                    line=row.number,
                )
    for place in places:
        table.roles.pop(table.names[place], None)
    table.roles |= {name: Role("condition"), "outcome": Role("outcome")}
    table.lines, table.names, table.moved = flat, names, True


def _of_value(table: Shaped, name: str) -> bool:
    return name in table.roles and table.roles[name].kind == "value"


# --- operators in a column of their own


def _join_operators(table: Shaped) -> None:
    """Put the operators in a column before the values in the next one."""
    found: list[tuple[str, set[str]]] = []
    place = 0
    while place + 1 < len(table.names):
        signs = {cell for line in table.rows if (cell := _cell(line, place)) is not None}
        plain = {sign.strip() for sign in signs if isinstance(sign, str)}
        name, of = table.names[place], table.names[place + 1]
        is_declared = name in table.roles
        if is_declared or not signs or len(plain) < len(signs) or not plain <= OPERATORS:
            place += 1
            continue
        kept = of or name
        table.lines = [
            SheetLine(line.number, _joined(line.cells, place, header=line is table.lines[0]))
            for line in table.lines
        ]
        table.names = [*table.names[:place], kept, *table.names[place + 2 :]]
        table.lines[0].cells[place] = kept
        found.append((kept, plain))
        table.joined += [name] if name != kept else []
        text = f"{name} contains the operators of {kept}" if name else f"{kept} has operators"
        table.remarks.append(text)
        place += 1
    _ask_bounds(table, found)


def _joined(cells: list[Any], place: int, *, header: bool) -> list[Any]:
    if header or len(cells) <= place:
        return [*cells[:place], *cells[place + 1 :]]
    sign, value = cells[place], cells[place + 1] if place + 1 < len(cells) else None
    if sign is None or (value is None and cells[:1] == [DEFAULT]):
        joined = value
    elif value is None:
        joined = sign
    else:
        text = value if isinstance(value, str) else literal_text(value, words=True)
        joined = f"{sign.strip()} {text}"
    return [*cells[:place], joined, *cells[place + 2 :]]


def _ask_bounds(table: Shaped, found: Sequence[tuple[str, set[str]]]) -> None:
    """Ask whether two columns with operators bound one feature."""
    if len(found) != 2 or any(name in table.roles for name, _ in found):
        return
    sides = [{sign[0] for sign in signs} for _, signs in found]
    names = [name for name, _ in found]
    if sides not in ([{">"}, {"<"}], [{"<"}, {">"}]):
        return
    stem = stem_of(*names)
    orders = [f"{stem} >=" if side == {">"} else f"{stem} <=" for side in sides]
    reason = "the columns have lower and upper bounds, which may be those of one range"
    ways = ((orders[0], orders[1]), ("condition", "condition"))
    table.doubts.append(Doubt((names[0], names[1]), reason, ways))


# --- headings


def _read_headings(table: Shaped) -> None:
    """Read rows with one cell as values of a condition, or leave them out."""
    places = [i for i, line in enumerate(table.lines) if _is_heading(table, i)]
    name = next((n for n, role in table.roles.items() if role.kind == "heading"), "")
    if not places:
        return
    numbers = ", ".join(str(table.lines[i].number) for i in places)
    noun = f"line{'s' if len(places) > 1 else ''} {numbers}"
    lines = [line for i, line in enumerate(table.lines) if i not in places]
    if name:
        current: Any = None
        filled = [SheetLine(table.lines[0].number, [name, *table.lines[0].cells])]
        for i, line in enumerate(table.lines[1:], 1):
            if i in places:
                current = _texts(line)[0]
            elif line.cells[:1] == [DEFAULT]:
                filled.append(SheetLine(line.number, [DEFAULT, None, *line.cells[1:]]))
            else:
                filled.append(SheetLine(line.number, [current, *line.cells]))
        table.lines, table.names = filled, [name, *table.names]
        table.roles[name] = Role("condition")
        table.remarks.append(f"{noun} contain values of {name} for the rows below")
        table.moved = True
        return
    table.lines = lines
    if table.roles.pop(SECTION, Role("")).kind == "note" and SECTION not in table.names:
        table.remarks.append(f"{noun} {'are headings' if len(places) > 1 else 'is a heading'}")
        return
    reason = f"{noun} look like headings, which may be a condition of the rows below them"
    table.doubts.append(Doubt((SECTION,), reason, (("heading",), ("note",))))


def _texts(line: SheetLine) -> list[str]:
    """Return the different texts in a line; merged cells contain the same text."""
    return list(dict.fromkeys(str(cell).strip() for cell in line.cells if cell is not None))


def _is_heading(table: Shaped, place: int) -> bool:
    """Return whether a line between others has one cell, with words."""
    if not 0 < place < len(table.lines) - 1:
        return False
    line = table.lines[place]
    first = line.cells[0]
    if not isinstance(first, str) or len(_texts(line)) != 1:
        return False
    filled = sum(cell is not None for cell in line.cells)
    if filled > 1 and filled < len(table.names):
        return False
    if first == DEFAULT or means_else(first) or means_total(first) or is_evident(first):
        return False
    if not first[:1].isalpha() or MARK.fullmatch(first) or (filled > 1 and len(table.names) < 3):
        return False
    others = [row for i, row in enumerate(table.lines) if i not in (0, place)]
    if len(table.names) < 3 and not any(is_evident(_cell(row, 0)) for row in others):
        return False
    return len(_texts(table.lines[place + 1])) > 1


# --- marks


def unmarked(
    lines: list[SheetLine], places: Sequence[int], say: Callable[[int], None]
) -> list[SheetLine]:
    """Return lines with true and false for marks and empty cells in some columns of outcomes."""
    marked = []
    for place in places:
        cells = [_cell(line, place) for line in lines[1:]]
        marks = [cell for cell in cells if cell is not None]
        if len(marks) < len(cells) and all(
            isinstance(mark, str) and MARK.fullmatch(mark.strip()) for mark in marks
        ):
            marked.append(place)
            say(place)
    if not marked:
        return lines
    changed = [lines[0]]
    for line in lines[1:]:
        cells = [*line.cells, *[None] * (max(marked) + 1 - len(line.cells))]
        for place in marked:
            cells[place] = cells[place] is not None
        changed.append(SheetLine(line.number, cells))
    return changed
