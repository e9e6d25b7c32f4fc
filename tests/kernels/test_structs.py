"""Arrays as kernels take them."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from irenic.kernels import cover, structs

pytestmark = pytest.mark.kernels


def points(n=3):
    return structs.Points(np.arange(2.0 * n).reshape(2, n), np.zeros((0, n), dtype=np.int32))


def pointed_to(struct):
    """Return the numbers that a kernel sees."""
    struct._as_parameter_  # noqa: B018
    made = struct._struct
    return [getattr(made, name) for name, *_ in made._fields_]


def test_arrays_are_passed_with_their_addresses_and_shapes():
    given = points()
    assert pointed_to(given)[:3] == [given.values.ctypes.data, 2, 3]
    assert pointed_to(given)[4:] == [0, 3]
    counts = np.zeros(4, dtype=np.int64)  # a vector has one column
    assert pointed_to(structs.Pool(counts, counts, counts))[:3] == [counts.ctypes.data, 4, 1]
    given = points()
    given.values.flags.writeable = False
    assert pointed_to(given)[0] == given.values.ctypes.data


def test_arrays_of_another_type_or_layout_are_refused():
    layouts = np.zeros((2, 6))[:, ::2], np.zeros((3, 2)).T
    for values in (np.zeros((2, 3), dtype=np.float32), *layouts):
        with pytest.raises(TypeError, match="contiguous array of float64"):
            pointed_to(structs.Points(values, np.zeros((0, 3), dtype=np.int32)))
    counts = np.zeros(4, dtype=np.int64)
    pool = structs.Pool(counts, counts, counts)
    with pytest.raises(Exception, match="contiguous array of bool"):
        cover.update_pool(np.ones(4, dtype=np.int64), 1, pool, 4)


@pytest.mark.parametrize("passed", [False, True])
def test_a_struct_with_another_number_leaves_the_first_as_it_is(passed):
    outside = np.zeros((1, 2), dtype=np.uint8)
    first = structs.Seed(np.zeros(1), np.zeros(0, dtype=np.int32), 3, outside)
    before = pointed_to(first) if passed else None
    other = first.changed(then=7)
    assert (first.then, other.then) == (3, 7)
    assert other.outside is first.outside
    assert pointed_to(first) == (before or pointed_to(first))
    changed = [(a, b) for a, b in zip(pointed_to(first), pointed_to(other), strict=True) if a != b]
    assert changed == [(3, 7)]


def test_a_copy_points_to_its_own_arrays():
    given = points()
    before = pointed_to(given)
    for other in (copy.deepcopy(given), pickle.loads(pickle.dumps(given))):
        assert np.array_equal(other.values, given.values)
        assert pointed_to(other)[0] == other.values.ctypes.data != before[0]


@pytest.mark.parametrize(("features", "words"), [(2, 3), (2, 0), (0, 3), (0, 0)])
def test_cells_hold_a_box_in_one_piece(features, words):
    lower, upper = np.arange(1.0 * features)[None], np.arange(2.0, 2 + features)[None]
    masks = np.arange(10, 10 + words, dtype=np.uint64)[None]
    cells = structs.Cells(features, words, structs.Cells.pack(lower, upper, masks))
    for given, got in ((lower, cells.lower), (upper, cells.upper), (masks, cells.masks)):
        assert np.array_equal(given, got)
        assert given.dtype == got.dtype
        assert got.flags.c_contiguous
    whole = structs.Cells.pack(cells.lower.astype(int), cells.upper, cells.masks)
    assert whole == structs.Cells.pack(lower, upper, masks)
