"""Regions: boxes with one condition per feature, and their algebra."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from irenic.conditions import (
    FREE,
    LOWER_AFTER,
    LOWER_BITS,
    LOWER_FREE,
    UPPER_AFTER,
    UPPER_BITS,
    UPPER_FREE,
    Interval,
    Operators,
    as_operators,
    bits_operators,
    bits_text,
    encode_bits,
    encode_interval,
    infer_features,
    interval_operators,
    interval_text,
)
from irenic.errors import ConditionError, DataError, FormatError
from irenic.features import LOWEST, OTHER_CODE, Categorical, Continuous
from irenic.literals import format_number
from irenic.notation import ParsedCondition, parse_conditions
from irenic.space import Instances, Point, Space, from_words, to_words

Floats: TypeAlias = npt.NDArray[np.float64]
Words: TypeAlias = npt.NDArray[np.uint64]
Bytes: TypeAlias = npt.NDArray[np.uint8]
RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None


class Region:
    """A box in the feature space: one condition per feature, all of which must hold.

    Regions are immutable and hashable; two regions that hold the same points are equal, however
    they were written.

    Parameters
    ----------
    space : Space
    conditions : mapping, optional
        From the names of features to conditions; a feature that is not named is unrestricted.
        ``(2, 5)`` is ``2 <= f < 5`` (None leaves a side open), ``{"yellow", "blue"}`` a set of
        values, a single value stands for equality, and a mapping of operators says anything:
        ``{">": 2, "<=": 5}``, ``{"<": 5, "missing": True}``, ``{"not in": ["red"]}``.

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

    __slots__ = ("_key", "lower", "masks", "space", "upper", "written")

    space: Space
    lower: Floats
    """The inclusive lower bound of each continuous feature (read-only)."""
    upper: Floats
    """The exclusive upper bound of each continuous feature (read-only)."""
    masks: Words
    """The bits of each categorical feature's values, ``space.starts`` says where (read-only)."""
    written: Bytes
    """How each bound was written; see :mod:`irenic.conditions` (read-only)."""

    def __init__(self, space: Space, conditions: Mapping[str, Any] | None = None) -> None:
        lower = np.full(len(space.continuous), -math.inf)
        upper = np.full(len(space.continuous), math.inf)
        masks = space.everything.copy()
        written = np.zeros(len(space.continuous), dtype=np.uint8)
        for name, condition in (conditions or {}).items():
            feature = space[name]
            operators = as_operators(condition, name)
            row = space.row(name)
            if not operators:
                continue
            if isinstance(feature, Continuous):
                lower[row], upper[row], written[row] = encode_interval(feature, operators)
            else:
                words = to_words(encode_bits(feature, operators), feature.n_words)
                masks[space.starts[row] : space.starts[row + 1]] = words
        self._fill(space, lower, upper, masks, written)

    def _fill(
        self, space: Space, lower: Floats, upper: Floats, masks: Words, written: Bytes
    ) -> Self:
        for array in (lower, upper, masks, written):
            array.flags.writeable = False
        for name, value in (
            ("space", space),
            ("lower", lower),
            ("upper", upper),
            ("masks", masks),
            ("written", written),
            ("_key", None),
        ):
            object.__setattr__(self, name, value)
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
        """Return the region of packed numbers, as kernels make them; they are not checked.

        The arrays are taken over and made read-only.
        """
        if written is None:
            written = np.full(len(lower), FREE, dtype=np.uint8)
        region = cls.__new__(cls)._fill(space, lower, upper, masks, written)
        if _is_empty(region):
            return cls.nothing(space)
        gap = (upper > LOWEST) & (upper <= space.lowest)
        if gap.any():  # see conditions.settle
            upper = np.where(gap, LOWEST, upper)
            written = np.where(gap, written & LOWER_BITS, written)
            return cls.__new__(cls)._fill(space, lower, upper, masks, written)
        return region

    @classmethod
    def nothing(cls, space: Space) -> Region:
        """Return the empty region.

        >>> Region.nothing(Space([Continuous("f1")]))
        nothing
        """
        n = len(space.continuous)
        return cls.__new__(cls)._fill(
            space,
            np.full(n, math.inf),
            np.full(n, -math.inf),
            np.zeros(space.n_words, dtype=np.uint64),
            np.zeros(n, dtype=np.uint8),
        )

    @classmethod
    def parse(cls, text: str, space: Space | None = None) -> Region:
        """Return the region that ``text`` says; without a space, one is inferred from the tests.

        >>> space = Space([Continuous("f1"), Continuous("f2")])
        >>> Region.parse("f2 > 3 and f1 <= 5", space)
        f1 <= 5 and f2 > 3
        """
        return cls.from_parsed(parse_conditions(text), space)

    @classmethod
    def from_parsed(cls, conditions: list[ParsedCondition], space: Space | None = None) -> Region:
        """Return the conjunction of parsed conditions; several on one feature are intersected."""
        if space is None:
            space = Space(infer_features([(c.name, c.operators) for c in conditions]))
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
        raise AttributeError("a Region is immutable; make a new one")

    def __reduce__(self) -> Any:
        arrays = (np.array(a) for a in (self.lower, self.upper, self.masks, self.written))
        return Region.from_packed, (self.space, *arrays)

    # --- as a value

    def _canonical(self) -> tuple[Any, ...]:
        """Return what equal regions share: bounds beyond the domain count as none."""
        if self._key is None:
            space = self.space
            bottom = np.where(space.may_be_missing, LOWEST, -math.inf)
            within = (self.lower <= space.lowest) & (self.lower > -math.inf)
            lower = np.where(within, bottom, self.lower) + 0.0  # -0.0 becomes 0.0
            upper = np.where(self.upper >= space.end, math.inf, self.upper) + 0.0
            masks = self.masks & space.everything
            key = (lower.tobytes(), upper.tobytes(), masks.tobytes())
            object.__setattr__(self, "_key", key)
        return self._key  # type: ignore[return-value]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Region):
            return NotImplemented
        return self.space == other.space and self._canonical() == other._canonical()

    def __hash__(self) -> int:
        return hash(self._canonical())

    def __repr__(self) -> str:
        return self.to_text()

    def to_text(self, conjunction: str = "and") -> str:
        """Return the region in the notation, its conditions joined by ``conjunction``."""
        if self.is_empty:
            return "nothing"
        return f" {conjunction} ".join(self.texts()) or "anything"

    def texts(self) -> list[str]:
        """Return the text of each condition, in the order of the features."""
        found = []
        for feature in self.space:
            if isinstance(feature, Continuous):
                text = interval_text(feature, self.interval(feature.name))
            else:
                text = bits_text(feature, self.bits(feature.name))
            if text:
                found.append(text)
        return found

    def _repr_html_(self) -> str:
        import html

        return f"<code>{html.escape(repr(self))}</code>"

    # --- what it is made of

    @property
    def is_empty(self) -> bool:
        """Whether no point of the space lies in the region."""
        return _is_empty(self)

    @property
    def n_conditions(self) -> int:
        """On how many features there is a condition."""
        restricted = int(((self.lower > -math.inf) | (self.upper < math.inf)).sum())
        starts = self.space.starts
        partial = (self.masks & self.space.everything) != self.space.everything
        return restricted + sum(
            bool(partial[a:b].any()) for a, b in zip(starts[:-1], starts[1:], strict=True)
        )

    def conditions(self) -> dict[str, Operators]:
        """Return the conditions as plain data, the form that JSON files use.

        >>> space = Space([Continuous("f1"), Categorical("color", ["yellow", "blue"])])
        >>> Region(space, {"f1": (2, 5), "color": "blue"}).conditions()
        {'f1': {'>=': 2, '<': 5}, 'color': {'in': ['blue']}}
        """
        found = {}
        for feature in self.space:
            if isinstance(feature, Continuous):
                operators = interval_operators(feature, self.interval(feature.name))
            else:
                operators = bits_operators(feature, self.bits(feature.name))
            if operators:
                found[feature.name] = operators
        return found

    def interval(self, name: str) -> Interval:
        """Return the half-open interval of a continuous feature, encoded."""
        if not isinstance(self.space[name], Continuous):
            raise ConditionError(f"feature {name!r} is categorical; ask for its values")
        row = self.space.row(name)
        return Interval(float(self.lower[row]), float(self.upper[row]), int(self.written[row]))

    def bits(self, name: str) -> int:
        """Return the bits of a categorical feature: 0 missing, 1 other, then the values."""
        if not isinstance(self.space[name], Categorical):
            raise ConditionError(f"feature {name!r} is continuous; ask for its interval")
        row = self.space.row(name)
        return from_words(self.masks[self.space.starts[row] : self.space.starts[row + 1]])

    def cast(self, space: Space) -> Region:
        """Return the same conditions in another space, features matched by name."""
        if space == self.space:
            return self
        if self.is_empty:
            return Region.nothing(space)
        return Region(space, self.conditions())

    # --- algebra

    def _check_space(self, other: Region) -> None:
        if self.space is not other.space and self.space != other.space:
            raise ConditionError("the regions are of different spaces; cast() one of them")

    def __and__(self, other: Region) -> Region:
        if not isinstance(other, Region):
            return NotImplemented
        self._check_space(other)
        lower = np.maximum(self.lower, other.lower)
        upper = np.minimum(self.upper, other.upper)
        low = np.where(lower == self.lower, self.written, other.written) & LOWER_BITS
        high = np.where(upper == self.upper, self.written, other.written) & UPPER_BITS
        return Region.from_packed(
            self.space, lower, upper, self.masks & other.masks, (low | high).astype(np.uint8)
        )

    def __sub__(self, other: Region) -> list[Region]:
        """Return disjoint regions that together hold what is in this one and not in the other."""
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
                style[row] = style[row] & LOWER_BITS | _as_upper(int(other.written[row]))
                keep(Region.from_packed(self.space, lower.copy(), cut, masks.copy(), style))
                lower[row] = other.lower[row]
                written[row] = written[row] & UPPER_BITS | other.written[row] & LOWER_BITS
            if other.upper[row] < upper[row]:
                cut, style = lower.copy(), written.copy()
                cut[row] = other.upper[row]
                style[row] = style[row] & UPPER_BITS | _as_lower(int(other.written[row]))
                keep(Region.from_packed(self.space, cut, upper.copy(), masks.copy(), style))
                upper[row] = other.upper[row]
                written[row] = written[row] & LOWER_BITS | other.written[row] & UPPER_BITS
        for start, stop in zip(self.space.starts[:-1], self.space.starts[1:], strict=True):
            rest = masks.copy()
            rest[start:stop] &= ~other.masks[start:stop]
            keep(Region.from_packed(self.space, lower.copy(), upper.copy(), rest, written.copy()))
            masks[start:stop] &= other.masks[start:stop]
        return pieces

    def overlaps(self, other: Region) -> bool:
        """Return whether some point of the space lies in both regions."""
        return not (self & other).is_empty

    def __le__(self, other: Region) -> bool:
        """Return whether every point of this region lies in the other."""
        if not isinstance(other, Region):
            return NotImplemented
        self._check_space(other)
        return self & other == self

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
        return bool(self.contains(self.space.encode_point(item))[0])

    def contains(self, points: Any) -> npt.NDArray[np.bool_]:
        """Return for each row of a table whether it lies in the region.

        >>> space = Space([Continuous("f1")])
        >>> Region(space, {"f1": (2, 5)}).contains({"f1": [1, 2, 5]})
        array([False,  True, False])
        """
        instances = self.space.encode(points)
        inside = np.full(len(instances), not self.is_empty)
        for row, values in enumerate(instances.values):
            inside &= (self.lower[row] <= values) & (values < self.upper[row])
        one = np.uint64(1)
        for row, codes in enumerate(instances.codes):
            words = self.masks[self.space.starts[row] + (codes >> 6)]
            inside &= (words >> (codes & 63).astype(np.uint64) & one).astype(np.bool_)
        return inside

    # --- points and size

    def witness(self) -> dict[str, Any]:
        """Return a readable point inside the region: short numbers, listed values first.

        >>> space = Space([Continuous("age"), Categorical("job", ["nurse", "clerk"])])
        >>> Region(space, {"age": (28.5, 31), "job": "clerk"}).witness()
        {'age': 30, 'job': 'clerk'}
        """
        if self.is_empty:
            raise ConditionError("the empty region holds no point")
        point: dict[str, Any] = {}
        for feature in self.space:
            if isinstance(feature, Continuous):
                number = _readable(feature, *self.interval(feature.name)[:2])
                value = feature.decode_value(number)
                short = isinstance(value, float) and format_number(value).lstrip("-").isdecimal()
                point[feature.name] = int(value) if short else value
            else:
                bits = self.bits(feature.name) & feature.everything
                listed = bits >> 2 << 2 or bits
                code = (listed & -listed).bit_length() - 1
                value = feature.unlisted() if code == OTHER_CODE else feature.decode_value(code)
                point[feature.name] = value
        return point

    def sample(self, n: int = 1, random_state: RandomState = None) -> Instances:
        """Return ``n`` random points inside the region.

        Between two bounds values are uniform; beyond a single bound their distance from it is
        exponential, on the scale of the bound; with no bound they are normal. A missing value is
        drawn only where nothing else fits, other values of a category like any value.

        >>> space = Space([Continuous("f1")])
        >>> points = Region(space, {"f1": (2, 5)}).sample(100, random_state=0)
        >>> points.values.min() >= 2 and points.values.max() < 5
        np.True_
        """
        if self.is_empty:
            raise ConditionError("the empty region holds no point to draw")
        rng = as_generator(random_state)
        space = self.space
        values = np.empty((len(space.continuous), n))
        codes = np.empty((len(space.categorical), n), dtype=np.int32)
        for row, feature in enumerate(space.continuous):
            low, high = max(self.lower[row], feature.lowest), min(self.upper[row], feature.end)
            values[row] = -math.inf if low >= high else _draw(feature, low, high, n, rng)
        for row, category in enumerate(space.categorical):
            bits = self.bits(category.name) & category.everything
            allowed = [code for code in range(bits.bit_length()) if bits >> code & 1]
            codes[row] = rng.choice(np.array(allowed, dtype=np.int32), size=n)
        return Instances(space, values, codes)

    def volume(self, within: Region | None = None) -> float:
        """Return the product of the sides: lengths, and numbers of values where they are counted.

        Parameters
        ----------
        within : Region, optional
            Measure only what lies in this region too. Without it, an unbounded side gives
            infinity. A missing value has no length.

        >>> space = Space([Continuous("f1", bounds=(0, 10)), Categorical("c", ["a", "b", "c"])])
        >>> Region(space, {"f1": (2, 5), "c": {"a", "b"}}).volume()
        6.0
        """
        region = self if within is None else self & within
        if region.is_empty:
            return 0.0
        sides: list[float] = []
        for row, feature in enumerate(region.space.continuous):
            low = max(float(region.lower[row]), feature.lowest)
            high = min(float(region.upper[row]), feature.end)
            if low <= LOWEST or high == math.inf:
                sides.append(math.inf if low < high else 0.0)
            else:
                sides.append(max(high - low, 0.0) / (feature.step or 1))
        sides += [
            (region.bits(f.name) & f.everything).bit_count() for f in region.space.categorical
        ]
        return 0.0 if 0.0 in sides else math.prod(sides)


def _is_empty(region: Region) -> bool:
    space = region.space
    possible = np.maximum(region.lower, space.lowest) < np.minimum(region.upper, space.end)
    possible |= space.may_be_missing & (region.lower == -math.inf) & (region.upper > -math.inf)
    if not possible.all():
        return True
    masks = region.masks & space.everything
    starts = space.starts
    return any(not masks[a:b].any() for a, b in zip(starts[:-1], starts[1:], strict=True))


def _as_upper(written: int) -> int:
    """Return the bits of a lower bound as those of an upper bound: ``> 5`` turns into ``<= 5``."""
    return (UPPER_AFTER if written & LOWER_AFTER else 0) | (
        UPPER_FREE if written & LOWER_FREE else 0
    )


def _as_lower(written: int) -> int:
    return (LOWER_AFTER if written & UPPER_AFTER else 0) | (
        LOWER_FREE if written & UPPER_FREE else 0
    )


def _readable(feature: Continuous, lower: float, upper: float) -> float:
    """Return a number of few digits in the interval, ``-inf`` if only "missing" lies in it."""
    low, high = max(lower, feature.lowest), min(upper, feature.end)
    if low >= high:
        return -math.inf
    if low <= LOWEST and high == math.inf:
        return 0.0
    if low <= LOWEST:
        low = max(LOWEST, high - max(1.0, abs(high), 2.0 * feature.step))
    elif high == math.inf:
        high = low + max(1.0, abs(low), 2.0 * feature.step)
    middle = low / 2 + high / 2
    if feature.step:
        value = feature.snap(middle)
        return value if value < high else low
    for digits in range(1, 18):
        scale = 10.0 ** (math.floor(math.log10(abs(middle))) + 1 - digits) if middle else 1.0
        for near in (middle, math.floor(middle / scale) * scale, math.ceil(middle / scale) * scale):
            value = float(f"{near:.{digits}g}")
            if low <= value < high:
                return value
    return low


def _draw(feature: Continuous, low: float, high: float, n: int, rng: np.random.Generator) -> Floats:
    scale = float(max(feature.step, 1))
    if low > LOWEST and high < math.inf:
        drawn = low + rng.random(n) * (high - low)
    elif low > LOWEST:
        drawn = low + rng.exponential(max(scale, abs(low)), n)
    elif high < math.inf:
        drawn = high - rng.exponential(max(scale, abs(high)), n)
    else:
        drawn = rng.normal(0.0, scale, n)
    if feature.step:
        drawn = np.floor(drawn / feature.step) * feature.step
    # rounding may carry a number onto the excluded end
    return np.clip(drawn, low, feature.before(high) if high < math.inf else None)


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Return a numpy Generator for what scikit-learn calls a random_state."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, dtype=np.uint64))
    if random_state is None or isinstance(random_state, int | np.integer):
        return np.random.default_rng(random_state)
    raise DataError(f"random_state is None, an integer or a numpy generator, not {random_state!r}")
