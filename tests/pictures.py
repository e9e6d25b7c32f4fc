"""What can be asked of a picture of regions: which patches there are, and what they hold."""

from __future__ import annotations

import numpy as np

from irenic.plot._scale import Categories, Strip, scale_of


def patches(ax, gid):
    return [patch for patch in ax.patches if patch.get_gid() == gid]


def extent(patch):
    x, y = patch.get_xy()
    return x, x + patch.get_width(), y, y + patch.get_height()


def extents(ax, gid):
    return sorted(extent(patch) for patch in patches(ax, gid))


def holds(ax, gid, x, y):
    """Return whether a patch holds a point; right and upper edges do not belong to it."""
    return any(
        left <= x < right and bottom <= y < top for left, right, bottom, top in extents(ax, gid)
    )


def texts(ax, gid):
    return [text.get_text() for text in ax.texts if text.get_gid() == gid]


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def places_of(summary, values, missing=None):
    """Return where a value of each drawn feature lies on its axis, None if it is not drawn."""
    found = []
    for name, value in values.items():
        scale = scale_of(summary, name, missing)
        if isinstance(scale, Categories):
            found.append(scale.place.get(value))
            continue
        column = [None if value == float("-inf") else value]
        place = float(scale.places(column, np.random.default_rng(0))[0])
        inside = scale.limits[0] <= place < scale.limits[1]
        found.append(place if inside else None)
    return found if len(found) > 1 else [*found, sum(Strip.limits) / 2]
