"""Findings as annotations of a GitHub workflow: one command per line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from irenic.checking import KINDS, NOUNS
from irenic.reporting.document import CheckDocument, CheckedTable
from irenic.reporting.encoding import located

_COMMANDS: Final = {"error": "error", "warning": "warning", "note": "notice"}


def to_annotations(document: CheckDocument) -> Iterator[str]:
    """Yield one workflow command per error, warning and finding of a check."""
    for file in document["files"]:
        path = file["path"]
        for error in file["errors"]:
            yield _command("error", path, error["line"], "cannot be read", error["message"])
        for warning in file["warnings"]:
            yield _command("warning", path, warning["line"], "may be misread", warning["message"])
        for table in file["tables"]:
            yield from _annotations(path, table)


def _annotations(path: str, table: CheckedTable) -> Iterator[str]:
    where = f"{table['name']}: " if table["name"] else ""
    listed = Counter(each["kind"] for each in (*table["findings"], *table["accepted"]))
    for kind in KINDS:
        left = table["counts"][kind] - listed[kind]
        if kind == "overlaps":  # findings list these as conflicts
            left -= table["counts"]["conflicts"]
        if left > 0:
            least = "at least " * (kind in table["unfinished"])
            more = f"{where}… and {least}{left:,} more {kind} (use --limit to list more)"
            yield _command("notice", path, None, NOUNS[kind], more)
    for finding in table["findings"]:
        command = _COMMANDS[finding["level"]]
        yield _command(
            command, path, finding["line"], finding["noun"], located(finding, table["name"])
        )


def _command(command: str, path: str, line: int | None, title: str, message: str) -> str:
    place = f",line={line}" if line is not None else ""
    title = _property(f"irenic: {title}")
    return f"::{command} file={_property(path)}{place},title={title}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
