"""Decision tables as spreadsheets: CSV files and Excel workbooks.

The first row names the columns: one per feature, and the outcomes. The cells show what each column
is (:mod:`irenic.formats.sheets.roles`). A cell contains a unary test
(:mod:`irenic.formats.feel.unary_tests`); an empty cell or ``-`` accepts any value. A column named
``RULE WEIGHT`` contains the weights of rules, and a row that begins with ``DEFAULT`` the outcome if
no other row applies. As in DMN, the letter of a hit policy at the top left is the name of a column
of rule numbers.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from irenic.checking import kind_named
from irenic.errors import FormatError, did_you_mean
from irenic.formats.feel.doubtful_cells import means_else, means_total
from irenic.formats.feel.sets import literal_text
from irenic.formats.parsed import Parsed
from irenic.formats.sheets._domains import (
    SHEETS,
    allowed,
    declaration,
    declared_impossible,
    declared_row,
    declared_sheet,
)
from irenic.formats.sheets._doubtful_columns import check_columns, check_outcomes
from irenic.formats.sheets._grid import (
    SheetLine,
    Unreadable,
    comments_in,
    csv_lines,
    hidden_parts,
    sheets,
    struck_rows,
)
from irenic.formats.sheets._layout import (
    DEFAULT,
    NOTE,
    Layout,
    arranged,
    has_two_headers,
    header_name,
    letters,
)
from irenic.formats.sheets._layout import WEIGHT as WEIGHT
from irenic.formats.sheets._outcomes import means_impossible
from irenic.formats.sheets._rows import RowReader
from irenic.formats.sheets._shapes import Shaped, shaped, unmarked
from irenic.formats.sheets._spellings import (
    Locale,
    locale_of,
    settled_by,
)
from irenic.formats.sheets._steps import read_steps
from irenic.formats.sheets.roles import Role, as_roles, settle
from irenic.formats.tables.assembly import assemble
from irenic.formats.tables.drafts import (
    MOST_COLUMNS,
    POLICIES,
    Input,
    TableDraft,
    TableError,
    accepted_in,
)
from irenic.frames.columns import check_header
from irenic.model.decision_table import HitPolicy
from irenic.model.notation import ParsedCondition


class _NoTableError(FormatError):
    """An error in a sheet that does not look like a table at all."""


# --- reading


def parse_csv(
    raw: bytes,
    *,
    target: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] = (),
    locale: str | None = None,
    cells: str = "",
    header_row: int | None = None,
    cross: str = "",
    roles: Mapping[str, str] | None = None,
    name: str = "",
    converted: bool = False,
) -> Parsed:
    """Return the decision table in a CSV file, and all errors in its cells.

    The delimiter of a ``converted`` file does not show how its numbers are written.
    """
    lines, delimiter = csv_lines(raw)
    if not lines:
        raise FormatError("the table is empty; its first line must name the columns")
    options = _Options(
        as_roles(target, ignore, roles),
        Layout(cells, header_row, cross),
        locale=locale_of(locale) if locale else None,
        has_commas=delimiter == ",",
        has_semicolons=delimiter == ";" and not converted,
    )
    return Parsed("csv", [_draft(name, lines, options)], assemble)


class _Options(NamedTuple):
    """How to read the sheets of a file."""

    roles: Mapping[str, Role]
    """The roles of columns that the caller declares, by name."""
    layout: Layout = Layout()
    declared: Mapping[str, Any] = MappingProxyType({})
    """The declarations of columns in another sheet, by name."""
    impossible: tuple[tuple[int, list[ParsedCondition]], ...] = ()
    """The combinations of values that another sheet declares as impossible, with their lines."""
    comments: tuple[tuple[int, str], ...] = ()
    """The comments on cells, with their lines."""
    locale: Locale | None = None
    """How numbers and dates are written; None if the cells have to show it."""
    has_commas: bool = False
    """Whether commas separate cells."""
    has_semicolons: bool = False
    """Whether semicolons separate cells, as where commas are decimal."""
    typed: bool = False
    numbered: bool = True
    """Whether the letter of a hit policy may be the name of a column of rule numbers."""


def _draft(name: str, lines: list[SheetLine], options: _Options) -> TableDraft:
    all_lines = lines
    lines, first, remarks, policy = arranged(lines, options.layout)
    if not lines:
        raise FormatError("the table is empty; its first line must name the columns")
    _check_formulas(lines[0], lines[1:])
    draft = TableDraft(name, header=lines[0].number, last=lines[-1].number, remarks=remarks)
    names = _header(lines[0])
    draft.places = {n: first + place for place, n in enumerate(names) if n}
    draft.declared = dict(options.declared)
    if row := declared_row(lines):
        draft.declared |= {n: cell for n, cell in zip(names, row, strict=False) if cell is not None}
        remarks.append(f"line {lines[1].number} declares the columns")
        lines = [lines[0], *lines[2:]]
    table = shaped(lines, names, _roles(names, draft.declared, options))
    remarks += table.remarks
    for doubt in table.doubts:
        draft.ask(doubt, line=draft.header)
    if table.unread:
        draft.inputs = [Input(n) for n in names[:-1]]
        return draft
    if table.moved:
        draft.places = {n: first + place for place, n in enumerate(table.names) if n}
    draft.places = {n: place for n, place in draft.places.items() if n not in table.joined}
    draft.crossed, draft.part = table.moved, options.layout.cells
    draft.impossible = [*options.impossible]
    accepts = _without_notes(draft, table)
    accepts += [(line, text) for line, comment in options.comments for text in accepted_in(comment)]
    names, header = table.names, table.lines[0]
    letter = _letter(names, table.rows, table.roles) if options.numbered else ""
    _check_header(table, letter, all_lines if table.moved else lines)
    if letter:
        names = names[1:]
        table.lines = [SheetLine(line.number, line.cells[1:]) for line in table.lines]
        table.names = names
    _set_policy(draft, policy, letter)
    if letter and letter not in names:
        draft.letter = letter
        draft.unnumbered = lambda: _draft(name, all_lines, options._replace(numbered=False))
    if options.typed and not table.moved:
        draft.letters = {n: letters(place) for n, place in draft.places.items()}
    roles = _settle(draft, table)
    draft.outputs = tuple(n for n in names if n in roles and roles[n].kind == "outcome")
    draft.inputs = [Input(n) for n in names if n in roles and n not in draft.outputs]
    if not draft.inputs or not draft.outputs:
        named = f" {', '.join(map(repr, draft.outputs))}" if draft.outputs else ""
        raise _NoTableError(
            f"a decision table must have columns other than the outcome{named}; add one per"
            " feature, and separate cells by commas, semicolons or tabs",
            line=header.number,
        )
    for column in draft.inputs:
        role = roles[column.name]
        column.bound = (role.of, role.order) if role.kind == "bound" else None
    _check_width(names, table.lines, options.layout)
    lines = _unmarked(draft, table)
    _read_rows(draft, names, lines, options)
    check_outcomes(draft)
    _declare(draft, draft.declared)
    draft.n_rows = len(draft.rows)
    numbers = {row.line: (row.number - 1,) for row in draft.rows}
    draft.accepts = [(numbers.get(line, ()), text) for line, text in accepts]
    draft.outputs = _outputs(draft)
    for place, column in enumerate(draft.inputs):
        if roles[column.name].kind in ("from", "up to"):
            read_steps(draft, place, roles[column.name].kind)
    check_columns(draft)
    return draft


def _roles(names: list[str], declared: Mapping[str, Any], options: _Options) -> dict[str, Role]:
    """Return the roles that the sheet and the caller declare; the caller wins."""
    found = {name: declaration(declared.get(name)) for name in names}
    roles = {name: each.role for name, each in found.items() if each is not None and each.role}
    if options.layout.cross:
        roles |= {name: Role("value", options.layout.cross) for name in names[1:]}
    # a caller types a name of several lines in one
    in_one_line = {header_name(name): name for name in reversed(names)}
    known = {n if n in names else in_one_line.get(n, n): r for n, r in options.roles.items()}
    return roles | known


def _without_notes(draft: TableDraft, table: Shaped) -> list[tuple[int, str]]:
    """Remove the columns of notes; return the findings that they accept, with their lines."""
    for name in table.roles:
        if name not in table.names and name not in draft.places:
            raise _NoTableError(f"unknown column {name!r}{did_you_mean(name, table.names)}")
    noted = {n for n, role in table.roles.items() if role.kind == "note"} | {NOTE}
    for name, role in table.roles.items():
        if role.kind in ("names", "heading"):
            raise FormatError(
                f"the column {name!r} cannot be {role}: names is for the first column of a table"
                " whose columns are rules, and heading for rows with one cell"
            )
    accepting = {
        place: name
        for place, name in enumerate(table.names)
        if name in noted or (name not in table.roles and _accepts(table.rows, place))
    }
    if set(accepting.values()) - noted and len(table.names) - len(accepting) < 2:
        accepting = {place: name for place, name in accepting.items() if name in noted}
    draft.ignored = tuple(name for name in accepting.values() if name != NOTE)
    accepts, kept = [], [SheetLine(table.lines[0].number, _kept(table.lines[0].cells, accepting))]
    for line in table.rows:
        texts = [c for i, c in enumerate(line.cells) if i in accepting and isinstance(c, str)]
        cells = _kept(line.cells, accepting)
        if any(cell is not None for cell in cells):  # otherwise it is left over from a dropped row
            accepts += [(line.number, text) for cell in texts for text in accepted_in(cell)]
            kept.append(SheetLine(line.number, cells))
            _check_notes(kept[-1])
    if accepting:
        table.lines = kept
        table.names = [name for place, name in enumerate(table.names) if place not in accepting]
    return accepts


def _accepts(rows: list[SheetLine], place: int) -> bool:
    cells = (line.cells[place] for line in rows if place < len(line.cells))
    return any(isinstance(cell, str) and _accepted(cell) for cell in cells)


def _accepted(cell: str) -> bool:
    """Return whether a cell accepts a finding."""
    if ":" not in cell or cell[:6].lower() != "accept":
        return False
    kinds = (re.split(r":|,|\swhere\s", text)[0] for text in accepted_in(cell))
    return any(kind_named(kind) is not None for kind in kinds)


def _check_notes(line: SheetLine) -> None:
    """Raise an error if a cell outside the columns of notes accepts a finding."""
    for cell in line.cells:
        if isinstance(cell, str) and _accepted(cell):
            raise FormatError(
                f"{cell!r} must be in a column of notes: add one, or declare it with"
                " roles={'Comment': 'note'} (--role Comment=note)",
                line=line.number,
            )


def _kept(cells: list[Any], dropped: Container[int]) -> list[Any]:
    kept = [cell for place, cell in enumerate(cells) if place not in dropped]
    if 0 in dropped and cells[:1] == [DEFAULT] and kept and kept[0] is None:
        kept[0] = DEFAULT  # it must stay in the first column
    return kept


def _check_header(table: Shaped, letter: str, lines: list[SheetLine]) -> None:
    """Raise an error for a header without the names of all columns."""
    names, header = table.names, table.lines[0]
    # a column of rule numbers may have the name of a feature
    try:
        _check_names(["\0", *names[1:]] if letter else names, header.number)
    except FormatError as error:
        if names and not names[0] and not has_two_headers(lines):
            raise type(error)(
                f"{error.message}; in a cross table, the first cell names the condition of the rows"
                " and cross=… (--cross) that of the header",
                line=error.line,
            ) from None
        if not has_two_headers(lines):
            raise
        raise FormatError(
            f"{error.message}; if lines {header.number} and {lines[1].number} are both headers,"
            " write one line of names, such as 'Age from' and 'Age to', or choose one of them with"
            f" header_row={lines[1].number} (--header-row {lines[1].number})",
            line=error.line,
        ) from None


def _set_policy(draft: TableDraft, policy: tuple[HitPolicy, str] | None, letter: str) -> None:
    if policy and letter and policy != POLICIES[letter]:
        draft.fail(
            f"the hit policy is {policy[0]} above the table, but {POLICIES[letter][0]} ({letter})"
            " in its first column; keep one of them"
        )
    if policy or letter:
        draft.hit_policy, draft.aggregation = policy or POLICIES[letter]


def _settle(draft: TableDraft, table: Shaped) -> dict[str, Role]:
    """Return the roles of all columns, and add what is unclear about them to the draft."""
    places = [place for place, name in enumerate(table.names) if name != WEIGHT]
    names = [table.names[place] for place in places]
    declared = {n: role for n, role in table.roles.items() if n in names}
    for doubt in draft.doubts:  # it has a way out of its own
        declared |= {n: Role("condition") for n in doubt.columns if n in names}
    rows = [
        [line.cells[place] if place < len(line.cells) else None for place in places]
        for line in table.rows
        if not _is_rest(line, places, is_last=line is table.lines[-1])
    ]
    draft.roles = {name: str(role) for name, role in table.roles.items()}
    settled = settle(names, rows, declared)
    for doubt in settled.doubts:
        draft.ask(doubt, line=table.lines[0].number)
    return settled.roles


def _is_rest(line: SheetLine, places: list[int], *, is_last: bool) -> bool:
    """Return whether a row is for all other cases, for impossible ones, or a total."""
    cells = [line.cells[place] for place in places if place < len(line.cells)]
    filled = [cell for cell in cells if cell is not None]
    if not filled or filled[0] == DEFAULT or any(map(means_impossible, filled)):
        return True
    texts = [cell for cell in filled if isinstance(cell, str)]
    return is_last and (any(map(means_else, texts)) or means_total(str(filled[0])))


def _unmarked(draft: TableDraft, table: Shaped) -> list[SheetLine]:
    """Return lines with true and false in declared outcomes that contain marks."""
    declared = [n for n, role in table.roles.items() if role.kind == "outcome"]
    places = [place for place, name in enumerate(table.names) if name in declared]

    def say(place: int) -> None:
        draft.remarks.append(f"a mark in {table.names[place]} is true, and an empty cell false")

    return unmarked(table.lines, places, say)


def _read_rows(
    draft: TableDraft, names: list[str], lines: list[SheetLine], options: _Options
) -> None:
    """Add the rows of a table whose roles are settled."""
    if options.locale is None:
        options = _with_locale(draft, names, lines[1:], options)
    draft.decimal, draft.day_first = options.locale or Locale()
    reader = RowReader(
        draft,
        names,
        options.locale or Locale(),
        typed=options.typed,
        has_commas=options.has_commas,
    )
    for line in lines[1:]:
        reader.read(line, is_last=line is lines[-1])
    reader.doubts.end()


_LONGEST_NAME: Final = 1_000


def _declare(draft: TableDraft, declared: Mapping[str, Any]) -> None:
    """Set what the sheet declares about its columns, and check the outcomes."""
    for column in draft.inputs:
        found = declaration(declared.get(column.name))
        if found is not None and (found.kind or found.domain):
            column.kind, column.domain, column.unit = found[:3]
            column.source = "its declaration"
    for place, name in enumerate(draft.outputs):
        values = allowed(declared, name)
        for row in draft.rows if values else ():
            several = isinstance(row.then, tuple) and len(draft.outputs) > 1
            then = row.then[place] if several else row.then  # type: ignore[index]
            if then not in values:
                listed = ", ".join(literal_text(value, words=True) for value in values)
                draft.fail(
                    f"{then!r} is not a declared outcome ({listed})",
                    rule=row.number,
                    header=name,
                    line=row.line,
                )


def _with_locale(
    draft: TableDraft, names: list[str], lines: list[SheetLine], options: _Options
) -> _Options:
    """Return options with what the cells settle about numbers and dates."""
    texts: dict[bool, dict[str, None]] = {False: {}, True: {}}
    for place, name in enumerate(names):
        cells = (line.cells[place] for line in lines if place < len(line.cells))
        texts[name in draft.outputs] |= dict.fromkeys(c for c in cells if isinstance(c, str))
    locale, contradiction = settled_by(texts[False], texts[True], semicolons=options.has_semicolons)
    if contradiction:
        draft.fail(f"{contradiction}; write them in one way, or choose with locale=… (--locale)")
    if locale.decimal == ",":
        draft.remarks.append("numbers are written with a decimal comma")
    if locale.day_first is not None:
        draft.remarks.append(f"dates begin with the {'day' if locale.day_first else 'month'}")
    return options._replace(locale=locale)


def _check_formulas(header: SheetLine, rows: list[SheetLine]) -> None:
    """Raise an error for a header with a formula; a sheet without further rows is no table."""
    formula = next((cell for cell in header.cells if isinstance(cell, Unreadable)), None)
    if formula is None:
        return
    if any(sum(cell is not None for cell in row.cells) > 1 for row in rows):
        raise FormatError(f"the header must contain names: {formula.reason}", line=header.number)
    raise _NoTableError(formula.reason, line=header.number)


def _check_width(names: list[str], lines: list[SheetLine], layout: Layout) -> None:
    """Raise one error if most rows are wider than the header, which may be a title."""
    header, *rows = lines
    widths = [_width(row) for row in rows]
    wider = sum(width > len(names) for width in widths)
    if wider < 2 or 2 * wider <= len(rows):
        return
    reason = f"the header names {len(names)} columns, but {wider} of {len(rows)} rows have more"
    if layout.header_row is None and not layout.cross:
        number = rows[0].number
        reason += (
            f"; if the header is in line {number}, choose it with header_row={number}"
            f" (--header-row {number})"
        )
    raise FormatError(reason, line=header.number)


def _width(line: SheetLine) -> int:
    return max((i for i, cell in enumerate(line.cells, 1) if cell is not None), default=0)


def _header(line: SheetLine) -> list[str]:
    for place, cell in enumerate(line.cells):
        if isinstance(cell, str) and len(cell) > _LONGEST_NAME:
            raise FormatError(
                f"the name of a column must have at most {_LONGEST_NAME:,} characters, got"
                f" {len(cell):,} in column {letters(place)}; shorten it",
                line=line.number,
            )
    names = ["" if cell is None else _plain(cell) for cell in line.cells]
    names = [WEIGHT if name.upper() == WEIGHT else name for name in names]
    while names and not names[-1]:
        names.pop()
    if len(names) > MOST_COLUMNS:
        raise FormatError(
            f"a decision table must have at most {MOST_COLUMNS:,} columns, got {len(names):,}",
            line=line.number,
        )
    return names


def _check_names(names: list[str], line: int) -> None:
    try:
        check_header(names, line)
    except FormatError as error:
        if sum(map(bool, names)) < 2:
            raise _NoTableError(error.message, line=line) from None
        raise


def _letter(names: list[str], lines: list[SheetLine], roles: Mapping[str, Role]) -> str:
    """Return the hit policy letter that names a first column of rule numbers, "" if none does."""
    letter, rest = names[0], names[1:]
    columns = [n for n in rest if n != WEIGHT]
    if letter not in POLICIES or len(columns) < 2:
        return ""
    if letter not in rest and letter in roles:
        return ""
    rules = [line for line in lines if line.cells[:2] != [None, DEFAULT]]
    numbered = all(_counts(line.cells[0], number) for number, line in enumerate(rules, 1))
    return letter if numbered else ""


def _counts(cell: Any, number: int) -> bool:
    if isinstance(cell, str):
        return cell.strip() == str(number)
    return type(cell) in (int, float) and bool(cell == number)


def _outputs(draft: TableDraft) -> tuple[str, ...]:
    """Return the names of the outputs; a column of tuples has all of them in its header."""
    names = draft.outputs[0].split(", ")
    thens = [row.then for row in draft.rows]
    thens += [] if draft.default is None else [draft.default]
    if len(draft.outputs) > 1 or len(names) < 2 or not thens or not all(names):
        return draft.outputs
    spread = all(isinstance(then, tuple) and len(then) == len(names) for then in thens)
    return tuple(names) if spread else draft.outputs


def _plain(value: Any) -> str:
    return value.strip() if isinstance(value, str) else str(value)


# --- workbooks


def parse_xlsx(
    raw: bytes,
    *,
    target: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] = (),
    locale: str | None = None,
    cells: str = "",
    header_row: int | None = None,
    cross: str = "",
    roles: Mapping[str, str] | None = None,
    sheet: str | None = None,
) -> Parsed:
    """Return the decision tables of a workbook, one per sheet that is not empty."""
    drafts: list[TableDraft] = []
    notes: list[FormatError] = []
    known = locale_of(locale) if locale else None
    options = _Options(
        as_roles(target, ignore, roles), Layout(cells, header_row, cross), locale=known, typed=True
    )
    tables = sheets(raw)
    declaring = [(t, lines) for t, lines in tables if t.strip().lower() in SHEETS]
    if len(declaring) < len(tables):
        tables = [(t, lines) for t, lines in tables if t.strip().lower() not in SHEETS]
        declared = {n: text for _, lines in declaring for n, text in declared_sheet(lines).items()}
        impossible = [each for _, lines in declaring for each in declared_impossible(lines)]
        options = options._replace(declared=declared, impossible=tuple(impossible))
    if sheet is not None:
        titles = [title for title, _ in tables]
        if sheet not in titles:
            raise FormatError(f"unknown sheet {sheet!r}{did_you_mean(sheet, titles)}")
        tables = [(title, lines) for title, lines in tables if title == sheet]
    hidden, comments, struck = hidden_parts(raw), comments_in(raw), struck_rows(raw)
    for title, lines in tables:
        options = options._replace(comments=tuple(comments.get(title, ())))
        try:
            drafts.append(_draft(title, lines, options))
            if text := _unseen(hidden.get(title, ([], [])), lines):
                drafts[-1].warn(
                    f"{text} hidden, but read like the others; delete what is not meant"
                )
            if text := _unseen((struck.get(title, []), []), lines):
                drafts[-1].warn(
                    f"{text} struck out, but read like the others; delete what is not meant"
                )
        except _NoTableError as error:
            reason = f"the sheet contains no decision table: {error.message}"
            notes.append(TableError(reason, title, line=error.line))
        except FormatError as error:
            drafts.append(TableDraft(title))
            drafts[-1].fail(error.message, line=error.line)
    if any(draft.rows for draft in drafts):
        for draft in [draft for draft in drafts if _is_bare(draft)]:
            drafts.remove(draft)
            reason = "the sheet contains no decision table: there are no rows under the first one"
            notes.append(TableError(reason, draft.name, line=draft.header))
    if not drafts and not notes:
        raise FormatError(
            "the workbook is empty; the first row of a sheet must name the columns of a table"
        )
    if not drafts:
        return Parsed("xlsx", [], assemble, failures=notes)
    # only warnings, because workbooks with tables may contain other sheets, too
    return Parsed("xlsx", drafts, assemble, notes)


def _is_bare(draft: TableDraft) -> bool:
    """Return whether a sheet has a header alone."""
    return draft.last == draft.header and not draft.errors


def _unseen(hidden: tuple[list[int], list[int]], lines: list[SheetLine]) -> str:
    """Return which rows and columns with cells are hidden, "" for none."""
    numbers = {line.number for line in lines}
    width = max(len(line.cells) for line in lines)
    rows = [str(row) for row in hidden[0] if row in numbers]
    columns = [letters(place) for place in hidden[1] if place < width]
    parts = [
        f"{noun}{'s' if len(names) > 1 else ''} {', '.join(names[:5])}{', …' if names[5:] else ''}"
        for noun, names in (("row", rows), ("column", columns))
        if names
    ]
    plural = len(rows) + len(columns) > 1
    return f"{' and '.join(parts)} {'are' if plural else 'is'}" if parts else ""
