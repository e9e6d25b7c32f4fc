"""Decision tables written as spreadsheets: CSV files and Excel workbooks."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from irenic.errors import FormatError
from irenic.formats.cells.words import beyond_doubt
from irenic.formats.feel.sets import cell_text, literal_text
from irenic.formats.sheets._domains import unit_declaration
from irenic.formats.sheets._evidence import CellReader
from irenic.formats.sheets._layout import (
    DEFAULT,
    NOTE,
    WEIGHT,
)
from irenic.formats.sheets._outcomes import (
    outcome_text,
)
from irenic.formats.sheets.roles import settle
from irenic.formats.tables.drafts import CANNOT_OCCUR, POLICIES
from irenic.formats.tables.lines import Line, accepts_of, lines_of, split_thens
from irenic.frames.csv import is_formula
from irenic.frames.xlsx import check_cells, check_names, openpyxl_module
from irenic.model.characters import cleaned
from irenic.model.decision_table import DecisionTable
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet


def dumps_csv(rules: RuleSet | RuleList | DecisionTable) -> str:
    """Return rules as CSV, one line per row; read back with the same space, they are equal."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    header, *lines = _written(DecisionTable.from_rules(rules))
    for name in header:
        if is_formula(name):
            raise FormatError(
                f"a spreadsheet takes the name {name!r} for a formula; rename it, or write .xlsx,"
                " .dmn or .json"
            )
    # without quotes, these characters in a name would be detected as the delimiter
    needs_quotes = any(sign in name for name in header for sign in ";\t\r")
    quoting = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
    (quoting if needs_quotes else writer).writerow(header)
    writer.writerows([[_text_of(cell) for cell in line] for line in lines])
    return file.getvalue()


def _text_of(cell: Any) -> str:
    return cell if isinstance(cell, str) else literal_text(cell, words=True)


def dumps_xlsx(rules: RuleSet | RuleList | DecisionTable) -> bytes:
    """Return rules as a workbook of one sheet, one line per row; numbers and booleans are typed."""
    openpyxl = openpyxl_module()
    from openpyxl.cell import WriteOnlyCell

    table = DecisionTable.from_rules(rules)
    lines = list(_written(table, spell=beyond_doubt))
    check_names(lines[0])
    for line in lines[1:]:
        check_cells(line)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet(re.sub(r"[\[\]:*?/\\']|[^ -\uffff]", "_", table.name)[:31] or "rules")
    file = io.BytesIO()
    for line in lines:
        cells = []
        for value in line:
            cell = WriteOnlyCell(sheet, value=value)
            if isinstance(value, str):
                cell.data_type = "s"  # text, even if it looks like a formula or an error
            cells.append(cell)
        sheet.append(cells)
    book.save(file)
    return file.getvalue()


def _written(
    table: DecisionTable, spell: Callable[[str], str] = lambda text: text
) -> Iterator[list[Any]]:
    """Yield the cells of a sheet, line by line: text, except for outcomes that are numbers."""
    letter, table = _under_letter(table)
    names = list(table.space.names)
    _check_heads(names)
    lines = lines_of(table)
    weighted = any(line.weight != 1.0 for line in lines)
    outputs = _output_names(table)
    accepts = accepts_of(table)
    before = [letter] if letter else []
    header = [*before, *names, *([WEIGHT] if weighted else []), *outputs]
    yield [*header, *([NOTE] if accepts.keys() - {None} else [])]
    rows = [_row(line, outputs, weighted=weighted, spell=spell) for line in lines]
    yield from _declared(table, rows, before, outputs, weighted=weighted)
    for number, (line, cells) in enumerate(zip(lines, rows, strict=True), 1):
        if line.row in accepts:
            cells.append("\n".join(f"accept: {text}" for text in accepts[line.row]))
        yield [*([number] if letter else []), *cells]
    for n, region in enumerate(table.space.impossible, len(lines) + 1):
        conditions = region.conditions()
        texts = [cell_text([conditions.get(name, {})], words=True) for name in names]
        cells = [*map(spell, texts), *([""] if weighted else []), *[CANNOT_OCCUR] * len(outputs)]
        yield [*([n] if letter else []), *cells]
    if table.rules.default is not None:
        blank = [""] * (len(names) - 1 + weighted)
        first = ["", DEFAULT] if letter else [DEFAULT]
        yield [*first, *blank, *_outcome_cells(table.rules.default, outputs)]


def _outcome_cells(then: Any, outputs: list[str]) -> list[Any]:
    return [outcome_text(part) for part in (then if len(outputs) > 1 else [then])]


def _row(
    line: Line, outputs: list[str], *, weighted: bool, spell: Callable[[str], str]
) -> list[Any]:
    """Return the cells of a line: its conditions, its weight and its outcomes."""
    try:
        texts = line.texts or [cell_text(c, words=True) for c in line.cells]
        cells: list[Any] = [spell(text) for text in texts]
        cells += [spell(literal_text(line.weight, words=True))] if weighted else []
        return cells + _outcome_cells(line.then, outputs)
    except FormatError as error:
        raise FormatError(f"rule {line.row + 1}: {error.message}") from None


def _declared(
    table: DecisionTable,
    rows: list[list[Any]],
    before: list[str],
    outputs: list[str],
    *,
    weighted: bool,
) -> Iterator[list[str]]:
    """Yield a row that declares units, and the roles of columns if their cells do not show them."""
    names = [*table.space.names, *outputs]
    n = len(table.space)
    blank = [""] if weighted else []
    known = [[cell if cell != "" else None for cell in [*row[:n], *row[n + weighted :]]]
             for row in rows]  # fmt: skip
    texts = [[cell if cell is None else _text_of(cell) for cell in row] for row in known]
    meant = ["condition"] * n + ["outcome"] * len(outputs)
    # several outcomes are declared always, as the page does, which cannot settle roles
    is_clear = len(outputs) == 1 and _shows(names, known, meant) and _shows(names, texts, meant)
    # a number in the first column under a letter would be that of a rule
    if not before and names[0] in POLICIES and [row[0] for row in known[:1]] in (["1"], [1]):
        is_clear = False
    units = [unit_declaration(feature) for feature in table.space]
    if not is_clear:
        units = [f"condition: {unit}" if unit else "condition" for unit in units]
    if any(units):
        yield [
            *([""] * len(before)),
            *units,
            *blank,
            *([""] if is_clear else ["outcome"]) * len(outputs),
        ]


def _shows(names: list[str], rows: list[list[Any]], meant: list[str]) -> bool:
    """Return whether cells show the roles of all columns."""
    settled = settle(names, rows, {}, CellReader())
    return not settled.doubts and [str(settled.roles[name]) for name in names] == meant


def _under_letter(table: DecisionTable) -> tuple[str, DecisionTable]:
    """Return the letter of a table's hit policy, "" if it has none, and the table to write."""
    if table.hit_policy is None:
        if not len(table.rules) and table.space.names[:1] and table.space.names[0] in POLICIES:
            raise FormatError(
                f"feature {table.space.names[0]!r} of a table without rules would be read as a hit"
                " policy; rename the feature, or write .json"
            )
        return "", table
    if table.hit_policy == "OUTPUT ORDER":
        raise FormatError(
            "a sheet cannot represent the ranking of outcomes that OUTPUT ORDER needs; write .dmn,"
            " or use the hit policy RULE ORDER"
        )
    if table.hit_policy == "PRIORITY":
        order = table.winning
        rows = tuple(table.rows[place] for place in order)
        bare = replace(table.provenance, lines=())
        table = replace(table, rules=table.rules[order], rows=rows, hit_policy="FIRST")
        table = replace(table, provenance=bare)
    aggregation = table.aggregation if table.hit_policy == "COLLECT" else ""
    policy = (table.hit_policy, aggregation)
    letter = next((letter for letter, value in POLICIES.items() if value == policy), "")
    if not letter:
        raise FormatError(f"unknown aggregation {aggregation!r}; use SUM, MIN, MAX or COUNT")
    return letter, table


def _check_heads(names: list[str]) -> None:
    if not names:
        raise FormatError("a sheet must have at least one feature; write .dmn or .json")
    for name in names:
        if cleaned(name).strip() != name or name in (WEIGHT, NOTE) or "\0" in name:
            raise FormatError(
                f"feature {name!r} cannot be the name of a column; rename it, or write .json"
            )


def _output_names(table: DecisionTable) -> list[str]:
    """Return the names of the outcome columns; outcomes that are no tuples have one column."""
    taken = (*table.space.names, WEIGHT, NOTE)
    if split_thens(table) > 1 and len(set(table.outputs)) == len(table.outputs):
        plain = [
            name for name in table.outputs if cleaned(name).strip() == name and "\0" not in name
        ]
        if len([n for n in plain if n and n not in taken]) == len(table.outputs):
            return plain
    name = ", ".join(table.outputs) or "then"
    while name in taken:
        name = f"{name} (outcome)"
    return [name]
