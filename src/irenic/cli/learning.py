"""The commands that learn rules from a table and apply them to another."""

from __future__ import annotations

import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import numpy as np
import numpy.typing as npt
import typer

import irenic
from irenic.cli.common import (
    Json,
    To,
    check_one_output,
    console,
    is_standard,
    output,
    output_format,
    print_json,
    warn_of_compiling,
    write_rules,
    write_standard,
)
from irenic.cli.reading import (
    From,
    as_set,
    check_inputs,
    check_output,
    no_rules,
    opened_space,
    parse_file,
    read_data,
)
from irenic.errors import ConflictError, DataError, FormatError, SpaceError, did_you_mean
from irenic.model.literals import display
from irenic.model.ruleset import RESOLVE

if TYPE_CHECKING:
    from types import FrameType

    from irenic.cli.dataset import Dataset
    from irenic.frames.columns import Table
    from irenic.learn import RuleSetClassifier
    from irenic.model.features import Feature
    from irenic.reporting.document import CrossValidation

commands = typer.Typer()

_MODEL_FORMATS = ("json", "rules", "txt")


@commands.command(
    epilog="""[bold]Examples[/]
irenic learn                               data that come with scikit-learn
irenic learn people.csv                    predict the last column
irenic learn people.csv --target income    predict another one
irenic learn people.csv -o model.json      keep the model for predict
irenic learn people.csv -o rules.txt       keep the rules as text
irenic learn people.csv --max-rules 5      few rules
irenic learn people.csv --cv 0             learn only, which is faster

[bold]Exit status[/]
0 rules were learned, 2 bad input"""
)
def learn(
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA", help="A .csv, .parquet or .xlsx table, or - (default: an example)."
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The column to predict; the last, if not told."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to keep the model (.json), or its rules alone (.txt, .rules); or -.",
        ),
    ] = None,
    source_form: From = None,
    to: To = None,
    max_rules: Annotated[
        int | None, typer.Option(metavar="N", help="The most rules that there may be.", min=1)
    ] = None,
    cv: Annotated[
        int,
        typer.Option(metavar="K", help="Folds of the cross-validation; 0 for none.", min=0),
    ] = 5,
    seconds: Annotated[
        float | None,
        typer.Option(metavar="S", help="How long a fit may take; there is one more a fold."),
    ] = None,
    random_state: Annotated[
        int, typer.Option(metavar="N", help="Fixes what is random.", min=0)
    ] = 0,
    jobs: Annotated[
        int, typer.Option(metavar="N", help="How many tasks run at once; -1: one a core.")
    ] = -1,
    as_json: Json = False,
) -> None:
    """Learn rules from a table: few, readable, and never in contradiction."""
    _check_options(data, target, out, cv, seconds, jobs)
    check_inputs({"DATA": data}, source_form)
    check_one_output(out, to, as_json=as_json)
    form = _model_format(out, to)
    from irenic.cli import dataset

    given = dataset.embedded() if data is None else dataset.read(data, target, source_form)
    folds = _folds(given, cv)
    warn_of_compiling("evolution", "about a minute")

    def make(*, verbose: bool) -> RuleSetClassifier:
        return irenic.RuleSetClassifier(
            max_rules=max_rules,
            time_budget=seconds,
            n_jobs=jobs,
            random_state=random_state,
            verbose=verbose,
        )

    on_screen = not form or (out is not None and not is_standard(out))
    people = sys.stdout if on_screen else sys.stderr
    if not as_json:
        with output():
            _say_data(given, data, target, people)
    model = make(verbose=sys.stderr.isatty()).fit(given.features, given.labels)
    if form:
        write_rules(model if form == "json" else model.rules_, out, form)
    compared = _compare(lambda: make(verbose=False), given, folds, random_state) if folds else None
    from irenic.reporting import terminal
    from irenic.reporting.commands import learn_document

    with output():
        if as_json:
            document = learn_document(
                model,
                data=given.name,
                target=given.target,
                counts=given.counts,
                cross_validation=compared,
            )
            print_json(document)
        else:
            terminal.print_learned(model, given.counts, compared, console(stderr=not on_screen))
            if on_screen:
                _say_next(out, data)


def _check_options(
    data: Path | None,
    target: str | None,
    out: Path | None,
    cv: int,
    seconds: float | None,
    jobs: int,
) -> None:
    if data is None and target is not None:
        raise FormatError("--target names a column of DATA; say which table: irenic learn DATA")
    if cv == 1:
        raise FormatError("--cv 1 leaves nothing to learn from; use 2 or more, or 0 for none")
    if jobs == 0:
        raise FormatError("--jobs 0 does nothing; use 1 or more, or -1 for one a core")
    if seconds is not None and not seconds > 0:
        raise FormatError(f"--seconds must be above 0, not {seconds:g}")
    check_output(out, {"DATA": data})


def _model_format(out: Path | None, to: str | None) -> str:
    """Return the format in which the model, or its rules alone, are kept; "" for neither."""
    if out is None and to is None:
        return ""
    if out is not None and not is_standard(out) and out.suffix[1:].lower() not in _MODEL_FORMATS:
        raise FormatError(
            "a model is written to a .json file, its rules alone to .txt or .rules", path=str(out)
        )
    return output_format(out, to, _MODEL_FORMATS)


def _folds(given: Dataset, wanted: int) -> int:
    """Return how many folds the rows allow; say so where these are fewer than wanted."""
    if not wanted:
        return 0
    from irenic.learn.cross_validation import folds_for

    folds = folds_for(given.counts, wanted)
    rarest = min(given.counts, key=lambda label: given.counts[label])
    if folds < 2:
        raise DataError(
            f"{given.name}: column {given.target!r}: the class {display(rarest)} has one row, so"
            " it cannot be both learned and tested; leave the row out, or learn without"
            " cross-validation: --cv 0"
        )
    if folds < wanted:
        _note(f"{folds} folds instead of {wanted}: the class {display(rarest)} has {folds} rows")
    return folds


def _compare(
    make: Callable[[], RuleSetClassifier], given: Dataset, folds: int, random_state: int
) -> CrossValidation | None:
    """Return how the learner and others do on rows left out; None if a person does not wait."""
    from irenic.learn import cross_validation as comparison

    table, codes = given.features, np.unique(given.labels, return_inverse=True)[1]
    learners = {
        "irenic": comparison.rule_sets(make, table, given.labels),
        "pruned tree": comparison.pruned_tree(table, codes, random_state=random_state),
        "majority class": comparison.majority(codes),
    }
    with _fold_bar(folds) as show, _noticing_interrupts() as interrupted:

        def tell(done: int) -> None:
            show(done)
            if interrupted.is_set():  # a fit that is cut short returns what it has
                raise KeyboardInterrupt

        try:
            found: Any = comparison.cross_validate(
                learners, codes, folds=folds, random_state=random_state, tell=tell
            )
        except KeyboardInterrupt:
            _note("the cross-validation was stopped; the rules are those of all rows")
            return None
    scores: CrossValidation = found
    return scores


@contextmanager
def _noticing_interrupts() -> Iterator[threading.Event]:
    """Remember that Ctrl-C was pressed, whoever handles it."""
    interrupted = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield interrupted
        return

    def notice(number: int, frame: FrameType | None) -> None:
        interrupted.set()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, notice)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _fold_bar(folds: int) -> Iterator[Callable[[int], None]]:
    errors = console(stderr=True)
    if not errors.is_terminal:
        yield lambda done: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("cross-validating"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("Ctrl-C goes on without"),
    )
    with Progress(*columns, console=errors, transient=True) as bar:
        task = bar.add_task("", total=folds)
        yield lambda done: bar.update(task, completed=done)


def _say_data(given: Dataset, path: Path | None, target: str | None, people: TextIO) -> None:
    if path is None:
        print(f"No table given: these are the {given.name} data of scikit-learn.", file=people)
    elif target is None:
        name = display(given.target)
        print(f"The last column is predicted: {name} (--target names another).", file=people)
    for column in given.useless():
        print(f"Of little use for rules: {column}", file=people)
    people.flush()


def _say_next(out: Path | None, data: Path | None) -> None:
    kept = "Keep the model with -o model.json; then:" if out is None else f"Written to {out}; now:"
    model = out or "model.json"
    print(f"\n{kept}\n  irenic predict {model} new.csv -o out.csv")
    print(f"  irenic report {model} {data or 'table.csv'} -o report.html")


def _note(text: str) -> None:
    print(f"irenic: {text}", file=sys.stderr)


# --- predict


@commands.command(
    epilog="""[bold]Examples[/]
irenic predict model.json new.csv                  as csv on the screen
irenic predict model.json new.csv -o out.csv       to a file
irenic predict model.json new.csv -o out.xlsx --explain
irenic predict rules.txt new.csv                   rules of your own

[bold]Exit status[/]
0 done, 2 bad input"""
)
def predict(
    rules: Annotated[
        Path,
        typer.Argument(
            metavar="RULES", help="A model of irenic learn (.json), a file of rules, or -."
        ),
    ],
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="A .csv, .parquet or .xlsx table, or -.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="A .csv, .parquet or .xlsx file, or - (default: csv on the screen).",
        ),
    ] = None,
    form: From = None,
    to: To = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", metavar="", help="Add the rule that decides, its support and confidence."
        ),
    ] = False,
    resolve: Annotated[
        str | None,
        typer.Option(metavar="HOW", help="Where rules contradict each other: best, vote or first."),
    ] = None,
) -> None:
    """Add to a table what rules predict for each row."""
    from irenic.frames.table import FORMATS, check_suffix, dumps_table, write_table

    if resolve not in (None, *RESOLVE):
        hint = did_you_mean(resolve, RESOLVE)
        raise FormatError(f"--resolve cannot be {resolve!r}{hint}")
    files = {"RULES": rules, "DATA": data}
    check_inputs(files, form)
    check_output(out, files)
    if out is not None and not is_standard(out):
        check_suffix(out)
    out_form = output_format(out, to, FORMATS, "csv")
    parsed = parse_file(rules, form)
    model = parsed.model() if parsed.is_model else parsed.rules()
    table = read_data(data, form)
    if not table.shape[0]:
        raise FormatError("the table has no rows", path=str(data))
    added = _predictions(model, parsed, table, data, resolve)
    if not explain:
        added = {"prediction": added["prediction"]}
    for name in added:
        if name in table:
            raise FormatError(
                f"there is a column {name!r} already; rename it, so that none is lost",
                path=str(data),
            )
    whole = table.select(list(table))
    whole.update(added)
    if out is not None and not is_standard(out):
        write_table(whole, out)
        with output():
            print(f"{table.shape[0]:,} rows written to {out}")
    elif out is None and to is None:  # on the screen, in its encoding
        with output():
            print(dumps_table(whole, "csv"), end="")
    else:
        write_standard(dumps_table(whole, out_form))
    _say_unused(_rules(model).space.names, table)


def _predictions(
    model: RuleSetClassifier | irenic.RuleSet | irenic.RuleList,
    parsed: irenic.formats.Parsed,
    table: Table,
    data: Path,
    resolve: str | None,
) -> dict[str, npt.NDArray[Any]]:
    """Return the columns that are added to a table."""
    if isinstance(model, irenic.RuleList):  # its order settles what rules contradict
        model, resolve = model.rules, "first"
    rules = _rules(model)
    if not len(rules) and rules.default is None:
        raise no_rules(rules, Path(parsed.name))
    _check_columns(rules.space.names, table, data)
    # rules that ask for nothing hold for every row, and a table without columns has none
    used = table.select(rules.space.names) if rules.space.names else table
    how: Any = resolve
    try:
        if isinstance(model, irenic.RuleSet):
            rules = _over_table(model, parsed, used, data)
            said = rules.predict(used, resolve=how)
        else:
            if model.conflicts != "avoid":
                how = model.conflicts
            with warnings.catch_warnings():  # columns are chosen by name here
                warnings.filterwarnings("ignore", message="X does not have valid feature names")
                said = model.predict(used)
        decided = rules.decide(used, resolve=how)
    except ConflictError as error:
        raise ConflictError(
            f"{parsed.name}: the rules contradict each other: {error.conflicts[0]}; mend them"
            f" (irenic check {parsed.name} shows where), or choose with --resolve best, vote or"
            " first",
            error.conflicts,
        ) from None
    except DataError as error:
        raise DataError(f"{data}: {error}") from None
    labels = [] if isinstance(model, irenic.RuleSet) else model.classes_.tolist()
    words = [str(rule) for rule in rules]
    words.append("no rule" if rules.default is None else "default: no rule covers this case")
    found = {
        "prediction": _column([_in_words(value, labels) for value in said.tolist()]),
        "rule": _column([words[place] for place in decided]),
    }
    if not isinstance(model, irenic.RuleSet):
        counts = model.chosen_.counts
        found["support"] = counts.support.astype(np.int64)[decided]
        found["confidence"] = counts.confidence[decided]
    return found


def _rules(model: RuleSetClassifier | irenic.RuleSet | irenic.RuleList) -> irenic.RuleSet:
    return as_set(model) if isinstance(model, irenic.RuleSet | irenic.RuleList) else model.rules_


def _check_columns(names: Sequence[str], table: Table, data: Path) -> None:
    missing = [name for name in names if name not in table]
    if missing:
        if len(missing) == 1:
            hint = did_you_mean(missing[0], table)
            raise DataError(f"{data}: no column {missing[0]!r}, which the rules need{hint}")
        shown = ", ".join(map(repr, missing[:8])) + (", …" if len(missing) > 8 else "")
        raise DataError(f"{data}: {len(missing)} columns that the rules need are missing: {shown}")


def _say_unused(names: Sequence[str], table: Table) -> None:
    unused = [name for name in table if name not in names]
    if unused:
        shown = ", ".join(map(display, unused[:8])) + (", …" if len(unused) > 8 else "")
        _note(f"columns that the rules do not use: {shown}")


def _over_table(
    rules: irenic.RuleSet, parsed: irenic.formats.Parsed, table: Table, data: Path
) -> irenic.RuleSet:
    """Return rules of a file that declares no space over that of the table."""
    if parsed.declares_space or not rules.space.names:
        return rules
    try:
        space = opened_space(parsed, irenic.Space.infer(table), data)
        features = [_listed_by_rules(feature, rules.space) for feature in space or ()]
        return as_set(parsed.rules(irenic.Space(features)))
    except SpaceError as error:
        raise DataError(str(error)) from None


def _listed_by_rules(feature: Feature, named: irenic.Space) -> Feature:
    """Return an open category of the data with the values of the rules: "other" is all else."""
    same = named[feature.name]
    if not isinstance(feature, irenic.Categorical) or not isinstance(same, irenic.Categorical):
        return feature
    return replace(feature, values=same.values) if feature.other and same.other else feature


def _in_words(value: Any, labels: list[Any]) -> Any:
    """Return a prediction as one cell: sets of labels joined, nothing where none is made."""
    if isinstance(value, frozenset):
        return "; ".join(sorted(map(str, value)))
    if isinstance(value, list):  # a row of a 0/1 matrix
        return "; ".join(str(label) for label, has in zip(labels, value, strict=True) if has)
    return value if value is None or isinstance(value, str | int | float) else display(value)


def _column(values: list[Any]) -> npt.NDArray[Any]:
    from irenic.frames.columns import as_column

    return as_column(values)
