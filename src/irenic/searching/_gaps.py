"""Search for gaps, the regions that no rule covers, or prove that there are none.

Deciding whether a set of rules covers everything is coNP-complete, and the number of gaps can be
exponential in the number of features. The search therefore takes a budget and reports how it ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from irenic.boxes import Boxes
from irenic.boxes.cutting import Cutter
from irenic.budget import Budget, Meter, Progress, StoppedBy
from irenic.errors import ConditionError
from irenic.model.literals import counted, display
from irenic.model.packed import PackedRules
from irenic.model.region import Region, whole_or
from irenic.model.ruleset import RuleSet, as_rule_set
from irenic.model.shown import Shown
from irenic.searching._paths import Options, Paths

# A search that was stopped merges its gaps only up to this number, to keep to its budget.
_MERGE_LIMIT = 20_000


@dataclass(frozen=True)
class Gaps(Shown):
    """A sequence of regions that no rule covers, and whether these are all.

    Parameters
    ----------
    regions : list of Region
        The gaps.
    finished : bool
        Whether the regions contain everything that no rule covers.
    nodes : int
        Number of search steps.
    stopped_by : str or None
        The limit that stopped the search; None if it finished.
    open_columns : tuple of str
        If only gaps among the values that rules name were searched for: columns of other values
        that no rule covers, though nothing declares the values of the column.
    example : Region, optional
        A region that no rule covers with such a value.
    open_finished : bool
        Whether the search for these columns finished.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, gaps
    >>> result = gaps(RuleSet([Rule({"age": (0, None)}, then="A")]))
    >>> result.is_complete, result.finished, list(result)
    (False, True, [age < 0])
    """

    regions: list[Region]
    finished: bool
    nodes: int
    stopped_by: StoppedBy | None
    _boxes: Boxes = field(repr=False)
    _within: Region = field(repr=False)
    _disjoint: bool = field(repr=False)
    open_columns: tuple[str, ...] = ()
    example: Region | None = None
    open_finished: bool = True

    @property
    def is_complete(self) -> bool | None:
        """Whether the rules cover everything; None if the search was stopped before it knew."""
        if self.regions or self.open_columns:
            return False
        return True if self.finished and self.open_finished else None

    def __len__(self) -> int:
        return len(self.regions)

    def __iter__(self) -> Iterator[Region]:
        return iter(self.regions)

    def __getitem__(self, i: int) -> Region:
        return self.regions[i]

    def fraction(self, X: Any) -> float:
        """Return the share of instances that no rule covers, even if the search was stopped.

        If the search was limited to a region, instances outside it count as covered.
        """
        instances = self._boxes.space.encode(X)
        if not len(instances):
            return 0.0
        n = len(self._boxes)
        packed = PackedRules.from_boxes(self._boxes, np.zeros(n, dtype=np.int32))
        uncovered = packed.deciding(instances, np.arange(n)) < 0
        return float((uncovered & self._within.contains(instances)).mean())

    def volume(self, within: Region | None = None) -> float:
        """Return the total volume of the regions; infinite if a region is unbounded."""
        for a in range(0 if self._disjoint else len(self.regions)):
            if any(self.regions[a].overlaps(b) for b in self.regions[a + 1 :]):
                raise ConditionError(
                    "regions must not overlap to have a volume; search with disjoint=True"
                )
        return float(sum(region.volume(within) for region in self.regions))

    def _verdict(self) -> str:
        if self.is_complete is None:
            return f"no gaps found, but the search was stopped by {self.stopped_by}"
        if self.is_complete:
            return "the rules cover everything"
        if not self.regions:
            return f"no rule covers other values of {', '.join(map(display, self.open_columns))}"
        known = "" if self.finished else f", and possibly more (stopped by {self.stopped_by})"
        return f"{counted(len(self), 'region')} that no rule covers{known}"

    def __repr__(self) -> str:
        shown = "".join(f"\n  {region}" for region in self.regions[:20])
        more = f"\n  … and {len(self) - 20} more" if len(self) > 20 else ""
        return f"<Gaps: {self._verdict()}{shown}{more}>"


def gaps(
    rules: RuleSet,
    *,
    within: Region | None = None,
    disjoint: bool = True,
    budget: Budget | float | None = None,
    progress: Progress | None = None,
) -> Gaps:
    """Return the regions that no rule covers and in which cases can occur.

    Parameters
    ----------
    rules : RuleSet
        The rules.
    within : Region, optional
        Search only in this region (default: the whole space).
    disjoint : bool, default True
        Whether the gaps are a partition of the uncovered part of the space. If False, return the
        maximal regions, none of which can be enlarged; they may overlap.
    budget : Budget or float (seconds), optional
        When it is used up, or after Ctrl-C, the gaps so far are returned, with ``finished=False``
        (default: unlimited). A limit on regions also limits the memory.
    progress : callable, optional
        Called regularly with the nodes and regions so far; returning True stops the search.

    Returns
    -------
    Gaps

    Notes
    -----
    Missing values and unlisted categories are part of the space if a feature allows them. Rules
    that decide only some labels cover a case like any others: labels that stay open are not gaps.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, gaps
    >>> rules = RuleSet([Rule({"age": (0, 10)}, then="child"),
    ...                  Rule({"age": (12, 99)}, then="adult")])
    >>> gaps(rules)
    <Gaps: 3 regions that no rule covers
      age < 0
      10 <= age < 12
      age >= 99>
    >>> gaps(rules, within=Region(rules.space, {"age": (0, 10)})).is_complete
    True
    """
    boxes = as_rule_set(rules).boxes
    box = whole_or(within, boxes.space)
    meter = Meter(budget)
    regions: list[Region] = []
    if not box.is_empty:
        find = _partition if disjoint else _maximal
        regions = find(boxes, box, meter, progress)
    finished = meter.stopped_by is None
    return Gaps(regions, finished, meter.nodes, meter.stopped_by, boxes, box, disjoint)


def _partition(boxes: Boxes, box: Region, meter: Meter, progress: Progress | None) -> list[Region]:
    cutter = Cutter(_near(boxes, box), box.box.simplified())
    try:
        for _ in cutter.bursts(meter, progress):
            pass
    except KeyboardInterrupt:
        meter.stopped_by = "interrupt"
    boxes = cutter.boxes()
    if meter.stopped_by is None or len(boxes) <= _MERGE_LIMIT:
        boxes = boxes.merged()
    limit = meter.budget.regions
    if limit is not None and len(boxes) > limit:
        meter.stopped_by = meter.stopped_by or "regions"
        boxes = boxes.take(slice(int(limit)))
    return Region.from_boxes(boxes)


def _maximal(boxes: Boxes, box: Region, meter: Meter, progress: Progress | None) -> list[Region]:
    paths = Paths(
        _near(boxes, box), box.box.simplified(), meter, Options(maximal=True, progress=progress)
    )
    regions: list[Region] = []
    try:
        regions.extend(paths)
    except KeyboardInterrupt:
        meter.stopped_by = "interrupt"
    return regions


def _near(boxes: Boxes, box: Region) -> Boxes:
    """Return boxes, and those of what is impossible, that overlap a region."""
    return boxes.near(box.box).concat(boxes.space.impossible_boxes.near(box.box))
