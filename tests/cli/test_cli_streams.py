"""What commands print on terminals, in other encodings, and without a reader."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import irenic
from documents import of_kind, only_table

RULES = "IF age < 10 THEN child\nIF age >= 10 THEN adult\n"
DATA = "age,group\n5,child\n40,adult\n"
unix = pytest.mark.skipif(os.name == "nt", reason="streams are those of Unix")
CLOSED = "irenic: cannot write the output: standard output is closed"


@pytest.fixture(autouse=True)
def files(file):
    file(RULES, "rules.txt")
    file(DATA, "data.csv")


@pytest.fixture
def colored(run, monkeypatch):
    """Run a command as on a terminal, with or without colors."""

    def call(line, no_color):
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("NO_COLOR", no_color)
        return run(line)[1]

    return call


def test_no_color_overrides_force_color(run, colored, file, monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    file("IF age < 30 AND job in {nurse} THEN low\nIF age >= 29 THEN high\n", "clash.txt")
    out = run("check clash.txt")[1]
    assert ("29 <= age < 30" in out, "\x1b" in out) == (True, False)
    assert "\x1b[1;31m" in colored("check clash.txt", "")
    assert "31m" not in colored("check clash.txt", "1")


def test_gaps_are_a_table_on_a_terminal_and_plain_lines_in_a_pipe(run, colored, file):
    file("IF 0 <= age < 10 THEN child\n", "gap.txt")
    assert run("gaps gap.txt")[1].splitlines()[:2] == ["age < 0", "age >= 10"]
    terminal, uncolored = colored("gaps gap.txt", ""), colored("gaps gap.txt", "1")
    assert "\x1b[33mNot complete\x1b[0m" in terminal
    assert "33m" not in uncolored
    for text in (terminal, uncolored):
        assert "no rule covers" in text
        assert "age = 10" in text  # a case to try


def test_characters_that_the_output_cannot_encode_are_escaped(run, file, monkeypatch):
    file('IF a < 5 THEN "été"\nIF a < 6 THEN B', "clash.txt")
    printed = []
    for line in ("check clash.txt", "check clash.txt --json"):
        raw = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "ascii", write_through=True))
        assert run(line)[0] == 1
        printed.append(raw.getvalue().decode("ascii"))
    assert r"\xe9t\xe9" in printed[0]
    (conflict,) = of_kind(only_table(printed[1]), "conflicts")
    assert [then["value"] for then in conflict["then"]] == ["été", "B"]


# --- closed and unread streams, and full devices: in this process, and a few in real ones


def irenic_as_process(script, **streams):
    """Run a shell command that can call irenic: exit status, output, errors."""
    command = f'irenic() {{ "{sys.executable}" -m irenic "$@"; }}; {script}'
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    done = subprocess.run(["/bin/sh", "-c", command], **pipes, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


COMMANDS = ["check rules.txt", "check rules.txt --json", "convert rules.txt x.json", "--version"]


@pytest.fixture
def run_with(run, monkeypatch):
    """Run a command with other standard streams, None for those that are closed."""

    def call(line, **streams):
        with monkeypatch.context() as patch:
            for name, stream in streams.items():
                patch.setattr(sys, name, stream)
            result = run(line)
            for name in streams:
                with suppress(OSError):
                    getattr(sys, name).close()
        return result

    return call


def unread():
    reader, writer = os.pipe()
    os.close(reader)
    return os.fdopen(writer, "w", buffering=1)


@unix
@pytest.mark.parametrize("line", [*COMMANDS, "predict rules.txt data.csv"])
def test_a_closed_output_is_an_error(run_with, line):
    status, _, err = run_with(line, stdout=None)
    assert (status, err.splitlines()[-1]) == (2, CLOSED)


@unix
def test_streams_of_processes_can_be_closed(here):
    assert irenic_as_process("irenic convert rules.txt x.json <&- >&- 2>&-")[0] == 2
    assert irenic.read("x.json") == irenic.read("rules.txt")


@unix
def test_help_on_a_closed_output_is_an_error(run_with):
    assert run_with("--help", stdout=None) == (2, "", "irenic: [Errno 9] Bad file descriptor\n")


@unix
def test_closed_errors_do_not_reach_the_output(run_with):
    out = "age,group,prediction\n5,child,child\n40,adult,adult\n"
    assert run_with("predict rules.txt data.csv", stderr=None)[:2] == (0, out)
    assert run_with("check none.txt", stderr=None) == (2, "", "")


@unix
@pytest.mark.parametrize("line", COMMANDS)
def test_the_command_exits_quietly_without_a_reader(run_with, line):
    assert run_with(line, stdout=unread())[::2] == (141, "")


@unix
def test_processes_without_a_reader_keep_their_status(file):
    file("".join(f"IF a < {i} THEN L{i}\n" for i in range(1, 99)), "many.txt")
    with unread() as nobody:
        checked = irenic_as_process("irenic check many.txt --json", stdout=nobody)
        assert checked[::2] == (141, "")
        assert irenic_as_process("irenic gaps none.txt", stderr=nobody)[:2] == (2, "")


@unix
def test_the_exit_status_is_kept_if_nobody_reads_the_errors(run_with):
    assert run_with("check none.txt --json", stderr=unread())[0] == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_an_output_that_cannot_be_written_exits_with_2(run_with):
    with Path("/dev/full").open("w") as full:
        status, _, err = run_with("check rules.txt", stdout=full)
    assert (status, err) == (2, "irenic: cannot write the output: No space left on device\n")
