"""Tests of the data sets of the benchmarks: files in the format of KEEL, and folders of sets."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

from benchmarks import datasets, keel

HEADER = """@relation made
@attribute size real [0.5, 9.5]
@attribute count integer[0,9]
@attribute color {red, green,blue}
@attribute class{yes, no}
"""
ROLES = "@inputs size, count, color\n@outputs class\n"
ROWS = "@data\n1.5, 3, red, yes\n<null>,4, ?, no\n9.5,?,blue,no\n"
GOOD = HEADER + ROLES + ROWS


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_a_keel_file_is_read(tmp_path):
    path = write(tmp_path / "made.dat", GOOD)
    (data,) = datasets.single(tmp_path)
    assert (data.name, data.group) == ("made", "keel")
    assert list(data.X) == ["size", "count", "color"]
    assert data.X["size"].dtype == data.X["count"].dtype == float
    np.testing.assert_array_equal(data.X["size"], [1.5, np.nan, 9.5])
    np.testing.assert_array_equal(data.X["count"], [3, 4, np.nan])
    assert isinstance(data.X["color"].dtype, pd.CategoricalDtype)
    assert list(data.X["color"].cat.categories) == ["blue", "red"]
    assert data.X["color"].cat.categories.dtype == object
    assert data.X["color"].isna().tolist() == [False, True, False]
    assert data.y.dtype == object
    assert data.y.tolist() == ["yes", "no", "no"]
    # the output may be any attribute, and inputs may be fewer
    text = HEADER + "@inputs class, size\n@outputs color\n" + ROWS.replace("?, no", "red, no")
    read = keel.read(write(path, text))
    assert list(read.X) == ["class", "size"]
    assert read.y.tolist() == ["red", "red", "blue"]


def test_ways_of_writing_the_same(tmp_path):
    path = tmp_path / "made.dat"
    plain = keel.read(write(path, GOOD))
    for text in (
        HEADER + ROWS,
        GOOD.replace("@outputs", "@output"),
        GOOD.replace("@attribute ", "@ATTRIBUTE\t").replace("@data", "@DATA"),
        "% a comment\n\n" + GOOD.replace("\n", "\r\n") + "\r\n",
        "\ufeff" + GOOD.replace("color", "'color'"),
    ):
        path.write_bytes(text.encode())
        other = keel.read(path)
        pd.testing.assert_frame_equal(plain.X, other.X)
        assert plain.y.tolist() == other.y.tolist()
        assert plain.nominal == other.nominal == ["color"]
        assert keel.count_rows(path) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "1.5,3,red,yes\n@data\n",
            "line 1: the header must consist of @relation, .* got '1.5,3,red,yes'",
        ),
        (HEADER + ROLES, "made.dat: @data is missing"),
        (GOOD.replace("@inputs", "@imputs"), "line 6: unknown keyword '@imputs'"),
        (
            GOOD.replace("@attribute size real [0.5, 9.5]", "@attribute"),
            "line 2: the attribute",
        ),
        (
            GOOD.replace("real", "float"),
            "line 2: attribute 'size' must be real, .*'float",
        ),
        (GOOD.replace("[0.5, 9.5]", "[9.5, 0.5]"), "line 2: attribute 'size' has an invalid range"),
        (GOOD.replace("[0.5, 9.5]", "[low, 9.5]"), "line 2: attribute 'size' has an invalid range"),
        (GOOD.replace("count", "size"), "line 3: attribute 'size' is declared twice"),
        (GOOD.replace("green", "red"), "line 4: attribute 'color' has an empty or repeated value"),
        (
            GOOD.replace("@inputs size", "@inputs sise"),
            "line 6: .* unknown attribute 'sise'",
        ),
        (GOOD.replace("size, count,", "size, size,"), "line 6: @inputs names an attribute twice"),
        (GOOD.replace("@inputs", "@outputs"), "line 7: @outputs is declared twice"),
        (GOOD.replace("s class", "s color"), "line 6: 'color' is both an input and the output"),
        (GOOD.replace("s class", "s class, color"), "line 7: there must be one output, got 2"),
        (GOOD.replace("s class", "s size"), "line 7: the output 'size' must be nominal"),
        (GOOD.replace("1.5, 3", "1.5"), "made.dat, line 9: a row must have 4 values, got 3"),
        (GOOD.replace("1.5, 3", "big, 3"), "line 9: 'size' must be real, got 'big'"),
        (GOOD.replace("1.5, 3", "nan, 3"), "line 9: 'size' must be real, got 'nan'"),
        (GOOD.replace("1.5, 3", "1.5, 3.5"), "line 9: 'count' must be an integer, got 3.5"),
        (GOOD.replace("1.5, 3", "0.4, 3"), r"line 9: 'size' must be in \[0.5, 9.5\], got 0.4"),
        (GOOD.replace("red, yes", "rot, yes"), "line 9: unknown value 'rot' of attribute 'color'"),
        (
            GOOD.replace("red, yes", "red, ?"),
            "the class .* rows without it: 1",
        ),
        (GOOD.replace("red, yes", "red, no"), "there must be at least two classes, got only 'no'"),
        (HEADER + "@data\n", "there must be at least two classes, got no rows"),
        (
            "@relation r\n@attribute class {a, b}\n@data\na\nb\n",
            "the file must have an input",
        ),
    ],
)
def test_mistakes_are_told_with_file_and_line(tmp_path, text, message):
    path = write(tmp_path / "made.dat", text)
    with pytest.raises(keel.KeelError, match=message) as caught:
        keel.read(path)
    assert str(caught.value).startswith("made.dat")


def test_folders_that_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"must contain a folder single/ or \*\.dat files"):
        list(datasets.single(tmp_path))
    (tmp_path / "made.dat").write_bytes(GOOD.replace("red, yes", "r\xe9d, yes").encode("latin-1"))
    with pytest.raises(keel.KeelError, match=r"made\.dat, line 9: not UTF-8 text"):
        list(datasets.single(tmp_path))


def test_small_sets_come_first_and_some_are_left_out(tmp_path):
    write(tmp_path / "a.dat", GOOD + "2, 2, blue, no\n")
    write(tmp_path / "b.dat", GOOD)
    write(tmp_path / "c.dat", GOOD + "2, 2, blue, no\n" * 5)
    (tmp_path / "below").mkdir()
    write(tmp_path / "below" / "d.dat", GOOD)
    assert [data.name for data in datasets.single(tmp_path)] == ["b", "a", "c"]
    assert [data.name for data in datasets.single(tmp_path, max_rows=4)] == ["b", "a"]
    assert [data.name for data in datasets.single(tmp_path, ["c", "a"])] == ["a", "c"]


def test_groups(tmp_path):
    (tmp_path / "single").mkdir()
    frame = pd.DataFrame({"n": [1.0, 2.0], "t": ["NA", ""], "class": ["x", "y"]})
    frame.to_csv(tmp_path / "single" / "two.csv.gz", index=False)
    listed = [{"name": "two", "rows": 2, "categorical": ["t"]}]
    write(tmp_path / "single" / "datasets.json", json.dumps(listed))
    write(tmp_path / "made.dat", GOOD)
    (data,) = datasets.single(tmp_path)
    assert (data.name, data.group) == ("two", "uci")
    assert list(data.X["t"].cat.categories) == ["NA"]
    assert data.X["t"].isna().tolist() == [False, True]
    assert {data.group for data in datasets.single(None)} == {"sklearn"}
    assert datasets.Single("mine", data.X, data.y).group == ""


def test_a_file_without_a_header(tmp_path):
    path = tmp_path / "bare.dat"
    path.write_text("1.5, red, yes\n?, blue, no\n-2, <null>, yes\n")
    found = keel.read(path)
    assert found.X["a1"].tolist()[::2] == [1.5, -2.0]
    assert math.isnan(found.X["a1"][1])
    assert found.X["a2"].tolist()[:2] == ["red", "blue"]
    assert found.X["a2"].isna().tolist() == [False, False, True]
    assert found.nominal == ["a2"]
    assert found.y.tolist() == ["yes", "no", "yes"]
    assert keel.count_rows(path) == 3
    path.write_text("1.5, red, yes\n2, no\n")
    with pytest.raises(keel.KeelError, match=r"bare.dat, line 2: a row must have 3 values .*got 2"):
        keel.read(path)
    path.write_text("yes\nno\n")
    with pytest.raises(keel.KeelError, match=r"line 1: a row must have .*got one value"):
        keel.read(path)
