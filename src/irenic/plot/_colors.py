"""Colours and signs that tell outcomes apart, also for the colour-blind and without colour."""

from __future__ import annotations

from typing import Any, Final

from irenic.model import markup

# Those of notebooks; the eighth of Okabe and Ito, black, is that of the text.
OKABE_ITO: Final = tuple(
    "#{:02X}{:02X}{:02X}".format(*map(int, parts.split(","))) for parts in markup.PALETTE
)
GREY: Final = "#999999"
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "p")


def outcome_colours(count: int) -> list[str]:
    """Return a colour for each outcome: seven, that of the text, and grey for all that follow.

    >>> outcome_colours(2)
    ['#0072B2', '#E69F00']
    """
    return [*OKABE_ITO, text_colour(), *[GREY] * count][:count]


def outcome_markers(count: int) -> list[str]:
    """Return a sign for each outcome; after eight they come again."""
    return [MARKERS[place % len(MARKERS)] for place in range(count)]


def text_colour() -> str:
    """Return the colour that texts have in the style in use."""
    from matplotlib import colors, rcParams

    return str(colors.to_hex(rcParams["text.color"]))


def is_dark(ax: Any) -> bool:
    """Return whether the ground of an Axes is dark."""
    from matplotlib import colors

    red, green, blue, alpha = colors.to_rgba(ax.get_facecolor())
    if not alpha:
        red, green, blue, _ = colors.to_rgba(ax.figure.get_facecolor())
    return bool(0.299 * red + 0.587 * green + 0.114 * blue < 0.5)


def conflict_colour(ax: Any) -> str:
    """Return the red that contradictions are outlined in."""
    return "#FF5C5C" if is_dark(ax) else "#CC0000"


def tint(ax: Any, colour: str, share: float) -> tuple[float, float, float]:
    """Return a colour on the ground of an Axes as if it were translucent, but opaque."""
    from matplotlib import colors

    ground = ax.get_facecolor() if ax.get_facecolor()[3] else ax.figure.get_facecolor()
    over, under = colors.to_rgb(colour), colors.to_rgb(ground)
    red, green, blue = (share * a + (1 - share) * b for a, b in zip(over, under, strict=True))
    return (red, green, blue)
