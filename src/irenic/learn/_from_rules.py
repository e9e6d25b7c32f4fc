"""Hand-written rules as a fitted classifier."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from irenic.errors import ConflictError, DataError, did_you_mean
from irenic.learn._classifier import RuleSetClassifier
from irenic.learn._knowledge import rules_text
from irenic.learn.answers import Answers
from irenic.learn.inputs import classes_of, has_names
from irenic.learn.parameters import Knowledge
from irenic.learn.points import points_of
from irenic.learn.sample import Sample
from irenic.learn.tally import Counting, Uncounted
from irenic.learn.target import Consequents, Target, row_weights
from irenic.model.literals import display
from irenic.model.ruleset import RuleSet, as_rule_set


def from_rules(rules: RuleSet, X: Any, y: Any, sample_weight: Any = None) -> RuleSetClassifier:
    """Return a classifier that predicts by given rules, with counts of labeled rows.

    The rules stay as they are. The rows give support, confidence and probabilities, so that
    ``predict_proba``, ``explain``, reports and model files work as for learned rules. Probabilities
    are those of the rows: a predicted label need not be the most likely one.

    Parameters
    ----------
    rules : RuleSet
        Rules that do not contradict each other, each with one label as its consequent.
    X : table
        With a column for each feature of the rules, in any order; other columns are ignored, also
        in tables to predict. An array has the columns of the rules alone, in their order.
    y : column of labels
        One label per row. A label that rules predict and no row has is warned of.
    sample_weight : array, optional
        Weight of each row.

    Returns
    -------
    RuleSetClassifier
        Its front consists of these rules. Without a default, it predicts None where no rule
        applies. Its parameter ``knowledge`` has them, so that another ``fit`` keeps them.

    Raises
    ------
    ConflictError
        If rules contradict each other.
    DataError
        If rules or rows have several labels, or if ``X`` or ``y`` do not fit.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic import from_rules
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="free")], default="full")
    >>> y = ["free", "free", "full", "full", "full"]
    >>> clf = from_rules(rules, {"age": [3, 12, 17, 30, 40]}, y)
    >>> clf.predict_proba({"age": [10]}).round(2)
    array([[0.6, 0.4]])
    >>> print(clf.explain({"age": [10]})[0])
    free, by rule 1, because age < 18
    (support 3, confidence 0.67); your rule: 1 of 3 training rows have another label
    """
    rules = as_rule_set(rules)
    if (conflicts := rules.conflicts(limit=1)) and len(conflicts):
        raise ConflictError(
            f"the rules contradict each other: {conflicts[0]}; irenic.repair(rules) mends them",
            list(conflicts),
        )
    default = "majority" if rules.default is not None else "abstain"
    clf = RuleSetClassifier(default=default, knowledge=Knowledge(rules=rules))
    clf._read_groups()
    target, weight = _target(clf, rules, y, sample_weight)
    instances = rules.space.encode(X)
    if len(instances) != len(target):
        raise DataError(
            f"X and y must have the same number of rows, got {len(instances)} and {len(target)}"
        )
    known = target.labels[target.truth.any(axis=0)].tolist()
    for then in dict.fromkeys([*rules.thens, rules.default]):
        if then is not None and then not in known:
            hint = did_you_mean(then, known)
            text = f"rules predict {display(then)}, which no row of y has{hint}"
            warnings.warn(text, stacklevel=2)
    abstains = rules.default is None
    consequents = Consequents.from_target(target, weight, [], abstains=abstains)
    clf.classes_ = target.labels
    clf._answers = Answers(target.labels, "labels")
    clf.n_features_in_ = len(rules.space)
    if has_names(X):
        clf.feature_names_in_ = np.array(rules.space.names, dtype=object)
    clf._by_name = True
    clf._values = consequents.values()
    clf._shape = len(target), len(target.labels), len(rules.space)
    clf._kept_text = rules_text(rules, rules.default)
    draft = Uncounted(rules.copy(), consequents, n_kept=len(rules), penalty=0.0)
    rows = Sample.of(instances, target, weight)
    clf._offer(points_of([draft], rows, Counting(), ordered=False))
    clf._use(clf.pareto_front_[0])
    return clf


def _target(
    clf: RuleSetClassifier, rules: RuleSet, y: Any, sample_weight: Any
) -> tuple[Target, Any]:
    """Return the labels of the rows, among those of rows and rules, and weights."""
    own = clf._target(y)
    thens = [then for then in (*rules.thens, rules.default) if then is not None]
    if own.many or any(isinstance(then, frozenset) for then in thens) or rules.is_partial:
        raise DataError("rules and rows must have one label each, got sets of labels")
    weight = row_weights(len(own), sample_weight)
    labels = own.labels.tolist()
    kinds = {type(label).__name__ for label in (*labels, *thens)}
    if len(kinds) > 1:
        shown = ", ".join(sorted(kinds))
        raise DataError(f"labels of rules and rows must be of one type, got {shown}")
    array = np.empty(len(labels) + len(thens), dtype=own.labels.dtype if not thens else object)
    array[:] = [*labels, *thens]
    classes, codes = classes_of(array)
    if own.labels.dtype != object:
        classes = np.array(classes.tolist())
    return Target.single(classes, codes[own.truth.argmax(axis=1)]), weight
