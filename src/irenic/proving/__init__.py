"""Prove properties of rules, certify them, test rules with cases, and compare versions on data."""

from irenic.proving._adding import Addition, try_rule
from irenic.proving._cases import Outcome, Trial, make_cases, try_cases
from irenic.proving._drift import Drift, Shift, drift
from irenic.proving._groups import GroupFigures, compare_groups
from irenic.proving._groups import figures_of as figures_of
from irenic.proving._groups import sum_of_groups as sum_of_groups
from irenic.proving._impact import Group, Impact, Move, impact
from irenic.proving._nearly import NearMiss, nearly
from irenic.proving._prove import (
    CertificateError,
    Verdict,
    certificate_document,
    certify,
    parse_properties,
    prove,
    verify,
)
from irenic.proving._shares import Share
from irenic.proving._smtlib import to_smtlib
from irenic.proving._why import Alternative, Reason, counterfactual, why

__all__ = [
    "Addition",
    "Alternative",
    "CertificateError",
    "Drift",
    "Group",
    "GroupFigures",
    "Impact",
    "Move",
    "NearMiss",
    "Outcome",
    "Reason",
    "Share",
    "Shift",
    "Trial",
    "Verdict",
    "certificate_document",
    "certify",
    "compare_groups",
    "counterfactual",
    "drift",
    "impact",
    "make_cases",
    "nearly",
    "parse_properties",
    "prove",
    "to_smtlib",
    "try_cases",
    "try_rule",
    "verify",
    "why",
]
