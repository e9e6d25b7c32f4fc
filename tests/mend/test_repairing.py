"""Repairs: the remaining rules agree, predict nothing new, and all changes are listed."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from grid_cells import possible_cells
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies as sts
from irenic import (
    Budget,
    Categorical,
    ConditionError,
    Continuous,
    DataError,
    DecisionTable,
    Rule,
    RuleList,
    RuleSet,
    Space,
    check,
)
from irenic.errors import BudgetError
from irenic.mend import repair
from irenic.model import Provenance

WAYS = ["drop", "trim", "split"]


def intervals(*ends, **options):
    """Return rules ``a <= x < b`` that predict A, B, C, … in turn."""
    rules = [
        Rule({"x": (a, b)}, then="ABCDEFG"[i], **{k: v[i] for k, v in options.items()})
        for i, (a, b) in enumerate(ends)
    ]
    return RuleSet(rules, Space([Continuous("x")]), default="Z")


def holding(rules, cell):
    return {rule.then for rule in rules if naive.holds(rule.region, cell)}


def check_changes(rules, result):
    """Check that the changes are those between two sets of rules."""
    changed = [change.rule for change in result.changes]
    assert changed == sorted(set(changed))
    whole = [rule for i, rule in enumerate(rules) if i not in changed]
    after = [rule for change in result.changes for rule in change.after]
    assert all(rule in result.rules for rule in whole)
    assert sorted(map(str, [*whole, *after])) == sorted(map(str, result.rules))


@pytest.mark.parametrize("how", WAYS)
@sts.examples(0.8)
@given(rules=sts.rule_sets(space=sts.spaces_with_exclusions(), default="A"))
def test_only_rules_that_contradict_each_other_where_a_case_can_occur_change(how, rules):
    result = repair(rules, how)
    assert tuple(result) == (result.rules, result.changes)
    assert result.rules.is_consistent
    assert result.rules.default == rules.default
    check_changes(rules, result)
    cells = possible_cells(rules.space, rules, result.rules)
    changed = {change.rule for change in result.changes}
    disputing = set()
    for cell in cells:
        covering = naive.covering(rules, cell)
        before, after = holding(rules, cell), holding(result.rules, cell)
        if len(before) > 1:
            disputing |= set(covering)
        assert len(after) <= 1
        assert after <= before
        if how == "split":
            assert bool(after) is bool(before)
        elif len(before) == 1 and not changed & set(covering):
            assert after == before
        # opened regions are disjoint, so at most one contains a cell that lost its rules
        lost = bool(before) and not after
        assert sum(naive.holds(region, cell) for region in result.opened) == lost
    assert changed <= disputing
    assert bool(changed) is bool(disputing)
    for change in result.changes:
        for rule in change.after:  # what remains can hold
            assert any(naive.holds(rule.region, cell) for cell in cells)


@sts.examples(0.6)
@given(rules=sts.rule_sets(max_size=6), data=st.data())
def test_the_fewest_rules_are_dropped_and_the_most_valuable_is_unchanged(rules, data):
    result = repair(rules, weights=[1.0] * len(rules)) if len(rules) else repair(rules)
    pairs = naive.pairs(rules, same=False)
    least = next(
        k
        for k in range(len(rules) + 1)
        for gone in combinations(range(len(rules)), k)
        if all(a in gone or b in gone for a, b in pairs)
    )
    assert (len(result.changes), result.cost, result.bound) == (least, least, least)
    assert result.optimal
    if len(rules):
        worth = [float(v) for v in data.draw(st.permutations(range(1, len(rules) + 1)))]
        for how in ("trim", "split"):
            assert rules[int(np.argmax(worth))] in repair(rules, how, weights=worth).rules


def test_the_texts_of_changes():
    rules = intervals((0, 30), (28, 60), (20, 29))
    assert [str(change) for change in repair(rules).changes] == [
        "rule 2 (IF 28 <= x < 60 THEN B) is dropped: rule 1 says A where 28 <= x < 30, for example"
        " at x = 29",
        "rule 3 (IF 20 <= x < 29 THEN C) is dropped: rule 1 says A where 20 <= x < 29, for example"
        " at x = 20",
    ]
    change = repair(rules, weights=[1, 1, 3]).changes[0]
    assert (change.kind, change.rule, change.against, change.after) == ("dropped", 0, (2,), ())
    assert change.before == (rules[0],)
    assert [str(change) for change in repair(rules, "trim").changes] == [
        "rule 1 (IF 0 <= x < 30 THEN A) now applies only where 0 <= x < 20 (67% of it): rule 3 says"
        " C where 20 <= x < 29, for example at x = 20",
        "rule 2 (IF 28 <= x < 60 THEN B) now applies only where 29 <= x < 60 (97% of it): rule 3"
        " says C where 28 <= x < 29, for example at x = 28",
    ]
    assert repair(rules, "trim", weights=[2, 1, 1]).changes[1].text == (
        "rule 3 (IF 20 <= x < 29 THEN C) is dropped because nothing of it remains: rule 1 says"
        " A where 20 <= x < 29, for example at x = 20"
    )
    # all contradicting rules are listed
    rules = intervals((0, 9), (0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6))
    change = repair(rules).changes[0]
    assert change.against == (1, 2, 3, 4, 5, 6)
    assert change.text == (
        "rule 1 (IF 0 <= x < 9 THEN A) is dropped: rule 2 says B where 0 <= x < 1, for example at"
        " x = 0.5; it also overlaps rules 3, 4, 5, 6, 7"
    )


@pytest.mark.parametrize("how", ["trim", "split"])
def test_an_exception_is_cut_out_of_the_general_rule(how):
    rules = intervals((0, 100), (40, 50))
    assert rules[1] in repair(rules, how).rules
    assert rules[0] in repair(rules, how, weights=[2, 1]).rules


def test_a_rule_inside_another_splits_or_trims_it():
    rules = intervals((0, 9), (4, 5), weight=[1.0, 2.0])
    result = repair(rules, "split")
    assert [str(r) for r in result.rules] == [
        "IF 0 <= x < 4 THEN A",
        "IF 5 <= x < 9 THEN A",
        "IF 4 <= x < 5 THEN B WEIGHT 2",
    ]
    assert (result.changes[0].kind, result.changes[0].text) == (
        "split",
        "rule 1 (IF 0 <= x < 9 THEN A) is split into 2 rules, where 0 <= x < 4; where 5 <= x < 9:"
        " rule 2 says B where 4 <= x < 5, for example at x = 4",
    )
    assert str(repair(rules, "trim").rules[0]) == "IF 0 <= x < 4 THEN A"
    # the larger part is kept, or the one with more instances
    rules = intervals((0, 9), (3, 5), weight=[1.0, 2.0])
    assert str(repair(rules, "trim").rules[0]) == "IF 5 <= x < 9 THEN A"
    X, y = {"x": [1, 2, 6, 4, 4, 4, 4]}, ["A", "A", "A", "B", "B", "B", "B"]
    assert str(repair(rules, "trim", X=X, y=y).rules[0]) == "IF 0 <= x < 3 THEN A"


def test_data_determine_the_value_of_a_rule():
    rules = intervals((0, 9), (5, 20))
    X = {"x": [1, 6, 7, 15]}
    assert repair(rules, X=X, y=["A", "A", "B", "A"]).changes[0].rule == 1
    result = repair(rules, X=X, y=["B", "B", "B", "B"])
    assert (result.changes[0].rule, result.cost) == (0, 0.001)
    assert result.changes[0].text.endswith("; its value on the data is 0.001")


def test_rows_of_a_table_are_dropped_together():
    space = Space([Continuous("x"), Categorical("c", ["u", "v"])])
    bounds = {(0, 2): "A", (4, 6): "A", (1, 5): "B", (7, 9): "C"}
    rules = RuleSet([Rule({"x": ends}, then=then) for ends, then in bounds.items()], space)
    table = DecisionTable(
        rules, (0, 0, 2, 3), 4, provenance=Provenance(lines=(2, 3, 4, 5)), name="t"
    )
    result = repair(table)
    assert [str(c) for c in result.changes] == [
        "rule 3 (IF 1 <= x < 5 THEN B) is dropped: rule 1 says A where 1 <= x < 2, for example at"
        " x = 1"
    ]
    repaired = result.table
    assert (repaired.rows, repaired.n_rows, repaired.provenance.lines) == ((0, 0, 2), 3, (2, 3, 5))
    assert list(repaired.rules) == list(result.rules)
    result = repair(table, weights=[1, 1, 9, 1])
    assert result.changes[0].text.startswith("rule 1 (IF 0 <= x < 2 THEN A, and 1 more) is dropped")
    assert result.table.rows == (1, 2)
    split = repair(table, "split", weights=[1, 1, 9, 1])
    assert split.table.rows == (0, 0, 2, 3)
    assert [str(r.region) for r in split.rules][:2] == ["0 <= x < 1", "5 <= x < 6"]
    assert repair(rules).table is None


def test_a_budget_that_is_used_up():
    rng = np.random.default_rng(0)
    low = rng.random((3, 60))
    space = Space([Continuous(f"x{i}") for i in range(3)])
    then = rng.choice(list("ABC"), 60).tolist()
    rules = RuleSet.from_arrays(space, lower=low, upper=low + 0.5, then=then)
    result = repair(rules, budget=0)
    assert not result.optimal
    assert result.bound < result.cost
    assert f"cost {result.cost:g} (lower bound {result.bound:g})" in repr(result)
    assert not repair(rules, "trim", budget=0).optimal
    with pytest.raises(BudgetError, match="splitting the rules was stopped by nodes before the"):
        repair(rules, "split", budget=Budget(nodes=1))
    # also on dense graphs
    rules = RuleSet([Rule({"a": (0, 5 + i * 1e-6)}, then=i % 2) for i in range(120)])
    result = repair(rules, budget=0)
    assert (result.rules.is_consistent, result.cost) == (True, 60)


def test_rules_without_contradictions_are_unchanged():
    rules = intervals((0, 3), (3, 9))
    for how in WAYS:
        assert tuple(repair(rules, how)) == (rules, [])
    assert repr(repair(rules)) == "<Repair by drop: 0 changes, cost 0 (optimal)>"


def test_invalid_arguments_are_rejected():
    rules = intervals((0, 5), (3, 9))
    endless = intervals((0, 5), (3, 9), weight=[float("inf"), 1.0])
    positive = "weights must be 2 finite positive numbers"
    for arguments, options, text in [
        ((rules, "crop"), {}, "how must be one of drop, trim, split, got 'crop'; did"),
        ((rules, None), {}, "how must be one of drop, trim, split, got None"),
        ((list(rules),), {}, "rules must be a RuleSet, .* DecisionTable, got list"),
        ((RuleList.from_rules(rules),), {}, "must be unordered, got a list: .* irenic.to_set"),
        ((rules,), {"weights": [1.0]}, f"{positive}, one per"),
        ((rules,), {"weights": [1.0, 0]}, positive),
        ((rules,), {"weights": [1, "2"]}, positive),
        ((rules,), {"weights": "ab"}, positive),
        ((endless,), {}, "weights of rules must be finite; pass finite weights"),
    ]:
        with pytest.raises(ConditionError, match=text):
            repair(*arguments, **options)
    with pytest.raises(DataError, match="X and y must be given together"):
        repair(rules, X={"x": [1]})


@pytest.mark.parametrize("how", WAYS)
def test_under_unique_rows_that_agree_are_rivals(how):
    bounds = {(0, 5): "X", (3, 9): "X", (8, 12): "Y"}
    rules = RuleSet([Rule({"x": ends}, then=then) for ends, then in bounds.items()])
    table = DecisionTable.from_rules(rules).under("UNIQUE")
    mended = repair(table, how).table
    assert not check(mended).fails()
    assert not mended.rules.overlaps()
    assert len(repair(table.under("ANY"), how).table.rules.overlaps()) <= 1


def test_cases_that_cannot_occur_are_not_opened():
    rules = intervals((0, 10), (5, 20))
    table = DecisionTable.from_rules(rules)
    assert [str(region) for region in repair(table).opened] == ["10 <= x < 20"]
    limited = RuleSet(rules, Space(rules.space, impossible=[{"x": (12, 20)}]))
    assert [str(region) for region in repair(limited).opened] == ["10 <= x < 12"]


EXCLUDED = Space(
    [Continuous("a"), Continuous("b"), Categorical("c", ["x", "y"])],
    impossible=[{"a": {"<": 1}, "b": {"<": 1}}],
)


def excluding(*rules, space=EXCLUDED):
    """Return rules in a space in which ``a < 1 and b < 1`` is impossible."""
    return RuleSet([Rule.parse(rule, space) for rule in rules], space)


@pytest.mark.parametrize("how", ["trim", "split"])
def test_a_rule_is_cut_only_where_a_case_can_occur(how):
    rules = excluding(
        "IF c = x and a < 1 and b < 1 THEN A WEIGHT 5",
        "IF c = x THEN B",
        "IF c = y and a > 5 THEN C",
        "IF c = y and a > 9 THEN D",
    )
    result = repair(rules, how)
    assert [str(change) for change in result.changes] == [
        "rule 3 (IF a > 5 AND c in {y} THEN C) now applies only where 5 < a <= 9 and c in {y}"
        + (" (30% of it)" if how == "trim" else "")
        + ": rule 4 says D where a > 9 and c in {y}, for example at a = 10, c = y"
    ]
    assert result.rules.predict([{"a": 0, "b": 5, "c": "x"}]) == ["B"]
    (change,) = repair(excluding("IF b >= 1 THEN A WEIGHT 5", "IF a < 1 THEN B"), how).changes
    assert change.kind == "dropped"
    assert change.text.startswith("rule 2 (IF a < 1 THEN B) is dropped because nothing of it")


def test_a_trimmed_rule_keeps_the_most_of_what_can_occur():
    features = [Continuous(name, bounds=(0, 10)) for name in "ab"]
    space = Space(features, impossible=[{"a": {"<": 8}, "b": {"<": 8}}])
    rules = excluding("IF a < 4 and b >= 8 THEN A WEIGHT 5", "IF a <= 10 THEN B", space=space)
    (change,) = repair(rules, "trim").changes
    assert [str(rule) for rule in change.after] == ["IF a >= 4 THEN B"]  # b < 8 is larger
