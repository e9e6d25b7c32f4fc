"""What all plots share: the Axes to draw on, texts that cannot break it, legends."""

from __future__ import annotations

import re
from typing import Any, Final

from irenic.errors import ConditionError

# Where matplotlib or a line would break: controls and separators of lines.
_BREAKS: Final = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029\ufeff]+")
_MOST_ENTRIES: Final = 16


def check_axes(ax: object) -> None:
    """Refuse what cannot be drawn on; say how to get matplotlib where it is not there."""
    try:
        import matplotlib.axes
    except ImportError:
        raise ConditionError("plots need matplotlib: pip install 'irenic[plot]'") from None
    if ax is not None and not isinstance(ax, matplotlib.axes.Axes):
        hint = "; take one of them" if hasattr(ax, "shape") or hasattr(ax, "axes") else ""
        raise ConditionError(
            f"ax must be a matplotlib Axes, or None for a new figure, not {type(ax).__name__}{hint}"
        )


def axes_to_draw_on(ax: Any, size: tuple[float, float]) -> Any:
    """Return the Axes that was given, or that of a new figure."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]


def label(text: object, most: int = 32) -> str:
    """Return a text on one line, shortened, that matplotlib takes for no formula.

    >>> label("costs $5 or $6")
    'costs \\\\$5 or \\\\$6'
    >>> label("a very long name of a feature", most=12)
    'a very long…'
    """
    plain = _BREAKS.sub(" ", str(text)).strip()
    if len(plain) > most:
        plain = plain[: most - 1].rstrip() + "…"
    return plain.replace("$", r"\$")


def add_legend(ax: Any, entries: list[tuple[Any, str]]) -> None:
    """Explain what is drawn: beside the Axes where the layout makes room for it, else inside."""
    if not entries:
        return
    from matplotlib.lines import Line2D

    if len(entries) > _MOST_ENTRIES:
        left = len(entries) - _MOST_ENTRIES + 1
        more = Line2D([], [], linestyle="none")
        entries = [*entries[: _MOST_ENTRIES - 1], (more, f"… and {left} more")]
    # matplotlib leaves out what begins with an underscore
    texts = [f" {text}" if text.startswith("_") else text for _, text in entries]
    beside = ax.figure.get_layout_engine() is not None
    where: dict[str, Any] = {"loc": "upper right", "framealpha": 0.9}
    if beside:
        where = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0}
        where["frameon"] = False
    ax.legend([handle for handle, _ in entries], texts, fontsize="small", **where)


def say_above(ax: Any, parts: list[str]) -> None:
    """Say in small print above an Axes what has to be known to read it."""
    if parts:
        ax.set_title("; ".join(parts), loc="left", fontsize="small")


def check_most(most: object) -> int:
    """Return how many rows to draw at most, a whole number that is not negative."""
    if isinstance(most, bool) or not isinstance(most, int) or most < 0:
        raise ConditionError(f"most is a whole number that is not negative, not {most!r}")
    return most


def percent(share: float) -> str:
    """Return a share in percent; 100 only if it is all, 0 only if it is none.

    >>> percent(1.0), percent(0.9995), percent(0.123), percent(0.001)
    ('100 %', 'over 99 %', '12 %', 'under 1 %')
    """
    text = f"{100 * share:.0f}"
    if text == "100" and share < 1:
        return "over 99 %"
    return "under 1 %" if text == "0" and share > 0 else f"{text} %"
