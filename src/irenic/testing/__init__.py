"""Test rules with cases, explain decisions, and try what a change of a case or a new rule does."""

from irenic.testing._adding import Addition, try_rule
from irenic.testing._cases import Outcome, Trial, make_cases, try_cases
from irenic.testing._counterfactual import Alternative, counterfactual
from irenic.testing._nearly import NearMiss, nearly
from irenic.testing._why import why

__all__ = [
    "Addition",
    "Alternative",
    "NearMiss",
    "Outcome",
    "Trial",
    "counterfactual",
    "make_cases",
    "nearly",
    "try_cases",
    "try_rule",
    "why",
]
