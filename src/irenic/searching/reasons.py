"""Why a case is decided as it is: few conditions under which its decision is always the same.

Every explanation asks here. A reason has the fewest conditions of all regions around the case, or
of all parts of the deciding rule around it, in which no rule that would win predicts anything else.
"""

from __future__ import annotations

import numpy as np

from irenic.arrays import Bools, Floats, Ints
from irenic.boxes import Boxes
from irenic.boxes.covering import grown
from irenic.model.features import LOWEST
from irenic.model.region import Region
from irenic.model.ruleset import Resolve, RuleSet, possible_parts
from irenic.model.space import Instances
from irenic.searching._cfsbe import enlarge_many
from irenic.searching._fewest import fewest_order


def reason_regions(
    rules: RuleSet,
    cases: Instances,
    decided: Ints,
    resolve: Resolve | None = None,
    *,
    order: Ints | None = None,
) -> dict[int, Region]:
    """Return the regions of reasons, by case, where they are not those of whole rules.

    Parameters
    ----------
    rules : RuleSet
        The rules.
    cases : Instances
        The cases.
    decided : array of int
        Index of the rule that decides each case; -1 for the default or nothing.
    resolve : {"first", "best", "vote"}, optional
        How rules that contradict each other are chosen between (default: where they do, nothing
        is decided).
    order : array of int, optional
        The rules from the first to win to the last, instead of ``resolve``.

    Returns
    -------
    dict of int to Region

    >>> from irenic import Rule
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="free"),
    ...                  Rule({"pass": {True}}, then="half")], default="full")
    >>> cases = rules.space.encode({"age": [40, 70], "pass": [True, False]})
    >>> reason_regions(rules, cases, np.array([1, -1]), "first")
    {1: age >= 18 and pass in {false}, 0: age >= 18 and pass in {true}}
    """
    left = np.flatnonzero(decided < 0)
    by_default = default_regions(rules, cases.take(left))
    regions = {
        row: region
        for row, region in zip(left.tolist(), by_default, strict=True)
        if region is not None
    }
    if order is None and rules.is_consistent:  # no rule overlaps a rival
        return regions
    if resolve == "vote":
        return regions | _voting_regions(rules, cases, np.flatnonzero(decided >= 0))
    if resolve == "best":
        order = np.argsort(-rules.weights, kind="stable")
    elif resolve == "first":
        order = np.arange(len(rules))
    rank = np.zeros(len(rules), dtype=np.int64)
    if order is not None:
        rank[order] = np.arange(len(rules))
    of_code: dict[int, tuple[Boxes, Ints]] = {}
    for rule in np.unique(decided[decided >= 0]).tolist():
        code = int(rules.then_codes[rule])
        if code not in of_code:
            of_code[code] = possible_parts(rules, rules.thens[rule])
        rivals, owners = of_code[code]
        limit = rules.boxes.take([rule])
        wins = rivals.meeting(limit)
        if order is not None:
            wins &= rank[owners] < rank[rule]
        if wins.any():
            rows = np.flatnonzero(decided == rule)
            regions |= _parts(cases, rows, limit, rivals.take(wins))
    return regions


def _voting_regions(rules: RuleSet, cases: Instances, rows: Ints) -> dict[int, Region]:
    """Return the regions in which the same rules vote."""
    everything, owners = possible_parts(rules, None)
    voting, group = np.unique(rules.covering(cases.take(rows)), axis=0, return_inverse=True)
    regions: dict[int, Region] = {}
    for place, holds in enumerate(voting):
        limit = common_part(rules.boxes.take(np.flatnonzero(holds)))
        others = everything.take(~holds[owners])
        regions |= _parts(cases, rows[group.ravel() == place], limit, others)
    return regions


def _parts(cases: Instances, rows: Ints, limit: Boxes, rivals: Boxes) -> dict[int, Region]:
    """Return the part of a box around each of some cases that meets no rival."""
    rivals = rivals.near(limit)
    first, group = cells_of(cases.take(rows), [rivals])
    parts = [
        Region.from_box(part_around(cases.take([row]), limit, rivals))
        for row in rows[first].tolist()
    ]
    return {row: parts[cell] for row, cell in zip(rows.tolist(), group.tolist(), strict=True)}


def common_part(boxes: Boxes) -> Boxes:
    """Return the box in which all boxes overlap."""
    part = boxes.take([0])
    for place in range(1, len(boxes)):
        part = part & boxes.take([place])
    return part


def part_around(point: Instances, limit: Boxes, rivals: Boxes) -> Boxes:
    """Return the part of a box around a point that meets no rival, with the fewest conditions."""
    rivals = rivals.near(limit)
    start, given = around(point), limit.simplified().tests()[0]
    order = fewest_order(point.space, ~rivals.meeting_by_axis(start), given)
    box = grown(start, limit, rivals, order.tolist())
    return _present(box, point.values[:, 0], ~given[: len(point.values)])


def around(point: Instances) -> Boxes:
    """Return the smallest box that contains a point."""
    space = point.space
    lower = point.values[:, 0].copy()
    upper = np.array(
        [
            np.nextafter(v, np.inf) if v == -np.inf else f.after(v)
            for f, v in zip(space.continuous, lower.tolist(), strict=True)
        ],
        dtype=np.float64,
    )
    box = Boxes(space, lower[None], upper[None], space.words_of(point.codes)[None])
    return box.simplified()


def cells_of(cases: Instances, boxes: list[Boxes]) -> tuple[Ints, Ints]:
    """Return the first case of each cell, and the cell of each case.

    No bound of a box lies between two cases of one cell.
    """
    space, cell = cases.space, np.zeros(len(cases), dtype=np.int64)
    n_continuous = len(space.continuous)
    lower, upper, masks = (
        np.concatenate([getattr(one, name) for one in boxes])
        for name in ("lower", "upper", "masks")
    )
    tested = np.any([one.tests().any(axis=0) for one in boxes], axis=0)
    for axis in np.flatnonzero(tested).tolist():
        if axis < n_continuous:
            values = cases.values[axis]
            bounds = np.unique([lower[:, axis], upper[:, axis]])
            places = np.where(values == -np.inf, 0, np.searchsorted(bounds, values, "right") + 1)
        else:
            words = np.ascontiguousarray(masks[:, space.sets[axis - n_continuous]])
            bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
            alike = np.unique(bits, axis=1, return_inverse=True)[1]
            places = alike.ravel()[cases.codes[axis - n_continuous]]
        cell = np.unique(cell * (int(places.max()) + 1) + places, return_inverse=True)[1]
    _, first = np.unique(cell, return_index=True)
    return first, cell


def default_regions(rules: RuleSet, cases: Instances) -> list[Region | None]:
    """Return a region around each case in which only the default, or nothing, can decide.

    It is that of CFSBE with the order of features that leaves the fewest conditions: a rule for the
    default there contradicts no rule, and without a default, no rule covers it. None if rules
    decide only some labels. Numbers that a case has are not said to be possibly missing, because
    this is no part of its reason.

    Parameters
    ----------
    rules : RuleSet
        Rules, none of which covers a case.
    cases : Instances
        The cases.

    Returns
    -------
    list of Region or None

    >>> from irenic import Rule, RuleSet
    >>> rule = Rule({"age": (None, 18), "income": (None, 9)}, then="free")
    >>> rules = RuleSet([rule], default="full")
    >>> default_regions(rules, rules.space.encode({"age": [40, 3], "income": [5, 12]}))
    [age >= 18, income >= 9]
    """
    if rules.is_partial or not len(cases):
        return [None] * len(cases)
    first, group = cells_of(cases, [rules.packed.boxes])
    few = cases.take(first)
    grown_regions = enlarge_many(rules, few, consequent=rules.default, order="fewest")
    regions = [
        Region.from_box(_present(region.box, few.values[:, row]))
        for row, region in enumerate(grown_regions)
    ]
    return [regions[place] for place in group.tolist()]


def _present(box: Boxes, values: Floats, axes: Bools | bool = True) -> Boxes:
    """Return a box without missing values of the numbers that it tests and a case has.

    ``axes`` marks the numbers that this concerns. That they could also be missing is no part of the
    reason of a decision.
    """
    lower = box.lower.copy()
    tested = (lower[0] == -np.inf) & (box.upper[0] < np.inf)
    lower[0, tested & (values > -np.inf) & axes] = LOWEST
    return box.like(lower, box.upper, box.masks)
