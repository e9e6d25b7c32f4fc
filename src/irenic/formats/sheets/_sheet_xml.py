"""The XML of a sheet in a workbook, and the ranges in it that grow with added rows."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from irenic.errors import FormatError
from irenic.formats.feel.sets import literal_text
from irenic.formats.sheets._grid import Percentage, as_shown
from irenic.formats.sheets._layout import NOTE, letters, place_of
from irenic.formats.sheets._new_cells import NewCells, Sheet
from irenic.formats.spans import Element, Patch, elements, encoded, escaped, patched
from irenic.model.patterns import lazy


class Grown(NamedTuple):
    """Grows ranges that end at the last row, because rows are added below it."""

    last: int
    n_added: int
    columns: range
    n_rows: int
    moves: bool = False
    """Whether the rows below move down, because they contain footnotes."""

    def reference(self, reference: str) -> str:
        """Return a range that ends at the last row with the new rows, others as they are."""
        corners = _range(reference)
        if corners is None:
            return reference
        top, left, bottom, right = corners
        if bottom > self.last:
            return _ROW.sub(self.row, reference) if self.moves else reference
        # one cell of several in a column is special in itself
        special = top == bottom and self.n_rows > 1
        if bottom != self.last or special or right < self.columns[0] or left > self.columns[-1]:
            return reference
        first, _, corner = reference.rpartition(":")
        return f"{first or corner}:{corner.removesuffix(str(bottom))}{bottom + self.n_added}"

    def row(self, match: re.Match[str]) -> str:
        """Return the number of a row, which is larger if the row moves."""
        number = int(match.group())
        return str(number + self.n_added if number > self.last else number)

    def refers(self, raw: bytes, formulas: Iterable[Element], sheet: str = "") -> bool:
        """Return whether one of some formulas refers to a row of a sheet that moves."""
        texts = [raw[f.opened : f.closing].decode("utf-8") for f in formulas]
        return any(
            int(match[2]) > self.last
            for text in texts
            if escaped(sheet) in text
            for match in _CELL_NAME.finditer(text)
        )

    def references(self, references: str) -> str:
        """Return ranges that are separated by blanks."""
        return " ".join(map(self.reference, references.split(" ")))

    def sheet_patches(self, raw: bytes, found: list[Element]) -> Iterator[Patch]:
        """Yield patches of the filter, the validations and the conditional formats of a sheet."""
        for element in found:
            for name in ("ref", "sqref"):
                yield from self.attribute(raw, element, name)
            for child in element.children:  # of newer versions of Excel
                if child.tag == "sqref":
                    text = raw[child.opened : child.closing].decode("utf-8")
                    yield Patch(child.opened, child.closing, self.references(text).encode("utf-8"))

    def table_patches(self, raw: bytes) -> Iterator[Patch]:
        """Yield patches of a table of Excel, unless its last row contains totals."""
        (table,) = elements(raw, lambda tag, _: tag == "table")
        if table.attributes.get("totalsRowCount", "0") == "0":
            for element in (table, *table.all("autoFilter")):
                yield from self.attribute(raw, element, "ref")

    def name_patches(self, raw: bytes, sheet: int) -> Iterator[Patch]:
        """Yield patches of the names of the filter and the print area of a sheet."""
        for name in elements(raw, lambda tag, _: tag == "definedName"):
            is_of_sheet = name.attributes.get("localSheetId") == str(sheet)
            if is_of_sheet and name.attributes["name"] in _NAMED_RANGES:
                title, sign, reference = (
                    raw[name.opened : name.closing].decode("utf-8").rpartition("!")
                )
                new = f"{title}{sign}{self.reference(reference)}"
                yield Patch(name.opened, name.closing, new.encode("utf-8"))

    def attribute(self, raw: bytes, element: Element, name: str) -> Iterator[Patch]:
        """Yield the patch of an attribute that contains ranges."""
        old = element.attributes.get(name, "")
        new = self.references(old)
        if new != old:
            tag = raw[element.start : element.opened]
            pattern = rf"""(\s{name}\s*=\s*["']){re.escape(old)}(?=["'])""".encode()
            value = re.sub(pattern, lambda match: match.group(1) + new.encode(), tag, count=1)
            yield Patch(element.start, element.opened, value)


_NAMED_RANGES: Final = ("_xlnm._FilterDatabase", "_xlnm.Print_Area")
_GROWING: Final = ("autoFilter", "dataValidation", "conditionalFormatting")


class SheetXml:
    """The XML of a sheet."""

    def __init__(
        self,
        raw: bytes,
        sheet: Sheet,
        lines: list[NewCells],
        epoch: dt.datetime,
        codes: Sequence[str],
    ) -> None:
        self.raw, self.sheet, self.epoch = raw, sheet, epoch
        self.codes = codes
        """The number formats of the styles of cells."""
        needed = {0, sheet.header, *(line.like for line in lines)}

        def wanted(tag: str, attributes: dict[str, str]) -> bool:
            if tag == "row":
                number = int(attributes.get("r", 0))
                return number in needed or number >= sheet.last
            return tag in ("mergeCell", "dimension", "hyperlink", "f", *_GROWING)

        found = elements(raw, wanted)
        self.placed = [e for e in found if e.tag in ("mergeCell", "hyperlink")]
        merged = [e for e in self.placed if e.tag == "mergeCell"]
        self.merges = [_range(e.attributes.get("ref", "")) for e in merged]
        self.formulas = [
            f
            for e in found
            for f in ([e] if e.tag == "f" else [f for c in e.all("c") for f in c.all("f")])
        ]
        self.rows = {int(e.attributes.get("r", 0)): e for e in found if e.tag == "row"}
        self.dimension = next((e for e in found if e.tag == "dimension"), None)
        self.growing = [e for e in found if e.tag in _GROWING]
        if 0 in self.rows:
            raise FormatError("the rows of the sheet are not numbered")

    def edited(self, changed: list[NewCells], added: list[NewCells], grown: Grown) -> bytes:
        sheet = self.sheet
        patches: list[Patch] = []
        noted = any(sheet.note in line.cells for line in changed + added)
        if noted and not sheet.has_note:
            header = NewCells({sheet.note: NOTE}, sheet.header, sheet.header)
            changed = [header, *changed]
        for line in changed:
            assert line.at is not None
            patches += self.cells(line.at, line.cells)
        if grown.moves:
            patches += self.moved(grown)
            self.merges = [merge for merge in self.merges if merge and merge[0] <= grown.last]
            self.rows = {n: row for n, row in self.rows.items() if n <= grown.last}
        for number, line in enumerate(added, grown.last + 1):
            if number in self.rows:  # an empty row that has a format
                row = self.rows[number]
                patches.append(Patch(row.start, row.end, self.row(number, line)))
            else:
                at = self.rows[max(n for n in self.rows if n < number)].end
                patches.append(Patch(at, at, self.row(number, line)))
        if added:
            patches += grown.sheet_patches(self.raw, self.growing)
        if self.dimension is not None and (found := _range(self.dimension.attributes["ref"])):
            top, left, bottom, right = found
            bottom = max(bottom + len(added) * grown.moves, grown.last + len(added))
            corner = f"{letters(max(right, sheet.note) if noted else right)}{bottom}"
            new = f'<{self.dimension.name("dimension")} ref="{letters(left)}{top}:{corner}"/>'
            patches.append(Patch(self.dimension.start, self.dimension.end, new.encode()))
        return patched(self.raw, patches)

    def moved(self, grown: Grown) -> Iterator[Patch]:
        """Yield the patches that move the rows below the table down."""
        if grown.refers(self.raw, self.formulas):
            raise FormatError("a formula refers to rows below the table, which would move")
        for number, row in self.rows.items():
            if number > grown.last:
                if any(cell.all("f") for cell in row.all("c")):
                    raise FormatError(f"row {number} below the table contains a formula")
                tag = _ROW_NUMBER.sub(
                    b'\\1"%d"' % (number + grown.n_added), self.raw[row.start : row.opened], count=1
                )
                yield Patch(row.start, row.opened, tag)
                for cell in row.all("c"):
                    yield from grown.attribute(self.raw, cell, "r")
        yield from grown.sheet_patches(self.raw, self.placed)

    def cells(self, number: int, values: Mapping[int, Any]) -> Iterator[Patch]:
        """Yield the patches that set cells of a row."""
        row = self.rows[number]
        old = {_place(c.attributes.get("r", "")): c for c in row.all("c")}
        if -1 in old:
            raise FormatError("the cells of the sheet are not numbered")
        if "spans" in row.attributes:  # optional, and would no longer be true
            tag = _SPANS.sub(b"", self.raw[row.start : row.opened])
            yield Patch(row.start, row.opened, tag)
        for place, value in sorted(values.items()):
            name = f"{letters(place)}{number}"
            cell = old.get(place)
            if cell is None and value is None:
                continue
            self.check(cell, name, number, place)
            new = encoded(self.cell(row, name, cell, value), self.raw)
            if cell is not None:
                yield Patch(cell.start, cell.end, new)
                continue
            after = [c.end for p, c in old.items() if p < place]
            at = max(after, default=row.opened)
            if row.is_empty_tag:
                raise FormatError(f"row {number} of the sheet is empty")
            yield Patch(at, at, new)

    def check(self, cell: Element | None, name: str, number: int, place: int) -> None:
        if cell is not None and cell.all("f"):
            raise FormatError(f"cell {name} is a formula, which would be lost")
        for top, left, bottom, right in filter(None, self.merges):
            if top <= number <= bottom and left <= place <= right:
                raise FormatError(f"cell {name} is part of merged cells")

    def cell(self, row: Element, name: str, old: Element | None, value: Any) -> str:
        style = "" if old is None else old.attributes.get("s", "")
        tag = row.name("c")
        head = f'<{tag} r="{name}"' + (f' s="{style}"' if style else "")
        if value is None:
            return f"{head}/>"
        if type(value) in (int, float):
            value = self.storable(value, style)
        if isinstance(value, bool):
            return f'{head} t="b"><{row.name("v")}>{value:d}</{row.name("v")}></{tag}>'
        if isinstance(value, dt.date):
            from openpyxl.utils.datetime import to_excel

            value = to_excel(value, self.epoch)
        if isinstance(value, int | float):
            return f"{head}><{row.name('v')}>{value!r}</{row.name('v')}></{tag}>"
        text = f'<{row.name("t")} xml:space="preserve">{escaped(value)}</{row.name("t")}>'
        return f'{head} t="inlineStr"><{row.name("is")}>{text}</{row.name("is")}></{tag}>'

    def storable(self, value: int | float, style: str) -> Any:
        """Return a number, or its text if the style of the cell would show something else."""
        code = self.codes[int(style)] if style.isdecimal() and int(style) < len(self.codes) else ""
        if as_shown(value, code) == value:
            return value
        text = str(Percentage(value)) if code.endswith("%") else literal_text(value, words=True)
        return text.replace(".", ",") if self.sheet.decimal == "," else text

    def row(self, number: int, line: NewCells) -> bytes:
        """Return a new row; cells that the line does not set are copied from the one it is like."""
        like, within = self.rows[line.like], range(self.sheet.first, self.sheet.end)
        old = {_place(c.attributes.get("r", "")): c for c in like.all("c")}
        empty = self.rows.get(number)
        beside = [] if empty is None else empty.all("c")
        parts = {_place(c.attributes["r"]): self.raw[c.start : c.end] for c in beside}
        for place in sorted({*line.cells, *(p for p in old if p in within)}):
            name, cell = f"{letters(place)}{number}", old.get(place)
            self.check(None, name, number, place)
            if place not in line.cells and cell is not None:
                if cell.all("f"):
                    raise FormatError(f"a copy of row {line.like} would need a formula")
                raw = self.raw[cell.start : cell.end]
                pattern = rf"\br=([\"']){re.escape(cell.attributes['r'])}\1".encode()
                parts[place] = re.sub(pattern, f'r="{name}"'.encode(), raw, count=1)
            elif place in line.cells and (cell is not None or line.cells[place] is not None):
                style = cell if place != self.sheet.note else None
                text = self.cell(like, name, style, line.cells[place])
                parts[place] = encoded(text, self.raw)
        cells = b"".join(parts[place] for place in sorted(parts))
        return self.opening(like, number) + cells + f"</{like.name('row')}>".encode()

    def opening(self, like: Element, number: int) -> bytes:
        """Return the opening tag of a row with the height and style of another."""
        tag = _ROW_ATTRIBUTES.sub(b"", self.raw[like.start : like.opened])
        name = like.name("row").encode()
        return tag.replace(b"<" + name, b'<%s r="%d"' % (name, number), 1)


_ROW_ATTRIBUTES: Final = lazy(rb"""\s(?:r|spans|hidden|collapsed)=(?:"[^"]*"|'[^']*')""")
_ROW_NUMBER: Final = lazy(rb"""(\sr=)(?:"\d+"|'\d+')""")
_ROW: Final = lazy(r"\d+")
_SPANS: Final = lazy(rb"""\sspans=(?:"[^"]*"|'[^']*')""")
_CELL_NAME: Final = lazy(r"\$?([A-Z]{1,3})\$?(\d{1,7})")


def _place(name: str) -> int:
    """Return the column of a cell such as ``B5``, counted from 0; -1 if it has no name."""
    match = _CELL_NAME.fullmatch(name)
    return -1 if match is None else place_of(match.group(1))


def _range(reference: str) -> tuple[int, int, int, int] | None:
    """Return the top, left, bottom and right of a range; None if it is not one."""
    corners = [_CELL_NAME.fullmatch(part) for part in reference.split(":")]
    if not 1 <= len(corners) <= 2 or None in corners:
        return None
    first, last = corners[0], corners[-1]
    assert first is not None
    assert last is not None
    return int(first[2]), _place(first[0]), int(last[2]), _place(last[0])
