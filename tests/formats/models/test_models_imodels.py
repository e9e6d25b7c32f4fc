from __future__ import annotations

import numpy as np
import pytest

from irenic import Continuous, FormatError, RuleList, RuleSet, SpaceError, gaps
from irenic.formats.models._imodels import from_imodels

# Warnings of the library itself.
pytestmark = pytest.mark.filterwarnings("ignore")


def imodels():
    return pytest.importorskip("imodels", exc_type=ImportError)


def made(seed: int, labels: tuple = ("no", "yes"), n: int = 250, noise: float = 0.1):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 4)) * 3, 1)
    codes = ((X[:, 0] > 1) | ((X[:, 1] < 0) & (X[:, 2] > 1))).astype(int)
    if len(labels) > 2:
        codes += X[:, 3] > 1
    codes = np.where(rng.random(n) < noise, rng.integers(0, len(labels), n), codes)
    return X, np.array(labels)[codes]


def around(found, n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    rules = found.rules if isinstance(found, RuleList) else found
    columns = []
    for row in range(len(rules.space)):
        at = np.unique(np.concatenate([rules.lower[row], rules.upper[row], [0.0]]))
        at = at[np.isfinite(at) & (np.abs(at) < 1e300)]
        pool = [at, np.nextafter(at, np.inf), np.nextafter(at, -np.inf), rng.normal(size=30) * 4]
        columns.append(rng.choice(np.concatenate([*pool, [1e30, -1e30]]), n))
    return np.column_stack(columns)


LISTS = ["GreedyRuleListClassifier", "OneRClassifier", "FastFrugalTreeClassifier"]


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("labels", [("no", "yes"), (0, 1), (7, 3)])
@pytest.mark.parametrize("seed", range(3))
def test_lists_decide_as_the_model_does(name, labels, seed):
    library = imodels()
    np.random.seed(seed)  # noqa: NPY002
    X, y = made(seed, labels)
    model = getattr(library, name)().fit(X, y)
    found = from_imodels(model)
    assert isinstance(found, RuleList)
    points = around(found, 3000, seed)
    assert (found.predict(points) == model.predict(points)).all()
    assert (found.predict(X) == model.predict(X)).all()
    assert len(found) == len(model.rules_) - 1


@pytest.mark.parametrize("name", ["SkopeRulesClassifier", "FPSkopeClassifier"])
@pytest.mark.parametrize("seed", range(4))
def test_skope_rules_vote_against_half_of_their_weight(name, seed):
    library = imodels()
    X, y = made(seed)
    if name.startswith("FP"):
        X = (X > 1).astype(int)
    model = getattr(library, name)(random_state=seed).fit(X, y)
    found = from_imodels(model)
    points = around(found, 3000, seed)
    if name.startswith("FP"):
        points = np.random.default_rng(seed).integers(0, 2, (1000, 4)).astype(float)
    assert (found.predict(points, resolve="vote") == model.predict(points)).all()
    assert (found.predict(X, resolve="vote") == model.predict(X)).all()
    assert len(found) == len(model.rules_) + 1
    # every rule contradicts the one for the other half
    assert len(found.conflicts()) == len(model.rules_)


def test_skope_rules_predict_both_classes():
    library = imodels()
    X, y = made(0, noise=0.0)
    model = library.SkopeRulesClassifier(random_state=0, max_depth=2, n_estimators=3).fit(X, y)
    found = from_imodels(model)
    assert set(found.predict(X, resolve="vote")) == set(model.predict(X)) == {"no", "yes"}


def test_half_of_the_weight_is_not_enough():
    library = imodels()
    rule = pytest.importorskip("imodels.util.rule").Rule
    X, y = made(0)
    model = library.SkopeRulesClassifier(random_state=0).fit(X, y)
    points = [[1.0, 1, 0, 0], [1, -1, 0, 0], [-1, 1, 0, 0], [-1, -1, 0, 0]]
    for first, second in ((0.3, 0.3), (0.1, 0.7), (0.7, 0.1), (1 / 3, 1 / 3 + 1e-16)):
        model.rules_without_feature_names_ = [
            rule("X_0 > 0.0", args=(first, 1, 1)),
            rule("X_1 > 0.0", args=(second, 1, 1)),
        ]
        found = from_imodels(model)
        assert found.predict(points, resolve="vote").tolist() == model.predict(points).tolist()
    model.rules_without_feature_names_ = []
    assert set(from_imodels(model).predict(points)) == set(model.predict(points)) == {"no"}


@pytest.mark.parametrize("seed", range(3))
def test_a_bayesian_rule_list_decides_as_the_model_does(seed):
    library = imodels()
    X, y = made(seed)
    X = (X > 1).astype(int)
    model = library.BayesianRuleListClassifier(max_iter=300, random_state=seed).fit(
        X, y, feature_names=["a", "b", "c", "d"]
    )
    found = from_imodels(model)
    points = np.random.default_rng(0).integers(0, 2, (500, 4))
    assert isinstance(found, RuleList)
    assert found.space["a"] == Continuous("a", bounds=(0, 1), kind="integer")
    table = dict(zip("abcd", points.T, strict=True))
    assert (found.predict(table) == model.predict(points)).all()


@pytest.mark.parametrize("seed", range(2))
def test_a_bayesian_rule_set_holds_where_any_rule_does(seed):
    library = imodels()
    X, y = made(seed, (0, 1), noise=0.0)
    X = (X > 1).astype(int)
    model = library.BayesianRuleSetClassifier(
        n_rules=100, supp=5, maxlen=2, num_iterations=100, num_chains=1
    ).fit(X, y, feature_names=["a", "b", "c", "d"])
    found = from_imodels(model)
    points = np.random.default_rng(0).integers(0, 2, (500, 4))
    table = dict(zip("abcd", points.T, strict=True))
    assert (found.predict(table) == model.predict(points)).all()
    assert len(found.conflicts()) == 0
    model.rules_ = [("a", "b_neg"), ("a", "a_neg")]
    assert list(map(str, from_imodels(model))) == ["IF a = 1 AND b = 0 THEN 1"]


@pytest.mark.parametrize("labels", [("no", "yes"), ("p", "q", "r")])
@pytest.mark.parametrize("seed", range(3))
def test_one_tree_of_figs_is_its_leaves(labels, seed):
    library = imodels()
    np.random.seed(seed)  # noqa: NPY002
    X, y = made(seed, labels)
    model = library.FIGSClassifier(max_trees=1, max_rules=8, random_state=seed).fit(X, y)
    assert len(model.trees_) == 1
    found = from_imodels(model)
    assert isinstance(found, RuleSet)
    points = around(found, 2000, seed)
    assert (found.predict(points) == model.predict(points)).all()
    assert len(found.conflicts()) == 0
    assert len(gaps(found)) == 0


def test_names_come_from_the_table_or_the_caller():
    library = imodels()
    pd = pytest.importorskip("pandas")
    X, y = made(0)
    model = library.GreedyRuleListClassifier().fit(pd.DataFrame(X, columns=list("abcd")), y)
    assert from_imodels(model).space.names == tuple("abcd")
    assert from_imodels(model, feature_names=list("stuv")).space.names == tuple("stuv")
    with pytest.raises(SpaceError, match="feature_names must have 4 names, one per feature, got 1"):
        from_imodels(model, feature_names=["a"])


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("RuleFitClassifier", "a RuleFitClassifier adds up weights of rules and of features"),
        ("BoostedRulesClassifier", "a BoostedRulesClassifier adds up weights of stumps"),
        ("SlipperClassifier", "a SlipperClassifier adds up weights of rules"),
        ("FPLassoClassifier", "a FPLassoClassifier adds up weights of rules"),
        ("FIGSRegressor", "a FIGSRegressor predicts numbers"),
        ("GreedyTreeClassifier", "a GreedyTreeClassifier is a tree of scikit-learn; use from_skl"),
        ("SkopeRulesClassifier", "the SkopeRulesClassifier is not fitted; call its fit"),
        ("FIGSClassifier", "the FIGSClassifier is not fitted; call its fit"),
    ],
)
def test_models_without_rules_that_predict_a_class_are_rejected(name, reason):
    with pytest.raises(FormatError, match=reason):
        from_imodels(getattr(imodels(), name)())


def test_sums_and_wrappers_are_rejected():
    library = imodels()
    X, y = made(0)
    y = ((X[:, 0] > 0).astype(int) + (X[:, 1] > 0) + (X[:, 2] > 0)) > 1
    model = library.FIGSClassifier(max_rules=10, random_state=0).fit(X, y)
    assert len(model.trees_) > 1
    with pytest.raises(FormatError, match=r"must have one tree .*, got [0-9]+; fit it with"):
        from_imodels(model)
    with pytest.raises(FormatError, match="try from_sklearn"):
        from_imodels(library.HSTreeClassifier().fit(X, y))
