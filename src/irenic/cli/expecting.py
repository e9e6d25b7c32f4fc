"""Options for the properties and test cases that the page checks after every change."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import irenic
from irenic.cli.reading import as_typed
from irenic.cli.testing import read_expected
from irenic.errors import FormatError

PropertiesFile = Annotated[
    Path | None,
    typer.Option(
        "--properties",
        metavar="FILE",
        help="Properties that the page checks (default: the file of the rules with the suffix"
        " .properties, if there is one).",
    ),
]
CasesFile = Annotated[
    Path | None,
    typer.Option("--cases", metavar="FILE", help="Test cases that the page checks."),
]


def read_expectations(
    rules: Path | None,
    parsed: irenic.formats.Parsed,
    model: Any,
    table: str | None,
    properties: Path | None,
    cases: Path | None,
) -> dict[str, Any]:
    """Return what is expected of rules, as options of :func:`irenic.summarize`."""
    from irenic.frames.files import as_text, read_bytes
    from irenic.proving import parse_properties

    text, expected = "", None
    if properties is None and rules is not None:
        beside = rules.with_suffix(".properties")
        properties = beside if beside != rules and beside.exists() else None
    if properties is not None:
        text = as_typed(as_text(read_bytes(properties)), parsed, model, table)
        parse_properties(text, name=str(properties))  # errors name the file
    if cases is not None:
        if cases.suffix.lower() == ".xml":
            raise FormatError(
                "cases of the DMN kit are read by irenic test only; write them as a table",
                path=str(cases),
            )
        expected = read_expected(cases, None, parsed, model, table)
    return {"properties": text, "cases": expected}
