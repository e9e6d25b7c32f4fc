"""A file that was checked: what was found in its tables, and what could not be read."""

from __future__ import annotations

from dataclasses import dataclass, field

from irenic.errors import FormatError
from irenic.findings import Finding, Findings


@dataclass(frozen=True)
class CheckedFile:
    """What every view of a check shows: the findings of each table, and the errors."""

    path: str
    tables: list[Findings]
    errors: list[FormatError] = field(default_factory=list)
    several: bool = False
    """Whether files of this kind can hold several tables."""


def line_of(found: Findings, finding: Finding) -> int | None:
    """Return the line of the file that a finding is about, None where that is not known.

    Of two rules that do not go together it is the later one: it was probably added last.
    """
    lines = found.table.lines
    numbers = finding.rules if finding.kind != "columns" else ()
    return lines[max(numbers) - 1] if lines and numbers else None
