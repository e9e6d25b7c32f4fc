"""Learners of one kind of call: ``fit(X, y)`` returns what predicts and knows its size.

Tables are pandas frames with numeric and categorical columns and missing values. Size is the
number of rules, the default one included, and of conditions: one bound of an interval is one
condition, so ``2 <= f < 5`` is two, and one set of values is one.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

SIZES = (4, 8, 16, 32)
ALPHAS = 40
MULTI_LEAVES = (2, 4, 8, 16, 32, 64, 128, 256)
# Leaves of the hierarchical reference trees, and how much less a label weighs a level deeper.
HIER_LEAVES = {"cellcycle": 8, "church": 8, "eisen": 8, "pheno": 4}
DEEPER = 0.75
MISSING = "(missing)"


@dataclass
class Fitted:
    """What a learner returns; ``size()`` counts rules, conditions and what else is worth keeping.

    Counting is not part of learning, so it is done when asked for, after the clock has stopped.
    """

    predict: Callable[[Any], np.ndarray]
    size: Callable[[], dict[str, Any]] = dict
    selected: Callable[[int], Fitted] | None = None
    """Another model of the same fit, with at most so many rules."""


Learner = Callable[[pd.DataFrame, np.ndarray], Fitted]


# --- ours: one configuration for all sets


def ours(X, y, n_jobs: int | None = 1, **options: Any) -> Fitted:
    from irenic import RuleSetClassifier

    model = RuleSetClassifier(random_state=0, n_jobs=n_jobs, **options).fit(X, y)
    return _fitted_ours(model)


def _fitted_ours(model: Any) -> Fitted:
    def selected(k: int) -> Fitted:
        # the default counts as one of the k rules
        return _fitted_ours(model.select(max_rules=k - 1))

    return Fitted(model.predict, lambda: our_size(model.rules_), selected)


def our_size(rules: Any) -> dict[str, int]:
    conditions = count_conditions(rules)
    return {
        "rules": len(rules) + (rules.default is not None),
        "conditions": conditions,
        "merged": conditions,
        "conflicts": len(rules.conflicts()),
    }


def count_conditions(rules: Any) -> int:
    """Return how many conditions a rule set has, the two bounds of an interval as two.

    ``{"in": [...]}`` and a comparison are one each; whether missing values are meant as well is
    part of its condition, as the way that they go is part of a split of a tree.
    """
    return sum(
        max(1, len([operator for operator in operators if operator in ("<", "<=", ">", ">=")]))
        for rule in rules
        for operators in rule.region.conditions().values()
    )


# --- trees


class Columns:
    """A table as numbers: categories one-hot, a missing one as a value; missing numbers stay."""

    def __init__(self, X: pd.DataFrame | np.ndarray) -> None:
        if isinstance(X, np.ndarray):
            X = pd.DataFrame(X)
        kinds = X.dtypes
        self.categorical = [c for c in X if isinstance(kinds[c], pd.CategoricalDtype)]
        self.numeric = [c for c in X if c not in set(self.categorical)]
        self.onehot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        self.owner = list(self.numeric)
        if self.categorical:
            self.onehot.fit(self._values(X))
            for name, values in zip(self.categorical, self.onehot.categories_, strict=True):
                self.owner += [name] * len(values)

    def _values(self, X: pd.DataFrame) -> np.ndarray:
        return X[self.categorical].astype(object).fillna(MISSING).to_numpy(dtype=object)

    def __call__(self, X: pd.DataFrame | np.ndarray) -> np.ndarray:
        if isinstance(X, np.ndarray):
            return X
        numbers = X[self.numeric].to_numpy(dtype=float)
        if not self.categorical:
            return numbers
        return np.hstack([numbers, self.onehot.transform(self._values(X))])


def tree_size(tree: Any, owner: list[Any], categorical: list[Any]) -> dict[str, int]:
    """Return the leaves of a tree as rules without what a later split makes redundant.

    ``conditions`` has one a column and side, on the one-hot table that the tree has learned;
    ``merged`` takes all tests of one categorical feature in a leaf as one set of values.
    """
    merges = set(categorical)
    rules = conditions = merged = 0
    stack: list[tuple[int, frozenset]] = [(0, frozenset())]
    while stack:
        node, tests = stack.pop()
        left, right = tree.children_left[node], tree.children_right[node]
        if left == -1:
            rules += 1
            conditions += len(tests)
            merged += len(
                {owner[c] if owner[c] in merges else (owner[c], side) for c, side in tests}
            )
            continue
        column = int(tree.feature[node])
        stack += [(left, tests | {(column, "<")}), (right, tests | {(column, ">")})]
    return {"rules": rules, "conditions": conditions, "merged": merged}


def _fitted_tree(model: Any, columns: Columns, **more: Any) -> Fitted:
    def size():
        return tree_size(model.tree_, columns.owner, columns.categorical) | more

    return Fitted(lambda X: model.predict(columns(X)), size)


def tree(X, y, leaves: int | None) -> Fitted:
    columns = Columns(X)
    model = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
    return _fitted_tree(model.fit(columns(X), y), columns)


def pruned(X, y) -> Fitted:
    """Return the tree of the alpha with the best mean accuracy in 5 inner folds, ties the larger.

    A pruned tree is cut out of the full one, as scikit-learn does at the end of a fit: the same
    tree as that of a fit with this alpha, without growing it again.
    """
    columns = Columns(X)
    table, y = columns(X), np.asarray(y)
    full = DecisionTreeClassifier(random_state=0).fit(table, y)
    path = np.unique(full.cost_complexity_pruning_path(table, y).ccp_alphas.clip(min=0))
    if len(path) > ALPHAS:
        path = path[np.linspace(0, len(path) - 1, ALPHAS).round().astype(int)]
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    scores = np.zeros(len(path))
    for learn, test in folds.split(table, y):
        grown = DecisionTreeClassifier(random_state=0).fit(table[learn], y[learn])
        for i, alpha in enumerate(path):
            scores[i] += np.mean(_prune(grown, alpha).predict(table[test]) == y[test])
    best = path[np.flatnonzero(scores >= scores.max() - 1e-12)[-1]]
    return _fitted_tree(_prune(full, best), columns, alpha=float(best))


def _prune(grown: DecisionTreeClassifier, alpha: float) -> DecisionTreeClassifier:
    model = copy.copy(grown)
    model.ccp_alpha = alpha
    model._prune_tree()
    return model


def lightgbm(X, y, n_jobs: int = 1) -> Fitted:
    import lightgbm

    def plain(X):
        # LightGBM refuses names with brackets, quotes or commas.
        return X if isinstance(X, np.ndarray) else X.set_axis(range(X.shape[1]), axis=1)

    model = lightgbm.LGBMClassifier(random_state=0, n_jobs=n_jobs, verbose=-1, deterministic=True)
    model.fit(plain(X), y)
    return Fitted(lambda X: model.predict(plain(X)))


# --- rule learners


def ripper(X, y) -> Fitted:
    """Return RIPPER for the rarer of two classes, or one for each of more.

    Of several classes whose rules hold, the one with the largest probability is taken; where none
    holds, the class most frequent among the training rows where none holds.
    """
    import wittgenstein

    medians = X.median(numeric_only=True)

    def filled(X):
        X = X.copy()
        for name in X:
            if name in medians:
                X[name] = X[name].astype(float).fillna(medians[name])
            else:
                X[name] = X[name].astype(object).fillna(MISSING)
        # A plain index: wittgenstein adds columns by position.
        return X.reset_index(drop=True)

    found, counts = np.unique(y, return_counts=True)
    positive = found[np.argsort(counts, kind="stable")]
    if len(found) == 2:
        positive = positive[:1]
    table = filled(X)
    models = []
    for label in positive:
        model = wittgenstein.RIPPER(random_state=0)
        model.fit(table, y=pd.Series(y == label, name="the class"), pos_class=True)
        models.append(model)

    def scores(table):
        columns = []
        for model in models:
            holds = np.asarray(model.predict(table), dtype=bool)
            proba = np.asarray(model.predict_proba(table))[:, -1] if len(models) > 1 else 1.0
            columns.append(np.where(holds, proba, -1.0))
        return np.column_stack(columns)

    if len(found) == 2:
        default = found[found != positive[0]][0]
    else:
        rest = np.asarray(y)[scores(table).max(axis=1) < 0]
        labels, n = np.unique(rest if len(rest) else y, return_counts=True)
        default = labels[n.argmax()]

    def predict(X):
        found = scores(filled(X))
        return np.where(found.max(axis=1) < 0, default, positive[found.argmax(axis=1)])

    def size():
        rules = [rule for model in models for rule in model.ruleset_.rules]
        # "2.5-7" is a bin of a numeric feature, with two bounds.
        between = re.compile(r"^-?\d[\d.]*(e[+-]?\d+)?-+\d")
        conditions = sum(
            1 + bool(cond.feature in medians and between.match(str(cond.val)))
            for rule in rules
            for cond in rule.conds
        )
        return {"rules": len(rules) + 1, "conditions": conditions}

    return Fitted(predict, size)


def cn2(X, y, ordered: bool) -> Fitted:
    from Orange.classification.rules import CN2Learner, CN2UnorderedLearner
    from Orange.data import ContinuousVariable, DiscreteVariable, Domain, Table

    found = np.unique(y)
    variables = [
        DiscreteVariable(str(name), list(map(str, X[name].cat.categories)))
        if isinstance(X[name].dtype, pd.CategoricalDtype)
        else ContinuousVariable(str(name))
        for name in X
    ]
    domain = Domain(variables, DiscreteVariable("the class", list(map(str, found))))

    def as_table(X, codes):
        columns = []
        for name in X:
            if isinstance(X[name].dtype, pd.CategoricalDtype):
                column = X[name].cat.codes.to_numpy(dtype=float)
                column[column < 0] = np.nan
            else:
                column = X[name].to_numpy(dtype=float)
            columns.append(column)
        return Table.from_numpy(domain, np.column_stack(columns), codes)

    learner = CN2Learner() if ordered else CN2UnorderedLearner()
    model = learner(as_table(X, np.searchsorted(found, y).astype(float)))

    def predict(X):
        return found[np.asarray(model(as_table(X, np.full(len(X), np.nan)))).astype(int)]

    def size():
        conditions = 0
        for rule in model.rule_list:
            # A second bound on the same side makes the first redundant.
            bounds = {(s.column, s.op) for s in rule.selectors if s.op in ("<=", ">=")}
            conditions += len(bounds) + sum(s.op in ("==", "!=") for s in rule.selectors)
        return {"rules": len(model.rule_list), "conditions": conditions}

    return Fitted(predict, size)


def rulekit(X, y) -> Fitted:
    from rulekit.classification import RuleClassifier

    def plain(X):
        # RuleKit 2.1.24 answers wrongly on two-valued columns of strings, so these are 0 and 1.
        columns = {}
        for i, name in enumerate(X):
            column = X[name]
            if not isinstance(column.dtype, pd.CategoricalDtype):
                columns[f"f{i}"] = column.astype(float)
            elif len(column.cat.categories) == 2:
                columns[f"f{i}"] = column.cat.codes.astype(float).where(column.notna())
            else:
                columns[f"f{i}"] = column.astype(object).where(column.notna(), None)
        return pd.DataFrame(columns)

    # Codes as names: RuleKit reads some labels as numbers and gives these back.
    found = np.unique(y)
    names = np.array([f"c{i}" for i in range(len(found))], dtype=object)
    codes = dict(zip(names, found, strict=True))
    model = RuleClassifier()
    model.fit(plain(X), pd.Series(names[np.searchsorted(found, y)], name="label"))

    def predict(X):
        return np.array([codes[name] for name in model.predict(plain(X))], dtype=object)

    def size():
        texts = [str(rule).split(" THEN ")[0] for rule in model.model.rules]
        both = re.compile(r"= [<(](?!-inf)[^,{}]+, (?!inf)[^,{}]+[)>]")
        conditions = sum(text.count(" = ") + len(both.findall(text)) for text in texts)
        return {"rules": len(texts) + 1, "conditions": conditions}

    return Fitted(predict, size)


# --- several labels


def multi_ours(X, Y, n_jobs: int | None = 1) -> Fitted:
    return ours(X, Y, n_jobs=n_jobs)


def multi_tree(X, Y) -> Fitted:
    """Return a multi-output tree, its leaves chosen on a quarter held out, by example F1."""
    columns = Columns(X)
    table = columns(X)
    learn, held = train_test_split(np.arange(len(Y)), test_size=0.25, random_state=0)
    scores = []
    for leaves in MULTI_LEAVES:
        model = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
        model.fit(table[learn], Y[learn])
        scores.append(example_f1(Y[held], model.predict(table[held])))
    chosen = MULTI_LEAVES[int(np.argmax(scores))]
    model = DecisionTreeClassifier(max_leaf_nodes=chosen, random_state=0).fit(table, Y)
    return _fitted_tree(model, columns)


def example_f1(Y, predicted) -> float:
    """Return the mean F1 of the rows; a row without labels, given none, counts as 0."""
    return float(f1_score(Y, predicted, average="samples", zero_division=0))


def hier_ours(data: Any, n_jobs: int | None = 1) -> Fitted:
    """Return scores of the labels, in the order of the hierarchy; one never learned scores 0.

    As many rules as the tree has leaves at most, the default being one of them.
    """
    from irenic import RuleSetClassifier

    model = RuleSetClassifier(hierarchy=data.hierarchy, random_state=0, n_jobs=n_jobs)
    model = model.fit(data.X, data.y).select(max_rules=HIER_LEAVES[data.name] - 1)
    place = {str(label): i for i, label in enumerate(model.classes_)}
    known = [i for i, path in enumerate(data.hierarchy) if path in place]

    def scores(X):
        found = np.zeros((len(X), len(data.hierarchy)))
        proba = np.asarray(model.predict_proba(X))
        found[:, known] = proba[:, [place[data.hierarchy[i]] for i in known]]
        return found

    return Fitted(scores, lambda: our_size(model.rules_))


def hier_tree(data: Any) -> Fitted:
    """Return a tree of least squares on labels that weigh less the deeper they are.

    Categories are the numbers of their values in the file, as in the reference of the table.
    """

    def numbers(X):
        found = X.copy()
        for name in X:
            if isinstance(X[name].dtype, pd.CategoricalDtype):
                found[name] = X[name].cat.codes.astype(float).where(X[name].notna())
        return found.astype(float)

    columns = Columns(numbers(data.X))
    depth = np.array([path.count("/") for path in data.hierarchy])
    weights = np.sqrt(DEEPER**depth)
    model = DecisionTreeRegressor(max_leaf_nodes=HIER_LEAVES[data.name], random_state=0)
    model.fit(columns(numbers(data.X)), data.closed(data.y) * weights)

    def size():
        return tree_size(model.tree_, columns.owner, columns.categorical)

    return Fitted(lambda X: model.predict(columns(numbers(X))) / weights, size)


# --- by name

TREES: dict[str, Learner] = {f"tree {k}": partial(tree, leaves=k) for k in SIZES}
PEERS: dict[str, Learner] = {
    "pruned": pruned,
    "lightgbm": lightgbm,
    "ripper": ripper,
    "cn2-unordered": partial(cn2, ordered=False),
    "cn2-ordered": partial(cn2, ordered=True),
    "rulekit": rulekit,
}
