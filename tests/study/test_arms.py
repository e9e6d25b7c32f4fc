from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irenic import Categorical, Continuous, Region, Rule, RuleSet, Space
from irenic.learn import _evolution as evolution
from irenic.learn._cells import Cells
from irenic.learn._tasks import Problem, prepare
from irenic.learn.target import Target
from learn import naive_evolution as naive
from study import arms

ARMS = arms.ARMS
AVOIDING = [arm.name for arm in ARMS.values() if arm.resolve == "avoid"]
SETTLING = [arm.name for arm in ARMS.values() if arm.resolve != "avoid"]
BUDGET = 4_000


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


def watched(arm, X, y, **options):
    """Return what an arm learned, and the rows and the rule sets of its last run of evolution."""
    runs = []

    def evolve(rows, *rest):
        runs.append((rows, evolution.evolve(rows, *rest)))
        return runs[-1][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arms, "evolve", evolve)
        learned = arms.learn(arm, X, y, **({"evaluations": BUDGET, "random_state": 1} | options))
    assert len(runs) == 2
    return learned, *runs[-1]


@pytest.fixture(scope="module")
def noisy():
    """Return noisy rows, and what each arm makes of them."""
    X, y = table(noise=0.5)
    return X, y, {name: watched(arm, X, y) for name, arm in ARMS.items()}


def share(found, y):
    return float((found == y).mean())


def most_frequent(y):
    return max((y == label).mean() for label in set(y))


def test_names():
    assert set(arms.NAMES) == {*ARMS, arms.REPAIRED}
    assert len(arms.NAMES) == len(ARMS) + 1
    assert ARMS[arms.REPAIRED_OF].guard == "ignore"
    # whether rules of an arm may contradict each other is what the others differ in
    for arm in ARMS.values():
        never = arm.start != "drawn" and arm.guard != "ignore"
        assert (arm.resolve == "avoid") == never


# --- what arms learn


@pytest.mark.parametrize("name", ARMS)
def test_every_arm_learns(name):
    X, y = table()
    learned = arms.learn(ARMS[name], X, y, evaluations=BUDGET, random_state=0)
    fresh, truth = table(seed=1)
    for loose in (False, True):
        assert share(learned.predict(X, loose=loose), y) > most_frequent(y) + 0.2
        assert share(learned.predict(fresh, loose=loose), truth) > most_frequent(truth) + 0.2


@pytest.mark.parametrize("name", AVOIDING)
def test_rules_of_avoiding_arms_never_contradict(noisy, name):
    learned, _, found = noisy[2][name]
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
    assert learned.resolve == ARMS[name].resolve
    # those that let mutated rules be have contradictions here, so that there is what to settle
    if ARMS[name].guard == "ignore":
        assert len(learned.loose.conflicts())
    said = learned.loose.predict(X, resolve=learned.resolve)
    assert learned.predict(X, loose=True).tolist() == list(said)


@pytest.mark.parametrize("name", ARMS)
def test_predictions_are_worth_what_evolution_believed(noisy, name):
    X, y, fits = noisy
    learned, rows, found = fits[name]
    # rows of the same cells and other labels are for the next test
    assert (rows.gains.max(axis=1) == rows.gains.sum(axis=1)).all()
    assert (learned.predict(X, loose=True) == y).sum() == found[0].worth
    assert (learned.predict(X) == y).sum() in [candidate.worth for candidate in found]
    assert len(learned.loose) == len(found[0])
    assert learned.trace[-1][2] == max(candidate.worth for candidate in found) / len(y)


def test_the_best_rule_is_the_one_that_evolution_took_for_it():
    # Of the rows at 0 three are p and two are q. A rule is worth what it gets of what rows allow,
    # (3 + 1) / (3 + 2) for p there and (6 + 1) / (7 + 2) for q everywhere, so p decides at 0.
    X = pd.DataFrame({"a": [0.0] * 5 + [1.0] * 4})
    y = np.array(["p"] * 3 + ["q"] * 6, dtype=object)
    classes, codes = np.unique(y, return_inverse=True)
    target = Target.single(classes, codes)
    instances = Space.infer(X).encode(X)
    cells = Cells.from_instances(instances, target.truth, np.ones(9))
    problem = Problem(cells, cells.encode(instances), target, np.ones(9), np.ones(9))
    rows = prepare(problem, 4, "seeds", 0.0, 0).rows
    masks, then = np.array([[0b01], [0b11]], dtype=np.uint64), np.array([0, 1], dtype=np.int16)
    candidate = evolution.Candidate(masks, then, 1).ranked(rows.cells, rows.gains)
    said = classes[evolution.predict(candidate, problem.encoded, "best")]
    assert said.tolist() == ["p"] * 5 + ["q"] * 4
    rules = arms._as_rules(candidate, arms.Arm("", "drawn", "ignore", "best"), problem)
    assert list(rules.predict(X, resolve="best")) == said.tolist()


@pytest.mark.parametrize("name", ARMS)
def test_rows_that_repeat_with_other_labels_are_worth_the_same(name):
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.integers(0, 5, 200).astype(float), "b": rng.integers(0, 4, 200)})
    y = np.where(rng.random(200) < 0.3, "p", np.where(X["a"] < 2, "q", "r")).astype(object)
    learned, rows, found = watched(ARMS[name], X, y)
    assert rows.cells.shape[1] <= 20
    assert (learned.predict(X, loose=True) == y).sum() == found[0].worth


# --- what it takes


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("budget", [BUDGET, 1_279, 128])
def test_the_budget_is_spent_to_the_last_round(noisy, name, budget):
    X, y, fits = noisy
    learned = (
        fits[name][0]
        if budget == BUDGET
        else arms.learn(ARMS[name], X, y, evaluations=budget, random_state=1)
    )
    turns = arms.MEMBERS * arms.GENERATIONS
    each = budget * ARMS[name].more // (2 * turns)
    assert learned.evaluations == 2 * turns * each
    assert [spent for spent, *_ in learned.trace] == [each * (i + 1) for i in range(turns)]


@pytest.mark.parametrize("name", ARMS)
def test_trace(noisy, name):
    X, y, fits = noisy
    learned = fits[name][0]
    seconds = [seconds for _, seconds, _ in learned.trace]
    assert seconds == sorted(seconds)
    assert seconds[0] >= 0
    accuracies = [accuracy for *_, accuracy in learned.trace]
    assert max(accuracies) >= share(learned.predict(X, loose=True), y)
    assert min(accuracies) >= most_frequent(y)
    assert max(accuracies) <= 1


def test_level_is_the_accuracy_of_a_small_tree():
    y = np.repeat(np.arange(16), 4)
    X = pd.DataFrame({"a": y.astype(float)})
    target = Target.single(np.arange(16), y)
    instances = Space.infer(X).encode(X)
    cells = Cells.from_instances(instances, target.truth, np.ones(64))
    problem = Problem(cells, cells.encode(instances), target, np.ones(64), np.ones(64))
    # sixteen classes as large as each other, of which eight leaves tell eight
    assert arms.tree_accuracy(problem) == 0.5


def test_reached_is_the_first_time():
    def learned(level):
        trace = [(10, 0.1, 0.5), (20, 0.3, 0.7), (30, 0.4, 0.6), (40, 0.5, 0.9)]
        empty = RuleSet(space=Space([Continuous("a")]), default="p")
        return arms.Learned(empty, empty, None, 80, trace, level)

    assert learned(0.4).reached() == (10, 0.1)
    assert learned(0.7).reached() == (20, 0.3)
    assert learned(0.8).reached() == (40, 0.5)
    assert learned(0.95).reached() is None


@pytest.mark.parametrize("name", ARMS)
def test_same_random_state_same_rules(noisy, name):
    X, y, fits = noisy
    learned = fits[name][0]
    again = arms.learn(ARMS[name], X, y, evaluations=BUDGET, random_state=1)
    assert list(again.rules) == list(learned.rules)
    assert list(again.loose) == list(learned.loose)
    assert [(e, a) for e, _, a in again.trace] == [(e, a) for e, _, a in learned.trace]
    other = arms.learn(ARMS[name], X, y, evaluations=BUDGET, random_state=2)
    assert list(other.loose) != list(learned.loose)


def test_arms_differ(noisy):
    found = [fit[0].loose for fit in noisy[2].values()]
    assert all(list(a) != list(b) for i, a in enumerate(found) for b in found[:i])


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
def test_repaired_rules_never_contradict_and_hold_no_more_than_before(drawn, seed):
    rules, X, y = drawn
    found = arms.repaired(rules, X, y, seed)
    assert found.is_consistent
    assert found.default == rules.default
    assert len(found) <= len(rules)
    for rule in found:
        assert any(rule.region <= other.region and rule.then == other.then for other in rules)
    for then in ("p", "q"):
        before, after = (
            whole.covering(X)[:, [rule.then == then for rule in whole]].any(axis=1)
            for whole in (rules, found)
        )
        assert not (after & ~before).any()


@given(contradicting(), st.integers(0, 9))
def test_repair_leaves_alone_what_does_not_contradict(drawn, seed):
    rules, X, y = drawn
    found = arms.repaired(rules, X, y, seed)
    pairs = {i for pair in rules.conflicts() for i in (pair.first, pair.second)}
    kept = list(found)
    assert all(rule in kept for i, rule in enumerate(rules) if i not in pairs)
    if len(rules):
        # the best of all is cut by none
        assert rules[int(np.argmax(rules.weights))] in kept
    assert list(arms.repaired(rules, X, y, seed)) == kept
    if not pairs:
        assert found == rules


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


@pytest.mark.parametrize("loose", [False, True])
def test_repair_of_what_an_arm_learned(noisy, loose):
    X, y, fits = noisy
    learned = fits[arms.REPAIRED_OF][0]
    rules = learned.loose if loose else learned.rules
    found = arms.repaired(rules, X, y, 0)
    assert found.is_consistent
    assert found.default == rules.default
    # which rows are covered by none can only grow, and those go to the default
    assert found.covering(X).any(axis=1).sum() <= rules.covering(X).any(axis=1).sum()
    assert share(np.array(found.predict(X), dtype=object), y) >= most_frequent(y) - 0.05
