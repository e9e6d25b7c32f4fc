"""Run irenic in a process with limited memory and time, and measure both."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from typing import NamedTuple

GB = 2**30


class Ended(NamedTuple):
    """How a process ended: its status, output, errors, peak memory in bytes, and CPU seconds."""

    status: int
    out: str
    err: str
    memory: int
    seconds: float


def run(*arguments, cwd, stdin=subprocess.DEVNULL, seconds=60, memory=4 * GB):
    """Run a command, which is killed beyond the limits; what it used can be asserted."""

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    paths = [cwd / ".out", cwd / ".err"]
    with paths[0].open("wb") as out, paths[1].open("wb") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "irenic", *arguments],
            stdin=stdin, stdout=out, stderr=err, cwd=cwd, preexec_fn=limit,
        )  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    out, err = (path.read_text(errors="replace") for path in paths)
    used_seconds = used.ru_utime + used.ru_stime
    return Ended(process.returncode, out, err, used.ru_maxrss * 1024, used_seconds)


def kill_after(seconds, *arguments, cwd, **options):
    """Kill a command after some seconds, unless it ended before; return whether it did."""
    process = subprocess.Popen(
        [sys.executable, "-m", "irenic", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=cwd,
        **options,
    )
    time.sleep(seconds)
    ended = process.poll() is not None
    if not ended:
        process.send_signal(signal.SIGKILL)
    process.wait()
    return ended
