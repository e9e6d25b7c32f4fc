"""The values of a feature that a unary test selects, and selections as text of cells.

On a continuous feature a test selects disjoint intervals, on a categorical one a set of values.
Missing values (null) follow FEEL: an ordered comparison with null is neither true nor false, so
null satisfies neither ``< 5`` nor ``not(< 5)``, but it satisfies ``not(5)``.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from irenic.errors import ConditionError, FormatError, without_feature
from irenic.formats.cells.reading import literal
from irenic.formats.cells.words import means_days, warning
from irenic.formats.feel.unary_tests import AllOf, AnyOf, Compare, Not, Test, kind_of
from irenic.model.characters import cleaned, is_lasting, is_plain, two_scripts
from irenic.model.condition import LOWER_AFTER, UPPER_AFTER, Interval, Operators, cut_after
from irenic.model.features import (
    EXACT,
    FIRST_CODE,
    LOWEST,
    MISSING_CODE,
    WANTED,
    Categorical,
    Continuous,
)
from irenic.model.literals import (
    NO_PROBABILITIES,
    Months,
    Prefix,
    Probabilities,
    check_writable,
    display,
    format_duration,
    format_number,
    quote,
)
from irenic.model.patterns import lazy

Cut: TypeAlias = tuple[float, bool]
"""Where an interval begins or ends, and whether it was written as the value just before that."""
Span: TypeAlias = tuple[Cut, Cut]

WHOLE: Final[tuple[Span, ...]] = (((LOWEST, False), (math.inf, False)),)
# The kinds of literal that each kind of feature can be compared with.
_FITTING: Final = {
    "number": {"number"},
    "integer": {"number"},
    "date": {"date"},
    "datetime": {"date", "datetime"},
    "time": {"time"},
    "duration": {"duration"},
    "months": {"months"},
}
_NOUNS: Final = {
    "number": "a number",
    "boolean": "true or false",
    "text": "a text",
    "date": "a date",
    "datetime": "a date and time",
    "time": "a time of day",
    "duration": "a duration of days and less",
    "months": "a duration of years and months",
}


class MisfitError(FormatError):
    """A literal of another kind than the values of its column."""


class Selection(NamedTuple):
    """The values of a continuous feature that pass a test; ``missing`` is three-valued."""

    spans: tuple[Span, ...]
    missing: bool | None


# --- continuous features


def select(feature: Continuous, test: Test) -> Selection:
    """Return the values that pass a test, as ascending intervals that do not touch."""
    if isinstance(test, Compare):
        return _compared(feature, test)
    if isinstance(test, Not):
        inner = select(feature, test.test)
        return Selection(
            complement(inner.spans), None if inner.missing is None else not inner.missing
        )
    parts = [
        _compared(feature, part) if type(part) is Compare else select(feature, part)
        for part in test.tests
    ]
    if isinstance(test, AllOf):
        spans = parts[0].spans if parts else WHOLE
        for part in parts[1:]:
            spans = intersection(spans, part.spans)
        return Selection(spans, _all([part.missing for part in parts]))
    return Selection(
        union(s for part in parts for s in part.spans), _any([p.missing for p in parts])
    )


def _compared(feature: Continuous, test: Compare) -> Selection:
    order, value = test
    if value is None:
        return Selection((), True) if order == "=" else Selection(WHOLE, False)
    kind = kind_of(value)
    if kind not in _FITTING[feature.kind]:
        raise MisfitError(f"{shown(value)} is not {WANTED[feature.kind]}")
    if kind in ("datetime", "time"):
        _check_zone(feature, value)
    try:
        if order in ("=", "!="):
            point = _between(_cut_at(feature, value), _cut_above(feature, value))
            return Selection(point, False) if order == "=" else Selection(complement(point), True)
        cut = (_cut_at if order in ("<", ">=") else _cut_above)(feature, value)
    except ConditionError as error:
        raise FormatError(without_feature(error, feature.name)) from None
    low, high = WHOLE[0]
    return Selection(_between(low, cut) if order in ("<", "<=") else _between(cut, high), None)


def _cut_at(feature: Continuous, value: Any) -> Cut:
    return feature.snap(feature.encode_bound(value)), False


def _cut_above(feature: Continuous, value: Any) -> Cut:
    return cut_after(feature, feature.encode_bound(value))


def _between(low: Cut, high: Cut) -> tuple[Span, ...]:
    return ((low, high),) if low[0] < high[0] else ()


def _check_zone(feature: Continuous, value: Any) -> None:
    if getattr(value, "tzinfo", None) is None or feature.unit == "UTC":
        return
    raise FormatError(
        f"{value.isoformat()} has a time zone, but the values of {feature.name!r} do not; drop the"
        " time zone"
    )


def union(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the union of spans as disjoint ascending ones; spans that touch are merged."""
    merged: list[Span] = []
    for low, high in sorted(s for s in spans if s[0][0] < s[1][0]):
        if merged and low[0] <= merged[-1][1][0]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return tuple(merged)


def intersection(a: Iterable[Span], b: Iterable[Span]) -> tuple[Span, ...]:
    """Return the intersection of two lists of disjoint ascending spans."""
    overlaps: list[Span] = []
    left, right = list(a), list(b)
    if len(left) == len(right) == 1:
        return _between(max(left[0][0], right[0][0]), min(left[0][1], right[0][1]))
    i = j = 0
    while i < len(left) and j < len(right):
        overlaps.append((max(left[i][0], right[j][0]), min(left[i][1], right[j][1])))
        if left[i][1][0] < right[j][1][0]:
            i += 1
        else:
            j += 1
    return union(overlaps)


def complement(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the complement of disjoint ascending spans."""
    start, end = WHOLE[0]
    between = []
    for low, high in spans:
        between.append((start, low))
        start = high
    return union([*between, (start, end)])


def _all(parts: Sequence[bool | None]) -> bool | None:
    if False in parts:
        return False
    return None if None in parts else True


def _any(parts: Sequence[bool | None]) -> bool | None:
    if True in parts:
        return True
    return None if None in parts else False


def intervals(feature: Continuous, selected: Selection) -> list[Interval]:
    """Return a selection as intervals, one per rule; [] if it is empty."""
    missing = bool(selected.missing) and feature.missing
    if selected.spans == WHOLE and (missing or not feature.missing):
        return [Interval(-math.inf, math.inf)]
    parts = [
        Interval(low, high, (LOWER_AFTER if above else 0) | (UPPER_AFTER if upto else 0))
        for (low, above), (high, upto) in selected.spans
    ]
    if missing and parts and parts[0].lower <= LOWEST:
        parts[0] = parts[0]._replace(lower=-math.inf)
    elif missing:
        parts.insert(0, Interval(-math.inf, LOWEST))
    return parts


# --- categorical features


def kinds_of(feature: Categorical) -> frozenset[str]:
    """Return the kinds of literal that a categorical feature can be compared with."""
    return frozenset(map(kind_of, feature.values))


def bits(feature: Categorical, test: Test, kinds: frozenset[str] | None = None) -> int:
    """Return the bits of the values that pass a test: 0 missing, 1 other, then the values.

    ``kinds`` is the result of :func:`kinds_of`, if it is known already.
    """
    passing, missing = _passing(feature, test, kinds_of(feature) if kinds is None else kinds)
    return (passing | bool(missing) << MISSING_CODE) & feature.everything


def _passing(feature: Categorical, test: Test, kinds: frozenset[str]) -> tuple[int, bool | None]:
    present = feature.everything & ~(1 << MISSING_CODE)
    if isinstance(test, Compare):
        return _compared_values(feature, test, present, kinds)
    if isinstance(test, Not):
        inner, missing = _passing(feature, test.test, kinds)
        return present & ~inner, None if missing is None else not missing
    parts = [_passing(feature, part, kinds) for part in test.tests]
    missings = [missing for _, missing in parts]
    if isinstance(test, AllOf):
        for part, _ in parts:
            present &= part
        return present, _all(missings)
    passing = 0
    for part, _ in parts:
        passing |= part
    return passing, _any(missings)


def _compared_values(
    feature: Categorical, test: Compare, present: int, kinds: frozenset[str]
) -> tuple[int, bool | None]:
    order, value = test
    if value is None:
        return (0, True) if order == "=" else (present, False)
    kind = kind_of(value)
    if kinds and kind not in kinds:
        nouns = " or ".join(sorted(_NOUNS.get(k, "another value") for k in kinds))
        raise MisfitError(f"{shown(value)} is not {nouns}")
    if isinstance(value, Prefix):
        within = feature.bits_of(value) or 0
        if not within and feature.other:
            raise FormatError(f"{value} is not a listed prefix of {feature.name!r}; list it")
        return (within, False) if order == "=" else (present & ~within, True)
    if order in ("=", "!="):
        code = feature.codes.get(value)
        if code is not None and kind_of(feature.values[code - FIRST_CODE]) != kind:
            code = None  # 1 and true are equal in Python
        if code is None and feature.other:
            raise FormatError(
                f"{shown(value)} is not a listed value of {feature.name!r}"
                f" ({feature.show_values()}) and cannot be distinguished from other values; list it"
            )
        passing = 0 if code is None else 1 << code
        return (passing, False) if order == "=" else (present & ~passing, True)
    if feature.other:
        raise FormatError(
            f"{order} {shown(value)} needs a list of all values of {feature.name!r}, which can have"
            f" others; list them{_date_hint(value)}"
        )
    passes = _ORDERS[order]
    passing = 0
    for code, listed in enumerate(feature.values, FIRST_CODE):
        if kind_of(listed) == kind and kind != "boolean" and passes(listed, value):
            passing |= 1 << code
    return passing, None


def _date_hint(value: Any) -> str:
    dated = isinstance(value, str) and re.fullmatch(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}", value)
    return ', or write dates as 2026-01-31 (in FEEL date("2026-01-31"))' if dated else ""


_ORDERS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": lambda a, b: bool(a < b),
    "<=": lambda a, b: bool(a <= b),
    ">": lambda a, b: bool(a > b),
    ">=": lambda a, b: bool(a >= b),
}


# --- as text


def shown(value: Any) -> str:
    """Return a literal for a message."""
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()  # with its zone, if it has one
    return "null" if value is None else quote(value) if isinstance(value, str) else display(value)


_NOT_IN_XML: Final = lazy("[\ufffe\uffff]")  # not even as references
_NOT_ASCII: Final = lazy(r"[^\x00-\x7f]")


def literal_text(value: Any, *, words: bool = False) -> str:
    """Return a value as FEEL; with ``words``, dates and words without quotes, as in sheets."""
    check_writable(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        if words and _reads_bare(value):
            return value
        return with_escapes(quote(value))
    if isinstance(value, Prefix):
        return _prefix_text(value, words=words)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return format_number(value) if words and abs(value) <= EXACT else _decimal(value)
    for kind, name in _CONSTRUCTORS.items():
        if type(value) is kind:
            text = format_duration(value) if name == "duration" else value.isoformat()
            if getattr(value, "tzinfo", None) and type(value).fromisoformat(text) != value:
                raise FormatError(f"{text} has a time zone without a fixed offset; drop it")
            return text if words else f'{name}("{text}")'
    if isinstance(value, Probabilities):
        raise FormatError(
            f"probabilities ({value}) cannot be written to a decision table; {NO_PROBABILITIES}"
        )
    raise FormatError(
        f"{value!r} of type {type(value).__name__} cannot be written to a decision table;"
        " use text, numbers, booleans, dates, times or durations"
    )


def with_escapes(text: str) -> str:
    """Return a text in quotes with escapes for the characters that readers drop or doubt."""
    if text.isascii():
        return text
    text = _NOT_IN_XML.sub(_escape, text)
    if cleaned(text) != text:
        text = _NOT_ASCII.sub(lambda m: m[0] if is_lasting(m[0]) else _escape(m), text)
    is_doubtful = cleaned(text) != text or two_scripts(text.replace('"', " "))
    return _NOT_ASCII.sub(_escape, text) if is_doubtful else text


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\u{code:04x}" if code <= _BASIC_PLANE else f"\\U{code:06x}"


_BASIC_PLANE: Final = 0xFFFF


def _prefix_text(prefix: Prefix, *, words: bool) -> str:
    """Return a prefix as a cell of a sheet, or as a test in FEEL."""
    parts = [literal_text(part, words=words) for part in prefix.without]
    if words:
        start = with_escapes(str(Prefix(prefix.text)))
        return f"{start} except ({', '.join(parts)})" if parts else start
    tests = [f"starts with(?, {literal_text(prefix.text)})"]
    for part, text in zip(prefix.without, parts, strict=True):
        tests.append(f"not({text})" if isinstance(part, Prefix) else f"? != {text}")
    return " and ".join(tests)


@lru_cache(maxsize=10_000)
def _reads_bare(value: str) -> bool:
    """Return whether a text needs no quotes in a spreadsheet: an unambiguous word."""
    if not _WORD.fullmatch(value) or warning(value) or means_days(value):
        return False
    if not is_plain(value):
        return False
    try:
        return bool(literal(value) == value)
    except FormatError:
        return False


_WORD: Final = lazy(r"[^\W\d_]\w*")
_CONSTRUCTORS: Final[dict[Any, str]] = {
    dt.datetime: "date and time",
    dt.date: "date",
    dt.time: "time",
    dt.timedelta: "duration",
    Months: "duration",
}


def _decimal(value: float) -> str:
    """Return a number without an exponent, which FEEL lacks, that reads back as the same float."""
    text = format(Decimal(repr(value)), "f").removesuffix(".0")
    # beyond 2**53 a number without a point is read as an integer, which may not equal this float
    return f"{text}.0" if abs(value) > EXACT and "." not in text else text


def feel_text(test: Test | Operators, *, words: bool = False) -> str:
    """Return the text of a test; read back, it selects the same values.

    With ``words``, dates and words have no quotes, as in spreadsheets.
    """
    if isinstance(test, dict):
        return cell_text([test], words=words)
    if test == AllOf(()):
        return "-"
    text = _listed(test, words)
    # spreadsheets accept ? in brackets only if the cell begins with it
    return f"? in ({text})" if _joined(test) else text


def _listed(test: Test, words: bool) -> str:
    parts = test.tests if isinstance(test, AnyOf) else (test,)
    return ", ".join(_one(part, words) for part in parts)


def _one(test: Test, words: bool) -> str:
    if isinstance(test, Compare):
        sign = "" if test.order == "=" else f"{test.order} "
        return f"{sign}{_value(test.value, words)}"
    if isinstance(test, Not):
        return f"not({_listed(test.test, words)})"
    if isinstance(test, AnyOf):
        return f"({_listed(test, words)})"
    if bounds := _range_of(test):
        low, high = bounds
        opening, closing = "[" if low.order == ">=" else "(", "]" if high.order == "<=" else ")"
        a, b = (_value(bound.value, words) for bound in bounds)
        return f"{opening}{a}..{b}{closing}"
    return " and ".join(f"? in ({_listed(part, words)})" for part in test.tests)


def _value(value: Any, words: bool) -> str:
    is_to_the_minute = words and type(value) is dt.time and value.tzinfo is None
    if is_to_the_minute and not (value.second or value.microsecond):
        return f"{value:%H:%M}"
    return literal_text(value, words=words)


def _range_of(test: AllOf) -> tuple[Compare, Compare] | None:
    """Return the two comparisons of a range, None for other tests."""
    parts = [part for part in test.tests if isinstance(part, Compare)]
    if len(test.tests) != 2 or len(parts) != 2:
        return None
    low, high = parts
    ordered = low.order in (">", ">=") and high.order in ("<", "<=")
    return (low, high) if ordered and kind_of(low.value) == kind_of(high.value) else None


def _joined(test: Test) -> bool:
    """Return whether a test contains others joined by "and", which FEEL needs ``?`` for."""
    if isinstance(test, Compare):
        return False
    if isinstance(test, Not):
        return _joined(test.test)
    joined = isinstance(test, AllOf) and _range_of(test) is None
    return joined or any(map(_joined, test.tests))


def cell_text(conditions: Sequence[Operators], *, words: bool = False) -> str:
    """Return the cell that is satisfied by any of several conditions on a feature."""
    if any(not operators for operators in conditions):
        return "-"
    return ", ".join(text for ops in conditions for text in _items(ops, words))


def _items(operators: Operators, words: bool) -> list[str]:
    def show(value: Any) -> str:
        return literal_text(value, words=words)

    if set(operators) == {"missing"}:
        return ["null"] if operators["missing"] else ["not(null)"]
    null = ["null"] if operators.get("missing") else []
    if "not in" in operators:
        excluded = [show(v) for v in operators["not in"]]
        excluded += ["null"] if operators.get("missing") is False else []
        return [f"not({', '.join(excluded)})"]
    if "in" in operators:
        return [*map(show, operators["in"]), *null]
    if "=" in operators:
        return [show(operators["="]), *null]
    low = next((op for op in (">", ">=") if op in operators), None)
    high = next((op for op in ("<", "<=") if op in operators), None)
    if low and high:
        opening, closing = "[" if low == ">=" else "(", "]" if high == "<=" else ")"
        return [f"{opening}{show(operators[low])}..{show(operators[high])}{closing}", *null]
    only = low or high or ""
    return [f"{only} {show(operators[only])}", *null]
