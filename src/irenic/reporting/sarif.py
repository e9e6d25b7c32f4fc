"""Findings as SARIF 2.1.0, which code hosts and editors show next to the affected lines."""

from __future__ import annotations

import hashlib
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote

from irenic.checking import KINDS, LEVELS
from irenic.reporting.document import (
    AcceptedRecord,
    CheckDocument,
    CheckedTable,
    FindingRecord,
    ReadColumnRecord,
    ReadingRecord,
)
from irenic.reporting.encoding import located

_DESCRIPTIONS: Final = {
    "conflicts": "Two rules hold for the same case and predict different outcomes",
    "overlaps": "Two rules hold for the same case",
    "gaps": "No rule holds for a case",
    "open": "No rule holds for values that no rule names",
    "never_fire": "A rule can never fire",
    "misleading": "A later rule has a higher priority",
    "outside": "A cell names values that cannot occur",
    "outcomes": "An outcome does not fit the others",
    "duplicates": "Rules are identical",
    "inside": "A rule lies inside others that predict the same",
    "mergeable": "Rules can be merged",
    "columns": "A column never affects the outcome",
    "policy": "Another hit policy would fit better",
    "model": "A part of a decision model is not connected",
    "acceptances": "The file accepts a finding that does not exist",
}


def to_sarif(document: CheckDocument, version: str) -> dict[str, Any]:
    """Return the document of a check as SARIF: one run of the given version of irenic."""
    files = document["files"]
    results = [
        _result(file["path"], table, finding)
        for file in files
        for table in file["tables"]
        for finding in table["findings"]
    ]
    results += [
        _result(file["path"], table, accepted) | _suppression(accepted)
        for file in files
        for table in file["tables"]
        for accepted in table["accepted"]
    ]
    failures = [
        _notification(file["path"], problem["message"], problem["line"], "error")
        for file in files
        for problem in file["errors"]
    ]
    warnings = [
        _notification(file["path"], problem["message"], problem["line"], "warning")
        for file in files
        for problem in file["warnings"]
    ]
    notes = [
        _notification(file["path"], _read_as(reading, column), None, "note")
        for file in files
        for reading in file["readings"]
        for column in reading["columns"]
    ]
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
                "toolExecutionNotifications": failures + warnings + notes,
            }
        ],
        "results": results,
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return {"$schema": schema, "version": "2.1.0", "runs": [run]}


def _result(path: str, table: CheckedTable, finding: FindingRecord) -> dict[str, Any]:
    location = _location(path, finding["line"])
    name, kind, region = table["name"], finding["kind"], finding["region"]
    if name:
        place = {"fullyQualifiedName": finding["place"]} if finding["place"] else {}
        location["logicalLocations"] = [{"name": name, "kind": "object", **place}]
    # without numbers and lines, which change when rules are added above
    identity = (
        path,
        name,
        kind,
        "" if region is None or kind == "open" else region["text"],
        *(repr(then["value"]) for then in finding["then"]),
        finding["column"] or ", ".join(finding["columns"]),
        *([finding["text"]] if kind == "model" else []),
    )
    fingerprint = hashlib.sha256("\n".join(identity).encode()).hexdigest()
    return {
        "ruleId": kind,
        "ruleIndex": KINDS.index(kind),
        "level": finding["level"],
        "message": {"text": located(finding, name)},
        "locations": [location],
        "partialFingerprints": {"irenic/v1": fingerprint},
    }


def _suppression(accepted: AcceptedRecord) -> dict[str, Any]:
    kind = "inSource" if accepted["in_file"] else "external"
    return {"suppressions": [{"kind": kind, "justification": accepted["reason"]}]}


def _read_as(reading: ReadingRecord, column: ReadColumnRecord) -> str:
    table = f"{reading['table']}, " if reading["table"] else ""
    return f"{table}column {column['name']!r}: {column['text']}"


def _notification(path: str, text: str, line: int | None, level: str) -> dict[str, Any]:
    return {"level": level, "message": {"text": text}, "locations": [_location(path, line)]}


def _location(path: str, line: int | None) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(PurePath(path).as_posix())}}
    if line is not None:
        physical["region"] = {"startLine": line}
    return {"physicalLocation": physical}
