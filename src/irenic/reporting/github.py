"""Findings as annotations of a workflow on GitHub: one command a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from irenic.checking import KINDS, NOUNS
from irenic.reporting.checked import CheckedFile, line_of

_COMMANDS: Final = {"error": "error", "warning": "warning", "note": "notice"}


def lines(files: Iterable[CheckedFile]) -> Iterator[str]:
    """Yield a workflow command for each error, warning and finding.

    >>> from irenic.errors import FormatError
    >>> print(*lines([CheckedFile("a.dmn", [], [FormatError("not XML", line=3)])]), sep="\\n")
    ::error file=a.dmn,line=3,title=irenic%3A cannot be read::not XML
    """
    for file in files:
        for error in file.errors:
            yield _command("error", file.path, error.line, "cannot be read", error.message)
        for told in file.warnings:
            yield _command("warning", file.path, told.line, "may be misread", told.message)
        for found in file.tables:
            where = f"{found.table.name}: " if found.table.name else ""
            for kind in KINDS:
                left = found.count(kind) - len(found.of(kind))
                if left:
                    more = f"{where}… and {left:,} more {kind} (--most lists more)"
                    yield _command("notice", file.path, None, NOUNS[kind], more)
            for finding in found:
                yield _command(
                    _COMMANDS[finding.level],
                    file.path,
                    line_of(found, finding),
                    NOUNS[finding.kind],
                    where + finding.text,
                )


def _command(command: str, path: str, line: int | None, title: str, message: str) -> str:
    place = f",line={line}" if line is not None else ""
    title = _property(f"irenic: {title}")
    return f"::{command} file={_property(path)}{place},title={title}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
