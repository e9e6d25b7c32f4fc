"""The estimate of a fit: scores of rows left out, corrected for the choice of the best one.

The best of several scores is too good to be true, because it was chosen for being the best. The
bootstrap repeats the choice: it chooses on rows drawn with replacement, and scores the choice on
rows that were not drawn (BBC-CV: Tsamardinos, Greasidou, Borboudakis, Machine Learning 107,
2018). No model is fitted again.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin

from irenic.arrays import Floats, Indices
from irenic.errors import DataError
from irenic.learn.front import standard_error
from irenic.learn.probabilities import FoldPredictions
from irenic.learn.tally import LEAST, OPINION, Priors

_BOOTSTRAPS: Final = 500
# With a scorer of scikit-learn, which takes milliseconds per rule set.
_JUDGED: Final = 50
# Scores that are means over rows.
ROW_SCORES: Final = ("accuracy", "balanced_accuracy", "log_loss")
# Beyond this many rows, each row is drawn a Poisson number of times, independently of the others.
_MANY_ROWS: Final = 2_000
# Bootstraps at a time: their counts of 20,000 rows take 4 MB.
_AT_ONCE: Final = 25
_INTERVAL: Final = (0.025, 0.975)
# Numbers of average rows to choose from, for rules and for opinions.
_ADDED: Final = np.geomspace(1.0, 65_536.0, 33)
_PRIORS: Final = np.geomspace(1.0, 1024.0, 31)


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
    1.000 (95 % interval 1.000 to 1.000)
    """

    score: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.score:.3f} ({confidence_text(self.low, self.high, 3)})"


def confidence_text(low: float, high: float, digits: int = 2) -> str:
    """Return an interval in words.

    >>> confidence_text(0.25, 0.5)
    '95 % interval 0.25 to 0.50'
    """
    return f"95 % interval {low:.{digits}f} to {high:.{digits}f}"


class Holdout(NamedTuple):
    """Labels under the rules, or under the defaults, of one or several rule sets.

    Attributes
    ----------
    seen : array of shape (n_rules, n_labels)
        Weight of the rows that a rule was learned from and covers.
    left_out : array of shape (n_rules, n_labels)
        Weight of the rows left out that it covers.
    """

    seen: Floats
    left_out: Floats

    @classmethod
    def concatenated(cls, parts: Iterable[Holdout]) -> Holdout:
        """Return the labels under all rules of several rule sets."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))

    def prior(self, overall: Floats) -> float:
        """Return how many average rows to add to those of each rule, so that they are not too sure.

        A rule is chosen for the labels of its rows, so among new rows, these labels are rarer. The
        number is the one for which rows left out are most likely; ``overall`` has the frequencies
        of labels in all rows.
        """
        total = self.seen.sum(axis=-1, keepdims=True)
        average = np.maximum(overall, LEAST)
        # one after another: thousands of rules may have thousands of labels
        likelihood = [
            (self.left_out * np.log((self.seen + added * average) / (total + added))).sum()
            for added in _ADDED.tolist()
        ]
        return float(_ADDED[int(np.argmax(likelihood))])


@dataclass(frozen=True, eq=False)
class Judge:
    """A scorer of scikit-learn, which scores predictions that are known already."""

    scorer: Callable[..., float] | None
    """None for the area under the ROC curve, which has a faster function of its own."""
    labels: npt.NDArray[Any]
    """The labels, by code."""
    truth: Indices
    """Code of the label of each row."""
    weight: Floats
    """Weight of each row."""

    @classmethod
    def of(
        cls, scoring: Any, labels: npt.NDArray[Any], truth: Indices, weight: Floats
    ) -> Judge | None:
        """Return the judge for a ``scoring``; None for scores that are means over rows."""
        if isinstance(scoring, str):
            if scoring in ROW_SCORES:
                return None
            from sklearn.metrics import get_scorer

            scoring = None if scoring == "roc_auc" else get_scorer(scoring)
        return cls(scoring, labels, truth, weight)

    def score(self, likely: Floats, codes: Indices, times: npt.NDArray[Any]) -> float:
        """Return the score of probabilities and predicted codes, with each row several times.

        NaN if it is not defined, such as the area under the curve of a single label.
        """
        weight = times * self.weight
        if self.scorer is None:
            return roc_area(likely, self.truth, weight)
        if takes_weight(self.scorer):
            rows = np.flatnonzero(weight)
            more = {"sample_weight": weight[rows]}
        else:
            rows, more = in_proportion(weight), {}
        labels = self.labels
        if codes.max(initial=0) >= len(labels):  # nothing is predicted for some rows
            labels = np.array([*labels.tolist(), None], dtype=object)
        predicted = Predicted(likely, labels[codes], self.labels)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            try:
                return float(self.scorer(predicted, rows, self.labels[self.truth[rows]], **more))
            except (TypeError, ValueError) as error:
                if labels is not self.labels:
                    raise DataError(
                        'scoring must rate probabilities if default="abstain", because nothing is'
                        f" predicted for some rows: {error}"
                    ) from error
                if len(np.unique(self.truth[rows])) < len(np.unique(self.truth)):
                    return math.nan  # by chance, rows of a label are missing
                raise DataError(f"scoring cannot be used for these labels: {error}") from error


def takes_weight(scorer: Callable[..., float]) -> bool:
    """Return whether a scorer has a parameter ``sample_weight``; one of scikit-learn, its metric.

    >>> from sklearn.metrics import get_scorer
    >>> takes_weight(get_scorer("average_precision")), takes_weight(lambda clf, X, y: 0.5)
    (True, False)
    """
    try:
        known = inspect.signature(getattr(scorer, "_score_func", scorer)).parameters
    except (TypeError, ValueError):
        return False
    return "sample_weight" in known


def in_proportion(weight: Floats) -> Indices:
    """Return rows, each about as often as its weight says; exactly so if weights are whole.

    >>> in_proportion(np.array([1.0, 0.0, 2.0])), in_proportion(np.full(6, 0.5))
    (array([0, 2, 2]), array([0, 2, 4]))
    """
    sums = np.cumsum(weight)
    n = max(1, math.floor(sums[-1] + 0.5))
    # steps of 1, because the rows of steps that fill the sum exactly would add up the rounding of n
    first = min(0.5, sums[-1] / 2.0)
    return np.asarray(np.searchsorted(sums, first + np.arange(n)), dtype=np.intp)


def roc_area(likely: Floats, truth: Indices, times: npt.NDArray[Any]) -> float:
    """Return the area under the ROC curve, with each row several times; NaN if it is not defined.

    With more than two labels, it is the mean of the areas of one label against the rest.

    >>> likely = np.array([[0.9, 0.1], [0.4, 0.6], [0.4, 0.6], [0.2, 0.8]])
    >>> roc_area(likely, np.array([0, 0, 1, 1]), np.ones(4))
    0.875
    """
    codes = range(likely.shape[1]) if likely.shape[1] > 2 else [1]
    areas = []
    for code in codes:
        values, place = np.unique(likely[:, code], return_inverse=True)
        own, rest = (
            np.bincount(place[of], weights=times[of], minlength=len(values))
            for of in (truth == code, truth != code)
        )
        pairs = own.sum() * rest.sum()
        if pairs:
            # rows of the rest with a lower probability, and half of those with the same
            areas.append(own @ (np.cumsum(rest) - rest / 2.0) / pairs)
    return float(np.mean(areas)) if areas else math.nan


class Predicted(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that knows its predictions; it predicts rows by their index."""

    def __init__(self, likely: Floats, labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> None:
        self.likely, self.labels, self.classes_ = likely, labels, classes

    def predict(self, rows: Indices) -> npt.NDArray[Any]:
        """Return the prediction for each row."""
        return np.asarray(self.labels[rows])

    def predict_proba(self, rows: Indices) -> Floats:
        """Return the probabilities for each row."""
        return np.asarray(self.likely[rows])


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
    tallies: tuple[tuple[Holdout, Holdout], ...] = ()
    """Labels under the rules and the default of each member; empty if rows have several labels."""
    trials: tuple[tuple[FoldPredictions, ...], ...] = ()
    """For each member, one trial per fold; empty if there are no regions of probability."""
    chosen_by: Floats | None = None
    """What members are chosen by instead of their scores, as a mean: ``[row, member]``."""
    judge: Judge | None = None
    """What members are chosen by instead of a mean over rows."""
    likely: Floats | None = None
    """Probabilities for the judge: ``[member, row, label]``."""

    @classmethod
    def from_folds(cls, folds: list[Validation]) -> Validation:
        """Return the validation of all folds."""
        names = ("scores", "weight", "count", "codes")
        scores, weight, count, codes = (
            np.concatenate([getattr(fold, name) for fold in folds]) for name in names
        )
        members = zip(*(fold.tallies for fold in folds), strict=True)
        tallies = [
            (Holdout.concatenated(rules), Holdout.concatenated(defaults))
            for rules, defaults in (zip(*member, strict=True) for member in members)
        ]
        folded = zip(*(fold.trials for fold in folds), strict=True)
        trials = [tuple(trial for (trial,) in member) for member in folded]
        return cls(scores, weight, count, codes, tuple(tallies), tuple(trials))

    def priors(self, overall: Floats) -> list[Priors]:
        """Return for each member how many average rows to add to those of its rules."""
        opinions = [self.opinion(member, overall) for member in range(len(self.tallies))]
        return [
            Priors(rule.prior(overall), rest.prior(overall), opinion)
            for (rule, rest), opinion in zip(self.tallies, opinions, strict=True)
        ]

    def opinion(self, member: int, overall: Floats) -> float:
        """Return the number of rows for opinions with which the rows left out are most likely."""
        if not self.trials:
            return OPINION
        likelihood, first = np.zeros(len(_PRIORS)), 0
        for seen, codes, places in self.trials[member]:
            rows = slice(first, first := first + len(codes))
            # probabilities only differ between predictions, regions and labels
            cells = np.zeros(seen.labels.shape)
            np.add.at(cells, (codes, places, self.codes[rows]), self.weight[rows])
            table = np.log(seen.probabilities(_PRIORS[:, None, None, None], overall))
            likelihood += (table * cells).sum(axis=(1, 2, 3))
        return float(_PRIORS[int(likelihood.argmax())])

    def judged(
        self, scoring: Any, labels: npt.NDArray[Any], overall: Floats, *, lead: bool
    ) -> Validation:
        """Return the validation with members that are chosen by a ``scoring``.

        If ``lead``, predictions have the highest probability.
        """
        if scoring in ("accuracy", "balanced_accuracy"):
            return self
        likely = np.stack(
            [
                self.probabilities(member, self.opinion(member, overall), overall, lead=lead)
                for member in range(len(self.trials))
            ]
        )
        judge = Judge.of(scoring, labels, self.codes, self.weight)
        if judge is None:
            return replace(
                self, chosen_by=np.log(likely[:, np.arange(len(self.codes)), self.codes]).T
            )
        return replace(self, judge=judge, likely=likely)

    def probabilities(
        self, member: int, opinion: float, overall: Floats, *, lead: bool = False
    ) -> Floats:
        """Return the probabilities of the labels of each row left out: ``[row, label]``."""
        trials = self.trials[member]
        return np.concatenate([t.probabilities(opinion, overall, lead=lead) for t in trials])

    def means(self) -> Floats:
        """Return what each member is chosen by: its mean score, or what the judge says."""
        if self.judge is not None:
            once = np.ones(len(self.codes), dtype=np.intp)
            return np.array([self._judged(member, once) for member in range(len(self.trials))])
        by = self.scores if self.chosen_by is None else self.chosen_by
        return np.asarray(np.average(by, axis=0, weights=self.weight))

    def _judged(self, member: int, times: npt.NDArray[Any]) -> float:
        """Return the score of a member on rows left out, each of which counts several times."""
        assert self.judge is not None
        assert self.likely is not None
        codes = np.concatenate([trial.codes for trial in self.trials[member]])
        return self.judge.score(self.likely[member], codes, times)

    def expected(self, members: Iterable[int]) -> Estimate:
        """Return the value to expect of what members are chosen by, for the best of some."""
        if self.judge is None:
            by = self.scores if self.chosen_by is None else self.chosen_by
            return replace(self, scores=by).estimate(members)
        names = sorted(set(members))
        values = []
        for left_out, best in self._choices(members):
            for out, shares in zip(left_out, best, strict=True):
                used = [(name, share) for name, share in zip(names, shares, strict=True) if share]
                values.append(sum(share * self._judged(name, out) for name, share in used))
        results = np.array(values)[~np.isnan(values)]
        if not len(results):
            return Estimate(np.nan, np.nan, np.nan)
        low, high = np.quantile(results, _INTERVAL)
        return Estimate(float(results.mean()), float(low), float(high))

    def estimate(self, members: Iterable[int], *, weighted: bool = True) -> Estimate:
        """Return the score to expect of the best of the members that were chosen among.

        With a single one there is nothing to correct. If ``members`` maps to sizes, the smallest
        one at most one standard error below the best was chosen. ``weighted`` says whether weights
        of rows count in the score; they always do in the choice.
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

    def balanced(self, members: Iterable[int], *, weighted: bool = True) -> float:
        """Return the score to expect of the best of some members, as the mean over labels.

        See :meth:`estimate` for the parameters.
        """
        weight = self.weight if weighted else self.count
        of_label = (self.codes[:, None] == np.unique(self.codes)) * weight[:, None]
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
        for left_out, best in self._choices(members):
            yield left_out, best @ scores.T

    def _choices(self, members: Iterable[int]) -> Iterator[tuple[npt.NDArray[np.bool_], Floats]]:
        """Yield which rows were not drawn, and the share of each member that was chosen."""
        names = sorted(set(members))
        by = (self.scores if self.chosen_by is None else self.chosen_by)[:, names]
        rng = np.random.default_rng(0)
        for _ in range((_BOOTSTRAPS if self.judge is None else _JUDGED) // _AT_ONCE):
            drawn = _draws(len(by), rng)
            if self.judge is None:
                sums = (drawn * self.weight) @ by
            else:
                judged = [[self._judged(name, times) for name in names] for times in drawn]
                sums = np.nan_to_num(np.array(judged), nan=-np.inf)
            # the mean of all members that are best: any order of them could favor rows left out
            best = sums >= sums.max(axis=1, keepdims=True) - 1e-9
            if isinstance(members, Mapping):
                best = self._smallest(drawn, sums, [members[name] for name in names])
            yield drawn == 0, best / best.sum(axis=1, keepdims=True)

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
