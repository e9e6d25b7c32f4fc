"""Run irenic in processes with limited memory and time, and measure both."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from profiles import IS_NIGHTLY

GB = 2**30


class Ended(NamedTuple):
    """How a process ended: its status, output, errors, peak memory in bytes, and CPU seconds."""

    status: int
    out: str
    err: str
    memory: int
    seconds: float


def run(*arguments, cwd, module="irenic", stdin=subprocess.DEVNULL, seconds=60, memory=6 * GB):
    """Run a module, which ends at the limits at the latest; what it used can be asserted."""
    paths = {name: cwd / f".{name}" for name in ("used", "out", "err")}
    words = [paths["used"], memory, seconds, module, *arguments]
    with paths["out"].open("wb") as out, paths["err"].open("wb") as err:
        subprocess.run(
            [sys.executable, __file__, "launch", *map(str, words)],
            stdin=stdin,
            stdout=out,
            stderr=err,
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
        )
    status, used_memory, used_seconds = json.loads(paths["used"].read_text())
    out, err = (paths[name].read_text(errors="replace") for name in ("out", "err"))
    return Ended(status, out, err, used_memory, used_seconds)


def launch(used, memory, seconds, module, *arguments):
    """Run a module with limits, and write its status, peak memory and CPU seconds to a file.

    The peak of a process is never less than what its parent had when it was started, so that it
    must be started by a small process and not by that of the tests.
    """
    import resource

    for kind, most in (
        (resource.RLIMIT_AS, int(memory)),
        (resource.RLIMIT_CPU, int(seconds)),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))
    process = subprocess.Popen([sys.executable, "-m", module, *arguments])
    _, status, usage = os.wait4(process.pid, 0)
    ended = [
        os.waitstatus_to_exitcode(status),
        usage.ru_maxrss * 1024,
        usage.ru_utime + usage.ru_stime,
    ]
    Path(used).write_text(json.dumps(ended))


def read_all(reader, paths, cwd):
    """Read files in limited processes; return seconds and errors by name, and peak memory."""
    lines, memory = [], 0
    for group in [[path] for path in paths] if IS_NIGHTLY else [paths]:
        ended = run(reader, *group, cwd=cwd, module="limited", seconds=20 * len(paths))
        assert ended.status == 0, ended.err
        lines += [json.loads(line) for line in ended.out.splitlines()]
        memory = max(memory, ended.memory)
    return {name: (seconds, error) for name, seconds, error in lines}, memory


def main(reader, *paths):
    """Read files, and print a line of JSON for each."""
    import irenic
    from irenic.frames.table import read_table

    for path in paths:
        start = time.process_time()
        try:
            if reader == "rules":
                error = "\n".join(map(str, irenic.parse(Path(path)).errors))
            else:
                error = read_table(Path(path)) and ""
        except irenic.errors.IrenicError as caught:
            error = str(caught)
        print(json.dumps([Path(path).name, time.process_time() - start, error]), flush=True)


if __name__ == "__main__":
    (launch if sys.argv[1] == "launch" else main)(*sys.argv[1 + (sys.argv[1] == "launch") :])
