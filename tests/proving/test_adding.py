"""New rules: what they would contradict, and the part of them that is free."""

from __future__ import annotations

import property_grid as oracle
from hypothesis import given
from hypothesis import strategies as st
from test_properties import tables

import naive
import strategies as sts
from irenic import Budget, Rule, RuleList, RuleSet
from irenic.proving import try_rule


@given(st.data())
def test_the_free_part_is_what_no_rival_covers(data):
    space = data.draw(sts.spaces(2))
    table = data.draw(tables(space, [None, "FIRST"]))
    new = Rule(data.draw(sts.regions(space)), then=2)
    conflicts, free = try_rule(table, new)
    rivals = [r for r in table.rules if table.is_ordered or r.then != 2]
    regions = [new.region, *(r.region for r in [*rivals, *free])]
    for cell in oracle.cells_of(space, *regions):
        is_free = not any(naive.holds(r.region, cell) for r in rivals)
        covered = any(naive.holds(part.region, cell) for part in free)
        assert covered is (is_free and naive.holds(new.region, cell))
    if table.is_ordered:
        assert conflicts == []
        return
    overlapping = {i for i, r in enumerate(table.rules) if r in rivals and overlaps(r, new)}
    assert {conflict.first for conflict in conflicts} == overlapping
    if not conflicts:
        assert free == [new]
    assert RuleSet([*table.rules, *free], space).is_consistent


def overlaps(a, b):
    return a.region.overlaps(b.region)


def test_a_budget_still_gives_rules_that_contradict_none():
    rules = RuleSet([Rule({"a": (i, i + 1), "b": (i, i + 1)}, then="x") for i in range(9)])
    _, free = try_rule(rules, Rule({"a": (0, 9), "b": (0, 9)}, then="y"), budget=Budget(seconds=0))
    assert RuleSet([*rules, *free], rules.space).is_consistent


def test_a_rule_behind_all_others_decides_the_rest():
    rules = RuleList([Rule({"age": (None, 18)}, then="free")])
    assert try_rule(rules, Rule({"age": (10, 60)}, then="half")) == (
        [],
        [Rule({"age": (18, 60)}, then="half")],
    )
    assert try_rule(rules, Rule({"age": (3, 9)}, then="half")) == ([], [])
