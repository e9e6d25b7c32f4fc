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
@attribute colour {red, green,blue}
@attribute class{yes, no}
"""
ROLES = "@inputs size, count, colour\n@outputs class\n"
ROWS = "@data\n1.5, 3, red, yes\n<null>,4, ?, no\n9.5,?,blue,no\n"


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_a_keel_file_is_read(tmp_path):
    write(tmp_path / "made.dat", HEADER + ROLES + ROWS)
    (data,) = datasets.single(tmp_path)
    assert (data.name, data.group) == ("made", "keel")
    assert list(data.X) == ["size", "count", "colour"]
    assert data.X["size"].dtype == data.X["count"].dtype == float
    np.testing.assert_array_equal(data.X["size"], [1.5, np.nan, 9.5])
    np.testing.assert_array_equal(data.X["count"], [3, 4, np.nan])
    assert isinstance(data.X["colour"].dtype, pd.CategoricalDtype)
    assert list(data.X["colour"].cat.categories) == ["blue", "red"]
    assert data.X["colour"].cat.categories.dtype == object
    assert data.X["colour"].isna().tolist() == [False, True, False]
    assert data.y.dtype == object
    assert data.y.tolist() == ["yes", "no", "no"]


@pytest.mark.parametrize(
    "text",
    [
        HEADER + ROWS,
        HEADER + ROLES.replace("@outputs", "@output") + ROWS,
        (HEADER + ROLES).replace("@attribute ", "@ATTRIBUTE\t") + ROWS.replace("@data", "@DATA"),
        "% a comment\n\n" + (HEADER + ROLES + ROWS).replace("\n", "\r\n") + "\r\n",
        "\ufeff" + (HEADER + ROLES + ROWS).replace("colour", "'colour'"),
    ],
    ids=["no roles", "@output", "case and tabs", "comments and line ends", "quotes and mark"],
)
def test_ways_of_writing_the_same(tmp_path, text):
    path = tmp_path / "made.dat"
    plain = keel.read(write(path, HEADER + ROLES + ROWS))
    path.write_bytes(text.encode())
    other = keel.read(path)
    pd.testing.assert_frame_equal(plain.X, other.X)
    assert plain.y.tolist() == other.y.tolist()
    assert plain.nominal == other.nominal == ["colour"]
    assert keel.count_rows(path) == 3


def test_the_output_may_stand_anywhere_and_inputs_be_fewer(tmp_path):
    text = HEADER + "@inputs class, size\n@outputs colour\n" + ROWS.replace("?, no", "red, no")
    read = keel.read(write(tmp_path / "made.dat", text))
    assert list(read.X) == ["class", "size"]
    assert read.y.tolist() == ["red", "red", "blue"]


GOOD = HEADER + ROLES + ROWS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "1.5,3,red,yes\n@data\n",
            "line 1: '1.5,3,red,yes' where the header is expected: @relation",
        ),
        (HEADER + ROLES, "made.dat: there is no @data"),
        (GOOD.replace("@inputs", "@imputs"), "line 6: unknown keyword '@imputs'"),
        (GOOD.replace("@attribute size real [0.5, 9.5]", "@attribute"), "line 2: an attribute"),
        (GOOD.replace("real", "float"), "line 2: attribute 'size' is 'float .*not real, integer"),
        (GOOD.replace("[0.5, 9.5]", "[9.5, 0.5]"), "line 2: attribute 'size' has no range"),
        (GOOD.replace("[0.5, 9.5]", "[low, 9.5]"), "line 2: attribute 'size' has no range"),
        (GOOD.replace("count", "size"), "line 3: attribute 'size' is there twice"),
        (GOOD.replace("green", "red"), "line 4: attribute 'colour' has an empty or repeated value"),
        (GOOD.replace("@inputs size", "@inputs sise"), "line 6: @inputs names 'sise', which is no"),
        (GOOD.replace("size, count,", "size, size,"), "line 6: @inputs names an attribute twice"),
        (GOOD.replace("@inputs", "@outputs"), "line 7: @outputs is there twice"),
        (GOOD.replace("s class", "s colour"), "line 6: 'colour' is an input and the output"),
        (GOOD.replace("s class", "s class, colour"), "line 7: 2 outputs, but a class is one"),
        (GOOD.replace("s class", "s size"), "line 7: no classification set: the output 'size' is"),
        (GOOD.replace("1.5, 3", "1.5"), "made.dat, line 9: 3 values for 4 attributes"),
        (GOOD.replace("1.5, 3", "big, 3"), "line 9: 'big' is no number, but 'size' is real"),
        (GOOD.replace("1.5, 3", "nan, 3"), "line 9: 'nan' is no number, but 'size' is real"),
        (GOOD.replace("1.5, 3", "1.5, 3.5"), "line 9: 3.5 is no integer, but 'count' is"),
        (GOOD.replace("1.5, 3", "0.4, 3"), r"line 9: 'size' is 0.4, outside \[0.5, 9.5\]"),
        (GOOD.replace("red, yes", "rot, yes"), "line 9: 'rot' is none of the values of 'colour'"),
        (GOOD.replace("red, yes", "red, ?"), "made.dat: the class 'class' is missing in 1 rows"),
        (GOOD.replace("red, yes", "red, no"), "no classification set: the only class is 'no'"),
        (HEADER + "@data\n", "no classification set: there are no rows"),
        ("@relation r\n@attribute class {a, b}\n@data\na\nb\n", "fewer than two attributes"),
    ],
)
def test_mistakes_are_told_with_file_and_line(tmp_path, text, message):
    path = write(tmp_path / "made.dat", text)
    with pytest.raises(keel.KeelError, match=message) as caught:
        keel.read(path)
    assert str(caught.value).startswith("made.dat")


def test_bytes_that_are_no_text(tmp_path):
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


def test_a_folder_without_sets(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"neither a folder single/ nor \*\.dat files"):
        list(datasets.single(tmp_path))


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
    with pytest.raises(keel.KeelError, match=r"bare.dat, line 2: 2 values where .* row has 3"):
        keel.read(path)
    path.write_text("yes\nno\n")
    with pytest.raises(keel.KeelError, match="line 1: one value"):
        keel.read(path)
