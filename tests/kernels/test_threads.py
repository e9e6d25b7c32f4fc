"""Kernels on several cores."""

from __future__ import annotations

import threading

import pytest

from irenic.kernels import threads
from refusals import refuses


@pytest.fixture
def cores(monkeypatch):
    """Let the machine have eight cores, and no limit be set."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)), raising=False)
    return monkeypatch


def ranges(n, **options):
    """Return the ranges that are worked on, and whether this was on other threads."""
    done, names = [], set()

    def work(first, last):
        done.append((first, last))
        names.add(threading.current_thread())

    threads.over_rows(work, n, **options)
    return sorted(done), threading.current_thread() not in names


def test_many_rows_are_divided_among_the_cores(cores):
    assert ranges(0, least=10) == ([(0, 0)], False)
    assert ranges(19, least=10) == ([(0, 19)], False)
    done, others = ranges(95, least=10)
    assert others
    assert len(done) == 8
    assert [a for a, _ in done] == [0, *(b for _, b in done[:-1])]
    assert done[-1][1] == 95
    limits = {"1": 1, "3": 3, "3,2": 3, " 2 ": 2, "100": 8, "0": 1, "": 8, "many": 8}
    for limit, expected in limits.items():
        cores.setenv("OMP_NUM_THREADS", limit)
        assert len(ranges(1000, least=10)[0]) == expected, limit


def test_an_error_in_a_thread_is_raised(cores):
    def work(first, last):
        raise MemoryError("none left")

    refuses(MemoryError, "none left", threads.over_rows, work, 1000, least=10)
