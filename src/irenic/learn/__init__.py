"""Learn rules from data: a scikit-learn classifier, its evaluation, and tables to learn from."""

from irenic.learn._base import Decision
from irenic.learn._certificate import Certificate
from irenic.learn._classifier import RuleSetClassifier
from irenic.learn._left_out import Estimate
from irenic.learn._michigan import MichiganClassifier
from irenic.learn._pittsburgh import PittsburghClassifier
from irenic.learn._tables import predict_table, split_target, true_labels, unhelpful_columns
from irenic.learn.cross_validation import cross_validate
from irenic.learn.front import Front, FrontPoint
from irenic.learn.hierarchy import Hierarchy

__all__ = [
    "Certificate",
    "Decision",
    "Estimate",
    "Front",
    "FrontPoint",
    "Hierarchy",
    "MichiganClassifier",
    "PittsburghClassifier",
    "RuleSetClassifier",
    "cross_validate",
    "predict_table",
    "split_target",
    "true_labels",
    "unhelpful_columns",
]
