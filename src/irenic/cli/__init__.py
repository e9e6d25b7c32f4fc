"""The command ``irenic``: parse the arguments, call the library, print, and set the exit status."""

from __future__ import annotations

import sys
import warnings
from contextlib import suppress
from importlib import import_module
from typing import Annotated, Any, Final, NoReturn

import typer
from typer.core import TyperGroup
from typer.main import get_group

import irenic
from irenic.cli.common import discard_output, note, open_closed_streams, output
from irenic.cli.settings import defaults
from irenic.errors import FormatWarning, IrenicError

# The module and the summary of each command, as the module has it (a test compares them).
COMMANDS: Final = {
    "check": (
        "checking",
        "Find contradictions, gaps, redundant rows and unused columns in rules.",
    ),
    "init": ("checking", "Declare the columns of a .csv or .xlsx table, as they were inferred."),
    "gaps": ("regions", "List the regions that no rule covers."),
    "search": (
        "regions",
        "Find regions where a new rule contradicts no other (CFSGS in the paper).",
    ),
    "enlarge": (
        "regions",
        "Grow a region around a point where a new rule contradicts no other (CFSBE in the paper).",
    ),
    "repair": ("mending", "Remove contradictions from rules, and explain each change."),
    "add": ("mending", "Add a rule that contradicts no other, or show its free part."),
    "complete": ("mending", "Add rules for cases that no rule covers, largest gaps first."),
    "merge": ("mending", "Merge rules into fewer ones that provably decide the same."),
    "convert": ("mending", "Write rules in another format."),
    "prove": ("proving", "Prove or refute properties of rules, over all cases."),
    "verify": ("proving", "Check a certificate against rules, with code of its own."),
    "test": ("testing", "Test rules with cases, and list what no case exercises."),
    "cases": ("testing", "Generate a few cases that exercise every rule, condition and bound."),
    "why": ("testing", "Explain one decision, and find the smallest change that leads elsewhere."),
    "impact": ("testing", "Count the past cases that a change of rules decides differently."),
    "diff": ("mending", "List the regions in which two sets of rules decide differently."),
    "learn": ("learning", "Learn a few readable rules, free of contradictions, from a table."),
    "predict": ("predicting", "Add the predictions of rules to a table."),
    "monitor": ("monitoring", "Compare new rows with those that a model was learned from."),
    "edit": ("editing", "Edit rules on a page in the browser, and write them to their file."),
    "lsp": ("serving", "Serve editors: findings while typing, repairs, and rules in words (LSP)."),
    "mcp": (
        "serving",
        "Serve agents: check, prove, compare and explain the rules in a folder (MCP).",
    ),
    "report": ("reporting", "Write an HTML report on rules that needs no server and no network."),
}


def load(name: str) -> Any:
    """Import the module of a command and return the command."""
    module, _ = COMMANDS[name]
    return get_group(import_module(f"irenic.cli.{module}").commands).commands[name]


class _Commands(TyperGroup):
    """Commands that are imported when they run, so that the help is printed without numpy."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] in COMMANDS:
            name, *rest = args
            self.commands[name] = command = load(name)
            if not ctx.resilient_parsing and not ctx.params.get("isolated"):
                options = defaults(command, rest, ctx)
                # roles of other columns stay if the command line adds one
                for role in reversed(options.pop("roles", [])):
                    args = [name, "--role", role, *args[1:]]
                ctx.default_map = {name: options}
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_Commands,
    help="Classification rules that never contradict themselves.",
    epilog="""[bold]Examples[/]
irenic check                              check the example rules
irenic check rules.txt                    check your own rules
irenic check loans.dmn                    check decision tables
irenic init fares.csv -o declared.csv     declare the columns of a table
irenic repair rules.txt -o mended.txt     remove contradictions
irenic diff old.txt new.txt               compare two versions
irenic prove loans.dmn "NEVER refuse WHERE debt = 0"
irenic test loans.dmn cases.csv           test rules with cases
irenic impact old.dmn new.dmn past.csv    compare versions on past cases
irenic convert loans.dmn loans.sql        export to another format
irenic gaps rules.txt                     list uncovered regions
irenic enlarge rules.txt --seed "f1=5"    find room for a new rule
irenic learn                              learn from an example table
irenic learn people.csv -o model.json     learn from your own table
irenic predict model.json new.csv         predict new rows
irenic monitor model.json new.csv         compare new rows with training
irenic report rules.txt people.csv        write an HTML report
irenic edit rules.txt                     edit rules in the browser
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
    isolated: Annotated[
        bool,
        typer.Option(
            "--isolated", metavar="", help="Ignore options in irenic.toml and pyproject.toml."
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


for _name, (_, _summary) in COMMANDS.items():
    app.command(_name, help=_summary)(lambda: None)


def main() -> None:
    """Run the command; errors of irenic are printed to standard error, and it exits with 2."""
    open_closed_streams()
    try:
        app()
    except (IrenicError, ImportError) as error:  # the latter if kernels or a library are missing
        _end(error)
    except OSError as error:  # typer failed to print the help
        discard_output()
        _end(error)


def _end(error: Exception) -> NoReturn:
    with suppress(OSError):  # nobody reads standard error, so only the status can tell
        for text in (str(error), *getattr(error, "__notes__", ())):
            note(text)
    sys.exit(2)
