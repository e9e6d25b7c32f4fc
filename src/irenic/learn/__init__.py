"""Learners: scikit-learn estimators on the algorithms beneath."""

from irenic.learn._certificate import Certificate
from irenic.learn._classifier import Decision, RuleSetClassifier
from irenic.learn.front import Front, FrontPoint
from irenic.learn.hierarchy import Hierarchy

__all__ = ["Certificate", "Decision", "Front", "FrontPoint", "Hierarchy", "RuleSetClassifier"]
