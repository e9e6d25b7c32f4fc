"""Rules of Orange's CN2: a list, or a set whose rules each give every class a probability."""

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

    CN2Learner makes a list, of which the first rule that holds decides; the others make sets, to
    be resolved by "vote". A rule states the class that it finds likeliest, the first of several,
    which is what the model predicts where the rule holds alone.

    Each rule of a set gives every class a probability, and the model adds these up, weighed by how
    many instances the rule was learned from. The weight here is so much of that as the rule's own
    class has more than the others on average. Voting is then what the model does wherever each
    rule finds the other classes equally likely: always with two classes, and for rules that were
    learned from instances of one class. With more classes and rules that are unsure, use
    ``shares`` to predict as the model does.

    Parameters
    ----------
    model : CN2Classifier, CN2UnorderedClassifier, CN2SDClassifier, CN2SDUnorderedClassifier
        What a learner of ``Orange.classification.rules`` returns.
    missing : bool
        Whether features may be missing. The model replaces a missing value by the mean or the
        commonest value, and the rules then hold for "missing" where they hold for that; a rule
        with a lower bound becomes two. By default the space says that nothing is missing.
    shares : bool
        Make one rule for each class of each rule, weighed by that class's share. Voting is then
        exactly what the model does, with any number of classes; yet each rule of the model
        contradicts itself, so conflicts mean little.

    Examples
    --------
    >>> from irenic.formats import from_orange
    >>> from_orange({})
    Traceback (most recent call last):
    irenic.errors.FormatError: a dict is no CN2 model of Orange; give what CN2Learner()(table) or
    CN2UnorderedLearner()(table) returns
    """
    kinds = kinds_of(model, "Orange")
    ordered = bool(kinds & _LISTS)
    if isinstance(model, type) or not kinds & (_LISTS | _SETS):
        raise FormatError(
            f"{described(model)} is no CN2 model of Orange; give what CN2Learner()(table) or"
            " CN2UnorderedLearner()(table) returns"
        )
    if ordered and shares:
        raise FormatError("shares=True is for sets; the first rule of a list decides alone")
    space = Space(_feature(variable, missing) for variable in model.domain.attributes)
    labels = [str(value) for value in model.domain.class_var.values]
    *rules, last = model.rule_list
    default = labels[int(np.argmax(last.probabilities))]
    weigh = _likeliest if ordered else _shares if shares else _margin
    if ordered and last.length > 0:
        rules, default = model.rule_list, labels[0]
    found = [
        made
        for rule in rules
        # a set skips rules without conditions, but for the last
        if ordered or rule.length > 0
        for made in _rules(rule, space, labels, missing, weigh(rule))
    ]
    if ordered:
        return RuleList(found, space, default=default)
    if not shares:
        # of classes with the same sum the model takes the first, we that of the first rule
        found.sort(key=lambda rule: labels.index(str(rule.then)))
    return RuleSet(found, space, default=default)


def _feature(variable: Any, missing: bool) -> Feature:
    if variable.is_discrete:
        return Categorical(variable.name, variable.values, missing=missing)
    return Continuous(variable.name, missing=missing)


def _likeliest(rule: Any) -> dict[int, float]:
    return {int(np.argmax(rule.probabilities)): 1.0}


def _shares(rule: Any) -> dict[int, float]:
    """Return what the rule adds to each class."""
    added = rule.probabilities * rule.curr_class_dist.sum()
    return {code: float(share) for code, share in enumerate(added)}


def _margin(rule: Any) -> dict[int, float]:
    """Return what the rule adds to its own class more than to the others on average."""
    own = int(np.argmax(rule.probabilities))
    others = np.delete(rule.probabilities, own)
    more = rule.probabilities[own] - (others.mean() if len(others) else 0.0)
    return {own: float(more * rule.curr_class_dist.sum())}


def _rules(
    rule: Any, space: Space, labels: list[str], missing: bool, weights: dict[int, float]
) -> Iterator[Rule]:
    """Return the rules that one rule becomes: one a class and a way for features to be missing."""
    for tests in _tests(rule, missing):
        for code, weight in weights.items():
            made = rule_of(space, tests, labels[code], weight)
            if made is not None:
                yield made


def _tests(rule: Any, missing: bool) -> Iterator[tuple[tuple[str, Test], ...]]:
    """Return the conditions of a rule; several where "missing" lies apart from an interval."""
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
            apart = unknown and ">=" in bounds
            forms = [bounds, unknown] if apart else [bounds | unknown]
        choices.append([(variable.name, form) for form in forms])
    return product(*choices)


def _holds(selectors: list[Any], value: float) -> bool:
    return all(_OPERATORS[s.op](value, s.value) for s in selectors)


def _holds_for_unknown(variable: Any, selectors: list[Any]) -> bool:
    """Return whether the conditions hold for what the model puts in the place of a missing value.

    Without such a value they are asked of NaN, as the model does.
    """
    return _holds(selectors, float(getattr(variable.compute_value, "value", np.nan)))


def _bounds(name: str, selectors: list[Any]) -> Test:
    bounds: Test = {}
    for selector in selectors:
        value = float(selector.value)
        if selector.op not in ("<=", ">=", "=="):
            raise FormatError(f"feature {name!r}: {selector.op!r} is no test of a number here")
        for operator, tighter in (("<=", min), (">=", max)):
            if selector.op in (operator, "=="):
                bounds[operator] = tighter(bounds.get(operator, value), value)
    return bounds
