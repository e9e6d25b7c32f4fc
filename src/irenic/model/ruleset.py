"""Rule sets: unordered rules over one space, checked for contradictions."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, Final, Protocol

import numpy as np

from irenic.arrays import Indices
from irenic.boxes import Boxes
from irenic.errors import ConditionError, ConflictError
from irenic.model.collection import rule_at
from irenic.model.deciding import DecidingRules
from irenic.model.head import Head
from irenic.model.overlap import Conflict
from irenic.model.packed import PackedRules
from irenic.model.rule import Rule, as_consequent

# Maximum number of conflicts that a ConflictError carries.
_MAX_CONFLICTS: Final = 100


class Listener(Protocol):
    """An object that is notified of every change of a rule set."""

    def rule_added(self, index: int, rule: Rule) -> None:
        """Handle that a rule was added at ``index`` and later rules moved down."""

    def rule_removed(self, index: int, rule: Rule) -> None:
        """Handle that the rule at ``index`` was removed and later rules moved up."""


class RuleSet(DecidingRules):
    """An unordered collection of rules over one space.

    The constructor accepts rules that contradict each other, so that they can be examined;
    :meth:`add` rejects a rule that contradicts another one.

    Two rules contradict each other if they overlap and have different consequents. A rule whose
    consequent is a mapping, such as ``{"x": True, "y": False}``, decides only some labels; such
    rules contradict each other only if a label is decided differently by both. Where they overlap,
    the prediction is what all of them decide together, and the default decides the other labels.

    Parameters
    ----------
    rules : iterable of Rule
        The rules; those of other spaces are moved to this one, with features matched by name.
    space : Space, optional
        The space (default: the one that the rules share, or one inferred from their conditions).
    default : hashable, optional
        The prediction where no rule holds (default: none). If rules decide only some labels, a set:
        the labels in it are present where no rule decides them, and all others are absent.

    Raises
    ------
    ConditionError
        If a rule does not fit the space, or the default decides only some labels.

    Examples
    --------
    >>> from irenic import Continuous, Rule, RuleSet, Space
    >>> space = Space([Continuous("age")])
    >>> rules = RuleSet([Rule({"age": (0, 10)}, then="child"),
    ...                  Rule({"age": (10, 99)}, then="adult")], space)
    >>> rules.is_consistent
    True
    >>> rules.predict({"age": [5, 10, 120]})
    array(['child', 'adult', None], dtype=object)
    >>> rules.add(Rule({"age": (18, None)}, then="senior"))
    Traceback (most recent call last):
    irenic.errors.ConflictError: rule 3 (IF age >= 18 THEN senior) contradicts rule 2 (IF 10 <=
    age < 99 THEN adult): both hold where 18 <= age < 99, for example at age = 60; change one of
    them, or keep both with force=True
    """

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same rules in any order, space and default."""
        if not isinstance(other, RuleSet):
            return NotImplemented
        return (
            self.space == other.space
            and self.default == other.default
            and len(self) == len(other)
            and self._counted() == other._counted()
        )

    def _counted(self) -> Counter[Hashable]:
        """Return how often each rule occurs, without creating Rule objects."""
        rows = zip(self.boxes.keys(), self.thens, self.weights.tolist(), strict=True)
        return Counter((key.tobytes(), then, weight) for key, then, weight in rows)

    __hash__ = None  # type: ignore[assignment]

    # --- changing

    def listen(self, listener: Listener) -> None:
        """Notify an object of every change from now on, for as long as it exists.

        Its methods ``rule_added(index, rule)`` and ``rule_removed(index, rule)`` are called. The
        set keeps only a weak reference to it.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> class Printer:
        ...     def rule_added(self, index, rule): print("added", rule)
        ...     def rule_removed(self, index, rule): print("removed", rule)
        >>> printer = Printer()
        >>> rules.listen(printer)
        >>> rules.add(Rule({"age": (30, 60)}, then="high"))
        added IF 30 <= age < 60 THEN high
        """
        self.__dict__.setdefault("_listeners", weakref.WeakSet()).add(listener)

    def _followers(self) -> Sequence[Listener]:
        # most sets have none, and iterating over weak references takes longer than a change
        return list(self.__dict__.get("_listeners", ()))

    def add(self, rule: Rule, *, force: bool = False) -> None:
        """Add a rule, unless it contradicts another rule.

        Parameters
        ----------
        rule : Rule
            The rule to add.
        force : bool, default False
            Add the rule even if it contradicts another one.

        Raises
        ------
        ConflictError
            If the rule contradicts another one. The error names the rules, the region in which
            both hold, and a point of it.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> rules.add(Rule({"age": (30, 60)}, then="high"))
        >>> len(rules)
        2
        """
        rule = self._cast(rule, len(self) + 1)
        if not force:
            self._check_conflicts(rule, number=len(self) + 1)
        self._append(rule)
        self._consistent = None if force or not self._consistent else True
        for listener in self._followers():
            listener.rule_added(len(self) - 1, rule)

    def remove(self, rule: int | Rule) -> Rule:
        """Remove and return a rule, given by its index or as a rule that equals it."""
        i = self.index(rule) if isinstance(rule, Rule) else self._index(rule)
        removed = self._rule(i)
        self._packed.remove(i)
        self._consistent = self._consistent or None
        for listener in self._followers():
            listener.rule_removed(i, removed)
        return removed

    def replace(self, i: int, rule: Rule, *, force: bool = False) -> Rule:
        """Replace a rule and return it, unless the new one contradicts another rule.

        With ``force``, contradictions are allowed. After an error, the set is unchanged.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> rules.replace(0, Rule({"age": (0, 40)}, then="low"))
        IF 0 <= age < 30 THEN low
        """
        i = self._index(i)
        rule = self._cast(rule, i + 1)
        if not force:
            self._check_conflicts(rule, number=i + 1, replaced=i)
        removed = self._rule(i)
        self._packed.put(i, rule.region, self._code(rule.then), rule.weight)
        self._consistent = None if force or not self._consistent else True
        for listener in self._followers():
            listener.rule_removed(i, removed)
            listener.rule_added(i, rule)
        return removed

    def _check_conflicts(self, rule: Rule, number: int, replaced: int = -1) -> None:
        rivals = self._rivals(rule.region, rule.then)
        if replaced >= 0:
            rivals = rivals[rivals != replaced]
        if not len(rivals):
            return
        # copied, because the set may change before someone reads the error
        packed, thens = self._packed.take(rivals[:_MAX_CONFLICTS]), self._thens

        def describe() -> tuple[str, list[Conflict]]:
            listed = rivals[:_MAX_CONFLICTS].tolist()
            conflicts = [
                Conflict(i, number - 1, (rule_at(packed, thens, row), rule))
                for row, i in enumerate(listed)
            ]
            first = conflicts[0]
            more = f" (and {len(rivals) - 1} more)" if len(rivals) > 1 else ""
            return (
                f"rule {number} ({rule}) contradicts rule {first.first + 1}"
                f" ({first.rules[0]}){more}: both hold where {first.region}, for example at"
                f" {first.witness_text}; change one of them, or keep both with force=True",
                conflicts,
            )

        raise ConflictError._deferred(describe)


RuleSet._kind = RuleSet


def for_growth(
    rules: RuleSet, consequent: Hashable | None
) -> tuple[PackedRules, int, Indices | None]:
    """Return rules to grow regions between, the code of those that are not rivals, and indices.

    Kernels treat every other code as a rival. If a code is not enough, because heads can agree
    without being equal, only the rivals are returned, with their indices in the set. If parts of
    the space are impossible, the possible parts of the rivals are returned.
    """
    then = None if consequent is None else as_consequent(consequent)
    if rules.space.impossible:
        boxes, owners = possible_parts(rules, then)
        return PackedRules.from_boxes(boxes, rules.then_codes[owners]), -1, owners
    if then is None or not (rules._has_heads or isinstance(then, Head)):
        return rules.packed, rules.code_of(then), None
    rivals = np.flatnonzero(rules.rival_mask(then))
    return rules.packed.take(rivals), -1, rivals


def possible_parts(rules: DecidingRules, consequent: Hashable | None) -> tuple[Boxes, Indices]:
    """Return boxes that contain the cases of rivals that can occur, and the rule of each box.

    A region that overlaps none of the boxes overlaps a rival at most where no case can occur.
    """
    rivals = np.flatnonzero(rules.rival_mask(consequent))
    boxes, excluded = rules.boxes.take(rivals), rules.space.impossible_boxes
    if not len(excluded):
        return boxes, rivals
    cut = boxes.meet_any(excluded)
    parts = [boxes.take([row]).subtract(excluded) for row in np.flatnonzero(cut)]
    owners = np.repeat(rivals[cut], [len(part) for part in parts])
    return boxes.take(~cut).concat(*parts), np.concatenate((rivals[~cut], owners))


def as_rule_set(rules: object) -> RuleSet:
    """Return a rule set, or the rules of a fitted classifier; raise an error for anything else."""
    rules = learned_rules(rules)
    if not isinstance(rules, RuleSet):
        raise ConditionError(
            f"rules must be a RuleSet, got {type(rules).__name__}; create one with RuleSet(rules)"
        )
    return rules


def learned_rules(rules: Any) -> Any:
    """Return the rules of a fitted classifier, and anything else unchanged.

    >>> class Fitted:
    ...     rules_ = RuleSet([])
    >>> learned_rules(Fitted()) is Fitted.rules_, learned_rules("A")
    (True, 'A')
    """
    learned = getattr(rules, "rules_", None)
    return learned if isinstance(learned, RuleSet) else rules
