"""irenic: sets of classification rules that never contradict themselves."""

from typing import TYPE_CHECKING, Any

from irenic import plot as plot
from irenic.budget import Budget
from irenic.checking import Finding, Findings, check
from irenic.errors import (
    BudgetError,
    ConditionError,
    ConflictError,
    DataError,
    FileError,
    FormatError,
    FormatWarning,
    IrenicError,
    SeedError,
    SpaceError,
)
from irenic.formats import (
    ReadTables,
    from_imodels,
    from_orange,
    from_rulekit,
    from_sklearn,
    from_wittgenstein,
    read,
    read_model,
    read_tables,
    to_python,
    to_sql,
    write,
)
from irenic.mend import (
    Change,
    Completion,
    Difference,
    Differences,
    Merged,
    Proposal,
    Repair,
    complete,
    diff,
    merge,
    repair,
    to_set,
)
from irenic.model.coverage import CoverageMap
from irenic.model.decision_table import DecisionTable
from irenic.model.explanation import Explanation, Statistics
from irenic.model.features import MISSING, OTHER, Categorical, Continuous
from irenic.model.literals import Expression, Months
from irenic.model.overlap import Conflict, Overlap
from irenic.model.region import Region
from irenic.model.rule import Rule
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet
from irenic.model.space import Instances, Space
from irenic.reporting.page import Report, report
from irenic.reporting.summarize import summarize
from irenic.searching.best_region import BestRegion, best_region
from irenic.searching.cfsbe import enlarge, enlarge_many
from irenic.searching.cfsgs import Constraint, Search, constraint_graph, constraints, search
from irenic.searching.gaps import Gaps, gaps

if TYPE_CHECKING:
    from irenic.learn import Certificate, Decision, Front, FrontPoint, Hierarchy, RuleSetClassifier

__all__ = [
    "MISSING",
    "OTHER",
    "BestRegion",
    "Budget",
    "BudgetError",
    "Categorical",
    "Certificate",
    "Change",
    "Completion",
    "ConditionError",
    "Conflict",
    "ConflictError",
    "Constraint",
    "Continuous",
    "CoverageMap",
    "DataError",
    "Decision",
    "DecisionTable",
    "Difference",
    "Differences",
    "Explanation",
    "Expression",
    "FileError",
    "Finding",
    "Findings",
    "FormatError",
    "FormatWarning",
    "Front",
    "FrontPoint",
    "Gaps",
    "Hierarchy",
    "Instances",
    "IrenicError",
    "Merged",
    "Months",
    "Overlap",
    "Proposal",
    "ReadTables",
    "Region",
    "Repair",
    "Report",
    "Rule",
    "RuleList",
    "RuleSet",
    "RuleSetClassifier",
    "Search",
    "SeedError",
    "Space",
    "SpaceError",
    "Statistics",
    "best_region",
    "check",
    "complete",
    "constraint_graph",
    "constraints",
    "diff",
    "enlarge",
    "enlarge_many",
    "from_imodels",
    "from_orange",
    "from_rulekit",
    "from_sklearn",
    "from_wittgenstein",
    "gaps",
    "merge",
    "read",
    "read_model",
    "read_tables",
    "repair",
    "report",
    "search",
    "summarize",
    "to_python",
    "to_set",
    "to_sql",
    "write",
]

__version__ = "0.1.0"

# What needs scikit-learn is imported when it is first asked for: that takes a second, which users
# of the algorithms alone need not wait for.
_LEARNERS = ("Certificate", "Decision", "Front", "FrontPoint", "Hierarchy", "RuleSetClassifier")


def __getattr__(name: str) -> Any:
    if name in _LEARNERS:
        from irenic import learn

        globals().update({learner: getattr(learn, learner) for learner in _LEARNERS})
        return globals()[name]
    raise AttributeError(f"module 'irenic' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LEARNERS})
