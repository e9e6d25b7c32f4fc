"""Arrays as kernels take them."""

from __future__ import annotations

import copy
import ctypes
import pickle
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from irenic.kernels import _library as library
from irenic.kernels import cover, decide, evolve, forest, structs

pytestmark = pytest.mark.kernels


SOURCES = [*Path(structs.__file__).parent.joinpath("c").glob("*.[ch]")]
TYPES = {"int": "int64_t", "float": "double", "Bools": "Bytes"}
NUMBERS = {ctypes.c_int64: "int64_t", ctypes.c_uint64: "uint64_t", ctypes.c_double: "double"}


def points(n=3):
    return structs.Points(np.arange(2.0 * n).reshape(2, n), np.zeros((0, n), dtype=np.int32))


def pointed_to(struct):
    """Return the numbers that a kernel sees."""
    struct._as_parameter_  # noqa: B018
    made = struct._struct
    return [getattr(made, name) for name, *_ in made._fields_]


def declared():
    """Return the type and name of each field of all structs in C, by the name of the struct."""
    text = re.sub(r"/\*.*?\*/", "", "".join(map(Path.read_text, SOURCES)), flags=re.DOTALL)
    bodies = re.findall(r"typedef struct \{([^}]*)\} (\w+);", text)
    return {name: re.findall(r"(\w+) \*?(\w+);", body) for body, name in bodies}


def fields_of(struct):
    """Return the type in C and the name of each field of a struct in Python."""
    if issubclass(struct, library.Scalars):
        return [(NUMBERS[kind], name) for name, kind in struct._fields_]
    fields = struct.__dataclass_fields__.items()
    return [(TYPES.get(field.type, field.type), name) for name, field in fields]


STRUCTS = [
    kind
    for module in (structs, decide, evolve, forest)
    for kind in vars(module).values()
    if isinstance(kind, type)
    if issubclass(kind, library.Struct | library.Scalars) and kind.__module__ == module.__name__
]


@pytest.mark.parametrize("struct", STRUCTS)
def test_structs_have_the_same_fields_in_c(struct):
    # all are eight bytes wide or arrays, so that equal fields have equal offsets
    assert fields_of(struct) == declared()[struct.__name__]


@dataclass(eq=False)
class Around(library.Struct):
    """A struct with another one."""

    points: structs.Points
    n: int


def test_structs_are_passed_as_pointers_that_stay():
    inner = points()
    around = Around(inner, 3)
    at, n = pointed_to(around)
    assert (at, n) == (ctypes.addressof(inner._struct), 3)
    inner._pass_as(inner._layout()[0]())  # as another thread may that passes it too
    assert ctypes.addressof(around._held[0]._obj) == at != ctypes.addressof(inner._struct)


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
def test_a_box_is_in_one_piece(features, words):
    lower, upper = np.arange(1.0 * features)[None], np.arange(2.0, 2 + features)[None]
    masks = np.arange(10, 10 + words, dtype=np.uint64)[None]
    box = structs.Box(features, words, structs.Box.pack(lower, upper, masks))
    for given, got in ((lower, box.lower), (upper, box.upper), (masks, box.masks)):
        assert np.array_equal(given, got)
        assert given.dtype == got.dtype
        assert got.flags.c_contiguous
    whole = structs.Box.pack(box.lower.astype(int), box.upper, box.masks)
    assert whole == structs.Box.pack(lower, upper, masks)
