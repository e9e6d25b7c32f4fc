"""A bar per rule: how many instances it covers, by their labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from irenic.errors import DataError
from irenic.model.literals import count_text
from irenic.plot._colors import GRAY, conflict_color, outcome_colors, text_color
from irenic.plot._figure import (
    add_caption,
    add_legend,
    axes_to_draw_on,
    check_axes,
    check_limit,
    label,
    percent,
)
from irenic.plot._source import asked_order, chosen, rule_label, summary_of
from irenic.reporting.instances import CONTRADICTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WRONG: Final = "xxxx"
_ROW: Final = 0.32


@dataclass(frozen=True)
class _Bar:
    name: str
    support: float
    mix: list[float] | None
    """Number of instances per label; None if their labels are unknown."""
    correct: frozenset[int]
    """The labels for which the prediction is correct."""
    predicts: bool
    color: str
    note: str = ""


def coverage(
    rules: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None, limit: int = 30
) -> Axes:
    """Draw how many instances each rule covers, by their true labels.

    Instances that a rule misclassifies are crosshatched. The last bars show the instances that no
    rule covers and those on which rules contradict each other. An instance that several rules
    cover counts for each of them.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted RuleSetClassifier
        The rules to draw.
    X : table, optional
        Instances to count (default: use the training counts of the classifier).
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
    DataError
        If there are no instances to count, or if ``y`` or ``X`` do not fit the rules.
    ConditionError
        If ``ax`` or ``limit`` is invalid, or matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> import irenic
    >>> rules = irenic.RuleSet([irenic.Rule({"age": (0, 30)}, then="low"),
    ...                         irenic.Rule({"age": (30, 60)}, then="high")])
    >>> ax = irenic.plot.coverage(rules, {"age": [10, 20, 50, 70]}, ["low", "high", "high", "low"])
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['1 → low', '2 → high', 'no rule']
    """
    check_axes(ax)
    limit = check_limit(limit)
    summary = summary_of(rules, X, y)
    if summary["counted_on"] is None:
        raise DataError("coverage needs instances to count; pass X, and y for their labels")
    model = chosen(summary)
    bars = [_rule_bar(summary, model["rules"][index]) for index in asked_order(model)[:limit]]
    bars += _last_bars(summary)
    ax = axes_to_draw_on(ax, (6.8, 1.1 + _ROW * max(2, len(bars))))
    ink = text_color()
    for row, bar in enumerate(bars):
        _draw(ax, row, bar, _label_colors(summary), ink)
    _set_up_axes(ax, summary, bars)
    add_legend(ax, _legend(summary, bars, ink))
    n = len(model["rules"])
    add_caption(ax, [f"the first {limit:,} of {n:,} rules"] if n > limit else [])
    return ax


def _label_colors(summary: Mapping[str, Any]) -> list[str]:
    """Return the colors of single labels, which are the outcomes where mixes are drawn."""
    return [] if summary["several_labels"] else outcome_colors(summary)


def _rule_bar(summary: Mapping[str, Any], rule: Mapping[str, Any]) -> _Bar:
    outcome = rule["outcome"]
    color = outcome_colors(summary)[outcome]
    correct = frozenset(summary["outcomes"][outcome]["labels"])
    return _Bar(
        rule_label(summary, rule),
        rule["support"],
        _mix(summary, rule["mix"]),
        correct,
        True,
        color,
        _percent(rule["confidence"]),
    )


def _mix(summary: Mapping[str, Any], mix: list[float] | None) -> list[float] | None:
    # instances with several labels would be counted several times
    return None if summary["several_labels"] else mix


def _percent(confidence: float | None) -> str:
    return "" if confidence is None else f" · {percent(confidence)}"


def _last_bars(summary: Mapping[str, Any]) -> list[_Bar]:
    """Return the bars of instances that no rule covers, or on which rules disagree."""
    model = chosen(summary)
    default, results = model["default"], model["results"]
    bars = []
    if default["support"] or not model["rules"]:
        outcome = default["outcome"]
        name, correct = "no rule", frozenset[int]()
        if outcome is not None:
            name += f" → {label(summary['outcomes'][outcome]['text'], 24)}"
            correct = frozenset(summary["outcomes"][outcome]["labels"])
        note = _percent(default["confidence"]) if outcome is not None else ""
        mix = _mix(summary, default["mix"])
        predicts = outcome is not None
        bars.append(_Bar(name, default["support"], mix, correct, predicts, GRAY, note))
    if results is not None and results["contradicted"]:
        confusion = results.get("confusion")
        mix = None
        if confusion is not None:
            mix = [0.0] * len(summary["labels"])
            for true, predicted, n in confusion:
                mix[true] += n if predicted == CONTRADICTED else 0
        support = results["contradicted"]
        bars.append(_Bar("contradicted", support, mix, frozenset(), False, ""))
    return bars


def _draw(ax: Any, row: int, bar: _Bar, colors: list[str], ink: str) -> None:
    """Draw one bar: correct labels first, then wrong ones, crosshatched."""
    outline = conflict_color(ax) if bar.name == "contradicted" else ax.get_facecolor()
    style: dict[str, Any] = {"height": 0.68, "linewidth": 0.6, "edgecolor": outline}
    if bar.name == "contradicted":
        style |= {"linestyle": (0, (4, 2)), "linewidth": 1.4}
    if bar.mix is None:
        ax.barh(row, bar.support, color=bar.color or GRAY, gid=bar.name, **style)
    else:
        start = 0.0
        for code in sorted(range(len(bar.mix)), key=lambda k: k not in bar.correct):
            if not bar.mix[code]:
                continue
            wrong = bar.predicts and code not in bar.correct
            hatch = {"hatch": _WRONG} if wrong else {}
            patches = ax.barh(row, bar.mix[code], left=start, color=colors[code], **style, **hatch)
            patches[0].set_gid(f"{'wrong' if wrong else 'label'} {code}")
            start += bar.mix[code]
    ax.annotate(
        f"{count_text(bar.support)}{bar.note}",
        (bar.support, row),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        fontsize="small",
        color=ink,
        gid="counts",
    )


def _set_up_axes(ax: Any, summary: Mapping[str, Any], bars: list[_Bar]) -> None:
    ax.set_yticks(range(len(bars)), labels=[bar.name for bar in bars])
    ax.set_ylim(max(1, len(bars)) - 0.4, -0.6)
    ax.set_xlim(0, 1.18 * max([bar.support for bar in bars] or [0]) or 1.0)
    ax.tick_params(axis="y", length=0)
    ax.grid(False)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    training = "training " if summary["counted_on"] == "training" else ""
    ax.set_xlabel(f"{training}instances covered")


def _legend(summary: Mapping[str, Any], bars: list[_Bar], ink: str) -> list[tuple[Any, str]]:
    from matplotlib.patches import Patch

    present = {code for bar in bars for code, n in enumerate(bar.mix or []) if n}
    colors = _label_colors(summary)
    entries: list[tuple[Any, str]] = [
        (Patch(facecolor=colors[code]), label(entry["text"], 28))
        for code, entry in enumerate(summary["labels"])
        if code in present
    ]
    wrong = any(
        n and bar.predicts and code not in bar.correct
        for bar in bars
        for code, n in enumerate(bar.mix or [])
    )
    if wrong:
        hatched = Patch(facecolor="none", edgecolor=ink, hatch=_WRONG, linewidth=0.0)
        entries.append((hatched, "misclassified"))
    return entries
