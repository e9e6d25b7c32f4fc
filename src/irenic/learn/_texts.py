"""Texts that are probably dates or amounts, or the same value in several spellings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from irenic.errors import DataError
from irenic.frames.columns import NOTHING
from irenic.model.columns import take_apart
from irenic.model.features import Categorical
from irenic.model.space import Space

_DATE: Final = re.compile(
    r"\d{4}[-/.]\d\d?[-/.]\d\d?(?:[T ]\d\d?:\d\d.*)?"
    r"|\d\d?[-/.]\d\d?[-/.](?:\d{4}|\d\d)(?: \d\d?:\d\d.*)?"
)
_UNIT: Final = r"(?:[$€£¥%]|EUR|USD|GBP|CHF)"
_AMOUNT: Final = re.compile(
    rf"\(?(?:{_UNIT}\s*)?[-+−]?\s*(?:{_UNIT}\s*)?"
    rf"(?:\d{{1,3}}(?:[.,\s'’]\d{{3}})+|\d+)(?:[.,]\d*)?(?:[eE][-+]?\d+)?\s*{_UNIT}?\)?"
)
_NUMBER: Final = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_CODE: Final = re.compile(r"\+?\d+")
# Fewer different texts may well be meant as categories.
_FEWEST: Final = 5
# Share of texts that are dates or amounts, of all texts and of those that are looked at first.
_SHARE: Final = 0.95
_FIRST_SHARE: Final = 0.8
_FIRST: Final = 20
# Share of numbers in a column that has numbers and texts.
_SHARE_OF_NUMBERS: Final = 0.5
# Of more values, spellings are not compared: they are names or texts of their own.
_MOST_SPELLINGS: Final = 1_000


def doubtful_texts(space: Space, X: Any, meant: Collection[str] = ()) -> Iterator[str]:
    """Yield a warning for each category whose values are dates or amounts, or misspelled.

    ``meant`` are columns that users say something about. Categories of pandas are meant, too.
    """
    types = column_types(X)
    for feature in space.categorical:
        if feature.name in meant or hasattr(types.get(feature.name), "categories"):
            continue
        if kind := kind_of_texts(feature.values):
            yield f"column {feature.name!r} {_said_of(feature, kind, X)}"
        elif same := spelled_alike(feature.values):
            yield f"column {feature.name!r}: {same}"


def column_types(X: Any) -> dict[str, Any]:
    """Return the types of the columns of a table, as far as it has any."""
    columns = X if isinstance(X, Mapping) else getattr(X, "dtypes", {})
    items = columns.items() if hasattr(columns, "items") else ()
    return {str(name): getattr(column, "dtype", column) for name, column in items}


def _said_of(feature: Categorical, kind: str, X: Any) -> str:
    """Return what to say about a column of dates or amounts."""
    effect = "so that rules list values instead of comparing them"
    want = "make it a category of pandas if that is what you want"
    texts = [value for value in feature.values if isinstance(value, str)]
    ignored = NOTHING if len(texts) == len(feature.values) else ()
    bad = [
        t for t in texts if not _NUMBER.fullmatch(t.strip()) and t.strip().lower() not in ignored
    ]
    numbers = any(_NUMBER.fullmatch(_text(value).strip()) for value in feature.values)
    if kind == "amounts" and bad and numbers:
        return (
            f"holds numbers, but {bad[0]!r}{_place(feature.name, bad[0], X)} is text, {effect};"
            f" correct such values or remove them if they are missing (see pandas.to_numeric), or"
            f" {want}"
        )
    way = "pandas.to_datetime" if kind == "dates" else "pandas.to_numeric"
    example = f"holds {kind} as text, such as {texts[0]!r}"
    return f"{example}, {effect}; convert it first (see {way}), or {want}"


def _place(name: str, value: str, X: Any) -> str:
    """Return the row of a value as text, "" if it is not known."""
    try:
        column = take_apart(X).select([name])[0]
    except DataError:  # rows that are not in memory, or columns without names
        return ""
    row = next((row for row, other in enumerate(column, 1) if other == value), 0)
    return f" in row {row:,}" if row else ""


def spelled_alike(values: Collection[Any]) -> str:
    """Return a sentence about values that differ only in case or spaces, "" if there are none.

    >>> print(spelled_alike(["cook", "Nurse", "nurse", "nurse "]))
    'Nurse', 'nurse' and 'nurse ' differ only in case or spaces, and count as different values;
    write them alike if they mean the same
    >>> print(spelled_alike(["cook ", "nurse"]))
    'cook ' begins or ends with a space; remove it if that is not meant
    """
    texts = [str(value) for value in values if isinstance(value, str)]  # not of numpy
    if len(texts) > _MOST_SPELLINGS:
        return ""
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(" ".join(text.split()).casefold(), []).append(text)
    for group in groups.values():
        if len(group) > 1:
            *most, last = map(repr, group)
            return (
                f"{', '.join(most)} and {last} differ only in case or spaces, and count as"
                " different values; write them alike if they mean the same"
            )
    spaced = next((text for text in texts if text != text.strip()), None)
    if spaced is None:
        return ""
    return f"{spaced!r} begins or ends with a space; remove it if that is not meant"


def kind_of_texts(values: Collection[Any]) -> str:
    """Return what texts are, "" if they are just texts.

    >>> kind_of_texts(["2024-01-03", "2024-01-04", "2024-02-01", "n/a", "2023-12-31", "2022-05-05"])
    'dates'
    >>> kind_of_texts(["1.200,50 €", "3,00 €", "12,75 €", "100 €", "99,99 €"])
    'amounts'
    >>> kind_of_texts(["a", "b"] * 5)
    ''
    >>> kind_of_texts([1.5, 2.5, 3, 4.5, "(7)", "unknown"])
    'amounts'
    >>> kind_of_texts(["10115", "20095", "50667", "80331", "01067"])  # codes of one length
    ''
    """
    texts = [_text(value).strip() for value in values if _text(value)]
    mixed = any(not isinstance(value, str) for value in values)
    known = [text for text in texts if text.lower() not in (*NOTHING, "")]
    few = len(texts) < len(values) or len(known) < _FEWEST
    if not few and mixed:
        return "amounts" if _alike(known, _SHARE_OF_NUMBERS) == "amounts" else ""
    if few or not _alike(known[:_FIRST], _FIRST_SHARE) or not (kind := _alike(known, _SHARE)):
        return ""
    lengths = {len(text) for text in known}
    codes = all(map(_CODE.fullmatch, known))
    if codes and (len(lengths) == 1 or any(t[0] in "+0" and len(t) > 1 for t in known)):
        return ""
    return kind


def _text(value: object) -> str:
    """Return a text or number as text, "" for any other value."""
    if isinstance(value, str):
        return value or " "
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _alike(texts: Collection[str], share: float) -> str:
    """Return what a share of the texts are."""
    for kind, pattern in (("dates", _DATE), ("amounts", _AMOUNT)):
        if sum(pattern.fullmatch(text) is not None for text in texts) >= share * len(texts):
            return kind
    return ""
