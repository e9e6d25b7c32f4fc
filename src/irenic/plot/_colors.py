"""Colors and markers that distinguish outcomes, also for color-blind readers and in print."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from irenic.reporting import markup

# The colors used in notebooks; the eighth of Okabe and Ito, black, is left to the text.
OKABE_ITO: Final = tuple(
    "#{:02X}{:02X}{:02X}".format(*map(int, parts.split(","))) for parts in markup.PALETTE
)
GRAY: Final = "#999999"
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "p")


def outcome_colors(summary: Mapping[str, Any]) -> list[str]:
    """Return one color per outcome: seven colors, the text color, and gray for all others.

    They are given in the order of the outcomes, as classifiers and notebooks sort them, not in that
    of the rules; outcomes that only instances have come last. So an outcome has one color in all
    views, as on the report page.
    """
    outcomes = summary["outcomes"]
    colors = [*OKABE_ITO, text_color(), *[GRAY] * len(outcomes)]
    values = [outcome["value"] for outcome in outcomes]
    if summary["several_labels"] or not any(
        all(type(value) in kinds for value in values) for kinds in ((str,), (int, float), (bool,))
    ):
        return colors[: len(outcomes)]
    decided = {
        part["outcome"]
        for model in summary["models"]
        for part in (*model["rules"], model["default"])
    }
    order = sorted(range(len(values)), key=lambda k: (k not in decided, values[k]))
    return [colors[order.index(k)] for k in range(len(values))]


def outcome_markers(count: int) -> list[str]:
    """Return one marker per outcome; they repeat after eight."""
    return [MARKERS[outcome % len(MARKERS)] for outcome in range(count)]


def text_color() -> str:
    """Return the text color of the current matplotlib style."""
    from matplotlib import colors, rcParams

    return str(colors.to_hex(rcParams["text.color"]))


def is_dark(ax: Any) -> bool:
    """Return whether an Axes has a dark background."""
    from matplotlib import colors

    red, green, blue, alpha = colors.to_rgba(ax.get_facecolor())
    if not alpha:
        red, green, blue, _ = colors.to_rgba(ax.figure.get_facecolor())
    return bool(0.299 * red + 0.587 * green + 0.114 * blue < 0.5)


def conflict_color(ax: Any) -> str:
    """Return the red that outlines contradictions."""
    return "#FF5C5C" if is_dark(ax) else "#CC0000"


def tint(ax: Any, color: str, alpha: float) -> tuple[float, float, float]:
    """Return the opaque color that a translucent one would have on the background of an Axes."""
    from matplotlib import colors

    background = ax.get_facecolor() if ax.get_facecolor()[3] else ax.figure.get_facecolor()
    over, under = colors.to_rgb(color), colors.to_rgb(background)
    red, green, blue = (alpha * a + (1 - alpha) * b for a, b in zip(over, under, strict=True))
    return (red, green, blue)
