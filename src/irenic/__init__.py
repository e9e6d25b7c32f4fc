"""irenic: sets of classification rules that never contradict themselves."""

from typing import TYPE_CHECKING, Any

from irenic import plot as plot
from irenic.budget import Budget
from irenic.checking import check
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
from irenic.formats import dumps, loads, parse, read, read_model, to_python, to_sql, write
from irenic.mend import complete, diff, merge, repair, to_set
from irenic.model import (
    MISSING,
    OTHER,
    Categorical,
    Conflict,
    Continuous,
    DecisionTable,
    Overlap,
    Region,
    Rule,
    RuleList,
    RuleSet,
    Space,
)
from irenic.reporting import report, summarize
from irenic.searching import best_region, enlarge, enlarge_many, gaps, search

if TYPE_CHECKING:
    from irenic import learn as learn
    from irenic.learn import RuleSetClassifier

__all__ = [
    "MISSING",
    "OTHER",
    "Budget",
    "BudgetError",
    "Categorical",
    "ConditionError",
    "Conflict",
    "ConflictError",
    "Continuous",
    "DataError",
    "DecisionTable",
    "FileError",
    "FormatError",
    "FormatWarning",
    "IrenicError",
    "Overlap",
    "Region",
    "Rule",
    "RuleList",
    "RuleSet",
    "RuleSetClassifier",
    "SeedError",
    "Space",
    "SpaceError",
    "best_region",
    "check",
    "complete",
    "diff",
    "dumps",
    "enlarge",
    "enlarge_many",
    "gaps",
    "loads",
    "merge",
    "parse",
    "read",
    "read_model",
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


# scikit-learn takes a second to import, so irenic.learn is imported when it is first used.
def __getattr__(name: str) -> Any:
    if name in ("RuleSetClassifier", "learn"):
        from importlib import import_module

        learn = import_module("irenic.learn")
        globals().update(learn=learn, RuleSetClassifier=learn.RuleSetClassifier)
        return globals()[name]
    raise AttributeError(f"module 'irenic' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), "RuleSetClassifier", "learn"})
