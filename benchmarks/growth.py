"""Growth: the CPU time of what should take time in proportion to its input, at n, 2n and 4n.

The exponent is the slope between n and 4n on logarithmic scales: 1 for work in proportion to the
input, 2 for quadratic work. The run fails if an exponent is above 1.3.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import irenic
from benchmarks.checking import long_table
from benchmarks.deciding import leaf_rules
from benchmarks.harness import Table
from irenic.errors import with_options
from irenic.frames import csv
from irenic.proving import prove

HIGHEST = 1.3
REPEAT = 3
# Repeated to the length of a cell; for each of them, some pattern once tried all ways to split it.
PIECES = ("x", "1", " ", "1,", ",111", "ab-", "\u00a0", "( ", "A1, ", "not ", "1 or ")


class Case(NamedTuple):
    """What is measured: ``prepare`` makes an input of a size, ``work`` is timed."""

    name: str
    size: int
    prepare: Callable[[int], Any]
    work: Callable[[Any], Any]


def read(raw: bytes) -> irenic.formats.Parsed:
    parsed = irenic.parse(raw, format="csv")
    parsed.bound(None)
    return parsed


def read_and_check(raw: bytes) -> None:
    (decision_table,) = irenic.parse(raw, format="csv").bound(None).tables
    irenic.check(decision_table)


def texts(n: int) -> bytes:
    """Return a price list: one article per row, each with a name of its own."""
    rows = (f"AB-{7_919 * k % 1_000_003:06d}-{k},{k % 50}\n" for k in range(n))
    return f"article,price\n{''.join(rows)}".encode()


def hostile_cells(n: int) -> list[bytes]:
    """Return tables in which a condition, an outcome or a declaration has n characters."""
    tables: list[bytes] = []
    for piece in PIECES:
        text = (piece * n)[:n].replace('"', '""')
        cells = (f"1{text}!", f"one of a{text}b", f'""{text}""')
        tables += [f'age,fare\n"{cell}",a\n< 5,b\n7,"{cell}"\n'.encode() for cell in cells]
    return tables


def messages(n: int) -> list[str]:
    """Return messages with n characters from a file, which name no argument of Python."""
    return [(piece * n)[:n] for piece in (*PIECES, "1e", "a='", "a=[", " (in Python: ")]


def instances(n: int) -> bytes:
    """Return rows to learn from, of different numbers, whose cells are separated by semicolons."""
    return "".join(["a;b;y\n", *(f"{k}.5;{k};{k % 3}\n" for k in range(n))]).encode()


def claims(n: int) -> tuple[irenic.RuleSet, list[str]]:
    return leaf_rules(500), [f"NEVER nothing WHERE f1 < {k / n}" for k in range(1, n + 1)]


CASES = (
    Case("rows of ranges, read and checked", 4_000, long_table, read_and_check),
    Case("rows of different texts, read", 2_000, texts, read),
    Case("characters of hostile cells, read", 10_000, hostile_cells, lambda t: [*map(read, t)]),
    Case("characters of messages, printed", 10_000, messages, lambda t: [*map(with_options, t)]),
    Case("columns of 500 rows, read and checked", 25, lambda d: long_table(500, d), read_and_check),
    Case("rows of a CSV file with semicolons, to learn from", 8_000, instances, csv.loads),
    Case("properties of 500 rules, proved", 5, claims, lambda c: prove(*c)),
)


def best(work: Callable[[Any], Any], data: Any) -> float:
    """Return the least CPU time of several runs."""
    taken = []
    for _ in range(REPEAT):
        start = time.process_time()
        work(data)
        taken.append(time.process_time() - start)
    return min(taken)


def main() -> list[Table]:
    table = Table("Growth", "of", "n", "CPU time at n", "at 2n", "at 4n", "exponent")
    for case in CASES:
        case.work(case.prepare(max(1, case.size // 10)))  # imports, and patterns are compiled
        times = [best(case.work, case.prepare(case.size * scale)) for scale in (1, 2, 4)]
        exponent = math.log(times[2] / times[0], 4)
        table.add(case.name, case.size, *times, f"{exponent:.2f}")
        if exponent > HIGHEST:
            table.failures.append(f"{case.name}: exponent {exponent:.2f} is above {HIGHEST}")
    return [table]
