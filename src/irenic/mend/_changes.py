"""The result of a repair: the changes, each with its reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from irenic.model.decision_table import DecisionTable
from irenic.model.literals import counted, display
from irenic.model.overlap import Overlap
from irenic.model.region import Region
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet

Kind = Literal["dropped", "trimmed", "split"]


@dataclass(frozen=True)
class Change:
    """A rule (or a row of a table) that was changed, with the reason.

    Parameters
    ----------
    kind : {"dropped", "trimmed", "split"}
        What happened to the rule.
    rule : int
        Index of the rule, or of the row of a table.
    before, after : tuple of Rule
        The rule before and after the change; a row of a table can have several rules.
    against : tuple of int
        Indices of the remaining rules (or rows) that it contradicted.
    text : str
        The change and the reason in words, with rules numbered from 1.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, repair
    >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low"),
    ...                  Rule({"age": (29, 60)}, then="high")])
    >>> print(repair(rules, "split").changes[0])
    rule 2 (IF 29 <= age < 60 THEN high) now applies only where 30 <= age < 60: rule 1 says low
    where 29 <= age < 30, for example at age = 29
    """

    kind: Kind
    rule: int
    before: tuple[Rule, ...]
    after: tuple[Rule, ...]
    against: tuple[int, ...]
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False)
class Repair:
    """The result of :func:`repair`: rules without contradictions, and the changes.

    It can be unpacked: ``rules, changes = repair(…)``.

    Parameters
    ----------
    rules : RuleSet
        The rules without contradictions.
    changes : list of Change
        What was changed, and why.
    how : {"drop", "trim", "split"}
        How the rules were repaired.
    cost : float, optional
        Total value of the dropped rules; None unless ``how`` is "drop".
    bound : float, optional
        Lower bound on the cost; None unless ``how`` is "drop".
    optimal : bool
        Whether the result is proved to be the best: no cheaper choice of rules to drop, or no
        larger regions for the trimmed rules.
    table : DecisionTable, optional
        The repaired rules as a table, if a table was given.
    opened : tuple of Region
        Cases that rules covered before and none covers any more, as disjoint regions. At most
        about 1,000 regions are listed.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, repair
    >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low"),
    ...                  Rule({"age": (29, 60)}, then="high")])
    >>> mended, changes = repair(rules, "trim")
    >>> mended.is_consistent, len(changes)
    (True, 1)
    """

    rules: RuleSet
    changes: list[Change]
    how: str
    cost: float | None = None
    bound: float | None = None
    optimal: bool = True
    table: DecisionTable | None = None
    opened: tuple[Region, ...] = ()

    def __iter__(self) -> Iterator[Any]:
        return iter((self.rules, self.changes))

    def __repr__(self) -> str:
        head = f"<Repair by {self.how}: {counted(len(self.changes), 'change')}"
        if self.cost is not None:
            proof = "optimal" if self.optimal else f"lower bound {self.bound:g}"
            head += f", cost {self.cost:g} ({proof})"
        shown = "".join(f"\n  {change}" for change in self.changes[:20])
        more = f"\n  … and {len(self.changes) - 20} more" if len(self.changes) > 20 else ""
        return f"{head}{shown}{more}>"


def because(conflicts: Sequence[Overlap], row: int, rows: Sequence[int]) -> str:
    """Return the reason for a change: a rule that contradicts the row, where, and an example."""
    first = conflicts[0]
    index = first.first if rows[first.first] != row else first.second
    rule = first.rules[0] if index == first.first else first.rules[1]
    others = {rows[c.first] for c in conflicts} | {rows[c.second] for c in conflicts}
    others -= {row, rows[index]}
    return (
        f"rule {rows[index] + 1} says {display(rule.then)} where {first.region},"
        f" for example at {first.witness_text}{_also(sorted(others))}"
    )


def _also(others: list[int]) -> str:
    if not others:
        return ""
    numbers = ", ".join(str(other + 1) for other in others[:5]) + ", …" * (len(others) > 5)
    return f"; it also overlaps rule{'s' if len(others) > 1 else ''} {numbers}"
