"""Reading and writing through pipes, devices, folders, links and invalid names."""

from __future__ import annotations

import gc
import math
import os
import socket
import stat
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import irenic
from irenic import FileError, FormatError, Rule, RuleSet
from irenic.frames.files import check_target, read_bytes, write_file
from irenic.frames.table import read_table, write_table

pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


@pytest.fixture
def rules():
    return RuleSet([Rule({"age": (0, 10)}, then="child")])


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def loop(folder, suffix=".json"):
    a, b = folder / f"a{suffix}", folder / f"b{suffix}"
    a.symlink_to(b)
    b.symlink_to(a)
    return a


def in_background(read):
    """Start to read from a pipe, because writing to it waits for a reader."""
    parts = []
    thread = threading.Thread(target=lambda: parts.append(read()), daemon=True)
    thread.start()

    def result():
        thread.join(10)
        return parts[0] if parts else None

    return result


# --- pipes and devices


@pipes
def test_writing_to_a_pipe_keeps_it_a_pipe(tmp_path, rules):
    pipe = tmp_path / "rules.json"
    os.mkfifo(pipe)
    received = in_background(pipe.read_text)
    check_target(pipe)  # must not open it: the reader would see the end of the file
    irenic.write(rules, pipe)
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert names_in(tmp_path) == ["rules.json"]
    copy = tmp_path / "copy.json"
    copy.write_text(received())
    assert irenic.read(copy) == rules


@pipes
def test_a_link_to_a_pipe_is_followed(tmp_path):
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    received = in_background(pipe.read_bytes)
    write_file(link, b"some bytes")
    assert received() == b"some bytes"
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert link.is_symlink()
    assert names_in(tmp_path) == ["link", "pipe"]


@pipes
def test_a_link_to_an_unnamed_pipe_is_followed(tmp_path):
    if not os.path.isdir("/proc/self/fd"):  # noqa: PTH112
        pytest.skip("this system does not list open files")
    reader, writer = os.pipe()
    link = tmp_path / "out.json"
    link.symlink_to(f"/proc/self/fd/{writer}")  # like /dev/stdout
    write_file(link, b"some bytes")
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        assert stream.read() == b"some bytes"
    assert names_in(tmp_path) == ["out.json"]


@pipes
def test_a_broken_pipe_is_reported(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    closed = in_background(lambda: os.close(os.open(pipe, os.O_RDONLY)))
    with pytest.raises(FileError, match=f"^cannot write {pipe}: Broken pipe$"):
        write_file(pipe, b"x" * 2**20)
    closed()
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert names_in(tmp_path) == ["pipe"]


def pretend(monkeypatch, path, kind):
    """Make a regular file look like a file of another kind."""
    real = os.stat

    def fake(name, **options):
        result = real(name, **options)
        if os.fspath(name) != str(path):
            return result
        return os.stat_result((kind | 0o666, *result[1:]))

    monkeypatch.setattr(os, "stat", fake)


def test_a_character_device_is_written_to_and_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "device"
    path.write_text("")
    before = path.stat().st_ino
    pretend(monkeypatch, path, stat.S_IFCHR)
    write_file(path, b"some bytes")
    assert path.read_bytes() == b"some bytes"
    assert path.stat().st_ino == before
    assert names_in(tmp_path) == ["device"]


@pytest.mark.parametrize(
    ("kind", "noun"), [(stat.S_IFBLK, "a block device"), (stat.S_IFSOCK, "a socket")]
)
def test_block_devices_and_sockets_are_rejected(tmp_path, monkeypatch, kind, noun):
    path = tmp_path / "out.json"
    path.write_text("old")
    pretend(monkeypatch, path, kind)
    for call in (check_target, lambda target: write_file(target, b"new")):
        with pytest.raises(FileError) as caught:
            call(path)
        assert str(caught.value) == f"cannot write {path}: it is {noun}; write to a file or a pipe"
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["out.json"]


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="this system has no Unix sockets")
def test_a_socket_is_not_replaced(tmp_path, monkeypatch, rules):
    monkeypatch.chdir(tmp_path)  # socket names must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("out.json")
        with pytest.raises(FileError, match=r"^cannot write out\.json: it is a socket; write to"):
            irenic.write(rules, "out.json")
        assert stat.S_ISSOCK((tmp_path / "out.json").lstat().st_mode)
    assert names_in(tmp_path) == ["out.json"]


# --- links


def test_writing_to_a_dangling_link_creates_its_target(tmp_path, rules):
    link = tmp_path / "link.json"
    link.symlink_to("target.json")
    irenic.write(rules, link)
    assert link.is_symlink()
    assert irenic.read(tmp_path / "target.json") == rules
    assert names_in(tmp_path) == ["link.json", "target.json"]


def test_a_link_to_a_folder_is_rejected(tmp_path, rules):
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link.json"
    link.symlink_to("folder")
    with pytest.raises(FileError, match=f"^cannot write {link}: Is a directory$"):
        irenic.write(rules, link)
    assert link.is_symlink()
    assert names_in(tmp_path / "folder") == []


def test_a_link_into_a_nonexistent_folder_is_rejected(tmp_path, rules):
    link = tmp_path / "link.json"
    link.symlink_to("none/target.json")
    with pytest.raises(FileError, match=f"^cannot write {link}: No such file or directory$"):
        irenic.write(rules, link)
    assert names_in(tmp_path) == ["link.json"]


def test_circular_links_are_rejected(tmp_path, rules):
    path = loop(tmp_path)
    message = "Too many levels of symbolic links"
    for call in (check_target, lambda target: irenic.write(rules, target)):
        with pytest.raises(FileError, match=f"^cannot write {path}: {message}$"):
            call(path)
    with pytest.raises(FileError, match=f"^cannot read {path}: {message}$"):
        irenic.read(path)
    assert path.is_symlink()
    assert names_in(tmp_path) == ["a.json", "b.json"]
    with pytest.raises(FileError, match=f"^cannot write {path / 'x.json'}: {message}$"):
        irenic.write(rules, path / "x.json")


# --- invalid names


def test_a_null_character_in_a_name_is_rejected(rules):
    message = r"^cannot {} 'a\\x00b\.json': names must not contain a null character$"
    with pytest.raises(FileError, match=message.format("write")):
        irenic.write(rules, "a\0b.json")
    with pytest.raises(FileError, match=message.format("write")):
        check_target(Path("a\0b.json"))
    with pytest.raises(FileError, match=message.format("read")):
        irenic.read("a\0b.json")
    with pytest.raises(FileError, match=r"^cannot read 'a\\x00b': names must not contain a null"):
        irenic.read("a\0b")


def test_a_name_that_is_too_long_is_rejected(tmp_path, rules):
    path = tmp_path / f"{'x' * 300}.json"
    with pytest.raises(FileError, match=r"^cannot write .*: File name too long$"):
        irenic.write(rules, path)
    with pytest.raises(FileError, match=r"^cannot read .*: File name too long$"):
        irenic.read(path)


# --- atomic writes


def test_a_read_only_folder_is_rejected_before_the_work(tmp_path, monkeypatch):
    path = tmp_path / "old.json"
    path.write_text("old")
    real = os.access
    monkeypatch.setattr(os, "access", lambda name, mode: name != tmp_path and real(name, mode))
    for target in (path, tmp_path / "new.json"):
        with pytest.raises(FileError) as caught:
            check_target(target)
        assert str(caught.value) == f"cannot write {target}: the folder {tmp_path} is not writable"
    assert path.read_text() == "old"


def test_the_replacement_of_a_private_file_is_private_from_the_start(tmp_path, monkeypatch):
    path = tmp_path / "ages.json"
    path.write_text("old")
    path.chmod(0o600)
    modes = []
    real = os.fsync

    def look(descriptor):
        modes.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", look)
    write_file(path, b"new")
    assert modes == [0o600]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_full_disk_leaves_no_partial_file(tmp_path, monkeypatch):
    path = tmp_path / "ages.json"

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match=f"^cannot write {path}: No space left on device$"):
        write_file(path, b"new")
    assert names_in(tmp_path) == []


def test_bytes_are_read_unchanged(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\0\xff")
    assert read_bytes(path) == b"\0\xff"


def test_a_workbook_that_cannot_be_written_causes_no_further_errors(tmp_path, monkeypatch):
    errors = []
    monkeypatch.setattr(sys, "unraisablehook", errors.append)
    path = tmp_path / "a.xlsx"
    rules = [Rule({"age": (0, 10)}, then="b"), Rule({"age": (20, 30)}, then=math.inf)]
    with pytest.raises(
        FormatError, match="inf of type float cannot be written to a decision table"
    ):
        irenic.write(RuleSet(rules), path)
    with pytest.raises(FormatError, match="a cell contains a control character"):
        write_table({"a": np.array(["b", "\x01"], dtype=object)}, path)
    gc.collect()
    assert errors == []
    assert names_in(tmp_path) == []


def test_a_workbook_does_not_truncate_texts(tmp_path):
    path = tmp_path / "a.xlsx"

    def of(size):
        rules = RuleSet([Rule({"age": (0, 10)}, then="a" * size)])
        return rules, {"a": np.array(["b", "a" * size], dtype=object)}

    rules, table = of(32_767)
    irenic.write(rules, path)
    assert irenic.read(path, space=rules.space) == rules
    write_table(table, path)
    assert read_table(path)["a"].tolist() == table["a"].tolist()
    before = path.read_bytes()
    rules, table = of(32_768)
    message = "a cell must have at most 32,767 characters, got 32,768; write .csv instead"
    for call in (lambda: irenic.write(rules, path), lambda: write_table(table, path)):
        with pytest.raises(FormatError) as caught:
            call()
        assert str(caught.value) == f"{path}: {message}"
    assert path.read_bytes() == before
