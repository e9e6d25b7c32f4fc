"""Tables of instances in CSV files: types, values, layouts and errors."""

from __future__ import annotations

import contextlib
import datetime as dt
import gzip
import re
from csv import reader

import numpy as np
import pytest

from irenic import Categorical, Continuous, DataError, FileError, FormatError, Space
from irenic.frames import csv
from irenic.frames.csv import _check_points
from irenic.frames.sources import open_csv
from irenic.frames.table import dumps_table, read_table, write_table


@pytest.fixture
def table(tmp_path):
    def write(text, name="people.csv"):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


FLAGS = [False, True]
TYPES = [  # cells of a column, and its feature
    (["1", "2"], Continuous("a", kind="integer")),
    (["+1", "-2"], Continuous("a", kind="integer")),
    (["1", ""], Continuous("a", kind="integer", missing=True)),
    (["0", "0.5", "-0.5"], Continuous("a")),
    (["1", "2.5"], Continuous("a")),
    (["1e3", ""], Continuous("a", missing=True)),
    (["1.5", "NA"], Continuous("a", missing=True)),
    (["true", "False"], Categorical("a", FLAGS)),
    (["true", ""], Categorical("a", FLAGS, missing=True)),
    (["true", "null"], Categorical("a", FLAGS, missing=True)),
    (["2026-01-31", "2026-02-01"], Continuous("a", kind="date")),
    (["2026-01-31T12:30", ""], Continuous("a", kind="datetime", missing=True)),
    (["2026-01-31 12:30:00"], Continuous("a", kind="datetime")),
    (["2026-01-31T12:30Z"], Continuous("a", kind="datetime", unit="UTC")),
    (["12:30", "13:00:01"], Continuous("a", kind="time")),
    (["01067", "NA"], Categorical("a", ["01067"], missing=True, other=True)),
    (["b", "a", ""], Categorical("a", ["a", "b"], missing=True, other=True)),
]
TEXTS = [["007", "7"], ["-01", "1"], ["00.5", "1"], ["+49301", "49302"], ["inf", "nan"], ["1_000"],
         ["1", "x"], ["e"], ["-"], ["T10", "T11"], ["2026-W05"], ["NA", "x"],
         ["10:30", "2026-01-31"]]  # fmt: skip
TYPES += [(cells, Categorical("a", cells, other=True)) for cells in TEXTS]


@pytest.mark.parametrize(("cells", "feature"), TYPES)
def test_the_type_of_a_column_is_inferred_from_its_cells(table, cells, feature):
    path = table("a,b\n" + "".join(f"{cell},x\n" for cell in cells))
    assert Space.infer(read_table(path))["a"] == feature


def test_cells_are_converted_to_values(table):
    columns = read_table(table('age,"full name",born,no\n31,"Ann, ""A""",2000-01-31,\n,,,\n'))
    assert list(columns) == ["age", "full name", "born", "no"]
    assert columns["age"].tolist() == [31, None]
    assert columns["full name"].tolist() == ['Ann, "A"', None]
    assert columns["born"].tolist() == [dt.date(2000, 1, 31), None]
    assert np.isnan(columns["no"]).all()
    empty = read_table(table("a,b\n"))
    assert {name: len(column) for name, column in empty.items()} == {"a": 0, "b": 0}


def test_large_integers_are_not_rounded_and_rejected_on_encoding(table):
    columns = read_table(table(f"a\n{2**53 + 1}\n{10**30}\n"))
    assert columns["a"].tolist() == [2**53 + 1, 10**30]
    with pytest.raises(DataError, match=r"^column 'a', row 1: 9007199254740993 is beyond 2\*\*53"):
        Space.infer(columns).encode(columns)
    read = read_table(table("a\n09007199254740993\n")).in_terms_of(Space([Continuous("a")]))
    assert read["a"].tolist() == [9007199254740993]


def test_gzip_byte_order_marks_and_other_line_ends_are_read(table):
    text = "\ufeffa,b\r\n1,é\r\n\r\n"
    for path in (table(text), table(gzip.compress(text.encode()), "people.csv.gz")):
        columns = read_table(path)
        assert {name: column.tolist() for name, column in columns.items()} == {"a": [1], "b": ["é"]}


# --- errors

EMPTY = "the table is empty; its first line must name the columns"
BAD = {
    "": EMPTY,
    "\n\n": EMPTY,
    "a,a\n1,2\n": "line 1: two columns are named 'a'",
    "a,\n1,2\n": "line 1: column 2 has no name",
    "a,b\n1,2\n\n1\n": "line 4: a row must have 2 cells, got 1",
    'a,b\n"x\ny",2\n1,2,3\n': "line 4: a row must have 2 cells, got 3",
    'a\n"x': "line 2: not CSV: unexpected end of data",
    b"a\n\xe9\n": "not UTF-8 text (byte 2); save it as UTF-8",
}
BAD_GZIP = [b"not gzip", gzip.compress(b"a\n1\n", mtime=0)[:-4], b"\x1f\x8b\x08\0" + b"\xff" * 30]


def test_errors_name_the_file_and_the_line(table, tmp_path):
    def message(path):
        with pytest.raises((FormatError, FileError)) as caught:
            read_table(path)
        return str(caught.value)

    for text, expected in BAD.items():
        separator = ", " if expected.startswith("line") else ": "
        path = table(text)
        assert message(path) == f"{path}{separator}{expected}"
        with pytest.raises(FormatError) as caught:  # read in blocks
            open_csv(path)
        assert str(caught.value) == f"{path}{separator}{expected}"
    for raw in BAD_GZIP:
        path = table(raw, "people.csv.gz")
        assert message(path) == f"{path}: not a gzip file"
    path = tmp_path / "people.xls"
    known = "tables are read from .csv, .csv.gz, .parquet and .xlsx files"
    assert message(path) == f"{path}: {known}"
    path = tmp_path / "none.csv"
    assert message(path) == f"cannot read {path}: No such file or directory"


BAD_NUMBERS = {
    "income;x\n2844,96;1\n;2\n1.250,50;3": "'2844,96' has a decimal comma; use a decimal point and"
    " no thousands separators",
    "income;x\n1.250;1\n2.500;2\n700;3": "'1.250' is ambiguous; write 1250 if the point separates"
    " thousands, or 1.2500 if it is a decimal point",
}


@pytest.mark.parametrize("delimiter", [";", "\t"])
@pytest.mark.parametrize("text", BAD_NUMBERS)
def test_decimal_commas_are_rejected_and_not_read_as_text(table, text, delimiter):
    with pytest.raises(FormatError) as caught:
        read_table(table(text.replace(";", delimiter)))
    assert caught.value.message == f"column 'income': {BAD_NUMBERS[text]}"


def test_other_numbers_between_semicolons_are_read(table):
    for text in (
        "a;b\n1.250;2.5\n2.500;1\n",  # 2.5 proves that points are decimal points
        "a;b\n0.125;1\n1.250;1\n",
        "a;b\n1,2;x\nred;y\n",  # text
        "a,b\n1.250,1\n2.500,2\n",
        "a;b\n1;1\n2;2\n",
        "a\tb\n1\tx\n2\ty\n",
    ):
        read = read_table(table(text))
        assert (read.shape, list(read)) == ((2, 2), ["a", "b"]), text


@pytest.mark.parametrize("form", ["{},{}5", "{}.{}5", "{}{}"])
def test_each_number_between_semicolons_is_looked_at_once(form):
    n_times = 0

    class Compared(str):
        __hash__ = str.__hash__

        def __eq__(self, other):
            nonlocal n_times
            n_times += 1
            return str(self) == other

        def strip(self, _=None):
            return self

    with contextlib.suppress(FormatError):
        _check_points({"a": tuple(Compared(form.format(i, i % 10)) for i in range(400))})
    assert n_times <= 400


# --- written as they were, and read in terms of a space

LAID_OUT = ["a;b\n1;x\n2;y\n", "a;b\r\n1;x\r\n2;y, z\r\n", "\ufeffa\tb\r\n1\tx\r\n",
            '\ufeffa,b\n1,"x, y"\n', '"a,c";b\n1;"x\ny"\n']  # fmt: skip


@pytest.mark.parametrize("text", LAID_OUT)
def test_a_file_is_written_as_it_was_laid_out(table, tmp_path, text):
    read = read_table(table(text))
    write_table(read, tmp_path / "again.csv")
    written = (tmp_path / "again.csv").read_bytes().decode()
    assert written == text.replace('"a,c";b', '"a,c";"b"')
    assert read_table(tmp_path / "again.csv").layout == read.layout


def test_new_columns_have_the_decimal_separator_of_the_file(table):
    read = read_table(table("a;b\n1,5;x\n1.000,25;y\n"), as_written=True)
    read["c"] = np.array([0.25, np.nan])
    assert dumps_table(read, "csv") == "a;b;c\n1,5;x;0,25\n1.000,25;y;\n"
    assert dumps_table(read.select(["a", "c"]), "csv") == "a;c\n1,5;0,25\n1.000,25;\n"


def test_columns_are_read_as_the_features_of_a_space(table):
    codes = read_table(table("a,b,c\n007,7,01\n,+8,02\n"))
    assert codes.codes == {"a": "007", "b": "+8", "c": "01"}
    assert codes.select(["b"]).codes == {"b": "+8"}
    space = Space([Continuous("a"), Categorical("b", ["7"]), Continuous("c", kind="date")])
    read = codes.in_terms_of(space)
    assert {name: column.tolist() for name, column in read.items()} == {
        "a": [7, None], "b": ["7", "+8"], "c": ["01", "02"]
    }  # fmt: skip
    assert list(read.codes) == ["b", "c"]
    # numbers are text where the values of a category are
    space = Space([Categorical("a", ["01067", "10115"], other=True), Categorical("b", [1, 2])])
    read = read_table(table("a,b\n10115,1\n80331,2\n")).in_terms_of(space)
    assert read["a"].tolist() == ["10115", "80331"]
    assert read["b"].tolist() == [1, 2]


@pytest.mark.filterwarnings("ignore:column 'a'")
@pytest.mark.parametrize("text", ["=A1", '"=A1"', '"A1"', "@SUM(A1)", "-x", "-1.5e3", "a = b"])
def test_texts_that_spreadsheets_would_run_are_quoted_and_read_back(text):
    written = csv.dumps({"a": np.array([text, "x"], dtype=object)})
    _, cell, _ = [row[0] for row in reader(written.decode().splitlines())]
    assert not re.match(r"[=@]|-[a-z]", cell)
    assert csv.loads(written)["a"].tolist() == [text, "x"]
