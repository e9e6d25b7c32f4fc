"""Rules that predict probabilities: vectors, gains, thresholds, and the classifier."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from fitting import check_consistent, quick, refused
from hypothesis import given
from hypothesis import strategies as st
from label_sets import EDGES, IN_GRAPH, LEAVES, MATRIX, PATHS, SETS, X
from naive_probabilities import slow_f1, slow_gains, slow_groups, slow_prior_rows

import irenic
from benchmarks.several_labels import TOPS, pooled_area
from irenic import DataError, FormatError
from irenic.formats.json.rules import decode_value, encode_value
from irenic.learn import Hierarchy, points
from irenic.learn.evolution import Candidate
from irenic.learn.probabilities import (
    best_threshold,
    connected,
    estimated,
    groups_of,
    prior_rows,
)
from irenic.learn.target import Consequents, Target
from irenic.model import Probabilities

WAYS = {
    "sets": ({}, SETS),
    "matrix": ({}, MATRIX),
    "tree": ({"hierarchy": PATHS}, LEAVES),
    "graph": ({"hierarchy": EDGES}, IN_GRAPH),
}
SEEDS = st.integers(0, 2**32 - 1)


def vectors(**options):
    return quick(consequents="probabilities", **options)


def fitted(way, **options):
    more, y = WAYS[way]
    return vectors(**more, **options).fit(X, y), y


@pytest.fixture(scope="module")
def tree():
    return fitted("tree")[0]


# --- the value


def test_probabilities_are_immutable_values():
    one = Probabilities(["a", "b"], [0.25, 0.5])
    assert one == Probabilities(("a", "b"), np.array([0.25, 0.5]))
    assert hash(one) == hash(Probabilities(("a", "b"), np.array([0.25, 0.5])))
    assert one != Probabilities(["a", "b"], [0.25, 0.75])
    assert one != Probabilities(["b", "a"], [0.25, 0.5])
    assert one != {"a": 0.25, "b": 0.5}
    assert pickle.loads(pickle.dumps(one)) == one
    assert Probabilities(["a"], [-0.0]) == Probabilities(["a"], [0.0])
    assert hash(Probabilities(["a"], [-0.0])) == hash(Probabilities(["a"], [0.0]))
    with pytest.raises(AttributeError, match="immutable"):
        one.labels = ("b",)
    with pytest.raises(ValueError, match="read-only"):
        one.values[0] = 0.25


def test_the_largest_probabilities_are_shown():
    many = Probabilities([f"l{i}" for i in range(1_500)], np.linspace(0.9, 0.1, 1_500))
    assert str(many) == "l0 0.90, l1 0.90, l2 0.90 and 1,497 more"
    assert str(Probabilities(["a", "low risk", "c"], [0.1, 0.3, 0.0])) == "low risk 0.30, a 0.10"
    assert str(Probabilities(["a"], [0.0])) == "no label"
    assert repr(Probabilities(["a"], [0.5])) == "<Probabilities: a 0.50>"
    # equal ones in the order of the labels
    assert list(Probabilities(["b", "a"], [0.5, 0.5]).largest()) == ["b", "a"]


def test_invalid_probabilities():
    text = "probabilities must be one number for each of the 2 labels, got shape"
    with pytest.raises(FormatError, match=f"^{text}"):
        Probabilities(["a", "b"], [0.5])
    for labels, values, text in [
        (["a", "a"], [0.5, 0.5], "the labels of probabilities must be distinct, got one twice"),
        (["a", "b"], [0.5, 1.5], "the probability of 'b' must be from 0 to 1, got 1.5"),
        (["a"], [np.nan], "the probability of 'a' must be from 0 to 1, got nan"),
    ]:
        refused(text, Probabilities, labels, values, error=FormatError)


@given(st.lists(st.floats(0, 1), max_size=8), st.floats(0, 1))
def test_labels_from_a_threshold_on(values, threshold):
    one = Probabilities(range(len(values)), values)
    assert one.at_least(threshold) == {i for i, p in enumerate(values) if p >= threshold}
    assert one.to_dict() == dict(enumerate(values))


# --- gains, groups, thresholds


def random_target(seed, *, hierarchy=None, n=40):
    rng = np.random.default_rng(seed)
    y = [{label for label in "acde" if rng.random() < 0.3} for _ in range(n)]
    target = Target.sets(y, hierarchy)
    return Target(target.labels, target.truth, True, target.hierarchy, probabilities=True)


@pytest.mark.parametrize("hierarchy", [None, EDGES])
def test_gains_are_squared_distances(hierarchy):
    target = random_target(0, hierarchy=hierarchy)
    rng = np.random.default_rng(1)
    weight = rng.uniform(0.5, 2.0, len(target))
    leaves = [target.truth[:9].mean(axis=0), target.truth[9:30].mean(axis=0)]
    consequents = Consequents.from_target(target, weight, leaves)
    assert len(consequents) == 3
    slow = slow_gains(
        target.truth, consequents.frequencies, target.label_weights, consequents.scale
    )
    np.testing.assert_allclose(consequents.gains(target.truth), slow, atol=1e-12)
    values = consequents.values()
    assert consequents.codes_of(values).tolist() == [0, 1, 2]
    near = Probabilities(values[1].labels, (values[1].values * 0.999).clip(0, 1))
    assert consequents.codes_of([near, "other"]).tolist() == [1, -1]


@given(st.integers(0, 12), SEEDS)
def test_groups_are_connected_by_overlaps(n, seed):
    rng = np.random.default_rng(seed)
    masks = rng.integers(1, 16, size=(n, 2)).astype(np.uint64)
    then = rng.integers(0, 3, n).astype(np.int16)
    groups = groups_of(Candidate(masks, then, 0), "avoid")
    found = {frozenset(np.flatnonzero(groups == g).tolist()) for g in groups.tolist()}
    assert found == slow_groups(masks, then)
    by_code = groups_of(Candidate(masks, then, 0), "vote")
    assert ((by_code[:, None] == by_code) == (then[:, None] == then)).all()


def test_nothing_has_no_groups_and_the_usual_threshold():
    assert connected(0, np.zeros(0, dtype=int), np.zeros(0, dtype=int)).tolist() == []
    nothing = np.zeros((1, 2))
    assert best_threshold(nothing, np.zeros(3, dtype=int), np.ones((3, 2)), np.ones(3)) == 0.5


@given(SEEDS)
def test_the_threshold_has_the_highest_f1(seed):
    rng = np.random.default_rng(seed)
    probabilities = rng.integers(0, 5, (3, 4)) / 4.0
    decided = rng.integers(0, 3, 12)
    truth = (rng.random((12, 4)) < 0.4).astype(float)
    weight = rng.integers(1, 4, 12).astype(float)
    threshold = best_threshold(probabilities, decided, truth, weight)
    score = slow_f1(probabilities, decided, truth, weight, threshold)
    for other in set(probabilities[probabilities > 0].tolist()):
        assert score >= slow_f1(probabilities, decided, truth, weight, other) - 1e-9


@given(SEEDS, st.floats(0.0, 1.0))
def test_noisy_labels_shrink_more(seed, noise):
    rng = np.random.default_rng(seed)
    truth = (rng.random((20, 5)) < 0.4).astype(float)
    truth[:12][rng.random((12, 5)) > noise] = 1.0
    groups = [truth[:12], truth[12:15], truth[15:]]
    sums = np.stack([rows.sum(axis=0) for rows in groups] + [np.zeros(5)])
    n = np.array([12.0, 3.0, 5.0, 0.0])
    overall, label_weights = truth.mean(axis=0), rng.uniform(0.1, 1.0, 5)
    prior = prior_rows(sums, n, overall, label_weights)
    assert prior == pytest.approx(slow_prior_rows(groups, overall, label_weights), rel=1e-6)


def test_labels_that_depend_on_the_group_hardly_shrink():
    sums, n = np.array([[50.0, 0.0], [0.0, 50.0]]), np.array([50.0, 50.0])
    assert prior_rows(sums, n, np.array([0.5, 0.5]), np.ones(2)) == 1.0
    # half as far apart; not at all; as many groups as rows
    assert prior_rows(sums / 2 + 12.5, n, np.array([0.5, 0.5]), np.ones(2)) > 1.0
    assert prior_rows(np.full((2, 2), 25.0), n, np.array([0.5, 0.5]), np.ones(2)) == 100.0
    assert prior_rows(np.ones((2, 2)), np.ones(2), np.ones(2), np.ones(2)) == 2.0


@given(SEEDS)
def test_estimates_lie_between_the_rows_and_all_rows(seed):
    target = random_target(seed, hierarchy=EDGES)
    rng = np.random.default_rng(seed)
    covers = rng.random((3, len(target))) < 0.3
    weight = rng.uniform(0.5, 2.0, len(target))
    values = estimated(np.array([0, 1, 0]), covers, target, weight)
    overall = np.average(target.truth, axis=0, weights=weight)
    rows = [covers[0] | covers[2], covers[1], ~covers.any(axis=0)]
    for value, covered in zip(values, rows, strict=True):
        own = np.average(target.truth[covered], axis=0, weights=weight[covered])
        assert (value >= np.minimum(own, overall) - 1e-6).all()
        assert (value <= np.maximum(own, overall) + 1e-6).all()
    assert (target.hierarchy.cap(values) == values).all()


# --- the classifier


@pytest.mark.parametrize("way", WAYS)
def test_a_rule_predicts_probabilities(way):
    clf, y = fitted(way, selection="validation")
    check_consistent(clf)
    labels = tuple(clf.classes_.tolist())
    assert len(clf.rules_) >= 2
    assert all(isinstance(rule.then, Probabilities) for rule in clf.rules_)
    for index, point in enumerate(clf.pareto_front_):
        chosen = clf.select(index=index)
        thens = [*chosen.rules_.thens, chosen.rules_.default]
        decided = chosen.rules_.decide(X)
        likely = np.stack([thens[i].values for i in decided])
        assert (chosen.predict_proba(X) == likely).all()
        assert all(then.labels == labels for then in thens)
        predicted = chosen.predict(X)
        if way == "matrix":
            assert (predicted == (likely >= point.threshold)).all()
        else:
            assert list(predicted) == [thens[i].at_least(point.threshold) for i in decided]
        if clf.hierarchy_ is not None:
            assert (clf.hierarchy_.cap(likely) == likely).all()
            assert all(clf.hierarchy_.is_closed(labels) for labels in predicted)
    assert clf.pareto_front_[-1].training_score > clf.pareto_front_[0].training_score
    assert clf.estimate_.score > 0.2
    assert 0.0 <= clf.score(X, y) <= 1.0


def test_thepoints_score_is_the_explained_share_of_the_variance(tree):
    rows = np.array([[label in row for label in tree.classes_] for row in LEAVES])
    truth, weights = tree.hierarchy_.close_indicator(rows), tree.hierarchy_.weights()
    far = ((truth - tree.predict_proba(X)) ** 2 @ weights).sum()
    all_far = ((truth - truth.mean(axis=0)) ** 2 @ weights).sum()
    assert tree.chosen_.training_score == pytest.approx(1.0 - far / all_far)


def test_decisions_and_notebooks_show_the_largest_probabilities(tree):
    decision = tree.explain(X.iloc[:1])[0]
    assert isinstance(decision.then, Probabilities)
    assert str(decision.then) in decision.text
    assert "support" in decision.text
    html, then = tree._repr_html_(), tree.rules_[0].then
    label, p = next(iter(then.largest().items()))
    assert f"{label} {p:.2f}" in html
    assert f"and {np.count_nonzero(then.values) - 3} more" in html
    assert str(then) in repr(tree.rules_)


@pytest.mark.parametrize(
    "options",
    [
        {"conflicts": "vote"},
        {"conflicts": "best"},
        {"complete": True},
        {"default": "abstain"},
        {"init": "seeds"},
        {"smoothing": 0.5, "selection": "validation"},
        {"max_rules": 1},
    ],
    ids=str,
)
def test_options(options):
    clf, _ = fitted("sets" if "init" in options or "conflicts" in options else "graph", **options)
    if "conflicts" not in options:
        check_consistent(clf)
    likely = clf.predict_proba(X)
    assert ((likely >= 0.0) & (likely <= 1.0)).all()
    assert all(labels <= set(clf.classes_.tolist()) for labels in clf.predict(X))
    if options.get("complete"):
        assert clf.rules_.is_complete
    if options.get("default") == "abstain":
        assert clf.rules_.default is None
        free = clf.rules_.decide(X) < 0
        assert all(labels == frozenset() for labels in clf.predict(X)[free])


def test_a_warm_start_begins_with_the_nearest_probabilities():
    clf = vectors(hierarchy=PATHS, warm_start=True).fit(X, LEAVES)
    first = clf.chosen_.training_score
    again = clf.fit(X, [*LEAVES[:-1], {"2"}])
    check_consistent(again)
    assert again.chosen_.training_score > first - 0.1


def test_one_label_per_row_has_no_probabilities():
    text = (
        "consequents must be 'labels' if each row has one label, got 'probabilities';"
        " predict_proba returns probabilities in both cases"
    )
    refused(text, vectors().fit, X, ["a", "b"] * 75)


def test_probabilities_win_over_labels_where_no_label_is_frequent():
    rng = np.random.default_rng(0)
    size = rng.uniform(0, 1, 600)
    share = np.where((np.arange(8) < 4) == (size[:, None] < 0.5), 0.35, 0.05)
    y = [set(map(str, np.flatnonzero(row))) for row in rng.random((600, 8)) < share]
    clf = vectors(selection="validation").fit({"size": size}, y)
    assert len(clf.rules_) >= 1
    assert 0.05 < clf.chosen_.threshold < 0.4
    assert list(clf.predict({"size": [0.1, 0.9]})) == [set("0123"), set("4567")]


# --- files


def test_formats_hold_probabilities_or_say_that_they_cannot(tree, tmp_path):
    for suffix in (".rules", ".sql", ".py", ".csv"):
        with pytest.raises(FormatError, match=r"(?s)probabilities \(.*as JSON, or learn with cons"):
            irenic.write(tree.rules_, tmp_path / f"rules{suffix}")
    for suffix in (".json", ".dmn"):
        irenic.write(tree.rules_, tmp_path / f"rules{suffix}")
        again = irenic.read(tmp_path / f"rules{suffix}")
        assert again.thens == tree.rules_.thens
        assert again.default == tree.rules_.default
    with pytest.raises(DataError, match="rules must predict labels to be summarized, got prob"):
        irenic.report(tree, X, LEAVES)


def test_damaged_models(tree):
    assert tree.pareto_front_[0] is not tree.chosen_  # it has rules of its own
    text = irenic.dumps(tree, format="json")
    for change, message in [
        (
            lambda point: point.pop("threshold"),
            '"threshold" is missing; rules that predict probabilities need it',
        ),
        (
            lambda point: point.update(default=["1"]),
            "a prediction must be probabilities, got frozenset({'1'})",
        ),
        (
            lambda point: point["default"]["probabilities"].reverse(),
            'the labels of probabilities must be the "labels", in their order',
        ),
        (lambda point: point.update(threshold=2), '"threshold" must be at most 1, got 2'),
    ]:
        data = json.loads(text)
        change(data["model"]["front"][0])
        with pytest.raises(FormatError) as caught:
            irenic.read_model(json.dumps(data, indent=1))
        assert str(caught.value).endswith(f'"model": "front", rule set 1: {message}')


def test_probabilities_in_json():
    one = Probabilities(["a", 2], [0.25, 0.5])
    assert encode_value(one) == {"probabilities": [["a", 0.25], [2, 0.5]]}
    assert decode_value(encode_value(one)) == one
    for value, message in [
        ([["a"]], "probabilities must be pairs of a label and a number, got ['a']"),
        ([["a", True]], "probabilities must be pairs of a label and a number, got ['a', True]"),
        ([["a", 2]], "the probability of 'a' must be from 0 to 1, got 2.0"),
        ([["a", 0.5], ["a", 0.5]], "the labels of probabilities must be distinct, got one twice"),
        ({"a": 0.5}, '"probabilities" must be a list, got'),
    ]:
        with pytest.raises(FormatError) as caught:
            decode_value({"probabilities": value})
        assert message in str(caught.value)


# --- the measure of the benchmark


@given(SEEDS)
def test_the_area_under_the_pooled_curve(seed):
    rng = np.random.default_rng(seed)
    hierarchy = Hierarchy(EDGES)
    y = [{"d"}, *({label for label in "cde" if rng.random() < 0.3} for _ in range(11))]
    scores = rng.integers(0, 6, (12, 5)) / 5.0
    truth = np.array([[label in hierarchy.close(row) for label in hierarchy.labels] for row in y])
    area = recall = 0.0
    for threshold in np.unique(scores)[::-1]:
        predicted = truth[scores >= threshold]
        area += (predicted.sum() / truth.sum() - recall) * predicted.mean()
        recall = predicted.sum() / truth.sum()
    assert pooled_area(hierarchy, y, scores) == pytest.approx(area)


def test_the_tops_of_ontologies_do_not_count():
    hierarchy = Hierarchy([("root", TOPS[0]), (TOPS[0], "a"), (TOPS[0], "b")])
    y = [{"a"}, {"b"}, {"a"}]
    scores = np.array([[0.0, 0.9, 0.1], [0.0, 0.2, 0.8], [0.0, 0.7, 0.3]])
    assert pooled_area(hierarchy, y, scores) == 1.0


def test_the_best_rules_are_those_of_the_probabilities_that_rules_predict(monkeypatch):
    settled, gains = [], []
    with_probabilities, worths = points.with_probabilities, points.worths

    def spied(*arguments):
        found = with_probabilities(*arguments)
        settled.append(found[1])
        return found

    def spied_worths(candidate, covers, used):
        gains.append(used)
        return worths(candidate, covers, used)

    monkeypatch.setattr(points, "with_probabilities", spied)
    monkeypatch.setattr(points, "worths", spied_worths)
    vectors(conflicts="best").fit(X, MATRIX)
    assert len(gains) > 1
    for consequents, used in zip(settled, gains, strict=True):
        assert used == pytest.approx(consequents.gains(MATRIX.astype(float)))
