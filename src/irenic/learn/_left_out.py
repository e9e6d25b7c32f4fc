"""Scores of rows left out, and what they say about the rule set that was chosen by them.

The best of several scores is too good to be true, because it was chosen for being the best. The
bootstrap repeats the choice: it chooses on rows drawn with replacement, and scores the choice on
rows that were not drawn (BBC-CV: Tsamardinos, Greasidou, Borboudakis, Machine Learning 107,
2018). No model is fitted again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_BOOTSTRAPS: Final = 500
# Beyond this many rows, each row is drawn a Poisson number of times, independently of the others.
_MANY_ROWS: Final = 2_000
# Bootstraps at a time: their counts of 20,000 rows take 4 MB.
_AT_ONCE: Final = 25
_INTERVAL: Final = (0.025, 0.975)


class Estimate(NamedTuple):
    """The score to expect on new rows, with a 95 % interval.

    It is the measure that rule sets are chosen by: the accuracy; for sets of labels the mean F1 of
    a row; in a hierarchy, and if consequents are probabilities, the explained share of the label
    variance.

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
    count: Floats
    """Number of training rows that each row represents."""
    codes: npt.NDArray[np.intp]
    """Code of the label of each row; of the first one if there are several."""

    @classmethod
    def from_folds(cls, folds: list[Validation]) -> Validation:
        """Return the validation of all folds."""
        names = ("scores", "weight", "count", "codes")
        return cls(*(np.concatenate([getattr(fold, name) for fold in folds]) for name in names))

    def means(self) -> Floats:
        """Return the mean score of each member."""
        return np.asarray(np.average(self.scores, axis=0, weights=self.weight))

    def estimate(self, members: Iterable[int], *, weighted: bool = True) -> Estimate:
        """Return the score to expect of the best of some members.

        Parameters
        ----------
        members : iterable of int
            Those that were chosen among; with a single one there is nothing to correct.
        weighted : bool
            Whether weights of rows count in the score; they always do in the choice.
        """
        weight = self.weight if weighted else self.count
        values = []
        for left_out, scores in self._bootstraps(members):
            total = left_out @ weight
            sums = (left_out * scores) @ weight
            values.append(sums[total > 0] / total[total > 0])
        results = np.concatenate(values)
        if not len(results):
            mean = np.average(self.scores[:, list(members)].max(axis=1), weights=weight)
            return Estimate(float(mean), np.nan, np.nan)
        low, high = np.quantile(results, _INTERVAL)
        return Estimate(float(results.mean()), float(low), float(high))

    def balanced(self, members: Iterable[int]) -> float:
        """Return the score to expect of the best of some members, as the mean over labels."""
        of_label = (self.codes[:, None] == np.unique(self.codes)) * self.count[:, None]
        sums, totals = np.zeros((2, of_label.shape[1]))
        for left_out, scores in self._bootstraps(members):
            sums += ((left_out * scores) @ of_label).sum(axis=0)
            totals += (left_out @ of_label).sum(axis=0)
        if not totals.any():  # a single row, which every bootstrap draws
            return np.nan
        return float(np.mean(sums[totals > 0] / totals[totals > 0]))

    def _bootstraps(self, members: Iterable[int]) -> Iterator[tuple[npt.NDArray[np.bool_], Floats]]:
        """Yield which rows were not drawn, and the scores of the member that was chosen."""
        scores = self.scores[:, sorted(set(members))]
        rng = np.random.default_rng(0)
        for _ in range(_BOOTSTRAPS // _AT_ONCE):
            drawn = _draws(len(scores), rng)
            sums = (drawn * self.weight) @ scores
            # the mean of all members that are best: any order of them could favor rows left out
            best = sums >= sums.max(axis=1, keepdims=True) - 1e-9
            yield drawn == 0, (best / best.sum(axis=1, keepdims=True)) @ scores.T


def _draws(n: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return how often each row is drawn, in several bootstraps."""
    if n <= _MANY_ROWS:
        return rng.multinomial(n, np.full(n, 1.0 / n), size=_AT_ONCE)
    # the inverse of the distribution, at 65,536 points
    shares = np.cumsum([math.exp(-1) / math.factorial(k) for k in range(12)])
    times = np.searchsorted(shares, (np.arange(2**16) + 0.5) / 2**16)
    return times[rng.integers(0, 2**16, size=(_AT_ONCE, n), dtype=np.uint16)]
