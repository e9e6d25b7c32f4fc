"""The region algebra, compared with an oracle, and the texts of regions and their errors."""

from __future__ import annotations

import copy
import datetime as dt
import math
import pickle
from itertools import combinations, product

import numpy as np
import portion
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import naive
import strategies as sts
from irenic import MISSING, OTHER, Categorical, ConditionError, Continuous, DataError, Region, Space
from irenic.model import sampling
from refusals import refuses

ONE = Space([Continuous("f1")])
TWO = Space([Continuous("f1"), Categorical("color", ["yellow", "blue", "red"])])


def one(**conditions):
    return Region(ONE, conditions)


def axes_of(*regions):
    return naive.grid(regions[0].space, regions)


# --- the meaning of conditions


@given(st.data())
def test_a_condition_contains_exactly_the_values_that_satisfy_its_operators(data):
    space = data.draw(sts.spaces(max_features=1))
    (feature,) = space
    asked = data.draw(sts.operators(feature))
    if not sts.possible(feature, asked):
        refuses(ConditionError, "feature", Region, space, {feature.name: asked})
        return
    region = Region(space, {feature.name: asked})
    axis = [v for v in axes_of(region)[0] if naive.shows(feature, v)]
    expected = [bool(naive.satisfies(asked, naive.decode(feature, v))) for v in axis]
    assert region.contains(naive.instances(space, [(v,) for v in axis])).tolist() == expected


@given(sts.regions_of_one_space(2))
def test_contains_agrees_with_the_oracle_on_many_cells_and_on_single_ones(pair):
    region = pair[0]
    cells = naive.cells_of(axes_of(*pair))
    points = naive.instances(region.space, cells)
    inside = [naive.holds(region, cell) for cell in cells]
    assert region.contains(points).tolist() == inside
    for i in range(0, len(cells), max(1, len(cells) // 30)):
        single = points.take([i])
        assert region.contains(single).tolist() == [inside[i]] == [single in region]
        assert region.contains(single).dtype == np.bool_
    assert not Region.nothing(region.space).contains(points.take([0]))[0]


def test_pairs_are_half_open_and_bounds_exclude_missing_values():
    assert one(f1=(2, 5)).contains({"f1": [1.9, 2, 4.9, 5]}).tolist() == [False, True, True, False]
    assert one(f1=(None, 5)) == one(f1={"<": 5})
    assert one(f1=(2, None)) == one(f1={">=": 2})
    assert one(f1=(None, None)) == one() == Region(ONE)
    space = Space([Continuous("f1", missing=True)])
    table = {"f1": [None, 3.0]}
    assert Region(space).contains(table).tolist() == [True, True]
    assert Region(space, {"f1": {"<": 5}}).contains(table).tolist() == [False, True]
    either = Region(space, {"f1": {"<": 5, "missing": True}})
    assert either.contains(table).tolist() == [True, True]
    assert Region(space, {"f1": {"missing": True}}).contains(table).tolist() == [True, False]
    assert Region(space, {"f1": {"missing": False}}).contains(table).tolist() == [False, True]
    space = Space([Categorical("c", range(200), other=True)])
    region = Region(space, {"c": {0, 63, 64, 130, 199}})
    inside = region.contains({"c": [*range(200), "new"]})
    assert np.flatnonzero(inside).tolist() == [0, 63, 64, 130, 199]
    rest = Region(space, {"c": {"not in": [0, 63, 64, 130, 199]}})
    assert not region.overlaps(rest)
    assert rest.contains({"c": ["new"]}).all()


# --- the algebra


@given(sts.regions_of_one_space(2))
def test_operations_on_regions_are_those_on_their_cells(pair):
    a, b = pair
    axes = axes_of(a, b)
    mine, theirs = naive.cells(a, axes), naive.cells(b, axes)
    assert naive.cells(a & b, axes) == mine & theirs
    assert (a & b).is_empty == (not mine & theirs)
    assert a.overlaps(b) == b.overlaps(a) == bool(mine & theirs)
    assert a & b == b & a
    assert (a <= b) == (mine <= theirs) == (b >= a) == (a in b)
    assert (a < b) == (mine < theirs) == (b > a)
    assert (a == b) == (mine == theirs)
    assert a != b or hash(a) == hash(b)
    pieces = [naive.cells(piece, axes) for piece in a - b]
    assert all(pieces)
    assert all(not (p & q) for p, q in combinations(pieces, 2))
    assert set().union(*pieces) == mine - theirs
    assert not any(piece.is_empty or piece.overlaps(b) for piece in a - b)
    sides = {"date": (dt.date(2019, 12, 1), dt.date(2020, 3, 1)), "months": ("-P1Y", "P3Y")}
    within = Region(a.space, {f.name: sides.get(f.kind, (-10, 10)) for f in a.space.continuous})
    total = a.volume(within)
    assert math.isfinite(total)
    volumes = [part.volume(within) for part in (*(a - b), a & b)]
    assert math.isclose(sum(volumes), total, rel_tol=1e-9)
    assert b.volume(within) <= Region(a.space).volume(within)


@given(sts.regions_of_one_space(2))
def test_texts_conditions_and_copies_give_the_same_region(pair):
    a, b = pair
    for region in (a, a & b, *(a - b)):
        for again in (pickle.loads(pickle.dumps(region)), copy.deepcopy(region)):
            assert again == region
            assert hash(again) == hash(region)
            assert str(again) == str(region) == repr(region)
            assert again.is_empty == region.is_empty
        if region.is_empty:
            continue
        again = Region.parse(str(region), region.space)
        assert again == region
        assert str(again) == str(region)
        assert Region(region.space, region.conditions()) == region
        assert region.n_conditions == len(region.conditions()) == len(region.texts())
        assert region.witness() in region
    simple = a.simplified()
    assert simple == a
    assert simple.n_conditions <= a.n_conditions
    for name in simple.conditions():
        rest = {n: c for n, c in simple.conditions().items() if n != name}
        assert Region(a.space, rest) != a


@given(sts.regions_of_one_space(3))
def test_laws_of_sets_hold_and_the_hull_is_the_smallest_region_around_others(three):
    axes = axes_of(*three)
    hull = Region.hull(*three)
    together = set().union(*(naive.cells(region, axes) for region in three))
    spans = []
    for feature, axis, taken in zip(hull.space, axes, zip(*together, strict=True), strict=True):
        if isinstance(feature, Continuous):
            spans.append([v for v in axis if min(taken) <= v <= max(taken)])
        else:
            spans.append(set(taken))
    assert naive.cells(hull, axes) == set(product(*spans))
    assert all(region <= hull for region in three)
    assert hull == three[2].hull(three[0], three[1], Region.nothing(hull.space))
    assert Region.parse(hull.to_text(), hull.space) == hull
    a, b, c = three
    assert (a & b) & c == a & (b & c)
    assert a & a == a
    assert a & b <= a
    everything, nothing = Region(a.space), Region.nothing(a.space)
    assert a & everything == a
    assert (a & nothing).is_empty
    assert nothing <= a <= everything
    assert a - a == [] == nothing - a
    assert a - nothing == [a]


def test_the_hull_keeps_how_bounds_were_written_and_leaves_out_empty_regions():
    a, b = Region(ONE, {"f1": {">": 2, "<": 5}}), Region(ONE, {"f1": {">=": 3, "<=": 7}})
    assert str(a.hull(b)) == str(b.hull(a)) == "2 < f1 <= 7"
    nothing = Region.nothing(ONE)
    assert a.hull() is a
    assert nothing.hull(a) == a == a.hull(nothing)
    assert nothing.hull(nothing).is_empty
    refuses(ConditionError, "different spaces", a.hull, Region(Space([Continuous("g")])))
    refuses(ConditionError, "others must be regions, got 5", a.hull, 5)


@given(st.data())
def test_one_continuous_feature_agrees_with_portion(data):
    space = Space([Continuous("f1")])
    drawn = [data.draw(sts.regions(space)) for _ in range(2)]
    a, b = map(as_portion, drawn)
    assert as_portion(drawn[0] & drawn[1]) == a & b
    union = portion.empty()
    for piece in drawn[0] - drawn[1]:
        union |= as_portion(piece)
    assert union == a - b
    assert (drawn[0] <= drawn[1]) == (a in b)


def as_portion(region):
    if region.is_empty:
        return portion.empty()
    found = portion.open(-portion.inf, portion.inf)
    tests = {
        ">": lambda v: portion.open(v, portion.inf),
        ">=": lambda v: portion.closedopen(v, portion.inf),
        "<": lambda v: portion.open(-portion.inf, v),
        "<=": lambda v: portion.openclosed(-portion.inf, v),
        "=": portion.singleton,
    }
    for operator, value in region.conditions().get("f1", {}).items():
        if operator != "missing":
            found &= tests[operator](value)
    return found


def test_equal_regions_are_equal_however_they_are_written():
    groups = [
        [one(f1={"<=": 5}), one(f1={"<": math.nextafter(5, 9)})],
        [one(f1={">": 5}), one(f1={">=": math.nextafter(5, 9)})],
        [one(f1=5), one(f1={"=": 5.0}), one(f1={">=": 5, "<=": 5}), one(f1=[5])],
        [one(f1=(-0.0, 1)), one(f1=(0.0, 1))],
        [one(), one(f1={"missing": False}), one(f1={}), one(f1=(-math.inf, math.inf))],
    ]
    for group in groups:
        assert len(set(group)) == 1, group
    assert len({group[0] for group in groups}) == len(groups)
    bounded = Space([Continuous("n", kind="integer", bounds=(0, 10))])
    same = [{}, {"n": (0, None)}, {"n": {"<=": 10}}, {"n": (-5, 11)}, {"n": {">": -1, "<": 99}}]
    assert len({Region(bounded, c) for c in same}) == 1
    maybe = Space([Continuous("n", bounds=(0, 10), missing=True)])
    assert Region(maybe, {"n": (0, None)}) == Region(maybe, {"n": {"missing": False}})
    assert Region(maybe, {"n": (0, None)}) != Region(maybe)
    assert Region(maybe, {"n": {"<=": 10, "missing": True}}) == Region(maybe)
    assert Region(maybe, {"n": {"<": 0, "missing": True}}) == Region(maybe, {"n": None})
    pieces = Region(maybe) - Region(maybe, {"n": (0, 5)})
    assert list(map(str, pieces)) == ["n is missing", "n >= 5"]
    space = Space([Categorical("c", ["a", "b", "d"], missing=True, other=True)])
    assert Region(space, {"c": {"a", OTHER}}) == Region(space, {"c": {"in": ["a"], "other": True}})
    assert Region(space, {"c": {"not in": ["a", "b", "d"]}}) == Region(space, {"c": {OTHER, None}})
    assert Region(space, {"c": {"missing": True}}) == Region(space, {"c": MISSING})
    assert Region(space, {"c": ["a", "b", "d", OTHER, MISSING]}) == Region(space)


def test_regions_of_different_spaces_differ_and_cannot_be_combined():
    other = Region(Space([Continuous("f1", unit="cm")]), {"f1": (2, 5)})
    mine = one(f1=(2, 5))
    assert mine != other
    assert other.cast(ONE) == mine
    for operation in (mine.__and__, mine.__sub__, mine.__le__, mine.overlaps):
        refuses(ConditionError, r"different spaces; cast\(\) one of them", operation, other)
    assert mine != "2 <= f1 < 5"
    with pytest.raises(TypeError):
        mine & "2 <= f1 < 5"
    with pytest.raises(TypeError):
        _ = mine <= 5
    space = Space([])
    everything, nothing = Region(space), Region.nothing(space)
    assert not everything.is_empty
    assert nothing.is_empty
    assert everything != nothing
    assert everything - nothing == [everything]
    assert everything - everything == []
    assert (everything & nothing).is_empty
    assert pickle.loads(pickle.dumps(nothing)) == nothing


# --- as a value


def test_a_region_cannot_be_changed():
    region = Region(TWO, {"f1": (2, 5), "color": "blue"})
    with pytest.raises(AttributeError, match="a Region is immutable; create a new one"):
        region.space = ONE
    with pytest.raises(AttributeError, match="immutable"):
        region.is_empty = True
    for array in (region.lower, region.upper, region.masks, region.written):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    a, b = one(f1=(2, 5)), one(f1={"<=": 3})
    before = str(a), str(b), hash(a), hash(b)
    for operation in (a.__and__, a.__sub__, a.__le__, a.overlaps, a.volume):
        operation(b)
    assert (str(a), str(b), hash(a), hash(b)) == before


def test_bounds_stay_as_they_were_written_across_intersection_and_subtraction():
    a, b = one(f1={">": 2.5}), one(f1={"<=": 5})
    assert str(a & b) == str(b & a) == "2.5 < f1 <= 5"
    assert [str(p) for p in a - b] == ["f1 > 5"]
    assert [str(p) for p in b - a] == ["f1 <= 2.5"]
    assert [str(p) for p in Region(ONE) - (a & b)] == ["f1 <= 2.5", "f1 > 5"]
    assert [str(p) for p in Region(ONE) - one(f1=(2, 5))] == ["f1 < 2", "f1 >= 5"]
    assert [str(p) for p in one(f1={">=": 2, "<=": 5}) - one(f1=(2, 5))] == ["f1 = 5"]
    space = Space([Continuous("f1", missing=True)])
    everything = Region(space)
    assert [str(p) for p in everything - Region(space, {"f1": (2, 5)})] == [
        "(f1 < 2 or missing)",
        "f1 >= 5",
    ]
    assert [str(p) for p in everything - Region(space, {"f1": None})] == ["f1 is not missing"]
    assert [str(p) for p in everything - Region(space, {"f1": {"missing": False}})] == [
        "f1 is missing"
    ]


def test_what_empty_regions_and_other_features_lack_is_refused():
    nothing = Region.nothing(TWO)
    assert str(nothing) == "nothing"
    assert nothing.volume() == 0.0
    assert not nothing.contains([{"f1": 3, "color": "blue"}]).any()
    assert one(f1=(2, 3)) & one(f1=(3, 4)) == Region.nothing(ONE)
    refuses(ConditionError, r"the empty region contains no point$", nothing.witness)
    refuses(ConditionError, "the empty region contains no point to sample", nothing.sample)
    with pytest.raises(ConditionError, match="the empty region cannot be expressed as conditions"):
        nothing.conditions()
    region = Region(TWO, {"f1": (2, 5), "color": {"blue"}})
    assert region.interval("f1")[:2] == (2.0, 5.0)
    assert region.bits("color") == 0b1000
    text = r"feature 'color' is categorical and has no interval; use bits\(\)"
    refuses(ConditionError, text, region.interval, "color")
    text = r"feature 'f1' is continuous and has no bits; use interval\(\)"
    refuses(ConditionError, text, region.bits, "f1")
    refuses(ConditionError, "unknown feature 'colour'; did you mean 'color'", region.bits, "colour")


# --- points


def test_points_and_other_spaces_are_matched_by_name():
    region = Region(TWO, {"f1": (2, 5), "color": {"yellow"}})
    assert {"f1": 2, "color": "yellow"} in region
    assert {"f1": 5, "color": "yellow"} not in region
    assert {"f1": 2, "color": "red"} not in region
    with pytest.raises(DataError, match="the point has no value for 'color'"):
        _ = {"f1": 2} in region
    region = Region(TWO, {"f1": {">": 2}, "color": {"blue", "red"}})
    wider = Space([Categorical("color", ["red", "green", "blue"], other=True), Continuous("f1")])
    assert str(region.cast(wider)) == "color in {red, blue} and f1 > 2"
    assert Region.nothing(TWO).cast(wider) == Region.nothing(wider)
    refuses(ConditionError, "unknown feature 'color'", region.cast, ONE)


@given(
    st.floats(-1.7e308, 1.7e308),
    st.floats(-1.7e308, 1.7e308),
    st.sampled_from(["<", "<=", ">", ">=", "="]),
)
def test_regions_of_any_scale_read_back_and_have_witnesses_and_samples(x, y, operator):
    low, high = min(x, y), max(x, y)
    for condition in (
        {operator: x},
        {">=": low, "<=": high},
        {">=": low, "<=": math.nextafter(low, math.inf)},
    ):
        region = one(f1=condition)
        assert Region.parse(str(region), ONE) == region
        assert Region(ONE, region.conditions()) == region
        assert region.witness() in region
        assert region.contains(region.sample(20, random_state=0)).all()


def test_the_witness_is_readable():
    for condition, witness in (
        ((28.5, 31), 30),
        ((0, 1), 0.5),
        ({"<": 5}, 2),
        ({"=": 0.1}, 0.1),
        ({}, 0),
        ((0.123, 0.124), 0.123),
        ({">": 5, "<=": math.nextafter(5, 6)}, math.nextafter(5, 6)),
        ((1e308, None), 1e308),
        ((9.1e15, None), 1e16),
        ((0, 1e-323), 5e-324),
        ((-1e-323, 0), -5e-324),
    ):
        region = one(f1=condition)
        assert region.witness() == {"f1": witness}, condition
        assert region.witness() in region
    maybe = Continuous("f1", missing=True)
    space = Space([Categorical("c", ["other", "b"], missing=True, other=True), maybe])
    assert Region(space).witness() == {"c": "other", "f1": 0}
    assert Region(space, {"c": {OTHER, MISSING}}).witness()["c"] is None
    assert Region(space, {"c": {OTHER}}).witness()["c"] == "other 2"
    assert Region(space, {"f1": None}).witness()["f1"] is None
    dates = Space([Continuous("d", kind="date")])
    for condition in ({">=": "9000-01-01"}, {"<": "0100-01-01"}, {"<": "0001-01-03"}):
        region = Region(dates, {"d": condition})  # within the calendar
        assert region.witness() in region
        assert all(point in region for point in region.sample(50, random_state=1))


@given(sts.regions_of_one_space(1), st.integers(0, 2**32 - 1))
def test_samples_lie_inside_and_are_reproducible(single, random_state):
    (region,) = single
    points = region.sample(30, random_state)
    cells = [naive.cell(region.space, points, i) for i in range(30)]
    axes = [set(column) for column in zip(*cells, strict=True)]
    for feature, axis in zip(region.space, axes, strict=True):
        assert all(naive.allows(region, feature, v) for v in axis)
        if isinstance(feature, Continuous):
            assert all(v == -math.inf or naive.can_occur(feature, v) for v in axis)
        else:
            assert axis <= set(naive.axis(feature))
    again = region.sample(30, np.random.default_rng(random_state))
    assert np.array_equal(points.values, again.values)
    assert np.array_equal(points.codes, again.codes)
    for feature, low, high in zip(region.space.continuous, region.lower, region.upper, strict=True):
        check_single_draw(feature, *feature.reach(float(low), float(high)), random_state)


def check_single_draw(feature, low, high, seed):
    """Assert that a single point is drawn as several are."""
    if low < high:
        one, many = np.random.default_rng(seed), np.random.default_rng(seed)
        value = sampling.draw_one(feature, low, high, one)
        assert [value] == sampling.draw(feature, low, high, 1, many).tolist()
        assert one.random() == many.random()


def test_a_single_point_of_a_huge_region_is_drawn_as_several_are():
    lows, highs = [sampling.LOWEST, -1e308, -1.0, 0.0, 1e308], [-9e307, 5e-324, 1.0, 1.5e308]
    for low, high, seed in product(lows, [*highs, math.inf], range(20)):
        check_single_draw(Continuous("f"), low, high, seed)


def test_volumes_and_samples_count_every_part_of_a_region():
    space = Space(
        [
            Continuous("n", kind="integer"),
            Continuous("d", kind="date"),
            Categorical("c", ["a", "b"], missing=True, other=True),
        ]
    )
    region = Region(space, {"n": (0, 5), "d": ("2020-01-01", "2020-01-08"), "c": {"a", OTHER}})
    assert region.volume() == 5 * 7 * 2
    assert region.volume(Region(space, {"n": {">=": 3, "<=": 3}})) == 7 * 2
    assert Region(space).volume() == math.inf
    assert Region(space).volume(region) == 70.0
    space = Space([Continuous("a", missing=True), Continuous("b")])
    assert Region(space, {"a": None}).volume() == 0.0
    assert Region(space, {"a": {"<": 5, "missing": True}, "b": (0, 1)}).volume() == math.inf
    within = Region(space, {"a": (0, None)})
    assert Region(space, {"a": {"<": 5, "missing": True}, "b": (0, 2)}).volume(within) == 10.0
    region = Region(TWO, {"f1": (0, 1), "color": {"yellow", "red"}})
    points = region.sample(400, random_state=np.random.RandomState(0))
    assert set(points.codes[0].tolist()) == {2, 4}
    assert np.histogram(points.values[0], bins=4, range=(0, 1))[0].min() > 60
    assert len(region.sample(0, random_state=0)) == 0
    text = "random_state must be None, a non-negative integer or a numpy generator"
    refuses(DataError, text, region.sample, 1, random_state="today")


@given(sts.regions_of_one_space(4))
def test_each_box_becomes_a_region(regions):
    boxes = regions[0].box.concat(*(region.box for region in regions[1:]))
    assert Region.from_boxes(boxes) == regions
    assert [Region.from_box(box) for box in boxes] == regions
    for region in Region.from_boxes(boxes):
        with pytest.raises(ValueError, match="read-only"):
            region.masks[:] = 0


def test_bits_of_values_that_cannot_occur_are_left_out():
    space = Space([Categorical("c", ["a", "b"])])
    empty = np.empty(0)
    whole = Region.from_packed(space, empty, empty, np.array([~np.uint64(0)]))
    assert whole == Region(space)
    assert (whole.masks == space.everything).all()


def packed_or_error(make):
    """Return the arrays of a region, or the text of the error."""
    try:
        region = make()
    except ConditionError as error:
        return str(error)
    arrays = (region.lower, region.upper, region.masks, region.written)
    return [array.tolist() for array in arrays]


@given(st.data())
def test_a_region_of_another_space_is_that_of_its_conditions_there(data):
    space, other = data.draw(sts.spaces()), data.draw(sts.spaces())
    assume(space != other)
    region = data.draw(sts.regions(space))
    if data.draw(st.booleans()):  # a computed region, whose bounds were not written
        region = Region.from_box(region.box)
    anew = packed_or_error(lambda: Region(other, region.conditions()))
    assert packed_or_error(lambda: region.cast(other)) == anew
