"""Time to prove, certify and verify claims about large tables, beside z3; and to replay history."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import z3

import irenic
from benchmarks.deciding import leaf_rules
from benchmarks.harness import Table, seconds
from irenic.monitoring import impact
from irenic.proving import certify, prove, to_smtlib, verify

CLAIMS = ("CONSISTENT", "COMPLETE", "NEVER nothing WHERE f1 < 0.5", "SAME AS shuffled")


def once(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def by_z3(rules: irenic.RuleSet, claim: str, read: Any, limit: float) -> float | None:
    """Return the seconds that z3 takes to prove a claim; None if it takes longer than the limit."""
    text = to_smtlib(rules, claim, read=read)
    solver = z3.Solver()
    solver.set("timeout", int(1_000 * limit))
    start = time.perf_counter()
    solver.from_string(text)
    answer = solver.check()
    assert answer != z3.sat, claim
    return time.perf_counter() - start if answer == z3.unsat else None


def claims(sizes: tuple[int, ...] = (100, 1_000, 10_000, 100_000), limit: float = 60.0) -> Table:
    table = Table(
        "Claims about tree leaves, 20 features: proved, certified and verified",
        "rules",
        "claim",
        "prove",
        "prove and certify",
        "nodes",
        "verify",
        "z3",
    )
    too_slow: set[str] = set()
    for n in sizes:
        rules = leaf_rules(n)
        order = np.random.default_rng(0).permutation(n)
        shuffled = rules[order]

        def read(_: str, shuffled: irenic.RuleSet = shuffled) -> irenic.RuleSet:
            return shuffled

        for claim in CLAIMS:
            ours: Any = "–"
            if claim not in CLAIMS[:2]:
                ours, verdicts = once(lambda r=rules, c=claim: prove(r, [c], read=read))
                assert verdicts[0].holds
            elif claim == "CONSISTENT":
                ours = seconds(lambda r=rules: r.conflicts(limit=1), repeat=3)
            else:
                ours = seconds(lambda r=rules: r.is_complete)
            certified, document = once(lambda r=rules, c=claim: certify(r, [c], read=read))
            verified, proved = once(lambda r=rules, d=document: verify(d, r, read=read))
            assert proved == [claim]
            theirs: Any = f"stopped after {limit:.0f} s"
            if claim not in too_slow:
                theirs = by_z3(rules, claim, read, limit) or theirs
            if isinstance(theirs, str):
                too_slow.add(claim)  # larger tables take longer
            nodes = len(document["certificates"][0]["nodes"])
            table.add(n, claim, ours, certified, nodes, verified, theirs)
    return table


def history(sizes: tuple[int, ...] = (10_000, 1_000_000)) -> Table:
    table = Table("Impact of a change on past cases, 20 features", "cases", "rules", "time")
    for n_rules in (20, 1_000):
        old = leaf_rules(n_rules)
        new = irenic.RuleSet([*list(old)[:-1]], old.space, default=0)
        for n in sizes:
            rng = np.random.default_rng(0)
            X = dict(zip(old.space.names, rng.random((20, n)), strict=True))
            table.add(n, n_rules, seconds(lambda X=X, a=old, b=new: impact(a, b, X), repeat=3))
    return table


def main() -> list[Table]:
    return [claims(), history()]
