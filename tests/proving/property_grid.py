"""Slow oracles for properties: every cell of the grid of bounds, and z3."""

from __future__ import annotations

from itertools import pairwise

import z3
from hypothesis import strategies as st

import naive
import strategies as sts
from irenic import DecisionTable, Rule, RuleSet
from irenic.model.decision_table import combined
from irenic.proving import to_smtlib

POLICIES = [None, "FIRST", "PRIORITY", "COLLECT", "RULE ORDER", "OUTPUT ORDER"]


@st.composite
def tables(draw, space, policies=POLICIES, max_size=5):
    """Draw a table with numbers as outcomes; unordered rules do not contradict each other."""
    policy = draw(st.sampled_from(policies))
    rules = [
        Rule(draw(sts.regions(space)), then=draw(st.sampled_from([1, 2, 3])))
        for _ in range(draw(st.integers(0, max_size)))
    ]
    if policy is None:
        kept = []
        for rule in rules:
            if all(rule.agrees_with(other) for other in kept):
                kept.append(rule)
        rules = kept
    default = draw(st.sampled_from([None, None, 1, 2]))
    aggregation = draw(st.sampled_from(["", "SUM", "MAX", "COUNT"])) if policy == "COLLECT" else ""
    ranking = draw(st.sampled_from([(), (2, 3, 1)])) if policy != "FIRST" else ()
    rows = tuple(range(len(rules)))
    options = {"hit_policy": policy, "ranking": ranking, "aggregation": aggregation}
    return DecisionTable(RuleSet(rules, space, default=default), rows, len(rules), **options)


def outcome(table, cell):
    """Return what a table decides for a cell; a list becomes a tuple."""
    indices = naive.covering(table.rules, cell)
    if table.hit_policy == "PRIORITY":
        ranks = [*table.ranking, *table.rules.thens]
        indices.sort(key=lambda i: ranks.index(table.rules[i].then) if table.ranking else 0)
    thens = [table.rules[i].then for i in indices]
    if table.hit_policy == "OUTPUT ORDER" and table.ranking:
        ranks = [*table.ranking, *thens]
        thens.sort(key=ranks.index)
    if not thens and table.rules.default is not None:
        return table.rules.default
    decided = combined(thens, table.hit_policy, table.aggregation)
    return tuple(decided) if isinstance(decided, list) else decided


def decisions(table, cells):
    return {cell: outcome(table, cell) for cell in cells}


def has(decided, value):
    return value in decided if isinstance(decided, tuple) else decided == value


def cells_of(space, *regions):
    return naive.cells_of(naive.grid(space, list(regions)))


def expected(kind, decided, inside, *, value=None, other=None, place=None, order=None):
    """Return whether a property holds, given the decision of every cell.

    ``inside`` are the cells it is about; ``other`` are the decisions of a reference, and ``place``
    is the index of a feature.
    """
    if kind == "never":
        return not any(has(decided[cell], value) for cell in inside)
    if kind == "always":
        return all(has(decided[cell], value) for cell in inside)
    if kind == "only if":
        return all(cell in inside or not has(decided[cell], value) for cell in decided)
    if kind == "same as":
        return all(decided[cell] == other[cell] for cell in inside)
    if kind == "nothing new":
        return all(decided[cell] in (None, other[cell]) for cell in inside)
    if kind == "no new":
        return all(not has(decided[c], value) or has(other[c], value) for c in inside)
    lines = {}
    for cell in sorted(inside):
        lines.setdefault(cell[:place] + cell[place + 1 :], []).append((cell[place], decided[cell]))
    if kind == "independent":
        return all(len({d for _, d in line}) == 1 for line in lines.values())
    for line in lines.values():
        ranks = [d for v, d in line if v != float("-inf") and d is not None]
        ranks = ranks if kind == "increases" else ranks[::-1]
        if any(a > b for a, b in pairwise(ranks)):
            return False
    return True


def by_z3(rules, claim, read=None):
    """Return whether a claim holds, according to z3."""
    solver = z3.Solver()
    solver.from_string(to_smtlib(rules, claim, read=read))
    answer = solver.check()
    assert answer in (z3.sat, z3.unsat)
    return answer == z3.unsat
