"""Scores of rows left out, and what they say about the rule set that was chosen by them.

The best of several scores is too good to be true, because it was chosen for being the best. The
bootstrap repeats the choice: it chooses on rows drawn with replacement, and scores the choice on
rows that were not drawn (BBC-CV: Tsamardinos, Greasidou, Borboudakis, Machine Learning 107,
2018). No model is fitted again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_BOOTSTRAPS: Final = 500
# Bootstraps at a time: their counts of 20,000 rows take 4 MB.
_AT_ONCE: Final = 25
_INTERVAL: Final = (0.025, 0.975)


class Estimate(NamedTuple):
    """The score to expect on new rows, with a 95 % interval.

    Attributes
    ----------
    score : float
        Mean score on rows left out, corrected for the choice among rule sets.
    low, high : float
        Ends of the interval.

    Examples
    --------
    >>> from irenic import RuleSetClassifier
    >>> X, y = {"age": range(40)}, ["free"] * 18 + ["full"] * 22
    >>> clf = RuleSetClassifier(generations=1, moves=50, random_state=0).fit(X, y)
    >>> print(clf.estimate_)
    0.976 (95 % interval 0.917 to 1.000)
    """

    score: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.score:.3f} (95 % interval {self.low:.3f} to {self.high:.3f})"


@dataclass(frozen=True, eq=False)
class Validation:
    """The score that the rule set of each member of the population reached on each row left out."""

    scores: Floats
    """``[row, member]``."""
    weight: Floats
    """Weight of each row."""
    codes: npt.NDArray[np.intp]
    """Code of the label of each row; of the first one if there are several."""

    @classmethod
    def from_folds(cls, folds: list[Validation]) -> Validation:
        """Return the validation of all folds."""
        parts = ([getattr(fold, name) for fold in folds] for name in ("scores", "weight", "codes"))
        return cls(*map(np.concatenate, parts))

    def means(self) -> Floats:
        """Return the mean score of each member."""
        return np.asarray(np.average(self.scores, axis=0, weights=self.weight))

    def balanced(self, members: Iterable[int]) -> float:
        """Return the score to expect of the best of some members if all labels count the same."""
        totals = np.bincount(self.codes, weights=self.weight)
        return self.estimate(members, self.weight / totals[self.codes]).score

    def estimate(self, members: Iterable[int], weight: Floats | None = None) -> Estimate:
        """Return the score to expect of the best of some members.

        Parameters
        ----------
        members : iterable of int
            Those that were chosen among; with a single one there is nothing to correct.
        weight : array, optional
            Weight of each row in the score, but not in the choice (default: in both the same).
        """
        columns = np.array(sorted(set(members)))
        # the highest mean first, because argmax takes the first of equal scores
        columns = columns[np.argsort(-self.means()[columns], kind="stable")]
        scores = self.scores[:, columns]
        weight = self.weight if weight is None else weight
        rng = np.random.default_rng(0)
        n = len(scores)
        results: list[Floats] = []
        for _ in range(_BOOTSTRAPS // _AT_ONCE):
            drawn = rng.multinomial(n, np.full(n, 1.0 / n), size=_AT_ONCE)
            chosen = ((drawn * self.weight) @ scores).argmax(axis=1)
            rest = (drawn == 0) * weight
            total = rest.sum(axis=1)
            left_out = (rest @ scores)[np.arange(_AT_ONCE), chosen]
            results.append(left_out[total > 0] / total[total > 0])
        values = np.concatenate(results)
        if not len(values):
            return Estimate(float(np.average(scores[:, 0], weights=weight)), np.nan, np.nan)
        low, high = np.quantile(values, _INTERVAL)
        return Estimate(float(values.mean()), float(low), float(high))
