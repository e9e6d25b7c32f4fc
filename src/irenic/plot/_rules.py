"""Rules as rows, with one column per feature that shows the rule's condition on it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from irenic.model.features import FIRST_CODE, LOWEST
from irenic.model.literals import count_text
from irenic.model.space import Space
from irenic.plot._colors import GRAY, outcome_colors, text_color
from irenic.plot._figure import axes_to_draw_on, check_axes, check_limit, label, percent
from irenic.plot._plane import ends, value_text
from irenic.plot._scale import Categories, Numbers, scale_of
from irenic.plot._source import asked_order, chosen, drawn_summary, rule_label, source_of
from irenic.reporting.document import WrittenValue

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Margin on either side of a column, as a share of its width.
_MARGIN: Final = 0.06
_BAR: Final = 0.26
_DOWN: Final = 0.17  # from the middle of a row to that of its bar, below the text
_MOST_SQUARES: Final = 12
_FEW: Final = 2
_COLUMN: Final = 1.75  # inches
_ROW: Final = 0.42


def rules(
    rules: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None, limit: int = 30
) -> Axes:
    """Draw rules as rows, with their conditions as bars on the ranges of the features.

    There is one column per feature that a rule has a condition on. A bar is the admitted part of
    the range; filled squares are the admitted values. If instances were counted, the right-hand
    column shows how many a rule covers and the share of them for which it is correct.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted RuleSetClassifier
        The rules to draw.
    X : table, optional
        Instances to count (default: use the training counts of the classifier, if any).
    y : sequence, optional
        True labels of the instances.
    ax : matplotlib Axes, optional
        Axes to draw on (default: those of a new figure).
    limit : int
        Maximum number of rules to draw.

    Returns
    -------
    matplotlib Axes
        The Axes with the plot.

    Raises
    ------
    ConditionError
        If ``ax`` or ``limit`` is invalid, or matplotlib is not installed.
    DataError
        If ``X`` or ``y`` do not fit the rules.

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
    limit = check_limit(limit)
    source = source_of(rules, X, y)
    summary = drawn_summary(source)
    model = chosen(summary)
    shown = [model["rules"][index] for index in asked_order(model)[:limit]]
    tested = {name for rule in shown for name in rule["box"]}
    features = [feature for feature in summary["features"] if feature["name"] in tested]
    rows = len(shown) + (model["default"]["outcome"] is not None)
    width = min(16.0, 2.6 + _COLUMN * max(1, len(features)))
    ax = axes_to_draw_on(ax, (width, 0.9 + _ROW * max(1, rows)))
    drawing = _Drawing(ax, source.table.space, summary, shown, features)
    drawing.set_up_axes(rows)
    drawing.draw()
    if len(shown) < len(model["rules"]):
        ax.set_xlabel(f"the first {len(shown):,} of {len(model['rules']):,} rules", loc="left")
    return ax


class _Drawing:
    """An Axes and what is drawn on it: column i spans ``[i, i + 1]``, row r is centered at r."""

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
        self.colors = outcome_colors(summary)
        self.ink = text_color()
        self.counted = any(rule["support"] is not None for rule in shown)
        pixels = ax.get_window_extent().width / max(1, len(features) + 0.6 * self.counted)
        self.letters = max(6, int(pixels / ax.figure.dpi * 72 / 5.2))
        """How many letters of small print fit in a column."""

    # --- the frame

    def set_up_axes(self, rows: int) -> None:
        """Set the limits, label rows and columns, and write the ends of ranges."""
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
        """Write the ends of the ranges below the columns."""
        positions: list[float] = []
        texts: list[str] = []
        for column, (scale, feature) in enumerate(zip(self.scales, self.features, strict=True)):
            if isinstance(scale, Numbers):
                positions += [self._across(column, scale.low), self._across(column, scale.high)]
                ends_ = (value_text(self.space[feature["name"]], end) for end in feature["range"])
                texts += [label(text, self.letters // 2) for text in ends_]
        self.ax.set_xticks(positions, labels=texts, fontsize="x-small")
        for i, text in enumerate(self.ax.get_xticklabels()):
            text.set_horizontalalignment("right" if i % 2 else "left")

    # --- the rows

    def draw(self) -> None:
        """Draw the conditions of each rule, and write its counts."""
        for row, rule in enumerate(self.shown):
            color = self.colors[rule["outcome"]]
            for column, feature in enumerate(self.features):
                condition = rule["box"].get(feature["name"])
                if condition is None:
                    continue
                text = self._condition(row, column, condition, color)
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

    def _condition(self, row: int, column: int, condition: Sequence[Any], color: str) -> str:
        """Draw a condition, and return its text."""
        scale, feature = self.scales[column], self.features[column]
        if isinstance(scale, Categories) and len(scale.codes) <= _MOST_SQUARES:
            self._squares(row, column, scale, condition, color)
        else:
            self._bars(row, column, condition, color)
        if isinstance(scale, Categories):
            return values_text(feature, condition)
        rounded = [condition_text(feature, condition, digits) for digits in (5, 4, 3)]
        return next((text for text in rounded if len(text) <= self.letters), rounded[-1])

    def _bars(self, row: int, column: int, condition: Sequence[Any], color: str) -> None:
        middle = row + _DOWN
        self._track(column, middle)
        for start, end in self.scales[column].spans(condition):
            left, right = self._across(column, start), self._across(column, end)
            self._rectangle(left, right, middle, color, f"rule {row}")

    def _track(self, column: int, middle: float) -> None:
        """Draw a thin line along the whole range."""
        ends_ = [column + _MARGIN, column + 1 - _MARGIN]
        self.ax.plot(ends_, [middle] * 2, color=GRAY, linewidth=1.0, alpha=0.6, zorder=1)

    def _across(self, column: int, position: float) -> float:
        """Return the x coordinate of a position on the scale of a column."""
        low, high = self.scales[column].limits
        return column + _MARGIN + (position - low) / (high - low) * (1 - 2 * _MARGIN)

    def _squares(
        self, row: int, column: int, scale: Categories, condition: Sequence[int], color: str
    ) -> None:
        side = min(0.8 * (1 - 2 * _MARGIN) / len(scale.codes), 0.12)
        for code in scale.codes:
            center = self._across(column, scale.position[code])
            fill = color if code in condition else None
            gid = f"rule {row}" if fill else "not admitted"
            self._rectangle(center - side / 2, center + side / 2, row + _DOWN, fill, gid)

    def _rectangle(
        self, left: float, right: float, middle: float, color: str | None, gid: str
    ) -> None:
        from matplotlib.patches import Rectangle

        self.ax.add_patch(
            Rectangle(
                (left, middle - _BAR / 2),
                right - left,
                _BAR,
                facecolor=color or "none",
                edgecolor=color or GRAY,
                linewidth=0.8,
                gid=gid,
                zorder=2,
            )
        )


def _head_of_counts(summary: Mapping[str, Any]) -> str:
    rules = chosen(summary)["rules"]
    if any(rule["interval"] is not None for rule in rules):  # estimated from rows left out
        return "covered · correct (new rows)"
    correct = " · correct" if any(rule["confidence"] is not None for rule in rules) else ""
    return f"covered{correct}{' (training)' if summary['counted_on'] == 'training' else ''}"


# --- texts of conditions, without the feature's name, which heads the column


def condition_text(
    feature: Mapping[str, Any], condition: Sequence[float | None], digits: int = 5
) -> str:
    """Return a short text of a condition on a continuous feature, with numbers rounded."""
    lower, upper = ends(condition)
    if upper <= LOWEST:
        return "missing"
    cuts = {cut["at"]: cut for cut in feature["cuts"]}
    positions = sorted(cuts)
    low, high = cuts.get(lower), cuts.get(upper)
    if low and high and low["equal"] and positions.index(upper) == positions.index(lower) + 1:
        return f"= {_rounded(low['equal'], feature['kind'], digits)}"
    parts = [(">" if low["lower"]["open"] else "≥", low["lower"])] if low else []
    parts += [("<" if high["upper"]["open"] else "≤", high["upper"])] if high else []
    texts = [f"{sign} {_rounded(end, feature['kind'], digits)}" for sign, end in parts]
    text = ", ".join(texts) or "not missing"
    return f"{text} or missing" if lower == -math.inf and feature["missing"] else text


def _rounded(written: WrittenValue, kind: str, digits: int) -> str:
    """Return the text of a value; long numbers are rounded."""
    value, text = written["value"], written["text"]
    rounds = kind == "number" and isinstance(value, int | float) and len(text) > 6
    return f"{value:.{digits}g}" if rounds else text


def values_text(feature: Mapping[str, Any], condition: Sequence[int]) -> str:
    """Return a short text of a condition on a category: the admitted or the excluded values."""
    excluded = [code for code in feature["admitted"] if code not in set(condition)]
    declared = all(code >= FIRST_CODE for code in condition)
    short = declared and len(condition) <= _FEW
    negate = len(excluded) < len(condition) and not short
    names = ", ".join(_names(feature, excluded if negate else list(condition)))
    return f"not {names}" if negate else names


def _names(feature: Mapping[str, Any], codes: list[int]) -> Iterator[str]:
    for code in codes:
        yield "other" if code == 1 else str(feature["values"][code])
