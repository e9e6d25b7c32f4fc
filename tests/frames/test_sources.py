"""Tables that are read in blocks."""

from __future__ import annotations

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import dataset, parquet

from irenic.errors import DataError, FileError, FormatError
from irenic.frames import _parquet, sources
from irenic.frames.files import reading_only, write_file
from irenic.frames.sources import open_source, read_source, sample_table, write_blocks


def test_other_values_are_no_sources():
    for value in (None, {"a": [1]}, [[1, 2]], "people.csv", "x" * 100_000, "a\0b"):
        assert open_source(value) is None
    assert open_source(pl.DataFrame({"a": [1]})) is None
    assert open_source(pa.table({"a": [1]})) is None


@pytest.mark.parametrize("rows", [0, 1, 9, 10, 11, 35])
def test_blocks_have_all_rows_in_order(monkeypatch, rows):
    monkeypatch.setattr(sources, "BLOCK_ROWS", 10)
    table = pa.table({"a": list(range(rows)), "b": [str(i) for i in range(rows)]})
    batches = [table.slice(i, 7) for i in range(0, rows, 7)]
    source = sources.BatchSource(table.schema, lambda names: batches, lambda: rows)
    blocks = list(source.run(lambda block, first: (first, block["a"].to_pylist()), ["a"]))
    assert [value for _, values in blocks for value in values] == list(range(rows))
    assert all(first == values[0] and len(values) <= 10 for first, values in blocks)
    assert read_source(source, ["a"]).num_rows == len(source) == rows


def test_dictionaries_and_views_are_read_as_text():
    table = pa.table({"d": pa.array(["x", None, "x"]).dictionary_encode()})
    source = open_source(dataset.dataset(table))
    kinds = list(source.run(lambda block, _: block.schema.field("d").type, ["d"]))
    assert kinds == [pa.large_string()]


def test_a_sample_is_evenly_spaced(monkeypatch):
    monkeypatch.setattr(sources, "BLOCK_ROWS", 7)
    source = open_source(pl.LazyFrame({"a": range(100)}))
    assert sample_table(source, 10)["a"].tolist() == list(range(0, 100, 10))
    assert sample_table(source, 1000)["a"].tolist() == list(range(100))


def test_blocks_are_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "out.parquet"
    tables = [pa.table({"a": [1, 2]}), pa.table({"a": [3]})]
    assert write_blocks(iter(tables), path) == 3
    assert parquet.read_table(path)["a"].to_pylist() == [1, 2, 3]

    def failing():
        yield tables[0]
        raise DataError("no")

    with pytest.raises(DataError, match="no"):
        write_blocks(failing(), path)
    assert parquet.read_table(path).num_rows == 3
    assert [each.name for each in tmp_path.iterdir()] == ["out.parquet"]
    with pytest.raises(FileError, match="cannot write"):
        write_blocks(iter(tables), tmp_path / "none" / "out.parquet")


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


def test_a_file_is_kept_while_others_are_written_beside_it(tmp_path):
    table = pa.table({"a": [1]})

    def tables():
        yield table
        write_file(tmp_path / "other.txt", "text")  # clears what killed runs have left
        yield table

    assert write_blocks(tables(), tmp_path / "out.parquet") == 2
    assert sorted(each.name for each in tmp_path.iterdir()) == ["other.txt", "out.parquet"]


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
