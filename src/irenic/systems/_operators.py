"""Operators on regions for evolutionary rule learners: draw, mutate and cross.

They know nothing of other rules. A learner keeps its rules free of rivals by passing the region of
:func:`irenic.enlarge` as the room in which a region may change, or by intersecting with it.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from irenic.arrays import Indices
from irenic.model import Region
from irenic.model.features import LOWEST
from irenic.systems._rows import TrainingRows

# The most conditions of a new region.
_CONDITIONS: Final = 3
# How many thresholds a mutation moves a bound at most.
_STEPS: Final = 4
# How often a mutation changes a condition rather than adding one.
_CHANGE: Final = 0.6


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
    >>> from irenic.systems import TrainingRows, draw_region
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
    >>> from irenic.systems import TrainingRows, mutate_region
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
    >>> from irenic.systems import cross_regions
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

    def differing(self, other: _Sides) -> Indices:
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
