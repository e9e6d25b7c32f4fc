"""The commands that try rules on cases: test, cases, why and impact."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

import irenic
from irenic.cli.common import (
    Json,
    To,
    as_cell,
    console,
    is_standard,
    note,
    output,
    output_format,
    print_json,
    say_line,
    write_standard,
)
from irenic.cli.proving import In, decided_in, read_decided
from irenic.cli.reading import (
    From,
    SpaceFile,
    TableName,
    as_meant,
    as_typed,
    check_inputs,
    check_output,
    column_of,
    draft_of,
    parse_file,
    read_data,
    reads_rules,
    split_outcomes,
)
from irenic.cli.watching import watches
from irenic.errors import DataError, FormatError, IrenicError, did_you_mean
from irenic.model.literals import counted, display, say, show_point
from irenic.model.notation import parse_point

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from irenic.frames.columns import Table
    from irenic.monitoring import Impact
    from irenic.testing import Outcome, Trial

_FORMATS = ("csv", "json", "xlsx", "parquet")
_MISSED = 20
"""How much of what no case exercises is printed."""
_MISSES = 5
"""How many rules that nearly apply are printed."""

commands = typer.Typer()


@commands.command(
    "test",
    epilog="""[bold]Examples[/]
irenic test fares.csv cases.csv
irenic test loans.dmn cases.xlsx --label decision --json
irenic test loans.dmn loans-test-01.xml    cases of the DMN kit (TCK)

[bold]Exit status[/]
0 all cases pass (with --coverage: and exercise everything), 1 not,
2 invalid input""",
)
@watches("rules", "cases", "space")
@reads_rules
def run_cases(
    rules: In,
    cases: Annotated[
        Path,
        typer.Argument(
            metavar="CASES",
            help="Cases with expected outcomes (.csv, .xlsx, .parquet, .json, or .xml of the kit).",
        ),
    ],
    label: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column with the expected outcomes (default: that of the table, or the last one).",
        ),
    ] = None,
    coverage: Annotated[
        bool,
        typer.Option(
            "--coverage", metavar="", help="Fail also if cases do not exercise everything."
        ),
    ] = False,
    table: TableName = None,
    space: SpaceFile = None,
    form: From = None,
    as_json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Test rules with cases, and list what no case exercises."""
    from irenic.testing import try_cases

    check_inputs({"RULES": rules, "CASES": cases, "--space": space}, form)
    parsed = parse_file(rules, form, **reading)
    if cases.suffix.lower() == ".xml":
        trial, records, names, differences = _try_kit(parsed, cases, table)
        failures = [f"case {n} fails: {d}" for n, d in zip(names, differences, strict=True) if d]
        _end_trial(trial, records, names, failures, coverage=coverage, as_json=as_json)
    model = decided_in(parsed, table, space, form)
    X, expected = read_expected(cases, form, parsed, model, table, label)
    try:
        trial = try_cases(model, X, expected)
    except DataError as error:
        raise DataError(f"{cases}: {error}") from None
    records = _records(X)
    names = [str(number) for number in range(1, len(records) + 1)]
    failures = [
        _failure(number, case, outcome)
        for number, (case, outcome) in enumerate(zip(records, trial.outcomes, strict=True), 1)
        if not outcome.passed
    ]
    _end_trial(trial, records, names, failures, coverage=coverage, as_json=as_json)


def _end_trial(
    trial: Trial,
    records: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    failures: Sequence[str],
    *,
    coverage: bool,
    as_json: bool,
) -> NoReturn:
    """Print which cases pass, and exit."""
    from irenic.reporting.documents import trial_document

    with output():
        if as_json:
            print_json(trial_document(trial, records, names))
        else:
            _print_trial(trial, failures)
    complete = not coverage or not trial.missed
    raise typer.Exit(0 if trial.passed and trial.outcomes and complete else 1)


@commands.command(
    epilog="""[bold]Examples[/]
irenic cases fares.csv                 print cases as CSV
irenic cases loans.dmn -o cases.xlsx   write them, to be checked by hand

[bold]Exit status[/]
0 the cases were written, 2 invalid input"""
)
@reads_rules
def cases(
    rules: In,
    out: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="New file (.csv, .json, .xlsx or .parquet), or - (default: print CSV).",
        ),
    ] = None,
    table: TableName = None,
    space: SpaceFile = None,
    form: From = None,
    to: To = None,
    budget: Annotated[
        float, typer.Option(metavar="SECONDS", help="Maximum seconds for the search.", min=0.0)
    ] = 60.0,
    *,
    reading: dict[str, Any],
) -> None:
    """Generate a few cases that exercise every rule, condition and bound."""
    from irenic.testing import make_cases

    inputs = {"RULES": rules, "--space": space}
    check_inputs(inputs, form)
    check_output(out, inputs)
    written = output_format(out, to, _FORMATS, "csv")
    model = read_decided(rules, table, space, form, reading)
    made, outcomes = make_cases(model, budget=budget)
    records = [
        {**case, **_named(model, outcome)} for case, outcome in zip(made, outcomes, strict=True)
    ]
    data = _dumps(records, written)
    if out is None or is_standard(out):
        write_standard(data)
        return
    from irenic.frames.files import write_file

    write_file(out, data)
    with output():
        say_line(f"{counted(len(records), 'case')} written to {out}")


@commands.command(
    epilog="""[bold]Examples[/]
irenic why loans.dmn "age = 17, debt = 0"
irenic why loans.dmn "age = 17, debt = 0" --instead grant --fixed age
irenic why model.json new.csv --row 3 --instead good --only-up age

[bold]Exit status[/]
0 the decision was explained, 2 invalid input"""
)
@reads_rules
def why(
    rules: In,
    case: Annotated[
        str,
        typer.Argument(
            metavar="CASE",
            help='Values of a case, such as "age = 17, debt = 0"; or a table (see --row).',
        ),
    ],
    row: Annotated[
        int | None,
        typer.Option(metavar="N", help="Row of the table CASE, counted from 1.", min=1),
    ] = None,
    instead: Annotated[
        str | None,
        typer.Option(metavar="OUTCOME", help="Outcome to reach by a change (default: any other)."),
    ] = None,
    fixed: Annotated[
        list[str] | None,
        typer.Option(metavar="FEATURE", help="Feature that may not change; may be repeated."),
    ] = None,
    only_up: Annotated[
        list[str] | None,
        typer.Option(metavar="FEATURE", help="Number or date that may only rise; repeatable."),
    ] = None,
    only_down: Annotated[
        list[str] | None,
        typer.Option(metavar="FEATURE", help="Number or date that may only fall; repeatable."),
    ] = None,
    allow_missing: Annotated[
        bool,
        typer.Option(
            "--allow-missing", metavar="", help="Let values of the case become missing, too."
        ),
    ] = False,
    table: TableName = None,
    space: SpaceFile = None,
    form: From = None,
    budget: Annotated[
        float, typer.Option(metavar="SECONDS", help="Maximum seconds for the change.", min=0.0)
    ] = 10.0,
    as_json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Explain one decision, and find the smallest change that leads elsewhere."""
    from irenic.reporting.documents import why_document
    from irenic.testing import counterfactual, nearly
    from irenic.testing import why as explain

    # no Path.is_file, which raises for texts that are too long for a name
    if row is None and (is_standard(Path(case)) or os.path.isfile(case)):  # noqa: PTH113
        raise FormatError(f"CASE is a table, {case}; choose one of its rows with --row N")
    data = None if row is None else Path(case)
    check_inputs({"RULES": rules, "CASE": data, "--space": space}, form)
    parsed = parse_file(rules, form, **reading)
    _check_one_table(parsed, table)
    model = decided_in(parsed, table, space, form)
    try:
        point = (
            _point(case, parsed, model, table)
            if row is None
            else _row(parsed, model, table, Path(case), row, form)
        )
        reason = explain(model, point)
    except IrenicError as error:
        if _is_network(parsed):
            error.add_note(f"give the values of the inputs of {table!r}, not of the whole model")
        raise
    if row is None:
        _note_missing(model, point)
    limits = {"fixed": fixed or (), "only_up": only_up or (), "only_down": only_down or ()}
    other, wanted = None, _outcome(model, instead)
    try:
        other = counterfactual(model, point, wanted, **limits, missing=allow_missing, budget=budget)
        if other is None:
            where = "elsewhere" if wanted is None else f"to {display(wanted)}"
            change = f"No change of features leads {where}."
        elif other.changes:
            change = f"It would be {other}."
        else:
            change = f"It is already decided so: {display(wanted)} needs no change."
    except irenic.BudgetError as error:
        change = f"The smallest change is unknown: {error}."
    except irenic.ConditionError as error:
        if instead is not None or any(limits.values()):
            raise
        change = f"No change is shown: {error}."
    misses = [
        miss
        for miss in ([] if other is not None and not other.changes else nearly(model, point))
        if not set(fixed or ()) & miss.case.keys() and wanted in (None, miss.outcome)
    ]
    with output():
        if as_json:
            print_json(why_document(point, reason, other, change, misses))
        else:
            from irenic.reporting.terminal import one_line

            out = console()
            told = () if other is None else other.rules
            more = [f"One condition away: {m}." for m in misses if m.rule not in told]
            for line in (reason.text, change, *more[:_MISSES]):
                out.print(one_line(line), soft_wrap=not out.is_terminal)


def _is_network(parsed: irenic.formats.Parsed) -> bool:
    """Return whether a source is a decision model with several tables."""
    return parsed.format == "dmn" and len(parsed.drafts) > 1


def _check_one_table(parsed: irenic.formats.Parsed, table: str | None) -> None:
    """Reject a decision model without the name of a table: reasons are about one table."""
    if table is None and _is_network(parsed):
        names = ", ".join(repr(each.name) for each in parsed.bound(None).tables)
        raise FormatError(
            f"a reason is about one table, but the model has {len(parsed.drafts)} ({names}); choose"
            " one with table=… (--table …) and give the values of its own inputs, or decide cases"
            " through the whole model with irenic predict",
            path=parsed.name,
        )


def _note_missing(model: Any, point: dict[str, Any]) -> None:
    """Say which features that rules test a case does not have."""
    if isinstance(model, irenic.DecisionTable) and model.computed:
        return
    rules = model.rules if isinstance(model, irenic.DecisionTable) else model.rules_
    tested = {name for rule in rules for name in rule.region.conditions()}
    absent = [display(name) for name in rules.space.names if name in tested and name not in point]
    if absent:
        verb = "is not given, and counts" if len(absent) == 1 else "are not given, and count"
        note(f"{', '.join(absent)} {verb} as missing")


def _point(
    text: str, parsed: irenic.formats.Parsed, model: Any, table: str | None
) -> dict[str, Any]:
    from irenic.model.notation import parse_point

    try:
        return parse_point(as_typed(text, parsed, model, table))
    except FormatError as error:
        raise error.at(path="CASE") from None


def _row(
    parsed: irenic.formats.Parsed, model: Any, name: str | None, path: Path, row: int, form: Any
) -> dict[str, Any]:
    """Return a row of a table as a case, without the columns that the rules do not know."""
    rows = read_data(path, form, as_written=isinstance(model, irenic.DecisionTable), model=model)
    if row > rows.shape[0]:
        raise FormatError(f"--row must be at most {rows.shape[0]:,}, got {row}", path=str(path))
    if isinstance(model, irenic.DecisionTable):
        rows = as_meant(rows, parsed, model.space, name, path)
    space = model.space if isinstance(model, irenic.DecisionTable) else model.rules_.space
    return {n: value for n, value in _records(rows)[row - 1].items() if n in space}


@commands.command(
    epilog="""[bold]Examples[/]
irenic impact old.dmn new.dmn past.csv
irenic impact old.txt new.txt past.parquet --amount income --by region
irenic impact old.txt new.txt past.csv --html impact.html

[bold]Exit status[/]
0 no case changes, 1 some do, 2 invalid input"""
)
@reads_rules
def impact(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="Rules before the change.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="Rules after the change.")],
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="Past cases (.csv, .parquet or .xlsx), or -.")
    ],
    amount: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with what each case counts.")
    ] = None,
    by: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column to group the cases by.")
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="FILE", help="Write a page about the change and the new rules."
        ),
    ] = None,
    table: TableName = None,
    form: From = None,
    as_json: Json = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Count the past cases that a change of rules decides differently."""
    from irenic.monitoring import impact as measure
    from irenic.reporting.documents import impact_document

    inputs = {"OLD": old, "NEW": new, "DATA": data}
    check_inputs(inputs, form)
    check_output(page, inputs, "--html")
    parsed = parse_file(old, None, **reading)
    before = decided_in(parsed, table, None, None)
    changed = parse_file(new, None, **reading)
    after = decided_in(changed, table, None, None)
    written = rows = read_data(data, form, as_written=True, model=before)
    if isinstance(before, irenic.DecisionTable):
        rows = as_meant(written, parsed, before.space, table, data)
    if isinstance(after, irenic.DecisionTable):  # refuses values that only NEW reads otherwise
        as_meant(written, changed, after.space, table, data, lambda _: None)
    amounts = column_of(rows, amount, "--amount", data)
    groups = column_of(rows, by, "--by", data)
    try:
        change = measure(before, after, rows, amount=amounts, by=groups)
    except DataError as error:
        raise DataError(f"{data}: {error}") from None
    document = impact_document(change, amount, by)
    if page is not None:
        name = f"{new.name}, compared with {old.name}"
        summary = irenic.report(after, rows, name=name).summary
        summary["impact"] = document
        irenic.reporting.Report(summary).save(page)
    with output():
        if as_json:
            print_json(document)
        else:
            _print_impact(change, amount, by)
            if page is not None:
                say_line(f"Written to {page}; open it in a browser.")
    raise typer.Exit(1 if change.changed else 0)


# --- reading cases


def read_expected(
    path: Path,
    form: str | None,
    parsed: irenic.formats.Parsed,
    model: Any,
    table: str | None,
    label: str | None = None,
) -> tuple[Table, list[Any]]:
    """Return the test cases in a file, and their expected outcomes."""
    rows = _read_cases(path, form, model)
    if not rows.shape[0]:
        raise FormatError("no cases in the file", path=str(path))
    X, expected = split_outcomes(rows, _outputs(model), label, draft_of(parsed, table), path)
    if isinstance(model, irenic.DecisionTable):
        X = as_meant(X, parsed, model.space, table, path)
    return X, expected


def _read_cases(path: Path, form: str | None, model: Any) -> Table:
    """Return the table of cases in a file; .json is a list of records."""
    from irenic.formats.json.rules import load_data
    from irenic.frames.columns import Table, as_column
    from irenic.frames.files import as_text, read_bytes

    if path.suffix.lower() != ".json":
        return read_data(path, form, as_written=True, model=model)
    try:
        records = load_data(as_text(read_bytes(path)))
    except FormatError as error:
        raise error.at(path=str(path)) from None
    if not isinstance(records, list) or not all(isinstance(r, dict) for r in records):
        raise FormatError('cases must be a list such as [{"age": 17, …}]', path=str(path))
    names = list(dict.fromkeys(name for record in records for name in record))
    return Table({name: as_column([r.get(name) for r in records]) for name in names})


def _outputs(model: Any) -> tuple[str, ...]:
    return model.outputs if isinstance(model, irenic.DecisionTable) else ("then",)


def _records(X: Table) -> list[dict[str, Any]]:
    from irenic.frames.columns import as_values

    columns = {name: as_values(column) for name, column in X.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _outcome(model: Any, text: str | None) -> Any:
    """Return the outcome of the rules that is written as a text, else the text."""
    if text is None:
        return None
    rules = model.rules if isinstance(model, irenic.DecisionTable) else model.rules_
    known = [*rules.consequents, *([] if rules.default is None else [rules.default])]
    for then in known:
        if text in (str(then), display(then)):
            return then
    try:
        return parse_point(f"outcome = {text}")["outcome"]  # such as a sum of outcomes
    except FormatError:
        return text


def _try_kit(
    parsed: irenic.formats.Parsed, path: Path, name: str | None
) -> tuple[Trial, list[dict[str, Any]], list[str], list[str]]:
    """Run cases of the DMN Technology Compatibility Kit, of all decisions or of one.

    Return the trial, the case of each expected result with its name, and how results differ.
    """
    from irenic.formats.dmn.kit import read_kit
    from irenic.frames.files import MOST_BYTES, read_bytes
    from irenic.testing import Outcome, Trial

    try:
        _, listed = read_kit(read_bytes(path, MOST_BYTES))
    except FormatError as error:
        raise error.at(path=str(path)) from None
    decisions = dict.fromkeys(result.decision for case in listed for result in case.results)
    if name is not None and name not in decisions:
        known = did_you_mean(name, decisions)
        raise FormatError(f"no case expects a result of {name!r}{known}", path=str(path))
    outcomes, records, names, differences = [], [], [], []
    for case in listed:
        for result, actual, difference in case.outcomes(parsed):
            if name not in (None, result.decision):
                continue
            wanted = as_cell(result.expected)
            outcomes.append(Outcome(wanted, as_cell(actual), (), not difference))
            records.append({key: as_cell(value) for key, value in case.inputs.items()})
            names.append(case.id if len(case.results) == 1 else f"{case.id} ({result.decision})")
            differences.append(difference)
    covered, total, missed = _kit_coverage(parsed, listed, name)
    return Trial(tuple(outcomes), covered, total, tuple(missed)), records, names, differences


def _kit_coverage(
    parsed: irenic.formats.Parsed, listed: Sequence[Any], name: str | None
) -> tuple[dict[str, int], dict[str, int], list[str]]:
    """Return what cases of the kit exercise in the tables of a model, or in one of them."""
    from irenic.testing import try_cases

    kinds = ("rules", "conditions", "bounds")
    covered, total, missed = dict.fromkeys(kinds, 0), dict.fromkeys(kinds, 0), list[str]()
    tables = [t for t in parsed.bound(None).tables if name in (None, t.name, t.provenance.id)]
    for table in tables:
        rows = []
        for case in (case for case in listed if not case.unread):
            row = case.record(parsed, [n for n in table.space.names if n not in table.computed])
            with suppress(IrenicError):  # a value that the table does not expect exercises nothing
                table.encode([row])
                rows.append(row)
        try:
            trial = try_cases(table, rows, [None] * len(rows))
        except IrenicError as error:
            note(f"the coverage of table {table.name!r} is unknown: {error}")
            continue
        for kind in kinds:
            covered[kind] += trial.covered[kind]
            total[kind] += trial.total[kind]
        where = f"table {table.name!r}: " if len(tables) > 1 else ""
        missed += [f"{where}{text}" for text in trial.missed]
    return covered, total, missed


# --- printing and writing


def _failure(number: int, case: Mapping[str, Any], outcome: Outcome) -> str:
    by = f"rule {outcome.rules[0] + 1}" if outcome.rules else "the default"
    got = "nothing" if outcome.actual is None else f"{_text(outcome.actual)} by {by}"
    wanted = "nothing" if outcome.expected is None else _text(outcome.expected)
    return f"case {number} fails: expected {wanted}, got {got}, at {show_point(case)}"


def _print_trial(trial: Trial, failures: Sequence[str]) -> None:
    for text in failures:
        say_line(text)
    for text in trial.missed[:_MISSED]:
        say_line(text)
    if len(trial.missed) > _MISSED:
        print(f"… and {len(trial.missed) - _MISSED} more that no case exercises")
    passed = sum(outcome.passed for outcome in trial.outcomes)
    parts = [f"{trial.covered[kind]} of {trial.total[kind]} {kind}" for kind in trial.total]
    n = counted(len(trial.outcomes), "case")
    undecided = sum(outcome.expected is None for outcome in trial.outcomes)
    verb = "expects" if undecided == 1 else "expect"
    nothing = f" ({undecided:,} {verb} no outcome)" if undecided else ""
    passes, they = (
        ("passes", "it exercises") if len(trial.outcomes) == 1 else ("pass", "they exercise")
    )
    print(f"{passed:,} of {n} {passes}{nothing}; {they} {', '.join(parts)}.")


def _text(outcome: Any) -> str:
    return display(tuple(outcome) if isinstance(outcome, list) else outcome)


def _named(model: Any, outcome: Any) -> dict[str, Any]:
    """Return an outcome by the names of the outputs."""
    outputs = _outputs(model)
    if len(outputs) > 1 and (outcome is None or isinstance(outcome, tuple)):
        return dict(zip(outputs, outcome or [None] * len(outputs), strict=True))
    name = outputs[0] if len(outputs) == 1 else ", ".join(outputs)
    return {"outcome" if name == "then" else name: outcome}


def _dumps(records: Sequence[Mapping[str, Any]], form: str) -> str | bytes:
    import numpy as np

    from irenic.formats.json.rules import encode_point
    from irenic.frames.columns import as_column, as_written
    from irenic.frames.table import dumps_table

    if form == "json":
        lines = ",\n".join(json.dumps(encode_point(record)) for record in records)
        return f"[\n{lines}\n]\n"
    names = list(records[0]) if records else []
    columns = {}
    for name in names:
        values = [record[name] for record in records]
        plain = [v if v is None or isinstance(v, _CELLS) else say(v) for v in values]
        written = as_written(plain)
        columns[name] = np.array(written, dtype=object) if form == "csv" else as_column(written)
    return dumps_table(columns, form)


def _print_impact(change: Impact, amount: str | None, by: str | None) -> None:
    for move in change.moves:
        rows = ", ".join(str(row + 1) for row in move.rows)
        say_line(f"{move} (for example row{'s' if len(move.rows) > 1 else ''} {rows})")
    for group in change.groups:
        share = f"{group.changed:,} of {counted(group.cases, 'case')}"
        sums = "" if amount is None else f", {amount} {group.amount:,.2f}"
        say_line(f"{by} = {say(group.value)}: {share}{sums}")
    part = change.changed / change.cases if change.cases else 0.0
    sums = ""
    if amount is not None:
        sums = f", {amount} {change.amount_changed:,.2f} of {change.amount:,.2f}"
    say_line(f"{change.changed:,} of {counted(change.cases, 'case')} change ({part:.2%}){sums}.")


_CELLS = (str, int, float)
