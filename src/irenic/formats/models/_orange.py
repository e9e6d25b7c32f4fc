"""Rules of Orange's CN2: a list, or a set whose rules assign a probability to every class."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from operator import eq, ge, le, ne
from typing import Any, Final

import numpy as np

from irenic.errors import FormatError
from irenic.formats.models._checks import Test, described, kinds_of, rule_of
from irenic.model.features import Categorical, Continuous, Feature
from irenic.model.rule import Rule
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet
from irenic.model.space import Space

_LISTS: Final = {"CN2Classifier"}
_SETS: Final = {"CN2UnorderedClassifier", "CN2SDClassifier", "CN2SDUnorderedClassifier"}
_OPERATORS: Final[dict[str, Callable[[Any, Any], bool]]] = {"==": eq, "!=": ne, "<=": le, ">=": ge}


def from_orange(model: Any, *, missing: bool = False, shares: bool = False) -> RuleSet | RuleList:
    """Return the rules of a CN2 model of Orange.

    CN2Learner learns a list, in which the first rule that holds decides; the other learners learn
    sets, to be resolved by "vote". A rule predicts its most likely class, the first in case of a
    tie, which is what the model predicts if only this rule holds.

    Each rule of a set assigns a probability to every class. The model adds these up, weighted by
    the number of instances that the rule was learned from. The weight of a rule here is the margin
    of its class over the average of the others, times that number. Voting then equals the model
    if each rule assigns the same probability to all other classes: always with two classes, and
    for rules learned from instances of one class. Otherwise, use ``shares`` to predict exactly as
    the model does.

    Parameters
    ----------
    model : CN2Classifier, CN2UnorderedClassifier, CN2SDClassifier, CN2SDUnorderedClassifier
        The result of a learner of ``Orange.classification.rules``.
    missing : bool
        Whether features may be missing. The model replaces a missing value with the mean or the
        most frequent value, and the rules hold for a missing value if they hold for that one. A
        rule with a lower bound may become two.
    shares : bool
        Create one rule per rule and class, weighted by the share of that class. Voting is then
        exactly what the model does, with any number of classes. Conflicts mean little, because
        the rules of the model then contradict themselves.

    Returns
    -------
    RuleSet or RuleList

    Raises
    ------
    FormatError
        If the model is of another class, or ``shares`` is True for a list.

    Examples
    --------
    >>> from irenic.formats import from_orange
    >>> from_orange({})
    Traceback (most recent call last):
    irenic.errors.FormatError: model must be a CN2 model of Orange, such as the result of
    CN2Learner()(table), got a dict
    """
    kinds = kinds_of(model, "Orange")
    ordered = bool(kinds & _LISTS)
    if isinstance(model, type) or not kinds & (_LISTS | _SETS):
        raise FormatError(
            "model must be a CN2 model of Orange, such as the result of CN2Learner()(table), got"
            f" {described(model)}"
        )
    if ordered and shares:
        raise FormatError("shares must be False for a rule list, where the first rule decides")
    space = Space(_feature(variable, missing) for variable in model.domain.attributes)
    labels = [str(value) for value in model.domain.class_var.values]
    *rules, last = model.rule_list
    default = labels[int(np.argmax(last.probabilities))]
    weigh = _most_likely if ordered else _shares if shares else _margin
    if ordered and last.length > 0:
        rules, default = model.rule_list, labels[0]
    converted = [
        result
        for rule in rules
        # a set skips rules without conditions, except the last
        if ordered or rule.length > 0
        for result in _rules(rule, space, labels, missing, weigh(rule))
    ]
    if ordered:
        return RuleList(converted, space, default=default)
    if not shares:
        # in case of a tie, the model predicts the first class, and we that of the first rule
        converted.sort(key=lambda rule: labels.index(str(rule.then)))
    return RuleSet(converted, space, default=default)


def _feature(variable: Any, missing: bool) -> Feature:
    if variable.is_discrete:
        return Categorical(variable.name, variable.values, missing=missing)
    return Continuous(variable.name, missing=missing)


def _most_likely(rule: Any) -> dict[int, float]:
    return {int(np.argmax(rule.probabilities)): 1.0}


def _shares(rule: Any) -> dict[int, float]:
    """Return the weight that the rule adds to each class."""
    added = rule.probabilities * rule.curr_class_dist.sum()
    return {code: float(share) for code, share in enumerate(added)}


def _margin(rule: Any) -> dict[int, float]:
    """Return the margin of the rule's own class over the average of the others, as a weight."""
    own = int(np.argmax(rule.probabilities))
    others = np.delete(rule.probabilities, own)
    margin = rule.probabilities[own] - (others.mean() if len(others) else 0.0)
    return {own: float(margin * rule.curr_class_dist.sum())}


def _rules(
    rule: Any, space: Space, labels: list[str], missing: bool, weights: dict[int, float]
) -> Iterator[Rule]:
    """Yield the conversions of a rule: one per class and combination of missing features."""
    for tests in _tests(rule, missing):
        for code, weight in weights.items():
            converted = rule_of(space, tests, labels[code], weight)
            if converted is not None:
                yield converted


def _tests(rule: Any, missing: bool) -> Iterator[tuple[tuple[str, Test], ...]]:
    """Return the alternative conditions of a rule; several if "missing" is not in an interval."""
    choices: list[list[tuple[str, Test]]] = []
    for column in sorted({selector.column for selector in rule.selectors}):
        variable = rule.domain.attributes[column]
        selectors = [s for s in rule.selectors if s.column == column]
        unknown: Test = {}
        if missing and _holds_for_unknown(variable, selectors):
            unknown = {"missing": True}
        if variable.is_discrete:
            codes = [c for c in range(len(variable.values)) if _holds(selectors, c)]
            forms = [{"in": [variable.values[c] for c in codes]} | unknown]
        else:
            bounds = _bounds(variable.name, selectors)
            separate = unknown and ">=" in bounds
            forms = [bounds, unknown] if separate else [bounds | unknown]
        choices.append([(variable.name, form) for form in forms])
    return product(*choices)


def _holds(selectors: list[Any], value: float) -> bool:
    return all(_OPERATORS[s.op](value, s.value) for s in selectors)


def _holds_for_unknown(variable: Any, selectors: list[Any]) -> bool:
    """Return whether the conditions hold for the replacement of a missing value, NaN if none."""
    return _holds(selectors, float(getattr(variable.compute_value, "value", np.nan)))


def _bounds(name: str, selectors: list[Any]) -> Test:
    bounds: Test = {}
    for selector in selectors:
        value = float(selector.value)
        if selector.op not in ("<=", ">=", "=="):
            raise FormatError(
                f"feature {name!r}: a test of a number must be <=, >= or ==, got {selector.op!r}"
            )
        for operator, tighter in (("<=", min), (">=", max)):
            if selector.op in (operator, "=="):
                bounds[operator] = tighter(bounds.get(operator, value), value)
    return bounds
