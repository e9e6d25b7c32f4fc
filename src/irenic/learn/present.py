"""Rules as reasons: without missing values of columns that have none in the training rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from irenic.arrays import Ints
from irenic.learn.front import FrontPoint
from irenic.model.features import LOWEST
from irenic.model.region import Region
from irenic.model.space import Instances


def present_regions(point: FrontPoint, reasons: Ints, cases: Instances) -> Mapping[int, Region]:
    """Return the regions of rules as reasons, by case, where they are not those of the rules.

    Learned conditions do not hold for missing values of a column that has none in the training
    rows. Those of rules that ``complete`` adds do, because some rule has to decide such cases. For
    a case that has the number, this is no part of the reason.

    Parameters
    ----------
    point : FrontPoint
        The rules, with the figures of columns.
    reasons : array of int
        Index of the rule that is the reason for each case; -1 for the default.
    cases : Instances
        The cases.

    Returns
    -------
    mapping from int to Region
    """
    rules, figures = point.rule_set, point.columns or {}
    boxes = rules.packed.boxes
    names = [feature.name for feature in rules.space.continuous]
    complete = np.array([n in figures and not figures[n].missing for n in names], dtype=bool)
    opened = (boxes.lower == -np.inf) & (boxes.upper < np.inf) & complete
    opened[: point.n_kept] = False  # rules of users stay as they are
    rows = np.flatnonzero(reasons >= 0)
    has_number = cases.values > -np.inf
    known = opened[reasons[rows]] & has_number[:, rows].T
    regions: dict[tuple[int, bytes], Region] = {}
    by_case: dict[int, Region] = {}
    some = known.any(axis=1)
    for row, axes in zip(rows[some].tolist(), known[some], strict=True):
        rule = int(reasons[row])
        if (key := (rule, axes.tobytes())) not in regions:
            box = rules[rule].region.box
            lower = np.where(axes, LOWEST, box.lower[0])
            regions[key] = Region.from_box(box.like(lower[None], box.upper, box.masks))
        by_case[row] = regions[key]
    return by_case
