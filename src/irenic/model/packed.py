"""Rules packed in columns, and the compiled kernels that run on them.

``lower[i, r] <= f < upper[i, r]`` for continuous feature ``i`` of rule ``r``, and the bits
``masks[w, r]`` for the categorical features. The arrays have room to grow: only the first ``n``
columns are rules. Consequents are codes here; what they stand for is the rule set's business.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from irenic.errors import ConditionError
from irenic.kernels.threads import over_rows
from irenic.model.features import LOWEST
from irenic.model.region import Region
from irenic.model.space import Instances, Space

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]


class PackedRules:
    """The columns of a rule set, with what is computed on them."""

    lower: Floats
    upper: Floats
    masks: npt.NDArray[np.uint64]
    written: npt.NDArray[np.uint8]
    then: npt.NDArray[np.int32]
    weight: Floats
    _COLUMNS = ("lower", "upper", "masks", "written", "then", "weight")

    def __init__(self, space: Space, capacity: int = 8) -> None:
        self.space = space
        self.n = 0
        self._reserve(max(capacity, 1))

    def _reserve(self, capacity: int) -> None:
        d, words = len(self.space.continuous), self.space.n_words
        fresh: dict[str, npt.NDArray[Any]] = {
            "lower": np.empty((d, capacity)),
            "upper": np.empty((d, capacity)),
            "masks": np.empty((words, capacity), dtype=np.uint64),
            "written": np.empty((d, capacity), dtype=np.uint8),
            "then": np.empty(capacity, dtype=np.int32),
            "weight": np.empty(capacity),
        }
        for name in self._COLUMNS:
            if self.n:
                fresh[name][..., : self.n] = getattr(self, name)[..., : self.n]
            setattr(self, name, fresh[name])

    def append(self, region: Region, then: int, weight: float) -> None:
        """Add a rule at the end."""
        if self.n == len(self.then):
            self._reserve(2 * self.n)
        self.n += 1
        self.put(self.n - 1, region, then, weight)

    def put(self, i: int, region: Region, then: int, weight: float) -> None:
        """Put a rule in the place of another."""
        self.lower[:, i], self.upper[:, i] = region.lower, region.upper
        self.masks[:, i], self.written[:, i] = region.masks, region.written
        self.then[i], self.weight[i] = then, weight

    def extend(
        self,
        lower: Floats,
        upper: Floats,
        masks: npt.NDArray[np.uint64],
        written: npt.NDArray[np.uint8],
        then: npt.NDArray[np.int32],
        weight: Floats,
    ) -> None:
        """Add many rules at the end, given as columns."""
        start, stop = self.n, self.n + len(then)
        if stop > len(self.then):
            self._reserve(stop)
        given = (lower, upper, masks, written, then, weight)
        for name, columns in zip(self._COLUMNS, given, strict=True):
            getattr(self, name)[..., start:stop] = columns
        self.n = stop

    def remove(self, i: int) -> None:
        """Remove a rule; later ones move up."""
        for name in self._COLUMNS:
            array = getattr(self, name)
            array[..., i : self.n - 1] = array[..., i + 1 : self.n]
        self.n -= 1

    def take(self, places: npt.NDArray[np.intp]) -> PackedRules:
        """Return the rules at the given places as columns of their own."""
        taken = PackedRules(self.space, len(places))
        taken.extend(*(getattr(self, name)[..., : self.n][..., places] for name in self._COLUMNS))
        return taken

    def region(self, i: int) -> Region:
        """Return the region of a rule."""
        return Region.from_packed(
            self.space,
            self.lower[:, i].copy(),
            self.upper[:, i].copy(),
            self.masks[:, i].copy(),
            self.written[:, i].copy(),
        )

    def canonical(self) -> tuple[Floats, Floats, npt.NDArray[np.uint64]]:
        """Return the columns in the one form that equal regions share."""
        lower, upper = self.space.drop_implied(self.lower[:, : self.n], self.upper[:, : self.n])
        masks = self.masks[:, : self.n] & self.space.everything[:, None]
        return lower + 0.0, upper + 0.0, masks  # adding 0.0 turns -0.0 into 0.0

    def settle(self) -> None:
        """Move upper bounds that no value lies below to "missing only"; see conditions.settle."""
        upper = self.upper[:, : self.n]
        gap = (upper > LOWEST) & (upper <= self.space.lowest[:, None])
        upper[gap] = LOWEST

    def empty(self) -> Bools:
        """Return which rules hold no point of the space."""
        space = self.space
        lower, upper = self.lower[:, : self.n], self.upper[:, : self.n]
        possible = np.maximum(lower, space.lowest[:, None]) < np.minimum(upper, space.end[:, None])
        missing = (lower == -math.inf) & (upper > -math.inf)
        possible |= space.may_be_missing[:, None] & missing
        found: Bools = np.logical_not(possible.all(axis=0))
        masks = self.masks[:, : self.n] & space.everything[:, None]
        for a, b in pairwise(space.starts):
            found |= ~masks[a:b].any(axis=0)
        return found

    def conditions(self) -> Ints:
        """Return on how many features each rule has a condition."""
        lower, upper = self.lower[:, : self.n], self.upper[:, : self.n]
        counts: Ints = ((lower > -math.inf) | (upper < math.inf)).sum(axis=0, dtype=np.int64)
        everything = self.space.everything[:, None]
        partial = (self.masks[:, : self.n] & everything) != everything
        for a, b in pairwise(self.space.starts):
            counts += partial[a:b].any(axis=0)
        return counts

    # --- on other regions and on each other

    def meeting(self, region: Region) -> Bools:
        """Return which rules have a point in common with a region."""
        from irenic.kernels import packed as kernels

        out = np.empty(self.n, dtype=np.bool_)
        kernels.meeting(
            *(self.lower, self.upper, self.masks, self.space.starts, self.n),
            *(region.lower, region.upper, region.masks, out),
        )
        return out

    def overlapping_pairs(self, *, same: bool, limit: int) -> npt.NDArray[np.int32]:
        """Return the pairs of overlapping rules whose consequents are the same (or differ)."""
        from irenic.kernels import packed as kernels

        left, right = kernels.overlapping_pairs(
            *(self.lower, self.upper, self.masks, self.space.starts),
            *(self.then, self.n, same, limit),
        )
        order = np.lexsort((right, left))
        return np.column_stack((left[order], right[order]))

    def _rivals(self) -> tuple[Any, ...]:
        """Return the arguments that the kernels of CFSBE begin with."""
        space = self.space
        return (
            *(self.lower, self.upper, self.masks, space.starts, space.everything, space.lowest),
            *(self.then, self.n),
        )

    def enlarge(self, seed: Instances, order: Ints, code: int) -> tuple[int, Region]:
        """Return a rival that covers the seed or -1, and the region grown round the seed."""
        from irenic.kernels import packed as kernels

        d, words = len(self.space.continuous), self.space.n_words
        low, high, sets = np.empty(d), np.empty(d), np.empty(words, dtype=np.uint64)
        covered = kernels.enlarge(
            *self._rivals(), code, seed.values[:, 0], seed.codes[:, 0], order, low, high, sets
        )
        return covered, Region.from_kernel(self.space, low, high, sets)

    def enlarge_many(
        self, seeds: Instances, orders: Ints, codes: Ints
    ) -> tuple[Ints, list[Region]]:
        """Return what :meth:`enlarge` returns for many seeds."""
        from irenic.kernels import packed as kernels

        d, words, n = len(self.space.continuous), self.space.n_words, len(seeds)
        low, high = np.empty((n, d)), np.empty((n, d))
        sets = np.empty((n, words), dtype=np.uint64)
        covered = np.empty(n, dtype=np.int64)
        given = (
            *(*self._rivals(), codes, seeds.values.T.copy(), seeds.codes.T.copy(), orders),
            *(low, high, sets, covered),
        )
        over_rows(lambda a, b: kernels.enlarge_many(*given, a, b), n, least=16)
        boxes = zip(low, high, sets, strict=True)
        return covered, [Region.from_kernel(self.space, *box) for box in boxes]

    # --- on instances

    def _on(self, instances: Instances) -> tuple[Any, ...]:
        """Return the arguments that all kernels on instances begin with."""
        space = self.space
        return (
            *(instances.values, instances.codes),
            *(self.lower, self.upper, self.masks, space.starts, space.everything),
        )

    def covering(self, instances: Instances) -> Bools:
        """Return which rules cover which instances, ``[rule, instance]``."""
        from irenic.kernels import packed as kernels

        out = np.empty((self.n, len(instances)), dtype=np.uint8)
        given = self._on(instances)
        over_rows(lambda a, b: kernels.covering(*given, a, b, out), len(instances))
        return out.view(np.bool_)

    def deciding(self, instances: Instances, order: Ints) -> Ints:
        """Return the first rule, in the given order, that covers each instance, -1 for none."""
        from irenic.kernels import packed as kernels

        out = np.empty(len(instances), dtype=np.int64)
        given = self._on(instances)
        over_rows(lambda a, b: kernels.deciding(*given, order, a, b, out), len(instances))
        return out

    def voting(self, instances: Instances, n_thens: int) -> Ints:
        """Return, for each instance, the first rule of the consequent with the most weight."""
        from irenic.kernels import packed as kernels

        out = np.empty(len(instances), dtype=np.int64)
        given = (*self._on(instances), self.then, self.weight, self.n, n_thens)
        over_rows(lambda a, b: kernels.voting(*given, a, b, out), len(instances))
        return out

    def supporting(self, instances: Instances) -> tuple[Ints, Ints]:
        """Return how many instances each rule covers, and how many rules cover each instance."""
        from irenic.kernels import packed as kernels

        mix = np.zeros((self.n, 1), dtype=np.int64)
        counts, labels = np.zeros((2, len(instances)), dtype=np.int64)
        each = np.ones(self.n, dtype=np.int64)
        kernels.counting(*self._on(instances), labels, each, self.n, mix, counts)
        return mix[:, 0], counts

    def counting(
        self, instances: Instances, labels: Ints, n_labels: int
    ) -> tuple[npt.NDArray[np.int64], Ints]:
        """Return how many instances of each label each rule covers, and what each instance reads.

        The second array is the summed number of conditions of all rules that cover an instance.
        """
        from irenic.kernels import packed as kernels

        mix = np.zeros((self.n, n_labels), dtype=np.int64)
        size = np.zeros(len(instances), dtype=np.int64)
        kernels.counting(*self._on(instances), labels, self.conditions(), self.n, mix, size)
        return mix, size


def as_columns(
    name: str, given: npt.ArrayLike, dtype: Any, shape: tuple[int, ...]
) -> npt.NDArray[Any]:
    """Return an array that the caller gave as a copy of the right type and shape, or refuse it."""
    try:
        array = np.array(given)
        if dtype is np.uint64 and array.size and array.dtype.kind not in "iu":
            raise TypeError(f"{array.dtype} instead of whole numbers")
        if dtype is np.uint64 and array.size and array.min() < 0:
            raise ValueError("a negative number")
        array = array.astype(dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise ConditionError(f"{name} must be an array of {np.dtype(dtype)}: {error}") from None
    if array.size == 0 and 0 in shape:
        return array.reshape(shape)
    if array.shape != shape:
        raise ConditionError(f"{name} has the shape {array.shape}, it needs {shape}")
    return array
