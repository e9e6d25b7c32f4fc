"""The order of features that leaves the fewest conditions."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as sts
from irenic import Continuous, Rule, RuleSet, SeedError, Space, enlarge, enlarge_many
from irenic.searching import _fewest
from irenic.searching._fewest import smallest_hitting_set

THENS = ("A", "B", None)


@given(sts.rule_sets(max_size=6, max_features=3), st.sampled_from(THENS), st.data())
def test_no_order_leaves_fewer_conditions_around_points_and_regions(rules, then, data):
    region = data.draw(sts.regions(rules.space))
    if region.is_empty:
        return
    point = region.sample(1, random_state=0)
    rivals = rules[np.flatnonzero(rules.rival_mask(then))]
    if rivals.covering(point).any():
        with pytest.raises(SeedError):
            enlarge(rules, point, consequent=then, order="fewest")
        return
    grown = enlarge(rules, point, consequent=then, order="fewest")
    assert grown.contains(point).all()
    assert not len(rules.rivals_of(grown, then))
    others = [
        enlarge(rules, point, consequent=then, order=order)
        for order in permutations(rules.space.names)
    ]
    assert grown.n_conditions == min(other.n_conditions for other in others)
    assert grown in others
    many = enlarge_many(rules, point, consequent=then, order="fewest")
    assert many == [grown]
    if len(rules.rivals_of(region)):
        return
    grown = enlarge(rules, region, order="fewest")
    assert region <= grown
    others = [enlarge(rules, region, order=order) for order in permutations(rules.space.names)]
    assert grown.n_conditions == min(other.n_conditions for other in others)
    assert enlarge_many(rules, [region], order="fewest") == [grown]


def test_a_rule_as_seed_has_its_own_consequent():
    rules = RuleSet([Rule({"a": (0, 1), "b": (0, 1)}, then="x"), Rule({"a": (5, 6)}, then="y")])
    assert enlarge(rules, rules[0], order="fewest") == enlarge(rules, rules[0], order=["b", "a"])
    assert enlarge_many(rules, rules, order="fewest") == [
        enlarge(rules, rule, order="fewest") for rule in rules
    ]
    rules = RuleSet([Rule({"a": (0, 1)}, then="x")])
    assert enlarge(rules, {"a": 0}, consequent="x", order="fewest").n_conditions == 0
    assert enlarge_many(rules, {"a": [0, 5]}, consequent="x", order="fewest")[1].n_conditions == 0
    assert enlarge_many(rules, {"a": []}, order="fewest") == []


def test_each_row_of_a_table_has_its_own_order(monkeypatch):
    rng = np.random.default_rng(0)
    space = Space([Continuous(name) for name in "abcdef"])
    rules = RuleSet(space=space, default="rest")
    for _ in range(12):
        low = rng.random(6)
        names = rng.choice(list("abcdef"), 3, replace=False)
        box = {name: (low[ord(name) - 97], low[ord(name) - 97] + 0.5) for name in names}
        rules.add(Rule(box, then="A"), force=True)
    table = rng.random((300, 6)) * 1.5
    table = table[~rules.covering(table).any(axis=1)]
    one_by_one = [enlarge(rules, row, order="fewest") for row in table]
    assert len({region.n_conditions for region in one_by_one}) > 1
    assert enlarge_many(rules, table, order="fewest") == one_by_one
    monkeypatch.setattr(_fewest, "_AT_ONCE", 500)
    assert enlarge_many(rules, table, order="fewest") == one_by_one


def naive_hitting_set(sets, numbers):
    for size in range(numbers + 1):
        for chosen in combinations(range(numbers), size):
            if all(any(s >> n & 1 for n in chosen) for s in sets):
                return size
    raise AssertionError


@given(st.lists(st.integers(1, 2**7 - 1), max_size=12))
def test_a_hitting_set_is_as_small_as_the_smallest(sets):
    chosen, proved = smallest_hitting_set(sets)
    assert proved
    assert all(any(s >> n & 1 for n in chosen) for s in sets)
    assert len(chosen) == naive_hitting_set(sets, 7)


def test_after_many_steps_the_choice_is_greedy(monkeypatch):
    sets = [0b1001, 0b1010, 0b0101, 0b0110]
    sets = [one << (4 * block) for block in range(6) for one in sets]
    assert len(smallest_hitting_set(sets)[0]) == 12
    assert smallest_hitting_set(sets)[1]
    monkeypatch.setattr(_fewest, "_STEPS", 1)
    _fewest._hitting.cache_clear()
    chosen, proved = smallest_hitting_set(sets)
    _fewest._hitting.cache_clear()
    assert not proved
    assert all(any(s >> n & 1 for n in chosen) for s in sets)
