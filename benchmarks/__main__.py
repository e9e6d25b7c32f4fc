"""Run the benchmarks that are named, or all, and keep their figures as JSON if asked to."""

from __future__ import annotations

import argparse
import importlib
import json
import platform
from pathlib import Path

# In this order: the peak of memory is that of the process so far.
NAMES = ("gaps", "core", "cfsbe")

parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
parser.add_argument("names", nargs="*", choices=[*NAMES, []], default=[], help="which; all if none")
parser.add_argument("--json", type=Path, help="also write the figures to this file")
arguments = parser.parse_args()
print(f"{platform.machine()}, Python {platform.python_version()}")
tables = [
    table
    for name in arguments.names or NAMES
    for table in importlib.import_module(f"benchmarks.{name}").main()
]
if arguments.json:
    arguments.json.write_text(json.dumps([t.data() for t in tables], indent=2, ensure_ascii=False))
