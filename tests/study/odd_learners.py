"""Learners that misbehave, for tests of the runner.

A process of the runner imports this module when it reads a ``Table``, and so knows them. They are
well while they are warmed up, all but one, on a table that has other columns.
"""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks import peers
from study import learners


@dataclass
class Table:
    """A data set as the runner knows them."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    group: str = "odd"


def table(name, n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"number": rng.random(n), "other": rng.random(n)})
    y = np.where(X["number"] + 0.3 * rng.random(n) < 0.6, "low", "high").astype(object)
    return Table(name, X, y)


def _once_warm(misbehave):
    def learner(X, y):
        if "number" in X:
            misbehave()
        return peers.TREES["tree 4"](X, y)

    return learner


def _raise():
    raise RuntimeError("no rules for today\nand a table that nobody reads")


def _unready(X, y):
    raise ImportError("no such library")


learners.LEARNERS.update(
    {
        "raises": _once_warm(_raise),
        "slow": _once_warm(lambda: sum(iter(int, 1))),
        "waiting": _once_warm(lambda: time.sleep(600)),
        "killed": _once_warm(lambda: os.kill(os.getpid(), signal.SIGKILL)),
        "unready": _unready,
    }
)
