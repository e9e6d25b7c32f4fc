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
from fitting import check_consistent, people, quick, texts
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.metrics import recall_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from irenic import ConditionError, DataError, RuleSetClassifier, gaps
from irenic.learn import Decision
from irenic.learn.front import without_coverage
from irenic.model.literals import counted
from strategies import examples

IRIS = load_iris(return_X_y=True)
PEOPLE = people()


@parametrize_with_checks([quick()])
def test_scikit_learn_finds_nothing_wrong(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([RuleSetClassifier(generations=1, moves=200)])
def test_scikit_learn_finds_nothing_wrong_with_forests_and_validation(estimator, check):
    check(estimator)


# --- consistency, on the whole space


@pytest.mark.parametrize("init", ["trees", "seeds"])
@pytest.mark.parametrize("data", ["iris", "wine", "people"])
def test_every_rule_set_is_consistent(data, init):
    X, y = {"iris": IRIS, "wine": load_wine(return_X_y=True), "people": PEOPLE}[data]
    clf = quick(init=init, generations=2, moves=500).fit(X, y)
    check_consistent(clf)
    assert len(clf.pareto_front_) > 1
    assert clf.score(X, y) > 0.5


@pytest.mark.parametrize("seed", range(4))
def test_rule_sets_of_noise_are_consistent(seed):
    X, y = people(80, seed, noise=1.0)
    check_consistent(quick(random_state=seed, max_rules=20).fit(X, y))


@pytest.mark.parametrize("conflicts", ["vote", "best"])
@pytest.mark.parametrize(("X", "y"), [IRIS, PEOPLE])
def test_rules_may_disagree_if_they_are_let(X, y, conflicts):
    clf = quick(conflicts=conflicts, moves=1000).fit(X, y)
    said = clf.predict(X)
    assert set(said) <= set(clf.classes_)
    assert clf.score(X, y) > 0.5
    assert clf.certificate_.is_consistent == (len(clf.rules_.conflicts()) == 0)
    for one, label in zip(clf.explain(X), said, strict=True):
        assert one.then == label
    for point in clf.pareto_front_:
        told = point.rule_set.predict(X, resolve=conflicts)
        assert np.mean(told == y) == pytest.approx(point.training_score)


@pytest.mark.parametrize(("X", "y"), [IRIS, PEOPLE])
def test_a_complete_set_leaves_no_gap(X, y):
    clf = quick(complete=True).fit(X, y)
    check_consistent(clf)
    for point in clf.pareto_front_:
        assert gaps(point.rule_set).is_complete is True
    assert clf.certificate_.is_complete is True
    assert str(clf.certificate_) == (
        f"consistent: {counted(len(clf.rules_), 'rule')} without conflicts;"
        " complete: every case is covered by a rule"
    )
    assert all(decision.rules for decision in clf.explain(X))


@pytest.mark.parametrize("conflicts", ["vote", "best"])
def test_a_complete_set_that_disagrees_leaves_no_gap_either(conflicts):
    clf = quick(complete=True, conflicts=conflicts).fit(*IRIS)
    assert all(gaps(point.rule_set).is_complete for point in clf.pareto_front_)


def test_completing_changes_no_prediction():
    X, y = PEOPLE
    one, two = quick().fit(X, y), quick(complete=True).fit(X, y)
    assert [p.training_score for p in one.pareto_front_][-1] == pytest.approx(
        [p.training_score for p in two.pareto_front_][-1]
    )
    for point in two.pareto_front_:
        assert np.mean(point.rule_set.predict(X) == y) == pytest.approx(point.training_score)


def test_the_certificate_says_where_it_is_silent():
    X, y = IRIS
    clf = quick(max_rules=2).fit(X, y)
    certificate = clf.certificate_
    assert certificate.is_consistent
    assert certificate.is_complete == (len(certificate.gaps) == 0)
    assert certificate.n_rules == len(clf.rules_)
    found = gaps(clf.rules_)
    assert [str(region) for region in certificate.gaps] == [str(region) for region in found]
    assert certificate.is_complete or "not complete: " in str(certificate)


def test_the_certificate_is_about_the_rules_of_the_fit_whenever_it_is_read():
    X, y = IRIS
    clf = quick(max_rules=2).fit(X, y)
    assert "certificate_" not in vars(clf)  # gaps take long to find, and few models need them
    n_rules = len(clf.rules_)
    assert clf.certificate_ is clf.certificate_
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
        assert point.n_rules == len(point.rule_set)
        assert point.n_conditions == point.rule_set.n_conditions
        assert point.explanation_size == pytest.approx(point.rule_set.explanation_size(X))
        assert np.mean(point.rule_set.predict(X) == y) == pytest.approx(point.training_score)
        assert math.isnan(point.validated_score) == (selection == "description")
        assert selection == "description" or 0 <= point.validated_score <= 1
        assert repr(point).startswith(f"<FrontPoint: {point.n_rules} rules")
        assert not any(
            other.n_rules <= point.n_rules
            and other.n_conditions <= point.n_conditions
            and other.training_score >= point.training_score
            and (other.coverage >= point.coverage or size(other) == size(point))
            for other in front
            if other is not point
        )


def test_select_takes_another_set_and_fits_nothing(monkeypatch):
    X, y = PEOPLE
    clf = quick(moves=500).fit(X, y)
    before, front = texts(clf), list(clf.pareto_front_)
    rules, said = clf.rules_, clf.predict(X)
    monkeypatch.setattr(RuleSetClassifier, "fit", None)
    for point in front:
        other = clf.select(max_rules=point.n_rules, max_conditions=point.n_conditions)
        assert isinstance(other, RuleSetClassifier)
        assert len(other.rules_) <= point.n_rules
        assert other.rules_.n_conditions <= point.n_conditions
        assert set(other.predict(X)) <= set(clf.classes_)
        assert other.predict_proba(X).shape == (len(y), len(clf.classes_))
        assert other.certificate_.n_rules == len(other.rules_)
        by_rules = clf.select(max_rules=point.n_rules)
        assert len(by_rules.rules_) <= point.n_rules
        by_conditions = clf.select(max_conditions=point.n_conditions)
        assert by_conditions.rules_.n_conditions <= point.n_conditions
    assert clf.rules_ is rules
    assert clf.max_rules is None
    assert clf.predict(X).tolist() == said.tolist()
    assert texts(clf) == before
    assert clf.select().rules_ is clf.rules_


def test_select_refuses_what_is_too_small():
    X, y = IRIS
    clf = quick(moves=1000, complete=True).fit(X, y)
    with pytest.warns(UserWarning, match="the complete rule set with max_rules=1 predicts 0"):
        assert clf.select(max_rules=1).certificate_.is_complete
    with pytest.raises(ConditionError) as caught:
        clf.select(max_rules=0)
    assert str(caught.value) == (
        "max_rules and max_conditions must admit a rule set of the front, got 0 and None; the"
        " smallest has 1 rule and 0 conditions"
    )


@pytest.mark.parametrize("name", ["max_rules", "max_conditions", "index"])
@pytest.mark.parametrize("value", [-1, 2.5, "few", True])
def test_select_refuses_what_is_no_size(name, value):
    clf = quick().fit(*IRIS)
    with pytest.raises(ConditionError) as caught:
        clf.select(**{name: value})
    assert str(caught.value) == f"{name} must be a non-negative whole number, got {value!r}"


def test_select_takes_every_set_of_the_front_by_its_index():
    X, y = PEOPLE
    clf = quick(moves=500).fit(X, y)
    assert len(clf.pareto_front_) > 2
    for index, point in enumerate(clf.pareto_front_):
        other = clf.select(index=np.int64(index))
        assert other.chosen_ is point is other.pareto_front_.chosen
        assert other.rules_ is point.rule_set
        assert (other.predict(X) == point.rule_set.predict(X)).all()
    last = len(clf.pareto_front_) - 1
    for options, text in [
        (
            {"index": last + 1},
            f"index must be at most {last}, got {last + 1}",
        ),
        (
            {"index": 0, "max_rules": 2},
            "index must not be combined with max_rules, max_conditions or min_coverage",
        ),
    ]:
        with pytest.raises(ConditionError) as caught:
            clf.select(**options)
        assert str(caught.value) == text


@pytest.mark.parametrize("seed", range(2))
def test_rules_for_the_most_frequent_label_are_found(seed):
    # boxes that cover most of the space: to describe what is outside of them takes many rules
    rng = np.random.default_rng(seed)
    boxes = [(rng.choice(6, 3, replace=False), rng.uniform(0, 0.4, 3)) for _ in range(4)]

    def labels(X):
        inside = [((X[:, f] >= low) & (X[:, f] < low + 0.6)).all(axis=1) for f, low in boxes]
        return np.where(np.any(inside, axis=0), "in", "out")

    X, new = rng.random((1000, 6)), rng.random((5000, 6))
    y = labels(X)
    assert np.mean(y == "in") > 0.5
    clf = RuleSetClassifier(generations=4, random_state=seed).fit(X, y)
    assert clf.rules_.default == "out"
    assert len(clf.rules_) <= 6
    assert np.mean(clf.predict(new) == labels(new)) > 0.95


@pytest.mark.parametrize("seed", range(3))
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


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_sizes_that_are_asked_for(n):
    X, y = IRIS
    clf = quick(max_rules=n).fit(X, y)
    assert len(clf.rules_) <= n
    clf = quick(max_conditions=n).fit(X, y)
    assert clf.rules_.n_conditions <= n


@pytest.mark.parametrize("n", [2, 4, 8])
def test_sizes_that_are_asked_for_of_complete_sets(n):
    X, y = IRIS
    clf = quick(max_rules=n, complete=True).fit(X, y)
    assert len(clf.rules_) <= n
    assert clf.certificate_.is_complete


# --- predictions


@pytest.mark.parametrize("conflicts", ["avoid", "vote", "best"])
@pytest.mark.parametrize(("X", "y"), [IRIS, PEOPLE])
def test_probabilities(X, y, conflicts):
    clf = quick(conflicts=conflicts).fit(X, y)
    for point in clf.pareto_front_:
        other = clf.select(max_rules=point.n_rules, max_conditions=point.n_conditions)
        likely = other.predict_proba(X)
        assert likely.shape == (len(y), len(clf.classes_))
        assert (likely >= 0).all()
        assert likely.sum(axis=1) == pytest.approx(1.0)
        assert clf.classes_[likely.argmax(axis=1)].tolist() == other.predict(X).tolist()


def test_score_is_the_share_of_right_predictions():
    X, y = PEOPLE
    clf = quick().fit(X, y)
    right = clf.predict(X) == y
    assert clf.score(X, y) == pytest.approx(right.mean())
    weight = np.arange(len(y)) + 1.0
    expected = np.average(right, weights=weight)
    assert clf.score(X, y, sample_weight=weight) == pytest.approx(expected)


def test_abstaining():
    X, y = PEOPLE
    clf = quick(default="abstain", max_rules=3).fit(X, y).select(max_rules=0)
    said = clf.predict(X)
    covered = clf.rules_.covering(X).any(axis=1)
    assert not covered.all()
    assert [label is None for label in said] == (~covered).tolist()
    assert clf.score(X, y) == pytest.approx(np.mean([a == b for a, b in zip(said, y, strict=True)]))
    silent = clf.explain(X)[int((~covered).argmax())]
    assert silent.then is None
    assert silent.rules == ()
    assert silent.text.startswith("nothing is decided: no rule covers this case")
    likely = clf.predict_proba(X)
    assert likely.sum(axis=1) == pytest.approx(1.0)


def test_what_a_set_that_abstains_is_worth():
    X, y = IRIS
    clf = quick(default="abstain").fit(X, y)
    for point in clf.pareto_front_:
        said = point.rule_set.predict(X)
        right = [a is not None and a == b for a, b in zip(said, y, strict=True)]
        assert point.training_score == pytest.approx(np.mean(right))


def test_a_set_that_abstains_has_rules_for_all_that_is_clear():
    x = np.linspace(0, 1, 300)[:, None]
    y = x[:, 0] > 0.7
    assert quick(default="abstain", moves=1000).fit(x, y).score(x, y) > 0.9


def test_the_default_is_predicted_where_no_rule_holds():
    X, y = PEOPLE
    clf = quick(max_rules=2).fit(X, y)
    covered = clf.rules_.covering(X).any(axis=1)
    assert not covered.all()
    assert set(clf.predict(X)[~covered]) == {clf.rules_.default}


@given(st.integers(0, 2**31 - 1))
@examples(0.4)
def test_every_rule_of_a_front_changes_a_prediction(seed):
    X, y = people(80, seed, noise=0.2)
    for point in quick(moves=60, random_state=seed).fit(X, y).pareto_front_:
        rules = point.rule_set
        predictions = rules.predict(X).tolist()
        for r in range(len(rules)):
            fewer = rules[[i for i in range(len(rules)) if i != r]]
            assert fewer.predict(X).tolist() != predictions


@pytest.mark.parametrize("conflicts", ["avoid", "best"])
def test_explanations(conflicts):
    X, y = PEOPLE
    clf = quick(max_rules=5, conflicts=conflicts).fit(X, y)
    covering = clf.rules_.covering(X)
    found = clf.explain(X)
    assert len(found) == len(y)
    for decision, label, row in zip(found, clf.predict(X), covering, strict=True):
        assert isinstance(decision, Decision)
        assert decision.then == label
        assert len(decision.support) == len(decision.confidence) == max(1, len(decision.rules))
        assert str(decision) == decision.text
        if not decision.rules:
            assert not row.any()
            reason = f"{label}, by default, because {decision.region} (support "
            assert reason in decision.text
            inside = decision.region.contains(X)
            assert decision.support == (inside.sum(),)
            assert decision.confidence[0] == pytest.approx((y[inside] == label).mean())
            continue
        assert decision.region in clf.rules_[decision.rules[0]].region
        assert set(clf.predict(X[decision.region.contains(X)])) == {label}
        for r, support, confidence in zip(
            decision.rules, decision.support, decision.confidence, strict=True
        ):
            assert row[r]
            held = covering[:, r]
            assert support == held.sum()
            assert confidence == pytest.approx((y[held] == clf.rules_[r].then).mean())
        first = decision.rules[0]
        region = decision.region.to_text("AND")
        assert f"by rule {first + 1}: IF {region} THEN {label}" in decision.text


# --- tables


def as_strings(frame):
    return frame.astype(object).where(frame.notna(), None)


@pytest.mark.parametrize("kind", ["polars", "pyarrow", "dict", "category", "list"])
def test_tables_of_any_kind_give_the_same_rules(kind):
    X, y = PEOPLE
    plain = {name: as_strings(X)[name].tolist() for name in X.columns}
    forms = {
        "polars": lambda: pl.DataFrame(plain),
        "pyarrow": lambda: pa.table(plain),
        "dict": lambda: plain,
        "category": lambda: X.assign(job=X["job"].astype("category")),
        "list": lambda: X,
    }
    table = forms[kind]()
    clf = quick().fit(X, y)
    other = quick().fit(table, y.tolist() if kind == "list" else y)
    assert texts(other) == texts(clf)
    assert other.predict(table).tolist() == clf.predict(X).tolist()
    assert other.predict_proba(table).tolist() == clf.predict_proba(X).tolist()
    assert [str(d) for d in other.explain(table)] == [str(d) for d in clf.explain(X)]


def test_arrays_and_frames_of_numbers_give_the_same_rules():
    X, y = IRIS
    names = [f"x{i}" for i in range(4)]
    clf = quick().fit(X, y)
    assert texts(quick().fit(pd.DataFrame(X, columns=names), y)) == texts(clf)
    assert texts(quick().fit(pl.DataFrame(X, schema=names), y)) == texts(clf)
    assert texts(quick().fit(X.tolist(), y.tolist())) == texts(clf)
    assert texts(quick().fit(np.asfortranarray(X), y)) == texts(clf)


def as_rows(frame, make):
    return [make(row) for row in as_strings(frame).itertuples(index=False)]


@pytest.mark.parametrize("make", [tuple, list, lambda row: np.array(row, dtype=object)])
def test_rows_keep_the_types_of_their_columns(make):
    X, y = PEOPLE
    rows = as_rows(X, make)
    clf = quick().fit(rows, y)
    expected = quick().fit(as_strings(X).to_numpy(), y)
    assert clf.space_ == expected.space_
    assert [type(f).__name__ for f in clf.space_] == ["Continuous", "Categorical"] * 2
    assert texts(clf) == texts(expected)
    assert not hasattr(clf, "feature_names_in_")
    assert clf.n_features_in_ == 4
    for table in (rows, tuple(rows), as_strings(X).to_numpy()):
        assert clf.predict(table).tolist() == expected.predict(as_strings(X).to_numpy()).tolist()
    assert [str(d) for d in clf.explain(rows)] == [
        str(d) for d in expected.explain(as_strings(X).to_numpy())
    ]


@pytest.mark.parametrize("make", [lambda row: row, lambda row: row._asdict()])
def test_rows_with_names_give_the_rules_of_the_frame(make):
    X, y = PEOPLE
    rows = as_rows(X, make)
    clf = quick().fit(rows, y)
    expected = quick().fit(X, y)
    assert texts(clf) == texts(expected)
    assert clf.feature_names_in_.tolist() == list(X.columns)
    assert clf.predict(rows).tolist() == expected.predict(X).tolist()
    reordered = [{name: row[name] for name in reversed(row)} for row in as_rows(X, _as_dict)]
    assert clf.predict(reordered).tolist() == expected.predict(X).tolist()


def _as_dict(row):
    return row._asdict()


def test_integers_that_numpy_would_round_among_fractions_are_refused():
    rows = [(2**53 + 1, 0.5), (2, 1.5)] * 10
    with pytest.raises(DataError, match=r"^column 'x0', row 1: 9007199254740993 is beyond 2\*\*53"):
        quick().fit(rows, ["a", "b"] * 10)


def test_arrays_of_objects():
    X, y = PEOPLE
    table = as_strings(X).to_numpy()
    clf = quick().fit(table, y)
    check_consistent(clf)
    renamed = X.rename(columns=dict(zip(X.columns, ["x0", "x1", "x2", "x3"], strict=True)))
    assert texts(clf) == texts(quick().fit(renamed, y))
    assert clf.predict(table).tolist() == quick().fit(renamed, y).predict(renamed).tolist()


def test_categories_are_tested_as_sets():
    rng = np.random.default_rng(0)
    job = rng.choice(["a", "b", "c", "d", "e", "f"], 200)
    frame = pd.DataFrame({"job": job, "x": rng.random(200)})
    y = np.isin(job, ["a", "c", "e"])
    clf = quick().fit(frame, y)
    assert clf.score(frame, y) == 1.0
    assert len(clf.rules_) <= 2


def test_categories_that_are_declared_but_do_not_occur():
    declared = list("abcdef")
    column = pd.Categorical(np.array(list("abc"))[np.arange(60) % 3], categories=declared)
    frame = pd.DataFrame({"c": column})
    clf = quick().fit(frame, np.arange(60) % 3 == 0)
    assert clf.score(frame, np.arange(60) % 3 == 0) == 1.0
    later = pd.DataFrame({"c": pd.Categorical(["d", None, "a"], categories=declared)})
    assert clf.predict(later)[2]
    assert len(clf.explain(later)) == 3


def test_what_is_predicted_may_come_in_another_kind_of_frame():
    X, y = PEOPLE
    clf = quick().fit(X, y)
    assert clf.predict(pl.from_pandas(X)).tolist() == clf.predict(X).tolist()
    numbered = pd.DataFrame(IRIS[0])
    by_number, by_place = quick().fit(numbered, IRIS[1]), quick().fit(*IRIS)
    assert by_number.predict(numbered).tolist() == by_place.predict(IRIS[0]).tolist()


def test_values_that_are_missing_or_new_only_when_something_is_predicted():
    X, y = people(100, 3)
    X = X.assign(age=X["age"].fillna(30.0), job=X["job"].fillna("cook"))
    clf = quick(complete=True).fit(X, y)
    check_consistent(clf)
    for column, value in [("age", np.nan), ("job", None), ("job", "astronaut"), ("age", 1e6)]:
        changed = X.copy()
        changed[column] = value
        said = clf.predict(changed)
        assert set(said) <= set(clf.classes_)
        assert (clf.rules_.covering(changed).any(axis=1)).all()
        assert clf.predict_proba(changed).sum(axis=1) == pytest.approx(1.0)
        assert len(clf.explain(changed)) == len(X)


def test_what_is_missing_may_decide():
    x = np.where(np.arange(60) % 3 == 0, np.nan, np.arange(60.0))
    X, y = x[:, None], np.isnan(x)
    clf = quick().fit(X, y)
    assert clf.score(X, y) == 1.0
    assert "missing" in str(clf.rules_)


def test_labels_of_any_type():
    X, y = IRIS
    names = np.array(["setosa", "versi color", "x"], dtype=object)
    for labels in (y.astype(float), y > 0, names[y], names[y].astype(str), (y - 5).astype(np.int8)):
        clf = quick().fit(X, labels)
        assert clf.predict(X).dtype == clf.classes_.dtype
        assert clf.score(X, labels) > 0.8
        assert clf.classes_.tolist() == np.unique(labels).tolist()
    assert quick().fit(X, pd.Series(names[y], dtype="category")).score(X, names[y]) > 0.8


# --- weights


def test_a_weight_of_two_is_a_row_given_twice():
    X, y = PEOPLE
    weight = np.arange(len(y)) % 3
    rows = np.repeat(np.arange(len(y)), weight)
    one = quick().fit(X, y, sample_weight=weight)
    two = quick().fit(X.iloc[rows], y[rows])
    assert texts(one) == texts(two)
    assert one.predict_proba(X) == pytest.approx(two.predict_proba(X))


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
    X = pd.DataFrame(
        {"product": [f"p{i}" for i in product], "category": [f"c{i % 7}" for i in product]}
    )
    clf = quick(smoothing=0.5, selection="validation", moves=1000, generations=4).fit(X, likes)
    assert clf.score(X, likes) > 0.85
    assert clf.chosen_.validated_score == pytest.approx(clf.score(X, likes), abs=0.05)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_balanced_weights_heed_those_of_rows(class_weight):
    X, y = PEOPLE
    weight = np.arange(len(y)) % 3
    rows = np.repeat(np.arange(len(y)), weight)
    options = {"class_weight": class_weight, "smoothing": 0.5, "selection": "validation"}
    one = quick(**options).fit(X, y, sample_weight=weight)
    two = quick(**options).fit(X.iloc[rows], y[rows])
    assert texts(one) == texts(two)


@pytest.mark.parametrize("number", [math.nan, math.inf, -1, None, "2"])
def test_class_weights_that_are_wrong(number):
    with pytest.raises(DataError) as caught:
        quick(class_weight={0: number}).fit(*IRIS)
    assert str(caught.value) == (
        f"class_weight must hold finite non-negative numbers, got {number!r} for class 0"
    )


@pytest.mark.parametrize("scale", [1 / 150, 1e-9, 1e6])
def test_the_scale_of_weights_does_not_matter_much(scale):
    X, y = IRIS
    clf = quick(moves=1000).fit(X, y, sample_weight=np.full(150, scale))
    assert clf.score(X, y) > 0.9
    assert clf.predict_proba(X).max() > 0.9


@pytest.mark.parametrize("times", [10, 10.01])
def test_weights_do_not_leak_into_validation(times):
    # labels that nothing tells: a copy of a row on both sides would be "validated" as right
    rng = np.random.default_rng(0)
    X, y = rng.random((240, 6)), np.arange(240) % 4 == 0
    options = {"smoothing": 0.5, "selection": "validation", "generations": 4, "moves": 1000}
    by_class = quick(class_weight={True: times, False: times}, **options).fit(X, y)
    by_row = quick(**options).fit(X, y, sample_weight=np.full(240, times))
    for clf in (by_class, by_row):
        assert clf.chosen_.validated_score < 0.8
        assert len(clf.rules_) <= 3


@pytest.mark.parametrize("data", ["people", "cancer"])
def test_weights_and_order_do_not_matter_with_the_forest_and_validation(data):
    X, y = PEOPLE if data == "people" else load_breast_cancer(return_X_y=True, as_frame=True)
    y = np.asarray(y)
    weight = np.arange(len(y)) % 2 + 1
    rows = np.random.default_rng(0).permutation(np.repeat(np.arange(len(y)), weight))
    options = {"smoothing": 0.5, "selection": "validation" if data == "people" else "description"}
    one = quick(**options).fit(X, y, sample_weight=weight)
    two = quick(**options).fit(X.iloc[rows], y[rows])
    assert texts(one) == texts(two)


def test_class_weights_raise_the_recall_of_a_rare_class():
    rng = np.random.default_rng(0)
    x = rng.random((400, 2))
    rare = (x[:, 0] > 0.8) & (rng.random(400) < 0.3)
    options = {"max_rules": 3, "moves": 1000}
    plain = quick(**options).fit(x, rare)
    balanced = quick(class_weight="balanced", **options).fit(x, rare)
    named = quick(class_weight={True: 20.0, False: 1.0}, **options).fit(x, rare)
    recall = recall_score(rare, plain.predict(x))
    assert recall_score(rare, balanced.predict(x)) > recall
    assert recall_score(rare, named.predict(x)) > recall


@pytest.mark.parametrize("smoothing", [0.0, 0.5, 1.0])
def test_rows_that_are_alike_are_not_left_out_together(smoothing):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (600, 2))
    y = X[:, 0] ^ (rng.random(600) < 0.3)
    clf = quick(smoothing=smoothing, selection="validation", moves=500).fit(X, y)
    possible = (X[:, 0] == y).mean()
    assert clf.score(X, y) == pytest.approx(possible)
    # four kinds of rows and two labels: what is left out is told by what is not
    assert clf.chosen_.validated_score == pytest.approx(possible, abs=0.05)


# --- as an estimator


def test_parameters():
    clf = RuleSetClassifier(max_rules=3, init="seeds")
    assert clone(clf).get_params() == clf.get_params()
    assert clf.set_params(max_rules=5).max_rules == 5
    assert "max_rules=5" in repr(clf)


def two_corners(seed):
    rng = np.random.default_rng(seed)
    X = rng.random((300, 6))
    corners = (X[:, 0] > 0.6) & (X[:, 1] > 0.4) | (X[:, 2] > 0.8)
    return X, corners ^ (rng.random(300) < 0.1)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [1, 3])
def test_a_small_rule_set_of_a_front_is_nearly_as_good_as_one_that_was_asked_for(seed, size):
    X, y = two_corners(seed)
    options = {"generations": 3, "moves": 1000, "random_state": seed, "n_jobs": 2}
    clf = RuleSetClassifier(**options).fit(X, y)
    asked = RuleSetClassifier(max_rules=size, **options).fit(X, y)
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


def test_a_fitted_classifier_can_be_pickled():
    X, y = PEOPLE
    clf = quick().fit(X, y)
    again = pickle.loads(pickle.dumps(clf))
    assert again.predict(X).tolist() == clf.predict(X).tolist()
    assert texts(again) == texts(clf)
    assert str(again.certificate_) == str(clf.certificate_)


def test_in_pipelines_and_searches():
    X, y = IRIS
    pipeline = make_pipeline(StandardScaler(), quick())
    assert pipeline.fit(X, y).score(X, y) > 0.8
    search = GridSearchCV(quick(), {"max_rules": [1, 3]}, cv=2).fit(X, y)
    assert search.best_params_ == {"max_rules": 3}
    assert cross_val_score(quick(), X, y, cv=3).mean() > 0.8
    scores = cross_val_score(quick(), *PEOPLE, cv=2, scoring="neg_log_loss")
    assert np.isfinite(scores).all()
    assert 0.5 < cross_val_score(quick(), X, y == 0, cv=2, scoring="roc_auc").mean() <= 1


def test_the_same_seed_gives_the_same_rules():
    X, y = PEOPLE
    options = {"smoothing": 0.5, "selection": "validation"}
    assert texts(quick(**options).fit(X, y)) == texts(quick(**options).fit(X, y))
    state = np.random.RandomState(3)
    first = quick(random_state=state).fit(X, y)
    assert texts(first) == texts(quick(random_state=np.random.RandomState(3)).fit(X, y))
    assert quick(random_state=None).fit(X, y).score(X, y) > 0.5


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
