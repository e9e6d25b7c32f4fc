"""Print every speed table, or those that are named, as ratios measured in this run.

``--json FILE`` keeps the figures; ``--compare FILE`` prints them as multiples of figures that were
kept so, of another version or machine.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.harness import Table

# In this order: the peak of memory is that of the process so far.
NAMES = ("gaps", "core", "cfsbe", "checking", "mending", "learning", "page")
PACKAGES = ("irenic", "numpy", "numba", "scikit-learn", "z3-solver", "lightgbm")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"which of {', '.join(NAMES)}; all if none")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--compare", type=Path, help="a file that --json wrote")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in NAMES]
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}; there are: {', '.join(NAMES)}")
    before = None
    if arguments.compare:
        try:
            before = json.loads(arguments.compare.read_text())
        except (OSError, ValueError) as error:
            parser.error(f"--compare {arguments.compare}: {error}")
    made_with = _made_with()
    print(", ".join(f"{name} {version}" for name, version in made_with.items()))
    tables = [
        table
        for name in arguments.names or NAMES
        for table in importlib.import_module(f"benchmarks.{name}").main()
    ]
    kept = {"made with": made_with, "tables": [table.data() for table in tables]}
    if arguments.json:
        arguments.json.write_text(json.dumps(kept, indent=2, ensure_ascii=False))
    if before is not None:
        compare(kept, before)
    return 0


def _made_with() -> dict[str, str]:
    found = {
        "machine": platform.machine(),
        "cores": str(os.cpu_count()),
        "Python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def compare(now: dict[str, Any], before: dict[str, Any]) -> None:
    """Print every figure as a multiple of that in the other file, table by table, row by row."""
    table = Table("This run as a multiple of the other", "table", "row", "figure", "times")
    earlier = {found["title"]: found["rows"] for found in before["tables"]}
    for found in now["tables"]:
        for row, other in zip(found["rows"], earlier.get(found["title"], []), strict=False):
            name = next(iter(row.values()))
            if name != next(iter(other.values())):
                continue  # a row was put in between: it is another one
            for column, value in row.items():
                was = other.get(column)
                if isinstance(value, float) and isinstance(was, float) and was > 0:
                    table.add(found["title"], str(name), column, value / was)


if __name__ == "__main__":
    raise SystemExit(main())
