"""Merged rules: fewer rules that cover exactly the same cases."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import hypothesis.strategies as st
import pytest
from grid_cells import cells_of, decisions
from hypothesis import given

import naive
import strategies as sts
from irenic import (
    Budget,
    ConditionError,
    ConflictError,
    Continuous,
    DecisionTable,
    Rule,
    RuleList,
    RuleSet,
    Space,
)
from irenic.budget import Meter
from irenic.mend import _merge as merging
from irenic.mend import complete, merge, repair, to_set
from irenic.mend._merge import fewer, same_union


def held_by(rules, cell):
    return {(rule.then, rule.weight) for rule in rules if naive.holds(rule.region, cell)}


def check(rules, merged):
    assert len(merged) <= len(rules)
    assert merged.default == rules.default
    for cell in cells_of(rules.space, rules, merged):
        assert held_by(rules, cell) == held_by(merged, cell)


@given(rules=sts.consistent_rule_sets(default="A"))
def test_merged_rules_cover_the_same_cells(rules):
    check(rules, merge(rules).rules)


@given(rules=sts.consistent_rule_sets())
def test_rules_are_merged_if_too_much_is_outside_to_widen_them(rules):
    before = merging._OUTSIDE_LIMIT
    merging._OUTSIDE_LIMIT = 0
    try:
        check(rules, merge(rules).rules)
    finally:
        merging._OUTSIDE_LIMIT = before


@given(sts.regions_of_one_space(5))
def test_fewer_boxes_are_proved_to_contain_the_same_points(regions):
    rules = RuleSet([Rule(region, then="A") for region in regions], regions[0].space)
    boxes = rules.boxes
    few = fewer(boxes, Meter(None))
    assert len(few) <= len(boxes)
    assert same_union(boxes, few, Meter(None))


@given(sts.regions_of_one_space(4))
def test_the_proof_of_a_union_holds_exactly_if_the_cells_are_the_same(regions):
    sets = [RuleSet([Rule(x, then="A") for x in r], r[0].space) for r in (regions[:2], regions[2:])]
    space = sets[0].space
    cells = cells_of(space, *sets)
    same = all(bool(held_by(sets[0], c)) is bool(held_by(sets[1], c)) for c in cells)
    assert same_union(*(s.boxes for s in sets), Meter(None)) is same


def plane(*corners, weights=()):
    space = Space([Continuous("x"), Continuous("y")])
    weights = weights or [1.0] * len(corners)
    return RuleSet(
        [
            Rule({"x": (a, b), "y": (c, d)}, then="A", weight=w)
            for (a, b, c, d), w in zip(corners, weights, strict=True)
        ],
        space,
    )


def test_four_quarters_become_one_rule():
    rules = plane((0, 5, 0, 5), (5, 9, 0, 5), (0, 5, 5, 9), (5, 9, 5, 9))
    assert [str(rule) for rule in merge(rules).rules] == ["IF 0 <= x < 9 AND 0 <= y < 9 THEN A"]


def test_a_pinwheel_of_five_becomes_four():
    # no two of the five form a box, but four of them can be widened to cover the fifth
    rules = plane((0, 2, 0, 1), (2, 3, 0, 2), (1, 3, 2, 3), (0, 1, 1, 3), (1, 2, 1, 2))
    merged = merge(rules).rules
    assert len(merged) < 5
    check(rules, merged)


def test_rules_with_different_weights_are_not_merged():
    rules = plane((0, 5, 0, 5), (5, 9, 0, 5), weights=[1.0, 2.0])
    assert merge(rules).rules == rules


def test_merged_rules_keep_their_weight_and_others_their_notation():
    rules = plane((0, 5, 0, 5), (5, 9, 0, 5), weights=[2.0, 2.0])
    rules.add(Rule({"x": {">": 20, "<=": 30}}, then="B"))
    assert [str(rule) for rule in merge(rules).rules] == [
        "IF 0 <= x < 9 AND 0 <= y < 5 THEN A WEIGHT 2",
        "IF 20 < x <= 30 THEN B",
    ]


def test_the_result_reports_that_the_search_finished():
    result = merge(plane((0, 5, 0, 5), (5, 9, 0, 5)))
    assert (result.finished, result.stopped_by) == (True, None)
    assert repr(result) == ("<Merged: 1 rule, finished\n  1. IF 0 <= x < 9 AND 0 <= y < 5 THEN A>")


def test_without_time_the_rules_are_unchanged_and_the_result_reports_it():
    rules = plane((0, 5, 0, 5), (5, 9, 0, 5))
    result = merge(rules, budget=0)
    assert result.rules == rules
    assert (result.finished, result.stopped_by) == (False, "seconds")
    assert repr(result).startswith("<Merged: 2 rules, stopped by seconds\n  1. IF 0 <= x < 5 AND")
    assert merge(rules, budget=Budget(nodes=0)).stopped_by == "nodes"


def test_rules_that_cannot_be_merged_need_no_budget():
    rules = RuleSet([Rule({"x": (0, 5)}, then="A"), Rule({"x": (5, 9)}, then="B")])
    assert merge(rules, budget=0).finished


@pytest.mark.parametrize("outside_limit", [0, 4_000])
@given(rules=sts.consistent_rule_sets(), nodes=st.integers(0, 60))
def test_a_stopped_search_is_not_finished(outside_limit, rules, nodes):
    before = merging._OUTSIDE_LIMIT
    merging._OUTSIDE_LIMIT = outside_limit
    try:
        whole, cut = merge(rules), merge(rules, budget=Budget(nodes=nodes))
    finally:
        merging._OUTSIDE_LIMIT = before
    assert whole.finished
    check(rules, cut.rules)
    if cut.finished:
        assert cut.rules == whole.rules


# --- tables with a hit policy


@st.composite
def tables(draw, hit_policy):
    """Draw a table without conflicts; under UNIQUE, many have no overlaps either."""
    rules = draw(sts.consistent_rule_sets(default=draw(st.sampled_from([None, "A"]))))
    if hit_policy == "UNIQUE" and draw(st.booleans()):
        apart: list[Rule] = []
        for rule in rules:
            if not any(rule.region.overlaps(other.region) for other in apart):
                apart.append(rule)
        rules = RuleSet(apart, rules.space, default=rules.default)
    return DecisionTable.from_rules(rules).under(hit_policy)


def overlaps(table):
    return [
        (a, b)
        for a, b in combinations(range(len(table.rules)), 2)
        if table.rows[a] != table.rows[b] and table.rules[a].region.overlaps(table.rules[b].region)
    ]


@pytest.mark.parametrize("outside_limit", [0, 4_000])
@pytest.mark.parametrize("hit_policy", [None, "UNIQUE", "ANY"])
@given(data=st.data())
def test_a_merged_table_decides_the_same_and_keeps_its_policy(outside_limit, hit_policy, data):
    table = data.draw(tables(hit_policy))
    before = merging._OUTSIDE_LIMIT
    merging._OUTSIDE_LIMIT = outside_limit
    try:
        result = merge(table)
    finally:
        merging._OUTSIDE_LIMIT = before
    check(table.rules, result.rules)
    assert result.table.rules == result.rules
    assert result.table.hit_policy == hit_policy
    assert result.table.first_conflict() is None
    if hit_policy == "UNIQUE":
        old = set(table.rules)
        for pair in overlaps(result.table):
            a, b = (result.rules[place] for place in pair)
            # of rows that could not be separated, or that have different weights
            assert {a, b} <= old or a.weight != b.weight
        if not overlaps(table):
            assert not overlaps(result.table)


@pytest.mark.parametrize("how", ["drop", "trim", "split"])
@given(data=st.data())
def test_repaired_and_completed_tables_keep_unique(how, data):
    rules = data.draw(sts.rule_sets(max_size=4))
    table = DecisionTable.from_rules(rules).under("UNIQUE")
    repaired = repair(table, how).table
    assert not overlaps(repaired)
    completed = repaired.with_rules(complete(repaired).rules)
    assert completed.hit_policy == "UNIQUE"
    assert not overlaps(completed)
    assert not overlaps(merge(completed).table)


def test_rows_of_a_unique_table_are_merged_without_overlaps():
    space = Space([Continuous("a"), Continuous("b")])
    rules = RuleSet(
        [Rule({"a": {"<": 10}, "b": {">=": 2}}, then="x"), Rule({"b": {"<": 2}}, then="x")],
        space,
    )
    table = DecisionTable.from_rules(rules).under("UNIQUE")
    assert merge(table).rules == rules
    assert merge(table.under("ANY")).rules == rules  # nothing would shrink


def test_agreeing_rows_of_a_unique_table_are_separated():
    rules = plane((0, 6, 0, 5), (4, 9, 0, 5), (20, 22, 0, 3), (21, 24, 0, 3), (22, 26, 1, 3))
    result = merge(DecisionTable.from_rules(rules).under("UNIQUE"))
    assert [str(rule) for rule in result.rules] == [
        "IF 0 <= x < 9 AND 0 <= y < 5 THEN A",
        "IF 20 <= x < 24 AND 0 <= y < 3 THEN A",
        "IF 24 <= x < 26 AND 1 <= y < 3 THEN A",
    ]
    assert not overlaps(result.table)


def test_agreeing_rows_are_separated_even_if_none_is_saved():
    rules = plane((0, 6, 0, 5), (4, 9, 0, 3))
    result = merge(DecisionTable.from_rules(rules).under("UNIQUE"))
    assert [str(rule) for rule in result.rules] == [
        "IF 0 <= x < 6 AND 0 <= y < 5 THEN A",
        "IF 6 <= x < 9 AND 0 <= y < 3 THEN A",
    ]


def test_crossing_rows_stay_if_separate_ones_would_be_more():
    rules = plane((0, 9, 3, 5), (3, 5, 0, 9))
    assert merge(DecisionTable.from_rules(rules).under("UNIQUE")).rules == rules


def test_a_pinwheel_in_a_unique_table_becomes_one_row():
    rules = plane((0, 2, 0, 1), (2, 3, 0, 2), (1, 3, 2, 3), (0, 1, 1, 3), (1, 2, 1, 2))
    result = merge(DecisionTable.from_rules(rules).under("UNIQUE"))
    assert [str(rule) for rule in result.rules] == ["IF 0 <= x < 3 AND 0 <= y < 3 THEN A"]


def test_many_rows_of_a_unique_table_are_merged():
    rules = plane(*((i, i + 1, j, j + 1) for i in range(20) for j in range(20)))
    result = merge(DecisionTable.from_rules(rules).under("UNIQUE"))
    assert [str(rule) for rule in result.rules] == ["IF 0 <= x < 20 AND 0 <= y < 20 THEN A"]


@pytest.mark.parametrize("hit_policy", ["FIRST", "PRIORITY"])
def test_an_ordered_table_is_rejected(hit_policy):
    table = DecisionTable.from_rules(plane((0, 5, 0, 5), (5, 9, 0, 5))).under(hit_policy)
    text = "rules must be unordered, got a list: .* irenic.to_set"
    with pytest.raises(ConditionError, match=text):
        merge(table)
    with pytest.raises(ConditionError, match=text):
        merge(RuleList.from_rules(table.rules))


@pytest.mark.parametrize("hit_policy", ["FIRST", "PRIORITY"])
@given(rules=sts.rule_sets(max_size=4, default="A"))
def test_an_ordered_table_that_became_a_set_is_merged_and_decides_the_same(hit_policy, rules):
    table = replace(DecisionTable.from_rules(rules).under(hit_policy), ranking=("C", "A"))
    result = merge(table.with_rules(to_set(table.as_rules()))).table
    assert result.hit_policy is None
    assert result.first_conflict() is None
    cells = cells_of(rules.space, rules, result.rules)
    default = result.rules.default  # the set's own: a rule without conditions becomes the default
    assert decisions(result.rules, cells, default) == decisions(table.as_rules(), cells, "A")


@pytest.mark.parametrize("hit_policy", ["COLLECT", "RULE ORDER", "OUTPUT ORDER"])
def test_a_table_in_which_all_rows_count_is_rejected(hit_policy):
    table = DecisionTable.from_rules(plane((0, 5, 0, 5), (5, 9, 0, 5))).under(hit_policy)
    text = f"under {hit_policy}, all rules that apply count, so merging them would change"
    with pytest.raises(ConditionError, match=text):
        merge(table)


def test_rules_with_conflicts_are_rejected():
    rules = RuleSet([Rule({"x": (0, 5)}, then="A"), Rule({"x": (3, 9)}, then="B")])
    text = r"the rules contradict each other: rule 1 says A, .*; repair them before merging"
    with pytest.raises(ConflictError, match=text) as caught:
        merge(rules)
    assert len(caught.value.conflicts) == 1
