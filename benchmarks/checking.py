"""``irenic check``, compared with only counting overlapping pairs in numpy."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import irenic
from benchmarks.gaps import leaves
from benchmarks.generated import narrow, widen
from benchmarks.harness import Table, memory, seconds


def numpy_pairs(rules: irenic.RuleSet) -> int:
    """Return the number of overlapping pairs, comparing each rule with all later ones."""
    lower, upper = rules.lower.T, rules.upper.T
    count = 0
    for i in range(len(rules)):
        meets = (lower[i + 1 :] < upper[i]) & (lower[i] < upper[i + 1 :])
        count += int(meets.all(axis=1).sum())
    return count


def disturbed(n: int, d: int) -> irenic.DecisionTable:
    """Return the leaves of a tree, with 10% of them widened and 1% narrowed."""

    def change(lower: np.ndarray, upper: np.ndarray) -> None:
        widen(lower, upper)
        narrow(lower, upper, share=0.01, seed=1)

    return irenic.DecisionTable.from_rules(leaves(n, d, change))


def everything() -> Table:
    table = Table(
        "A complete check: tree leaves, 10% widened, 1% narrowed",
        "rules x features",
        "hit policy",
        "findings",
        "time",
        "numpy, only pairs",
        "times numpy, only pairs",
        "peak memory",
    )
    irenic.check(disturbed(50, 3))
    for n, d in ((1_500, 3), (1_500, 15), (20_000, 20)):
        rules = disturbed(n, d)
        pairs = seconds(lambda r=rules.rules: numpy_pairs(r), repeat=1)
        for policy in (None, "FIRST"):
            decision_table = rules.under(policy)
            findings = irenic.check(decision_table)
            kinds = ("overlaps", "gaps", "never_fire", "inside")
            total = sum(findings.count(kind) for kind in kinds)
            took = seconds(lambda t=decision_table: irenic.check(t), repeat=2)
            table.add(f"{n:,} x {d}", policy or "none", total, took, pairs, took / pairs, memory())
    return table


def through_the_command() -> Table:
    table = Table(
        "The command on a file, from start to end",
        "rules x features",
        "file",
        "size",
        "time, text output",
        "time, JSON output",
        "findings in JSON",
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
                (document,) = json.loads(out)["files"][0]["tables"]
                listed = len(document["findings"])
                size = f"{path.stat().st_size / 1e6:.1f} MB"
                table.add(f"{n:,} x {d}", suffix, size, text, as_json, listed)
    return table


def long_table(n: int, d: int = 4) -> bytes:
    """Return a table of n rows as CSV: the leaves of a random partition of d columns."""
    rng = np.random.default_rng(1)
    end = 1_000_000
    leaves = [[(0, end)] * d]
    while len(leaves) < n:
        place, axis = int(rng.integers(len(leaves))), int(rng.integers(d))
        low, high = leaves[place][axis]
        if high - low > 1:
            cut = int(rng.integers(low + 1, high))
            leaves.append([*leaves[place]])
            leaves[place][axis], leaves[-1][axis] = (low, cut), (cut, high)
    lines = [",".join([*(f"c{k}" for k in range(d)), "fare"])]
    for number, place in enumerate(rng.permutation(n).tolist()):
        cells = ["-" if side == (0, end) else f"[{side[0]}..{side[1]})" for side in leaves[place]]
        lines.append(",".join([*cells, f"t{number % 7}"]))
    return "\n".join([*lines, ""]).encode()


def growth(sizes: Sequence[int] = (10_000, 100_000, 400_000)) -> Table:
    """Measure the CPU time of long tables; 400,000 rows take a minute and 1 GB."""
    table = Table(
        "Long tables in CPU time: four conditions per row, mostly ranges such as [75087..197185)",
        "rows",
        "size",
        "reading",
        "binding",
        "checking",
        "times the rows above",
        "times the CPU time above",
        "peak memory",
    )
    before: tuple[int, float] | None = None
    for n in sizes:
        raw = long_table(n)
        start = time.process_time()
        parsed = irenic.parse(raw, format="csv")
        read = time.process_time()
        (decision_table,) = parsed.bound(None).tables
        bound = time.process_time()
        irenic.check(decision_table)
        end = time.process_time()
        rows, total = before or (n, end - start)
        ratios = (n / rows, (end - start) / total)
        parts = (read - start, bound - read, end - bound)
        table.add(n, f"{len(raw) / 1e6:.1f} MB", *parts, *ratios, memory())
        before = n, end - start
    return table


def main() -> list[Table]:
    return [growth(), everything(), through_the_command()]
