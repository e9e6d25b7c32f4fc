"""The coverage map: never out of step with its rule set."""

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

pytestmark = pytest.mark.kernels

AGE = Space([Continuous("age")])
TABLE = {"age": [5, 15, 25, 35, 45]}


def age(low, high, then):
    return Rule(Region(AGE, {"age": (low, high)}), then=then)


def check(coverage, cells):
    """Compare all that a map says with counting by hand."""
    rules = list(coverage.rules)
    covering = [naive.covering(rules, cell) for cell in cells]
    assert coverage.counts.tolist() == [len(found) for found in covering]
    assert coverage.uncovered.tolist() == [i for i, found in enumerate(covering) if not found]
    assert coverage.support.tolist() == [
        sum(i in found for found in covering) for i in range(len(rules))
    ]
    for consequent in "ABC":
        rivals = [[r for r in found if rules[r].then != consequent] for found in covering]
        free = [i for i, found in enumerate(rivals) if not found]
        assert coverage.free(consequent).tolist() == free
        if free:
            assert coverage.pick(random_state=0, consequent=consequent) in free
    for i in range(0, len(cells), 7):
        assert coverage.rules_of(i).tolist() == covering[i]


@given(st.data())
def test_the_map_stays_in_step_whichever_object_is_changed(data):
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
        place = data.draw(st.integers(0, len(before) - 1)) if before else 0
        try:
            if change == "add" or not before:
                changed.add(rule, force=data.draw(st.booleans()))
            elif change == "remove":
                assert changed.remove(place) == before[place]
            else:
                changed.replace(place, rule, force=data.draw(st.booleans()))
        except ConflictError:
            assert list(rules) == before
        check(coverage, cells)


def test_free_leaves_out_only_what_rivals_cover():
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


def test_sets_of_labels_are_consequents_here_too():
    rules = RuleSet([Rule({"age": (0, 20)}, then={"x", "y"})], AGE)
    coverage = CoverageMap(rules, TABLE)
    assert coverage.free({"x", "y"}).tolist() == [0, 1, 2, 3, 4]
    assert coverage.free({"x"}).tolist() == [2, 3, 4]


def test_picks_are_uncovered_reproducible_and_reach_all():
    coverage = CoverageMap(RuleSet([age(0, 20, "A")], AGE), TABLE)
    assert {coverage.pick(random_state=i) for i in range(50)} == {2, 3, 4}
    assert coverage.pick(random_state=7) == coverage.pick(random_state=7)
    rng = np.random.default_rng(0)
    drawn = [coverage.pick(rng) for _ in range(20)]
    rng = np.random.default_rng(0)
    assert drawn == [coverage.pick(rng) for _ in range(20)]
    assert len(set(drawn)) > 1
    assert {coverage.pick(i, consequent="A") for i in range(80)} == {0, 1, 2, 3, 4}
    assert isinstance(coverage.pick(0), int)


def test_two_maps_with_the_same_changes_pick_the_same():
    picks = []
    for _ in range(2):
        rules = RuleSet([age(0, 20, "A")], AGE)
        coverage = CoverageMap(rules, TABLE)
        rules.remove(0)
        rules.add(age(30, 40, "B"))
        picks.append([coverage.pick(i) for i in range(30)])
    assert picks[0] == picks[1]


def test_nothing_left_to_pick_is_said():
    rules = RuleSet([age(0, 30, "A"), age(30, 99, "B")], AGE)
    coverage = CoverageMap(rules, TABLE)
    with pytest.raises(DataError, match="every instance is covered by a rule: there is none to"):
        coverage.pick()
    with pytest.raises(DataError, match="every instance is covered by a rival of 'C': there is"):
        coverage.pick(consequent="C")
    assert coverage.pick(0, consequent="A") in (0, 1, 2)
    coverage.remove(rules[1])
    assert coverage.pick(0) in (3, 4)


def test_a_refused_rule_changes_nothing():
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


def test_what_is_returned_can_be_changed_without_harm():
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
    other = make(coverage)
    other.rules.add(age(20, 30, "B"))
    assert other.uncovered.tolist() == [3, 4]
    assert coverage.uncovered.tolist() == [2, 3, 4]
    coverage.rules.remove(0)
    assert other.uncovered.tolist() == [3, 4]
    assert coverage.uncovered.tolist() == [0, 1, 2, 3, 4]


def test_several_maps_follow_one_rule_set_and_are_let_go():
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


def test_a_copy_of_the_rules_is_not_followed():
    rules = RuleSet([age(0, 20, "A")], AGE)
    coverage = CoverageMap(rules, TABLE)
    rules.copy().remove(0)
    assert coverage.uncovered.tolist() == [2, 3, 4]


def test_the_repr_says_how_much_is_left():
    coverage = CoverageMap(RuleSet([age(0, 20, "A")], AGE), TABLE)
    assert repr(coverage) == "<CoverageMap: 5 instances, 1 rule, 3 uncovered>"


def test_no_instances_and_no_rules_are_fine():
    assert CoverageMap(RuleSet(space=AGE), TABLE).uncovered.tolist() == [0, 1, 2, 3, 4]
    empty = CoverageMap(RuleSet([age(0, 20, "A")], AGE), {"age": []})
    assert empty.uncovered.tolist() == []
    assert empty.support.tolist() == [0]
    with pytest.raises(DataError, match="there is none to pick"):
        empty.pick()
