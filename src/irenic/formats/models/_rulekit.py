"""Rules of RuleKit, whose rules vote with their weights."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Final

from irenic.errors import FormatError
from irenic.formats.models._checks import Test, described, kinds_of, rule_of, unfitted
from irenic.model.features import Categorical, Continuous, Feature
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet
from irenic.model.space import Space

_LARGEST: Final = 1.7976931348623157e308
"""What stands for no bound there."""


def from_rulekit(model: Any) -> RuleSet:
    """Return the rules of a fitted RuleClassifier of RuleKit, to be resolved by "vote".

    The class with the largest sum of weights wins; of several the first by the alphabet, for
    which the rules here are ordered by class. Where no rule holds, RuleKit 2 predicts the class
    that is first by the alphabet, whatever class is the most frequent: that is the default. A
    missing value meets no condition but "not this value".

    Bounds are taken as the model tests them, not as it prints them, which is rounded. Rules of
    weight 0, which have no say, are left out.

    Parameters
    ----------
    model : rulekit.classification.RuleClassifier or ExpertRuleClassifier

    Examples
    --------
    >>> from irenic.formats import from_rulekit
    >>> from_rulekit(3)
    Traceback (most recent call last):
    irenic.errors.FormatError: an int is no classifier of RuleKit; give a fitted RuleClassifier
    """
    kinds = kinds_of(model, "rulekit")
    if isinstance(model, type) or "RuleClassifier" not in kinds:
        other = " (its rules state no class)" if "BaseOperator" in kinds else ""
        raise FormatError(
            f"{described(model)} is no classifier of RuleKit{other}; give a fitted RuleClassifier"
        )
    if model.model is None:
        raise unfitted(model)
    inner = model.model._java_object
    space = Space(_feature(attribute) for attribute in inner.getTrainingHeader().getAttributes())
    labels = _labels(model, inner)
    first = min(labels, key=_alphabet)
    found: list[tuple[bytes, Rule]] = []
    for number, rule in enumerate(model.model.rules, 1):
        weight, stated = float(rule.weight), str(rule.decision_class)
        if not weight >= 0:
            raise FormatError(
                f"rule {number} has the weight {weight}: it votes against its own class, which no"
                " rule here does; fit with another voting_measure"
            )
        made = rule_of(space, _tests(rule._java_object), labels[stated], weight)
        if made is not None and weight > 0:
            found.append((_alphabet(stated), made))
    found.sort(key=lambda pair: pair[0])
    return RuleSet([rule for _, rule in found], space, default=labels[first])


def _alphabet(label: str) -> bytes:
    """Return what orders labels as Java does: by UTF-16 units."""
    return label.encode("utf-16-be", "surrogatepass")


def _labels(model: Any, inner: Any) -> dict[str, Hashable]:
    """Return what the model predicts for each of its labels, which it keeps as text."""
    texts = [str(value) for value in inner.getLabel().getMapping().getValues()]
    if not model._remap_to_numeric:
        return {text: text for text in texts}
    return {text: float(text) for text in texts}


def _feature(attribute: Any) -> Feature:
    name = str(attribute.getName())
    if not attribute.isNominal():
        return Continuous(name, missing=True)
    values = [str(value) for value in attribute.getMapping().getValues()]
    return Categorical(name, values, missing=True, other=not values)


def _tests(rule: Any) -> Iterator[tuple[str, Test]]:
    for condition in rule.getPremise().getSubconditions():
        kind = str(condition.getClass().getSimpleName())
        if kind != "ElementaryCondition":
            raise FormatError(f"{rule.toString()}: a {kind} is not one test of one feature")
        test = _test(condition.getValueSet(), str(rule.toString()))
        if test:
            yield str(condition.getAttribute()), test


def _test(values: Any, rule: str) -> Test:
    """Return a condition as operators, without any for one that always holds."""
    kind = str(values.getClass().getSimpleName())
    if kind == "Interval":
        return _bounds(values)
    if kind == "SingletonSet":
        return {"in": [str(values.getValueAsString())]}
    if kind == "SingletonSetComplement":
        # the one negated test, and the one that a missing value meets
        return {"not in": [str(values.getValueAsString())], "missing": True}
    if kind == "Universum":
        return {}
    raise FormatError(f"{rule}: a test by {kind} cannot be read")


def _bounds(interval: Any) -> Test:
    low, high = float(interval.getLeft()), float(interval.getRight())
    test: Test = {}
    if low > -_LARGEST:
        test[str(interval.getLeftSign())] = low
    if high < _LARGEST:
        test[str(interval.getRightSign())] = high
    return test or {"missing": False}
