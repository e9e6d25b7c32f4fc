"""Rules as rows: one column a feature, in it the part of the feature's range that a rule admits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from irenic.model.features import FIRST_CODE, LOWEST
from irenic.model.markup import count_text
from irenic.model.space import Space
from irenic.plot._colors import GREY, outcome_colours, text_colour
from irenic.plot._figure import axes_to_draw_on, check_axes, check_most, label, percent
from irenic.plot._plane import ends, value_text
from irenic.plot._scale import Categories, Numbers, scale_of
from irenic.plot._source import asked_order, chosen, rule_label, source_of
from irenic.reporting.document import Written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Of the width of a column, what is left free on either side.
_ASIDE: Final = 0.06
_BAR: Final = 0.26
_DOWN: Final = 0.17  # from the middle of a row to that of its bar: the text stands above
_MOST_SQUARES: Final = 12
_FEW: Final = 2
_COLUMN: Final = 1.75  # inches
_ROW: Final = 0.42


def rules(
    rules: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None, most: int = 30
) -> Axes:
    """Draw rules as rows, with their conditions as bars on the ranges of the features.

    There is one column a feature that a rule asks for. A bar is the part of its range that is
    admitted, filled squares are values that are. On the right are, where they were counted, how
    many instances a rule covers and for how many of these it is right.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted RuleSetClassifier
    X : table, optional
        Instances to count.
    y : labels, optional
        What is true of the instances.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out.
    most : int
        How many rules to draw at most.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> import irenic
    >>> rules = irenic.RuleSet([irenic.Rule({"age": (0, 30), "job": "clerk"}, then="low"),
    ...                         irenic.Rule({"age": (30, 60)}, then="high")])
    >>> ax = irenic.plot.rules(rules)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['1 → low', '2 → high']
    """
    check_axes(ax)
    most = check_most(most)
    source = source_of(rules, X, y)
    summary: Mapping[str, Any] = source.summary()
    model = chosen(summary)
    shown = [model["rules"][place] for place in asked_order(model)[:most]]
    asked = {name for rule in shown for name in rule["box"]}
    features = [feature for feature in summary["features"] if feature["name"] in asked]
    rows = len(shown) + (model["default"]["outcome"] is not None)
    width = min(16.0, 2.6 + _COLUMN * max(1, len(features)))
    ax = axes_to_draw_on(ax, (width, 0.9 + _ROW * max(1, rows)))
    drawing = _Drawing(ax, source.table.space, summary, shown, features)
    drawing.dress(rows)
    drawing.draw()
    if len(shown) < len(model["rules"]):
        ax.set_xlabel(f"the first {len(shown):,} of {len(model['rules']):,} rules", loc="left")
    return ax


class _Drawing:
    """An Axes being drawn on: column ``i`` reaches from ``i`` to ``i + 1``, row ``r`` lies at r."""

    def __init__(
        self,
        ax: Any,
        space: Space,
        summary: Mapping[str, Any],
        shown: list[Mapping[str, Any]],
        features: list[Mapping[str, Any]],
    ) -> None:
        self.ax, self.space, self.summary = ax, space, summary
        self.shown, self.features = shown, features
        self.model = chosen(summary)
        self.scales = [scale_of(summary, feature["name"]) for feature in features]
        self.colours = outcome_colours(len(summary["outcomes"]))
        self.ink = text_colour()
        self.counted = any(rule["support"] is not None for rule in shown)
        pixels = ax.get_window_extent().width / max(1, len(features) + 0.6 * self.counted)
        self.letters = max(6, int(pixels / ax.figure.dpi * 72 / 5.2))
        """How many letters of small print a column takes."""

    # --- the frame

    def dress(self, rows: int) -> None:
        """Set limits, name rows and columns, and write the ends of ranges."""
        ax, n = self.ax, len(self.features)
        ax.set_xlim(0, max(1, n) + (0.75 if self.counted else 0))
        ax.set_ylim(max(1, rows) - 0.5, -0.5)
        names = [rule_label(self.summary, rule) for rule in self.shown]
        default = self.model["default"]["outcome"]
        if default is not None:
            names.append(f"otherwise → {label(self.summary['outcomes'][default]['text'], 24)}")
        ax.set_yticks(range(len(names)), labels=names)
        ax.tick_params(axis="y", length=0)
        ax.grid(False)
        for side in ("top", "right", "left", "bottom"):
            ax.spines[side].set_visible(False)
        for row in range(1, rows):
            ax.axhline(row - 0.5, color=self.ink, alpha=0.12, linewidth=0.8)
        for column, feature in enumerate(self.features):
            self._head(column + 0.5, label(feature["name"], self.letters), "center")
        if self.counted:
            self._head(max(1, n) + 0.05, _head_of_counts(self.summary), "left")
        self._ends()

    def _head(self, x: float, text: str, ha: str) -> None:
        self.ax.annotate(
            text,
            (x, 1.0),
            xytext=(0, 3),
            textcoords="offset points",
            xycoords=self.ax.get_xaxis_transform(),
            ha=ha,
            va="bottom",
            fontsize="small",
            weight="bold",
            color=self.ink,
            gid="head",
        )

    def _ends(self) -> None:
        """Write below the columns from where to where they reach."""
        places: list[float] = []
        texts: list[str] = []
        for column, (scale, feature) in enumerate(zip(self.scales, self.features, strict=True)):
            if isinstance(scale, Numbers):
                places += [self._across(column, scale.low), self._across(column, scale.high)]
                ends_ = (value_text(self.space[feature["name"]], end) for end in feature["range"])
                texts += [label(text, self.letters // 2) for text in ends_]
        self.ax.set_xticks(places, labels=texts, fontsize="x-small")
        for i, text in enumerate(self.ax.get_xticklabels()):
            text.set_horizontalalignment("right" if i % 2 else "left")

    # --- the rows

    def draw(self) -> None:
        """Draw the conditions of each rule, and write what was counted."""
        for row, rule in enumerate(self.shown):
            colour = self.colours[rule["outcome"]]
            for column, feature in enumerate(self.features):
                condition = rule["box"].get(feature["name"])
                if condition is None:
                    continue
                text = self._condition(row, column, condition, colour)
                self.ax.text(
                    column + 0.5,
                    row - 0.17,
                    label(text, self.letters),
                    ha="center",
                    va="center",
                    fontsize="x-small",
                    color=self.ink,
                    gid="condition",
                )
            self._counts(row, rule)
        if self.model["default"]["outcome"] is not None:
            self._counts(len(self.shown), self.model["default"])

    def _counts(self, row: int, counts: Mapping[str, Any]) -> None:
        if counts["support"] is None:
            return
        text = count_text(counts["support"])
        if counts["confidence"] is not None:
            text += f" · {percent(counts['confidence'])}"
        x = max(1, len(self.features)) + 0.05
        style = {"fontsize": "small", "va": "center", "color": self.ink}
        self.ax.text(x, row, text, gid="counts", **style)

    def _condition(self, row: int, column: int, condition: Sequence[Any], colour: str) -> str:
        """Draw a condition, and return it in words."""
        scale, feature = self.scales[column], self.features[column]
        if isinstance(scale, Categories) and len(scale.codes) <= _MOST_SQUARES:
            self._squares(row, column, scale, condition, colour)
        else:
            self._bars(row, column, condition, colour)
        if isinstance(scale, Categories):
            return values_text(feature, condition)
        rounded = [condition_text(feature, condition, digits) for digits in (5, 4, 3)]
        return next((text for text in rounded if len(text) <= self.letters), rounded[-1])

    def _bars(self, row: int, column: int, condition: Sequence[Any], colour: str) -> None:
        middle = row + _DOWN
        self._track(column, middle)
        for start, end in self.scales[column].spans(condition):
            left, right = self._across(column, start), self._across(column, end)
            self._rectangle(left, right, middle, colour, f"rule {row}")

    def _track(self, column: int, middle: float) -> None:
        """Draw the whole range, thin."""
        ends_ = [column + _ASIDE, column + 1 - _ASIDE]
        self.ax.plot(ends_, [middle] * 2, color=GREY, linewidth=1.0, alpha=0.6, zorder=1)

    def _across(self, column: int, place: float) -> float:
        """Return where a place on the scale of a column lies."""
        low, high = self.scales[column].limits
        return column + _ASIDE + (place - low) / (high - low) * (1 - 2 * _ASIDE)

    def _squares(
        self, row: int, column: int, scale: Categories, condition: Sequence[int], colour: str
    ) -> None:
        side = min(0.8 * (1 - 2 * _ASIDE) / len(scale.codes), 0.12)
        for code in scale.codes:
            centre = self._across(column, scale.place[code])
            held = colour if code in condition else None
            gid = f"rule {row}" if held else "not admitted"
            self._rectangle(centre - side / 2, centre + side / 2, row + _DOWN, held, gid)

    def _rectangle(
        self, left: float, right: float, middle: float, colour: str | None, gid: str
    ) -> None:
        from matplotlib.patches import Rectangle

        self.ax.add_patch(
            Rectangle(
                (left, middle - _BAR / 2),
                right - left,
                _BAR,
                facecolor=colour or "none",
                edgecolor=colour or GREY,
                linewidth=0.8,
                gid=gid,
                zorder=2,
            )
        )


def _head_of_counts(summary: Mapping[str, Any]) -> str:
    labelled = any(rule["confidence"] is not None for rule in chosen(summary)["rules"])
    right = " · right" if labelled else ""
    return f"covers{right}{' (training)' if summary['counted_on'] == 'training' else ''}"


# --- conditions in words, without the name of the feature, which the column has


def condition_text(
    feature: Mapping[str, Any], condition: Sequence[float | None], digits: int = 5
) -> str:
    """Return a condition on a continuous feature in a few words, numbers rounded.

    >>> from irenic import Rule, RuleSet, summarize
    >>> found = summarize(RuleSet([Rule({"age": {">": 18, "<=": 64.123456789}}, then="A")]))
    >>> condition_text(found["features"][0], found["models"][0]["rules"][0]["box"]["age"])
    '> 18, ≤ 64.123'
    """
    lower, upper = ends(condition)
    if upper <= LOWEST:
        return "missing"
    cuts = {cut["at"]: cut for cut in feature["cuts"]}
    places = sorted(cuts)
    low, high = cuts.get(lower), cuts.get(upper)
    if low and high and low["equal"] and places.index(upper) == places.index(lower) + 1:
        return f"= {_rounded(low['equal'], feature['kind'], digits)}"
    parts = [(">" if low["lower"]["open"] else "≥", low["lower"])] if low else []
    parts += [("<" if high["upper"]["open"] else "≤", high["upper"])] if high else []
    said = [f"{sign} {_rounded(end, feature['kind'], digits)}" for sign, end in parts]
    text = ", ".join(said) or "not missing"
    return f"{text} or missing" if lower == -math.inf and feature["missing"] else text


def _rounded(written: Written, kind: str, digits: int) -> str:
    """Return a value as it is written, a long number rounded."""
    value, text = written["value"], written["text"]
    rounds = kind == "number" and isinstance(value, int | float) and len(text) > 6
    return f"{value:.{digits}g}" if rounds else text


def values_text(feature: Mapping[str, Any], condition: Sequence[int]) -> str:
    """Return a condition on a category in a few words: what it admits, or what it does not.

    >>> feature = {"values": ["missing", "any other value", "a", "b", "c"], "admitted": [2, 3, 4]}
    >>> values_text(feature, [2]), values_text(feature, [2, 3])
    ('a', 'a, b')
    """
    rest = [code for code in feature["admitted"] if code not in set(condition)]
    listed = all(code >= FIRST_CODE for code in condition)
    few = listed and len(condition) <= _FEW
    fewer = len(rest) < len(condition) and not few
    names = ", ".join(_names(feature, rest if fewer else list(condition)))
    return f"not {names}" if fewer else names


def _names(feature: Mapping[str, Any], codes: list[int]) -> Iterator[str]:
    for code in codes:
        yield "other" if code == 1 else str(feature["values"][code])
