"""What depends on each column, and the limits of the training values."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel

import irenic
from irenic import RuleSetClassifier
from irenic.errors import FormatError
from irenic.learn._columns import column_figures
from irenic.model.space import Instances
from irenic.model.spaces import names_tested
from irenic.systems import MichiganClassifier, PittsburghClassifier
from tests.learn.fitting import people, quick
from tests.strategies import consistent_rule_sets

X, Y = people()


@pytest.fixture(scope="module")
def fitted():
    return quick().fit(X, Y)


def naive_importance(rules, instances, name, weight):
    """Return the share of predictions that change, trying every value for every row."""
    usual = rules.predict(instances).tolist()
    row = rules.space.row(name)
    is_number = rules.space[name] in rules.space.continuous
    total = 0.0
    for donor in range(len(instances)):
        values, codes = instances.values.copy(), instances.codes.copy()
        part = values if is_number else codes
        part[row] = part[row, donor]
        other = rules.predict(Instances(rules.space, values, codes)).tolist()
        for place, (a, b) in enumerate(zip(usual, other, strict=True)):
            total += weight[donor] * weight[place] * (a != b)
    return total / weight.sum() ** 2


@given(st.data())
def test_importances_are_those_of_all_pairs_of_rows(data):
    rules = data.draw(consistent_rule_sets(max_features=3, default="other"))
    seed = data.draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n = data.draw(st.integers(1, 12))
    space = rules.space
    values = rng.integers(-3, 4, (len(space.continuous), n)).astype(float)
    values[rng.random(values.shape) < 0.1] = -np.inf
    codes = [rng.integers(0, size, n) for size in space.n_codes]
    codes = np.array(codes, dtype=np.int32).reshape(len(space.categorical), n)
    instances = Instances(space, values, codes)
    weight = rng.integers(1, 4, n).astype(float)
    figures = column_figures(rules, instances, weight)
    for name in space.names:
        expected = naive_importance(rules, instances, name, weight)
        got = figures[name].importance if name in figures else 0.0
        assert got == pytest.approx(expected, abs=1e-12)


def test_importances_follow_the_rule_set_in_use(fitted):
    importances = fitted.feature_importances_
    assert importances.sum() == pytest.approx(1.0)
    assert (importances >= 0).all()
    assert importances.tolist() == quick().fit(X, Y).feature_importances_.tolist()
    tested = names_tested(fitted.rules_)
    assert {name for name, share in zip(X, importances, strict=True) if share} <= tested
    assert fitted.select(max_rules=0).feature_importances_.tolist() == [0.0] * 4
    assert fitted.feature_importances_.tolist() == importances.tolist()
    assert not hasattr(RuleSetClassifier(), "feature_importances_")
    with pytest.raises(NotFittedError):
        _ = RuleSetClassifier().feature_importances_


def test_scikit_learn_selects_features_by_them():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(200, 4))
    selected = SelectFromModel(quick()).fit(A, A[:, 2] > 0.3).get_support()
    assert selected.tolist() == [False, False, True, False]


@pytest.mark.parametrize(
    "classifier",
    [
        MichiganClassifier(steps=300, random_state=0),
        PittsburghClassifier(generations=2, population_size=20, random_state=0),
        PittsburghClassifier(generations=2, heads="partial", random_state=0),
        quick(conflicts="vote"),
        quick(conflicts="best"),
    ],
)
def test_every_classifier_has_importances(classifier):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(120, 3))
    y = (A[:, 0] > 0).astype(int)
    if getattr(classifier, "heads", "") == "partial":
        y = np.column_stack([y, 1 - y])
    importances = classifier.fit(A, y).feature_importances_
    assert importances.sum() == pytest.approx(1.0)
    assert importances.argmax() == 0


def test_limits_are_those_of_the_training_rows_and_stay_in_files(fitted):
    for name, figures in fitted.chosen_.columns.items():
        assert (figures.missing, figures.other) == (X[name].isna().sum(), 0)
        if name in ("age", "income"):
            assert (figures.low, figures.high) == (X[name].min(), X[name].max())
    text = irenic.dumps(fitted, format="json")
    again = irenic.read_model(text)
    assert again.feature_importances_.tolist() == fitted.feature_importances_.tolist()
    for before, after in zip(fitted.pareto_front_, again.pareto_front_, strict=True):
        assert dict(after.columns) == dict(before.columns)
    # the model of an older version has none
    data = json.loads(text)
    for point in data["model"]["front"]:
        del point["columns"]
    old = irenic.read_model(json.dumps(data, indent=1))
    assert not hasattr(old, "feature_importances_")
    with pytest.raises(AttributeError, match="because an older version wrote the model"):
        _ = old.feature_importances_
    for columns, message in [
        ([], r'"columns" must be an object, got \[\]'),
        ({"agee": {}}, "\"columns\" must name features of the space, got 'agee'"),
        ({"age": {"low": 1}}, "\"columns\": 'age' must have the keys importance, low, high"),
    ]:
        data["model"]["front"][0]["columns"] = columns
        with pytest.raises(FormatError, match=message):
            irenic.read_model(json.dumps(data, indent=1))
