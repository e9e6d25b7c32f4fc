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
"""What RuleKit uses for no bound."""


def from_rulekit(model: Any) -> RuleSet:
    """Return the rules of a fitted RuleClassifier of RuleKit, to be resolved by "vote".

    The class with the largest sum of weights wins, and the first in alphabetical order in case of
    a tie; the rules are sorted by class for this. The default is the first class in alphabetical
    order, even if another is more frequent, because RuleKit 2 predicts it if no rule holds. A
    missing value satisfies no condition except "not this value".

    Bounds are those that the model tests, not the rounded ones that it prints. Rules of weight 0,
    which have no effect, are left out.

    Parameters
    ----------
    model : rulekit.classification.RuleClassifier or ExpertRuleClassifier
        The fitted classifier.

    Returns
    -------
    RuleSet

    Raises
    ------
    FormatError
        If the model is not fitted or of another class, or if a weight is negative.

    Examples
    --------
    >>> from irenic.formats import from_rulekit
    >>> from_rulekit(3)
    Traceback (most recent call last):
    irenic.errors.FormatError: model must be a fitted RuleClassifier of RuleKit, got an int
    """
    kinds = kinds_of(model, "rulekit")
    if isinstance(model, type) or "RuleClassifier" not in kinds:
        other = ", whose rules predict no class" if "BaseOperator" in kinds else ""
        raise FormatError(
            f"model must be a fitted RuleClassifier of RuleKit, got {described(model)}{other}"
        )
    if model.model is None:
        raise unfitted(model)
    inner = model.model._java_object
    space = Space(_feature(attribute) for attribute in inner.getTrainingHeader().getAttributes())
    labels = _labels(model, inner)
    first = min(labels, key=_alphabet)
    rules: list[tuple[bytes, Rule]] = []
    for number, rule in enumerate(model.model.rules, 1):
        weight, label = float(rule.weight), str(rule.decision_class)
        if not weight >= 0:
            raise FormatError(
                f"rule {number}: the weight must be non-negative, got {weight}; fit with another"
                " voting_measure"
            )
        converted = rule_of(space, _tests(rule._java_object), labels[label], weight)
        if converted is not None and weight > 0:
            rules.append((_alphabet(label), converted))
    rules.sort(key=lambda pair: pair[0])
    return RuleSet([rule for _, rule in rules], space, default=labels[first])


def _alphabet(label: str) -> bytes:
    """Return the key that sorts labels as Java does: by UTF-16 units."""
    return label.encode("utf-16-be", "surrogatepass")


def _labels(model: Any, inner: Any) -> dict[str, Hashable]:
    """Return the prediction for each label, which the model stores as text."""
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
            raise FormatError(
                f"{rule.toString()}: a condition must be an ElementaryCondition, got {kind}"
            )
        test = _test(condition.getValueSet(), str(rule.toString()))
        if test:
            yield str(condition.getAttribute()), test


def _test(values: Any, rule: str) -> Test:
    """Return a condition as operators, {} if it always holds."""
    kind = str(values.getClass().getSimpleName())
    if kind == "Interval":
        return _bounds(values)
    if kind == "SingletonSet":
        return {"in": [str(values.getValueAsString())]}
    if kind == "SingletonSetComplement":
        # the only test that a missing value satisfies
        return {"not in": [str(values.getValueAsString())], "missing": True}
    if kind == "Universum":
        return {}
    raise FormatError(f"{rule}: conditions of type {kind} are not supported")


def _bounds(interval: Any) -> Test:
    low, high = float(interval.getLeft()), float(interval.getRight())
    test: Test = {}
    if low > -_LARGEST:
        test[str(interval.getLeftSign())] = low
    if high < _LARGEST:
        test[str(interval.getRightSign())] = high
    return test or {"missing": False}
