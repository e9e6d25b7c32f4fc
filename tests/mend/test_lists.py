"""Lists as sets: they decide the same in every cell, and the proof fails if they do not."""

from __future__ import annotations

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
from irenic.mend._prove import ListProof

DEFAULTS = st.sampled_from([None, "A", "Z"])


@st.composite
def rule_lists(draw, max_size=6, max_features=2):
    rules = draw(sts.rule_sets(max_size=max_size, max_features=max_features))
    return RuleList(rules, rules.space, default=draw(DEFAULTS))


def check(rule_list, rule_set, explicit):
    assert rule_set.is_consistent
    assert rule_set.default is None or not explicit
    cells = cells_of(rule_set.space, rule_list, rule_set)
    assert decisions(rule_set, cells, rule_set.default) == decisions(
        rule_list, cells, rule_list.default
    )


@pytest.mark.parametrize("explicit", [False, True])
@given(rules=rule_lists())
def test_a_set_decides_the_same_as_the_list(explicit, rules):
    check(rules, to_set(rules, explicit=explicit), explicit)


@given(rules=rule_lists())
def test_a_set_decides_the_same_if_boxes_are_grown_within_rules(rules):
    before = lists._PAIR_LIMIT, covering._MOST_PIECES, covering._MOST_CELLS
    lists._PAIR_LIMIT, covering._MOST_PIECES, covering._MOST_CELLS = -1, 2, 3
    try:
        rule_set = to_set(rules)
    finally:
        lists._PAIR_LIMIT, covering._MOST_PIECES, covering._MOST_CELLS = before
    check(rules, rule_set, False)


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
    same = decisions(candidate, cells, default) == decisions(rules, cells, rules.default)
    same &= decisions(list(candidate)[::-1], cells, default) == decisions(
        rules, cells, rules.default
    )
    prefix = lists._Prefix.from_list(rules, explicit=False)
    proof = ListProof(prefix.boxes, prefix.thens, prefix.default, Meter(None))
    thens = [rule.then for rule in candidate]
    if not candidate.is_consistent:
        assert not proof.holds(candidate.boxes, thens)
    else:
        assert proof.holds(candidate.boxes, thens) is same


def test_a_proof_fails_when_a_rule_is_tampered_with():
    rules = RuleList(
        [Rule({"x": (0, 5), "y": (0, 5)}, then="A"), Rule({"x": (2, 9)}, then="B")],
    )
    rule_set = to_set(rules)
    prefix = lists._Prefix.from_list(rules, explicit=False)

    def proved(guess):
        proof = ListProof(prefix.boxes, prefix.thens, prefix.default, Meter(None))
        return proof.holds(guess.boxes, [rule.then for rule in guess])

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


def test_rules_with_the_default_as_consequent_are_omitted():
    rules = RuleList(
        [Rule({"x": (0, 2)}, then="A"), Rule({"x": (0, 9)}, then="B", weight=2.0)],
        default="A",
    )
    rule_set = to_set(rules)
    assert [str(rule) for rule in rule_set] == ["IF 2 <= x < 9 THEN B"]
    assert rule_set.default == "A"


def test_an_unchanged_rule_keeps_its_weight_and_notation():
    first = Rule({"x": {">=": 0, "<=": 2}}, then="A", weight=0.25)
    rule_set = to_set(RuleList([first, Rule({"x": (1, 9)}, then="B", weight=0.5)]))
    assert rule_set[0] == first
    assert str(rule_set[0]) == "IF 0 <= x <= 2 THEN A WEIGHT 0.25"
    assert rule_set[1].weight == 1.0


def test_neighbors_become_one_rule():
    # two rules for B, on both sides of the end of A, become one rule of the set
    rules = RuleList(
        [
            Rule({"x": (0, 4), "y": (0, 4)}, then="A"),
            Rule({"x": (0, 4), "y": (0, 9)}, then="B"),
            Rule({"x": (4, 9), "y": (4, 9)}, then="B"),
        ],
    )
    rule_set = to_set(rules)
    assert [str(rule) for rule in rule_set] == [
        "IF 0 <= x < 4 AND 0 <= y < 4 THEN A",
        "IF 0 <= x < 9 AND 4 <= y < 9 THEN B",
    ]


def test_a_table_is_ordered_by_its_hit_policy():
    rules = RuleSet([Rule({"x": (0, 5)}, then="A"), Rule({"x": (3, 9)}, then="B")])
    first = DecisionTable(rules, (0, 1), 2, hit_policy="FIRST")
    assert [str(r) for r in to_set(first)] == ["IF 0 <= x < 5 THEN A", "IF 5 <= x < 9 THEN B"]
    ranked = DecisionTable(rules, (0, 1), 2, hit_policy="PRIORITY", ranking=("B", "A"))
    assert [str(r) for r in to_set(ranked)] == ["IF 3 <= x < 9 THEN B", "IF 0 <= x < 3 THEN A"]


def test_a_list_without_rules_becomes_a_set_without_rules():
    rule_set = to_set(RuleList([], Space([Continuous("x")]), default="A"))
    assert (len(rule_set), rule_set.default) == (0, "A")
    rule_set = to_set(RuleList([], Space([Continuous("x")]), default="A"), explicit=True)
    assert [str(rule) for rule in rule_set] == ["IF anything THEN A"]


def test_a_space_without_features():
    rules = RuleList([Rule({}, then="A"), Rule({}, then="B")], Space([]))
    assert to_set(rules).default == "A"
    assert [r.then for r in to_set(rules, explicit=True)] == ["A"]


def random_list(n, d, seed=0):
    rng = np.random.default_rng(seed)
    low, high = np.full((d, n), -np.inf), np.full((d, n), np.inf)
    for r in range(n):
        for axis in rng.choice(d, 2, replace=False):
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
    assert to_set(random_list(12, 4), budget=60).is_consistent


def test_the_same_list_gives_the_same_set():
    a, b = (to_set(random_list(12, 4)) for _ in range(2))
    assert [str(rule) for rule in a] == [str(rule) for rule in b]


def test_a_set_is_rejected():
    rules = RuleSet([Rule({"x": (0, 5)}, then="A")])
    with pytest.raises(
        ConditionError, match=r"^rules must be ordered, .*, got RuleSet; irenic.repair"
    ):
        to_set(rules)
    table = DecisionTable(rules, (0,), 1, hit_policy="UNIQUE", name="fares")
    with pytest.raises(ConditionError, match=r"'fares': 1 row, 1 feature, UNIQUE>; irenic.repair"):
        to_set(table)
