"""Lists as sets: they decide the same in every cell, and the proof fails if they do not."""

from __future__ import annotations

from contextlib import ExitStack
from unittest import mock

import numpy as np
import pytest
from grid_cells import cells_of, decisions
from hypothesis import given
from hypothesis import strategies as st

import strategies as sts
from irenic import (
    Budget,
    Categorical,
    ConditionError,
    Continuous,
    DecisionTable,
    Rule,
    RuleList,
    RuleSet,
    Space,
)
from irenic.boxes import covering
from irenic.budget import Meter
from irenic.errors import BudgetError
from irenic.mend import _to_set as lists
from irenic.mend import to_set
from irenic.proving import answering

DEFAULTS = st.sampled_from([None, "A", "Z"])


@st.composite
def rule_lists(draw, max_size=6, max_features=2):
    rules = draw(sts.rule_sets(max_size=max_size, max_features=max_features))
    return RuleList(rules, rules.space, default=draw(DEFAULTS))


@given(rules=rule_lists(), explicit=st.booleans(), within=st.booleans())
def test_a_set_decides_the_same_as_the_list(rules, explicit, within):
    with ExitStack() as stack:
        if within:  # boxes are grown within rules
            stack.enter_context(mock.patch.object(lists, "_PAIR_LIMIT", -1))
            stack.enter_context(mock.patch.object(covering, "_MOST_PIECES", 2))
            stack.enter_context(mock.patch.object(covering, "_MOST_CELLS", 3))
        rule_set = to_set(rules, explicit=explicit)
    assert rule_set.is_consistent
    assert rule_set.default is None or not explicit
    cells = cells_of(rule_set.space, rules, rule_set)
    decided = decisions(rule_set, cells, rule_set.default)
    assert decided == decisions(rules, cells, rules.default)


@given(rules=rule_lists(max_size=4), other=st.data())
def test_the_proof_holds_exactly_if_both_decide_the_same(rules, other):
    # the rules unchanged, without one, with one widened, or with another consequent
    rule_set = list(to_set(rules))
    change = other.draw(st.sampled_from(["none", "drop", "then", "widen", "add"]))
    if rule_set and change != "none":
        place = other.draw(st.integers(0, len(rule_set) - 1))
        rule = rule_set.pop(place)
        if change == "then":
            rule_set.append(Rule(rule.region, then=other.draw(st.sampled_from("ABC"))))
        elif change == "widen":
            rule_set.append(Rule(other.draw(sts.regions(rules.space)), then=rule.then))
        elif change == "add":
            rule_set += [rule, other.draw(sts.rules(rules.space))]
    default = to_set(rules).default
    candidate = RuleSet(rule_set, rules.space, default=default)
    cells = cells_of(rules.space, rules, candidate)
    expected = decisions(rules, cells, rules.default)
    orders = list(candidate), list(candidate)[::-1]
    same = all(decisions(order, cells, default) == expected for order in orders)
    proved = candidate.is_consistent and same
    assert lists._is_same(rules, candidate, Meter(None)) is proved
    with mock.patch.object(answering, "_SHORT", -1):  # short lists are taken apart, too
        assert lists._is_same(rules, candidate, Meter(None)) is proved
    if proved:
        with mock.patch.multiple(answering, _agreeing=None, Cutting=None):
            assert lists._is_same(rules, candidate, Meter(None))


def test_a_proof_fails_when_a_rule_is_tampered_with():
    rules = RuleList(
        [Rule({"x": (0, 5), "y": (0, 5)}, then="A"), Rule({"x": (2, 9)}, then="B")],
    )
    rule_set = to_set(rules)

    def proved(guess):
        return lists._is_same(rules, guess, Meter(None))

    assert proved(rule_set)
    for place in range(len(rule_set)):
        assert not proved(rule_set[[i for i in range(len(rule_set)) if i != place]])
    wider = RuleSet([*rule_set, Rule({"x": (1, 3), "y": (4, 5)}, then="B")], rules.space)
    assert not proved(wider)
    beyond = RuleSet([*rule_set, Rule({"x": (8, 9.5)}, then="B")], rules.space)
    assert not proved(beyond)


def test_an_else_rule_becomes_the_default_and_later_rules_are_ignored():
    space = Space([Continuous("age"), Categorical("job", ["cook", "nurse"])])
    rules = RuleList(
        [
            Rule({"age": {"<=": 17}}, then="minor"),
            Rule({}, then="adult"),
            Rule({"job": "cook"}, then="cook"),
        ],
        space,
        default="nobody",
    )
    rule_set = to_set(rules)
    assert str(rule_set[0]) == "IF age <= 17 THEN minor"
    assert (len(rule_set), rule_set.default) == (1, "adult")
    rule_set = to_set(rules, explicit=True)
    assert [str(rule) for rule in rule_set] == ["IF age <= 17 THEN minor", "IF age > 17 THEN adult"]
    assert rule_set.default is None


@pytest.mark.parametrize(
    ("rules", "default", "expected"),
    [
        (  # rules with the default as consequent are omitted
            ["IF 0 <= x < 2 THEN A", "IF 0 <= x < 9 THEN B WEIGHT 2"],
            "A",
            ["IF 2 <= x < 9 THEN B"],
        ),
        (  # an unchanged rule keeps its weight and notation
            ["IF 0 <= x <= 2 THEN A WEIGHT 0.25", "IF 1 <= x < 9 THEN B WEIGHT 0.5"],
            None,
            ["IF 0 <= x <= 2 THEN A WEIGHT 0.25", "IF 2 < x < 9 THEN B"],
        ),
        (  # two rules for B, on both sides of the end of A, become one rule of the set
            [
                "IF 0 <= x < 4 AND 0 <= y < 4 THEN A",
                "IF 0 <= x < 4 AND 0 <= y < 9 THEN B",
                "IF 4 <= x < 9 AND 4 <= y < 9 THEN B",
            ],
            None,
            ["IF 0 <= x < 4 AND 0 <= y < 4 THEN A", "IF 0 <= x < 9 AND 4 <= y < 9 THEN B"],
        ),
    ],
)
def test_rules_become_fewer_rules_in_the_same_words(rules, default, expected):
    space = Space([Continuous("x"), Continuous("y")])
    made = RuleList([Rule.parse(rule, space) for rule in rules], space, default=default)
    rule_set = to_set(made)
    assert [str(rule) for rule in rule_set] == expected
    assert rule_set.default == default


def test_a_table_is_ordered_by_its_hit_policy():
    rules = RuleSet([Rule({"x": (0, 5)}, then="A"), Rule({"x": (3, 9)}, then="B")])
    first = DecisionTable(rules, (0, 1), 2, hit_policy="FIRST")
    assert [str(r) for r in to_set(first)] == ["IF 0 <= x < 5 THEN A", "IF 5 <= x < 9 THEN B"]
    ranked = DecisionTable(rules, (0, 1), 2, hit_policy="PRIORITY", ranking=("B", "A"))
    assert [str(r) for r in to_set(ranked)] == ["IF 3 <= x < 9 THEN B", "IF 0 <= x < 3 THEN A"]


def test_a_list_without_rules_and_a_space_without_features():
    empty = RuleList([], Space([Continuous("x")]), default="A")
    rule_set = to_set(empty)
    assert (len(rule_set), rule_set.default) == (0, "A")
    assert [str(rule) for rule in to_set(empty, explicit=True)] == ["IF anything THEN A"]
    rules = RuleList([Rule({}, then="A"), Rule({}, then="B")], Space([]))
    assert to_set(rules).default == "A"
    assert [r.then for r in to_set(rules, explicit=True)] == ["A"]


def random_list(n, d, seed=0, tests=2):
    rng = np.random.default_rng(seed)
    low, high = np.full((d, n), -np.inf), np.full((d, n), np.inf)
    for r in range(n):
        for axis in rng.choice(d, tests, replace=False):
            side = low if rng.random() < 0.5 else high
            side[axis, r] = rng.random().__round__(1)
    space = Space([Continuous(f"x{i}") for i in range(d)])
    then = rng.choice(list("ABC"), n).tolist()
    return RuleList.from_rules(RuleSet.from_arrays(space, lower=low, upper=high, then=then))


def test_an_insufficient_budget_raises_an_error():
    text = (
        "turning the list into a set was stopped by nodes before the result was proved;"
        " use a larger budget"
    )
    with pytest.raises(BudgetError, match=text):
        to_set(random_list(20, 5), budget=Budget(nodes=40))
    a, b = (to_set(random_list(12, 4), budget=60) for _ in range(2))
    assert a.is_consistent
    assert [str(rule) for rule in a] == [str(rule) for rule in b]


def test_the_proof_does_not_take_a_list_apart():
    rules = random_list(40, 6, tests=3)
    with mock.patch.multiple(answering, _agreeing=None, Cutting=None):
        assert len(to_set(rules)) == 409


def test_a_set_is_rejected():
    rules = RuleSet([Rule({"x": (0, 5)}, then="A")])
    with pytest.raises(
        ConditionError, match=r"^rules must be ordered, .*, got RuleSet; irenic.repair"
    ):
        to_set(rules)
    table = DecisionTable(rules, (0,), 1, hit_policy="UNIQUE", name="fares")
    with pytest.raises(ConditionError, match=r"'fares': 1 row, 1 feature, UNIQUE>; irenic.repair"):
        to_set(table)
