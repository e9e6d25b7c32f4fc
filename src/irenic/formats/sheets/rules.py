"""Decision tables as spreadsheets: CSV files and Excel workbooks.

The first row names the columns: one per feature, and the outcome, which is the last column by
default. A cell contains a unary test (:mod:`irenic.formats.feel.unary_tests`); an empty cell or
``-`` accepts any value. A column named ``RULE WEIGHT`` contains the weights of rules, and a row
that begins with ``DEFAULT`` the outcome if no other row applies. As in DMN, the letter of a hit
policy at the top left is the name of a column of rule numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from irenic.checking import kind_named
from irenic.errors import FormatError, did_you_mean
from irenic.formats.cells.locales import Locale, locale_of, settled_by
from irenic.formats.feel.sets import literal_text
from irenic.formats.parsed import Parsed
from irenic.formats.sheets._codes import code_in
from irenic.formats.sheets._domains import (
    OUTCOME,
    SHEETS,
    allowed,
    declaration,
    declared_impossible,
    declared_row,
    declared_sheet,
)
from irenic.formats.sheets._doubtful_columns import (
    are_outcomes,
    check_columns,
    check_outcome,
    check_outcomes,
    is_note,
    is_outcome,
    is_record,
)
from irenic.formats.sheets._doubtful_words import has_values
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
from irenic.formats.sheets._rows import RowReader
from irenic.formats.tables.assembly import assemble
from irenic.formats.tables.drafts import (
    MOST_COLUMNS,
    POLICIES,
    Input,
    TableDraft,
    TableError,
    accepted_in,
)
from irenic.formats.tables.letters import check_letters
from irenic.frames.columns import check_header
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
        _names(target),
        _names(ignore),
        Layout(cells, header_row, cross),
        locale=locale_of(locale) if locale else None,
        has_commas=delimiter == ",",
        has_semicolons=delimiter == ";" and not converted,
    )
    return Parsed("csv", [_draft(name, lines, options)], assemble)


class _Options(NamedTuple):
    """How to read the sheets of a file."""

    targets: list[str]
    ignored: list[str]
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


def _names(names: str | Sequence[str] | None) -> list[str]:
    return [names] if isinstance(names, str) else list(names or ())


def _draft(name: str, lines: list[SheetLine], options: _Options) -> TableDraft:
    all_lines = lines
    lines, first, remarks, policy = arranged(lines, options.layout)
    if not lines:
        raise FormatError("the table is empty; its first line must name the columns")
    _check_formulas(lines[0], lines[1:])
    last = lines[-1].number
    names = _header(lines[0])
    places = {n: first + place for place, n in enumerate(names) if n}
    declared = dict(options.declared)
    if row := declared_row(lines):
        declared |= {n: cell for n, cell in zip(names, row, strict=False) if cell is not None}
        remarks.append(f"line {lines[1].number} declares the columns")
        lines = [lines[0], *lines[2:]]
    lines, accepts = _accepted(lines)
    accepts += [(line, text) for line, comment in options.comments for text in accepted_in(comment)]
    options = options._replace(
        targets=_as_in(names, options.targets), ignored=_as_in(names, options.ignored)
    )
    lines = _without(lines, options.ignored)
    targets = options.targets or [n for n in names if _is_outcome(declared.get(n))]
    header = lines[0]
    names = _header(header)
    letter = _letter(names, lines[1:], targets) if options.numbered else ""
    # a column of rule numbers may have the name of a feature
    try:
        _check_names(["\0", *names[1:]] if letter else names, header.number)
    except FormatError as error:
        if not names[0] and has_values(names[1:]):
            raise FormatError(
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
    if letter:
        names = names[1:]
        lines = [SheetLine(line.number, line.cells[1:]) for line in lines]
    columns = [n for n in names if n != WEIGHT]
    _check_known(targets, columns)
    outputs = targets or _outcomes(columns, names, lines)
    inputs = [n for n in columns if n not in outputs]
    if not inputs:
        raise _NoTableError(
            "a decision table must have columns other than the outcome"
            f" {', '.join(map(repr, outputs))}; add one per feature, and separate cells by commas,"
            " semicolons or tabs",
            line=header.number,
        )
    draft = TableDraft(name, inputs=[Input(n) for n in inputs], outputs=tuple(outputs))
    draft.remarks, draft.places, draft.ignored = remarks, places, tuple(options.ignored)
    draft.header, draft.last, draft.declared = header.number, last, declared
    draft.impossible = [*options.impossible]
    draft.crossed, draft.part = bool(options.layout.cross), options.layout.cells
    if options.typed and not options.layout.cross:
        draft.letters = {n: letters(place) for n, place in places.items()}
    if policy and letter and policy != POLICIES[letter]:
        draft.fail(
            f"the hit policy is {policy[0]} above the table, but {POLICIES[letter][0]} ({letter})"
            " in its first column; keep one of them"
        )
    if policy or letter:
        draft.hit_policy, draft.aggregation = policy or POLICIES[letter]
    if letter and letter not in names:
        draft.letter = letter
        draft.unnumbered = lambda: _draft(name, all_lines, options._replace(numbered=False))
    if options.locale is None:
        options = _with_locale(draft, names, lines[1:], options)
    draft.decimal, draft.day_first = options.locale or Locale()
    _check_width(names, lines, options.layout)
    reader = RowReader(
        draft,
        names,
        options.locale or Locale(),
        typed=options.typed,
        has_commas=options.has_commas,
    )
    reader.codes = _codes(draft, names, lines[1:])
    for line in lines[1:]:
        reader.read(line, is_last=line is lines[-1])
    reader.doubts.end()
    check_outcomes(draft)
    _declare(draft, declared)
    if not targets:
        check_outcome(draft)
    draft.n_rows = len(draft.rows)
    rows = {row.line: (row.number - 1,) for row in draft.rows}
    draft.accepts = [(rows.get(line, ()), text) for line, text in accepts]
    draft.outputs = _outputs(draft)
    check_columns(draft, chosen=bool(targets or options.layout.cross))
    check_letters(draft)
    return draft


def _codes(draft: TableDraft, names: list[str], lines: list[SheetLine]) -> dict[str, str]:
    """Return the columns of codes, each with a cell that shows it."""
    codes = {}
    for column in draft.inputs:
        place = names.index(column.name)
        try:
            cells = (line.cells[place] for line in lines if place < len(line.cells))
            if code := code_in(cells):
                codes[column.name] = code
        except FormatError as error:
            draft.fail(error.message, header=column.name)
    return codes


_LONGEST_NAME: Final = 1_000
_LONGEST_GRADE: Final = 2
"""In German and French, a column Note with fewer words per cell may contain grades."""


def _is_outcome(text: Any) -> bool:
    found = declaration(text)
    return found is not None and found.kind == OUTCOME


def _outcomes(columns: list[str], names: list[str], lines: list[SheetLine]) -> list[str]:
    """Return the outcome columns: those named so, else the last one that is not a note."""
    named = []
    for name in columns:
        if is_outcome(name):
            place = names.index(name)
            cells = [line.cells[place] if place < len(line.cells) else None for line in lines[1:]]
            named += [name] if is_outcome(name, cells) else []
    others = [name for name in columns if not is_note(name)]
    known = [*others]
    while len(known) > 2 and is_record(known[-1]):
        known.pop()
    if len(known) < len(others):  # unless the last other column contains conditions
        place = names.index(known[-1])
        cells = [line.cells[place] if place < len(line.cells) else None for line in lines[1:]]
        others = known if are_outcomes(cells) else others
    if len(others) > 1 and columns[-1].casefold() == "note" and not named:
        place = names.index(columns[-1])
        cells = [line.cells[place] if place < len(line.cells) else None for line in lines[1:]]
        if all(c is not None and len(str(c).split()) <= _LONGEST_GRADE for c in cells):
            raise FormatError(
                f"it is unclear whether the column {columns[-1]!r} contains notes or the outcome;"
                f" choose the outcome with target=… (--outcome {columns[-1]}), or skip the column"
                f" with ignore={columns[-1]!r} (--ignore)",
                line=lines[0].number,
            )
    last = others[-1:] if len(others) > 1 else columns[-1:]
    if not named or named == last or len(named) == len(columns):
        return last
    trailing = others[-len(named) :]
    if named == trailing:
        return named
    choices = ", ".join(map(repr, [*named, *(name for name in last if name not in named)]))
    raise FormatError(
        f"it is unclear which column is the outcome: {choices}; choose one or several with target=…"
        " (--outcome), and skip a column that is neither an outcome nor a condition with ignore=…"
        " (--ignore)",
        line=lines[0].number,
    )


def _declare(draft: TableDraft, declared: Mapping[str, Any]) -> None:
    """Set what the sheet declares about its columns, and check the outcomes."""
    for column in draft.inputs:
        found = declaration(declared.get(column.name))
        if found is not None and found.kind != OUTCOME:
            column.kind, column.domain, column.unit = found
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
        if not is_note(name):
            cells = (line.cells[place] for line in lines if place < len(line.cells))
            texts[name in draft.outputs] |= dict.fromkeys(c for c in cells if type(c) is str)
    locale, contradiction = settled_by(texts[False], texts[True], semicolons=options.has_semicolons)
    if contradiction:
        draft.fail(f"{contradiction}; write them in one way, or choose with locale=… (--locale)")
    if locale.decimal == ",":
        draft.remarks.append("numbers are written with a decimal comma")
    if locale.day_first is not None:
        draft.remarks.append(f"dates begin with the {'day' if locale.day_first else 'month'}")
    return options._replace(locale=locale)


def _accepted(lines: list[SheetLine]) -> tuple[list[SheetLine], list[tuple[int, str]]]:
    """Return lines without the acceptances in columns of notes, and those with their lines."""
    places = [i for i, name in enumerate(_header(lines[0])) if name == NOTE or is_note(name)]
    kept, accepts = [], []
    for line in lines:
        texts = {
            place: accepted_in(cell)
            for place in places
            if place < len(line.cells) and isinstance(cell := line.cells[place], str)
        }
        if any(texts.values()):
            values = [None if texts.get(i) else cell for i, cell in enumerate(line.cells)]
            if any(cell is not None for i, cell in enumerate(values) if i not in places):
                # otherwise it is left over from a dropped row
                accepts += [(line.number, text) for each in texts.values() for text in each]
            line = SheetLine(line.number, values)
        _check_notes(line)
        kept.append(line)
    return kept, accepts


def _check_notes(line: SheetLine) -> None:
    """Raise an error if a cell outside the columns of notes accepts a finding."""
    for cell in line.cells:
        if isinstance(cell, str) and ":" in cell and cell[:6].lower() == "accept":
            for text in accepted_in(cell):
                if kind_named(re.split(r":|,|\swhere\s", text)[0]) is not None:
                    raise FormatError(
                        f"{cell!r} must be in a column of notes: name the column Comment",
                        line=line.number,
                    )


def _without(lines: list[SheetLine], ignored: list[str]) -> list[SheetLine]:
    """Return lines without the ignored columns."""
    names = _header(lines[0])
    if not ignored and NOTE not in names:
        return lines
    _check_known(ignored, names)
    dropped = {place for place, name in enumerate(names) if name in ignored or name == NOTE}
    kept = [SheetLine(line.number, _kept(line.cells, dropped)) for line in lines]
    if NOTE in names:  # what is left of a dropped row
        kept = [line for line in kept if any(cell is not None for cell in line.cells)]
    return kept


def _kept(cells: list[Any], dropped: set[int]) -> list[Any]:
    kept = [cell for place, cell in enumerate(cells) if place not in dropped]
    if 0 in dropped and cells[:1] == [DEFAULT] and kept and kept[0] is None:
        kept[0] = DEFAULT  # it must stay in the first column
    return kept


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


def _as_in(columns: list[str], names: list[str]) -> list[str]:
    """Return names that a caller typed in one line as the header has them."""
    in_one_line = {header_name(column): column for column in columns if column not in names}
    return [in_one_line.get(name, name) for name in names]


def _check_known(names: Iterable[str], columns: list[str]) -> None:
    for name in names:
        if name not in columns:
            raise _NoTableError(f"unknown column {name!r}{did_you_mean(name, columns)}")


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


def _letter(names: list[str], lines: list[SheetLine], targets: list[str]) -> str:
    """Return the hit policy letter that names a first column of rule numbers, "" if none does."""
    letter, rest = names[0], names[1:]
    columns = [n for n in rest if n != WEIGHT]
    if letter not in POLICIES or len(columns) < 2:
        return ""
    if letter not in rest and letter in targets:
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
    sheet: str | None = None,
) -> Parsed:
    """Return the decision tables of a workbook, one per sheet that is not empty."""
    drafts: list[TableDraft] = []
    notes: list[FormatError] = []
    known = locale_of(locale) if locale else None
    options = _Options(
        _names(target), _names(ignore), Layout(cells, header_row, cross), locale=known, typed=True
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
