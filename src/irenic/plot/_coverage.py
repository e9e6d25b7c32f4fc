"""How many instances each rule covers, and of which label they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from irenic.errors import DataError
from irenic.model.markup import count_text
from irenic.plot._colors import GREY, conflict_colour, outcome_colours, text_colour
from irenic.plot._figure import (
    add_legend,
    axes_to_draw_on,
    check_axes,
    check_most,
    label,
    percent,
    say_above,
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
    """How many instances of each label; None where nobody says."""
    right: frozenset[int]
    """The labels for which what is said is right; none where nothing is said."""
    said: bool
    colour: str
    note: str = ""


def coverage(
    rules: Any, X: Any = None, y: Any = None, *, ax: Axes | None = None, most: int = 30
) -> Axes:
    """Draw how many instances each rule covers, by their true labels.

    Instances for which a rule is wrong are crossed. The last bars are the instances that no rule
    covers, and those for which rules contradict each other. An instance that several rules cover
    counts for each of them.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted RuleSetClassifier
    X : table, optional
        Instances. Without them, what a classifier counted in training is drawn.
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
    >>> rules = irenic.RuleSet([irenic.Rule({"age": (0, 30)}, then="low"),
    ...                         irenic.Rule({"age": (30, 60)}, then="high")])
    >>> ax = irenic.plot.coverage(rules, {"age": [10, 20, 50, 70]}, ["low", "high", "high", "low"])
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['1 → low', '2 → high', 'no rule']
    """
    check_axes(ax)
    most = check_most(most)
    summary = summary_of(rules, X, y)
    if summary["counted_on"] is None:
        raise DataError("coverage needs instances to count: give X, and y for their labels")
    model = chosen(summary)
    bars = [_rule_bar(summary, model["rules"][place]) for place in asked_order(model)[:most]]
    bars += _last_bars(summary)
    ax = axes_to_draw_on(ax, (6.8, 1.1 + _ROW * max(2, len(bars))))
    ink = text_colour()
    for row, bar in enumerate(bars):
        _draw(ax, row, bar, outcome_colours(len(summary["labels"])), ink)
    _dress(ax, summary, bars)
    add_legend(ax, _legend(summary, bars, ink))
    n = len(model["rules"])
    say_above(ax, [f"the first {most:,} of {n:,} rules"] if n > most else [])
    return ax


def _rule_bar(summary: Mapping[str, Any], rule: Mapping[str, Any]) -> _Bar:
    outcome = rule["outcome"]
    colour = outcome_colours(len(summary["outcomes"]))[outcome]
    right = frozenset(summary["outcomes"][outcome]["labels"])
    return _Bar(
        rule_label(summary, rule),
        rule["support"],
        _mix(summary, rule["mix"]),
        right,
        True,
        colour,
        _percent(rule["confidence"]),
    )


def _mix(summary: Mapping[str, Any], mix: list[float] | None) -> list[float] | None:
    # instances with several labels would be counted several times
    return None if summary["several_labels"] else mix


def _percent(confidence: float | None) -> str:
    return "" if confidence is None else f" · {percent(confidence)}"


def _last_bars(summary: Mapping[str, Any]) -> list[_Bar]:
    """Return bars for instances that no rule covers, and for those that are contradicted."""
    model = chosen(summary)
    default, results = model["default"], model["results"]
    bars = []
    if default["support"] or not model["rules"]:
        outcome = default["outcome"]
        name, right = "no rule", frozenset[int]()
        if outcome is not None:
            name += f" → {label(summary['outcomes'][outcome]['text'], 24)}"
            right = frozenset(summary["outcomes"][outcome]["labels"])
        note = _percent(default["confidence"]) if outcome is not None else ""
        mix = _mix(summary, default["mix"])
        bars.append(_Bar(name, default["support"], mix, right, outcome is not None, GREY, note))
    if results is not None and results["contradicted"]:
        confusion = results.get("confusion")
        mix = None
        if confusion is not None:
            mix = [0.0] * len(summary["labels"])
            for true, told, n in confusion:
                mix[true] += n if told == CONTRADICTED else 0
        said = results["contradicted"]
        bars.append(_Bar("contradicted", said, mix, frozenset(), False, ""))
    return bars


def _draw(ax: Any, row: int, bar: _Bar, colours: list[str], ink: str) -> None:
    """Draw one bar: the right labels first, then the wrong ones, crossed."""
    outline = conflict_colour(ax) if bar.name == "contradicted" else ax.get_facecolor()
    style: dict[str, Any] = {"height": 0.68, "linewidth": 0.6, "edgecolor": outline}
    if bar.name == "contradicted":
        style |= {"linestyle": (0, (4, 2)), "linewidth": 1.4}
    if bar.mix is None:
        ax.barh(row, bar.support, color=bar.colour or GREY, gid=bar.name, **style)
    else:
        start = 0.0
        for place in sorted(range(len(bar.mix)), key=lambda k: k not in bar.right):
            if not bar.mix[place]:
                continue
            wrong = bar.said and place not in bar.right
            hatch = {"hatch": _WRONG} if wrong else {}
            drawn = ax.barh(row, bar.mix[place], left=start, color=colours[place], **style, **hatch)
            drawn[0].set_gid(f"{'wrong' if wrong else 'held'} {place}")
            start += bar.mix[place]
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


def _dress(ax: Any, summary: Mapping[str, Any], bars: list[_Bar]) -> None:
    ax.set_yticks(range(len(bars)), labels=[bar.name for bar in bars])
    ax.set_ylim(max(1, len(bars)) - 0.4, -0.6)
    ax.set_xlim(0, 1.18 * max([bar.support for bar in bars] or [0]) or 1.0)
    ax.tick_params(axis="y", length=0)
    ax.grid(False)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    training = " of the training" if summary["counted_on"] == "training" else ""
    ax.set_xlabel(f"instances{training} covered")


def _legend(summary: Mapping[str, Any], bars: list[_Bar], ink: str) -> list[tuple[Any, str]]:
    from matplotlib.patches import Patch

    held = {place for bar in bars for place, n in enumerate(bar.mix or []) if n}
    colours = outcome_colours(len(summary["labels"]))
    entries: list[tuple[Any, str]] = [
        (Patch(facecolor=colours[place]), label(entry["text"], 28))
        for place, entry in enumerate(summary["labels"])
        if place in held
    ]
    wrong = any(
        n and bar.said and place not in bar.right
        for bar in bars
        for place, n in enumerate(bar.mix or [])
    )
    if wrong:
        crossed = Patch(facecolor="none", edgecolor=ink, hatch=_WRONG, linewidth=0.0)
        entries.append((crossed, "the rule says another"))
    return entries
