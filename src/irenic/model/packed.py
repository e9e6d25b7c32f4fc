"""Rules packed in columns, and calls of the compiled kernels.

Packed rules are boxes with consequents, weights and the notation of their bounds. Consequents are
integer codes, which only the rule set can decode.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irenic.arrays import Bools, Bytes, Codes, Floats, Indices, Ints, Shorts, Words
from irenic.boxes import Boxes
from irenic.errors import ConditionError
from irenic.kernels import cover, grow, pairs, structs
from irenic.kernels.threads import over_rows
from irenic.model.region import Region, as_points
from irenic.model.space import Instances, Space

# More rules than this are moved one feature at a time: numpy copies overlapping matrices first.
_MOVED_AT_ONCE: Final = 1_000


class PackedRules:
    """The columns of a rule set.

    The arrays have one column per rule, so that the bounds of a feature are contiguous in memory.
    They have room to grow: only the first ``n`` columns are rules.

    Rules stay in the order in which they were added, so their ids are in ascending order.
    """

    lower: Floats
    upper: Floats
    masks: Words
    written: Bytes
    then: Codes
    weight: Floats
    ids: Ints
    _COLUMNS = ("lower", "upper", "masks", "written", "then", "weight", "ids")

    def __init__(self, space: Space, capacity: int = 8) -> None:
        self.space = space
        self.n = self.next_id = 0
        d, words, room = len(space.continuous), space.n_words, max(capacity, 1)
        self._use(
            {
                "lower": np.empty((d, room)),
                "upper": np.empty((d, room)),
                "masks": np.empty((words, room), dtype=np.uint64),
                "written": np.empty((d, room), dtype=np.uint8),
                "then": np.empty(room, dtype=np.int32),
                "weight": np.empty(room),
                "ids": np.empty(room, dtype=np.int64),
            }
        )

    def _use(self, room: dict[str, npt.NDArray[Any]]) -> None:
        """Use other arrays, which contain the same rules."""
        self._room, self._first = room, 0
        self._rules: structs.RuleColumns | None = None
        self._simplified: Boxes | None = None
        self.__dict__.update(room)

    def _reserve(self, capacity: int) -> None:
        room: dict[str, npt.NDArray[Any]] = {}
        for name, array in self._room.items():
            room[name] = grown = np.empty((*array.shape[:-1], capacity), dtype=array.dtype)
            grown[..., : self.n] = getattr(self, name)[..., : self.n]
        self._use(room)

    def __getstate__(self) -> dict[str, Any]:
        columns = {name: getattr(self, name)[..., : self.n] for name in self._COLUMNS}
        return {"space": self.space, "n": self.n, "next_id": self.next_id, **columns}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        # joblib maps large arrays of a task to a file that must not be written to
        self._use({name: np.require(state[name], None, ["C", "W"]) for name in self._COLUMNS})

    @property
    def boxes(self) -> Boxes:
        """The regions of the rules, not simplified: views of the columns."""
        n = self.n
        return Boxes(self.space, self.lower[:, :n].T, self.upper[:, :n].T, self.masks[:, :n].T)

    @property
    def simplified(self) -> Boxes:
        """The regions of the rules, simplified: read-only arrays, made once until rules change."""
        if self._simplified is None:
            self._simplified = self.boxes.simplified().locked()
        return self._simplified

    @classmethod
    def from_boxes(cls, boxes: Boxes, then: Codes) -> PackedRules:
        """Return rules of weight 1."""
        packed = cls(boxes.space, len(boxes))
        written = np.zeros((boxes.lower.shape[1], len(boxes)), dtype=np.uint8)
        packed.extend(boxes, written, then, np.ones(len(boxes)))
        return packed

    def append(self, region: Region, then: int, weight: float) -> None:
        """Add a rule at the end."""
        if self.n == len(self.then):
            self._reserve(max(2 * self.n, 8))
        self.put(self.n, region, then, weight)
        self.ids[self.n] = self.next_id
        self.next_id += 1
        self.n += 1

    def put(self, i: int, region: Region, then: int, weight: float) -> None:
        """Replace the rule at index ``i``; the id stays."""
        self._simplified = None
        box = region.box
        self.lower[:, i], self.upper[:, i] = box.lower[0], box.upper[0]
        self.masks[:, i], self.written[:, i] = box.masks[0], region.written
        self.then[i], self.weight[i] = then, weight

    def extend(self, boxes: Boxes, written: Bytes, then: Codes, weight: Floats) -> None:
        """Add several rules at the end; ``written`` has one column per rule."""
        self._simplified = None
        start, stop = self.n, self.n + len(then)
        if stop > len(self.then):
            self._reserve(stop)
        ids = np.arange(self.next_id, self.next_id + len(then))
        columns = (boxes.lower.T, boxes.upper.T, boxes.masks.T, written, then, weight, ids)
        for name, values in zip(self._COLUMNS, columns, strict=True):
            getattr(self, name)[..., start:stop] = values
        self.next_id += len(then)
        self.n = stop

    def remove(self, i: int) -> None:
        """Remove a rule. The rules on the side with fewer of them move to close the gap."""
        self._simplified = None
        first, last = self._first, self._first + self.n - 1
        if i < self.n - 1 - i:
            self._move(first, first + i, +1)
            self._first = first + 1
            columns = {name: array[..., first + 1 :] for name, array in self._room.items()}
            self.__dict__.update(columns)
        else:
            self._move(first + i + 1, last + 1, -1)
        self.n -= 1

    def _move(self, start: int, stop: int, by: int) -> None:
        """Move columns of all arrays, possibly onto each other."""
        if start == stop:
            return
        for array in self._room.values():
            is_short = array.ndim == 1 or stop - start <= _MOVED_AT_ONCE
            for row in (array,) if is_short else array:
                row[..., start + by : stop + by] = row[..., start:stop]

    def copy(self) -> PackedRules:
        """Return an independent copy, with the same ids."""
        copied = PackedRules.__new__(PackedRules)
        copied.space, copied.n, copied.next_id = self.space, self.n, self.next_id
        copied._use({name: getattr(self, name)[..., : self.n].copy() for name in self._COLUMNS})
        return copied

    def take(self, rows: Indices) -> PackedRules:
        """Return a copy of the rules at the given indices, with new ids."""
        taken = PackedRules.__new__(PackedRules)
        taken.space, taken.n = self.space, len(rows)
        columns = {name: getattr(self, name).take(rows, axis=-1) for name in self._COLUMNS}
        taken._use(columns | {"ids": np.arange(taken.n)})
        taken.next_id = taken.n
        return taken

    def indices(self, ids: Ints) -> Ints:
        """Return the index of each id, -1 for rules that are not in the set."""
        known = self.ids[: self.n]
        indices = np.asarray(np.searchsorted(known, ids))
        if not self.n:
            return np.full_like(indices, -1)
        return np.where(known.take(indices, mode="clip") == ids, indices, -1)

    def region(self, i: int) -> Region:
        """Return the region of a rule."""
        lower, upper, masks = self.lower[:, i], self.upper[:, i], self.masks[:, i]
        box = Boxes(self.space, lower.copy()[None], upper.copy()[None], masks.copy()[None])
        return Region.from_box(box, self.written[:, i].copy())

    # --- compared with regions and with each other

    def struct(self) -> structs.RuleColumns:
        """Return the rules as kernels read them.

        An earlier result is never modified, because a kernel may be running on it.
        """
        rules, space, first = self._rules, self.space, self._first
        if rules is None:
            room = self._room
            columns = (room["lower"], room["upper"], room["masks"], room["then"], room["weight"])
            self._rules = rules = structs.RuleColumns(*columns, self.n, *space.domain)
        if rules.n != self.n or rules.first != first:
            self._rules = rules = rules.part(first, self.n)
        return rules

    def meeting(self, region: Region) -> Bools:
        """Return which rules overlap a region."""
        rules = self.struct()
        out = np.empty(rules.n, dtype=np.bool_)
        pairs.meeting(rules, _packed(region.box), out)
        return out

    def overlapping_pairs(self, *, same: bool, limit: int) -> Codes:
        """Return the pairs of overlapping rules whose consequents are the same (or differ)."""
        keys = np.sort(pairs.overlapping_pairs(self.struct(), same, limit))
        return np.column_stack((keys >> 32, keys & 0xFFFF_FFFF)).astype(np.int32)

    def enlarge(self, seed: Instances, order: Ints, code: int) -> tuple[int, Region]:
        """Return a rival that covers the seed or -1, and the region grown around the seed."""
        cells = structs.Box(len(self.lower), len(self.masks))
        values, codes = seed.values.tobytes(), seed.codes.tobytes()
        covered = grow.enlarge(self.struct(), values, codes, order.tobytes(), code, cells)
        return covered, Region.from_box(_unpacked(self.space, cells))

    def enlarge_region(self, seed: Region, order: Ints, code: int) -> tuple[int, Region]:
        """Return a rival that overlaps the seed or -1, and the region grown from the seed."""
        cells = structs.Box(len(self.lower), len(self.masks))
        box, axes = _packed(seed.box), order.tobytes()
        rival = grow.enlarge_box(self.struct(), box, axes, code, cells)
        return rival, Region.from_box(_unpacked(self.space, cells))

    def enlarge_many(self, seeds: Instances, orders: Ints, codes: Ints) -> tuple[Ints, Boxes]:
        """Return the results of :meth:`enlarge` for several seeds, the regions as boxes."""
        n, d = len(seeds), len(self.lower)
        masks = np.empty((n, len(self.masks)), dtype=np.uint64)
        boxes = Boxes(self.space, np.empty((n, d)), np.empty((n, d)), masks)
        covered = np.empty(n, dtype=np.int64)
        out = structs.BoxRows(boxes.lower, boxes.upper, boxes.masks, self.space.starts)
        points = structs.Seeds(seeds.values.T.copy(), seeds.codes.T.copy(), orders, codes)
        rules = self.struct()
        over_rows(lambda a, b: grow.enlarge_many(rules, points, out, covered, a, b), n, least=16)
        return covered, boxes

    def growth(self, seed: Instances, code: int) -> Growth:
        """Return an object that grows boxes around a seed one step at a time."""
        return Growth(self.struct(), seed, code)

    # --- on instances

    def covering(self, instances: Instances) -> Bools:
        """Return which rules cover which instances: ``[rule, instance]``."""
        rules, n = self.struct(), len(instances)
        out = np.empty((rules.n, n), dtype=np.bool_)
        if n == 1:
            values, codes = instances.values.tobytes(), instances.codes.tobytes()
            cover.covering_one(rules, values, codes, out)
        else:
            points = as_points(instances)
            over_rows(lambda a, b: cover.covering(rules, points, a, b, out), n)
        return out

    def deciding(self, instances: Instances, order: Ints) -> Ints:
        """Return the first rule in the given order that covers each instance, or -1."""
        out = np.empty(len(instances), dtype=np.int64)
        arguments = (self.struct(), as_points(instances), order)
        over_rows(lambda a, b: cover.deciding(*arguments, a, b, out), len(instances))
        return out

    def voting(self, instances: Instances, n_thens: int) -> Ints:
        """Return the first rule of the consequent with the most weight per instance, or -1."""
        out = np.empty(len(instances), dtype=np.int64)
        arguments = (self.struct(), as_points(instances), n_thens)
        over_rows(lambda a, b: cover.voting(*arguments, a, b, out), len(instances))
        return out

    def supporting(self, instances: Instances) -> tuple[Ints, Ints]:
        """Return the number of instances per rule, and the number of rules per instance."""
        labels = np.zeros(len(instances), dtype=np.int64)
        mix, counts = self.counting(instances, labels, 1, np.ones(self.n, dtype=np.int64))
        return mix[:, 0], counts

    def counting(
        self, instances: Instances, labels: Ints, n_labels: int, each: Ints | None = None
    ) -> tuple[Ints, Ints]:
        """Return the covered instances per rule and label, and a sum per instance.

        The sum adds up ``each`` (default: the number of conditions) over all rules that cover the
        instance.
        """
        rules = self.struct()
        mix = np.zeros((rules.n, n_labels), dtype=np.int64)
        size = np.zeros(len(instances), dtype=np.int64)
        each = self.boxes.n_conditions() if each is None else each
        cover.counting(rules, as_points(instances), labels, each, mix, size)
        return mix, size


class Growth:
    """Growth of boxes around a seed, one axis at a time, as far as rivals allow.

    ``code`` is that of the consequent whose rules are not rivals; -1 if all rules are.
    """

    def __init__(self, rules: structs.RuleColumns, seed: Instances, code: int) -> None:
        outside = np.empty((len(seed.space), rules.n), dtype=np.uint8)
        values, codes = seed.values[:, 0].copy(), seed.codes[:, 0].copy()
        self._rules, self._seed = rules, structs.Seed(values, codes, code, outside)

    def start(self) -> tuple[int, Shorts]:
        """Return a rival that covers the seed or -1, and the number of separating axes per rule."""
        counts = np.empty(self._rules.n, dtype=np.int16)
        return grow.stand_apart(self._rules, self._seed, counts), counts

    def limit(self, box: Boxes, axes: Ints, counts: Shorts) -> Boxes:
        """Return the box with the limits to which it can grow next on each of the given axes."""
        limits = structs.Box(box.lower.shape[1], box.masks.shape[1], _packed(box))
        grow.limit(self._rules, self._seed, axes.tobytes(), len(axes), counts, limits)
        return _unpacked(box.space, limits)

    def grow(self, box: Boxes, axis: int, counts: Shorts) -> Shorts:
        """Return the number of separating axes per rule after the box has grown on an axis."""
        counts = counts.copy()
        grow.grow(self._rules, self._seed, axis, _packed(box), counts)
        return counts


def _packed(box: Boxes) -> bytes:
    return structs.Box.pack(box.lower, box.upper, box.masks)


def _unpacked(space: Space, cells: structs.Box) -> Boxes:
    return Boxes(space, cells.lower, cells.upper, cells.masks)


def as_columns(
    name: str, values: npt.ArrayLike, dtype: Any, shape: tuple[int, ...]
) -> npt.NDArray[Any]:
    """Return a copy of an array as the given type; raise an error if it or the shape is wrong."""
    try:
        array = np.array(values)
        if dtype is np.uint64 and array.size and array.dtype.kind not in "iu":
            raise TypeError(f"got {array.dtype}")
        if dtype is np.uint64 and array.size and array.min() < 0:
            raise ValueError("got a negative number")
        array = array.astype(dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise ConditionError(f"{name} must be an array of {np.dtype(dtype)}: {error}") from None
    if array.size == 0 and 0 in shape:
        return array.reshape(shape)
    if array.shape != shape:
        raise ConditionError(f"{name} must have the shape {shape}, got {array.shape}")
    return array
