"""Impact: what two versions decide differently on data, counted as one by one."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_properties import tables

import strategies as sts
from irenic import ConflictError, DataError, Rule, RuleSet
from irenic.proving import impact

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
    expected = Counter()
    sums = Counter()
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
    amounts_in_order = [move.amount for move in change.moves]
    assert amounts_in_order == sorted(amounts_in_order, reverse=True)


def plain(values):
    return [tuple(v) if isinstance(v, list) else v for v in values]


def test_groups_add_up():
    change = impact(OLD, NEW, {"age": [5, 16, 17, 40]}, amount=[1, 2, 4, 8], by=list("aabb"))
    assert [tuple(group) for group in change.groups] == [("b", 2, 1, 4.0), ("a", 2, 1, 2.0)]
    assert (change.cases, change.changed, change.amount, change.amount_changed) == (4, 2, 15, 6)
    assert str(change.moves[0]) == ("2 cases, amount 6: free (rule 1) becomes pays (by default)")


def test_no_cases_have_no_impact():
    change = impact(OLD, NEW, {"age": []}, by=[])
    assert (change.cases, change.changed, change.moves, change.groups) == (0, 0, (), ())


def test_invalid_arguments_are_named():
    with pytest.raises(DataError, match="amount must have one number per case, got 1 for 2"):
        impact(OLD, NEW, {"age": [1, 2]}, amount=[1])
    with pytest.raises(DataError, match="amount must be a column of numbers"):
        impact(OLD, NEW, {"age": [1]}, amount=["much"])
    with pytest.raises(DataError, match="amount must be a number in every case, got none in row 2"):
        impact(OLD, NEW, {"age": [1, 2]}, amount=[1, None])
    with pytest.raises(DataError, match="by must have one value per case, got 1 for 2"):
        impact(OLD, NEW, {"age": [1, 2]}, by=["a"])
    with pytest.raises(DataError, match="by must be a column with one value per case, got the tex"):
        impact(OLD, NEW, {"age": [1, 2]}, by="ab")
    wrong = RuleSet([Rule({"age": (None, 18)}, then="a"), Rule({"age": (None, 9)}, then="b")])
    with pytest.raises(ConflictError, match="the rules contradict each other"):
        impact(wrong, NEW, {"age": [1]})
