"""Check rules for contradictions, gaps, redundant rules and columns without effect."""

from irenic.checking import _baseline as baseline
from irenic.checking._check import CERTAIN, Findings, check, open_finding
from irenic.checking._finding import (
    KINDS,
    LEVELS,
    NOUNS,
    Finding,
    Kind,
    Level,
    case_in,
    kind_named,
    listed,
    numbered,
)

__all__ = [
    "CERTAIN",
    "KINDS",
    "LEVELS",
    "NOUNS",
    "Finding",
    "Findings",
    "Kind",
    "Level",
    "baseline",
    "case_in",
    "check",
    "kind_named",
    "listed",
    "numbered",
    "open_finding",
]
