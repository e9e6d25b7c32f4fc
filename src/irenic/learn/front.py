"""The front: rule sets of which none is better in score, rules and conditions at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, SupportsIndex, overload

import numpy as np
import numpy.typing as npt

from irenic.errors import ConditionError
from irenic.learn._columns import ColumnFigures as ColumnFigures
from irenic.learn._evolution import Candidate
from irenic.model import markup
from irenic.model.literals import counted
from irenic.model.markup import Column
from irenic.model.ruleset import RuleSet, rules_table

Floats = npt.NDArray[np.float64]

_COLUMNS: Final = ("rules", "conditions", "to read", "training", "validated")
# More labels than can be distinguished in a chart of columns.
_LABEL_LIMIT: Final = 30


@dataclass(frozen=True, eq=False)
class RuleCounts:
    """Training statistics of each rule; the last entry is for the rows that no rule covers.

    Rows count as one each; weights only affect ``overall`` and ``frequencies``.
    """

    mix: Floats
    """Number of rows per label; ``[rule, label]``."""
    support: Floats
    """Number of rows."""
    confidence: Floats
    """Share of new rows for which the consequent is correct, as estimated from rows left out.

    That of the training rows if no rows were left out; NaN if there are none.
    """
    intervals: Floats
    """95 % interval of the confidence, ``[rule, end]``; NaN if no rows were left out."""
    training_confidence: Floats
    """Share of the training rows for which the consequent is correct; NaN if there are none."""
    overall: Floats
    """Share of each label in the weight of all rows."""
    frequencies: Floats
    """Weighted label frequencies, smoothed towards the overall shares."""


@dataclass(frozen=True, eq=False)
class FrontPoint:
    """A rule set of a front, with its scores and size.

    Parameters
    ----------
    rule_set : RuleSet
        The rules.
    training_score : float
        Score on the training data: the accuracy, or the balanced accuracy if ``scoring`` says so;
        for sets of labels the mean F1 of a row; in a
        hierarchy, and if consequents are probabilities, the explained share of the label variance,
        where deeper labels have less weight.
    validated_score : float
        The same score on rows left out, of rule sets with the same penalty; NaN if not validated.
    n_rules, n_conditions : int
        Numbers of rules and conditions.
    explanation_size : float
        Mean number of conditions to read for a prediction.
    penalty : float
        Correct predictions that each rule and each condition had to add.
    counts : RuleCounts
        Statistics of the rules on the training rows.
    candidate : Candidate, optional
        The form that evolution can continue from.
    member : int, optional
        Index of the member of the population; rule sets of one member share their validation.
    threshold : float, optional
        Probability from which a label is predicted, if consequents are probabilities.
    n_kept : int
        Number of rules that the user gave; they come first.
    n_rows : int, optional
        Number of training rows.
    columns : mapping of str to ColumnFigures, optional
        Figures of each column that a rule tests: its importance, and the limits of its training
        values.

    Examples
    --------
    >>> from irenic import RuleSetClassifier
    >>> X, y = {"age": range(40)}, ["free"] * 18 + ["full"] * 22
    >>> clf = RuleSetClassifier(generations=1, moves=50, random_state=0).fit(X, y)
    >>> clf.pareto_front_[0].n_rules, clf.chosen_.n_rules, clf.chosen_.training_score
    (0, 1, 1.0)
    """

    rule_set: RuleSet
    training_score: float
    validated_score: float
    n_rules: int
    n_conditions: int
    explanation_size: float
    penalty: float
    counts: RuleCounts
    candidate: Candidate | None = None
    member: int | None = None
    threshold: float | None = None
    n_kept: int = 0
    n_rows: int | None = None
    columns: Mapping[str, ColumnFigures] | None = None

    def __repr__(self) -> str:
        return (
            f"<FrontPoint: {self.n_rules} rules, {self.n_conditions} conditions,"
            f" validated {self.validated_score:.3f}>"
        )

    def _repr_html_(self) -> str:
        return markup.block(head_of(self, "Rule set of a front"), table_of(self))

    def description_length(self, n_rows: int, n_labels: int, n_features: int) -> float:
        """Return the number of bits that encode the rules and their errors on the training data.

        A rule is encoded by its label and its number of conditions, a condition by its feature and
        one of 64 cells, and errors by their rows and the right labels.

        Parameters
        ----------
        n_rows, n_labels, n_features : int
            Size of the training data.

        Returns
        -------
        float

        Examples
        --------
        >>> from irenic import RuleSetClassifier
        >>> X, y = {"age": range(40)}, ["free"] * 18 + ["full"] * 22
        >>> clf = RuleSetClassifier(generations=1, moves=50, random_state=0).fit(X, y)
        >>> round(clf.chosen_.description_length(n_rows=40, n_labels=2, n_features=1), 1)
        9.0
        """
        share = min(max(1.0 - self.training_score, 1e-12), 1.0)
        model = self.n_rules * (math.log2(max(2, n_labels)) + math.log2(n_features + 1))
        model += self.n_conditions * (math.log2(max(2, n_features)) + 6.0)
        # the cost of naming rows does not decrease beyond half of them
        which = min(share, 0.5)
        entropy = -which * math.log2(which) - (1.0 - which) * math.log2(1.0 - which)
        return model + n_rows * (entropy + share * math.log2(max(2, n_labels)))


class Front(list[FrontPoint]):
    """A list of rule sets from small to accurate, which renders as a table.

    Parameters
    ----------
    points : iterable of FrontPoint
        The rule sets.
    chosen : FrontPoint, optional
        The rule set in use, which is marked.

    Examples
    --------
    >>> from irenic import RuleSetClassifier
    >>> X, y = {"age": range(40)}, ["free"] * 18 + ["full"] * 22
    >>> clf = RuleSetClassifier(generations=1, moves=50, random_state=0).fit(X, y)
    >>> front = clf.pareto_front_
    >>> front[0].n_rules <= front[-1].n_rules, front.chosen is clf.chosen_
    (True, True)
    """

    chosen: FrontPoint | None
    """The rule set in use; None if unknown."""

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
    """Return the points that no other point equals or beats in everything, smallest first."""
    ordered = sorted(points, key=lambda p: (p.n_rules, p.n_conditions, -p.training_score))
    kept = Front()
    for point in ordered:
        beaten = any(
            other.training_score >= point.training_score
            and other.n_conditions <= point.n_conditions
            and other.n_rules <= point.n_rules
            for other in kept
        )
        if not beaten:
            kept.append(point)
    return kept


def small_enough(
    points: Sequence[FrontPoint], max_rules: int | None, max_conditions: int | None
) -> list[FrontPoint]:
    """Return the points with at most so many rules and conditions; at least one, or fail."""
    small = [
        point
        for point in points
        if (max_rules is None or point.n_rules <= max_rules)
        and (max_conditions is None or point.n_conditions <= max_conditions)
    ]
    if not small:
        least = min(points, key=lambda p: (p.n_rules, p.n_conditions))
        raise ConditionError(
            "max_rules and max_conditions must admit a rule set of the front, got"
            f" {max_rules} and {max_conditions}; the smallest has"
            f" {counted(least.n_rules, 'rule')} and {counted(least.n_conditions, 'condition')}"
        )
    return small


def choose(
    points: Sequence[FrontPoint], *, selection: str, shape: tuple[int, int, int]
) -> FrontPoint:
    """Return the best of some points; ``shape``: rows, labels, features.

    Of equally good ones it is the smallest, and with "one_se" also of those whose score is at most
    one standard error below the best.
    """
    if selection == "description":
        return min(points, key=lambda p: p.description_length(*shape))
    validated = [p for p in points if not math.isnan(p.validated_score)]
    if not validated:
        return max(points, key=lambda p: p.training_score)
    least = best = max(p.validated_score for p in validated)
    if selection == "one_se":
        least -= standard_error(best, shape[0])
    good = [p for p in validated if p.validated_score >= least]
    if selection != "one_se":
        # rule sets of one member share its score, so the training rows choose among these
        for member in {p.member for p in good} - {None}:
            most = max(p.training_score for p in good if p.member == member)
            good = [p for p in good if p.member != member or p.training_score == most]
    return min(good, key=lambda p: (p.n_rules, p.n_conditions, -p.training_score))


def standard_error(score: float, n_rows: int) -> float:
    """Return the standard error of the mean of scores between 0 and 1, at most.

    >>> standard_error(0.9, 100)
    0.03
    """
    share = min(max(score, 0.0), 1.0)
    return round(math.sqrt(share * (1.0 - share) / max(1, n_rows)), 12)


def contradicted(point: FrontPoint, rule: int, labels: Sequence[Hashable]) -> tuple[int, int]:
    """Return how many training rows of a rule have another label, and how many it covers."""
    support = point.counts.support[rule]
    right = point.counts.mix[rule, labels.index(point.rule_set.thens[rule])]
    return round(support - right), round(support)


def kept_text(point: FrontPoint, rule: int, labels: Sequence[Hashable]) -> str:
    """Return what the training rows say about a rule of the user."""
    wrong, support = contradicted(point, rule, labels)
    if not support:
        return "your rule, which covers no training row"
    return f"your rule: {wrong:,} of {counted(support, 'training row')} have another label"


# --- in notebooks


def head_of(point: FrontPoint, title: str) -> markup.Html:
    """Return the heading above the rules of a point."""
    return markup.head(
        title,
        counted(point.n_rules, "rule"),
        counted(point.n_conditions, "condition"),
        f"{point.explanation_size:.2f} conditions to read for a prediction",
        f"training score {markup.score(point.training_score)}",
        f"validated {markup.score(point.validated_score)}",
    )


def table_of(
    point: FrontPoint, labels: Sequence[Hashable] | None = None, *, many: bool = False
) -> markup.Html:
    """Return the rules of a point as a table, with their statistics on the training rows.

    With ``labels``, those of the counts, a chart shows the labels of the covered rows; ``many``
    means that a row may have several.
    """
    counts = point.counts
    more: dict[Column, Callable[[int], str]] = {
        Column("support", True): lambda index: markup.count_text(float(counts.support[index])),
        Column("confidence"): lambda index: markup.share_bar(float(counts.confidence[index])),
    }
    if point.n_kept:
        more = {
            Column(""): lambda i: "yours" if i < point.n_kept else "",
            **more,
        }
    if labels is None:
        return rules_table(point.rule_set, otherwise=True, more=more)
    colors = markup.palette(labels)
    shown = list(range(len(labels)))
    if many and len(labels) > _LABEL_LIMIT:
        shown = sorted(np.argsort(-counts.overall, kind="stable")[:_LABEL_LIMIT].tolist())
    named = [labels[k] for k in shown]

    def mix(index: int) -> markup.Html:
        rows = [float(counts.mix[index, k]) for k in shown]
        if many:
            return markup.columns_bar(rows, float(counts.support[index]), named, colors)
        return markup.stacked_bar(rows, named, colors)

    more[Column("labels" if many else "classes")] = mix
    return rules_table(point.rule_set, otherwise=True, more=more, colors=colors)


def _row(point: FrontPoint) -> list[str]:
    """Return the cells of a point in the table of the front, under ``_COLUMNS``."""
    size = [f"{point.n_rules:,}", f"{point.n_conditions:,}", f"{point.explanation_size:.2f}"]
    return [*size, markup.score(point.training_score), markup.score(point.validated_score)]
