"""Pictures of rules with matplotlib: each function takes an ``Axes`` and returns it.

matplotlib is imported when something is drawn; ``pip install 'irenic[plot]'`` brings it.
"""

from irenic.plot.coverage import coverage
from irenic.plot.front import front
from irenic.plot.regions import regions
from irenic.plot.rules import rules

__all__ = ["coverage", "front", "regions", "rules"]
