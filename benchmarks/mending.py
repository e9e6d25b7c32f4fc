"""Lists to sets, and the cheapest rules to drop, compared with simpler methods."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import irenic
from benchmarks.core import rule_set
from benchmarks.generated import random_boxes, tree_leaves
from benchmarks.harness import Table, seconds
from irenic import BudgetError
from irenic.mend import diff, merge, repair, to_set


def halves(n: int, d: int, limit: int, seed: int = 0):
    """Return the bounds of n rules with 2 to ``limit`` conditions ``f < t`` or ``f >= t``."""
    rng = np.random.default_rng(seed)
    lower, upper = np.full((d, n), -np.inf), np.full((d, n), np.inf)
    for r in range(n):
        for axis in rng.choice(d, rng.integers(2, limit + 1), replace=False):
            side = lower if rng.random() < 0.5 else upper
            side[axis, r] = round(rng.random(), 2)
    return lower, upper


def loosened(n: int, d: int, share: float, seed: int = 0):
    """Return the leaves of a tree with a share of the bounds removed, so that they overlap."""
    rng = np.random.default_rng(seed)
    lower, upper = tree_leaves(n, d, seed)
    lower[rng.random(lower.shape) < share] = -np.inf
    upper[rng.random(upper.shape) < share] = np.inf
    return lower, upper


def learned(n: int, d: int, limit: int, seed: int = 0):
    """Return the bounds and classes of rules learned from noisy data by sequential covering."""
    rng = np.random.default_rng(seed)
    X = rng.random((6_000, d))
    score = np.sin(6 * X[:, 0]) + 2 * X[:, 1] * X[:, 2] + (X[:, 3] > 0.5) * X[:, 4]
    score += rng.normal(0, 0.25, len(X))
    y = np.digitize(score, np.quantile(score, [1 / 3, 2 / 3]))
    lower, upper, classes = [], [], []
    while len(classes) < n and len(X) > 15:
        low, high, inside = _covering_rule(X, y, limit)
        lower.append(low)
        upper.append(high)
        classes.append(int(np.bincount(y[inside], minlength=3).argmax()))
        X, y = X[~inside], y[~inside]
    return np.array(lower).T, np.array(upper).T, classes


def _covering_rule(X, y, limit: int):
    """Return the rule for the most frequent class that greedily gains the most information."""
    target = np.bincount(y).argmax()
    low, high = np.full(X.shape[1], -np.inf), np.full(X.shape[1], np.inf)
    inside = np.ones(len(X), dtype=bool)
    for _ in range(limit):
        base, best = (y[inside] == target).mean(), (0.0, 0, 0.0, inside)
        for axis in range(X.shape[1]):
            for cut in np.quantile(X[inside, axis], np.linspace(0.1, 0.9, 9)).round(3):
                for side in (X[:, axis] >= cut, X[:, axis] < cut):
                    covered = inside & side
                    right, n = (y[covered] == target).sum(), covered.sum()
                    gain = right * np.log(right / n / base) if n >= 15 and right else 0.0
                    if gain > best[0]:
                        best = (gain, axis, cut, covered)
        if best[0] <= 0:
            break
        _, axis, cut, inside = best
        if (X[inside, axis] >= cut).all():
            low[axis] = max(low[axis], cut)
        else:
            high[axis] = min(high[axis], cut)
    return low, high, inside


def rule_list(lower, upper, classes=None, seed: int = 0) -> irenic.RuleList:
    """Return a list with three consequents, one of which is the default."""
    rules = rule_set(lower, upper)
    if classes is None:
        classes = np.random.default_rng(seed).integers(3, size=lower.shape[1]).tolist()
    labeled = irenic.RuleSet.from_arrays(
        rules.space, lower=lower, upper=upper, then=[f"c{c}" for c in classes], default="c0"
    )
    return irenic.RuleList.from_rules(labeled)


def subtracted(rules: irenic.RuleList) -> int:
    """Return the number of boxes if earlier rivals are simply subtracted from each rule."""
    unordered = rules.rules
    boxes, codes = unordered.boxes, unordered.then_codes
    total = 0
    for i in range(len(unordered)):
        if codes[i] != unordered.code_of(unordered.default):
            before = boxes.take(np.flatnonzero(codes[:i] != codes[i]))
            total += len(boxes.take([i]).subtract(before))
    return total


def lists_into_sets() -> Table:
    table = Table(
        "lists to sets, proved, compared with plain subtraction",
        *("list", "rules", "in the set", "subtracted", "times fewer", "time"),
    )
    cases: dict[str, irenic.RuleList] = {
        "leaves of a tree, 200 x 10": rule_list(*tree_leaves(200, 10, 0)),
        "learned, up to 3 conditions, x 10": rule_list(*learned(200, 10, 3)),
        "learned, up to 4 conditions, x 10": rule_list(*learned(200, 10, 4)),
        "leaves, 10% of the bounds removed, 200 x 10": rule_list(*loosened(200, 10, 0.1)),
        "2 to 4 random half-spaces, 200 x 10": rule_list(*halves(200, 10, 4)),
        "random intervals on all features, 200 x 10": rule_list(*random_boxes(200, 10, 0.5)),
    }
    to_set(cases["leaves of a tree, 200 x 10"])
    for name, rules in cases.items():
        start = time.perf_counter()
        try:
            size = len(to_set(rules, budget=60))
        except BudgetError:
            table.add(name, len(rules), "over 60 s", "", "", "")
            continue
        took = time.perf_counter() - start
        plain = subtracted(rules)
        table.add(name, len(rules), size, plain, plain / size, took)
    return table


def random_conflicts(n: int, m: int, seed: int = 0) -> irenic.RuleSet:
    """Return n rules with m conflicts at random: the two rules of a conflict share one value."""
    rng = np.random.default_rng(seed)
    pairs: set[tuple[int, int]] = set()
    while len(pairs) < m:
        a, b = sorted(rng.integers(n, size=2).tolist())
        if a != b:
            pairs.add((a, b))
    own: list[list[int]] = [[m + i] for i in range(n)]  # each rule also has a value of its own
    for value, pair in enumerate(sorted(pairs)):
        for i in pair:
            own[i].append(value)
    space = irenic.Space([irenic.Categorical("value", range(m + n))])
    rules = irenic.RuleSet(space=space)
    for i, values in enumerate(own):
        rules.add(irenic.Rule({"value": values}, then=i), force=True)
    return rules


def boxes_in_conflict(n: int, m: int, d: int, seed: int = 0) -> irenic.RuleSet:
    """Return n random boxes of three classes, wide enough for about m conflicts."""
    narrow, wide = 0.0, 1.0
    for _ in range(20):
        width = (narrow + wide) / 2
        lower, upper = random_boxes(n, d, width, seed)
        rules = rule_list(lower, upper, seed=seed).rules
        many = len(rules.conflicts()) > m
        narrow, wide = (narrow, width) if many else (width, wide)
    return rules


def greedy(pairs, costs) -> float:
    """Return the cost of repeatedly dropping the rule with the most conflicts per cost."""
    gone = np.zeros(len(costs), dtype=bool)
    while True:
        left = pairs[~gone[pairs].any(axis=1)]
        if not len(left):
            return float(costs[gone].sum())
        gone[(np.bincount(left.ravel(), minlength=len(costs)) / costs).argmax()] = True


def dropping(budget: float = 30.0) -> Table:
    table = Table(
        f"the cheapest rules to drop (at most {budget:g} s), compared with greedy dropping",
        *("conflicts", "costs", "greedy", "cost", "bound", "times cheaper", "time"),
    )
    sets: dict[str, Callable[[], irenic.RuleSet]] = {
        "500 boxes x 4, 2,000": lambda: boxes_in_conflict(500, 2_000, 4),
        "500 boxes x 10, 2,000": lambda: boxes_in_conflict(500, 2_000, 10),
        "500 boxes x 4, 5,000": lambda: boxes_in_conflict(500, 5_000, 4, seed=1),
        "500 at random, 2,000": lambda: random_conflicts(500, 2_000),
    }
    weights = {
        "1 each": np.ones(500),
        "1 to 99": np.random.default_rng(1).integers(1, 100, 500).astype(float),
    }
    for name, make in sets.items():
        rules = make()
        pairs = rules.conflicts().pairs.astype(int)
        for kind, costs in weights.items():
            start = time.perf_counter()
            mended = repair(rules, weights=costs.tolist(), budget=budget)
            took = time.perf_counter() - start
            plain = greedy(pairs, costs)
            shown = "proved" if mended.optimal else f"{mended.bound:,.0f}"
            ratio = plain / mended.cost
            table.add(name, kind, int(plain), int(mended.cost), shown, ratio, took)
    return table


def the_rest() -> Table:
    """Measure trim, split, merge and diff as multiples of the time to find the conflicts."""
    table = Table(
        "other operations, compared with finding the conflicts", "what", "rules", "result", "time",
        "times as long",
    )  # fmt: skip
    rules = rule_list(*random_boxes(500, 4, 0.12), seed=0).rules
    base = seconds(lambda: rules.conflicts())
    table.add("conflicts", len(rules), f"{len(rules.conflicts()):,} conflicts", base, 1.0)
    for how in ("trim", "split"):
        result = repair(rules, how, budget=None)
        took = seconds(lambda how=how: repair(rules, how, budget=None), repeat=1)
        table.add(how, len(rules), f"{len(result.rules):,} rules", took, took / base)
    mended = repair(rules, "split").rules
    took = seconds(lambda: merge(mended), repeat=1)
    table.add("merge", len(mended), f"{len(merge(mended).rules):,} rules", took, took / base)
    fewer = repair(rules).rules
    took = seconds(lambda: diff(mended, fewer), repeat=1)
    regions = f"{len(diff(mended, fewer)):,} regions"
    table.add("diff", len(mended) + len(fewer), regions, took, took / base)
    return table


def main() -> list[Table]:
    return [lists_into_sets(), dropping(), the_rest()]


if __name__ == "__main__":
    main()
