"""The arms of the study: evolutionary learners with avoidance switched on or off.

There are three hosts. The annealing host is that of :mod:`irenic.learn` without the parts that
would obscure the question: no forest smooths labels, and no tree provides the first rules. A
population of rule sets, each with a different penalty on size, is evolved twice with the same
number of evaluations: without a quarter of the training rows, which then choose the penalty, and on
all of them. Its arms differ in how the first rules are generated (:mod:`study.starts`), what
happens to a mutated rule that contradicts another, and how remaining contradictions are resolved.
The other two hosts are the learning classifier systems of :mod:`irenic.systems`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from irenic import Rule, RuleSet, Space, enlarge
from irenic.learn.cells import Cells
from irenic.learn.evolution import Candidate, Settings, evolve, predict
from irenic.learn.run import Origin, Plan, prepare
from irenic.learn.sample import Sample
from irenic.learn.target import Target
from irenic.systems import MichiganClassifier, PittsburghClassifier
from study.counted import Counted
from study.starts import Start, population

MEMBERS = 8
GENERATIONS = 8
LOWEST_PENALTY = 0.1
MOST_RULES = 64
# The training accuracy to reach is that of a tree with this many leaves on the same rows.
LEVEL_LEAVES = 8
SEEDS_OF_REPAIR = 8
# Every arm runs with the base number of evaluations, and with these multiples of it.
BUDGETS = (1, 4, 16)
ANNEALING, PITTSBURGH, MICHIGAN = HOSTS = ("annealing", "Pittsburgh", "Michigan")
# A rule set that a Pittsburgh system evaluates takes as long as eight of the annealing host, and a
# row that a Michigan system is shown as long as four, roughly.
PER_RULE_SET, PER_ROW = 8, 4


@dataclass(frozen=True)
class Arm:
    """How an arm treats rules that contradict each other, and how much it may evaluate."""

    kind: str
    resolve: str
    """How contradictions are resolved; "avoid" if there are none."""
    start: Start = "drawn"
    """How the rules of the first population are generated, in the annealing host."""
    guard: str = "ignore"
    """What happens to a mutated rule in the annealing host; see :mod:`study.counted`."""
    host: str = ANNEALING
    budget: int = 1
    """The number of evaluations, as a multiple of the base number."""

    @property
    def name(self) -> str:
        """The name in records: host, kind and budget."""
        return name_of(self.kind, self.budget, self.host)


def name_of(kind: str, budget: int, host: str = ANNEALING) -> str:
    """Return the name of an arm in records.

    >>> name_of("CFSBE", 4), name_of("none, vote", 1, MICHIGAN)
    ('CFSBE, 4x', 'Michigan: none, vote, 1x')
    """
    return f"{'' if host == ANNEALING else f'{host}: '}{kind}, {budget}x"


PRIMARY, PLAIN, VOTE = "CFSBE", "none, best rule", "none, vote"
START_ONLY, MUTATION_ONLY = "CFSBE, start only", "CFSBE, mutation only"
CFSGS, RIVAL_BY_RIVAL, GIVING_WAY = "CFSGS at the start", "rival by rival", "rivals give way"
# The rules of another arm, repaired afterwards.
REPAIRED = "none, repaired"
_KINDS = (
    Arm(PRIMARY, "avoid", "CFSBE", "enlarge"),
    Arm(START_ONLY, "best", "CFSBE", "ignore"),
    Arm(MUTATION_ONLY, "best", "drawn", "enlarge"),
    Arm(CFSGS, "avoid", "CFSGS", "enlarge"),
    Arm(RIVAL_BY_RIVAL, "avoid", "CFSBE", "grow"),
    Arm(GIVING_WAY, "avoid", "CFSBE", "make way"),
    Arm(PLAIN, "best"),
    Arm(VOTE, "vote"),
    *(
        Arm(kind, resolve, host=host)
        for host in (PITTSBURGH, MICHIGAN)
        for kind, resolve in ((PRIMARY, "avoid"), (PLAIN, "best"), (VOTE, "vote"))
    ),
)
ARMS = {
    arm.name: arm for kind in _KINDS for budget in BUDGETS for arm in [replace(kind, budget=budget)]
}
# The kinds of arms of the annealing host, in the order of tables.
KINDS = (*(arm.kind for arm in _KINDS if arm.host == ANNEALING), REPAIRED)
NAMES = (*ARMS, *(name_of(REPAIRED, budget) for budget in BUDGETS))


def repaired_name(learner: str) -> str | None:
    """Return the name of the repaired rules of a learner; None if they are not repaired."""
    arm = ARMS.get(learner)
    if arm is None or (arm.host, arm.kind) != (ANNEALING, PLAIN):
        return None
    return name_of(REPAIRED, arm.budget)


@dataclass(frozen=True, eq=False)
class Learned:
    """The result of an arm, and its cost."""

    rules: RuleSet
    loose: RuleSet
    """The rules of the smallest penalty, with the highest training accuracy."""
    resolve: str | None
    evaluations: int
    """The total of both runs."""
    trace: list[tuple[int, float, float]]
    """Evaluations and CPU seconds so far, and the best training accuracy of any member."""
    level: float
    """The training accuracy to reach."""

    def predict(self, X: Any, *, loose: bool = False) -> np.ndarray:
        """Return the predictions of the rules for each row."""
        rules = self.loose if loose else self.rules
        return np.asarray(rules.predict(X, resolve=self.resolve), dtype=object)

    def reached(self) -> tuple[int, float] | None:
        """Return the evaluations and CPU seconds until the level was reached, or None."""
        for evaluations, seconds, accuracy in self.trace:
            if accuracy >= self.level:
                return evaluations, seconds
        return None


def learn(
    arm: Arm,
    X: pd.DataFrame,
    y: np.ndarray,
    *,
    evaluations: int,
    random_state: int,
    space: Space | None = None,
) -> Learned:
    """Run one arm and return its rules.

    ``evaluations`` is the total budget of both runs; ``space`` admits values of other rows, such
    as missing ones (default: the space of ``X``).
    """
    space = space or Space.infer(X)
    if arm.host != ANNEALING:
        return _learn_by_system(arm, X, y, evaluations * arm.budget, random_state)
    instances = space.encode(X)
    target = _target(y)
    ones = np.ones(len(y))
    cells = Cells.from_instances(instances, target.truth, ones)
    sample = Sample.of(instances, target, ones).in_cells(cells).merged()
    total = sample.weight.sum()
    settings = _settings(arm, len(y), target)
    per_turn = evaluations * arm.budget // 2 // (MEMBERS * GENERATIONS)

    (out,) = sample.folds(1, random_state)
    training = sample.take(np.setdiff1d(np.arange(len(sample)), out))
    share = training.weight.sum() / total
    fewer = tuple((penalty * share, most) for penalty, most in settings.members)
    origin, tried, first = _evolved(
        arm, training, replace(settings, members=fewer), random_state, per_turn
    )
    left = sample.take(out)
    gains = origin.consequents.gains(left.target.truth)
    rows = np.arange(len(left))
    right = [
        np.average(gains[rows, predict(c, left.encoded, arm.resolve)], weights=left.weight)
        for c in tried
    ]
    # of equally good penalties, take the highest, which gives fewer rules
    chosen = max(range(len(right)), key=lambda i: (right[i], i))

    origin, evolved, second = _evolved(arm, sample, settings, random_state + 1, per_turn)
    return Learned(
        rules=_as_rules(evolved[chosen], arm, sample, origin),
        loose=_as_rules(evolved[0], arm, sample, origin),
        resolve=None if arm.resolve == "avoid" else arm.resolve,
        evaluations=first[-1][0] + second[-1][0],
        trace=[(spent, seconds, worth / total) for spent, seconds, worth in second],
        level=float("nan") if target.many else tree_accuracy(sample),
    )


def _target(y: np.ndarray) -> Target:
    if isinstance(y[0], frozenset):
        return Target.sets(list(y))
    classes, codes = np.unique(y, return_inverse=True)
    return Target.single(classes, codes)


def _learn_by_system(
    arm: Arm, X: pd.DataFrame, y: np.ndarray, evaluations: int, random_state: int
) -> Learned:
    """Fit a learning classifier system; its own default chooses the rule set."""
    if arm.host == PITTSBURGH:
        size = PittsburghClassifier().population_size
        # the first population is evaluated, too
        generations = max(1, round(evaluations / PER_RULE_SET / size) - 1)
        clf: Any = PittsburghClassifier(
            generations=generations, conflicts=arm.resolve, random_state=random_state
        )
        spent = size * (generations + 1)
    else:
        spent = evaluations // PER_ROW
        clf = MichiganClassifier(steps=spent, conflicts=arm.resolve, random_state=random_state)
    clf.fit(X, list(y) if isinstance(y[0], frozenset) else y)
    return Learned(
        rules=clf.rules_,
        loose=clf.rules_,
        resolve=None if arm.resolve == "avoid" else arm.resolve,
        evaluations=spent,
        trace=[],
        level=float("nan"),
    )


def _as_rules(candidate: Candidate, arm: Arm, sample: Sample, origin: Origin) -> RuleSet:
    values = origin.consequents.values()
    best = arm.resolve == "best"
    # evolution has ranked the rules, best first; the lowest code wins a tied vote
    order = np.arange(len(candidate)) if best else candidate.then.argsort(kind="stable")
    return sample.cells.rule_set(
        candidate.masks[order],
        [values[code] for code in candidate.then[order]],
        weights=np.arange(len(candidate), 0.0, -1.0) if best else None,
        default=values[candidate.default],
    )


def _settings(arm: Arm, n_rows: int, target: Target) -> Settings:
    most = MOST_RULES if target.many else max(MOST_RULES, 8 * len(target.labels))
    penalties = np.geomspace(LOWEST_PENALTY, max(4.0, n_rows / 200.0), MEMBERS)
    return Settings(
        members=tuple((float(penalty), most) for penalty in penalties),
        generations=GENERATIONS,
        conflicts=arm.resolve,
    )


def _evolved(
    arm: Arm, sample: Sample, settings: Settings, random_state: int, evaluations: int
) -> tuple[Origin, list[Candidate], list[tuple[int, float, float]]]:
    """Evolve one rule set per penalty from a first population of the arm's kind; also its trace.

    Each member evaluates a number of rule sets per generation.
    """
    plan = Plan(settings.members, init="seeds", smoothing=0.0)
    origin = prepare(sample, plan, random_state)
    n_rules = min(2 * len(sample.target.labels) + 8, MOST_RULES)
    starts = population(
        origin.rows, MEMBERS, n_rules, arm.start, origin.starts[0].default, random_state
    )
    turns = Counted(arm.guard, evaluations)
    settings = replace(settings, turns=turns)
    return origin, evolve(origin.rows, starts, settings, random_state), turns.trace


def tree_accuracy(sample: Sample) -> float:
    """Return the training accuracy of a small tree, which arms are timed to reach."""
    table, codes = sample.encoded.T, sample.target.truth.argmax(axis=1)
    tree = DecisionTreeClassifier(max_leaf_nodes=LEVEL_LEAVES, random_state=0)
    tree.fit(table, codes, sample.weight)
    return float(tree.score(table, codes, sample.weight))


def repaired(rules: RuleSet, X: Any, y: np.ndarray, random_state: int) -> RuleSet:
    """Return rules without contradictions: from best to worst, each cut by the earlier ones.

    A rule that contradicts better ones is cut to one of the free regions that CFSBE grows around
    its rows: the one with most of the rows that it classifies correctly. It is dropped if there is
    none.
    """
    rng = np.random.default_rng(random_state)
    consistent = RuleSet(space=rules.space, default=rules.default)
    covers = rules.covering(X)
    instances = rules.space.encode(X)
    for index in np.argsort(-rules.weights, kind="stable").tolist():
        rule = rules[index]
        rivals = consistent.rivals_of(rule.region, rule.then)
        if not len(rivals):
            consistent.add(rule)
            continue
        free = covers[:, index] & ~consistent[rivals.tolist()].covering(instances).any(axis=1)
        good = np.flatnonzero(free & (y == rule.then))
        if not len(good):
            continue
        mine = instances.take(good)
        regions = [
            rule.region
            & enlarge(
                consistent,
                mine.take([int(seed)]),
                consequent=rule.then,
                order="random",
                random_state=rng,
            )
            for seed in rng.permutation(len(good))[:SEEDS_OF_REPAIR]
        ]
        counts = [int(region.contains(mine).sum()) for region in regions]
        consistent.add(Rule(regions[int(np.argmax(counts))], then=rule.then))
    return consistent
