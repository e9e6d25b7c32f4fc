"""Findings as SARIF 2.1.0, which code hosts and editors show beside the lines concerned."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote

from irenic.checking import KINDS, LEVELS, Finding, Findings
from irenic.errors import FormatError
from irenic.reporting.checked import CheckedFile, line_of

_DESCRIPTIONS: Final = {
    "conflicts": "Two rules hold for the same case and say different things",
    "overlaps": "Two rules hold for the same case",
    "gaps": "No rule holds for a case",
    "never_fire": "A rule can never fire",
    "duplicates": "Rules are the same",
    "inside": "A rule lies inside others that say the same",
    "mergeable": "Rules could be one",
    "columns": "A column never matters",
}


def document(files: Iterable[CheckedFile], version: str) -> dict[str, Any]:
    """Return the findings of some files as one run.

    >>> found = document([CheckedFile("a.dmn", [])], "1.0")
    >>> found["version"], found["runs"][0]["results"]
    ('2.1.0', [])
    """
    files = list(files)
    results = [
        _result(file, found, finding)
        for file in files
        for found in file.tables
        for finding in found
    ]
    failures = [_notification(file, error) for file in files for error in file.errors]
    doubts = [_notification(file, told, "warning") for file in files for told in file.warnings]
    rules = [
        {
            "id": kind,
            "shortDescription": {"text": _DESCRIPTIONS[kind]},
            "defaultConfiguration": {"level": LEVELS[kind]},
        }
        for kind in KINDS
    ]
    run = {
        "tool": {"driver": {"name": "irenic", "version": version, "rules": rules}},
        "invocations": [
            {
                "executionSuccessful": not failures,
                "toolExecutionNotifications": failures + doubts,
            }
        ],
        "results": results,
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return {"$schema": schema, "version": "2.1.0", "runs": [run]}


def _result(file: CheckedFile, found: Findings, finding: Finding) -> dict[str, Any]:
    location = _location(file.path, line_of(found, finding))
    name = found.table.name
    if name:
        location["logicalLocations"] = [{"name": name, "kind": "object"}]
    # without numbers and lines of rules, so that it stays the same when others are added above
    what = (str(finding.region), *map(repr, finding.thens), finding.column)
    told = "\n".join((file.path, name, finding.kind, *what))
    return {
        "ruleId": finding.kind,
        "ruleIndex": KINDS.index(finding.kind),
        "level": finding.level,
        "message": {"text": f"{name}: {finding.text}" if name else finding.text},
        "locations": [location],
        "partialFingerprints": {"irenic/v1": hashlib.sha256(told.encode()).hexdigest()},
    }


def _notification(file: CheckedFile, error: FormatError, level: str = "error") -> dict[str, Any]:
    location = _location(file.path, error.line)
    return {"level": level, "message": {"text": error.message}, "locations": [location]}


def _location(path: str, line: int | None) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(PurePath(path).as_posix())}}
    if line is not None:
        physical["region"] = {"startLine": line}
    return {"physicalLocation": physical}
