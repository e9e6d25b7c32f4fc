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


@contextmanager
def started(*words, cwd):
    # a job in the background ignores Ctrl-C, and so would the processes that it starts
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        [sys.executable, "-m", "irenic", *words],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
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


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is no signal there")
def test_check_runs_again_after_each_change_and_ends_with_the_last_status(tmp_path):
    rules = tmp_path / "fares.rules"
    rules.write_text(GOOD)
    with started("check", ".", "--watch", cwd=tmp_path) as process:
        assert status_and_files(process) == (0, 1, [])
        rules.write_text(BAD)
        assert status_and_files(process) == (1, 1, [])
        (tmp_path / "new.rules").write_text("IF age < THEN free\n")
        status, files, others = status_and_files(process)
        assert (status, files) == (2, 2)
        assert "new.rules" in others[0]
        (tmp_path / "new.rules").unlink()
        assert status_and_files(process) == (1, 1, [])
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (1, "")
    assert out.count("conflict     age = 17: rule 1 says free, rule 2 says full") == 3
    assert "\x1b" not in out  # it clears nothing


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is no signal there")
def test_prove_watches_the_properties_beside_the_rules(tmp_path):
    (tmp_path / "fares.rules").write_text(GOOD)
    (tmp_path / "fares.properties").write_text("NEVER full WHERE age < 18\n")
    with started("prove", "fares.rules", "--watch", cwd=tmp_path) as process:
        assert status_and_files(process) == (0, 2, [])
        (tmp_path / "fares.properties").unlink()
        assert status_and_files(process)[0] == 2
        (tmp_path / "fares.properties").write_text("NEVER full WHERE age < 19\n")
        assert status_and_files(process) == (1, 2, [])
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    assert process.returncode == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["check", "--watch"], "--watch needs files to watch, got standard input or none"),
        (
            ["check", "-", "--from", "txt", "--watch"],
            "--watch needs files to watch, got standard input or none",
        ),
        (
            ["check", "a.rules", "--watch", "--write-baseline", "b.json"],
            "--watch runs a command many times, so it cannot be used with --write-baseline",
        ),
        (
            ["prove", "a.rules", "--watch", "--smtlib", "b.smt2"],
            "--watch runs a command many times, so it cannot be used with --smtlib",
        ),
    ],
)
def test_what_cannot_be_watched_is_refused(run, words, message):
    assert run(*words) == (2, "", f"irenic: {message}\n")
