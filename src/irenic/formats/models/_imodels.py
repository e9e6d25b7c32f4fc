"""Rules of imodels: rule lists, rule sets, and single trees of FIGS."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from typing import Any, Final

import numpy as np

from irenic.errors import FormatError
from irenic.formats.models._checks import (
    Test,
    described,
    kinds_of,
    labels_of,
    named,
    rule_of,
    unfitted,
)
from irenic.model.features import Continuous
from irenic.model.literals import plain
from irenic.model.region import Region
from irenic.model.rule import Rule
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet
from irenic.model.space import Space

_SUMS: Final = {
    "SlipperClassifier": "adds up weights of rules",
    "RuleFitClassifier": "adds up weights of rules and of features",
    "FPLassoClassifier": "adds up weights of rules",
    "BoostedRulesClassifier": "adds up weights of stumps",
    "RegressorMixin": "predicts numbers",
}


def from_imodels(model: Any, *, feature_names: Any = None) -> RuleSet | RuleList:
    """Return the rules of a fitted model of imodels.

    ========================================  ======================================================
    GreedyRuleListClassifier, OneRClassifier  a list: the first rule that holds decides
    FastFrugalTreeClassifier                  the same
    BayesianRuleListClassifier                the same, with features that are 0 or 1
    BayesianRuleSetClassifier                 a set for class 1, with features that are 0 or 1
    SkopeRulesClassifier, FPSkopeClassifier   a set, to be resolved by "vote"
    FIGSClassifier                            a set of leaves, if it has one tree
    ========================================  ======================================================

    A rule of a list predicts the more likely class. All rules of SkopeRules predict the second
    class, and the model does so if rules with more than half of their total weight hold. The other
    half becomes a rule that always holds and predicts the first class. It contradicts every other
    rule, because the model overrules each of them if too few others agree.

    Models that add up weights (RuleFit, boosted rules, SLIPPER, FIGS with several trees) have no
    rules that predict a class, and cannot be imported.

    Parameters
    ----------
    model : a fitted classifier
        An instance of one of the classes above.
    feature_names : sequence of str, optional
        Names of the features (default: those of the model).

    Returns
    -------
    RuleSet or RuleList

    Raises
    ------
    FormatError
        If the model is not fitted, or not one of the classes above.

    Examples
    --------
    >>> from irenic.formats import from_imodels
    >>> from_imodels([])
    Traceback (most recent call last):
    irenic.errors.FormatError: model must be a fitted rule list or rule set of imodels, such as
    GreedyRuleListClassifier, got a list
    """
    kinds = kinds_of(model, "imodels") | kinds_of(model, "sklearn")
    reader = next((read for name, read in _READERS.items() if name in kinds), None)
    if reader is None or isinstance(model, type):
        raise FormatError(_refusal(model, kinds))
    if not any(hasattr(model, fitted) for fitted in ("rules_", "trees_")):
        raise unfitted(model)
    known = getattr(model, "feature_names_", None)
    if known is None:
        known = getattr(model, "feature_names", None)
    n = getattr(model, "n_features_in_", None) or len(known if known is not None else ())
    return reader(model, named(feature_names, n, known))


def _refusal(model: Any, kinds: set[str]) -> str:
    for name, reason in _SUMS.items():
        if name in kinds:
            return f"{described(model)} {reason}; it has no rules that predict a class"
    if "DecisionTreeClassifier" in kinds:
        return f"{described(model)} is a tree of scikit-learn; use from_sklearn"
    if hasattr(model, "estimator_") and kinds_of(model.estimator_, "sklearn"):
        return (
            f"{described(model)} wraps a model of scikit-learn; try from_sklearn(model.estimator_)"
        )
    return (
        "model must be a fitted rule list or rule set of imodels, such as GreedyRuleListClassifier,"
        f" got {described(model)}"
    )


# --- lists


def _list(
    model: Any, names: list[str], sides: tuple[str, str], holds: Callable[[float], bool]
) -> RuleList:
    """Return the list of entries that test one feature; ``sides`` has both directions."""
    space = Space(map(Continuous, names))
    labels = labels_of(model.classes_)
    *entries, last = model.rules_ or [{"val": 0.0}]
    rules = [
        rule_of(
            space,
            [(names[entry["index_col"]], {sides[bool(entry["flip"])]: float(entry["cutoff"])})],
            labels[holds(entry["val_right"])],
        )
        for entry in entries
    ]
    return RuleList(filter(None, rules), space, default=labels[holds(last["val"])])


def _more_likely(probability: float) -> bool:
    # False for a tie, and for NaN, which means that no instances were left
    return bool(probability > 1 - probability)


def _greedy(model: Any, names: list[str]) -> RuleList:
    return _list(model, names, (">=", "<"), _more_likely)


def _frugal(model: Any, names: list[str]) -> RuleList:
    return _list(model, names, (">", "<="), _more_likely)


def _bits(names: list[str]) -> Space:
    return Space(Continuous(name, bounds=(0, 1), kind="integer") for name in names)


def _bit(value: int) -> Test:
    return {">=": value, "<=": value}


def _bayesian_list(model: Any, names: list[str]) -> RuleList:
    space = _bits(names)
    labels = labels_of(model.classes_)
    places = {str(name): i for i, name in enumerate(model.feature_placeholders)}
    rules: list[Rule | None] = []
    for place, probability in zip(model.d_star, model.theta, strict=True):
        then = labels[bool(probability >= 0.5)]
        if place == 0:
            return RuleList(filter(None, rules), space, default=then)
        tests = [(names[places[str(item)]], _bit(1)) for item in model.itemsets[place]]
        rules.append(rule_of(space, tests, then))
    return RuleList(filter(None, rules), space)


# --- sets


def _skope(model: Any, names: list[str]) -> RuleSet:
    space = Space(map(Continuous, names))
    first, second = labels_of(model.classes_)
    entries = model.rules_without_feature_names_
    weights = [float(entry.args[0]) for entry in entries]
    total = float(np.sum(weights))
    if total == 0:
        return RuleSet(space=space, default=first)
    rules = [
        rule_of(space, _bounds(entry, names), second, weight)
        for entry, weight in zip(entries, weights, strict=True)
    ]
    against = Rule(Region(space), then=first, weight=_half(total))
    # placed first, because the first of two equal sums wins
    return RuleSet([against, *filter(None, rules)], space)


def _half(total: float) -> float:
    """Return the largest number that, divided by the total in float64, is at most 0.5."""
    half = total / 2
    while math.nextafter(half, math.inf) / total <= 0.5:
        half = math.nextafter(half, math.inf)
    return half


def _bounds(entry: Any, names: list[str]) -> list[tuple[str, Test]]:
    return [
        (names[int(feature.removeprefix("X_"))], {operator: float(bound)})
        for (feature, operator), bound in entry.agg_dict.items()
        if operator != "=="  # "X_0 == X_0" is what a rule without conditions looks like
    ]


def _bayesian_set(model: Any, names: list[str]) -> RuleSet:
    space = _bits(names)
    bits = {f"{name}_neg": (names[i], _bit(0)) for i, name in enumerate(model.attr_names_orig)}
    bits |= {f"{name}": (names[i], _bit(1)) for i, name in enumerate(model.attr_names_orig)}
    rules = [rule_of(space, [bits[str(item)] for item in items], 1) for items in model.rules_]
    # the model predicts 1 and 0, whatever the labels were
    return RuleSet(filter(None, rules), space, default=0)


def _figs(model: Any, names: list[str]) -> RuleSet:
    if len(model.trees_) != 1:
        raise FormatError(
            f"{described(model)} must have one tree to have rules that predict a class, got"
            f" {len(model.trees_)}; fit it with max_trees=1"
        )
    if hasattr(model, "_encoder"):
        raise FormatError(
            f"{described(model)} encodes categories by itself, which is not supported; encode them"
            " before fitting"
        )
    lower, upper, then = [], [], []
    for low, high, value in _leaves(model.trees_[0], len(names)):
        lower.append(low)
        upper.append(high)
        label: Hashable = plain(model._class_map[int(np.argmax(value))])
        then.append(label)
    return RuleSet.from_arrays(
        Space(map(Continuous, names)),
        lower=np.array(lower).T,
        upper=np.array(upper).T,
        then=then,
    )


def _leaves(root: Any, d: int) -> Iterator[tuple[Any, Any, Any]]:
    pending = [(root, np.full(d, -np.inf), np.full(d, np.inf))]
    while pending:
        node, low, high = pending.pop()
        if node.left is None and node.right is None:
            if (low < high).all():
                yield low, high, np.asarray(node.value)
            continue
        cut = math.nextafter(float(node.threshold), math.inf)
        above, below = low.copy(), high.copy()
        above[node.feature] = max(low[node.feature], cut)
        below[node.feature] = min(high[node.feature], cut)
        pending.append((node.right, above, high))
        pending.append((node.left, low, below))


_READERS: Final[dict[str, Callable[[Any, list[str]], RuleSet | RuleList]]] = {
    "GreedyRuleListClassifier": _greedy,  # includes OneRClassifier, a subclass
    "FastFrugalTreeClassifier": _frugal,
    "BayesianRuleListClassifier": _bayesian_list,
    "SkopeRulesClassifier": _skope,  # includes FPSkopeClassifier, a subclass
    "BayesianRuleSetClassifier": _bayesian_set,
    "FIGSClassifier": _figs,
}
