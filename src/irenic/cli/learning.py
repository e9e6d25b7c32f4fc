"""The commands ``learn`` and ``predict``: options and output; ``irenic.learn`` does the work."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

import irenic
from irenic.cli.common import (
    Json,
    To,
    as_cell,
    check_one_output,
    console,
    is_standard,
    note,
    output,
    output_format,
    print_json,
    write_rules,
    write_standard,
)
from irenic.cli.reading import (
    From,
    as_meant,
    as_set,
    check_inputs,
    check_output,
    column_of,
    many_cells,
    many_rows,
    no_rules,
    parse_file,
    read_data,
    reads_rules,
)
from irenic.errors import ConflictError, DataError, FormatError, SpaceError, did_you_mean
from irenic.model.literals import display, is_missing, say
from irenic.model.ruleset import RESOLVE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from irenic.frames.columns import Table
    from irenic.frames.sources import Source
    from irenic.learn.cross_validation import LeftOut
    from irenic.learn.models import Classifier
    from irenic.model.features import Feature
    from irenic.reporting import document

commands = typer.Typer()

_MODEL_FORMATS = ("json", "rules", "txt")
_SHOWN_COLUMNS = 8
# Rows of a large file that are looked at to describe it.
_SAMPLE = 20_000
_SCORINGS = ("accuracy", "balanced_accuracy", "log_loss", "roc_auc")


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
irenic learn loans.csv --rules mine.rules --never 'yes WHERE age < 18' --monotonic income=+
irenic learn loans.csv --knowledge model.knowledge.json    what irenic edit model.json saved
irenic learn people.csv --by sex --card card.md

[bold]Exit status[/]
0 rules were learned, 2 invalid input"""
)
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
    max_rules: Annotated[
        int | None, typer.Option(metavar="N", help="Maximum number of rules.", min=1)
    ] = None,
    max_conditions: Annotated[
        int | None,
        typer.Option(
            "--max-conditions-per-rule", metavar="N", help="Maximum conditions of a rule.", min=1
        ),
    ] = None,
    min_support: Annotated[
        int, typer.Option(metavar="N", help="Minimum rows that a rule covers.", min=1)
    ] = 1,
    describe: Annotated[
        str | None,
        typer.Option(metavar="LABEL", help="Label that only rules predict, never the default."),
    ] = None,
    kept: Annotated[
        Path | None,
        typer.Option(
            "--rules",
            metavar="FILE",
            help="Rules to keep as they are; others are learned around them.",
        ),
    ] = None,
    never: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROPERTY",
            help="What no case may have, such as 'yes WHERE age < 18'; may be repeated.",
        ),
    ] = None,
    always: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROPERTY",
            help="What all such cases must have, such as 'no WHERE age < 18'; may be repeated.",
        ),
    ] = None,
    monotonic: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=SIGN",
            help="Predictions must not fall (income=+) or not rise (debt=-) with a column of"
            " numbers or one of --ordered; may be repeated.",
        ),
    ] = None,
    forbid: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="Column that learned rules must not test; may be repeated."
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Column to leave out; may be repeated."),
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column with the weight of each row; no feature."),
    ] = None,
    knowledge: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What the page of a model hands back (.json): rules to keep and what is forbidden,"
            " in addition to the options above.",
        ),
    ] = None,
    ordered: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=VALUES",
            help="Order of a category, such as size=small,medium,large; may be repeated.",
        ),
    ] = None,
    max_values: Annotated[
        int | None,
        typer.Option(metavar="N", help="Maximum values that a condition lists.", min=1),
    ] = None,
    cost: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TRUE:PREDICTED=N",
            help="Cost of a wrong prediction, such as bad:good=5; may be repeated, and errors that"
            " are not listed cost 1.",
        ),
    ] = None,
    scoring: Annotated[
        str,
        typer.Option(
            metavar="SCORE",
            help="What to maximize: accuracy; balanced_accuracy, where rare labels count as much"
            " as others; or the quality of probabilities, by log_loss or roc_auc.",
        ),
    ] = "accuracy",
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
    budget: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help="Seconds per fit; cross-validation adds one fit per fold."
        ),
    ] = None,
    random_state: Annotated[
        int, typer.Option(metavar="N", help="Seed of the random number generator.", min=0)
    ] = 0,
    jobs: Annotated[
        int, typer.Option(metavar="N", help="Number of parallel tasks; -1 for one per core.")
    ] = -1,
    as_json: Json = False,
) -> None:
    """Learn a few readable rules, free of contradictions, from a table."""
    _check_options(data, target, out, cv, budget, jobs)
    if scoring not in _SCORINGS:
        hint = did_you_mean(scoring, _SCORINGS)
        raise FormatError(f"--scoring must be one of {', '.join(_SCORINGS)}, got {scoring!r}{hint}")
    if cv and front is not None:
        raise FormatError("--front cannot be combined with --cv, which fits other fronts")
    if kept is not None and knowledge is not None:
        raise FormatError("--rules and --knowledge both name rules to keep; use one of them")
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
    from irenic.learn import cross_validation, load_knowledge, split_target, suspect_columns

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
    handed = {} if knowledge is None else load_knowledge(knowledge)
    known: dict[str, Any] = {
        "rules": handed.get("rules") if kept is None else _kept_rules(kept, source_form),
        "never": [*(never or ()), *handed.get("never", ())] or None,
        "always": [*(always or ()), *handed.get("always", ())] or None,
        "monotonic_cst": {**handed.get("monotonic_cst", {}), **(_signs(monotonic) or {})} or None,
        # columns of a source are read all the same
        "forbidden": [
            *(forbid or ()),
            *handed.get("forbidden", ()),
            *((ignore or ()) if source is not None else ()),
        ]
        or handed.get("forbidden"),
        "ordered": {**handed.get("ordered", {}), **(_orders(ordered) or {})} or None,
        "max_values": max_values,
        "cost": _costs(cost, y.tolist()),
    }
    allowed = [name for name in X if name not in (known["forbidden"] or ())]
    suspect = suspect_columns(X.select(allowed), y) if allowed else {}
    on_screen = not form or (out is not None and not is_standard(out))
    if not as_json:
        with output():
            people = sys.stdout if on_screen else sys.stderr
            _print_data(X.select(allowed), suspect, data, None if target else column, people)
    show_progress = sys.stderr.isatty()
    classifier = irenic.RuleSetClassifier(
        max_rules=max_rules,
        max_conditions_per_rule=max_conditions,
        min_support=min_support,
        describe=_label(describe, y.tolist()),
        **known,
        budget=budget,
        n_jobs=jobs,
        random_state=random_state,
        scoring=scoring,
        verbose=show_progress,
    )
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
    if cost and not folds:
        note("scores are 1 minus the share of the highest cost; --cv 5 compares accuracies")
    if form:
        write_rules(model if form == "json" else model.rules_, out, form)
    scores: Any = None
    left_out = None
    try:
        if folds or (cv is None and model.estimate_ is not None and not cost):
            scores, left_out = cross_validation.cross_validated(
                model, X, y, cv=folds or None, random_state=random_state, verbose=show_progress
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
        figures = _by_group(by, model, X, groups, y, left_out, name)
    document = learn_document(
        model,
        data=name,
        target=column,
        counts=counts,
        cross_validation=scores,
        groups=figures,
        suspect=suspect,
    )
    if card is not None:
        _write_card(card, model, X, y, column, data, figures)
    with output():
        if as_json:
            print_json(document)
        else:
            terminal.print_learned(document, console(stderr=not on_screen))
            if card is not None and on_screen:
                print(f"\nModel card written to {card}.")
            if on_screen:
                _print_next_steps(out, data)


def _write_card(
    path: Path,
    model: Classifier,
    X: Table,
    y: Any,
    target: str,
    source: Path | None,
    groups: document.Groups | None,
) -> None:
    import json

    from irenic.frames.files import write_file
    from irenic.reporting import card_markdown, model_card

    known = None if is_standard(source) else source
    card = model_card(model, X, y, target=target, source=known)
    if groups is not None:
        card["groups"] = groups
    as_json = path.suffix.lower() == ".json"
    text = json.dumps(card, indent=2, ensure_ascii=False) + "\n" if as_json else card_markdown(card)
    write_file(path, text)


def _by_group(
    by: str,
    model: Any,
    X: Any,
    groups: Any,
    y: Any,
    left_out: LeftOut | None,
    name: str | Path,
) -> document.Groups:
    """Return what is decided for groups: of rows left out, or of the rows of X.

    They are training rows if they have labels.
    """
    from irenic.proving import compare_groups, figures_of
    from irenic.reporting.groups import encode_groups

    on: Any = "left_out" if left_out is not None else "instances" if y is None else "training"
    try:
        if left_out is None:
            compared = compare_groups(model, X, groups, y)
        else:
            compared = figures_of(*left_out, groups, y)
    except DataError as error:
        raise DataError(f"{name}: --by: {error}") from None
    return encode_groups(by, compared, _rules(model).default, on)


def _label(text: str | None, labels: list[Any]) -> Any:
    """Return the label that is written so, or the text itself if there is none."""
    return next((label for label in labels if say(label) == text), text)


def _kept_rules(path: Path, form: str | None) -> irenic.RuleSet:
    """Return the rules of a file to keep."""
    rules = parse_file(path, form).rules()
    if isinstance(rules, irenic.RuleList):
        raise FormatError(
            "--rules must be rules without an order; irenic to-set makes them", path=str(path)
        )
    return rules


def _split(option: str, texts: list[str] | None) -> list[tuple[str, str]]:
    """Return the parts before and after the last equals sign of each text."""
    pairs = []
    for text in texts or ():
        name, sign, value = text.rpartition("=")
        if not (name and sign and value):
            raise FormatError(f"{option} must have a name, = and a value, got {text!r}")
        pairs.append((name, value))
    return pairs


def _signs(texts: list[str] | None) -> dict[str, int] | None:
    signs = {"+": 1, "-": -1}
    pairs = _split("--monotonic", texts)
    for name, sign in pairs:
        if sign not in signs:
            raise FormatError(f"--monotonic {name}= must be followed by + or -, got {sign!r}")
    return {name: signs[sign] for name, sign in pairs} or None


def _orders(texts: list[str] | None) -> dict[str, list[str]] | None:
    pairs = _split("--ordered", texts)
    return {name: [value.strip() for value in values.split(",")] for name, values in pairs} or None


def _costs(texts: list[str] | None, labels: list[Any]) -> dict[Any, dict[Any, float]] | None:
    if not texts:
        return None
    every = list(dict.fromkeys(labels))
    costs = {true: {other: 1.0 for other in every if other != true} for true in every}
    for name, number in _split("--cost", texts):
        true, colon, predicted = name.partition(":")
        try:
            cost = float(number)
        except ValueError:
            cost = -1.0
        if not colon or not cost >= 0:
            raise FormatError(f"--cost must be TRUE:PREDICTED=N, got {name}={number}")
        costs.setdefault(_label(true, labels), {})[_label(predicted, labels)] = cost
    return costs


def _check_options(
    data: Path | None,
    target: str | None,
    out: Path | None,
    cv: int | None,
    budget: float | None,
    jobs: int,
) -> None:
    if data is None and target is not None:
        raise FormatError("--target needs a table: irenic learn DATA --target COLUMN")
    if cv == 1:
        raise FormatError("--cv must be 0 or at least 2, got 1")
    if jobs == 0:
        raise FormatError("--jobs must be at least 1, or -1 for one per core, got 0")
    if budget is not None and not budget > 0:
        raise FormatError(f"--budget must be positive, got {budget:g}")
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
        print(f"Predicting the last column, {last_column!r} (override with --target).", file=people)
    reasons = [f"{display(name)} ({why})" for name, why in unhelpful_columns(X).items()]
    if reasons:
        print(f"Columns unlikely to help: {', '.join(reasons)}", file=people)
    for name, why in suspect.items():
        known = "is it known when a case is decided?"
        print(f"Column that may know the answer: {display(name)} ({why}); {known}", file=people)
    people.flush()


def _print_next_steps(out: Path | None, data: Path | None) -> None:
    saved = (
        "Save the model with -o model.json, then:" if out is None else f"Written to {out}. Next:"
    )
    model = out or "model.json"
    print(f"\n{saved}\n  irenic predict {model} new.csv -o out.csv")
    print(f"  irenic report {model} {data or 'table.csv'} -o report.html")


# --- predict


@commands.command(
    epilog="""[bold]Examples[/]
irenic predict model.json new.csv                  print CSV
irenic predict model.json new.csv -o out.csv       write a file
irenic predict model.json new.csv -o out.xlsx --explain
irenic predict model.json new.csv -o out.csv --by sex
irenic predict rules.txt new.csv                   use rules of your own
irenic predict model.dmn cases.csv                 decide with a whole DMN model

[bold]Exit status[/]
0 predictions were made, 2 invalid input"""
)
@reads_rules
def predict(
    rules: Annotated[
        Path,
        typer.Argument(
            metavar="RULES", help="Model of irenic learn (.json), a file of rules, or -."
        ),
    ],
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="Table (.csv, .parquet or .xlsx), or -.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File for the predictions (.csv, .parquet or .xlsx), or - (default: print CSV).",
        ),
    ] = None,
    form: From = None,
    to: To = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            metavar="",
            help="Add the shortest deciding rule, its support and confidence, and the probability.",
        ),
    ] = False,
    by: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of DATA by which to compare what is decided."),
    ] = None,
    resolve: Annotated[
        str | None,
        typer.Option(metavar="HOW", help="Decide between conflicting rules: best, vote or first."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            "--table",
            metavar="NAME",
            help="Table or decision, if RULES has several (default: the last one to be decided).",
        ),
    ] = None,
    *,
    reading: dict[str, Any],
) -> None:
    """Add the predictions of rules to a table."""
    from irenic.frames.table import FORMATS, check_suffix, dumps_table, write_table

    if resolve not in (None, *RESOLVE):
        hint = did_you_mean(resolve, RESOLVE)
        raise FormatError(f"--resolve must be best, vote or first, got {resolve!r}{hint}")
    files = {"RULES": rules, "DATA": data}
    check_inputs(files, form)
    check_output(out, files)
    if out is not None and not is_standard(out):
        check_suffix(out)
    out_form = output_format(out, to, FORMATS, "csv")
    parsed = parse_file(rules, form, **reading)
    whole_model = parsed.decisions is not None and parsed.decisions.is_network
    if whole_model and explain:
        raise FormatError("--explain needs a model of one decision table", path=str(rules))
    if by is not None and (whole_model or resolve is not None):
        why = "a model of one decision table" if whole_model else "rules that need no --resolve"
        raise FormatError(f"--by needs {why}", path=str(rules))
    model = None if whole_model else _model(parsed, name, resolve)
    options: dict[str, Any] = {"explain": explain, "resolve": resolve}
    if model is not None and not parsed.is_model:
        options["outputs"] = parsed.bound(None).table(name).outputs
    in_blocks = model is not None and not isinstance(model, irenic.DecisionTable)
    in_blocks &= out_form == "parquet" and out is not None and not is_standard(out)
    source = many_cells(data) if in_blocks else None
    if source is not None and out is not None:
        _predict_blocks(_Blocks(model, parsed, data, name, options, by), source, out)
        return
    as_written = model is not None and not parsed.is_model
    table = read_data(data, form, as_written=as_written, model=model)
    if not table.shape[0]:
        raise FormatError("the table must have at least one row, got none", path=str(data))
    groups = column_of(table, by, "--by", data)
    whole = table.select(list(table))
    if model is not None and not parsed.is_model:
        table = as_meant(table, parsed, _rules(model).space, name, data)
    if model is None:
        whole.update(_outcomes(parsed, table, name, data))
    else:
        added = _predictions(model, parsed, table, data, name, options)
        whole.update(added)
        _remark(_outcome_of(added), table, _rules(model).space, note)
    if out is not None and not is_standard(out):
        write_table(whole, out)
        with output():
            print(f"{table.shape[0]:,} rows written to {out}")
    elif out is None and to is None:  # on the screen, in its encoding
        with output():
            print(dumps_table(whole, "csv"), end="")
    else:
        write_standard(dumps_table(whole, out_form))
    if by is not None:
        from irenic.reporting import terminal

        if isinstance(model, irenic.RuleSet | irenic.RuleList):
            model = _over_table(model, parsed, table, name)
        figures = _by_group(by, model, table, groups, None, None, data)
        with output():
            terminal.print_groups(figures, console(stderr=out is None or is_standard(out)))
    if model is None:
        _note_unused(parsed.decisions.inputs(parsed.decisions.chosen(name)), table)
    elif not (isinstance(model, irenic.DecisionTable) and model.computed):
        _note_unused(_rules(model).space.names, table)


class _Blocks:
    """Adds predictions to blocks of rows; what is said of several blocks is said once."""

    def __init__(
        self,
        model: Any,
        parsed: irenic.formats.Parsed,
        data: Path,
        name: str | None,
        options: dict[str, Any],
        by: str | None,
    ) -> None:
        self.model, self.parsed, self.data, self.name = model, parsed, data, name
        self.options, self.by = options, by
        self.groups: list[Any] = []
        self.undecided = 0
        self._told: set[str] = set()
        self._types: dict[str, Any] = {}

    def __call__(self, table: Any, first: int) -> Any:
        """Return a block as a table of pyarrow with predictions."""
        import pyarrow as pa

        from irenic.frames.columns import as_values, as_written
        from irenic.frames.sources import as_table
        from irenic.proving import compare_groups

        model, cases = self.model, table
        groups = None if self.by is None else table.column(self.by).to_pylist()
        where = f"{self.data}, rows {first + 1} to {first + table.num_rows}"
        try:
            if not self.parsed.is_model:
                cases, space = as_table(table), _rules(model).space
                cases = as_meant(cases, self.parsed, space, self.name, self.data, self._tell)
            added = _predictions(model, self.parsed, cases, self.data, self.name, self.options)
            if not self.parsed.is_model:
                self._count(_outcome_of(added), cases, where)
            if groups is not None:
                if isinstance(model, irenic.RuleSet | irenic.RuleList):
                    model = _over_table(model, self.parsed, cases, self.name)
                self.groups.append(compare_groups(model, cases, groups))
        except DataError as error:
            raise DataError(str(error).replace(f"{self.data}:", f"{where}:", 1)) from None
        for name, column in added.items():
            values = as_written(as_values(column))
            if name not in self._types:
                self._types[name] = self._type(name, values)
            kind = self._types[name]
            if pa.types.is_large_string(kind):
                values = [None if value is None else str(value) for value in values]
            table = table.append_column(name, pa.array(values, kind))
        return table

    def _tell(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            note(text)

    def _count(self, outcomes: list[Any], cases: Table, where: str) -> None:
        """Count cases that are not decided; say of the first block with some which ones."""
        n = sum(map(is_missing, outcomes))
        if not self.undecided:
            _remark(outcomes, cases, _rules(self.model).space, lambda t: note(f"{where}: {t}"))
        self.undecided += n

    def _type(self, name: str, values: list[Any]) -> Any:
        """Return the type of a column: that of all outcomes, if it has outcomes."""
        import pyarrow as pa

        from irenic.frames.columns import as_written

        if name == "prediction":
            rules = _rules(self.model)
            outcomes = [*rules.thens, *([] if rules.default is None else [rules.default])]
            if all(isinstance(outcome, str | int | float) for outcome in outcomes):
                values = as_written(outcomes)
            else:
                return pa.large_string()
        kind = pa.array(values).type
        is_text = pa.types.is_string(kind) or pa.types.is_null(kind)
        return pa.large_string() if is_text else kind


def _predict_blocks(blocks: _Blocks, source: Source, out: Path) -> None:
    """Write the rows of a source with predictions, one block after another."""
    from irenic.frames.sources import write_blocks
    from irenic.proving import sum_of_groups
    from irenic.reporting import terminal
    from irenic.reporting.groups import encode_groups

    rules = _rules(blocks.model)
    if blocks.by is not None and blocks.by not in source.schema.names:
        hint = did_you_mean(blocks.by, source.schema.names)
        raise DataError(f"{blocks.data}: --by: unknown column {blocks.by!r}{hint}")
    n_rows = write_blocks(source.run(blocks, list(source.schema.names)), out)
    with output():
        print(f"{n_rows:,} rows written to {out}")
        if blocks.by is not None:
            try:
                total = sum_of_groups(blocks.groups)
            except DataError as error:
                raise DataError(f"{blocks.data}: --by: {error}") from None
            figures = encode_groups(blocks.by, total, rules.default, "instances")
            terminal.print_groups(figures, console())
    if blocks.undecided:
        note(f"in all, {blocks.undecided:,} of {n_rows:,} cases are undecided")
    _note_unused(rules.space.names, source.schema.names)


def _remark(
    outcomes: list[Any], table: Table, space: irenic.Space, tell: Callable[[str], None]
) -> None:
    """Say which cases are not decided, and of which that may be a mistake."""
    from irenic.formats.sheets.cases import doubtful, undecided

    for remark in (undecided, doubtful):
        if text := remark(outcomes, table, space):
            tell(text)


def _model(
    parsed: irenic.formats.Parsed, name: str | None, resolve: str | None
) -> Classifier | irenic.RuleSet | irenic.RuleList | irenic.DecisionTable:
    """Return what predicts: a model, rules, or a table whose hit policy has to be applied."""
    if parsed.is_model:
        return parsed.model()
    rules = parsed.rules(table=name)  # shows the warnings
    if resolve is not None:
        return rules
    table = parsed.bound(None).table(name)
    opened = parsed.format == "dmn" or table.collects
    return parsed.open_to_missing(name) if opened else rules


def _outcomes(
    parsed: irenic.formats.Parsed, table: Table, name: str | None, data: Path
) -> dict[str, Any]:
    """Return the outcomes of a decision model with several decisions as columns."""
    from irenic.frames.columns import as_column

    parsed.bind()  # shows the warnings
    try:
        outcomes = parsed.predict(table, table=name).tolist()
    except DataError as error:
        raise DataError(f"{data}: {error}") from None
    parts = [outcome for outcome in outcomes if outcome is not None]
    names = list(dict.fromkeys(key for part in parts if isinstance(part, dict) for key in part))
    if names and all(isinstance(part, dict) for part in parts):
        return {
            f"{key} (prediction)" if key in table else key: as_column(
                [as_cell((outcome or {}).get(key)) for outcome in outcomes]
            )
            for key in names
        }
    if "prediction" in table:
        raise DataError(
            f"{data}: the table must not have a column 'prediction', because predictions add one;"
            " rename it"
        )
    return {"prediction": as_column([as_cell(outcome) for outcome in outcomes])}


def _outcome_of(columns: Mapping[str, Any]) -> list[Any]:
    """Return one of the outcomes of each row, None for a row without any."""
    added = ("rule", "support", "confidence", "probability", "based on")
    outcomes = [column.tolist() for name, column in columns.items() if name not in added]
    return [
        next((part for part in parts if part is not None), None)
        for parts in zip(*outcomes, strict=True)
    ]


def _predictions(
    model: Classifier | irenic.RuleSet | irenic.RuleList | irenic.DecisionTable,
    parsed: irenic.formats.Parsed,
    table: Table,
    data: Path,
    table_name: str | None,
    options: dict[str, Any],
) -> dict[str, Any]:
    from irenic.learn import predict_table

    rules = _rules(model)
    if not len(rules) and rules.default is None:
        raise no_rules(rules, Path(parsed.name))
    try:
        if isinstance(model, irenic.RuleSet | irenic.RuleList) and set(rules.space.names) <= set(
            table
        ):
            model = _over_table(model, parsed, table, table_name)
        return predict_table(model, table, **options)
    except ConflictError as error:
        chosen = parsed.bound(_rules(model).space).table(table_name)
        conflict = chosen.first_conflict()  # numbers rows
        raise ConflictError(
            f"{parsed.name}: the rules contradict each other: {conflict}; fix them"
            f" (irenic check {parsed.name} lists all conflicts), or use --resolve best, vote or"
            " first",
            error.conflicts,
        ) from None
    except DataError as error:
        raise DataError(f"{data}: {error}") from None


def _rules(
    model: Classifier | irenic.RuleSet | irenic.RuleList | irenic.DecisionTable,
) -> irenic.RuleSet:
    if isinstance(model, irenic.DecisionTable):
        return model.rules
    return as_set(model) if isinstance(model, irenic.RuleSet | irenic.RuleList) else model.rules_


def _note_unused(names: tuple[str, ...], table: Iterable[str]) -> None:
    unused = [name for name in table if name not in names]
    if unused:
        more = ", …" if len(unused) > _SHOWN_COLUMNS else ""
        shown = ", ".join(map(display, unused[:_SHOWN_COLUMNS]))
        note(f"columns not used by the rules: {shown}{more}")


def _over_table(
    rules: irenic.RuleSet | irenic.RuleList,
    parsed: irenic.formats.Parsed,
    table: Table,
    table_name: str | None,
) -> irenic.RuleSet | irenic.RuleList:
    """Return rules over the space of the table, if their source does not declare a space."""
    if parsed.declares_space or not rules.space.names:
        return rules
    try:
        used = table.select(rules.space.names)
        space = parsed.open(irenic.Space.infer(used))
        features = [_with_rule_values(feature, rules.space) for feature in space]
        # bound, not rules: the warnings have been shown
        return parsed.bound(irenic.Space(features)).table(table_name).as_rules()
    except SpaceError as error:
        raise DataError(str(error)) from None


def _with_rule_values(feature: Feature, space: irenic.Space) -> Feature:
    """Return an open category of the table with the values of the rules; "other" is the rest."""
    same = space[feature.name]
    if not isinstance(feature, irenic.Categorical) or not isinstance(same, irenic.Categorical):
        return feature
    return replace(feature, values=same.values) if feature.other and same.other else feature
