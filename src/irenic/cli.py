"""The command ``irenic``: parse the arguments, call the library, print, and set the exit status."""

from __future__ import annotations

import io
import json
import os
import sys
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

import irenic
from irenic.errors import IrenicError

if TYPE_CHECKING:
    from collections.abc import Iterator


app = typer.Typer(
    help="Classification rules that never contradict themselves.",
    epilog="""[bold]Examples[/]
irenic check             check the rules that come with irenic as an example
irenic check rules.txt   check rules of your own
irenic check --help      say more of one command""",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
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
        typer.Option(
            "--version", metavar="", callback=_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass


@app.command(
    epilog="""[bold]Examples[/]
irenic check                                the example of irenic
irenic check rules.txt                      rules of your own
irenic check rules.json --json              for other programs
irenic check rules.txt --data people.csv    the space from a table
irenic check rules.txt --space space.json   the space from a file

[bold]Exit status[/]
0 consistent, 1 not consistent, 2 bad input"""
)
def check(
    rules: Annotated[
        Path | None,
        typer.Argument(
            metavar="RULES", help="A .json, .txt or .rules file; an example if left out."
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", metavar="", help="Print JSON instead of text.")
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A .csv table of instances that tells the kinds and values of features.",
        ),
    ] = None,
    space: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A .json file whose space the rules are held against."),
    ] = None,
) -> None:
    """Say whether any two rules contradict each other, and where."""
    from irenic.report import summary, terminal

    found = _read(rules, data, space)
    _warn_of_compiling()
    result = summary.check(found)
    with _output():
        if as_json:
            print(json.dumps(result, ensure_ascii=not _speaks_unicode(), indent=2))
        else:
            if rules is None:
                print("No file given: these are the rules of the example of irenic.\n")
            terminal.print_check(result, found, _console())
    raise typer.Exit(0 if result["consistent"] else 1)


def _console() -> Console:
    console = Console(highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = _UNWRAPPED
    return console


_UNWRAPPED = 1_000_000
"""In a file or a pipe a rule stays on one line, however long."""


def _speaks_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().startswith("utf")


@contextmanager
def _output() -> Iterator[None]:
    """Print what is printed here; a reader that has gone (``| head``) is no error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more at exit, which must not fail either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _read(path: Path | None, data: Path | None, space_file: Path | None) -> irenic.RuleSet:
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
        except irenic.SpaceError as error:
            raise irenic.FormatError(str(error), path=str(space_file)) from None
        if space is None:
            raise irenic.FormatError('there is no "space" in it', path=str(space_file))
    if path is not None:
        return irenic.read(path, space=space)
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
