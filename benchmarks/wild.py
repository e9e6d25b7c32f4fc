"""irenic on decision tables as found in the wild: what it reads, refuses and finds.

``python -m benchmarks.wild --data FOLDER`` reads every DMN model in a folder, such as a checkout of
a public repository. It prints how many tables are read, the refusals grouped by cause, the findings
of the tables, and the slowest files. With ``--out FILE`` it writes one line per table as CSV: file,
table, read or refused, rows, conflicts, gaps, warnings and the reasons of a refusal. It fails if a
file raises anything but an error of irenic.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import irenic
from irenic.errors import FormatError, IrenicError
from irenic.model.decision_table import DecisionTable

_SUFFIXES = (".dmn",)
_MOST_LISTED = 20
_MOST_PRINTED = 5
_SECONDS = 2.0


class Seen(NamedTuple):
    """What became of one table, or of a file without tables that can be read."""

    file: str
    table: str
    result: str
    rows: int = 0
    conflicts: int = 0
    gaps: int = 0
    warnings: int = 0
    reasons: tuple[str, ...] = ()


def run(folder: Path) -> Iterator[tuple[float, list[Seen]]]:
    """Yield the seconds that each file took, and what became of its tables."""
    for path in sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES):
        name = path.relative_to(folder).as_posix()
        start = time.perf_counter()
        try:
            seen = list(_tables(path, name))
        except IrenicError as error:
            seen = [Seen(name, "", "refused", reasons=(str(error),))]
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            reason = f"{type(error).__name__} in {Path(where.filename).name}: {error}"
            seen = [Seen(name, "", "crashed", reasons=(reason,))]
        yield time.perf_counter() - start, seen


def _tables(path: Path, name: str) -> Iterator[Seen]:
    parsed = irenic.parse(path)
    if parsed.failures:
        yield Seen(name, "", "refused", reasons=tuple(map(_reason, parsed.failures)))
    for draft in parsed.drafts:
        tables = parsed.assemble(draft, None)
        for table in tables.tables:
            counts = (table.n_rows, *_findings(table), len(tables.warnings))
            yield Seen(name, table.name, "read", *counts)
        if tables.errors:
            yield Seen(name, draft.name, "refused", reasons=tuple(map(_reason, tables.errors)))


def _findings(table: DecisionTable) -> tuple[int, int]:
    """Return the numbers of contradictions and of gaps."""
    findings = irenic.check(table, budget=_SECONDS, limit=_MOST_LISTED)
    overlaps = findings.count("overlaps") if table.hit_policy == "UNIQUE" else 0
    return max(findings.count("conflicts"), overlaps), findings.count("gaps")


def _reason(error: FormatError) -> str:
    return str(getattr(error, "reason", error.message))


def cause(reason: str) -> str:
    """Return a reason without what is particular to a table: quoted parts and numbers."""
    text = re.sub(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", "'…'", reason)
    return re.sub(r"\d[\d,.]*", "N", text)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wild", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of models")
    parser.add_argument("--out", type=Path, help="what became of each table (CSV)")
    options = parser.parse_args(arguments)
    seen: list[Seen] = []
    times: list[tuple[float, str]] = []
    for seconds, of_file in run(options.data):
        seen += of_file
        times += [(seconds, of_file[0].file)] if of_file else []
    results = Counter(each.result for each in seen)
    read = [each for each in seen if each.result == "read"]
    print(f"{len(read)} of {len(seen)} tables read, {results['crashed']} crashed")
    for what in ("conflicts", "gaps", "warnings"):
        counts = [getattr(each, what) for each in read]
        tables = sum(map(bool, counts))
        print(f"{sum(counts)} {what} in {tables} tables")
    _print_causes(seen)
    print(f"{sum(seconds for seconds, _ in times):.1f} s in all; the slowest:")
    for seconds, file in sorted(times, reverse=True)[:_MOST_PRINTED]:
        print(f"  {seconds:.1f} s  {file}")
    if options.out:
        with options.out.open("w", newline="", encoding="utf-8") as file:
            lines = csv.writer(file)
            lines.writerow(Seen.__annotations__)
            lines.writerows((*each[:-1], " | ".join(each.reasons)) for each in seen)
    return 1 if results["crashed"] else 0


def _print_causes(seen: list[Seen]) -> None:
    """Print each cause of refusals: the tables that it keeps from being read, and some of them."""
    tables: dict[str, list[Seen]] = {}
    for each in seen:
        for text in dict.fromkeys(map(cause, each.reasons)):
            tables.setdefault(text, []).append(each)
    for text, refused in sorted(tables.items(), key=lambda item: -len(item[1])):
        alone = sum(len({*map(cause, each.reasons)}) == 1 for each in refused)
        print(f"{len(refused)} tables ({alone} for this alone): {text}")
        for each in refused[:_MOST_PRINTED]:
            reason = next(reason for reason in each.reasons if cause(reason) == text)
            print(f"    {each.file}: {reason[:150]!r}")


if __name__ == "__main__":
    sys.exit(main())
