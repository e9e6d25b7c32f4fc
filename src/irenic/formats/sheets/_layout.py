"""Where the table is in a sheet: the chosen part of it, its title, its header and its rows."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from irenic.errors import FormatError, did_you_mean
from irenic.formats.sheets._grid import SheetLine
from irenic.formats.sheets._spellings import is_condition
from irenic.formats.tables.drafts import POLICIES
from irenic.model.decision_table import HitPolicy
from irenic.model.patterns import lazy

NOTE: Final = "IRENIC NOTE"
"""The column in which edits explain changed rows; it is never read."""
WEIGHT: Final = "RULE WEIGHT"
"""The name of a column of the weights of rules."""
DEFAULT: Final = "DEFAULT"
"""The first cell of the row that decides all other cases."""
_RANGE: Final = lazy(r"\$?([A-Za-z]{1,3})\$?(\d{1,7}):\$?([A-Za-z]{1,3})\$?(\d{1,7})")
_NAME: Final = lazy(r"[^\W\d]|[#№]")
_WORD: Final = lazy(r"[^\W\d_][^<>=≤≥≠\[\]\d]*")


class Layout(NamedTuple):
    """The parts of a sheet that the caller chose."""

    cells: str = ""
    """A range such as A3:D20."""
    header_row: int | None = None
    cross: str = ""
    """The name of the condition that the header of a cross table contains."""


class Arranged(NamedTuple):
    """The lines of a table, header first."""

    lines: list[SheetLine]
    first: int
    """The first column, counted from 0."""
    notes: list[str]
    """What was left out."""
    policy: tuple[HitPolicy, str] | None = None
    """The hit policy that a line above the table names, and its aggregation."""


def arranged(lines: list[SheetLine], layout: Layout) -> Arranged:
    """Return the table in the lines of a sheet."""
    start = 0
    all_lines = lines
    if layout.cells:
        lines, start = _within(lines, layout.cells)
    if layout.header_row is not None:
        lines = _below(lines, layout.header_row)
    notes: list[str] = []
    if layout.header_row is None:
        lines = _without_titles(lines, notes)
    above = [line for line in all_lines if lines and line.number < lines[0].number]
    policies = {line.number: policy for line in above if (policy := _policy(line))}
    for number, names in policies.items():
        notes.append(f"line {number} sets the hit policy {' '.join(filter(None, names))}")
    margin = min((_first(line) for line in lines), default=0)
    lines = [SheetLine(line.number, line.cells[margin:]) for line in lines] if margin else lines
    if lines:
        lines = _without_footnotes(_without_headers(lines, notes), notes)
        if not layout.cells:
            _check_one_table(lines, start + margin)
    return Arranged(lines, start + margin, notes, next(reversed(policies.values()), None))


def header_name(text: str) -> str:
    """Return the name of a column in the header, in one line."""
    return re.sub(r"\s*[\n\r]\s*", " ", text.strip())


def letters(place: int) -> str:
    """Return the letters of a column, counted from 0."""
    text = ""
    place += 1
    while place:
        place, digit = divmod(place - 1, 26)
        text = chr(ord("A") + digit) + text
    return text


def place_of(text: str) -> int:
    """Return the place of a column, counted from 0: the inverse of :func:`letters`."""
    place = 0
    for letter in text.upper():
        place = 26 * place + ord(letter) - ord("A") + 1
    return place - 1


def _within(lines: list[SheetLine], cells: str) -> tuple[list[SheetLine], int]:
    match = _RANGE.fullmatch(cells.strip())
    if match is None:
        raise FormatError(f"cells (--range) must be a range such as A3:D20, got {cells!r}")
    left, right = sorted((place_of(match[1]), place_of(match[3])))
    top, bottom = sorted((int(match[2]), int(match[4])))
    cut = [
        SheetLine(line.number, line.cells[left : right + 1])
        for line in lines
        if top <= line.number <= bottom
    ]
    cut = [line for line in cut if any(cell is not None for cell in line.cells)]
    if not cut:
        raise FormatError(f"the range {cells} is empty")
    return cut, left


def _below(lines: list[SheetLine], header_row: int) -> list[SheetLine]:
    rest = [line for line in lines if line.number >= header_row]
    if not rest or rest[0].number != header_row:
        raise FormatError(f"row {header_row} (header_row, --header-row) is empty")
    return rest


def _first(line: SheetLine) -> int:
    return next(i for i, cell in enumerate(line.cells) if cell is not None)


def _size(line: SheetLine) -> int:
    return sum(cell is not None for cell in line.cells)


def _plain(line: SheetLine) -> list[str]:
    cells = ["" if cell is None else str(cell).strip().casefold() for cell in line.cells]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _without_titles(lines: list[SheetLine], notes: list[str]) -> list[SheetLine]:
    """Return lines from the header on, without single cells and comments above it."""
    place = next((i for i, line in enumerate(lines) if _size(line) > 1 and not _policy(line)), 0)
    place += _n_comments(lines[place:])
    if not 0 < place < len(lines) - 1 or not _names_columns(lines[place]):
        return lines
    numbers = [str(line.number) for line in lines[:place] if not _policy(line)]
    if len(numbers) == 1:
        notes.append(f"line {numbers[0]} is a title and is skipped")
    elif numbers:
        notes.append(f"lines {', '.join(numbers)} are titles and are skipped")
    return lines[place:]


_COMMENT: Final = lazy(r"\s*#+\s*[^\W\d_]")
"""How a comment above a table begins, and the name of a column such as ``# items``."""


def _n_comments(lines: list[SheetLine]) -> int:
    """Return the number of comments with commas above a header."""
    n = next((i for i, line in enumerate(lines) if not _begins_comment(line)), 0)
    header, *rows = lines[n:] or [SheetLine(0, [])]
    if _size(header) < 2 or not _names_columns(header) or all(map(_names_columns, rows)):
        return 0
    return n if _are_sentences(lines[:n], header) else 0


def _begins_comment(line: SheetLine) -> bool:
    return isinstance(line.cells[0], str) and _COMMENT.match(line.cells[0]) is not None


def _are_sentences(lines: list[SheetLine], header: SheetLine) -> bool:
    """Return whether lines have spaces after commas, and digits or another size than the header."""
    texts = [[str(cell) for cell in line.cells] for line in lines]
    if not all(text[0].isspace() for each in texts for text in each[1:]):
        return False
    return any(
        len(each) != len(header.cells) or any(map(str.isdigit, "".join(each))) for each in texts
    )


_POLICY: Final = lazy(r"\bhit[\s_-]*policy\b(?P<sign>\s*[:=])?(?P<rest>.*)", re.I | re.DOTALL)


def _policy(line: SheetLine) -> tuple[HitPolicy, str] | None:
    """Return the hit policy that a line above a table names; raise an error for an unknown one."""
    cells = [str(cell).strip() for cell in line.cells if cell is not None]
    match = _POLICY.search(cells[0])
    if match is None or len(cells) > 2:
        return None
    text = " ".join([match["rest"], *cells[1:]]).strip(" \t:=().,;").upper()
    word, *others = re.split(
        r"[\s()]+", text.replace("RULE ORDER", "R").replace("OUTPUT ORDER", "O")
    )
    policy = POLICIES.get(word) or next((p for p in POLICIES.values() if p == (word, "")), None)
    if policy is None and (match["sign"] or len(cells) > 1):
        names = list(dict.fromkeys(name for name, _ in POLICIES.values()))
        raise FormatError(
            f"unknown hit policy {text!r}{did_you_mean(text, names)}", line=line.number
        )
    if policy == ("COLLECT", "") and ("COLLECT", others[-1] if others else "") in POLICIES.values():
        policy = ("COLLECT", others[-1] if others else "")
    return policy


def _names_columns(line: SheetLine) -> bool:
    """Return whether no cell is a number or a condition."""
    cells = [cell for cell in line.cells if cell is not None]
    return all(isinstance(cell, str) and _NAME.match(cell.strip()) for cell in cells)


def _without_headers(lines: list[SheetLine], notes: list[str]) -> list[SheetLine]:
    """Return lines without repetitions of the header, as after a page break."""
    header = _plain(lines[0])
    if header[-1:] == [NOTE.casefold()]:  # only the first header has it
        header.pop()
    if len(header) < 2:
        return lines
    repeated = {line.number: None for line in lines[1:] if _plain(line) == header}
    if repeated:
        numbers = ", ".join(map(str, repeated))
        plural = "s" if len(repeated) > 1 else ""
        notes.append(f"line{plural} {numbers} repeat{'' if plural else 's'} the header")
    return [line for line in lines if line is lines[0] or line.number not in repeated]


_FOOTNOTE: Final = lazy(
    r"[*†‡¹²³]+\s*\w.*|\(?\d{1,2}\)\s+[^\W\d].*"
    r"|(?:source|note|notes|stand|quelle|hinweis|as of|nota|fuente|remarque)\W.*",
    re.IGNORECASE | re.DOTALL,
)
_SENTENCE: Final = lazy(r"[^\W\d]\S*(?:\s+\S+){2,}", re.DOTALL)


def _without_footnotes(lines: list[SheetLine], notes: list[str]) -> list[SheetLine]:
    """Return lines without the texts below a table, which fill only the first cell of a line."""
    kept = list(lines)
    while len(kept) > 2 and _size(kept[0]) > 1 and _is_footnote(kept[-1], kept[-2]):
        kept.pop()
    numbers = [str(line.number) for line in lines[len(kept) :]]
    if len(numbers) == 1:
        notes.append(f"line {numbers[0]} is a footnote and is skipped")
    elif numbers:
        notes.append(f"lines {', '.join(numbers)} are footnotes and are skipped")
    return kept


def _is_footnote(line: SheetLine, above: SheetLine) -> bool:
    """Return whether a line is marked as a note, or is a sentence after an empty line."""
    text = line.cells[0]
    # merged cells contain the same text
    if not isinstance(text, str) or any(cell not in (None, text) for cell in line.cells):
        return False
    if _FOOTNOTE.fullmatch(text.strip()):
        return True
    is_apart = line.number > end_of(above) + 1
    is_sentence = _SENTENCE.fullmatch(text.strip()) is not None
    return is_apart and is_sentence and not is_condition(text)


def has_two_headers(lines: list[SheetLine]) -> bool:
    """Return whether the first line lacks names that the second one has."""
    if len(lines) < 3 or not _names_columns(lines[1]) or _size(lines[1]) < 2:
        return False
    return any(not _has(lines[0], place) for place in range(len(lines[1].cells)))


def _check_one_table(lines: list[SheetLine], first: int) -> None:
    """Raise an error that names the ranges, if a sheet contains two tables."""
    width = max(len(line.cells) for line in lines)
    filled = [any(_has(line, place) for line in lines) for place in range(width)]
    while not filled[-1]:
        filled.pop()
    gap = filled.index(False) if False in filled else 0
    after = filled.index(True, gap)
    if gap and _has(lines[0], after):
        parts = [
            f"{letters(first + left)}{lines[0].number}:{letters(first + right - 1)}{bottom}"
            for left, right in ((0, gap), (after, width))
            if (bottom := _bottom(lines, left, right))
        ]
        raise _two_tables(*parts)
    for place in range(2, len(lines)):
        above, line = lines[place - 1], lines[place]
        if line.number == above.number + 1 or place + 1 == len(lines):
            continue
        if line.number <= end_of(above) + 1:
            continue
        header = line if _size(line) > 1 else lines[place + 1]
        if _is_header(header, lines[1:place]) and header is not lines[-1]:
            right = letters(first + width - 1)
            raise _two_tables(
                f"{letters(first)}{lines[0].number}:{right}{_bottom(lines[:place], 0, width)}",
                f"{letters(first)}{line.number}:{right}{end_of(lines[-1])}",
            )


def _bottom(lines: list[SheetLine], left: int, right: int) -> int:
    """Return the last line of a table in some columns, above its footnotes."""
    cut = [SheetLine(line.number, line.cells[left:right]) for line in lines]
    return end_of(_without_footnotes([line for line in cut if _size(line)], [])[-1])


def end_of(line: SheetLine) -> int:
    """Return the last line of a row; in CSV files, cells may contain line breaks."""
    breaks = [cell.count("\n") for cell in line.cells if isinstance(cell, str)]
    return line.number + max(breaks, default=0)


def _is_header(line: SheetLine, rows: list[SheetLine]) -> bool:
    """Return whether a line has words where the rows above have conditions or numbers."""
    if _size(line) < 2 or not all(cell is None or _is_word(cell) for cell in line.cells):
        return False
    return any(
        not all(_is_word(row.cells[i]) for row in rows if _has(row, i))
        for i in range(len(line.cells))
        if _has(line, i)
    )


def _has(line: SheetLine, place: int) -> bool:
    return place < len(line.cells) and line.cells[place] is not None


def _is_word(cell: Any) -> bool:
    return isinstance(cell, str) and _WORD.fullmatch(cell.strip()) is not None


def _two_tables(one: str, other: str) -> FormatError:
    return FormatError(
        f"the sheet contains two tables, in {one} and {other}; choose one with cells={one!r}"
        f" (--range {one})"
    )
