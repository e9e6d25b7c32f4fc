"""Ambiguous columns of spreadsheets.

Every column is a condition by default. Row numbers, two columns of bounds, or one value in two
spellings would then make a table look consistent. Such a column causes an error or a warning,
unless it is a feature of the given space. Ambiguous cells are found in
:mod:`irenic.formats.feel.doubtful_cells`.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

from irenic.errors import FormatError
from irenic.formats.feel.doubtful_cells import MIXED_PERCENTAGES, refusal
from irenic.formats.feel.sets import literal_text
from irenic.formats.feel.unary_tests import (
    ANYTHING,
    AnyOf,
    Compare,
    Not,
    comparisons,
)
from irenic.formats.sheets._doubtful_words import (
    advise,
    check_blanks,
    check_negative,
    check_typos,
    check_words,
    compared,
    first_line,
    is_never_negative,
    quoted,
)
from irenic.formats.sheets._sequences import days_meant, whole_list
from irenic.formats.sheets._spellings import same_money, units_of
from irenic.formats.sheets._steps import settle_pair, settle_steps
from irenic.formats.tables.drafts import Cell, Input, TableDraft, distinct
from irenic.model.patterns import lazy

NOTHING_ASKED: Final = object()
"""Stands for the value of a cell that accepts anything."""


def is_words(cell: Cell) -> bool:
    """Return whether a cell contains text without quotes, and no other values."""
    found = compared(cell)
    return '"' not in cell.text and any(isinstance(c.value, str) for c in found)


def check_columns(draft: TableDraft) -> None:
    """Add errors and warnings about ambiguous cells of columns to the draft of a spreadsheet."""
    spelled = {name for name, _ in draft.respelled}
    for place, column in enumerate(draft.inputs):
        if column.name in spelled:
            settle_steps(draft, place)
    cells = draft.columns()
    different = [distinct(column) for column in cells]
    has_texts = []
    for place, (feature, known) in enumerate(zip(draft.inputs, different, strict=True)):
        excluded = distinct([row.cells[place] for row in draft.impossible_rows])
        _settle_kind(draft, feature, list((known | excluded).values()))
        kinds = {type(c.value) for cell in known.values() for c in compared(cell)}
        has_texts.append(str in kinds)
        if kinds - {int, float, type(None)}:
            advise(draft, feature, list(known.values()))
    _settle_pairs(draft)
    for place, column in enumerate(draft.inputs):
        found = list(different[place].values())
        if any(not cell.text for cell in found) and not column.bound:
            check_blanks(draft, place)
        if has_texts[place]:
            check_words(draft, column, found)
        check_negative(draft, column, found)
        if has_texts[place] and not column.aliases:
            literals = [c.value for cell in found for c in compared(cell)]
            _check_alike(draft, column.name, literals, doubtful=True)
            check_typos(draft, column.name, _words_in(cells[place]), doubtful=True)
    for place, name in enumerate(draft.outputs):
        thens = [row.then for row in draft.rows]
        if len(draft.outputs) > 1:
            thens = [then[place] for then in thens if isinstance(then, tuple)]
        _check_alike(draft, name, thens)
        words = {
            text: times for (header, text), (times, _) in draft.thens.items() if header == name
        }
        check_typos(draft, name, {t: n for t, n in words.items() if t in thens}, doubtful=False)


def _settle_pairs(draft: TableDraft) -> None:
    """Check and extend the ranges whose bounds are in two columns."""
    bounds = {column.bound: place for place, column in enumerate(draft.inputs) if column.bound}
    for (name, order), low in bounds.items():
        highs = [place for (of, sign), place in bounds.items() if of == name and sign[0] == "<"]
        if order[0] != ">" or not highs:
            continue
        (high, *_), column = highs, draft.inputs[low]
        lows, ends = ([bare_value(row.cells[at]) for row in draft.rows] for at in (low, high))
        tests = [Compare(order, v) for v in lows if v not in (None, NOTHING_ASKED)]
        has_all = not {None, NOTHING_ASKED} & set(lows)
        if has_all and not column.source and is_never_negative(tests, column.unit):
            _begin_with_zero(draft, column, name)
        _check_midnight(draft, low, lows, ends)
        if (order, draft.inputs[high].bound) == (">=", (name, "<=")):
            settle_pair(draft, name, low, high)


def _words_in(cells: Sequence[Cell]) -> dict[str, int]:
    """Return how often each text without quotes occurs in the cells of a column."""
    counts: dict[str, int] = {}
    times = Counter(map(id, cells))
    for key, cell in distinct(cells).items():
        in_quotes = quoted([cell])
        for value in {c.value: None for c in compared(cell) if isinstance(c.value, str)}:
            if value not in in_quotes:
                counts[value] = counts.get(value, 0) + times[key]
    return counts


_ANSWERS: Final = (
    ("yes", "no"), ("y", "n"), ("ja", "nein"), ("ja", "nee"), ("j", "n"), ("oui", "non"),
    ("sí", "no"), ("si", "no"), ("sì", "no"), ("sim", "não"), ("tak", "nie"), ("true", "false"),
)  # fmt: skip


def _settle_kind(draft: TableDraft, column: Input, cells: Sequence[Cell]) -> None:
    """Set what all cells of a column show: whole numbers, yes and no, amounts of money."""
    _settle_days(draft, column, cells)
    units = {u for cell in cells if is_respelled(draft, column, cell) for u in units_of(cell.text)}
    if "%" in units:
        _check_percentages(draft, column, cells)
    if column.source:  # the sheet declares it
        return
    tests = [c for cell in cells for c in compared(cell)]
    kinds = {type(c.value) for c in tests}
    if str in kinds:
        _check_negations(draft, column, cells)
        _settle_answers(draft, column, cells)
    of_header = _head_units(column.name)
    # 10 in a column of percentages stays 10
    column.unit = min(units or of_header - {"%"}, default="")
    is_measured = any(map(_is_measured, units or of_header))
    column.whole = not units & _PRICES and not is_measured
    _check_one_unit(draft, column.name, units, of_header)
    if units & PERIODS and not of_header:
        _check_periods(draft, column, cells)
    if dt.date in kinds:
        _check_turned_dates(draft, column, cells)
    if is_measured and kinds - {type(None)} == {int}:
        name = column.bound[0] if column.bound else column.name
        remark = (
            f"{name} may have fractions, as it is measured in {column.unit}; declare it as integer"
            " under the header if not"
        )
        draft.remarks += [] if remark in draft.remarks else [remark]
    elif column.whole and _depends_on_whole(column.unit, tests):
        draft.remarks.append(
            f"{column.name} is read as whole numbers, as its cells are; declare it as number under"
            " the header if it may have fractions"
        )
    # unary tests are exact: other programs write them
    has_zero = any(c.value == 0 for c in tests)
    at_zero = [c for c in cells if any(t.value == 0 for t in compared(c))] if has_zero else []
    as_spoken = any(is_respelled(draft, column, c) or bare_value(c) is not None for c in at_zero)
    is_open = any(isinstance(c.test, Compare) and c.test.order in ("<", "<=") for c in cells)
    if not (column.bound or is_open) and as_spoken and is_never_negative(tests, column.unit):
        _begin_with_zero(draft, column, column.name)


def _check_turned_dates(draft: TableDraft, column: Input, cells: Sequence[Cell]) -> None:
    """Warn about dates that may have been ranges: Excel turns 3-5 into a date of this year."""
    days = [bare_value(cell) for cell in cells if cell.test != ANYTHING]
    if len(days) < 2 or not all(type(day) is dt.date for day in days):
        return
    if not draft.letters or any(is_respelled(draft, column, cell) for cell in cells):
        return  # typed as dates
    if len({day.year for day in days}) > 1:
        return
    if all(day.day < day.month for day in days):
        pairs = [(day.day, day.month) for day in days]
    elif all(day.month < day.day for day in days):
        pairs = [(day.month, day.day) for day in days]
    else:
        return
    if any(high >= low for (_, high), (low, _) in pairwise(sorted(pairs))):
        return
    low, high = pairs[0]
    draft.warn(
        f"read as dates, but a spreadsheet may have turned ranges into them, such as {low}-{high}"
        f" into {days[0].isoformat()}; format the cells as text and write the ranges again",
        header=column.name,
        doubtful=True,
    )


def _depends_on_whole(unit: str, tests: Sequence[Compare]) -> bool:
    """Return whether a column of money ends one range right before another."""
    if unit not in _PRICES and _THOUSANDS.fullmatch(unit) is None:
        return False
    if not all(type(test.value) is int for test in tests):
        return False
    ends = {test.value for test in tests if test.order == "<="}
    return any(test.order == ">=" and test.value - 1 in ends for test in tests)


def _check_one_unit(draft: TableDraft, name: str, units: set[str], of_header: set[str]) -> str:
    """Return the unit of a column; add an error if its cells, or its name, have others."""
    mixed = same_money(units | of_header if units else units)
    if len(mixed) > 1:
        listed = " and ".join(sorted(mixed))
        draft.fail(f"the column mixes {listed}; use one unit per column", header=name)
    return min(mixed, default="")


def check_outcomes(draft: TableDraft) -> None:
    """Set the units of outcomes; add an error for a column with several."""
    for name in draft.outputs:
        texts = [text for header, text in draft.respelled if header == name]
        units = {unit for text in texts for unit in units_of(text)}
        of_header = _head_units(name)
        unit = _check_one_unit(draft, name, units, of_header - {"%"}) or min(of_header, default="")
        if unit:
            (draft.units[name],) = same_money([unit])


def _begin_with_zero(draft: TableDraft, column: Input, name: str) -> None:
    column.domain = Compare(">=", 0)
    draft.remarks.append(
        f"{name} is taken to be at least 0, as its cells are; declare it under the header if not"
    )


_PRICES: Final = frozenset({"$", "€", "£", "¥", "%", "EUR", "USD", "GBP", "CHF"})
PERIODS: Final = frozenset({"months", "weeks", "days", "hours", "minutes"})
_UNIT: Final = lazy(
    r"[kmµ]?g|t|lbs?|oz|[kcmµ]?m|mi|ft|yd|[kcm]?m[²2]|ha|[cm]?m[³3]|[mcd]?l|[mµ]?s|sec|h|hrs?|yrs?"
    r"|°[CF]|K|[kM]?W|[kM]?Wh|[kM]?V|m?A|[kMG]?Hz|[hk]?Pa|bar|km/h|mph|[KMGT]B|people|persons?"
    r"|pieces|pcs"
)
"""Units in names of columns, besides those in cells."""
_MEASURED: Final = frozenset({
    "hours", "minutes", "km/h", "mph", "kg", "g", "t", "lb", "oz", "km", "m", "cm", "mm", "miles",
    "m²", "l", "ml", "°C", "°F", "kWh", "kW",
})  # fmt: skip
"""The units in cells that are measured; others, such as days, years and pieces, are counted."""
_THOUSANDS: Final = lazy(
    r"(?:[ktm]|tsd\.?|mio\.?|mn|bn|mrd\.?|thousand|million)\s?(?:[$€£¥]|EUR|USD|GBP|CHF)"
    r"|(?:[$€£¥]|EUR|USD|GBP|CHF)\s?(?:[km]|thousand|million)",
    re.IGNORECASE,
)
"""Multiples of currencies in names of columns."""
_IN_HEAD: Final = lazy(r"[(\[]([^)\]]*)[)\]]")


def _head_units(name: str) -> set[str]:
    """Return the units in brackets in the header of a column.

    >>> _head_units("Weight (kg)"), _head_units("Price in €"), _head_units("Sum (T€)")
    ({'kg'}, set(), {'T€'})
    >>> _head_units("Speed [km/h]"), _head_units("Age (optional)")
    ({'km/h'}, set())
    """
    match = _IN_HEAD.search(name)
    if match is None:
        return set()
    text = re.sub(r"^in\s+", "", match[1].strip())
    if _THOUSANDS.fullmatch(text):
        return {text}
    if "/" in text and text.casefold() != "km/h":
        return {text} if units_of(f"1 {text}") else set()
    if text.casefold() == "min":  # the least value, not minutes
        return set()
    return units_of(f"1 {text}") or ({text} if _UNIT.fullmatch(text) else set())


def _is_measured(unit: str) -> bool:
    """Return whether a unit has fractions, or is a rate of one that has.

    >>> _is_measured("kg"), _is_measured("g/km"), _is_measured("MB"), _is_measured("h")
    (True, True, True, True)
    >>> _is_measured("days"), _is_measured("items/day"), _is_measured("pcs"), _is_measured("EUR")
    (False, False, False, False)
    """
    unit = unit.split("/")[0]
    if _THOUSANDS.fullmatch(unit):
        return False
    if named := units_of(f"1 {unit}"):
        return named <= _MEASURED
    return _UNIT.fullmatch(unit) is not None


def _settle_answers(draft: TableDraft, column: Input, cells: Sequence[Cell]) -> None:
    """Make yes and no, in one language, the only values of a column; the case does not matter."""
    values = [c.value for cell in cells for c in compared(cell)]
    present = [value for value in values if value is not None]
    texts = list(dict.fromkeys(value for value in present if isinstance(value, str)))
    if not texts or not all(isinstance(value, str | bool) for value in present):
        return
    in_quotes = quoted(cells)
    bare = [t for t in texts if t not in in_quotes]
    _check_answers(draft, column, bare)
    aliases: dict[Any, Any] = {}
    if len(texts) < len(set(present)):  # some cells are TRUE or FALSE
        pair = answer_pair(texts)
        aliases = {text: text.casefold() == pair[0] for text in texts} if pair else {}
    elif answers := _answers(texts):
        tests = [Compare("=", value) for value in (*answers, *([None] * (None in values)))]
        column.domain = AnyOf(tuple(tests))
        by_plain = {answer.casefold(): answer for answer in answers}
        aliases = {t: by_plain[t.casefold()] for t in texts if t not in answers}
    for cell in cells if aliases else ():
        if isinstance(cell.test, Compare) and cell.test.value in aliases:
            meaning = literal_text(aliases[cell.test.value], words=True)
            draft.respelled[column.name, cell.text] = meaning
    column.aliases = {**column.aliases, **aliases}


def _check_answers(draft: TableDraft, column: Input, texts: Sequence[str]) -> None:
    """Reject ``Y`` beside ``yes``."""
    plain = {text.strip().casefold(): text for text in reversed(texts)}
    groups = [
        [text for word, text in plain.items() if word in {pair[side] for pair in _ANSWERS}]
        for side in (0, 1)
    ]
    doubles = [group for group in groups if len(group) > 1]
    if all(groups) and doubles:
        first, *_, last = reversed(doubles[0])
        draft.fail(
            f"{first!r} and {last!r} may be the same answer; use one of them, or write both in"
            " quotes if they differ",
            header=column.name,
            doubtful=True,
        )


def _settle_days(draft: TableDraft, column: Input, cells: Sequence[Cell]) -> None:
    """Read sets of days beside days, and close a column that lists all days, months or quarters."""
    values: dict[Any, None] = {}
    for value in (c.value for cell in cells for c in compared(cell)):
        if value is not None and not isinstance(value, str):
            return
        values[value] = None
    texts = [value for value in values if value is not None]
    declared = [c.value for c in comparisons(column.domain or ANYTHING)]
    in_quotes = quoted(cells)
    bare = [t for t in texts if t not in in_quotes]
    try:
        days = days_meant([*bare, *(value for value in declared if isinstance(value, str))])
        meant = {text: named for text, named in days.items() if text not in declared}
    except FormatError as error:
        draft.fail(error.message, header=column.name, doubtful=True)
        return
    column.aliases = meant
    lists = {text: ", ".join(days) for text, days in meant.items()}
    pattern = "|".join(map(re.escape, sorted(lists, key=len, reverse=True)))
    for cell in cells if meant else ():
        if any(c.value in meant for c in compared(cell)):
            draft.respelled[column.name, cell.text] = re.sub(
                rf"(?<!\w)(?:{pattern})(?!\w)", lambda m: lists[m.group()], cell.text.strip()
            )
    listed = list(dict.fromkeys(day for t in texts for day in meant.get(t, (t,))))
    noun = "" if column.source else whole_list(listed)
    if noun:
        tests = [Compare("=", value) for value in (*listed, *([None] * (None in values)))]
        column.domain = AnyOf(tuple(tests))
        draft.remarks.append(
            f"{column.name} has no other values, because all {noun} are listed; declare it under"
            " the header if it has others"
        )


def _check_periods(draft: TableDraft, column: Input, cells: Sequence[Cell]) -> None:
    """Reject months beside numbers without a unit, which may be years."""
    for cell in cells:
        numbers = [c.value for c in compared(cell) if type(c.value) in (int, float)]
        if any(numbers) and not units_of(cell.text):
            draft.fail(
                f"the column mixes {column.unit} and numbers without a unit; write the unit in all"
                " cells, or in the name of the column",
                header=column.name,
                text=cell.text,
                line=first_line(draft, column, cell),
            )
            return


def _check_negations(draft: TableDraft, column: Input, cells: Sequence[Cell]) -> None:
    """Reject ``not x`` if no cell names the value x: ``not specified`` is a value itself."""
    named: set[str] = set()
    for cell in cells:
        if not isinstance(cell.test, Not):
            named |= {c.value.casefold() for c in compared(cell) if isinstance(c.value, str)}
    for cell in cells:
        test = cell.test
        if not isinstance(test, Not) or not is_respelled(draft, column, cell):
            continue
        value = test.test.value if isinstance(test.test, Compare) else None
        reason = refusal(cell.text.strip())
        if reason and isinstance(value, str) and value.casefold() not in named:
            draft.fail(
                reason, header=column.name, text=cell.text, line=first_line(draft, column, cell)
            )


def is_respelled(draft: TableDraft, column: Input, cell: Cell) -> bool:
    """Return whether the cell of a column was respelled as a unary test."""
    return (column.name, cell.text) in draft.respelled


def _check_percentages(draft: TableDraft, column: Input, cells: Sequence[Cell]) -> None:
    for cell in cells:
        numbers = [c.value for c in compared(cell) if type(c.value) in (int, float)]
        if "%" not in cell.text and any(numbers) and cell.text != "":
            draft.fail(
                MIXED_PERCENTAGES,
                header=column.name,
                text=cell.text,
                line=first_line(draft, column, cell),
            )
            return


def _answers(values: Sequence[str]) -> tuple[str, ...]:
    """Return both answers in the case of the first one, () if there are other values.

    >>> _answers(["Yes"]), _answers(["J", "N"]), _answers(["N"]), _answers(["yes", "NO"])
    (('Yes', 'No'), ('J', 'N'), (), ('yes', 'no'))
    """
    pair = answer_pair(values)
    if not pair or (len({v.casefold() for v in values}) < 2 and len(values[0]) < 2):
        return ()
    first = values[0]
    style = str.lower if first.islower() else str.upper if first.isupper() else str.capitalize
    return tuple(map(style, pair))


def answer_pair(values: Sequence[Any]) -> tuple[str, str] | tuple[()]:
    """Return the yes and no that all values are, in any case; () if they are others."""
    plain = {str(value).casefold() for value in values}
    return next((pair for pair in _ANSWERS if plain <= set(pair)), ())


def _check_midnight(draft: TableDraft, low: int, lows: Sequence[Any], highs: Sequence[Any]) -> None:
    """Add an error if a range of times in two columns goes over midnight."""
    for row, a, b in zip(draft.rows, lows, highs, strict=True):
        if type(a) is dt.time is type(b) and a > b:
            draft.fail(
                f"the range from {a:%H:%M} to {b:%H:%M} goes over midnight; write one row that"
                f" begins at {a:%H:%M} and one that ends at {b:%H:%M}, or one column of ranges such"
                f" as {a:%H:%M}-{b:%H:%M}",
                rule=row.number,
                header=draft.inputs[low].name,
                line=row.line,
                doubtful=True,
            )


def bare_value(cell: Cell) -> Any:
    """Return the value of a cell that is a single value without an operator, else None."""
    test = cell.test
    if test == ANYTHING:
        return NOTHING_ASKED
    if not isinstance(test, Compare) or test.order != "=" or cell.text.lstrip().startswith("="):
        return None
    return test.value


def _check_alike(
    draft: TableDraft, name: str, values: Iterable[Hashable], *, doubtful: bool = False
) -> None:
    spellings: dict[str, list[str]] = {}
    for value in dict.fromkeys(values):
        if isinstance(value, str):
            plain = " ".join(unicodedata.normalize("NFKC", value).casefold().split())
            spellings.setdefault(plain.rstrip(".") or plain, []).append(value)
    for variants in spellings.values():
        if len(variants) > 1:
            has_stops = len({v.rstrip()[-1:] == "." for v in variants}) > 1
            how = "case, spaces or a period" if has_stops else "case or spaces"
            draft.warn(
                f"{' and '.join(map(repr, variants))} differ only in {how} and are"
                " read as different values; use one spelling if they are the same value",
                header=name,
                doubtful=doubtful,
            )
