"""Learners: scikit-learn estimators on the algorithms beneath."""

from irenic.learn.certificate import Certificate
from irenic.learn.classifier import Decision, RuleSetClassifier
from irenic.learn.front import FrontPoint
from irenic.learn.hierarchy import Hierarchy

__all__ = ["Certificate", "Decision", "FrontPoint", "Hierarchy", "RuleSetClassifier"]
