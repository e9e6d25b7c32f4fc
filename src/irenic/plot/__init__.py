"""Pictures of rules with matplotlib: each function takes an ``Axes`` and returns it.

matplotlib is imported when something is drawn; ``pip install 'irenic[plot]'`` brings it.
"""

from irenic.plot._coverage import coverage
from irenic.plot._front import front
from irenic.plot._regions import regions
from irenic.plot._rules import rules

__all__ = ["coverage", "front", "regions", "rules"]
