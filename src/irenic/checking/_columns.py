"""Columns that never matter: whatever the value, the rules say the same."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from irenic.budget import Meter
from irenic.checking._rows import Rows


def unasked(rows: Rows) -> list[str]:
    """Return the features that no rule asks about."""
    tests, axes = rows.boxes.tests(), rows.space.axes
    asked = [bool(tests[:, axis].any()) for axis in axes]
    return [name for name, is_asked in zip(rows.space.names, asked, strict=True) if not is_asked]


def without_effect(rows: Rows, meter: Meter) -> Iterator[str]:
    """Yield the features that rules ask about in vain.

    What is said where is the union of the boxes of each outcome. It does not depend on a feature
    if every box, its condition on the feature dropped, is still covered by its outcome. The first
    box that is not settles it, so a column that matters costs next to nothing.
    """
    outcomes = {
        int(code): rows.boxes.take(rows.then == code).concat(rows.table.outside_boxes)
        for code in np.unique(rows.then)
    }
    # where rules agree with the default, they and the gaps are what the other outcomes leave
    silent = -1 if len(rows.differing) else rows.table.rules.code_of(rows.table.rules.default)
    tests = rows.boxes.tests()
    for name, axis in zip(rows.space.names, rows.space.axes.tolist(), strict=True):
        asked = tests[:, axis]
        stays = bool(asked.any()) and all(
            rows.boxes.take([box]).freed(axis).is_covered(outcomes[int(rows.then[box])], meter)
            for box in np.flatnonzero(asked & (rows.then != silent)).tolist()
        )
        if meter.stopped_by is not None:
            return
        if stays:
            yield name
