"""Small files that unpack to much, and files without an end: refused within 1 GB and 5 seconds.

``IRENIC_HOSTILE=nightly pytest tests/hostile`` reads all of them, also with the real commands.
"""

from __future__ import annotations

import io
import os
import sys
import zipfile

import bombs
import pytest
from limited import GB, read_all, run
from profiles import IS_NIGHTLY, nightly

import irenic
from irenic import FileError, FormatError
from irenic.frames import files, unpacking
from irenic.frames.table import read_table

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs limits of Linux")

SECONDS = 5
MEMORY = 1 * GB
TAGS = "XML tags"
SAME = "two sheets of the workbook have the same cells"
ENTITIES = "document types and entities are not allowed"
ROWS = "at most 1,048,576 rows"

# What readers of rules and of instances say, which is often the same; "" if they read it.
WORKBOOKS = {
    bombs.one_cell: ("at most 128 MB when unpacked", "at most 512 MB when unpacked"),
    bombs.one_cell_lying: ("at most 128 MB when unpacked", "at most 512 MB when unpacked"),
    bombs.corners: ("must have columns other than the outcome", "column 2 has no name"),
    bombs.far_row: (ROWS, ROWS),
    bombs.many_sheets: (SAME, SAME),
    bombs.merged: ("at most 5,000,000 merged cells", ""),
    bombs.entities: (ENTITIES, ENTITIES),
}
WORKBOOKS = {maker: WORKBOOKS.get(maker, (TAGS, TAGS)) for maker in bombs.WORKBOOKS}
SPREADSHEETS = {
    bombs.ods_one_cell: "at most 128 MB when unpacked",
    bombs.ods_one_cell_lying: "at most 128 MB when unpacked",
    bombs.ods_repeated: "100,000 that repeat others",
    bombs.ods_repeated_often: "100,000 that repeat others",
    bombs.ods_spanned: "two columns are named 'x'",
    bombs.ods_elements: TAGS,
    bombs.ods_deep: TAGS,
}
TEXTS = {
    "commas.csv": "a row must have at most 100,000 cells, got 31,457,281",
    "commas-below.csv": "line 2: a row must have at most 100,000 cells",
    "semicolons.csv": "a row must have at most 100,000 cells",
    "quotes.csv": "field larger than field limit",
    "open-quote.csv": "field larger than field limit",
    "tabs.tsv": "a row must have at most 100,000 cells",
    "pipes.md": "no table",
    "tables.md": "too many tables",
    "lists.json": "at most 10,000,000 values",
    "deep.json": "at most 10,000,000 values",
    "numbers.json": "at most 10,000,000 values",
    "digits.json": "a number must have fewer than",
    "keys.json": "nested at most",
    "line.rules": "a line must have at most 1,000,000 characters, got 31,457,",
    "parentheses.rules": "a line must have at most 1,000,000 characters",
    "lines.rules": "",
    "signs.rules": "found '('",
    "word.rules": "a line must have at most 1,000,000 characters",
    "elements.dmn": "at most 2,500,000 elements",
    "word-cell.csv": "a value without quotes must have at most 1,000 characters, got 60,000",
    "name-cell.csv": "the name of a column must have at most 1,000 characters, got 60,002",
    "escapes-cell.csv": "the quotes around a text are not closed",
    "declared-cell.csv": "a value without quotes must have at most 1,000 characters, got 60,",
    "letters-cell.csv": "a value without quotes must have at most 1,000 characters, got 60,000",
    "attributes.dmn": "not XML",
    "deep.dmn": "nested at most 200 deep",
}
PARQUETS = {
    bombs.parquet_rows: "at most 6,557,",
    bombs.parquet_text: "at most 67,108,864 characters",
    bombs.parquet_columns: "",
}
# Quick to make, and each the only one of its kind.
QUICK = [bombs.long_row, bombs.corners, bombs.wide_rows, bombs.many_sheets, bombs.entities,
         bombs.far_row]  # fmt: skip


def check(answers, memory, wanted):
    for name, text in wanted.items():
        seconds, error = answers[name]
        assert text in error, (name, error)
        assert bool(text) <= bool(error), name
        assert seconds < SECONDS, (name, seconds)
    assert memory < MEMORY, f"{memory / 2**20:,.0f} MB for {', '.join(wanted)}"


def check_read(reader, folder, files):
    """Make files, and assert what a reader says about them; files are pairs of maker and text."""
    for name, (write, _) in files.items():
        write(folder / name)
    answers, memory = read_all(reader, [folder / name for name in files], folder)
    check(answers, memory, {name: text for name, (_, text) in files.items()})


def named(wanted, ending):
    """Return files by the names of their makers."""
    return {f"{maker.__name__}.{ending}": (maker, text) for maker, text in wanted.items()}


def workbooks(place):
    return {maker: WORKBOOKS[maker][place] for maker in nightly(WORKBOOKS, otherwise=QUICK)}


def test_files_of_rules(tmp_path):
    sheets = nightly(SPREADSHEETS, otherwise=[bombs.ods_repeated, bombs.ods_spanned])
    texts = nightly(TEXTS, otherwise=[
        "commas.csv", "tables.md", "lists.json", "deep.dmn", "word-cell.csv", "name-cell.csv",
        "escapes-cell.csv", "declared-cell.csv", "letters-cell.csv",
    ])  # fmt: skip
    files = named(workbooks(0), "xlsx")
    files |= named({maker: SPREADSHEETS[maker] for maker in sheets}, "ods")
    files |= {name: (bombs.TEXTS[name], TEXTS[name]) for name in texts}
    check_read("rules", tmp_path, files)


def test_tables_of_instances(tmp_path):
    pytest.importorskip("pyarrow")
    texts = nightly(TEXTS, otherwise=["commas.csv", "word-cell.csv"])
    files = named(workbooks(1), "xlsx")
    wanted = {name: text for name, text in TEXTS.items() if name.endswith(".csv")}
    wanted |= {name: "" for name in wanted if name.endswith("-cell.csv")}  # a text may be long
    files |= {name: (bombs.TEXTS[name], wanted[name]) for name in texts if name in wanted}
    parquets = nightly(PARQUETS, otherwise=[bombs.parquet_text])
    files |= named({maker: PARQUETS[maker] for maker in parquets}, "parquet")
    small = bombs.zipped(b"age\n", (b"1\n", 10 * bombs.MB))
    zipped = nightly(bombs.INSTANCES, otherwise={"small.csv.gz": small})
    files |= {name: (write, "at most 100 times its size") for name, write in zipped.items()}
    check_read("instances", tmp_path, files)


@pytest.mark.parametrize(
    "command",
    nightly(
        ["check zero.csv", "check zero.json", "check zero.xlsx", "check zero.rules",
         "check zero.dmn", "predict rules.txt zero.csv", "predict rules.txt zero.xlsx",
         "predict rules.txt zero.parquet", "check rules.txt --space zero.json",
         "check rules.txt --data zero.csv", "test rules.txt zero.json", "learn zero.csv",
         "verify zero.json rules.txt", "prove rules.txt --properties zero.txt",
         "report rules.txt zero.csv"],
        otherwise=["check zero.csv", "check zero.json", "predict rules.txt zero.csv"],
    ),
)  # fmt: skip
def test_an_endless_device_is_not_read_to_its_end(tmp_path, command):
    (tmp_path / "rules.txt").write_text("IF age < 18 THEN free\n")
    (tmp_path / next(a for a in command.split() if a.startswith("zero"))).symlink_to("/dev/zero")
    ended = run(*command.split(), cwd=tmp_path, seconds=20)
    assert ended.status == 2
    assert ended.memory < MEMORY
    assert ended.seconds < SECONDS + 2  # of which the start takes up to two
    assert "MB, got more" in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.skipif(not IS_NIGHTLY, reason="takes a minute: IRENIC_HOSTILE=nightly")
@pytest.mark.parametrize("maker", bombs.WORKBOOKS)
@pytest.mark.parametrize("command", ["check", "predict", "init", "learn", "report", "test"])
def test_commands_read_workbooks_within_limits(tmp_path, maker, command):
    (tmp_path / "rules.txt").write_text("IF age < 18 THEN free\n")
    maker(tmp_path / "bomb.xlsx")
    arguments = {
        "check": ["bomb.xlsx"],
        "predict": ["rules.txt", "bomb.xlsx"],
        "init": ["bomb.xlsx", "-o", "out.xlsx"],
        "learn": ["bomb.xlsx", "--seconds", "1"],
        "report": ["rules.txt", "bomb.xlsx"],
        "test": ["rules.txt", "bomb.xlsx"],
    }[command]
    ended = run(command, *arguments, cwd=tmp_path)
    assert ended.status in (0, 1, 2), ended.err
    assert "Traceback" not in ended.err
    assert ended.memory < MEMORY
    assert ended.seconds < SECONDS + 10 * (ended.status != 2)  # it may have work to do


# --- the limits, one by one and in this process


def small_workbook(**changes):
    return bombs.as_bytes(lambda file: bombs.workbook(file, bombs.HEADER, bombs.BODY, **changes))


def test_a_small_workbook_is_read(tmp_path):
    raw = small_workbook()
    assert [str(rule) for rule in irenic.loads(raw, format="xlsx")] == ["IF age = 1 THEN x"]
    (tmp_path / "a.xlsx").write_bytes(raw)
    assert read_table(tmp_path / "a.xlsx").shape == (1, 2)
    # also behind other bytes
    unpacking.check_archive(b"#!/bin/sh\n" + raw, "a workbook")


@pytest.mark.parametrize("size", [10, 10_000])
def test_a_wrong_size_is_damage(tmp_path, size):
    path = tmp_path / "a.xlsx"
    path.write_bytes(small_workbook())
    bombs.with_size(path, b"xl/worksheets/sheet1.xml", size)
    for read in (read_table, irenic.read):
        with pytest.raises(FormatError, match="damaged"):
            read(path)


def test_an_unusual_method_is_damage():
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", method) as archive:
            archive.writestr("xl/workbook.xml", b"<workbook/>")
        with pytest.raises(zipfile.BadZipFile):
            unpacking.check_archive(file.getvalue(), "a workbook")


def test_a_declaration_across_chunks_is_found(monkeypatch):
    monkeypatch.setattr(unpacking, "_CHUNK", 7)
    entity = b'<!DOCTYPE a [<!ENTITY b "c">]><a/>'
    raw = small_workbook(styles=[entity])
    with pytest.raises(FormatError, match=ENTITIES):
        unpacking.check_archive(raw, "a workbook")


def test_a_long_text_in_a_cell_is_refused(tmp_path):
    row = b"<row>" + bombs.inline("x" * 32_768, "A2") + bombs.inline("y", "B2") + b"</row>"
    path = tmp_path / "a.xlsx"
    bombs.workbook(path, bombs.HEADER, row)
    for read in (irenic.read, read_table):
        with pytest.raises(FormatError, match="at most 32,767 characters, got 32,768"):
            read(path)


def test_gzip_files_in_a_row_are_one():
    import gzip

    raw = gzip.compress(b"age\n") + gzip.compress(b"31\n") + b"\0" * 20
    assert unpacking.gunzip(raw) == gzip.decompress(raw) == b"age\n31\n"
    for damaged in (raw[:-30], raw[:5], b"", b"age\n31\n"):
        with pytest.raises((EOFError, unpacking.zlib.error)):
            unpacking.gunzip(damaged)


def test_a_pipe_that_gives_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_MOST_STREAMED", 2**20)
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.close(reader)
        try:
            while True:
                os.write(writer, b"1\n" * 1000)
        finally:
            os._exit(0)
    os.close(writer)
    with (
        os.fdopen(reader, "rb") as stream,
        pytest.raises(FormatError, match=r"^a pipe or device must give at most 1 MB, got more"),
    ):
        read_table(stream, format="csv")
    os.wait()


def test_a_text_stream_has_the_same_limit():
    text = io.StringIO("IF age < 18 THEN free\n" * 10)
    with pytest.raises(FormatError, match="at most 0 MB, got more; split it"):
        files.read_bytes(text, 100)
    text.seek(0)
    assert len(files.read_bytes(text, 300)) == 223  # with a byte order mark


def test_a_folder_or_missing_file_is_still_an_error(tmp_path):
    for path in (tmp_path, tmp_path / "none.csv"):
        with pytest.raises(FileError, match=r"^cannot read"):
            files.read_bytes(path)


def test_init_does_not_make_every_merged_cell(tmp_path):
    refs = '<mergeCells><mergeCell ref="C3:XFD1048576"/></mergeCells>'
    path = tmp_path / "a.xlsx"
    bombs.workbook(path, bombs.HEADER, bombs.BODY, after=refs)
    ended = run("init", path, "-o", "b.xlsx", cwd=tmp_path)
    assert ended.status == 2
    assert ended.err.endswith("at most 500,000 merged cells; unmerge whole rows and columns\n")
    assert ended.memory < MEMORY
