"""The front of a classifier: the score of each rule set against its size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from irenic.errors import ConditionError, did_you_mean
from irenic.model.literals import counted
from irenic.plot._colors import OKABE_ITO, text_color
from irenic.plot._figure import add_caption, add_legend, axes_to_draw_on, check_axes
from irenic.plot._source import summary_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZES: Final = {
    "conditions": "conditions",
    "rules": "rules",
    "explanation_size": "conditions to read per prediction",
}


def front(
    rules: Any,
    *,
    ax: Axes | None = None,
    size: Literal["conditions", "rules", "explanation_size"] = "conditions",
) -> Axes:
    """Draw the scores of the rule sets on a classifier's front against their sizes.

    Filled markers are validation scores, on rows that were held out; hollow ones are training
    scores. The rule set in use is marked.

    Parameters
    ----------
    rules : fitted RuleSetClassifier
        The classifier whose front is drawn.
    ax : matplotlib Axes, optional
        Axes to draw on (default: those of a new figure).
    size : {"conditions", "rules", "explanation_size"}
        Measure of size: the number of conditions, the number of rules, or the number of
        conditions to read per prediction.

    Returns
    -------
    matplotlib Axes
        The Axes with the plot.

    Raises
    ------
    ConditionError
        If ``rules`` has no front, ``ax`` or ``size`` is invalid, or matplotlib is not installed.

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
        raise ConditionError(f"unknown size {size!r}{did_you_mean(size, _SIZES)}")
    summary = summary_of(rules)
    models = summary["models"]
    if any(model["front"] is None for model in models):
        raise ConditionError("rules must be a fitted RuleSetClassifier; other rules have no front")
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
    add_caption(ax, [f"{counted(len(models), 'rule set')}, from small to accurate"])
    return ax


def _size(model: Mapping[str, Any], size: str) -> float:
    sizes = model["front"] if size == "explanation_size" else model["size"]
    return float(sizes[size])


def _draw_scores(
    ax: Any, models: list[Any], size: str, score: str, name: str
) -> tuple[Any, str] | None:
    points = sorted(
        (_size(model, size), model["front"][score])
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
    sizes = model["size"]
    name = f"{counted(sizes['rules'], 'rule')}, {counted(sizes['conditions'], 'condition')}"
    x = _size(model, size)
    (ring,) = ax.plot(
        [x],
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
    left = x > sum(ax.get_xlim()) / 2
    ax.annotate(
        name,
        (x, score),
        xytext=(-11 if left else 11, -15),
        textcoords="offset points",
        ha="right" if left else "left",
        va="top",
        fontsize="small",
        color=text_color(),
        gid="chosen name",
    )
    return ring, "in use"
