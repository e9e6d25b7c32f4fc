"""What has been proved about a rule set on the whole space."""

from __future__ import annotations

from dataclasses import dataclass

from irenic.budget import Budget
from irenic.model.literals import counted
from irenic.model.ruleset import RuleSet
from irenic.model.shown import Shown
from irenic.searching import Gaps, gaps

# More gaps than anyone reads; the certificate then states that there are more.
_GAP_LIMIT = 10_000
# Nodes instead of seconds, so that the certificate is the same on every machine.
_NODE_LIMIT = 200_000


@dataclass(frozen=True)
class Certificate(Shown):
    """Whether a rule set is consistent and complete, on the whole space rather than the data.

    Parameters
    ----------
    n_rules : int
        Number of rules.
    n_conflicts : int
        Number of pairs of rules that contradict each other somewhere.
    gaps : Gaps
        The regions that no rule covers.
    proved : tuple of str
        Properties that were asked for and proved.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, gaps
    >>> from irenic.learn import Certificate
    >>> rules = RuleSet([Rule({"age": (0, None)}, then="A")])
    >>> print(Certificate(1, 0, gaps(rules)))
    consistent: 1 rule without conflicts; not complete: other cases are left to the default
    """

    n_rules: int
    n_conflicts: int
    gaps: Gaps
    proved: tuple[str, ...] = ()

    @classmethod
    def of(cls, rules: RuleSet, proved: tuple[str, ...] = ()) -> Certificate:
        """Return the certificate of a rule set, with properties that were proved."""
        budget = Budget(nodes=_NODE_LIMIT, regions=_GAP_LIMIT)
        return cls(len(rules), len(rules.conflicts()), gaps(rules, budget=budget), proved)

    @property
    def is_consistent(self) -> bool:
        """Whether no two rules contradict each other anywhere."""
        return self.n_conflicts == 0

    @property
    def is_complete(self) -> bool | None:
        """Whether rules cover every case; None if the search for gaps did not finish."""
        return self.gaps.is_complete

    def __str__(self) -> str:
        rules = counted(self.n_rules, "rule")
        consistency = f"consistent: {rules} without conflicts"
        if not self.is_consistent:
            consistency = f"not consistent: {counted(self.n_conflicts, 'conflict')} among {rules}"
        proved = "".join(f"; proved: {claim}" for claim in self.proved)
        return f"{consistency}; {self._completeness()}{proved}"

    def _completeness(self) -> str:
        if self.is_complete:
            return "complete: every case is covered by a rule"
        if self.is_complete is None:
            return "completeness unknown: the search for gaps did not finish"
        return "not complete: other cases are left to the default"
