"""A file that was checked: what was found in its tables, and what could not be read of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from irenic.checking import Finding, Findings
from irenic.errors import FormatError


@dataclass(frozen=True)
class CheckedFile:
    """What every view of a check shows: the findings of each table, and the errors."""

    path: str
    tables: list[Findings]
    errors: list[FormatError] = field(default_factory=list)
    several: bool = False
    """Whether files of this kind can hold several tables."""
    warnings: list[FormatError] = field(default_factory=list)
    """What was read but may mean something else."""


def line_of(found: Findings, finding: Finding) -> int | None:
    """Return the line of the file that a finding is about, None where that is not known.

    Of two rules that do not go together it is the later one: it was probably added last. What
    concerns the table as a whole is about the line where its rules begin.
    """
    lines = found.table.lines
    if not lines:
        return None
    whole = finding.kind == "columns" or not finding.rules
    return min(lines) if whole else lines[max(finding.rules)]
