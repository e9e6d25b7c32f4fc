"""What a rule set makes of each column that it tests: how much depends on it, and its limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from irenic.arrays import Floats, Ints, as_scalars, has_codes
from irenic.learn.tally import ColumnSums
from irenic.model.deciding import Resolve
from irenic.model.features import MISSING_CODE, OTHER_CODE
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances

# Importances of large rule sets would otherwise take longer than the rest of a fit.
_ROW_LIMIT: Final = 2_000


@dataclass(frozen=True)
class ColumnFigures:
    """A column that rules test: how much depends on it, and which values the training rows have.

    Parameters
    ----------
    importance : float
        Share of predictions that change if a row gets the value of another row.
    low, high : float or None
        Least and greatest number, as encoded; None for categories and if all are missing.
    missing : int
        Number of training rows without a value.
    other : int
        Number of training rows with a value that the category does not list.
    whole : bool
        Whether all training values are whole numbers.
    """

    importance: float
    low: float | None = None
    high: float | None = None
    missing: int = 0
    other: int = 0
    whole: bool = False


def column_figures(
    rules: RuleSet,
    instances: Instances,
    weight: Floats,
    resolve: Resolve | None = None,
    sums: ColumnSums | None = None,
) -> dict[str, ColumnFigures]:
    """Return the figures of each column that a rule tests.

    Importances come from at most 2,000 of the training rows, evenly spaced. ``sums`` are what is in
    the columns, if there are more rows than ``instances``.

    >>> from irenic import Rule, RuleSet
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="free")], default="full")
    >>> rows = rules.space.encode({"age": [3, 9, 30, 70]})
    >>> column_figures(rules, rows, np.ones(4))
    {'age': ColumnFigures(importance=0.5, low=3.0, high=70.0, missing=0, other=0, whole=True)}
    """
    space, n_continuous = rules.space, len(rules.space.continuous)
    tested = rules.packed.boxes.tests().any(axis=0)
    names = {int(axis): name for name, axis in zip(space.names, space.axes.tolist(), strict=True)}
    importance = dict(_importances(rules, _evenly(instances, weight), resolve))
    sums = ColumnSums.of(instances) if sums is None else sums
    figures = {}
    for axis in sorted(np.flatnonzero(tested).tolist(), key=lambda a: space.index(names[a])):
        if axis >= n_continuous:
            counts = sums.counts[axis - n_continuous]
            missing, other = int(counts[MISSING_CODE]), int(counts[OTHER_CODE])
            figures[names[axis]] = ColumnFigures(importance[axis], None, None, missing, other)
            continue
        low, high = float(sums.low[axis]), float(sums.high[axis])
        known = low <= high
        figures[names[axis]] = ColumnFigures(
            importance[axis],
            low if known else None,
            high if known else None,
            int(sums.missing[axis]),
            whole=not sums.fractions[axis],
        )
    return figures


def _evenly(instances: Instances, weight: Floats) -> tuple[Instances, Floats]:
    """Return at most so many rows that importances are computed fast, evenly spaced."""
    if len(instances) <= _ROW_LIMIT:
        return instances, weight
    rows = np.linspace(0, len(instances) - 1, _ROW_LIMIT).astype(np.intp)
    return instances.take(rows), weight[rows]


def _importances(
    rules: RuleSet, sample: tuple[Instances, Floats], resolve: Resolve | None
) -> Iterator[tuple[int, float]]:
    """Yield the axis of each tested feature, and the share of predictions that depend on it.

    It is the expected share of predictions that change if a row gets the value of a row drawn at
    random. Rules only distinguish cells of values, so few rows and values have to be tried.
    """
    instances, weight = sample
    cells = _cells(rules, instances)
    if not cells:
        return
    # big-endian bytes sort like the cells
    rows = as_scalars(np.column_stack(list(cells.values())).astype(">u4"))
    _, first, kind = np.unique(rows, return_index=True, return_inverse=True)
    share = np.bincount(kind, weights=weight) / weight.sum()
    kinds = instances.take(first)
    usual = _predicted(rules, kinds, resolve)
    n_continuous, n_rows = len(rules.space.continuous), len(first)
    for axis, cell in cells.items():
        donor = np.full(int(cell.max()) + 1, -1)
        donor[cell] = np.arange(len(cell))
        donors = donor[donor >= 0]
        chance = (np.bincount(cell, weights=weight) / weight.sum())[donor >= 0]
        values, codes = np.tile(kinds.values, len(donors)), np.tile(kinds.codes, len(donors))
        tried = Instances(rules.space, values, codes)
        if axis < n_continuous:
            tried.values[axis] = np.repeat(instances.values[axis, donors], n_rows)
        else:
            place = axis - n_continuous
            tried.codes[place] = np.repeat(instances.codes[place, donors], n_rows)
        changed = _predicted(rules, tried, resolve).reshape(len(donors), n_rows) != usual
        yield axis, float(chance @ changed @ share)


def _cells(rules: RuleSet, instances: Instances) -> dict[int, Ints]:
    """Return for each axis that rules test the cell of each row: rules treat its values alike."""
    boxes, space = rules.packed.boxes, rules.space
    n_continuous = len(space.continuous)
    cells: dict[int, Ints] = {}
    for axis in np.flatnonzero(boxes.tests().any(axis=0)).tolist():
        if axis < n_continuous:
            cuts = np.sort(np.concatenate([boxes.lower[:, axis], boxes.upper[:, axis]]))
            cells[axis] = np.searchsorted(cuts, instances.values[axis], side="right")
            continue
        words = space.sets[axis - n_continuous]
        codes, inverse = np.unique(instances.codes[axis - n_continuous], return_inverse=True)
        holds = has_codes(boxes.masks[:, words], codes)
        _, kinds = np.unique(holds, axis=1, return_inverse=True)
        cells[axis] = kinds.reshape(-1)[inverse.reshape(-1)]
    return cells


def _predicted(rules: RuleSet, instances: Instances, resolve: Resolve | None) -> Ints:
    """Return a code of the prediction for each row, equal for equal predictions."""
    code_of: dict[Any, int] = {}
    if rules.is_partial:
        thens = rules.predict(instances, resolve=resolve).tolist()
        return np.array([code_of.setdefault(then, len(code_of)) for then in thens], dtype=np.int64)
    codes = [code_of.setdefault(then, len(code_of)) for then in (*rules.thens, rules.default)]
    return np.array(codes, dtype=np.int64)[rules.decide(instances, resolve=resolve)]
