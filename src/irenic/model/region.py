"""Regions: boxes with one condition per feature, and their algebra."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any, Final, Self

import numpy as np

from irenic.arrays import Bools, Bytes, Floats, Words
from irenic.boxes import Boxes
from irenic.errors import ConditionError, FormatError
from irenic.kernels import cover, structs
from irenic.kernels.threads import over_rows
from irenic.model.condition import (
    LOWER_BITS,
    UPPER_BITS,
    Interval,
    Operators,
    as_operators,
    bits_operators,
    bits_text,
    encode,
    infer_features,
    interval_operators,
    interval_text,
    lower_as_upper,
    recode,
    upper_as_lower,
)
from irenic.model.features import (
    EXACT,
    FIRST_CODE,
    LOWEST,
    Categorical,
    Continuous,
    Feature,
)
from irenic.model.literals import show_point
from irenic.model.notation import ParsedCondition, parse_conditions
from irenic.model.sampling import (
    RandomState,
    ShareOrRandom,
    as_generator,
    draw,
    draw_one,
    draw_shares,
    draw_words,
    moved,
    readable,
)
from irenic.model.shown import Shown
from irenic.model.space import Instances, Point, Space, from_words, to_words

# What kernels take for the consequent and the weight of a region, which has none.
_CODE: Final = np.zeros(1, dtype=np.int32)
_WEIGHT: Final = np.zeros(1)


class Region(Shown):
    """A box in the feature space: one condition per feature.

    Regions are immutable and hashable. Two regions that contain the same points are equal, however
    they were written.

    Parameters
    ----------
    space : Space
        The features that conditions can refer to.
    conditions : mapping, optional
        Conditions by feature name; other features are unrestricted. A condition is a pair,
        where ``(2, 5)`` means ``2 <= f < 5`` and None leaves a side open; a set of values such as
        ``{"yellow", "blue"}``; a single value, for equality; or a mapping of operators such as
        ``{">": 2, "<=": 5}``, ``{"<": 5, "missing": True}`` or ``{"not in": ["red"]}``.

    Examples
    --------
    >>> from irenic import Categorical, Continuous, Region, Space
    >>> space = Space([Continuous("f1"), Categorical("color", ["yellow", "blue", "red"])])
    >>> a = Region(space, {"f1": (2, 5), "color": {"yellow", "blue"}})
    >>> a
    2 <= f1 < 5 and color in {yellow, blue}
    >>> b = Region(space, {"f1": {"<=": 3}})
    >>> a & b
    2 <= f1 <= 3 and color in {yellow, blue}
    >>> a - b
    [3 < f1 < 5 and color in {yellow, blue}]
    >>> {"f1": 2, "color": "blue"} in a
    True
    """

    __slots__ = ("_key", "box", "is_empty", "written")

    box: Boxes
    """The region as the only row of an array of boxes (read-only)."""
    written: Bytes
    """How each bound was written; see :mod:`irenic.model.condition` (read-only)."""
    is_empty: bool
    """Whether the region contains no point of the space."""
    _key: tuple[bool, bytes] | None

    def __init__(self, space: Space, conditions: Mapping[str, Any] | None = None) -> None:
        encoded: dict[str, Interval | int] = {}
        for name, condition in (conditions or {}).items():
            feature = space[name]
            if operators := as_operators(condition, name):
                encoded[name] = encode(feature, operators)
        self._encode(space, encoded)

    def _encode(self, space: Space, conditions: Mapping[str, Interval | int]) -> Self:
        """Take over encoded conditions, by the names of features."""
        lower = np.full(len(space.continuous), -math.inf)
        upper = np.full(len(space.continuous), math.inf)
        masks = space.everything.copy()
        written = np.zeros(len(space.continuous), dtype=np.uint8)
        for name, condition in conditions.items():
            row = space.row(name)
            if isinstance(condition, int):
                part = space.sets[row]
                masks[part] = to_words(condition, part.stop - part.start)
            else:
                lower[row], upper[row], written[row] = condition
        return self._fill(Boxes(space, lower[None], upper[None], masks[None]), written)

    def _fill(self, box: Boxes, written: Bytes, *, is_empty: bool = False) -> Self:
        box.lower.flags.writeable = box.upper.flags.writeable = False
        box.masks.flags.writeable = written.flags.writeable = False
        return self._set(box, written, is_empty=is_empty)

    def _set(self, box: Boxes, written: Bytes, *, is_empty: bool = False) -> Self:
        fill = object.__setattr__
        fill(self, "box", box)
        fill(self, "written", written)
        fill(self, "is_empty", is_empty)
        fill(self, "_key", None)
        return self

    @classmethod
    def from_packed(
        cls,
        space: Space,
        lower: Floats,
        upper: Floats,
        masks: Words,
        written: Bytes | None = None,
    ) -> Region:
        """Return the region with the given bounds and sets of values.

        The region, which may be empty, takes over the arrays and makes them read-only.
        """
        if written is None:
            written = space.unwritten
        box = Boxes(space, lower[None], upper[None], (masks & space.everything)[None])
        if box.are_empty()[0]:
            return cls.nothing(space)
        box, as_written = settled(box, written[None])
        return cls.from_box(box, as_written[0])

    @classmethod
    def from_box(cls, box: Boxes, written: Bytes | None = None) -> Region:
        """Return a single box as a region. It takes over the arrays and makes them read-only."""
        return cls.__new__(cls)._fill(box, box.space.unwritten if written is None else written)

    @classmethod
    def from_boxes(cls, boxes: Boxes) -> list[Region]:
        """Return each box as a region."""
        space, written = boxes.space, boxes.space.unwritten
        arrays = [array[:, None] for array in (boxes.lower, boxes.upper, boxes.masks)]
        for array in arrays:
            array.flags.writeable = False  # and so are the rows
        rows = zip(*arrays, strict=True)
        return [cls.__new__(cls)._set(Boxes(space, *row), written) for row in rows]

    @classmethod
    def nothing(cls, space: Space) -> Region:
        """Return the empty region."""
        bounds = np.full((1, len(space.continuous)), math.inf)
        box = Boxes(space, bounds, -bounds, np.zeros((1, space.n_words), dtype=np.uint64))
        written = np.zeros(len(space.continuous), dtype=np.uint8)
        return cls.__new__(cls)._fill(box, written, is_empty=True)

    @classmethod
    def parse(cls, text: str, space: Space | None = None) -> Region:
        """Return the region that a text describes: conditions joined by ``and``.

        Without a space, features are inferred from the conditions.

        Examples
        --------
        >>> space = Space([Continuous("f1"), Continuous("f2")])
        >>> Region.parse("f2 > 3 and f1 <= 5", space)
        f1 <= 5 and f2 > 3
        """
        return cls.from_parsed(parse_conditions(text), space)

    @classmethod
    def from_parsed(cls, conditions: list[ParsedCondition], space: Space | None = None) -> Region:
        """Return the region of parsed conditions.

        Several conditions on one feature are intersected.
        """
        if space is None:
            space = Space(infer_features([(c.name, c.operators) for c in conditions]))
        by_name = {c.name: c.operators for c in conditions}
        if len(by_name) == len(conditions):
            try:
                return cls(space, by_name)
            except ConditionError:
                pass  # try them one by one, to find the column of the error
        region = cls(space)
        for name, operators, column in conditions:
            try:
                condition = cls(space, {name: operators})
            except ConditionError as error:
                raise FormatError(str(error), column=column) from None
            region &= condition
            if region.is_empty:
                raise FormatError(f"the conditions on {name!r} exclude each other", column=column)
        return region

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Region is immutable; create a new one")

    def __getstate__(self) -> dict[str, Any]:
        names = ("space", "lower", "upper", "masks", "written", "is_empty")
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        bounds = (state[name][None] for name in ("lower", "upper", "masks"))
        box = Boxes(state["space"], *bounds)
        self._fill(box, state["written"], is_empty=state["is_empty"])

    # --- packed numbers

    @property
    def space(self) -> Space:
        """The features that conditions can refer to."""
        return self.box.space

    @property
    def lower(self) -> Floats:
        """The inclusive lower bound of each continuous feature (read-only)."""
        bounds: Floats = self.box.lower[0]
        return bounds

    @property
    def upper(self) -> Floats:
        """The exclusive upper bound of each continuous feature (read-only)."""
        bounds: Floats = self.box.upper[0]
        return bounds

    @property
    def masks(self) -> Words:
        """The bits of each categorical feature, at the words in ``space.sets`` (read-only)."""
        words: Words = self.box.masks[0]
        return words

    # --- as a value

    def _canonical(self) -> tuple[bool, bytes]:
        """Return a key that equal regions share, without bounds that the domain implies."""
        if self._key is None:
            key = (self.is_empty, self.box.simplified().keys().tobytes())
            object.__setattr__(self, "_key", key)
        assert self._key is not None
        return self._key

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Region):
            return NotImplemented
        return self.space == other.space and self._canonical() == other._canonical()

    def __hash__(self) -> int:
        return hash(self._canonical())

    def __repr__(self) -> str:
        return self.to_text()

    def to_text(self, conjunction: str = "and") -> str:
        """Return the region in the notation of rules."""
        if self.is_empty:
            return "nothing"
        return f" {conjunction} ".join(self.texts()) or "anything"

    def texts(self) -> list[str]:
        """Return the text of each condition, in the order of the features."""
        return [text for text in self.each("text", interval_text, bits_text) if text]

    def each(
        self,
        kind: str,
        of_interval: Callable[[Continuous, Interval], Any],
        of_bits: Callable[[Categorical, int], Any],
    ) -> list[Any]:
        """Convert the condition on each feature, in the order of the features.

        Many regions share conditions, so the space caches the results of each ``kind``.
        """
        space, memo = self.space, self.space.memo(kind)
        keys: list[tuple[Any, ...]] = list(
            zip(
                space.places_of_continuous,
                self.lower.tolist(),
                self.upper.tolist(),
                self.written.tolist(),
                strict=True,
            )
        )
        if space.categorical:
            words = self.masks.tolist()
            parts = zip(space.places_of_categorical, space.sets, strict=True)
            keys += [(place, *words[part]) for place, part in parts]
            keys.sort(key=itemgetter(0))
        for key in keys:
            if key not in memo:
                feature = space.features[key[0]]
                if isinstance(feature, Continuous):
                    memo[key] = of_interval(feature, Interval(*key[1:]))
                else:
                    memo[key] = of_bits(feature, from_words(key[1:]))
        return [memo[key] for key in keys]

    # --- conditions

    @property
    def n_conditions(self) -> int:
        """The number of features with a condition."""
        return int(self.box.n_conditions()[0])

    def conditions(self) -> dict[str, Operators]:
        """Return the conditions as plain data, as in JSON files: the operators of each feature.

        Examples
        --------
        >>> space = Space([Continuous("f1"), Categorical("color", ["yellow", "blue"])])
        >>> Region(space, {"f1": (2, 5), "color": "blue"}).conditions()
        {'f1': {'>=': 2, '<': 5}, 'color': {'in': ['blue']}}
        """
        if self.is_empty:
            raise ConditionError("the empty region cannot be expressed as conditions")
        each = self.each("operators", interval_operators, bits_operators)
        by_name = zip(self.space.names, each, strict=True)
        return {name: dict(operators) for name, operators in by_name if operators}

    def interval(self, name: str) -> Interval:
        """Return the half-open interval of a continuous feature, encoded."""
        if not isinstance(self.space[name], Continuous):
            raise ConditionError(f"feature {name!r} is categorical and has no interval; use bits()")
        row = self.space.row(name)
        return Interval(float(self.lower[row]), float(self.upper[row]), int(self.written[row]))

    def bits(self, name: str) -> int:
        """Return the set of values of a categorical feature, as bits.

        Bit 0 is a missing value, bit 1 any other value; the declared values follow.
        """
        if not isinstance(self.space[name], Categorical):
            raise ConditionError(f"feature {name!r} is continuous and has no bits; use interval()")
        row = self.space.row(name)
        return from_words(self.masks[self.space.sets[row]])

    def cast(self, space: Space) -> Region:
        """Return the same conditions in another space."""
        if space == self.space:
            return self
        if self.is_empty:
            return Region.nothing(space)
        if space.features == self.space.features:  # what is impossible differs
            return Region.from_packed(space, self.lower, self.upper, self.masks, self.written)
        conditions = {
            feature.name: recode(feature, condition, space[feature.name])
            for feature, condition in self._tested()
        }
        return Region.__new__(Region)._encode(space, conditions)

    def _tested(self) -> list[tuple[Feature, Interval | int]]:
        """Return the features with a condition, in their order, and their conditions."""
        lower, upper, space = self.lower, self.upper, self.space
        found: list[tuple[int, Interval | int]] = []
        for row in ((lower > -math.inf) | (upper < math.inf)).nonzero()[0].tolist():
            interval = Interval(float(lower[row]), float(upper[row]), int(self.written[row]))
            found.append((space.places_of_continuous[row], interval))
        parts = zip(space.places_of_categorical, space.categorical, space.sets, strict=True)
        for place, category, part in parts:
            bits = from_words(self.masks[part])
            if bits != category.everything:
                found.append((place, bits))
        return [
            (space.features[place], condition)
            for place, condition in sorted(found, key=itemgetter(0))
        ]

    def simplified(self) -> Region:
        """Return the same region without conditions that the bounds of features imply.

        Examples
        --------
        >>> space = Space([Continuous("age", bounds=(0, 120))])
        >>> Region(space, {"age": (0, 30)}).simplified()
        age < 30
        """
        if self.is_empty:
            return self
        return Region.from_box(self.box.simplified(), self.written)

    # --- algebra

    def _check_space(self, other: Region) -> None:
        if self.space is not other.space and self.space != other.space:
            raise ConditionError("the regions belong to different spaces; cast() one of them")

    def __and__(self, other: Region) -> Region:
        if not isinstance(other, Region):
            return NotImplemented
        self._check_space(other)
        if self.is_empty or other.is_empty:
            return Region.nothing(self.space)
        box = self.box & other.box
        if not len(box):
            return Region.nothing(self.space)
        low = np.where(box.lower[0] == self.lower, self.written, other.written) & LOWER_BITS
        high = np.where(box.upper[0] == self.upper, self.written, other.written) & UPPER_BITS
        return Region.from_box(box, (low | high).astype(np.uint8))

    def __sub__(self, other: Region) -> list[Region]:
        """Return disjoint regions that together cover the part of this one outside the other."""
        if not isinstance(other, Region):
            return NotImplemented
        self._check_space(other)
        if not self.overlaps(other):
            return [] if self.is_empty else [self]
        pieces: list[Region] = []
        lower, upper = self.lower.copy(), self.upper.copy()
        masks, written = self.masks.copy(), self.written.copy()

        def keep(piece: Region) -> None:
            if not piece.is_empty:
                pieces.append(piece)

        for row in range(len(lower)):
            if lower[row] < other.lower[row]:
                cut, style = upper.copy(), written.copy()
                cut[row] = other.lower[row]
                style[row] = style[row] & LOWER_BITS | lower_as_upper(int(other.written[row]))
                keep(Region.from_packed(self.space, lower.copy(), cut, masks.copy(), style))
                lower[row] = other.lower[row]
                written[row] = written[row] & UPPER_BITS | other.written[row] & LOWER_BITS
            if other.upper[row] < upper[row]:
                cut, style = lower.copy(), written.copy()
                cut[row] = other.upper[row]
                style[row] = style[row] & UPPER_BITS | upper_as_lower(int(other.written[row]))
                keep(Region.from_packed(self.space, cut, upper.copy(), masks.copy(), style))
                upper[row] = other.upper[row]
                written[row] = written[row] & LOWER_BITS | other.written[row] & UPPER_BITS
        for words in self.space.sets:
            rest = masks.copy()
            rest[words] &= ~other.masks[words]
            keep(Region.from_packed(self.space, lower.copy(), upper.copy(), rest, written.copy()))
            masks[words] &= other.masks[words]
        return pieces

    def hull(self, *others: Region) -> Region:
        """Return the smallest region that contains this one and others of the same space.

        Examples
        --------
        >>> space = Space([Continuous("f1"), Categorical("color", ["yellow", "blue", "red"])])
        >>> a = Region(space, {"f1": (2, 5), "color": "blue"})
        >>> b = Region(space, {"f1": {">": 7, "<=": 9}, "color": "red"})
        >>> a.hull(b)
        2 <= f1 <= 9 and color in {blue, red}
        >>> regions = [a, b, Region(space, {"f1": {"<": 3}})]
        >>> Region.hull(*regions)
        f1 <= 9
        """
        for other in others:
            if not isinstance(other, Region):
                raise ConditionError(f"others must be regions, got {other!r}")
            self._check_space(other)
        regions = [region for region in (self, *others) if not region.is_empty]
        if len(regions) < 2:
            return regions[0] if regions else self
        boxes = regions[0].box.concat(*(region.box for region in regions[1:]))
        written = np.array([region.written for region in regions])
        each = np.arange(written.shape[1])
        low = written[boxes.lower.argmin(axis=0), each] & LOWER_BITS
        high = written[boxes.upper.argmax(axis=0), each] & UPPER_BITS
        return Region.from_box(boxes.hull(), (low | high).astype(np.uint8))

    def overlaps(self, other: Region) -> bool:
        """Return whether the regions have a point of the space in common."""
        self._check_space(other)
        return not (self.is_empty or other.is_empty) and bool(self.box.meeting(other.box)[0])

    def __le__(self, other: Region) -> bool:
        """Return whether every point of this region lies in the other."""
        if not isinstance(other, Region):
            return NotImplemented
        self._check_space(other)
        if self.is_empty or other.is_empty:
            return self.is_empty
        return bool(self.box.simplified().within(other.box.simplified())[0])

    def __lt__(self, other: Region) -> bool:
        if not isinstance(other, Region):
            return NotImplemented
        return self <= other and self != other

    def __ge__(self, other: Region) -> bool:
        return other <= self if isinstance(other, Region) else NotImplemented

    def __gt__(self, other: Region) -> bool:
        return other < self if isinstance(other, Region) else NotImplemented

    def __contains__(self, item: Point | Region) -> bool:
        if isinstance(item, Region):
            return item <= self
        return self._holds(*self.space.numbers_of(item))

    def _holds(self, values: list[float], codes: list[int]) -> bool:
        """Return whether the region contains a single point, without arrays."""
        if self.is_empty:
            return False
        box = self.box
        for low, value, high in zip(
            box.lower[0].tolist(), values, box.upper[0].tolist(), strict=True
        ):
            if not low <= value < high:
                return False
        if codes:
            words, starts = box.masks[0].tolist(), self.space.sets
            for part, code in zip(starts, codes, strict=True):
                if not words[part.start + (code >> 6)] >> (code & 63) & 1:
                    return False
        return True

    def contains(self, points: Any) -> Bools:
        """Return whether the region contains each row of a table.

        For a single point, ``point in region`` takes less time.
        """
        instances = self.space.encode(points)
        if len(instances) == 1:
            return np.array([self._holds(*self.space.numbers_of(instances))])
        inside = np.zeros(len(instances), dtype=np.bool_)
        if not self.is_empty:
            space, points = self.space, as_points(instances)
            lower = np.ascontiguousarray(self.box.lower.T)
            upper = np.ascontiguousarray(self.box.upper.T)
            masks = np.ascontiguousarray(self.box.masks.T)
            rule = structs.RuleColumns(lower, upper, masks, _CODE, _WEIGHT, 1, *space.domain)
            over_rows(lambda a, b: cover.covering(rule, points, a, b, inside), len(instances))
        return inside

    # --- points and size

    def witness(self) -> dict[str, Any]:
        """Return a readable point of the region, with short numbers and declared values.

        It can occur, unless the whole region is impossible. None is a missing value. An empty
        region has no point, which is an error.

        Examples
        --------
        >>> space = Space([Continuous("age"), Categorical("job", ["nurse", "clerk"])])
        >>> Region(space, {"age": (28.5, 31), "job": "clerk"}).witness()
        {'age': 30, 'job': 'clerk'}
        """
        if self.is_empty:
            raise ConditionError("the empty region contains no point")
        if self.space.impossible:
            possible = self.possible_parts()
            if possible and possible != [self]:
                return possible[0].witness()
        values = self.each("witness", witness_in, witness_among)
        return dict(zip(self.space.names, values, strict=True))

    def possible_parts(self) -> list[Region]:
        """Return the part of the region in which cases can occur, as disjoint regions.

        Examples
        --------
        >>> space = Space([Continuous("age"), Continuous("years_at_work")],
        ...               impossible=[{"age": (None, 14), "years_at_work": (1, None)}])
        >>> Region(space, {"age": (10, 20), "years_at_work": (5, 6)}).possible_parts()
        [14 <= age < 20 and 5 <= years_at_work < 6]
        """
        excluded = self.space.impossible_boxes
        if self.is_empty or not excluded.meeting(self.box).any():
            return [] if self.is_empty else [self]
        return Region.from_boxes(self.box.simplified().subtract(excluded))

    def sample(self, n: int = 1, random_state: RandomState = None) -> Instances:
        """Return random points of the region.

        Values between two bounds are uniform. With a single bound, the distance from it is
        exponential, on the scale of the bound; without bounds, values are normal. A missing number
        is drawn only if nothing else fits. All values of a categorical feature are equally likely,
        including "missing" and "other".

        Parameters
        ----------
        n : int
            The number of points.
        random_state : int or numpy generator, optional
            Seed of the random number generator.

        Returns
        -------
        Instances

        Raises
        ------
        ConditionError
            If the region is empty or ``n`` is not a non-negative integer.

        Examples
        --------
        >>> space = Space([Continuous("f1")])
        >>> points = Region(space, {"f1": (2, 5)}).sample(100, random_state=0)
        >>> points.values.min() >= 2 and points.values.max() < 5
        np.True_
        """
        if self.is_empty:
            raise ConditionError("the empty region contains no point to sample")
        if not isinstance(n, int | np.integer) or n < 0:
            raise ConditionError(f"n must be a non-negative integer, got {n!r}")
        rng = as_generator(random_state)
        space = self.space
        values = np.empty((len(space.continuous), n))
        codes = np.empty((len(space.categorical), n), dtype=np.int32)
        bounds = zip(space.continuous, self.lower.tolist(), self.upper.tolist(), strict=True)
        for row, (feature, lower, upper) in enumerate(bounds):
            low, high = feature.reach(lower, upper)
            if low >= high:
                values[row] = -math.inf
            elif n == 1:
                values[row, 0] = draw_one(feature, low, high, rng)
            else:
                values[row] = draw(feature, low, high, n, rng)
        for row, category in enumerate(space.categorical):
            bits = self.bits(category.name) & category.everything
            allowed = [code for code in range(bits.bit_length()) if bits >> code & 1]
            codes[row] = np.array(allowed, dtype=np.int32)[rng.integers(len(allowed), size=n)]
        return Instances(space, values, codes)

    def volume(self, within: Region | None = None) -> float:
        """Return the product of the sides: lengths of intervals, and numbers of discrete values.

        It is infinity if a side is unbounded or the volume exceeds the greatest float64. A missing
        value has no length. With ``within``, only the part in that region is measured.

        Examples
        --------
        >>> space = Space([Continuous("f1", bounds=(0, 10)), Categorical("c", ["a", "b", "c"])])
        >>> Region(space, {"f1": (2, 5), "c": {"a", "b"}}).volume()
        6.0
        """
        region = self if within is None else self & within
        if region.is_empty:
            return 0.0
        sides: list[float] = []
        for row, feature in enumerate(region.space.continuous):
            low, high = feature.reach(float(region.lower[row]), float(region.upper[row]))
            if low <= LOWEST or high == math.inf:
                sides.append(math.inf if low < high else 0.0)
            elif math.isinf(high - low):  # longer than the greatest float64: use two factors
                sides += [high / 2 - low / 2, 2.0]
            else:
                sides.append(max(high - low, 0.0) / (feature.step or 1))
        sides += [
            (region.bits(f.name) & f.everything).bit_count() for f in region.space.categorical
        ]
        return 0.0 if 0.0 in sides else _product(sides)

    # --- steps for learners

    def tighten(self, X: Any) -> Region:
        """Return the smallest box around the instances that the region contains, at least one.

        Examples
        --------
        >>> space = Space([Continuous("f1"), Categorical("color", ["yellow", "blue"])])
        >>> table = {"f1": [1, 2.5, 4, 9], "color": ["yellow", "blue", "blue", "blue"]}
        >>> Region(space, {"f1": (2, 5)}).tighten(table)
        2.5 <= f1 <= 4 and color in {blue}
        """
        instances = self.space.encode(X)
        inside = instances.take(self.contains(instances))
        if not len(inside):
            raise ConditionError(f"no instance lies in {self}, so there is nothing to tighten to")
        lower, greatest = inside.values.min(axis=1), inside.values.max(axis=1)
        tops = zip(self.space.continuous, greatest.tolist(), strict=True)
        upper = np.array([LOWEST if top == -math.inf else f.after(top) for f, top in tops])
        masks = self.space.words_of(inside.codes)
        return Region.from_packed(self.space, lower, upper.reshape(-1), masks)

    def widen_bounds(
        self,
        within: Region | None = None,
        *,
        share: ShareOrRandom = 1.0,
        random_state: RandomState = None,
    ) -> Region:
        """Return a larger region that stays within a limit, as a mutation of a rule.

        Parameters
        ----------
        within : Region, optional
            The limit, for example a result of :func:`irenic.enlarge` (default: the whole space).
            It must contain this region.
        share : float in [0, 1] or "random"
            How far each bound moves toward that of ``within``; "random" draws a share per bound.
            A bound that ``within`` does not have is dropped with this probability, and each
            further value of a categorical feature is added with it.
        random_state : int or numpy generator, optional
            Seed of the random number generator.

        Returns
        -------
        Region

        Raises
        ------
        ConditionError
            If the region is empty or does not lie within the limit.

        Examples
        --------
        >>> space = Space([Continuous("f1")])
        >>> Region(space, {"f1": (4, 5)}).widen_bounds(Region(space, {"f1": (2, 9)}), share=0.5)
        3 <= f1 < 7
        """
        limit = Region(self.space) if within is None else within
        if self.is_empty:
            raise ConditionError("the empty region has no bounds to widen")
        if not self <= limit:
            raise ConditionError(f"within must contain the region {self}, got {limit}")
        rng = as_generator(random_state)
        shares = draw_shares(share, (2, len(self.lower)), rng)
        lower = moved(self.lower, limit.lower, shares[0], rng)
        upper = moved(self.upper, limit.upper, shares[1], rng)
        for row, feature in enumerate(self.space.continuous):
            lower[row], upper[row] = feature.snap(lower[row]), feature.snap(upper[row])
        # Snapping moves a cut up, possibly beyond the limit.
        lower = np.clip(lower, limit.lower, self.lower)
        upper = np.clip(upper, self.upper, limit.upper)
        masks = self.masks | draw_words(limit.masks & ~self.masks, share, rng)
        return Region.from_packed(self.space, lower, upper, masks)

    def narrow_bounds(
        self,
        point: Any,
        *,
        share: ShareOrRandom = 0.5,
        random_state: RandomState = None,
    ) -> Region:
        """Return a smaller region that still contains a point, as a mutation of a rule.

        Parameters
        ----------
        point : mapping, sequence or Instances of length 1
            A point of this region.
        share : float in [0, 1] or "random"
            How far each bound moves toward the point; "random" draws a share per bound. Each other
            value of a categorical feature is removed with this probability. An open side stays
            open; :meth:`tighten` closes it.
        random_state : int or numpy generator, optional
            Seed of the random number generator.

        Returns
        -------
        Region

        Raises
        ------
        ConditionError
            If the region does not contain the point.

        Examples
        --------
        >>> space = Space([Continuous("f1")])
        >>> Region(space, {"f1": (2, 10)}).narrow_bounds({"f1": 4})
        3 <= f1 < 7
        """
        instance = self.space.encode_point(point)
        if not self.contains(instance)[0]:
            raise ConditionError(f"the point ({show_point(instance[0])}) does not lie in {self}")
        rng = as_generator(random_state)
        values = instance.values[:, 0]
        shares = draw_shares(share, (2, len(values)), rng)
        lower, upper = self.lower.copy(), self.upper.copy()
        for row, feature in enumerate(self.space.continuous):
            value = float(values[row])
            if value == -math.inf:
                continue  # there is no value halfway between missing and a number
            if lower[row] > LOWEST:
                cut = (1.0 - shares[0, row]) * lower[row] + shares[0, row] * value
                # Rounding may move a cut outward.
                lower[row] = max(min(feature.snap(cut), value), lower[row])
            if upper[row] < math.inf:
                least = feature.after(value)
                cut = (1.0 - shares[1, row]) * upper[row] + shares[1, row] * value
                upper[row] = min(max(feature.snap(cut), least), upper[row])
        kept = self.space.words_of(instance.codes)
        masks = self.masks & ~draw_words(self.masks & ~kept, share, rng)
        return Region.from_packed(self.space, lower, upper, masks)


def witness_in(feature: Continuous, interval: Interval) -> Any:
    """Return a readable value of an interval, or None if only a missing value lies in it."""
    value = feature.decode_value(readable(feature, interval.lower, interval.upper))
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) <= EXACT
    return int(value) if is_whole else value


def witness_among(feature: Categorical, bits: int) -> Any:
    """Return one of the values whose bits are set, a declared one if possible."""
    bits &= feature.everything
    listed = bits >> FIRST_CODE << FIRST_CODE or bits
    return feature.example((listed & -listed).bit_length() - 1)


def whole_or(within: Region | None, space: Space) -> Region:
    """Return the region that limits a search, in the given space; None is the whole space."""
    if within is None:
        return Region(space)
    if not isinstance(within, Region):
        raise ConditionError(f"within must be a Region, got {within!r}; use Region(space, …)")
    return within.cast(space)


def _product(factors: Iterable[float]) -> float:
    """Return a product that is infinite only if it is too large, not if a partial product is."""
    mantissa, exponent = 1.0, 0
    for factor in factors:
        mantissa, shift = math.frexp(mantissa * math.frexp(factor)[0])
        exponent += shift + math.frexp(factor)[1]
    try:
        return math.ldexp(mantissa, exponent)
    except OverflowError:
        return math.inf


def settled(boxes: Boxes, written: Bytes) -> tuple[Boxes, Bytes]:
    """Return nonempty boxes as the space requires (see condition.settle), and how to write them."""
    changed = boxes.settled()
    if changed is boxes:
        return boxes, written
    return changed, np.where(changed.upper != boxes.upper, written & LOWER_BITS, written)


def as_points(instances: Instances) -> structs.Points:
    """Return instances as kernels read them."""
    return structs.Points(*map(np.ascontiguousarray, (instances.values, instances.codes)))
