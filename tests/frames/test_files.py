"""Reading and writing through pipes, devices, folders, links and invalid names."""

from __future__ import annotations

import gc
import math
import os
import socket
import stat
import sys
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import irenic
from irenic import FileError, FormatError, Rule, RuleSet
from irenic.frames.files import check_target, read_bytes, write_file
from irenic.frames.table import read_table, write_table

pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")

RULES = RuleSet([Rule({"age": (0, 10)}, then="child")])
WRITERS = (check_target, partial(irenic.write, RULES))


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def in_background(read):
    """Start to read from a pipe, because writing to it waits for a reader."""
    parts = []
    thread = threading.Thread(target=lambda: parts.append(read()), daemon=True)
    thread.start()

    def result():
        thread.join(10)
        return parts[0] if parts else None

    return result


def message_of(call, path, error=FileError):
    with pytest.raises(error) as caught:
        call(path)
    return str(caught.value)


# --- pipes and devices


@pipes
@pytest.mark.parametrize("linked", [False, True])
def test_writing_to_a_pipe_keeps_it_a_pipe(tmp_path, linked):
    path = pipe = tmp_path / "rules.json"
    os.mkfifo(pipe)
    if linked:
        path = tmp_path / "link.json"
        path.symlink_to(pipe)
    names = names_in(tmp_path)
    received = in_background(pipe.read_text)
    check_target(path)  # must not open it: the reader would see the end of the file
    irenic.write(RULES, path)
    assert irenic.loads(received(), format="json") == RULES
    assert (stat.S_ISFIFO(pipe.lstat().st_mode), path.is_symlink()) == (True, linked)
    assert names_in(tmp_path) == names


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
    message = message_of(lambda path: write_file(path, b"x" * 2**20), pipe)
    assert message == f"cannot write {pipe}: Broken pipe"
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


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="this system has no Unix sockets")
def test_of_devices_only_character_devices_are_written_to(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # socket names must be short
    for name, kind in (("device", stat.S_IFCHR), ("disk.json", stat.S_IFBLK)):
        Path(name).write_text("old")
        pretend(monkeypatch, name, kind)
    number = Path("device").lstat().st_ino
    write_file(Path("device"), b"new")
    assert (Path("device").read_bytes(), Path("device").lstat().st_ino) == (b"new", number)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("out.json")
        for name, noun in (("disk.json", "a block device"), ("out.json", "a socket")):
            message = f"cannot write {name}: it is {noun}; write to a file or a pipe"
            for write in WRITERS:
                assert message_of(write, Path(name)) == message
        assert stat.S_ISSOCK(Path("out.json").lstat().st_mode)
    assert Path("disk.json").read_text() == "old"
    assert names_in(tmp_path) == ["device", "disk.json", "out.json"]


# --- links and invalid names


def test_links_create_their_target_or_are_rejected(tmp_path):
    link = tmp_path / "link.json"
    link.symlink_to("target.json")
    irenic.write(RULES, link)
    assert link.is_symlink()
    assert irenic.read(tmp_path / "target.json") == RULES
    (tmp_path / "folder").mkdir()
    targets = {"a": "b.json", "b": "a.json", "folded": "folder", "lost": "none/target.json"}
    paths = {name: tmp_path / f"{name}.json" for name in targets}
    for name, path in paths.items():
        path.symlink_to(targets[name])
    before = names_in(tmp_path)
    circular = "Too many levels of symbolic links"
    for path, reason in (
        (paths["a"], circular),
        (paths["a"] / "x.json", circular),
        (paths["folded"], "Is a directory"),
        (paths["lost"], "No such file or directory"),
    ):
        for write in WRITERS:
            assert message_of(write, path) == f"cannot write {path}: {reason}"
    assert message_of(irenic.read, paths["a"]) == f"cannot read {paths['a']}: {circular}"
    assert names_in(tmp_path) == before
    assert names_in(tmp_path / "folder") == []
    assert all(path.is_symlink() for path in paths.values())


def test_invalid_names_are_rejected(tmp_path):
    null = r"cannot {} 'a\x00b.json': names must not contain a null character"
    long = tmp_path / f"{'x' * 300}.json"
    for call, verb in [(write, "write") for write in WRITERS] + [(irenic.read, "read")]:
        assert message_of(call, Path("a\0b.json")) == null.format(verb)
        assert message_of(call, long) == f"cannot {verb} {long}: File name too long"
    assert message_of(irenic.read, "a\0b").startswith(null.format("read").replace(".json", ""))


# --- atomic writes


def test_a_read_only_folder_is_rejected_before_the_work(tmp_path, monkeypatch):
    path = tmp_path / "old.json"
    path.write_text("old")
    real = os.access
    monkeypatch.setattr(os, "access", lambda name, mode: name != tmp_path and real(name, mode))
    for target in (path, tmp_path / "new.json"):
        message = f"cannot write {target}: the folder {tmp_path} is not writable"
        assert message_of(check_target, target) == message
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
    write_file(path, b"\0\xff")
    assert modes == [0o600]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_bytes(path) == b"\0\xff"  # unchanged


# --- workbooks


def test_a_workbook_that_cannot_be_written_causes_no_further_errors(tmp_path, monkeypatch):
    errors = []
    monkeypatch.setattr(sys, "unraisablehook", errors.append)
    path = tmp_path / "a.xlsx"
    rules = RuleSet([Rule({"age": (0, 10)}, then="b"), Rule({"age": (20, 30)}, then=math.inf)])
    message = message_of(partial(irenic.write, rules), path, FormatError)
    assert "inf of type float cannot be written to a decision table" in message
    table = {"a": np.array(["b", "\x01"], dtype=object)}
    message = message_of(partial(write_table, table), path, FormatError)
    assert "a cell contains a control character" in message
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
    for call in (partial(irenic.write, rules), partial(write_table, table)):
        assert message_of(call, path, FormatError) == f"{path}: {message}"
    assert path.read_bytes() == before
