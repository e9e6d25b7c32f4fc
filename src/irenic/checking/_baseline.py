"""Accepted findings: what a baseline lists no longer fails a check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from irenic.checking._check import Findings
from irenic.checking._finding import KINDS, Finding
from irenic.errors import FormatError
from irenic.model.decision_table import DecisionTable

_FORMAT: Final = "irenic baseline"
_VERSION: Final = 1
_Key: TypeAlias = tuple[str, str]
"""The file of a finding, and what identifies the finding in it."""
_KEYS: Final = ("file", "table", "kind", "rules", "where")


def entries(path: str, findings: Findings, reason: str) -> list[dict[str, Any]]:
    """Return an entry of a baseline for each listed finding of a table."""
    return [
        {**_identity(path, finding, findings.table), "text": finding.text, "reason": reason}
        for finding in findings
    ]


def document(listed: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a baseline with some entries."""
    return {"format": _FORMAT, "version": _VERSION, "accepted": listed}


def read(data: object) -> dict[_Key, str]:
    """Return the reasons for accepted findings by their identity; raise an error if invalid."""
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        raise FormatError(f'a baseline must have the "format" "{_FORMAT}"')
    if data.get("version") != _VERSION:
        raise FormatError(
            f"the version of a baseline must be {_VERSION}, got {data.get('version')}"
        )
    listed = data.get("accepted")
    if not isinstance(listed, list):
        raise FormatError('a baseline must have a list "accepted"')
    reasons: dict[_Key, str] = {}
    for number, entry in enumerate(listed, 1):
        if not isinstance(entry, dict) or not all(key in entry for key in _KEYS):
            raise FormatError(f"entry {number} must have {', '.join(_KEYS)}")
        if entry["kind"] not in KINDS:
            raise FormatError(f"entry {number}: unknown kind of finding {entry['kind']!r}")
        reason = entry.get("reason")
        if not isinstance(reason, str) or not reason.strip():
            raise FormatError(f"entry {number} must have a reason, got {reason!r}")
        reasons[_key(entry)] = reason
    return reasons


def accepted(path: str, findings: Findings, reasons: Mapping[_Key, str]) -> Findings:
    """Return findings of which those in a baseline are accepted."""
    return findings.accepting(
        lambda finding: reasons.get(_key(_identity(path, finding, findings.table)), "")
    )


def unused(path: str, tables: Iterable[Findings], reasons: Mapping[_Key, str]) -> int:
    """Return how many entries about a file accept nothing in its tables."""
    used = {
        _key(_identity(path, each.finding, findings.table))
        for findings in tables
        for each in findings.accepted
    }
    return sum(key[0] == path and key not in used for key in reasons)


def _identity(path: str, finding: Finding, table: DecisionTable) -> dict[str, Any]:
    """Return what a finding is about: not by the numbers of rules, which change with others."""
    kind = finding.shown_as
    rows = () if kind in ("columns", "policy") else finding.rules
    rules = [" | ".join(str(table.rules[p]) for p in table.places(row)) for row in rows]
    by_region = kind in ("conflicts", "overlaps", "gaps", "misleading")
    where = str(finding.region) if by_region and finding.region is not None else finding.column
    where = finding.why if kind == "model" else where
    where = ", ".join(finding.columns) or where
    return {"file": path, "table": table.name, "kind": kind, "rules": rules, "where": where}


def _key(entry: Mapping[str, Any]) -> _Key:
    file, *others = (entry[key] for key in _KEYS)
    return str(file), repr(others)
