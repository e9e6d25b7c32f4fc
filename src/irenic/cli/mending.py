"""The commands that change rules: repair, complete, merge, convert; and diff, which compares."""

from __future__ import annotations

import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from rich.text import Text

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
    Ignore,
    SpaceFile,
    as_policy,
    check_inputs,
    check_output,
    check_rules_in,
    given_space,
    parse_file,
    read_data,
)
from irenic.errors import DataError, FormatError, did_you_mean
from irenic.formats.writing import TABLES, WRITTEN, warn_of_loss
from irenic.model.literals import counted, display

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from irenic.model.decision_table import DecisionTable

_IN = typer.Argument(metavar="IN", help="A .txt, .rules, .json, .csv, .xlsx or .dmn file, or -.")
_OUT = typer.Option(
    "--output",
    "-o",
    metavar="OUT",
    help="A new file: .json, .txt, .csv, .xlsx, .dmn, .sql or .py; or - (default: the screen).",
)
_TABLE = typer.Option(metavar="NAME", help="Which table, where the file holds several.")
_TARGET = typer.Option(metavar="COLUMN", help="The column of outcomes of a .csv or .xlsx table.")
_POLICY = typer.Option(metavar="POLICY", help="Instead of what the file says: FIRST, ANY, …")
_DATA = typer.Option(
    metavar="FILE", help="Instances with their outcomes: .csv, .parquet, .xlsx, or -."
)
_LABEL = typer.Option(metavar="COLUMN", help="The column of outcomes in --data; the last.")
_BUDGET = typer.Option(metavar="SECONDS", help="How long to search at most.", min=0.0)

In = Annotated[Path, _IN]
Out = Annotated[Path | None, _OUT]
TableName = Annotated[str | None, _TABLE]
Target = Annotated[str | None, _TARGET]
Policy = Annotated[str | None, _POLICY]
Data = Annotated[Path | None, _DATA]
Label = Annotated[str | None, _LABEL]
Seconds = Annotated[float, _BUDGET]


class How(StrEnum):
    """How contradictions are taken out."""

    DROP = "drop"
    TRIM = "trim"
    SPLIT = "split"


commands = typer.Typer()


@commands.command(
    epilog="""[bold]Examples[/]
irenic repair rules.txt                        what would go, and the rest
irenic repair rules.txt --how trim -o mended.txt
irenic repair loans.dmn --table Risk -o mended.dmn
irenic repair rules.txt --data cases.csv       spare what is often right

Which of two rules has to give way is decided by what they are worth: by
--data, else by their weights (WEIGHT in a text, RULE WEIGHT in a table),
else the larger one is cut, and of rules to drop as few as possible go.

[bold]Exit status[/]
0 the rules contradict each other no longer, 2 bad input"""
)
def repair(
    rules: In,
    out: Out = None,
    how: Annotated[
        How,
        typer.Option(
            metavar="HOW",
            help="drop: the fewest rules, or the least valuable; trim: cut the less valuable of"
            " two back to its largest free region; split: cut away just the overlap.",
        ),
    ] = How.DROP,
    data: Data = None,
    label: Label = None,
    table: TableName = None,
    target: Target = None,
    ignore: Ignore = None,
    hit_policy: Policy = None,
    space: SpaceFile = None,
    form: From = None,
    to: To = None,
    as_json: Json = False,
    budget: Seconds = 30.0,
) -> None:
    """Take the contradictions out of rules, and say what was changed and why."""
    files = {"IN": rules, "--data": data, "--space": space}
    sink = _check_files(files, form, out, to, as_json=as_json)
    parsed = _parse(rules, form, target, ignore, hit_policy)
    found = _table(parsed, table, given_space(None, space, form), sink)
    X, y = _instances(data, label, form)
    warn_of_compiling()
    mended = irenic.repair(found, how.value, X=X, y=y, budget=budget)
    result = found if mended.table is None else mended.table
    told: list[irenic.mend.Change | str] = list(mended.changes)
    if mended.cost is not None and not mended.optimal:
        told.append(
            f"not proved to be the least: it costs {mended.cost:g}, at least {mended.bound:g} is"
            " needed; a longer --budget may find less"
        )
    elif not mended.optimal:
        told.append(
            "not proved that every trimmed rule keeps its largest region; a longer --budget may"
            " keep more"
        )
    n = len(mended.changes)
    verdict = counted(n, "change") if n else "nothing contradicted"
    _hand_over(result, sink, told, verdict, as_json)


@commands.command(
    epilog="""[bold]Examples[/]
irenic complete rules.txt                      rules for what none covers
irenic complete rules.txt --data cases.csv -o whole.txt

[bold]Exit status[/]
0 every case is covered now, 1 not, or not known, 2 bad input"""
)
def complete(
    rules: In,
    out: Out = None,
    data: Data = None,
    label: Label = None,
    most: Annotated[
        int | None, typer.Option(metavar="N", help="How many rules to add at most.", min=1)
    ] = None,
    table: TableName = None,
    target: Target = None,
    ignore: Ignore = None,
    hit_policy: Policy = None,
    space: SpaceFile = None,
    form: From = None,
    to: To = None,
    as_json: Json = False,
    budget: Seconds = 30.0,
) -> None:
    """Propose rules for the cases that none covers, largest gaps first."""
    files = {"IN": rules, "--data": data, "--space": space}
    sink = _check_files(files, form, out, to, as_json=as_json)
    parsed = _parse(rules, form, target, ignore, hit_policy)
    found = _table(parsed, table, given_space(None, space, form), sink)
    X, y = _instances(data, label, form)
    warn_of_compiling()
    filled = irenic.complete(found, X=X, y=y, max_rules=most, budget=budget)
    told: list[irenic.mend.Proposal | str] = list(filled.proposals)
    verdict = f"{counted(len(filled.added), 'rule')} added; " + (
        "every case is covered" if filled.is_complete else "gaps are left"
    )
    if filled.stopped_by is not None:
        told.append(_unfinished("looking for gaps", filled.stopped_by, "find more"))
    _hand_over(found.with_rules(filled.rules), sink, told, verdict, as_json)
    raise typer.Exit(0 if filled.is_complete else 1)


@commands.command(
    epilog="""[bold]Examples[/]
irenic merge rules.txt -o fewer.txt

[bold]Exit status[/]
0 done, 2 bad input, or rules that contradict each other"""
)
def merge(
    rules: In,
    out: Out = None,
    table: TableName = None,
    target: Target = None,
    ignore: Ignore = None,
    hit_policy: Policy = None,
    space: SpaceFile = None,
    form: From = None,
    to: To = None,
    as_json: Json = False,
    budget: Seconds = 30.0,
) -> None:
    """Say the same with fewer rules, which is proved."""
    files = {"IN": rules, "--space": space}
    sink = _check_files(files, form, out, to, as_json=as_json)
    parsed = _parse(rules, form, target, ignore, hit_policy)
    found = _table(parsed, table, given_space(None, space, form), sink)
    warn_of_compiling()
    given = found.with_rules(_as_set(found, budget)) if found.is_ordered else found
    result = irenic.merge(given, budget=budget)
    told = [found.say_never(row) for row in found.never_hold]
    if result.stopped_by is not None:
        told.append(_unfinished("merging", result.stopped_by, "merge more rules"))
    verdict = f"{counted(len(given.rules), 'rule')} became {len(result.rules):,}"
    _hand_over(result.table or given, sink, told, verdict, as_json)


@commands.command(
    epilog="""[bold]Examples[/]
irenic convert loans.dmn loans.json
irenic convert rules.txt rules.dmn
irenic convert rules.txt rules.sql --dialect postgres --sql-table people
irenic convert list.dmn set.txt --as-set
irenic convert - - --from dmn --to json < loans.dmn

[bold]Exit status[/]
0 written, 2 bad input"""
)
def convert(
    rules: In,
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", help="A new file: .json, .txt, .csv, .xlsx, .dmn, .sql or .py; or -."
        ),
    ],
    table: TableName = None,
    target: Target = None,
    ignore: Ignore = None,
    hit_policy: Policy = None,
    space: SpaceFile = None,
    form: From = None,
    to: To = None,
    as_set: Annotated[
        bool,
        typer.Option(
            "--as-set", metavar="", help="Turn an ordered list into a set that says the same."
        ),
    ] = False,
    dialect: Annotated[
        str, typer.Option(metavar="NAME", help="Of SQL: duckdb, postgres, sqlite, spark, …")
    ] = "duckdb",
    sql_table: Annotated[
        str, typer.Option(metavar="NAME", help="The table that the SQL reads.")
    ] = "cases",
    budget: Seconds = 60.0,
) -> None:
    """Write rules in another format."""
    files = {"IN": rules, "--space": space}
    check_inputs(files, form)
    check_output(out, files, "OUT")
    sink = _Out(out, output_format(out, to, WRITTEN), "OUT")
    parsed = _parse(rules, form, target, ignore, hit_policy)
    found = _table(parsed, table, given_space(None, space, form), sink)
    if sink.form in ("sql", "py") and space is None and not parsed.declares_space:
        found = _open_to_missing(found, parsed, table)
    told = ""
    if as_set and found.is_ordered:
        warn_of_compiling()
        n = counted(len(found), "rule")
        found = found.with_rules(_as_set(found, budget))
        told = f"{n} in order became {len(found):,} in none; "
    elif as_set:
        print("irenic: the rules are not ordered, so --as-set changes nothing", file=sys.stderr)
    if sink.form == "sql":
        _write_sql(found, sink, sql_table, dialect)
    else:
        write_rules(found, out, sink.form)
    with output():
        people = sys.stderr if is_standard(out) else sys.stdout
        print(f"{told}{_written(found, sink)}", file=people)


@commands.command(
    epilog="""[bold]Examples[/]
irenic diff old.txt new.txt
irenic diff old.dmn new.dmn --table Risk --json

[bold]Exit status[/]
0 they decide the same everywhere, 1 not, or not known, 2 bad input"""
)
def diff(
    a: Annotated[Path, typer.Argument(metavar="A", help="The rules before, or -.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="The rules after, or -.")],
    table: TableName = None,
    target: Target = None,
    ignore: Ignore = None,
    hit_policy: Policy = None,
    space: SpaceFile = None,
    form: From = None,
    as_json: Json = False,
    budget: Seconds = 60.0,
) -> None:
    """List the regions in which two sets of rules decide differently."""
    check_inputs({"A": a, "B": b, "--space": space}, form)
    given = given_space(None, space, form)
    before, after = (
        _table(_parse(path, form, target, ignore, hit_policy), table, given, _Out())
        for path in (a, b)
    )
    _say_apart(before, after, a, b)
    warn_of_compiling()
    found = irenic.diff(before, after, budget=budget)
    with output():
        if as_json:
            from irenic.reporting.commands import diff_document

            print_json(diff_document(found))
        else:
            for difference in found:
                print(difference)
            print(_verdict(found))
    raise typer.Exit(0 if found.same else 1)


def _verdict(found: irenic.mend.Differences) -> str:
    if found.same:
        return "They decide the same everywhere."
    if found.same is None:
        return "No difference was found before the budget ended the search."
    rest = "" if found.finished else ", and perhaps in more: the budget ended the search"
    return f"They decide differently in {counted(len(found), 'region')}{rest}."


# --- what they share


class _Out(NamedTuple):
    """Where rules go, and in which format."""

    path: Path | None = None
    form: str = ""
    """Empty for text on the screen."""
    option: str = "--output"


def _check_files(
    inputs: Mapping[str, Path | None],
    form: str | None,
    out: Path | None,
    to: str | None,
    *,
    as_json: bool,
) -> _Out:
    """Return where the rules go, before any work is done."""
    check_inputs(inputs, form)
    check_one_output(out, to, as_json=as_json)
    check_output(out, inputs)
    if out is None and to is None:
        return _Out()
    return _Out(out, output_format(out, to, WRITTEN, "rules"))


def _parse(
    path: Path,
    form: str | None,
    target: str | None,
    ignore: list[str] | None,
    policy: str | None,
) -> irenic.formats.Parsed:
    options = {"target": target, "ignore": ignore or (), "hit_policy": as_policy(policy)}
    return parse_file(path, form, **options)


def _table(
    parsed: irenic.formats.Parsed, name: str | None, space: irenic.Space | None, out: _Out
) -> DecisionTable:
    tables = parsed.bind(space)
    for imported in tables.imports:
        check_output(out.path, {f"the import of {parsed.name},": imported}, out.option)
    chosen = tables.table(name)
    check_rules_in(chosen, Path(parsed.name))
    left = len(tables.tables) - 1
    if left:
        print(f"irenic: {counted(left, 'other table')} of {parsed.name} left out", file=sys.stderr)
    return chosen


def _open_to_missing(
    found: DecisionTable, parsed: irenic.formats.Parsed, name: str | None
) -> DecisionTable:
    """Return a table of a file without a space, bound such that every value may be missing.

    ``irenic predict`` takes the space from its data, in which cells may be empty; what is
    exported meets data later. It is bound anew since ``not in`` holds for a missing value only
    where there can be one.
    """
    space = irenic.Space([replace(feature, missing=True) for feature in found.space])
    opened = parsed.bound(space).table(name)  # the first binding has shown the warnings
    # rows that contradict each other only where a value is missing are exported as they are
    return found if not opened.is_ordered and opened.first_conflict() else opened


def _say_apart(before: DecisionTable, after: DecisionTable, a: Path, b: Path) -> None:
    """Say which features only one of two tables has: perhaps one was renamed."""
    for path, mine, other in ((a, before, after), (b, after, before)):
        only = [display(name) for name in mine.space.names if name not in other.space]
        if only:
            print(f"irenic: only {path} asks about {', '.join(only)}", file=sys.stderr)


def _unfinished(what: str, stopped_by: str, more: str) -> str:
    return f"{what} was stopped by {stopped_by}; a longer --budget may {more}"


def _as_set(table: DecisionTable, budget: float) -> irenic.RuleSet:
    rules = table.as_rules()
    return rules if isinstance(rules, irenic.RuleSet) else irenic.to_set(rules, budget=budget)


def _instances(data: Path | None, label: str | None, form: str | None) -> tuple[Any, Any]:
    """Return the instances and their outcomes of a table, None where there is none."""
    if data is None:
        if label is not None:
            raise FormatError("--label names a column of --data, which is not given")
        return None, None
    from irenic.frames.columns import as_values

    table = read_data(data, form)
    name = list(table)[-1] if label is None else label
    if name not in table:
        raise DataError(f"{data}: there is no column {name!r}{did_you_mean(name, table)}")
    labels = as_values(table[name])
    if None in labels:
        raise DataError(f"{data}: the outcome {name!r} is missing in row {labels.index(None) + 1}")
    return table.select([column for column in table if column != name]), labels


def _hand_over(
    table: DecisionTable,
    out: _Out,
    told: Sequence[irenic.mend.Change | irenic.mend.Proposal | str],
    verdict: str,
    as_json: bool,
) -> None:
    """Write the rules, or print them; say what was changed, apart from rules that are printed."""
    is_file = out.path is not None and not is_standard(out.path)
    if is_file:
        write_rules(table, out.path, out.form)
    elif not out.form:
        warn_of_loss(table, "rules")
    with output():
        if as_json:
            from irenic.reporting.commands import mend_document

            print_json(mend_document(table, told))
            return
        people = console(stderr=not is_file)
        where = f"; {_written(table, out)}" if is_file else "."
        for line in (*told, f"{verdict[0].upper()}{verdict[1:]}{where}"):
            people.print(Text(str(line)), soft_wrap=not people.is_terminal)
        if not is_file and not out.form:
            from irenic.formats import text as text_rules

            print(text_rules.dumps(table.rules), end="")
    if not is_file and out.form:
        write_rules(table, out.path, out.form)


def _write_sql(table: DecisionTable, out: _Out, sql_table: str, dialect: str) -> None:
    from irenic.frames.files import write_file

    named = table.outputs != ("then",)
    column = ", ".join(table.outputs) if named else "prediction"
    text = irenic.to_sql(table, sql_table, dialect=dialect, column=column) + ";\n"
    if out.path is None or is_standard(out.path):
        write_standard(text)
        warn_of_loss(table, "sql")
    else:
        write_file(out.path, text)
        warn_of_loss(table, "sql", str(out.path))


def _written(table: DecisionTable, out: _Out) -> str:
    """Return how many rules a file holds: rows that make several may be several there."""
    n = len(table.rules)
    if out.form in TABLES:
        from irenic.formats.tables.lines import lines_of

        n = len(lines_of(table))
    where = "standard output" if is_standard(out.path) else out.path
    return f"{counted(n, 'rule')} written to {where}"
