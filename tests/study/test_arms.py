"""Tests of the arms of the study: what they learn, what it takes, and how rules are repaired."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.datasets import Single
from irenic import Categorical, Continuous, Region, Rule, RuleSet, Space
from irenic.learn import evolution
from irenic.learn.cells import Cells
from irenic.learn.run import Plan, prepare
from irenic.learn.sample import Sample
from irenic.learn.target import Target
from irenic.systems import MichiganClassifier, PittsburghClassifier
from learn import naive_evolution as naive
from study import arms, learners
from study.counted import GUARDS, Counted

ARMS = arms.ARMS
# a budget only multiplies the number of evaluations, so one of each kind and host is run
ONCE = {name: arm for name, arm in ARMS.items() if arm.budget == 1}
ANNEALED = [name for name, arm in ONCE.items() if arm.host == arms.ANNEALING]
SYSTEMS = [name for name in ONCE if name not in ANNEALED]
AVOIDING = [name for name, arm in ONCE.items() if arm.resolve == "avoid"]
SETTLING = [name for name, arm in ONCE.items() if arm.resolve != "avoid"]
PLAIN = arms.name_of(arms.PLAIN, 1)
BUDGET = 4_000
# rule sets and rows of learning classifier systems take longer
BUDGETS = {name: BUDGET if name in ANNEALED else 960 for name in ONCE}


def table(n=240, noise=0.0, seed=0):
    """Return columns of both kinds with missing values, and labels of three classes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.random(n), "b": rng.random(n), "d": rng.random(n)})
    X["c"] = pd.Categorical(rng.choice(["x", "y", "z"], n).astype(object))
    y = np.where(X["a"] < 0.4, "low", np.where(X["c"] == "x", "one", "two")).astype(object)
    wrong = rng.random(n) < noise
    y[wrong] = rng.choice(["low", "one", "two"], wrong.sum())
    X.loc[rng.random(n) < 0.1, "b"] = np.nan
    X.loc[rng.random(n) < 0.1, "d"] = np.nan
    return X, y


def sets(X, noise=0.0, seed=0):
    """Return sets of up to two labels for the rows of a table, some of them empty."""
    rng = np.random.default_rng(seed)
    y = np.empty(len(X), dtype=object)
    for i, (a, c) in enumerate(zip(X["a"], X["c"], strict=True)):
        if rng.random() < noise:
            y[i] = frozenset(np.flatnonzero(rng.random(2) < 0.5).tolist())
        else:
            y[i] = frozenset([*([0] if a < 0.4 else []), *([1] if c == "x" else [])])
    return y


SEED = 4  # with which all arms that let contradictions be have some


def watched(arm, X, y, seed=SEED):
    """Return what an arm learned, and the rows and the rule sets of its last run of evolution.

    Learning classifier systems do not use the evolution of the annealing host.
    """
    runs = []

    def evolve(rows, *rest):
        runs.append((rows, evolution.evolve(rows, *rest)))
        return runs[-1][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arms, "evolve", evolve)
        learned = arms.learn(arm, X, y, evaluations=BUDGETS[arm.name], random_state=seed)
    assert len(runs) == (2 if arm.host == arms.ANNEALING else 0)
    return learned, *(runs[-1] if runs else (None, []))


@pytest.fixture(scope="module")
def noisy():
    """Return noisy rows, and what each arm makes of them."""
    X, y = table(noise=0.5)
    return X, y, {name: watched(arm, X, y) for name, arm in ONCE.items()}


@pytest.fixture(scope="module")
def noisy_sets():
    """Return rows with noisy sets of labels, and what some arms make of them."""
    X, _ = table()
    y = sets(X, noise=0.5)
    return X, y, {name: watched(ONCE[name], X, y, seed=1) for name in [*AVOIDING, PLAIN]}


def share(found, y):
    return float((found == y).mean())


def most_frequent(y):
    return max((y == label).mean() for label in set(y))


def f1(found, y):
    """Return the sum of the F1 of all rows, by its definition."""
    total = 0.0
    for a, b in zip(found, y, strict=True):
        precision = len(a & b) / len(a) if a else float(not b)
        recall = len(a & b) / len(b) if b else float(not a)
        total += 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return total


def constant(y):
    """Return the sum of the F1 of all rows for the best set that is predicted everywhere."""
    return max(f1([labels] * len(y), y) for labels in set(y))


# --- names


def test_names():
    kinds = {
        arms.ANNEALING: set(arms.KINDS) - {arms.REPAIRED},
        arms.PITTSBURGH: {arms.PRIMARY, arms.PLAIN, arms.VOTE},
        arms.MICHIGAN: {arms.PRIMARY, arms.PLAIN, arms.VOTE},
    }
    assert {(arm.host, arm.kind, arm.budget) for arm in ARMS.values()} == {
        (host, kind, budget)
        for host, some in kinds.items()
        for kind in some
        for budget in (1, 4, 16)
    }
    assert len(ARMS) == 42
    assert len(set(arms.NAMES)) == 45
    for name, arm in ARMS.items():
        # budgets of a kind differ in nothing else
        assert replace(arm, budget=1) == ONCE[arms.name_of(arm.kind, 1, arm.host)]
        # whether rules of an arm may contradict each other is what the others differ in
        if arm.host == arms.ANNEALING:
            never = arm.start != "drawn" and arm.guard != "ignore"
            assert (arm.resolve == "avoid") == never
        # only the plain arm of the annealing host is repaired
        is_plain = (arm.host, arm.kind) == (arms.ANNEALING, arms.PLAIN)
        repaired = arms.name_of(arms.REPAIRED, arm.budget) if is_plain else None
        assert arms.repaired_name(name) == repaired
    assert arms.repaired_name("tree 4") is None


# --- what arms learn


@pytest.mark.parametrize("name", ONCE)
def test_every_arm_learns(name):
    X, y = table()
    learned = arms.learn(ONCE[name], X, y, evaluations=BUDGETS[name], random_state=0)
    fresh, truth = table(seed=1)
    for loose in (False, True):
        assert share(learned.predict(X, loose=loose), y) > most_frequent(y) + 0.2
        assert share(learned.predict(fresh, loose=loose), truth) > most_frequent(truth) + 0.2


@pytest.mark.parametrize("name", ONCE)
def test_every_arm_learns_sets_of_labels(name):
    X, _ = table()
    y = sets(X)
    learned = arms.learn(ONCE[name], X, y, evaluations=BUDGETS[name], random_state=0)
    fresh, _ = table(seed=1)
    for rows, truth in ((X, y), (fresh, sets(fresh))):
        found = learned.predict(rows)
        assert found.dtype == object
        assert found.shape == (len(rows),)
        assert all(type(labels) is frozenset and labels <= {0, 1} for labels in found)
        assert f1(found, truth) > constant(truth) + 0.2 * len(truth)
    # there is no tree of sets to reach
    assert np.isnan(learned.level)
    assert learned.reached() is None


@pytest.mark.parametrize("several", [False, True], ids=["one label", "sets"])
@pytest.mark.parametrize("name", AVOIDING)
def test_rules_of_avoiding_arms_never_contradict(request, name, several):
    fits = request.getfixturevalue("noisy_sets" if several else "noisy")[2]
    learned, _, found = fits[name]
    assert learned.resolve is None
    assert len({rule.then for rule in learned.loose}) > 1
    assert learned.rules.is_consistent
    assert learned.loose.is_consistent
    for candidate in found:
        rules = zip(candidate.masks.tolist(), candidate.then.tolist(), strict=True)
        assert not naive.disagreeing(list(rules))


@pytest.mark.parametrize("name", SETTLING)
def test_other_arms_settle_contradictions(noisy, name):
    X, _, fits = noisy
    learned = fits[name][0]
    assert learned.resolve == ONCE[name].resolve
    # those that let mutated rules be have contradictions here, so that there is what to settle
    if ONCE[name].guard == "ignore":
        assert len(learned.loose.conflicts())
    said = learned.loose.predict(X, resolve=learned.resolve)
    assert learned.predict(X, loose=True).tolist() == list(said)


@pytest.mark.parametrize("name", ANNEALED)
def test_predictions_and_trace_are_those_of_evolution(noisy, name):
    X, y, fits = noisy
    learned, rows, found = fits[name]
    # rows of the same cells and other labels are for another test
    assert (rows.gains.max(axis=1) == rows.gains.sum(axis=1)).all()
    assert (learned.predict(X, loose=True) == y).sum() == found[0].worth
    assert (learned.predict(X) == y).sum() in [candidate.worth for candidate in found]
    assert len(learned.loose) == len(found[0])
    check_spent(learned, BUDGET)
    seconds = [seconds for _, seconds, _ in learned.trace]
    assert seconds == sorted(seconds)
    assert seconds[0] >= 0
    accuracies = [accuracy for *_, accuracy in learned.trace]
    assert accuracies[-1] == max(candidate.worth for candidate in found) / len(y)
    assert max(accuracies) >= share(learned.predict(X, loose=True), y)
    assert most_frequent(y) <= min(accuracies) <= max(accuracies) <= 1


def check_spent(learned, budget):
    """Assert that a budget is spent to the last round of both runs."""
    turns = arms.MEMBERS * arms.GENERATIONS
    each = budget // (2 * turns)
    assert learned.evaluations == 2 * turns * each
    assert [spent for spent, *_ in learned.trace] == [each * (i + 1) for i in range(turns)]


@pytest.mark.parametrize(("name", "budget"), [*((name, 1_279) for name in ANNEALED), (PLAIN, 128)])
def test_the_budget_is_spent_to_the_last_round(name, budget):
    X, y = table(n=60, noise=0.5)
    check_spent(arms.learn(ONCE[name], X, y, evaluations=budget, random_state=1), budget)


@pytest.mark.parametrize("guard", GUARDS)
def test_turns_take_the_evaluations_that_they_are_given(guard):
    cells = np.array([[a, b] for a in range(8) for b in range(8)], dtype=np.uint8)
    right = (cells[:, 0] > 3) ^ (cells[:, 1] > 5)
    gains = np.column_stack([~right, right]).astype(float)
    rows = naive.make_rows(cells.tolist(), [8, 8], [True, True], gains.tolist())
    nothing = evolution.Candidate(np.zeros((0, 2), np.uint64), np.zeros(0, np.int16), 0)
    turns = Counted(guard, 130)
    members = ((0.05, 12), (0.5, 12), (0.05, 3))
    settings = evolution.Settings(members, generations=2, conflicts="best", turns=turns)
    evolution.evolve(rows, [nothing], settings, 0)
    evaluations, cpu, worth = zip(*turns.trace, strict=True)
    assert evaluations == (130, 260, 390, 520, 650, 780)
    assert list(cpu) == sorted(cpu)
    assert list(worth) == sorted(worth)
    assert worth[-1] > gains[:, 0].sum()


@pytest.mark.parametrize("name", [name for name in [*AVOIDING, PLAIN] if name in ANNEALED])
def test_predicted_sets_are_worth_what_evolution_believed(noisy_sets, name):
    X, y, fits = noisy_sets
    learned, _, found = fits[name]
    assert f1(learned.predict(X, loose=True), y) == pytest.approx(found[0].worth)
    worth = f1(learned.predict(X), y)
    assert any(worth == pytest.approx(candidate.worth) for candidate in found)
    best = max(candidate.worth for candidate in found)
    assert learned.trace[-1][2] == pytest.approx(best / len(y))


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_has_one_rule_set_and_no_trace(noisy, name):
    learned = noisy[2][name][0]
    assert learned.loose is learned.rules
    assert learned.trace == []
    assert np.isnan(learned.level)
    assert learned.reached() is None


def test_targets():
    found = arms._target(np.array(["q", "p", "q"], dtype=object))
    assert not found.many
    assert found.labels.tolist() == ["p", "q"]
    assert found.truth.tolist() == [[0, 1], [1, 0], [0, 1]]
    y = np.empty(3, dtype=object)
    # the first row decides what the rows have, and it may have no label
    y[:] = [frozenset(), frozenset([7, 2]), frozenset([2])]
    found = arms._target(y)
    assert found.many
    assert found.labels.tolist() == [2, 7]
    assert found.truth.tolist() == [[0, 0], [1, 1], [1, 0]]


def problem_of(X, target):
    ones = np.ones(len(X))
    instances = Space.infer(X).encode(X)
    cells = Cells.from_instances(instances, target.truth, ones)
    return Sample.of(instances, target, ones).in_cells(cells)


def test_the_best_rule_is_the_one_that_evolution_took_for_it():
    # Of the rows at 0 three are p and two are q. A rule is worth what it gets of what rows allow,
    # (3 + 1) / (3 + 2) for p there and (6 + 1) / (7 + 2) for q everywhere, so p decides at 0.
    X = pd.DataFrame({"a": [0.0] * 5 + [1.0] * 4})
    y = np.array(["p"] * 3 + ["q"] * 6, dtype=object)
    classes, codes = np.unique(y, return_inverse=True)
    target = Target.single(classes, codes)
    sample = problem_of(X, target)
    origin = prepare(sample, Plan(((0.1, 4),), init="seeds", smoothing=0.0), 0)
    rows = origin.rows
    masks, then = np.array([[0b01], [0b11]], dtype=np.uint64), np.array([0, 1], dtype=np.int16)
    candidate = evolution.Candidate(masks, then, 1).ranked(rows.cells, rows.gains)
    said = classes[evolution.predict(candidate, sample.encoded, "best")]
    assert said.tolist() == ["p"] * 5 + ["q"] * 4
    rules = arms._as_rules(candidate, arms.Arm("", "best"), sample, origin)
    assert list(rules.predict(X, resolve="best")) == said.tolist()


@pytest.mark.parametrize("name", ANNEALED)
def test_rows_that_repeat_with_other_labels_are_worth_the_same(name):
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.integers(0, 5, 200).astype(float), "b": rng.integers(0, 4, 200)})
    y = np.where(rng.random(200) < 0.3, "p", np.where(X["a"] < 2, "q", "r")).astype(object)
    learned, rows, found = watched(ONCE[name], X, y)
    assert rows.cells.shape[1] <= 20
    assert (learned.predict(X, loose=True) == y).sum() == found[0].worth


# --- what it takes


@pytest.mark.parametrize("budget", [1_920, 959, 100])
@pytest.mark.parametrize("name", [name for name in SYSTEMS if name.endswith("CFSBE, 1x")])
def test_systems_spend_their_budget(monkeypatch, name, budget):
    X, y = table(n=60)
    counts = {"rule sets": 0, "rows": 0}

    def counting(method, what):
        def counted(self, *rest):
            counts[what] += 1
            return method(self, *rest)

        return counted

    for host, method, what in (
        (PittsburghClassifier, "_individual", "rule sets"),
        (MichiganClassifier, "step", "rows"),
    ):
        monkeypatch.setattr(host, method, counting(getattr(host, method), what))
    learned = arms.learn(ONCE[name], X, y, evaluations=budget, random_state=0)
    if ONCE[name].host == arms.PITTSBURGH:
        # whole generations of 60, and at least one after the first population
        assert learned.evaluations == {1_920: 240, 959: 120, 100: 120}[budget]
        assert counts == {"rule sets": learned.evaluations, "rows": 0}
    else:
        assert learned.evaluations == budget // 4
        assert counts == {"rule sets": 0, "rows": learned.evaluations}


def test_the_base_budget_of_systems(monkeypatch):
    # 1x is about 1,000 rule sets or 2,000 rows shown, and larger budgets are multiples of it
    X, y = table(n=60)
    asked = []

    class Fake:
        population_size = PittsburghClassifier().population_size

        def __init__(self, **options):
            if options:
                asked.append(options)

        def fit(self, X, y):
            self.rules_ = RuleSet(space=Space.infer(X), default=y[0])

    monkeypatch.setattr(arms, "PittsburghClassifier", Fake)
    monkeypatch.setattr(arms, "MichiganClassifier", Fake)
    for budget in arms.BUDGETS:
        for host in (arms.PITTSBURGH, arms.MICHIGAN):
            arm = ARMS[arms.name_of(arms.VOTE, budget, host)]
            learned = arms.learn(arm, X, y, evaluations=8_000, random_state=3)
            expected = budget * (1_000 if host == arms.PITTSBURGH else 2_000)
            assert abs(learned.evaluations - expected) <= Fake.population_size / 2
    rest = {"conflicts": "vote", "random_state": 3}
    assert asked == [
        one | rest
        for one in (
            {"generations": 16},
            {"steps": 2_000},
            {"generations": 66},
            {"steps": 8_000},
            {"generations": 266},
            {"steps": 32_000},
        )
    ]


@pytest.mark.parametrize("host", arms.HOSTS)
def test_a_budget_is_a_multiple_of_the_evaluations(host):
    X, y = table(n=60, noise=0.3)
    once, *others = (ARMS[arms.name_of(arms.PLAIN, budget, host)] for budget in (1, 4, 16))
    expected = arms.learn(once, X, y, evaluations=1_920, random_state=1)
    for more in others:
        found = arms.learn(more, X, y, evaluations=1_920 // more.budget, random_state=1)
        assert found.evaluations == expected.evaluations
        assert list(found.loose) == list(expected.loose)
        assert list(found.rules) == list(expected.rules)


def test_level_is_the_accuracy_of_a_small_tree():
    y = np.repeat(np.arange(16), 4)
    X = pd.DataFrame({"a": y.astype(float)})
    target = Target.single(np.arange(16), y)
    # sixteen classes as large as each other, of which eight leaves tell eight
    assert arms.tree_accuracy(problem_of(X, target)) == 0.5


def test_reached_is_the_first_time():
    def learned(level):
        trace = [(10, 0.1, 0.5), (20, 0.3, 0.7), (30, 0.4, 0.6), (40, 0.5, 0.9)]
        empty = RuleSet(space=Space([Continuous("a")]), default="p")
        return arms.Learned(empty, empty, None, 80, trace, level)

    assert learned(0.4).reached() == (10, 0.1)
    assert learned(0.7).reached() == (20, 0.3)
    assert learned(0.8).reached() == (40, 0.5)
    assert learned(0.95).reached() is None


@pytest.mark.parametrize("name", ONCE)
def test_same_random_state_same_rules(noisy, name):
    X, y, fits = noisy
    one = fits[name][0]
    again, other = (
        arms.learn(ONCE[name], X, y, evaluations=BUDGETS[name], random_state=seed)
        for seed in (SEED, SEED + 1)
    )
    assert (list(again.rules), list(again.loose)) == (list(one.rules), list(one.loose))
    assert [(e, a) for e, _, a in again.trace] == [(e, a) for e, _, a in one.trace]
    assert list(other.loose) != list(one.loose)


def test_arms_differ(noisy):
    # two arms may find the same few rules in the end, but not on the same way
    found = [
        ([accuracy for *_, accuracy in learned.trace], list(learned.rules))
        for learned, *_ in noisy[2].values()
    ]
    assert all(a != b for i, a in enumerate(found) for b in found[:i])


# --- repairs

SPACE = Space([Continuous("a"), Continuous("b"), Categorical("c", ["x", "y", "z"])])


@st.composite
def contradicting(draw):
    """Draw rules that may contradict each other, with weights, and labelled rows."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 40))
    X = pd.DataFrame({"a": rng.integers(0, 6, n), "b": rng.integers(0, 6, n)}).astype(float)
    X["c"] = pd.Categorical(rng.choice(["x", "y", "z"], n).astype(object))
    y = rng.choice(["p", "q"], n).astype(object)
    rules = RuleSet(space=SPACE, default=draw(st.sampled_from(["p", "q", None])))
    for _ in range(draw(st.integers(0, 6))):
        conditions = {}
        for name in rng.permutation(["a", "b", "c"])[: rng.integers(0, 4)]:
            low = int(rng.integers(0, 5))
            held = ["x", "y", "z"][: rng.integers(1, 3)]
            conditions[name] = {"in": held} if name == "c" else (low, low + rng.integers(1, 4))
        region = Region(SPACE, conditions)
        weight = float(rng.choice([0.5, 0.7, 0.9]))
        rules.add(Rule(region, then=str(rng.choice(["p", "q"])), weight=weight), force=True)
    return rules, X, y


@given(contradicting(), st.integers(0, 9))
def test_repair_cuts_what_contradicts_and_nothing_else(drawn, seed):
    rules, X, y = drawn
    found = arms.repaired(rules, X, y, seed)
    assert found.default == rules.default
    check_repaired(found, rules)
    for then in ("p", "q"):
        before, after = (
            whole.covering(X)[:, [rule.then == then for rule in whole]].any(axis=1)
            for whole in (rules, found)
        )
        assert not (after & ~before).any()
    pairs = {i for pair in rules.conflicts() for i in (pair.first, pair.second)}
    kept = list(found)
    assert all(rule in kept for i, rule in enumerate(rules) if i not in pairs)
    if len(rules):
        # the best of all is cut by none
        assert rules[int(np.argmax(rules.weights))] in kept
    assert list(arms.repaired(rules, X, y, seed)) == kept
    if not pairs:
        assert found == rules


def check_repaired(found, rules):
    """Assert that rules do not contradict each other, and that each is a part of an earlier one."""
    assert found.is_consistent
    assert len(found) <= len(rules)
    for rule in found:
        assert any(rule.region <= other.region and rule.then == other.then for other in rules)


def test_a_rule_is_cut_to_where_it_is_right():
    best = Rule({"a": (2, 4)}, then="p", weight=0.9)
    worse = Rule({"b": (0, 9)}, then="q", weight=0.8)
    gone = Rule({"a": (2, 4), "b": (0, 5)}, then="q", weight=0.7)
    rules = RuleSet(space=SPACE, default="p")
    for rule in (gone, worse, best):
        rules.add(rule, force=True)
    # q is right about one row left of p and three rows right of it
    X = pd.DataFrame({"a": [0.0, 5, 5, 6, 3], "b": [1.0] * 5, "c": ["x"] * 5})
    y = np.array(["q", "q", "q", "q", "q"], dtype=object)
    found = arms.repaired(rules, X, y, 0)
    right = Rule(Region(SPACE, {"a": {">=": 4}, "b": (0, 9)}), then="q")
    assert list(found) == [rules[2], right]


def test_repair_of_what_an_arm_learned(noisy, noisy_sets):
    X, y, fits = noisy
    learned = fits[PLAIN][0]
    for rules in (learned.loose, learned.rules):
        found = arms.repaired(rules, X, y, 0)
        assert found.is_consistent
        assert found.default == rules.default
        # which rows are covered by none can only grow, and those go to the default
        assert found.covering(X).any(axis=1).sum() <= rules.covering(X).any(axis=1).sum()
        assert share(np.array(found.predict(X), dtype=object), y) >= most_frequent(y) - 0.05
    # rules for sets, too
    X, y, fits = noisy_sets
    rules = fits[PLAIN][0].loose
    assert len(rules.conflicts())
    found = arms.repaired(rules, X, y, 0)
    check_repaired(found, rules)
    assert len(found) > 1


# --- folds


@pytest.mark.parametrize("several", [False, True], ids=["one label", "sets"])
@pytest.mark.parametrize("host", arms.HOSTS)
def test_measures_of_a_fold(host, several):
    X, y = table(n=120, noise=0.3)
    # values that no training row has, as in a fold of real data
    X.loc[:90, ["b", "d"]] = 0.5
    X.loc[100:105, "b"] = np.nan
    y = sets(X, noise=0.3) if several else y
    name = arms.name_of(arms.PLAIN, 1, host)
    rows = np.arange(120)
    found = learners.fold(name, Single("s", X, y), rows[:90], rows[90:], 0, 960)
    mended = "none, repaired, 1x"
    assert list(found) == ([name, mended] if host == arms.ANNEALING else [name])
    scores = ("example_f1", "subset_accuracy") if several else ("accuracy", "macro_f1")
    for record in found.values():
        for score in scores:
            assert 0 <= record[score] <= 1
            assert record[f"gap_{score}"] == record[f"train_{score}"] - record[score]
        assert 0 <= record[f"loose_{scores[0]}"] <= 1
        assert record["rules"] >= 1
        assert record["seconds"] > 0
        assert ("accuracy" in record) != several
    if host == arms.ANNEALING:
        assert found[mended]["conflicts"] == found[mended]["conflict_space"] == 0
        assert found[mended]["evaluations"] == found[name]["evaluations"] == 896
