"""Rules packed in columns, and the compiled kernels that run on them.

A packed set of rules is boxes with consequents and weights, and with how their bounds were
written. Consequents are codes here; what they stand for is the rule set's business.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from irenic.boxes import Boxes
from irenic.boxes.arrays import Bools, Bytes, Codes, Floats, Ints, Words
from irenic.errors import ConditionError
from irenic.kernels import cover, grow, pairs, structs
from irenic.kernels.threads import over_rows
from irenic.model.region import Region
from irenic.model.space import Instances, Space

Counts: TypeAlias = npt.NDArray[np.int16]


class PackedRules:
    """The columns of a rule set, with what is computed on them.

    The arrays have a column per rule, so that kernels read the bounds of one feature one after
    another, and room to grow: only the first ``n`` columns are rules.
    """

    lower: Floats
    upper: Floats
    masks: Words
    written: Bytes
    then: Codes
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
        self._rules: structs.Rules | None = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_rules": None}

    @property
    def boxes(self) -> Boxes:
        """The regions of the rules, as they are written: views of the columns."""
        n = self.n
        return Boxes(self.space, self.lower[:, :n].T, self.upper[:, :n].T, self.masks[:, :n].T)

    def append(self, region: Region, then: int, weight: float) -> None:
        """Add a rule at the end."""
        if self.n == len(self.then):
            self._reserve(2 * self.n)
        self.put(self.n, region, then, weight)
        self.n += 1

    def put(self, i: int, region: Region, then: int, weight: float) -> None:
        """Put a rule in the place of another."""
        self.lower[:, i], self.upper[:, i] = region.lower, region.upper
        self.masks[:, i], self.written[:, i] = region.masks, region.written
        self.then[i], self.weight[i] = then, weight

    def extend(self, boxes: Boxes, written: Bytes, then: Codes, weight: Floats) -> None:
        """Add many rules at the end; ``written`` has a column each."""
        start, stop = self.n, self.n + len(then)
        if stop > len(self.then):
            self._reserve(stop)
        columns = (boxes.lower.T, boxes.upper.T, boxes.masks.T, written, then, weight)
        for name, values in zip(self._COLUMNS, columns, strict=True):
            getattr(self, name)[..., start:stop] = values
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
        written, then, weight = self.written[:, places], self.then[places], self.weight[places]
        taken.extend(self.boxes.take(places), written, then, weight)
        return taken

    def region(self, i: int) -> Region:
        """Return the region of a rule."""
        return Region.from_box(self.boxes.take([i]), self.written[:, i].copy())

    # --- on other regions and on each other

    def _struct(self) -> structs.Rules:
        """Return the rules as kernels read them.

        What was returned before is not changed, because a kernel may be running on it.
        """
        rules, space = self._rules, self.space
        if rules is None:
            columns = (self.lower, self.upper, self.masks, self.then, self.weight)
            domain = (space.starts, space.everything, space.lowest)
            self._rules = rules = structs.Rules(*columns, self.n, *domain)
        elif rules.n != self.n:
            self._rules = rules = rules.changed(n=self.n)
        return rules

    def meeting(self, region: Region) -> Bools:
        """Return which rules have a point in common with a region."""
        rules = self._struct()
        out = np.empty(rules.n, dtype=np.bool_)
        pairs.meeting(rules, _packed(region.box), out)
        return out

    def overlapping_pairs(self, *, same: bool, limit: int) -> Codes:
        """Return the pairs of overlapping rules whose consequents are the same (or differ)."""
        keys = np.sort(pairs.overlapping_pairs(self._struct(), same, limit))
        return np.column_stack((keys >> 32, keys & 0xFFFF_FFFF)).astype(np.int32)

    def enlarge(self, seed: Instances, order: Ints, code: int) -> tuple[int, Region]:
        """Return a rival that covers the seed or -1, and the region grown around the seed."""
        cells = structs.Cells(len(self.lower), len(self.masks))
        values, codes = seed.values.tobytes(), seed.codes.tobytes()
        covered = grow.enlarge(self._struct(), values, codes, order.tobytes(), code, cells)
        return covered, Region.from_box(_unpacked(self.space, cells))

    def enlarge_many(
        self, seeds: Instances, orders: Ints, codes: Ints
    ) -> tuple[Ints, list[Region]]:
        """Return what :meth:`enlarge` returns for many seeds."""
        n, d = len(seeds), len(self.lower)
        masks = np.empty((n, len(self.masks)), dtype=np.uint64)
        boxes = Boxes(self.space, np.empty((n, d)), np.empty((n, d)), masks)
        covered = np.empty(n, dtype=np.int64)
        out = structs.Boxes(boxes.lower, boxes.upper, boxes.masks, self.space.starts)
        given = structs.Seeds(seeds.values.T.copy(), seeds.codes.T.copy(), orders, codes)
        rules = self._struct()
        over_rows(lambda a, b: grow.enlarge_many(rules, given, out, covered, a, b), n, least=16)
        return covered, Region.from_boxes(boxes)

    def growth(self, seed: Instances, code: int) -> Growth:
        """Return what grows a box around a seed one step at a time."""
        return Growth(self._struct(), seed, code)

    # --- on instances

    def covering(self, instances: Instances) -> Bools:
        """Return which rules cover which instances, ``[rule, instance]``."""
        rules, n = self._struct(), len(instances)
        out = np.empty((rules.n, n), dtype=np.bool_)
        if n == 1:
            values, codes = instances.values.tobytes(), instances.codes.tobytes()
            cover.covering_one(rules, values, codes, out)
        else:
            points = _points(instances)
            over_rows(lambda a, b: cover.covering(rules, points, a, b, out), n)
        return out

    def deciding(self, instances: Instances, order: Ints) -> Ints:
        """Return the first rule, in the given order, that covers each instance, -1 for none."""
        out = np.empty(len(instances), dtype=np.int64)
        given = (self._struct(), _points(instances), order)
        over_rows(lambda a, b: cover.deciding(*given, a, b, out), len(instances))
        return out

    def voting(self, instances: Instances, n_thens: int) -> Ints:
        """Return, for each instance, the first rule of the consequent with the most weight."""
        out = np.empty(len(instances), dtype=np.int64)
        given = (self._struct(), _points(instances), n_thens)
        over_rows(lambda a, b: cover.voting(*given, a, b, out), len(instances))
        return out

    def supporting(self, instances: Instances) -> tuple[Ints, Ints]:
        """Return how many instances each rule covers, and how many rules cover each instance."""
        labels = np.zeros(len(instances), dtype=np.int64)
        mix, counts = self.counting(instances, labels, 1, np.ones(self.n, dtype=np.int64))
        return mix[:, 0], counts

    def counting(
        self, instances: Instances, labels: Ints, n_labels: int, each: Ints | None = None
    ) -> tuple[Ints, Ints]:
        """Return how many instances of each label each rule covers, and sums over the rules.

        The second array is the sum, for each instance, of ``each`` over all rules that cover it;
        by default the number of their conditions.
        """
        rules = self._struct()
        mix = np.zeros((rules.n, n_labels), dtype=np.int64)
        size = np.zeros(len(instances), dtype=np.int64)
        each = self.boxes.n_conditions() if each is None else each
        cover.counting(rules, _points(instances), labels, each, mix, size)
        return mix, size


class Growth:
    """Boxes grown around a seed, one axis at a time, among rules that are rivals or not.

    Parameters
    ----------
    rules : structs.Rules
    seed : Instances of length 1
    code : int
        Code of the consequent whose rules are no rivals, -1 for none.
    """

    def __init__(self, rules: structs.Rules, seed: Instances, code: int) -> None:
        outside = np.empty((len(seed.space), rules.n), dtype=np.uint8)
        values, codes = seed.values[:, 0].copy(), seed.codes[:, 0].copy()
        self._rules, self._seed = rules, structs.Seed(values, codes, code, outside)

    def start(self) -> tuple[int, Counts]:
        """Return a rival that covers the seed or -1, and on how many axes each rule is apart."""
        counts = np.empty(self._rules.n, dtype=np.int16)
        return grow.stand_apart(self._rules, self._seed, counts), counts

    def limit(self, box: Boxes, axes: Ints, counts: Counts) -> Boxes:
        """Return a box with how far each of some axes could grow next."""
        most = structs.Cells(box.lower.shape[1], box.masks.shape[1], _packed(box))
        grow.limit(self._rules, self._seed, axes.tobytes(), len(axes), counts, most)
        return _unpacked(box.space, most)

    def grow(self, box: Boxes, axis: int, counts: Counts) -> Counts:
        """Return on how many axes each rule is apart once an axis of a box has grown."""
        counts = counts.copy()
        grow.grow(self._rules, self._seed, axis, _packed(box), counts)
        return counts


def _packed(box: Boxes) -> bytes:
    return structs.Cells.pack(box.lower, box.upper, box.masks)


def _unpacked(space: Space, cells: structs.Cells) -> Boxes:
    return Boxes(space, cells.lower, cells.upper, cells.masks)


def _points(instances: Instances) -> structs.Points:
    return structs.Points(*map(np.ascontiguousarray, (instances.values, instances.codes)))


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
