"""What is learned: one label a row, a set of labels, or a set that is closed under a hierarchy.

For evolution all three are the same: a list of consequents, and for each row what predicting each
of them is worth. With one label that is 1 for the right one. With sets it is how near a set comes
to the row's own (F1); in a hierarchy, how near the frequencies that stand for a consequent come.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irenic.errors import DataError
from irenic.learn.hierarchy import Hierarchy
from irenic.learn.labels import as_indicator, label_set
from irenic.model.space import first_text

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

# Consequents of sets are drawn from the leaves of trees; more than this help nobody.
_MOST_SETS: Final = 128
# Of what hundreds of labels vary by, rules explain some percent: that much counts as all.
_EXPLAINED: Final = 0.1


@dataclass(frozen=True, eq=False)
class Target:
    """The labels of rows; ``truth[row, label]`` is 1 where the row has the label."""

    labels: npt.NDArray[Any]
    truth: Floats
    many: bool = False
    """Whether a row may have several labels."""
    hierarchy: Hierarchy | None = None

    @classmethod
    def single(cls, classes: npt.NDArray[Any], codes: npt.NDArray[np.intp]) -> Target:
        """Return the target of rows with one label each."""
        truth = np.zeros((len(codes), len(classes)))
        truth[np.arange(len(codes)), codes] = 1.0
        return cls(classes, truth)

    @classmethod
    def sets(cls, y: Any, hierarchy: Any = None) -> Target:
        """Return the target of rows with sets of labels."""
        if hierarchy is None:
            held, labels = as_indicator(y)
            return cls(as_array(labels), held.astype(float), many=True)
        tree = Hierarchy.of(hierarchy)
        held, labels = as_indicator(y, tree.labels)
        closed = tree.close_indicator(held)
        return cls(as_array(labels), closed.astype(float), many=True, hierarchy=tree)

    def __len__(self) -> int:
        return len(self.truth)

    def take(self, rows: npt.NDArray[Any]) -> Target:
        """Return the target of some of the rows."""
        return replace(self, truth=self.truth[rows])

    @property
    def label_weights(self) -> Floats:
        """How much each label counts: in a hierarchy less, the deeper it is."""
        if self.hierarchy is None:
            return np.ones(len(self.labels))
        return self.hierarchy.weights(0.75)


@dataclass(frozen=True, eq=False)
class Consequents:
    """What rules may predict, and what that is worth.

    ``stands[k]`` is for each label what consequent ``k`` stands for: 0 or 1, or frequencies in a
    hierarchy; ``sets[k]`` the labels that it predicts.
    """

    target: Target
    stands: Floats
    sets: Bools
    scale: float = 1.0
    abstains: bool = False
    """Whether there is one more, the last: to predict nothing, which is worth nothing."""

    @classmethod
    def of(
        cls, target: Target, weight: Floats, leaves: Sequence[Floats], *, abstains: bool = False
    ) -> Consequents:
        """Return the consequents for a target.

        Parameters
        ----------
        target : Target
        weight : array of shape (n,)
            How much each row counts.
        leaves : sequence of array
            Frequencies of the labels in regions of the space; sets of labels that are best there
            are what rules may predict. With one label a row it is not used.
        """
        if not target.many:
            every = np.eye(len(target.labels))
            return cls(target, every, every > 0, abstains=abstains)
        overall = np.average(target.truth, axis=0, weights=weight)
        means = np.array([overall, *leaves])
        if target.hierarchy is not None:
            stands = np.unique(means.round(12), axis=0)[:_MOST_SETS]
            spread = (target.truth - overall) ** 2 @ target.label_weights
            # a closed set: a label that half of the rows have, its ancestors have too
            scale = max(_EXPLAINED * float(np.average(spread, weights=weight)), 1e-12)
            return cls(target, stands, stands >= 0.5, scale, abstains)
        # and the sets that rows have, the most frequent: the best for a mean is never the empty one
        held, place = np.unique(target.truth > 0, axis=0, return_inverse=True)
        often = np.bincount(place.ravel(), weights=weight)
        held = held[np.argsort(-often, kind="stable")][: _MOST_SETS // 4]
        sets = np.array([*held, *(_best_set(mean) for mean in means)])
        _, first = np.unique(sets, axis=0, return_index=True)
        sets = sets[np.sort(first)[:_MOST_SETS]]
        return cls(target, sets.astype(float), sets, abstains=abstains)

    def __len__(self) -> int:
        return len(self.stands)

    def values(self) -> list[Hashable]:
        """Return the consequents as rules have them: labels or frozensets of labels, or None."""
        values: list[Hashable] = self.target.labels.tolist()
        if self.target.many:
            values = [label_set(row, values) for row in self.sets]
        return [*values, None] if self.abstains else values

    def agreement(self, truth: Floats) -> Floats:
        """Return for each row and consequent the share in which they agree, from 0 to 1.

        Whether the label is right, or the F1 of the predicted set with the row's own.
        """
        agreement = f1(truth, self.sets.astype(float)) if self.target.many else truth
        return self._with_nothing(agreement)

    def as_share(self, worth: float) -> float:
        """Return a mean of gains as a share that is 1 at best.

        In a hierarchy it is how much of what the labels vary by is explained.
        """
        return worth if self.target.hierarchy is None else 1.0 - (1.0 - worth) * _EXPLAINED

    def _with_nothing(self, worth: Floats) -> Floats:
        if not self.abstains:
            return worth
        nothing = np.minimum(0.0, worth.min(axis=1, keepdims=True))
        return np.concatenate([worth, nothing], axis=1)

    def gains(self, soft: Floats) -> Floats:
        """Return for each row and consequent what it is worth; ``soft`` as :attr:`Target.truth`."""
        if not self.target.many:
            return self._with_nothing(soft)
        if self.target.hierarchy is None:
            return self._with_nothing(f1(soft, self.stands))
        # the squared distance, times the labels' weights, in units of what one mean would leave
        weights = self.target.label_weights
        far = ((soft**2) @ weights)[:, None] - 2.0 * (soft * weights) @ self.stands.T
        far += (self.stands**2 @ weights)[None, :]
        return self._with_nothing(np.asarray(1.0 - far / self.scale))


def f1(soft: Floats, sets: Floats) -> Floats:
    """Return the F1 of each row's labels with each set; 1 where both are empty."""
    shared = 2.0 * soft @ sets.T
    sizes = soft.sum(axis=1)[:, None] + sets.sum(axis=1)[None, :]
    return np.asarray(np.divide(shared, sizes, out=np.ones_like(shared), where=sizes > 0))


def _best_set(mean: Floats) -> Bools:
    """Return the labels to predict where labels have these frequencies, for the greatest F1.

    The most frequent ones; how many is tried, each number rated by its expected overlap.
    """
    order = np.argsort(-mean, kind="stable")
    found = np.cumsum(mean[order])
    rated = 2.0 * found / (np.arange(1, len(mean) + 1) + mean.sum())
    chosen = np.zeros(len(mean), dtype=bool)
    if mean.sum() > 0.5 or rated.max() > 0.5:
        chosen[order[: int(rated.argmax()) + 1]] = True
    return chosen


def as_array(labels: Sequence[Hashable]) -> npt.NDArray[Any]:
    """Return labels as an array: of numbers or text where all are such, else of objects."""
    kinds = {type(label) for label in labels}
    if kinds <= {int} or kinds <= {str} or kinds <= {bool}:
        return np.array(labels)
    made = np.empty(len(labels), dtype=object)
    made[:] = labels
    return made


# Whole weights up to this sum count as rows.
_MOST_COUNTED: Final = 100_000


def row_weights(target: Target, sample_weight: Any) -> Floats:
    """Return how much each row counts; a weight of 2 is equivalent to repeating it."""
    from sklearn.utils.validation import _check_sample_weight

    if sample_weight is None:
        return np.ones(len(target))
    if (text := first_text(sample_weight)) is not None:
        raise DataError(f"sample_weight must be numbers, got {text!r}")
    weight = _check_sample_weight(
        sample_weight, target.truth, dtype=np.float64, ensure_non_negative=True
    )
    if not np.isfinite(weight.sum()):
        raise DataError("sample_weight must have a finite sum; divide the weights by the largest")
    return np.asarray(weight, dtype=float)


def row_counts(weight: Floats) -> Floats:
    """Return how many rows each row stands for: its sample weight if all are whole, else 1.

    Great weights, such as those of a census, are no counts.
    """
    whole = weight.sum() <= _MOST_COUNTED and bool((weight == np.round(weight)).all())
    return weight if whole else np.ones(len(weight))


def class_weights(target: Target, class_weight: Any, weight: Floats) -> Floats:
    """Return how much each row counts for its class; "balanced" heeds the weights of rows."""
    from sklearn.utils.class_weight import compute_class_weight, compute_sample_weight

    if class_weight is None:
        return np.ones(len(target))
    if target.many:
        raise DataError("class_weight is for targets with one label a row; give sample_weight")
    codes = target.truth.argmax(axis=1)
    if class_weight == "balanced":
        held = weight > 0
        classes = np.unique(codes[held])
        balanced = compute_class_weight(
            "balanced", classes=classes, y=codes[held], sample_weight=weight[held]
        )
        by_code = np.bincount(classes, weights=balanced, minlength=len(target.labels))
        return np.asarray(by_code[codes])
    for label, number in class_weight.items():
        if not isinstance(number, Real) or not 0 <= float(number) < math.inf:
            raise DataError(
                "class_weight must be finite numbers that are not negative, got"
                f" {number!r} for {label!r}"
            )
    return np.asarray(compute_sample_weight(class_weight, target.labels[codes]))
