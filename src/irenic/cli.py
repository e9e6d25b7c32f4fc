"""The command ``irenic``: parse the arguments, call the library, print, and set the exit status."""

from __future__ import annotations

import json
import sys
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import irenic
from irenic.errors import IrenicError

_STATUS = "Exit status: 0 consistent, 1 not consistent, 2 bad input."

app = typer.Typer(
    help="Classification rules that never contradict themselves.",
    epilog="Try: irenic check    irenic check rules.txt --json    irenic check --help",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"irenic {irenic.__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


@app.command(
    epilog="Examples: irenic check    irenic check rules.json --json    "
    "irenic check rules.txt --data people.csv    " + _STATUS
)
def check(
    rules: Annotated[
        Path | None,
        typer.Argument(help="A .json, .txt or .rules file; an example if left out."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
    data: Annotated[
        Path | None,
        typer.Option(help="A .csv table of instances that tells the kinds and values of features."),
    ] = None,
    space: Annotated[
        Path | None, typer.Option(help="A .json file whose space the rules are held against.")
    ] = None,
) -> None:
    """Say whether any two rules contradict each other, and where."""
    from irenic.report import summary, terminal

    console = Console(highlight=False)
    found = _read(rules, data, space, quiet=as_json)
    _warn_of_compiling()
    result = summary.check(found)
    if as_json:
        print(json.dumps(result, ensure_ascii=False, indent=2))
    else:
        terminal.print_check(result, found, console)
    raise typer.Exit(0 if result["consistent"] else 1)


def _read(
    path: Path | None, data: Path | None, space_file: Path | None, *, quiet: bool
) -> irenic.RuleSet:
    from irenic.formats import json_rules, read_text
    from irenic.formats.table import read_table

    if data is not None and space_file is not None:
        raise irenic.FormatError("--data and --space both give the space; leave one of them out")
    space = None
    if data is not None:
        space = irenic.Space.infer(read_table(data))
    if space_file is not None:
        try:
            space = json_rules.space_of(json_rules.parse(read_text(space_file)))
        except irenic.FormatError as error:
            raise error.at(path=str(space_file)) from None
        if space is None:
            raise irenic.FormatError('there is no "space" in it', path=str(space_file))
    if path is not None:
        return irenic.read(path, space=space)
    if not quiet:
        print("No file given: these are the rules of the example that comes with irenic.\n")
    with as_file(files("irenic") / "data" / "example.rules") as example:
        return irenic.read(example, space=space)


def _warn_of_compiling() -> None:
    """Say on a terminal that the first run compiles: a person waits some seconds for it."""
    if sys.stderr.isatty() and not any((Path(__file__).parent / "__pycache__").glob("*.nbi")):
        print("compiling (once, some seconds) …", file=sys.stderr)


def main() -> None:
    """Run the command; an error of ours is one line on standard error and exit status 2."""
    try:
        app()
    except IrenicError as error:
        print(f"irenic: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        # the reader of our output has gone (irenic check | head); nothing is left to say
        sys.stderr.close()
        sys.exit(0)
