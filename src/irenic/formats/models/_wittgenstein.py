"""Rules of wittgenstein's RIPPER and IREP: rules for the positive class, and a default.

The library puts numbers into bins, which it stores as text: ``<2.5``, ``2.5 - 7``, ``>7``. It tests
them with an open left end and a closed right end. There may be values between two bins; no
condition holds for these, nor for missing values.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Any, Final

import numpy as np

from irenic.errors import FormatError
from irenic.formats.models._checks import Test, described, kinds_of, rule_of, unfitted
from irenic.model.features import Categorical, Continuous, Feature
from irenic.model.literals import plain
from irenic.model.ruleset import RuleSet
from irenic.model.space import Space

_NUMBER: Final = r"-?\d[\d.]*(?:e[+-]?\d+)?"
_BIN: Final = re.compile(rf"({_NUMBER})\s*-\s*({_NUMBER})")


def from_wittgenstein(model: Any, *, negative: Hashable | None = None) -> RuleSet:
    """Return the rules of a fitted RIPPER or IREP of wittgenstein.

    All rules predict the positive class, so they cannot contradict each other; the default is the
    negative class. The space has all features that the model was fitted to. The model does not
    store the values of features that no rule tests, unless it put them into bins; they can have
    any value.

    Parameters
    ----------
    model : wittgenstein.RIPPER or wittgenstein.IREP
        The fitted model.
    negative : hashable, optional
        The label of the negative class, which the model does not store. Default: False or 0 if
        the positive class is True or 1, else "not" followed by the positive class.

    Returns
    -------
    RuleSet

    Raises
    ------
    FormatError
        If the model is not fitted, or of another class.

    Examples
    --------
    >>> from irenic.formats import from_wittgenstein
    >>> from_wittgenstein("IF age < 10")
    Traceback (most recent call last):
    irenic.errors.FormatError: model must be a fitted RIPPER or IREP of wittgenstein, got a str
    """
    kinds = kinds_of(model, "wittgenstein")
    if not kinds & {"RIPPER", "IREP", "AbstractRulesetClassifier"} or isinstance(model, type):
        raise FormatError(
            f"model must be a fitted RIPPER or IREP of wittgenstein, got {described(model)}"
        )
    ruleset = getattr(model, "ruleset_", None)
    if ruleset is None or getattr(model, "pos_class", None) is None:
        raise unfitted(model)
    names = _names(model)
    binner = getattr(model, "bin_transformer_", None)
    # older versions store the bins themselves
    bins = (binner if isinstance(binner, dict) else getattr(binner, "bins_", None)) or {}
    edges = getattr(binner, "thresholds_", None) or {}
    tested: dict[Any, list[Any]] = {name: [] for name in names}
    for rule in ruleset.rules:
        for cond in rule.conds:
            tested.setdefault(cond.feature, []).append(cond.val)
    names |= {feature: str(feature) for feature in tested if feature not in names}
    space = Space(_feature(names[f], values, f in bins) for f, values in tested.items())
    positive = plain(model.pos_class)
    rules = [rule_of(space, _tests(rule, names, bins, edges), positive) for rule in ruleset.rules]
    default = _negative(positive) if negative is None else negative
    return RuleSet([rule for rule in rules if rule is not None], space, default=default)


def _names(model: Any) -> dict[Any, str]:
    """Return the names of the features by their keys in the model; indices become x0, x1, …"""
    features = [f for f in getattr(model, "trainset_features_", ()) if f != model.class_feat]
    places = all(isinstance(f, int | np.integer) for f in features)
    return {f: f"x{f}" if places else str(f) for f in features}


def _negative(positive: Any) -> Hashable:
    if isinstance(positive, bool):
        return not positive
    return 0 if positive == 1 and not isinstance(positive, str) else f"not {positive}"


def _feature(name: str, values: list[Any], binned: bool) -> Feature:
    values = [plain(value) for value in values]
    if binned or (values and not any(map(_is_category, values))):
        return Continuous(name, missing=True)
    return Categorical(name, dict.fromkeys(values), missing=True, other=True)


def _tests(
    rule: Any, names: dict[Any, str], bins: dict[Any, Any], edges: dict[Any, Any]
) -> Iterator[tuple[str, Test]]:
    for cond in rule.conds:
        if cond.feature in edges:
            test = _between(edges[cond.feature], bins[cond.feature].index(cond.val))
        elif cond.feature in bins:
            test = _bounds(str(cond.val), cond.feature)
        elif _is_category(value := plain(cond.val)):
            test = {"in": [value]}
        else:
            test = {">=": value, "<=": value}
        yield names[cond.feature], test


def _is_category(value: Any) -> bool:
    return isinstance(value, bool) or not isinstance(value, int | float)


def _between(edges: Any, place: int) -> Test:
    """Return the bounds of a bin of the engine "numpy", which compares with edges.

    It includes the left end of a bin, and the first and the last bin are unbounded.
    """
    test: Test = {}
    if place > 0:
        test[">="] = float(edges[place])
    if place + 2 < len(edges):
        test["<"] = float(edges[place + 1])
    return test


def _bounds(text: str, feature: Any) -> Test:
    """Return the bounds of a bin that is stored as text."""
    if text.startswith("<"):
        return {"<=": float(text[1:])}
    if text.startswith(">"):
        return {">": float(text[1:])}
    match = _BIN.fullmatch(text.strip())
    if match is None:
        raise FormatError(f"feature {feature!r}: a bin must be like '2.5 - 7', got {text!r}")
    return {">": float(match[1]), "<=": float(match[2])}
