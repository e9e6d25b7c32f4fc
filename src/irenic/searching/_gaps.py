"""What no rule covers: every gap, or the proof that there is none.

Deciding whether a set of rules covers everything is NP-hard in general, and the number of gaps can
be exponential in the number of features; hence the budget, and an answer that says how it ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from irenic.boxes import Boxes
from irenic.boxes.cutting import Cutter
from irenic.budget import Budget, Meter, Progress, StoppedBy
from irenic.errors import ConditionError
from irenic.model import markup
from irenic.model.region import Region, whole_or
from irenic.model.ruleset import RuleSet, check_rules
from irenic.searching._paths import Options, Paths

# How many gaps of a search that was stopped are still merged.
_MOST_MERGED = 20_000
# How many gaps a notebook shows.
_MOST_SHOWN = 50


@dataclass(frozen=True)
class Gaps:
    """Regions that no rule covers, and whether they are all of it.

    >>> from irenic import Rule, RuleSet
    >>> found = gaps(RuleSet([Rule({"age": (0, None)}, then="A")]))
    >>> found.is_complete, found.finished, list(found)
    (False, True, [age < 0])
    """

    regions: list[Region]
    finished: bool
    """Whether the search ran to its end: the regions hold everything that no rule covers."""
    nodes: int
    """How many boxes were looked at."""
    stopped_by: StoppedBy | None
    """What ended the search early, if anything did."""
    _rules: RuleSet = field(repr=False)
    _within: Region = field(repr=False)
    _disjoint: bool = field(repr=False)

    @property
    def is_complete(self) -> bool | None:
        """Whether the rules cover everything; None if the search ended before that was known."""
        if self.regions:
            return False
        return True if self.finished else None

    def __len__(self) -> int:
        return len(self.regions)

    def __iter__(self) -> Iterator[Region]:
        return iter(self.regions)

    def __getitem__(self, i: int) -> Region:
        return self.regions[i]

    def fraction(self, X: Any) -> float:
        """Return the share of instances that lie in a gap: no rule covers them.

        It does not depend on how far the search came. Of gaps ``within`` a region, only
        instances in it count as uncovered.
        """
        instances = self._rules.space.encode(X)
        if not len(instances):
            return 0.0
        uncovered = self._rules.decide(instances, resolve="first") < 0
        return float((uncovered & self._within.contains(instances)).mean())

    def volume(self, within: Region | None = None) -> float:
        """Return the volume of all regions together; infinite where the space is not bounded.

        Regions that overlap (``disjoint=False``) cannot be summed.
        """
        for a in range(0 if self._disjoint else len(self.regions)):
            if any(self.regions[a].overlaps(b) for b in self.regions[a + 1 :]):
                raise ConditionError("the regions overlap; find them with disjoint=True")
        return float(sum(region.volume(within) for region in self.regions))

    def _repr_html_(self) -> str:
        colour = {True: markup.GREEN, False: markup.ORANGE, None: markup.GREY}
        said = markup.verdict(self._verdict(), colour[self.is_complete])
        if not self.regions:
            return markup.block(said)
        shown = enumerate(self.regions[:_MOST_SHOWN], 1)
        listed = markup.table(
            [markup.Column("gap", True), markup.Column("region")],
            [(str(i), markup.code(str(region))) for i, region in shown],
        )
        return markup.block(said, listed, markup.left_out(len(self) - _MOST_SHOWN))

    def _verdict(self) -> str:
        if self.is_complete is None:
            return f"no gap found before the search was stopped by {self.stopped_by}"
        if self.is_complete:
            return "the rules cover everything"
        known = "" if self.finished else f", and perhaps more (stopped by {self.stopped_by})"
        return f"{len(self)} region{'s' if len(self) > 1 else ''} that no rule covers{known}"

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
    """Return the regions that no rule covers.

    Parameters
    ----------
    rules : RuleSet
    within : Region, optional
        Look only in this region.
    disjoint : bool
        True: a partition of all that is uncovered, neighbours merged. False: the maximal
        regions, none of which can be enlarged; they overlap.
    budget : Budget or float (seconds), optional
        When it is used up, what was found is returned, with ``finished=False``. Ctrl-C does the
        same. There can be very many gaps: a budget of regions bounds the memory too.
    progress : callable, optional
        Called now and then with the nodes and the regions so far.

    Missing values and unlisted categories are part of the space where a feature may have them.

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
    check_rules(rules)
    rules = rules.copy()  # what is found stays true of the rules as they are now
    box = whole_or(within, rules.space)
    meter = Meter(budget)
    found: list[Region] = []
    if not box.is_empty:
        find = _partition if disjoint else _maximal
        found = find(rules, box, meter, progress)
    finished = meter.stopped_by is None
    return Gaps(found, finished, meter.nodes, meter.stopped_by, rules, box, disjoint)


def _partition(
    rules: RuleSet, box: Region, meter: Meter, progress: Progress | None
) -> list[Region]:
    cutter = Cutter(_near(rules, box), box.box.simplified())
    try:
        for _ in cutter.bursts(meter, progress):
            pass
    except KeyboardInterrupt:
        meter.stopped_by = "interrupt"
    boxes = cutter.boxes()
    # a partial list that nobody can read is handed on as it is, or the budget would mean nothing
    if meter.stopped_by is None or len(boxes) <= _MOST_MERGED:
        boxes = boxes.merged()
    most = meter.budget.regions
    if most is not None and len(boxes) > most:
        meter.stopped_by = meter.stopped_by or "regions"
        boxes = boxes.take(slice(int(most)))
    return Region.from_boxes(boxes)


def _maximal(rules: RuleSet, box: Region, meter: Meter, progress: Progress | None) -> list[Region]:
    paths = Paths(
        _near(rules, box), box.box.simplified(), meter, Options(maximal=True, progress=progress)
    )
    found: list[Region] = []
    try:
        found.extend(paths)
    except KeyboardInterrupt:
        meter.stopped_by = "interrupt"
    return found


def _near(rules: RuleSet, box: Region) -> Boxes:
    """Return the regions of the rules that meet a region."""
    return rules.boxes.take(rules.packed.meeting(box))
