"""Rules as rectangles in the plane of two features, with what no rule covers and what two deny."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from irenic.budget import Budget
from irenic.errors import ConditionError
from irenic.plot._colors import (
    conflict_colour,
    is_dark,
    outcome_colours,
    outcome_markers,
    text_colour,
    tint,
)
from irenic.plot._figure import add_legend, axes_to_draw_on, check_axes, label, say_above
from irenic.plot._plane import Plane, beside, plane
from irenic.plot._scale import Scale, Span, Strip, scale_of
from irenic.plot._source import asked_order, chosen, source_of
from irenic.reporting.document import Box
from irenic.reporting.encoding import encode_box
from irenic.reporting.summarize import Source
from irenic.searching.gaps import Gaps, gaps

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SECONDS: Final = 10.0
_FILL: Final = 0.28
# More points than this are drawn as an image in vector formats, which would be huge otherwise.
_MOST_VECTORS: Final = 2_000
# The zones of the drawing, from below.
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

    What no rule covers is hatched, and where two rules contradict each other is outlined. Features
    that are not drawn are projected: a rule is drawn where it holds for some of their values, and
    only what no rule covers whatever they are is a gap. Contradictions are those of the whole
    space. ``at`` fixes features instead, and rules that do not hold there are not drawn.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted RuleSetClassifier
    x, y : str, optional
        Names of features; those that the most rules ask for if left out. Where there is only one
        feature, it is drawn as a strip.
    data : table, or a pair of a table and labels, optional
        Instances to draw as points. Of a plane ``at`` some values, those
        that the rules cannot tell from these values are drawn.
    labels : sequence, optional
        The labels of ``data``, where it is no pair.
    at : mapping, optional
        From names of features to the values that they are fixed to, None for missing.
    missing : bool, optional
        Whether to draw a band for missing values. By default there is one where rules name them
        or instances have them.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out.
    budget : Budget or float (seconds), optional
        For the search for what no rule covers.

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
    summary: Mapping[str, Any] = source.summary()
    found = plane(source, x, y, at)
    drawn = scale_of(summary, found.names[0], missing)
    up = scale_of(summary, found.names[1], missing) if len(found.names) > 1 else Strip()
    uncovered = gaps(found.settled, budget=budget)
    ax = axes_to_draw_on(ax, (6.8, 4.6) if len(found.names) > 1 else (6.8, 2.0))
    picture = _Picture(ax, source, summary, found, drawn, up)
    picture.dress()
    picture.draw_gaps(uncovered)
    picture.draw_rules()
    picture.draw_conflicts()
    picture.draw_points()
    add_legend(ax, picture.legend(uncovered))
    say_above(ax, picture.caption())
    return ax


def _instances(data: Any, labels: Any) -> tuple[Any, Any]:
    if isinstance(data, tuple) and len(data) == 2:
        if labels is not None:
            raise ConditionError("data is a pair (X, y) already; leave out labels")
        return data
    return data, labels


class _Picture:
    """An Axes being drawn on."""

    def __init__(
        self, ax: Any, source: Source, summary: Mapping[str, Any], found: Plane, x: Scale, y: Scale
    ) -> None:
        self.ax, self.source, self.summary, self.found, self.x, self.y = (
            ax,
            source,
            summary,
            found,
            x,
            y,
        )
        self.model = chosen(summary)
        self.how: str = summary["decides"]["how"]
        count = len(summary["outcomes"])
        self.colours, self.markers = outcome_colours(count), outcome_markers(count)
        # where many overlap, each has to be fainter, or all look the same
        self.fill = max(0.06, min(_FILL, 12 * _FILL / max(1, len(found.places))))
        self.ink = text_colour()
        self.shown_outcomes: set[int] = set()  # of points
        self.some_points = False
        self.left_out = 0

    def dress(self) -> None:
        """Set limits and write along the axes."""
        self.ax.set_xlim(*self.x.limits)
        self.ax.set_ylim(*self.y.limits)
        self.x.dress(self.ax.xaxis)
        self.y.dress(self.ax.yaxis)
        self.ax.grid(False)

    def rectangles(self, box: Box) -> Iterator[tuple[Span, Span]]:
        """Yield the rectangles that a box is drawn as."""
        across = self.x.spans(box.get(self.x.name))
        upwards = self.y.spans(box.get(self.y.name))
        return product(across, upwards)

    def _add(self, across: Span, upwards: Span, **style: Any) -> None:
        from matplotlib.patches import Rectangle

        corner = (across[0], upwards[0])
        size = (across[1] - across[0], upwards[1] - upwards[0])
        self.ax.add_patch(Rectangle(corner, *size, **style))

    # --- what no rule covers

    def _gap_style(self) -> dict[str, Any]:
        from matplotlib.colors import to_rgba

        default = self.model["default"]["outcome"]
        fill = "none" if default is None else tint(self.ax, self.colours[default], 0.10)
        return {
            "facecolor": fill,
            "edgecolor": to_rgba(self.ink, 0.32),
            "hatch": "////",
            "linewidth": 0.0,
        }

    def draw_gaps(self, uncovered: Gaps) -> None:
        """Hatch what no rule covers, and cross out what cannot occur."""
        for region in uncovered:
            for across, upwards in self.rectangles(encode_box(region)):
                self._add(across, upwards, gid="gap", zorder=_GAPS, **self._gap_style())
        for rule in self.found.outside:
            for across, upwards in self.rectangles(encode_box(rule.region)):
                self._add(across, upwards, gid="outside", zorder=_GAPS, **self._outside_style())

    def _outside_style(self) -> dict[str, Any]:
        from matplotlib.colors import to_rgba

        pale = {"facecolor": to_rgba(self.ink, 0.08), "edgecolor": to_rgba(self.ink, 0.2)}
        return pale | {"hatch": "xx", "linewidth": 0.0}

    # --- rules

    def draw_rules(self) -> None:
        """Draw each rule, of an ordered list the first on top, and number them."""
        # a shadow hides rules that decide behind it, so only a true picture is opaque
        opaque = self.how == "first" and not self.found.projected
        row = {place: i for i, place in enumerate(self.found.places)}
        shown = [place for place in asked_order(self.model) if place in row]
        depth = 1.0 / (len(shown) + 1)
        numbers = _Numbers(self.ax)
        for rank, place in enumerate(shown):
            colour = self.colours[self.model["rules"][place]["outcome"]]
            number = self.model["rules"][place]["number"]
            pieces = list(self.rectangles(encode_box(self.found.rules[row[place]].region)))
            zorder = _RULES + (1.0 - rank * depth if self.how == "first" else rank * depth)
            for across, upwards in pieces:
                self._add(
                    across,
                    upwards,
                    gid=f"rule {number}",
                    facecolor=tint(self.ax, colour, _FILL) if opaque else (colour, self.fill),
                    edgecolor=colour,
                    linewidth=1.3,
                    zorder=zorder,
                )
            numbers.put(str(number), pieces, self.ink)

    # --- contradictions

    def _conflict_style(self) -> dict[str, Any]:
        return {
            "facecolor": "none",
            "edgecolor": conflict_colour(self.ax),
            "linestyle": (0, (4, 2)),
            "linewidth": 1.8,
        }

    def draw_conflicts(self) -> None:
        """Outline where two rules contradict each other."""
        for rule in self.found.conflicts:
            for across, upwards in self.rectangles(encode_box(rule.region)):
                style = self._conflict_style()
                self._add(across, upwards, gid="conflict", zorder=_CONFLICTS, **style)

    # --- instances

    def draw_points(self) -> None:
        """Draw instances, each with the colour and the sign of its label."""
        instances = self.summary["instances"]
        if instances is None or not instances["shown"]:
            return
        shown = beside(self.source, self.summary, self.found)
        self.left_out = int((~shown).sum())
        columns = instances["columns"]
        rng = np.random.default_rng(0)  # one for both axes, or points would lie on diagonals
        across = self.x.places(columns[self.x.name], rng)
        upwards = self.y.places(columns[self.y.name or self.x.name], rng)
        size = float(np.clip(2400 / max(1, shown.sum()), 6, 26))
        style = {
            "s": size,
            "linewidth": 0.5,
            # dark colours on a dark ground are hard to see
            "edgecolor": self.ink if is_dark(self.ax) else self.ax.get_facecolor(),
            "zorder": _POINTS,
            "alpha": 0.9,
            "rasterized": bool(shown.sum() > _MOST_VECTORS),
        }
        if instances["outcomes"] is None:
            self.some_points = bool(shown.any())
            self.ax.scatter(across[shown], upwards[shown], c=self.ink, gid="points", **style)
            return
        outcomes = np.array(instances["outcomes"])
        for outcome in np.unique(outcomes[shown]).tolist():
            these = shown & (outcomes == outcome)
            self.shown_outcomes.add(outcome)
            self.ax.scatter(
                across[these],
                upwards[these],
                c=self.colours[outcome],
                marker=self.markers[outcome],
                gid=f"points {outcome}",
                **style,
            )

    # --- words

    def legend(self, uncovered: Gaps) -> list[tuple[Any, str]]:
        """Return what is drawn, each with its name."""
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        said = {self.model["rules"][place]["outcome"] for place in self.found.places}
        entries: list[tuple[Any, str]] = []
        for outcome, entry in enumerate(self.summary["outcomes"]):
            colour = self.colours[outcome]
            area = Patch(facecolor=(colour, _FILL), edgecolor=colour, linewidth=1.3)
            sign = Line2D([], [], color=colour, marker=self.markers[outcome], linestyle="none")
            sign.set_markersize(5)
            parts: list[Any] = [area] if outcome in said else []
            parts += [sign] if outcome in self.shown_outcomes else []
            if parts:
                handle = parts[0] if len(parts) == 1 else tuple(parts)
                entries.append((handle, label(entry["text"], 28)))
        if self.some_points:
            dot = Line2D([], [], color=self.ink, marker="o", linestyle="none", markersize=4)
            entries.append((dot, "instances"))
        if uncovered.regions or not uncovered.finished:
            entries.append((Patch(**self._gap_style()), self._gap_text(uncovered)))
        if len(self.found.outside):
            entries.append((Patch(**self._outside_style()), "cannot occur"))
        if len(self.found.conflicts):
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
        known = "" if self.found.all_conflicts else " (some of them)"
        decided = " (weights decide)" if self.how in ("best", "vote") else ""
        return f"contradiction{decided}{known}"

    def caption(self) -> list[str]:
        """Return what has to be known of features that are not drawn, and of the order."""
        at = [
            f"{label(name, 20)} = {label(text, 16)}"
            for name, text in self.found.fixed_texts.items()
        ]
        parts = [f"at {_listed(at)}"] if at else []
        if self.found.projected:
            parts.append(f"projected: {_listed([label(n, 20) for n in self.found.projected])}")
        if self.how == "first":
            priority = self.summary["decides"]["hit_policy"] == "PRIORITY"
            top = "the rule of the highest priority" if priority else "the first rule that holds"
            parts.append(f"{top} is on top")
        instances = self.summary["instances"]
        if self.left_out:
            shown = instances["shown"] - self.left_out
            parts.append(f"{shown:,} of {instances['shown']:,} instances lie here")
        elif instances is not None and instances["shown"] < instances["rows"]:
            parts.append(f"{instances['shown']:,} of {instances['rows']:,} instances")
        return parts


def _listed(names: list[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


class _Numbers:
    """The numbers of rules, each in its rectangle where there is room for it."""

    def __init__(self, ax: Any) -> None:
        self.ax = ax
        self.points = ax.figure.dpi / 72
        self.size = 9.0
        self.taken: list[tuple[float, float]] = []

    def put(self, text: str, pieces: list[tuple[Span, Span]], ink: str) -> None:
        """Write a number in the largest of a rule's rectangles, away from other numbers."""
        wide = (0.62 * len(text) + 0.6) * self.size * self.points
        high = 1.5 * self.size * self.points
        for low, top in sorted(map(self._pixels, pieces), key=_area, reverse=True):
            if top[0] - low[0] < wide or top[1] - low[1] < high:
                continue
            for across, upwards in product((0.5, 0.0, 1.0), repeat=2):
                centre = (
                    low[0] + wide / 2 + across * (top[0] - low[0] - wide),
                    low[1] + high / 2 + upwards * (top[1] - low[1] - high),
                )
                if all(
                    abs(centre[0] - a) > wide or abs(centre[1] - b) > high for a, b in self.taken
                ):
                    self.taken.append(centre)
                    self._write(text, centre, ink)
                    return

    def _write(self, text: str, centre: tuple[float, float], ink: str) -> None:
        from matplotlib.patheffects import withStroke

        x, y = self.ax.transData.inverted().transform(centre)
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
