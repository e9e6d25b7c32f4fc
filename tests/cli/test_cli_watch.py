"""``--watch``: a real process that runs again when files change, and ends with Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

GOOD = "IF age < 18 THEN free\nIF age >= 18 THEN full\n"
BAD = "IF age < 18 THEN free\nIF age >= 17 THEN full\n"
LINE = re.compile(
    r"irenic: \d\d:\d\d:\d\d exit status (\d), watching (\d+) files? \(Ctrl-C to stop\)"
)
unix = pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is no signal there")


@contextmanager
def started(*words, cwd):
    # a job in the background ignores Ctrl-C, and so would the processes that it starts
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-m", "irenic", *words], cwd=cwd, **streams)
    signal.signal(signal.SIGINT, handler)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def status_and_files(process):
    """Wait for the line after a run; return the status, the number of files, and other lines."""
    others = []
    for line in process.stderr:
        if match := LINE.fullmatch(line.rstrip("\n")):
            return int(match[1]), int(match[2]), others
        others.append(line)
    raise AssertionError(f"the process ended: {others}")


@unix
def test_check_runs_again_after_each_change_and_ends_with_the_last_status(here, file):
    file(GOOD, "fares.rules")
    with started("check", ".", "--watch", cwd=here) as process:
        assert status_and_files(process) == (0, 1, [])
        file(BAD, "fares.rules")
        assert status_and_files(process) == (1, 1, [])
        file("IF age < THEN free\n", "new.rules")
        status, files, others = status_and_files(process)
        assert (status, files) == (2, 2)
        assert "new.rules" in others[0]
        (here / "new.rules").unlink()
        assert status_and_files(process) == (1, 1, [])
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (1, "")
    assert out.count("conflict     age = 17: rule 1 says free, rule 2 says full") == 3
    assert "\x1b" not in out  # it clears nothing


@unix
def test_prove_watches_the_properties_beside_the_rules(here, file):
    file(GOOD, "fares.rules")
    file("NEVER full WHERE age < 18\n", "fares.properties")
    with started("prove", "fares.rules", "--watch", cwd=here) as process:
        assert status_and_files(process) == (0, 2, [])
        (here / "fares.properties").unlink()
        assert status_and_files(process)[0] == 2
        file("NEVER full WHERE age < 19\n", "fares.properties")
        assert status_and_files(process) == (1, 2, [])
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    assert process.returncode == 1


def test_what_cannot_be_watched_is_refused(refused):
    standard = "--watch needs files to watch, got standard input or none"
    many = "--watch runs a command many times, so it cannot be used with"
    for line, message in {
        "check --watch": standard,
        "check - --from txt --watch": standard,
        "check a.rules --watch --write-baseline b.json": f"{many} --write-baseline",
        "prove a.rules --watch --smtlib b.smt2": f"{many} --smtlib",
    }.items():
        assert refused(line) == message
