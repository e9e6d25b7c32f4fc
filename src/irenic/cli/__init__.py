"""The command ``irenic``: parse the arguments, call the library, print, and set the exit status."""

from __future__ import annotations

import sys
import warnings
from contextlib import suppress
from typing import Annotated, Any, NoReturn

import typer

import irenic
from irenic.cli import checking, learning, mending, regions, reporting
from irenic.cli.common import drop_output, open_closed_streams, output
from irenic.errors import FormatWarning, IrenicError

app = typer.Typer(
    help="Classification rules that never contradict themselves.",
    epilog="""[bold]Examples[/]
irenic check                              the rules that come with irenic
irenic check rules.txt                    rules of your own
irenic check loans.dmn                    decision tables
irenic repair rules.txt -o mended.txt     contradictions taken out
irenic diff old.txt new.txt               what a change changes
irenic convert loans.dmn loans.sql        another format
irenic gaps rules.txt                     what no rule covers
irenic enlarge rules.txt --seed "f1=5"    where a new rule may go
irenic learn                              rules from an example table
irenic learn people.csv -o model.json     rules from a table of yours
irenic predict model.json new.csv         what the rules say of others
irenic report rules.txt people.csv        a page to look at
irenic check --help                       more on one command""",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="rich",
)


def _version(wanted: bool) -> None:
    if wanted:
        with output():
            print(f"irenic {irenic.__version__}")
        raise typer.Exit


@app.callback()
def _common(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", metavar="", callback=_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    context.with_resource(warnings.catch_warnings())
    warnings.simplefilter("default", FormatWarning)
    warnings.showwarning = _show(warnings.showwarning)


def _show(others: Any) -> Any:
    """Return how warnings are shown: ours on one line of standard error, others as before."""

    def show(message: Any, category: Any, *place: Any, **options: Any) -> None:
        if issubclass(category, FormatWarning):
            print(f"irenic: warning: {message}", file=sys.stderr)
        else:
            others(message, category, *place, **options)

    return show


app.add_typer(checking.commands)
app.add_typer(regions.commands)
app.add_typer(mending.commands)
app.add_typer(learning.commands)
app.add_typer(reporting.commands)


def main() -> None:
    """Run the command; an error of ours is one line on standard error and exit status 2."""
    open_closed_streams()
    try:
        app()
    except IrenicError as error:
        _end(error)
    except OSError as error:  # typer could not print the help
        drop_output()
        _end(error)


def _end(error: Exception) -> NoReturn:
    with suppress(OSError):  # the status says it where nobody reads the errors
        print(f"irenic: {error}", file=sys.stderr)
    sys.exit(2)
