"""Learn rules from data: a scikit-learn classifier, its evaluation, and tables to learn from."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from irenic.learn._certificate import Certificate
    from irenic.learn._classifier import RuleSetClassifier
    from irenic.learn._from_rules import from_rules
    from irenic.learn._knowledge_file import load_knowledge, parse_knowledge
    from irenic.learn._leaks import suspect_columns
    from irenic.learn._left_out import Estimate
    from irenic.learn._michigan import MichiganClassifier, Population
    from irenic.learn._pittsburgh import Individual, PittsburghClassifier
    from irenic.learn._tables import predict_table, split_target, true_labels, unhelpful_columns
    from irenic.learn.cross_validation import cross_validate
    from irenic.learn.front import (
        DefaultRegions,
        Front,
        FrontPoint,
        ProbabilityRow,
        ProbabilityTable,
    )
    from irenic.learn.hierarchy import Hierarchy
    from irenic.learn.operators import TrainingRows, cross_regions, draw_region, mutate_region

__all__ = [
    "Certificate",
    "DefaultRegions",
    "Estimate",
    "Front",
    "FrontPoint",
    "Hierarchy",
    "Individual",
    "MichiganClassifier",
    "PittsburghClassifier",
    "Population",
    "ProbabilityRow",
    "ProbabilityTable",
    "RuleSetClassifier",
    "TrainingRows",
    "cross_regions",
    "cross_validate",
    "draw_region",
    "from_rules",
    "load_knowledge",
    "mutate_region",
    "parse_knowledge",
    "predict_table",
    "split_target",
    "suspect_columns",
    "true_labels",
    "unhelpful_columns",
]

# Where each public name is defined: rules are applied without importing scikit-learn.
_NAMES = {
    "_certificate": ("Certificate",),
    "_classifier": ("RuleSetClassifier",),
    "_from_rules": ("from_rules",),
    "_knowledge_file": (
        "load_knowledge",
        "parse_knowledge",
    ),
    "_leaks": ("suspect_columns",),
    "_left_out": ("Estimate",),
    "_michigan": (
        "MichiganClassifier",
        "Population",
    ),
    "_pittsburgh": (
        "Individual",
        "PittsburghClassifier",
    ),
    "_tables": (
        "predict_table",
        "split_target",
        "true_labels",
        "unhelpful_columns",
    ),
    "cross_validation": ("cross_validate",),
    "front": (
        "DefaultRegions",
        "Front",
        "FrontPoint",
        "ProbabilityRow",
        "ProbabilityTable",
    ),
    "hierarchy": ("Hierarchy",),
    "operators": (
        "TrainingRows",
        "cross_regions",
        "draw_region",
        "mutate_region",
    ),
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _NAMES and not name.startswith("_"):
        return import_module(f"irenic.learn.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'irenic.learn' has no attribute {name!r}")
    value = getattr(import_module(f"irenic.learn.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
