"""Rule lists: ordered rules, of which the first that holds decides."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from irenic.arrays import Bools, Ints
from irenic.model.decider import Decider
from irenic.model.explanation import Explanation
from irenic.model.overlap import Conflict, Overlap, Pairs
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet
from irenic.model.shown import Shown
from irenic.model.space import Space


class RuleList(Shown):
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

    def __init__(
        self,
        rules: Iterable[Rule] = (),
        space: Space | None = None,
        *,
        default: Hashable | None = None,
    ) -> None:
        self._rules = _whole(RuleSet(rules, space, default=default))

    @classmethod
    def from_rules(cls, rules: RuleSet) -> RuleList:
        """Return the rules of a set as a list, in the order of the set.

        Parameters
        ----------
        rules : RuleSet
            The rules, which are copied.

        Returns
        -------
        RuleList

        Examples
        --------
        >>> from irenic import Rule, RuleList, RuleSet
        >>> RuleList.from_rules(RuleSet([Rule({"age": (0, 10)}, then="child")]))
        <RuleList: 1 rule, 1 feature>
          1. IF 0 <= age < 10 THEN child
        """
        rule_list = cls.__new__(cls)
        rule_list._rules = _whole(rules).copy()
        return rule_list

    @property
    def space(self) -> Space:
        """The space of the rules."""
        return self._rules.space

    @property
    def default(self) -> Hashable | None:
        """The prediction where no rule holds, or None."""
        return self._rules.default

    @property
    def rules(self) -> RuleSet:
        """A copy of the rules as a set, which may contain conflicts."""
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
        return RuleList.from_rules(self._rules[i]) if isinstance(i, slice) else self._rules[i]

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same rules in the same order, space and default."""
        if not isinstance(other, RuleList):
            return NotImplemented
        same = self.space == other.space and self.default == other.default
        return same and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return self._rules._listing("RuleList")

    # --- instances

    def covering(self, X: Any) -> Bools:
        """Return which rules cover which instances, whether or not they decide.

        Parameters
        ----------
        X : table
            The instances.

        Returns
        -------
        array of bool of shape (instances, rules)

        Examples
        --------
        >>> from irenic import Rule, RuleList
        >>> RuleList([Rule({"age": (0, 30)}, then="low")]).covering({"age": [29, 30]})
        array([[ True],
               [False]])
        """
        return self._rules.covering(X)

    def decide(self, X: Any) -> Ints:
        """Return the index of the rule that decides each instance.

        Parameters
        ----------
        X : table
            The instances.

        Returns
        -------
        array of int
            -1 if no rule covers the instance.

        Examples
        --------
        >>> from irenic import Rule, RuleList
        >>> RuleList([Rule({"age": (0, 30)}, then="low")]).decide({"age": [29, 30]})
        array([ 0, -1])
        """
        return self._rules.decide(X, resolve="first")

    def predict(self, X: Any, *, default: Hashable | None = None) -> npt.NDArray[Any]:
        """Return the predicted consequent of each instance.

        Parameters
        ----------
        X : table
            The instances.
        default : hashable, optional
            The prediction where no rule holds (default: that of the list).

        Returns
        -------
        array
            Of numbers or booleans if all consequents and the default are, else of objects.

        Examples
        --------
        >>> from irenic import Rule, RuleList
        >>> RuleList([Rule({"age": (0, 30)}, then="low")]).predict({"age": [29, 30]})
        array(['low', None], dtype=object)
        """
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
        """Return the reason for the decision on each instance.

        Parameters
        ----------
        X : table
            The instances.

        Returns
        -------
        list of Explanation

        Examples
        --------
        >>> from irenic import Rule, RuleList
        >>> print(RuleList([Rule({"age": (0, 30)}, then="low")]).explain({"age": [29]})[0])
        low, by rule 1, because 0 <= age < 30
        """
        return self._rules.explain(X, resolve="first")

    def edit(
        self,
        *,
        properties: str | Iterable[str] = (),
        cases: tuple[Any, Sequence[Any]] | None = None,
    ) -> Any:
        """Return a widget for notebooks in which the rules can be edited.

        It shows the page of :func:`irenic.report`, with an editor that checks every change.
        Anything that it saves is in the attribute ``rules`` of the widget; this object stays as
        it is. It needs the extra ``irenic[notebook]``.

        Parameters
        ----------
        properties : str or iterable of str
            Properties that the page checks after every change, as :func:`irenic.proving.prove`
            takes them.
        cases : tuple of (table, sequence of hashable), optional
            Test cases and their expected outcomes, which the page checks, too.

        Returns
        -------
        anywidget.AnyWidget
            With the attribute ``rules``: a RuleSet, or a RuleList if the order decides.

        Raises
        ------
        ImportError
            If anywidget is not installed.

        Examples
        --------
        >>> from irenic import Rule, RuleList
        >>> rules = RuleList([Rule({"age": (0, 9)}, then="child")])
        >>> widget = rules.edit()  # doctest: +SKIP
        >>> widget.rules  # doctest: +SKIP
        """
        # by name, because views are above the model
        return import_module("irenic.reporting.widget").editor(self, properties, cases)

    def explanation_size(self, X: Any) -> float:
        """Return the mean number of conditions to read for a prediction.

        A rule of a list decides only where all earlier rules fail. For each instance, this adds up
        the conditions of the rule that decides and of all rules before it; an instance that no rule
        covers counts the conditions of all rules. Compare it with the size for the equivalent set
        of :func:`irenic.to_set`, of which only the rules that cover an instance count.

        Parameters
        ----------
        X : table
            The instances.

        Returns
        -------
        float

        Examples
        --------
        >>> from irenic import Rule, RuleList
        >>> ages = RuleList([Rule({"age": (None, 10)}, then="child"),
        ...                  Rule({"age": (None, 18)}, then="youth")], default="adult")
        >>> ages.explanation_size({"age": [5, 15, 50]})     # 1, 2 and 2 conditions
        1.6666666666666667
        """
        decided = self.decide(X)
        if not len(decided):
            return 0.0
        read = np.append(0, np.cumsum(self._rules.conditions_per_rule()))
        return float(read[np.where(decided < 0, len(self), decided + 1)].mean())

    # --- overlaps

    def conflicts(self, *, limit: int | None = None) -> Pairs[Conflict]:
        """Return the pairs of overlapping rules with different consequents.

        In a list, these are the pairs for which the order matters.

        Parameters
        ----------
        limit : int, optional
            Maximum number of pairs (default: all).

        Returns
        -------
        sequence of Conflict

        Examples
        --------
        >>> from irenic import Rule, RuleList
        >>> rules = [Rule({"age": (0, 30)}, then="low"), Rule({"age": (29, 60)}, then="high")]
        >>> RuleList(rules).conflicts()[0].region
        29 <= age < 30
        """
        return self._rules.conflicts(limit=limit)

    def overlaps(self, *, limit: int | None = None) -> Pairs[Overlap]:
        """Return the pairs of overlapping rules with the same consequent.

        Parameters
        ----------
        limit : int, optional
            Maximum number of pairs (default: all).

        Returns
        -------
        sequence of Overlap

        Examples
        --------
        >>> from irenic import Rule, RuleList
        >>> rules = [Rule({"age": (0, 30)}, then="low"), Rule({"age": (29, 60)}, then="low")]
        >>> RuleList(rules).overlaps()[0].region
        29 <= age < 30
        """
        return self._rules.overlaps(limit=limit)


def _whole(rules: RuleSet) -> RuleSet:
    rules.check_whole("a rule list", "in a rule set, such rules decide together")
    return rules
