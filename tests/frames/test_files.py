"""What names of files may lead to: pipes, devices, folders, links, and nothing at all."""

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
    """Start a reader of a pipe: writing to one waits for it."""
    parts = []
    thread = threading.Thread(target=lambda: parts.append(read()), daemon=True)
    thread.start()

    def result():
        thread.join(10)
        return parts[0] if parts else None

    return result


# --- pipes and devices


@pipes
def test_a_pipe_gets_the_bytes_and_stays_a_pipe(tmp_path, rules):
    pipe = tmp_path / "rules.json"
    os.mkfifo(pipe)
    received = in_background(pipe.read_text)
    check_target(pipe)  # which must not open it: a reader would take that for the end
    irenic.write(rules, pipe)
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert names_in(tmp_path) == ["rules.json"]
    copy = tmp_path / "copy.json"
    copy.write_text(received())
    assert irenic.read(copy) == rules


@pipes
def test_a_link_to_a_pipe_leads_to_the_pipe(tmp_path):
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
def test_a_link_to_an_open_pipe_without_a_name_gets_the_bytes(tmp_path):
    if not os.path.isdir("/proc/self/fd"):  # noqa: PTH112
        pytest.skip("this system does not list open files")
    reader, writer = os.pipe()
    link = tmp_path / "out.json"
    link.symlink_to(f"/proc/self/fd/{writer}")  # as /dev/stdout is
    write_file(link, b"some bytes")
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        assert stream.read() == b"some bytes"
    assert names_in(tmp_path) == ["out.json"]


@pipes
def test_a_pipe_whose_reader_goes_away_is_told(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    closed = in_background(lambda: os.close(os.open(pipe, os.O_RDONLY)))
    with pytest.raises(FileError, match=f"^cannot write {pipe}: Broken pipe$"):
        write_file(pipe, b"x" * 2**20)
    closed()
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert names_in(tmp_path) == ["pipe"]


def pretend(monkeypatch, path, kind):
    """Let a regular file look like something of another kind."""
    real = os.stat

    def told(name, **options):
        found = real(name, **options)
        if os.fspath(name) != str(path):
            return found
        return os.stat_result((kind | 0o666, *found[1:]))

    monkeypatch.setattr(os, "stat", told)


def test_a_character_device_is_written_into_and_not_replaced(tmp_path, monkeypatch):
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
def test_disks_and_sockets_are_refused(tmp_path, monkeypatch, kind, noun):
    path = tmp_path / "out.json"
    path.write_text("old")
    pretend(monkeypatch, path, kind)
    for call in (check_target, lambda target: write_file(target, b"new")):
        with pytest.raises(FileError) as caught:
            call(path)
        assert str(caught.value) == f"cannot write {path}: it is {noun}; write to a file or a pipe"
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["out.json"]


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="this system has no such sockets")
def test_a_real_socket_stays_one(tmp_path, monkeypatch, rules):
    monkeypatch.chdir(tmp_path)  # names of sockets must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("out.json")
        with pytest.raises(FileError, match=r"^cannot write out\.json: it is a socket; write to"):
            irenic.write(rules, "out.json")
        assert stat.S_ISSOCK((tmp_path / "out.json").lstat().st_mode)
    assert names_in(tmp_path) == ["out.json"]


# --- links


def test_a_link_without_a_target_makes_the_target(tmp_path, rules):
    link = tmp_path / "link.json"
    link.symlink_to("target.json")
    irenic.write(rules, link)
    assert link.is_symlink()
    assert irenic.read(tmp_path / "target.json") == rules
    assert names_in(tmp_path) == ["link.json", "target.json"]


def test_a_link_to_a_folder_is_refused(tmp_path, rules):
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link.json"
    link.symlink_to("folder")
    with pytest.raises(FileError, match=f"^cannot write {link}: Is a directory$"):
        irenic.write(rules, link)
    assert link.is_symlink()
    assert names_in(tmp_path / "folder") == []


def test_a_link_into_a_folder_that_is_not_there_is_refused(tmp_path, rules):
    link = tmp_path / "link.json"
    link.symlink_to("none/target.json")
    with pytest.raises(FileError, match=f"^cannot write {link}: No such file or directory$"):
        irenic.write(rules, link)
    assert names_in(tmp_path) == ["link.json"]


def test_links_in_a_circle_are_refused(tmp_path, rules):
    path = loop(tmp_path)
    told = "Too many levels of symbolic links"
    for call in (check_target, lambda target: irenic.write(rules, target)):
        with pytest.raises(FileError, match=f"^cannot write {path}: {told}$"):
            call(path)
    with pytest.raises(FileError, match=f"^cannot read {path}: {told}$"):
        irenic.read(path)
    assert path.is_symlink()
    assert names_in(tmp_path) == ["a.json", "b.json"]
    with pytest.raises(FileError, match=f"^cannot write {path / 'x.json'}: {told}$"):
        irenic.write(rules, path / "x.json")


# --- names that cannot be


def test_a_null_character_in_a_name_is_refused(rules):
    told = r"^cannot {} 'a\\x00b\.json': a name must not contain a null character$"
    with pytest.raises(FileError, match=told.format("write")):
        irenic.write(rules, "a\0b.json")
    with pytest.raises(FileError, match=told.format("write")):
        check_target(Path("a\0b.json"))
    with pytest.raises(FileError, match=told.format("read")):
        irenic.read("a\0b.json")
    with pytest.raises(FileError, match=r"^cannot read 'a\\x00b': a name must not contain a null"):
        irenic.read("a\0b")


def test_a_name_that_is_too_long_is_refused(tmp_path, rules):
    path = tmp_path / f"{'x' * 300}.json"
    with pytest.raises(FileError, match=r"^cannot write .*: File name too long$"):
        irenic.write(rules, path)
    with pytest.raises(FileError, match=r"^cannot read .*: File name too long$"):
        irenic.read(path)


# --- whole or not at all


def test_a_folder_that_may_not_be_written_is_refused_before_the_work(tmp_path, monkeypatch):
    path = tmp_path / "old.json"
    path.write_text("old")
    real = os.access
    monkeypatch.setattr(os, "access", lambda name, mode: name != tmp_path and real(name, mode))
    for target in (path, tmp_path / "new.json"):
        with pytest.raises(FileError) as caught:
            check_target(target)
        assert str(caught.value) == f"cannot write {target}: the folder {tmp_path} is not writable"
    assert path.read_text() == "old"


def test_what_replaces_a_private_file_is_private_from_the_start(tmp_path, monkeypatch):
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


def test_a_disk_that_is_full_half_way_leaves_nothing(tmp_path, monkeypatch):
    path = tmp_path / "ages.json"

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match=f"^cannot write {path}: No space left on device$"):
        write_file(path, b"new")
    assert names_in(tmp_path) == []


def test_a_file_is_read_as_it_is(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\0\xff")
    assert read_bytes(path) == b"\0\xff"


def test_a_workbook_that_cannot_be_written_leaves_no_noise(tmp_path, monkeypatch):
    noise = []
    monkeypatch.setattr(sys, "unraisablehook", noise.append)
    path = tmp_path / "a.xlsx"
    rules = [Rule({"age": (0, 10)}, then="b"), Rule({"age": (20, 30)}, then=math.inf)]
    with pytest.raises(FormatError, match="inf of type float has no form in a decision table"):
        irenic.write(RuleSet(rules), path)
    with pytest.raises(FormatError, match="a cell holds a control character, which a workbook"):
        write_table({"a": np.array(["b", "\x01"], dtype=object)}, path)
    gc.collect()
    assert noise == []
    assert names_in(tmp_path) == []


def test_a_workbook_does_not_cut_texts(tmp_path):
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
    told = "a cell holds at most 32,767 characters, and one would hold 32,768; write .csv"
    for call in (lambda: irenic.write(rules, path), lambda: write_table(table, path)):
        with pytest.raises(FormatError) as caught:
            call()
        assert str(caught.value) == f"{path}: {told}"
    assert path.read_bytes() == before
