"""Completion in shells: in a real bash, with the Tab key."""

from __future__ import annotations

import os
import select
import shutil
import sys
import time

import pytest
from typer.testing import CliRunner

from irenic.cli import app

pty = pytest.importorskip("pty")  # not on Windows

PROMPT = "ready> "


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
def test_tab_completes_in_bash(tmp_path):
    command = tmp_path / "bin" / "irenic"
    command.parent.mkdir()
    command.write_text(f"#!{sys.executable}\nfrom irenic.cli import main\n\nmain()\n")
    command.chmod(0o755)
    (tmp_path / "my fares.csv").write_text("age,fare\n< 18,free\n")
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join(sys.path)}
    bash = Bash(tmp_path, environment | {"TERM": "dumb"})
    try:
        bash.send("irenic --show-completion bash > complete.sh; . ./complete.sh; echo loaded\n")
        bash.read("\nloaded\r\n")
        bash.complete("irenic conv", "irenic convert ")
        bash.complete("irenic check --fai", "--fail-on ")
        bash.complete("irenic check my", "my\\ fares.csv ")
    finally:
        bash.close()


def offered(how, typed="irenic", last=""):
    """Return what a shell is offered: its script, or words to complete the last one."""
    words = f"{typed} {last}"
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" ")), "_IRENIC_COMPLETE": how}
    result = CliRunner().invoke(app, [], prog_name="irenic", env=asked)
    assert result.exit_code == 0
    return result.output.split()


def test_values_of_options_are_offered():
    for typed, last, words in [
        ("irenic convert - - --to", "p", {"pmml", "py"}),
        ("irenic convert - - --dialect", "s", {"snowflake", "spark", "sqlite"}),
        ("irenic check --format", "sa", {"sarif"}),
        ("irenic check --hit-policy", "U", {"UNIQUE"}),
    ]:
        assert {*offered("complete_bash", typed, last)} == words


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_scripts(shell):
    assert f"_IRENIC_COMPLETE=complete_{shell}" in " ".join(offered(f"source_{shell}"))
