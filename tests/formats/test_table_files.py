"""Tables in the other formats, and their writers."""

from __future__ import annotations

import builtins
import datetime as dt
import gzip

import numpy as np
import openpyxl
import pyarrow as pa
import pytest
from pyarrow import parquet

from bound import workbook
from irenic import Categorical, Continuous, FileError, FormatError, Space
from irenic.frames.columns import Table
from irenic.frames.table import read_table, write_table


def column(*values):
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


COLUMNS = {
    "row": column(1, 2, 3), "whole": column(1, None, -3), "number": np.array([0.1, np.nan, 1e300]),
    "text": column("a, b", None, "é"), "yes": column(True, None, False),
    "day": column(dt.date(2026, 1, 31), None, dt.date(1999, 12, 31)),
    "moment": column(dt.datetime(2026, 1, 31, 12, 30), None, dt.datetime(2026, 1, 1)),
    "hour": column(dt.time(12, 30), None, dt.time(1, 2, 3)),
}  # fmt: skip
SUFFIXES = [".csv", ".csv.gz", ".parquet", ".xlsx"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "people.xlsx"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_table_reads_back_as_it_was_written(tmp_path, suffix):
    path = tmp_path / f"table{suffix}"
    with pytest.raises(FileError) as caught:
        read_table(path)
    assert str(caught.value) == f"cannot read {path}: No such file or directory"
    write_table(COLUMNS, path)
    found = read_table(path)
    assert list(found) == list(COLUMNS)
    for name, wanted in COLUMNS.items():
        got = [None if v != v else v for v in found[name].tolist()]
        assert got == [None if v != v else v for v in wanted.tolist()], name
    assert found.shape == (3, 8)
    assert Space.infer(found) == Space.infer(COLUMNS)
    write_table({"a": np.empty(0, dtype=object)}, path)
    assert read_table(path).shape == (0, 1)


def test_csv_keeps_cells_as_they_were_written(tmp_path):
    (tmp_path / "in.csv").write_text("id,x,y\n007,1.50,NA\n008,2,1\n")
    table = read_table(tmp_path / "in.csv")
    assert table["id"].tolist() == ["007", "008"]
    table["z"] = np.array([0.5, np.nan])
    write_table(table, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "id,x,y,z\n007,1.50,NA,0.5\n008,2,1,\n"


def test_the_same_table_is_the_same_gzip_file(tmp_path):
    for name in ("a.csv.gz", "b.csv.gz"):
        write_table(COLUMNS, tmp_path / name)
    raw = (tmp_path / "a.csv.gz").read_bytes()
    assert raw == (tmp_path / "b.csv.gz").read_bytes()
    assert gzip.decompress(raw).startswith(b"row,whole,number,")


# --- workbooks


def test_the_first_sheet_is_read(path):
    path.write_bytes(
        workbook(
            first=[
                ["age", "job", "born"],
                [31, "nurse", dt.datetime(2000, 1, 31)],
                [],
                [None, "#N/A", dt.datetime(2001, 1, 31)],
                [40, None, None],
            ]
        )
    )
    found = read_table(path)
    assert found["age"].tolist() == [31, None, 40]
    assert found["job"].tolist() == ["nurse", None, None]
    assert found["born"].tolist() == [dt.date(2000, 1, 31), dt.date(2001, 1, 31), None]


def test_mixed_cells_are_read_as_a_person_reads_them(path):
    for cells, feature in (
        ([1, 2.5], Continuous("a")), ([1, "NA"], Continuous("a", kind="integer", missing=True)),
        ([1, "x"], Categorical("a", ["1", "x"], other=True)),
        ([True, "x"], Categorical("a", ["true", "x"], other=True)),
        ([True, 1.5], Categorical("a", ["1.5", "true"], other=True)),
        (["NA", "x"], Categorical("a", ["NA", "x"], other=True)),
    ):  # fmt: skip
        path.write_bytes(workbook(first=[["a", "b"], *([cell, 1] for cell in cells)]))
        assert Space.infer(read_table(path))["a"] == feature


def test_a_sheet_without_names_is_rejected(path):
    for rows, message in (
        ([], ": the first sheet is empty; its first row must name the columns"),
        ([["a", "a"], [1, 2]], ", line 1: two columns are named 'a'"),
        ([["a"], [1, 2]], ", line 1: column 2 has no name"),
    ):
        path.write_bytes(workbook(first=rows))
        with pytest.raises(FormatError) as caught:
            read_table(path)
        assert str(caught.value) == f"{path}{message}"


def test_text_that_looks_like_a_formula_stays_text(path):
    write_table({"a": column("=1+1", "#N/A?", "x")}, path)
    assert read_table(path)["a"].tolist() == ["=1+1", "#N/A?", "x"]
    assert openpyxl.load_workbook(path).active["A2"].data_type == "s"


def test_values_that_a_cell_cannot_contain_become_text(path):
    with pytest.raises(FormatError, match="a cell contains a control character"):
        write_table({"a": column("x\x01")}, path)
    assert list(path.parent.iterdir()) == []
    moment = dt.datetime(2026, 1, 31, tzinfo=dt.UTC)
    write_table({"a": column(2**60), "b": np.array([np.inf]), "c": column(moment)}, path)
    found = read_table(path)
    assert found["a"].tolist() == [str(2**60)]
    assert found["b"].tolist() == ["inf"]
    assert found["c"].tolist() == ["2026-01-31T00:00:00+00:00"]


# --- parquet


def test_columns_of_parquet_are_of_many_types(tmp_path):
    path = tmp_path / "table.parquet"
    columns = {
        "word": pa.array(["a", None]).dictionary_encode(),
        "price": pa.array([1, None], pa.decimal128(10, 2)),
        "small": pa.array([1.5, 2], pa.float32()),
        "at": pa.array([1_700_000_000_000_000_001, None], pa.timestamp("ns", tz="UTC")),
        "wait": pa.array([1_000_001, None], pa.duration("ns")),
        "hour": pa.array([3_600_000_000_001, None], pa.time64("ns")),
        "nothing": pa.nulls(2),
    }
    parquet.write_table(pa.table(columns), path)
    found = read_table(path)
    assert found["word"].tolist() == ["a", None]
    assert found["price"].tolist()[0] == 1.0
    assert found["small"].tolist() == [1.5, 2.0]
    moment = found["at"].tolist()[0]
    assert moment == dt.datetime(2023, 11, 14, 22, 13, 20, tzinfo=dt.UTC)
    assert found["wait"].tolist() == [dt.timedelta(milliseconds=1), None]
    assert found["hour"].tolist() == [dt.time(1), None]
    assert np.isnan(found["nothing"]).all()
    assert len(Space.infer(found)) == 7


def test_a_column_of_lists_is_rejected(tmp_path):
    path = tmp_path / "table.parquet"
    parquet.write_table(pa.table({"a": [[1, 2]]}), path)
    for hidden in (None, "pyarrow"):
        with pytest.MonkeyPatch.context() as patch:
            hide(patch, hidden)
            with pytest.raises(FormatError, match=r"table\.parquet: column 'a' must contain"):
                read_table(path)


def hide(patch, *modules):
    """Pretend that modules are not installed."""
    real = builtins.__import__

    def find(name, *rest):
        if name.split(".")[0] in modules:
            raise ImportError(name)
        return real(name, *rest)

    patch.setattr(builtins, "__import__", find)


def test_polars_reads_and_writes_parquet_as_well(tmp_path, monkeypatch):
    write_table(COLUMNS, tmp_path / "a.parquet")
    wanted = read_table(tmp_path / "a.parquet")
    hide(monkeypatch, "pyarrow")
    write_table(COLUMNS, tmp_path / "b.parquet")
    for name in ("a.parquet", "b.parquet"):
        found = read_table(tmp_path / name)
        assert {k: repr(v) for k, v in found.items()} == {k: repr(v) for k, v in wanted.items()}


@pytest.mark.parametrize(("name", "message"), [
    ("a.parquet", "Parquet needs pyarrow or polars: pip install 'irenic[parquet]'"),
    ("a.xlsx", "workbooks need openpyxl: pip install 'irenic[xlsx]'"),
])  # fmt: skip
def test_a_library_that_is_not_installed_is_named(tmp_path, monkeypatch, name, message):
    path = tmp_path / name
    path.write_bytes(b"x")
    hide(monkeypatch, "pyarrow", "polars", "openpyxl")
    for call in (read_table, lambda path: write_table(COLUMNS, path)):
        with pytest.raises(FormatError) as caught:
            call(path)
        assert str(caught.value) == f"{path}: {message}"
    assert path.read_bytes() == b"x"


# --- bad files


@pytest.mark.parametrize(("name", "message"), [
    ("a.parquet", ": not a Parquet file: "), ("a.xlsx", ": not an .xlsx workbook, or damaged"),
    ("a.csv.gz", ": not a gzip file"),
])  # fmt: skip
def test_a_broken_file_is_rejected(tmp_path, name, message):
    path = tmp_path / name
    write_table(COLUMNS, path)
    for raw in (b"garbage", path.read_bytes()[:-20]):
        path.write_bytes(raw)
        with pytest.raises(FormatError) as caught:
            read_table(path)
        assert str(caught.value).startswith(f"{path}{message}")
        assert "\n" not in str(caught.value)


def test_a_failed_write_leaves_nothing_behind(tmp_path):
    with pytest.raises(FormatError, match=r"^.*a\.pdf: tables are written to \.csv, \.csv\.gz, "):
        write_table(COLUMNS, tmp_path / "a.pdf")
    (tmp_path / "dir.csv").mkdir()
    (tmp_path / "file").write_text("")
    for name, failure in (
        ("none/a.csv", "No such file or directory"), ("dir.csv", "Is a directory"),
        ("file/a.csv", "Not a directory"),
    ):  # fmt: skip
        with pytest.raises(FileError) as caught:
            write_table(COLUMNS, tmp_path / name)
        assert str(caught.value) == f"cannot write {tmp_path / name}: {failure}"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dir.csv", "file"]


def test_columns_are_selected_with_their_cells():
    table = Table({"a": column(1), "b": column(2)}, cells={"a": ["01"], "b": ["02"]})
    assert table.select(["b"]).cells == {"b": ["02"]}
