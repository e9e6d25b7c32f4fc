"""Deciders: rules prepared to decide one record after another.

Deciding a table (:meth:`irenic.RuleSet.predict`) turns its columns into arrays and tests all rules
on them, which for a single record takes far longer than the decision. A decider has an index of the
rules, and turns the values of a record into numbers without arrays.

Rule sets, rule lists and decision tables make deciders, so this module comes before them and knows
only packed rules.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from irenic.arrays import Ints
from irenic.errors import DataError
from irenic.kernels import decide, structs
from irenic.model.literals import counted
from irenic.model.packed import PackedRules
from irenic.model.records import CLOSER
from irenic.model.space import Instances, Space

Record: TypeAlias = Mapping[str, Any] | Sequence[Any]


class Decider:
    """Rules that are prepared to decide one record after another.

    :meth:`irenic.RuleSet.decider` and its counterparts of :class:`irenic.RuleList` and
    :class:`irenic.DecisionTable` return one. It decides as the rules did when it was made: later
    changes of a rule set do not affect it. Several threads can use a decider at once, and it can be
    pickled.

    Parameters
    ----------
    rules : PackedRules
        They are copied.
    thens : sequence of hashable
        The consequent of each rule.
    default : hashable, optional
        The answer if no rule covers a record.
    order : array of int, optional
        The rules by priority: the first that covers a record decides. None: all rules that cover a
        record vote with their weights.

    Examples
    --------
    >>> from irenic import Categorical, Continuous, Rule, RuleSet, Space
    >>> space = Space([Continuous("age"), Categorical("card", ["child", "staff"], missing=True)])
    >>> rules = RuleSet([Rule({"age": (None, 10)}, then="free"),
    ...                  Rule({"age": (10, None), "card": {"staff"}}, then="half")],
    ...                 space, default="full")
    >>> decide = rules.decider()
    >>> decide({"age": 30, "card": "staff"})
    'half'
    >>> decide([30, None])
    'full'
    >>> decide.rule([30, None])
    -1
    """

    def __init__(
        self,
        rules: PackedRules,
        thens: Sequence[Hashable],
        *,
        default: Hashable | None = None,
        order: Ints | None = None,
    ) -> None:
        self.space: Space = rules.space
        self._rules = rules.take(np.arange(rules.n))
        self._order = order
        # no rule is -1, which is the last answer
        self._answers: list[Hashable | None] = [*thens, default]
        self._prepare()

    def _prepare(self) -> None:
        space, rules = self.space, self._rules
        order = np.arange(rules.n) if self._order is None else self._order
        n_thens = int(rules.then.max(initial=0)) + 1 if self._order is None else 0
        self._index = decide.Index(
            structs.RuleColumns(
                *(rules.lower, rules.upper, rules.masks, rules.then, rules.weight, rules.n),
                *space.domain,
            ),
            np.ascontiguousarray(order, dtype=np.int64),
            _domain(space),
            n_thens,
        )
        self._decide: Callable[[Any, bytes, int], int] = decide.decide_point
        self._pointer = self._index.pointer
        self._numbers = space.records.numbers
        self._pack = struct.Struct(f"{len(space)}d").pack

    def __repr__(self) -> str:
        rules, features = counted(self._rules.n, "rule"), counted(len(self.space), "feature")
        return f"<Decider: {rules}, {features}>"

    def __getstate__(self) -> dict[str, Any]:
        kept = ("space", "_rules", "_order", "_answers")
        return {name: self.__dict__[name] for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

    def __call__(self, record: Record) -> Hashable | None:
        """Return the consequent for one record; the default, or None, if no rule covers it.

        Records are mappings (other names are ignored) or sequences in the order of the features.
        Named tuples, Spark rows and rows of pandas are read by name. Invalid values are errors, as
        for a table of one row.
        """
        return self._answers[self.rule(record)]

    def rule(self, record: Record) -> int:
        """Return the index of the rule that decides a record, -1 if no rule covers it.

        If rules vote, it is the first rule of the consequent that wins.
        """
        try:
            found = self._decide(self._pointer, self._pack(*self._numbers(record)), 1)
        except CLOSER:
            return self._decide_encoded(record)
        return found if found >= -1 else self._decide_encoded(record)

    def _decide_encoded(self, record: Any) -> int:
        """Return the index of the deciding rule, with the checks and errors of ``Space.encode``."""
        instances = self.space.encode(record if isinstance(record, Instances) else [record])
        if len(instances) != 1:
            raise DataError(f"a record must be one instance, got {len(instances)}")
        numbers = [*instances.values[:, 0].tolist(), *instances.codes[:, 0].tolist()]
        found = self._decide(self._pointer, self._pack(*numbers), 0)
        if found == decide.NO_MEMORY:
            raise MemoryError("not enough memory to count votes")
        return found


def _domain(space: Space) -> decide.Domain:
    """Return which values of the continuous features need no closer look."""
    integers = [feature.kind == "integer" for feature in space.continuous]
    return decide.Domain(
        space.end,
        np.array(space.records.exact, dtype=np.float64),
        space.may_be_missing.astype(np.uint8),
        np.array(integers, dtype=np.uint8),
    )
