"""What is certain of a learned rule set, as it was checked on the whole space."""

from __future__ import annotations

from dataclasses import dataclass

from irenic.budget import Budget
from irenic.model import markup
from irenic.model.ruleset import RuleSet
from irenic.searching import Gaps, gaps

# More gaps than anyone reads; the certificate then says that there are more.
_MOST_GAPS = 10_000
# Nodes, not seconds, end the search for gaps: so the certificate is the same on every machine.
_MOST_NODES = 200_000


@dataclass(frozen=True)
class Certificate:
    """Whether a rule set contradicts itself anywhere, and where it is silent.

    Both are about the whole space, not only about the data.

    >>> from irenic import Rule, RuleSet
    >>> print(certify(RuleSet([Rule({"age": (0, None)}, then="A")])))
    consistent: no two rules of 1 disagree anywhere; not complete: 1 region is left to the default
    """

    n_rules: int
    n_conflicts: int
    gaps: Gaps

    @property
    def is_consistent(self) -> bool:
        """Whether no two rules disagree anywhere."""
        return self.n_conflicts == 0

    @property
    def is_complete(self) -> bool | None:
        """Whether rules cover everything; None if that was not known in time."""
        return self.gaps.is_complete

    def _repr_html_(self) -> markup.Html:
        return markup.verdict(str(self), markup.GREEN if self.is_consistent else markup.VERMILION)

    def __str__(self) -> str:
        if self.is_consistent:
            first = f"consistent: no two rules of {self.n_rules} disagree anywhere"
        else:
            first = f"not consistent: {self.n_conflicts} pairs of rules disagree somewhere"
        if self.is_complete:
            return f"{first}; complete: every case is covered by a rule"
        if self.is_complete is None:
            return f"{first}; whether every case is covered was not known in time"
        n = len(self.gaps)
        count = "1 region is" if n == 1 else f"{n} regions are"
        more = "" if self.gaps.finished else " and more"
        return f"{first}; not complete: {count}{more} left to the default"


def certify(rules: RuleSet) -> Certificate:
    """Return what is certain of a rule set."""
    budget = Budget(nodes=_MOST_NODES, regions=_MOST_GAPS)
    return Certificate(len(rules), len(rules.conflicts()), gaps(rules, budget=budget))
