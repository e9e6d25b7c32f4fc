"""Fewer rules that hold exactly where those before did."""

from __future__ import annotations

import pytest
from grid_cells import cells_of
from hypothesis import given

import naive
import strategies as sts
from irenic import ConflictError, Continuous, Rule, RuleSet, Space
from irenic.budget import Meter
from irenic.mend import merge, merging
from irenic.mend.boxes import boxes_of
from irenic.mend.merging import fewer, same_union


def held_by(rules, cell):
    return {(rule.then, rule.weight) for rule in rules if naive.holds(rule.region, cell)}


def check(rules, made):
    assert len(made) <= len(rules)
    assert made.default == rules.default
    for cell in cells_of(rules.space, rules, made):
        assert held_by(rules, cell) == held_by(made, cell)


@given(rules=sts.consistent_rule_sets(default="A"))
def test_merged_rules_hold_where_those_before_did(rules):
    check(rules, merge(rules))


@given(rules=sts.consistent_rule_sets())
def test_rules_are_merged_where_there_is_too_much_outside_to_grow_among(rules):
    before = merging._MOST_OUTSIDE
    merging._MOST_OUTSIDE = 0
    try:
        check(rules, merge(rules))
    finally:
        merging._MOST_OUTSIDE = before


@given(sts.regions_of_one_space(5))
def test_boxes_are_made_fewer_and_proved_to_hold_the_same(regions):
    rules = RuleSet(regions[0].space, [Rule(region, then="A") for region in regions])
    boxes = boxes_of(rules)
    few = fewer(rules.space, boxes, Meter(None))
    assert len(few.low) <= len(boxes.low)
    assert same_union(rules.space, boxes, few, Meter(None))


@given(sts.regions_of_one_space(4))
def test_the_proof_of_a_union_holds_exactly_where_the_cells_are_the_same(regions):
    sets = [RuleSet(r[0].space, [Rule(x, then="A") for x in r]) for r in (regions[:2], regions[2:])]
    space = sets[0].space
    cells = cells_of(space, *sets)
    same = all(bool(held_by(sets[0], c)) is bool(held_by(sets[1], c)) for c in cells)
    assert same_union(space, *(boxes_of(s) for s in sets), Meter(None)) is same


def plane(*corners, weights=()):
    space = Space([Continuous("x"), Continuous("y")])
    weights = weights or [1.0] * len(corners)
    return RuleSet(
        space,
        [
            Rule({"x": (a, b), "y": (c, d)}, then="A", weight=w)
            for (a, b, c, d), w in zip(corners, weights, strict=True)
        ],
    )


def test_four_quarters_are_one_rule():
    rules = plane((0, 5, 0, 5), (5, 9, 0, 5), (0, 5, 5, 9), (5, 9, 5, 9))
    assert [str(rule) for rule in merge(rules)] == ["IF 0 <= x < 9 AND 0 <= y < 9 THEN A"]


def test_a_pinwheel_of_five_becomes_four():
    # no two of the five make a box; widened, four cover what the fifth in the middle does
    rules = plane((0, 2, 0, 1), (2, 3, 0, 2), (1, 3, 2, 3), (0, 1, 1, 3), (1, 2, 1, 2))
    made = merge(rules)
    assert len(made) < 5
    check(rules, made)


def test_rules_of_different_weights_are_kept_apart():
    rules = plane((0, 5, 0, 5), (5, 9, 0, 5), weights=[1.0, 2.0])
    assert merge(rules) == rules


def test_merged_rules_keep_their_weight_and_others_how_they_are_written():
    rules = plane((0, 5, 0, 5), (5, 9, 0, 5), weights=[2.0, 2.0])
    rules.add(Rule({"x": {">": 20, "<=": 30}}, then="B"))
    assert [str(rule) for rule in merge(rules)] == [
        "IF 0 <= x < 9 AND 0 <= y < 5 THEN A WEIGHT 2",
        "IF 20 < x <= 30 THEN B",
    ]


def test_without_time_the_rules_stay_as_they_are():
    rules = plane((0, 5, 0, 5), (5, 9, 0, 5))
    assert merge(rules, budget=0) == rules


def test_rules_with_conflicts_are_refused():
    rules = RuleSet(None, [Rule({"x": (0, 5)}, then="A"), Rule({"x": (3, 9)}, then="B")])
    text = r"the rules contradict each other: rule 1 says A, .*; repair them before"
    with pytest.raises(ConflictError, match=text) as caught:
        merge(rules)
    assert len(caught.value.conflicts) == 1
