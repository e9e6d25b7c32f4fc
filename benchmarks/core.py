"""The conflict check, covering and the import, compared with numpy."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np

import irenic
from benchmarks.generated import random_boxes, tree_leaves, widen
from benchmarks.harness import Table, memory, seconds


def rule_set(lower, upper, n_classes: int = 5, seed: int = 0) -> irenic.RuleSet:
    d, n = lower.shape
    space = irenic.Space([irenic.Continuous(f"f{i + 1}") for i in range(d)])
    then = np.random.default_rng(seed).integers(n_classes, size=n).tolist()
    return irenic.RuleSet.from_arrays(space, lower=lower, upper=upper, then=then)


def conflicts_in_numpy(rules: irenic.RuleSet) -> int:
    """Return the number of conflicting pairs, comparing each rule with all later ones."""
    lower, upper = rules.lower.T.copy(), rules.upper.T.copy()
    then = rules.then_codes
    count = 0
    for i in range(len(rules) - 1):
        meets = ((lower[i] < upper[i + 1 :]) & (lower[i + 1 :] < upper[i])).all(axis=1)
        count += int((meets & (then[i + 1 :] != then[i])).sum())
    return count


def conflicts() -> Table:
    table = Table(
        "conflicts(), 20 features",
        "rules",
        "kind",
        "pairs",
        "irenic",
        "numpy, row by row",
        "times faster",
        "peak memory",
    )
    rule_set(*tree_leaves(100, 20)).conflicts()  # compile
    for kind in ("tree leaves, 10% widened", "wide random boxes"):
        for n in (1_000, 10_000, 100_000):
            if kind.startswith("tree"):
                lower, upper = tree_leaves(n, 20)
                widen(lower, upper)
            elif n > 10_000:
                continue
            else:
                lower, upper = random_boxes(n, 20, 0.5)
            rules = rule_set(lower, upper)
            pairs = len(rules.conflicts())
            ours = seconds(rules.conflicts)
            if n > 10_000:
                table.add(n, kind, pairs, ours, "–", "–", memory())
                continue
            start = time.perf_counter()
            assert conflicts_in_numpy(rules) == pairs
            theirs = time.perf_counter() - start
            table.add(n, kind, pairs, ours, theirs, theirs / ours, memory())
    return table


def covering() -> Table:
    table = Table(
        "covering(), 1,000,000 points by 100 rules x 20 features",
        "rules' tests",
        "irenic",
        "numpy",
        "times faster",
    )
    X = np.random.default_rng(1).random((1_000_000, 20))
    for kind, (lower, upper) in {
        "on every feature": random_boxes(100, 20, 0.9),
        "on 6.6 features (tree leaves)": tree_leaves(100, 20),
    }.items():
        rules = rule_set(lower, upper)
        instances = rules.space.encode(X)
        columns = instances.values

        def in_numpy(columns=columns, lower=lower, upper=upper):
            out = np.empty((lower.shape[1], columns.shape[1]), dtype=bool)
            for r in range(lower.shape[1]):
                inside = np.ones(columns.shape[1], dtype=bool)
                for i, column in enumerate(columns):  # skip tests that always hold
                    if lower[i, r] > -np.inf:
                        inside &= column >= lower[i, r]
                    if upper[i, r] < np.inf:
                        inside &= column < upper[i, r]
                out[r] = inside
            return out

        assert np.array_equal(in_numpy().T, rules.covering(instances))
        ours = seconds(lambda rules=rules, X=instances: rules.covering(X))
        theirs = seconds(in_numpy)
        table.add(kind, ours, theirs, theirs / ours)
    return table


def importing() -> Table:
    table = Table("Import", "what", "time", "times numpy and sklearn.base")

    def run(line: str) -> float:
        return seconds(lambda: subprocess.run([sys.executable, "-c", line], check=True))

    nothing = run("pass")
    theirs = run("import numpy, sklearn.base") - nothing
    ours = run("import irenic") - nothing
    table.add("numpy, sklearn.base", theirs, 1.0)
    table.add("irenic", ours, ours / theirs)
    return table


def main() -> list[Table]:
    return [conflicts(), covering(), importing()]
