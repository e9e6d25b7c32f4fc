"""The decisions of rules in every cell of the grid of all their bounds."""

from __future__ import annotations

import naive


def cells_of(space, *groups):
    """Return the cells of the grid of the bounds of several groups of rules."""
    regions = [rule.region for rules in groups for rule in rules]
    return naive.cells_of(naive.grid(space, regions))


def possible_cells(space, *groups):
    """Return the cells of the grid of several groups of rules that can occur."""
    regions = [*space.impossible, *(rule.region for rules in groups for rule in rules)]
    cells = naive.cells_of(naive.grid(space, regions))
    return [cell for cell in cells if not any(naive.holds(r, cell) for r in space.impossible)]


def decisions(rules, cells, default=None):
    """Return the consequent of the first rule that covers each cell."""
    rules = list(rules)
    return [naive.predict(rules, cell, default=default) for cell in cells]


def n_containing(regions, cells):
    """Return the number of regions that contain each cell."""
    return [sum(naive.holds(region, cell) for region in regions) for cell in cells]
