"""Cells and columns that only make sense, or none, next to the others of a table.

``DE and AT`` is two values if both occur alone in the column, ``-18`` is a bound beside ``19-65``,
and a column of prices before the last one may be an outcome.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from irenic.formats.feel.doubtful_cells import STRING, means_else, means_missing, means_other
from irenic.formats.feel.sets import literal_text
from irenic.formats.feel.unary_tests import Compare, comparisons, kind_of
from irenic.formats.sheets._sequences import LONGEST_WORDS, is_ordered
from irenic.formats.tables.drafts import Cell, Input, TableDraft
from irenic.model.literals import quote
from irenic.model.patterns import lazy


def compared(cell: Cell) -> Sequence[Compare]:
    """Return the comparisons of a cell."""
    return () if isinstance(cell.test, dict) else comparisons(cell.test)


def quoted(cells: Iterable[Cell]) -> set[str]:
    """Return the values that cells contain in quotes."""
    values: set[str] = set()
    for cell in cells:
        if '"' in cell.text:
            strings = set(STRING.findall(cell.text))
            values |= {text for text in _texts(cell) if quote(text) in strings}
    return values


# --- words

_TWO: Final = lazy(
    r"(?P<one>\S.*?)\s+(?P<word>and|und|u\.?|bzw\.?|sowie|et|y|o|e|&|\+)\s+(?P<other>\S.*)",
    re.IGNORECASE,
)
_SLASH: Final = lazy(r"(?P<one>\S.*?)\s*[/&+]\s*(?P<other>\S.*)")
_SPAN: Final = lazy(
    r"(?P<one>\S.*?)\s*(?:[-–—]|\s(?:to|bis|through)\s)\s*(?P<other>\S.*)", re.IGNORECASE
)
_COMPARED: Final = lazy(
    r"(?:under|below|before|over|above|after|at least|at most|from|up to|better than|worse than"
    r"|unter|über|ab|bis|mindestens|höchstens)\s+(\S.*)",
    re.IGNORECASE,
)
_ON: Final = lazy(r"(\S.*?)\s+and (?:above|better|higher|up|below|lower|worse)")
_PLUS: Final = lazy(r"(\S.*?\d)\s*\+")
_NUMBERED: Final = lazy(r"(\D*[^\W\d]\D*)\d{1,3}")
_CODE: Final = lazy(r"[A-Z]{2,3}")
_NOT_CODE: Final = lazy(r"(?:non|no|nicht|ohne|ex|w/o|without)[\s-]\s*([A-Z]{2,3})", re.I)


def check_words(draft: TableDraft, column: Input, cells: Sequence[Cell]) -> None:
    """Reject texts that combine other values of their column; warn if that is only likely."""
    values = {
        cell: cell.test.value
        for cell in cells
        if isinstance(cell.test, Compare) and isinstance(cell.test.value, str)
    }
    known = {text.casefold() for cell in cells for text in _texts(cell)}
    short = (text for text in known if len(text) <= LONGEST_WORDS)
    stems = {match[1] for text in short if (match := _NUMBERED.fullmatch(text))}

    def is_value(part: str) -> bool:
        plain = part.casefold()
        match = _NUMBERED.fullmatch(plain)  # SF 11 beside SF 10
        return plain in known or (match is not None and match[1] in stems)

    for cell, text in values.items():
        if (
            '"' in cell.text
            or len(text) > LONGEST_WORDS
            or (column.name, cell.text) in draft.respelled
        ):
            continue
        parts = _combined(text, is_value)
        code = _NOT_CODE.fullmatch(text)
        if code and _CODE.fullmatch(code[1]) and is_value(code[1]):
            draft.fail(
                f"{text!r} is ambiguous, because {code[1]!r} is a value of the column; write"
                f" not({code[1]}) for every other value, or {quote(text)} in quotes for the text",
                header=column.name, text=text, line=first_line(draft, column, cell), doubtful=True,
            )  # fmt: skip
        elif parts:
            message = (
                f"{text!r} is ambiguous, because {' and '.join(map(repr, parts))}"
                f" {'are values' if len(parts) > 1 else 'is a value'} of the column; write the"
                f" values that it means one by one, or {quote(text)} in quotes for the text"
            )
            draft.fail(
                message, header=column.name, text=text, line=first_line(draft, column, cell),
                doubtful=True,
            )  # fmt: skip
        elif listed := _likely(text, is_value):
            draft.warn(
                f"{text!r} is read as one text; write {listed}, or {quote(text)} in quotes to avoid"
                " this warning",
                header=column.name,
                text=text,
                line=first_line(draft, column, cell),
                doubtful=True,
            )


def _likely(text: str, is_value: Callable[[str], bool]) -> str:
    """Return how to write the values that a text may mean, "" if it is a text of its own."""
    if (two := _TWO.fullmatch(text)) and _are_values(two):
        return f"{two['one']}, {two['other']} for either value"
    words = text.split()
    if len(words) > 1 and all(map(is_value, words)):
        return f"{', '.join(words)} for either value"
    later = _PLUS.fullmatch(text)
    is_range = later is not None and is_value(later[1])
    return "the values one by one for a range" if is_range else ""


def _are_values(two: re.Match[str]) -> bool:
    """Return whether two parts of a text are likely values: codes, or words of other languages."""
    parts = two.group("one", "other")
    if all(map(_CODE.fullmatch, parts)):
        return True
    # names such as Trinidad y Tobago begin with capitals
    plain = all(part.islower() and part.isalpha() for part in parts)
    return plain and two["word"].rstrip(".") in ("y", "o", "et", "und", "u", "bzw")


def _texts(cell: Cell) -> list[str]:
    return [c.value for c in compared(cell) if isinstance(c.value, str)]


def _combined(text: str, is_value: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the values of the column that a text combines, () if it is a text of its own."""
    for pattern in (_TWO, _SLASH, _SPAN):
        if match := pattern.fullmatch(text):
            parts = match.group("one", "other")
            if all(map(is_value, parts)):
                return parts
    words = text.split()
    if len(words) > 1 and all(_CODE.fullmatch(word.upper()) and is_value(word) for word in words):
        return tuple(words)
    if (bound := _COMPARED.fullmatch(text)) and is_value(bound[1]):
        return (bound[1],)
    if (later := _ON.fullmatch(text)) and is_value(later[1]):
        return (later[1],)
    return ()


def first_line(draft: TableDraft, column: Input, cell: Cell) -> int | None:
    """Return the line of the first row with a cell."""
    place = draft.inputs.index(column)
    return next((row.line for row in draft.rows if row.cells[place].text == cell.text), None)


# --- typing mistakes

_FEWEST_LETTERS: Final = 4
_MOST_WORDS: Final = 500
"""Columns with more values are names, of which some are alike."""


def check_typos(draft: TableDraft, name: str, counts: Mapping[str, int], *, doubtful: bool) -> None:
    """Warn about a value that occurs once and is one typing mistake away from another.

    ``counts`` has the values without quotes, and how often they occur, in order of appearance.
    """
    if len(counts) > _MOST_WORDS:
        return
    places = {text: place for place, text in enumerate(counts) if len(text) <= LONGEST_WORDS}
    alike: dict[str, list[str]] = {}
    for text in places:
        for part in _without_one(text):
            alike.setdefault(part, []).append(text)
    rare = [text for text in places if counts[text] == 1 and sum(map(str.isalpha, text)) > 2]
    for text in rare:
        if is_ordered(text):
            continue
        others = {other for part in _without_one(text) for other in alike[part]}
        for other in sorted(others, key=places.__getitem__):
            times = counts[other]
            if times == 1 and places[other] > places[text]:
                continue
            if _is_mistyped(text, other, is_frequent=times > 1):
                draft.warn(
                    f"{text!r} occurs once and looks like {other!r}; did you mean that? Write"
                    f" {quote(text)} in quotes to avoid this warning",
                    header=name,
                    doubtful=doubtful,
                )
                break


def _without_one(text: str) -> set[str]:
    """Return a text without each of its characters; texts one mistake apart share one of them."""
    plain = text.casefold()
    return {plain, *(plain[:i] + plain[i + 1 :] for i in range(len(plain)))}


def _is_mistyped(text: str, other: str, *, is_frequent: bool = True) -> bool:
    """Return whether a text is another one with one typing mistake.

    Two swapped letters, and a digit in place of a letter, are never meant; a letter that is added,
    missing or replaced may be, in short words or if the other text is rare, too.

    >>> _is_mistyped("Hoem", "Home"), _is_mistyped("aut0", "auto"), _is_mistyped("nusre", "nurse")
    (True, True, True)
    >>> _is_mistyped("Zone 1", "Zone 2"), _is_mistyped("rate", "date"), _is_mistyped("Iran", "Iraq")
    (False, False, False)
    """
    a, b = text.casefold(), other.casefold()
    if abs(len(a) - len(b)) > 1:
        return False
    size = min(len(a), len(b))
    start = next((i for i in range(size) if a[i] != b[i]), size)
    end = next((i for i in range(size - start) if a[-1 - i] != b[-1 - i]), size - start)
    mine, theirs = a[start : len(a) - end], b[start : len(b) - end]
    letters = sum(map(str.isalpha, a))
    if not start or letters + 1 < _FEWEST_LETTERS or text.isupper() or a == b:
        return False
    if max(len(mine), len(theirs)) > 2:
        return False
    if len(mine) == 2 and mine == theirs[::-1]:
        return mine.isalpha()
    if len(mine) + len(theirs) > 2 or len(mine) != 1 != len(theirs):
        return False
    if len(mine) == len(theirs) == 1 and mine.isdigit() != theirs.isdigit():
        return mine + theirs in _CONFUSED or theirs + mine in _CONFUSED
    word = next((w for w in reversed(list(re.finditer(r"\w+", a))) if w.start() <= start), None)
    if word is None or len(word.group()) <= _FEWEST_LETTERS or not (mine + theirs).isalpha():
        return False
    return is_frequent


_CONFUSED: Final = frozenset({"0o", "1l", "1i", "5s", "8b"})


# --- numbers

_LIKE_A_RANGE: Final = lazy(r"\d[^-–—]*[-–—]\s*\d|\d\s*\+")


def check_negative(draft: TableDraft, column: Input, cells: Sequence[Cell]) -> None:
    """Reject ``-18`` beside ``19-65`` and ``66+``: it may be a range without a lower bound."""
    single = [(cell, cell.test.value) for cell in cells if type(cell.test) is Compare]
    alone = [
        (cell, value)
        for cell, value in single
        if type(value) in (int, float) and value < 0 and cell.text.lstrip()[:1] in ("-", "−")
    ]
    if len(alone) != 1:
        return
    numbers = [(cell, c) for cell in cells for c in compared(cell) if type(c.value) in (int, float)]
    others = [c.value for cell, c in numbers if cell.test != c or c.value >= 0]
    if not others or min(others) < 0:
        return
    if not any(_LIKE_A_RANGE.search(cell.text) for cell in cells):
        return
    cell, value = alone[0]
    number = literal_text(value, words=True)
    bound = number.lstrip("-")
    draft.fail(
        f"{cell.text.strip()!r} is ambiguous beside ranges; write <= {bound} for at most {bound},"
        f" or = {number} for the negative number",
        header=column.name,
        text=cell.text,
        line=first_line(draft, column, cell),
        doubtful=True,
    )


_SIGNED_UNITS: Final = frozenset({"°C", "°F", "%", "K", "V", "kV", "MV", "mA", "A"})


def is_never_negative(tests: Sequence[Compare], unit: str = "") -> bool:
    """Return whether the cells of a column show that its values begin with 0.

    That is so if the first bound is 0, and includes it.
    """
    values = [test.value for test in tests if test.value is not None]
    if len(values) < 2 or not all(type(value) in (int, float) for value in values):
        return False
    at_zero = {test.order for test in tests if test.value == 0}
    if min(values) != 0 or not at_zero & {">=", "="} or not at_zero <= {">=", ">", "="}:
        return False
    return unit not in _SIGNED_UNITS and (unit != "" or all(type(v) is int for v in values))


# --- cells of another kind than the others

_SERIAL: Final = range(20_000, 80_000)
_EPOCH: Final = dt.date(1899, 12, 30)


def advise(draft: TableDraft, column: Input, cells: Sequence[Cell]) -> None:
    """Keep, for cells whose kind differs from that of others, what may be meant."""
    values = [(cell, c.value) for cell in cells for c in compared(cell)]
    examples = {type(value): value for _, value in values if value is not None}
    kinds = set(map(kind_of, examples.values()))
    if len(kinds) < 2:
        return
    for cell, value in values:
        if advice := _advice(value, kinds):
            draft.advice[column.name, cell.text] = advice


def _advice(value: Any, kinds: set[str]) -> str:
    if isinstance(value, str):
        if means_missing(value):
            return "write null for a missing value"
        if means_other(value) or means_else(value):
            return (
                "write DEFAULT in the first column of a row without conditions for all other cases"
            )
        is_any = re.match(r"(?:all|any|every)\b", value, re.IGNORECASE)
        return "write - for any value" if is_any else ""
    if isinstance(value, dt.date) and kinds & {"number"}:
        return (
            f"a spreadsheet may have turned {value.month}-{value.day} or {value.day}-{value.month}"
            " into this date; format the cell as text and write the range again"
        )
    if type(value) is int and value in _SERIAL and kinds & {"date", "datetime"}:
        day = _EPOCH + dt.timedelta(days=value)
        return f"format the cell as a date if it is {day.isoformat()}"
    return ""


# --- empty cells

_FEWEST_GROUPS: Final = 2


_MARK: Final = lazy(r"[xX✓✔☑✗✘•●]")


def check_blanks(draft: TableDraft, place: int) -> None:
    """Warn about a column of marks, or one in which only the first row of a group has a value."""
    texts = [row.cells[place].text for row in draft.rows]
    filled = [text for text in texts if text.strip()]
    if filled and all(_MARK.fullmatch(text.strip()) for text in filled):
        mark = filled[0].strip()
        draft.warn(
            f"empty cells are read as any value; write not({mark}) in them if they mean that there"
            f" is no {mark}, or - to avoid this warning",
            header=draft.inputs[place].name,
            line=next(row.line for row in draft.rows if not row.cells[place].text.strip()),
            doubtful=True,
        )
        return
    groups = sum(bool(a.strip()) and not b.strip() for a, b in pairwise(texts))
    if groups < _FEWEST_GROUPS or not texts[0].strip() or len(filled) != len(set(filled)):
        return
    # a group repeats the other conditions of the group above it
    others = [tuple(c.text for i, c in enumerate(row.cells) if i != place) for row in draft.rows]
    if len(draft.inputs) < 2 or len(set(others)) == len(others):
        return
    line = next(row.line for row in draft.rows if not row.cells[place].text.strip())
    draft.warn(
        "empty cells are read as any value; if they mean the value above, repeat it in every row",
        header=draft.inputs[place].name,
        line=line,
        doubtful=True,
    )
