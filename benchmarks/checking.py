"""Everything that ``irenic check`` reports, beside the pairs alone by numpy, in one run."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import irenic
from benchmarks.gaps import leaves
from benchmarks.harness import Table, memory, seconds
from benchmarks.made import narrow, widen


def numpy_pairs(rules: irenic.RuleSet) -> int:
    """Return how many pairs of rules overlap, a rule against all later ones at a time."""
    lower, upper = rules.lower.T, rules.upper.T
    found = 0
    for i in range(len(rules)):
        meets = (lower[i + 1 :] < upper[i]) & (lower[i] < upper[i + 1 :])
        found += int(meets.all(axis=1).sum())
    return found


def disturbed(n: int, d: int) -> irenic.DecisionTable:
    """Return the leaves of a tree, one in ten widened and one in a hundred narrowed."""

    def change(lower: np.ndarray, upper: np.ndarray) -> None:
        widen(lower, upper)
        narrow(lower, upper, share=0.01, seed=1)

    return irenic.DecisionTable.of(leaves(n, d, change))


def everything() -> Table:
    table = Table(
        "everything that a check reports: tree leaves, one in ten widened, one in 100 narrowed",
        "rules x features",
        "hit policy",
        "findings",
        "time",
        "numpy, pairs alone",
        "times numpy's pairs alone",
        "memory so far",
    )
    irenic.check(disturbed(50, 3))
    for n, d in ((1_500, 3), (1_500, 15), (20_000, 20)):
        rules = disturbed(n, d)
        pairs = seconds(lambda r=rules.rules: numpy_pairs(r), repeat=1)
        for policy in (None, "FIRST"):
            held = rules.under(policy)
            found = irenic.check(held)
            total = sum(found.count(kind) for kind in ("overlaps", "gaps", "never_fire", "inside"))
            took = seconds(lambda t=held: irenic.check(t), repeat=2)
            table.add(f"{n:,} x {d}", policy or "none", total, took, pairs, took / pairs, memory())
    return table


def through_the_command() -> Table:
    table = Table(
        "the command on a file, start to end, kernels compiled",
        "rules x features",
        "file",
        "size",
        "time as text",
        "time as JSON",
        "findings listed in JSON",
    )
    with tempfile.TemporaryDirectory() as folder:
        for n, d in ((1_500, 15), (20_000, 20)):
            rules = disturbed(n, d)
            for suffix in (".csv", ".dmn"):
                path = Path(folder) / f"rules{suffix}"
                irenic.write(rules, path)
                command = [sys.executable, "-m", "irenic", "check", str(path)]
                start = time.perf_counter()
                subprocess.run(command, capture_output=True, check=False)
                text = time.perf_counter() - start
                start = time.perf_counter()
                out = subprocess.run([*command, "--json"], capture_output=True, check=False).stdout
                as_json = time.perf_counter() - start
                (found,) = json.loads(out)["tables"]
                listed = sum(len(found[kind]) for kind in ("conflicts", "overlaps", "gaps"))
                size = f"{path.stat().st_size / 1e6:.1f} MB"
                table.add(f"{n:,} x {d}", suffix, size, text, as_json, listed)
    return table


def main() -> list[Table]:
    return [everything(), through_the_command()]
