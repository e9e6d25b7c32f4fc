"""Scores of rows left out, and what they say about the rule set that was chosen by them.

The best of several scores is too good to be true, because it was chosen for being the best. The
bootstrap repeats the choice: it chooses on rows drawn with replacement, and scores the choice on
rows that were not drawn (BBC-CV: Tsamardinos, Greasidou, Borboudakis, Machine Learning 107,
2018). No model is fitted again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from irenic.learn.front import standard_error

Floats = npt.NDArray[np.float64]

_BOOTSTRAPS: Final = 500
# Beyond this many rows, each row is drawn a Poisson number of times, independently of the others.
_MANY_ROWS: Final = 2_000
# Bootstraps at a time: their counts of 20,000 rows take 4 MB.
_AT_ONCE: Final = 25
_INTERVAL: Final = (0.025, 0.975)
# Numbers of average rows to choose from.
_PRIORS: Final = np.geomspace(1.0, 1024.0, 31)
# Labels that no row has are not impossible.
_LEAST: Final = 1e-9


class Estimate(NamedTuple):
    """The score to expect on new rows, with a 95 % interval.

    It is the measure that rule sets are chosen by: the accuracy or the balanced accuracy; for sets
    of labels the mean F1 of a row; in a hierarchy, and if consequents are probabilities, the
    explained share of the label variance.

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
        return f"{self.score:.3f} ({interval_text(self.low, self.high, 3)})"


def interval_text(low: float, high: float, digits: int = 2) -> str:
    """Return an interval in words.

    >>> interval_text(0.25, 0.5)
    '95 % interval 0.25 to 0.50'
    """
    return f"95 % interval {low:.{digits}f} to {high:.{digits}f}"


class Tally(NamedTuple):
    """Labels under the rules, or under the defaults, of one or several rule sets.

    Attributes
    ----------
    seen : array of shape (n_rules, n_labels)
        Weight of the rows that a rule was learned from and covers.
    left_out : array of shape (n_rules, n_labels)
        Weight of the rows left out that it decides.
    """

    seen: Floats
    left_out: Floats

    @classmethod
    def concatenated(cls, tallies: Iterable[Tally]) -> Tally:
        """Return the labels under all rules of several tallies."""
        return cls(*map(np.concatenate, zip(*tallies, strict=True)))

    def prior(self, overall: Floats) -> float:
        """Return how many average rows to add to those of each rule, so that they are not too sure.

        A rule is chosen for the labels of its rows, so among new rows, these labels are rarer. The
        number is the one for which rows left out are most likely.

        Parameters
        ----------
        overall : array of shape (n_labels,)
            Label frequencies of all rows.
        """
        losses = [
            -(self.left_out * np.log(smoothed(self.seen, prior, overall))).sum()
            for prior in _PRIORS
        ]
        return float(_PRIORS[int(np.argmin(losses))])


class Priors(NamedTuple):
    """How many average rows to add to those of each rule, and to those of the default."""

    rule: float
    default: float

    def each(self, n_rules: int) -> Floats:
        """Return the number for each rule, followed by that for the default."""
        return np.append(np.full(n_rules, self.rule), self.default)


def smoothed(counts: Floats, prior: float, overall: Floats) -> Floats:
    """Return label frequencies after adding a number of average rows to those of each rule.

    >>> smoothed(np.array([[8.0, 0.0]]), 2.0, np.array([0.5, 0.5]))
    array([[0.9, 0.1]])
    """
    total = counts.sum(axis=-1, keepdims=True)
    return np.asarray((counts + prior * np.maximum(overall, _LEAST)) / (total + prior))


def likely(right: Floats, n: Floats, prior_right: Floats, prior: Floats) -> tuple[Floats, Floats]:
    """Return the share of new rows that each rule is right for, and its 95 % interval.

    Parameters
    ----------
    right, n : array of shape (n_rules,)
        Number of rows that the rule is right for, and of all its rows.
    prior_right : array of shape (n_rules,)
        Number of the added average rows that the rule is right for.
    prior : array of shape (n_rules,)
        Number of added average rows.

    Returns
    -------
    share : array of shape (n_rules,)
    interval : array of shape (n_rules, 2)
        Quantiles of a beta distribution around the share. It counts half of the rows, because both
        the rows of a rule and the correction scatter.

    >>> one, two, eight, ten = np.array([[1.0], [2.0], [8.0], [10.0]])
    >>> share, interval = likely(eight, ten, one, two)
    >>> share, interval.round(2)
    (array([0.75]), array([[0.37, 0.98]]))
    """
    from scipy.stats import beta

    share = (right + prior_right) / (n + prior)
    rows = n / 2.0 + 1.0
    good, bad = np.maximum(share * rows, _LEAST), np.maximum((1.0 - share) * rows, _LEAST)
    return share, np.stack([beta.ppf(q, good, bad) for q in _INTERVAL], axis=1)


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
    tallies: tuple[tuple[Tally, Tally], ...] = ()
    """Labels under the rules and the default of each member; empty if rows have several labels."""

    @classmethod
    def from_folds(cls, folds: list[Validation]) -> Validation:
        """Return the validation of all folds."""
        names = ("scores", "weight", "count", "codes")
        scores, weight, count, codes = (
            np.concatenate([getattr(fold, name) for fold in folds]) for name in names
        )
        members = zip(*(fold.tallies for fold in folds), strict=True)
        tallies = [
            (Tally.concatenated(rules), Tally.concatenated(defaults))
            for rules, defaults in (zip(*member, strict=True) for member in members)
        ]
        return cls(scores, weight, count, codes, tuple(tallies))

    def priors(self, overall: Floats) -> list[Priors]:
        """Return for each member how many average rows to add to those of its rules."""
        return [Priors(rule.prior(overall), rest.prior(overall)) for rule, rest in self.tallies]

    def means(self) -> Floats:
        """Return the mean score of each member."""
        return np.asarray(np.average(self.scores, axis=0, weights=self.weight))

    def estimate(self, members: Iterable[int], *, weighted: bool = True) -> Estimate:
        """Return the score to expect of the best of some members.

        Parameters
        ----------
        members : iterable of int, or mapping from int to sizes
            Those that were chosen among; with a single one there is nothing to correct. With sizes,
            the smallest one at most one standard error below the best was chosen.
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
        names = sorted(set(members))
        scores = self.scores[:, names]
        rng = np.random.default_rng(0)
        for _ in range(_BOOTSTRAPS // _AT_ONCE):
            drawn = _draws(len(scores), rng)
            sums = (drawn * self.weight) @ scores
            # the mean of all members that are best: any order of them could favor rows left out
            best = sums >= sums.max(axis=1, keepdims=True) - 1e-9
            if isinstance(members, Mapping):
                best = self._smallest(drawn, sums, [members[name] for name in names])
            yield drawn == 0, (best / best.sum(axis=1, keepdims=True)) @ scores.T

    def _smallest(
        self, drawn: npt.NDArray[np.int64], sums: Floats, sizes: list[Any]
    ) -> npt.NDArray[np.bool_]:
        """Return the smallest member at most one standard error below the best, per bootstrap."""
        ranks = np.array([sorted(set(sizes)).index(size) for size in sizes])
        means = sums / (drawn @ self.weight)[:, None]
        rows = max(1, round(self.count.sum()))
        least = [best - standard_error(best, rows) for best in means.max(axis=1).tolist()]
        near = means >= np.array(least)[:, None] - 1e-12
        return np.asarray(near & (ranks == np.where(near, ranks, len(ranks)).min(axis=1)[:, None]))


def _draws(n: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return how often each row is drawn, in several bootstraps."""
    if n <= _MANY_ROWS:
        return rng.multinomial(n, np.full(n, 1.0 / n), size=_AT_ONCE)
    # the inverse of the distribution, at 65,536 points
    shares = np.cumsum([math.exp(-1) / math.factorial(k) for k in range(12)])
    times = np.searchsorted(shares, (np.arange(2**16) + 0.5) / 2**16)
    return times[rng.integers(0, 2**16, size=(_AT_ONCE, n), dtype=np.uint16)]
