"""Helpers of all plots: the Axes to draw on, safe texts, legends and captions."""

from __future__ import annotations

import re
from typing import Any, Final

from irenic.errors import ConditionError

# Control characters and line separators, which would break a line or matplotlib.
_BREAKS: Final = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029\ufeff]+")
_MOST_ENTRIES: Final = 16


def check_axes(ax: object) -> None:
    """Raise an error unless matplotlib is installed and ``ax`` is an Axes or None."""
    try:
        import matplotlib.axes
    except ImportError:
        raise ConditionError("plots need matplotlib: pip install 'irenic[plot]'") from None
    if ax is not None and not isinstance(ax, matplotlib.axes.Axes):
        hint = "; pass one of its Axes" if hasattr(ax, "shape") or hasattr(ax, "axes") else ""
        raise ConditionError(
            f"ax must be a matplotlib Axes, or None for a new figure, got {type(ax).__name__}{hint}"
        )


def axes_to_draw_on(ax: Any, size: tuple[float, float]) -> Any:
    """Return ``ax``, or the Axes of a new figure if it is None."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]


def label(text: object, limit: int = 32) -> str:
    """Return a text on one line, shortened, and with ``$`` escaped so that it is no formula."""
    plain = _BREAKS.sub(" ", str(text)).strip()
    if len(plain) > limit:
        plain = plain[: limit - 1].rstrip() + "…"
    return plain.replace("$", r"\$")


def add_legend(ax: Any, entries: list[tuple[Any, str]]) -> None:
    """Add a legend: next to the Axes if the layout engine makes room for it, else inside."""
    if not entries:
        return
    from matplotlib.lines import Line2D

    if len(entries) > _MOST_ENTRIES:
        left = len(entries) - _MOST_ENTRIES + 1
        more = Line2D([], [], linestyle="none")
        entries = [*entries[: _MOST_ENTRIES - 1], (more, f"… and {left} more")]
    # matplotlib ignores labels that begin with an underscore
    texts = [f" {text}" if text.startswith("_") else text for _, text in entries]
    beside = ax.figure.get_layout_engine() is not None
    style: dict[str, Any] = {"loc": "upper right", "framealpha": 0.9}
    if beside:
        style = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0}
        style["frameon"] = False
    ax.legend([handle for handle, _ in entries], texts, fontsize="small", **style)


def add_caption(ax: Any, parts: list[str]) -> None:
    """Write in small print above an Axes what a reader needs to know."""
    if parts:
        ax.set_title("; ".join(parts), loc="left", fontsize="small")


def check_limit(limit: object) -> int:
    """Return the maximum number of rows to draw, or raise an error if it is invalid."""
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise ConditionError(f"limit must be a non-negative integer, got {limit!r}")
    return limit


def percent(share: float) -> str:
    """Return a share in percent; 100% means all and 0% means none."""
    text = f"{100 * share:.0f}"
    if text == "100" and share < 1:
        return "over 99%"
    return "under 1%" if text == "0" and share > 0 else f"{text}%"
