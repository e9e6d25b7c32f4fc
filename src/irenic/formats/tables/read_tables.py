"""What a file of decision tables holds: the tables that are whole, every mistake and warning."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from irenic.errors import FormatError
from irenic.model.decision_table import DecisionTable


@dataclass(frozen=True, eq=False)
class ReadTables:
    """The tables of a file, what could not be read of it, and what may have been misread.

    >>> ReadTables([]).errors
    []
    """

    tables: list[DecisionTable]
    errors: list[FormatError] = field(default_factory=list)
    warnings: list[FormatError] = field(default_factory=list)
    """Cells and columns that were read, but may mean something else; with their places."""
    imports: list[Path] = field(default_factory=list)
    """Other files that were read for it: the models that a DMN model imports."""
