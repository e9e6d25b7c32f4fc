"""Rules as branches of which the first that applies decides, as in SQL and Python."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from irenic.errors import ConditionError, ConflictError, FormatError
from irenic.model.condition import Operators
from irenic.model.deciding import RESOLVE, Resolve
from irenic.model.decision_table import DecisionTable
from irenic.model.features import Categorical, Feature
from irenic.model.literals import Expression
from irenic.model.rule import Rule, as_consequent
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet, learned_rules
from irenic.model.space import Space


class Branches(NamedTuple):
    """Rules in the order in which they are tried, and the default if none applies."""

    space: Space
    rules: list[Rule]
    default: Hashable | None
    ordered: bool
    """Whether the order matters."""
    outputs: tuple[str, ...] = ()
    """The names of the parts of the consequents, if there are several."""
    compared: Mapping[str, tuple[Feature, Feature]] = MappingProxyType({})
    """The two columns that a feature compares, by the name of the feature."""
    numbers: Sequence[int] = ()
    """The number of each rule, from 1: that of its row, if the rules are a decision table."""

    @property
    def columns(self) -> dict[str, Feature]:
        """The columns that the rules may need, by name."""
        columns = {f.name: f for f in self.space if f.name not in self.compared}
        return {f.name: f for pair in self.compared.values() for f in pair} | columns

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
    some_labels: bool = False,
) -> Branches:
    """Return rules in an order in which the first match is what ``rules.predict`` returns.

    With ``some_labels``, rules may decide only some labels; the first match decides each label.
    """
    outputs: tuple[str, ...] = ()
    compared: dict[str, tuple[Feature, Feature]] = {}
    rows: Sequence[int] = ()
    if isinstance(rules, DecisionTable):
        compared = _compared(rules)
        rows = [rules.rows[place] + 1 for place in rules.winning]
        outputs = rules.outputs if len(rules.outputs) > 1 else ()
        rules = without_policy(rules, "branches", decides=resolve is None)
    plain: RuleSet | RuleList = learned_rules(rules)
    fallback = None if default is None else as_consequent(default)
    if isinstance(plain, RuleList):
        if resolve not in (None, "first"):
            raise ConditionError(
                f"resolve must be 'first' or None for a rule list, got {resolve!r}"
            )
        consistent, order = False, list(range(len(plain)))
    else:
        DecisionTable.from_rules(plain)  # rejects objects that are not rules
        if not some_labels:
            check_whole(plain, "branches, of which only one decides,")
        elif plain.is_partial:
            plain.predict([], default=fallback, resolve=resolve)  # raises if thens are not labels
        consistent, order = _in_order(plain, resolve)
    ordered = [plain[place] for place in order]
    rows = rows or range(1, len(plain) + 1)
    if fallback is None:
        fallback = plain.default
    thens = [*(rule.then for rule in ordered), *([] if fallback is None else [fallback])]
    if not all(isinstance(then, tuple) and len(then) == len(outputs) for then in thens):
        outputs = ()
    numbers = [rows[place] for place in order]
    return Branches(plain.space, ordered, fallback, not consistent, outputs, compared, numbers)


def _compared(table: DecisionTable) -> dict[str, tuple[Feature, Feature]]:
    """Return the columns of features that compare two; reject other computed features."""
    compared = {}
    for name, compute in table.computed.items():
        if name not in table.space:
            continue
        columns = getattr(compute, "columns", lambda space: None)(table.space)
        if columns is not None:
            compared[name] = columns
        elif getattr(compute, "is_opaque", True):
            raise FormatError(
                f"branches cannot represent the condition {name!r}, which is computed from other"
                " columns; write .dmn, or decide with irenic predict"
            )
        # an input expression is the name of its column, as ever
    return compared


RELATIONS: Final = {
    frozenset({"less"}): "<",
    frozenset({"less", "equal"}): "<=",
    frozenset({"equal"}): "=",
    frozenset({"less", "greater"}): "!=",
    frozenset({"different"}): "!=",
    frozenset({"equal", "greater"}): ">=",
    frozenset({"greater"}): ">",
}
"""The signs of relations of two columns, which are values of a feature that compares them."""


class Relation(NamedTuple):
    """A condition on a comparison of two columns."""

    sign: str
    """Such as ``<``; ``"any"`` if both values only have to be there, ``""`` if they must not be."""
    if_one: bool
    """Whether it holds if one of the values is missing."""
    if_both: bool
    """Whether it holds if both values are missing."""


def relation(feature: Categorical, operators: Operators) -> Relation:
    """Return a condition on a feature that compares two columns."""
    negated = "not in" in operators
    listed: Any = operators.get("in", operators.get("not in", ()))
    values: set[Any] = {*listed}
    if "in" not in operators:
        # only missing, only not missing, or neither of some values
        only_missing = not negated and operators.get("missing")
        values = set() if only_missing else {*feature.values} - values
    if_both = "both missing" in values
    values -= {"both missing"}
    sign = RELATIONS.get(frozenset(values), "any") if values else ""
    return Relation(sign, bool(operators.get("missing", negated)), if_both)


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
            f"the rules contradict each other: {table.say_conflict(conflict)}; repair them, or use"
            " the hit policy FIRST to let the first rule win",
            [conflict],
        )
    return table.as_rules()


def _in_order(rules: RuleSet, resolve: Resolve | None) -> tuple[bool, list[int]]:
    """Return whether the rules agree, and their indices in the order in which they are tried."""
    if resolve is not None and resolve not in RESOLVE:
        raise ConditionError(f"resolve must be one of {', '.join(RESOLVE)}, got {resolve!r}")
    order = list(range(len(rules)))
    if resolve is None:
        rules.decide([])  # raises if there are conflicts
        return True, order
    if resolve == "best":
        order.sort(key=lambda place: -rules[place].weight)
    if rules.is_consistent:
        return True, order
    if resolve == "vote":
        raise FormatError(
            "branches cannot represent resolve='vote', because only one of them decides; use"
            " 'first' or 'best', or learn rules with conflicts='avoid'"
        )
    return False, order


def is_null(then: Hashable | None) -> bool:
    """Return whether a consequent is FEEL's null, which an empty output of a table is."""
    return then is None or (isinstance(then, Expression) and then.text == "null")
