"""Counts as shares with intervals, their comparison, and what rules decide for a table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from irenic.arrays import Bools, Ints
from irenic.model.columns import take_apart
from irenic.model.ruleset import RuleSet
from irenic.monitoring._impact import decide
from irenic.proving.question import Outcomes, Rules, as_table

# The 97.5 % quantile of the normal distribution.
_Z: Final = 1.959963984540054


@dataclass(frozen=True)
class Share:
    """A count of rows among others, with the 95 % interval of its share.

    Parameters
    ----------
    count, of : int
        Number of rows, and of those that they are counted among.

    Examples
    --------
    >>> from irenic.monitoring import Share
    >>> print(Share(8, 10))
    0.800 (95 % interval 0.490 to 0.943)
    >>> Share(8, 10).share
    0.8
    """

    count: int
    of: int

    @property
    def share(self) -> float:
        """The share; NaN if there are no rows."""
        return self.count / self.of if self.of else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of Wilson."""
        if not self.of:
            return 0.0, 1.0
        n, p = self.of, self.share
        middle = p + _Z**2 / (2 * n)
        half = _Z * math.sqrt(p * (1 - p) / n + _Z**2 / (4 * n**2))
        scale = 1 + _Z**2 / n
        low = 0.0 if not self.count else (middle - half) / scale
        high = 1.0 if self.count == n else (middle + half) / scale
        return low, high

    def __str__(self) -> str:
        if not self.of:
            return "unknown (no rows)"
        low, high = self.interval
        return f"{self.share:.3f} (95 % interval {low:.3f} to {high:.3f})"


def difference(before: Share, now: Share) -> tuple[float, float, float]:
    """Return how much a share grew, and the ends of the 95 % interval (Newcombe).

    >>> [round(part, 2) for part in difference(Share(10, 100), Share(30, 100))]
    [0.2, 0.09, 0.31]
    """
    (low1, high1), (low2, high2) = before.interval, now.interval
    d = now.share - before.share
    down = math.hypot(now.share - low2, high1 - before.share)
    up = math.hypot(high2 - now.share, before.share - low1)
    return d, d - down, d + up


def chance(before: Share, now: Share) -> float:
    """Return how likely such a difference is if nothing changed (Fisher's exact test).

    >>> round(chance(Share(10, 100), Share(30, 100)), 4)
    0.0007
    """
    if not before.of or not now.of:
        return 1.0
    from scipy.stats import fisher_exact

    table = [[s.count, s.of - s.count] for s in (before, now)]
    return float(fisher_exact(table).pvalue)


def adjusted(chances: list[float]) -> list[float]:
    """Return p-values that hold together, by the method of Holm.

    >>> adjusted([0.01, 0.04, 0.5])
    [0.03, 0.08, 0.5]
    """
    order = np.argsort(chances, kind="stable").tolist()
    result, highest = [1.0] * len(chances), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(chances) - rank) * chances[place]))
        result[place] = highest
    return result


class DecidedRows(NamedTuple):
    """What rules decide for the rows of a table."""

    codes: Ints
    """The place of each outcome in ``outcomes``."""
    outcomes: list[Any]
    by_default: Bools
    """Whether no rule covers the row."""


def decided_rows(rules: Rules, X: Any) -> DecidedRows:
    """Return what rules decide for a table; a classifier needs only columns that its rules test."""
    outcomes = Outcomes()
    decided = decide(as_table(rules), only_tested(rules, X), outcomes)
    empty = np.array([not rows for rows in decided.rows], dtype=np.bool_)
    return DecidedRows(decided.codes, outcomes.values, empty[decided.deciders])


def only_tested(rules: Rules, X: Any) -> Any:
    """Return a table for a classifier, with missing values in the columns that no rule tests."""
    rule_set = getattr(rules, "rules_", None)
    if not isinstance(rule_set, RuleSet):
        return X
    names, columns, length = take_apart(X)
    if names is None:
        return X
    space, axes = rule_set.space, np.atleast_1d(rule_set.boxes.tests().any(axis=0))
    tested = {name for name in space.names if axes[space.axes[space.index(name)]]}
    named = dict(zip(names, columns, strict=True))
    nothing = np.full(length, None, dtype=object)
    # a tested column that is not there is left out, so that the error names it
    return {
        name: named.get(name, nothing) if name in tested else nothing
        for name in space.names
        if name in named or name not in tested
    }
