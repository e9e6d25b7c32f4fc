"""Bounds near the greatest and the smallest float64: no NaN, no warning, nothing out of place.

pytest turns warnings into errors, so that an overflow in numpy fails a test by itself.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import strategies as sts
from irenic import (
    Categorical,
    Continuous,
    Region,
    Rule,
    RuleSet,
    RuleSetClassifier,
    Space,
    best_region,
    check,
    complete,
    enlarge,
    gaps,
    plot,
    repair,
    report,
    search,
)

pytestmark = pytest.mark.kernels

MOST = float(np.finfo(np.float64).max)
LEAST = math.ulp(0.0)
CORNERS = [0.0, -0.0, 1.0, *(s * v for s in (1, -1) for v in (MOST, 1.7e308, 2.3e-308, LEAST))]
FLOATS = st.one_of(st.sampled_from(CORNERS), st.floats(allow_nan=False, allow_infinity=False))
COLORS = ["red", "green"]


@st.composite
def intervals(draw):
    low, high = sorted([draw(FLOATS), draw(FLOATS)])
    sides = draw(st.sampled_from(["both", "both", "both", "low", "high"]))
    if sides != "both" or low == high:
        return {">=": low} if sides != "high" else {"<=": high}
    return {">=": low, "<": high}


@st.composite
def features(draw, name):
    bounds = sorted([draw(FLOATS), draw(FLOATS)])
    kept = draw(st.sampled_from([(None, None), (bounds[0], None), tuple(bounds), tuple(bounds)]))
    return Continuous(name, bounds=kept, missing=draw(st.booleans()))


@st.composite
def spaces(draw):
    found = [draw(features(name)) for name in "xy"[: draw(st.integers(1, 2))]]
    return Space([*found, Categorical("color", COLORS)] if draw(st.booleans()) else found)


@st.composite
def regions(draw, space):
    asked = {f.name: draw(intervals()) for f in space.continuous if draw(st.integers(0, 3))}
    if space.categorical and draw(st.booleans()):
        asked["color"] = draw(st.sampled_from(COLORS))
    try:
        return Region(space, asked)
    except ValueError:  # beyond the bounds of the space
        return Region(space)


@st.composite
def sets_of_rules(draw):
    space = draw(spaces())
    size = draw(st.integers(1, 4))
    made = [Rule(draw(regions(space)), then="AB"[i % 2]) for i in range(size)]
    return RuleSet(made, space)


@st.composite
def tables(draw, space, least=1):
    """Draw values that can occur, and a label each."""
    n = draw(st.integers(least, 8))
    table = {}
    for feature in space.continuous:
        low, high = feature.bounds
        value = FLOATS.map(
            lambda v, low=low, high=high: min(
                max(v, -MOST if low is None else low), MOST if high is None else high
            )
        )
        table[feature.name] = draw(st.lists(value, min_size=n, max_size=n))
    if space.categorical:
        table["color"] = draw(st.lists(st.sampled_from(COLORS), min_size=n, max_size=n))
    return table, ["A", "B"] * (n // 2) + ["A"] * (n % 2)


def halves(low, high, space=None):
    """Return two rules that contradict each other on most of a long interval."""
    space = space or Space([Continuous("x", bounds=(low, high)), Continuous("y", bounds=(0, 1))])
    return RuleSet(
        [
            Rule({"x": {"<": 0.5 * high}, "y": {"<": 0.5}}, then="A"),
            Rule({"x": {">=": 0.25 * low}}, then="B"),
        ],
        space,
    )


HUGE = halves(-1.7e308, 1.7e308)
TINY = halves(-4 * LEAST, 8 * LEAST)


# --- regions


def exact_volume(region):
    """Return the volume in exact arithmetic, infinity where a side is open."""
    total = Fraction(1)
    open_ = False
    for row, feature in enumerate(region.space.continuous):
        low, high = feature.reach(float(region.lower[row]), float(region.upper[row]))
        if low >= high:
            return 0.0
        if low <= -MOST or high == math.inf:
            open_ = True
        else:
            total *= Fraction(high) - Fraction(low)
    for feature in region.space.categorical:
        total *= (region.bits(feature.name) & feature.everything).bit_count()
    try:
        return math.inf if open_ else float(total)
    except OverflowError:
        return math.inf


@given(st.data())
def test_a_volume_is_exact_but_for_rounding(data):
    region = data.draw(regions(data.draw(spaces())))
    expected = 0.0 if region.is_empty else exact_volume(region)
    assert region.volume() == pytest.approx(expected, rel=1e-14, abs=LEAST)


def test_products_of_a_volume_do_not_overflow():
    whole, wide, narrow = (-1.5e308, 1.5e308), (0, 1e300), (0, 1e-300)
    for sides, volume in [
        ((whole, (0, 2**-10)), 3e298 * (1e10 * 2**-10)),
        ((whole, (0, 1)), math.inf),
        ((narrow, wide), pytest.approx(1)),
        ((wide, wide, narrow, narrow), pytest.approx(1, rel=1e-12)),
        ((narrow, narrow, wide, wide), pytest.approx(1, rel=1e-12)),
    ]:
        names = "abcd"[: len(sides)]
        region = Region(Space(map(Continuous, names)), dict(zip(names, sides, strict=True)))
        assert region.volume() == volume


@given(st.data())
def test_points_of_a_region_lie_in_it_and_bounds_are_moved_within_their_limits(data):
    region = data.draw(regions(data.draw(spaces())))
    share = data.draw(st.sampled_from([0.0, 0.3, 1.0, "random"]))
    if not region.is_empty:
        drawn = region.sample(20, random_state=0)
        assert not np.isnan(drawn.values).any()
        assert region.contains(drawn).all()
        assert region.witness() in region
        assert region <= region.widen_bounds(share=share, random_state=0)
        point = region.sample(1, random_state=0)
        narrow = region.narrow_bounds(point, share=share, random_state=0)
        assert narrow <= region
        assert narrow.contains(point).all()


def test_values_between_huge_bounds_are_spread_over_all_of_them():
    space = Space([Continuous("x")])
    drawn = Region(space, {"x": (-1.7e308, 1.7e308)}).sample(1000, random_state=0).values[0]
    counts, _ = np.histogram(drawn / 1.7e308, [-1, -0.5, 0, 0.5, 1])
    assert (counts > 200).all()


# --- searching


@given(sets_of_rules())
def test_rules_are_checked_and_gaps_have_volumes_and_points(rules):
    assert str(check(rules))
    found = gaps(rules)
    assert not math.isnan(found.volume())
    for region in found:
        assert not rules.rivals_of(region).size
        assert region.witness() in region


@given(sets_of_rules(), st.data())
def test_regions_are_grown_around_any_free_point(rules, data):
    table, _ = data.draw(tables(rules.space))
    for region in gaps(rules):
        point = region.sample(1, random_state=0)
        grown = enlarge(rules, point)
        assert grown.contains(point).all()
        for objective in ("instances", "volume"):
            best = best_region(rules, point, table, objective=objective) if _closed(table) else None
            if best is not None:
                assert best.region.contains(point).all()
                assert 0 <= best.score <= best.bound
                assert math.isfinite(best.bound)
        assert next(search(rules, order="random", random_state=0)).witness() is not None


def _closed(table):
    """Return whether no value is one that counts as an open side."""
    return all(abs(v) < MOST for name in "xy" for v in table.get(name, []))


def test_the_largest_region_is_found_between_huge_and_between_tiny_bounds():
    for bound in (1.7e308, 8 * LEAST):
        space = Space([Continuous("x", bounds=(-bound, bound)), Continuous("y", bounds=(0, 1))])
        # beside the rule a quarter of x is free, above it three quarters of y
        rules = RuleSet([Rule({"x": (-bound / 2, None), "y": (None, 0.25)}, then="A")], space)
        best = best_region(rules, {"x": -bound, "y": 0.5}, objective="volume")
        assert best.score == pytest.approx(0.75)
        assert repr(best.region) == "y >= 0.25"


# --- checking and mending


@given(rules=sets_of_rules(), data=st.data())
@example(rules=HUGE, data=None)
@example(rules=TINY, data=None)
def test_rules_are_repaired_and_completed(rules, data):
    known = [{}]
    if data is not None:
        table, labels = data.draw(tables(rules.space))
        known.append({"X": table, "y": labels})
    for rows in known:
        for how in ("drop", "trim", "split"):
            mended = repair(rules, how=how, **rows)
            assert mended.rules.is_consistent
            assert all("nan" not in change.text for change in mended.changes)
        done = complete(mended.rules, **rows)
        assert all(0 <= p.share <= 1 + 1e-12 for p in done.proposals)
        assert done.is_complete
        assert done.rules.is_consistent


def test_shares_of_huge_intervals_are_those_of_intervals_a_power_of_two_smaller():
    for scale in (2.0**-1000, 2.0**-500, 1.0):
        top = 2.0**1023 * scale
        space = Space([Continuous("x", bounds=(-top, top))])
        rules = RuleSet([Rule({"x": {"<": -top / 2}}, then="A")], space)
        assert [p.share for p in complete(rules).proposals] == [pytest.approx(0.75)]
        # the larger part of a rule is kept
        first = Rule({"x": {">=": -0.75 * top, "<": 0}}, then="A", weight=2)
        rules = RuleSet([first, Rule({}, then="B")], space)
        (change,) = repair(rules, how="trim").changes
        assert change.after[0].region == Region(space, {"x": {">=": 0}})
        assert "(50% of it)" in change.text


# --- showing and learning


@sts.examples(0.4)
@given(st.data())
def test_a_report_is_made(data):
    rules = data.draw(sets_of_rules())
    table, labels = data.draw(tables(rules.space))
    assert "<html" in report(rules, table, labels).html


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (-MOST, MOST),
        (-1.7e308, 1.7e308),
        (1e308, 1.7e308),
        (MOST, MOST),
        (1.0, math.nextafter(1, 2)),
        (-2.3e-308, 2.3e-308),
        (-LEAST, LEAST),
        (0.0, LEAST),
        (0.0, 4 * LEAST),
    ],
)
@pytest.mark.parametrize("missing", [False, True])
def test_plots_have_ticks_in_their_range(low, high, missing):
    plt = pytest.importorskip("matplotlib.pyplot")
    space = Space([Continuous("x", bounds=(low, high), missing=missing), Continuous("y")])
    middle = low / 2 + high / 2
    rules = RuleSet(
        [
            Rule({"x": {"<=": middle}, "y": {">=": low}}, then="A"),
            Rule({"y": {"<": high}}, then="B"),
        ],
        space,
    )
    drawn = plot.regions(rules, data={"x": [low, high], "y": [low, high]}, labels=["A", "B"])
    figure = getattr(drawn, "figure", drawn)
    figure.canvas.draw()
    for ax in figure.axes:
        assert np.isfinite([*ax.get_xlim(), *ax.get_ylim(), *ax.get_xticks()]).all()
    drawn = plot.rules(rules)
    getattr(drawn, "figure", drawn).canvas.draw()
    plt.close("all")


@pytest.mark.parametrize("scale", [1.7e308, 1e100, 1.0, 1e-300, 40 * LEAST])
def test_rules_are_learned_from_numbers_of_any_size(scale):
    X = np.linspace(-1, 1, 60)[:, None] * scale
    y = np.where(X[:, 0] < 0.3 * scale, "A", "B")
    model = RuleSetClassifier(random_state=0, generations=1, moves=500).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.rules_.is_consistent
