"""Labelled instances as the summary counts them: what rules may say, and what is true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from irenic.boxes.arrays import Bools, Ints
from irenic.errors import DataError
from irenic.model.literals import display, say
from irenic.model.rule import as_consequent
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances, to_list

if TYPE_CHECKING:
    from irenic.learn import RuleSetClassifier


# More are no classes, but perhaps the numbers of customers.
_MOST_OUTCOMES: Final = 1_000


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

    @cached_property
    def places(self) -> dict[Hashable, int]:
        """The place of each outcome."""
        return {outcome: place for place, outcome in enumerate(self.outcomes)}

    @cached_property
    def parts(self) -> Bools:
        """Which labels each outcome consists of: ``[outcome, label]``."""
        if not self.many:
            return np.eye(len(self.outcomes), dtype=np.bool_)
        held = np.zeros((len(self.outcomes), len(self.labels)), dtype=np.bool_)
        for place, outcome in enumerate(self.outcomes):
            said = _label_set(outcome)
            held[place] = [label in said for label in self.labels]
        return held

    @property
    def counts(self) -> Ints | None:
        """How many instances have each outcome."""
        if self.truth is None:
            return None
        return np.bincount(self.truth, minlength=len(self.outcomes))


def _label_set(outcome: Hashable) -> frozenset[Hashable]:
    return outcome if isinstance(outcome, frozenset) else frozenset({outcome})


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
    _check_labels(counted, said)
    outcomes = tuple(dict.fromkeys([*said, *counted]))
    made = Labelled(outcomes, _labels(outcomes, model, many=many), many, instances)
    truth = np.array([made.places[label] for label in given], dtype=np.int64)
    return Labelled(made.outcomes, made.labels, many, instances, truth)


def _check_labels(counted: Sequence[Hashable], said: Sequence[Hashable]) -> None:
    """Refuse labels that are no classes, or of another type than what rules say."""
    if len(counted) > _MOST_OUTCOMES:
        raise DataError(
            f"y has {len(counted):,} different labels, such as {display(counted[0])}; up to"
            f" {_MOST_OUTCOMES:,} are told apart. Is it the column of outcomes?"
        )
    known = set(said)
    texts = {say(then): then for then in said}
    for label in counted:
        then = texts.get(say(label), label)
        if label not in known and then != label:
            raise DataError(
                f"y: the label {label!r} is of another type than {then!r}, which the rules say;"
                " give labels of the same type"
            )


def _said(sets: Sequence[RuleSet]) -> list[Hashable]:
    """Return what rules and defaults say, in the order of the rules."""
    found: dict[Hashable, None] = {}
    for rules in sets:
        found |= dict.fromkeys(rules.thens)
        if rules.default is not None:
            found[rules.default] = None
    return list(found)


def _labels(
    outcomes: tuple[Hashable, ...], model: RuleSetClassifier | None, *, many: bool
) -> tuple[Hashable, ...]:
    if not many:
        return outcomes
    if model is not None:
        return tuple(model.classes_.tolist())
    found = {label for outcome in outcomes for label in _label_set(outcome)}
    return tuple(sorted(found, key=display))


def _given(y: Any, model: RuleSetClassifier | None, *, many: bool) -> list[Hashable]:
    """Return the label, or the set of labels, of each instance."""
    if not many:
        listed = to_list(y)
        try:  # once for each label that occurs; 1 and True are equal, and two
            known = {key: as_consequent(key[1]) for key in {(type(v), v) for v in listed}}
        except TypeError:
            return [as_consequent(label) for label in listed]  # says which is no label
        return [known[type(label), label] for label in listed]
    from irenic.learn.labels import as_indicator, label_set

    labels_of = None if model is None else model.classes_.tolist()
    held, labels = as_indicator(y, labels_of)
    if model is not None and model.hierarchy_ is not None:
        held = model.hierarchy_.close_indicator(held)
    return [label_set(row, labels) for row in held]


def texts_of(values: Sequence[Hashable]) -> list[str]:
    """Return values as people read them, with quotes where two would read the same.

    >>> texts_of(["low", 1, "1"])
    ['low', '1', '"1"']
    """
    often = Counter(map(say, values))
    return [say(value) if often[say(value)] == 1 else display(value) for value in values]
