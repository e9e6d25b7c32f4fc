"""How long a search may take, and how it ended."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from numbers import Real
from typing import Literal, TypeAlias

from irenic.errors import ConditionError

StoppedBy: TypeAlias = Literal["seconds", "nodes", "regions", "interrupt"]
Progress: TypeAlias = Callable[[int, int], object]
"""Called now and then with the nodes and the regions so far; a true answer stops the search."""


@dataclass(frozen=True)
class Budget:
    """The most that a search may take; a side that is None is unlimited.

    Parameters
    ----------
    seconds : float, optional
    nodes : int, optional
        Steps of the search.
    regions : int, optional
        Results.

    Examples
    --------
    >>> Budget(seconds=2.5, nodes=100_000)
    Budget(seconds=2.5, nodes=100000, regions=None)
    """

    seconds: float | None = None
    nodes: int | None = None
    regions: int | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, Real) or not float(value) >= 0:
                raise ConditionError(
                    f"Budget: {field.name} is a number that is not negative, or None, not {value!r}"
                )
            whole = field.name != "seconds" and math.isfinite(value)
            number = float(value)
            object.__setattr__(self, field.name, int(number) if whole else number)

    @classmethod
    def of(cls, budget: Budget | float | None) -> Budget:
        """Return a budget: a number stands for seconds, None for no limit."""
        return budget if isinstance(budget, Budget) else cls(seconds=budget)


class Meter:
    """A budget being spent: ask :meth:`spent` after each step."""

    def __init__(self, budget: Budget | float | None) -> None:
        self.budget = Budget.of(budget)
        self.nodes = 0
        self.regions = 0
        self.stopped_by: StoppedBy | None = None
        self.ran_out: StoppedBy | None = None
        """What was used up first, even where ``stopped_by`` was reset to go on with the rest."""
        self._start = time.monotonic()
        self._paused: float | None = None

    @property
    def seconds(self) -> float:
        """How long it has taken so far, pauses left out."""
        now = time.monotonic() if self._paused is None else self._paused
        return now - self._start

    @property
    def late(self) -> bool:
        """Whether the seconds are used up, for work that may be left undone without harm."""
        return self.budget.seconds is not None and self.seconds >= self.budget.seconds

    def pause(self) -> None:
        """Stop the clock while the caller works on a result."""
        self._paused = time.monotonic()

    def resume(self) -> None:
        """Let the clock go on."""
        if self._paused is not None:
            self._start += time.monotonic() - self._paused
            self._paused = None

    def spent(self, *, nodes: int = 0, regions: int = 0) -> bool:
        """Count steps and results; return whether the budget is used up."""
        self.nodes += nodes
        self.regions += regions
        budget = self.budget
        if budget.nodes is not None and self.nodes >= budget.nodes:
            self.stopped_by = "nodes"
        elif budget.regions is not None and self.regions >= budget.regions:
            self.stopped_by = "regions"
        elif budget.seconds is not None and self.seconds >= budget.seconds:
            self.stopped_by = "seconds"
        self.ran_out = self.ran_out or self.stopped_by
        return self.stopped_by is not None
