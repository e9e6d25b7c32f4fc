"""Search for free regions for new rules, and for gaps that no rule covers."""

from irenic.searching._best_region import BestRegion, best_region
from irenic.searching._cfsbe import enlarge, enlarge_many
from irenic.searching._cfsgs import (
    Constraint,
    Path,
    Search,
    constraint_graph,
    constraints,
    paths,
    search,
)
from irenic.searching._gaps import Gaps, gaps
from irenic.searching._named import named_gaps

__all__ = [
    "BestRegion",
    "Constraint",
    "Gaps",
    "Path",
    "Search",
    "best_region",
    "constraint_graph",
    "constraints",
    "enlarge",
    "enlarge_many",
    "gaps",
    "named_gaps",
    "paths",
    "search",
]
