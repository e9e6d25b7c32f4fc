"""Every call of a learner's inner loop, compared with a naive way in the same run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import irenic
from benchmarks.cfsbe import counting
from benchmarks.core import rule_set
from benchmarks.generated import tree_leaves
from benchmarks.harness import Table, seconds, seconds_after
from irenic import Region, Rule, RuleSet
from irenic.model import CoverageMap

FEATURES = 10
INSTANCES = 10_000
SIZES = (20, 1_000, 100_000)


@dataclass
class Columns:
    """Rules as a learner without irenic may keep them: arrays with one column per rule."""

    lower: Any
    upper: Any
    then: Any

    def rivals(self, low, high, then: int):
        meets = (self.lower < high[:, None]) & (low[:, None] < self.upper)
        return np.flatnonzero(meets.all(axis=0) & (self.then != then))

    def covering(self, x):
        inside = (self.lower <= x[:, None]) & (x[:, None] < self.upper)
        return np.flatnonzero(inside.all(axis=0))

    def append(self, low, high, then: int) -> Columns | None:
        if len(self.rivals(low, high, then)):
            return None
        lower, upper = np.column_stack([self.lower, low]), np.column_stack([self.upper, high])
        return Columns(lower, upper, np.append(self.then, then))

    def without(self, i: int) -> Columns:
        lower, upper = np.delete(self.lower, i, axis=1), np.delete(self.upper, i, axis=1)
        return Columns(lower, upper, np.delete(self.then, i))


class Situation:
    """Consistent rules that leave a region free, and what a learner asks about them."""

    def __init__(self, n: int) -> None:
        lower, upper = tree_leaves(n + 1, FEATURES)
        leaves = rule_set(lower, upper)
        self.n = n
        self.free = leaves[n]  # a rule that can be added
        self.rules: RuleSet = leaves[:n]
        assert self.rules.is_consistent
        self.columns = Columns(lower[:, :n], upper[:, :n], self.rules.then_codes.copy())
        self.rival = Rule(self.rules[n // 2].region, then="rival")  # overlaps a single rule
        wide = Region(self.rules.space, {"f1": (0.2, 0.8)})
        self.wide = Rule(wide, then="rival")  # overlaps many
        self.X = np.random.default_rng(1).random((INSTANCES, FEATURES))
        self.instances = self.rules.space.encode(self.X)
        self.seed = self.free.region.sample(1, random_state=0)
        self.rng = np.random.default_rng(2)

    def rejected(self, rule: Rule, *, read: bool = False) -> None:
        try:
            self.rules.add(rule)
        except irenic.ConflictError as error:
            if read:
                str(error)
                list(error.conflicts)


def changing(situation: Situation, add: Callable[..., None]) -> None:
    rules, columns, n = situation.rules, situation.columns, situation.n
    free, rival, wide = situation.free, situation.rival, situation.wide
    box = free.region.lower, free.region.upper
    code = rules.code_of(free.then)

    middle = rules[n // 2].region
    ours = seconds(lambda: rules.rivals_of(middle, "rival"))
    add("rivals_of", ours, "numpy", lambda: columns.rivals(middle.lower, middle.upper, -1))

    def restore() -> None:
        if len(rules) > n:
            rules.remove(n)

    ours = seconds_after(restore, lambda: rules.add(free))
    restore()
    add("add, accepted", ours, "numpy, new arrays", lambda: columns.append(*box, code))
    for what, rule in (("one rival", rival), ("many rivals", wide)):
        ours = seconds(lambda rule=rule: situation.rejected(rule))
        read = lambda rule=rule: situation.rejected(rule, read=True)  # noqa: E731
        add(f"add, rejected, {what}", ours, "describe all conflicts", read)
    for what, i in (("first", 0), ("middle", n // 2), ("last", n - 1)):
        copies: list[RuleSet] = []

        def prepare(copies: list[RuleSet] = copies) -> None:
            if not copies or len(copies[0]) < max(n - 15, 2):
                copies[:] = [rules.copy()]

        def remove(copies: list[RuleSet] = copies, i: int = i) -> None:
            copies[0].remove(min(i, len(copies[0]) - 1))

        ours = seconds_after(prepare, remove)
        add(f"remove, {what}", ours, "numpy, new arrays", lambda i=i: columns.without(i))
    same = rules[n // 2]

    def replace() -> None:
        if not len(columns.rivals(middle.lower, middle.upper, code)):
            columns.lower[:, n // 2], columns.upper[:, n // 2] = middle.lower, middle.upper

    add("replace", seconds(lambda: rules.replace(n // 2, same)), "numpy", replace)
    known = int(rules.ids[n // 2])
    add(
        "indices of an id",
        seconds(lambda: rules.indices(known)),
        "numpy",
        lambda: np.flatnonzero(rules.ids == known),
    )
    add(
        "copy",
        seconds(rules.copy),
        "RuleSet(rules), and prove",
        lambda: RuleSet(rules, rules.space).is_consistent,
    )


def asking(situation: Situation, add: Callable[..., None]) -> None:
    rules, columns, n, rng = situation.rules, situation.columns, situation.n, situation.rng
    region, other = rules[n // 2].region, rules[0].region
    names, X = rules.space.names, situation.X
    low, high = region.lower, region.upper
    point = {name: float(value) for name, value in zip(names, X[0], strict=True)}
    sides = {name: (float(a), float(b)) for name, a, b in zip(names, low, high, strict=True)}

    def in_plain_python() -> bool:
        return all(a <= point[name] < b for name, (a, b) in sides.items())

    add("point in region", seconds(lambda: point in region), "plain Python", in_plain_python)
    ours = seconds(lambda: region.contains(situation.instances))
    add(
        f"coverage of a rule, {INSTANCES:,} instances",
        ours,
        "numpy",
        lambda: (np.greater_equal(X, low) & np.less(X, high)).all(axis=1),
    )
    add(
        "hull of two regions",
        seconds(lambda: region.hull(other)),
        "Region(conditions)",
        lambda: Region(
            rules.space,
            {
                name: (min(a, c), max(b, d))
                for name, a, b, c, d in zip(names, low, high, other.lower, other.upper, strict=True)
                if min(a, c) > -np.inf and max(b, d) < np.inf
            },
        ),
    )
    x, order = situation.seed.values[:, 0].copy(), np.arange(FEATURES)
    ours = seconds(lambda: irenic.enlarge(rules, situation.seed))
    add(
        "enlarge from a point",
        ours,
        "numpy",
        lambda: counting(columns.lower, columns.upper, x, order),
    )
    inner, outer = np.maximum(low, 0.0), np.minimum(high, 1.0)
    ours = seconds(lambda: region.sample(1, rng))
    add("sample a point", ours, "numpy, uniform", lambda: rng.uniform(inner, outer))
    add("witness", seconds(region.witness), "middle, in numpy", lambda: (inner + outer) / 2)


def mapping(situation: Situation, add: Callable[..., None]) -> None:
    rules, columns, rng = situation.rules, situation.columns, situation.rng
    coverage = CoverageMap(rules, situation.instances)
    coverage.rules_of(0)
    x = situation.X[17]
    ours = seconds(lambda: coverage.rules_of(17))
    add("CoverageMap.rules_of", ours, "numpy, all rules", lambda: columns.covering(x))
    for _ in range(5):  # so that there is something to pick
        coverage.remove(int(coverage.support.argmax()))
    counts = coverage.counts
    ours = seconds(lambda: coverage.pick(rng))
    add(
        "CoverageMap.pick",
        ours,
        "numpy, all instances",
        lambda: rng.choice(np.flatnonzero(counts == 0)),
    )
    same = rules[len(rules) // 2]
    ours = seconds(lambda: coverage.replace(len(rules) // 2, same))
    add(
        "CoverageMap.replace (update)",
        ours,
        "a new CoverageMap",
        lambda: CoverageMap(rules, situation.instances),
    )


def calls() -> Table:
    table = Table(
        f"Calls of a learner, {FEATURES} features",
        "call",
        "rules",
        "irenic",
        "naive way",
        "naive",
        "times faster",
    )
    for n in SIZES:
        situation = Situation(n)

        def add(call: str, ours: float, way: str, naive: Callable[[], Any], n: int = n) -> None:
            theirs = seconds(naive, repeat=3)
            table.add(call, n, ours, way, theirs, theirs / ours)

        changing(situation, add)
        asking(situation, add)
        mapping(situation, add)
    return table


def growth() -> Table:
    table = Table(
        f"CoverageMap: growth with the instances, 1,000 rules x {FEATURES} features",
        "instances",
        "pick",
        "rules_of",
        "update (replace)",
        "update, an instance",
        "first rules_of",
    )
    rules = rule_set(*tree_leaves(1_000, FEATURES))
    for n in (1_000, 10_000, 100_000, 1_000_000):
        rng = np.random.default_rng(1)
        coverage = CoverageMap(rules, rng.random((n, FEATURES)))
        removed = coverage.remove(int(coverage.support.argmax()))  # so that some are uncovered
        first = seconds_after(lambda: None, lambda c=coverage: c.rules_of(17), repeat=1)
        asked = seconds(lambda c=coverage: c.rules_of(17))
        picked = seconds(lambda c=coverage, rng=rng: c.pick(rng))
        same = rules[500]
        updated = seconds(lambda c=coverage, rule=same: c.replace(500, rule))
        table.add(n, picked, asked, updated, updated / n, first)
        rules.add(removed)
    return table


def main() -> list[Table]:
    return [calls(), growth()]
