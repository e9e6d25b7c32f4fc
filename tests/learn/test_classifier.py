"""The classifier: laws of what it learns, whatever it is."""

from __future__ import annotations

import math
import pickle
from collections import UserList, deque

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from fitting import check_consistent, people, quick, refused, texts
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import recall_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from irenic import ConditionError, DataError, RuleSetClassifier, gaps
from irenic.learn import Knowledge
from irenic.learn.front import without_coverage
from irenic.model.literals import counted
from strategies import seeds

IRIS = load_iris(return_X_y=True)
PEOPLE = people()
BOTH = pytest.mark.parametrize(("X", "y"), [IRIS, PEOPLE], ids=["iris", "people"])


@pytest.fixture(scope="module")
def of_people():
    return quick().fit(*PEOPLE)


@pytest.fixture(scope="module")
def of_iris():
    return quick().fit(*IRIS)


@pytest.fixture(scope="module")
def moved():
    return quick(moves=500).fit(*PEOPLE)


@parametrize_with_checks([quick()])
def test_scikit_learn_finds_nothing_wrong(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([RuleSetClassifier(generations=1, moves=200)])
def test_scikit_learn_finds_nothing_wrong_with_forests_and_validation(estimator, check):
    check(estimator)


# --- consistency, on the whole space


@pytest.mark.parametrize(
    ("data", "init"),
    [("iris", "trees"), ("people", "trees"), ("wine", "seeds"), ("people", "seeds")],
)
def test_every_rule_set_is_consistent(data, init):
    X, y = {"iris": IRIS, "wine": load_wine(return_X_y=True), "people": PEOPLE}[data]
    clf = quick(init=init, generations=2, moves=500).fit(X, y)
    check_consistent(clf)
    assert len(clf.pareto_front_) > 1
    assert clf.score(X, y) > 0.5


@pytest.mark.parametrize("seed", range(2))
def test_rule_sets_of_noise_are_consistent(seed):
    X, y = people(80, seed, noise=1.0)
    check_consistent(quick(random_state=seed, max_rules=20).fit(X, y))


@pytest.mark.parametrize("conflicts", ["vote", "best"])
def test_rules_may_disagree_if_they_are_let(conflicts):
    X, y = PEOPLE
    clf = quick(conflicts=conflicts, moves=1000).fit(X, y)
    predicted = clf.predict(X)
    assert set(predicted) <= set(clf.classes_)
    assert clf.score(X, y) > 0.5
    assert clf.certificate_.is_consistent == (len(clf.rules_.conflicts()) == 0)
    assert [one.then for one in clf.explain(X)] == predicted.tolist()
    for index, point in enumerate(clf.pareto_front_):
        right = point.rule_set.predict(X, resolve=conflicts) == y
        assert np.mean(right) == pytest.approx(point.training_score)
        chosen = clf.select(index=index)
        likely = chosen.predict_proba(X)
        assert (likely >= 0).all()
        assert likely.sum(axis=1) == pytest.approx(1.0)
        assert clf.classes_[likely.argmax(axis=1)].tolist() == chosen.predict(X).tolist()


@pytest.mark.parametrize("conflicts", ["avoid", "vote", "best"])
@BOTH
def test_a_complete_set_leaves_no_gap_and_predicts_the_same(X, y, conflicts):
    clf = quick(complete=True, conflicts=conflicts).fit(X, y)
    for point in clf.pareto_front_:
        assert gaps(point.rule_set).is_complete is True
        predicted = point.rule_set.predict(X, resolve=None if conflicts == "avoid" else conflicts)
        assert np.mean(predicted == y) == pytest.approx(point.training_score)
    if conflicts == "avoid":
        check_consistent(clf)
        assert clf.certificate_.is_complete is True
        assert str(clf.certificate_) == (
            f"consistent: {counted(len(clf.rules_), 'rule')} without conflicts;"
            " complete: every case is covered by a rule"
        )
        assert all(decision.rules for decision in clf.explain(X))
        plain = quick().fit(X, y).pareto_front_[-1].training_score
        assert clf.pareto_front_[-1].training_score == pytest.approx(plain)


def test_the_certificate_is_about_the_rules_of_the_fit_whenever_it_is_read():
    X, y = IRIS
    clf = quick(max_rules=2).fit(X, y)
    assert "certificate_" not in vars(clf)  # gaps take long to find, and few models need them
    n_rules, found = len(clf.rules_), gaps(clf.rules_)
    certificate = clf.certificate_
    assert clf.certificate_ is certificate
    assert certificate.is_consistent
    assert certificate.is_complete == (len(certificate.gaps) == 0)
    assert certificate.n_rules == n_rules
    assert [str(region) for region in certificate.gaps] == [str(region) for region in found]
    assert certificate.is_complete or "not complete: " in str(certificate)
    assert clf.select(max_rules=0).certificate_.n_rules == 0
    clf.fit(X, y)
    clf.rules_.remove(0)
    assert clf.certificate_.n_rules == n_rules
    assert not hasattr(quick(), "certificate_")


# --- the front


@pytest.mark.parametrize("selection", ["validation", "description"])
def test_the_front(selection):
    X, y = PEOPLE
    clf = quick(selection=selection, moves=500).fit(X, y)
    front = clf.pareto_front_

    def size(point):
        return point.n_rules, point.n_conditions, point.training_score

    assert any(clf.chosen_ is point for point in front)
    assert clf.rules_ is clf.chosen_.rule_set
    for point in front:
        rules, predicted = point.rule_set, point.rule_set.predict(X)
        assert (point.n_rules, point.n_conditions) == (len(rules), rules.n_conditions)
        assert point.explanation_size == pytest.approx(rules.explanation_size(X))
        assert np.mean(predicted == y) == pytest.approx(point.training_score)
        assert math.isnan(point.validated_score) == (selection == "description")
        assert selection == "description" or 0 <= point.validated_score <= 1
        assert repr(point).startswith(f"<FrontPoint: {point.n_rules} rules")
        for r in range(len(rules)):  # every rule changes a prediction
            fewer = rules[[i for i in range(len(rules)) if i != r]]
            assert (fewer.predict(X) != predicted).any()
        assert not any(
            other.n_rules <= point.n_rules
            and other.n_conditions <= point.n_conditions
            and other.training_score >= point.training_score
            and (other.coverage >= point.coverage or size(other) == size(point))
            for other in front
            if other is not point
        )


def test_select_takes_another_set_and_fits_nothing(monkeypatch, moved):
    X, y = PEOPLE
    before, rules, predicted = texts(moved), moved.rules_, moved.predict(X).tolist()
    monkeypatch.setattr(RuleSetClassifier, "fit", None)
    assert len(moved.pareto_front_) > 2
    for index, point in enumerate(moved.pareto_front_):
        most = {"max_rules": point.n_rules, "max_conditions": point.n_conditions}
        for limits in (most, *({name: n} for name, n in most.items())):
            other = moved.select(**limits)
            assert isinstance(other, RuleSetClassifier)
            assert len(other.rules_) <= limits.get("max_rules", np.inf)
            assert other.rules_.n_conditions <= limits.get("max_conditions", np.inf)
            assert other.certificate_.n_rules == len(other.rules_)
            likely = other.predict_proba(X)
            assert likely.shape == (len(y), len(moved.classes_))
            assert (likely >= 0).all()
            assert likely.sum(axis=1) == pytest.approx(1.0)
            assert moved.classes_[likely.argmax(axis=1)].tolist() == other.predict(X).tolist()
        by_index = moved.select(index=np.int64(index))
        assert by_index.chosen_ is point is by_index.pareto_front_.chosen
        assert by_index.rules_ is point.rule_set
        assert (by_index.predict(X) == point.rule_set.predict(X)).all()
    assert moved.rules_ is rules
    assert moved.max_rules is None
    assert moved.predict(X).tolist() == predicted
    assert texts(moved) == before
    assert moved.select().rules_ is moved.rules_


def test_select_refuses_what_is_no_size_or_too_small(moved):
    clf = quick(moves=1000, complete=True).fit(*IRIS)
    with pytest.warns(UserWarning, match="the complete rule set with max_rules=1 predicts 0"):
        assert clf.select(max_rules=1).certificate_.is_complete
    text = (
        "max_rules and max_conditions must admit a rule set of the front, got 0 and None; the"
        " smallest has 1 rule and 0 conditions"
    )
    refused(text, clf.select, max_rules=0, error=ConditionError)
    for name in ("max_rules", "max_conditions", "index"):
        for value in (-1, 2.5, "few", True):
            text = f"{name} must be a non-negative whole number, got {value!r}"
            refused(text, moved.select, error=ConditionError, **{name: value})
    n = len(moved.pareto_front_)
    text = f"index must be at most {n - 1}, got {n}"
    refused(text, moved.select, index=n, error=ConditionError)
    text = "index must not be combined with max_rules, max_conditions or min_coverage"
    refused(text, moved.select, index=0, max_rules=2, error=ConditionError)


def test_rules_for_the_most_frequent_label_are_found():
    # boxes that cover most of the space: to describe what is outside of them takes many rules
    rng = np.random.default_rng(0)
    boxes = [(rng.choice(6, 3, replace=False), rng.uniform(0, 0.4, 3)) for _ in range(4)]

    def labels(X):
        inside = [((X[:, f] >= low) & (X[:, f] < low + 0.6)).all(axis=1) for f, low in boxes]
        return np.where(np.any(inside, axis=0), "in", "out")

    X, new = rng.random((1000, 6)), rng.random((5000, 6))
    y = labels(X)
    assert np.mean(y == "in") > 0.5
    clf = quick(generations=4, moves=1000, smoothing=0.5).fit(X, y)
    assert clf.rules_.default == "out"
    assert len(clf.rules_) <= 6
    assert np.mean(clf.predict(new) == labels(new)) > 0.95


@pytest.mark.parametrize("seed", seeds(1, of=3))
def test_the_front_has_the_rule_that_a_fit_of_one_rule_finds(seed):
    # two regions of the same label, so that evolution would rather take both rules
    rng = np.random.default_rng(seed)
    X = rng.random((400, 4))
    y = ((X[:, 0] < 0.3) & (X[:, 1] < 0.6)) | ((X[:, 0] > 0.7) & (X[:, 2] < 0.6))
    for table, labels in ((X, y), people(100, seed, noise=0.2)):
        options = {"selection": "validation", "moves": 200, "generations": 2, "random_state": seed}
        one = quick(max_rules=1, **options).fit(table, labels)
        selected = quick(**options).fit(table, labels).select(max_rules=1)
        assert str(selected.rules_) == str(one.rules_)
        assert selected.estimate_ == one.estimate_
        assert len(one.rules_) == 1


@pytest.mark.parametrize("n", [1, 3])
def test_sizes_that_are_asked_for(n):
    assert len(quick(max_rules=n).fit(*IRIS).rules_) <= n
    assert quick(max_conditions=n).fit(*IRIS).rules_.n_conditions <= n
    clf = quick(max_rules=n + 1, complete=True).fit(*IRIS)
    assert len(clf.rules_) <= n + 1
    assert clf.certificate_.is_complete


# --- predictions


def test_score_is_the_share_of_right_predictions(of_people):
    X, y = PEOPLE
    right, weight = of_people.predict(X) == y, np.arange(len(y)) + 1.0
    assert of_people.score(X, y) == pytest.approx(right.mean())
    expected = np.average(right, weights=weight)
    assert of_people.score(X, y, sample_weight=weight) == pytest.approx(expected)


def test_abstaining():
    X, y = PEOPLE
    clf = quick(default="abstain", max_rules=3).fit(X, y)
    for point in clf.pareto_front_:
        predicted = point.rule_set.predict(X)
        right = [a is not None and a == b for a, b in zip(predicted, y, strict=True)]
        assert point.training_score == pytest.approx(np.mean(right))
    x = np.linspace(0, 1, 300)[:, None]  # there are rules for all that is clear
    assert quick(default="abstain", moves=1000).fit(x, x[:, 0] > 0.7).score(x, x[:, 0] > 0.7) > 0.9
    clf = clf.select(max_rules=0)
    predicted = clf.predict(X)
    covered = clf.rules_.covering(X).any(axis=1)
    assert not covered.all()
    assert [label is None for label in predicted] == (~covered).tolist()
    right = [a == b for a, b in zip(predicted, y, strict=True)]
    assert clf.score(X, y) == pytest.approx(np.mean(right))
    silent = clf.explain(X)[int((~covered).argmax())]
    assert silent.then is None
    assert silent.rules == ()
    assert silent.text.startswith("nothing is decided: no rule covers this case")
    assert clf.predict_proba(X).sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("conflicts", ["avoid", "best"])
def test_explanations(conflicts):
    X, y = PEOPLE
    clf = quick(max_rules=5, conflicts=conflicts).fit(X, y)
    covering, predicted, explained = clf.rules_.covering(X), clf.predict(X), clf.explain(X)
    for decision, label, row in zip(explained, predicted, covering, strict=True):
        assert decision.then == label
        assert len(decision.support) == len(decision.confidence) == max(1, len(decision.rules))
        assert str(decision) == decision.text
        inside = decision.region.contains(X)
        if not decision.rules:
            assert not row.any()
            reason = f"{label}, by default, because {decision.region} (support "
            assert reason in decision.text
            assert decision.support == (inside.sum(),)
            assert decision.confidence[0] == pytest.approx((y[inside] == label).mean())
            continue
        first = decision.rules[0]
        assert decision.region in clf.rules_[first].region
        assert set(predicted[inside]) == {label}
        figures = zip(decision.rules, decision.support, decision.confidence, strict=True)
        for r, support, confidence in figures:
            assert row[r]
            assert support == covering[:, r].sum()
            right = y[covering[:, r]] == clf.rules_[r].then
            assert confidence == pytest.approx(right.mean())
        assert decision.text.startswith(f"{label}, by rule")
        assert f"because {decision.region} (support" in decision.text


# --- tables


def as_strings(frame):
    return frame.astype(object).where(frame.notna(), None)


def as_rows(frame, make):
    return [make(row) for row in as_strings(frame).itertuples(index=False)]


def same(clf, table, other, y=PEOPLE[1], X=PEOPLE[0]):
    """Assert that a fit of another form of the rows is the same, and return it."""
    again = quick().fit(table, y)
    assert texts(again) == texts(clf)
    assert again.predict(other).tolist() == clf.predict(X).tolist()
    assert again.predict_proba(other).tolist() == clf.predict_proba(X).tolist()
    assert [str(d) for d in again.explain(other)] == [str(d) for d in clf.explain(X)]
    return again


@pytest.mark.parametrize(
    "kind", ["polars", "pyarrow", "dict", "category", "list", "named", "dicts"]
)
def test_tables_of_any_kind_give_the_same_rules(kind, of_people):
    X, y = PEOPLE
    plain = {name: as_strings(X)[name].tolist() for name in X.columns}
    forms = {
        "polars": lambda: pl.DataFrame(plain),
        "pyarrow": lambda: pa.table(plain),
        "dict": lambda: plain,
        "category": lambda: X.assign(job=X["job"].astype("category")),
        "list": lambda: X,
        "named": lambda: as_rows(X, lambda row: row),
        "dicts": lambda: as_rows(X, lambda row: row._asdict()),
    }
    table = forms[kind]()
    clf = same(of_people, table, table, y.tolist() if kind == "list" else y)
    assert of_people.predict(table).tolist() == clf.predict(X).tolist()
    assert clf.feature_names_in_.tolist() == list(X.columns)
    reordered = [dict(reversed(row._asdict().items())) for row in as_rows(X, lambda row: row)]
    assert clf.predict(reordered).tolist() == of_people.predict(X).tolist()


def test_arrays_and_frames_of_numbers_give_the_same_rules(of_iris):
    X, y = IRIS
    names = [f"x{i}" for i in range(4)]
    for table, labels in [
        (pd.DataFrame(X, columns=names), y),
        (pl.DataFrame(X, schema=names), y),
        (X.tolist(), y.tolist()),
        (np.asfortranarray(X), y),
    ]:
        assert texts(quick().fit(table, labels)) == texts(of_iris)
    numbered = pd.DataFrame(X)
    predicted = quick().fit(numbered, y).predict(numbered)
    assert predicted.tolist() == of_iris.predict(X).tolist()


@pytest.mark.parametrize("make", [tuple, list, lambda row: np.array(row, dtype=object)])
def test_rows_keep_the_types_of_their_columns(make):
    X, y = PEOPLE
    rows, array = as_rows(X, make), as_strings(X).to_numpy()
    expected = quick().fit(array, y)
    clf = same(expected, rows, rows, X=array)
    assert clf.space_ == expected.space_
    assert [type(f).__name__ for f in clf.space_] == ["Continuous", "Categorical"] * 2
    assert not hasattr(clf, "feature_names_in_")
    assert clf.n_features_in_ == 4
    for table in (tuple(rows), array):
        assert clf.predict(table).tolist() == expected.predict(array).tolist()


def test_arrays_of_objects_and_large_integers():
    X, y = PEOPLE
    clf = quick().fit(as_strings(X).to_numpy(), y)
    check_consistent(clf)
    renamed = X.set_axis(["x0", "x1", "x2", "x3"], axis=1)
    same(clf, renamed, renamed, X=as_strings(X).to_numpy())
    # numpy would round integers among fractions
    rows = [(2**53 + 1, 0.5), (2, 1.5)] * 10
    with pytest.raises(DataError, match=r"^column 'x0', row 1: 9007199254740993 is beyond 2\*\*53"):
        quick().fit(rows, ["a", "b"] * 10)


def test_categories_are_tested_as_sets():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"job": rng.choice(list("abcdef"), 200), "x": rng.random(200)})
    y = frame["job"].isin(["a", "c", "e"])
    clf = quick().fit(frame, y)
    assert clf.score(frame, y) == 1.0
    assert len(clf.rules_) <= 2
    # some that are declared need not occur
    declared = list("abcdef")
    frame = pd.DataFrame({"c": pd.Categorical(list("abc") * 20, categories=declared)})
    clf = quick().fit(frame, np.arange(60) % 3 == 0)
    assert clf.score(frame, np.arange(60) % 3 == 0) == 1.0
    later = pd.DataFrame({"c": pd.Categorical(["d", None, "a"], categories=declared)})
    assert clf.predict(later)[2]
    assert len(clf.explain(later)) == 3


def test_values_may_be_missing_or_new():
    X, y = people(100, 3)
    X = X.assign(age=X["age"].fillna(30.0), job=X["job"].fillna("cook"))
    clf = quick(complete=True).fit(X, y)
    check_consistent(clf)
    for column, value in [("age", np.nan), ("job", None), ("job", "astronaut"), ("age", 1e6)]:
        changed = X.assign(**{column: value})
        assert set(clf.predict(changed)) <= set(clf.classes_)
        assert (clf.rules_.covering(changed).any(axis=1)).all()
        assert clf.predict_proba(changed).sum(axis=1) == pytest.approx(1.0)
        assert len(clf.explain(changed)) == len(X)
    # what is missing may decide
    x = np.where(np.arange(60) % 3 == 0, np.nan, np.arange(60.0))[:, None]
    clf = quick().fit(x, np.isnan(x[:, 0]))
    assert clf.score(x, np.isnan(x[:, 0])) == 1.0
    assert "missing" in str(clf.rules_)


def test_labels_of_any_type():
    X, y = IRIS
    names = np.array(["setosa", "versi color", "x"], dtype=object)[y]
    for labels in (y.astype(float), y > 0, names, names.astype(str), (y - 5).astype(np.int8)):
        clf = quick().fit(X, labels)
        assert clf.predict(X).dtype == clf.classes_.dtype
        assert clf.score(X, labels) > 0.8
        assert clf.classes_.tolist() == np.unique(labels).tolist()
    assert quick().fit(X, pd.Series(names, dtype="category")).score(X, names) > 0.8


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"smoothing": 0.5, "selection": "validation"},
        {"smoothing": 0.5, "selection": "validation", "class_weight": "balanced"},
    ],
)
def test_a_weight_of_two_is_a_row_given_twice(options):
    X, y = PEOPLE
    weight = np.arange(len(y)) % 3
    rows = np.repeat(np.arange(len(y)), weight)
    one = quick(**options).fit(X, y, sample_weight=weight)
    two = quick(**options).fit(X.iloc[rows], y[rows])
    assert texts(one) == texts(two)
    assert one.predict_proba(X) == pytest.approx(two.predict_proba(X))


# --- weights


def test_support_and_confidence_are_those_of_rows_whatever_their_weights():
    X, y = PEOPLE
    weight = np.arange(len(y)) % 3 + 0.25
    clf = quick().fit(X, y, sample_weight=weight)
    covers, counts = clf.rules_.covering(X), clf.chosen_.counts
    for place, rule in enumerate(clf.rules_):
        held = y[covers[:, place]]
        assert counts.support[place] == len(held)
        assert counts.confidence[place] == pytest.approx((held == rule.then).mean())
        assert counts.mix[place].tolist() == [(held == label).sum() for label in clf.classes_]
    left = ~covers.any(axis=1)
    assert counts.support[-1] == left.sum()
    for one, case in zip(clf.explain(X), covers, strict=True):
        assert one.support[0] == one.region.contains(X).sum()
        assert case.any() == bool(one.rules)
        assert f"support {one.support[0]}, " in one.text
    # probabilities are by weight, moved by one row towards those of all rows
    overall = np.array([weight[y == label].sum() for label in clf.classes_]) / weight.sum()
    for held, found in zip([*covers.T, left], counts.frequencies, strict=True):
        mix = np.array([weight[held & (y == label)].sum() for label in clf.classes_])
        assert found == pytest.approx((mix + overall) / (weight[held].sum() + 1))


def test_cases_that_recur_are_learned_and_validated():
    # category is a function of product, so most combinations never occur
    rng = np.random.default_rng(0)
    product = rng.integers(0, 30, 1500)
    likes = np.isin(product, rng.permutation(30)[:12]) ^ (rng.random(1500) < 0.1)
    X = {"product": [f"p{i}" for i in product], "category": [f"c{i % 7}" for i in product]}
    clf = quick(smoothing=0.5, selection="validation", moves=1000, generations=2).fit(X, likes)
    assert clf.score(X, likes) > 0.85
    assert clf.chosen_.validated_score == pytest.approx(clf.score(X, likes), abs=0.05)


def test_the_scale_of_weights_does_not_matter_much():
    X, y = IRIS
    for scale in (1e-9, 1 / 150, 1e6):
        clf = quick(moves=500).fit(X, y, sample_weight=np.full(150, scale))
        assert clf.score(X, y) > 0.9
        assert clf.predict_proba(X).max() > 0.9


def test_weights_do_not_leak_into_validation():
    # labels that nothing tells: a copy of a row on both sides would be "validated" as right
    rng = np.random.default_rng(0)
    X, y = rng.random((240, 6)), np.arange(240) % 4 == 0
    options = {"smoothing": 0.5, "selection": "validation", "generations": 2, "moves": 1000}
    for clf in (
        quick(class_weight={True: 10, False: 10}, **options).fit(X, y),
        quick(**options).fit(X, y, sample_weight=np.full(240, 10)),
        quick(**options).fit(X, y, sample_weight=np.full(240, 10.01)),
    ):
        assert clf.chosen_.validated_score < 0.8
        assert len(clf.rules_) <= 3


def test_class_weights_raise_the_recall_of_a_rare_class():
    rng = np.random.default_rng(0)
    x = rng.random((400, 2))
    rare = (x[:, 0] > 0.8) & (rng.random(400) < 0.3)
    plain, balanced, named = (
        recall_score(rare, quick(max_rules=3, class_weight=weight).fit(x, rare).predict(x))
        for weight in (None, "balanced", {True: 20.0, False: 1.0})
    )
    assert balanced > plain < named


def test_rows_that_are_alike_are_not_left_out_together():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (600, 2))
    y = X[:, 0] ^ (rng.random(600) < 0.3)
    possible = (X[:, 0] == y).mean()
    for smoothing in (0.0, 0.5):
        clf = quick(smoothing=smoothing, selection="validation").fit(X, y)
        assert clf.score(X, y) == pytest.approx(possible)
        # four kinds of rows and two labels: what is left out is told by what is not
        assert clf.chosen_.validated_score == pytest.approx(possible, abs=0.05)


# --- as an estimator


@pytest.mark.parametrize(("seed", "size"), [(0, 1), (1, 3)])
def test_a_small_rule_set_of_a_front_is_nearly_as_good_as_one_that_was_asked_for(seed, size):
    rng = np.random.default_rng(seed)
    X = rng.random((300, 6))
    y = ((X[:, 0] > 0.6) & (X[:, 1] > 0.4) | (X[:, 2] > 0.8)) ^ (rng.random(300) < 0.1)
    options = {"generations": 2, "selection": "validation", "smoothing": 0.5, "moves": 500}
    clf, asked = (quick(max_rules=most, **options).fit(X, y) for most in (None, size))
    for score in ("training_score", "validated_score"):
        best, other = (
            max(getattr(p, score) for p in model.pareto_front_ if p.n_rules <= size)
            for model in (clf, asked)
        )
        assert best >= other - 0.03
    chosen = clf.select(max_rules=size).chosen_
    assert 1 <= chosen.n_rules <= size
    # sets that are only there because their rules decide more rows are not chosen
    small = without_coverage([p for p in clf.pareto_front_ if p.n_rules <= size])
    assert chosen.validated_score == max(p.validated_score for p in small)


def test_groups_of_parameters_can_be_varied_and_are_not_changed():
    known = Knowledge(forbidden=["job"])
    clf = RuleSetClassifier(knowledge=known, moves=50, generations=1, selection="description")
    clf.set_params(knowledge__max_values=2)
    assert repr(clf.knowledge) == "Knowledge(forbidden=['job'], max_values=2)"
    assert (known.max_values, clone(clf).knowledge.max_values) == (None, 2)
    grid = {"evolution__smoothing": [0.0, 1.0], "knowledge__never": [None, "high WHERE age < 30"]}
    search = GridSearchCV(clf, grid, cv=2).fit(*people())
    assert len(search.cv_results_["params"]) == 4
    assert (clf.evolution, known.never) == (None, None)
    with pytest.raises(ConditionError, match="Knowledge has no parameter 'nevr'; did you mean"):
        clf.set_params(knowledge__nevr="high WHERE age < 30")


def test_parameters_and_pickles(of_people):
    clf = RuleSetClassifier(max_rules=3, evolution={"init": "seeds"})
    assert clone(clf).get_params() == clf.get_params()
    assert clf.set_params(max_rules=5).max_rules == 5
    assert "max_rules=5" in repr(clf)
    again = pickle.loads(pickle.dumps(of_people))
    assert again.predict(PEOPLE[0]).tolist() == of_people.predict(PEOPLE[0]).tolist()
    assert texts(again) == texts(of_people)
    assert str(again.certificate_) == str(of_people.certificate_)


def test_in_pipelines_and_searches():
    X, y = IRIS
    assert make_pipeline(StandardScaler(), quick()).fit(X, y).score(X, y) > 0.8
    search = GridSearchCV(quick(), {"max_rules": [1, 3]}, cv=2).fit(X, y)
    assert search.best_params_ == {"max_rules": 3}
    assert np.isfinite(cross_val_score(quick(), *PEOPLE, cv=2, scoring="neg_log_loss")).all()
    assert 0.5 < cross_val_score(quick(), X, y == 0, cv=2, scoring="roc_auc").mean() <= 1


def test_the_same_seed_gives_the_same_rules(of_people):
    assert texts(quick().fit(*PEOPLE)) == texts(of_people)
    states = (np.random.RandomState(3) for _ in range(2))
    first, second = (quick(random_state=state).fit(*PEOPLE) for state in states)
    assert texts(first) == texts(second)
    assert quick(random_state=None).fit(*PEOPLE).score(*PEOPLE) > 0.5


def test_a_column_of_names_tells_nothing():
    rng = np.random.default_rng(0)
    names = [f"n{i}" for i in range(200)]
    y = rng.integers(0, 2, 200)
    few = {"selection": "validation", "moves": 500, "forbidden": []}
    clf = quick(**few).fit({"name": names, "x": rng.random(200)}, y)
    assert clf.chosen_.validated_score < 0.65
    assert not any("name" in rule.region.conditions() for rule in clf.rules_)


@pytest.mark.parametrize("kind", [list, tuple, deque, UserList])
def test_numbers_beside_text_stay_numbers_in_rows(kind):
    rows = kind([(0.63, "b"), (0.27, "a"), (0.9, "a"), (0.11, "b")] * 5)
    clf = quick().fit(rows, [True, False, True, False] * 5)
    assert [type(feature).__name__ for feature in clf.space_] == ["Continuous", "Categorical"]
    assert clf.predict(kind([(0.7, "a"), (0.2, "b")])).tolist() == [True, False]
