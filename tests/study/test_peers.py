"""What the peers' coverings say must be what their libraries do; a missing library is skipped."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("benchmarks", reason="benchmarks/ is not on the path")

from benchmarks import evolved_peers, imodels_peers, peers, rule_peers
from benchmarks.fitted import objects

# The libraries' own warnings are not ours to mend.
pytestmark = pytest.mark.filterwarnings("ignore")

MODULES = {
    "lightgbm": "lightgbm",
    "ripper": "wittgenstein",
    "cn2-unordered": "Orange",
    "cn2-ordered": "Orange",
    "rulekit": "rulekit",
    "boomer": "mlrl.boosting",
    "rulefit": "imodels",
    "skope-rules": "imodels",
    "figs": "imodels",
    "greedy-rule-list": "imodels",
    "streed": "pystreed",
    "licketysplit": "licketysplit",
    "xcs": "skXCS",
    "exstracs": "skExSTraCS",
    "fuzzy-rules": "ex_fuzzy",
}
SIZELESS = {"random forest", "lightgbm"}
STATING = set(peers.PEERS) - SIZELESS - {"figs"}


@pytest.fixture(autouse=True)
def _short_evolution(monkeypatch):
    monkeypatch.setattr(evolved_peers, "ITERATIONS", 2000)


def made(classes: int, n: int = 240, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    a, b = rng.random(n) * 10, rng.normal(size=n)
    c = rng.choice(["x", "y", "z"], n)
    d = rng.choice(["no", "yes"], n)
    X = pd.DataFrame({"a": a, "b, [odd]": b, "c": pd.Categorical(c), "d": pd.Categorical(d)})
    codes = (a > 4).astype(int) + (c == "x") * (b > 0)
    codes = np.where(rng.random(n) < 0.08, rng.integers(0, 3, n), codes)
    X.loc[rng.random(n) < 0.05, "a"] = np.nan
    X.loc[rng.random(n) < 0.05, "c"] = np.nan
    names = np.array(["1", "two", "three"], dtype=object)
    return X, names[np.minimum(codes, classes - 1)]


def split(classes: int):
    X, y = made(classes)
    return X.iloc[:160], y[:160], X.iloc[160:]


def learner(name: str) -> peers.Learner:
    if name in MODULES:
        pytest.importorskip(MODULES[name], exc_type=ImportError)
    return peers.PEERS[name]


@cache
def fit(name, classes):
    """Return a fitted peer and its test rows; what it holds is read, not changed."""
    X, y, X_test = split(classes)
    return learner(name)(X, y), X_test


def keeping(monkeypatch, library, name):
    """Return the models that a class of a library fits from now on, each with its table."""
    kept = []

    class Kept(getattr(library, name)):
        def fit(self, x, *rest, **options):
            kept.append((self, x))
            return super().fit(x, *rest, **options)

    monkeypatch.setattr(library, name, Kept)
    return kept


def first_stated(holds: np.ndarray, thens: np.ndarray, default: object) -> np.ndarray:
    return np.where(holds.any(axis=1), thens[holds.argmax(axis=1)], default)


def single(holds: np.ndarray, thens: np.ndarray) -> list[object]:
    """Return the class that all rules of a row state, None where there are none or several."""
    stated = [set(thens[row]) for row in holds]
    return [min(found) if len(found) == 1 else None for found in stated]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", peers.PEERS)
def test_a_peer_predicts_better_than_the_majority_and_knows_its_rules(name, classes):
    fitted, X_test = fit(name, classes)
    found = np.asarray(fitted.predict(X_test), dtype=object)
    y = made(classes)[1]
    truth = y[160:]
    assert set(found) <= set(y[:160])
    assert np.mean(found == truth) > max(np.unique(truth, return_counts=True)[1]) / len(truth)
    if name not in SIZELESS:
        size = fitted.size()
        assert size["rules"] >= 2
        assert size["conditions"] >= max(1, size.get("merged", 0))
    if name not in STATING:
        assert fitted.covering is None
        return
    # a covering has a column and a class for each rule
    holds, thens = fitted.covering(X_test)
    assert holds.dtype == bool
    assert holds.shape == (len(X_test), len(thens))
    assert set(thens) <= set(y[:160])
    # a row is covered and decided alike alone and among others
    for i in range(0, len(X_test), 9):
        row = X_test.iloc[i : i + 1]
        assert (fitted.covering(row)[0] == holds[i]).all()
        assert fitted.predict(row)[0] == found[i]


@pytest.mark.parametrize("name", sorted(STATING))
def test_the_same_data_give_the_same_model(name):
    fitted, X_test = fit(name, 3)
    X, y, _ = split(3)
    (holds, thens), (again, thens_again) = (
        one.covering(X_test) for one in (fitted, learner(name)(X, y))
    )
    assert (holds == again).all()
    assert (thens == thens_again).all()


@pytest.mark.parametrize("name", ["pruned", "streed", "licketysplit"])
def test_a_leaf_covers_each_row_and_decides_it(name):
    fitted, X_test = fit(name, 3)
    holds, thens = fitted.covering(X_test)
    assert (holds.sum(axis=1) == 1).all()
    assert (thens[holds.argmax(axis=1)] == fitted.predict(X_test)).all()
    assert fitted.size()["rules"] == len(thens)


def test_our_rules_never_contradict_each_other_and_decide():
    X, y, X_test = split(3)
    fitted = peers.ours(X, y)
    holds, thens = fitted.covering(X_test)
    assert all(len(set(thens[row])) <= 1 for row in holds)
    stated = first_stated(holds, thens, None)
    covered = holds.any(axis=1)
    assert covered.any()
    assert (stated[covered] == fitted.predict(X_test)[covered]).all()


def test_ripper_of_two_classes_is_positive_where_any_rule_holds():
    fitted, X_test = fit("ripper", 2)
    holds, thens = fitted.covering(X_test)
    (positive,) = set(thens)
    (other,) = set(split(2)[1]) - {positive}
    assert (first_stated(holds, thens, other) == fitted.predict(X_test)).all()


def test_ripper_is_what_the_library_predicts(monkeypatch):
    wittgenstein = pytest.importorskip("wittgenstein")
    kept = keeping(monkeypatch, wittgenstein, "RIPPER")
    # Without missing values the library sees the rows as they are.
    X, y = made(3)
    known = X.notna().all(axis=1).to_numpy()
    X, y = X[known].astype({"c": object, "d": object}).reset_index(drop=True), y[known]
    fitted = rule_peers.ripper(X, y)
    holds, thens = fitted.covering(X)
    models = [model for model, _ in kept]
    assert len(models) == 3
    scores = []
    for model in models:
        own = np.asarray(model.predict(X), dtype=bool)
        label = thens[sum(len(m.ruleset_.rules) for m in models[: models.index(model)])]
        assert (holds[:, thens == label].any(axis=1) == own).all()
        scores.append(np.where(own, np.asarray(model.predict_proba(X))[:, -1], -1.0))
    scores = np.column_stack(scores)
    labels = np.array(list(dict.fromkeys(thens)), dtype=object)
    covered = scores.max(axis=1) >= 0
    assert (fitted.predict(X)[covered] == labels[scores.argmax(axis=1)][covered]).all()


@pytest.mark.parametrize(
    ("name", "classes"), [("cn2-ordered", 2), ("cn2-ordered", 3), ("greedy-rule-list", 2)]
)
def test_the_first_rule_that_holds_decides_in_a_list(name, classes):
    fitted, X_test = fit(name, classes)
    holds, thens = fitted.covering(X_test)
    covered = holds.any(axis=1)
    assert (first_stated(holds, thens, None) == fitted.predict(X_test))[covered].all()
    assert len(set(fitted.predict(X_test)[~covered])) <= 1


@pytest.mark.parametrize("name", ["cn2-unordered", "rulekit"])
@pytest.mark.parametrize("classes", [2, 3])
def test_rules_of_one_class_decide_and_without_a_rule_there_is_one_default(name, classes):
    fitted, X_test = fit(name, classes)
    holds, thens = fitted.covering(X_test)
    found = fitted.predict(X_test)
    agreed = [(a, b) for a, b in zip(single(holds, thens), found, strict=True) if a is not None]
    assert agreed
    assert all(stated == predicted for stated, predicted in agreed)
    assert len(set(found[~holds.any(axis=1)])) <= 1


@pytest.mark.parametrize("name", ["RuleFitClassifier", "SkopeRulesClassifier"])
def test_rules_of_imodels_hold_where_the_library_adds_their_weight(name):
    imodels = pytest.importorskip("imodels", exc_type=ImportError)
    X, y, X_test = split(3)
    make = getattr(imodels, name)
    model = imodels_peers.OneVsRest(lambda: make(random_state=0), X, y)
    table = model.columns(X_test)
    for one in model.models:
        holds = imodels_peers.holding(imodels_peers.bodies_of(one), table)
        weights = np.array([rule.args[0] for rule in one.rules_without_feature_names_])
        np.testing.assert_allclose(holds @ weights, one._eval_weighted_rule_sum(table))


@pytest.mark.parametrize("classes", [2, 3])
def test_scores_of_boomer_are_the_sums_over_the_rules_that_hold(classes, monkeypatch):
    boosting = pytest.importorskip("mlrl.boosting", exc_type=ImportError)
    kept = keeping(monkeypatch, boosting, "BoomerClassifier")
    X, y, _ = split(classes)
    holds, _ = rule_peers.boomer(X, y).covering(X)
    ((model, table),) = kept
    bodies, heads = rule_peers._boomer_rules(model.model_, 1 if classes == 2 else classes)
    has_body = np.array([bool(body) for body in bodies])
    sums = holds @ heads[has_body] + heads[~has_body].sum(axis=0)
    np.testing.assert_allclose(sums, model.predict(table, predict_scores=True), atol=1e-4)


@pytest.mark.parametrize(("name", "module"), [("xcs", "XCS"), ("exstracs", "ExSTraCS")])
def test_rules_of_classifier_systems_hold_where_the_library_matches_them(name, module, monkeypatch):
    library = pytest.importorskip(MODULES[name])
    kept = keeping(monkeypatch, library, module)
    X, y, X_test = split(3)
    fitted = peers.PEERS[name](X, y)
    holds, thens = fitted.covering(X_test)
    ((model, _),) = kept
    rules = model.population.popSet
    stating = [rule for rule in rules if evolved_peers._states_its_class(rule, model)]
    # XCS also keeps rules for classes that are wrong; they count, but do not predict.
    assert (len(stating) < len(rules)) == (name == "xcs")
    assert fitted.size()["rules"] == len(rules) + 1
    # Numbers have bounds, categories are compared.
    assert list(map(bool, model.env.formatData.attributeInfoType)) == [True, True, False, False]
    table = evolved_peers.coded(X_test)
    for i, row in enumerate(table):
        given = (row, model) if name == "xcs" else (model, row)
        assert [rule.match(*given) for rule in stating] == holds[i].tolist()
    code = "action" if name == "xcs" else "phenotype"
    names = {getattr(rule, code): then for rule, then in zip(stating, thens, strict=True)}
    own = [names[found] for found in model.predict(table)]
    covered = holds.any(axis=1)
    assert covered.any()
    assert (fitted.predict(X_test)[covered] == objects(own)[covered]).all()


@pytest.mark.parametrize("name", ["xcs", "exstracs"])
def test_classifier_systems_predict_the_most_frequent_class_where_no_rule_holds(name):
    X, y, X_test = split(3)
    # The most frequent class is neither the first nor the last one.
    y = np.where(y == "two", "b", np.where(y == "1", "c", "a")).astype(object)
    rare = (y == "c") & (np.arange(len(y)) % 3 > 0)
    X, y = X[~rare], y[~rare]
    labels, counts = np.unique(y, return_counts=True)
    assert labels[counts.argmax()] == "b"
    fitted = learner(name)(X, y)
    unknown = X_test.iloc[:3].copy()
    unknown.loc[:, :] = np.nan
    assert not fitted.covering(unknown)[0].any()
    assert list(fitted.predict(unknown)) == ["b"] * 3


def test_bounds_beyond_all_training_values_do_not_count(monkeypatch):
    library = pytest.importorskip("skXCS")
    kept = keeping(monkeypatch, library, "XCS")
    X, y, _ = split(2)
    counted = evolved_peers.xcs(X, y).size()["conditions"]
    expected = 0
    for rule in kept[0][0].population.popSet:
        for c, wanted in zip(rule.specifiedAttList, rule.condition, strict=True):
            if isinstance(wanted, list):
                known = X.iloc[:, c].dropna()
                excluding = sum([(known <= wanted[0]).any(), (known >= wanted[1]).any()])
                expected += max(1, excluding)
            else:
                expected += 1
    assert counted == expected


def test_fuzzy_rules_hold_where_the_product_of_memberships_is_at_least_half(monkeypatch):
    library = pytest.importorskip("ex_fuzzy")
    kept = keeping(monkeypatch, library, "BaseFuzzyRulesClassifier")
    X, y, _ = split(3)
    fitted = evolved_peers.fuzzy_rules(X, y)
    ((model, table),) = kept
    assert not np.isnan(table).any()
    holds, thens = fitted.covering(X)
    rules = model.rule_base.get_rules()
    sets = model.rule_base.get_antecedents()
    degrees = np.ones((len(table), len(rules)))
    n_conditions = 0
    for i, rule in enumerate(rules):
        for c, term in enumerate(np.asarray(rule.antecedents, dtype=int)):
            if term >= 0:
                degrees[:, i] *= sets[c][term].membership(table[:, c])
                n_conditions += 1
    assert (holds == (degrees >= 0.5)).all()
    assert fitted.size() == {"rules": len(rules), "conditions": n_conditions}
    # The largest weighted degree decides.
    weighted = degrees * model.rule_base.get_scores()
    fires = weighted.max(axis=1) > 0
    assert fires.any()
    assert (thens[weighted.argmax(axis=1)] == fitted.predict(X))[fires].all()


def test_every_name_has_a_package():
    for name in ["ours", "ours 4", *peers.TREES, *peers.PEERS]:
        assert peers.package_of(name)
    assert peers.package_of("nobody") is None
