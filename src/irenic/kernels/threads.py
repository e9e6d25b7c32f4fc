"""Running kernels over ranges of rows on several cores.

Kernels run without the GIL, so plain threads are enough. The environment variable OMP_NUM_THREADS
limits them: joblib sets it in its worker processes, so that together they start no more threads
than there are cores.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise

# Fewer rows than this on a thread cost more to hand over than they save.
_LEAST_ROWS = 16_384


def over_rows(work: Callable[[int, int], object], n_rows: int, *, least: int = _LEAST_ROWS) -> None:
    """Call ``work(first, last)`` on ranges that divide ``n_rows``, on several cores if it pays.

    ``least`` is how many rows are worth a thread.
    """
    n_threads = min(_available(), n_rows // least) if n_rows >= 2 * least else 1
    if n_threads <= 1:
        work(0, n_rows)
        return
    from concurrent.futures import ThreadPoolExecutor  # slow to import: it brings in logging

    edges = [n_rows * i // n_threads for i in range(n_threads + 1)]
    with ThreadPoolExecutor(n_threads) as pool:
        for done in [pool.submit(work, a, b) for a, b in pairwise(edges)]:
            done.result()


def _available() -> int:
    """Return how many threads may run."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    limit = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()  # one per level of nesting
    return min(cores or 1, int(limit)) if limit.isdecimal() else cores or 1
