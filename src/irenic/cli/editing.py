"""The command ``edit``: change rules on a page in the browser."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

import irenic
from irenic.cli.common import note, open_in_browser, output
from irenic.cli.expecting import CasesFile, PropertiesFile, read_expectations
from irenic.cli.reading import TableName, check_inputs, reads_rules
from irenic.errors import FormatError

commands = typer.Typer()


@commands.command(
    epilog="""[bold]Examples[/]
irenic edit rules.txt                edit rules
irenic edit loans.xlsx               edit a decision table
irenic edit loans.dmn --table Risk   edit one of several tables
irenic edit fares.csv --cases c.csv  check test cases after every change
irenic edit model.json               keep rules of a model, and forbid conditions
irenic edit rules.txt --no-browser   print the address of the page

[bold]Exit status[/]
0 the page was closed, 2 invalid input"""
)
@reads_rules
def edit(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Rules (.txt, .json, .csv, .tsv, .xlsx or .dmn), or a model."
        ),
    ],
    table: TableName = None,
    properties: PropertiesFile = None,
    cases: CasesFile = None,
    browser: Annotated[
        bool,
        typer.Option("--browser/--no-browser", help="Open a browser, or only print the address."),
    ] = True,
    *,
    reading: dict[str, Any],
) -> None:
    """Edit rules on a page in the browser, and write them to their file."""
    if str(file) == "-":
        raise FormatError("FILE must be a file that can be written, got -")
    check_inputs({"FILE": file, "--properties": properties, "--cases": cases}, None)
    from irenic.reporting.editing import EditedFile, EditedModel
    from irenic.reporting.serving import EditingServer

    def read(path: Path) -> irenic.formats.Parsed:
        return irenic.parse(path, **reading)

    def expect(parsed: irenic.formats.Parsed, model: Any) -> dict[str, Any]:
        return read_expectations(file, parsed, model, table, properties, cases)

    if read(file).is_model:
        edited: EditedFile = EditedModel(file, read, expect)
    else:
        edited = EditedFile(file, table, read, expect)
    with EditingServer(edited) as server:
        with output():
            print(f"Editing {file} at {server.url}", flush=True)
            print("Close the page or press Ctrl-C to end.", flush=True)
        if browser:
            open_in_browser(server.url)
        with suppress(KeyboardInterrupt):
            server.serve()
    if edited.changed_on_disk:
        note(f"{file} was changed on disk, and not by the page, since it was last read")
