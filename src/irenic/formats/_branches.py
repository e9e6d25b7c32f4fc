"""Rules as branches of which the first that applies decides, as in SQL and Python."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from irenic.errors import ConditionError, ConflictError, FormatError
from irenic.model.decision_table import DecisionTable
from irenic.model.rule import Rule, as_consequent
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RESOLVE, Resolve, RuleSet, learned_rules
from irenic.model.space import Space


class Branches(NamedTuple):
    """Rules in the order in which they are tried, and the default if none applies."""

    space: Space
    rules: list[Rule]
    default: Hashable | None
    ordered: bool
    """Whether the order matters."""

    @property
    def note(self) -> str:
        """What a reader of the source must know before reordering branches."""
        if self.ordered:
            return "The first rule that holds decides: the order matters."
        return "The rules do not contradict each other: their order does not matter."


def as_branches(
    rules: RuleSet | RuleList | DecisionTable,
    *,
    default: Hashable | None,
    resolve: Resolve | None,
) -> Branches:
    """Return rules in an order in which the first match is what ``rules.predict`` returns."""
    if isinstance(rules, DecisionTable):
        # an input expression is the name of its column, as ever
        computed = [name for name, c in rules.computed.items() if getattr(c, "text", "") != name]
        if computed:
            names = ", ".join(map(repr, computed))
            raise FormatError(
                f"branches cannot represent features that are computed from other columns: {names}"
            )
        rules = without_policy(rules, "branches", decides=resolve is None)
    plain: RuleSet | RuleList = learned_rules(rules)
    fallback = None if default is None else as_consequent(default)
    if isinstance(plain, RuleList):
        if resolve not in (None, "first"):
            raise ConditionError(
                f"resolve must be 'first' or None for a rule list, got {resolve!r}"
            )
        consistent, ordered = False, list(plain)
    else:
        DecisionTable.from_rules(plain)  # rejects objects that are not rules
        check_whole(plain, "branches, of which only one decides,")
        consistent, ordered = _in_order(plain, resolve)
    if fallback is None:
        fallback = plain.default
    return Branches(plain.space, ordered, fallback, not consistent)


def check_whole(rules: RuleSet, form: str) -> None:
    """Raise an error if rules decide only some labels, which ``form`` cannot represent."""
    try:
        rules.check_whole(form, "write .rules, .json, .csv or .xlsx")
    except ConditionError as error:
        raise FormatError(str(error)) from None


def without_policy(table: DecisionTable, form: str, *, decides: bool = False) -> RuleSet | RuleList:
    """Return a table as rules, for forms without a hit policy.

    With ``decides``, raise if its rules contradict each other, because one rule must decide.
    """
    if table.collects:
        raise FormatError(
            f"{form} cannot represent the hit policy {table.hit_policy}, which collects the"
            " outcomes of all rules that apply; write .dmn, .csv or .xlsx"
        )
    if decides and not table.is_ordered and (conflict := table.first_conflict()) is not None:
        raise ConflictError(
            f"the rules contradict each other: {conflict}; repair them, or use the hit policy FIRST"
            " to let the first rule win",
            [conflict],
        )
    return table.as_rules()


def _in_order(rules: RuleSet, resolve: Resolve | None) -> tuple[bool, list[Rule]]:
    if resolve is not None and resolve not in RESOLVE:
        raise ConditionError(f"resolve must be one of {', '.join(RESOLVE)}, got {resolve!r}")
    if resolve is None:
        rules.decide([])  # raises if there are conflicts
        return True, list(rules)
    ordered = list(rules)
    if rules.is_consistent:
        return True, ordered
    if resolve == "vote":
        raise FormatError(
            "branches cannot represent resolve='vote', because only one of them decides; use"
            " 'first' or 'best'"
        )
    if resolve == "best":
        ordered.sort(key=lambda rule: -rule.weight)
    return False, ordered
