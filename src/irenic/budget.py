"""Budgets of searches, and why a search stopped."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from numbers import Real
from typing import Literal, TypeAlias

from irenic.errors import BudgetError, ConditionError

StoppedBy: TypeAlias = Literal["seconds", "nodes", "regions", "interrupt"]
Progress: TypeAlias = Callable[[int, int], object]
"""Called regularly with the nodes and regions so far; returning True stops the search."""


@dataclass(frozen=True)
class Budget:
    """The limits of a search.

    Parameters
    ----------
    seconds : float, optional
        Maximum time in seconds (default: unlimited).
    nodes : int, optional
        Maximum number of search steps (default: unlimited).
    regions : int, optional
        Maximum number of results (default: unlimited).

    Raises
    ------
    ConditionError
        If a limit is negative or not a number.

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
                    f"budget.{field.name} must be a non-negative number or None, got {value!r}"
                )
            whole = field.name != "seconds" and math.isfinite(value)
            number = float(value)
            object.__setattr__(self, field.name, int(number) if whole else number)

    @classmethod
    def from_value(cls, budget: Budget | float | None) -> Budget:
        """Return a budget in any form that functions accept: a number is one of seconds."""
        return budget if isinstance(budget, Budget) else cls(seconds=budget)


class Meter:
    """Measures how much of a budget is used; call :meth:`spent` after each step."""

    def __init__(self, budget: Budget | float | None) -> None:
        self.budget = Budget.from_value(budget)
        self.nodes = 0
        self.regions = 0
        self.stopped_by: StoppedBy | None = None
        self.ran_out: StoppedBy | None = None
        """The limit that was reached first, even if ``stopped_by`` was reset to continue."""
        self._start = time.monotonic()
        self._paused: float | None = None

    @property
    def seconds(self) -> float:
        """The seconds used so far, without pauses."""
        now = time.monotonic() if self._paused is None else self._paused
        return now - self._start

    @property
    def late(self) -> bool:
        """Whether the time is used up; checked before optional work."""
        return self.budget.seconds is not None and self.seconds >= self.budget.seconds

    def pause(self) -> None:
        """Stop the clock while the caller processes a result."""
        self._paused = time.monotonic()

    def resume(self) -> None:
        """Restart the clock."""
        if self._paused is not None:
            self._start += time.monotonic() - self._paused
            self._paused = None

    def spent(self, *, nodes: int = 0, regions: int = 0) -> bool:
        """Add steps and results, and return whether the budget is used up."""
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


def out_of_budget(what: str, meter: Meter) -> BudgetError:
    """Return the error for a task that was stopped before its result was proved."""
    return BudgetError(
        f"{what} was stopped by {meter.stopped_by} before the result was proved; use a larger"
        " budget"
    )
