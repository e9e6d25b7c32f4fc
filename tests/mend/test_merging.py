"""Merged rules: fewer rules that cover exactly the same cases."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from unittest import mock

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
from irenic.mend._merge import fewer
from irenic.proving.answering import answer
from irenic.proving.asking import ask_same_cases


def held_by(rules, cell):
    return {(rule.then, rule.weight) for rule in rules if naive.holds(rule.region, cell)}


def check(rules, merged):
    assert len(merged) <= len(rules)
    assert merged.default == rules.default
    for cell in cells_of(rules.space, rules, merged):
        assert held_by(rules, cell) == held_by(merged, cell)


def outside_limit(limit):
    """Say when too much is outside of rules to widen them: if it is 0, always."""
    return mock.patch.object(merging, "_OUTSIDE_LIMIT", limit)


LIMITS = st.sampled_from([0, 4_000])


@sts.examples(0.6)
@given(sts.regions_of_one_space(5))
def test_the_proof_of_a_union_holds_exactly_if_the_cells_are_the_same(regions):
    rules = RuleSet([Rule(region, then="A") for region in regions], regions[0].space)
    few = fewer(rules.boxes, Meter(None))
    assert len(few) <= len(rules)
    assert answer(ask_same_cases(rules.boxes, few)).holds
    sets = rules[:2], rules[2:4]
    cells = cells_of(rules.space, *sets)
    same = all(bool(held_by(sets[0], c)) is bool(held_by(sets[1], c)) for c in cells)
    assert answer(ask_same_cases(*(s.boxes for s in sets))).holds is same


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


def unique(rules):
    return DecisionTable.from_rules(rules).under("UNIQUE")


def texts(rules):
    return [str(rule) for rule in merge(rules).rules]


HALVES = (0, 5, 0, 5), (5, 9, 0, 5)
PINWHEEL = (0, 2, 0, 1), (2, 3, 0, 2), (1, 3, 2, 3), (0, 1, 1, 3), (1, 2, 1, 2)
"""No two of the five form a box, but four of them can be widened to cover the fifth."""


def test_touching_rules_are_merged_if_their_weights_are_the_same():
    assert texts(plane(*HALVES, (0, 5, 5, 9), (5, 9, 5, 9))) == [
        "IF 0 <= x < 9 AND 0 <= y < 9 THEN A"
    ]
    rules = plane(*HALVES, weights=[1.0, 2.0])
    assert merge(rules).rules == rules
    rules = plane(*HALVES, weights=[2.0, 2.0])
    rules.add(Rule({"x": {">": 20, "<=": 30}}, then="B"))
    assert texts(rules) == [  # others keep their notation
        "IF 0 <= x < 9 AND 0 <= y < 5 THEN A WEIGHT 2",
        "IF 20 < x <= 30 THEN B",
    ]


def test_a_pinwheel_of_five_becomes_four():
    rules = plane(*PINWHEEL)
    merged = merge(rules).rules
    assert len(merged) < 5
    check(rules, merged)


def test_the_result_reports_whether_the_search_finished():
    rules = plane(*HALVES)
    result = merge(rules)
    assert (result.finished, result.stopped_by) == (True, None)
    assert repr(result) == ("<Merged: 1 rule, finished\n  1. IF 0 <= x < 9 AND 0 <= y < 5 THEN A>")
    result = merge(rules, budget=0)
    assert result.rules == rules
    assert (result.finished, result.stopped_by) == (False, "seconds")
    assert repr(result).startswith("<Merged: 2 rules, stopped by seconds\n  1. IF 0 <= x < 5 AND")
    assert merge(rules, budget=Budget(nodes=0)).stopped_by == "nodes"
    apart = RuleSet([Rule({"x": (0, 5)}, then="A"), Rule({"x": (5, 9)}, then="B")])
    assert merge(apart, budget=0).finished  # cannot be merged


@sts.examples(0.6)
@given(rules=sts.consistent_rule_sets(), nodes=st.integers(0, 60), limit=LIMITS)
def test_a_stopped_search_is_not_finished(rules, nodes, limit):
    with outside_limit(limit):
        whole, cut = merge(rules), merge(rules, budget=Budget(nodes=nodes))
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


@pytest.mark.parametrize("hit_policy", [None, "UNIQUE", "ANY"])
@sts.examples(0.6)
@given(data=st.data(), limit=LIMITS)
def test_a_merged_table_decides_the_same_and_keeps_its_policy(hit_policy, data, limit):
    table = data.draw(tables(hit_policy))
    with outside_limit(limit):
        result = merge(table)
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


@given(rules=sts.rule_sets(max_size=4), how=st.sampled_from(["drop", "trim", "split"]))
def test_repaired_and_completed_tables_keep_unique(rules, how):
    repaired = repair(unique(rules), how).table
    assert not overlaps(repaired)
    completed = repaired.with_rules(complete(repaired).rules)
    assert completed.hit_policy == "UNIQUE"
    assert not overlaps(completed)
    assert not overlaps(merge(completed).table)


@pytest.mark.parametrize(
    ("corners", "merged"),
    [
        (  # agreeing rows are separated
            [(0, 6, 0, 5), (4, 9, 0, 5), (20, 22, 0, 3), (21, 24, 0, 3), (22, 26, 1, 3)],
            [
                "IF 0 <= x < 9 AND 0 <= y < 5 THEN A",
                "IF 20 <= x < 24 AND 0 <= y < 3 THEN A",
                "IF 24 <= x < 26 AND 1 <= y < 3 THEN A",
            ],
        ),
        (  # even if none is saved
            [(0, 6, 0, 5), (4, 9, 0, 3)],
            ["IF 0 <= x < 6 AND 0 <= y < 5 THEN A", "IF 6 <= x < 9 AND 0 <= y < 3 THEN A"],
        ),
        (PINWHEEL, ["IF 0 <= x < 3 AND 0 <= y < 3 THEN A"]),
        (
            [(i, i + 1, j, j + 1) for i in range(12) for j in range(12)],
            ["IF 0 <= x < 12 AND 0 <= y < 12 THEN A"],
        ),
        ([(0, 9, 3, 5), (3, 5, 0, 9)], None),  # crossing rows: separate ones would be more
        ([(None, 10, 2, None), (None, None, None, 2)], None),  # nothing would shrink
    ],
)
def test_rows_of_a_unique_table_are_merged_without_overlaps(corners, merged):
    rules = plane(*corners)
    table = unique(rules)
    result = merge(table)
    if merged is None:
        assert result.rules == merge(table.under("ANY")).rules == rules
    else:
        assert [str(rule) for rule in result.rules] == merged
        assert not overlaps(result.table)


@pytest.mark.parametrize("hit_policy", ["FIRST", "PRIORITY"])
@sts.examples(0.6)
@given(rules=sts.rule_sets(max_size=4, default="A"))
def test_an_ordered_table_that_became_a_set_is_merged_and_decides_the_same(hit_policy, rules):
    table = replace(DecisionTable.from_rules(rules).under(hit_policy), ranking=("C", "A"))
    result = merge(table.with_rules(to_set(table.as_rules()))).table
    assert result.hit_policy is None
    assert result.first_conflict() is None
    cells = cells_of(rules.space, rules, result.rules)
    default = result.rules.default  # the set's own: a rule without conditions becomes the default
    assert decisions(result.rules, cells, default) == decisions(table.as_rules(), cells, "A")


def test_other_rules_are_rejected():
    table = DecisionTable.from_rules(plane(*HALVES))
    ordered = "rules must be unordered, got a list: .* irenic.to_set"
    for rules, text in [
        (RuleList.from_rules(table.rules), ordered),
        *((table.under(policy), ordered) for policy in ("FIRST", "PRIORITY")),
        *(
            (
                table.under(policy),
                f"under {policy}, all rules that apply count, so merging them would change",
            )
            for policy in ("COLLECT", "RULE ORDER", "OUTPUT ORDER")
        ),
    ]:
        with pytest.raises(ConditionError, match=text):
            merge(rules)
    rules = RuleSet([Rule({"x": (0, 5)}, then="A"), Rule({"x": (3, 9)}, then="B")])
    text = r"the rules contradict each other: rule 1 says A, .*; repair them before merging"
    with pytest.raises(ConflictError, match=text) as caught:
        merge(rules)
    assert len(caught.value.conflicts) == 1
