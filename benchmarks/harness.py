"""Timing, and tables that are printed as Markdown and saved as plain data."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from typing import Any


def seconds(work: Callable[[], Any], repeat: int = 9, at_least: float = 0.05) -> float:
    """Return the best time of one call; fast calls are repeated until the clock is precise."""
    start = time.perf_counter()
    work()
    once = time.perf_counter() - start
    if once > 5.0:
        return once
    calls = max(1, int(at_least / max(once, 1e-7)))
    best = once if calls == 1 else float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        for _ in range(calls):
            work()
        best = min(best, (time.perf_counter() - start) / calls)
    return best


def seconds_after(prepare: Callable[[], Any], work: Callable[[], Any], repeat: int = 200) -> float:
    """Return the best time of one call, each after a preparation that is not timed."""
    best = float("inf")
    for _ in range(repeat):
        prepare()
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def memory() -> str:
    """Return the peak memory of this process so far."""
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB"


def show_seconds(value: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


class Table:
    """The rows of one benchmark; a float is a ratio in a column "times …", else a time."""

    def __init__(self, title: str, *columns: str) -> None:
        self.title, self.columns, self.rows = title, columns, []
        self.failures: list[str] = []
        """Figures that make the run fail."""
        self.lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
        print(f"\n### {title}\n", *self.lines, sep="\n")

    def add(self, *cells: Any) -> None:
        self.rows.append(dict(zip(self.columns, cells, strict=True)))
        self.lines.append(f"| {' | '.join(map(_show, self.columns, cells))} |")
        print(self.lines[-1], flush=True)

    def data(self) -> dict[str, Any]:
        return {"title": self.title, "rows": self.rows}


def _show(column: str, cell: Any) -> str:
    if isinstance(cell, float):
        return f"{cell:.3g}×" if "times" in column else show_seconds(cell)
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
