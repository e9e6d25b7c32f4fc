"""The learning classifier systems: consistent at every step, and proper scikit-learn estimators."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

import irenic
import strategies as sts
from irenic import ConditionError, DataError, Region, Rule, RuleSet, enlarge
from irenic.learn import RuleLearner
from irenic.systems import (
    UCS,
    Individual,
    MichiganClassifier,
    PittsburghClassifier,
    Population,
    TrainingRows,
    Variation,
    cross_regions,
    crowding,
    draw_region,
    mutate_region,
    pareto_ranks,
    survivors,
)
from irenic.systems._operators import pick
from learn.fitting import consistent_by_z3, people

IRIS = load_iris(return_X_y=True)
PEOPLE = people(80)
SETS = [{"old"} if age > 50 else {"young", "cheap"} for age in PEOPLE[0]["age"].fillna(0)]


class WatchedPittsburgh(PittsburghClassifier):
    def watch(self, generation, population):
        assert len(population) == self.population_size
        for individual in population:
            assert len(individual.rules.conflicts()) == 0
            assert len(individual.rules) <= self.max_rules


class WatchedMichigan(MichiganClassifier):
    def watch(self, time, population):
        assert len(population.rules.conflicts(limit=1)) == 0
        assert population.numerosity.sum() <= self.population_size
        covers = population.rules.covering(population.rows.instances)
        assert (population.covers == covers.T).all()
        row = time % len(covers)
        assert population.matching(row).tolist() == np.flatnonzero(covers[row]).tolist()
        assert [population.rows.consequents[code] for code in population.codes] == (
            population.rules.thens
        )


def quick(kind, **options):
    """Return a learner that takes a few tenths of a second to fit."""
    few = {"population_size": 24, "generations": 6}
    if issubclass(kind, MichiganClassifier):
        few = {"population_size": 60, "steps": 400}
    return kind(**{"random_state": 0} | few | options)


BOTH = pytest.mark.parametrize("kind", [PittsburghClassifier, MichiganClassifier])
WATCHED = pytest.mark.parametrize("kind", [WatchedPittsburgh, WatchedMichigan])


@parametrize_with_checks([MichiganClassifier(population_size=60, steps=150)])
def test_scikit_learn_finds_nothing_wrong(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([PittsburghClassifier(population_size=12, generations=6)])
def test_scikit_learn_finds_nothing_wrong_with_the_other_one(estimator, check):
    """They share all code that checks and reads what they are given."""
    check(estimator)


@WATCHED
@pytest.mark.parametrize("y", [PEOPLE[1], SETS], ids=["labels", "sets"])
def test_rules_are_consistent_at_every_step(kind, y):
    model = quick(kind).fit(PEOPLE[0], y)
    assert model.certificate_.is_consistent
    assert consistent_by_z3(model.rules_)
    for decision, predicted in zip(model.explain(PEOPLE[0]), model.predict(PEOPLE[0]), strict=True):
        assert decision.then == predicted
        assert decision.support[0] > 0
        assert 0 <= decision.confidence[0] <= 1
    assert kind.__name__ in model._repr_html_()


@pytest.mark.parametrize("seed", sts.seeds(1, of=6))
@WATCHED
def test_rules_of_noise_are_consistent_at_every_step(kind, seed):
    X, y = people(60, seed, noise=1.0)
    assert quick(kind, random_state=seed).fit(X, y).rules_.is_consistent


@BOTH
@pytest.mark.parametrize("conflicts", ["best", "vote"])
def test_conflicts_are_resolved_if_they_are_allowed(kind, conflicts):
    model = quick(kind, conflicts=conflicts).fit(*PEOPLE)
    predicted = model.rules_.predict(PEOPLE[0], resolve=conflicts)
    assert (model.predict(PEOPLE[0]) == predicted).all()
    assert model.score(*PEOPLE) > 0.5


@pytest.mark.parametrize("y", [PEOPLE[1], SETS], ids=["labels", "sets"])
@BOTH
def test_allowed_conflicts_differ_in_cfsbe_alone(kind, y):
    class Avoiding(kind):
        """Conflicts are allowed, and there are none, because CFSBE is used all the same."""

        def room(self, rules, seed, then, rng):
            return enlarge(rules, seed, consequent=then, order="random", random_state=rng)

        def rivals(self, rules, rule):
            return rules.rivals_of(rule.region, rule.then)

    allowed, avoided = (
        quick(Avoiding, conflicts=how).fit(PEOPLE[0], y) for how in ("best", "avoid")
    )
    for one, other in zip(allowed.pareto_front_, avoided.pareto_front_, strict=True):
        assert one.training_score == other.training_score
        pairs = ([(r.region, r.then) for r in point.rule_set] for point in (one, other))
        assert sorted(next(pairs), key=str) == sorted(next(pairs), key=str)
    if kind is MichiganClassifier:
        assert allowed.population_ == avoided.population_
    free = quick(kind, conflicts="best").fit(PEOPLE[0], y)
    found = [getattr(free, "population_", free.rules_), *(p.rule_set for p in free.pareto_front_)]
    assert any(len(rules.conflicts()) for rules in found)


@pytest.mark.parametrize(
    ("kind", "group", "options"),
    [
        (PittsburghClassifier, Variation, {"first_rules": 2, "tournament": 5, "crossover": 0.9}),
        (PittsburghClassifier, Variation, {"mutation": 0.0, "add": 0.5, "remove": 0.5}),
        (MichiganClassifier, UCS, {"power": 1, "learning_rate": 0.9, "interval": 5}),
        (MichiganClassifier, UCS, {"crossover": 0.0, "tournament": 1.0, "unfit": 1.0}),
        (MichiganClassifier, UCS, {"subsumption": False, "min_rows": 9, "smoothing": 0.0}),
        (MichiganClassifier, UCS, {"min_gain": 9.0}),
    ],
)
def test_each_number_of_a_group_changes_the_rules_and_is_written(kind, group, options, tmp_path):
    name = {UCS: "ucs", Variation: "variation"}[group]
    usual = quick(kind).fit(*PEOPLE)
    for key, value in options.items():
        model = quick(kind).set_params(**{f"{name}__{key}": value}).fit(*PEOPLE)
        assert list(model.pareto_front_) != list(usual.pareto_front_), key
        assert model.rules_.is_consistent
    model = quick(kind, **{name: group(**options)})
    assert repr(clone(model).get_params()[name]) == repr(group(**options))
    as_dict = quick(kind, **{name: options}).fit(*PEOPLE)
    assert as_dict.rules_ == model.fit(*PEOPLE).rules_
    irenic.write(model, tmp_path / "model.json")
    again = irenic.read_model(tmp_path / "model.json")
    assert repr(again.get_params()[name]) == repr(group(**options))


def test_wrong_numbers_are_rejected():
    with pytest.raises(ValueError, match="'learning_rate' parameter of UCS must be a float in"):
        quick(MichiganClassifier, ucs=UCS(learning_rate=2)).fit(*PEOPLE)
    with pytest.raises(ValueError, match="'subsumption' parameter of UCS must be"):
        quick(MichiganClassifier, ucs={"subsumption": "no"}).fit(*PEOPLE)
    with pytest.raises(ValueError, match="'tournament' parameter of Variation must be an int"):
        quick(PittsburghClassifier, variation=Variation(tournament=0)).fit(*PEOPLE)
    with pytest.raises(ConditionError, match="Variation has no parameter 'crosover'; did you mean"):
        quick(PittsburghClassifier, variation={"crosover": 0.1}).fit(*PEOPLE)


def test_a_learner_of_ones_own_has_to_return_rules():
    class Nothing(RuleLearner):
        def learn(self, rows, rng):
            return []

    with pytest.raises(ValueError, match="learn must return at least one rule set, got none"):
        Nothing().fit(*PEOPLE)
    with pytest.raises(TypeError, match="abstract"):
        RuleLearner()


@BOTH
def test_a_fit_is_reproducible_and_depends_on_the_random_state(kind):
    few = {"steps": 100} if kind is MichiganClassifier else {"generations": 2}
    fits = (quick(kind, random_state=s, **few).fit(*PEOPLE).rules_ for s in (1, 1, 2))
    first, second, third = fits
    assert first == second != third


@pytest.mark.parametrize(
    ("kind", "conflicts"),
    [
        (PittsburghClassifier, "avoid"),
        (PittsburghClassifier, "best"),
        (MichiganClassifier, "avoid"),
        (MichiganClassifier, "vote"),
    ],
)
def test_sets_of_labels_and_matrices_are_learned_alike(kind, conflicts):
    X, model = PEOPLE[0], quick(kind, conflicts=conflicts, random_state=1)
    sets = clone(model).fit(X, SETS)
    assert sets.classes_.tolist() == ["cheap", "old", "young"]
    assert sets.score(X, SETS) > 0.7
    matrix = np.array([[label in row for label in sets.classes_] for row in SETS]).astype(int)
    by_matrix = clone(model).fit(X, matrix)
    assert by_matrix.predict(X).shape == by_matrix.predict_proba(X).shape == matrix.shape
    assert by_matrix.score(X, matrix) == sets.score(X, SETS)


@BOTH
def test_iris_is_learned(kind):
    more = {"steps": 1_500} if kind is MichiganClassifier else {"generations": 12}
    model = quick(kind, population_size=60, **more).fit(*IRIS)
    assert model.score(*IRIS) > 0.93
    assert len(model.rules_) <= 12


@BOTH
def test_wrong_data_are_rejected(kind):
    with pytest.raises(DataError, match="y must have at least two classes, got one class: a"):
        kind().fit({"x": [1, 2]}, ["a", "a"])
    with pytest.raises(ValueError, match="'conflicts' parameter"):
        kind(conflicts="no").fit({"x": [1, 2]}, ["a", "b"])


def test_the_front_is_sorted_and_the_most_accurate_rule_set_is_used():
    model = quick(PittsburghClassifier, max_rules=5).fit(*PEOPLE)
    front = model.pareto_front_
    sizes = [(point.n_rules, point.n_conditions) for point in front]
    assert sizes == sorted(sizes)
    assert front.chosen is model.chosen_
    best = max(point.training_score for point in front)
    assert model.chosen_.training_score == best == pytest.approx(model.score(*PEOPLE))
    assert len(model.rules_) <= 5


def rows_of(X, y):
    return TrainingRows.from_table(X, list(y))


ROWS = rows_of(*PEOPLE)


@given(st.integers(0, 10_000))
def test_operators_keep_their_row_and_their_room(seed):
    rng, rows = np.random.default_rng(seed), ROWS
    learner = PittsburghClassifier()
    rules = RuleSet(space=rows.space)
    for _ in range(4):
        free = np.flatnonzero(~rules.covering(rows.instances).any(axis=1))
        if len(free):
            row = int(rng.choice(free))
            rule = learner.new_rule(rules, row, rows, rng)
            assert rule.region.contains(rows.instances)[row]
            rules.add(rule)
    row = int(rng.integers(len(rows)))
    drawn = draw_region(rows, row, rng)
    assert drawn.contains(rows.instances)[row]
    assert cross_regions(drawn, draw_region(rows, row, rng), rng).contains(rows.instances)[row]
    for rule in rules:
        own = int(np.flatnonzero(rule.region.contains(rows.instances))[0])
        room = enlarge(rules, rule, order="random", random_state=rng)
        mutant = mutate_region(rule.region, room, rows, own, rng)
        assert mutant <= room
        assert mutant.contains(rows.instances)[own]
        changed = learner.mutate_rule(rules, rule, rows, rng)
        assert not len(rules.rivals_of(changed.region, changed.then))
    stranger = Rule(drawn, then=rows.then(row))
    fitted = learner.fit_in(rules, stranger, rows, rng)
    if fitted is not None:
        assert fitted.region <= drawn
        assert not len(rules.rivals_of(fitted.region, fitted.then))


def test_conditions_of_rules_exclude_what_no_row_has():
    rows = rows_of({"age": [1.0, 2.0, 3.0], "job": ["a", "b", "c"]}, "xxy")
    space = rows.space
    assert str(rows.rated(Region(space, {"job": ["a"]}), "x").region) == "job in {a}"
    assert rows.rated(Region(space, {"age": {">": 5}}), "x") is None
    ours, theirs = np.random.default_rng(1), np.random.default_rng(1)
    for n in range(1, 50):  # random picks are those of numpy
        assert pick(range(n), ours) == theirs.choice(n)


@given(st.integers(0, 10_000))
def test_a_population_finds_rules_that_equal_or_contain_a_rule(seed):
    rng, rows = np.random.default_rng(seed), ROWS
    population = Population(rows, force=True)
    copies: dict[tuple, int] = {}
    for time in range(30):
        rule = rows.rated(draw_region(rows, int(rng.integers(8)), rng), rows.then(0))
        known = [
            i
            for i, other in enumerate(population.rules)
            if (other.then, other.weight >= rule.weight) == (rule.then, True)
            and rule.region <= other.region
        ]
        assert population.containing(rule) == (known[0] if known else None)
        population.add(rule, time)
        copies[rule.region, rule.then] = copies.get((rule.region, rule.then), 0) + 1
        if rng.random() < 0.3:
            removed = population.remove(int(rng.integers(len(population))))
            del copies[removed.region, removed.then]
    counts = zip(population.rules, population.numerosity, strict=True)
    assert {(rule.region, rule.then): n for rule, n in counts} == copies


def test_covering_lets_a_weaker_rival_give_way():
    rows = rows_of({"age": list(range(40))}, ["low"] * 20 + ["high"] * 20)
    population = Population(rows, force=False)
    population.add(rows.rated(Region(rows.space), "low"), time=1)
    rng = np.random.default_rng(0)
    for _ in range(20):
        MichiganClassifier().cover(population, 39, 2, rng)
        assert population.rules.is_consistent
    assert "high" in population.rules.thens


PAIRS = st.tuples(st.integers(0, 4), st.integers(0, 4))


@given(st.lists(PAIRS, min_size=1, max_size=12))
def test_ranks_are_those_of_repeated_removal(pairs):
    costs = np.array(pairs, dtype=float)
    ranks, left, rank = {}, set(range(len(pairs))), 0
    while left:
        front = {
            i
            for i in left
            if not any((costs[j] <= costs[i]).all() and (costs[j] < costs[i]).any() for j in left)
        }
        ranks |= dict.fromkeys(front, rank)
        left, rank = left - front, rank + 1
    assert pareto_ranks(costs).tolist() == [ranks[i] for i in range(len(pairs))]
    assert (crowding(costs) >= 0).all()


@given(st.lists(PAIRS, min_size=6, max_size=12))
def test_survivors_include_the_best_of_each_objective(pairs):
    kept = survivors([Individual(RuleSet(), pair) for pair in pairs], 4)
    assert len(kept) == 4
    for k in range(2):
        assert min(one.objectives[k] for one in kept) == min(pair[k] for pair in pairs)
