"""Columns that never matter: whatever the value, the rules say the same."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from irenic.budget import Meter
from irenic.checking._rows import Rows
from irenic.model.cutting import Boxes, is_covered
from irenic.model.features import Continuous, Feature


def unasked(rows: Rows) -> list[str]:
    """Return the features that no rule asks about."""
    return [feature.name for feature in rows.space if not _asked(rows, feature).any()]


def without_effect(rows: Rows, meter: Meter) -> Iterator[str]:
    """Yield the features that rules ask about in vain.

    What is said where is the union of the boxes of each outcome. It does not depend on a feature
    if every box, its condition on the feature dropped, is still covered by its outcome. The first
    box that is not settles it, so a column that matters costs next to nothing.
    """
    outcomes = {
        int(code): rows.with_outside(rows.boxes.take(rows.then == code))
        for code in np.unique(rows.then)
    }
    # where rules agree with the default, they and the gaps are what the other outcomes leave
    silent = -1 if len(rows.differing) else rows.table.rules.code_of(rows.table.rules.default)
    for feature in rows.space:
        asked = _asked(rows, feature)
        stays = bool(asked.any()) and all(
            is_covered(rows.space, _freed(rows, box, feature), outcomes[int(rows.then[box])], meter)
            for box in np.flatnonzero(asked & (rows.then != silent)).tolist()
        )
        if meter.stopped_by is not None:
            return
        if stays:
            yield feature.name


def _asked(rows: Rows, feature: Feature) -> npt.NDArray[np.bool_]:
    """Return which boxes have a condition on a feature."""
    own = rows.space.row(feature.name)
    low, high, masks = rows.boxes
    if isinstance(feature, Continuous):
        return (low[:, own] > -np.inf) | (high[:, own] < np.inf)
    part = _words(rows, feature)
    return np.asarray((masks[:, part] != rows.space.everything[part]).any(axis=1))


def _freed(rows: Rows, box: int, feature: Feature) -> Boxes:
    """Return a box without its condition on a feature."""
    freed = rows.boxes.take(slice(box, box + 1)).copy()
    if isinstance(feature, Continuous):
        own = rows.space.row(feature.name)
        freed.low[:, own], freed.high[:, own] = -np.inf, np.inf
    else:
        part = _words(rows, feature)
        freed.masks[:, part] = rows.space.everything[part]
    return freed


def _words(rows: Rows, feature: Feature) -> slice:
    own = rows.space.row(feature.name)
    return slice(int(rows.space.starts[own]), int(rows.space.starts[own + 1]))
