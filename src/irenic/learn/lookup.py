"""What a fitted classifier returns, by the rule that decides a row: for exports."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from irenic.learn.tally import resolve_by
from irenic.model.deciding import Resolve
from irenic.model.literals import Probabilities
from irenic.model.ruleset import RuleSet

if TYPE_CHECKING:
    from irenic.learn import RuleClassifier


class Lookup(NamedTuple):
    """What a fitted classifier returns, by the rule that decides a row.

    Attributes
    ----------
    resolve : str or None
        How the rules decide conflicts.
    thens : list of hashable or None
        The prediction by each rule; the last is that of rows that no rule covers.
    labels : list of hashable
        The labels, in the order of the probabilities.
    regions : RuleSet or None
        The regions that the probabilities depend on; None if they depend only on the rule.
    probabilities : array of shape (n_rules + 1, n_regions + 1, n_labels)
        The last region is for rows in none.
    """

    resolve: Resolve | None
    thens: list[Hashable | None]
    labels: list[Hashable]
    regions: RuleSet | None
    probabilities: npt.NDArray[np.float64]

    @classmethod
    def of(cls, model: RuleClassifier) -> Lookup:
        """Return the lookup of a fitted classifier."""
        answers, table = model._answers, model.chosen_.probabilities
        if table is None:
            probabilities = model._frequencies()[:, None, :]
        else:
            probabilities = table.probabilities[model._then_codes(model.rules_)]
        return cls(
            resolve_by(model.conflicts),
            [_predicted(then, answers.threshold, answers.many) for then in model._thens()],
            model.classes_.tolist(),
            None if table is None else table.regions,
            np.asarray(probabilities),
        )


def _predicted(then: Hashable | None, threshold: float, many: bool) -> Hashable | None:
    if isinstance(then, Probabilities):
        return then.at_least(threshold)
    return frozenset() if then is None and many else then
