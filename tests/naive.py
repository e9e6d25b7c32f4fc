"""A slow oracle: it checks every cell of the grid of bounds with single comparisons.

A cell is a tuple of encoded values, one per feature: a number for a continuous feature (``-inf``
for missing), a code for a categorical one (0 missing, 1 other, then the values). Nothing changes
between adjacent bounds, so the cells of the regions at hand represent all points.
"""

from __future__ import annotations

import datetime as dt
import math
import sys
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np

from irenic import MISSING, OTHER, Continuous
from irenic.model.literals import Months, Prefix
from irenic.model.space import Instances

STEP = {"number": 0, "integer": 1, "date": 86_400_000_000, "months": 1}
EPOCH = dt.date(1970, 1, 1)

Cell = tuple[float, ...]


# --- the grid


def number(feature, value):
    """Return the number that encodes a value of a continuous feature."""
    if value is None:
        return -math.inf
    if isinstance(value, Months):
        return float(value.count)
    return float((value - EPOCH).days * STEP["date"] if isinstance(value, dt.date) else value)


def neighbors(feature, value):
    step = STEP[feature.kind]
    if step:
        return [value - step, value + step]
    return [math.nextafter(value, -math.inf), math.nextafter(value, math.inf)]


def can_occur(feature, value):
    low, high = feature.bounds
    step = STEP[feature.kind]
    return (
        math.isfinite(value)
        and (low is None or value >= number(feature, low))
        and (high is None or value <= number(feature, high))
        and (not step or value % step == 0)
    )


def axis(feature, cuts=()):
    """Return one value per cell of a feature that is cut at the given bounds."""
    if not isinstance(feature, Continuous):
        codes = range(2, len(feature.values) + 2)
        return [0] * feature.missing + [1] * feature.other + list(codes)
    ends = [number(feature, b) for b in feature.bounds if b is not None]
    points = {c for c in (*cuts, *ends) if math.isfinite(c)} | {0.0}
    points |= {n for p in points for n in neighbors(feature, p)}
    points |= {-sys.float_info.max, sys.float_info.max}
    step = STEP[feature.kind]
    for a, b in pairwise(sorted(points)):
        middle = a / 2 + b / 2
        points.add(math.floor(middle / step) * step if step else middle)
    missing = [-math.inf] if feature.missing else []
    return missing + sorted(p for p in points if can_occur(feature, p))


def shows(feature, value):
    """Return whether a value can be written: the calendar is finite, numbers are not."""
    if value == -math.inf:
        return True
    kind = getattr(feature, "kind", "")
    if kind == "months":
        return abs(value) <= 2**53
    return kind != "date" or abs(value / STEP["date"]) < 700_000


def grid(space, regions):
    """Return the axes of the grid that the bounds of the regions define."""
    axes = []
    for feature in space:
        cuts = []
        if isinstance(feature, Continuous):
            row = space.row(feature.name)
            cuts = [float(c) for r in regions for c in (r.lower[row], r.upper[row])]
        axes.append(axis(feature, cuts))
    return axes


def cells_of(axes) -> list[Cell]:
    return list(product(*axes))


# --- regions


def allows(region, feature, value):
    row = region.space.row(feature.name)
    if isinstance(feature, Continuous):
        return region.lower[row] <= value < region.upper[row]
    word = int(region.masks[region.space.starts[row] + value // 64])
    return bool(word >> value % 64 & 1)


def holds(region, cell):
    return all(allows(region, f, v) for f, v in zip(region.space, cell, strict=True))


def cells(region, axes) -> set[Cell]:
    """Return the cells that a region contains."""
    features = zip(region.space, axes, strict=True)
    return set(product(*([v for v in axis if allows(region, f, v)] for f, axis in features)))


# --- rules


def pairs(rules, *, same):
    """Return the pairs of rules that share a cell and have equal (or different) consequents."""
    rules = list(rules)
    if not rules:
        return []
    axes = grid(rules[0].region.space, [r.region for r in rules])
    covered = [cells(r.region, axes) for r in rules]
    return [
        (i, j)
        for i, j in combinations(range(len(rules)), 2)
        if (rules[i].then == rules[j].then) is same and covered[i] & covered[j]
    ]


def covering(rules, cell):
    return [i for i, rule in enumerate(rules) if holds(rule.region, cell)]


def decide(rules, cell, resolve="first"):
    """Return the index of the rule that decides a cell, or -1 if no rule covers it."""
    rules = list(rules)
    indices = covering(rules, cell)
    if not indices:
        return -1
    if resolve == "best":
        return max(indices, key=lambda i: (rules[i].weight, -i))
    if resolve == "vote":
        votes: dict[Any, float] = {}
        for i in indices:
            votes[rules[i].then] = votes.get(rules[i].then, 0.0) + rules[i].weight
        # ties go to the consequent whose rule comes first: a dict keeps that order
        winner = max(votes, key=lambda then: votes[then])
        return next(i for i in indices if rules[i].then == winner)
    return indices[0]


def predict(rules, cell, resolve="first", default=None):
    index = decide(rules, cell, resolve)
    return default if index < 0 else list(rules)[index].then


def n_conditions(rule):
    """Count the features that a rule has a condition on."""
    return len(rule.region.conditions())


def explanation_size(rules, some_cells):
    """Return the mean number of conditions, over cells, of all rules that cover the cell."""
    rules = list(rules)
    total = sum(n_conditions(rules[i]) for c in some_cells for i in covering(rules, c))
    return total / len(some_cells)


def list_explanation_size(rules, some_cells):
    """Return the mean number of conditions, over cells, that are read down to the deciding rule."""
    total = 0
    for cell in some_cells:
        for rule in rules:
            total += n_conditions(rule)
            if holds(rule.region, cell):
                break
    return total / len(some_cells)


# --- conditions as mappings of operators


def satisfies(operators, value):
    """Return whether a value (None: missing, OTHER: not listed) satisfies all operators."""
    if value is None and "missing" in operators:
        return operators["missing"]
    if value is OTHER and "other" in operators:
        return operators["other"]
    if not _asks(operators):
        return not (operators.get("missing") or operators.get("other"))
    tests = {
        "<": lambda b: value is not None and value < b,
        "<=": lambda b: value is not None and value <= b,
        ">": lambda b: value is not None and value > b,
        ">=": lambda b: value is not None and value >= b,
        "=": lambda b: value is not None and _means(b, value),
        "in": lambda listed: _is_listed(value, listed),
        "not in": lambda listed: not _is_listed(value, listed),
    }
    return all(test(operators[op]) for op, test in tests.items() if op in operators)


def _asks(operators):
    return any(op not in ("missing", "other") for op in operators)


def _is_listed(value, listed):
    if value is None:
        return any(v is None or v is MISSING for v in listed)
    return any(_means(v, value) for v in listed)


def _means(term, value):
    """Return whether a value, or a class of texts that begin alike, is what a term stands for."""
    if value is OTHER or not isinstance(term, Prefix):
        return term is value or (term is not OTHER and value is not OTHER and term == value)
    text = value.text if isinstance(value, Prefix) else value
    inside = isinstance(text, str) and text.startswith(term.text)
    return inside and not any(_means(part, value) for part in term.without)


# --- cells as instances of the library


def decode(feature, value):
    """Decode a value (OTHER for one that is not listed)."""
    if isinstance(feature, Continuous):
        if value == -math.inf:
            return None
        if feature.kind == "date":
            return EPOCH + dt.timedelta(days=value / STEP["date"])
        if feature.kind == "months":
            return Months(int(value))
        return int(value) if feature.kind == "integer" else value
    return {0: None, 1: OTHER}.get(value) if value < 2 else feature.values[value - 2]


def instances(space, some_cells) -> Instances:
    """Return cells as encoded instances."""
    columns = list(zip(*some_cells, strict=True)) or [()] * len(space)
    by_name = dict(zip(space.names, columns, strict=True))
    values = np.empty((len(space.continuous), len(some_cells)))
    codes = np.empty((len(space.categorical), len(some_cells)), dtype=np.int32)
    for feature in space:
        rows = values if isinstance(feature, Continuous) else codes
        rows[space.row(feature.name)] = by_name[feature.name]
    return Instances(space, values, codes)


def cell(space, instances_, i) -> Cell:
    """Return one of the encoded instances as a cell."""
    return tuple(
        float(instances_.values[space.row(f.name), i])
        if isinstance(f, Continuous)
        else int(instances_.codes[space.row(f.name), i])
        for f in space
    )
