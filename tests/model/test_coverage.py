"""Coverage maps, and how they follow their rule sets."""

from __future__ import annotations

import copy
import gc
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies as sts
from irenic import ConflictError, Continuous, DataError, Region, Rule, RuleSet, Space
from irenic.model import CoverageMap
from irenic.model import coverage as coverage_module
from refusals import refuses

pytestmark = pytest.mark.kernels

AGE = Space([Continuous("age")])
TABLE = {"age": [5, 15, 25, 35, 45]}


def age(low, high, then):
    return Rule(Region(AGE, {"age": (low, high)}), then=then)


def check(coverage, cells):
    """Compare all counts of a map with naive ones."""
    rules = list(coverage.rules)
    covering = [naive.covering(rules, cell) for cell in cells]
    assert coverage.counts.tolist() == [len(indices) for indices in covering]
    assert coverage.uncovered.tolist() == [i for i, indices in enumerate(covering) if not indices]
    assert coverage.support.tolist() == [
        sum(i in indices for indices in covering) for i in range(len(rules))
    ]
    for consequent in "ABC":
        rivals = [[i for i in indices if rules[i].then != consequent] for indices in covering]
        free = [i for i, indices in enumerate(rivals) if not indices]
        assert coverage.free(consequent).tolist() == free
        if free:
            assert coverage.pick(random_state=0, consequent=consequent) in free
    for i in range(0, len(cells), 7):
        assert coverage.rules_of(i).tolist() == covering[i]


@sts.examples(0.6)
@given(st.data())
def test_the_map_follows_changes_of_the_map_and_of_the_rule_set(data):
    rules = data.draw(sts.rule_sets(max_size=3))
    space = rules.space
    extra = data.draw(st.lists(sts.rules(space), max_size=4))
    cells = naive.cells_of(naive.grid(space, [r.region for r in (*rules, *extra)]))
    cells = [cells[i] for i in range(0, len(cells), max(1, len(cells) // 40))]
    coverage = CoverageMap(rules, naive.instances(space, cells))
    check(coverage, cells)
    for rule in extra:
        changed = data.draw(st.sampled_from([rules, coverage]))
        change = data.draw(st.sampled_from(["add", "remove", "replace"]))
        before = list(rules)
        index = data.draw(st.integers(0, len(before) - 1)) if before else 0
        try:
            if change == "add" or not before:
                changed.add(rule, force=data.draw(st.booleans()))
            elif change == "remove":
                assert changed.remove(index) == before[index]
            else:
                changed.replace(index, rule, force=data.draw(st.booleans()))
        except ConflictError:
            assert list(rules) == before
        check(coverage, cells)


@given(st.data(), st.sampled_from([1, 7, 1 << 24]))
def test_rules_of_every_instance_follow_many_changes(data, at_once):
    rules = data.draw(sts.rule_sets(max_size=5))
    space = rules.space
    points = Region(space).sample(6, random_state=data.draw(st.integers(0, 99)))
    coverage = CoverageMap(rules, points)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coverage_module, "_AT_ONCE", at_once)
        for change in data.draw(st.lists(st.sampled_from("aaaaarrpk"), max_size=20)):
            index = data.draw(st.integers(0, len(rules) - 1)) if len(rules) else -1
            if change == "k":
                coverage = pickle.loads(pickle.dumps(coverage))
                rules = coverage.rules
            elif change == "a" or index < 0:
                coverage.add(data.draw(sts.rules(space)), force=True)
            elif change == "r":
                coverage.remove(index)
            else:
                coverage.replace(index, data.draw(sts.rules(space)), force=True)
            expected = [np.flatnonzero(row).tolist() for row in rules.covering(points)]
            assert [coverage.rules_of(i).tolist() for i in range(6)] == expected


def test_lists_of_rules_grow_without_end():
    coverage = CoverageMap(RuleSet(space=AGE), TABLE)
    assert coverage.rules_of(0).tolist() == []
    for i in range(100):
        coverage.add(age(0, 30, "A"))
        assert coverage.rules_of(0).tolist() == list(range(i + 1))
    for i in range(99, -1, -1):
        coverage.remove(i // 2)
        assert coverage.rules_of(2).tolist() == list(range(i))
    assert coverage.rules_of(3).tolist() == []


def test_consequents_can_be_sets_of_labels():
    coverage = CoverageMap(RuleSet([Rule({"age": (0, 20)}, then={"x", "y"})], AGE), TABLE)
    assert coverage.free().tolist() == coverage.free("new").tolist() == [2, 3, 4]
    assert coverage.free({"x", "y"}).tolist() == [0, 1, 2, 3, 4]
    assert coverage.free({"x"}).tolist() == [2, 3, 4]


def test_picks_are_uncovered_and_reproducible_and_reach_every_instance():
    rules = RuleSet([age(0, 20, "A")], AGE)
    coverage = CoverageMap(rules, TABLE)
    assert {coverage.pick(random_state=i) for i in range(50)} == {2, 3, 4}
    assert coverage.pick(random_state=7) == coverage.pick(random_state=7)
    draws = [np.random.default_rng(0), np.random.default_rng(0)]
    picks = [[coverage.pick(rng) for _ in range(20)] for rng in draws]
    assert picks[0] == picks[1]
    assert len(set(picks[0])) > 1
    assert {coverage.pick(i, consequent="A") for i in range(80)} == {0, 1, 2, 3, 4}
    assert isinstance(coverage.pick(0), int)
    others = [coverage, CoverageMap(rules.copy(), TABLE)]
    for other in others:
        other.rules.remove(0)
        other.rules.add(age(30, 40, "B"))
    assert [others[0].pick(i) for i in range(30)] == [others[1].pick(i) for i in range(30)]


def test_what_a_map_rejects_changes_nothing():
    coverage = CoverageMap(RuleSet([age(0, 30, "A")], AGE), TABLE)
    with pytest.raises(ConflictError):
        coverage.add(age(20, 40, "B"))
    with pytest.raises(ConflictError):
        coverage.rules.add(age(20, 40, "B"))
    assert coverage.support.tolist() == [3]
    assert coverage.uncovered.tolist() == [3, 4]
    coverage.add(age(20, 40, "B"), force=True)
    assert coverage.counts.tolist() == [1, 1, 2, 1, 0]
    assert coverage.rules_of(2).tolist() == [0, 1]
    assert coverage.rules_of(4).tolist() == []
    refuses(DataError, "instance must be an index below 5, got 5", coverage.rules_of, 5)
    coverage = CoverageMap(RuleSet([age(0, 20, "A")], AGE), TABLE)
    for array in (coverage.counts, coverage.support, coverage.uncovered, coverage.free("A")):
        array[:] = 99
    assert coverage.counts.tolist() == [1, 1, 0, 0, 0]
    assert coverage.support.tolist() == [2]
    assert coverage.uncovered.tolist() == [2, 3, 4]
    assert coverage.free("A").tolist() == [0, 1, 2, 3, 4]
    assert CoverageMap(RuleSet(space=AGE), TABLE).uncovered.tolist() == [0, 1, 2, 3, 4]
    empty = CoverageMap(RuleSet([age(0, 20, "A")], AGE), {"age": []})
    assert empty.uncovered.tolist() == []
    assert empty.support.tolist() == [0]
    refuses(DataError, "there is none to pick", empty.pick)
    rules = RuleSet([age(0, 30, "A"), age(30, 99, "B")], AGE)
    coverage = CoverageMap(rules, TABLE)
    refuses(DataError, "every instance is covered by a rule: there is none to", coverage.pick)
    with pytest.raises(DataError, match="every instance is covered by a rival of 'C': there is"):
        coverage.pick(consequent="C")
    assert coverage.pick(0, consequent="A") in (0, 1, 2)
    coverage.remove(rules[1])
    assert coverage.pick(0) in (3, 4)


@pytest.mark.parametrize("make", [copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))])
def test_a_copy_follows_the_copy_of_its_rule_set(make):
    coverage = CoverageMap(RuleSet([age(0, 20, "A")], AGE), TABLE)
    assert coverage.rules_of(0).tolist() == [0]
    other = make(coverage)
    other.rules.add(age(20, 30, "B"))
    assert [other.rules_of(i).tolist() for i in range(4)] == [[0], [0], [1], []]
    assert coverage.rules_of(2).tolist() == []
    assert other.uncovered.tolist() == [3, 4]
    assert coverage.uncovered.tolist() == [2, 3, 4]
    coverage.rules.remove(0)
    assert other.uncovered.tolist() == [3, 4]
    assert coverage.uncovered.tolist() == [0, 1, 2, 3, 4]


def test_several_maps_follow_one_rule_set_until_they_are_deleted():
    rules = RuleSet([age(0, 20, "A")], AGE)
    first = CoverageMap(rules, TABLE)
    second = copy.copy(first)
    third = CoverageMap(rules, {"age": [21, 1]})
    rules.add(age(20, 30, "B"))
    assert first.uncovered.tolist() == second.uncovered.tolist() == [3, 4]
    assert third.uncovered.tolist() == []
    del second, third
    gc.collect()
    rules.remove(0)
    assert first.uncovered.tolist() == [0, 1, 3, 4]
    assert len(rules._listeners) == 1
    rules.copy().remove(0)  # maps do not follow copies
    assert first.uncovered.tolist() == [0, 1, 3, 4]
    coverage = CoverageMap(RuleSet([age(0, 20, "A")], AGE), TABLE)
    coverage = CoverageMap(RuleSet([age(0, 20, "A")], AGE), TABLE)
    assert repr(coverage) == "<CoverageMap: 5 instances, 1 rule, 3 uncovered>"
