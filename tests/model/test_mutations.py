"""Mutations of regions: tighten, widen, narrow."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import strategies as sts
from irenic import (
    MISSING,
    OTHER,
    Categorical,
    ConditionError,
    Continuous,
    DataError,
    Region,
    Rule,
    RuleSet,
    Space,
    enlarge,
)
from refusals import refuses, rejects

pytestmark = pytest.mark.kernels

LINE = Space([Continuous("f")])
MIXED = Space([Continuous("f1", missing=True), Categorical("color", ["yellow", "blue", "red"])])
SHARES = st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0, "random"])


def interval(low, high):
    return Region(LINE, {"f": (low, high)})


@st.composite
def regions_with_cells(draw, n=1, max_cells=8):
    """Draw regions of one space, and cells on and next to their bounds."""
    regions = draw(sts.regions_of_one_space(n))
    space = regions[0].space
    axes = naive.grid(space, regions)
    axes = [[v for v in a if _in_use(f, v)] for f, a in zip(space, axes, strict=True)]
    cells = draw(st.lists(st.tuples(*map(st.sampled_from, axes)), min_size=1, max_size=max_cells))
    return regions, cells


def _in_use(feature, value):
    whole = getattr(feature, "kind", "") == "integer" and value > -math.inf
    return naive.shows(feature, value) and not (whole and abs(value) > 2**53)


def is_inside(inner, outer):
    """Return whether a region lies in another, by checking one feature at a time."""
    axes = naive.grid(inner.space, [inner, outer])
    return all(
        naive.allows(outer, f, v)
        for f, axis in zip(inner.space, axes, strict=True)
        for v in axis
        if naive.allows(inner, f, v)
    )


@given(regions_with_cells())
def test_a_tightened_region_is_the_smallest_box_around_its_instances(drawn):
    [region], cells = drawn
    space = region.space
    table = naive.instances(space, cells)
    held = [c for c in cells if naive.holds(region, c)]
    if not held:
        refuses(ConditionError, "so there is nothing to tighten to", region.tighten, table)
        return
    tight = region.tighten(table)
    assert is_inside(tight, region)
    assert all(naive.holds(tight, c) for c in held)
    for i, feature in enumerate(space):
        found = {c[i] for c in held}
        allowed = [v for v in naive.axis(feature, found) if naive.allows(tight, feature, v)]
        if isinstance(feature, Continuous):
            assert (allowed[0], allowed[-1]) == (min(found), max(found))
        else:
            assert set(allowed) == found
    assert tight.tighten(table) == tight


def test_a_tightened_region_ends_at_the_values_that_it_covers():
    table = {"f1": [1, 2.5, 4, 9], "color": ["red", "blue", "blue", "blue"]}
    tight = Region(MIXED, {"f1": (2, 5)}).tighten(table)
    assert tight == Region(MIXED, {"f1": {">=": 2.5, "<=": 4}, "color": "blue"})
    assert repr(tight) == "2.5 <= f1 <= 4 and color in {blue}"
    both = Region(MIXED).tighten({"f1": [None, 3], "color": ["red", "red"]})
    assert both == Region(MIXED, {"f1": {"<=": 3, "missing": True}, "color": "red"})
    space = Space([Categorical("c", ["a", "b"], missing=True, other=True)])
    tight = Region(space).tighten([{"c": None}, {"c": "zebra"}])
    assert tight == Region(space, {"c": {"in": [MISSING, OTHER]}})


# --- widen


@given(regions_with_cells(n=2), SHARES, st.integers(0, 2**32))
def test_a_widened_region_contains_the_original_and_stays_within_the_limit(drawn, share, state):
    [one, limit], _ = drawn
    region = one & limit
    if region.is_empty:
        return
    wide = region.widen_bounds(limit, share=share, random_state=state)
    assert is_inside(region, wide)
    assert is_inside(wide, limit)
    assert wide == region.widen_bounds(limit, share=share, random_state=state)
    if share == 1.0:
        assert wide == limit
    if share == 0.0:
        assert wide == region
    assert is_inside(region, region.widen_bounds(share=share, random_state=state))
    assert region.widen_bounds(random_state=state) == Region(region.space)


def test_each_bound_moves_by_its_share():
    assert interval(4, 5).widen_bounds(interval(2, 9), share=0.5) == interval(3, 7)
    assert interval(4, 5).widen_bounds(interval(2, 9), share=0.25) == interval(3.5, 6)
    assert interval(4, 5).widen_bounds(interval(2, 9)) == interval(2, 9)
    space = Space([Continuous("n", kind="integer")])
    inner, outer = Region(space, {"n": (4, 6)}), Region(space, {"n": (1, 11)})
    wide = inner.widen_bounds(outer, share=0.5)
    assert wide == Region(space, {"n": (3, 9)})
    assert repr(wide) == "3 <= n < 9"


def test_a_random_share_moves_each_bound_independently():
    found = [
        interval(4, 5).widen_bounds(interval(0, 9), share="random", random_state=i)
        for i in range(50)
    ]
    lower = np.array([r.lower[0] for r in found])
    upper = np.array([r.upper[0] for r in found])
    assert len(set(lower)) == len(set(upper)) == 50
    assert (lower >= 0).all()
    assert (lower <= 4).all()
    assert lower.min() < 1
    assert upper.max() > 8
    assert abs(np.corrcoef(4 - lower, upper - 5)[0, 1]) < 0.5


def test_values_of_a_category_and_missing_bounds_change_with_the_probability_of_the_share():
    dropped = [
        math.isinf(interval(4, 5).widen_bounds(share=0.3, random_state=i).upper[0])
        for i in range(300)
    ]
    assert 0.2 < np.mean(dropped) < 0.4
    values = [f"v{i}" for i in range(300)]
    space = Space([Categorical("c", values)])
    limit = Region(space, {"c": set(values[:200])})
    wide = Region(space, {"c": "v0"}).widen_bounds(limit, share=0.25, random_state=0)
    assert 30 < wide.bits("c").bit_count() < 75
    assert wide <= limit
    assert {"c": "v0"} in wide


def test_a_rule_widened_within_an_enlarged_region_has_no_conflict():
    rng = np.random.default_rng(0)
    space = Space([Continuous("a"), Continuous("b")])
    rules = RuleSet([Rule(Region(space, {"a": (0, 2), "b": (0, 2)}), then="A")], space)
    own = Region(space, {"a": (3, 4), "b": (1, 2)})
    for _ in range(20):
        free = enlarge(rules, own.witness(), order="random", random_state=rng)
        wide = (own & free).widen_bounds(free, share="random", random_state=rng)
        assert not rules.rivals_of(wide).size
        rules.copy().add(Rule(wide, then="B"))


# --- narrow


@given(regions_with_cells(), SHARES, st.integers(0, 2**32))
def test_a_narrowed_region_contains_the_point_and_stays_inside(drawn, share, state):
    [region], cells = drawn
    for cell in cells:
        point = naive.instances(region.space, [cell])
        if not naive.holds(region, cell):
            refuses(ConditionError, "does not lie in", region.narrow_bounds, point, share=share)
            continue
        narrow = region.narrow_bounds(point, share=share, random_state=state)
        assert naive.holds(narrow, cell)
        assert is_inside(narrow, region)
        assert narrow == region.narrow_bounds(point, share=share, random_state=state)
        if share == 0.0:
            assert narrow == region


def test_each_bound_moves_toward_the_point_by_its_share():
    assert interval(2, 10).narrow_bounds({"f": 4}) == interval(3, 7)
    assert interval(2, 10).narrow_bounds([4], share=0.25) == interval(2.5, 8.5)
    assert interval(2, 10).narrow_bounds([4.0], share=1) == Region(LINE, {"f": {"=": 4}})
    assert interval(2, None).narrow_bounds([4]) == interval(3, None)
    assert interval(None, 6).narrow_bounds([4]) == interval(None, 5)
    assert Region(LINE).narrow_bounds([4], share=1.0) == Region(LINE)
    region = Region(MIXED, {"f1": {"<": 5, "missing": True}})
    narrow = region.narrow_bounds({"color": "red"}, share=1.0)
    assert narrow == Region(MIXED, {"f1": {"<": 5, "missing": True}, "color": "red"})
    space = Space([Continuous("n", kind="integer")])
    narrow = Region(space, {"n": (0, 11)}).narrow_bounds([5])
    assert repr(narrow) == "3 <= n < 8"
    assert Region(space, {"n": (0, 11)}).narrow_bounds([5], share=1.0) == Region(space, {"n": 5})


def test_values_of_a_category_are_removed_except_that_of_the_point():
    region = Region(MIXED)
    assert region.narrow_bounds({"color": "red"}, share=1.0) == Region(MIXED, {"color": "red"})
    values = [f"v{i}" for i in range(300)]
    space = Space([Categorical("c", values)])
    left = Region(space).narrow_bounds({"c": "v299"}, share=0.9, random_state=0)
    assert 10 < left.bits("c").bit_count() < 60
    assert {"c": "v299"} in left


def test_a_random_share_varies_but_is_reproducible():
    def narrow(state):
        return interval(0, 9).narrow_bounds([4], share="random", random_state=state)

    assert len({narrow(i) for i in range(20)}) == 20
    assert [narrow(i) for i in range(20)] == [narrow(i) for i in range(20)]
    rng = np.random.default_rng(0)
    assert narrow(rng) != narrow(rng)


def test_invalid_mutations_are_rejected():
    near, wide, limit = interval(2, 5), interval(1, 5), interval(2, 9)
    nothing = "so there is nothing to tighten to"
    text = f"no instance lies in 2 <= f < 5, {nothing}"
    rejects(ConditionError, text, near.tighten, [[1], [9]])
    text = f"no instance lies in anything, {nothing}"
    rejects(ConditionError, text, Region(LINE).tighten, [])
    text = "within must contain the region 1 <= f < 5, got 2 <= f < 9"
    rejects(ConditionError, text, wide.widen_bounds, limit)
    text = "the regions belong to different spaces"
    refuses(ConditionError, text, wide.widen_bounds, Region(MIXED))
    text = "the point (f = 5) does not lie in 2 <= f < 5"
    rejects(ConditionError, text, near.narrow_bounds, [5.0])
    rejects(DataError, "a point must have 1 value, got 2", near.narrow_bounds, [3, 4])
    for share in (-0.1, 1.5, math.nan, "half"):
        text = f'share must be a number from 0 to 1 or "random", got {share!r}'
        rejects(ConditionError, text, near.widen_bounds, share=share)
        rejects(ConditionError, text, near.narrow_bounds, [3], share=share)


def test_bounds_that_are_extremely_far_apart_move_without_overflow():
    widest, right = interval(-1.7e308, 1.75e308), interval(1.6e308, 1.7e308)
    wide = right.widen_bounds(widest, share=0.5)
    assert right <= wide <= widest
    assert abs(wide.lower[0] + 0.05e308) < 0.01e308
    narrow = widest.narrow_bounds([1.6e308], share=0.5)
    assert narrow <= widest
    assert narrow.contains([[1.6e308]]).all()
    assert abs(narrow.lower[0] + 0.05e308) < 0.01e308
