"""Gaps among the values that rules name, and the columns whose other values no rule covers.

If a table declares no values for a column of texts, any other text can occur in it. Rules that list
every combination of the values that they name would have a gap for each column, and tables with
real gaps many more. These gaps are therefore not listed one by one: the search is limited to the
values that rules name, and then asks for each such column whether its other values are covered.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from irenic.arrays import Words
from irenic.boxes import Boxes
from irenic.boxes.cutting import Cutter
from irenic.budget import Budget, Meter, Progress
from irenic.model.features import MISSING_CODE, OTHER_CODE
from irenic.model.region import Region
from irenic.model.ruleset import RuleSet
from irenic.searching._gaps import Gaps, gaps

_MISSING, _OTHER = np.uint64(1 << MISSING_CODE), np.uint64(1 << OTHER_CODE)


def named_gaps(
    rules: RuleSet, *, budget: Budget | float | None = None, progress: Progress | None = None
) -> Gaps:
    """Return the gaps among the values that rules name, and the columns with other open values.

    Parameters
    ----------
    rules : RuleSet
        The rules.
    budget : Budget or float (seconds), optional
        Limits of the search for gaps and, each by itself, of the search for open columns.
    progress : callable, optional
        Called regularly during the search for gaps, as in :func:`irenic.gaps`.

    Returns
    -------
    Gaps

    Examples
    --------
    >>> from irenic import Rule
    >>> job = {"in": ["nurse"]}
    >>> found = named_gaps(RuleSet([Rule({"job": job, "age": {"<": 18}}, then="A")]))
    >>> found.regions, found.open_columns, found.example
    ([age >= 18], ('job',), job not in {nurse})
    >>> found.is_complete
    False
    >>> named_gaps(RuleSet([Rule({"job": job}, then="A")]))
    <Gaps: no rule covers other values of job>
    """
    space = rules.space
    boxes = rules.boxes.concat(space.impossible_boxes)
    named = named_values(boxes)
    if not named:
        return gaps(rules, budget=budget, progress=progress)
    budget = Budget.from_value(budget)
    among_named = Region.from_box(_limited(Boxes.whole(space), named, named))
    found = gaps(rules, within=among_named, budget=budget, progress=progress)
    search = _OpenColumns(boxes, named, Meter(Budget(seconds=budget.seconds, nodes=budget.nodes)))
    uncovered = search.uncovered()
    return replace(
        found,
        regions=_with_other_values(found.regions, named),
        open_columns=tuple(space.categorical[j].name for j in sorted(uncovered)),
        example=search.example,
        open_finished=search.meter.stopped_by is None,
    )


def named_values(boxes: Boxes) -> dict[int, Words]:
    """Return the values that rules name in open columns, by the place of the categorical feature.

    A column is open if other values can occur, though nothing declares it. A column in which a rule
    distinguishes other values from those that it names, as ``not(nurse)`` does, is none: then rules
    say what holds for other values. Missing values count as named.

    >>> from irenic import Rule
    >>> rules = RuleSet([Rule({"job": {"in": ["nurse"]}}, then="A")])
    >>> named_values(rules.boxes)
    {0: array([5], dtype=uint64)}
    >>> rules = RuleSet([*rules, Rule({"job": {"not in": ["nurse"]}}, then="B")])
    >>> named_values(rules.boxes)
    {}
    """
    space = boxes.space
    named = {}
    for j, (feature, words) in enumerate(zip(space.categorical, space.sets, strict=True)):
        if not feature.other or feature.declared:
            continue
        masks = boxes.masks[:, words]
        tested = masks[(masks != space.everything[words]).any(axis=1)]
        union = np.bitwise_or.reduce(tested, axis=0)
        union[0] |= _MISSING
        if not union[0] & _OTHER and (union[0] > _MISSING or union[1:].any()):
            named[j] = union
    return named


def _limited(boxes: Boxes, named: dict[int, Words], columns: Collection[int]) -> Boxes:
    """Return boxes without the values of some columns that no rule names."""
    masks = boxes.masks.copy()
    for j in columns:
        masks[:, boxes.space.sets[j]] &= named[j]
    return boxes.like(boxes.lower, boxes.upper, masks)


def _with_other_values(regions: list[Region], named: dict[int, Words]) -> list[Region]:
    """Return regions that no rule covers with all values of the columns that they leave free.

    Nor does a rule cover the values there that none names, because a rule that covers these in an
    open column covers all values of the column.
    """
    if not regions:
        return regions
    first, *rest = (region.box for region in regions)
    boxes = first.concat(*rest)
    space, masks = boxes.space, boxes.masks.copy()
    for j, values in named.items():
        words = space.sets[j]
        everything = space.everything[words]
        masks[(masks[:, words] == (values & everything)).all(axis=1), words] = everything
    return Region.from_boxes(boxes.like(boxes.lower, boxes.upper, masks))


class _OpenColumns:
    """The search for the columns whose values that no rule names are not covered."""

    def __init__(self, boxes: Boxes, named: dict[int, Words], meter: Meter) -> None:
        self.boxes, self.named, self.meter = boxes, named, meter
        self.whole = Boxes.whole(boxes.space)
        self.known = boxes.concat(_limited(self.whole, named, named))
        self.example: Region | None = None

    def uncovered(self) -> set[int]:
        """Return columns such that each uncovered case has a value in one of them that none names.

        Cases with named values only do not count. The columns are those of which a single such
        value leads to an uncovered case, and of cases that need several, a least set of columns.
        """
        found = {j for j in self.named if self._first({j}) is not None}
        while (gap := self._first(self.named.keys() - found)) is not None:
            needed = self._unnamed(gap)
            for j in sorted(needed):
                if self._first(needed - {j}) is not None:
                    needed.discard(j)
            found |= needed
        return found

    def _first(self, columns: set[int]) -> Boxes | None:
        """Return an uncovered region with values of these columns that none names, or None."""
        if not columns or self.meter.stopped_by is not None:
            return None
        box = _limited(self.whole, self.named, self.named.keys() - columns)
        cutter = Cutter(self.known.take(self.known.meeting(box)), box, first=True)
        if not any(cutter.bursts(self.meter)):
            return None
        gap = cutter.boxes().take([0])
        if self.example is None:
            self.example = Region.from_box(self._freed(gap))
        return gap

    def _freed(self, gap: Boxes) -> Boxes:
        """Return an uncovered region without the conditions that it does not need."""
        d = gap.lower.shape[1]
        needed = {d + j for j in self._unnamed(gap)}
        for axis in sorted(set(range(d + len(gap.space.sets))) - needed):
            freed = gap.freed(axis)
            if not self.boxes.meeting(freed).any():
                gap = freed
        return gap

    def _unnamed(self, gap: Boxes) -> set[int]:
        """Return the columns in which a region contains only values that no rule names."""
        sets = self.whole.space.sets
        return {j for j, values in self.named.items() if not (gap.masks[0, sets[j]] & values).any()}
