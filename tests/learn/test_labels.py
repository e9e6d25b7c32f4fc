"""Targets of several labels per row: what counts as one, and what is refused."""

from __future__ import annotations

import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from fitting import refused
from hypothesis import given
from hypothesis import strategies as st

from irenic.learn.labels import as_indicator, is_multilabel, label_set

FORMS = "a 0/1 array, sparse matrix or frame, or a list of sets of labels"
CELLS = [[1, 0, 1], [0, 0, 1]]
LABELS = st.one_of(st.integers(2, 6), st.sampled_from("abcd"), st.tuples(st.integers(0, 2)))
SETS = st.lists(st.sets(LABELS), min_size=1).filter(any)
ROWS = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


def same(y, rows, expected, **options):
    indicator, found = as_indicator(y, **options)
    assert indicator.dtype == np.bool_
    assert indicator.tolist() == [[bool(cell) for cell in row] for row in rows]
    assert found == tuple(expected)


# --- one label or several


@pytest.mark.parametrize(
    "y",
    [
        ["a", "b"],
        ("a", None),
        [1.5, 2.5],
        [],
        np.array([1, 2]),
        np.array(["a", None], dtype=object),
        np.array([["a"], ["b"]]),
        np.array([[1], [0]]),
        pd.Series(["a", "b"]),
        pd.Index(["a", "b"]),
        pd.Categorical(["a", "b"]),
        pd.DataFrame({"y": [1, 2]}),
        pl.Series([1, 2]),
        pa.chunked_array([["a", "b"]]),
        sp.csr_array(np.array([[1], [0]])),
        {"y": [1, 2]},
        ["a@b"],
    ],
)
def test_one_label_per_row(y):
    assert not is_multilabel(y)


@pytest.mark.parametrize(
    "y",
    [
        np.array(CELLS),
        sp.csr_matrix(CELLS),
        pd.DataFrame({"a": [1], "b": [0]}),
        pl.DataFrame({"a": [1], "b": [0]}),
        {"a": [1], "b": [0]},
        [{"a"}, {"b"}],
        [["a"], ["b"]],
        [("a", "b")],
        [frozenset()],
        ["a", {"b"}],
        np.array([{"a"}, {"b"}]),
        np.array([[{"a"}], [{"b"}]]),
        pd.Series([{"a"}, {"b"}]),
        pd.DataFrame({"y": [["a"], ["b", "a"]]}),
        pl.Series([["a"], ["b"]]),
        pa.chunked_array([[["a"], ["b"]]]),
    ],
)
def test_several_labels_per_row(y):
    assert is_multilabel(y)


def test_what_is_no_target_is_refused():
    for y, kind in [
        ("abc", "str"),
        (3, "int"),
        (None, "NoneType"),
        (iter(["a"]), "list_iterator"),
        ({"a"}, "set"),
        (pl.LazyFrame({"a": [1]}), "LazyFrame"),
    ]:
        for call in (is_multilabel, as_indicator):
            refused(f"y must be {FORMS}, got {kind}", call, y)
    for n in (0, 3):
        text = f"y must have 1 or 2 dimensions, got {n}; use {FORMS}"
        refused(text, is_multilabel, np.zeros((1,) * n))
    text = "a sparse y must have 2 dimensions, got 1"
    refused(text, is_multilabel, sp.coo_array(np.array([1, 0])))


# --- matrices


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float32, object])
def test_arrays(dtype):
    y = np.array(CELLS, dtype=dtype)
    same(y, CELLS, range(3))
    same(y, CELLS, "abc", labels=iter("abc"))
    as_indicator(y)[0][0, 1] = True  # a copy
    assert not y[0, 1]


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr"])
def test_sparse_matrices(form):
    same(sp.csr_array(np.array(CELLS)).asformat(form), CELLS, range(3))
    matrix = sp.csr_matrix(np.array(CELLS, dtype=bool)).asformat(form)
    same(matrix, CELLS, "abc", labels=list("abc"))
    doubled = sp.coo_array(([1, 0], ([0, 0], [1, 1])), shape=(1, 2))
    same(doubled, [[0, 1]], [0, 1])
    assert doubled.nnz == 2  # it is left as it is


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_frames(make):
    frame = make({"c": [1, 0], "a": [True, False], "b": [0.0, 1.0]})
    same(frame, [[1, 1, 0], [0, 0, 1]], "cab")
    same(frame, [[1, 0, 1], [0, 1, 0]], "abc", labels=["a", "b", "c"])


def test_names_of_columns_are_labels_as_they_are():
    same(pd.DataFrame({1: [0, 1], ("b", 2): [1, 1]}), [[0, 1], [1, 1]], [1, ("b", 2)])
    same(pd.DataFrame({"a": [1, 0]}), [[1], [0]], ["a"])
    same({"a": np.array([1, 0]), "b": (1, 1)}, [[1, 1], [0, 1]], "ab")
    same(pl.DataFrame({"a": [decimal.Decimal(1)], "b": [decimal.Decimal(0)]}), [[1, 0]], "ab")


@pytest.mark.parametrize(
    ("y", "column", "row", "value"),
    [
        (np.array([[1, 0], [0, 2]]), 1, 2, 2),
        (np.array([[1, -1], [0, 2]]), 1, 1, -1),
        (np.array([[0.5, 1]]), 0, 1, 0.5),
        (np.array([["0", "1"]]), 0, 1, "0"),
        (np.array([[1, {"a"}]], dtype=object), 1, 1, {"a"}),
        (sp.csr_array([[0, 0], [0, 3]]), 1, 2, 3),
        (pd.DataFrame({"a": [1, 0], "b": [0, 7]}), "b", 2, 7),
        (pl.DataFrame({"a": [1, 0], "b": ["x", "y"]}), "b", 1, "x"),
        ({"a": [(1, 2)], "b": [0]}, "a", 1, (1, 2)),
    ],
)
def test_cells_that_are_neither_0_nor_1_are_refused(y, column, row, value):
    text = (
        f"column {column!r} of y, row {row}: the value must be 0 or 1, got {value!r};"
        " use 1 if the row has the label"
    )
    refused(text, as_indicator, y)


@pytest.mark.parametrize(
    ("y", "column", "row"),
    [
        (np.array([[1, 0], [0, np.nan]]), 1, 2),
        (np.array([[1, None]]), 1, 1),
        (np.ma.array([[1, 0], [0, 1]], mask=[[0, 0], [1, 0]]), 0, 2),
        (sp.csr_array([[0, np.nan]]), 1, 1),
        (pd.DataFrame({"a": [1, 0], "b": [0, None]}), "b", 2),
        (pd.DataFrame({"a": pd.array([None, 1], dtype="Int64"), "b": [0, 1]}), "a", 1),
        (pl.DataFrame({"a": [1, None], "b": [0, 1]}), "a", 2),
        (pl.DataFrame({"a": [1.0, float("nan")], "b": [0, 1]}), "a", 2),
        (pa.table({"a": [True, None], "b": [0, 1]}), "a", 2),
        ({"a": [decimal.Decimal("sNaN")], "b": [0]}, "a", 1),
    ],
)
def test_cells_that_are_missing_are_refused(y, column, row):
    text = (
        f"column {column!r} of y, row {row}: the value must not be missing;"
        " use 0 if the row does not have the label"
    )
    refused(text, as_indicator, y)


# --- sets of labels


@pytest.mark.parametrize("kind", sorted(ROWS))
def test_rows_of_labels(kind):
    y = [ROWS[kind](row) for row in ("b", "ca", "")]
    for form in (list, tuple, pd.Series):
        same(form(y), [[0, 1, 0], [1, 0, 1], [0, 0, 0]], "abc")
    same(y, [[0, 0, 1, 0], [1, 0, 0, 1], [0, 0, 0, 0]], "cxba", labels=list("cxba"))


def test_rows_of_labels_in_arrays_and_frames():
    rows = [["b"], ["a", "b"]]
    objects = np.empty(2, dtype=object)
    objects[:] = rows
    frames = pl.Series(rows), pl.DataFrame({"y": rows}), pa.chunked_array([rows]), {"y": rows}
    for y in (objects, objects.reshape(2, 1), *frames, [np.array(row) for row in rows]):
        same(y, [[0, 1], [1, 1]], "ab")


def test_labels_are_plain_values_that_are_never_split():
    same([{"a@b"}, {"a"}], [[0, 1], [1, 0]], ["a", "a@b"])
    _, labels = as_indicator([np.array([3, 5]), {np.int64(4)}])
    assert labels == (3, 4, 5)
    assert {type(label) for label in labels} == {int}


def test_labels_that_cannot_be_sorted_come_as_they_appear():
    same([["b", 2], ["a", 1]], [[1, 1, 0, 0], [0, 0, 1, 1]], ["b", 2, "a", 1])
    # the order in a set would differ from run to run
    same([{"b", "a", 2, 1}], [[1, 1, 1, 1]], [1, 2, "a", "b"])
    # these compare without an error, as parts of each other
    many = [frozenset("b"), frozenset("a"), frozenset("ab")]
    same([[label] for label in many], np.eye(3), many)


PETS = pd.DataFrame({"cat": [1], "dog": [0]})
NESTED = [[[0, 1], [1, 0]], [[1], [0]], [(True, False)], [np.array([0, 1.0])]]
REFUSED = [
    ("labels must have one entry per column of y: 3, got 2", np.array(CELLS), ["a", "b"]),
    ("labels must have one entry per column of y: 3, got 2", sp.csr_array(CELLS), ["a", "b"]),
    ("column 'dog' of y: unknown label; did you mean 'dogs'?", PETS, ["cat", "dogs"]),
    (
        "y must have a column for the label 'dogs'; did you mean 'dog'?",
        PETS,
        ["cat", "dog", "dogs"],
    ),
    (
        "the columns of y must not repeat a label, got 'a' twice; rename one",
        pd.DataFrame([[1, 0]], columns=["a", "a"]),
    ),
    ("the columns of y must have the same length, got [1, 2]", {"a": [1], "b": [0, 1]}),
    ("column 'a' of y must be a list of values, got 'xy'", {"a": "xy"}),
    *(
        ("y must have at least one row, got none", y)
        for y in ([], np.zeros((0, 2)), np.array([]), pl.DataFrame({"a": [], "b": []}), {})
    ),
    ("y must have at least one row, got none", pd.Series([])),
    *(
        ("y must have at least one label, got none", y)
        for y in (np.zeros((2, 0)), [set(), set()], [[], []])
    ),
    ("row 2 of y: unknown label 'dgo'; did you mean 'dog'?", [{"cat"}, {"dgo"}], ["cat", "dog"]),
    ("row 1 of y: unknown label 7 (known: 'cat', 'dog')", [{7}], ["cat", "dog"]),
    (
        "y must hold sets of labels, got single labels such as 'a'; use [{label} for label in y]",
        np.array(["a", "b"]),
    ),
    (
        "y must hold sets of labels, got single labels such as 'a@b';"
        " use [text.split('@') for text in y]",
        ["a@b", "c"],
    ),
    *(
        (
            "y may be an indicator or sets of the labels 0 and 1; use np.array(y) for an"
            " indicator, [set(row) for row in y] for sets",
            y,
        )
        for y in NESTED
    ),
    (
        "row 2 of y must not repeat a label, got 0 twice; pass an indicator as an array:"
        " np.array(y)",
        [[0, 1], [0, 0, 1]],
    ),
    (
        "row 2 of y must be a set of labels, got 'b'; use a set for one label, too",
        [{"a"}, "b"],
    ),
    (
        "row 2 of y must be a set of labels, got {'b': 1}; use a set for one label, too",
        [{"a"}, {"b": 1}],
    ),
    (
        "row 1 of y: the label must be hashable, got ['b', 'c']; use text, a number or a tuple",
        [["a", ["b", "c"]]],
    ),
    ("labels must be a list of labels, got 'ab'", [{"a"}], "ab"),
    ("labels must be a list of labels, got 5", [{"a"}], 5),
    (
        "labels must be a list, got a set, which has no order; use sorted(labels)",
        [{"a"}],
        {"a", "b"},
    ),
    ("labels must not repeat a label, got 'a' twice", [{"a"}], ["a", "b", "a"]),
    ("labels: the label must not be missing, got None; drop it", [{"a"}], ["a", None]),
]


@pytest.mark.parametrize(("text", "y", "labels"), [(*case, None)[:3] for case in REFUSED])
def test_targets_and_labels_that_cannot_be_are_refused(text, y, labels):
    refused(text, as_indicator, y, labels=labels)


def test_what_an_error_about_nested_lists_suggests_works():
    for y in NESTED:
        as_indicator(np.array(y))
        as_indicator([set(row) for row in y])


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_missing_rows_and_labels_are_refused(missing):
    text = f"row 2 of y must not be missing, got {missing!r}; use an empty set for no label"
    refused(text, as_indicator, [{"a"}, missing])
    text = f"row 2 of y: the label must not be missing, got {missing!r}; drop it"
    refused(text, as_indicator, [{"a"}, {"b", missing}])


# --- back to sets


def test_a_row_as_a_set():
    assert label_set(np.array([True, False, True]), ["a", "b", "c"]) == {"a", "c"}
    assert label_set([0, 0, 1], ("a", "b", "c")) == frozenset("c")
    assert isinstance(label_set(np.array([False]), ["a"]), frozenset)
    text = "the row must have one cell for each of the 2 labels, got shape (3,)"
    refused(text, label_set, np.array([1, 0, 1]), ["a", "b"])
    text = (
        "column 'b' of y, row 1: the value must be 0 or 1, got 0.5; use 1 if the row has the label"
    )
    refused(text, label_set, [1, 0.5], ["a", "b"])


@given(SETS, st.sampled_from(sorted(ROWS)))
def test_sets_and_indicators_come_back_in_every_form(sets, kind):
    indicator, labels = as_indicator([ROWS[kind](row) for row in sets])
    assert set(labels) == set().union(*sets)
    assert [label_set(row, labels) for row in indicator] == sets
    frame = dict(zip(labels, indicator.T.tolist(), strict=True))
    for y in (sets, indicator, indicator.astype(float), sp.csr_array(indicator), frame):
        again, found = as_indicator(y, labels=labels)
        assert found == labels
        assert (again == indicator).all()
