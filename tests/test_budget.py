"""Budgets: what a search may take, and a meter that says when it is used up."""

from __future__ import annotations

import math

import numpy as np
import pytest

from irenic import Budget, ConditionError, budget
from irenic.budget import Meter

SIDES = ["seconds", "nodes", "regions"]


@pytest.fixture
def clock(monkeypatch):
    """Return a clock that stands still until it is set."""

    class Clock:
        now = 100.0

    monkeypatch.setattr(budget.time, "monotonic", lambda: Clock.now)
    return Clock


def test_a_number_stands_for_seconds_and_none_for_no_limit():
    assert Budget.from_value(2.5) == Budget(seconds=2.5)
    assert Budget.from_value(3) == Budget(seconds=3)
    assert Budget.from_value(None) == Budget()
    budget = Budget(nodes=5)
    assert Budget.from_value(budget) is budget
    with pytest.raises(ConditionError, match=r"^budget\.seconds must be .* got '1 minute'$"):
        Budget.from_value("1 minute")


@pytest.mark.parametrize("side", SIDES)
def test_limits_are_non_negative_numbers(side):
    for value in (-1, -0.5, math.nan, True, "5", [1]):
        with pytest.raises(ConditionError) as error:
            Budget(**{side: value})
        expected = f"budget.{side} must be a non-negative number or None, got {value!r}"
        assert str(error.value) == expected
    meter = Meter(Budget(**{side: 0}))
    assert meter.spent()
    assert meter.stopped_by == side


def test_limits_are_numbers_of_any_type_that_cannot_be_changed():
    for value in (0, 0.0, 7, math.inf):
        assert Budget(seconds=value).seconds == value
    budget = Budget(seconds=1, nodes=np.int64(5), regions=1e6)
    assert (budget.seconds, budget.nodes, budget.regions) == (1.0, 5, 1_000_000)
    assert isinstance(budget.nodes, int)
    with pytest.raises(AttributeError):
        budget.seconds = 2


def test_an_unlimited_budget_is_never_used_up(clock):
    meter = Meter(None)
    clock.now += 1e9
    assert not meter.spent(nodes=10**12, regions=10**12)
    assert meter.stopped_by is None
    assert (meter.nodes, meter.regions, meter.seconds) == (10**12, 10**12, 1e9)


def test_nodes_and_regions_are_counted_until_they_are_used_up(clock):
    meter = Meter(Budget(nodes=3))
    assert [meter.spent(nodes=1) for _ in range(4)] == [False, False, True, True]
    assert (meter.stopped_by, meter.nodes) == ("nodes", 4)
    meter = Meter(Budget(regions=2))
    assert not meter.spent(nodes=100)
    assert not meter.spent(regions=1)
    assert meter.spent(regions=1)
    assert (meter.stopped_by, meter.regions, meter.nodes) == ("regions", 2, 100)


def test_seconds_run_from_the_start_of_the_meter(clock):
    meter = Meter(1.5)
    clock.now += 1.25
    assert not meter.spent()
    assert meter.seconds == 1.25
    clock.now += 0.25
    assert meter.spent()
    assert meter.stopped_by == "seconds"


def test_a_used_up_budget_keeps_its_reason(clock):
    meter = Meter(Budget(nodes=1, seconds=10))
    assert meter.spent(nodes=1)
    assert meter.spent()
    assert meter.stopped_by == "nodes"


def test_the_clock_stops_during_a_pause(clock):
    meter = Meter(Budget(seconds=5))
    clock.now += 1
    meter.pause()
    clock.now += 50
    assert meter.seconds == 1
    meter.resume()
    clock.now += 2
    assert meter.seconds == 3
    assert not meter.spent(nodes=1)
