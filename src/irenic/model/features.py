"""The two kinds of features, and how their values are encoded as numbers.

A continuous value is a float64. A missing one is ``-inf``, below every finite value, so that "no
condition", ``[-inf, inf)``, covers it and ``f < 5``, which is ``[LOWEST, 5)``, does not. A
categorical value is a bit: bit 0 is "missing", bit 1 "any other value", and the declared values
follow. A declared prefix has the bit of all texts that begin with it, apart from declared ones and
those that begin with a longer declared prefix.
"""

from __future__ import annotations

import datetime as dt
import decimal
import math
import numbers
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, Final, Literal

from irenic.arrays import LOWEST as LOWEST
from irenic.errors import ConditionError, DataError, FormatError, SpaceError, did_you_mean
from irenic.model.literals import (
    SURROGATE,
    Months,
    Prefix,
    display,
    format_duration,
    format_number,
    is_missing,
    parse_duration,
    parse_temporal,
    plain,
)

EXACT: Final = 2**53
"""Every integer up to here is exactly representable as a float64."""

UNWRITTEN: Final = 12
"""Marks both bounds of an interval as computed; see :mod:`irenic.model.condition`."""

MISSING_CODE: Final = 0
OTHER_CODE: Final = 1
FIRST_CODE: Final = 2

Kind = Literal["number", "integer", "date", "datetime", "time", "duration", "months"]

_DAY: Final = 86_400_000_000
# The distance between neighboring values; 0 means neighboring float64 numbers.
STEPS: Final[dict[str, int]] = {
    "number": 0,
    "integer": 1,
    "date": _DAY,
    "datetime": 1,
    "time": 1,
    "duration": 1,
    "months": 1,
}
_SPANS: Final = ("duration", "months")
_EPOCH: Final = dt.datetime(1970, 1, 1)
_MICROSECOND: Final = dt.timedelta(microseconds=1)


class _Special:
    """A marker for a missing value, or for all undeclared values, of a categorical feature."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> str:
        return self.name  # unpickles as the object of this module, so that `is` still works


MISSING: Final = _Special("MISSING")
"""In a set of values: a missing value."""
OTHER: Final = _Special("OTHER")
"""In a set of values: every value that the feature does not declare."""


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name:
        raise SpaceError(f"the name of a feature must be a non-empty string, got {name!r}")
    if not is_unicode(name):
        raise SpaceError(f"feature {name!r}: the name is not valid Unicode (a lone surrogate)")


def is_unicode(text: str) -> bool:
    """Return whether ``text`` can be written as UTF-8."""
    return SURROGATE.search(text) is None


@dataclass(frozen=True)
class Continuous:
    """A feature with ordered values: numbers, integers, dates, times or durations.

    Parameters
    ----------
    name : str
        Any non-empty text.
    bounds : (low, high), optional
        The least and the greatest possible value, both inclusive; None leaves a side open.
    unit : str, optional
        Shown next to values, as in "years". It has no other effect, except that date-times with a
        time zone are converted to UTC and need ``unit="UTC"``.
    missing : bool
        Whether the value may be missing.
    kind : {"number", "integer", "date", "datetime", "time", "duration", "months"}
        The type of the values. All kinds except "number" are discrete: no integer lies between 5
        and 6, so ``f <= 5`` and ``f < 6`` are the same condition. Dates, times and durations are
        encoded in microseconds. Durations of years and months, which have no fixed number of days,
        are encoded in months.

    Raises
    ------
    SpaceError
        If an argument is invalid, or if the lower bound is above the upper bound.

    Examples
    --------
    >>> Continuous("age", bounds=(0, 120), unit="years", missing=True)
    Continuous('age', bounds=(0, 120), unit='years', missing=True)
    >>> Continuous("born", kind="date").encode_value("1990-05-01")
    641520000000000.0
    """

    name: str
    _: KW_ONLY
    bounds: tuple[Any, Any] = (None, None)
    unit: str = ""
    missing: bool = False
    kind: Kind = "number"

    def __post_init__(self) -> None:
        _check_name(self.name)
        if not isinstance(self.unit, str) or not is_unicode(self.unit):
            raise SpaceError(f"feature {self.name!r}: unit must be a string, got {self.unit!r}")
        object.__setattr__(self, "missing", bool(self.missing))
        if not isinstance(self.kind, str) or self.kind not in STEPS:
            hint = did_you_mean(self.kind, STEPS)
            raise SpaceError(f"feature {self.name!r}: unknown kind {self.kind!r}{hint}")
        try:
            low, high = self.bounds
        except (TypeError, ValueError):
            raise SpaceError(
                f"feature {self.name!r}: bounds must be a pair (low, high), got {self.bounds!r}"
            ) from None
        encoded = [self._encode_bound(low, -math.inf), self._encode_bound(high, math.inf)]
        if encoded[0] is not None and encoded[1] is not None and encoded[0] > encoded[1]:
            raise SpaceError(
                f"feature {self.name!r}: the lower bound {low!r} is above the upper bound {high!r}"
            )
        decoded = tuple(None if e is None else self.decode_value(e) for e in encoded)
        object.__setattr__(self, "bounds", decoded)

    def _encode_bound(self, bound: object, unbounded: float) -> float | None:
        if bound is None or (isinstance(bound, float) and bound == unbounded):
            return None
        try:
            value = self.encode_value(bound)
        except DataError as error:
            raise SpaceError(f"{error} (as a bound)") from None
        if value == -math.inf:
            raise SpaceError(f"feature {self.name!r}: {bound!r} cannot be a bound")
        return value

    def __repr__(self) -> str:
        parts = [repr(self.name)]
        if self.bounds != (None, None):
            parts.append(f"bounds=({', '.join(map(self._show, self.bounds))})")
        parts += [f"unit={self.unit!r}"] if self.unit else []
        parts += ["missing=True"] if self.missing else []
        parts += [f"kind={self.kind!r}"] if self.kind != "number" else []
        return f"Continuous({', '.join(parts)})"

    def _show(self, bound: object) -> str:
        return format_number(bound) if isinstance(bound, float) else repr(bound)

    @property
    def step(self) -> int:
        """The distance between neighboring values, or 0 for kind "number"."""
        return STEPS[self.kind]

    @cached_property
    def lowest(self) -> float:
        """The least non-missing value, encoded."""
        if self.bounds[0] is None:
            return _REACH.get(self.kind, (LOWEST, math.inf))[0]
        return self.encode_value(self.bounds[0])

    @cached_property
    def end(self) -> float:
        """The cut just above the greatest value, encoded."""
        if self.bounds[1] is None:
            greatest = _REACH.get(self.kind, (LOWEST, math.inf))[1]
            return greatest if greatest == math.inf else self.after(greatest)
        return self.after(self.encode_value(self.bounds[1]))

    def reach(self, lower: float, upper: float) -> tuple[float, float]:
        """Return the part of an interval that can contain values.

        LOWEST and inf are open sides; so are those that only the calendar or float64 limits.
        """
        clock = self.kind == "time"
        below = lower <= LOWEST and self.bounds[0] is None and not clock
        above = upper >= self.end and self.bounds[1] is None and not clock
        return (
            LOWEST if below else max(lower, self.lowest),
            math.inf if above else min(upper, self.end),
        )

    def admits(self, value: float) -> bool:
        """Return whether an encoded value can occur; ``-inf`` is a missing one."""
        return self.missing if value == -math.inf else self.lowest <= value < self.end

    def after(self, value: float) -> float:
        """Return the cut just above a value: ``f <= value`` is ``f < after(value)``."""
        # Beyond 2**53, neighboring floats are further apart than neighboring values.
        above = math.nextafter(value, math.inf)
        return max(above, value + self.step) if self.step else above

    def before(self, cut: float) -> float:
        """Return the greatest value below a cut: the inverse of :meth:`after`."""
        below = math.nextafter(cut, -math.inf)
        return min(below, cut - self.step) if self.step else below

    def snap(self, cut: float) -> float:
        """Return the canonical form of a cut: equal for cuts that separate the same values."""
        if self.step and math.isfinite(cut) and cut != LOWEST:
            # Use integers, because a float division by the step would round.
            return float(-(-math.ceil(cut) // self.step) * self.step)
        return cut

    def encode_value(self, value: object) -> float:
        """Return a value as a float64, ``-inf`` for a missing one."""
        if type(value) is float and self.kind == "number" and math.isfinite(value):
            return value  # a fast path for the most common case
        if is_missing(value):
            return -math.inf
        plain_value = plain(value)
        number = self._to_float(plain_value)
        if number is None:
            raise DataError(f"feature {self.name!r}: {plain_value!r} is not {WANTED[self.kind]}")
        return number

    def _to_float(self, value: object) -> float | None:
        if self.kind in ("number", "integer"):
            return self._number_to_float(value)
        if isinstance(value, str):
            try:
                spans = self.kind in _SPANS
                value = parse_duration(value) if spans else parse_temporal(value)
            except FormatError:
                return None
        if self.kind == "months":
            return self._months_to_float(value)
        micros = self._microseconds(value)
        if micros is None:
            return None
        if int(float(micros)) != micros:
            raise DataError(
                f"feature {self.name!r}: {value!r} is too far from 1970 to be exact to the"
                " microsecond; round it to whole seconds"
            )
        return float(micros)

    def _months_to_float(self, value: object) -> float | None:
        if not isinstance(value, Months):
            return None
        if _is_inexact(value.count):
            raise DataError(f"feature {self.name!r}: {value} is beyond 2**53 months")
        return float(value.count)

    def _number_to_float(self, value: object) -> float | None:
        if isinstance(value, bool) or not isinstance(value, numbers.Real | decimal.Decimal):
            return None
        if (self.kind == "integer" or not isinstance(value, float)) and _is_inexact(value):
            raise DataError(
                f"feature {self.name!r}: {value!r} is beyond 2**53, where float64 cannot represent"
                " every integer; use a categorical feature, or subtract an offset"
            )
        number = float(value)
        if math.isinf(number):
            raise DataError(
                f"feature {self.name!r}: {value!r} is infinite;"
                " use a finite number, or None if it is missing"
            )
        if self.kind == "integer" and not number.is_integer():
            raise DataError(
                f"feature {self.name!r}: {value!r} is not a whole number;"
                " declare the feature with kind='number' to allow fractions"
            )
        return number

    def _microseconds(self, value: object) -> int | None:
        if self.kind == "duration":
            return value // _MICROSECOND if isinstance(value, dt.timedelta) else None
        if isinstance(value, dt.datetime | dt.time) and value.tzinfo is not None:
            value = self._in_utc(value)
        if self.kind == "time":
            if not isinstance(value, dt.time):
                return None
            return (
                (value.hour * 60 + value.minute) * 60 + value.second
            ) * 1_000_000 + value.microsecond
        if isinstance(value, dt.datetime):
            if self.kind == "date" and value.time() != dt.time():
                return None
            return (value - _EPOCH) // _MICROSECOND
        return value.toordinal() * _DAY - _ORDINAL if isinstance(value, dt.date) else None

    @property
    def in_utc(self) -> bool:
        """Whether values are times with a time zone, converted to UTC."""
        return self.kind == "datetime" and self.unit == "UTC"

    def _in_utc(self, value: dt.datetime | dt.time) -> dt.datetime:
        if isinstance(value, dt.time) or self.kind != "datetime":
            raise DataError(f"feature {self.name!r}: {value!r} has a time zone; remove it")
        if self.unit != "UTC":
            raise DataError(
                f"feature {self.name!r}: {value!r} has a time zone;"
                " declare the feature with unit='UTC', or remove the time zone"
            )
        try:
            return value.astimezone(dt.UTC).replace(tzinfo=None)
        except OverflowError:
            raise DataError(
                f"feature {self.name!r}: {value!r} is beyond the calendar in UTC"
            ) from None

    def decode_value(self, number: float) -> Any:
        """Return the value that a number encodes."""
        if number == -math.inf:
            return None
        if self.kind == "number":
            return float(number)
        if self.kind == "integer":
            return int(number)
        if not self.shows(number):
            raise DataError(f"feature {self.name!r}: {number} is beyond the calendar")
        if self.kind == "months":
            return Months(int(number))
        span = dt.timedelta(microseconds=int(number))
        if self.kind == "duration":
            return span
        if self.kind == "time":
            return (_EPOCH + span).time()
        return (_EPOCH + span).date() if self.kind == "date" else _EPOCH + span

    def shows(self, number: float) -> bool:
        """Return whether a number encodes a value: a date of the calendar, a time of the day."""
        low, high = _CALENDAR.get(self.kind, (-math.inf, math.inf))
        return low <= number <= high

    def format_value(self, number: float) -> str:
        """Return the text of the value that a number encodes."""
        if self.kind in ("number", "integer") or not math.isfinite(number):
            return "missing" if number == -math.inf else format_number(number)
        value = self.decode_value(number)
        return format_duration(value) if self.kind in _SPANS else value.isoformat()

    def encode_bound(self, bound: object) -> float:
        """Return the bound of a condition as a float64; fractions are bounds of integers, too."""
        exact = type(bound) in (int, float) and abs(bound) <= EXACT  # type: ignore[arg-type]
        if exact and self.kind in ("number", "integer"):
            return float(bound)  # type: ignore[arg-type]  # a fast path for the most common case
        value = plain(bound)
        if isinstance(value, float) and math.isinf(value):
            return value
        if isinstance(value, float) and math.isnan(value):
            raise ConditionError(f"feature {self.name!r}: NaN cannot be a bound")
        # 2.5 is not a value of an integer feature, but f < 2.5 is a valid condition.
        feature = Continuous(self.name) if self.kind == "integer" else self
        try:
            number = feature.encode_value(value)
        except DataError as error:
            raise ConditionError(str(error)) from None
        if number == -math.inf:
            raise ConditionError(f"feature {self.name!r}: {bound!r} cannot be a bound")
        if self.kind == "integer" and abs(number) > EXACT:
            raise ConditionError(
                f"feature {self.name!r}: {bound!r} is beyond 2**53, where float64 cannot represent"
                " every integer"
            )
        return number


def _is_inexact(value: Any) -> bool:
    return bool(EXACT < abs(value) < math.inf)


_ORDINAL: Final = _EPOCH.toordinal() * _DAY
_SPAN: Final = (
    float((dt.datetime.min - _EPOCH) // _MICROSECOND),
    float((dt.datetime(9999, 12, 31) - _EPOCH) // _MICROSECOND),
)
# The last moments are left out, because as float64 they would round beyond the calendar.
_CALENDAR: Final = {
    "date": _SPAN,
    "datetime": (_SPAN[0], _SPAN[1] + _DAY - 1_000_000),
    "time": (0.0, _DAY - 1.0),
    "duration": (
        float(dt.timedelta.min // _MICROSECOND),
        float(-dt.timedelta.min // _MICROSECOND),
    ),
    "months": (-float(EXACT), float(EXACT)),
}
# The limits of values without declared bounds: values beyond cannot be distinguished or shown.
_REACH: Final = {**_CALENDAR, "integer": (-float(EXACT), float(EXACT))}
WANTED: Final = {
    "number": "a number",
    "integer": "a whole number",
    "date": "a date such as 2026-01-31",
    "datetime": "a date and time such as 2026-01-31T12:30:00",
    "time": "a time of day such as 12:30:00",
    "duration": "a duration such as P1DT2H30M",
    "months": "a duration of years and months such as P1Y2M",
}


@dataclass(frozen=True)
class Categorical:
    """A feature with unordered values: text, booleans or any other hashable values.

    Parameters
    ----------
    name : str
        Any non-empty text.
    values : iterable
        The values, in the order in which they are shown. A :class:`Prefix` counts as one value: any
        other text that begins with it.
    missing : bool
        Whether the value may be missing.
    other : bool
        Whether undeclared values may occur; all of them count as one value, ``OTHER``.
    declared : bool
        Whether it is declared, or known from data, that other values may occur. If not, the values
        are those that rules name, and :func:`irenic.check` reports in one finding that other values
        are not covered.

    Raises
    ------
    SpaceError
        If the name or a value is invalid, if a value is listed twice, or if there is none.

    Examples
    --------
    >>> Categorical("color", ["yellow", "blue"], other=True)
    Categorical('color', ['yellow', 'blue'], other=True)
    """

    name: str
    values: tuple[Hashable, ...] = field()
    _: KW_ONLY
    missing: bool = False
    other: bool = False
    # The same values can occur, and rules mean the same.
    declared: bool = field(default=True, compare=False)

    def __init__(
        self,
        name: str,
        values: Iterable[Hashable],
        *,
        missing: bool = False,
        other: bool = False,
        declared: bool = True,
    ) -> None:
        _check_name(name)
        if isinstance(values, str | bytes) or not isinstance(values, Iterable):
            raise SpaceError(f"feature {name!r}: values must be a list, got {values!r}")
        distinct: dict[Hashable, Hashable] = {}
        for raw in values:
            if is_missing(raw) or raw is MISSING:
                raise SpaceError(
                    f"feature {name!r}: {raw!r} is not a value; use missing=True instead"
                )
            if raw is OTHER:
                raise SpaceError(f"feature {name!r}: OTHER is not a value; use other=True instead")
            value = _hashable(plain(raw), f"feature {name!r}: the value", SpaceError)
            if isinstance(value, Prefix) and value.without:
                raise SpaceError(
                    f"feature {name!r}: the value {value} must be a prefix without exceptions; list"
                    " the exceptions as values"
                )
            if value in distinct:
                same = distinct[value]
                raise SpaceError(
                    f"feature {name!r}: the value {value!r} is listed twice"
                    + ("" if repr(same) == repr(value) else f" ({same!r} equals {value!r})")
                )
            if isinstance(value, str) and not is_unicode(value):
                raise SpaceError(
                    f"feature {name!r}: the value {value!r} is not valid Unicode (a lone surrogate)"
                )
            distinct[value] = value
        if not distinct and not other:
            raise SpaceError(
                f"feature {name!r}: a categorical feature needs at least one value, or other=True"
            )
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "values", tuple(distinct))
        object.__setattr__(self, "missing", bool(missing))
        object.__setattr__(self, "other", bool(other))
        object.__setattr__(self, "declared", bool(declared))

    def __getstate__(self) -> dict[str, Any]:
        # ``codes`` has keys of any type, which some formats do not support.
        caches = ("codes", "prefixes", "everything")
        return {key: value for key, value in self.__dict__.items() if key not in caches}

    def __repr__(self) -> str:
        flags = [f"{flag}=True" for flag in ("missing", "other") if getattr(self, flag)]
        flags += ["declared=False"] if self.other and not self.declared else []
        return f"Categorical({', '.join([repr(self.name), repr(list(self.values)), *flags])})"

    @cached_property
    def codes(self) -> dict[Hashable, int]:
        """The bit of each value."""
        return {value: code for code, value in enumerate(self.values, FIRST_CODE)}

    @cached_property
    def prefixes(self) -> dict[str, int]:
        """The bit of each declared prefix, the longest first."""
        found = [(v.text, code) for v, code in self.codes.items() if isinstance(v, Prefix)]
        return dict(sorted(found, key=lambda pair: -len(pair[0])))

    @property
    def is_text(self) -> bool:
        """Whether all declared values are texts or prefixes."""
        return all(isinstance(value, str | Prefix) for value in self.values)

    @property
    def n_words(self) -> int:
        """The number of 64-bit words of a set of values."""
        return (len(self.values) + FIRST_CODE + 63) // 64

    @cached_property
    def everything(self) -> int:
        """The bits of all values that can occur."""
        bits = ((1 << len(self.values)) - 1) << FIRST_CODE
        return bits | self.missing << MISSING_CODE | self.other << OTHER_CODE

    def encode_value(self, value: object) -> int:
        """Return the code of a value, which is the number of its bit."""
        if value is MISSING or is_missing(value):
            return MISSING_CODE
        if value is OTHER:
            return OTHER_CODE
        key = _hashable(plain(value), f"feature {self.name!r}:", DataError)
        code = self.codes.get(key)
        return self.class_of(key) if code is None else code

    def class_of(self, value: Hashable) -> int:
        """Return the code that a value, or prefix, would have if it were not declared."""
        text = value.text if isinstance(value, Prefix) else value
        if self.prefixes and isinstance(text, str):
            for prefix, code in self.prefixes.items():
                if text.startswith(prefix) and (text != prefix or text is value):
                    return code
        return OTHER_CODE

    def bits_of(self, value: Hashable) -> int | None:
        """Return the bits of what a value or prefix of a condition stands for.

        None if the feature does not distinguish it from other values.
        """
        if not isinstance(value, Prefix):
            code = self.codes.get(value)
            return None if code is None else 1 << code
        bits = sum(1 << code for each, code in self.codes.items() if each in Prefix(value.text))
        if Prefix(value.text) not in self.codes and self.admits(self.class_of(value)):
            return None
        for part in value.without:
            left_out = self.bits_of(part)
            if left_out is None:
                return None
            bits &= ~left_out
        return bits or None

    def decode_value(self, code: int) -> Hashable:
        """Return the value that a code encodes."""
        if code == MISSING_CODE:
            return None
        return OTHER if code == OTHER_CODE else self.values[code - FIRST_CODE]

    def admits(self, code: int) -> bool:
        """Return whether the value with a code can occur."""
        return bool(self.everything >> code & 1)

    def example(self, code: int) -> Hashable:
        """Return a value with a code: an undeclared one for other values and for prefixes."""
        value = self.decode_value(code)
        start = value.text if isinstance(value, Prefix) else ""
        if not start and value is not OTHER:
            return value
        n = len(self.values)
        # one more sign than values: each value or longer prefix begins with one at most
        signs = (*_SIGNS, *map(chr, range(0x4E00, 0x4E00 + max(0, n + 1 - len(_SIGNS)))))
        examples = [start + sign for sign in signs]
        if not start:
            examples = ["other", *(f"other {number}" for number in range(2, n + 3)), *examples]
        free: Iterator[str] = (x for x in examples if x not in self.codes)
        return next(x for x in free if self.class_of(x) == code)

    def show_values(self, limit: int = 8) -> str:
        """Return the declared values as text."""
        shown = ", ".join(display(v) for v in self.values[:limit])
        return shown + (", …" if len(self.values) > limit else "")


_SIGNS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _hashable(value: object, subject: str, error: type[Exception]) -> Hashable:
    try:
        hash(value)
    except TypeError:
        raise error(f"{subject} {value!r} of type {type(value).__name__} is not hashable") from None
    return value


Feature = Continuous | Categorical
