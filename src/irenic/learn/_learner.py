"""What a learner of one's own starts from: training rows, and a classifier around the learning."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state

from irenic.arrays import Floats
from irenic.errors import DataError
from irenic.learn._base import RuleClassifier
from irenic.learn.cells import Cells
from irenic.learn.front import Front, FrontPoint, front_of
from irenic.learn.points import points_of
from irenic.learn.sample import Sample
from irenic.learn.tally import Counting, Uncounted
from irenic.learn.target import Consequents
from irenic.learn.validation import Estimate
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet
from irenic.model.sampling import as_generator
from irenic.model.space import Instances, Space


@dataclass(frozen=True, eq=False)
class LabeledRows:
    """Training rows, what rules can predict for them, and what each prediction is worth.

    Parameters
    ----------
    instances : Instances
        The encoded rows.
    consequents : sequence of hashable
        What rules can predict: labels, or sets of labels.
    gains : array of shape (rows, consequents)
        What it is worth to predict a consequent for a row: 1 if it is right and 0 if it is wrong;
        for sets of labels the F1.
    cuts : sequence of array
        Thresholds for the bounds of each continuous feature, ascending.
    labels : sequence of hashable
        The labels, if the consequents are heads that decide only some of them.
    truth : array of shape (rows, labels), optional
        1 where a row has a label; only together with ``labels``.

    Examples
    --------
    >>> rows = LabeledRows.from_table({"age": [20, 30, 40]}, ["low", "low", "high"])
    >>> len(rows), rows.consequents, rows.cuts[0]
    (3, ['high', 'low'], array([26., 36.]))
    """

    instances: Instances
    consequents: Sequence[Hashable]
    gains: Floats
    cuts: Sequence[Floats]
    labels: Sequence[Hashable] = ()
    truth: Floats | None = None

    @classmethod
    def from_table(cls, X: Any, y: Sequence[Hashable]) -> Self:
        """Return the rows of a table with one label each."""
        consequents = sorted(set(y), key=str)
        gains = np.array([[float(label == then) for then in consequents] for label in y])
        instances = Space.infer(X).encode(X)
        cuts = Cells.from_instances(instances, gains, np.ones(len(gains))).cuts
        return cls(instances, consequents, gains, cuts)

    def __len__(self) -> int:
        return len(self.instances)

    @property
    def space(self) -> Space:
        """The features."""
        return self.instances.space


class RuleLearner(RuleClassifier, metaclass=ABCMeta):
    """Base of classifiers of one's own, whose :meth:`learn` turns training rows into rule sets.

    A subclass defines ``learn``, and has everything else: tables of any kind, one label or several
    labels per row, the front of rule sets with statistics, explanations and certificates. It may
    have the parameters ``conflicts``, ``heads`` and ``random_state`` of
    :class:`irenic.systems.PittsburghClassifier`.

    Examples
    --------
    >>> from itertools import permutations
    >>> from irenic import Rule, RuleSet
    >>> class Stump(RuleLearner):
    ...     def learn(self, rows, rng):
    ...         name = rows.space.names[0]
    ...         return [RuleSet([Rule({name: (None, cut)}, then=below)], rows.space, default=above)
    ...                 for cut in rows.cuts[0].tolist()
    ...                 for below, above in permutations(rows.consequents, 2)]
    >>> clf = Stump().fit({"age": range(40)}, ["free"] * 18 + ["full"] * 22)
    >>> clf.rules_
    <RuleSet: 1 rule, 1 feature>
      1. IF age < 18 THEN free
      DEFAULT full
    """

    conflicts: str = "avoid"
    heads: str = "whole"
    random_state: Any = None
    estimate_: Estimate | None = None
    _shape: tuple[int, int, int]
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any) -> Self:
        """Learn rules from rows: anything that :class:`irenic.RuleSetClassifier` accepts."""
        self._read_groups()
        data = self._read(X, y, None)
        rng = as_generator(check_random_state(self.random_state))
        consequents, rows = self._labeled_rows(data)
        rule_sets = self.learn(rows, rng)
        if not rule_sets:
            raise ValueError("learn must return at least one rule set, got none")
        self._learned(data, y)
        drafts = [Uncounted(self._shown(rules), consequents) for rules in rule_sets]
        self._offer(front_of(points_of(drafts, data, Counting(self.conflicts))))
        self._use(max(self.pareto_front_, key=lambda point: point.training_score))
        return self

    @abstractmethod
    def learn(self, rows: LabeledRows, rng: np.random.Generator) -> Sequence[RuleSet]:
        """Return rule sets to choose from: those that no other beats are the front.

        At least one, with defaults. The one with the highest training score is used; ``rng`` comes
        from ``random_state``.
        """

    def _use(self, point: FrontPoint) -> None:
        """Use a rule set of the front."""
        self.pareto_front_ = Front(self.pareto_front_, chosen=point)
        self._use_point(point)

    def _labeled_rows(self, data: Sample) -> tuple[Consequents, LabeledRows]:
        """Return what rules can predict, and the training rows to learn from."""
        target, weight = data.target, data.weight
        partial = self.heads == "partial"
        if partial and not target.many:
            raise DataError(
                'heads="partial" needs rows with several labels, got one label per row; use'
                ' heads="whole"'
            )
        consequents = (
            Consequents.partial(target, weight)
            if partial
            else Consequents.from_target(target, weight, [])
        )
        gains = consequents.gains(target.truth)
        cuts = Cells.from_instances(data.instances, target.truth, weight).cuts
        known = (target.labels.tolist(), target.truth) if partial else ()
        rows = LabeledRows(data.instances, consequents.values(), gains, cuts, *known)
        self._shape = len(rows), len(target.labels), len(rows.space)
        return consequents, rows

    def _shown(self, rules: RuleSet) -> RuleSet:
        """Return rules simplified, without weights where there is nothing to resolve."""
        if self.conflicts == "avoid":
            plain = (Rule(rule.region, then=rule.then) for rule in rules)
            rules = RuleSet(plain, rules.space, default=rules.default)
        return rules.simplified()
