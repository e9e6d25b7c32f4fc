"""Mend rules: remove contradictions, fill gaps, merge rules, turn lists into sets, compare."""

from irenic.mend._changes import Change, Repair
from irenic.mend._complete import Completion, Proposal, complete
from irenic.mend._diff import Difference, Differences, diff
from irenic.mend._merge import Merged, merge
from irenic.mend._repair import repair
from irenic.mend._to_set import to_set

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
