"""Plots of rules: each function draws on a matplotlib ``Axes`` and returns it.

matplotlib is imported on the first call; install it with ``pip install 'irenic[plot]'``.
"""

from irenic.plot._coverage import coverage
from irenic.plot._front import front
from irenic.plot._regions import regions
from irenic.plot._rules import rules

__all__ = ["coverage", "front", "regions", "rules"]
