"""Packed rules: what kernels are given of them, as rules come and go."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies as sts
from irenic import Continuous, Region, Rule, RuleSet, Space
from irenic.boxes import Boxes
from irenic.model import CoverageMap, packed

pytestmark = pytest.mark.kernels

SPACE = Space([Continuous("f0"), Continuous("f1")])


def strip(i, then="A"):
    return Rule(Region(SPACE, {"f0": (i, i + 1)}), then=then)


def strips(n):
    return RuleSet([strip(i) for i in range(n)], SPACE)


def test_kernels_see_rules_that_were_added_and_removed():
    rules = strips(3)
    whole = Region(SPACE)
    for n in range(4, 40):  # beyond the room that was there, too
        assert rules.packed.meeting(whole).sum() == n - 1
        rules.add(strip(n - 1))
        assert rules.packed.meeting(whole).sum() == n
        assert rules.packed.meeting(strip(n - 1).region).nonzero()[0].tolist() == [n - 1]
    for n in range(38, 10, -1):
        rules.remove(0)
        assert len(rules.packed.meeting(whole)) == n
        assert not rules.packed.meeting(strip(38 - n).region).any()
    rules.replace(0, strip(100))
    assert rules.packed.meeting(strip(100).region).nonzero()[0].tolist() == [0]
    space = Space([Continuous("f0")])
    rules = RuleSet([Rule(Region(space, {"f0": (i, i + 1)}), then="A") for i in range(3)], space)
    none = np.empty((1, 0), dtype=np.uint64)
    region = Region.from_box(Boxes(space, np.array([[1]]), np.array([[2]]), none))
    assert rules.packed.meeting(region).tolist() == [False, True, False]
    assert region.box.is_covered(rules.boxes)


@given(st.data(), st.sampled_from([1_000, 0]))
@sts.examples(0.6)
def test_columns_and_kernels_follow_a_list_of_rules(data, at_once):
    rules = data.draw(sts.rule_sets(max_size=4))
    space = rules.space
    points = Region(space).sample(5, random_state=0)
    together = rules.packed.covering(points)
    alone = [rules.packed.covering(points.take([i])) for i in range(5)]
    assert np.array_equal(np.hstack(alone), together)
    assert alone[0].dtype == together.dtype == np.bool_
    mirror, ids, next_id = list(rules), list(range(len(rules))), len(rules)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed, "_MOVED_AT_ONCE", at_once)
        for change in data.draw(st.lists(st.sampled_from("aaarrrrpcd"), max_size=24)):
            rule = data.draw(sts.rules(space))
            i = data.draw(st.integers(0, len(mirror) - 1)) if mirror else -1
            if change == "a":
                rules.add(rule, force=True)
                mirror, ids, next_id = [*mirror, rule], [*ids, next_id], next_id + 1
            elif change == "c":
                rules = data.draw(st.sampled_from([RuleSet.copy, copy.deepcopy]))(rules)
            elif change == "d":
                rules = pickle.loads(pickle.dumps(rules))
            elif mirror and change == "r":
                assert rules.remove(i) == mirror.pop(i)
                del ids[i]
            elif mirror:
                assert rules.replace(i, rule, force=True) == mirror[i]
                mirror[i] = rule
            assert [str(r) for r in rules] == [str(r) for r in mirror]
            assert rules.ids.tolist() == ids
            known = range(-1, next_id + 1)
            expected = [ids.index(k) if k in ids else -1 for k in known]
            assert rules.indices(known).tolist() == expected
            meets = [r.region.overlaps(rule.region) for r in mirror]
            assert rules.packed.meeting(rule.region).tolist() == meets
            assert as_tuples(rules.conflicts()) == naive.pairs(mirror, same=False)
            boxes = rules.boxes
            assert boxes is rules.boxes
            assert np.array_equal(boxes.keys(), RuleSet(mirror, space).boxes.keys())
            assert not any(a.flags.writeable for a in (boxes.lower, boxes.upper, boxes.masks))


def as_tuples(pairs):
    return [tuple(map(int, pair)) for pair in pairs.pairs]


@pytest.mark.parametrize("n", [1, 3_000])
def test_rules_can_be_removed_at_the_front_and_added_at_the_end_forever(n):
    rules = strips(n)
    for i in range(n, n + 50):
        assert rules.remove(0) == strip(i - n)
        rules.add(strip(i))
        assert rules.packed.meeting(strip(i).region).nonzero()[0].tolist() == [n - 1]
    assert rules.remove(n // 2) == strip(50 + n // 2)
    assert rules.ids.tolist() == [i for i in range(50, n + 50) if i != 50 + n // 2]
    assert len(rules.packed.then) <= 2 * n + 8


def test_a_box_grows_among_the_rules_that_were_there_at_first():
    rules = strips(3)
    seed = SPACE.encode_point({"f0": 10, "f1": 0})
    growth = rules.packed.growth(seed, -1)
    for i in range(3, 30):
        rules.add(strip(2 * i))
    covered, counts = growth.start()
    assert covered == -1
    assert counts.tolist() == [1, 1, 1]
    box = growth.limit(Region(SPACE, {"f0": 10, "f1": 0}).box, SPACE.axes, counts)
    assert box.lower.tolist() == [[3, -np.inf]]
    assert growth.grow(box, 0, counts).tolist() == [1, 1, 1]


def test_rules_can_be_added_while_kernels_run_on_the_set():
    rules = strips(50)
    points = Region(SPACE, {"f0": (0, 100)}).sample(3000, random_state=0)

    def read(_):
        return len(rules.packed.covering(points)) >= 50

    with ThreadPoolExecutor(3) as pool:
        reading = pool.map(read, range(60))
        for i in range(50, 150):
            rules.packed.append(strip(i).region, 0, 1.0)
        assert all(reading)


def read_only(value):
    """Return a copy whose arrays are read-only, as joblib makes it in another process."""
    buffers = []
    data = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=[bytes(buffer) for buffer in buffers])


def test_rules_and_coverage_from_read_only_memory_can_be_changed():
    rules = RuleSet([Rule({"age": (0, 30)}, then="low")])
    coverage = CoverageMap(rules, {"age": np.arange(100)})
    assert coverage.rules_of(40).tolist() == []
    copy = read_only(coverage)
    copy.rules.add(Rule({"age": (30, 60)}, then="high"))
    assert copy.uncovered.tolist() == list(range(60, 100))
    assert copy.rules_of(40).tolist() == [1]
    copy.rules.remove(0)
    assert copy.uncovered.tolist() == [*range(30), *range(60, 100)]
    assert coverage.uncovered.tolist() == list(range(30, 100))
