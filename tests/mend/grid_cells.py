"""What rules say of every cell of the grid of all their bounds."""

from __future__ import annotations

import naive


def cells_of(space, *groups):
    """Return the cells of the grid that the regions of several groups of rules make."""
    regions = [rule.region for rules in groups for rule in rules]
    return naive.cells_of(naive.grid(space, regions))


def said(rules, cells, default=None):
    """Return what the first rule that holds says of each cell."""
    rules = list(rules)
    return [naive.predict(rules, cell, default=default) for cell in cells]


def held(regions, cells):
    """Return how many of some regions hold each cell."""
    return [sum(naive.holds(region, cell) for region in regions) for cell in cells]
