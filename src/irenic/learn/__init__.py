"""Learn rules from data: a scikit-learn classifier, its evaluation, and tables to learn from."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from irenic.learn._base import RuleClassifier
    from irenic.learn._certificate import Certificate
    from irenic.learn._classifier import RuleSetClassifier
    from irenic.learn._from_rules import from_rules
    from irenic.learn._leaks import suspect_columns
    from irenic.learn._learner import LabeledRows, RuleLearner
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
    from irenic.learn.parameters import Evolution, Knowledge
    from irenic.learn.validation import Estimate

__all__ = [
    "Certificate",
    "DefaultRegions",
    "Estimate",
    "Evolution",
    "Front",
    "FrontPoint",
    "Hierarchy",
    "Knowledge",
    "LabeledRows",
    "ProbabilityRow",
    "ProbabilityTable",
    "RuleClassifier",
    "RuleLearner",
    "RuleSetClassifier",
    "cross_validate",
    "from_rules",
    "predict_table",
    "split_target",
    "suspect_columns",
    "true_labels",
    "unhelpful_columns",
]

# Where each public name is defined: rules are applied without importing scikit-learn.
_NAMES = {
    "_base": ("RuleClassifier",),
    "_certificate": ("Certificate",),
    "_classifier": ("RuleSetClassifier",),
    "_from_rules": ("from_rules",),
    "_leaks": ("suspect_columns",),
    "_learner": ("LabeledRows", "RuleLearner"),
    "validation": ("Estimate",),
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
    "parameters": (
        "Evolution",
        "Knowledge",
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
