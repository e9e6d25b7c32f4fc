"""Rules of a tree decide every value as scikit-learn does, especially at the bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from points import is_partition
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

from irenic import Continuous, FormatError, SpaceError
from irenic.formats.models import _sklearn
from irenic.formats.models._sklearn import cuts_of, from_sklearn
from irenic.model.features import LOWEST

FLOAT32_MAX = float(np.finfo(np.float32).max)
FAR = [3.4e38, -3.4e38, FLOAT32_MAX, -FLOAT32_MAX, 1e30, -1e30]


def made(seed: int, n: int = 300, d: int = 4, classes: int = 3, missing: float = 0.0):
    rng = np.random.default_rng(seed)
    scale = 10.0 ** rng.integers(-6, 7, d)
    X = np.round(rng.normal(size=(n, d)), 2) * scale
    y = rng.integers(0, classes, n) + (X[:, 0] > 0)
    X[rng.random((n, d)) < missing] = np.nan
    return X, y


def around(tree, n: int, seed: int, missing: float = 0.0) -> np.ndarray:
    """Return points with values at the thresholds, next to them, far away or anywhere."""
    rng = np.random.default_rng(seed)
    inner = tree.tree_
    columns = []
    for f in range(inner.n_features):
        at = inner.threshold[(inner.feature == f) & np.isfinite(inner.threshold)]
        single = at.astype(np.float32)
        pool = [rng.normal(size=20), [0.0, -0.0, 5e-324, -5e-324, 1e-46, -1e-46], FAR]
        for values in (at, cuts_of(at), single.astype(np.float64)):
            pool += [values, np.nextafter(values, np.inf), np.nextafter(values, -np.inf)]
        pool += [np.nextafter(single, np.float32(way)) for way in (np.inf, -np.inf)]
        columns.append(rng.choice(np.concatenate(pool), n))
    X = np.column_stack(columns)
    X[rng.random(X.shape) < missing] = np.nan
    return X


def said(tree, points):
    """Return the predictions of the tree, ignoring overflows in scikit-learn's input checks."""
    with np.errstate(over="ignore", invalid="ignore"):
        return tree.predict(points)


def check(rules, tree, points):
    assert (rules.predict(points) == said(tree, points)).all()


TREES = [DecisionTreeClassifier, ExtraTreeClassifier]


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("seed", range(2))
def test_rules_decide_as_the_tree_does_at_every_bound(kind, seed):
    X, y = made(seed)
    tree = kind(random_state=seed, max_depth=None if seed % 2 else 6).fit(X, y)
    rules = from_sklearn(tree)
    check(rules, tree, around(tree, 3000, seed))
    check(rules, tree, X)
    assert rules.default is None
    assert len(rules) == tree.get_n_leaves()
    assert is_partition(rules)


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.booleans(),
    st.integers(-3, 3),
)
def test_a_cut_is_where_float32_changes_sides(any_threshold, single, exact, steps):
    threshold = single if exact else any_threshold
    (cut,) = cuts_of(np.array([threshold])).tolist()
    value = cut
    for _ in range(abs(steps)):
        value = float(np.nextafter(value, np.inf if steps > 0 else -np.inf))
    with np.errstate(over="ignore"):
        goes_left = bool(np.float64(np.float32(value)) <= threshold)
    assert (value < cut) == goes_left


@pytest.mark.parametrize("threshold", [0.0, -0.0, 5e-324, -5e-324, 7e-46, 1.4e-45, 3.3e38, 0.1])
def test_cuts_at_odd_places(threshold):
    (cut,) = cuts_of(np.array([threshold]))
    near = [cut, np.nextafter(cut, np.inf), np.nextafter(cut, -np.inf), 0.0, -0.0, threshold]
    for value in [*near, 1e308, -1e308, 7.006492321624085e-46, 7.006492321624086e-46]:
        with np.errstate(over="ignore", under="ignore"):
            assert (value < cut) == (np.float64(np.float32(value)) <= threshold), value


def test_values_beyond_float32_go_right_at_every_threshold():
    (cut,) = cuts_of(np.array([FLOAT32_MAX]))
    assert cut < 2.0**128
    assert np.float32(np.nextafter(cut, 0.0)) == np.float32(FLOAT32_MAX)
    assert cuts_of(np.array([np.inf])).tolist() == [np.inf]
    tree = DecisionTreeClassifier().fit([[0.0], [FLOAT32_MAX]], ["a", "b"])
    rules = from_sklearn(tree)
    assert rules.predict([[1e308], [-1e308]]).tolist() == ["b", "a"]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("share", [0.0, 0.2])
def test_missing_values_go_the_way_of_the_tree(kind, seed, share):
    X, y = made(seed, n=150, d=3, missing=share)
    tree = kind(random_state=seed, max_leaf_nodes=25).fit(X, y)
    rules, plain = from_sklearn(tree, missing=True), from_sklearn(tree)
    check(rules, tree, around(tree, 3000, seed, missing=0.3))
    check(plain, tree, around(tree, 1000, seed))
    for each, missing in ((rules, True), (plain, False)):
        assert is_partition(each)
        assert {f.missing for f in each.space} == {missing}


def test_a_split_between_missing_and_known_values_has_no_bound():
    X = np.array([[1.0], [2.0], [3.0], [np.nan], [np.nan]])
    tree = DecisionTreeClassifier().fit(X, ["known"] * 3 + ["gone"] * 2)
    assert np.isinf(tree.tree_.threshold[0])
    rules = from_sklearn(tree, missing=True)
    assert rules.predict([[9.0], [np.nan]]).tolist() == ["known", "gone"]
    assert sorted(map(str, rules)) == [
        "IF x0 is missing THEN gone",
        "IF x0 is not missing THEN known",
    ]
    # without missing values no case reaches the other leaf
    assert list(map(str, from_sklearn(tree))) == ["IF anything THEN known"]


def test_a_leaf_with_missing_values_and_an_interval_becomes_several_rules():
    X = np.array([[1.0], [2.0], [3.0], [4.0], [np.nan], [np.nan]])
    tree = DecisionTreeClassifier(max_depth=1).fit(X, list("aabbbb"))
    rules = from_sklearn(tree, missing=True, readable=True)
    assert list(map(str, rules)) == [
        "IF x0 <= 2.5 THEN a",
        "IF x0 > 2.5 THEN b",
        "IF x0 is missing THEN b",
    ]
    assert rules.lower[0, 0] == LOWEST


def test_too_many_rules_for_missing_values_are_rejected(monkeypatch):
    monkeypatch.setattr(_sklearn, "_MOST_RULES", 10)
    tree = DecisionTreeClassifier(random_state=0).fit(*made(0, missing=0.3))
    message = r"leaves must become at most 10 rules with missing values, got 3"
    with pytest.raises(FormatError, match=message):
        from_sklearn(tree, missing=True)


@pytest.mark.parametrize("seed", range(2))
def test_readable_cuts_decide_every_float32_alike_and_are_short(seed):
    tree = DecisionTreeClassifier(random_state=seed).fit(*made(seed))
    rules = from_sklearn(tree, readable=True)
    with np.errstate(over="ignore", under="ignore"):
        points = around(tree, 3000, seed).astype(np.float32).astype(np.float64)
    check(rules, tree, points)
    assert is_partition(rules)
    assert len(str(list(rules))) < len(str(list(from_sklearn(tree))))


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.5, 3.0, "x0 <= 1.75"),  # exact in float32
        (0.1, 0.3, "x0 <= 0.20000001"),  # 0.2 is below the nearest float32
        (0.7, 0.7 + 1.8e-7, "x0 < 0.7000001"),
        (0.7 - 1.2e-7, 0.7 + 1.2e-7, "x0 <= 0.7"),  # 0.7 is above the nearest float32
    ],
)
def test_readable_cuts_are_the_shortest_decimals_that_keep_sides(low, high, said):
    tree = DecisionTreeClassifier().fit([[low], [high]], ["a", "b"])
    rules = from_sklearn(tree, readable=True)
    assert str(rules[0]) == f"IF {said} THEN a"
    bound = float(said.split()[-1])
    points = [[low], [high], [bound], [float(np.float32(bound))]]
    assert rules.predict(points).tolist() == tree.predict(points).tolist()


@pytest.mark.parametrize("kind", TREES)
def test_rules_of_several_outputs_predict_tuples(kind):
    X, y = made(1)
    labels = np.column_stack([np.array(["no", "yes", "may", "be"])[y], np.array(list("uvwx"))[-y]])
    tree = kind(random_state=0).fit(X, labels)
    rules = from_sklearn(tree)
    points = around(tree, 2000, 1)
    assert rules.predict(points).tolist() == list(map(tuple, said(tree, points)))
    names = [["A", "B", "C", "D"], [1, 2, 3, 4]]
    renamed = from_sklearn(tree, class_names=names)
    codes = [dict(zip(c, n, strict=True)) for c, n in zip(tree.classes_, names, strict=True)]
    assert renamed.predict(points).tolist() == [
        (codes[0][a], codes[1][b]) for a, b in said(tree, points)
    ]
    with pytest.raises(
        FormatError, match="class_names must have one list per output, 2 in all, got 'ab'"
    ):
        from_sklearn(tree, class_names="ab")


@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
def test_a_tree_of_a_forest_has_the_classes_of_the_forest(kind):
    wine = load_wine(as_frame=True)
    y = np.array(["one", "two", "three"])[wine.target]
    forest = kind(n_estimators=5, random_state=0).fit(wine.data, y)
    rules = from_sklearn(forest, index=3)
    assert rules.space.names == tuple(wine.data.columns)
    points = around(forest.estimators_[3], 2000, 0)
    codes = said(forest.estimators_[3], points).astype(int)
    assert (rules.predict(points) == forest.classes_[codes]).all()
    alone = from_sklearn(forest.estimators_[3])
    assert (alone.predict(points) == codes).all()
    assert from_sklearn(forest, index=-1) == from_sklearn(forest, index=4)


def test_names_come_from_the_table_or_the_caller():
    iris = load_iris(as_frame=True)
    tree = DecisionTreeClassifier(max_depth=2).fit(iris.data, iris.target)
    assert from_sklearn(tree).space.names == tuple(iris.data.columns)
    assert (from_sklearn(tree).predict(iris.data) == tree.predict(iris.data)).all()
    plain = DecisionTreeClassifier(max_depth=2).fit(iris.data.to_numpy(), iris.target)
    assert from_sklearn(plain).space.names == ("x0", "x1", "x2", "x3")
    assert from_sklearn(plain, feature_names=list("abcd")).space.names == tuple("abcd")
    assert from_sklearn(plain).space["x0"] == Continuous("x0")
    named = from_sklearn(plain, class_names=iris.target_names)
    assert set(named.consequents) == {"setosa", "versicolor", "virginica"}


def test_thousands_of_leaves_cover_each_row_once():
    rng = np.random.default_rng(0)
    tree = DecisionTreeClassifier(random_state=0)
    X = rng.random((5_000, 6))
    tree.fit(X, rng.integers(0, 3, 5_000))
    rules = from_sklearn(tree)
    assert len(rules) == tree.get_n_leaves() > 1500
    # with numpy, because uncompiled kernels would take minutes
    rows = np.concatenate([X[:300], around(tree, 300, 0)])
    holds = np.ones((len(rules), len(rows)), dtype=bool)
    for low, high, column in zip(rules.lower, rules.upper, rows.T, strict=True):
        holds &= (low[:, None] <= column) & (column < high[:, None])
    assert (holds.sum(axis=0) == 1).all()
    then = np.array(rules.consequents)[rules.then_codes]
    assert (then[holds.argmax(axis=0)] == said(tree, rows)).all()


def test_pruned_and_weighted_trees_and_one_leaf():
    X, y = made(3)
    pruned = {"ccp_alpha": 0.005}
    best_first = {"max_leaf_nodes": 17, "class_weight": "balanced"}
    for options in (pruned, best_first):
        tree = DecisionTreeClassifier(random_state=0, **options).fit(X, y)
        check(from_sklearn(tree), tree, around(tree, 2000, 4))
    stump = DecisionTreeClassifier().fit(X, np.ones(len(X), dtype=int))
    assert list(map(str, from_sklearn(stump))) == ["IF anything THEN 1"]


X0, Y0 = [[0.0], [1.0]], [0, 1]


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (DecisionTreeClassifier(), "the DecisionTreeClassifier is not fitted; call its fit"),
        (RandomForestClassifier(), "the RandomForestClassifier is not fitted"),
        (DecisionTreeRegressor().fit(X0, Y0), "a DecisionTreeRegressor .* it predicts numbers"),
        (RandomForestRegressor(2).fit(X0, Y0), "a RandomForestRegressor .* it predicts numbers"),
        (make_pipeline(StandardScaler(), DecisionTreeClassifier()), r"pass its last step, pipe"),
        (GridSearchCV(DecisionTreeClassifier(), {}), "search.best_estimator_"),
        (GradientBoostingClassifier(), "adds up the outputs of its trees"),
        (AdaBoostClassifier(), "an AdaBoostClassifier .* adds up the outputs of its trees"),
        (KMeans(), "pass a fitted DecisionTreeClassifier, ExtraTreeClassifier or a forest"),
        (DecisionTreeClassifier, "the class DecisionTreeClassifier, not a fitted model of it"),
        ("tree", "a str has no rules that predict a class"),
    ],
)
def test_other_models_and_unfitted_trees_are_rejected(model, said):
    with pytest.raises(FormatError, match=said):
        from_sklearn(model)


class Doctored:
    """The inner tree of a model with other thresholds, and with nodes that have further fields."""

    def __init__(self, inner, *, threshold=None, fields=()):
        self._inner = inner
        self.threshold = inner.threshold if threshold is None else threshold
        self._fields = fields

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def __getstate__(self):
        state = self._inner.__getstate__()
        old = state["nodes"]
        nodes = np.zeros(len(old), [*old.dtype.descr, *((n, v.dtype) for n, v in self._fields)])
        for name in old.dtype.names:
            nodes[name] = old[name]
        for name, values in self._fields:
            nodes[name] = values
        return {**state, "nodes": nodes}


MODELS = {
    "tree": DecisionTreeClassifier(max_leaf_nodes=6, random_state=0),
    "extra tree": ExtraTreeClassifier(max_leaf_nodes=6, random_state=0),
    "forest": RandomForestClassifier(2, max_leaf_nodes=6, random_state=0),
}


@pytest.mark.parametrize("form", MODELS)
@pytest.mark.parametrize("sign", ["-inf", "nan", "bitset", "hash"])
def test_splits_of_categories_are_rejected(form, sign):
    """scikit-learn 1.10 stores a set or a hash of categories beside a threshold of -inf."""
    model = clone(MODELS[form]).fit(*made(1))
    tree, options = (model.estimators_[1], {"index": 1}) if form == "forest" else (model, {})
    inner = tree.tree_
    node = np.flatnonzero(inner.children_left >= 0)[-1]
    if sign in ("-inf", "nan"):
        threshold = inner.threshold.copy()
        threshold[node] = float(sign)
        tree.tree_ = Doctored(inner, threshold=threshold)
    else:
        kind = np.where(inner.children_left >= 0, 0, -1).astype(np.int8)
        kind[node] = 1 if sign == "bitset" else 2
        tree.tree_ = Doctored(inner, fields=[("split_kind", kind)])
    with pytest.raises(FormatError, match=f"got categories of feature 'x{inner.feature[node]}'; "):
        from_sklearn(model, **options)
    with pytest.raises(FormatError, match="OneHotEncoder"):
        from_sklearn(model, **options, readable=True, missing=True)


def test_new_fields_of_numeric_splits_are_read_over():
    X, y = made(1)
    tree = DecisionTreeClassifier(max_leaf_nodes=6, random_state=0).fit(X, y)
    expected = from_sklearn(tree)
    kind = np.where(tree.tree_.children_left >= 0, 0, -1).astype(np.int8)
    tree.is_categorical_ = None
    tree.tree_ = Doctored(tree.tree_, fields=[("split_kind", kind)])
    assert from_sklearn(tree) == expected
    tree.is_categorical_ = np.array([False, True, False, False])
    with pytest.raises(FormatError, match="got categories of feature 'x1'"):
        from_sklearn(tree)


def test_wrong_arguments_are_rejected():
    tree = DecisionTreeClassifier().fit(X0, Y0)
    forest = RandomForestClassifier(3, random_state=0).fit(X0, Y0)
    one_of_three = "index must be the index of one of the 3 trees"
    for model, options, error, message in (
        (tree, {"index": 0}, FormatError, "index must be None for a single tree, got 0"),
        (forest, {}, FormatError, "adds up the votes of its 3 trees; choose one of them"),
        *((forest, {"index": i}, FormatError, one_of_three) for i in (3, -4, "1", 1.0, True)),
        (tree, {"feature_names": ["a", "b"]}, SpaceError,
         "feature_names must have 1 names, one per feature, got 2"),
        *((tree, {"feature_names": wrong}, SpaceError,
           "feature_names must be a list of names, got") for wrong in ("a", 7)),
        (tree, {"class_names": ["a", "b", "c"]}, FormatError,
         r"must have 2 names, one per class \[0, 1\], got 3"),
        (tree, {"class_names": "ab"}, FormatError, "class_names must be a list of names, got 'ab'"),
    ):  # fmt: skip
        with pytest.raises(error, match=message):
            from_sklearn(model, **options)
