"""Helpers to inspect plots of regions: their patches, texts and positions."""

from __future__ import annotations

import numpy as np

from irenic.plot._scale import Categories, Strip, scale_of


def patches(ax, gid):
    return [patch for patch in ax.patches if patch.get_gid() == gid]


def extent(patch):
    across, upwards = patch.get_patch_transform().transform(patch.get_path().vertices).T
    return across.min(), across.max(), upwards.min(), upwards.max()


def extents(ax, gid):
    return sorted(extent(patch) for patch in patches(ax, gid))


def holds(ax, gid, x, y):
    """Return whether a patch contains a point; right and upper edges are exclusive."""
    return any(
        left <= x < right and bottom <= y < top for left, right, bottom, top in extents(ax, gid)
    )


def texts(ax, gid):
    return [text.get_text() for text in ax.texts if text.get_gid() == gid]


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def positions_of(summary, values, missing=None):
    """Return the position of each value on its axis, or None if it is not drawn."""
    positions = []
    for name, value in values.items():
        scale = scale_of(summary, name, missing)
        if isinstance(scale, Categories):
            positions.append(scale.position.get(value))
            continue
        column = [None if value == float("-inf") else value]
        position = float(scale.positions(column, np.random.default_rng(0))[0])
        inside = scale.limits[0] <= position < scale.limits[1]
        positions.append(position if inside else None)
    return positions if len(positions) > 1 else [*positions, sum(Strip.limits) / 2]
