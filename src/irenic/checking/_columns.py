"""Columns that never matter: no decision depends on their values."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from irenic.boxes import Boxes
from irenic.budget import Meter
from irenic.checking._rows import Rows


def untested(rows: Rows) -> list[str]:
    """Return the features that no rule tests."""
    tests = rows.boxes.tests()
    axes = zip(rows.space.names, rows.space.axes, strict=True)
    return [name for name, axis in axes if not tests[:, axis].any()]


def without_effect(rows: Rows, meter: Meter) -> Iterator[str]:
    """Yield the features that rules test without an effect on any decision.

    Each outcome is the union of its boxes. No outcome depends on a feature if every box without
    its condition on the feature is still covered by the boxes of its outcome. The first box that
    is not covered ends the search, so a column that matters is recognized quickly.
    """
    order = np.argsort(rows.then, kind="stable")
    ends = np.cumsum(np.bincount(rows.then)).tolist()
    outside = rows.table.space.impossible_boxes

    @cache
    def outcome(code: int) -> Boxes:
        same = order[ends[code - 1] if code else 0 : ends[code]]
        return rows.boxes.take(same).concat(outside)

    # Boxes with the default as outcome need no check: with the gaps, they are the complement of
    # the other outcomes, unless several rules decide together.
    overlapping = bool(len(rows.differing)) or rows.table.rules.is_partial
    skipped = -1 if overlapping else rows.table.rules.code_of(rows.table.rules.default)
    tests = rows.boxes.tests()
    for name, axis in zip(rows.space.names, rows.space.axes.tolist(), strict=True):
        tested = tests[:, axis]
        unchanged = bool(tested.any()) and all(
            rows.boxes.take([box]).freed(axis).is_covered(outcome(int(rows.then[box])), meter)
            for box in np.flatnonzero(tested & (rows.then != skipped)).tolist()
        )
        if meter.stopped_by is not None:
            return
        if unchanged:
            yield name
