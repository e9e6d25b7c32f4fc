"""Deciders: rules prepared to decide one record after another.

Deciding a table (:meth:`irenic.RuleSet.predict`) turns its columns into arrays and tests all rules
on them, which for a single record takes far longer than the decision. A decider has an index of the
rules, and turns the values of a record into numbers without arrays.

Rule sets, rule lists and decision tables make deciders, so this module comes before them and knows
only packed rules.
"""

from __future__ import annotations

import datetime as dt
import math
import struct
from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, TypeAlias

import numpy as np

from irenic.arrays import Ints
from irenic.errors import DataError
from irenic.kernels import decide, structs
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
from irenic.model.literals import counted, is_missing
from irenic.model.packed import PackedRules
from irenic.model.space import Instances, Space

Record: TypeAlias = Mapping[str, Any] | Sequence[Any]
Values: TypeAlias = Sequence[Any]

_NONE: Final = type(None)
_NUMBERS: Final = frozenset({int, float, np.float64, np.int64})
# What goes wrong with values that need a closer look, by Space.encode.
_CLOSER: Final = (LookupError, TypeError, ValueError, OverflowError, DataError, struct.error)


class Decider:
    """Rules that are prepared to decide one record after another.

    :meth:`irenic.RuleSet.decider` and its counterparts of :class:`irenic.RuleList` and
    :class:`irenic.DecisionTable` return one. It decides as the rules did when it was made: later
    changes of a rule set do not affect it. Several threads can use a decider at once, and it can be
    pickled.

    Parameters
    ----------
    rules : PackedRules
        They are copied.
    thens : sequence of hashable
        The consequent of each rule.
    default : hashable, optional
        The answer if no rule covers a record.
    order : array of int, optional
        The rules by priority: the first that covers a record decides. None: all rules that cover a
        record vote with their weights.

    Examples
    --------
    >>> from irenic import Categorical, Continuous, Rule, RuleSet, Space
    >>> space = Space([Continuous("age"), Categorical("card", ["child", "staff"], missing=True)])
    >>> rules = RuleSet([Rule({"age": (None, 10)}, then="free"),
    ...                  Rule({"age": (10, None), "card": {"staff"}}, then="half")],
    ...                 space, default="full")
    >>> decide = rules.decider()
    >>> decide({"age": 30, "card": "staff"})
    'half'
    >>> decide([30, None])
    'full'
    >>> decide.rule([30, None])
    -1
    """

    def __init__(
        self,
        rules: PackedRules,
        thens: Sequence[Hashable],
        *,
        default: Hashable | None = None,
        order: Ints | None = None,
    ) -> None:
        self.space: Space = rules.space
        self._rules = rules.take(np.arange(rules.n))
        self._order = order
        # no rule is -1, which is the last answer
        self._answers: list[Hashable | None] = [*thens, default]
        self._prepare()

    def _prepare(self) -> None:
        space, rules = self.space, self._rules
        order = np.arange(rules.n) if self._order is None else self._order
        n_thens = int(rules.then.max(initial=0)) + 1 if self._order is None else 0
        self._index = decide.Index(
            structs.RuleColumns(
                *(rules.lower, rules.upper, rules.masks, rules.then, rules.weight, rules.n),
                *space.domain,
            ),
            np.ascontiguousarray(order, dtype=np.int64),
            _domain(space),
            n_thens,
        )
        self._decide: Callable[[Any, bytes, int], int] = decide.decide_point
        self._pointer = self._index.pointer
        features: tuple[Feature, ...] = (*space.continuous, *space.categorical)
        self._n = len(features)
        self._by_name = _getter([feature.name for feature in features])
        self._in_order = _getter([space.index(feature.name) for feature in features])
        self._converters = [_converters(feature) for feature in features]
        self._numeric = all(getattr(f, "kind", "") in ("number", "integer") for f in features)
        self._pack = struct.Struct(f"{self._n}d").pack

    def __repr__(self) -> str:
        rules, features = counted(self._rules.n, "rule"), counted(len(self.space), "feature")
        return f"<Decider: {rules}, {features}>"

    def __getstate__(self) -> dict[str, Any]:
        kept = ("space", "_rules", "_order", "_answers")
        return {name: self.__dict__[name] for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

    def __call__(self, record: Record) -> Hashable | None:
        """Return the consequent for one record.

        Parameters
        ----------
        record : mapping or sequence
            Values by feature name (other names are ignored), or in the order of the features. Named
            tuples, Spark rows and rows of pandas are read by name.

        Returns
        -------
        hashable or None
            The consequent, the default if no rule covers the record, None if there is no default.

        Raises
        ------
        DataError
            If a value is invalid, as for a table of one row.
        """
        return self._answers[self.rule(record)]

    def rule(self, record: Record) -> int:
        """Return the index of the rule that decides a record, -1 if no rule covers it.

        Parameters
        ----------
        record : mapping or sequence
            As in a call of the decider.

        Returns
        -------
        int
            If rules vote, the first rule of the consequent that wins.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> decide = RuleSet([Rule({"age": (0, 10)}, then="free")]).decider()
        >>> decide.rule({"age": 5}), decide.rule({"age": 10})
        (0, -1)
        """
        try:
            kind = type(record)
            if kind is dict:
                values = self._by_name(record)
            elif (kind is tuple or kind is list) and len(record) == self._n:
                values = self._in_order(record)
            else:
                values = self._other_values(record)
            if self._numeric and _NUMBERS.issuperset(map(type, values)):
                point = self._pack(*values)
            else:
                pairs = zip(self._converters, values, strict=True)
                point = self._pack(*[convert[type(value)](value) for convert, value in pairs])
        except _CLOSER:
            return self._decide_encoded(record)
        found = self._decide(self._pointer, point, 1)
        return found if found >= -1 else self._decide_encoded(record)

    def _other_values(self, record: Any) -> Values:
        if isinstance(record, Mapping):
            return self._by_name(dict(record))
        if type(record) is np.ndarray and record.dtype.kind in "iuf" and record.shape == (self._n,):
            return self._in_order(record.tolist())
        names = field_names(record)
        if names is None:
            raise TypeError("a record that only Space.encode can read")
        return self._by_name(dict(zip(names, record, strict=True)))

    def _decide_encoded(self, record: Any) -> int:
        """Return the index of the deciding rule, with the checks and errors of ``Space.encode``."""
        instances = self.space.encode(record if isinstance(record, Instances) else [record])
        if len(instances) != 1:
            raise DataError(f"a record must be one instance, got {len(instances)}")
        numbers = [*instances.values[:, 0].tolist(), *instances.codes[:, 0].tolist()]
        found = self._decide(self._pointer, self._pack(*numbers), 0)
        if found == decide.NO_MEMORY:
            raise MemoryError("not enough memory to count votes")
        return found


def _getter(keys: Sequence[Any]) -> Callable[[Any], Values]:
    """Return a function that returns the values of some keys as a tuple."""
    if len(keys) > 1:  # of one key, itemgetter returns the value itself
        return itemgetter(*keys)
    return lambda record: tuple([record[key] for key in keys])


def _domain(space: Space) -> decide.Domain:
    """Return which values of the continuous features need no closer look."""
    kinds = [feature.kind for feature in space.continuous]
    # a greater number may be the rounded image of an integer; dates are whole days
    exact = [math.inf if kind == "date" else float(EXACT) for kind in kinds]
    return decide.Domain(
        space.end,
        np.array(exact, dtype=np.float64),
        space.may_be_missing.astype(np.uint8),
        np.array([kind == "integer" for kind in kinds], dtype=np.uint8),
    )


# --- values as numbers, by their type


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

    def __init__(self, codes: Mapping[Hashable, int]) -> None:
        super().__init__(codes)
        self._texts = set(map(as_plain_text, codes))

    def __missing__(self, value: Hashable) -> int:
        if value is None or value is MISSING or as_plain_text(value) in self._texts:
            raise KeyError(value)  # to look closer
        return OTHER_CODE


def _converters(feature: Feature) -> _Converters:
    if isinstance(feature, Categorical):
        codes = (_OpenCodes if feature.other else dict)(feature.codes)
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
