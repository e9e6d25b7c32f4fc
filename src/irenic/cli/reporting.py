"""The command ``report``: a page about rules, for people to look at and to hand on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import irenic
from irenic.cli.common import Json, output, print_json, warn_of_compiling
from irenic.cli.reading import (
    Rules,
    as_policy,
    check_output,
    is_model,
    open_to_rules,
    read_example,
    say_example,
    tells_space,
)
from irenic.errors import DataError, FormatError, did_you_mean
from irenic.literals import display

if TYPE_CHECKING:
    from irenic.decision_table import DecisionTable
    from irenic.formats.columns import Table
    from irenic.learn import RuleSetClassifier

commands = typer.Typer()


@commands.command(
    epilog="""[bold]Examples[/]
irenic report                                the example of irenic
irenic report rules.txt                      rules alone
irenic report rules.txt people.csv           rules on a table
irenic report model.json people.csv -o income.html
irenic report loans.dmn --table Approval     one of several tables
irenic report model.json people.csv --json   what the page shows, as data

[bold]Exit status[/]
0 the page was written, 2 bad input"""
)
def report(
    rules: Rules = None,
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA", help="A .csv, .parquet or .xlsx table of instances, if there is one."
        ),
    ] = None,
    out: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write the page (.html)."),
    ] = Path("report.html"),
    label: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="What is true of DATA: the last column, if no rule asks for it."
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The title; the name of the file.")
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which table of a file that holds several."),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The column of outcomes of RULES, if .csv or .xlsx."),
    ] = None,
    hit_policy: Annotated[
        str | None,
        typer.Option(metavar="POLICY", help="What a table means where several rows hold."),
    ] = None,
    sample: Annotated[
        int,
        typer.Option(
            metavar="N", help="How many instances to draw at most; all are counted.", min=1
        ),
    ] = 10_000,
    budget: Annotated[
        float, typer.Option(metavar="SECONDS", help="How long each search may take.", min=0.0)
    ] = 10.0,
    as_json: Json = False,
) -> None:
    """Write a page about rules that opens in any browser, without a server or the network."""
    if not as_json:
        _check_page(out, rules, data)
    warn_of_compiling()
    found, X, y = _read(rules, data, label, table, target, as_policy(hit_policy))
    name = title if title is not None else _name(rules, found)
    page = irenic.report(found, X, y, name=name, budget=budget, sample=sample)
    if not as_json:
        page.save(out)
    with output():
        if as_json:
            print_json(page.summary)
            return
        say_example(rules)
        for verdict in page.summary["models"][page.summary["chosen"]]["verdicts"]:
            print(f"{verdict['head']}: {verdict['text']}")
        print(f"Written to {out} ({out.stat().st_size / 1e6:.1f} MB); open it in a browser.")


def _check_page(out: Path, *given: Path | None) -> None:
    from irenic.formats.files import check_target
    from irenic.views.page import check_suffix

    check_suffix(out)
    check_output(out, *given)
    check_target(out)


def _name(path: Path | None, found: DecisionTable | RuleSetClassifier) -> str:
    if isinstance(found, irenic.DecisionTable) and found.name:
        return found.name
    return "The example of irenic" if path is None else path.stem


def _read(
    path: Path | None,
    data: Path | None,
    label: str | None,
    table: str | None,
    target: str | None,
    policy: Any,
) -> tuple[DecisionTable | RuleSetClassifier, Table | None, Any]:
    """Return the rules or the model, the instances and their labels."""
    from irenic.formats.table import read_table

    if data is None and label is not None:
        raise FormatError("--label names a column of DATA, which is not given")
    instances = None if data is None else read_table(data)
    if path is not None and is_model(path):
        model = irenic.read_model(path)
        if instances is None or data is None:
            return model, None, None
        columns = _label_columns(instances, data, label, model.space_.names, model)
        return model, _only(instances, data, model.space_.names), _labels(instances, data, columns)
    found = _table(path, None, table, target, policy)
    if instances is None or data is None:
        return found, None, None
    names = found.space.names
    columns = _label_columns(instances, data, label, names)
    used = _only(instances, data, names)
    if path is not None and not tells_space(path):
        space = open_to_rules(irenic.Space.infer(used), path, data)
        found = _table(path, space, table, target, policy)
    return found, used, _labels(instances, data, columns)


def _table(
    path: Path | None,
    space: irenic.Space | None,
    table: str | None,
    target: str | None,
    policy: Any,
) -> DecisionTable:
    from irenic.formats import the_table

    if path is None:
        return read_example(space).tables[0]
    found = irenic.read_tables(path, space=space, target=target, hit_policy=policy)
    return the_table(found, path, table)


def _only(table: Table, data: Path, names: tuple[str, ...]) -> Table:
    """Return the columns that the rules ask for."""
    for name in names:
        if name not in table:
            hint = did_you_mean(name, table)
            raise DataError(f"{data}: no column {name!r}, which the rules need{hint}")
    if not table.shape[0]:
        raise FormatError("the table has no rows", path=str(data))
    return table.select(list(names))


def _label_columns(
    table: Table,
    data: Path,
    label: str | None,
    names: tuple[str, ...],
    model: RuleSetClassifier | None = None,
) -> list[str]:
    """Return the columns that say what is true of the rows; none if there are none."""
    if label is not None:
        if label not in table:
            raise DataError(f"{data}: there is no column {label!r}{did_you_mean(label, table)}")
        return [label]
    if model is not None and model._answers.many:
        several = [str(kind) for kind in model.classes_.tolist()]
        return several if all(kind in table for kind in several) else []
    last = list(table)[-1]
    if last in names:
        return []
    print(
        f"irenic: the last column says what is true: {display(last)} (--label names another)",
        file=sys.stderr,
    )
    return [last]


def _labels(table: Table, data: Path, columns: list[str]) -> Any:
    from irenic.formats.columns import as_values

    if not columns:
        return None
    if len(columns) > 1:
        return {column: table[column] for column in columns}
    labels = as_values(table[columns[0]])
    if None in labels:
        row = labels.index(None) + 1
        raise DataError(f"{data}: the outcome {columns[0]!r} is missing in row {row}")
    return labels
