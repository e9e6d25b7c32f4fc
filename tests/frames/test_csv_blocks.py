"""CSV files that are read in blocks: the same values as from whole files."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irenic import Space
from irenic.errors import FormatError
from irenic.frames import csv, sources
from irenic.frames._parquet import columns_of
from irenic.frames.columns import Table, as_values
from strategies import examples

CELLS = ["", "NA", "?", "1", "-3", "2.5", "1e3", "true", "False", "2026-01-31", "2026-02-01T10:30",
         "10:30", "2026-02-01T10:30:00Z", "x", " 4", "nan", "null"]  # fmt: skip
KINDS = [CELLS, ["1", "", "NA", "7"], ["1", "2.5", "NA"], ["2026-01-31", "2026-02-01T10:30", ""],
         ["true", "FALSE", ""], ["NA", "?"], ["", "10:30"], ["x", "NA", "", "1"],
         ["2026-02-01T10:30:00Z", ""]]  # fmt: skip


@st.composite
def tables(draw):
    n = draw(st.integers(0, 9))
    columns = [
        draw(st.lists(st.sampled_from(draw(st.sampled_from(KINDS))), min_size=n, max_size=n))
        for _ in range(3)
    ]
    lines = ["a,b,c", *(",".join(row) for row in zip(*columns, strict=True))]
    return "\n".join(lines) + "\n"


def plain(values):
    return [value.replace(tzinfo=None) if isinstance(value, dt.datetime) else value
            for value in values]  # fmt: skip


def mixed(column):
    """Return whether datetimes with and without time zones are in one column."""
    zones = {value.tzinfo is None for value in as_values(column) if isinstance(value, dt.datetime)}
    return len(zones) == 2


@given(tables(), st.integers(1, 4))
@examples(10)
def test_blocks_have_the_values_of_the_whole(tmp_path_factory, text, n_rows):
    whole = csv.loads(text.encode())
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    path.write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "BLOCK_ROWS", n_rows)
        source = sources.open_csv(path)
        assert len(source) == whole.shape[0]
        if any(map(mixed, whole.values())):
            return
        read = Table(columns_of(sources.read_source(source)))
        small = sources.distinct_table(source)
    assert list(read) == list(whole)
    for name in whole:
        assert plain(as_values(read[name])) == plain(as_values(whole[name]))
    if whole.shape[0]:
        assert Space.infer(small) == Space.infer(read)


def test_errors_name_the_file_and_the_line(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n3\n")
    with pytest.raises(FormatError, match=r"a\.csv, line 3: a row must have 2 cells, got 1"):
        sources.open_csv(path)
    path.write_bytes(b"a,b\n1,\xff\n")
    with pytest.raises(FormatError, match="not UTF-8 text"):
        sources.open_csv(path)
    path.write_text("")
    with pytest.raises(FormatError, match="the table is empty"):
        sources.open_csv(path)
