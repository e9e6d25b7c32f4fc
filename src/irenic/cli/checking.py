"""The command ``check``: what there is to say of rules, for people and for other programs."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import irenic
from irenic.cli.common import MOST_GAPS, Json, Most, console, output, print_json, progress
from irenic.cli.reading import (
    Data,
    From,
    Ignore,
    SpaceFile,
    as_policy,
    check_inputs,
    files_of,
    given_space,
    is_folder,
    no_rules,
    opened_space,
    parse_file,
    say_example,
)
from irenic.errors import FormatError, IrenicError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irenic.budget import Progress
    from irenic.checking import Kind
    from irenic.reporting.commands import CheckedFile


class Form(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


commands = typer.Typer()

_ONE_TABLE = (".json", ".rules", ".txt")
"""What files that hold one table end in."""


@commands.command(
    epilog="""[bold]Examples[/]
irenic check                                the example of irenic
irenic check rules.txt                      rules of your own
irenic check loans.dmn fares.xlsx           decision tables
irenic check policies/ --format github      a folder, in a CI job
irenic check fares.csv --target price       the column of outcomes
irenic check fares.csv --ignore "Rule no"   a column that is no condition
irenic check rules.json --json              for other programs
irenic check rules.txt --data people.csv    the space from a table
irenic check rules.txt --space space.json   the space from a file
irenic check loans.dmn --fail-on gaps,conflicts

[bold]Exit status[/]
0 nothing that counts was found, 1 something was, 2 bad input.
What counts is a contradiction, or an overlap where the hit policy
rules it out, unless --fail-on says otherwise. A file without rules is
bad input."""
)
def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE...",
            help="Files (.txt, .rules, .json, .csv, .xlsx, .dmn) or folders; an example if left"
            " out.",
            show_default=False,
        ),
    ] = None,
    form: Annotated[
        Form, typer.Option("--format", metavar="FORM", help="text, json, sarif or github.")
    ] = Form.TEXT,
    as_json: Json = False,
    fail_on: Annotated[
        str | None,
        typer.Option(
            metavar="KINDS",
            help="What to exit with 1 for: conflicts, overlaps, gaps, never_fire, duplicates,"
            " inside, mergeable, columns; or nothing.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="The column of outcomes of a .csv or .xlsx file: the last."
        ),
    ] = None,
    ignore: Ignore = None,
    hit_policy: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY", help="What the tables mean where several rows hold: UNIQUE, FIRST, …"
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="Files in folders to leave out, such as 'README*'."),
    ] = None,
    data: Data = None,
    space: SpaceFile = None,
    source_form: From = None,
    budget: Annotated[
        float, typer.Option(metavar="SECONDS", help="How long each search may take.", min=0.0)
    ] = 10.0,
    most: Most = None,
) -> None:
    """Say what is wrong with rules: contradictions, gaps, rows that could go, columns in vain."""
    form = Form.JSON if as_json else form
    kinds = _kinds(fail_on)
    limit = most or (10_000 if form is Form.JSON else 1_000)
    given = list(paths or [])
    paths = list(files_of(given, exclude or []))
    options = {"target": target, "ignore": ignore or (), "hit_policy": as_policy(hit_policy)}
    named = {f"FILE {number}": path for number, path in enumerate(paths, 1)}
    check_inputs({**named, "--data": data, "--space": space}, source_form)
    base = given_space(data, space, source_form)
    files = _checked(paths or [None], base, data, source_form, options, budget, limit)
    several = len(given) > 1 or any(map(is_folder, given))
    with output():
        _print(files, form, several=several, example=not given, most=most)
        for file in files if form is Form.TEXT else ():
            for error in file.errors:
                print(f"irenic: {error}", file=sys.stderr)
            for told in file.warnings:
                print(f"irenic: warning: {told}", file=sys.stderr)
    failed = any(found.fails(kinds) for file in files for found in file.tables)
    raise typer.Exit(2 if any(file.errors for file in files) else int(failed))


def _kinds(fail_on: str | None) -> list[Kind] | None:
    """Return the kinds of findings to fail on; None for what the hit policies rule out."""
    from irenic.checking import KINDS, NOUNS

    if fail_on is None:
        return None
    known: dict[str, Kind] = {kind.replace("_", " "): kind for kind in KINDS}
    known |= {noun: kind for kind, noun in NOUNS.items()}  # as they are printed
    plain = fail_on.lower().replace("-", " ").replace("_", " ")
    wanted = [kind.strip() for kind in plain.split(",")]
    if wanted == ["nothing"]:
        return []
    for kind in wanted:
        if kind not in known:
            hint = f"there are {', '.join(KINDS)}, and nothing"
            raise FormatError(f"--fail-on: {kind!r} is no kind of finding; {hint}")
    return [known[kind] for kind in wanted]


def _checked(
    paths: Sequence[Path | None],
    given: irenic.Space | None,
    data: Path | None,
    source_form: str | None,
    options: dict[str, Any],
    budget: float,
    most: int,
) -> list[CheckedFile]:
    """Return each file with its findings; one that cannot be read does not stop the others."""
    from irenic.reporting.commands import CheckedFile

    found = []
    with progress("looking for gaps") as shown:
        for path in paths:
            try:
                parsed = parse_file(path, source_form, **options)
                tables = parsed.bound(opened_space(parsed, given, data))  # warned of with the file
            except IrenicError as error:
                told = error if isinstance(error, FormatError) else FormatError(str(error))
                several = path is not None and path.suffix.lower() not in _ONE_TABLE
                found.append(CheckedFile(str(path), [], [told], several))
                continue
            errors = [*tables.errors, *_bare(tables.tables, parsed)]
            if not tables.tables and not errors:
                errors = [FormatError("there is no table of rules in it", path=parsed.name)]
            filled = [table for table in tables.tables if table.n_rows]
            checks = _findings(filled, budget, most, shown)
            several = parsed.holds_several
            found.append(CheckedFile(parsed.name, checks, errors, several, tables.warnings))
    return found


def _bare(tables: list[irenic.DecisionTable], parsed: irenic.formats.Parsed) -> list[FormatError]:
    """Return an error for each table without rules: a file that was cut off should not pass."""
    bare = [table for table in tables if not table.n_rows]
    if not parsed.holds_several:
        return [no_rules(table.rules, Path(parsed.name)) for table in bare]
    texts = (f"table {table.name!r} has no rules" for table in bare)
    return [FormatError(text, path=parsed.name) for text in texts]


def _findings(
    tables: list[irenic.DecisionTable], budget: float, most: int, shown: Progress | None
) -> list[irenic.checking.Findings]:
    limits = irenic.Budget(seconds=budget, regions=MOST_GAPS)
    return [irenic.check(table, budget=limits, most=most, progress=shown) for table in tables]


def _print(
    files: list[CheckedFile], form: Form, *, several: bool, example: bool, most: int | None
) -> None:
    from irenic.reporting import terminal
    from irenic.reporting.commands import check_document
    from irenic.reporting.github import to_annotations
    from irenic.reporting.sarif import to_sarif

    if form is Form.GITHUB:
        for line in to_annotations(check_document(files)):
            print(line)
    elif form is Form.SARIF:
        print_json(to_sarif(check_document(files), irenic.__version__))
    elif form is Form.JSON:
        print_json(check_document(files))
    else:
        if example:
            say_example(None)
        for number, file in enumerate(files):
            if number:
                print()
            terminal.print_file(file, console(), most, headed=several or file.several)
