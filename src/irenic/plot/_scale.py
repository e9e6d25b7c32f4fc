"""Axes for features: the coordinates of conditions and values, and the tick labels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, Protocol

import numpy as np

from irenic.arrays import Floats
from irenic.model.features import FIRST_CODE, STEPS
from irenic.plot._figure import label
from irenic.plot._plane import as_floats, ends, mentions_missing
from irenic.plot._source import chosen
from irenic.reporting.document import Box

Span = tuple[float, float]

_SECOND: Final = 1_000_000.0
_DAY: Final = 86_400 * _SECOND
# Units of durations, largest first.
_UNITS: Final = {"days": _DAY, "hours": 3600 * _SECOND, "minutes": 60 * _SECOND, "s": _SECOND}
# matplotlib multiplies coordinates, so much larger numbers would overflow.
_FAR: Final = 1e100
# Width of the band for missing values and its distance from the range, as shares of the range.
_BAND: Final = 0.08
_APART: Final = 0.02
_MOST_NAMES: Final = 40


class Scale(Protocol):
    """The coordinates of a feature along one axis."""

    limits: Span
    name: str

    def spans(self, condition: Sequence[Any] | None) -> list[Span]:
        """Return the visible parts of the axis that a condition admits."""

    def positions(self, column: Sequence[Any], rng: np.random.Generator) -> Floats:
        """Return the coordinates of values; NaN for a value that is not drawn."""

    def label_axis(self, axis: Any) -> None:
        """Label an axis with the feature's name and its values."""


def scale_of(
    summary: Mapping[str, Any], name: str, missing: bool | None = None
) -> Numbers | Categories:
    """Return the scale of a feature; ``missing`` is whether to draw missing values."""
    feature = next(f for f in summary["features"] if f["name"] == name)
    if feature["kind"] == "category":
        return Categories(feature, _codes_drawn(summary, feature, missing))
    if missing is None:
        missing = _missing_matters(summary, feature)
    return Numbers(feature, feature["missing"] and missing)


def _conditions(summary: Mapping[str, Any], name: str) -> list[Sequence[Any]]:
    boxes: list[Box] = [rule["box"] for rule in chosen(summary)["rules"]]
    return [box[name] for box in boxes if name in box]


def _missing_matters(summary: Mapping[str, Any], feature: Mapping[str, Any]) -> bool:
    """Return whether to draw missing values by default: instances have some, or rules test them.

    Learned rules admit missing values everywhere, so without instances missing values matter only
    in rules that were written by hand for a feature that was declared to have them.
    """
    conditions = _conditions(summary, feature["name"])
    if any(map(mentions_missing, conditions)):
        return True
    if feature["distribution"] is not None:
        return bool(feature["distribution"]["missing"])
    return bool(conditions) and chosen(summary)["front"] is None


def _codes_drawn(
    summary: Mapping[str, Any], feature: Mapping[str, Any], missing: bool | None
) -> list[int]:
    """Return the codes to draw: missing, the declared values, then any other value."""
    conditions = _conditions(summary, feature["name"])

    def matters(code: int) -> bool:
        if code not in feature["admitted"]:
            return False
        if code == 0 and missing is not None:
            return missing
        if any(code in condition for condition in conditions):
            return True
        if feature["distribution"] is not None:
            return bool(feature["distribution"]["counts"][code])
        return bool(conditions) and chosen(summary)["front"] is None

    declared = [code for code in feature["admitted"] if code > 1]
    codes = [*([0] if matters(0) else []), *declared, *([1] if matters(1) else [])]
    return codes or list(feature["admitted"])


class Numbers:
    """A continuous feature; integers and dates are drawn as cells centered at their values."""

    def __init__(self, feature: Mapping[str, Any], missing: bool) -> None:
        self.feature, self.name = feature, feature["name"]
        self.kind: str = feature["kind"]
        self.per, self.unit = self._unit()
        step = STEPS[self.kind] if self.kind in ("integer", "months", "date") else 0
        self.half = step / 2
        low, high = (min(max(end, -_FAR), _FAR) for end in feature["range"])
        if feature["end"] is not None:
            high = min(high, feature["end"] - step)
        if not math.nextafter(low, math.inf) < high:  # at most one value
            room = max(0.5 * self.per, 0.05 * abs(low))
            low, high = low - room, high + room
        self.low, self.high = self._drawn(low - self.half), self._drawn(high + self.half)
        width = self.high - self.low
        self.band: Span | None = None
        left = self.low
        if missing:
            right = self.low - _APART * width
            self.band = (right - _BAND * width, right)
            left = self.band[0]
        self.limits = (left, self.high)

    def _unit(self) -> tuple[float, str]:
        """Return the size of the axis unit in encoded numbers, and its name."""
        if self.kind in ("date", "datetime"):
            return _DAY, ""
        if self.kind == "time":
            return 3600 * _SECOND, ""
        if self.kind == "duration":
            low, high = self.feature["range"]
            far = max(abs(low), abs(high))
            name = next((name for name, per in _UNITS.items() if far >= 2 * per), "s")
            return _UNITS[name], name
        return 1.0, "months" if self.kind == "months" else self.feature["unit"]

    def _drawn(self, number: float) -> float:
        return number / self.per + self._epoch

    @property
    def _epoch(self) -> float:
        if self.kind not in ("date", "datetime"):
            return 0.0
        from matplotlib.dates import date2num

        return float(date2num(np.datetime64("1970-01-01")))

    def spans(self, condition: Sequence[Any] | None) -> list[Span]:
        """Return the admitted part of the range, and the band if missing values are admitted."""
        lower, upper = (-math.inf, math.inf) if condition is None else ends(condition)
        band = [self.band] if self.band is not None and lower == -math.inf else []
        start = max(self.low, self._drawn(lower - self.half))
        end = min(self.high, self._drawn(upper - self.half))
        return [*band, *([(start, end)] if start < end else [])]

    def positions(self, column: Sequence[Any], rng: np.random.Generator) -> Floats:
        """Return the coordinates of numbers; missing ones lie in the middle of their band."""
        values = as_floats(column)
        middle = math.nan if self.band is None else (self.band[0] + self.band[1]) / 2
        drawn = values / self.per + self._epoch
        drawn[(drawn < self.low) | (drawn > self.high)] = math.nan  # not in the band
        return np.where(np.isinf(values), middle, drawn)

    def label_axis(self, axis: Any) -> None:
        """Label an axis with readable values, and "missing" at the band."""
        from irenic.plot import _ticks as ticks

        unit = f" ({label(self.unit, 12)})" if self.unit else ""
        axis.set_label_text(label(self.name, 48) + unit)
        band = None if self.band is None else (self.band[0] + self.band[1]) / 2
        ticks.put(axis, self.kind, self.low, self.high, band)


class Categories:
    """A categorical feature: one cell per value."""

    def __init__(self, feature: Mapping[str, Any], codes: list[int]) -> None:
        self.feature, self.name, self.codes = feature, feature["name"], codes
        self.position = {code: position for position, code in enumerate(codes)}
        self.limits = (-0.5, len(codes) - 0.5)

    def spans(self, condition: Sequence[Any] | None) -> list[Span]:
        """Return the cells of the admitted values; adjacent ones are merged."""
        if condition is None:
            return [self.limits]
        cells = sorted(self.position[code] for code in condition if code in self.position)
        return [(first - 0.5, last + 0.5) for first, last in runs(cells)]

    def positions(self, column: Sequence[Any], rng: np.random.Generator) -> Floats:
        """Return positions in the cells of values, jittered so that points stay visible."""
        middles = np.array([self.position.get(code, math.nan) for code in column], dtype=np.float64)
        return middles + rng.uniform(-0.3, 0.3, len(middles))

    def label_axis(self, axis: Any) -> None:
        """Label an axis with the values, or with every n-th value if there are many."""
        axis.set_label_text(label(self.name, 48))
        every = -(-len(self.codes) // _MOST_NAMES)
        shown = self.codes[::every]
        texts = ["missing", "other", *self.feature["values"][FIRST_CODE:]]
        names = [label(texts[code], 18) for code in shown]
        axis.set_ticks([self.position[code] for code in shown], labels=names)
        # a letter is about 6 points wide, plus a space between labels
        room = axis.axes.get_window_extent().width / axis.figure.dpi * 72 / len(names)
        if axis.axis_name == "x" and 6 * max(map(len, names)) + 4 > room:
            steep = room < 18
            axis.set_tick_params(labelrotation=90 if steep else 30)
            for text in axis.get_ticklabels():
                text.set_horizontalalignment("center" if steep else "right")


class Strip:
    """The second axis of a plot of one feature, without any meaning."""

    name = ""
    limits: Span = (0.0, 1.0)

    def spans(self, condition: Sequence[Any] | None) -> list[Span]:
        """Return the whole height."""
        return [self.limits]

    def positions(self, column: Sequence[Any], rng: np.random.Generator) -> Floats:
        """Return random heights, so that points stay visible."""
        return rng.uniform(0.1, 0.9, len(column))

    def label_axis(self, axis: Any) -> None:
        """Remove the ticks."""
        axis.set_ticks([])


def runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return the first and last number of each run of consecutive integers."""
    numbers = list(numbers)
    if not numbers:
        return []
    breaks = [(a, b) for a, b in pairwise(numbers) if b != a + 1]
    firsts = [numbers[0], *(b for _, b in breaks)]
    lasts = [*(a for a, _ in breaks), numbers[-1]]
    return list(zip(firsts, lasts, strict=True))
