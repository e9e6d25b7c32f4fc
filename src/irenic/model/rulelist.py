"""Rule lists: rules in an order, of which the first that holds decides."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Final, overload

import numpy.typing as npt

from irenic.boxes.arrays import Bools, Ints
from irenic.model import markup
from irenic.model.decider import Decider
from irenic.model.explanation import Explanation
from irenic.model.overlap import Conflict, Overlap, Pairs
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet, head_parts, rules_table
from irenic.model.space import Space

_FIRST: Final = "the first rule that holds decides"


class RuleList:
    """Rules in an order: the first that holds decides, later ones stay silent.

    What a list says of a case cannot be read off one rule: each holds only where none before it
    does. :func:`irenic.to_set` turns a list into an equivalent set, whose rules are true by
    themselves.

    Parameters
    ----------
    rules : iterable of Rule
        Rules of other spaces are moved to this one, features matched by name.
    space : Space, optional
        By default the space that the rules share, or one inferred from their conditions.
    default : hashable, optional
        What to predict where no rule holds; None for nothing.

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

    def __init__(
        self,
        rules: Iterable[Rule] = (),
        space: Space | None = None,
        *,
        default: Hashable | None = None,
    ) -> None:
        self._rules = RuleSet(rules, space, default=default)

    @classmethod
    def of(cls, rules: RuleSet) -> RuleList:
        """Return the rules of a set in the order in which it holds them.

        >>> from irenic import RuleSet
        >>> RuleList.of(RuleSet([Rule({"age": (0, 10)}, then="child")]))
        <RuleList: 1 rule, 1 feature>
          1. IF 0 <= age < 10 THEN child
        """
        made = cls.__new__(cls)
        made._rules = rules.copy()
        return made

    @property
    def space(self) -> Space:
        """The space of the rules."""
        return self._rules.space

    @property
    def default(self) -> Hashable | None:
        """What is predicted where no rule holds."""
        return self._rules.default

    @property
    def rules(self) -> RuleSet:
        """The rules as a set, contradictions and all; it changes on its own."""
        return self._rules.copy()

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    @overload
    def __getitem__(self, i: int) -> Rule: ...
    @overload
    def __getitem__(self, i: slice) -> RuleList: ...
    def __getitem__(self, i: int | slice) -> Rule | RuleList:
        return RuleList.of(self._rules[i]) if isinstance(i, slice) else self._rules[i]

    def __eq__(self, other: object) -> bool:
        """Return whether both hold the same rules in the same order, space and default."""
        if not isinstance(other, RuleList):
            return NotImplemented
        same = self.space == other.space and self.default == other.default
        return same and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._rules).replace("<RuleSet:", "<RuleList:", 1)

    def _repr_html_(self) -> str:
        title = markup.head("Rule list", *head_parts(self._rules), _FIRST)
        return markup.block(title, rules_table(self._rules, otherwise=self.default is not None))

    # --- on instances

    def covering(self, X: Any) -> Bools:
        """Return which rules' regions hold which instances: ``[instance, rule]``."""
        return self._rules.covering(X)

    def decide(self, X: Any) -> Ints:
        """Return the place of the rule that decides each instance, -1 where none covers it."""
        return self._rules.decide(X, resolve="first")

    def predict(self, X: Any, *, default: Hashable | None = None) -> npt.NDArray[Any]:
        """Return the consequent for each instance; see :meth:`RuleSet.predict`."""
        return self._rules.predict(X, default=default, resolve="first")

    def decider(self) -> Decider:
        """Return the list prepared to decide one record after another; see :class:`Decider`.

        Returns
        -------
        Decider
            Callable with one record.

        Examples
        --------
        >>> decide = RuleList([Rule({"age": (None, 10)}, then="child"),
        ...                    Rule({"age": (None, 18)}, then="youth")], default="adult").decider()
        >>> decide({"age": 5}), decide({"age": 15}), decide({"age": 50})
        ('child', 'youth', 'adult')
        """
        return self._rules.decider(resolve="first")

    def explain(self, X: Any) -> list[Explanation]:
        """Return for each instance which rule decides it and what it says, in words."""
        return self._rules.explain(X, resolve="first")

    # --- what the order hides

    def conflicts(self, *, limit: int | None = None) -> Pairs[Conflict]:
        """Return every pair of rules that overlap and differ: what only the order settles."""
        return self._rules.conflicts(limit=limit)

    def overlaps(self, *, limit: int | None = None) -> Pairs[Overlap]:
        """Return every pair of rules that overlap and predict the same thing."""
        return self._rules.overlaps(limit=limit)
