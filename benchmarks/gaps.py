"""Gaps, completeness and the first free region, compared with z3 and the literal search."""

from __future__ import annotations

import time

import numpy as np

import irenic
from benchmarks.core import rule_set
from benchmarks.generated import narrow, random_boxes, tree_leaves, widen
from benchmarks.harness import Table, memory, seconds


def leaves(n: int, d: int, change=None) -> irenic.RuleSet:
    lower, upper = tree_leaves(n, d, seed=1)
    if change is not None:
        change(lower, upper)
    return rule_set(lower, upper)


def z3_first_gap(rules: irenic.RuleSet) -> bool:
    """Return whether z3 finds a point that no rule covers."""
    import z3

    solver = z3.Solver()
    x = [z3.Real(name) for name in rules.space.names]
    for lower, upper in zip(rules.lower.T, rules.upper.T, strict=True):
        missed = []
        for v, low, high in zip(x, lower.tolist(), upper.tolist(), strict=True):
            if low > -np.inf:
                missed.append(v < low)
            if high < np.inf:
                missed.append(v >= high)
        solver.add(z3.Or(missed))
    return solver.check() == z3.sat


def literal_first(rules: irenic.RuleSet, limit: float):
    """Return the first consistent path in lexicographic order, or None after the time limit."""
    start = time.perf_counter()
    tests = list(zip(rules.lower.T.tolist(), rules.upper.T.tolist(), strict=True))
    d, n = len(rules.space), len(tests)
    low, high = [-np.inf] * d, [np.inf] * d
    stack: list[tuple[int, float, float]] = []
    choice = [0] * (n + 1)
    level = 0
    while True:
        if level == n:
            return low, high
        if time.perf_counter() - start > limit:
            return None
        chosen = False
        while choice[level] < 2 * d:
            axis, side = divmod(choice[level], 2)
            choice[level] += 1
            before = low[axis], high[axis]
            if side == 0:
                high[axis] = min(high[axis], tests[level][0][axis])
            else:
                low[axis] = max(low[axis], tests[level][1][axis])
            if low[axis] < high[axis]:
                stack.append((axis, *before))
                chosen = True
                break
            low[axis], high[axis] = before
        if chosen:
            level += 1
            choice[level] = 0
        else:
            if level == 0:
                return None
            level -= 1
            axis, low[axis], high[axis] = stack.pop()


def all_gaps() -> Table:
    table = Table(
        "All gaps and all overlaps of tree leaves, 10% of which are changed",
        "rules x features",
        "gaps",
        "time for gaps",
        "proof that there is none (unchanged)",
        "overlapping pairs",
        "time for overlaps",
        "peak memory",
    )
    irenic.gaps(leaves(50, 3))
    leaves(50, 3).overlaps()
    for n, d in ((1_500, 3), (1_500, 7), (1_500, 11), (1_500, 15), (10_000, 20), (100_000, 20)):
        narrowed, whole, widened = leaves(n, d, narrow), leaves(n, d), leaves(n, d, widen)
        gaps = irenic.gaps(narrowed)
        assert gaps.finished
        assert whole.is_complete

        def overlaps(rules=widened):
            return len(rules.conflicts()) + len(rules.overlaps())

        table.add(
            f"{n:,} x {d}",
            len(gaps),
            seconds(lambda r=narrowed: irenic.gaps(r)),
            seconds(lambda rules=whole: rules.is_complete),
            overlaps(),
            seconds(overlaps),
            memory(),
        )
    return table


def first_gap() -> Table:
    table = Table("First gap compared with z3", "rules", "irenic", "z3", "times faster")
    cases = {
        "narrowed tree leaves, 1,500 x 15": leaves(1_500, 15, narrow),
        "random boxes, 200 x 4": rule_set(*random_boxes(200, 4, 0.5)),
        "random boxes, 500 x 5": rule_set(*random_boxes(500, 5, 0.5)),
        "random boxes, 1,000 x 6": rule_set(*random_boxes(1_000, 6, 0.5)),
    }
    for name, rules in cases.items():
        start = time.perf_counter()
        assert z3_first_gap(rules)
        theirs = time.perf_counter() - start
        assert rules.is_complete is False
        ours = seconds(lambda rules=rules: rules.is_complete)
        table.add(name, ours, theirs, theirs / ours)
    return table


def first_region(limit: float = 60.0) -> Table:
    table = Table(
        "First region by search, compared with the literal lexicographic search",
        "rules",
        "irenic",
        "literal",
        "times faster, at least",
    )
    for name, rules in {
        "narrowed tree leaves, 100 x 20": leaves(100, 20, narrow),
        "narrowed tree leaves, 1,000 x 20": leaves(1_000, 20, narrow),
    }.items():
        next(irenic.search(rules))
        ours = seconds(lambda r=rules: next(irenic.search(r)))
        start = time.perf_counter()
        path = literal_first(rules, limit)
        theirs = time.perf_counter() - start
        shown = theirs if path else f"stopped after {limit:.0f} s"
        table.add(name, ours, shown, theirs / ours)
    return table


def where_it_is_exponential() -> Table:
    """Measure rules that each leave a corner of two features free: gaps double with each pair."""
    table = Table(
        "Exponential growth: rules `a1 < 1 and b1 < 1`, `a2 < 1 and b2 < 1`, …",
        "rules",
        "features",
        "disjoint gaps",
        "time",
        "proof or first gap",
    )
    for n in (2, 4, 6, 8, 10, 12):
        d = 2 * n
        upper = np.full((d, n), np.inf)
        for k in range(n):
            upper[2 * k : 2 * k + 2, k] = 1.0
        rules = rule_set(np.full((d, n), -np.inf), upper)
        gaps = irenic.gaps(rules, budget=30)
        shown = len(gaps) if gaps.finished else f"more than {len(gaps):,}"
        took = seconds(lambda r=rules: irenic.gaps(r, budget=30), repeat=1)
        table.add(n, d, shown, took, seconds(lambda rules=rules: rules.is_complete))
    return table


def main() -> list[Table]:
    return [all_gaps(), first_gap(), first_region(), where_it_is_exponential()]
