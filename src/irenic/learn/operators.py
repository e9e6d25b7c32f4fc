"""Operators on regions for evolutionary rule learners: draw, mutate and cross.

They know nothing of other rules. A learner keeps its rules free of rivals by passing the region of
:func:`irenic.enlarge` as the room in which a region may change, or by intersecting with it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irenic.arrays import Bools, Floats, Ints, Signs
from irenic.learn._cells import Cells
from irenic.learn.target import row_f1
from irenic.model.features import LOWEST
from irenic.model.head import open_labels, signs, united
from irenic.model.region import Region
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances, Space

# The most conditions of a new region.
_CONDITIONS: Final = 3
# How many thresholds a mutation moves a bound at most.
_STEPS: Final = 4
# How often a mutation changes a condition rather than adding one.
_CHANGE: Final = 0.6
# The number of random heads of which a new rule gets the best.
_TOURNAMENT: Final = 3
# The most labels of a default of rules that decide only some labels.
_DEFAULT_LABELS: Final = 8
# Rows with the prior of the consequent that are added to those of a rule for its accuracy.
SMOOTHING: Final = 10.0


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Training rows as operators see them.

    Parameters
    ----------
    instances : Instances
        The encoded rows.
    consequents : sequence of hashable
        What rules can predict: labels, or sets of labels.
    gains : array of shape (rows, consequents)
        What it is worth to predict a consequent for a row: 1 if it is right and 0 if it is wrong;
        for sets of labels the F1.
    cuts : sequence of array
        Thresholds for the bounds of each continuous feature, ascending.
    labels : sequence of hashable
        The labels, if the consequents are heads that decide only some of them.
    truth : array of shape (rows, labels), optional
        1 where a row has a label; only together with ``labels``.

    Examples
    --------
    >>> from irenic.learn import TrainingRows
    >>> rows = TrainingRows.from_table({"age": [20, 30, 40]}, ["low", "low", "high"])
    >>> len(rows), rows.consequents, rows.then(2), rows.cuts[0]
    (3, ['high', 'low'], 'high', array([26., 36.]))
    """

    instances: Instances
    consequents: Sequence[Hashable]
    gains: Floats
    cuts: Sequence[Floats]
    labels: Sequence[Hashable] = ()
    truth: Floats | None = None

    @classmethod
    def from_table(cls, X: Any, y: Sequence[Hashable]) -> TrainingRows:
        """Return the rows of a table with one label each.

        Parameters
        ----------
        X : table
            The features.
        y : sequence of hashable
            The label of each row.

        Returns
        -------
        TrainingRows

        Examples
        --------
        >>> TrainingRows.from_table({"age": [20, 30]}, ["low", "high"]).gains
        array([[0., 1.],
               [1., 0.]])
        """
        consequents = sorted(set(y), key=str)
        gains = np.array([[float(label == then) for then in consequents] for label in y])
        instances = Space.infer(X).encode(X)
        cuts = Cells.from_instances(instances, gains, np.ones(len(gains))).cuts
        return cls(instances, consequents, gains, cuts)

    def __len__(self) -> int:
        return len(self.instances)

    @property
    def space(self) -> Space:
        """The features."""
        return self.instances.space

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

    def then(self, row: int) -> Hashable:
        """Return the best consequent of a row.

        Parameters
        ----------
        row : int
            Index of the row.

        Returns
        -------
        hashable

        Examples
        --------
        >>> TrainingRows.from_table({"age": [20, 30]}, ["low", "high"]).then(0)
        'low'
        """
        return self.consequents[int(self.best[row])]

    @cached_property
    def _signs(self) -> Signs:
        """What each consequent decides, if they are heads."""
        return signs(self.consequents, self.labels)

    def states(self, rules: RuleSet, row: int | None = None) -> Signs:
        """Return what rules whose consequents are heads decide together about each label.

        Parameters
        ----------
        rules : RuleSet
            The rules.
        row : int, optional
            Index of a row (default: all rows).

        Returns
        -------
        array of int8 of shape (rows, labels)
            1 if the label is present, -1 if it is absent, 0 if no rule decides it. If rules
            contradict each other, the majority decides.

        Examples
        --------
        >>> from irenic import Rule
        >>> from irenic.model import Head
        >>> rows = TrainingRows(Space.infer({"age": [20, 30]}).encode({"age": [20, 30]}),
        ...                     [Head({"x": True})], np.ones((2, 1)), [np.array([26.0])],
        ...                     ["x"], np.ones((2, 1)))
        >>> rows.states(RuleSet([Rule({"age": (None, 26)}, then={"x": True})], rows.space))
        array([[1],
               [0]], dtype=int8)
        """
        instances = self.instances if row is None else self.instances.take([row])
        codes = np.array([self.codes[then] for then in rules.thens], dtype=np.intp)
        return united(rules.covering(instances), self._signs[codes])

    def needed(self, states: Signs, default: Hashable | None, row: int | None = None) -> Bools:
        """Return which labels of each row are open, and not right by default.

        Parameters
        ----------
        states : array of shape (rows, labels)
            What rules decide; see :meth:`states`.
        default : frozenset or None
            The labels that are present by default (default: those of most rows).
        row : int, optional
            Index of the row that ``states`` are of (default: all rows).

        Returns
        -------
        array of bool of shape (rows, labels)

        Examples
        --------
        >>> from irenic.model import Head
        >>> rows = TrainingRows(Space.infer({"age": [20, 30]}).encode({"age": [20, 30]}),
        ...                     [Head({"x": True})], np.ones((2, 1)), [np.array([26.0])],
        ...                     ["x"], np.ones((2, 1)))
        >>> rows.needed(np.zeros((2, 1), dtype=np.int8), frozenset())
        array([[ True],
               [ True]])
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

        Parameters
        ----------
        row : int
            Index of a row for which the head is right.
        region : Region
            The region of the rule.
        states : array of int8
            What other rules decide about each label of the row; the head contradicts none.
        needed : array of bool
            The labels of which the head decides at least one.
        rng : Generator
            The random number generator.

        Returns
        -------
        Head or None
            None if no head is possible.

        Examples
        --------
        >>> from irenic.model import Head
        >>> rows = TrainingRows(Space.infer({"age": [20, 30]}).encode({"age": [20, 30]}),
        ...                     [Head({"x": True})], np.ones((2, 1)), [np.array([26.0])],
        ...                     ["x"], np.ones((2, 1)))
        >>> open = np.zeros(1, dtype=np.int8)
        >>> rng = np.random.default_rng(0)
        >>> rows.draw_head(0, Region(rows.space), open, np.array([True]), rng)
        Head({'x': True})
        """
        possible = (self.gains[row] == 1.0) & ((self._signs * states) >= 0).all(axis=1)
        possible &= (self._signs[:, needed] != 0).any(axis=1)
        if not possible.any():
            return None
        drawn = rng.choice(np.flatnonzero(possible), _TOURNAMENT)
        inside, prior = self.gains[region.contains(self.instances)][:, drawn], self.prior[drawn]
        accuracy = (inside.sum(axis=0) + SMOOTHING * prior) / (len(inside) + SMOOTHING)
        lift = (accuracy - prior) / np.maximum(1.0 - prior, 1e-12)
        return self.consequents[int(drawn[lift.argmax()])]

    def suited(self, then: Hashable) -> Bools:
        """Return the rows that a rule with a consequent can grow around.

        Parameters
        ----------
        then : hashable
            The consequent.

        Returns
        -------
        array of bool
            The rows whose best consequent it is; for a head, those for which it is right.

        Examples
        --------
        >>> TrainingRows.from_table({"age": [20, 30]}, ["low", "high"]).suited("low")
        array([ True, False])
        """
        code = self.codes[then]
        return np.asarray(self.best == code if self.truth is None else self.gains[:, code] == 1.0)

    def right(self, row: int, rng: np.random.Generator) -> Bools:
        """Return the consequents that a Michigan system wants for a row.

        Parameters
        ----------
        row : int
            Index of the row.
        rng : Generator
            The random number generator.

        Returns
        -------
        array of bool
            The best consequent of the row. Of heads, those that are right about one random label
            that is not right by default; none if there is no such label.

        Examples
        --------
        >>> rows = TrainingRows.from_table({"age": [20, 30]}, ["low", "high"])
        >>> rows.consequents, rows.right(0, np.random.default_rng(0))
        (['high', 'low'], array([False,  True]))
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

        The accuracy is smoothed: ten rows are added that have the prior of the consequent.
        Conditions exclude what no training row has: an upper bound excludes missing values, and a
        set of at most half of the values that occur excludes all others.

        Parameters
        ----------
        region : Region
            The region of the rule.
        then : hashable
            The consequent.

        Returns
        -------
        Rule or None

        Examples
        --------
        >>> rows = TrainingRows.from_table({"age": [20, 30, 40]}, ["low", "low", "high"])
        >>> rule = rows.rated(Region(rows.space, {"age": (None, 35)}), "low")
        >>> round(rule.weight, 3)
        0.722
        """
        region = self._without_unseen(region)
        covered = region.contains(self.instances)
        n = int(covered.sum())
        if not n:
            return None
        code = self.codes[then]
        gain = float(self.gains[covered, code].sum() + SMOOTHING * self.prior[code])
        return Rule(region, then=then, weight=gain / (n + SMOOTHING))

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

        Parameters
        ----------
        rules : RuleSet
            The rules; their own default is ignored.
        resolve : {"first", "best", "vote"} or None
            How to choose between conflicting rules.

        Returns
        -------
        score : float
        default : hashable

        Examples
        --------
        >>> rows = TrainingRows.from_table({"age": [20, 30, 40]}, ["low", "low", "high"])
        >>> rule = rows.rated(Region(rows.space, {"age": (None, 35)}), "low")
        >>> rows.decided(RuleSet([rule]), resolve="first")
        (1.0, 'high')
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


def draw_region(rows: TrainingRows, row: int, rng: np.random.Generator) -> Region:
    """Return a region with one to three random conditions that a row satisfies.

    Parameters
    ----------
    rows : TrainingRows
        The training rows.
    row : int
        Index of the row.
    rng : Generator
        The random number generator.

    Returns
    -------
    Region

    Examples
    --------
    >>> import numpy as np
    >>> from irenic.learn import TrainingRows, draw_region
    >>> rows = TrainingRows.from_table({"age": [20, 30, 40]}, ["low", "low", "high"])
    >>> draw_region(rows, 0, np.random.default_rng(1))
    age < 36
    """
    sides = _Sides(rows, Region(rows.space))
    n = rng.integers(1, _CONDITIONS + 1)
    for axis in rng.permutation(len(rows.space))[:n].tolist():
        sides.narrow(axis, row, rng)
    return sides.region()


def mutate_region(
    region: Region, room: Region, rows: TrainingRows, row: int, rng: np.random.Generator
) -> Region:
    """Return a region with one condition changed, added or dropped, which stays in its room.

    A dropped condition is widened as far as the room goes.

    Parameters
    ----------
    region : Region
        The region to change.
    room : Region
        A region that contains it: ``enlarge(rules, rule)``, or the whole space.
    rows : TrainingRows
        The training rows.
    row : int
        Index of a row that the region keeps.
    rng : Generator
        The random number generator.

    Returns
    -------
    Region

    Examples
    --------
    >>> import numpy as np
    >>> from irenic import Region
    >>> from irenic.learn import TrainingRows, mutate_region
    >>> rows = TrainingRows.from_table({"age": [20, 30, 40]}, ["low", "low", "high"])
    >>> whole = Region(rows.space)
    >>> mutate_region(whole, whole, rows, 0, np.random.default_rng(2))
    age < 26
    """
    sides, limits = _Sides(rows, region), _Sides(rows, room)
    tested = sides.differing(limits)
    if len(tested) and rng.random() < _CHANGE:
        axis = int(tested[rng.integers(len(tested))])
        if rng.random() < 0.5:
            sides.copy(axis, limits)
        else:
            sides.move(axis, row, rng)
    else:
        sides.narrow(int(rng.integers(len(rows.space))), row, rng)
    return sides.region() & room


def cross_regions(first: Region, second: Region, rng: np.random.Generator) -> Region:
    """Return a region that takes each condition from one of two regions, at random.

    Parameters
    ----------
    first, second : Region
        Regions of one space that have a point in common, which the result then contains.
    rng : Generator
        The random number generator.

    Returns
    -------
    Region

    Examples
    --------
    >>> import numpy as np
    >>> from irenic import Region
    >>> from irenic.learn import cross_regions
    >>> first, second = Region.parse("a < 5 and b < 5"), Region.parse("a >= 3 and b >= 3")
    >>> cross_regions(first, second, np.random.default_rng(2))
    a < 5 and b < 5
    """
    space = first.space
    continuous = rng.random(len(space.continuous)) < 0.5
    words = np.repeat(rng.random(len(space.categorical)) < 0.5, np.diff(space.starts))
    return Region.from_packed(
        space,
        np.where(continuous, first.lower, second.lower),
        np.where(continuous, first.upper, second.upper),
        np.where(words, first.masks, second.masks),
    )


def pick(values: Any, rng: np.random.Generator) -> Any:
    """Return a random value, the same as rng.choice, which takes longer to check its arguments."""
    return values[int(rng.integers(len(values)))]


class _Sides:
    """The sides of a box while they change; axes are the continuous features, then the others."""

    def __init__(self, rows: TrainingRows, region: Region) -> None:
        self.rows, self.space = rows, region.space
        self.lower, self.upper = region.lower.copy(), region.upper.copy()
        self.masks = region.masks.copy()

    def region(self) -> Region:
        return Region.from_packed(self.space, self.lower, self.upper, self.masks)

    def _words(self, axis: int) -> slice:
        return self.space.sets[axis - len(self.lower)]

    def differing(self, other: _Sides) -> npt.NDArray[np.intp]:
        """Return the axes on which other sides differ for the rows."""
        lower = self.lower != other.lower
        if lower.any():  # where no row is missing, a bound that excludes missing values is none
            lowest = (self.lower <= LOWEST) & (other.lower <= LOWEST)
            lower &= ~lowest | self.rows.has_missing
        words = self.masks != other.masks
        if len(words) > len(self.space.sets):
            words = np.logical_or.reduceat(words, self.space.starts[:-1])
        return np.flatnonzero(np.concatenate((lower | (self.upper != other.upper), words)))

    def copy(self, axis: int, other: _Sides) -> None:
        if axis < len(self.lower):
            self.lower[axis], self.upper[axis] = other.lower[axis], other.upper[axis]
        else:
            words = self._words(axis)
            self.masks[words] = other.masks[words]

    def narrow(self, axis: int, row: int, rng: np.random.Generator) -> None:
        """Narrow a side around a row: a random bound below it, above it or both, or some values."""
        if axis >= len(self.lower):
            self._keep_values(axis, row, rng)
            return
        cuts, value = self.rows.cuts[axis], self.rows.instances.values[axis, row]
        place = int(np.searchsorted(cuts, value, side="right"))  # so many are below the value
        below, above = rng.random(2) < 0.6
        if below and place:
            self.lower[axis] = max(self.lower[axis], cuts[rng.integers(place)])
        if (above or not below) and place < len(cuts):
            self.upper[axis] = min(self.upper[axis], cuts[rng.integers(place, len(cuts))])

    def _keep_values(self, axis: int, row: int, rng: np.random.Generator) -> None:
        """Keep the value of a row, and each other value with a random probability."""
        words, code = self._words(axis), int(self.rows.instances.codes[axis - len(self.lower), row])
        bits = np.unpackbits(self.masks[words].view(np.uint8), bitorder="little")
        bits &= rng.random(len(bits)) < pick((0.0, 0.5), rng)
        bits[code] = 1
        self.masks[words] = np.packbits(bits, bitorder="little").view(np.uint64)

    def move(self, axis: int, row: int, rng: np.random.Generator) -> None:
        """Move a bound by a few thresholds, or add or remove a value; a row stays inside."""
        if axis >= len(self.lower):
            self._toggle_value(axis, row, rng)
            return
        cuts, value = self.rows.cuts[axis], self.rows.instances.values[axis, row]
        step = int(rng.integers(1, _STEPS + 1)) * (1 if rng.random() < 0.5 else -1)
        bounds = [b for b in (self.lower, self.upper) if abs(b[axis]) < math.inf]
        if not bounds or not len(cuts):
            return
        bound = bounds[int(rng.integers(len(bounds)))]
        place = int(np.searchsorted(cuts, bound[axis])) + step
        is_lower = bound is self.lower
        if not 0 <= place < len(cuts):
            bound[axis] = -math.inf if is_lower else math.inf
        elif (cuts[place] <= value) == is_lower:
            bound[axis] = cuts[place]

    def _toggle_value(self, axis: int, row: int, rng: np.random.Generator) -> None:
        j = axis - len(self.lower)
        code = int(rng.integers(self.space.n_codes[j]))
        if code != self.rows.instances.codes[j, row]:
            word = self._words(axis).start + code // 64
            self.masks[word] ^= np.uint64(1) << np.uint64(code % 64)
