"""Compare two rule sets: the regions in which they decide differently."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

from irenic.budget import Budget, Meter, StoppedBy
from irenic.errors import ConditionError, ConflictError
from irenic.model.decision_table import DecisionTable
from irenic.model.literals import counted, show_point
from irenic.model.region import Region
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet
from irenic.proving import decided_text
from irenic.proving.asking import ask_same
from irenic.proving.differing import differences


@dataclass(frozen=True)
class Difference:
    """A region in which two rule sets decide differently.

    Parameters
    ----------
    region : Region
        The region.
    before, after : hashable or None
        The decision of the first and of the second rule set; None if there is none.
    rules_before, rules_after : tuple of int
        Indices of the deciding rules; empty if the default decides, or nothing does.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, diff
    >>> old = RuleSet([Rule({"age": (None, 18)}, then="free")], default="pays")
    >>> new = RuleSet([Rule({"age": (None, 16)}, then="free")], default="pays")
    >>> print(diff(old, new)[0])
    where 16 <= age < 18: free (rule 1) becomes pays (by default), for example at age = 17
    """

    region: Region
    before: Hashable | None
    after: Hashable | None
    rules_before: tuple[int, ...]
    rules_after: tuple[int, ...]

    @cached_property
    def witness(self) -> dict[str, Any]:
        """A readable point of the region."""
        return self.region.witness()

    @property
    def text(self) -> str:
        """The difference in words, with rules numbered from 1."""
        tested = self.region.conditions()
        point = {name: value for name, value in self.witness.items() if name in tested}
        example = f", for example at {show_point(point)}" if point else ""
        before = _decision_text(self.before, self.rules_before)
        after = _decision_text(self.after, self.rules_after)
        return f"where {self.region}: {before} becomes {after}{example}"

    def __str__(self) -> str:
        return self.text


def _decision_text(then: Hashable | None, rules: tuple[int, ...]) -> str:
    return "nothing" if then is None else decided_text(then, rules)


class Differences(Sequence[Difference]):
    """The disjoint regions in which two rule sets decide differently, and whether these are all.

    Parameters
    ----------
    found : list of Difference
        The differences.
    finished : bool
        Whether these are all differences.
    stopped_by : str or None
        The limit that stopped the search; None if it finished.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, diff
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="free")])
    >>> differences = diff(rules, rules)
    >>> len(differences), differences.finished, differences.same
    (0, True, True)
    """

    def __init__(
        self, found: list[Difference], finished: bool, stopped_by: StoppedBy | None
    ) -> None:
        self._found = found
        self.finished = finished
        self.stopped_by = stopped_by

    @property
    def same(self) -> bool | None:
        """Whether both decide the same everywhere; None if the search was stopped too early."""
        if self._found:
            return False
        return True if self.finished else None

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, i: int) -> Difference: ...
    @overload
    def __getitem__(self, i: slice) -> list[Difference]: ...
    def __getitem__(self, i: int | slice) -> Difference | list[Difference]:
        return self._found[i]

    def __repr__(self) -> str:
        known = "" if self.finished else f", and possibly more (stopped by {self.stopped_by})"
        regions = counted(len(self), "region")
        verdict = "no difference" if self.same else f"{regions} decided differently{known}"
        shown = "".join(f"\n  {difference}" for difference in self[:20])
        more = f"\n  … and {len(self) - 20} more" if len(self) > 20 else ""
        return f"<Differences: {verdict}{shown}{more}>"


def diff(
    a: RuleSet | RuleList | DecisionTable,
    b: RuleSet | RuleList | DecisionTable,
    *,
    within: Region | None = None,
    budget: Budget | float | None = None,
) -> Differences:
    """Return the regions in which two rule sets decide differently, with a witness for each.

    Parameters
    ----------
    a, b : RuleSet, RuleList or DecisionTable
        The rules before and after a change. Rule sets must not contradict themselves. The spaces
        may differ: features are matched by name and have the values of both spaces.
    within : Region, optional
        Compare only in this region (default: the whole space).
    budget : Budget or float (seconds), optional
        When it is used up, the differences so far are returned, with ``finished=False`` (default:
        unlimited).

    Returns
    -------
    Differences
        Disjoint regions that together contain exactly the cases decided differently. Decisions by
        default count, and so does having no decision.

    Raises
    ------
    ConflictError
        If a rule set contradicts itself.
    ConditionError
        If all rules that apply count under the hit policy of a table.
    SpaceError
        If a feature has different kinds or units in the two spaces, or an outcome different units.

    Examples
    --------
    >>> from irenic import Rule, RuleSet, diff
    >>> old = RuleSet([Rule({"age": (0, 30)}, then="low"),
    ...                Rule({"age": (30, 60)}, then="high")])
    >>> new = RuleSet([Rule({"age": (0, 35)}, then="low"),
    ...                Rule({"age": (35, 65)}, then="high")])
    >>> diff(old, new)
    <Differences: 2 regions decided differently
      where 30 <= age < 35: high (rule 2) becomes low (rule 1), for example at age = 30
      where 60 <= age < 65: nothing becomes high (rule 2), for example at age = 60>
    """
    first, second = _deciding_once(a, "first"), _deciding_once(b, "second")
    question = ask_same(first, second, within)
    if not len(question.roots):
        return Differences([], True, None)
    found, stopped_by = differences(question, Meter(budget))
    outcomes = question.outcomes
    # outcomes that are equal can be written in two ways, such as 1 and 1.0
    before, after = (
        {outcomes.code(then): then for then in (table.rules.default, *table.rules.consequents)}
        for table in (first, second)
    )
    listed = []
    for box, (old, new), rows in found:
        thens = before.get(old, outcomes.values[old]), after.get(new, outcomes.values[new])
        listed.append(Difference(Region.from_box(box), thens[0], thens[1], *rows))
    return Differences(listed, stopped_by is None, stopped_by)


def _deciding_once(rules: RuleSet | RuleList | DecisionTable, which: str) -> DecisionTable:
    """Return the rules as a table; raise if it does not decide each case once."""
    table = DecisionTable.from_rules(rules)
    if table.collects:
        raise ConditionError(
            f"the {which} table must decide each case once, but under {table.hit_policy} all rules"
            " that apply count"
        )
    if not table.is_ordered and (conflict := table.first_conflict()) is not None:
        raise ConflictError(
            f"the {which} rule set contradicts itself: {table.say_conflict(conflict)}; repair it,"
            " or let the first rule win with RuleList.from_rules(rules) or --hit-policy FIRST",
            [conflict],
        )
    return table
