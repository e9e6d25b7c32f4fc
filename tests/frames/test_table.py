from __future__ import annotations

import contextlib
import datetime as dt
import gzip

import numpy as np
import pytest

from irenic import Categorical, Continuous, DataError, FileError, FormatError, Space
from irenic.frames.csv import _check_points
from irenic.frames.table import dumps_table, read_table, write_table


@pytest.fixture
def table(tmp_path):
    def write(text, name="people.csv"):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


@pytest.mark.parametrize(
    ("cells", "feature"),
    [
        (["1", "2"], Continuous("a", kind="integer")),
        (["+1", "-2"], Continuous("a", kind="integer")),
        (["007", "7"], Categorical("a", ["007", "7"], other=True)),
        (["01067", "NA"], Categorical("a", ["01067"], missing=True, other=True)),
        (["-01", "1"], Categorical("a", ["-01", "1"], other=True)),
        (["00.5", "1"], Categorical("a", ["00.5", "1"], other=True)),
        (["+49301", "49302"], Categorical("a", ["+49301", "49302"], other=True)),
        (["0", "0.5", "-0.5"], Continuous("a")),
        (["1", ""], Continuous("a", kind="integer", missing=True)),
        (["1", "2.5"], Continuous("a")),
        (["1e3", ""], Continuous("a", missing=True)),
        (["true", "False"], Categorical("a", [False, True])),
        (["true", ""], Categorical("a", [False, True], missing=True)),
        (["2026-01-31", "2026-02-01"], Continuous("a", kind="date")),
        (["2026-01-31T12:30", ""], Continuous("a", kind="datetime", missing=True)),
        (["2026-01-31T12:30Z"], Continuous("a", kind="datetime", unit="UTC")),
        (["12:30", "13:00:01"], Continuous("a", kind="time")),
        (["b", "a", ""], Categorical("a", ["a", "b"], missing=True, other=True)),
        (["nan", "inf"], Categorical("a", ["inf", "nan"], other=True)),
        (["1_000"], Categorical("a", ["1_000"], other=True)),
        (["1", "x"], Categorical("a", ["1", "x"], other=True)),
        (["e"], Categorical("a", ["e"], other=True)),
        (["-"], Categorical("a", ["-"], other=True)),
    ],
)
def test_the_type_of_a_column_is_inferred_from_its_cells(table, cells, feature):
    path = table("a,b\n" + "".join(f"{cell},x\n" for cell in cells))
    assert Space.infer(read_table(path))["a"] == feature


def test_cells_are_converted_to_values(table):
    columns = read_table(table('age,"full name",born\n31,"Ann, ""A""",2000-01-31\n,,\n'))
    assert list(columns) == ["age", "full name", "born"]
    assert columns["age"].tolist() == [31, None]
    assert columns["full name"].tolist() == ['Ann, "A"', None]
    assert columns["born"].tolist() == [dt.date(2000, 1, 31), None]


def test_large_integers_are_not_rounded_and_rejected_on_encoding(table):
    columns = read_table(table(f"a\n{2**53 + 1}\n{10**30}\n"))
    assert columns["a"].tolist() == [2**53 + 1, 10**30]
    with pytest.raises(DataError, match=r"^column 'a', row 1: 9007199254740993 is beyond 2\*\*53"):
        Space.infer(columns).encode(columns)


def test_a_column_of_empty_cells_is_missing(table):
    assert np.isnan(read_table(table("a,b\n,1\n"))["a"]).all()


def test_a_table_with_only_a_header_is_empty(table):
    columns = read_table(table("a,b\n"))
    assert {name: len(column) for name, column in columns.items()} == {"a": 0, "b": 0}


def test_gzip_byte_order_marks_and_other_line_ends_are_read(table):
    text = "\ufeffa,b\r\n1,é\r\n\r\n"
    for path in (table(text), table(gzip.compress(text.encode()), "people.csv.gz")):
        columns = read_table(path)
        assert columns["a"].tolist() == [1]
        assert columns["b"].tolist() == ["é"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the table is empty; its first line must name the columns"),
        ("\n\n", "the table is empty; its first line must name the columns"),
        ("a,a\n1,2\n", "line 1: two columns are named 'a'"),
        ("a,\n1,2\n", "line 1: column 2 has no name"),
        ("a,b\n1,2\n\n1\n", "line 4: a row must have 2 cells, got 1"),
        ('a,b\n"x\ny",2\n1,2,3\n', "line 4: a row must have 2 cells, got 3"),
        ('a\n"x', "line 2: not CSV: unexpected end of data"),
        (b"a\n\xe9\n", "not UTF-8 text (byte 2); save it as UTF-8"),
    ],
)
def test_errors_name_the_line(table, text, message):
    path = table(text)
    with pytest.raises(FormatError) as caught:
        read_table(path)
    separator = ", " if message.startswith("line") else ": "
    assert str(caught.value) == f"{path}{separator}{message}"


@pytest.mark.parametrize(
    "data",
    [b"not gzip", gzip.compress(b"a\n1\n", mtime=0)[:-4], b"\x1f\x8b\x08\x00" + b"\xff" * 30],
    ids=["no gzip", "truncated", "no end"],
)
def test_an_invalid_gzip_file_is_rejected(table, data):
    path = table(data, "people.csv.gz")
    with pytest.raises(FormatError) as caught:
        read_table(path)
    assert str(caught.value) == f"{path}: not a gzip file"


def test_other_formats_are_rejected(tmp_path):
    with pytest.raises(FormatError) as caught:
        read_table(tmp_path / "people.xls")
    assert str(caught.value) == (
        f"{tmp_path / 'people.xls'}: tables are read from .csv, .csv.gz, .parquet and .xlsx files"
    )
    with pytest.raises(FileError, match=r"^cannot read .*none\.csv: No such file or directory$"):
        read_table(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("cells", "feature"),
    [
        (["T10", "T11"], Categorical("a", ["T10", "T11"], other=True)),
        (["2026-W05"], Categorical("a", ["2026-W05"], other=True)),
        (["2026-01-31 12:30:00"], Continuous("a", kind="datetime")),
        (["1.5", "NA"], Continuous("a", missing=True)),
        (["true", "null"], Categorical("a", [False, True], missing=True)),
        (["x", "NA"], Categorical("a", ["NA", "x"], other=True)),
    ],
)
def test_unusual_cells_are_read_as_people_read_them(table, cells, feature):
    path = table("a,b\n" + "".join(f"{cell},x\n" for cell in cells))
    assert Space.infer(read_table(path))["a"] == feature


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_cells_are_separated_by_commas_semicolons_or_tabs(table, delimiter):
    path = table(f"a{delimiter}b\n1{delimiter}x\n")
    assert list(read_table(path)) == ["a", "b"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            ["income;x", "2844,96;1", ";2", "1.250,50;3"],
            "column 'income': '2844,96' has a decimal comma; use a decimal point and no thousands"
            " separators",
        ),
        (
            ["income;x", "1.250;1", "2.500;2", "700;3"],
            "column 'income': '1.250' is ambiguous; write 1250 if the point separates thousands, or"
            " 1.2500 if it is a decimal point",
        ),
    ],
)
@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_decimal_commas_are_rejected_and_not_read_as_text(table, lines, message, delimiter):
    with pytest.raises(FormatError) as caught:
        read_table(table("\n".join(lines).replace(";", delimiter)))
    assert caught.value.message == message


class _Compared(str):
    """A text that counts how often it is compared with another one."""

    __slots__ = ()
    __hash__ = str.__hash__
    n_times = 0

    def __eq__(self, other):
        _Compared.n_times += 1
        return str(self) == other

    def strip(self, _=None):
        return self


@pytest.mark.parametrize("n", [100, 400])
@pytest.mark.parametrize("form", ["{},{}5", "{}.{}5", "{}{}"])
def test_each_number_between_semicolons_is_looked_at_once(n, form):
    cells = [_Compared(form.format(i, i % 10)) for i in range(n)]
    _Compared.n_times = 0
    with contextlib.suppress(FormatError):
        _check_points({"a": tuple(cells)})
    assert _Compared.n_times <= n


@pytest.mark.parametrize("text", [
    "a;b\n1;x\n2;y\n",
    "a;b\r\n1;x\r\n2;y, z\r\n",
    "\ufeffa\tb\r\n1\tx\r\n",
    "\ufeffa,b\n1,\"x, y\"\n",
    '"a,c";b\n1;"x\ny"\n',
])  # fmt: skip
def test_a_file_is_written_as_it_was_laid_out(table, tmp_path, text):
    write_table(read_table(table(text)), tmp_path / "again.csv")
    written = (tmp_path / "again.csv").read_bytes().decode()
    assert written == text.replace('"a,c";b', '"a,c";"b"')
    assert read_table(tmp_path / "again.csv").layout == read_table(table(text)).layout


def test_new_columns_have_the_decimal_separator_of_the_file(table):
    read = read_table(table("a;b\n1,5;x\n1.000,25;y\n"), as_written=True)
    read["c"] = np.array([0.25, np.nan])
    assert dumps_table(read, "csv") == "a;b;c\n1,5;x;0,25\n1.000,25;y;\n"
    assert dumps_table(read.select(["a", "c"]), "csv") == "a;c\n1,5;0,25\n1.000,25;\n"


@pytest.mark.parametrize(
    "text",
    [
        "a;b\n1.250;2.5\n2.500;1\n",  # 2.5 proves that points are decimal points
        "a;b\n0.125;1\n1.250;1\n",
        "a;b\n1,2;x\nred;y\n",  # text
        "a,b\n1.250,1\n2.500,2\n",
        "a;b\n1;1\n2;2\n",
    ],
)
def test_other_numbers_between_semicolons_are_read(table, text):
    assert read_table(table(text)).shape == (2, 2)


def test_codes_are_named_and_read_as_the_features_of_a_space(table):
    codes = read_table(table("a,b,c\n007,7,01\n,+8,02\n"))
    assert codes.codes == {"a": "007", "b": "+8", "c": "01"}
    assert codes.select(["b"]).codes == {"b": "+8"}
    space = Space([Continuous("a"), Categorical("b", ["7"]), Continuous("c", kind="date")])
    read = codes.in_terms_of(space)
    assert {name: column.tolist() for name, column in read.items()} == {
        "a": [7, None], "b": ["7", "+8"], "c": ["01", "02"]
    }  # fmt: skip
    assert list(read.codes) == ["b", "c"]


def test_integers_stay_exact_where_a_code_is_read_as_a_number(table):
    read = read_table(table("a\n09007199254740993\n")).in_terms_of(Space([Continuous("a")]))
    assert read["a"].tolist() == [9007199254740993]


def test_numbers_are_text_where_the_values_of_a_category_are(table):
    space = Space([Categorical("a", ["01067", "10115"], other=True), Categorical("b", [1, 2])])
    read = read_table(table("a,b\n10115,1\n80331,2\n")).in_terms_of(space)
    assert read["a"].tolist() == ["10115", "80331"]
    assert read["b"].tolist() == [1, 2]
