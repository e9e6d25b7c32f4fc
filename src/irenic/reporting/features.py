"""Encodes features: their values, the cuts of rules, and the distribution of instances."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import Final

import numpy as np

from irenic.arrays import Floats
from irenic.formats.json.rules import encode_value
from irenic.model.condition import Interval, codes_of, interval_operators
from irenic.model.features import (
    EXACT,
    LOWEST,
    UNWRITTEN,
    WANTED,
    Categorical,
    Continuous,
    Feature,
)
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances
from irenic.reporting import document
from irenic.reporting.encoding import encode_end, encode_equal, finite
from irenic.reporting.instances import value_texts

_BINS: Final = 32
# The share of the range that is drawn beyond values and cuts on unbounded sides.
_MARGIN: Final = 0.05
_WIDE_MARGIN: Final = 0.25  # if only the cuts are known
# Values are so skewed that bins grow: this share of them is in one of the equal bins, and the
# greatest is this many times the least positive one.
_MOST_IN_ONE: Final = 0.6
_MANY_TIMES: Final = 10.0


def encode_features(
    sets: Iterable[RuleSet], instances: Instances | None, shown: Collection[str] | None = None
) -> list[document.FeatureRecord]:
    """Return the features of rule sets over one space, with the distribution of instances.

    That of features that are not in ``shown`` is omitted (default: none is).
    """
    sets = list(sets)
    return [
        _feature(feature, sets, instances if shown is None or feature.name in shown else None)
        for feature in sets[0].space
    ]


def _feature(
    feature: Feature, sets: list[RuleSet], instances: Instances | None
) -> document.FeatureRecord:
    if isinstance(feature, Categorical):
        return _category(feature, instances)
    return _continuous(feature, _cuts(feature, sets), instances)


def _category(feature: Categorical, instances: Instances | None) -> document.CategoricalRecord:
    names = value_texts(feature)
    counts: document.CodeCounts | None = None
    if instances is not None:
        codes = instances.codes[instances.space.row(feature.name)]
        counts = {"counts": np.bincount(codes, minlength=len(names)).tolist()}
    return {
        "name": feature.name,
        "kind": "category",
        "missing": feature.missing,
        "values": names,
        "listed": [encode_value(value) for value in feature.values],
        "admitted": codes_of(feature.everything),
        "declared": feature.declared,
        "distribution": counts,
    }


def _continuous(
    feature: Continuous, cuts: list[float], instances: Instances | None
) -> document.ContinuousRecord:
    values = np.empty(0)
    missing = 0
    if instances is not None:
        column = instances.values[instances.space.row(feature.name)]
        values = column[column > -math.inf]
        missing = len(column) - len(values)
    low, high = _range(feature, cuts, values)
    all_cuts = frozenset(cuts)
    return {
        "name": feature.name,
        "kind": feature.kind,
        "unit": feature.unit,
        "missing": feature.missing,
        "wanted": WANTED[feature.kind],
        "lowest": None if feature.lowest == LOWEST else feature.lowest,
        "end": finite(feature.end),
        "bounded": [bound is not None for bound in feature.bounds],
        "step": feature.step,
        "range": [low, high],
        "cuts": [_cut(feature, cut, all_cuts) for cut in cuts],
        "distribution": None if instances is None else _histogram(values, low, high, missing),
    }


def _cuts(feature: Continuous, sets: list[RuleSet]) -> list[float]:
    """Return the sorted numbers where rules begin or end, without the end of missing values."""
    row = sets[0].space.row(feature.name)
    ends = np.concatenate([[*s.lower[row].tolist(), *s.upper[row].tolist()] for s in sets])
    return [float(c) for c in np.unique(ends + 0.0) if math.isfinite(c) and c != LOWEST]


def _cut(feature: Continuous, cut: float, cuts: frozenset[float]) -> document.Cut:
    """Return a cut, as written at the lower and at the upper end of a condition."""
    after = feature.after(cut)
    single = interval_operators(feature, Interval(cut, after, UNWRITTEN)) if after in cuts else {}
    above = interval_operators(feature, Interval(cut, math.inf, UNWRITTEN))
    below = interval_operators(feature, Interval(LOWEST, cut, UNWRITTEN))
    lower, upper = encode_end(above, ">", ">="), encode_end(below, "<", "<=")
    assert lower is not None
    assert upper is not None
    return {"at": cut, "lower": lower, "upper": upper, "equal": encode_equal(single)}


def _range(feature: Continuous, cuts: list[float], values: Floats) -> tuple[float, float]:
    """Return the range in which a feature is drawn: all values and cuts, and a margin."""
    ends = [*cuts, *([float(values.min()), float(values.max())] if len(values) else [])]
    declared = [feature.encode_value(b) for b in feature.bounds if b is not None]
    low, high = min([*ends, *declared], default=0.0), max([*ends, *declared], default=1.0)
    share = _MARGIN if len(values) else _WIDE_MARGIN
    margin = (high / 2 - low / 2) * 2 * share  # high - low may overflow
    if not margin or not math.isfinite(margin):
        margin = max(abs(low) * share, float(feature.step), 0.5)
    if feature.bounds[0] is None:
        low = max(low - margin, feature.lowest)
    if feature.bounds[1] is None:
        high = min(high + margin, -LOWEST)
    if high > low:
        return low, high
    return (low, low + margin) if math.isfinite(low + margin) else (low - margin, low)


def _histogram(values: Floats, low: float, high: float, missing: int) -> document.Histogram:
    """Return the counts of equal bins; for whole numbers, each bin has equally many of them.

    If nearly all values would be in one bin, bins grow with the values instead.
    """
    edges = np.linspace(low / 2, high / 2, _BINS + 1) * 2  # high - low may overflow
    if len(values) and (values % 1 == 0).all() and high - low < EXACT:
        width = max(1, math.ceil((high - low) / _BINS))
        edges = np.arange(math.floor(low) - 0.5, high + width, width)
    counts, _ = np.histogram(values, edges)
    has_single_values = (values % 1 == 0).all() and edges[1] - edges[0] == 1
    if counts.max(initial=0) > _MOST_IN_ONE * len(values) and not has_single_values:
        growing = _growing_edges(values, high)
        if growing is not None:
            edges = growing
            counts, _ = np.histogram(values, edges)
    return {
        "edges": edges.tolist(),
        "counts": counts.tolist(),
        "missing": missing,
        "least": float(values.min()) if len(values) else None,
        "greatest": float(values.max()) if len(values) else None,
    }


def _growing_edges(values: Floats, high: float) -> Floats | None:
    """Return edges whose distances grow by a factor, with the zeros in the first bin.

    None if there are negative values, or values of one size. The last edge is that of the drawing.
    """
    positive = values[values > 0]
    if not len(positive) or values.min() < 0:
        return None
    least, most = float(positive.min()), float(positive.max())
    if most < _MANY_TIMES * least or not math.isfinite(high / least):
        return None
    # by logarithms, because powers of the greatest numbers overflow
    steps = np.linspace(math.log(least), math.log(max(high, most)), _BINS - 1)[1:-1]
    return np.concatenate([[0.0, least], np.exp(steps), [max(high, most)]])
