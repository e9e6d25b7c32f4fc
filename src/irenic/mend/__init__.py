"""Mending rules: lists into sets, contradictions and gaps out of sets, and what changes change."""

from irenic.mend.changes import Change, Repair
from irenic.mend.completing import Completion, Proposal, complete
from irenic.mend.differing import Difference, Differences, diff
from irenic.mend.lists import to_set
from irenic.mend.merging import Merged, merge
from irenic.mend.repairing import repair

__all__ = [
    "Change",
    "Completion",
    "Difference",
    "Differences",
    "Merged",
    "Proposal",
    "Repair",
    "complete",
    "diff",
    "merge",
    "repair",
    "to_set",
]
