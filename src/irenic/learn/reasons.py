"""Reasons for decisions by default: regions in which no rule predicts anything else.

Training rows are not kept in a model, so a region that is grown around a new case cannot be counted
any more. Therefore, the regions that are the reasons for training rows are grown and counted during
a fit (:func:`reason_rules`), and a new case gets one of them if none is shorter.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from irenic.boxes.covering import greedy_cover
from irenic.learn.front import DefaultRegions
from irenic.model.region import Region
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances
from irenic.searching.reasons import cells_of, default_regions

# Training rows, evenly spaced, that reasons are grown for, their cells, and reasons to count.
_ROW_LIMIT: Final = 20_000
_CELL_LIMIT: Final = 64
_REASON_LIMIT: Final = 64


class Reason(NamedTuple):
    """Why the default decides a case."""

    region: Region | None
    """A region around the case; None if rules decide only some labels."""
    place: int
    """Its index among the regions that were counted; -1 for none of them."""


def default_reasons(
    rules: RuleSet, cases: Instances, known: DefaultRegions | None = None
) -> list[Reason]:
    """Return for each case a region in which the default, or nothing, decides whatever else holds.

    It is one of the known regions, unless all of these around the case have more conditions than
    that of :func:`irenic.searching.reasons.default_regions`.

    Parameters
    ----------
    rules : RuleSet
        Rules, none of which covers a case.
    cases : Instances
        The cases.
    known : DefaultRegions, optional
        Regions that training rows were counted in.

    Returns
    -------
    list of Reason
    """
    if rules.is_partial or not len(cases):
        return [Reason(None, -1)] * len(cases)
    boxes = [rules.packed.boxes, *([] if known is None else [known.rules.packed.boxes])]
    first, group = cells_of(cases, boxes)
    few = cases.take(first)
    places = np.full(len(few), -1) if known is None else known.find(few)
    reasons = []
    for region, place in zip(default_regions(rules, few), places.tolist(), strict=True):
        assert region is not None
        own = None if known is None or place < 0 else known.rules[place].region
        if own is None or own.n_conditions > region.n_conditions:
            reasons.append(Reason(region, -1))
        else:
            reasons.append(Reason(own, place))
    return [reasons[place] for place in group.tolist()]


def reason_rules(rules: RuleSet, rows: Instances) -> RuleSet | None:
    """Return few regions that are the shortest reasons of most rows, as rules for the default.

    Rows that the default decides are in a region with as few conditions as that of
    :func:`irenic.searching.reasons.default_regions`, up to a number of regions and of different
    rows; the most frequent ones come first.

    Parameters
    ----------
    rules : RuleSet
        Rules with a default.
    rows : Instances
        Training rows.

    Returns
    -------
    RuleSet or None
        None if there is no default, it decides only some labels, or none of these rows.

    >>> from irenic import Rule, RuleSet
    >>> rule = Rule({"age": (None, 18), "income": (None, 9)}, then="free")
    >>> rules = RuleSet([rule], default="full")
    >>> rows = rules.space.encode({"age": [3, 40, 50, 3], "income": [5, 5, 12, 12]})
    >>> print(*reason_rules(rules, rows), sep="\\n")
    IF income >= 9 THEN full
    IF age >= 18 THEN full
    """
    if rules.default is None or rules.is_partial:
        return None
    rows = rows.take(slice(None, None, -(-len(rows) // _ROW_LIMIT) or 1))
    left = np.flatnonzero(rules.decide(rows, resolve="first") < 0)
    if not len(left):
        return None
    rows = rows.take(left)
    first, group = cells_of(rows, [rules.packed.boxes])
    n_rows = np.bincount(group)
    often = np.argsort(-n_rows, kind="stable")[:_CELL_LIMIT]
    cells, n_rows = rows.take(first[often]), n_rows[often]
    grown = [region for region in default_regions(rules, cells) if region is not None]
    regions = list(dict.fromkeys(grown))
    sizes = np.array([region.n_conditions for region in regions])
    fewest = np.array([region.n_conditions for region in grown])
    reasons = RuleSet([Rule(region, then=rules.default) for region in regions], rules.space)
    shortest = reasons.covering(cells).T & (sizes[:, None] <= fewest)
    return reasons[greedy_cover(shortest, n_rows, _REASON_LIMIT)]
