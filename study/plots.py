"""The plots of the study: ranks, differences with intervals, and size against accuracy.

Figures are created without pyplot, so that none stays open, and saved as reproducible SVG: a plot
that changes in a commit shows different figures.
"""

from __future__ import annotations

import itertools
import math
from functools import wraps
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import scikit_posthocs
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from study import statistics
from study.statistics import Ranks

# Okabe and Ito (2008), safe for color-blind readers. Their yellow is too pale for lines.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILION, PURPLE = "#0072B2", "#D55E00", "#CC79A7"
GRAY, BAND = "#777777", "#EBEBEB"

WIDTH = 8.6  # inches: 826 pixels in a browser, the width of a README
EDGE = 0.12
STYLE = {
    "font.family": "DejaVu Sans",  # included in matplotlib, so that it is the same everywhere
    "font.size": 9.0,
    "axes.titlesize": 10.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "text.parse_math": False,  # a "$" in a learner's name is a dollar
    "svg.fonttype": "path",  # text as paths, independent of the reader's fonts
    "svg.hashsalt": "irenic",
}


def _styled(draw: Any) -> Any:
    @wraps(draw)
    def inner(*args: Any, **kwargs: Any) -> Figure:
        with mpl.rc_context(STYLE):
            return draw(*args, **kwargs)

    return inner


@_styled
def critical_difference(ranks: Ranks, title: str) -> Figure:
    """Draw average ranks; bars join learners that do not differ significantly (Demšar 2006).

    Bars are the cliques of the Holm-corrected Wilcoxon tests, not Nemenyi's critical difference.
    The learners of a clique need not be adjacent: they are marked by dots, and a bar does not
    include learners without a dot.
    """
    figure = _figure(3.0)
    axes = figure.add_axes((0.1, 0.1, 0.8, 0.8))
    low, high = math.floor(ranks.average.min()), math.ceil(ranks.average.max())
    if low == high:  # all ranks are equal
        low, high = low - 1, high + 1
    colors = itertools.cycle([BLUE, VERMILION, GREEN, PURPLE, SKY, ORANGE])
    drawn = scikit_posthocs.critical_difference_diagram(
        ranks.average,
        ranks.pairs,
        ax=axes,
        color_palette=dict(zip(ranks.average.index, colors, strict=False)),
        label_fmt_left="{label}  {rank:.2f} ",
        label_fmt_right=" {rank:.2f}  {label}",
        text_h_margin=(high - low) / 60,
        marker_props={"s": 14},
        elbow_props={"linewidth": 1.0},
        crossbar_props={"marker": "o", "markersize": 3.5, "linewidth": 2.0, "color": "#333333"},
    )
    for label in drawn["labels"]:
        label.set_color(BLACK)
    for line in (*drawn["markers"], *drawn["elbows"]):
        line.set_clip_on(False)  # dots on the axis, and elbows that end to its left or right
    levels = 0
    for (bar,) in drawn["crossbars"]:
        # the diagram iterates over a set of names, whose order differs between processes
        bar.set_xdata(sorted(bar.get_xdata()))
        levels = max(levels, -int(bar.get_ydata()[0]))
    rows = levels + (ranks.k + 1) // 2

    # each row is as high as a line of text, and the axis takes the width that the names leave
    row, above, below = 0.19, 0.75, 0.5
    height = above + row * (rows + 1) + below
    figure.set_size_inches(WIDTH, height)
    left, right = (
        max((_inches(t) for t in drawn["labels"] if t.get_ha() == side), default=0.0)
        for side in ("right", "left")
    )
    # names start next to the best and the worst rank, which need not be the ends of the axis
    inner = WIDTH - 2 * EDGE - left - right
    axes.set_position(
        (
            (EDGE + left + 0.02 * inner) / WIDTH,
            below / height,
            0.96 * inner / WIDTH,
            row * (rows + 1) / height,
        )
    )
    axes.set_xlim(low, high)
    axes.set_ylim(-(rows + 1), 0)
    axes.spines["top"].set_visible(True)
    axes.xaxis.set_major_locator(mpl.ticker.MaxNLocator(integer=True, nbins=10))
    _heading(figure, title)
    test = ""
    if ranks.p_iman_davenport is not None:
        test = f"; Iman and Davenport's test: {_p(ranks.p_iman_davenport)}"
    _foot(
        figure,
        f"Average ranks in {_sets(ranks.n)} (1 is the best){test}. Nemenyi's critical difference: "
        f"{ranks.critical_difference:.2f}.\nA bar with dots joins learners that do not differ "
        "significantly (Wilcoxon tests with Holm's correction at 0.05).",
    )
    return figure


@_styled
def budgets(curves: dict[str, pd.DataFrame], n: int, title: str) -> Figure:
    """Draw accuracy by evaluations and by time, and overfitting by evaluations, of each arm.

    A curve has one row per budget, with the means of ``n`` sets.
    """
    figure = _figure(3.6)
    panels = (
        ("evaluations", "accuracy", "evaluations", "accuracy"),
        ("seconds", "accuracy", "CPU seconds per fit", ""),
        ("evaluations", "gap_accuracy", "evaluations", "training − test accuracy"),
    )
    colors = (BLUE, GREEN, VERMILION, ORANGE, PURPLE, SKY)
    for i, (x, y, below, beside) in enumerate(panels):
        axes = figure.add_axes((0.075 + 0.32 * i + 0.02 * (i == 2), 0.25, 0.25, 0.61))
        for (name, curve), color in zip(curves.items(), colors, strict=False):
            axes.plot(curve[x], curve[y], "o-", color=color, ms=4, linewidth=1.4, label=name)
        axes.set_xscale("log")
        axes.set_xlabel(below)
        axes.set_ylabel(beside)
        axes.grid(color="#EEEEEE", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.xaxis.set_minor_locator(mpl.ticker.NullLocator())
        axes.xaxis.set_major_locator(mpl.ticker.LogLocator(subs=(1, 2, 5), numticks=6))
        axes.xaxis.set_major_formatter(mpl.ticker.FuncFormatter(lambda v, _: f"{v:g}"))
        if x == "evaluations":  # all curves have the same
            ticks = next(iter(curves.values()))[x]
            axes.set_xticks(ticks, [f"{tick / 1000:.0f}k" for tick in ticks])
    handles, names = figure.axes[0].get_legend_handles_labels()
    figure.legend(
        handles,
        names,
        loc="lower left",
        ncols=len(names),
        frameon=False,
        bbox_to_anchor=(0.06, 0.045),
        fontsize=8,
    )
    _heading(figure, title)
    _foot(figure, f"Means of {_sets(n)}.")
    return figure


@_styled
def by_data_set(
    means: pd.DataFrame,
    learner: str,
    reference: str,
    title: str,
    *,
    higher_is_better: bool = True,
) -> Figure:
    """Draw the difference of two learners per set, largest at the top."""
    difference = statistics.paired(
        means, learner, reference, higher_is_better=higher_is_better
    )  # also checks that there are differences
    values = (means[learner] - means[reference]).dropna().sort_values(ascending=False)
    row, above, below = 0.165, 0.68, 0.5
    figure = _figure(above + row * len(values) + below)
    axes = _rows(figure, [str(name) for name in values.index], above, below, size=7.5)
    axes.axvline(0, color=GRAY, linewidth=0.8, zorder=1)
    axes.hlines(range(len(values)), 0, values, color="#BBBBBB", linewidth=0.9, zorder=1)
    better = values if higher_is_better else -values
    tie = values.abs() <= statistics.TIE
    for chosen, color, marker, text in (
        (~tie & (better > 0), BLUE, "o", f"better in {difference.wins}"),
        (tie, BLACK, "|", f"equal in {difference.ties}"),
        (~tie & (better < 0), VERMILION, "D", f"worse in {difference.losses}"),
    ):
        if chosen.any():
            rows = np.flatnonzero(chosen)
            axes.plot(values[chosen], rows, marker, color=color, ms=4.5, label=text)
    axes.axvline(
        difference.mean, color=BLACK, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1,
        label=f"mean {difference.mean:+.3g}".replace("-", "−"),
    )  # fmt: skip
    axes.margins(x=0.04)
    axes.legend(
        loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4, frameon=False, borderpad=0.1,
        columnspacing=1.4, handletextpad=0.4, fontsize=8,
    )  # fmt: skip
    axes.set_xlabel(f"{statistics.measure_of(means)} of {learner} minus that of {reference}")
    _heading(figure, title)
    return figure


@_styled
def trade_off(means_accuracy: pd.DataFrame, means_size: pd.DataFrame, title: str) -> Figure:
    """Draw mean accuracy against the geometric mean of size, one labeled point per learner.

    Means are over the sets for which all drawn learners have both values. Learners without a size
    (they have no rules to count) are named below the plot. A size of 0 counts as a half. Filled
    points are learners that no other learner dominates.
    """
    sets = means_accuracy.index.intersection(means_size.index, sort=False)
    whole = {
        c: means_accuracy.loc[sets, c].notna() & means_size.loc[sets, c].notna()
        for c in means_accuracy
        if c in means_size
    }
    shown = [c for c, has in whole.items() if has.any()]
    sets = [name for name in sets if all(whole[c][name] for c in shown)]
    if not shown or not sets:
        raise ValueError(
            f"no set has {statistics.measure_of(means_accuracy)!r} and "
            f"{statistics.measure_of(means_size)!r} of all of {shown or list(means_accuracy)}"
        )
    accuracy = means_accuracy.loc[sets, shown].mean()
    counts = means_size.loc[sets, shown]
    size = np.exp(np.log(counts.where(counts > 0, 0.5)).mean())
    hidden = [c for c in means_accuracy if c not in shown]

    figure = _figure(5.4)
    axes = figure.add_axes((0.1, 0.16, 0.88, 0.75))
    axes.set_xscale("log")
    axes.set_xlabel(f"{statistics.measure_of(means_size)}, geometric mean of {_sets(len(sets))}")
    axes.set_ylabel(f"{statistics.measure_of(means_accuracy)}, mean")
    axes.grid(color="#EEEEEE", linewidth=0.6)
    axes.set_axisbelow(True)
    for name in shown:
        beaten = ((accuracy >= accuracy[name]) & (size < size[name])).any() or (
            (accuracy > accuracy[name]) & (size <= size[name])
        ).any()
        axes.plot(
            size[name], accuracy[name], "o", ms=6, color=BLUE, mfc="white" if beaten else BLUE
        )
    axes.margins(x=0.12, y=0.12)
    axes.autoscale_view()  # apply it now, or labels would be placed by other limits
    axes.xaxis.set_major_locator(mpl.ticker.LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(mpl.ticker.FuncFormatter(lambda x, _: f"{x:g}"))
    axes.xaxis.set_minor_formatter(mpl.ticker.NullFormatter())
    _label_points(axes, shown, size.to_numpy(), accuracy.to_numpy())
    _heading(figure, title)
    note = "Filled: no other learner is better in one of the two and at least as good in the other."
    if hidden:
        note += f"\nNot shown, because they have no size: {'; '.join(map(str, hidden))}."
    _foot(figure, note)
    return figure


def save(figure: Figure, path: str | Path) -> None:
    """Write a figure as SVG; equal figures give equal bytes."""
    with mpl.rc_context(STYLE):
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})


# --- layout


def _figure(height: float) -> Figure:
    figure = Figure(figsize=(WIDTH, height))
    FigureCanvasAgg(figure)  # needed to measure text
    return figure


def _heading(figure: Figure, title: str) -> None:
    figure.text(
        EDGE / WIDTH, 1 - EDGE / figure.get_figheight(), title, va="top", size=10.5, weight="bold"
    )


def _foot(figure: Figure, text: str) -> None:
    figure.text(
        EDGE / WIDTH, EDGE / 2 / figure.get_figheight(), text, va="bottom", size=8, color="#555555"
    )


def _rows(
    figure: Figure,
    names: list[str],
    above: float,
    below: float,
    *,
    right: float = 0.2,
    size: float = 9.0,
) -> Axes:
    """Return axes with one labeled row per line, from top to bottom, with room for the labels."""
    axes = figure.add_axes((0.1, 0.1, 0.8, 0.8))
    axes.set_yticks(range(len(names)), names, size=size)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    left = EDGE + 0.1 + max(_inches(label) for label in axes.get_yticklabels())
    height = figure.get_figheight()
    axes.set_position(
        (left / WIDTH, below / height, 1 - (left + right) / WIDTH, 1 - (above + below) / height)
    )
    return axes


def _inches(text: Text) -> float:
    return text.get_window_extent().width / text.get_figure(root=True).dpi


def _label_points(axes: Axes, names: list[str], xs: np.ndarray, ys: np.ndarray) -> None:
    """Put each name at the nearest position without points, names or lines."""
    dot = axes.get_figure(root=True).dpi / 72  # pixels in a typographic point
    points = axes.transData.transform(np.column_stack([xs, ys]))
    taken = [Bbox.from_extents(*(p - 5 * dot), *(p + 5 * dot)) for p in points]
    lines: list[tuple[np.ndarray, np.ndarray]] = []
    # crowded points first: isolated ones always find a position
    near = [np.sort(np.hypot(*(points - p).T))[:4].sum() for p in points]
    for i in np.argsort(near, kind="stable"):
        point, at = points[i], (xs[i], ys[i])
        text = axes.annotate(names[i], at, (0, 0), textcoords="offset points", size=8, va="center")
        box = _place(text.get_window_extent(), point, axes.get_window_extent(), taken, lines, dot)
        text.set_position(tuple((np.array([box.x0, (box.y0 + box.y1) / 2]) - point) / dot))
        taken.append(box)
        ends = np.clip(points, box.min, box.max)
        apart = np.hypot(*(ends - points).T)
        # a line if the name is far away, or ambiguous
        if apart[i] > 9 * dot or (np.delete(apart, i) < 1.6 * apart[i]).any():
            lines.append((point, ends[i]))
            line = {"arrowstyle": "-", "color": "#999999", "linewidth": 0.7, "shrinkA": 4}
            end = axes.transData.inverted().transform(ends[i])
            axes.annotate("", end, at, zorder=1, arrowprops={**line, "shrinkB": 0})


def _place(
    text: Bbox,
    point: np.ndarray,
    room: Bbox,
    taken: list[Bbox],
    lines: list[tuple[np.ndarray, np.ndarray]],
    dot: float,
) -> Bbox:
    """Return the nearest free position for a text, or one that a line crosses."""
    others = [box for box in taken if not box.contains(*point)]  # except its own point's
    crossed = None
    for x, y in _places(point, text.width, text.height, dot):
        box = Bbox.from_bounds(x, y, text.width, text.height)
        within = (box.min >= room.min).all() and (box.max <= room.max).all()
        if not within or any(map(box.padded(dot).overlaps, taken)):
            continue
        end = np.clip(point, box.min, box.max)
        if not any(_crosses(box, *line) for line in lines) and not any(
            _crosses(other, point, end) for other in others
        ):
            return box
        crossed = crossed or box
    return crossed or box


def _places(point: np.ndarray, width: float, height: float, dot: float) -> Any:
    """Yield lower left corners of a label, around its point and ever farther away."""
    x, y = point
    for step in range(75):
        gap = (7 + 4 * step) * dot
        for turn in (0, 16, 1, 15, 31, 17, 8, 24, 2, 14, 30, 18, 4, 12, 20, 28, 6, 10, 22, 26):
            angle = turn * math.pi / 16
            dx, dy = math.cos(angle), math.sin(angle)
            # the distance is to the label's nearest side, not to its center
            yield (
                x + gap * dx + (width / 2) * (dx / max(abs(dx), abs(dy))) - width / 2,
                y + gap * dy + (height / 2) * (dy / max(abs(dx), abs(dy))) - height / 2,
            )


def _crosses(box: Bbox, start: np.ndarray, end: np.ndarray) -> bool:
    steps = np.linspace(start, end, 40)
    return bool(((steps > box.min) & (steps < box.max)).all(axis=1).any())


# --- texts


def _p(p: float, *, bare: bool = False) -> str:
    text = "< 0.001" if p < 0.001 else f"{p:.3f}"
    if bare:
        return text
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _sets(n: int) -> str:
    return "one set" if n == 1 else f"{n} sets"
