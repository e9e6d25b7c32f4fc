"""The command ``monitor``: new rows compared with those that a model was learned from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from irenic.cli.common import Json, console, note, output, print_json
from irenic.cli.reading import From, check_inputs, column_of, parse_file, read_data
from irenic.errors import DataError, FormatError

if TYPE_CHECKING:
    from irenic.frames.columns import Table

commands = typer.Typer()


@commands.command(
    epilog="""[bold]Examples[/]
irenic monitor model.json new.csv
irenic monitor model.json new.csv --label paid     count errors, too
irenic monitor model.json new.csv --by sex --json

[bold]Exit status[/]
0 nothing changed, 1 rules or columns did, 2 invalid input"""
)
def monitor(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="Model of irenic learn (.json), or -.")
    ],
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="New rows (.csv, .parquet or .xlsx), or -.")
    ],
    label: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column of DATA with the true labels (default: guessed)."
        ),
    ] = None,
    by: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of DATA to group the rows by.")
    ] = None,
    form: From = None,
    as_json: Json = False,
) -> None:
    """Compare new rows with those that a model was learned from."""
    check_inputs({"MODEL": model, "DATA": data}, form)
    parsed = parse_file(model, form)
    if not parsed.is_model:
        raise FormatError(
            "MODEL must be a model of irenic learn (.json), got rules without counts of training"
            " rows",
            path=str(model),
        )
    from irenic.monitoring import compare_groups, drift
    from irenic.reporting import terminal
    from irenic.reporting.groups import encode_groups, monitor_document

    fitted = parsed.model()
    rows = read_data(data, form, model=fitted)
    if not rows.shape[0]:
        raise FormatError("the table must have at least one row, got none", path=str(data))
    groups = column_of(rows, by, "--by", data)
    try:
        y, column = _labels(fitted, rows, label)
        if column is not None and label is None:
            note(f"using column {column!r} as true labels (override with --label)")
        found = drift(fitted, rows, y)
        figures = None
        if by is not None:
            compared = compare_groups(fitted, rows, groups, y)
            figures = encode_groups(by, compared, fitted.rules_.default, "instances")
    except DataError as error:
        raise DataError(f"{data}: {error}") from None
    document = monitor_document(fitted, found, figures)
    with output():
        if as_json:
            print_json(document)
        else:
            terminal.print_monitored(document, console())
    raise typer.Exit(1 if found.changed else 0)


def _labels(model: Any, rows: Table, label: str | None) -> tuple[list[Any] | None, str | None]:
    """Return the label of each row, None if there is none, and the column."""
    from irenic.learn import true_labels

    if model._answers.many:
        return None, None
    _, y, column = true_labels(model, rows, label)
    if column is None or y is None:
        return None, None
    if len(y) < rows.shape[0]:
        raise DataError(
            f"column {column!r} must have a label in every row, got {rows.shape[0] - len(y):,} rows"
            " without one; drop these rows"
        )
    return list(y), column
