"""Rules that decide cases: what sets and lists of rules share."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from importlib import import_module
from typing import Any, Final, Literal, Self, cast

import numpy as np
import numpy.typing as npt

from irenic.arrays import Bools, Codes, Ints, Signs, distinct
from irenic.errors import ConditionError, ConflictError, DataError
from irenic.model.collection import Collection
from irenic.model.columns import frame_backend
from irenic.model.decider import Decider
from irenic.model.explanation import Explanation, Statistics, common_type
from irenic.model.head import (
    Head,
    agreements,
    by_precedence,
    by_vote,
    implies,
    labels_of,
    open_labels,
    signs,
    united,
)
from irenic.model.literals import display
from irenic.model.rule import Rule, as_consequent, as_default
from irenic.model.space import Instances, to_list

Resolve = Literal["first", "best", "vote"]
RESOLVE: Final = ("first", "best", "vote")
# Instances that are compared with all rules at a time: the matrix may be huge.
_AT_ONCE: Final = 4096


class DecidingRules(Collection):
    """Rules over one space, and what decides where several of them hold.

    What :class:`RuleSet` and :class:`irenic.RuleList` share: they differ in their policy, and only
    a set can change.
    """

    # --- instances

    def covering(self, X: Any) -> Bools:
        """Return which rules cover which instances."""
        return self._packed.covering(self.space.encode(X)).T

    def decide(self, X: Any, *, resolve: Resolve | None = None) -> Ints:
        """Return the index of the rule that decides each instance, -1 if no rule covers it.

        If several rules with the same consequent cover an instance, the first of them decides. If
        rules decide only some labels, several rules decide together; this is then the first of
        those that cover the instance, or with ``resolve="best"`` the one with the greatest weight.
        See :meth:`predict` for ``resolve``, without which rules must not contradict each other.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> rules.decide({"age": [29, 30]})
        array([ 0, -1])
        """
        resolve = self._resolved(resolve)
        instances = self.space.encode(X)
        if resolve == "vote" and not self.is_partial:
            return self._packed.voting(instances, len(self._thens))
        return self._packed.deciding(instances, self._by_priority(resolve))

    def _by_priority(self, resolve: Resolve | None) -> Ints:
        """Return the rules in the order in which the first that covers a case decides it."""
        if resolve == "best":
            return np.argsort(-self.weights, kind="stable")
        return np.arange(len(self))

    def _resolved(self, resolve: Resolve | None) -> Resolve | None:
        """Return how to choose between conflicting rules; raise an error if it is not known."""
        if self.policy == "FIRST":
            if resolve not in (None, "first"):
                raise ConditionError(
                    'the first rule of a list that holds decides, so resolve must be "first" or'
                    f" None, got {resolve!r}"
                )
            return "first"
        if resolve is None:
            if not self.is_consistent:
                conflict = self.conflicts(limit=1)[0]
                raise ConflictError(
                    f"the rules contradict each other: {conflict}; repair them, or choose one of"
                    ' resolve="first", "best" or "vote"',
                    [conflict],
                )
        elif resolve not in RESOLVE:
            raise ConditionError(f"resolve must be one of {', '.join(RESOLVE)}, got {resolve!r}")
        return resolve

    def predict(
        self, X: Any, *, default: Hashable | None = None, resolve: Resolve | None = None
    ) -> npt.NDArray[Any]:
        """Return the predicted consequent of each instance.

        Parameters
        ----------
        X : table
            The instances.
        default : hashable, optional
            The prediction where no rule holds (default: that of the set; if it has none, None).
        resolve : {"first", "best", "vote"}, optional
            How to choose between conflicting rules: the first rule, the rule with the greatest
            weight, or the consequent with the greatest sum of weights. If rules decide only some
            labels, each label is decided in this way.

        Returns
        -------
        array
            Of numbers or booleans if all consequents and the default are, else of objects. If rules
            decide only some labels, sets of labels, and the default where no rule holds.

        Raises
        ------
        ConflictError
            If there are conflicts and ``resolve`` is None.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> rules.predict({"age": [29, 30]}, default="high")
        array(['low', 'high'], dtype=object)
        """
        fallback = self.default if default is None else as_default(default)
        if self.is_partial:
            return self._predict_labels(self.space.encode(X), fallback, resolve)
        decided = self.decide(X, resolve=resolve)
        thens = [*self._thens, fallback]
        codes = np.append(self.then_codes, len(thens) - 1)
        used = distinct(codes)  # consequents of removed rules must not affect the type
        dtype = common_type([thens[code] for code in used])
        table: npt.NDArray[Any] = np.zeros(len(thens), dtype=dtype or object)
        for code in used:
            table[code] = thens[code]
        predictions: npt.NDArray[Any] = table[codes[decided]]
        return predictions

    def _predict_labels(
        self, instances: Instances, default: Hashable | None, resolve: Resolve | None
    ) -> npt.NDArray[Any]:
        labels = labels_of((*self._thens, default))
        states, covered = self.decide_labels(instances, labels, resolve=resolve)
        usual = np.array([label in open_labels(default) for label in labels], dtype=np.bool_)
        present = np.where(states == 0, usual, states > 0)
        rows, group = np.unique(present, axis=0, return_inverse=True)
        sets = np.empty(len(rows) + 1, dtype=object)
        for i, row in enumerate(rows):
            sets[i] = frozenset(labels[k] for k in np.flatnonzero(row))
        sets[-1] = default
        predictions: npt.NDArray[Any] = sets[np.where(covered, group.reshape(-1), -1)]
        return predictions

    def decide_labels(
        self, X: Any, labels: Sequence[Hashable], *, resolve: Resolve | None = None
    ) -> tuple[Signs, Bools]:
        """Return what the rules decide about each label, and which cases they cover.

        1 if a label is present, -1 if it is absent, 0 if no rule decides it; per case and label.
        """
        resolve = self._resolved(resolve)
        for i, then in enumerate(self.thens):
            if not isinstance(then, Head | frozenset):
                raise ConditionError(
                    f"rule {i + 1} must predict a set of labels, because other rules decide only"
                    f" some labels, got {display(then)}"
                )
        instances = self.space.encode(X)
        decided = signs(self.thens, labels)
        states = np.zeros((len(instances), len(labels)), dtype=np.int8)
        covered = np.zeros(len(instances), dtype=np.bool_)
        for start in range(0, len(instances), _AT_ONCE):
            rows = slice(start, start + _AT_ONCE)
            covers = self.covering(instances.take(rows))
            covered[rows] = covers.any(axis=1)
            if resolve is None:  # checked above: the rules do not contradict each other
                states[rows] = united(covers, decided)
            elif resolve == "vote":
                states[rows] = by_vote(covers, decided, self.weights)
            else:
                states[rows] = by_precedence(covers, decided, self._by_priority(resolve).tolist())
        return states, covered

    def decider(self, *, resolve: Resolve | None = None) -> Decider:
        """Return the rules prepared to decide one record after another, with an index.

        A decider takes microseconds per record where :meth:`predict` takes a fraction of a
        millisecond, or several milliseconds for very many rules. It gives the same answers, as
        plain values, and is not affected by later changes of the set. See :meth:`predict` for
        ``resolve``. Rules that decide only some labels have no decider, because several of them
        decide together.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")], default="high")
        >>> decide = rules.decider()
        >>> decide({"age": 29}), decide({"age": 30})
        ('low', 'high')
        """
        self.check_whole("a decider", "predict(X) decides several records")
        resolve = self._resolved(resolve)
        order = None if resolve == "vote" else self._by_priority(resolve)
        return Decider(self._packed, self.thens, default=self.default, order=order)

    def explain(self, X: Any, *, resolve: Resolve | None = None) -> list[Explanation]:
        """Return the reason for the decision on each instance; see :meth:`predict` for ``resolve``.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")], default="high")
        >>> for explanation in rules.explain({"age": [29, 30]}):
        ...     print(explanation)
        low, by rule 1, because 0 <= age < 30
        high, by default, because age >= 30
        """
        resolve = self._resolved(resolve)
        # by name, because searches are above the model
        explaining = import_module("irenic.searching.explaining")
        deciding = explaining.Deciding.of(self, resolve)
        explained: list[Explanation] = explaining.explained(deciding, self.space.encode(X)).each()
        return explained

    def statistics(self, X: Any, y: Any) -> Statistics:
        """Return the support, confidence and label counts of each rule on labeled instances.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> stats = rules.statistics({"age": [10, 20, 29, 50]}, ["low", "low", "high", "high"])
        >>> stats.support, stats.confidence.round(2), stats.labels, stats.mix
        (array([3]), array([0.67]), ('low', 'high'), array([[2, 1]]))
        """
        instances = self.space.encode(X)
        labels = to_list(y)
        if len(labels) != len(instances):
            raise DataError(
                f"y must have {len(instances)} labels, one per instance, got {len(labels)}"
            )
        columns: dict[Hashable, int] = {}
        codes = np.array(
            [columns.setdefault(as_consequent(label), len(columns)) for label in labels],
            dtype=np.int64,
        )
        mix, _ = self._packed.counting(instances, codes, max(len(columns), 1))
        if self._has_heads:
            agree = agreements(self._thens, list(columns))[self.then_codes]
            correct = (mix[:, : len(columns)] * agree).sum(axis=1)
        else:
            own = [columns.get(then, -1) for then in self._thens]
            code = np.array(own, np.int64)[self.then_codes]
            correct = np.where(code >= 0, mix[np.arange(len(self)), code], 0)
        support = mix.sum(axis=1)
        nan = np.full(len(self), math.nan)
        confidence = np.divide(correct, support, out=nan, where=support > 0)
        return Statistics(tuple(columns), mix[:, : len(columns)], support, confidence)

    # --- measures

    def conditions_per_rule(self) -> Ints:
        """Return the number of conditions of each rule."""
        return self._packed.boxes.n_conditions()

    @property
    def n_conditions(self) -> int:
        """Number of conditions of all rules together."""
        return int(self.conditions_per_rule().sum())

    def explanation_size(self, X: Any) -> float:
        """Return the mean number of conditions to read for a prediction.

        For each instance, this adds up the conditions of all rules that cover it; an instance that
        no rule covers counts as 0.
        """
        instances = self.space.encode(X)
        if not len(instances):
            return 0.0
        labels = np.zeros(len(instances), dtype=np.int64)
        _, size = self._packed.counting(instances, labels, 1)
        return float(size.mean())

    # --- other forms

    def simplified(self) -> Self:
        """Return an equivalent set without redundant conditions and rules.

        Conditions that the bounds of the space imply are removed, and so are rules that lie inside
        another rule that decides at least the same (of equal rules, the first is kept). If there
        are conflicts, all rules are kept, since each may affect how conflicts are resolved.

        Examples
        --------
        >>> from irenic import Continuous, Rule, RuleSet, Space
        >>> space = Space([Continuous("age", bounds=(0, 120))])
        >>> RuleSet([Rule({"age": (0, 30)}, then="low"),
        ...          Rule({"age": (5, 20)}, then="low")], space).simplified()
        <RuleSet: 1 rule, 1 feature>
          1. IF age < 30 THEN low
        """
        kept = self if not self.is_consistent else self[self._not_inside()]
        rules = (Rule(r.region.simplified(), then=r.then, weight=r.weight) for r in kept)
        return cast("Self", self._kind(rules, self.space, default=self.default))

    def _not_inside(self) -> Bools:
        """Return which rules do not lie inside another rule that decides at least the same."""
        first, second = self._find_pairs(same=True).T
        boxes = self.boxes
        keep = np.ones(len(self), dtype=np.bool_)
        later = boxes.inside(second, first) & self._imply(first, second)
        keep[second[later]] = False
        keep[first[boxes.inside(first, second) & self._imply(second, first) & ~later]] = False
        return keep

    def _imply(self, outer: Codes, inner: Codes) -> Bools:
        """Return which rules decide everything that other ones do; both are indices of rules."""
        if not self._has_heads:
            return np.ones(len(outer), dtype=np.bool_)
        thens = self.thens
        pairs = zip(outer.tolist(), inner.tolist(), strict=True)
        return np.array([implies(thens[a], thens[b]) for a, b in pairs], dtype=np.bool_)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the rules as a data frame with one row per rule.

        ``backend`` is its library, "pandas", "polars" or "pyarrow" (default: the first one that is
        installed).

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
        >>> rules.to_frame("pandas").to_dict("records")
        [{'rule': 1, 'if': '0 <= age < 30', 'then': 'low', 'conditions': 1, 'weight': 1.0}]
        """
        import narwhals.stable.v2 as nw

        columns: dict[str, list[Any]] = {
            "rule": list(range(1, len(self) + 1)),
            "if": [rule.region.to_text() for rule in self],
            "then": [r.then if isinstance(r.then, str) else display(r.then) for r in self],
            "conditions": [int(c) for c in self.conditions_per_rule()],
            "weight": [float(w) for w in self.weights],
        }
        return nw.from_dict(columns, backend=frame_backend(backend)).to_native()
