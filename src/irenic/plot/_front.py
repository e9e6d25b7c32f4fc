"""The front of a learner: what each rule set is worth, and how large it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from irenic.errors import ConditionError, did_you_mean
from irenic.model.literals import counted
from irenic.plot._colors import OKABE_ITO, text_colour
from irenic.plot._figure import add_legend, axes_to_draw_on, check_axes, say_above
from irenic.plot._source import summary_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZES: Final = {
    "conditions": "conditions",
    "rules": "rules",
    "explanation_size": "conditions to read for a prediction",
}


def front(
    rules: Any,
    *,
    ax: Axes | None = None,
    size: Literal["conditions", "rules", "explanation_size"] = "conditions",
) -> Axes:
    """Draw the rule sets that a learner found: their score against their size.

    Filled signs are scores on rows that were left out (validated), hollow ones those on the rows
    that the rules were learned from. The rule set in use is marked.

    Parameters
    ----------
    rules : fitted RuleSetClassifier
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out.
    size : {"conditions", "rules", "explanation_size"}
        What size is: all conditions, rules, or the conditions that one reads for a prediction.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> import irenic
    >>> X, y = {"age": [1, 2, 3, 4] * 9}, ["low", "low", "high", "high"] * 9
    >>> clf = irenic.RuleSetClassifier(generations=1, random_state=0).fit(X, y)
    >>> ax = irenic.plot.front(clf)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('conditions', 'score')
    """
    check_axes(ax)
    if not isinstance(size, str) or size not in _SIZES:
        raise ConditionError(f"size: unknown {size!r}{did_you_mean(size, _SIZES)}")
    summary = summary_of(rules)
    models = summary["models"]
    if any(model["front"] is None for model in models):
        raise ConditionError("a front needs a fitted RuleSetClassifier")
    ax = axes_to_draw_on(ax, (6.4, 4.0))
    entries = [
        _draw_scores(ax, models, size, "validated_score", "validated"),
        _draw_scores(ax, models, size, "training_score", "training"),
    ]
    entries.append(_draw_chosen(ax, models[summary["chosen"]], size))
    ax.set_xlabel(_SIZES[size])
    ax.set_ylabel("score")
    ax.locator_params(axis="x", integer=size != "explanation_size")
    ax.margins(x=0.08, y=0.12)
    ax.grid(visible=True, alpha=0.25)
    add_legend(ax, [entry for entry in entries if entry is not None])
    say_above(ax, [f"{counted(len(models), 'rule set')}, from small to accurate"])
    return ax


def _place(model: Mapping[str, Any], size: str) -> float:
    held = model["front"] if size == "explanation_size" else model["size"]
    return float(held[size])


def _draw_scores(
    ax: Any, models: list[Any], size: str, score: str, name: str
) -> tuple[Any, str] | None:
    points = sorted(
        (_place(model, size), model["front"][score])
        for model in models
        if model["front"][score] is not None
    )
    if not points:
        return None
    filled = score == "validated_score"
    (line,) = ax.plot(
        *zip(*points, strict=True),
        color=OKABE_ITO[0],
        linestyle="-" if filled else ":",
        linewidth=1.4 if filled else 1.0,
        marker="o",
        markersize=6,
        markerfacecolor=OKABE_ITO[0] if filled else "none",
        gid=name,
        zorder=3 if filled else 2,
    )
    return line, name


def _draw_chosen(ax: Any, model: Mapping[str, Any], size: str) -> tuple[Any, str] | None:
    score = model["front"]["validated_score"]
    if score is None:
        score = model["front"]["training_score"]
    if score is None:
        return None
    held = model["size"]
    name = f"{counted(held['rules'], 'rule')}, {counted(held['conditions'], 'condition')}"
    place = _place(model, size)
    (ring,) = ax.plot(
        [place],
        [score],
        linestyle="none",
        marker="o",
        markersize=13,
        markerfacecolor="none",
        markeredgecolor=OKABE_ITO[5],
        markeredgewidth=2.0,
        gid="chosen",
        zorder=4,
    )
    left = place > sum(ax.get_xlim()) / 2
    ax.annotate(
        name,
        (place, score),
        xytext=(-11 if left else 11, -15),
        textcoords="offset points",
        ha="right" if left else "left",
        va="top",
        fontsize="small",
        color=text_colour(),
        gid="name of the chosen",
    )
    return ring, "in use"
