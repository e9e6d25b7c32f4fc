"""Reasons for decisions by default: regions in which no rule predicts anything else."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from irenic.boxes.arrays import Floats
from irenic.model.features import LOWEST
from irenic.model.literals import display
from irenic.model.region import Region
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances
from irenic.searching import enlarge_many


def default_regions(rules: RuleSet, cases: Instances) -> list[Region | None]:
    """Return a region around each case in which the default is always right to decide.

    It is that of CFSBE with the order of features that leaves the fewest conditions: a rule for the
    default there contradicts no rule. None if there is no default, or it decides only some labels.
    Numbers that a case has are not said to be possibly missing, because this is no part of its
    reason.

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
    if rules.default is None or rules.is_partial or not len(cases):
        return [None] * len(cases)
    regions = enlarge_many(rules, cases, consequent=rules.default, order="fewest")
    return [_present(region, cases.values[:, row]) for row, region in enumerate(regions)]


def _present(region: Region, values: Floats) -> Region:
    """Return the region without missing values of the numbers that it tests and the case has."""
    box = region.box
    lower = box.lower[0].copy()
    lower[(lower == -np.inf) & (box.upper[0] < np.inf) & (values > -np.inf)] = LOWEST
    return Region.from_box(box.like(lower[None], box.upper, box.masks))


def default_text(then: Hashable | None, region: Region) -> str:
    """Return a decision by default and its reason in words.

    >>> default_text("full", Region.parse("age >= 18"))
    'full, by default, because age >= 18'
    """
    if not region.n_conditions:
        return f"{display(then)}, by default: no rule predicts anything else"
    return f"{display(then)}, by default, because {region}"
