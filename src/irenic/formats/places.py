"""Where the rows and cells of tables are in the text of a file, for tools that point at them."""

from __future__ import annotations

import codecs
import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np

from irenic.arrays import Ints
from irenic.errors import FormatError
from irenic.formats.editing import index_of
from irenic.formats.parsed import Parsed
from irenic.formats.spans import Element
from irenic.model.decision_table import DecisionTable

Span: TypeAlias = tuple[int, int]
"""Where a part of a text begins and ends."""

LOCATED: Final = ("csv", "dmn", "json", "rules", "tsv")
"""The formats of files whose rows and cells have places in a text."""
_BREAK: Final = re.compile(r"\r\n|\r|\n")
_BLANKS: Final = re.compile(r"[ \t\r\n]*")
_KEY: Final = re.compile(r'[ \t\r\n]*("(?:[^"\\]|\\.)*")[ \t\r\n]*:')


class Places:
    """The lines, rows and cells of a source, as the beginnings and ends of parts of its text."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.text = parsed.content.decode("utf-8-sig", "surrogatepass")

    @cached_property
    def lines(self) -> list[Span]:
        """The lines, without their breaks."""
        breaks = [match.span() for match in _BREAK.finditer(self.text)]
        starts = [0, *(end for _, end in breaks)]
        return list(zip(starts, [*(start for start, _ in breaks), len(self.text)], strict=True))

    def line(self, number: int | None, column: int | None = None) -> Span:
        """Return a line from a column on, both counted from 1, without blanks around it."""
        start, end = self.lines[min(max(number or 1, 1), len(self.lines)) - 1]
        start = min(start + (column or 1) - 1, end)
        text = self.text[start:end]
        begin = start + len(text) - len(text.lstrip())
        return begin, max(begin, start + len(text.rstrip()))

    def row(self, table: DecisionTable, row: int) -> Span:
        """Return a row of a table; the first line if it is not known."""
        if self.parsed.format == "dmn":
            rules = self._rules[index_of(self.parsed, table)]
            return self._characters(rules[row]) if row < len(rules) else self.line(1)
        if self.parsed.format == "json":
            return self._entries[row] if row < len(self._entries) else self.line(1)
        number = table.provenance.lines[row] if table.provenance.lines else 1
        fields = self._fields.get(number)
        return (fields[0][0], fields[-1][1]) if fields else self.line(number)

    def line_of(self, span: Span) -> int:
        """Return the number of the line in which a part of the text begins, counted from 1."""
        return bisect_right(self.lines, span[0], key=lambda line: line[0])

    def cell(self, table: DecisionTable, row: int | None, column: str) -> Span | None:
        """Return a cell of a row, or of the header for None; None if it is not known."""
        index = index_of(self.parsed, table)
        if self._fields:
            draft = self.parsed.drafts[index]
            return self.field(draft.header if row is None else table.provenance.lines[row], column)
        if self.parsed.format != "dmn":
            return None
        node, inputs = self._nodes[index], self.parsed.drafts[index].inputs
        names = [*(each.name for each in inputs), *table.outputs]
        rules = self._rules[index]
        if column not in names or (row is not None and row >= len(rules)):
            return None
        parent, tags = (node, "") if row is None else (rules[row], "Entry")
        cells = [*parent.all(f"input{tags}"), *parent.all(f"output{tags}")]
        place = names.index(column)
        if place >= len(cells):
            return None
        return self._characters((cells[place].all("text") or [cells[place]])[0])

    def field(self, number: int | None, column: str) -> Span | None:
        """Return a field of a CSV file by its line and the name of its column, if it is known."""
        fields = self._fields.get(number or 0, [])
        for draft in self.parsed.drafts:
            place = getattr(draft, "places", {}).get(column) if fields else None
            if isinstance(place, int) and place < len(fields):
                return fields[place]
        return None

    # --- by format

    @cached_property
    def _fields(self) -> dict[int, list[Span]]:
        if self.parsed.format not in ("csv", "tsv"):
            return {}
        from irenic.formats.sheets.editing import fields_of

        delimiter = "\t" if self.parsed.format == "tsv" else ""
        return fields_of(self.parsed.content, delimiter)[2]

    @cached_property
    def _nodes(self) -> list[Element]:
        from irenic.formats.dmn.editing import tables_in

        return tables_in(self.parsed.content)

    @cached_property
    def _rules(self) -> list[list[Element]]:
        return [node.all("rule") for node in self._nodes]

    @cached_property
    def _starts(self) -> Ints:
        """The index of the first byte of each character."""
        mark = len(codecs.BOM_UTF8) if self.parsed.content.startswith(codecs.BOM_UTF8) else 0
        codes = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        widths = 1 + sum((codes > most).astype(np.int64) for most in (0x7F, 0x7FF, 0xFFFF))
        return np.concatenate([[mark], mark + np.cumsum(widths)])

    def _characters(self, element: Element) -> Span:
        inner = element.tag == "text" and not element.is_empty_tag
        span = (element.opened, element.closing) if inner else (element.start, element.end)
        start, end = np.searchsorted(self._starts, span).tolist()
        return start, end

    @cached_property
    def _entries(self) -> list[Span]:
        try:
            return list(_entries(self.text))
        except (FormatError, ValueError, RecursionError):
            return []


def _entries(text: str) -> Iterator[Span]:
    """Yield the places of the entries of "rules" in a JSON text."""
    decode = json.JSONDecoder().raw_decode
    at = _after(text, 0, "{")
    while (match := _KEY.match(text, at)) is not None:
        at = _after(text, match.end())
        if json.loads(match[1]) == "rules" and text.startswith("[", at):
            at = _after(text, at, "[")
            while not text.startswith("]", at):
                _, end = decode(text, at)
                yield at, end
                at = _after(text, end, ",")
            return
        at = _after(text, decode(text, at)[1], ",")


def _after(text: str, at: int, sign: str = "") -> int:
    """Return the place after blanks, a sign if it is there, and blanks."""
    match = _BLANKS.match(text, at)
    assert match is not None
    at = match.end()
    if sign and text.startswith(sign, at):
        return _after(text, at + len(sign))
    return at
