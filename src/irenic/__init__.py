"""irenic: sets of classification rules that never contradict themselves."""

from irenic.best_order import BestRegion, best_region
from irenic.budget import Budget
from irenic.cfsbe import enlarge, enlarge_many
from irenic.cfsgs import Constraint, Search, constraint_graph, constraints, search
from irenic.coverage import CoverageMap
from irenic.errors import (
    ConditionError,
    ConflictError,
    DataError,
    FileError,
    FormatError,
    IrenicError,
    SeedError,
    SpaceError,
)
from irenic.features import MISSING, OTHER, Categorical, Continuous
from irenic.formats import read, write
from irenic.gaps import Gaps, gaps
from irenic.outcomes import Explanation, Statistics
from irenic.pairs import Conflict
from irenic.region import Region
from irenic.rule import Rule
from irenic.ruleset import RuleSet
from irenic.space import Instances, Space

__all__ = [
    "MISSING",
    "OTHER",
    "BestRegion",
    "Budget",
    "Categorical",
    "ConditionError",
    "Conflict",
    "ConflictError",
    "Constraint",
    "Continuous",
    "CoverageMap",
    "DataError",
    "Explanation",
    "FileError",
    "FormatError",
    "Gaps",
    "Instances",
    "IrenicError",
    "Region",
    "Rule",
    "RuleSet",
    "Search",
    "SeedError",
    "Space",
    "SpaceError",
    "Statistics",
    "best_region",
    "constraint_graph",
    "constraints",
    "enlarge",
    "enlarge_many",
    "gaps",
    "read",
    "search",
    "write",
]

__version__ = "0.1.0"
