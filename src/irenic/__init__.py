"""irenic: sets of classification rules that never contradict themselves."""

from irenic.coverage import CoverageMap
from irenic.errors import (
    ConditionError,
    ConflictError,
    DataError,
    FileError,
    FormatError,
    IrenicError,
    SpaceError,
)
from irenic.features import MISSING, OTHER, Categorical, Continuous
from irenic.formats import read, write
from irenic.region import Region
from irenic.rule import Rule
from irenic.ruleset import Conflict, Explanation, RuleSet, Statistics
from irenic.space import Instances, Space

__all__ = [
    "MISSING",
    "OTHER",
    "Categorical",
    "ConditionError",
    "Conflict",
    "ConflictError",
    "Continuous",
    "CoverageMap",
    "DataError",
    "Explanation",
    "FileError",
    "FormatError",
    "Instances",
    "IrenicError",
    "Region",
    "Rule",
    "RuleSet",
    "Space",
    "SpaceError",
    "Statistics",
    "read",
    "write",
]

__version__ = "0.1.0"
