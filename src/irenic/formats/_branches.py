"""Rules as branches, of which the first that holds decides: the shape that SQL and Python share."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from irenic.errors import ConditionError, ConflictError, FormatError
from irenic.model.decision_table import DecisionTable
from irenic.model.rule import Rule, as_consequent
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RESOLVE, Resolve, RuleSet
from irenic.model.space import Space


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
    rules: RuleSet | RuleList | DecisionTable,
    *,
    default: Hashable | None,
    resolve: Resolve | None,
) -> Branches:
    """Return rules in the order that decides as ``rules.predict`` does."""
    if isinstance(rules, DecisionTable):
        rules = without_policy(rules, "branches", decides=resolve is None)
    fallback = None if default is None else as_consequent(default)
    if isinstance(rules, RuleList):
        if resolve not in (None, "first"):
            raise ConditionError(
                f"in a rule list the first rule decides: resolve is not {resolve!r}"
            )
        consistent, listed = False, list(rules)
    else:
        DecisionTable.of(rules)  # refuses what is not rules
        consistent, listed = _in_order(rules, resolve)
    if fallback is None:
        fallback = rules.default
    return Branches(rules.space, listed, fallback, not consistent)


def without_policy(table: DecisionTable, form: str, *, decides: bool = False) -> RuleSet | RuleList:
    """Return a table as rules, for forms that know no hit policy; ``decides``: one rule must."""
    if table.collects:
        raise FormatError(
            f"under {table.hit_policy} all rules that hold count, which {form} cannot say;"
            " write .dmn, .csv or .xlsx"
        )
    if decides and not table.is_ordered and (conflict := table.first_conflict()) is not None:
        raise ConflictError(
            f"the rules contradict each other: {conflict}; repair them, or say that the first"
            " wins: hit policy FIRST",
            [conflict],
        )
    return table.as_rules()


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
