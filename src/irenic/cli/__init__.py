"""The command ``irenic``: parse the arguments, call the library, print, and set the exit status."""

from __future__ import annotations

import sys
import warnings
from contextlib import suppress
from typing import Annotated, Any, NoReturn

import typer

import irenic
from irenic.cli import checking, learning, mending, regions, reporting
from irenic.cli.common import discard_output, note, open_closed_streams, output
from irenic.errors import FormatWarning, IrenicError

app = typer.Typer(
    help="Classification rules that never contradict themselves.",
    epilog="""[bold]Examples[/]
irenic check                              check the example rules
irenic check rules.txt                    check your own rules
irenic check loans.dmn                    check decision tables
irenic repair rules.txt -o mended.txt     remove contradictions
irenic diff old.txt new.txt               compare two versions
irenic convert loans.dmn loans.sql        export to another format
irenic gaps rules.txt                     list uncovered regions
irenic enlarge rules.txt --seed "f1=5"    find room for a new rule
irenic learn                              learn from an example table
irenic learn people.csv -o model.json     learn from your own table
irenic predict model.json new.csv         predict new rows
irenic report rules.txt people.csv        write an HTML report
irenic check --help                       show help for one command""",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="rich",
)


def _print_version(requested: bool) -> None:
    if requested:
        with output():
            print(f"irenic {irenic.__version__}")
        raise typer.Exit


@app.callback()
def _common(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            metavar="",
            callback=_print_version,
            is_eager=True,
            help="Print the version and exit.",
        ),
    ] = False,
) -> None:
    context.with_resource(warnings.catch_warnings())
    warnings.simplefilter("default", FormatWarning)
    warnings.showwarning = _show_warning(warnings.showwarning)


def _show_warning(show_other: Any) -> Any:
    """Return a ``showwarning`` that prints warnings of irenic on one line of standard error."""

    def show(message: Any, category: Any, *location: Any, **options: Any) -> None:
        if issubclass(category, FormatWarning):
            note(f"warning: {message}")
        else:
            show_other(message, category, *location, **options)

    return show


app.add_typer(checking.commands)
app.add_typer(regions.commands)
app.add_typer(mending.commands)
app.add_typer(learning.commands)
app.add_typer(reporting.commands)


def main() -> None:
    """Run the command; errors of irenic print one line to standard error and exit with 2."""
    open_closed_streams()
    try:
        app()
    except IrenicError as error:
        _end(error)
    except OSError as error:  # typer failed to print the help
        discard_output()
        _end(error)


def _end(error: Exception) -> NoReturn:
    with suppress(OSError):  # nobody reads standard error, so only the status can tell
        note(str(error))
    sys.exit(2)
