"""Probabilities by prediction and region: their rows, their order, and scores that use them."""

from __future__ import annotations

import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, log_loss, make_scorer, roc_auc_score

import irenic
from benchmarks import quality
from benchmarks.quality import calibration_error, measures
from irenic import DataError, FormatError
from irenic.learn.probabilities import FoldPredictions, Seen, led, raised_from
from irenic.learn.tally import region_sums
from irenic.learn.validation import _PRIORS, Judge, Validation, in_proportion, roc_area
from irenic.model.spaces import names_tested
from tests.learn.fitting import people, quick, refused

VALIDATED = {"selection": "validation", "smoothing": 0.5, "moves": 400}


def graded(n=800, seed=0):
    """Return rows whose label depends a little on many columns: small rule sets are coarse."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.random((n, 5)), columns=list("abcde"))
    X["kind"] = rng.choice(["x", "y", "z"], n)
    score = 3 * X["a"] + 2 * X["b"] + X["c"] + (X["kind"] == "x") - 4.2
    return X, np.where(rng.random(n) < 1 / (1 + np.exp(-1.5 * score)), "yes", "no")


X, Y = graded()
TEST, TRUTH = graded(3000, seed=1)


@pytest.fixture(scope="module")
def model():
    return quick(**VALIDATED, max_rules=3).fit(X, Y)


# --- sums and probabilities


def slow_probabilities(labels, opinions, rows, overall):
    def with_opinion(counts, opinion):
        total = sum(opinion)
        return [
            c + (rows * o / total if total > 0 else 0.0)
            for c, o in zip(counts, opinion, strict=True)
        ]

    table = np.zeros(labels.shape)
    for code in range(len(labels)):
        sums = with_opinion(labels[code].sum(axis=0).tolist(), opinions[code].sum(axis=0).tolist())
        whole = [(a + b) / (sum(sums) + 1) for a, b in zip(sums, overall, strict=True)]
        for region in range(labels.shape[1] - 1):
            counts = with_opinion(labels[code, region].tolist(), opinions[code, region].tolist())
            n = sum(counts) + 5
            table[code, region] = [(c + 5 * w) / n for c, w in zip(counts, whole, strict=True)]
        table[code, -1] = whole
    return table


@given(st.integers(0, 10_000), st.sampled_from([1.0, 20.0, 500.0]))
def test_probabilities_are_frequencies_with_rows_added(seed, rows):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, (2, 3, 2)).astype(float)
    shares = rng.random((2, 3, 1))
    opinions = labels.sum(axis=2, keepdims=True) * np.concatenate([shares, 1 - shares], axis=2)
    overall = np.array([0.25, 0.75])
    table = Seen(labels, opinions).probabilities(rows, overall)
    assert table.sum(axis=2) == pytest.approx(1.0)
    assert table == pytest.approx(slow_probabilities(labels, opinions, rows, overall))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 2), st.integers(1, 3)), max_size=12))
def test_sums_by_prediction_and_region(rows):
    codes, places, weight = np.array(rows, dtype=np.intp).reshape(-1, 3).T
    values = np.stack([np.arange(len(rows)), np.ones(len(rows))], axis=1)
    sums = region_sums(codes, places, values, weight.astype(float), (3, 3))
    slow = np.zeros((3, 4, 2))
    for row, (code, place, times) in enumerate(rows):
        slow[code, place] += times * values[row]
    assert sums.tolist() == slow.tolist()


@given(st.integers(0, 10_000))
def test_the_prediction_leads(seed):
    table = np.random.default_rng(seed).dirichlet(np.ones(3), (4, 5))
    changed = led(table)
    assert changed.sum(axis=2) == pytest.approx(1.0)
    for code in range(3):
        assert (changed[code].argmax(axis=1) == code).all()
    assert (changed[3] == table[3]).all()  # nothing is predicted
    right = table[:3].argmax(axis=2) == np.arange(3)[:, None]
    assert (changed[:3][right] == table[:3][right]).all()


@given(st.integers(0, 10_000), st.sampled_from([2, 3]))
def test_the_area_is_that_of_scikit_learn(seed, n_labels):
    rng = np.random.default_rng(seed)
    truth = np.append(np.arange(n_labels), rng.integers(0, n_labels, 20))
    likely = rng.dirichlet(np.ones(n_labels), len(truth)).round(1)
    likely[:, -1] = 1 - likely[:, :-1].sum(axis=1)
    times = rng.integers(1, 4, len(truth))
    rows = np.repeat(np.arange(len(truth)), times)
    scores = likely[rows] if n_labels > 2 else likely[rows, 1]
    expected = roc_auc_score(truth[rows], scores, multi_class="ovr")
    assert roc_area(likely, truth, times) == pytest.approx(expected)


def test_the_area_of_a_single_label_is_not_defined():
    assert math.isnan(roc_area(np.full((2, 2), 0.5), np.array([0, 0]), np.ones(2)))
    judge = Judge.of("roc_auc_ovr", np.array(["a", "b"]), np.array([0, 1]), np.ones(2))
    likely = np.array([[0.9, 0.1], [0.2, 0.8]])
    assert judge.score(likely, np.array([0, 1]), np.array([1, 1])) == 1.0
    assert math.isnan(judge.score(likely, np.array([0, 1]), np.array([1, 0])))


# --- models


def test_probabilities_rank_cases_that_one_rule_or_the_default_decides(model):
    likely = model.predict_proba(TEST)
    by_rule = model._frequencies()[model._decided(TEST)]
    area, plain = (roc_auc_score(TRUTH == "yes", p[:, 1]) for p in (likely, by_rule))
    assert area > max(0.74, 0.04 + plain)
    assert log_loss(TRUTH, likely) < log_loss(TRUTH, by_rule)
    # and are calibrated
    assert likely[:, 1].mean() == pytest.approx(np.mean(TRUTH == "yes"), abs=0.04)
    assert calibration_error(np.searchsorted(model.classes_, TRUTH), likely) < 0.06


def test_the_predicted_label_has_the_highest_probability(model):
    odd = TEST[:200].assign(kind="never seen")
    for point in range(len(model.pareto_front_)):
        chosen = model.select(index=point)
        for cases in (TEST, odd):
            likely = chosen.predict_proba(cases)
            assert likely.sum(axis=1) == pytest.approx(1.0)
            assert (chosen.classes_[likely.argmax(axis=1)] == chosen.predict(cases)).all()


def test_a_probability_that_was_raised_says_so():
    clf = quick(**VALIDATED, max_rules=3).fit(*graded(300, seed=3))
    new, _ = graded(500, seed=4)
    n_raised = 0
    for index in range(len(clf.pareto_front_)):
        chosen = clf.select(index=index)
        again = irenic.read_model(irenic.dumps(chosen, format="json"))
        table = chosen.chosen_.probabilities
        assert str(again.chosen_.probabilities) == str(table)
        for decision, read in zip(chosen.explain(new), again.explain(new), strict=True):
            assert read.text == decision.text
            row = decision.probability
            others = [p for p in row.probabilities.values if p != row.probability]
            if row.raised_from is None:
                assert "raised" not in decision.text
                continue
            n_raised += 1
            assert row.raised_from < row.probability == pytest.approx(max(others))
            assert decision.text.endswith(f", raised from {row.raised_from:.2f} to be the highest")
        assert ("raised from" in table._repr_html_()) == (table.raised_from is not None)
    assert n_raised


def test_equally_likely_labels_are_not_said_to_be_raised():
    table = np.full((3, 1, 2), 0.5)
    assert raised_from(table, led(table)) is None
    table[:2, 0] = 0.4, 0.6
    assert raised_from(table, led(table)).tolist()[0] == [0.4]


def test_rows_are_those_with_the_prediction_in_the_region(model):
    for point in model.pareto_front_:
        table = point.probabilities
        predicted = point.rule_set.predict(X)
        assert (table.places(point.rule_set.space.encode(X)) >= 0).all()
        for row in table.listed():
            inside = row.region.contains(X) & (predicted == row.prediction)
            assert row.rows == inside.sum() > 0
        assert table.rows[:, :-1].sum() == len(X)
        assert table.rows[:, -1].tolist() == [(predicted == label).sum() for label in ("no", "yes")]
        # the front knows what rules decide
        assert point.coverage == point.rule_set.covering(X).any(axis=1).mean()
    assert len(table.regions) <= 16
    assert not len(table.regions.conflicts())
    front = irenic.summarize(model)["models"][-1]["front"]
    assert front["coverage"] == model.pareto_front_[-1].coverage


def test_an_explanation_says_where_the_probability_comes_from(model):
    likely = model.predict_proba(TEST[:50])
    for row, decision in enumerate(model.explain(TEST[:50])):
        found = decision.probability
        assert found.prediction == decision.then
        assert found.probabilities.values.tolist() == likely[row].tolist()
        assert found.region is None or found.region.contains(TEST[row : row + 1]).all()
    assert str(found) == (
        f"{found.prediction} predicted where {found.region}: {found.probabilities}"
        f" ({found.rows} rows)"
    )
    table = model.chosen_.probabilities
    assert f"{table.listed()[0].probabilities.values[0]:.2f}" in table._repr_html_()
    assert "16 regions" in table._repr_html_()


def test_regions_test_only_columns_that_rules_test(model):
    tested = names_tested(*(point.rule_set for point in model.pareto_front_))
    assert names_tested(model.chosen_.probabilities.regions) <= tested | set("abcde")
    only = pd.DataFrame({"n": np.arange(200), "noise": np.arange(200) % 7})
    clf = quick(**VALIDATED, max_rules=1, forbidden=[]).fit(only, only["n"] > 90)
    assert names_tested(clf.chosen_.probabilities.regions) <= {"n"} | names_tested(
        *(point.rule_set for point in clf.pareto_front_)
    )


def test_columns_that_regions_test_are_needed_for_probabilities_alone(model):
    clf = model.select(max_rules=1)
    few = TEST[sorted(names_tested(clf.rules_))]
    assert (clf.predict(few) == clf.predict(TEST)).all()
    assert clf.explain(few[:1])[0].probability is None
    with pytest.raises((DataError, ValueError)):
        clf.predict_proba(few)


def test_models_in_files_and_copies_have_the_same_probabilities(model):
    likely = model.predict_proba(TEST).tolist()
    text = irenic.dumps(model, format="json")
    for again in (irenic.read_model(text), pickle.loads(pickle.dumps(model))):
        assert again.predict_proba(TEST).tolist() == likely
        assert str(again.chosen_.probabilities) == str(model.chosen_.probabilities)
        assert again.chosen_.coverage == model.chosen_.coverage


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda m: m["regions"][0].update({"then": 1}),
            '"regions": regions must have the consequents 0, 1, …',
        ),
        (
            lambda m: m["front"][0].pop("region_rows"),
            '"region_rows" is missing; a model with "regions" needs',
        ),
        (
            lambda m: m["regions"][0].update({"if": {}}),
            '"regions": regions must not overlap, got rule 1 says 0',
        ),
    ],
)
def test_edited_regions_are_rejected(model, change, message):
    changed = json.loads(irenic.dumps(model, format="json"))
    change(changed["model"])
    with pytest.raises(FormatError, match=message):
        irenic.read_model(json.dumps(changed, indent=1))


def test_weights_count_like_repeated_rows():
    once = quick(**VALIDATED, max_rules=2).fit(X[:200], Y[:200], sample_weight=np.full(200, 2))
    twice = quick(**VALIDATED, max_rules=2).fit(pd.concat([X[:200]] * 2), [*Y[:200], *Y[:200]])
    assert once.predict_proba(TEST) == pytest.approx(twice.predict_proba(TEST))


def test_abstaining_has_probabilities_too():
    frame, labels = people(300)
    clf = quick(**VALIDATED, default="abstain").fit(frame, labels).select(index=0)
    likely = clf.predict_proba(frame)
    assert likely.sum(axis=1) == pytest.approx(1.0)
    none = np.array([label is None for label in clf.predict(frame)])
    assert none.any()
    assert clf.chosen_.probabilities.rows[-1, -1] == none.sum()
    again = irenic.read_model(irenic.dumps(clf, format="json"))
    assert again.predict_proba(frame).tolist() == likely.tolist()


@given(st.integers(0, 99))
def test_the_opinion_counts_for_as_many_rows_as_make_rows_left_out_most_likely(seed):
    rng = np.random.default_rng(seed)
    n, (n_codes, n_regions, n_labels) = 30, (3, 4, 3)
    shape = n_codes, n_regions + 1, n_labels
    trials = [
        FoldPredictions(
            Seen(rng.integers(0, 9, shape).astype(float), rng.random(shape)),
            rng.integers(0, n_codes, n),
            rng.integers(-1, n_regions, n),
        )
        for _ in range(2)
    ]
    codes, weight = rng.integers(0, n_labels, 2 * n), rng.random(2 * n)
    folds = Validation(np.zeros((2 * n, 1)), weight, weight, codes, (), (tuple(trials),))
    overall = np.full(n_labels, 1 / n_labels)

    def loss(rows):
        likely = folds.probabilities(0, rows, overall)
        return -sum(w * math.log(p[k]) for w, p, k in zip(weight, likely, codes, strict=True))

    assert loss(folds.opinion(0, overall)) == pytest.approx(min(map(loss, _PRIORS)))


# --- scoring


def brier(estimator, X, y):
    """Return minus the Brier score."""
    return -float(((estimator.predict_proba(X)[:, 1] - (y == "yes")) ** 2).mean())


@pytest.mark.parametrize(
    ("scoring", "truth"),
    [
        ("log_loss", lambda y, likely: -log_loss(y, likely)),
        ("roc_auc", lambda y, likely: roc_auc_score(y, likely[:, 1])),
        (brier, lambda y, likely: -float(((likely[:, 1] - (y == "yes")) ** 2).mean())),
    ],
)
def test_scores_of_probabilities(scoring, truth):
    clf = quick(**VALIDATED, scoring=scoring).fit(X, Y)
    assert clf.chosen_.training_score == pytest.approx(truth(Y, clf.predict_proba(X)))
    best = max(point.validated_score for point in clf.pareto_front_)
    assert clf.chosen_.validated_score == pytest.approx(best)
    new = truth(TRUTH, clf.predict_proba(TEST))
    assert clf.estimate_.low - 0.03 < new < clf.estimate_.high + 0.03
    assert clf.estimate_.low < clf.estimate_.score < clf.estimate_.high


def test_a_scorer_by_name_is_that_of_scikit_learn():
    few, ones = (X[:300], Y[:300]), (Y[:300] == "yes").astype(int)
    named = quick(**VALIDATED, scoring="neg_brier_score").fit(few[0], ones)
    made = quick(**VALIDATED, scoring=lambda e, X, y: -((e.predict_proba(X)[:, 1] - y) ** 2).mean())
    scores = [point.validated_score for point in named.pareto_front_]
    other = [point.validated_score for point in made.fit(few[0], ones).pareto_front_]
    assert scores == pytest.approx(other)
    assert irenic.summarize(named)["score"] == "the score neg_brier_score"
    # predictions can be scored, too
    share = make_scorer(lambda y, predicted: np.mean(y == predicted))
    scored, plain = (quick(**VALIDATED, scoring=s).fit(*few) for s in (share, "accuracy"))
    for name in ("validated_score", "training_score"):
        expected = [getattr(point, name) for point in plain.pareto_front_]
        assert [getattr(point, name) for point in scored.pareto_front_] == pytest.approx(expected)


def test_names_and_callables_that_cannot_be_used():
    text = (
        "scoring must be 'accuracy', 'balanced_accuracy', 'log_loss', 'roc_auc' or another scorer"
        " of scikit-learn, got 'rocauc'; did you mean 'roc_auc'?"
    )
    refused(text, quick(**VALIDATED, scoring="rocauc").fit, X, Y)
    text = "selection must be 'validation' if scoring is 'log_loss', got 'description'"
    refused(text, quick(scoring="log_loss").fit, X, Y)
    with pytest.raises(DataError, match="scoring cannot be used for these labels: y_true takes"):
        quick(**VALIDATED, scoring="neg_brier_score").fit(X[:100], Y[:100])
    text = (
        "scoring must be 'accuracy' or 'balanced_accuracy' if there are more than 50 labels, got"
        " 'log_loss'"
    )
    refused(text, quick(**VALIDATED, scoring="log_loss").fit, X, np.arange(len(X)) % 51)


def weighted(estimator, X, y, sample_weight=None):
    errors = (estimator.predict_proba(X)[:, 1] - (y == "yes")) ** 2
    return -float(np.average(errors, weights=sample_weight))


@given(st.integers(0, 99))
def test_a_judge_weights_rows(seed):
    rng = np.random.default_rng(seed)
    labels, truth = np.array(["no", "yes"]), np.append([0, 1], rng.integers(0, 2, 40))
    second = rng.random(42)
    likely = np.stack([1 - second, second], axis=1)
    weight, times = rng.uniform(0.1, 3.0, 42), rng.integers(1, 4, 42)
    known = {"sample_weight": weight * times}
    for scoring, expected in [
        ("average_precision", average_precision_score(truth, second, **known)),
        ("roc_auc", roc_auc_score(truth, second, **known)),
        (weighted, -np.average((second - truth) ** 2, weights=weight * times)),
    ]:
        ones = truth if scoring == "average_precision" else labels[truth]
        judge = Judge.of(scoring, np.unique(ones), truth, weight)
        assert judge.score(likely, truth, times) == pytest.approx(expected)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=20).filter(any))
@example([1, 3, 1])
def test_a_scorer_without_weights_gets_rows_in_proportion(times):
    weight = np.array(times, dtype=float)
    assert in_proportion(weight).tolist() == np.repeat(np.arange(len(times)), times).tolist()
    many = in_proportion(weight * 100.3)
    assert np.bincount(many, minlength=len(times)) == pytest.approx(weight * 100.3, abs=1.0)
    (one,) = in_proportion(weight / (10.0 * weight.sum()))
    assert weight[one] > 0


def test_labels_of_a_sample_keep_their_shares_in_all_scores(monkeypatch):
    """A sample has more rows of a rare label; the scores are still those of all rows."""
    monkeypatch.setattr("irenic.learn._classifier.ROW_LIMIT", 1_000)
    rng = np.random.default_rng(0)

    def rare(n):
        X = rng.random((n, 3))
        return X, (rng.random(n) < np.where(X[:, 0] > 0.9, 0.25, 0.01)).astype(int)

    def precision(estimator, X, y):
        return average_precision_score(y, estimator.predict_proba(X)[:, 1])

    (X, y), (test, truth) = rare(6_000), rare(50_000)
    for scoring in ("average_precision", precision):
        clf = quick(**VALIDATED, scoring=scoring).fit(X, y)
        assert clf.chosen_.validated_score == pytest.approx(precision(clf, test, truth), abs=0.07)


# --- the share of rows that rules decide


def test_rule_sets_that_decide_more_can_be_selected(model):
    most = max(point.coverage for point in model.pareto_front_)
    assert model.select(min_coverage=most).chosen_.coverage == most
    text = (
        "min_coverage must be at most 0.000, the highest share of rows that rules decide in a rule"
        " set of the front, got 1.0; use complete=True, or default='abstain'"
    )
    refused(text, model.select, min_coverage=1.0, max_rules=0, error=irenic.ConditionError)
    with pytest.raises(irenic.ConditionError, match=r"min_coverage must be from 0 to 1, got 2"):
        model.select(min_coverage=2)
    with pytest.raises(irenic.ConditionError, match="index must not be combined with max_rules"):
        model.select(index=0, min_coverage=0.5)


# --- the benchmark


def test_measures_of_probabilities():
    truth, likely = np.array([0, 1, 1, 0]), np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [1, 0]])
    right, f1, loss, area, squares, gap = measures(truth, likely, likely.argmax(axis=1)).values()
    assert f1 == pytest.approx((4 / 5 + 2 / 3) / 2)
    assert loss == pytest.approx(log_loss(truth, likely), abs=1e-4)
    assert area == roc_auc_score(truth, likely[:, 1])
    assert squares == pytest.approx(((likely[:, 1] - truth) ** 2).mean(), abs=1e-5)
    assert right == 0.75
    assert gap == pytest.approx((0.05 * 2 + 0.2 + 0.6) / 4, abs=1e-4)


def test_a_benchmark_of_quality_continues_where_it_was(tmp_path, capsys):
    out = tmp_path / "records.jsonl"
    trees = ["--sets", "iris", "--out", str(out), "--learners", "tree 8", "pruned"]
    quality.main(trees)
    assert len(out.read_text().splitlines()) == 2 * 5
    capsys.readouterr()
    quality.main([*trees, "irenic", "tree, same size"])
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(records) == 4 * 5
    rules = {(one["fold"], one["learner"]): one["rules"] for one in records}
    assert all(rules[i, "tree, same size"] == max(2, rules[i, "irenic"]) for i in range(5))
    printed = capsys.readouterr().out
    accuracy = np.mean([one["accuracy"] for one in records if one["learner"] == "pruned"])
    assert f"| pruned | {accuracy:.3f} |" in printed
    assert accuracy > 0.9


# --- columns with many values


def test_columns_of_noise_with_many_values_add_no_rule():
    for seed in (0, 2):
        rng = np.random.default_rng(seed)
        n = 4000
        table = {
            "customer": [f"customer {i}" for i in range(n)],
            "zip": [f"zip {i}" for i in rng.integers(0, 1000, n)],
            "a": rng.random(n),
        }
        labels = np.where(rng.random(n) < np.where(table["a"] > 0.6, 0.75, 0.2), "yes", "no")
        clf = quick(**VALIDATED | {"random_state": seed, "forbidden": []}).fit(table, labels)
        regions = clf.chosen_.probabilities.regions
        assert "customer" not in names_tested(clf.rules_, regions)
        assert names_tested(clf.rules_) == {"a"}


def test_a_category_of_sixty_values_that_matters_is_found():
    rng = np.random.default_rng(0)
    value = rng.integers(0, 60, 3000)
    labels = np.where(rng.random(3000) < np.where(value % 4 == 0, 0.8, 0.2), "yes", "no")
    clf = quick(**VALIDATED).fit({"city": [f"city {i}" for i in value]}, labels)
    assert len(clf.rules_) == 1
    assert clf.rules_.covering({"city": [f"city {i}" for i in range(60)]})[:, 0].sum() == 15
