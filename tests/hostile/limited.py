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
    import resource

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    paths = [cwd / ".out", cwd / ".err"]
    with paths[0].open("wb") as out, paths[1].open("wb") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *map(str, arguments)],
            stdin=stdin,
            stdout=out,
            stderr=err,
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            preexec_fn=limit,
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    out, err = (path.read_text(errors="replace") for path in paths)
    used_seconds = used.ru_utime + used.ru_stime
    return Ended(process.returncode, out, err, used.ru_maxrss * 1024, used_seconds)


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
    main(*sys.argv[1:])
