"""The commands that change rules (add, repair, complete, merge, convert) and compare them."""

from __future__ import annotations

import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

import irenic
from irenic.cli.common import (
    Json,
    To,
    check_one_output,
    completing,
    console,
    is_standard,
    note,
    output,
    output_format,
    print_json,
    say_line,
    write_rules,
    write_standard,
)
from irenic.cli.reading import (
    From,
    SpaceFile,
    TableName,
    as_meant,
    as_typed,
    check_inputs,
    check_output,
    check_rules_in,
    draft_of,
    given_space,
    parse_file,
    read_data,
    reads_rules,
    split_outcomes,
)
from irenic.errors import DataError, FormatError
from irenic.formats.editing import EDITED, MARKS, way_out
from irenic.formats.writing import TABLES, WRITTEN, warn_of_loss
from irenic.model.literals import counted, display

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from irenic.model.decision_table import DecisionTable


class _SqlForm(StrEnum):
    """How rules are written as SQL."""

    rules = "rules"
    tree = "tree"
    arrays = "arrays"


_IN = typer.Argument(
    metavar="IN", help="Rules (.txt, .json, .csv, .tsv, .xlsx, .ods, .md, .dmn, …), or -."
)
_OUT = typer.Option(
    "--output",
    "-o",
    metavar="OUT",
    help="New file (.json, .txt, .csv, .xlsx, .dmn, .pmml, .sql or .py), or - (default: print"
    " text).",
)
_IN_PLACE = typer.Option(
    "--in-place",
    metavar="",
    help="Change IN itself: only the rows concerned, each with a note; all else stays.",
)
_DATA = typer.Option(
    metavar="FILE", help="Instances with their outcomes (.csv, .parquet or .xlsx), or -."
)
_LABEL = typer.Option(metavar="COLUMN", help="Outcome column of --data (default: the last one).")
_BUDGET = typer.Option(metavar="SECONDS", help="Maximum seconds for the search.", min=0.0)

In = Annotated[Path, _IN]
Out = Annotated[Path | None, _OUT]
InPlace = Annotated[bool, _IN_PLACE]
Data = Annotated[Path | None, _DATA]
Label = Annotated[str | None, _LABEL]
Budget = Annotated[float, _BUDGET]


class How(StrEnum):
    """The ways to remove contradictions."""

    DROP = "drop"
    TRIM = "trim"
    SPLIT = "split"


commands = typer.Typer()


@commands.command(
    epilog="""[bold]Examples[/]
irenic repair rules.txt                        print changes and rules
irenic repair rules.txt --how trim -o mended.txt
irenic repair loans.dmn --table Risk -o mended.dmn
irenic repair fares.xlsx --how split --in-place
irenic repair rules.txt --data cases.csv       keep accurate rules

Of two conflicting rules, the less valuable one is changed. Values come
from --data, else from weights (WEIGHT in text, RULE WEIGHT in tables).
Without either, the larger rule is cut, or the fewest rules are dropped.

[bold]Exit status[/]
0 the rules are free of contradictions, 2 invalid input"""
)
@reads_rules
def repair(
    rules: In,
    out: Out = None,
    in_place: InPlace = False,
    how: Annotated[
        How,
        typer.Option(
            metavar="HOW",
            help="drop: remove the fewest or least valuable rules; trim: cut the less valuable of"
            " two rules back to its largest free region; split: cut away only the overlap.",
        ),
    ] = How.DROP,
    data: Data = None,
    label: Label = None,
    table: TableName = None,
    space: SpaceFile = None,
    form: From = None,
    to: To = None,
    as_json: Json = False,
    budget: Budget = 30.0,
    *,
    reading: dict[str, Any],
) -> None:
    """Remove contradictions from rules, and explain each change."""
    files = {"IN": rules, "--data": data, "--space": space}
    sink = _check_files(files, form, out, to, as_json=as_json, in_place=in_place)
    parsed = parse_file(rules, form, **reading)
    original = _table(parsed, table, given_space(space, form), sink)
    X, y = _instances(data, label, form, parsed, original, table)
    mended = irenic.repair(original, how.value, X=X, y=y, budget=budget)
    result = original if mended.table is None else mended.table
    steps: list[irenic.mend.Change | str] = list(mended.changes)
    if mended.cost is not None and not mended.optimal:
        steps.append(
            f"the repair costs {mended.cost:g} and may not be the cheapest, which costs at least"
            f" {mended.bound:g}; a longer --budget may find a cheaper one"
        )
    elif not mended.optimal:
        steps.append(
            "trimmed rules may not keep their largest regions; a longer --budget may keep more"
        )
    steps += _opened(mended)
    n = len(mended.changes)
    verdict = counted(n, "change") if n else "no contradictions"
    notes: dict[Any, str] = {change.rule: change.text for change in mended.changes}
    edit = _Edit("irenic repair", parsed, original, notes)
    _write_result(result, sink, steps, verdict, as_json, edit)


@commands.command(
    epilog="""[bold]Examples[/]
irenic add rules.txt "IF age > 60 THEN half"             only try it
irenic add rules.txt "IF age > 60 THEN half" --in-place
irenic add rules.txt "IF age > 60 THEN half" --free -o new.txt

[bold]Exit status[/]
0 the rule, or its free part, contradicts no other; 1 it was refused;
2 invalid input"""
)
@reads_rules
def add(
    rules: In,
    rule: Annotated[
        str, typer.Argument(metavar="RULE", help='The new rule, such as "IF age > 60 THEN half".')
    ],
    out: Out = None,
    in_place: InPlace = False,
    free: Annotated[
        bool,
        typer.Option("--free", metavar="", help="Add only the part that contradicts no rule."),
    ] = False,
    table: TableName = None,
    space: SpaceFile = None,
    form: From = None,
    to: To = None,
    as_json: Json = False,
    budget: Budget = 30.0,
    *,
    reading: dict[str, Any],
) -> None:
    """Add a rule that contradicts no other, or show its free part."""
    from irenic.testing import try_rule

    files = {"IN": rules, "--space": space}
    sink = _check_files(files, form, out, to, as_json=as_json, in_place=in_place)
    parsed = parse_file(rules, form, **reading)
    original = _table(parsed, table, given_space(space, form), sink)
    try:
        rule = as_typed(rule, parsed, original, table)
        opened = original.space.opened_to(irenic.Rule.parse(rule).region.space)
        if opened != original.space:  # the rule names values that no other rule does
            original = parsed.bound(opened).table(table)
        new = irenic.Rule.parse(rule, original.space)
    except FormatError as error:
        raise error.at(path="RULE") from None
    _note_text(new.then, original)
    conflicts, parts = try_rule(original, new, budget=budget)
    steps = [f"contradiction: {conflict}" for conflict in conflicts]
    added = parts if free or not conflicts else []
    if conflicts:
        steps += [f"free part: {part}" for part in parts]
    if not parts:
        steps.append("nothing of the rule is free: other rules decide all of its cases")
    if not added:
        way_out = "; --free adds the free part" if parts else ""
        _print_refused(original, steps, f"the rule was refused{way_out}", as_json)
        raise typer.Exit(1)
    added = added if conflicts else [new]
    notes: dict[Any, str] = {part.region: "added" for part in added}
    edit = _Edit("irenic add", parsed, original, notes)
    verdict = f"{counted(len(added), 'rule')} added"
    _write_result(_extended(original, added), sink, steps, verdict, as_json, edit)


def _extended(table: DecisionTable, added: Sequence[irenic.Rule]) -> DecisionTable:
    """Return a table with rules added behind all others."""
    n = table.n_rows + len(added)
    rules = irenic.RuleSet([*table.rules, *added], table.space, default=table.rules.default)
    rows = (*table.rows, *range(table.n_rows, n))
    provenance = replace(table.provenance, lines=())
    return replace(table, rules=rules, rows=rows, n_rows=n, provenance=provenance)


def _print_refused(table: DecisionTable, steps: Sequence[str], verdict: str, as_json: bool) -> None:
    from irenic.reporting.documents import mend_document
    from irenic.reporting.terminal import print_mended

    document = mend_document(table, table, steps, verdict)
    with output():
        if as_json:
            print_json(document)
        else:
            print_mended(document, console())


@commands.command(
    epilog="""[bold]Examples[/]
irenic complete rules.txt                      print rules for all gaps
irenic complete rules.txt --data cases.csv -o complete.txt

[bold]Exit status[/]
0 every case is covered, 1 not every case is covered or it is unknown,
2 invalid input"""
)
@reads_rules
def complete(
    rules: In,
    out: Out = None,
    in_place: InPlace = False,
    data: Data = None,
    label: Label = None,
    limit: Annotated[
        int | None, typer.Option(metavar="N", help="Maximum number of rules to add.", min=1)
    ] = None,
    table: TableName = None,
    space: SpaceFile = None,
    form: From = None,
    to: To = None,
    as_json: Json = False,
    budget: Budget = 30.0,
    *,
    reading: dict[str, Any],
) -> None:
    """Add rules for cases that no rule covers, largest gaps first."""
    files = {"IN": rules, "--data": data, "--space": space}
    sink = _check_files(files, form, out, to, as_json=as_json, in_place=in_place)
    parsed = parse_file(rules, form, **reading)
    original = _table(parsed, table, given_space(space, form), sink)
    X, y = _instances(data, label, form, parsed, original, table)
    completion = irenic.complete(original, X=X, y=y, limit=limit, budget=budget)
    steps: list[irenic.mend.Proposal | str] = list(completion.proposals)
    verdict = f"{counted(len(completion.added), 'rule')} added; " + (
        "every case is covered" if completion.is_complete else "gaps remain"
    )
    if completion.stopped_by is not None:
        steps.append(_unfinished("looking for gaps", completion.stopped_by, "find more"))
    guesses = sum(proposal.is_guess for proposal in completion.proposals)
    if guesses:
        steps.append(
            f"{counted(guesses, 'outcome')} {'is a guess' if guesses == 1 else 'are guesses'} from"
            " neighboring rules or cases, for the reasons above; check them"
        )
    notes: dict[Any, str] = {p.region: str(p) for p in completion.proposals}
    edit = _Edit("irenic complete", parsed, original, notes)
    _write_result(completion.table or original, sink, steps, verdict, as_json, edit)
    raise typer.Exit(0 if completion.is_complete else 1)


@commands.command(
    epilog="""[bold]Examples[/]
irenic merge rules.txt -o fewer.txt

[bold]Exit status[/]
0 the rules were merged, 2 invalid input, or contradicting rules"""
)
@reads_rules
def merge(
    rules: In,
    out: Out = None,
    in_place: InPlace = False,
    table: TableName = None,
    space: SpaceFile = None,
    form: From = None,
    to: To = None,
    as_json: Json = False,
    budget: Budget = 30.0,
    *,
    reading: dict[str, Any],
) -> None:
    """Merge rules into fewer ones that provably decide the same."""
    files = {"IN": rules, "--space": space}
    sink = _check_files(files, form, out, to, as_json=as_json, in_place=in_place)
    parsed = parse_file(rules, form, **reading)
    original = _table(parsed, table, given_space(space, form), sink)
    unordered = original.with_rules(_as_set(original, budget)) if original.is_ordered else original
    merged = irenic.merge(unordered, budget=budget)
    notes = []
    if merged.stopped_by is not None:
        notes.append(_unfinished("merging", merged.stopped_by, "merge more rules"))
    verdict = f"{counted(len(unordered.rules), 'rule')} became {len(merged.rules):,}"
    result = merged.table or unordered
    lost: list[str] = []
    if not original.is_ordered and merged.rules == original.rules:
        result = original  # so that nothing is rewritten
    else:
        lost = [original.say_never(row) for row in original.never_hold]
    edit = _Edit("irenic merge", parsed, original, _merge_notes(original, result), lost)
    _write_result(result, sink, notes, verdict, as_json, edit)


@commands.command(
    epilog="""[bold]Examples[/]
irenic convert loans.dmn loans.json
irenic convert rules.txt rules.dmn
irenic convert model.json model.pmml
irenic convert rules.txt rules.sql --dialect postgres --sql-table people
irenic convert model.json model.sql --dialect spark --probabilities
irenic convert list.dmn set.txt --as-set
irenic convert - - --from dmn --to json < loans.dmn

[bold]Exit status[/]
0 the rules were written, 2 invalid input"""
)
@reads_rules
def convert(
    rules: In,
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="New file (.json, .txt, .csv, .xlsx, .dmn, .pmml, .sql or .py), or -.",
        ),
    ],
    table: TableName = None,
    space: SpaceFile = None,
    form: From = None,
    to: To = None,
    as_set: Annotated[
        bool,
        typer.Option(
            "--as-set",
            metavar="",
            help="Turn ordered rules into unordered ones that decide the same.",
        ),
    ] = False,
    dialect: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="SQL dialect: duckdb, postgres, sqlite, spark, …",
            autocompletion=completing("formats.sql.source", "DIALECTS"),
        ),
    ] = "duckdb",
    sql_table: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the table that the SQL query reads.")
    ] = "cases",
    sql_rule: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="SQL column to add with the number of the deciding rule."
        ),
    ] = None,
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities",
            metavar="",
            help="Add SQL columns with the probability of each label; needs a model.",
        ),
    ] = False,
    sql_form: Annotated[
        _SqlForm | None,
        typer.Option(
            metavar="FORM",
            help="SQL form: rules (a branch per rule), tree, or arrays (default: by the number of"
            " rules and the dialect).",
        ),
    ] = None,
    budget: Budget = 60.0,
    *,
    reading: dict[str, Any],
) -> None:
    """Write rules in another format."""
    files = {"IN": rules, "--space": space}
    check_inputs(files, form)
    check_output(out, files, "OUT")
    sink = _Out(out, output_format(out, to, WRITTEN), "OUT")
    _check_only_sql(sink, sql_rule, sql_form, probabilities=probabilities)
    parsed = parse_file(rules, form, **reading)
    if probabilities and (not parsed.is_model or space is not None or as_set):
        raise typer.BadParameter(
            "needs a model of irenic learn as it is, because other rules have no probabilities",
            param_hint="'--probabilities'",
        )
    result = _table(parsed, table, given_space(space, form), sink)
    if sink.form in ("pmml", "sql", "py") and space is None and parsed.declared is None:
        result = parsed.open_to_missing(table)  # as in irenic predict
    change = ""
    if as_set and result.is_ordered:
        n = counted(len(result), "ordered rule")
        result = result.with_rules(_as_set(result, budget))
        change = f"{n} became {counted(len(result), 'unordered one')}; "
    elif as_set:
        note("the rules are not ordered, so --as-set changes nothing")
    if sink.form == "sql":
        options: dict[str, Any] = {"dialect": dialect, "rule": sql_rule}
        options |= {"probabilities": probabilities, "form": sql_form and sql_form.value}
        # a model decides conflicts as it was learned to
        whole = parsed.is_model and space is None and not as_set
        _write_sql(result, parsed.model() if whole else result, sink, sql_table, options)
    elif sink.form == "pmml" and parsed.is_model and space is None:
        write_rules(parsed.model(), out, sink.form)  # with the counts of training rows
    else:
        write_rules(result, out, sink.form)
    with output():
        people = sys.stderr if is_standard(out) else sys.stdout
        say_line(f"{change}{_written(result, sink)}", people)


@commands.command(
    epilog="""[bold]Examples[/]
irenic diff old.txt new.txt
irenic diff old.dmn new.dmn --table Risk --json
irenic diff fares.xlsx fares.xlsx --table 2025 --table 2026
irenic diff fares.csv fares.xlsx --table 2026

[bold]Exit status[/]
0 both decide the same everywhere, 1 they differ or it is unknown,
2 invalid input"""
)
@reads_rules
def diff(
    a: Annotated[Path, typer.Argument(metavar="A", help="Rules before the change, or -.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="Rules after the change, or -.")],
    table: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Table to use, if a file contains several; given twice, first of A, then of B.",
        ),
    ] = None,
    space: SpaceFile = None,
    form: From = None,
    as_json: Json = False,
    budget: Budget = 60.0,
    *,
    reading: dict[str, Any],
) -> None:
    """List the regions in which two sets of rules decide differently."""
    check_inputs({"A": a, "B": b, "--space": space}, form)
    common_space = given_space(space, form)
    names = _two_names(table or [])
    before, after = (
        _table(
            parse_file(path, form, **reading),
            name,
            common_space,
            _Out(),
            lenient=len(table or ()) == 1 and a != b,
        )
        for path, name in zip((a, b), names, strict=True)
    )
    _note_unshared(before, after, a, b)
    differences = irenic.diff(before, after, budget=budget)
    from irenic.reporting.documents import diff_document

    document = diff_document(differences, before, after)
    with output():
        if as_json:
            print_json(document)
        else:
            from irenic.reporting.terminal import print_diff

            print_diff(document, console())
    raise typer.Exit(0 if differences.same else 1)


# --- shared by these commands


def _note_text(then: Any, table: DecisionTable) -> None:
    """Print a warning about an outcome that is a text, if all others are numbers."""
    others = [rule.then for rule in table.rules]
    if isinstance(then, str) and others and all(type(o) in (int, float) for o in others):
        note(
            f"warning: the outcome {display(then)} is text, but all other outcomes are numbers;"
            f" write a number such as {display(others[0])} if that is meant"
        )


def _two_names(names: list[str]) -> Sequence[str | None]:
    """Return the names of the tables in two files; one name is for a file with several tables."""
    if len(names) > 2:
        raise FormatError(f"--table can be given once or twice, got {len(names)} names")
    return [*names, *names][:2] if names else (None, None)


class _Out(NamedTuple):
    """The destination of rules, and their format."""

    path: Path | None = None
    form: str = ""
    """Empty to print text."""
    option: str = "--output"
    """The name of the option or argument."""
    in_place: bool = False


class _Edit(NamedTuple):
    """What is needed to edit the file that rules come from."""

    command: str
    parsed: irenic.formats.Parsed
    table: DecisionTable
    notes: dict[Any, str]
    """The reasons for changes, by the indices of rows and the regions of added rules."""
    lost: Sequence[str] = ()
    """What is lost unless the file is edited."""


def _check_files(
    inputs: Mapping[str, Path | None],
    form: str | None,
    out: Path | None,
    to: str | None,
    *,
    as_json: bool,
    in_place: bool,
) -> _Out:
    """Return the destination of the rules; reject invalid files before any work is done."""
    check_inputs(inputs, form)
    check_one_output(out, to, as_json=as_json)
    if in_place:
        path = inputs["IN"]
        if out is not None or to is not None:
            raise FormatError("--in-place changes IN itself, so it excludes --output and --to")
        if path is None or is_standard(path):
            raise FormatError("--in-place needs a file; write standard input to --output")
        others = {name: other for name, other in inputs.items() if name != "IN"}
        check_output(path, others, "--in-place")
        if text := way_out(path):
            raise FormatError(f"--in-place cannot change {path.suffix} files{text}")
        return _Out(path, output_format(path, None, (*WRITTEN, *EDITED)), "--in-place", True)
    check_output(out, inputs)
    if out is None and to is None:
        return _Out()
    path = inputs["IN"]
    # a copy of the input is edited, even if its format is not written otherwise
    known = [f for f in EDITED if path is not None and path.suffix.lower() == f".{f}"]
    return _Out(out, output_format(out, to, (*WRITTEN, *known), "rules"))


def _table(
    parsed: irenic.formats.Parsed,
    name: str | None,
    space: irenic.Space | None,
    out: _Out,
    *,
    lenient: bool = False,
) -> DecisionTable:
    tables = parsed.bind(space)
    for imported in tables.imports:
        check_output(out.path, {f"the import of {parsed.name},": imported}, out.option)
    if lenient and len(tables.tables) == 1 and not tables.errors:
        name = None  # the name is for the other file
    chosen = tables.table(name)
    check_rules_in(chosen, Path(parsed.name))
    others = len(tables.tables) - 1
    if others:
        note(f"ignored {counted(others, 'other table')} of {parsed.name}")
    return chosen


def _note_unshared(before: DecisionTable, after: DecisionTable, a: Path, b: Path) -> None:
    """Print the features that only one of two tables has: one may have been renamed."""
    for path, table, other in ((a, before, after), (b, after, before)):
        only = [display(name) for name in table.space.names if name not in other.space]
        if only:
            note(f"only {path} tests {', '.join(only)}")


def _unfinished(what: str, stopped_by: str, more: str) -> str:
    return f"{what} was stopped by {stopped_by}; a longer --budget may {more}"


def _as_set(table: DecisionTable, budget: float) -> irenic.RuleSet:
    rules = table.as_rules()
    return rules if isinstance(rules, irenic.RuleSet) else irenic.to_set(rules, budget=budget)


def _instances(
    data: Path | None,
    label: str | None,
    form: str | None,
    parsed: irenic.formats.Parsed,
    table: DecisionTable,
    name: str | None,
) -> tuple[Any, Any]:
    """Return the instances in a file and their outcomes; None for both without a file."""
    if data is None:
        if label is not None:
            raise FormatError("--label names a column of --data, so it needs --data FILE")
        return None, None
    rows = read_data(data, form, as_written=True)
    X, outcomes = split_outcomes(rows, table.outputs, label, draft_of(parsed, name), data)
    for row, outcome in enumerate(outcomes, 1):
        if outcome is None or (isinstance(outcome, tuple) and None in outcome):
            columns = ", ".join(repr(column) for column in rows if column not in X)
            raise DataError(
                f"{data}: column {columns} must have an outcome in every row, got none in row {row}"
            )
    return as_meant(X, parsed, table.space, name, data), outcomes


def _opened(mended: irenic.mend.Repair) -> list[str]:
    """Return what to say about cases that no rule covers any more."""
    n, default = len(mended.opened), mended.rules.default
    listed = "; ".join(f"where {region}" for region in mended.opened[:_SHOWN])
    more = f"; and {n - _SHOWN} more regions" if n > _SHOWN else ""
    if not n:
        return []
    if default is not None:
        return [f"only the default ({display(default)}) now applies {listed}{more}"]
    return [f"the repair opens gaps: no rule applies {listed}{more} (irenic complete fills them)"]


_SHOWN = 5


def _merge_notes(before: DecisionTable, after: DecisionTable) -> dict[Any, str]:
    """Return the reason for each row that a merge changes or drops."""
    from irenic.formats.tables.edits import edits_between

    changed = edits_between(before, after).changed
    rules = {row: before.rules[before.places(row)[0]] for row in changed}
    groups: dict[Any, list[str]] = {}
    for row, rule in sorted(rules.items()):
        groups.setdefault((rule.then, rule.weight), []).append(str(row + 1))
    notes: dict[Any, str] = {}
    for row, rule in rules.items():
        merged = ", ".join(groups[rule.then, rule.weight])
        verb = "changed" if changed[row] else "dropped"
        what = (
            f"rules {merged} are merged" if ", " in merged else "rules with its outcome are merged"
        )
        notes[row] = f"rule {row + 1} ({rule}) is {verb}: {what}"
    return notes


def _write_result(
    table: DecisionTable,
    out: _Out,
    steps: Sequence[irenic.mend.Change | irenic.mend.Proposal | str],
    verdict: str,
    as_json: bool,
    edit: _Edit,
) -> None:
    """Write or print rules, and print the steps; on standard error if it prints the rules."""
    is_file = out.path is not None and not is_standard(out.path)
    if edit.table.provenance.accepts and not table.provenance.accepts:
        lost = (
            f"{counted(len(edit.table.provenance.accepts), 'acceptance')} left out; add them again"
        )
        edit = edit._replace(lost=[*edit.lost, lost])
    written, marks = _write_file(table, out, edit) if is_file else ("", [*edit.lost])
    if not is_file and not out.form:
        warn_of_loss(table, "rules")
    from irenic.reporting.documents import mend_document
    from irenic.reporting.terminal import print_mended

    document = mend_document(edit.table, table, [*steps, *marks], verdict)
    with output():
        if as_json:
            print_json(document)
            return
        print_mended(document, console(stderr=not is_file), written)
        if not is_file and not out.form:
            from irenic.formats import text as text_rules

            print(text_rules.dumps(table.rules), end="")
    if not is_file and out.form:
        write_rules(table, out.path, out.form)


def _write_file(table: DecisionTable, out: _Out, edit: _Edit) -> tuple[str, list[str]]:
    """Write a file; return what was written, and a note on where changes are explained.

    A file of the same format as the input is the input with some rows changed, if it can be edited.
    """
    from irenic.formats.editing import edited
    from irenic.frames.files import write_file

    parsed = edit.parsed
    same = _SAME.get(out.form, out.form) == parsed.format and parsed.format in EDITED
    if same and out.path is not None:
        try:
            content = edited(parsed, edit.table, table, edit.notes, command=edit.command)
        except FormatError as error:
            if out.in_place:
                raise FormatError(f"{error}; write to a new file with --output") from None
            note(f"{error}; {out.path} contains only the rules")
        else:
            if out.in_place and content == parsed.content:
                return f"{out.path} is unchanged", []
            write_file(out.path, content)
            where = f"changed rows are explained in {MARKS[parsed.format]} of {out.path}"
            return _written(table, out), [] if content == parsed.content else [where]
    if out.in_place and (out.form != "json" or parsed.is_model):
        what = "a model" if parsed.is_model else f"a .{out.form} file"
        raise FormatError(f"{out.path}: {what} cannot be changed in place; use --output")
    write_rules(table, out.path, out.form)
    return _written(table, out), [*edit.lost]


_SAME = {"txt": "rules", "xml": "dmn"}


def _check_only_sql(
    out: _Out, rule: str | None, form: _SqlForm | None, *, probabilities: bool
) -> None:
    """Raise an error if an option of SQL is given for another format."""
    given = {"--sql-rule": rule, "--sql-form": form, "--probabilities": probabilities}
    for option, value in given.items():
        if value and out.form != "sql":
            raise typer.BadParameter(f"is only for SQL, not {out.form}", param_hint=f"'{option}'")


def _write_sql(
    table: DecisionTable, rules: Any, out: _Out, sql_table: str, options: dict[str, Any]
) -> None:
    from irenic.frames.files import write_file

    named = len(table.outputs) == 1 and table.outputs != ("then",)
    column = table.outputs[0] if named else None
    text = irenic.to_sql(rules, sql_table, column=column, **options) + ";\n"
    if out.path is None or is_standard(out.path):
        write_standard(text)
        warn_of_loss(table, "sql")
    else:
        write_file(out.path, text)
        warn_of_loss(table, "sql", str(out.path))


def _written(table: DecisionTable, out: _Out) -> str:
    """Return how many rules were written: one row can be several rules in other formats."""
    n = len(table.rules)
    if out.form in TABLES:
        from irenic.formats.tables.lines import lines_of

        n = len(lines_of(table))
    where = "standard output" if is_standard(out.path) else out.path
    return f"{counted(n, 'rule')} written to {where}"
