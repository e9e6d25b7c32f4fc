"""Readable and random values of intervals and sets, and random moves of bounds."""

from __future__ import annotations

import math
from typing import Final, Literal, TypeAlias

import numpy as np

from irenic.arrays import Floats, Words
from irenic.errors import ConditionError, DataError
from irenic.model.features import LOWEST, Continuous

RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None
ShareOrRandom: TypeAlias = float | Literal["random"]

HIGHEST: Final = -LOWEST
_DAY: Final = 86_400_000_000.0
# The scale on which values without bounds are drawn; 1 for numbers.
_SCALES: Final = {
    "integer": 10.0,
    "date": 365 * _DAY,
    "datetime": _DAY,
    "duration": _DAY,
    "months": 12.0,
}


def readable(feature: Continuous, lower: float, upper: float) -> float:
    """Return a number with few digits from an interval, ``-inf`` if only "missing" lies in it."""
    low, high = feature.reach(lower, upper)
    if low >= high:
        return -math.inf
    if low <= LOWEST and high == math.inf:
        return 0.0
    if low <= LOWEST:
        low = max(feature.lowest, high - max(1.0, abs(high), 2.0 * feature.step))
    elif high == math.inf:
        high = min(low + max(1.0, abs(low), 2.0 * feature.step), feature.end, HIGHEST)
    middle = low / 2 + high / 2
    if feature.step:
        candidates = feature.snap(middle), low, feature.before(high)
        return next((v for v in candidates if low <= v < high and feature.shows(v)), low)
    magnitude = math.floor(math.log10(abs(middle))) + 1 if middle else 0
    for digits in range(1, 18):
        value = float(f"{middle:.{digits}g}")
        if low <= value < high:
            return value
        scale = max(10.0 ** (magnitude - digits) if middle else 1.0, math.ulp(0.0))
        for near in (math.floor(middle / scale) * scale, math.ceil(middle / scale) * scale):
            value = float(f"{near:.{digits}g}")
            if low <= value < high:
                return value
    return low


def draw(feature: Continuous, low: float, high: float, n: int, rng: np.random.Generator) -> Floats:
    """Return ``n`` random values between two cuts; see :meth:`Region.sample`."""
    scale = _SCALES.get(feature.kind, 1.0)
    last = feature.before(high) if high < math.inf else HIGHEST
    if low > LOWEST and high < math.inf:
        share = rng.random(n)
        values = low * (1.0 - share) + high * share
    elif low <= LOWEST and high == math.inf:
        values = rng.normal(0.0, scale, n)
    else:
        near, side = (low, 1.0) if low > LOWEST else (last, -1.0)
        with np.errstate(over="ignore"):
            values = near + side * rng.exponential(max(scale, abs(near)), n)
        values = np.where((values >= feature.lowest) & (values < feature.end), values, near)
    if feature.step:
        values = np.floor(values / feature.step) * feature.step
    return np.clip(values, low, last)  # rounding may move a number to the excluded end


def draw_one(feature: Continuous, low: float, high: float, rng: np.random.Generator) -> float:
    """Return the value that :func:`draw` would return for ``n = 1``, without arrays."""
    scale = _SCALES.get(feature.kind, 1.0)
    last = feature.before(high) if high < math.inf else HIGHEST
    if low > LOWEST and high < math.inf:
        share = rng.random()
        value = low * (1.0 - share) + high * share
    elif low <= LOWEST and high == math.inf:
        value = rng.normal(0.0, scale)
    else:
        near, side = (low, 1.0) if low > LOWEST else (last, -1.0)
        value = near + side * rng.exponential(max(scale, abs(near)))
        if not feature.lowest <= value < feature.end:
            value = near
    if feature.step:
        value = math.floor(value / feature.step) * feature.step
    return min(max(value, low), last)


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Return a numpy Generator for a ``random_state`` as in scikit-learn."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, dtype=np.uint64))
    if random_state is None or (isinstance(random_state, int | np.integer) and random_state >= 0):
        return np.random.default_rng(random_state)
    raise DataError(
        "random_state must be None, a non-negative integer or a numpy generator,"
        f" got {random_state!r}"
    )


def draw_shares(share: ShareOrRandom, shape: tuple[int, int], rng: np.random.Generator) -> Floats:
    """Return how far each bound moves: by ``share``, or by a random share per bound."""
    if share == "random":
        return rng.random(shape)
    if isinstance(share, str) or not 0.0 <= share <= 1.0:
        raise ConditionError(f'share must be a number from 0 to 1 or "random", got {share!r}')
    return np.full(shape, float(share))


def moved(start: Floats, goal: Floats, shares: Floats, rng: np.random.Generator) -> Floats:
    """Return bounds moved toward a goal by a share; if the goal is open, a bound jumps or stays."""
    open_ = (goal <= LOWEST) | (goal == math.inf)
    jumps = rng.random(len(start)) < shares
    between = ~open_ & np.isfinite(start) & (start > LOWEST)
    # Not start + share * (goal - start), where the difference of two huge bounds overflows.
    bounds = start.copy()
    share = shares[between]
    bounds[between] = (1.0 - share) * start[between] + share * goal[between]
    bounds = np.where((shares == 1.0) & ~open_, goal, bounds)
    return np.where(open_ & jumps, goal, bounds)


def draw_words(masks: Words, share: ShareOrRandom, rng: np.random.Generator) -> Words:
    """Return a random subset of the set bits, each with the probability ``share``."""
    subset = np.zeros_like(masks)
    for word, bits in enumerate(masks.tolist()):
        for code in range(bits.bit_length()):
            if bits >> code & 1 and rng.random() < (0.5 if share == "random" else share):
                subset[word] |= np.uint64(1) << np.uint64(code)
    return subset
