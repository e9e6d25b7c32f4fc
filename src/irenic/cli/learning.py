"""The command ``learn``: options and output; ``irenic.learn`` does the work."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

import irenic
from irenic.cli.common import (
    Json,
    To,
    check_one_output,
    console,
    is_standard,
    note,
    output,
    output_format,
    print_json,
    say_line,
    write_rules,
)
from irenic.cli.fitting import check_fitting, fits_rules, parameters
from irenic.cli.reading import (
    From,
    check_inputs,
    check_output,
    column_of,
    many_rows,
    read_data,
)
from irenic.errors import DataError, FormatError
from irenic.model.literals import display

if TYPE_CHECKING:
    from collections.abc import Mapping

    from irenic.frames.columns import Table
    from irenic.frames.sources import Source
    from irenic.learn.cross_validation import LeftOut
    from irenic.reporting import document

commands = typer.Typer()

_MODEL_FORMATS = ("json", "rules", "txt")
# Rows of a large file that are looked at to describe it.
_SAMPLE = 20_000


@commands.command(
    epilog="""[bold]Examples[/]
irenic learn                               use an example table of scikit-learn
irenic learn people.csv                    predict the last column
irenic learn people.csv --target income    predict another column
irenic learn people.csv -o model.json      save the model for irenic predict
irenic learn people.csv -o rules.txt       save the rules as text
irenic learn people.csv --max-rules 5      learn at most five rules
irenic learn people.csv --front 3          use the third of the listed rule sets
irenic learn people.csv --cv 10            cross-validate, which takes longer
irenic learn loans.csv --class-weight balanced --describe bad
irenic learn loans.csv --rules mine.rules --never 'yes WHERE age < 18' --monotonic income=+
irenic learn loans.csv --knowledge model.knowledge.json    what irenic edit model.json saved
irenic learn people.csv --by sex --card card.md

[bold]Exit status[/]
0 rules were learned, 2 invalid input"""
)
@fits_rules
def learn(
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA", help="Table (.csv, .parquet or .xlsx), or - (default: an example)."
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column to predict (default: the last one)."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File for the model (.json) or its rules alone (.txt, .rules); or -.",
        ),
    ] = None,
    source_form: From = None,
    to: To = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Column to leave out; may be repeated."),
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column with the weight of each row; no feature."),
    ] = None,
    front: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Use the rule set with this number in the list of rule sets to choose from"
            " (default: the best one).",
            min=1,
        ),
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            help="Folds of a cross-validation, with one more fit each (default: estimate the score"
            " from the rows that the fit leaves out; 0: no estimate).",
            min=0,
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column by which to compare what is decided."),
    ] = None,
    card: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File for a model card (.md or .json)."),
    ] = None,
    as_json: Json = False,
    *,
    fitting: dict[str, Any],
) -> None:
    """Learn a few readable rules, free of contradictions, from a table."""
    _check_options(data, target, out, cv)
    check_fitting(fitting)
    if cv and front is not None:
        raise FormatError("--front cannot be combined with --cv, which fits other fronts")
    kept, knowledge = fitting["rules"], fitting["knowledge"]
    check_inputs({"DATA": data, "--rules": kept, "--knowledge": knowledge}, source_form)
    check_output(out, {"--rules": kept, "--knowledge": knowledge})
    check_one_output(out, to, as_json=as_json)
    check_output(card, {"DATA": data, "--output": out}, "--card")
    if card is not None and card.suffix.lower() not in (".md", ".json"):
        raise FormatError("--card must be a .md or .json file", path=str(card))
    form = _model_format(out, to)
    if cv and weight is not None:
        raise FormatError(
            "--weight cannot be combined with --cv, which counts rows without weights"
        )
    table, name, column, source = _training_table(data, target, source_form)
    groups = column_of(table, by, "--by", name)
    weights = column_of(table, weight, "--weight", name)
    table = _without(table, ignore or [], weight, column, name)
    for text, code in table.codes.items():
        note(f"{display(text)}: read as text because of {code!r}")
    from irenic.learn import cross_validation, split_target, suspect_columns

    try:
        X, y = split_target(table, column)
    except DataError as error:
        raise DataError(f"{name}: {error}") from None
    try:
        folds = cross_validation.n_folds(y, cv) if cv else 0
    except DataError as error:
        raise DataError(f"{name}: column {column!r}: {error} with --cv 0") from None
    if cv and folds < cv:
        note(cross_validation.fewer_folds(y, cv))
    known = parameters(fitting, list(X), y.tolist(), source_form)
    if source is not None and ignore:  # columns of a source are read all the same
        known["knowledge"].forbidden = [*(known["knowledge"].forbidden or ()), *ignore]
    allowed = [name for name in X if name not in (known["knowledge"].forbidden or ())]
    suspect = suspect_columns(X.select(allowed), y) if allowed else {}
    on_screen = not form or (out is not None and not is_standard(out))
    if not as_json:
        with output():
            people = sys.stdout if on_screen else sys.stderr
            _print_data(X.select(allowed), suspect, data, None if target else column, people)
    show_progress = sys.stderr.isatty()
    classifier = irenic.RuleSetClassifier(**known, verbose=show_progress)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        if source is None:
            model = classifier.fit(X, y, sample_weight=weights)
        else:
            model = classifier.fit(data, target=column, sample_weight=weight)
    for warning in caught:
        note(str(warning.message))
    if times := [feature.name for feature in model.space_.continuous if feature.in_utc]:
        note(f"times of {', '.join(map(display, times))} are in UTC")
    if front is not None:
        if front > len(model.pareto_front_):
            most = len(model.pareto_front_)
            raise FormatError(
                f"--front must be at most {most}, the number of rule sets, got {front}"
            )
        model = model.select(index=front - 1)
    if known["knowledge"].cost and not folds:
        note("scores are 1 minus the share of the highest cost; --cv 5 compares accuracies")
    if known["class_weight"]:
        note("scores of rule sets count rows by --class-weight; accuracies count every row once")
    if form:
        write_rules(model if form == "json" else model.rules_, out, form)
    scores: Any = None
    left_out = None
    try:
        if folds or (cv is None and model.estimate_ is not None and not known["knowledge"].cost):
            scores, left_out = cross_validation.cross_validated(
                model,
                X,
                y,
                cv=folds or None,
                sample_weight=weights,
                random_state=known["random_state"],
                verbose=show_progress,
            )
    except KeyboardInterrupt:
        note("cross-validation was interrupted; the rules below were learned from all rows")
    from irenic.reporting import terminal
    from irenic.reporting.documents import learn_document

    counts = dict(sorted(Counter(y.tolist()).items()))
    if source is not None:
        note(
            f"{len(source):,} rows were read in blocks; the scores of other learners, --by, --card"
            f" and --cv use {len(y):,} of them"
        )
        numbers = model.pareto_front_[0].counts.mix.sum(axis=0)
        counts = dict(zip(model.classes_.tolist(), map(round, numbers.tolist()), strict=True))
    figures = None
    if by is not None:
        if left_out is None:
            note("--by counts training rows; with --cv 5 it counts rows left out of each fit")
        figures = _by_group((by, groups), model, X, y, left_out, name)
    document = learn_document(
        model,
        data=name,
        target=column,
        counts=counts,
        cross_validation=scores,
        suspect=suspect,
    )
    document["groups"] = figures
    if card is not None:
        from irenic.reporting import model_card

        file = None if is_standard(data) else data
        described = model_card(model, X, y, target=column, source=file)
        _write_card(card, described if figures is None else {**described, "groups": figures})
    with output():
        if as_json:
            print_json(document)
        else:
            terminal.print_learned(document, console(stderr=not on_screen))
            if card is not None and on_screen:
                print()
                say_line(f"Model card written to {card}.")
            if on_screen:
                _print_next_steps(out, data)


def _write_card(path: Path, card: document.Card) -> None:
    import json

    from irenic.frames.files import write_file
    from irenic.reporting import card_markdown

    as_json = path.suffix.lower() == ".json"
    text = json.dumps(card, indent=2, ensure_ascii=False) + "\n" if as_json else card_markdown(card)
    write_file(path, text)


def _by_group(
    by: tuple[str, Any],
    model: Any,
    X: Any,
    y: Any,
    left_out: LeftOut | None,
    name: str | Path,
) -> document.Groups:
    """Return what is decided for groups: of rows left out, or of the training rows."""
    from irenic.monitoring import compare_groups, figures_of
    from irenic.reporting.groups import encode_groups

    column, groups = by
    try:
        if left_out is None:
            compared = compare_groups(model, X, groups, y)
        else:
            compared = figures_of(*left_out, groups, y)
    except DataError as error:
        raise DataError(f"{name}: --by: {error}") from None
    on: Any = "training" if left_out is None else "left_out"
    return encode_groups(column, compared, model.rules_.default, on)


def _check_options(data: Path | None, target: str | None, out: Path | None, cv: int | None) -> None:
    if data is None and target is not None:
        raise FormatError("--target needs a table: irenic learn DATA --target COLUMN")
    if cv == 1:
        raise FormatError("--cv must be 0 or at least 2, got 1")
    check_output(out, {"DATA": data})


def _model_format(out: Path | None, to: str | None) -> str:
    """Return the format of the model, or of its rules alone; "" if neither is written."""
    if out is None and to is None:
        return ""
    if out is not None and not is_standard(out) and out.suffix[1:].lower() not in _MODEL_FORMATS:
        raise FormatError(
            "--output must be a .json file for the model, or a .txt or .rules file for its rules"
            " alone",
            path=str(out),
        )
    return output_format(out, to, _MODEL_FORMATS)


def _training_table(
    data: Path | None, target: str | None, form: str | None
) -> tuple[Table, str, str, Source | None]:
    """Return a table, its name, the column to predict, and a source of more rows if there is one.

    Of many rows in Parquet files, the table has some.
    """
    if data is None:
        return _example_table(), "wine", "wine", None
    source = many_rows(data)
    if source is None:
        table = read_data(data, form)
    else:
        from irenic.frames.sources import sample_table

        table = sample_table(source, _SAMPLE)
    return table, str(data), list(table)[-1] if target is None else target, source


def _without(table: Table, ignored: list[str], weight: str | None, target: str, name: str) -> Table:
    """Return a table without ignored columns and that of the weights."""
    for column in ignored:
        column_of(table, column, "--ignore", name)
    dropped = {*ignored, *([] if weight is None else [weight])}
    if target in dropped:
        option = "--weight" if target == weight else "--ignore"
        raise FormatError(f"{option} names the column to predict, {target!r}")
    return table.select([column for column in table if column not in dropped])


def _example_table() -> Table:
    """Return a table that comes with scikit-learn: chemical analyses of three wines."""
    import numpy as np
    from sklearn.datasets import load_wine

    from irenic.frames.columns import Table

    bunch = load_wine()
    columns = {str(name): bunch.data[:, i] for i, name in enumerate(bunch.feature_names)}
    # scikit-learn calls them class_0 to class_2
    cultivars = np.array(["Barolo", "Grignolino", "Barbera"], dtype=object)
    return Table({**columns, "wine": cultivars[bunch.target]})


def _print_data(
    X: Table,
    suspect: Mapping[str, str],
    data: Path | None,
    last_column: str | None,
    people: TextIO,
) -> None:
    from irenic.learn import unhelpful_columns

    if data is None:
        print("No table given: using the wine data of scikit-learn.", file=people)
    elif last_column is not None:
        say_line(f"Predicting the last column, {last_column!r} (override with --target).", people)
    reasons = [f"{display(name)} ({why})" for name, why in unhelpful_columns(X).items()]
    if reasons:
        say_line(f"Columns unlikely to help: {', '.join(reasons)}", people)
    for name, why in suspect.items():
        known = "is it known when a case is decided?"
        say_line(f"Column that may know the answer: {display(name)} ({why}); {known}", people)
    people.flush()


def _print_next_steps(out: Path | None, data: Path | None) -> None:
    saved = (
        "Save the model with -o model.json, then:" if out is None else f"Written to {out}. Next:"
    )
    model = out or "model.json"
    print()
    say_line(saved)
    say_line(f"  irenic predict {model} new.csv -o out.csv")
    say_line(f"  irenic report {model} {data or 'table.csv'} -o report.html")
