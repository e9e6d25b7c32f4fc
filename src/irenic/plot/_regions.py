"""Rules as rectangles in the plane of two features, with gaps and contradictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from irenic.budget import Budget
from irenic.errors import ConditionError
from irenic.plot._colors import (
    conflict_color,
    is_dark,
    outcome_colors,
    outcome_markers,
    text_color,
    tint,
)
from irenic.plot._figure import add_caption, add_legend, axes_to_draw_on, check_axes, label
from irenic.plot._plane import Plane, beside, plane
from irenic.plot._scale import Scale, Span, Strip, scale_of
from irenic.plot._source import asked_order, chosen, drawn_summary, source_of
from irenic.reporting.document import Box
from irenic.reporting.encoding import encode_box
from irenic.reporting.summarize import Subject
from irenic.searching import Gaps, gaps

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SECONDS: Final = 10.0
_FILL: Final = 0.28
# Above this number, points in vector formats are rasterized to keep files small.
_MOST_VECTORS: Final = 2_000
# Layers of the drawing, from bottom to top.
_GAPS, _RULES, _POINTS, _CONFLICTS, _NUMBERS = 0.6, 1.0, 3.0, 4.0, 5.0


def regions(
    rules: Any,
    x: str | None = None,
    y: str | None = None,
    *,
    data: Any = None,
    labels: Any = None,
    at: Mapping[str, Any] | None = None,
    missing: bool | None = None,
    ax: Axes | None = None,
    budget: Budget | float | None = _SECONDS,
) -> Axes:
    """Draw rules as rectangles in the plane of two features.

    Gaps are hatched, and regions in which two rules contradict each other are outlined. All other
    features are projected: a rule is drawn wherever it holds for at least one of their values, a
    gap only where no rule holds for any of them, and contradictions are found in the whole space.
    ``at`` fixes features to values instead; rules that do not hold there are not drawn.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted RuleSetClassifier
        The rules to draw.
    x, y : str, optional
        Features along the axes (default: those that most rules have a condition on). A single
        feature is drawn as a strip.
    data : table, or a pair of a table and labels, optional
        Instances to draw as points. With ``at``, only instances that no rule distinguishes from
        the fixed values are drawn.
    labels : sequence, optional
        Labels of ``data``, unless it is a pair.
    at : mapping, optional
        Values of features that are fixed, by name; None is the missing value.
    missing : bool, optional
        Whether to draw a band for missing values (default: if rules mention them or instances
        have them).
    ax : matplotlib Axes, optional
        Axes to draw on (default: those of a new figure).
    budget : Budget or float (seconds), optional
        Budget of the search for gaps (default: 10 seconds).

    Returns
    -------
    matplotlib Axes
        The Axes with the plot.

    Raises
    ------
    ConditionError
        If a feature, ``at`` or ``ax`` is invalid, labels are passed twice, or matplotlib is not
        installed.
    DataError
        If ``data`` does not fit the rules, or a value in ``at`` cannot occur.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> import irenic
    >>> rules = irenic.RuleSet([
    ...     irenic.Rule({"age": (0, 30), "income": (0, 20)}, then="low"),
    ...     irenic.Rule({"age": (25, 60)}, then="high")])
    >>> ax = irenic.plot.regions(rules, x="age", y="income")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['low', 'high', 'no rule', 'contradiction']
    """
    check_axes(ax)
    X, labels = _instances(data, labels)
    source = source_of(rules, X, labels)
    summary = drawn_summary(source)
    view = plane(source, x, y, at)
    x_scale = scale_of(summary, view.names[0], missing)
    y_scale = scale_of(summary, view.names[1], missing) if len(view.names) > 1 else Strip()
    uncovered = gaps(view.settled, budget=budget)
    ax = axes_to_draw_on(ax, (6.8, 4.6) if len(view.names) > 1 else (6.8, 2.0))
    picture = _Picture(ax, source, summary, view, x_scale, y_scale)
    picture.set_up_axes()
    picture.draw_gaps(uncovered)
    picture.draw_rules()
    picture.draw_conflicts()
    picture.draw_points()
    add_legend(ax, picture.legend(uncovered))
    add_caption(ax, picture.caption())
    return ax


def _instances(data: Any, labels: Any) -> tuple[Any, Any]:
    if isinstance(data, tuple) and len(data) == 2:
        if labels is not None:
            raise ConditionError("data already contains labels, as a pair (X, y); leave out labels")
        return data
    return data, labels


class _Picture:
    """An Axes and what is drawn on it."""

    def __init__(
        self, ax: Any, source: Subject, summary: Mapping[str, Any], view: Plane, x: Scale, y: Scale
    ) -> None:
        self.ax, self.source, self.summary = ax, source, summary
        self.view, self.x, self.y = view, x, y
        self.model = chosen(summary)
        self.how: str = summary["decides"]["how"]
        count = len(summary["outcomes"])
        self.colors, self.markers = outcome_colors(summary), outcome_markers(count)
        # many overlapping rules would look alike unless each is fainter
        self.fill = max(0.06, min(_FILL, 12 * _FILL / max(1, len(view.places))))
        self.ink = text_color()
        self.shown_outcomes: set[int] = set()  # of points
        self.has_unlabeled_points = False
        self.n_left_out = 0

    def set_up_axes(self) -> None:
        """Set the limits and label the axes."""
        self.ax.set_xlim(*self.x.limits)
        self.ax.set_ylim(*self.y.limits)
        self.x.label_axis(self.ax.xaxis)
        self.y.label_axis(self.ax.yaxis)
        self.ax.grid(False)

    def rectangles(self, box: Box) -> Iterator[tuple[Span, Span]]:
        """Yield the rectangles that represent a box."""
        across = self.x.spans(box.get(self.x.name))
        upwards = self.y.spans(box.get(self.y.name))
        return product(across, upwards)

    def _add(self, across: Span, upwards: Span, **style: Any) -> None:
        from matplotlib.patches import Polygon

        # a Rectangle would keep its width, which rounds the other end
        (left, right), (bottom, top) = across, upwards
        corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
        self.ax.add_patch(Polygon(corners, **style))

    # --- gaps

    def _gap_style(self) -> dict[str, Any]:
        from matplotlib.colors import to_rgba

        default = self.model["default"]["outcome"]
        fill = "none" if default is None else tint(self.ax, self.colors[default], 0.10)
        return {
            "facecolor": fill,
            "edgecolor": to_rgba(self.ink, 0.32),
            "hatch": "////",
            "linewidth": 0.0,
        }

    def draw_gaps(self, uncovered: Gaps) -> None:
        """Hatch the gaps, and crosshatch the regions that cannot occur."""
        for region in uncovered:
            for across, upwards in self.rectangles(encode_box(region)):
                self._add(across, upwards, gid="gap", zorder=_GAPS, **self._gap_style())
        for rule in self.view.outside:
            for across, upwards in self.rectangles(encode_box(rule.region)):
                self._add(across, upwards, gid="outside", zorder=_GAPS, **self._outside_style())

    def _outside_style(self) -> dict[str, Any]:
        from matplotlib.colors import to_rgba

        pale = {"facecolor": to_rgba(self.ink, 0.08), "edgecolor": to_rgba(self.ink, 0.2)}
        return pale | {"hatch": "xx", "linewidth": 0.0}

    # --- rules

    def draw_rules(self) -> None:
        """Draw and number the rules; the first rule of an ordered list is on top."""
        # a projection would hide later rules where they decide, so only slices are opaque
        opaque = self.how == "first" and not self.view.projected
        row = {index: i for i, index in enumerate(self.view.places)}
        drawn = [index for index in asked_order(self.model) if index in row]
        depth = 1.0 / (len(drawn) + 1)
        numbers = _Numbers(self.ax)
        for rank, index in enumerate(drawn):
            color = self.colors[self.model["rules"][index]["outcome"]]
            number = self.model["rules"][index]["number"]
            pieces = list(self.rectangles(encode_box(self.view.rules[row[index]].region)))
            zorder = _RULES + (1.0 - rank * depth if self.how == "first" else rank * depth)
            for across, upwards in pieces:
                self._add(
                    across,
                    upwards,
                    gid=f"rule {number}",
                    facecolor=tint(self.ax, color, _FILL) if opaque else (color, self.fill),
                    edgecolor=color,
                    linewidth=1.3,
                    zorder=zorder,
                )
            numbers.put(str(number), pieces, self.ink)

    # --- contradictions

    def _conflict_style(self) -> dict[str, Any]:
        return {
            "facecolor": "none",
            "edgecolor": conflict_color(self.ax),
            "linestyle": (0, (4, 2)),
            "linewidth": 1.8,
        }

    def draw_conflicts(self) -> None:
        """Outline the regions in which two rules contradict each other."""
        for rule in self.view.conflicts:
            for across, upwards in self.rectangles(encode_box(rule.region)):
                style = self._conflict_style()
                self._add(across, upwards, gid="conflict", zorder=_CONFLICTS, **style)

    # --- instances

    def draw_points(self) -> None:
        """Draw instances, each with the color and the marker of its label."""
        instances = self.summary["instances"]
        if instances is None or not instances["shown"]:
            return
        shown = beside(self.source, self.summary, self.view)
        self.n_left_out = int((~shown).sum())
        columns = instances["columns"]
        rng = np.random.default_rng(0)  # shared, or points would lie on diagonals
        across = self.x.positions(columns[self.x.name], rng)
        upwards = self.y.positions(columns[self.y.name or self.x.name], rng)
        size = float(np.clip(2400 / max(1, shown.sum()), 6, 26))
        style = {
            "s": size,
            "linewidth": 0.5,
            # dark colors on a dark background are hard to see
            "edgecolor": self.ink if is_dark(self.ax) else self.ax.get_facecolor(),
            "zorder": _POINTS,
            "alpha": 0.9,
            "rasterized": bool(shown.sum() > _MOST_VECTORS),
        }
        if instances["outcomes"] is None:
            self.has_unlabeled_points = bool(shown.any())
            self.ax.scatter(across[shown], upwards[shown], c=self.ink, gid="points", **style)
            return
        outcomes = np.array(instances["outcomes"])
        for outcome in np.unique(outcomes[shown]).tolist():
            selected = shown & (outcomes == outcome)
            self.shown_outcomes.add(outcome)
            self.ax.scatter(
                across[selected],
                upwards[selected],
                c=self.colors[outcome],
                marker=self.markers[outcome],
                gid=f"points {outcome}",
                **style,
            )

    # --- legend and caption

    def legend(self, uncovered: Gaps) -> list[tuple[Any, str]]:
        """Return the entries of the legend: handles and texts."""
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        predicted = {self.model["rules"][index]["outcome"] for index in self.view.places}
        entries: list[tuple[Any, str]] = []
        for outcome, entry in enumerate(self.summary["outcomes"]):
            color = self.colors[outcome]
            area = Patch(facecolor=(color, _FILL), edgecolor=color, linewidth=1.3)
            point = Line2D([], [], color=color, marker=self.markers[outcome], linestyle="none")
            point.set_markersize(5)
            parts: list[Any] = [area] if outcome in predicted else []
            parts += [point] if outcome in self.shown_outcomes else []
            if parts:
                handle = parts[0] if len(parts) == 1 else tuple(parts)
                entries.append((handle, label(entry["text"], 28)))
        if self.has_unlabeled_points:
            dot = Line2D([], [], color=self.ink, marker="o", linestyle="none", markersize=4)
            entries.append((dot, "instances"))
        if uncovered.regions or not uncovered.finished:
            entries.append((Patch(**self._gap_style()), self._gap_text(uncovered)))
        if len(self.view.outside):
            entries.append((Patch(**self._outside_style()), "cannot occur"))
        if len(self.view.conflicts):
            entries.append((Patch(**self._conflict_style()), self._conflict_text()))
        return entries

    def _gap_text(self, uncovered: Gaps) -> str:
        default = self.model["default"]["outcome"]
        text = "no rule"
        if default is not None:
            text += f": {label(self.summary['outcomes'][default]['text'], 20)}"
        if not uncovered.finished:
            text += f" (stopped by {uncovered.stopped_by})"
        return text

    def _conflict_text(self) -> str:
        partial = "" if self.view.all_conflicts else " (not all shown)"
        decided = " (decided by weight)" if self.how in ("best", "vote") else ""
        return f"contradiction{decided}{partial}"

    def caption(self) -> list[str]:
        """Return notes on fixed and projected features, the order of rules, and instances."""
        at = [
            f"{label(name, 20)} = {label(text, 16)}" for name, text in self.view.fixed_texts.items()
        ]
        parts = [f"at {_listed(at)}"] if at else []
        if self.view.projected:
            parts.append(f"projected: {_listed([label(n, 20) for n in self.view.projected])}")
        if self.how == "first":
            priority = self.summary["decides"]["hit_policy"] == "PRIORITY"
            top = "the rule of highest priority" if priority else "the first matching rule"
            parts.append(f"{top} is on top")
        instances = self.summary["instances"]
        if self.n_left_out:
            shown = instances["shown"] - self.n_left_out
            parts.append(f"{shown:,} of {instances['shown']:,} instances are in this slice")
        elif instances is not None and instances["shown"] < instances["rows"]:
            parts.append(f"{instances['shown']:,} of {instances['rows']:,} instances")
        return parts


def _listed(names: list[str], limit: int = 3) -> str:
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


class _Numbers:
    """The numbers of rules, each written in its rectangle if it fits."""

    def __init__(self, ax: Any) -> None:
        self.ax = ax
        self.points = ax.figure.dpi / 72
        self.size = 9.0
        self.taken: list[tuple[float, float]] = []

    def put(self, text: str, pieces: list[tuple[Span, Span]], ink: str) -> None:
        """Write a number in the largest rectangle of a rule that has room for it."""
        width = (0.62 * len(text) + 0.6) * self.size * self.points
        height = 1.5 * self.size * self.points
        for low, top in sorted(map(self._pixels, pieces), key=_area, reverse=True):
            if top[0] - low[0] < width or top[1] - low[1] < height:
                continue
            for across, upwards in product((0.5, 0.0, 1.0), repeat=2):
                center = (
                    low[0] + width / 2 + across * (top[0] - low[0] - width),
                    low[1] + height / 2 + upwards * (top[1] - low[1] - height),
                )
                if all(
                    abs(center[0] - a) > width or abs(center[1] - b) > height for a, b in self.taken
                ):
                    self.taken.append(center)
                    self._write(text, center, ink)
                    return

    def _write(self, text: str, center: tuple[float, float], ink: str) -> None:
        from matplotlib.patheffects import withStroke

        x, y = self.ax.transData.inverted().transform(center)
        style = {"ha": "center", "va": "center", "fontsize": self.size, "weight": "bold"}
        halo = [withStroke(linewidth=2.5, foreground=self.ax.get_facecolor(), alpha=0.7)]
        style |= {"clip_on": True, "gid": "number", "path_effects": halo}
        self.ax.text(x, y, text, color=ink, zorder=_NUMBERS, **style)

    def _pixels(self, piece: tuple[Span, Span]) -> Any:
        (left, right), (bottom, top) = piece
        return self.ax.transData.transform([(left, bottom), (right, top)])


def _area(corners: Any) -> float:
    (left, bottom), (right, top) = corners
    return float((right - left) * (top - bottom))
