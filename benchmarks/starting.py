"""Start-up: commands in a new process, compared with importing numpy."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import Table

TIMES = 7
ROWS = "age,fare\n<18,a\n[18..60),b\n>=60,a\n[70..80],b\n"


def processor_seconds(arguments: list[str]) -> float:
    """Return the least processor time of several runs of Python with arguments."""
    taken = []
    # with compiled modules, as after an installation
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(TIMES):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, *arguments], stdout=subprocess.DEVNULL, check=False, env=environment
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(taken)


def starts() -> Table:
    table = Table("Starting a command", "command", "processor time", "times import numpy")
    numpy = processor_seconds(["-c", "import numpy"])
    with tempfile.TemporaryDirectory() as folder:
        four_rows = Path(folder) / "four-rows.csv"
        four_rows.write_text(ROWS, encoding="utf-8")
        for arguments in (
            ["--help"],
            ["check", str(four_rows)],
            ["check", str(four_rows), "--json"],
        ):
            seconds = processor_seconds(["-m", "irenic", *arguments])
            name = " ".join(["irenic", *(Path(part).name for part in arguments)])
            table.add(name, seconds, seconds / numpy)
    return table


def main() -> list[Table]:
    return [starts()]
