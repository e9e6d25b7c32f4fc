"""Probabilities that are estimated from rows: those of predictions, and those that rules predict.

The probability of a prediction depends on the region of the case. The regions are the leaves of one
small tree, which is fitted to the opinion of a forest on rows that its trees have not seen. Rules
predict labels; the rows with the same prediction in the same region tell how likely each label is.

If rules predict probabilities, evolution chooses among a fixed list of vectors. Afterwards, rules
of the same vector that are connected by overlaps get the label frequencies of their own rows, and a
threshold cuts them. So rules with different probabilities still never overlap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from irenic.arrays import Bools, Bytes, Floats, Indices
from irenic.learn.evolution import Candidate, covering, predict
from irenic.learn.tally import region_sums, smoothed
from irenic.learn.target import Consequents, Target, as_probabilities
from irenic.learn.trees import Ladder

if TYPE_CHECKING:
    from irenic.learn.sample import Sample

# The most regions, and the fewest rows of one: a table that people still read.
_REGIONS: Final = 16
_REGION_ROWS: Final = 10
# With more labels, a table of all predictions, regions and labels would be larger than the rules.
LABEL_LIMIT: Final = 50
# Rows that a prediction as a whole counts for in each of its regions.
_WHOLE: Final = 5.0
# The least rise of a probability that is worth mentioning.
_SHOWN: Final = 1e-6


class Seen(NamedTuple):
    """Rows that probabilities are estimated from, by prediction and region.

    The last region has the rows that are in no other one.
    """

    labels: Floats
    """Weight of the rows with each label: ``[prediction, region, label]``."""
    opinions: Floats
    """The same sums of the probabilities that a forest gives to the labels."""

    def probabilities(self, opinion: float | Floats, overall: Floats) -> Floats:
        """Return the probabilities of labels: ``[prediction, region, label]``.

        The last region stands for all rows with the prediction, also those of other regions. They
        are the frequencies of labels after adding rows: a number of rows (``opinion``) of which the
        forest thinks like on average in the region, and a few with the prediction. If there are
        several such numbers, of shape (n, 1, 1, 1), so are the results.
        """
        sums, own = (values.sum(axis=1, keepdims=True) for values in self)
        whole = smoothed(_with_opinion(sums, own, opinion), 1.0, overall)
        parts = _with_opinion(self.labels[:, :-1], self.opinions[:, :-1], opinion)
        return np.concatenate([smoothed(parts, _WHOLE, whole), whole], axis=-2)


class FoldPredictions(NamedTuple):
    """A rule set that was learned without some rows, and what it predicts for them."""

    seen: Seen
    codes: Indices
    """Code of the prediction for each row left out."""
    places: Indices
    """Region of each row left out; -1 for none."""

    def probabilities(self, opinion: float, overall: Floats, *, lead: bool = False) -> Floats:
        """Return the probabilities of the labels of each row left out: ``[row, label]``.

        If ``lead``, the prediction has the highest one.
        """
        table = self.seen.probabilities(opinion, overall)
        return np.asarray((led(table) if lead else table)[self.codes, self.places])


@dataclass(frozen=True, eq=False)
class Division:
    """The space divided into regions of probability, and a forest's opinion of training rows."""

    masks: npt.NDArray[np.uint64]
    """Cells of each region, as words per feature."""
    sample: Sample
    opinion: Floats
    """What trees that have not seen a row of the sample think of it: ``[row, label]``."""

    @classmethod
    def grown(
        cls, sample: Sample, opinion: Floats, candidates: Sequence[Candidate]
    ) -> Division | None:
        """Return regions that test only features that rules of candidates test too.

        ``opinion`` has the probabilities of labels for each row. None if rows have several labels,
        or there are more than 50.
        """
        from sklearn.tree import DecisionTreeRegressor

        if sample.target.many or opinion.shape[1] > LABEL_LIMIT:
            return None
        everything = (np.uint64(1) << sample.cells.n_cells.astype(np.uint64)) - np.uint64(1)
        everything[sample.cells.n_cells == 64] = ~np.uint64(0)
        tested = np.zeros(len(everything), dtype=bool)
        for candidate in candidates:
            tested |= (candidate.masks != everything).any(axis=0)
        ladder = Ladder.from_labels(sample.cells, sample.encoded, opinion, sample.unbalanced)
        table = ladder.table(sample.encoded) * tested[:, None]
        tree = DecisionTreeRegressor(
            max_leaf_nodes=_REGIONS, min_samples_leaf=_REGION_ROWS, random_state=0
        )
        wide = np.ascontiguousarray(table.T, dtype=np.float32)
        tree.fit(wide, opinion, sample.unbalanced, check_input=False)
        masks, _ = ladder.leaves(tree, _REGIONS)
        return cls(masks, sample, opinion)

    def places(self, encoded: Bytes) -> Indices:
        """Return the region of each row, -1 if it is in none."""
        covers = covering(self.masks, encoded)
        return np.where(covers.any(axis=0), covers.argmax(axis=0), -1)

    @cached_property
    def _places(self) -> Indices:
        return self.places(self.sample.encoded)

    def seen(self, candidate: Candidate, conflicts: str, n_codes: int) -> Seen:
        """Return the labels and opinions of the rows by prediction and region."""
        sample, n = self.sample, len(self.masks)
        predicted = sample.decided(predict(candidate, sample.encoded, conflicts))
        places = self._places
        labels, opinions = (
            region_sums(predicted, places, values, sample.unbalanced, (n_codes, n))
            for values in (sample.target.truth, self.opinion)
        )
        return Seen(labels, opinions)

    def trials(
        self, candidates: Sequence[Candidate], conflicts: str, n_codes: int, left: Sample
    ) -> Iterator[FoldPredictions]:
        """Yield what is needed to predict probabilities of rows left out with each candidate."""
        places = self.places(left.encoded)
        for candidate in candidates:
            codes = left.decided(predict(candidate, left.encoded, conflicts))
            yield FoldPredictions(self.seen(candidate, conflicts, n_codes), codes, places)


def led(table: Floats) -> Floats:
    """Return probabilities ``[prediction, region, label]`` in which the prediction has the highest.

    Predictions after the last label, which predict nothing, stay as they are.

    >>> led(np.array([[[0.25, 0.75]], [[0.25, 0.75]]])).round(3).tolist()
    [[[0.5, 0.5]], [[0.25, 0.75]]]
    """
    n_codes, n_regions, n_labels = table.shape
    codes = np.repeat(np.arange(n_codes), n_regions)
    return leading(table.reshape(-1, n_labels), codes).reshape(table.shape)


def raised_from(before: Floats, after: Floats) -> Floats | None:
    """Return what predictions had that :func:`led` gave more: ``[prediction, region]``.

    NaN for the others; None if there are only such.

    >>> before = np.array([[[0.25, 0.75]], [[0.25, 0.75]]])
    >>> raised_from(before, led(before)).tolist()
    [[0.25], [nan]]
    """
    n_codes, _, n_labels = before.shape
    codes = np.arange(min(n_codes, n_labels))
    own, raised = (table[codes, :, codes] for table in (before, after))
    values = np.full(before.shape[:2], np.nan)
    # of two labels that are equally likely, one leads by less than any text shows
    values[codes] = np.where(raised > own + _SHOWN, own, np.nan)
    return None if np.isnan(values).all() else values


def leading(likely: Floats, codes: Indices) -> Floats:
    """Return rows of probabilities in which the label with the given code has the highest.

    A rule is chosen for the whole set, so its label need not be the most frequent among its rows.
    Higher labels then share what they have with it, and get nearly the same probability.

    >>> leading(np.array([[0.1, 0.5, 0.4]]), np.array([0])).round(2).tolist()
    [[0.33, 0.33, 0.33]]
    """
    likely = likely.copy()
    n = likely.shape[1]
    rows = np.flatnonzero((codes < n) & (likely.argmax(axis=1) != np.minimum(codes, n - 1)))
    own, code = likely[rows], codes[rows]
    at = np.arange(len(rows))
    lead = own[at, code]
    own[at, code] = -1.0
    ordered = -np.sort(-own, axis=1)[:, : n - 1]
    # the mean with the highest ones, of which there are just enough to exceed the next one
    level = (lead[:, None] + np.cumsum(ordered, axis=1)) / np.arange(2, n + 1)
    enough = level >= np.concatenate([ordered[:, 1:], np.zeros((len(rows), 1))], axis=1)
    level = level[at, enough.argmax(axis=1)]
    own = np.minimum(own, (level * (1.0 - 1e-9))[:, None])
    own[at, code] = 0.0
    own[at, code] = 1.0 - own.sum(axis=1)
    likely[rows] = own
    return likely


def _with_opinion(labels: Floats, opinions: Floats, rows: float | Floats) -> Floats:
    """Return sums of labels after adding a number of rows with the mean of some opinions."""
    total = opinions.sum(axis=-1, keepdims=True)
    return np.asarray(labels + rows * opinions / np.where(total > 0.0, total, 1.0))


def connected(n: int, first: npt.NDArray[np.integer], second: npt.NDArray[np.integer]) -> Indices:
    """Return the group of each of ``n`` rules, given the pairs of rules that belong together.

    >>> connected(4, np.array([0, 3]), np.array([2, 2])).tolist()
    [0, 1, 0, 0]
    """
    if n == 0:
        return np.zeros(0, dtype=np.intp)
    graph = coo_array((np.ones(len(first)), (first, second)), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.intp)


def groups_of(candidate: Candidate, conflicts: str) -> Indices:
    """Return the group of each rule: rules with one code that are connected by overlaps.

    If rules may contradict each other, all rules with one code, which vote for the same.
    """
    same = candidate.then[:, None] == candidate.then[None, :]
    if conflicts == "avoid":
        same &= ((candidate.masks[:, None] & candidate.masks[None, :]) != 0).all(axis=2)
    return connected(len(candidate), *np.nonzero(same))


def estimated(groups: Indices, covers: Bools, target: Target, weight: Floats) -> Floats:
    """Return the probabilities of each group of rules, then those of the rows that no rule covers.

    They are label frequencies, shrunk towards those of all rows; ``covers[rule, row]``.
    """
    n_groups = int(groups.max(initial=-1)) + 1
    belongs = np.zeros((n_groups + 1, len(target)))
    for covered, group in zip(covers, groups, strict=True):
        belongs[group, covered] = 1.0
    belongs[-1] = ~covers.any(axis=0)
    belongs *= weight
    overall = np.average(target.truth, axis=0, weights=weight)
    sums, n = belongs @ target.truth, belongs.sum(axis=1)
    prior = prior_rows(sums, n, overall, target.label_weights)
    return as_probabilities((sums + prior * overall) / (n + prior)[:, None], target)


def prior_rows(sums: Floats, n: Floats, overall: Floats, label_weights: Floats) -> float:
    """Return how many average rows to add to the rows of each group: at least 1, at most all rows.

    It is the variance within groups relative to that between them (Bühlmann and Straub, 1970): a
    few rows say little about noisy labels, and much about labels that depend on the group.
    ``sums`` are the numbers of rows, ``[group, label]``; labels have weights in the variances.
    """
    sums, n = sums[n > 0.0], n[n > 0.0]
    total, spare = n.sum(), len(n) - 1
    if total <= len(n):
        return max(1.0, float(total))
    means = sums / n[:, None]
    # labels are 0 or 1, so their squares have the same sums
    within = ((sums - n[:, None] * means**2) @ label_weights).sum() / (total - len(n))
    apart = n @ ((means - overall) ** 2 @ label_weights)
    between = (apart - spare * within) / max(total - (n**2).sum() / total, 1e-12)
    return float(np.clip(within / between, 1.0, total)) if between > 0.0 else float(total)


def best_threshold(probabilities: Floats, decided: Indices, truth: Floats, weight: Floats) -> float:
    """Return the threshold with the highest F1 over all labels of all rows.

    It is one of the probabilities above 0, the lowest of equally good ones; 0.5 if there are none.
    ``decided`` are the indices of the probabilities of each row.
    """
    n_rules, n_labels = probabilities.shape
    totals = np.bincount(decided, weights=weight, minlength=n_rules)
    right = np.zeros((n_rules, n_labels))
    for rule in np.unique(decided):
        rows = decided == rule
        right[rule] = weight[rows] @ truth[rows]
    flat = probabilities.ravel()
    order = np.argsort(-flat, kind="stable")
    order = order[flat[order] > 0.0]
    if not len(order):
        return 0.5
    found = np.cumsum(right.ravel()[order])
    predicted = np.cumsum(np.repeat(totals, n_labels)[order])
    # labels with the same probability are predicted together
    last = np.append(np.diff(flat[order]) < 0.0, True)
    scores = 2.0 * found / np.maximum(predicted + right.sum(), 1e-300)
    best = np.flatnonzero(last & (scores >= scores[last].max() - 1e-12))[-1]
    return float(flat[order[best]])


def with_probabilities(
    candidate: Candidate,
    consequents: Consequents,
    encoded: npt.NDArray[np.uint8],
    target: Target,
    weight: Floats,
    conflicts: str,
) -> tuple[Candidate, Consequents, float]:
    """Return a candidate with probabilities estimated from rows, and its threshold.

    The returned consequents are those of the returned candidate.
    """
    groups = groups_of(candidate, conflicts)
    values = estimated(groups, covering(candidate.masks, encoded), target, weight)
    default = len(values) if candidate.default == len(consequents) else len(values) - 1
    settled = Candidate(candidate.masks, groups.astype(np.int16), default)
    decided = predict(settled, encoded, conflicts)
    # without a prediction, every label has the probability 0
    padded = np.concatenate([values, np.zeros((1, values.shape[1]))])
    threshold = best_threshold(padded, decided.astype(np.intp), target.truth, weight)
    return settled, replace(consequents, frequencies=values, sets=values >= threshold), threshold
