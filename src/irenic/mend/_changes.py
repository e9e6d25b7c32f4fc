"""What was changed in a set of rules, and why, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from irenic.model.decision_table import DecisionTable
from irenic.model.literals import counted, display
from irenic.model.overlap import Overlap
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet

Kind = Literal["dropped", "trimmed", "split"]


@dataclass(frozen=True)
class Change:
    """One rule (or row of a table) that was changed, with the reason.

    >>> from irenic import Rule, RuleSet
    >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low"),
    ...                  Rule({"age": (29, 60)}, then="high")])
    >>> from irenic.mend import repair
    >>> print(repair(rules, "split").changes[0])
    rule 2 (IF 29 <= age < 60 THEN high) now holds only where 30 <= age < 60: rule 1 says low
    where 29 <= age < 30, for example at age = 29
    """

    kind: Kind
    rule: int
    """The index of the rule; of the row if the rules come from a table."""
    before: tuple[Rule, ...]
    after: tuple[Rule, ...]
    against: tuple[int, ...]
    """The rules (rows) that stay and that it contradicted, by index."""
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False)
class Repair:
    """A set without contradictions, and what was changed to make it one.

    ``rules, changes = repair(…)`` takes it apart.

    >>> from irenic import Rule, RuleSet
    >>> from irenic.mend import repair
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
    """What the dropped rules are worth together; None unless rules were dropped for it."""
    bound: float | None = None
    """What no choice of rules to drop costs less than."""
    optimal: bool = True
    """Whether it is proved that nothing cheaper (trim: no larger region) would do."""
    table: DecisionTable | None = None
    """The rules as rows, where a table was given."""

    def __iter__(self) -> Iterator[Any]:
        return iter((self.rules, self.changes))

    def __repr__(self) -> str:
        head = f"<Repair by {self.how}: {counted(len(self.changes), 'change')}"
        if self.cost is not None:
            best = "the least there is" if self.optimal else f"the least is at least {self.bound:g}"
            head += f", cost {self.cost:g} ({best})"
        shown = "".join(f"\n  {change}" for change in self.changes[:20])
        more = f"\n  … and {len(self.changes) - 20} more" if len(self.changes) > 20 else ""
        return f"{head}{shown}{more}>"


def because(conflicts: Sequence[Overlap], row: int, rows: Sequence[int]) -> str:
    """Return why a rule cannot stay: the rule that says otherwise, where, and a point."""
    first = conflicts[0]
    place = first.first if rows[first.first] != row else first.second
    rule = first.rules[0] if place == first.first else first.rules[1]
    rest = {rows[c.first] for c in conflicts} | {rows[c.second] for c in conflicts}
    rest -= {row, rows[place]}
    more = f" (and rule {', '.join(str(other + 1) for other in sorted(rest)[:5])}" if rest else ""
    more += ", …)" if len(rest) > 5 else ")" if rest else ""
    says = display(rule.then)
    return (
        f"rule {rows[place] + 1} says {says} where {first.region},"
        f" for example at {first.witness_text}{more}"
    )
