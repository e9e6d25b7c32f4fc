"""Conversion between values and text: numbers, words, quoted text, dates, times, durations."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from irenic.arrays import Floats
from irenic.errors import FormatError, escape_unsafe
from irenic.model.characters import is_plain
from irenic.model.head import Head

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    import numpy.typing as npt

KEYWORDS: Final = frozenset(
    {"if", "and", "then", "default", "weight", "in", "not", "or", "is", "missing", "other"}
    | {"anything", "nothing", "true", "false", "inf", "nan"}
)
MAX_DEPTH: Final = 50
"""The maximum depth of nested tuples and sets in files."""
WORD: Final = re.compile(r"[^\W\d](?:[\w.%/+-]*[\w%+])?")
_STARTS_WORD: Final = re.compile(r"\w[\w.%/+-]*")
DURATION: Final = re.compile(
    r"(?P<sign>-?)P(?:(?P<days>\d+)D)?"
    r"(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+(?:\.\d{1,6})?)S)?)?"
)
MONTHS: Final = re.compile(r"(?P<sign>-?)P(?:(?P<years>\d+)Y)?(?:(?P<months>\d+)M)?")
TEMPORAL: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?"
    r"|\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?"
)
NO_PROBABILITIES: Final = (
    "save the rules or the classifier as JSON, or learn with consequents='labels'"
)
"""What to do if a format cannot hold :class:`Probabilities`."""
SURROGATE: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, order=True, slots=True)
class Months:
    """A duration of years and months, which has no fixed number of days.

    Parameters
    ----------
    count : int
        The number of months; it may be negative.

    Raises
    ------
    FormatError
        If the count is not an integer.

    Examples
    --------
    >>> Months(14)
    Months(14)
    >>> str(Months(14)), Months(14) < Months(24)
    ('P1Y2M', True)
    """

    count: int

    def __post_init__(self) -> None:
        if isinstance(self.count, bool) or not isinstance(self.count, int):
            raise FormatError(f"the count of months must be an integer, got {self.count!r}")

    def __repr__(self) -> str:
        return f"Months({self.count})"

    def __str__(self) -> str:
        years, months = divmod(abs(self.count), 12)
        parts = (f"{years}Y" if years else "") + (f"{months}M" if months or not years else "")
        return f"{'-' if self.count < 0 else ''}P{parts}"


@dataclass(frozen=True, slots=True)
class Prefix:
    """Texts that begin with the same characters, as ``I2*`` stands for the codes I20, I21, I25.9.

    A categorical feature can list one among its values: undeclared texts that begin with it are
    then one value. In a condition it stands for all texts that begin with it, also declared ones.

    Parameters
    ----------
    text : str
        What the texts begin with; at least one character.
    without : iterable of str or Prefix, optional
        Texts and longer prefixes that are left out, in conditions only.

    Raises
    ------
    FormatError
        If the text is empty, or if something left out does not begin with it.

    Examples
    --------
    >>> from irenic import Categorical, Region, Space
    >>> space = Space([Categorical("icd", ["I21", Prefix("I2")], other=True)])
    >>> Region(space, {"icd": {Prefix("I2")}}).contains({"icd": ["I21", "I255", "K5"]})
    array([ True,  True, False])
    >>> print(Prefix("I2", without=["I21", Prefix("I23")]))
    I2* except {I21, I23*}
    """

    text: str
    without: tuple[str | Prefix, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.text, str) or not self.text:
            raise FormatError(f"a prefix must be a non-empty text, got {self.text!r}")
        check_writable(self.text)
        if isinstance(self.without, str | Prefix):
            raise FormatError(f"what a prefix leaves out must be a list, got {self.without!r}")
        for part in self.without:
            longer = isinstance(part, Prefix) and part.text != self.text and not part.without
            if not (longer or isinstance(part, str)) or not _begins(part, self.text):
                raise FormatError(
                    f"{self.text}* can leave out texts and prefixes that begin with it, got {part}"
                )
        object.__setattr__(self, "without", tuple(sorted(set(self.without), key=str)))

    def __contains__(self, value: object) -> bool:
        """Return whether a value is one of the texts, or a prefix of such texts alone."""
        if not self.without:
            return _begins(value, self.text)
        start, *parts = Prefix(self.text), *self.without
        meets = (
            _begins(part, value.text) if isinstance(value, Prefix) else False for part in parts
        )
        inside = (value in part if isinstance(part, Prefix) else value == part for part in parts)
        return value in start and not any(meets) and not any(inside)

    def __repr__(self) -> str:
        without = f", without={list(self.without)}" if self.without else ""
        return f"Prefix({self.text!r}{without})"

    def __str__(self) -> str:
        start = f"{self.text if _STARTS_WORD.fullmatch(self.text) else quote(self.text)}*"
        without = ", ".join(map(format_literal, self.without))
        return f"{start} except {{{without}}}" if without else start


def _begins(value: object, text: str) -> bool:
    shown = value.text if isinstance(value, Prefix) else value
    return isinstance(shown, str) and shown.startswith(text)


@dataclass(frozen=True, slots=True)
class Expression:
    """A consequent that has to be computed; rules keep it as text.

    Only a whole DMN model evaluates expressions: see :meth:`irenic.formats.Parsed.predict`.

    Parameters
    ----------
    text : str
        The expression, as written.

    Examples
    --------
    >>> Expression("price * 2")
    Expression('price * 2')
    >>> display(Expression("price * 2"))
    'price * 2'
    """

    text: str

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"


class Probabilities:
    """A consequent that gives each label a probability; immutable and hashable.

    Two are equal if they have the same labels, in the same order, with the same probabilities.

    Parameters
    ----------
    labels : sequence of hashable
        The labels, each once.
    values : sequence of float
        The probability of each label, from 0 to 1.

    Raises
    ------
    FormatError
        If the labels repeat, or the values are not one probability per label.

    Examples
    --------
    >>> pets = Probabilities(["cat", "dog", "fish"], [0.25, 0.5, 0.0])
    >>> print(pets)
    dog 0.50, cat 0.25
    >>> pets.at_least(0.3)
    frozenset({'dog'})
    >>> pets.to_dict()
    {'cat': 0.25, 'dog': 0.5, 'fish': 0.0}
    """

    # no __len__ or __getitem__: numpy would take it for a sequence and not for a value
    __slots__ = ("_hash", "labels", "values")

    labels: tuple[Hashable, ...]
    """The labels."""
    values: Floats
    """The probability of each label; read-only."""
    _hash: int

    def __init__(self, labels: Sequence[Hashable], values: npt.ArrayLike) -> None:
        labels = labels if isinstance(labels, tuple) else tuple(labels)
        numbers = np.array(values, dtype=np.float64) + 0.0  # no negative zero
        if numbers.shape != (len(labels),):
            raise FormatError(
                f"probabilities must be one number for each of the {len(labels)} labels, got shape"
                f" {numbers.shape}"
            )
        if len(set(labels)) < len(labels):
            raise FormatError("the labels of probabilities must be distinct, got one twice")
        right = (numbers >= 0.0) & (numbers <= 1.0)
        if not right.all():
            first = int(right.argmin())
            raise FormatError(
                f"the probability of {labels[first]!r} must be from 0 to 1, got {numbers[first]}"
            )
        numbers.flags.writeable = False
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "values", numbers)
        object.__setattr__(self, "_hash", hash((labels, numbers.tobytes())))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("Probabilities are immutable; create new ones")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return Probabilities, (self.labels, self.values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Probabilities):
            return NotImplemented
        return (
            self._hash == other._hash
            and self.labels == other.labels
            and bool((self.values == other.values).all())
        )

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        shown = self.largest()
        if not shown:
            return "no label"
        n_more = np.count_nonzero(self.values) - len(shown)
        text = ", ".join(f"{say(label)} {p:.2f}" for label, p in shown.items())
        return f"{text} and {n_more:,} more" if n_more else text

    def __repr__(self) -> str:
        return f"<Probabilities: {self}>"

    def largest(self, n: int = 3) -> dict[Hashable, float]:
        """Return the ``n`` largest probabilities above 0, in descending order."""
        order = np.argsort(-self.values, kind="stable")[:n].tolist()
        return {self.labels[i]: float(self.values[i]) for i in order if self.values[i] > 0.0}

    def at_least(self, threshold: float) -> frozenset[Hashable]:
        """Return the labels with at least this probability."""
        return frozenset(self.labels[i] for i in np.flatnonzero(self.values >= threshold).tolist())

    def to_dict(self) -> dict[Hashable, float]:
        """Return the probability of each label."""
        return dict(zip(self.labels, self.values.tolist(), strict=True))


def format_number(value: float) -> str:
    """Return the shortest text that reads back as the same float64.

    >>> format_number(5.0), format_number(0.1), format_number(1e300)
    ('5', '0.1', '1e+300')
    """
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def quote(text: str) -> str:
    """Return ``text`` on one line, in double quotes and with the escapes of JSON."""
    return escape_unsafe(json.dumps(text, ensure_ascii=False))


def format_word(text: str) -> str:
    """Return ``text`` without quotes if it reads back as the same word, otherwise quoted.

    >>> print(format_word("yellow"), format_word("low risk"), format_word("in"))
    yellow "low risk" "in"
    """
    is_word = WORD.fullmatch(text) and text.lower() not in KEYWORDS and is_plain(text)
    return text if is_word and not is_duration(text) else quote(text)


def is_duration(text: str) -> bool:
    """Return whether ``text`` is an ISO 8601 duration: of years and months, or of days and time."""
    if not text or text[-1] in "PT":
        return False
    return DURATION.fullmatch(text) is not None or MONTHS.fullmatch(text) is not None


def format_duration(value: dt.timedelta | Months) -> str:
    """Return a duration in ISO 8601.

    >>> import datetime
    >>> format_duration(datetime.timedelta(days=1, hours=2, microseconds=5))
    'P1DT2H0.000005S'
    """
    if isinstance(value, Months):
        return str(value)
    if value.days < 0:
        return "-" + format_duration(-value)
    hours, rest = divmod(value.seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    date = f"{value.days}D" if value.days else ""
    time = (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "")
    if value.microseconds:
        time += f"{seconds}.{value.microseconds:06d}S"
    elif seconds or not (date or time):
        time += f"{seconds}S"
    return f"P{date}{'T' + time if time else ''}"


def parse_duration(text: str) -> dt.timedelta | Months:
    """Return the value of an ISO 8601 duration, exact to the microsecond.

    >>> parse_duration("P1DT2H"), parse_duration("P1Y2M")
    (datetime.timedelta(days=1, seconds=7200), Months(14))
    """
    if not is_duration(text):
        raise FormatError(f"{text!r} is not a duration such as P1DT2H30M or P1Y2M")
    match = DURATION.fullmatch(text)
    if match is None:
        return _parse_months(text)
    seconds, _, fraction = (match["seconds"] or "0").partition(".")
    try:
        value = dt.timedelta(
            days=int(match["days"] or 0),
            hours=int(match["hours"] or 0),
            minutes=int(match["minutes"] or 0),
            seconds=int(seconds),
            microseconds=int(fraction.ljust(6, "0")),
        )
    except (OverflowError, ValueError):  # ValueError: more digits than int() accepts
        raise FormatError(f"the duration {text[:40]} is too long") from None
    return -value if match["sign"] else value


def _parse_months(text: str) -> Months:
    match = MONTHS.fullmatch(text)
    assert match is not None
    try:
        count = 12 * int(match["years"] or 0) + int(match["months"] or 0)
    except ValueError:  # more digits than int() accepts
        raise FormatError(f"the duration {text[:40]} is too long") from None
    return Months(-count if match["sign"] else count)


def parse_temporal(text: str) -> dt.date | dt.datetime | dt.time:
    """Return the value of an ISO 8601 date, date-time or time of day."""
    try:
        if "T" in text:
            return dt.datetime.fromisoformat(text)
        return dt.time.fromisoformat(text) if ":" in text else dt.date.fromisoformat(text)
    except ValueError as error:
        raise FormatError(f"{text!r} is not a date or time: {error}") from None


def format_literal(value: Hashable, depth: int = 0) -> str:
    """Return a categorical value or a consequent as text that reads back as the same value.

    >>> print(format_literal("a b"), format_literal(3), format_literal(frozenset({"x", "y"})))
    "a b" 3 {x, y}
    """
    check_writable(value, depth)
    if isinstance(value, str):
        return format_word(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dt.datetime | dt.date | dt.time):
        if getattr(value, "tzinfo", None) is not None:
            raise FormatError(f"{value!r} has a time zone, which the text form does not support")
        return value.isoformat()
    if isinstance(value, dt.timedelta | Months):
        return format_duration(value)
    if isinstance(value, Prefix):
        return str(value)
    if isinstance(value, frozenset):
        return "{" + ", ".join(sorted(format_literal(v, depth + 1) for v in value)) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(format_literal(v, depth + 1) for v in value) + ")"
    if isinstance(value, Probabilities):
        raise FormatError(f"probabilities ({value}) have no text form; {NO_PROBABILITIES}")
    if isinstance(value, Head) and not depth:
        words = {format_literal(label, 1): format_literal(value[label]) for label in value}
        return "{" + ", ".join(f"{word} = {words[word]}" for word in sorted(words)) + "}"
    raise FormatError(
        f"{value!r} of type {type(value).__name__} has no text form;"
        " use text, numbers, booleans, dates, or tuples and frozensets of them"
    )


def check_writable(value: object, depth: int = 0) -> None:
    """Raise an error for values that no file can contain: invalid Unicode, NaN, deep nesting."""
    if isinstance(value, str) and SURROGATE.search(value):
        raise FormatError(f"{value!r} is not valid Unicode (a lone surrogate)")
    if isinstance(value, float) and math.isnan(value):
        raise FormatError("NaN does not equal itself, so it would not read back the same")
    if depth > MAX_DEPTH:
        raise FormatError(f"tuples and sets must be nested at most {MAX_DEPTH} levels deep")


def display(value: object) -> str:
    """Return :func:`format_literal` of ``value``, or its ``repr`` if it has no text form."""
    if isinstance(value, Expression):
        return value.text
    if isinstance(value, Probabilities):
        return str(value)
    try:
        return format_literal(value)
    except FormatError:
        if isinstance(value, tuple) and any(isinstance(part, Expression) for part in value):
            return f"({', '.join(map(display, value))})"
        return repr(value)


def say(label: object) -> str:
    """Return a label for display: without quotes, unless it is blank or not printable.

    >>> say("low risk"), say(""), say(3)
    ('low risk', '""', '3')
    """
    readable = isinstance(label, str) and label.isprintable() and bool(label.strip())
    return label if isinstance(label, str) and readable else display(label)


def counted(n: int, noun: str) -> str:
    """Return a number with its noun, in the singular or plural.

    >>> counted(1, "rule"), counted(1234, "rule")
    ('1 rule', '1,234 rules')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def told_apart(first: float, second: float, digits: int) -> tuple[str, str]:
    """Return two numbers with at least so many digits, and enough to differ if they do.

    >>> told_apart(0.3, 0.5, 2), told_apart(0.9891, 0.9886, 3), told_apart(0.5, 0.5, 2)
    (('0.30', '0.50'), ('0.9891', '0.9886'), ('0.50', '0.50'))
    """
    texts = f"{first:.{digits}f}", f"{second:.{digits}f}"
    while texts[0] == texts[1] and first != second and digits < 17:
        digits += 1
        texts = f"{first:.{digits}f}", f"{second:.{digits}f}"
    return texts


def show_point(point: Mapping[str, object]) -> str:
    """Return a point as text.

    >>> show_point({"age": 29.0, "job": "clerk", "due": None})
    'age = 29, job = clerk, due = missing'
    """
    return ", ".join(f"{display(name)} = {_show_value(value)}" for name, value in point.items())


def _show_value(value: object) -> str:
    if value is None:
        return "missing"
    return format_number(value) if isinstance(value, float) else display(value)


def plain(value: object) -> object:
    """Return scalars of numpy and pandas as Python values, and other values unchanged."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        return value.astype(f"{'m' if isinstance(value, np.timedelta64) else 'M'}8[us]").item()
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "to_pydatetime"):
        return value.to_pydatetime(warn=False)  # drops nanoseconds
    if hasattr(value, "to_pytimedelta"):
        return value.to_pytimedelta()
    return value


def is_missing(value: object) -> bool:
    """Return whether ``value`` is a missing value: None, NaN, NaT or NA."""
    if value is None:
        return True
    if isinstance(value, float | np.floating):  # of numpy's types, only float64 is a float
        return math.isnan(value)
    if isinstance(value, decimal.Decimal):
        return value.is_nan()
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return type(value).__name__ in ("NaTType", "NAType")


def score(value: float) -> str:
    """Return a share with three digits, or a dash if it is NaN."""
    return "–" if math.isnan(value) else f"{value:.3f}"


def count_text(n: float) -> str:
    """Return a number of rows, which can be fractional if rows have weights.

    >>> count_text(1234567), count_text(2.25)
    ('1,234,567', '2.2')
    """
    return f"{n:,.0f}" if n % 1 == 0 else f"{n:,.1f}"
