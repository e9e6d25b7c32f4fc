"""The impact of a change on past cases: how many are decided differently, from what to what."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from irenic.arrays import Floats, Ints
from irenic.errors import DataError
from irenic.model.decision_table import DecisionTable
from irenic.model.literals import counted, display
from irenic.model.space import column_values, to_list
from irenic.proving.question import NOTHING, Outcomes, Rules, as_table


@dataclass(frozen=True)
class Move:
    """Cases that one set of rules decides in one way and another one in another.

    Parameters
    ----------
    before, after : hashable or None
        The outcomes; None for none.
    rules_before, rules_after : tuple of int
        Indices of the rules that decide; empty if the default does, or nothing.
    cases : int
        Number of cases.
    amount : float
        Sum of their amounts; the number of cases if there are no amounts.
    rows : tuple of int
        Indices of the first few of these cases.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.monitoring import impact
    >>> old = RuleSet([Rule({"age": (None, 18)}, then="free")], default="pays")
    >>> new = RuleSet([Rule({"age": (None, 16)}, then="free")], default="pays")
    >>> print(impact(old, new, {"age": [5, 16, 17]}).moves[0])
    2 cases: free (rule 1) becomes pays (by default)
    """

    before: Hashable | None
    after: Hashable | None
    rules_before: tuple[int, ...]
    rules_after: tuple[int, ...]
    cases: int
    amount: float
    rows: tuple[int, ...]

    def __str__(self) -> str:
        before = _text(self.before, self.rules_before)
        after = _text(self.after, self.rules_after)
        amount = ""
        if self.amount != self.cases:
            amount = ", amount " + f"{self.amount:,.2f}".removesuffix(".00")
        return f"{counted(self.cases, 'case')}{amount}: {before} becomes {after}"


def _text(outcome: Any, rules: tuple[int, ...]) -> str:
    if outcome is None:
        return "nothing"
    numbers = ", ".join(str(rule + 1) for rule in rules)
    by = f"rule{'s' if len(rules) > 1 else ''} {numbers}" if rules else "by default"
    return f"{display(tuple(outcome) if isinstance(outcome, list) else outcome)} ({by})"


class Group(NamedTuple):
    """The impact on the cases with one value in a column.

    Examples
    --------
    >>> from irenic.monitoring import Group
    >>> Group("north", cases=10, changed=2, amount=250.0).changed
    2
    """

    value: Any
    cases: int
    changed: int
    """Number of cases that are decided differently."""
    amount: float
    """Sum of the amounts of the changed cases."""


@dataclass(frozen=True)
class Impact:
    """How a change of rules affects past cases.

    Parameters
    ----------
    cases, changed : int
        Number of cases, and of those that are decided differently.
    amount, amount_changed : float
        Sums of the amounts; numbers of cases if there are no amounts.
    moves : tuple of Move
        What changes into what and by which rules, the largest amounts first.
    groups : tuple of Group
        The impact by the values of a column, the largest amounts first; empty without a column.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.monitoring import impact
    >>> old = RuleSet([Rule({"age": (None, 18)}, then="free")], default="pays")
    >>> new = RuleSet([Rule({"age": (None, 16)}, then="free")], default="pays")
    >>> change = impact(old, new, {"age": [5, 16, 17]}, amount=[10, 20, 40])
    >>> change.changed, change.amount_changed, change.amount
    (2, 60.0, 70.0)
    """

    cases: int
    changed: int
    amount: float
    amount_changed: float
    moves: tuple[Move, ...]
    groups: tuple[Group, ...] = ()


def impact(
    old: Rules, new: Rules, X: Any, *, amount: Any = None, by: Any = None, examples: int = 5
) -> Impact:
    """Return how many past cases two versions of rules decide differently, and which.

    Parameters
    ----------
    old, new : RuleSet, RuleList, DecisionTable or fitted classifier
        The rules before and after the change.
    X : table
        The past cases.
    amount : sequence of float, optional
        What each case counts (default: 1).
    by : sequence of hashable, optional
        A column to group the cases by.
    examples : int, default 5
        How many cases are listed per kind of change.

    Returns
    -------
    Impact

    Raises
    ------
    DataError
        If the cases do not fit the rules, or ``amount`` or ``by`` does not fit the cases.
    ConflictError
        If unordered rules contradict each other.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.monitoring import impact
    >>> old = RuleSet([Rule({"age": (None, 18)}, then="free")], default="pays")
    >>> new = RuleSet([Rule({"age": (None, 16)}, then="free")], default="pays")
    >>> impact(old, new, {"age": [5, 16, 17]}, by=["north", "north", "south"]).groups
    (Group(value='north', cases=2, changed=1, amount=1.0),
     Group(value='south', cases=1, changed=1, amount=1.0))
    """
    outcomes = Outcomes()
    sides = [decide(as_table(rules), X, outcomes) for rules in (old, new)]
    before, after = sides
    n = len(before.codes)
    amounts = _amounts(amount, n)
    changed = np.flatnonzero(before.codes != after.codes)
    keys = np.stack([s[changed] for side in sides for s in (side.codes, side.deciders)])
    kinds, first, kind, counts = np.unique(
        keys, axis=1, return_index=True, return_inverse=True, return_counts=True
    )
    sums = np.bincount(kind.reshape(-1), weights=amounts[changed], minlength=len(first))
    order = np.argsort(kind.reshape(-1), kind="stable")
    starts = np.cumsum(counts) - counts
    moves = []
    for k in np.lexsort((first, -sums)).tolist():
        old_code, old_rows, new_code, new_rows = kinds[:, k].tolist()
        rows = changed[order[starts[k] : starts[k] + min(counts[k], examples)]]
        moves.append(
            Move(
                outcomes.values[old_code],
                outcomes.values[new_code],
                before.rows[old_rows],
                after.rows[new_rows],
                int(counts[k]),
                float(sums[k]),
                tuple(rows.tolist()),
            )
        )
    is_changed = before.codes != after.codes
    return Impact(
        n,
        len(changed),
        float(amounts.sum()),
        float(amounts[changed].sum()),
        tuple(moves),
        () if by is None else _groups(by, is_changed, amounts),
    )


class Decided(NamedTuple):
    """The outcome of each case, and what decides it."""

    codes: Ints
    deciders: Ints
    """The place in ``rows`` of what decides each case."""
    rows: list[tuple[int, ...]]


def decide(table: DecisionTable, X: Any, outcomes: Outcomes) -> Decided:
    """Return the codes of outcomes, and which rows decide."""
    rules = table.rules
    instances = table.encode(X)
    if table.collects or rules.is_partial:
        decided = table.decide(instances)
        codes = [outcomes.code(outcome) for outcome in table.predict(instances).tolist()]
        kinds = list(dict.fromkeys(decided))
        known = {rows: place for place, rows in enumerate(kinds)}
        deciders = np.array([known[rows] for rows in decided], dtype=np.int64)
        return Decided(np.array(codes, dtype=np.int64), deciders, kinds)
    if not table.is_ordered and table.first_conflict() is not None:
        table.decide(instances)  # raises
    order = np.array(table.winning, dtype=np.int64)
    places = rules.packed.deciding(instances, order)
    default = NOTHING if rules.default is None else outcomes.code(rules.default)
    thens = np.array([outcomes.code(then) for then in rules.consequents], dtype=np.int64)
    by_rule = np.append(thens[rules.then_codes] if len(rules) else thens, default)
    rows = sorted(set(table.rows))
    index = {row: place for place, row in enumerate(rows)}
    owner = np.array([*(index[row] for row in table.rows), len(rows)], dtype=np.int64)
    return Decided(by_rule[places], owner[places], [*((row,) for row in rows), ()])


def _amounts(amount: Any, n: int) -> Floats:
    if amount is None:
        return np.ones(n)
    try:
        amounts = np.asarray(to_list(amount), dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("amount must be a column of numbers") from None
    if amounts.shape != (n,):
        raise DataError(f"amount must have one number per case, got {amounts.size} for {n}")
    if not np.isfinite(amounts).all():
        row = int(np.flatnonzero(~np.isfinite(amounts))[0]) + 1
        raise DataError(f"amount must be a number in every case, got none in row {row}")
    return amounts


def _groups(by: Any, changed: Any, amounts: Floats) -> tuple[Group, ...]:
    values = column_values(by, "by", len(changed), "value per case")
    places: dict[Any, int] = {}
    codes = np.array([places.setdefault(v, len(places)) for v in values], dtype=np.int64)
    n = len(places)
    sizes = np.bincount(codes, minlength=n)
    counts = np.bincount(codes[changed], minlength=n)
    sums = np.bincount(codes[changed], weights=amounts[changed], minlength=n)
    groups = [
        Group(value, int(sizes[k]), int(counts[k]), float(sums[k])) for value, k in places.items()
    ]
    return tuple(sorted(groups, key=lambda group: -group.amount))
