"""Learn rules from data: a scikit-learn classifier, its evaluation, and tables to learn from."""

from irenic.learn._base import Decision
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
    "Decision",
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
