"""Near misses: rules that would apply to a case if one condition held."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from irenic.errors import ConditionError, DataError, did_you_mean
from irenic.model.columns import is_pandas_row, take_apart
from irenic.model.literals import display, show_point
from irenic.model.region import Region
from irenic.model.space import Instances, Space
from irenic.proving.question import Outcomes, Rules, as_table, decided_by


@dataclass(frozen=True)
class NearMiss:
    """A rule that would apply to a case if one condition held.

    Parameters
    ----------
    rule : int
        Index of the rule, or of the row of a decision table.
    outcome : hashable
        What the rule decides.
    condition : Region
        The only condition that fails.
    case : mapping
        The feature that fails, with its value.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.testing import nearly
    >>> rules = RuleSet([Rule({"age": (18, None), "debt": (None, 100)}, then="yes")], default="no")
    >>> print(nearly(rules, {"age": 30, "debt": 250})[0])
    yes (rule 1) needs debt < 100, but debt = 250
    """

    rule: int
    outcome: Hashable
    condition: Region
    case: dict[str, Any]

    def __str__(self) -> str:
        what = f"{display(self.outcome)} (rule {self.rule + 1})"
        return f"{what} needs {self.condition}, but {show_point(self.case)}"


def nearly(rules: Rules, case: Any, outcome: Hashable | None = None) -> tuple[NearMiss, ...]:
    """Return the rules for other outcomes that would apply to a case if one condition held.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted classifier
        The rules.
    case : mapping, sequence, row or frame of one row, or Instances of length 1
        The values of the case.
    outcome : hashable, optional
        Only rules with this outcome (default: with any other than that of the case).

    Returns
    -------
    tuple of NearMiss
        In the order of the rules. Of an ordered list, an earlier rule may still decide the case
        after the change; :func:`counterfactual` finds a change that reaches an outcome.

    Raises
    ------
    ConditionError
        If no rule has the outcome.
    ConflictError
        If unordered rules contradict each other for this case.
    DataError
        If the case does not fit the rules.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.testing import nearly
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="free"),
    ...                  Rule({"age": (60, None), "card": {True}}, then="half")], default="full")
    >>> [str(miss) for miss in nearly(rules, {"age": 70, "card": False})]
    ['free (rule 1) needs age < 18, but age = 70',
     'half (rule 2) needs card in {true}, but card = false']
    """
    table = as_table(rules)
    point = one_case(table.space, case)
    outcomes = Outcomes()
    _, code, _ = decided_by(table, point, outcomes)
    thens = table.rules.thens
    if outcome is not None and outcome not in thens:
        known = [display(then) for then in dict.fromkeys(thens)]
        raise ConditionError(
            f"no rule has the outcome {display(outcome)}{did_you_mean(display(outcome), known)}"
        )
    space = table.space
    fails = table.rules.boxes.outside(point)[0]
    names = {int(axis): name for name, axis in zip(space.names, space.axes.tolist(), strict=True)}
    values_of = point[0]
    misses: dict[tuple[int, Region], NearMiss] = {}
    for place in np.flatnonzero(fails.sum(axis=1) == 1).tolist():
        then = thens[place]
        if then != outcome if outcome is not None else outcomes.code(then) == code:
            continue
        name = names[int(fails[place].argmax())]
        region = table.rules[place].region
        condition = Region(space, {name: region.conditions()[name]})
        row = table.rows[place]
        miss = NearMiss(row, then, condition, {name: values_of[name]})
        misses.setdefault((row, condition), miss)
    return tuple(sorted(misses.values(), key=lambda miss: miss.rule))


def one_case(space: Space, case: Any) -> Instances:
    """Return a case as instances.

    A frame must have one row. It may have further columns, and so may a row of pandas.
    """
    if is_pandas_row(case):
        case = [case]
    elif isinstance(case, Instances) or not (
        hasattr(case, "column_names") or (hasattr(case, "columns") and hasattr(case, "shape"))
    ):
        return space.encode_point(case)
    names, columns, length = take_apart(case)
    if length != 1:
        raise DataError(f"the case must be one row, got {length} rows; select one of them")
    named = dict(zip(names or (), columns, strict=True))
    if len(space) and named.keys().isdisjoint(space.names):
        space.index(next(iter(named), ""))  # raises
    # encoded as a table, because the values of a frame may have types of their own
    missing = np.full(1, None, dtype=object)
    return space.encode({name: named.get(name, missing) for name in space.names})
