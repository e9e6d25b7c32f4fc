"""What rules decide for groups of people or things, and how often they are wrong there."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from irenic.arrays import Bools
from irenic.errors import ConditionError, DataError
from irenic.model.literals import Probabilities, is_missing, plain
from irenic.model.space import column_values
from irenic.monitoring._shares import Share, decided_rows
from irenic.proving.question import Rules

_SMALL: Final = 30
# More groups than anyone compares; the column is probably a number or a name.
_GROUP_LIMIT: Final = 50


@dataclass(frozen=True)
class GroupFigures:
    """What rules decide for the rows with one value in a column.

    Parameters
    ----------
    value : hashable or None
        The value; None if it is missing.
    rows : int
        Number of rows.
    decided : mapping of hashable to Share
        The share of each outcome among the rows.
    by_default : Share
        The share of rows that no rule covers.
    accuracy : Share or None
        The share of rows decided as labeled; None without labels.
    false_positives, false_negatives : mapping of hashable to Share
        For each outcome, the share of the rows with another label that get it, and of the rows with
        this label that do not get it; empty without labels.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.monitoring import compare_groups
    >>> rules = RuleSet([Rule({"debt": (500, None)}, then="bad")], default="good")
    >>> rows, sex = {"debt": [100, 900, 700, 200]}, ["f", "f", "m", "m"]
    >>> figures = compare_groups(rules, rows, sex, ["good", "bad", "good", "good"])[1]
    >>> figures.value, figures.decided["bad"].share, figures.false_positives["bad"].share
    ('m', 0.5, 0.5)
    """

    value: Hashable
    rows: int
    decided: Mapping[Hashable, Share]
    by_default: Share
    accuracy: Share | None = None
    false_positives: Mapping[Hashable, Share] | None = None
    false_negatives: Mapping[Hashable, Share] | None = None

    @property
    def is_small(self) -> bool:
        """Whether there are too few rows (below 30) to say much."""
        return self.rows < _SMALL


def compare_groups(rules: Rules, X: Any, by: Any, y: Any = None) -> tuple[GroupFigures, ...]:
    """Return what rules decide for each value of a column, and how often they are wrong.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted classifier
        Unordered rules must not contradict each other.
    X : table
        The rows. Of a classifier, only columns that its rules test are needed.
    by : sequence of hashable
        The column to group the rows by; the rules need not know it.
    y : sequence, optional
        The true labels of the rows.

    Returns
    -------
    tuple of GroupFigures
        The largest group first. Shares have 95 % intervals; on the rows that a model was learned
        from, its accuracy is too good.

    Raises
    ------
    ConditionError
        If the rules predict probabilities.
    ConflictError
        If unordered rules contradict each other.
    DataError
        If the rows do not fit the rules, if ``by`` or ``y`` has another length, or if ``by`` has
        more than 50 values.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.monitoring import compare_groups
    >>> rules = RuleSet([Rule({"debt": (500, None)}, then="bad")], default="good")
    >>> for figures in compare_groups(rules, {"debt": [100, 900, 700]}, ["f", "f", "m"]):
    ...     print(figures.value, figures.rows, figures.decided["bad"].count)
    f 2 1
    m 1 1
    """
    return figures_of(*decided_rows(rules, X), by, y)


def figures_of(
    codes: Any, outcomes: list[Any], by_default: Bools, by: Any, y: Any = None
) -> tuple[GroupFigures, ...]:
    """Return the figures of groups, given the place of the outcome of each row among outcomes."""
    if any(isinstance(outcome, Probabilities) for outcome in outcomes):
        raise ConditionError("rules must predict labels to compare groups, got probabilities")
    groups = _column(by, "by", len(codes))
    labels = None if y is None else _column(y, "y", len(codes))
    places: dict[Any, list[int]] = {}
    for row, value in enumerate(groups):
        places.setdefault(value, []).append(row)
    _check_groups(len(places))
    present = [code for code in range(len(outcomes)) if outcomes[code] is not None]
    truth = None
    if labels is not None:
        truth = np.array([_code(outcomes, label) for label in labels])
        present = [code for code in range(len(outcomes)) if outcomes[code] is not None]
    figures = []
    for value, rows in places.items():
        own = codes[rows]
        decided = {outcomes[c]: _share(own == c) for c in present}
        more = {} if truth is None else _errors(own, truth[rows], present, outcomes)
        figures.append(GroupFigures(value, len(rows), decided, _share(by_default[rows]), **more))
    return tuple(sorted(figures, key=lambda each: (-each.rows, str(each.value))))


def sum_of_groups(parts: Iterable[Sequence[GroupFigures]]) -> tuple[GroupFigures, ...]:
    """Return the figures of groups whose rows, without labels, were counted in several parts.

    >>> from irenic import Rule, RuleSet
    >>> rules = RuleSet([Rule({"debt": (500, None)}, then="bad")], default="good")
    >>> parts = [compare_groups(rules, {"debt": [100, 900]}, ["f", value]) for value in "fm"]
    >>> [(each.value, each.rows, each.decided["bad"].count) for each in sum_of_groups(parts)]
    [('f', 3, 1), ('m', 1, 1)]
    """
    groups: dict[Hashable, list[GroupFigures]] = {}
    for part in parts:
        for figures in part:
            groups.setdefault(figures.value, []).append(figures)
    _check_groups(len(groups))
    total = []
    for value, own in groups.items():
        decided = {each: _sum(one.decided[each] for one in own) for each in own[0].decided}
        by_default = _sum(one.by_default for one in own)
        total.append(GroupFigures(value, sum(one.rows for one in own), decided, by_default))
    return tuple(sorted(total, key=lambda each: (-each.rows, str(each.value))))


def _sum(shares: Iterable[Share]) -> Share:
    listed = list(shares)
    return Share(sum(one.count for one in listed), sum(one.of for one in listed))


def _check_groups(n: int) -> None:
    if n > _GROUP_LIMIT:
        raise DataError(
            f"by must have at most {_GROUP_LIMIT} different values, got {n:,}; put them into"
            " classes first"
        )


def _errors(own: Any, truth: Any, present: list[int], outcomes: list[Any]) -> dict[str, Any]:
    return {
        "accuracy": _share(own == truth),
        "false_positives": {outcomes[c]: _share(own[truth != c] == c) for c in present},
        "false_negatives": {outcomes[c]: _share(own[truth == c] != c) for c in present},
    }


def _share(holds: Bools) -> Share:
    return Share(int(np.count_nonzero(holds)), len(holds))


def _code(outcomes: list[Any], label: Any) -> int:
    """Return the place of a label among the outcomes, to which it is added if it is new."""
    if label not in outcomes:
        outcomes.append(label)
    return outcomes.index(label)


def _column(values: Any, name: str, n: int) -> Sequence[Any]:
    column = column_values(values, name, n)
    return [None if is_missing(value) else plain(value) for value in column]
