"""Rules as branches, of which the first that holds decides: the shape that SQL and Python share."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from irenic.errors import ConditionError, FormatError
from irenic.rule import Rule, as_consequent
from irenic.rulelist import RuleList
from irenic.ruleset import RESOLVE, Resolve, RuleSet
from irenic.space import Space


class Branches(NamedTuple):
    """Rules in the order in which they are tried, and what holds where none does."""

    space: Space
    rules: list[Rule]
    default: Hashable | None
    ordered: bool
    """Whether the order matters."""

    @property
    def note(self) -> str:
        """What a reader should know before moving a branch."""
        if self.ordered:
            return "The first rule that holds decides: the order matters."
        return "The rules do not contradict each other: their order does not matter."


def as_branches(
    rules: RuleSet | RuleList, *, default: Hashable | None, resolve: Resolve | None
) -> Branches:
    """Return rules in the order that decides as ``rules.predict`` does."""
    fallback = None if default is None else as_consequent(default)
    if isinstance(rules, RuleList):
        if resolve not in (None, "first"):
            raise ConditionError(
                f"in a rule list the first rule decides: resolve is not {resolve!r}"
            )
        consistent, listed = False, list(rules)
    elif isinstance(rules, RuleSet):
        consistent, listed = _in_order(rules, resolve)
    else:
        raise ConditionError(
            f"rules must be a RuleSet or a RuleList, not {type(rules).__name__};"
            " make one with RuleSet(space, rules)"
        )
    if fallback is None:
        fallback = rules.default
    return Branches(rules.space, listed, fallback, not consistent)


def _in_order(rules: RuleSet, resolve: Resolve | None) -> tuple[bool, list[Rule]]:
    if resolve is not None and resolve not in RESOLVE:
        raise ConditionError(f"resolve is one of {', '.join(RESOLVE)}, not {resolve!r}")
    if resolve is None:
        rules.decide([])  # refuses a set with conflicts, in its own words
        return True, list(rules)
    listed = list(rules)
    if rules.is_consistent:
        return True, listed
    if resolve == "vote":
        raise FormatError(
            'votes cannot be said as branches of which one decides; use resolve="first" or "best"'
        )
    if resolve == "best":
        listed.sort(key=lambda rule: -rule.weight)
    return False, listed
