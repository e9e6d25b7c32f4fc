"""Columns of text that are probably dates or amounts, which rules could compare as such."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from irenic.frames.columns import NOTHING
from irenic.model.space import Space

_DATE: Final = re.compile(
    r"\d{4}[-/.]\d\d?[-/.]\d\d?(?:[T ]\d\d?:\d\d.*)?"
    r"|\d\d?[-/.]\d\d?[-/.](?:\d{4}|\d\d)(?: \d\d?:\d\d.*)?"
)
_UNIT: Final = r"(?:[$€£¥%]|EUR|USD|GBP|CHF)"
_AMOUNT: Final = re.compile(
    rf"(?:{_UNIT}\s*)?[-+−]?\s*(?:{_UNIT}\s*)?"
    rf"(?:\d{{1,3}}(?:[.,\s'’]\d{{3}})+|\d+)(?:[.,]\d*)?\s*{_UNIT}?"
)
_CODE: Final = re.compile(r"\d+")
# Fewer different texts may well be meant as categories.
_FEWEST: Final = 5
# Share of texts that are dates or amounts, of all texts and of those that are looked at first.
_SHARE: Final = 0.95
_FIRST_SHARE: Final = 0.8
_FIRST: Final = 20


def doubtful_texts(space: Space, X: Any, meant: Collection[str] = ()) -> Iterator[str]:
    """Yield a warning for each category whose values are probably dates or amounts.

    ``meant`` are columns that users say something about. Categories of pandas are meant, too.
    """
    columns = X if isinstance(X, Mapping) else getattr(X, "dtypes", {})
    items = columns.items() if hasattr(columns, "items") else ()
    dtypes = {str(name): getattr(column, "dtype", column) for name, column in items}
    for feature in space.categorical:
        if feature.name in meant or hasattr(dtypes.get(feature.name), "categories"):
            continue
        if kind := _kind(feature.values):
            way = "pandas.to_datetime" if kind == "dates" else "pandas.to_numeric"
            yield (
                f"column {feature.name!r} holds {kind} as text, such as {feature.values[0]!r}, so"
                f" that rules list values instead of comparing them; convert it first (see {way}),"
                " or make it a category of pandas if that is what you want"
            )


def _kind(values: Collection[Any]) -> str:
    """Return what texts are, "" if they are just texts.

    >>> _kind(["2024-01-03", "2024-01-04", "2024-02-01", "n/a", "2023-12-31", "2022-05-05"])
    'dates'
    >>> _kind(["1.200,50 €", "3,00 €", "12,75 €", "100 €", "99,99 €"]), _kind(["a", "b"] * 5)
    ('amounts', '')
    >>> _kind(["10115", "20095", "50667", "80331", "01067"])  # codes, all of the same length
    ''
    """
    texts = [value.strip() for value in values if isinstance(value, str)]
    known = [text for text in texts if text.lower() not in (*NOTHING, "")]
    few = len(texts) < len(values) or len(known) < _FEWEST
    if few or not _alike(known[:_FIRST], _FIRST_SHARE) or not (kind := _alike(known, _SHARE)):
        return ""
    lengths = {len(text) for text in known}
    codes = all(map(_CODE.fullmatch, known))
    if codes and (len(lengths) == 1 or any(t[0] == "0" and len(t) > 1 for t in known)):
        return ""
    return kind


def _alike(texts: Collection[str], share: float) -> str:
    """Return what a share of the texts are."""
    for kind, pattern in (("dates", _DATE), ("amounts", _AMOUNT)):
        if sum(pattern.fullmatch(text) is not None for text in texts) >= share * len(texts):
            return kind
    return ""
