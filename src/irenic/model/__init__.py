"""Features, spaces, regions, rules, rule sets, rule lists and decision tables."""

from irenic.model.coverage import CoverageMap
from irenic.model.decider import Decider
from irenic.model.decision_table import DecisionTable
from irenic.model.explanation import Explanation, Statistics
from irenic.model.features import MISSING, OTHER, Categorical, Continuous
from irenic.model.head import Head
from irenic.model.literals import Expression, Months, Prefix, Probabilities
from irenic.model.overlap import Conflict, Overlap
from irenic.model.provenance import Provenance
from irenic.model.region import Region
from irenic.model.rule import Rule
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances, Space

__all__ = [
    "MISSING",
    "OTHER",
    "Categorical",
    "Conflict",
    "Continuous",
    "CoverageMap",
    "Decider",
    "DecisionTable",
    "Explanation",
    "Expression",
    "Head",
    "Instances",
    "Months",
    "Overlap",
    "Prefix",
    "Probabilities",
    "Provenance",
    "Region",
    "Rule",
    "RuleList",
    "RuleSet",
    "Space",
    "Statistics",
]
