"""The command ``edit``: change rules on a page in the browser."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

import irenic
from irenic.cli.common import (
    note,
    open_in_browser,
    output,
)
from irenic.cli.expecting import CasesFile, PropertiesFile, read_expectations
from irenic.cli.reading import TableName, check_inputs, reading_of, reads_rules
from irenic.cli.reporting import read_with_data
from irenic.errors import FormatError, on_one_line

commands = typer.Typer()


@commands.command(
    epilog="""[bold]Examples[/]
irenic edit rules.txt                edit rules
irenic edit loans.xlsx               edit a decision table
irenic edit loans.dmn --table Risk   edit one of several tables
irenic edit fares.csv --cases c.csv  check test cases after every change
irenic edit model.json               keep rules of a model, and forbid conditions
irenic edit model.json --data a.csv  see accuracy and confusion change
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
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DATA",
            help="Table of instances (.csv, .parquet or .xlsx), decided after every change.",
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column of DATA with the true labels (default: guessed)."
        ),
    ] = None,
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
    if data is None and label is not None:
        raise FormatError("--label needs a table: irenic edit FILE --data DATA --label COLUMN")
    inputs = {"FILE": file, "--properties": properties, "--cases": cases, "--data": data}
    check_inputs(inputs, None)
    from irenic.reporting.edited_file import EditedFile, EditedModel
    from irenic.reporting.serving import EditingServer, opening_file

    def read(path: Path) -> irenic.formats.Parsed:
        return irenic.parse(path, **reading_of(path, reading))

    def expect(parsed: irenic.formats.Parsed, model: Any) -> dict[str, Any]:
        return read_expectations(file, parsed, model, table, properties, cases)

    def show(parsed: irenic.formats.Parsed) -> tuple[Any, Any, Any]:
        return read_with_data(parsed, data, label, table, None)

    if read(file).is_model:
        edited: EditedFile = EditedModel(file, read, expect, show)
    else:
        edited = EditedFile(file, table, read, expect, show if data is not None else None)
    with EditingServer(edited) as server:
        with output():
            print(on_one_line(f"Editing {file} at {server.url}"), flush=True)
            print("Close the page or press Ctrl-C to end.", flush=True)
        with suppress(KeyboardInterrupt), opening_file(server.url) as file_to_open:
            if browser:
                open_in_browser(file_to_open.as_uri())
            server.serve()
    if edited.changed_on_disk:
        note(f"{file} was changed on disk, and not by the page, since it was last read")
