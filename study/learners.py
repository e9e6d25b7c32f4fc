"""All learners of the study by name: the arms, and the peers of the benchmarks."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import peers
from benchmarks.datasets import Single
from benchmarks.fitted import Fitted, objects
from irenic import Space
from study import measures
from study.arms import ANNEALING, ARMS, BUDGETS, Learned, learn, repaired, repaired_name
from study.synthetic import GROUP, Known, recovery

# The group of data sets with several labels per row.
SEVERAL = "several labels"
# A fit of a learning classifier system takes minutes on larger sets.
SYSTEM_ROWS = 1_000
OURS = "irenic"
PRUNED = "pruned"
TREES = tuple(f"tree {k}" for k in peers.SIZES)
# RuleSetClassifier without one of its parts, or with conflicts.
ABLATED: dict[str, dict[str, Any]] = {
    "irenic, no forest": {"evolution": {"smoothing": 0.0}},
    "irenic, no trees": {"evolution": {"init": "seeds"}},
    "irenic, no forest, no trees": {"evolution": {"smoothing": 0.0, "init": "seeds"}},
    "irenic, best rule decides": {"evolution": {"conflicts": "best"}},
    "irenic, rules vote": {"evolution": {"conflicts": "vote"}},
}
PEERS = (OURS, *(f"irenic {k}" for k in peers.SIZES), *TREES, *peers.PEERS)
# One fit gives all sizes, as points of one front.
SELECTED = {f"irenic {k}": k for k in peers.SIZES}
FITTED = (*(name for name in PEERS if name not in SELECTED), *ABLATED)
LEARNERS = {
    OURS: partial(peers.ours, n_jobs=1),
    **{name: partial(peers.ours, n_jobs=1, **options) for name, options in ABLATED.items()},
    **peers.TREES,
    **peers.PEERS,
}


def stage(name: str, group: str, rows: int, seed: int) -> int | None:
    """Return when a learner runs on a data set of a group; None: never.

    A run may be stopped at any time, so what answers the questions comes first. Peers run on real
    data with one label per row; on made data, a tree is for comparison.
    """
    arm = ARMS.get(name)
    if arm is None:
        runs = name == PRUNED if group == GROUP else group != SEVERAL
        return 2 if runs else None
    if arm.host == ANNEALING:
        return 3 * seed
    if group == GROUP or rows > SYSTEM_ROWS:
        return None
    return (4 if arm.budget == max(BUDGETS) else 1) + 5 * seed


def fold(
    learner: str, data: Any, learn_on: np.ndarray, test_on: np.ndarray, state: int, budget: int
) -> dict[str, dict[str, Any]]:
    """Run a learner on one fold, and return the measures of each of its models by name."""
    X, y = data.X.iloc[learn_on], data.y[learn_on]
    begun = time.process_time()
    if learner in ARMS:
        space = Space.infer(data.X)
        arm = ARMS[learner]
        learned = learn(arm, X, y, evaluations=budget, random_state=state, space=space)
        seconds = time.process_time() - begun
        fits = {learner: learned}
        mended_name = repaired_name(learner)
        if mended_name is not None:
            mended = [repaired(rules, X, y, state) for rules in (learned.rules, learned.loose)]
            fits[mended_name] = replace(learned, rules=mended[0], loose=mended[1], resolve=None)
        return {
            name: _measured(_as_fitted(fit), data, learn_on, test_on)
            | _of_arm(fit, data, learn_on, test_on, state)
            | {"seconds": seconds}
            for name, fit in fits.items()
        }
    fitted = LEARNERS[learner](X, y)
    seconds = time.process_time() - begun
    records = {learner: _measured(fitted, data, learn_on, test_on) | {"seconds": seconds}}
    if learner == OURS and fitted.selected is not None:
        for name, k in SELECTED.items():
            records[name] = _measured(fitted.selected(k), data, learn_on, test_on)
    return records


def _measured(
    fitted: Fitted, data: Any, learn_on: np.ndarray, test_on: np.ndarray
) -> dict[str, Any]:
    X, y = data.X.iloc[learn_on], data.y[learn_on]
    X_test, y_test = data.X.iloc[test_on], data.y[test_on]
    record = measures.scores(y_test, fitted.predict(X_test))
    record |= measures.scores(y, fitted.predict(X), "train_")
    record |= measures.overfitting(record)
    size = fitted.size()
    record |= {name: size[name] for name in ("rules", "conditions") if name in size}
    if fitted.covering is not None:
        record |= measures.reading(*fitted.covering(X_test), size.get("per rule"))
    return record


def _as_fitted(learned: Learned) -> Fitted:
    rules = learned.rules

    def size() -> dict[str, Any]:
        per_rule = np.array([peers.count_conditions([rule]) for rule in rules], dtype=int)
        return peers.our_size(rules) | {"per rule": per_rule}

    def covering(X: Any) -> tuple[np.ndarray, np.ndarray]:
        return rules.covering(X), objects(rule.then for rule in rules)

    return Fitted(learned.predict, size, covering=covering)


def _of_arm(
    learned: Learned, data: Any, learn_on: np.ndarray, test_on: np.ndarray, state: int
) -> dict[str, Any]:
    """Return the measures that only arms have."""
    reached = learned.reached()
    score = "example_f1" if isinstance(data.y[0], frozenset) else "accuracy"
    right = [
        measures.scores(data.y[rows], learned.predict(data.X.iloc[rows], loose=True))[score]
        for rows in (learn_on, test_on)
    ]
    points = measures.space_points(data.X.iloc[learn_on], state)
    covers = learned.rules.covering(points)
    clash = measures.in_conflict(covers, objects(rule.then for rule in learned.rules))
    record: dict[str, Any] = {
        "conflict_space": float(clash.mean()),
        "coverage_space": float(covers.any(axis=1).mean()),
        f"loose_{score}": right[1],
        "loose_gap": right[0] - right[1],
        "loose_rules": len(learned.loose) + 1,
        "evaluations": learned.evaluations,
        "level": learned.level,
        "reached": float(reached is not None),
        "conflicts": len(learned.rules.conflicts()),
    }
    if reached is not None:
        record["evaluations_to_level"], record["seconds_to_level"] = reached
    if isinstance(data, Known):
        record |= recovery(learned.rules, learned.predict, data)
    return record


def warm_up(learner: str) -> None:
    """Import, compile and start everything a learner needs, so that this is not timed."""
    rng = np.random.default_rng(0)
    number = rng.random(80)
    X = pd.DataFrame({"a": number, "b": rng.random(80)})
    X["c"] = pd.Categorical(rng.choice(["x", "y", "z"], 80).astype(object))
    data = Single("", X, np.where(number < 0.4, "low", "high").astype(object))
    fold(learner, data, np.arange(60), np.arange(60, 80), state=0, budget=2_000)
