"""Regions that the default decides: grown and counted in a fit, because rows are not kept.

Training rows are not kept in a model, so a region that is grown around a new case cannot be counted
any more. Therefore, the regions that are the reasons for training rows are grown and counted during
a fit (:func:`reason_rules`), and a new case gets one of them if none is shorter.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from irenic.boxes.covering import greedy_cover
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances
from irenic.searching.explaining import cells_of, regions_by_default

# Training rows, evenly spaced, that reasons are grown for, their cells, and reasons to count.
_ROW_LIMIT: Final = 20_000
_CELL_LIMIT: Final = 64
_REASON_LIMIT: Final = 64


def reason_rules(rules: RuleSet, rows: Instances) -> RuleSet | None:
    """Return few regions that are the shortest reasons of most rows, as rules for the default.

    Rows that the default decides are in a region with as few conditions as possible, up to a number
    of regions and of different rows; the most frequent ones come first. None if there is no
    default, it decides only some labels, or none of these rows.

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
    grown = regions_by_default(rules, cells)
    regions = list(dict.fromkeys(grown))
    sizes = np.array([region.n_conditions for region in regions])
    fewest = np.array([region.n_conditions for region in grown])
    reasons = RuleSet([Rule(region, then=rules.default) for region in regions], rules.space)
    shortest = reasons.covering(cells).T & (sizes[:, None] <= fewest)
    return reasons[greedy_cover(shortest, n_rows, _REASON_LIMIT)]
