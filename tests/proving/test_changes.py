"""Changes of rules: new ones and their free parts, and what two versions decide differently."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import proving.property_grid as oracle
import strategies as sts
from irenic import Budget, ConflictError, DataError, Rule, RuleList, RuleSet
from irenic.monitoring import impact
from irenic.testing import try_rule
from proving.property_grid import tables

# --- new rules


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
    overlapping = {
        i for i, r in enumerate(table.rules) if r in rivals and r.region.overlaps(new.region)
    }
    assert {conflict.first for conflict in conflicts} == overlapping
    if not conflicts:
        assert free == [new]
    assert RuleSet([*table.rules, *free], space).is_consistent


def test_a_budget_still_gives_rules_that_contradict_none():
    rules = RuleSet([Rule({"a": (i, i + 1), "b": (i, i + 1)}, then="x") for i in range(9)])
    _, free = try_rule(rules, Rule({"a": (0, 9), "b": (0, 9)}, then="y"), budget=Budget(seconds=0))
    assert RuleSet([*rules, *free], rules.space).is_consistent


def test_a_rule_behind_all_others_decides_the_rest():
    rules = RuleList([Rule({"age": (None, 18)}, then="free")])
    rest = [Rule({"age": (18, 60)}, then="half")]
    assert try_rule(rules, Rule({"age": (10, 60)}, then="half")) == ([], rest)
    assert try_rule(rules, Rule({"age": (3, 9)}, then="half")) == ([], [])


# --- impact, counted as one by one

OLD = RuleSet([Rule({"age": (None, 18)}, then="free")], default="pays")
NEW = RuleSet([Rule({"age": (None, 16)}, then="free")], default="pays")


@given(st.data())
def test_the_moves_are_those_of_single_predictions(data):
    space = data.draw(sts.spaces(2))
    old, new = data.draw(tables(space)), data.draw(tables(space))
    regions = [rule.region for table in (old, new) for rule in table.rules]
    points = [region.witness() for region in regions] * 3
    amounts = np.arange(len(points)) % 4
    change = impact(old, new, points, amount=amounts)
    before, after = (plain(t.predict(points).tolist()) for t in (old, new))
    by = [list(zip(t.decide(points), strict=True)) for t in (old, new)]
    expected, sums = Counter(), Counter()
    for a, b, (ra,), (rb,), amount in zip(before, after, *by, amounts.tolist(), strict=True):
        if a != b:
            expected[a, b, ra, rb] += 1
            sums[a, b, ra, rb] += amount
    found = {
        (*plain([m.before, m.after]), m.rules_before, m.rules_after): m.cases for m in change.moves
    }
    assert found == dict(expected)
    assert change.changed == sum(expected.values())
    assert change.amount_changed == sum(sums.values())
    for move in change.moves:
        for row in move.rows:
            assert plain([move.before, move.after]) == [before[row], after[row]]
    in_order = [move.amount for move in change.moves]
    assert in_order == sorted(in_order, reverse=True)


def plain(values):
    return [tuple(v) if isinstance(v, list) else v for v in values]


def test_groups_add_up():
    change = impact(OLD, NEW, {"age": [5, 16, 17, 40]}, amount=[1, 2, 4, 8], by=list("aabb"))
    assert [tuple(group) for group in change.groups] == [("b", 2, 1, 4.0), ("a", 2, 1, 2.0)]
    assert (change.cases, change.changed, change.amount, change.amount_changed) == (4, 2, 15, 6)
    assert str(change.moves[0]) == ("2 cases, amount 6: free (rule 1) becomes pays (by default)")
    nothing = impact(OLD, NEW, {"age": []}, by=[])
    assert (nothing.cases, nothing.changed, nothing.moves, nothing.groups) == (0, 0, (), ())


def test_invalid_arguments_of_an_impact_are_named():
    for ages, options, text in [
        ([1, 2], {"amount": [1]}, "amount must have one number per case, got 1 for 2"),
        ([1], {"amount": ["much"]}, "amount must be a column of numbers"),
        ([1, 2], {"amount": [1, None]}, "must be a number in every case, got none in row 2"),
        ([1, 2], {"by": ["a"]}, "by must have one value per case, got 1 for 2"),
        ([1, 2], {"by": "ab"}, "by must be a column with one value per case, got the tex"),
    ]:
        with pytest.raises(DataError, match=text):
            impact(OLD, NEW, {"age": ages}, **options)
    wrong = RuleSet([Rule({"age": (None, 18)}, then="a"), Rule({"age": (None, 9)}, then="b")])
    with pytest.raises(ConflictError, match="the rules contradict each other"):
        impact(wrong, NEW, {"age": [1]})
