"""Compare versions of rules on data, groups of rows, and the data of today with that of before."""

from irenic.monitoring._drift import Drift, Shift, drift
from irenic.monitoring._groups import GroupFigures, compare_groups
from irenic.monitoring._groups import figures_of as figures_of
from irenic.monitoring._groups import sum_of_groups as sum_of_groups
from irenic.monitoring._impact import Group, Impact, Move, impact
from irenic.monitoring._shares import Share

__all__ = [
    "Drift",
    "Group",
    "GroupFigures",
    "Impact",
    "Move",
    "Share",
    "Shift",
    "compare_groups",
    "drift",
    "impact",
]
