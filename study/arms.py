"""The arms of the study: one evolutionary learner with avoidance switched on or off.

The learner is that of :mod:`irenic.learn` without the parts that would obscure the question: no
forest smooths labels, and no tree provides the first rules. A population of rule sets, each with a
different penalty on size, is evolved twice with the same number of evaluations: without a quarter
of the training rows, which then choose the penalty, and on all of them. The arms differ in how the
first rules are generated (:mod:`study.starts`), what happens to a mutated rule that contradicts
another, and how remaining contradictions are resolved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from irenic import Rule, RuleSet, Space, enlarge
from irenic.learn._cells import Cells
from irenic.learn._evolution import Candidate, Settings, Watch, evolve, predict
from irenic.learn._tasks import Prepared, Problem, folds_of, prepare
from irenic.learn.target import Target
from study.starts import Start, population

MEMBERS = 8
GENERATIONS = 8
LOWEST_PENALTY = 0.1
MOST_RULES = 64
# The training accuracy to reach is that of a tree with this many leaves on the same rows.
LEVEL_LEAVES = 8
SEEDS_OF_REPAIR = 8


@dataclass(frozen=True)
class Arm:
    """How an arm treats rules that contradict each other."""

    name: str
    start: Start
    """How the rules of the first population are generated."""
    guard: str
    """What happens to rivals of a mutated rule; see ``irenic.learn._evolution.GUARDS``."""
    resolve: str
    """How contradictions are resolved; "avoid" if there are none."""
    more: int = 1
    """The number of evaluations, as a multiple of the other arms'."""


ARMS = {
    arm.name: arm
    for arm in (
        Arm("avoid: start + mutation", "CFSBE", "grow", "avoid"),
        Arm("avoid: start only", "CFSBE", "ignore", "best"),
        Arm("avoid: mutation only", "drawn", "grow", "best"),
        Arm("none, best rule", "drawn", "ignore", "best"),
        Arm("none, vote", "drawn", "ignore", "vote"),
        Arm("avoid, CFSGS start", "CFSGS", "grow", "avoid"),
        Arm("avoid, rivals give way", "CFSBE", "make way", "avoid"),
        # takes about as long as an arm without avoidance
        Arm("avoid, 4 x evaluations", "CFSBE", "grow", "avoid", more=4),
    )
}
# The rules of another arm, repaired afterwards.
REPAIRED = "none, repaired"
REPAIRED_OF = "none, best rule"
NAMES = tuple(name for arm in ARMS for name in ((arm, REPAIRED) if arm == REPAIRED_OF else (arm,)))


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
    classes, codes = np.unique(y, return_inverse=True)
    instances = (space or Space.infer(X)).encode(X)
    target = Target.single(classes, codes)
    ones = np.ones(len(y))
    cells = Cells.from_instances(instances, target.truth, ones)
    problem = Problem(cells, cells.encode(instances), target, ones, ones).in_order()
    total = problem.weight.sum()
    settings = _settings(arm, len(y), len(classes), evaluations * arm.more // 2)

    (out,) = folds_of(problem, 1, random_state)
    training = problem.take(np.setdiff1d(np.arange(len(problem)), out))
    share = training.weight.sum() / total
    fewer = tuple((penalty * share, most) for penalty, most in settings.members)
    first, second = Watch(), Watch()
    tried = _evolved(arm, training, replace(settings, members=fewer), random_state, first)
    left = problem.take(out)
    truth = left.target.truth.argmax(axis=1)
    right = [
        np.average(predict(c, left.encoded, arm.resolve) == truth, weights=left.weight)
        for c in tried
    ]
    # of equally good penalties, take the highest, which gives fewer rules
    chosen = max(range(len(right)), key=lambda i: (right[i], i))

    evolved = _evolved(arm, problem, settings, random_state + 1, second)
    return Learned(
        rules=_as_rules(evolved[chosen], arm, problem),
        loose=_as_rules(evolved[0], arm, problem),
        resolve=None if arm.resolve == "avoid" else arm.resolve,
        evaluations=first.trace[-1][0] + second.trace[-1][0],
        trace=[(spent, seconds, worth / total) for spent, seconds, worth in second.trace],
        level=tree_accuracy(problem),
    )


def _as_rules(candidate: Candidate, arm: Arm, problem: Problem) -> RuleSet:
    classes = problem.target.labels
    best = arm.resolve == "best"
    # evolution has ranked the rules, best first; the lowest code wins a tied vote
    order = np.arange(len(candidate)) if best else candidate.then.argsort(kind="stable")
    return problem.cells.rule_set(
        candidate.masks[order],
        [classes[code] for code in candidate.then[order]],
        weights=np.arange(len(candidate), 0.0, -1.0) if best else None,
        default=classes[candidate.default],
    )


def _settings(arm: Arm, n_rows: int, n_classes: int, evaluations: int) -> Settings:
    most = max(MOST_RULES, 8 * n_classes)
    penalties = np.geomspace(LOWEST_PENALTY, max(4.0, n_rows / 200.0), MEMBERS)
    return Settings(
        members=tuple((float(penalty), most) for penalty in penalties),
        generations=GENERATIONS,
        conflicts=arm.resolve,
        guard=arm.guard,
        evaluations=evaluations // (MEMBERS * GENERATIONS),
    )


def _evolved(
    arm: Arm, problem: Problem, settings: Settings, random_state: int, watch: Watch
) -> list[Candidate]:
    """Evolve one rule set per penalty from a first population of the arm's kind."""
    prepared: Prepared = prepare(problem, settings.max_rules, "seeds", 0.0, random_state)
    n_rules = 2 * problem.target.truth.shape[1] + 8
    starts = population(
        prepared.rows, MEMBERS, n_rules, arm.start, prepared.starts[0].default, random_state
    )
    return evolve(prepared.rows, starts, settings, random_state, watch)


def tree_accuracy(problem: Problem) -> float:
    """Return the training accuracy of a small tree, which arms are timed to reach."""
    table, codes = problem.encoded.T, problem.target.truth.argmax(axis=1)
    tree = DecisionTreeClassifier(max_leaf_nodes=LEVEL_LEAVES, random_state=0)
    tree.fit(table, codes, problem.weight)
    return float(tree.score(table, codes, problem.weight))


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
