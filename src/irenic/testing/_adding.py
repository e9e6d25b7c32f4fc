"""What a new rule would contradict, and the part of it that is free."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from irenic.boxes.covering import small_cover, without_covered
from irenic.budget import Budget, Meter
from irenic.model.overlap import Conflict
from irenic.model.region import Region
from irenic.model.rule import Rule
from irenic.proving.question import Rules, as_table


class Addition(NamedTuple):
    """What it means to add a rule.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.testing import try_rule
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="free")])
    >>> try_rule(rules, Rule({"age": (60, None)}, then="half")).conflicts
    []
    """

    conflicts: list[Conflict]
    """The contradictions with other rules; the new rule has the index after the last."""
    free: list[Rule]
    """Rules that cover the part of the new rule that contradicts no rule."""


def try_rule(rules: Rules, rule: Rule, *, budget: Budget | float | None = None) -> Addition:
    """Return what a new rule would contradict, and the part of it that is free.

    The free part is covered by few regions, each grown by box enlargement as far as the new rule
    and its rivals allow. If the first of several rules decides, nothing contradicts: the rule is
    added behind all others, and its free part is where it decides.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted classifier
        The rules.
    rule : Rule
        The new rule.
    budget : Budget or float (seconds), optional
        When it is used up, the free part may be incomplete, or consist of more regions (default:
        unlimited).

    Returns
    -------
    Addition

    Raises
    ------
    ConditionError
        If the rule does not fit the space of the rules.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.testing import try_rule
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="free")])
    >>> conflicts, free = try_rule(rules, Rule({"age": (10, 60)}, then="half"))
    >>> print(conflicts[0])
    rule 1 says free, rule 2 says half where 10 <= age < 18, for example at age = 10
    >>> free
    [IF 18 <= age < 60 THEN half]
    """
    table = as_table(rules)
    new = rule.cast(table.space)
    if table.collects:
        return Addition([], [new])
    mask = np.ones(len(table.rules), dtype=np.bool_)
    if not table.is_ordered:
        mask = table.rules.rival_mask(new.then)
    box = new.region.box.simplified()
    boxes = table.rules.boxes
    rivals = boxes.take(mask)
    places = np.flatnonzero(mask & boxes.meeting(box))
    if not len(places):
        return Addition([], [new])
    conflicts = [
        Conflict(table.rows[i], table.n_rows, (table.rules[i], new))
        for i in (places.tolist() if not table.is_ordered else ())
    ]
    meter = Meter(budget)
    pieces = box.subtract(rivals, meter)
    grown = (
        without_covered(small_cover(pieces, box, rivals, meter), meter) if len(pieces) else pieces
    )
    free = [Rule(region, then=new.then, weight=new.weight) for region in Region.from_boxes(grown)]
    return Addition(conflicts, free)
