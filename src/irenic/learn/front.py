"""The front: rule sets of which none beats another in all of worth, rules and conditions."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, SupportsIndex, overload

import numpy as np
import numpy.typing as npt

from irenic.errors import ConditionError
from irenic.learn._evolution import Candidate
from irenic.model import markup
from irenic.model.literals import counted
from irenic.model.markup import Column
from irenic.model.ruleset import RuleSet, rules_table

Floats = npt.NDArray[np.float64]

_COLUMNS: Final = ("rules", "conditions", "to read", "training", "validated")
# More labels than can be told apart in a bar of columns.
_MOST_LABELS: Final = 30


@dataclass(frozen=True, eq=False)
class RuleCounts:
    """The training rows under each rule; the last entry is for those that no rule covers.

    Rows count as one each, whatever their weights; weights enter ``overall`` and ``frequencies``.
    """

    mix: Floats
    """How many rows of each label; ``[rule, label]``."""
    support: Floats
    """How many rows."""
    confidence: Floats
    """The share of them that the consequent is right for; NaN where there are none."""
    overall: Floats
    """The share of each label in the weight of all rows."""
    frequencies: Floats
    """How likely each label is, by weight, moved by one row towards the overall shares."""


@dataclass(frozen=True, eq=False)
class FrontPoint:
    """One rule set of the front that a learner found, and what is known of it.

    >>> import numpy as np
    >>> from irenic import RuleSet, Space
    >>> share = np.array([0.9, 0.1])
    >>> counts = RuleCounts(np.array([[9.0, 1.0]]), np.array([10.0]), np.array([0.9]), share,
    ...                     frequencies=share[None, :])
    >>> FrontPoint(RuleSet(space=Space([])), 0.9, 0.8, 0, 0, 0.0, 1.0, counts)
    <FrontPoint: 0 rules, 0 conditions, validated 0.800>
    """

    rule_set: RuleSet
    training_score: float
    """What its predictions are worth on the training data, as a share.

    The accuracy; for sets of labels the mean F1 of a row; in a hierarchy what is explained of that
    by which labels vary, deeper ones counting less.
    """
    validated_score: float
    """The same on rows left out, of rule sets found with the same penalty; NaN if not asked for."""
    rules: int
    conditions: int
    explanation_size: float
    """How many conditions a person reads for a prediction, on average."""
    penalty: float
    """How many right predictions a rule or a condition had to be worth."""
    counts: RuleCounts
    """What the rules are on the training rows."""
    candidate: Candidate | None = None
    """What evolution can go on from."""

    def __repr__(self) -> str:
        return (
            f"<FrontPoint: {self.rules} rules, {self.conditions} conditions,"
            f" validated {self.validated_score:.3f}>"
        )

    def _repr_html_(self) -> str:
        return markup.block(head_of(self, "Rule set of a front"), table_of(self))

    def description_length(self, n_rows: int, n_labels: int, n_features: int) -> float:
        """Return the bits that the rules and their mistakes take.

        A rule names its label and how many conditions it has, a condition its feature and one of
        64 cells; of the mistakes it is told which rows they are and what is right there.
        """
        share = min(max(1.0 - self.training_score, 1e-12), 1.0)
        model = self.rules * (math.log2(max(2, n_labels)) + math.log2(n_features + 1))
        model += self.conditions * (math.log2(max(2, n_features)) + 6.0)
        # beyond half of the rows, telling which they are costs no less
        which = min(share, 0.5)
        entropy = -which * math.log2(which) - (1.0 - which) * math.log2(1.0 - which)
        return model + n_rows * (entropy + share * math.log2(max(2, n_labels)))


class Front(list[FrontPoint]):
    """The rule sets that a learner found, from small to accurate: a list that shows itself.

    Parameters
    ----------
    points : iterable of FrontPoint
    chosen : FrontPoint, optional
        The one that is in use, which is marked.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from irenic import RuleSetClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> front = RuleSetClassifier(max_rules=3, random_state=0).fit(X, y).pareto_front_
    >>> front[0].rules <= front[-1].rules <= 3, any(p is front.chosen for p in front)
    (True, True)
    """

    chosen: FrontPoint | None
    """The one that is in use; None if that is not known."""

    def __init__(
        self, points: Iterable[FrontPoint] = (), *, chosen: FrontPoint | None = None
    ) -> None:
        super().__init__(points)
        self.chosen = chosen

    @overload
    def __getitem__(self, i: SupportsIndex) -> FrontPoint: ...
    @overload
    def __getitem__(self, i: slice) -> Front: ...
    def __getitem__(self, i: SupportsIndex | slice) -> FrontPoint | Front:
        if isinstance(i, slice):
            return Front(super().__getitem__(i), chosen=self.chosen)
        return super().__getitem__(i)

    def __repr__(self) -> str:
        rows = [_COLUMNS, *(_row(point) for point in self)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        marks = ["", *("chosen" if point is self.chosen else "" for point in self)]
        lines = [
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            + (f"  {mark}" if mark else "")
            for row, mark in zip(rows, marks, strict=True)
        ]
        head = f"<Front: {counted(len(self), 'rule set')}"
        return "\n  ".join([head, *(lines if self else [])]) + ">"

    def _repr_html_(self) -> str:
        columns = [*(Column(name, name != "validated") for name in _COLUMNS), Column("")]
        rows = [
            [
                *_row(point)[:-1],
                markup.share_bar(point.validated_score),
                markup.chip("chosen", markup.GREEN) if point is self.chosen else "",
            ]
            for point in self
        ]
        head = markup.head("Front", counted(len(self), "rule set"), "from small to accurate")
        return markup.block(head, markup.table(columns, rows))


def front_of(points: Sequence[FrontPoint]) -> Front:
    """Return the points that no other equals or beats in everything; the smallest first."""
    ordered = sorted(points, key=lambda p: (p.rules, p.conditions, -p.training_score))
    kept = Front()
    for point in ordered:
        beaten = any(
            other.training_score >= point.training_score
            and other.conditions <= point.conditions
            and other.rules <= point.rules
            for other in kept
        )
        if not beaten:
            kept.append(point)
    return kept


def choose(
    points: Sequence[FrontPoint],
    *,
    selection: str,
    max_rules: int | None,
    max_conditions: int | None,
    shape: tuple[int, int, int],
) -> FrontPoint:
    """Return the point to use, of those small enough; ``shape`` is rows, labels, features."""
    small = [
        point
        for point in points
        if (max_rules is None or point.rules <= max_rules)
        and (max_conditions is None or point.conditions <= max_conditions)
    ]
    if not small:
        least = min(points, key=lambda p: (p.rules, p.conditions))
        raise ConditionError(
            f"no rule set of the front has so few: max_rules={max_rules},"
            f" max_conditions={max_conditions}; the smallest has {least.rules} rules and"
            f" {least.conditions} conditions"
        )
    if selection == "description":
        return min(small, key=lambda p: p.description_length(*shape))
    validated = [p for p in small if not math.isnan(p.validated_score)]
    if not validated:
        return max(small, key=lambda p: p.training_score)
    # rule sets of one penalty share its score: of these the one that fits the data best
    return max(validated, key=lambda p: (p.validated_score, p.training_score))


# --- in notebooks


def head_of(point: FrontPoint, title: str) -> markup.Html:
    """Return the line above the rules of a point."""
    return markup.head(
        title,
        counted(point.rules, "rule"),
        counted(point.conditions, "condition"),
        f"{point.explanation_size:.2f} conditions to read for a prediction",
        f"training score {markup.score(point.training_score)}",
        f"validated {markup.score(point.validated_score)}",
    )


def table_of(
    point: FrontPoint, labels: Sequence[Hashable] | None = None, *, many: bool = False
) -> markup.Html:
    """Return the rules of a point, with what they are on the training rows.

    With labels, which are those of the counts, also how the rows divide among them; ``many`` says
    that a row may have several.
    """
    held = point.counts
    more: dict[Column, Callable[[int], str]] = {
        Column("support", True): lambda place: markup.count_text(float(held.support[place])),
        Column("confidence"): lambda place: markup.share_bar(float(held.confidence[place])),
    }
    if labels is None:
        return rules_table(point.rule_set, otherwise=True, more=more)
    colours = markup.palette(labels)
    shown = list(range(len(labels)))
    if many and len(labels) > _MOST_LABELS:
        shown = sorted(np.argsort(-held.overall, kind="stable")[:_MOST_LABELS].tolist())
    named = [labels[k] for k in shown]

    def mix(place: int) -> markup.Html:
        counts = [float(held.mix[place, k]) for k in shown]
        if many:
            return markup.columns_bar(counts, float(held.support[place]), named, colours)
        return markup.stacked_bar(counts, named, colours)

    more[Column("labels" if many else "classes")] = mix
    return rules_table(point.rule_set, otherwise=True, more=more, colours=colours)


def _row(point: FrontPoint) -> list[str]:
    """Return what a table of the front says of a point, under ``_COLUMNS``."""
    size = [f"{point.rules:,}", f"{point.conditions:,}", f"{point.explanation_size:.2f}"]
    return [*size, markup.score(point.training_score), markup.score(point.validated_score)]
