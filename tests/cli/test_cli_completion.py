"""Completion in shells: in a real bash, with the Tab key."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import time

import pytest

pty = pytest.importorskip("pty")  # not on Windows

PROMPT = "ready> "


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("completion")
    command = folder / "bin" / "irenic"
    command.parent.mkdir()
    command.write_text(f"#!{sys.executable}\nfrom irenic.cli import main\n\nmain()\n")
    command.chmod(0o755)
    (folder / "my fares.csv").write_text("age,fare\n< 18,free\n")
    return folder


@pytest.fixture(scope="module")
def environment(folder):
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join(sys.path), "TERM": "dumb"}


class Bash:
    """A bash on a terminal."""

    def __init__(self, folder, environment):
        self.pid, self.terminal = pty.fork()
        if not self.pid:
            os.chdir(folder)
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], environment)
        self.send(f"PS1='{PROMPT}'; bind 'set bell-style none'; echo started\n")
        self.read("\nstarted\r\n" + PROMPT)

    def send(self, text):
        os.write(self.terminal, text.encode())

    def read(self, until, seconds=60):
        """Return what is printed up to a text."""
        text, end = "", time.monotonic() + seconds
        while until not in text.replace("\r\r", "\r"):
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            assert ready, f"{until!r} was not printed within {seconds} s, but {text!r}"
            text += os.read(self.terminal, 4096).decode()
        return text

    def complete(self, typed, expected):
        """Type a text and Tab, and wait for what bash makes of it."""
        self.send(f"{typed}\t")
        self.read(expected)
        self.send("\x15")  # clears the line

    def close(self):
        self.send("\nexit\n")
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_tab_completes_in_bash(folder, environment):
    bash = Bash(folder, environment)
    try:
        bash.send("irenic --show-completion bash > complete.sh; . ./complete.sh; echo loaded\n")
        bash.read("\nloaded\r\n")
        bash.complete("irenic conv", "irenic convert ")
        bash.complete("irenic check --fai", "--fail-on ")
        bash.complete("irenic check --format sa", "sarif ")
        bash.complete("irenic check --hit-policy U", "UNIQUE ")
        bash.complete("irenic check my", "my\\ fares.csv ")
    finally:
        bash.close()


def words(environment, typed, place):
    """Return the words that a shell is offered."""
    asked = {"_IRENIC_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(place)}
    result = subprocess.run(
        ["irenic"], env=environment | asked, capture_output=True, text=True, check=True
    )
    return result.stdout.split()


def test_values_of_options_are_offered(environment):
    assert words(environment, "irenic convert - - --to p", 5) == ["pmml", "py"]
    dialects = words(environment, "irenic convert - - --dialect s", 5)
    assert sorted(dialects) == ["snowflake", "spark", "sqlite"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_scripts(environment, shell):
    result = subprocess.run(
        ["irenic"],
        env=environment | {"_IRENIC_COMPLETE": f"source_{shell}"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0
    assert f"_IRENIC_COMPLETE=complete_{shell}" in result.stdout
