"""Tables that are read in blocks, which have the same values as whole ones."""

from __future__ import annotations

import datetime as dt
from contextlib import nullcontext

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import dataset, parquet

from irenic import Space
from irenic.errors import DataError, FileError, FormatError
from irenic.frames import _parquet, csv, sources
from irenic.frames.columns import Table, as_values
from irenic.frames.files import reading_only, write_file
from irenic.frames.sources import open_source, read_source, sample_table, write_blocks
from strategies import examples


def test_other_values_are_no_sources():
    for value in (None, {"a": [1]}, [[1, 2]], "people.csv", "x" * 100_000, "a\0b"):
        assert open_source(value) is None
    for table in (pl.DataFrame({"a": [1]}), pa.table({"a": [1]})):
        assert open_source(table) is None


def test_blocks_have_all_rows_in_order(monkeypatch):
    monkeypatch.setattr(sources, "BLOCK_ROWS", 10)
    for rows in (0, 1, 9, 10, 11, 35):
        table = pa.table({"a": list(range(rows)), "b": [str(i) for i in range(rows)]})
        batches = [table.slice(i, 7) for i in range(0, rows, 7)]
        source = sources.BatchSource(
            table.schema, lambda _, batches=batches: batches, lambda rows=rows: rows
        )
        blocks = list(source.run(lambda block, first: (first, block["a"].to_pylist()), ["a"]))
        assert [value for _, values in blocks for value in values] == list(range(rows))
        assert all(first == values[0] and len(values) <= 10 for first, values in blocks)
        assert read_source(source, ["a"]).num_rows == len(source) == rows


def test_a_sample_is_evenly_spaced(monkeypatch):
    monkeypatch.setattr(sources, "BLOCK_ROWS", 7)
    source = open_source(pl.LazyFrame({"a": range(100)}))
    assert sample_table(source, 10)["a"].tolist() == list(range(0, 100, 10))
    assert sample_table(source, 1000)["a"].tolist() == list(range(100))


def test_dictionaries_and_views_are_read_as_text():
    source = open_source(dataset.dataset(pa.table({"d": pa.array(["x"]).dictionary_encode()})))
    kinds = list(source.run(lambda block, _: block.schema.field("d").type, ["d"]))
    assert kinds == [pa.large_string()]


def test_blocks_are_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "out.parquet"

    def tables(*, fail):
        yield pa.table({"a": [1, 2]})
        write_file(tmp_path / "other.txt", "text")  # clears only what killed runs have left
        yield pa.table({"a": [3]})
        if fail:
            raise DataError("no")

    for fail in (False, True):
        with pytest.raises(DataError, match="no") if fail else nullcontext():
            assert write_blocks(tables(fail=fail), path) == 3
        assert parquet.read_table(path)["a"].to_pylist() == [1, 2, 3]
        assert sorted(each.name for each in tmp_path.iterdir()) == ["other.txt", "out.parquet"]
    with pytest.raises(FileError, match="cannot write"):
        write_blocks(tables(fail=False), tmp_path / "none" / "out.parquet")


def test_sources_are_read_inside_a_folder_only(tmp_path):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder in (inside / "parts", inside / "links", outside):
        folder.mkdir(parents=True)
    for folder in (inside / "parts", outside):
        parquet.write_table(pa.table({"a": [1, 2]}), folder / "rows.parquet")
    (inside / "links" / "rows.parquet").symlink_to(outside / "rows.parquet")
    (inside / "folder").symlink_to(outside)
    with reading_only(inside):
        for name in ("parts", "parts/rows.parquet"):
            assert len(open_source(inside / name)) == 2
        for path in (outside, outside / "rows.parquet", *map(inside.joinpath, ("links", "folder"))):
            with pytest.raises(FileError, match="it is outside the folder"):
                open_source(path)
        with pytest.raises(FileError, match="files are only read here"):
            write_blocks([pa.table({"a": [1]})], inside / "out.parquet")
    assert not (inside / "out.parquet").exists()
    assert len(open_source(inside / "links")) == 2


def test_a_block_of_a_small_file_has_limited_text(tmp_path, monkeypatch):
    column = pa.array(["x" * 10_000, None] * 500).dictionary_encode()
    table = pa.table({"a": column, "b": column.cast(pa.string()), "c": list(range(1000))})
    path = tmp_path / "rows.parquet"
    parquet.write_table(table, path)
    assert read_source(open_source(path))["b"].to_pylist() == table["b"].to_pylist()
    monkeypatch.setattr(_parquet, "_FEW_CHARACTERS", 100_000)
    most = max(100_000, 100 * path.stat().st_size)
    assert read_source(open_source(path), ["c"]).num_rows == 1000
    with pytest.raises(FormatError) as caught:
        read_source(open_source(path), ["a", "b"])
    assert str(caught.value).startswith(f"{path}: a Parquet file of 0.0 MB must have at most")
    assert f"at most {most:,} characters, got 10,000,000;" in str(caught.value)
    with pytest.raises(FormatError, match=f"{tmp_path.name}: a Parquet file of"):
        read_source(open_source(tmp_path), ["a", "b"])


# --- CSV

CELLS = ["", "NA", "?", "1", "-3", "2.5", "1e3", "true", "False", "2026-01-31", "2026-02-01T10:30",
         "10:30", "2026-02-01T10:30:00Z", "x", " 4", "nan", "null"]  # fmt: skip
KINDS = [CELLS, ["1", "", "NA", "7"], ["1", "2.5", "NA"], ["2026-01-31", "2026-02-01T10:30", ""],
         ["true", "FALSE", ""], ["NA", "?"], ["", "10:30"], ["x", "NA", "", "1"],
         ["2026-02-01T10:30:00Z", ""]]  # fmt: skip


@st.composite
def texts(draw):
    n = draw(st.integers(0, 9))
    columns = [
        draw(st.lists(st.sampled_from(draw(st.sampled_from(KINDS))), min_size=n, max_size=n))
        for _ in range(3)
    ]
    return "\n".join(["a,b,c", *map(",".join, zip(*columns, strict=True)), ""])


def zoned(value):
    return isinstance(value, dt.datetime) and value.tzinfo is not None


def plain(values):
    return [value.replace(tzinfo=None) if zoned(value) else value for value in values]


def mixed(column):
    """Return whether datetimes with and without time zones are in one column."""
    return len({zoned(v) for v in as_values(column) if isinstance(v, dt.datetime)}) == 2


@given(texts(), st.integers(1, 4))
@examples(3)
def test_blocks_of_csv_have_the_values_of_the_whole(tmp_path_factory, text, n_rows):
    whole = csv.loads(text.encode())
    path = tmp_path_factory.getbasetemp() / "blocks.csv"
    path.write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "BLOCK_ROWS", n_rows)
        source = sources.open_csv(path)
        assert len(source) == whole.shape[0]
        if any(map(mixed, whole.values())):
            return
        read = Table(_parquet.columns_of(read_source(source)))
        small = sources.distinct_table(source)
    assert list(read) == list(whole)
    for name in whole:
        assert plain(as_values(read[name])) == plain(as_values(whole[name]))
    if whole.shape[0]:
        assert Space.infer(small) == Space.infer(read)
