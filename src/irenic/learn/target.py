"""Targets: one label per row, a set of labels, or a set that is closed under a hierarchy.

Evolution treats all three alike: there is a list of consequents, and a gain from predicting each
of them for each row. With one label per row, the gain is 1 for the right label. With sets, it is
the F1 of the predicted set; in a hierarchy, or if consequents are probabilities, it is the
similarity to the label frequencies of a consequent.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from irenic.arrays import Bools, Floats
from irenic.errors import DataError
from irenic.learn.hierarchy import Hierarchy
from irenic.learn.labels import as_indicator, label_set
from irenic.model.head import Head, signs
from irenic.model.literals import Probabilities
from irenic.model.space import first_text

Gain = TypeVar("Gain", float, npt.NDArray[np.float64])

# Sets that rules may predict come from the leaves of trees; more than this do not help.
_SET_LIMIT: Final = 128
# Two labels make a head together if at least this share of the rows has both.
_PAIR_SHARE: Final = 0.05
# Rules explain only a few percent of the variance of hundreds of labels: this share is worth 1.
_EXPLAINED: Final = 0.1
# Probabilities in consequents are rounded: more digits only make files larger.
_DIGITS: Final = 6


@dataclass(frozen=True, eq=False)
class Target:
    """Labels of rows; ``truth[row, label]`` is 1 where the row has the label."""

    labels: npt.NDArray[Any]
    truth: Floats
    many: bool = False
    """Whether a row may have several labels."""
    hierarchy: Hierarchy | None = None
    probabilities: bool = False
    """Whether consequents are probabilities of labels, rather than sets."""
    cost: Floats | None = None
    """Cost of predicting a label (column) for each true label (row), at most 1."""

    @classmethod
    def single(cls, classes: npt.NDArray[Any], codes: npt.NDArray[np.intp]) -> Target:
        """Return the target of rows with one label each."""
        truth = np.zeros((len(codes), len(classes)))
        truth[np.arange(len(codes)), codes] = 1.0
        target = cls(classes, truth)
        target.__dict__["codes"] = np.asarray(codes, dtype=np.intp)  # they are known already
        return target

    @classmethod
    def sets(cls, y: Any, hierarchy: Any = None) -> Target:
        """Return the target of rows with sets of labels."""
        if hierarchy is None:
            indicator, labels = as_indicator(y)
            return cls(as_array(labels), indicator.astype(float), many=True)
        tree = Hierarchy(hierarchy)
        indicator, labels = as_indicator(y, tree.labels)
        closed = tree.close_indicator(indicator)
        return cls(as_array(labels), closed.astype(float), many=True, hierarchy=tree)

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def is_single(self) -> bool:
        """Whether every row has exactly one label."""
        return bool((self.truth.sum(axis=1) == 1.0).all())

    @cached_property
    def codes(self) -> npt.NDArray[np.intp]:
        """Index of the label of each row, if each has one."""
        return np.asarray(self.truth.argmax(axis=1), dtype=np.intp)

    def take(self, rows: npt.NDArray[Any] | slice) -> Target:
        """Return the target of the given rows."""
        return replace(self, truth=self.truth[rows])

    @property
    def by_distance(self) -> bool:
        """Whether gains are squared distances to label frequencies."""
        return self.probabilities or self.hierarchy is not None

    @property
    def label_weights(self) -> Floats:
        """Weight of each label; in a hierarchy, deeper labels have less."""
        if self.hierarchy is None:
            return np.ones(len(self.labels))
        return self.hierarchy.weights(0.75)


@dataclass(frozen=True, eq=False)
class Consequents:
    """The consequents that rules may have, and their gains.

    ``sets[k]`` are the labels that consequent ``k`` predicts; ``frequencies[k]`` are 0 or 1, or the
    label frequencies that it represents, in a hierarchy and if consequents are probabilities.
    """

    target: Target
    frequencies: Floats
    sets: Bools
    scale: float = 1.0
    abstains: bool = False
    """Whether the last consequent is to predict nothing, which gains nothing."""
    heads: tuple[Head, ...] = ()
    """The consequents, if each decides only some labels; ``sets`` are the labels present."""

    @classmethod
    def partial(cls, target: Target, weight: Floats) -> Consequents:
        """Return heads: each label present or absent, and frequent pairs of labels both present."""
        labels, truth = target.labels.tolist(), target.truth > 0
        heads = [Head({label: value}) for label in labels for value in (True, False)]
        together = (truth.T * weight) @ truth / weight.sum()
        first, second = np.nonzero(np.triu(together >= _PAIR_SHARE, 1))
        order = np.argsort(-together[first, second], kind="stable")[: _SET_LIMIT // 2]
        heads += [
            Head({labels[a]: True, labels[b]: True})
            for a, b in zip(first[order].tolist(), second[order].tolist(), strict=True)
        ]
        decided = signs(heads, labels)
        return cls(target, decided.astype(float), decided > 0, heads=tuple(heads))

    @classmethod
    def from_target(
        cls, target: Target, weight: Floats, leaves: Sequence[Floats], *, abstains: bool = False
    ) -> Consequents:
        """Return the consequents for a target, with the weight of each row.

        With several labels per row, rules may predict the best sets for the label frequencies in
        regions of the space, ``leaves``.
        """
        if not target.many:
            every = np.eye(len(target.labels))
            return cls(target, every, every > 0, abstains=abstains)
        overall = np.average(target.truth, axis=0, weights=weight)
        means = np.array([overall, *leaves])
        if target.by_distance:
            frequencies = np.unique(as_probabilities(means, target), axis=0)[:_SET_LIMIT]
            spread = (target.truth - overall) ** 2 @ target.label_weights
            # sets are closed: if half of the rows have a label, at least as many have its ancestors
            scale = max(_EXPLAINED * float(np.average(spread, weights=weight)), 1e-12)
            return cls(target, frequencies, frequencies >= 0.5, scale, abstains)
        # also the most frequent sets of rows, because the best set for a mean is never empty
        own, group = np.unique(target.truth > 0, axis=0, return_inverse=True)
        totals = np.bincount(group.ravel(), weights=weight)
        own = own[np.argsort(-totals, kind="stable")][: _SET_LIMIT // 4]
        sets = np.array([*own, *(best_set(mean) for mean in means)])
        _, first = np.unique(sets, axis=0, return_index=True)
        sets = sets[np.sort(first)[:_SET_LIMIT]]
        return cls(target, sets.astype(float), sets, abstains=abstains)

    def __len__(self) -> int:
        return len(self.frequencies)

    def values(self) -> list[Hashable]:
        """Return the consequents of rules: labels, sets, heads, probabilities, or None."""
        if self.heads:
            return list(self.heads)
        values: list[Hashable] = self.target.labels.tolist()
        if self.target.probabilities:
            labels = tuple(values)
            values = [Probabilities(labels, row) for row in self.frequencies]
        elif self.target.many:
            values = [label_set(row, values) for row in self.sets]
        return [*values, None] if self.abstains else values

    def codes_of(self, values: Sequence[Hashable]) -> npt.NDArray[np.int16]:
        """Return the code of each value, -1 if it has none; of probabilities, the nearest one."""
        code_of = {value: code for code, value in enumerate(self.values())}
        codes = np.array([code_of.get(value, -1) for value in values], dtype=np.int16)
        if self.target.probabilities:
            for i in np.flatnonzero(codes < 0).tolist():
                if isinstance(value := values[i], Probabilities):
                    codes[i] = self._far(value.values[None, :]).argmin()
        return codes

    def agreement(self, truth: Floats) -> Floats:
        """Return the agreement of each row with each consequent, from 0 to 1.

        It is 1 for the right label, or the F1 of the predicted set; for heads, it is the share of
        the decided labels that are right.
        """
        if self.heads:
            return np.asarray(1.0 - self._wrong(truth) / (self.frequencies != 0).sum(axis=1))
        agreement = f1(truth, self.sets.astype(float)) if self.target.many else truth
        return self._with_nothing(agreement)

    def _wrong(self, truth: Floats) -> Floats:
        """Return how many labels each head decides wrongly for each row."""
        present, absent = (self.frequencies > 0).astype(float), (self.frequencies < 0).astype(float)
        return np.asarray(truth @ absent.T + (1.0 - truth) @ present.T)

    def as_share(self, gain: Gain) -> Gain:
        """Return gains as shares that are at most 1.

        By distance, it is the explained share of the variance of the labels.
        """
        return 1.0 - (1.0 - gain) * _EXPLAINED if self.target.by_distance else gain

    def _with_nothing(self, gains: Floats) -> Floats:
        if not self.abstains:
            return gains
        nothing = np.minimum(0.0, gains.min(axis=1, keepdims=True))
        return np.concatenate([gains, nothing], axis=1)

    def gains(self, soft: Floats) -> Floats:
        """Return the gain of each consequent per row; ``soft`` is like :attr:`Target.truth`."""
        if self.heads:
            return np.asarray(self._wrong(soft) == 0, dtype=float)
        if not self.target.many:
            cost = self.target.cost
            return self._with_nothing(soft if cost is None else soft @ (1.0 - cost))
        if not self.target.by_distance:
            return self._with_nothing(f1(soft, self.frequencies))
        # relative to the distance of the overall mean
        return self._with_nothing(1.0 - self._far(soft) / self.scale)

    def gain_of(self, decided: Floats, frequencies: Floats) -> float:
        """Return the gain by distance if the rows of each rule are predicted its frequencies.

        ``decided`` are the weights of its rows per label, and then that of all its rows. Labels are
        0 or 1, so their squares have the same sums.
        """
        truth, n = decided[:, :-1], decided[:, -1]
        far = (truth - 2.0 * truth * frequencies + n[:, None] * frequencies**2).sum(axis=0)
        return float(n.sum() - far @ self.target.label_weights / self.scale)

    def _far(self, soft: Floats) -> Floats:
        """Return the squared distance of each row to each consequent, weighted by label."""
        weights = self.target.label_weights
        far = ((soft**2) @ weights)[:, None] - 2.0 * (soft * weights) @ self.frequencies.T
        far += (self.frequencies**2 @ weights)[None, :]
        return np.asarray(far)


def as_probabilities(means: Floats, target: Target) -> Floats:
    """Return means of labels rounded; as probabilities, none is above that of an ancestor."""
    if not target.probabilities:
        return means.round(12)
    rounded = means.clip(0.0, 1.0).round(_DIGITS)
    return rounded if target.hierarchy is None else target.hierarchy.cap(rounded)


def f1(soft: Floats, sets: Floats) -> Floats:
    """Return the F1 of each row's labels with each set; 1 where both are empty."""
    shared = 2.0 * soft @ sets.T
    sizes = soft.sum(axis=1)[:, None] + sets.sum(axis=1)[None, :]
    return np.asarray(np.divide(shared, sizes, out=np.ones_like(shared), where=sizes > 0))


def best_set(mean: Floats) -> Bools:
    """Return the set with the highest expected F1 where labels have these frequencies.

    It consists of the most frequent labels; each size is rated by its expected overlap.
    """
    order = np.argsort(-mean, kind="stable")
    overlap = np.cumsum(mean[order])
    rated = 2.0 * overlap / (np.arange(1, len(mean) + 1) + mean.sum())
    chosen = np.zeros(len(mean), dtype=bool)
    if mean.sum() > 0.5 or rated.max() > 0.5:
        chosen[order[: int(rated.argmax()) + 1]] = True
    return chosen


def row_f1(truth: Floats, present: Bools) -> Floats:
    """Return the F1 of the labels of each row with a set of its own; 1 where both are empty."""
    shared = 2.0 * (truth * present).sum(axis=1)
    sizes = truth.sum(axis=1) + present.sum(axis=1)
    return np.asarray(np.divide(shared, sizes, out=np.ones(len(truth)), where=sizes > 0))


def as_array(labels: Sequence[Hashable]) -> npt.NDArray[Any]:
    """Return labels as an array of integers, text or booleans if all are, else of objects."""
    kinds = {type(label) for label in labels}
    if kinds <= {int} or kinds <= {str} or kinds <= {bool}:
        return np.array(labels)
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


# Whole weights up to this sum are counts of rows.
_COUNT_LIMIT: Final = 100_000


def row_weights(n_rows: int, sample_weight: Any) -> Floats:
    """Return the weight of each row; a weight of 2 is equivalent to repeating the row."""
    from sklearn.utils.validation import _check_sample_weight

    if sample_weight is None:
        return np.ones(n_rows)
    if (text := first_text(sample_weight)) is not None:
        raise DataError(f"sample_weight must be numbers, got {text!r}")
    weight = _check_sample_weight(
        sample_weight, np.empty((n_rows, 1)), dtype=np.float64, ensure_non_negative=True
    )
    if not np.isfinite(weight.sum()):
        raise DataError("sample_weight must have a finite sum; divide the weights by the largest")
    return np.asarray(weight, dtype=float)


def row_counts(weight: Floats) -> Floats:
    """Return the number of rows that each row represents: its weight if all are whole, else 1.

    Large weights, such as those of a census, are not counts.
    """
    whole = weight.sum() <= _COUNT_LIMIT and bool((weight == np.round(weight)).all())
    return weight if whole else np.ones(len(weight))


def label_sums(codes: npt.NDArray[np.intp], weight: Floats, n_labels: int) -> Floats:
    """Return the sum of the weights of the rows of each label."""
    return np.asarray(np.bincount(codes, weight, n_labels), dtype=float)


def class_weights(target: Target, class_weight: Any, weights: Floats) -> Floats:
    """Return the class weight of each label, given the weight of its rows.

    "balanced" takes the weights of rows into account.
    """
    from sklearn.utils.class_weight import compute_sample_weight

    if class_weight is None:
        return np.ones(len(target.labels))
    if target.many:
        raise DataError(
            "class_weight must be None for targets with several labels per row; use sample_weight"
        )
    if class_weight == "balanced":
        used = weights > 0
        balanced = np.zeros(len(weights))
        balanced[used] = weights.sum() / (used.sum() * weights[used])
        return balanced
    for label, number in class_weight.items():
        if not isinstance(number, Real) or not 0 <= float(number) < math.inf:
            raise DataError(
                "class_weight must hold finite non-negative numbers, got"
                f" {number!r} for class {label!r}"
            )
    return np.asarray(compute_sample_weight(class_weight, target.labels), dtype=float)
