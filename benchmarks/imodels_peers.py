"""Learners of imodels: RuleFit, SkopeRules, FIGS and the greedy rule list.

All refuse missing numbers, which become medians, and categories, which become columns of 0 and 1.
All but FIGS know two classes only: of more, each has a model of its own against the rest, made
here. A rule that speaks against the class of its model is taken to state the strongest of the
others: the most frequent one among the training rows that it covers.
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
    """Return the rules of RuleFit or SkopeRules as numbers; they keep them as text."""
    # "X_0 == X_0" is what a rule without conditions looks like.
    return [
        [
            (int(feature.removeprefix("X_")), operator, float(bound))
            for (feature, operator), bound in rule.agg_dict.items()
            if operator != "=="
        ]
        for rule in model.rules_without_feature_names_
    ]


class OneVsRest:
    """Models of two classes, for the rarer of two classes or for each of more.

    With ``each``, for each of two classes as well.
    """

    def __init__(self, make: Any, X: Any, y: np.ndarray, each: bool = False) -> None:
        self.found, self.positive = positives(y)
        if each:
            self.positive = self.found
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
                other = self.found[self.found != self.positive[0]][0]
                return np.where(self.models[0].predict(table) == 1, self.positive[0], other)
            return self.positive[self.scores(table).argmax(axis=1)]

    def scores(self, table: np.ndarray) -> np.ndarray:
        with quiet():
            found = [model.predict_proba(table)[:, 1] for model in self.models]
        # The greedy list gives NaN where its last group had no training rows.
        return np.nan_to_num(np.column_stack(found), nan=-1.0)

    def stated(self, label: Any, favors: list[bool], bodies: list[Body]) -> list[Any]:
        """Return what rules of the model of a class state."""
        others = self.y[self.y != label]
        covered = holding(bodies, self.table) & (self.y != label)[:, None]
        return [
            label if favor else most_frequent(self.y[rows], others)
            for favor, rows in zip(favors, covered.T, strict=True)
        ]

    def fitted(self, bodies: list[list[Body]], favors: list[list[bool]], **more: int) -> Fitted:
        """Return what predicts, given the rules of each model and which of them favor its class.

        ``more`` is added to the sizes that have this name.
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
            self.predict, size, covering=lambda X: (holding(flat, self.columns(X)), objects(thens))
        )


@contextlib.contextmanager
def seeded() -> Iterator[None]:
    """Fix what numpy's global generator gives: the greedy list has no seed for its ties."""
    state = np.random.get_state()  # noqa: NPY002
    np.random.seed(0)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(state)  # noqa: NPY002


def rulefit(X, y) -> Fitted:
    """Return RuleFit: its rules with a weight, which speak for their class or against it.

    Terms of the sum that are linear in a feature are no rules; ``linear`` counts them.
    """
    from imodels import RuleFitClassifier

    model = OneVsRest(lambda: RuleFitClassifier(random_state=0), X, y)
    bodies = [bodies_of(m) for m in model.models]
    favors = [[rule.args[0] > 0 for rule in m.rules_without_feature_names_] for m in model.models]
    linear = sum(np.count_nonzero(m.coef[: m.n_features_]) for m in model.models)
    return model.fitted(bodies, favors, linear=int(linear))


def skope_rules(X, y) -> Fitted:
    """Return SkopeRules: the class with the greatest share of its rules' weight.

    Of two classes each has a model, too: alone, one predicts its class only where more than half
    of the weight holds, which rules that divide the rows between them hardly ever reach. Where no
    rule holds, the class most frequent among the training rows where none holds.
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
    """Return the greedy rule list; of a list, read as a set, each rule is its own condition.

    The last entry of a list has no condition and is its default; each list has one.
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
    """Return FIGS, a sum of trees; its leaves add to scores, so none of them states a class."""
    from imodels import FIGSClassifier

    columns = Columns(X, fill=True)
    found, codes = np.unique(y, return_inverse=True)
    with quiet(), seeded():
        model = FIGSClassifier(random_state=0).fit(columns(X), codes)

    def predict(X):
        with quiet():
            return found[np.asarray(model.predict(columns(X))).astype(int)]

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

    return Fitted(predict, size)
