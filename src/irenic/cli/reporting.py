"""The command ``report``: an HTML page about rules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import irenic
from irenic.cli.common import (
    Json,
    check_one_output,
    is_standard,
    note,
    open_in_browser,
    output,
    print_json,
    say_line,
    write_standard,
)
from irenic.cli.expecting import CasesFile, PropertiesFile, read_expectations
from irenic.cli.reading import (
    From,
    Rules,
    as_meant,
    check_inputs,
    check_output,
    check_rules_in,
    opened_space,
    parse_file,
    read_data,
    reads_rules,
    say_example,
)
from irenic.errors import DataError, FormatError, on_one_line
from irenic.model.literals import counted

if TYPE_CHECKING:
    from irenic.frames.columns import Table
    from irenic.learn import RuleClassifier
    from irenic.model.decision_table import DecisionTable
    from irenic.reporting.document import LearnDocument, Summary

commands = typer.Typer()


@commands.command(
    epilog="""[bold]Examples[/]
irenic report                                show the example rules
irenic report rules.txt                      show your own rules
irenic report rules.txt people.csv           count rows of a table, too
irenic report model.json people.csv -o income.html
irenic report loans.dmn --table Approval     show one of several tables
irenic report loans.csv --cases cases.csv    check test cases on the page, too
irenic report rules.txt --open               open it in the browser
irenic report model.json people.csv --json   print the data of the page

[bold]Exit status[/]
0 the page was written, 2 invalid input"""
)
@reads_rules
def report(
    rules: Rules = None,
    data: Annotated[
        Path | None,
        typer.Argument(metavar="DATA", help="Table of instances (.csv, .parquet or .xlsx), or -."),
    ] = None,
    out: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="File for the page (.html), or -."),
    ] = Path("report.html"),
    label: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column of DATA with the true labels (default: guessed)."
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Title of the page (default: the name of the file)."),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Table to show, if the file contains several."),
    ] = None,
    properties: PropertiesFile = None,
    cases: CasesFile = None,
    form: From = None,
    sample: Annotated[
        int,
        typer.Option(
            metavar="N", help="Maximum number of instances to draw; all are counted.", min=1
        ),
    ] = 10_000,
    budget: Annotated[
        float, typer.Option(metavar="SECONDS", help="Maximum seconds per search.", min=0.0)
    ] = 10.0,
    browser: Annotated[
        bool, typer.Option("--open", metavar="", help="Open the page in the browser.")
    ] = False,
    as_json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Write an HTML report on rules that needs no server and no network."""
    files = {"RULES": rules, "DATA": data, "--properties": properties, "--cases": cases}
    check_inputs(files, form)
    check_one_output(out, None, as_json=as_json)
    if browser and (as_json or is_standard(out)):
        raise FormatError("--open needs a page in a file, but the output is standard output")
    if not as_json:
        _check_page(out, files)
    parsed = parse_file(rules, form, **reading)
    if data is None and label is not None:
        raise FormatError("--label needs a table: irenic report RULES DATA --label COLUMN")
    model, X, y = read_with_data(parsed, data, label, table, form)
    name = title if title is not None else _name(rules, model)
    expected = read_expectations(rules, parsed, model, table, properties, cases)
    page = irenic.report(model, X, y, name=name, budget=budget, sample=sample, **expected)
    if is_standard(out):
        write_standard(page.html)
        return
    if not as_json:
        page.save(out)
    with output():
        if as_json:
            print_json(page.summary)
            return
        say_example(rules)
        verdicts = page.summary["models"][page.summary["chosen"]]["verdicts"]
        for verdict in (verdicts["consistent"], verdicts["complete"]):
            say_line(f"{verdict['head']}: {verdict['text']}")
        _say_expected(page.summary)
        size = len(page.html.encode("utf-8")) / 1e6
        then = "." if browser else "; open it in a browser."
        print(on_one_line(f"Written to {out} ({size:.1f} MB){then}"), flush=True)
    if browser:
        open_in_browser(out.resolve().as_uri())


def _properties(n: int) -> str:
    return "1 property" if n == 1 else f"{n:,} properties"


def _say_expected(summary: Summary | LearnDocument) -> None:
    proved = [each["verdict"] == "proved" for each in summary["properties"]]
    passed = [each["passed"] is True for each in summary["cases"]]
    if proved:
        print(f"{sum(proved):,} of {_properties(len(proved))} proved.")
    if passed:
        verb = "passes" if len(passed) == 1 else "pass"
        print(f"{sum(passed):,} of {counted(len(passed), 'test case')} {verb}.")


def _check_page(out: Path, inputs: dict[str, Path | None]) -> None:
    from irenic.reporting.page import check_suffix

    check_output(out, inputs)
    if not is_standard(out):
        check_suffix(out)


def _name(path: Path | None, model: DecisionTable | RuleClassifier) -> str:
    if isinstance(model, irenic.DecisionTable) and model.name:
        return model.name
    if path is None:
        return "Example rules of irenic"
    # file names can contain bytes that are not Unicode
    return path.stem.encode("utf-8", "backslashreplace").decode("utf-8")


def read_with_data(
    parsed: irenic.formats.Parsed,
    data: Path | None,
    label: str | None,
    table: str | None,
    form: str | None,
) -> tuple[DecisionTable | RuleClassifier, Table | None, Any]:
    """Return the rules or the model, the instances and their labels."""
    model = parsed.model() if parsed.is_model else _table(parsed.bind(), table)
    if data is None:
        return model, None, None
    from irenic.learn import true_labels  # scikit-learn takes a second to import

    rows = read_data(data, form, as_written=not parsed.is_model, model=model)
    if not rows.shape[0]:
        raise FormatError("the table must have at least one row, got none", path=str(data))
    if isinstance(model, irenic.DecisionTable):
        rows = as_meant(rows, parsed, model.space, table, data)
    try:
        X, y, column = true_labels(model, rows, label)
    except DataError as error:
        raise DataError(f"{data}: {error}") from None
    if label is None and len(rows) > len(X):
        _note_labels(y, column)
    if X and X.shape[0] < rows.shape[0]:
        dropped = counted(rows.shape[0] - X.shape[0], "row")
        note(f"skipped {dropped} without a label in column {column!r}")
    if isinstance(model, irenic.DecisionTable) and not parsed.declares_space:
        space = opened_space(parsed, X, data)
        model = _table(parsed.bound(space), table)
    return model, X, y


def _note_labels(y: Any, column: str | None) -> None:
    if column is not None:
        note(f"using column {column!r} as true labels (override with --label)")
    elif y is None:
        note("no column contains labels that the rules predict, so none are compared (see --label)")


def _table(tables: irenic.formats.Tables, name: str | None) -> DecisionTable:
    table = tables.table(name)
    check_rules_in(table, Path(tables.name))
    return table
