"""Rule lists: ordered rules, of which the first that holds decides."""

from __future__ import annotations

from typing import Any

import numpy as np

from irenic.model.deciding import DecidingRules
from irenic.model.ruleset import RuleSet


class RuleList(DecidingRules):
    """Ordered rules, of which the first that holds decides.

    A rule of a list only applies where no earlier rule holds, so it cannot be understood by
    itself. :func:`irenic.to_set` converts a list to an equivalent set, whose rules can.

    Parameters
    ----------
    rules : iterable of Rule
        The rules; those of other spaces are moved to this one, with features matched by name.
    space : Space, optional
        The space (default: the one that the rules share, or one inferred from their conditions).
    default : hashable, optional
        The prediction where no rule holds (default: none).

    Examples
    --------
    >>> from irenic import Rule, RuleList
    >>> ages = RuleList([Rule({"age": (None, 10)}, then="child"),
    ...                  Rule({"age": (None, 18)}, then="youth")], default="adult")
    >>> ages.predict({"age": [5, 15, 50]})
    array(['child', 'youth', 'adult'], dtype=object)
    >>> len(ages.conflicts())
    1
    """

    policy = "FIRST"

    @classmethod
    def from_rules(cls, rules: RuleSet) -> RuleList:
        """Return the rules of a set as a list, in the order of the set.

        Examples
        --------
        >>> from irenic import Rule, RuleList, RuleSet
        >>> RuleList.from_rules(RuleSet([Rule({"age": (0, 10)}, then="child")]))
        <RuleList: 1 rule, 1 feature>
          1. IF 0 <= age < 10 THEN child
        """
        rule_list = rules._as(cls)
        rule_list._check_policy()
        return rule_list

    @property
    def rules(self) -> RuleSet:
        """A copy of the rules as a set, which may contain conflicts."""
        return self._as(RuleSet)

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same rules in the same order, space and default."""
        if not isinstance(other, RuleList):
            return NotImplemented
        same = self.space == other.space and self.default == other.default
        return same and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def explanation_size(self, X: Any) -> float:
        """Return the mean number of conditions to read for a prediction.

        A rule of a list decides only where all earlier rules fail. For each instance, this adds up
        the conditions of the rule that decides and of all rules before it; an instance that no rule
        covers counts the conditions of all rules. Compare it with the size for the equivalent set
        of :func:`irenic.to_set`, of which only the rules that cover an instance count.
        """
        decided = self.decide(X)
        if not len(decided):
            return 0.0
        read = np.append(0, np.cumsum(self.conditions_per_rule()))
        return float(read[np.where(decided < 0, len(self), decided + 1)].mean())


RuleList._kind = RuleList
