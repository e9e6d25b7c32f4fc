from __future__ import annotations

import datetime as dt
import decimal
import math
import pickle
import zoneinfo
from collections import namedtuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as sts
from irenic import (
    MISSING,
    OTHER,
    Categorical,
    ConditionError,
    Continuous,
    DataError,
    Region,
    Space,
    SpaceError,
)
from irenic.model import Instances
from irenic.model.literals import Months
from irenic.model.records import Records
from irenic.model.space import from_words, to_words
from refusals import refuses, rejects

COLORS = Categorical("color", ["yellow", "blue"])
ZONE = zoneinfo.ZoneInfo("Europe/Vienna")


# --- the space as a value


def test_a_space_is_an_ordered_collection_of_features():
    space = Space([Continuous("f1"), COLORS, Continuous("f2")])
    assert space.names == ("f1", "color", "f2")
    assert len(space) == 3
    assert list(space) == [Continuous("f1"), COLORS, Continuous("f2")]
    assert space["color"] is COLORS
    assert "f2" in space
    assert "f3" not in space
    assert [space.row(n) for n in space.names] == [0, 0, 1]
    assert repr(space) == (
        "Space([Continuous('f1'), Categorical('color', ['yellow', 'blue']), Continuous('f2')])"
    )
    a, b = (Space([Continuous("f1"), COLORS]) for _ in range(2))
    assert a == b
    assert hash(a) == hash(b)
    assert a != Space([COLORS, Continuous("f1")])
    assert pickle.loads(pickle.dumps(a)) == a


def test_invalid_spaces_and_unknown_features_are_rejected():
    text = "two features are named 'f1'; names must be unique"
    rejects(SpaceError, text, Space, [Continuous("f1"), COLORS, Continuous("f1")])
    text = "features must be Continuous(name) or Categorical(name, values), got 'f1'"
    rejects(SpaceError, text, Space, ["f1"])
    space = Space([Continuous("age"), COLORS])
    rejects(ConditionError, "unknown feature 'agee'; did you mean 'age'?", space.index, "agee")
    rejects(ConditionError, "unknown feature 7 (known: 'age', 'color')", space.index, 7)
    rejects(ConditionError, "unknown feature ['age']; did you mean 'age'?", space.index, ["age"])


@given(st.integers(0, 2**200 - 1))
def test_words_contain_all_bits(bits):
    words = to_words(bits, 4)
    assert words == [bits >> 64 * place & 2**64 - 1 for place in range(4)]
    assert from_words(words) == bits
    assert to_words(bits, 1) == words[:1]


# --- the same table in every library

TABLE = {
    "number": [1.5, -2.0, 3.25],
    "integer": [3, 1, 2],
    "flag": [True, False, True],
    "text": ["b", "a", "b"],
    "date": [dt.date(2026, 1, 31), dt.date(1969, 12, 31), dt.date(2000, 2, 29)],
    "moment": [
        dt.datetime(2026, 1, 31, 12, 30, 1, 5),
        *(dt.datetime(y, 1, 1) for y in (1969, 2000)),
    ],
    "zoned": [dt.datetime(2026, m, 1, 12, tzinfo=dt.UTC) for m in (1, 7, 12)],
    "span": [dt.timedelta(days=1, microseconds=5), dt.timedelta(), -dt.timedelta(hours=1)],
    "clock": [dt.time(12, 30), dt.time(0), dt.time(23, 59, 59, 999_999)],
    "exact": [decimal.Decimal("0.1"), decimal.Decimal("2.50"), decimal.Decimal("-3")],
}
KINDS = {"moment": "datetime", "zoned": "datetime", "span": "duration", "clock": "time"}
KINDS |= {"number": "number", "exact": "number", "integer": "integer", "date": "date"}


def points(table):
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


MAKERS = {
    "mapping": dict,
    "points": points,
    "pandas": pd.DataFrame,
    "pandas nullable": lambda t: pd.DataFrame(t).convert_dtypes(),
    "pandas arrow": lambda t: pa.table(t).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("missing", [False, True])
def test_the_same_table_is_inferred_and_encoded_the_same_through_each_library(maker, missing):
    table = {name: [*column, *[None] * missing] for name, column in TABLE.items()}
    words = {
        "flag": Categorical("flag", [False, True], missing=missing),
        "text": Categorical("text", ["a", "b"], missing=missing, other=True),
    }
    expected_space = Space(
        words.get(name)
        or Continuous(name, kind=KINDS[name], missing=missing, unit="UTC" * (name == "zoned"))
        for name in TABLE
    )
    made = MAKERS[maker](table)
    if missing and maker == "pandas":
        # numpy has no missing integers, so pandas converts them to floats
        made = made.astype({"integer": "Int64"})
    if maker in ("pandas", "pandas nullable"):
        # pandas keeps dates, times and decimals as objects of different types
        assert made["date"].dtype == object
    assert Space.infer(made) == expected_space
    instances = expected_space.encode(made)
    for rows, features in (
        (instances.values, expected_space.continuous),
        (instances.codes, expected_space.categorical),
    ):
        expected = [[f.encode_value(v) for v in table[f.name]] for f in features]
        np.testing.assert_array_equal(rows, expected)
    assert len(instances) == 3 + missing


def test_every_library_converts_time_zones_to_utc():
    moments = [dt.datetime(2026, 7, 1, 12, tzinfo=ZONE), dt.datetime(2026, 1, 1, tzinfo=ZONE)]
    expected = [[dt.datetime(2026, 7, 1, 10), dt.datetime(2025, 12, 31, 23)]]
    frames = [
        {"t": moments},
        pd.DataFrame({"t": pd.Series(moments)}),
        pl.DataFrame({"t": pl.Series(moments, dtype=pl.Datetime("us", "Europe/Vienna"))}),
        pa.table({"t": pa.array(moments, pa.timestamp("ns", "Europe/Vienna"))}),
    ]
    for frame in frames:
        space = Space.infer(frame)
        assert space["t"].unit == "UTC"
        assert [[p["t"] for p in space.encode(frame)]] == expected
    space = Space([Continuous("t", kind="datetime")])
    moments = [dt.datetime(2026, 7, 1, 12, tzinfo=dt.UTC)]
    text = (
        "column 't' has the time zone UTC; declare the feature with unit='UTC', or remove the"
        " time zone"
    )
    rejects(DataError, text, space.encode, pl.DataFrame({"t": moments}))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_the_resolution_of_times_makes_no_difference(unit):
    moments = np.array(["2026-01-31T12:30:01", "1969-12-31T23:59:59", "NaT"], dtype=f"M8[{unit}]")
    spans = moments - np.datetime64("2026-01-01", unit)
    wanted = [dt.datetime(2026, 1, 31, 12, 30, 1), dt.datetime(1969, 12, 31, 23, 59, 59), None]
    kinds = [Continuous(name, kind=kind, missing=True) for name, kind in
             (("t", "datetime"), ("d", "duration"), ("c", "time"))]  # fmt: skip
    for table in (
        {"t": moments, "d": spans},
        pd.DataFrame({"t": moments, "d": spans}),
        pa.table({"t": pa.array(moments), "d": pa.array(spans)}),
    ):
        space = Space.infer(table)
        assert space == Space(kinds[:2])
        assert [p["t"] for p in space.encode(table)] == wanted
        assert [p["d"] for p in space.encode(table)][2] is None
    kind = pa.time32(unit) if unit in ("s", "ms") else pa.time64(unit)
    table = pa.table({"c": pa.array([dt.time(12, 30, 1), None], kind)})
    space = Space.infer(table)
    assert space == Space(kinds[2:])
    assert [p["c"] for p in space.encode(table)] == [dt.time(12, 30, 1), None]


@pytest.mark.parametrize(
    ("array", "feature"),
    [
        (np.array([[1.0], [2.0]]), Continuous("x0")),
        (np.array([[1.0], [np.nan]]), Continuous("x0", missing=True)),
        (np.array([[1], [2]]), Continuous("x0", kind="integer")),
        (np.array([[1], [2]], dtype=np.uint8), Continuous("x0", kind="integer")),
        (np.array([[True], [False]]), Categorical("x0", [False, True])),
        (np.array([["b"], ["a"]]), Categorical("x0", ["a", "b"], other=True)),
        (np.array([["b"], [None]], object), Categorical("x0", ["b"], missing=True, other=True)),
        (np.array([[1], [None]], dtype=object), Continuous("x0", kind="integer", missing=True)),
        (np.array([["2026-01-31"]], dtype="M8[D]"), Continuous("x0", kind="date")),
        (np.array([["2026-01-31"]], dtype="M8[s]"), Continuous("x0", kind="datetime")),
        (np.array([[5]], dtype="m8[s]"), Continuous("x0", kind="duration")),
        (np.ma.masked_array([[1.0], [2.0]], [[0], [1]]), Continuous("x0", missing=True)),
    ],
)
def test_the_kind_is_inferred_from_the_dtype_of_an_array(array, feature):
    space = Space.infer(array)
    assert space == Space([feature])
    assert len(space.encode(array)) == len(array)


def test_mixed_objects_are_inferred_by_all_of_their_types():
    def kind(values):
        return Space.infer({"a": values})["a"]

    assert kind([1, 2.5]) == Continuous("a")
    assert kind([1, 1.0, True]) == Categorical("a", [1], other=True)
    assert kind([True, None]) == Categorical("a", [False, True], missing=True)
    assert kind([dt.date(2026, 1, 1), dt.datetime(2026, 1, 1, 5)]) == Continuous(
        "a", kind="datetime"
    )
    assert kind(["b", 1, "a"]) == Categorical("a", ["b", 1, "a"], other=True)
    assert kind([(1, 2), (0, 1)]) == Categorical("a", [(0, 1), (1, 2)], other=True)
    assert kind([np.float64(1.5), np.int64(2)]) == Continuous("a")
    assert kind([]) == Categorical("a", [], other=True)
    assert kind([None, math.nan]) == Categorical("a", [], missing=True, other=True)
    rejects(SpaceError, "column 'a': its values are not hashable", kind, [[1], [2]])


def test_a_column_with_only_missing_values_allows_any_value():
    column = {"a": [None, None]}
    for table in (pl.DataFrame(column), pa.table(column), pd.DataFrame(column, dtype=object)):
        space = Space.infer(table)
        assert space == Space([Categorical("a", [], missing=True, other=True)])
        assert space.encode(table).codes.tolist() == [[0, 0]]
        number = Space([Continuous("a", missing=True)])
        assert number.encode(table).values.tolist() == [[-math.inf] * 2]


def test_categories_keep_the_values_that_occur_and_enums_all_values():
    words, order = ["x", None], ["z", "x", "y"]
    occurring = Categorical("a", ["x"], missing=True, other=True)
    for table, feature in (
        (pd.DataFrame({"a": pd.Categorical(words, categories=order)}), occurring),
        (pl.DataFrame({"a": pl.Series(words, dtype=pl.Categorical)}), occurring),
        (pa.table({"a": pa.array(words).dictionary_encode()}), occurring),
        (
            pl.DataFrame({"a": pl.Series(words, dtype=pl.Enum(order))}),
            Categorical("a", order, missing=True),
        ),
    ):
        space = Space.infer(table)
        assert space == Space([feature])
        assert [p["a"] for p in space.encode(table)] == words
    numbers = pd.DataFrame({"a": pd.Categorical([3, 1, 3])})
    space = Space.infer(numbers)
    assert space == Space([Categorical("a", [1, 3], other=True)])
    assert space.encode(numbers).codes.tolist() == [[3, 2, 3]]


def test_columns_of_unsupported_types_are_rejected():
    text = (
        "column 'a': cannot infer a feature from List(Int64) values; convert the column to numbers,"
        " text, booleans, dates or times"
    )
    rejects(SpaceError, text, Space.infer, pl.DataFrame({"a": [[1], [2]]}))
    text = "column 'x0': cannot infer a feature from complex128 values"
    rejects(SpaceError, text, Space.infer, np.array([[1j]]))
    text = "column 'x0': cannot infer a feature from complex values"
    for table in ([(1j, 1)], np.array([[1j, 1]], dtype=object), {"x0": [1j, 2]}):
        rejects(SpaceError, text, Space.infer, table)
    text = "the table has two columns named 'a'"
    twice = ["a", "a"]
    rejects(DataError, text, Space.infer, pa.table([[1], [2]], names=twice))
    rejects(DataError, text, Space.infer, pd.DataFrame([[1, 2]], columns=twice))
    assert Space.infer(np.eye(2), names=["a", "b"]).names == ("a", "b")
    text = "names must have one name per column, got 1 for 2"
    rejects(SpaceError, text, Space.infer, np.eye(2), names=["a"])


MISSING_NUMBERS = [
    {"a": [1.0, None]},
    {"a": [1.0, math.nan]},
    {"a": [1, pd.NA]},
    {"a": [1, pd.NaT]},
    {"a": [decimal.Decimal(1), decimal.Decimal("NaN")]},
    {"a": np.array([1.0, np.nan])},
    {"a": np.array([1.0, np.nan], dtype=np.float32)},
    {"a": np.ma.masked_array([1, 7], [False, True])},
    pd.DataFrame({"a": [1.0, np.nan]}),
    pd.DataFrame({"a": pd.array([1, pd.NA], dtype="Int64")}),
    pd.DataFrame({"a": pd.array([1.0, pd.NA], dtype="Float64")}),
    pd.DataFrame({"a": pd.array([1.0, None], dtype="double[pyarrow]")}),
    pl.DataFrame({"a": [1.0, None]}),
    pl.DataFrame({"a": [1.0, math.nan]}),
    pl.DataFrame({"a": pl.Series([1, None], dtype=pl.UInt8)}),
    pa.table({"a": [1.0, None]}),
    pa.table({"a": [1.0, math.nan]}),
    pa.table({"a": pa.array([decimal.Decimal(1), None])}),
]
MISSING_CATEGORIES = [
    {"a": ["x", None]},
    {"a": ["x", math.nan]},
    {"a": ["x", pd.NA]},
    {"a": np.array(["x", np.nan], dtype=object)},
    {"a": ["x", MISSING]},
    pd.DataFrame({"a": ["x", None]}),
    pd.DataFrame({"a": pd.array(["x", pd.NA], dtype="string")}),
    pd.DataFrame({"a": pd.Series(["x", np.nan], dtype=object)}),
    pl.DataFrame({"a": ["x", None]}),
    pa.table({"a": ["x", None]}),
]


def test_a_missing_number_is_minus_infinity_and_a_missing_category_is_code_0():
    for table in MISSING_NUMBERS:
        space = Space([Continuous("a", missing=True)])
        assert space.encode(table).values.tolist() == [[1.0, -math.inf]], table
        if not isinstance(table, dict):
            space = Space.infer(table)
            assert space["a"].missing, table
            assert space.encode(table).values.tolist() == [[1.0, -math.inf]], table
    for table in MISSING_CATEGORIES:
        space = Space([Categorical("a", ["x"], missing=True)])
        assert space.encode(table).codes.tolist() == [[2, 0]], table


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_undeclared_values_are_other_or_rejected(frame):
    text = (
        "column 'a', row 2: the value is missing, but the feature does not allow missing values;"
        " declare it with missing=True"
    )
    rejects(DataError, text, Space([Continuous("a")]).encode, frame({"a": [1.0, None]}))
    rejects(DataError, text, Space([Categorical("a", ["x"])]).encode, frame({"a": ["x", None]}))
    table = frame({"color": ["blue", "red"]})
    assert Space([Categorical("color", ["blue"], other=True)]).encode(table).codes.tolist() == [
        [2, 1]
    ]
    text = (
        "column 'color', row 2: 'red' is not among the values of the feature (yellow, blue);"
        " declare it with other=True to allow others"
    )
    rejects(DataError, text, Space([COLORS]).encode, table)


def test_any_hashable_value_can_be_a_category():
    space = Space([Categorical("a", [False, True])])
    assert space.encode({"a": np.array([0, 1])}).codes.tolist() == [[2, 3]]
    assert space.encode({"a": np.array([True])}).codes.tolist() == [[3]]
    values = [(1, "a"), dt.date(2026, 1, 1), dt.datetime(2026, 1, 1), 2.5, frozenset({1})]
    space = Space([Categorical("a", values)])
    assert space.encode({"a": values}).codes.tolist() == [[2, 3, 4, 5, 6]]
    assert space.encode([{"a": v} for v in values]).codes.tolist() == [[2, 3, 4, 5, 6]]
    assert space.encode([[v] for v in values]).codes.tolist() == [[2, 3, 4, 5, 6]]
    moments = np.array(["2026-01-01"], dtype="M8[ns]")
    assert space.encode({"a": moments}).codes.tolist() == [[4]]
    text = "column 'a', row 2: [1] is not hashable"
    rejects(DataError, text, space.encode, {"a": [2.5, [1]]})
    space = Space([Categorical("a", ["x"], other=True)])
    assert space.encode([{"a": OTHER}, {"a": "x"}]).codes.tolist() == [[1, 2]]
    assert space.encode([{"a": OTHER}])[0] == {"a": "other"}


# --- invalid values

_INFINITE = "is infinite; use a finite number, or leave the cell empty if it is missing"
_BEYOND = (
    "is beyond 2**53, where float64 cannot represent every integer; use a categorical feature, or"
    " subtract an offset"
)
BIG = 2**53 + 1


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame, pa.table, points])
def test_an_invalid_number_is_reported_with_its_column_row_and_value(frame):
    outside = "is outside the feature's bounds (0, 5)"
    fraction = "is not a whole number; declare the feature with kind='number' to allow fractions"
    for column, kind, text in (
        ([1.0, math.inf], "number", f"inf {_INFINITE}"),
        ([1.0, -math.inf], "number", f"-inf {_INFINITE}"),
        ([1, BIG], "number", f"{BIG} {_BEYOND}"),
        ([1, -BIG], "integer", f"{-BIG} {_BEYOND}"),
        ([1.0, 2.5], "integer", f"2.5 {fraction}"),
        ([1.0, 7.0], "number", f"7 {outside}"),
        ([1.0, math.nextafter(5.0, 6.0)], "number", f"5.000000000000001 {outside}"),
        ([1, -1], "integer", f"-1 {outside}"),
    ):
        space = Space([Continuous("a", kind=kind, bounds=(0, 5))])
        rejects(DataError, f"column 'a', row 2: {text}", space.encode, frame({"a": column}))


def test_a_date_outside_the_bounds_is_shown_as_a_date():
    space = Space([Continuous("born", kind="date", bounds=("1900-01-01", None))])
    text = "column 'born', row 1: 1899-12-31 is outside the feature's bounds (1900-01-01, none)"
    for frame in (dict, pl.DataFrame, pa.table):
        rejects(DataError, text, space.encode, frame({"born": [dt.date(1899, 12, 31)]}))


@pytest.mark.parametrize(
    ("table", "kind", "text"),
    [
        ({"a": ["x"]}, "number", "column 'a', row 1: 'x' is not a number"),
        ({"a": [1, True]}, "number", "column 'a', row 2: True is not a number"),
        (pl.DataFrame({"a": ["x"]}), "number", "column 'a', row 1: 'x' is not a number"),
        (pl.DataFrame({"a": [True]}), "number",
         "column 'a' contains Boolean values, which do not fit a feature of kind 'number'"),
        ({"a": np.array([True])}, "number",
         "column 'a' contains bool values, which do not fit a feature of kind 'number'"),
        ({"a": np.array([1.5])}, "date",
         "column 'a' contains float64 values, which do not fit a feature of kind 'date'"),
        (pd.DataFrame({"a": [1]}), "duration",
         "column 'a' contains Int64 values, which do not fit a feature of kind 'duration'"),
        (pl.DataFrame({"a": [dt.datetime(2026, 1, 1, 5)]}), "date",
         "column 'a', row 1: the value has a time of day; declare the feature with"
         " kind='datetime'"),
        ({"a": [10**400]}, "number", f"column 'a', row 1: {10**400} {_BEYOND}"),
        ({"a": np.array(["9000-01-01T00:00:00.000001"], dtype="M8[us]")}, "datetime",
         "column 'a', row 1: the time is too far from 1970 to be exact to the microsecond;"
         " round it to whole seconds"),
    ],
)  # fmt: skip
def test_a_column_of_the_wrong_type_is_rejected(table, kind, text):
    rejects(DataError, text, Space([Continuous("a", kind=kind)]).encode, table)


def test_integers_up_to_2_53_are_exact_and_the_next_is_rejected():
    space = Space([Continuous("a")])
    for column in ([2**53], np.array([2**53]), np.array([-(2**53)])):
        assert abs(space.encode({"a": column}).values[0, 0]) == 2.0**53
    for column in ([2**53 + 1], np.array([2**53 + 1]), np.array([2**53 + 1], dtype=np.uint64)):
        rejects(DataError, f"column 'a', row 1: {BIG} {_BEYOND}", space.encode, {"a": column})


def test_float32_columns_are_compared_as_the_exact_float64():
    column = np.array([0.1], dtype=np.float32)
    exact = float(column[0])
    space = Space([Continuous("a")])
    for table in (
        {"a": column},
        pd.DataFrame({"a": column}),
        pl.DataFrame({"a": column}),
        pa.table({"a": column}),
    ):
        assert space.encode(table).values[0, 0] == exact
        assert not Region(space, {"a": {"<=": 0.1}}).contains(table)[0]
        assert Region(space, {"a": {"<=": exact}}).contains(table)[0]


# --- invalid tables


def test_a_table_without_a_column_gets_a_suggestion():
    space = Space([Continuous("age")])
    missing = "the table has no column 'age'"
    for frame in (dict, pd.DataFrame, pl.DataFrame, pa.table, points):
        text = f"{missing}; did you mean 'agee'?"
        rejects(DataError, text, space.encode, frame({"agee": [1.0]}))
        rejects(DataError, f"{missing} (known: 'zzz')", space.encode, frame({"zzz": [1.0]}))


def test_columns_are_matched_by_name_and_additional_ones_are_ignored():
    space = Space([Continuous("b"), Continuous("a")])
    table = pd.DataFrame({"a": [1.0], "x": ["?"], "b": [2.0]})
    assert space.encode(table).values.tolist() == [[2.0], [1.0]]
    table = pd.DataFrame(np.array([[1.0, 2.0], [3.0, 4.0]]))
    space = Space.infer(table)
    assert space.names == ("0", "1")
    assert space.encode(table).values.tolist() == [[1.0, 3.0], [2.0, 4.0]]


SIZED = namedtuple("SIZED", ["size", "color"])
COLORED = namedtuple("COLORED", ["color", "size"])


class SparkRow(tuple):
    """A row like that of PySpark: a tuple with its field names as an attribute."""

    @classmethod
    def of(cls, **cells):
        row = cls(cells.values())
        row.__fields__ = list(cells)
        return row


ROWS = [(0.63, "b", 2**53 + 2, True), (0.27, "a", 5, False)]


@pytest.mark.parametrize("make", [tuple, list, lambda row: np.array(row, dtype=object)])
def test_rows_of_mixed_types_keep_the_types_of_their_columns(make):
    found = Space.infer([make(row) for row in ROWS])
    assert found == Space(
        [
            Continuous("x0"),
            Categorical("x1", ["a", "b"], other=True),
            Continuous("x2", kind="integer"),
            Categorical("x3", [False, True]),
        ]
    )
    with pytest.raises(DataError, match=r"^column 'x2', row 1: 9007199254740994 is beyond 2\*\*53"):
        found.encode([make(row) for row in ROWS])


@pytest.mark.parametrize("make", [COLORED._make, lambda c: SparkRow.of(color=c[0], size=c[1])])
def test_rows_with_field_names_are_read_by_name(make):
    rows = [make(("red", 0.5)), make(("blue", 2.0))]
    space = Space([Continuous("size"), Categorical("color", ["red", "blue"])])
    expected = space.encode({"size": [0.5, 2.0], "color": ["red", "blue"]})
    for found in (space.encode(rows), space.encode(tuple(rows))):
        assert found.values.tolist() == expected.values.tolist()
        assert found.codes.tolist() == expected.codes.tolist()
    assert Space.infer(rows).names == ("color", "size")
    point = space.encode_point(rows[1])
    assert (point.values.tolist(), point.codes.tolist()) == ([[2.0]], [[3]])
    assert rows[1] in Region(space, {"size": (1, 3)})


def test_missing_and_unknown_fields_of_a_point_are_reported():
    space = Space([Continuous("size"), Categorical("colour", ["red", "blue"])])
    with pytest.raises(DataError) as caught:
        space.encode([SIZED(1, "red")])
    assert str(caught.value) == "the table has no column 'colour'; did you mean 'color'?"
    with pytest.raises(ConditionError, match=r"^unknown feature 'color'; did you mean 'colour'\?$"):
        space.encode_point(SIZED(1, "red"))


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (np.ones(3), "a table must have two dimensions, got an array with 1; use X.reshape(1,"
         " -1) for a single point"),
        (np.ones((2, 3)), "the table has 3 columns and no names, but the space has 1 feature"),
        ({"a": [1], "b": [1, 2]}, "columns must have equal lengths, got [1, 2]"),
        ({"a": "abc"}, "a column must be a list of values, got 'abc'"),
        ({"a": 5}, "a column must be a list of values, got 5"),
        ({"a": np.ones((2, 2))}, "a column must have one dimension, got 2"),
        ({1: [1], "1": [2]}, "the table has two columns named '1'"),
        ([[1], [1, 2]], "row 2 of the table must have 1 value like row 1, got 2: [1, 2]"),
        ([(1, 2), [3]], "row 2 of the table must have 2 values like row 1, got 1: [3]"),
        ([SIZED(1, "red"), COLORED("red", 1)],
         "row 2 of the table must have the fields size, color like row 1, got color, size"),
        ([SIZED(1, "red"), (1, "red")],
         "row 2 of the table must have the fields size, color like row 1, got none"),
        ([(1, "red"), SIZED(1, "red")],
         "row 2 of the table must have no field names like row 1, got size, color"),
        ([5], "a list of points must contain mappings {name: value} or rows of equal length"),
        (["abc"], "a list of points must contain mappings {name: value} or rows of equal length"),
        ("abc", "a table must be a pandas, polars or pyarrow frame, a 2-D numpy array, a"
         " mapping of columns or a list of points, got str"),
        (pl.LazyFrame({"a": [1]}), "a table must be a pandas, polars or pyarrow frame, a 2-D"
         " numpy array, a mapping of columns or a list of points, got LazyFrame"),
    ],
)  # fmt: skip
def test_an_invalid_table_is_rejected(table, text):
    rejects(DataError, text, Space([Continuous("a")]).encode, table)


def test_an_empty_table_has_no_instances():
    space, nothing = Space([Continuous("a"), COLORS]), {"a": [], "color": []}
    for table in ([], (), nothing, np.empty((0, 2)), pl.DataFrame(nothing)):
        assert len(space.encode(table)) == 0


# --- instances and points


def test_instances_decode_to_points():
    color = Categorical("color", ["other", "blue"], missing=True, other=True)
    space = Space([Continuous("born", kind="date", missing=True), color])
    table = [
        {"born": dt.date(2000, 1, 1), "color": "blue"},
        {"born": None, "color": None},
        {"born": "2000-01-02", "color": "new"},
    ]
    instances = space.encode(table)
    assert repr(instances) == "<Instances: 3 x 2>"
    assert list(instances) == [
        {"born": dt.date(2000, 1, 1), "color": "blue"},
        {"born": None, "color": None},
        {"born": dt.date(2000, 1, 2), "color": "other 2"},
    ]
    assert instances[-1] == instances[2]
    assert list(instances.take([2, 0])) == [instances[2], instances[0]]
    assert list(instances.take(np.array([False, True, False]))) == [instances[1]]
    with pytest.raises(IndexError, match="index 3 is out of range for 3 instances"):
        instances[3]
    space = Space([Continuous("a")])
    instances = space.encode({"a": [1.0]})
    assert space.encode(instances) is instances
    assert Space.infer(instances) is space
    text = "the instances belong to another space; encode the table instead"
    rejects(DataError, text, Space([Continuous("b")]).encode, instances)
    space = Space([Continuous("a", missing=True), COLORS])
    assert space.encode_point({"color": "blue"})[0] == {"a": None, "color": "blue"}
    text = "the point has no value for 'color', which is never missing"
    rejects(DataError, text, space.encode_point, {"a": 1})
    text = "'color' is missing in the point, but never missing in the space"
    rejects(DataError, text, space.encode_point, {"a": 1, "color": None})
    rejects(DataError, "a point must be a mapping {feature: value}, got 5", space.encode_point, 5)


@given(
    st.lists(
        st.tuples(
            st.floats(allow_infinity=False) | st.none(), st.sampled_from(["a", "b", None, "c"])
        ),
        min_size=1,
        max_size=8,
    )
)
def test_random_tables_encode_the_same_through_each_library(rows):
    space = Space(
        [Continuous("x", missing=True), Categorical("c", ["a", "b"], missing=True, other=True)]
    )
    x, c = [r[0] for r in rows], [r[1] for r in rows]
    by_value = [
        [f.encode_value(v) for v in column] for f, column in zip(space, (x, c), strict=True)
    ]
    floats = np.array([math.nan if v is None else v for v in x])
    for table in (
        {"x": x, "c": c},
        [{"x": a, "c": b} for a, b in rows],
        [list(row) for row in rows],
        {"x": floats, "c": np.array(c, dtype=object)},
        pd.DataFrame({"x": floats, "c": pd.Series(c, dtype="str")}),
        pl.DataFrame({"x": pl.Series(x, dtype=pl.Float64), "c": pl.Series(c, dtype=pl.String)}),
        pa.table({"x": pa.array(x, pa.float64()), "c": pa.array(c, pa.string())}),
    ):
        instances = space.encode(table)
        assert instances.values.tolist() == [by_value[0]]
        assert instances.codes.tolist() == [by_value[1]]


ODD = [None, math.nan, math.inf, -math.inf, 2**53, 2**53 - 1, -(2**53), 2**60, 0.5, -0.0, 3, 3.0]
ODD += [True, "a", "5", "", "new", np.float32(1.5), np.int64(3), np.float64(0.5), [1], MISSING]
ODD += [OTHER, decimal.Decimal("1.5"), dt.date(2020, 1, 2), 1e300, Months(12)]


def outcome(call, *args):
    """Return what a call returns as lists, or the text of its error."""
    try:
        instances = call(*args)
    except DataError as error:
        return str(error)
    assert (instances.values.dtype, instances.codes.dtype) == (np.float64, np.int32)
    return [*instances.values[:, :1].tolist(), *instances.codes[:, :1].tolist()]


@given(sts.spaces(), st.data())
def test_a_single_record_is_encoded_as_among_others(space, data):
    usual = st.sampled_from([0.5, 3, -1, 0, "a", "b c", "v7", "v69"])
    value = st.one_of(usual, usual, usual, st.sampled_from(ODD))
    record = {name: data.draw(value) for name in space.names}
    if data.draw(st.integers(0, 5)) == 0:
        del record[space.names[0]]
    if data.draw(st.integers(0, 5)) == 0:
        record["unknown"] = 1
    assert outcome(space.encode, [record]) == outcome(space.encode, [record, record])
    points = [record]
    if set(record) == set(space.names):
        points += [tuple(record.values()), list(record.values())]
    for point in points:
        quick = outcome_of_point(space, point)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Records, "usual", lambda *_: None)
            assert quick == outcome_of_point(space, point)


def outcome_of_point(space, point):
    try:
        return outcome(space.encode_point, point)
    except ConditionError as error:
        return str(error)


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="long doubles are doubles here")
def test_numbers_with_more_digits_than_float64_are_rejected():
    column = np.array([[1], [1]], dtype=np.longdouble)
    column[1, 0] += np.longdouble(2) ** -60
    space = Space([Continuous("x")])
    refuses(DataError, "column 'x', row 2: the value has more digits than", space.encode, column)
    assert len(space.encode(column[:1])) == 1


def test_durations_of_months_are_a_separate_kind():
    space = Space.infer({"term": [Months(14), None, Months(3)]})
    assert list(space) == [Continuous("term", kind="months", missing=True)]
    encoded = space.encode({"term": ["P1Y2M", None, Months(3)]})
    assert encoded.values.tolist() == [[14.0, -math.inf, 3.0]]
    assert encoded[0] == {"term": Months(14)}
    assert pickle.loads(pickle.dumps(Months(14))) == Months(14)
    text = r"row 1: datetime\.timedelta\(days=1\) is not a duration of"
    refuses(DataError, text, space.encode, {"term": [dt.timedelta(1)]})


def test_words_of_categorical_features_are_consecutive():
    wide = Categorical("w", [f"v{i}" for i in range(100)])
    space = Space([wide, Continuous("f"), Categorical("c", ["a", "b"])])
    assert space.sets == (slice(0, 2), slice(2, 3))
    assert space.n_words == 3
    points = space.encode({"w": ["v0", "v99", "v0"], "f": [1, 2, 3], "c": ["b", "b", "b"]})
    words = space.words_of(points.codes).tolist()
    assert from_words(words[space.sets[0]]) == 1 << 2 | 1 << 101
    assert words[space.sets[1]] == [1 << 3]
    assert Space([Continuous("f")]).sets == ()


def test_a_space_is_opened_to_values_that_another_declares():
    jobs = Categorical("job", ["cook"], missing=True, other=True)
    space = Space(
        [jobs, Categorical("sex", ["f"]), Continuous("age"), Categorical("x", ["a"], other=True)]
    )
    other = Space(
        [Continuous("x"), Categorical("sex", ["m"]), Categorical("job", ["nurse", "cook"])]
    )
    opened = space.opened_to(other)
    assert opened["job"] == Categorical("job", ["cook", "nurse"], missing=True, other=True)
    assert [opened[name] for name in ("sex", "age", "x")] == [space[n] for n in ("sex", "age", "x")]
    assert opened.opened_to(other) == opened


def test_arrays_that_do_not_fit_the_space_are_rejected():
    space = Space([Continuous("size"), Categorical("color", ["red", "blue"])])
    values, codes = np.zeros((1, 3)), np.full((1, 3), 3, np.int32)
    assert len(Instances(space, values, codes)) == 3
    for wrong, message in (
        ((np.zeros((2, 3)), codes), "one row per feature and one column per"),
        ((values, codes[:, :2]), "one row per feature and one column per"),
        ((values.astype(np.float32), codes), "must be float64 and codes int32"),
        ((values.astype(">f8"), codes), "must be float64 and codes int32"),
        ((values, codes.astype(np.int16)), "must be float64 and codes int32"),
        ((values, codes + np.int32(1)), "codes must be those of the values"),
        ((values, codes - np.int32(4)), "codes must be those of the values"),
    ):
        refuses(DataError, message, Instances, space, *wrong)
