"""The largest free box inside another, against all boxes of the grid."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from irenic import Categorical, Continuous, Region, Space
from irenic.boxes import Boxes
from irenic.budget import Meter
from irenic.mend import _trim as trimming
from irenic.mend._measure import Share
from irenic.mend._trim import largest_free

SPACE = Space([Continuous("x", missing=True), Continuous("n", kind="integer"),
               Categorical("c", ["u", "v", "w"])])  # fmt: skip


@st.composite
def regions(draw):
    cuts = [None, 0, 2, 3, 5]
    conditions = {}
    for name in ("x", "n"):
        low, high = draw(st.sampled_from(cuts)), draw(st.sampled_from(cuts))
        if low is None or high is None or low < high:
            test = {}
            test |= {} if low is None else {">=": low}
            test |= {} if high is None else {"<": high}
            if name == "x" and low is None and draw(st.booleans()):
                test["missing"] = True
            if test:
                conditions[name] = test
    values = draw(st.sets(st.sampled_from("uvw"), min_size=1))
    return Region(SPACE, conditions | {"c": values})


def every_box(box, rivals):
    """Return all boxes with bounds of the grid inside a box."""
    axes = []
    for axis in range(2):
        cuts = {box.lower[0, axis], box.upper[0, axis]}
        inner = np.concatenate([rivals.lower[:, axis], rivals.upper[:, axis]])
        cuts |= {c for c in inner if box.lower[0, axis] < c < box.upper[0, axis]}
        axes.append(list(combinations(sorted(cuts), 2)))
    bits = [m for m in range(1, 32) if m & int(box.masks[0, 0]) == m]
    result = list(product(axes[0], axes[1], bits))
    low = np.array([[a[0], b[0]] for a, b, _ in result])
    high = np.array([[a[1], b[1]] for a, b, _ in result])
    return Boxes(SPACE, low, high, np.array([[m] for *_, m in result], dtype=np.uint64))


@given(regions(), st.lists(regions(), min_size=1, max_size=4))
def test_no_free_box_is_larger(region, rivals):
    box = region.box.simplified()
    against = Boxes.none(SPACE).concat(*(r.box.simplified() for r in rivals))
    share = Share(box, box.concat(against))

    def scores(boxes):
        return [(size,) for size in share.of(boxes).tolist()]

    result = largest_free(box, against, scores, Meter(None))
    assert result.proved
    every = every_box(box, against)
    free = [row for row in range(len(every)) if not against.meeting(every.take([row])).any()]
    assert bool(free) is bool(len(result.box))
    if free:
        assert not against.meeting(result.box).any()
        assert share.of(result.box)[0] >= share.of(every.take(free)).max() - 1e-12


@given(regions(), st.lists(regions(), min_size=1, max_size=4))
def test_without_time_a_free_box_is_still_found(region, rivals):
    box = region.box.simplified()
    against = Boxes.none(SPACE).concat(*(r.box.simplified() for r in rivals))
    share = Share(box, box.concat(against))
    meter = Meter(0)
    result = largest_free(box, against, lambda b: [(s,) for s in share.of(b).tolist()], meter)
    assert meter.stopped_by is None
    if len(result.box):
        assert Region.from_box(result.box) <= region
        assert not against.meeting(result.box).any()
        assert result.proved is not against.meeting(box).any()


def test_a_node_limit_gives_a_free_box_without_a_proof(monkeypatch):
    monkeypatch.setattr(trimming, "_NODE_LIMIT", 1)
    space = Space([Continuous("x"), Continuous("y")])
    box = Region(space, {"x": (0, 10), "y": (0, 10)}).box.simplified()
    rivals = Region(space, {"x": (2, 3), "y": (2, 3)}).box
    rivals = rivals.concat(Region(space, {"x": (7, 8), "y": (7, 8)}).box)
    share = Share(box, rivals)
    result = largest_free(box, rivals, lambda b: [(s,) for s in share.of(b).tolist()], Meter(None))
    assert not result.proved
    assert not rivals.meeting(result.box).any()


@given(regions())
def test_shares_are_between_0_and_1(region):
    box = region.box.simplified()
    share = Share(box, box)
    assert share.of(box).tolist() == [1.0]
    parts = trimming.beside(box, Region(SPACE, {"x": (2, 3), "c": "u"}).box.simplified())
    for row in range(len(parts)):
        assert 0 < share.of(parts.take([row]))[0] <= 1


def test_a_share_with_bounded_sides_is_a_share_of_the_volume():
    space = Space([Continuous("x", bounds=(0, 10)), Categorical("c", ["a", "b", "c", "d"])])
    part = Region(space, {"x": (2, 5), "c": {"a"}})
    outer = Region(space).box.simplified()
    size = Share(outer, outer).of(part.box.simplified())[0]
    assert abs(size - 0.3 / 4) < 1e-9
