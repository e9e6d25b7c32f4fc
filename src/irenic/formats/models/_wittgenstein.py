"""Rules of wittgenstein's RIPPER and IREP: rules for one class, and the rest is the other.

The library cuts numbers into bins and keeps each as text: ``<2.5``, ``2.5 - 7``, ``>7``. As it
tests them, the left end of a bin is open and the right one closed. Between two bins there can be
values that lie in neither; no condition holds for them, nor for a missing value.
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

    All rules state the positive class, so none contradicts another; the default is the negative
    class. The space holds every feature that the model was fitted to. Of those that no rule
    tests the model does not keep what they were, unless it cut them into bins: any value will do.

    Parameters
    ----------
    model : wittgenstein.RIPPER or wittgenstein.IREP
    negative : hashable, optional
        The label of the negative class, which the model does not keep. None takes False or 0
        where the positive class is True or 1, else "not" and the positive class.

    Examples
    --------
    >>> from irenic.formats import from_wittgenstein
    >>> from_wittgenstein("IF age < 10")
    Traceback (most recent call last):
    irenic.errors.FormatError: a str is no model of wittgenstein; give a fitted RIPPER or IREP
    """
    kinds = kinds_of(model, "wittgenstein")
    if not kinds & {"RIPPER", "IREP", "AbstractRulesetClassifier"} or isinstance(model, type):
        raise FormatError(
            f"{described(model)} is no model of wittgenstein; give a fitted RIPPER or IREP"
        )
    found = getattr(model, "ruleset_", None)
    if found is None or getattr(model, "pos_class", None) is None:
        raise unfitted(model)
    names = _names(model)
    binner = getattr(model, "bin_transformer_", None)
    # older versions keep the bins themselves
    bins = (binner if isinstance(binner, dict) else getattr(binner, "bins_", None)) or {}
    edges = getattr(binner, "thresholds_", None) or {}
    tested: dict[Any, list[Any]] = {name: [] for name in names}
    for rule in found.rules:
        for cond in rule.conds:
            tested.setdefault(cond.feature, []).append(cond.val)
    names |= {feature: str(feature) for feature in tested if feature not in names}
    space = Space(_feature(names[f], values, f in bins) for f, values in tested.items())
    positive = plain(model.pos_class)
    rules = [rule_of(space, _tests(rule, names, bins, edges), positive) for rule in found.rules]
    default = _negative(positive) if negative is None else negative
    return RuleSet([rule for rule in rules if rule is not None], space, default=default)


def _names(model: Any) -> dict[Any, str]:
    """Return our names of the features; columns of an array are numbers there and x0, … here."""
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
    """Return the bounds of a bin of the engine "numpy", which tests edges instead of texts.

    There the left end is closed, and the first and the last bin are open to their side.
    """
    test: Test = {}
    if place > 0:
        test[">="] = float(edges[place])
    if place + 2 < len(edges):
        test["<"] = float(edges[place + 1])
    return test


def _bounds(text: str, feature: Any) -> Test:
    """Return the bounds of a bin that is kept as text."""
    if text.startswith("<"):
        return {"<=": float(text[1:])}
    if text.startswith(">"):
        return {">": float(text[1:])}
    match = _BIN.fullmatch(text.strip())
    if match is None:
        raise FormatError(f"feature {feature!r}: {text!r} is not a bin such as '2.5 - 7'")
    return {">": float(match[1]), "<=": float(match[2])}
