"""Rules of imodels decide, or vote, as the model does."""

from __future__ import annotations

import numpy as np
import pytest
from points import around, is_partition

from irenic import Continuous, FormatError, RuleList, RuleSet, SpaceError
from irenic.formats.models._imodels import from_imodels

imodels = pytest.importorskip("imodels", exc_type=ImportError)

# Warnings of the library itself.
pytestmark = pytest.mark.filterwarnings("ignore")

NAMES = ["a", "b", "c", "d"]


def made(seed: int, labels: tuple = ("no", "yes"), n: int = 250, noise: float = 0.1):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 4)) * 3, 1)
    codes = ((X[:, 0] > 1) | ((X[:, 1] < 0) & (X[:, 2] > 1))).astype(int)
    if len(labels) > 2:
        codes += X[:, 3] > 1
    codes = np.where(rng.random(n) < noise, rng.integers(0, len(labels), n), codes)
    return X, np.array(labels)[codes]


def check(found, model, *tables, **options):
    """Check that rules and model predict the same for arrays."""
    for X in tables:
        table = dict(zip(found.space.names, X.T, strict=True))
        assert (found.predict(table, **options) == model.predict(X)).all()


def points(found, seed):
    return np.column_stack([*around(found, 2000, seed, far=1e30).values()])


def flags(seed):
    return np.random.default_rng(seed).integers(0, 2, (500, 4))


LISTS = ["GreedyRuleListClassifier", "OneRClassifier", "FastFrugalTreeClassifier"]


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize(("seed", "labels"), [(0, ("no", "yes")), (1, (0, 1)), (2, (7, 3))])
def test_lists_decide_as_the_model_does(name, seed, labels):
    np.random.seed(seed)  # noqa: NPY002
    X, y = made(seed, labels)
    model = getattr(imodels, name)().fit(X, y)
    found = from_imodels(model)
    assert isinstance(found, RuleList)
    check(found, model, points(found, seed), X)
    assert len(found) == len(model.rules_) - 1


@pytest.mark.parametrize("name", ["SkopeRulesClassifier", "FPSkopeClassifier"])
@pytest.mark.parametrize("seed", range(2))
def test_skope_rules_vote_against_half_of_their_weight(name, seed):
    X, y = made(seed)
    if name.startswith("FP"):
        X = (X > 1).astype(int)
    model = getattr(imodels, name)(random_state=seed).fit(X, y)
    found = from_imodels(model)
    near = flags(seed).astype(float) if name.startswith("FP") else points(found, seed)
    check(found, model, near, X, resolve="vote")
    assert len(found) == len(model.rules_) + 1
    # every rule contradicts the one for the other half
    assert len(found.conflicts()) == len(model.rules_)


def test_skope_rules_predict_both_classes():
    X, y = made(0, noise=0.0)
    model = imodels.SkopeRulesClassifier(random_state=0, max_depth=2, n_estimators=3).fit(X, y)
    found = from_imodels(model)
    assert set(found.predict(X, resolve="vote")) == set(model.predict(X)) == {"no", "yes"}


def test_half_of_the_weight_is_not_enough():
    rule = pytest.importorskip("imodels.util.rule").Rule
    model = imodels.SkopeRulesClassifier(random_state=0).fit(*made(0))
    near = np.array([[1.0, 1, 0, 0], [1, -1, 0, 0], [-1, 1, 0, 0], [-1, -1, 0, 0]])
    for first, second in ((0.3, 0.3), (0.1, 0.7), (0.7, 0.1), (1 / 3, 1 / 3 + 1e-16)):
        model.rules_without_feature_names_ = [
            rule("X_0 > 0.0", args=(first, 1, 1)),
            rule("X_1 > 0.0", args=(second, 1, 1)),
        ]
        check(from_imodels(model), model, near, resolve="vote")
    model.rules_without_feature_names_ = []
    assert set(from_imodels(model).predict(near)) == set(model.predict(near)) == {"no"}


@pytest.mark.parametrize("seed", range(2))
def test_bayesian_rules_decide_as_the_model_does(seed):
    X, y = made(seed)
    X = (X > 1).astype(int)
    model = imodels.BayesianRuleListClassifier(max_iter=300, random_state=seed)
    found = from_imodels(model.fit(X, y, feature_names=NAMES))
    assert isinstance(found, RuleList)
    assert found.space["a"] == Continuous("a", bounds=(0, 1), kind="integer")
    check(found, model, flags(0))
    _, y = made(seed, (0, 1), noise=0.0)
    model = imodels.BayesianRuleSetClassifier(
        n_rules=100, supp=5, maxlen=2, num_iterations=100, num_chains=1
    )
    found = from_imodels(model.fit(X, y, feature_names=NAMES))
    check(found, model, flags(0))
    assert len(found.conflicts()) == 0
    model.rules_ = [("a", "b_neg"), ("a", "a_neg")]
    assert list(map(str, from_imodels(model))) == ["IF a = 1 AND b = 0 THEN 1"]


@pytest.mark.parametrize("labels", [("no", "yes"), ("p", "q", "r")])
@pytest.mark.parametrize("seed", range(2))
def test_one_tree_of_figs_is_its_leaves(labels, seed):
    np.random.seed(seed)  # noqa: NPY002
    model = imodels.FIGSClassifier(max_trees=1, max_rules=8, random_state=seed)
    model.fit(*made(seed, labels))
    assert len(model.trees_) == 1
    found = from_imodels(model)
    assert isinstance(found, RuleSet)
    check(found, model, points(found, seed))
    assert is_partition(found)


def test_names_come_from_the_table_or_the_caller():
    pd = pytest.importorskip("pandas")
    X, y = made(0)
    model = imodels.GreedyRuleListClassifier().fit(pd.DataFrame(X, columns=NAMES), y)
    assert from_imodels(model).space.names == tuple("abcd")
    assert from_imodels(model, feature_names=list("stuv")).space.names == tuple("stuv")
    with pytest.raises(SpaceError, match="feature_names must have 4 names, one per feature, got 1"):
        from_imodels(model, feature_names=["a"])


REFUSED = {
    "RuleFitClassifier": "a RuleFitClassifier adds up weights of rules and of features",
    "BoostedRulesClassifier": "a BoostedRulesClassifier adds up weights of stumps",
    "SlipperClassifier": "a SlipperClassifier adds up weights of rules",
    "FPLassoClassifier": "a FPLassoClassifier adds up weights of rules",
    "FIGSRegressor": "a FIGSRegressor predicts numbers",
    "GreedyTreeClassifier": "a GreedyTreeClassifier is a tree of scikit-learn; use from_skl",
    "SkopeRulesClassifier": "the SkopeRulesClassifier is not fitted; call its fit",
    "FIGSClassifier": "the FIGSClassifier is not fitted; call its fit",
}


def test_models_without_rules_that_predict_a_class_are_rejected():
    for name, reason in REFUSED.items():
        with pytest.raises(FormatError, match=reason):
            from_imodels(getattr(imodels, name)())
    X, _ = made(0)
    y = (X[:, :3] > 0).sum(axis=1) > 1
    model = imodels.FIGSClassifier(max_rules=10, random_state=0).fit(X, y)
    assert len(model.trees_) > 1
    with pytest.raises(FormatError, match=r"must have one tree .*, got [0-9]+; fit it with"):
        from_imodels(model)
    with pytest.raises(FormatError, match="try from_sklearn"):
        from_imodels(imodels.HSTreeClassifier().fit(X, y))
