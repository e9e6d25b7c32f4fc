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


@pytest.mark.parametrize("at_once", [1, 7, 1 << 24])
@given(data=st.data())
def test_rules_of_every_instance_follow_many_changes(at_once, data):
    rules = data.draw(sts.rule_sets(max_size=5))
    space = rules.space
    points = Region(space).sample(6, random_state=data.draw(st.integers(0, 99)))
    coverage = CoverageMap(rules, points)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coverage_module, "_AT_ONCE", at_once)
        for change in data.draw(st.lists(st.sampled_from("aaaaarrpk"), max_size=30)):
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


def test_free_excludes_only_instances_that_rivals_cover():
    rules = RuleSet([age(0, 20, "A"), age(20, 30, "B")], AGE)
    coverage = CoverageMap(rules, TABLE)
    assert coverage.uncovered.tolist() == [3, 4]
    assert coverage.free().tolist() == [3, 4]
    assert coverage.free("A").tolist() == [0, 1, 3, 4]
    assert coverage.free("B").tolist() == [2, 3, 4]
    assert coverage.free("new").tolist() == [3, 4]
    rules.remove(0)
    assert coverage.free("B").tolist() == [0, 1, 2, 3, 4]
    assert coverage.support.tolist() == [1]
    assert coverage.counts.tolist() == [0, 0, 1, 0, 0]


def test_consequents_can_be_sets_of_labels():
    rules = RuleSet([Rule({"age": (0, 20)}, then={"x", "y"})], AGE)
    coverage = CoverageMap(rules, TABLE)
    assert coverage.free({"x", "y"}).tolist() == [0, 1, 2, 3, 4]
    assert coverage.free({"x"}).tolist() == [2, 3, 4]


def test_picks_are_uncovered_and_reproducible_and_reach_every_instance():
    coverage = CoverageMap(RuleSet([age(0, 20, "A")], AGE), TABLE)
    assert {coverage.pick(random_state=i) for i in range(50)} == {2, 3, 4}
    assert coverage.pick(random_state=7) == coverage.pick(random_state=7)
    rng = np.random.default_rng(0)
    picks = [coverage.pick(rng) for _ in range(20)]
    rng = np.random.default_rng(0)
    assert picks == [coverage.pick(rng) for _ in range(20)]
    assert len(set(picks)) > 1
    assert {coverage.pick(i, consequent="A") for i in range(80)} == {0, 1, 2, 3, 4}
    assert isinstance(coverage.pick(0), int)


def test_maps_with_the_same_changes_pick_the_same_instances():
    picks = []
    for _ in range(2):
        rules = RuleSet([age(0, 20, "A")], AGE)
        coverage = CoverageMap(rules, TABLE)
        rules.remove(0)
        rules.add(age(30, 40, "B"))
        picks.append([coverage.pick(i) for i in range(30)])
    assert picks[0] == picks[1]


def test_pick_raises_an_error_if_every_instance_is_covered():
    rules = RuleSet([age(0, 30, "A"), age(30, 99, "B")], AGE)
    coverage = CoverageMap(rules, TABLE)
    with pytest.raises(DataError, match="every instance is covered by a rule: there is none to"):
        coverage.pick()
    with pytest.raises(DataError, match="every instance is covered by a rival of 'C': there is"):
        coverage.pick(consequent="C")
    assert coverage.pick(0, consequent="A") in (0, 1, 2)
    coverage.remove(rules[1])
    assert coverage.pick(0) in (3, 4)


def test_a_rejected_rule_changes_nothing():
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
    with pytest.raises(DataError, match="instance must be an index below 5, got 5"):
        coverage.rules_of(5)


def test_changing_returned_arrays_leaves_the_map_unchanged():
    coverage = CoverageMap(RuleSet([age(0, 20, "A")], AGE), TABLE)
    for array in (coverage.counts, coverage.support, coverage.uncovered, coverage.free("A")):
        array[:] = 99
    assert coverage.counts.tolist() == [1, 1, 0, 0, 0]
    assert coverage.support.tolist() == [2]
    assert coverage.uncovered.tolist() == [2, 3, 4]
    assert coverage.free("A").tolist() == [0, 1, 2, 3, 4]


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


def test_a_map_does_not_follow_copies_of_its_rule_set():
    rules = RuleSet([age(0, 20, "A")], AGE)
    coverage = CoverageMap(rules, TABLE)
    rules.copy().remove(0)
    assert coverage.uncovered.tolist() == [2, 3, 4]


def test_the_repr_counts_instances_rules_and_uncovered_instances():
    coverage = CoverageMap(RuleSet([age(0, 20, "A")], AGE), TABLE)
    assert repr(coverage) == "<CoverageMap: 5 instances, 1 rule, 3 uncovered>"


def test_a_map_can_have_no_rules_or_no_instances():
    assert CoverageMap(RuleSet(space=AGE), TABLE).uncovered.tolist() == [0, 1, 2, 3, 4]
    empty = CoverageMap(RuleSet([age(0, 20, "A")], AGE), {"age": []})
    assert empty.uncovered.tolist() == []
    assert empty.support.tolist() == [0]
    with pytest.raises(DataError, match="there is none to pick"):
        empty.pick()
