"""Fill the gaps of a rule set with few rules of one consequent.

Rules for the default may overlap each other, so each can be as large as its rivals let it. The
first ones are chosen by the data: each time, the region that covers the most training rows that are
left. What remains are gaps without training rows, each of which is enlarged in the same way.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

import numpy as np

from irenic.arrays import Floats
from irenic.boxes import Boxes
from irenic.budget import Budget, Meter
from irenic.model.features import LOWEST
from irenic.model.region import Region
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances
from irenic.searching import enlarge, enlarge_many, gaps

# Rows around which regions are grown at a time.
_ROWS: Final = 1_000
# The most rules to add: nobody reads more, unless there are many rules already.
_ADDED_LIMIT: Final = 100
# Steps of the proof that a region is superfluous.
_NODES: Final = 20_000


def completed(rules: RuleSet, then: Hashable, rows: Instances, weight: Floats) -> RuleSet | None:
    """Return the rules plus few rules of one consequent that fill all gaps.

    The added rules contradict no rule, even if the given rules contradict each other. None if more
    than 100 rules would have to be added, and more than there are: a dozen rules can have thousands
    of gaps. Regions with many training rows are preferred.

    >>> from irenic import Rule
    >>> rules = RuleSet([Rule({"age": (0, 18)}, then="free")])
    >>> rows = rules.space.encode({"age": [30, 40]})
    >>> print(*completed(rules, "paid", rows, np.ones(2)), sep="; ")
    IF 0 <= age < 18 THEN free; IF age >= 18 THEN paid; IF age < 0 THEN paid
    """
    added = _around_rows(rules, then, rows, weight)
    whole = _with(rules, added, then)
    while len(added) <= max(_ADDED_LIMIT, len(rules)):
        first = gaps(whole, budget=Budget(regions=1))
        if not len(first):
            return _with(rules, _needed(rules, added), then)
        region = enlarge(rules, first[0].witness(), consequent=then, order="fewest")
        added.append(region)
        whole.add(Rule(region, then=then), force=True)
    return None


def with_missing(rules: RuleSet, never_missing: Sequence[bool]) -> RuleSet:
    """Return learned rules in which a missing number goes with the lowest, where none was missing.

    Learned conditions exclude missing values of such features, and further rules would be needed
    for them. No conflict arises: rules that both hold for a missing number also hold for the
    lowest. ``never_missing`` says whether no training value of each continuous feature is missing.

    >>> from irenic import Continuous, Rule, Space
    >>> space = Space([Continuous("age", missing=True), Continuous("debt", missing=True)])
    >>> rule = Rule({"age": {"<": 18}, "debt": {"<": 9}}, then="free")
    >>> print(*with_missing(RuleSet([rule], space), [True, False]))
    IF (age < 18 or missing) AND debt < 9 THEN free
    """
    boxes = rules.packed.boxes
    opened = (boxes.lower == LOWEST) & (boxes.upper < np.inf) & np.array(never_missing, dtype=bool)
    lower = np.where(opened, -np.inf, boxes.lower)
    return RuleSet.from_boxes(
        boxes.like(lower, boxes.upper, boxes.masks),
        written=rules.packed.written[:, : len(rules)].T,
        then=rules.thens,
        weights=rules.weights,
        default=rules.default,
    )


def _with(rules: RuleSet, added: list[Region], then: Hashable) -> RuleSet:
    whole = rules.copy()
    for region in added:
        whole.add(Rule(region, then=then), force=True)
    return whole


def _around_rows(rules: RuleSet, then: Hashable, rows: Instances, weight: Floats) -> list[Region]:
    """Return regions that cover all rows that no rule covers, the heaviest first."""
    left = np.flatnonzero(~rules.covering(rows).any(axis=1))
    chosen: list[Region] = []
    while len(left):
        seeds = rows.take(left[np.linspace(0, len(left) - 1, min(len(left), _ROWS)).astype(int)])
        grown = enlarge_many(rules, seeds, consequent=then, order="fewest")
        regions = list(dict.fromkeys(grown))
        covers = np.stack([region.contains(rows.take(left)) for region in regions])
        uncovered = np.ones(len(left), dtype=bool)
        while True:
            gains = covers @ (weight[left] * uncovered)
            best = int(gains.argmax())
            if not gains[best] > 0:
                break
            chosen.append(regions[best])
            uncovered &= ~covers[best]
        left = left[uncovered]
    return chosen


def _needed(rules: RuleSet, added: list[Region]) -> list[Region]:
    """Return the regions without those that other rules and regions cover together."""
    boxes = rules.packed.boxes.concat(*(region.box for region in added)) if added else None
    if boxes is None:
        return []
    n, kept = len(rules), np.ones(len(rules) + len(added), dtype=bool)
    for i in range(len(added) - 1, -1, -1):  # the last ones cover the fewest rows
        kept[n + i] = False
        others: Boxes = boxes.take(kept)
        if not added[i].box.is_covered(others, Meter(Budget(nodes=_NODES))):
            kept[n + i] = True
    return [region for region, keep in zip(added, kept[n:], strict=True) if keep]
