"""Run the speed benchmarks and print their tables, with ratios measured in the same run.

``--json FILE`` saves the figures; ``--compare FILE`` also prints them as multiples of figures that
were saved by another version or on another machine. The run fails if one of the growth exponents
is too high. ``--write FILE`` replaces the tables of a page
of the documentation, each under the heading that is its title.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import re
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.harness import Table

# The order matters: peak memory is that of the whole process so far.
NAMES = ("gaps", "core", "cfsbe", "building", "checking", "mending", "deciding", "learning")
NAMES += ("page", "starting", "proving", "growth")
PACKAGES = ("irenic", "numpy", "scikit-learn", "z3-solver", "lightgbm")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    choices = ", ".join(NAMES)
    parser.add_argument("names", nargs="*", help=f"benchmarks to run: {choices} (default: all)")
    parser.add_argument("--json", type=Path, help="file to save the figures to")
    parser.add_argument("--compare", type=Path, help="file saved by --json to compare with")
    parser.add_argument("--write", type=Path, help="Markdown file whose tables to replace")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in NAMES]
    if unknown:
        parser.error(f"unknown benchmark {', '.join(unknown)} (known: {choices})")
    before = None
    if arguments.compare:
        try:
            before = json.loads(arguments.compare.read_text())
        except (OSError, ValueError) as error:
            parser.error(f"--compare {arguments.compare}: {error}")
    environment = _environment()
    print(", ".join(f"{name} {version}" for name, version in environment.items()))
    tables = [
        table
        for name in arguments.names or NAMES
        for table in importlib.import_module(f"benchmarks.{name}").main()
    ]
    figures = {"environment": environment, "tables": [table.data() for table in tables]}
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2, ensure_ascii=False))
    if arguments.write:
        write(tables, arguments.write)
    if before is not None:
        compare(figures, before)
    failures = [failure for table in tables for failure in table.failures]
    print(*failures, sep="\n", end="\n" * bool(failures))
    return 1 if failures else 0


def write(tables: list[Table], path: Path) -> None:
    """Replace the first table under each heading that is the title of one of ``tables``."""
    text = path.read_text(encoding="utf-8")
    for table in tables:
        under = re.compile(rf"(^#+ {re.escape(table.title)}\n(?:[^|#\n].*\n|\n)*)(?:\|.*\n)+", re.M)
        lines = "".join(f"{line}\n" for line in table.lines)
        text, n = under.subn(lambda found, lines=lines: found[1] + lines, text)
        print(f"{path}: {table.title}: {'replaced' if n else 'no such table'}")
    path.write_text(text, encoding="utf-8")


def _environment() -> dict[str, str]:
    versions = {
        "machine": platform.machine(),
        "cores": str(os.cpu_count()),
        "Python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return versions


def compare(now: dict[str, Any], before: dict[str, Any]) -> None:
    """Print every figure as a multiple of the corresponding one in the other file."""
    table = Table("This run as a multiple of the other one", "table", "row", "figure", "times")
    earlier = {part["title"]: part["rows"] for part in before["tables"]}
    for part in now["tables"]:
        for row, other in zip(part["rows"], earlier.get(part["title"], []), strict=False):
            name = next(iter(row.values()))
            if name != next(iter(other.values())):
                continue  # rows were added or removed
            for column, value in row.items():
                was = other.get(column)
                if isinstance(value, float) and isinstance(was, float) and was > 0:
                    table.add(part["title"], str(name), column, value / was)


if __name__ == "__main__":
    raise SystemExit(main())
