"""irenic: sets of classification rules that never contradict themselves."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from irenic import learn as learn
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
    from irenic.learn import RuleSetClassifier, from_rules
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
    "from_rules",
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

__version__ = "1.0.0"

# Each package is imported when one of its names is first used, so that the command starts fast.
_NAMES = {
    "budget": ("Budget",),
    "checking": ("check",),
    "errors": (
        "BudgetError",
        "ConditionError",
        "ConflictError",
        "DataError",
        "FileError",
        "FormatError",
        "FormatWarning",
        "IrenicError",
        "SeedError",
        "SpaceError",
    ),
    "formats": ("dumps", "loads", "parse", "read", "read_model", "to_python", "to_sql", "write"),
    "learn": ("RuleSetClassifier", "from_rules"),
    "mend": ("complete", "diff", "merge", "repair", "to_set"),
    "model": (
        "MISSING",
        "OTHER",
        "Categorical",
        "Conflict",
        "Continuous",
        "DecisionTable",
        "Overlap",
        "Region",
        "Rule",
        "RuleList",
        "RuleSet",
        "Space",
    ),
    "reporting": ("report", "summarize"),
    "searching": ("best_region", "enlarge", "enlarge_many", "gaps", "search"),
}
_PACKAGE_OF = {name: package for package, names in _NAMES.items() for name in names}
_PACKAGES = (*_NAMES, "boxes", "monitoring", "plot", "proving", "spark", "systems", "testing")


def __getattr__(name: str) -> Any:
    if name in _PACKAGE_OF:
        value = getattr(import_module(f"irenic.{_PACKAGE_OF[name]}"), name)
    elif name in _PACKAGES:
        return import_module(f"irenic.{name}")
    else:
        raise AttributeError(f"module 'irenic' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PACKAGES})
