"""Tick locators and formatters; only imported once matplotlib is known to be installed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num, num2date
from matplotlib.ticker import (
    AutoLocator,
    Formatter,
    FuncFormatter,
    Locator,
    MaxNLocator,
    ScalarFormatter,
)

_MISSING: Final = "missing"
# Distance of values from that label, as a share of the range; the label is wider than high.
_APART: Final = {"x": 0.14, "y": 0.04}


def put(axis: Any, kind: str, low: float, high: float, band: float | None) -> None:
    """Set the ticks of an axis for a kind of feature, with one more at ``band``."""
    locator, formatter = _usual(kind, low, high)
    if band is not None:
        locator = Within(locator, low, high, band)
        formatter = MissingFormatter(formatter, band)
    axis.set_major_locator(locator)
    axis.set_major_formatter(formatter)


def _usual(kind: str, low: float, high: float) -> tuple[Any, Any]:
    if kind in ("date", "datetime") and _in_calendar(low, high):
        locator = AutoDateLocator(minticks=3)
        return locator, ConciseDateFormatter(locator, tz=None)
    if kind == "time":
        return MaxNLocator(steps=[1, 1.5, 2, 3, 6, 10]), FuncFormatter(_clock)
    if kind in ("integer", "months"):
        return MaxNLocator(integer=True), ScalarFormatter()
    return AutoLocator(), ScalarFormatter()


def _in_calendar(low: float, high: float) -> bool:
    """Return whether matplotlib can format the dates, with some margin on either side."""
    import numpy as np

    first, last = date2num(np.array(["0002-01-01", "9998-12-31"], dtype="datetime64[D]"))
    return bool(first <= low and high <= last)


def _clock(hours: float, position: int | None = None) -> str:
    minutes = round(hours * 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}" if 0 <= minutes <= 24 * 60 else ""


class Within(Locator):
    """The ticks of another locator in a range, and one more for missing values."""

    def __init__(self, inner: Locator, low: float, high: float, band: float) -> None:
        self.inner, self.low, self.high, self.band = inner, low, high, band

    def set_axis(self, axis: Any) -> None:
        """Attach to an axis."""
        super().set_axis(axis)
        self.inner.set_axis(axis)

    def __call__(self) -> list[float]:
        """Return the visible ticks."""
        axis: Any = self.axis
        return self.tick_values(*axis.get_view_interval())

    def tick_values(self, vmin: float, vmax: float) -> list[float]:
        """Return the ticks between two values."""
        apart = _APART[getattr(self.axis, "axis_name", "y")] * (self.high - self.low)
        low = max(min(vmin, vmax), self.low, self.band + apart)
        high = min(max(vmin, vmax), self.high)
        ticks: list[float] = []
        if low < high:
            dates = isinstance(self.inner, AutoDateLocator)
            ends: Any = (num2date(low), num2date(high)) if dates else (low, high)
            ticks = [float(v) for v in self.inner.tick_values(*ends) if low <= v <= high]
        return [self.band, *ticks]


class MissingFormatter(Formatter):
    """The tick labels of another formatter, and one for missing values."""

    def __init__(self, inner: Formatter, band: float) -> None:
        self.inner, self.band = inner, band

    def set_axis(self, axis: Any) -> None:
        """Attach to an axis."""
        super().set_axis(axis)
        self.inner.set_axis(axis)

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Return the label of one tick."""
        return _MISSING if x == self.band else str(self.inner(x, pos))

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """Return the labels of all ticks."""
        others = [value for value in values if value != self.band]
        texts = iter(self.inner.format_ticks(others) if others else [])
        return [_MISSING if value == self.band else next(texts) for value in values]

    def get_offset(self) -> str:
        """Return the part that all labels share."""
        return str(self.inner.get_offset())
