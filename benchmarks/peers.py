"""Learners with a common interface: ``fit(X, y)`` returns a model that knows its size.

Tables are pandas frames with numeric and categorical columns and missing values. The size is the
number of rules, including the default, and of conditions: each bound of an interval is one
condition, so ``2 <= f < 5`` counts twice, and a set of values counts once. This module has our
learner, trees, and the names of all learners; ``rule_peers``, ``imodels_peers`` and
``evolved_peers`` have the rule learners.
"""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks import evolved_peers, imodels_peers, rule_peers
from benchmarks.fitted import Columns, Fitted, Learner, objects, quiet

SIZES = (4, 8, 16, 32)
ALPHAS = 40
MULTI_LEAVES = (2, 4, 8, 16, 32, 64, 128, 256)
# Leaves of the hierarchical reference trees, and the factor of a label's weight per level.
HIER_LEAVES = {"cellcycle": 8, "church": 8, "eisen": 8, "pheno": 4}
DEEPER = 0.75
STREED_SECONDS = 60
SPLIT_DEPTH = 5


# --- irenic: one configuration for all sets


def ours(X, y, n_jobs: int | None = 1, **options: Any) -> Fitted:
    from irenic import RuleSetClassifier

    model = RuleSetClassifier(random_state=0, n_jobs=n_jobs, **options).fit(X, y)
    return _fitted_ours(model)


def _fitted_ours(model: Any) -> Fitted:
    def selected(k: int) -> Fitted:
        # the default counts as one of the k rules
        return _fitted_ours(model.select(max_rules=k - 1))

    def covering(X):
        return model.rules_.covering(X), objects(rule.then for rule in model.rules_)

    return Fitted(
        model.predict, lambda: our_size(model.rules_), selected, covering, model.predict_proba
    )


def our_size(rules: Any) -> dict[str, int]:
    conditions = count_conditions(rules)
    return {
        "rules": len(rules) + (rules.default is not None),
        "conditions": conditions,
        "merged": conditions,
        "conflicts": len(rules.conflicts()),
    }


def count_conditions(rules: Any) -> int:
    """Return the number of conditions of a rule set; each bound of an interval counts.

    ``{"in": [...]}`` and a comparison count once. Whether missing values are included is part of a
    condition, just as their direction is part of a split in a tree.
    """
    return sum(
        max(1, len([operator for operator in operators if operator in ("<", "<=", ">", ">=")]))
        for rule in rules
        for operators in rule.region.conditions().values()
    )


# --- trees


def tree_size(tree: Any, columns: Columns) -> dict[str, int]:
    """Return the leaves of a tree as rules with redundant conditions removed."""
    leaves = []
    stack: list[tuple[int, frozenset]] = [(0, frozenset())]
    while stack:
        node, tests = stack.pop()
        left, right = tree.children_left[node], tree.children_right[node]
        if left == -1:
            leaves.append(tests)
            continue
        column = int(tree.feature[node])
        stack += [(left, tests | {(column, "<")}), (right, tests | {(column, ">")})]
    return columns.count(leaves)


def _fitted_tree(model: Any, columns: Columns, **more: Any) -> Fitted:
    def size():
        return tree_size(model.tree_, columns) | more

    def covering(X):
        leaves = np.flatnonzero(model.tree_.children_left == -1)
        thens = model.classes_[model.tree_.value[leaves, 0].argmax(axis=1)]
        return model.apply(columns(X))[:, None] == leaves, objects(thens)

    # With several labels, there is one array of classes per label.
    single = model.n_outputs_ == 1
    return Fitted(
        lambda X: model.predict(columns(X)),
        size,
        covering=covering if single else None,
        likely=lambda X: model.predict_proba(columns(X)),
    )


def tree(X, y, leaves: int | None) -> Fitted:
    columns = Columns(X)
    model = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
    return _fitted_tree(model.fit(columns(X), y), columns)


def pruned(X, y) -> Fitted:
    """Fit a tree with the alpha of the best mean accuracy in 5 inner folds (ties: the largest).

    The full tree is pruned as scikit-learn does at the end of a fit, which gives the same tree as
    a fit with this alpha without growing it again.
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


def streed(X, y) -> Fitted:
    """Fit the tree of depth 4 that minimizes errors plus 1% of the rows per split.

    It only splits binary columns: its own cuts at 5 quantiles of numeric features, and our one-hot
    columns of categories, because its own merge all but five values.
    """
    from pystreed import STreeDClassifier

    columns = Columns(X, fill=True)
    classes, codes = np.unique(y, return_inverse=True)
    model = STreeDClassifier(
        "cost-complex-accuracy", max_depth=4, time_limit=STREED_SECONDS, random_seed=0
    )
    with quiet():
        model.fit(columns(X), codes)
    if not model.is_fitted():
        raise RuntimeError(f"no tree in {STREED_SECONDS} s")
    cuts = model.binarizer_
    numeric = cuts.continuous_binarizer
    # The splits of the library: a column, and the side on which the test holds.
    asked = [(c, ">") for c in cuts.binary_columns]
    for c, n in zip(cuts.continuous_columns, numeric.n_thresholds_ if numeric else (), strict=True):
        asked += [(c, "<")] * n
    leaves: list[tuple[dict[int, bool], int]] = []
    stack: list[tuple[Any, dict[int, bool]]] = [(model.get_tree(), {})]
    while stack:
        node, path = stack.pop()
        if node.is_leaf_node():
            leaves.append((path, int(node.label)))
            continue
        stack.append((node.left_child, path | {node.feature: False}))
        stack.append((node.right_child, path | {node.feature: True}))

    def predict(X):
        with quiet():
            return classes[np.asarray(model.predict(columns(X))).astype(int)]

    def covering(X):
        binary = np.asarray(cuts.transform(columns(X))).astype(bool)
        holds = np.ones((len(binary), len(leaves)), dtype=bool)
        for i, (path, _) in enumerate(leaves):
            for feature, satisfied in path.items():
                holds[:, i] &= binary[:, feature] == satisfied
        return holds, objects(classes[[label for _, label in leaves]])

    def size():
        other = {"<": ">", ">": "<"}
        return columns.count(
            frozenset(
                (asked[f][0], asked[f][1] if yes else other[asked[f][1]]) for f, yes in p.items()
            )
            for p, _ in leaves
        ) | {"optimal": bool(model.fit_result.is_optimal())}

    return Fitted(predict, size, covering=covering)


def licketysplit(X, y) -> Fitted:
    """Fit LicketySPLIT, a sparse tree whose splits look one step ahead.

    It only splits binary columns: the thresholds of a boosted ensemble, as its authors recommend.
    The depth and the penalty of 1% of the rows per leaf are those of their example.
    """
    from licketysplit import LicketySPLITClassifier, ThresholdGuessBinarizer

    columns = Columns(X, fill=True)
    classes, codes = np.unique(y, return_inverse=True)
    cuts = ThresholdGuessBinarizer(random_state=0, column_elimination=False)
    model = LicketySPLITClassifier(lambda_leaf=0.01, depth_budget=SPLIT_DEPTH)
    with quiet():
        model.fit(cuts.fit_transform(columns(X), codes), codes)
    # Splits are numbered from 1; a negative number is the side on which the test fails.
    leaves, labels = model.get_tree_paths()

    def predict(X):
        return classes[model.predict(cuts.transform(columns(X)))]

    def covering(X):
        binary = np.asarray(cuts.transform(columns(X))).astype(bool)
        holds = np.ones((len(binary), len(leaves)), dtype=bool)
        for i, path in enumerate(leaves):
            for split in path:
                holds[:, i] &= binary[:, abs(split) - 1] == (split > 0)
        return holds, objects(classes[labels])

    def size():
        return columns.count(
            frozenset((cuts.thresholds_[abs(s) - 1][0], "<" if s > 0 else ">") for s in path)
            for path in leaves
        )

    return Fitted(predict, size, covering=covering)


# --- ensembles of trees, whose size is not compared


def random_forest(X, y, n_jobs: int = 1) -> Fitted:
    columns = Columns(X)
    model = RandomForestClassifier(500, random_state=0, n_jobs=n_jobs).fit(columns(X), y)
    return Fitted(lambda X: model.predict(columns(X)))


def lightgbm(X, y, n_jobs: int = 1) -> Fitted:
    import lightgbm

    def plain(X):
        # LightGBM does not support names with brackets, quotes or commas.
        return X if isinstance(X, np.ndarray) else X.set_axis(range(X.shape[1]), axis=1)

    model = lightgbm.LGBMClassifier(random_state=0, n_jobs=n_jobs, verbose=-1, deterministic=True)
    model.fit(plain(X), y)
    return Fitted(lambda X: model.predict(plain(X)), likely=lambda X: model.predict_proba(plain(X)))


def ebm(X, y) -> Fitted:
    """Fit an Explainable Boosting Machine, a sum of functions of one or two features."""
    from interpret.glassbox import ExplainableBoostingClassifier

    classes, codes = np.unique(y, return_inverse=True)
    model = ExplainableBoostingClassifier(random_state=0, n_jobs=1)
    with quiet():
        model.fit(X, codes)
    return Fitted(
        lambda X: classes[model.predict(X).astype(int)], likely=lambda X: model.predict_proba(X)
    )


# --- several labels


def multi_ours(X, Y, n_jobs: int | None = 1) -> Fitted:
    return ours(X, Y, n_jobs=n_jobs)


def multi_tree(X, Y) -> Fitted:
    """Fit a multi-output tree; a held-out quarter chooses the leaves by example F1."""
    columns = Columns(X)
    table = columns(X)
    learn, holdout = train_test_split(np.arange(len(Y)), test_size=0.25, random_state=0)
    scores = []
    for leaves in MULTI_LEAVES:
        model = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
        model.fit(table[learn], Y[learn])
        scores.append(example_f1(Y[holdout], model.predict(table[holdout])))
    chosen = MULTI_LEAVES[int(np.argmax(scores))]
    model = DecisionTreeClassifier(max_leaf_nodes=chosen, random_state=0).fit(table, Y)
    return _fitted_tree(model, columns)


def example_f1(Y, predicted) -> float:
    """Return the mean F1 of the rows; it is 0 if there are neither true nor predicted labels."""
    return float(f1_score(Y, predicted, average="samples", zero_division=0))


def hier_ours(data: Any, n_jobs: int | None = 1) -> Fitted:
    """Fit our learner; it returns scores of all labels, 0 for labels without training rows.

    It has at most as many rules as the tree has leaves, including the default.
    """
    from irenic import RuleSetClassifier

    model = RuleSetClassifier(hierarchy=data.hierarchy, random_state=0, n_jobs=n_jobs)
    model = model.fit(data.X, data.y).select(max_rules=HIER_LEAVES[data.name] - 1)
    place = {str(label): i for i, label in enumerate(model.classes_)}
    known = [i for i, path in enumerate(data.hierarchy) if path in place]

    def scores(X):
        scores = np.zeros((len(X), len(data.hierarchy)))
        proba = np.asarray(model.predict_proba(X))
        scores[:, known] = proba[:, [place[data.hierarchy[i]] for i in known]]
        return scores

    return Fitted(scores, lambda: our_size(model.rules_))


def hier_tree(data: Any) -> Fitted:
    """Fit a least-squares tree on labels whose weight decreases with their depth.

    Categories are encoded by the order of their values in the file, as in the reference.
    """

    def numbers(X):
        numbers = X.copy()
        for name in X:
            if isinstance(X[name].dtype, pd.CategoricalDtype):
                numbers[name] = X[name].cat.codes.astype(float).where(X[name].notna())
        return numbers.astype(float)

    columns = Columns(numbers(data.X))
    depth = np.array([path.count("/") for path in data.hierarchy])
    weights = np.sqrt(DEEPER**depth)
    model = DecisionTreeRegressor(max_leaf_nodes=HIER_LEAVES[data.name], random_state=0)
    model.fit(columns(numbers(data.X)), data.closed(data.y) * weights)

    def size():
        return tree_size(model.tree_, columns)

    return Fitted(lambda X: model.predict(columns(numbers(X))) / weights, size)


# --- by name

TREES: dict[str, Learner] = {f"tree {k}": partial(tree, leaves=k) for k in SIZES}
PEERS: dict[str, Learner] = {
    "pruned": pruned,
    "streed": streed,
    "licketysplit": licketysplit,
    "random forest": random_forest,
    "lightgbm": lightgbm,
    "ripper": rule_peers.ripper,
    "cn2-unordered": partial(rule_peers.cn2, ordered=False),
    "cn2-ordered": partial(rule_peers.cn2, ordered=True),
    "rulekit": rule_peers.rulekit,
    "boomer": rule_peers.boomer,
    "rulefit": imodels_peers.rulefit,
    "skope-rules": imodels_peers.skope_rules,
    "figs": imodels_peers.figs,
    "greedy-rule-list": imodels_peers.greedy_rule_list,
    "xcs": evolved_peers.xcs,
    "exstracs": evolved_peers.exstracs,
    "fuzzy-rules": evolved_peers.fuzzy_rules,
}
PACKAGES = {
    "ours": "irenic",
    "pruned": "scikit-learn",
    "streed": "pystreed",
    "licketysplit": "licketysplit",
    "random forest": "scikit-learn",
    "lightgbm": "lightgbm",
    "ebm": "interpret-core",
    "ripper": "wittgenstein",
    "cn2-unordered": "Orange3",
    "cn2-ordered": "Orange3",
    "rulekit": "rulekit",
    "boomer": "mlrl-boomer",
    "rulefit": "imodels",
    "skope-rules": "imodels",
    "figs": "imodels",
    "greedy-rule-list": "imodels",
    "xcs": "scikit-XCS",
    "exstracs": "scikit-ExSTraCS",
    "fuzzy-rules": "ex-fuzzy",
}


def package_of(name: str) -> str | None:
    """Return the distribution package of a learner, whose version is recorded."""
    kind = name.split()[0]
    return "scikit-learn" if kind == "tree" else PACKAGES.get(name, PACKAGES.get(kind))
