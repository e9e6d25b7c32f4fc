"""Cases to decide, as people write them: ``5%``, ``€ 1.200,50``, ``31/12/2026``, ``Ja``.

Rules and cases may be in the same notation; what the cells of the cases do not settle, those of the
rules do. For cases that no rule decides, the reason is found.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from irenic.errors import DataError, FormatError, did_you_mean
from irenic.formats.cells.locales import Locale, settled_by
from irenic.formats.cells.reading import literal
from irenic.formats.cells.values import is_amount, same_money, units_of, value_text
from irenic.formats.feel.sets import shown
from irenic.formats.feel.unary_tests import kind_of, parse_value
from irenic.formats.sheets._doubtful_columns import PERIODS, answer_pair
from irenic.formats.sheets._layout import header_name
from irenic.formats.sheets._outcomes import FORMULA, read_outcome
from irenic.formats.tables.drafts import TableDraft, short
from irenic.frames.columns import NOTHING, Table, as_column, as_values
from irenic.frames.csv import may_be_thousands, thousands_or_not
from irenic.model.characters import cleaned
from irenic.model.features import OTHER_CODE, Categorical, Continuous, Feature
from irenic.model.literals import counted, display, is_missing, quote
from irenic.model.notation import Token, tokenize
from irenic.model.space import Space

_NOUNS: Final = {
    "number": "a number", "integer": "a number", "date": "a date such as 2026-01-31",
    "datetime": "a date and time such as 2026-01-31T12:00", "time": "a time such as 12:30",
    "duration": "a duration such as P1DT12H", "months": "a duration such as P1Y2M",
}  # fmt: skip
_ALIKE: Final = {"integer": "number", "datetime": "date"}
_KINDS: Final = {"integer": {"number"}, "datetime": {"date", "datetime"}}


class Cases(NamedTuple):
    """A table of cases with the values that the rules can test, and what to say about them."""

    table: Table
    notes: list[str]


def read_cases(table: Table, space: Space, draft: TableDraft | None = None) -> Cases:
    """Return cases with the values that their cells mean.

    ``space`` is that of the rules, and ``draft`` their table, if it is from a spreadsheet.
    """
    table = table.in_characters_of(space)
    has_locale = draft is not None
    draft = TableDraft("") if draft is None else draft
    known = [feature for feature in space if feature.name in table]
    # columns that were read as numbers or dates settle nothing, unless the rules have commas
    unread = [f.name for f in known if draft.decimal == "," or _has_text(table[f.name])]
    own, contradiction = settled_by(text for name in unread for text in _texts(table, name))
    if contradiction:
        raise DataError(f"{contradiction}; write them in one way")
    day_first = draft.day_first if own.day_first is None else own.day_first
    locale = Locale(own.decimal or draft.decimal, day_first)
    percentages = _of_percentages(draft)
    # 90 in a column declared in % stays 90, unless the cells of the rules have percent signs
    units = {column.name: column.unit for column in draft.inputs if column.unit != "%"}
    units |= dict.fromkeys(percentages, "%")
    columns, notes = dict(table), []
    if draft.places and not locale.decimal:
        _check_points(known, table)
    for feature in known:
        if isinstance(feature, Continuous):
            _check_kind(feature, table[feature.name])
        try:
            values = _values(feature, table, locale, units.get(feature.name, ""))
        except DataError as error:
            if has_locale:
                raise
            # the locale is that of a table of rules
            raise DataError(
                re.sub(r",? or settle the .* with locale=….*", "", str(error))
            ) from None
        if values is not None:
            columns[feature.name] = as_column(values)
            if isinstance(feature, Categorical) and _are_bits(as_values(table[feature.name])):
                notes.append(f"column {feature.name!r}: 1 and 0 are read as yes and no")
        if feature.name in percentages - table.percentages:
            _check_percentages(feature.name, as_values(columns[feature.name]), table)
    return Cases(table.replaced(columns, table.cells, {}), notes)


def _check_points(features: Iterable[Feature], table: Table) -> None:
    """Raise an error for points that may separate thousands, as for those in the rules."""
    ambiguous = None
    for feature in features:
        cells = table.cells.get(feature.name, ()) if isinstance(feature, Continuous) else ()
        for row, cell in enumerate(map(str.strip, cells), 1):
            if may_be_thousands(cell) and cell.endswith("0"):
                ambiguous = ambiguous or (feature.name, row, cell)
            elif "." in cell and not may_be_thousands(cell):
                return  # 2.5 has a decimal point
    if ambiguous:
        name, row, cell = ambiguous
        raise DataError(
            f"column {name!r}, row {row}: {thousands_or_not(cell)}, or settle the decimal separator"
            " of rules and cases with locale=… (--locale)"
        )


def _has_text(column: npt.NDArray[Any]) -> bool:
    return column.dtype.kind == "U" or (
        column.dtype == object and any(isinstance(value, str) for value in column)
    )


def _texts(table: Table, name: str) -> Iterable[str]:
    """Return the different texts of a column."""
    texts = table.cells.get(name) or as_values(table[name])
    return dict.fromkeys(text for text in texts if isinstance(text, str))


def _values(feature: Feature, table: Table, locale: Locale, unit: str) -> list[Any] | None:
    """Return the values of a column, None if they need no reading."""
    needs_none = isinstance(feature, Continuous) and locale.decimal != ","
    if needs_none and not _has_text(table[feature.name]):
        return None
    values = as_values(table[feature.name])
    if isinstance(feature, Categorical):
        answers = _answers(feature, values)
        if answers and all(isinstance(value, str | bool | None) for value in answers):
            return answers
        return _as_texts(feature, table) or answers
    cells: Sequence[Any] = table.cells.get(feature.name, ())
    separated = locale.decimal == "," and any(may_be_thousands(cell.strip()) for cell in cells)
    if separated:
        values = [cell if cell.strip() else None for cell in cells]
    if not any(isinstance(value, str) for value in values):
        return None
    known: dict[str, Any] = {}
    for row, value in enumerate(values, 1):
        if isinstance(value, str) and value not in known:
            try:
                known[value] = _value(cleaned(value).strip(), feature, locale, unit)
            except FormatError as error:
                raise DataError(f"column {feature.name!r}, row {row}: {error.message}") from None
    return [known[value] if isinstance(value, str) else value for value in values]


def _check_kind(feature: Continuous, column: npt.NDArray[Any]) -> None:
    """Raise an error for numbers instead of dates and the like; texts are read later."""
    if column.dtype.kind == "f" and feature.kind in ("number", "integer"):
        return
    known: set[type] = {str, type(None)}
    for row, value in enumerate(as_values(column), 1):
        if type(value) in known:
            continue
        known.add(type(value))
        kind = kind_of(value)
        is_known = kind != "value"  # Space.encode reads decimals and the like
        if is_known and _ALIKE.get(kind, kind) != _ALIKE.get(feature.kind, feature.kind):
            noun = _NOUNS[feature.kind]
            raise DataError(f"column {feature.name!r}, row {row}: {shown(value)} is not {noun}")


def _value(text: str, feature: Continuous, locale: Locale, unit: str) -> Any:
    """Return the number, date, time or duration that a text means."""
    if text.lower() in NOTHING:
        return None
    if may_be_thousands(text) and not locale.decimal:
        raise FormatError(thousands_or_not(text))
    if text.endswith("%") and unit != "%":
        raise _no_percent(text)
    units = units_of(text) - {"%"}
    if unit and units and not same_money([unit]) & same_money(units):
        raise FormatError(f"{short(text)!r} must be in {unit}, as the numbers of the rules are")
    periods = {each for each in units & PERIODS if each[:-1] not in feature.name.casefold()}
    if periods and not unit:
        raise FormatError(
            f"{short(text)!r} is in {min(periods)}, but the numbers of the rules have no unit;"
            " write a number in the unit that they mean"
        )
    try:
        value = literal(value_text(text, locale))
    except FormatError as error:
        if any(sign in text for sign in ",./") and text[:1].isdigit():
            raise
        value = _literal(text, error)
    if kind_of(value) not in _KINDS.get(feature.kind, {feature.kind}):
        raise FormatError(f"{short(text)!r} is not {_NOUNS[feature.kind]}")
    if feature.kind == "datetime" and type(value) is dt.date:
        return dt.datetime.combine(value, dt.time())
    return value


def _literal(text: str, error: FormatError) -> Any:
    try:
        return literal(text.replace(" ", "T", 1))
    except FormatError:
        raise error from None


def _answers(feature: Categorical, values: list[Any]) -> list[Any] | None:
    """Return yes and no in the spelling of the rules, None if there is nothing to respell."""
    if set(feature.values) == {True, False}:
        yes: Any = True
        no: Any = False
        texts = [v for v in values if isinstance(v, str)]
        pair = answer_pair([t for t in map(_plain, texts) if t not in _BOOLEANS])
    else:
        pair = answer_pair(feature.values) if len(feature.values) == 2 else ()
        if not pair:
            return None
        yes, no = (next(v for v in feature.values if _plain(v) == word) for word in pair)
    words = {"true": yes, "false": no, **(dict(zip(pair, (yes, no), strict=True)) if pair else {})}
    if _are_bits(values):
        return [None if v is None else yes if float(v) else no for v in values]
    return [words.get(_plain(v), v) if isinstance(v, str | bool) else v for v in values]


_BOOLEANS: Final = ("true", "false")


def _are_bits(values: Iterable[Any]) -> bool:
    """Return whether all values are 1 or 0, which may mean yes and no."""
    present = {_plain(v) for v in values if v is not None and type(v) is not bool}
    return bool(present) and present <= {"0", "1", "0.0", "1.0"}


def _as_texts(feature: Categorical, table: Table) -> list[Any] | None:
    """Return numbers and dates as texts, if the rules have only texts; None if there are none."""
    values = as_values(table[feature.name])
    if not feature.is_text or all(value is None or isinstance(value, str) for value in values):
        return None
    cells = table.cells.get(feature.name) or [str(value) for value in values]
    return [None if v is None else c.strip() for v, c in zip(values, cells, strict=True)]


def _plain(value: Any) -> str:
    return str(value).strip().casefold()


def _check_percentages(name: str, values: Sequence[Any], table: Table) -> None:
    """Raise an error for a number beyond 1 without a percent sign, which may be a percentage."""
    cells = as_values(table[name])
    for row, (cell, value) in enumerate(zip(cells, values, strict=True), 1):
        if _is_beyond(value) and not (isinstance(cell, str) and "%" in cell):
            raise DataError(f"column {name!r}, row {row}: {_percent_or_not(value)}")


def _is_beyond(value: Any) -> bool:
    """Return whether a value is a number that may be a percentage rather than a fraction."""
    return type(value) in (int, float) and 1 < abs(value) < math.inf


def _percent_or_not(number: float) -> str:
    plain = Decimal(repr(number))
    hundredth, number_text, hundredfold = (
        f"{plain.scaleb(places).normalize():f}" for places in (-2, 0, 2)
    )
    return (
        f"{number_text} is ambiguous, because the rules have percentages; write {number_text}% or"
        f" {hundredth}, or {hundredfold}% if that is meant"
    )


def _of_percentages(draft: TableDraft) -> set[str]:
    """Return the columns of rules in whose cells numbers have a percent sign."""
    return {name for name, text in draft.respelled if "%" in units_of(text)}


def read_outcomes(table: Table, name: str, draft: TableDraft | None) -> list[Any]:
    """Return expected outcomes, read as those of a spreadsheet if the rules are from one."""
    values = as_values(table[name])
    if draft is None:
        return values
    locale = Locale(draft.decimal or ".", draft.day_first)
    known: dict[str, Any] = {}
    for value in values:
        if isinstance(value, str) and value not in known:
            text = value.strip()
            if not text:
                known[value] = None
            elif is_amount(text):
                known[value] = parse_value(value_text(text, locale))
            else:  # cells of instances contain no formulas
                known[value] = text if FORMULA.match(text) else read_outcome(text)
    outcomes = [known[value] if isinstance(value, str) else value for value in values]
    if name in _of_percentages(draft) - table.percentages:
        _check_percentages(name, outcomes, table)
    return outcomes


# --- cases, rules and properties on the command line

_TESTED: Final = r"(?=\s*(?:[<>=!≤≥]|(?:is|in|not|between|IS|IN|NOT|BETWEEN)\b))"
_PERCENT: Final = r"(?<![\w.,])[-−]?\d+(?:[.,]\d+)?\s?%"
_SEPARATED: Final = r"(?<![\w.,-])-?\d+[.,]\d+(?![\w]|[.,]\d)"
_DAY: Final = r"(?<![\w.,/-])\d{1,2}(?P<sign>[./])\d{1,2}(?P=sign)\d{4}(?![\w/-]|\.\d)"


def in_notation(text: str, space: Space, draft: TableDraft | None = None) -> str:
    """Return a text with names in quotes, and percentages and dates, as the notation has them."""
    draft = TableDraft("") if draft is None else draft
    written = {name: name for name in space.names if display(name) != name and '"' not in name}
    written |= {header_name(name): name for name in written if header_name(name) not in space.names}
    for name in list(written):
        stem = re.sub(r"\s*[(\[][^()\[\]]*[)\]]$", "", name)
        if stem not in space.names and sum(n.startswith(stem) for n in space.names) == 1:
            written[stem] = name
    # one word may also be a keyword, or text
    names = [re.escape(n) + (_TESTED if n.isidentifier() else r"(?!\w)") for n in written if n]
    by_length = "|".join(sorted(names, key=len, reverse=True)) or r"(?!)"
    pattern = (
        rf'"(?:[^"\\]|\\.)*"|#[^\n]*|(?P<name>(?<!\w)(?:{by_length}))|(?P<percent>{_PERCENT})'
        rf"|(?P<day>{_DAY})|(?P<separated>{_SEPARATED})"
    )
    locale = Locale(draft.decimal, draft.day_first)
    percentages = _of_percentages(draft)

    def respell(match: re.Match[str]) -> str:
        if match["name"]:
            return quote(written[match["name"]])
        if match["percent"] and not percentages:
            raise _no_percent(match["percent"])
        if match["separated"] and draft.decimal == ",":
            before = text[: match.start()]
            is_listed = any(before.count(a) > before.count(b) for a, b in ("{}", "()"))
            _check_separated(match["separated"], is_listed=is_listed)
        return value_text(match.group(), locale) if match["percent"] or match["day"] else match[0]

    without = re.sub(pattern, lambda match: "0" if match["percent"] else respell(match), text)
    for line in without.splitlines() if percentages else ():
        _check_tests(line, percentages)
    return re.sub(pattern, respell, text)


def _check_tests(line: str, percentages: set[str]) -> None:
    """Raise an error for a number beyond 1 that is compared with a percentage."""
    try:
        tokens = tokenize(line)
    except FormatError:
        return  # the parser names the line
    for at, token in enumerate(tokens):
        name = token.text[1:-1] if token.kind == "string" else token.text
        for number in _compared_with(tokens, at) if name in percentages else ():
            if _is_beyond(float(number.text)):
                raise FormatError(_percent_or_not(float(number.text)))


def _compared_with(tokens: list[Token], at: int) -> Iterator[Token]:
    """Yield the numbers with which the feature at a place is compared."""
    before, after = tokens[max(at - 2, 0) : at], tokens[at + 1 :]
    if after[0].text.lower() == "not":
        after = after[1:]
    tested = after[0].text.lower()
    if tested == "in":
        after = after[: next((n for n, t in enumerate(after) if t.text in "})"), 0)]
    elif tested == "between":
        after = after[:4]
    else:
        after = after[:2] if tested in _ORDERS else []
    sides = [*(before if before and before[-1].text in _ORDERS else ()), *after]
    yield from (token for token in sides if token.kind == "number")


_ORDERS: Final = ("<", "<=", ">", ">=", "=", "==", "!=")


def _check_separated(number: str, *, is_listed: bool) -> None:
    """Raise an error for a number that differs from those of a table with decimal commas."""
    if may_be_thousands(number):
        raise FormatError(
            f"{thousands_or_not(number)}; numbers of the table have a decimal comma, those of"
            " rules, cases and properties a decimal point"
        )
    if "," in number and not is_listed:
        raise FormatError(
            f"{number!r} has a decimal comma; write {number.replace(',', '.')}, because rules,"
            " cases and properties have a decimal point"
        )


def _no_percent(text: str) -> FormatError:
    plain = text[:-1].strip()
    return FormatError(
        f"{text!r} has a percent sign, but the numbers of the rules have none; write {plain}"
        " or its hundredth"
    )


# --- cases without a decision

_MOST_ROWS: Final = 5
_MOST_REASONS: Final = 5


def undecided(predictions: Sequence[Any], table: Table, space: Space) -> str:
    """Return how many cases no rule decides, and why; "" if all are decided."""
    rows = [row for row, then in enumerate(predictions) if _is_none(then)]
    if not rows:
        return ""
    columns = {f.name: as_values(table[f.name]) for f in space if f.name in table}
    reasons: dict[str, list[int]] = {}
    never = _impossible(table, space)
    for row in rows:
        texts = (_reason(space[name], values[row]) for name, values in columns.items())
        text = _NEVER if row in never else next(filter(None, texts), "no rule applies")
        reasons.setdefault(text, []).append(row)
    be = "is" if len(rows) == 1 else "are"
    cases = counted(len(predictions), "case")
    return f"{len(rows):,} of {cases} {be} undecided: {_listed(reasons)}"


_NEVER: Final = "according to the rules, it cannot occur"


def _impossible(table: Table, space: Space) -> set[int]:
    """Return the rows that the space excludes as impossible."""
    if not space.impossible:
        return set()
    instances = space.encode(table)
    holds = [region.contains(instances) for region in space.impossible]
    return set(np.flatnonzero(np.any(holds, axis=0)).tolist())


def _is_none(then: Any) -> bool:
    return bool(then == "" or is_missing(then))


def _listed(reasons: dict[str, list[int]]) -> str:
    parts = [f"{_rows(rows)} ({text})" for text, rows in reasons.items()]
    listed = "; ".join(parts[:_MOST_REASONS]) + ("; …" if len(parts) > _MOST_REASONS else "")
    # once, because there may be many such values
    return listed.replace(_WHOLE, f"{_WHOLE}; {_FRACTIONS}", 1)


_WHOLE: Final = "but the rules contain only whole numbers"
_FRACTIONS: Final = "declare the feature with kind='number' to allow fractions"


def doubtful(predictions: Sequence[Any], table: Table, space: Space) -> str:
    """Return which cases are decided although a value is doubtful or they cannot occur.

    Such cases often go to a rule or default for all other values.
    """
    reasons: dict[str, list[int]] = {}
    for feature in space:
        if feature.name not in table:
            continue
        known: dict[Any, str] = {}
        for row, value in enumerate(as_values(table[feature.name])):
            if value is None:
                continue
            if value not in known:
                known[value] = _reason(feature, value)
            if known[value] and not _is_none(predictions[row]):
                reasons.setdefault(known[value], []).append(row)
    if never := [
        row for row in sorted(_impossible(table, space)) if not _is_none(predictions[row])
    ]:
        reasons[_NEVER] = never
    n = len({row for rows in reasons.values() for row in rows})
    noun = "decided case is" if n == 1 else "decided cases are"
    return f"{n:,} {noun} doubtful: {_listed(reasons)}" if n else ""


def _rows(rows: list[int]) -> str:
    listed = ", ".join(str(row + 1) for row in rows[:_MOST_ROWS])
    more = f" and {len(rows) - _MOST_ROWS:,} more" if len(rows) > _MOST_ROWS else ""
    return f"{'rows' if len(rows) > 1 else 'row'} {listed}{more}"


def _reason(feature: Feature, value: Any) -> str:
    """Return why a value may be the reason that no rule applies, "" if it is ordinary."""
    if value is None:
        return f"{display(feature.name)} is missing"
    if isinstance(feature, Continuous):
        if feature.kind == "integer" and isinstance(value, float) and not value.is_integer():
            return f"{display(feature.name)} is {value:g}, {_WHOLE}"
        low, high = feature.bounds
        if (low is not None and value < low) or (high is not None and value > high):
            return f"{display(feature.name)} is {shown(value)}, which the rules exclude"
        return ""
    if not isinstance(value, str) or feature.encode_value(value) != OTHER_CODE:
        return ""
    texts = [v for v in feature.values if isinstance(v, str)]
    alike = [text for text in texts if _plain(text) == _plain(value)]
    if not alike and feature.other:
        return ""
    hint = f"; did you mean {alike[0]!r}?" if alike else did_you_mean(value, texts)
    return f"{display(feature.name)} is {short(value)}, which no rule names{hint}"
