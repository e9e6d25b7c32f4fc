"""Ambiguous columns of spreadsheets.

Every column is a condition by default. Row numbers, two columns of bounds, or one value in two
spellings would then make a table look consistent. Such a column causes an error or a warning,
unless it is a feature of the given space. Ambiguous cells are found in
:mod:`irenic.formats.cells`.
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
from irenic.formats.cells.reading import is_condition
from irenic.formats.cells.sequences import days_meant, is_ordered, whole_list
from irenic.formats.cells.values import same_money, units_of
from irenic.formats.cells.words import MIXED_PERCENTAGES, answers, negation_doubt
from irenic.formats.feel.sets import literal_text
from irenic.formats.feel.unary_tests import (
    ANYTHING,
    DASHES,
    AnyOf,
    Compare,
    Not,
    comparisons,
    kind_of,
)
from irenic.formats.sheets._doubtful_words import (
    advise,
    check_blanks,
    check_negative,
    check_typos,
    check_words,
    compared,
    first_line,
    is_cross_table,
    is_never_negative,
    quoted,
    second_outcomes,
)
from irenic.formats.sheets._steps import settle_pair, settle_steps
from irenic.formats.tables.drafts import Cell, Input, TableDraft, distinct
from irenic.model.literals import Prefix, quote
from irenic.model.patterns import lazy

_NUMBERS_ROWS: Final = lazy(
    r"(?:rules?|rows?|lines?)?[\s_-]*(?:#|№|no\.?|nr\.?|num\.?|number|id|index)"
    r"|(?:rule|row|line)(?:[\s_-]*name)?",
    re.IGNORECASE,
)
_NAMED_SO: Final = lazy(r"(?!(?:num\.?|number|index)$)(?:" + _NUMBERS_ROWS.pattern + ")", re.I)
_NOTES: Final = lazy(
    r"(?:.*[\s_-])?(?:notes?|comments?|remarks?|annotations?|explanations?|rationales?"
    r"|bemerkung(?:en)?|notiz(?:en)?|anmerkung(?:en)?|kommentare?|hinweise?|erläuterung(?:en)?"
    r"|begründung(?:en)?|remarques?|commentaires?|observaci(?:ón|ones)|comentarios?|opmerking(?:en)?"
    r"|toelichting)",
    re.IGNORECASE,
)
# Columns that are notes if they are right of the outcome.
_RECORDS: Final = lazy(
    r"(?:(?:rule|row)[\s_-])?(?:sources?|quellen?|references?|authors?|autor(?:en)?|editors?"
    r"|bearbeiter(?:in)?|legal basis|rechtsgrundlage|version|stand|as of"
    r"|(?:last )?(?:changed|updated|modified|edited|reviewed|approved|checked|created) (?:by|on|at)"
    r"|last (?:changed?|updated?|modified|edited|edit|reviewed|review)"
    r"|(?:zuletzt )?(?:geändert|geprüft|freigegeben|erstellt) (?:von|durch|am)|zuletzt geändert"
    r"|letzte (?:änderung|prüfung)|änderungsdatum)",
    re.IGNORECASE,
)
# Columns at the end that are hardly the outcome.
_BESIDES: Final = lazy(
    r"weight|(?:.*[\s_-])?(?:sources?|owners?|authors?|editors?|references?|descriptions?"
    r"|legal basis|(?:changed|updated|approved|checked) (?:by|on)|version)",
    re.IGNORECASE,
)
_PAIRS: Final = (
    ("from", "to"), ("min", "max"), ("minimum", "maximum"), ("lower", "upper"), ("since", "until"),
    ("start", "end"), ("von", "bis"), ("ab", "bis"), ("de", "à"), ("desde", "hasta"),
    ("mínimo", "máximo"), ("mín", "máx"), ("début", "fin"), ("beginn", "ende"),
)  # fmt: skip
"""The words that name columns of lower and upper bounds."""
_ORDERS: Final = {
    **{low: ">=" for low, _ in _PAIRS},
    **{high: "<=" for _, high in _PAIRS},
    **dict.fromkeys(("over", "above", "more than", "über", "mehr als", "plus de", "más de"), ">"),
    **dict.fromkeys(("meer dan", "boven"), ">"),
    **dict.fromkeys(("at least", "mindestens", "au moins", "al menos", "vanaf"), ">="),
    **dict.fromkeys(("under", "below", "less than", "unter", "weniger als", "moins de"), "<"),
    **dict.fromkeys(("menos de", "onder", "minder dan"), "<"),
    **dict.fromkeys(("up to", "at most", "bis zu", "höchstens", "jusqu'à", "t/m"), "<="),
}
"""What the words of bounds mean; two columns with one name and opposite words are a range."""
_LONELY: Final = ("from", "to", "von", "bis")
"""Words that name a bound even if the other one is missing."""
_FEWEST_ROWS: Final = 3
"""Number of rows from which a column with a different value in each row is suspicious."""


NOTHING_ASKED: Final = object()
"""Stands for the value of a cell that accepts anything."""


def is_note(name: str) -> bool:
    """Return whether a column is named like notes."""
    return _NOTES.fullmatch(name) is not None


def is_record(name: str) -> bool:
    """Return whether a column right of the outcome is named like the source or date of a row."""
    return _RECORDS.fullmatch(name) is not None


def is_label(name: str) -> bool:
    """Return whether a column is named like notes or the numbers of rows."""
    return is_note(name) or _NUMBERS_ROWS.fullmatch(name) is not None


def is_words(cell: Cell) -> bool:
    """Return whether a cell contains text without quotes, and no other values."""
    found = compared(cell)
    return '"' not in cell.text and any(isinstance(c.value, str) for c in found)


def check_columns(draft: TableDraft, *, chosen: bool = False) -> None:
    """Add errors and warnings about ambiguous columns to the draft of a spreadsheet.

    ``chosen`` says that the caller chose the outcome or the layout.
    """
    names = [column.name for column in draft.inputs]
    spelled = {name for name, _ in draft.respelled}
    for place, name in enumerate(names):
        if name in spelled:
            settle_steps(draft, place)
    cells = draft.columns()
    different = [distinct(column) for column in cells]
    columns = []
    for column, known in zip(cells, different, strict=True):
        values = {key: bare_value(cell) for key, cell in known.items()}
        columns.append([values[id(cell)] for cell in column])
    has_texts = []
    for place, (feature, known) in enumerate(zip(draft.inputs, different, strict=True)):
        excluded = distinct([row.cells[place] for row in draft.impossible_rows])
        _settle_kind(draft, feature, list((known | excluded).values()))
        kinds = {type(c.value) for cell in known.values() for c in compared(cell)}
        has_texts.append(str in kinds)
        if kinds - {int, float, type(None)}:
            advise(draft, feature, list(known.values()))
    if not chosen:
        _check_roles(draft, names, columns)
    errors = refused_columns(names, columns)
    for place, name in enumerate(names):
        is_beyond = _is_beyond(draft, name)
        may_be_note = is_note(name) or (is_beyond and is_record(name))
        role = _role(draft, place, columns) if name in errors or may_be_note else ""
        if role:
            draft.inputs[place].skipped = role
            _forget(draft, name)
            if may_be_note and not is_note(name):
                draft.remarks.append(
                    f"{name} is right of the outcome and skipped; name it with --outcome if it is"
                    " the outcome"
                )
            continue
        if name in errors and _is_paired(draft, place, columns):
            continue
        if name in errors:
            draft.fail(errors[name], header=name, doubtful=True)
        elif chosen and is_beyond and not _is_condition(draft.inputs[place], cells[place]):
            draft.fail(_beyond(draft, name, columns[place]), header=name, doubtful=True)
        elif (
            place == 0
            and len(names) > 1
            and not draft.inputs[0].domain
            and _all_differ(columns[0], _FEWEST_ROWS)
            and not all(isinstance(v, str) and is_ordered(v) for v in columns[0])
        ):
            draft.warn(
                "every row has a different value here, so no two rows can overlap; if these are row"
                f" names, skip the column with ignore={name!r} (--ignore)",
                header=name,
                doubtful=True,
            )
        if any(not cell.text for cell in different[place].values()):
            check_blanks(draft, place)
        if has_texts[place]:
            check_words(draft, draft.inputs[place], list(different[place].values()))
        check_negative(draft, draft.inputs[place], list(different[place].values()))
        if has_texts[place] and not draft.inputs[place].aliases:
            literals = [c.value for cell in different[place].values() for c in compared(cell)]
            _check_alike(draft, name, literals, doubtful=True)
            check_typos(draft, name, _words_in(cells[place]), doubtful=True)
    for place, name in enumerate(draft.outputs):
        thens = [row.then for row in draft.rows]
        if len(draft.outputs) > 1:
            thens = [then[place] for then in thens if isinstance(then, tuple)]
        _check_alike(draft, name, thens)
        words = {
            text: times for (header, text), (times, _) in draft.thens.items() if header == name
        }
        check_typos(draft, name, {t: n for t, n in words.items() if t in thens}, doubtful=False)


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


def _is_beyond(draft: TableDraft, name: str) -> bool:
    """Return whether a column is right of all outcomes, and these are right of other columns."""
    last = max(draft.places.get(output, -1) for output in draft.outputs)
    others = [draft.places[column.name] for column in draft.inputs if column.name in draft.places]
    return 0 <= last < draft.places.get(name, -1) and min(others) < last


def _is_condition(column: Input, cells: Sequence[Cell]) -> bool:
    """Return whether a declaration, an operator, a range or a dash shows a condition."""
    if column.source:
        return True
    return any(bare_value(c) is None or c.text.strip() in DASHES for c in distinct(cells).values())


def _beyond(draft: TableDraft, name: str, values: Sequence[Any]) -> str:
    both = [*draft.outputs, name]
    options = " ".join(f"--outcome {quote(n) if ' ' in n else n}" for n in both)
    value = next((v for v in values if v is not NOTHING_ASKED), "x")
    return (
        f"the column is right of the outcome {draft.outputs[-1]!r} and may be another one; choose"
        f" all outcomes with target={both!r} ({options}), skip it with ignore={name!r} (--ignore),"
        f" or write = {literal_text(value, words=True)} in its first cell if it is a condition"
    )


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
    if dt.time in kinds and _DURATION.search(column.name):
        draft.warn(
            "read as times of day; write durations as PT2H30M, or as numbers of hours or minutes",
            header=column.name,
            doubtful=True,
        )
    is_bound = _is_bound(column.name, [c.name for c in draft.inputs])
    if is_measured and kinds - {type(None)} == {int}:
        name = _bound(column.name)[0] if is_bound else column.name
        remark = (
            f"{name} may have fractions, as it is measured in {column.unit}; declare it as integer"
            " under the header if not"
        )
        draft.remarks += [] if remark in draft.remarks else [remark]
    elif column.whole and _depends_on_whole(column.name, column.unit, tests):
        draft.remarks.append(
            f"{column.name} is read as whole numbers, as its cells are; declare it as number under"
            " the header if it may have fractions"
        )
    # unary tests are exact: other programs write them
    has_zero = any(c.value == 0 for c in tests)
    at_zero = [c for c in cells if any(t.value == 0 for t in compared(c))] if has_zero else []
    as_spoken = any(is_respelled(draft, column, c) or bare_value(c) is not None for c in at_zero)
    if not is_bound and is_never_negative(column.name, tests, column.unit, as_spoken=as_spoken):
        _begin_with_zero(draft, column, column.name)


_OF_DATES: Final = lazy(
    r"date|\bday|month|year|since|until|valid|from|start|end|begin|due|deadline|expir|birth|born|issued"
    r"|datum|tag\b|monat|stichtag|gültig|\bab\b|\bbis\b|seit|beginn|ende|frist|fällig|geburt|début|fin"
    r"|jour|fecha|desde|hasta|vencimiento|data\b",
    re.IGNORECASE,
)


def _check_turned_dates(draft: TableDraft, column: Input, cells: Sequence[Cell]) -> None:
    """Warn about dates that may have been ranges: Excel turns 3-5 into a date of this year."""
    days = [bare_value(cell) for cell in cells if cell.test != ANYTHING]
    if len(days) < 2 or not all(type(day) is dt.date for day in days):
        return
    if not draft.letters or any(is_respelled(draft, column, cell) for cell in cells):
        return  # typed as dates
    if _OF_DATES.search(column.name) or len({day.year for day in days}) > 1:
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


_FRACTIONAL: Final = lazy(
    r"\b(?:bmi|premiums?|prices?|fees?|costs?|amounts?|sums?|income|salary|revenue|turnover|payments?"
    r"|weight|height|length|width|distance|temperature|speed|volume|area|rates?|poids|taille|prix"
    r"|montant|revenu|prime|peso|altura|precio|importe|ingresos?|bedrag|inkomen|gewicht|prijs)\b"
    r"|(?:beitrag|prämie|betrag|einkommen|gehalt|umsatz|preis|kosten|summe|gebühr|gewicht|größe|höhe"
    r"|länge|breite|entfernung|temperatur|fläche)\b",
    re.IGNORECASE,
)
"""Names of money and measures, which have fractions."""


def _depends_on_whole(name: str, unit: str, tests: Sequence[Compare]) -> bool:
    """Return whether a column of money or a measure ends one range right before another."""
    is_money = unit in _PRICES or _THOUSANDS.fullmatch(unit) is not None
    if not is_money and (unit or not _FRACTIONAL.search(name)):
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


_DURATION: Final = lazy(
    r"\b(?:duration|delay|dauer|verspätung|wartezeit|durée|retard|duración|retraso|duur|vertraging)\b"
    r"|\bh+:mm",
    re.IGNORECASE,
)


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
_IN_HEAD: Final = lazy(
    r"[(\[]([^)\]]*)[)\]]|\sin\s+(\S+)\s*$"
    # letters such as g and m are units only in brackets
    r"|(?:^|[\s,_])(kg|km|cm|mm|ml|lbs?|km/h|mph|°[CF]|kWh?|m[²³])\s*$"
)


def _head_units(name: str) -> set[str]:
    """Return the units in the name of a column.

    >>> _head_units("Weight (kg)"), _head_units("Price in €"), _head_units("Age")
    ({'kg'}, {'€'}, set())
    >>> _head_units("Speed [km/h]"), _head_units("Age (optional)")
    ({'km/h'}, set())
    >>> _head_units("weight_kg"), _head_units("Plan m"), _head_units("Sum (T€)")
    ({'kg'}, set(), {'T€'})
    """
    match = _IN_HEAD.search(name)
    if match is None:
        return set()
    text = re.sub(r"^in\s+", "", (match[1] or match[2] or match[3] or "").strip())
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
        [text for word, text in plain.items() if word in {pair[side] for pair in answers()}]
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
        reason = negation_doubt(cell.text.strip(), value) if isinstance(value, str) else ""
        if reason and str(value).casefold() not in named:
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
    return next((pair for pair in answers() if plain <= set(pair)), ())


def _check_roles(draft: TableDraft, names: list[str], columns: Sequence[Sequence[Any]]) -> None:
    """Reject a cross table, and a second outcome that is read as a condition."""
    outcomes = [row.then for row in draft.rows]
    if len(draft.outputs) == 1 and is_cross_table([*names, draft.outputs[0]], [*columns, outcomes]):
        draft.fail(
            f"the columns {', '.join(map(repr, (*names[1:], *draft.outputs)))} look like values of"
            " one condition in a cross table; read it with cross='NAME' (--cross NAME), where NAME"
            " is that condition, or choose the outcome with target=… (--outcome)",
            header=names[1] if len(names) > 1 else names[0],
            doubtful=True,
        )
        return
    seconds = _seconds(draft, names, columns)
    if len(seconds) > 1 and set(seconds) == set(names[1:]):
        draft.fail(
            f"the columns {', '.join(map(repr, (*seconds, *draft.outputs)))} look like outcomes; if"
            " they are the values of one condition in a cross table, read it with cross='NAME'"
            " (--cross NAME), where NAME is that condition, or choose the outcomes with target=…"
            " (--outcome)",
            header=seconds[0],
            doubtful=True,
        )
    elif seconds:
        both = [*seconds, *draft.outputs]
        options = " ".join(f"--outcome {quote(n) if ' ' in n else n}" for n in both)
        draft.fail(
            "it is unclear whether the column is a condition or an outcome; choose the outcomes"
            f" with target={both!r} ({options}), or only one of them",
            header=seconds[0],
            doubtful=True,
        )


def _seconds(draft: TableDraft, names: list[str], columns: Sequence[Sequence[Any]]) -> list[str]:
    """Return the conditions that are likely outcomes: numbers, or prices and words such as free."""
    seconds = second_outcomes(names, columns)
    has_conditions = any(None in values for values in columns)
    for column, cells, values in zip(draft.inputs, draft.columns(), columns, strict=True):
        given = all(type(value) in (int, float, str) for value in values)
        if column.unit in _PRICES - {"%"} and len(cells) > 1 and has_conditions and given:
            texts = [cell.text for cell in distinct(cells).values()]
            priced = [text for text in texts if units_of(text) & _PRICES]
            seconds += [column.name] if 2 * len(priced) > len(texts) else []
    known = {
        column.name
        for column in draft.inputs
        if column.source or _is_bound(column.name, names) or _COMPARED_HEAD.fullmatch(column.name)
    }
    return [name for name in names if name in seconds and name not in known]


def _role(draft: TableDraft, place: int, columns: Sequence[Sequence[Any]]) -> str:
    """Return the role of a column that is no condition, "" if it is one."""
    if len(draft.inputs) - sum(1 for column in draft.inputs if column.skipped) < 2:
        return ""  # a table needs a condition
    name = draft.inputs[place].name
    values = [value for value in columns[place] if value is not NOTHING_ASKED]
    if is_note(name) or (_is_beyond(draft, name) and is_record(name)):
        return "" if _asks(draft, place) else "note"
    # other first columns that count the rows may also be conditions, such as zones
    return "identifier" if _NAMED_SO.fullmatch(name) and _all_differ(values, 1) else ""


_COMPARES: Final = lazy(r"\s*(?:[<>=≤≥≠!]|not\s*\()", re.IGNORECASE)


def _asks(draft: TableDraft, place: int) -> bool:
    """Return whether cells of a column that is named like notes are conditions all the same.

    Beside words, only an operator before words asks for something: ``heavy, by van`` and ``up to 5
    kg`` are notes.
    """
    cells = list(distinct([row.cells[place] for row in draft.rows]).values())
    tests = [cell for cell in cells if bare_value(cell) is None]
    if any(is_words(cell) for cell in cells):
        tests = [cell for cell in tests if is_words(cell) and _COMPARES.match(cell.text)]
    return bool(tests)


def _forget(draft: TableDraft, name: str) -> None:
    """Remove what was found in the cells of a column that is no condition."""
    draft.errors = [error for error in draft.errors if error.place.header != name]
    draft.warnings = [warning for warning in draft.warnings if warning.place.header != name]


_OUTCOME: Final = lazy(
    r"(?:then|=>|→|outcomes?|outputs?|results?|decisions?|actions?|conclusions?)(?:\W.*|\d*)",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION: Final = lazy(r"\s*(?:[<>=≤≥≠!\[\](]|not\s*\()|\s*[-–—−]\s*$")


def is_outcome(name: str, cells: Iterable[Any] = ()) -> bool:
    """Return whether a column is named like an outcome, and no cell is empty or a condition."""
    if _OUTCOME.fullmatch(name) is None:
        return False
    return all(c is not None and not _CONDITION.match(str(c)) for c in cells)


def are_outcomes(cells: Iterable[Any]) -> bool:
    """Return whether no cell is empty or a condition, as people write them."""
    return all(
        c is not None and not _CONDITION.match(str(c)) and not is_condition(str(c)) for c in cells
    )


_COMPARED_HEAD: Final = lazy(r"(.*[^\s<>=≤≥])\s*(<=|>=|<|>|≤|≥)")


def _is_paired(draft: TableDraft, place: int, columns: Sequence[Sequence[Any]]) -> bool:
    """Set the bound of a column that bounds the range of a feature; False if it does not."""
    name = draft.inputs[place].name
    if head := _COMPARED_HEAD.fullmatch(name):
        order = {"≤": "<=", "≥": ">="}.get(head[2], head[2])
        draft.inputs[place].bound = (head[1], order)
        return True
    stem, word = _bound(name)
    if not stem or not word:
        return False
    names = [column.name for column in draft.inputs]
    partner = next((i for i, n in enumerate(names) if _is_partner(n, stem, word)), None)
    if partner is None or any(v is None for v in columns[partner]):
        return False
    low, high = (place, partner) if _ORDERS[word][0] == ">" else (partner, place)
    draft.inputs[place].bound = (_bound(names[low])[0], _ORDERS[word])
    if place == low:
        bounds = [Compare(_ORDERS[word], v) for v in columns[low] if v is not NOTHING_ASKED]
        if not draft.inputs[place].source and is_never_negative(
            stem, bounds, draft.inputs[place].unit
        ):
            _begin_with_zero(draft, draft.inputs[place], stem)
        _check_midnight(draft, low, columns[low], columns[high])
        if (_ORDERS[word], _ORDERS[_bound(names[high])[1]]) == (">=", "<="):
            _check_shared(draft, stem, names[low], names[high], columns[low], columns[high])
            settle_pair(draft, stem, low, high)
    return True


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


def _check_shared(
    draft: TableDraft, stem: str, low: str, high: str, lows: Sequence[Any], highs: Sequence[Any]
) -> None:
    """Add an error if the upper bound of a row is the lower bound of another."""
    asked = {v for v in lows if v is not NOTHING_ASKED}
    pairs = zip(lows, highs, strict=True)
    shared = [b for a, b in pairs if b is not NOTHING_ASKED and b in asked and a != b]
    if shared:
        value = literal_text(shared[0], words=True)
        draft.fail(
            f"{value} is the end of one range and the beginning of another, so it is unclear which"
            f" of them contains it; name the columns {stem + ' >='!r} and {stem + ' <'!r} if ranges"
            f" exclude their end, or {stem + ' >='!r} and {stem + ' <='!r}",
            header=high,
            doubtful=True,
        )


def refused_columns(names: Sequence[str], columns: Sequence[Sequence[Any]]) -> dict[str, str]:
    """Return the columns that are errors, with reasons.

    A column contains, for each row, the value of a cell without an operator, None for other tests.
    """
    reasons = {}
    for place, (name, column) in enumerate(zip(names, columns, strict=True)):
        values = [value for value in column if value is not NOTHING_ASKED]
        if not values or None in values:
            continue
        kinds = {kind_of(value) for value in values}
        if "value" in kinds:
            continue
        # an operator shows that the column is a condition
        hint = (
            f"write = {literal_text(values[0], words=True)} in its first cell if it is a condition"
        )
        if is_note(name):
            reasons[name] = (
                f"the column looks like notes; skip it with ignore={name!r} (--ignore), or {hint}"
            )
        elif len(names) > 1 and _numbers_rows(name, values, column if place == 0 else ()):
            reasons[name] = (
                "the column numbers the rows, so no two rows could overlap; skip it with"
                f" ignore={name!r} (--ignore), or {hint}"
            )
        elif kinds & {"text", "boolean"}:
            continue
        elif _COMPARED_HEAD.fullmatch(name):
            reasons[name] = f"the column contains bounds; {hint}"
        elif _is_bound(name, names):
            stem = _bound(name)[0]
            noun = {"date": "Date", "time": "Time"}.get(kind_of(values[0]), "Age")
            way = f"use one column {stem!r} with ranges such as [18..25]"
            if not stem:
                way = f"name both after what they bound, such as '{noun} from' and '{noun} to'"
            reasons[name] = (
                "the column looks like a bound of a range, but its values are read as exact"
                f" ones; {way}, or {hint}"
            )
        elif name == "WEIGHT":  # the name of the weights of rules in earlier versions
            reasons[name] = (
                "the column is ambiguous; name it 'RULE WEIGHT' for weights of rules, or 'weight'"
                " for a condition"
            )
    return reasons


def check_outcome(draft: TableDraft) -> None:
    """Warn about a last column that is unlikely to be the outcome."""
    name = draft.outputs[0]
    texts = [row.then for row in draft.rows]
    if len(texts) > 1 and all(isinstance(text, str) and is_condition(text) for text in texts):
        draft.warn(
            "the outcomes look like conditions; if the outcome is another column, choose it with"
            " target=… (--outcome)",
            header=name,
        )
    if is_note(name) or is_record(name) or _BESIDES.fullmatch(name):
        draft.warn(
            "the last column is read as the outcome; if it is not, choose the outcome with"
            f" target=… (--outcome) and skip this column with ignore={name!r} (--ignore)",
            header=name,
        )


def bare_value(cell: Cell) -> Any:
    """Return the value of a cell that is a single value without an operator, else None."""
    test = cell.test
    if test == ANYTHING:
        return NOTHING_ASKED
    if not isinstance(test, Compare) or test.order != "=" or cell.text.lstrip().startswith("="):
        return None
    return None if isinstance(test.value, Prefix) else test.value


def _all_differ(values: Sequence[Any], fewest: int) -> bool:
    complete = None not in values and NOTHING_ASKED not in values
    return complete and len(values) == len(set(values)) >= fewest


def _numbers_rows(name: str, values: Sequence[Any], first: Sequence[Any]) -> bool:
    if _NUMBERS_ROWS.fullmatch(name):  # a row may span several lines
        return _all_differ(values, 1)
    counted = [str(number) for number in range(1, len(first) + 1)]
    return len(first) > 1 and [str(value) for value in first] == counted


def _is_bound(name: str, names: Iterable[str]) -> bool:
    stem, word = _bound(name)
    if not word:
        return False
    paired = any(_is_partner(other, stem, word) for other in names)
    # "Min. order" is a bound, but "pulse max" is measured
    is_least = word in ("min", "minimum") and name.lower().startswith("min")
    return paired or (stem != "" and (word in _LONELY or is_least))


def _is_partner(name: str, stem: str, word: str) -> bool:
    """Return whether a column has the other bound of the same stem."""
    other_stem, other = _bound(name)
    if other_stem.casefold() != stem.casefold() or not other:
        return False
    return _ORDERS[other][0] != _ORDERS[word][0]


_COMPOUND: Final = lazy(r"(mindest|minimal|höchst|maximal)-?([^\W\d]{3}.*)", re.IGNORECASE)


def _bound(name: str) -> tuple[str, str]:
    """Return the stem and the bound of a header, as in ("Age", "from"); "" for no bound."""
    if compound := _COMPOUND.fullmatch(name):
        low = compound[1].lower().startswith("mi")
        return compound[2].capitalize(), "minimum" if low else "maximum"
    words = [word for word in re.split(r"[\s_().\[\]-]+", name) if word]
    for size in (2, 1):
        for part in (slice(-size, None), slice(0, size)):
            if (word := " ".join(words[part]).lower()) in _ORDERS:
                del words[part]
                return " ".join(words), word
    return name, ""


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
