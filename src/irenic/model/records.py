"""Single records as numbers, by the types of their values.

Turning a table of one row into numbers, as whole columns are, takes longer than most uses of it.
"""

from __future__ import annotations

import datetime as dt
import math
import struct
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from irenic.errors import DataError
from irenic.model.columns import as_plain_text, field_names, is_naive
from irenic.model.features import (
    EXACT,
    MISSING,
    MISSING_CODE,
    OTHER,
    OTHER_CODE,
    Categorical,
    Feature,
)
from irenic.model.literals import is_missing

if TYPE_CHECKING:
    from irenic.model.space import Space

Values: TypeAlias = Sequence[Any]

_NONE: Final = type(None)
_NUMBERS: Final = frozenset({int, float, np.float64, np.int64})
_TYPES: Final = ((float, int), (int,))
CLOSER: Final = (LookupError, TypeError, ValueError, OverflowError, DataError, struct.error)
"""What goes wrong with values that need a closer look, by Space.encode."""


class Records:
    """Encodes single records of a space: the values of continuous features, then the codes.

    The numbers are not checked against the limits of the features, and NaN is a missing one. An
    error of ``CLOSER`` means that only ``Space.encode`` can read or refuse the record.
    """

    def __init__(self, space: Space) -> None:
        features: tuple[Feature, ...] = (*space.continuous, *space.categorical)
        self._n = len(features)
        self._by_name = _getter([feature.name for feature in features])
        self._in_order = _getter([space.index(feature.name) for feature in features])
        # not strict, which takes longer than a conversion: the getters return n values
        self._paired = partial(zip, [_converters(feature) for feature in features])
        self._numeric = all(getattr(f, "kind", "") in ("number", "integer") for f in features)
        # a greater number may be the rounded image of an integer; dates are whole days
        self.exact: tuple[float, ...] = tuple(
            math.inf if feature.kind == "date" else float(EXACT) for feature in space.continuous
        )
        self._plain = all(feature.kind in ("number", "integer") for feature in space.continuous)
        self._limits = [
            (f.name, _TYPES[f.kind == "integer"], max(f.lowest, -EXACT), min(f.end, EXACT))
            for f in space.continuous
        ]
        self._codes = [(feature.name, feature.codes) for feature in space.categorical]

    def numbers(self, record: Any) -> Values:
        """Return the numbers of a record, which is a mapping or has the order of the features."""
        kind = type(record)
        if kind is dict:
            values = self._by_name(record)
        elif (kind is tuple or kind is list) and len(record) == self._n:
            values = self._in_order(record)
        else:
            values = self._other_values(record)
        if self._numeric and _NUMBERS.issuperset(map(type, values)):
            return values
        return [convert[type(value)](value) for convert, value in self._paired(values)]

    def usual(self, record: Mapping[str, Any]) -> tuple[list[float], list[int]] | None:
        """Return the values and codes of a record; None if one is missing or looks unusual.

        A loop over names: three times as fast as converting values by their types.
        """
        if not self._plain:
            return None
        values: list[float] = []
        codes: list[int] = []
        try:
            for name, types, lowest, end in self._limits:
                value = record[name]
                if type(value) not in types or not lowest <= value < end:
                    return None
                values.append(float(value))
            for name, known in self._codes:
                value = record[name]
                if type(value) is not str:
                    return None
                codes.append(known[value])
        except KeyError:
            return None
        return values, codes

    def _other_values(self, record: Any) -> Values:
        if isinstance(record, Mapping):
            return self._by_name(dict(record))
        if type(record) is np.ndarray and record.dtype.kind in "iuf" and record.shape == (self._n,):
            return self._in_order(record.tolist())
        names = field_names(record)
        if names is None:
            raise TypeError("a record that only Space.encode can read")
        return self._by_name(dict(zip(names, record, strict=True)))


def _getter(keys: Sequence[Any]) -> Callable[[Any], Values]:
    """Return a function that returns the values of some keys as a tuple."""
    if len(keys) > 1:  # of one key, itemgetter returns the value itself
        return itemgetter(*keys)
    return lambda record: tuple([record[key] for key in keys])


class _Converters(dict[type, Callable[[Any], float]]):
    """Functions that turn values of a feature into numbers, by the type of the value."""

    def __init__(
        self, usual: Mapping[type, Callable[[Any], float]], other: Callable[[Any], float]
    ) -> None:
        super().__init__(usual)
        self._other = other

    def __missing__(self, kind: type) -> Callable[[Any], float]:
        return self._other


class _OpenCodes(dict[Hashable, int]):
    """Codes of the values of a category that is open to others."""

    def __init__(self, feature: Categorical) -> None:
        super().__init__(feature.codes)
        self._texts, self._class_of = set(map(as_plain_text, feature.codes)), feature.class_of

    def __missing__(self, value: Hashable) -> int:
        if value is None or value is MISSING or as_plain_text(value) in self._texts:
            raise KeyError(value)  # to look closer
        return self._class_of(value)


def _converters(feature: Feature) -> _Converters:
    if isinstance(feature, Categorical):
        codes = _OpenCodes(feature) if feature.other else dict(feature.codes)
        codes |= {OTHER: OTHER_CODE} if feature.other else {}
        codes |= {None: MISSING_CODE, MISSING: MISSING_CODE} if feature.missing else {}
        code = codes.__getitem__
        # the types of which no value is missing, apart from None
        return _Converters(
            dict.fromkeys((str, int, bool, _NONE), code),
            lambda value: code(None if is_missing(value) else value),
        )
    if feature.in_utc:
        return _Converters({_NONE: _nan}, lambda value: feature.encode_value(_zoned(value)))
    return _Converters({_NONE: _nan, **_USUAL.get(feature.kind, {})}, feature.encode_value)


def _zoned(value: object) -> object:
    if is_naive(value):
        raise TypeError("a value that only Space.encode can refuse")
    return value


def _nan(_: None) -> float:
    return math.nan


def _date(value: dt.date) -> float:
    return (value.toordinal() - _EPOCH.toordinal()) * _DAY


def _datetime(value: dt.datetime) -> float:
    return (value - _EPOCH) // _MICROSECOND  # a time zone raises TypeError


_EPOCH: Final = dt.datetime(1970, 1, 1)
_MICROSECOND: Final = dt.timedelta(microseconds=1)
_DAY: Final = 86_400e6
# Continuous.encode_value converts the other types, and all values of the other kinds.
_USUAL: Final[dict[str, dict[type, Callable[[Any], float]]]] = {
    "number": dict.fromkeys(_NUMBERS, float),
    "integer": dict.fromkeys(_NUMBERS, float),
    "date": {dt.date: _date},
    "datetime": {dt.datetime: _datetime},
}
