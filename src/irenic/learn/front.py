"""The front: rule sets of which none beats another in all of worth, rules and conditions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irenic.errors import ConditionError
from irenic.learn.evolution import Candidate
from irenic.ruleset import RuleSet

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RuleCounts:
    """The training rows under each rule; the last entry is for those that no rule covers."""

    mix: Floats
    """How many rows of each label; ``[rule, label]``, weighted."""
    support: Floats
    """How many rows."""
    confidence: Floats
    """The share of them that the consequent is right for; NaN where there are none."""
    overall: Floats
    """The share of each label in all rows."""

    def frequencies(self) -> Floats:
        """Return how likely each label is: counts moved by one row towards the overall shares."""
        return np.asarray((self.mix + self.overall) / (self.support + 1.0)[:, None])


@dataclass(frozen=True, eq=False)
class FrontPoint:
    """One rule set of the front that a learner found, and what is known of it.

    >>> import numpy as np
    >>> from irenic import RuleSet, Space
    >>> counts = RuleCounts(np.array([[9.0, 1.0]]), np.array([10.0]), np.array([0.9]),
    ...                     np.array([0.9, 0.1]))
    >>> FrontPoint(RuleSet(Space([])), 0.9, 0.8, 0, 0, 0.0, 1.0, counts)
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


def front_of(points: Sequence[FrontPoint]) -> list[FrontPoint]:
    """Return the points that no other equals or beats in everything; the smallest first."""
    ordered = sorted(points, key=lambda p: (p.rules, p.conditions, -p.training_score))
    kept: list[FrontPoint] = []
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
