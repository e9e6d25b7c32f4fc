"""Training rows as the operators of learning classifier systems see them."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from irenic.arrays import Bools, Floats, Ints, Signs
from irenic.learn import LabeledRows
from irenic.learn.target import row_f1
from irenic.model import Region, Rule, RuleSet
from irenic.model.features import LOWEST
from irenic.model.head import open_labels, signs, united

# The number of random heads of which a new rule gets the best.
_TOURNAMENT: Final = 3
# The most labels of a default of rules that decide only some labels.
_DEFAULT_LABELS: Final = 8


@dataclass(frozen=True, eq=False)
class TrainingRows(LabeledRows):
    """Training rows as operators see them, with the questions that operators ask about rules.

    Parameters
    ----------
    instances, consequents, gains, cuts, labels, truth
        Those of :class:`irenic.learn.LabeledRows`.
    smoothing : float, default 10
        Number of rows with the prior of the consequent that are added to those of a rule for its
        accuracy.

    Examples
    --------
    >>> from irenic.systems import TrainingRows
    >>> rows = TrainingRows.from_table({"age": [20, 30, 40]}, ["low", "low", "high"])
    >>> len(rows), rows.consequents, rows.then(2), rows.cuts[0]
    (3, ['high', 'low'], 'high', array([26., 36.]))
    """

    smoothing: float = 10.0

    @classmethod
    def of(cls, rows: LabeledRows, smoothing: float = 10.0) -> Self:
        """Return labeled rows with what operators ask about them.

        ``smoothing`` is the number of rows with the prior of the consequent that are added to those
        of a rule.
        """
        own = (rows.instances, rows.consequents, rows.gains, rows.cuts, rows.labels, rows.truth)
        return cls(*own, smoothing)

    @cached_property
    def codes(self) -> dict[Hashable, int]:
        """The index of each consequent."""
        return {then: code for code, then in enumerate(self.consequents)}

    @cached_property
    def best(self) -> Ints:
        """The index of the best consequent of each row."""
        return np.asarray(self.gains.argmax(axis=1))

    @cached_property
    def prior(self) -> Floats:
        """The mean gain of each consequent over all rows."""
        return np.asarray(self.gains.mean(axis=0))

    @cached_property
    def has_missing(self) -> Bools:
        """Whether values of each continuous feature are missing."""
        return np.asarray((self.instances.values == -math.inf).any(axis=1))

    def accuracy(self, gain: Any, n: Any, code: Any) -> Any:
        """Return the smoothed accuracy of rules.

        Each has a number of rows, their gain in total, and the index of its consequent.
        """
        # rules without rows have the accuracy of their prior, also without smoothing
        smoothing = max(self.smoothing, 1e-12)
        return (gain + smoothing * self.prior[code]) / (n + smoothing)

    def strength(self, accuracy: Any, code: Any) -> Any:
        """Return how much more accurate than a random rule rules are, at most 1."""
        prior = self.prior[code]
        return (accuracy - prior) / np.maximum(1.0 - prior, 1e-12)

    def then(self, row: int) -> Hashable:
        """Return the best consequent of a row."""
        return self.consequents[int(self.best[row])]

    @cached_property
    def _signs(self) -> Signs:
        """What each consequent decides, if they are heads."""
        return signs(self.consequents, self.labels)

    def states(self, rules: RuleSet, row: int | None = None) -> Signs:
        """Return what rules whose consequents are heads decide together about each label.

        1 if the label is present, -1 if it is absent, 0 if no rule decides it. If rules contradict
        each other, the majority decides.
        """
        instances = self.instances if row is None else self.instances.take([row])
        codes = np.array([self.codes[then] for then in rules.thens], dtype=np.intp)
        return united(rules.covering(instances), self._signs[codes])

    def needed(self, states: Signs, default: Hashable | None, row: int | None = None) -> Bools:
        """Return which labels of each row are open, and not right by default: ``[row, label]``.

        ``states`` are what rules decide; see :meth:`states`. Without a default, it has the labels
        of most rows. If ``row`` is given, states are those of this row.
        """
        assert self.truth is not None
        truth = self.truth if row is None else self.truth[[row]]
        if default is None:
            usual = self.truth.mean(axis=0) > 0.5
        else:
            usual = np.array([label in open_labels(default) for label in self.labels])
        return np.asarray((states == 0) & ((truth > 0) != usual))

    def draw_head(
        self, row: int, region: Region, states: Signs, needed: Bools, rng: np.random.Generator
    ) -> Hashable | None:
        """Return a head for a new rule: the one with the highest lift among three random ones.

        It is right for the row, contradicts none of the ``states`` of its labels, which other rules
        decide, and decides at least one of the labels ``needed``. None if no head is possible.
        """
        possible = (self.gains[row] == 1.0) & ((self._signs * states) >= 0).all(axis=1)
        possible &= (self._signs[:, needed] != 0).any(axis=1)
        if not possible.any():
            return None
        drawn = rng.choice(np.flatnonzero(possible), _TOURNAMENT)
        inside = self.gains[region.contains(self.instances)][:, drawn]
        accuracy = self.accuracy(inside.sum(axis=0), len(inside), drawn)
        return self.consequents[int(drawn[self.strength(accuracy, drawn).argmax()])]

    def suited(self, then: Hashable) -> Bools:
        """Return the rows that a rule with a consequent can grow around.

        The rows whose best consequent it is; for a head, those for which it is right.
        """
        code = self.codes[then]
        return np.asarray(self.best == code if self.truth is None else self.gains[:, code] == 1.0)

    def right(self, row: int, rng: np.random.Generator) -> Bools:
        """Return the consequents that a Michigan system wants for a row.

        The best consequent of the row. Of heads, those that are right about one random label that
        is not right by default; none if there is no such label.
        """
        if self.truth is None:
            return np.asarray(np.arange(len(self.consequents)) == self.best[row])
        nothing = np.zeros((1, len(self.labels)), dtype=np.int8)
        needed = np.flatnonzero(self.needed(nothing, None, row)[0])
        if not len(needed):
            return np.zeros(len(self.consequents), dtype=np.bool_)
        label = int(rng.choice(needed))
        return np.asarray((self._signs[:, label] != 0) & (self.gains[row] == 1.0))

    def rated(self, region: Region, then: Hashable) -> Rule | None:
        """Return a rule whose weight is its accuracy, None if it covers no row.

        The accuracy is smoothed: rows are added that have the prior of the consequent. Conditions
        exclude what no training row has: an upper bound excludes missing values, and a set of at
        most half of the values that occur excludes all others.
        """
        region = self._without_unseen(region)
        covered = region.contains(self.instances)
        n = int(covered.sum())
        if not n:
            return None
        code = self.codes[then]
        accuracy = self.accuracy(self.gains[covered, code].sum(), n, code)
        return Rule(region, then=then, weight=float(accuracy))

    def _without_unseen(self, region: Region) -> Region:
        """Return a region without values that no training row has, where it has a condition."""
        space, lower, masks = region.space, region.lower, region.masks
        missing = (region.upper < math.inf) & (lower == -math.inf) & ~self.has_missing
        is_changed = missing.any()
        if is_changed:
            lower = np.where(missing, LOWEST, lower)
        if space.categorical:
            known = masks & self._seen
            few = 2 * self._per_feature(np.bitwise_count(known)) <= self._n_seen
            known = np.where(few[self._feature_of], known, masks)
            is_changed |= (known != masks).any()
            masks = known
        if not is_changed and region.box.settled() is region.box:
            return region
        return Region.from_packed(space, lower, region.upper, masks, region.written)

    def _per_feature(self, counts: npt.NDArray[np.uint8]) -> Ints:
        """Return the sum of counts per word over the words of each categorical feature."""
        return np.add.reduceat(counts, self.space.starts[:-1], dtype=np.int64)

    @cached_property
    def _seen(self) -> npt.NDArray[np.uint64]:
        return self.space.words_of(self.instances.codes)

    @cached_property
    def _n_seen(self) -> Ints:
        return self._per_feature(np.bitwise_count(self._seen))

    @cached_property
    def _feature_of(self) -> Ints:
        """The index of the categorical feature of each word."""
        sizes = np.diff(self.space.starts)
        return np.repeat(np.arange(len(sizes)), sizes)

    def decided(self, rules: RuleSet, resolve: Any) -> tuple[float, Hashable]:
        """Return the mean gain of a rule set, and the best default for the rows left.

        Its own default is ignored; ``resolve`` chooses between conflicting rules.
        """
        if self.truth is not None:
            return self._decided_labels(rules, resolve)
        decided = rules.decide(self.instances, resolve=resolve)
        left = decided < 0
        total = self.gains[left].sum(axis=0) if left.any() else self.prior
        default = int(total.argmax())
        codes = np.array([*(self.codes[then] for then in rules.thens), default], dtype=np.intp)
        gain = self.gains[np.arange(len(self)), codes[decided]].mean()
        return float(gain), self.consequents[default]

    def _decided_labels(self, rules: RuleSet, resolve: Any) -> tuple[float, Hashable]:
        """Return the mean F1 of rules whose consequents are heads, and the best default.

        The default has the most frequent labels of the rows in which no rule decides them; each
        number of them is tried.
        """
        truth = self.truth
        assert truth is not None
        if resolve in (None, "first"):  # consistent
            states = self.states(rules)
        else:
            states, _ = rules.decide_labels(self.instances, self.labels, resolve=resolve)
        undecided = states == 0
        n = undecided.sum(axis=0)
        share = np.divide((truth * undecided).sum(axis=0), n, out=np.zeros(len(n)), where=n > 0)
        order = np.argsort(-share, kind="stable")
        score, default = -1.0, frozenset[Hashable]()
        for size in range(min(int((share > 0).sum()), _DEFAULT_LABELS) + 1):
            usual = np.zeros(len(share), dtype=np.bool_)
            usual[order[:size]] = True
            f1 = float(row_f1(truth, np.where(undecided, usual, states > 0)).mean())
            if f1 > score:
                score, default = f1, frozenset(self.labels[i] for i in order[:size].tolist())
        return score, default
