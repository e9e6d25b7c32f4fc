"""Learning rules that decide some labels: consistent at every step, and decided together."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_heads as slow
import strategies as sts
from irenic import DataError, RuleSet
from irenic.learn.target import Consequents, Target, row_f1
from irenic.model import Head
from irenic.systems import MichiganClassifier, PittsburghClassifier, TrainingRows
from learn.fitting import people

X, _ = people(80)
AGES = X["age"].fillna(0).to_numpy()
NAMES = ["even", "old", "young"]
SETS = [
    {"old"} if age > 50 else {"young"} | ({"even"} if row % 2 else set())
    for row, age in enumerate(AGES)
]
MATRIX = np.array([[name in row for name in NAMES] for row in SETS]).astype(int)
FEW = {
    PittsburghClassifier: {"population_size": 20, "generations": 5},
    MichiganClassifier: {"population_size": 50, "steps": 300},
}
BOTH = pytest.mark.parametrize("kind", [PittsburghClassifier, MichiganClassifier])


def quick(kind, **options):
    few = next(options for base, options in FEW.items() if issubclass(kind, base))
    return kind(**{"random_state": 0, "heads": "partial"} | few | options)


def assert_free_of_contradictions(rules):
    for a, b in combinations(rules, 2):
        assert not (a.region.overlaps(b.region) and slow.clash(a.then, b.then, NAMES))


class WatchedPittsburgh(PittsburghClassifier):
    def watch(self, generation, population):
        for individual in population:
            assert_free_of_contradictions(individual.rules)
            assert all(isinstance(then, Head) for then in individual.rules.thens)


class WatchedMichigan(MichiganClassifier):
    def watch(self, time, population):
        if time % 5 == 0:
            assert_free_of_contradictions(population.rules)
        covers = population.rules.covering(population.rows.instances)
        assert (population.covers == covers.T).all()


@pytest.mark.parametrize("kind", [WatchedPittsburgh, WatchedMichigan])
@pytest.mark.parametrize("seed", sts.seeds(1, of=4))
def test_no_label_is_decided_differently_at_any_step(kind, seed):
    model = quick(kind, random_state=seed).fit(X, SETS)
    assert model.certificate_.is_consistent
    assert_free_of_contradictions(model.rules_)


@BOTH
@pytest.mark.parametrize("conflicts", ["avoid", "best", "vote"])
def test_predictions_are_what_the_rules_decide_together(kind, conflicts):
    model = quick(kind, conflicts=conflicts).fit(X, SETS)
    assert model.rules_.is_partial
    sets = model.rules_.predict(X, resolve=None if conflicts == "avoid" else conflicts).tolist()
    assert model.predict(X).tolist() == sets
    predicted = np.array([[name in row for name in NAMES] for row in sets])
    score = row_f1(MATRIX.astype(float), predicted).mean()
    assert model.chosen_.training_score == pytest.approx(score)
    assert score > 0.6
    assert model.score(X, SETS) == np.mean([a == b for a, b in zip(sets, SETS, strict=True)])
    assert [decision.then for decision in model.explain(X)] == sets
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (len(X), 3)
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    assert kind.__name__ in model._repr_html_()
    if conflicts == "avoid":
        matrix = quick(kind).fit(X, MATRIX)
        assert matrix.predict(X).tolist() == predicted.astype(int).tolist()
        # probabilities are means of the rules that decide a label
        frequencies, covers = model.chosen_.counts.frequencies, model.rules_.covering(X)
        for row, got in enumerate(probabilities):
            for place, name in enumerate(NAMES):
                rules = np.flatnonzero(covers[row])
                deciding = [i for i in rules if name in model.rules_.thens[i]] or [-1]
                assert got[place] == pytest.approx(frequencies[deciding, place].mean())


@BOTH
def test_one_label_per_row_needs_whole_heads(kind):
    message = 'heads="partial" needs rows with several labels, got one label per row; use heads="w'
    with pytest.raises(DataError, match=message):
        quick(kind).fit(X, ["a", "b"] * 40)
    with pytest.raises(ValueError, match="'heads' parameter"):
        quick(kind, heads="some").fit(X, SETS)


class Kept(PittsburghClassifier):
    def learn(self, rows, rng):
        self.rows = TrainingRows.of(rows)
        return super().learn(rows, rng)


LEARNER = quick(Kept, generations=0).fit(X, SETS)
ROWS = LEARNER.rows


def test_heads_are_single_labels_and_frequent_pairs():
    target = Target.sets(SETS)
    consequents = Consequents.partial(target, np.ones(len(SETS)))
    heads = consequents.values()
    pair = Head({"even": True, "young": True})
    assert heads == [*(Head({n: v}) for n in NAMES for v in (True, False)), pair]
    right = [[all((n in row) == v for n, v in head.items()) for head in heads] for row in SETS]
    assert (consequents.gains(target.truth) == right).all()
    share = [[np.mean([(n in s) == v for n, v in h.items()]) for h in heads] for s in SETS]
    assert consequents.agreement(target.truth) == pytest.approx(np.array(share))


@given(st.integers(0, 10_000))
def test_operators_keep_heads_consistent_and_rules_right_for_their_row(seed):
    rng, rows, learner = np.random.default_rng(seed), ROWS, LEARNER
    rules = RuleSet(space=rows.space)
    for row in rng.choice(len(rows), 8).tolist():
        before = rows.states(rules, row)
        rule = learner.new_rule(rules, row, rows, rng)
        if rule is None:
            assert_nothing_needed(rows, before, row)
            continue
        assert rule.region.contains(rows.instances)[row]
        assert all((name in SETS[row]) == value for name, value in rule.then.items())
        rules.add(rule)  # would raise if it contradicted another rule
    assert_free_of_contradictions(rules)
    assert_free_of_contradictions(learner.child(rules, rules.copy(), rows, rng))
    states = rows.states(rules)
    expected, _ = rules.decide_labels(rows.instances, rows.labels)
    assert (states == expected).all()
    score, default = rows.decided(rules, "first")
    rules.default = default
    predicted = rules.predict(rows.instances)
    present = np.array([[n in (s or ()) for n in NAMES] for s in predicted])
    assert score == pytest.approx(row_f1(rows.truth, present).mean())


def assert_nothing_needed(rows, states, row):
    """Assert that each open label is right by default, or that a wrong rule is in the way."""
    needed = rows.needed(states, None, row)[0]
    wrong = states[0] * (2 * rows.truth[row] - 1) < 0
    assert not needed.any() or wrong.any()


def test_whole_consequents_are_drawn_as_before():
    rows = TrainingRows.from_table({"age": [20, 30, 40]}, ["low", "low", "high"])
    rng = np.random.default_rng(0)
    assert rows.right(2, rng).tolist() == [True, False]
    assert rows.suited("low").tolist() == [True, True, False]
    assert rng.random() == np.random.default_rng(0).random()
