"""Learners of imodels: RuleFit, SkopeRules, FIGS and the greedy rule list.

None of them supports missing numbers, which are replaced by medians, or categories, which are
one-hot encoded. All but FIGS support only two classes; more classes are learned one against the
rest. A rule against the class of its model counts as a rule for the most frequent other class
among the training rows that it covers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.fitted import Columns, Fitted, most_frequent, objects, positives, quiet, stacked

Body = list[tuple[int, str, float]]
OPERATORS = {
    "<=": np.less_equal,
    ">": np.greater,
    "<": np.less,
    ">=": np.greater_equal,
}


def holding(bodies: list[Body], table: np.ndarray) -> np.ndarray:
    columns = []
    for body in bodies:
        column = np.ones(len(table), dtype=bool)
        for c, operator, bound in body:
            column &= OPERATORS[operator](table[:, c], bound)
        columns.append(column)
    return stacked(columns, len(table))


def tests_of(body: Body) -> frozenset[tuple[int, str]]:
    return frozenset((c, operator[0]) for c, operator, _ in body)


def bodies_of(model: Any) -> list[Body]:
    """Parse the rules of RuleFit or SkopeRules, which store them as text."""
    # A rule without conditions is written "X_0 == X_0".
    return [
        [
            (int(feature.removeprefix("X_")), operator, float(bound))
            for (feature, operator), bound in rule.agg_dict.items()
            if operator != "=="
        ]
        for rule in model.rules_without_feature_names_
    ]


class OneVsRest:
    """Two-class models: one for the rarer of two classes, or one per class.

    With ``each``, two classes have one model each as well.
    """

    def __init__(self, make: Any, X: Any, y: np.ndarray, each: bool = False) -> None:
        self.classes, self.positive = positives(y)
        if each:
            self.positive = self.classes
        self.columns = Columns(X, fill=True)
        self.y = np.asarray(y)
        self.table = self.columns(X)
        self.models = []
        for label in self.positive:
            with quiet(), seeded():
                self.models.append(make().fit(self.table, (self.y == label).astype(int)))

    def predict(self, X: Any) -> np.ndarray:
        table = self.columns(X)
        with quiet():
            if len(self.models) == 1:
                other = self.classes[self.classes != self.positive[0]][0]
                return np.where(self.models[0].predict(table) == 1, self.positive[0], other)
            return self.positive[self.scores(table).argmax(axis=1)]

    def scores(self, table: np.ndarray) -> np.ndarray:
        with quiet():
            columns = [model.predict_proba(table)[:, 1] for model in self.models]
        # The greedy list returns NaN if its last group had no training rows.
        return np.nan_to_num(np.column_stack(columns), nan=-1.0)

    def likely(self, X: Any) -> np.ndarray:
        """Return probabilities of the sorted classes; several models' scores are normalized."""
        scores = self.scores(self.columns(X)).clip(min=1e-9)
        if len(self.models) == 1:
            scores = np.hstack([scores, 1.0 - scores])
            own = self.classes == self.positive[0]
            return scores if own[0] else scores[:, ::-1]
        return scores[:, np.argsort(self.positive)] / scores.sum(axis=1, keepdims=True)

    def stated(self, label: Any, favors: list[bool], bodies: list[Body]) -> list[Any]:
        """Return the classes that the rules of a class's model predict."""
        others = self.y[self.y != label]
        covered = holding(bodies, self.table) & (self.y != label)[:, None]
        return [
            label if favor else most_frequent(self.y[rows], others)
            for favor, rows in zip(favors, covered.T, strict=True)
        ]

    def fitted(self, bodies: list[list[Body]], favors: list[list[bool]], **more: int) -> Fitted:
        """Return the fitted learner, from the rules of each model and which favor its class.

        ``more`` is added to the sizes of the same names.
        """
        flat = [body for group in bodies for body in group]
        thens = [
            then
            for label, group, favor in zip(self.positive, bodies, favors, strict=True)
            for then in self.stated(label, favor, group)
        ]

        def size():
            counts = self.columns.count(map(tests_of, flat))
            return counts | {name: counts.get(name, 0) + n for name, n in more.items()}

        return Fitted(
            self.predict,
            size,
            covering=lambda X: (holding(flat, self.columns(X)), objects(thens)),
            likely=self.likely,
        )


@contextlib.contextmanager
def seeded() -> Iterator[None]:
    """Seed numpy's global generator, with which the greedy list breaks ties."""
    state = np.random.get_state()  # noqa: NPY002
    np.random.seed(0)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(state)  # noqa: NPY002


def rulefit(X, y) -> Fitted:
    """Fit RuleFit; its rules have weights, for or against a class.

    Linear terms are not rules; ``linear`` counts them.
    """
    from imodels import RuleFitClassifier

    model = OneVsRest(lambda: RuleFitClassifier(random_state=0), X, y)
    bodies = [bodies_of(m) for m in model.models]
    favors = [[rule.args[0] > 0 for rule in m.rules_without_feature_names_] for m in model.models]
    linear = sum(np.count_nonzero(m.coef[: m.n_features_]) for m in model.models)
    return model.fitted(bodies, favors, linear=int(linear))


def skope_rules(X, y) -> Fitted:
    """Fit SkopeRules; the class with the largest share of its rules' weight is predicted.

    Even two classes have one model each: a single model predicts its class only if the rules that
    hold have more than half of the weight, which is rare if rules share the rows among them. If
    no rule holds, the most frequent class of uncovered training rows is predicted.
    """
    from imodels import SkopeRulesClassifier

    model = OneVsRest(lambda: SkopeRulesClassifier(random_state=0), X, y, each=True)
    bodies = [bodies_of(m) for m in model.models]
    default = most_frequent(model.y[model.scores(model.table).max(axis=1) <= 0], model.y)

    def predict(X):
        scores = model.scores(model.columns(X))
        return np.where(scores.max(axis=1) <= 0, default, model.positive[scores.argmax(axis=1)])

    favors = [[True] * len(group) for group in bodies]
    return replace(model.fitted(bodies, favors, rules=1), predict=predict)


def greedy_rule_list(X, y) -> Fitted:
    """Fit the greedy rule list; read as a set, each rule has only its own condition.

    The last entry of each list has no condition and is the default.
    """
    from imodels import GreedyRuleListClassifier

    model = OneVsRest(GreedyRuleListClassifier, X, y)
    rules = [m.rules_[:-1] for m in model.models]
    bodies = [
        [[(int(r["index_col"]), "<" if r["flip"] else ">=", r["cutoff"])] for r in group]
        for group in rules
    ]
    favors = [[r["val_right"] > 0.5 for r in group] for group in rules]
    return model.fitted(bodies, favors, rules=len(rules))


def figs(X, y) -> Fitted:
    """Fit FIGS, a sum of trees; its leaves add to scores and do not predict classes."""
    from imodels import FIGSClassifier

    columns = Columns(X, fill=True)
    classes, codes = np.unique(y, return_inverse=True)
    with quiet(), seeded():
        model = FIGSClassifier(random_state=0).fit(columns(X), codes)

    def predict(X):
        with quiet():
            return classes[np.asarray(model.predict(columns(X))).astype(int)]

    def likely(X):
        with quiet():
            return np.asarray(model.predict_proba(columns(X)))

    def size():
        leaves = []
        stack = [(root, frozenset()) for root in model.trees_]
        while stack:
            node, tests = stack.pop()
            if node.left is None and node.right is None:
                leaves.append(tests)
                continue
            column = int(node.feature)
            stack += [(node.left, tests | {(column, "<")}), (node.right, tests | {(column, ">")})]
        return columns.count(leaves) | {"trees": len(model.trees_)}

    return Fitted(predict, size, likely=likely)
