"""Labelled instances as the summary counts them: what rules may say, and what is true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from irenic.errors import DataError
from irenic.rule import as_consequent
from irenic.ruleset import RuleSet
from irenic.space import Instances, to_list

if TYPE_CHECKING:
    from irenic.learn import RuleSetClassifier

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Labelled:
    """Instances, and for each which of the outcomes it has; ``truth`` is None if nobody says."""

    outcomes: tuple[Hashable, ...]
    """What rules, the default or instances say: labels, or sets of labels."""
    labels: tuple[Hashable, ...]
    """What mixes count: the outcomes, or where these are sets, the labels in them."""
    many: bool
    instances: Instances | None = None
    truth: Ints | None = None
    has: npt.NDArray[np.bool_] | None = None
    """Which instance has which label, ``[instance, label]``."""

    @cached_property
    def places(self) -> dict[Hashable, int]:
        """The place of each outcome."""
        return {outcome: place for place, outcome in enumerate(self.outcomes)}

    def label_places(self, outcome: Hashable) -> list[int]:
        """Return the places of the labels that an outcome consists of."""
        if not self.many:
            return [self.places[outcome]]
        held: Any = outcome if isinstance(outcome, frozenset) else {outcome}
        return [place for place, label in enumerate(self.labels) if label in held]

    @property
    def counts(self) -> list[int | None]:
        """How many instances have each outcome."""
        if self.truth is None:
            return [None] * len(self.outcomes)
        return list(np.bincount(self.truth, minlength=len(self.outcomes)).tolist())

    @property
    def label_counts(self) -> list[int | None]:
        """How many instances have each label."""
        if self.has is None:
            return [None] * len(self.labels)
        return list(self.has.sum(axis=0).tolist())


def labelled(
    sets: Sequence[RuleSet], X: Any, y: Any, model: RuleSetClassifier | None = None
) -> Labelled:
    """Return instances and labels, held against what rule sets over one space say."""
    said = _said(sets)
    many = any(isinstance(then, frozenset) for then in said)
    if model is not None:
        many = model._answers.many
        said = [*(() if many else model.classes_.tolist()), *said]
    if y is not None and X is None:
        raise DataError("y needs X: the instances that it labels")
    instances = None if X is None else sets[0].space.encode(X)
    if y is None or instances is None:
        outcomes = tuple(dict.fromkeys(said))
        return Labelled(outcomes, _labels(outcomes, model, many=many), many, instances)
    given = _given(y, model, many=many)
    if len(given) != len(instances):
        raise DataError(f"X has {len(instances)} rows, y has {len(given)}")
    counted = [label for label, _ in Counter(given).most_common()]
    outcomes = tuple(dict.fromkeys([*said, *counted]))
    labels = _labels(outcomes, model, many=many)
    made = Labelled(outcomes, labels, many, instances)
    truth = np.array([made.places[label] for label in given], dtype=np.int64)
    held = np.zeros((len(outcomes), len(labels)), dtype=np.bool_)
    for place, outcome in enumerate(outcomes):
        held[place, made.label_places(outcome)] = True
    return Labelled(outcomes, labels, many, instances, truth, held[truth])


def _said(sets: Sequence[RuleSet]) -> list[Hashable]:
    """Return what rules and defaults say, in the order of the rules."""
    found: dict[Hashable, None] = {}
    for rules in sets:
        found |= dict.fromkeys(rules.consequents[code] for code in rules.then_codes)
        if rules.default is not None:
            found[rules.default] = None
    return list(found)


def _labels(
    outcomes: Iterable[Hashable], model: RuleSetClassifier | None, *, many: bool
) -> tuple[Hashable, ...]:
    if not many:
        return tuple(outcomes)
    if model is not None:
        return tuple(model.classes_.tolist())
    found = {label for outcome in outcomes if isinstance(outcome, frozenset) for label in outcome}
    return tuple(sorted(found, key=str))


def _given(y: Any, model: RuleSetClassifier | None, *, many: bool) -> list[Hashable]:
    """Return the label, or the set of labels, of each instance."""
    if not many:
        return [as_consequent(label) for label in to_list(y)]
    from irenic.learn.labels import as_indicator, label_set

    known = None if model is None else model.classes_.tolist()
    held, labels = as_indicator(y, known)
    if model is not None and model.hierarchy_ is not None:
        held = model.hierarchy_.close_indicator(held)
    return [label_set(row, labels) for row in held]
