"""Deciding single records: a prepared decider, compared with the scan of ``predict``."""

from __future__ import annotations

import numpy as np

import irenic
from benchmarks.core import rule_set
from benchmarks.generated import packet_rules, random_boxes, tree_leaves
from benchmarks.harness import Table, seconds

RECORDS = 1_000


def leaf_rules(n: int) -> irenic.RuleSet:
    return rule_set(*tree_leaves(n, 20))


def packet_filter(n: int) -> irenic.RuleSet:
    """Return rules of which the first that matches a packet decides."""
    lower, upper = packet_rules(n)
    names = ("source", "destination", "source port", "destination port", "protocol")
    most = (2**32 - 1, 2**32 - 1, 2**16 - 1, 2**16 - 1, 2**8 - 1)
    space = irenic.Space(
        irenic.Continuous(name, kind="integer", bounds=(0, high))
        for name, high in zip(names, most, strict=True)
    )
    then = np.random.default_rng(0).choice(["accept", "drop", "log"], n).tolist()
    return irenic.RuleSet.from_arrays(space, lower=lower, upper=upper, then=then)


def points_inside(rules: irenic.RuleSet, seed: int = 1) -> np.ndarray:
    """Return whole points inside random rules, one per row."""
    rng = np.random.default_rng(seed)
    chosen = rng.integers(len(rules), size=RECORDS)
    lower, upper = rules.lower[:, chosen], rules.upper[:, chosen]
    return np.floor(lower + rng.random(lower.shape) * (upper - lower)).T


def records() -> Table:
    table = Table(
        f"Deciding one record ({RECORDS:,} different ones in turn)",
        "rules",
        "kind",
        "resolve",
        "build the index",
        "decider",
        "predict",
        "times faster",
    )
    kinds = {
        "tree leaves, 20 features": (leaf_rules, (100, 3_700, 100_000)),
        "packets, 5 integers": (packet_filter, (10_000, 100_000)),
        "wide random boxes, 20 features": (
            lambda n: rule_set(*random_boxes(n, 20, 0.5)),
            (3_700,),
        ),
    }
    for kind, (make, sizes) in kinds.items():
        for n in sizes:
            rules = make(n)
            if kind.startswith("packets"):
                X = points_inside(rules).astype(np.int64)
            else:
                X = np.random.default_rng(1).random((RECORDS, 20))
            rows = [dict(zip(rules.space.names, row, strict=True)) for row in X.tolist()]
            for resolve in ("first", "vote"):
                table.add(n, kind, resolve, *measured(rules, rows, resolve))
    return table


def measured(rules: irenic.RuleSet, rows: list[dict], resolve: str) -> list[float]:
    """Return the times to build a decider and to decide a record by it and by scanning."""
    decide = rules.decider(resolve=resolve)
    assert [decide.rule(row) for row in rows[:50]] == rules.decide(
        rows[:50], resolve=resolve
    ).tolist()
    build = seconds(lambda: rules.decider(resolve=resolve), repeat=2)

    def decide_all() -> None:
        for row in rows:
            decide(row)

    ours = seconds(decide_all) / len(rows)
    few = rows[:: len(rows) // 10]

    def scan() -> None:
        for row in few:
            rules.predict([row], resolve=resolve)

    scanned = seconds(scan, repeat=3) / len(few)
    return [build, ours, scanned, scanned / ours]


def main() -> list[Table]:
    return [records()]
