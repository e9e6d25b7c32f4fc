"""The front: rule sets of which none is better in score, size and coverage at once."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple, SupportsIndex, overload

import numpy as np
import numpy.typing as npt

from irenic.arrays import Floats
from irenic.errors import ConditionError
from irenic.learn._columns import ColumnFigures as ColumnFigures
from irenic.learn.evolution import Candidate
from irenic.model.literals import Probabilities, counted, display, score, told_apart
from irenic.model.region import Region
from irenic.model.ruleset import RuleSet
from irenic.model.shown import Shown
from irenic.model.space import Instances
from irenic.model.spaces import without_untested_values

COLUMNS: Final = ("rules", "conditions", "to read", "by rules", "validated", "training")


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


class ProbabilityRow(NamedTuple):
    """One row of a :class:`ProbabilityTable`.

    Attributes
    ----------
    prediction : hashable or None
        What the rules predict.
    region : Region or None
        Where they predict it; None for all regions together.
    rows : int
        Number of training rows.
    probabilities : Probabilities
        The probability of each label.
    raised_from : float or None
        The probability of the prediction that the rows suggest, if another label is more likely
        among them, so that the prediction was raised to the highest probability; None if it was
        not raised.

    Examples
    --------
    >>> likely = Probabilities(["no", "yes"], [0.25, 0.75])
    >>> print(ProbabilityRow("yes", Region.parse("age >= 18"), 40, likely))
    yes predicted where age >= 18: yes 0.75, no 0.25 (40 rows)
    """

    prediction: Hashable | None
    region: Region | None
    rows: int
    probabilities: Probabilities
    raised_from: float | None = None

    def __str__(self) -> str:
        where = "anywhere" if self.region is None else f"where {self.region}"
        told = f"{display(self.prediction)} predicted {where}: {self.probabilities}"
        raised = "" if self.raised_from is None else f", {display(self.prediction)} {self._raised}"
        return f"{told} ({counted(self.rows, 'row')}{raised})"

    @property
    def probability(self) -> float:
        """The probability of the prediction; NaN if nothing is predicted."""
        labels, values = self.probabilities.labels, self.probabilities.values.tolist()
        return float(dict(zip(labels, values, strict=True)).get(self.prediction, math.nan))

    @property
    def basis(self) -> str:
        """The training rows that the probabilities come from, in words."""
        where = "" if self.region is None else f" where {self.region}"
        raised = "" if self.raised_from is None else f", {self._raised} to be the highest"
        return f"{counted(self.rows, 'training row')} with this prediction{where}{raised}"

    @property
    def _raised(self) -> str:
        assert self.raised_from is not None
        return f"raised from {told_apart(self.raised_from, self.probability, 2)[0]}"


@dataclass(frozen=True, eq=False)
class ProbabilityTable(Shown):
    """How likely each label is, by prediction and region.

    The regions divide the space, and all rule sets of a front share them. The probabilities of a
    case are those of training rows with the same prediction in the same region.

    Parameters
    ----------
    labels : sequence of hashable
        The labels, in the order of probabilities.
    regions : RuleSet
        The regions, which do not overlap; the consequent of each is its index.
    rows : array of shape (n_predictions, n_regions + 1)
        Number of training rows; the last column has those of all regions. The predictions are
        those of ``labels``, and then None if nothing may be predicted.
    probabilities : array of shape (n_predictions, n_regions + 1, n_labels)
        The probability of each label.
    raised_from : array of shape (n_predictions, n_regions + 1), optional
        The probability that the rows suggest for each prediction that was raised to the highest
        one; NaN for the others. None if there are only others.

    Examples
    --------
    >>> from irenic import RuleSetClassifier
    >>> X, y = {"age": range(40)}, ["free"] * 18 + ["full"] * 22
    >>> clf = RuleSetClassifier(generations=1, moves=50, random_state=0).fit(X, y)
    >>> print(clf.chosen_.probabilities)
    free predicted where age < 19: free 0.99, full 0.01 (18 rows)
    full predicted where age < 19: full 0.87, free 0.13 (1 row)
    full predicted where 19 <= age < 29: full 0.99, free 0.01 (10 rows)
    full predicted where age >= 29: full 0.99, free 0.01 (11 rows)
    """

    labels: tuple[Hashable, ...]
    regions: RuleSet
    rows: Floats
    probabilities: Floats
    raised_from: Floats | None = None

    def __str__(self) -> str:
        return "\n".join(map(str, self.listed()))

    def listed(self) -> list[ProbabilityRow]:
        """Return the predictions and regions that training rows have."""
        pairs = np.argwhere(self.rows[:, :-1] > 0).tolist()
        return [self.row(prediction, region) for prediction, region in pairs]

    def row(self, prediction: int, region: int) -> ProbabilityRow:
        """Return the row of a prediction, given by its code, and a region.

        It is that of all regions if the region has no training row with the prediction.
        """
        if region >= 0 and not self.rows[prediction, region]:
            region = -1
        before = math.nan if self.raised_from is None else self.raised_from[prediction, region]
        return ProbabilityRow(
            [*self.labels, None][prediction],
            None if region < 0 else self.regions[region].region,
            int(self.rows[prediction, region]),
            Probabilities(self.labels, self.probabilities[prediction, region]),
            None if math.isnan(before) else float(before),
        )

    def places(self, instances: Instances) -> npt.NDArray[np.int64]:
        """Return the region of each case.

        The index of the region; -1 for a case in none, such as one with an unknown value.
        """
        return self.regions.decide(instances)


@dataclass(frozen=True, eq=False)
class DefaultRegions(Shown):
    """Regions in which only the default decides, with their statistics on the training rows.

    Each is the reason for the decision on some training rows, and overlaps no rule that predicts
    anything else. They may overlap each other. Those with the fewest conditions come first, and of
    these the ones with the most rows. Rows count as one each.

    Parameters
    ----------
    rules : RuleSet
        The regions, as rules for the default.
    support : array of float
        Number of training rows in each region.
    confidence : array of float
        Share of new cases in each region for which the default is correct, as estimated from rows
        left out; that of the training rows if no rows were left out.
    intervals : array of shape (n_regions, 2)
        95 % interval of the confidence; NaN if no rows were left out.
    training_confidence : array of float
        Share of the training rows for which the default is correct.

    Examples
    --------
    >>> from irenic import RuleSetClassifier
    >>> X, y = {"age": range(40)}, ["free"] * 18 + ["full"] * 22
    >>> clf = RuleSetClassifier(generations=1, moves=50, random_state=0).fit(X, y)
    >>> print(clf.chosen_.default_regions)
    IF age >= 18 THEN full (support 22, confidence 0.98)
    """

    rules: RuleSet
    support: Floats
    confidence: Floats
    intervals: Floats
    training_confidence: Floats

    def __len__(self) -> int:
        return len(self.rules)

    def __str__(self) -> str:
        figures = zip(self.rules, self.support.tolist(), self.confidence.tolist(), strict=True)
        lines = [f"{rule} (support {n:,g}, confidence {share:.2f})" for rule, n, share in figures]
        return "\n".join(lines)

    def find(self, instances: Instances) -> npt.NDArray[np.int64]:
        """Return the first region around each case.

        The index of the region; -1 for a case in none.
        """
        return self.rules.decide(instances, resolve="first")

    def place_of(self, region: Region) -> int:
        """Return the index of a region, -1 if it is none of these."""
        return self._places.get(region, -1)

    @cached_property
    def _places(self) -> dict[Region, int]:
        return {rule.region.simplified(): place for place, rule in enumerate(self.rules)}

    def __getstate__(self) -> dict[str, Any]:
        # what is cached is not kept: skops writes no keys that are regions
        return {name: value for name, value in self.__dict__.items() if name != "_places"}


@dataclass(frozen=True, eq=False)
class FrontPoint(Shown):
    """A rule set of a front, with its scores and size.

    Parameters
    ----------
    rule_set : RuleSet
        The rules.
    training_score : float
        Score on the training data: the accuracy, or what ``scoring`` says; for sets of labels the
        mean F1 of a row; in a hierarchy, and if consequents are probabilities, the explained share
        of the label variance, where deeper labels have less weight.
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
    probabilities : ProbabilityTable, optional
        How likely each label is, by prediction and region.
    coverage : float
        Share of the training rows that a rule decides; the default decides the others.
    default_regions : DefaultRegions, optional
        Regions in which only the default decides, with the training rows in each. None if the
        default decides no training row, or only some labels.

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
    probabilities: ProbabilityTable | None = None
    coverage: float = math.nan
    default_regions: DefaultRegions | None = None

    def __repr__(self) -> str:
        return (
            f"<FrontPoint: {self.n_rules} rules, {self.n_conditions} conditions,"
            f" validated {self.validated_score:.3f}>"
        )

    def description_length(self, n_rows: int, n_labels: int, n_features: int) -> float:
        """Return the number of bits that encode the rules and their errors on the training data.

        A rule is encoded by its label and its number of conditions, a condition by its feature and
        one of 64 cells, and errors by their rows and the right labels.
        """
        share = min(max(1.0 - self.training_score, 1e-12), 1.0)
        model = self.n_rules * (math.log2(max(2, n_labels)) + math.log2(n_features + 1))
        model += self.n_conditions * (math.log2(max(2, n_features)) + 6.0)
        # the cost of naming rows does not decrease beyond half of them
        which = min(share, 0.5)
        entropy = -which * math.log2(which) - (1.0 - which) * math.log2(1.0 - which)
        return model + n_rows * (entropy + share * math.log2(max(2, n_labels)))


class Front(list[FrontPoint], Shown):
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
        rows = [COLUMNS, *(figures(point) for point in self)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        marks = ["", *("chosen" if point is self.chosen else "" for point in self)]
        lines = [
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            + (f"  {mark}" if mark else "")
            for row, mark in zip(rows, marks, strict=True)
        ]
        head = f"<Front: {counted(len(self), 'rule set')}"
        return "\n  ".join([head, *(lines if self else [])]) + ">"


def front_of(points: Sequence[FrontPoint], decided: Sequence[float] | None = None) -> Front:
    """Return the points that no other point equals or beats in everything, smallest first.

    Of points with the same score and size, only the one with the fewest bounds stays, whatever rows
    its rules decide. ``decided`` are the shares of these rows, if they are not the coverages of the
    points.
    """
    decided = [point.coverage for point in points] if decided is None else decided
    return Front(_unbeaten(points, decided))


def without_coverage(points: Sequence[FrontPoint]) -> list[FrontPoint]:
    """Return the points that no other point equals or beats in score and size.

    The others are on the front only because rules decide more rows.
    """
    return _unbeaten(points, [0.0] * len(points))


def _unbeaten(points: Sequence[FrontPoint], decided: Sequence[float]) -> list[FrontPoint]:
    kept: list[tuple[FrontPoint, float]] = []
    for point, share in sorted(zip(points, decided, strict=True), key=lambda one: _order(one[0])):
        beaten = any(
            other.training_score >= point.training_score
            and other.n_conditions <= point.n_conditions
            and other.n_rules <= point.n_rules
            and not (other_share < share and _merits(other) != _merits(point))
            for other, other_share in kept
        )
        if not beaten:
            kept.append((point, share))
    return [point for point, _ in kept]


def _merits(point: FrontPoint) -> tuple[int, int, float]:
    return point.n_rules, point.n_conditions, -point.training_score


def _order(point: FrontPoint) -> tuple[int, int, float, int]:
    """Return the merits of a point; of equal ones, that with fewer bounds comes first."""
    return *_merits(point), 0 if point.candidate is None else point.candidate.cost


def small_enough(
    points: Sequence[FrontPoint],
    max_rules: int | None,
    max_conditions: int | None,
    min_coverage: float = 0.0,
) -> list[FrontPoint]:
    """Return the points with at most so many rules and conditions; at least one, or fail.

    Rules decide at least the share ``min_coverage`` of the training rows.
    """
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
    covering = [point for point in small if not point.coverage < min_coverage]
    if not covering:
        most = max(point.coverage for point in small)
        raise ConditionError(
            f"min_coverage must be at most {math.floor(most * 1000) / 1000:.3f}, the highest share"
            f" of rows that rules decide in a rule set of the front, got {min_coverage}; use"
            " complete=True, or default='abstain'"
        )
    return covering


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


def figures(point: FrontPoint) -> list[str]:
    """Return the cells of a point in the table of the front, under ``COLUMNS``."""
    size = [f"{point.n_rules:,}", f"{point.n_conditions:,}", f"{point.explanation_size:.2f}"]
    size.append(score(point.coverage))
    return [*size, score(point.validated_score), score(point.training_score)]


def in_lean_space(points: Sequence[FrontPoint]) -> list[FrontPoint]:
    """Return the points over a space that lists no values of categories that no rule tests."""
    # all rule sets share their regions of probability
    tables = [point.probabilities for point in points]
    reasons = [point.default_regions for point in points]
    n, regions = len(points), [] if tables[0] is None else [tables[0].regions]
    known = [each.rules for each in reasons if each is not None]
    lean = without_untested_values([*(point.rule_set for point in points), *regions, *known])
    own, left = lean[n : n + len(regions)], iter(lean[n + len(regions) :])
    return [
        replace(
            point,
            rule_set=rules,
            probabilities=table and replace(table, regions=own[0]),
            default_regions=reason and replace(reason, rules=next(left)),
        )
        for point, rules, table, reason in zip(points, lean, tables, reasons, strict=False)
    ]
